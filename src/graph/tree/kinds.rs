//! The kinds of state below a node: each as the worst and the best of the states that differ only in their marks.

use super::{Bound, Lazy};
use smallvec::SmallVec;
use std::rc::Rc;

/// Kinds of state that a node tells apart.
pub(super) const KINDS_MAX: usize = 16;

pub(super) type Kinds<S> = SmallVec<[Kind<S>; 1]>;

/// All states between two that are alike.
pub(super) struct Kind<S> {
    pub(super) worst: Rc<S>,
    pub(super) best: Rc<S>,
}

impl<S> Clone for Kind<S> {
    fn clone(&self) -> Self {
        Self {
            worst: Rc::clone(&self.worst),
            best: Rc::clone(&self.best),
        }
    }
}

impl<S: Lazy> Kind<S> {
    /// What operations make of it; `None` if that is not the same for all of it.
    pub(super) fn redo<'l>(&self, all: impl IntoIterator<Item = &'l Rc<S::Later>>) -> Option<Self>
    where
        S::Later: 'l,
    {
        let mut kind = self.clone();
        let is_one = Rc::ptr_eq(&kind.worst, &kind.best);
        for later in all {
            Rc::make_mut(&mut kind.worst).redo(later);
            if is_one {
                kind.best = Rc::clone(&kind.worst);
                continue;
            }
            Rc::make_mut(&mut kind.best).redo(later);
            if !kind.worst.is_alike(&kind.best) {
                return None;
            }
        }
        Some(kind)
    }
}

/// Adds a kind. Returns whether there is room for it.
pub(super) fn add<S: Lazy>(kinds: &mut Kinds<S>, kind: Kind<S>) -> bool {
    if let Some(known) = kinds.iter_mut().find(|k| k.worst.is_alike(&kind.worst)) {
        widen(&mut known.worst, &kind.worst, Bound::Worst);
        widen(&mut known.best, &kind.best, Bound::Best);
        return true;
    }
    let has_room = kinds.len() < KINDS_MAX;
    if has_room {
        kinds.push(kind);
    }
    has_room
}

fn widen<S: Lazy>(known: &mut Rc<S>, by: &Rc<S>, bound: Bound) {
    if Rc::ptr_eq(known, by) {
        return;
    }
    let mut wide = S::clone(known);
    wide.widen(by, bound);
    if wide == **by {
        *known = Rc::clone(by);
    } else if wide != **known {
        *known = Rc::new(wide);
    }
}
