//! Uses of a command: which accesses a command may have, at which stages, and the block that lists them.
//! Language: "Uses".

use super::trivia::Block;
use super::{Parsed, Parser};
use crate::api::{BarrierAccess, Leaf, LeafSet, QueueType};
use crate::scenario::lexer::Token;
use crate::scenario::model::{IndirectTarget, Use, UseFields, UseMode, Uses};
use crate::scenario::rules;
use smallvec::SmallVec;

/// The command that a block of uses belongs to: decides which accesses it may have, and at which stages.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub(super) enum UsingCommand {
    Draw,
    Dispatch,
    Rays,
    Indirect(IndirectTarget),
    RootGraphics,
    RootCompute,
    BuildAs,
    Video(QueueType),
}

impl UsingCommand {
    /// Stages at which the access may happen; empty if the command cannot have it.
    fn stages(self, access: BarrierAccess) -> LeafSet {
        const SHADER: BarrierAccess = BarrierAccess::SHADER_RESOURCE
            .union(BarrierAccess::UNORDERED_ACCESS)
            .union(BarrierAccess::CONSTANT_BUFFER)
            .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ);
        let shader = SHADER.contains(access);
        match self {
            Self::Draw if shader => LeafSet::DRAW_SHADING,
            Self::Draw => match access {
                BarrierAccess::VERTEX_BUFFER | BarrierAccess::STREAM_OUTPUT => {
                    Leaf::VertexShading.into()
                }
                BarrierAccess::INDEX_BUFFER => Leaf::IndexInput.into(),
                BarrierAccess::RENDER_TARGET => Leaf::RenderTarget.into(),
                BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE => {
                    Leaf::DepthStencil.into()
                }
                BarrierAccess::SHADING_RATE_SOURCE => Leaf::PixelShading.into(),
                _ => LeafSet::EMPTY,
            },
            Self::Dispatch | Self::RootCompute if shader => Leaf::ComputeShading.into(),
            Self::Rays if shader => Leaf::Raytracing.into(),
            Self::RootGraphics if shader => LeafSet::DRAW,
            Self::Indirect(_) if access == BarrierAccess::INDIRECT_ARGUMENT => {
                Leaf::ExecuteIndirect.into()
            }
            Self::Indirect(IndirectTarget::Draw) => Self::Draw.stages(access),
            Self::Indirect(IndirectTarget::Dispatch) => Self::Dispatch.stages(access),
            Self::Indirect(IndirectTarget::Rays) => Self::Rays.stages(access),
            Self::BuildAs => match access {
                BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
                | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE
                | BarrierAccess::SHADER_RESOURCE
                | BarrierAccess::UNORDERED_ACCESS => Leaf::BuildAs.into(),
                _ => LeafSet::EMPTY,
            },
            Self::Video(engine) => {
                let (reads, writes) = match engine {
                    QueueType::VideoDecode => (
                        BarrierAccess::VIDEO_DECODE_READ,
                        BarrierAccess::VIDEO_DECODE_WRITE,
                    ),
                    QueueType::VideoProcess => (
                        BarrierAccess::VIDEO_PROCESS_READ,
                        BarrierAccess::VIDEO_PROCESS_WRITE,
                    ),
                    _ => (
                        BarrierAccess::VIDEO_ENCODE_READ,
                        BarrierAccess::VIDEO_ENCODE_WRITE,
                    ),
                };
                if access == reads || access == writes {
                    engine.leaves()
                } else {
                    LeafSet::EMPTY
                }
            }
            Self::Dispatch | Self::RootCompute | Self::Rays | Self::RootGraphics => LeafSet::EMPTY,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Draw => "draw",
            Self::Dispatch => "dispatch",
            Self::Rays => "dispatch-rays",
            Self::Indirect(_) => "execute-indirect",
            Self::RootGraphics => "set-root graphics",
            Self::RootCompute => "set-root compute",
            Self::BuildAs => "build-as",
            Self::Video(QueueType::VideoDecode) => "video-decode",
            Self::Video(QueueType::VideoProcess) => "video-process",
            Self::Video(_) => "video-encode",
        }
    }
}

