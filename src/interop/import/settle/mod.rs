//! From a story to the parts of a scenario: D3D12's layouts, barriers and creation flags for Vulkan's.
//!
//! Two walks. The first looks at every use: which resources are used, which creation flags they need, what each image does
//! in `GENERAL`. The second writes the commands, and follows what each scope has done to each subresource, because which
//! access a barrier may name depends on it.

mod accesses;
mod acquired;
mod barrier;
mod broken;
mod claims;
mod commands;
mod cuts;
mod layouts;
mod loads;
mod memory;
mod ranges;
mod state;
mod survey;
mod words;

use super::draft::{self, Draft, Entry, Recorded};
use super::report::Notes;
use super::story::{BOUNDARY, Batch, Dependency, ItemId, Part, Step, Story, Target, What};
use crate::api::{BarrierAccess, HeapType, Layout, LeafSet, ResourceFlags};
use crate::id::ResourceId;
use crate::interop::vulkan::ImageLayout;
use crate::lookup::{LookupMap, LookupSet};
use crate::scenario::{Initial, Resource, ResourceKind, Trivia};
use acquired::Holder;
use cuts::Cuts;
use layouts::General;
use state::State;

/// What is decided of a resource.
#[derive(Clone, Debug)]
struct Decided {
    flags: ResourceFlags,
    general: General,
    used: bool,
    placed: bool,
    /// A pass stores it in a read-only layout.
    stored: bool,
    declared: Option<ResourceId>,
}

#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Settler<'a> {
    story: &'a Story,
    notes: &'a mut Notes,
    items: Vec<Decided>,
    states: Vec<State>,
    /// Items with writes that no barrier of the scope made available.
    dirty: Vec<ItemId>,
    /// Items that the scope touched.
    touched: Vec<ItemId>,
    /// Subresources of which parts were written since their contents were last undefined or whole.
    partly: LookupSet<(ItemId, usize)>,
    /// Vulkan's layout of each subresource.
    layouts: Vec<Vec<ImageLayout>>,
    scope: u64,
    call: u64,
    /// The next use of the image of the dependency at hand.
    next: Next,
    /// What the next barrier on the image that is acquired waits for, if it does not wait for the stages that wait for it.
    unheld: Option<LeafSet>,
    /// Images that are acquired, until the first barrier on each.
    fresh: LookupSet<ItemId>,
    /// An image that the present engine gives back, and what stands for what still holds it.
    given_back: Option<(ItemId, &'static Holder)>,
    /// Layouts of images that the present engine gave back, until the next barrier.
    back: LookupMap<ItemId, Layout>,
    draft: Draft,
    /// Work of an earlier scope of the queue may still run.
    runs_on: bool,
    /// What the capture does not tell of the scope's work.
    lost: Option<&'static str>,
    /// Whether anything reads arguments or a predicate from a buffer.
    reads_arguments: bool,
    /// The buffer that fills and clears copy from.
    inline: Option<ResourceId>,
}

/// Bytes of the buffer that fills and clears copy from.
const INLINE_BYTES: u64 = 256;

/// Settles a story.
pub(super) fn settle(story: &Story, notes: &mut Notes) -> Draft {
    let items = survey::survey(story, notes);
    let mut settler = Settler {
        states: vec![State::default(); items.len()],
        dirty: Vec::new(),
        touched: Vec::new(),
        partly: LookupSet::default(),
        layouts: story
            .items
            .iter()
            .map(|item| item.initial.clone())
            .collect(),
        scope: 0,
        call: 0,
        next: Next::default(),
        unheld: None,
        fresh: LookupSet::default(),
        given_back: None,
        back: LookupMap::default(),
        draft: Draft::default(),
        inline: None,
        runs_on: false,
        lost: None,
        reads_arguments: reads_arguments(story),
        story,
        notes,
        items,
    };
    settler.declare();
    let cuts = Cuts::of(story);
    cuts::joined(story.steps.iter(), &cuts, |step| settler.step(&step));
    settler.draft
}

