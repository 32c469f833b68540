//! Entries as numbers: a few values and a few sets of bits. What holds for many entries is a kind: values that are allowed, and
//! of each set bits that must be there and bits that may be.

use super::probe::{About, Context, HALF, Prober, QUEUES, Question, SURFACE, TEXTS};
use crate::api::{BarrierAccess, LeafSet};
use crate::hardware::VariantSet;
use crate::id::CacheId;
use crate::lower::session::SinceLastWait;

/// What an entry has one value of.
pub(super) const CHOICES: usize = 10;
pub(super) const ABOUT: usize = 0;
pub(super) const QUEUE: usize = 1;
pub(super) const SPLIT: usize = 2;
pub(super) const CHANGE: usize = 3;
pub(super) const METADATA: usize = 4;
pub(super) const SINCE: usize = 5;
pub(super) const LEFTOVERS: usize = 6;
/// The first of three, [`TEXTS`].
pub(super) const TEXT: usize = 7;
/// How many values each has.
const COUNTS: [u8; CHOICES] = [3, 6, 3, 3, 4, 3, 2, TEXTS[0], TEXTS[1], TEXTS[2]];

/// What an entry has a set of.
pub(super) const SETS: usize = 6;
pub(super) const WAIT: usize = 0;
pub(super) const HOLD: usize = 1;
pub(super) const BEFORE: usize = 2;
pub(super) const AFTER: usize = 3;
pub(super) const GIVEN_UP: usize = 4;
pub(super) const SURFACES: usize = 5;

const TEXTURE: u8 = 0;
const BUFFER: u8 = 1;
const GLOBAL: u8 = 2;

/// An entry.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Sample {
    pub(super) choices: [u8; CHOICES],
    pub(super) sets: [u32; SETS],
}

/// Which entries there are on a profile.
pub(super) struct Space {
    contexts: Vec<Context>,
    compresses: bool,
    leftovers: Vec<CacheId>,
    every: [u32; SETS],
}

/// A set of bits that must be there, and that may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lits {
    /// Of each, at least one is there.
    pub(super) any: Vec<u32>,
    /// Nothing but these is there.
    pub(super) may: u32,
}

/// A kind of entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EntryKind {
    /// Allowed values, a bit each.
    pub(super) choices: [u8; CHOICES],
    pub(super) sets: [Lits; SETS],
}

impl Space {
    pub(super) fn new(prober: &Prober<'_, '_>) -> Self {
        let mut leaving = prober.profile.layout_ops.iter();
        let leaving = leaving.find(|op| !op.caches.is_empty());
        Self {
            contexts: prober.contexts.keys().copied().collect(),
            compresses: prober.profile.compresses(),
            leftovers: leaving.map_or(Vec::new(), |op| op.caches.clone()),
            every: [
                LeafSet::ALL.0,
                LeafSet::ALL.0,
                BarrierAccess::EVERY.bits(),
                BarrierAccess::EVERY.bits(),
                BarrierAccess::WRITES.bits(),
                (1 << prober.surfaces.len()) - 1,
            ],
        }
    }

    /// Every bit that a set may have.
    pub(super) fn every(&self, set: usize) -> u32 {
        self.every[set]
    }

    /// Every value that there is, a bit each.
    pub(super) fn values(choice: usize) -> u8 {
        u8::MAX >> (8 - COUNTS[choice])
    }

