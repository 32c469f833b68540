//! What things cost: the keys that every profile has, those that a profile may have, and their values ready for use.

use crate::time::Ps;

/// More bytes than anything has.
pub const NEVER: u64 = 1 << 50;

macro_rules! costs {
    ($($(#[$doc:meta])* $field:ident : $kind:ident = $key:literal,)*) => {
        /// The profile's numbers that are no cache's, ready for use. Times are picoseconds, rates amounts a second.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct Costs {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Costs {
            /// Keys that every profile must have.
            pub(super) const KEYS: &[&str] = &[$($key),*];

            pub(super) fn new(number: impl Fn(&str) -> u64) -> Self {
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
    /// From the start of a stage to the start of the next.
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
    /// From the launch of one group to the launch of the next into places that other groups have left, if that is more, in
    /// picoseconds.
    refill_launch: u64 = "launch.refill_ps",
    /// From the launch of the last group of a dispatch to that of the first group of the next.
    next_launch: Ps = "launch.next_ns",
    /// The front end after the first dispatch since a wait: until then it has nothing prepared.
    restart: Ps = "launch.restart_ns",
    /// Begin and end of a thread group beyond its work.
    group_overhead: Ps = "group.overhead_ns",
    /// Multiprocessors (compute units).
    units: u64 = "shader.units",
    /// Threads that one of them holds at once.
    unit_threads: u64 = "shader.unit_threads",
    /// Thread groups that one of them holds at once.
    unit_groups: u64 = "shader.unit_groups",
    /// Bytes of groupshared memory that one of them has; [`NEVER`]: it limits nothing.
    unit_shared: u64 = "shader.unit_shared_bytes",
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
    /// An `ExecuteCommandLists` call reaches a direct queue.
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
    /// Bytes from which shaders copy between buffers, not the copy engine; [`NEVER`]: the profile does not distinguish them.
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
    /// The same if it is only for colour output.
    first_wait_colour: Ps = "fixed.first_wait_colour_ns",
    /// The same on a compute queue.
    first_wait_compute: Ps = "fixed.first_wait_compute_ns",
    /// A depth buffer's metadata is rewritten, because its contents are discarded: what that takes at most.
    depth_discard: Ps = "fixed.depth_discard_ns",
    /// Bytes of depth buffers discarded a second, where that takes less.
    depth_discard_bytes: u64 = "rate.depth_discard_bytes_per_s",
    /// A split barrier beyond the waits of its halves.
    split: Ps = "fixed.split_ns",
    /// What a barrier to every access costs beyond one to what the front end reads: what the CPU could see as well.
    every_access: Ps = "fixed.every_access_ns",
    /// The same again while a direct queue is set up for graphics.
    every_access_graphics: Ps = "fixed.every_access_graphics_ns",
    /// Of as many thread groups as the threads of a multiprocessor are enough for, one in so many finds no place while groups
    /// come and go; 0: all do.
    refill_gap: u64 = "shader.refill_gap",
}

/// Numbers that a profile may lack: none has a default.
pub(super) const OPTIONAL_KEYS: [&str; 13] = [
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
