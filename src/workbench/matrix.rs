//! Situations for drivers: two uses of one resource with one barrier between them, as small as a driver's team can record
//! them in a harness of its own.
//!
//! A situation is one list of three commands, of one size, on a direct or a compute queue: `gfx.rt.rt-srv.p` is a render
//! target that a pixel shader reads then. Its name says what it is: the queue, the resource, the two uses. Names are a
//! contract with recordings, so a name never changes what it means. What goes beyond one barrier (aliases, splits, several
//! scopes and queues) is in `situations.rs`.

use crate::finding::Source;
use std::fmt::Write as _;

/// A way to use a resource, by the word that names of situations have for it.
struct Way {
    word: &'static str,
    sync: &'static str,
    access: &'static str,
    command: Work,
    writes: bool,
    /// It is there on a compute queue too.
    on_compute: bool,
}

/// The command that makes a use.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Work {
    Draw,
    DrawIndexed,
    Dispatch,
    IndirectDraw,
    IndirectDispatch,
    CopyFrom,
    CopyTo,
    ResolveFrom,
    /// Contents that nobody needs.
    New,
}

const fn way(
    word: &'static str,
    (sync, access): (&'static str, &'static str),
    command: Work,
    writes: bool,
    on_compute: bool,
) -> Way {
    Way {
        word,
        sync,
        access,
        command,
        writes,
        on_compute,
    }
}

const COMPUTE: &str = "COMPUTE_SHADING";
const PIXEL: &str = "PIXEL_SHADING";
const VERTEX: &str = "VERTEX_SHADING";
const UAV: &str = "UNORDERED_ACCESS";
const SRV: &str = "SHADER_RESOURCE";
const CBV: &str = "CONSTANT_BUFFER";

/// Uses of buffers.
const BUFFERS: [Way; 14] = [
    way("uav.c", (COMPUTE, UAV), Work::Dispatch, true, true),
    way("uav.p", (PIXEL, UAV), Work::Draw, true, false),
    way("copy.d", ("COPY", "COPY_DEST"), Work::CopyTo, true, true),
    way("srv.c", (COMPUTE, SRV), Work::Dispatch, false, true),
    way("srv.p", (PIXEL, SRV), Work::Draw, false, false),
    way("srv.v", (VERTEX, SRV), Work::Draw, false, false),
    way("cbv.c", (COMPUTE, CBV), Work::Dispatch, false, true),
    way("cbv.p", (PIXEL, CBV), Work::Draw, false, false),
    way("vb", (VERTEX, "VERTEX_BUFFER"), Work::Draw, false, false),
    way(
        "ib",
        ("INDEX_INPUT", "INDEX_BUFFER"),
        Work::DrawIndexed,
        false,
        false,
    ),
    way(
        "ind.d",
        ("EXECUTE_INDIRECT", "INDIRECT_ARGUMENT"),
        Work::IndirectDraw,
        false,
        false,
    ),
    way(
        "ind.c",
        ("EXECUTE_INDIRECT", "INDIRECT_ARGUMENT"),
        Work::IndirectDispatch,
        false,
        true,
    ),
    way(
        "copy.s",
        ("COPY", "COPY_SOURCE"),
        Work::CopyFrom,
        false,
        true,
    ),
    way("all", ("ALL", "COMMON"), Work::Dispatch, true, true),
];

/// Uses of textures; the access is the name of the layout too, but for new contents.
const TEXTURES: [Way; 13] = [
    way(
        "rt",
        ("RENDER_TARGET", "RENDER_TARGET"),
        Work::Draw,
        true,
        false,
    ),
    way(
        "dsw",
        ("DEPTH_STENCIL", "DEPTH_STENCIL_WRITE"),
        Work::Draw,
        true,
        false,
    ),
    way(
        "dsr",
        ("DEPTH_STENCIL", "DEPTH_STENCIL_READ"),
        Work::Draw,
        false,
        false,
    ),
    way("srv.p", (PIXEL, SRV), Work::Draw, false, false),
    way("srv.v", (VERTEX, SRV), Work::Draw, false, false),
    way("srv.c", (COMPUTE, SRV), Work::Dispatch, false, true),
    way("uav.c", (COMPUTE, UAV), Work::Dispatch, true, true),
    way("uav.p", (PIXEL, UAV), Work::Draw, true, false),
    way("copy.d", ("COPY", "COPY_DEST"), Work::CopyTo, true, true),
    way(
        "copy.s",
        ("COPY", "COPY_SOURCE"),
        Work::CopyFrom,
        false,
        true,
    ),
    way(
        "res.s",
        ("RESOLVE", "RESOLVE_SOURCE"),
        Work::ResolveFrom,
        false,
        false,
    ),
    way("new", ("NONE", "NO_ACCESS"), Work::New, false, true),
    way("common", ("ALL", "COMMON"), Work::Draw, true, false),
];

/// A kind of texture: its word, its declaration, and how it may be used.
struct Kind {
    word: &'static str,
    format: &'static str,
    options: &'static [&'static str],
    uses: &'static [&'static str],
}

