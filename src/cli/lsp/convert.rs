//! Bytes to lines and UTF-16 units and back, and values to the protocol's JSON.

use super::super::save::with_one_line_end;
use crate::assist::places::{Lines, Place};
use crate::finding::{Edit, Severity, Span};
use crate::report::sarif::percent_coded;
use gen_lsp_types::{Position, Range};
use serde_json::{Value, json};

/// A text and its lines.
#[derive(Copy, Clone)]
pub(super) struct Text<'t> {
    pub(super) text: &'t str,
    pub(super) lines: &'t Lines,
}

impl Text<'_> {
    pub(super) fn byte(self, at: Position) -> usize {
        let place = Place {
            line: at.line,
            unit: at.character,
        };
        self.lines.byte(self.text, place)
    }

    /// The bytes of a range; one that ends before it begins is empty.
    pub(super) fn bytes(self, range: Range) -> (usize, usize) {
        let start = self.byte(range.start);
        (start, self.byte(range.end).max(start))
    }

    pub(super) fn position(self, byte: u32) -> Position {
        let place = self.lines.place(self.text, byte);
        Position {
            line: place.line,
            character: place.unit,
        }
    }

    pub(super) fn range(self, span: Span) -> Range {
        Range {
            start: self.position(span.start),
            end: self.position(span.end.max(span.start)),
        }
    }

    /// An edit, with the line ends that most lines of the text have.
    pub(super) fn edit(self, edit: &Edit) -> Value {
        let text = with_one_line_end(self.text, edit.text.clone());
        json!({"range": self.range(edit.span), "newText": text})
    }

    /// What makes `new` of the text: the lines that differ.
    pub(super) fn difference(self, new: &str) -> Vec<Value> {
        if new == self.text {
            return Vec::new();
        }
        let old = self.text;
        let same_lines = |a: &str, b: &str| -> usize {
            let pairs = a.split_inclusive('\n').zip(b.split_inclusive('\n'));
            let same = pairs.take_while(|(a, b)| a == b && a.ends_with('\n'));
            same.map(|(a, _)| a.len()).sum()
        };
        let head = same_lines(old, new);
        let (old_rest, new_rest) = (&old[head..], &new[head..]);
        let pairs = old_rest
            .split_inclusive('\n')
            .rev()
            .zip(new_rest.split_inclusive('\n').rev());
        let tail: usize = pairs
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len())
            .sum();
        let span = Span::new(crate::id::narrow(head), crate::id::narrow(old.len() - tail));
        let text = new[head..new.len() - tail].to_owned();
        vec![self.edit(&Edit { span, text })]
    }
}

/// The number of a severity. A hazard is as bad as an error: the protocol has no word for it.
pub(super) fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error | Severity::Hazard => 1,
        Severity::Warning => 2,
        Severity::Advice => 3,
    }
}

/// Edits of one open text, as a change of the workspace.
pub(super) fn change(uri: &str, version: i32, edits: &[Value]) -> Value {
    json!({
        "documentChanges": [{
            "textDocument": {"uri": uri, "version": version},
            "edits": edits,
        }]
    })
}

/// The path of a `file:` URI, for messages and for what is next to it; other URIs are names.
pub(super) fn path_of(uri: &str) -> String {
    let Some(rest) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let path = rest.find('/').map_or(rest, |at| &rest[at..]);
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.as_bytes();
    while let [first, rest @ ..] = left {
        let digits = rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let coded = digits.filter(|_| *first == b'%');
        if let Some(byte) = coded.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            bytes.push(byte);
            left = &rest[2..];
        } else {
            bytes.push(*first);
            left = rest;
        }
    }
    let path = String::from_utf8_lossy(&bytes).into_owned();
    // `/c:/a.scn` is a path of Windows with a slash too many.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    if is_drive { path[1..].to_owned() } else { path }
}

/// The `file:` URI of a path.
pub(super) fn uri_of(path: &str) -> String {
    let root = if path.starts_with('/') {
        "file://"
    } else {
        "file:///"
    };
    root.to_owned() + &percent_coded(&path.replace('\\', "/"), b"-._~/:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris_lead_to_each_other() {
        for path in ["/a/b.scn", "/a b/ü%.scn"] {
            assert_eq!(path_of(&uri_of(path)), path);
        }
        assert_eq!(path_of("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(path_of("file:///%"), "/%");
        assert_eq!(path_of("file:///%zz%e"), "/%zz%e");
    }

    #[test]
    fn a_difference_is_the_lines_that_differ() {
        let old = "a\nb\nc\n";
        let lines = Lines::of(old);
        let text = Text {
            text: old,
            lines: &lines,
        };
        assert!(text.difference(old).is_empty());
        let edits = text.difference("a\nx\nc\n");
        assert_eq!(edits[0]["newText"], "x\n");
        assert_eq!(edits[0]["range"]["start"]["line"], 1);
        let edits = text.difference("a\nb\nc\nc\n");
        assert_eq!(edits[0]["newText"], "c\n");
        let edits = text.difference("");
        assert_eq!(edits[0]["newText"], "");
    }
}
