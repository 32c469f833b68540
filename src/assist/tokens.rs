//! What each word of a text is, for colours: cut by the lexers, told apart by the table of names and by the words of D3D12.

use super::Language;
use super::folding::all;
use super::meaning::of_word;
use super::names::Names;
use crate::finding::Span;
use crate::id::narrow;
use crate::lookup::LookupSet;
use crate::tokens::Token;
use crate::{kernel, lower::rules, scenario};

/// What a token is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub enum Kind {
    /// A comment.
    Comment,
    /// Text in quotes.
    Text,
    /// A number, a size, a duration.
    Number,
    /// A word of the grammar.
    Keyword,
    /// A word of D3D12: a bit, a layout, a format.
    Constant,
    /// A resource, a variable, a register.
    Variable,
    /// A command list, a rule.
    Function,
    /// A heap, a lowering.
    Type,
    /// A queue, a process, a thread.
    Namespace,
    /// A fence.
    Event,
    /// Another word.
    Property,
}

impl Kind {
    /// Every kind, in order.
    pub const ALL: [Self; 11] = [
        Self::Comment,
        Self::Text,
        Self::Number,
        Self::Keyword,
        Self::Constant,
        Self::Variable,
        Self::Function,
        Self::Type,
        Self::Namespace,
        Self::Event,
        Self::Property,
    ];

    /// The word of the protocol of language servers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Text => "string",
            Self::Number => "number",
            Self::Keyword => "keyword",
            Self::Constant => "enumMember",
            Self::Variable => "variable",
            Self::Function => "function",
            Self::Type => "type",
            Self::Namespace => "namespace",
            Self::Event => "event",
            Self::Property => "property",
        }
    }

    /// Of names of a kind.
    fn of_name(kind: &str) -> Self {
        match kind {
            "list" | "rule" => Self::Function,
            "heap" | "lowering" => Self::Type,
            "queue" => Self::Namespace,
            "fence" => Self::Event,
            _ => Self::Variable,
        }
    }
}

/// A token with its place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Coloured {
    /// Where it is; never more than one line.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
    /// Whether a name is declared here.
    pub declares: bool,
}

/// Those of a text, in its order. A profile has none: editors know TOML.
pub fn of(text: &str, names: &Names, language: Language) -> Vec<Coloured> {
    match language {
        Language::Scenario => {
            cut::<scenario::lexer::Token>(text, names, scenario::parser::keywords())
        }
        Language::Litmus => cut::<kernel::lexer::Token>(text, names, kernel::parser::keywords()),
        Language::Rules => {
            let words = rules::keywords();
            let words = words.iter().map(String::as_str).collect();
            cut::<rules::lexer::Token>(text, names, words)
        }
        Language::Profile => Vec::new(),
    }
}

fn cut<T: Token>(text: &str, names: &Names, keywords: Vec<&str>) -> Vec<Coloured> {
    let kinds = names.kinds();
    let keywords: LookupSet<&str> = keywords.into_iter().collect();
    let mut tokens = Vec::new();
    for (token, mut span) in all::<T>(text) {
        let word = text[span.start as usize..span.end as usize].trim_end_matches('\r');
        // A comment goes up to the end of its line, which may be two bytes.
        span.end = span.start + narrow(word.len());
        let name = kinds.binary_search_by_key(&span, |it| it.0).ok();
        let name = name.map(|index| kinds[index]);
        let kind = if let Some((_, kind, _)) = name {
            Kind::of_name(kind)
        } else if token == T::COMMENT {
            Kind::Comment
        } else if token == T::TEXT || token == T::OPEN_TEXT {
            Kind::Text
        } else if token == T::WORD {
            of_a_word(word, &keywords)
        } else if word.starts_with(|c: char| c.is_ascii_digit())
            || word.len() > 1 && word.starts_with('-') && !word.ends_with('>')
        {
            Kind::Number
        } else {
            continue;
        };
        tokens.push(Coloured {
            span,
            kind,
            declares: name.is_some_and(|(_, _, declares)| declares),
        });
    }
    tokens
}

fn of_a_word(word: &str, keywords: &LookupSet<&str>) -> Kind {
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "_*".contains(c);
    if keywords.contains(word) {
        Kind::Keyword
    } else if of_word(word).is_some() || word.len() > 1 && word.chars().all(is_capital) {
        Kind::Constant
    } else {
        Kind::Property
    }
}
