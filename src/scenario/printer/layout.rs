//! Pieces to lines: indentation, blocks on one line or on several, comments in their places.

use super::super::model::{Comments, Lines, Trivia};
use super::Piece;

/// Columns that a line may fill.
const COLUMNS: usize = 100;

/// The text so far.
pub(super) struct Page {
    out: String,
    indent: usize,
    /// Whether the last line ends in a comment, so that nothing can follow on it.
    is_commented: bool,
}

impl Page {
    /// No text.
    pub(super) fn new() -> Self {
        Self {
            out: String::new(),
            indent: 0,
            is_commented: false,
        }
    }

    /// The whole text, closed by the comments after the last statement.
    pub(super) fn finish(mut self, trailing: &Trivia) -> String {
        if let Some(comments) = &trailing.0 {
            if comments.blank_before {
                self.out.push('\n');
            }
            self.lines(&comments.before);
        }
        self.out
    }

    fn lines(&mut self, lines: &Lines) {
        for line in lines.iter() {
            if line.is_empty() {
                self.out.push('\n');
            } else {
                self.pad();
                self.out.push_str(line);
                self.out.push('\n');
                self.is_commented = true;
            }
        }
    }

    fn end_line(&mut self, comment: Option<&str>) {
        if let Some(comment) = comment {
            self.out.push(' ');
            self.out.push_str(comment);
        }
        self.out.push('\n');
        self.is_commented = comment.is_some();
    }

    /// Goes back to the end of the last line, if something may follow on it.
    fn join(&mut self) -> bool {
        !self.is_commented && self.out.ends_with('\n') && self.out.pop().is_some()
    }

    fn pad(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// Adds a statement on lines of its own, or on the line of the one before it where an expectation wants that.
    /// `may_fold`: its block may go on one line.
    pub(super) fn statement(&mut self, piece: &Piece, first: bool, may_fold: bool) {
        let none = Comments::default();
        let comments = piece.trivia.0.as_deref().unwrap_or(&none);
        if comments.joined && comments.before.is_empty() && self.join() {
            self.out
                .push_str(if self.out.ends_with('{') { " " } else { "; " });
        } else {
            if comments.blank_before && !first {
                self.out.push('\n');
            }
            self.lines(&comments.before);
            self.pad();
        }
        self.body(piece, comments, may_fold);
        self.end_line(comments.after.as_deref());
    }

    fn body(&mut self, piece: &Piece, comments: &Comments, may_fold: bool) {
        self.out.push_str(&piece.head);
        let Some(items) = &piece.block else { return };
        if items.is_empty() && comments.inside.is_empty() && comments.open.is_none() {
            self.out.push_str(" { }");
            return;
        }
        if comments.keep_line || may_fold && !comments.close_joined {
            let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
            if let Some(text) = one_line(items, comments) {
                let width = self.out[line_start..].chars().count() + text.chars().count();
                if comments.keep_line || width <= COLUMNS {
                    self.out.push_str(&text);
                    return;
                }
            }
        }
        self.out.push_str(" {");
        self.end_line(comments.open.as_deref());
        self.indent += 1;
        for (index, item) in items.iter().enumerate() {
            self.statement(item, index == 0, true);
        }
        self.lines(&comments.inside);
        self.indent -= 1;
        if comments.close_joined && self.join() {
            self.out.push(' ');
        } else {
            self.pad();
        }
        self.out.push('}');
    }
}

/// A block on one line, if nothing in it needs a line of its own.
fn one_line(items: &[Piece], comments: &Comments) -> Option<String> {
    if !comments.inside.is_empty() || comments.open.is_some() {
        return None;
    }
    let none = Comments::default();
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        let inner = item.trivia.0.as_deref().unwrap_or(&none);
        if !inner.before.is_empty() || inner.after.is_some() {
            return None;
        }
        let block = match &item.block {
            None => String::new(),
            Some(items) => one_line(items, inner)?,
        };
        texts.push(format!("{}{block}", item.head));
    }
    Some(if texts.is_empty() {
        " { }".into()
    } else {
        format!(" {{ {} }}", texts.join("; "))
    })
}
