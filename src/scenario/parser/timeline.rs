//! The timeline. Language: "The timeline".

use super::super::lexer::Token;
use super::super::model::{
    Declaration, FenceValue, List, ObjectAct, Statement, StatementKind, Timeline, Trivia,
};
use super::super::rules;
use super::trivia::{Block, Start};
use super::{EXECUTED_MAX, LISTS_MAX, Parsed, Parser, REPEAT_PRODUCT_MAX, STATEMENTS_MAX};
use crate::api::QueueType;
use crate::finding::{Finding, Span};
use crate::id::{ListId, QueueId};

const QUEUE_WORDS: [&str; 5] = ["execute", "signal", "wait", "present", "initialise"];
const PROCESS_WORDS: [&str; 6] = ["signal", "wait", "create", "open", "share", "destroy"];
const CPU_WORDS: [&str; 5] = ["signal", "wait", "write", "read", "work"];

impl Parser<'_, '_> {
    pub(super) fn declare_timeline(&mut self, start: Start, span: Span) -> Parsed<()> {
        if self.out.timeline.is_some() {
            let finding = Finding::new(
                &rules::DUPLICATE_NAME,
                span,
                "the file has a second `timeline`",
            )
            .related(
                self.out.timeline.as_ref().map_or(span, |t| t.span),
                "the first one",
            )
            .help("join the two");
            self.report(finding);
            return Err(super::Reported);
        }
        let mut statements = Vec::new();
        // The timeline counts as present even if a statement in it is wrong.
        self.out.timeline = Some(Timeline {
            statements: Vec::new(),
            span,
            trivia: Trivia(None),
        });
        self.out.order.push(Declaration::Timeline);
        let block = self.block(|p, first| p.statement(first, &mut statements))?;
        self.end_statement("the end of the statement")?;
        let (_, trivia) = self.finish(start, Some(block));
        self.out.timeline = Some(Timeline {
            statements,
            span,
            trivia,
        });
        Ok(())
    }

    fn statement(&mut self, first: bool, out: &mut Vec<Statement>) -> Parsed<()> {
        let start = self.begin(first);
        let (word, span) = self.word("a queue, `cpu`, `reset` or `repeat`")?;
        let (kind, block) = match word {
            "repeat" if self.token == Token::Number => {
                let (kind, block) = self.repeat(span)?;
                (kind, Some(block))
            }
            "reset" if self.at_word("device") => {
                self.bump();
                (StatementKind::Reset(None), None)
            }
            "reset" if self.at_word("queue") => {
                self.bump();
                let (name, at) = self.word("a queue")?;
                let queue = self.queue_named(name, at)?;
                if !self.out.queue(queue).is_gpu() {
                    return Err(self.unknown_name("queue", name, at));
                }
                (StatementKind::Reset(Some(queue)), None)
            }
            "cpu" if self.out.has_processes() => {
                let message = "`cpu` is ambiguous in a file that has processes".to_owned();
                let help = "start the statement with a process or thread";
                return Err(self.error(&rules::UNKNOWN_NAME, span, message, help));
            }
            "cpu" => (self.cpu()?, None),
            _ => {
                self.offer_statement(span);
                let queue = self.queue_named(word, span)?;
                if self.out.queue(queue).is_gpu() {
                    self.queue_statement(queue)?
                } else {
                    (self.process_statement(queue)?, None)
                }
            }
        };
        self.count_statement(&kind, span)?;
        self.end_statement("the end of the statement")?;
        let (span, trivia) = self.finish(start, block);
        out.push(Statement { kind, span, trivia });
        Ok(())
    }

