//! The comments of a printed translation.

use super::states;
use crate::api::ResourceState;
use crate::id::ResourceId;
use crate::scenario::{Barrier, Comments, LegacyBarrier, LegacyKind, Trivia, transition_text};
use std::borrow::Cow;

/// Longest comment line.
const COLUMNS: usize = 96;

/// Why an entry came out as it did: sentences, each once. Collects nothing unless they are wanted.
pub(super) struct Reasons {
    wanted: bool,
    said: Vec<Cow<'static, str>>,
}

impl Reasons {
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            wanted,
            said: Vec::new(),
        }
    }

    pub(super) fn say(&mut self, reason: impl Into<Cow<'static, str>>) {
        if self.wanted {
            let reason = reason.into();
            if !self.said.contains(&reason) {
                self.said.push(reason);
            }
        }
    }

    /// What there is to say about the layouts of two states.
    pub(super) fn layouts(&mut self, before: ResourceState, after: ResourceState) {
        for state in [before, after] {
            let meant = state - states::ONLY_ON_BUFFERS;
            let layouts = meant
                .iter()
                .map(states::layout)
                .filter(|layout| *layout != states::layout(meant))
                .count();
            if layouts > 0 {
                self.say("several read states share one layout that allows them all");
            }
        }
    }
}

/// Puts the reasons before the first entry, and the legacy entry's own comments around all.
pub(super) fn attach<'n>(
    barriers: &mut [Barrier],
    entry: &LegacyBarrier,
    reasons: &Reasons,
    name: impl Fn(ResourceId) -> &'n str,
) {
    let own = entry.trivia.0.as_deref().cloned().unwrap_or_default();
    let mut before = own.before;
    let said = format!("{}: {}.", was(entry, name), reasons.said.join("; "));
    for line in lines(&said) {
        before.push(&line);
    }
    let Some(first) = barriers.first_mut() else {
        return;
    };
    let after = own.after.and_then(|text| without_legacy(&text));
    first.trivia = Trivia(Some(Box::new(Comments {
        before,
        blank_before: own.blank_before,
        // An expectation names the line on which the entry starts.
        keep_line: after.as_ref().is_some_and(|text| text.starts_with("//~")),
        after,
        ..Comments::default()
    })));
}

/// The comments of a call: entries are on lines of their own now.
pub(super) fn of_call(trivia: Trivia) -> Trivia {
    let Some(comments) = trivia.0 else {
        return trivia;
    };
    let comments = Comments {
        keep_line: false,
        close_joined: false,
        joined: false,
        open: comments.open.and_then(|text| without_legacy(&text)),
        after: comments.after.and_then(|text| without_legacy(&text)),
        ..*comments
    };
    let empty = comments == Comments::default();
    Trivia((!empty).then(|| Box::new(comments)))
}

/// An expectation without what only legacy entries are found guilty of.
fn without_legacy(comment: &str) -> Option<String> {
    let Some(ids) = comment.strip_prefix("//~") else {
        return Some(comment.to_owned());
    };
    let kept: Vec<&str> = ids
        .split(',')
        .map(str::trim)
        .filter(|id| !id.starts_with("LB"))
        .collect();
    (!kept.is_empty()).then(|| format!("//~ {}", kept.join(", ")))
}

/// The legacy entry in words.
fn was<'n>(entry: &LegacyBarrier, name: impl Fn(ResourceId) -> &'n str) -> String {
    let or_all = |id: Option<ResourceId>| id.map_or("*", &name);
    match &entry.kind {
        LegacyKind::Transition(it) => {
            let text = transition_text(name(it.resource), it.states(), it.split);
            format!("was `{text}`")
        }
        LegacyKind::Uav(resource) => format!("was `uav {}`", or_all(*resource)),
        LegacyKind::Alias(from, to) => format!("was `alias {} -> {}`", or_all(*from), or_all(*to)),
    }
}

/// Comment lines of a text.
fn lines(text: &str) -> Vec<String> {
    let mut lines = vec![String::from("//")];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("there is one");
        if last.len() + 1 + word.len() > COLUMNS && last.len() > 2 {
            lines.push(format!("// {word}"));
        } else {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines
}
