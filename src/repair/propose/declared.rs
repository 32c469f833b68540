//! What a declaration lacks: a creation flag, a capability. It is the cause of whatever its uses are told.

use super::Candidate;
use crate::api::ResourceFlags;
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::narrow;
use crate::pipeline::front::Prepared;
use crate::scenario::{Resource, Scenario};

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
        "EB024" => without_initial(source, written, finding)
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
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
    let at = |from: usize, to: usize| Span {
        start: span.start + narrow(from),
        end: span.start + narrow(to),
    };
    if let Some(from) = statement(text, "flags") {
        let rest = &text[from..];
        let end = rest.find([';', '}', '\n']).unwrap_or(rest.len());
        let written = rest[..end].trim_end();
        let text = if flags.is_empty() {
            String::new()
        } else {
            format!("flags {flags}")
        };
        return Some(Edit {
            span: at(from, from + written.len()),
            text,
        });
    }
    if let Some(open) = text.find('{') {
        return Some(Edit {
            span: at(open + 1, open + 1),
            text: format!(" flags {flags};"),
        });
    }
    Some(Edit {
        span: at(text.len(), text.len()),
        text: format!(" {{ flags {flags} }}"),
    })
}

/// Where a statement that begins with a word begins.
fn statement(text: &str, word: &str) -> Option<usize> {
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
    let span = Span {
        start: span.start + narrow(from),
        end: span.start + narrow(from + with_semicolon),
    };
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
