//! Ranges in brackets, and whether they fit their resource.

use super::{Parsed, Parser, Reported};
use crate::finding::{Finding, Span};
use crate::id::ResourceId;
use crate::scenario::geometry::subresource_box;
use crate::scenario::lexer::Token;
use crate::scenario::model::{Range, Rect, ResourceKind, SubresourceRange};
use crate::scenario::rules;
use crate::tokens::Token as _;
use memchr::memchr3;

/// The largest offset that arithmetic on ranges must hold.
const RANGE_BYTES_MAX: u64 = 1 << 62;

/// Whether a range may have this token.
fn is_in_ranges(token: Token) -> bool {
    matches!(
        token,
        Token::Word | Token::Number | Token::Comma | Token::DotDot
    )
}

impl Parser<'_, '_> {
    /// `[…]` after a resource's name, if there is one. `[]` is everything, as if it were absent.
    pub(super) fn range(&mut self) -> Parsed<Range> {
        if self.token != Token::OpenBracket {
            return Ok(Range::All);
        }
        self.joins_lines = self.closes_on_a_later_line();
        self.bump();
        let range = self.in_brackets();
        // What is left of brackets with a mistake is no statement of its own.
        while range.is_err() && is_in_ranges(self.token) {
            self.bump();
        }
        self.joins_lines = false;
        if !self.eat(Token::CloseBracket) {
            self.eat_brace_too_many();
        }
        range
    }

    /// Whether the brackets that open here close on another line. A statement whose brackets do not close ends with its line, as
    /// any other: what follows is not read as a range.
    fn closes_on_a_later_line(&mut self) -> bool {
        let mut at = self.span.end as usize;
        // Most ranges are short. A comment may have a bracket.
        let rest = &self.text.as_bytes()[at..];
        if memchr3(b']', b'\n', b'/', rest).is_none_or(|next| rest[next] == b']') {
            return false;
        }
        loop {
            let (token, place) = Token::cut(self.text, at);
            if !is_in_ranges(token) && !matches!(token, Token::Newline | Token::Comment) {
                return token == Token::CloseBracket
                    || token == Token::CloseBrace && self.has_brace_too_many();
            }
            at = place.end as usize;
        }
    }

    /// What is between the brackets, up to the `]`.
    fn in_brackets(&mut self) -> Parsed<Range> {
        let range = match self.token {
            Token::CloseBracket => Range::All,
            Token::Number => self.byte_range()?,
            _ if self.at_word("subresource") => {
                self.bump();
                Range::Subresource(self.integer32("a subresource index")?)
            }
            _ => self.subresource_range()?,
        };
        if self.token != Token::CloseBracket {
            return Err(self.unexpected("`]`"));
        }
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
        let span = self.since(at);
        Err(self.error(
            &rules::BAD_VALUE,
            span,
            format!("the range {start}..{end} is empty"),
            "`a..b` includes a and excludes b",
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
            if !self.eat(Token::Comma) {
                return Ok(Range::Subresources(Box::new(parts)));
            }
        }
    }

    /// `1` or `1..3`.
    fn span_of_indices(&mut self) -> Parsed<(u32, u32)> {
        const INDEX_MAX: u32 = u32::MAX - 1;
        let at = self.span;
        let start = self.integer_to("an index", INDEX_MAX)?;
        if !self.eat(Token::DotDot) {
            return Ok((start, start + 1));
        }
        let end = self.integer_to("an index", INDEX_MAX)?;
        self.not_empty(u64::from(start), u64::from(end), at)?;
        Ok((start, end))
    }

    fn rect(&mut self) -> Parsed<Rect> {
        let x = self.integer32("the left texel")?;
        self.expect(Token::Comma, "`,` between the rectangle's x and y")?;
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
        let span = self.since(start);
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
        let buffer = self.known().resource(id).is_buffer();
        let (message, help) = match range {
            Range::Bytes { .. } if !buffer => (
                "is a texture and has no byte range",
                "write `[mip 0, layer 0]`",
            ),
            Range::Subresource(_) | Range::Subresources(_) if buffer => (
                "is a buffer and has no subresources",
                "write bytes: `[0..256]`",
            ),
            Range::Subresources(parts) if parts.rect.is_some() && !region => (
                "is not copied here; `rect` belongs to the texture side of a `copy`",
                "leave `rect` out",
            ),
            _ => return Ok(()),
        };
        let name = self.known().resource_name(id).to_owned();
        let finding = Finding::new(&rules::WRONG_RESOURCE, span, format!("`{name}` {message}"))
            .help(help)
            .resource(name);
        self.report(finding);
        Err(Reported)
    }

    /// A use's range must fit its resource. Language: "Out of bounds in a use is SC, in a barrier EB".
    pub(super) fn in_bounds(&mut self, id: ResourceId, range: &Range, span: Span) -> Parsed<()> {
        let (what, given, limit) = match (&self.known().resource(id).kind, range) {
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
        let name = self.known().resource_name(id).to_owned();
        let message = if what == "rect" {
            format!("the rectangle reaches texel {given} of `{name}`, but this mip ends at {limit}")
        } else {
            format!("{what} {given} is out of bounds: `{name}` has {limit}")
        };
        let mut finding = Finding::new(&rules::OUT_OF_BOUNDS, span, message).resource(name);
        if what != "rect" && limit > 0 {
            finding = finding.help(format!("the last {what} is {}", limit - 1));
        }
        self.report(finding);
        Err(Reported)
    }
}
