//! Value to text, in one canonical form.
//!
//! Declarations and statements keep their order, comments keep their places, at most one empty line stands between two
//! statements. A block goes on one line if it fits; a line that an expectation names stays as it was, because moving a
//! statement off it would move what is expected (see [`Comments::keep_line`], [`Comments::joined`]).

use super::model::*;
use crate::api::{
    BarrierAccess, BarrierSync, BarrierType, HeapType, Layout, QueueType, ResourceFlags,
    SyncObjectFlags,
};
use crate::time::Ps;
use std::fmt::Write as _;

/// Columns that a line may fill.
const COLUMNS: usize = 100;

/// Prints a scenario.
pub fn print(scenario: &Scenario) -> String {
    let mut printer = Printer {
        scenario,
        out: String::new(),
        indent: 0,
    };
    for (index, declaration) in scenario.order.iter().enumerate() {
        printer.declaration(*declaration, index == 0);
    }
    if let Some(comments) = &scenario.trailing.0 {
        if comments.blank_before {
            printer.out.push('\n');
        }
        printer.lines(&comments.before);
    }
    printer.out
}

struct Printer<'s> {
    scenario: &'s Scenario,
    out: String,
    indent: usize,
}

/// A statement with what stands in its block.
struct Piece {
    /// Everything before the block.
    head: String,
    /// Options or statements of the block as text; `None` if there is no block.
    block: Option<Vec<Item>>,
    /// Everything behind the block (nothing, so far, but the place is kept for `takes`-like tails).
    trivia: Trivia,
}

/// Something in a block.
enum Item {
    /// An option without comments of its own.
    Plain(String),
    /// A statement.
    Piece(Piece),
}

