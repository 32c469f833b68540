//! What happened, one thing after the other, in words: what a page steps through.

use super::{Detail, EVENTS_MAX, Words, ps};
use crate::run::{BarrierRow, CommandRow, Report};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeSet;

/// Something happens.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct EventRow {
    /// Time in picoseconds.
    pub at: u64,
    /// The packet, or -1.
    pub row: i64,
    /// What happens, one or more sentences (words).
    pub says: Vec<u32>,
    /// What a class is asked before it is shown, a word.
    pub ask: u32,
    /// Which of [`super::ContentsRows::moments`] it is, or -1.
    pub moment: i64,
}

/// An event in the making: of what happens at one time, what ends comes first.
struct Told {
    at: u64,
    rank: u8,
    row: i64,
    says: Vec<String>,
    ask: String,
    moment: i64,
}

pub(super) fn events(report: &Report, made: &Detail, words: &mut Words) -> Vec<EventRow> {
    let mut rows: IndexMap<&str, i64> = IndexMap::new();
    for ((id, kind), row) in made
        .packets
        .id
        .iter()
        .zip(made.packets.kind.chars())
        .zip(0..)
    {
        // The start and end of a scope have the id of a command.
        if kind != 'c' {
            rows.entry(id).or_insert(row);
        }
    }
    let row = |id: &str| rows.get(id).copied().unwrap_or(-1);
    let after = |row: i64, words: &Words| {
        let row = usize::try_from(row).ok()?;
        let other = usize::try_from(made.packets.after[row]).ok()?;
        let label = words.known.get_index(made.packets.label[other] as usize)?;
        let because = words.known.get_index(made.packets.because[row] as usize)?;
        Some(format!(
            "{} ({}): {because}.",
            waited_for(label),
            made.packets.id[other]
        ))
    };
    let mut all = Vec::new();
    for command in report.commands.iter().take(EVENTS_MAX) {
        let row = row(&command.id);
        if command.ran {
            of_command(command, row, after(row, words), &mut all);
        }
    }
    let never: BTreeSet<i64> = made
        .packets
        .never
        .iter()
        .map(|row| i64::from(*row))
        .collect();
    for barrier in report.barriers.iter().take(EVENTS_MAX) {
        let row = row(&barrier.id);
        if !never.contains(&row) {
            of_barrier(barrier, row, &mut all);
        }
    }
    let moments = made.contents.moments.iter();
    for (index, moment) in moments.enumerate() {
        let says = moment.says.iter();
        let says = says.filter_map(|word| words.known.get_index(*word as usize).cloned());
        all.push(Told {
            at: moment.at,
            rank: 1,
            row: moment.row,
            says: says.collect(),
            ask: "What do caches and memory do now?".into(),
            moment: i64::try_from(index).unwrap_or(-1),
        });
    }
    of_fences(made, words, &mut all);
    of_the_end(report, made, words, &mut all);
    all.sort_by_key(|told| (told.at, told.rank));
    all.truncate(EVENTS_MAX);
    let told = all.into_iter().map(|told| EventRow {
        at: told.at,
        row: told.row,
        says: told.says.iter().map(|line| words.number(line)).collect(),
        ask: words.number(&told.ask),
        moment: told.moment,
    });
    told.collect()
}

fn of_command(command: &CommandRow, row: i64, after: Option<String>, all: &mut Vec<Told>) {
    let CommandRow {
        id, label, queue, ..
    } = command;
    if command.end == command.start && row < 0 {
        return;
    }
    let mut says = vec![format!("{label} ({id}) starts on {queue}.")];
    says.extend(after);
    let mut ask = format!("What did {label} wait for?");
    for seen in &command.observations {
        ask = format!("What does {label} see when it reads `{}`?", seen.resource);
        says.push(format!(
            "It reads `{}` and sees {} data: from {} in {}, and not from {}.",
            seen.resource, seen.kind, seen.saw, seen.from, seen.expected
        ));
    }
    all.push(Told {
        at: ps(command.start),
        rank: 4,
        row,
        says,
        ask,
        moment: -1,
    });
    all.push(Told {
        at: ps(command.end),
        rank: 0,
        row,
        says: vec![format!("{label} ({id}) has ended.")],
        ask: format!("Where is what {label} wrote when it ends?"),
        moment: -1,
    });
}

