//! Lazy propagation on a segment tree: a map from the bytes of one memory block to states, in which an operation on many
//! ranges stops at the roots of subtrees and is pushed down when somebody needs one of their leaves.
//!
//! The leaves are the ranges. Their boundaries come one after the other, so the tree is a treap: a binary search tree over
//! boundaries, balanced by a hash of each. What a node aggregates of its leaves are the *kinds* of state among them: an
//! operation on bytes of which a whole subtree consists acts on the kinds, and waits at the subtree's root.
//!
//! A kind is a set of states that differ only in their marks: who wrote, at which position, since which barrier. It is
//! kept as two states, the worst and the best of it in every mark, because whatever is decided by a mark is monotone in it:
//! an operation that does the same to both does the same to all between them. One that does not goes on to the children.
//! An operation moves a mark of all of a kind to one value, leaves it, or raises it to a bound; so what two series of
//! operations make of a kind is equal for all of it if it is equal for both ends.
//!
//! States of memory that aliases share also differ in *names*, of the resources through which something happened. Those that
//! are the same but for names that are in the same order are kinds of their own as long as they are few; more become one,
//! whose ends have the last and the first name in each place. An operation through a resource outside of these names does
//! the same to all of them. One through a resource between them goes on to the children.
//!
//! An operation on several ranges, such as one mip of all layers, goes down once for all of them (`tree/several.rs`).
//!
//! * *Coalescing*: a single kind whose worst and best are equal is one state; its ranges become one range.
//! * *Dropping*: a waiting operation is dropped when the next one of its slot makes the same of every kind without it.
//!
//! Cost: an operation on a range visits O(log n) nodes for n boundaries. One on many ranges visits the nodes at its two
//! ends, and below them only where its outcome differs among states of one kind, or where it reports. Either tells states
//! apart for good or changes what was reported, so it happens once for a write and each kind that its state becomes, and
//! those are few, because barriers only add to where a version is carried and shown. So m operations cost
//! O((m + n) · k · log n) for k kinds and slots at a node.
//!
//! The worst case, range by range: streams of more than [`kinds::KINDS_MAX`] kinds side by side, or of more than [`WAITING_MAX`]
//! slots, such as textures that all start at one byte and end at different ones; whole operations on contents that were
//! given up, each of which is told; operations through a resource that is declared among those that own parts of it, in no
//! order; and transitions through an alias that only a replay can order. There an operation costs as many ranges as it touches.

mod kinds;
mod several;

pub(super) use kinds::{Bound, Likeness};
use kinds::{Kinds, StateKind, add};
use std::rc::Rc;

/// Operations that wait at a node.
const WAITING_MAX: usize = 16;

/// Ranges from which it pays off to act lazily: fewer are visited faster than described.
pub(super) const LAZY_FROM: u32 = 8;

/// A state on which operations can act later.
pub(super) trait Lazy: Clone + Default + PartialEq {
    /// What remains to be done of an operation that reports nothing.
    type Later;

    /// Does it.
    fn redo(&mut self, later: &Self::Later);

    /// Whether the second of two operations may make the first one unnecessary.
    fn is_same_slot(first: &Self::Later, second: &Self::Later) -> bool;

    /// In what two states differ.
    fn likeness(&self, other: &Self) -> Likeness;

    /// Takes each mark, and each name, of a state that is alike but for its names if that is further out.
    fn widen(&mut self, by: &Self, bound: Bound);

    /// Whether an operation may mean one of the names between those of two states and not another.
    fn is_told_apart(_later: &Self::Later, _worst: &Self, _best: &Self) -> bool {
        false
    }
}

/// What comes of an operation on a state that stands for others.
pub(super) enum Attempt<S> {
    /// It reports something, or depends on more than the state.
    Refused,
    /// It finds nothing and changes nothing.
    Nothing,
    Becomes(S),
}

/// An operation on some bytes.
pub(super) trait Operation<S: Lazy> {
    /// Acts on one range. Returns whether the state has changed.
    fn act(&mut self, start: u64, end: u64, state: &mut Rc<S>) -> bool;