impl Printer<'_> {
    fn declaration(&mut self, declaration: Declaration, first: bool) {
        let piece = match declaration {
            Declaration::Title => Piece {
                head: format!(
                    "scenario {}",
                    quoted(self.scenario.title.as_deref().unwrap_or(""))
                ),
                block: None,
                trivia: self.scenario.title_trivia.clone(),
            },
            Declaration::Device => self.device(),
            Declaration::Heap(id) => {
                let (name, heap) = self
                    .scenario
                    .heaps
                    .get_index(id.index())
                    .expect("a declared heap");
                let items = vec![Item::Plain(format!("type {}", heap_word(heap.heap_type)))];
                let head = format!("heap {name} : {}", size(heap.size));
                Piece {
                    head,
                    block: Some(items),
                    trivia: heap.trivia.clone(),
                }
            }
            Declaration::Resource(id) => {
                let (name, resource) = self
                    .scenario
                    .resources
                    .get_index(id.index())
                    .expect("a declared resource");
                self.resource(name, resource)
            }
            Declaration::Fence(id) => {
                let (name, fence) = self
                    .scenario
                    .fences
                    .get_index(id.index())
                    .expect("a declared fence");
                self.fence_piece(name, fence)
            }
            Declaration::Queue(id) => {
                let (name, queue) = self
                    .scenario
                    .queues
                    .get_index(id.index())
                    .expect("a declared queue");
                self.queue_piece(name, queue)
            }
            Declaration::Adapter(index) => adapter_piece(&self.scenario.adapters[index as usize]),
            Declaration::List(id) => {
                let list = &self.scenario.lists[id.index()];
                let name = list.name.as_deref().unwrap_or("unnamed");
                let extended = if list.extended_async {
                    " extended-async"
                } else {
                    ""
                };
                let head = format!("list {name} : {}{extended}", list.queue_type.word());
                let items = self.commands(&list.commands);
                // A list of many commands is never worth a line of its own.
                return self.statement(
                    &Piece {
                        head,
                        block: Some(items),
                        trivia: list.trivia.clone(),
                    },
                    first,
                    false,
                );
            }
            Declaration::Timeline => {
                let Some(timeline) = &self.scenario.timeline else {
                    return;
                };
                let items = self.statements(&timeline.statements);
                let piece = Piece {
                    head: "timeline".into(),
                    block: Some(items),
                    trivia: timeline.trivia.clone(),
                };
                return self.statement(&piece, first, false);
            }
        };
        self.statement(&piece, first, true);
    }

    // ---- layout ---------------------------------------------------------------------------------------------------

    fn lines(&mut self, lines: &[String]) {
        for line in lines {
            if line.is_empty() {
                self.out.push('\n');
            } else {
                self.pad();
                self.out.push_str(line);
                self.out.push('\n');
            }
        }
    }

    fn pad(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    /// Prints a statement on lines of its own, or behind the one before it where an expectation wants that.
    fn statement(&mut self, piece: &Piece, first: bool, may_fold: bool) {
        let none = Comments::default();
        let comments = piece.trivia.0.as_deref().unwrap_or(&none);
        let joined = comments.joined && self.out.ends_with('\n');
        if joined {
            self.out.pop();
            self.out
                .push_str(if self.out.ends_with('{') { " " } else { "; " });
        } else {
            if comments.blank_before && !first {
                self.out.push('\n');
            }
            self.lines(&comments.before);
            self.pad();
        }
        self.body(piece, comments, may_fold);
        if let Some(after) = &comments.after {
            self.out.push(' ');
            self.out.push_str(after);
        }
        self.out.push('\n');
    }

    fn body(&mut self, piece: &Piece, comments: &Comments, may_fold: bool) {
        self.out.push_str(&piece.head);
        let Some(items) = &piece.block else { return };
        if items.is_empty() && comments.inside.is_empty() && comments.open.is_none() {
            self.out.push_str(" { }");
            return;
        }
        if comments.keep_line || may_fold {
            let line_start = self.out.rfind('\n').map_or(0, |at| at + 1);
            if let Some(text) = one_line(items, comments) {
                let width = self.out[line_start..].chars().count() + text.chars().count();
                if comments.keep_line || width <= COLUMNS {
                    self.out.push_str(&text);
                    return;
                }
            }
        }
        self.out.push_str(" {");
        if let Some(open) = &comments.open {
            self.out.push(' ');
            self.out.push_str(open);
        }
        self.out.push('\n');
        self.indent += 1;
        for (index, item) in items.iter().enumerate() {
            match item {
                Item::Plain(text) => {
                    self.pad();
                    self.out.push_str(text);
                    self.out.push('\n');
                }
                Item::Piece(piece) => self.statement(piece, index == 0, true),
            }
        }
        self.lines(&comments.inside);
        self.indent -= 1;
        if comments.close_joined && self.out.ends_with('\n') {
            self.out.pop();
            self.out.push(' ');
        } else {
            self.pad();
        }
        self.out.push('}');
    }

    // ---- declarations ---------------------------------------------------------------------------------------------

    fn device(&self) -> Piece {
        let device = &self.scenario.device;
        let mut items = Vec::new();
        items.extend(
            device
                .profile
                .as_ref()
                .map(|p| Item::Plain(format!("profile {p}"))),
        );
        items.extend(
            device
                .lowering
                .as_ref()
                .map(|l| Item::Plain(format!("lowering {l}"))),
        );
        if device.asynchronous_copies {
            items.push(Item::Plain("copies asynchronous".into()));
        }
        for (capability, on, _) in &device.capabilities {
            let word = if *on { "on" } else { "off" };
            items.push(Item::Plain(format!(
                "capability {} {word}",
                capability.word()
            )));
        }
        Piece {
            head: "device".into(),
            block: Some(items),
            trivia: device.trivia.clone(),
        }
    }

    fn resource(&self, name: &str, resource: &Resource) -> Piece {
        let mut items = Vec::new();
        let mut push = |text: String| items.push(Item::Plain(text));
        let head = match &resource.kind {
            ResourceKind::Buffer { size: bytes } => format!("buffer {name} : {}", size(*bytes)),
            ResourceKind::Texture(shape) => {
                let depth = if shape.depth > 1 {
                    format!("x{}", shape.depth)
                } else {
                    String::new()
                };
                for (word, count) in [
                    ("mips", shape.mips),
                    ("layers", shape.layers),
                    ("samples", shape.samples),
                ] {
                    if count != 1 {
                        push(format!("{word} {count}"));
                    }
                }
                format!(
                    "texture {name} : {} {}x{}{depth}",
                    shape.format.name(),
                    shape.width,
                    shape.height
                )
            }
        };
        if !resource.flags.is_empty() {
            push(format!("flags {}", flags_text(resource.flags)));
        }
        match resource.initial {
            Initial::Default => {}
            Initial::Layout(layout) => push(format!("initial {}", layout.name())),
            Initial::State(state) => push(format!("state {state}")),
        }
        match resource.placement {
            Placement::Committed => {}
            Placement::Placed { heap, offset } => {
                let heap = self
                    .scenario
                    .heaps
                    .get_index(heap.index())
                    .map_or("?", |(name, _)| name);
                push(format!(
                    "heap {heap} at {}",
                    if offset == 0 {
                        "0".into()
                    } else {
                        size(offset)
                    }
                ));
            }
            Placement::Reserved => push("reserved".into()),
        }
        if resource.heap_type != HeapType::Default {
            push(format!("type {}", heap_word(resource.heap_type)));
        }
        if resource.uncompressed {
            push("uncompressed".into());
        }
        if resource.keep {
            push("keep".into());
        }
        let has_comments = resource
            .trivia
            .0
            .as_ref()
            .is_some_and(|c| !c.inside.is_empty() || c.open.is_some());
        let block = (!items.is_empty() || has_comments).then_some(items);
        Piece {
            head,
            block,
            trivia: resource.trivia.clone(),
        }
    }

    // ---- commands -------------------------------------------------------------------------------------------------

    /// Commands of a list; groups are nested again.
    fn commands(&self, commands: &[Command]) -> Vec<Item> {
        let mut open: Vec<(Piece, Vec<Item>)> = Vec::new();
        let mut items = Vec::new();
        for command in commands {
            match &command.kind {
                CommandKind::MarkerBegin { label } => {
                    let head = format!("marker {}", quoted(label));
                    let piece = Piece {
                        head,
                        block: None,
                        trivia: command.trivia.clone(),
                    };
                    open.push((piece, std::mem::take(&mut items)));
                }
                CommandKind::MarkerEnd => {
                    if let Some((mut piece, outer)) = open.pop() {
                        piece.block = Some(std::mem::replace(&mut items, outer));
                        items.push(Item::Piece(piece));
                    }
                }
                _ => items.push(Item::Piece(self.command(command))),
            }
        }
        while let Some((mut piece, outer)) = open.pop() {
            piece.block = Some(std::mem::replace(&mut items, outer));
            items.push(Item::Piece(piece));
        }
        items
    }

    fn command(&self, command: &Command) -> Piece {
        let trivia = command.trivia.clone();
        let label = |label: &Option<Box<str>>| {
            label
                .as_ref()
                .map_or(String::new(), |l| format!(" {}", quoted(l)))
        };
        let target = |index: usize| {
            command
                .uses
                .get(index)
                .map_or("?".to_string(), |u| self.target(u))
        };
        let (head, block) = match &command.kind {
            CommandKind::Draw {
                label: l,
                indexed,
                vertices,
                pixels,
                takes,
            } => {
                let mut head = format!(
                    "{}{}",
                    if *indexed { "draw-indexed" } else { "draw" },
                    label(l)
                );
                for (word, count) in [("vertices", vertices), ("pixels", pixels)] {
                    if let Some(count) = count {
                        write!(head, " {word} {count}").expect("a string");
                    }
                }
                if let Some(time) = takes {
                    write!(head, " takes {}", duration(*time)).expect("a string");
                }
                (head, Some(self.uses(command)))
            }
            CommandKind::Dispatch {
                label: l,
                groups: [x, y, z],
                threads,
                takes,
                kernel,
            } => {
                let mut head = format!("dispatch{} {x}x{y}x{z}", label(l));
                if let Some(threads) = threads {
                    write!(head, " threads {threads}").expect("a string");
                }
                match takes {
                    Some(Takes::Command(time)) => {
                        write!(head, " takes {}", duration(*time)).expect("a string")
                    }
                    Some(Takes::Group(time)) => {
                        write!(head, " group-takes {}", duration(*time)).expect("a string")
                    }
                    None => {}
                }
                if let Some(kernel) = kernel {
                    write!(head, " kernel {}", quoted(&kernel.path)).expect("a string");
                }
                (head, Some(self.uses(command)))
            }
            CommandKind::DispatchRays {
                label: l,
                size: [w, h],
            } => (
                format!("dispatch-rays{} {w}x{h}", label(l)),
                Some(self.uses(command)),
            ),
            CommandKind::ExecuteIndirect { label: l, target } => {
                let word = match target {
                    IndirectTarget::Draw => "draw",
                    IndirectTarget::Dispatch => "dispatch",
                    IndirectTarget::Rays => "rays",
                };
                (
                    format!("execute-indirect{} {word}", label(l)),
                    Some(self.uses(command)),
                )
            }
            CommandKind::SetRoot { compute } => {
                let word = if *compute { "compute" } else { "graphics" };
                (format!("set-root {word}"), Some(self.uses(command)))
            }
            CommandKind::BuildAs { label: l } => {
                (format!("build-as{}", label(l)), Some(self.uses(command)))
            }
            CommandKind::Video { engine, label: l } => {
                let word = match engine {
                    QueueType::VideoDecode => "video-decode",
                    QueueType::VideoProcess => "video-process",
                    _ => "video-encode",
                };
                (format!("{word}{}", label(l)), Some(self.uses(command)))
            }
            CommandKind::Predicate if command.uses.is_empty() => ("predicate off".into(), None),
            CommandKind::Predicate => (format!("predicate {}", target(0)), None),
            CommandKind::Copy => {
                let independent = command.uses.first().is_some_and(|u| u.independent);
                let word = if independent { " independent" } else { "" };
                (format!("copy {}{word} -> {}", target(0), target(1)), None)
            }
            CommandKind::Resolve => (format!("resolve {} -> {}", target(0), target(1)), None),
            CommandKind::CopyAs => (format!("copy-as {} -> {}", target(0), target(1)), None),
            CommandKind::EmitAs => (
                format!("emit-as-postbuild {} -> {}", target(0), target(1)),
                None,
            ),
            CommandKind::ClearRtv => (format!("clear-rtv {}", target(0)), None),
            CommandKind::ClearDsv => (format!("clear-dsv {}", target(0)), None),
            CommandKind::ClearUav => (format!("clear-uav {}", target(0)), None),
            CommandKind::Discard => (format!("discard {}", target(0)), None),
            CommandKind::ExecuteBundle { list } => {
                let name = self.scenario.lists[list.index()]
                    .name
                    .as_deref()
                    .unwrap_or("unnamed");
                (format!("execute-bundle {name}"), None)
            }
            CommandKind::Barrier(entries) => ("barrier".into(), Some(self.barriers(entries))),
            CommandKind::FenceBarrier {
                signal,
                fence,
                value,
                barriers,
            } => {
                let word = if *signal {
                    "signal-barrier"
                } else {
                    "wait-barrier"
                };
                let head = format!("{word} {} {value}", self.scenario.fence_name(*fence));
                (head, Some(self.barriers(barriers)))
            }
            CommandKind::Legacy(entries) => {
                let items = entries
                    .iter()
                    .map(|entry| Item::Piece(self.legacy(entry)))
                    .collect();
                ("legacy".into(), Some(items))
            }
            CommandKind::AssertAccess {
                resource,
                range,
                access,
            } => {
                let name = self.scenario.resource_name(*resource);
                (
                    format!("assert access {name}{} {access}", range_text(range)),
                    None,
                )
            }
            CommandKind::AssertLayout {
                resource,
                range,
                layout,
            } => {
                let name = self.scenario.resource_name(*resource);
                (
                    format!(
                        "assert layout {name}{} {}",
                        range_text(range),
                        layout.name()
                    ),
                    None,
                )
            }
            CommandKind::MarkerBegin { .. } | CommandKind::MarkerEnd => (String::new(), None),
        };
        Piece {
            head,
            block,
            trivia,
        }
    }

    fn target(&self, usage: &Use) -> String {
        format!(
            "{}{}",
            self.scenario.resource_name(usage.resource),
            range_text(&usage.range)
        )
    }

    fn uses(&self, command: &Command) -> Vec<Item> {
        let written = command.uses.iter().filter(|u| !u.implied);
        written
            .map(|usage| {
                let mut head = format!("{} {}", usage.access, self.target(usage));
                if usage.explicit_stages {
                    write!(head, " @ {}", usage.stages).expect("a string");
                }
                head.push_str(match usage.mode {
                    UseMode::Default => "",
                    UseMode::Reads => " reads",
                    UseMode::Writes => " writes",
                    UseMode::Atomics => " atomics",
                });
                if usage.independent {
                    head.push_str(" independent");
                }
                Item::Piece(Piece {
                    head,
                    block: None,
                    trivia: usage.trivia.clone(),
                })
            })
            .collect()
    }

    fn barriers(&self, entries: &[Barrier]) -> Vec<Item> {
        entries
            .iter()
            .map(|entry| Item::Piece(self.barrier(entry)))
            .collect()
    }

    fn barrier(&self, barrier: &Barrier) -> Piece {
        let name = |id: &Option<_>| {
            id.map_or("null", |id| self.scenario.resource_name(id))
                .to_string()
        };
        let mut items: Vec<Item> = Vec::new();
        let mut push = |text: String| items.push(Item::Plain(text));
        if !matches!(
            barrier.target,
            BarrierTarget::EmptyGroup(_) | BarrierTarget::Ranged { .. }
        ) {
            if barrier.sync_before != BarrierSync::NONE || barrier.sync_after != BarrierSync::NONE {
                push(format!(
                    "sync {} -> {}",
                    barrier.sync_before, barrier.sync_after
                ));
            }
            if barrier.access_before != BarrierAccess::COMMON
                || barrier.access_after != BarrierAccess::COMMON
            {
                push(format!(
                    "access {} -> {}",
                    barrier.access_before, barrier.access_after
                ));
            }
        }
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
                size: bytes,
            } => {
                if let Some(offset) = offset {
                    push(format!("offset {offset}"));
                }
                match bytes {
                    Some(u64::MAX) => push("size all".into()),
                    Some(bytes) => push(format!("size {bytes}")),
                    None => {}
                }
                format!("buffer {}", name(resource))
            }
            BarrierTarget::Ranged {
                resource,
                range,
                flags,
            } => {
                for (bit, word) in [(1, "atomic-copy"), (2, "acquire"), (4, "release")] {
                    if flags & bit != 0 {
                        push(word.into());
                    }
                }
                format!("ranged {}{}", name(resource), range_text(range))
            }
            BarrierTarget::Texture {
                resource,
                range,
                layout_before,
                layout_after,
                discard,
            } => {
                if *layout_before != Layout::Undefined || *layout_after != Layout::Undefined {
                    push(format!(
                        "layout {} -> {}",
                        layout_before.name(),
                        layout_after.name()
                    ));
                }
                if *discard {
                    push("discard".into());
                }
                let bracket = match range {
                    BarrierRange::Range(range) => range_text(range),
                    BarrierRange::Raw([a, b, c, d, e, f]) => {
                        push(format!("range {a:#x} {b} {c} {d} {e} {f}"));
                        String::new()
                    }
                };
                format!("texture {}{bracket}", name(resource))
            }
        };
        Piece {
            head,
            block: Some(items),
            trivia: barrier.trivia.clone(),
        }
    }

    fn legacy(&self, entry: &LegacyBarrier) -> Piece {
        let name = |id: &Option<_>| {
            id.map_or("*", |id| self.scenario.resource_name(id))
                .to_string()
        };
        let head = match &entry.kind {
            LegacyKind::Transition {
                resource,
                range,
                before,
                after,
                split,
            } => {
                let split = match split {
                    Some(LegacySplit::Begin) => " begin",
                    Some(LegacySplit::End) => " end",
                    None => "",
                };
                let resource = self.scenario.resource_name(*resource);
                format!(
                    "transition {resource}{} {before} -> {after}{split}",
                    range_text(range)
                )
            }
            LegacyKind::Uav(resource) => format!("uav {}", name(resource)),
            LegacyKind::Alias(before, after) => {
                format!("alias {} -> {}", name(before), name(after))
            }
        };
        Piece {
            head,
            block: None,
            trivia: entry.trivia.clone(),
        }
    }

    // ---- the timeline ---------------------------------------------------------------------------------------------

    fn statements(&self, statements: &[Statement]) -> Vec<Item> {
        statements
            .iter()
            .map(|statement| Item::Piece(self.timeline_statement(statement)))
            .collect()
    }

    fn timeline_statement(&self, statement: &Statement) -> Piece {
        let queue = |id: &Option<_>| {
            id.map_or("cpu", |id| self.scenario.queue_name(id))
                .to_string()
        };
        let value = |value: &FenceValue| match value {
            FenceValue::Absolute(value) => value.to_string(),
            FenceValue::Relative(step) => format!("+{step}"),
        };
        let mut block = None;
        let head = match &statement.kind {
            StatementKind::Execute { queue, lists } => {
                let name = self.scenario.queue_name(*queue);
                match lists.as_slice() {
                    [only] if self.scenario.lists[only.index()].name.is_none() => {
                        block = Some(self.commands(&self.scenario.lists[only.index()].commands));
                        format!("{name} execute")
                    }
                    lists => {
                        let names: Vec<&str> = lists
                            .iter()
                            .map(|list| {
                                self.scenario.lists[list.index()]
                                    .name
                                    .as_deref()
                                    .unwrap_or("unnamed")
                            })
                            .collect();
                        format!("{name} execute {}", names.join(", "))
                    }
                }
            }
            StatementKind::Signal {
                queue: q,
                fence,
                value: v,
            } => {
                format!(
                    "{} signal {} {}",
                    queue(q),
                    self.scenario.fence_name(*fence),
                    value(v)
                )
            }
            StatementKind::Wait {
                queue: q,
                fence,
                value: v,
            } => {
                format!(
                    "{} wait {} {}",
                    queue(q),
                    self.scenario.fence_name(*fence),
                    value(v)
                )
            }
            StatementKind::CpuWrite { resource, range } => {
                format!(
                    "cpu write {}{}",
                    self.scenario.resource_name(*resource),
                    range_text(range)
                )
            }
            StatementKind::CpuRead { resource, range } => {
                format!(
                    "cpu read {}{}",
                    self.scenario.resource_name(*resource),
                    range_text(range)
                )
            }
            StatementKind::CpuWork(time) => format!("cpu work {}", duration(*time)),
            StatementKind::Present { queue, resource } => {
                format!(
                    "{} present {}",
                    self.scenario.queue_name(*queue),
                    self.scenario.resource_name(*resource)
                )
            }
            StatementKind::Reset(None) => "reset device".into(),
            StatementKind::Reset(Some(queue)) => {
                format!("reset queue {}", self.scenario.queue_name(*queue))
            }
            StatementKind::Object {
                queue,
                act,
                fence,
                flags,
            } => {
                let flags = match flags {
                    0 => String::new(),
                    bits => format!(" flags {}", SyncObjectFlags::from_bits_retain(*bits)),
                };
                format!(
                    "{} {} {}{flags}",
                    self.scenario.queue_name(*queue),
                    act.word(),
                    self.scenario.fence_name(*fence)
                )
            }
            StatementKind::Repeat { count, body } => {
                block = Some(self.statements(body));
                format!("repeat {count}")
            }
        };
        Piece {
            head,
            block,
            trivia: statement.trivia.clone(),
        }
    }

    fn queue_piece(&self, name: &str, queue: &Queue) -> Piece {
        let process = queue.process.map(|p| self.scenario.queue_name(p));
        let mut items = Vec::new();
        let head = match queue.role {
            Role::Process => format!("process {name}"),
            Role::Thread => format!("thread {name} : {}", process.unwrap_or("?")),
            Role::Queue => {
                items.extend(process.map(|p| Item::Plain(format!("process {p}"))));
                items.extend(queue.adapter.map(|a| Item::Plain(format!("adapter {a}"))));
                format!("queue {name} : {}", queue.queue_type.word())
            }
        };
        Piece {
            head,
            block: (!items.is_empty() || has_inner_comments(&queue.trivia)).then_some(items),
            trivia: queue.trivia.clone(),
        }
    }

    fn fence_piece(&self, name: &str, fence: &Fence) -> Piece {
        let process = fence.process.map(|p| self.scenario.queue_name(p));
        let mut piece = fence_piece(name, fence, process);
        if piece.block.is_none() && has_inner_comments(&fence.trivia) {
            piece.block = Some(Vec::new());
        }
        piece
    }
}

