//! Expectations and their conditions: `expect forbidden 1:r0 == 1 & 1:r1 == 0`. `&` binds closer than `|`.

use super::super::lexer::Token;
use super::super::model::{Comments, Condition, Expectation, Subject, Verdict};
use super::super::rules;
use super::{CONDITIONS_MAX, EXPECTATIONS_MAX, NESTING_MAX, Parsed, Parser};
use crate::finding::Span;
use crate::id::narrow;

const HELP: &str = "a condition compares `1:r0` (a register of thread 1), `x` (final UAV memory) or `s@0` (groupshared memory of group 0) with a value";

impl Parser<'_> {
    pub(super) fn expectation(&mut self, span: Span, mut comments: Comments) -> Parsed<()> {
        let help =
            "write `expect allowed`, `forbidden`, `undefined` or `illegal`, then a condition";
        let (word, at) = self.word("a verdict", help)?;
        let Some(verdict) = Verdict::ALL.into_iter().find(|v| v.word() == word) else {
            let words = Verdict::ALL.map(Verdict::word);
            self.offer(at, &words);
            let message = format!("unknown verdict `{word}`");
            return Err(self.mistake(at, message, help));
        };
        let mut budget = CONDITIONS_MAX;
        let condition = self.any(0, &mut budget)?;
        let end = self.last_end;
        comments.after = self.statement_end()?;
        if self.kernel.expectations.len() == EXPECTATIONS_MAX {
            let message = format!("a test has at most {EXPECTATIONS_MAX} expectations");
            self.error(&rules::LIMIT_EXCEEDED, span, message, "split the test");
            return Ok(());
        }
        self.kernel.expectations.push(Expectation {
            verdict,
            condition,
            span: Span::new(span.start, end),
            comments,
        });
        Ok(())
    }

    fn any(&mut self, depth: u32, budget: &mut usize) -> Parsed<Condition> {
        let mut parts = vec![self.all(depth, budget)?];
        while self.eat(Token::Or) {
            parts.push(self.all(depth, budget)?);
        }
        Ok(one_or(parts, Condition::Any))
    }

    fn all(&mut self, depth: u32, budget: &mut usize) -> Parsed<Condition> {
        let mut parts = vec![self.part(depth, budget)?];
        while self.eat(Token::And) {
            parts.push(self.part(depth, budget)?);
        }
        Ok(one_or(parts, Condition::All))
    }

    fn part(&mut self, depth: u32, budget: &mut usize) -> Parsed<Condition> {
        if depth >= NESTING_MAX || *budget == 0 {
            let message = "the condition is too long or nested too deeply".to_owned();
            let help = "write several expectations";
            let at = self.span;
            return Err(self.error(&rules::LIMIT_EXCEEDED, at, message, help));
        }
        *budget -= 1;
        if self.eat(Token::Not) {
            let part = self.part(depth + 1, budget)?;
            return Ok(Condition::Not(Box::new(part)));
        }
        if self.eat(Token::OpenParenthesis) {
            let inner = self.any(depth + 1, budget)?;
            self.expect(Token::CloseParenthesis, "`)`", HELP)?;
            return Ok(inner);
        }
        let subject = self.subject()?;
        let equal = match self.token {
            Token::Equal | Token::Is => true,
            Token::NotEqual => false,
            _ => return Err(self.unexpected("`==` or `!=`", HELP)),
        };
        self.bump();
        let value = self.number("a value")?;
        Ok(Condition::Is {
            subject,
            equal,
            value,
        })
    }

    fn subject(&mut self) -> Parsed<Subject> {
        if self.token == Token::Number {
            let at = self.span;
            let thread = self.count("the number of a thread")? as usize;
            if thread >= self.kernel.threads.len() {
                let message = format!("there is no thread {thread}");
                let help = match self.kernel.threads.len() {
                    0 => "threads come before the expectations".to_owned(),
                    n => format!(
                        "threads are numbered from 0 to {}, in the order of the text",
                        n - 1
                    ),
                };
                return Err(self.error(&rules::UNKNOWN_NAME, at, message, help));
            }
            self.expect(Token::Colon, "`:`", HELP)?;
            let register = self.register(HELP)?;
            let scope = narrow(thread);
            if let Some(note) = self.noted.as_mut().and_then(|it| it.names.last_mut()) {
                note.scope = scope;
            }
            return Ok(Subject::Register { thread, register });
        }
        let at = self.span;
        let location = self.located()?;
        let name = self.kernel.location(location).name.clone();
        let groupshared = !self.kernel.location(location).kind.is_uav();
        if !self.eat(Token::At) {
            if !groupshared {
                return Ok(Subject::Uav(location));
            }
            // One group: no doubt which instance is meant.
            if let [group] = self.kernel.groups()[..] {
                return Ok(Subject::Groupshared { location, group });
            }
            let message = format!("`{name}` is groupshared; each group has its own");
            let help = format!("name the group: `{name}@0`");
            return Err(self.error(&rules::UNKNOWN_NAME, at, message, help));
        }
        let group_at = self.span;
        let group = self.count("the number of a group")?;
        if !groupshared {
            let message = format!("`{name}` is a UAV; all groups share it");
            let help = format!("write only `{name}`");
            return Err(self.error(&rules::UNKNOWN_NAME, at, message, help));
        }
        if !self.kernel.groups().contains(&group) {
            let message = format!("no thread is in group {group}");
            let help = "name the group of one of the threads above";
            return Err(self.error(&rules::UNKNOWN_NAME, group_at, message, help));
        }
        Ok(Subject::Groupshared { location, group })
    }
}

fn one_or(mut parts: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() == 1 {
        parts.remove(0)
    } else {
        join(parts)
    }
}
