//! What memory and caches hold, looked at after every event: at what the event reached for. It changes nothing of what
//! happens.

use super::cell::{Cell, Content, INITIAL};
use super::{Engine, Onlooker};
use crate::hardware::Profile;
use crate::id::{CacheId, Extent, MemoryId, NodeId, OpId, ResourceId, Table, narrow};
use crate::program::{CompressionState, Form, IntervalMap};
use crate::time::Ps;
use crate::trace::contents::{
    BlockNow, CLEAR, Contents, ContentsChange, Fill, FillPoint, Held, HeldRun, Holder, WriteEnded,
    Writer,
};

/// Looks, and keeps what changed.
pub(super) struct Looks {
    pub(super) seen: Contents,
    /// What each place held at the last look, by block.
    known: Vec<Table<MemoryId, Vec<HeldRun>>>,
    /// How much of what was reached for in each place had been looked at by then.
    looked: Vec<usize>,
    op: Option<OpId>,
    /// Writes that had ended by the last look.
    ended: usize,
    /// Runs that there is still room for.
    room: usize,
    spare: Vec<HeldRun>,
}

impl Looks {
    pub(super) fn new(profile: &Profile, engine: &mut Engine<'_>, most: usize) -> Self {
        engine.memory.cells.note();
        for cache in &mut engine.memory.caches {
            cache.lines.note();
        }
        let caches = &engine.memory.caches;
        let own = profile.caches.len();
        let mut places = Vec::new();
        for id in caches.ids() {
            // The instance of a cache that writers run in comes after all caches.
            let of_writers = id.index() >= own;
            let of = if of_writers {
                let mut readers = caches.pairs().take(own);
                let found = readers.find(|(_, cache)| cache.writers == Some(id));
                found.map_or(CacheId(0), |(reader, _)| reader)
            } else {
                id
            };
            places.push(Holder {
                cache: Some(of),
                of_writers,
            });
        }
        places.push(Holder {
            cache: None,
            of_writers: false,
        });
        let blocks = engine.memory.cells.len();
        Self {
            known: vec![Table::filled(blocks, Vec::new()); places.len()],
            looked: vec![0; places.len()],
            seen: Contents {
                places,
                ..Contents::default()
            },
            op: None,
            ended: 0,
            room: most,
            spare: Vec::new(),
        }
    }

    /// Looks at the blocks of a place that something reached for since the last look.
    fn look(
        &mut self,
        engine: &Engine<'_>,
        place: usize,
        (changed, before): (&mut Vec<BlockNow>, &mut Vec<Vec<HeldRun>>),
    ) {
        let memory = &engine.memory;
        let cache = memory.caches.get(CacheId::new(place));
        let reached = cache.map_or_else(|| memory.cells.reached(), |c| c.lines.reached());
        let mut blocks = reached[self.looked[place]..].to_vec();
        self.looked[place] = reached.len();
        blocks.sort_unstable();
        blocks.dedup();
        for block in blocks.into_iter().map(MemoryId) {
            self.spare.clear();
            if let Some(cache) = cache {
                for run in cache.lines[block].runs() {
                    let line = run.value;
                    self.push(run.start, run.end, held(engine, line.cell, line.dirty));
                }
            } else {
                for run in memory.cells[block].runs() {
                    self.push(run.start, run.end, held(engine, run.value, false));
                }
            }
            if let Some(old) = self.take(place, block) {
                before.push(old);
                changed.push(BlockNow {
                    place: narrow(place),
                    memory: block,
                    runs: self.known[place][block].clone(),
                });
            }
        }
    }

    /// Takes what a block holds now; what it held before, if that is something else.
    fn take(&mut self, place: usize, block: MemoryId) -> Option<Vec<HeldRun>> {
        let known = &mut self.known[place][block];
        (*known != self.spare).then(|| std::mem::replace(known, std::mem::take(&mut self.spare)))
    }

