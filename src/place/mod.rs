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
//! `bound.rs` says what no barriers can go below.
//!
//! A text that was right is not changed to one that is not.
//!
//! Lists and submissions stay as they are, and so do fences, unless `fences.rs` is asked for them. Cost: one evaluation of the text for the first step, linear in the uses
//! but for the ranges that they cut; one simulation for each place that is tried.

mod acts;
mod bound;
mod chain;
mod exact;
mod fences;
mod improve;
mod join;
mod layouts;
mod needed;
mod needs;
mod plan;
mod proof;
mod states;
mod text;
mod wish;
mod wishes;

use crate::analyze::{self, names};
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
use serde::Serialize;

pub use fences::Fences;
pub use improve::Policy;
pub use needed::Needed;

/// Whose barriers are written.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Style {
    /// Enhanced barriers: `Barrier()`.
    #[default]
    Enhanced,
    /// Barriers of resource states: `ResourceBarrier()`.
    Legacy,
}

/// How barriers are placed.
#[derive(Clone)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Placing<'a> {
    /// The text's own barriers stay, and only what lacks is added.
    pub keep: bool,
    /// Whose barriers are written.
    pub style: Style,
    /// Add fences that lack, and drop and move waits of queues that nothing needs, or needs so early.
    pub fences: bool,
    /// Of several machines the longest time counts, not the sum of their times.
    pub worst: bool,
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
            style: Style::default(),
            fences: false,
            worst: false,
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
    /// What became of the fences, if these were to be placed, too.
    pub fences: Fences,
    /// Plans that were tried on the machines.
    pub tries: usize,
    /// Errors and hazards of the placed text, which no barrier mends. The text as it was had some, too.
    pub left: Vec<Finding>,
}

/// Barriers of a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CountRow"))]
#[non_exhaustive]
pub struct Count {
    /// Barrier calls.
    pub calls: usize,
    /// Entries of these calls.
    pub entries: usize,
    /// Whether the text has no error of barriers and no hazard.
    #[serde(rename = "clean")]
    pub is_clean: bool,
}

/// What barriers cost on a profile. A time is null if the run is longer than the machine's clock counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PriceRow"))]
#[non_exhaustive]
pub struct Price {
    /// Name of the profile.
    pub profile: String,
    /// Makespan of the text as it was.
    #[serde(rename = "written_ps")]
    pub written: Option<Ps>,
    /// Makespan of the placed text.
    #[serde(rename = "placed_ps")]
    pub placed: Option<Ps>,
    /// Makespan without any barrier, in which work that must come after other work may run next to it.
    #[serde(rename = "unbarred_ps")]
    pub unbarred: Option<Ps>,
    /// What no barriers can go below: the longest chain of work that is needed, or all work of a part of the machine. Null of a
    /// run with a GPU timeout.
    #[serde(rename = "bound_ps")]
    pub bound: Option<Ps>,
}

/// Machines that plans are tried on, each with its driver.
struct Machines<'a> {
    each: Vec<Chosen>,
    /// As the profiles were asked for.
    names: &'a [String],
    options: &'a Options,
    /// The longest time counts, not the sum.
    is_worst: bool,
    /// What the text takes as it was written, if it is right.
    limit_ps: Option<u64>,
}

