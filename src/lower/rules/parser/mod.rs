//! Text to value: recursive descent with recovery.
//!
//! A mistake becomes a [`Finding`] and costs one statement, so that a run shows several. What only a profile knows (names
//! of caches, operations and exceptions) is left to `check`.

mod assist;
mod conditions;
mod emits;
mod words;

pub(crate) use assist::{notes, offer_at};

use super::lexer::Token;
use super::mistakes;
use super::model::{Base, Block, Line, Match, Passes, RuleFile, RuleText, Setting, Statement};
use crate::api::BarrierSide;
use crate::finding::{Finding, Source, Span};
use crate::tokens::{self, Parsed, Reported, Tokens};
use std::ops::{Deref, DerefMut};

/// Bytes of a rule file.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// Mistakes before the parser gives up on a text.
pub const FINDINGS_MAX: usize = 50;
/// Rules of a file.
pub const RULES_MAX: usize = 4_096;
/// Statements of a rule.
pub const STATEMENTS_MAX: usize = 256;

/// Words that begin a setting.
pub const SETTINGS: [&str; 4] = ["summary", "match", "based-on", "passes"];
/// Words that begin a block of the file.
pub const BLOCKS: [&str; 3] = ["lowering", "rule", "default"];

/// Parses a rule file. The value holds what was understood; it is complete if no finding fails.
pub fn parse(source: &Source) -> (RuleFile, Vec<Finding>) {
    let mut parser = Parser(Tokens::new(source));
    let file = parser.file();
    (file, parser.0.findings)
}

struct Parser<'s>(Tokens<'s, Token>);

