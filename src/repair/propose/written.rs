//! Other text for a barrier entry: what does not change stays as the user wrote it.

use super::Candidate;
use crate::finding::{Edit, Source};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Scenario, TextureBarrier, print_barrier,
};

/// The change that writes other fields into an entry.
pub(super) fn writes(
    source: &Source,
    scenario: &Scenario,
    old: &Barrier,
    new: &Barrier,
) -> Candidate {
    let edit = rewritten(source, scenario, old, new);
    let says = if edit.text.contains('\n') {
        format!("write `{}`", print_barrier(scenario, new))
    } else {
        format!("write `{}`", edit.text)
    };
    Candidate::new(vec![edit], says)
}

/// Other text for an entry. What does not change stays as the user wrote it: lines, comments, the order and the names of bits.
pub(super) fn rewritten(
    source: &Source,
    scenario: &Scenario,
    old: &Barrier,
    new: &Barrier,
) -> Edit {
    let text = source
        .text
        .get(old.span.start as usize..old.span.end as usize)
        .and_then(|text| in_place(text, old, new))
        .and_then(|text| with_target(scenario, text, old, new))
        .unwrap_or_else(|| print_barrier(scenario, new));
    Edit::new(old.span, text)
}

/// The text of an entry with another resource or range in front of its fields; `None` if that is said among them.
fn with_target(scenario: &Scenario, text: String, old: &Barrier, new: &Barrier) -> Option<String> {
    let head = |barrier: &Barrier| {
        let printed = print_barrier(scenario, barrier);
        printed
            .split_once('{')
            .map(|(head, _)| head.trim_end().to_owned())
    };
    // What is said among the fields.
    let inside = |barrier: &Barrier| match barrier.target {
        BarrierTarget::Texture(TextureBarrier {
            range: BarrierRange::Raw(fields),
            ..
        }) => (Some(fields), None, None),
        BarrierTarget::Buffer { offset, size, .. } => (None, offset, size),
        _ => (None, None, None),
    };
    let is_other_kind = std::mem::discriminant(&old.target) != std::mem::discriminant(&new.target);
    let (was, is) = (head(old)?, head(new)?);
    if is_other_kind || inside(old) != inside(new) {
        return None;
    }
    if was == is {
        return Some(text);
    }
    let (_, fields) = text.split_once('{')?;
    Some(format!("{is} {{{fields}"))
}

/// The text of an entry with its changed fields replaced; `None` if one is not written there.
fn in_place(text: &str, old: &Barrier, new: &Barrier) -> Option<String> {
    let sync = |barrier: &Barrier| {
        let sides = [barrier.sync_before, barrier.sync_after];
        sides.map(|sync| sync.to_string())
    };
    let access = |barrier: &Barrier| {
        let sides = [barrier.access_before, barrier.access_after];
        sides.map(|access| access.to_string())
    };
    let mut text = text.to_owned();
    for (word, was, is) in [
        ("sync", sync(old), sync(new)),
        ("access", access(old), access(new)),
    ] {
        if was != is {
            text = with_statement(&text, word, |written| with_sides(written, &was, &is))?;
        }
    }
    if let (Some((was, was_discard)), Some((is, is_discard))) = (layouts(old), layouts(new)) {
        let discard = match (was_discard, is_discard) {
            (a, b) if a == b => "",
            (false, true) => "; discard",
            (_, _) => return None,
        };
        if was != is || !discard.is_empty() {
            text = with_statement(&text, "layout", |written| {
                let written = with_sides(written, &was, &is)?;
                Some(format!("{written}{discard}"))
            })?;
        }
    }
    Some(text)
}

/// The names of an entry's layouts, and whether it discards.
fn layouts(barrier: &Barrier) -> Option<([String; 2], bool)> {
    let entry = barrier.as_texture()?;
    let layouts = [entry.layout_before, entry.layout_after];
    let names = layouts.map(|layout| layout.name().into_owned());
    Some((names, entry.discard))
}

/// A statement `word A -> B` with the side that changes replaced; bits that are only added come after those that are written.
fn with_sides(written: &str, was: &[String; 2], is: &[String; 2]) -> Option<String> {
    let (head, after) = written.split_once("->")?;
    let (word, before) = head.trim().split_once([' ', '\t'])?;
    let side = |written: &str, was: &str, is: &str| {
        let written = written.trim();
        let has = |bits: &str, bit: &str| bits.split('|').any(|known| known == bit);
        if was == is {
            written.to_owned()
        } else if written != was && was.split('|').all(|bit| has(is, bit)) {
            let added: Vec<&str> = is.split('|').filter(|bit| !has(was, bit)).collect();
            format!("{written}|{}", added.join("|"))
        } else {
            // What is written as it is printed gets printed.
            is.to_owned()
        }
    };
    let before = side(before, &was[0], &is[0]);
    let after = side(after, &was[1], &is[1]);
    Some(format!("{word} {before} -> {after}"))
}

/// A text with the statement that begins with a word replaced.
fn with_statement(
    text: &str,
    word: &str,
    other: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let open = text.find('{')?;
    let mut from = open + 1;
    loop {
        let start = from + text[from..].find(word)?;
        let before = text[..start].trim_end_matches([' ', '\t']);
        let begins = before.ends_with(['{', ';', '\n']);
        let ends = text[start + word.len()..].starts_with([' ', '\t']);
        if !(begins && ends) {
            from = start + word.len();
            continue;
        }
        let mut end = start;
        for (at, character) in text[start..].char_indices() {
            let goes_on = text[start..start + at]
                .trim_end()
                .ends_with(['>', '|', ',']);
            let is_comment = text[start + at..].starts_with("//");
            if matches!(character, ';' | '}') || character == '\n' && !goes_on || is_comment {
                break;
            }
            end = start + at + character.len_utf8();
        }
        let end = start + text[start..end].trim_end().len();
        let statement = other(&text[start..end])?;
        let mut edited = text.to_owned();
        edited.replace_range(start..end, &statement);
        return Some(edited);
    }
}
