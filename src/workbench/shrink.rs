//! The smallest program on which a lowering fails in one way.
//!
//! Parts are taken away for as long as the rest fails in the same way on the same machine: statements and lists, commands
//! (halves, quarters, … of a list at a time), entries, uses, bits, options, then declarations that nothing names any more.
//! Where the program has no mistake of its own, neither has what is left of it, and where `precise` is right on the program,
//! it is right on what is left. What is tried is printed and read again, so that what comes out is a text that every command
//! accepts.
//!
//! Cost: a try for each part and round; a round follows for as long as one helps. Programs of the corpus have some dozen
//! parts; of a long one at most [`TRIES_MAX`] are tried.

use super::cuts::PARTS;
use super::judge::{self, Case, Judging, Missed};
use super::{
    Counterexample, Machine, Reduction, Shown, Stage, Watch, Witness, understood, warm, with_case,
};
use crate::finding::{Source, Span};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::scenario::{self, Declaration, Scenario};
use crate::workbench::Fault;

/// Texts that are tried at most.
const TRIES_MAX: u32 = 4000;

/// The search for one program.
struct Search<'a> {
    lowering: &'a dyn Lowering,
    profile: &'a Profile,
    kind: &'a str,
    /// What is left must have no mistake of its own.
    clean: bool,
    /// On what is left `precise` must be right: what it does wrong too says nothing of the lowering.
    differs: bool,
    /// Some run of what is left must have a wrong read.
    shows: bool,
    /// The operations that may be missing, each with the accesses that need it; `None`: any.
    may_miss: Option<Missed>,
    judging: Judging,
    tries: u32,
    /// What went, in order.
    steps: Vec<Reduction>,
    /// Is told how many texts were tried.
    watch: Option<&'a Watch<'a>>,
}

/// How a text fails.
struct Failure {
    fault: Fault,
    clean: bool,
    /// `precise` is right, or need not be.
    differs: bool,
    /// A run that shows it, if that was asked for.
    shown: Option<Shown>,
}

/// The smallest program found that fails in this way. If it must show what another does not, some run of it has a wrong
/// read, and it lacks nothing that the other does not lack: two mistakes may meet in one cache.
pub(super) fn smallest(
    machine: Machine<'_>,
    program: &Source,
    kind: &str,
    like: Option<&Counterexample>,
) -> Option<Counterexample> {
    let mut search = Search::new(machine, kind, Judging::Runs);
    let shows = like.is_some();
    search.shows = shows;
    search.may_miss = like.and_then(|like| search.missed(&like.text));
    let whole = search.try_on(&program.text)?;
    // What a program reads wrong by its own mistake shows nothing of the lowering.
    if shows && (whole.shown.is_none() || !whole.clean) {
        return None;
    }
    search.clean = whole.clean;
    search.differs = whole.differs;
    let legal = (!whole.clean).then(|| search.made_legal(program)).flatten();
    search.smallest(legal.as_ref().unwrap_or(program))
}

/// A program on which a driver gave no right answer, which it gives if it is asked nothing else: it is not made smaller.
pub(super) fn dependent(program: &Source, fault: &Fault) -> Option<Counterexample> {
    let Fault::Answers { rule, says, before } = fault else {
        return None;
    };
    let depends = match before {
        0 => "it does not fail so each time".to_owned(),
        1 => "that depends on what its process was asked before: 1 program".to_owned(),
        several => {
            format!("that depends on what its process was asked before: {several} programs")
        }
    };
    with_case(program, |case| {
        Some(Counterexample {
            made_from: program.name.clone(),
            programs: 1,
            illegal_programs: usize::from(!case.is_clean()),
            profiles: Vec::new(),
            commands: written(case.prepared.written()),
            mistakes: case.mistakes(),
            says: vec![format!("{rule}: {says}")],
            shown: None,
            faults: vec![fault.clone()],
            text: tidy(&program.text),
            witness: None,
            depends: Some(format!(
                "a new process that is asked only this program does not fail so: {depends}; no smaller program is looked for"
            )),
        })
    })
}

/// A counterexample that reads once more before the write, if a run of it has a wrong read.
pub(super) fn warmed(machine: Machine<'_>, cold: &Counterexample, kind: &str) -> Option<Witness> {
    let mut search = Search::new(machine, kind, Judging::Runs);
    let text = with_case(&named(&cold.text), |case| {
        let lack = case.lack(machine.lowering, machine.profile, kind)?;
        warm::warmed(case.timeline, &lack)
    })?;
    search.shows = true;
    search.may_miss = search.missed(&cold.text);
    let found = search.try_on(&text)?;
    let shown = found.shown.filter(|_| found.clean)?;
    let text = tidy(&text);
    Some(Witness { text, shown })
}

