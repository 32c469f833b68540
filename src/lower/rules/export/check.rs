//! Compares exported rules with their lowering on random entries: several accesses at once, halves of split barriers,
//! buffers and global barriers, several surfaces, leftovers.

use super::Refused;
use super::kinds::{Random, Sample, Space};
use super::probe::{Probed, Prober, Question};
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::rules::model::RuleFile;
use crate::lower::rules::{RuleLowering, print};

/// Entries that are compared.
const COMPARED: usize = 20_000;

/// Where rules and a lowering differ.
pub(super) struct Difference {
    /// The entries on which they do.
    pub(super) samples: Vec<Sample>,
    /// The smallest of them in words.
    pub(super) refused: Refused,
}

/// Compares the rules of a file with a lowering; `seed` says on which entries.
pub(super) fn check(
    file: &RuleFile,
    space: &Space,
    prober: &mut Prober<'_, '_>,
    seed: u64,
) -> Result<Option<Difference>, Refused> {
    let rules = RuleLowering::new(file.clone(), &Source::new("exported", print(file)));
    let mut random = Random(seed);
    // The same entries for both, one lowering after the other.
    let (mut samples, mut asked) = (Vec::new(), Vec::new());
    while asked.len() < COMPARED {
        let it = space.any(&mut random);
        if let Some(question) = space.question(prober, &it) {
            samples.push(it);
            asked.push(question);
        }
    }
    let is: Result<Vec<Probed>, Refused> = asked.iter().map(|it| prober.ask(it)).collect();
    let is = is?;
    let says = prober.says(&rules, &asked)?;
    let differ: Vec<usize> = (0..asked.len()).filter(|at| is[*at] != says[*at]).collect();
    // The one that says least shows most.
    let smallest = differ.iter().min_by_key(|at| samples[**at].size());
    Ok(smallest.map(|at| Difference {
        samples: differ.iter().map(|at| samples[*at]).collect(),
        refused: differs(prober.profile, &asked[*at], &is[*at], &says[*at]),
    }))
}

fn differs(profile: &Profile, asked: &Question, is: &Probed, says: &Probed) -> Refused {
    let stages = |leaves: LeafSet| match leaves {
        LeafSet::ALL => "every stage".to_owned(),
        LeafSet::EMPTY => "nothing".to_owned(),
        some => BarrierSync::named(some).to_string(),
    };
    let list = |one: &Probed, other: &Probed| {
        let mut said = Vec::new();
        if one.wait != other.wait {
            said.push(format!("a wait for {}", stages(one.wait)));
        }
        if one.hold != other.hold {
            said.push(format!("a hold of {}", stages(one.hold)));
        }
        if one.after_all != other.after_all {
            said.push(format!("after-all {}", one.after_all));
        }
        let acts = one.acts.difference(&other.acts);
        said.extend(acts.map(|act| act.text(profile)));
        if said.is_empty() {
            "nothing more".to_owned()
        } else {
            said.join(", ")
        }
    };
    Refused {
        message: format!(
            "it is no short list of rules: for {} it has {}, and such rules have {}",
            barrier(asked),
            list(is, says),
            list(says, is),
        ),
    }
}

/// The barrier that is asked about, in words.
pub(super) fn barrier(asked: &Question) -> String {
    let names = |accesses: BarrierAccess| {
        if accesses.is_empty() {
            "nothing".to_owned()
        } else if accesses == BarrierAccess::EVERY {
            "every access".to_owned()
        } else {
            accesses.to_string()
        }
    };
    format!(
        "a {} barrier from {} to {}",
        asked.about.word(),
        names(asked.before | asked.given_up),
        names(asked.after)
    )
}
