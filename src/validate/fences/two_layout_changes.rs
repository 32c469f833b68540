crate::finding::rule! {
    /// **What it finds.** Two signal barriers of one list that change the layout of the same subresources with no wait
    /// barrier on them between, or two wait barriers that do with no signal barrier between.
    ///
    /// **Why it matters.** A signal barrier begins a layout change, a wait barrier takes it up. Before the first change
    /// has been waited for, nothing says which layout the second one starts from.
    ///
    /// **Source.** Enhanced Barriers specification (preview), "Fence Barriers"; language, "Command lists".
    pub(crate) static RULE = "FN014", "two-layout-changes", Error,
        "two signal barriers that change a layout without a wait barrier between, or the mirror";
}

use crate::finding::Finding;
use crate::id::ResourceId;
use crate::order::is_same_target;
use crate::scenario::{Barrier, CommandKind, List, Scenario};
use crate::validate::{Check, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::List(check)]);

fn check(scenario: &Scenario, list: &List) -> Vec<Finding> {
    // The latest entries whose change nothing has answered, of signals and of waits.
    let mut open: [Vec<&Barrier>; 2] = [Vec::new(), Vec::new()];
    let mut found = Vec::new();
    for command in &list.commands {
        let CommandKind::FenceBarrier {
            signal, barriers, ..
        } = &command.kind
        else {
            continue;
        };
        let (own, other) = (usize::from(*signal), usize::from(!*signal));
        for entry in barriers {
            open[other].retain(|begun| !is_same_target(begun, entry));
            let Some(resource) = changed(entry) else {
                continue;
            };
            if let Some(begun) = open[own].iter().find(|begun| is_same_target(begun, entry)) {
                found.push(finding(scenario, *signal, resource, entry, begun));
            }
            open[own].push(entry);
        }
    }
    found
}

/// The texture whose layout an entry changes.
fn changed(entry: &Barrier) -> Option<ResourceId> {
    let (resource, texture) = entry.named_texture()?;
    (texture.layout_before != texture.layout_after).then_some(resource)
}

fn finding(
    scenario: &Scenario,
    signal: bool,
    resource: ResourceId,
    entry: &Barrier,
    begun: &Barrier,
) -> Finding {
    let name = scenario.resource_name(resource);
    let (own, other) = if signal {
        ("signal", "wait")
    } else {
        ("wait", "signal")
    };
    let message = format!(
        "a second {own} barrier changes the layout of `{name}`, but there is no {other} barrier on it since the first"
    );
    Finding::new(&RULE, entry.span, message)
        .resource(name)
        .related(begun.span, "the first")
        .help(format!("put a {other} barrier on `{name}` between the two"))
}
