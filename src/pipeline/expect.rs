//! Compares what a scenario expects to be found with what was found, in both directions.
//!
//! Pure: no files, no printing. The meaning of an expectation is that of the scenario language, section "Expectations".

use crate::finding::{Finding, Rule, Severity, Source, Span};
use crate::id::narrow;
use crate::kernel;
use crate::scenario::Expectation;
use crate::scenario::rules::BAD_EXPECTATION;

/// A difference between expectations and findings.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Mismatch {
    /// An expectation that nothing met.
    Missing {
        /// Line of the expectation.
        line: u32,
        /// The id, name or family.
        id: String,
    },
    /// An error or hazard that no expectation absorbed.
    Unexpected {
        /// Line of the finding.
        line: u32,
        /// Id of its rule.
        id: &'static str,
        /// Name of its rule.
        name: &'static str,
        /// Severity of the finding.
        severity: Severity,
        /// Message of the finding.
        message: String,
    },
}

impl Mismatch {
    /// The line that it is about.
    pub fn line(&self) -> u32 {
        match self {
            Self::Missing { line, .. } | Self::Unexpected { line, .. } => *line,
        }
    }
}

/// Whether a rule is about the text itself: what is not understood was not checked, whatever was asked for.
pub(crate) fn is_of_text(rule: &Rule) -> bool {
    rule.family() == "SC" || kernel::rules::TEXT.iter().any(|text| text.id == rule.id)
}

