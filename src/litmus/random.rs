//! Random walks through a machine: a histogram such as a device would show, not a proof.
//!
//! Each step is chosen evenly among those possible. The generator is written out here so that a seed means the same
//! walk forever, whatever a library changes.

use super::examine::{ExamineOptions, ModelName};
use super::explore::{Model, successors};
use super::machine::{L1Policy, Machine};
use super::program::Program;
use super::sequential::Sequential;
use super::specification::Specification;
use std::collections::BTreeMap;

/// Outcomes with how often each was seen.
pub type Histogram = BTreeMap<Vec<u32>, u64>;

/// The generator called `SplitMix64`.
struct Random(u64);

impl Random {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the high half is below `bound`"
    )]
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        // The high half of a product spreads evenly enough for any bound that steps have.
        ((u128::from(z) * bound as u128) >> 64) as usize
    }
}

/// Walks a model `runs` times.
pub fn walk(
    program: &Program,
    model: ModelName,
    options: &ExamineOptions,
    runs: u64,
    seed: u64,
) -> Histogram {
    let machine = |policy| Machine::new(program, policy, &options.machine);
    match model {
        ModelName::Sequential => walks(&Sequential::new(program), runs, seed),
        ModelName::WriteThrough => walks(&machine(L1Policy::WriteThrough), runs, seed),
        ModelName::WriteBack => walks(&machine(L1Policy::WriteBack), runs, seed),
        ModelName::Specification => walks(&Specification::new(program, &options.knobs), runs, seed),
    }
}

fn walks(model: &impl Model, runs: u64, seed: u64) -> Histogram {
    let mut random = Random(seed);
    let mut histogram = Histogram::new();
    let mut outcome = Vec::new();
    let start = model.initial();
    for _ in 0..runs {
        let mut state = start.clone();
        loop {
            let next = successors(model, &state);
            let count = next.iter().count();
            if count == 0 {
                break;
            }
            let (chosen, _) = next
                .iter()
                .nth(random.below(count))
                .expect("the choice is among them");
            state.copy_from_slice(chosen);
        }
        model.outcome(&state, &mut outcome);
        *histogram.entry(outcome.clone()).or_insert(0) += 1;
    }
    histogram
}
