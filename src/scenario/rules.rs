//! The rules of scenario text: family `SC`. All are errors, because a text that is not understood cannot be run.

use crate::finding::{Rule, Severity};

macro_rules! rules {
    ($($(#[$doc:meta])* $constant:ident = $id:literal, $name:literal, $summary:literal;)*) => {
        $(
            $(#[$doc])*
            #[doc = $summary]
            pub static $constant: Rule = Rule {
                id: $id,
                name: $name,
                severity: Severity::Error,
                summary: $summary,
            };
        )*
        /// Every rule of the family, in order of id.
        pub static RULES: &[&Rule] = &[$(&$constant),*];
    };
}

rules! {
    UNEXPECTED_CHARACTER = "SC001", "unexpected-character", "Characters that begin no word, number, string or sign.";
    UNEXPECTED_TOKEN = "SC002", "unexpected-token", "A word or sign that the grammar does not allow at its place.";
    UNKNOWN_NAME = "SC003", "unknown-name", "A name that is not declared before its use, or is of another kind.";
    DUPLICATE_NAME = "SC004", "duplicate-name", "A name or a part of the file that is declared twice.";
    DUPLICATE_OPTION = "SC005", "duplicate-option", "An option that is given twice, or beside one that excludes it.";
    OUT_OF_BOUNDS = "SC006", "out-of-bounds", "A range of a use that reaches beyond its resource.";
    LIMIT_EXCEEDED = "SC007", "limit-exceeded", "A number, a count or a text beyond the program's limits.";
    QUEUE_TYPE_MISMATCH = "SC008", "queue-type-mismatch", "A list executed where its type cannot run.";
    VANISHING_BIT = "SC009", "vanishing-bit", "`NONE` or `COMMON` joined with other names: it is zero and vanishes.";
    BAD_VALUE = "SC010", "bad-value", "A value that is not of the form or in the set that its place wants.";
    WRONG_STAGE = "SC011", "wrong-stage", "A stage or an access that the command cannot have.";
    WRONG_RESOURCE = "SC012", "wrong-resource", "A resource or range of a kind that its place does not take.";
    BAD_EXPECTATION = "SC013", "bad-expectation", "An expectation that names nothing, or `none` beside others.";
    JSON_SYNTAX = "SC014", "json-syntax", "A JSON scenario that is not JSON or does not follow the schema.";
}
