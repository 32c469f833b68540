//! What was lost of one block of memory, with the sum of what is lost below each node of a tree over its borders.
//!
//! The tree is a treap, as in `tree.rs`. A look at bytes takes the sums of the subtrees that they consist of; a loss takes
//! the place of those, or passes over them where everything is lost. So each costs O(log n) for n borders. The worst case
//! is range by range: a look at losses of which some come before the reader and some do not, and a write that is given
//! up without a layout change (`Unflushed`) next to contents that stay lost.

use super::tree::weight;
use super::undefined::{Loss, LossKind};
use crate::id::SubmissionId;
use smallvec::{SmallVec, smallvec};

/// Losses by bytes.
#[derive(Default)]
pub(super) struct Lost {
    root: Node,
    visits: u64,
}

enum Node {
    /// Bytes of one loss, or of none.
    Leaf(Option<Loss>),
    Inner(Box<Inner>),
}

struct Inner {
    /// Where the left child's bytes end and the right one's start.
    at: u64,
    left: Node,
    right: Node,
    /// `None` since somebody has changed a child.
    sum: Option<Sum>,
}

/// A loss of some bytes.
#[derive(Copy, Clone)]
pub(super) struct Found {
    pub(super) loss: Loss,
    pub(super) bytes: (u64, u64),
}

/// What is lost of some bytes.
#[derive(Clone, Default)]
pub(super) struct Sum {
    /// Number of bytes that were dropped.
    pub(super) dropped_bytes: u64,
    /// The first of them.
    pub(super) first_dropped: Option<(u64, u64)>,
    /// The latest loss of the kind, of several the first by its bytes.
    pub(super) dropped: Option<Found>,
    /// The latest loss of the kind given up, of several the first by its bytes.
    pub(super) given_up: Option<Found>,
    /// First and last submission that a write was given up in.
    given_up_in: Option<(SubmissionId, SubmissionId)>,
    /// First and last submission of each actor.
    by: SmallVec<[(usize, SubmissionId, SubmissionId); 1]>,
    /// Some are not lost for good.
    is_open: bool,
}

/// What happens to some bytes.
pub(super) enum LossUpdate {
    /// They are lost, or no longer lost, whatever they were.
    Becomes(Option<Loss>),
    /// They are lost if they were not.
    Loses(Loss),
}

/// The use that asks what is lost.
#[derive(Copy, Clone)]
pub(super) struct Reader<'a> {
    pub(super) submission: SubmissionId,
    /// Whether a submission is over before that one.
    pub(super) is_before: &'a dyn Fn(SubmissionId) -> bool,
}

impl Reader<'_> {
    /// Whether a loss comes before what it does.
    pub(super) fn comes_after(&self, submission: SubmissionId) -> bool {
        submission == self.submission || (self.is_before)(submission)
    }
}

/// Every byte of a block.
const EVERYTHING: (u64, u64) = (0, u64::MAX);

impl Lost {
    /// Nodes looked at so far.
    pub(super) fn visits(&self) -> u64 {
        self.visits
    }

    /// Changes what is lost of some bytes.
    pub(super) fn change(&mut self, bytes: (u64, u64), change: &LossUpdate) {
        for at in [bytes.0, bytes.1] {
            if at > 0 {
                self.root.cut(at, &mut self.visits);
            }
        }
        self.root
            .change(EVERYTHING, bytes, change, &mut self.visits);
    }

    /// Whether anything is lost of some bytes.
    pub(super) fn has_any(&mut self, bytes: (u64, u64)) -> bool {
        self.root.has_any(EVERYTHING, bytes, &mut self.visits)
    }

    /// What a reader of some bytes finds lost before it.
    pub(super) fn look(&mut self, bytes: (u64, u64), reader: &Reader<'_>) -> Sum {
        let mut sum = Sum::default();
        self.root
            .look(EVERYTHING, bytes, reader, &mut sum, &mut self.visits);
        sum
    }

    /// Visits every loss of some bytes, whoever looks.
    pub(super) fn for_each(&self, bytes: (u64, u64), mut each: impl FnMut(Found)) {
        self.root.for_each(EVERYTHING, bytes, &mut each);
    }
}

impl Default for Node {
    fn default() -> Self {
        Self::Leaf(None)
    }
}

impl Node {
    fn inner(at: u64, left: Self, right: Self) -> Self {
        Self::Inner(Box::new(Inner {
            at,
            left,
            right,
            sum: None,
        }))
    }

