//! Barriers placed by the program: what an application should have written.
//!
//! The commands and their uses say what is needed; [`place`] writes the barriers that give it, at little cost on some
//! machines. The third of the steps does not trust the first two:
//! 1. `acts.rs`, `needs.rs`, `chain.rs`, `layouts.rs`, `wishes.rs`: which barriers there must be, between which uses, in which layouts;
//! 2. `plan.rs`, `improve.rs`: where each is, tried on the machines;
//! 3. `proof.rs`, `join.rs`: the placed text is read, checked and run like any other, what is wrong or redundant in it is mended
//!    with the repairs of every other command, and what is not needed is taken away;
//! 4. `text.rs`: the barriers are edited into the text as its author wrote it.
//!
//! A text that was right is not changed to one that is not.
//!
//! Fences, lists and submissions stay as they are. Cost: one evaluation of the text for the first step, linear in the uses
//! but for the ranges that they cut; one simulation for each place that is tried.

mod acts;
mod chain;
mod exact;
mod improve;
mod join;
mod layouts;
mod needed;
mod needs;
mod plan;
mod proof;
mod text;
mod wish;
mod wishes;

use crate::analyze::{fences, names};
use crate::finding::{Finding, Source};
use crate::id::{ListId, Table};
use crate::order::Timeline;
use crate::pipeline::front::{self, Prepared};
use crate::pipeline::trial::{Bench, Took};
use crate::pipeline::{Chosen, Options, Registry, Unusable, choose};
use crate::scenario::edit::{self, EntryId};
use crate::scenario::{self, Capability, CommandKind, Scenario, StatementKind};
use crate::time::Ps;
use improve::{Score, Unplaced};
use layouts::Taste;

pub use improve::Policy;
pub use needed::Needed;

/// How barriers are placed.
#[derive(Clone)]
#[non_exhaustive]
pub struct Placing<'a> {
    /// The text's own barriers stay, and only what lacks is added.
    pub keep: bool,
    /// Show that each placed barrier is needed.
    pub proves: bool,
    /// How places are chosen.
    pub policy: Policy,
    /// Plans that are tried on the machines at most; `None` for as many as a fixed number of commands allows.
    pub tries_max: Option<usize>,
    /// Called after each try with their number; `false` ends the search with what is found.
    pub goes_on: &'a dyn Fn(usize) -> bool,
}

impl Default for Placing<'_> {
    fn default() -> Self {
        Self {
            keep: false,
            proves: false,
            policy: Policy::default(),
            tries_max: None,
            goes_on: &|_| true,
        }
    }
}

/// A scenario with its barriers placed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Placed {
    /// The new text.
    pub source: Source,
    /// What the text cost as it was written, and what it costs now.
    pub written: Count,
    /// What the placed text has.
    pub placed: Count,
    /// Makespans on each machine that was asked for.
    pub prices: Vec<Price>,
    /// Why each barrier is there, if that was asked for.
    pub needed: Vec<Needed>,
    /// Plans that were tried on the machines.
    pub tries: usize,
    /// Errors and hazards of the placed text, which no barrier mends. The text as it was had some, too.
    pub left: Vec<Finding>,
}

/// Barriers of a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Count {
    /// Calls of `Barrier()` or `ResourceBarrier()`.
    pub calls: usize,
    /// Entries of these.
    pub entries: usize,
    /// Whether the text has no error and no hazard.
    pub is_clean: bool,
}

/// What barriers cost on a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Price {
    /// The profile.
    pub profile: String,
    /// Makespan of the text as it was written.
    pub written: Option<Ps>,
    /// Makespan of the placed text.
    pub placed: Option<Ps>,
    /// Makespan without any barrier: what must come after other work runs next to it.
    pub unbarred: Option<Ps>,
}

/// Machines that plans are tried on, each with its driver.
struct Machines<'a> {
    each: Vec<Chosen>,
    /// As the profiles were asked for.
    names: &'a [String],
    options: &'a Options,
    /// What the text takes as it was written, if it is right.
    limit_ps: Option<u64>,
}

impl<'a> Machines<'a> {
    /// Those that are asked for, or the one of a plain run.
    fn new(
        source: &Source,
        profiles: &'a [String],
        registry: &Registry,
        options: &'a Options,
        scenario: &Scenario,
    ) -> Result<Self, Unusable> {
        let on = |name: Option<&String>| {
            let mut options = options.clone();
            options.profile = name.cloned().or(options.profile);
            choose(registry, scenario, &source.name, &options)
        };
        let each: Vec<Chosen> = if profiles.is_empty() {
            vec![on(None)?]
        } else {
            let each = profiles.iter().map(|name| on(Some(name)));
            each.collect::<Result<_, _>>()?
        };
        Ok(Self {
            each,
            names: profiles,
            options,
            limit_ps: None,
        })
    }

