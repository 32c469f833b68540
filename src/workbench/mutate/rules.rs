//! Mistakes in a rule file: a rule left out, a condition left out, two neighbours swapped.

use super::edit::Part;
use crate::lower::rules::{RuleFile, RuleLowering, Statement};

/// A rule file with a mistake, what it is, and what kind of mistake.
pub(super) struct Edited {
    pub(super) part: Part,
    pub(super) says: String,
    pub(super) lowering: RuleLowering,
}

/// Every copy of a rule file with one mistake. A file with a single rule keeps that rule: without it there is no rule file.
pub(super) fn edited(rules: &RuleLowering) -> Vec<Edited> {
    let file = rules.file();
    let source = rules.source();
    let place = |at: usize| {
        let rule = &file.rules[at];
        format!("{} (line {})", rule.title(), source.line(rule.span.start))
    };
    let mut all = Vec::new();
    let mut add = |part, says, file: RuleFile| {
        all.push(Edited {
            part,
            says,
            lowering: rules.edited(file),
        });
    };
    for at in 0..file.rules.len() {
        if file.rules.len() > 1 {
            let mut without = file.clone();
            without.rules.remove(at);
            add(Part::Rule, format!("without {}", place(at)), without);
        }
        for (line, statement) in file.rules[at].block.lines.iter().enumerate() {
            if matches!(statement.item, Statement::If(_)) {
                let mut without = file.clone();
                without.rules[at].block.lines.remove(line);
                let number = source.line(statement.span.start);
                let says = format!(
                    "{} without its condition of line {number}",
                    file.rules[at].title()
                );
                add(Part::Condition, says, without);
            }
        }
        // The default comes last, wherever it is written.
        let is_named = |at: usize| file.rules.get(at).is_some_and(|rule| rule.name.is_some());
        if is_named(at) && is_named(at + 1) {
            let mut swapped = file.clone();
            swapped.rules.swap(at, at + 1);
            let says = format!("{} after {}", place(at), place(at + 1));
            add(Part::Order, says, swapped);
        }
    }
    all
}
