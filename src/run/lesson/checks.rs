//! What an attempt must be, and whether it is.

use super::super::{Files, Reader, Unusable, litmus_holds, read_litmus, run};
use super::work::{self, Work};
use super::{Kind, Lesson};
use crate::finding::{Finding, Source};
use crate::kernel::OpKind;
use crate::litmus::examine::ExamineOptions;
use crate::litmus::study::study;
use crate::lower::Lowering;
use crate::pipeline::{FileKind, Options, Proposals, Registry};
use crate::scenario::{self, edit};
use crate::schema;
use crate::time::Ps;
use serde::Serialize;
use std::fmt;

/// What an attempt must be.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Check {
    /// No error and no hazard.
    Clean,
    /// Nothing that does nothing, or more than it must.
    NotRedundant,
    /// At most so many of something.
    AtMost {
        /// How many.
        count: u32,
        /// Of what: `barrier` or `fence`.
        noun: &'static str,
    },
    /// As fast as the solution, but for so many per cent, on these profiles.
    Within {
        /// Per cent of the solution's time that it may take longer.
        percent: u32,
        /// Profiles by name.
        profiles: Vec<String>,
    },
    /// The work of the start.
    SameWork,
}

impl Check {
    /// Reads a check as a header says it.
    pub(super) fn read(text: &str, kind: Kind) -> Result<Self, String> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        match (words.as_slice(), kind) {
            (["clean"], _) => Ok(Self::Clean),
            (["nothing", "redundant"], _) => Ok(Self::NotRedundant),
            (["same", "work"], Kind::Scenario | Kind::Litmus) => Ok(Self::SameWork),
            (["at", "most", count, noun], Kind::Scenario | Kind::Litmus)
                if noun.trim_end_matches('s') == noun_of(kind) =>
            {
                let count = count.parse().map_err(|_| none_like(text, kind))?;
                let noun = noun_of(kind);
                Ok(Self::AtMost { count, noun })
            }
            (
                [
                    "within",
                    percent,
                    "%",
                    "of",
                    "the",
                    "solution",
                    "on",
                    profiles @ ..,
                ],
                kind,
            ) if kind != Kind::Litmus && !profiles.is_empty() => {
                let percent = percent.parse().map_err(|_| none_like(text, kind))?;
                let profiles = profiles.concat().split(',').map(str::to_owned).collect();
                Ok(Self::Within { percent, profiles })
            }
            _ => Err(none_like(text, kind)),
        }
    }

    /// What a header calls it among those that the start fails.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::NotRedundant => "nothing redundant",
            Self::AtMost { noun, .. } if *noun == "fence" => "fences",
            Self::AtMost { .. } => "barriers",
            Self::Within { .. } => "time",
            Self::SameWork => "same work",
        }
    }
}

fn noun_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Scenario | Kind::Rules => "barrier",
        Kind::Litmus => "fence",
    }
}

fn none_like(text: &str, kind: Kind) -> String {
    let known = match kind {
        Kind::Scenario => {
            "`clean`, `nothing redundant`, `at most 2 barriers`, `within 5 % of the solution on rdna`, `same work`"
        }
        Kind::Litmus => "`clean`, `nothing redundant`, `at most 2 fences`, `same work`",
        Kind::Rules => "`clean`, `nothing redundant`, `within 5 % of the solution on rdna`",
    };
    format!("`{text}` is no check; the checks of such a lesson are {known}")
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clean => f.write_str("no errors, no hazards"),
            Self::NotRedundant => f.write_str("nothing redundant, nothing too wide"),
            Self::AtMost { count: 1, noun } => write!(f, "at most 1 {noun}"),
            Self::AtMost { count, noun } => write!(f, "at most {count} {noun}s"),
            Self::Within { percent, profiles } => write!(
                f,
                "at most {percent} % slower than the solution on {}",
                profiles.join(", ")
            ),
            Self::SameWork => f.write_str("the same work as at the start"),
        }
    }
}