impl<'a> Machines<'a> {
    /// Those that are asked for, or the one of a plain run.
    fn new(
        source: &Source,
        profiles: &'a [String],
        registry: &Registry,
        (options, is_worst): (&'a Options, bool),
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
            is_worst,
            limit_ps: None,
        })
    }

    /// What the written, the placed and the bare scenario take on each.
    fn prices(&self, [written, placed, bare]: [&Scenario; 3]) -> Vec<Price> {
        let prepared = Prepared::edited(bare);
        let timeline = prepared.timeline();
        let price = |machine: &Chosen| {
            let makespan = |it: &Scenario| self.took(machine, it).map(|took| took.makespan);
            Price {
                profile: machine.profile.name.clone(),
                written: makespan(written),
                placed: makespan(placed),
                unbarred: makespan(bare),
                bound: bound::least(&timeline, &self.bench(machine).lower(&timeline)),
            }
        };
        self.each.iter().map(price).collect()
    }

    fn bench<'m>(&'m self, machine: &'m Chosen) -> Bench<'m> {
        Bench::new(&machine.profile, machine.lowering, self.options)
    }

    fn took(&self, machine: &Chosen, scenario: &Scenario) -> Option<Took> {
        self.bench(machine).run(scenario)
    }

    /// The sum over all machines, or the longest; `None` if a run does not end.
    fn makespan(&self, scenario: &Scenario) -> Option<u64> {
        let join = |one: u64, other: u64| {
            if self.is_worst {
                one.max(other)
            } else {
                one.saturating_add(other)
            }
        };
        let mut each = self.each.iter().map(|machine| self.took(machine, scenario));
        each.try_fold(0, |all, took| Some(join(all, took?.makespan.0)))
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
    let around = |source: &Source| around_fences(source, profiles, registry, options, placing);
    let mut fences = Fences::default();
    let (mut found, mut machines) = around(source).or_else(|what| {
        // What cannot be changed between two uses may lack a fence.
        let lacking = placing.fences.then(|| fences::lacking(source, options));
        let (text, added) = lacking.flatten().ok_or(what)?;
        fences.added = added;
        around(&text)
    })?;
    let (original, was_clean, mut tries) = (found.original, found.was_clean, found.tries);
    if placing.fences {
        if let Some((text, added)) = fences::lacking(&found.text, options) {
            (found, machines) = around(&text)?;
            fences.added += added;
            tries += found.tries;
        }
        found.text = fences::thinned(&found.text, &machines, &mut fences);
    }
    let left = proof::left_in(&found.text, options);
    let (last, _) = scenario::parse(&found.text);
    Ok(Placed {
        written: count(&original, was_clean),
        placed: count(&last, left.is_empty()),
        needed: if placing.proves {
            needed::each(&found.text, options.rules)
        } else {
            Vec::new()
        },
        prices: machines.prices([&original, &last, &found.unbarred]),
        source: found.text,
        fences,
        tries,
        left,
    })
}

/// A text with its barriers placed around the fences that it has.
struct Found {
    text: Source,
    original: Scenario,
    was_clean: bool,
    /// Without any barrier.
    unbarred: Scenario,
    tries: usize,
}

