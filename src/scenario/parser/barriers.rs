//! Entries of `barrier { }` and `legacy { }`. Language: "Enhanced barriers", "Legacy barriers".

use super::super::lexer::Token;
use super::super::model::{
    Barrier, BarrierFields, BarrierRange, BarrierTarget, Entries, LegacyBarrier, LegacyKind,
    LegacySplit, LegacyTransition, Range, TextureBarrier,
};
use super::super::rules;
use super::trivia::Block;
use super::uses::exact;
use super::{Parsed, Parser};
use crate::api::{BarrierAccess, BarrierSync, BarrierType, Layout};
use crate::finding::Span;
use crate::id::ResourceId;
use smallvec::SmallVec;

/// Options of a barrier entry, as far as they are given.
#[derive(Copy, Clone, Default)]
pub(super) struct Fields {
    seen: u32,
    sync: Option<(BarrierSync, BarrierSync)>,
    access: Option<(BarrierAccess, BarrierAccess)>,
    layout: Option<(Layout, Layout)>,
    discard: bool,
    offset: Option<u64>,
    size: Option<u64>,
    raw: Option<[u32; 6]>,
    flags: u32,
}

pub(super) const WORDS: [&str; 10] = [
    "sync",
    "access",
    "layout",
    "discard",
    "range",
    "offset",
    "size",
    "atomic-copy",
    "acquire",
    "release",
];

impl Parser<'_, '_> {
    /// `{ entry; … }` of one `Barrier()` call.
    pub(super) fn barrier_block(&mut self) -> Parsed<(Entries, Block)> {
        let mut entries: SmallVec<[Barrier; 8]> = SmallVec::new();
        let block = self.block(|p, first| {
            let start = p.begin(first);
            let (mut entry, inner) = p.barrier()?;
            p.end_statement("the end of the entry")?;
            let span;
            (span, entry.trivia) = p.finish(start, Some(inner));
            entries.push(Barrier::new(p.caches.entries.of(entry), span));
            Ok(())
        })?;
        Ok((exact(entries), block))
    }

    fn barrier(&mut self) -> Parsed<(BarrierFields, Block)> {
        const KINDS: [&str; 4] = ["texture", "buffer", "global", "ranged"];
        let (word, span) = self.word("`texture`, `buffer`, `global` or `ranged`")?;
        self.count_commands(1, span)?;
        let Some(kind) = KINDS.iter().position(|k| *k == word) else {
            return Err(self.unknown_word("barrier kind", word, span, &KINDS));
        };
        if kind != 2 && self.block_opens() {
            return self.empty_group(
                [
                    BarrierType::Texture,
                    BarrierType::Buffer,
                    BarrierType::Global,
                    BarrierType::Ranged,
                ][kind],
            );
        }
        let (mut resource, mut range) = (None, Range::All);
        if kind != 2 {
            if kind < 2 {
                self.offer_resources(|known, id| known.resource(id).is_buffer() == (kind == 1));
            }
            (resource, range) = match self.barrier_resource() {
                // Which words may follow depends on no resource.
                Err(_) if self.offered.is_some() => (None, Range::All),
                read => read?,
            };
        }
        let text = self.block_on_line();
        let known = text.and_then(|text| self.recall_fields(text, kind));
        let mut fields = known.unwrap_or_default();
        if known.is_none() {
            self.options(|p| p.barrier_field(&mut fields, kind))?;
            if let Some(text) = text {
                self.remember_fields(text, kind, fields);
            }
        }
        let inner = self.option_block();
        let barrier = self.made(kind, resource, range, &fields, span)?;
        Ok((barrier, inner))
    }

    /// `texture { }`: a group of zero barriers.
    fn empty_group(&mut self, kind: BarrierType) -> Parsed<(BarrierFields, Block)> {
        self.options(|p| {
            Err(p.unexpected("`}`, because a group without a resource has no barriers"))
        })?;
        let inner = self.option_block();
        Ok((BarrierFields::of(BarrierTarget::EmptyGroup(kind)), inner))
    }

    /// A resource, or `null`, with its range. A rule reports a range out of bounds; a range of the wrong kind is a mistake here.
    fn barrier_resource(&mut self) -> Parsed<(Option<ResourceId>, Range)> {
        if self.at_word("null") && !self.known().resources.contains_key("null") {
            self.bump();
            return Ok((None, Range::All));
        }
        let start = self.span;
        let resource = self.resource()?;
        let range = self.range()?;
        let span = self.since(start);
        self.range_kind(resource, &range, false, span)?;
        Ok((Some(resource), range))
    }

