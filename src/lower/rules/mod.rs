//! Lowerings in files: ordered rules that match barrier entries and say what their packets get, for trying an idea
//! without compiling.
//!
//! ```text
//! text ─parse→ RuleFile ─┬─check(profile), unreachable→ findings
//!                        └─RuleLowering→ a lowering like any other
//! ```
//! A rule file is about no profile in particular: it names caches and layout operations, and each entry looks them up in
//! the profile that it is lowered for. What a profile does not have is a mistake that [`check()`] reports before anything
//! runs.

mod account;
mod check;
pub mod export;
pub mod json;
pub(crate) mod lexer;
mod matching;
pub mod mistakes;
mod model;
pub(crate) mod parser;
mod policy;
mod printer;
mod reach;
mod sets;
pub(crate) mod suggest;
mod words;

pub use account::{RuleAccount, RuleMatch};
pub use check::{check, name_taken, unknown_profiles};
pub use model::*;
pub use parser::{
    BLOCKS, FINDINGS_MAX, RULES_MAX, SETTINGS, SOURCE_BYTES_MAX, STATEMENTS_MAX, keywords, parse,
    statements,
};
pub use printer::{print, quoted, setting as print_setting, statement as print_statement};
pub use reach::unreachable;
pub use sets::{Bits, BitsOf, Choice, How, Of, Value};

use super::Lowering;
use super::policy::{Entry, Policy};
use super::session::Session;
use crate::finding::{Finding, Source};
use crate::program::Why;

/// The lowering that a rule file describes.
#[derive(Clone, Debug)]
pub struct RuleLowering {
    file: RuleFile,
    source: Source,
    name: &'static str,
    summary: &'static str,
    /// Of each rule and each of its lines: what a step says that came of it.
    whys: Vec<Vec<Why>>,
}

impl RuleLowering {
    /// The lowering of a rule file, and what is suspicious about it: rules that can never match.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(source: &Source) -> Result<(Self, Vec<Finding>), Vec<Finding>> {
        let (file, mut findings) = parse(source);
        if findings.iter().any(|f| f.severity.fails()) {
            return Err(findings);
        }
        findings.extend(unreachable(&file));
        Ok((Self::new(file, source), findings))
    }

    fn new(file: RuleFile, source: &Source) -> Self {
        let why = |rule: &RuleText, line: &Line<Statement>| {
            let line = source.line(line.span.start);
            let text = format!("{}, {}:{line}", rule.title(), source.name);
            Why::Text(words::kept(&text))
        };
        let whys = file.rules.iter();
        let whys = whys.map(|rule| rule.block.lines.iter().map(|l| why(rule, l)).collect());
        Self {
            whys: whys.collect(),
            name: words::kept(&file.name),
            summary: words::kept(file.summary()),
            source: source.clone(),
            file,
        }
    }

    /// The same for the rest of the program: what packets refer to stays anyway, and a lowering of a run is like a built-in
    /// one.
    #[must_use]
    pub fn kept(self) -> &'static Self {
        Box::leak(Box::new(self))
    }

    /// The lowering of the same text with other rules: each comes from the text, whole or with less in it.
    #[must_use]
    pub fn edited(&self, file: RuleFile) -> Self {
        Self::new(file, &self.source)
    }

    /// The rule file.
    pub fn file(&self) -> &RuleFile {
        &self.file
    }

    /// Text of the rule file.
    pub fn source(&self) -> &Source {
        &self.source
    }

    fn keeps_passes(&self) -> bool {
        self.file.passes() == Passes::Keep
    }
}

impl Lowering for RuleLowering {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn rules(&self) -> Option<&RuleLowering> {
        Some(self)
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for RuleLowering {
    fn keeps_passes(&self) -> bool {
        Self::keeps_passes(self)
    }

    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let (draft, _) = policy::packet(self, session, entry);
        session.barrier(entry, &draft);
    }
}
