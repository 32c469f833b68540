//! Submissions, semaphores, fences, presents, and what the host waits for. `scope.rs` keeps what a queue was given until
//! something makes a boundary.

use super::super::Window;
use super::super::story::{BOUNDARY, Dependency, Scopes, Step, StoryQueue, Target, What};
use super::Vulkan;
use super::lost::{Concerned, bring};
use super::presents::Images;
use super::record::Recorded;
use super::scope::Scope;
use crate::api::QueueType;
use crate::interop::capture::Fields;
use crate::interop::import::story::{Act, ItemId};
use crate::interop::vulkan::{AccessFlags, DependencySide, QueueFlags, StageFlags};
use crate::lookup::LookupMap;
use indexmap::IndexMap;
use std::rc::Rc;

/// A semaphore or fence of the capture, as a fence of the scenario.
#[derive(Debug)]
pub(super) struct Sync {
    pub(super) fence: usize,
    /// The last value that a queue or the host signals.
    pub(super) value: u64,
    /// The last value that the host has seen.
    pub(super) seen: u64,
    pub(super) is_timeline: bool,
    /// The queue of the last signal; `None` is the host.
    pub(super) queue: Option<usize>,
    /// How many command buffers that queue had got then.
    pub(super) serial: u64,
    /// The image whose acquisition signals it.
    pub(super) acquired: Option<ItemId>,
}

/// What the host has learnt: a value that was reached, the queue that signals it, and how many command buffers that queue had
/// got then, if that is known.
#[derive(Copy, Clone)]
pub(super) struct Seen {
    pub(super) fence: usize,
    pub(super) value: u64,
    pub(super) by: Option<usize>,
    pub(super) serial: Option<u64>,
}

impl Sync {
    /// What the host learns that sees a value now; `None` is the last one. Nothing if it had seen it.
    fn not_seen(&mut self, value: Option<u64>) -> Option<Seen> {
        let value = value.unwrap_or(self.value).min(self.value);
        let is_new = value > self.seen;
        self.seen = self.seen.max(value);
        is_new.then_some(Seen {
            fence: self.fence,
            value,
            by: self.queue,
            serial: (value == self.value).then_some(self.serial),
        })
    }
}

/// Queues, semaphores and fences.
#[derive(Default)]
pub(super) struct Submits {
    pub(super) queues: LookupMap<u64, usize>,
    pub(super) scopes: Vec<Scope>,
    pub(super) syncs: IndexMap<u64, Sync>,
    /// Waits for values that nothing has signalled yet.
    pub(super) awaited: Vec<(usize, u64)>,
    /// What becomes of the images of swapchains.
    pub(super) images: Images,
    /// What the command buffer that is being submitted did so far.
    pub(super) concerned: Concerned,
    /// What the capture does not tell of the work at hand.
    pub(super) lost: Option<&'static str>,
    pub(super) frame: u64,
    in_window: bool,
    pub(super) returned: String,
}

impl Submits {
    pub(super) fn is_over(&self, window: &Window) -> bool {
        window.to.is_some_and(|to| self.frame >= to)
    }

    pub(super) fn fence_of(&self, handle: u64) -> Option<usize> {
        self.syncs.get(&handle).map(|sync| sync.fence)
    }
}

/// What is said where the host asks whether work has ended.
const POLLS: &str = "questions of the host that found a value reached: the work before it has ended, in this run; they wait for nothing";

