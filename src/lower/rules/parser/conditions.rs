//! Conditions of a rule.

use super::{Parsed, Parser, Reported};
use crate::api::{BarrierAccess, BarrierSide, BarrierSync, Layout, ResourceFlags};
use crate::finding::Span;
use crate::lower::rules::lexer::Token;
use crate::lower::rules::model::{Condition, Name, Naming};
use crate::lower::rules::sets::{Bits, BitsOf, Choice, How, Of, fits};

/// Words that begin a condition.
pub(super) const WORDS: [&str; 14] = [
    "before",
    "after",
    "given-up",
    "layout",
    "operation",
    "resource",
    "flags",
    "queue",
    "split",
    "metadata",
    "surface",
    "leftovers",
    "since-wait",
    "profile",
];

/// What is compared of a side.
const OF_SIDE: [&str; 4] = ["sync", "access", "layout", "class"];

impl<'s> Parser<'s> {
    /// Whether `layout` is a condition here: a word follows it.
    pub(super) fn is_layout_condition(&self) -> bool {
        let rest = &self.source.text[self.span.end as usize..];
        let rest = rest.trim_start_matches([' ', '\t', '\r']);
        self.slice() == "layout" && rest.starts_with(|c: char| c.is_ascii_alphabetic())
    }

    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let word = self.slice();
        self.bump();
        let side = match word {
            "before" => BarrierSide::Before,
            "after" => BarrierSide::After,
            "given-up" => return self.bits(BitsOf::GivenUp),
            "flags" => return self.bits(BitsOf::Flags),
            "layout" => return self.choice(Of::Change),
            "resource" => return self.choice(Of::Resource),
            "queue" => return self.choice(Of::Queue),
            "split" => return self.choice(Of::Split),
            "metadata" => return self.choice(Of::Metadata),
            "since-wait" => return self.choice(Of::Since),
            "operation" => return self.names(Naming::Operation),
            "surface" => return self.names(Naming::Surface),
            "leftovers" => return self.names(Naming::Leftovers),
            _ => return self.names(Naming::Profile),
        };
        match self.choose("`sync`, `access`, `layout` or `class`", &OF_SIDE)? {
            "sync" => self.bits(BitsOf::Sync(side)),
            "access" => self.bits(BitsOf::Access(side)),
            "layout" => self.choice(Of::Layout(side)),
            _ => self.choice(Of::Class(side)),
        }
    }

    /// Words joined by `|`, each read by `one`.
    fn joined<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.token == Token::Or {
            self.bump();
            self.skip_newline();
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// A set of bits, and how those of an entry must relate to it.
    fn bits(&mut self, of: BitsOf) -> Parsed<Condition> {
        if self.eat_word("none") {
            return Ok(Condition::Bits(Bits {
                of,
                words: vec!["none".to_owned()],
                but: Vec::new(),
                bits: 0,
                how: How::None,
            }));
        }
        let words = self.set_words(of)?;
        let start = self.span;
        let but = if self.eat_word("but") {
            self.set_words(of)?
        } else {
            Vec::new()
        };
        let found = How::WORDS.into_iter().find(|how| self.eat_word(how.word()));
        let how = found.unwrap_or(How::Any);
        let mut bits = 0;
        for (word, span) in &words {
            bits |= self.bit(of, word, *span, how)?;
        }
        for (word, span) in &but {
            bits &= !self.bit(of, word, *span, how)?;
        }
        if !but.is_empty() && (bits == 0 || how == How::Exactly) {
            let message = "this set leaves nothing over, or is one value of the text";
            return Err(self.mistake(start, message, "`but` takes words out of a set"));
        }
        let owned = |words: Vec<(&str, Span)>| words.iter().map(|(w, _)| (*w).to_owned()).collect();
        Ok(Condition::Bits(Bits {
            of,
            words: owned(words),
            but: owned(but),
            bits,
            how,
        }))
    }

    /// The words of a set.
    fn set_words(&mut self, of: BitsOf) -> Parsed<Vec<(&'s str, Span)>> {
        let noun = of.noun();
        let article = if noun.starts_with('a') { "an" } else { "a" };
        let wanted = format!("{article} {noun} or `none`");
        self.joined(|p| {
            if p.token != Token::Word {
                return Err(p.unexpected(&wanted, "join several with `|`; `*` is any"));
            }
            p.short()?;
            let word = (p.slice(), p.span);
            p.bump();
            Ok(word)
        })
    }

    /// What one word of a set means.
    fn bit(&mut self, of: BitsOf, word: &str, span: Span, how: How) -> Parsed<u32> {
        let value = of.value(word);
        if how == How::Exactly {
            return match value {
                Some(value) if of != BitsOf::GivenUp && of != BitsOf::Flags => Ok(value),
                Some(_) => Err(self.mistake(
                    span,
                    format!("`{}` has no value in the barrier's text", of.head()),
                    "use `any`, `all` or `only`",
                )),
                None => Err(self.unknown_bit(of, word, span)),
            };
        }
        if let Some(bits) = of.pattern(word) {
            return Ok(bits);
        }
        let Some(value) = value else {
            return Err(self.unknown_bit(of, word, span));
        };
        let bits = of.meaning(value);
        if bits != 0 {
            return Ok(bits);
        }
        let help = match (of, word) {
            (BitsOf::Sync(_), "SPLIT") => "write `split first` or `split second`".to_owned(),
            (_, "COMMON") => {
                "write `*` for any access, or `COMMON exactly` for the word in the text".to_owned()
            }
            _ => format!("write `none` for nothing, or `{word} exactly` for the word in the text"),
        };
        let message = format!("`{word}` is no single {}", of.noun());
        Err(self.mistake(span, message, help))
    }

    /// A word that is no name of the kind that belongs here. A word of another kind is told what it is.
    fn unknown_bit(&mut self, of: BitsOf, word: &str, span: Span) -> Reported {
        let other = match of {
            BitsOf::Sync(_) => BarrierAccess::parse_one(word).map(|_| "an access"),
            BitsOf::Access(_) | BitsOf::GivenUp => BarrierSync::parse_one(word).map(|_| "a stage"),
            BitsOf::Flags => BarrierAccess::parse_one(word).map(|_| "an access"),
        };
        let other = other
            .or_else(|| Layout::parse(word).map(|_| "a layout"))
            .or_else(|| ResourceFlags::parse_one(word).map(|_| "a resource flag"));
        match other {
            Some(other) => {
                let message = format!("`{word}` is {other}, not a {}", of.noun());
                self.mistake(
                    span,
                    message,
                    format!("after `{}` comes a {}", of.head(), of.noun()),
                )
            }
            None => self.unknown(of.noun(), word, span, of.names()),
        }
    }

    /// One or several of a few values.
    fn choice(&mut self, of: Of) -> Parsed<Condition> {
        let wanted = format!("what `{}` may be", of.head());
        let mut values = 0;
        let words = self.joined(|p| {
            let known: Vec<&str> = of.words().iter().map(|(word, _)| word.as_str()).collect();
            if p.token != Token::Word {
                return Err(p.wrong_word(&wanted, &known));
            }
            let word = p.slice();
            let fit = of.words().iter().filter(|(name, _)| {
                name == word || word.contains('*') && name != "none" && fits(word, name)
            });
            let of_word = fit.fold(0, |all, (_, value)| all | value);
            // A header's layout may have several names.
            let layout = matches!(of, Of::Layout(_))
                .then(|| Layout::parse(word))
                .flatten();
            let of_word =
                of_word | layout.map_or(0, |layout| super::super::sets::layout_value(Some(layout)));
            if of_word == 0 {
                let span = p.span;
                return Err(p.unknown(&format!("`{}`", of.head()), word, span, &known));
            }
            values |= of_word;
            p.bump();
            Ok(word.to_owned())
        })?;
        Ok(Condition::Choice(Choice { of, words, values }))
    }

    /// Names that the profile knows.
    fn names(&mut self, of: Naming) -> Parsed<Condition> {
        let wanted = match of {
            Naming::Profile => "the name of a profile",
            Naming::Operation => "a layout operation of the profile, in quotes",
            Naming::Surface => "`ordinary` or an exception of the profile, in quotes",
            Naming::Leftovers => "a cache or `none`",
        };
        let names = self.joined(|p| {
            let (mut text, mut span) = p.word_or_text(wanted)?;
            while of == Naming::Surface && p.token == Token::Plus {
                p.bump();
                let (more, place) = p.word_or_text(wanted)?;
                text = text + " + " + &more;
                span.end = place.end;
            }
            Ok(Name { text, span })
        })?;
        Ok(Condition::Names(of, names))
    }
}