impl Settler<'_> {
    /// Fences, queues, and every resource that is used.
    fn declare(&mut self) {
        self.draft.by_byte();
        for queue in &self.story.queues {
            self.draft.queue(&queue.name, queue.queue_type);
        }
        for (name, first) in &self.story.fences {
            self.draft.fence(name, *first);
        }
        let placements = memory::placements(self.story, &self.items, &mut self.draft, self.notes);
        let mut prologue = Vec::new();
        for (at, placement) in placements.into_iter().enumerate() {
            if !self.items[at].used {
                continue;
            }
            let item = &self.story.items[at];
            let id = ItemId::try_from(at).expect("counted");
            self.items[at].placed = placement != crate::scenario::Placement::Committed;
            let initial = self.initial(id);
            let flags = self.items[at].flags;
            let mut trivia = Trivia(None);
            if let ResourceKind::Texture(shape) = &item.kind
                && flags.contains(ResourceFlags::UNORDERED_ACCESS)
                && (shape.samples > 1 || flags.contains(ResourceFlags::DEPTH_STENCIL))
            {
                // Vulkan has storage images of several samples and of depth.
                draft::allow(&mut trivia, &["resource-creation"]);
            }
            let resource = Resource {
                kind: item.kind.clone(),
                flags: self.items[at].flags,
                placement,
                initial,
                heap_type: HeapType::Default,
                uncompressed: false,
                keep: false,
                span: crate::finding::Span::default(),
                trivia,
            };
            self.items[at].declared = Some(self.draft.resource(&item.name, resource));
            prologue.extend(self.mixed(id));
        }
        if !prologue.is_empty() {
            self.begin_layouts(prologue);
        }
    }

    /// The layout that an image is created in: the one that all its subresources have when the first step begins.
    fn initial(&self, id: ItemId) -> Initial {
        let at = id as usize;
        let item = &self.story.items[at];
        if matches!(item.kind, ResourceKind::Buffer { .. }) {
            return Initial::Default;
        }
        if self.is_simultaneous(id) || !self.mixed(id).is_empty() {
            return Initial::Layout(Layout::Common);
        }
        let first = item
            .initial
            .first()
            .copied()
            .unwrap_or(ImageLayout::UNDEFINED);
        Initial::Layout(self.layout(id, first, 0))
    }

    /// The layouts of the subresources of an image when the first step begins, if they differ.
    fn mixed(&self, id: ItemId) -> Vec<(ItemId, Part, Layout)> {
        let item = &self.story.items[id as usize];
        if item.layouts.is_empty() || self.is_simultaneous(id) {
            return Vec::new();
        }
        let counts = item.counts();
        let of = |at: u32, plane| self.layout(id, item.initial[at as usize], plane);
        let mut all = Vec::new();
        for plane in 0..counts.2 {
            for layer in 0..counts.1 {
                for mip in 0..counts.0 {
                    let at = (plane * counts.1 + layer) * counts.0 + mip;
                    let part = item.image_part((mip, 1), (layer, 1), (plane, plane + 1), None);
                    all.push((id, part, of(at, plane)));
                }
            }
        }
        if all.iter().all(|(.., layout)| *layout == all[0].2) {
            return Vec::new();
        }
        all.retain(|(.., layout)| !matches!(layout, Layout::Common | Layout::Undefined));
        all
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Execute {
                queue,
                work,
                call,
                goes_on,
                runs_on,
            } => {
                if *goes_on {
                    self.notes.widened(BOUNDARY);
                }
                self.runs_on = *runs_on;
                self.execute(*queue, work, *call);
            }
            Step::Signal {
                queue,
                fence,
                value,
                call,
            } => self.draft.push(Entry::Signal {
                queue: *queue,
                fence: *fence,
                value: *value,
                call: *call,
            }),
            Step::Wait {
                queue,
                fence,
                value,
                call,
            } => self.draft.push(Entry::Wait {
                queue: *queue,
                fence: *fence,
                value: *value,
                call: *call,
            }),
            Step::Present {
                queue,
                resource,
                call,
            } => {
                if let Some(resource) = self.resource(*resource) {
                    self.draft.push(Entry::Present {
                        queue: *queue,
                        resource,
                        call: *call,
                    });
                }
            }
        }
    }

    fn execute(&mut self, queue: usize, batches: &[Batch], call: u64) {
        self.scope += 1;
        self.dirty.clear();
        self.touched.clear();
        let mut work = Vec::new();
        let mut all = batches.iter().flat_map(|batch| &*batch.acts.all);
        self.lost = all.find_map(|what| match what {
            What::Lost(what) => Some(*what),
            _ => None,
        });
        let next = next_uses(batches);
        for (at, batch) in batches.iter().enumerate() {
            let mut commands = Vec::new();
            for (place, (call, what)) in batch.acts().enumerate() {
                self.call = call;
                self.look_ahead(what, queue, &batches[at..], place);
                self.act(what, queue, (at, place), &next, &mut commands);
            }
            if !commands.is_empty() {
                let recorded = Recorded {
                    name: batch.name(),
                    queue_type: self.story.queues[queue].queue_type,
                    commands,
                };
                work.push(self.draft.list(recorded));
            }
        }
        if !work.is_empty() {
            self.draft.push(Entry::Execute {
                queue,
                work,
                call,
                goes_on: false,
                runs_on: false,
            });
        }
    }

    /// Whether what comes after the acquisition of an image waits for the stages that wait for it.
    fn look_ahead(&mut self, act: &What, queue: usize, batches: &[Batch], place: usize) {
        let What::Barrier(dependencies) = act else {
            return;
        };
        let Some(Dependency {
            target: Target::Acquired(item),
            ..
        }) = dependencies.first()
        else {
            return;
        };
        let started = self.started(&dependencies[0], queue);
        let later = batches.iter().flat_map(|batch| &*batch.acts.all);
        let mut later = later.skip(place + 1);
        let on_it =
            |one: &&Dependency| matches!(&one.target, Target::Image(other) if other.item == *item);
        let next = later.find_map(|next| match next {
            What::Work { touches, .. } if touches.iter().any(|touch| touch.item == *item) => {
                Some(None)
            }
            What::Barrier(all) => all.iter().find(on_it).map(Some),
            What::Work { .. } | What::Open(_) | What::Close | What::Lost(_) => None,
        });
        let waited = next.flatten().map(|barrier| self.waited(barrier, queue));
        self.unheld = waited.filter(|waited| !waited.meets(started));
    }

    fn resource(&self, item: ItemId) -> Option<ResourceId> {
        self.items[item as usize].declared
    }

    fn is_simultaneous(&self, item: ItemId) -> bool {
        self.items[item as usize].general == General::Simultaneous
    }

    fn layout(&self, item: ItemId, layout: ImageLayout, plane: u32) -> Layout {
        let decided = &self.items[item as usize];
        let is_depth = decided.flags.contains(ResourceFlags::DEPTH_STENCIL);
        layouts::layout(layout, decided.general, is_depth, plane)
    }

    fn set_layouts(&mut self, item: ItemId, part: &Part, old: ImageLayout, new: ImageLayout) {
        if old == new {
            return;
        }
        let subs = self.story.items[item as usize].subresources(part);
        let layouts = &mut self.layouts[item as usize];
        for at in subs {
            layouts[at] = new;
            if old == ImageLayout::UNDEFINED {
                self.partly.remove(&(item, at));
            }
        }
    }
}

