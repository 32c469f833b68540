//! Other places for a placed resource that is not aligned, or that its heap does not hold (reading R71): the nearest
//! multiple, a heap that is long enough.

use super::Candidate;
use super::declared::statement;
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{HeapId, ResourceId, narrow};
use crate::scenario::{Placement, Scenario, geometry, size_text};

/// Other places, and other heap sizes, for the resource of a finding.
pub(super) fn candidates(source: &Source, written: &Scenario, finding: &Finding) -> Vec<Candidate> {
    let Some(id) = super::resource_of(written, finding) else {
        return Vec::new();
    };
    let resource = written.resource(id);
    let Placement::Placed { heap, offset } = resource.placement else {
        return Vec::new();
    };
    let (bytes, size) = (geometry::resource_bytes(resource), written.heaps[heap].size);
    let alignment = geometry::least_placement_alignment(resource);
    let below = offset - offset % alignment;
    let mut places = Vec::new();
    if below != offset {
        places.extend([Some(below), below.checked_add(alignment)]);
    }
    let fits = |place: u64| place.checked_add(bytes).is_some_and(|end| end <= size);
    let mut candidates = Vec::new();
    if offset.saturating_add(bytes) > size {
        if below == offset {
            candidates.extend(longer(source, written, heap, offset.saturating_add(bytes)));
        }
        let last = size.checked_sub(bytes);
        places.push(last.map(|last| last - last % alignment));
    }
    let mut places: Vec<u64> = places
        .into_iter()
        .flatten()
        .filter(|at| fits(*at))
        .collect();
    // Where it is next to others, and not on them.
    places.sort_by_key(|at| shared(written, id, heap, (*at, *at + bytes)));
    candidates.extend(
        places
            .into_iter()
            .filter_map(|at| moved(source, written, id, at)),
    );
    candidates
}

/// Other resources of a heap that have bytes in a range, the resource itself left out.
fn shared(written: &Scenario, own: ResourceId, heap: HeapId, (start, end): (u64, u64)) -> usize {
    let others = written.resources.pairs().filter(|(id, _)| *id != own);
    let meets = |placement: &Placement, bytes: u64| match placement {
        Placement::Placed {
            heap: other,
            offset,
        } => *other == heap && *offset < end && start < offset.saturating_add(bytes),
        Placement::Committed | Placement::Reserved => false,
    };
    others
        .filter(|(_, other)| meets(&other.placement, geometry::resource_bytes(other)))
        .count()
}

/// The resource at another place of its heap.
fn moved(source: &Source, written: &Scenario, id: ResourceId, to: u64) -> Option<Candidate> {
    let span = written.resource(id).span;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    let heap = statement(text, "heap")?;
    let end = text[heap..].find([';', '}', '\n']).map(|end| heap + end);
    let option = text[heap..end.unwrap_or(text.len())].trim_end();
    let at = option.rfind(" at ")? + " at ".len();
    let to = place_text(to);
    let name = written.resource_name(id);
    let start = span.start + narrow(heap + at);
    let edit = Edit::new(
        Span::new(start, span.start + narrow(heap + option.len())),
        to.clone(),
    );
    Some(Candidate::new(
        vec![edit],
        format!("place `{name}` at {to}"),
    ))
}

/// The heap with so many bytes.
fn longer(source: &Source, written: &Scenario, heap: HeapId, bytes: u64) -> Option<Candidate> {
    let span = written.heaps[heap].span;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    let from = text.find(':')? + 1;
    let rest = &text[from..];
    let end = rest.find(['{', '\n']).unwrap_or(rest.len());
    let written_size = rest[..end].trim();
    let start = span.start + narrow(from + rest.find(written_size)?);
    let edit = Edit::new(
        Span::new(start, start + narrow(written_size.len())),
        size_text(bytes),
    );
    let says = format!(
        "make the heap `{}` {} long",
        written.heaps.name(heap),
        size_text(bytes)
    );
    Some(Candidate::new(vec![edit], says))
}

/// A place in a heap as the language writes it.
fn place_text(at: u64) -> String {
    if at == 0 {
        "0".to_owned()
    } else {
        size_text(at)
    }
}
