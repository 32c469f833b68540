//! Recorded commands and their uses.

use super::words::{quoted, range_text, size_text};
use super::{Piece, Printer};
use crate::api::QueueType;
use crate::scenario::model::{
    Command, CommandKind, DispatchOptions, DrawOptions, IndirectTarget, Takes, Use, UseMode,
};
use std::fmt::Write as _;

impl Printer<'_> {
    /// Commands of a list; groups are nested again.
    pub(super) fn commands(&self, commands: &[Command]) -> Vec<Piece> {
        let mut open: Vec<(Piece, Vec<Piece>)> = Vec::new();
        let mut items = Vec::new();
        for command in commands {
            match &command.kind {
                CommandKind::MarkerBegin { label } => {
                    let marker = Piece::new(format!("marker {}", quoted(label)), &command.trivia);
                    open.push((marker, std::mem::take(&mut items)));
                }
                CommandKind::MarkerEnd => {
                    if let Some((marker, outer)) = open.pop() {
                        let inner = std::mem::replace(&mut items, outer);
                        items.push(marker.with(inner));
                    }
                }
                _ => items.push(self.command(command)),
            }
        }
        // A built list may leave groups open.
        while let Some((marker, outer)) = open.pop() {
            let inner = std::mem::replace(&mut items, outer);
            items.push(marker.with(inner));
        }
        items
    }

    fn command(&self, command: &Command) -> Piece {
        let piece = Piece::new(self.head(command), &command.trivia);
        match &command.kind {
            CommandKind::Draw { .. }
            | CommandKind::Dispatch { .. }
            | CommandKind::DispatchRays { .. }
            | CommandKind::ExecuteIndirect { .. }
            | CommandKind::SetRoot { .. }
            | CommandKind::BuildAs { .. }
            | CommandKind::Video { .. } => piece.with(self.uses(command)),
            CommandKind::Barrier(entries)
            | CommandKind::FenceBarrier {
                barriers: entries, ..
            } => piece.with(entries.iter().map(|entry| self.barrier(entry)).collect()),
            CommandKind::Legacy(entries) => {
                piece.with(entries.iter().map(|entry| self.legacy(entry)).collect())
            }
            CommandKind::Predicate
            | CommandKind::Copy
            | CommandKind::Resolve
            | CommandKind::CopyAs
            | CommandKind::EmitAs
            | CommandKind::ClearRtv
            | CommandKind::ClearDsv
            | CommandKind::ClearUav
            | CommandKind::Discard
            | CommandKind::ExecuteBundle { .. }
            | CommandKind::AssertAccess { .. }
            | CommandKind::AssertLayout { .. }
            | CommandKind::MarkerBegin { .. }
            | CommandKind::MarkerEnd => piece,
        }
    }

    /// A command without its block.
    fn head(&self, command: &Command) -> String {
        let target = |index| match command.uses.get(index) {
            Some(usage) => self.target(usage),
            None => "?".to_string(),
        };
        match &command.kind {
            CommandKind::Draw { .. } | CommandKind::Dispatch { .. } => work_head(&command.kind),
            CommandKind::DispatchRays { label, size } => {
                let [width, height] = size;
                format!(
                    "dispatch-rays{} {width}x{height}",
                    labelled(label.as_deref())
                )
            }
            CommandKind::ExecuteIndirect { label, target } => {
                let word = match target {
                    IndirectTarget::Draw => "draw",
                    IndirectTarget::Dispatch => "dispatch",
                    IndirectTarget::Rays => "rays",
                };
                format!("execute-indirect{} {word}", labelled(label.as_deref()))
            }
            CommandKind::SetRoot { compute: true } => "set-root compute".into(),
            CommandKind::SetRoot { compute: false } => "set-root graphics".into(),
            CommandKind::BuildAs { label } => format!("build-as{}", labelled(label.as_deref())),
            CommandKind::Video { engine, label } => {
                let word = match engine {
                    QueueType::VideoDecode => "video-decode",
                    QueueType::VideoProcess => "video-process",
                    _ => "video-encode",
                };
                format!("{word}{}", labelled(label.as_deref()))
            }
            CommandKind::Predicate if command.uses.is_empty() => "predicate off".into(),
            CommandKind::Predicate => format!("predicate {}", target(0)),
            CommandKind::Copy => {
                let independent = command.uses.first().is_some_and(|u| u.independent);
                let word = if independent { " independent" } else { "" };
                format!("copy {}{word} -> {}", target(0), target(1))
            }
            CommandKind::Resolve => format!("resolve {} -> {}", target(0), target(1)),
            CommandKind::CopyAs => format!("copy-as {} -> {}", target(0), target(1)),
            CommandKind::EmitAs => format!("emit-as-postbuild {} -> {}", target(0), target(1)),
            CommandKind::ClearRtv => format!("clear-rtv {}", target(0)),
            CommandKind::ClearDsv => format!("clear-dsv {}", target(0)),
            CommandKind::ClearUav => format!("clear-uav {}", target(0)),
            CommandKind::Discard => format!("discard {}", target(0)),
            CommandKind::Barrier(_) => "barrier".into(),
            CommandKind::Legacy(_) => "legacy".into(),
            CommandKind::ExecuteBundle { .. }
            | CommandKind::FenceBarrier { .. }
            | CommandKind::AssertAccess { .. }
            | CommandKind::AssertLayout { .. } => self.reference_head(&command.kind),
            CommandKind::MarkerBegin { .. } | CommandKind::MarkerEnd => String::new(),
        }
    }

    /// A command that names a list, a fence or a resource without using it; nothing for every other.
    fn reference_head(&self, kind: &CommandKind) -> String {
        match kind {
            CommandKind::ExecuteBundle { list } => {
                let name = self.scenario.lists[*list].name.as_deref();
                format!("execute-bundle {}", name.unwrap_or("unnamed"))
            }
            CommandKind::FenceBarrier {
                signal,
                fence,
                value,
                ..
            } => {
                let side = if *signal { "signal" } else { "wait" };
                let fence = self.scenario.fence_name(*fence);
                format!("{side}-barrier {fence} {value}")
            }
            CommandKind::AssertAccess {
                resource,
                range,
                access,
            } => {
                let name = self.scenario.resource_name(*resource);
                format!("assert access {name}{} {access}", range_text(range))
            }
            CommandKind::AssertLayout {
                resource,
                range,
                layout,
            } => {
                let name = self.scenario.resource_name(*resource);
                format!("assert layout {name}{} {layout}", range_text(range))
            }
            _ => String::new(),
        }
    }

    fn target(&self, usage: &Use) -> String {
        let name = self.scenario.resource_name(usage.resource);
        format!("{name}{}", range_text(&usage.range))
    }

    fn uses(&self, command: &Command) -> Vec<Piece> {
        let written = command.uses.iter().filter(|usage| !usage.implied);
        written.map(|usage| self.usage(usage)).collect()
    }

    fn usage(&self, usage: &Use) -> Piece {
        let mut head = format!("{} {}", usage.access, self.target(usage));
        if usage.explicit_stages {
            write!(head, " @ {}", usage.stages).expect("a string grows");
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
        if usage.may {
            head.push_str(" may");
        }
        Piece::new(head, &usage.trivia)
    }
}

