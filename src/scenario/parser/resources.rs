//! Heaps, textures and buffers.

use super::trivia::Start;
use super::{
    HEAPS_MAX, NESTED_MAX, Parsed, Parser, RESOURCES_MAX, Reported, SIZE_BYTES_MAX,
    TEXTURE_DIMENSION_MAX, TEXTURE_LAYERS_MAX, TEXTURE_SAMPLES,
};
use crate::api::{HeapType, ResourceFlags, ResourceState, format::Format};
use crate::finding::Span;
use crate::scenario::lexer::Token;
use crate::scenario::model::{
    Declaration, Heap, Initial, Placement, Resource, ResourceKind, TextureShape,
};
use crate::scenario::rules;
use crate::scenario::{geometry, hints};
use std::collections::BTreeSet;

impl<'s> Parser<'s, '_> {
    /// Declares a heap or resource name, which share a namespace.
    fn memory_name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        let (name, span) = self.new_name(what)?;
        if let Some(first) = self.out.heaps.get(name).map(|h| h.span) {
            self.taken(name, span, first, "heap")?;
        }
        if let Some(r) = self.out.resources.get(name) {
            let (first, kind) = (r.span, if r.is_buffer() { "buffer" } else { "texture" });
            self.taken(name, span, first, kind)?;
        }
        let is_heap = what == "the heap's name";
        self.note(if is_heap { "heap" } else { "resource" }, span, true);
        Ok((name, span))
    }

    pub(super) fn declare_heap(&mut self, start: Start) -> Parsed<()> {
        let (name, at) = self.memory_name("the heap's name")?;
        self.room(self.out.heaps.len(), HEAPS_MAX, "heaps", at)?;
        let (size, heap_type) = self.declared(name, |p| {
            p.expect(Token::Colon, "`:` and the heap's size")?;
            let size = p.positive_size("the heap's size")?;
            let (mut heap_type, mut seen) = (HeapType::Default, 0);
            if p.block_opens() {
                p.options(|p| {
                    let (word, span) = p.word("`type`")?;
                    if word != "type" {
                        return Err(p.unknown_word("heap option", word, span, &["type"]));
                    }
                    p.once(&mut seen, 1, word, span)?;
                    heap_type = p.heap_type()?;
                    Ok(())
                })?;
            }
            p.end_statement("`{` or the end of the statement")?;
            Ok((size, heap_type))
        })?;
        let block = self.option_block();
        let (span, trivia) = self.finish(start, Some(block));
        let id = self.out.heaps.push(
            name.to_owned(),
            Heap {
                size,
                heap_type,
                span,
                trivia,
            },
        );
        self.out.order.push(Declaration::Heap(id));
        Ok(())
    }

    pub(super) fn positive_size(&mut self, what: &str) -> Parsed<u64> {
        let span = self.span;
        let size = self.size(what, SIZE_BYTES_MAX)?;
        if size == 0 {
            return Err(self.error(&rules::BAD_VALUE, span, format!("{what} is zero"), None));
        }
        Ok(size)
    }

    fn heap_type(&mut self) -> Parsed<HeapType> {
        let (word, span) = self.word("a heap type")?;
        match HeapType::parse(word) {
            Some(heap_type) => Ok(heap_type),
            None => {
                Err(self.unknown_word("heap type", word, span, &["default", "upload", "readback"]))
            }
        }
    }

    fn resource_name(&mut self, what: &str) -> Parsed<(&'s str, Span)> {
        let (name, at) = self.memory_name(what)?;
        let count = self.out.resources.len();
        self.room(count, RESOURCES_MAX, "textures and buffers", at)?;
        Ok((name, at))
    }

    pub(super) fn declare_texture(&mut self, start: Start) -> Parsed<()> {
        let (name, at) = self.resource_name("the texture's name")?;
        let resource = self.declared(name, |p| {
            p.expect(Token::Colon, "`:` and the texture's format")?;
            let (word, span) = p.word("a format")?;
            let Some(format) = Format::from_name(word) else {
                return Err(match hints::format(word) {
                    Some(meant) => {
                        let help = format!("did you mean `{meant}`? Formats are DXGI names");
                        let message = format!("unknown format `{word}`");
                        p.mistake(span, message, help)
                    }
                    None => p.unknown_word("format", word, span, Format::names()),
                });
            };
            let ([width, height, depth], extent_at) =
                p.extent("an extent such as `1920x1080`", 2, 3)?;
            for size in [width, height] {
                p.limited(
                    u64::from(size),
                    u64::from(TEXTURE_DIMENSION_MAX),
                    "a texture's width or height",
                    extent_at,
                )?;
            }
            p.limited(
                u64::from(depth),
                u64::from(TEXTURE_LAYERS_MAX),
                "a texture's depth",
                extent_at,
            )?;
            let shape = TextureShape {
                format,
                width,
                height,
                depth,
                mips: 1,
                layers: 1,
                samples: 1,
            };
            let mut resource = Resource::new(ResourceKind::Texture(shape));
            if p.block_opens() {
                p.resource_options(&mut resource)?;
            }
            p.end_statement("`{` or the end of the statement")?;
            p.check_shape(&resource, at)?;
            Ok(resource)
        })?;
        self.add_resource(start, name, resource);
        Ok(())
    }

    pub(super) fn declare_buffer(&mut self, start: Start) -> Parsed<()> {
        let (name, _) = self.resource_name("the buffer's name")?;
        let resource = self.declared(name, |p| {
            p.expect(Token::Colon, "`:` and the buffer's size")?;
            let size = p.positive_size("the buffer's size")?;
            let mut resource = Resource::new(ResourceKind::Buffer { size });
            if p.block_opens() {
                p.resource_options(&mut resource)?;
            }
            p.end_statement("`{` or the end of the statement")?;
            Ok(resource)
        })?;
        self.add_resource(start, name, resource);
        Ok(())
    }

    /// Refuses texts in which a use of one texture would have to look at too many others: their ends cut it into ranges
    /// that each have contents of their own.
    pub(super) fn nested_textures(&mut self) {
        let all = self.out.resources.values();
        let in_a_heap = |resource: &Resource| match resource.placement {
            Placement::Placed { heap, offset } if !resource.is_buffer() => {
                let end = offset.saturating_add(geometry::resource_bytes(resource));
                Some((heap, offset, end, resource.span))
            }
            _ => None,
        };
        let mut placed: Vec<_> = all.filter_map(in_a_heap).collect();
        if placed.len() <= NESTED_MAX {
            return;
        }
        placed.sort_by_key(|(heap, start, ..)| (*heap, *start));
        for textures in placed.chunk_by(|(one, ..), (two, ..)| one == two) {
            let mut ends: BTreeSet<u64> = BTreeSet::new();
            for (heap, start, end, span) in textures {
                while ends.first().is_some_and(|first| first <= start) {
                    ends.pop_first();
                }
                ends.insert(*end);
                if ends.len() > NESTED_MAX {
                    let message = format!(
                        "more than {NESTED_MAX} textures over one byte of the heap `{}`, each ending at another byte",
                        self.out.heaps.name(*heap)
                    );
                    let help = "place them in several heaps, or give some of them the same size";
                    self.error(&rules::LIMIT_EXCEEDED, *span, message, help);
                    return;
                }
            }
        }
    }

    fn add_resource(&mut self, start: Start, name: &str, mut resource: Resource) {
        let block = self.option_block();
        (resource.span, resource.trivia) = self.finish(start, Some(block));
        let id = self.out.resources.push(name.to_owned(), resource);
        self.out.order.push(Declaration::Resource(id));
    }

    fn resource_options(&mut self, resource: &mut Resource) -> Parsed<()> {
        const TEXTURE: [&str; 11] = [
            "mips",
            "layers",
            "samples",
            "flags",
            "initial",
            "state",
            "heap",
            "reserved",
            "type",
            "uncompressed",
            "keep",
        ];
        let mut seen = 0;
        self.options(|p| {
            let (word, span) = p.word("an option of the resource")?;
            let words = if resource.is_buffer() {
                &TEXTURE[3..]
            } else {
                &TEXTURE[..]
            };
            if !words.contains(&word) {
                let what = if resource.is_buffer() {
                    "buffer option"
                } else {
                    "texture option"
                };
                return Err(match (word, resource.is_buffer()) {
                    ("layout", true) => p.no_layout("a buffer", word, span),
                    ("layout", false) => {
                        let help = "the layout at the start is `initial LAYOUT`";
                        let message = "unknown texture option `layout`";
                        p.mistake(span, message, help)
                    }
                    _ => p.unknown_word(what, word, span, words),
                });
            }
            let index = TEXTURE.iter().position(|w| *w == word).unwrap_or(0);
            p.once(&mut seen, 1 << index, word, span)?;
            p.excluded(seen, "initial", 1 << 4, "state", 1 << 5, span)?;
            p.excluded(seen, "heap", 1 << 6, "reserved", 1 << 7, span)?;
            p.resource_option(resource, word)
        })
    }

    /// Reports a layout of something that has none.
    pub(super) fn no_layout(&mut self, whose: &str, word: &str, span: Span) -> Reported {
        let message = format!("{whose} has no layout");
        let help = format!("remove `{word}`: only textures have layouts");
        self.mistake(span, message, help)
    }

    fn excluded(
        &mut self,
        seen: u32,
        a: &str,
        a_bit: u32,
        b: &str,
        b_bit: u32,
        span: Span,
    ) -> Parsed<()> {
        let both = a_bit | b_bit;
        if seen & both != both {
            return Ok(());
        }
        Err(self.error(
            &rules::DUPLICATE_OPTION,
            span,
            format!("`{a}` and `{b}` exclude each other"),
            "keep one of them",
        ))
    }

    fn resource_option(&mut self, resource: &mut Resource, word: &str) -> Parsed<()> {
        match word {
            "flags" => resource.flags |= self.flags()?,
            "initial" => resource.initial = Initial::Layout(self.layout()?),
            "state" => {
                let state = self.state()?;
                // Language: on a buffer only this state means something.
                if resource.is_buffer() && state == ResourceState::RAYTRACING_ACCELERATION_STRUCTURE
                {
                    resource.flags |= ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE;
                }
                resource.initial = Initial::State(state);
            }
            "heap" => {
                let heap = self.heap()?;
                if !self.eat_word("at") {
                    return Err(self.unexpected("`at` and the offset in the heap"));
                }
                let offset = self.size("an offset in a heap", SIZE_BYTES_MAX)?;
                resource.placement = Placement::Placed { heap, offset };
            }
            "reserved" => resource.placement = Placement::Reserved,
            "type" => resource.heap_type = self.heap_type()?,
            "uncompressed" => resource.uncompressed = true,
            "keep" => resource.keep = true,
            _ => self.shape_option(resource, word)?,
        }
        Ok(())
    }

    fn shape_option(&mut self, resource: &mut Resource, word: &str) -> Parsed<()> {
        let span = self.span;
        if self.eat_word("all") {
            let help = format!("write how many there are, as in `{word} 4`");
            let message = format!("`{word}` takes a count, not `all`");
            return Err(self.mistake(span, message, help));
        }
        let value = self.integer32("a count")?;
        if value == 0 {
            return Err(self.error(
                &rules::BAD_VALUE,
                span,
                format!("`{word} 0` is too few; a texture has at least one"),
                None,
            ));
        }
        let ResourceKind::Texture(shape) = &mut resource.kind else {
            return Ok(());
        };
        match word {
            "mips" => {
                let most = shape.width.max(shape.height).max(shape.depth).ilog2() + 1;
                shape.mips = value.min(most);
                if value > most {
                    return Err(self.error(
                        &rules::LIMIT_EXCEEDED,
                        span,
                        format!(
                            "{value} mips are too many; a texture of this size has at most {most}"
                        ),
                        None,
                    ));
                }
            }
            "layers" => {
                shape.layers = value.min(TEXTURE_LAYERS_MAX);
                self.limited(
                    u64::from(value),
                    u64::from(TEXTURE_LAYERS_MAX),
                    "`layers`",
                    span,
                )?;
            }
            _ if !TEXTURE_SAMPLES.contains(&value) => {
                let help = "one of: 1, 2, 4, 8, 16";
                return Err(self.error(
                    &rules::BAD_VALUE,
                    span,
                    format!("a texture cannot have {value} samples"),
                    help,
                ));
            }
            _ => shape.samples = value,
        }
        Ok(())
    }

    fn check_shape(&mut self, resource: &Resource, at: Span) -> Parsed<()> {
        match resource.texture() {
            Some(shape) if shape.depth > 1 && shape.layers > 1 => Err(self.error(
                &rules::BAD_VALUE,
                at,
                "a volume texture has no array slices",
                "give it a depth or `layers`, not both",
            )),
            Some(shape) if shape.depth > 1 && (shape.width > 2048 || shape.height > 2048) => {
                Err(self.error(
                    &rules::LIMIT_EXCEEDED,
                    at,
                    "a volume texture is at most 2048 texels wide, high and deep",
                    None,
                ))
            }
            _ => Ok(()),
        }
    }
}
