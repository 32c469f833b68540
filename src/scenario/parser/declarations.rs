//! The file's level: which declaration a line is; title, device and lists. Others have files of their own.

use super::trivia::Start;
use super::{LISTS_MAX, Parsed, Parser};
use crate::api::QueueType;
use crate::finding::Span;
use crate::scenario::lexer::Token;
use crate::scenario::model::{Capability, Comments, Declaration, Device, List, Trivia};
use crate::scenario::rules;
use crate::tokens;

pub(super) const DECLARATIONS: [&str; 12] = [
    "scenario", "device", "adapter", "heap", "texture", "buffer", "fence", "queue", "process",
    "thread", "list", "timeline",
];
pub(super) const LIST_WORDS: [&str; 7] = [
    "direct",
    "bundle",
    "compute",
    "copy",
    "video_decode",
    "video_process",
    "video_encode",
];

impl Parser<'_, '_> {
    /// The whole file.
    pub(super) fn file(&mut self) {
        let mut any = false;
        tokens::file(
            self,
            |p| p.recover(),
            |p, first| {
                any = true;
                let start = p.begin(first);
                p.declaration(start)
            },
        );
        self.nested_textures();
        let mut blank_before = false;
        let mut before = self.comment_lines(&mut blank_before);
        before.trim_end();
        if !before.is_empty() {
            let comments = Comments {
                before,
                blank_before: blank_before && any,
                ..Comments::default()
            };
            self.out.trailing = Trivia(Some(Box::new(comments)));
        }
    }

    pub(super) fn declaration(&mut self, start: Start) -> Parsed<()> {
        let (word, span) = self.word("a declaration")?;
        match word {
            "scenario" => self.title(start, span),
            "device" => self.device(start, span),
            "heap" => self.declare_heap(start),
            "texture" => self.declare_texture(start),
            "buffer" => self.declare_buffer(start),
            "fence" => self.declare_fence(start),
            "queue" => self.declare_queue(start),
            "process" => self.declare_process(start),
            "thread" => self.declare_thread(start),
            "adapter" => self.declare_adapter(start, span),
            "list" => self.declare_list(start),
            "timeline" => self.declare_timeline(start, span),
            _ => Err(self.unknown_word("declaration", word, span, &DECLARATIONS)),
        }
    }

    fn only_once(&mut self, seen: bool, what: &str, span: Span) -> Parsed<()> {
        if !seen {
            return Ok(());
        }
        Err(self.error(
            &rules::DUPLICATE_NAME,
            span,
            format!("the file has a second `{what}`"),
            "join the two",
        ))
    }

    fn title(&mut self, start: Start, span: Span) -> Parsed<()> {
        self.only_once(self.title_seen, "scenario", span)?;
        self.title_seen = true;
        let Some(title) = self.string()? else {
            return Err(self.unexpected("the title, a string"));
        };
        self.end_statement("the end of the statement")?;
        let (_, trivia) = self.finish(start, None);
        self.out.title = Some(title.into());
        self.out.title_trivia = trivia;
        self.out.order.push(Declaration::Title);
        Ok(())
    }

    fn device(&mut self, start: Start, span: Span) -> Parsed<()> {
        const WORDS: [&str; 4] = ["profile", "lowering", "copies", "capability"];
        self.only_once(self.device_seen, "device", span)?;
        self.device_seen = true;
        let mut device = Device::default();
        let mut seen = 0;
        self.options(|p| {
            let (word, span) = p.word("a device option")?;
            let Some(index) = WORDS.iter().position(|w| *w == word) else {
                return Err(p.unknown_word("device option", word, span, &WORDS));
            };
            if word != "capability" {
                p.once(&mut seen, 1 << index, word, span)?;
            }
            match word {
                "profile" => device.profile = Some(p.free_name("a hardware profile")?),
                "lowering" => device.lowering = Some(p.free_name("a lowering")?),
                "copies" => {
                    let (how, at) = p.word("`synchronous` or `asynchronous`")?;
                    device.asynchronous_copies = match how {
                        "synchronous" => false,
                        "asynchronous" => true,
                        _ => {
                            return Err(p.unknown_word(
                                "copy mode",
                                how,
                                at,
                                &["synchronous", "asynchronous"],
                            ));
                        }
                    };
                }
                _ => p.capability(&mut device, span)?,
            }
            Ok(())
        })?;
        self.end_statement("the end of the statement")?;
        let block = self.option_block();
        (device.span, device.trivia) = self.finish(start, Some(block));
        self.out.device = device;
        self.out.order.push(Declaration::Device);
        Ok(())
    }

    /// A name or a string that something outside the file gives a meaning.
    fn free_name(&mut self, what: &str) -> Parsed<String> {
        if let Some(text) = self.string()? {
            return Ok(text.into());
        }
        Ok(self.new_name(what)?.0.to_owned())
    }

    fn capability(&mut self, device: &mut Device, start: Span) -> Parsed<()> {
        let (name, at) = self.word("a capability")?;
        let Some(capability) = Capability::ALL.into_iter().find(|c| c.word() == name) else {
            let words = Capability::ALL.map(Capability::word);
            return Err(self.unknown_word("capability", name, at, &words));
        };
        if device.capabilities.iter().any(|(c, ..)| *c == capability) {
            return Err(self.error(
                &rules::DUPLICATE_OPTION,
                at,
                format!("`capability {name}` is given twice"),
                "keep one of them",
            ));
        }
        let (value, value_at) = self.word("`on` or `off`")?;
        let on = match value {
            "on" => true,
            "off" => false,
            _ => return Err(self.unknown_word("switch", value, value_at, &["on", "off"])),
        };
        device
            .capabilities
            .push((capability, on, self.since(start)));
        Ok(())
    }

    /// Runs the rest of a declaration; if it fails, uses of the name are not a second mistake.
    pub(super) fn declared<T>(
        &mut self,
        name: &str,
        rest: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        let result = rest(self);
        if result.is_err() {
            self.broken.insert(name.to_owned());
        }
        result
    }

    fn declare_list(&mut self, start: Start) -> Parsed<()> {
        let (name, at) = self.new_name("the list's name")?;
        self.room(self.out.lists.len(), LISTS_MAX, "lists", at)?;
        if let Some(id) = self.lists.get(name) {
            let first = self.out.lists[*id].span;
            self.taken(name, at, first, "list")?;
        }
        self.note("list", at, true);
        let (list, block) = self.declared(name, |p| {
            p.expect(Token::Colon, "`:` and the list's type")?;
            let (word, span) = p.word("a list type")?;
            let Some(queue_type) = QueueType::parse(word) else {
                return Err(p.unknown_word("list type", word, span, &LIST_WORDS));
            };
            let extended_async = p.eat_word("extended-async");
            let span = p.since(start.at());
            let outer = p.list_type.replace(queue_type);
            let read = p.command_block();
            p.list_type = outer;
            let (commands, block) = read?;
            p.end_statement("the end of the statement")?;
            let name = Some(name.to_owned());
            Ok((
                List {
                    name,
                    queue_type,
                    extended_async,
                    commands,
                    span,
                    trivia: Trivia(None),
                },
                block,
            ))
        })?;
        let (_, trivia) = self.finish(start, Some(block));
        let id = self.out.lists.push(List { trivia, ..list });
        self.lists.insert(name.to_owned(), id);
        self.out.order.push(Declaration::List(id));
        if self.is_part_due() {
            self.lists_in_parts();
        }
        Ok(())
    }
}
