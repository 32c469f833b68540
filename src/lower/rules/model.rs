//! A rule file as a value: what its text says, with places and comments. Nothing here knows a profile.

use super::sets::{Bits, Choice};
use crate::api::LeafSet;
use crate::finding::Span;
use crate::time::Ps;

/// A rule file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleFile {
    /// Name of the lowering.
    pub name: String,
    /// Where the name is.
    pub name_span: Span,
    /// What the block after the name says.
    pub header: Block<Setting>,
    /// Rules in order; one without a name is the default, and there is at most one.
    pub rules: Vec<RuleText>,
    /// Comment lines after everything else.
    pub at_end: Vec<String>,
}

/// A block of lines, with its comments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block<T> {
    /// Comment lines before it.
    pub before: Vec<String>,
    /// Lines in order.
    pub lines: Vec<Line<T>>,
    /// Comment lines before the brace that ends it.
    pub at_end: Vec<String>,
}

impl<T> Default for Block<T> {
    fn default() -> Self {
        Self {
            before: Vec::new(),
            lines: Vec::new(),
            at_end: Vec::new(),
        }
    }
}

/// One statement, with its comments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<T> {
    /// The statement.
    pub item: T,
    /// Place in the source.
    pub span: Span,
    /// Comment lines before it.
    pub before: Vec<String>,
    /// A comment after it.
    pub after: Option<String>,
}

/// What a rule file says about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// What the lowering does, in a line.
    Summary(String),
    /// Which of several rules count.
    Match(Match),
    /// What a packet has before any rule.
    Base(Base),
    /// Whether render passes stay in tile memory.
    Passes(Passes),
}

/// Which of several rules that match an entry count.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Match {
    /// The first one.
    #[default]
    First,
    /// Every rule that matches.
    Accumulate,
}

/// What a packet has before any rule.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Base {
    /// Nothing but the waits and holds that are asked for.
    #[default]
    Nothing,
    /// What `precise` emits.
    Precise,
}

/// Whether render passes stay in tile memory across barriers by region.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Passes {
    /// Passes stay in tile memory.
    #[default]
    Keep,
    /// Every barrier ends them.
    Break,
}

/// A rule as it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleText {
    /// Its name; `None` for the default.
    pub name: Option<String>,
    /// Where its name is, or the word `default`.
    pub span: Span,
    /// Conditions and emissions, in order.
    pub block: Block<Statement>,
}

/// A statement of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// What an entry must be.
    If(Condition),
    /// What its packet gets.
    Do(Emit),
}

/// What an entry must be for a rule to match it: all conditions of a rule hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A set of stages, accesses or flags.
    Bits(Bits),
    /// One of a few values.
    Choice(Choice),
    /// Names that the profile knows.
    Names(Naming, Vec<Name>),
}

/// What the names of a condition are names of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Naming {
    /// Profiles to which the rule applies.
    Profile,
    /// Layout operations that the entry needs.
    Operation,
    /// Exceptions of the profile: some of the entry's bytes are of a surface to which the named one applies. `a + b` is a
    /// surface to which both apply, `ordinary` one to which none does.
    Surface,
    /// Caches in which lines of an earlier alias may be left; `none` says that there is no such cache.
    Leftovers,
}

impl Naming {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Profile,
        Self::Operation,
        Self::Surface,
        Self::Leftovers,
    ];

    /// The word that begins the condition.
    pub fn word(self) -> &'static str {
        match self {
            Self::Profile => "profile",
            Self::Operation => "operation",
            Self::Surface => "surface",
            Self::Leftovers => "leftovers",
        }
    }
}

/// A name of something of the profile, and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The name; `*` means all.
    pub text: String,
    /// Place in the source.
    pub span: Span,
}

