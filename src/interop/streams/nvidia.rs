//! Methods of NVIDIA's channels, as nvk writes them.
//!
//! A stream is headers with data: `kind | count | subchannel | method`. Names are those of NVIDIA's class headers, which Mesa
//! has as `src/nouveau/headers/nvidia/classes/cl….h`: of the 3D class (`clc597.h`), the compute class (`clc5c0.h`) and the copy
//! class (`clc5b5.h`). Most methods set state, so one that no table has does nothing here.
//!
//! Before Blackwell, the channel waits for what runs when its work goes from one of these classes to another: nvk writes no wait
//! there. That is a wait of the packet here, so that what the packet drops is dropped after it.

use super::recording::Line;
use super::words::{self, Words};
use super::{Commands, Does, Generation, StreamReader, stages};
use Does::{Drop, FrontEnd, Wait};

pub(super) static READER: StreamReader = StreamReader {
    name: "nvidia",
    about: "methods of NVIDIA's channels: WAIT_FOR_IDLE, INVALIDATE_SHADER_CACHES",
    drivers: &[("NVK", "nvk"), ("NVIDIA", "nvidia")],
    // After `NVK`.
    code: super::last_in_parentheses,
    generations: GENERATIONS,
    is_own: words::is_own,
    writes_always: true,
    read,
    launches_change_layouts: false,
    ends_at_launch: false,
    switches,
};

/// By the names of chips.
const GENERATIONS: &[Generation] = &[
    Generation::of("tu", "nvidia", 0),
    Generation::of("ga", "nvidia", 0),
    Generation::of("ad", "nvidia", 0),
    Generation::of("gh", "hopper", 0),
];

