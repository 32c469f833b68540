//! Hardware profiles: an immutable machine as data.
//!
//! A profile says which caches there are, through which of them each access goes, how each layout is compressed, and
//! what things cost. It decides nothing: which operations a barrier needs follows from the paths and is `lower/`'s
//! business; the machine in `sim/` only moves lines along them. Every number has a tag and a source.

mod assumed;
mod clients;
mod costs;
mod layouts;
mod numbers;
mod parse;
mod queues;
mod routes;

pub use clients::Client;
pub use costs::{Costs, NEVER};
pub use layouts::{LayoutClass, LayoutOp};
pub use numbers::{Number, Origin};
pub use parse::Problem;
pub use queues::FenceWay;
pub use routes::{CACHES_MAX, Exception, Routes, Surface, TilePass, Variant, VariantSet};

use crate::api::{BarrierAccess, Leaf, LeafSet, ResourceFlags};
use crate::id::{CacheId, LayoutOpId, PathId, Table};
use crate::schema::Schema;
use crate::time::Ps;
use indexmap::IndexMap;
use std::cmp::Reverse;

/// How a cache treats writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum WritePolicy {
    /// Keeps dirty lines until they are cleaned or evicted.
    WriteBack,
    /// Passes writes on.
    WriteThrough,
    /// Never written through.
    ReadOnly,
}

impl WritePolicy {
    /// The word of a profile file.
    pub fn word(self) -> &'static str {
        match self {
            Self::WriteBack => "write-back",
            Self::WriteThrough => "write-through",
            Self::ReadOnly => "read-only",
        }
    }
}

/// A cache.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of the cache by itself"
)]
#[non_exhaustive]
pub struct Cache {
    /// Name.
    pub name: String,
    /// How it treats writes.
    pub policy: WritePolicy,
    /// Whether each client has one of its own; they are not coherent with each other.
    pub private: bool,
    /// Next level; `None` is memory.
    pub parent: Option<CacheId>,
    /// The machine's name for writing it back; empty if it holds nothing dirty.
    pub clean_op: String,
    /// The machine's name for dropping it.
    pub invalidate_op: String,
    /// Writing it back drops its lines as well.
    pub clean_drops: bool,
    /// Dropping it loses dirty lines; otherwise they are written back first.
    pub drop_loses: bool,
    /// Caches that are dropped with it.
    pub drops_along: Vec<CacheId>,
    /// Holds nothing from one command to the next: a read never finds an old line there.
    pub refreshed: bool,
    /// Knows which bytes of a line are dirty. Otherwise a partial write makes the whole line dirty.
    pub byte_masks: bool,
    /// The cache in words.
    pub note: String,
    /// Bytes of all instances together.
    pub capacity_bytes: u64,
    /// Bytes of a line.
    pub line_bytes: u64,
    /// Fixed part of a write-back.
    pub clean: Ps,
    /// Time of an invalidate.
    pub invalidate: Ps,
    /// Latency of a miss.
    pub fill: Ps,
    /// Bandwidth to the parent.
    pub bytes_per_s: u64,
}

/// What a barrier waits for, and keeps, beyond what it says.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Granularity {
    /// Nothing.
    #[default]
    Stage,
    /// Its wait keeps the front end from taking up anything until that is over (reading R77); where it waits for a stage whose
    /// drain is an event, the front end goes on.
    FrontEnd,
    /// It waits for the whole queue, and holds the whole queue (reading R46).
    Queue,
}

