//! Runs without a barrier, as a page has them: what of their packets differs from the run as written, and what they find.
//!
//! Most of a copy is the run as written, some time earlier or later: such packets are kept as a range of rows and a time. What changes
//! otherwise has rows of its own. A packet is referred to by its row in the run as written; one that only the copy has, by the
//! number of rows there plus its index among those.

use super::packets::{ArrowRow, PacketColumns, SpanRow, StageRow};
use super::{Detail, Words, ps};
use crate::id::narrow;
use crate::run::without::{
    COMMANDS_MAX, CopyRun, FindingChange, ReadPair, Seen, WithoutBarrier, WrongRead, rules,
};
use crate::run::{Options, Report};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::VecDeque;

/// Packets of all copies that have rows of their own, in a page that nobody asked for a copy.
const CHANGED_MAX: usize = 900;
/// Rows of each list of a copy: findings, reads that differ, hazards.
const LISTED_MAX: usize = 40;
/// Reads of a copy that find the same.
const SAME_MAX: usize = 6;

/// The runs without a barrier that a page has.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct WithoutRows {
    /// One for each barrier of the text, as far as there are copies.
    pub rows: Vec<CopyRows>,
    /// Where there is none, what makes a page with one, up to the barrier's id.
    pub command: String,
    /// Commands up to which pages have copies.
    pub commands_max: u64,
    /// The barrier whose copy the page begins with: an id, or `line N` of one that is not executed; empty if with none.
    pub opened: String,
}

/// The run without one barrier of the text.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CopyRows {
    /// Ids of the executions of the barrier.
    pub barriers: Vec<String>,
    /// Line of the barrier.
    pub line: u32,
    /// Line of its second half.
    pub end_line: Option<u32>,
    /// What it comes to, a word.
    pub says: u32,
    /// Rules that other barriers break without it, if there can be no run.
    pub breaks: Vec<&'static str>,
    /// Makespan without it; nothing if there can be no run.
    pub makespan_ps: Option<u64>,
    /// Reads that go wrong then and do not now.
    pub more_bad_reads: u64,
    /// Findings that are new, the worst first.
    pub new: Vec<FoundRow>,
    /// Findings that are gone, the worst first.
    pub gone: Vec<FoundRow>,
    /// Reads that go wrong and did not before.
    pub wrong: Vec<WrongRow>,
    /// Reads that went wrong and do not any more.
    pub mended: Vec<WrongRow>,
    /// What reads find in both runs: those that differ first.
    pub reads: Vec<ReadRow>,
    /// What is not told of the reads of either run (words).
    pub untold: Vec<u32>,
    /// Reads that differ and are not listed.
    pub more_reads: usize,
    /// Reads that find the same in both and are not listed.
    pub same_reads: usize,
    /// What ran when; nothing if there can be no run, or if the page has no room.
    pub timeline: Option<CopyTimeline>,
}

/// A finding that one of two runs has: rule, name, severity, line, message (a word), whether the run shows it, and what became of
/// it (`new`, `more often`, …).
pub type FoundRow = (
    &'static str,
    &'static str,
    &'static str,
    u32,
    u32,
    Option<bool>,
    &'static str,
);

/// A wrong read: the command's id and when it reads, what it is (`stale`, …), its resource, and the sentence (words).
pub type WrongRow = (String, u64, u32, u32, u32);

/// A version that a read finds: its number in its run, whose it is (a word), where it is found (words), what is wrong with it and
/// whose it should be (words, empty if nothing is).
pub type SeenRow = (usize, u32, Vec<u32>, u32, u32);

/// What a read finds: the command's id, the resource (a word), with the barrier, without it, and whether that is the same.
pub type ReadRow = (String, u32, Vec<SeenRow>, Vec<SeenRow>, bool);

/// Where the uses of a hazard met: a packet and a time each, and the finding's index among `new`, or -1.
pub type HazardMark = (u32, u64, u32, u64, i64);

/// A packet that is other than in the run as written: the packet, when the front end took it up, when its first stage began and
/// when it had retired; its spans and stages; the packet that it had waited for last, or -1, and how that bears on it (a word).
pub type ChangedPacket = (u32, u64, u64, u64, Vec<SpanRow>, Vec<StageRow>, i64, u32);

/// A packet that only the copy has: id, label (a word), line, track and kind.
pub type ExtraPacket = (String, u32, u32, u32, char);

