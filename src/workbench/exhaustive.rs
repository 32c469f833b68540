//! Every program of a small universe, and what came of them: all, or a share of them in one of many processes.
//!
//! Programs are judged in blocks of [`BLOCK`] numbers, one block after the other, each on all threads. What has come of the
//! blocks so far is a [`Tried`]: a few numbers, whatever the size of the universe. So a search can be written down after a
//! block and go on from there, be shared (block `b` belongs to share `b mod n`), and shares can be added up.

use super::judge::Judging;
use super::universe::{COMMANDS_MAX, Universe, Words};
use super::{Counterexample, Machine, Which, judged, shrink, with_any_case};
use crate::finding::Source;
use crate::parallel::prelude::*;
use crate::pipeline::Unusable;
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// What is counted as a command: not barriers.
pub const COUNTING: &str = "work";

/// Numbers that are judged between two chances to stop.
pub const BLOCK: u64 = 1 << 14;

/// A search.
#[derive(Clone, Debug)]
pub struct Search {
    /// What programs are made of.
    pub universe: Universe,
    /// Most work commands of a program; barriers are in the gaps.
    pub commands: u32,
    /// Programs without a mistake of their own run, too.
    pub runs: bool,
    /// Which programs are judged.
    pub which: Which,
    /// Which share of how many this is, counted from 0.
    pub share: (u64, u64),
}

/// What has come of a search so far.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// Version of the program that searched.
    pub version: String,
    /// The lowering.
    pub lowering: String,
    /// The machines.
    pub profiles: Vec<String>,
    /// What the lowering and the machines are made of, as a number: files of one name may say different things.
    pub contents: String,
    /// The universe, in words.
    pub universe: String,
    /// What `commands` counts.
    pub counting: String,
    /// Most work commands of a program; barriers are in the gaps.
    pub commands: u32,
    /// Programs without a mistake of their own ran, too.
    pub runs: bool,
    /// Programs with errors or hazards of their own were not judged.
    pub legal_only: bool,
    /// Number of this share.
    pub share: u64,
    /// Number of shares.
    pub shares: u64,
    /// Numbers that the universe has.
    pub numbers: u64,
    /// Blocks of this share that are done.
    pub blocks: u64,
    /// Programs among them.
    pub programs: u64,
    /// Of these, those without errors and hazards of their own: the verdict rests on them.
    pub legal: u64,
    /// Programs on which the lowering is wrong on some machine.
    pub wrong: u64,
    /// The number of the first of them.
    pub first_wrong: Option<u64>,
    /// Legal programs on which the lowering is wrong on some machine.
    pub wrong_legal: u64,
    /// The number of the first of them.
    pub first_wrong_legal: Option<u64>,
}

