//! PM4: the words of AMD's command processor, as radv and others write them.
//!
//! A stream is packets of type 3: `3 | count - 1 | opcode`, then as many words. Names are those of Mesa's
//! `src/amd/common/sid.h` (`PKT3_…`) and of the register headers that it includes (`V_028A90_…`, `S_586_…`, `S_490_…`).

use super::recording::Line;
use super::words::{self, Words};
use super::{Commands, Does, Generation, StreamReader, stages};
use Does::{Drop, Flush, FrontEnd, Wait};

pub(super) static READER: StreamReader = StreamReader {
    name: "pm4",
    about: "words of AMD's command processor: EVENT_WRITE, RELEASE_MEM, ACQUIRE_MEM",
    drivers: &[
        ("radv", "radv"),
        ("AMD open-source driver", "amdvlk"),
        ("AMD proprietary driver", "amd"),
    ],
    // After `RADV`.
    code: super::last_in_parentheses,
    generations: GENERATIONS,
    is_own: words::is_own,
    writes_always: true,
    read,
    // radv initialises, decompresses and resolves by dispatches and draws of its own.
    launches_change_layouts: true,
    ends_at_launch: false,
    switches: |_, _| false,
};

/// Caches of the tables that GCN 5 does not have.
const NOT_ON_GCN: &[&str] = &["GL1", "GLM"];
/// Caches of the tables that RDNA 4 does not have.
const NOT_ON_RDNA4: &[&str] = &["GL1", "GLM", "CBM", "DBM"];

/// By the names of radv's devices; the version is the graphics version.
const GENERATIONS: &[Generation] = &[
    Generation::of("vega", "vega", 9).without(NOT_ON_GCN),
    Generation::of("raven", "vega", 9).without(NOT_ON_GCN),
    Generation::of("renoir", "vega", 9).without(NOT_ON_GCN),
    Generation::of("navi1", "rdna", 10),
    Generation::of("navi2", "rdna", 10),
    Generation::of("vangogh", "rdna", 10),
    Generation::of("rembrandt", "rdna", 10),
    Generation::of("raphael_mendocino", "rdna", 10),
    Generation::of("gfx103", "rdna", 10),
    Generation::of("navi3", "rdna", 11),
    Generation::of("phoenix", "rdna", 11),
    Generation::of("gfx11", "rdna", 11),
    Generation::of("gfx12", "rdna12", 12).without(NOT_ON_RDNA4),
    Generation::of("navi4", "rdna12", 12).without(NOT_ON_RDNA4),
];

/// Events (`V_028A90_…`), as an `EVENT_WRITE` or at the end of a `RELEASE_MEM`. What writes CB, DB or their metadata back drops
/// them.
const EVENTS: &[(u32, &str, &[Does])] = &[
    (0x07, "CS_PARTIAL_FLUSH", &[Wait(stages::COMPUTE)]),
    (0x0f, "VS_PARTIAL_FLUSH", &[Wait(stages::VERTEX)]),
    (0x10, "PS_PARTIAL_FLUSH", &[Wait(stages::PIXEL)]),
    (0x14, "CACHE_FLUSH_AND_INV_TS", COLOUR_AND_DEPTH),
    (0x16, "CACHE_FLUSH_AND_INV", COLOUR_AND_DEPTH),
    (0x2a, "DB_CACHE_FLUSH_AND_INV", DEPTH),
    (0x2b, "FLUSH_AND_INV_DB_DATA_TS", DEPTH),
    (0x2c, "FLUSH_AND_INV_DB_META", &[Flush("DBM"), Drop("DBM")]),
    (0x2d, "FLUSH_AND_INV_CB_DATA_TS", COLOUR),
    (0x2e, "FLUSH_AND_INV_CB_META", &[Flush("CBM"), Drop("CBM")]),
    (0x31, "FLUSH_AND_INV_CB_PIXEL_DATA", COLOUR),
    // At the end of what they name; the packet that has them says what waits.
    (0x28, "BOTTOM_OF_PIPE_TS", &[]),
    (0x2f, "CS_DONE", &[]),
    (0x30, "PS_DONE", &[]),
    // Of the state of the geometry engine and of shader cores.
    (0x24, "VGT_FLUSH", &[]),
    (0x26, "SQ_NON_EVENT", &[]),
];