/// A check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CheckDocument"))]
#[non_exhaustive]
pub struct CheckRow {
    /// What is checked.
    #[serde(serialize_with = "schema::as_text")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub check: Check,
    /// Whether it is passed.
    pub passed: bool,
    /// What was found.
    pub found: Vec<String>,
}

/// An attempt that was judged.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// One for each check of the lesson, in order.
    pub rows: Vec<CheckRow>,
}

impl Checked {
    /// Whether it passes every check.
    pub fn passed(&self) -> bool {
        self.rows.iter().all(|it| it.passed)
    }

    /// The words of the checks that it fails.
    pub(super) fn failed(&self) -> Vec<&'static str> {
        let failed = self.rows.iter().filter(|it| !it.passed);
        failed.map(|it| it.check.word()).collect()
    }
}

/// What an attempt is on one profile.
#[derive(Clone, Default, Debug)]
struct Seen {
    /// Errors and hazards, and why there is no run.
    wrong: Vec<String>,
    /// What does nothing, or too much.
    redundant: Vec<String>,
    /// How long it takes; `None` if something never runs.
    makespan: Option<Ps>,
    /// The text is not understood, or cannot be run.
    is_unread: bool,
    /// Name of the profile of a scenario; empty if nothing ran, and of what is no scenario.
    profile: String,
}

