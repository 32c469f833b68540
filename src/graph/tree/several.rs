//! An operation on several ranges of bytes, such as one mip of all layers: one way down for all of them.
//!
//! It costs O(k + log n) for k ranges that are close together, and O(k · log(n / k)) for any k of n.

use super::{Cost, Inner, Lazy, Node, Operation, Summary, Tree};

impl<S: Lazy> Tree<S> {
    /// An operation on several ranges of bytes, ascending and apart, cut so that none of its ranges reaches beyond them.
    pub(in super::super) fn visit_all(
        &mut self,
        targets: &[(u64, u64)],
        operation: &mut impl Operation<S>,
    ) {
        match targets {
            [] => return,
            [(start, end)] => return self.visit(*start, *end, operation),
            _ => {}
        }
        let root = self.root.get_or_insert_with(Node::default);
        let span = (0, self.size);
        if !root.has_borders(span, targets, &mut self.cost) {
            for at in targets.iter().flat_map(|(start, end)| [*start, *end]) {
                if 0 < at && at < self.size {
                    root.cut(at, &mut self.cost);
                }
            }
        }
        root.act_on_all(span, targets, operation, &mut self.cost);
    }
}

impl<S: Lazy> Node<S> {
    /// Whether ranges begin and end where some bytes do.
    fn has_borders(&self, span: (u64, u64), targets: &[(u64, u64)], cost: &mut Cost) -> bool {
        cost.visits += 1;
        if is_covered(span, targets) {
            return true;
        }
        match self {
            Self::Leaf(_) => false,
            Self::Inner(inner) => {
                let (before, after) = inner.sides(targets);
                inner.left.has_borders((span.0, inner.at), before, cost)
                    && inner.right.has_borders((inner.at, span.1), after, cost)
            }
        }
    }

    /// An operation on several ranges of bytes whose borders have been made.
    fn act_on_all(
        &mut self,
        span: (u64, u64),
        targets: &[(u64, u64)],
        operation: &mut impl Operation<S>,
        cost: &mut Cost,
    ) -> bool {
        if targets.is_empty() {
            return false;
        }
        if is_covered(span, targets) {
            return self.act(span, targets[0], operation, cost);
        }
        cost.visits += 1;
        if let Self::Leaf(_) = self {
            // What waited further up has made one range of several.
            for at in targets.iter().flat_map(|(start, end)| [*start, *end]) {
                if span.0 < at && at < span.1 {
                    self.cut(at, cost);
                }
            }
        }
        let Self::Inner(inner) = self else {
            return false;
        };
        inner.settle(cost);
        let (before, after) = inner.sides(targets);
        let mut has_changed = false;
        has_changed |= inner
            .left
            .act_on_all((span.0, inner.at), before, operation, cost);
        has_changed |= inner
            .right
            .act_on_all((inner.at, span.1), after, operation, cost);
        if has_changed {
            inner.summary = Summary::Stale;
        }
        inner.count();
        has_changed
    }
}

/// First byte, and one past the last.
type Bytes = (u64, u64);

impl<S: Lazy> Inner<S> {
    /// Those of some ranges of bytes that the left child has a part of, and the right one.
    fn sides<'r>(&self, targets: &'r [Bytes]) -> (&'r [Bytes], &'r [Bytes]) {
        let before = targets.partition_point(|target| target.0 < self.at);
        let after = targets.partition_point(|target| target.1 <= self.at);
        (&targets[..before], &targets[after..])
    }
}

/// Whether all of a node's bytes, or none, are in some ranges that all meet them.
fn is_covered(span: (u64, u64), targets: &[(u64, u64)]) -> bool {
    match targets {
        [] => true,
        [(start, end)] => *start <= span.0 && span.1 <= *end,
        _ => false,
    }
}
