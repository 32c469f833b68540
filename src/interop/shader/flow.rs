//! Through which blocks of a function every invocation goes that ends.

use super::words::Words;
use ::spirv::Op;
use std::collections::BTreeMap;

/// Blocks of one function beyond which only its first is looked at: the question costs their square.
const BLOCKS_MAX: usize = 1024;

/// For each block's label, whether every path from the function's start to one of its ends goes through it.
pub(super) fn always(words: &Words, (first, end): (usize, usize)) -> BTreeMap<u32, bool> {
    let blocks = blocks(words, first, end);
    let mut index = BTreeMap::default();
    for (at, (label, _)) in blocks.iter().enumerate() {
        index.entry(*label).or_insert(at);
    }
    let next: Vec<Vec<usize>> = blocks
        .iter()
        .map(|(_, next)| next.iter().filter_map(|l| index.get(l).copied()).collect())
        .collect();
    let is_small = blocks.len() <= BLOCKS_MAX;
    let mut answers = BTreeMap::default();
    for (at, (label, _)) in blocks.iter().enumerate() {
        let goes = at == 0 || is_small && !ends_without(&next, at);
        answers.entry(*label).or_insert(goes);
    }
    answers
}

/// Each block's label with the labels that may come next.
fn blocks(words: &Words, first: usize, end: usize) -> Vec<(u32, Vec<u32>)> {
    let mut blocks: Vec<(u32, Vec<u32>)> = Vec::new();
    for index in first..end {
        let it = words.at(index);
        if it.op == Some(Op::Label) {
            blocks.push((it.operand(0), Vec::new()));
            continue;
        }
        let Some((_, next)) = blocks.last_mut() else {
            continue;
        };
        match it.op {
            Some(Op::Branch) => next.push(it.operand(0)),
            Some(Op::BranchConditional) => next.extend(it.from(1).iter().take(2)),
            // Literals may be of two words: what is no label is left out later.
            Some(Op::Switch) => next.extend(it.from(1)),
            _ => {}
        }
    }
    blocks
}

/// Whether a path from the first block to one that ends the function leaves a block out.
fn ends_without(next: &[Vec<usize>], without: usize) -> bool {
    let mut seen = vec![false; next.len()];
    seen[without] = true;
    let mut open = vec![0];
    seen[0] = true;
    while let Some(block) = open.pop() {
        if next[block].is_empty() {
            return true;
        }
        for other in &next[block] {
            if !std::mem::replace(&mut seen[*other], true) {
                open.push(*other);
            }
        }
    }
    false
}