fn around_fences<'a>(
    source: &Source,
    profiles: &'a [String],
    registry: &Registry,
    options: &'a Options,
    placing: &Placing<'_>,
) -> Result<(Found, Machines<'a>), Unusable> {
    let prepared = front::runnable(source, options)?;
    let original = prepared.written().clone();
    check_before(source, &prepared, placing)?;
    let mut machines = Machines::new(
        source,
        profiles,
        registry,
        (options, placing.worst),
        &original,
    )?;
    let unbarred = without_barriers(original.clone(), true);
    let unbarred = crate::legacy::translate(&unbarred).into_owned();
    let bare = if placing.keep { &original } else { &unbarred };
    let was_clean = proof::left_in(source, options).is_empty();
    machines.limit_ps = was_clean.then(|| machines.makespan(&original)).flatten();
    let (written, tries) =
        improve::best(bare, &machines, placing).map_err(|it| unplaced(&it, source, bare))?;
    let is_stated = placing.style == Style::Legacy;
    let mut last = written;
    if !is_stated {
        let is_rival = was_clean && placing.policy == Policy::Search && !is_legacy(&original);
        let rival = (is_rival && !placing.keep).then_some(&original);
        let proved = |it: &Scenario| {
            proof::proved(source, (it, !placing.keep), &machines, registry, placing)
        };
        last = proved(&last)?;
        // The text's own barriers, without what is too much of them.
        if let Some(own) = rival.map(proved).transpose()? {
            let rank = |it: &Scenario| (proof::weight(it, options.rules), Score::of(it, &machines));
            if rank(&own) < rank(&last) {
                last = own;
            }
        }
    }
    // Nobody knows what a list is for that nothing executes.
    for (id, _) in executed(&original).pairs().filter(|(_, it)| !**it) {
        last.lists[id]
            .commands
            .clone_from(&original.lists[id].commands);
    }
    check_after(source, (&original, is_stated), &last)?;
    let text = Source::new(source.name.clone(), text::of(source, &last));
    check_text(&text, options, (was_clean, is_stated))?;
    let found = Found {
        text,
        original,
        was_clean,
        unbarred,
        tries,
    };
    Ok((found, machines))
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
    if placing.keep && placing.style == Style::Legacy {
        return Err(Unusable::new(
            "barriers that stay cannot be next to placed legacy ones",
            "place all of them, or keep enhanced ones",
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
fn check_after(
    source: &Source,
    (original, is_stated): (&Scenario, bool),
    placed: &Scenario,
) -> Result<(), Unusable> {
    let has_enhanced = placed.device.has(Capability::EnhancedBarriers);
    if !has_enhanced
        && !is_stated
        && (is_legacy(original) || edit::entries(placed).next().is_some())
    {
        return Err(Unusable::new(
            "the device has no enhanced barriers",
            "`--style legacy` places others; or take `capability enhanced-barriers off` out of the text",
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

/// What makes a text with placed barriers unfit: it was right before, or states do not say what is needed.
fn check_text(
    text: &Source,
    options: &Options,
    (was_clean, is_stated): (bool, bool),
) -> Result<(), Unusable> {
    let left = proof::left_in(text, options);
    let mut left = left.iter();
    let Some(first) = left.find(|it| was_clean || is_stated && !is_race(it)) else {
        return Ok(());
    };
    let (what, help) = if is_stated {
        (
            "resource states",
            "enhanced barriers may do what states cannot: leave `--style legacy` out",
        )
    } else {
        ("barriers", "the text's own barriers are right: they stay")
    };
    let (rule, message) = (first.rule.id, &first.message);
    Err(Unusable::new(
        format!("no {what} were found without a mistake: {rule}: {message}"),
        help,
    ))
}

/// Whether uses of two queues race, which no barrier mends.
fn is_race(finding: &Finding) -> bool {
    finding.severity.fails() && finding.rule.id.starts_with("HZ2")
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
    let found = analyze::fences::findings(&prepared.timeline());
    let is_endless = |it: &Finding| it.severity.fails() && ENDLESS.contains(&it.rule.id);
    found.into_iter().find(is_endless)
}

/// Commands of the lists of a scenario.
fn commands(scenario: &Scenario) -> usize {
    scenario.lists.iter().map(|list| list.commands.len()).sum()
}

/// Which lists the timeline executes.
fn executed(scenario: &Scenario) -> Table<ListId, bool> {
    let mut is_executed = Table::filled(scenario.lists.len(), false);
    for statement in scenario.timeline.iter().flat_map(|it| &it.statements) {
        statement.for_each(&mut |it| {
            if let StatementKind::Execute { lists, .. } = &it.kind {
                for list in lists {
                    is_executed[*list] = true;
                }
            }
        });
    }
    is_executed
}

/// A scenario without the barriers of its lists; of those that are executed, or of all.
fn without_barriers(mut scenario: Scenario, only_executed: bool) -> Scenario {
    let mut is_executed = executed(&scenario);
    if !only_executed {
        is_executed.iter_mut().for_each(|it| *it = true);
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
    let mut commands = scenario.commands();
    commands.any(|it| matches!(it.kind, CommandKind::Legacy(_)))
}

/// Barrier calls of a scenario, and their entries.
fn counted(scenario: &Scenario) -> (usize, usize) {
    let entries: Vec<EntryId> = edit::entries(scenario).collect();
    let mut calls: Vec<_> = entries.iter().map(|it| (it.list, it.command)).collect();
    calls.dedup();
    (calls.len(), entries.len())
}

fn count(scenario: &Scenario, is_clean: bool) -> Count {
    let (calls, entries) = counted(scenario);
    Count {
        calls,
        entries,
        is_clean,
    }
}
