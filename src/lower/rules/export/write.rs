//! From what a lowering does in each context to rules.

use super::Refused;
use super::cover::{self, Box};
use super::probe::{
    About, Act, CHANGE, Context, HALF, METADATA, Probed, Prober, QUEUE, QUEUES, Question, SURFACE,
    WAITS,
};
use crate::api::{BarrierAccess, BarrierSync, Leaf, LeafSet};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::id::CacheId;
use crate::lower::Lowering;
use crate::lower::rules::matching::surface;
use crate::lower::rules::model::{Place, RuleFile};
use crate::lower::rules::printer::quoted;
use crate::lower::rules::sets::BitsOf;
use crate::lower::rules::{parse, sets::Side};
use crate::lower::session::SinceLastWait;
use std::collections::{BTreeMap, BTreeSet};

/// The place of no access among the bits of accesses.
const NONE: u8 = 23;

/// What one rule emits of what a lowering does.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Clean(Place, bool, CacheId),
    Layout,
    Invalidate(Place, bool, CacheId),
    FrontEnd,
}

/// Contexts.
type Set = BTreeSet<Context>;

/// In which contexts each operation is there, for each pair of accesses.
type Cells<K> = BTreeMap<K, BTreeMap<(u8, u8), Set>>;

/// What a rule asks of a side's accesses.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Accesses {
    Free,
    Any(u32),
    None,
}

/// What a rule asks of accesses: given up, before, after.
type Asked = (u32, Accesses, Accesses);

/// The rules of a lowering.
pub(super) fn file(
    lowering: &dyn Lowering,
    profile: &Profile,
    prober: &mut Prober<'_, '_>,
) -> Result<RuleFile, Refused> {
    let mut rules = Rules {
        profile,
        text: String::new(),
        names: BTreeSet::new(),
    };
    stages(prober, &mut rules)?;
    let contexts: Set = prober.contexts.keys().copied().collect();
    let halves = acting(prober, &contexts)?;
    let plain = table(prober, &halves, None)?;
    let plain_keys = keys(&plain);
    rules.add(&decomposed(&plain_keys, &halves, false), &halves);
    let waiting: Set = halves.iter().copied().filter(|c| c.0[WAITS] == 1).collect();
    let given_up = table(prober, &waiting, Some(&plain))?;
    rules.add(&decomposed(&keys(&given_up), &waiting, true), &waiting);
    leftovers(prober, &mut rules)?;
    let passes = if lowering.policy().keeps_passes() {
        ""
    } else {
        "  passes break\n"
    };
    let text = format!(
        "// `{name}` on the profile `{profile}`: each rule adds what it is about.\nlowering {quoted} {{\n  summary {summary}\n  match accumulate\n{passes}}}\n{rules}",
        name = lowering.name(),
        profile = profile.name,
        quoted = quoted(&format!("{}_on_{}", lowering.name(), profile.name)),
        summary = quoted(lowering.summary()),
        rules = rules.text,
    );
    let (file, findings) = parse(&Source::new("exported", text));
    match findings.iter().find(|f| f.severity.fails()) {
        None => Ok(file),
        Some(finding) => Err(Refused {
            message: format!("its rules cannot be written down: {}", finding.message),
        }),
    }
}

/// A question in a context, with nothing before and nothing after.
pub(super) fn question(prober: &Prober<'_, '_>, context: Context) -> Question {
    let surface = prober.surfaces[usize::from(context.0[SURFACE])];
    let wait = if context.0[WAITS] == 1 {
        Leaf::Copy.into()
    } else {
        LeafSet::EMPTY
    };
    Question {
        about: About::Texture,
        context,
        surfaces: surface.into(),
        before: BarrierAccess::empty(),
        after: BarrierAccess::empty(),
        given_up: BarrierAccess::empty(),
        wait,
        hold: Leaf::ComputeShading.into(),
        split: if context.0[HALF] == 1 { 2 } else { 0 },
        leftovers: Vec::new(),
        since: SinceLastWait::Work,
    }
}