    /// Counts what a statement runs, as often as its repeats say; a repeat has counted its body already.
    fn count_statement(&mut self, kind: &StatementKind, span: Span) -> Parsed<()> {
        let commands = match kind {
            StatementKind::Repeat { .. } => return Ok(()),
            StatementKind::Execute { lists, .. } => {
                let lists = lists.iter().map(|id| &self.out.lists[*id].commands);
                lists.map(|commands| commands.len() as u64).sum()
            }
            _ => 0_u64,
        };
        let times = self.repeat_product;
        self.statements = self.statements.saturating_add(times);
        self.executed = self.executed.saturating_add(commands.saturating_mul(times));
        let (what, count, most) = if self.statements > STATEMENTS_MAX {
            ("statements", self.statements, STATEMENTS_MAX)
        } else if self.executed > EXECUTED_MAX {
            ("commands", self.executed, EXECUTED_MAX)
        } else {
            return Ok(());
        };
        let message =
            format!("the timeline runs {count} {what}, repeats included; the limit is {most}");
        let help = "repeat fewer times, or put more commands into one list";
        Err(self.error(&rules::LIMIT_EXCEEDED, span, message, help))
    }

    fn repeat(&mut self, span: Span) -> Parsed<(StatementKind, Block)> {
        let count = self.integer("a count", REPEAT_PRODUCT_MAX)?;
        let product = self.repeat_product.saturating_mul(count.max(1));
        if product > REPEAT_PRODUCT_MAX {
            let message = format!(
                "the repeats run a statement {product} times; the limit is {REPEAT_PRODUCT_MAX}"
            );
            return Err(self.error(&rules::LIMIT_EXCEEDED, span, message, None));
        }
        self.nest(span)?;
        let outer = std::mem::replace(&mut self.repeat_product, product);
        let mut body = Vec::new();
        let block = self.block(|p, first| p.statement(first, &mut body));
        self.repeat_product = outer;
        self.depth -= 1;
        Ok((StatementKind::Repeat { count, body }, block?))
    }

    fn cpu(&mut self) -> Parsed<StatementKind> {
        let (word, span) = self.word("`signal`, `wait`, `write`, `read` or `work`")?;
        match word {
            "signal" => {
                let fence = self.fence()?;
                Ok(StatementKind::Signal {
                    queue: None,
                    fence,
                    value: self.fence_value()?,
                })
            }
            "wait" => {
                let fence = self.fence()?;
                Ok(StatementKind::Wait {
                    queue: None,
                    fence,
                    value: self.fence_value()?,
                })
            }
            "write" | "read" => {
                let (resource, range, _) = self.ranged_resource(false)?;
                Ok(if word == "write" {
                    StatementKind::CpuWrite { resource, range }
                } else {
                    StatementKind::CpuRead { resource, range }
                })
            }
            "work" => Ok(StatementKind::CpuWork(self.duration()?)),
            _ => Err(self.unknown_word("CPU action", word, span, &CPU_WORDS)),
        }
    }

    fn queue_statement(&mut self, queue: QueueId) -> Parsed<(StatementKind, Option<Block>)> {
        let (word, span) = self.word("`execute`, `signal`, `wait` or `present`")?;
        match word {
            "execute" if self.block_opens() => {
                let (list, block) = self.list_in_place(queue, span)?;
                let lists = vec![list];
                Ok((StatementKind::Execute { queue, lists }, Some(block)))
            }
            "execute" => {
                let lists = self.executed_lists(queue)?;
                Ok((StatementKind::Execute { queue, lists }, None))
            }
            "signal" => {
                let fence = self.fence()?;
                Ok((
                    StatementKind::Signal {
                        queue: Some(queue),
                        fence,
                        value: self.fence_value()?,
                    },
                    None,
                ))
            }
            "wait" => {
                let fence = self.fence()?;
                Ok((
                    StatementKind::Wait {
                        queue: Some(queue),
                        fence,
                        value: self.fence_value()?,
                    },
                    None,
                ))
            }
            "present" => {
                let at = self.span;
                let resource = self.resource()?;
                if self.out.resource(resource).is_buffer() {
                    let name = self.out.resource_name(resource).to_owned();
                    let message = format!("`{name}` is a buffer; only a texture can be presented");
                    return Err(self.error(&rules::WRONG_RESOURCE, at, message, None));
                }
                Ok((StatementKind::Present { queue, resource }, None))
            }
            "initialise" => Ok((
                StatementKind::Object {
                    queue,
                    act: ObjectAct::Initialise,
                    fence: self.fence()?,
                    flags: 0,
                },
                None,
            )),
            _ => Err(self.unknown_word("queue action", word, span, &QUEUE_WORDS)),
        }
    }