fn reads_arguments(story: &Story) -> bool {
    let reads = |what: &What| match what {
        What::Work { touches, .. } => touches
            .iter()
            .any(|touch| touch.access == BarrierAccess::INDIRECT_ARGUMENT),
        What::Barrier(_) | What::Open(_) | What::Close | What::Lost(_) => false,
    };
    story.steps.kinds().any(|step| match step {
        Step::Execute { work, .. } => {
            let mut all = work.iter().flat_map(|batch| &*batch.acts.all);
            all.any(reads)
        }
        Step::Signal { .. } | Step::Wait { .. } | Step::Present { .. } => false,
    })
}

/// What the next use of an image in the scope is.
#[derive(Copy, Clone, Default)]
struct Next {
    /// The load of an attachment.
    loads: bool,
    /// A read by a shader, and not as an input attachment.
    samples: bool,
}

/// Loads and samples that are the next use after a dependency of an image: batch, act, dependency.
type NextUses = LookupMap<(usize, usize, usize), Next>;

fn next_uses(batches: &[Batch]) -> NextUses {
    let mut found = NextUses::default();
    let mut next: LookupMap<ItemId, Next> = LookupMap::default();
    for (at, batch) in batches.iter().enumerate().rev() {
        for (place, what) in batch.acts.all.iter().enumerate().rev() {
            match what {
                What::Work { touches, .. } => {
                    for touch in touches.iter().rev() {
                        let used = Next {
                            loads: touch.loads,
                            samples: touch.access == BarrierAccess::SHADER_RESOURCE
                                && !touch.is_input,
                        };
                        next.insert(touch.item, used);
                    }
                }
                What::Barrier(dependencies) => {
                    for (index, dependency) in dependencies.iter().enumerate() {
                        if let Target::Image(image) = &dependency.target
                            && let Some(used) =
                                next.get(&image.item).filter(|it| it.loads || it.samples)
                        {
                            found.insert((at, place, index), *used);
                        }
                    }
                }
                What::Open(_) | What::Close | What::Lost(_) => {}
            }
        }
    }
    found
}