/// Whether comments stand inside the statement's block, so that it must have one.
fn has_inner_comments(trivia: &Trivia) -> bool {
    let comments = trivia.0.as_ref();
    comments.is_some_and(|c| !c.inside.is_empty() || c.open.is_some())
}

fn adapter_piece(adapter: &Adapter) -> Piece {
    let switch = |word: &str, value: Option<bool>| {
        value.map(|on| Item::Plain(format!("{word} {}", if on { "on" } else { "off" })))
    };
    let mut items = Vec::new();
    items.extend(switch("native-fences", adapter.native_fences));
    items.extend(switch("optimised-default", adapter.optimised_default));
    items.extend(switch("intra-gpu", adapter.intra_gpu));
    if !adapter.segments.is_empty() {
        let words: Vec<&str> = adapter.segments.iter().map(|s| s.word()).collect();
        items.push(Item::Plain(format!("segments {}", words.join("|"))));
    }
    items.extend(
        adapter
            .stride_bytes
            .map(|bytes| Item::Plain(format!("stride {bytes}"))),
    );
    Piece {
        head: format!("adapter {}", adapter.number),
        block: Some(items),
        trivia: adapter.trivia.clone(),
    }
}

fn fence_piece(name: &str, fence: &Fence, process: Option<&str>) -> Piece {
    let mut items = Vec::new();
    items.extend(
        fence
            .kind
            .as_ref()
            .map(|k| Item::Plain(format!("kind {k}"))),
    );
    items.extend(
        fence
            .native
            .as_ref()
            .map(|n| Item::Plain(format!("native {n}"))),
    );
    if !fence.flags.is_empty() {
        let names: Vec<&str> = fence.flags.iter().map(|(name, _)| name.as_str()).collect();
        items.push(Item::Plain(format!("flags {}", names.join("|"))));
    }
    items.extend(fence.adapter.map(|a| Item::Plain(format!("adapter {a}"))));
    items.extend(process.map(|p| Item::Plain(format!("process {p}"))));
    let storage = [
        ("current", fence.storage.current),
        ("monitored", fence.storage.monitored),
        ("private", fence.storage.private_data_bytes),
    ];
    for (word, number) in storage {
        items.extend(number.map(|n| Item::Plain(format!("storage {word} {n}"))));
    }
    if fence.uninitialised {
        items.push(Item::Plain("uninitialised".into()));
    }
    if fence.list_scoped {
        items.push(Item::Plain("scope list".into()));
    }
    let head = if fence.initial == 0 {
        format!("fence {name}")
    } else {
        format!("fence {name} = {}", fence.initial)
    };
    Piece {
        head,
        block: (!items.is_empty()).then_some(items),
        trivia: fence.trivia.clone(),
    }
}