/// The smallest program found that fails in this way, whatever mistakes it has, and what was taken away on the way.
pub(super) fn steps(
    machine: Machine<'_>,
    program: &Source,
    kind: &str,
    watch: &Watch<'_>,
) -> Option<(Counterexample, Vec<Reduction>)> {
    let mut search = Search::new(machine, kind, Judging::Always);
    search.watch = Some(watch);
    search.clean = search.try_on(&program.text)?.clean;
    let found = search.smallest(program)?;
    Some((found, search.steps))
}

impl<'a> Search<'a> {
    /// What is wrong with the answers of a driver is tried without what it may remember of other programs: so what comes out
    /// fails by itself.
    fn new(machine: Machine<'a>, kind: &'a str, judging: Judging) -> Self {
        let alone = machine.lowering.alone();
        let alone = alone.filter(|_| Fault::is_of_answer(kind));
        Self {
            lowering: alone.unwrap_or(machine.lowering),
            profile: machine.profile,
            kind,
            clean: false,
            differs: false,
            shows: false,
            may_miss: None,
            judging,
            tries: 0,
            steps: Vec::new(),
            watch: None,
        }
    }

    fn smallest(&mut self, program: &Source) -> Option<Counterexample> {
        let bare = without_comments(&program.text);
        let mut text = if self.fails(&bare) {
            bare
        } else {
            program.text.clone()
        };
        while self.round(&mut text) || self.declarations(&mut text) {}
        self.told(&program.name, &text)
    }

    /// An illegal program without one part, if that is legal and fails in the same way: what is left of it must stay legal.
    fn made_legal(&mut self, program: &Source) -> Option<Source> {
        let whole = understood(program)?;
        let cuts = PARTS.iter().flat_map(|(_, cuts)| cuts(&whole.scenario));
        for cut in cuts.collect::<Vec<_>>() {
            let mut less = whole.scenario.clone();
            if self.tries >= TRIES_MAX || !cut(&mut less) {
                continue;
            }
            let printed = scenario::print(&less);
            if self
                .try_on(&printed)
                .is_some_and(|it| it.clean && it.differs)
            {
                self.clean = true;
                self.differs = true;
                return Some(Source::new(program.name.as_str(), printed));
            }
        }
        None
    }

    /// Notes that something went.
    fn note(&mut self, what: &'static str, scenario: &Scenario) {
        let commands = written(scenario);
        match self.steps.last_mut() {
            Some(step) if step.what == what => step.commands = commands,
            _ => self.steps.push(Reduction { what, commands }),
        }
    }

    /// How a text fails.
    fn try_on(&mut self, text: &str) -> Option<Failure> {
        self.tries += 1;
        if let Some(watch) = self.watch {
            watch(Stage::Scenes(self.tries as usize, TRIES_MAX as usize));
        }
        with_case(&named(text), |case| self.failure(case))
    }

    fn failure(&self, case: &Case<'_, '_>) -> Option<Failure> {
        let outcome = case.outcome(self.lowering, self.profile, self.judging);
        let clean = case.is_clean();
        let mut faults = outcome.faults.into_iter();
        let fault = faults.find(|fault| fault.kind() == self.kind)?;
        if let Some(may_miss) = &self.may_miss
            && !case.missed(self.lowering, self.profile).is_subset(may_miss)
        {
            return None;
        }
        let shown = self.shows.then(|| self.shown(case)).flatten();
        // What a run reads wrong in a program with mistakes is not told apart from what these do.
        let differs = self.judging == Judging::Always
            || judge::is_precise(self.lowering)
            || clean && case.is_precise_right(self.profile);
        Some(Failure {
            fault,
            clean,
            differs,
            shown,
        })
    }

    /// What the lowering lacks on a text.
    fn missed(&self, text: &str) -> Option<Missed> {
        with_case(&named(text), |case| {
            Some(case.missed(self.lowering, self.profile))
        })
    }

    /// A run with a wrong read.
    fn shown(&self, case: &Case<'_, '_>) -> Option<Shown> {
        let is_own = self.judging != Judging::Always;
        case.wrong_run(self.lowering, self.profile, is_own)
    }

    fn fails(&mut self, text: &str) -> bool {
        if self.tries >= TRIES_MAX {
            return false;
        }
        let (clean, differs, shows) = (self.clean, self.differs, self.shows);
        let failure = self.try_on(text);
        failure.is_some_and(|it| {
            (it.clean || !clean) && (it.differs || !differs) && (it.shown.is_some() || !shows)
        })
    }

