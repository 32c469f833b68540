//! Commands of a submission whose uses are the same share what they read and write. What that is, is what each of them would
//! have by itself.

use crate::{random, sizes};
use syncscope::finding::Source;
use syncscope::lower::{self, Lowering};
use syncscope::order::Timeline;
use syncscope::program::{Access, Block, HwOpKind, Program, Slice};
use syncscope::scenario::{Scenario, Use};
use syncscope::{catalog, legacy, scenario};

/// A scenario in which no two uses share their memory.
fn unshared(scenario: &Scenario) -> Scenario {
    let mut apart = scenario.clone();
    let commands = apart.lists.iter_mut().flat_map(|list| &mut list.commands);
    for usage in commands.flat_map(|command| &mut command.uses) {
        *usage = Use::new((**usage).clone(), usage.span);
    }
    apart
}

/// What a packet reads and writes, in full.
fn accesses(block: &Block, kind: &HwOpKind) -> Vec<String> {
    let HwOpKind::Work(work) = kind else {
        return Vec::new();
    };
    let tell = |access: &Access| {
        let extents = access.extents.of(&block.extents);
        let bare = Access {
            extents: Slice::EMPTY,
            ..*access
        };
        format!("{bare:?} of {extents:?}, root {:?}", work.root)
    };
    work.accesses.of(&block.accesses).iter().map(tell).collect()
}

/// How many accesses a program keeps.
fn kept(program: &Program) -> usize {
    program.blocks.iter().map(|b| b.accesses.len()).sum()
}

/// Compares both on some profiles. Returns how many accesses are kept, shared and not.
fn compare(text: &str) -> (usize, usize) {
    let (parsed, findings) = scenario::parse(&Source::new("shared.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let plain = legacy::translate(&parsed);
    let apart = unshared(&plain);
    let (timeline, timeline_apart) = (Timeline::new(&plain), Timeline::new(&apart));
    let mut sum = (0, 0);
    for name in ["rdna", "rdna12", "intel", "tiler"] {
        let profile = catalog::registry().profile(name).expect("a profile");
        let one = lower::PRECISE.lower(&timeline, &profile);
        let other = lower::PRECISE.lower(&timeline_apart, &profile);
        assert_eq!(one.ops, other.ops, "{name}\n{text}");
        for ((block, op), (block_apart, op_apart)) in one.ops().zip(other.ops()) {
            assert_eq!(
                accesses(block, &op.kind),
                accesses(block_apart, &op_apart.kind),
                "{name}, {:?}\n{text}",
                op.origin
            );
            assert_eq!((op.launch, op.tail), (op_apart.launch, op_apart.tail));
        }
        sum = (sum.0 + kept(&one), sum.1 + kept(&other));
    }
    sum
}

/// The same dispatch again in the same layout, in another, and again in the first.
#[test]
fn a_layout_tells_the_same_uses_apart() {
    let read = "dispatch 8x8x1 { SHADER_RESOURCE t; UNORDERED_ACCESS b }\n";
    let to = |from: &str, to: &str| {
        format!(
            "barrier {{ texture t {{ sync ALL -> ALL; access COMMON -> COMMON; layout {from} -> {to} }} }}\n"
        )
    };
    let text = format!(
        "queue q : direct\nbuffer b : 64KiB {{ flags UNORDERED_ACCESS }}\n\
         texture t : R8G8B8A8_UNORM 256x256 {{ flags RENDER_TARGET; initial SHADER_RESOURCE }}\n\
         list l : direct {{\n{read}{read}{}{read}{read}{}{read}}}\ntimeline {{ q execute l }}\n",
        to("SHADER_RESOURCE", "COMMON"),
        to("COMMON", "SHADER_RESOURCE"),
    );
    let (shared, apart) = compare(&text);
    assert!(shared < apart, "{shared} of {apart}");
}

#[test]
fn shared_accesses_are_those_of_each_command() {
    let (mut shared, mut apart) = (0, 0);
    for seed in sizes::STREAMS.seeds() {
        let (one, other) = compare(&random::scene(seed));
        (shared, apart) = (shared + one, apart + other);
    }
    assert!(shared < apart, "some are shared: {shared} of {apart}");
}
