//! What a barrier or a use does to everything that is known of a subresource, as data: so that it can be done later, and
//! two of them as one.

use super::known::{Known, Left, Origin};
use crate::api::{BarrierAccess, Layout};

/// What happens to a subresource. Two that follow each other are one: see [`Transfer::then`].
#[derive(Copy, Clone, Debug)]
pub(super) struct Transfer {
    /// What it does to what belongs to the scope.
    scope: Option<InScope>,
    /// What it does to the layout.
    layout: Option<Settled>,
    /// A split that begins.
    split: Option<u32>,
    /// Names a layout, after that split if there is one.
    names_layout: bool,
}

/// What a scope does.
#[derive(Copy, Clone, Debug)]
struct InScope {
    scope: u32,
    /// The latest barrier: it is the latest that touches, too.
    left: Option<Left>,
    /// The first use, or that barrier.
    touched: Origin,
    /// Accesses before any barrier in a list that never executes.
    blended: BarrierAccess,
}

/// The layout after a change.
#[derive(Copy, Clone, Debug)]
struct Settled {
    layout: Layout,
    from: Origin,
    /// `None`: nobody executes.
    writers: Option<u32>,
    /// Of subresources that have the layout, nothing changes.
    keeps: bool,
}

impl Transfer {
    /// A use in a scope.
    pub(super) fn touched(scope: u32, origin: Origin, blended: BarrierAccess) -> Self {
        Self {
            scope: Some(InScope {
                scope,
                left: None,
                touched: origin,
                blended,
            }),
            layout: None,
            split: None,
            names_layout: false,
        }
    }

    /// A barrier in a scope.
    pub(super) fn barrier(scope: u32, left: Left) -> Self {
        Self {
            scope: Some(InScope {
                scope,
                left: Some(left),
                touched: left.origin,
                blended: BarrierAccess::empty(),
            }),
            layout: None,
            split: None,
            names_layout: false,
        }
    }

    /// The barrier gives a layout too, by these writers; `keeps`: where it is another.
    pub(super) fn layout(self, layout: Layout, keeps: bool, writers: Option<u32>) -> Self {
        let from = self.scope.map(|scope| scope.touched);
        Self {
            layout: from.map(|from| Settled {
                layout,
                from,
                writers,
                keeps,
            }),
            names_layout: true,
            ..self
        }
    }

    /// A split begins, and nothing else.
    pub(super) fn begins(split: u32) -> Self {
        Self {
            scope: None,
            layout: None,
            split: Some(split),
            names_layout: false,
        }
    }

    /// Does it. The layout has not raced.
    pub(super) fn apply(&self, known: &mut Known) {
        if let Some(id) = self.split {
            known.split = id;
            known.intervened = false;
            known.is_over = false;
        }
        if self.names_layout {
            known.intervened = known.split != 0;
        }
        if let Some(settled) = &self.layout
            && !(settled.keeps && known.layout == Some(settled.layout))
        {
            known.layout = Some(settled.layout);
            known.layout_from = Some(settled.from);
            known.writers = settled.writers.unwrap_or(known.writers);
        }
        if let Some(now) = &self.scope {
            known.enter(now.scope);
            if known.left.is_none() {
                known.blended |= now.blended;
            }
            if now.left.is_some() {
                known.left = now.left;
                // The latest, so that subresources with one history become one run again.
                known.touched = Some(now.touched);
            } else {
                known.touched.get_or_insert(now.touched);
            }
        }
    }

    /// The change that does this and then another one.
    pub(super) fn then(&self, next: &Self) -> Self {
        let (split, names_layout) = match next.split {
            Some(_) => (next.split, next.names_layout),
            None => (self.split, self.names_layout || next.names_layout),
        };
        Self {
            scope: match (&self.scope, &next.scope) {
                (Some(first), Some(second)) if first.scope == second.scope => {
                    Some(first.then(second))
                }
                (first, second) => second.or(*first),
            },
            layout: match (&self.layout, &next.layout) {
                (Some(first), Some(second)) if second.keeps => {
                    let kept = first.layout == second.layout;
                    let set = Settled {
                        keeps: false,
                        ..*second
                    };
                    Some(if kept { *first } else { set })
                }
                (first, second) => second.or(*first),
            },
            split,
            names_layout,
        }
    }

