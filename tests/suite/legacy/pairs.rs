//! The same frame with legacy barriers and with enhanced ones written by hand: both right, and what the translation
//! of the first costs compared with the second. The book's page on legacy barriers has the table.

use super::parse;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::api::{BarrierSync, LeafSet};
use syncscope::finding::Source;
use syncscope::id::ListId;
use syncscope::scenario::{self, Barrier, Command, CommandKind, Scenario};
use syncscope::{catalog, legacy, run};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Names of the pairs, in order.
fn names() -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(root().join("scenarios/legacy"))
        .expect("the folder exists")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter_map(|name| name.strip_suffix(".legacy.scn").map(str::to_owned))
        .collect();
    names.sort();
    names
}

fn path(name: &str, kind: &str) -> PathBuf {
    root().join(format!("scenarios/legacy/{name}.{kind}.scn"))
}

fn text(name: &str, kind: &str) -> String {
    fs::read_to_string(path(name, kind)).expect("the scenario can be read")
}

/// Runs a text on the default profile: its makespan in picoseconds, and what is wrong with it.
fn run_text(text: &str) -> (u64, Vec<String>) {
    let options = run::Options {
        without_barriers: true,
        without_proofs: true,
        without_commands: true,
        ..run::Options::default()
    };
    let report = run::run(
        &Source::new("pair.scn", text),
        &catalog::registry(),
        &options,
    )
    .expect("it can be run");
    let wrong = report
        .findings
        .iter()
        .filter(|f| f.severity.fails())
        .map(|f| format!("{} {}", f.rule.id, f.message))
        .collect();
    (report.makespan.expect("it has run").0, wrong)
}

fn entries(command: &Command) -> Option<&[Barrier]> {
    match &command.kind {
        CommandKind::Barrier(entries) => Some(entries),
        _ => None,
    }
}

/// The barrier calls before each command of a list, and at its end: indices of the list's commands.
fn gaps(commands: &[Command]) -> Vec<(usize, usize)> {
    let mut gaps = Vec::new();
    let mut first = 0;
    for (at, command) in commands.iter().enumerate() {
        if entries(command).is_none() {
            gaps.push((first, at));
            first = at + 1;
        }
    }
    gaps.push((first, commands.len()));
    gaps
}

/// Commands of a list that are no barriers.
fn work(scenario: &Scenario) -> Vec<Vec<String>> {
    let is_barrier =
        |c: &Command| matches!(c.kind, CommandKind::Barrier(_) | CommandKind::Legacy(_));
    scenario
        .lists
        .iter()
        .map(|list| {
            list.commands
                .iter()
                .filter(|c| !is_barrier(c))
                .map(|c| {
                    let uses: Vec<_> = c
                        .uses
                        .iter()
                        .map(|u| (u.access, u.resource, u.stages, u.mode))
                        .collect();
                    format!("{:?} {uses:?}", c.kind)
                })
                .collect()
        })
        .collect()
}

#[test]
fn both_texts_of_a_pair_are_right_and_describe_one_frame() {
    let names = names();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let (with_legacy, by_hand) = (text(&name, "legacy"), text(&name, "enhanced"));
        assert!(
            with_legacy.contains("legacy {") && !by_hand.contains("legacy {"),
            "{name}"
        );
        for (kind, text) in [("legacy", &with_legacy), ("enhanced", &by_hand)] {
            assert_eq!(run_text(text).1, [""; 0], "{name}.{kind}");
        }
        let (one, other) = (parse(&with_legacy), parse(&by_hand));
        assert_eq!(work(&one), work(&other), "{name}: the same work");
        assert!(
            one.resources.keys().eq(other.resources.keys()),
            "{name}: the same resources"
        );
        let printed = scenario::print(&legacy::explain(&one));
        assert_eq!(
            run_text(&printed).1,
            [""; 0],
            "{name}: its translation\n{printed}"
        );
    }
}

/// What makes the translated text dearer: found by putting the hand-written barriers, or one field of them, into it.
fn reason(translated: &Scenario, by_hand: &Scenario, makespan: u64) -> Option<String> {
    let mut best: Option<(u64, String)> = None;
    for ((id, list), other) in translated.lists.pairs().zip(&by_hand.lists) {
        for (gap, hand) in gaps(&list.commands).into_iter().zip(gaps(&other.commands)) {
            let ours: Vec<&Barrier> = list.commands[gap.0..gap.1]
                .iter()
                .filter_map(entries)
                .flatten()
                .collect();
            let theirs: Vec<&Barrier> = other.commands[hand.0..hand.1]
                .iter()
                .filter_map(entries)
                .flatten()
                .collect();
            if ours.is_empty() {
                continue;
            }
            let mut tried: Vec<(Scenario, String)> = Vec::new();
            if ours.len() == theirs.len() {
                for at in 0..ours.len() {
                    tried.extend(fields(translated, id, gap, at, ours[at], theirs[at]));
                }
            }
            let mut whole = translated.clone();
            let calls = other.commands[hand.0..hand.1].to_vec();
            whole.lists[id].commands.splice(gap.0..gap.1, calls);
            tried.push((whole, extra(list.queue_type.leaves(), &ours, &theirs)));
            for (edited, what) in tried {
                let (shorter, _) = run_text(&scenario::print(&edited));
                let gain = makespan.saturating_sub(shorter);
                if gain > best.as_ref().map_or(0, |(known, _)| *known) {
                    best = Some((gain, what));
                }
            }
        }
    }
    best.map(|(gain, what)| format!("{what}: {} µs", micros(gain)))
}

