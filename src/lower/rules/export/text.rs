//! Conditions and emissions as rule text, in few words.

use super::cover::Box;
use super::keys::{Accesses, Asked, Found, Key, Set};
use super::probe::{CHANGE, DIMENSIONS, HALF, METADATA, QUEUE, QUEUES, SURFACE, WAITS, surfaces};
use crate::api::{BarrierAccess, BarrierSide};
use crate::hardware::{Profile, WritePolicy};
use crate::id::CacheId;
use crate::lower::rules::matching::surface;
use crate::lower::rules::model::Place;
use crate::lower::rules::printer::quoted;
use crate::lower::rules::sets::BitsOf;
use std::collections::BTreeSet;

/// Rule text in the making.
#[derive(Clone)]
pub(super) struct Rules<'p> {
    pub(super) profile: &'p Profile,
    pub(super) text: String,
    pub(super) names: BTreeSet<String>,
}

impl<'p> Rules<'p> {
    /// No rules.
    pub(super) fn new(profile: &'p Profile) -> Self {
        Self {
            profile,
            text: String::new(),
            names: BTreeSet::new(),
        }
    }

    pub(super) fn add(&mut self, found: &Found, contexts: &Set) {
        let mut written: Vec<(usize, Vec<Key>, Asked, Box)> = Vec::new();
        for ((asked, of), keys) in found {
            let order = match asked {
                (0, Accesses::Free, Accesses::Free) => 0,
                (0, _, Accesses::Free) => 1,
                (0, Accesses::Free, _) => 3,
                (0, ..) => 2,
                _ => 4,
            };
            written.push((order, keys.clone(), *asked, *of));
        }
        written.sort();
        let mut every: Box = [0; DIMENSIONS];
        for context in contexts {
            for (values, value) in every.iter_mut().zip(context.0) {
                *values |= 1 << value;
            }
        }
        for (_, keys, asked, of) in written {
            let mut lines = Vec::new();
            let (given_up, before, after) = asked;
            if given_up != 0 {
                lines.push(format!("given-up {}", words(given_up)));
            }
            lines.extend(condition("before access", before));
            lines.extend(condition("after access", after));
            lines.extend(self.context(of, every));
            let emitted = emits(self.profile, &keys);
            let name = emitted.join(", ");
            lines.extend(emitted);
            self.rule(&name, &lines);
        }
    }

    /// Conditions for a box of contexts: none for a quantity that may be anything.
    fn context(&self, of: Box, every: Box) -> Vec<String> {
        let mut lines = Vec::new();
        let asks = |quantity: usize| of[quantity] != every[quantity];
        if asks(QUEUE) {
            let names = QUEUES.map(|queue| queue.word().to_owned());
            let names = joined(of[QUEUE], &names);
            let video = "video_decode|video_process|video_encode";
            lines.push(format!("queue {}", names.replace(video, "video_*")));
        }
        if asks(SURFACE) {
            let names = surface_names(self.profile);
            lines.push(format!("surface {}", joined(of[SURFACE], &names)));
        }
        if asks(WAITS) {
            lines.extend(some_or_none(of[WAITS], "before sync"));
        }
        if asks(CHANGE) {
            let words = match of[CHANGE] & every[CHANGE] {
                6 => "changes".to_owned(),
                other => joined(other, &["stays", "converts", "discards"].map(str::to_owned)),
            };
            lines.push(format!("layout {words}"));
        }
        if asks(METADATA) {
            let names = ["none", "before", "after", "both"].map(str::to_owned);
            lines.push(format!("metadata {}", joined(of[METADATA], &names)));
        }
        match of[HALF] {
            3 => lines.push("split none|first|second".to_owned()),
            2 => lines.push("split second".to_owned()),
            _ => {}
        }
        lines
    }

    pub(super) fn rule(&mut self, name: &str, lines: &[String]) {
        let mut unique = name.to_owned();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{name} ({number})");
        }
        self.text = format!("{}\nrule {} {{\n", self.text, quoted(&unique));
        for line in lines {
            self.text = format!("{}  {line}\n", self.text);
        }
        self.text.push_str("}\n");
    }
}

/// How conditions call each set of ways that some texture has.
pub(super) fn surface_names(profile: &Profile) -> Vec<String> {
    let variants = surfaces(profile);
    let names = variants.iter().map(|variant| {
        let name = surface(profile, *variant);
        let parts: Vec<String> = name.split(" + ").map(quoted).collect();
        if name == "ordinary" {
            name
        } else {
            parts.join(" + ")
        }
    });
    names.collect()
}