/// What ran when in a copy.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct CopyTimeline {
    /// Until when a drawing of it goes.
    pub until_ps: u64,
    /// Packets that are the same at another time: the first row, how many rows, and how much later, in picoseconds.
    pub moved: Vec<(u32, u32, i64)>,
    /// Packets that are not.
    pub changed: Vec<ChangedPacket>,
    /// Packets that the run as written has not; they are among `changed` too.
    pub extra: Vec<ExtraPacket>,
    /// Packets that never ran.
    pub never: Vec<u32>,
    /// Waits that never end: the packet, what it waits for (a word), and the packet that keeps the signal, or -1.
    pub open: Vec<(u32, u32, i64)>,
    /// From signals to waits.
    pub arrows: Vec<ArrowRow>,
    /// Times in which nothing ran because of barriers.
    pub exposed: Vec<(u64, u64)>,
    /// Where the uses of hazards met.
    pub hazards: Vec<HazardMark>,
}

impl Detail {
    /// Adds runs without barriers. `is_asked`: somebody asked for the first of them, and the page begins with it.
    pub(in crate::run) fn with_copies(
        mut self,
        (report, options): (&Report, &Options),
        all: &[WithoutBarrier],
        is_asked: bool,
    ) -> Self {
        let mut words = Words::of(std::mem::take(&mut self.words));
        let mut room = if is_asked { usize::MAX } else { CHANGED_MAX };
        let mut left_out = 0;
        for barrier in all {
            let mut made = rows(barrier, &self.packets, &mut words);
            let taken = made.timeline.as_ref().map_or(0, |t| t.changed.len());
            if taken > room {
                made.timeline = None;
                left_out += 1;
            } else {
                room -= taken;
            }
            let known = &mut self.without.rows;
            known.retain(|row| row.barriers != made.barriers || row.line != made.line);
            known.push(made);
        }
        self.words = words.all();
        self.without.command = command(report, options);
        self.without.commands_max = COMMANDS_MAX;
        if let Some(first) = all.first().filter(|_| is_asked) {
            let id = first.barriers.first().cloned();
            self.without.opened = id.unwrap_or_else(|| format!("line {}", first.line));
        }
        if left_out > 0 {
            self.left_out.push(format!(
                "the timelines without {left_out} of {} barriers: `{}ID --out without.html` makes a page with one",
                all.len(),
                command(report, options)
            ));
        }
        self
    }

    /// Says what makes a page with a copy, where there are none.
    pub(in crate::run) fn without_copies(mut self, report: &Report, options: &Options) -> Self {
        self.without.command = command(report, options);
        self.without.commands_max = COMMANDS_MAX;
        self.left_out.push(format!(
            "the run without each barrier is in pages of up to {COMMANDS_MAX} commands: `{}ID --out without.html` makes a page with one",
            command(report, options)
        ));
        self
    }
}

/// What makes a page with a copy, up to the barrier's id.
fn command(report: &Report, options: &Options) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/\\:".contains(c);
    let quoted = |word: &str| {
        if word.chars().all(plain) {
            word.to_owned()
        } else {
            format!("\"{word}\"")
        }
    };
    let option = |name: &str, value: &Option<String>| {
        let value = value.as_deref().map(quoted);
        value.map_or_else(String::new, |value| format!(" --{name} {value}"))
    };
    format!(
        "syncscope run {}{}{} --without ",
        quoted(&report.file),
        option("profile", &options.profile),
        option("lowering", &options.lowering)
    )
}

fn rows(barrier: &WithoutBarrier, written: &PacketColumns, words: &mut Words) -> CopyRows {
    let mut made = CopyRows {
        barriers: barrier.barriers.clone(),
        line: barrier.line,
        end_line: barrier.end_line,
        says: words.number(&barrier.says),
        ..CopyRows::default()
    };
    let copy = match &barrier.copy {
        Ok(copy) => copy,
        Err(broken) => {
            made.breaks = rules(broken);
            return made;
        }
    };
    made.makespan_ps = Some(ps(copy.makespan()));
    made.more_bad_reads = copy.more_bad_reads;
    made.new = found(&copy.new, true, words);
    made.gone = found(&copy.gone, false, words);
    made.wrong = wrong(&copy.wrong_reads, words);
    made.mended = wrong(&copy.mended_reads, words);
    let (mut reads, same): (Vec<&ReadPair>, Vec<&ReadPair>) =
        copy.reads.iter().partition(|pair| !pair.is_same());
    let untold = copy.untold.iter().map(|what| words.number(what));
    made.untold = untold.collect();
    made.more_reads = reads.len().saturating_sub(LISTED_MAX);
    reads.truncate(LISTED_MAX);
    made.same_reads = same.len().saturating_sub(SAME_MAX);
    reads.extend(same.into_iter().take(SAME_MAX));
    made.reads = reads.into_iter().map(|pair| read(pair, words)).collect();
    let own = copy.report.detail.as_deref();
    made.timeline = own.map(|own| timeline(own, copy, written, words));
    made
}

