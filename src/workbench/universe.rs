//! A small universe of programs: some work, with a barrier or none in each gap, up to the names of the resources.
//!
//! A word is one command on one resource: a use, which is work, or a barrier between two of the accesses. Between two pieces
//! of work is a gap; so is what comes before the first, and, where barriers change layouts, after the last: a barrier there is
//! between no two uses of a buffer. In a gap is nothing, one barrier, or both halves of a split one. A half may be alone in
//! its gap only if there is another resource that work in between can use.
//!
//! Programs are numbered: those of less work first, those of as much in the order of their words. Of programs that differ only
//! in which resource is called what, the first counts. What is no program (a second half of a split barrier without its
//! first) does not count.

use super::uses::{self, ProgramResources, Row, SideText};
use crate::api::{BarrierAccess, QueueType};
use crate::finding::Source;
use std::fmt;

/// Most work commands of a program.
pub const COMMANDS_MAX: u32 = 8;

/// What programs are made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Universe {
    /// Resources of a kind: one or two.
    pub resources: u32,
    /// The resources share memory.
    pub aliased: bool,
    /// The kind of resources.
    pub kind: ProgramResources,
    /// Accesses, of the rows of [`Universe::accesses_of`].
    pub accesses: Vec<BarrierAccess>,
    /// Forms of barriers.
    pub forms: Vec<Form>,
}

/// How a barrier is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Form {
    /// A barrier on the resource.
    Resource,
    /// On everything; only for buffers.
    Global,
    /// As two halves, on the resource.
    Split,
    /// On the resource, and of buffers on everything: names every stage and every access on one side, or on both.
    Wide,
}

impl Form {
    /// Every form with its word on the command line.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Resource, "resource"),
        (Self::Global, "global"),
        (Self::Split, "split"),
        (Self::Wide, "wide"),
    ];

    fn word(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(form, _)| *form == self).map_or("", |(_, w)| w)
    }
}

/// Names of the resources.
const NAMES: [&str; 2] = ["a", "b"];

impl Default for Universe {
    fn default() -> Self {
        let accesses = ProgramResources::Buffer.rows()[..5]
            .iter()
            .map(|row| row.access);
        Self {
            resources: 1,
            aliased: false,
            kind: ProgramResources::Buffer,
            accesses: accesses.collect(),
            forms: vec![Form::Resource, Form::Global],
        }
    }
}

/// In words, for people and to compare results.
impl fmt::Display for Universe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one, several) = self.kind.nouns();
        let kind = if self.resources == 1 { one } else { several };
        let aliased = if self.aliased {
            " in the same memory"
        } else {
            ""
        };
        let accesses: Vec<String> = self.accesses.iter().map(ToString::to_string).collect();
        let forms: Vec<&str> = self.forms.iter().map(|form| form.word()).collect();
        write!(
            f,
            "{} {kind}{aliased}; {}; barriers: {}",
            self.resources,
            accesses.join(", "),
            forms.join(", ")
        )
    }
}

/// What a word is, as far as the well-formedness of programs depends on it.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Part {
    Use,
    Barrier,
    Begin(usize),
    End(usize),
}

struct Word {
    /// The resource; `None` is everything.
    resource: Option<u32>,
    part: Part,
    text: String,
}

/// A universe whose words are written out.
pub struct Words {
    all: Vec<Word>,
    /// What a gap can have.
    gaps: Vec<Vec<u32>>,
    /// There is a gap after the last use.
    has_last_gap: bool,
    declarations: String,
}

impl Universe {
    /// Accesses that a kind of resource may have in a universe.
    pub fn accesses_of(kind: ProgramResources) -> Vec<BarrierAccess> {
        let mut accesses = Vec::new();
        for row in kind.rows() {
            if !accesses.contains(&row.access) {
                accesses.push(row.access);
            }
        }
        accesses
    }

    /// Whether two uses, or a use and a change of a layout, depend on each other in some program of so much work: else
    /// nothing can be lowered wrong.
    pub fn needs(&self, work: u32) -> bool {
        let rows = self.kind.rows().iter();
        let rows: Vec<&Row> = rows
            .filter(|row| self.accesses.contains(&row.access))
            .collect();
        let mut pairs = rows.iter().flat_map(|x| rows.iter().map(move |y| (x, y)));
        pairs.any(|(x, y)| {
            let changes = x.layout != y.layout;
            changes || work > 1 && (x.stores() || y.stores()) && !in_raster_order(x, y)
        })
    }

    /// The words of which programs of the universe consist.
    pub fn words(&self) -> Words {
        self.words_starting_as(0)
    }

