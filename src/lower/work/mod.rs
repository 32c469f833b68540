//! What a command costs: its stages, pools and times, from the profile's rates.
//!
//! A draw is `[index input →] vertex shading → depth → pixel shading → render target`, one stage latency apart. A declared
//! duration (`takes`) is that of the whole command on an idle machine: a quarter of it at most goes to latencies. Depth and
//! render target work only where the draw has a use there; vertices and pixels are always shaded.
//! Other work is one stage. It lasts at least as long as the shortest dispatch, and fills the shader cores by as much as
//! its threads do; so small dispatches run next to each other.

mod dispatches;
mod draws;
mod transfers;

use crate::api::{BarrierAccess, Leaf, LeafSet, QueueType};
use crate::hardware::{NEVER, Profile};
use crate::program::{Groups, Pool, Task};
use crate::scenario::{
    Command, CommandKind, DispatchOptions, DrawOptions, Scenario, Use, geometry,
};
use crate::time::Ps;
use smallvec::SmallVec;

/// How much a command does, as far as its uses say.
#[derive(Copy, Clone, Default, Debug)]
pub(super) struct Size {
    /// Bytes that it reads and writes.
    pub(super) read_bytes: u64,
    pub(super) written_bytes: u64,
    /// Pixels of its render target or depth buffer.
    pub(super) pixels: u64,
    /// Its target may hold clear values in metadata.
    pub(super) fast_clear: bool,
    /// It fetches indices.
    pub(super) indexed: bool,
    /// It uses a texture.
    pub(super) texture: bool,
    /// Stages that it has uses at.
    pub(super) used_at: LeafSet,
    /// The stage at which a `discard` runs.
    pub(super) discards_at: Option<Leaf>,
}

impl Size {
    /// Adds a use of so many bytes.
    pub(super) fn add(&mut self, scenario: &Scenario, usage: &Use, bytes: u64) {
        if usage.reads() {
            self.read_bytes += bytes;
        }
        if usage.writes() {
            self.written_bytes += bytes;
        }
        self.used_at = self.used_at.union(usage.stages);
        self.indexed |= usage.stages.has(Leaf::IndexInput);
        self.texture |= !scenario.resource(usage.resource).is_buffer();
        let target = BarrierAccess::RENDER_TARGET
            | BarrierAccess::DEPTH_STENCIL_WRITE
            | BarrierAccess::DEPTH_STENCIL_READ;
        if usage.access.intersects(target)
            && let Some(shape) = scenario.resource(usage.resource).texture()
            && let Ok(sub) = geometry::subresource_box(shape, &usage.range)
        {
            let width = geometry::mip_extent(shape.width, sub.mips.0);
            let height = geometry::mip_extent(shape.height, sub.mips.0);
            self.pixels = self.pixels.max(u64::from(width) * u64::from(height));
        }
    }
}

/// Stages of one command, front of the pipeline first.
type Tasks = SmallVec<[Task; 5]>;

/// What a command is to the machine.
pub(super) struct Stages {
    /// Time that the front end needs to launch the command.
    pub(super) launch: Ps,
    pub(super) tasks: Tasks,
    /// The thread groups of its stage that has them.
    pub(super) groups: Option<Groups>,
}

impl Stages {
    fn new(launch: Ps, tasks: impl IntoIterator<Item = Task>) -> Self {
        Self {
            launch,
            tasks: tasks.into_iter().collect(),
            groups: None,
        }
    }
}

/// Launch time and stages of a command.
pub(super) fn stages(
    profile: &Profile,
    command: &Command,
    size: &Size,
    queue: QueueType,
) -> Stages {
    let costs = &profile.costs;
    match &command.kind {
        CommandKind::Draw {
            indexed, options, ..
        } => {
            let is_indexed = *indexed || size.indexed;
            draw(profile, size, is_indexed, options.as_deref())
        }
        CommandKind::Dispatch {
            groups, options, ..
        } => {
            let options = DispatchOptions::of(options.as_deref());
            let grid = dispatches::Grid {
                groups: dispatches::group_count(groups),
                threads: options.threads.unwrap_or(64),
                shared: options.shared.unwrap_or(0),
            };
            let kernel = options.kernel.as_deref();
            dispatches::stages(profile, grid, options.takes, kernel, size)
        }
        CommandKind::DispatchRays {
            size: [width, height],
            ..
        } => {
            let rays = u64::from(*width) * u64::from(*height);
            Stages::new(costs.launch_dispatch, [dispatches::rays(profile, rays)])
        }
        CommandKind::ExecuteIndirect { target, .. } => dispatches::indirect(profile, *target, size),
        CommandKind::Predicate => Stages::new(costs.launch_other, [fetch(profile)]),
        CommandKind::Copy => transfers::copy(profile, size, queue),
        CommandKind::Resolve => {
            let task = transfers::moved(profile, Leaf::Resolve, size.read_bytes, costs.dram_bytes);
            Stages::new(costs.launch_copy, [task])
        }
        CommandKind::ClearRtv => transfers::clear(profile, Leaf::RenderTarget, size),
        CommandKind::ClearDsv => transfers::clear(profile, Leaf::DepthStencil, size),
        CommandKind::ClearUav => transfers::fill(profile, size, queue),
        CommandKind::Discard => {
            let leaf = size.discards_at.unwrap_or(Leaf::ComputeShading);
            let bytes = size.written_bytes.div_ceil(costs.metadata_covers);
            let task = transfers::moved(profile, leaf, bytes, costs.dram_bytes);
            Stages::new(costs.launch_other, [task])
        }
        CommandKind::BuildAs { .. } | CommandKind::CopyAs | CommandKind::EmitAs => {
            acceleration_structure(profile, &command.kind, size)
        }
        CommandKind::Video { engine, .. } => video(profile, *engine, size),
        CommandKind::SetRoot { .. }
        | CommandKind::MarkerBegin { .. }
        | CommandKind::MarkerEnd
        | CommandKind::ExecuteBundle { .. }
        | CommandKind::Barrier(_)
        | CommandKind::Legacy(_)
        | CommandKind::FenceBarrier { .. }
        | CommandKind::AssertAccess { .. }
        | CommandKind::AssertLayout { .. } => Stages::new(Ps::ZERO, None),
    }
}

