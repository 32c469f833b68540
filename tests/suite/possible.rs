//! Uses that may not be made (`may`), on random scenarios: what the word changes, and what it does not.

use crate::reference::random_scenario;
use crate::sizes;
use rand::prelude::*;
use std::collections::BTreeSet;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::run::{self, Options, Proposals};

/// A scenario in three forms, with every other text at the same place.
struct Forms {
    /// Some uses say `may`.
    may: String,
    /// The same uses do not.
    certain: String,
    /// The same uses are not there.
    absent: String,
    /// Where these uses are.
    places: BTreeSet<u32>,
}

/// Some uses of a random scenario say `may`.
fn forms(seed: u64) -> Forms {
    let mut random = StdRng::seed_from_u64(seed);
    let (mut may, mut certain, mut absent) = (String::new(), String::new(), String::new());
    let mut places = BTreeSet::new();
    for line in random_scenario(seed).lines() {
        let words = ["draw", "dispatch", "execute-indirect", "set-root"];
        let is_work = words.iter().any(|word| line.trim().starts_with(word));
        let Some((head, body)) = line.rsplit_once('{').filter(|_| is_work) else {
            for text in [&mut may, &mut certain, &mut absent] {
                text.push_str(line);
                text.push('\n');
            }
            continue;
        };
        let (body, tail) = body.rsplit_once('}').expect("a block on one line ends");
        for text in [&mut may, &mut certain, &mut absent] {
            text.push_str(head);
            text.push('{');
        }
        for (index, usage) in body.split(';').enumerate() {
            let is_argument = usage.contains("INDIRECT_ARGUMENT");
            let chosen = !usage.trim().is_empty() && !is_argument && random.random_range(0..2) == 0;
            let separator = if index == 0 { "" } else { ";" };
            for text in [&mut may, &mut certain, &mut absent] {
                text.push_str(separator);
            }
            let lead = usage.len() - usage.trim_start().len();
            let usage = usage.trim_end();
            if chosen {
                let place = may.len() + lead;
                places.insert(u32::try_from(place).expect("a small text"));
                may.extend([usage, " may "]);
                certain.extend([usage, "     "]);
                absent.push_str(&" ".repeat(usage.len() + 5));
            } else {
                for text in [&mut may, &mut certain, &mut absent] {
                    text.extend([usage, " "]);
                }
            }
        }
        for text in [&mut may, &mut certain, &mut absent] {
            text.extend(["}", tail, "\n"]);
        }
    }
    Forms {
        may,
        certain,
        absent,
        places,
    }
}

/// What is found, each with its line.
fn findings(text: &str) -> Vec<Found> {
    let source = Source::new("random.scn", text);
    let options = Options {
        proposals: Proposals::None,
        without_proofs: true,
        ..Options::default()
    };
    let report = run::check(&source, &options);
    let syntax = report.findings.iter().find(|f| f.rule.family() == "SC");
    assert!(syntax.is_none(), "{syntax:?}\n{text}");
    let found = report.findings.into_iter();
    found.map(|f| (source.line(f.span.start), f)).collect()
}

type Found = (u32, Finding);

/// Rule, line or place, resource.
type Key = (&'static str, u32, Option<String>);

fn key(place: u32, finding: &Finding) -> Key {
    let resource = finding.resource.as_ref().map(ToString::to_string);
    (finding.rule.id, place, resource)
}

fn keys<'f>(findings: impl IntoIterator<Item = &'f Found>) -> BTreeSet<Key> {
    let keys = findings.into_iter().map(|(line, f)| key(*line, f));
    keys.collect()
}

/// A hazard that a run fails for.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "filters pass references")]
fn is_certain((_, finding): &&Found) -> bool {
    finding.rule.family() == "HZ" && finding.severity == Severity::Hazard
}

/// Whether a barrier with `AccessBefore NO_ACCESS` gave contents up, which a later write makes good.
fn is_given_up(finding: &Finding) -> bool {
    let mut notes = finding.notes.iter();
    notes.any(|note| note.contains("gave the contents up"))
}

