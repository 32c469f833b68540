//! A transition that its queue cannot make, made where the texture was used before, on a queue that can (spec: "Queue type
//! specific layouts"; "Compute Queues and `D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE`").

use super::around::CommandPlace;
use super::declared::with_option;
use super::legacy::state_of;
use super::{Candidate, Text};
use crate::api::{BarrierAccess, BarrierSync, LeafSet, ResourceState};
use crate::finding::{Finding, Source};
use crate::id::ResourceId;
use crate::order::{Moment, Of, Timeline};
use crate::pipeline::front::Prepared;
use crate::scenario::{
    Barrier, BarrierTarget, Initial, LegacyKind, Scenario, print_barrier, range_text,
    transition_text,
};

/// The transition at which a finding is, made elsewhere.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    if !matches!(finding.rule.id, "EB014" | "EB022" | "LB003") {
        return Vec::new();
    }
    let (timeline, written) = (prepared.timeline(), prepared.written());
    let Some(id) = super::resource_of(written, finding) else {
        return Vec::new();
    };
    let mut entries = timeline.touches(Of::Entries(Some(id)), ..);
    let found = entries.find_map(|touch| {
        let (_, barrier) = touch.entry()?;
        (barrier.span.start == finding.span.start).then_some((touch.moment, barrier))
    });
    let Some((moment, barrier)) = found else {
        return Vec::new();
    };
    let Some(entry) = super::entry_at(written, finding.span) else {
        return Vec::new();
    };
    let Some(gone) = super::deletion(source, written, finding.span) else {
        return Vec::new();
    };
    let moved = Moved {
        text: Text { source },
        written,
        barrier,
        legacy: entry.legacy(written).map(|legacy| &legacy.kind),
        gone,
    };
    match last_use(&timeline, id, moment) {
        Some(last) => moved.after(&last),
        None => moved.at_creation(id).into_iter().collect(),
    }
}

/// The last command before a moment that uses a resource, in a submission that is over then.
struct LastUse {
    place: CommandPlace,
    stages: LeafSet,
    access: BarrierAccess,
}

fn last_use(timeline: &Timeline<'_>, id: ResourceId, moment: Moment) -> Option<LastUse> {
    let own = timeline.submission_of(moment.node);
    let earlier = timeline.touches(Of::Uses(id), ..moment);
    let last = earlier.rev().find(|touch| {
        let over = timeline.submission_of(touch.moment.node);
        touch.used().is_some() && timeline.happens_before(over, own)
    })?;
    let at = last.moment;
    let uses = timeline.touches(Of::Uses(id), at..=at);
    let (stages, access) = uses.filter_map(|touch| touch.used()).fold(
        (LeafSet::EMPTY, BarrierAccess::empty()),
        |(stages, access), used| (stages.union(used.stages), access | used.access),
    );
    Some(LastUse {
        place: last.place?,
        stages,
        access,
    })
}

struct Moved<'a> {
    text: Text<'a>,
    written: &'a Scenario,
    /// The transition, translated if it is a legacy one.
    barrier: &'a Barrier,
    legacy: Option<&'a LegacyKind>,
    gone: Candidate,
}

impl Moved<'_> {
    /// After the last use, and no longer where it is.
    fn after(&self, use_before: &LastUse) -> Vec<Candidate> {
        let (list, command) = use_before.place;
        let Some(there) = self.written.lists[list].commands.get(command as usize) else {
            return Vec::new();
        };
        let statements: Vec<String> = if let Some(kind) = self.legacy {
            self.legacy_forms(kind, state_of(use_before.access, use_before.stages))
        } else {
            let mut barrier = self.barrier.clone();
            barrier.sync_before = BarrierSync::named(use_before.stages);
            barrier.access_before = use_before.access;
            barrier.sync_after = BarrierSync::NONE;
            barrier.access_after = BarrierAccess::NO_ACCESS;
            vec![format!(
                "barrier {{ {} }}",
                print_barrier(self.written, &barrier)
            )]
        };
        let line = self.text.source.line(there.span.start);
        statements
            .into_iter()
            .filter_map(|statement| {
                let mut edits = self.gone.edits.clone();
                edits.push(self.text.after(there.span, &statement));
                let says = format!(
                    "make the transition after the last use of line {line}, on a queue that can: `{statement}`"
                );
                Some(Candidate::new(Text::in_order(edits)?, says))
            })
            .collect()
    }

    /// The legacy transition from the state that it names, or from the one that the last use needs.
    fn legacy_forms(&self, kind: &LegacyKind, used: ResourceState) -> Vec<String> {
        let Some(it) = kind.as_transition() else {
            return Vec::new();
        };
        let name = self.written.resource_name(it.resource);
        let what = format!("{name}{}", range_text(&it.range));
        let mut froms = vec![it.before, used];
        froms.dedup();
        froms
            .into_iter()
            .map(|from| {
                let transition = transition_text(&what, (from, it.after), None);
                format!("legacy {{ {transition} }}")
            })
            .collect()
    }

    /// Nothing used the texture before: it is created in the layout to which it was to go.
    fn at_creation(&self, id: ResourceId) -> Option<Candidate> {
        let resource = self.written.resource(id);
        let (word, new) = match (&resource.initial, self.legacy, &self.barrier.target) {
            (Initial::State(_), Some(LegacyKind::Transition(it)), _) => {
                ("state", format!("state {}", it.after))
            }
            (Initial::Layout(_), None, BarrierTarget::Texture(it)) => {
                ("initial", format!("initial {}", it.layout_after.name()))
            }
            _ => return None,
        };
        let mut edits = self.gone.edits.clone();
        edits.push(with_option(self.text.source, resource.span, word, &new)?);
        let name = self.written.resource_name(id);
        let says = format!("create `{name}` with `{new}`, and leave this transition out");
        Some(Candidate::new(Text::in_order(edits)?, says))
    }
}
