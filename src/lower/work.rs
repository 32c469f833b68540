//! What a command costs: its stages, pools and times, from the profile's rates.
//!
//! A draw is `[index input →] vertex shading → depth → pixel shading → render target`, one stage latency apart. A declared
//! duration (`takes`) is that of the whole command on an idle machine: a quarter of it at most goes to latencies.
//! Other work is one stage. It lasts at least as long as the shortest dispatch, and fills the shader cores by as much as
//! its threads do; so small dispatches run beside each other.

use crate::api::{BarrierAccess, Leaf, QueueType};
use crate::hardware::{NEVER, Profile};
use crate::program::{Groups, Pool, Task};
use crate::scenario::{
    Command, CommandKind, FenceCounts, IndirectTarget, KernelUse, Scenario, Takes, Use, geometry,
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
    /// Its launch time.
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

    fn none() -> Self {
        Self::new(Ps::ZERO, None)
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
            indexed,
            vertices,
            pixels,
            takes,
            ..
        } => {
            let vertices = vertices.unwrap_or(3);
            let pixels = pixels.unwrap_or(size.pixels);
            let indexed = *indexed || size.indexed;
            Stages {
                launch: costs.launch_draw,
                tasks: draw(profile, indexed, vertices, pixels, *takes),
                groups: None,
            }
        }
        CommandKind::Dispatch {
            groups,
            threads,
            takes,
            kernel,
            ..
        } => {
            let groups = group_count(groups);
            let threads = threads.unwrap_or(64);
            let fences = fences(profile, kernel.as_deref());
            let takes_fenced = lengthened(*takes, fences);
            let staying = staying(profile, groups, threads, takes_fenced);
            let mut task = Task {
                has_groups: staying.is_some(),
                ..dispatch(profile, groups, threads, takes_fenced)
            };
            let bytes = size.read_bytes.saturating_add(size.written_bytes);
            if takes.is_none() && kernel_time(profile, bytes) > task.cost {
                // Its bytes take longer than its threads.
                task = by_shaders(
                    profile,
                    Leaf::ComputeShading,
                    bytes,
                    through(profile, bytes),
                );
            }
            if takes.is_none() {
                let waves = groups.div_ceil(profile.resident_groups(threads));
                task.cost += Ps(fences.0.saturating_mul(waves));
            }
            Stages {
                groups: staying,
                ..Stages::new(costs.launch_dispatch, [task])
            }
        }
        CommandKind::DispatchRays {
            size: [width, height],
            ..
        } => Stages::new(
            costs.launch_dispatch,
            [rays(profile, u64::from(*width) * u64::from(*height))],
        ),
        CommandKind::ExecuteIndirect { target, .. } => {
            let fetch = Task {
                cost: costs.fetch,
                ..stage(Leaf::ExecuteIndirect, Pool::Fixed)
            };
            let mut stages = Stages::new(costs.launch_dispatch, [fetch]);
            let tasks = &mut stages.tasks;
            // How much there is to do stands in a buffer: one screen of pixels, one group, or none is as good a guess as
            // any; `takes` cannot be written here.
            match target {
                IndirectTarget::Draw => {
                    tasks.extend(draw(profile, size.indexed, 3, size.pixels, None))
                }
                IndirectTarget::Dispatch => tasks.push(dispatch(profile, 1, 64, None)),
                IndirectTarget::Rays => tasks.push(rays(profile, 1)),
            }
            // The work begins when its arguments have been fetched.
            tasks[1].latency = costs.fetch;
            stages
        }
        CommandKind::Predicate => {
            let fetch = Task {
                cost: costs.fetch,
                ..stage(Leaf::ExecuteIndirect, Pool::Fixed)
            };
            Stages::new(costs.launch_other, [fetch])
        }
        CommandKind::Copy => {
            let bytes = size.written_bytes.max(size.read_bytes);
            match mover(profile, costs.kernel_copy_min, bytes, size, queue) {
                Mover::Kernel => {
                    let task = by_shaders(profile, Leaf::Copy, bytes, costs.copy_bytes);
                    Stages::new(costs.launch_dispatch, [task])
                }
                Mover::Engine => {
                    let task = engine(profile, Leaf::Copy, bytes, costs.copy_queue_bytes);
                    Stages::new(costs.launch_dispatch, [task])
                }
                Mover::Either => {
                    let copy_rate = if queue == QueueType::Copy {
                        costs.copy_queue_bytes
                    } else {
                        costs.copy_bytes
                    };
                    let task = moved(profile, Leaf::Copy, bytes, copy_rate);
                    Stages::new(costs.launch_copy, [task])
                }
            }
        }
        CommandKind::Resolve => Stages::new(
            costs.launch_copy,
            [moved(
                profile,
                Leaf::Resolve,
                size.read_bytes,
                costs.dram_bytes,
            )],
        ),
        CommandKind::ClearRtv | CommandKind::ClearDsv => {
            let leaf = if matches!(command.kind, CommandKind::ClearRtv) {
                Leaf::RenderTarget
            } else {
                Leaf::DepthStencil
            };
            // A fast clear writes metadata alone.
            let bytes = if size.fast_clear {
                size.written_bytes.div_ceil(costs.metadata_covers)
            } else {
                size.written_bytes
            };
            let mut task = moved(profile, leaf, bytes, costs.dram_bytes);
            let drawn = Ps::for_amount(size.pixels, costs.clear_pixels);
            if !size.fast_clear && drawn > task.cost {
                // It is drawn like any other pixels.
                task = Task {
                    cost: drawn,
                    ..stage(leaf, Pool::Shader)
                };
            }
            Stages::new(costs.launch_other, [task])
        }
        CommandKind::ClearUav => {
            let bytes = size.written_bytes;
            match mover(profile, costs.kernel_fill_min, bytes, size, queue) {
                Mover::Kernel => {
                    let task = by_shaders(profile, Leaf::ClearUav, bytes, through(profile, bytes));
                    Stages::new(costs.launch_dispatch, [task])
                }
                Mover::Engine => {
                    let task = engine(profile, Leaf::ClearUav, bytes, costs.engine_fill_bytes);
                    Stages::new(costs.launch_dispatch, [task])
                }
                Mover::Either => {
                    let task = moved(profile, Leaf::ClearUav, bytes, costs.dram_bytes);
                    Stages::new(costs.launch_other, [task])
                }
            }
        }
        CommandKind::Discard => {
            let leaf = size.discards_at.unwrap_or(Leaf::ComputeShading);
            let bytes = size.written_bytes.div_ceil(costs.metadata_covers);
            Stages::new(
                costs.launch_other,
                [moved(profile, leaf, bytes, costs.dram_bytes)],
            )
        }
        CommandKind::BuildAs { .. } => {
            let cost = Ps::for_amount(size.written_bytes, costs.as_bytes).max(costs.shortest);
            Stages::new(
                costs.launch_dispatch,
                [Task {
                    cost,
                    ..stage(Leaf::BuildAs, Pool::Shader)
                }],
            )
        }
        CommandKind::CopyAs => Stages::new(
            costs.launch_copy,
            [moved(
                profile,
                Leaf::CopyAs,
                size.read_bytes,
                costs.copy_bytes,
            )],
        ),
        CommandKind::EmitAs => Stages::new(
            costs.launch_other,
            [moved(profile, Leaf::EmitAs, 0, costs.copy_bytes)],
        ),
        CommandKind::Video { engine, .. } => {
            let leaf = match engine {
                QueueType::VideoProcess => Leaf::VideoProcess,
                QueueType::VideoEncode => Leaf::VideoEncode,
                _ => Leaf::VideoDecode,
            };
            let bytes = size.read_bytes + size.written_bytes;
            let cost = Ps::for_amount(bytes, costs.video_bytes).max(costs.shortest);
            Stages::new(
                costs.launch_other,
                [Task {
                    cost,
                    ..stage(leaf, Pool::Video)
                }],
            )
        }
        CommandKind::SetRoot { .. }
        | CommandKind::MarkerBegin { .. }
        | CommandKind::MarkerEnd
        | CommandKind::ExecuteBundle { .. }
        | CommandKind::Barrier(_)
        | CommandKind::Legacy(_)
        | CommandKind::FenceBarrier { .. }
        | CommandKind::AssertAccess { .. }
        | CommandKind::AssertLayout { .. } => Stages::none(),
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
    }
}

