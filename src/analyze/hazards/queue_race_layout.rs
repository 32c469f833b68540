//! **What it finds.** A queue changes the layout of a texture, or discards it, while another uses it or changes its
//! layout too, and no fence orders the two.
//!
//! **Why it matters.** A transition reads and rewrites the texture's memory. Whoever uses it meanwhile finds it in
//! neither layout, and after two transitions the layout may be either.
//!
//! **Firing example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
//! queue gfx : direct
//! queue async : compute
//!
//! list one : direct {
//!   draw "paint" { RENDER_TARGET t }
//!   barrier { texture t { sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! list two : compute {
//!   dispatch "sample" 8x8x1 { SHADER_RESOURCE t }
//! }
//!
//! timeline {
//!   gfx execute one
//!   async execute two
//! }
//! ```
//!
//! **Fixed example**
//! ```text
//! texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
//! fence f
//! queue gfx : direct
//! queue async : compute
//!
//! list one : direct {
//!   draw "paint" { RENDER_TARGET t }
//!   barrier { texture t { sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> SHADER_RESOURCE } }
//! }
//!
//! list two : compute {
//!   dispatch "sample" 8x8x1 { SHADER_RESOURCE t }
//! }
//!
//! timeline {
//!   gfx execute one
//!   gfx signal f 1
//!   async wait f 1
//!   async execute two
//! }
//! ```
//!
//! **Source.** Enhanced Barriers specification, "Layout Transitions", "Barrier-Free Access"; readings R17, R23, R42.

use super::{HazardRule, queue_race};
use crate::finding::{Rule, Severity};
use crate::graph::ConflictKind;

static RULE: Rule = Rule {
    id: "HZ203",
    name: "queue-race-layout",
    severity: Severity::Hazard,
    summary: "one queue changes the layout of what another uses, and no fence orders them",
    file: include_str!("queue_race_layout.rs"),
};

pub(super) static HAZARD: HazardRule = HazardRule {
    rule: &RULE,
    kinds: &[ConflictKind::RaceLayout],
    message: queue_race::message,
    help: queue_race::help,
};
