//! Repeated blocks: lines that differ in a name or a label still say the same in braces, so the meaning of a block on one
//! line is worked out once.
//!
//! What the options of a barrier, or the uses of a command, mean depends on nothing but their text, the kind of the
//! barrier or command, and names that keep their meaning. Blocks with mistakes or comments are not kept.

use super::Parser;
use super::barriers::Fields;
use super::uses::UsingCommand;
use crate::finding::Span;
use crate::id::narrow;
use crate::lookup::LookupMap;
use crate::scenario::lexer::Token;
use crate::scenario::model::{Use, Uses};
use memchr::memchr2;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Blocks of each kind that are kept at most.
const KEPT: usize = 8192;
/// Bytes of the longest block that is kept.
const BLOCK_MAX: usize = 512;

/// The meanings of blocks.
#[derive(Default)]
pub(super) struct Blocks<'s> {
    fields: Meanings<(&'s str, usize), Fields>,
    uses: Meanings<(&'s str, UsingCommand), Known>,
}

/// The uses of a block that starts here.
struct Known {
    start: u32,
    uses: Uses,
}

/// Meanings by what they are the meaning of. One is kept when it comes again: what comes once is not worth the memory.
struct Meanings<K, V> {
    kept: LookupMap<K, V>,
    /// Hashes of what came last.
    seen: Vec<u64>,
}

impl<K, V> Default for Meanings<K, V> {
    fn default() -> Self {
        Self {
            kept: LookupMap::default(),
            seen: Vec::new(),
        }
    }
}

impl<K: Eq + Hash, V> Meanings<K, V> {
    fn remember(&mut self, key: K, value: impl FnOnce() -> V) {
        if self.seen.is_empty() {
            self.seen.resize(KEPT, 0);
        }
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let hash = hasher.finish();
        let seen = &mut self.seen[(hash >> 32) as usize % KEPT];
        if *seen != hash {
            *seen = hash;
        } else if self.kept.len() < KEPT {
            self.kept.insert(key, value());
        }
    }
}

/// A block's text with its braces, and how many mistakes there were before it.
#[derive(Copy, Clone)]
pub(super) struct BlockText<'s> {
    text: &'s str,
    start: u32,
    findings: usize,
}

impl BlockText<'_> {
    fn end(&self) -> u32 {
        self.start + narrow(self.text.len())
    }
}

impl<'s> Parser<'s, '_> {
    /// The block at the current token, if it ends on its line and what it means may be kept.
    pub(super) fn block_on_line(&self) -> Option<BlockText<'s>> {
        if self.token != Token::OpenBrace || !self.is_plain() {
            return None;
        }
        let rest = &self.text[self.span.start as usize..];
        let near = &rest.as_bytes()[..rest.len().min(BLOCK_MAX)];
        let end = memchr2(b'}', b'\n', near)?;
        (near[end] == b'}').then(|| BlockText {
            text: &rest[..=end],
            start: self.span.start,
            findings: self.findings.len(),
        })
    }

    pub(super) fn recall_fields(&mut self, block: BlockText<'s>, kind: usize) -> Option<Fields> {
        let fields = *self.caches.blocks.fields.kept.get(&(block.text, kind))?;
        self.pass(block);
        Some(fields)
    }

    pub(super) fn remember_fields(&mut self, block: BlockText<'s>, kind: usize, fields: Fields) {
        if self.is_whole(block) {
            let key = (block.text, kind);
            self.caches.blocks.fields.remember(key, || fields);
        }
    }

    pub(super) fn recall_uses(
        &mut self,
        block: BlockText<'s>,
        context: UsingCommand,
    ) -> Option<Uses> {
        let known = self.caches.blocks.uses.kept.get(&(block.text, context))?;
        let mut uses = known.uses.clone();
        for used in &mut uses {
            let Span { start, end } = used.span;
            used.span = Span::new(
                start - known.start + block.start,
                end - known.start + block.start,
            );
        }
        self.pass(block);
        Some(uses)
    }

    pub(super) fn remember_uses(
        &mut self,
        block: BlockText<'s>,
        context: UsingCommand,
        uses: &[Use],
    ) {
        if self.is_whole(block) {
            let known = || Known {
                start: block.start,
                uses: uses.into(),
            };
            let key = (block.text, context);
            self.caches.blocks.uses.remember(key, known);
        }
    }

    /// Whether just this text was read as a block, without a mistake.
    fn is_whole(&self, block: BlockText<'_>) -> bool {
        self.last_end == block.end() && self.findings.len() == block.findings
    }

    /// Goes on after a block as if it had been read.
    fn pass(&mut self, block: BlockText<'_>) {
        let end = block.end();
        self.go_on_after(Span::new(end - 1, end));
    }
}

#[cfg(test)]
mod tests {
    use crate::finding::Source;
    use crate::scenario::{Scenario, parse};

    const BLOCKS: [&str; 8] = [
        "dispatch \"#\" 8x8x1 { UNORDERED_ACCESS a[0..16] writes; SHADER_RESOURCE b }",
        "dispatch \"#\" 8x8x1 { }",
        "draw \"#\" { UNORDERED_ACCESS a @ PIXEL_SHADING; SHADER_RESOURCE b }",
        "draw \"#\" { UNORDERED_ACCESS a @ PIXEL_SHADING; SHADER_RESOURCE b } // next to it",
        "barrier { buffer a { sync COPY -> ALL; access COPY_DEST -> COMMON } }; draw \"#\"",
        "barrier { global { sync COPY -> ALL; access COPY_DEST -> COMMON } }; draw \"#\"",
        "barrier { texture t[mip 0] { sync ALL -> ALL; layout COMMON -> UNDEFINED }; global { } }; draw \"#\"",
        "barrier { texture t { sync ALL -> ALL; layout COMMON -> UNDEFINED // } \n }; global { } }; draw \"#\"",
    ];

    fn text(rounds: usize) -> String {
        let mut text = String::from(
            "buffer a : 64KiB { flags UNORDERED_ACCESS }\nbuffer b : 64KiB\n\
             texture t : R8G8B8A8_UNORM 64x64 { mips 2 }\nlist main : direct {\n",
        );
        for round in 0..rounds {
            for block in BLOCKS {
                text += &" ".repeat(round);
                text += &block.replace('#', &format!("{round}"));
                text.push('\n');
            }
        }
        text + "}\n"
    }

    fn parsed(text: &str) -> Scenario {
        let (scenario, findings) = parse(&Source::new("blocks.scn", text));
        assert!(findings.is_empty(), "{findings:?}");
        scenario
    }

    /// A recalled block means the same as if it were read; a text with an expectation is always read.
    #[test]
    fn a_block_that_comes_again_means_the_same() {
        let text = text(5);
        let recalled = parsed(&text);
        // After everything else, so that no place differs.
        let mut read = parsed(&format!("{text}//~ none"));
        read.expectations.clear();
        read.trailing = recalled.trailing.clone();
        assert_eq!(recalled, read);
    }

    #[test]
    fn a_mistake_in_a_block_is_said_each_time() {
        let mut text = text(1);
        text.truncate(text.len() - "}\n".len());
        for at in 0..4 {
            let draw = format!("draw \"{at}\" {{ UNORDERED_ACCESS nothing }}\n");
            text.push_str(&draw);
            let barrier = format!("barrier {{ buffer a {{ sync NOTHING -> ALL }} }} // {at}\n");
            text.push_str(&barrier);
        }
        let (_, findings) = parse(&Source::new("blocks.scn", text + "}\n"));
        assert_eq!(findings.len(), 8, "{findings:?}");
    }
}