    /// Makes a border. What the nodes above know stays true.
    fn cut(&mut self, at: u64, visits: &mut u64) {
        *visits += 1;
        match self {
            Self::Leaf(loss) => *self = Self::inner(at, Self::Leaf(*loss), Self::Leaf(*loss)),
            Self::Inner(inner) if inner.at == at => {}
            Self::Inner(inner) if weight(at) > weight(inner.at) => {
                let (left, right) = std::mem::take(self).split(at, visits);
                *self = Self::inner(at, left, right);
            }
            Self::Inner(inner) if at < inner.at => inner.left.cut(at, visits),
            Self::Inner(inner) => inner.right.cut(at, visits),
        }
    }

    /// The bytes before and after a new border.
    fn split(self, at: u64, visits: &mut u64) -> (Self, Self) {
        *visits += 1;
        match self {
            Self::Leaf(loss) => (Self::Leaf(loss), Self::Leaf(loss)),
            Self::Inner(mut inner) => {
                inner.sum = None;
                if at < inner.at {
                    let (before, after) = std::mem::take(&mut inner.left).split(at, visits);
                    inner.left = after;
                    (before, Self::Inner(inner))
                } else {
                    let (before, after) = std::mem::take(&mut inner.right).split(at, visits);
                    inner.right = before;
                    (Self::Inner(inner), after)
                }
            }
        }
    }

    /// Changes those bytes of `span`, which are this node's, that are in `target`.
    fn change(
        &mut self,
        span: (u64, u64),
        target: (u64, u64),
        change: &LossUpdate,
        visits: &mut u64,
    ) {
        *visits += 1;
        let is_whole = target.0 <= span.0 && span.1 <= target.1;
        match change {
            LossUpdate::Becomes(loss) if is_whole => return *self = Self::Leaf(*loss),
            LossUpdate::Loses(_) if is_whole && !self.sum(span).is_open => return,
            LossUpdate::Loses(loss) if is_whole && !self.sum(span).is_any() => {
                return *self = Self::Leaf(Some(*loss));
            }
            _ => {}
        }
        match (&mut *self, change) {
            (Self::Leaf(known), LossUpdate::Loses(loss)) => {
                // A write that a barrier gave up stays what it says.
                if known.is_none_or(|known| known.barrier != loss.barrier) {
                    *known = Some(*loss);
                }
            }
            (Self::Leaf(_), LossUpdate::Becomes(_)) => {}
            (Self::Inner(inner), _) => {
                if target.0 < inner.at {
                    inner
                        .left
                        .change((span.0, inner.at), target, change, visits);
                }
                if target.1 > inner.at {
                    inner
                        .right
                        .change((inner.at, span.1), target, change, visits);
                }
                inner.sum = None;
                self.join();
            }
        }
    }

    /// Makes one range of two of one loss.
    fn join(&mut self) {
        if let Self::Inner(inner) = self
            && let (Self::Leaf(left), Self::Leaf(right)) = (&inner.left, &inner.right)
            && left == right
        {
            *self = Self::Leaf(*left);
        }
    }

    /// What is lost of the node's bytes.
    fn sum(&mut self, span: (u64, u64)) -> Sum {
        match self {
            Self::Leaf(None) => Sum {
                is_open: true,
                ..Sum::default()
            },
            Self::Leaf(Some(loss)) => Sum::of(Found {
                loss: *loss,
                bytes: span,
            }),
            Self::Inner(inner) => inner.sum(span).clone(),
        }
    }

    /// Adds what a reader finds lost of those bytes of `span`, which are this node's, that are in `target`.
    fn look(
        &mut self,
        span: (u64, u64),
        target: (u64, u64),
        reader: &Reader<'_>,
        found: &mut Sum,
        visits: &mut u64,
    ) {
        *visits += 1;
        match self {
            Self::Leaf(None) => {}
            Self::Leaf(Some(loss)) => {
                let bytes = (span.0.max(target.0), span.1.min(target.1));
                let sum = Sum::of(Found { loss: *loss, bytes });
                if let Seen::All(sum) = sum.seen_by(reader) {
                    found.add(&sum);
                }
            }
            Self::Inner(inner) => {
                if target.0 <= span.0 && span.1 <= target.1 {
                    match inner.sum(span).seen_by(reader) {
                        Seen::Nothing => return,
                        Seen::All(sum) => {
                            found.add(&sum);
                            return;
                        }
                        Seen::Mixed => {}
                    }
                }
                if target.0 < inner.at {
                    let span = (span.0, inner.at);
                    inner.left.look(span, target, reader, found, visits);
                }
                if target.1 > inner.at {
                    let span = (inner.at, span.1);
                    inner.right.look(span, target, reader, found, visits);
                }
            }
        }
    }

