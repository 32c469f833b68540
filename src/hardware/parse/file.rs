//! The tables of a profile file, as TOML has them. What they mean is the other files' business.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A hardware profile. Every number has a unit in its name, a tag and a source.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// Name on the command line and in `device { profile … }`.
    pub(super) name: String,
    /// The profile that this one is based on, built in or another file: everything that is not said here is said there.
    #[serde(default)]
    #[allow(
        dead_code,
        reason = "both texts are one table before it is read; the schema has the key"
    )]
    pub(super) base: Option<String>,
    /// Further names of the profile.
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    /// What it is, in a line.
    pub(super) summary: String,
    /// The lowering that its runs take unless the command line or the scenario names one; none: the first that there is.
    #[serde(default)]
    pub(super) lowering: Option<String>,
    /// Caches. None: every access goes to memory.
    #[serde(default)]
    pub(super) cache: Vec<CacheRow>,
    /// For each access and client: the caches that it goes through, nearest first; memory comes after the last. Several
    /// paths: the machine takes the first, a lowering must think of all.
    pub(super) path: BTreeMap<String, Vec<Vec<String>>>,
    /// For each layout its compression class on direct, compute and copy queues: `CF` compressed with fast clears, `C`
    /// compressed, `S` static, `U` plain, `X` undefined, `-` not legal there.
    pub(super) layout: BTreeMap<String, [String; 3]>,
    /// Flags of which a texture needs one to be stored compressed, in whatever layout; none: `RENDER_TARGET`, `DEPTH_STENCIL`
    /// and `UNORDERED_ACCESS`.
    #[serde(default)]
    pub(super) compressed_flags: Vec<String>,
    /// The same for the metadata of compressed textures. A client without a row: the way of its texels.
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, Vec<Vec<String>>>,
    /// Ways that only reads may take, in addition to those of `[path]`.
    #[serde(default)]
    pub(super) read_alternative: Vec<ReadAlternativeRow>,
    /// Where the machine differs for some textures.
    #[serde(default)]
    pub(super) exception: Vec<ExceptionRow>,
    /// Operations between compression classes. Pairs without a row need no work.
    #[serde(default)]
    pub(super) layout_op: Vec<LayoutOpRow>,
    /// What a wait waits for beyond the stages that are named.
    #[serde(default)]
    pub(super) waiting: WaitingRow,
    /// Render passes, if the machine renders tile by tile.
    #[serde(default)]
    pub(super) tile_pass: Option<TilePassRow>,
    /// For each stage what waiting for it is called and costs.
    pub(super) drain: BTreeMap<String, DrainRow>,
    /// What the front end itself reads.
    pub(super) front_end: FrontEndRow,
    /// Costs and rates.
    pub(super) number: BTreeMap<String, NumberRow>,
    /// Where tables come from, by name (`path`), or one row of a table (`path.COPY_DEST`).
    #[serde(default)]
    pub(super) origin: BTreeMap<String, OriginRow>,
}

/// A cache.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of the cache by itself"
)]
pub(super) struct CacheRow {
    /// Name in paths and in `--set`.
    pub(super) id: String,
    /// `write-back`, `write-through` or `read-only`.
    pub(super) policy: String,
    /// Each client has one of its own; they are not coherent with each other.
    pub(super) private: bool,
    /// Next level; none: memory.
    pub(super) parent: Option<String>,
    /// The machine's name for writing it back; empty if it is never dirty.
    pub(super) clean: String,
    /// The machine's name for dropping it.
    pub(super) invalidate: String,
    /// Writing it back drops its lines as well.
    #[serde(default)]
    pub(super) clean_drops: bool,
    /// What a drop does to dirty lines: `writes dirty lines back` (the default) or `loses dirty lines`.
    #[serde(default)]
    pub(super) drop: Option<String>,
    /// Knows which bytes of a line are dirty.
    #[serde(default)]
    pub(super) byte_masks: bool,
    /// The cache with which it is dropped: an operation that drops that one drops this one too.
    #[serde(default)]
    pub(super) dropped_with: Option<String>,
    /// Holds nothing from one command to the next.
    #[serde(default)]
    pub(super) refreshed: bool,
    /// The cache in words.
    #[serde(default)]
    pub(super) note: String,
    /// How many there are.
    pub(super) instances: NumberRow,
    /// Bytes of one.
    pub(super) size_bytes: NumberRow,
    /// Bytes of a line.
    pub(super) line_bytes: NumberRow,
    /// Fixed part of a write-back.
    pub(super) clean_ns: NumberRow,
    /// Time of an invalidate.
    pub(super) invalidate_ns: NumberRow,
    /// Latency of a miss, to the next level.
    pub(super) fill_ns: NumberRow,
    /// Bandwidth to the next level.
    pub(super) bytes_per_s: NumberRow,
}

