//! What a layout stores, every other one must be able to read: a machine on which nobody could is none.
//!
//! A layout stores the texels of one kind of texture (colour, or depth) in one class. Where a layout cannot read what another
//! one stores, a layout operation must go from the one class to the other.

use super::file::File;
use super::ways::Tables;
use super::{At, Reader};
use crate::api::{BarrierAccess, Layout, compat};
use crate::hardware::layouts::{layout_index, operation_between};
use crate::hardware::{Exception, LayoutClass, LayoutOp};
use crate::id::{LayoutOpId, Table};

/// Accesses to colour and to depth.
const COLOUR: BarrierAccess = BarrierAccess::RENDER_TARGET
    .union(BarrierAccess::UNORDERED_ACCESS)
    .union(BarrierAccess::SHADING_RATE_SOURCE)
    .union(EITHER);
const DEPTH: BarrierAccess = BarrierAccess::DEPTH_STENCIL_READ
    .union(BarrierAccess::DEPTH_STENCIL_WRITE)
    .union(EITHER);
const EITHER: BarrierAccess = BarrierAccess::SHADER_RESOURCE
    .union(BarrierAccess::COPY_SOURCE)
    .union(BarrierAccess::COPY_DEST)
    .union(BarrierAccess::RESOLVE_SOURCE)
    .union(BarrierAccess::RESOLVE_DEST);

/// One kind of texture: its layouts, how each stores it, and the operations between these.
struct Kind<'r> {
    depth: bool,
    layouts: Vec<(Layout, LayoutClass)>,
    ops: &'r Table<LayoutOpId, LayoutOp>,
}

impl Reader<'_> {
    /// Says what some layout stores and another one could not read: the first such pair.
    pub(super) fn stored(
        &mut self,
        file: &File,
        tables: &[Tables],
        exceptions: &[Exception],
        ops: &Table<LayoutOpId, LayoutOp>,
    ) {
        if self.problems.is_empty() {
            self.forms(file);
        }
        // What follows from another mistake is not said as well.
        if !self.problems.is_empty() {
            return;
        }
        for (set, tables) in tables.iter().enumerate() {
            for depth in [false, true] {
                let is_of =
                    |e: &Exception| e.depth.is_none_or(|d| d == depth) && (depth || !e.stencil);
                let mut held = exceptions
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| set >> at & 1 == 1);
                if !held.all(|(_, exception)| is_of(exception)) {
                    continue;
                }
                let kind = Kind::new(depth, tables, ops);
                if let Some((layout, message)) = kind.unreadable() {
                    self.problem(&At::of("layout").to(layout.name()), message);
                    return;
                }
            }
        }
    }

    /// A layout stores texels in one form, whatever the queue; `UNDEFINED`, and no other one, stores none.
    fn forms(&mut self, file: &File) {
        let tables = file.exception.iter().map(|row| &row.layout);
        for rows in std::iter::once(&file.layout).chain(tables) {
            for (word, classes) in rows {
                let at = At::of("layout").to(word);
                let mut legal = classes.iter().filter(|class| *class != "-");
                let Some(first) = legal.next() else { continue };
                if let Some(other) = legal.find(|class| *class != first) {
                    self.problem(
                        &at,
                        format!(
                            "layout {word}: `{first}` on one queue type and `{other}` on another; its texels are the same on \
                             all of them: name one class, and `-` where the layout is not legal"
                        ),
                    );
                }
                if (first == "X") != (*word == Layout::Undefined.name()) {
                    self.problem(
                        &at,
                        format!(
                            "layout {word}: `X` is the class of UNDEFINED, and of no other layout"
                        ),
                    );
                }
            }
        }
    }
}

impl<'r> Kind<'r> {
    fn new(depth: bool, tables: &Tables, ops: &'r Table<LayoutOpId, LayoutOp>) -> Self {
        let accesses = if depth { DEPTH } else { COLOUR };
        // Video layouts mean nothing to the other queues.
        let is_of = |layout: &&Layout| {
            layout.is_public()
                && **layout != Layout::VideoQueueCommon
                && compat::layout_accesses(**layout).intersects(accesses)
        };
        let class = |layout: &Layout| {
            let classes = tables.layouts[layout_index(*layout)?];
            let class = classes
                .into_iter()
                .find(|class| *class != LayoutClass::Illegal)?;
            Some((*layout, class))
        };
        Self {
            depth,
            layouts: Layout::ALL.iter().filter(is_of).filter_map(class).collect(),
            ops,
        }
    }

    fn op(&self, from: LayoutClass, to: LayoutClass) -> Option<&'r LayoutOp> {
        operation_between(self.ops, from, to, self.depth).map(|id| &self.ops[id])
    }

    /// Compressed classes of its layouts.
    fn compressed(&self) -> impl Iterator<Item = LayoutClass> {
        let classes = self.layouts.iter().map(|(_, class)| *class);
        classes.filter(|class| is_compressed(*class))
    }

    /// The first layout whose contents another one could not read, and why.
    fn unreadable(&self) -> Option<(Layout, String)> {
        let kind = if self.depth { "depth" } else { "colour" };
        for (to, class) in &self.layouts {
            if !self.initialises(*class) {
                return Some((
                    *to,
                    format!(
                        "layout {}: {kind} has metadata, which no [[layout_op]] initialises that goes from `X` to `{}`: a texture \
                         whose contents were discarded could not be read",
                        to.name(),
                        class.word()
                    ),
                ));
            }
        }
        for (from, stored) in &self.layouts {
            for (to, read) in &self.layouts {
                let why = self.lacks(*stored, *read);
                if let Some(why) = why {
                    return Some((
                        *from,
                        format!(
                            "layout {}: {kind} is stored as `{}`, and no [[layout_op]] goes from there to `{}`, which {} reads{why}",
                            from.name(),
                            stored.word(),
                            read.word(),
                            to.name()
                        ),
                    ));
                }
            }
        }
        None
    }

    /// Whether dropped contents get metadata on the way to a class, or in it, or need none.
    fn initialises(&self, class: LayoutClass) -> bool {
        let later = || self.compressed().all(|to| self.op(class, to).is_some());
        self.op(LayoutClass::Undefined, class).is_some() || !is_compressed(class) && later()
    }

    /// What a class lacks to be read as another one: an operation, and why.
    fn lacks(&self, stored: LayoutClass, read: LayoutClass) -> Option<&'static str> {
        if self.op(stored, read).is_some() {
            return None;
        }
        match (is_compressed(stored), is_compressed(read)) {
            (true, false) => Some(""),
            (true, true) => {
                let is_cleared = stored == LayoutClass::CompressedFastClear;
                (is_cleared && read == LayoutClass::Compressed).then_some("")
            }
            (false, true) => {
                let mut into = self.compressed().filter_map(|from| self.op(from, stored));
                into.any(|op| !op.passes_through)
                    .then_some("; a write makes metadata untrue that is `resolved`")
            }
            (false, false) => None,
        }
    }
}

fn is_compressed(class: LayoutClass) -> bool {
    matches!(
        class,
        LayoutClass::Compressed | LayoutClass::CompressedFastClear
    )
}
