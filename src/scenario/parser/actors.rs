//! Who acts on the timeline: `queue NAME : TYPE`, `process NAME`, `thread NAME : PROCESS`; and `adapter N { … }`.

use super::super::lexer::Token;
use super::super::model::{Adapter, Declaration, MemorySegment, Queue, Role};
use super::super::rules;
use super::trivia::Start;
use super::{Parsed, Parser, QUEUES_MAX, Span};
use crate::api::QueueType;
use crate::id::QueueId;
use crate::id::narrow;

const QUEUE_WORDS: [&str; 6] = [
    "direct",
    "compute",
    "copy",
    "video_decode",
    "video_process",
    "video_encode",
];

impl Parser<'_, '_> {
    pub(super) fn declare_queue(&mut self, start: Start) -> Parsed<()> {
        const WORDS: [&str; 2] = ["process", "adapter"];
        let name = self.actor_name("the queue's name", "queue")?;
        let queue = self.declared(&name, |p| {
            p.expect(Token::Colon, "`:` and the queue's type")?;
            let (word, span) = p.word("a queue type")?;
            let mut queue = match QueueType::parse(word) {
                Some(QueueType::Bundle) | None => {
                    return Err(p.unknown_word("queue type", word, span, &QUEUE_WORDS));
                }
                Some(queue_type) => Queue::new(queue_type),
            };
            let mut seen = 0;
            if p.block_opens() {
                p.options(|p| {
                    let (word, span) = p.word("an option of the queue")?;
                    let Some(index) = WORDS.iter().position(|w| *w == word) else {
                        return Err(p.unknown_word("queue option", word, span, &WORDS));
                    };
                    p.once(&mut seen, 1 << index, word, span)?;
                    match word {
                        "process" => queue.process = Some(p.process()?),
                        _ => queue.adapter = Some(p.integer32("an adapter's number")?),
                    }
                    Ok(())
                })?;
            }
            p.end_statement("`{` or the end of the statement")?;
            Ok(queue)
        })?;
        let block = self.option_block();
        self.insert_actor(start, name, queue, Some(block));
        Ok(())
    }

    pub(super) fn declare_process(&mut self, start: Start) -> Parsed<()> {
        let name = self.actor_name("the process's name", "process")?;
        self.end_statement("the end of the statement")?;
        let process = Queue {
            role: Role::Process,
            ..Queue::new(QueueType::Copy)
        };
        self.insert_actor(start, name, process, None);
        Ok(())
    }

    pub(super) fn declare_thread(&mut self, start: Start) -> Parsed<()> {
        let name = self.actor_name("the thread's name", "thread")?;
        let process = self.declared(&name, |p| {
            p.expect(Token::Colon, "`:` and the thread's process")?;
            let process = p.process()?;
            p.end_statement("the end of the statement")?;
            Ok(process)
        })?;
        let thread = Queue {
            role: Role::Thread,
            process: Some(process),
            ..Queue::new(QueueType::Copy)
        };
        self.insert_actor(start, name, thread, None);
        Ok(())
    }

    /// A name for a queue, a process or a thread: they share one namespace, because each begins statements of the
    /// timeline.
    fn actor_name(&mut self, expected: &str, what: &'static str) -> Parsed<String> {
        let (name, at) = self.new_name(expected)?;
        if name == "cpu" {
            return Err(self.error(
                &rules::DUPLICATE_NAME,
                at,
                format!("a {what} cannot be called `cpu`; in the timeline `cpu` is the CPU itself"),
                format!("give the {what} another name"),
            ));
        }
        self.room(self.out.queues.len(), QUEUES_MAX, "queues", at)?;
        if let Some(first) = self.out.queues.get(name).map(|q| q.span) {
            self.taken(name, at, first, what)?;
        }
        self.note("queue", at, true);
        Ok(name.to_owned())
    }