    /// Acts on a bound of a kind.
    fn attempt(&mut self, state: &S) -> Attempt<S>;

    /// What is done later where some attempts become something and the others find nothing.
    fn later(&self) -> Option<Rc<S::Later>>;

    /// Whether it may mean one of the names between those of the ends of a kind and not another.
    fn tells_apart(&self, _worst: &S, _best: &S) -> bool {
        false
    }
}

/// States of all bytes of a block.
pub(super) struct Tree<S: Lazy> {
    root: Option<Node<S>>,
    /// Number of bytes.
    size: u64,
    cost: Cost,
}

/// What a tree has cost, and from where on it saves.
struct Cost {
    /// Nodes and kinds looked at since the tree was made.
    visits: u64,
    /// Ranges from which an operation acts lazily.
    lazy_from: u32,
}

enum Node<S: Lazy> {
    /// Bytes of one state.
    Leaf(Rc<S>),
    Inner(Box<Inner<S>>),
}

/// Bytes of several states.
struct Inner<S: Lazy> {
    /// Where the left child's bytes end and the right one's start.
    at: u64,
    left: Node<S>,
    right: Node<S>,
    /// Number of leaves below.
    ranges: u32,
    /// Operations on all of them that the children have not seen, in order.
    waiting: Vec<Rc<S::Later>>,
    /// The kinds below.
    summary: Summary<S>,
    /// How many of what waits the summary knows of.
    known: usize,
    /// The kinds below before all that waits.
    before: Kinds<S>,
}

enum Summary<S> {
    /// Somebody has changed a child.
    Stale,
    Kinds(Kinds<S>),
    TooMany,
}

impl<S: Lazy> Tree<S> {
    /// A block of so many bytes, each of the default state. Operations on at least `lazy_from` ranges act lazily.
    pub(super) fn new(size: u64, lazy_from: u32) -> Self {
        Self {
            root: None,
            size,
            cost: Cost {
                visits: 0,
                lazy_from: lazy_from.max(2),
            },
        }
    }

    /// Gives every byte the default state again.
    pub(super) fn clear(&mut self) {
        if let Some(Node::Leaf(state)) = &mut self.root
            && let Some(state) = Rc::get_mut(state)
        {
            *state = S::default();
        } else {
            self.root = None;
        }
    }

    /// Nodes and kinds looked at so far.
    pub(super) fn visits(&self) -> u64 {
        self.cost.visits
    }

    /// An operation on some bytes, cut so that none of its ranges reaches beyond them.
    pub(super) fn visit(&mut self, start: u64, end: u64, operation: &mut impl Operation<S>) {
        let root = self.root.get_or_insert_with(Node::default);
        let (span, target) = ((0, self.size), (start, end));
        if root.act_on_range(span, target, operation, &mut self.cost) {
            return;
        }
        for at in [start, end] {
            if 0 < at && at < self.size {
                root.cut(at, &mut self.cost);
            }
        }
        self.look(start, end, operation);
    }

    /// An operation that changes nothing.
    pub(super) fn look(&mut self, start: u64, end: u64, operation: &mut impl Operation<S>) {
        debug_assert!(start < end && end <= self.size, "bytes of the block");
        let root = self.root.get_or_insert_with(Node::default);
        root.act((0, self.size), (start, end), operation, &mut self.cost);
    }
}

impl<S: Lazy> Default for Node<S> {
    fn default() -> Self {
        Self::Leaf(Rc::default())
    }
}

impl<S: Lazy> Node<S> {
    fn inner(at: u64, left: Self, right: Self) -> Self {
        Self::Inner(Box::new(Inner {
            at,
            ranges: left.ranges() + right.ranges(),
            left,
            right,
            waiting: Vec::new(),
            summary: Summary::Stale,
            known: 0,
            before: Kinds::new(),
        }))
    }

