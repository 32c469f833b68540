//! The smallest program on which a lowering fails in one way.
//!
//! Parts are taken away for as long as the rest fails in the same way on the same machine: statements and lists, commands
//! (halves, quarters, … of a list at a time), entries, uses, bits, options, then declarations that nothing names any more.
//! Where the program has no mistake of its own, neither has what is left of it. What is tried is printed and read again,
//! so that what comes out is a text that every command accepts.
//!
//! Cost: a try for each part and round; a round follows for as long as one helps. Programs of the corpus have some dozen
//! parts; of a long one at most [`TRIES_MAX`] are tried.

use super::judge::{self, Case, EVICTIONS, Judging};
use super::{Counterexample, Machine, Program, Shown, Step, understood};
use crate::analyze::hazards;
use crate::api::{BarrierAccess, BarrierSync};
use crate::finding::{Source, Span};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::run::clock::Clock;
use crate::run::front::Kernels;
use crate::run::verify::Fault;
use crate::scenario::{
    self, BarrierTarget, Command, CommandKind, Declaration, Placement, ResourceKind, Scenario,
    StatementKind,
};

/// Texts that are tried at most.
const TRIES_MAX: u32 = 4000;

/// A way to take something away; `false` if there is no such part.
type Cut = Box<dyn Fn(&mut Scenario) -> bool>;

/// The ways to take away parts of one kind.
type Cuts = fn(&Scenario) -> Vec<Cut>;

/// What may be taken away, in the order in which it is tried.
const PARTS: [(&str, Cuts); 7] = [
    ("statements", statements),
    ("commands", commands),
    ("barrier entries", entries),
    ("uses", uses),
    ("bits and ranges", bits),
    ("options", options),
    ("sizes, flags and places", shapes),
];

/// The search for one program.
struct Search<'a> {
    lowering: &'a dyn Lowering,
    profile: &'a Profile,
    kind: &'a str,
    /// What is left must have no mistake of its own.
    clean: bool,
    /// Some run of what is left must have a wrong read.
    shows: bool,
    judging: Judging,
    tries: u32,
    /// What went, in order.
    steps: Vec<Step>,
}

/// How a text fails.
struct Failure {
    fault: Fault,
    clean: bool,
    /// A run that shows it, if that was asked for.
    shown: Option<Shown>,
}

/// The smallest program found that fails in this way. If it must show that, some run of it has a wrong read.
pub(super) fn smallest(
    machine: Machine<'_>,
    program: &Program,
    kind: &str,
    shows: bool,
) -> Option<Counterexample> {
    let mut search = Search::new(machine, kind, Judging::Runs);
    search.shows = shows;
    let whole = search.try_on(&program.source.text)?;
    // What a program reads wrong by its own mistake shows nothing of the lowering.
    if shows && (whole.shown.is_none() || !whole.clean) {
        return None;
    }
    search.clean = whole.clean;
    search.smallest(program)
}

/// The smallest program found that fails in this way, whatever mistakes it has, and what was taken away on the way.
pub(super) fn steps(
    machine: Machine<'_>,
    program: &Program,
    kind: &str,
) -> Option<(Counterexample, Vec<Step>)> {
    let mut search = Search::new(machine, kind, Judging::Always);
    search.clean = search.try_on(&program.source.text)?.clean;
    let found = search.smallest(program)?;
    Some((found, search.steps))
}

impl<'a> Search<'a> {
    fn new(machine: Machine<'a>, kind: &'a str, judging: Judging) -> Self {
        Self {
            lowering: machine.lowering,
            profile: machine.profile,
            kind,
            clean: false,
            shows: false,
            judging,
            tries: 0,
            steps: Vec::new(),
        }
    }

    fn smallest(&mut self, program: &Program) -> Option<Counterexample> {
        let bare = without_comments(&program.source.text);
        let mut text = if self.fails(&bare) {
            bare
        } else {
            program.source.text.clone()
        };
        while self.round(&mut text) || self.declarations(&mut text) {}
        self.told(&program.name, &text)
    }

