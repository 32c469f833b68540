//! The life of a list: reset, closed, its groups.

use super::Recording;
use super::commands::State;
use crate::scenario::{CommandKind, Trivia};

pub(super) fn handler(name: &str) -> Option<super::Handler> {
    Some(match name {
        "Reset" => |d, _, c| {
            // Allocators are reset too, which says nothing.
            if let Some(recording) = d.lists.get_mut(&c.object) {
                recording.commands.clear();
                recording.state = State::default();
            }
        },
        "ClearState" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                r.state = State {
                    groups: r.state.groups,
                    ..State::default()
                }
            });
        },
        "Close" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                while r.state.groups > 0 {
                    close(r);
                }
            });
        },
        "BeginEvent" => |d, n, c| {
            d.recorded(n, c, |d, _, r| {
                let label = c.a.str("pData");
                let label = if label.is_empty() { "event" } else { label };
                r.state.groups += 1;
                r.push(
                    d.call,
                    CommandKind::MarkerBegin {
                        label: label.into(),
                    },
                    Vec::new(),
                );
            });
        },
        "EndEvent" => |d, n, c| {
            d.recorded(n, c, |_, _, r| {
                if r.state.groups > 0 {
                    close(r);
                }
            });
        },
        _ => return None,
    })
}

fn close(recording: &mut Recording) {
    recording.state.groups -= 1;
    recording.push(0, CommandKind::MarkerEnd, Vec::new());
    if let Some(last) = recording.commands.last_mut() {
        last.trivia = Trivia(None);
    }
}
