//! `fence NAME = INITIAL { … }`. Language: "Fences".

use super::super::lexer::Token;
use super::super::model::{Declaration, Fence, FenceStorage};
use super::super::rules;
use super::trivia::Start;
use super::{FENCES_MAX, Parsed, Parser, Span};
use crate::api::{NativeFence, SyncObject, SyncObjectFlags};

impl Parser<'_, '_> {
    pub(super) fn declare_fence(&mut self, start: Start) -> Parsed<()> {
        const WORDS: [&str; 8] = [
            "kind",
            "native",
            "flags",
            "adapter",
            "process",
            "uninitialised",
            "scope",
            "storage",
        ];
        let (name, at) = self.new_name("the fence's name")?;
        self.room(self.out.fences.len(), FENCES_MAX, "fences", at)?;
        if let Some(first) = self.out.fences.get(name).map(|f| f.span) {
            self.taken(name, at, first, "fence")?;
        }
        self.note("fence", at, true);
        let mut fence = self.declared(name, |p| {
            let mut fence = Fence::default();
            if p.eat(Token::Equals) {
                fence.initial = p.integer("the fence's initial value", u64::MAX)?;
            }
            let mut seen = 0;
            if p.block_opens() {
                p.options(|p| {
                    let (word, span) = p.word("an option of the fence")?;
                    let Some(index) = WORDS.iter().position(|w| *w == word) else {
                        return Err(p.unknown_word("fence option", word, span, &WORDS));
                    };
                    if word != "storage" {
                        p.once(&mut seen, 1 << index, word, span)?;
                    }
                    match word {
                        "kind" => fence.kind = Some(p.fence_kind()?),
                        "native" => fence.native = Some(p.native_type()?),
                        "adapter" => fence.adapter = Some(p.integer32("an adapter's number")?),
                        "process" => fence.process = Some(p.process()?),
                        "uninitialised" => fence.uninitialised = true,
                        "scope" => p.fence_scope(&mut fence)?,
                        "storage" => p.fence_storage(&mut fence.storage)?,
                        _ => p.fence_flags(&mut fence)?,
                    }
                    Ok(())
                })?;
            }
            let at = p.span;
            if p.eat(Token::Colon) {
                let help = format!("write `fence {name} = 0` for a fence that starts at 0");
                return Err(p.mistake(at, "a fence has no type after `:`", help));
            }
            p.end_statement("`=`, `{` or the end of the statement")?;
            Ok(fence)
        })?;
        let block = self.option_block();
        (fence.span, fence.trivia) = self.finish(start, Some(block));
        let id = self.out.fences.push(name.to_owned(), fence);
        self.out.order.push(Declaration::Fence(id));
        Ok(())
    }

    /// `scope list` or `scope device`, which is the default.
    fn fence_scope(&mut self, fence: &mut Fence) -> Parsed<()> {
        let (word, span) = self.word("`list` or `device`")?;
        fence.list_scoped = match word {
            "list" => true,
            "device" => false,
            _ => {
                return Err(self.unknown_word("fence scope", word, span, &["list", "device"]));
            }
        };
        Ok(())
    }

    /// `storage current N`, `storage monitored N`, `storage private BYTES`.
    fn fence_storage(&mut self, storage: &mut FenceStorage) -> Parsed<()> {
        const WORDS: [&str; 3] = ["current", "monitored", "private"];
        let (word, span) = self.word("`current`, `monitored` or `private`")?;
        let slot = match word {
            "current" => &mut storage.current,
            "monitored" => &mut storage.monitored,
            "private" => &mut storage.private_data_bytes,
            _ => return Err(self.unknown_word("storage part", word, span, &WORDS)),
        };
        if slot.is_some() {
            let message = format!("`storage {word}` is given twice");
            return Err(self.error(&rules::DUPLICATE_OPTION, span, message, None));
        }
        *slot = Some(self.integer32("a number")?);
        Ok(())
    }

    /// An object type, as the language writes it.
    fn fence_kind(&mut self) -> Parsed<String> {
        let (word, span) = self.word("a kind of fence")?;
        match SyncObject::parse(word) {
            Some(kind) => Ok(kind.word().to_owned()),
            None => Err(self.unknown_word("fence kind", word, span, &SyncObject::WORDS)),
        }
    }

    fn native_type(&mut self) -> Parsed<String> {
        let (word, span) = self.word("`DEFAULT` or `INTRA_GPU`")?;
        match NativeFence::parse(word) {
            Some(native) => Ok(native.word().to_owned()),
            None => Err(self.unknown_word("native fence type", word, span, &NativeFence::WORDS)),
        }
    }

    /// Flags by the header's names, or as a number, joined by `|`.
    fn fence_flags(&mut self, fence: &mut Fence) -> Parsed<()> {
        loop {
            let (flag, span) = self.fence_flag()?;
            if fence.flags.iter().any(|(f, _)| *f == flag) {
                return Err(self.error(
                    &rules::DUPLICATE_OPTION,
                    span,
                    format!("`{flag}` is given twice"),
                    None,
                ));
            }
            fence.flags.push((flag, span));
            if !self.eat(Token::Pipe) {
                return Ok(());
            }
            self.skip_newline();
        }
    }

    /// Flags joined by `|`, as bits.
    pub(super) fn flag_bits(&mut self) -> Parsed<u32> {
        let mut fence = Fence::default();
        self.fence_flags(&mut fence)?;
        Ok(fence.bits().bits())
    }

    fn fence_flag(&mut self) -> Parsed<(String, Span)> {
        if self.token == Token::Number {
            let span = self.span;
            let bits = self.integer32("the flags as a number")?;
            return Ok((format!("{bits:#x}"), span));
        }
        let (word, span) = self.word("a flag of the fence")?;
        if SyncObjectFlags::parse(word).is_none() {
            let names: Vec<&str> = SyncObjectFlags::words().collect();
            return Err(self.unknown_word("synchronization object flag", word, span, &names));
        }
        Ok((word.to_owned(), span))
    }
}
