//! `syncscope fence`: what the fences of a scenario are, where their values lie and which values they take.

use super::console::Console;
use super::run::Choice;
use super::{Status, input};
use crate::analyze::{account, kinds};
use crate::order::Timeline;
use crate::report::fences;
use crate::run::{self, Registry};
use crate::wakeup::{Design, explore};
use crate::{legacy, preview, sim};
use clap::{Args, ValueEnum};
use std::io::{self, Write};
use std::path::PathBuf;

/// Print where the values of a scenario's fences lie, who signals and waits, and the interrupts that it takes
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "lost_wake_up")]
    file: Option<PathBuf>,

    /// Explore every interleaving of a native fence's signal and the lowering of its monitored value, for each design
    #[arg(long, conflicts_with = "file")]
    lost_wake_up: bool,

    /// Run the scenario with monitored, native and intra-GPU fences, and compare
    #[arg(long, requires = "file")]
    kinds: bool,

    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    format: Form,

    #[command(flatten)]
    choice: Choice,
}

#[derive(Copy, Clone, ValueEnum, Debug)]
enum Form {
    /// A page for people
    Text,
    /// One JSON object on one line
    Json,
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let Some(file) = &arguments.file else {
        return lost_wake_up(console, arguments.format);
    };
    let (_, scenario) = match input::scenario(file, None, console) {
        Ok(read) => read,
        Err(status) => return Ok(status),
    };
    let options = arguments.choice.options(registry);
    let chosen = options.and_then(|options| run::choose(registry, &scenario, &options));
    let (profile, lowering) = match chosen {
        Ok(chosen) => chosen,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let paired = preview::pair_fence_barriers(scenario);
    let plain = legacy::translate(&paired);
    if arguments.kinds {
        let outcomes = kinds::compare(&plain, &profile, lowering);
        match arguments.format {
            Form::Text => fences::write_kinds(&outcomes, &mut console.out)?,
            Form::Json => fences::write_kinds_json(&outcomes, &mut console.out)?,
        }
        return Ok(Status::Good);
    }
    let timeline = Timeline::new(&plain);
    let program = lowering.lower(&timeline, &profile);
    let trace = sim::simulate(&program, &profile, &sim::SimOptions::default());
    let account = account::account(&timeline, &trace);
    match arguments.format {
        Form::Text => fences::write(&timeline, &account, &mut console.out)?,
        Form::Json => fences::write_json(&timeline, &account, &mut console.out)?,
    }
    Ok(Status::Good)
}

/// One line a design, and a shortest way to lose the wake-up without the engine's barrier.
fn lost_wake_up(console: &mut Console, form: Form) -> io::Result<Status> {
    let outcomes: Vec<_> = Design::all()
        .map(|design| (design, explore(design)))
        .collect();
    if let Form::Json = form {
        let rows: Vec<_> = outcomes
            .iter()
            .map(|(design, outcome)| {
                serde_json::json!({
                    "engine_barrier": design.engine_barrier,
                    "management_barrier": design.management_barrier,
                    "management_compares": design.management_compares,
                    "system_reads_again": design.system_reads_again,
                    "states": outcome.states,
                    "lost": outcome.lost,
                    "spurious_max": outcome.spurious_max,
                })
            })
            .collect();
        writeln!(console.out, "{}", serde_json::json!({ "designs": rows }))?;
        return Ok(Status::Good);
    }
    let word = |on: bool| if on { "yes" } else { "-" };
    writeln!(
        console.out,
        "engine barrier  management barrier  compares again  system reads again  states  lost  in vain"
    )?;
    for (design, outcome) in &outcomes {
        writeln!(
            console.out,
            "{:<15} {:<19} {:<15} {:<19} {:>6}  {:<4}  {:>7}",
            word(design.engine_barrier),
            word(design.management_barrier),
            word(design.management_compares),
            word(design.system_reads_again),
            outcome.states,
            word(outcome.lost.is_some()),
            outcome.spurious_max,
        )?;
    }
    let wrong = Design {
        engine_barrier: false,
        ..Design::RIGHT
    };
    if let Some(way) = explore(wrong).lost {
        writeln!(
            console.out,
            "\nWithout the engine's barrier the wake-up is lost like this:"
        )?;
        for (index, step) in way.iter().enumerate() {
            writeln!(console.out, "{:>3}. {step}", index + 1)?;
        }
    }
    Ok(Status::Good)
}
