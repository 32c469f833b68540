//! What the fences of a scenario do in a run, and what the same timeline takes with fences of each kind.

use super::fence_kinds as kinds;
use super::{Chosen, Failure, Options, Registry, choose, front, too_long};
use crate::analyze::account::{Account, account};
use crate::finding::Source;
use crate::order::Timeline;
use crate::pipeline::trial::Bench;
use crate::sim;

/// Runs a scenario and hands its timeline and the account of its fences to `tell`. A scenario without a timeline has an
/// account too: where its values are.
///
/// # Errors
/// The findings of a text or kernel that cannot be used; or that a name or setting is unknown, or that the machine's clock does not
/// reach the end of the run.
pub fn fence_account<T>(
    source: &Source,
    registry: &Registry,
    options: &Options,
    tell: impl FnOnce(&Timeline<'_>, &Account) -> T,
) -> Result<T, Failure> {
    let prepared = front::understood(source, options)?;
    let Chosen {
        profile, lowering, ..
    } = choose(registry, prepared.written(), &source.name, options)?;
    let timeline = prepared.timeline();
    let bench = Bench::new(&profile, lowering, options);
    let trace = bench.trace(&timeline, sim::SimOptions::default());
    if trace.is_cut {
        return Err(too_long(source).into());
    }
    Ok(tell(&timeline, &account(&timeline, &trace)))
}

/// Runs a scenario with monitored, native and intra-GPU fences.
///
/// # Errors
/// As of [`fence_account`], and if there is no timeline.
pub fn fence_kinds(
    source: &Source,
    registry: &Registry,
    options: &Options,
) -> Result<Vec<kinds::Outcome>, Failure> {
    let prepared = front::understood(source, options)?;
    if prepared.written().timeline.is_none() {
        let help = "add `timeline { QUEUE execute LIST }`; without `--kinds` it is told where the values are";
        return Err(front::without_timeline(source, "there is nothing to compare", help).into());
    }
    let Chosen {
        profile, lowering, ..
    } = choose(registry, prepared.written(), &source.name, options)?;
    let outcomes = kinds::compare(prepared.plain(), Bench::new(&profile, lowering, options));
    Ok(outcomes.ok_or_else(|| too_long(source))?)
}