/// Rules about waits and holds that are not as asked.
fn stages(prober: &mut Prober<'_, '_>, rules: &mut Rules<'_>) -> Result<(), Refused> {
    let all: LeafSet = LeafSet::ALL;
    let mut ways: BTreeMap<(&str, &str), Set> = BTreeMap::new();
    let (mut every, mut follows) = (Set::new(), BTreeSet::new());
    for split in 0..3_u8 {
        for waits in 0..2_u8 {
            for holds in 0..2_u8 {
                if split == 1 && holds == 1 {
                    // The first half names no stages after it.
                    continue;
                }
                let context = Context([0, 0, waits, 0, 0, u8::from(split == 2)]);
                let mut asked = question(prober, context);
                asked.split = split;
                if holds == 0 {
                    asked.hold = LeafSet::EMPTY;
                }
                let packet = prober.ask(&asked)?;
                follows.insert(packet.after_all);
                let wait = if split == 2 {
                    LeafSet::EMPTY
                } else {
                    asked.wait
                };
                let mut usual = (wait, asked.hold);
                if prober.profile.drains_queue && !wait.is_empty() {
                    usual = (all, all);
                } else if prober.profile.drains_queue && !asked.hold.is_empty() {
                    usual.1 = all;
                }
                let place = Context([split, waits, holds, 0, 0, 0]);
                every.insert(place);
                if (packet.wait, packet.hold) == usual {
                    continue;
                }
                let word = |is: LeafSet, asked: LeafSet| match is {
                    is if is == asked && !asked.is_empty() => Ok("as-asked"),
                    is if is == all => Ok("ALL"),
                    is if is.is_empty() => Ok("none"),
                    is => Err(Refused {
                        message: format!(
                            "it waits for or holds {} where {} is asked for",
                            BarrierSync::named(is),
                            BarrierSync::named(asked)
                        ),
                    }),
                };
                let words = (
                    word(packet.wait, asked.wait)?,
                    word(packet.hold, asked.hold)?,
                );
                ways.entry(words).or_default().insert(place);
            }
        }
    }
    for ((wait, hold), set) in ways {
        for found in cover::boxes(&set, &set, &every) {
            let split = joined(found[0], &["none", "first", "second"].map(str::to_owned));
            let mut lines = vec![format!("split {split}")];
            lines.extend(some_or_none(found[1], "before sync"));
            lines.extend(some_or_none(found[2], "after sync"));
            lines.extend([format!("wait {wait}"), format!("hold {hold}")]);
            rules.rule("stages", &lines);
        }
    }
    if follows.len() > 1 {
        return Err(Refused {
            message: "only some of its packets follow every earlier one".to_owned(),
        });
    }
    if follows.contains(&true) {
        rules.rule("order", &["after-all".to_owned()]);
    }
    Ok(())
}

/// A condition that something or nothing is there, unless both may be.
fn some_or_none(values: u16, head: &str) -> Option<String> {
    match values {
        1 => Some(format!("{head} none")),
        2 => Some(format!("{head} *")),
        _ => None,
    }
}

/// The contexts of barriers that act: without second halves, if nothing happens with those.
fn acting(prober: &mut Prober<'_, '_>, contexts: &Set) -> Result<Set, Refused> {
    let mut acts = false;
    for context in contexts.iter().filter(|c| c.0[HALF] == 1) {
        let mut asked = question(prober, *context);
        (asked.before, asked.after) = (BarrierAccess::EVERY, BarrierAccess::EVERY);
        acts |= !prober.ask(&asked)?.acts.is_empty();
        asked.after = BarrierAccess::empty();
        acts |= !prober.ask(&asked)?.acts.is_empty();
    }
    let wanted = |context: &&Context| acts || context.0[HALF] == 0;
    Ok(contexts.iter().filter(wanted).copied().collect())
}

