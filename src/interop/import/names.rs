//! Names of the scenario language from names of a capture.

use crate::lookup::{LookupMap, LookupSet};

/// Names of one namespace.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: LookupSet<String>,
    /// The last number that made a name unique.
    counts: LookupMap<String, u32>,
}

const BYTES_MAX: usize = 64;

impl Names {
    /// A name like this one that nothing has yet.
    pub(super) fn unique(&mut self, name: &str) -> String {
        let base = identifier(name);
        if self.taken.insert(base.clone()) {
            return base;
        }
        let count = self.counts.entry(base.clone()).or_insert(1);
        loop {
            *count += 1;
            let numbered = format!("{base}_{count}");
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}

/// An identifier: letters, digits and `_`; what is in between becomes one `_`.
fn identifier(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if out.len() >= BYTES_MAX {
            break;
        }
        if c.is_ascii_alphanumeric() || c == '_' {
            if out.is_empty() && c.is_ascii_digit() {
                out.push('_');
            }
            out.push(c);
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
    }
    let trimmed = out.trim_end_matches('_');
    if trimmed.is_empty() {
        "unnamed".to_owned()
    } else {
        trimmed.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_unique() {
        let mut names = Names::default();
        assert_eq!(names.unique("G-Buffer (albedo)"), "G_Buffer_albedo");
        assert_eq!(names.unique("G Buffer albedo"), "G_Buffer_albedo_2");
        assert_eq!(names.unique("3d"), "_3d");
        assert_eq!(names.unique("…"), "unnamed");
        assert_eq!(names.unique("unnamed_2"), "unnamed_2");
        assert_eq!(names.unique(""), "unnamed_3");
    }
}