/// A draw or a dispatch with its options; nothing for every other.
fn work_head(kind: &CommandKind) -> String {
    let mut words = Vec::new();
    match kind {
        CommandKind::Draw {
            label,
            indexed,
            options,
        } => {
            let options = DrawOptions::of(options.as_deref());
            let word = if *indexed { "draw-indexed" } else { "draw" };
            words.push(format!("{word}{}", labelled(label.as_deref())));
            words.extend(options.vertices.map(|count| format!("vertices {count}")));
            words.extend(options.pixels.map(|count| format!("pixels {count}")));
            words.extend(
                options
                    .takes
                    .map(|time| format!("takes {}", time.in_whole_units())),
            );
        }
        CommandKind::Dispatch {
            label,
            groups: [x, y, z],
            options,
        } => {
            let options = DispatchOptions::of(options.as_deref());
            let label = labelled(label.as_deref());
            words.push(format!("dispatch{label} {x}x{y}x{z}"));
            words.extend(options.threads.map(|count| format!("threads {count}")));
            words.extend(
                options
                    .shared
                    .map(|bytes| format!("shared {}", size_text(bytes))),
            );
            words.extend(options.takes.map(|takes| match takes {
                Takes::Command(time) => format!("takes {}", time.in_whole_units()),
                Takes::Group(time) => format!("group-takes {}", time.in_whole_units()),
            }));
            words.extend(
                options
                    .kernel
                    .iter()
                    .map(|k| format!("kernel {}", quoted(&k.path))),
            );
        }
        _ => {}
    }
    words.join(" ")
}

/// A label after its command's word.
fn labelled(label: Option<&str>) -> String {
    label.map_or(String::new(), |label| format!(" {}", quoted(label)))
}
