//! What the D3D12 runtime hands to the driver while lists are recorded: a scenario's barriers in the driver interface's
//! form, list by list, call by call.
//!
//! The runtime drops the API's groups: a driver gets one flat array a call. Legacy calls arrive as enhanced barriers, in
//! the layouts that exist only for them (Spec: "Legacy layouts"); nothing here knows which of them a texture is really
//! in, as the runtime does not either. Whether a barrier is legal is not decided here.
//!
//! Spec: "DDI", "Compatibility with legacy `D3D12_RESOURCE_STATES`".

use super::legacy;
use crate::api::ddi::{
    self, BufferBarrier, CreateResource, DdiBarrier, RangedBarrier, RangedFlags,
};
use crate::api::{BarrierFlags, ddi::SubresourceRange, ddi::TextureBarrier};
use crate::finding::Span;
use crate::id::{ListId, ResourceId, narrow};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Capability, Command, CommandKind, Initial, LegacyKind,
    List, Range, Resource, ResourceKind, Scenario, TextureShape,
};

/// Everything that the driver is handed before anything executes.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct HandedOver {
    /// What the driver said of itself. If it does not take enhanced barriers it gets none of this.
    pub options: ddi::OptionsData,
    /// Resources as they were created, in the order of their declarations.
    pub resources: Vec<(ResourceId, CreateResource)>,
    /// Lists that record barriers, in the order of their text.
    pub lists: Vec<ListCalls>,
}

/// The barrier calls of one list.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ListCalls {
    /// The list.
    pub list: ListId,
    /// Its calls in order.
    pub calls: Vec<Call>,
}

/// What the application called.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Origin {
    /// `Barrier()`.
    Barrier,
    /// `ResourceBarrier()`.
    ResourceBarrier,
    /// A fence barrier, which this revision of the driver interface does not have.
    FenceBarrier,
}

/// One call of `PFND3D12DDI_BARRIER`.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Call {
    /// Where the application's call is.
    pub span: Span,
    /// What the application called.
    pub origin: Origin,
    /// Its entries in order.
    pub entries: Vec<HandedEntry>,
}

impl Call {
    /// `NumBarriers`.
    pub fn barriers(&self) -> usize {
        self.entries.iter().filter(|e| e.form.is_ok()).count()
    }
}

/// One entry of a call and what became of it.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct HandedEntry {
    /// Where the application's entry is.
    pub span: Span,
    /// Index of the group in the call. A legacy call has one.
    pub group: u32,
    /// Index in the group.
    pub index: u32,
    /// The driver's form, or why there is none.
    pub form: Result<DdiBarrier<ResourceId>, &'static str>,
}

/// What the driver is handed. `translated` is the same scenario without legacy barriers: aliasing entries, whose
/// form no source describes, are handed over as this program translates them.
pub fn handed_over(scenario: &Scenario, translated: &Scenario) -> HandedOver {
    let mut lists = Vec::new();
    for (id, list) in scenario.lists.pairs() {
        let calls: Vec<_> = list
            .commands
            .iter()
            .zip(&translated.lists[id].commands)
            .filter_map(|(command, plain)| call(scenario, list, command, plain))
            .collect();
        if !calls.is_empty() {
            lists.push(ListCalls { list: id, calls });
        }
    }
    let resources = scenario
        .resources
        .pairs()
        .map(|(id, resource)| (id, create(resource)))
        .collect();
    HandedOver {
        options: ddi::OptionsData {
            enhanced_barriers_supported: scenario.device.has(Capability::EnhancedBarriers),
        },
        resources,
        lists,
    }
}

/// The layout that the driver is told to create a resource in. Spec: "Initial Resource State".
pub fn create(resource: &Resource) -> CreateResource {
    let layout = match resource.initial {
        _ if resource.is_buffer() => crate::api::Layout::Undefined,
        Initial::State(_) if resource.is_simultaneous() => crate::api::Layout::Common,
        Initial::State(state) => legacy::layout(state),
        Initial::Layout(layout) => layout,
        Initial::Default => crate::api::Layout::Common,
    };
    CreateResource {
        initial_barrier_layout: ddi::layout(layout),
    }
}

fn call(scenario: &Scenario, list: &List, command: &Command, plain: &Command) -> Option<Call> {
    let (origin, entries) = match &command.kind {
        CommandKind::Barrier(barriers) => (Origin::Barrier, api_entries(scenario, barriers)),
        CommandKind::FenceBarrier { barriers, .. } => {
            let mut entries = api_entries(scenario, barriers);
            for entry in &mut entries {
                entry.form = Err("fence barriers have no form in this revision");
            }
            (Origin::FenceBarrier, entries)
        }
        CommandKind::Legacy(barriers) => {
            let mut entries = Vec::new();
            for (index, barrier) in barriers.iter().enumerate() {
                let mut forms = Vec::new();
                match &barrier.kind {
                    LegacyKind::Transition(_) | LegacyKind::Uav(_) => {
                        forms.push(legacy::entry(scenario, list.queue_type, &barrier.kind));
                    }
                    LegacyKind::Alias(..) => {
                        if let CommandKind::Barrier(plain) = &plain.kind {
                            let same = plain.iter().filter(|p| p.span == barrier.span);
                            forms.extend(same.map(|p| form(scenario, p)));
                        }
                    }
                }
                entries.extend(forms.into_iter().map(|form| HandedEntry {
                    span: barrier.span,
                    group: 0,
                    index: narrow(index),
                    form,
                }));
            }
            (Origin::ResourceBarrier, entries)
        }
        _ => return None,
    };
    Some(Call {
        span: command.span,
        origin,
        entries,
    })
}

