//! What a declaration lacks or should say instead: a creation flag, a capability, the layout or the heap in which a
//! resource is created. It is the cause of whatever its uses are told.

use super::{Candidate, mapped, placed};
use crate::api::{HeapType, ResourceFlags, compat};
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{ResourceId, narrow};
use crate::legacy::states;
use crate::order::SubmissionKind;
use crate::pipeline::front::Prepared;
use crate::scenario::{CommandKind, Initial, Placement, Resource, Scenario};

/// Changes of declarations that may remove a finding, the likeliest first.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    let written = prepared.written();
    match finding.rule.id {
        "EB017" | "LB006" | "LB019" => flags(source, written, finding),
        "EB001" | "EB025" | "LB018" => capabilities(source, written),
        "EB024" => {
            let mut found: Vec<Candidate> = without_initial(source, written, finding)
                .into_iter()
                .collect();
            found.extend(placed::candidates(source, written, finding));
            found
        }
        "EB018" => in_other_memory(source, prepared, finding),
        "EB052" => mapped::candidates(source, prepared, finding),
        "EB023" => in_common(source, written, finding).into_iter().collect(),
        "EB042" | "LB014" => in_the_words_of_its_barriers(source, written, finding)
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a finding is a creation flag that a barrier asks for and no use: then the barrier is the likelier to be wrong (reading
/// R73).
pub(in crate::repair) fn is_named_by_a_barrier_only(written: &Scenario, finding: &Finding) -> bool {
    let is_flag = matches!(finding.rule.id, "EB017" | "LB006");
    let Some((id, ..)) = declared(written, finding).filter(|_| is_flag) else {
        return false;
    };
    let refused = compat::refused_by_creation(written.traits(id));
    let commands = written.commands();
    let mut uses = commands.flat_map(|command| &command.uses);
    super::entry_at(written, finding.span).is_some()
        && !uses.any(|used| used.resource == id && used.access.intersects(refused))
}

/// The declaration of a finding's resource.
pub(super) fn declared<'s>(
    written: &'s Scenario,
    finding: &Finding,
) -> Option<(ResourceId, &'s str, &'s Resource)> {
    let id = super::resource_of(written, finding)?;
    let (name, resource) = written.resources.named(id)?;
    Some((id, name, resource))
}

/// A simultaneous-access texture created in `COMMON`, its only layout.
fn in_common(source: &Source, written: &Scenario, finding: &Finding) -> Option<Candidate> {
    let (_, name, resource) = declared(written, finding)?;
    if finding.span.start != resource.span.start {
        return None;
    }
    let edit = with_option(source, resource.span, "initial", "initial COMMON")?;
    let says = format!("create `{name}` with `initial COMMON`");
    Some(Candidate::new(vec![edit], says))
}

/// A texture created the way in which all of its barriers speak: with a `state` for legacy ones, else with `initial`.
fn in_the_words_of_its_barriers(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
) -> Option<Candidate> {
    let (id, name, resource) = declared(written, finding)?;
    let commands = || written.commands();
    let has_enhanced = commands()
        .flat_map(|command| command.kind.barriers())
        .any(|barrier| barrier.resource() == Some(id));
    let has_legacy = commands()
        .flat_map(|command| command.kind.legacy())
        .any(|entry| entry.kind.names(id));
    let (word, new) = match resource.initial {
        Initial::State(state) if has_enhanced && !has_legacy => {
            ("state", format!("initial {}", states::layout(state).name()))
        }
        Initial::Layout(layout) if has_legacy && !has_enhanced => {
            ("initial", format!("state {}", states::of_layout(layout)?))
        }
        _ => return None,
    };
    let edit = with_option(source, resource.span, word, &new)?;
    let says = format!("create `{name}` with `{new}`");
    Some(Candidate::new(vec![edit], says))
}

/// The resource in a heap of another type, or a copy turned around.
fn in_other_memory(source: &Source, prepared: &Prepared<'_>, finding: &Finding) -> Vec<Candidate> {
    let written = prepared.written();
    let Some((id, name, resource)) = declared(written, finding) else {
        return Vec::new();
    };
    let (what, span) = match resource.placement {
        Placement::Placed { heap, .. } => {
            let heap_name = written.heaps.name(heap);
            (format!("the heap `{heap_name}`"), written.heaps[heap].span)
        }
        Placement::Committed | Placement::Reserved => (format!("`{name}`"), resource.span),
    };
    let types = match written.heap_type(id) {
        HeapType::Upload => [HeapType::Readback, HeapType::Default],
        _ => [HeapType::Upload, HeapType::Default],
    };
    let mut candidates: Vec<Candidate> = types
        .into_iter()
        .filter_map(|other| {
            let new = format!("type {other}");
            let edit = with_option(source, span, "type", &new)?;
            let says = format!("create {what} with `{new}`");
            Some(Candidate::new(vec![edit], says))
        })
        .collect();
    // Where the CPU does what the heap is for, the heap is right.
    let is_mapped = prepared.timeline().submissions.iter().any(|submission| {
        let heap = written.heap_type(id);
        match submission.kind {
            SubmissionKind::CpuWrite { resource } => resource == id && heap == HeapType::Upload,
            SubmissionKind::CpuRead { resource } => resource == id && heap == HeapType::Readback,
            _ => false,
        }
    });
    let turned = turned(source, written, finding.span);
    let at = if is_mapped { 0 } else { candidates.len() };
    candidates.splice(at..at, turned);
    candidates
}

/// The copy at a place with its two sides exchanged.
fn turned(source: &Source, written: &Scenario, at: Span) -> Option<Candidate> {
    let mut commands = written.commands();
    let copy = commands.find(|command| {
        let is_copy = matches!(command.kind, CommandKind::Copy);
        is_copy && command.span.start <= at.start && at.start < command.span.end
    })?;
    let text = source
        .text
        .get(copy.span.start as usize..copy.span.end as usize)?;
    let (from, to) = text.strip_prefix("copy ")?.split_once("->")?;
    let (from, to) = (from.trim(), to.trim());
    if from.contains(' ') || to.contains("->") {
        return None;
    }
    let text = format!("copy {to} -> {from}");
    let says = format!("turn the copy around: `{text}`");
    let span = copy.span;
    Some(Candidate::new(vec![Edit { span, text }], says))
}

/// An option of a declaration, written otherwise.
pub(super) fn with_option(source: &Source, declared: Span, word: &str, new: &str) -> Option<Edit> {
    let text = source
        .text
        .get(declared.start as usize..declared.end as usize)?;
    let from = statement(text, word)?;
    let rest = &text[from..];
    let end = rest.find([';', '}', '\n']).unwrap_or(rest.len());
    let written = rest[..end].trim_end();
    let start = declared.start + narrow(from);
    Some(Edit::new(
        Span::new(start, start + narrow(written.len())),
        new,
    ))
}

/// Flags that the resource of a finding lacks, or has and should not have.
fn flags(source: &Source, written: &Scenario, finding: &Finding) -> Vec<Candidate> {
    let name = finding.resource.as_deref();
    let Some((name, resource)) = name.and_then(|name| written.resources.get_key_value(name)) else {
        return Vec::new();
    };
    let wanted = [
        ResourceFlags::RENDER_TARGET,
        ResourceFlags::DEPTH_STENCIL,
        ResourceFlags::UNORDERED_ACCESS,
        ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE,
    ];
    let mut candidates: Vec<Candidate> = wanted
        .into_iter()
        .filter(|flag| !resource.flags.contains(*flag))
        .filter_map(|flag| {
            let both = resource.flags | flag;
            let edit = with_flags(source, resource, both)?;
            let says = format!("create `{name}` with `flags {both}`");
            Some(Candidate::new(vec![edit], says))
        })
        .collect();
    let denied = ResourceFlags::DENY_SHADER_RESOURCE;
    if resource.flags.contains(denied) {
        let rest = resource.flags.difference(denied);
        candidates.extend(with_flags(source, resource, rest).map(|edit| {
            let says = format!("create `{name}` without `DENY_SHADER_RESOURCE`");
            Candidate::new(vec![edit], says)
        }));
    }
    candidates
}

/// The declaration with other flags: in the statement that it has, in a new one, in a new block.
fn with_flags(source: &Source, resource: &Resource, flags: ResourceFlags) -> Option<Edit> {
    let span = resource.span;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    let at = |from: usize, to: usize| Span::new(span.start + narrow(from), span.start + narrow(to));
    if let Some(from) = statement(text, "flags") {
        let rest = &text[from..];
        let end = rest.find([';', '}', '\n']).unwrap_or(rest.len());
        let written = rest[..end].trim_end();
        let text = if flags.is_empty() {
            String::new()
        } else {
            format!("flags {flags}")
        };
        return Some(Edit::new(at(from, from + written.len()), text));
    }
    with_new_option(source, span, &format!("flags {flags}"))
}

/// An option added to a declaration: in its block, or in a new one.
pub(super) fn with_new_option(source: &Source, declared: Span, new: &str) -> Option<Edit> {
    let text = source
        .text
        .get(declared.start as usize..declared.end as usize)?;
    let (at, text) = match text.find('{') {
        Some(open) => (open + 1, format!(" {new};")),
        None => (text.len(), format!(" {{ {new} }}")),
    };
    let at = declared.start + narrow(at);
    Some(Edit::insertion(at, text))
}

/// Where a statement that begins with a word begins.
pub(super) fn statement(text: &str, word: &str) -> Option<usize> {
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        let after = &text[at + word.len()..];
        before.ends_with(['{', ';', '\n']) && after.starts_with([' ', '\t'])
    })
}

