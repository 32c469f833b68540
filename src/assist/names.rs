//! Where names are declared and used: definition, references, renaming, and what a text consists of.

use super::actions::applied;
use super::{Language, marks};
use crate::finding::{Edit, Source, Span};
use crate::hardware::Profile;
use crate::id::narrow;
use crate::lookup::LookupMap;
use crate::run::Registry;
use crate::tokens::{Noted, Notes, Token};
use crate::{kernel, lower::rules, scenario};

/// A name of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// What has such names: `resource`, `heap`, `fence`, `queue`, `list`; `variable`, `register`; `lowering`, `rule`; `cache`.
    pub kind: &'static str,
    /// The name as it is written.
    pub name: String,
    /// Names of one kind in different scopes are different names: a register is one of its thread.
    pub scope: u32,
    /// Where it is declared. A register is where it is first.
    pub declared: Span,
    /// Every place of it in the order of the text, that of its declaration too.
    pub places: Vec<Span>,
}

/// A declaration, or another statement of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name; of a statement that names nothing, its first word.
    pub name: String,
    /// What it declares, as [`Name::kind`]; empty if nothing.
    pub kind: &'static str,
    /// Its first word.
    pub word: String,
    /// Where the name is.
    pub at: Span,
    /// All of it.
    pub whole: Span,
}

/// The names of a text.
#[derive(Clone, Default, Debug)]
pub struct Names {
    /// In the order of their declarations.
    pub all: Vec<Name>,
    /// In the order of the text.
    pub symbols: Vec<Symbol>,
}

impl Names {
    /// Those of a text, as far as it is understood.
    ///
    /// Cost: one reading of the text.
    pub fn of(source: &Source, language: Language, registry: &Registry) -> Self {
        let notes = match language {
            Language::Scenario => scenario::parser::notes(source),
            Language::Litmus => kernel::parser::notes(source),
            Language::Rules => rules::parser::notes(source),
            Language::Profile => return of_profile(&source.text, registry),
        };
        Self::noted(&source.text, &notes)
    }

