//! The conditions of a kind of entries.

use super::kinds::{
    ABOUT, AFTER, BEFORE, CHANGE, EntryKind, GIVEN_UP, HOLD, LEFTOVERS, Lits, METADATA, QUEUE,
    SETS, SINCE, SPLIT, SURFACES, Space, TEXT, WAIT, queue_names,
};
use super::probe::Prober;
use super::text::{joined, surface_names, words};
use crate::api::{BarrierSync, LeafSet};

/// The conditions of each of the rules that are for a kind, one for each way in which its sets may be empty or not; none if
/// conditions cannot say it. `implicit`: halves of split barriers that are meant without a condition.
pub(super) fn conditions(
    kind: &EntryKind,
    space: &Space,
    prober: &Prober<'_, '_>,
    implicit: u8,
) -> Option<Vec<Vec<String>>> {
    let plain = choices(kind, implicit)?;
    let mut all = vec![Vec::new()];
    for set in [GIVEN_UP, BEFORE, AFTER, WAIT, HOLD, SURFACES] {
        let ways = set_ways(&kind.sets[set], set, space, prober)?;
        all = all
            .into_iter()
            .flat_map(|lines: Vec<String>| {
                ways.iter().map(move |more| {
                    let mut lines = lines.clone();
                    lines.extend(more.iter().cloned());
                    lines
                })
            })
            .collect();
    }
    for lines in &mut all {
        lines.extend(plain.iter().cloned());
    }
    Some(all)
}

/// Conditions on a set: several ways if nothing may be there and something too.
fn set_ways(
    lits: &Lits,
    set: usize,
    space: &Space,
    prober: &Prober<'_, '_>,
) -> Option<Vec<Vec<String>>> {
    const HEADS: [&str; SETS] = [
        "before sync",
        "after sync",
        "before access",
        "after access",
        "given-up",
        "surface",
    ];
    let head = HEADS[set];
    let every = space.every(set);
    let text = |bits: u32| match set {
        WAIT | HOLD | GIVEN_UP if bits == every => "*".to_owned(),
        WAIT | HOLD => BarrierSync::named(LeafSet(bits)).to_string(),
        SURFACES => joined(
            u16::try_from(bits).unwrap_or(u16::MAX),
            &surface_names(prober.profile),
        ),
        _ => words(bits),
    };
    if set == SURFACES {
        // No texture is none of them, so that any of all says nothing.
        let wanted = lits.any.iter().filter(|any| **any != every);
        let lines = wanted.map(|any| format!("{head} {}", text(*any))).collect();
        return (lits.may == every).then(|| vec![lines]);
    }
    let only = format!("{head} {} only", text(lits.may));
    if lits.any.is_empty() {
        return Some(match lits.may {
            0 => vec![vec![format!("{head} none")]],
            may if may == every => vec![Vec::new()],
            _ => vec![vec![format!("{head} none")], vec![only]],
        });
    }
    let wanted = lits
        .any
        .iter()
        .filter(|any| lits.may == every || **any != lits.may);
    let mut lines: Vec<String> = wanted.map(|any| format!("{head} {}", text(*any))).collect();
    if lits.may != every {
        lines.push(only);
    }
    Some(vec![lines])
}

