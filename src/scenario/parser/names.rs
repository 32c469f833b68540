//! Names: declaring and finding them, masks of D3D12 names, ranges.

use super::super::geometry::subresource_box;
use super::super::lexer::Token;
use super::super::model::*;
use super::super::rules;
use super::super::suggest::nearest;
use super::numbers::integer;
use super::{NAME_BYTES_MAX, Parsed, Parser};
use crate::api::{BarrierAccess, BarrierSync, Layout, ResourceFlags, ResourceState};
use crate::finding::{Finding, Span};
use crate::id::{FenceId, HeapId, ListId, QueueId, ResourceId};
use std::collections::HashMap;

/// The largest offset that arithmetic on ranges must hold.
const RANGE_BYTES_MAX: u64 = 1 << 62;

/// How one mask's words are read.
struct MaskWords<T> {
    what: &'static str,
    zero: &'static str,
    parse: fn(&str) -> Option<T>,
    names: fn() -> &'static [&'static str],
    bits: fn(&T) -> u32,
    make: fn(u32) -> T,
}

/// Names of resources that were looked up last: a text uses the same few over and over. A declared name keeps its id,
/// so nothing here goes out of date.
pub(super) struct Recent<'s> {
    slots: Box<[(&'s str, ResourceId); RECENT]>,
}

/// Names that are remembered.
const RECENT: usize = 256;

impl Default for Recent<'_> {
    fn default() -> Self {
        Self {
            slots: Box::new([("", ResourceId(0)); RECENT]),
        }
    }
}

impl<'s> Recent<'s> {
    fn slot(name: &str) -> usize {
        let mix = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        let hash = name.as_bytes().iter().fold(0x811c_9dc5, mix);
        (hash ^ hash >> 16) as usize % RECENT
    }

    /// `name` is not empty.
    fn get(&self, name: &str) -> Option<ResourceId> {
        let (known, id) = self.slots[Self::slot(name)];
        (known == name).then_some(id)
    }

    fn put(&mut self, name: &'s str, id: ResourceId) {
        self.slots[Self::slot(name)] = (name, id);
    }
}

impl<'s> Parser<'s> {
    // Declaring.