    /// Its words, where textures start in the layout of the row of that number.
    pub(super) fn words_starting_as(&self, first: usize) -> Words {
        let rows: Vec<&Row> = self
            .kind
            .rows()
            .iter()
            .filter(|row| self.accesses.contains(&row.access))
            .collect();
        let mut words = Vec::new();
        for id in 0..self.resources {
            let name = NAMES[id as usize];
            for row in &rows {
                words.push(Word {
                    resource: Some(id),
                    part: Part::Use,
                    text: row.on(name),
                });
            }
        }
        for form in &self.forms {
            let resources = if *form == Form::Global {
                1
            } else {
                self.resources
            };
            for id in 0..resources {
                if *form == Form::Wide {
                    self.wide(id, &rows, &mut words);
                    continue;
                }
                for (x, before) in rows.iter().enumerate() {
                    for (y, after) in rows.iter().enumerate() {
                        self.barrier(*form, id, (before, after), x * rows.len() + y, &mut words);
                    }
                }
            }
        }
        Words {
            gaps: gaps(&words, self.resources > 1),
            all: words,
            has_last_gap: !self.kind.is_buffer(),
            declarations: self.declarations(&rows, rows[first].layout),
        }
    }

    fn barrier(
        &self,
        form: Form,
        id: u32,
        (before, after): (&Row, &Row),
        pair: usize,
        words: &mut Vec<Word>,
    ) {
        let name = NAMES[id as usize];
        let access = |row: &Row| row.access.to_string();
        let accesses = (access(before), access(after));
        let entry = |from: &str, to: &str| {
            let before = SideText {
                sync: from,
                access: &accesses.0,
                layout: before.layout,
            };
            let after = SideText {
                sync: to,
                access: &accesses.1,
                layout: after.layout,
            };
            format!(
                "barrier {{ {} }}",
                uses::entry(self.kind, name, before, after)
            )
        };
        let mut add = |resource, part, text| {
            words.push(Word {
                resource,
                part,
                text,
            });
        };
        match form {
            Form::Resource => add(Some(id), Part::Barrier, entry(before.sync, after.sync)),
            Form::Global => {
                let text = format!(
                    "barrier {{ global {{ sync {} -> {}; access {} -> {} }} }}",
                    before.sync, after.sync, accesses.0, accesses.1
                );
                add(None, Part::Barrier, text);
            }
            Form::Split => {
                add(Some(id), Part::Begin(pair), entry(before.sync, "SPLIT"));
                add(Some(id), Part::End(pair), entry("SPLIT", after.sync));
            }
            Form::Wide => {}
        }
    }

    /// Barriers that name everything on one side, or on both.
    fn wide(&self, id: u32, rows: &[&Row], words: &mut Vec<Word>) {
        let name = NAMES[id as usize];
        let mut add = |resource, entry: &str| {
            words.push(Word {
                resource,
                part: Part::Barrier,
                text: format!("barrier {{ {entry} }}"),
            });
        };
        for (x, before) in rows.iter().enumerate() {
            for (y, after) in rows.iter().enumerate() {
                let accesses = (before.access.to_string(), after.access.to_string());
                let from = SideText {
                    sync: before.sync,
                    access: &accesses.0,
                    layout: before.layout,
                };
                let to = SideText {
                    sync: after.sync,
                    access: &accesses.1,
                    layout: after.layout,
                };
                let (all_from, all_to) = (uses::everything(before), uses::everything(after));
                // Without a layout, a side that names everything is the same for every row.
                if !self.kind.is_buffer() || y == 0 {
                    add(Some(id), &uses::entry(self.kind, name, from, all_to));
                }
                if !self.kind.is_buffer() || x == 0 {
                    add(Some(id), &uses::entry(self.kind, name, all_from, to));
                }
                if !self.kind.is_buffer() || (x, y) == (0, 0) {
                    add(Some(id), &uses::entry(self.kind, name, all_from, all_to));
                }
            }
        }
        if self.kind.is_buffer() && id == 0 {
            add(None, "global { sync ALL -> ALL; access COMMON -> COMMON }");
        }
    }

    fn declarations(&self, rows: &[&Row], layout: &str) -> String {
        let mut text = String::new();
        let place = if self.aliased { "; heap h at 0" } else { "" };
        if self.aliased {
            text.push_str("heap h : 1MiB\n");
        }
        for name in NAMES.iter().take(self.resources as usize) {
            let initial = match self.kind {
                kind if kind.is_buffer() => String::new(),
                _ if self.aliased => "; initial UNDEFINED".to_owned(),
                _ => format!("; initial {layout}"),
            };
            let options = format!("{initial}{place}");
            text.push_str(&self.kind.declaration(name, &options));
        }
        let commands: Vec<&str> = rows.iter().map(|row| row.command).collect();
        text.push_str(
            &self
                .kind
                .companions(&commands.join("\n"), "", QueueType::Direct),
        );
        text + "queue q : direct\n"
    }
}

