//! What begins a line: title, variables, initial values. Threads and expectations have files of their own.

use super::assist::STATEMENTS;
use super::instruction::register_number;
use super::{Parsed, Parser};
use crate::finding::Span;
use crate::id::LocationId;
use crate::kernel::model::{Comments, LOCATIONS_MAX, Location, LocationKind};
use crate::kernel::rules;
use crate::tokens;

impl Parser<'_> {
    pub(super) fn file(&mut self) {
        tokens::file(self, Self::recover_line, |p, _| {
            let allows = p.take_allows();
            let parsed = p.statement();
            p.allow(allows);
            parsed
        });
        self.kernel.comments_at_end = self.lines();
    }

    fn statement(&mut self) -> Parsed<()> {
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
                self.offer(span, &STATEMENTS);
                let message = format!("unknown statement `{word}`");
                Err(self.mistake(span, message, HELP))
            }
        }
    }

    fn title(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        let Some(title) = self.string()? else {
            return Err(self.unexpected("a name in quotes", "write `litmus \"name\"`"));
        };
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
        self.kernel.title = Some(title.into());
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
        let globally_coherent = uav && self.eat_any_case("globallycoherent");
        let beside = if uav && self.eat_any_case("beside") {
            let at = self.span;
            let location = self.located()?;
            if !self.kernel.location(location).kind.is_uav() {
                let message = "a UAV cannot be next to a groupshared variable";
                return Err(self.error(&rules::UNKNOWN_NAME, at, message, "name a UAV"));
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
        self.note("variable", at, true);
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
        if let Some(found) = self.kernel.find(name) {
            self.note("variable", span, false);
            return Ok(found);
        }
        self.offer_variables(span);
        Err({
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
            self.error(&rules::UNKNOWN_NAME, span, message, help)
        })
    }
}