const COLOUR: &[Does] = &[Flush("CB"), Drop("CB")];
const DEPTH: &[Does] = &[Flush("DB"), Drop("DB")];
const COLOUR_AND_DEPTH: &[Does] = &[Flush("CB"), Drop("CB"), Flush("DB"), Drop("DB")];

/// Events that count or mark, or start a batch of the geometry engine: queries, performance counters, traces.
const COUNTING: &[u32] = &[
    0x01, 0x02, 0x03, 0x0d, 0x0e, 0x15, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f, 0x20, 0x21, 0x33,
    0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a,
];

/// Bits of a word of a packet: where, how many, their name, what they do.
type Bits = &'static [(u32, u32, &'static str, &'static [Does])];

const L0V: &[Does] = &[Drop("L0V")];
const K: &[Does] = &[Drop("K")];
const I: &[Does] = &[Drop("I")];
const GL1: &[Does] = &[Drop("GL1")];
const L2_OUT: &[Does] = &[Flush("L2")];
const L2_DROP: &[Does] = &[Drop("L2")];
/// The metadata cache writes back what it drops.
const GLM: &[Does] = &[Flush("GLM"), Drop("GLM")];

/// `GCR_CNTL` of an `ACQUIRE_MEM` (`S_586_…`), graphics version 10 and later.
const ACQUIRE: Bits = &[
    (0, 2, "GLI_INV", I),
    (4, 1, "GLM_WB", GLM),
    (5, 1, "GLM_INV", GLM),
    (6, 1, "GLK_WB", &[]),
    (7, 1, "GLK_INV", K),
    (8, 1, "GLV_INV", L0V),
    (9, 1, "GL1_INV", GL1),
    (14, 1, "GL2_INV", L2_DROP),
    (15, 1, "GL2_WB", L2_OUT),
];

/// `GCR_CNTL` of a `RELEASE_MEM` (`S_490_…`), graphics version 10 and later.
const RELEASE: Bits = &[
    (12, 1, "GLM_WB", GLM),
    (13, 1, "GLM_INV", GLM),
    (14, 1, "GLV_INV", L0V),
    (15, 1, "GL1_INV", GL1),
    (20, 1, "GL2_INV", L2_DROP),
    (21, 1, "GL2_WB", L2_OUT),
];

/// Of a `RELEASE_MEM` with `PWS_ENABLE` only (`S_490_GLK_INV`).
const RELEASE_PWS: Bits = &[(30, 1, "GLK_INV", K)];

/// `CP_COHER_CNTL` of an `ACQUIRE_MEM` (`S_0301F0_…_ACTION_ENA`), graphics version 9.
const ACQUIRE_GFX9: Bits = &[
    (3, 1, "TC_INV_METADATA", &[]),
    (18, 1, "TC_WB", L2_OUT),
    (21, 1, "TC_WC", &[]),
    (22, 1, "TCL1", L0V),
    (23, 1, "TC", L2_DROP),
    (27, 1, "SH_KCACHE", K),
    (29, 1, "SH_ICACHE", I),
];

/// Of a `RELEASE_MEM` (`EVENT_…_ACTION_ENA`), graphics version 9.
const RELEASE_GFX9: Bits = &[
    (15, 1, "TC_WB", L2_OUT),
    (16, 1, "TCL1", L0V),
    (17, 1, "TC", L2_DROP),
    (21, 1, "TC_MD", &[]),
];

/// Opcodes of packets that start work.
const LAUNCHES: &[(u32, &str)] = &[
    (0x15, "DISPATCH"),
    (0x16, "DISPATCH"),
    (0xa7, "DISPATCH"),
    (0xaa, "DISPATCH"),
    (0xad, "DISPATCH"),
    (0x24, "DRAW"),
    (0x25, "DRAW"),
    (0x27, "DRAW"),
    (0x2c, "DRAW"),
    (0x2d, "DRAW"),
    (0x30, "DRAW"),
    (0x35, "DRAW"),
    (0x38, "DRAW"),
    (0x4c, "DRAW"),
    (0x4d, "DRAW"),
    (0x4e, "DRAW"),
];