fn found(all: &[FindingChange], is_new: bool, words: &mut Words) -> Vec<FoundRow> {
    let row = |change: &FindingChange, words: &mut Words| {
        let finding = &change.finding;
        (
            finding.rule.id,
            finding.rule.name,
            finding.severity.word(),
            change.line,
            words.number(&finding.message),
            finding.visible,
            change.word(is_new),
        )
    };
    let all = all.iter().take(LISTED_MAX);
    all.map(|change| row(change, words)).collect()
}

fn wrong(all: &[WrongRead], words: &mut Words) -> Vec<WrongRow> {
    let row = |read: &WrongRead, words: &mut Words| {
        (
            read.command.clone(),
            ps(read.at),
            words.number(&read.read.kind),
            words.number(&read.read.resource),
            words.number(&read.says),
        )
    };
    all.iter().map(|read| row(read, words)).collect()
}

fn read(pair: &ReadPair, words: &mut Words) -> ReadRow {
    let side = |side: &[Seen], words: &mut Words| -> Vec<SeenRow> {
        let row = |seen: &Seen, words: &mut Words| {
            (
                seen.version,
                words.number(&seen.by),
                seen.places
                    .iter()
                    .map(|place| words.number(place))
                    .collect(),
                words.number(seen.wrong),
                words.number(&seen.expected),
            )
        };
        side.iter().map(|seen| row(seen, words)).collect()
    };
    (
        pair.command.clone(),
        words.number(&pair.resource),
        side(&pair.with, words),
        side(&pair.without, words),
        pair.is_same(),
    )
}

/// Which packet of the run as written each packet of a copy is.
struct Matched {
    /// By row of the copy.
    rows: Vec<u32>,
    /// Rows of the copy that are in no other run, in order.
    extra: Vec<usize>,
}

impl Matched {
    /// A command, and the start and the end of a scope that has its id, are told by kind and label.
    fn new(own: &Detail, written: &PacketColumns, words: &mut Words) -> Self {
        let mut known: IndexMap<(&str, u8, u32), VecDeque<u32>> = IndexMap::new();
        for (row, id) in written.id.iter().enumerate() {
            let key = (
                id.as_str(),
                written.kind.as_bytes()[row],
                written.label[row],
            );
            known.entry(key).or_default().push_back(narrow(row));
        }
        let mut made = Self {
            rows: Vec::with_capacity(own.packets.id.len()),
            extra: Vec::new(),
        };
        for (row, id) in own.packets.id.iter().enumerate() {
            let label = &own.words[own.packets.label[row] as usize];
            let key = (
                id.as_str(),
                own.packets.kind.as_bytes()[row],
                words.number(label),
            );
            let same = known.get_mut(&key).and_then(VecDeque::pop_front);
            made.rows.push(same.unwrap_or_else(|| {
                made.extra.push(row);
                narrow(written.id.len() + made.extra.len() - 1)
            }));
        }
        made
    }

    fn of(&self, row: u32) -> u32 {
        self.rows[row as usize]
    }

    /// The same for what may be none.
    fn of_some(&self, row: i64) -> i64 {
        usize::try_from(row).map_or(-1, |row| i64::from(self.rows[row]))
    }
}

fn timeline(
    own: &Detail,
    copy: &CopyRun,
    written: &PacketColumns,
    words: &mut Words,
) -> CopyTimeline {
    let matched = Matched::new(own, written, words);
    // Words of the copy in those of the page.
    let said: Vec<u32> = own.words.iter().map(|word| words.number(word)).collect();
    let packets = &own.packets;
    let mut made = CopyTimeline {
        until_ps: ps(copy.report.drawn_until()),
        exposed: own.exposed.clone(),
        never: packets.never.iter().map(|row| matched.of(*row)).collect(),
        ..CopyTimeline::default()
    };
    let open = packets.open.iter().map(|(row, says, behind)| {
        let says = said[*says as usize];
        (matched.of(*row), says, matched.of_some(*behind))
    });
    made.open = open.collect();
    let arrows = own.arrows.iter().map(|(from, to, fence, value)| {
        let fence = said[*fence as usize];
        (matched.of(*from), matched.of(*to), fence, *value)
    });
    made.arrows = arrows.collect();
    for row in 0..packets.id.len() {
        let packet = packet(packets, row, &matched, &said);
        match shift(&packet, written) {
            Some(by) => made.shifted(packet.0, by),
            None => made.changed.push(packet),
        }
    }
    for row in &matched.extra {
        made.extra.push((
            packets.id[*row].clone(),
            said[packets.label[*row] as usize],
            packets.line[*row],
            packets.track[*row],
            char::from(packets.kind.as_bytes()[*row]),
        ));
    }
    made.hazards = hazards(copy, packets, &matched);
    made
}

