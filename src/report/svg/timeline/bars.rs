//! Rows of bars: commands, stages, barriers and fences. A command is solid where it makes progress, and an outline with a pattern
//! where it waits.

use super::{LEFT, Page, Placed, WORDS_OF_OPEN};
use crate::analyze::names::quoted;
use crate::report::packing::{self, Bar};
use crate::report::svg::{at, fitted, length, look, room};
use crate::run::activity::{Activity, Row, Slice};
use crate::run::{Does, LifeRow};
use crate::time::Ps;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Narrower blocks are drawn together.
const NARROW: f64 = 2.0;

impl Page<'_> {
    /// Slices in as many rows as overlap, at most so many; the name left of the first.
    pub(super) fn rows(&mut self, name: &str, slices: &[usize], (height, most): (f64, usize)) {
        if slices.is_empty() {
            return;
        }
        let activity = self.activity;
        let whole = wholes(activity, slices);
        let bars = whole.iter().map(|parts| {
            let slice = &activity.slices[parts[0]];
            let is_told = self.told.contains(slice.id.as_str());
            let parts = parts.iter().map(|index| &activity.slices[*index]);
            let (start, end) = parts.fold((slice.start, slice.end), |(start, end), part| {
                (start.min(part.start), end.max(part.end))
            });
            Bar::command((start, end), &slice.life, is_told)
        });
        let packed = packing::packed(&bars.collect::<Vec<_>>(), most);
        let count = packed.iter().flatten().max().map_or(0, |last| last + 1);
        let top = self.drawing.height;
        if !name.is_empty() {
            let words = fitted(name, LEFT - 34.0).unwrap_or_default();
            let place = (LEFT - 10.0, top + height / 2.0 + 4.0);
            self.drawing.text(place, "faint end", &words);
        }
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (parts, row) in whole.iter().zip(packed) {
            if let Some(row) = row {
                rows[row].extend(parts);
                continue;
            }
            let is_command = activity.slices[parts[0]].row == Row::Command;
            self.crowded[usize::from(!is_command)] += 1;
            // It is found where its row would be, so that arrows and badges have a place.
            let top = top + length(most - 1) * (height + 2.0);
            for index in parts {
                self.places[*index] = Some(Placed { top, height });
            }
        }
        for (row, slices) in rows.iter().enumerate() {
            let placed = Placed {
                top: top + length(row) * (height + 2.0),
                height,
            };
            self.row(slices, placed);
        }
        self.drawing.height = top + length(count) * (height + 2.0) + 1.0;
    }

    /// One row: blocks that can be seen, and the others together.
    fn row(&mut self, slices: &[usize], placed: Placed) {
        let mut narrow: Vec<(&'static str, f64, f64)> = Vec::new();
        for index in slices {
            let slice = &self.activity.slices[*index];
            self.places[*index] = Some(placed);
            let (from, to) = (self.x(slice.from()), self.x(slice.end));
            let class = class(slice);
            if to - from >= NARROW {
                if slice.life.is_empty() {
                    self.block(slice, class, (from, to), placed);
                } else {
                    self.command(slice, placed);
                }
                continue;
            }
            let to = to.max(from + 1.0);
            // What comes in turns too small to see is one piece of each class.
            match narrow.iter_mut().rfind(|(known, ..)| *known == class) {
                Some((_, _, end)) if from <= *end + 1.0 => {
                    *end = end.max(to);
                }
                _ => narrow.push((class, from, to)),
            }
        }
        let mut classes: Vec<&'static str> = narrow.iter().map(|(class, ..)| *class).collect();
        classes.sort_unstable();
        classes.dedup();
        for class in classes {
            let mut path = String::new();
            for (_, from, to) in narrow.iter().filter(|(of, ..)| *of == class) {
                let (width, height) = (at(to - from), at(placed.height));
                let _ = write!(
                    path,
                    "M{} {}h{width}v{height}h-{width}z",
                    at(*from),
                    at(placed.top)
                );
            }
            let class = if class == "work" { "many" } else { class };
            self.drawing
                .put(&format!("<path d=\"{path}\" class=\"{class}\"/>"));
        }
    }

    fn block(&mut self, slice: &Slice, class: &str, (from, to): (f64, f64), placed: Placed) {
        let target = match slice.target.as_str() {
            "" => String::new(),
            target => format!(" {target}"),
        };
        let (start, end) = (slice.start, slice.end);
        let tip = format!("{}{target} {}", slice.name, times(slice, start, end));
        let size = (to - from, placed.height);
        self.drawing.rect((from, placed.top), size, class, &tip);
        let words = match slice.row {
            Row::Command => return self.named(quoted(&slice.name), (from, to), placed),
            // Arrows of a deadlock are to the right of the words.
            Row::Fence if slice.is_open => {
                let to = from + (to - from) * WORDS_OF_OPEN;
                return self.on_ground(&slice.name, (from, to), placed);
            }
            Row::Fence => &slice.name,
            Row::Barrier => slice.name.split(':').next().unwrap_or_default(),
            Row::Stage(_) => return,
        };
        self.on_ground(words, (from, to), placed);
    }

    /// A command, part by part; its name where it works longest, its holder where it is held longest.
    fn command(&mut self, slice: &Slice, placed: Placed) {
        for part in slice.life.iter() {
            let (from, to) = (self.x(part.start), self.x(part.end));
            // What takes no room next to its neighbours is not drawn, but for work.
            if to - from < 0.3 && part.does != Does::Work {
                continue;
            }
            let tip = match part.does {
                Does::Work => slice.name.clone(),
                _ => format!("{}, {}", slice.name, part.says()),
            };
            let tip = format!("{tip} {}", times(slice, part.start, part.end));
            let size = ((to - from).max(0.3), placed.height);
            self.drawing
                .rect((from, placed.top), size, look(part.does), &tip);
        }
        let longest = |does: Does| {
            let own = slice.life.iter().filter(|part| part.does == does);
            own.max_by_key(|part| part.end - part.start)
        };
        let place = |part: &LifeRow| (self.x(part.start), self.x(part.end));
        let (solid, held) = (longest(Does::Work).map(place), longest(Does::Held));
        let name = quoted(&slice.name);
        let is_named = solid.is_some_and(|(from, to)| fitted(name, to - from - 6.0).is_some());
        if let (Some(held), at) = (held, held.map(place)) {
            let by = format!("held by {}", held.by);
            let words = if is_named {
                by
            } else {
                format!("{name}: {by}")
            };
            self.on_ground(&words, at.unwrap_or_default(), placed);
        }
        if let Some(at) = solid {
            self.named(name, at, placed);
        }
    }

    fn named(&mut self, words: &str, (from, to): (f64, f64), placed: Placed) {
        if let Some(words) = fitted(words, to - from - 6.0) {
            let y = placed.top + placed.height / 2.0 + 4.0;
            self.drawing.text((from + 4.0, y), "on", &words);
        }
    }

    /// On a pattern, letters need a ground of their own.
    fn on_ground(&mut self, words: &str, (from, to): (f64, f64), placed: Placed) {
        let Some(words) = fitted(words, to - from - 6.0) else {
            return;
        };
        let width = (room(&words) + 4.0).min(to - from - 4.0);
        let (x, y, height) = (from + 2.0, placed.top + 1.5, placed.height - 3.0);
        self.drawing.put(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fff\"/>",
            at(x),
            at(y),
            at(width),
            at(height)
        ));
        let y = placed.top + placed.height / 2.0 + 4.0;
        self.drawing.text((from + 4.0, y), "", &words);
    }
}