/// A block on one line, if nothing in it needs a line of its own.
fn one_line(items: &[Item], comments: &Comments) -> Option<String> {
    if !comments.inside.is_empty() || comments.open.is_some() {
        return None;
    }
    let mut texts = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Plain(text) => texts.push(text.clone()),
            Item::Piece(piece) => {
                let inner = piece.trivia.0.as_deref();
                if inner.is_some_and(|c| !c.before.is_empty() || c.after.is_some()) {
                    return None;
                }
                let none = Comments::default();
                let block = match &piece.block {
                    None => String::new(),
                    Some(items) => one_line(items, inner.unwrap_or(&none))?,
                };
                texts.push(format!("{}{block}", piece.head));
            }
        }
    }
    Some(if texts.is_empty() {
        " { }".into()
    } else {
        format!(" {{ {} }}", texts.join("; "))
    })
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn heap_word(heap: HeapType) -> &'static str {
    match heap {
        HeapType::Default => "default",
        HeapType::Upload => "upload",
        HeapType::Readback => "readback",
    }
}

fn flags_text(flags: ResourceFlags) -> String {
    flags.to_string()
}

/// The largest unit that divides a size.
fn size(bytes: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes != 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{bytes}B")
}

/// The largest unit that divides a duration.
fn duration(time: Ps) -> String {
    for (unit, ps) in [("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000)] {
        if time.0 != 0 && time.0.is_multiple_of(ps) {
            return format!("{}{unit}", time.0 / ps);
        }
    }
    format!("{}ps", time.0)
}

/// A barrier entry in one line, without its comments: `buffer b { sync COPY -> DRAW; … }`.
pub fn print_barrier(scenario: &Scenario, barrier: &Barrier) -> String {
    let piece = Printer {
        scenario,
        out: String::new(),
        indent: 0,
    }
    .barrier(barrier);
    let options: Vec<&str> = piece
        .block
        .iter()
        .flatten()
        .map(|item| match item {
            Item::Plain(text) => text.as_str(),
            Item::Piece(piece) => piece.head.as_str(),
        })
        .collect();
    if options.is_empty() {
        format!("{} {{ }}", piece.head)
    } else {
        format!("{} {{ {} }}", piece.head, options.join("; "))
    }
}

/// A range as the language writes it; nothing for everything.
pub fn range_text(range: &Range) -> String {
    let pair = |word: &str, (first, end): (u32, u32)| {
        if end == first + 1 {
            format!("{word} {first}")
        } else {
            format!("{word} {first}..{end}")
        }
    };
    match range {
        Range::All => String::new(),
        Range::Subresource(index) => format!("[subresource {index}]"),
        Range::Bytes { start, end } => format!("[{start}..{end}]"),
        Range::Subresources(sub) => {
            let mut parts = Vec::new();
            parts.extend(sub.mips.map(|m| pair("mip", m)));
            parts.extend(sub.layers.map(|l| pair("layer", l)));
            parts.extend(sub.planes.map(|p| pair("plane", p)));
            parts.extend(
                sub.rect
                    .map(|r| format!("rect {},{} {}x{}", r.x, r.y, r.width, r.height)),
            );
            if parts.is_empty() {
                String::new()
            } else {
                format!("[{}]", parts.join(", "))
            }
        }
    }
}