    /// Whether subresources do not differ in what belongs to the scope after it, if they differed only in their marks.
    pub(super) fn levels_scope(&self) -> bool {
        self.scope.is_some_and(|scope| scope.left.is_some())
    }

    /// The same of the rest, for subresources like this one before it: they may differ in where their layout is from, and
    /// in splits that are over.
    pub(super) fn levels_layout(&self, old: &Known) -> bool {
        let one_split = self.split.is_some() || old.split == 0 || !old.is_over;
        let one_layout = |settled: Settled| !settled.keeps || old.layout != Some(settled.layout);
        one_split && self.layout.is_some_and(one_layout)
    }
}

impl InScope {
    fn then(&self, next: &Self) -> Self {
        if self.left.is_none() {
            let blended = self.blended | next.blended;
            let touched = next.left.map_or(self.touched, |_| next.touched);
            return Self {
                touched,
                blended,
                ..*next
            };
        }
        match next.left {
            Some(_) => Self {
                blended: self.blended,
                ..*next
            },
            None => *self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::LeafSet;
    use crate::finding::Span;

    fn origin(at: u32) -> Origin {
        Origin {
            span: Span::new(at, at + 1),
            execution: at,
        }
    }

    fn left(at: u32) -> Left {
        Left {
            origin: origin(at),
            leaves: LeafSet::EMPTY,
            access: BarrierAccess::COMMON,
            ends: false,
            is_legacy: false,
            stamp: at,
        }
    }

    /// Every series of three changes, on subresources that know nothing, something of the scope, and of an earlier one.
    #[test]
    fn two_changes_as_one_are_one_after_the_other() {
        let mut changes = Vec::new();
        for scope in [1, 2] {
            for at in [1, 2] {
                changes.push(Transfer::touched(scope, origin(at), BarrierAccess::empty()));
                changes.push(Transfer::touched(
                    scope,
                    origin(at),
                    BarrierAccess::SHADER_RESOURCE,
                ));
                changes.push(Transfer::barrier(scope, left(at)));
                for layout in [Layout::Common, Layout::CopyDest] {
                    for keeps in [false, true] {
                        let barrier = Transfer::barrier(scope, left(at));
                        changes.push(barrier.layout(layout, keeps, Some(at)));
                    }
                }
            }
        }
        changes.extend([Transfer::begins(1), Transfer::begins(2)]);
        let mut known = vec![Known::nothing(), Known::created(Layout::Common)];
        for change in &changes {
            let mut after = known[1];
            change.apply(&mut after);
            known.push(after);
        }
        for a in &changes {
            for b in &changes {
                for c in &changes {
                    let scopes = [a, b, c].map(|change| change.scope.map(|now| now.scope));
                    let scopes: Vec<u32> = scopes.into_iter().flatten().collect();
                    if !scopes.is_sorted() {
                        continue;
                    }
                    let (first, last) = (a.then(b).then(c), a.then(&b.then(c)));
                    for known in known.iter().filter(|known| {
                        known.scope <= scopes.first().copied().unwrap_or(0) || scopes.is_empty()
                    }) {
                        let mut expected = *known;
                        for change in [a, b, c] {
                            change.apply(&mut expected);
                        }
                        let (mut one, mut other) = (*known, *known);
                        first.apply(&mut one);
                        last.apply(&mut other);
                        assert_eq!(one, expected, "{a:?} {b:?} {c:?}");
                        assert_eq!(other, expected, "{a:?} {b:?} {c:?}");
                    }
                }
            }
        }
    }
}
