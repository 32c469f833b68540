//! anv's own print (`INTEL_DEBUG=pc`): the bits that a barrier asks for, each `PIPE_CONTROL`, and `RESOURCE_BARRIER` of Xe2.
//!
//! ```text
//! MESA-INTEL: info: acc: src: …, dst: …, bits: +hdc_flush +cs_stall  reason: pipe barrier
//! MESA-INTEL: info: pc : emit PC=( +hdc_flush +cs_stall ) reason: emission
//! MESA-INTEL: info: rb : Type=Immediate  Signal=GPGPU, Wait=Top, Flags=+l1-dp-uav-flush,
//! pc: add +hdc_flush reason: pipe barrier                                            (Mesa 22)
//! ```
//! anv adds bits to those that are pending, and turns them into commands in front of work. So flushes and invalidates are
//! taken from the bits that a barrier adds; whether something waits for them is what the commands say, whoever asked.

use super::recording::Line;
use super::{Command, Commands, Does, Generation, StreamReader, stages};
use Does::{Drop, Flush, Wait};

pub(super) static READER: StreamReader = StreamReader {
    name: "anv",
    about: "what Mesa's driver for Intel prints with INTEL_DEBUG=pc",
    drivers: &[("Intel open-source Mesa driver", "anv")],
    code,
    generations: GENERATIONS,
    is_own: |line| {
        let kind = printed(line).split_once(':').map(|(kind, _)| kind.trim_end());
        kind.is_some_and(|kind| ["pc", "acc", "rb"].contains(&kind))
    },
    // It prints what its barriers and caches need, and nothing of work.
    writes_always: false,
    read,
    launches_change_layouts: false,
    ends_at_launch: false,
    switches: |_, _| false,
};

/// By the short names of `src/intel/dev/intel_device_info.c`; the version is the graphics version times ten.
const GENERATIONS: &[Generation] = &[
    Generation::of("skl", "intel9", 90),
    Generation::of("kbl", "intel9", 90),
    Generation::of("cfl", "intel9", 90),
    Generation::of("glk", "intel9", 90),
    Generation::of("bxt", "intel9", 90),
    Generation::of("icl", "intel", 110),
    Generation::of("ehl", "intel", 110),
    Generation::of("tgl", "intel", 120),
    Generation::of("rkl", "intel", 120),
    Generation::of("adl", "intel", 120),
    Generation::of("rpl", "intel", 120),
    Generation::of("dg1", "intel", 120),
    Generation::of("dg2", "intel", 125),
    Generation::of("mtl", "intel", 125),
    Generation::of("arl", "intel", 125),
    Generation::of("lnl", "intel", 200),
    Generation::of("bmg", "intel", 200),
    Generation::of("ptl", "intel", 300),
];

/// The first word in the last parentheses: `Intel(R) Iris(R) Xe Graphics (TGL GT2)`.
fn code(name: &str) -> Option<String> {
    let inside = super::in_parentheses(name)?;
    inside.split_ascii_whitespace().next().map(str::to_owned)
}

/// Bits of a `PIPE_CONTROL`, by the words of `anv_dump_pipe_bits` in `src/intel/vulkan/anv_util.c`. The render target's bit is
/// that of its metadata too.
const BITS: &[(&str, &[Does])] = &[
    ("rt_flush", &[Flush("RT"), Drop("RT"), Flush("CCS"), Drop("CCS")]),
    ("depth_flush", &[Flush("DEPTH"), Drop("DEPTH")]),
    ("hdc_flush", &[Flush("L1"), Drop("L1")]),
    ("utdp_flush", &[Flush("L1"), Drop("L1")]),
    ("ccs_flush", &[Flush("CCS"), Drop("CCS")]),
    ("dc_flush", &[Flush("L3")]),
    ("tile_flush", &[Flush("L3")]),
    ("l3_fabric_flush", &[Flush("L3")]),
    ("tex_inval", &[Drop("TEX")]),
    ("const_inval", &[Drop("CONST")]),
    ("vf_inval", &[Drop("VF")]),
    ("cs_stall", &[Wait(stages::ALL)]),
    ("pb_stall", &[Wait(stages::DRAWS)]),
    ("pss_stall", &[Wait(stages::DRAWS)]),
    ("depth_stall", &[Wait(stages::DEPTH)]),
    // Caches that no profile has, and a reminder that is no bit.
    ("state_inval", &[]),
    ("ic_inval", &[]),
    ("rt-bti-change", &[]),
];

/// The bit of a unit that comes with graphics version 12.5; before, anv sets it and writes nothing for it.
const DATAPORT: (&str, u32) = ("utdp_flush", 125);

/// Stages whose end a `RESOURCE_BARRIER` waits for, by the words of `anv_cmd_buffer.c`, from the hardware's field `SignalStage`.
const SIGNALS: &[(&str, &[&str])] = &[
    ("Top", &[]),
    ("None", &[]),
    ("GPGPU", stages::COMPUTE),
    ("Geometry", stages::VERTEX),
    ("Pixel", stages::DRAWS),
    ("Color", stages::DRAWS),
    ("Depth", stages::DEPTH),
];