impl Parser<'_, '_> {
    /// `{ ACCESS resource …; … }`, which may be absent.
    pub(super) fn uses(&mut self, context: UsingCommand) -> Parsed<(Uses, Option<Block>)> {
        if !self.block_opens() {
            return Ok((Uses::new(), None));
        }
        let text = self.block_on_line();
        if let Some(uses) = text.and_then(|text| self.recall_uses(text, context)) {
            return Ok((uses, Some(Block::default())));
        }
        let mut uses: SmallVec<[Use; 8]> = SmallVec::new();
        let block = self.block(|p, first| {
            let start = p.begin(first);
            let mut usage = p.usage(context)?;
            p.end_statement(
                "`@ STAGE`, `reads`, `writes`, `atomics`, `independent`, `may` or the end of the use",
            )?;
            let span;
            (span, usage.trivia) = p.finish(start, None);
            uses.push(p.shared(usage, span));
            Ok(())
        })?;
        let uses = exact(uses);
        if let Some(text) = text {
            self.remember_uses(text, context, &uses);
        }
        Ok((uses, Some(block)))
    }

    fn usage(&mut self, context: UsingCommand) -> Parsed<UseFields> {
        let span = self.span;
        self.offer_accesses(|access| {
            access.bits().is_power_of_two() && !context.stages(access).is_empty()
        });
        let access = self.access()?;
        let allowed = context.stages(access);
        if access.bits().count_ones() != 1 || allowed.is_empty() {
            let message = format!("a {} cannot use a resource as {access}", context.word());
            let help = if access.bits().count_ones() > 1 {
                Some("write one use for each access".to_owned())
            } else {
                None
            };
            return Err(self.error(&rules::WRONG_STAGE, span, message, help));
        }
        self.offer_resources_for(access);
        let (resource, range, _) = self.ranged_resource(false)?;
        let mut usage = UseFields::of_command(access, resource, range, allowed);
        usage.implied = false;
        let mut seen = 0;
        while !self.at_end() {
            self.use_word(&mut usage, allowed, &mut seen)?;
        }
        if usage.independent && !usage.reads() {
            let message = "`independent` marks a read, and this use only writes";
            return Err(self.error(&rules::WRONG_STAGE, span, message, None));
        }
        Ok(usage)
    }

    fn use_word(&mut self, usage: &mut UseFields, allowed: LeafSet, seen: &mut u32) -> Parsed<()> {
        const WORDS: [&str; 5] = ["reads", "writes", "atomics", "independent", "may"];
        let span = self.span;
        if self.eat(Token::At) {
            self.once(seen, 1, "@", span)?;
            let at = self.span;
            let stages = self.stages_of(allowed)?;
            if stages.is_empty() || !allowed.contains(stages) {
                let message = format!("{} does not happen at this stage", usage.access);
                let help = format!("in this command the access happens at {allowed}");
                return Err(self.error(&rules::WRONG_STAGE, at, message, help));
            }
            usage.stages = stages;
            usage.explicit_stages = true;
            return Ok(());
        }
        self.offer_use_words(usage.access);
        let (word, span) = self.word(
            "`@ STAGE`, `reads`, `writes`, `atomics`, `independent`, `may` or the end of the use",
        )?;
        if word == "independent" {
            self.once(seen, 2, word, span)?;
            usage.independent = true;
            return Ok(());
        }
        if word == "may" {
            self.once(seen, 8, word, span)?;
            usage.may = true;
            return Ok(());
        }
        self.once(seen, 4, word, span)?;
        let unordered = usage.access == BarrierAccess::UNORDERED_ACCESS;
        usage.mode = match word {
            "reads" => UseMode::Reads,
            "writes" => UseMode::Writes,
            "atomics" => UseMode::Atomics,
            _ => return Err(self.unknown_word("word in a use", word, span, &WORDS)),
        };
        let fits = match usage.mode {
            UseMode::Reads => !usage.access.writes(),
            UseMode::Writes => usage.access.writes(),
            UseMode::Atomics | UseMode::Default => false,
        };
        if !unordered && !fits {
            let message = format!("`{word}` does not apply to {}", usage.access);
            let help = "`reads`, `writes` and `atomics` say what UNORDERED_ACCESS does";
            return Err(self.error(&rules::WRONG_STAGE, span, message, help));
        }
        Ok(())
    }
}

/// The same in no more room than it needs: many commands have a few uses or entries each.
pub(super) fn exact<T>(few: SmallVec<[T; 8]>) -> SmallVec<[T; 1]> {
    let mut exact = SmallVec::with_capacity(few.len());
    exact.extend(few);
    exact
}