    /// Any entry.
    pub(super) fn any(&self, random: &mut Random) -> Sample {
        let context = random.one(&self.contexts);
        let mut it = Sample {
            choices: [0; CHOICES],
            sets: [0; SETS],
        };
        it.of_context(context);
        it.choices[ABOUT] = random.one(&[TEXTURE, TEXTURE, BUFFER, GLOBAL]);
        let accesses = |random: &mut Random| match random.below(6) {
            0 => 0,
            1 => BarrierAccess::EVERY.bits(),
            2 => BarrierAccess::WRITES.bits(),
            n => (0..n).fold(0, |all, _| all | 1 << random.below(23)),
        };
        let stages = |random: &mut Random| match random.below(8) {
            0 => LeafSet::ALL.0,
            1 | 2 => (0..2).fold(0, |all, _| all | 1 << random.below(32)),
            _ => random.below(u32::MAX),
        };
        it.sets[BEFORE] = accesses(random);
        it.sets[AFTER] = accesses(random);
        it.sets[WAIT] = if random.below(10) < 8 {
            stages(random)
        } else {
            0
        };
        it.sets[HOLD] = if random.below(10) < 8 {
            stages(random)
        } else {
            0
        };
        it.choices[SPLIT] = random.one(&[0, 0, 0, 1, 2]);
        if random.below(10) < 3 {
            it.sets[GIVEN_UP] = accesses(random);
        }
        if random.below(10) < 3 {
            it.sets[SURFACES] |= 1 << random.below(self.every[SURFACES].count_ones());
            it.choices[LEFTOVERS] = 1;
        }
        it.choices[SINCE] = random.one(&[0, 1, 2]);
        for (value, count) in it.choices.iter_mut().zip(COUNTS).skip(TEXT) {
            if random.below(10) < 2 {
                *value = random.one(&[0, 1, 2]).min(count - 1);
            }
        }
        self.settled(it)
    }

    /// The nearest entry that there is: a buffer has no layout, what is given up is not named as well, and so on.
    pub(super) fn settled(&self, mut it: Sample) -> Sample {
        for (set, every) in it.sets.iter_mut().zip(self.every) {
            *set &= every;
        }
        let about = it.choices[ABOUT];
        if about != TEXTURE {
            it.choices[CHANGE] = 0;
            let both = about == GLOBAL && self.compresses;
            it.choices[METADATA] = if both { 3 } else { 0 };
            it.choices[TEXT + 2] = 0;
        }
        if about == BUFFER || it.sets[SURFACES] == 0 {
            it.sets[SURFACES] = 1;
        }
        if about != TEXTURE || it.choices[CHANGE] != 0 || self.leftovers.is_empty() {
            it.choices[LEFTOVERS] = 0;
        }
        if about == GLOBAL || it.sets[BEFORE] != 0 || it.sets[WAIT] == 0 {
            it.sets[GIVEN_UP] = 0;
        }
        it
    }

    /// The question that an entry is, if its layouts are any on the profile.
    pub(super) fn question(&self, prober: &Prober<'_, '_>, it: &Sample) -> Option<Question> {
        let about = [About::Texture, About::Buffer, About::Global][usize::from(it.choices[ABOUT])];
        let waits = u8::from(it.sets[WAIT] != 0);
        let half = u8::from(it.choices[SPLIT] == 2);
        let ones = (0..16_u8).filter(|bit| it.sets[SURFACES] >> bit & 1 == 1);
        let mut contexts = ones.clone().map(|surface| {
            let [queue, change, metadata] = [QUEUE, CHANGE, METADATA].map(|at| it.choices[at]);
            Context([queue, surface, waits, change, metadata, half])
        });
        let context = contexts.find(|context| prober.contexts.contains_key(context))?;
        let mut surfaces: VariantSet = prober.surfaces[usize::from(context.0[SURFACE])].into();
        for surface in ones {
            surfaces = surfaces.union(prober.surfaces[usize::from(surface)].into());
        }
        let accesses = |set: usize| BarrierAccess::from_bits_retain(it.sets[set]);
        let since = [
            SinceLastWait::NewList,
            SinceLastWait::Nothing,
            SinceLastWait::Work,
        ];
        Some(Question {
            about,
            context,
            surfaces,
            before: accesses(BEFORE),
            after: accesses(AFTER),
            given_up: accesses(GIVEN_UP),
            wait: LeafSet(it.sets[WAIT]),
            hold: LeafSet(it.sets[HOLD]),
            split: it.choices[SPLIT],
            leftovers: if it.choices[LEFTOVERS] == 1 {
                self.leftovers.clone()
            } else {
                Vec::new()
            },
            since: since[usize::from(it.choices[SINCE])],
            texts: [TEXT, TEXT + 1, TEXT + 2].map(|at| it.choices[at]),
        })
    }