/// A buffer without the layout that it cannot start in.
fn without_initial(source: &Source, written: &Scenario, finding: &Finding) -> Option<Candidate> {
    let name = finding.resource.as_deref()?;
    let span = written.resources.get(name)?.span;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    let from = statement(text, "initial")?;
    let rest = &text[from..];
    let end = rest.find([';', '}', '\n']).unwrap_or(rest.len());
    let with_semicolon = end + usize::from(rest[end..].starts_with(';'));
    let span = Span::new(
        span.start + narrow(from),
        span.start + narrow(from + with_semicolon),
    );
    let text = String::new();
    let says = format!("create `{name}` without `{}`", rest[..end].trim_end());
    Some(Candidate::new(vec![Edit { span, text }], says))
}

/// Capabilities that are switched off, switched on.
fn capabilities(source: &Source, written: &Scenario) -> Vec<Candidate> {
    let off = written.device.capabilities.iter().filter(|(_, on, _)| !on);
    off.filter_map(|(_, _, span)| {
        let text = source.text.get(span.start as usize..span.end as usize)?;
        let is_on = text.strip_suffix("off")?;
        let says = format!("switch `{is_on}on`");
        let text = format!("{is_on}on");
        Some(Candidate::new(vec![Edit { span: *span, text }], says))
    })
    .collect()
}