    fn push(&mut self, start: u64, end: u64, held: Held) {
        if let Some(last) = self.spare.last_mut()
            && last.end == start
            && last.held == held
        {
            last.end = end;
        } else {
            self.spare.push(HeldRun { start, end, held });
        }
    }
}

impl Onlooker for Looks {
    fn before(&mut self, engine: &Engine<'_>, flight: Option<u32>) {
        self.op = flight.map(|flight| engine.flights[flight as usize].op.id);
    }

    fn after(&mut self, engine: &Engine<'_>) {
        self.seen.is_cut |= engine.deeds.as_ref().is_some_and(|deeds| deeds.is_full());
        let mut changed = Vec::new();
        let mut before = Vec::new();
        for place in 0..self.seen.places.len() {
            self.look(engine, place, (&mut changed, &mut before));
        }
        let deeds = engine.deeds.as_ref();
        let ended = deeds.map_or(&[][..], |deeds| deeds.ended_since(self.ended));
        self.ended += ended.len();
        let node = |op: OpId| engine.program.op(op).origin.node;
        for (ends, blocks) in one_by_one(ended, node, before, changed) {
            let more = blocks.iter().map(|block| block.runs.len() + 1).sum();
            let Some(room) = self.room.checked_sub(more) else {
                self.seen.is_cut = true;
                return;
            };
            self.room = room;
            self.seen.moments.push(ContentsChange {
                at: engine.now,
                op: ends.map_or(self.op, |(op, _)| Some(op)),
                ends: ends.map(|(_, resource)| resource),
                blocks,
            });
        }
    }

    fn has_seen_enough(&self) -> bool {
        self.seen.is_cut
    }
}

/// Looks, and keeps only how much the caches held.
pub(super) struct Levels {
    pub(super) seen: Fill,
    looks: Looks,
    /// Bytes that each cache holds of each block: all, and dirty ones.
    blocks: Vec<Table<MemoryId, (u64, u64)>>,
    /// The same of whole caches.
    sums: Vec<(u64, u64)>,
    /// The last point of each cache.
    last: Vec<Option<usize>>,
    most: usize,
}

impl Levels {
    pub(super) fn new(profile: &Profile, engine: &mut Engine<'_>, most: usize) -> Self {
        let looks = Looks::new(profile, engine, usize::MAX);
        let mut places = looks.seen.places.clone();
        places.retain(|place| place.cache.is_some());
        let blocks = engine.memory.cells.len();
        Self {
            blocks: vec![Table::filled(blocks, (0, 0)); places.len()],
            sums: vec![(0, 0); places.len()],
            last: vec![None; places.len()],
            seen: Fill {
                places,
                ..Fill::default()
            },
            looks,
            most,
        }
    }

    fn take(&mut self, at: Ps, block: &BlockNow) {
        let place = block.place as usize;
        let Some(blocks) = self.blocks.get_mut(place) else {
            return;
        };
        let mut now = (0, 0);
        for run in &block.runs {
            let bytes = run.end - run.start;
            now.0 += bytes;
            now.1 += if run.held.dirty { bytes } else { 0 };
        }
        let before = std::mem::replace(&mut blocks[block.memory], now);
        if before == now {
            return;
        }
        let sum = &mut self.sums[place];
        *sum = (sum.0 - before.0 + now.0, sum.1 - before.1 + now.1);
        let point = FillPoint {
            at,
            place: block.place,
            held: sum.0,
            dirty: sum.1,
        };
        let points = &mut self.seen.points;
        match self.last[place] {
            Some(last) if points[last].at == at => points[last] = point,
            _ if points.len() < self.most => {
                self.last[place] = Some(points.len());
                points.push(point);
            }
            _ => self.seen.cut_at = self.seen.cut_at.or(Some(at)),
        }
    }
}

impl Onlooker for Levels {
    fn before(&mut self, engine: &Engine<'_>, flight: Option<u32>) {
        self.looks.before(engine, flight);
    }

