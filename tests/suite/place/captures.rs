//! Captures of programs, with their barriers placed: no slower than what people wrote.

use super::{on, times};
use crate::captures::{NAMES, text};
use crate::sizes;
use rayon::prelude::*;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::place::{Count, Policy};
use syncscope::run::Options;

/// Captures of programs, as they are imported.
fn captures() -> Vec<Source> {
    let each = NAMES.iter();
    each.map(|name| Source::new(format!("{name}.scn"), text(name)))
        .collect()
}

/// The book's table of captures.
pub(crate) fn table() -> String {
    let registry = catalog::registry();
    let rows: Vec<String> = captures()
        .par_iter()
        .map(|source| {
            let placed = on(
                source,
                "rdna",
                Policy::Search,
                &registry,
                &Options::default(),
            );
            let placed = placed.expect("a capture can be placed");
            let price = &placed.prices[0];
            let [was, now, least] =
                [price.written, price.placed, price.bound].map(|it| it.expect("the run ends"));
            let mistakes = if placed.written.is_clean {
                ""
            } else {
                ", with hazards"
            };
            let left = if placed.left.is_empty() {
                ""
            } else {
                ", with races"
            };
            let in_calls = |it: Count| format!("{} in {}", it.entries, it.calls);
            format!(
                "| `{}` | {was}, {}{mistakes} | {now}, {}{left} | {least} |\n",
                source.name.trim_end_matches(".scn"),
                in_calls(placed.written),
                in_calls(placed.placed),
            )
        })
        .collect();
    let head = "| program | written | placed | lower bound |\n|---|---|---|---|\n";
    head.to_owned() + &rows.concat()
}

/// What people's programs do takes no longer with placed barriers. A capture with hazards lacks barriers that the placed text
/// has.
#[test]
fn captured_programs_take_no_longer() {
    let registry = catalog::registry();
    // Quick: every second capture, on one machine.
    let step = sizes::step(2, 1);
    let captures = captures().into_iter().step_by(step);
    let captures: Vec<Source> = captures.collect();
    captures.par_iter().enumerate().for_each(|(at, source)| {
        for profile in ["rdna", "nvidia"].into_iter().skip(at % step).step_by(step) {
            let placed = on(
                source,
                profile,
                Policy::Search,
                &registry,
                &Options::default(),
            );
            let placed = placed.unwrap_or_else(|it| panic!("{}: {it:?}", source.name));
            let (written, now) = times(&placed);
            if placed.written.is_clean {
                assert!(now <= written, "{}: {now}, {written} written", source.name);
                assert!(placed.left.is_empty(), "{}: {:?}", source.name, placed.left);
            }
            for finding in &placed.left {
                // No fence orders what is presented.
                assert_eq!(
                    finding.rule.id, "HZ203",
                    "{}: {}",
                    source.name, finding.message
                );
            }
            let bound = placed.prices[0].bound.expect("nothing is reset");
            assert!(bound <= now, "{}: {bound} at least, {now}", source.name);
        }
    });
}
