//! Hardware profiles: an immutable machine as data.
//!
//! A profile says which caches there are, through which of them each access goes, how each layout is compressed, and
//! what things cost. It decides nothing: which operations a barrier needs follows from the paths and is `lower/`'s
//! business; the machine in `sim/` only moves lines along them. Every number has a tag and a source.

mod assumed;
mod parse;
mod routes;

pub use parse::Problem;
pub use routes::{CACHES_MAX, Exception, Routes, Surface, TilePass, Variant, VariantSet};

use crate::api::{BarrierAccess, Layout, Leaf, LeafSet, QueueType};
use crate::id::{CacheId, LayoutOpId, PathId};
use crate::time::Ps;
use indexmap::IndexMap;

/// How a cache treats writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Keeps dirty lines until they are cleaned or evicted.
    WriteBack,
    /// Passes writes on.
    WriteThrough,
    /// Never written through.
    ReadOnly,
}

/// A cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    /// Name.
    pub name: String,
    /// How it treats writes.
    pub policy: Policy,
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
    /// Holds nothing from one command to the next: a read never finds an old line there.
    pub refreshed: bool,
    /// Knows which bytes of a line are dirty. Otherwise a partial write makes the whole line dirty.
    pub byte_masks: bool,
    /// What it is.
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

/// How a layout stores texels on a queue.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum LayoutClass {
    /// `CF`: compressed, fast clears allowed.
    CompressedFastClear,
    /// `C`: compressed.
    Compressed,
    /// `S`: static; no layout ever needs work, and every client reads what every other wrote.
    Static,
    /// `U`: plain.
    Plain,
    /// `X`: undefined contents.
    Undefined,
    /// `-`: not legal on the queue type.
    Illegal,
}

/// Who accesses memory.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Client {
    /// An access on a queue that is no copy queue: exactly one bit.
    Access(BarrierAccess),
    /// The engine of a copy queue reads.
    CopyQueueRead,
    /// The engine of a copy queue writes.
    CopyQueueWrite,
    /// The CPU.
    Host,
    /// The display.
    Display,
    /// Atomic operations of shaders.
    Atomic,
    /// Layout operations.
    LayoutOperation,
}

impl Client {
    /// Number of clients: the bits of [`BarrierAccess::EVERY`] and the rest.
    const COUNT: usize = 23 + 6;

    /// Every client.
    pub fn all() -> impl Iterator<Item = Self> {
        BarrierAccess::EVERY.iter().map(Self::Access).chain([
            Self::CopyQueueRead,
            Self::CopyQueueWrite,
            Self::Host,
            Self::Display,
            Self::Atomic,
            Self::LayoutOperation,
        ])
    }

    /// The client of an access on a queue.
    pub fn of(access: BarrierAccess, queue: QueueType) -> Self {
        match (queue, access.writes()) {
            (QueueType::Copy, false) => Self::CopyQueueRead,
            (QueueType::Copy, true) => Self::CopyQueueWrite,
            _ => Self::Access(access),
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Access(access) => access.bits().trailing_zeros() as usize,
            Self::CopyQueueRead => 23,
            Self::CopyQueueWrite => 24,
            Self::Host => 25,
            Self::Display => 26,
            Self::Atomic => 27,
            Self::LayoutOperation => 28,
        }
    }

    /// The word of a profile file.
    pub fn word(self) -> String {
        match self {
            Self::Access(access) => access.to_string(),
            Self::CopyQueueRead => "COPY_QUEUE_READ".into(),
            Self::CopyQueueWrite => "COPY_QUEUE_WRITE".into(),
            Self::Host => "HOST".into(),
            Self::Display => "DISPLAY".into(),
            Self::Atomic => "ATOMIC".into(),
            Self::LayoutOperation => "LAYOUT_OPERATION".into(),
        }
    }

    /// Whether it can write.
    fn writes(self) -> bool {
        match self {
            Self::Access(access) => access.writes(),
            Self::CopyQueueRead | Self::Display => false,
            Self::CopyQueueWrite | Self::Host | Self::Atomic | Self::LayoutOperation => true,
        }
    }
}

