//! Events: what waits for one is read as a barrier at the wait.

use super::super::story::What;
use super::Vulkan;
use super::record::Recording;
use crate::interop::capture::Fields;

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdSetEvent" | "vkCmdSetEvent2" | "vkCmdResetEvent" | "vkCmdResetEvent2" => |v, _| {
            v.notes
                .read("setting and resetting events: only the wait is in the scenario");
        },
        "vkCmdWaitEvents" => |v, a| v.recorded(a, |v, r| wait(v, r, a)),
        "vkCmdWaitEvents2" => |v, a| v.recorded(a, |v, r| wait2(v, r, a)),
        _ => return None,
    })
}

const WIDER: &str = "event waits, as barriers at the wait: they also wait for what comes between the event and the wait";

fn wait(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    v.notes.widened(WIDER);
    let dependencies = v.old_dependencies(a);
    recording.push(v.call, What::Barrier(dependencies));
}

fn wait2(v: &mut Vulkan, recording: &mut Recording, a: Fields<'_>) {
    let mut all = Vec::new();
    for info in a.list("pDependencyInfos") {
        v.notes.widened(WIDER);
        all.extend(v.new_dependencies(info));
    }
    recording.push(v.call, What::Barrier(all));
}
