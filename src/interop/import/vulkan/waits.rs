//! What the host waits for and signals.

use super::Vulkan;
use crate::interop::capture::Fields;

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkWaitForFences" => wait_fences,
        "vkWaitSemaphores" => wait_semaphores,
        "vkSignalSemaphore" => host_signal,
        _ => return None,
    })
}

fn wait_fences(v: &mut Vulkan, a: Fields<'_>) {
    if v.submits.returned == "VK_TIMEOUT" || v.submits.returned == "2" {
        return;
    }
    let fences: Vec<u64> = a.numbers("pFences").collect();
    if fences.len() > 1 && a.u64("waitAll") == 0 {
        v.notes
            .dropped("waits of the host for any of several fences: which one it was is not known");
        return;
    }
    for fence in fences {
        v.host_wait(fence, None);
    }
}

fn wait_semaphores(v: &mut Vulkan, a: Fields<'_>) {
    if v.submits.returned == "VK_TIMEOUT" || v.submits.returned == "2" {
        return;
    }
    let info = a.get("pWaitInfo");
    let any = info.u64("flags") & 1 != 0 || info.str("flags").contains("ANY");
    let handles: Vec<u64> = info.numbers("pSemaphores").collect();
    if any && handles.len() > 1 {
        v.notes.dropped(
            "waits of the host for any of several semaphores: which one it was is not known",
        );
        return;
    }
    for (handle, value) in handles.into_iter().zip(info.numbers("pValues")) {
        v.host_wait(handle, Some(value));
    }
}

fn host_signal(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pSignalInfo");
    let value = info.u64("value");
    let keeps = v.in_window();
    let Some(sync) = v.submits.syncs.get_mut(&info.u64("semaphore")) else {
        return v.stranger("semaphore");
    };
    sync.value = value.max(sync.value);
    sync.seen = sync.value;
    sync.queue = None;
    let fence = sync.fence;
    if keeps {
        v.push_signal(None, (fence, value));
        v.submits
            .awaited
            .retain(|(one, its)| *one != fence || *its > value);
    }
}
