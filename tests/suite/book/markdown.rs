//! What a page of the book is made of, as far as the tests look: fenced blocks, inline code, and the comments that say
//! how a command line is to be read. It knows nothing of the program.

use std::ops::Range;

/// A fenced block.
#[derive(Debug)]
pub(super) struct Block<'p> {
    /// The word after the opening fence.
    pub(super) info: &'p str,
    /// The bytes of its lines, without the fences.
    pub(super) body: Range<usize>,
    /// What the comment on the line before it says.
    pub(super) mark: Mark<'p>,
}

/// What a page says of its command lines: `<!-- exit: 1 -->`, `<!-- not run: why -->`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Mark<'p> {
    /// The command ends with this status.
    Exit(i32),
    /// The command is only shown, for this reason.
    NotRun(&'p str),
}

/// A code span outside blocks, and what a comment on its line says.
#[derive(Debug)]
pub(super) struct Inline<'p> {
    pub(super) code: &'p str,
    pub(super) mark: Mark<'p>,
    /// Counted from 1.
    pub(super) line: usize,
    /// Not closed on its line.
    pub(super) is_open: bool,
}

/// The marks of a line; without any, commands end with 0.
fn mark(line: &str) -> Mark<'_> {
    for comment in line.split("<!--").skip(1) {
        let text = comment.split("-->").next().unwrap_or_default().trim();
        if let Some(status) = text.strip_prefix("exit:") {
            return Mark::Exit(
                status
                    .trim()
                    .parse()
                    .expect("`exit:` is followed by a number"),
            );
        }
        if let Some(why) = text.strip_prefix("not run:") {
            assert!(
                !why.trim().is_empty(),
                "`not run:` is followed by the reason"
            );
            return Mark::NotRun(why.trim());
        }
    }
    Mark::Exit(0)
}

/// The fenced blocks of a page, in order.
pub(super) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<Block<'_>> = None;
    let mut before = "";
    let mut at = 0;
    for line in page.split_inclusive('\n') {
        if let Some(info) = line.trim_end().strip_prefix("```") {
            match open.take() {
                Some(block) => found.push(Block {
                    body: block.body.start..at,
                    ..block
                }),
                None => {
                    open = Some(Block {
                        info,
                        body: at + line.len()..page.len(),
                        mark: mark(before),
                    });
                }
            }
        }
        before = line;
        at += line.len();
    }
    assert!(open.is_none(), "a fence is not closed");
    found
}

/// The code spans of a page, in order.
pub(super) fn inline(page: &str) -> Vec<Inline<'_>> {
    let mut found = Vec::new();
    let mut inside_block = false;
    for (index, line) in page.lines().enumerate() {
        if line.starts_with("```") {
            inside_block = !inside_block;
        } else if !inside_block {
            let mark = mark(line);
            let pieces: Vec<&str> = line.split('`').collect();
            let spans = pieces.iter().enumerate().skip(1).step_by(2);
            found.extend(spans.map(|(at, code)| Inline {
                code,
                mark,
                line: index + 1,
                is_open: at + 1 == pieces.len(),
            }));
        }
    }
    found
}

/// The bytes between `<!-- NAME:begin -->` with its line's end and `<!-- NAME:end -->`.
pub(super) fn region(page: &str, name: &str) -> Option<Range<usize>> {
    let begin = format!("<!-- {name}:begin -->\n");
    let start = page.find(&begin)? + begin.len();
    let end = page[start..]
        .find(&format!("<!-- {name}:end -->"))
        .unwrap_or_else(|| panic!("the region `{name}` has no end"));
    Some(start..start + end)
}

#[test]
fn the_reader_of_pages_sees_blocks_code_and_marks() {
    let page = "A `one` and `two words`.\n\n<!-- exit: 1 -->\n```text\n$ syncscope `demo`\nout\n```\n\
        | `three` | <!-- not run: it writes -->\n<!-- t:begin -->\nold\n<!-- t:end -->\n";
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 1);
    assert_eq!((blocks[0].info, blocks[0].mark), ("text", Mark::Exit(1)));
    assert_eq!(&page[blocks[0].body.clone()], "$ syncscope `demo`\nout\n");
    let codes: Vec<_> = inline(page)
        .iter()
        .map(|i| (i.code, i.line, i.mark))
        .collect();
    let not_run = Mark::NotRun("it writes");
    assert_eq!(
        codes,
        [
            ("one", 1, Mark::Exit(0)),
            ("two words", 1, Mark::Exit(0)),
            ("three", 8, not_run)
        ]
    );
    assert_eq!(&page[region(page, "t").expect("a region")], "old\n");
}
