//! How much each law tries: one table. `cargo test` takes the quick column, `.ci/run` (`SYNCSCOPE_TESTS=ci`) the second,
//! `SYNCSCOPE_TESTS=full` the full one, and a variable of its own sets one size:
//! `SYNCSCOPE_REFERENCE=1000000 cargo test --profile laws reference`.

use std::ops::Range;

/// The size of one law or family of laws.
pub(crate) struct Size {
    /// The end of its variable's name, after `SYNCSCOPE_`.
    name: &'static str,
    /// What is counted.
    of: &'static str,
    quick: u64,
    ci: u64,
    full: u64,
}

/// Engine against brute force.
pub(crate) const REFERENCE: Size = Size {
    name: "REFERENCE",
    of: "random scenarios on which the engine is compared with the brute-force reference",
    quick: 8_000,
    ci: 20_000,
    full: 60_000,
};
/// Engine against brute force and against itself, on many ranges.
pub(crate) const CROWDS: Size = Size {
    name: "CROWDS",
    of: "random scenarios of many live ranges on which the engine is compared with the reference, or lazy with eager",
    quick: 150,
    ci: 400,
    full: 4_000,
};
/// Laws of the reference's scenarios.
pub(crate) const LAWS: Size = Size {
    name: "LAWS",
    of: "random scenarios that each law of barriers edits",
    quick: 1_000,
    ci: 4_000,
    full: 20_000,
};
/// Redundancy against brute force.
pub(crate) const SAVINGS: Size = Size {
    name: "SAVINGS",
    of: "random scenarios whose redundant barriers the reference confirms",
    quick: 100,
    ci: 150,
    full: 700,
};
/// Repairs.
pub(crate) const REPAIRS: Size = Size {
    name: "REPAIRS",
    of: "random scenarios that are repaired and checked again",
    quick: 12,
    ci: 30,
    full: 150,
};
/// Repairs of one wrong field.
pub(crate) const WRONG: Size = Size {
    name: "WRONG",
    of: "random scenes without mistakes of which one field is made wrong, and repaired",
    quick: 80,
    ci: 200,
    full: 1_500,
};
/// One wrong word of a legacy barrier, of a signal or a wait.
pub(crate) const WORDS: Size = Size {
    name: "WORDS",
    of: "random scenes without mistakes of which one word of a legacy barrier, a signal or a wait is made wrong, and repaired",
    quick: 30,
    ci: 60,
    full: 500,
};
/// Legality against a slow reference.
pub(crate) const LEGALITY: Size = Size {
    name: "LEGALITY",
    of: "random scenes on which legality is compared with its slow reference",
    quick: 5_000,
    ci: 15_000,
    full: 50_000,
};
/// Whole runs of small scenes.
pub(crate) const RUNS: Size = Size {
    name: "RUNS",
    of: "random scenes that run under every right lowering",
    quick: 12,
    ci: 24,
    full: 240,
};
/// Lowerings, statically.
pub(crate) const ENSURED: Size = Size {
    name: "ENSURED",
    of: "random scenarios whose packets are judged, of every right lowering on every profile",
    quick: 300,
    ci: 700,
    full: 8_000,
};
/// Machines of one's own.
pub(crate) const PROFILES: Size = Size {
    name: "PROFILES",
    of: "random profiles on which `precise` is judged, each on 20 programs, or on 200 at full size",
    quick: 60,
    ci: 140,
    full: 500,
};
/// Wrong reads and the findings that explain them.
pub(crate) const READS: Size = Size {
    name: "READS",
    of: "random scenarios of whose wrong reads each must have a finding",
    quick: 500,
    ci: 1_200,
    full: 5_000,
};
/// Laws of the machine.
pub(crate) const MACHINE: Size = Size {
    name: "MACHINE",
    of: "times the 10 to 40 random scenes on which each law of the machine runs",
    quick: 1,
    ci: 2,
    full: 5,
};
/// Streamed runs.
pub(crate) const STREAMS: Size = Size {
    name: "STREAMS",
    of: "random scenes that run streamed and whole",
    quick: 10,
    ci: 30,
    full: 200,
};
/// Litmus tests against a naive walk.
pub(crate) const LITMUS: Size = Size {
    name: "LITMUS",
    of: "random litmus tests on which the explorer is compared with walking every path",
    quick: 100,
    ci: 300,
    full: 2_000,
};
/// Uses that may not be made.
pub(crate) const MAY: Size = Size {
    name: "MAY",
    of: "random scenarios in which some uses say `may`, compared with the same without the word and without the uses",
    quick: 800,
    ci: 2_000,
    full: 10_000,
};
/// Chains of uses.
pub(crate) const CHAINS: Size = Size {
    name: "CHAINS",
    of: "chains of three uses, of all there are, that run under every right lowering on every profile",
    quick: 30,
    ci: 200,
    full: 6_000,
};
/// Hostile scenes that parse.
pub(crate) const HOSTILE: Size = Size {
    name: "HOSTILE",
    of: "hostile scenes that run under every lowering",
    quick: 10,
    ci: 30,
    full: 250,
};
/// Texts that hardly parse.
pub(crate) const CASES: Size = Size {
    name: "CASES",
    of: "random or mutated texts that each test of robustness reads",
    quick: 100,
    ci: 200,
    full: 2_000,
};

