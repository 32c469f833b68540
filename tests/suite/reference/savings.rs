//! What is called superfluous, against the reference: all barriers that are named redundant or implied are deleted
//! together, all masks that are named too wide are narrowed on top of that, and the reference — which knows no engine —
//! must find no pair that was covered before.

use super::lasting::Lasting;
use super::model::Model;
use super::pairs::{Decided, Pair, Touch};
use super::{generate, parts};
use crate::sizes;
use std::collections::BTreeSet;
use syncscope::api::{BarrierAccess, BarrierSync};
use syncscope::catalog;
use syncscope::finding::{Finding, Source};
use syncscope::graph::ConflictKind;
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::scenario::edit::{self, EntryId, Next};
use syncscope::scenario::{self, Barrier, Scenario};

/// Everything that the reference finds uncovered, as text.
fn uncovered(scenario: &Scenario) -> BTreeSet<String> {
    let timeline = Timeline::new(scenario);
    let model = Model::new(&timeline);
    let (lone, decided) = Lasting::walk(&model);
    let pairs: BTreeSet<Pair> = decided.iter().flat_map(Decided::pairs).collect();
    let pairs = pairs.iter().map(|p| format!("{p:?}"));
    let pairs = pairs.chain(decided.iter().flat_map(|d| by_bytes(&model, d)));
    // Data inheritance between buffers is allowed: advice, not what a deletion must not add.
    let lone = lone.iter().filter(|l| l.2 != ConflictKind::Inherited);
    pairs.chain(lone.map(|l| format!("{l:?}"))).collect()
}

/// Ranges begin and end at multiples of it.
const STEP_BYTES: usize = 4;

/// Pairs of uses, on each byte: an edited copy may cut its cells otherwise.
fn by_bytes(model: &Model<'_>, decided: &Decided<'_>) -> BTreeSet<String> {
    let touches = decided.touches();
    let is_use = |touch: &Touch<'_>| matches!(touch, Touch::Use(..));
    let mut pairs = BTreeSet::new();
    for (j, second) in touches.iter().filter(|(_, t)| is_use(t)) {
        for (i, first) in touches.iter().filter(|(i, t)| i < j && is_use(t)) {
            for cell in first.cells().intersection(second.cells()) {
                if let Some(kind) = decided.uncovered(*cell, (*i, *first), (*j, *second)) {
                    let (memory, start, end) = model.cells[*cell];
                    let pair = format!("{:?} {:?} {kind:?}", first.name(), second.name());
                    let bytes = (start..end).step_by(STEP_BYTES);
                    pairs.extend(bytes.map(|byte| format!("{pair} {memory}:{byte}")));
                }
            }
        }
    }
    pairs
}

/// The entry that begins at a place of the text.
fn entry_at(scenario: &Scenario, start: u32) -> Option<EntryId> {
    let mut entries = edit::barriers(scenario);
    let found = entries.find(|(_, barrier)| barrier.span.start == start);
    found.map(|(entry, _)| entry)
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
    let general = sizes::SAVINGS.seeds().map(generate::scenario);
    let parts = sizes::SAVINGS.seeds().map(parts::scenario);
    for text in general.chain(parts) {
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
            edit::remove(&mut copy, &[entry], Next::Relinked);
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
            "{text}becomes\n{}\nadded {added:#?}",
            scenario::print(&copy)
        );
    }
    // A law about nothing would hold by itself.
    assert!(
        deleted > 0 && narrowed > 0,
        "{deleted} deleted, {narrowed} narrowed"
    );
}
