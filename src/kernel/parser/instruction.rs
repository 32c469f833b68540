//! Instructions of a thread.

use super::super::fence::{BarrierFlags, BarrierMemory, Fence, Intrinsic, SyncFlags};
use super::super::lexer::Token;
use super::super::model::{
    Atomic, GUARDS_MAX, Guard, Op, OpKind, Operand, REGISTERS_MAX, Register,
};
use super::super::rules;
use super::{Parsed, Parser};
use crate::finding::Span;
use crate::id::narrow;

const KNOWN: &str = "instructions are `st x 1`, `ld r0 x`, atomics (`add r0 x 1`), `sync_…`, `barrier(…)` and `discard 1`";

impl Parser<'_> {
    pub(super) fn op(&mut self) -> Parsed<Op> {
        let comments = self.take_before();
        let start = self.span;
        let guards = self.guards()?;
        let (word, at) = self.word("an instruction", KNOWN)?;
        let kind = self.kind(word, at)?;
        let span = Span::new(start.start, self.last_end.max(start.end));
        self.ended(
            "the end of the instruction",
            "separate instructions with `;` or a line end",
        )?;
        Ok(Op {
            guards,
            kind,
            span,
            on_line: false,
            comments,
        })
    }

    fn guards(&mut self) -> Parsed<Vec<Guard>> {
        const HELP: &str = "write `[r0==1]`, `[r0!=1]`, `[uniform]` or `[varying]`";
        let mut guards = Vec::new();
        while self.token == Token::OpenBracket {
            let at = self.span;
            self.bump();
            let guard = if self.eat_any_case("uniform") {
                Guard::Uniform
            } else if self.eat_any_case("varying") {
                Guard::Varying
            } else {
                let register = self.register(HELP)?;
                let equal = match self.token {
                    Token::Equal | Token::Is => true,
                    Token::NotEqual => false,
                    _ => return Err(self.unexpected("`==` or `!=`", HELP)),
                };
                self.bump();
                let value = self.number("a value")?;
                Guard::Register {
                    register,
                    equal,
                    value,
                }
            };
            self.expect(Token::CloseBracket, "`]`", HELP)?;
            if guards.len() == GUARDS_MAX {
                let message = format!("an instruction can be under at most {GUARDS_MAX} branches");
                return Err(self.error(&rules::LIMIT_EXCEEDED, at, message, "join the branches"));
            }
            guards.push(guard);
        }
        Ok(guards)
    }

    pub(super) fn register(&mut self, help: &str) -> Parsed<Register> {
        let (word, at) = self.word("a register", help)?;
        let Some(number) = register_number(word) else {
            self.offer(at, &["r0", "r1", "r2", "r3"]);
            let message = format!("`{word}` is not a register");
            let help = "registers are `r0` to `r63`";
            return Err(self.mistake(at, message, help));
        };
        let index = u8::try_from(number).ok();
        let Some(index) = index.filter(|index| usize::from(*index) < REGISTERS_MAX) else {
            let message = format!("`{word}` exceeds the registers of a thread");
            let help = "registers are `r0` to `r63`";
            return Err(self.error(&rules::LIMIT_EXCEEDED, at, message, help));
        };
        let scope = narrow(self.kernel.threads.len());
        self.note_in(scope, "register", at, false);
        Ok(Register(index))
    }

    fn operand(&mut self) -> Parsed<Operand> {
        if self.token == Token::Word {
            return self
                .register("a register or a number")
                .map(Operand::Register);
        }
        self.number("a value or a register").map(Operand::Value)
    }

    fn kind(&mut self, word: &str, at: Span) -> Parsed<OpKind> {
        match word {
            "st" => Ok(OpKind::Store {
                location: self.located()?,
                value: self.operand()?,
            }),
            "ld" => self.load(),
            "discard" => self.discard(),
            "barrier" | "Barrier" => self.barrier().inspect_err(|_| {
                // The `;` inside the parentheses ends no instruction.
                while !matches!(
                    self.token,
                    Token::CloseParenthesis | Token::CloseBrace | Token::Newline | Token::End
                ) {
                    self.bump();
                }
            }),
            _ => {
                if let Some(atomic) = Atomic::ALL.into_iter().find(|a| a.word() == word) {
                    return self.atomic(atomic);
                }
                if let Some(intrinsic) = Intrinsic::ALL.into_iter().find(|i| i.name() == word) {
                    if self.eat(Token::OpenParenthesis) {
                        self.expect(
                            Token::CloseParenthesis,
                            "`)`",
                            "intrinsics take no argument",
                        )?;
                    }
                    return Ok(OpKind::Fence(Fence::Intrinsic(intrinsic)));
                }
                if word == "sync" || word.starts_with("sync_") {
                    return self.sync(word, at);
                }
                self.offer_instructions(at);
                let message = format!("unknown instruction `{word}`");
                Err(self.mistake(at, message, KNOWN))
            }
        }
    }

    fn load(&mut self) -> Parsed<OpKind> {
        let help = "write `ld r0 x`";
        let register = self.register(help)?;
        let location = self.located()?;
        let address = if self.eat_any_case("dep") {
            self.expect(Token::Is, "`=`", "write `dep=r0`")?;
            Some(self.register("write `dep=r0`")?)
        } else {
            None
        };
        Ok(OpKind::Load {
            register,
            location,
            address,
        })
    }

    fn atomic(&mut self, atomic: Atomic) -> Parsed<OpKind> {
        let register = self.register("the old value goes to a register: `add r0 x 1`")?;
        let location = self.located()?;
        let value = self.operand()?;
        let new = if atomic == Atomic::CompareExchange {
            Some(self.operand()?)
        } else {
            None
        };
        Ok(OpKind::Atomic {
            atomic,
            register,
            location,
            value,
            new,
        })
    }

    fn discard(&mut self) -> Parsed<OpKind> {
        let at = self.span;
        match self.count("`1` or `0`")? {
            0 => Ok(OpKind::Discard { taken: false }),
            1 => Ok(OpKind::Discard { taken: true }),
            other => {
                let message = format!("`discard` takes 0 or 1, not {other}");
                let help = "write `discard 1` or `discard 0`";
                Err(self.mistake(at, message, help))
            }
        }
    }

    fn sync(&mut self, word: &str, at: Span) -> Parsed<OpKind> {
        let mut sync = SyncFlags::default();
        for part in word.split('_').skip(1) {
            let flag = match part {
                "uglobal" => &mut sync.uglobal,
                "ugroup" => &mut sync.ugroup,
                "g" => &mut sync.g,
                "t" => &mut sync.t,
                _ => {
                    let message = format!("unknown part `_{part}` in `{word}`");
                    let help = "the parts are `_uglobal`, `_ugroup`, `_g` and `_t`";
                    return Err(self.mistake(at, message, help));
                }
            };
            if std::mem::replace(flag, true) {
                let message = format!("`{word}` has `_{part}` twice");
                return Err(self.mistake(at, message, "remove one of them"));
            }
        }
        Ok(OpKind::Fence(Fence::Sync(sync)))
    }

    /// `(MEM;FLAGS)`. HLSL's own words and its comma are understood as well.
    fn barrier(&mut self) -> Parsed<OpKind> {
        const HELP: &str = "write `barrier(UAV;DEVICE)`: memory (`UAV`, `TGSM`, `ALL` or a UAV), then flags (`DEVICE`, `GROUP`, `SYNC`)";
        self.expect(Token::OpenParenthesis, "`(`", HELP)?;
        let memory = self.barrier_memory(HELP)?;
        if !self.eat(Token::Semicolon) && !self.eat(Token::Comma) {
            return Err(self.unexpected("`;`", HELP));
        }
        let mut flags = BarrierFlags::default();
        while self.token == Token::Word {
            let (word, at) = self.word("a flag", HELP)?;
            let flag = match word {
                "DEVICE" | "DEVICE_SCOPE" => &mut flags.device,
                "GROUP" | "GROUP_SCOPE" => &mut flags.group,
                "SYNC" | "GROUP_SYNC" => &mut flags.sync,
                _ => {
                    self.offer(at, &["DEVICE", "GROUP", "SYNC"]);
                    let message = format!("unknown barrier flag `{word}`");
                    return Err(self.mistake(at, message, HELP));
                }
            };
            *flag = true;
            if !self.eat(Token::Or) {
                break;
            }
        }
        self.expect(Token::CloseParenthesis, "`)`", HELP)?;
        Ok(OpKind::Fence(Fence::Barrier { memory, flags }))
    }

    fn barrier_memory(&mut self, help: &str) -> Parsed<BarrierMemory> {
        let (mut uav, mut groupshared, mut all) = (false, false, false);
        loop {
            let text = self.slice();
            let first = !uav && !groupshared && !all;
            if self.token == Token::Word && self.kernel.find(text).is_some() && first {
                return self.located().map(BarrierMemory::Object);
            }
            let (word, at) = self.word("the memory", help)?;
            match word {
                "UAV" | "UAV_MEMORY" => uav = true,
                "TGSM" | "GROUP_SHARED_MEMORY" => groupshared = true,
                "ALL" | "ALL_MEMORY" => all = true,
                _ => {
                    self.offer(at, &["UAV", "TGSM", "ALL"]);
                    let message =
                        format!("`{word}` is neither a kind of memory nor a UAV of this test");
                    return Err(self.error(&rules::UNKNOWN_NAME, at, message, help));
                }
            }
            if !self.eat(Token::Or) {
                return Ok(if all {
                    BarrierMemory::All
                } else {
                    BarrierMemory::Types { uav, groupshared }
                });
            }
        }
    }
}

/// The number of the register of that name.
pub(super) fn register_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('r')?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().unwrap_or(u32::MAX))
}
