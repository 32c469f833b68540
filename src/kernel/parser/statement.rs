//! What begins a line: title, variables, initial values. Threads and expectations have files of their own.

use super::instruction::register_number;
use super::{FINDINGS_MAX, Parsed, Parser, Reported};
use crate::finding::Span;
use crate::id::LocationId;
use crate::kernel::lexer::Token;
use crate::kernel::model::{Allow, Comments, LOCATIONS_MAX, Location, LocationKind};
use crate::kernel::rules;

impl Parser<'_> {
    pub(super) fn file(&mut self) {
        while self.token != Token::End {
            if matches!(self.token, Token::Newline | Token::Semicolon) {
                // A comment after a stray `;` belongs to the next statement.
                self.before.extend(self.trailing.take());
                self.advance();
                continue;
            }
            if self.findings.len() >= FINDINGS_MAX {
                return;
            }
            if self.statement().is_err() {
                self.recover(false);
            }
        }
        let at_end = self.take_before().before;
        self.kernel.comments_at_end = at_end;
    }

    fn statement(&mut self) -> Parsed<()> {
        let (ids, start) = (std::mem::take(&mut self.allows), self.span.start);
        let parsed = self.statement_kind();
        self.allow(ids, start);
        parsed
    }

    /// Allows findings from `start` to what comes next.
    pub(super) fn allow(&mut self, ids: Vec<String>, start: u32) {
        if !ids.is_empty() {
            let covers = Span {
                start,
                end: self.span.start,
            };
            self.kernel.allows.push(Allow { ids, covers });
        }
    }

    fn statement_kind(&mut self) -> Parsed<()> {
        const HELP: &str =
            "a line starts with `litmus`, `uav`, `groupshared`, `init`, `thread` or `expect`";
        let comments = self.take_before();
        let (word, span) = self.word("a declaration, a thread or an expectation", HELP)?;
        match word {
            "litmus" => self.title(span, comments),
            "uav" => self.location(true, span, comments),
            "groupshared" => self.location(false, span, comments),
            "init" => self.init(span, comments),
            "thread" => self.thread(span, comments),
            "expect" => self.expectation(span, comments),
            _ => {
                let message = format!("unknown statement `{word}`");
                self.error(&rules::UNEXPECTED, span, message, HELP);
                Err(Reported)
            }
        }
    }

    /// The end of a statement, with the comment after it.
    pub(super) fn statement_end(&mut self) -> Parsed<Option<String>> {
        if !matches!(self.token, Token::Newline | Token::Semicolon | Token::End) {
            return Err(self.unexpected("the end of the line", "write one statement per line"));
        }
        Ok(self.trailing.take())
    }

    fn title(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        let text = self.text();
        self.short()?;
        self.expect(Token::Text, "a name in quotes", "write `litmus \"name\"`")?;
        if self.kernel.title.is_some() {
            self.error(
                &rules::DUPLICATE_NAME,
                span,
                "the test already has a name",
                "a file contains one test; put the other into a file of its own",
            );
            return Ok(());
        }
        comments.after = self.statement_end()?;
        self.kernel.title = Some(unquote(&text[1..text.len() - 1]));
        self.kernel.comments = comments;
        Ok(())
    }

    fn location(&mut self, uav: bool, span: Span, mut comments: Comments) -> Parsed<()> {
        let help = if uav {
            "write `uav x`, `uav x globallycoherent` or `uav x beside y`"
        } else {
            "write `groupshared s`"
        };
        let (name, at) = self.word("a name", help)?;
        let globally_coherent = uav && self.eat_word("globallycoherent");
        let beside = if uav && self.eat_word("beside") {
            let at = self.span;
            let location = self.located()?;
            if !self.kernel.location(location).kind.is_uav() {
                let message = "a UAV cannot be next to a groupshared variable";
                self.error(&rules::UNKNOWN_NAME, at, message, "name a UAV");
                return Err(Reported);
            }
            Some(location)
        } else {
            None
        };
        comments.after = self.statement_end()?;
        if register_number(name).is_some() {
            let message = format!("`{name}` is the name of a register");
            self.error(&rules::DUPLICATE_NAME, at, message, "choose another name");
            return Ok(());
        }
        if self.kernel.find(name).is_some() {
            let message = format!("`{name}` is declared twice");
            self.error(
                &rules::DUPLICATE_NAME,
                at,
                message,
                "remove one, or rename it",
            );
            return Ok(());
        }
        if self.kernel.locations.len() == LOCATIONS_MAX {
            let message = format!("a test has at most {LOCATIONS_MAX} variables");
            self.error(&rules::LIMIT_EXCEEDED, span, message, "split the test");
            return Ok(());
        }
        let kind = if uav {
            LocationKind::Uav { globally_coherent }
        } else {
            LocationKind::Groupshared
        };
        self.kernel.locations.push(Location {
            name: name.to_owned(),
            kind,
            beside,
            init: None,
            span: span.to(at),
            comments,
        });
        Ok(())
    }

    fn init(&mut self, span: Span, comments: Comments) -> Parsed<()> {
        let location = self.located()?;
        let value = self.number("an initial value")?;
        let after = self.statement_end()?;
        let slot = &mut self.kernel.locations[location];
        // An initial value is a part of its variable, and so are the comments around it.
        slot.comments.before.extend(comments.before);
        slot.comments.before.extend(after);
        if slot.init.is_some() {
            let message = format!("`{}` already has an initial value", slot.name);
            self.error(&rules::DUPLICATE_NAME, span, message, "remove one of them");
        } else {
            slot.init = Some(value);
        }
        Ok(())
    }

    /// The name of a declared variable.
    pub(super) fn located(&mut self) -> Parsed<LocationId> {
        let (name, span) = self.word("a variable", "name a `uav` or a `groupshared` variable")?;
        self.kernel.find(name).ok_or_else(|| {
            let known: Vec<String> = self
                .kernel
                .locations
                .iter()
                .map(|l| format!("`{}`", l.name))
                .collect();
            let help = if known.is_empty() {
                format!("declare it first: `uav {name}` or `groupshared {name}`")
            } else {
                format!("declared so far: {}", known.join(", "))
            };
            let message = format!("no variable `{name}` is declared");
            self.error(&rules::UNKNOWN_NAME, span, message, &help);
            Reported
        })
    }
}

/// The text of a string without its escapes.
fn unquote(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if c == '\\' && !escaped {
            escaped = true;
        } else {
            out.push(c);
            escaped = false;
        }
    }
    out
}