/// Opcodes of packets that set state, write or copy a few words, or steer the front end: none orders work or acts on a
/// cache.
const OTHERS: &[u32] = &[
    0x10, 0x11, 0x12, 0x13, 0x1e, 0x1f, 0x20, 0x22, 0x23, 0x26, 0x28, 0x2a, 0x2f, 0x33, 0x34, 0x37,
    0x3f, 0x40, 0x45, 0x51, 0x59, 0x5d, 0x5e, 0x5f, 0x61, 0x63, 0x68, 0x69, 0x76, 0x77, 0x79, 0x7a,
    0x80, 0x81, 0x83, 0x84, 0x85, 0x86, 0x9b, 0x9f, 0xa9, 0xb1, 0xb8, 0xb9, 0xba, 0xbb, 0xbd,
];

/// A `NOP` of one word, and a packet of type 2, which is one too.
const FILLERS: [u32; 2] = [0xffff_1000, 0x8000_0000];

fn read(generation: &Generation, step: &[Line<'_>], commands: &mut Commands<'_>) {
    let mut released = None;
    for mut words in words::lines(step, commands) {
        while let Some(head) = words.next() {
            if FILLERS.contains(&head) {
                continue;
            }
            if head >> 30 != 3 {
                words.no_packet(commands);
                continue;
            }
            let (op, count) = (head >> 8 & 0xff, (head >> 16 & 0x3fff) + 1);
            let Some(body) = words.body(count as usize, commands) else {
                continue;
            };
            let body = body.to_vec();
            let packet = Packet {
                op,
                body: &body,
                words: &words,
            };
            packet.read(generation, &mut released, commands);
        }
    }
}

/// An event at the end of the pipe that was asked for, and is waited for later.
struct Released {
    /// Where it writes; nothing if it counts in the chip (`PWS`).
    address: Option<[u32; 2]>,
    /// What has ended by then.
    stages: &'static [&'static str],
}

/// A packet of type 3, which has a word at least.
struct Packet<'a> {
    op: u32,
    body: &'a [u32],
    words: &'a Words,
}

impl Packet<'_> {
    fn read(
        &self,
        generation: &Generation,
        released: &mut Option<Released>,
        commands: &mut Commands<'_>,
    ) {
        let (body, words) = (self.body, self.words);
        let (first, last) = (body[0], body[body.len() - 1]);
        match self.op {
            0x46 => event_write(first, words, commands),
            0x49 => *released = release(generation, body, commands),
            0x58 if generation.version < 10 => {
                let (names, does) = set(first, ACQUIRE_GFX9);
                commands.add_ranged(named("ACQUIRE_MEM", &names), &does, is_ranged(body));
            }
            // Seven words, or eight where a pixel wait is in it.
            0x58 if body.len() < 6 => words.too_short("ACQUIRE_MEM", commands),
            0x58 => acquire(body, last, released.as_ref(), commands),
            0x3c if body.len() < 3 => words.too_short("WAIT_REG_MEM", commands),
            // It waits for what a RELEASE_MEM has written to this place.
            0x3c => {
                let at = if first >> 8 & 1 == 1 { " pfp" } else { "" };
                let is_of = |it: &&Released| it.address == Some([body[1], body[2]]);
                let waits = released.as_ref().filter(is_of).map(|it| Wait(it.stages));
                let waits: Vec<Does> = waits.into_iter().collect();
                commands.add(format!("WAIT_REG_MEM{at}"), &waits);
            }
            0x42 => commands.add("PFP_SYNC_ME", &[FrontEnd]),
            // Of no bytes: it only waits for earlier ones. `CP_SYNC` is bit 31, `BYTE_COUNT` bits 0 to 20.
            0x50 if first >> 31 == 1 && last.trailing_zeros() > 20 => {
                commands.add("DMA_DATA sync", &[]);
            }
            0x50 => commands.launch("DMA_DATA"),
            op => match LAUNCHES.iter().find(|(known, _)| *known == op) {
                Some((_, name)) => commands.launch(name),
                None if OTHERS.contains(&op) => {}
                None => commands.unknown(format!("packets of opcode 0x{op:02x}"), words.span),
            },
        }
    }
}

