//! The exhaustive space of survivors: every small program of every kind of resource that begins and ends with a use.
//!
//! What comes before the first use or after the last is between no two uses, and no mistake there is one. Textures start
//! in the layout of the first use, so that no program is wrong for its first layout alone.

use super::super::universe::{Form, Universe, Words};
use super::super::uses::ProgramResources;
use crate::finding::Source;

/// Most commands of a program of a space.
pub const COMMANDS_MAX: u32 = 5;

/// Every program of up to so many commands.
#[derive(Copy, Clone, Debug)]
pub(super) struct Space {
    pub(super) commands: u32,
}

impl Space {
    /// Numbers that are tried: some are no program.
    pub(super) fn count(self) -> usize {
        let of_kind = |kind| {
            let words = universe(kind).words();
            let (uses, all) = (u64::from(words.uses()), words.count());
            let middles = (0..=self.commands - 2).map(|length| all.saturating_pow(length));
            uses * uses * middles.fold(0, u64::saturating_add)
        };
        let all = ProgramResources::ALL.iter().map(|(kind, _)| of_kind(*kind));
        usize::try_from(all.fold(0, u64::saturating_add)).unwrap_or(usize::MAX)
    }

    /// Calls for programs in blocks, one kind after the other, each with how many numbers it took, until `each` has seen
    /// enough.
    pub(super) fn for_each_block(self, mut each: impl FnMut(usize, &[Source]) -> bool) {
        let (mut numbers, mut block) = (0, Vec::new());
        for (kind, _) in ProgramResources::ALL {
            let universe = universe(kind);
            for first in 0..universe.words().uses() {
                let words = universe.words_starting_as(first as usize);
                for length in 2..=self.commands {
                    let mut middle = vec![0; length as usize - 2];
                    loop {
                        add(&words, first, &middle, &mut block);
                        numbers += words.uses() as usize;
                        if block.len() >= BLOCK || numbers >= NUMBERS_MAX {
                            if !each(numbers, &block) {
                                return;
                            }
                            (numbers, block) = (0, Vec::new());
                        }
                        if !next(&mut middle, words.count()) {
                            break;
                        }
                    }
                }
            }
        }
        each(numbers, &block);
    }
}

/// Programs of a block.
pub(super) const BLOCK: usize = 1 << 12;
/// Numbers of a block.
const NUMBERS_MAX: usize = 1 << 16;

fn universe(kind: ProgramResources) -> Universe {
    let mut forms = vec![Form::Resource, Form::Split, Form::Wide];
    if kind.is_buffer() {
        forms.push(Form::Global);
    }
    Universe {
        resources: 1,
        aliased: false,
        kind,
        accesses: Universe::accesses_of(kind),
        forms,
    }
}

/// Adds the programs with these words between their first use and each last use.
fn add(words: &Words, first: u32, middle: &[u32], block: &mut Vec<Source>) {
    for last in 0..words.uses() {
        let mut sequence = Vec::with_capacity(middle.len() + 2);
        sequence.push(first);
        sequence.extend(middle);
        sequence.push(last);
        if words.is_program(&sequence) && words.asks(&sequence) {
            block.push(words.program("a program of the space", &sequence));
        }
    }
}

/// The next sequence of one length; `false` after the last.
fn next(sequence: &mut [u32], words: u64) -> bool {
    for word in sequence.iter_mut().rev() {
        *word += 1;
        if u64::from(*word) < words {
            return true;
        }
        *word = 0;
    }
    false
}