    /// What the written, the placed and the bare scenario take on each.
    fn prices(&self, [written, placed, bare]: [&Scenario; 3]) -> Vec<Price> {
        let price = |machine: &Chosen| {
            let makespan = |it: &Scenario| self.took(machine, it).map(|took| took.makespan);
            Price {
                profile: machine.profile.name.clone(),
                written: makespan(written),
                placed: makespan(placed),
                unbarred: makespan(bare),
            }
        };
        self.each.iter().map(price).collect()
    }

    fn took(&self, machine: &Chosen, scenario: &Scenario) -> Option<Took> {
        Bench::new(&machine.profile, machine.lowering, self.options).run(scenario)
    }

    /// The sum over all machines; `None` if a run does not end.
    fn makespan(&self, scenario: &Scenario) -> Option<u64> {
        let each = self.each.iter().map(|machine| self.took(machine, scenario));
        each.map(|took| Some(took?.makespan.0)).sum()
    }
}

/// Places the barriers of a text for some profiles; with none named, for that of the options, of the text or of the registry.
///
/// # Errors
/// If the text is not understood, a name is unknown, or uses contradict each other.
pub fn place(
    source: &Source,
    profiles: &[String],
    registry: &Registry,
    options: &Options,
    placing: &Placing<'_>,
) -> Result<Placed, Unusable> {
    let prepared = front::runnable(source, options)?;
    let original = prepared.written().clone();
    check_before(source, &prepared, placing)?;
    let mut machines = Machines::new(source, profiles, registry, options, &original)?;
    let bare = if placing.keep {
        original.clone()
    } else {
        let bare = without_barriers(original.clone(), true);
        crate::legacy::translate(&bare).into_owned()
    };
    let was_clean = proof::left_in(source, options).is_empty();
    machines.limit_ps = was_clean.then(|| machines.makespan(&original)).flatten();
    let (written, tries) =
        improve::best(&bare, &machines, placing).map_err(|it| unplaced(&it, source, &bare))?;
    let proved =
        |it: &Scenario| proof::proved(source, (it, !placing.keep), &machines, registry, placing);
    let mut last = proved(&written)?;
    if was_clean && placing.policy == Policy::Search && !placing.keep && !is_legacy(&original) {
        // The text's own barriers, without what is too much of them.
        let own = proved(&original)?;
        let rank = |it: &Scenario| (proof::weight(it, options.rules), Score::of(it, &machines));
        if rank(&own) < rank(&last) {
            last = own;
        }
    }
    check_after(source, &original, &last)?;
    let placed_text = Source::new(source.name.clone(), text::of(source, &last));
    let left = proof::left_in(&placed_text, options);
    if let Some(first) = left.first().filter(|_| was_clean) {
        let (rule, message) = (first.rule.id, &first.message);
        return Err(Unusable::new(
            format!("no barriers were found without a mistake: {rule}: {message}"),
            "the text's own barriers are right: they stay",
        ));
    }
    Ok(Placed {
        written: count(&original, options),
        placed: count(&last, options),
        needed: if placing.proves {
            needed::each(&placed_text, options.rules)
        } else {
            Vec::new()
        },
        source: placed_text,
        prices: machines.prices([&original, &last, &bare]),
        tries,
        left,
    })
}

/// What makes a text unfit before anything is tried.
fn check_before(
    source: &Source,
    prepared: &Prepared<'_>,
    placing: &Placing<'_>,
) -> Result<(), Unusable> {
    if let Some(stuck) = stuck(prepared) {
        let line = source.line(stuck.span.start);
        return Err(Unusable::new(
            format!("nothing is placed: line {line}: {}", stuck.message),
            "barriers are placed around fences that let everything run",
        ));
    }
    if placing.keep && is_legacy(prepared.written()) {
        return Err(Unusable::new(
            "legacy barriers cannot be kept next to placed ones",
            "`syncscope translate` makes enhanced ones of them first",
        ));
    }
    Ok(())
}

/// What makes placed barriers unfit for a text.
fn check_after(source: &Source, original: &Scenario, placed: &Scenario) -> Result<(), Unusable> {
    let has_enhanced = placed.device.has(Capability::EnhancedBarriers);
    if !has_enhanced && (is_legacy(original) || edit::entries(placed).next().is_some()) {
        return Err(Unusable::new(
            "the device has no enhanced barriers, and no others are placed",
            "take `capability enhanced-barriers off` out of the text",
        ));
    }
    let (as_read, _) = scenario::parse(source);
    if !text::has_same_commands(&as_read, placed) {
        return Err(Unusable::new(
            "a signal barrier and its wait barrier are in one list, where they are a split barrier",
            "write the two halves as `barrier`, with `SPLIT`",
        ));
    }
    Ok(())
}

