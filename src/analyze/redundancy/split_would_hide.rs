crate::finding::rule! {
    /// **What it finds.** A barrier with independent work between the last use before it and the first use after it: a
    /// split barrier that begins after the one and ends before the other takes less time. The change is verified: in a
    /// copy with the barrier split there is no new error or hazard. The finding says how much time the split saves on
    /// the profile of the run.
    ///
    /// **Why it matters.** Between its halves a driver may wait, flush and rewrite while other work runs. A whole
    /// barrier stops that work.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.
    pub(super) static RULE = "RD110", "split-would-hide", Advice,
        "a barrier that would overlap other work if it were split";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::analyze::names;
use crate::api::BarrierSync;
use crate::id::narrow;
use crate::scenario::edit::{Change, is_split};
use crate::scenario::{Command, CommandKind};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on the profile of the run: nothing touches the resource or its aliases between the halves, both halves have the same layouts and accesses, and both are in one list",
    gain: Gain::Here,
};

/// Barriers that could begin earlier or end later.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for (entry, barrier) in look.entries() {
        let Some(id) = barrier.resource().filter(|_| Look::is_of_resource(barrier)) else {
            continue;
        };
        if is_split(barrier) {
            continue;
        }
        let commands = &look.scenario.lists[entry.list].commands;
        let at = entry.command as usize;
        let CommandKind::Barrier(call) = &commands[at].kind else {
            continue;
        };
        // Its own call must not touch the resource twice.
        let own = call.iter().filter(|e| e.resource() == Some(id)).count();
        let Some(end) = (at + 1..commands.len()).find(|c| look.touches(&commands[*c], id)) else {
            continue;
        };
        let begin = (0..at)
            .rfind(|c| look.touches(&commands[*c], id))
            .map_or(0, |last| last + 1);
        let is_work = |c: &&Command| names::is_work(c);
        let inside = commands[begin..end].iter().filter(is_work).count();
        if own > 1 || inside == 0 {
            continue;
        }
        let (mut first, mut second) = (barrier.clone(), barrier.clone());
        first.sync_after = BarrierSync::SPLIT;
        second.sync_before = BarrierSync::SPLIT;
        let changes = vec![
            Change::Insert(entry.list, narrow(end), vec![second]),
            Change::Clear(entry),
            Change::Insert(entry.list, narrow(begin), vec![first]),
        ];
        let mut proposal = look.proposal(&SAVING, entry, changes);
        proposal.message = format!(
            "if split, this barrier would overlap {inside} {} of other work",
            if inside == 1 { "command" } else { "commands" }
        );
        proposal.witness = "with this barrier split".into();
        proposal.help =
            "begin the barrier right after the last use before it, and end it right before the first use after it"
                .into();
        proposal.related = Some((
            commands[end].span,
            "the barrier could end right before this".into(),
        ));
        found.push(proposal);
    }
    found
}