    fn after(&mut self, engine: &Engine<'_>) {
        self.looks.after(engine);
        for change in std::mem::take(&mut self.looks.seen.moments) {
            for block in &change.blocks {
                self.take(change.at, block);
            }
        }
    }

    fn has_seen_enough(&self) -> bool {
        self.seen.cut_at.is_some()
    }
}

/// The write that a change of an event ends, if it ends one, and what blocks hold then.
type OneChange = (Option<(OpId, ResourceId)>, Vec<BlockNow>);

/// The changes of an event: one for each packet and resource whose writes it ends, in order, with what is left of that write; the
/// last one has the rest as well. Without such a write all of it is one change.
fn one_by_one(
    ended: &[WriteEnded],
    node: impl Fn(OpId) -> NodeId,
    mut before: Vec<Vec<HeldRun>>,
    changed: Vec<BlockNow>,
) -> Vec<OneChange> {
    let mut order: Vec<(OpId, ResourceId)> = Vec::new();
    for write in ended {
        let own = (write.op, write.resource);
        if !order.contains(&own) {
            order.push(own);
        }
    }
    if changed.is_empty() {
        return Vec::new();
    }
    let Some(last) = order.pop() else {
        return vec![(None, changed)];
    };
    let mut all = Vec::new();
    for (op, resource) in order {
        let node = node(op);
        let writer = Writer { node, resource };
        let own = ended
            .iter()
            .filter(|w| (w.op, w.resource) == (op, resource));
        let own: Vec<Extent> = own.map(|write| write.extent).collect();
        let mut blocks = Vec::new();
        for (block, runs) in changed.iter().zip(&mut before) {
            let own = own.iter().filter(|e| e.memory == block.memory);
            let now = taken(runs, &block.runs, (own, writer));
            if now != *runs {
                runs.clone_from(&now);
                blocks.push(BlockNow {
                    runs: now,
                    ..*block
                });
            }
        }
        all.push((Some((op, resource)), blocks));
    }
    all.push((Some(last), changed));
    all
}

/// `old` runs, but `new` ones where they are a writer's and within some bytes.
fn taken<'e>(
    old: &[HeldRun],
    new: &[HeldRun],
    (extents, writer): (impl Iterator<Item = &'e Extent>, Writer),
) -> Vec<HeldRun> {
    let mut now: IntervalMap<Held> = IntervalMap::default();
    for run in old {
        now.set(run.start, run.end, run.held);
    }
    for extent in extents {
        let first = new.partition_point(|run| run.end <= extent.start);
        let within = new[first..].iter().take_while(|run| run.start < extent.end);
        for run in within.filter(|run| run.held.whose() == Some(writer)) {
            now.set(
                run.start.max(extent.start),
                run.end.min(extent.end),
                run.held,
            );
        }
    }
    let runs = now.runs().map(|run| HeldRun {
        start: run.start,
        end: run.end,
        held: run.value,
    });
    runs.collect()
}

fn held(engine: &Engine<'_>, cell: Cell, dirty: bool) -> Held {
    let info = engine.versions[cell.version as usize];
    let is_written = cell.version != INITIAL;
    Held {
        writer: is_written.then_some(info.node),
        resource: is_written.then_some(info.resource),
        dirty,
        state: word(cell.content),
    }
}

fn word(content: Content) -> &'static str {
    match content {
        Content::Untouched => "",
        Content::Texels(Form::Plain) => "plain",
        Content::Texels(Form::Packed) | Content::Metadata(CompressionState::Compressed) => {
            "compressed"
        }
        Content::Texels(Form::Absent) => "clear value",
        Content::Texels(Form::Garbage) => "garbage",
        Content::Metadata(CompressionState::Clear) => CLEAR,
        Content::Metadata(CompressionState::PartialClear) => "partly clear",
        Content::Metadata(CompressionState::Resolved) => "resolved",
        Content::Metadata(CompressionState::PassThrough) => "pass-through",
        Content::Metadata(CompressionState::Invalid) => "invalid",
    }
}
