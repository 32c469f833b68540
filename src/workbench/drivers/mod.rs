//! Whether a driver is right: its packets, as somebody recorded them, judged on programs.
//!
//! All packets of a program are judged together (reading R78), by what judges a lowering: each missing operation that a
//! needed pair rests on is one lack. A lack is of one of three classes ([`Class`]); each is judged as if every other lack of
//! the program were mended, so that one mistake does not hide or explain another.
//!
//! Cost: linear in lines; each different set of packets of a program is judged once, and simulated if it lacks something, once
//! for each lack and way to drop lines. Programs are judged side by side.
//!
//! * `lines.rs` says which driver and which program each line of a recording is about.
//! * `verdict.rs` judges what one driver wrote for one program.

mod lines;
mod verdict;

use super::run_options;
use crate::finding::{Finding, Source};
use crate::hardware::Profile;
use crate::lower::recorded::PacketTrace;
use crate::parallel::prelude::*;
use crate::pipeline::Registry;
use crate::sim::Eviction;
use lines::{DriverOf, Drivers, Found};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What an operation that packets lack comes to. The order is from good to bad.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Only a write-back of a cache in which no earlier work of the submission left these bytes dirty, or a drop of a cache
    /// through which none of it accessed them: a driver that knows that may leave it out.
    #[serde(rename = "owed if dirty")]
    Owed,
    /// Needed on this machine, and no run that was tried reads wrong data for want of it.
    Missing,
    /// A run reads wrong data for want of it.
    #[serde(rename = "wrong")]
    Shown,
}

impl Class {
    /// Every class, the worst first.
    pub const ALL: [Self; 3] = [Self::Shown, Self::Missing, Self::Owed];

    /// The word that reports print.
    pub fn word(self) -> &'static str {
        match self {
            Self::Shown => "wrong",
            Self::Missing => "missing",
            Self::Owed => "owed if dirty",
        }
    }
}

/// What came of a recording.
#[derive(Clone, Default, Debug)]
#[non_exhaustive]
pub struct DriverJudgement {
    /// Drivers in the order in which the recording names them.
    pub drivers: Vec<Driver>,
    /// What is wrong with the recording, by place.
    pub findings: Vec<Finding>,
    /// Lines of the recording that were judged.
    pub packets: usize,
    /// Programs that were given.
    pub programs: usize,
    /// Programs that nothing can run.
    pub left_out: usize,
}

/// Packets of one driver on one device.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Part"))]
#[non_exhaustive]
pub struct Driver {
    /// The driver and its version; empty if no line says it.
    #[serde(rename = "driver")]
    pub name: String,
    /// The device; empty if no line says it.
    pub device: String,
    /// How the application asked; empty if no line says it.
    pub form: String,
    /// The profile that it is judged on.
    pub profile: String,
    /// Programs of which there are packets, in the order in which they were given.
    #[serde(skip)]
    pub situations: Vec<JudgedSituation>,
}

impl Driver {
    /// Programs without errors and hazards of their own: what is said of the driver rests on them.
    pub fn legal(&self) -> impl Iterator<Item = &JudgedSituation> {
        self.situations.iter().filter(|it| it.mistakes.is_empty())
    }

    /// How many legal programs lack nothing.
    pub fn enough(&self) -> usize {
        self.legal().filter(|it| it.lacks.is_empty()).count()
    }

    /// How many legal programs have a lack of a class, and none of a worse one.
    pub fn of_class(&self, class: Class) -> usize {
        self.legal().filter(|it| it.class() == Some(class)).count()
    }

    /// How many legal programs have something that nobody asked for.
    pub fn over(&self) -> usize {
        self.legal().filter(|it| !it.more.is_empty()).count()
    }

    /// What is lacking, the worst class first, then the most frequent: the legal programs of each class.
    pub fn causes(&self) -> Vec<LackCause<'_>> {
        let mut causes: BTreeMap<&str, LackCause<'_>> = BTreeMap::new();
        for situation in self.legal() {
            for lack in &situation.lacks {
                let new = || LackCause::new(&lack.cause);
                let cause = causes.entry(&lack.cause).or_insert_with(new);
                let of = match lack.class {
                    Class::Shown => &mut cause.shown,
                    Class::Missing => &mut cause.missing,
                    Class::Owed => &mut cause.owed,
                };
                if of.last() != Some(&situation.name.as_str()) {
                    of.push(&situation.name);
                }
            }
        }
        let mut causes: Vec<_> = causes.into_values().collect();
        let counts = |it: &LackCause<'_>| [&it.shown, &it.missing, &it.owed].map(Vec::len);
        causes.sort_by_key(|it| std::cmp::Reverse(counts(it)));
        causes
    }

    /// What nobody asked for, the most frequent first: the legal programs with it.
    pub fn wastes(&self) -> Vec<(&str, Vec<&str>)> {
        let mut wastes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for situation in self.legal() {
            for more in &situation.more {
                let of = wastes.entry(&more.cause).or_default();
                if of.last() != Some(&situation.name.as_str()) {
                    of.push(&situation.name);
                }
            }
        }
        let mut wastes: Vec<_> = wastes.into_iter().collect();
        wastes.sort_by_key(|(_, situations)| std::cmp::Reverse(situations.len()));
        wastes
    }
}