/// Lowerings by pairs, against the machine.
pub(crate) const PAIRS: Size = Size {
    name: "PAIRS",
    of: "random scenarios with mistakes in their packets, of which an adversarial run shows what is wrong by pairs",
    quick: 30,
    ci: 60,
    full: 3_000,
};

/// Timelines in a browser.
pub(crate) const PICTURES: Size = Size {
    name: "PICTURES",
    of: "random runs whose timelines a browser draws, five times each, and which are compared with their JSON",
    quick: 12,
    ci: 40,
    full: 120,
};

/// Placed barriers.
pub(crate) const PLACED: Size = Size {
    name: "PLACED",
    of: "random scenes whose placed barriers are compared with the best of all plans",
    quick: 60,
    ci: 2_000,
    full: 2_000,
};

/// Every size, in the order of the book's table.
const ALL: [&Size; 22] = [
    &REFERENCE, &CROWDS, &LAWS, &SAVINGS, &REPAIRS, &WRONG, &WORDS, &LEGALITY, &RUNS, &ENSURED,
    &PROFILES, &READS, &MACHINE, &STREAMS, &LITMUS, &MAY, &CHAINS, &HOSTILE, &CASES, &PAIRS,
    &PICTURES, &PLACED,
];

impl Size {
    /// How many this run tries.
    ///
    /// # Panics
    /// If a variable holds something that was not meant: a typo must not make a law smaller than was asked for.
    pub(crate) fn count(&self) -> u64 {
        let variable = format!("SYNCSCOPE_{}", self.name);
        if let Ok(asked) = std::env::var(&variable) {
            return asked
                .parse()
                .unwrap_or_else(|_| panic!("{variable} is a number, not `{asked}`"));
        }
        match std::env::var("SYNCSCOPE_TESTS").as_deref() {
            Err(_) | Ok("quick") => self.quick,
            Ok("ci") => self.ci,
            Ok("full") => self.full,
            Ok(other) => panic!("SYNCSCOPE_TESTS is `quick`, `ci` or `full`, not `{other}`"),
        }
    }

    /// The seeds of this run: from `SYNCSCOPE_FROM`, or zero, on.
    pub(crate) fn seeds(&self) -> Range<u64> {
        let first = first_seed();
        first..first + self.count()
    }

    /// The seeds of a law that takes `times` as many.
    pub(crate) fn seeds_times(&self, times: u64) -> Range<u64> {
        let first = first_seed();
        first..first + self.count() * times
    }
}

/// Of a list too long for every run, each how-manieth this run takes: all of them at full size.
pub(crate) fn step(quick: usize, ci: usize) -> usize {
    match std::env::var("SYNCSCOPE_TESTS").as_deref() {
        Ok("full") => 1,
        Ok("ci") => ci,
        _ => quick,
    }
}

/// The first few of a list at the quick size, the whole list else.
pub(crate) fn first<T>(few: usize, all: &[T]) -> &[T] {
    if step(2, 1) == 1 { all } else { &all[..few] }
}

/// Whether this run has time for what takes minutes.
pub(crate) fn is_full() -> bool {
    std::env::var("SYNCSCOPE_TESTS").is_ok_and(|tier| tier == "full")
}

fn first_seed() -> u64 {
    std::env::var("SYNCSCOPE_FROM").map_or(0, |from| {
        let number = from.parse();
        number.unwrap_or_else(|_| panic!("SYNCSCOPE_FROM is a number, not `{from}`"))
    })
}

/// The table as the book prints it.
pub(crate) fn table() -> String {
    let mut table = String::from(
        "| variable | counts | `cargo test` | `.ci/run` | full |\n|---|---|---|---|---|\n",
    );
    for size in ALL {
        let row = format!(
            "| `SYNCSCOPE_{}` | {} | {} | {} | {} |\n",
            size.name, size.of, size.quick, size.ci, size.full
        );
        table.push_str(&row);
    }
    table
}

#[test]
fn every_variable_is_in_the_table() {
    let suite = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite");
    let mut open = vec![suite];
    let mut wrong = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a folder of the suite") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            if path.ends_with("sizes.rs") || path.extension().is_none_or(|e| e != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            if text.contains("var(\"SYNCSCOPE_") {
                wrong.push(path.display().to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "sizes belong into `sizes.rs`: {wrong:#?}");
}
