//! Thread groups: how many run at once, when each starts, what their fences and bytes add.

use super::draws::{Amount, draw};
use super::transfers::{by_shaders, kernel_time, through};
use super::{Size, Stages, fetch, fill, stage, weight_of};
use crate::api::Leaf;
use crate::hardware::Profile;
use crate::program::{Groups, Pool, Task};
use crate::scenario::{FenceCounts, IndirectTarget, KernelUse, Takes};
use crate::time::Ps;

/// Equal thread groups.
#[derive(Copy, Clone)]
pub(super) struct Grid {
    pub(super) groups: u64,
    /// Threads of a group, and its bytes of groupshared memory.
    pub(super) threads: u64,
    pub(super) shared: u64,
}

/// A dispatch.
pub(super) fn stages(
    profile: &Profile,
    grid: Grid,
    takes: Option<Takes>,
    kernel: Option<&KernelUse>,
    size: &Size,
) -> Stages {
    let fences = fences(profile, kernel);
    let takes_fenced = lengthened(takes, fences);
    let staying = staying(profile, grid, takes_fenced);
    let mut task = Task {
        has_groups: staying.is_some(),
        ..dispatch(profile, grid, takes_fenced)
    };
    let bytes = size.read_bytes.saturating_add(size.written_bytes);
    if takes.is_none() && kernel_time(profile, bytes) > task.cost {
        // Its bytes take longer than its threads.
        let rate = through(profile, bytes);
        task = by_shaders(profile, Leaf::ComputeShading, bytes, rate);
    }
    if takes.is_none() {
        let at_once = profile.resident_groups(grid.threads, grid.shared);
        let waves = grid.groups.div_ceil(at_once);
        task.cost += Ps(fences.0.saturating_mul(waves));
    }
    Stages {
        groups: staying,
        ..Stages::new(profile.costs.launch_dispatch, [task])
    }
}

/// What an indirect command does, after its arguments have been fetched.
pub(super) fn indirect(profile: &Profile, target: IndirectTarget, size: &Size) -> Stages {
    let costs = &profile.costs;
    let mut stages = Stages::new(costs.launch_dispatch, [fetch(profile)]);
    let tasks = &mut stages.tasks;
    // A buffer says how much there is to do: one screen of pixels, one group, or none is as good a guess as any;
    // `takes` cannot be written here.
    match target {
        IndirectTarget::Draw => {
            let amount = Amount {
                indexed: size.indexed,
                vertices: 3,
                pixels: size.pixels,
                used_at: size.used_at,
            };
            tasks.extend(draw(profile, &amount, None));
        }
        IndirectTarget::Dispatch => {
            let one = Grid {
                groups: 1,
                threads: 64,
                shared: 0,
            };
            tasks.push(dispatch(profile, one, None));
        }
        IndirectTarget::Rays => tasks.push(rays(profile, 1)),
    }
    // The work starts when its arguments have been fetched.
    tasks[1].latency = costs.fetch;
    stages
}

fn dispatch(profile: &Profile, grid: Grid, takes: Option<Takes>) -> Task {
    let costs = &profile.costs;
    let Grid {
        groups, threads, ..
    } = grid;
    let total = groups.saturating_mul(threads.max(1));
    let cost = match takes {
        Some(Takes::Command(takes)) => takes,
        Some(Takes::Group(takes)) => launched(profile, grid, takes),
        None => Ps::for_amount(total, costs.threads)
            .max(costs.shortest)
            .max(tail(profile, groups, threads)),
    };
    let weight = match takes {
        Some(Takes::Command(_)) => Pool::FULL,
        _ => fill(profile, total).max(held(profile, grid)),
    };
    Task {
        weight,
        cost,
        ..stage(Leaf::ComputeShading, Pool::Shader)
    }
}

/// How much of the shader cores groups hold by their groupshared memory.
fn held(profile: &Profile, grid: Grid) -> u16 {
    let at_once = profile.resident_groups(grid.threads, grid.shared);
    if at_once >= profile.resident_groups(grid.threads, 0) {
        return 0;
    }
    let full = u64::from(Pool::FULL);
    weight_of(grid.groups.min(at_once).saturating_mul(full) / at_once)
}

/// The thread groups of a dispatch, on a machine where each keeps its place until it ends and if it is known when.
fn staying(profile: &Profile, grid: Grid, takes: Option<Takes>) -> Option<Groups> {
    let costs = &profile.costs;
    match takes {
        Some(Takes::Group(takes)) if profile.groups_stay => {
            let apart = apart(profile, grid.threads);
            Some(Groups {
                count: grid.groups.max(1),
                each: takes + costs.group_overhead,
                apart,
                refill_apart: apart.max(Ps(costs.refill_launch)),
                after_another: costs.next_launch,
                at_once: profile.resident_groups(grid.threads, grid.shared),
                refilled: profile.refilled_groups(grid.threads, grid.shared),
            })
        }
        _ => None,
    }
}

/// Thread groups of a dispatch.
pub(super) fn group_count(groups: &[u32; 3]) -> u64 {
    let groups = groups.iter().map(|g| u64::from(*g));
    groups.fold(1, u64::saturating_mul)
}

/// How long a front end launches the groups of a dispatch after the first.
pub(super) fn tail(profile: &Profile, groups: u64, threads: u64) -> Ps {
    let launches = groups.saturating_sub(1);
    Ps(launches.saturating_mul(apart(profile, threads).0))
}

/// From the launch of one group to the launch of the next.
fn apart(profile: &Profile, threads: u64) -> Ps {
    let costs = &profile.costs;
    let each = threads.saturating_mul(costs.thread_launch);
    Ps(costs.group_launch.max(each))
}

/// Time of `groups` equal thread groups. The front end launches one after the other; as many run at once as fit, and
/// the next starts when one retires. So group *k* starts when it is launched, or, in the *q*-th wave of `at_once`
/// groups, one group's time after the group `at_once` before it.
fn launched(profile: &Profile, grid: Grid, takes: Ps) -> Ps {
    let Grid {
        groups, threads, ..
    } = grid;
    let each = takes + profile.costs.group_overhead;
    let at_once = profile.resident_groups(threads, grid.shared);
    let last = groups.max(1) - 1;
    let (wave, place) = (last / at_once, last % at_once);
    let after_waves = Ps(each.0.saturating_mul(wave)) + tail(profile, place + 1, threads);
    let starts = tail(profile, groups, threads).max(after_waves);
    Ps(starts.0.saturating_add(each.0))
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

pub(super) fn rays(profile: &Profile, rays: u64) -> Task {
    let cost = Ps::for_amount(rays, profile.costs.rays).max(profile.costs.shortest);
    Task {
        weight: fill(profile, rays),
        cost,
        ..stage(Leaf::Raytracing, Pool::Shader)
    }
}