/// Judges attempts at a lesson. What the start and the solution are is found once.
pub struct Judge<'a> {
    lesson: &'a Lesson,
    registry: &'a Registry,
    options: Options,
    /// What the start does; `None` if its text is not understood.
    work: Option<Work>,
    /// How long the solution takes, by profile.
    par: Vec<(String, Option<Ps>)>,
    /// The lowering in place of an attempt at a rule file.
    lowering: Option<&'static str>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(lesson: &'a Lesson, registry: &'a Registry, options: &Options) -> Self {
        let options = Options {
            without_commands: true,
            without_path: true,
            without_barriers: true,
            proposals: Proposals::None,
            // What a command line allows is not allowed in a lesson.
            switches: Vec::new(),
            ..options.clone()
        };
        let mut judge = Self {
            lesson,
            registry,
            options,
            work: work::of(&bare(&lesson.start), lesson.kind()),
            par: Vec::new(),
            lowering: None,
        };
        if let Some(solution) = &lesson.solution {
            let solution = bare(solution);
            for profile in judge.profiles() {
                let par = judge.seen(&solution, Some(&profile)).makespan;
                judge.par.push((profile, par));
            }
        }
        judge
    }

    /// The profiles that checks name.
    fn profiles(&self) -> Vec<String> {
        let mut named = Vec::new();
        for check in &self.lesson.checks {
            if let Check::Within { profiles, .. } = check {
                for profile in profiles {
                    if !named.contains(profile) {
                        named.push(profile.clone());
                    }
                }
            }
        }
        named
    }

    /// Judges a rule file's scenes with another lowering in its place.
    pub(super) fn check_lowering(mut self, lowering: &'static str) -> Checked {
        self.lowering = Some(lowering);
        let start = &self.lesson.start;
        self.check(start)
    }

    /// Judges an attempt by every check.
    pub fn check(&self, attempt: &Source) -> Checked {
        let text = bare(attempt);
        let own = self.seen(&text, None);
        let mut on: Vec<(String, Seen)> = Vec::new();
        for profile in self.profiles() {
            // The profile of the text itself has just been run.
            let seen = if own.profile == profile {
                own.clone()
            } else {
                self.seen(&text, Some(&profile))
            };
            on.push((profile, seen));
        }
        let rows = self.lesson.checks.iter().map(|check| {
            let found = match check {
                Check::Clean => Self::clean(&own, &on),
                _ if own.is_unread => Err(vec!["it is not looked at yet".to_owned()]),
                Check::NotRedundant => told(&own.redundant),
                Check::AtMost { count, .. } => at_most(&text, self.lesson.kind(), *count),
                Check::Within { percent, profiles } => self.within(*percent, profiles, &on),
                Check::SameWork => self.same_work(&text),
            };
            let (passed, found) = match found {
                Ok(found) => (true, found),
                Err(found) => (false, found),
            };
            CheckRow {
                check: check.clone(),
                passed,
                found,
            }
        });
        Checked {
            rows: rows.collect(),
        }
    }

    fn clean(own: &Seen, on: &[(String, Seen)]) -> Result<Vec<String>, Vec<String>> {
        let mut wrong = own.wrong.clone();
        for (profile, seen) in on {
            for what in &seen.wrong {
                if !own.wrong.contains(what) {
                    wrong.push(format!("on {profile}: {what}"));
                }
            }
        }
        told(&wrong)
    }

    fn within(
        &self,
        percent: u32,
        profiles: &[String],
        on: &[(String, Seen)],
    ) -> Result<Vec<String>, Vec<String>> {
        let mut found = Vec::new();
        let mut passed = true;
        for profile in profiles {
            let par = self.par.iter().find(|(name, _)| name == profile);
            let (Some((_, Some(par))), Some((_, seen))) =
                (par, on.iter().find(|(name, _)| name == profile))
            else {
                found.push(format!("{profile}: the lesson has no solution that runs"));
                passed = false;
                continue;
            };
            // Rounded down.
            let most = Ps(par.0 + par.0 * u64::from(percent) / 100);
            let Some(time) = seen.makespan else {
                found.push(format!("{profile}: it does not run to its end"));
                passed = false;
                continue;
            };
            passed &= time <= most;
            found.push(format!(
                "{profile}: it takes {time}; the solution takes {par}, and {percent} % more is {most}"
            ));
        }
        if passed { Ok(found) } else { Err(found) }
    }

    fn same_work(&self, attempt: &Source) -> Result<Vec<String>, Vec<String>> {
        let Some(start) = &self.work else {
            return Err(vec!["the lesson's start is not understood".to_owned()]);
        };
        match work::of(attempt, self.lesson.kind()) {
            Some(work) => told(&start.differences(&work)),
            None => Err(vec!["the text is not understood".to_owned()]),
        }
    }

    /// What a text is, on a profile or on its own.
    fn seen(&self, text: &Source, profile: Option<&str>) -> Seen {
        match self.lesson.kind() {
            Kind::Litmus => litmus(text),
            Kind::Scenario => self.scenario(text, profile, self.options.clone()),
            Kind::Rules => self.rules(text, profile),
        }
    }

    fn scenario(&self, text: &Source, profile: Option<&str>, options: Options) -> Seen {
        let profile = profile.or(self.lesson.profile.as_deref());
        let options = Options {
            profile: profile.map(str::to_owned).or(options.profile.clone()),
            ..options
        };
        let report = match run(text, self.registry, &options) {
            Ok(report) => report,
            Err(what) => {
                return Seen {
                    wrong: vec![what.to_string()],
                    is_unread: true,
                    ..Seen::default()
                };
            }
        };
        let say = |it: &Finding| says(it, text);
        // What a lowering does too much is a rule file's own doing, and no barrier's.
        let is_rules = self.lesson.kind() == Kind::Rules;
        let redundant =
            |it: &&Finding| it.rule.family() == "RD" || is_rules && it.rule.id == "LW102";
        let findings = report.findings.iter();
        Seen {
            wrong: findings
                .clone()
                .filter(|it| it.severity.fails())
                .map(say)
                .collect(),
            redundant: findings.filter(redundant).map(say).collect(),
            makespan: report.makespan.filter(|_| report.stuck.is_empty()),
            is_unread: report.makespan.is_none(),
            profile: report.profile.clone(),
        }
    }

    /// What a rule file is, on all scenes of the lesson.
    fn rules(&self, text: &Source, profile: Option<&str>) -> Seen {
        let mut all = Seen {
            makespan: Some(Ps(0)),
            ..Seen::default()
        };
        let lowering = self.lowering.unwrap_or(&text.name);
        for scene in &self.lesson.scenes {
            let options = Options {
                lowering: Some(lowering.to_owned()),
                files: Reader::from(Attempt {
                    text: text.clone(),
                    rest: self.options.files.clone(),
                }),
                ..self.options.clone()
            };
            let seen = self.scenario(&bare(scene), profile, options);
            let named = |what: &String| format!("{}: {what}", scene.name);
            all.wrong.extend(seen.wrong.iter().map(named));
            all.redundant.extend(seen.redundant.iter().map(named));
            let sum = all.makespan.zip(seen.makespan);
            all.makespan = sum.map(|(all, one)| all + one);
            all.is_unread |= seen.is_unread;
            if seen.is_unread {
                // What is wrong with the rules is wrong for each scene.
                break;
            }
        }
        all
    }
}