const COLOUR: &str = "R8G8B8A8_UNORM";

const KINDS: [Kind; 6] = [
    Kind {
        word: "rt",
        format: COLOUR,
        options: &["flags RENDER_TARGET"],
        uses: &[
            "rt", "srv.p", "srv.v", "srv.c", "copy.d", "copy.s", "common",
        ],
    },
    Kind {
        word: "msrt",
        format: COLOUR,
        options: &["flags RENDER_TARGET", "samples 4"],
        uses: &["rt", "srv.p", "srv.c", "res.s"],
    },
    Kind {
        word: "ds",
        format: "D32_FLOAT",
        options: &["flags DEPTH_STENCIL"],
        uses: &["dsw", "dsr", "srv.p", "srv.c", "copy.d", "copy.s"],
    },
    Kind {
        word: "img",
        format: COLOUR,
        options: &["flags UNORDERED_ACCESS"],
        uses: &["uav.c", "uav.p", "srv.p", "srv.c", "copy.d", "copy.s"],
    },
    Kind {
        word: "rtimg",
        format: COLOUR,
        options: &["flags RENDER_TARGET|UNORDERED_ACCESS"],
        uses: &["rt", "uav.c", "srv.p"],
    },
    Kind {
        word: "tex",
        format: COLOUR,
        options: &[],
        uses: &["copy.d", "srv.p", "srv.c", "copy.s"],
    },
];

/// A queue: its word and its type.
#[derive(Copy, Clone)]
struct Queue {
    word: &'static str,
    of_type: &'static str,
    is_compute: bool,
}

const QUEUES: [Queue; 2] = [
    Queue {
        word: "gfx",
        of_type: "direct",
        is_compute: false,
    },
    Queue {
        word: "compute",
        of_type: "compute",
        is_compute: true,
    },
];

impl Queue {
    fn has(self, way: &Way) -> bool {
        !self.is_compute || way.on_compute
    }
}

/// The situations: the name of each is that of its file.
pub fn driver_situations() -> Vec<Source> {
    let mut all = Vec::new();
    for queue in QUEUES {
        buffers(queue, &mut all);
        for kind in &KINDS {
            textures(queue, kind, &mut all);
        }
    }
    all
}

/// A buffer, asked about by a barrier on it (`buf`) or by a global one (`mem`).
fn buffers(queue: Queue, all: &mut Vec<Source>) {
    for (resource, target) in [("buf", "buffer r"), ("mem", "global")] {
        let is_global = resource == "mem";
        for before in BUFFERS.iter().filter(|way| queue.has(way)) {
            for after in BUFFERS.iter().filter(|way| queue.has(way)) {
                // What is asked of everything has only one partner, and no buffer.
                let wide = [before, after].map(|way| way.word == "all");
                let is_odd = wide[0] != wide[1] || wide[0] && !is_global;
                // A global barrier after a read says no more than one on the buffer.
                let is_needed = before.writes || after.writes && !is_global;
                if is_odd || !is_needed {
                    continue;
                }
                let name = format!("{}.{resource}.{}-{}", queue.word, before.word, after.word);
                let mut text = format!(
                    "// {name}\ndevice {{ copies asynchronous }}\nbuffer r : 64KiB {{ flags UNORDERED_ACCESS }}\n"
                );
                for other in ["from0", "to0", "from1", "to1"] {
                    let _ = writeln!(text, "buffer {other} : 64KiB");
                }
                let (sync, access) = arrows(before, after);
                let entry = format!("{target} {{ sync {sync}; access {access} }}");
                finish(&mut text, queue, [before, after].map(use_of_buffer), &entry);
                all.push(Source::new(name + ".scn", text));
            }
        }
    }
}

/// A texture of one kind, from each of its uses, and from nothing, to each.
fn textures(queue: Queue, kind: &Kind, all: &mut Vec<Source>) {
    let of = |word: &str| TEXTURES.iter().find(|way| way.word == word);
    let uses = || {
        kind.uses
            .iter()
            .filter_map(|word| of(word))
            .filter(|way| queue.has(way))
    };
    let new = of("new");
    for before in uses().chain(new) {
        for after in uses() {
            let is_common = |way: &Way| way.word == "common";
            let does = layout(before) != layout(after) || before.writes || after.writes;
            if does && !(is_common(before) && is_common(after)) {
                all.push(texture(queue, kind, before, after));
            }
        }
    }
}

