//! Recorded commands and their uses. Language: "Command lists", "Implied uses".

use super::super::hints;
use super::super::lexer::Token;
use super::super::model::{
    Command, CommandKind, DispatchOptions, DrawOptions, IndirectTarget, KernelUse, Takes, Trivia,
    Use, UseFields, UseMode, Uses,
};
use super::super::rules;
use super::super::suggest::close;
use super::lines::Line;
use super::trivia::Block;
use super::uses::UsingCommand;
use super::{
    COMMANDS_MAX, GROUP_SHARED_MAX, GROUP_THREADS_MAX, GROUPS_MAX, Parsed, Parser, RAYS_MAX,
    Reported, WORK_MAX,
};
use crate::api::{BarrierAccess, Leaf, LeafSet, QueueType};
use crate::finding::Span;

/// The word that begins each command.
pub const COMMANDS: [&str; 26] = [
    "draw",
    "draw-indexed",
    "dispatch",
    "dispatch-rays",
    "execute-indirect",
    "predicate",
    "set-root",
    "copy",
    "resolve",
    "clear-rtv",
    "clear-dsv",
    "clear-uav",
    "discard",
    "build-as",
    "copy-as",
    "emit-as-postbuild",
    "video-decode",
    "video-process",
    "video-encode",
    "marker",
    "execute-bundle",
    "barrier",
    "legacy",
    "signal-barrier",
    "wait-barrier",
    "assert",
];