impl<'s> Deref for Parser<'s> {
    type Target = Tokens<'s, Token>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Parser<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Parser<'_> {
    fn file(&mut self) -> RuleFile {
        let mut file = RuleFile::default();
        let mut named = false;
        tokens::file(self, Self::recover_block, |p, _| {
            match (p.token, p.slice()) {
                (Token::Word, "lowering") => p.header(&mut file, &mut named),
                (Token::Word, "rule" | "default") => p.rule(&mut file),
                _ => Err(p.wrong_word("a block of a rule file", &BLOCKS)),
            }
        });
        file.at_end = self.take_before();
        self.whole(&file, named);
        file
    }

    /// What a file must have.
    fn whole(&mut self, file: &RuleFile, named: bool) {
        if self.findings.iter().any(|f| f.severity.fails()) {
            return;
        }
        if !named {
            self.mistake(
                Span::default(),
                "the file does not name its lowering",
                "begin with `lowering NAME { match first }`",
            );
        } else if file.rules.is_empty() && file.base() == Base::Nothing {
            self.mistake(
                file.name_span,
                format!("`{}` has no rule and no default", file.name),
                "write `rule \"name\" { … }`, or take a base: `based-on precise`",
            );
        }
    }

    /// `lowering NAME { … }`.
    fn header(&mut self, file: &mut RuleFile, named: &mut bool) -> Parsed<()> {
        let before = self.take_before();
        let keyword = self.span;
        self.bump();
        if *named {
            let message = "the file names its lowering twice";
            self.mistake(keyword, message, "a rule file is one lowering");
            return Err(Reported);
        }
        let (name, span) = self.word_or_text("the name of the lowering")?;
        self.note("lowering", span, true);
        (file.name, file.name_span) = (name, span);
        *named = true;
        let mut header = self.block(Self::setting)?;
        header.before = before;
        for (index, line) in header.lines.iter().enumerate() {
            let same = |other: &Line<Setting>| {
                std::mem::discriminant(&other.item) == std::mem::discriminant(&line.item)
            };
            if header.lines[..index].iter().any(same) {
                self.mistake(line.span, "this is said twice", "say it once");
            }
        }
        file.header = header;
        Ok(())
    }

    fn setting(&mut self) -> Parsed<Setting> {
        let word = self.slice();
        if self.token != Token::Word || !SETTINGS.contains(&word) {
            return Err(self.wrong_word("a setting of a lowering", &SETTINGS));
        }
        self.bump();
        Ok(match word {
            "summary" => Setting::Summary(self.quoted("a summary in quotes")?.0),
            "match" => match self.choose("a way to match", &["first", "accumulate"])? {
                "first" => Setting::Match(Match::First),
                _ => Setting::Match(Match::Accumulate),
            },
            "based-on" => match self.choose("a base", &["nothing", "precise"])? {
                "nothing" => Setting::Base(Base::Nothing),
                _ => Setting::Base(Base::Precise),
            },
            _ => match self.choose("what becomes of render passes", &["keep", "break"])? {
                "keep" => Setting::Passes(Passes::Keep),
                _ => Setting::Passes(Passes::Break),
            },
        })
    }

    /// `rule "NAME" { … }` or `default { … }`.
    fn rule(&mut self, file: &mut RuleFile) -> Parsed<()> {
        let before = self.take_before();
        let is_default = self.slice() == "default";
        let mut span = self.span;
        self.bump();
        let name = if is_default {
            None
        } else {
            let (name, place) = self.quoted("the name of the rule in quotes")?;
            span = place;
            self.note("rule", span, true);
            Some(name)
        };
        let mut block = self.block(Self::statement)?;
        block.before = before;
        let rule = RuleText { name, span, block };
        if let Some(other) = file.rules.iter().find(|other| other.name == rule.name) {
            let (other, title) = (other.span, rule.title());
            let finding = Finding::new(
                &mistakes::UNEXPECTED,
                span,
                format!("{title} is there twice"),
            );
            let finding = finding.related(other, "the first one");
            self.report(finding.help("give it a name of its own"));
            return Ok(());
        }
        self.consistent(&rule);
        if file.rules.len() >= RULES_MAX {
            let message = format!("the file has more than {RULES_MAX} rules");
            self.mistake(span, message, "join rules that do the same");
            return Err(Reported);
        }
        file.rules.push(rule);
        Ok(())
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let word = self.slice();
        if self.token != Token::Word || !is_statement(word) {
            let known: Vec<&str> = statements().collect();
            return Err(self.wrong_word("a statement of a rule", &known));
        }
        if emits::WORDS.contains(&word) && !self.is_layout_condition() {
            return self.emit().map(Statement::Do);
        }
        self.condition().map(Statement::If)
    }

    /// What one rule must not say together.
    fn consistent(&mut self, rule: &RuleText) {
        if rule.block.lines.len() > STATEMENTS_MAX {
            let message = format!("a rule has more than {STATEMENTS_MAX} statements");
            self.mistake(rule.span, message, "use sets of words, or several rules");
        }
        if rule.name.is_none()
            && let Some(line) = rule
                .block
                .lines
                .iter()
                .find(|l| matches!(l.item, Statement::If(_)))
        {
            let message = "the default has no conditions: it is for what no rule matches";
            self.mistake(line.span, message, "make it a rule with a name");
        }
        let lines = &rule.block.lines;
        for (index, line) in lines.iter().enumerate() {
            let Statement::Do(emit) = &line.item else {
                continue;
            };
            let same = |other: &Line<Statement>| matches!(&other.item, Statement::Do(other) if emits::are_once(emit, other));
            if lines[..index].iter().any(same) {
                self.mistake(line.span, "this is said twice", "say it once");
            }
            if rule.is_in_order() && emits::has_place(emit) {
                let message =
                    "a rule whose operations are in order has no `early`, `late` or `again`";
                self.mistake(
                    line.span,
                    message,
                    "write the statements in the wanted order",
                );
            }
        }
    }

    /// `{ … }`: statements, each ended by the end of a line, `;` or the brace.
    fn block<T>(&mut self, one: fn(&mut Self) -> Parsed<T>) -> Parsed<Block<T>> {
        self.skip_newline();
        let opens = self.expect(Token::OpenBrace, "`{`")?;
        let mut block = Block::default();
        tokens::block(self, opens, |p, _| {
            let before = p.take_before();
            let start = p.span.start;
            let item = one(p)?;
            let help = "statements end with the line, `;` or `}`";
            p.ended("the end of the statement", help)?;
            let end = p.last_end;
            block.lines.push(Line {
                item,
                span: Span { start, end },
                before,
                after: p.comment_after(),
            });
            Ok(())
        })?;
        block.at_end = self.take_before();
        self.bump();
        block.at_end.extend(self.comment_on_line());
        Ok(block)
    }
}

/// Words that begin a statement of a rule.
pub fn statements() -> impl Iterator<Item = &'static str> {
    let conditions = conditions::WORDS.iter().copied();
    let emits = emits::WORDS.iter().copied();
    conditions.chain(emits.filter(|word| !conditions::WORDS.contains(word)))
}

fn is_statement(word: &str) -> bool {
    statements().any(|known| known == word)
}

/// Every word of the grammar that is no name of something else.
pub fn keywords() -> Vec<String> {
    use super::model::{Naming, Place};
    use super::sets::{How, Of};
    let fixed = [
        "first",
        "accumulate",
        "nothing",
        "precise",
        "keep",
        "break",
        "sync",
        "access",
        "layout",
        "class",
        "none",
        "ordinary",
        "whole",
        "as-asked",
        "but",
        "order",
    ];
    let of_choices = Of::ALL.into_iter().flat_map(|of| {
        let names = of.words().iter().map(|(word, _)| word.clone());
        // The header's names of layouts are no words of the grammar.
        let names = names.filter(move |_| !matches!(of, Of::Layout(_)));
        std::iter::once(of.head()).chain(names)
    });
    let words = BLOCKS.iter().chain(&SETTINGS).chain(&fixed).copied();
    let words = words
        .chain(statements())
        .chain([BarrierSide::Before, BarrierSide::After].map(BarrierSide::word))
        .chain(How::WORDS.map(How::word))
        .chain(Naming::ALL.map(Naming::word))
        .chain(Place::ALL.map(Place::word));
    let words = words.map(str::to_owned).chain(of_choices);
    let parts = words.flat_map(|word| word.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let known: std::collections::BTreeSet<String> = parts.collect();
    known.into_iter().collect()
}
