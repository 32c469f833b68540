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

/// In what two states differ.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum Likeness {
    /// In more than marks and names.
    None,
    /// In their marks, and in names of resources that are in the same order.
    Renamed,
    /// Only in their marks.
    Full,
}

/// Kinds of state that a node tells apart.
pub(super) const KINDS_MAX: usize = 16;

/// Kinds of state that differ only in names, and are told apart.
const NAMED_MAX: usize = 4;

pub(super) type Kinds<S> = SmallVec<[StateKind<S>; 1]>;

/// All states between two that are alike, or alike but for their names.
pub(super) struct StateKind<S> {
    pub(super) worst: Rc<S>,
    pub(super) best: Rc<S>,
    /// There are states of several names.
    pub(super) are_renamed: bool,
}

impl<S> Clone for StateKind<S> {
    fn clone(&self) -> Self {
        Self {
            worst: Rc::clone(&self.worst),
            best: Rc::clone(&self.best),
            are_renamed: self.are_renamed,
        }
    }
}

impl<S: Lazy> StateKind<S> {
    /// Takes in the states of another kind.
    fn widen(&mut self, by: &Self) {
        self.are_renamed |= by.are_renamed;
        widen(&mut self.worst, &by.worst, Bound::Worst);
        widen(&mut self.best, &by.best, Bound::Best);
    }

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
            if kind.worst.likeness(&kind.best) == Likeness::None {
                return None;
            }
        }
        Some(kind)
    }
}

/// Adds a kind. Returns whether there is room for it.
pub(super) fn add<S: Lazy>(kinds: &mut Kinds<S>, kind: StateKind<S>) -> bool {
    let (mut renamed, mut count) = (None, 0);
    for (at, known) in kinds.iter_mut().enumerate() {
        match known.worst.likeness(&kind.worst) {
            Likeness::Full => {
                known.widen(&kind);
                return true;
            }
            Likeness::Renamed => (renamed, count) = (Some(at), count + 1),
            Likeness::None => {}
        }
    }
    if let Some(at) = renamed
        && (kinds.len() == KINDS_MAX || count >= NAMED_MAX)
    {
        kinds[at].are_renamed = true;
        kinds[at].widen(&kind);
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
