//! The situations for drivers as lines of a probe: a program in C that records them on a Vulkan driver (`tests/drivers/`).
//!
//! ```text
//! gfx.rt.rt-srv.p/pipe gfx draw rt 400 180 2 80 100000000 5 draw pipe
//! ```
//! A line says the situation and its form; the queue; the work before the barrier; the resource; stages, accesses and layout before the
//! barrier and after it, as numbers of `vulkan_core.h`; the work after it; the form again. Stages and accesses are what an
//! application in Vulkan would write: narrower than what [`crate::interop::exchange`] makes of D3D12's words, so that a driver
//! shows what it does for one stage.

use crate::finding::Source;
use crate::interop::vulkan::{AccessFlags, ImageLayout, StageFlags};

/// How a barrier is asked for: not at all, which shows what a driver writes anyway, and as one call.
const FORMS: [&str; 2] = ["nobarrier", "pipe"];

/// A use by the word of the situations: stages, accesses, layout, work.
type Use = (
    &'static str,
    StageFlags,
    AccessFlags,
    ImageLayout,
    &'static str,
);

const COMPUTE: StageFlags = StageFlags::COMPUTE_SHADER;
const PIXEL: StageFlags = StageFlags::FRAGMENT_SHADER;
const VERTEX: StageFlags = StageFlags::VERTEX_SHADER;
const DEPTH: StageFlags = StageFlags::EARLY_FRAGMENT_TESTS.union(StageFlags::LATE_FRAGMENT_TESTS);

const COLOUR: AccessFlags =
    AccessFlags::COLOR_ATTACHMENT_READ.union(AccessFlags::COLOR_ATTACHMENT_WRITE);
const DEPTH_READ: AccessFlags = AccessFlags::DEPTH_STENCIL_ATTACHMENT_READ;
const DEPTH_WRITE: AccessFlags = DEPTH_READ.union(AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE);
const MEMORY: AccessFlags = AccessFlags::MEMORY_READ.union(AccessFlags::MEMORY_WRITE);
const STORAGE: AccessFlags =
    AccessFlags::SHADER_STORAGE_READ.union(AccessFlags::SHADER_STORAGE_WRITE);

const BUFFERS: [Use; 14] = {
    use AccessFlags as A;
    use StageFlags as S;
    /// A buffer has none.
    const NO: ImageLayout = ImageLayout::UNDEFINED;
    [
        ("uav.c", COMPUTE, STORAGE, NO, "dispatch"),
        ("uav.p", PIXEL, STORAGE, NO, "draw"),
        ("copy.d", S::COPY, A::TRANSFER_WRITE, NO, "copy"),
        ("srv.c", COMPUTE, A::SHADER_READ, NO, "dispatch"),
        ("srv.p", PIXEL, A::SHADER_READ, NO, "draw"),
        ("srv.v", VERTEX, A::SHADER_READ, NO, "draw"),
        ("cbv.c", COMPUTE, A::UNIFORM_READ, NO, "dispatch"),
        ("cbv.p", PIXEL, A::UNIFORM_READ, NO, "draw"),
        (
            "vb",
            S::VERTEX_ATTRIBUTE_INPUT,
            A::VERTEX_ATTRIBUTE_READ,
            NO,
            "draw",
        ),
        ("ib", S::INDEX_INPUT, A::INDEX_READ, NO, "indexed"),
        (
            "ind.d",
            S::DRAW_INDIRECT,
            A::INDIRECT_COMMAND_READ,
            NO,
            "indirect",
        ),
        (
            "ind.c",
            S::DRAW_INDIRECT,
            A::INDIRECT_COMMAND_READ,
            NO,
            "dindirect",
        ),
        ("copy.s", S::COPY, A::TRANSFER_READ, NO, "copy"),
        ("all", S::ALL_COMMANDS, MEMORY, NO, "dispatch"),
    ]
};

const TEXTURES: [Use; 13] = {
    use AccessFlags as A;
    use ImageLayout as L;
    use StageFlags as S;
    const READ: ImageLayout = L::SHADER_READ_ONLY_OPTIMAL;
    const SAMPLED: AccessFlags = A::SHADER_SAMPLED_READ;
    [
        (
            "rt",
            S::COLOR_ATTACHMENT_OUTPUT,
            COLOUR,
            L::COLOR_ATTACHMENT_OPTIMAL,
            "draw",
        ),
        (
            "dsw",
            DEPTH,
            DEPTH_WRITE,
            L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
            "depth",
        ),
        (
            "dsr",
            DEPTH,
            DEPTH_READ,
            L::DEPTH_STENCIL_READ_ONLY_OPTIMAL,
            "depth",
        ),
        ("srv.p", PIXEL, SAMPLED, READ, "draw"),
        ("srv.v", VERTEX, SAMPLED, READ, "draw"),
        ("srv.c", COMPUTE, SAMPLED, READ, "dispatch"),
        ("uav.c", COMPUTE, STORAGE, L::GENERAL, "dispatch"),
        ("uav.p", PIXEL, STORAGE, L::GENERAL, "draw"),
        (
            "copy.d",
            S::COPY,
            A::TRANSFER_WRITE,
            L::TRANSFER_DST_OPTIMAL,
            "copy",
        ),
        (
            "copy.s",
            S::COPY,
            A::TRANSFER_READ,
            L::TRANSFER_SRC_OPTIMAL,
            "copy",
        ),
        (
            "res.s",
            S::RESOLVE,
            A::TRANSFER_READ,
            L::TRANSFER_SRC_OPTIMAL,
            "draw",
        ),
        ("new", S::empty(), A::empty(), L::UNDEFINED, "none"),
        ("common", S::ALL_COMMANDS, MEMORY, L::GENERAL, "draw"),
    ]
};

/// The lines of situations, two of each; of a text that is no situation for drivers, none.
pub fn probe_lines(situations: &[Source]) -> String {
    let lines = situations.iter().filter_map(|it| of(&it.name));
    lines.flatten().collect()
}

/// The lines of a situation, by its name.
fn of(name: &str) -> Option<[String; 2]> {
    let name = name.strip_suffix(".scn")?;
    let mut parts = name.splitn(3, '.');
    let (queue, resource, uses) = (parts.next()?, parts.next()?, parts.next()?);
    let (before, after) = uses.split_once('-')?;
    let table: &[Use] = match resource {
        "buf" | "mem" => &BUFFERS,
        _ => &TEXTURES,
    };
    let of = |word: &str| table.iter().find(|it| it.0 == word);
    let (before, after) = (of(before)?, of(after)?);
    Some(FORMS.map(|form| {
        let side = |it: &Use| format!("{:x} {:x} {}", it.1.bits(), it.2.bits(), it.3.0);
        let (from, to) = (side(before), side(after));
        let (first, second) = (before.4, after.4);
        format!("{name}/{form} {queue} {first} {resource} {from} {to} {second} {form}\n")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::driver_situations;

    /// By hand: what the example above says, and two lines for each situation.
    #[test]
    fn each_situation_has_its_lines() {
        let all = driver_situations();
        let lines = probe_lines(&all);
        assert_eq!(lines.lines().count(), 2 * all.len());
        for line in [
            "gfx.rt.rt-srv.p/pipe gfx draw rt 400 180 2 80 100000000 5 draw pipe",
            "compute.buf.uav.c-copy.s/pipe compute dispatch buf 800 600000000 0 100000000 800 0 copy pipe",
            "gfx.tex.new-copy.d/nobarrier gfx none tex 0 0 0 100000000 1000 7 copy nobarrier",
        ] {
            assert!(lines.lines().any(|it| it == line), "{line}");
        }
    }
}
