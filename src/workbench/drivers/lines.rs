//! Which driver, and which program, each line of a recording is about.

use super::verdict::{Judge, Verdict};
use super::{Driver, JudgedOn, JudgedSituation};
use crate::finding::{Finding, Severity, Source, Span};
use crate::hardware::Profile;
use crate::lookup::LookupMap;
use crate::lower::Recorded;
use crate::lower::recorded::{self, PacketTrace, Places, TraceLine, mistakes};
use crate::lower::rules::suggest::cut;
use crate::pipeline::clock::Clock;
use crate::pipeline::front::Kernels;
use crate::workbench::judge::Case;
use crate::workbench::understood;
use std::collections::BTreeMap;
use std::path::Path;

/// What lines of one driver have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct DriverKey<'a> {
    name: &'a str,
    device: &'a str,
    form: &'a str,
    profile: &'a str,
}

pub(super) struct DriverOf<'a> {
    key: DriverKey<'a>,
    /// Its place among the profiles.
    profile: usize,
    profile_name: String,
}

impl DriverOf<'_> {
    pub(super) fn empty(&self) -> Driver {
        Driver {
            name: self.key.name.to_owned(),
            device: self.key.device.to_owned(),
            form: self.key.form.to_owned(),
            profile: self.profile_name.clone(),
            situations: Vec::new(),
        }
    }
}

/// The drivers of a recording, and the machines that they are judged on.
pub(super) struct Drivers<'a> {
    pub(super) all: Vec<DriverOf<'a>>,
    profiles: Vec<Profile>,
    /// By line of the recording, its driver.
    of_line: Vec<Option<usize>>,
}

/// A line about a program: its driver, and the name of the call if it has one.
pub(super) type Line<'a> = (usize, &'a TraceLine, Option<&'a str>);

/// What was found on one program.
pub(super) struct Found {
    pub(super) situations: Vec<(usize, JudgedSituation)>,
    pub(super) findings: Vec<Finding>,
    pub(super) packets: usize,
}

impl<'a> Drivers<'a> {
    pub(super) fn new(
        trace: &'a PacketTrace,
        on: JudgedOn<'_>,
        findings: &mut Vec<Finding>,
    ) -> Self {
        let mut drivers = Self {
            all: Vec::new(),
            profiles: Vec::new(),
            of_line: Vec::new(),
        };
        let mut known: LookupMap<DriverKey<'a>, Option<usize>> = LookupMap::default();
        let mut profiles: BTreeMap<&str, Option<usize>> = BTreeMap::new();
        for line in &trace.lines {
            let packet = &line.packet;
            let text = |text: &'a Option<String>| text.as_deref().unwrap_or_default();
            let key = DriverKey {
                name: text(&packet.driver),
                device: text(&packet.device),
                form: text(&packet.form),
                profile: text(&packet.profile),
            };
            if let Some(driver) = known.get(&key) {
                drivers.of_line.push(*driver);
                continue;
            }
            let profile = *profiles.entry(key.profile).or_insert_with(|| {
                let Some(profile) = chosen(on, key.profile) else {
                    findings.push(no_profile(line.span, key.profile, on));
                    return None;
                };
                drivers.profiles.push(profile);
                Some(drivers.profiles.len() - 1)
            });
            let driver = profile.map(|profile| {
                drivers.all.push(DriverOf {
                    key: key.clone(),
                    profile,
                    profile_name: drivers.profiles[profile].name.clone(),
                });
                drivers.all.len() - 1
            });
            known.insert(key, driver);
            drivers.of_line.push(driver);
        }
        drivers
    }

