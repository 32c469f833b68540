//! What is called superfluous, against the reference: all barriers that are named redundant or implied are deleted
//! together, all masks that are named too wide are narrowed on top of that, and the reference — which knows no engine —
//! must find no pair that was covered before.

use super::generate;
use super::lasting::Lasting;
use super::model::Model;
use super::pairs::{Decided, Pair};
use crate::sizes;
use std::collections::BTreeSet;
use syncscope::analyze::redundancy::change::{self, EntryId};
use syncscope::api::{BarrierAccess, BarrierSync};
use syncscope::catalog;
use syncscope::finding::{Finding, Source};
use syncscope::graph::ConflictKind;
use syncscope::id::ListId;
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::scenario::{self, Barrier, CommandKind, Scenario};

/// Everything that the reference finds uncovered, as text.
fn uncovered(scenario: &Scenario) -> BTreeSet<String> {
    let timeline = Timeline::new(scenario);
    let model = Model::new(&timeline);
    let (lone, decided) = Lasting::walk(&model);
    let pairs: BTreeSet<Pair> = decided.iter().flat_map(Decided::pairs).collect();
    let pairs = pairs.iter().map(|p| format!("{p:?}"));
    // Data inheritance between buffers is allowed: advice, not what a deletion must not add.
    let lone = lone.iter().filter(|l| l.2 != ConflictKind::Inherited);
    pairs.chain(lone.map(|l| format!("{l:?}"))).collect()
}

/// The entry that begins at a place of the text.
fn entry_at(scenario: &Scenario, start: u32) -> Option<EntryId> {
    for (list, commands) in scenario.lists.iter().map(|l| &l.commands).enumerate() {
        for (command, it) in commands.iter().enumerate() {
            let CommandKind::Barrier(barriers) = &it.kind else {
                continue;
            };
            let found = barriers.iter().position(|b| b.span.start == start);
            if let Some(index) = found {
                return Some(EntryId {
                    list: ListId::new(list),
                    command: command as u32,
                    index: index as u32,
                });
            }
        }
    }
    None
}

/// Does what `narrow SyncBefore to COPY and …` says.
fn narrow(barrier: &mut Barrier, help: &str) {
    let changes = help.strip_prefix("narrow ").expect("what to do");
    for part in changes.split(" and ") {
        let (field, to) = part.split_once(" to ").expect("what it is to be");
        let sync = || -> BarrierSync {
            let bits = to.split('|').map(BarrierSync::parse_one);
            bits.map(|b| b.expect("a stage")).collect()
        };
        let access = || -> BarrierAccess {
            let bits = to.split('|').map(BarrierAccess::parse_one);
            bits.map(|b| b.expect("an access")).collect()
        };
        match field {
            "SyncBefore" => barrier.sync_before = sync(),
            "SyncAfter" => barrier.sync_after = sync(),
            "AccessBefore" => barrier.access_before = access(),
            "AccessAfter" => barrier.access_after = access(),
            other => panic!("{other} is no field"),
        }
    }
}

#[test]
fn what_is_called_superfluous_is_so_by_the_reference() {
    let registry = catalog::registry();
    let (mut deleted, mut narrowed) = (0, 0);
    for seed in sizes::SAVINGS.seeds() {
        let text = generate::scenario(seed);
        let source = Source::new("random.scn", text.clone());
        let (parsed, findings) = scenario::parse(&source);
        if findings.iter().any(|f| f.severity.fails()) || parsed.timeline.is_none() {
            continue;
        }
        if !Timeline::new(&parsed).fence_problems.is_empty() {
            continue;
        }
        let options = Options {
            without_commands: true,
            ..Options::default()
        };
        let report = run::run(&source, &registry, &options).expect("a scenario runs");
        let of = |ids: &'static [&'static str]| {
            let findings = report.findings.iter();
            findings.filter(move |f: &&Finding| ids.contains(&f.rule.id))
        };
        let mut copy = parsed.clone();
        for finding in of(&["RD101", "RD105"]) {
            let entry = entry_at(&copy, finding.span.start).expect("a barrier is named");
            for change in change::delete(&copy, entry) {
                change.apply(&mut copy);
            }
            deleted += 1;
        }
        for finding in of(&["RD102", "RD103", "RD104"]) {
            let entry = entry_at(&copy, finding.span.start).expect("a barrier is named");
            let barrier = entry.of_mut(&mut copy).expect("an entry");
            narrow(barrier, finding.help.as_deref().expect("what it can be"));
            narrowed += 1;
        }
        let (before, after) = (uncovered(&parsed), uncovered(&copy));
        let added: Vec<_> = after.difference(&before).collect();
        assert!(
            added.is_empty(),
            "seed {seed}:\n{text}becomes\n{}\nadded {added:#?}",
            scenario::print(&copy)
        );
    }
    // A law about nothing would hold by itself.
    assert!(
        deleted > 0 && narrowed > 0,
        "{deleted} deleted, {narrowed} narrowed"
    );
}
