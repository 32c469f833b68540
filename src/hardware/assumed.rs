//! Numbers that a profile may leave out.

use super::NEVER;

/// Nothing is published about most machines. Key, value, source.
pub(super) const ASSUMED: [(&str, u64, &str); 24] = [
    (
        "metadata.covers_bytes",
        256,
        "one byte describes a block of 256 bytes, as public drivers size the metadata of colour",
    ),
    (
        "shader.group_fence_ns",
        12,
        "as on one GPU that was measured: 10 to 37 cycles at 1.98 GHz, the middle",
    ),
    (
        "shader.device_fence_ns",
        339,
        "as on one GPU that was measured: 671 cycles at 1.98 GHz with nothing dirty, more otherwise",
    ),
    (
        "shader.group_barrier_ns",
        30,
        "as on one GPU that was measured: 23 to 97 cycles at 1.98 GHz, the middle",
    ),
    ("kernel.copy_min_bytes", NEVER, NOT_TOLD),
    ("kernel.fill_min_bytes", NEVER, NOT_TOLD),
    (
        "rate.kernel_bytes_per_s",
        NEVER,
        "kernels are timed only by their threads",
    ),
    ("launch.fill_ns", 0, NOT_TOLD),
    ("rate.engine_fill_bytes_per_s", NEVER, NOT_TOLD),
    (
        "rate.clear_pixels_per_s",
        NEVER,
        "clears are timed only by their bytes",
    ),
    (
        "fixed.engine_switch_compute_ns",
        NEVER,
        "as on a direct queue",
    ),
    ("fixed.first_wait_ns", 0, FREE),
    ("fixed.first_wait_colour_ns", 0, FREE),
    ("fixed.first_wait_compute_ns", 0, FREE),
    (
        "fixed.depth_discard_ns",
        0,
        "layout operations cost what they cost",
    ),
    (
        "fixed.split_ns",
        0,
        "the halves of a split barrier cost what they wait for",
    ),
    (
        "fixed.every_access_ns",
        0,
        "a barrier to every access costs what its parts cost",
    ),
    (
        "fixed.every_access_graphics_ns",
        0,
        "a barrier to every access costs what its parts cost",
    ),
    (
        "rate.depth_discard_bytes_per_s",
        1,
        "a discard takes as long whatever is discarded",
    ),
    (
        "shader.unit_shared_bytes",
        NEVER,
        "groupshared memory limits nothing",
    ),
    ("launch.refill_ps", 0, AS_LAUNCHED),
    ("launch.next_ns", 0, AS_LAUNCHED),
    ("launch.restart_ns", 0, AS_LAUNCHED),
    (
        "shader.refill_gap",
        0,
        "groups take the places of others at once",
    ),
];

const NOT_TOLD: &str = "copies by shaders and by the copy engine are not distinguished";
const AS_LAUNCHED: &str = "groups are launched as far apart wherever and whenever";
const FREE: &str = "a wait without work before it costs what the wait costs";