fn of_barrier(barrier: &BarrierRow, row: i64, all: &mut Vec<Told>) {
    let BarrierRow { id, text, .. } = barrier;
    let mut says = vec![format!("The queue comes to the barrier {text} ({id}).")];
    let operations = barrier.operations.iter();
    says.extend(operations.map(|o| format!("It has to {} {}: {}.", o.op, o.target, o.why)));
    if barrier.operations.is_empty() {
        says.push("It has nothing to do on this machine.".into());
    }
    all.push(Told {
        at: ps(barrier.start),
        rank: 3,
        row,
        says,
        ask: format!("What must be done before {text} is complete?"),
        moment: -1,
    });
    let waited = format!(
        "The barrier {text} ({id}) is complete: it waited {} and operated {}.",
        barrier.drain, barrier.operation
    );
    all.push(Told {
        at: ps(barrier.end),
        rank: 2,
        row,
        says: vec![waited],
        ask: format!("Was {text} needed?"),
        moment: -1,
    });
}

/// Signals, waits, and what the CPU and the display do.
fn of_fences(made: &Detail, words: &Words, all: &mut Vec<Told>) {
    let packets = &made.packets;
    let word = |at: u32| {
        words
            .known
            .get_index(at as usize)
            .map_or("", String::as_str)
    };
    let never = packets
        .never
        .iter()
        .chain(packets.open.iter().map(|(row, ..)| row));
    let never: BTreeSet<i64> = never.map(|row| i64::from(*row)).collect();
    let numbered = packets.kind.chars().zip(0_i64..).enumerate();
    for (index, (kind, row)) in numbered.take(EVENTS_MAX) {
        if never.contains(&row) {
            continue;
        }
        let (label, id) = (word(packets.label[index]), &packets.id[index]);
        let track = word(made.tracks[packets.track[index] as usize]);
        let (rank, says, ask) = match kind {
            's' => (
                2,
                format!("{track}: {label} ({id}): the fence has its value."),
                format!("Who waits for {label}?"),
            ),
            'f' => (
                3,
                format!("{track}: {label} ({id}) is over: the queue goes on."),
                format!("What did {label} wait for?"),
            ),
            't' => (
                3,
                format!("{track}: {label} ({id}) is done."),
                format!("What had {label} to wait for?"),
            ),
            _ => continue,
        };
        all.push(Told {
            at: packets.end[index],
            rank,
            row,
            says: vec![says],
            ask,
            moment: -1,
        });
    }
}

/// Waits that never end, each when it begins, and at the end of the run what never starts.
fn of_the_end(report: &Report, made: &Detail, words: &Words, all: &mut Vec<Told>) {
    let packets = &made.packets;
    for ((row, ..), wait) in packets.open.iter().zip(&report.stuck) {
        all.push(Told {
            at: ps(wait.since),
            rank: 5,
            row: i64::from(*row),
            says: vec![
                format!(
                    "{}: {} ({}) {}.",
                    wait.queue, wait.label, wait.id, wait.says
                ),
                format!(
                    "`{}` is {} and stays so: this wait never ends.",
                    wait.fence, wait.reached
                ),
            ],
            ask: format!("Who ends {}?", wait.label),
            moment: -1,
        });
    }
    let makespan = report.makespan.map_or(0, ps);
    let kinds: Vec<char> = packets.kind.chars().collect();
    for row in packets.never.iter().take(EVENTS_MAX) {
        let index = *row as usize;
        let word = |at: u32| {
            words
                .known
                .get_index(at as usize)
                .map_or("", String::as_str)
        };
        if kinds[index] == 'c' {
            continue;
        }
        let (label, id) = (word(packets.label[index]), &packets.id[index]);
        let track = word(made.tracks[packets.track[index] as usize]);
        all.push(Told {
            at: makespan,
            rank: 6,
            row: i64::from(*row),
            says: vec![format!(
                "{label} ({id}) never starts: {track} does not come to it."
            )],
            ask: format!("Does {label} run?"),
            moment: -1,
        });
    }
}

/// The sentence on whose end a packet waited for. Starts and ends of scopes are labelled by what they do.
fn waited_for(label: &str) -> String {
    let what = match label {
        "scope begins" => "the start of the scope",
        "scope ends" => "the end of the scope",
        other => other,
    };
    format!("Waited for {what}")
}
