//! Work that moves bytes: by shaders, by the copy engine, or as the profile does not say.

use super::{Size, Stages, stage, weight_of};
use crate::api::{Leaf, QueueType};
use crate::hardware::{NEVER, Profile};
use crate::program::{Pool, Task};
use crate::time::Ps;

/// A copy.
pub(super) fn copy(profile: &Profile, size: &Size, queue: QueueType) -> Stages {
    let costs = &profile.costs;
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

/// A clear of a render target or depth buffer.
pub(super) fn clear(profile: &Profile, leaf: Leaf, size: &Size) -> Stages {
    let costs = &profile.costs;
    // A fast clear only writes metadata.
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

/// A clear of an unordered-access view.
pub(super) fn fill(profile: &Profile, size: &Size, queue: QueueType) -> Stages {
    let costs = &profile.costs;
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

/// What moves the bytes of a transfer.
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
pub(super) fn through(profile: &Profile, bytes: u64) -> u64 {
    let last = profile.caches.iter().filter(|c| c.parent.is_none());
    let fits = last.map(|c| c.capacity_bytes).max().unwrap_or(0) >= bytes;
    if fits {
        profile.costs.kernel_bytes
    } else {
        profile.costs.dram_bytes.min(profile.costs.kernel_bytes)
    }
}

/// How long a kernel takes for the bytes that its uses name, where the profile knows that.
pub(super) fn kernel_time(profile: &Profile, bytes: u64) -> Ps {
    if profile.costs.kernel_bytes >= NEVER {
        return Ps::ZERO;
    }
    Ps::for_amount(bytes, through(profile, bytes)) + profile.costs.group_overhead
}

/// A kernel that moves bytes: what comes before and after them overlaps with other kernels, the bytes do not.
pub(super) fn by_shaders(profile: &Profile, leaf: Leaf, bytes: u64, per_second: u64) -> Task {
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
    let share = full * per_second.min(NEVER) / profile.costs.dram_bytes;
    let setup = if leaf == Leaf::Copy {
        profile.costs.launch_copy
    } else {
        profile.costs.launch_fill
    };
    Task {
        weight: weight_of(share.min(full)),
        cost: setup + Ps::for_amount(bytes, per_second),
        price: Leaf::Copy,
        ..stage(leaf, Pool::Memory)
    }
}

/// Work that moves bytes.
pub(super) fn moved(profile: &Profile, leaf: Leaf, bytes: u64, per_second: u64) -> Task {
    let cost = Ps::for_amount(bytes, per_second).max(profile.costs.shortest);
    Task {
        cost,
        ..stage(leaf, Pool::Memory)
    }
}