    /// `{ command; … }`: an unnamed list of the queue's type.
    fn list_in_place(&mut self, queue: QueueId, span: Span) -> Parsed<(ListId, Block)> {
        self.room(self.out.lists.len(), LISTS_MAX, "lists", span)?;
        let queue_type = self.out.queue_type(queue);
        let outer = self.list_type.replace(queue_type);
        let read = self.command_block();
        self.list_type = outer;
        let (commands, block) = read?;
        let list = self.out.lists.push(List {
            name: None,
            queue_type,
            extended_async: false,
            commands,
            span,
            trivia: Trivia(None),
        });
        Ok((list, block))
    }

    /// `LIST, LIST`.
    fn executed_lists(&mut self, queue: QueueId) -> Parsed<Vec<ListId>> {
        let mut lists = Vec::new();
        loop {
            let (list, at) = self.list()?;
            self.runs_on(list, queue, at)?;
            lists.push(list);
            if !self.eat(Token::Comma) {
                return Ok(lists);
            }
            self.skip_newline();
        }
    }

    /// What a process or a thread does.
    fn process_statement(&mut self, queue: QueueId) -> Parsed<StatementKind> {
        let (word, span) = self.word("`signal`, `wait`, `create`, `open`, `share` or `destroy`")?;
        let acts = ObjectAct::OF_PROCESSES;
        if let Some(act) = acts.into_iter().find(|act| act.word() == word) {
            let fence = self.fence()?;
            let mut flags = 0;
            if act == ObjectAct::Open && self.at_word("flags") {
                self.bump();
                flags = self.flag_bits()?;
            }
            return Ok(StatementKind::Object {
                queue,
                act,
                fence,
                flags,
            });
        }
        let queue = Some(queue);
        match word {
            "signal" => Ok(StatementKind::Signal {
                queue,
                fence: self.fence()?,
                value: self.fence_value()?,
            }),
            "wait" => Ok(StatementKind::Wait {
                queue,
                fence: self.fence()?,
                value: self.fence_value()?,
            }),
            _ => Err(self.unknown_word("process action", word, span, &PROCESS_WORDS)),
        }
    }

    /// Language: "Executing a list on a queue of another type is an SC error on the `execute` line".
    fn runs_on(&mut self, list: ListId, queue: QueueId, at: Span) -> Parsed<()> {
        let (list_type, queue_type) = (self.out.lists[list].queue_type, self.out.queue_type(queue));
        if list_type == queue_type {
            return Ok(());
        }
        let declared = self.out.lists[list].span;
        let name = self.out.queue_name(queue).to_owned();
        let message = if list_type == QueueType::Bundle {
            format!("a bundle does not run on the queue `{name}` itself")
        } else {
            format!(
                "a `{}` list does not run on the `{}` queue `{name}`",
                list_type.word(),
                queue_type.word()
            )
        };
        let help = if list_type == QueueType::Bundle {
            "run it in a direct list with `execute-bundle`".to_owned()
        } else {
            format!(
                "declare the list as `{}`, or use a `{}` queue",
                queue_type.word(),
                list_type.word()
            )
        };
        let finding = Finding::new(&rules::QUEUE_TYPE_MISMATCH, at, message)
            .related(declared, "the list")
            .help(help);
        self.report(finding);
        Err(super::Reported)
    }

    fn fence_value(&mut self) -> Parsed<FenceValue> {
        if self.eat(Token::Plus) {
            return Ok(FenceValue::Relative(self.integer("a step", u64::MAX)?));
        }
        Ok(FenceValue::Absolute(
            self.integer("the fence value", u64::MAX)?,
        ))
    }
}
