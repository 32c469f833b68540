//! What may be asked of a reader of a text, next to what the text says: which words may be at a place, and where names are.
//!
//! Whoever reads a grammar knows both: it resolves a name where it reads it, and it says which word would have been right. So
//! nobody needs a second grammar to complete a word or to rename something.

use super::{Grammar, Tokens};
use crate::finding::Span;

/// A word that nothing is called: a text is read up to a place with this word in it, and whoever reports the word knows what
/// would have been right.
pub(crate) const PROBE: &str = "a_word_that_nothing_is_called";

/// What may be at a place.
#[derive(Default, Debug)]
pub(crate) struct Offer {
    /// Where the word begins that is asked for.
    pub(crate) at: u32,
    /// Words that are looked for there and may be absent.
    pub(crate) optional: Vec<&'static str>,
    /// Words of which one is there, in the order in which messages name them.
    pub(crate) words: Vec<String>,
    /// Whether somebody has said which these are, be it none.
    pub(crate) is_known: bool,
    /// What is expected there, as a message says it.
    pub(crate) wanted: Option<String>,
}

/// A name in a text.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Noted {
    /// What has such names: no two things of one kind have one name.
    pub(crate) kind: &'static str,
    /// Where the name is.
    pub(crate) span: Span,
    /// Whether it is declared here.
    pub(crate) declares: bool,
    /// Names of one kind in different scopes are different names.
    pub(crate) scope: u32,
}

/// A statement of the file.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Part {
    /// Its first word.
    pub(crate) word: Span,
    /// All of it.
    pub(crate) whole: Span,
}

/// Names and statements, in the order in which they were read.
#[derive(Default, Debug)]
pub(crate) struct Notes {
    pub(crate) names: Vec<Noted>,
    pub(crate) parts: Vec<Part>,
}

impl<T: Grammar> Tokens<'_, T> {
    /// What is offered, if the place that is asked for is `span`.
    fn asked_at(&mut self, span: Span) -> Option<&mut Offer> {
        self.offered.as_mut().filter(|it| it.at == span.start)
    }

    /// Notes the words that would be right at `span`. The first who knows some counts: it knows the most of the place.
    pub(crate) fn offer(&mut self, span: Span, words: &[&str]) {
        if let Some(offer) = self.asked_at(span)
            && !offer.is_known
        {
            offer.is_known = true;
            offer.words = words.iter().map(|word| (*word).to_owned()).collect();
        }
    }

    /// Notes what is expected at `span`, and the words in quotes of that.
    pub(crate) fn offer_wanted(&mut self, span: Span, wanted: &str) {
        if let Some(offer) = self.asked_at(span)
            && offer.wanted.is_none()
            && !wanted.is_empty()
        {
            offer.wanted = Some(wanted.to_owned());
        }
    }

    /// Notes the words in quotes of a message.
    pub(crate) fn offer_quoted(&mut self, span: Span, says: &str) {
        if self.asked_at(span).is_none() {
            return;
        }
        let quoted: Vec<&str> = says.split('`').skip(1).step_by(2).collect();
        if !quoted.is_empty() {
            self.offer(span, &quoted);
        }
    }

    /// Notes a word that may be at the current token, or not.
    pub(crate) fn offer_optional(&mut self, word: &'static str) {
        let span = self.span;
        if let Some(offer) = self.asked_at(span)
            && !offer.optional.contains(&word)
        {
            offer.optional.push(word);
        }
    }

    /// Notes a name.
    pub(crate) fn note(&mut self, kind: &'static str, span: Span, declares: bool) {
        self.note_in(0, kind, span, declares);
    }

    /// Notes a name of a scope.
    pub(crate) fn note_in(&mut self, scope: u32, kind: &'static str, span: Span, declares: bool) {
        if let Some(notes) = &mut self.noted {
            notes.names.push(Noted {
                kind,
                span,
                declares,
                scope,
            });
        }
    }

    /// Notes a statement of the file that ends here.
    pub(crate) fn note_part(&mut self, word: Span) {
        let end = self.last_end.max(word.end);
        if let Some(notes) = &mut self.noted {
            let start = word.start;
            notes.parts.push(Part {
                word,
                whole: Span { start, end },
            });
        }
    }
}

/// The text before a place with the probe after it, and where the probe is.
pub(crate) fn probed(text: &str, at: usize) -> Option<(String, u32)> {
    let before = text.get(..at).unwrap_or(text);
    let at = u32::try_from(before.len()).ok()?;
    Some((format!("{before}{PROBE}"), at))
}
