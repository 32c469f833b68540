//! What may be asked of this parser, next to what a text says: which words may be at a place, and where names are.

use super::Parser;
use crate::finding::Source;
use crate::tokens::{Notes, Offer, Tokens, probed};

/// What may be where a word begins. What is after that place plays no part.
pub(crate) fn offer_at(source: &Source, at: usize) -> Offer {
    let Some((text, at)) = probed(&source.text, at) else {
        return Offer::default();
    };
    let probed = Source::new(source.name.clone(), text);
    let mut parser = Parser(Tokens::new(&probed));
    parser.0.offered = Some(Offer {
        at,
        ..Offer::default()
    });
    parser.file();
    parser.0.offered.unwrap_or_default()
}

/// Where names and blocks are, as far as the text is understood.
pub(crate) fn notes(source: &Source) -> Notes {
    let mut parser = Parser(Tokens::new(source));
    parser.0.noted = Some(Notes::default());
    parser.file();
    parser.0.noted.unwrap_or_default()
}
