//! Compares exported rules with their lowering on random entries: several accesses at once, halves of split barriers,
//! buffers and global barriers, several surfaces, leftovers.

use super::Refused;
use super::probe::{About, CHANGE, Context, METADATA, Probed, Prober, Question, SURFACE, WAITS};
use super::write::question;
use crate::api::{BarrierAccess, BarrierSync, LeafSet};
use crate::finding::Source;
use crate::hardware::{Profile, VariantSet};
use crate::lower::rules::model::RuleFile;
use crate::lower::rules::{RuleLowering, print};
use crate::lower::session::SinceLastWait;

/// Entries that are compared.
const COMPARED: u32 = 20_000;

/// Compares the rules of a file with a lowering.
pub(super) fn check(file: &RuleFile, prober: &mut Prober<'_, '_>) -> Result<(), Refused> {
    let rules = RuleLowering::new(file.clone(), &Source::new("exported", print(file)));
    let mut random = Random(18);
    let contexts: Vec<Context> = prober.contexts.keys().copied().collect();
    // The same entries for both, one lowering after the other.
    let asked: Vec<Question> = (0..COMPARED)
        .map(|_| any(prober, &contexts, &mut random))
        .collect();
    let is: Result<Vec<Probed>, Refused> = asked.iter().map(|it| prober.ask(it)).collect();
    let is = is?;
    let says = prober.says(&rules, &asked)?;
    let pairs = asked.iter().zip(is).zip(says);
    let differ = pairs.filter(|((_, is), says)| is != says);
    // The one with the fewest accesses says most.
    let size = |asked: &Question| {
        let accesses = [asked.before, asked.after, asked.given_up];
        accesses
            .iter()
            .map(|it| it.bits().count_ones())
            .sum::<u32>()
    };
    match differ.min_by_key(|((asked, _), _)| size(asked)) {
        None => Ok(()),
        Some(((asked, is), says)) => Err(differs(prober.profile, asked, &is, &says)),
    }
}

fn differs(profile: &Profile, asked: &Question, is: &Probed, says: &Probed) -> Refused {
    let stages = |leaves: LeafSet| match leaves {
        LeafSet::ALL => "every stage".to_owned(),
        LeafSet::EMPTY => "nothing".to_owned(),
        some => BarrierSync::named(some).to_string(),
    };
    let names = |accesses: BarrierAccess| {
        if accesses.is_empty() {
            "nothing".to_owned()
        } else if accesses == BarrierAccess::EVERY {
            "every access".to_owned()
        } else {
            accesses.to_string()
        }
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
            "it is no sum of rules about pairs of accesses: for a {} barrier from {} to {} it has {}, and such rules have {}",
            asked.about.word(),
            names(asked.before | asked.given_up),
            names(asked.after),
            list(is, says),
            list(says, is),
        ),
    }
}

/// Any entry.
fn any(prober: &Prober<'_, '_>, contexts: &[Context], random: &mut Random) -> Question {
    let mut context = random.one(contexts);
    let about = random.one(&[About::Texture, About::Texture, About::Buffer, About::Global]);
    if about != About::Texture {
        context.0[CHANGE] = 0;
        let both = about == About::Global && prober.profile.compresses();
        context.0[METADATA] = if both { 3 } else { 0 };
    }
    if about == About::Buffer {
        context.0[SURFACE] = 0;
    }
    let accesses = |random: &mut Random| {
        let bits = match random.below(6) {
            0 => 0,
            1 => BarrierAccess::EVERY.bits(),
            2 => BarrierAccess::WRITES.bits(),
            n => (0..n).fold(0, |all, _| all | 1 << random.below(23)),
        };
        BarrierAccess::from_bits_retain(bits)
    };
    let stages = |random: &mut Random| {
        let leaves = LeafSet(random.below(u32::MAX)).intersection(LeafSet::ALL);
        if leaves.is_empty() {
            LeafSet::ALL
        } else {
            leaves
        }
    };
    let mut asked = question(prober, context);
    asked.about = about;
    asked.before = accesses(random);
    asked.after = accesses(random);
    let waits = context.0[WAITS] == 1;
    if waits {
        asked.wait = stages(random);
    }
    asked.hold = if random.below(10) < 8 {
        stages(random)
    } else {
        LeafSet::EMPTY
    };
    if asked.split == 0 && about == About::Texture && random.below(10) < 3 {
        (asked.split, asked.hold) = (1, LeafSet::EMPTY);
    }
    if asked.before.is_empty() && waits && about != About::Global {
        asked.given_up = accesses(random) & BarrierAccess::WRITES;
    }
    if about == About::Texture && random.below(10) < 3 {
        let other = random.one(&prober.surfaces);
        asked.surfaces = asked.surfaces.union(VariantSet::from(other));
    }
    let mut leaving = prober.profile.layout_ops.iter();
    let leaving = leaving.find(|op| !op.caches.is_empty());
    if let Some(op) = leaving.filter(|_| about == About::Texture && context.0[CHANGE] == 0)
        && random.below(10) < 3
    {
        asked.leftovers.clone_from(&op.caches);
    }
    asked.since = random.one(&[
        SinceLastWait::NewList,
        SinceLastWait::Nothing,
        SinceLastWait::Work,
    ]);
    asked
}

/// Numbers that look random and are the same every time (splitmix64).
struct Random(u64);

impl Random {
    /// A number below `limit`.
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = (z ^ (z >> 31)) >> 32;
        u32::try_from(high % u64::from(limit)).unwrap_or_default()
    }

    /// One of several.
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        let count = u32::try_from(of.len()).unwrap_or(u32::MAX);
        of[self.below(count) as usize]
    }
}