/// What the lowering does for each pair of accesses in each context; with a table, for each access that is given up, and
/// only what the table does not have.
fn table(
    prober: &mut Prober<'_, '_>,
    contexts: &Set,
    without: Option<&Cells<Act>>,
) -> Result<Cells<Act>, Refused> {
    let access = |bit: u8| {
        if bit == NONE {
            BarrierAccess::empty()
        } else {
            BarrierAccess::from_bits_retain(1 << bit)
        }
    };
    let mut cells: Cells<Act> = BTreeMap::new();
    for context in contexts {
        for before in 0..=NONE {
            if without.is_some() && !access(before).writes() {
                continue;
            }
            for after in 0..=NONE {
                let mut asked = question(prober, *context);
                asked.after = access(after);
                if without.is_some() {
                    asked.given_up = access(before);
                } else {
                    asked.before = access(before);
                }
                let Probed { acts, .. } = prober.ask(&asked)?;
                for act in acts {
                    let known = without.is_some_and(|table| {
                        let cell = table.get(&act).and_then(|cells| cells.get(&(NONE, after)));
                        cell.is_some_and(|set| set.contains(context))
                    });
                    if !known {
                        let cell = cells.entry(act).or_default().entry((before, after));
                        cell.or_default().insert(*context);
                    }
                }
            }
        }
    }
    Ok(cells)
}

/// From operations on a side of the layout operation to what rules emit.
fn keys(cells: &Cells<Act>) -> Cells<Key> {
    let mut keys: Cells<Key> = BTreeMap::new();
    let empty = Set::new();
    let mut add = |key: Key, cell: (u8, u8), set: Set| {
        if !set.is_empty() {
            keys.entry(key)
                .or_default()
                .entry(cell)
                .or_default()
                .extend(set);
        }
    };
    let stays = |set: &Set, wanted: bool| -> Set {
        let fit = set.iter().filter(|c| (c.0[CHANGE] == 0) == wanted);
        fit.copied().collect()
    };
    let at = |act: &Act, cell: (u8, u8)| -> &Set {
        cells
            .get(act)
            .and_then(|cells| cells.get(&cell))
            .unwrap_or(&empty)
    };
    for (act, of) in cells {
        match *act {
            Act::Layout => of
                .iter()
                .for_each(|(cell, set)| add(Key::Layout, *cell, set.clone())),
            Act::FrontEnd => of
                .iter()
                .for_each(|(cell, set)| add(Key::FrontEnd, *cell, set.clone())),
            Act::Invalidate(cache, whole, early) => {
                let place = if early { Place::Early } else { Place::Usual };
                of.iter().for_each(|(cell, set)| {
                    add(Key::Invalidate(place, whole, cache), *cell, set.clone());
                });
            }
            Act::Clean(cache, whole, early) => {
                for cell in of.keys() {
                    let first = at(&Act::Clean(cache, whole, true), *cell);
                    let second = at(&Act::Clean(cache, whole, false), *cell);
                    if early && !second.is_empty() {
                        // Done with the other side.
                        continue;
                    }
                    let key = |place| Key::Clean(place, whole, cache);
                    // What the layout operation itself has written follows from what comes after alone.
                    let own = at(&Act::Clean(cache, whole, false), (NONE, cell.1));
                    let late = stays(second, false);
                    let again: Set = late.intersection(own).copied().collect();
                    let rest: Set = late.difference(&again).copied().collect();
                    let plain = stays(second, true);
                    if !first.is_empty() || rest.is_empty() {
                        add(
                            key(Place::Usual),
                            *cell,
                            plain.union(first).copied().collect(),
                        );
                        add(key(Place::Late), *cell, rest);
                    } else {
                        add(
                            key(Place::Late),
                            *cell,
                            plain.union(&rest).copied().collect(),
                        );
                    }
                    add(key(Place::Again), *cell, again);
                }
            }
        }
    }
    keys
}

/// Conditions on accesses and contexts, with what they emit.
type Found = BTreeMap<(Asked, Box), Vec<Key>>;

