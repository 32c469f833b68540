//! Which words may be at a place of a text: the parser reads up to there and meets a word that nothing is called, and whoever
//! reports that word knows which would have been right. So what is offered is what is understood, without a second grammar.

use super::Parser;
use crate::api::{BarrierSync, LeafSet};
use crate::finding::{Source, Span};
use crate::tokens::Tokens;

/// A word that nothing is called.
const PROBE: &str = "a_word_that_nothing_is_called";

/// The words that may be at a place.
#[derive(Default)]
pub(super) struct Offer {
    /// Where the word begins that is asked for.
    at: u32,
    words: Vec<String>,
}

/// The words that may be where a word begins, in the order in which messages name them. What is after that place plays no
/// part.
///
/// Cost: one reading of the text before the place.
pub(crate) fn words_at(source: &Source, at: usize) -> Vec<String> {
    let before = source.text.get(..at).unwrap_or(&source.text);
    let probed = Source::new(source.name.clone(), format!("{before}{PROBE}"));
    let Ok(at) = u32::try_from(before.len()) else {
        return Vec::new();
    };
    let mut parser = Parser::new(Tokens::new(&probed));
    parser.offered = Some(Offer {
        at,
        ..Offer::default()
    });
    parser.file();
    parser.offered.map_or_else(Vec::new, |offer| offer.words)
}

impl Parser<'_, '_> {
    /// Notes the words that would be right at `span`.
    pub(super) fn offer(&mut self, span: Span, words: &[&str]) {
        if let Some(offer) = &mut self.offered
            && offer.at == span.start
            && offer.words.is_empty()
        {
            offer.words = words.iter().map(|word| (*word).to_owned()).collect();
        }
    }

    /// Notes the words in quotes of what a message wants at the current token.
    pub(super) fn offer_quoted(&mut self, wanted: &str) {
        if self.offered.is_none() {
            return;
        }
        let quoted: Vec<&str> = wanted.split('`').skip(1).step_by(2).collect();
        self.offer(self.span, &quoted);
    }

    /// Notes what a statement of the timeline begins with.
    pub(super) fn offer_statement(&mut self, span: Span) {
        self.offer_names("queue", span);
        if let Some(offer) = &mut self.offered
            && offer.at == span.start
        {
            offer
                .words
                .extend(["cpu", "reset", "repeat"].map(str::to_owned));
        }
    }

    /// Notes the declared names of a kind.
    pub(super) fn offer_names(&mut self, what: &str, span: Span) {
        if self.offered.is_none() {
            return;
        }
        let names: Vec<String> = self.names_of(what).into_iter().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.offer(span, &names);
    }

    /// Notes the stages of a use.
    pub(super) fn offer_stages(&mut self, allowed: LeafSet) {
        if self.offered.is_none() {
            return;
        }
        let happens = |name: &&&str| {
            let leaves = BarrierSync::parse_one(name).map(BarrierSync::leaves);
            leaves.is_some_and(|leaves| !leaves.is_empty() && allowed.contains(leaves))
        };
        let names: Vec<&str> = BarrierSync::names()
            .iter()
            .filter(happens)
            .copied()
            .collect();
        self.offer(self.span, &names);
    }
}
