//! Waiting: stages, engines, what a wait waits for beyond the stages, and what it costs.

use super::file::{File, FrontEndRow, WaitingRow};
use super::{At, Reader};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::hardware::{Drain, Granularity, WritePolicy};
use crate::id::CacheId;
use crate::time::Ps;

impl Reader<'_> {
    pub(super) fn engines(&mut self, rows: &[Vec<String>]) -> Vec<LeafSet> {
        let mut engines: Vec<LeafSet> = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let at = At::of("waiting").to("engines").to(index);
            let engine = self.stages(&at, "[waiting] engines", row);
            for leaf in engine.iter().filter(|l| engines.iter().any(|e| e.has(*l))) {
                let word = leaf.name();
                self.problem(&at, format!("[waiting] engines: `{word}` is named twice"));
            }
            engines.push(engine);
        }
        engines
    }

    /// Stages by name.
    pub(super) fn stages(&mut self, at: &At, place: &str, words: &[String]) -> LeafSet {
        let mut stages = LeafSet::EMPTY;
        for (index, word) in words.iter().enumerate() {
            let at = at.to(index);
            let Some(leaf) = Leaf::ALL.iter().find(|leaf| leaf.name() == word) else {
                self.problem(&at, format!("{place}: `{word}` is not a stage"));
                continue;
            };
            if stages.has(*leaf) {
                self.problem(&at, format!("{place}: `{word}` is named twice"));
            }
            stages = stages.union((*leaf).into());
        }
        stages
    }

    pub(super) fn drains(&mut self, file: &File) -> Vec<Drain> {
        let mut drains = Vec::new();
        let table = At::of("drain");
        for leaf in Leaf::ALL {
            let name = leaf.name();
            let Some(row) = file.drain.get(name) else {
                self.problem(&table, format!("[drain] lacks `{name}`"));
                continue;
            };
            if !self.numbers.contains_key(&row.cost) {
                self.problem(
                    &table.to(name).to("cost"),
                    format!("drain {name}: there is no number `{}`", row.cost),
                );
            }
            drains.push(Drain {
                op: row.op.clone(),
                key: row.cost.clone(),
                cost: Ps::ZERO,
                free_at_end: row.free_at_end,
                event: row.event,
            });
        }
        for key in file
            .drain
            .keys()
            .filter(|k| Leaf::ALL.iter().all(|l| l.name() != *k))
        {
            self.problem(&table.key(key), format!("[drain]: `{key}` is not a stage"));
        }
        drains
    }

    /// Caches that going from one engine to another drops.
    pub(super) fn switch_drops(&mut self, row: &WaitingRow) -> Vec<CacheId> {
        let mut drops = Vec::new();
        for (index, name) in row.switch_drops.iter().enumerate() {
            let at = At::of("waiting").to("switch_drops").to(index);
            match self.known(&at, "[waiting] switch_drops", name) {
                Some(id) if self.caches[id].policy == WritePolicy::WriteBack => self
                    .problem(
                        &at,
                        format!("[waiting] switch_drops: `{name}` is a write-back cache, and dropping it would lose data"),
                    ),
                Some(id) => drops.push(id),
                None => {}
            }
        }
        drops
    }

    pub(super) fn granularity(&mut self, row: &WaitingRow) -> Granularity {
        match row.granularity.as_deref() {
            None | Some("stage") => Granularity::Stage,
            Some("front-end") => Granularity::FrontEnd,
            Some("queue") => Granularity::Queue,
            Some(other) => {
                self.problem(
                    &At::of("waiting").to("granularity"),
                    format!(
                        "[waiting]: granularity `{other}` is not one of stage, front-end, queue"
                    ),
                );
                Granularity::Stage
            }
        }
    }

    /// Caches whose operations make the front end wait.
    pub(super) fn front_end_stopped_by(&mut self, row: &FrontEndRow) -> Vec<CacheId> {
        let mut caches = Vec::new();
        for (index, name) in row.stopped_by.iter().enumerate() {
            let at = At::of("front_end").to("stopped_by").to(index);
            caches.extend(self.known(&at, "[front_end] stopped_by", name));
        }
        caches
    }

    /// Accesses by the front end.
    pub(super) fn front_end_readers(&mut self, row: &FrontEndRow) -> BarrierAccess {
        let mut readers = BarrierAccess::empty();
        for (index, name) in row.readers.iter().enumerate() {
            match BarrierAccess::parse_one(name) {
                Some(access) => readers |= access,
                None => self.problem(
                    &At::of("front_end").to("readers").to(index),
                    format!("[front_end]: `{name}` is not an access"),
                ),
            }
        }
        readers
    }
}
