//! Every chain of a write, a use and a use of one resource on a direct queue, with a barrier between each that says just that.
//!
//! Textures are used in the layout of the use or in any other that the queue has for it. What caches hold when a layout changes
//! depends on what was used in which layout before, further back than a pair tells.

use super::draft::{Draft, Setting, access, plain};
use super::uses::{self, ProgramResources, Row, SideText};
use crate::api::{Layout, QueueType, compat};
use crate::finding::Source;
use std::borrow::Cow;

/// Every chain, kind by kind.
pub fn chains() -> impl Iterator<Item = Source> {
    let kinds = ProgramResources::ALL.into_iter().map(|(kind, _)| kind);
    kinds.flat_map(|kind| {
        let sides = sides(kind);
        let count = sides.len();
        let all = (0..count.pow(3)).map(move |n| [n / count / count, n / count % count, n % count]);
        all.filter_map(move |places| {
            let uses = places.map(|at| &sides[at]);
            uses[0].0.writes().then(|| chain(kind, uses))
        })
    })
}

/// How many there are.
pub(super) fn count() -> usize {
    let kinds = ProgramResources::ALL
        .into_iter()
        .map(|(kind, _)| sides(kind));
    kinds
        .map(|sides| {
            let writers = sides.iter().filter(|(row, _)| row.writes()).count();
            writers * sides.len() * sides.len()
        })
        .sum()
}

/// A way to use a resource, in a layout.
type Placed = (&'static Row, Cow<'static, str>);

/// Ways to use a resource, each in every layout.
fn sides(kind: ProgramResources) -> Vec<Placed> {
    let mut sides = Vec::new();
    for row in kind.rows() {
        sides.push((row, row.layout.into()));
        let others = Layout::ALL.into_iter().filter(|layout| {
            !kind.is_buffer()
                && layout.name() != row.layout
                && compat::queue_allows_layout(QueueType::Direct, *layout)
                && compat::layout_accesses(*layout).contains(row.access)
        });
        sides.extend(others.map(|layout| (row, layout.name())));
    }
    sides
}

fn chain(kind: ProgramResources, uses: [&Placed; 3]) -> Source {
    let initial = if kind.is_buffer() {
        String::new()
    } else {
        format!("; initial {}", uses[0].1)
    };
    let mut draft = Draft::placed(Setting::USUAL, kind, &initial);
    let mut earlier: Option<SideText<'_>> = None;
    for (row, layout) in uses {
        let side = SideText {
            layout,
            ..plain(row, access(row))
        };
        if let Some(earlier) = earlier {
            draft.barrier(&uses::entry(kind, "a", earlier, side));
        }
        draft.add(&row.on("a"));
        earlier = Some(side);
    }
    Source::new("a chain of uses", draft.done(&[kind]))
}

#[cfg(test)]
mod tests {
    #[test]
    fn chains_are_counted_without_being_written() {
        assert_eq!(super::count(), super::chains().count());
    }
}