    fn insert_actor(
        &mut self,
        start: Start,
        name: String,
        mut queue: Queue,
        block: Option<super::trivia::Block>,
    ) {
        (queue.span, queue.trivia) = self.finish(start, block);
        let id = self.out.queues.push(name, queue);
        self.out.order.push(Declaration::Queue(id));
    }

    /// A process's name.
    pub(super) fn process(&mut self) -> Parsed<QueueId> {
        let (name, span) = self.word("a process")?;
        match self.out.queues.id_of(name) {
            Some(id) if self.out.queue(id).role == Role::Process => {
                self.note("queue", span, false);
                Ok(id)
            }
            _ => Err(self.unknown_name("process", name, span)),
        }
    }

    pub(super) fn declare_adapter(&mut self, start: Start, span: Span) -> Parsed<()> {
        const WORDS: [&str; 5] = [
            "native-fences",
            "optimised-default",
            "intra-gpu",
            "segments",
            "stride",
        ];
        let number = self.integer32("an adapter's number")?;
        if self.out.adapter(number).is_some() {
            let message = format!("the file has a second `adapter {number}`");
            let help = "join the two";
            return Err(self.error(&rules::DUPLICATE_NAME, span, message, help));
        }
        let mut adapter = Adapter {
            number,
            ..Adapter::default()
        };
        let mut seen = 0;
        self.options(|p| {
            let (word, span) = p.word("an option of the adapter")?;
            let Some(index) = WORDS.iter().position(|w| *w == word) else {
                return Err(p.unknown_word("adapter option", word, span, &WORDS));
            };
            p.once(&mut seen, 1 << index, word, span)?;
            match word {
                "native-fences" => adapter.native_fences = Some(p.on_or_off()?),
                "optimised-default" => adapter.optimised_default = Some(p.on_or_off()?),
                "intra-gpu" => adapter.intra_gpu = Some(p.on_or_off()?),
                "segments" => adapter.segments = p.segments()?,
                _ => adapter.stride_bytes = Some(p.stride()?),
            }
            Ok(())
        })?;
        self.end_statement("the end of the statement")?;
        let block = self.option_block();
        (adapter.span, adapter.trivia) = self.finish(start, Some(block));
        self.out
            .order
            .push(Declaration::Adapter(narrow(self.out.adapters.len())));
        self.out.adapters.push(adapter);
        Ok(())
    }

    fn on_or_off(&mut self) -> Parsed<bool> {
        let (word, span) = self.word("`on` or `off`")?;
        match word {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(self.unknown_word("switch", word, span, &["on", "off"])),
        }
    }

    /// Kinds of memory joined by `|`. At most 32: a set of segments is a mask of 32 bits.
    fn segments(&mut self) -> Parsed<Vec<MemorySegment>> {
        let mut segments = Vec::new();
        loop {
            let (word, span) = self.word("a kind of memory")?;
            let Some(kind) = MemorySegment::parse(word) else {
                return Err(self.unknown_word("kind of memory", word, span, &MemorySegment::WORDS));
            };
            if segments.len() == 32 {
                let message = "an adapter has at most 32 segments";
                return Err(self.error(&rules::LIMIT_EXCEEDED, span, message, None));
            }
            segments.push(kind);
            if !self.eat(Token::Pipe) {
                return Ok(segments);
            }
            self.skip_newline();
        }
    }

    /// Bytes from one packed value to the next: whole values that fit on a page.
    fn stride(&mut self) -> Parsed<u32> {
        let span = self.span;
        let bytes = self.integer32("a stride in bytes")?;
        if bytes == 0 || bytes > 4096 || bytes % 8 != 0 {
            let message = format!(
                "a stride of {bytes} bytes is not possible; a value has 8 bytes and a page 4096"
            );
            let help = "write a multiple of 8 from 8 to 4096";
            return Err(self.error(&rules::BAD_VALUE, span, message, help));
        }
        Ok(bytes)
    }
}