/// Every difference, by line. `only` limits both sides to some families, and to what makes a text unreadable; empty
/// means all.
pub fn compare(
    expectations: &[Expectation],
    findings: &[Finding],
    source: &Source,
    rules: &[&'static Rule],
    only: &[String],
) -> Vec<Mismatch> {
    let counts = |family: Option<&str>| {
        only.is_empty() || family.is_some_and(|f| only.iter().any(|o| o.eq_ignore_ascii_case(f)))
    };
    // `none` is an expectation without ids; next to it nothing may absorb an error or hazard.
    let none = expectations.iter().any(|e| e.ids.is_empty());
    let mut wanted: Vec<(u32, &str, bool)> = expectations
        .iter()
        .flat_map(|e| e.ids.iter().map(|id| (e.line, id.as_str(), false)))
        .filter(|(_, id, _)| {
            let mut text = rules.iter().filter(|rule| is_of_text(rule));
            counts(family_of(id, rules)) || text.any(|rule| rule.is_named(id))
        })
        .collect();
    wanted.sort_by_key(|(line, ..)| *line);
    let mut mismatches = Vec::new();
    for finding in findings {
        let fails_to_read = is_of_text(finding.rule) && finding.severity.fails();
        if !counts(Some(finding.rule.family())) && !fails_to_read {
            continue;
        }
        let line = source.line(finding.span.start);
        let first = wanted.partition_point(|(l, ..)| *l < line);
        let mut absorbed = false;
        for (_, id, met) in wanted[first..].iter_mut().take_while(|(l, ..)| *l == line) {
            if matches(id, finding) {
                *met = true;
                absorbed = true;
            }
        }
        if finding.severity.fails() && (none || !absorbed) {
            mismatches.push(Mismatch::Unexpected {
                line,
                id: finding.rule.id,
                name: finding.rule.name,
                severity: finding.severity,
                message: finding.message.to_string(),
            });
        }
    }
    mismatches.extend(
        wanted
            .into_iter()
            .filter(|(.., met)| !met)
            .map(|(line, id, _)| Mismatch::Missing {
                line,
                id: id.to_owned(),
            }),
    );
    mismatches.sort_by_key(Mismatch::line);
    mismatches
}

/// Mistakes in expectations that only a list of rules shows: words that name none of them, and no family.
pub fn unknown(expectations: &[Expectation], rules: &[&'static Rule]) -> Vec<Finding> {
    let known = |id: &str| rules.iter().any(|rule| rule.is_named(id));
    let mut findings = Vec::new();
    for expectation in expectations {
        let unknown = expectation.ids.iter().filter(|id| !known(id));
        findings.extend(unknown.map(|id| names_nothing(id, expectation.span, rules)));
    }
    findings
}

/// The same mistakes in comments `// syncscope: allow ID`, each with what it covers.
pub fn unknown_allowed<'a>(
    allowed: impl IntoIterator<Item = (&'a [String], Span)>,
    source: &Source,
    rules: &[&'static Rule],
) -> Vec<Finding> {
    let known = |id: &str| rules.iter().any(|rule| rule.is_named(id));
    let mut findings = Vec::new();
    for (ids, covers) in allowed {
        let unknown = ids.iter().filter(|id| !known(id));
        findings.extend(
            unknown.map(|id| names_nothing(id, allowed_at(source, id, covers.start), rules)),
        );
    }
    findings
}

/// Where a comment before a statement allows an id.
fn allowed_at(source: &Source, id: &str, statement: u32) -> Span {
    let before = source.text.get(..statement as usize).unwrap_or_default();
    let comments = before.rmatch_indices("syncscope: allow ");
    let mut places = comments.filter_map(|(at, _)| {
        let line = before[at..].lines().next()?;
        Some(at + line.find(id)?)
    });
    let start = places.next().map_or(statement, narrow);
    Span::new(start, start + narrow(id.len()))
}

/// A word that names no rule and no family, with the rule that is nearest.
fn names_nothing(id: &str, span: Span, rules: &[&'static Rule]) -> Finding {
    let distance =
        |word: &str| strsim::osa_distance(&id.to_ascii_lowercase(), &word.to_ascii_lowercase());
    let near = rules
        .iter()
        .flat_map(|rule| [rule.id, rule.name])
        .map(|word| (distance(word), word))
        .min()
        .filter(|(distance, _)| *distance <= 1 + id.len() / 6);
    let help = near.map_or(
        "`syncscope list rules` lists them".to_owned(),
        |(_, word)| format!("did you mean `{word}`? `syncscope list rules` lists them"),
    );
    let message = format!("`{id}` names no rule and no family of rules");
    Finding::new(&BAD_EXPECTATION, span, message).help(help)
}

/// A text without the expectations that nothing met; a comment that loses its last one goes.
pub fn without(expectations: &[Expectation], mismatches: &[Mismatch], source: &Source) -> String {
    let mut text = source.text.clone();
    let mut by_place: Vec<&Expectation> = expectations.iter().collect();
    by_place.sort_by_key(|e| std::cmp::Reverse(e.span.start));
    for expectation in by_place {
        let unmet = |id: &String| {
            mismatches.iter().any(|m| {
                matches!(m, Mismatch::Missing { line, id: missing }
                    if *line == expectation.line && missing == id)
            })
        };
        let kept: Vec<&str> = expectation
            .ids
            .iter()
            .filter(|id| !unmet(id))
            .map(String::as_str)
            .collect();
        if kept.len() == expectation.ids.len() {
            continue;
        }
        let start = expectation.span.start as usize;
        let Some(from) = text.get(start..) else {
            continue;
        };
        let end = start + from.find('\n').unwrap_or(from.len());
        if kept.is_empty() {
            let before = text[..start].trim_end_matches([' ', '\t']).len();
            text.replace_range(before..end, "");
        } else {
            text.replace_range(start..end, &format!("//~ {}", kept.join(", ")));
        }
    }
    text
}

/// An id or a name matches any severity; a family only errors and hazards.
fn matches(id: &str, finding: &Finding) -> bool {
    let is = |word: &str| id.eq_ignore_ascii_case(word);
    is(finding.rule.id)
        || is(finding.rule.name)
        || (is(finding.rule.family()) && finding.severity.fails())
}

/// The family that an id, name or family belongs to; `None` for a name that no rule has.
fn family_of<'a>(id: &'a str, rules: &[&'static Rule]) -> Option<&'a str> {
    let two_letters = id
        .get(..2)
        .filter(|f| f.bytes().all(|b| b.is_ascii_alphabetic()));
    two_letters
        .filter(|_| id[2..].bytes().all(|b| b.is_ascii_digit()))
        .or_else(|| {
            rules
                .iter()
                .find(|r| r.name.eq_ignore_ascii_case(id))
                .map(|r| r.family())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    static RAW: Rule = Rule {
        id: "HZ101",
        name: "read-after-write",
        severity: Severity::Hazard,
        summary: "",
        prose: "",
    };
    static RD: Rule = Rule {
        id: "RD101",
        name: "redundant-barrier",
        severity: Severity::Warning,
        summary: "",
        prose: "",
    };

    fn expect(line: u32, ids: &[&str]) -> Expectation {
        Expectation {
            line,
            ids: ids.iter().map(|i| (*i).to_owned()).collect(),
            span: Span::default(),
        }
    }

    /// Mismatches over a text of lines `a`, `b`, `c`, as `-line id` and `+line id`.
    fn run(expectations: &[Expectation], found: &[(u32, &'static Rule)], only: &[&str]) -> String {
        let source = Source::new("x", "a\nb\nc\n");
        let findings: Vec<Finding> = found
            .iter()
            .map(|(line, rule)| {
                let start = (line - 1) * 2;
                let end = start + 1;
                Finding::new(rule, Span { start, end }, "m")
            })
            .collect();
        let only: Vec<String> = only.iter().map(|o| (*o).to_owned()).collect();
        compare(expectations, &findings, &source, &[&RAW, &RD], &only)
            .iter()
            .map(|m| match m {
                Mismatch::Missing { line, id } => format!("-{line} {id};"),
                Mismatch::Unexpected { line, id, .. } => format!("+{line} {id};"),
            })
            .collect()
    }

    #[test]
    fn id_name_and_family_absorb_all_on_their_line() {
        for id in ["HZ101", "read-after-write", "HZ"] {
            assert_eq!(run(&[expect(2, &[id])], &[(2, &RAW), (2, &RAW)], &[]), "");
            assert_eq!(
                run(&[expect(2, &[id])], &[(3, &RAW)], &[]),
                format!("-2 {id};+3 HZ101;")
            );
        }
    }

    #[test]
    fn letters_of_either_case_are_the_same() {
        for id in ["hz101", "Read-After-Write", "hz"] {
            assert_eq!(run(&[expect(2, &[id])], &[(2, &RAW)], &[]), "");
            assert_eq!(run(&[expect(2, &[id])], &[(2, &RAW)], &["hz"]), "");
            assert!(unknown(&[expect(2, &[id])], &[&RAW]).is_empty());
        }
        let found = unknown(&[expect(2, &["HZ110", "HZ", "NOPE1"])], &[&RAW]);
        let found: Vec<_> = found.iter().map(|f| (f.rule.id, &*f.message)).collect();
        assert_eq!(
            found,
            [
                ("SC013", "`HZ110` names no rule and no family of rules"),
                ("SC013", "`NOPE1` names no rule and no family of rules"),
            ]
        );
    }

    #[test]
    fn warnings_count_only_where_named() {
        assert_eq!(run(&[], &[(1, &RD)], &[]), "");
        assert_eq!(run(&[expect(1, &["RD101"])], &[(1, &RD)], &[]), "");
        assert_eq!(
            run(&[expect(1, &["redundant-barrier"])], &[], &[]),
            "-1 redundant-barrier;"
        );
        assert_eq!(run(&[expect(1, &["RD"])], &[(1, &RD)], &[]), "-1 RD;");
    }

    #[test]
    fn none_forbids_errors_and_hazards_only() {
        assert_eq!(run(&[expect(1, &[])], &[(2, &RD)], &[]), "");
        assert_eq!(run(&[expect(1, &[])], &[(2, &RAW)], &[]), "+2 HZ101;");
    }

    #[test]
    fn only_limits_both_sides() {
        let expectations = [expect(1, &["redundant-barrier", "EB"])];
        assert_eq!(run(&expectations, &[(2, &RAW)], &["EB"]), "-1 EB;");
        assert_eq!(run(&expectations, &[(2, &RAW)], &["HZ"]), "+2 HZ101;");
        assert_eq!(run(&expectations, &[], &["RD"]), "-1 redundant-barrier;");
    }
}