/// What is said of addresses of memory.
const ADDRESSES: &str =
    "addresses of buffers: what a shader reads and writes at one is not in the scenario";

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkGetPhysicalDeviceQueueFamilyProperties"
        | "vkGetPhysicalDeviceQueueFamilyProperties2" => families,
        "vkGetDeviceQueue" => |v, a| v.queue(a.u64("pQueue"), a.u32("queueFamilyIndex")),
        "vkGetDeviceQueue2" => {
            |v, a| v.queue(a.u64("pQueue"), a.get("pQueueInfo").u32("queueFamilyIndex"))
        }
        "vkCreateSemaphore" => create_semaphore,
        "vkCreateFence" => |v, a| v.sync(a.u64("pFence"), "fence", 0, false),
        "vkDestroySemaphore" => |v, a| {
            v.submits.syncs.swap_remove(&a.u64("semaphore"));
        },
        "vkDestroyFence" => |v, a| {
            v.submits.syncs.swap_remove(&a.u64("fence"));
        },
        "vkSetEvent" => |v, _| {
            v.notes.dropped(
                "events that the host sets: what waits for one waits for nothing of the host here",
            );
        },
        "vkResetFences" | "vkCreateEvent" | "vkDestroyEvent" | "vkResetEvent" => |_, _| {},
        "vkQueueSubmit" => |v, a| submit(v, a, false),
        "vkQueueSubmit2" => |v, a| submit(v, a, true),
        "vkQueueBindSparse" => bind_sparse,
        "vkGetFenceStatus" => |v, a| {
            if v.submits.returned != "VK_NOT_READY" && v.submits.returned != "1" {
                v.host_sees(a.u64("fence"), None);
            }
        },
        "vkGetSemaphoreCounterValue" => {
            |v, a| v.host_sees(a.u64("semaphore"), Some(a.u64("pValue")))
        }
        "vkQueueWaitIdle" => |v, a| {
            if let Some(queue) = v.submits.queues.get(&a.u64("queue")).copied() {
                v.wait_idle(queue);
            }
        },
        "vkDeviceWaitIdle" => |v, _| {
            for queue in 0..v.submits.scopes.len() {
                v.wait_idle(queue);
            }
        },
        "vkGetQueryPoolResults" => {
            |v, _| v.notes.dropped("queries: the pools are no resources here")
        }
        "vkGetEventStatus" => |v, _| {
            v.notes.dropped(
                "questions of the host about events: it may know from one that work has ended",
            );
        },
        "vkGetBufferDeviceAddress" => |v, _| v.notes.dropped(ADDRESSES),
        "vkQueueBeginDebugUtilsLabel" | "vkQueueEndDebugUtilsLabel" => |_, _| {},
        _ => return None,
    })
}

fn families(v: &mut Vulkan, a: Fields<'_>) {
    let types: Vec<QueueType> = a
        .list("pQueueFamilyProperties")
        .map(|each| {
            let inner = each.get("queueFamilyProperties");
            let flags = if inner.is_some() { inner } else { each }.get("queueFlags");
            let flags = match flags.0.as_str() {
                Some(text) => QueueFlags::parse(text).value,
                None => QueueFlags::from_bits_retain(flags.bits()),
            };
            flags.queue_type().unwrap_or(QueueType::Direct)
        })
        .collect();
    if !types.is_empty() {
        v.story.families = types;
    }
}

fn create_semaphore(v: &mut Vulkan, a: Fields<'_>) {
    let info = a.get("pCreateInfo");
    let typed = info.chained("SEMAPHORE_TYPE_CREATE_INFO");
    let is_timeline = typed.is_some_and(|typed| {
        typed.str("semaphoreType").ends_with("TIMELINE")
            || typed.get("semaphoreType").0.as_u64() == Some(1)
    });
    let first = typed.map_or(0, |typed| typed.u64("initialValue"));
    if info.chained("EXPORT_SEMAPHORE_CREATE_INFO").is_some() {
        v.notes
            .dropped("semaphores that others may signal or wait for");
    }
    v.sync(a.u64("pSemaphore"), "semaphore", first, is_timeline);
}

impl Vulkan {
    fn sync(&mut self, handle: u64, word: &str, first: u64, is_timeline: bool) {
        let fence = self.story.fences.len();
        self.story.fences.push((format!("{word}_{handle}"), first));
        let sync = Sync {
            fence,
            value: first,
            seen: first,
            is_timeline,
            queue: None,
            serial: 0,
            acquired: None,
        };
        self.submits.syncs.insert(handle, sync);
    }

    fn queue(&mut self, handle: u64, family: u32) {
        self.submits.queues.entry(handle).or_insert_with(|| {
            let types = &self.story.families;
            let queue_type = types
                .get(family as usize)
                .copied()
                .unwrap_or(QueueType::Direct);
            let word = match queue_type {
                QueueType::Direct => "graphics",
                QueueType::Compute => "compute",
                QueueType::Copy => "transfer",
                _ => "video",
            };
            let name = word.to_owned();
            self.story.queues.push(StoryQueue {
                name,
                queue_type,
                family,
            });
            self.submits.scopes.push(Scope::default());
            self.story.queues.len() - 1
        });
    }

