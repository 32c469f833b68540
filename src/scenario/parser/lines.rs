//! Repeated lines: a long text repeats the same few commands, so the meaning of a line is worked out once.
//!
//! Only whole commands on one line are kept, without comments and without mistakes, in texts without expectations. What
//! such a line means depends on nothing but its text and the names declared before it: names keep their meaning, and after
//! a new resource, which may be called `null` or `off`, the line is read again.

use super::super::model::{Command, CommandKind, Trivia};
use super::{COMMANDS_MAX, Parser};
use crate::finding::Span;

/// Lines that are kept at most; each has two slots to choose from.
const SLOTS: usize = 4096;
/// Bytes of the longest line that is kept.
const LINE_MAX: usize = 1024;

/// The meanings of lines.
#[derive(Default)]
pub(super) struct Lines<'s> {
    slots: Vec<Slot<'s>>,
}

#[derive(Clone, Default)]
struct Slot<'s> {
    /// Of the line that came last. Its meaning is kept when the line is repeated: lines that all differ are not worth the memory.
    hash: u64,
    known: Option<Box<Known<'s>>>,
}

#[derive(Clone)]
struct Known<'s> {
    line: &'s str,
    /// Number of resources that were declared.
    resources: usize,
    command: Command,
    /// Commands and entries that it counts as.
    counted: u64,
}

/// The rest of the text's line at a command.
#[derive(Copy, Clone)]
pub(super) struct Line<'s> {
    text: &'s str,
    start: u32,
    hash: u64,
    /// Commands, and mistakes, before it.
    commands: u64,
    findings: usize,
}

impl<'s> Parser<'s, '_> {
    /// The line from the current token on, which begins a command, if what it means may be kept.
    pub(super) fn line_of_command(&self) -> Option<Line<'s>> {
        if !self.is_plain() {
            return None;
        }
        let rest = &self.text[self.span.start as usize..];
        let near = &rest.as_bytes()[..rest.len().min(LINE_MAX + 1)];
        let end = match memchr::memchr(b'\n', near) {
            Some(end) => end,
            None if near.len() > LINE_MAX => return None,
            None => rest.len(),
        };
        let text = &rest[..end];
        Some(Line {
            text,
            start: self.span.start,
            hash: hash(text.as_bytes()),
            commands: self.commands,
            findings: self.findings.len(),
        })
    }

    /// Takes the kept meaning of a repeated line. Returns whether there was one.
    pub(super) fn recall(&mut self, line: &Line<'s>, out: &mut Vec<Command>) -> bool {
        if self.caches.lines.slots.is_empty() {
            return false;
        }
        let resources = self.known().resources.len();
        let known = line.slots().into_iter().find_map(|at| {
            let known = self.caches.lines.slots[at].known.as_ref();
            known.filter(|known| known.line == line.text && known.resources == resources)
        });
        let Some(known) = known else {
            return false;
        };
        if self.commands + known.counted > COMMANDS_MAX {
            return false;
        }
        self.commands += known.counted;
        let command = moved(&known.command, line.start);
        // As if its last token had been taken.
        self.go_on_after(command.span);
        out.push(command);
        true
    }

    /// Keeps the meaning of a line, if the line is repeated and may be kept.
    pub(super) fn remember(&mut self, line: &Line<'s>, command: &Command) {
        if self.caches.lines.slots.is_empty() {
            self.caches.lines.slots.resize(SLOTS, Slot::default());
        }
        let resources = self.known().resources.len();
        let is_right = self.findings.len() == line.findings;
        let slots = &mut self.caches.lines.slots;
        let [one, other] = line.slots();
        let Some(at) = [one, other]
            .into_iter()
            .find(|at| slots[*at].hash == line.hash)
        else {
            // An empty slot, or one that keeps nothing yet.
            let free = |at: &&usize| slots[**at].hash == 0;
            let empty = |at: &&usize| slots[**at].known.is_none();
            let both = [one, other];
            let at = both.iter().find(free).or(both.iter().find(empty));
            let at = at.copied().unwrap_or(other);
            slots[at].hash = line.hash;
            return;
        };
        let slot = &mut slots[at];
        let length = (command.span.end - line.start) as usize;
        let is_whole = line
            .text
            .get(length..)
            .is_some_and(|rest| rest.bytes().all(|b| matches!(b, b' ' | b'\t' | b'\r')));
        if is_whole && is_right && is_bare(command) {
            slot.known = Some(Box::new(Known {
                line: line.text,
                resources,
                command: command.clone(),
                counted: self.commands - line.commands,
            }));
        }
    }
}

impl Line<'_> {
    fn slots(&self) -> [usize; 2] {
        let one = (self.hash >> 32) as usize % SLOTS;
        [one, one ^ 1]
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| {
        mix(hash, u64::from_le_bytes(*word))
    });
    let last = rest
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte));
    let hash = mix(hash, last);
    hash ^ hash >> 29
}

/// Whether nothing of a command has a comment.
fn is_bare(command: &Command) -> bool {
    let none = |trivia: &Trivia| trivia.is_empty();
    let entries = match &command.kind {
        CommandKind::Barrier(entries)
        | CommandKind::FenceBarrier {
            barriers: entries, ..
        } => entries.iter().all(|e| none(&e.trivia)),
        CommandKind::Legacy(entries) => entries.iter().all(|e| none(&e.trivia)),
        _ => true,
    };
    entries && none(&command.trivia) && command.uses.iter().all(|u| none(&u.trivia))
}