/// Reasons of bits that are a barrier's.
const REASONS: &[&str] = &["pipe barrier", "wait event"];
/// Parts of reasons that tell a layout operation.
const OPERATIONS: &[&str] = &["aux-op", "hiz-op"];

fn read(generation: &Generation, step: &[Line<'_>], commands: &mut Commands<'_>) {
    for line in step {
        let text = printed(line.text);
        let Some((kind, rest)) = text.split_once(':') else {
            continue;
        };
        let rest = rest.trim();
        let read = match kind.trim_end() {
            "pc" if rest.starts_with("emit") => pipe_control(line, rest, commands),
            "acc" | "pc" => owed(generation, line, rest, commands),
            "rb" => resource_barrier(line, rest, commands),
            _ => continue,
        };
        if read.is_none() {
            commands.broken(
                line.span,
                "the driver's print is cut in this line, or has another form".to_owned(),
            );
        }
    }
}

/// A line without what Mesa's log puts in front of it.
fn printed(text: &str) -> &str {
    let rest = text.strip_prefix("MESA-INTEL: ");
    let rest = rest.and_then(|rest| rest.split_once(": "));
    rest.map_or(text, |(_, rest)| rest)
}

/// The names of bits in a text.
fn bits<'a>(
    line: &'a Line<'_>,
    text: &'a str,
    commands: &mut Commands<'_>,
) -> Vec<(&'a str, &'static [Does])> {
    let mut all = Vec::new();
    for name in text.split_ascii_whitespace().filter_map(|it| it.strip_prefix('+')) {
        match BITS.iter().find(|(known, _)| *known == name) {
            Some((_, does)) => all.push((name, *does)),
            None => commands.unknown(format!("the bit `{name}` of a PIPE_CONTROL"), line.span),
        }
    }
    all
}

/// Bits that are added to those that are pending: `bits: +a +b reason: R`, `add +a +b reason: R`.
fn owed(
    generation: &Generation,
    line: &Line<'_>,
    rest: &str,
    commands: &mut Commands<'_>,
) -> Option<()> {
    let (said, reason) = rest.rsplit_once("reason:")?;
    let reason = reason.trim();
    if OPERATIONS.iter().any(|it| reason.contains(it)) {
        commands.owed.push(Does::Layout);
        return Some(());
    }
    let (_, added) = said.split_once("bits:").or_else(|| said.split_once("add"))?;
    let bits = bits(line, added, commands);
    if REASONS.contains(&reason) {
        let is_there = |name| name != DATAPORT.0 || generation.version >= DATAPORT.1;
        let does = bits.into_iter().filter(|(name, _)| is_there(*name));
        commands.owed.extend(does.flat_map(|(_, does)| does));
    }
    Some(())
}

/// `emit PC=( +a +b ) reason: R`. Its stalls count for whatever is pending.
fn pipe_control(line: &Line<'_>, rest: &str, commands: &mut Commands<'_>) -> Option<()> {
    let (_, said) = rest.split_once("PC=(")?;
    let (said, reason) = said.split_once(')')?;
    reason.trim_start().strip_prefix("reason:")?;
    let bits = bits(line, said, commands);
    if bits.is_empty() {
        return Some(());
    }
    let names: Vec<&str> = bits.iter().map(|(name, _)| *name).collect();
    let does = bits.iter().flat_map(|(_, does)| does.iter().copied());
    let stalls = does.filter(|does| matches!(does, Wait(_)));
    commands.list.push(Command {
        name: format!("PIPE_CONTROL {}", names.join("+")),
        does: Vec::new(),
        does_anyway: stalls.collect(),
        launches: false,
        is_ranged: false,
    });
    Some(())
}

/// `Type=Immediate  Signal=GPGPU,Color, Wait=Top, Flags=+a,+b,`. Its flags are bits that a barrier has added before.
fn resource_barrier(line: &Line<'_>, rest: &str, commands: &mut Commands<'_>) -> Option<()> {
    let (_, said) = rest.split_once("Signal=")?;
    let (signals, said) = said.split_once(" Wait=")?;
    let (wait, flags) = said.split_once(" Flags=")?;
    let signals: Vec<&str> = signals.split(',').filter(|it| !it.is_empty()).collect();
    let mut does = Vec::new();
    for signal in &signals {
        match SIGNALS.iter().find(|(known, _)| known == signal) {
            Some((_, [])) => {}
            Some((_, stages)) => does.push(Wait(stages)),
            None => {
                let name = format!("the stage `{signal}` of a RESOURCE_BARRIER");
                commands.unknown(name, line.span);
            }
        }
    }
    let wait = wait.trim_end_matches(',');
    let flags: Vec<&str> = flags.split(',').filter_map(|it| it.strip_prefix('+')).collect();
    let name = format!(
        "RESOURCE_BARRIER signal={} wait={wait} {}",
        signals.join("+"),
        flags.join("+")
    );
    commands.add(name.trim_end(), &does);
    Some(())
}