/// Entries with their place in the API's groups: consecutive entries of one type are a group.
fn api_entries(scenario: &Scenario, barriers: &[Barrier]) -> Vec<HandedEntry> {
    let mut entries: Vec<HandedEntry> = Vec::with_capacity(barriers.len());
    let mut last = None;
    let (mut group, mut index) = (0, 0);
    for barrier in barriers {
        let kind = std::mem::discriminant(&barrier.target);
        let empty = matches!(barrier.target, BarrierTarget::EmptyGroup(_));
        match last {
            None => {}
            Some(known) if known == kind && !empty => index += 1,
            Some(_) => (group, index) = (group + 1, 0),
        }
        last = Some(kind);
        entries.push(HandedEntry {
            span: barrier.span,
            group,
            index,
            form: form(scenario, barrier),
        });
    }
    entries
}

/// One API entry in the driver's form, or why it has none.
pub(super) fn form(
    scenario: &Scenario,
    barrier: &Barrier,
) -> Result<DdiBarrier<ResourceId>, &'static str> {
    const NULL: &str = "the resource is NULL";
    let scopes = ddi::scopes(
        barrier.sync_before,
        barrier.sync_after,
        barrier.access_before,
        barrier.access_after,
    );
    Ok(match &barrier.target {
        BarrierTarget::Global => DdiBarrier::Global(scopes),
        BarrierTarget::Texture(entry) => {
            let resource = entry.resource.ok_or(NULL)?;
            DdiBarrier::Texture(TextureBarrier {
                scopes,
                layout_before: ddi::layout(entry.layout_before),
                layout_after: ddi::layout(entry.layout_after),
                resource,
                subresources: match &entry.range {
                    BarrierRange::Raw(raw) => raw_range(*raw),
                    BarrierRange::Range(range) => {
                        subresources(scenario.resource(resource).texture(), range)
                    }
                },
                flags: if entry.discard {
                    BarrierFlags::DISCARD
                } else {
                    BarrierFlags::empty()
                },
            })
        }
        // The API's offset and size are not handed over. Spec: "Buffer Barriers".
        BarrierTarget::Buffer { resource, .. } => DdiBarrier::Buffer(BufferBarrier {
            scopes,
            resource: resource.ok_or(NULL)?,
        }),
        BarrierTarget::Ranged {
            resource,
            range,
            flags,
        } => {
            let resource = resource.ok_or(NULL)?;
            let declared = scenario.resource(resource);
            DdiBarrier::Ranged(RangedBarrier {
                flags: RangedFlags::from_bits_retain(*flags),
                resource,
                subresources: subresources(declared.texture(), range),
                bytes: bytes(declared, range),
            })
        }
        BarrierTarget::EmptyGroup(_) => return Err("the group is empty"),
    })
}

fn raw_range([first, mips, slice, slices, plane, planes]: [u32; 6]) -> SubresourceRange {
    SubresourceRange {
        index_or_first_mip_level: first,
        num_mip_levels: mips,
        first_array_slice: slice,
        num_array_slices: slices,
        first_plane: plane,
        num_planes: planes,
    }
}

/// A range of the language in the header's six numbers. What is left out is everything of that dimension.
pub(super) fn subresources(shape: Option<&TextureShape>, range: &Range) -> SubresourceRange {
    match (range, shape) {
        (Range::Subresource(index), _) => raw_range([*index, 0, 0, 0, 0, 0]),
        (Range::Subresources(part), Some(shape)) => {
            let (mip, mip_end) = part.mips.unwrap_or((0, shape.mips));
            let (slice, slice_end) = part.layers.unwrap_or((0, shape.layers));
            let (plane, plane_end) = part.planes.unwrap_or((0, shape.planes()));
            let count = |end: u32, first: u32| end.saturating_sub(first);
            raw_range([
                mip,
                count(mip_end, mip),
                slice,
                count(slice_end, slice),
                plane,
                count(plane_end, plane),
            ])
        }
        _ => SubresourceRange::ALL,
    }
}

/// The bytes of a ranged barrier: those of a buffer; a texture's part is named by its subresources.
fn bytes(resource: &Resource, range: &Range) -> (u64, u64) {
    match (&resource.kind, range) {
        (ResourceKind::Buffer { .. }, Range::Bytes { start, end }) => (*start, *end),
        (ResourceKind::Buffer { size }, _) => (0, *size),
        _ => (0, 0),
    }
}
