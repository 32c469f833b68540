//! What each place holds of each resource, as a table that changes from beat to beat.

use crate::analyze::beats::{Beats, Teller};
use crate::id::{MemoryId, ResourceId, narrow};
use crate::lookup::LookupMap;
use crate::trace::contents::HeldRun;

/// Versions that a cell names.
const VERSIONS_MAX: usize = 3;

/// A table of versions, a row for each resource that somebody writes and a column for each place that ever holds one.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cells {
    /// Names of resources.
    pub resources: Vec<String>,
    /// Names of places: caches, then memory.
    pub places: Vec<String>,
    /// Changes, in order.
    pub changes: Vec<CellRow>,
}

/// A cell says something else from now on.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CellRow {
    /// After how many changes of memory ([`super::BeatRow::moments`]).
    pub moment: u32,
    /// Index in [`Cells::resources`].
    pub resource: u32,
    /// Index in [`Cells::places`].
    pub place: u32,
    /// The numbers of the versions that are there, with `*` if they are not written back; empty: none.
    pub says: String,
}

impl Cells {
    pub(super) const NOTHING: Self = Self {
        resources: Vec::new(),
        places: Vec::new(),
        changes: Vec::new(),
    };

    /// The table after so many changes of memory: what each place says of each resource, row by row.
    pub fn at(&self, moments: u32) -> Vec<Vec<&str>> {
        let mut table = vec![vec![""; self.places.len()]; self.resources.len()];
        let changes = self.changes.iter();
        for change in changes.take_while(|change| change.moment <= moments) {
            table[change.resource as usize][change.place as usize] = &change.says;
        }
        table
    }
}

pub(super) fn cells(teller: &Teller<'_>, told: &Beats) -> Cells {
    let mut cells = Cells::default();
    let mut rows: Vec<(ResourceId, u32)> = Vec::new();
    for index in 0..teller.given.timeline.scenario.resources.len() {
        let id = ResourceId::new(index);
        if told.versions.is_written(id) && teller.given.program.resources[id].extent.is_some() {
            rows.push((id, narrow(cells.resources.len())));
            cells.resources.push(teller.resource(id).to_owned());
        }
    }
    let mut columns: LookupMap<u32, u32> = LookupMap::default();
    let mut known: LookupMap<(u32, MemoryId), &[HeldRun]> = LookupMap::default();
    let mut before: LookupMap<(u32, u32), String> = LookupMap::default();
    let mut changes = Vec::new();
    for (moment, change) in teller.given.contents.moments.iter().enumerate() {
        for block in &change.blocks {
            known.insert((block.place, block.memory), &block.runs);
        }
        for block in &change.blocks {
            let runs = |memory: MemoryId| known.get(&(block.place, memory)).copied();
            for (id, row) in &rows {
                let Some(says) = says(teller, told, (*id, block.memory), runs) else {
                    continue;
                };
                let old = before.entry((*row, block.place)).or_default();
                if *old != says {
                    old.clone_from(&says);
                    columns.insert(block.place, 0);
                    changes.push((narrow(moment + 1), *row, block.place, says));
                }
            }
        }
    }
    for place in 0..narrow(teller.given.contents.places.len()) {
        if let Some(column) = columns.get_mut(&place) {
            *column = narrow(cells.places.len());
            cells.places.push(teller.place(place));
        }
    }
    let change = |(moment, resource, place, says): (u32, u32, u32, String)| CellRow {
        moment,
        resource,
        place: columns[&place],
        says,
    };
    cells.changes = changes.into_iter().map(change).collect();
    cells
}

/// What the runs of a place say of a resource; `None` if neither its texels nor their metadata are in the block that changed.
fn says<'r>(
    teller: &Teller<'_>,
    told: &Beats,
    (id, changed): (ResourceId, MemoryId),
    runs: impl Fn(MemoryId) -> Option<&'r [HeldRun]>,
) -> Option<String> {
    let program = teller.given.program;
    let own = program.resources[id].extent?;
    let metadata = program.metadata_of(own).map(|own| own.memory);
    if own.memory != changed && metadata != Some(changed) {
        return None;
    }
    let texels = runs(own.memory).unwrap_or(&[]).iter();
    let clears = metadata.and_then(runs).unwrap_or(&[]).iter();
    let clears = clears.filter(|run| {
        let writer = run.held.whose();
        run.held.is_clear() && writer.is_none_or(|writer| writer.resource == id)
    });
    let mut all: Vec<String> = Vec::new();
    for run in texels
        .chain(clears)
        .filter(|r| r.start < own.end && own.start < r.end)
    {
        let writer = run.held.whose();
        let number = told.versions.number(writer);
        let mark = if run.held.dirty { "*" } else { "" };
        let word = match writer {
            // An alias has written these bytes.
            Some(writer) if writer.resource != id => {
                format!("{} {number}{mark}", teller.resource(writer.resource))
            }
            _ => format!("{number}{mark}"),
        };
        if !all.contains(&word) {
            all.push(word);
        }
    }
    if all.len() > VERSIONS_MAX {
        all.truncate(VERSIONS_MAX);
        all.push("…".to_owned());
    }
    Some(all.join(" "))
}