    /// Whether anything is lost of those bytes of `span`, which are this node's, that are in `target`.
    fn has_any(&mut self, span: (u64, u64), target: (u64, u64), visits: &mut u64) -> bool {
        *visits += 1;
        match self {
            Self::Leaf(loss) => loss.is_some(),
            Self::Inner(inner) if target.0 <= span.0 && span.1 <= target.1 => {
                inner.sum(span).is_any()
            }
            Self::Inner(inner) => {
                let at = inner.at;
                target.0 < at && inner.left.has_any((span.0, at), target, visits)
                    || target.1 > at && inner.right.has_any((at, span.1), target, visits)
            }
        }
    }

    /// Visits every loss of those bytes of `span`, which are this node's, that are in `target`.
    fn for_each(&self, span: (u64, u64), target: (u64, u64), each: &mut impl FnMut(Found)) {
        match self {
            Self::Leaf(None) => {}
            Self::Leaf(Some(loss)) => each(Found {
                loss: *loss,
                bytes: (span.0.max(target.0), span.1.min(target.1)),
            }),
            Self::Inner(inner) => {
                if target.0 < inner.at {
                    inner.left.for_each((span.0, inner.at), target, each);
                }
                if target.1 > inner.at {
                    inner.right.for_each((inner.at, span.1), target, each);
                }
            }
        }
    }
}

impl Inner {
    fn sum(&mut self, span: (u64, u64)) -> &Sum {
        let (at, left, right) = (self.at, &mut self.left, &mut self.right);
        self.sum.get_or_insert_with(|| {
            let mut sum = left.sum((span.0, at));
            sum.add(&right.sum((at, span.1)));
            sum
        })
    }
}

impl Sum {
    fn of(found: Found) -> Self {
        let Found { loss, bytes } = found;
        let is_dropped = loss.kind == LossKind::Dropped;
        let is_given_up = loss.kind == LossKind::GivenUp;
        Self {
            dropped_bytes: if is_dropped { bytes.1 - bytes.0 } else { 0 },
            first_dropped: is_dropped.then_some(bytes),
            dropped: is_dropped.then_some(found),
            given_up: is_given_up.then_some(found),
            given_up_in: is_given_up.then_some((loss.submission, loss.submission)),
            by: smallvec![(loss.actor, loss.submission, loss.submission)],
            is_open: loss.kind == LossKind::Unflushed,
        }
    }

    /// Whether anything is lost.
    pub(super) fn is_any(&self) -> bool {
        !self.by.is_empty()
    }

    /// Adds what is lost of bytes that come after.
    pub(super) fn add(&mut self, other: &Self) {
        self.dropped_bytes += other.dropped_bytes;
        self.first_dropped = self.first_dropped.or(other.first_dropped);
        self.dropped = latest(self.dropped, other.dropped);
        self.given_up = latest(self.given_up, other.given_up);
        self.given_up_in = match (self.given_up_in, other.given_up_in) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        for (actor, first, last) in &other.by {
            match self.by.iter_mut().find(|(known, ..)| known == actor) {
                Some(known) => (known.1, known.2) = (known.1.min(*first), known.2.max(*last)),
                None => self.by.push((*actor, *first, *last)),
            }
        }
        self.is_open |= other.is_open;
    }

    /// What of it a reader finds.
    fn seen_by(&self, reader: &Reader<'_>) -> Seen {
        let submission = reader.submission;
        if !self
            .by
            .iter()
            .any(|(_, first, _)| reader.comes_after(*first))
        {
            return Seen::Nothing;
        }
        if !self.by.iter().all(|(.., last)| reader.comes_after(*last)) {
            return Seen::Mixed;
        }
        // What was given up in the same scope the state knows.
        let mut sum = self.clone();
        match self.given_up_in {
            Some((first, last)) if first == submission && last == submission => sum.given_up = None,
            Some((first, last)) if first <= submission && submission <= last => return Seen::Mixed,
            _ => {}
        }
        Seen::All(sum)
    }
}

/// What of a sum a reader finds.
#[allow(
    clippy::large_enum_variant,
    reason = "it is looked at where it is made, and kept nowhere"
)]
enum Seen {
    Nothing,
    All(Sum),
    /// Not the same for all of it.
    Mixed,
}

