//! Long texts in parts: commands of a list, and lists, are read side by side.
//!
//! The lines of a list's body mean the same wherever in the list they are, and a list means the same whatever other
//! lists say. So the text is cut where a line looks like the beginning of a command (or of a list), and the parts are
//! read at the same time. What a line looks like is only a guess: a part counts if it was read without a mistake from
//! its first line to its last and nothing was left open, which is what the whole text would have given for these
//! lines. Any other part is dropped and read again in its place. The result is that of reading from front to back,
//! however many parts there are; a text with mistakes in many places takes a little longer.

use super::super::model::{Allow, BarrierFields, Command, Declaration, List, Scenario, UseFields};
use super::blocks::Blocks;
use super::lines::Lines;
use super::{COMMANDS_MAX, LISTS_MAX, Parser, parse_with};
use crate::finding::{Finding, Source};
use crate::id::{ListId, Table};
use crate::lookup::{LookupMap, LookupSet};
use crate::parallel::prelude::*;
use crate::scenario::lexer::Token;
use crate::tokens::Tokens;
use memchr::{memchr, memchr_iter, memrchr};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// How a long text is cut.
#[derive(Copy, Clone, Debug)]
pub struct Parts {
    /// Parts that are read at the same time, 1 is no cutting; `None`: as many as there are threads.
    pub count: Option<usize>,
    /// Bytes of a part at least.
    pub bytes: usize,
}

/// Bytes of a part: reading it takes a millisecond or two.
const PART_BYTES: usize = 512 << 10;
/// Parts at the same time at most: each has tables of its own.
const PARTS_MAX: usize = 16;

impl Default for Parts {
    fn default() -> Self {
        Self {
            count: None,
            bytes: PART_BYTES,
        }
    }
}

/// [`parse`](super::parse) with parts of one's own choosing. The result does not depend on them.
pub fn parse_in_parts(source: &Source, parts: Parts) -> (Scenario, Vec<Finding>) {
    let mut parser = Parser::new(Tokens::new(source));
    if source.text.len() >= 2 * parts.bytes && parser.expecting.is_empty() {
        // Asking for the number of threads starts them.
        let count = parts
            .count
            .unwrap_or_else(crate::parallel::current_num_threads);
        let count = count.min(PARTS_MAX);
        if count > 1 {
            parser.parts = Progress::new(count, parts.bytes);
        }
    }
    parse_with(parser)
}

/// What a run over a text remembers to be quick; what it finds does not depend on it.
#[derive(Default)]
pub(super) struct Caches<'s> {
    pub(super) lines: Lines<'s>,
    pub(super) blocks: Blocks<'s>,
    pub(super) uses: Alike<UseFields>,
    pub(super) entries: Alike<BarrierFields>,
}

/// Values that were seen, so that equal ones share their memory.
pub(super) struct Alike<T> {
    known: Known<T>,
    /// Those that any part has seen: each part asks here for what is new to it.
    common: Option<Arc<Mutex<Known<T>>>>,
}

type Known<T> = LookupSet<Arc<T>>;

/// Different values that are remembered; then remembering begins again, and what the parts have seen is no longer put
/// together: a text of so many different values has few that are equal.
const ALIKE_MAX: usize = 1 << 16;

impl<T> Default for Alike<T> {
    fn default() -> Self {
        Self {
            known: Known::default(),
            common: None,
        }
    }
}

impl<T: Eq + Hash> Alike<T> {
    /// The value, as it was seen before if it was.
    pub(super) fn of(&mut self, value: T) -> Arc<T> {
        if let Some(known) = self.known.get(&value) {
            return Arc::clone(known);
        }
        if self.known.len() == ALIKE_MAX {
            self.known.clear();
            self.common = None;
        }
        let value = self.in_common(value);
        self.known.insert(Arc::clone(&value));
        value
    }

    /// The value, as any part has seen it before.
    fn in_common(&self, value: T) -> Arc<T> {
        let Some(common) = &self.common else {
            return Arc::new(value);
        };
        // Whoever panics with the table in hand ends the reading with it.
        let mut common = common.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = common.get(&value) {
            return Arc::clone(known);
        }
        let value = Arc::new(value);
        if common.len() < ALIKE_MAX {
            common.insert(Arc::clone(&value));
        }
        value
    }
}

/// What a text declares before one of its parts.
#[derive(Copy, Clone)]
pub(super) struct Before<'d> {
    pub(super) scenario: &'d Scenario,
    pub(super) lists: &'d LookupMap<String, ListId>,
}