/// What waiting for a stage is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Drain {
    /// The machine's name for it.
    pub op: String,
    /// Key of the number that it costs.
    pub key: String,
    /// What it costs beyond the work itself.
    pub cost: Ps,
    /// The end of a list pays only for the work, not for the wait.
    pub free_at_end: bool,
    /// An event at the end of the pipe with a later wait: it ends after all earlier work, and the front end goes on.
    pub event: bool,
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a property of the machine by itself"
)]
#[non_exhaustive]
pub struct Profile {
    /// Name.
    pub name: String,
    /// Further names of the profile.
    pub aliases: Vec<String>,
    /// What it is, in a line.
    pub summary: String,
    /// Name of the lowering that its runs take if nobody names another one: the one that its numbers were fitted with.
    pub lowering: Option<String>,
    /// Caches; ids index them.
    pub caches: Table<CacheId, Cache>,
    /// Operations between compression classes; ids index them.
    pub layout_ops: Table<LayoutOpId, LayoutOp>,
    /// Accesses by the front end, which prefetches.
    pub front_end_readers: BarrierAccess,
    /// What makes the front end wait.
    pub front_end_op: String,
    /// Caches whose operations make it wait as well.
    pub front_end_stopped_by: Vec<CacheId>,
    /// What a barrier's wait is for, and what it keeps.
    pub granularity: Granularity,
    /// A wait costs nothing beyond the work if there was no work since the last one.
    pub idle_drains_free: bool,
    /// Stages of each engine of a queue; work of one never overlaps work of another on the same queue. Empty if all
    /// stages are one engine.
    pub engines: Vec<LeafSet>,
    /// Stages at which a queue's work is done one piece after the other, whatever waits.
    pub in_order: LeafSet,
    /// Going from one engine to another costs only its own time, not a wait as well.
    pub switch_waits_free: bool,
    /// A thread group keeps its place in a multiprocessor until it ends; otherwise all work shares evenly.
    pub groups_stay: bool,
    /// Caches that are dropped when a queue goes from one engine that runs shaders to another.
    pub switch_drops: Vec<CacheId>,
    /// What operations cost.
    pub costs: Costs,
    /// Render passes, if it renders tile by tile.
    pub tile_pass: Option<TilePass>,
    /// Where it differs for some textures.
    pub exceptions: Vec<Exception>,
    taken: Vec<routes::Taken>,
    paths: Table<PathId, Vec<CacheId>>,
    /// For each set of exceptions, by `Variant`.
    tables: Vec<routes::Tables>,
    /// None if no layout is compressed.
    compressed_flags: ResourceFlags,
    drains: Vec<Drain>,
    numbers: IndexMap<String, Number>,
    /// Where tables come from, by table or row.
    origins: Vec<(String, Origin)>,
}