/// A packet of a copy in the words and rows of the page.
fn packet(packets: &PacketColumns, row: usize, matched: &Matched, said: &[u32]) -> ChangedPacket {
    let spans = packets.spans.get(row).map_or(&[][..], Vec::as_slice);
    let spans = spans.iter().map(|(from, to, what, target, by)| {
        let (what, target) = (said[*what as usize], said[*target as usize]);
        (*from, *to, what, target, matched.of_some(*by))
    });
    let stages = packets.stages.get(row).map_or(&[][..], Vec::as_slice);
    let stages = stages
        .iter()
        .map(|(name, from, to)| (said[*name as usize], *from, *to));
    (
        matched.rows[row],
        packets.queued[row],
        packets.start[row],
        packets.end[row],
        spans.collect(),
        stages.collect(),
        matched.of_some(packets.after[row]),
        said[packets.because[row] as usize],
    )
}

/// How much later a packet is than in the run as written, if that is all that differs.
fn shift(packet: &ChangedPacket, written: &PacketColumns) -> Option<i64> {
    let (row, queued, start, end, spans, stages, after, because) = packet;
    let row = *row as usize;
    let later = |own: u64, before: u64| i128::from(own) - i128::from(before);
    let by = later(*queued, *written.queued.get(row)?);
    let is_moved = |own: u64, before: u64| later(own, before) == by;
    let (own_spans, own_stages) = (written.spans.get(row), written.stages.get(row));
    let own_spans = own_spans.map_or(&[][..], Vec::as_slice);
    let own_stages = own_stages.map_or(&[][..], Vec::as_slice);
    let is_same = is_moved(*start, written.start[row])
        && is_moved(*end, written.end[row])
        && *after == written.after[row]
        && *because == written.because[row]
        && spans.len() == own_spans.len()
        && stages.len() == own_stages.len()
        && spans.iter().zip(own_spans).all(|(a, b)| {
            is_moved(a.0, b.0) && is_moved(a.1, b.1) && (a.2, a.3, a.4) == (b.2, b.3, b.4)
        })
        && stages
            .iter()
            .zip(own_stages)
            .all(|(a, b)| a.0 == b.0 && is_moved(a.1, b.1) && is_moved(a.2, b.2));
    i64::try_from(by).ok().filter(|_| is_same)
}

impl CopyTimeline {
    fn shifted(&mut self, row: u32, by: i64) {
        match self.moved.last_mut() {
            Some((first, count, known)) if *known == by && *first + *count == row => *count += 1,
            _ => self.moved.push((row, 1, by)),
        }
    }
}

/// Where the uses of the copy's hazards met, as far as their packets are known.
fn hazards(copy: &CopyRun, packets: &PacketColumns, matched: &Matched) -> Vec<HazardMark> {
    let mut rows: IndexMap<&str, u32> = IndexMap::new();
    for (row, id) in packets.id.iter().enumerate() {
        // The start and end of a scope have the id of a command: the command comes first.
        let is_scope = packets.kind.as_bytes()[row] == b'c';
        if !is_scope || !rows.contains_key(id.as_str()) {
            rows.insert(id, matched.rows[row]);
        }
    }
    let report = &copy.report;
    let mark = |met: &crate::run::MeetingRow| {
        let finding = report.findings.get(met.finding)?;
        let hazard = finding.hazard.as_deref()?;
        let (first, second) = (
            *rows.get(&*hazard.first.command)?,
            *rows.get(&*hazard.second.command)?,
        );
        let is_it = |change: &FindingChange| change.finding == *finding;
        let new = copy.new.iter().take(LISTED_MAX).position(is_it);
        let new = new.map_or(-1, |at| i64::from(narrow(at)));
        Some((first, ps(met.first), second, ps(met.second), new))
    };
    let mut marks: Vec<HazardMark> = report.meetings.iter().filter_map(mark).collect();
    // What is new is drawn first.
    marks.sort_by_key(|mark| mark.4 < 0);
    marks.truncate(LISTED_MAX);
    marks
}