    fn barrier_field(&mut self, fields: &mut Fields, kind: usize) -> Parsed<()> {
        // What each kind takes: texture, buffer, global, ranged.
        const TAKES: [u32; 4] = [
            0b00_0001_1111,
            0b00_0110_0011,
            0b00_0000_0011,
            0b11_1000_0000,
        ];
        let (word, span) = self.word("an option of the barrier")?;
        let index = WORDS
            .iter()
            .position(|w| *w == word)
            .filter(|i| TAKES[kind] & (1 << i) != 0);
        let Some(index) = index else {
            let takes: Vec<&str> = (0..WORDS.len())
                .filter(|i| TAKES[kind] & (1 << i) != 0)
                .map(|i| WORDS[i])
                .collect();
            return Err(match (word, kind) {
                ("layout", 1) => self.no_layout("a buffer", word, span),
                ("layout", 2) => self.no_layout("a global barrier", word, span),
                _ => self.unknown_word("option of this barrier", word, span, &takes),
            });
        };
        self.once(&mut fields.seen, 1 << index, word, span)?;
        match index {
            0 => {
                let [first, second] = sides(fields.access);
                self.offer_scopes(first);
                let before = self.sync()?;
                self.arrow("`->` and SyncAfter")?;
                self.offer_scopes(second);
                fields.sync = Some((before, self.sync()?));
            }
            1 => {
                let [first, second] = sides(fields.sync);
                self.offer_accesses_at(first);
                let before = self.access()?;
                self.arrow("`->` and AccessAfter")?;
                self.offer_accesses_at(second);
                fields.access = Some((before, self.access()?));
            }
            2 => {
                let before = self.layout()?;
                self.arrow("`->` and LayoutAfter")?;
                fields.layout = Some((before, self.layout()?));
            }
            3 => fields.discard = true,
            4 => {
                let mut raw = [0; 6];
                for slot in &mut raw {
                    *slot = self.integer32("a field of D3D12_BARRIER_SUBRESOURCE_RANGE")?;
                }
                fields.raw = Some(raw);
            }
            5 => fields.offset = Some(self.size("an offset", u64::MAX)?),
            6 => {
                fields.size = Some(if self.eat_word("all") {
                    u64::MAX
                } else {
                    self.size("a size", u64::MAX)?
                });
            }
            flag => fields.flags |= 1 << (flag - 7),
        }
        Ok(())
    }

    fn made(
        &mut self,
        kind: usize,
        resource: Option<ResourceId>,
        range: Range,
        fields: &Fields,
        span: Span,
    ) -> Parsed<BarrierFields> {
        if fields.raw.is_some() && range != Range::All {
            let message = "the range is given twice: in brackets and as `range`";
            return Err(self.error(&rules::DUPLICATE_OPTION, span, message, "keep one of them"));
        }
        let (layout_before, layout_after) = fields
            .layout
            .unwrap_or((Layout::Undefined, Layout::Undefined));
        let mut barrier = BarrierFields::of(match kind {
            0 => BarrierTarget::Texture(TextureBarrier {
                resource,
                range: fields
                    .raw
                    .map_or(BarrierRange::Range(range), BarrierRange::Raw),
                layout_before,
                layout_after,
                discard: fields.discard,
            }),
            1 => {
                // A buffer barrier has no range of its own but Offset and Size.
                let (offset, size) = match range {
                    Range::Bytes { start, end } => (Some(start), Some(end - start)),
                    _ => (fields.offset, fields.size),
                };
                BarrierTarget::Buffer {
                    resource,
                    offset,
                    size,
                }
            }
            2 => BarrierTarget::Global,
            _ => BarrierTarget::Ranged {
                resource,
                range,
                flags: fields.flags,
            },
        });
        if let Some((before, after)) = fields.sync {
            (barrier.sync_before, barrier.sync_after) = (before, after);
        }
        if let Some((before, after)) = fields.access {
            (barrier.access_before, barrier.access_after) = (before, after);
        }
        Ok(barrier)
    }

    /// `{ entry; … }` of one `ResourceBarrier()` call.
    pub(super) fn legacy_block(&mut self) -> Parsed<(Vec<LegacyBarrier>, Block)> {
        let mut entries = Vec::new();
        let block = self.block(|p, first| {
            let start = p.begin(first);
            let kind = p.legacy()?;
            p.end_statement("the end of the entry")?;
            let (span, trivia) = p.finish(start, None);
            entries.push(LegacyBarrier { kind, span, trivia });
            Ok(())
        })?;
        entries.shrink_to_fit();
        Ok((entries, block))
    }

    fn legacy(&mut self) -> Parsed<LegacyKind> {
        let (word, span) = self.word("`transition`, `uav` or `alias`")?;
        self.count_commands(1, span)?;
        match word {
            "transition" => {
                let start = self.span;
                let resource = self.resource()?;
                let range = self.range()?;
                let at = self.since(start);
                self.range_kind(resource, &range, false, at)?;
                let before = self.state()?;
                self.arrow("`->` and StateAfter")?;
                let after = self.state()?;
                let split = if self.eat_word("begin") {
                    Some(LegacySplit::Begin)
                } else if self.eat_word("end") {
                    Some(LegacySplit::End)
                } else {
                    None
                };
                Ok(LegacyKind::Transition(LegacyTransition {
                    resource,
                    range,
                    before,
                    after,
                    split,
                }))
            }
            "uav" => Ok(LegacyKind::Uav(self.resource_or_star()?)),
            "alias" => {
                let before = self.resource_or_star()?;
                self.arrow("`->` and the resource after")?;
                Ok(LegacyKind::Alias(before, self.resource_or_star()?))
            }
            _ => Err(self.unknown_word(
                "legacy barrier",
                word,
                span,
                &["transition", "uav", "alias"],
            )),
        }
    }

    fn resource_or_star(&mut self) -> Parsed<Option<ResourceId>> {
        if self.eat(Token::Star) {
            Ok(None)
        } else {
            self.resource().map(Some)
        }
    }
}

/// The two sides of a field, as far as it is read.
fn sides<T: Copy>(field: Option<(T, T)>) -> [Option<T>; 2] {
    [
        field.map(|(before, _)| before),
        field.map(|(_, after)| after),
    ]
}
