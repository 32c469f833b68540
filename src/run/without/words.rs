//! What leaving a barrier out comes to, in one sentence: the difference in time, and what goes wrong.

use super::trials::{Broken, impossible};
use super::{CopyRun, FindingChange};
use crate::run::Report;
use crate::time::Ps;
use std::cmp::Ordering;

/// The sentence.
pub(super) fn sentence(with: &Report, copy: &Result<Box<CopyRun>, Vec<Broken>>) -> String {
    let copy = match copy {
        Ok(copy) => copy,
        Err(broken) => return impossible(broken),
    };
    let time = difference(copy.with, copy.makespan());
    let so = wrong(copy).unwrap_or_else(|| found(with, copy));
    if !so.is_empty() {
        return format!("{time}; {so}");
    }
    let is_same = copy.gone.is_empty() && is_still(with, &copy.report);
    if is_same && copy.with == copy.makespan() {
        return format!("nothing changes: {}, no finding is new", Ps::ZERO);
    }
    format!("{time}; {}, and no finding is new", none(copy))
}

/// `0.83 us less`.
fn difference(with: Ps, without: Ps) -> String {
    match without.cmp(&with) {
        Ordering::Less => format!("{} less", with - without),
        Ordering::Equal => "the run takes the same time".to_owned(),
        Ordering::Greater => format!("{} more", without - with),
    }
}

/// Whether every command runs when it ran before.
fn is_still(with: &Report, without: &Report) -> bool {
    let times = |report: &Report| -> Vec<(String, Ps, Ps)> {
        let rows = report.commands.iter();
        rows.map(|row| (row.id.clone(), row.start, row.end))
            .collect()
    };
    times(with) == times(without)
}

/// The reads that go wrong.
fn wrong(copy: &CopyRun) -> Option<String> {
    let first = copy.wrong_reads.first()?;
    let says = first.says.trim_end_matches('.');
    let uses = copy.wrong_reads.len();
    // A use that several stages read is so many reads.
    let reads = usize::try_from(copy.more_bad_reads).map_or(uses, |more| more.max(uses));
    Some(match (reads, uses) {
        (1, _) => format!("1 read goes wrong here: {says}"),
        (_, 1) => format!("{reads} reads of one use go wrong here: {says}"),
        _ if reads == uses => format!("{reads} reads go wrong here, the first: {says}"),
        _ => format!("{reads} reads of {uses} uses go wrong here, the first: {says}"),
    })
}

/// That no read goes wrong without the barrier that does not go wrong with it.
fn none(copy: &CopyRun) -> &'static str {
    if copy.report.totals.bad_reads > 0 {
        "no more reads go wrong here"
    } else {
        "no read goes wrong here"
    }
}

/// What is found instead, where no more reads go wrong.
fn found(with: &Report, copy: &CopyRun) -> String {
    let mended = match copy.mended_reads.len() {
        0 => String::new(),
        1 => "; 1 read that goes wrong with it finds what it should".to_owned(),
        n => format!("; {n} reads that go wrong with it find what they should"),
    };
    let fails = |change: &&FindingChange| change.fails();
    let new = || copy.new.iter().filter(|c| c.times > 0);
    let hazards = new().filter(|c| c.is_hazard()).count();
    let errors = new().filter(fails).count() - hazards;
    let none = none(copy);
    let so = if hazards > 0 {
        let what = match (hazards, with.findings.iter().any(|f| f.hazard.is_some())) {
            (1, false) => "a hazard".to_owned(),
            (n, false) => format!("{n} hazards"),
            (1, true) => "1 more hazard".to_owned(),
            (n, true) => format!("{n} more hazards"),
        };
        format!("{none}, but the text has {what}: another machine may show it")
    } else if errors > 0 {
        let rules = new().filter(fails).map(|c| c.finding.rule.id);
        let rules: Vec<&str> = rules.collect();
        format!("{none}, but the text breaks {}", rules.join(", "))
    } else if let Some(first) = copy.new.first() {
        let rule = first.finding.rule;
        let how = first.word(true);
        format!("{none}; {} {} is {how}", rule.id, rule.name)
    } else if let Some(first) = copy.gone.iter().find(fails) {
        let more = match copy.gone.iter().filter(fails).count() {
            1 => format!("is {}", first.word(false)),
            n => format!("and {} more are gone or less often", n - 1),
        };
        let rule = first.finding.rule;
        format!("{none}; {} {} {more}", rule.id, rule.name)
    } else {
        String::new()
    };
    if so.is_empty() {
        mended.trim_start_matches("; ").to_owned()
    } else {
        format!("{so}{mended}")
    }
}
