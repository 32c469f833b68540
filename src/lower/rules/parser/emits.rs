//! What a rule emits.

use super::{Parsed, Parser};
use crate::api::{BarrierSync, LeafSet};
use crate::lower::rules::lexer::Token;
use crate::lower::rules::model::{Dropped, Emit, Name, Operation, Place, Stages};
use crate::time::Ps;

/// Words that begin an emission.
pub(super) const WORDS: [&str; 11] = [
    "wait",
    "hold",
    "clean",
    "invalidate",
    "layout",
    "front-end",
    "driver",
    "after-all",
    "in",
    "nothing",
    "drop",
];

/// The longest time of a step.
const TIME_MAX: Ps = Ps(1_000_000_000_000);

/// Whether both say what one rule says once.
pub(super) fn are_once(a: &Emit, b: &Emit) -> bool {
    match (a, b) {
        (Emit::Clean(a), Emit::Clean(b)) | (Emit::Invalidate(a), Emit::Invalidate(b)) => a == b,
        (Emit::Drop(_) | Emit::Driver(..) | Emit::Clean(_) | Emit::Invalidate(_), _) => false,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Whether it says on which side of the layout operation it is.
pub(super) fn has_place(emit: &Emit) -> bool {
    matches!(emit, Emit::Clean(operation) | Emit::Invalidate(operation) if operation.place != Place::Usual)
}

impl Parser<'_> {
    pub(super) fn emit(&mut self) -> Parsed<Emit> {
        let word = self.slice();
        self.bump();
        Ok(match word {
            "wait" => Emit::Wait(self.stages()?),
            "hold" => Emit::Hold(self.stages()?),
            "clean" => Emit::Clean(self.operation()?),
            "invalidate" => Emit::Invalidate(self.operation()?),
            "layout" => {
                if self.token == Token::Text {
                    let (text, span) = self.quoted("a layout operation in quotes")?;
                    Emit::Layout(Some(Name { text, span }))
                } else {
                    Emit::Layout(None)
                }
            }
            "front-end" => Emit::FrontEnd,
            "driver" => {
                let (name, _) = self.quoted("what it is, in quotes")?;
                Emit::Driver(name, self.time()?)
            }
            "after-all" => Emit::AfterAll,
            "in" => {
                self.choose("`order`", &["order"])?;
                Emit::InOrder
            }
            "nothing" => Emit::Nothing,
            _ => match self.choose(
                "what is left out",
                &["clean", "invalidate", "layout", "front-end"],
            )? {
                "clean" => Emit::Drop(Dropped::Clean(self.caches()?)),
                "invalidate" => Emit::Drop(Dropped::Invalidate(self.caches()?)),
                "layout" => Emit::Drop(Dropped::Layout),
                _ => Emit::Drop(Dropped::FrontEnd),
            },
        })
    }

    /// `as-asked`, `none`, or stages.
    fn stages(&mut self) -> Parsed<Stages> {
        if self.eat_word("as-asked") {
            return Ok(Stages::AsAsked);
        }
        if self.eat_word("none") {
            return Ok(Stages::None);
        }
        let (mut words, mut leaves) = (Vec::new(), LeafSet::EMPTY);
        loop {
            if self.token != Token::Word {
                return Err(
                    self.unexpected("a stage, `as-asked` or `none`", "`ALL` is every stage")
                );
            }
            let (word, span) = (self.slice(), self.span);
            let of = BarrierSync::parse_one(word).map(BarrierSync::leaves);
            match of.filter(|leaves| !leaves.is_empty()) {
                Some(of) => leaves = leaves.union(of),
                None => return Err(self.unknown("stage", word, span, BarrierSync::names())),
            }
            words.push(word.to_owned());
            self.bump();
            if self.token != Token::Or {
                return Ok(Stages::These(words, leaves));
            }
            self.bump();
            self.skip_newline();
        }
    }

    /// Caches, then `whole` and where.
    fn operation(&mut self) -> Parsed<Operation> {
        let caches = self.caches()?;
        let (mut whole, mut place) = (false, Place::Usual);
        while self.token == Token::Word {
            if !whole && self.eat_word("whole") {
                whole = true;
            } else if let Some(named) = Place::ALL
                .into_iter()
                .find(|it| place == Place::Usual && it.word() == self.slice())
            {
                self.bump();
                place = named;
            } else {
                return Err(self.wrong_word(
                    "the end of the statement",
                    &["whole", "early", "late", "again"],
                ));
            }
        }
        Ok(Operation {
            caches,
            whole,
            place,
        })
    }

    /// Caches by name, next to each other; `*` is all.
    fn caches(&mut self) -> Parsed<Vec<Name>> {
        let is_modifier =
            |word: &str| word == "whole" || Place::ALL.iter().any(|p| p.word() == word);
        let mut caches: Vec<Name> = Vec::new();
        loop {
            let more = match self.token {
                Token::Text => true,
                Token::Word => !is_modifier(self.slice()),
                _ => false,
            };
            if !more {
                break;
            }
            let (text, span) = self.word_or_text("a cache")?;
            if caches.iter().any(|other| other.text == text) {
                return Err(self.mistake(span, format!("`{text}` is named twice"), "name it once"));
            }
            caches.push(Name { text, span });
        }
        if caches.is_empty() {
            return Err(self.unexpected(
                "a cache",
                "name caches of the profile, or `*` for all of them",
            ));
        }
        Ok(caches)
    }

    /// `300ns`.
    fn time(&mut self) -> Parsed<Ps> {
        let help = "write a time such as `300ns` or `1.5us`";
        if self.token != Token::Number {
            return Err(self.unexpected("a time", help));
        }
        self.short()?;
        let (text, span) = (self.slice(), self.span);
        let Some(time) = Ps::parse(text, |whole| whole.parse().ok()) else {
            return Err(self.mistake(span, format!("`{text}` is not a time"), help));
        };
        if time > TIME_MAX {
            return Err(self.mistake(span, format!("`{text}` is longer than a second"), help));
        }
        self.bump();
        Ok(time)
    }
}
