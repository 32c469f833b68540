//! What is wrong with a text: first what its parser says, which comes at once, then what a run finds.

use super::Language;
use crate::finding::{Finding, Rule, Severity, Source, Span};
use crate::id::narrow;
use crate::kernel;
use crate::litmus::examine::ExamineOptions;
use crate::litmus::study::study;
use crate::lower::rules;
use crate::run::{
    self, Drawn, Options, Proposals, Registry, Report, Unusable, profile_problems, read_lowering,
};
use crate::scenario;

/// What is wrong with the words of a text. Nothing is run, and no other file is read.
///
/// Cost: one reading of the text.
pub fn of_text(source: &Source, language: Language) -> Vec<Finding> {
    match language {
        Language::Scenario => scenario::parse(source).1,
        Language::Litmus => kernel::parse(source).1,
        Language::Rules => rules::parse(source).1,
        Language::Profile => Vec::new(),
    }
}

/// Everything that is found in a text.
///
/// # Errors
/// Why nothing can be run.
pub fn of_run(
    source: &Source,
    language: Language,
    registry: &Registry,
    options: &Options,
) -> Result<Report, Unusable> {
    let findings = match language {
        Language::Scenario => return run::run(source, registry, options),
        Language::Litmus => of_litmus(source),
        Language::Rules => of_rules(source, registry),
        Language::Profile => of_profile(source, registry, options),
    };
    Ok(Report {
        findings,
        ..Report::default()
    })
}

/// Runs a scenario, or checks it where it has no timeline.
///
/// # Errors
/// Why nothing can be run.
pub fn ran(source: &Source, registry: &Registry, options: &Options) -> Result<Report, Unusable> {
    run::run(source, registry, options).or_else(|what| {
        let checked = run::check(source, options);
        if options.lowering.is_none() && options.profile.is_none() && !checked.findings.is_empty() {
            Ok(checked)
        } else {
            Err(what)
        }
    })
}

/// Options of a run of which only findings are wanted, with or without their fixes.
pub fn only_findings(options: Options, fixes: bool) -> Options {
    Options {
        drawn: Drawn::Rows,
        without_commands: true,
        without_path: true,
        without_barriers: true,
        proposals: if fixes {
            Proposals::default()
        } else {
            Proposals::None
        },
        ..options
    }
}

fn of_litmus(source: &Source) -> Vec<Finding> {
    let (kernel, findings) = run::read_litmus(source);
    if findings.is_empty() {
        study(&kernel, &ExamineOptions::default(), None).findings
    } else {
        findings
    }
}

/// A rule file for no profile in particular.
fn of_rules(source: &Source, registry: &Registry) -> Vec<Finding> {
    let mut read = read_lowering(source, None);
    read.findings.extend(run::name_taken(&read.file, registry));
    if !read.findings.iter().any(|f| f.severity.fails()) {
        let unknown = run::unknown_profiles(&read.file, registry);
        read.findings.extend(unknown);
        read.findings.sort_by_key(|f| (f.span, f.rule.id));
    }
    read.findings
}

/// What is wrong with a profile. It is no text with rules of its own, so all mistakes have one name.
static PROFILE: Rule = Rule {
    id: "PF001",
    name: "unusable-profile",
    severity: Severity::Error,
    summary: "a hardware profile that cannot be used",
    prose: "",
};

/// That something which a text names is missing, or that it has nothing to run.
static NOT_RUN: Rule = Rule {
    id: "NR001",
    name: "not-run",
    severity: Severity::Advice,
    summary: "a text that is not run",
    prose: "",
};

fn of_profile(source: &Source, registry: &Registry, options: &Options) -> Vec<Finding> {
    match profile_problems(registry, source, &*options.files) {
        Ok(problems) => {
            let finding = |(start, message): (Option<usize>, String)| {
                Finding::new(&PROFILE, value_at(source, start.unwrap_or(0)), message)
            };
            problems.into_iter().map(finding).collect()
        }
        Err(what) => {
            let at = base_at(source).unwrap_or_default();
            vec![Finding::new(&PROFILE, at, what.message).help(what.help)]
        }
    }
}

/// The key or the value that begins at a byte, up to the end of its line.
fn value_at(source: &Source, start: usize) -> Span {
    let rest = source.text.get(start..).unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    let length = line.split(" #").next().unwrap_or_default().trim_end().len();
    Span::new(narrow(start), narrow(start + length))
}

/// Where a profile says what it is based on.
fn base_at(source: &Source) -> Option<Span> {
    let (_, start) = crate::hardware::Profile::base(&source.text)?;
    Some(value_at(source, start))
}

/// Whether a rule is one that the program explains.
pub fn has_page(rule: &Rule) -> bool {
    ![PROFILE.id, NOT_RUN.id].contains(&rule.id)
}

/// What could not be run, as a finding at the start of the text.
pub fn unusable(source: &Source, what: &Unusable) -> Finding {
    let first = source.text.lines().next().unwrap_or_default();
    let span = Span::new(0, narrow(first.len()));
    Finding::new(&NOT_RUN, span, what.message.as_str()).help(what.help.as_str())
}