/// How much of the shader cores so many threads fill, at least 1/1024.
fn fill(profile: &Profile, threads: u64) -> u16 {
    let full = u64::from(Pool::FULL);
    let share =
        threads.min(profile.resident_threads()).saturating_mul(full) / profile.resident_threads();
    share.clamp(1, full) as u16
}

fn draw(profile: &Profile, indexed: bool, vertices: u64, pixels: u64, takes: Option<Ps>) -> Tasks {
    let costs = &profile.costs;
    let latency = takes.map_or(costs.stage, |takes| costs.stage.min(Ps(takes.0 / 4)));
    let (vertex_cost, pixel_cost, output_cost) = match takes {
        // Vertices take one latency, pixels what is left after three: from the first to the last picosecond `takes`.
        Some(takes) => (latency, takes - Ps(3 * latency.0), Ps::ZERO),
        None => (
            Ps::for_amount(vertices, costs.vertices),
            Ps::for_amount(pixels, costs.pixels),
            Ps::for_amount(pixels, costs.rop_pixels),
        ),
    };
    let (vertex_fill, pixel_fill) = match takes {
        Some(_) => (Pool::FULL, Pool::FULL),
        None => (fill(profile, vertices), fill(profile, pixels)),
    };
    let mut tasks = Tasks::new();
    if indexed {
        tasks.push(stage(Leaf::IndexInput, Pool::Fixed));
    }
    tasks.push(Task {
        weight: vertex_fill,
        cost: vertex_cost,
        ..stage(Leaf::VertexShading, Pool::Shader)
    });
    for (leaf, pool, weight, cost) in [
        (
            Leaf::DepthStencil,
            Pool::RenderBackEnd,
            Pool::FULL,
            output_cost,
        ),
        (Leaf::PixelShading, Pool::Shader, pixel_fill, pixel_cost),
        (
            Leaf::RenderTarget,
            Pool::RenderBackEnd,
            Pool::FULL,
            output_cost,
        ),
    ] {
        tasks.push(Task {
            weight,
            cost,
            latency,
            ..stage(leaf, pool)
        });
    }
    tasks
}