/// The names of values, joined.
pub(super) fn joined(values: u16, names: &[String]) -> String {
    let all = names.iter().enumerate();
    let meant = all.filter(|(at, _)| values >> at & 1 == 1);
    let meant: Vec<&str> = meant.map(|(_, name)| name.as_str()).collect();
    meant.join("|")
}

fn condition(head: &str, accesses: Accesses) -> Option<String> {
    match accesses {
        Accesses::Free => None,
        Accesses::None => Some(format!("{head} none")),
        Accesses::Any(bits) => Some(format!("{head} {}", words(bits))),
    }
}

/// Accesses in few words: those that are meant, or all but those that are not.
pub(super) fn words(bits: u32) -> String {
    let named = listed(bits);
    let others = BarrierAccess::EVERY.bits() & !bits;
    let but = format!("* but {}", listed(others));
    if others != 0 && but.len() < named.len() {
        but
    } else {
        named
    }
}

fn listed(bits: u32) -> String {
    const PATTERNS: [&str; 10] = [
        "*",
        "READS",
        "WRITES",
        "VIDEO_*",
        "VIDEO_*_READ",
        "VIDEO_*_WRITE",
        "RAYTRACING_*",
        "DEPTH_STENCIL_*",
        "RESOLVE_*",
        "COPY_*",
    ];
    let of = BitsOf::Access(BarrierSide::Before);
    let (mut rest, mut words) = (bits, Vec::new());
    for pattern in PATTERNS {
        let means = of.pattern(pattern).unwrap_or(0);
        if means != 0 && bits & means == means && rest & means != 0 {
            words.push(pattern.to_owned());
            rest &= !means;
        }
    }
    let names = BarrierAccess::from_bits_retain(rest)
        .iter()
        .map(|access| access.to_string());
    words.extend(names);
    words.join("|")
}

/// A cache's name as rules have it.
pub(super) fn name(profile: &Profile, cache: CacheId) -> String {
    let name = &profile.cache(cache).name;
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        name.clone()
    } else {
        quoted(name)
    }
}

/// What a rule emits, in few statements.
pub(super) fn emits(profile: &Profile, keys: &[Key]) -> Vec<String> {
    let mut lines: Vec<(String, Vec<CacheId>, String)> = Vec::new();
    for key in keys {
        let (word, place, whole, cache) = match key {
            Key::Layout => {
                lines.push(("layout".to_owned(), Vec::new(), String::new()));
                continue;
            }
            Key::FrontEnd => {
                lines.push(("front-end".to_owned(), Vec::new(), String::new()));
                continue;
            }
            Key::Clean(place, whole, cache) => ("clean", place, whole, cache),
            Key::Invalidate(place, whole, cache) => ("invalidate", place, whole, cache),
        };
        let mut end = if *whole {
            " whole".to_owned()
        } else {
            String::new()
        };
        if *place != Place::Usual {
            end = end + " " + place.word();
        }
        match lines
            .iter_mut()
            .find(|(other, _, after)| other == word && *after == end)
        {
            Some((_, caches, _)) => caches.push(*cache),
            None => lines.push((word.to_owned(), vec![*cache], end)),
        }
    }
    let line = |(word, caches, end): (String, Vec<CacheId>, String)| {
        let every = profile.cache_ids().count();
        let dirty = |id: &CacheId| profile.cache(*id).policy == WritePolicy::WriteBack;
        let writable = profile.cache_ids().filter(dirty).count();
        let is_all =
            caches.len() > 3 && caches.len() == if word == "clean" { writable } else { every };
        let names: Vec<String> = if is_all {
            vec!["*".to_owned()]
        } else {
            caches.iter().map(|cache| name(profile, *cache)).collect()
        };
        let space = if names.is_empty() { "" } else { " " };
        format!("{word}{space}{}{end}", names.join(" "))
    };
    lines.into_iter().map(line).collect()
}
/// A condition that something or nothing is there, unless both may be.
pub(super) fn some_or_none(values: u16, head: &str) -> Option<String> {
    match values {
        1 => Some(format!("{head} none")),
        2 => Some(format!("{head} *")),
        _ => None,
    }
}