    pub(super) fn queue_of(&mut self, handle: u64) -> usize {
        if !self.submits.queues.contains_key(&handle) {
            self.stranger("queue");
            self.queue(handle, 0);
        }
        self.submits.queues[&handle]
    }

    /// Whether steps are kept. The first time, everything before is forgotten but layouts and fence values.
    pub(super) fn in_window(&mut self) -> bool {
        if !self.submits.in_window && self.submits.frame >= self.window.from {
            self.submits.in_window = true;
            for item in &mut self.story.items {
                item.initial.clone_from(&item.layouts);
            }
            for sync in self.submits.syncs.values() {
                self.story.fences[sync.fence].1 = sync.value;
            }
        }
        self.submits.in_window
    }

    /// The host waits for a semaphore's or fence's value; `None` is the last one.
    pub(super) fn host_wait(&mut self, handle: u64, value: Option<u64>) {
        let keeps = self.in_window();
        let Some(sync) = self.submits.syncs.get_mut(&handle) else {
            return;
        };
        if let Some(item) = sync.acquired.take() {
            return self.host_has_image(item);
        }
        let Some(seen) = sync.not_seen(value) else {
            return;
        };
        if keeps {
            let precise = self.work_queues();
            self.end_before(seen, precise);
            self.push_wait(None, (seen.fence, seen.value));
            if let (Some(queue), Some(serial)) = (seen.by, seen.serial) {
                self.submits.scopes[queue].seen_to_end(serial);
            }
        }
    }

    /// The host asks, and finds that a value was reached: what was signalled with it has ended, and nothing is said of the rest.
    fn host_sees(&mut self, handle: u64, value: Option<u64>) {
        let keeps = self.in_window();
        let Some(sync) = self.submits.syncs.get_mut(&handle) else {
            return;
        };
        if sync.acquired.is_some() {
            return;
        }
        let Some(seen) = sync.not_seen(value) else {
            return;
        };
        if keeps && self.end_before(seen, true) {
            self.notes.read(POLLS);
            self.push_wait(None, (seen.fence, seen.value));
        }
    }

    /// A queue, or the CPU, sets a fence to a value.
    pub(super) fn push_signal(&mut self, queue: Option<usize>, (fence, value): (usize, u64)) {
        let call = self.call;
        self.story.steps.push(Step::Signal {
            queue,
            fence,
            value,
            call,
        });
    }

    /// A queue, or the CPU, waits until a fence has a value.
    pub(super) fn push_wait(&mut self, queue: Option<usize>, (fence, value): (usize, u64)) {
        let call = self.call;
        self.story.steps.push(Step::Wait {
            queue,
            fence,
            value,
            call,
        });
    }

    fn wait_idle(&mut self, queue: usize) {
        if !self.in_window() || !std::mem::take(&mut self.submits.scopes[queue].busy) {
            return;
        }
        self.close_all();
        let name = format!("{}_idle", self.story.queues[queue].name);
        let fences = &mut self.story.fences;
        let scope = &mut self.submits.scopes[queue];
        scope.seen_to_end(scope.serial);
        let (fence, value) = scope.idle.get_or_insert_with(|| {
            fences.push((name, 0));
            (fences.len() - 1, 0)
        });
        *value += 1;
        let reached = (*fence, *value);
        self.push_signal(Some(queue), reached);
        self.push_wait(None, reached);
    }

    /// A signal at the end of the open scope.
    fn signal(&mut self, queue: usize, handle: u64, value: u64) {
        let keeps = self.in_window();
        let call = self.call;
        let Some(sync) = self.submits.syncs.get_mut(&handle) else {
            if handle != 0 {
                self.stranger("semaphore or fence");
            }
            return;
        };
        sync.value = if sync.is_timeline {
            value.max(sync.value)
        } else {
            sync.value + 1
        };
        sync.queue = Some(queue);
        sync.serial = self.submits.scopes[queue].serial;
        sync.acquired = None;
        let (fence, value) = (sync.fence, sync.value);
        if !keeps {
            return;
        }
        self.submits.scopes[queue].signal(fence, value, call);
        let before = self.submits.awaited.len();
        self.submits
            .awaited
            .retain(|(one, its)| *one != fence || *its > value);
        if self.submits.awaited.len() != before {
            self.close(queue);
        }
    }

