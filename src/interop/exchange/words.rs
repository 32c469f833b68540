//! One barrier entry in Vulkan's words.

use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, ResourceFlags, compat};
use crate::finding::Span;
use crate::id::{ListId, ResourceId};
use crate::interop::vulkan::{
    AccessFlags, Ask, Aspects, DependencySide, Features, Image, ImageLayout, StageFlags, Table,
};
use crate::scenario::{
    Barrier, BarrierTarget, Command, CommandKind, Scenario, Statement, StatementKind,
    TextureBarrier, TextureShape, geometry,
};

/// Masks of both sides.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
#[non_exhaustive]
pub struct Masks {
    pub src_stages: StageFlags,
    pub src_access: AccessFlags,
    pub dst_stages: StageFlags,
    pub dst_access: AccessFlags,
}

/// Subresources of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ImageRange {
    /// The planes as `VkImageAspectFlags` names them, joined by ` | `.
    pub aspect_mask: String,
    /// First mip and how many.
    pub mips: (u32, u32),
    /// First layer and how many.
    pub layers: (u32, u32),
}

/// The Vulkan structure that an entry becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Form {
    /// `VkMemoryBarrier2`.
    Memory(Masks),
    /// `VkBufferMemoryBarrier2`.
    Buffer(ResourceId, Masks),
    /// `VkImageMemoryBarrier2`.
    Image {
        /// The texture.
        resource: ResourceId,
        /// Masks.
        masks: Masks,
        /// `oldLayout`.
        old: ImageLayout,
        /// `newLayout`.
        new: ImageLayout,
        /// The subresources.
        range: ImageRange,
    },
    /// Nothing is left of it.
    Nothing,
}

impl Form {
    /// Masks of the barrier.
    pub fn masks(&self) -> Option<&Masks> {
        match self {
            Self::Memory(masks) | Self::Buffer(_, masks) | Self::Image { masks, .. } => Some(masks),
            Self::Nothing => None,
        }
    }

    /// The old and the new layout of an image barrier.
    pub fn layouts(&self) -> Option<(ImageLayout, ImageLayout)> {
        match self {
            Self::Image { old, new, .. } => Some((*old, *new)),
            _ => None,
        }
    }
}

/// An entry with what became of it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Place in the source.
    pub span: Span,
    /// The command of its list, and its index there.
    pub place: (usize, usize),
    /// The entry as the application wrote it.
    pub asked: Barrier,
    /// The entry in Vulkan's words.
    pub form: Form,
    /// Where Vulkan has no word, or means something else.
    pub notes: Vec<String>,
}

/// What a scenario's words depend on.
pub(super) struct Words<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) table: Table,
    pub(super) features: Features,
    presented: crate::id::Table<ResourceId, bool>,
}

impl<'s> Words<'s> {
    pub(super) fn new(scenario: &'s Scenario, table: Table) -> Self {
        let mut presented = crate::id::Table::filled(scenario.resources.len(), false);
        for statement in scenario.timeline.iter().flat_map(|t| &t.statements) {
            statement.for_each(&mut |inner: &Statement| {
                if let StatementKind::Present { resource, .. } = &inner.kind {
                    presented[*resource] = true;
                }
            });
        }
        Self {
            scenario,
            table,
            features: features(scenario),
            presented,
        }
    }

    pub(super) fn ask(&self, side: DependencySide, barrier: &Barrier, queue: QueueType) -> Ask {
        let (sync, access) = match side {
            DependencySide::Source => (barrier.sync_before, barrier.access_before),
            DependencySide::Destination => (barrier.sync_after, barrier.access_after),
        };
        Ask {
            side,
            sync,
            access,
            queue,
            resource: barrier.resource().map(|id| self.scenario.traits(id)),
            features: self.features,
        }
    }

    /// What a layout of an entry's texture depends on.
    pub(super) fn image(&self, resource: ResourceId, barrier: &Barrier) -> Image {
        Image {
            traits: self.scenario.traits(resource),
            aspects: self.aspects(resource, barrier),
            presented: self.presented[resource],
        }
    }