fn dispatch(profile: &Profile, groups: u64, threads: u64, takes: Option<Takes>) -> Task {
    let costs = &profile.costs;
    let total = groups.saturating_mul(threads.max(1));
    let cost = match takes {
        Some(Takes::Command(takes)) => takes,
        Some(Takes::Group(takes)) => launched(profile, groups, threads, takes),
        None => Ps::for_amount(total, costs.threads)
            .max(costs.shortest)
            .max(tail(profile, groups, threads)),
    };
    let weight = match takes {
        Some(Takes::Command(_)) => Pool::FULL,
        _ => fill(profile, total),
    };
    Task {
        weight,
        cost,
        ..stage(Leaf::ComputeShading, Pool::Shader)
    }
}

/// The thread groups of a dispatch, on a machine where each keeps its place until it ends and if it is known when.
fn staying(profile: &Profile, groups: u64, threads: u64, takes: Option<Takes>) -> Option<Groups> {
    match takes {
        Some(Takes::Group(takes)) if profile.groups_stay => Some(Groups {
            count: groups.max(1),
            each: takes + profile.costs.group_overhead,
            apart: apart(profile, threads),
            at_once: profile.resident_groups(threads),
            refilled: profile.refilled_groups(threads),
        }),
        _ => None,
    }
}

/// Thread groups of a dispatch.
pub(super) fn group_count(groups: &[u32; 3]) -> u64 {
    let groups = groups.iter().map(|g| u64::from(*g));
    groups.fold(1, u64::saturating_mul)
}

/// How long a front end launches the groups of a dispatch after the first.
fn tail(profile: &Profile, groups: u64, threads: u64) -> Ps {
    let launches = groups.saturating_sub(1);
    Ps(launches.saturating_mul(apart(profile, threads).0))
}

/// From the launch of one group to the launch of the next.
fn apart(profile: &Profile, threads: u64) -> Ps {
    let costs = &profile.costs;
    let each = threads.saturating_mul(costs.thread_launch);
    Ps(costs.group_launch.max(each))
}

/// How long a command keeps the front end after it has been issued: a dispatch until its last group is launched, a
/// transfer by the copy engine until it ends, because the engine does one after the other.
pub(super) fn front_end_busy(profile: &Profile, command: &Command, tasks: &[Task]) -> Ps {
    match &command.kind {
        CommandKind::Dispatch {
            groups, threads, ..
        } => tail(profile, group_count(groups), threads.unwrap_or(64)),
        CommandKind::Copy | CommandKind::ClearUav if profile.costs.kernel_copy_min < NEVER => {
            let engine = tasks.iter().filter(|task| task.price == Leaf::Copy);
            engine.map(|task| task.cost).max().unwrap_or_default()
        }
        _ => Ps::ZERO,
    }
}

/// What moves bytes.
enum Mover {
    /// Shaders.
    Kernel,
    /// The copy engine.
    Engine,
    /// The profile does not tell them apart.
    Either,
}

/// What moves so many bytes: large buffers are moved by shaders, small ones, textures and whatever a copy queue moves by
/// the copy engine.
fn mover(profile: &Profile, kernel_min: u64, bytes: u64, size: &Size, queue: QueueType) -> Mover {
    if profile.costs.kernel_copy_min >= NEVER {
        Mover::Either
    } else if queue == QueueType::Copy || size.texture || bytes < kernel_min {
        Mover::Engine
    } else {
        Mover::Kernel
    }
}

