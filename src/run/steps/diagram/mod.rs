//! The cache view: the machine as a diagram, and which version of which resource is where after each beat.
//!
//! A version is a *token*: the letter of its resource and its number, as `A1`. Letters go by the order of declaration, numbers
//! are those of the sentences. A beat changes what boxes hold, and says what moves: a read from the place that answers to its
//! client, a write to where it is first kept, a write-back to where its lines go, a drop.
//!
//! `machine.rs` decides which boxes and edges there are, `place.rs` where they are, `tokens.rs` what a place holds of a
//! resource, `acts.rs` what a beat moves. Nothing shows before its beat is told: what boxes hold is [`BeatRow::moments`]' share
//! of memory's changes, as in [`Cells`].
//!
//! [`BeatRow::moments`]: super::BeatRow::moments
//! [`Cells`]: super::Cells

mod acts;
mod machine;
mod place;
mod tokens;

use crate::analyze::beats::held::{Did, pieces, what};
use crate::analyze::beats::{Beats, Teller};
use crate::id::{Extent, MemoryId, ResourceId, narrow};
use crate::lookup::LookupMap;
use crate::trace::contents::{BlockNow, HeldRun, Writer};
use machine::Machine;
use serde::Serialize;
use std::collections::BTreeSet;
use tokens::tokens;

/// The machine as a diagram, with what happens in it.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Diagram {
    /// Room that it takes, in the unit of its boxes.
    pub width: u32,
    /// Room that it takes, in the unit of its boxes.
    pub height: u32,
    /// Boxes: clients, caches, memory.
    pub boxes: Vec<BoxRow>,
    /// What lies next to each other on a way, from the side of the clients to that of memory.
    pub edges: Vec<EdgeRow>,
    /// Resources that have tokens.
    pub resources: Vec<LetterRow>,
    /// What boxes hold before anything happens.
    pub start: Vec<HoldRow>,
    /// What happens, beat by beat.
    #[serde(skip)]
    pub scenes: Vec<SceneRow>,
    /// What is not drawn, a sentence each.
    pub left_out: Vec<String>,
}

/// A box of the diagram.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Box"))]
#[non_exhaustive]
pub struct BoxRow {
    /// `client`, `cache` or `memory`.
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
    /// Of a client, its accesses; of a cache, what it does with writes; empty for memory.
    pub note: String,
    /// Left edge.
    pub x: u32,
    /// Upper edge.
    pub y: u32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// Two boxes next to each other on a way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Edge"))]
#[non_exhaustive]
pub struct EdgeRow {
    /// Index of the box on the side of the clients.
    pub from: u32,
    /// Index of the box on the side of memory.
    pub to: u32,
    /// The line that it is drawn as, from box to box.
    pub points: Vec<[u32; 2]>,
}

/// A resource and its letter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Letter"))]
#[non_exhaustive]
pub struct LetterRow {
    /// Its letter, or letters.
    pub letter: String,
    /// Its name.
    pub name: String,
}

/// A version of a resource.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Token"))]
#[non_exhaustive]
pub struct Token {
    /// Index in [`Diagram::resources`].
    pub resource: u32,
    /// Its number: 0 is what was there before anything ran.
    pub number: u32,
}

/// A version in a box.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "HeldToken"))]
#[non_exhaustive]
pub struct HeldToken {
    /// Its number.
    pub number: u32,
    /// It is not written back yet.
    #[serde(skip_serializing_if = "is_not")]
    pub dirty: bool,
    /// It is there of a part of the resource only.
    #[serde(skip_serializing_if = "is_not")]
    pub part: bool,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "what skips a field gets a reference to it"
)]
fn is_not(word: &bool) -> bool {
    !word
}

/// What a box holds of a resource from a beat on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Hold"))]
#[non_exhaustive]
pub struct HoldRow {
    /// Index of the box.
    pub at: u32,
    /// Index of the resource.
    pub resource: u32,
    /// Its versions, ascending; empty: none.
    pub tokens: Vec<HeldToken>,
}

/// What a beat changes in the diagram.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Scene"))]
#[non_exhaustive]
pub struct SceneRow {
    /// What boxes hold from now on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<HoldRow>,
    /// What moves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<ActRow>,
    /// Of a wrong read, what it should have found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Token>,
    /// Boxes in which that is at this moment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub right: Vec<u32>,
    /// Of a hazard, the boxes of its first (1) and its second use (2).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<SideRow>,
}

impl SceneRow {
    /// Whether anything of it is seen in the diagram.
    pub fn is_seen(&self) -> bool {
        *self != Self::default()
    }
}

