//! Fences with placed barriers: what lacks is added, and nothing waits for more, or earlier, than it must.

use super::{on, random};
use crate::sizes;
use rayon::prelude::*;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::place::{self, Fences, Placed, Placing, Policy};
use syncscope::run::{self, Options};

/// Two queues: `use` needs what both others make, and `last` needs `use`.
const WORK: &str = "buffer a : 1MiB { flags UNORDERED_ACCESS }
buffer b : 1MiB { flags UNORDERED_ACCESS }
buffer c : 1MiB { flags UNORDERED_ACCESS }
queue gfx : direct
queue async : compute
list la : compute { dispatch \"make a\" 1024x1x1 { UNORDERED_ACCESS a writes } }
list lb : direct { dispatch \"make b\" 4096x1x1 { UNORDERED_ACCESS b writes } }
list lc : direct { dispatch \"use\" 64x1x1 { SHADER_RESOURCE a; SHADER_RESOURCE b; UNORDERED_ACCESS c writes } }
list ld : compute { dispatch \"last\" 64x1x1 { SHADER_RESOURCE c } }
";

fn placed(text: &str) -> Placed {
    let mut placing = Placing::default();
    placing.fences = true;
    let source = Source::new("fences.scn", text);
    let registry = catalog::registry();
    let placed = place::place(&source, &[], &registry, &Options::default(), &placing);
    placed.unwrap_or_else(|it| panic!("{it:?}\n{text}"))
}

fn fences(placed: &Placed) -> (usize, usize, usize) {
    let Fences {
        added,
        dropped,
        later,
        ..
    } = placed.fences;
    (added, dropped, later)
}

fn timeline(placed: &Placed) -> Vec<&str> {
    let lines = placed.source.text.lines().map(str::trim);
    lines.skip_while(|it| *it != "timeline {").collect()
}

/// `gfx wait f 1` is needed for the third list, not for the second; `spare` orders nothing; the CPU waits for what it likes.
#[test]
fn waits_are_few_and_late() {
    let text = format!(
        "fence f\nfence g\nfence spare\n{WORK}timeline {{
  async execute la
  async signal f 1
  gfx signal spare 1
  gfx wait f 1 // a is made
  gfx execute lb
  gfx execute lc
  gfx signal g 1
  async wait spare 1
  async wait g 1
  async execute ld
  cpu wait g 1
}}
"
    );
    let placed = placed(&text);
    assert_eq!(fences(&placed), (0, 1, 1));
    assert!(!placed.source.text.contains("spare"));
    assert_eq!(
        timeline(&placed),
        [
            "timeline {",
            "async execute la",
            "async signal f 1",
            "gfx execute lb",
            "gfx wait f 1 // a is made",
            "gfx execute lc",
            "gfx signal g 1",
            "async wait g 1",
            "async execute ld",
            "cpu wait g 1",
            "}",
        ]
    );
}

#[test]
fn what_lacks_is_added() {
    let text = format!(
        "{WORK}timeline {{
  async execute la
  gfx execute lb
  gfx execute lc
  async execute ld
}}
"
    );
    let placed = placed(&text);
    assert!(placed.left.is_empty(), "{:?}", placed.left);
    assert_eq!(fences(&placed), (4, 0, 0));
    let waits = timeline(&placed);
    let waits: Vec<usize> = (0..waits.len())
        .filter(|at| waits[*at].contains("wait"))
        .collect();
    // Before what needs them, and no earlier.
    let next = |at: usize| timeline(&placed)[at + 1];
    assert_eq!(
        waits.iter().map(|at| next(*at)).collect::<Vec<_>>(),
        ["gfx execute lc", "async execute ld"]
    );
}

/// A fence that goes back, and one that somebody else may wait for, stay as they are.
#[test]
fn fences_in_doubt_stay() {
    let back = "fence f
buffer a : 64KiB { flags UNORDERED_ACCESS }
queue c : compute
queue g : direct
timeline {
  c signal f 5
  g wait f 5
  g signal f 2
  c wait f 2
  c execute { dispatch 8x1x1 { UNORDERED_ACCESS a } }
  c signal f 3
  g wait f 3
  g execute { dispatch 8x1x1 { UNORDERED_ACCESS a } }
}
";
    assert_eq!(placed(back).source.text, back);
    let shared = "fence f { flags Shared|NtSecuritySharing }
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue c : compute
queue g : direct
timeline {
  c execute { dispatch 8x1x1 { UNORDERED_ACCESS a } }
  c signal f 1
  g wait f 1
  g execute { dispatch 8x1x1 { UNORDERED_ACCESS b } }
}
";
    assert_eq!(placed(shared).source.text, shared);
}

/// What changes its layout between two queues lacks a fence, too.
#[test]
fn a_change_between_queues_gets_a_fence() {
    let text = "texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS|RENDER_TARGET; initial UNORDERED_ACCESS }
queue g : direct
queue c : compute
timeline {
  c execute { dispatch 8x8x1 { UNORDERED_ACCESS t } }
  g execute { clear-rtv t }
}
";
    let placed = placed(text);
    assert!(placed.left.is_empty(), "{:?}", placed.left);
    assert!(placed.fences.added >= 2, "{:?}", placed.fences);
}

/// A wait that a chain of others implies goes.
#[test]
fn a_chain_is_reduced() {
    let text = "fence f
fence g
buffer a : 1MiB { flags UNORDERED_ACCESS }
queue one : direct
queue two : compute
queue three : compute
timeline {
  one execute { dispatch \"first\" 64x1x1 { UNORDERED_ACCESS a } }
  one signal f 1
  two wait f 1
  two execute { dispatch \"second\" 64x1x1 { UNORDERED_ACCESS a } }
  two signal g 1
  three wait f 1
  three wait g 1
  three execute { dispatch \"third\" 64x1x1 { UNORDERED_ACCESS a } }
}
";
    let placed = placed(text);
    assert_eq!(fences(&placed), (0, 1, 0));
    assert!(!placed.source.text.contains("three wait f 1"));
}

/// Whatever fences a random scene of two queues has: the text with fewer is right, no slower, and no wait is left that nothing
/// needs.
#[test]
fn random_scenes_keep_what_they_need() {
    let registry = catalog::registry();
    let options = Options::default();
    let seeds: Vec<u64> = sizes::PLACED.seeds().filter(|it| it % 6 == 5).collect();
    seeds.par_iter().for_each(|seed| {
        let text = random::scene(*seed);
        let source = Source::new("random.scn", text.as_str());
        let around = on(&source, "", Policy::Search, &registry, &options);
        let (around, with) = (around.expect("it can be placed"), placed(&text));
        assert!(with.left.is_empty(), "{:?}\n{text}", with.left);
        let [more, less] = [&around, &with].map(|it| it.prices[0].placed);
        assert!(less <= more, "{less:?}, {more:?}\n{}", with.source.text);
        for (at, line) in with.source.text.lines().enumerate() {
            if !line.contains(" wait ") {
                continue;
            }
            let lines = with.source.text.lines().enumerate();
            let rest: Vec<&str> = lines.filter(|it| it.0 != at).map(|it| it.1).collect();
            let without = Source::new("without.scn", rest.join("\n"));
            let fails = |text: &Source| {
                let findings = run::check(text, &options).findings;
                findings.iter().any(|it| it.severity.fails())
            };
            let took = |text: &Source| {
                run::run(text, &registry, &options)
                    .map(|it| it.makespan)
                    .ok()
            };
            let is_needed = fails(&without) || took(&without) > took(&with.source);
            assert!(is_needed, "`{line}` is not needed\n{}", with.source.text);
        }
    });
}