fn texture(queue: Queue, kind: &Kind, before: &Way, after: &Way) -> Source {
    let name = format!(
        "{}.{}.{}-{}",
        queue.word, kind.word, before.word, after.word
    );
    let mut text = format!("// {name}\ndevice {{ copies asynchronous }}\n");
    let format = kind.format;
    let options: String = kind.options.iter().flat_map(|it| [it, "; "]).collect();
    let _ = writeln!(
        text,
        "texture r : {format} 1024x1024 {{ {options}initial {} }}",
        layout(before)
    );
    let resolves = [before, after]
        .iter()
        .any(|way| way.command == Work::ResolveFrom);
    let to = if resolves {
        "RESOLVE_DEST"
    } else {
        "COPY_DEST"
    };
    for (other, initial) in [
        ("from0", "COPY_SOURCE"),
        ("to0", to),
        ("from1", "COPY_SOURCE"),
        ("to1", to),
    ] {
        let _ = writeln!(
            text,
            "texture {other} : {format} 1024x1024 {{ initial {initial} }}"
        );
    }
    let (sync, access) = arrows(before, after);
    let discard = if before.command == Work::New {
        "; discard"
    } else {
        ""
    };
    let entry = format!(
        "texture r {{ sync {sync}; access {access}; layout {} -> {}{discard} }}",
        layout(before),
        layout(after)
    );
    finish(
        &mut text,
        queue,
        [before, after].map(use_of_texture),
        &entry,
    );
    Source::new(name + ".scn", text)
}

fn layout(way: &Way) -> &'static str {
    match way.command {
        Work::New => "UNDEFINED",
        _ => way.access,
    }
}

fn arrows(before: &Way, after: &Way) -> (String, String) {
    (
        format!("{} -> {}", before.sync, after.sync),
        format!("{} -> {}", before.access, after.access),
    )
}

/// A use whose stage is in the access, or must be said.
fn staged(way: &Way) -> String {
    let says = matches!(way.sync, COMPUTE | PIXEL | VERTEX) && way.access != "VERTEX_BUFFER";
    let at = if says {
        format!(" @ {}", way.sync)
    } else {
        String::new()
    };
    format!("{{ {} r{at} }}", way.access)
}

fn use_of_buffer(way: &Way) -> (Work, String) {
    let uses = match way.access {
        "COMMON" => format!("{{ {UAV} r @ {COMPUTE} }}"),
        _ => staged(way),
    };
    (way.command, uses)
}

fn use_of_texture(way: &Way) -> (Work, String) {
    let uses = match way.access {
        "COMMON" => format!("{{ {SRV} r @ {PIXEL} }}"),
        _ => staged(way),
    };
    (way.command, uses)
}

/// Queue, list and timeline.
fn finish(text: &mut String, queue: Queue, uses: [(Work, String); 2], entry: &str) {
    let of_type = queue.of_type;
    let [before, after] = uses;
    let before = command(&before, 0).map_or_else(String::new, |it| format!("  {it}\n"));
    let after = command(&after, 1).map_or_else(String::new, |it| format!("  {it}\n"));
    let _ = write!(
        text,
        "queue q : {of_type}\nlist main : {of_type} extended-async {{\n{before}  barrier {{ {entry} }}\n{after}}}\n\
         timeline {{ q execute main }}\n"
    );
}

/// The command of a use; `place` tells what it copies from or to apart.
fn command((work, uses): &(Work, String), place: u8) -> Option<String> {
    let text = match work {
        Work::New => return None,
        Work::CopyFrom => format!("copy r -> to{place}"),
        Work::CopyTo => format!("copy from{place} -> r"),
        Work::ResolveFrom => format!("resolve r -> to{place}"),
        Work::Draw => format!("draw \"w\" vertices 3 pixels 1048576 {uses}"),
        Work::DrawIndexed => format!("draw-indexed \"w\" vertices 3 pixels 1048576 {uses}"),
        Work::Dispatch => format!("dispatch \"w\" 64x1x1 {uses}"),
        Work::IndirectDraw => format!("execute-indirect \"w\" draw {uses}"),
        Work::IndirectDispatch => format!("execute-indirect \"w\" dispatch {uses}"),
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::with_case;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn no_situation_has_a_mistake() {
        for program in driver_situations() {
            // Of contents that nobody has written a read is a warning.
            let legal = with_case(&program, |case| Some(case.is_legal()));
            assert_eq!(legal, Some(true), "{}\n{}", program.name, program.text);
        }
    }

    /// A matrix that recordings name must not change: so many situations of each kind, and these uses in each.
    #[test]
    fn there_are_so_many_of_each_kind() {
        let all = driver_situations();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut names = BTreeSet::new();
        for program in &all {
            assert!(
                names.insert(&program.name),
                "{} is there twice",
                program.name
            );
            let kind: Vec<&str> = program.name.split('.').take(2).collect();
            *counts.entry(kind.join(".")).or_default() += 1;
        }
        assert_eq!(all.len(), 352);
        // By hand: of 13 uses of buffers 3 write, so 3 times 13 pairs begin with a write and 10 times 3 end with one; of the 6
        // of a compute queue 2 write. A global barrier needs a write before it, and has the pair of everything.
        assert_eq!(counts["gfx.buf"], 3 * 13 + 10 * 3);
        assert_eq!(counts["gfx.mem"], 3 * 13 + 1);
        assert_eq!(counts["compute.buf"], 2 * 6 + 4 * 2);
        assert_eq!(counts["compute.mem"], 2 * 6 + 1);
        // Textures: from each use, and from nothing, to each; not from a reader to another of its layout.
        assert_eq!(counts["gfx.tex"], 5 * 4 - 4 - 1);
        assert_eq!(counts["gfx.rtimg"], 4 * 3 - 1);
    }
}