impl Words {
    /// Number of words.
    pub fn count(&self) -> u64 {
        self.all.len() as u64
    }

    /// Number of words that are uses: they come first.
    pub(super) fn uses(&self) -> u32 {
        let uses = self.all.iter().take_while(|word| word.part == Part::Use);
        u32::try_from(uses.count()).unwrap_or(u32::MAX)
    }

    /// Numbers of programs of 1 to `work` uses; `None` if they are more than can be counted.
    pub fn numbers(&self, work: u32) -> Option<u64> {
        (1..=work).try_fold(0_u64, |all, uses| all.checked_add(self.numbers_of(uses)?))
    }

    /// Numbers of programs of so many uses.
    fn numbers_of(&self, uses: u32) -> Option<u64> {
        let gaps = uses + u32::from(self.has_last_gap);
        let of_gaps = (self.gaps.len() as u64).checked_pow(gaps)?;
        u64::from(self.uses())
            .checked_pow(uses)?
            .checked_mul(of_gaps)
    }

    /// The words of a program by its number, into `into`.
    pub fn sequence(&self, mut number: u64, into: &mut Vec<u32>) {
        into.clear();
        let mut uses = 1;
        while let Some(all) = self.numbers_of(uses).filter(|all| number >= *all) {
            number -= all;
            uses += 1;
        }
        // From the last word to the first; the words of a gap the other way round.
        if self.has_last_gap {
            self.gap(&mut number, into);
        }
        for _ in 0..uses {
            let count = u64::from(self.uses()).max(1);
            into.push(u32::try_from(number % count).unwrap_or(u32::MAX));
            number /= count;
            self.gap(&mut number, into);
        }
        into.reverse();
    }

    fn gap(&self, number: &mut u64, into: &mut Vec<u32>) {
        let count = self.gaps.len() as u64;
        let at = usize::try_from(*number % count).unwrap_or(0);
        into.extend(self.gaps[at].iter().rev());
        *number /= count;
    }

    /// Whether a sequence is a program, and the first of those that differ only in names.
    pub fn is_program(&self, sequence: &[u32]) -> bool {
        let mut known = 0;
        let mut open: [Option<usize>; NAMES.len()] = [None; NAMES.len()];
        for word in sequence.iter().map(|word| &self.all[*word as usize]) {
            let Some(resource) = word.resource else {
                continue;
            };
            // Names come in order.
            if resource > known {
                return false;
            }
            known = known.max(resource + 1);
            let open = &mut open[resource as usize];
            match (word.part, *open) {
                (Part::Use | Part::Barrier, None) => {}
                (Part::Begin(pair), None) => *open = Some(pair),
                (Part::End(pair), Some(begun)) if pair == begun => *open = None,
                _ => return false,
            }
        }
        open.iter().all(Option::is_none)
    }

    /// Whether a barrier is between two uses, or could change how a texture is stored: without, nothing is asked.
    pub fn asks(&self, sequence: &[u32]) -> bool {
        let mut parts = sequence.iter().map(|word| self.all[*word as usize].part);
        parts.any(|part| part != Part::Use)
    }

    /// A program.
    pub fn program(&self, name: impl Into<String>, sequence: &[u32]) -> Source {
        let mut text = self.declarations.clone();
        text.push_str("timeline {\n  q execute {\n");
        for word in sequence {
            text.push_str("    ");
            text.push_str(&self.all[*word as usize].text);
            text.push('\n');
        }
        text.push_str("  }\n}\n");
        Source::new(name, text)
    }
}

/// What a gap can have: nothing, a barrier, both halves of a split one, and a half if that can be alone.
fn gaps(words: &[Word], are_halves_alone: bool) -> Vec<Vec<u32>> {
    let mut gaps = vec![Vec::new()];
    let numbered = || (0_u32..).zip(words);
    for (at, word) in numbered() {
        match word.part {
            Part::Use => {}
            Part::Barrier => gaps.push(vec![at]),
            Part::Begin(pair) => {
                let mut ends = numbered().filter(|(_, end)| {
                    end.part == Part::End(pair) && end.resource == word.resource
                });
                gaps.extend(ends.next().map(|(end, _)| vec![at, end]));
                gaps.extend(are_halves_alone.then(|| vec![at]));
            }
            Part::End(_) => gaps.extend(are_halves_alone.then(|| vec![at])),
        }
    }
    gaps
}

/// Uses of one attachment, which keep their order by themselves (reading R18).
fn in_raster_order(x: &Row, y: &Row) -> bool {
    let depth = BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE;
    [BarrierAccess::RENDER_TARGET, depth]
        .iter()
        .any(|one| one.contains(x.access) && one.contains(y.access))
}

#[cfg(test)]
mod tests;