    fn noted(text: &str, notes: &Notes) -> Self {
        let mut all: Vec<Name> = Vec::new();
        let mut known: LookupMap<(&'static str, u32, &str), usize> = LookupMap::default();
        for note in &notes.names {
            let name = slice(text, note.span);
            let key = (note.kind, note.scope, name);
            let index = *known.entry(key).or_insert_with(|| {
                all.push(Name {
                    kind: note.kind,
                    name: name.to_owned(),
                    scope: note.scope,
                    declared: note.span,
                    places: Vec::new(),
                });
                all.len() - 1
            });
            let found = &mut all[index];
            if note.declares {
                found.declared = note.span;
            }
            found.places.push(note.span);
        }
        for name in &mut all {
            name.places.sort_unstable();
            name.places.dedup();
        }
        let mut declared: Vec<&Name> = all.iter().collect();
        declared.sort_by_key(|name| name.declared);
        let symbols = notes.parts.iter().map(|part| {
            let word = slice(text, part.word).to_owned();
            // A list is declared by its own statement only; what else a statement names is used in it.
            let first = declared.partition_point(|it| it.declared.start < part.whole.start);
            let name = declared.get(first).filter(|it| {
                let head = slice(text, Span::new(part.word.end, it.declared.start));
                it.kind != "register"
                    && it.declared.start < part.whole.end
                    && head.trim().is_empty()
            });
            Symbol {
                name: name.map_or_else(|| word.clone(), |it| it.name.trim_matches('"').to_owned()),
                kind: name.map_or("", |it| it.kind),
                at: name.map_or(part.word, |it| it.declared),
                word,
                whole: part.whole,
            }
        });
        let symbols = symbols.collect();
        Self { all, symbols }
    }

    /// The name at a byte, or right before it.
    pub fn at(&self, byte: usize) -> Option<(&Name, Span)> {
        let byte = narrow(byte);
        let holds = |place: &&Span| place.start <= byte && byte <= place.end;
        self.all.iter().find_map(|name| {
            let after = name.places.partition_point(|place| place.start <= byte);
            let place = name.places[..after].last().filter(holds)?;
            Some((name, *place))
        })
    }

    /// The kind of the name at each place, in the order of the text.
    pub fn kinds(&self) -> Vec<(Span, &'static str, bool)> {
        let places = self.all.iter().flat_map(|name| {
            let kinds = name.places.iter();
            kinds.map(move |place| (*place, name.kind, *place == name.declared))
        });
        let mut all: Vec<_> = places.collect();
        all.sort_unstable();
        all
    }
}

fn slice(text: &str, span: Span) -> &str {
    text.get(span.start as usize..span.end as usize)
        .unwrap_or_default()
}

/// What renaming the name at a byte changes. It is tried on a copy: every place of every name must mean what it meant.
///
/// # Errors
/// Why it cannot have that name.
pub fn renamed(
    source: &Source,
    language: Language,
    registry: &Registry,
    at: usize,
    new: &str,
) -> Result<Vec<Edit>, String> {
    let names = Names::of(source, language, registry);
    let Some((name, _)) = names.at(at) else {
        return Err("there is no name here that the text declares".to_owned());
    };
    let (bytes, most) = (new.len(), scenario::parser::NAME_BYTES_MAX);
    if bytes > most {
        return Err(format!("a name has {bytes} bytes; the limit is {most}"));
    }
    let is_quoted = name.name.starts_with('"');
    if !is_quoted && !is_word(language, new) {
        return Err(format!("`{new}` is no name: a name is one word"));
    }
    let text = if is_quoted && !new.starts_with('"') {
        format!("\"{new}\"")
    } else {
        new.to_owned()
    };
    let taken =
        |it: &&Name| it.name == text && it.scope == name.scope && it.declared != name.declared;
    if let Some(other) = names.all.iter().find(taken) {
        let line = source.line(other.declared.start);
        return Err(format!(
            "`{new}` is already the name of a {}, declared in line {line}",
            other.kind
        ));
    }
    let edits: Vec<Edit> = name
        .places
        .iter()
        .map(|span| Edit::new(*span, text.clone()))
        .collect();
    let changed = applied(&source.text, &edits).ok_or("the text does not hold this name")?;
    let changed = Source::new(source.name.clone(), changed);
    let shape = |names: &Names| -> Vec<(&'static str, u32, usize)> {
        let all = names.all.iter();
        all.map(|it| (it.kind, it.scope, it.places.len())).collect()
    };
    let (before, after) = (
        marks::of_text(source, language),
        marks::of_text(&changed, language),
    );
    if after.len() > before.len() {
        let new_one = after
            .iter()
            .find(|it| before.iter().all(|old| old.message != it.message));
        let says = new_one.map_or("the text would not be understood", |it| &it.message);
        return Err(format!("`{new}` cannot be the name: {says}"));
    }
    if shape(&Names::of(&changed, language, registry)) != shape(&names) {
        return Err(format!(
            "`{new}` cannot be the name: it means something else where it is used"
        ));
    }
    Ok(edits)
}

/// Whether a text is one word of a language.
fn is_word(language: Language, text: &str) -> bool {
    fn cut<T: Token>(text: &str) -> bool {
        let (token, span) = T::cut(text, 0);
        token == T::WORD && span.start == 0 && span.end as usize == text.len()
    }
    text.len() <= scenario::parser::NAME_BYTES_MAX
        && match language {
            Language::Scenario | Language::Profile => cut::<scenario::lexer::Token>(text),
            Language::Litmus => cut::<kernel::lexer::Token>(text),
            Language::Rules => cut::<rules::lexer::Token>(text),
        }
}

/// The caches of a profile and its tables. What a built-in profile that it is based on names is known, and no name of this text.
fn of_profile(text: &str, registry: &Registry) -> Names {
    let base = Profile::base(text).and_then(|(base, _)| registry.entry(&base));
    let mut texts = vec![text];
    texts.extend(base.map(|it| it.text));
    let mut notes = Notes::default();
    let mut taken: Vec<usize> = Vec::new();
    for (start, name, declares) in Profile::names(&texts) {
        let quoted = format!("\"{name}\"");
        let places = text.match_indices(&quoted).map(|(at, _)| at);
        let place = places
            .skip_while(|at| *at < start)
            .find(|at| !taken.contains(at));
        let Some(at) = place else { continue };
        // The value or the list that begins there has the name, and not one further down.
        if text[start..at].contains('\n') && !text[start..].starts_with('[') {
            continue;
        }
        taken.push(at);
        notes.names.push(Noted {
            kind: "cache",
            span: Span::new(narrow(at + 1), narrow(at + 1 + name.len())),
            declares,
            scope: 0,
        });
    }
    Names {
        all: Names::noted(text, &notes).all,
        ..tables(text)
    }
}

/// The tables of a profile.
fn tables(text: &str) -> Names {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = narrow(at);
        at += line.len();
        let end = narrow(at - (line.len() - line.trim_end().len()));
        let line = line.trim_end();
        if line.starts_with('[') && line.contains(']') && !line.contains('=') {
            let word = line.trim_matches(['[', ']']).to_owned();
            let span = Span { start, end };
            symbols.push(Symbol {
                name: word.clone(),
                kind: "",
                word,
                at: span,
                whole: span,
            });
        } else if let Some(last) = symbols.last_mut()
            && !line.trim().is_empty()
        {
            last.whole.end = end;
            let value = line.strip_prefix("name").map(str::trim_start);
            if let Some(value) = value.and_then(|rest| rest.strip_prefix('=')) {
                last.name = format!("{} {}", last.word, value.trim().trim_matches('"'));
            }
        }
    }
    Names {
        all: Vec::new(),
        symbols,
    }
}
