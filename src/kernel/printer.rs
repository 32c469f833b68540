//! Value to text, the one way. What is printed parses to the same value.

use super::fence::{BarrierMemory, Fence};
use super::model::{
    Comments, Condition, Guard, Kernel, LocationKind, Op, OpKind, Operand, Subject, Thread,
};
use crate::id::LocationId;
use std::fmt::Write as _;

/// Columns that a thread on one line may fill.
const LINE_MAX: usize = 100;

/// The test as text.
pub fn print(kernel: &Kernel) -> String {
    let mut out = String::new();
    if let Some(title) = &kernel.title {
        let title = title.replace('\\', "\\\\").replace('"', "\\\"");
        statement(&mut out, &kernel.comments, &format!("litmus \"{title}\""));
    }
    for location in &kernel.locations {
        let name = &location.name;
        let mut line = match location.kind {
            LocationKind::Uav { .. } => format!("uav {name}"),
            LocationKind::Groupshared => format!("groupshared {name}"),
        };
        if let LocationKind::Uav {
            globally_coherent: true,
        } = location.kind
        {
            line.push_str(" globallycoherent");
        }
        if let Some(beside) = location.beside {
            let _ = write!(line, " beside {}", kernel.location(beside).name);
        }
        statement(&mut out, &location.comments, &line);
    }
    for location in &kernel.locations {
        if let Some(value) = location.init {
            let _ = writeln!(out, "init {} {value}", location.name);
        }
    }
    for thread in &kernel.threads {
        print_thread(&mut out, kernel, thread);
    }
    for expectation in &kernel.expectations {
        let line = format!(
            "expect {} {}",
            expectation.verdict.word(),
            condition(kernel, &expectation.condition)
        );
        statement(&mut out, &expectation.comments, &line);
    }
    for line in &kernel.comments_at_end {
        let _ = writeln!(out, "{line}");
    }
    out
}

fn statement(out: &mut String, comments: &Comments, line: &str) {
    for comment in &comments.before {
        let _ = writeln!(out, "{comment}");
    }
    out.push_str(line);
    if let Some(after) = &comments.after {
        let _ = write!(out, " {after}");
    }
    out.push('\n');
}

fn print_thread(out: &mut String, kernel: &Kernel, thread: &Thread) {
    let head = format!(
        "thread group {} {}{} {{",
        thread.group,
        thread.stage.word(),
        if thread.helper { " helper" } else { "" }
    );
    let ops: Vec<String> = thread.ops.iter().map(|o| op(kernel, o)).collect();
    let kept = thread.closes_on_line || thread.ops.iter().any(|o| o.on_line);
    let plain = !kept
        && thread.comments_at_end.is_empty()
        && (thread.comment_behind.is_none() || thread.comments.after.is_none())
        && thread.ops.iter().all(|o| o.comments == Comments::default());
    let line = format!("{head} {} }}", ops.join("; "));
    if plain && line.chars().count() <= LINE_MAX {
        let line = if ops.is_empty() {
            format!("{head} }}")
        } else {
            line
        };
        let mut comments = thread.comments.clone();
        comments.after = comments.after.or_else(|| thread.comment_behind.clone());
        statement(out, &comments, &line);
        return;
    }
    print_lines(out, thread, &head, &ops);
}

/// A thread on several lines. What is on a line that expects a finding stays there.
fn print_lines(out: &mut String, thread: &Thread, head: &str, ops: &[String]) {
    for comment in &thread.comments.before {
        let _ = writeln!(out, "{comment}");
    }
    out.push_str(head);
    let mut comment = thread.comments.after.clone();
    for (index, (op, text)) in thread.ops.iter().zip(ops).enumerate() {
        if op.on_line {
            let _ = write!(out, "{} {text}", if index == 0 { "" } else { ";" });
        } else {
            finish_line(out, &mut comment);
            for line in &op.comments.before {
                let _ = writeln!(out, "  {line}");
            }
            let _ = write!(out, "  {text}");
        }
        if op.comments.after.is_some() {
            comment.clone_from(&op.comments.after);
        }
    }
    if thread.closes_on_line {
        out.push_str(" }");
    } else {
        finish_line(out, &mut comment);
        for line in &thread.comments_at_end {
            let _ = writeln!(out, "  {line}");
        }
        out.push('}');
    }
    comment = comment.or_else(|| thread.comment_behind.clone());
    finish_line(out, &mut comment);
}