    /// A queue waits for a semaphore.
    pub(super) fn wait(&mut self, queue: usize, handle: u64, value: u64, stages: StageFlags) {
        let keeps = self.in_window();
        let Some(sync) = self.submits.syncs.get_mut(&handle) else {
            return self.stranger("semaphore");
        };
        if let Some(item) = sync.acquired.take() {
            return self.wait_for_image(queue, item, stages);
        }
        let value = if sync.is_timeline { value } else { sync.value };
        let (fence, signalled, by) = (sync.fence, sync.value, sync.queue);
        if !keeps || value <= self.story.fences[fence].1 {
            return;
        }
        if by == Some(queue) && signalled >= value {
            let is_timeline = sync.is_timeline;
            return self.wait_for_own(queue, (fence, value, is_timeline), stages);
        }
        if !stages.contains(StageFlags::ALL_COMMANDS) {
            self.notes
                .widened("semaphore waits of some stages: D3D12's wait holds all work");
        }
        if signalled < value {
            self.submits.awaited.push((fence, value));
        } else {
            self.close_for(fence, value);
        }
        self.close(queue);
        self.push_wait(Some(queue), (fence, value));
    }

    /// A queue waits for itself: a memory dependency on all its work, inside the scope. Whatever its stages are, all memory
    /// accesses are in its second scope.
    fn wait_for_own(
        &mut self,
        queue: usize,
        (fence, value, is_timeline): (usize, u64, bool),
        stages: StageFlags,
    ) {
        let Some(signal) = self.submits.scopes[queue].signal_of(fence, value) else {
            return;
        };
        // A binary semaphore is waited for once.
        signal.is_own |= !is_timeline;
        self.notes
            .read("semaphore waits of a queue for itself: as barriers");
        self.insert_wait(queue, "wait", stages);
    }

    /// A wait of a queue for all that it was given so far, as a barrier: of some stages, and of every access.
    pub(super) fn insert_wait(&mut self, queue: usize, name: &str, stages: StageFlags) {
        let scopes = Scopes {
            src_stages: StageFlags::ALL_COMMANDS,
            src_access: AccessFlags::MEMORY_WRITE,
            dst_stages: stages.resolved(DependencySide::Destination),
            dst_access: AccessFlags::MEMORY_READ | AccessFlags::MEMORY_WRITE,
        };
        self.insert(queue, name, scopes, Target::Memory);
    }

    /// A barrier of its own in the open scope of a queue.
    pub(super) fn insert(&mut self, queue: usize, name: &str, scopes: Scopes, target: Target) {
        let call = self.call;
        let dependency = Dependency {
            scopes,
            target,
            transfer: None,
            is_own: false,
        };
        let act = Act {
            call,
            what: What::Barrier(vec![dependency]),
        };
        let batch = self.story.batch(call, (Some(name.into()), 0), vec![act]);
        self.go_on(queue);
        self.submits.scopes[queue].batches.push(batch);
    }

    /// Says where a scope begins after another one.
    fn go_on(&mut self, queue: usize) {
        let scope = &self.submits.scopes[queue];
        if scope.batches.is_empty() && scope.follows() {
            self.notes.widened(BOUNDARY);
        }
    }

    /// Puts a command buffer on a queue.
    fn execute(&mut self, queue: usize, handle: u64) {
        let Some(recording) = self.recordings.all.get(&handle) else {
            return self.stranger("command buffer");
        };
        let acts = Rc::clone(&recording.acts);
        let name = recording.name.clone();
        let keeps = self.in_window();
        self.submits.scopes[queue].serial += 1;
        self.submits.concerned = Concerned::default();
        let mut resolved = Vec::new();
        for one in acts.iter() {
            if let What::Barrier(dependencies) = &one.act.what {
                self.apply_layouts(queue, dependencies);
            }
            if keeps {
                let act = self.resolved(queue, one);
                self.see_images(queue, &act);
                self.submits.concerned.follow(&act);
                let call = act.call;
                resolved.push(act);
                let what = self.submits.lost.take().map(What::Lost);
                resolved.extend(what.map(|what| Act { call, what }));
            }
        }
        if !keeps {
            return;
        }
        let acts = resolved;
        let call = self.call;
        self.go_on(queue);
        self.notes.report.submissions += 1;
        self.notes.report.commands += acts.len() as u64;
        let batch = self.story.batch(call, (name, handle), acts);
        self.submits.scopes[queue].batches.push(batch);
    }