impl<'s> Parser<'s, '_> {
    /// `{ command; … }`, groups flat.
    pub(super) fn command_block(&mut self) -> Parsed<(Vec<Command>, Block)> {
        let mut commands = Vec::new();
        let block = self.block(|p, first| p.command(first, &mut commands))?;
        commands.shrink_to_fit();
        Ok((commands, block))
    }

    /// A command. Where many follow in a long text, these too.
    pub(super) fn command(&mut self, first: bool, out: &mut Vec<Command>) -> Parsed<()> {
        let line = self.line_of_command();
        if !line.is_some_and(|line| self.recall(&line, out)) {
            self.command_read(first, line, out)?;
        }
        if self.is_part_due() {
            self.commands_in_parts(out);
        }
        Ok(())
    }

    fn command_read(
        &mut self,
        first: bool,
        line: Option<Line<'s>>,
        out: &mut Vec<Command>,
    ) -> Parsed<()> {
        let start = self.begin(first);
        let (word, span) = self.word("a command")?;
        self.count_commands(1, span)?;
        if word == "marker" {
            let Some(label) = self.string()? else {
                return Err(self.unexpected("the marker's label, a string"));
            };
            self.nest(span)?;
            let at = out.len();
            let trivia = Trivia(None);
            out.push(Command {
                kind: CommandKind::MarkerBegin { label },
                uses: Uses::new(),
                span,
                trivia,
            });
            let block = self.block(|p, first| p.command(first, out));
            self.depth -= 1;
            out.push(Command {
                kind: CommandKind::MarkerEnd,
                uses: Uses::new(),
                span,
                trivia: Trivia(None),
            });
            let block = block?;
            self.end_statement("the end of the statement")?;
            let (_, trivia) = self.finish(start, Some(block));
            out[at].trivia = trivia;
            return Ok(());
        }
        let (kind, uses, block) = self.command_kind(word, span)?;
        self.end_statement("the end of the statement")?;
        let (span, trivia) = self.finish(start, block);
        let command = Command {
            kind,
            uses,
            span,
            trivia,
        };
        if let Some(line) = line {
            self.remember(&line, &command);
        }
        out.push(command);
        Ok(())
    }

    /// Counts recorded commands and barrier entries.
    pub(super) fn count_commands(&mut self, more: u64, span: Span) -> Parsed<()> {
        self.commands += more;
        if self.commands <= COMMANDS_MAX {
            return Ok(());
        }
        let message = format!("more than {COMMANDS_MAX} commands and barrier entries");
        Err(self.error(&rules::LIMIT_EXCEEDED, span, message, None))
    }

    fn command_kind(
        &mut self,
        word: &str,
        span: Span,
    ) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        match word {
            "draw" | "draw-indexed" => self.draw(word == "draw-indexed"),
            "dispatch" => self.dispatch(),
            "dispatch-rays" => self.dispatch_rays(),
            "execute-indirect" => self.execute_indirect(),
            "set-root" => self.set_root(),
            "build-as" => {
                let label = self.string()?;
                let (uses, block) = self.uses(UsingCommand::BuildAs)?;
                Ok((CommandKind::BuildAs { label }, uses, block))
            }
            "video-decode" => self.video(QueueType::VideoDecode),
            "video-process" => self.video(QueueType::VideoProcess),
            "video-encode" => self.video(QueueType::VideoEncode),
            "barrier" => {
                let (entries, block) = self.barrier_block()?;
                Ok((CommandKind::Barrier(entries), Uses::new(), Some(block)))
            }
            "legacy" => {
                let (entries, block) = self.legacy_block()?;
                Ok((CommandKind::Legacy(entries), Uses::new(), Some(block)))
            }
            "signal-barrier" | "wait-barrier" => {
                let fence = self.fence()?;
                let value = self.integer("the fence value", u64::MAX)?;
                let (barriers, block) = self.barrier_block()?;
                let signal = word == "signal-barrier";
                Ok((
                    CommandKind::FenceBarrier {
                        signal,
                        fence,
                        value,
                        barriers,
                    },
                    Uses::new(),
                    Some(block),
                ))
            }
            "assert" => self.assertion().map(|kind| (kind, Uses::new(), None)),
            "execute-bundle" => self.execute_bundle().map(|kind| (kind, Uses::new(), None)),
            _ => self
                .implied_command(word, span)
                .map(|(kind, uses)| (kind, uses, None)),
        }
    }

    fn draw(&mut self, indexed: bool) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        const WORDS: [&str; 3] = ["vertices", "pixels", "takes"];
        let label = self.string()?;
        let mut options = DrawOptions::default();
        let mut seen = 0;
        while self.token == Token::Word {
            let (word, span) = self.word("a draw option")?;
            let Some(index) = WORDS.iter().position(|w| *w == word) else {
                return Err(self.unknown_word("draw option", word, span, &WORDS));
            };
            self.once(&mut seen, 1 << index, word, span)?;
            match index {
                0 => options.vertices = Some(self.integer("a number of vertices", WORK_MAX)?),
                1 => options.pixels = Some(self.integer("a number of pixels", WORK_MAX)?),
                _ => options.takes = Some(self.duration()?),
            }
        }
        let (uses, block) = self.uses(UsingCommand::Draw)?;
        Ok((
            CommandKind::Draw {
                label,
                indexed,
                options: options.kept(),
            },
            uses,
            block,
        ))
    }

    fn dispatch(&mut self) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        const WORDS: [&str; 5] = ["threads", "shared", "takes", "group-takes", "kernel"];
        let label = self.string()?;
        let (groups, at) = self.extent("thread groups such as `8x8x1`", 1, 3)?;
        for part in groups {
            self.limited(
                u64::from(part),
                u64::from(GROUPS_MAX),
                "thread groups in one dimension",
                at,
            )?;
        }
        let mut options = DispatchOptions::default();
        let mut seen = 0;
        while self.token == Token::Word {
            let (word, span) = self.word("a dispatch option")?;
            let Some(index) = WORDS.iter().position(|w| *w == word) else {
                return Err(self.unknown_word("dispatch option", word, span, &WORDS));
            };
            // `takes` and `group-takes` exclude each other.
            self.once(&mut seen, [1, 2, 4, 4, 8][index], word, span)?;
            match index {
                0 => options.threads = Some(self.integer("threads of a group", GROUP_THREADS_MAX)?),
                1 => {
                    let shared = self.size("groupshared memory of a group", GROUP_SHARED_MAX)?;
                    options.shared = Some(shared);
                }
                2 => options.takes = Some(Takes::Command(self.duration()?)),
                3 => options.takes = Some(Takes::Group(self.duration()?)),
                _ => options.kernel = Some(self.kernel(span)?),
            }
        }
        let (uses, block) = self.uses(UsingCommand::Dispatch)?;
        Ok((
            CommandKind::Dispatch {
                label,
                groups,
                options: options.kept(),
            },
            uses,
            block,
        ))
    }

    /// After `kernel`: the path of a litmus file.
    fn kernel(&mut self, span: Span) -> Parsed<Box<KernelUse>> {
        let Some(path) = self.string()? else {
            return Err(self.unexpected("the kernel's file, a string such as `\"blur.litmus\"`"));
        };
        if path.is_empty() {
            let help = "name a litmus file: `kernel \"blur.litmus\"`";
            let message = "the kernel's path is empty";
            return Err(self.error(&rules::BAD_VALUE, span, message, help));
        }
        Ok(Box::new(KernelUse::from(String::from(path))))
    }

    fn dispatch_rays(&mut self) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        let label = self.string()?;
        let ([width, height, _], at) = self.extent("rays such as `1920x1080`", 2, 2)?;
        self.limited(u64::from(width) * u64::from(height), RAYS_MAX, "rays", at)?;
        let (uses, block) = self.uses(UsingCommand::Rays)?;
        Ok((
            CommandKind::DispatchRays {
                label,
                size: [width, height],
            },
            uses,
            block,
        ))
    }

    fn execute_indirect(&mut self) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        const WORDS: [&str; 3] = ["draw", "dispatch", "rays"];
        let label = self.string()?;
        let (word, span) = self.word("`draw`, `dispatch` or `rays`")?;
        let target = match word {
            "draw" => IndirectTarget::Draw,
            "dispatch" => IndirectTarget::Dispatch,
            "rays" => IndirectTarget::Rays,
            _ => return Err(self.unknown_word("kind of indirect work", word, span, &WORDS)),
        };
        let (uses, block) = self.uses(UsingCommand::Indirect(target))?;
        Ok((CommandKind::ExecuteIndirect { label, target }, uses, block))
    }

    fn set_root(&mut self) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        let (word, span) = self.word("`graphics` or `compute`")?;
        let compute = match word {
            "graphics" => false,
            "compute" => true,
            _ => return Err(self.unknown_word("bind point", word, span, &["graphics", "compute"])),
        };
        let (uses, block) = self.uses(if compute {
            UsingCommand::RootCompute
        } else {
            UsingCommand::RootGraphics
        })?;
        Ok((CommandKind::SetRoot { compute }, uses, block))
    }

    fn video(&mut self, engine: QueueType) -> Parsed<(CommandKind, Uses, Option<Block>)> {
        let label = self.string()?;
        let (uses, block) = self.uses(UsingCommand::Video(engine))?;
        Ok((CommandKind::Video { engine, label }, uses, block))
    }

    fn assertion(&mut self) -> Parsed<CommandKind> {
        let (word, span) = self.word("`access` or `layout`")?;
        if !matches!(word, "access" | "layout") {
            return Err(self.unknown_word("assertion", word, span, &["access", "layout"]));
        }
        let (resource, range, _) = self.ranged_resource(false)?;
        Ok(if word == "access" {
            CommandKind::AssertAccess {
                resource,
                range,
                access: self.access()?,
            }
        } else {
            CommandKind::AssertLayout {
                resource,
                range,
                layout: self.layout()?,
            }
        })
    }

    fn execute_bundle(&mut self) -> Parsed<CommandKind> {
        let (list, span) = self.list()?;
        let found = self.known().lists[list].queue_type;
        if found != QueueType::Bundle {
            let message = format!("a list of type `{}` cannot run as a bundle", found.word());
            let help = "declare it as `list NAME : bundle { … }`";
            return Err(self.error(&rules::QUEUE_TYPE_MISMATCH, span, message, help));
        }
        Ok(CommandKind::ExecuteBundle { list })
    }

    /// Commands whose uses follow from the command.
    fn implied_command(&mut self, word: &str, span: Span) -> Parsed<(CommandKind, Uses)> {
        use BarrierAccess as A;
        let one = |p: &mut Self, kind, access, leaf: LeafSet| {
            p.offer_resources_for(access);
            let (resource, range, at) = p.ranged_resource(false)?;
            let used = UseFields::of_command(access, resource, range, leaf);
            Ok((kind, Uses::from_iter([p.shared(used, at)])))
        };
        match word {
            "copy" => self.transfer(CommandKind::Copy, A::COPY_SOURCE, A::COPY_DEST, Leaf::Copy),
            "resolve" => self.transfer(
                CommandKind::Resolve,
                A::RESOLVE_SOURCE,
                A::RESOLVE_DEST,
                Leaf::Resolve,
            ),
            "copy-as" => self.transfer(
                CommandKind::CopyAs,
                A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
                A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
                Leaf::CopyAs,
            ),
            "emit-as-postbuild" => self.transfer(
                CommandKind::EmitAs,
                A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
                A::UNORDERED_ACCESS,
                Leaf::EmitAs,
            ),
            "clear-rtv" => one(
                self,
                CommandKind::ClearRtv,
                A::RENDER_TARGET,
                Leaf::RenderTarget.into(),
            ),
            "clear-dsv" => one(
                self,
                CommandKind::ClearDsv,
                A::DEPTH_STENCIL_WRITE,
                Leaf::DepthStencil.into(),
            ),
            "clear-uav" => {
                self.offer_resources_for(A::UNORDERED_ACCESS);
                let (resource, range, at) = self.ranged_resource(false)?;
                let leaf = Leaf::ClearUav.into();
                let mut used = UseFields::of_command(A::UNORDERED_ACCESS, resource, range, leaf);
                used.mode = UseMode::Writes;
                Ok((
                    CommandKind::ClearUav,
                    Uses::from_iter([self.shared(used, at)]),
                ))
            }
            // The write access of the layout at that point of the timeline: not known here.
            "discard" => one(self, CommandKind::Discard, A::NO_ACCESS, LeafSet::EMPTY),
            "predicate" => {
                if self.at_word("off") && !self.known().resources.contains_key("off") {
                    self.bump();
                    return Ok((CommandKind::Predicate, Uses::new()));
                }
                one(
                    self,
                    CommandKind::Predicate,
                    A::INDIRECT_ARGUMENT,
                    Leaf::ExecuteIndirect.into(),
                )
            }
            _ => Err(self.unknown_command(word, span)),
        }
    }

    fn unknown_command(&mut self, word: &str, span: Span) -> Reported {
        self.offer(span, &COMMANDS);
        let help = match (hints::statement(word), close(word, &COMMANDS)) {
            (Some(belongs), _) => belongs.to_owned(),
            (None, near) if near.is_empty() => format!("the commands are {}", COMMANDS.join(", ")),
            (None, near) => {
                let near: Vec<String> = near.iter().map(|word| format!("`{word}`")).collect();
                format!("did you mean {}?", near.join(" or "))
            }
        };
        let message = format!("unknown command `{word}`");
        self.mistake(span, message, help)
    }

    /// `SRC[range] [independent] -> DST[range]`.
    fn transfer(
        &mut self,
        kind: CommandKind,
        reads: BarrierAccess,
        writes: BarrierAccess,
        leaf: Leaf,
    ) -> Parsed<(CommandKind, Uses)> {
        let copies = kind == CommandKind::Copy;
        let (source, range, source_at) = self.ranged_resource(copies)?;
        let mut source = UseFields::of_command(reads, source, range, leaf.into());
        source.independent = copies && self.eat_word("independent");
        self.arrow("`->` and the destination")?;
        let (target, range, target_at) = self.ranged_resource(copies)?;
        self.used = Some(target_at.start);
        let mut target = UseFields::of_command(writes, target, range, leaf.into());
        if writes == BarrierAccess::UNORDERED_ACCESS {
            target.mode = UseMode::Writes;
        }
        let uses = [
            self.shared(source, source_at),
            self.shared(target, target_at),
        ];
        Ok((kind, Uses::from_iter(uses)))
    }

    /// A use, which shares what it is with those that are alike.
    pub(super) fn shared(&mut self, used: UseFields, at: Span) -> Use {
        Use::new(self.caches.uses.of(used), at)
    }
}