    /// Tries to take away each part once. Whether something went.
    fn round(&mut self, text: &mut String) -> bool {
        let mut any = false;
        let Some(mut now) = understood(&named(text)) else {
            return false;
        };
        for (what, cuts) in PARTS {
            // Last parts first: what is taken away moves nothing that is still to be tried.
            for cut in cuts(&now.scenario).into_iter().rev() {
                let mut less = now.scenario.clone();
                if !cut(&mut less) {
                    continue;
                }
                let printed = scenario::print(&less);
                if printed.len() < text.len() && self.fails(&printed) {
                    let Some(parsed) = understood(&named(&printed)) else {
                        continue;
                    };
                    now = parsed;
                    self.note(what, &now.scenario);
                    *text = printed;
                    any = true;
                }
            }
        }
        any
    }

    /// Takes away declarations. Whether one went.
    fn declarations(&mut self, text: &mut String) -> bool {
        let mut any = false;
        let mut at = 0;
        loop {
            let Some(parsed) = understood(&named(text)) else {
                return any;
            };
            let places = places(&parsed.scenario, text.len());
            let Some(place) = places.len().checked_sub(1 + at).map(|last| places[last]) else {
                return any;
            };
            let mut less = text.clone();
            less.replace_range(place.start as usize..place.end as usize, "");
            if self.fails(&less) {
                self.note("declarations", &parsed.scenario);
                *text = less;
                any = true;
            } else {
                at += 1;
            }
        }
    }

    /// What is said of the program that is left.
    fn told(&mut self, program: &str, text: &str) -> Option<Counterexample> {
        self.shows = true;
        let told = |case: &Case<'_, '_>| {
            let failure = self.failure(case)?;
            Some(Counterexample {
                made_from: program.to_owned(),
                programs: 1,
                illegal_programs: usize::from(!case.is_clean()),
                profiles: Vec::new(),
                commands: written(case.prepared.written()),
                mistakes: case.mistakes(),
                says: case.says(self.lowering, self.profile),
                shown: failure.shown,
                faults: vec![failure.fault],
                text: tidy(text),
                witness: None,
                depends: None,
            })
        };
        with_case(&named(text), told)
    }
}

/// A text that is tried, with its name for messages.
fn named(text: &str) -> Source {
    Source::new("counterexample.scn", text)
}

/// Commands that are written, barriers among them.
fn written(scenario: &Scenario) -> usize {
    let lists = scenario.lists.iter();
    lists.map(|list| list.commands.len()).sum()
}

/// One empty line at most, and none at the ends.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    for line in text.trim().lines() {
        if !(line.trim().is_empty() && tidy.ends_with("\n\n")) {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy
}

/// A text without comments: from `//` outside a string to the end of the line.
fn without_comments(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    for line in text.lines() {
        let mut quoted = false;
        let mut previous = ' ';
        let mut end = line.len();
        for (at, character) in line.char_indices() {
            match (previous, character) {
                (before, '"') if before != '\\' => quoted = !quoted,
                ('/', '/') if !quoted => {
                    end = at - 1;
                    break;
                }
                _ => {}
            }
            previous = character;
        }
        bare.push_str(line[..end].trim_end());
        bare.push('\n');
    }
    bare
}

/// From each declaration to the next.
fn places(scenario: &Scenario, end: usize) -> Vec<Span> {
    let mut starts: Vec<u32> = scenario
        .order
        .iter()
        .filter_map(|declaration| match declaration {
            Declaration::Heap(id) => Some(scenario.heaps[*id].span.start),
            Declaration::Resource(id) => Some(scenario.resource(*id).span.start),
            Declaration::Fence(id) => Some(scenario.fences[*id].span.start),
            Declaration::Queue(id) => Some(scenario.queue(*id).span.start),
            Declaration::List(id) => Some(scenario.lists[*id].span.start),
            Declaration::Device => Some(scenario.device.span.start),
            Declaration::Adapter(at) => scenario
                .adapters
                .get(*at as usize)
                .map(|adapter| adapter.span.start),
            Declaration::Timeline => scenario.timeline.as_ref().map(|t| t.span.start),
            Declaration::Title => None,
        })
        .collect();
    starts.sort_unstable();
    starts.push(crate::id::narrow(end));
    let spans = starts.windows(2);
    spans.map(|pair| Span::new(pair[0], pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_where_strings_do_not() {
        let text = "a // b\n\"c // d\" // e\n// f\n\"\\\"// g\"";
        assert_eq!(without_comments(text), "a\n\"c // d\"\n\n\"\\\"// g\"\n");
    }
}
