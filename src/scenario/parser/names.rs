//! Names: declaring them, and finding what was declared.

use super::{NAME_BYTES_MAX, Parsed, Parser, Reported};
use crate::finding::{Finding, Span};
use crate::id::{FenceId, HeapId, ListId, QueueId, ResourceId, narrow};
use crate::lookup::LookupMap;
use crate::scenario::model::{Role, Scenario};
use crate::scenario::rules;
use crate::scenario::suggest::nearest;

/// Declared names that a message lists.
const NAMED: usize = 12;

impl<'s> Parser<'s, '_> {
    /// Takes the name of a declaration and checks its length.
    pub(super) fn new_name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        let (name, span) = self.word(what)?;
        if name.len() > NAME_BYTES_MAX {
            return Err(self.error(
                &rules::LIMIT_EXCEEDED,
                span,
                format!(
                    "a name has {} bytes; the limit is {NAME_BYTES_MAX}",
                    name.len()
                ),
                None,
            ));
        }
        Ok((name, span))
    }

    /// Says that a name is taken.
    pub(super) fn taken(&mut self, name: &str, span: Span, first: Span, what: &str) -> Parsed<()> {
        let finding = Finding::new(
            &rules::DUPLICATE_NAME,
            span,
            format!("`{name}` is already the name of a {what}"),
        )
        .related(first, "declared here first")
        .help("give one of them another name");
        self.report(finding);
        Err(Reported)
    }

    /// The resource of a name at the current token.
    pub(super) fn resource(&mut self) -> Parsed<ResourceId> {
        let (name, span) = self.word("a texture or buffer")?;
        let id = self.known().resources.id_of(name);
        self.resolved(id, "resource", "texture or buffer", (name, span))
    }

    /// A heap's name.
    pub(super) fn heap(&mut self) -> Parsed<HeapId> {
        let (name, span) = self.word("a heap")?;
        let id = self.known().heaps.id_of(name);
        self.resolved(id, "heap", "heap", (name, span))
    }

    /// A fence's name.
    pub(super) fn fence(&mut self) -> Parsed<FenceId> {
        let (name, span) = self.word("a fence")?;
        let id = self.known().fences.id_of(name);
        self.resolved(id, "fence", "fence", (name, span))
    }

    /// A queue by a word already taken.
    pub(super) fn queue_named(&mut self, name: &'s str, span: Span) -> Parsed<QueueId> {
        let id = self.known().queues.id_of(name);
        self.resolved(id, "queue", "queue", (name, span))
    }

    /// What is declared before this place.
    pub(super) fn known(&self) -> &Scenario {
        self.before.map_or(&self.out, |before| before.scenario)
    }

    /// The list of a name, declared before this place.
    fn list_named(&self, name: &str) -> Option<ListId> {
        let lists = self.before.map_or(&self.lists, |before| before.lists);
        lists.get(name).copied()
    }

    /// A list's name.
    pub(super) fn list(&mut self) -> Parsed<(ListId, Span)> {
        let (name, span) = self.word("a command list")?;
        let id = self.list_named(name);
        Ok((self.resolved(id, "list", "list", (name, span))?, span))
    }

    /// What a name means, and a note of where it is.
    fn resolved<I>(
        &mut self,
        id: Option<I>,
        kind: &'static str,
        what: &str,
        (name, span): (&'s str, Span),
    ) -> Parsed<I> {
        let Some(id) = id else {
            return Err(self.unknown_name(what, name, span));
        };
        self.note(kind, span, false);
        Ok(id)
    }

    /// Says that a name is unknown, and what it is instead, where it comes later, or what may be meant.
    pub(super) fn unknown_name(&mut self, what: &str, name: &str, span: Span) -> Reported {
        self.offer_names(what, span);
        if self.broken.contains(name) {
            return Reported;
        }
        let mut finding = Finding::new(
            &rules::UNKNOWN_NAME,
            span,
            format!("no {what} is called `{name}`"),
        );
        if let Some((kind, at)) = self.other_kind(name) {
            finding.message = format!("`{name}` is a {kind}, not a {what}").into();
            finding = finding.related(at, "declared here");
        } else if let Some((kind, at)) = self.declared_later(name) {
            finding.message = format!("`{name}` is used before its declaration").into();
            let place = Span::new(at, at + narrow(name.len()));
            finding = finding
                .related(place, format!("the {kind} is declared here"))
                .help(format!("move the declaration of `{name}` above this line"));
        } else if let Some(near) = self.near_name(what, name) {
            finding = finding.help(format!("did you mean `{near}`?"));
        } else {
            let declared = self.declared_names(what);
            finding = finding.help(if declared.is_empty() {
                format!("declare the {what} above its first use")
            } else {
                format!("declared are {declared}")
            });
        }
        self.report(finding);
        Reported
    }

    /// The names of a kind that are declared so far.
    pub(super) fn names_of(&self, what: &str) -> Vec<&str> {
        let out = self.known();
        match what {
            "heap" => out.heaps.keys().map(String::as_str).collect(),
            "fence" => out.fences.keys().map(String::as_str).collect(),
            "queue" => out.queues.keys().map(String::as_str).collect(),
            "process" => {
                let queues = out.queues.iter();
                let processes = queues.filter(|(_, queue)| queue.role == Role::Process);
                processes.map(|(name, _)| name.as_str()).collect()
            }
            "list" => out.lists.iter().filter_map(|l| l.name.as_deref()).collect(),
            _ => out.resources.keys().map(String::as_str).collect(),
        }
    }

    fn near_name(&self, what: &str, name: &str) -> Option<String> {
        nearest(name, self.names_of(what)).map(str::to_owned)
    }

    /// What is declared, in words, the first few by name.
    fn declared_names(&self, what: &str) -> String {
        let names = self.names_of(what);
        let (first, more) = names.split_at(names.len().min(NAMED));
        let mut text: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
        if !more.is_empty() {
            text.push(format!("and {} more", more.len()));
        }
        text.join(", ")
    }

    fn other_kind(&self, name: &str) -> Option<(&'static str, Span)> {
        let out = self.known();
        if let Some(r) = out.resources.get(name) {
            return Some((if r.is_buffer() { "buffer" } else { "texture" }, r.span));
        }
        if let Some(heap) = out.heaps.get(name) {
            return Some(("heap", heap.span));
        }
        if let Some(queue) = out.queues.get(name) {
            return Some(("queue", queue.span));
        }
        if let Some(fence) = out.fences.get(name) {
            return Some(("fence", fence.span));
        }
        self.list_named(name).map(|id| ("list", out.lists[id].span))
    }

    /// Searches the whole text for declarations, once, to make a message better.
    fn declared_later(&mut self, name: &str) -> Option<(&'s str, u32)> {
        if self.later.is_none() {
            let mut map = LookupMap::default();
            for line in self.text.lines() {
                let mut words = line.split_ascii_whitespace();
                let (Some(kind), Some(rest)) = (words.next(), words.next()) else {
                    continue;
                };
                if !["texture", "buffer", "heap", "fence", "queue", "list"].contains(&kind) {
                    continue;
                }
                let declared = rest.trim_end_matches([':', '{', '=']);
                let at = declared.as_ptr() as usize - self.text.as_ptr() as usize;
                map.entry(declared).or_insert((kind, narrow(at)));
            }
            self.later = Some(map);
        }
        let (kind, at) = *self.later.as_ref()?.get(name)?;
        // An indented `texture t` is a barrier entry, not a declaration.
        (at > self.span.start).then_some((kind, at))
    }
}
