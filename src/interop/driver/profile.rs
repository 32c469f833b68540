//! A machine as a driver is told it: one line.

use super::{VERSION, json};
use crate::api::{BarrierAccess, BarrierSync};
use crate::hardware::{Client, Granularity, LayoutClass, Profile, Routes, Variant};
use crate::id::{CacheId, PathId};
use crate::schema::{Schema, schema};
use serde::Serialize;

/// What describes the line.
pub(super) const SCHEMA: Schema = schema!(
    written ProfileLine<'static>, "driver-profile", "The line about a machine that a driver in another process reads"
);

/// The machine of the programs that name it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverProfile"))]
struct ProfileLine<'p> {
    /// Version of this contract: 1.
    schema: u32,
    /// `profile`.
    line: &'static str,
    /// Its name. A line with a known name takes the place of the earlier one.
    profile: &'p str,
    /// What a wait is for: `stage`; `front-end`: it also keeps the front end from going on; `queue`: the whole queue.
    waits: &'static str,
    /// Caches, in the order in which they are written back: each before the one that its lines go into.
    caches: Vec<CacheRow<'p>>,
    /// Layout operations.
    layout_operations: Vec<LayoutRow<'p>>,
    /// The front end, if it fetches ahead.
    front_end: FrontEndRow<'p>,
    /// Render passes, if it renders tile by tile.
    tile_pass: Option<TileRow<'p>>,
    /// The ways through the caches, for each kind of surface. The first is of buffers and ordinary textures.
    surfaces: Vec<SurfaceRow<'p>>,
}

/// A cache.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverCache"))]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of the cache by itself"
)]
struct CacheRow<'p> {
    /// Its name, for packets.
    cache: &'p str,
    /// `write-back`, `write-through` or `read-only`. Only a write-back cache is ever dirty.
    policy: &'static str,
    /// Each client has one of its own.
    private: bool,
    /// The cache that it is filled from and written back to; null: memory.
    parent: Option<&'p str>,
    /// Bytes of a line.
    line_bytes: u64,
    /// Bytes of all instances together.
    capacity_bytes: u64,
    /// The machine's name for writing it back.
    flush: &'p str,
    /// The machine's name for dropping it.
    invalidate: &'p str,
    /// Writing it back drops it as well.
    flush_drops: bool,
    /// Dropping it loses dirty lines: it is written back first.
    drop_loses: bool,
    /// It holds nothing from one command to the next.
    refreshed: bool,
}

/// A layout operation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverLayoutOperation"))]
struct LayoutRow<'p> {
    /// Its name, for packets.
    name: &'p str,
    /// Compression classes before: `CF`, `C`, `S`, `U`, `X`.
    from: Vec<&'static str>,
    /// Classes after.
    to: Vec<&'static str>,
    /// Types of queues that run it.
    queues: Vec<&'static str>,
    /// It touches no texture: these caches may hold lines of an earlier alias, and are written back and dropped.
    leftover_caches: Vec<&'p str>,
}

/// The front end.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverFrontEnd"))]
struct FrontEndRow<'p> {
    /// The machine's name for what makes it wait; empty if it does not fetch ahead.
    operation: &'p str,
    /// Accesses that it makes, as bits of `D3D12_BARRIER_ACCESS`.
    reads: u32,
}

/// Render passes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverTilePass"))]
struct TileRow<'p> {
    /// The cache that stands for tile memory.
    cache: &'p str,
    /// Stages between which a barrier is by region, as bits of `D3D12_BARRIER_SYNC`.
    stages: u32,
    /// Accesses to attachments.
    accesses: u32,
    /// The path that attachments are loaded and stored through.
    path: Vec<&'p str>,
}

/// Ways of one kind of surface.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverSurface"))]
struct SurfaceRow<'p> {
    /// Exceptions of the machine that hold for it.
    exceptions: Vec<&'p str>,
    /// Who accesses memory, and through which caches.
    ways: Vec<WayRow<'p>>,
}

