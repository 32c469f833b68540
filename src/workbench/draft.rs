//! How a situation is written: declarations, commands by call, and the words of barriers and commands in it.

use super::uses::{self, ProgramResources, Row, SideText};
use crate::api::{BarrierAccess, BarrierSync, QueueType, compat};
use std::fmt::Write as _;

/// Where commands run, and on what.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) queue: QueueType,
    /// What a declaration has after the flags of its kind: more of them, each with a `|` before it, or options, each with a
    /// `; `.
    pub(super) flags: &'static str,
}

impl Setting {
    /// A direct queue, and a resource as its kind has it.
    pub(super) const USUAL: Self = Self::on(QueueType::Direct);

    pub(super) const fn on(queue: QueueType) -> Self {
        Self { queue, flags: "" }
    }

    /// Whether a row's command can run there.
    pub(super) fn has(self, row: &Row) -> bool {
        let sync = BarrierSync::parse_one(row.sync).map_or(BarrierSync::NONE, |sync| sync);
        compat::queue_accesses(self.queue).contains(row.access)
            && self.queue.leaves().contains(sync.leaves())
    }

    /// What a name of a situation begins with.
    pub(super) fn words(self) -> Vec<&'static str> {
        let queue = (self.queue != QueueType::Direct).then_some(self.queue.word());
        let flags = self.flags.split(['|', ';', ' ']);
        let flags = flags.filter(|flag| !flag.is_empty());
        queue.into_iter().chain(flags).collect()
    }
}

/// A program that is being written.
pub(super) struct Draft {
    queue: QueueType,
    declarations: String,
    /// Commands, by call of `ExecuteCommandLists`.
    calls: Vec<String>,
    /// Copies and resolves are not promised to be in memory when they end (reading R20).
    pub(super) asynchronous: bool,
    /// Marks of what commands name next to their resource, but for the usual ones.
    marks: Vec<String>,
}

impl Draft {
    pub(super) fn new() -> Self {
        Self {
            queue: QueueType::Direct,
            declarations: String::new(),
            calls: vec![String::new()],
            asynchronous: false,
            marks: Vec::new(),
        }
    }

    /// A program about one resource, `a`, that starts as a row leaves it.
    pub(super) fn about(place: Setting, kind: ProgramResources, first: &Row) -> Self {
        let initial = if kind.is_buffer() {
            String::new()
        } else {
            format!("; initial {}", first.layout)
        };
        Self::placed(place, kind, &initial)
    }

    /// Uses of others come here: every cache has lines of theirs then, many of them dirty.
    pub(super) fn others(&mut self) -> &mut Self {
        if !self.declarations.contains(OTHERS) {
            self.declarations.push_str(OTHERS);
        }
        let commands = match self.queue {
            QueueType::Copy => &OTHER_COMMANDS[..1],
            QueueType::Compute => &OTHER_COMMANDS[..4],
            _ => &OTHER_COMMANDS,
        };
        for command in commands {
            self.add(command);
        }
        self
    }

    pub(super) fn declaring(kind: ProgramResources, options: &str) -> Self {
        Self::placed(Setting::USUAL, kind, options)
    }

    pub(super) fn placed(place: Setting, kind: ProgramResources, options: &str) -> Self {
        let mut draft = Self::new();
        draft.queue = place.queue;
        draft.declarations = kind.declaration("a", &format!("{}{options}", place.flags));
        draft
    }

    pub(super) fn add(&mut self, command: &str) -> &mut Self {
        let call = self.calls.last_mut().expect("there is one");
        let _ = writeln!(call, "    {command}");
        self
    }

    /// A command on `a` that shares nothing else with other commands.
    pub(super) fn apart(&mut self, row: &Row) -> &mut Self {
        let mark = format!("_{}", self.marks.len());
        self.add(&row.with("a", &mark));
        self.marks.push(mark);
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
    pub(super) fn done(&mut self, kinds: &[ProgramResources]) -> String {
        let mut text = std::mem::take(&mut self.declarations);
        let commands = self.calls.concat();
        for (kind, mark) in kinds.iter().zip(["", SECOND]) {
            text.push_str(&kind.companions(&commands, mark, self.queue));
        }
        for mark in &self.marks {
            text.push_str(&kinds[0].companions(&commands, mark, self.queue));
        }
        let queue = self.queue.word();
        let _ = writeln!(text, "queue q : {queue}");
        if self.asynchronous {
            text.insert_str(0, "device { copies asynchronous }\n");
            for (at, call) in self.calls.iter().enumerate() {
                let _ = write!(text, "list l{at} : {queue} extended-async {{\n{call}}}\n");
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
    pub(super) fn sharing_memory(
        queue: QueueType,
        first: ProgramResources,
        second: ProgramResources,
    ) -> Self {
        let mut draft = Self::new();
        draft.queue = queue;
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
        (first, x): (ProgramResources, &'static Row),
        (second, y, z): (ProgramResources, &'static Row, &'static Row),
    ) {
        let place = Setting::on(self.queue);
        let mut openers = first
            .rows()
            .iter()
            .filter(|row| row.writes() && place.has(row));
        let opener = if x.writes() { Some(x) } else { openers.next() };
        let opener = opener.expect("a kind can be written where it is read");
        if !first.is_buffer() {
            self.barrier(&activated(first, "a", "NONE", opener));
        }
        self.add(&only_writes(opener, "a"));
        if !x.writes() {
            self.barrier(&uses::entry(first, "a", side(opener), side(x)));
            self.add(&used(x, "a"));
        }
        let gone = SideText {
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

/// Uses of it, by every way through the caches. Copies come first: what they promise writes lines back. One runs on a copy
/// queue, four on a compute queue.
const OTHER_COMMANDS: [&str; 7] = [
    "copy given -> stored",
    "build-as { RAYTRACING_ACCELERATION_STRUCTURE_WRITE scene }",
    "dispatch 1x1x1 { CONSTANT_BUFFER given }",
    "dispatch 1x1x1 { UNORDERED_ACCESS other; UNORDERED_ACCESS image; SHADER_RESOURCE given; SHADER_RESOURCE shown }",
    "resolve sampled -> resolved",
    "draw { CONSTANT_BUFFER given; SHADER_RESOURCE shown @ PIXEL_SHADING }",
    "draw { RENDER_TARGET target; DEPTH_STENCIL_WRITE depth; VERTEX_BUFFER given; INDEX_BUFFER given }",
];

/// A side of a barrier that names a row as it is.
pub(super) fn plain(row: &Row, access: &'static str) -> SideText<'static> {
    SideText {
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

pub(super) fn side(row: &Row) -> SideText<'static> {
    plain(row, access(row))
}

/// The barrier that makes a resource the one in its memory.
fn activated(kind: ProgramResources, name: &str, after: &str, row: &Row) -> String {
    let before = SideText {
        sync: after,
        access: "NO_ACCESS",
        layout: "UNDEFINED",
    };
    let entry = uses::entry(kind, name, before, side(row));
    if kind.is_buffer() {
        return entry;
    }
    discarding(&entry)
}

/// An entry that discards as well.
pub(super) fn discarding(entry: &str) -> String {
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