/// How far the cutting of a text has come.
pub(super) struct Progress<'s> {
    /// Bytes of a part at least.
    bytes: usize,
    /// Where parts are tried next.
    next: usize,
    /// Bytes that are read without cutting after parts that were dropped: twice as many each time.
    pause: usize,
    /// One for each part that is read at the same time.
    caches: Vec<Caches<'s>>,
}

impl Progress<'_> {
    /// Of a text that is not cut.
    pub(super) fn never() -> Self {
        Self {
            bytes: 0,
            next: usize::MAX,
            pause: 0,
            caches: Vec::new(),
        }
    }

    fn new(count: usize, bytes: usize) -> Self {
        let (uses, entries) = (Arc::default(), Arc::default());
        let caches = || Caches {
            uses: Alike {
                common: Some(Arc::clone(&uses)),
                ..Alike::default()
            },
            entries: Alike {
                common: Some(Arc::clone(&entries)),
                ..Alike::default()
            },
            ..Caches::default()
        };
        Self {
            bytes,
            next: 0,
            pause: 2 * bytes,
            caches: (0..count).map(|_| caches()).collect(),
        }
    }
}

/// What the text is cut into.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Items {
    /// Commands of one list, which is open.
    Commands,
    /// Declarations of lists.
    Lists,
}

/// A part: from the line end before its first line to the end of its last.
#[derive(Copy, Clone)]
struct Cut {
    from: usize,
    to: usize,
}

/// What a part says.
#[derive(Default)]
struct Said {
    commands: Vec<Command>,
    lists: Table<ListId, List>,
    allows: Vec<Allow>,
    /// Commands and entries that it counts as.
    counted: u64,
}

impl Parser<'_, '_> {
    /// Whether the text is long enough, and this place one at which it may be cut: the end of a line with a statement.
    #[inline]
    pub(super) fn is_part_due(&self) -> bool {
        self.span.start as usize >= self.parts.next
            && self.token == Token::Newline
            && self.pending_allow.is_empty()
            && !self.stopped
    }

    /// Reads commands of the open list in parts, as long as there are enough.
    pub(super) fn commands_in_parts(&mut self, out: &mut Vec<Command>) {
        self.in_parts(Items::Commands, &mut |_, mut said| {
            out.append(&mut said.commands);
            true
        });
    }

    /// Reads lists in parts, as long as nothing else is declared between them.
    pub(super) fn lists_in_parts(&mut self) {
        self.in_parts(Items::Lists, &mut Self::take_lists);
    }

    /// Takes the lists of a part, if each may be declared here.
    fn take_lists(&mut self, said: Said) -> bool {
        let names = || said.lists.iter().filter_map(|list| list.name.as_ref());
        if self.out.lists.len() + said.lists.len() > LISTS_MAX
            || names().any(|name| self.lists.contains_key(name))
        {
            return false;
        }
        for list in said.lists {
            let name = list.name.clone();
            let id = self.out.lists.push(list);
            self.lists.extend(name.map(|name| (name, id)));
            self.out.order.push(Declaration::List(id));
        }
        true
    }

    /// Reads on in parts, and goes on after the last that was taken.
    fn in_parts(&mut self, items: Items, take: &mut dyn FnMut(&mut Self, Said) -> bool) {
        let start = self.span.start as usize;
        let mut at = start;
        loop {
            let (cuts, end) = self.cuts(at, items);
            if cuts.len() < 2 {
                // After a short body there may be a longer one around it.
                self.parts.next = end.unwrap_or(at + self.parts.bytes);
                break;
            }
            let all = self.read_parts(&cuts, items);
            let mut taken = 0;
            for said in all {
                let Some(mut said) = said else { break };
                let (allows, counted) = (std::mem::take(&mut said.allows), said.counted);
                if self.commands + counted > COMMANDS_MAX || !take(self, said) {
                    break;
                }
                self.commands += counted;
                self.out.allows.extend(allows);
                taken += 1;
            }
            at = cuts[..taken].last().map_or(at, |cut| cut.to - 1);
            if taken < cuts.len() {
                self.parts.next = at + self.parts.pause;
                self.parts.pause *= 2;
                break;
            }
        }
        if at > start {
            self.go_on_at(at);
        }
    }