fn draw(profile: &Profile, size: &Size, indexed: bool, options: Option<&DrawOptions>) -> Stages {
    let options = DrawOptions::of(options);
    let amount = draws::Amount {
        indexed,
        vertices: options.vertices.unwrap_or(3),
        pixels: options.pixels.unwrap_or(size.pixels),
        used_at: size.used_at,
    };
    draws::stages(profile, &amount, options.takes)
}

fn acceleration_structure(profile: &Profile, kind: &CommandKind, size: &Size) -> Stages {
    let costs = &profile.costs;
    match kind {
        CommandKind::CopyAs => {
            let task = transfers::moved(profile, Leaf::CopyAs, size.read_bytes, costs.copy_bytes);
            Stages::new(costs.launch_copy, [task])
        }
        CommandKind::EmitAs => {
            let task = transfers::moved(profile, Leaf::EmitAs, 0, costs.copy_bytes);
            Stages::new(costs.launch_other, [task])
        }
        _ => {
            let cost = Ps::for_amount(size.written_bytes, costs.as_bytes).max(costs.shortest);
            let task = Task {
                cost,
                ..stage(Leaf::BuildAs, Pool::Shader)
            };
            Stages::new(costs.launch_dispatch, [task])
        }
    }
}

fn video(profile: &Profile, engine: QueueType, size: &Size) -> Stages {
    let costs = &profile.costs;
    let leaf = match engine {
        QueueType::VideoProcess => Leaf::VideoProcess,
        QueueType::VideoEncode => Leaf::VideoEncode,
        _ => Leaf::VideoDecode,
    };
    let bytes = size.read_bytes + size.written_bytes;
    let cost = Ps::for_amount(bytes, costs.video_bytes).max(costs.shortest);
    let task = Task {
        cost,
        ..stage(leaf, Pool::Video)
    };
    Stages::new(costs.launch_other, [task])
}

/// The front end fetches arguments.
fn fetch(profile: &Profile) -> Task {
    Task {
        cost: profile.costs.fetch,
        ..stage(Leaf::ExecuteIndirect, Pool::Fixed)
    }
}

/// A stage that costs nothing and can fill its pool.
fn stage(leaf: Leaf, pool: Pool) -> Task {
    Task {
        leaf,
        pool,
        weight: Pool::FULL,
        cost: Ps::ZERO,
        latency: Ps::ZERO,
        price: leaf,
        streams: false,
        has_groups: false,
        passes: false,
    }
}

/// How much of the shader cores so many threads fill, at least 1/1024.
fn fill(profile: &Profile, threads: u64) -> u16 {
    let full = u64::from(Pool::FULL);
    let share =
        threads.min(profile.resident_threads()).saturating_mul(full) / profile.resident_threads();
    weight_of(share)
}

/// A share of a pool, of [`Pool::FULL`]; at least 1.
fn weight_of(share: u64) -> u16 {
    u16::try_from(share.clamp(1, Pool::FULL.into())).expect("a share is at most full")
}

/// How long a command keeps the front end after it has been issued: a dispatch until its last group is launched, a
/// transfer by the copy engine until it ends, because the engine does one after the other. Where groups keep their places,
/// launching them is no work of the front end's; only the first dispatch since a wait keeps it.
pub(super) fn front_end_busy(
    profile: &Profile,
    command: &Command,
    tasks: &[Task],
    is_first: bool,
) -> Ps {
    match &command.kind {
        CommandKind::Dispatch { .. } if tasks.iter().any(|task| task.has_groups) => {
            if is_first {
                profile.costs.restart
            } else {
                Ps::ZERO
            }
        }
        CommandKind::Dispatch {
            groups, options, ..
        } => {
            let groups = dispatches::group_count(groups);
            let threads = DispatchOptions::of(options.as_deref()).threads;
            dispatches::tail(profile, groups, threads.unwrap_or(64))
        }
        CommandKind::Copy | CommandKind::ClearUav if profile.costs.kernel_copy_min < NEVER => {
            let engine = tasks.iter().filter(|task| task.price == Leaf::Copy);
            engine.map(|task| task.cost).max().unwrap_or_default()
        }
        _ => Ps::ZERO,
    }
}
