//! What may be asked of this parser, next to what a text says: which words may be at a place, and where names are.

use super::super::fence::Intrinsic;
use super::super::model::{Atomic, Kernel};
use super::Parser;
use crate::finding::{Source, Span};
use crate::tokens::{Notes, Offer, Tokens, probed};

/// What may be where a word begins. What is after that place plays no part.
pub(crate) fn offer_at(source: &Source, at: usize) -> Offer {
    let Some((text, at)) = probed(&source.text, at) else {
        return Offer::default();
    };
    let probed = Source::new(source.name.clone(), text);
    let mut parser = parser(&probed);
    parser.tokens.offered = Some(Offer {
        at,
        ..Offer::default()
    });
    parser.file();
    parser.tokens.offered.unwrap_or_default()
}

/// Where names and statements are, as far as the text is understood.
pub(crate) fn notes(source: &Source) -> Notes {
    let mut parser = parser(source);
    parser.tokens.noted = Some(Notes::default());
    parser.file();
    parser.tokens.noted.unwrap_or_default()
}

fn parser(source: &Source) -> Parser<'_> {
    Parser {
        tokens: Tokens::new(source),
        kernel: Kernel::default(),
    }
}

impl Parser<'_> {
    /// Notes the variables that are declared so far.
    pub(super) fn offer_variables(&mut self, span: Span) {
        if self.offered.is_none() {
            return;
        }
        let known = self.kernel.locations.iter().map(|it| it.name.clone());
        let known: Vec<String> = known.collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        self.offer(span, &known);
    }

    /// Notes the words that begin an instruction.
    pub(super) fn offer_instructions(&mut self, span: Span) {
        let atomics = Atomic::ALL.into_iter().map(Atomic::word);
        let intrinsics = Intrinsic::ALL.into_iter().map(Intrinsic::name);
        let words: Vec<&str> = INSTRUCTIONS
            .into_iter()
            .chain(SYNCS)
            .chain(atomics)
            .chain(intrinsics)
            .collect();
        self.offer(span, &words);
    }
}

/// Words that begin a line of the file.
pub(crate) const STATEMENTS: [&str; 6] =
    ["litmus", "uav", "groupshared", "init", "thread", "expect"];
/// Words that begin an instruction, with atomics and intrinsics.
pub(crate) const INSTRUCTIONS: [&str; 5] = ["st", "ld", "discard", "barrier", "sync"];
/// Words that follow others.
pub(crate) const OTHERS: [&str; 7] = [
    "globallycoherent",
    "beside",
    "group",
    "helper",
    "uniform",
    "varying",
    "dep",
];

/// The `sync` variants of more than that word, in the order of their parts.
pub(crate) const SYNCS: [&str; 12] = [
    "sync_g",
    "sync_t",
    "sync_g_t",
    "sync_uglobal",
    "sync_ugroup",
    "sync_uglobal_g",
    "sync_uglobal_t",
    "sync_uglobal_g_t",
    "sync_uglobal_ugroup",
    "sync_ugroup_g",
    "sync_ugroup_t",
    "sync_ugroup_g_t",
];

/// Every word of the grammar that is no name of something else.
pub(crate) fn keywords() -> Vec<&'static str> {
    use super::super::model::{Stage, Verdict};
    let words = STATEMENTS.into_iter().chain(INSTRUCTIONS);
    let words = words.chain(OTHERS).chain(SYNCS);
    let words = words
        .chain(Atomic::ALL.into_iter().map(Atomic::word))
        .chain(Intrinsic::ALL.into_iter().map(Intrinsic::name))
        .chain(Stage::ALL.into_iter().map(Stage::word))
        .chain(Verdict::ALL.into_iter().map(Verdict::word));
    words.collect()
}
