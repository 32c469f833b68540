//! Entries of enhanced and of legacy barriers.

use super::words::{range_text, transition_text};
use super::{Piece, Printer};
use crate::api::{BarrierAccess, BarrierSync, BarrierType};
use crate::id::ResourceId;
use crate::scenario::model::{Barrier, BarrierRange, BarrierTarget, LegacyBarrier, LegacyKind};

impl Printer<'_> {
    /// An entry of a `barrier { … }`.
    pub(super) fn barrier(&self, barrier: &Barrier) -> Piece {
        let mut options = scope_options(barrier);
        let head = match &barrier.target {
            BarrierTarget::Global => "global".to_string(),
            BarrierTarget::EmptyGroup(kind) => match kind {
                BarrierType::Global => "global".into(),
                BarrierType::Texture => "texture".into(),
                BarrierType::Buffer => "buffer".into(),
                BarrierType::Ranged => "ranged".into(),
            },
            BarrierTarget::Buffer {
                resource,
                offset,
                size,
            } => {
                options.extend(offset.map(|offset| Piece::option(format!("offset {offset}"))));
                options.extend(size.map(|size| match size {
                    u64::MAX => Piece::option("size all"),
                    bytes => Piece::option(format!("size {bytes}")),
                }));
                format!("buffer {}", self.resource_or(*resource, "null"))
            }
            BarrierTarget::Ranged {
                resource,
                range,
                flags,
            } => {
                let words = [(1, "atomic-copy"), (2, "acquire"), (4, "release")];
                let set = words.into_iter().filter(|(bit, _)| flags & bit != 0);
                options.extend(set.map(|(_, word)| Piece::option(word)));
                let name = self.resource_or(*resource, "null");
                format!("ranged {name}{}", range_text(range))
            }
            BarrierTarget::Texture(entry) => {
                if !entry.is_memory_only() {
                    let (before, after) = entry.layouts();
                    options.push(Piece::option(format!("layout {before} -> {after}")));
                }
                if entry.discard {
                    options.push(Piece::option("discard"));
                }
                let bracket = match &entry.range {
                    BarrierRange::Range(range) => range_text(range),
                    BarrierRange::Raw([mip, rest @ ..]) => {
                        let rest = rest.map(|number| number.to_string()).join(" ");
                        options.push(Piece::option(format!("range {mip:#x} {rest}")));
                        String::new()
                    }
                };
                let name = self.resource_or(entry.resource, "null");
                format!("texture {name}{bracket}")
            }
        };
        Piece::new(head, &barrier.trivia).with(options)
    }

    /// An entry of a `legacy { … }`.
    pub(super) fn legacy(&self, entry: &LegacyBarrier) -> Piece {
        let head = match &entry.kind {
            LegacyKind::Transition(it) => {
                let name = self.scenario.resource_name(it.resource);
                let what = format!("{name}{}", range_text(&it.range));
                transition_text(&what, it.states(), it.split)
            }
            LegacyKind::Uav(resource) => format!("uav {}", self.resource_or(*resource, "*")),
            LegacyKind::Alias(before, after) => format!(
                "alias {} -> {}",
                self.resource_or(*before, "*"),
                self.resource_or(*after, "*")
            ),
        };
        Piece::new(head, &entry.trivia)
    }

    fn resource_or(&self, id: Option<ResourceId>, otherwise: &'static str) -> &str {
        id.map_or(otherwise, |id| self.scenario.resource_name(id))
    }
}

/// `sync` and `access`, where the entry's type has them and they say more than their absence.
fn scope_options(barrier: &Barrier) -> Vec<Piece> {
    if matches!(
        barrier.target,
        BarrierTarget::EmptyGroup(_) | BarrierTarget::Ranged { .. }
    ) {
        return Vec::new();
    }
    let mut options = Vec::new();
    let (before, after) = (barrier.sync_before, barrier.sync_after);
    if before != BarrierSync::NONE || after != BarrierSync::NONE {
        options.push(Piece::option(format!("sync {before} -> {after}")));
    }
    let (before, after) = (barrier.access_before, barrier.access_after);
    if before != BarrierAccess::COMMON || after != BarrierAccess::COMMON {
        options.push(Piece::option(format!("access {before} -> {after}")));
    }
    options
}