/// Conditions on single values.
fn choices(kind: &EntryKind, implicit: u8) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let wanted = |at: usize| {
        let values = kind.choices[at];
        (values != Space::values(at)).then_some(u16::from(values))
    };
    let mut say = |at: usize, head: &str, names: &[String]| {
        if let Some(values) = wanted(at) {
            lines.push(format!("{head} {}", joined(values, names)));
        }
    };
    let owned = |names: &[&str]| -> Vec<String> { names.iter().map(|n| (*n).to_owned()).collect() };
    say(ABOUT, "resource", &owned(&["texture", "buffer", "global"]));
    say(QUEUE, "queue", &queue_names());
    if kind.choices[SPLIT] != implicit {
        let all = owned(&["none", "first", "second"]);
        lines.push(format!(
            "split {}",
            joined(u16::from(kind.choices[SPLIT]), &all)
        ));
    }
    let mut say = |at: usize, head: &str, names: &[&str]| {
        if let Some(values) = wanted(at) {
            lines.push(format!("{head} {}", joined(values, &owned(names))));
        }
    };
    say(CHANGE, "layout", &["stays", "converts", "discards"]);
    say(METADATA, "metadata", &["none", "before", "after", "both"]);
    say(SINCE, "since-wait", &["list-start", "nothing", "work"]);
    say(LEFTOVERS, "leftovers", &["none", "*"]);
    let texts: [(usize, &[(u16, &str)]); 3] = [
        (TEXT, &[(2, "before access COMMON exactly")]),
        (
            TEXT + 1,
            &[
                (2, "after access COMMON exactly"),
                (4, "after access NO_ACCESS exactly"),
            ],
        ),
        (TEXT + 2, &[(2, "before layout UNDEFINED")]),
    ];
    for (at, known) in texts {
        if let Some(values) = wanted(at) {
            let (_, text) = known.iter().find(|(of, _)| *of == values)?;
            lines.push((*text).to_owned());
        }
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::hardware::Profile;
    use crate::lower::PRECISE;
    use crate::lower::rules::RuleLowering;
    use crate::lower::rules::export::kinds::{CHOICES, Random};
    use crate::lower::rules::export::probe;
    use crate::order::Timeline;

    /// A kind around an entry: some values and sets are as they are there, some may be more, some anything.
    fn any_kind(space: &Space, random: &mut Random) -> EntryKind {
        let mut kind = EntryKind::alone(&space.any(random));
        for at in 0..CHOICES {
            match random.below(4) {
                0 if at < TEXT => kind.choices[at] |= 1 << random.below(3),
                0 => {}
                _ => kind.choices[at] = Space::values(at),
            }
            kind.choices[at] &= Space::values(at);
        }
        for set in 0..SETS {
            let every = space.every(set);
            let lits = &mut kind.sets[set];
            if random.below(2) == 0 || set == SURFACES {
                lits.may = every;
            } else {
                lits.may |= random.below(u32::MAX) & every;
            }
            lits.any.truncate(random.below(3) as usize);
            let may = lits.may;
            for any in &mut lits.any {
                *any |= random.below(u32::MAX) & random.below(u32::MAX) & may;
            }
        }
        kind
    }

    /// What is written of a kind is read as that kind, entry by entry.
    #[test]
    fn conditions_are_the_kind() {
        let text = include_str!("../../../hardware/profiles/rdna.toml");
        let profile = Profile::parse(text).expect("sound");
        let scenario = probe::scenario();
        let timeline = Timeline::new(&scenario);
        let mut prober = Prober::new(&timeline, &profile, &PRECISE);
        let space = Space::new(&prober);
        let mut random = Random(7);
        let (mut said, mut inside, mut outside) = (0, 0, 0);
        for _ in 0..200 {
            let kind = any_kind(&space, &mut random);
            let Some(rules) = conditions(&kind, &space, &prober, 0b011) else {
                continue;
            };
            said += 1;
            let mut text = "lowering kind {\n  match accumulate\n}\n".to_owned();
            for (at, lines) in rules.iter().enumerate() {
                let lines = lines.join("\n  ");
                text = format!("{text}rule \"{at}\" {{\n  {lines}\n  front-end\n}}\n");
            }
            text.push_str("default {\n  nothing\n}\n");
            let read = RuleLowering::read(&Source::new("kind.lower", text.clone()));
            let (rules, _) = read.unwrap_or_else(|found| panic!("{}\n{text}", found[0].message));
            let mut samples = space.of_kind(&kind, 20, &mut random);
            samples.extend((0..60).map(|_| space.any(&mut random)));
            samples.retain(|it| space.question(&prober, it).is_some());
            let asked: Vec<_> = samples
                .iter()
                .filter_map(|it| space.question(&prober, it))
                .collect();
            let says = prober.says(&rules, &asked).expect("rules answer");
            for (it, says) in samples.iter().zip(says) {
                let said = says.acts.contains(&probe::Act::FrontEnd);
                assert_eq!(said, kind.has(it), "{it:?} of {kind:?}\n{text}");
                *if said { &mut inside } else { &mut outside } += 1;
            }
        }
        assert!(
            said > 40 && inside > 400 && outside > 1_000,
            "{said} {inside} {outside}"
        );
    }
}