    fn ranges(&self) -> u32 {
        match self {
            Self::Leaf(_) => 1,
            Self::Inner(inner) => inner.ranges,
        }
    }

    /// Whether operations on all of the node's bytes may wait here.
    fn is_lazy(&self, cost: &Cost) -> bool {
        match self {
            Self::Leaf(_) => false,
            Self::Inner(inner) => inner.ranges >= cost.lazy_from || !inner.waiting.is_empty(),
        }
    }

    /// Makes a boundary. What the nodes above know of the kinds below stays true.
    fn cut(&mut self, at: u64, cost: &mut Cost) {
        cost.visits += 1;
        match self {
            Self::Leaf(state) => {
                let half = || Self::Leaf(Rc::clone(state));
                *self = Self::inner(at, half(), half());
            }
            Self::Inner(inner) if inner.at == at => {}
            Self::Inner(inner) if weight(at) > weight(inner.at) => {
                let (left, right) = std::mem::take(self).split(at, cost);
                *self = Self::inner(at, left, right);
            }
            Self::Inner(inner) => {
                inner.settle(cost);
                if at < inner.at {
                    inner.left.cut(at, cost);
                } else {
                    inner.right.cut(at, cost);
                }
                inner.count();
            }
        }
    }

    /// The bytes before and after a new boundary.
    fn split(self, at: u64, cost: &mut Cost) -> (Self, Self) {
        cost.visits += 1;
        match self {
            Self::Leaf(state) => (Self::Leaf(Rc::clone(&state)), Self::Leaf(state)),
            Self::Inner(mut inner) => {
                inner.settle(cost);
                inner.summary = Summary::Stale;
                if at < inner.at {
                    let (before, after) = std::mem::take(&mut inner.left).split(at, cost);
                    inner.left = after;
                    inner.count();
                    (before, Self::Inner(inner))
                } else {
                    let (before, after) = std::mem::take(&mut inner.right).split(at, cost);
                    inner.right = before;
                    inner.count();
                    (Self::Inner(inner), after)
                }
            }
        }
    }

    /// An operation on the bytes of exactly one range, above which nothing waits: what most operations come to. Returns
    /// whether it is one.
    fn act_on_range(
        &mut self,
        mut span: (u64, u64),
        target: (u64, u64),
        operation: &mut impl Operation<S>,
        cost: &mut Cost,
    ) -> bool {
        let mut node = &mut *self;
        let has_changed = loop {
            cost.visits += 1;
            match node {
                Self::Leaf(_) if span != target => return false,
                Self::Leaf(state) => break operation.act(target.0, target.1, state),
                Self::Inner(inner) if inner.waiting.is_empty() => match inner.side(target) {
                    Some(Child::Left) => (node, span.1) = (&mut inner.left, inner.at),
                    Some(Child::Right) => (node, span.0) = (&mut inner.right, inner.at),
                    None => return false,
                },
                Self::Inner(_) => return false,
            }
        };
        let mut node = &mut *self;
        while let Self::Inner(inner) = node
            && has_changed
        {
            inner.summary = Summary::Stale;
            node = match inner.side(target) {
                Some(Child::Left) => &mut inner.left,
                _ => &mut inner.right,
            };
        }
        true
    }

    /// An operation on those bytes of `span`, which are this node's, that are in `target`. Returns whether anything changed.
    fn act(
        &mut self,
        span: (u64, u64),
        target: (u64, u64),
        operation: &mut impl Operation<S>,
        cost: &mut Cost,
    ) -> bool {
        cost.visits += 1;
        let is_whole = target.0 <= span.0 && span.1 <= target.1;
        if is_whole
            && self.is_lazy(cost)
            && let Some(has_changed) = self.act_on_kinds(operation, cost)
        {
            return has_changed;
        }
        match self {
            Self::Leaf(state) => operation.act(span.0.max(target.0), span.1.min(target.1), state),
            Self::Inner(inner) => {
                inner.settle(cost);
                let at = inner.at;
                let mut has_changed = false;
                if target.0 < at {
                    has_changed |= inner.left.act((span.0, at), target, operation, cost);
                }
                if target.1 > at {
                    has_changed |= inner.right.act((at, span.1), target, operation, cost);
                }
                if has_changed {
                    inner.summary = Summary::Stale;
                    inner.count();
                }
                has_changed
            }
        }
    }