/// Ways of one client.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverWay"))]
struct WayRow<'p> {
    /// An access, or another client: `COPY_QUEUE_READ`, `COPY_QUEUE_WRITE`, `HOST`, `DISPLAY`, `ATOMIC`, `LAYOUT_OPERATION`.
    client: String,
    /// The access as a bit of `D3D12_BARRIER_ACCESS`; 0 for another client.
    access: u32,
    /// Paths that texels and bytes of buffers may take, each from the nearest cache on.
    texels: Vec<Vec<&'p str>>,
    /// Paths that metadata may take.
    metadata: Vec<Vec<&'p str>>,
}

/// The line about a machine, without a line end.
pub fn describe_profile(profile: &Profile) -> String {
    let name = |id: CacheId| profile.cache(id).name.as_str();
    let line = ProfileLine {
        schema: VERSION,
        line: "profile",
        profile: &profile.name,
        waits: match profile.granularity {
            Granularity::Stage => "stage",
            Granularity::FrontEnd => "front-end",
            Granularity::Queue => "queue",
        },
        caches: caches(profile),
        layout_operations: layout_operations(profile),
        front_end: FrontEndRow {
            operation: &profile.front_end_op,
            reads: profile.front_end_readers.bits(),
        },
        tile_pass: profile.tile_pass.as_ref().map(|tiles| TileRow {
            cache: name(tiles.tile),
            stages: BarrierSync::of_leaves(tiles.stages).bits(),
            accesses: tiles.accesses.bits(),
            path: names(profile, tiles.path),
        }),
        surfaces: surfaces(profile),
    };
    json(&line)
}

fn caches(profile: &Profile) -> Vec<CacheRow<'_>> {
    let mut ids: Vec<CacheId> = profile.cache_ids().collect();
    ids.sort_by_key(|id| profile.turn(*id));
    let row = |id: CacheId| {
        let cache = profile.cache(id);
        CacheRow {
            cache: &cache.name,
            policy: cache.policy.word(),
            private: cache.private,
            parent: cache.parent.map(|id| profile.cache(id).name.as_str()),
            line_bytes: cache.line_bytes,
            capacity_bytes: cache.capacity_bytes,
            flush: &cache.clean_op,
            invalidate: &cache.invalidate_op,
            flush_drops: cache.clean_drops,
            drop_loses: cache.drop_loses,
            refreshed: cache.refreshed,
        }
    };
    ids.into_iter().map(row).collect()
}

fn layout_operations(profile: &Profile) -> Vec<LayoutRow<'_>> {
    let classes =
        |classes: &[LayoutClass]| classes.iter().copied().map(LayoutClass::word).collect();
    let row = |op: crate::id::LayoutOpId| {
        let op = profile.layout_op(op);
        let caches = op.caches.iter();
        LayoutRow {
            name: &op.name,
            from: classes(&op.from),
            to: classes(&op.to),
            queues: op.queues.iter().map(|queue| queue.word()).collect(),
            leftover_caches: caches.map(|id| profile.cache(*id).name.as_str()).collect(),
        }
    };
    profile.layout_ops.ids().map(row).collect()
}

fn surfaces(profile: &Profile) -> Vec<SurfaceRow<'_>> {
    let exceptions = &profile.exceptions;
    let row = |variant: Variant| {
        let holds = exceptions.iter().enumerate();
        let holds = holds.filter(|(at, _)| variant.has(*at));
        let texels = profile.texel_routes_of(variant);
        let metadata = profile.metadata_routes_of(variant);
        let paths = |routes: Routes<'_>, client| {
            let paths = routes.read_paths(client).iter();
            paths.map(|path| names(profile, *path)).collect()
        };
        let ways = Client::all().map(|client| WayRow {
            client: client.word(),
            access: match client {
                Client::Access(access) => access.bits(),
                _ => BarrierAccess::empty().bits(),
            },
            texels: paths(texels, client),
            metadata: paths(metadata, client),
        });
        SurfaceRow {
            exceptions: holds.map(|(_, it)| it.name.as_str()).collect(),
            ways: ways.collect(),
        }
    };
    Variant::all(exceptions.len()).map(row).collect()
}

fn names(profile: &Profile, path: PathId) -> Vec<&str> {
    let caches = profile.path(path).iter();
    caches.map(|id| profile.cache(*id).name.as_str()).collect()
}
