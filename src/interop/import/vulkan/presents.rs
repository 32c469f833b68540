//! Images of swapchains: acquired, drawn to, presented.
//!
//! A present is an operation of the queue that rendered, if a semaphore that it waits for covers the rendering. Otherwise
//! nothing orders it: it is on a queue of its own then, and races. An image that is acquired with a semaphore is free from
//! the stages on that wait for it; a layout change that does not wait for these stages collides with the present engine.

use super::super::story::{Act, ItemId, Scopes, Step, StoryQueue, Target, What};
use super::Vulkan;
use super::scope::Scope;
use crate::api::QueueType;
use crate::interop::capture::Fields;
use crate::interop::vulkan::{AccessFlags, StageFlags};
use crate::lookup::LookupMap;

/// What is known of the images of swapchains.
#[derive(Default)]
pub(super) struct Images {
    /// The queue of the last present.
    presented: LookupMap<ItemId, usize>,
    /// The queue and the command buffer, counted on the queue, that touched it last; only images of swapchains are here.
    touched: LookupMap<ItemId, (usize, u64)>,
    /// The queue of presents that nothing orders.
    engine: Option<usize>,
    /// The fence of images that come back from another queue, and its value.
    back: Option<(usize, u64)>,
}

impl Images {
    /// An image belongs to a swapchain.
    pub(super) fn add(&mut self, item: ItemId) {
        self.touched.entry(item).or_insert((usize::MAX, 0));
    }
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkQueuePresent" => present,
        "vkAcquireNextImage" => |v, a| acquired(v, a, a.u64("pImageIndex")),
        "vkAcquireNextImage2" => |v, a| acquired(v, a.get("pAcquireInfo"), a.u64("pImageIndex")),
        _ => return None,
    })
}

/// The image of a swapchain at a place.
fn image_at(v: &Vulkan, chain: u64, place: u64) -> Option<ItemId> {
    let images = v.objects.swapchains.get(&chain)?;
    let handle = images.get(usize::try_from(place).ok()?)?;
    v.objects.images.get(handle).copied()
}

fn acquired(v: &mut Vulkan, info: Fields<'_>, index: u64) {
    if matches!(v.submits.returned.as_str(), "VK_TIMEOUT" | "VK_NOT_READY") {
        return;
    }
    let item = image_at(v, info.u64("swapchain"), index);
    for key in ["semaphore", "fence"] {
        if let Some(sync) = v.submits.syncs.get_mut(&info.u64(key)) {
            sync.acquired = item;
        }
    }
}

fn present(v: &mut Vulkan, a: Fields<'_>) {
    let queue = v.queue_of(a.u64("queue"));
    let info = a.get("pPresentInfo");
    let waits: Vec<u64> = info.numbers("pWaitSemaphores").collect();
    let chains = info
        .numbers("pSwapchains")
        .zip(info.numbers("pImageIndices"));
    for (chain, place) in chains {
        let Some(item) = image_at(v, chain, place) else {
            v.stranger("swapchain image");
            continue;
        };
        if !v.in_window() {
            continue;
        }
        v.notes.report.frames_kept += 1;
        if v.is_covered(item, &waits) {
            for handle in &waits {
                v.present_waits(queue, *handle);
            }
            let call = v.call;
            v.submits.scopes[queue].present(item, call);
            v.submits.images.presented.insert(item, queue);
        } else {
            v.present_unordered(queue, item);
        }
    }
    v.submits.frame += 1;
}

impl Vulkan {
    /// Whether a semaphore that a present waits for is signalled after the last work on an image.
    fn is_covered(&self, item: ItemId, waits: &[u64]) -> bool {
        let Some((queue, serial)) = self.submits.images.touched.get(&item).copied() else {
            return true;
        };
        let covers = |handle: &u64| {
            let sync = self.submits.syncs.get(handle);
            sync.is_some_and(|sync| sync.queue == Some(queue) && sync.serial >= serial)
        };
        serial == 0 || waits.iter().any(covers)
    }