/// What several scenarios lack: their names, by class.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CauseRow"))]
#[non_exhaustive]
pub struct LackCause<'a> {
    /// What it is.
    pub cause: &'a str,
    /// A run reads wrong data for want of it.
    #[serde(rename = "wrong")]
    pub shown: Vec<&'a str>,
    /// It is missing on this machine.
    pub missing: Vec<&'a str>,
    /// It is owed only if something is dirty.
    #[serde(rename = "owed_if_dirty")]
    pub owed: Vec<&'a str>,
}

impl<'a> LackCause<'a> {
    fn new(cause: &'a str) -> Self {
        Self {
            cause,
            shown: Vec::new(),
            missing: Vec::new(),
            owed: Vec::new(),
        }
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.shown.len() + self.missing.len() + self.owed.len()
    }
}

/// What came of one program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct JudgedSituation {
    /// Its file's name, without what that ends in.
    pub name: String,
    /// Line of its first packet in the recording.
    pub line: u32,
    /// Mistakes of its own, by the names of their rules.
    pub mistakes: Vec<String>,
    /// What the packets lack, in the order of the barriers.
    pub lacks: Vec<DriverLack>,
    /// What they do that nobody asked for.
    pub more: Vec<DriverExtra>,
    /// What the driver wrote, for people.
    pub raw: Vec<String>,
}

impl JudgedSituation {
    /// The worst class of what it lacks; `None`: it lacks nothing.
    pub fn class(&self) -> Option<Class> {
        self.lacks.iter().map(|lack| lack.class).max()
    }
}

/// An operation that packets lack.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "LackRow"))]
#[non_exhaustive]
pub struct DriverLack {
    /// `wrong`, `missing` or `owed if dirty`.
    #[cfg_attr(test, schemars(with = "String"))]
    pub class: Class,
    /// What it is.
    pub cause: String,
    /// The barrier that asks for it.
    pub barrier: String,
    /// Line of that barrier in the scenario.
    pub line: u32,
    /// What becomes of the two uses that rest on it.
    pub fails: String,
    /// A run that shows it; null if none does.
    #[serde(rename = "run")]
    pub shown: Option<DriverRun>,
}

/// A run with a wrong read.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunRow"))]
#[non_exhaustive]
pub struct DriverRun {
    /// Options of the run; empty if it needs none.
    #[serde(rename = "options", serialize_with = "write_options")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub eviction: Eviction,
    /// The read.
    pub read: String,
    /// Only for want of several operations together.
    #[serde(rename = "joint")]
    pub is_joint: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn write_options<S: Serializer>(eviction: &Eviction, serializer: S) -> Result<S::Ok, S::Error> {
    let options = run_options(*eviction);
    options.unwrap_or_default().serialize(serializer)
}

/// What a packet does that nobody asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ExtraRow"))]
#[non_exhaustive]
pub struct DriverExtra {
    /// What it is.
    pub cause: String,
    /// The barrier whose packet it is, or the command next to a packet of nobody.
    pub at: String,
}

/// Which profile the packets are judged on.
#[derive(Copy, Clone)]
pub enum JudgedOn<'a> {
    /// This one, whatever they say.
    This(&'a Profile),
    /// The built-in one that each names, or this one.
    Named(&'a Registry, &'a Profile),
}

/// Two programs that a recording cannot tell apart: packets name a program by its file, without where that is.
pub fn alike_programs(programs: &[Source]) -> Option<(&Source, &Source)> {
    let mut known: BTreeMap<&str, &Source> = BTreeMap::new();
    programs.iter().find_map(|program| {
        let first = known.insert(lines::stem(&program.name), program);
        first.map(|first| (first, program))
    })
}

/// Judges a recording on programs. A line is about the program that it names, or about the only one.
pub fn judge_drivers(
    programs: &[Source],
    trace: &PacketTrace,
    source: &Source,
    on: JudgedOn<'_>,
) -> DriverJudgement {
    let mut findings = trace.findings.clone();
    let drivers = Drivers::new(trace, on, &mut findings);
    let by_program = drivers.by_program(programs, trace, &mut findings);
    let judged: Vec<(usize, Option<Found>)> = by_program
        .par_iter()
        .enumerate()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(at, lines)| (at, drivers.program(&programs[at], lines, source)))
        .collect();
    let mut judgement = DriverJudgement {
        drivers: drivers.all.iter().map(DriverOf::empty).collect(),
        findings,
        packets: 0,
        programs: programs.len(),
        left_out: judged.iter().filter(|(_, it)| it.is_none()).count(),
    };
    for (at, found) in judged {
        let Some(found) = found else {
            let first = by_program[at][0].1.span;
            let finding = lines::cannot_run(first, &programs[at]);
            judgement.findings.push(finding);
            continue;
        };
        judgement.findings.extend(found.findings);
        judgement.packets += found.packets;
        for (driver, situation) in found.situations {
            judgement.drivers[driver].situations.push(situation);
        }
    }
    judgement.drivers.retain(|it| !it.situations.is_empty());
    judgement.findings.sort_by_key(|it| (it.span, it.rule.id));
    judgement
}