/// Writes a table of cells down as conditions: what is always there, what follows from one side, and what from pairs.
fn decomposed(cells: &Cells<Key>, contexts: &Set, given_up: bool) -> Found {
    let mut found = Found::new();
    let mut known: BTreeMap<(Set, Set), Vec<Box>> = BTreeMap::new();
    for (key, of) in cells {
        let mut emit = |of: Box, asked: Asked| {
            let keys = found.entry((asked, of)).or_default();
            if !keys.contains(key) {
                keys.push(*key);
            }
        };
        let mut boxes = |set: &Set, allowed: &Set| -> Vec<Box> {
            let pair = (set.clone(), allowed.clone());
            let made = || cover::boxes(set, allowed, contexts);
            known.entry(pair).or_insert_with(made).clone()
        };
        let common = Common::of(of, given_up);
        if !given_up {
            for it in boxes(&common.always, &common.always) {
                emit(it, (0, Accesses::Free, Accesses::Free));
            }
        }
        for (is_row, sets) in [(true, &common.rows), (false, &common.columns)] {
            let mut same: BTreeMap<Box, u32> = BTreeMap::new();
            for (bit, set) in sets {
                let rest: Set = set.difference(&common.always).copied().collect();
                for it in boxes(&rest, set) {
                    *same.entry(it).or_default() |= 1 << bit;
                }
            }
            for (it, bits) in same {
                for accesses in side(bits) {
                    emit(
                        it,
                        match (given_up, is_row, accesses) {
                            (true, _, Accesses::Any(bits)) => {
                                (bits, Accesses::Free, Accesses::Free)
                            }
                            (_, true, accesses) => (0, accesses, Accesses::Free),
                            (_, false, accesses) => (0, Accesses::Free, accesses),
                        },
                    );
                }
            }
        }
        let mut same: BTreeMap<Box, BTreeSet<(u8, u8)>> = BTreeMap::new();
        for (cell, set) in of {
            for it in boxes(&common.rest(*cell, set), set) {
                same.entry(it).or_default().insert(*cell);
            }
        }
        for (it, pairs) in same {
            for (rows, columns) in cover::rectangles(&pairs) {
                for after in side(columns) {
                    if given_up {
                        emit(it, (rows, Accesses::Free, after));
                    } else {
                        side(rows)
                            .into_iter()
                            .for_each(|before| emit(it, (0, before, after)));
                    }
                }
            }
        }
    }
    found
}

/// What of a table is there whatever one side is.
struct Common {
    /// Whatever both sides are.
    always: Set,
    /// For an access before, whatever comes after.
    rows: BTreeMap<u8, Set>,
    /// For an access after, whatever was before.
    columns: BTreeMap<u8, Set>,
}

impl Common {
    fn of(of: &BTreeMap<(u8, u8), Set>, given_up: bool) -> Self {
        let is_row = |bit: &u8| !given_up || BarrierAccess::from_bits_retain(1 << bit).writes();
        let rows: Vec<u8> = (0..=NONE).filter(is_row).collect();
        let columns: Vec<u8> = (0..=NONE).collect();
        let cell = |before: u8, after: u8| of.get(&(before, after)).cloned().unwrap_or_default();
        let common = |cells: Vec<Set>| -> Set {
            let mut cells = cells.into_iter();
            let first = cells.next().unwrap_or_default();
            cells.fold(first, |all, cell| {
                all.intersection(&cell).copied().collect()
            })
        };
        let of_row = |row: u8| common(columns.iter().map(|column| cell(row, *column)).collect());
        let of_column = |column: u8| common(rows.iter().map(|row| cell(*row, column)).collect());
        let by_row: BTreeMap<u8, Set> = rows.iter().map(|row| (*row, of_row(*row))).collect();
        // What is given up is only about itself: nothing follows from what comes after alone.
        let by_column = |column: &u8| (*column, of_column(*column));
        Self {
            always: if given_up {
                Set::new()
            } else {
                common(by_row.values().cloned().collect())
            },
            columns: if given_up {
                BTreeMap::new()
            } else {
                columns.iter().map(by_column).collect()
            },
            rows: by_row,
        }
    }

