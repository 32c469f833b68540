//! What a text says next to its statements: comments, expected and allowed findings.

use super::is_false;
use crate::finding::Span;
use serde::{Deserialize, Serialize};

/// Comments around a statement. Boxed in an option because most statements have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Trivia(pub Option<Box<Comments>>);

/// The comments of one statement, each with its `//`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent facts about lines, each a field of the JSON form"
)]
pub struct Comments {
    /// Comment lines before the statement; an empty string is an empty line between them.
    #[serde(default, skip_serializing_if = "Lines::is_empty")]
    pub before: Lines,
    /// Whether an empty line is before the statement and its comments.
    #[serde(default, skip_serializing_if = "is_false")]
    pub blank_before: bool,
    /// Comment on the line on which the statement's block opens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// Comment on the line on which the statement ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Comment lines before the closing brace of the statement's block.
    #[serde(default, skip_serializing_if = "Lines::is_empty")]
    pub inside: Lines,
    /// The statement and its block are on one line and must stay there, because an expectation names that line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keep_line: bool,
    /// The statement starts on the line on which the one before it ends or the block around it opens, and must.
    #[serde(default, skip_serializing_if = "is_false")]
    pub joined: bool,
    /// The closing brace is on the line on which the last statement of the block ends, and must.
    #[serde(default, skip_serializing_if = "is_false")]
    pub close_joined: bool,
}

/// Lines of comments, of which the first is not empty. In one piece: a text may be millions of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<String>", into = "Vec<String>")]
pub struct Lines(String);

impl Lines {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lines in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.split('\n').skip(usize::from(self.is_empty()))
    }

    /// Adds a line. An empty one counts only after another one.
    pub fn push(&mut self, line: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(line);
    }

    /// Takes the empty lines at the end away.
    pub fn trim_end(&mut self) {
        self.0.truncate(self.0.trim_end_matches('\n').len());
    }

    /// Gives unused memory back.
    pub fn shrink(&mut self) {
        self.0.shrink_to_fit();
    }
}

impl From<Vec<String>> for Lines {
    fn from(lines: Vec<String>) -> Self {
        let mut all = Self::default();
        for line in &lines {
            all.push(line);
        }
        all
    }
}

impl From<Lines> for Vec<String> {
    fn from(lines: Lines) -> Self {
        lines.iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Lines {
    fn inline_schema() -> bool {
        <Vec<String>>::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        <Vec<String>>::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Vec<String>>::json_schema(generator)
    }
}

/// `//~ …` at the end of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Line, counted from 1.
    pub line: u32,
    /// Ids, names or families; empty means `none`: no error or hazard in the whole file.
    pub ids: Vec<String>,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
}

/// `// syncscope: allow ID`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Allow {
    /// Ids, names or families.
    pub ids: Vec<String>,
    /// The statement that it covers.
    #[serde(skip)]
    pub covers: Span,
}

impl Trivia {
    /// Whether there are no comments.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}