/// What a method is: its name, what it does, and what the bits of its data do.
type Method = (u32, &'static str, Kind, &'static [(u32, &'static [Does])]);

#[derive(Copy, Clone)]
enum Kind {
    Does(&'static [Does]),
    Launches,
}

const NOTHING: Kind = Kind::Does(&[]);
const IDLE: Kind = Kind::Does(&[Wait(stages::ALL)]);

/// Bits of `INVALIDATE_SHADER_CACHES` and of its form without a wait: `INSTRUCTION`, `DATA` or `GLOBAL_DATA`, `CONSTANT`.
const SHADER_CACHES: &[(u32, &[Does])] = &[
    (0, &[]),
    (4, &[Drop("L1T")]),
    (12, &[Drop("C1"), Drop("C15")]),
];

const TEXELS: Kind = Kind::Does(&[Drop("L1T")]);

/// Methods that are about all lines or about one (`INVALIDATE_TEXTURE_DATA_CACHE…_LINES`).
const OF_LINES: [u32; 2] = [0x1288, 0x1338];

/// Of the channel itself: `SET_REFERENCE` waits for the front end.
const OF_ALL: &[Method] = &[(0x0050, "SET_REFERENCE", Kind::Does(&[FrontEnd]), &[])];

/// Of the 3D class.
const OF_3D: &[Method] = &[
    (0x0110, "WAIT_FOR_IDLE", IDLE, &[]),
    (0x021c, "INVALIDATE_SHADER_CACHES", IDLE, SHADER_CACHES),
    (0x03ec, "INVALIDATE_RASTER_CACHE_NO_WFI", Kind::Does(&[Drop("RASTER")]), &[]),
    (0x056c, "MME_DMA_SYSMEMBAR", Kind::Does(&[FrontEnd]), &[]),
    (0x0da4, "INVALIDATE_SHADER_CACHES_NO_WFI", NOTHING, SHADER_CACHES),
    (0x1288, "INVALIDATE_TEXTURE_DATA_CACHE_NO_WFI", TEXELS, &[]),
    (0x1338, "INVALIDATE_TEXTURE_DATA_CACHE", Kind::Does(&[Wait(stages::ALL), Drop("L1T")]), &[]),
    (0x1424, "INVALIDATE_SAMPLER_CACHE_NO_WFI", NOTHING, &[]),
    (0x1428, "INVALIDATE_TEXTURE_HEADER_CACHE_NO_WFI", NOTHING, &[]),
];

/// Of the compute class.
const OF_COMPUTE: &[Method] = &[
    (0x0110, "WAIT_FOR_IDLE", IDLE, &[]),
    (0x021c, "INVALIDATE_SHADER_CACHES", IDLE, SHADER_CACHES),
    (0x0244, "INVALIDATE_TEXTURE_HEADER_CACHE_NO_WFI", NOTHING, &[]),
    (0x0298, "INVALIDATE_SKED_CACHES", Kind::Does(&[Drop("SKED")]), &[]),
    (0x02b4, "SEND_PCAS", Kind::Launches, &[]),
    (0x1288, "INVALIDATE_TEXTURE_DATA_CACHE_NO_WFI", TEXELS, &[]),
    (0x1424, "INVALIDATE_SAMPLER_CACHE_NO_WFI", NOTHING, &[]),
    (0x1698, "INVALIDATE_SHADER_CACHES_NO_WFI", NOTHING, SHADER_CACHES),
];

/// Of the copy class.
const OF_COPY: &[Method] = &[(0x0300, "LAUNCH_DMA", Kind::Launches, &[])];

/// Methods of each subchannel: nvk's are 3D, compute, memory to memory, 2D and copy.
const SUBCHANNELS: [&[Method]; 8] = [OF_3D, OF_COMPUTE, &[], &[], OF_COPY, &[], &[], &[]];

fn read(_: &Generation, step: &[Line<'_>], commands: &mut Commands<'_>) {
    for mut words in words::lines(step, commands) {
        while let Some(head) = words.next() {
            let (kind, count) = (head >> 29, head >> 16 & 0x1fff);
            let (subchannel, offset) = (head >> 13 & 7, (head & 0x1fff) << 2);
            // How far the method goes on with each word of data.
            let advance: fn(u32) -> u32 = match kind {
                1 => |k| k,
                3 => |_| 0,
                5 => |k| k.min(1),
                // The data is in place of the count.
                4 => {
                    method(subchannel, offset, count, commands);
                    continue;
                }
                _ => {
                    words.no_packet(commands);
                    continue;
                }
            };
            data(&mut words, count, commands, |k, word, commands| {
                method(subchannel, offset + 4 * advance(k), word, commands);
            });
        }
    }
}

/// Whether the work of a step is of another class than that of an earlier one.
fn switches(before: &[Line<'_>], after: &[Line<'_>]) -> bool {
    let of = [before, after].map(engine);
    of.iter().all(Option::is_some) && of[0] != of[1]
}

/// The subchannel of the work of a step. Draws are macros, and so is what counts dispatches in front of one.
fn engine(step: &[Line<'_>]) -> Option<u32> {
    const MACROS: u32 = 0x3800;
    let mut found = None;
    for line in step {
        let words = line.text.strip_prefix(words::START).unwrap_or_default();
        let words = words.split_ascii_whitespace();
        let mut words = words.map_while(|word| u32::from_str_radix(word, 16).ok());
        while let Some(head) = words.next() {
            let (subchannel, offset) = (head >> 13 & 7, (head & 0x1fff) << 2);
            let own = SUBCHANNELS[subchannel as usize];
            let launches = |it: &Method| it.0 == offset && matches!(it.2, Kind::Launches);
            if own.iter().any(launches) {
                found = Some(subchannel);
            } else if subchannel == 0 && offset >= MACROS {
                found = found.or(Some(0));
            }
            if head >> 29 != 4 {
                let count = (head >> 16 & 0x1fff) as usize;
                words.by_ref().take(count).for_each(drop);
            }
        }
    }
    found
}

/// Does something with each word of data of a method.
fn data(
    words: &mut Words,
    count: u32,
    commands: &mut Commands<'_>,
    each: impl Fn(u32, u32, &mut Commands<'_>),
) {
    let Some(body) = words.body(count as usize, commands) else {
        return;
    };
    for (k, word) in (0..).zip(body) {
        each(k, *word, commands);
    }
}

fn method(subchannel: u32, offset: u32, data: u32, commands: &mut Commands<'_>) {
    let own = SUBCHANNELS[subchannel as usize & 7];
    let mut all = OF_ALL.iter().chain(own);
    let Some((_, name, kind, bits)) = all.find(|(known, ..)| *known == offset) else {
        return;
    };
    let Kind::Does(does) = kind else {
        commands.launch(name);
        return;
    };
    let set = bits.iter().filter(|(bit, _)| data >> bit & 1 == 1);
    let mut all = does.to_vec();
    all.extend(set.flat_map(|(_, does)| does.iter().copied()));
    // `LINES`, bit 0: one line, whose tag is in the other bits.
    let is_ranged = OF_LINES.contains(&offset) && data & 1 == 1;
    match bits {
        [] => commands.add_ranged(*name, &all, is_ranged),
        _ => commands.add(format!("{name} 0x{data:x}"), &all),
    }
}
