//! One packet of what a driver wrote for one barrier call.

use super::recording::{Mark, Recording};
use super::{Command, Does, Stream, StreamReader, stages};
use crate::id::narrow;
use crate::lookup::LookupMap;
use crate::lower::recorded::{At, PacketLine, VERSION, WORK};
use std::collections::BTreeSet;

/// What was written for a barrier call, so far.
#[derive(Default)]
pub(super) struct Written {
    does: BTreeSet<Does>,
    raw: Vec<String>,
    /// Commands that are about parts of caches.
    pub(super) ranged: u32,
}

impl Written {
    /// Adds a step: its commands but for those that are written without a barrier too, and what the driver says that it owes.
    pub(super) fn step(
        &mut self,
        reader: &StreamReader,
        mark: Mark,
        (mut list, owed): (&[Command], &[Does]),
        mut without: &[Command],
    ) {
        let is_call = mark != Mark::After;
        if is_call {
            self.does.extend(owed.iter().copied());
        } else if reader.ends_at_launch {
            (list, without) = (before_launch(list), before_launch(without));
        }
        if mark == Mark::Barrier && reader.launches_change_layouts {
            let launches = list.iter().any(|command| command.launches);
            self.does.extend(launches.then_some(Does::Layout));
        }
        let mut shared: LookupMap<&str, u32> = LookupMap::default();
        for command in without {
            *shared.entry(&command.name).or_insert(0) += 1;
        }
        let mut kept = Vec::new();
        for command in list {
            self.does.extend(command.does_anyway.iter().copied());
            match shared.get_mut(command.name.as_str()) {
                Some(left) if *left > 0 && !command.launches => *left -= 1,
                _ => kept.push(command),
            }
        }
        // The work itself is not the barrier's.
        while !is_call && kept.last().is_some_and(|last| last.launches) {
            kept.pop();
        }
        let does = kept.iter().flat_map(|command| &command.does);
        self.does.extend(does.copied());
        self.ranged += narrow(kept.iter().filter(|command| command.is_ranged).count());
        self.raw
            .extend(kept.iter().map(|command| command.name.clone()));
    }

    /// The machine waits between the work before and after, whoever asked.
    pub(super) fn switch(&mut self) {
        self.does.insert(Does::Wait(stages::ALL));
        self.raw.push("switch of engines".to_owned());
    }

    /// The packet.
    pub(super) fn packet(self, stream: &Stream<'_>, recording: &Recording<'_>) -> PacketLine {
        let (mut wait, mut flush, mut drop) = (Vec::new(), Vec::new(), Vec::new());
        let (mut layout, mut front_end) = (Vec::new(), false);
        let generation = stream.generation;
        let has = |cache: &&str| !generation.without.contains(cache);
        for does in self.does {
            match does {
                Does::Wait(stages) => {
                    // Who waits for everything has the front end wait.
                    front_end |= stages == stages::ALL;
                    wait.extend(stages);
                }
                Does::Flush(cache) => flush.extend(Some(cache).filter(has)),
                Does::Layout => layout.push(WORK.to_owned()),
                Does::Drop(cache) => drop.extend(Some(cache).filter(has)),
                Does::FrontEnd => front_end = true,
            }
        }
        if wait.contains(&"ALL") {
            wait = stages::ALL.to_vec();
        }
        wait.sort_unstable();
        wait.dedup();
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        PacketLine {
            schema: VERSION,
            barrier: Some(recording.name.to_owned()),
            scenario: None,
            at: At::Barrier,
            command: None,
            wait: owned(wait),
            hold: None,
            flush: owned(flush),
            invalidate: owned(drop),
            layout,
            ops: Vec::new(),
            entries: None,
            front_end,
            raw: self.raw,
            form: Some(recording.form.to_owned()),
            driver: stream.driver.clone(),
            device: stream.device.clone(),
            profile: Some(generation.profile.to_owned()),
        }
    }
}

/// What comes after the first launch is not for the barrier before it.
fn before_launch(list: &[Command]) -> &[Command] {
    let first = list.iter().position(|command| command.launches);
    &list[..first.unwrap_or(list.len())]
}
