//! Words of the API: masks of sync scopes, accesses, states and flags, and layouts.

use super::numbers::integer;
use super::{Parsed, Parser, Reported};
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet, ResourceFlags, ResourceState};
use crate::scenario::hints::{Misplaced, Wanted, stages};
use crate::scenario::lexer::Token;
use crate::scenario::rules;
use crate::tokens::shown;

/// How one mask's words are read.
struct MaskWords<T> {
    wanted: Wanted,
    what: &'static str,
    zero: &'static str,
    parse: fn(&str) -> Option<T>,
    names: fn() -> &'static [&'static str],
    bits: fn(&T) -> u32,
    make: fn(u32) -> T,
}

impl Parser<'_, '_> {
    fn mask<T>(&mut self, words: &MaskWords<T>) -> Parsed<T> {
        let start = self.span;
        let (mut bits, mut terms, mut zero) = (0_u32, 0_u32, false);
        loop {
            let span = self.span;
            let value = match self.token {
                Token::Word => {
                    let Some(value) = (words.parse)(self.slice()) else {
                        return Err(self.wrong_name(words.wanted, words.what, (words.names)()));
                    };
                    (words.bits)(&value)
                }
                Token::Number => {
                    let value = integer(self.slice()).and_then(|v| u32::try_from(v).ok());
                    let Some(value) = value else {
                        let shown = shown(self.slice());
                        let message = format!("{shown} is not a 32-bit number");
                        return Err(self.error(&rules::BAD_VALUE, span, message, None));
                    };
                    value
                }
                _ => {
                    let what = format!("a {}", words.what);
                    return Err(self.unexpected(&what));
                }
            };
            bits |= value;
            zero |= value == 0;
            terms += 1;
            self.bump();
            if !self.eat(Token::Pipe) {
                break;
            }
            self.skip_newline();
            self.offer_more_of_mask();
        }
        self.mask_names.clear();
        if zero && terms > 1 {
            let span = self.since(start);
            return Err(self.error(
                &rules::VANISHING_BIT,
                span,
                format!(
                    "`{}` is zero; joined with other names it has no effect",
                    words.zero
                ),
                format!("write only `{}`, or leave it out", words.zero),
            ));
        }
        Ok((words.make)(bits))
    }

    /// Reports the word at hand, which is no name of the kind that belongs here. A word of another kind is told what does.
    fn wrong_name(&mut self, wanted: Wanted, what: &str, names: &[&str]) -> Reported {
        let (word, span) = (self.slice(), self.span);
        self.offer_wanted(span, what);
        self.offer(span, names);
        match wanted.misplaced(word) {
            Some(Misplaced { message, help }) => self.mistake(span, message, help),
            None => self.unknown_word(what, word, span, names),
        }
    }

    /// The stages of a use after `@`, which are among `allowed`. An access there is told the stages of the use.
    pub(super) fn stages_of(&mut self, allowed: LeafSet) -> Parsed<LeafSet> {
        let word = self.slice();
        self.offer_stages(allowed);
        let is_access = self.token == Token::Word
            && BarrierSync::parse_one(word).is_none()
            && BarrierAccess::parse_one(word).is_some();
        if is_access {
            let message = format!("`{word}` is an access, not a stage");
            let (at, help) = (self.span, stages(allowed));
            return Err(self.mistake(at, message, help));
        }
        Ok(self.sync()?.leaves())
    }

    /// A mask of `BarrierSync`.
    pub(super) fn sync(&mut self) -> Parsed<BarrierSync> {
        self.mask(&MaskWords {
            wanted: Wanted::Stage,
            what: "synchronization scope",
            zero: "NONE",
            parse: BarrierSync::parse_one,
            names: BarrierSync::names,
            bits: |v| v.bits(),
            make: BarrierSync::from_bits_retain,
        })
    }

    /// A mask of `BarrierAccess`.
    pub(super) fn access(&mut self) -> Parsed<BarrierAccess> {
        self.mask(&MaskWords {
            wanted: Wanted::Access,
            what: "access",
            zero: "COMMON",
            parse: BarrierAccess::parse_one,
            names: BarrierAccess::names,
            bits: |v| v.bits(),
            make: BarrierAccess::from_bits_retain,
        })
    }

    /// A mask of legacy states.
    pub(super) fn state(&mut self) -> Parsed<ResourceState> {
        self.mask(&MaskWords {
            wanted: Wanted::State,
            what: "resource state",
            zero: "COMMON",
            parse: ResourceState::parse_one,
            names: ResourceState::names,
            bits: |v| v.bits(),
            make: ResourceState::from_bits_retain,
        })
    }

    /// A mask of resource flags.
    pub(super) fn flags(&mut self) -> Parsed<ResourceFlags> {
        self.mask(&MaskWords {
            wanted: Wanted::Flag,
            what: "resource flag",
            zero: "NONE",
            parse: ResourceFlags::parse_one,
            names: ResourceFlags::names,
            bits: |v| v.bits(),
            make: ResourceFlags::from_bits_retain,
        })
    }

    /// A layout by name or number.
    pub(super) fn layout(&mut self) -> Parsed<Layout> {
        self.offer_layouts();
        match self.token {
            Token::Word => {
                let word = self.slice();
                let Some(layout) = Layout::parse(word) else {
                    return Err(self.wrong_name(Wanted::Layout, "layout", Layout::names()));
                };
                self.bump();
                Ok(layout)
            }
            Token::Number => Ok(Layout::from_value(self.integer32("a layout")?)),
            _ => Err(self.unexpected("a layout")),
        }
    }
}
