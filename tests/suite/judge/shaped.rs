//! Rule files that are shaped after shipped drivers (`scenarios/lowering/shipped/`) against what these drivers wrote for the
//! situations of `judge --emit-situations`.
//!
//! A packet's write-backs and drops are compared as sets of caches. Where one command of the machine does both, either word
//! means both. Of waits only this is compared: whether there is one.

use super::profile;
use super::shipped::SHIPPED;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::OnceLock;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::recorded::{self, PacketLine};
use syncscope::lower::{Lowering, rules::RuleLowering};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, StepKind};
use syncscope::scenario;
use syncscope::verify::driver_situations;

/// The rule file of each driver of `SHIPPED`.
const RULES: [(&str, &str); 6] = [
    (
        "radv.lower",
        include_str!("../../../scenarios/lowering/shipped/radv.lower"),
    ),
    (
        "radv-gfx12.lower",
        include_str!("../../../scenarios/lowering/shipped/radv-gfx12.lower"),
    ),
    (
        "anv.lower",
        include_str!("../../../scenarios/lowering/shipped/anv.lower"),
    ),
    (
        "anv.lower",
        include_str!("../../../scenarios/lowering/shipped/anv.lower"),
    ),
    (
        "nvk.lower",
        include_str!("../../../scenarios/lowering/shipped/nvk.lower"),
    ),
    (
        "turnip.lower",
        include_str!("../../../scenarios/lowering/shipped/turnip.lower"),
    ),
];

/// Of hundred situations, those in which a rule file does what its driver does.
const SAME_PERCENT: usize = 90;

/// What one barrier call came to.
#[derive(PartialEq, Eq, Default, Debug)]
struct Done {
    waits: bool,
    /// `-CB` is a write-back, `xL0V` a drop.
    operations: BTreeSet<String>,
}

impl Done {
    fn add(&mut self, profile: &Profile, cache: &str, is_drop: bool) {
        let row = profile.caches.iter().find(|row| row.name == cache);
        let row = row.unwrap_or_else(|| panic!("{cache} is a cache of {}", profile.name));
        let is_one = [&row.clean_op, "the same bits"].contains(&row.invalidate_op.as_str());
        let is_both = row.clean_drops || is_one;
        if !is_drop || is_both {
            self.operations.insert(format!("-{cache}"));
        }
        if is_drop || is_both {
            self.operations.insert(format!("x{cache}"));
        }
    }

    fn recorded(packet: &PacketLine, profile: &Profile) -> Self {
        let mut done = Self {
            waits: !packet.wait.is_empty(),
            operations: BTreeSet::new(),
        };
        for cache in &packet.flush {
            done.add(profile, cache, false);
        }
        for cache in &packet.invalidate {
            done.add(profile, cache, true);
        }
        done
    }

    /// What a lowering does for the only barrier call of a scenario.
    fn lowered(scene: &Source, lowering: &RuleLowering, profile: &Profile) -> Self {
        let (scenario, findings) = scenario::parse(scene);
        assert!(findings.is_empty(), "{}: {findings:?}", scene.name);
        let program = lowering.lower(&Timeline::new(&scenario), profile);
        let mut done = Self::default();
        for (block, op) in program.ops() {
            let HwOpKind::Barrier(barrier) = &op.kind else {
                continue;
            };
            if op.origin.entry.is_none() {
                continue;
            }
            done.waits |= !barrier.wait.is_empty();
            for step in barrier.steps.of(&block.steps) {
                match step.kind {
                    StepKind::Clean { cache, .. } => {
                        done.add(profile, &profile.caches[cache].name, false);
                    }
                    StepKind::Invalidate { cache, .. } => {
                        done.add(profile, &profile.caches[cache].name, true);
                    }
                    _ => {}
                }
            }
        }
        done
    }
}

/// A driver next to its rule file.
struct Shape {
    driver: String,
    device: String,
    rules: &'static str,
    situations: usize,
    /// Situations in which operations differ, and how.
    others: BTreeMap<String, Vec<String>>,
    /// Situations in which only one of the two waits.
    waits: BTreeMap<&'static str, Vec<String>>,
}