    /// Cuts what follows the line end at `from`. Also where the list or group ends, if that is near.
    fn cuts(&self, from: usize, items: Items) -> (Vec<Cut>, Option<usize>) {
        let (count, bytes) = (self.parts.caches.len(), self.parts.bytes);
        let text = self.text.as_bytes();
        let reach = text.len().min(from + (count + 1) * bytes);
        let indent = indent(&text[from + 1..]);
        let end = match items {
            Items::Commands => end(text, from, reach, indent),
            Items::Lists => None,
        };
        let mut cuts: Vec<Cut> = Vec::new();
        let mut last = from;
        while cuts.len() < count {
            let wanted = last + bytes;
            let found = match end {
                Some(end) if wanted >= end => Some(end),
                _ if wanted >= reach => None,
                _ => begin(text, wanted, reach, indent, items).or(end),
            };
            let Some(found) = found else { break };
            let to = without_comments(text, last + 1, found);
            if to <= last + 1 {
                break;
            }
            cuts.push(Cut { from: last, to });
            last = to - 1;
            if end == Some(found) {
                break;
            }
        }
        (cuts, end)
    }

    /// What each part says; `None` of a part that is not understood by itself.
    fn read_parts(&mut self, cuts: &[Cut], items: Items) -> Vec<Option<Said>> {
        let mut caches = std::mem::take(&mut self.parts.caches);
        let before = Before {
            scenario: &self.out,
            lists: &self.lists,
        };
        let (source, depth) = (self.source, self.depth);
        let said = caches
            .as_mut_slice()
            .into_par_iter()
            .zip(cuts)
            .map(|(caches, cut)| read_part(source, before, caches, *cut, (items, depth)))
            .collect();
        self.parts.caches = caches;
        said
    }
}

/// Reads one part.
fn read_part<'s>(
    source: &'s Source,
    before: Before<'_>,
    caches: &mut Caches<'s>,
    cut: Cut,
    (items, depth): (Items, u32),
) -> Option<Said> {
    let mut parser = Parser::new(Tokens::at_rest(source, &source.text[..cut.to]));
    parser.before = Some(before);
    parser.caches = std::mem::take(caches);
    parser.depth = depth;
    parser.go_on_at(cut.from);
    let mut commands = Vec::new();
    let is_whole = parser.part(items, &mut commands);
    *caches = std::mem::take(&mut parser.caches);
    is_whole.then_some(Said {
        commands,
        lists: parser.out.lists,
        allows: parser.out.allows,
        counted: parser.commands,
    })
}

impl Parser<'_, '_> {
    /// Reads to the end of a part. Returns whether all of it was understood and nothing is left over.
    fn part(&mut self, items: Items, commands: &mut Vec<Command>) -> bool {
        loop {
            self.skip_separators();
            let read = match (self.token, items) {
                (Token::End, _) => return self.pending.is_empty() && self.pending_allow.is_empty(),
                (Token::CloseBrace, _) => return false,
                (_, Items::Commands) => self.command(false, commands),
                (_, Items::Lists) if !self.at_word("list") => return false,
                (_, Items::Lists) => {
                    let start = self.begin(false);
                    self.declaration(start)
                }
            };
            if read.is_err() || !self.findings.is_empty() {
                return false;
            }
        }
    }
}

