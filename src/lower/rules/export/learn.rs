//! Corrections: from an entry on which rules and a lowering differ to a rule that says what the lowering does there, and on
//! as many more entries as it is true of.
//!
//! ```text
//! entry that differs ─smallest→ what of it matters ─widest→ a kind of entries ─kind_text→ rules
//! ```
//! A kind is as wide as no entry that was asked about forbids. What is too wide is found when the rules are compared: those
//! entries are remembered, and all corrections are learned again.

use super::Refused;
use super::check::check;
use super::keys::Key;
use super::kind_text::conditions;
use super::kinds::{CHOICES, EntryKind, HOLD, Random, SETS, SINCE, SPLIT, Sample, Space, WAIT};
use super::probe::{Act, Probed, Prober};
use super::text::{Rules, emits};
use super::write::file;
use crate::api::{BarrierSync, LeafSet};
use crate::finding::Source;
use crate::id::CacheId;
use crate::lower::Lowering;
use crate::lower::rules::model::{Base, Place, RuleFile};
use crate::lower::rules::{RuleLowering, print};

/// Entries that corrections are learned from.
const LEARNED_FROM: usize = 4_000;

/// Entries of a kind that are asked about before it is believed.
const ASKED: usize = 100;

/// Entries of a kind that tell what else a rule for it says.
const TELLING: usize = 12;

/// Times that corrections are learned.
const ROUNDS: u64 = 4;

/// What a rule of a correction does.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Fix {
    /// An operation is added.
    Add(Key),
    /// Write-backs of a cache are left out.
    NoClean(CacheId),
    /// Drops of a cache are left out.
    NoInvalidate(CacheId),
    /// The layout operation is left out.
    NoLayout,
    /// The front end is left alone.
    NoFrontEnd,
    /// It follows every earlier barrier.
    AfterAll,
    /// It waits for exactly these stages, or holds them.
    Exactly(usize, LeafSet),
    /// It waits for this stage too, or holds it.
    Too(usize, u32),
}

/// A fix, the kind of entries that it is for, and the conditions of each of its rules.
type Correction = (Fix, EntryKind, Vec<Vec<String>>);

/// A lowering that is learned from, and what it has answered.
pub(super) struct Learner<'l, 't, 's> {
    pub(super) lowering: &'l dyn Lowering,
    pub(super) space: &'l Space,
    pub(super) prober: &'l mut Prober<'t, 's>,
    pub(super) random: Random,
    /// Entries, with the answers.
    pub(super) known: Vec<(Sample, Probed)>,
}