impl Shape {
    fn same(&self) -> usize {
        self.situations - self.others.values().map(Vec::len).sum::<usize>()
    }
}

fn shapes() -> &'static [Shape] {
    static SHAPES: OnceLock<Vec<Shape>> = OnceLock::new();
    SHAPES.get_or_init(|| {
        let situations = driver_situations();
        let rows = SHIPPED.iter().zip(RULES);
        rows.map(|((packets, _), (name, text))| shape(packets, name, text, &situations))
            .collect()
    })
}

fn shape(packets: &str, name: &'static str, text: &str, situations: &[Source]) -> Shape {
    let (lowering, _) = RuleLowering::read(&Source::new(name, text))
        .unwrap_or_else(|findings| panic!("{name}: {}", findings[0].message));
    let trace = recorded::read(&Source::new("packets.jsonl", packets));
    let first = &trace.lines[0].packet;
    let of = |word: &Option<String>| word.clone().expect("a recording names it");
    let machine = profile(&of(&first.profile));
    let mut shape = Shape {
        driver: of(&first.driver),
        device: of(&first.device),
        rules: name,
        situations: trace.lines.len(),
        others: BTreeMap::new(),
        waits: BTreeMap::new(),
    };
    for line in &trace.lines {
        let situation = of(&line.packet.barrier);
        let scene = situations
            .iter()
            .find(|scene| scene.name.trim_end_matches(".scn").ends_with(&situation));
        let scene = scene.unwrap_or_else(|| panic!("{situation} is a situation"));
        let driver = Done::recorded(&line.packet, &machine);
        let rules = Done::lowered(scene, &lowering, &machine);
        let more: Vec<_> = driver.operations.difference(&rules.operations).collect();
        let less: Vec<_> = rules.operations.difference(&driver.operations).collect();
        if !(more.is_empty() && less.is_empty()) {
            let how = format!("the driver {}, the file {}", words(&more), words(&less));
            shape.others.entry(how).or_default().push(situation.clone());
        }
        match (driver.waits, rules.waits) {
            (true, false) => shape.waits.entry("the driver").or_default().push(situation),
            (false, true) => shape.waits.entry("the file").or_default().push(situation),
            _ => {}
        }
    }
    shape
}

/// Operations in words: `-L3` is a write-back, `xL3` a drop.
fn words(operations: &[&String]) -> String {
    if operations.is_empty() {
        return "nothing".to_owned();
    }
    let word = |operation: &&String| match operation.split_at(1) {
        ("-", cache) => format!("writes back {cache}"),
        (_, cache) => format!("drops {cache}"),
    };
    operations.iter().map(word).collect::<Vec<_>>().join(", ")
}

#[test]
fn rule_files_do_what_their_drivers_do() {
    for shape in shapes() {
        let (same, of) = (shape.same(), shape.situations);
        assert!(
            100 * same >= SAME_PERCENT * of,
            "{} on {}: {same} of {of}: {:?}",
            shape.rules,
            shape.device,
            shape.others
        );
    }
}

/// The tables of the book.
pub(crate) fn table() -> String {
    let mut table = String::from(
        "| driver | device | rule file | situations | same write-backs and drops |\n|---|---|---|---:|---:|\n",
    );
    for shape in shapes() {
        let (same, of) = (shape.same(), shape.situations);
        let Shape {
            driver,
            device,
            rules,
            ..
        } = shape;
        let _ = writeln!(table, "| {driver} | {device} | `{rules}` | {of} | {same} |");
    }
    table.push_str("\n| device | the difference | situations | which |\n|---|---|---:|---|\n");
    for shape in shapes() {
        for (how, names) in &shape.others {
            let _ = writeln!(table, "{}", row(&shape.device, how, names));
        }
        for (who, names) in &shape.waits {
            let how = format!("only {who} waits");
            let _ = writeln!(table, "{}", row(&shape.device, &how, names));
        }
    }
    table
}

fn row(device: &str, how: &str, names: &[String]) -> String {
    let marked: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "| {device} | {how} | {} | {} |",
        names.len(),
        marked.join(" ")
    )
}