/// The files that an attempt at a rule file is read from: itself, and all others.
#[derive(Debug)]
struct Attempt {
    text: Source,
    rest: Reader,
}

impl Files for Attempt {
    fn read(&self, path: &str, kind: FileKind) -> Result<Source, Unusable> {
        if path == self.text.name {
            return Ok(self.text.clone());
        }
        self.rest.read(path, kind)
    }

    fn driver(&self, command: &str) -> Result<&'static dyn Lowering, Unusable> {
        self.rest.driver(command)
    }
}

fn told(wrong: &[String]) -> Result<Vec<String>, Vec<String>> {
    if wrong.is_empty() {
        Ok(Vec::new())
    } else {
        Err(wrong.to_vec())
    }
}

/// A finding in one line: `line 12: HZ101 read-after-write: …`.
fn says(finding: &Finding, text: &Source) -> String {
    let line = text.line(finding.span.start);
    let (id, name) = (finding.rule.id, finding.rule.name);
    format!("line {line}: {id} {name}: {}", finding.message)
}

fn litmus(text: &Source) -> Seen {
    let (kernel, findings) = read_litmus(text);
    if findings.iter().any(|it| it.severity.fails()) {
        return Seen {
            wrong: findings.iter().map(|it| says(it, text)).collect(),
            is_unread: true,
            ..Seen::default()
        };
    }
    let studied = study(&kernel, &ExamineOptions::default(), None);
    let findings = studied.findings.iter();
    let mut wrong: Vec<String> = findings
        .clone()
        .filter(|it| it.severity.fails())
        .map(|it| says(it, text))
        .collect();
    if wrong.is_empty() && !litmus_holds(&kernel, &studied, &[]) {
        wrong.push("an expectation is not met".to_owned());
    }
    // Advice on a race of plain accesses says nothing of a fence.
    let redundant = findings
        .filter(|it| !it.severity.fails() && it.rule.id != "LM018" && it.rule.id != "LM019");
    Seen {
        redundant: redundant.map(|it| says(it, text)).collect(),
        wrong,
        ..Seen::default()
    }
}

fn at_most(text: &Source, kind: Kind, most: u32) -> Result<Vec<String>, Vec<String>> {
    let (count, noun) = match kind {
        Kind::Litmus => {
            let (kernel, _) = read_litmus(text);
            let ops = kernel.threads.iter().flat_map(|it| &it.ops);
            let fences = ops.filter(|it| matches!(it.kind, OpKind::Fence(_)));
            (fences.count(), "fences")
        }
        Kind::Scenario | Kind::Rules => {
            let (scenario, _) = scenario::parse(text);
            (edit::entries(&scenario).count(), "barriers")
        }
    };
    let found = vec![format!("it has {count} {noun}; as many as {most} may be")];
    if count <= most as usize {
        Ok(Vec::new())
    } else {
        Err(found)
    }
}

/// A text without its comments, on the same lines: what a text allows itself counts for no lesson.
pub(super) fn bare(source: &Source) -> Source {
    let lines = source.text.lines().map(without_comment);
    let lines: Vec<&str> = lines.collect();
    Source::new(source.name.clone(), lines.join("\n") + "\n")
}

fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut at = 0;
    let mut is_string = false;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if is_string => at += 1,
            b'"' => is_string = !is_string,
            b'/' if !is_string && bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            _ => {}
        }
        at += 1;
    }
    line
}