impl Learner<'_, '_, '_> {
    /// Rules that are the lowering: those that there are and at most so many more; or why there are none.
    pub(super) fn learn(
        &mut self,
        base: Base,
        rules: &Rules<'_>,
        limit: usize,
    ) -> Result<Result<RuleFile, Refused>, Refused> {
        while self.known.len() < LEARNED_FROM {
            let it = self.space.any(&mut self.random);
            self.remember(it)?;
        }
        for round in 0..ROUNDS {
            let mut rules = rules.clone();
            self.correct(base, &mut rules, limit)?;
            let file = file(self.lowering, base, &rules)?;
            if self.still_differs(&file)? {
                // More corrections than there may be, or some that rules cannot say.
                let found = check(&file, self.space, self.prober, 18)?;
                return Ok(found.map_or(Ok(file), |difference| Err(difference.refused)));
            }
            let Some(difference) = check(&file, self.space, self.prober, 18 + round)? else {
                return Ok(Ok(file));
            };
            if round + 1 == ROUNDS {
                return Ok(Err(difference.refused));
            }
            for it in difference.samples.into_iter().take(LEARNED_FROM / 4) {
                self.remember(it)?;
            }
        }
        unreachable!("the last round ends it")
    }

    /// Whether rules and lowering differ on what is known.
    fn still_differs(&mut self, file: &RuleFile) -> Result<bool, Refused> {
        let says = RuleLowering::new(file.clone(), &Source::new("exported", print(file)));
        Ok(!self.differing(&says)?.is_empty())
    }

    fn remember(&mut self, it: Sample) -> Result<(), Refused> {
        if let Some(is) = self.is(&it)? {
            self.known.push((it, is));
        }
        Ok(())
    }

    /// What the lowering does.
    fn is(&mut self, it: &Sample) -> Result<Option<Probed>, Refused> {
        let question = self.space.question(self.prober, it);
        question.map(|it| self.prober.ask(&it)).transpose()
    }

    /// Adds corrections, as long as rules and lowering differ on what is known.
    fn correct(&mut self, base: Base, rules: &mut Rules<'_>, limit: usize) -> Result<(), Refused> {
        let mut stages_as_asked = false;
        for _ in 0..limit {
            let file = file(self.lowering, base, rules)?;
            let text = print(&file);
            let says = RuleLowering::new(file, &Source::new("exported", text));
            let mut differ = self.differing(&says)?;
            differ.sort_by_key(|(it, ..)| it.size());
            let mut is_done = true;
            for (it, is, said) in differ.into_iter().take(4) {
                let fixes = self.fixes(&it, &is, &said)?;
                let Some((fix, kind, lines)) = self.first(&says, &it, &fixes)? else {
                    continue;
                };
                let fixes = self.more(&says, &kind, fix)?;
                if matches!(fix, Fix::Too(..)) && !stages_as_asked {
                    stages_as_asked = true;
                    let asked = ["wait as-asked", "hold as-asked"].map(str::to_owned);
                    rules.rule("as asked", &asked);
                }
                let emitted = texts(rules, &fixes);
                for mut lines in lines {
                    lines.extend(emitted.iter().cloned());
                    rules.rule(&emitted.join(", "), &lines);
                }
                is_done = false;
                break;
            }
            if is_done {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Known entries on which rules say something else, with both answers.
    fn differing(&mut self, says: &RuleLowering) -> Result<Vec<(Sample, Probed, Probed)>, Refused> {
        let questions: Vec<_> = self
            .known
            .iter()
            .filter_map(|(it, _)| self.space.question(self.prober, it))
            .collect();
        let said = self.prober.says(says, &questions)?;
        let pairs = self.known.iter().zip(said);
        let differ = pairs.filter(|((_, is), said)| is != said);
        Ok(differ
            .map(|((it, is), said)| (*it, is.clone(), said))
            .collect())
    }

    /// What would mend an entry, the most telling first.
    fn fixes(&mut self, it: &Sample, is: &Probed, said: &Probed) -> Result<Vec<Fix>, Refused> {
        let mut fixes = Vec::new();
        if is.after_all && !said.after_all {
            fixes.push(Fix::AfterAll);
        }
        for (set, is, said) in [(WAIT, is.wait, said.wait), (HOLD, is.hold, said.hold)] {
            if is == said {
                continue;
            }
            let fix = Fix::Exactly(set, is);
            if self.says_more(it, fix)? {
                fixes.push(fix);
            }
            let more = is.minus(said).0;
            fixes.extend(
                (0..32)
                    .filter(|leaf| more >> leaf & 1 == 1)
                    .map(|leaf| Fix::Too(set, leaf)),
            );
        }
        let has_layout = is.acts.contains(&Act::Layout);
        for act in is.acts.difference(&said.acts) {
            fixes.push(Fix::Add(key(*act, has_layout)));
        }
        for act in said.acts.difference(&is.acts) {
            fixes.push(match *act {
                Act::Clean(cache, ..) => Fix::NoClean(cache),
                Act::Invalidate(cache, ..) => Fix::NoInvalidate(cache),
                Act::Layout => Fix::NoLayout,
                Act::FrontEnd => Fix::NoFrontEnd,
            });
        }
        Ok(fixes)
    }

    /// Whether stages are the same whatever other stages the entry names.
    fn says_more(&mut self, it: &Sample, fix: Fix) -> Result<bool, Refused> {
        let mut kind = EntryKind::alone(it);
        for set in [WAIT, HOLD] {
            if it.sets[set] != 0 {
                kind.sets[set].may = self.space.every(set);
            }
        }
        self.is_true(&kind, fix)
    }

    /// The first fix that can be said, with the kind of entries that it is for and the conditions of each of its rules.
    fn first(
        &mut self,
        says: &RuleLowering,
        it: &Sample,
        fixes: &[Fix],
    ) -> Result<Option<Correction>, Refused> {
        for fix in fixes {
            let small = self.smallest(says, *it, *fix)?;
            let kind = self.widest(&small, *fix)?;
            if let Some(lines) = conditions(&kind, self.space, self.prober, implicit(*fix)) {
                return Ok(Some((*fix, kind, lines)));
            }
        }
        Ok(None)
    }

    /// What of an entry matters: with less of it, nothing is wrong.
    fn smallest(
        &mut self,
        says: &RuleLowering,
        mut it: Sample,
        fix: Fix,
    ) -> Result<Sample, Refused> {
        loop {
            let mut tries = Vec::new();
            for set in 0..SETS {
                let bits = it.sets[set];
                tries.extend((0..32).filter(|bit| bits >> bit & 1 == 1).map(|bit| {
                    let mut less = it;
                    less.sets[set] &= !(1 << bit);
                    less
                }));
            }
            for choice in 0..CHOICES {
                let usual = if choice == SINCE { 2 } else { 0 };
                let mut less = it;
                less.choices[choice] = usual;
                tries.push(less);
            }
            let mut found = None;
            for less in tries {
                let less = self.space.settled(less);
                if less != it && less.size() <= it.size() && self.mends(says, &less, fix)? {
                    found = Some(less);
                    break;
                }
            }
            match found {
                Some(less)
                    if less.size() < it.size() || less.choices[SINCE] != it.choices[SINCE] =>
                {
                    it = less;
                }
                _ => return Ok(it),
            }
        }
    }

    /// Whether an entry is wrong, and a fix is what it lacks.
    fn mends(&mut self, says: &RuleLowering, it: &Sample, fix: Fix) -> Result<bool, Refused> {
        let Some(question) = self.space.question(self.prober, it) else {
            return Ok(false);
        };
        let is = self.prober.ask(&question)?;
        let said = self.prober.says(says, &[question])?;
        Ok(is_so(fix, &is) && said.first().is_some_and(|said| !is_so(fix, said)))
    }

    /// Whether a fix is what the lowering does, on every entry of a kind that was asked about.
    fn is_true(&mut self, kind: &EntryKind, fix: Fix) -> Result<bool, Refused> {
        let mut known = self.known.iter().filter(|(it, _)| kind.has(it));
        if known.any(|(_, is)| !is_so(fix, is)) {
            return Ok(false);
        }
        for it in self.space.of_kind(kind, ASKED, &mut self.random) {
            if self.is(&it)?.is_some_and(|is| !is_so(fix, &is)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The widest kind around an entry for which a fix is true.
    fn widest(&mut self, it: &Sample, fix: Fix) -> Result<EntryKind, Refused> {
        let mut kind = EntryKind::alone(it);
        let acting = implicit(fix);
        if acting >> it.choices[SPLIT] & 1 == 1 {
            self.widen(&mut kind, fix, |kind| kind.choices[SPLIT] = acting)?;
        }
        // First what is there and need not be, then what need not be missing.
        for set in (0..SETS).rev() {
            let every = self.space.every(set);
            self.widen(&mut kind, fix, |kind| {
                kind.sets[set].any.clear();
                kind.sets[set].may = every;
            })?;
        }
        for choice in 0..CHOICES {
            self.widen(&mut kind, fix, |kind| {
                kind.choices[choice] = Space::values(choice);
            })?;
        }
        for set in (0..SETS).rev() {
            self.widen_set(&mut kind, fix, set)?;
        }
        for choice in 0..CHOICES {
            for value in 0..8 {
                if Space::values(choice) >> value & 1 == 1 && kind.choices[choice] >> value & 1 == 0
                {
                    self.widen(&mut kind, fix, |kind| kind.choices[choice] |= 1 << value)?;
                }
            }
        }
        Ok(kind)
    }

    fn widen_set(&mut self, kind: &mut EntryKind, fix: Fix, set: usize) -> Result<(), Refused> {
        let every = self.space.every(set);
        let mut at = 0;
        while at < kind.sets[set].any.len() {
            let before = kind.sets[set].any.len();
            self.widen(kind, fix, |kind| {
                kind.sets[set].any.remove(at);
            })?;
            at += usize::from(kind.sets[set].any.len() == before);
        }
        self.widen(kind, fix, |kind| kind.sets[set].may = every)?;
        let bits: Vec<u32> = (0..32)
            .map(|bit| 1 << bit)
            .filter(|bit| every & bit != 0)
            .collect();
        for bit in &bits {
            if kind.sets[set].may & bit == 0 {
                self.widen(kind, fix, |kind| kind.sets[set].may |= bit)?;
            }
        }
        for at in 0..kind.sets[set].any.len() {
            let may = kind.sets[set].may;
            self.widen(kind, fix, |kind| kind.sets[set].any[at] = may)?;
            for bit in &bits {
                if kind.sets[set].any[at] & bit == 0 && may & bit != 0 {
                    self.widen(kind, fix, |kind| kind.sets[set].any[at] |= bit)?;
                }
            }
        }
        Ok(())
    }

    fn widen(
        &mut self,
        kind: &mut EntryKind,
        fix: Fix,
        with: impl FnOnce(&mut EntryKind),
    ) -> Result<(), Refused> {
        let mut wider = kind.clone();
        with(&mut wider);
        if wider != *kind && self.is_true(&wider, fix)? {
            *kind = wider;
        }
        Ok(())
    }

    /// A fix, and others that entries of the same kind lack as well.
    fn more(
        &mut self,
        says: &RuleLowering,
        kind: &EntryKind,
        first: Fix,
    ) -> Result<Vec<Fix>, Refused> {
        let mut fixes = vec![first];
        let samples = self.space.of_kind(kind, TELLING, &mut self.random);
        for it in samples {
            let Some(question) = self.space.question(self.prober, &it) else {
                continue;
            };
            let is = self.prober.ask(&question)?;
            let said = self.prober.says(says, &[question])?;
            for fix in self.fixes(&it, &is, &said[0])? {
                let alike = implicit(fix) == implicit(first)
                    || kind.choices[SPLIT] & !(implicit(fix) & implicit(first)) == 0;
                let stages = |fix: Fix| match fix {
                    Fix::Exactly(set, _) => Some((set, true)),
                    Fix::Too(set, _) => Some((set, false)),
                    _ => None,
                };
                let excludes = fixes.iter().any(|other| {
                    *other == fix
                        || stages(*other)
                            .zip(stages(fix))
                            .is_some_and(|(a, b)| a.0 == b.0 && (a.1 || b.1))
                });
                if alike && !excludes && self.is_true(kind, fix)? {
                    fixes.push(fix);
                }
            }
        }
        Ok(fixes)
    }
}

/// Halves for which a fix is meant without a condition: operations happen with the first half, waits too, and the second
/// half holds.
fn implicit(fix: Fix) -> u8 {
    match fix {
        Fix::Add(_) | Fix::Exactly(WAIT, _) | Fix::Too(WAIT, _) => 0b011,
        Fix::Exactly(..) | Fix::Too(..) => 0b101,
        _ => 0b111,
    }
}

/// What a rule says for an operation.
fn key(act: Act, has_layout: bool) -> Key {
    match act {
        Act::Clean(cache, whole, early) => {
            let place = if has_layout && !early {
                Place::Again
            } else {
                Place::Usual
            };
            Key::Clean(place, whole, cache)
        }
        Act::Invalidate(cache, whole, early) => {
            let place = if early { Place::Early } else { Place::Usual };
            Key::Invalidate(place, whole, cache)
        }
        Act::Layout => Key::Layout,
        Act::FrontEnd => Key::FrontEnd,
    }
}

/// Whether a packet has what a fix says.
fn is_so(fix: Fix, is: &Probed) -> bool {
    let has_layout = is.acts.contains(&Act::Layout);
    let stages = |set: usize| if set == WAIT { is.wait } else { is.hold };
    let any = |cache: CacheId, clean: bool| {
        is.acts.iter().any(|act| match act {
            Act::Clean(of, ..) => clean && *of == cache,
            Act::Invalidate(of, ..) => !clean && *of == cache,
            Act::Layout | Act::FrontEnd => false,
        })
    };
    match fix {
        Fix::Add(Key::Layout) => has_layout,
        Fix::Add(Key::FrontEnd) => is.acts.contains(&Act::FrontEnd),
        Fix::Add(Key::Clean(place, whole, cache)) => {
            let early = has_layout && place == Place::Usual;
            is.acts.contains(&Act::Clean(cache, whole, early))
        }
        Fix::Add(Key::Invalidate(place, whole, cache)) => {
            let early = has_layout && place == Place::Early;
            is.acts.contains(&Act::Invalidate(cache, whole, early))
        }
        Fix::NoClean(cache) => !any(cache, true),
        Fix::NoInvalidate(cache) => !any(cache, false),
        Fix::NoLayout => !has_layout,
        Fix::NoFrontEnd => !is.acts.contains(&Act::FrontEnd),
        Fix::AfterAll => is.after_all,
        Fix::Exactly(set, leaves) => stages(set) == leaves,
        Fix::Too(set, leaf) => stages(set).0 >> leaf & 1 == 1,
    }
}

/// Fixes as statements of a rule.
fn texts(rules: &Rules<'_>, fixes: &[Fix]) -> Vec<String> {
    let stages = |leaves: LeafSet| match leaves {
        LeafSet::ALL => "ALL".to_owned(),
        LeafSet::EMPTY => "none".to_owned(),
        some => BarrierSync::named(some).to_string(),
    };
    let mut lines = Vec::new();
    for (set, word) in [(WAIT, "wait"), (HOLD, "hold")] {
        let mut too = LeafSet::EMPTY;
        for fix in fixes {
            match fix {
                Fix::Exactly(of, leaves) if *of == set => {
                    lines.push(format!("{word} {}", stages(*leaves)));
                }
                Fix::Too(of, leaf) if *of == set => too = too.union(LeafSet(1 << leaf)),
                _ => {}
            }
        }
        if !too.is_empty() {
            lines.push(format!("{word} {}", stages(too)));
        }
    }
    if fixes.contains(&Fix::AfterAll) {
        lines.push("after-all".to_owned());
    }
    let keys: Vec<Key> = fixes
        .iter()
        .filter_map(|fix| match fix {
            Fix::Add(key) => Some(*key),
            _ => None,
        })
        .collect();
    lines.extend(emits(rules.profile, &keys));
    let dropped = fixes.iter().filter_map(|fix| match *fix {
        Fix::NoClean(cache) => Some(Key::Clean(Place::Usual, false, cache)),
        Fix::NoInvalidate(cache) => Some(Key::Invalidate(Place::Usual, false, cache)),
        _ => None,
    });
    let dropped: Vec<Key> = dropped.collect();
    let dropped = emits(rules.profile, &dropped).into_iter();
    lines.extend(dropped.map(|line| format!("drop {line}")));
    if fixes.contains(&Fix::NoLayout) {
        lines.push("drop layout".to_owned());
    }
    if fixes.contains(&Fix::NoFrontEnd) {
        lines.push("drop front-end".to_owned());
    }
    lines
}
