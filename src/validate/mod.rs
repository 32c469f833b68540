//! Legality: what D3D12's debug layer would refuse, decided only from the scenario's text.
//!
//! Every list's commands are walked once; each barrier entry, use and declaration is shown to the rules that look at
//! its kind. Nothing here knows a machine, and nothing is changed. This reads the scenario as written: `LB` rules look
//! at its legacy entries, `EB` rules at its enhanced ones. The timeline, which has legacy entries translated, says what
//! executes when.
//!
//! One mistake is one finding: rules are asked in a fixed order, from the shape of an entry to its finer points, and
//! the first error of an entry or of one of its sides is the only one. Warnings stop nothing.

#[allow(
    unreachable_pub,
    reason = "a rule's file reads the same wherever it is"
)]
pub(crate) mod eb;
mod entry;
#[allow(
    unreachable_pub,
    reason = "a rule's file reads the same wherever it is"
)]
pub(crate) mod fences;
mod halves;
#[allow(
    unreachable_pub,
    reason = "a rule's file reads the same wherever it is"
)]
pub(crate) mod lb;
mod possible;
pub mod state;

pub use crate::api::compat::RuleSet;
pub use entry::{BarrierEntry, CommandOf, LegacyEntry, SideOf, UseOf};
pub use fences::{FenceActor, FenceUse};

use crate::api::{BarrierAccess, BarrierSide, QueueType};
use crate::finding::{Finding, Rule, Span};
use crate::id::{FenceId, ListId, ResourceId, Table, narrow};
use crate::legacy;
use crate::lookup::LookupSet;
use crate::order::Timeline;
use crate::scenario::{
    Barrier, BarrierFields, CommandKind, List, Scenario, Statement, StatementKind, Use,
};
use state::{Before, RefusedEntries};
use std::sync::Arc;