    fn aspects(&self, resource: ResourceId, barrier: &Barrier) -> Aspects {
        let shape = self.scenario.resource(resource).texture();
        let planes = shape.map_or((0, 1), |shape| planes(shape, barrier));
        aspects_of(self.scenario, resource, planes)
    }

    /// An entry, its stages joined with those of its run.
    pub(super) fn entry(
        &self,
        place: (usize, usize),
        barrier: &Barrier,
        joined: Joined,
        queue: QueueType,
    ) -> Entry {
        let mut entry = Entry {
            span: barrier.span,
            place,
            asked: barrier.clone(),
            form: Form::Nothing,
            notes: Vec::new(),
        };
        let mut widened = barrier.clone();
        if joined.before != barrier.sync_before || joined.after != barrier.sync_after {
            widened.sync_before = joined.before;
            widened.sync_after = joined.after;
            entry.notes.push(
                "no work is between this and other barriers on it: together they wait for all that any waits for"
                    .to_owned(),
            );
        }
        if self.table == Table::Minimal
            && let Some(given_up) = self.given_up(&widened)
        {
            widened.access_before = given_up;
            entry.note("a transition comes after earlier writes only once they are available: NO_ACCESS is no word for it");
        }
        let before = self
            .table
            .side(&self.ask(DependencySide::Source, &widened, queue));
        let after = self
            .table
            .side(&self.ask(DependencySide::Destination, &widened, queue));
        for note in before.notes.iter().chain(&after.notes) {
            entry.note(note);
        }
        let masks = Masks {
            src_stages: before.stages,
            src_access: before.access,
            dst_stages: after.stages,
            dst_access: after.access,
        };
        self.form(barrier, masks, &mut entry);
        entry
    }

    /// The writes that an entry with `AccessBefore NO_ACCESS` gives up under a layout change: in Vulkan a transition that
    /// keeps the contents is a write after them.
    fn given_up(&self, barrier: &Barrier) -> Option<BarrierAccess> {
        let (before, after) = barrier.transition()?;
        let traits = self.scenario.traits(barrier.resource()?);
        let possible = compat::texture_accesses(before, traits.flags)
            & compat::leaf_accesses_of(barrier.sync_before.leaves())
            & BarrierAccess::WRITES;
        let gives_up = barrier.access_before.is_no_access()
            && before != after
            && before != Layout::Undefined
            && !barrier.sync_before.contains(BarrierSync::ALL)
            && !possible.is_empty();
        gives_up.then_some(possible)
    }

    fn form(&self, barrier: &Barrier, masks: Masks, entry: &mut Entry) {
        entry.form = match &barrier.target {
            BarrierTarget::Global => Form::Memory(masks),
            BarrierTarget::Buffer {
                resource: Some(_), ..
            } if self.table == Table::Vkd3dProton => {
                entry.note("buffer barriers are widened to memory barriers");
                Form::Memory(masks)
            }
            BarrierTarget::Buffer {
                resource: Some(buffer),
                ..
            } => Form::Buffer(*buffer, masks),
            BarrierTarget::Texture(TextureBarrier {
                resource: Some(texture),
                layout_before,
                layout_after,
                ..
            }) if !self.scenario.resource(*texture).is_buffer() => self.image_form(
                *texture,
                barrier,
                (*layout_before, *layout_after),
                masks,
                entry,
            ),
            BarrierTarget::Ranged { .. } => {
                entry.note("ranged barriers exist only in D3D12's driver interface");
                Form::Nothing
            }
            BarrierTarget::EmptyGroup(_) => Form::Nothing,
            _ => {
                entry.note("names no resource of its kind");
                Form::Nothing
            }
        };
    }

