//! Rules that no entry can reach: conditions that exclude each other, and rules after one that matches all they match.
//!
//! Both questions are answered exactly for one quantity at a time, and for one earlier rule at a time.

use super::mistakes;
use super::model::{Condition, Match, Name, Naming, RuleFile, RuleText};
use super::sets::{Bits, BitsOf, How, NO_LAYOUT, Of, Value};
use crate::api::BarrierSide;
use crate::finding::Finding;
use std::collections::BTreeMap;

/// Rules of a file that never match, each with the reason.
pub fn unreachable(file: &RuleFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let wanted: Vec<Wanted<'_>> = file.rules.iter().map(Wanted::of).collect();
    for (index, rule) in file.rules.iter().enumerate() {
        if let Some(why) = wanted[index].contradiction() {
            let message = format!("{} can never match: {why}", rule.title());
            let finding = Finding::new(&mistakes::NEVER_MATCHES, rule.span, message);
            findings.push(finding.help("change or remove one of the conditions"));
            continue;
        }
        if file.matching() != Match::First {
            continue;
        }
        // The default comes after every rule, wherever it is written.
        let earlier = match rule.name {
            Some(_) => 0..index,
            None => 0..file.rules.len(),
        };
        let first = earlier.clone().find(|other| {
            let named = file.rules[*other].name.is_some();
            named && *other != index && wanted[index].is_inside(&wanted[*other])
        });
        if let Some(first) = first {
            let other = &file.rules[first];
            let message = format!(
                "{} never counts: {} comes first and matches everything that it matches",
                rule.title(),
                other.title()
            );
            let finding = Finding::new(&mistakes::NEVER_MATCHES, rule.span, message);
            let finding = finding.related(other.span, "this rule comes first");
            findings.push(finding.help("put the narrower rule first, or write `match accumulate`"));
        }
    }
    findings
}

/// What the conditions of a rule allow, by quantity.
#[derive(Default)]
struct Wanted<'r> {
    bits: BTreeMap<BitsOf, Vec<&'r Bits>>,
    choices: BTreeMap<Of, Value>,
    names: Vec<(Naming, &'r [Name])>,
}

impl<'r> Wanted<'r> {
    fn of(rule: &'r RuleText) -> Self {
        let mut wanted = Self::default();
        for condition in rule.conditions() {
            match condition {
                Condition::Bits(set) => wanted.bits.entry(set.of).or_default().push(set),
                Condition::Choice(choice) => {
                    // A value may have no word: a layout that only legacy barriers ask for.
                    let values = wanted.choices.entry(choice.of).or_insert(Value::MAX);
                    *values &= choice.values;
                }
                Condition::Names(of, names) => wanted.names.push((*of, names)),
            }
        }
        wanted
    }

    fn choice(&self, of: Of) -> Value {
        self.choices.get(&of).copied().unwrap_or(of.every())
    }

    /// Why no entry is all of this.
    fn contradiction(&self) -> Option<String> {
        for (of, values) in &self.choices {
            if *values == 0 {
                return Some(format!(
                    "its conditions on `{}` exclude each other",
                    of.head()
                ));
            }
        }
        for (of, sets) in &self.bits {
            if !Range::of(sets).is_possible() {
                return Some(format!(
                    "its conditions on `{}` exclude each other",
                    of.head()
                ));
            }
        }
        let textures = 4 | 8;
        let no_texture = self.choice(Of::Resource) & textures == 0;
        let needs_texture = [
            (Of::Layout(BarrierSide::Before), NO_LAYOUT),
            (Of::Layout(BarrierSide::After), NO_LAYOUT),
            (Of::Class(BarrierSide::Before), NO_LAYOUT),
            (Of::Class(BarrierSide::After), NO_LAYOUT),
            (Of::Change, 1),
        ];
        for (of, without) in needs_texture {
            let is_texture = self.choice(of) & without == 0;
            if is_texture && no_texture {
                return Some(format!(
                    "`{}` is about textures, and `resource` allows none",
                    of.head()
                ));
            }
        }
        let flags = self.bits.get(&BitsOf::Flags);
        let needs_flags = flags.is_some_and(|sets| sets.iter().any(|set| set.how != How::None));
        if needs_flags && self.choice(Of::Resource) == 1 {
            return Some("a global barrier has no resource with flags".to_owned());
        }
        let second = BitsOf::Sync(BarrierSide::After);
        let holds = self.bits.get(&second).is_some_and(|sets| {
            let some = |set: &&&Bits| matches!(set.how, How::Any | How::All | How::Only);
            sets.iter().any(|set| some(&set) && set.bits != 0)
        });
        if holds && self.choice(Of::Split) == 2 {
            return Some("the first half of a split barrier has no stages after it".to_owned());
        }
        None
    }

    /// Whether everything that this allows is allowed by another.
    fn is_inside(&self, other: &Self) -> bool {
        let choices = other.choices.iter();
        let choices = choices.map(|(of, values)| self.choice(*of) & !values == 0);
        let bits = other.bits.iter().map(|(of, sets)| {
            let own = self.bits.get(of).map_or(&[][..], Vec::as_slice);
            sets.iter().all(|set| Range::of(own).implies(own, set))
        });
        let names = other.names.iter().map(|(of, names)| {
            let same = |(own, list): &(Naming, &[Name])| {
                let texts = list.iter().map(|name| &name.text);
                own == of && texts.eq(names.iter().map(|name| &name.text))
            };
            self.names.iter().any(same)
        });
        choices.chain(bits).chain(names).all(|inside| inside)
    }
}

/// What several conditions on one set of bits leave.
struct Range {
    /// Bits that are there.
    must: u32,
    /// Bits that may be there.
    may: u32,
    /// Of each, one is there.
    any: Vec<u32>,
    /// The values that the text may have, if conditions ask for one.
    exactly: Vec<u32>,
}

impl Range {
    fn of(sets: &[&Bits]) -> Self {
        let every = sets.first().map_or(u32::MAX, |set| set.of.every());
        let mut range = Self {
            must: 0,
            may: every,
            any: Vec::new(),
            exactly: Vec::new(),
        };
        for set in sets {
            match set.how {
                How::Any => range.any.push(set.bits),
                How::All => range.must |= set.bits,
                How::Only => {
                    range.may &= set.bits;
                    range.any.push(set.bits);
                }
                How::None => range.may = 0,
                How::Exactly => range.exactly.push(set.bits),
            }
        }
        range
    }

    fn is_possible(&self) -> bool {
        let same = self.exactly.windows(2).all(|pair| pair[0] == pair[1]);
        let any = self.any.iter().all(|any| any & self.may != 0);
        same && any && self.must & !self.may == 0
    }

    /// Whether a condition holds for everything that is left.
    fn implies(&self, own: &[&Bits], set: &Bits) -> bool {
        let is_there = self.must != 0 || !self.any.is_empty();
        match set.how {
            How::Any => {
                self.must & set.bits != 0
                    || self.any.iter().any(|any| any & self.may & !set.bits == 0)
            }
            How::All => set.bits & !self.must == 0,
            How::Only => is_there && self.may & !set.bits == 0,
            How::None => self.may == 0,
            How::Exactly => own
                .iter()
                .any(|it| it.how == How::Exactly && it.bits == set.bits),
        }
    }
}