    /// An operation on all of the node's bytes. Returns `None` if it must be done range by range, else whether anything
    /// changed.
    fn act_on_kinds(&mut self, operation: &mut impl Operation<S>, cost: &mut Cost) -> Option<bool> {
        self.summarise(cost);
        let Self::Inner(inner) = self else {
            return None;
        };
        let Summary::Kinds(kinds) = &inner.summary else {
            return None;
        };
        let (mut after, mut becomes) = (Kinds::new(), false);
        for kind in kinds {
            cost.visits += 1;
            if kind.are_renamed && operation.tells_apart(&kind.worst, &kind.best) {
                return None;
            }
            let worst = match operation.attempt(&kind.worst) {
                Attempt::Refused => return None,
                Attempt::Nothing => {
                    after.push(kind.clone());
                    continue;
                }
                Attempt::Becomes(state) => Rc::new(state),
            };
            let best = if Rc::ptr_eq(&kind.worst, &kind.best) {
                Rc::clone(&worst)
            } else if let Attempt::Becomes(state) = operation.attempt(&kind.best) {
                Rc::new(state)
            } else {
                return None;
            };
            if worst.likeness(&best) == Likeness::None {
                return None;
            }
            becomes = true;
            after.push(StateKind {
                worst,
                best,
                are_renamed: kind.are_renamed,
            });
        }
        let Some(later) = operation.later().filter(|_| becomes) else {
            return Some(false);
        };
        self.defer(later, after, cost);
        Some(true)
    }

    /// Finds out the kinds below; bytes of one state become one range.
    fn summarise(&mut self, cost: &mut Cost) {
        let Self::Inner(inner) = self else { return };
        loop {
            if matches!(inner.summary, Summary::Stale) {
                inner.collect(cost);
            }
            let Some(later) = inner.waiting.get(inner.known).map(Rc::clone) else {
                break;
            };
            cost.visits += 1;
            let after = match &inner.summary {
                Summary::Kinds(kinds) => kinds.iter().map(|kind| kind.redo([&later])).collect(),
                Summary::Stale | Summary::TooMany => None,
            };
            match after {
                Some(after) => inner.learn(after, cost),
                None => inner.settle(cost),
            }
        }
        self.coalesce();
    }

    /// Adds the kinds of this node. Returns whether they are few enough.
    fn describe(&mut self, kinds: &mut Kinds<S>, cost: &mut Cost) -> bool {
        cost.visits += 1;
        let is_lazy = self.is_lazy(cost);
        if is_lazy {
            self.summarise(cost);
        }
        match self {
            Self::Leaf(state) => {
                let (worst, best) = (Rc::clone(state), Rc::clone(state));
                let are_renamed = false;
                add(
                    kinds,
                    StateKind {
                        worst,
                        best,
                        are_renamed,
                    },
                )
            }
            Self::Inner(inner) if !is_lazy => {
                inner.left.describe(kinds, cost) && inner.right.describe(kinds, cost)
            }
            Self::Inner(inner) => match &inner.summary {
                Summary::Kinds(own) => own.iter().all(|kind| add(kinds, kind.clone())),
                Summary::Stale | Summary::TooMany => false,
            },
        }
    }

    /// Makes one range of bytes that are known to have one state.
    fn coalesce(&mut self) {
        if let Self::Inner(inner) = self
            && let Summary::Kinds(kinds) = &inner.summary
            && let [StateKind { worst, best, .. }] = kinds.as_slice()
            && (Rc::ptr_eq(worst, best) || worst == best)
        {
            *self = Self::Leaf(Rc::clone(worst));
        }
    }