    /// What of a cell follows from neither side alone.
    fn rest(&self, (before, after): (u8, u8), set: &Set) -> Set {
        let sides = [
            self.rows.get(&before),
            self.columns.get(&after),
            Some(&self.always),
        ];
        let follows = |context: &Context| sides.iter().flatten().any(|set| set.contains(context));
        set.iter()
            .filter(|context| !follows(context))
            .copied()
            .collect()
    }
}

/// What a rule asks of a side with these accesses.
fn side(bits: u32) -> Vec<Accesses> {
    let accesses = bits & !(1 << NONE);
    let any = (accesses != 0).then_some(Accesses::Any(accesses));
    let none = bits >> NONE & 1 == 1;
    any.into_iter()
        .chain(none.then_some(Accesses::None))
        .collect()
}

/// Drops of what an earlier alias may have left.
fn leftovers(prober: &mut Prober<'_, '_>, rules: &mut Rules<'_>) -> Result<(), Refused> {
    let profile = prober.profile;
    let context = Context([0, 0, 1, 0, 0, 0]);
    for op in profile.layout_ops.iter().filter(|op| !op.caches.is_empty()) {
        let mut asked = question(prober, context);
        let before = prober.ask(&asked)?;
        asked.leftovers.clone_from(&op.caches);
        let after = prober.ask(&asked)?;
        let more: Vec<Key> = after
            .acts
            .difference(&before.acts)
            .map(|act| match *act {
                Act::Clean(cache, whole, _) => Key::Clean(Place::Usual, whole, cache),
                Act::Invalidate(cache, whole, _) => Key::Invalidate(Place::Usual, whole, cache),
                Act::Layout => Key::Layout,
                Act::FrontEnd => Key::FrontEnd,
            })
            .collect();
        if !more.is_empty() {
            let caches = op.caches.iter().map(|cache| name(profile, *cache));
            let caches: Vec<String> = caches.collect();
            let mut lines = vec![format!("leftovers {}", caches.join("|"))];
            lines.extend(emits(profile, &more));
            rules.rule(&op.name, &lines);
        }
    }
    Ok(())
}

/// Rule text in the making.
struct Rules<'p> {
    profile: &'p Profile,
    text: String,
    names: BTreeSet<String>,
}

impl Rules<'_> {
    fn add(&mut self, found: &Found, contexts: &Set) {
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
        let mut every: Box = [0; super::probe::DIMENSIONS];
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
            let variants = super::probe::surfaces(self.profile);
            let names = variants.iter().map(|variant| {
                let name = surface(self.profile, *variant);
                let parts: Vec<String> = name.split(" + ").map(quoted).collect();
                if name == "ordinary" {
                    name
                } else {
                    parts.join(" + ")
                }
            });
            let names: Vec<String> = names.collect();
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

    fn rule(&mut self, name: &str, lines: &[String]) {
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

/// The names of values, joined.
fn joined(values: u16, names: &[String]) -> String {
    let named = names.iter().enumerate();
    let named = named.filter(|(at, _)| values >> at & 1 == 1);
    let named: Vec<&str> = named.map(|(_, name)| name.as_str()).collect();
    named.join("|")
}

fn condition(head: &str, accesses: Accesses) -> Option<String> {
    match accesses {
        Accesses::Free => None,
        Accesses::None => Some(format!("{head} none")),
        Accesses::Any(bits) => Some(format!("{head} {}", words(bits))),
    }
}

/// Accesses in few words: those that are meant, or all but those that are not.
fn words(bits: u32) -> String {
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
    let of = BitsOf::Access(Side::Before);
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
fn name(profile: &Profile, cache: CacheId) -> String {
    let name = &profile.cache(cache).name;
    if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        name.clone()
    } else {
        quoted(name)
    }
}

/// What a rule emits, in few statements.
fn emits(profile: &Profile, keys: &[Key]) -> Vec<String> {
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
        let dirty =
            |id: &CacheId| profile.cache(*id).policy == crate::hardware::WritePolicy::WriteBack;
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