/// A version moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Act"))]
#[non_exhaustive]
pub struct ActRow {
    /// `read`, `write`, `write-back` or `drop`.
    pub kind: &'static str,
    /// The version.
    pub token: Token,
    /// The boxes on its way, from where it comes to where it goes; of a drop, the box that does not have it any more.
    pub way: Vec<u32>,
    /// A read that finds what it should not.
    #[serde(skip_serializing_if = "is_not")]
    pub wrong: bool,
    /// It moves on by the way, and no sentence tells it: a write-back that changes nothing of what somebody reads.
    #[serde(skip_serializing_if = "is_not")]
    pub aside: bool,
}

/// A use of a hazard.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "UseOfHazard"))]
#[non_exhaustive]
pub struct SideRow {
    /// Index of the box.
    pub at: u32,
    /// 1 or 2.
    pub side: u32,
}

/// A resource of the diagram.
#[derive(Copy, Clone)]
struct Shown {
    id: ResourceId,
    own: Extent,
    /// The block with the metadata of its texels, at the same places.
    metadata: Option<MemoryId>,
}

impl Shown {
    /// Whether a block has its texels or their metadata.
    fn is_in(&self, memory: MemoryId) -> bool {
        self.own.memory == memory || self.metadata == Some(memory)
    }
}

impl Diagram {
    pub(super) const NOTHING: Self = Self {
        width: 0,
        height: 0,
        boxes: Vec::new(),
        edges: Vec::new(),
        resources: Vec::new(),
        start: Vec::new(),
        scenes: Vec::new(),
        left_out: Vec::new(),
    };

    /// What a version is called.
    pub fn name(&self, token: Token) -> String {
        let letter = &self.resources[token.resource as usize].letter;
        format!("{letter}{}", token.number)
    }

    /// What each box holds after a beat (`None`: before the first), resource by resource.
    pub fn held(&self, beat: Option<usize>) -> Vec<Vec<(Token, HeldToken)>> {
        let told = beat.map_or(0, |beat| beat + 1).min(self.scenes.len());
        let scenes = self.scenes[..told].iter().flat_map(|scene| &scene.holds);
        let mut table = vec![vec![&[][..]; self.resources.len()]; self.boxes.len()];
        for hold in self.start.iter().chain(scenes) {
            table[hold.at as usize][hold.resource as usize] = &hold.tokens;
        }
        let named = |(resource, tokens): (usize, &[HeldToken])| {
            let resource = narrow(resource);
            let of = |held: &HeldToken| {
                let number = held.number;
                (Token { resource, number }, *held)
            };
            tokens.iter().map(of).collect::<Vec<_>>()
        };
        let held = |row: Vec<&[HeldToken]>| row.into_iter().enumerate().flat_map(named).collect();
        table.into_iter().map(held).collect()
    }
}

/// The letters of the resource of this number: `A` to `Z`, then `AA`.
fn letters(mut index: usize) -> String {
    let mut all = Vec::new();
    loop {
        all.push(char::from(b'A' + u8::try_from(index % 26).unwrap_or(0)));
        match (index / 26).checked_sub(1) {
            Some(rest) => index = rest,
            None => return all.into_iter().rev().collect(),
        }
    }
}

/// The diagram of a run, with what happens in its first `most` beats.
pub(super) fn diagram(teller: &Teller<'_>, told: &Beats, most: usize) -> Diagram {
    let given = teller.given;
    if told.beats.is_empty() || most == 0 {
        return Diagram::default();
    }
    let all = (0..given.timeline.scenario.resources.len()).map(ResourceId::new);
    let shown = all.filter(|id| told.versions.is_written(*id));
    let shown = shown.filter_map(|id| {
        let own = given.program.resources[id].extent?;
        let metadata = given.program.metadata_of(own).map(|m| m.memory);
        Some(Shown { id, own, metadata })
    });
    let shown: Vec<Shown> = shown.collect();
    let machine = Machine::new(teller, &shown);
    let mut diagram = Diagram {
        resources: shown
            .iter()
            .enumerate()
            .map(|(index, one)| LetterRow {
                letter: letters(index),
                name: teller.resource(one.id).to_owned(),
            })
            .collect(),
        left_out: machine.left_out(teller, &shown),
        ..Diagram::default()
    };
    (diagram.boxes, diagram.edges) = (machine.boxes.clone(), machine.edges.clone());
    place::place(&mut diagram);
    let mut places = Places::new(teller, told, &shown, &machine);
    diagram.start = places.changes(0);
    let acts = acts::Acts::new(teller, told, &shown, &machine);
    for beat in told.beats.iter().take(most) {
        let mut scene = acts.scene(beat);
        scene.holds = places.changes(beat.moments as usize);
        // What comes at the same time and is told later is not there yet.
        let expected = scene.expected;
        scene.right.retain(|at| {
            let place = machine.place_of(*at).zip(expected);
            place.is_some_and(|(place, token)| places.has(place, token))
        });
        acts.moved_on(beat.at, &places, &mut scene);
        diagram.scenes.push(scene);
    }
    diagram
}