/// A command with names of what it does.
fn named(command: &str, names: &[&str]) -> String {
    format!("{command} {}", names.join("+")).trim_end().to_owned()
}

fn event_write(first: u32, words: &Words, commands: &mut Commands<'_>) {
    let event = first & 0x3f;
    match EVENTS.iter().find(|(code, ..)| *code == event) {
        Some((_, name, does)) => commands.add(format!("EVENT_WRITE {name}"), does),
        None if COUNTING.contains(&event) => {}
        None => commands.unknown(format!("the event 0x{event:02x}"), words.span),
    }
}

/// An event at the end of the pipe, with cache actions. It waits for nothing by itself: who reads what it writes does.
fn release(
    generation: &Generation,
    body: &[u32],
    commands: &mut Commands<'_>,
) -> Option<Released> {
    let first = body[0];
    let event = first & 0x3f;
    let known = EVENTS.iter().find(|(code, ..)| *code == event);
    let name = known.map_or_else(|| format!("event 0x{event:02x}"), |it| it.1.to_owned());
    let mut all = vec![name];
    let mut does: Vec<Does> = known.map_or_else(Vec::new, |(_, _, does)| does.to_vec());
    let pws = generation.version >= 11 && first >> 31 == 1;
    let tables: &[Bits] = match generation.version {
        ..10 => &[RELEASE_GFX9],
        _ if pws => &[RELEASE, RELEASE_PWS],
        _ => &[RELEASE],
    };
    for table in tables {
        let (names, more) = set(first, table);
        all.extend(names.into_iter().map(str::to_owned));
        does.extend(more);
    }
    let end = if pws { " PWS" } else { "" };
    commands.add(format!("RELEASE_MEM {}{end}", all.join("+")), &does);
    let stages = match event {
        0x2f => stages::COMPUTE,
        0x30 => stages::PIXEL,
        _ => stages::ALL,
    };
    // `DATA_SEL`, bits 29 to 31, says what is written; 0 is nothing.
    let address = match body {
        [_, select, low, high, ..] if select >> 29 != 0 => Some([*low, *high]),
        _ => None,
    };
    (pws || address.is_some()).then_some(Released {
        address: address.filter(|_| !pws),
        stages,
    })
}

fn acquire(body: &[u32], last: u32, released: Option<&Released>, commands: &mut Commands<'_>) {
    let (mut names, mut does) = set(last, ACQUIRE);
    if body[0] >> 31 == 1 || body.len() > 6 && body[0] >> 17 & 1 == 1 {
        names.push("PWS");
        let counted = released.filter(|it| it.address.is_none());
        does.extend(counted.map(|it| Wait(it.stages)));
    }
    commands.add_ranged(named("ACQUIRE_MEM", &names), &does, is_ranged(body));
}

/// Whether an `ACQUIRE_MEM` is about some addresses: after its first word follow `CP_COHER_SIZE`, `CP_COHER_SIZE_HI`,
/// `CP_COHER_BASE` and `CP_COHER_BASE_HI`, in units of 256 bytes. Everything is all ones from zero.
fn is_ranged(body: &[u32]) -> bool {
    match body {
        [_, size, _, base, base_high, ..] => {
            let is_whole = matches!(*size, 0 | u32::MAX);
            !is_whole || (*base, *base_high) != (0, 0)
        }
        _ => false,
    }
}

/// The bits of a table that are set in a word.
fn set(word: u32, table: Bits) -> (Vec<&'static str>, Vec<Does>) {
    let is_set = |(at, size, ..): &&(u32, u32, &str, &[Does])| word >> at & ((1 << size) - 1) != 0;
    let set = table.iter().filter(is_set);
    let names = set.clone().map(|(_, _, name, _)| *name).collect();
    (names, set.flat_map(|(.., does)| does.iter().copied()).collect())
}