/// What a rule adds to a packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Emit {
    /// Stages whose earlier work it waits for.
    Wait(Stages),
    /// Stages whose later work it holds.
    Hold(Stages),
    /// Write caches back.
    Clean(Operation),
    /// Drop lines of caches.
    Invalidate(Operation),
    /// A layout operation: the entry's own, or the one of that name.
    Layout(Option<Name>),
    /// The front end forgets what it has prefetched.
    FrontEnd,
    /// Something that takes time.
    Driver(String, Ps),
    /// It follows every earlier barrier of its scope.
    AfterAll,
    /// The rule's operations happen in the order in which they are written.
    InOrder,
    /// Nothing, said on purpose.
    Nothing,
    /// What rules or the base have added is left out.
    Drop(Dropped),
}

/// What is left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dropped {
    /// Write-backs of these caches.
    Clean(Vec<Name>),
    /// Drops of these caches.
    Invalidate(Vec<Name>),
    /// The layout operation.
    Layout,
    /// The front end's synchronisation.
    FrontEnd,
}

/// An operation on caches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The caches that it cleans or invalidates.
    pub caches: Vec<Name>,
    /// The whole cache, not only the entry's bytes.
    pub whole: bool,
    /// On which side of the layout operation.
    pub place: Place,
}

/// On which side of the entry's layout operation a cache operation is, if the packet has one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Place {
    /// Write-backs before it, drops after it.
    #[default]
    Usual,
    /// Before the layout operation.
    Early,
    /// After it, unless the same is done before it.
    Late,
    /// After it, whatever is done before it.
    Again,
}

impl Place {
    /// Places that have a word.
    pub const ALL: [Self; 3] = [Self::Early, Self::Late, Self::Again];

    /// The word; nothing for the usual place.
    pub fn word(self) -> &'static str {
        match self {
            Self::Usual => "",
            Self::Early => "early",
            Self::Late => "late",
            Self::Again => "again",
        }
    }
}

/// Stages of a wait or a hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stages {
    /// Those that the entry names.
    AsAsked,
    /// No stage.
    None,
    /// These, with the words that name them.
    These(Vec<String>, LeafSet),
}

impl RuleFile {
    /// What the lowering does, in a line.
    pub fn summary(&self) -> &str {
        let summary = self.header.lines.iter().find_map(|line| match &line.item {
            Setting::Summary(text) => Some(text.as_str()),
            _ => None,
        });
        summary.unwrap_or("rules of a file")
    }

    /// Which of several rules count.
    pub fn matching(&self) -> Match {
        let mut settings = self.header.lines.iter().map(|line| &line.item);
        let found = settings.find_map(|setting| match setting {
            Setting::Match(matching) => Some(*matching),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// What a packet has before any rule.
    pub fn base(&self) -> Base {
        let mut settings = self.header.lines.iter().map(|line| &line.item);
        let found = settings.find_map(|setting| match setting {
            Setting::Base(base) => Some(*base),
            _ => None,
        });
        found.unwrap_or_default()
    }

    /// Whether render passes stay in tile memory.
    pub fn passes(&self) -> Passes {
        let mut settings = self.header.lines.iter().map(|line| &line.item);
        let found = settings.find_map(|setting| match setting {
            Setting::Passes(passes) => Some(*passes),
            _ => None,
        });
        found.unwrap_or_default()
    }
}

impl RuleText {
    /// Its name, or `default`.
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("rule \"{name}\""),
            None => "the default".to_owned(),
        }
    }

    /// Conditions of the rule.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.block.lines.iter().filter_map(|line| match &line.item {
            Statement::If(condition) => Some(condition),
            Statement::Do(_) => None,
        })
    }

    /// What it emits, each with its place in the block.
    pub fn emits(&self) -> impl Iterator<Item = (usize, &Emit)> {
        let lines = self.block.lines.iter().enumerate();
        lines.filter_map(|(at, line)| match &line.item {
            Statement::Do(emit) => Some((at, emit)),
            Statement::If(_) => None,
        })
    }

    /// Whether its operations happen in the order in which they are written.
    pub fn is_in_order(&self) -> bool {
        self.emits().any(|(_, emit)| *emit == Emit::InOrder)
    }
}