/// Bytes a second that shaders move, if they move so many: what fits in the last cache need not go to memory.
fn through(profile: &Profile, bytes: u64) -> u64 {
    let last = profile.caches.iter().filter(|c| c.parent.is_none());
    let fits = last.map(|c| c.capacity_bytes).max().unwrap_or(0) >= bytes;
    if fits {
        profile.costs.kernel_bytes
    } else {
        profile.costs.dram_bytes.min(profile.costs.kernel_bytes)
    }
}

/// How long a kernel takes for the bytes that its uses name, where the profile knows that.
fn kernel_time(profile: &Profile, bytes: u64) -> Ps {
    if profile.costs.kernel_bytes >= NEVER {
        return Ps::ZERO;
    }
    Ps::for_amount(bytes, through(profile, bytes)) + profile.costs.group_overhead
}

/// A kernel that moves bytes: what comes before and after them overlaps with other kernels, the bytes do not.
fn by_shaders(profile: &Profile, leaf: Leaf, bytes: u64, per_second: u64) -> Task {
    Task {
        cost: Ps::for_amount(bytes, per_second),
        latency: profile.costs.group_overhead,
        price: Leaf::ComputeShading,
        streams: true,
        ..stage(leaf, Pool::Memory)
    }
}

/// A transfer by the copy engine, with setting it up. It takes that part of the memory's bandwidth which it needs.
fn engine(profile: &Profile, leaf: Leaf, bytes: u64, per_second: u64) -> Task {
    let full = u64::from(Pool::FULL);
    let share = (full * per_second.min(NEVER) / profile.costs.dram_bytes).clamp(1, full);
    let setup = if leaf == Leaf::Copy {
        profile.costs.launch_copy
    } else {
        profile.costs.launch_fill
    };
    Task {
        weight: share as u16,
        cost: setup + Ps::for_amount(bytes, per_second),
        price: Leaf::Copy,
        ..stage(leaf, Pool::Memory)
    }
}

/// Time of `groups` equal thread groups. The front end launches one after the other; as many run at once as fit, and
/// the next begins when one retires. So group *k* begins when it is launched, or, in the *q*-th wave of `at_once`
/// groups, one group's time after the group `at_once` before it.
fn launched(profile: &Profile, groups: u64, threads: u64, takes: Ps) -> Ps {
    let each = takes + profile.costs.group_overhead;
    let at_once = profile.resident_groups(threads);
    let last = groups.max(1) - 1;
    let (wave, place) = (last / at_once, last % at_once);
    let after_waves = Ps(each.0.saturating_mul(wave)) + tail(profile, place + 1, threads);
    let begins = tail(profile, groups, threads).max(after_waves);
    Ps(begins.0.saturating_add(each.0))
}

/// What its kernel's fences add to the life of each thread group: those of the thread that they hold up longest.
fn fences(profile: &Profile, kernel: Option<&KernelUse>) -> Ps {
    let costs = &profile.costs;
    let thread = |counts: &FenceCounts| {
        let all = [
            (counts.group, costs.group_fence),
            (counts.device, costs.device_fence),
            (counts.meetings, costs.group_meeting),
        ];
        all.into_iter().fold(Ps::ZERO, |sum, (count, each)| {
            Ps(sum.0.saturating_add(each.0.saturating_mul(count)))
        })
    };
    let threads = kernel.map_or(&[][..], |kernel| &kernel.fences);
    threads.iter().map(thread).max().unwrap_or(Ps::ZERO)
}

/// A declared duration with the fences of each group. That of a whole command is declared with its fences.
fn lengthened(takes: Option<Takes>, fences: Ps) -> Option<Takes> {
    match takes {
        Some(Takes::Group(each)) => Some(Takes::Group(Ps(each.0.saturating_add(fences.0)))),
        other => other,
    }
}

fn rays(profile: &Profile, rays: u64) -> Task {
    let cost = Ps::for_amount(rays, profile.costs.rays).max(profile.costs.shortest);
    Task {
        weight: fill(profile, rays),
        cost,
        ..stage(Leaf::Raytracing, Pool::Shader)
    }
}

/// Work that moves bytes.
fn moved(profile: &Profile, leaf: Leaf, bytes: u64, per_second: u64) -> Task {
    let cost = Ps::for_amount(bytes, per_second).max(profile.costs.shortest);
    Task {
        cost,
        ..stage(leaf, Pool::Memory)
    }
}
