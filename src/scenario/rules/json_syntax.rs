//! **What it finds.** A JSON scenario that is not JSON, does not follow the schema, or names what it does not declare.
//!
//! **Why it matters.** The JSON form is the same value as the text; what cannot be read as that value cannot run.
//! `syncscope schema scenario` prints the schema.
//!
//! **Firing example**
//! ```json
//! {
//!   "device": {},
//!   "heaps": {},
//!   "resources": {},
//!   "fences": {},
//!   "queues": { "q": { "queue_type": "direct" }, },
//!   "lists": [
//!     {
//!       "name": "l",
//!       "queue_type": "direct",
//!       "commands": [{ "kind": { "dispatch": { "groups": [1, 1, 1] } }, "uses": [] }]
//!     }
//!   ],
//!   "timeline": { "statements": [{ "kind": { "execute": { "queue": "q", "lists": ["l"] } } }] },
//!   "order": [{ "queue": "q" }, { "list": "l" }, "timeline"]
//! }
//! ```
//!
//! **Fixed example**
//! ```json
//! {
//!   "device": {},
//!   "heaps": {},
//!   "resources": {},
//!   "fences": {},
//!   "queues": { "q": { "queue_type": "direct" } },
//!   "lists": [
//!     {
//!       "name": "l",
//!       "queue_type": "direct",
//!       "commands": [{ "kind": { "dispatch": { "groups": [1, 1, 1] } }, "uses": [] }]
//!     }
//!   ],
//!   "timeline": { "statements": [{ "kind": { "execute": { "queue": "q", "lists": ["l"] } } }] },
//!   "order": [{ "queue": "q" }, { "list": "l" }, "timeline"]
//! }
//! ```
//!
//! **Source.** The scenario language: every scenario has an exact JSON form, described by a JSON Schema; RFC 8259.

use crate::finding::{Rule, Severity};

/// The rule.
pub static RULE: Rule = Rule {
    id: "SC014",
    name: "json-syntax",
    severity: Severity::Error,
    summary: "A JSON scenario that is not JSON or does not follow the schema.",
    file: include_str!("json_syntax.rs"),
};