    /// Notes that something went.
    fn note(&mut self, what: &'static str, scenario: &Scenario) {
        let commands = written(scenario);
        match self.steps.last_mut() {
            Some(step) if step.what == what => step.commands = commands,
            _ => self.steps.push(Step { what, commands }),
        }
    }
}
impl Search<'_> {
    /// How a text fails.
    fn try_on(&mut self, text: &str) -> Option<Failure> {
        self.tries += 1;
        let parsed = understood(&Source::new("counterexample.scn", text))?;
        let prepared = parsed.prepare(Kernels::LeftOut, &mut Clock::start());
        let timeline = prepared.timeline();
        let case = Case::new(&prepared, &timeline)?;
        let outcome = case.outcome(self.lowering, self.profile, self.judging);
        let clean = case.is_clean();
        let mut faults = outcome.faults.into_iter();
        let fault = faults.find(|fault| fault.kind() == self.kind)?;
        let shown = self.shows.then(|| self.shown(&case)).flatten();
        Some(Failure {
            fault,
            clean,
            shown,
        })
    }

    /// A run with a wrong read.
    fn shown(&self, case: &Case<'_, '_>) -> Option<Shown> {
        let lowered = judge::lowered(self.lowering, case.timeline, self.profile).ok()?;
        EVICTIONS.iter().find_map(|eviction| {
            let trace = case.trace(&lowered, self.profile, *eviction);
            let read = judge::wrong_read(&trace, case.is_clean())?;
            Some(Shown {
                eviction: *eviction,
                read: hazards::observation_text(case.timeline, read),
            })
        })
    }

    fn fails(&mut self, text: &str) -> bool {
        if self.tries >= TRIES_MAX {
            return false;
        }
        let (clean, shows) = (self.clean, self.shows);
        let failure = self.try_on(text);
        failure.is_some_and(|it| (it.clean || !clean) && (it.shown.is_some() || !shows))
    }

    /// Tries to take away each part once. Whether something went.
    fn round(&mut self, text: &mut String) -> bool {
        let mut any = false;
        let Some(mut now) = understood(&Source::new("counterexample.scn", text.as_str())) else {
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
                    let source = Source::new("counterexample.scn", printed.as_str());
                    let Some(parsed) = understood(&source) else {
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
            let source = Source::new("counterexample.scn", text.as_str());
            let Some(parsed) = understood(&source) else {
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
        let failure = self.try_on(text)?;
        let parsed = understood(&Source::new("counterexample.scn", text))?;
        let prepared = parsed.prepare(Kernels::LeftOut, &mut Clock::start());
        let timeline = prepared.timeline();
        let case = Case::new(&prepared, &timeline)?;
        Some(Counterexample {
            made_from: program.to_owned(),
            programs: 1,
            profiles: Vec::new(),
            commands: written(prepared.written()),
            says: case.says(self.lowering, self.profile),
            shown: failure.shown,
            faults: vec![failure.fault],
            text: tidy(text),
            witness: None,
        })
    }
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
            Declaration::Heap(id) => Some(scenario.heaps[id.index()].span.start),
            Declaration::Resource(id) => Some(scenario.resource(*id).span.start),
            Declaration::Fence(id) => Some(scenario.fences[id.index()].span.start),
            Declaration::Queue(id) => Some(scenario.queue(*id).span.start),
            Declaration::List(id) => Some(scenario.lists[id.index()].span.start),
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
    spans
        .map(|pair| Span {
            start: pair[0],
            end: pair[1],
        })
        .collect()
}

fn cut(cut: impl Fn(&mut Scenario) -> bool + 'static) -> Cut {
    Box::new(cut)
}

/// Statements of the timeline, and lists of one call.
fn statements(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let all = scenario
        .timeline
        .as_ref()
        .map_or(&[][..], |t| &t.statements);
    for (at, statement) in all.iter().enumerate() {
        cuts.push(cut(move |scenario| {
            let Some(timeline) = &mut scenario.timeline else {
                return false;
            };
            let has = at < timeline.statements.len();
            if has {
                timeline.statements.remove(at);
            }
            has
        }));
        match &statement.kind {
            StatementKind::Repeat { .. } => cuts.push(cut(move |scenario| {
                let statements = scenario.timeline.as_mut().map(|t| &mut t.statements);
                let Some(statements) = statements.filter(|s| at < s.len()) else {
                    return false;
                };
                let StatementKind::Repeat { body, .. } = &statements[at].kind else {
                    return false;
                };
                let body = body.clone();
                statements.splice(at..=at, body);
                true
            })),
            StatementKind::Execute { lists, .. } if lists.len() > 1 => {
                for list in 0..lists.len() {
                    cuts.push(cut(move |scenario| {
                        let timeline = scenario.timeline.as_mut();
                        let statement = timeline.and_then(|t| t.statements.get_mut(at));
                        match statement.map(|s| &mut s.kind) {
                            Some(StatementKind::Execute { lists, .. })
                                if lists.len() > 1 && list < lists.len() =>
                            {
                                lists.remove(list);
                                true
                            }
                            _ => false,
                        }
                    }));
                }
            }
            _ => {}
        }
    }
    cuts
}

/// Runs of commands, the longest last, so that they are tried first.
fn commands(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (list, recorded) in scenario.lists.iter().enumerate() {
        let count = recorded.commands.len();
        let mut length = 1;
        while length <= count {
            for start in (0..count).step_by(length) {
                cuts.push(cut(move |scenario| {
                    let commands = &mut scenario.lists[list].commands;
                    let end = (start + length).min(commands.len());
                    let has = start < end;
                    if has {
                        commands.drain(start..end);
                    }
                    has
                }));
            }
            length *= 2;
        }
    }
    cuts
}

/// Cuts that act on one command.
fn on_command(list: usize, at: usize, act: impl Fn(&mut Command) -> bool + 'static) -> Cut {
    cut(move |scenario| {
        let command = scenario.lists[list].commands.get_mut(at);
        command.is_some_and(&act)
    })
}

/// Every command with its place.
fn recorded(scenario: &Scenario) -> impl Iterator<Item = (usize, usize, &Command)> {
    scenario
        .lists
        .iter()
        .enumerate()
        .flat_map(|(list, recorded)| {
            let commands = recorded.commands.iter().enumerate();
            commands.map(move |(at, command)| (list, at, command))
        })
}

fn barriers(command: &mut Command) -> Option<&mut Vec<scenario::Barrier>> {
    match &mut command.kind {
        CommandKind::Barrier(barriers) | CommandKind::FenceBarrier { barriers, .. } => {
            Some(barriers)
        }
        _ => None,
    }
}

/// Entries of barriers.
fn entries(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (list, at, command) in recorded(scenario) {
        let legacy = match &command.kind {
            CommandKind::Legacy(entries) => entries.len(),
            _ => 0,
        };
        for entry in 0..legacy {
            cuts.push(on_command(list, at, move |command| {
                match &mut command.kind {
                    CommandKind::Legacy(entries) if entry < entries.len() => {
                        entries.remove(entry);
                        true
                    }
                    _ => false,
                }
            }));
        }
        for entry in 0..command.kind.barriers().len() {
            cuts.push(on_command(list, at, move |command| {
                let barriers = barriers(command).filter(|b| entry < b.len());
                barriers.is_some_and(|barriers| {
                    barriers.remove(entry);
                    true
                })
            }));
        }
    }
    cuts
}

/// Uses of commands.
fn uses(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (list, at, command) in recorded(scenario) {
        for index in 0..command.uses.len() {
            cuts.push(on_command(list, at, move |command| {
                let has = index < command.uses.len() && !command.uses[index].implied;
                if has {
                    let mut uses = std::mem::take(&mut command.uses).into_vec();
                    uses.remove(index);
                    command.uses = uses.into();
                }
                has
            }));
        }
    }
    cuts
}

/// Bits of masks, and what a transition need not do.
fn bits(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (list, at, command) in recorded(scenario) {
        for (entry, barrier) in command.kind.barriers().iter().enumerate() {
            let mut on_entry = |act: Box<dyn Fn(&mut scenario::BarrierFields) -> bool>| {
                cuts.push(on_command(list, at, move |command| {
                    let barrier = barriers(command).and_then(|b| b.get_mut(entry));
                    barrier.is_some_and(|barrier| act(barrier))
                }));
            };
            for bit in barrier.sync_before.iter() {
                on_entry(Box::new(move |b| drop_sync(&mut b.sync_before, bit)));
            }
            for bit in barrier.sync_after.iter() {
                on_entry(Box::new(move |b| drop_sync(&mut b.sync_after, bit)));
            }
            for bit in barrier.access_before.iter() {
                on_entry(Box::new(move |b| drop_access(&mut b.access_before, bit)));
            }
            for bit in barrier.access_after.iter() {
                on_entry(Box::new(move |b| drop_access(&mut b.access_after, bit)));
            }
            on_entry(Box::new(|b| match &mut b.target {
                BarrierTarget::Texture { range, .. } => {
                    let whole = scenario::BarrierRange::Range(scenario::Range::All);
                    let has = *range != whole;
                    *range = whole;
                    has
                }
                _ => false,
            }));
        }
    }
    cuts
}

fn drop_sync(mask: &mut BarrierSync, bit: BarrierSync) -> bool {
    let less = *mask - bit;
    let has = !less.is_empty() && less != *mask;
    *mask = less;
    has
}

fn drop_access(mask: &mut BarrierAccess, bit: BarrierAccess) -> bool {
    let less = *mask - bit;
    let has = !less.is_empty() && less != *mask;
    *mask = less;
    has
}

/// Labels, sizes and other options of commands.
fn options(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for (list, at, command) in recorded(scenario) {
        if let CommandKind::Draw { options, .. } = &command.kind
            && options.is_some()
        {
            cuts.push(on_command(list, at, |command| {
                if let CommandKind::Draw { options, .. } = &mut command.kind {
                    *options = None;
                }
                true
            }));
        }
        if let CommandKind::Dispatch {
            options, groups, ..
        } = &command.kind
            && (options.is_some() || *groups != [1; 3])
        {
            cuts.push(on_command(list, at, |command| {
                if let CommandKind::Dispatch {
                    options, groups, ..
                } = &mut command.kind
                {
                    *options = None;
                    *groups = [1; 3];
                }
                true
            }));
        }
        for index in 0..command.uses.len() {
            cuts.push(on_command(list, at, move |command| {
                let Some(of) = command.uses.get_mut(index).filter(|u| !u.implied) else {
                    return false;
                };
                let has = of.range != scenario::Range::All;
                of.range = scenario::Range::All;
                has
            }));
        }
    }
    cuts
}

/// Sizes, flags and places of resources.
fn shapes(scenario: &Scenario) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for at in 0..scenario.resources.len() {
        cuts.push(cut(move |scenario| {
            let resource = &mut scenario.resources[at];
            let has = resource.placement != Placement::Committed;
            resource.placement = Placement::Committed;
            has
        }));
        cuts.push(cut(move |scenario| {
            match &mut scenario.resources[at].kind {
                ResourceKind::Texture(shape) => {
                    let has =
                        (shape.depth, shape.mips, shape.layers, shape.samples) != (1, 1, 1, 1);
                    (shape.depth, shape.mips, shape.layers, shape.samples) = (1, 1, 1, 1);
                    has
                }
                ResourceKind::Buffer { .. } => false,
            }
        }));
        for flag in scenario.resources[at].flags.iter() {
            cuts.push(cut(move |scenario| {
                let resource = &mut scenario.resources[at];
                let has = resource.flags.contains(flag);
                resource.flags -= flag;
                has
            }));
        }
    }
    cuts
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
