//! How a situation is written: declarations, commands by call, and the words of barriers and commands in it.

use super::uses::{self, Kind, Row, Side};
use crate::api::BarrierAccess;
use std::fmt::Write as _;

/// A program that is being written.
pub(super) struct Draft {
    declarations: String,
    /// Commands, by call of `ExecuteCommandLists`.
    calls: Vec<String>,
    /// Copies and resolves are not promised to be in memory when they end (reading R20).
    pub(super) asynchronous: bool,
}

impl Draft {
    pub(super) fn new() -> Self {
        Self {
            declarations: String::new(),
            calls: vec![String::new()],
            asynchronous: false,
        }
    }

    /// A program about one resource, `a`, that starts as a row leaves it.
    pub(super) fn about(kind: Kind, first: &Row) -> Self {
        let initial = if kind.is_buffer() {
            String::new()
        } else {
            format!("; initial {}", first.layout)
        };
        Self::declaring(kind, &initial)
    }

    /// Uses of others come here: every cache has lines of theirs then, many of them dirty.
    pub(super) fn others(&mut self) -> &mut Self {
        if !self.declarations.contains(OTHERS) {
            self.declarations.push_str(OTHERS);
        }
        for command in OTHER_COMMANDS {
            self.add(command);
        }
        self
    }

    pub(super) fn declaring(kind: Kind, options: &str) -> Self {
        let mut draft = Self::new();
        draft.declarations = kind.declaration("a", options);
        draft
    }

    pub(super) fn add(&mut self, command: &str) -> &mut Self {
        let call = self.calls.last_mut().expect("there is one");
        let _ = writeln!(call, "    {command}");
        self
    }

    pub(super) fn barrier(&mut self, entry: &str) -> &mut Self {
        self.add(&format!("barrier {{ {entry} }}"))
    }

    pub(super) fn next_call(&mut self) -> &mut Self {
        self.calls.push(String::new());
        self
    }

    /// The program, with what the commands on `a`, and on `b`, name next to their resource.
    pub(super) fn done(&mut self, kinds: &[Kind]) -> String {
        let mut text = std::mem::take(&mut self.declarations);
        let commands = self.calls.concat();
        for (kind, mark) in kinds.iter().zip(["", SECOND]) {
            text.push_str(&kind.companions(&commands, mark));
        }
        text.push_str("queue q : direct\n");
        if self.asynchronous {
            text.insert_str(0, "device { copies asynchronous }\n");
            for (at, call) in self.calls.iter().enumerate() {
                let _ = write!(text, "list l{at} : direct extended-async {{\n{call}}}\n");
            }
        }
        text.push_str("timeline {\n");
        for (at, call) in self.calls.iter().enumerate() {
            let _ = if self.asynchronous {
                writeln!(text, "  q execute l{at}")
            } else {
                write!(text, "  q execute {{\n{call}  }}\n")
            };
        }
        text + "}\n"
    }

    /// A program about two resources in the same memory, `a` and `b`.
    pub(super) fn sharing_memory(first: Kind, second: Kind) -> Self {
        let mut draft = Self::new();
        draft.declarations.push_str("heap h : 1MiB\n");
        for (kind, name) in [(first, "a"), (second, "b")] {
            let initial = if kind.is_buffer() {
                ""
            } else {
                "; initial UNDEFINED"
            };
            let place = format!("{initial}; heap h at 0");
            draft.declarations.push_str(&kind.declaration(name, &place));
        }
        draft
    }