/// Ends a line with its comment.
fn finish_line(out: &mut String, comment: &mut Option<String>) {
    if let Some(comment) = comment.take() {
        let _ = write!(out, " {comment}");
    }
    out.push('\n');
}

/// An instruction as text.
pub fn op(kernel: &Kernel, op: &Op) -> String {
    let mut out = String::new();
    for guard in &op.guards {
        match guard {
            Guard::Uniform => out.push_str("[uniform] "),
            Guard::Varying => out.push_str("[varying] "),
            Guard::Register {
                register,
                equal,
                value,
            } => {
                let _ = write!(
                    out,
                    "[{register}{}{value}] ",
                    if *equal { "==" } else { "!=" }
                );
            }
        }
    }
    let name = |id: &LocationId| &kernel.location(*id).name;
    let _ = match &op.kind {
        OpKind::Store { location, value } => {
            write!(out, "st {} {}", name(location), operand(*value))
        }
        OpKind::Load {
            register,
            location,
            address,
        } => {
            let _ = write!(out, "ld {register} {}", name(location));
            address.map_or(Ok(()), |r| write!(out, " dep={r}"))
        }
        OpKind::Atomic {
            atomic,
            register,
            location,
            value,
            new,
        } => {
            let _ = write!(
                out,
                "{} {register} {} {}",
                atomic.word(),
                name(location),
                operand(*value)
            );
            new.map_or(Ok(()), |n| write!(out, " {}", operand(n)))
        }
        OpKind::Fence(fence) => write!(out, "{}", print_fence(kernel, *fence)),
        OpKind::Discard { taken } => write!(out, "discard {}", u8::from(*taken)),
    };
    out
}

fn operand(operand: Operand) -> String {
    match operand {
        Operand::Value(value) => value.to_string(),
        Operand::Register(register) => register.to_string(),
    }
}

fn print_fence(kernel: &Kernel, fence: Fence) -> String {
    match fence {
        Fence::Sync(sync) => sync.to_string(),
        Fence::Intrinsic(intrinsic) => intrinsic.name().to_owned(),
        Fence::Barrier { memory, flags } => {
            let memory = match memory {
                BarrierMemory::Object(location) => kernel.location(location).name.clone(),
                BarrierMemory::All => "ALL".to_owned(),
                BarrierMemory::Types {
                    uav: true,
                    groupshared: true,
                } => "UAV|TGSM".to_owned(),
                BarrierMemory::Types { uav: true, .. } => "UAV".to_owned(),
                BarrierMemory::Types { .. } => "TGSM".to_owned(),
            };
            let words: Vec<&str> = [
                (flags.device, "DEVICE"),
                (flags.group, "GROUP"),
                (flags.sync, "SYNC"),
            ]
            .into_iter()
            .filter_map(|(set, word)| set.then_some(word))
            .collect();
            format!("barrier({memory};{})", words.join("|"))
        }
    }
}

/// A condition as text.
pub fn condition(kernel: &Kernel, it: &Condition) -> String {
    let part = |c: &Condition| match c {
        Condition::Is { .. } | Condition::Not(_) => condition(kernel, c),
        _ => format!("({})", condition(kernel, c)),
    };
    match it {
        Condition::Is {
            subject: about,
            equal,
            value,
        } => format!(
            "{} {} {value}",
            subject(kernel, *about),
            if *equal { "==" } else { "!=" }
        ),
        Condition::All(parts) => parts.iter().map(part).collect::<Vec<_>>().join(" & "),
        Condition::Any(parts) => parts
            .iter()
            .map(|c| match c {
                Condition::All(_) => condition(kernel, c),
                _ => part(c),
            })
            .collect::<Vec<_>>()
            .join(" | "),
        // `!` takes the next part only, which a comparison is: parentheses show what is meant.
        Condition::Not(inner) => format!("!({})", condition(kernel, inner)),
    }
}

/// What a condition is about, as text.
pub fn subject(kernel: &Kernel, it: Subject) -> String {
    match it {
        Subject::Register { thread, register } => format!("{thread}:{register}"),
        Subject::Uav(location) => kernel.location(location).name.clone(),
        Subject::Groupshared { location, group } => {
            format!("{}@{group}", kernel.location(location).name)
        }
    }
}