    /// Entries of a kind, at most so many.
    pub(super) fn of_kind(
        &self,
        kind: &EntryKind,
        count: usize,
        random: &mut Random,
    ) -> Vec<Sample> {
        let fits = |context: &&Context| {
            let mut it = Sample {
                choices: [0; CHOICES],
                sets: [0; SETS],
            };
            it.of_context(**context);
            let values = [QUEUE, CHANGE, METADATA].into_iter();
            context.0[HALF] == 0
                && values
                    .into_iter()
                    .all(|at| kind.choices[at] >> it.choices[at] & 1 == 1)
        };
        let contexts: Vec<Context> = self.contexts.iter().filter(fits).copied().collect();
        let mut found = Vec::with_capacity(count);
        for _ in 0..count * 4 {
            let mut it = self.any(random);
            if it.choices[ABOUT] == TEXTURE && !contexts.is_empty() {
                it.of_context(random.one(&contexts));
            }
            for (at, values) in kind.choices.iter().enumerate() {
                while values >> it.choices[at] & 1 == 0 {
                    it.choices[at] = (it.choices[at] + 1) % COUNTS[at];
                }
            }
            for (set, lits) in it.sets.iter_mut().zip(&kind.sets) {
                *set &= lits.may;
                for any in &lits.any {
                    if *set & any == 0 {
                        let ones: Vec<u32> = (0..32).filter(|b| any >> b & 1 == 1).collect();
                        *set |= 1 << random.one(&ones);
                    }
                }
            }
            let it = self.settled(it);
            if kind.has(&it) {
                found.push(it);
            }
            if found.len() == count {
                break;
            }
        }
        found
    }
}

impl Sample {
    fn of_context(&mut self, context: Context) {
        let [queue, surface, _, change, metadata, _] = context.0;
        self.choices[QUEUE] = queue;
        self.choices[CHANGE] = change;
        self.choices[METADATA] = metadata;
        self.sets[SURFACES] = 1 << surface;
    }

    /// How much it says.
    pub(super) fn size(&self) -> u32 {
        let bits: u32 = self.sets.iter().map(|set| set.count_ones()).sum();
        let values = self.choices.iter().filter(|value| **value != 0).count();
        bits + u32::try_from(values).unwrap_or(u32::MAX)
    }
}

impl EntryKind {
    /// The entry alone.
    pub(super) fn alone(it: &Sample) -> Self {
        let lits = |set: u32| Lits {
            any: (0..32)
                .map(|bit| 1 << bit)
                .filter(|bit| set & bit != 0)
                .collect(),
            may: set,
        };
        Self {
            choices: it.choices.map(|value| 1 << value),
            sets: it.sets.map(lits),
        }
    }

    /// Whether an entry is of this kind.
    pub(super) fn has(&self, it: &Sample) -> bool {
        let mut choices = self.choices.iter().zip(it.choices);
        let mut sets = self.sets.iter().zip(it.sets);
        choices.all(|(values, value)| values >> value & 1 == 1)
            && sets.all(|(lits, set)| {
                set & !lits.may == 0 && lits.any.iter().all(|any| set & any != 0)
            })
    }
}

/// Names of the queues.
pub(super) fn queue_names() -> [String; 6] {
    QUEUES.map(|queue| queue.word().to_owned())
}

/// Numbers that look random and are the same every time (splitmix64).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let high = (z ^ (z >> 31)) >> 32;
        u32::try_from(high % u64::from(limit)).unwrap_or_default()
    }

    /// One of several values, at random.
    pub(super) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        let count = u32::try_from(of.len()).unwrap_or(u32::MAX);
        of[self.below(count) as usize]
    }
}
