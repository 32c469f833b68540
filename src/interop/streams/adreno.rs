//! Packets of Adreno's command processor, as turnip writes them.
//!
//! A stream is packets of type 4, which write registers, and of type 7: `7 | opcode | count`. Names are those of Mesa's
//! `src/freedreno/registers/adreno/adreno_pm4.xml`: opcodes of `adreno_pm4_type3_packets`, events of `vgt_event_type`.

use super::recording::Line;
use super::words::{self, Words};
use super::{Commands, Does, Generation, StreamReader, stages};
use Does::{Drop, Flush, FrontEnd, Wait};

pub(super) static READER: StreamReader = StreamReader {
    name: "adreno",
    about: "packets of Adreno's command processor: CP_EVENT_WRITE, CP_WAIT_FOR_IDLE",
    drivers: &[("turnip Mesa driver", "turnip")],
    code,
    generations: GENERATIONS,
    is_own: words::is_own,
    writes_always: true,
    read,
    launches_change_layouts: false,
    // turnip keeps bits pending until work needs them, and what follows its launch renders a whole pass.
    ends_at_launch: true,
    switches: |_, _| false,
};

/// By the numbers of devices; the version is the first digit. The profile is modelled on an a740: its CCHE is not there on
/// generation 6, so that a drop of it which is lacking there says nothing.
const GENERATIONS: &[Generation] = &[
    Generation::of("a6", "tiler", 6),
    Generation::of("a7", "tiler", 7),
];

/// The number of a name: `Turnip Adreno (TM) 750 (raytracing disabled)`, or `FD740`.
fn code(name: &str) -> Option<String> {
    let mut words = name.split_ascii_whitespace();
    let numbers = words.find_map(|word| {
        let number = word.trim_start_matches(|it: char| it.is_ascii_uppercase());
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        (digits >= 3).then(|| &number[..digits])
    });
    numbers.map(|number| format!("a{number}"))
}

/// An event: its number on generation 6, on generation 7, its name, what it does.
type Event = (u32, u32, &'static str, &'static [Does]);

/// Events that act on caches. The names are those of generation 7; on generation 6 three of them write back and are called
/// `CACHE_FLUSH_TS` and `PC_CCU_FLUSH_…_TS`.
const EVENTS: &[Event] = &[
    (0x04, 0x31, "CACHE_CLEAN", &[Flush("UCHE")]),
    (0x31, 0x33, "CACHE_INVALIDATE", &[Drop("UCHE")]),
    (0x1c, 0x20, "CCU_CLEAN_DEPTH", &[Flush("CCUD")]),
    (0x1d, 0x21, "CCU_CLEAN_COLOR", &[Flush("CCUC")]),
    (0x18, 0x18, "CCU_INVALIDATE_DEPTH", &[Drop("CCUD")]),
    (0x19, 0x19, "CCU_INVALIDATE_COLOR", &[Drop("CCUC")]),
    (NONE, 0x04, "CACHE_FLUSH_TS", &[Flush("UCHE")]),
    (NONE, 0x1c, "CCU_FLUSH_DEPTH", &[Flush("CCUD"), Drop("CCUD")]),
    (NONE, 0x1d, "CCU_FLUSH_COLOR", &[Flush("CCUC"), Drop("CCUC")]),
    (NONE, 0x32, "CACHE_FLUSH7", &[Flush("UCHE"), Drop("UCHE")]),
];

/// The generation has no such event.
const NONE: u32 = u32::MAX;

/// Events that count, mark, resolve tiles or keep the caches of low-resolution depth and of visibility, which no profile has.
const OTHER_EVENTS: &[u32] = &[
    0x00, 0x01, 0x05, 0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15,
    0x16, 0x1a, 0x1e, 0x1f, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x30, 0x3f,
];

/// Packets that synchronise.
const PACKETS: &[(u32, &str, &[Does])] = &[
    (0x12, "WAIT_MEM_WRITES", &[]),
    (0x13, "WAIT_FOR_ME", &[FrontEnd]),
    (0x26, "WAIT_FOR_IDLE", &[Wait(stages::ALL)]),
];

/// From generation 7; before, 0x3a is another packet.
const CCHE_INVALIDATE: u32 = 0x3a;

/// Opcodes of packets that start work.
const LAUNCHES: &[(u32, &str)] = &[
    (0x24, "DRAW"),
    (0x28, "DRAW"),
    (0x29, "DRAW"),
    (0x2a, "DRAW"),
    (0x38, "DRAW"),
    (0x2c, "BLIT"),
    (0x31, "DISPATCH"),
    (0x33, "DISPATCH"),
    (0x41, "DISPATCH"),
];

/// Opcodes of packets that set state, steer the front end, or write or copy a few words.
const OTHERS: &[u32] = &[
    0x10, 0x11, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1f, 0x21, 0x23, 0x25,
    0x27, 0x2d, 0x2e, 0x2f, 0x32, 0x34, 0x35, 0x36, 0x37, 0x39, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x40,
    0x42, 0x43, 0x44, 0x45, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52,
    0x53, 0x54, 0x55, 0x56, 0x57, 0x5c, 0x5d, 0x5e, 0x5f, 0x62, 0x63, 0x64, 0x65, 0x66, 0x6b, 0x6c,
    0x6d, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x78, 0x7f,
];

fn read(generation: &Generation, step: &[Line<'_>], commands: &mut Commands<'_>) {
    for mut words in words::lines(step, commands) {
        while let Some(head) = words.next() {
            let (op, count) = match head >> 28 {
                4 => (None, head & 0x7f),
                7 => (Some(head >> 16 & 0x7f), head & 0x3fff),
                _ => {
                    words.no_packet(commands);
                    continue;
                }
            };
            let body = words.body(count as usize, commands);
            let first = body.map(|body| body.first().copied());
            if let (Some(op), Some(first)) = (op, first) {
                packet(generation, op, first, &words, commands);
            }
        }
    }
}

fn packet(
    generation: &Generation,
    op: u32,
    first: Option<u32>,
    words: &Words,
    commands: &mut Commands<'_>,
) {
    if op == 0x46 {
        match first {
            Some(first) => event(generation, first & 0xff, words, commands),
            None => words.too_short("CP_EVENT_WRITE", commands),
        }
    } else if let Some((_, name, does)) = PACKETS.iter().find(|(known, ..)| *known == op) {
        commands.add(*name, does);
    } else if op == CCHE_INVALIDATE && generation.version >= 7 {
        commands.add("CCHE_INVALIDATE", &[Drop("CCHE")]);
    } else if let Some((_, name)) = LAUNCHES.iter().find(|(known, _)| *known == op) {
        commands.launch(name);
    } else if !OTHERS.contains(&op) {
        commands.unknown(format!("packets of opcode 0x{op:02x}"), words.span);
    }
}

fn event(generation: &Generation, event: u32, words: &Words, commands: &mut Commands<'_>) {
    let number = |it: &Event| if generation.version >= 7 { it.1 } else { it.0 };
    match EVENTS.iter().find(|it| number(it) == event) {
        Some((_, _, name, does)) => commands.add(format!("EVENT {name}"), does),
        None if OTHER_EVENTS.contains(&event) => {}
        None => commands.unknown(format!("the event 0x{event:02x}"), words.span),
    }
}