/// An operation between compression classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutOp {
    /// Name.
    pub name: String,
    /// Classes before.
    pub from: Vec<LayoutClass>,
    /// Classes after.
    pub to: Vec<LayoutClass>,
    /// Touches no texture: these caches are written back and dropped, because lines of an earlier alias may be left there.
    pub caches: Vec<CacheId>,
    /// Touches metadata alone.
    pub metadata_only: bool,
    /// Leaves metadata that stays true whoever writes the texels (`pass-through`), not that of a copy (`resolved`).
    pub passes_through: bool,
    /// Formats with depth (`Some(true)`) or without (`Some(false)`) alone.
    pub depth: Option<bool>,
    /// Queue types that can run it; on another one the driver has it done elsewhere and waits.
    pub queues: Vec<QueueType>,
}

impl LayoutOp {
    /// Whether a queue's own engine runs it.
    pub fn runs_on(&self, queue: QueueType) -> bool {
        let queue = if queue == QueueType::Bundle {
            QueueType::Direct
        } else {
            queue
        };
        self.queues.contains(&queue)
    }
}

/// What waiting for a stage is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drain {
    /// The machine's name for it.
    pub op: String,
    /// Key of the number that it costs.
    pub key: String,
    /// What it costs beyond the work itself.
    pub cost: Ps,
    /// The end of a list waits for the work alone.
    pub free_at_end: bool,
}

/// How a fence's value gets from who signals to who waits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FenceWay {
    /// The operating system holds the waiting queue's work on the CPU.
    Monitored,
    /// An engine waits for a value in system memory.
    NativeSystem,
    /// An engine waits for a value in local memory.
    NativeLocal,
}

/// A number with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    /// Value; the key's last word names the unit.
    pub value: u64,
    /// `measured`, `published`, `assumed`, or `given` for one set on the command line.
    pub tag: String,
    /// Where it comes from.
    pub source: String,
}