impl Profile {
    /// Reads a profile; a contradiction in it is named with its place.
    ///
    /// # Errors
    /// Every problem found, in the order of the text.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        Self::parse_on(&[text])
    }

    /// Reads a profile that is based on others: its text, then the text that its `base` names, and so on.
    ///
    /// # Errors
    /// Every problem found; the place of each names its text.
    pub fn parse_on(texts: &[&str]) -> Result<Self, Vec<Problem>> {
        let last = texts.last().copied().unwrap_or_default();
        if let Some((base, start)) = parse::base(last) {
            return Err(vec![Problem {
                text: texts.len().saturating_sub(1),
                start: Some(start),
                message: format!("base: the text of `{base}` is missing"),
            }]);
        }
        parse::profile(texts)
    }

    /// Where a profile's own text names caches: first byte, name, and whether the cache is declared there. `texts` are those of
    /// [`Self::parse_on`]. The byte of a name in a list may be that of the list.
    pub fn names(texts: &[&str]) -> Vec<(usize, String, bool)> {
        parse::names(texts)
    }

    /// What the text of a profile says that it is based on, and where it says so.
    pub fn base(text: &str) -> Option<(String, usize)> {
        parse::base(text)
    }

    /// What describes a profile file: TOML and JSON have the same tables here.
    pub const SCHEMA: Schema = parse::SCHEMA;

    /// A cache by id.
    pub fn cache(&self, id: CacheId) -> &Cache {
        &self.caches[id]
    }

    /// A cache, and those that are dropped with it.
    pub fn dropped_by(&self, id: CacheId) -> impl Iterator<Item = CacheId> + '_ {
        std::iter::once(id).chain(self.cache(id).drops_along.iter().copied())
    }

    /// Ids of the caches.
    pub fn cache_ids(&self) -> impl Iterator<Item = CacheId> + use<> {
        self.caches.ids()
    }

    /// What is written back before some caches are dropped, so that nothing is lost: those that lose dirty lines, and those
    /// whose lines would go into one of them. In the order in which they are written back.
    pub fn kept_before_drop(&self, caches: &[CacheId]) -> Vec<CacheId> {
        let mut losing = caches.iter().filter(|id| self.cache(**id).drop_loses);
        let is_kept = |id: &CacheId| {
            let cache = self.cache(*id);
            let goes_into =
                |other: &CacheId| self.cache(*other).drop_loses && self.is_below(*id, *other);
            cache.drop_loses
                || cache.policy == WritePolicy::WriteBack && caches.iter().any(goes_into)
        };
        if losing.next().is_none() {
            return Vec::new();
        }
        let mut kept: Vec<CacheId> = caches.iter().copied().filter(is_kept).collect();
        kept.sort_by_key(|id| self.turn(*id));
        kept
    }

    /// Whether what a cache writes back goes into another one, at once or by way of others.
    pub fn is_below(&self, cache: CacheId, other: CacheId) -> bool {
        let parent = |id: &CacheId| self.cache(*id).parent;
        std::iter::successors(parent(&cache), parent).any(|above| above == other)
    }

    /// When a cache is written back among others, as a key to sort by: before those that its lines go into, since what a
    /// cache gets after its own turn stays there.
    pub fn turn(&self, cache: CacheId) -> Reverse<usize> {
        let parent = |id: &CacheId| self.cache(*id).parent;
        Reverse(std::iter::successors(parent(&cache), parent).count())
    }

    /// Ids of all caches, each before those that its lines are written back into.
    pub fn caches_upwards(&self) -> Vec<CacheId> {
        let mut caches: Vec<CacheId> = self.cache_ids().collect();
        caches.sort_by_key(|id| self.turn(*id));
        caches
    }

    /// A cache by name.
    pub fn cache_named(&self, name: &str) -> Option<CacheId> {
        self.caches.find(|c| c.name == name)
    }

    /// Caches of a path, nearest first; memory comes after the last.
    pub fn path(&self, id: PathId) -> &[CacheId] {
        &self.paths[id]
    }

    /// Paths that a client's reads of buffers and ordinary textures may take; the machine takes the first.
    pub fn read_paths(&self, client: Client) -> &[PathId] {
        self.texel_routes().read_paths(client)
    }

    /// Paths that such writes may take: those without a read-only cache. The machine takes the first.
    pub fn write_paths(&self, client: Client) -> impl Iterator<Item = PathId> + '_ {
        self.texel_routes().write_paths(client)
    }

    /// Whether a wait is for the whole queue.
    pub fn drains_queue(&self) -> bool {
        self.granularity == Granularity::Queue
    }

    /// Whether a wait for some stages keeps the front end from taking up anything later until it is over. An event subsumes
    /// the waits that would.
    pub fn wait_stops_front_end(&self, wait: LeafSet) -> bool {
        self.granularity == Granularity::FrontEnd
            && !wait.is_empty()
            && !wait.iter().any(|leaf| self.drain(leaf).event)
    }

    /// What waiting for a stage is.
    pub fn drain(&self, leaf: Leaf) -> &Drain {
        &self.drains[leaf.index()]
    }

    /// What waiting for stages costs beyond the work: the dearest of them.
    pub fn drain_cost(&self, leaves: LeafSet) -> Ps {
        leaves
            .iter()
            .map(|leaf| self.drain(leaf).cost)
            .max()
            .unwrap_or(Ps::ZERO)
    }

    /// What making the front end wait costs, with work or with nothing before it.
    pub fn front_end_cost(&self, idle: bool) -> Ps {
        if !idle {
            return self.costs.front_end;
        }
        self.nanoseconds("fixed.front_end_idle_ns")
            .unwrap_or(self.costs.front_end)
    }

    /// The engine that works at a stage.
    pub fn engine_of(&self, leaf: Leaf) -> Option<usize> {
        self.engines.iter().position(|engine| engine.has(leaf))
    }

    /// Threads that the machine holds at once.
    pub fn resident_threads(&self) -> u64 {
        self.costs.units.saturating_mul(self.costs.unit_threads)
    }

    /// Number of thread groups of `threads` threads and `shared` bytes of groupshared memory that the machine holds at once.
    pub fn resident_groups(&self, threads: u64, shared: u64) -> u64 {
        self.groups_of_units(threads, shared, 0)
    }

    /// Number of such groups that the machine holds while new ones take over the places of ended ones: of every `refill_gap`
    /// places of a unit one is empty then.
    pub fn refilled_groups(&self, threads: u64, shared: u64) -> u64 {
        let fit = self.costs.unit_threads / threads.max(1);
        let lost = fit.checked_div(self.costs.refill_gap).unwrap_or(0);
        self.groups_of_units(threads, shared, lost)
    }

    /// Number of groups that all units hold. A unit holds as many as its threads allow, less `lost`, and not more than its
    /// groupshared memory and its number of groups allow; but at least one.
    fn groups_of_units(&self, threads: u64, shared: u64, lost: u64) -> u64 {
        let costs = &self.costs;
        let by_threads = (costs.unit_threads / threads.max(1)).saturating_sub(lost);
        let by_shared = costs.unit_shared.checked_div(shared).unwrap_or(u64::MAX);
        let each = by_threads.min(by_shared).min(costs.unit_groups).max(1);
        costs.units.saturating_mul(each)
    }
}