    /// The lines about each program.
    pub(super) fn by_program(
        &self,
        programs: &'a [Source],
        trace: &'a PacketTrace,
        findings: &mut Vec<Finding>,
    ) -> Vec<Vec<Line<'a>>> {
        let stems = programs
            .iter()
            .map(|program| stem(&program.name))
            .enumerate();
        let stems: BTreeMap<&str, usize> = stems.map(|(at, stem)| (stem, at)).collect();
        let mut by_program: Vec<Vec<Line<'a>>> = vec![Vec::new(); programs.len()];
        // Lines about none of the programs, by whether they name one, and the first of each.
        let mut others: [Option<(usize, Span, Option<&str>)>; 2] = [None, None];
        for (line, driver) in trace.lines.iter().zip(&self.of_line) {
            let Some(driver) = driver else { continue };
            let packet = &line.packet;
            let barrier = packet.barrier.as_deref();
            let of_barrier = barrier.and_then(|name| stems.get(name));
            let (program, call) = match &packet.scenario {
                Some(name) => {
                    let call = barrier.filter(|it| *it != name.as_str());
                    (stems.get(name.as_str()), call)
                }
                None if of_barrier.is_some() => (of_barrier, None),
                // Ids of calls have a `#`.
                None if programs.len() == 1 && barrier.is_none_or(|it| it.contains('#')) => {
                    (Some(&0), barrier)
                }
                None => (None, None),
            };
            if let Some(program) = program {
                by_program[*program].push((*driver, line, call));
            } else {
                let name = packet.scenario.as_deref().or(barrier);
                let other = &mut others[usize::from(name.is_some())];
                other.get_or_insert((0, line.span, name)).0 += 1;
            }
        }
        findings.extend(others.into_iter().flatten().map(no_program));
        by_program
    }

    /// What comes of one program; `None` if nothing can run it.
    pub(super) fn program(
        &self,
        program: &Source,
        lines: &[Line<'a>],
        source: &Source,
    ) -> Option<Found> {
        let prepared = understood(program)?.prepare(Kernels::LeftOut, &mut Clock::untold());
        let timeline = prepared.timeline();
        let case = Case::new(&prepared, &timeline);
        let mistakes = if case.is_legal() {
            Vec::new()
        } else {
            case.mistakes()
        };
        let places = Places::new(&timeline);
        let mut by_driver: BTreeMap<usize, Vec<(&TraceLine, Option<&str>)>> = BTreeMap::new();
        for (driver, line, call) in lines {
            by_driver.entry(*driver).or_default().push((line, *call));
        }
        let mut found = Found {
            situations: Vec::new(),
            findings: Vec::new(),
            packets: 0,
        };
        let mut known: BTreeMap<(usize, Recorded), Verdict> = BTreeMap::new();
        for (driver, lines) in by_driver {
            let at = self.all[driver].profile;
            let profile = &self.profiles[at];
            let packets = places.place(lines.iter().copied(), &mut found.findings);
            if packets.is_empty() {
                continue;
            }
            found.packets += packets.len();
            let recorded = recorded::resolve(&places, &packets, profile, &mut found.findings);
            let judge = Judge {
                case: &case,
                timeline: &timeline,
                program,
                profile,
            };
            let verdict = || judge.verdict(&recorded);
            let verdict = known.entry((at, recorded.clone())).or_insert_with(verdict);
            let verdict = verdict.clone();
            let raw = packets.iter().flat_map(|(line, _)| &line.packet.raw);
            let situation = JudgedSituation {
                name: stem(&program.name).to_owned(),
                line: source.line(packets[0].0.span.start),
                mistakes: mistakes.clone(),
                lacks: verdict.lacks,
                more: verdict.more,
                raw: raw.cloned().collect(),
            };
            found.situations.push((driver, situation));
        }
        Some(found)
    }
}

/// That packets are about a program which nothing can run.
pub(super) fn cannot_run(span: Span, program: &Source) -> Finding {
    let message = format!("the scenario `{}` cannot be run", stem(&program.name));
    Finding::new(&mistakes::NO_PLACE, span, message)
        .note("its packets are left out; the others are kept")
        .help(format!("`syncscope check {}` says why", program.name))
}

/// A program's name: its file's, without what that ends in.
pub(super) fn stem(name: &str) -> &str {
    let file = Path::new(name).file_name().and_then(|it| it.to_str());
    let file = file.unwrap_or(name);
    let ends = [".scn", ".json"]
        .iter()
        .find_map(|end| file.strip_suffix(end));
    ends.unwrap_or(file)
}

/// The profile that lines are judged on which name this one.
fn chosen(on: JudgedOn<'_>, name: &str) -> Option<Profile> {
    match on {
        JudgedOn::This(profile) => Some(profile.clone()),
        JudgedOn::Named(_, default) if name.is_empty() => Some(default.clone()),
        // A recording is data: no file that it names is read.
        JudgedOn::Named(registry, _) => registry.profile(name).ok(),
    }
}

fn no_profile(span: Span, name: &str, on: JudgedOn<'_>) -> Finding {
    let message = format!("there is no profile `{}`", cut(name));
    let known: Vec<&str> = match on {
        JudgedOn::This(_) => Vec::new(),
        JudgedOn::Named(registry, _) => registry.profiles.iter().map(|it| it.name).collect(),
    };
    Finding::new(&mistakes::UNKNOWN_NAME, span, message)
        .note("every packet that names it is left out; the others are kept")
        .help(format!(
            "`--profile` names the machine, or a file with one; built in are {}",
            known.join(", ")
        ))
}

/// That packets are about none of the scenarios: one sentence, with how many they are.
fn no_program((count, first, name): (usize, Span, Option<&str>)) -> Finding {
    let Some(name) = name else {
        let message = match count {
            1 => "a packet that names no scenario, and there are several".to_owned(),
            _ => format!("{count} packets that name no scenario, and there are several"),
        };
        return Finding::new(&mistakes::NO_PLACE, first, message)
            .note("what names none is left out; the others are kept")
            .help("name the scenario's file without `.scn`, as `barrier` or as `scenario`");
    };
    let name = cut(name);
    let message = match count {
        1 => format!("1 packet is about another scenario, `{name}`: it is left out"),
        _ => format!(
            "{count} packets are about other scenarios, the first about `{name}`: they are left out"
        ),
    };
    Finding::new(&mistakes::NO_PLACE, first, message)
        .severity(Severity::Warning)
        .note("the others are kept")
        .help("`--scenario` names a scenario's file, and `--situations` all below a directory; a packet names the file without `.scn`, or a call of the only scenario by its id")
}
