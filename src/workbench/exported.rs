//! A lowering as a rule file. What `lower` finds by asking about single entries is compared with the lowering on every
//! program of the standard corpus, packet by packet: a lowering that remembers something, or that looks at what single
//! entries do not have, is found out there.

use super::{corpus, understood};
use crate::api::LeafSet;
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::lower::rules::{self, RuleFile, RuleLowering};
use crate::parallel::prelude::*;
use crate::pipeline::back;
use crate::pipeline::clock::Clock;
use crate::pipeline::front::Kernels;
use crate::pipeline::{Options, Registry, Unusable, choose};
use crate::program::{BarrierOp, Block, HwOpKind, Origin, Program, Reach, Step, StepKind};
use crate::scenario::Scenario;

/// A lowering as the rule file that it follows on the profile of the options.
///
/// # Errors
/// If there is no such lowering or profile, or if rules cannot say what the lowering does.
pub fn exported(name: &str, registry: &Registry, options: &Options) -> Result<RuleFile, Unusable> {
    let options = Options {
        lowering: Some(name.to_owned()),
        ..options.clone()
    };
    let chosen = choose(registry, &Scenario::default(), "", &options)?;
    export(chosen.lowering, &chosen.profile).map_err(|why| Unusable {
        message: format!(
            "`{name}` is no rule file on `{}`: {why}",
            chosen.profile.name
        ),
        help: "rules say what follows from one barrier; a lowering in Rust may do anything"
            .to_owned(),
    })
}

/// The rules that a lowering follows on a profile.
///
/// # Errors
/// What it does that rules cannot say, in words.
pub fn export(lowering: &dyn Lowering, profile: &Profile) -> Result<RuleFile, String> {
    let file = rules::export::export(lowering, profile).map_err(|refused| refused.message)?;
    if lowering.rules().is_some() {
        return Ok(file);
    }
    let source = Source::new("exported", rules::print(&file));
    let (rules, _) = RuleLowering::read(&source).map_err(|found| found[0].message.to_string())?;
    let differ = corpus()
        .par_iter()
        .find_map_first(|source| difference(source, lowering, &rules, profile));
    match differ {
        Some(difference) => Err(difference),
        None => Ok(file),
    }
}

/// Where a lowering and rules differ on a program.
fn difference(
    source: &Source,
    lowering: &dyn Lowering,
    rules: &RuleLowering,
    profile: &Profile,
) -> Option<String> {
    let prepared = understood(source)?.prepare(Kernels::LeftOut, &mut Clock::untold());
    let timeline = prepared.timeline();
    let [is, says] = [lowering, rules as &dyn Lowering].map(|lowering| {
        let program = back::lower(lowering, &timeline, profile);
        packets(&program, profile)
    });
    if is.len() != says.len() {
        return Some(format!("it emits packets of its own in {}", source.name));
    }
    let pairs = is.iter().zip(&says);
    let ((origin, is), (_, says)) = pairs.into_iter().find(|(is, says)| is != says)?;
    let place = source.line(timeline.span(origin.node).start);
    let sorted = |packet: &str| {
        let mut parts: Vec<String> = packet.split("; ").map(str::to_owned).collect();
        parts.sort_unstable();
        parts
    };
    let why = if sorted(is) == sorted(says) {
        "its operations have an order of their own"
    } else {
        "rules made from single barriers say something else"
    };
    Some(format!(
        "{why}: in {}, line {place}, its packet has {is}, and that of the rules {says}",
        source.name
    ))
}

/// The barrier packets of a program in words, without the reasons. Write-backs next to each other run together, and so do
/// drops: their order is none.
fn packets(program: &Program, profile: &Profile) -> Vec<(Origin, String)> {
    let barriers = program.ops().filter_map(|(block, op)| match &op.kind {
        HwOpKind::Barrier(barrier) => Some((op.origin, packet(barrier, block, profile))),
        _ => None,
    });
    barriers.collect()
}

fn packet(barrier: &BarrierOp, block: &Block, profile: &Profile) -> String {
    let steps: Vec<(u8, String)> = barrier
        .steps
        .of(&block.steps)
        .iter()
        .map(|step| words(step, block, profile))
        .collect();
    let mut parts = vec![
        format!("wait {}", stages(barrier.wait)),
        format!("hold {}", stages(barrier.hold)),
    ];
    if barrier.after_all {
        parts.push("after-all".to_owned());
    }
    for run in steps.chunk_by(|a, b| a.0 == b.0 && a.0 != 0) {
        let mut run: Vec<&str> = run.iter().map(|(_, text)| text.as_str()).collect();
        run.sort_unstable();
        parts.extend(run.into_iter().map(str::to_owned));
    }
    parts.join("; ")
}

fn stages(leaves: LeafSet) -> String {
    match leaves {
        LeafSet::ALL => "ALL".to_owned(),
        LeafSet::EMPTY => "none".to_owned(),
        some => some.to_string(),
    }
}

/// A step in words: write-backs are of kind 1, drops of kind 2.
fn words(step: &Step, block: &Block, profile: &Profile) -> (u8, String) {
    let reach = |reach: &Reach| match block.reach(*reach) {
        None => " whole".to_owned(),
        Some(extents) => {
            let bytes: u64 = extents.iter().map(|extent| extent.len()).sum();
            format!(" ({bytes} bytes)")
        }
    };
    match &step.kind {
        StepKind::Clean { cache, reach: of } => (
            1,
            format!("clean {}{}", profile.cache(*cache).name, reach(of)),
        ),
        StepKind::Invalidate { cache, reach: of } => (
            2,
            format!("invalidate {}{}", profile.cache(*cache).name, reach(of)),
        ),
        StepKind::Layout { op, initialise, .. } => {
            let discards = if *initialise { ", discarding" } else { "" };
            (
                0,
                format!("layout \"{}\"{discards}", profile.layout_op(*op).name),
            )
        }
        StepKind::FrontEnd => (0, "front-end".to_owned()),
        StepKind::Driver { op, takes } => (0, format!("driver \"{op}\" {takes}")),
        StepKind::TileLoad { .. } => (0, "tile load".to_owned()),
        StepKind::TileStore { .. } => (0, "tile store".to_owned()),
        StepKind::EngineSwitch => (0, "engine switch".to_owned()),
    }
}
