//! Findings: mistakes in a scenario or in what it makes the machine do, as values with a place and a way out.
//!
//! A rule owns its id, name, severity and the prose of its page; the code that finds a mistake makes a [`Finding`]; `report/` owns the layout.
//! Nothing here knows scenarios or machines: a finding names things by text and places by [`Span`].

pub(crate) mod source;

pub use source::{Source, Span, head};

use crate::id::ListId;
use crate::lookup::LookupSet;
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// How bad a finding is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Could be better.
    Advice,
    /// Probably not meant.
    Warning,
    /// The application's bug: an order or visibility that no barrier asks for.
    Hazard,
    /// Against the rules.
    Error,
}

impl Severity {
    /// The word of the JSON contract.
    pub fn word(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Warning => "warning",
            Self::Hazard => "hazard",
            Self::Error => "error",
        }
    }

    /// Whether a run with such a finding ends with an exit status other than 0.
    pub fn fails(self) -> bool {
        self >= Self::Hazard
    }
}

/// A rule: what can be found. One per file, listed once by its family.
#[derive(Copy, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Permanent id: two letters of the family and three digits.
    pub id: &'static str,
    /// Name in words joined by hyphens; as good as the id in an expectation.
    pub name: &'static str,
    /// Severity of its findings unless a finding says otherwise.
    pub severity: Severity,
    /// One line: what it finds.
    pub summary: &'static str,
    /// Prose of its page in Markdown: what it finds, why it matters, its source. A line may begin with one blank, as in a
    /// doc comment. `report` joins it with the rule's scenes.
    pub prose: &'static str,
}

impl Rule {
    /// Whether a word names the rule: its id, its name, or its family. Letters of either case are the same.
    pub fn is_named(&self, word: &str) -> bool {
        [self.id, self.name, self.family()]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(word))
    }

    /// The two letters of the family.
    pub fn family(&self) -> &'static str {
        &self.id[..2]
    }
}

/// Only by id: the rest follows from it, and the prose is long.
impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// A rule whose doc comment is the prose of its page; then its id, its name, its severity and its summary.
macro_rules! rule {
    ($(#[doc = $line:literal])+ $vis:vis static $rule:ident = $id:literal, $name:literal, $severity:ident, $summary:literal;) => {
        $(#[doc = $line])+
        $vis static $rule: $crate::finding::Rule = $crate::finding::Rule {
            id: $id,
            name: $name,
            severity: $crate::finding::Severity::$severity,
            summary: $summary,
            // A module in a browser is small: the book around it has the pages.
            prose: if cfg!(target_family = "wasm") { "" } else { concat!($($line, "\n"),+) },
        };
    };
}

pub(crate) use rule;

/// A family of rules: they are about one thing, and their ids start with the same two letters.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// The two letters.
    pub id: &'static str,
    /// What its rules are about.
    pub about: &'static str,
}

/// One side of a hazard.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Party {
    /// Id of the executed command or barrier entry, as in the report (`gfx#3`, `gfx#4.0`).
    pub command: Arc<str>,
    /// Label or statement word, for people (`draw "opaque"`).
    pub label: Arc<str>,
    /// Place in the source.
    pub span: Span,
    /// The command list that has it; `None` for what is in no list.
    pub list: Option<ListId>,
    /// Name of the queue, or `cpu`.
    pub queue: Arc<str>,
    /// Access names, joined by `|`; `COMMON` for the CPU and a present, empty for a layout transition.
    pub access: Arc<str>,
    /// Leaf stage names, joined by `|`; empty for a CPU operation.
    pub stage: Arc<str>,
    /// A use that may not be made.
    pub may: bool,
}

/// What a hazard adds to a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Hazard {
    /// The earlier use (1).
    pub first: Party,
    /// The later use (2).
    pub second: Party,
    /// Invalid by specification. Every hazard is.
    pub spec_invalid: bool,
    /// What the text gives the two uses, and what it lacks.
    pub links: Links,
}

/// What is between the two uses of a hazard: `true` is given, `false` is missing, null is not in question.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Links {
    /// The first ends before the second begins.
    pub order: Option<bool>,
    /// What the first writes is visible to the second.
    pub visibility: Option<bool>,
    /// The layout of the texture allows the second.
    pub layout: Option<bool>,
}