    /// An act with what its descriptors touch.
    fn resolved(&mut self, queue: usize, one: &Recorded) -> Act {
        let mut act = one.act.clone();
        if let (What::Work { touches, .. }, Some(bound)) = (&mut act.what, &one.bound) {
            self.descriptor_touches(queue, bound, touches);
        }
        act
    }

    fn apply_layouts(&mut self, queue: usize, dependencies: &[Dependency]) {
        for dependency in dependencies {
            let Target::Image(image) = &dependency.target else {
                continue;
            };
            let recent = &mut self.submits.scopes[queue].recent;
            bring(recent, image.item, dependency.scopes.dst_stages);
            if image.old != image.new {
                let item = &mut self.story.items[image.item as usize];
                for at in item.subresources(&image.part) {
                    item.layouts[at] = image.new;
                }
            }
        }
    }
}

fn submit(v: &mut Vulkan, a: Fields<'_>, second: bool) {
    let queue = v.queue_of(a.u64("queue"));
    for batch in a.list("pSubmits") {
        v.submits.scopes[queue].busy = true;
        if second {
            submit_second(v, queue, batch);
        } else {
            submit_first(v, queue, batch);
        }
    }
    let fence = a.u64("fence");
    if fence != 0 {
        v.signal(queue, fence, 0);
    }
}

fn submit_first(v: &mut Vulkan, queue: usize, batch: Fields<'_>) {
    let timeline = batch.chained("TIMELINE_SEMAPHORE_SUBMIT_INFO");
    let values = |key: &str| -> Vec<u64> {
        timeline.map_or_else(Vec::new, |chained| chained.numbers(key).collect())
    };
    let value = |values: &[u64], at: usize| values.get(at).copied().unwrap_or(0);
    let (waits, signals) = (
        values("pWaitSemaphoreValues"),
        values("pSignalSemaphoreValues"),
    );
    let stages: Vec<StageFlags> = batch
        .list("pWaitDstStageMask")
        .map(Fields::as_stages)
        .collect();
    for (at, handle) in batch.numbers("pWaitSemaphores").enumerate() {
        let stages = stages.get(at).copied().unwrap_or(StageFlags::ALL_COMMANDS);
        v.wait(queue, handle, value(&waits, at), stages);
    }
    for handle in batch.numbers("pCommandBuffers") {
        v.execute(queue, handle);
    }
    for (at, handle) in batch.numbers("pSignalSemaphores").enumerate() {
        v.signal(queue, handle, value(&signals, at));
    }
}

fn submit_second(v: &mut Vulkan, queue: usize, batch: Fields<'_>) {
    for each in batch.list("pWaitSemaphoreInfos") {
        v.wait(
            queue,
            each.u64("semaphore"),
            each.u64("value"),
            each.stages("stageMask"),
        );
    }
    for each in batch.list("pCommandBufferInfos") {
        v.execute(queue, each.u64("commandBuffer"));
    }
    for each in batch.list("pSignalSemaphoreInfos") {
        if !each.stages("stageMask").contains(StageFlags::ALL_COMMANDS) {
            v.notes.widened(
                "semaphore signals after some stages: D3D12's signal comes after all work",
            );
        }
        v.signal(queue, each.u64("semaphore"), each.u64("value"));
    }
}

fn bind_sparse(v: &mut Vulkan, a: Fields<'_>) {
    let queue = v.queue_of(a.u64("queue"));
    v.notes
        .dropped("sparse binding: which memory is bound where");
    for batch in a.list("pBindInfo") {
        for handle in batch.numbers("pWaitSemaphores") {
            v.wait(queue, handle, 0, StageFlags::ALL_COMMANDS);
        }
        for handle in batch.numbers("pSignalSemaphores") {
            v.signal(queue, handle, 0);
        }
    }
}
