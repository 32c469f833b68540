//! The universe against a slow counter that knows texts only.

use super::*;
use BarrierAccess as A;
use std::collections::BTreeSet;

/// Programs of up to `work` uses, by another way: texts are written word by word, each with each choice of names, and
/// compared. For small universes.
fn counted_slowly(universe: &Universe, words: &Words, work: u32) -> u64 {
    let mut seen = BTreeSet::new();
    let mut open: Vec<Vec<&str>> = vec![Vec::new()];
    while let Some(texts) = open.pop() {
        let is_over = texts.iter().filter(|text| is_use(text)).count() > work as usize;
        if is_over || !texts.split(|text| is_use(text)).all(fits_a_gap) {
            continue;
        }
        let is_whole = texts.iter().any(|text| is_use(text))
            && is_paired(&texts)
            && (words.has_last_gap || texts.last().is_some_and(|text| is_use(text)));
        if is_whole {
            let plain: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let least = if universe.resources == 2 {
                plain
                    .clone()
                    .min(texts.iter().map(|text| swapped(text)).collect())
            } else {
                plain
            };
            seen.insert(least);
        }
        open.extend(words.all.iter().map(|word| {
            let mut longer = texts.clone();
            longer.push(&word.text);
            longer
        }));
    }
    seen.len() as u64
}

/// Whether a text is work.
fn is_use(text: &str) -> bool {
    !text.starts_with("barrier ")
}

/// Whether barriers can be in one gap, told by their texts.
fn fits_a_gap(texts: &[&str]) -> bool {
    match texts {
        [] | [_] => true,
        [first, second] => first.contains("-> SPLIT") && is_paired(&[*first, *second]),
        _ => false,
    }
}

/// A text in which the resources have each other's names.
fn swapped(text: &str) -> String {
    let words = text.split(' ').map(|word| match word {
        "a" => "b",
        "b" => "a",
        "a;" => "b;",
        "b;" => "a;",
        other => other,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether every first half of a split barrier is followed by its second, with nothing on the resource between: told by the
/// text alone.
fn is_paired(texts: &[&str]) -> bool {
    NAMES.iter().all(|name| {
        let names = |text: &&&str| text.split([' ', ';']).any(|word| word == *name);
        let mut own = texts.iter().filter(names);
        while let Some(first) = own.next() {
            if !first.contains("SPLIT") {
                continue;
            }
            let second = own.next().copied().unwrap_or_default();
            let joined = first
                .split_once("SPLIT;")
                .zip(second.split_once("SPLIT -> "));
            let Some(((_, says), (_, rest))) = joined else {
                return false;
            };
            // The sync of the second is free of the first; accesses and layouts are the same, in the same order.
            let rest = rest.split_once(';').map_or("", |(_, rest)| rest);
            if says.trim() != rest.trim() {
                return false;
            }
        }
        true
    })
}

fn universes() -> Vec<Universe> {
    let few = vec![A::UNORDERED_ACCESS, A::SHADER_RESOURCE];
    let small = Universe {
        accesses: few,
        ..Universe::default()
    };
    vec![
        small.clone(),
        Universe {
            resources: 2,
            ..small.clone()
        },
        Universe {
            resources: 2,
            forms: vec![Form::Resource, Form::Split],
            ..small.clone()
        },
        Universe {
            kind: ProgramResources::Texture,
            forms: vec![Form::Split],
            ..small
        },
    ]
}

#[test]
fn programs_are_as_many_as_a_slow_counter_finds() {
    let wide = Universe {
        resources: 2,
        forms: vec![Form::Wide],
        ..universes()[0].clone()
    };
    for universe in universes().into_iter().chain([wide]) {
        for work in 1..=2 {
            let mut universe = universe.clone();
            // Two uses of two resources are too many texts, unless all name one access.
            if work == 2 && universe.resources == 2 {
                universe.accesses.truncate(1);
            }
            let words = universe.words();
            let all = words.numbers(work).expect("few");
            let mut sequence = Vec::new();
            let is_program = |number: &u64| {
                words.sequence(*number, &mut sequence);
                words.is_program(&sequence)
            };
            let fast = (0..all).filter(is_program).count() as u64;
            assert_eq!(
                fast,
                counted_slowly(&universe, &words, work),
                "{universe}, {work}"
            );
        }
    }
}

/// Two uses `x y`, four barriers and nothing: with one use 5 × 2, with two (5 × 2)².
#[test]
fn programs_are_as_many_as_the_choices_in_each_place() {
    let words = universes()[0].words();
    assert_eq!(words.gaps.len(), 1 + 4 + 4, "resource and global");
    let few = Universe {
        forms: vec![Form::Resource],
        ..universes()[0].clone()
    };
    assert_eq!(few.words().numbers(1), Some(10));
    assert_eq!(few.words().numbers(2), Some(10 + 100));
    // Of a texture the last gap counts too: 5 × 2 × 5.
    let texture = Universe {
        kind: ProgramResources::Texture,
        ..few
    };
    assert_eq!(texture.words().numbers(1), Some(50));
}

/// One use needs another, or a change of a layout; reads need nothing; raster order is kept without a barrier.
#[test]
fn a_universe_knows_whether_anything_is_needed() {
    let of = |kind, accesses: &[A]| Universe {
        kind,
        accesses: accesses.to_vec(),
        ..Universe::default()
    };
    let buffer = |accesses| of(ProgramResources::Buffer, accesses);
    assert!(!buffer(&[A::UNORDERED_ACCESS]).needs(1));
    assert!(buffer(&[A::UNORDERED_ACCESS]).needs(2));
    assert!(!buffer(&[A::SHADER_RESOURCE, A::CONSTANT_BUFFER]).needs(8));
    let texture = |accesses| of(ProgramResources::Texture, accesses);
    assert!(!texture(&[A::RENDER_TARGET]).needs(8));
    assert!(texture(&[A::RENDER_TARGET, A::SHADER_RESOURCE]).needs(1));
    assert!(!texture(&[A::SHADER_RESOURCE]).needs(8));
}

#[test]
fn programs_are_numbered_by_work_and_word() {
    let words = universes()[0].words();
    assert_eq!(words.count(), 2 + 2 * 4);
    let (mut sequence, mut seen) = (Vec::new(), BTreeSet::new());
    let mut least = 0;
    for number in 0..words.numbers(2).expect("few") {
        words.sequence(number, &mut sequence);
        let uses = sequence.iter().filter(|word| **word < words.uses()).count();
        assert!(least <= uses && uses <= 2, "{number}");
        least = uses;
        assert!(seen.insert(sequence.clone()), "{number}");
    }
    // The last choices of all: a barrier and a use, twice.
    assert_eq!(sequence, [9, 1, 9, 1]);
    assert_eq!(seen.len(), 18 + 18 * 18);
}