/// One thing that a rule looks at, with the function that does. `None` is: nothing wrong.
#[derive(Copy, Clone)]
pub enum Check {
    /// A barrier entry as a whole.
    Entry(fn(&BarrierEntry<'_>) -> Option<Finding>),
    /// One side of a barrier entry whose shape is right.
    Side(fn(&SideOf<'_>) -> Option<Finding>),
    /// A command against the type of its list: whatever it finds, the command takes part in everything else.
    OnList(fn(&CommandOf<'_>) -> Vec<Finding>),
    /// A command.
    Command(fn(&CommandOf<'_>) -> Option<Finding>),
    /// A use of a resource by a command.
    Use(fn(&UseOf<'_>) -> Option<Finding>),
    /// An entry whose shape and before side are right, with what is known of its subresources at that point.
    Before(fn(&Before<'_, '_, '_>) -> Option<Finding>),
    /// A legacy entry.
    Legacy(fn(&LegacyEntry<'_>) -> Option<Finding>),
    /// A declared resource.
    Resource(fn(&Scenario, ResourceId) -> Option<Finding>),
    /// A declared fence.
    Fence(fn(&Scenario, FenceId) -> Option<Finding>),
    /// A signal of a fence, or a wait for it. Those of a fence whose declaration is wrong are not shown.
    FenceUse(fn(&FenceUse<'_>) -> Option<Finding>),
    /// A statement of the timeline.
    Statement(fn(&Scenario, &Statement) -> Option<Finding>),
    /// A list as a whole.
    List(fn(&Scenario, &List) -> Vec<Finding>),
}

/// A rule with everything that it looks at.
pub struct ValidationRule {
    /// The rule.
    pub rule: &'static Rule,
    /// What it looks at.
    pub checks: &'static [Check],
}

impl ValidationRule {
    /// A rule that looks at something.
    pub(crate) const fn new(rule: &'static Rule, checks: &'static [Check]) -> Self {
        Self { rule, checks }
    }
}

/// Rules of this layer, by family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let mut all: Vec<_> = static_rules()
        .map(|rule| rule.rule)
        .chain(state::RULES.iter().copied())
        .chain(lb::TRACKED.iter().copied())
        .collect();
    all.sort_by_key(|rule| rule.id);
    all.into_iter()
}

/// Whether a rule says that a call or group has no entries.
pub fn is_of_empty_group(rule: &Rule) -> bool {
    rule.id == eb::empty_group::RULE.id
}

/// Rules that need nothing but one entry, one side, one use or one declaration, in asking order.
fn static_rules() -> impl Iterator<Item = &'static ValidationRule> {
    eb::RULES
        .iter()
        .chain(lb::RULES)
        .chain(fences::RULES)
        .copied()
}

/// A scenario without legacy barriers, as these act: each transition whose `StateBefore` is wrong with the state that is known in
/// its place (reading R72), so that nothing is found which follows from the wrong word only.
///
/// `literal` is the scenario with its legacy barriers as they say.
pub(crate) fn mended(scenario: &Scenario, literal: Scenario) -> Scenario {
    let mended = lb::mended(scenario, &Timeline::new(&literal));
    match (&mended.copy, mended.otherwise.is_empty()) {
        (None, true) => literal,
        (copy, _) => {
            let copy = copy.as_ref().unwrap_or(scenario);
            legacy::translate_otherwise(copy, &mended.otherwise)
        }
    }
}

/// Every finding of legality in a scenario: declarations first, then lists as written, then what executes.
///
/// The timeline is that of the same scenario with its legacy entries translated: lists and commands have the same
/// ids and indices in both.
pub fn validate(scenario: &Scenario, timeline: &Timeline<'_>, rules: RuleSet) -> Vec<Finding> {
    findings(scenario, timeline, rules, false)
}

/// The same, with a finding for each subresource where [`validate`] names the first: for comparison with an edited copy.
pub fn validate_unfolded(
    scenario: &Scenario,
    timeline: &Timeline<'_>,
    rules: RuleSet,
) -> Vec<Finding> {
    findings(scenario, timeline, rules, true)
}

fn findings(
    scenario: &Scenario,
    timeline: &Timeline<'_>,
    rules: RuleSet,
    unfolded: bool,
) -> Vec<Finding> {
    let (mut findings, refused_entries) = stateless(scenario, rules);
    halves::tell_once(scenario, &mut findings);
    let failing = findings.iter().filter(|f| f.severity.fails());
    let wrong_alone: LookupSet<Span> = failing.map(|f| f.span).collect();
    let refused = &refused_entries;
    findings.extend(state::findings(
        scenario,
        timeline,
        rules,
        (refused, unfolded),
    ));
    halves::tell_the_wrong_one(scenario, rules, &wrong_alone, &mut findings);
    let legacy = lb::findings(scenario, timeline);
    let refused = lb::refused_uses(&legacy);
    if !refused.is_empty() {
        let warning = eb::use_outside_known_access::RULE.id;
        // One mistake is one finding: the legacy state says it.
        findings.retain(|f| f.rule.id != warning || refused.binary_search(&f.span).is_err());
    }
    // The same of an enhanced barrier on a legacy state: nothing else that is known of the subresource counts.
    let on_legacy_state = lb::on_legacy_states(&legacy);
    if !on_legacy_state.is_empty() {
        findings.retain(|f| {
            !(compares_with_known(f.rule) && on_legacy_state.binary_search(&f.span).is_ok())
        });
    }
    findings.extend(legacy);
    possible::soften(scenario, &mut findings);
    findings
}

/// Whether a rule holds an entry against what is known of its subresources.
fn compares_with_known(rule: &Rule) -> bool {
    let rules = [
        &eb::layout_before_mismatch::RULE,
        &eb::access_before_mismatch::RULE,
        &eb::sequential_sync::RULE,
    ];
    rules.iter().any(|known| known.id == rule.id)
}

/// Whether an entry of a list breaks a rule by itself, whatever comes before it.
pub fn is_wrong_alone(scenario: &Scenario, list: &List, barrier: &Barrier, rules: RuleSet) -> bool {
    let mut driver = Driver::new(scenario, rules);
    let entry = BarrierEntry {
        scenario,
        queue: list.queue_type,
        barrier,
        in_fence: false,
        rules,
    };
    if driver.entry(&entry) {
        let before = driver.side(&entry, BarrierSide::Before, None);
        driver.side(&entry, BarrierSide::After, before);
    }
    driver.findings.iter().any(|f| f.severity.fails())
}

/// What can be decided from one entry, one side, one use or one declaration.
fn stateless(scenario: &Scenario, rules: RuleSet) -> (Vec<Finding>, RefusedEntries) {
    let mut driver = Driver::new(scenario, rules);
    for id in scenario.resources.ids() {
        driver.first(|c| first_of(c.resource.iter().map(|check| check(scenario, id))));
    }
    for id in scenario.fences.ids() {
        driver.fence(id);
    }
    for (id, list) in scenario.lists.pairs() {
        for at in 0..list.commands.len() {
            driver.command(id, at);
        }
        let found = driver
            .checks
            .list
            .iter()
            .flat_map(|check| check(scenario, list));
        let found: Vec<Finding> = found.collect();
        driver.findings.extend(found);
    }
    if let Some(timeline) = &scenario.timeline {
        driver.statements(&timeline.statements);
    }
    (driver.findings, driver.refused_entries)
}

/// Checks by what they look at, in the rules' order.
#[derive(Default)]
struct Checks {
    entry: Vec<fn(&BarrierEntry<'_>) -> Option<Finding>>,
    side: Vec<fn(&SideOf<'_>) -> Option<Finding>>,
    on_list: Vec<fn(&CommandOf<'_>) -> Vec<Finding>>,
    command: Vec<fn(&CommandOf<'_>) -> Option<Finding>>,
    uses: Vec<fn(&UseOf<'_>) -> Option<Finding>>,
    legacy: Vec<fn(&LegacyEntry<'_>) -> Option<Finding>>,
    resource: Vec<fn(&Scenario, ResourceId) -> Option<Finding>>,
    fence: Vec<fn(&Scenario, FenceId) -> Option<Finding>>,
    fence_use: Vec<fn(&FenceUse<'_>) -> Option<Finding>>,
    list: Vec<fn(&Scenario, &List) -> Vec<Finding>>,
    statement: Vec<fn(&Scenario, &Statement) -> Option<Finding>>,
}

/// What the first check says that finds something.
fn first<T>(checks: &[fn(&T) -> Option<Finding>], it: &T) -> Option<Finding> {
    first_of(checks.iter().map(|check| check(it)))
}

/// The first thing found that is wrong; if nothing is, the first warning or piece of advice.
fn first_of(found: impl Iterator<Item = Option<Finding>>) -> Option<Finding> {
    let mut mild = None;
    // Nearly every check finds nothing, and a finding is large: only one that is there is moved.
    for finding in found.flatten() {
        if finding.severity.fails() {
            return Some(finding);
        }
        mild.get_or_insert(finding);
    }
    mild
}

struct Driver<'s> {
    scenario: &'s Scenario,
    rules: RuleSet,
    checks: Checks,
    /// Entries whose shape or before side is wrong.
    refused_entries: RefusedEntries,
    /// Fences whose declaration is wrong.
    refused: Vec<FenceId>,
    /// Per resource, the accesses of uses without a finding.
    sound: Table<ResourceId, BarrierAccess>,
    /// Entries without a finding: a program records the same few over and over.
    alike: LookupSet<Alike<'s>>,
    findings: Vec<Finding>,
}

/// Entries that are remembered as having no finding; then remembering begins again.
const ALIKE_MAX: usize = 1 << 16;

/// What the rules go by when they are shown an entry; its place in the text is none of it.
#[derive(PartialEq, Eq, Hash)]
struct Alike<'s> {
    fields: &'s BarrierFields,
    queue: QueueType,
    in_fence: bool,
}

impl<'s> Driver<'s> {
    fn new(scenario: &'s Scenario, rules: RuleSet) -> Self {
        let mut checks = Checks::default();
        for check in static_rules().flat_map(|rule| rule.checks) {
            match *check {
                Check::Entry(f) => checks.entry.push(f),
                Check::Side(f) => checks.side.push(f),
                Check::OnList(f) => checks.on_list.push(f),
                Check::Command(f) => checks.command.push(f),
                Check::Use(f) => checks.uses.push(f),
                Check::Before(_) => {}
                Check::Legacy(f) => checks.legacy.push(f),
                Check::Resource(f) => checks.resource.push(f),
                Check::Fence(f) => checks.fence.push(f),
                Check::FenceUse(f) => checks.fence_use.push(f),
                Check::List(f) => checks.list.push(f),
                Check::Statement(f) => checks.statement.push(f),
            }
        }
        Self {
            scenario,
            rules,
            checks,
            refused_entries: RefusedEntries::default(),
            refused: Vec::new(),
            sound: Table::filled(scenario.resources.len(), BarrierAccess::empty()),
            alike: LookupSet::default(),
            findings: Vec::new(),
        }
    }

    fn first(&mut self, find: impl Fn(&Checks) -> Option<Finding>) {
        self.findings.extend(find(&self.checks));
    }

    /// A declared fence: its mistakes are independent of each other, so each is found.
    fn fence(&mut self, id: FenceId) {
        let found = self
            .checks
            .fence
            .iter()
            .filter_map(|check| check(self.scenario, id));
        let found: Vec<Finding> = found.collect();
        if found.iter().any(|f| f.severity.fails()) {
            self.refused.push(id);
        }
        self.findings.extend(found);
    }

    fn fence_use(&mut self, it: Option<FenceUse<'_>>) {
        // An object that could not be created has no operations to refuse: one mistake is one finding.
        if let Some(it) = it.filter(|it| self.refused.binary_search(&it.id).is_err()) {
            self.first(|c| first(&c.fence_use, &it));
        }
    }

    fn statements(&mut self, statements: &'s [Statement]) {
        for statement in statements {
            if let StatementKind::Repeat { body, .. } = &statement.kind {
                self.statements(body);
                continue;
            }
            let scenario = self.scenario;
            let found =
                |c: &Checks| first_of(c.statement.iter().map(|check| check(scenario, statement)));
            self.first(found);
            self.fence_use(FenceUse::of_statement(scenario, statement));
        }
    }

    fn command(&mut self, id: ListId, index: usize) {
        let scenario = self.scenario;
        let list = &scenario.lists[id];
        let command = &list.commands[index];
        let it = CommandOf {
            scenario,
            list,
            command,
            rules: self.rules,
        };
        for check in &self.checks.on_list {
            self.findings.extend(check(&it));
        }
        let found = first(&self.checks.command, &it);
        let stop = found.is_some_and(|finding| {
            let fails = finding.severity.fails();
            self.findings.push(finding);
            fails
        });
        self.fence_use(FenceUse::of_command(scenario, command));
        match &command.kind {
            CommandKind::Barrier(entries) => self.entries(&it, (id.0, index), entries, stop),
            CommandKind::FenceBarrier { barriers, .. } => {
                self.entries(&it, (id.0, index), barriers, stop);
            }
            _ if stop => {}
            CommandKind::Legacy(entries) => {
                for barrier in entries {
                    let entry = LegacyEntry {
                        scenario,
                        list,
                        barrier,
                    };
                    self.first(|c| first(&c.legacy, &entry));
                }
            }
            _ => {
                for used in &command.uses {
                    self.used(used);
                }
            }
        }
    }

    /// A use. What had no finding once has none again: see [`UseOf`].
    fn used(&mut self, used: &Use) {
        let sound = &mut self.sound[used.resource];
        let is_single = used.access.bits().is_power_of_two();
        if is_single && sound.contains(used.access) {
            return;
        }
        let it = UseOf {
            scenario: self.scenario,
            resource: used.resource,
            access: used.access,
            span: used.span,
            rules: self.rules,
        };
        match first(&self.checks.uses, &it) {
            Some(finding) => self.findings.push(finding),
            None if is_single => *sound |= used.access,
            None => {}
        }
    }

    /// Entries of the command `at`; `stop`: the command is wrong as a whole.
    fn entries(
        &mut self,
        of: &CommandOf<'s>,
        at: (u32, usize),
        entries: &'s [Barrier],
        stop: bool,
    ) {
        for (index, barrier) in entries.iter().enumerate() {
            let entry = BarrierEntry {
                scenario: of.scenario,
                queue: of.list.queue_type,
                barrier,
                in_fence: matches!(of.command.kind, CommandKind::FenceBarrier { .. }),
                rules: of.rules,
            };
            let alike = Alike {
                fields: barrier,
                queue: entry.queue,
                in_fence: entry.in_fence,
            };
            if !stop && self.alike.contains(&alike) {
                continue;
            }
            let found = self.findings.len();
            if stop || !self.entry(&entry) {
                self.refused_entries
                    .push((at.0, narrow(at.1), narrow(index)));
                continue;
            }
            let before = self.side(&entry, BarrierSide::Before, None);
            if before.is_some() {
                self.refused_entries
                    .push((at.0, narrow(at.1), narrow(index)));
            }
            self.side(&entry, BarrierSide::After, before);
            if self.findings.len() == found {
                if self.alike.len() == ALIKE_MAX {
                    self.alike.clear();
                }
                self.alike.insert(alike);
            }
        }
    }

    /// Whether the entry is in good enough shape for its sides to be looked at.
    fn entry(&mut self, entry: &BarrierEntry<'_>) -> bool {
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
        entry: &BarrierEntry<'_>,
        side: BarrierSide,
        known: Option<&'static Rule>,
    ) -> Option<&'static Rule> {
        let it = SideOf::new(entry, side);
        let mut stopped: Option<&'static Rule> = None;
        for check in &self.checks.side {
            let Some(mut finding) = check(&it) else {
                continue;
            };
            // A scope and an access that the queue does not have are two fields, and two mistakes.
            if stopped.is_some() && finding.rule.id != eb::queue_access::RULE.id {
                continue;
            }
            let (rule, stop) = (finding.rule, finding.severity.fails());
            if stop {
                finding
                    .notes
                    .extend(self.rule_sets(entry, side).map(Arc::from));
            }
            match self.findings.last_mut() {
                Some(last) if known == Some(rule) => last.notes.push(finding.message),
                _ => self.findings.push(finding),
            }
            if stop && rule.id == eb::queue_sync::RULE.id {
                stopped = Some(rule);
            } else if stop {
                return stopped.or(Some(rule));
            }
        }
        stopped
    }

    /// Says which other rule sets find no error on this side, if any.
    fn rule_sets(&self, entry: &BarrierEntry<'_>, side: BarrierSide) -> Option<String> {
        let passes = |rules: &RuleSet| {
            let entry = BarrierEntry {
                rules: *rules,
                ..*entry
            };
            let it = SideOf::new(&entry, side);
            !self
                .checks
                .side
                .iter()
                .any(|check| check(&it).is_some_and(|f| f.severity.fails()))
        };
        let passing: Vec<String> = RuleSet::ALL
            .iter()
            .filter(|rules| **rules != entry.rules && passes(rules))
            .map(|rules| format!("`--rules {}`", rules.word()))
            .collect();
        (!passing.is_empty()).then(|| format!("no finding under {}", passing.join(" and ")))
    }
}
