//! What the names of caches mean that a report mentions: each once, in one place.

use super::super::text;
use super::{FAINT, Page};
use crate::run::{CacheRow, Report};
use std::io;

/// Explains the caches that findings and the critical path name.
pub(super) fn write(page: &mut Page<'_>, report: &Report) -> io::Result<()> {
    let style = page.style;
    let mut said: Vec<&str> = Vec::new();
    if style.parts.findings {
        for finding in &report.findings {
            said.push(&finding.message);
            said.extend(finding.notes.iter().map(String::as_str));
            said.extend(finding.related.iter().map(|r| r.label.as_str()));
            said.extend(finding.help.as_deref());
        }
    }
    if style.parts.path {
        let segments = report.frames.iter().flat_map(|frame| &frame.path);
        said.extend(segments.map(|segment| segment.target.as_str()));
    }
    let named = report.caches.iter().filter(|cache| {
        let mut said = said.iter();
        said.any(|text| words(text).any(|word| word == cache.name))
    });
    let entries: Vec<String> = named.map(explained).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let text = format!("caches of {}: {}", report.profile, entries.join("; "));
    for line in text::wrap(&text::clean(&text), style.columns) {
        let line = page.paint(FAINT, &line);
        page.line(&line)?;
    }
    Ok(())
}

/// Runs of letters, digits and what else the name of a cache may have.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'))
        .map(|word| word.trim_end_matches(['.', '-']))
}

fn explained(cache: &CacheRow) -> String {
    if cache.note.is_empty() {
        format!("{} is {}", cache.name, cache.policy)
    } else {
        format!(
            "{} is {}, {}",
            cache.name,
            cache.policy,
            cache.note.replace(';', ",")
        )
    }
}