/// The words for a search that has no plan.
fn unplaced(why: &Unplaced, source: &Source, bare: &Scenario) -> Unusable {
    match why {
        Unplaced::Contradiction(it) => contradiction(bare, it),
        Unplaced::TooMany(count) => Unusable::new(
            format!("`{}` has {count} plans, too many to try each", source.name),
            format!(
                "`exact` tries up to {}; `search` has no limit",
                exact::PLANS_MAX
            ),
        ),
    }
}

/// The words for uses that no barrier can serve.
fn contradiction(scenario: &Scenario, it: &wishes::Contradiction) -> Unusable {
    let timeline = Timeline::new(scenario);
    let resource = scenario.resources.name(it.resource);
    let second = names::named(&timeline, it.second);
    if it.first == Some(it.second) {
        return Unusable::new(
            format!("no layout of `{resource}` allows everything that {second} does with it"),
            "a subresource has one layout at a time: use a copy of it, or other subresources",
        );
    }
    let message = match (it.first, it.layouts.is_empty()) {
        (_, true) => {
            format!("no layout of `{resource}` allows what {second} does with it on its queue")
        }
        (Some(first), false) => format!(
            "`{resource}` cannot be changed between {} and {second}",
            names::named(&timeline, first)
        ),
        (None, false) => {
            format!(
                "`{resource}` cannot be changed before {second} from the layout in which it is created"
            )
        }
    };
    Unusable::new(
        message,
        if it.layouts.is_empty() {
            "give it the creation flag of the access, or use it on a queue that has the access"
        } else {
            "a barrier must be on a queue that may name both layouts, with everything before it \
             over; add a fence, or a list on such a queue between the two"
        },
    )
}

/// Rules of waits that never end.
const ENDLESS: [&str; 4] = ["FN101", "FN102", "FN106", "FN107"];

/// The first wait that never ends.
fn stuck(prepared: &Prepared<'_>) -> Option<Finding> {
    let found = fences::findings(&prepared.timeline());
    let is_endless = |it: &Finding| it.severity.fails() && ENDLESS.contains(&it.rule.id);
    found.into_iter().find(is_endless)
}

/// Commands of the lists of a scenario.
fn commands(scenario: &Scenario) -> usize {
    scenario.lists.iter().map(|list| list.commands.len()).sum()
}

/// A scenario without the barriers of its lists; of those that are executed, or of all.
fn without_barriers(mut scenario: Scenario, only_executed: bool) -> Scenario {
    let mut is_executed = Table::filled(scenario.lists.len(), !only_executed);
    for statement in scenario.timeline.iter().flat_map(|it| &it.statements) {
        statement.for_each(&mut |it| {
            if let StatementKind::Execute { lists, .. } = &it.kind {
                for list in lists {
                    is_executed[*list] = true;
                }
            }
        });
    }
    let ids: Vec<ListId> = scenario.lists.ids().collect();
    for id in ids.into_iter().filter(|id| is_executed[*id]) {
        // What is said above a barrier is said above what comes next.
        let mut said: Vec<String> = Vec::new();
        scenario.lists[id].commands.retain_mut(|it| {
            if it.kind.is_barrier_call() {
                said.extend(text::said_above(it));
                return false;
            }
            text::say_above(it, &mut said);
            true
        });
    }
    scenario
}

/// Whether a scenario has legacy barriers.
fn is_legacy(scenario: &Scenario) -> bool {
    let mut commands = scenario.lists.iter().flat_map(|list| &list.commands);
    commands.any(|it| matches!(it.kind, CommandKind::Legacy(_)))
}

/// Barrier calls of a scenario, and their entries.
fn counted(scenario: &Scenario) -> (usize, usize) {
    let entries: Vec<EntryId> = edit::entries(scenario).collect();
    let mut calls: Vec<_> = entries.iter().map(|it| (it.list, it.command)).collect();
    calls.dedup();
    (calls.len(), entries.len())
}

fn count(scenario: &Scenario, options: &Options) -> Count {
    let (calls, entries) = counted(scenario);
    let wrong = proof::wrong(&Prepared::edited(scenario), options.rules);
    Count {
        calls,
        entries,
        is_clean: !wrong.iter().any(|it| it.severity.fails()),
    }
}