impl Search {
    /// A search that has not begun.
    ///
    /// # Errors
    /// If the universe has more programs than can be counted, or the share is none.
    pub fn begin(&self, machines: &[Machine<'_>]) -> Result<Tried, Unusable> {
        let (share, shares) = self.share;
        if share >= shares {
            return Err(refused(
                format!("there is no share {share} of {shares}"),
                "shares are counted from 0",
            ));
        }
        let numbers = self.universe.words().numbers(self.commands);
        let Some(numbers) = numbers.filter(|_| (1..=COMMANDS_MAX).contains(&self.commands)) else {
            return Err(refused(
                format!(
                    "programs of up to {} work commands are too many",
                    self.commands
                ),
                "name fewer commands, accesses or forms of barriers",
            ));
        };
        if !self.universe.needs(self.commands) {
            return Err(refused(
                format!(
                    "in programs of up to {} no two uses need a barrier: there is nothing to prove",
                    work(self.commands)
                ),
                "search with `--exhaustive 2` or more, and with an access that writes",
            ));
        }
        Ok(Tried {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lowering: machines
                .first()
                .map_or("", |m| m.lowering.name())
                .to_owned(),
            profiles: machines.iter().map(|m| m.profile.name.clone()).collect(),
            contents: contents(machines),
            universe: self.universe.to_string(),
            counting: COUNTING.to_owned(),
            commands: self.commands,
            runs: self.runs,
            legal_only: self.which == Which::Legal,
            share,
            shares,
            numbers,
            blocks: 0,
            programs: 0,
            legal: 0,
            wrong: 0,
            first_wrong: None,
            wrong_legal: 0,
            first_wrong_legal: None,
        })
    }

    fn judging(&self) -> Judging {
        if self.runs {
            Judging::Runs
        } else {
            Judging::Packets
        }
    }

    /// Judges the next block of the share. Whether there was one.
    pub fn go_on(&self, words: &Words, machines: &[Machine<'_>], tried: &mut Tried) -> bool {
        let block = tried.share + tried.blocks * tried.shares;
        let Some(start) = block.checked_mul(BLOCK).filter(|at| *at < tried.numbers) else {
            return false;
        };
        let end = tried.numbers.min(start + BLOCK);
        let judge = |sequence: &mut Vec<u32>, number: u64| {
            words.sequence(number, sequence);
            if !words.is_program(sequence) {
                return Found::default();
            }
            let program = words.program("", sequence);
            self.found(&program, machines, words.asks(sequence), number)
        };
        let judged = (start..end).into_par_iter().map_init(Vec::new, judge);
        tried.blocks += 1;
        let judged: Vec<Found> = judged.collect();
        tried.add(&judged.into_iter().fold(Found::default(), Found::and));
        true
    }

    /// What comes of one program. One that asks for nothing cannot be lowered wrong.
    fn found(&self, program: &Source, machines: &[Machine<'_>], asks: bool, number: u64) -> Found {
        let (is_legal, is_wrong) = if asks {
            let judged = judged(program, machines, self.judging(), self.which);
            judged.map_or((false, false), |it| (it.is_legal, it.is_wrong()))
        } else {
            let is_legal = with_any_case(program, |case| Some(case.is_clean()));
            (is_legal == Some(true), false)
        };
        let first = is_wrong.then_some(number);
        Found {
            programs: 1,
            legal: u64::from(is_legal),
            wrong: u64::from(is_wrong),
            first_wrong: first,
            wrong_legal: u64::from(is_wrong && is_legal),
            first_wrong_legal: first.filter(|_| is_legal),
        }
    }

    /// The counterexample made from the first legal program on which the lowering is wrong; if there is none, from the first
    /// illegal one.
    pub fn counterexample(
        &self,
        words: &Words,
        machines: &[Machine<'_>],
        tried: &Tried,
    ) -> Option<Counterexample> {
        let mut sequence = Vec::new();
        let first = tried.first_wrong_legal.or(tried.first_wrong)?;
        words.sequence(first, &mut sequence);
        let program = words.program("the universe", &sequence);
        let outcomes = judged(&program, machines, self.judging(), self.which)?.on;
        let (at, outcome) = outcomes
            .iter()
            .enumerate()
            .find(|(_, o)| !o.faults.is_empty())?;
        let kind = outcome.faults[0].kind();
        let found = shrink::smallest(machines[at], &program, &kind, None);
        let mut found = found.or_else(|| shrink::dependent(&program, &outcome.faults[0]))?;
        if found.shown.is_none() {
            found.witness = shrink::warmed(machines[at], &found, &kind);
        }
        let wrong = outcomes
            .iter()
            .zip(machines)
            .filter(|(o, _)| !o.faults.is_empty());
        found.profiles = wrong.map(|(_, m)| m.profile.name.clone()).collect();
        Some(found)
    }
}

/// So many work commands, in words.
pub fn work(commands: u32) -> String {
    match commands {
        1 => "one work command".to_owned(),
        several => format!("{several} work commands"),
    }
}

/// A number for what rule files and profiles say.
fn contents(machines: &[Machine<'_>]) -> String {
    let mut hasher = FxHasher::default();
    for machine in machines {
        format!("{:?}", machine.profile).hash(&mut hasher);
        let rules = machine.lowering.rules();
        rules
            .map(|rules| rules.source().text.as_str())
            .hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn refused(message: String, help: &str) -> Unusable {
    Unusable {
        message,
        help: help.to_owned(),
    }
}

/// What came of some programs.
#[derive(Copy, Clone, Default)]
struct Found {
    programs: u64,
    legal: u64,
    wrong: u64,
    first_wrong: Option<u64>,
    wrong_legal: u64,
    first_wrong_legal: Option<u64>,
}

impl Found {
    fn and(self, other: Self) -> Self {
        Self {
            programs: self.programs + other.programs,
            legal: self.legal + other.legal,
            wrong: self.wrong + other.wrong,
            first_wrong: least(self.first_wrong, other.first_wrong),
            wrong_legal: self.wrong_legal + other.wrong_legal,
            first_wrong_legal: least(self.first_wrong_legal, other.first_wrong_legal),
        }
    }
}

/// Gaps of missing shares that a message names.
const MISSING_NAMED: usize = 16;

/// What is missing of so many shares, gap by gap; those that are there ascend.
fn missing(there: impl Iterator<Item = u64>, shares: u64) -> Vec<String> {
    let mut gaps = Vec::new();
    let mut next = 0;
    for share in there.chain([shares]) {
        match share.saturating_sub(next) {
            0 => {}
            1 => gaps.push(next.to_string()),
            2 => gaps.extend([next.to_string(), (next + 1).to_string()]),
            _ => gaps.push(format!("{next} to {}", share - 1)),
        }
        next = share.saturating_add(1);
    }
    gaps
}

fn least(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

impl Tried {
    /// Blocks that its share has.
    pub fn blocks_in_all(&self) -> u64 {
        let blocks = self.numbers.div_ceil(BLOCK);
        blocks
            .saturating_sub(self.share)
            .div_ceil(self.shares.max(1))
    }

    /// Whether every block of the share is done.
    pub fn is_complete(&self) -> bool {
        self.blocks >= self.blocks_in_all()
    }

    /// Whether its numbers can be those of a search.
    pub fn is_sound(&self) -> bool {
        let counted = u128::from(self.blocks) * u128::from(BLOCK);
        let is_first = |wrong: u64, first: Option<u64>| {
            (wrong > 0) == first.is_some() && first.is_none_or(|first| first < self.numbers)
        };
        self.blocks <= self.blocks_in_all()
            && u128::from(self.programs) <= counted.min(u128::from(self.numbers))
            && self.wrong <= self.programs
            && self.legal <= self.programs
            && self.wrong_legal <= self.wrong.min(self.legal)
            && self.wrong - self.wrong_legal <= self.programs - self.legal
            && is_first(self.wrong, self.first_wrong)
            && is_first(self.wrong_legal, self.first_wrong_legal)
    }

    fn add(&mut self, found: &Found) {
        self.programs += found.programs;
        self.legal += found.legal;
        self.wrong += found.wrong;
        self.first_wrong = least(self.first_wrong, found.first_wrong);
        self.wrong_legal += found.wrong_legal;
        self.first_wrong_legal = least(self.first_wrong_legal, found.first_wrong_legal);
    }

    fn found(&self) -> Found {
        Found {
            programs: self.programs,
            legal: self.legal,
            wrong: self.wrong,
            first_wrong: self.first_wrong,
            wrong_legal: self.wrong_legal,
            first_wrong_legal: self.first_wrong_legal,
        }
    }

    /// Whether it goes on from another: the same search and share.
    ///
    /// # Errors
    /// What differs.
    pub fn same_search(&self, other: &Self) -> Result<(), String> {
        let differs = |what: &str, one: &dyn std::fmt::Display, other: &dyn std::fmt::Display| {
            let (one, other) = (one.to_string(), other.to_string());
            let text = format!("{what} `{other}`, not `{one}`");
            if one == other { Ok(()) } else { Err(text) }
        };
        differs("version", &self.version, &other.version)?;
        differs("lowering", &self.lowering, &other.lowering)?;
        let (own, others) = (self.profiles.join(","), other.profiles.join(","));
        differs("profiles", &own, &others)?;
        differs("contents", &self.contents, &other.contents)?;
        differs("universe", &self.universe, &other.universe)?;
        differs("counting", &self.counting, &other.counting)?;
        differs("commands", &self.commands, &other.commands)?;
        differs("runs", &self.runs, &other.runs)?;
        differs("legal_only", &self.legal_only, &other.legal_only)?;
        differs("numbers", &self.numbers, &other.numbers)?;
        differs("shares", &self.shares, &other.shares)
    }

    /// Notes that its share is there.
    fn takes_its_place<'n>(
        &self,
        name: &'n str,
        by_share: &mut BTreeMap<u64, &'n str>,
    ) -> Result<(), Unusable> {
        let (share, shares) = (self.share, self.shares);
        if share >= shares {
            return Err(refused(
                format!("`{name}` is share {share} of {shares}"),
                "shares are counted from 0",
            ));
        }
        match by_share.insert(share, name) {
            None => Ok(()),
            Some(known) => Err(refused(
                format!("`{name}` and `{known}` are both share {share}"),
                "keep one of them",
            )),
        }
    }

    /// Whether it is complete, and its numbers fit together.
    fn may_be_added(&self, name: &str) -> Result<(), Unusable> {
        if !self.is_complete() {
            let (done, blocks) = (self.blocks, self.blocks_in_all());
            return Err(refused(
                format!("`{name}` is not complete: {done} of {blocks} blocks"),
                "run that share again with `--resume`; it goes on where it was",
            ));
        }
        if !self.is_sound() {
            return Err(refused(
                format!("the numbers of `{name}` do not fit together"),
                "somebody has changed it: remove it and run that share again",
            ));
        }
        Ok(())
    }

    /// The sum of all shares of one search, each with its name.
    ///
    /// # Errors
    /// If they are not of one search, one is there twice, one is missing, or one is not complete.
    pub fn merged(all: &[(String, Self)]) -> Result<Self, Unusable> {
        let Some((first_name, first)) = all.first() else {
            return Err(refused(
                "there is no result to merge".to_owned(),
                "name a directory of files that `verify --exhaustive … --resume FILE` has written",
            ));
        };
        let mut by_share: BTreeMap<u64, &str> = BTreeMap::new();
        let mut sum = Self {
            share: 0,
            shares: 1,
            blocks: 0,
            programs: 0,
            legal: 0,
            wrong: 0,
            first_wrong: None,
            wrong_legal: 0,
            first_wrong_legal: None,
            ..first.clone()
        };
        for (name, tried) in all {
            first.same_search(tried).map_err(|what| {
                refused(
                    format!("`{name}` is of another search than `{first_name}`: {what}"),
                    "merge the results of one search only",
                )
            })?;
            tried.takes_its_place(name, &mut by_share)?;
            tried.may_be_added(name)?;
            sum.blocks += tried.blocks;
            sum.add(&tried.found());
        }
        let missing = missing(by_share.keys().copied(), first.shares);
        if !missing.is_empty() {
            let named = missing.iter().take(MISSING_NAMED).map(String::as_str);
            let mut named: Vec<&str> = named.collect();
            if missing.len() > MISSING_NAMED {
                named.push("and more");
            }
            return Err(refused(
                format!(
                    "of {} shares, these are missing: {}",
                    first.shares,
                    named.join(", ")
                ),
                "run them, and merge again",
            ));
        }
        Ok(sum)
    }
}