macro_rules! costs {
    ($($(#[$doc:meta])* $field:ident : $kind:ident = $key:literal,)*) => {
        /// The profile's numbers that are no cache's, ready for use. Times are picoseconds, rates amounts a second.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Costs {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Costs {
            /// Keys that every profile must have.
            const KEYS: &[&str] = &[$($key),*];

            fn new(number: impl Fn(&str) -> u64) -> Self {
                Self { $($field: costs!(@ $kind, number($key)),)* }
            }
        }
    };
    (@ Ps, $value:expr) => { Ps($value.saturating_mul(1_000)) };
    (@ u64, $value:expr) => { $value };
}

costs! {
    /// Front end: a draw.
    launch_draw: Ps = "launch.draw_ns",
    /// Front end: a dispatch.
    launch_dispatch: Ps = "launch.dispatch_ns",
    /// Front end: a copy.
    launch_copy: Ps = "launch.copy_ns",
    /// Front end: other work.
    launch_other: Ps = "launch.other_ns",
    /// Front end: a barrier entry.
    launch_barrier: Ps = "launch.barrier_ns",
    /// From a stage's begin to the next stage's.
    stage: Ps = "latency.stage_ns",
    /// Shortest life of work that is no draw.
    shortest: Ps = "latency.dispatch_ns",
    /// Held work starts again.
    resume: Ps = "latency.resume_ns",
    /// The front end fetches arguments.
    fetch: Ps = "latency.fetch_ns",
    /// Vertices a second.
    vertices: u64 = "rate.vertices_per_s",
    /// Pixels a second.
    pixels: u64 = "rate.pixels_per_s",
    /// Threads a second.
    threads: u64 = "rate.threads_per_s",
    /// Rays a second.
    rays: u64 = "rate.rays_per_s",
    /// Pixels that the render back-ends take a second.
    rop_pixels: u64 = "rate.rop_pixels_per_s",
    /// Bytes copied a second.
    copy_bytes: u64 = "rate.copy_bytes_per_s",
    /// Bytes that the engine of a copy queue copies a second.
    copy_queue_bytes: u64 = "rate.copy_queue_bytes_per_s",
    /// Bytes of memory a second.
    dram_bytes: u64 = "rate.dram_bytes_per_s",
    /// Bytes of acceleration structures built a second.
    as_bytes: u64 = "rate.as_bytes_per_s",
    /// Bytes of video a second.
    video_bytes: u64 = "rate.video_bytes_per_s",
    /// The front end of a queue launches one thread group, in picoseconds.
    group_launch: u64 = "launch.group_ps",
    /// The same for each thread of a group, if that is more, in picoseconds.
    thread_launch: u64 = "launch.thread_ps",
    /// Begin and end of a thread group beyond its work.
    group_overhead: Ps = "group.overhead_ns",
    /// Multiprocessors (compute units).
    units: u64 = "shader.units",
    /// Threads that one of them holds at once.
    unit_threads: u64 = "shader.unit_threads",
    /// Thread groups that one of them holds at once.
    unit_groups: u64 = "shader.unit_groups",
    /// A wait for shaders.
    drain_shader: Ps = "fixed.drain_shader_ns",
    /// A wait for the end of the pipeline.
    eop_wait: Ps = "fixed.eop_wait_ns",
    /// A wait of the front end.
    front_end: Ps = "fixed.front_end_ns",
    /// Launch of a layout operation.
    layout_launch: Ps = "fixed.layout_launch_ns",
    /// A layout operation that the queue's own engine cannot run: handing it over and waiting for it.
    layout_elsewhere: Ps = "fixed.layout_elsewhere_ns",
    /// A queue goes from one engine to another.
    engine_switch: Ps = "fixed.engine_switch_ns",
    /// The same on a compute queue, if that is less.
    engine_switch_compute: Ps = "fixed.engine_switch_compute_ns",
    /// An ExecuteCommandLists call reaches a direct queue.
    submit: Ps = "submit.scope_ns",
    /// The same on a compute queue.
    submit_compute: Ps = "submit.compute_ns",
    /// The same on a copy or video queue.
    submit_copy: Ps = "submit.copy_ns",
    /// Each further command list of a call.
    submit_list: Ps = "submit.list_ns",
    /// A fence is set.
    signal: Ps = "submit.signal_ns",
    /// Work that the operating system held for a fence reaches the queue.
    wait: Ps = "submit.wait_ns",
    /// One call on the CPU.
    host_call: Ps = "host.call_ns",
    /// Packets of one queue that are in flight at once.
    in_flight: u64 = "limit.in_flight",
    /// Bytes of texels that a byte of metadata describes.
    metadata_covers: u64 = "metadata.covers_bytes",
    /// A shader's memory fence with group scope.
    group_fence: Ps = "shader.group_fence_ns",
    /// A shader's memory fence with device scope.
    device_fence: Ps = "shader.device_fence_ns",
    /// The threads of a thread group meet.
    group_meeting: Ps = "shader.group_barrier_ns",
    /// Bytes from which shaders copy between buffers, not the copy engine; [`NEVER`]: the profile tells them not apart.
    kernel_copy_min: u64 = "kernel.copy_min_bytes",
    /// Bytes from which shaders fill a buffer.
    kernel_fill_min: u64 = "kernel.fill_min_bytes",
    /// Bytes a second that shaders move through the last cache.
    kernel_bytes: u64 = "rate.kernel_bytes_per_s",
    /// The copy engine is set up for a fill.
    launch_fill: Ps = "launch.fill_ns",
    /// Bytes that the copy engine fills a second.
    engine_fill_bytes: u64 = "rate.engine_fill_bytes_per_s",
    /// Pixels that a clear without metadata covers a second.
    clear_pixels: u64 = "rate.clear_pixels_per_s",
    /// The first wait of a list on a direct queue, with nothing to wait for.
    first_wait: Ps = "fixed.first_wait_ns",
    /// The same if it is for colour output alone.
    first_wait_colour: Ps = "fixed.first_wait_colour_ns",
    /// The same on a compute queue.
    first_wait_compute: Ps = "fixed.first_wait_compute_ns",
    /// A depth buffer's metadata is made anew, because its contents are discarded.
    depth_discard: Ps = "fixed.depth_discard_ns",
    /// A split barrier beyond the waits of its halves.
    split: Ps = "fixed.split_ns",
    /// What a barrier to every access costs beyond one to what the front end reads: what the CPU could see as well.
    every_access: Ps = "fixed.every_access_ns",
    /// The same again while a direct queue is set up for graphics.
    every_access_graphics: Ps = "fixed.every_access_graphics_ns",
    /// Of so many places for thread groups in a multiprocessor one is not taken again while groups come and go; 0: all are.
    refill_gap: u64 = "shader.refill_gap",
}

/// Numbers that a profile has only if it knows the thing: nothing stands in for them.
const OPTIONAL_KEYS: [&str; 13] = [
    "fence.native_signal_ns",
    "fence.native_wait_ns",
    "fence.local_signal_ns",
    "fence.local_wait_ns",
    "fence.interrupt_ns",
    "fence.scheduling_ns",
    "fence.forward_ns",
    "handoff.two_direct_ns",
    "handoff.direct_ns",
    "handoff.direct_compute_ns",
    "handoff.compute_ns",
    "handoff.copy_ns",
    "fixed.front_end_idle_ns",
];

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What it is, in a line.
    pub summary: String,
    /// Caches; ids index them.
    pub caches: Vec<Cache>,
    /// Operations between compression classes; ids index them.
    pub layout_ops: Vec<LayoutOp>,
    /// Accesses by the front end, which prefetches.
    pub front_end_readers: BarrierAccess,
    /// What makes the front end wait.
    pub front_end_op: String,
    /// A barrier that waits for any stage waits for the whole queue, and holds the whole queue (reading R46).
    pub drains_queue: bool,
    /// A wait costs nothing beyond the work if there was no work since the last one.
    pub idle_drains_free: bool,
    /// Stages of each engine of a queue; work of one never overlaps work of another on the same queue. Empty if all
    /// stages are one engine.
    pub engines: Vec<LeafSet>,
    /// Going from one engine to another costs its own time alone, not a wait as well.
    pub switch_waits_free: bool,
    /// A thread group keeps its place in a multiprocessor until it ends; otherwise all work shares evenly.
    pub groups_stay: bool,
    /// Caches that are dropped when a queue goes from one engine that runs shaders to another.
    pub switch_drops: Vec<CacheId>,
    /// What things cost.
    pub costs: Costs,
    /// Render passes, if it renders tile by tile.
    pub tile_pass: Option<TilePass>,
    /// What it does otherwise for some textures.
    pub exceptions: Vec<Exception>,
    taken: Vec<routes::Taken>,
    paths: Vec<Vec<CacheId>>,
    /// For each set of exceptions, by `Variant`.
    tables: Vec<routes::Tables>,
    compresses: bool,
    drains: Vec<Drain>,
    numbers: IndexMap<String, Number>,
}