/// How often a rule's hazard was found of a resource.
fn executions(all: &[Found], of: &Finding) -> u64 {
    let same = |f: &Finding| (f.rule.id, &f.resource) == (of.rule.id, &of.resource);
    let found = all.iter().filter(|(_, f)| f.hazard.is_some() && same(f));
    found.map(|(_, f)| u64::from(f.repeats)).sum()
}

fn check(seed: u64) -> [usize; 3] {
    let forms = forms(seed);
    let (may, certain, absent) = (
        findings(&forms.may),
        findings(&forms.certain),
        findings(&forms.absent),
    );
    let context = || format!("seed {seed}\n{}", forms.may);
    // Without the word, nothing is found that is not found with it, but for reads that must be certain. EB036 is where no
    // hazard is (reading R34): what a possible write hides is one with the word only.
    let with = keys(&may);
    let is_hazard = |line: u32| {
        let mut here = may
            .iter()
            .filter(|(l, f)| *l == line && f.rule.family() == "HZ");
        here.next().is_some()
    };
    for (line, finding) in &certain {
        let is_there = with.contains(&key(*line, finding))
            || finding.rule.id == "HZ109"
            || finding.rule.id == "EB036" && is_hazard(*line)
            // Of two uses of a command, the hazard is at the one that is certainly made (reading R42).
            || finding.hazard.is_some() && executions(&may, finding) >= executions(&certain, finding);
        assert!(is_there, "{:?} is gone\n{}", finding, context());
    }
    // What fails is what fails without these uses.
    let left = keys(absent.iter().filter(is_certain));
    let failing = keys(may.iter().filter(is_certain));
    for (line, finding) in may.iter().filter(is_certain) {
        let is_there = left.contains(&key(*line, finding));
        assert!(is_there, "{finding:?}\n{}", context());
    }
    for (line, finding) in absent.iter().filter(is_certain) {
        let is_there = failing.contains(&key(*line, finding)) || is_given_up(finding);
        assert!(is_there, "{finding:?} is softened\n{}", context());
    }
    // Everything else says so.
    for (_, finding) in may.iter().filter(|(_, f)| f.rule.family() == "HZ") {
        let can_be = finding.rule.severity == Severity::Hazard;
        if can_be && finding.severity == Severity::Warning && finding.rule.name != "false-sharing" {
            let message = &finding.message;
            assert!(message.contains(" may "), "{message}\n{}", context());
        }
    }
    // Legality: the same, and softer at these uses only.
    let legality = |all: &[Found]| -> BTreeSet<(Key, Severity)> {
        // EB036 is where no hazard is (reading R34): of two uses of a command, the other one.
        let is_legality = |f: &Finding| f.rule.family() == "EB" && f.rule.id != "EB036";
        let rules = all.iter().filter(|(_, f)| is_legality(f));
        rules
            .map(|(_, f)| (key(f.span.start, f), f.severity))
            .collect()
    };
    for (known, severity) in legality(&certain) {
        let softened = if forms.places.contains(&known.1) {
            severity.min(Severity::Warning)
        } else {
            severity
        };
        let is_there = legality(&may).contains(&(known.clone(), softened));
        assert!(is_there, "{known:?} {softened:?}\n{}", context());
    }
    let sides = may.iter().filter_map(|(_, f)| f.hazard.as_ref());
    let marked = sides.filter(|h| h.first.may || h.second.may).count();
    [
        failing.len(),
        marked,
        with.difference(&keys(&certain)).count(),
    ]
}

#[test]
fn the_word_may_softens_what_rests_on_the_use_and_nothing_else() {
    let mut seen = [0; 3];
    for seed in sizes::MAY.seeds() {
        for (sum, one) in seen.iter_mut().zip(check(seed)) {
            *sum += one;
        }
    }
    // Certain hazards next to possible ones, and some that a possible write hides.
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}