/// Slices that are in one row: those of one barrier, each other one by itself.
fn wholes(activity: &Activity, slices: &[usize]) -> Vec<Vec<usize>> {
    let mut wholes: Vec<Vec<usize>> = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for index in slices {
        let slice = &activity.slices[*index];
        if slice.row != Row::Barrier {
            wholes.push(vec![*index]);
            continue;
        }
        let at = *known.entry(&slice.id).or_insert(wholes.len());
        match wholes.get_mut(at) {
            Some(whole) => whole.push(*index),
            None => wholes.push(vec![*index]),
        }
    }
    wholes
}

/// Which command or barrier that is, when, and how long.
fn times(slice: &Slice, start: Ps, end: Ps) -> String {
    let Slice { id, line, .. } = slice;
    format!("({id}, line {line}): {start} to {end}, {}", end - start)
}

/// How a slice looks.
pub(super) fn class(slice: &Slice) -> &'static str {
    match slice.row {
        Row::Command => "work",
        Row::Stage(_) => "stage",
        Row::Fence if slice.is_open => "never",
        Row::Fence => "fence",
        Row::Barrier => {
            let did = slice.name.split(':').next().unwrap_or_default();
            match did {
                "drain" => "drain",
                "held by barrier" => "held",
                _ if did.starts_with("waits") => "turn",
                "clean" | "tile store" => "clean",
                "invalidate" | "tile load" => "invalidate",
                "layout" => "layout",
                _ => "other",
            }
        }
    }
}
