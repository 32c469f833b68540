//! **What it finds.** A barrier whose masks can be narrowed without adding a hazard: `ALL` or `COMMON` where specific
//! bits do, or bits that serve no use of the resource.
//!
//! **Why it matters.** Drivers wait for and flush what is named.
//!
//! **Source.** Enhanced Barriers specification, `D3D12_BARRIER_ACCESS_COMMON`, "Excessive sync latency"; reading R16.

use crate::finding::{Rule, Severity};

/// The rule.
pub(super) static RULE: Rule = Rule {
    id: "RD102",
    name: "too-wide-barrier",
    severity: Severity::Advice,
    summary: "a barrier whose masks can be narrowed without adding a hazard",
    file: include_str!("too_wide_barrier.rs"),
};