    /// Does what waited further up, or lets it wait here.
    fn redo(&mut self, later: &Rc<S::Later>, cost: &mut Cost) {
        cost.visits += 1;
        let is_lazy = self.is_lazy(cost);
        match self {
            Self::Leaf(state) => Rc::make_mut(state).redo(later),
            Self::Inner(inner) if is_lazy => {
                inner.waiting.push(Rc::clone(later));
                if inner.waiting.len() > 2 * WAITING_MAX {
                    self.summarise(cost);
                }
            }
            Self::Inner(inner) => {
                inner.left.redo(later, cost);
                inner.right.redo(later, cost);
                inner.summary = Summary::Stale;
            }
        }
    }

    /// Lets an operation wait at a summarised node; `after` is what it makes of each kind.
    fn defer(&mut self, later: Rc<S::Later>, after: Kinds<S>, cost: &mut Cost) {
        if let Self::Inner(inner) = self {
            inner.waiting.push(later);
            inner.learn(after, cost);
            self.coalesce();
        }
    }
}

/// A child.
#[derive(Copy, Clone)]
enum Child {
    Left,
    Right,
}

impl<S: Lazy> Inner<S> {
    /// The child that has all of some bytes, if one has.
    fn side(&self, target: (u64, u64)) -> Option<Child> {
        if target.1 <= self.at {
            Some(Child::Left)
        } else if target.0 >= self.at {
            Some(Child::Right)
        } else {
            None
        }
    }

    fn count(&mut self) {
        self.ranges = self.left.ranges() + self.right.ranges();
    }

    /// Hands what waits on to the children.
    #[inline]
    fn settle(&mut self, cost: &mut Cost) {
        if !self.waiting.is_empty() {
            self.hand_on(cost);
        }
    }

    fn hand_on(&mut self, cost: &mut Cost) {
        if self.known < self.waiting.len() {
            self.summary = Summary::Stale;
        }
        for later in std::mem::take(&mut self.waiting) {
            self.left.redo(&later, cost);
            self.right.redo(&later, cost);
        }
        self.known = 0;
        self.before.clear();
    }

    /// Finds out the kinds below, before what waits.
    fn collect(&mut self, cost: &mut Cost) {
        let mut kinds = Kinds::new();
        let fit = self.left.describe(&mut kinds, cost) && self.right.describe(&mut kinds, cost);
        self.count();
        self.known = 0;
        self.summary = if fit {
            Summary::Kinds(kinds)
        } else {
            Summary::TooMany
        };
    }

    /// Takes note of what the first operation that it does not know makes of each kind, and drops the latest one of the
    /// same slot if that is no longer necessary.
    fn learn(&mut self, after: Kinds<S>, cost: &mut Cost) {
        let mut kinds = Kinds::new();
        for kind in after {
            add(&mut kinds, kind);
        }
        let before = std::mem::replace(&mut self.summary, Summary::Kinds(kinds));
        if let Summary::Kinds(before) = before
            && self.known == 0
        {
            self.before = before;
        }
        let known = &self.waiting[..=self.known];
        let later = &known[self.known];
        let same = |earlier: &Rc<S::Later>| S::is_same_slot(earlier, later);
        let earlier = known[..self.known].iter().rposition(same);
        self.known += 1;
        if let Some(at) = earlier {
            cost.visits += known.len() as u64;
            let without = || {
                let all = known.iter().enumerate();
                all.filter_map(|(index, later)| (index != at).then_some(later))
            };
            let is_same = |kind: &StateKind<S>| {
                let (all, fewer) = (kind.redo(known), kind.redo(without()));
                matches!((all, fewer), (Some(a), Some(b)) if a.worst == b.worst && a.best == b.best)
            };
            if self.before.iter().all(is_same) {
                self.waiting.remove(at);
                self.known -= 1;
            }
        }
        if self.known > WAITING_MAX {
            self.settle(cost);
        }
    }
}

/// The heap order of boundaries: a bijection that scatters.
pub(super) fn weight(at: u64) -> u64 {
    let mut mixed = at.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
