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

/// How a barrier is asked for: not at all, which shows what a driver writes anyway, and as one call.
const FORMS: [&str; 2] = ["nobarrier", "pipe"];

/// A use by the word of the situations: stages, accesses, layout, work.
type Use = (&'static str, u64, u64, u32, &'static str);

const COMPUTE: u64 = 0x800;
const PIXEL: u64 = 0x80;
const VERTEX: u64 = 0x8;
const COPY: u64 = 1 << 32;
const RESOLVE: u64 = 1 << 33;
const ALL: u64 = 0x1_0000;

const UNIFORM: u64 = 0x8;
const SHADER_READ: u64 = 0x20;
const TRANSFER_READ: u64 = 0x800;
const TRANSFER_WRITE: u64 = 0x1000;
const MEMORY: u64 = 0x1_8000;
const SAMPLED: u64 = 1 << 32;
/// Reads and writes.
const STORAGE: u64 = 3 << 33;

const BUFFERS: [Use; 14] = [
    ("uav.c", COMPUTE, STORAGE, 0, "dispatch"),
    ("uav.p", PIXEL, STORAGE, 0, "draw"),
    ("copy.d", COPY, TRANSFER_WRITE, 0, "copy"),
    ("srv.c", COMPUTE, SHADER_READ, 0, "dispatch"),
    ("srv.p", PIXEL, SHADER_READ, 0, "draw"),
    ("srv.v", VERTEX, SHADER_READ, 0, "draw"),
    ("cbv.c", COMPUTE, UNIFORM, 0, "dispatch"),
    ("cbv.p", PIXEL, UNIFORM, 0, "draw"),
    ("vb", 1 << 37, 0x4, 0, "draw"),
    ("ib", 1 << 36, 0x2, 0, "indexed"),
    ("ind.d", 0x2, 0x1, 0, "indirect"),
    ("ind.c", 0x2, 0x1, 0, "dindirect"),
    ("copy.s", COPY, TRANSFER_READ, 0, "copy"),
    ("all", ALL, MEMORY, 0, "dispatch"),
];

const TEXTURES: [Use; 13] = [
    ("rt", 0x400, 0x180, 2, "draw"),
    ("dsw", 0x300, 0x600, 3, "depth"),
    ("dsr", 0x300, 0x200, 4, "depth"),
    ("srv.p", PIXEL, SAMPLED, 5, "draw"),
    ("srv.v", VERTEX, SAMPLED, 5, "draw"),
    ("srv.c", COMPUTE, SAMPLED, 5, "dispatch"),
    ("uav.c", COMPUTE, STORAGE, 1, "dispatch"),
    ("uav.p", PIXEL, STORAGE, 1, "draw"),
    ("copy.d", COPY, TRANSFER_WRITE, 7, "copy"),
    ("copy.s", COPY, TRANSFER_READ, 6, "copy"),
    ("res.s", RESOLVE, TRANSFER_READ, 6, "draw"),
    ("new", 0, 0, 0, "none"),
    ("common", ALL, MEMORY, 1, "draw"),
];

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
        let side = |it: &Use| format!("{:x} {:x} {}", it.1, it.2, it.3);
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
