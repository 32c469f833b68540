//! Parts of a program that may be taken away.

use crate::api::{BarrierAccess, BarrierSync};
use crate::id::ListId;
use crate::scenario::edit;
use crate::scenario::{
    self, BarrierTarget, Command, CommandKind, Placement, ResourceKind, Scenario, StatementKind,
};

/// A way to take something away; `false` if there is no such part.
pub(super) type Cut = Box<dyn Fn(&mut Scenario) -> bool>;

/// The ways to take away parts of one kind.
pub(super) type Cuts = fn(&Scenario) -> Vec<Cut>;

/// What may be taken away, in the order in which it is tried.
pub(super) const PARTS: [(&str, Cuts); 7] = [
    ("statements", statements),
    ("commands", commands),
    ("barrier entries", entries),
    ("uses", uses),
    ("bits and ranges", bits),
    ("options", options),
    ("sizes, flags and places", shapes),
];

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
    for (list, recorded) in scenario.lists.pairs() {
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
fn on_command(list: ListId, at: usize, act: impl Fn(&mut Command) -> bool + 'static) -> Cut {
    cut(move |scenario| {
        let command = scenario.lists[list].commands.get_mut(at);
        command.is_some_and(&act)
    })
}

/// Every command with its place.
fn recorded(scenario: &Scenario) -> impl Iterator<Item = (ListId, usize, &Command)> {
    scenario.lists.pairs().flat_map(|(list, recorded)| {
        let commands = recorded.commands.iter().enumerate();
        commands.map(move |(at, command)| (list, at, command))
    })
}

/// Entries of barriers.
fn entries(scenario: &Scenario) -> Vec<Cut> {
    let cuts =
        edit::entries(scenario).map(|entry| cut(move |scenario| edit::take(scenario, entry)));
    cuts.collect()
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
    for (entry, barrier) in edit::barriers(scenario) {
        let mut on_entry = |act: Box<dyn Fn(&mut scenario::BarrierFields) -> bool>| {
            cuts.push(cut(move |scenario| {
                entry.of_mut(scenario).is_some_and(|barrier| act(barrier))
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
            BarrierTarget::Texture(entry) => {
                let whole = scenario::BarrierRange::Range(scenario::Range::All);
                let has = entry.range != whole;
                entry.range = whole;
                has
            }
            _ => false,
        }));
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
    for at in scenario.resources.ids() {
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