    /// A present waits for a semaphore of another queue; on its own queue it comes last anyway.
    fn present_waits(&mut self, queue: usize, handle: u64) {
        let Some(sync) = self.submits.syncs.get(&handle) else {
            return;
        };
        let (fence, value) = (sync.fence, sync.value);
        if sync.queue != Some(queue) {
            self.wait(queue, handle, 0, StageFlags::ALL_COMMANDS);
        } else if let Some(signal) = self.submits.scopes[queue].signal_of(fence, value) {
            signal.is_own = true;
        }
    }

    /// A present that waits for nothing that covers the work on its image.
    fn present_unordered(&mut self, queue: usize, item: ItemId) {
        self.notes.read(
            "presents that wait for no semaphore after the last work on their image: on a queue of their own, which nothing orders",
        );
        self.close(queue);
        let engine = self.engine();
        let call = self.call;
        self.story.steps.push(Step::Present {
            queue: engine,
            resource: item,
            call,
        });
        self.submits.images.presented.insert(item, engine);
    }

    fn engine(&mut self) -> usize {
        if let Some(engine) = self.submits.images.engine {
            return engine;
        }
        let engine = self.story.queues.len();
        self.story.queues.push(StoryQueue {
            name: "presentation".to_owned(),
            queue_type: QueueType::Direct,
            family: u32::MAX,
        });
        self.submits.scopes.push(Scope::default());
        self.submits.images.engine = Some(engine);
        engine
    }

    /// Work on images of swapchains, and how far their queue is.
    pub(super) fn see_images(&mut self, queue: usize, act: &Act) {
        let serial = self.submits.scopes[queue].serial;
        let touched = &mut self.submits.images.touched;
        let mut see = |item: ItemId| {
            if let Some(last) = touched.get_mut(&item) {
                *last = (queue, serial);
            }
        };
        match &act.what {
            What::Work { touches, .. } => {
                let certain = touches.iter().filter(|touch| !touch.may);
                certain.for_each(|touch| see(touch.item));
            }
            What::Barrier(dependencies) => {
                for dependency in dependencies {
                    if let Target::Image(image) = &dependency.target {
                        see(image.item);
                    }
                }
            }
            What::Open(_) | What::Close | What::Lost(_) => {}
        }
    }

    /// A present engine's queue signals that an image is back.
    fn comes_back(&mut self, presented: usize, item: ItemId) -> (usize, u64) {
        if self.submits.scopes[presented].presents(item) > 0 {
            self.close(presented);
        }
        let fences = &mut self.story.fences;
        let (fence, value) = self.submits.images.back.get_or_insert_with(|| {
            fences.push(("acquired".to_owned(), 0));
            (fences.len() - 1, 0)
        });
        *value += 1;
        let reached = (*fence, *value);
        self.push_signal(Some(presented), reached);
        reached
    }

    /// A queue waits until an image comes back from the screen. An image that the open scope of this queue presents has gone
    /// through the present engine: the wait is one for all work before that present, and the scope goes on. It goes on so once:
    /// frames of a program that never waits are in scopes of a few.
    pub(super) fn wait_for_image(&mut self, queue: usize, item: ItemId, stages: StageFlags) {
        if !self.in_window() {
            return;
        }
        match self.submits.images.presented.remove(&item) {
            Some(other) if other != queue => {
                let back = self.comes_back(other, item);
                self.close(queue);
                self.push_wait(Some(queue), back);
                return;
            }
            Some(_) => match self.submits.scopes[queue].presents(item) {
                0 => {}
                1 => self.insert_wait(queue, "acquire", stages),
                _ => self.close(queue),
            },
            None => {}
        }
        let scopes = Scopes {
            src_stages: StageFlags::NONE,
            src_access: AccessFlags::NONE,
            dst_stages: stages,
            dst_access: AccessFlags::NONE,
        };
        self.insert(queue, "acquire", scopes, Target::Acquired(item));
    }

    /// The host has waited until an image came back.
    pub(super) fn host_has_image(&mut self, item: ItemId) {
        if !self.in_window() {
            return;
        }
        let Some(presented) = self.submits.images.presented.remove(&item) else {
            return;
        };
        self.close_all();
        if Some(presented) == self.submits.images.engine {
            let back = self.comes_back(presented, item);
            self.push_wait(None, back);
        }
    }
}