impl Links {
    /// Of uses that are ordered or not, with what is known of visibility.
    pub fn of(order: bool, visibility: Option<bool>) -> Self {
        Self {
            order: Some(order),
            visibility,
            layout: None,
        }
    }

    /// Of a use that another layout, or none, does not allow.
    pub fn wrong_layout() -> Self {
        Self {
            layout: Some(false),
            ..Self::default()
        }
    }
}

/// A place that explains a finding further.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Related {
    /// Place in the source.
    pub span: Span,
    /// What the place has to do with the finding.
    pub label: Arc<str>,
}

/// Other text for a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The text that is replaced.
    pub span: Span,
    /// The text that replaces it.
    pub text: String,
}

impl Edit {
    /// A text in place of another.
    pub fn new(span: Span, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { span, text }
    }

    /// A text that comes in at a byte.
    pub fn insertion(at: u32, text: impl Into<String>) -> Self {
        Self::new(Span::new(at, at), text)
    }
}

/// A change of the source that was applied to a copy and checked again: the finding was gone, and nothing was new.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Fix {
    /// Replacements, in order of place.
    pub edits: Vec<Edit>,
    /// What they do, in words.
    pub says: String,
}

/// Words that many findings say, each kept once.
#[derive(Default)]
pub struct Words {
    known: LookupSet<Arc<str>>,
}

impl Words {
    /// The same text, kept once.
    pub fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.known.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.known.insert(Arc::clone(&new));
        new
    }

    /// Shares the notes of a finding, and takes no more room than what it says needs.
    pub fn share_all(&mut self, finding: &mut Finding) {
        for note in &mut finding.notes {
            *note = self.share(note);
        }
        finding.related.shrink_to_fit();
        finding.notes.shrink_to_fit();
    }
}

/// Something found. Copies of it, and findings that say the same, share their words.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Severity of this finding.
    pub severity: Severity,
    /// Place in the source.
    pub span: Span,
    /// One sentence: what is wrong with what.
    pub message: Arc<str>,
    /// Name of the resource, without range.
    pub resource: Option<Arc<str>>,
    /// Further places.
    pub related: Vec<Related>,
    /// Evidence and explanations, a sentence each.
    pub notes: Vec<Arc<str>>,
    /// What would be right.
    pub help: Option<Arc<str>>,
    /// A proved change that removes it.
    pub fix: Option<Box<Fix>>,
    /// The two sides, for a hazard.
    pub hazard: Option<Arc<Hazard>>,
    /// Whether a read of this run went wrong because of it; `None` if nothing was simulated, or if no read could.
    pub visible: Option<bool>,
    /// How many executions reported the same on this line and resource; the finding names the first.
    pub repeats: u32,
}

impl Finding {
    /// Whether the specification forbids it, on every GPU.
    pub fn is_spec_invalid(&self) -> bool {
        // The rules of these families are the specification's own.
        let legality = matches!(self.rule.family(), "EB" | "LB" | "FN");
        let forbidden = legality && self.severity == Severity::Error;
        self.hazard.as_ref().map_or(forbidden, |h| h.spec_invalid)
    }

    /// A finding of `rule` with nothing but a place and a message.
    pub fn new(rule: &'static Rule, span: Span, message: impl Into<Arc<str>>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            span,
            message: message.into(),
            resource: None,
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            fix: None,
            hazard: None,
            visible: None,
            repeats: 1,
        }
    }

    /// Counts another execution with the same finding. If that is the first of which a read went wrong, it says so: what
    /// was seen is a finding's last note. A worse one takes its place.
    pub fn repeat(&mut self, other: &Self) {
        if other.severity > self.severity {
            let before = std::mem::replace(self, other.clone());
            self.repeat(&before);
            return;
        }
        self.repeats += other.repeats;
        if self.visible == Some(false) && other.visible == Some(true) {
            self.visible = other.visible;
            self.notes.extend(other.notes.last().cloned());
        }
    }

    /// Adds what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<Arc<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a sentence of evidence.
    #[must_use]
    pub fn note(mut self, note: impl Into<Arc<str>>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<Arc<str>>) -> Self {
        self.related.push(Related {
            span,
            label: label.into(),
        });
        self
    }

    /// Names the resource.
    #[must_use]
    pub fn resource(mut self, name: impl Into<Arc<str>>) -> Self {
        self.resource = Some(name.into());
        self
    }

    /// Replaces the rule's severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }
}
