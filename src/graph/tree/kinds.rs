//! The kinds of state below a node: each as the worst and the best of the states that differ only in their marks.

use super::Lazy;
use smallvec::SmallVec;
use std::rc::Rc;

/// A side of a kind.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Bound {
    /// The latest uses: what is asked covers them least.
    Worst,
    Best,
}

impl Bound {
    /// The one of two marks that is further out, where a later mark is worse.
    pub(in super::super) fn of<T: Ord>(self, one: T, other: T) -> T {
        match self {
            Self::Worst => one.max(other),
            Self::Best => one.min(other),
        }
    }

    /// The other side.
    pub(in super::super) fn opposite(self) -> Self {
        match self {
            Self::Worst => Self::Best,
            Self::Best => Self::Worst,
        }
    }
}

/// Kinds of state that a node tells apart.
pub(super) const KINDS_MAX: usize = 16;

/// Kinds of state that differ only in names, and are told apart.
const NAMED_MAX: usize = 4;

pub(super) type Kinds<S> = SmallVec<[Kind<S>; 1]>;

/// All states between two that are alike, or alike but for their names.
pub(super) struct Kind<S> {
    pub(super) worst: Rc<S>,
    pub(super) best: Rc<S>,
    /// There are states of several names.
    pub(super) are_renamed: bool,
}

impl<S> Clone for Kind<S> {
    fn clone(&self) -> Self {
        Self {
            worst: Rc::clone(&self.worst),
            best: Rc::clone(&self.best),
            are_renamed: self.are_renamed,
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
            if kind.are_renamed && S::is_told_apart(later, &kind.worst, &kind.best) {
                return None;
            }
            Rc::make_mut(&mut kind.worst).redo(later);
            if is_one {
                kind.best = Rc::clone(&kind.worst);
                continue;
            }
            Rc::make_mut(&mut kind.best).redo(later);
            if !kind.worst.is_renamed(&kind.best) {
                return None;
            }
        }
        Some(kind)
    }
}

/// Adds a kind. Returns whether there is room for it.
pub(super) fn add<S: Lazy>(kinds: &mut Kinds<S>, kind: Kind<S>) -> bool {
    let alike = kinds.iter().position(|k| k.worst.is_alike(&kind.worst));
    let known = alike.or_else(|| {
        if kinds.len() < NAMED_MAX {
            return None;
        }
        let is_renamed = |at: &usize| kinds[*at].worst.is_renamed(&kind.worst);
        let mut renamed = (0..kinds.len()).rev().filter(is_renamed);
        let last = renamed.next();
        let are_many = kinds.len() == KINDS_MAX || renamed.nth(NAMED_MAX - 2).is_some();
        last.filter(|_| are_many)
    });
    if let Some(known) = known.map(|at| &mut kinds[at]) {
        known.are_renamed |= kind.are_renamed || alike.is_none();
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
