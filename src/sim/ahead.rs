//! What a front end fetches ahead: indirect arguments, and indices on some machines.
//!
//! The parser of commands runs before the rest of the front end. It fetches what a command needs of memory when it takes
//! the command up, be it that a barrier still keeps or holds the command. So what earlier work has not written by then is
//! missed, unless the parser is made to wait: by the step of a barrier that synchronises the front end, or by a packet that
//! holds what is fetched like everything else, such as the start of a scope. Then it fetches when that is over.

use super::Engine;
use super::memory::Seen;
use crate::api::LeafSet;
use crate::id::Extent;
use crate::program::{Access, AccessMode, BarrierOp, Block, HwOp, HwOpKind, Work};

/// What the parser has of a command.
#[derive(Default)]
pub(super) enum Ahead {
    /// It fetches nothing for the command, or it comes to that as late as the stage does.
    #[default]
    Nothing,
    /// It has been made to wait.
    Waits,
    /// It has fetched.
    Has(Vec<Fetched>),
}

/// What one access found when the parser came to it.
pub(super) struct Fetched {
    /// The access of its command.
    index: u32,
    /// By extent of the access, what it found, ascending.
    seen: Vec<(Extent, Vec<Seen>)>,
    /// Some of the bytes were not written yet.
    pub(super) early: bool,
}

impl Ahead {
    pub(super) fn for_each_version(&mut self, mut each: impl FnMut(&mut u32)) {
        if let Self::Has(all) = self {
            let seen = all.iter_mut().flat_map(|one| &mut one.seen);
            for piece in seen.flat_map(|(_, seen)| seen) {
                each(&mut piece.cell.version);
            }
        }
    }

    /// What was fetched for an access.
    pub(super) fn take(&mut self, index: u32) -> Option<Fetched> {
        let Self::Has(all) = self else { return None };
        let at = all.iter().position(|one| one.index == index)?;
        Some(all.swap_remove(at))
    }
}

impl Fetched {
    /// What was found of an extent of the access.
    pub(super) fn of(&self, extent: Extent) -> &[Seen] {
        let found = self.seen.iter().find(|(own, _)| *own == extent);
        found.map_or(&[], |(_, seen)| seen)
    }
}

impl Engine<'_> {
    /// A front end has taken a packet up.
    pub(super) fn look_ahead(&mut self, queue: usize) {
        let Some((
            block,
            HwOp {
                kind: HwOpKind::Work(work),
                ..
            },
        )) = &self.actors[queue].taken
        else {
            return;
        };
        if self.accesses_ahead(work, block).next().is_none() {
            return;
        }
        let (block, work) = (block.clone(), *work);
        self.actors[queue].ahead = self.come_to(queue, &work, &block);
    }

    /// The parser comes to a command, again if it was held.
    fn come_to(&mut self, queue: usize, work: &Work, block: &Block) -> Ahead {
        let holds = &self.actors[queue].fetch_holds;
        let (mut any, mut held) = (false, false);
        for (_, access) in self.accesses_ahead(work, block) {
            any = true;
            held |= access.stages.iter().any(|leaf| holds[leaf.index()] > 0);
        }
        match (any, held) {
            (false, _) => Ahead::Nothing,
            (true, true) => Ahead::Waits,
            (true, false) => self.fetch(work, block),
        }
    }

    fn accesses_ahead<'b>(
        &self,
        work: &Work,
        block: &'b Block,
    ) -> impl Iterator<Item = (u32, &'b Access)> + use<'b> {
        let readers = self.profile.front_end_readers;
        let accesses = (0..).zip(work.accesses.of(&block.accesses));
        accesses.filter(move |(_, access)| {
            access.mode == AccessMode::Read && readers.intersects(access.access)
        })
    }

    fn fetch(&mut self, work: &Work, block: &Block) -> Ahead {
        let mut all = Vec::new();
        for (index, access) in self.accesses_ahead(work, block) {
            let path = self.path(access.path);
            let (mut seen, mut early) = (Vec::new(), false);
            for extent in access.extents.of(&block.extents) {
                let mut found = Vec::new();
                self.memory.read(path, *extent, &mut found, &mut Vec::new());
                seen.push((*extent, found));
                self.expect(*extent, |extent, cell| {
                    let members = self.joins.members(extent.start, extent.end, cell);
                    early |= members
                        .iter()
                        .any(|m| !self.versions[m.value.version as usize].present);
                });
            }
            all.push(Fetched { index, seen, early });
        }
        Ahead::Has(all)
    }

    /// A barrier takes effect: it holds the parser itself, or until a step of it is over.
    pub(super) fn hold_fetches(&mut self, queue: usize, block: &Block, barrier: &BarrierOp) {
        let steps = barrier.steps.of(&block.steps).iter();
        let stopped_by = &self.profile.front_end_stopped_by;
        let syncs = steps.filter(|step| step.kind.stops_fetches(stopped_by));
        let by_steps = syncs.map(|_| LeafSet::ALL);
        let by_itself = barrier.holds_fetches.then_some(barrier.hold);
        for leaf in by_steps.chain(by_itself).flat_map(LeafSet::iter) {
            self.actors[queue].fetch_holds[leaf.index()] += 1;
        }
    }

    /// What has held the parser is over.
    pub(super) fn release_fetches(&mut self, queue: usize, leaves: LeafSet) {
        let actor = &mut self.actors[queue];
        let mut goes_on = false;
        for leaf in leaves.iter() {
            let holds = &mut actor.fetch_holds[leaf.index()];
            *holds -= 1;
            goes_on |= *holds == 0;
        }
        if !goes_on {
            return;
        }
        for flight in std::mem::take(&mut actor.parsed) {
            let f = &self.flights[flight as usize];
            if f.queue as usize != queue || !matches!(f.ahead, Ahead::Waits) {
                continue;
            }
            let (block, op) = (f.block.clone(), f.op);
            if let HwOpKind::Work(work) = op.kind {
                let ahead = self.come_to(queue, &work, &block);
                if matches!(ahead, Ahead::Waits) {
                    self.actors[queue].parsed.push(flight);
                }
                self.flights[flight as usize].ahead = ahead;
            }
        }
        if matches!(self.actors[queue].ahead, Ahead::Waits) {
            self.look_ahead(queue);
        }
    }

    /// A command that was taken up leaves the front end.
    pub(super) fn hand_ahead(&mut self, queue: usize, flight: u32) {
        let actor = &mut self.actors[queue];
        let ahead = std::mem::take(&mut actor.ahead);
        if matches!(ahead, Ahead::Waits) {
            actor.parsed.push(flight);
        }
        self.flights[flight as usize].ahead = ahead;
    }
}