impl CacheRow {
    pub(super) fn numbers(&self) -> [(&'static str, &NumberRow); 7] {
        [
            ("instances", &self.instances),
            ("size_bytes", &self.size_bytes),
            ("line_bytes", &self.line_bytes),
            ("clean_ns", &self.clean_ns),
            ("invalidate_ns", &self.invalidate_ns),
            ("fill_ns", &self.fill_ns),
            ("bytes_per_s", &self.bytes_per_s),
        ]
    }
}

/// An operation between compression classes.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct LayoutOpRow {
    /// The machine's name for it.
    pub(super) name: String,
    /// Classes before.
    pub(super) from: Vec<String>,
    /// Classes after.
    pub(super) to: Vec<String>,
    /// `full`: reads and writes the surface; `metadata`: only the metadata; `caches`: no texture, but what an earlier alias
    /// may have left in some caches, which are written back and dropped.
    pub(super) touches: String,
    /// The caches, if it touches them.
    #[serde(default)]
    pub(super) caches: Vec<String>,
    /// Metadata after it: `pass-through` stays true whoever writes the texels (the default), `resolved` does not.
    #[serde(default)]
    pub(super) leaves: Option<String>,
    /// Formats that it is for: `depth` or `colour`; none: every one.
    #[serde(default)]
    pub(super) format: Option<String>,
    /// Queue types that can run it: direct, compute, copy.
    pub(super) queues: Vec<String>,
}

/// A way that only reads may take: it goes through a cache that cannot be written through.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ReadAlternativeRow {
    /// Accesses that may take it.
    pub(super) accesses: Vec<String>,
    /// Its caches, nearest first.
    pub(super) path: Vec<String>,
    /// Stages at which the machine's reads take it; at others, it is a choice of the compiler that a lowering must think of.
    pub(super) stages: Vec<String>,
}

/// The tag of what does not say where it comes from.
fn assumed() -> String {
    "assumed".to_owned()
}

/// Where the machine differs for some textures: those that meet every condition.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ExceptionRow {
    /// Name.
    pub(super) name: String,
    /// `measured`, `published`, `driver` or `assumed`.
    #[serde(default = "assumed")]
    pub(super) tag: String,
    /// Where it comes from; of `driver` with the version.
    pub(super) source: String,
    /// `depth`, `stencil` or `colour`; none: every format.
    #[serde(default)]
    pub(super) format: Option<String>,
    /// From so many samples on.
    #[serde(default)]
    pub(super) samples_from: u32,
    /// From this mip level on.
    #[serde(default)]
    pub(super) mips_from: u32,
    /// Rows in place of those of `[path]`.
    #[serde(default)]
    pub(super) path: BTreeMap<String, Vec<Vec<String>>>,
    /// Rows in place of those of `[metadata]`.
    #[serde(default)]
    pub(super) metadata: BTreeMap<String, Vec<Vec<String>>>,
    /// Rows in place of those of `[layout]`.
    #[serde(default)]
    pub(super) layout: BTreeMap<String, [String; 3]>,
}

/// Render passes: attachments stay in tile memory as long as there is nothing but dependencies by region between draws.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct TilePassRow {
    /// Stages between which a dependency is by region.
    pub(super) stages: Vec<String>,
    /// Accesses to attachments.
    pub(super) accesses: Vec<String>,
    /// The cache that stands for tile memory: written back, shared, directly before memory.
    pub(super) tile: String,
}

/// What a wait waits for beyond the stages that are named.
#[derive(Deserialize, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct WaitingRow {
    /// `stage`: nothing else; `front-end`: the front end too, which takes up nothing until the wait is over; `queue`:
    /// everything on the queue, and everything later is held.
    #[serde(default)]
    pub(super) granularity: Option<String>,
    /// A wait costs nothing if there was no work since the last one.
    #[serde(default)]
    pub(super) idle_is_free: bool,
    /// Going from one engine to another costs only its own time, not a wait as well.
    #[serde(default)]
    pub(super) switch_waits_free: bool,
    /// A thread group keeps its place in a multiprocessor until it ends; otherwise all work shares evenly.
    #[serde(default)]
    pub(super) groups_stay: bool,
    /// Caches that are dropped when a queue goes from one engine that runs shaders to another.
    #[serde(default)]
    pub(super) switch_drops: Vec<String>,
    /// Stages at which a queue's work is done one piece after the other, whatever waits.
    #[serde(default)]
    pub(super) in_order: Vec<String>,
    /// Stages of each engine of a queue: work of one engine never overlaps work of another there.
    #[serde(default)]
    pub(super) engines: Vec<Vec<String>>,
}

/// What waiting for a stage is.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct DrainRow {
    /// The machine's name for it.
    pub(super) op: String,
    /// Key of the number that it costs beyond the work.
    pub(super) cost: String,
    /// The end of a list pays only for the work, not for the wait.
    #[serde(default)]
    pub(super) free_at_end: bool,
    /// An event at the end of the pipe and a later wait: where waits stop the front end, this one does not.
    #[serde(default)]
    pub(super) event: bool,
}

/// What the front end itself reads.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct FrontEndRow {
    /// Accesses that it prefetches.
    pub(super) readers: Vec<String>,
    /// What makes it wait.
    pub(super) op: String,
    /// Caches whose operations make it wait as well.
    #[serde(default)]
    pub(super) stopped_by: Vec<String>,
}

/// A number with its origin.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct NumberRow {
    /// Value; the key's last word names the unit.
    pub(super) v: u64,
    /// `measured`, `published`, `driver` or `assumed`.
    pub(super) tag: String,
    /// Where it comes from; of `driver` with the version.
    pub(super) source: String,
}

/// Where a table, or a row of it, comes from.
#[derive(Deserialize, Clone)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct OriginRow {
    /// `measured`, `published`, `driver` or `assumed`.
    pub(super) tag: String,
    /// Where it comes from; of `driver` with the version.
    pub(super) source: String,
}