/// The same command at another place of the text.
fn moved(command: &Command, start: u32) -> Command {
    let base = command.span.start;
    let to = |span: &mut Span| {
        *span = Span::new(span.start - base + start, span.end - base + start);
    };
    let mut command = command.clone();
    to(&mut command.span);
    command.uses.iter_mut().for_each(|u| to(&mut u.span));
    match &mut command.kind {
        CommandKind::Barrier(entries)
        | CommandKind::FenceBarrier {
            barriers: entries, ..
        } => entries.iter_mut().for_each(|e| to(&mut e.span)),
        CommandKind::Legacy(entries) => entries.iter_mut().for_each(|e| to(&mut e.span)),
        _ => {}
    }
    command
}

#[cfg(test)]
mod tests {
    use crate::finding::Source;
    use crate::id::ListId;
    use crate::scenario::{Scenario, parse};

    const DECLARATIONS: &str = "queue gfx : direct\nfence f = 0\n\
        buffer a : 64KiB { flags UNORDERED_ACCESS }\nbuffer b : 64KiB\n\
        buffer s : 64KiB { flags RAYTRACING_ACCELERATION_STRUCTURE|UNORDERED_ACCESS }\n\
        texture t : R8G8B8A8_UNORM 64x64 { mips 2; flags RENDER_TARGET }\n\
        texture d : D32_FLOAT 64x64 { flags DEPTH_STENCIL }\n\
        list bundled : bundle { draw vertices 3 }\n";

    /// One of each kind that fits on one line.
    const COMMANDS: [&str; 23] = [
        "draw \"one\" vertices 3 pixels 4 { VERTEX_BUFFER a; SHADER_RESOURCE t[mip 0..1] @ PIXEL_SHADING; RENDER_TARGET t }",
        "draw-indexed { INDEX_BUFFER b }",
        "dispatch 8x8x1 threads 64 { UNORDERED_ACCESS a[0..256] writes }",
        "dispatch 8x8x1 kernel \"blur.litmus\"",
        "dispatch-rays 4x4 { RAYTRACING_ACCELERATION_STRUCTURE_READ s }",
        "execute-indirect draw { INDIRECT_ARGUMENT b }",
        "predicate b",
        "predicate off",
        "set-root compute { SHADER_RESOURCE b }",
        "copy a -> b   ",
        "resolve t -> t",
        "clear-rtv t",
        "clear-dsv d",
        "clear-uav a",
        "discard t",
        "build-as { RAYTRACING_ACCELERATION_STRUCTURE_WRITE s }",
        "copy-as s -> s",
        "execute-bundle bundled",
        "barrier { buffer a { sync COPY -> ALL; access COPY_DEST -> COMMON }; global { sync ALL -> ALL } }",
        "barrier { texture null { sync ALL -> ALL } }",
        "legacy { transition t RENDER_TARGET -> COMMON; uav a }",
        "signal-barrier f 1 { buffer a { sync COPY -> NONE; access COPY_DEST -> COMMON } }",
        "assert layout t RENDER_TARGET",
    ];

    fn parsed(text: &str) -> (Source, Scenario) {
        let source = Source::new("lines.scn", text);
        let (scenario, findings) = parse(&source);
        assert!(findings.is_empty(), "{findings:?}");
        (source, scenario)
    }

    /// A recalled line means the same as if it were read; a text with an expectation is always read.
    #[test]
    fn a_line_that_comes_again_means_the_same() {
        let mut text = String::from(DECLARATIONS);
        text.push_str("list main : direct {\n");
        for round in 0..4 {
            for command in COMMANDS {
                text += &" ".repeat(round);
                text += command;
                text.push('\n');
            }
        }
        text.push_str(
            "\n// a comment\ncopy a -> b\ncopy a -> b // beside it\ncopy a -> b; copy a -> b\n}\n",
        );
        let (_, recalled) = parsed(&text);
        // After everything else, so that no place differs.
        let (_, mut read) = parsed(&format!("{text}//~ none"));
        read.expectations.clear();
        read.trailing = recalled.trailing.clone();
        assert_eq!(recalled.lists, read.lists);
        assert_eq!(recalled, read);
    }

    /// What a name means may change although nothing of that name is declared in between.
    #[test]
    fn a_new_resource_makes_lines_be_read_again() {
        let list = |name: &str| {
            format!(
                "list {name} : direct {{\n{}}}\n",
                "predicate off\n".repeat(3)
            )
        };
        let text = format!("{}buffer off : 4KiB\n{}", list("before"), list("after"));
        let (_, scenario) = parsed(&text);
        let uses = |at: usize| {
            let commands = scenario.lists[ListId::new(at)].commands.iter();
            commands.map(|c| c.uses.len()).collect::<Vec<_>>()
        };
        assert_eq!((uses(0), uses(1)), (vec![0; 3], vec![1; 3]));
    }

    #[test]
    fn a_mistake_is_said_each_time() {
        let line = "copy nothing -> nothing\n";
        let text = format!("list main : direct {{\n{}}}\n", line.repeat(3));
        let (_, findings) = parse(&Source::new("lines.scn", text));
        assert_eq!(findings.len(), 3, "{findings:?}");
    }
}
