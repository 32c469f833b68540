//! From what a lowering does in each context to rules.

use super::Refused;
use super::cover;
use super::keys::{Cells, Key, NONE, Set, decomposed, keys};
use super::probe::{About, Act, Context, HALF, Probed, Prober, Question, SURFACE, WAITS};
use super::text::{Rules, emits, joined, name, some_or_none};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::lower::rules::model::{Base, Place, RuleFile};
use crate::lower::rules::parse;
use crate::lower::rules::printer::quoted;
use crate::lower::session::SinceLastWait;
use std::collections::{BTreeMap, BTreeSet};

/// The rules that add up what a lowering does for each pair of accesses in each context.
pub(super) fn pairs<'p>(
    profile: &'p Profile,
    prober: &mut Prober<'_, '_>,
) -> Result<Rules<'p>, Refused> {
    let mut rules = Rules::new(profile);
    stages(prober, &mut rules)?;
    let contexts: Set = prober.contexts.keys().copied().collect();
    let halves = acting(prober, &contexts)?;
    let plain = table(prober, &halves, None)?;
    let plain_keys = keys(&plain);
    rules.add(&decomposed(&plain_keys, &halves, false), &halves);
    let waiting: Set = halves.iter().copied().filter(|c| c.0[WAITS] == 1).collect();
    let given_up = table(prober, &waiting, Some(&plain))?;
    rules.add(&decomposed(&keys(&given_up), &waiting, true), &waiting);
    leftovers(prober, &mut rules)?;
    Ok(rules)
}

/// Rules as a file.
pub(super) fn file(
    lowering: &dyn Lowering,
    base: Base,
    rules: &Rules<'_>,
) -> Result<RuleFile, Refused> {
    let (says, based, default) = match base {
        Base::Nothing => (
            "each rule adds what it is about",
            "",
            "\ndefault {\n  nothing\n}\n",
        ),
        Base::Precise => ("as `precise`, but for these", "  based-on precise\n", ""),
    };
    let passes = if lowering.policy().keeps_passes() {
        ""
    } else {
        "  passes break\n"
    };
    let text = format!(
        "// `{name}` on the profile `{profile}`: {says}.\nlowering {quoted} {{\n  summary {summary}\n  match accumulate\n{based}{passes}}}\n{rules}{default}",
        name = lowering.name(),
        profile = rules.profile.name,
        quoted = quoted(&format!("{}_on_{}", lowering.name(), rules.profile.name)),
        summary = quoted(lowering.summary()),
        rules = rules.text,
    );
    let (file, findings) = parse(&Source::new("exported", text));
    match findings.iter().find(|f| f.severity.fails()) {
        None => Ok(file),
        Some(finding) => Err(Refused {
            message: format!("its rules cannot be written down: {}", finding.message),
        }),
    }
}

/// A question in a context, with nothing before and nothing after.
pub(super) fn question(prober: &Prober<'_, '_>, context: Context) -> Question {
    let surface = prober.surfaces[usize::from(context.0[SURFACE])];
    let wait = if context.0[WAITS] == 1 {
        Leaf::Copy.into()
    } else {
        LeafSet::EMPTY
    };
    Question {
        about: About::Texture,
        context,
        surfaces: surface.into(),
        before: BarrierAccess::empty(),
        after: BarrierAccess::empty(),
        given_up: BarrierAccess::empty(),
        wait,
        hold: Leaf::ComputeShading.into(),
        split: if context.0[HALF] == 1 { 2 } else { 0 },
        leftovers: Vec::new(),
        since: SinceLastWait::Work,
        texts: [0; 3],
    }
}

/// Rules about waits and holds that are not as asked.
fn stages(prober: &mut Prober<'_, '_>, rules: &mut Rules<'_>) -> Result<(), Refused> {
    let all: LeafSet = LeafSet::ALL;
    let mut ways: BTreeMap<(&str, &str), Set> = BTreeMap::new();
    let (mut every, mut follows) = (Set::new(), BTreeSet::new());
    for split in 0..3_u8 {
        for waits in 0..2_u8 {
            for holds in 0..2_u8 {
                let context = Context([0, 0, waits, 0, 0, u8::from(split == 2)]);
                let mut asked = question(prober, context);
                asked.split = split;
                if holds == 0 {
                    asked.hold = LeafSet::EMPTY;
                }
                let packet = prober.ask(&asked)?;
                follows.insert(packet.after_all);
                let acting = |is_idle: bool, stages| if is_idle { LeafSet::EMPTY } else { stages };
                let wait = acting(split == 2, asked.wait);
                let mut usual = (wait, acting(split == 1, asked.hold));
                if prober.profile.drains_queue() && !wait.is_empty() {
                    usual = (all, all);
                } else if prober.profile.drains_queue() && !usual.1.is_empty() {
                    usual.1 = all;
                }
                let place = Context([split, waits, holds, 0, 0, 0]);
                every.insert(place);
                if (packet.wait, packet.hold) == usual {
                    continue;
                }
                let word = |is: LeafSet, asked: LeafSet| match is {
                    is if is == asked && !asked.is_empty() => Some("as-asked"),
                    is if is == all => Some("ALL"),
                    is if is.is_empty() => Some("none"),
                    _ => None,
                };
                let words = word(packet.wait, asked.wait).zip(word(packet.hold, asked.hold));
                let Some(words) = words else {
                    // More than halves decide: corrections say what.
                    return Ok(());
                };
                ways.entry(words).or_default().insert(place);
            }
        }
    }
    write_stages(&ways, &every, rules);
    if follows.len() == 1 && follows.contains(&true) {
        rules.rule("order", &["after-all".to_owned()]);
    }
    Ok(())
}

