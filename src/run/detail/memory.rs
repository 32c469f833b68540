//! What memory and caches held along the run, and what each change was, in words.

use super::packets::Numbered;
use super::{Words, ps};
use crate::analyze::beats::held::{Did, pieces, what};
use crate::hardware::Profile;
use crate::id::{MemoryId, NodeId, ResourceId};
use crate::order::Timeline;
use crate::run::drawn;
use crate::run::stalls::Namer;
use crate::time;
use crate::trace::contents::{Contents, ContentsChange, HeldRun, Holder};
use indexmap::IndexMap;
use serde::Serialize;

/// A cache or memory.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PlaceRow {
    /// Its name, a word.
    pub name: u32,
    /// What it does with writes, a word; empty for memory.
    pub policy: u32,
    /// Where what it writes back goes: which of the places, or -1.
    pub parent: i64,
}

/// Bytes that are alike: first, one past the last, whose write they are (the id of the command, a word; empty: initial
/// contents), whether they are dirty, and how texels are stored or what metadata says (a word).
pub type RunRow = (u64, u64, u32, u8, u32);

/// What a block holds from a moment on: which place, which block of memory, its runs.
pub type BlockRow = (u32, u32, Vec<RunRow>);

/// A moment at which something changed.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MomentRow {
    /// Time in picoseconds.
    pub at: u64,
    /// The packet that did it, or -1.
    pub row: i64,
    /// What changed, a sentence each (words).
    pub says: Vec<u32>,
    /// What the blocks hold that changed.
    pub blocks: Vec<BlockRow>,
}

/// What memory and caches held.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct ContentsRows {
    /// Caches, then memory.
    pub places: Vec<PlaceRow>,
    /// Moments in order of time.
    pub moments: Vec<MomentRow>,
    /// A block of metadata has the number of its texels' block plus this; `None`: no texture has metadata.
    pub metadata: Option<u32>,
    /// Later moments are not there.
    pub is_cut: bool,
}

/// Writes down what was held.
pub(super) fn contents(
    namer: &Namer<'_, '_>,
    seen: &Contents,
    numbered: &Numbered,
    words: &mut Words,
) -> ContentsRows {
    let (timeline, profile) = (namer.timeline, namer.profile);
    let places = &seen.places;
    let name = |place: &Holder| drawn::place(profile, *place);
    let rows = places.iter().map(|place| PlaceRow {
        name: words.number(&name(place)),
        policy: words.number(place.cache.map_or("", |c| profile.cache(c).policy.word())),
        parent: parent(profile, places, place),
    });
    let rows = rows.collect();
    let teller = Teller {
        timeline,
        names: places.iter().map(name).collect(),
        parents: places.iter().map(|p| parent(profile, places, p)).collect(),
        metadata: namer.program.metadata,
    };
    let mut known: IndexMap<(u32, MemoryId), Vec<HeldRun>> = IndexMap::new();
    let moments = seen.moments.iter().map(|change| {
        let says = teller.says(change, &known);
        for block in &change.blocks {
            known.insert((block.place, block.memory), block.runs.clone());
        }
        moment(timeline, change, &says, numbered, words)
    });
    ContentsRows {
        moments: moments.collect(),
        places: rows,
        metadata: namer.program.metadata,
        is_cut: seen.is_cut,
    }
}

/// Where a place writes back to.
fn parent(profile: &Profile, places: &[Holder], place: &Holder) -> i64 {
    let Some(cache) = place.cache else { return -1 };
    let above = profile.cache(cache).parent;
    let is_it = |p: &Holder| p.cache == above && !p.of_writers;
    let at = places.iter().position(is_it);
    at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)
}

fn moment(
    timeline: &Timeline<'_>,
    change: &ContentsChange,
    says: &[String],
    numbered: &Numbered,
    words: &mut Words,
) -> MomentRow {
    let run = |run: &HeldRun, words: &mut Words| {
        let writer = run.held.writer;
        let writer = writer.map_or(String::new(), |node| timeline.node_name(node));
        (
            run.start,
            run.end,
            words.number(&writer),
            u8::from(run.held.dirty),
            words.number(run.held.state),
        )
    };
    let mut blocks = Vec::new();
    for block in &change.blocks {
        let runs = block.runs.iter().map(|r| run(r, words)).collect();
        blocks.push((block.place, block.memory.0, runs));
    }
    MomentRow {
        at: ps(change.at),
        row: change.op.map_or(-1, |op| numbered.row(op)),
        says: says.iter().map(|line| words.number(line)).collect(),
        blocks,
    }
}

/// Says what changed.
struct Teller<'t, 's> {
    timeline: &'t Timeline<'s>,
    names: Vec<String>,
    parents: Vec<i64>,
    metadata: Option<u32>,
}

impl Teller<'_, '_> {
    /// A sentence for each place, kind of change, resource and writer.
    fn says(
        &self,
        change: &ContentsChange,
        known: &IndexMap<(u32, MemoryId), Vec<HeldRun>>,
    ) -> Vec<String> {
        type What = (u32, Did, MemoryId, Option<ResourceId>, Option<NodeId>);
        let mut sums: IndexMap<What, u64> = IndexMap::new();
        for block in &change.blocks {
            let before = known.get(&(block.place, block.memory));
            let before = before.map_or(&[][..], Vec::as_slice);
            let is_memory = self.parents[block.place as usize] < 0;
            pieces(before, &block.runs, |start, end, old, new| {
                for (did, held) in what(old, new, is_memory) {
                    let resource = held.resource.or_else(|| self.at(block.memory, start));
                    let what = (block.place, did, block.memory, resource, held.writer);
                    *sums.entry(what).or_default() += end - start;
                }
            });
        }
        sums.sort_by(|a, _, b, _| (a.0, a.1).cmp(&(b.0, b.1)));
        let say = |((place, did, memory, resource, writer), bytes): (What, u64)| {
            let name = &self.names[place as usize];
            let resource = resource.map_or("unused memory", |id| {
                self.timeline.scenario.resource_name(id)
            });
            let of = if self.metadata.is_some_and(|first| memory.0 >= first) {
                format!("the metadata of {} of `{resource}`", time::size(bytes))
            } else {
                format!("{} of `{resource}`", time::size(bytes))
            };
            let by = writer.map_or_else(
                || "initial contents".to_owned(),
                |node| format!("from {}", self.timeline.node_name(node)),
            );
            let parent = usize::try_from(self.parents[place as usize]);
            let parent = parent.map_or("memory", |at| &self.names[at]);
            match did {
                Did::Writes => format!("{name} has {of} dirty, {by}"),
                Did::WritesBack => format!("{name} writes {of} back to {parent}, {by}"),
                Did::Drops => format!("{name} drops {of}, {by}"),
                Did::Fetches => format!("{name} fetches {of}, {by}"),
                Did::Receives => format!("memory now holds {of}, {by}"),
            }
        };
        sums.into_iter().map(say).collect()
    }

    /// The resource that some unwritten bytes are of.
    fn at(&self, memory: MemoryId, byte: u64) -> Option<ResourceId> {
        let texels = match self.metadata {
            Some(first) if memory.0 >= first => MemoryId(memory.0 - first),
            _ => memory,
        };
        let all = 0..self.timeline.scenario.resources.len();
        all.map(ResourceId::new).find(|id| {
            let whole = self.timeline.memory.whole(*id);
            whole.is_some_and(|e| e.memory == texels && e.start <= byte && byte < e.end)
        })
    }
}
