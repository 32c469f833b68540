//! Happens-before as vector clocks: how many submissions of each actor are over before each submission starts.
//!
//! A submission knows what the one before it on its actor knew, and that one. So a row is kept only where a submission
//! comes to know more: after a wait, or after something that the CPU did.

/// What is over before one submission starts.
#[derive(Copy, Clone, Debug)]
pub struct Clock<'t> {
    /// Its actor, and its number there.
    own: usize,
    sequence: u32,
    row: &'t [u32],
}

impl<'t> Clock<'t> {
    /// How many submissions of an actor are over.
    pub fn over(self, actor: usize) -> u32 {
        if actor == self.own {
            self.sequence
        } else {
            self.row[actor]
        }
    }

    /// What it says of the other actors; of its own nothing. The same slice as long as nothing more is known.
    pub(crate) fn others(self) -> &'t [u32] {
        self.row
    }

    /// What is over here is over there too.
    pub(super) fn join_into(self, known: &mut [u32]) {
        for (known, over) in known.iter_mut().zip(self.row) {
            *known = (*known).max(*over);
        }
        known[self.own] = known[self.own].max(self.sequence);
    }
}

/// The clocks of all submissions.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    actors: usize,
    own: Vec<Own>,
}

/// What the submissions of one actor know of the others.
#[derive(Clone, Debug)]
struct Own {
    /// The submissions, by their number on the actor, from which on each row holds; the first is 0.
    since: Vec<u32>,
    /// `actors` numbers a row; that of the actor itself is 0.
    rows: Vec<u32>,
}

impl Clocks {
    /// No actor knows anything of another one.
    pub(super) fn new(actors: usize) -> Self {
        let own = Own {
            since: vec![0],
            rows: vec![0; actors],
        };
        Self {
            actors,
            own: vec![own; actors],
        }
    }

    /// The clock of the submission `sequence` of `own`.
    pub(super) fn get(&self, own: usize, sequence: u32) -> Clock<'_> {
        let known = &self.own[own];
        let row = match known.since.as_slice() {
            [_] => 0,
            since => since.partition_point(|from| *from <= sequence) - 1,
        };
        Clock {
            own,
            sequence,
            row: &known.rows[row * self.actors..][..self.actors],
        }
    }

    /// What the latest submissions of an actor know.
    pub(super) fn latest(&self, own: usize) -> &[u32] {
        let rows = &self.own[own].rows;
        &rows[rows.len() - self.actors..]
    }

    /// From the submission `sequence` of `own` on its actor knows this; they come in order.
    pub(super) fn learn(&mut self, own: usize, sequence: u32, row: &[u32]) {
        if self.latest(own) == row {
            return;
        }
        let known = &mut self.own[own];
        if known.since.last() == Some(&sequence) {
            known.rows.truncate(known.rows.len() - self.actors);
        } else {
            known.since.push(sequence);
        }
        known.rows.extend_from_slice(row);
    }
}