    fn image_form(
        &self,
        texture: ResourceId,
        barrier: &Barrier,
        (before, after): (Layout, Layout),
        mut masks: Masks,
        entry: &mut Entry,
    ) -> Form {
        if after == Layout::Undefined {
            let why = if before == Layout::Undefined {
                "both layouts UNDEFINED: the layout stays, which Vulkan says with a memory barrier"
            } else {
                "LayoutAfter UNDEFINED: Vulkan has no transition to UNDEFINED, the layout stays"
            };
            entry.note(why);
            return Form::Memory(masks);
        }
        let image = self.image(texture, barrier);
        let (old, old_note) = self.table.layout(before, &image);
        let (new, new_note) = self.table.layout(after, &image);
        for note in [old_note, new_note].into_iter().flatten() {
            entry.note(note);
        }
        if self.table == Table::Minimal && (old != new || barrier.sync_before != barrier.sync_after)
        {
            chain_nothing(&mut masks, entry);
        }
        let (range, inexact) = image_range(self.scenario, texture, barrier);
        if let Some(why) = inexact {
            entry.note(why);
        }
        Form::Image {
            resource: texture,
            masks,
            old,
            new,
            range,
        }
    }
}

impl Entry {
    fn note(&mut self, note: &str) {
        if !self.notes.iter().any(|known| known == note) {
            self.notes.push(note.to_owned());
        }
    }
}

/// `NONE` in D3D12 leans on the boundary of the submission, which orders everything. In Vulkan an empty stage mask chains
/// with nothing, not even with the boundary's own barrier: the other side's stages do.
fn chain_nothing(masks: &mut Masks, entry: &mut Entry) {
    let (before, after) = (masks.src_stages, masks.dst_stages);
    if !before.is_empty() && !after.is_empty() {
        return;
    }
    let either = before | after;
    let stages = if either.is_empty() {
        StageFlags::ALL_COMMANDS
    } else {
        either
    };
    (masks.src_stages, masks.dst_stages) = (stages, stages);
    entry
        .note("NONE: an empty mask would chain with nothing, so the other side's stages are named");
}

/// The aspects of a whole texture.
pub(super) fn whole_aspects(scenario: &Scenario, resource: ResourceId) -> Aspects {
    let planes = scenario
        .resource(resource)
        .texture()
        .map_or(1, TextureShape::planes);
    aspects_of(scenario, resource, (0, planes))
}

fn aspects_of(scenario: &Scenario, resource: ResourceId, planes: (u32, u32)) -> Aspects {
    let texture = scenario.resource(resource);
    if !texture.flags.contains(ResourceFlags::DEPTH_STENCIL) {
        return Aspects::Color;
    }
    match (texture.texture().map_or(1, TextureShape::planes), planes) {
        (1, _) | (_, (0, 1)) => Aspects::Depth,
        (_, (1, 2)) => Aspects::Stencil,
        _ => Aspects::DepthStencil,
    }
}

fn planes(shape: &TextureShape, barrier: &Barrier) -> (u32, u32) {
    let sub = barrier
        .as_texture()
        .and_then(|entry| geometry::barrier_box(shape, &entry.range).ok());
    sub.map_or((0, shape.planes()), |sub| sub.planes)
}

/// The range of an entry's image, and why it is not exact.
fn image_range(
    scenario: &Scenario,
    texture: ResourceId,
    barrier: &Barrier,
) -> (ImageRange, Option<&'static str>) {
    let shape = scenario
        .resource(texture)
        .texture()
        .expect("images are made of textures");
    let entry = barrier
        .as_texture()
        .expect("images are made of texture entries");
    let (sub, inexact) = match geometry::barrier_box(shape, &entry.range) {
        Ok(sub) => (sub, None),
        Err(_) => (
            geometry::SubresourceBox::all(shape),
            Some("the range is out of bounds: everything is named"),
        ),
    };
    let depth = shape.format.is_depth();
    let names: Vec<String> = (sub.planes.0..sub.planes.1)
        .map(|plane| match (depth, shape.planes(), plane) {
            (true, _, 0) => "VK_IMAGE_ASPECT_DEPTH_BIT".to_owned(),
            (true, _, _) => "VK_IMAGE_ASPECT_STENCIL_BIT".to_owned(),
            (false, 1, _) => "VK_IMAGE_ASPECT_COLOR_BIT".to_owned(),
            (false, _, plane) => format!("VK_IMAGE_ASPECT_PLANE_{plane}_BIT"),
        })
        .collect();
    let range = ImageRange {
        aspect_mask: names.join(" | "),
        mips: (sub.mips.0, sub.mips.1 - sub.mips.0),
        layers: (sub.layers.0, sub.layers.1 - sub.layers.0),
    };
    (range, inexact)
}