    /// `a` is used as the row `x` says, then `b` is written as `y` says and read as `z` says.
    pub(super) fn taking_turns(
        &mut self,
        (first, x): (Kind, &'static Row),
        (second, y, z): (Kind, &'static Row, &'static Row),
    ) {
        let opener = if x.writes() { x } else { &first.rows()[0] };
        if !first.is_buffer() {
            self.barrier(&activated(first, "a", "NONE", opener));
        }
        self.add(&only_writes(opener, "a"));
        if !x.writes() {
            self.barrier(&uses::entry(first, "a", side(opener), side(x)));
            self.add(&used(x, "a"));
        }
        let gone = Side {
            sync: y.sync,
            ..plain(x, "NO_ACCESS")
        };
        self.others();
        self.barrier(&uses::entry(first, "a", side(x), gone));
        // Barriers order work and not each other (reading R12): this one waits for the same work.
        let waits = if x.sync == y.sync {
            x.sync.to_owned()
        } else {
            format!("{}|{}", x.sync, y.sync)
        };
        self.barrier(&activated(second, "b", &waits, y));
        self.add(&only_writes(y, "b"));
        self.barrier(&uses::entry(second, "b", side(y), side(z)));
        self.add(&used(z, "b"));
    }
}

/// What else there is: a barrier is not about it.
const OTHERS: &str = "\
buffer other : 256B { flags UNORDERED_ACCESS }
buffer given : 256B
texture target : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET; initial RENDER_TARGET }
texture depth : D32_FLOAT 8x8 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }
texture image : R8G8B8A8_UNORM 8x8 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
texture shown : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET; initial SHADER_RESOURCE }
texture sampled : R8G8B8A8_UNORM 8x8 { samples 4; flags RENDER_TARGET; initial RESOLVE_SOURCE }
texture resolved : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET; initial RESOLVE_DEST }
buffer stored : 256B
buffer scene : 256B { flags UNORDERED_ACCESS|RAYTRACING_ACCELERATION_STRUCTURE }
";

/// Uses of it, by every way through the caches. Copies and resolves come first: what they promise writes lines back.
const OTHER_COMMANDS: [&str; 7] = [
    "resolve sampled -> resolved",
    "copy given -> stored",
    "build-as { RAYTRACING_ACCELERATION_STRUCTURE_WRITE scene }",
    "dispatch 1x1x1 { CONSTANT_BUFFER given }",
    "dispatch 1x1x1 { UNORDERED_ACCESS other; UNORDERED_ACCESS image; SHADER_RESOURCE given; SHADER_RESOURCE shown }",
    "draw { CONSTANT_BUFFER given; SHADER_RESOURCE shown @ PIXEL_SHADING }",
    "draw { RENDER_TARGET target; DEPTH_STENCIL_WRITE depth; VERTEX_BUFFER given; INDEX_BUFFER given }",
];

/// A side of a barrier that names a row as it is.
pub(super) fn plain(row: &Row, access: &'static str) -> Side<'static> {
    Side {
        sync: row.sync,
        access,
        layout: row.layout,
    }
}

/// The name of a row's access; each has one.
pub(super) fn access(row: &Row) -> &'static str {
    let mut names = row.access.iter_names();
    names.next().map_or("COMMON", |(name, _)| name)
}

pub(super) fn side(row: &Row) -> Side<'static> {
    plain(row, access(row))
}

/// The barrier that makes a resource the one in its memory.
fn activated(kind: Kind, name: &str, after: &str, row: &Row) -> String {
    let before = Side {
        sync: after,
        access: "NO_ACCESS",
        layout: "UNDEFINED",
    };
    let entry = uses::entry(kind, name, before, side(row));
    if kind.is_buffer() {
        return entry;
    }
    format!("{}; discard }}", entry.trim_end_matches(" }"))
}

/// A command on one of two resources.
fn used(row: &Row, name: &str) -> String {
    row.with(name, if name == "b" { SECOND } else { "" })
}

/// What marks the names of resources that are next to `b`.
const SECOND: &str = "2";

/// A command that writes and reads nothing of what was there.
pub(super) fn only_writes(row: &Row, name: &str) -> String {
    let command = used(row, name);
    if row.access == BarrierAccess::UNORDERED_ACCESS {
        return command.replace(" }", " writes }");
    }
    command
}