/// Rules for stages that are not as asked: by half, and by whether there is something before and after.
fn write_stages(ways: &BTreeMap<(&str, &str), Set>, every: &Set, rules: &mut Rules<'_>) {
    for ((wait, hold), set) in ways {
        for found in cover::boxes(set, set, every) {
            let split = joined(found[0], &["none", "first", "second"].map(str::to_owned));
            let mut lines = vec![format!("split {split}")];
            lines.extend(some_or_none(found[1], "before sync"));
            lines.extend(some_or_none(found[2], "after sync"));
            lines.extend([format!("wait {wait}"), format!("hold {hold}")]);
            rules.rule("stages", &lines);
        }
    }
}

/// The contexts of barriers that act: without second halves, if nothing happens with those.
fn acting(prober: &mut Prober<'_, '_>, contexts: &Set) -> Result<Set, Refused> {
    let mut acts = false;
    for context in contexts.iter().filter(|c| c.0[HALF] == 1) {
        let mut asked = question(prober, *context);
        (asked.before, asked.after) = (BarrierAccess::EVERY, BarrierAccess::EVERY);
        acts |= !prober.ask(&asked)?.acts.is_empty();
        asked.after = BarrierAccess::empty();
        acts |= !prober.ask(&asked)?.acts.is_empty();
    }
    let wanted = |context: &&Context| acts || context.0[HALF] == 0;
    Ok(contexts.iter().filter(wanted).copied().collect())
}

/// What the lowering does for each pair of accesses in each context; with a table, for each access that is given up, and
/// only what the table does not have.
fn table(
    prober: &mut Prober<'_, '_>,
    contexts: &Set,
    without: Option<&Cells<Act>>,
) -> Result<Cells<Act>, Refused> {
    let access = |bit: u8| {
        if bit == NONE {
            BarrierAccess::empty()
        } else {
            BarrierAccess::from_bits_retain(1 << bit)
        }
    };
    let mut cells: Cells<Act> = BTreeMap::new();
    for context in contexts {
        for before in 0..=NONE {
            if without.is_some() && !access(before).writes() {
                continue;
            }
            for after in 0..=NONE {
                let mut asked = question(prober, *context);
                asked.after = access(after);
                if without.is_some() {
                    asked.given_up = access(before);
                } else {
                    asked.before = access(before);
                }
                let Probed { acts, .. } = prober.ask(&asked)?;
                for act in acts {
                    let known = without.is_some_and(|table| {
                        let cell = table.get(&act).and_then(|cells| cells.get(&(NONE, after)));
                        cell.is_some_and(|set| set.contains(context))
                    });
                    if !known {
                        let cell = cells.entry(act).or_default().entry((before, after));
                        cell.or_default().insert(*context);
                    }
                }
            }
        }
    }
    Ok(cells)
}

/// Drops of what an earlier alias may have left.
fn leftovers(prober: &mut Prober<'_, '_>, rules: &mut Rules<'_>) -> Result<(), Refused> {
    let profile = prober.profile;
    let context = Context([0, 0, 1, 0, 0, 0]);
    for op in profile.layout_ops.iter().filter(|op| !op.caches.is_empty()) {
        let mut asked = question(prober, context);
        let before = prober.ask(&asked)?;
        asked.leftovers.clone_from(&op.caches);
        let after = prober.ask(&asked)?;
        let more: Vec<Key> = after
            .acts
            .difference(&before.acts)
            .map(|act| match *act {
                Act::Clean(cache, whole, _) => Key::Clean(Place::Usual, whole, cache),
                Act::Invalidate(cache, whole, _) => Key::Invalidate(Place::Usual, whole, cache),
                Act::Layout => Key::Layout,
                Act::FrontEnd => Key::FrontEnd,
            })
            .collect();
        if !more.is_empty() {
            let caches = op.caches.iter().map(|cache| name(profile, *cache));
            let caches: Vec<String> = caches.collect();
            let mut lines = vec![format!("leftovers {}", caches.join("|"))];
            lines.extend(emits(profile, &more));
            rules.rule(&op.name, &lines);
        }
    }
    Ok(())
}