/// The latest of two losses, the first one of a tie.
fn latest(first: Option<Found>, second: Option<Found>) -> Option<Found> {
    match (first, second) {
        (Some(a), Some(b)) if b.loss.side.node > a.loss.side.node => Some(b),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Part, Side};
    use super::*;
    use crate::id::{BarrierRef, NodeId, ResourceId};
    use rand::prelude::*;

    const BYTES: u64 = 24;

    /// A loss by the submission of this number; two actors take turns.
    fn loss(number: u32, random: &mut StdRng) -> Loss {
        let kinds = [LossKind::Dropped, LossKind::GivenUp, LossKind::Unflushed];
        let node = NodeId(number * 4 + random.random_range(0..4));
        Loss {
            kind: *kinds.choose(random).expect("three"),
            side: Side::without_access(node, Part::Whole, ResourceId(0)),
            barrier: random
                .random_bool(0.5)
                .then_some(BarrierRef { node, entry: 0 }),
            submission: SubmissionId(number),
            actor: number as usize % 2,
        }
    }

    fn lose(known: &mut Option<Loss>, loss: Loss) {
        let counts = |k: &Loss| k.kind != LossKind::Unflushed || k.barrier == loss.barrier;
        if !known.as_ref().is_some_and(counts) {
            *known = Some(loss);
        }
    }

    /// Numbers of bytes, and the latest loss with its first byte, of the bytes that a reader finds lost.
    fn told(
        plain: &[Option<Loss>],
        bytes: (u64, u64),
        reader: &Reader<'_>,
    ) -> [(u64, Option<(Loss, u64)>); 2] {
        let part = bytes.0..bytes.1;
        [LossKind::Dropped, LossKind::GivenUp].map(|kind| {
            let (mut count, mut latest) = (0, None::<(Loss, u64)>);
            for at in part.clone() {
                let Some(loss) = plain[usize::try_from(at).expect("few")] else {
                    continue;
                };
                let is_own = kind == LossKind::GivenUp && loss.submission == reader.submission;
                if loss.kind != kind || is_own || !reader.comes_after(loss.submission) {
                    continue;
                }
                count += 1;
                if latest.is_none_or(|(known, _)| loss.side.node > known.side.node) {
                    latest = Some((loss, at));
                }
            }
            (count, latest)
        })
    }

    #[test]
    fn sums_equal_a_loss_per_byte() {
        let mut random = StdRng::seed_from_u64(1);
        for _ in 0..400 {
            let mut lost = Lost::default();
            let mut plain = vec![None; usize::try_from(BYTES).expect("few")];
            for number in 0..40 {
                let start = random.random_range(0..BYTES);
                let bytes = (start, random.random_range(start + 1..=BYTES));
                let new = loss(number / 3, &mut random);
                let part = &mut plain[usize::try_from(bytes.0).expect("few")
                    ..usize::try_from(bytes.1).expect("few")];
                match random.random_range(0..4) {
                    0 => {
                        part.fill(None);
                        lost.change(bytes, &LossUpdate::Becomes(None));
                    }
                    1 => {
                        part.fill(Some(new));
                        lost.change(bytes, &LossUpdate::Becomes(Some(new)));
                    }
                    _ => {
                        for known in part {
                            lose(known, new);
                        }
                        lost.change(bytes, &LossUpdate::Loses(new));
                    }
                }
                let start = random.random_range(0..BYTES);
                let bytes = (start, random.random_range(start + 1..=BYTES));
                // Of the other actor only what is some time ago.
                let now = number / 3;
                let is_before =
                    |id: SubmissionId| id.0 < now && (id.0 % 2 == now % 2 || id.0 + 4 < now);
                let reader = Reader {
                    submission: SubmissionId(now),
                    is_before: &is_before,
                };
                let sum = lost.look(bytes, &reader);
                let [(count, dropped), (_, given_up)] = told(&plain, bytes, &reader);
                assert_eq!(sum.dropped_bytes, count);
                let found = |found: Option<Found>| found.map(|f| (f.loss, f.bytes.0));
                assert_eq!(found(sum.dropped), dropped);
                assert_eq!(found(sum.given_up), given_up);
                let any = plain[usize::try_from(bytes.0).expect("few")
                    ..usize::try_from(bytes.1).expect("few")]
                    .iter()
                    .any(Option::is_some);
                assert_eq!(lost.has_any(bytes), any);
            }
        }
    }
}