    /// Takes the name of a declaration and checks its length.
    pub(super) fn new_name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        let (name, span) = self.word(what)?;
        if name.len() > NAME_BYTES_MAX {
            return Err(self.error(
                &rules::LIMIT_EXCEEDED,
                span,
                format!(
                    "a name has {} bytes; the limit is {NAME_BYTES_MAX}",
                    name.len()
                ),
                None,
            ));
        }
        Ok((name, span))
    }

    /// Says that a name is taken.
    pub(super) fn taken(&mut self, name: &str, span: Span, first: Span, what: &str) -> Parsed<()> {
        let finding = Finding::new(
            &rules::DUPLICATE_NAME,
            span,
            format!("`{name}` is already the name of a {what}"),
        )
        .related(first, "declared here first")
        .help("give one of them another name");
        self.report(finding);
        Err(super::Reported)
    }

    // Finding.

    /// The resource of a name at the current token.
    pub(super) fn resource(&mut self) -> Parsed<ResourceId> {
        let (name, span) = self.word("a texture or buffer")?;
        if let Some(id) = self.recent.get(name) {
            return Ok(id);
        }
        match self.out.resources.get_index_of(name) {
            Some(index) => {
                let id = ResourceId::new(index);
                self.recent.put(name, id);
                Ok(id)
            }
            None => Err(self.unknown_name("texture or buffer", name, span)),
        }
    }

    /// A heap's name.
    pub(super) fn heap(&mut self) -> Parsed<HeapId> {
        let (name, span) = self.word("a heap")?;
        match self.out.heaps.get_index_of(name) {
            Some(index) => Ok(HeapId::new(index)),
            None => Err(self.unknown_name("heap", name, span)),
        }
    }

    /// A fence's name.
    pub(super) fn fence(&mut self) -> Parsed<FenceId> {
        let (name, span) = self.word("a fence")?;
        match self.out.fences.get_index_of(name) {
            Some(index) => Ok(FenceId::new(index)),
            None => Err(self.unknown_name("fence", name, span)),
        }
    }

    /// A queue by a word already taken.
    pub(super) fn queue_named(&mut self, name: &str, span: Span) -> Parsed<QueueId> {
        match self.out.queues.get_index_of(name) {
            Some(index) => Ok(QueueId::new(index)),
            None => Err(self.unknown_name("queue", name, span)),
        }
    }

    /// A list's name.
    pub(super) fn list(&mut self) -> Parsed<(ListId, Span)> {
        let (name, span) = self.word("a command list")?;
        match self.lists.get(name) {
            Some(id) => Ok((*id, span)),
            None => Err(self.unknown_name("list", name, span)),
        }
    }

    /// Says that a name is unknown, and what it is instead, where it comes later, or what may be meant.
    pub(super) fn unknown_name(&mut self, what: &str, name: &str, span: Span) -> super::Reported {
        if self.broken.contains(name) {
            return super::Reported;
        }
        let mut finding = Finding::new(
            &rules::UNKNOWN_NAME,
            span,
            format!("no {what} is called `{name}`"),
        );
        if let Some((kind, at)) = self.other_kind(name) {
            finding.message = format!("`{name}` is a {kind}, not a {what}");
            finding = finding.related(at, "declared here");
        } else if let Some((kind, at)) = self.declared_later(name) {
            finding.message = format!("`{name}` is used before its declaration");
            let place = Span {
                start: at,
                end: at + name.len() as u32,
            };
            finding = finding
                .related(place, format!("the {kind} is declared here"))
                .help(format!("move the declaration of `{name}` above this line"));
        } else if let Some(near) = self.near_name(what, name) {
            finding = finding.help(format!("did you mean `{near}`?"));
        } else {
            finding = finding.help(format!("declare the {what} above its first use"));
        }
        self.report(finding);
        super::Reported
    }

    fn near_name(&self, what: &str, name: &str) -> Option<String> {
        match what {
            "heap" => nearest(name, self.out.heaps.keys().map(String::as_str)),
            "fence" => nearest(name, self.out.fences.keys().map(String::as_str)),
            "queue" => nearest(name, self.out.queues.keys().map(String::as_str)),
            "list" => nearest(
                name,
                self.out.lists.iter().filter_map(|l| l.name.as_deref()),
            ),
            _ => nearest(name, self.out.resources.keys().map(String::as_str)),
        }
        .map(str::to_owned)
    }

    fn other_kind(&self, name: &str) -> Option<(&'static str, Span)> {
        let out = &self.out;
        if let Some(r) = out.resources.get(name) {
            return Some((if r.is_buffer() { "buffer" } else { "texture" }, r.span));
        }
        if let Some(heap) = out.heaps.get(name) {
            return Some(("heap", heap.span));
        }
        if let Some(queue) = out.queues.get(name) {
            return Some(("queue", queue.span));
        }
        if let Some(fence) = out.fences.get(name) {
            return Some(("fence", fence.span));
        }
        self.lists
            .get(name)
            .map(|id| ("list", out.lists[id.index()].span))
    }

    /// Looks through the whole text for declarations, once, for the sake of a message.
    fn declared_later(&mut self, name: &str) -> Option<(&'s str, u32)> {
        if self.later.is_none() {
            let mut map = HashMap::new();
            for line in self.text.lines() {
                let mut words = line.split_ascii_whitespace();
                let (Some(kind), Some(rest)) = (words.next(), words.next()) else {
                    continue;
                };
                if !["texture", "buffer", "heap", "fence", "queue", "list"].contains(&kind) {
                    continue;
                }
                let declared = rest.trim_end_matches([':', '{', '=']);
                let at = declared.as_ptr() as usize - self.text.as_ptr() as usize;
                map.entry(declared).or_insert((kind, at as u32));
            }
            self.later = Some(map);
        }
        let (kind, at) = *self.later.as_ref()?.get(name)?;
        // An indented `texture t` is a barrier entry, not a declaration.
        (at > self.span.start).then_some((kind, at))
    }

    // Masks.

    fn mask<T>(&mut self, words: &MaskWords<T>) -> Parsed<T> {
        let start = self.span;
        let (mut bits, mut terms, mut zero) = (0_u32, 0_u32, false);
        loop {
            let span = self.span;
            let value = match self.token {
                Token::Word => match (words.parse)(self.slice()) {
                    Some(value) => (words.bits)(&value),
                    None => {
                        let (word, names) = (self.slice(), (words.names)());
                        return Err(self.unknown_word(words.what, word, span, names));
                    }
                },
                Token::Number => match integer(self.slice()).and_then(|v| u32::try_from(v).ok()) {
                    Some(value) => value,
                    None => {
                        let message = format!(
                            "{} is no number of 32 bits",
                            self.token.describe(self.slice())
                        );
                        return Err(self.error(&rules::BAD_VALUE, span, message, None));
                    }
                },
                _ => {
                    let what = format!("a {}", words.what);
                    return Err(self.unexpected(&what));
                }
            };
            bits |= value;
            zero |= value == 0;
            terms += 1;
            self.bump();
            if !self.eat(Token::Pipe) {
                break;
            }
            self.skip_newline();
        }
        if zero && terms > 1 {
            let span = Span {
                start: start.start,
                end: self.last_end,
            };
            return Err(self.error(
                &rules::VANISHING_BIT,
                span,
                format!(
                    "`{}` is zero: joined with other names the bit would vanish",
                    words.zero
                ),
                Some(format!("write `{}` alone, or leave it out", words.zero)),
            ));
        }
        Ok((words.make)(bits))
    }

    /// A mask of `BarrierSync`.
    pub(super) fn sync(&mut self) -> Parsed<BarrierSync> {
        self.mask(&MaskWords {
            what: "synchronization scope",
            zero: "NONE",
            parse: BarrierSync::parse_one,
            names: BarrierSync::names,
            bits: |v| v.bits(),
            make: BarrierSync::from_bits_retain,
        })
    }

    /// A mask of `BarrierAccess`.
    pub(super) fn access(&mut self) -> Parsed<BarrierAccess> {
        self.mask(&MaskWords {
            what: "access",
            zero: "COMMON",
            parse: BarrierAccess::parse_one,
            names: BarrierAccess::names,
            bits: |v| v.bits(),
            make: BarrierAccess::from_bits_retain,
        })
    }

    /// A mask of legacy states.
    pub(super) fn state(&mut self) -> Parsed<ResourceState> {
        self.mask(&MaskWords {
            what: "resource state",
            zero: "COMMON",
            parse: ResourceState::parse_one,
            names: ResourceState::names,
            bits: |v| v.bits(),
            make: ResourceState::from_bits_retain,
        })
    }

    /// A mask of resource flags.
    pub(super) fn flags(&mut self) -> Parsed<ResourceFlags> {
        self.mask(&MaskWords {
            what: "resource flag",
            zero: "NONE",
            parse: ResourceFlags::parse_one,
            names: ResourceFlags::names,
            bits: |v| v.bits(),
            make: ResourceFlags::from_bits_retain,
        })
    }

    /// A layout by name or number.
    pub(super) fn layout(&mut self) -> Parsed<Layout> {
        let span = self.span;
        match self.token {
            Token::Word => {
                let word = self.slice();
                let Some(layout) = Layout::parse(word) else {
                    return Err(self.unknown_word("layout", word, span, Layout::names()));
                };
                self.bump();
                Ok(layout)
            }
            Token::Number => Ok(Layout::from_value(self.integer32("a layout")?)),
            _ => Err(self.unexpected("a layout")),
        }
    }

    // Ranges.

    /// `[…]` after a resource's name, if there is one. `[]` is everything, as if it were absent.
    pub(super) fn range(&mut self) -> Parsed<Range> {
        if self.token != Token::OpenBracket {
            return Ok(Range::All);
        }
        self.bump();
        self.skip_newline();
        let range = match self.token {
            Token::CloseBracket => Range::All,
            Token::Number => self.byte_range()?,
            _ if self.at_word("subresource") => {
                self.bump();
                Range::Subresource(self.integer32("a subresource index")?)
            }
            _ => self.subresource_range()?,
        };
        self.skip_newline();
        self.expect(Token::CloseBracket, "`]`")?;
        Ok(range)
    }

    fn byte_range(&mut self) -> Parsed<Range> {
        let at = self.span;
        let start = self.size("a byte offset", RANGE_BYTES_MAX)?;
        if self.token != Token::DotDot {
            return Err(self.unexpected("`..` and the end of the byte range"));
        }
        self.bump();
        let end = self.size("a byte offset", RANGE_BYTES_MAX)?;
        self.not_empty(start, end, at)?;
        Ok(Range::Bytes { start, end })
    }

    fn not_empty(&mut self, start: u64, end: u64, at: Span) -> Parsed<()> {
        if start < end {
            return Ok(());
        }
        let span = Span {
            start: at.start,
            end: self.last_end,
        };
        Err(self.error(
            &rules::BAD_VALUE,
            span,
            format!("the range {start}..{end} is empty"),
            Some("`a..b` begins at a and excludes b".to_owned()),
        ))
    }

    fn subresource_range(&mut self) -> Parsed<Range> {
        const WORDS: [&str; 5] = ["mip", "layer", "plane", "rect", "subresource"];
        let mut parts = SubresourceRange::default();
        let mut seen = 0;
        loop {
            let (word, span) =
                self.word("`mip`, `layer`, `plane`, `rect`, `subresource` or bytes `a..b`")?;
            let Some(index) = WORDS.iter().position(|w| *w == word).filter(|i| *i < 4) else {
                return Err(self.unknown_word("part of a range", word, span, &WORDS));
            };
            self.once(&mut seen, 1 << index, word, span)?;
            match index {
                0 => parts.mips = Some(self.span_of_indices()?),
                1 => parts.layers = Some(self.span_of_indices()?),
                2 => parts.planes = Some(self.span_of_indices()?),
                _ => parts.rect = Some(self.rect()?),
            }
            self.skip_newline();
            if !self.eat(Token::Comma) {
                return Ok(Range::Subresources(Box::new(parts)));
            }
            self.skip_newline();
        }
    }

    /// `1` or `1..3`.
    fn span_of_indices(&mut self) -> Parsed<(u32, u32)> {
        const INDEX_MAX: u64 = u32::MAX as u64 - 1;
        let at = self.span;
        let start = self.integer("an index", INDEX_MAX)? as u32;
        if !self.eat(Token::DotDot) {
            return Ok((start, start + 1));
        }
        let end = self.integer("an index", INDEX_MAX)? as u32;
        self.not_empty(u64::from(start), u64::from(end), at)?;
        Ok((start, end))
    }

    fn rect(&mut self) -> Parsed<Rect> {
        let x = self.integer32("the left texel")?;
        self.expect(Token::Comma, "`,` between the rectangle's x and y")?;
        self.skip_newline();
        let y = self.integer32("the top texel")?;
        let ([width, height, _], _) = self.extent("an extent such as `64x64`", 2, 2)?;
        Ok(Rect {
            x,
            y,
            width,
            height,
        })
    }

    /// A resource with a range that must fit it. `region`: a `rect` is allowed.
    pub(super) fn ranged_resource(&mut self, region: bool) -> Parsed<(ResourceId, Range, Span)> {
        let start = self.span;
        let resource = self.resource()?;
        let range = self.range()?;
        let span = Span {
            start: start.start,
            end: self.last_end,
        };
        if range == Range::All {
            return Ok((resource, range, span));
        }
        self.range_kind(resource, &range, region, span)?;
        self.in_bounds(resource, &range, span)?;
        Ok((resource, range, span))
    }

    /// A range of the kind that the resource has; whether it fits is another question.
    pub(super) fn range_kind(
        &mut self,
        id: ResourceId,
        range: &Range,
        region: bool,
        span: Span,
    ) -> Parsed<()> {
        let buffer = self.out.resource(id).is_buffer();
        let (message, help) = match range {
            Range::All => return Ok(()),
            Range::Bytes { .. } if !buffer => (
                "is a texture and has no byte range",
                "write `[mip 0, layer 0]`",
            ),
            Range::Subresource(_) | Range::Subresources(_) if buffer => (
                "is a buffer and has no subresources",
                "write bytes: `[0..256]`",
            ),
            Range::Subresources(parts) if parts.rect.is_some() && !region => (
                "is not copied here: `rect` belongs to the texture side of a `copy`",
                "leave `rect` out",
            ),
            _ => return Ok(()),
        };
        let name = self.out.resource_name(id).to_owned();
        let finding = Finding::new(&rules::WRONG_RESOURCE, span, format!("`{name}` {message}"))
            .help(help)
            .resource(name);
        self.report(finding);
        Err(super::Reported)
    }

    /// A use's range must fit its resource. Language: "Out of bounds in a use is SC, in a barrier EB".
    pub(super) fn in_bounds(&mut self, id: ResourceId, range: &Range, span: Span) -> Parsed<()> {
        let (what, given, limit) = match (&self.out.resource(id).kind, range) {
            (_, Range::All) => return Ok(()),
            (ResourceKind::Buffer { size }, Range::Bytes { end, .. }) if end > size => {
                ("byte", end - 1, *size)
            }
            (ResourceKind::Texture(shape), range) => match subresource_box(shape, range) {
                Ok(_) => return Ok(()),
                Err(out) => (out.what, out.given, out.limit),
            },
            _ => return Ok(()),
        };
        let name = self.out.resource_name(id).to_owned();
        let message = if what == "rect" {
            format!(
                "the rectangle reaches to texel {given} of `{name}`, whose mip is {limit} wide or high there"
            )
        } else {
            format!("{what} {given} is out of bounds: `{name}` has {limit}")
        };
        let mut finding = Finding::new(&rules::OUT_OF_BOUNDS, span, message).resource(name);
        if what != "rect" && limit > 0 {
            finding = finding.help(format!("the last {what} is {}", limit - 1));
        }
        self.report(finding);
        Err(super::Reported)
    }
}
