//! Legality: what D3D12's debug layer would refuse, decided from the scenario's text alone.
//!
//! Every list's commands are walked once; each barrier entry, use and declaration is shown to the rules that look at
//! its kind. Nothing here knows a machine or an order between submissions, and nothing is changed. Legacy entries are
//! not looked at: this reads the scenario as written, before they are translated.
//!
//! One mistake is one finding: rules are asked in a fixed order, from the shape of an entry to its finer points, and
//! the first error of an entry or of one of its sides is the only one. Warnings stop nothing.

pub mod eb;
mod entry;

pub use entry::{CommandOf, Entry, Side, SideOf, UseOf};

use crate::finding::{Finding, Rule};
use crate::id::{FenceId, ListId, ResourceId};
use crate::scenario::{Command, CommandKind, Scenario};

/// One thing that a rule looks at, with the function that does. `None` is: nothing wrong.
#[derive(Copy, Clone)]
pub enum Check {
    /// A barrier entry as a whole.
    Entry(fn(&Entry<'_>) -> Option<Finding>),
    /// One side of a barrier entry whose shape is right.
    Side(fn(&SideOf<'_>) -> Option<Finding>),
    /// A command.
    Command(fn(&CommandOf<'_>) -> Option<Finding>),
    /// A use of a resource by a command.
    Use(fn(&UseOf<'_>) -> Option<Finding>),
    /// A declared resource.
    Resource(fn(&Scenario, ResourceId) -> Option<Finding>),
    /// A declared fence.
    Fence(fn(&Scenario, FenceId) -> Option<Finding>),
}

/// A rule with everything that it looks at.
pub struct ValidationRule {
    /// The rule.
    pub rule: &'static Rule,
    /// What it looks at.
    pub checks: &'static [Check],
}

/// Rules of this layer, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let mut all: Vec<_> = eb::RULES.iter().map(|rule| rule.rule).collect();
    all.sort_by_key(|rule| rule.id);
    all.into_iter()
}

/// Every finding of legality in a scenario: declarations first, then lists as they stand.
pub fn validate(scenario: &Scenario) -> Vec<Finding> {
    validate_with(scenario, eb::RULES)
}

/// [`validate`] with some rules only, asked in the order given.
pub fn validate_with(scenario: &Scenario, rules: &[&'static ValidationRule]) -> Vec<Finding> {
    let mut driver = Driver::new(scenario, rules);
    for index in 0..scenario.resources.len() {
        let id = ResourceId::new(index);
        driver.first(|c| c.resource.iter().find_map(|check| check(scenario, id)));
    }
    for index in 0..scenario.fences.len() {
        let id = FenceId::new(index);
        driver.first(|c| c.fence.iter().find_map(|check| check(scenario, id)));
    }
    for (index, list) in scenario.lists.iter().enumerate() {
        for command in &list.commands {
            driver.command(ListId::new(index), command);
        }
    }
    driver.findings
}

/// Checks by what they look at, in the rules' order.
#[derive(Default)]
struct Checks {
    entry: Vec<fn(&Entry<'_>) -> Option<Finding>>,
    side: Vec<fn(&SideOf<'_>) -> Option<Finding>>,
    command: Vec<fn(&CommandOf<'_>) -> Option<Finding>>,
    uses: Vec<fn(&UseOf<'_>) -> Option<Finding>>,
    resource: Vec<fn(&Scenario, ResourceId) -> Option<Finding>>,
    fence: Vec<fn(&Scenario, FenceId) -> Option<Finding>>,
}

struct Driver<'s> {
    scenario: &'s Scenario,
    checks: Checks,
    findings: Vec<Finding>,
}

impl<'s> Driver<'s> {
    fn new(scenario: &'s Scenario, rules: &[&'static ValidationRule]) -> Self {
        let mut checks = Checks::default();
        for check in rules.iter().flat_map(|rule| rule.checks) {
            match *check {
                Check::Entry(f) => checks.entry.push(f),
                Check::Side(f) => checks.side.push(f),
                Check::Command(f) => checks.command.push(f),
                Check::Use(f) => checks.uses.push(f),
                Check::Resource(f) => checks.resource.push(f),
                Check::Fence(f) => checks.fence.push(f),
            }
        }
        Self {
            scenario,
            checks,
            findings: Vec::new(),
        }
    }

    fn first(&mut self, find: impl Fn(&Checks) -> Option<Finding>) {
        self.findings.extend(find(&self.checks));
    }

    fn command(&mut self, list: ListId, command: &'s Command) {
        let scenario = self.scenario;
        let it = CommandOf {
            scenario,
            list: &scenario.lists[list.index()],
            command,
        };
        let found = self.checks.command.iter().find_map(|check| check(&it));
        let stop = found.as_ref().is_some_and(|f| f.severity.fails());
        self.findings.extend(found);
        if stop {
            return;
        }
        match &command.kind {
            CommandKind::Barrier(entries) => self.entries(&it, entries, false),
            CommandKind::FenceBarrier { barriers, .. } => self.entries(&it, barriers, true),
            _ => {
                for used in &command.uses {
                    let it = UseOf { of: &it, used };
                    let found = self.checks.uses.iter().find_map(|check| check(&it));
                    self.findings.extend(found);
                }
            }
        }
    }

    fn entries(
        &mut self,
        of: &CommandOf<'s>,
        entries: &'s [crate::scenario::Barrier],
        in_fence: bool,
    ) {
        for barrier in entries {
            let entry = Entry {
                scenario: of.scenario,
                list: of.list,
                barrier,
                in_fence,
            };
            if !self.entry(&entry) {
                continue;
            }
            let before = self.side(&entry, Side::Before, None);
            self.side(&entry, Side::After, before);
        }
    }

    /// Whether the entry is in good enough shape for its sides to be looked at.
    fn entry(&mut self, entry: &Entry<'_>) -> bool {
        for check in &self.checks.entry {
            if let Some(finding) = check(entry) {
                let stop = finding.severity.fails();
                self.findings.push(finding);
                if stop {
                    return false;
                }
            }
        }
        entry.has_sides()
    }

    /// The rule that found the error of this side. What the same rule already found on the other side is not said
    /// twice: the finding gets a note.
    fn side(
        &mut self,
        entry: &Entry<'_>,
        side: Side,
        known: Option<&'static Rule>,
    ) -> Option<&'static Rule> {
        let it = SideOf::new(entry, side);
        for check in &self.checks.side {
            let Some(finding) = check(&it) else { continue };
            let (rule, stop) = (finding.rule, finding.severity.fails());
            match self.findings.last_mut() {
                Some(last) if known == Some(rule) => last.notes.push(finding.message),
                _ => self.findings.push(finding),
            }
            if stop {
                return Some(rule);
            }
        }
        None
    }
}