/// The blanks at the beginning of the next line that has a word.
fn indent(text: &[u8]) -> usize {
    let mut line = 0;
    loop {
        let blanks = text[line..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        match text.get(line + blanks) {
            Some(b'\n' | b'\r' | b'/') => match memchr(b'\n', &text[line..]) {
                Some(end) => line += end + 1,
                None => return blanks,
            },
            _ => return blanks,
        }
    }
}

/// The first line in `from..to` with a closing brace that is indented less.
fn end(text: &[u8], from: usize, to: usize, indent: usize) -> Option<usize> {
    let closes = |line: &usize| {
        let blanks = text[*line..]
            .iter()
            .take(indent)
            .take_while(|b| **b == b' ' || **b == b'\t');
        let blanks = blanks.count();
        (blanks < indent || indent == 0) && text.get(line + blanks) == Some(&b'}')
    };
    let mut lines = memchr_iter(b'\n', &text[from..to]).map(|at| from + at + 1);
    lines.find(closes)
}

/// The first line in `from..to` that looks like a command indented like this, or like a list.
fn begin(text: &[u8], from: usize, to: usize, indent: usize, items: Items) -> Option<usize> {
    memchr_iter(b'\n', &text[from..to])
        .map(|at| from + at + 1)
        .find(|line| {
            let rest = &text[*line..];
            match items {
                Items::Lists => rest.starts_with(b"list "),
                Items::Commands => {
                    let (blanks, rest) = rest.split_at(indent.min(rest.len()));
                    blanks.iter().all(|byte| matches!(byte, b' ' | b'\t'))
                        && rest.first().is_some_and(u8::is_ascii_lowercase)
                }
            }
        })
}

/// The place of a line, or of the comments and empty lines before it: they belong to what follows.
fn without_comments(text: &[u8], from: usize, mut line: usize) -> usize {
    while line > from {
        let start = memrchr(b'\n', &text[from..line - 1]).map_or(from, |at| from + at + 1);
        let before = text[start..line].trim_ascii();
        if !before.is_empty() && !before.starts_with(b"//") {
            break;
        }
        line = start;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    const WHOLE: Parts = Parts {
        count: Some(1),
        bytes: 1,
    };

    /// Lists of some commands each, with groups, comments and empty lines.
    fn text(lists: usize, commands: usize) -> String {
        let mut text = String::from("buffer a : 64KiB\nbuffer b : 64KiB\nqueue q : direct\n");
        for list in 0..lists {
            writeln!(text, "\n// list {list}\nlist l{list} : direct {{").expect("a string");
            for at in 0..commands {
                text += match at % 9 {
                    0 => "  // a comment\n  copy a -> b // next to it\n",
                    2 => "  marker \"m\" {\n    copy b -> a\n    copy a -> b\n  }\n",
                    4 => "  barrier {\n    global { sync ALL -> ALL }\n  }\n\n",
                    5 => "  // syncscope: allow RD\n  copy a[0..16] -> b\n",
                    7 => "  copy a ->\n    b\n",
                    _ => "  copy b -> a; copy a -> b\n",
                };
            }
            text += "  // the end\n}\n";
        }
        text + "timeline {\n  q execute l0\n}\n"
    }

    fn cut(source: &Source, count: usize, bytes: usize) -> (Scenario, Vec<Finding>) {
        let mut parser = Parser::new(Tokens::new(source));
        parser.parts = Progress::new(count, bytes);
        parse_with(parser)
    }

    #[test]
    fn parts_say_what_the_whole_says() {
        for (lists, commands) in [(1, 900), (90, 10), (3, 300)] {
            let source = Source::new("parts.scn", text(lists, commands));
            let whole = parse_in_parts(&source, WHOLE);
            assert!(whole.1.is_empty(), "{:?}", whole.1);
            for count in [2, 3, 8] {
                let (scenario, findings) = cut(&source, count, 600);
                assert_eq!((scenario, findings.len()), (whole.0.clone(), 0));
            }
        }
    }

    /// The parts of a list that is written in lines are taken: none has to be read again.
    #[test]
    fn parts_are_taken() {
        let line = "  copy a -> b\n  barrier { global { sync ALL -> ALL } }\n";
        let declared = "buffer a : 64KiB\nbuffer b : 64KiB\n";
        let one = format!("{declared}list l : copy {{\n{}}}\n", line.repeat(500));
        let mut many = declared.to_owned();
        for list in 0..100 {
            writeln!(many, "list l{list} : copy {{\n{}}}\n", line.repeat(5)).expect("a string");
        }
        for text in [one, many] {
            let source = Source::new("parts.scn", text);
            let mut parser = Parser::new(Tokens::new(&source));
            let bytes = 512;
            parser.parts = Progress::new(2, bytes);
            parser.file();
            assert!(parser.findings.is_empty());
            assert_eq!(parser.parts.pause, 2 * bytes, "a part was dropped");
            let read = |caches: &Caches<'_>| !caches.uses.known.is_empty();
            assert!(parser.parts.caches.iter().all(read), "nothing was cut");
        }
    }

    #[test]
    fn mistakes_are_said_in_their_places() {
        let good = text(4, 60);
        for at in [500, 1_500, 3_000, 5_000] {
            for what in [
                "}\n",
                "{\n",
                "copy\n",
                "\"\n",
                "list l1 : direct { }\n",
                "buffer c : 4KiB\n",
            ] {
                let line = good[..at].rfind('\n').expect("a line") + 1;
                let source = Source::new(
                    "parts.scn",
                    format!("{}{what}{}", &good[..line], &good[line..]),
                );
                let whole = parse_in_parts(&source, WHOLE);
                let (scenario, findings) = cut(&source, 3, 300);
                assert_eq!(scenario, whole.0, "{what:?} at {line}");
                assert_eq!(format!("{findings:?}"), format!("{:?}", whole.1));
            }
        }
    }
}