impl Profile {
    /// Reads a profile; a contradiction in it is named with its place.
    ///
    /// # Errors
    /// Every problem found, in the order of the text.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        parse::profile(text)
    }

    /// JSON Schema of a profile file, as a value: TOML and JSON have the same tables here.
    pub fn schema() -> serde_json::Value {
        parse::schema()
    }

    /// Replaces a number, as `--set KEY=VALUE` says: `fixed.eop_wait_ns=500`, `L2.line_bytes=64`.
    ///
    /// # Errors
    /// What is wrong with the key or value, and which keys are near.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let Ok(number) = value.replace('_', "").parse::<u64>() else {
            return Err(format!("`{value}` is not a whole number (for `{key}`)"));
        };
        if !self.numbers.contains_key(key) {
            return Err(format!(
                "the profile `{}` has no number `{key}`; near it are {}",
                self.name,
                self.near(key).join(", ")
            ));
        }
        if let Some(problem) = parse::unusable_value(key, number) {
            return Err(problem);
        }
        self.numbers[key] = Number {
            value: number,
            tag: "given".into(),
            source: "the command line".into(),
        };
        self.derive();
        Ok(())
    }

    /// Keys of the same family, or with the same last word; any six otherwise.
    fn near(&self, key: &str) -> Vec<&str> {
        let family = key.split('.').next().unwrap_or(key);
        let last = key.rsplit('.').next();
        let keys = || self.numbers.keys().map(String::as_str);
        let of_family = keys().filter(|k| k.split('.').next() == Some(family));
        let of_word = keys().filter(|k| k.rsplit('.').next() == last);
        let mut near: Vec<_> = of_family.chain(of_word).take(12).collect();
        if near.is_empty() {
            near = keys().take(6).collect();
        }
        near
    }

    /// Every number with its key.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, &Number)> {
        self.numbers
            .iter()
            .map(|(key, number)| (key.as_str(), number))
    }

    /// A number in nanoseconds as a time.
    pub fn nanoseconds(&self, key: &str) -> Option<Ps> {
        let number = self.numbers.get(key)?;
        Some(Ps(number.value.saturating_mul(1_000)))
    }

    /// How long a queue takes to signal a fence.
    pub fn signal_time(&self, way: FenceWay) -> Ps {
        match way {
            FenceWay::Monitored => self.costs.signal,
            FenceWay::NativeSystem => self
                .nanoseconds("fence.native_signal_ns")
                .unwrap_or(self.costs.signal),
            FenceWay::NativeLocal => self
                .nanoseconds("fence.local_signal_ns")
                .unwrap_or(self.costs.signal),
        }
    }

    /// How long after the signal a queue goes on that has waited for it: for a monitored fence interrupt, scheduling
    /// and submission; for a native one until the engine sees the value. `forwarded`: between two adapters, where the
    /// operating system carries the value over.
    pub fn wait_time(&self, way: FenceWay, forwarded: bool) -> Ps {
        let interrupt = self.nanoseconds("fence.interrupt_ns").unwrap_or_default();
        let own = match way {
            FenceWay::Monitored => {
                let scheduling = self.nanoseconds("fence.scheduling_ns").unwrap_or_default();
                interrupt + scheduling + self.costs.wait
            }
            FenceWay::NativeSystem => self
                .nanoseconds("fence.native_wait_ns")
                .unwrap_or(self.costs.wait),
            FenceWay::NativeLocal => self
                .nanoseconds("fence.local_wait_ns")
                .unwrap_or(self.costs.wait),
        };
        if !forwarded {
            return own;
        }
        let forward = self.nanoseconds("fence.forward_ns").unwrap_or_default();
        match way {
            // The interrupt is part of the way itself.
            FenceWay::Monitored => own + forward,
            FenceWay::NativeSystem | FenceWay::NativeLocal => interrupt + forward + own,
        }
    }

    /// From the end of a signalling queue's list to the begin of the waiting queue's, where the profile knows it: what was
    /// submitted waits on the GPU, and its submission is no part of it.
    pub fn handoff(&self, from: QueueType, to: QueueType, same_queue: bool) -> Option<Ps> {
        let kind = |queue| match queue {
            QueueType::Direct | QueueType::Bundle => 0,
            QueueType::Compute => 1,
            _ => 2,
        };
        let key = match (kind(from).min(kind(to)), kind(from).max(kind(to))) {
            (0, 0) if !same_queue => "handoff.two_direct_ns",
            (0, 0) => "handoff.direct_ns",
            (0, 1) => "handoff.direct_compute_ns",
            (1, 1) => "handoff.compute_ns",
            _ => "handoff.copy_ns",
        };
        self.nanoseconds(key)
    }

    /// What making the front end wait costs, with work or with nothing before it.
    pub fn front_end_cost(&self, idle: bool) -> Ps {
        if !idle {
            return self.costs.front_end;
        }
        self.nanoseconds("fixed.front_end_idle_ns")
            .unwrap_or(self.costs.front_end)
    }

    /// Threads that the machine holds at once.
    pub fn resident_threads(&self) -> u64 {
        self.costs.units.saturating_mul(self.costs.unit_threads)
    }

    /// Thread groups of so many threads that the machine holds at once.
    pub fn resident_groups(&self, threads: u64) -> u64 {
        let costs = &self.costs;
        let per_unit = (costs.unit_threads / threads.max(1)).min(costs.unit_groups);
        costs.units.saturating_mul(per_unit.max(1))
    }

    /// The same while groups take the places of others.
    pub fn refilled_groups(&self, threads: u64) -> u64 {
        let costs = &self.costs;
        let per_unit = (costs.unit_threads / threads.max(1))
            .min(costs.unit_groups)
            .max(1);
        let lost = per_unit.checked_div(costs.refill_gap).unwrap_or(0);
        costs
            .units
            .saturating_mul(per_unit - lost.min(per_unit - 1))
    }

    /// The engine that works at a stage.
    pub fn engine_of(&self, leaf: Leaf) -> Option<usize> {
        self.engines.iter().position(|engine| engine.has(leaf))
    }

    /// What an ExecuteCommandLists call costs until it reaches its queue.
    pub fn submit_cost(&self, queue: QueueType) -> Ps {
        match queue {
            QueueType::Direct | QueueType::Bundle => self.costs.submit,
            QueueType::Compute => self.costs.submit_compute,
            _ => self.costs.submit_copy,
        }
    }

    /// A cache by id.
    pub fn cache(&self, id: CacheId) -> &Cache {
        &self.caches[id.index()]
    }

    /// Ids of the caches.
    pub fn cache_ids(&self) -> impl Iterator<Item = CacheId> + use<> {
        (0..self.caches.len()).map(CacheId::new)
    }

    /// A cache by name.
    pub fn cache_named(&self, name: &str) -> Option<CacheId> {
        self.caches
            .iter()
            .position(|c| c.name == name)
            .map(CacheId::new)
    }

    /// Caches of a path, nearest first; memory is behind the last.
    pub fn path(&self, id: PathId) -> &[CacheId] {
        &self.paths[id.index()]
    }

    /// Paths that a client's reads of buffers and ordinary textures may take; the machine takes the first.
    pub fn read_paths(&self, client: Client) -> &[PathId] {
        self.texel_routes().read_paths(client)
    }

    /// Paths that such writes may take: those without a read-only cache. The machine takes the first.
    pub fn write_paths(&self, client: Client) -> impl Iterator<Item = PathId> + '_ {
        self.texel_routes().write_paths(client)
    }

    /// A layout operation by id.
    pub fn layout_op(&self, id: LayoutOpId) -> &LayoutOp {
        &self.layout_ops[id.index()]
    }

    /// The operation between two classes, if there is work for formats with depth or without.
    pub fn layout_op_between(
        &self,
        from: LayoutClass,
        to: LayoutClass,
        depth: bool,
    ) -> Option<LayoutOpId> {
        let at = self.layout_ops.iter().position(|op| {
            let format = op.depth.is_none_or(|d| d == depth);
            format && op.from.contains(&from) && op.to.contains(&to)
        });
        at.map(LayoutOpId::new)
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

    /// How a layout stores texels on a queue type. Video queues and unknown layouts are plain.
    pub fn layout_class(&self, layout: Layout, queue: QueueType, variant: Variant) -> LayoutClass {
        let column = match queue {
            QueueType::Direct | QueueType::Bundle => 0,
            QueueType::Compute => 1,
            QueueType::Copy => 2,
            QueueType::VideoDecode | QueueType::VideoProcess | QueueType::VideoEncode => {
                return if layout == Layout::Undefined {
                    LayoutClass::Undefined
                } else {
                    LayoutClass::Plain
                };
            }
        };
        let layouts = &self.tables[usize::from(variant.0)].layouts;
        layout_index(layout).map_or(LayoutClass::Plain, |at| layouts[at][column])
    }

    /// How a layout stores texels, seen from a queue: a layout of another queue type has that type's class.
    pub fn layout_class_anywhere(
        &self,
        layout: Layout,
        queue: QueueType,
        variant: Variant,
    ) -> LayoutClass {
        let types = [
            queue,
            QueueType::Direct,
            QueueType::Compute,
            QueueType::Copy,
        ];
        let mut classes = types.iter().map(|q| self.layout_class(layout, *q, variant));
        classes
            .find(|class| *class != LayoutClass::Illegal)
            .unwrap_or(LayoutClass::Plain)
    }

    /// Recomputes what follows from numbers.
    fn derive(&mut self) {
        for cache in &mut self.caches {
            let number = |what: &str| self.numbers[&format!("{}.{what}", cache.name)].value;
            cache.line_bytes = number("line_bytes");
            cache.capacity_bytes = number("size_bytes").saturating_mul(number("instances"));
            cache.clean = Ps(number("clean_ns").saturating_mul(1_000));
            cache.invalidate = Ps(number("invalidate_ns").saturating_mul(1_000));
            cache.fill = Ps(number("fill_ns").saturating_mul(1_000));
            cache.bytes_per_s = number("bytes_per_s");
        }
        for drain in &mut self.drains {
            drain.cost = Ps(self.numbers[&drain.key].value.saturating_mul(1_000));
        }
        self.costs = Costs::new(|key| self.numbers[key].value);
    }
}

/// A number of bytes that nothing has.
pub const NEVER: u64 = 1 << 50;

/// Number of layouts that a profile has a row for.
const LAYOUTS: usize = 33;

/// Place of a layout in a profile's table: `UNDEFINED`, then the header's values.
fn layout_index(layout: Layout) -> Option<usize> {
    match layout {
        Layout::Undefined => Some(0),
        other => usize::try_from(other.value())
            .ok()
            .map(|v| v + 1)
            .filter(|at| *at < LAYOUTS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_have_places_of_their_own() {
        let mut places: Vec<_> = Client::all().map(Client::index).collect();
        places.sort_unstable();
        assert_eq!(places, (0..Client::COUNT).collect::<Vec<_>>());
    }
}