/// What of a device a scenario uses.
fn features(scenario: &Scenario) -> Features {
    let mut features = Features::default();
    let structures = BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
        | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE;
    features.raytracing = scenario.resources.values().any(|resource| {
        resource
            .flags
            .contains(ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE)
    });
    let commands = scenario.commands();
    for command in commands {
        features.raytracing |= matches!(command.kind, CommandKind::DispatchRays { .. });
        features.predication |= matches!(command.kind, CommandKind::Predicate);
        let uses = command.uses.iter().map(|u| u.access);
        let entries = command.kind.barriers().iter();
        let asked = entries.map(|entry| entry.access_before | entry.access_after);
        for access in uses.chain(asked) {
            features.raytracing |= access.intersects(structures);
            features.stream_output |= access.contains(BarrierAccess::STREAM_OUTPUT);
            features.shading_rate |= access.contains(BarrierAccess::SHADING_RATE_SOURCE);
        }
    }
    features
}

/// The stages of an entry together with those of its run.
#[derive(Copy, Clone, Debug)]
pub(super) struct Joined {
    before: BarrierSync,
    after: BarrierSync,
}

/// For each entry of each barrier call of a list the stages of its run: entries on one resource with no work between
/// them wait for what any of them waits for, and hold what any of them holds (reading R52). Vulkan chains barriers only
/// where their stages meet, so a later entry also waits for what the earlier ones hold.
pub(super) fn joined(scenario: &Scenario, list: ListId, join: bool) -> Vec<Vec<Joined>> {
    let commands = &scenario.lists[list].commands;
    let own = |entry: &Barrier| Joined {
        before: entry.sync_before,
        after: entry.sync_after,
    };
    let mut all: Vec<Vec<Joined>> = commands
        .iter()
        .map(|command| command.kind.barriers().iter().map(own).collect())
        .collect();
    if !join {
        return all;
    }
    let mut start = 0;
    while start < commands.len() {
        let end = start
            + commands[start..]
                .iter()
                .take_while(|command| !command.kind.does_work())
                .count();
        join_run(&commands[start..end], &mut all[start..end]);
        start = end.max(start) + 1;
    }
    all
}

fn join_run(commands: &[Command], joined: &mut [Vec<Joined>]) {
    let mut runs: indexmap::IndexMap<ResourceId, Vec<(usize, usize)>> = indexmap::IndexMap::new();
    for (at, command) in commands.iter().enumerate() {
        for (index, entry) in command.kind.barriers().iter().enumerate() {
            if let Some(resource) = entry.resource() {
                runs.entry(resource).or_default().push((at, index));
            }
        }
    }
    let plain = |sync: BarrierSync| {
        if sync.is_split() {
            BarrierSync::NONE
        } else {
            sync
        }
    };
    for places in runs.into_values().filter(|places| places.len() > 1) {
        let entry = |(at, index): (usize, usize)| &commands[at].kind.barriers()[index];
        let mut before = BarrierSync::NONE;
        let mut after = BarrierSync::NONE;
        for place in &places {
            before |= plain(entry(*place).sync_before);
            after |= plain(entry(*place).sync_after);
        }
        let mut held = BarrierSync::NONE;
        for place in places {
            let own = entry(place);
            let to = &mut joined[place.0][place.1];
            if !own.sync_before.is_split() {
                to.before = before | held;
            }
            if !own.sync_after.is_split() {
                to.after = after;
            }
            held |= after;
        }
    }
}