/// One field of one entry as the hand-written text has it.
fn fields(
    translated: &Scenario,
    list: ListId,
    gap: (usize, usize),
    at: usize,
    ours: &Barrier,
    theirs: &Barrier,
) -> Vec<(Scenario, String)> {
    let edit = |change: &dyn Fn(&mut Barrier)| {
        let mut edited = translated.clone();
        let entry = edited.lists[list].commands[gap.0..gap.1]
            .iter_mut()
            .filter_map(|c| match &mut c.kind {
                CommandKind::Barrier(entries) => Some(entries),
                _ => None,
            })
            .flatten()
            .nth(at)
            .expect("the entry exists");
        change(entry);
        edited
    };
    let mut tried = Vec::new();
    if ours.sync_before != theirs.sync_before {
        let what = format!(
            "`SyncBefore` {} where {} is enough",
            short(ours.sync_before),
            short(theirs.sync_before)
        );
        tried.push((edit(&|b| b.sync_before = theirs.sync_before), what));
    }
    if ours.sync_after != theirs.sync_after {
        let what = format!(
            "`SyncAfter` {} where {} is enough",
            short(ours.sync_after),
            short(theirs.sync_after)
        );
        tried.push((edit(&|b| b.sync_after = theirs.sync_after), what));
    }
    if ours.access_before != theirs.access_before {
        let what = format!(
            "`AccessBefore` {} where {} is enough",
            ours.access_before, theirs.access_before
        );
        tried.push((edit(&|b| b.access_before = theirs.access_before), what));
    }
    if ours.access_after != theirs.access_after {
        let what = format!(
            "`AccessAfter` {} where {} is enough",
            ours.access_after, theirs.access_after
        );
        tried.push((edit(&|b| b.access_after = theirs.access_after), what));
    }
    tried
}

/// Stages of the queue that a call names beyond those of the other.
fn extra(queue: LeafSet, ours: &[&Barrier], theirs: &[&Barrier]) -> String {
    let leaves = |entries: &[&Barrier], side: fn(&Barrier) -> BarrierSync| {
        entries
            .iter()
            .fold(LeafSet::EMPTY, |set, b| set.union(side(b).leaves()))
    };
    let say = |name: &str, side: fn(&Barrier) -> BarrierSync| {
        let more = leaves(ours, side).minus(leaves(theirs, side));
        let more = more.intersection(queue).len();
        (more > 0).then(|| format!("{more} stages too many in `{name}`"))
    };
    let parts: Vec<String> = [
        say("SyncBefore", |b| b.sync_before),
        say("SyncAfter", |b| b.sync_after),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("the call as a whole ({})", parts.join(", "))
}

/// A scope for a table: the long names of acceleration structures left out.
fn short(sync: BarrierSync) -> String {
    let long = BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
        | BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO;
    if sync.contains(BarrierSync::ALL) || !sync.intersects(long) {
        // A bar would end the table's cell.
        format!("`{}`", sync.to_string().replace('|', " "))
    } else {
        format!("`{} …`", (sync - long).to_string().replace('|', " "))
    }
}

fn micros(picoseconds: u64) -> String {
    format!(
        "{}.{:02}",
        picoseconds / 1_000_000,
        picoseconds % 1_000_000 / 10_000
    )
}

/// What each pair costs, as the book's page on legacy barriers prints it.
pub(crate) fn table() -> String {
    let mut page = String::from(
        "| frame | by hand, µs | translated, µs | ratio | what costs more |\n|---|---:|---:|---:|---|\n",
    );
    for name in names() {
        let (with_legacy, by_hand) = (text(&name, "legacy"), text(&name, "enhanced"));
        let (translated, _) = run_text(&with_legacy);
        let (hand, _) = run_text(&by_hand);
        let per_mille = (translated * 1000 + hand / 2) / hand;
        let why = if translated > hand {
            let plain = legacy::translate(&parse(&with_legacy)).into_owned();
            reason(&plain, &parse(&by_hand), translated)
                .unwrap_or_else(|| "no single change".into())
        } else {
            String::new()
        };
        writeln!(
            page,
            "| `{name}` | {} | {} | {}.{:03} | {why} |",
            micros(hand),
            micros(translated),
            per_mille / 1000,
            per_mille % 1000
        )
        .expect("a string");
    }
    page
}