/// What places hold while the changes of memory are gone through.
struct Places<'a> {
    teller: &'a Teller<'a>,
    told: &'a Beats,
    shown: &'a [Shown],
    machine: &'a Machine,
    known: LookupMap<(u32, MemoryId), &'a [HeldRun]>,
    held: LookupMap<(u32, u32), Vec<HeldToken>>,
    /// Changes of memory that have been gone through; none: not even the start.
    moments: Option<usize>,
    /// What places wrote back in the last changes that were gone through.
    written_back: BTreeSet<(u32, Writer)>,
}

impl<'a> Places<'a> {
    fn new(
        teller: &'a Teller<'a>,
        told: &'a Beats,
        shown: &'a [Shown],
        machine: &'a Machine,
    ) -> Self {
        Self {
            teller,
            told,
            shown,
            machine,
            known: LookupMap::default(),
            held: LookupMap::default(),
            moments: None,
            written_back: BTreeSet::new(),
        }
    }

    /// Goes on to so many changes of memory; what boxes hold then that held something else.
    fn changes(&mut self, moments: usize) -> Vec<HoldRow> {
        let contents = self.teller.given.contents;
        let mut touched: BTreeSet<(u32, u32)> = BTreeSet::new();
        if self.moments.is_none() {
            let memory = narrow(contents.places.len().saturating_sub(1));
            touched.extend((0..narrow(self.shown.len())).map(|row| (memory, row)));
        }
        let from = self.moments.unwrap_or(0);
        let until = moments.min(contents.moments.len()).max(from);
        self.written_back.clear();
        for change in &contents.moments[from..until] {
            for block in &change.blocks {
                self.look(block);
                let rows = self.shown.iter().enumerate();
                let rows = rows.filter(|(_, shown)| shown.is_in(block.memory));
                touched.extend(rows.map(|(row, _)| (block.place, narrow(row))));
            }
        }
        self.moments = Some(until);
        touched.into_iter().filter_map(|at| self.hold(at)).collect()
    }

    /// Takes what a block holds, and notes what a cache wrote back of it.
    fn look(&mut self, block: &'a BlockNow) {
        let before = self
            .known
            .insert((block.place, block.memory), block.runs.as_slice());
        let is_memory = self.teller.given.contents.places[block.place as usize]
            .cache
            .is_none();
        let is_shown = self.shown.iter().any(|s| s.is_in(block.memory));
        if is_memory || !is_shown {
            return;
        }
        let is_metadata = self.teller.given.program.is_metadata(block.memory);
        pieces(before.unwrap_or(&[]), &block.runs, |_, _, old, new| {
            for (did, held) in what(old, new, false) {
                if is_metadata && !held.is_clear() {
                    continue;
                }
                if let (Did::WritesBack, Some(writer)) = (did, held.whose()) {
                    self.written_back.insert((block.place, writer));
                }
            }
        });
    }

    /// Whether a place holds a version now.
    fn has(&self, place: u32, token: Token) -> bool {
        let held = self.held.get(&(place, token.resource));
        held.is_some_and(|all| all.iter().any(|own| own.number == token.number))
    }

    /// What a place holds of a resource, if it held something else before and has a box.
    fn hold(&mut self, (place, row): (u32, u32)) -> Option<HoldRow> {
        let at = self.machine.of_place[place as usize]?;
        let one = self.shown[row as usize];
        let runs = |memory: MemoryId| {
            let known = self.known.get(&(place, memory)).copied();
            known.unwrap_or(&[])
        };
        let clears = one.metadata.map_or(&[][..], runs);
        let is_memory = self.teller.given.contents.places[place as usize]
            .cache
            .is_none();
        let now = tokens(
            (runs(one.own.memory), clears),
            one,
            &self.told.versions,
            is_memory,
        );
        let before = self.held.insert((place, row), now.clone());
        (before.unwrap_or_default() != now).then_some(HoldRow {
            at,
            resource: row,
            tokens: now,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn letters_go_on_after_z() {
        let named = [0, 25, 26, 51, 52, 701, 702].map(letters);
        assert_eq!(named, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
