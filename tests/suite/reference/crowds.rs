//! Random scenarios of many live ranges, seen through whole resources: what the engine does lazily, and to many at once.
//!
//! A scenario has few kinds of barriers and uses, each often, so that ranges become alike, then equal, and are told apart
//! again: parts of a buffer, of an alias that overlaps half of it, layers and mips of a texture; what is discarded of them;
//! barriers on all of one of them, on a part of the texture, on everything; many resources that share memory with a buffer
//! under all of them; and submissions of up to three queues, with and
//! without fences between, some of which are waited for before they are signalled.

use rand::prelude::*;
use std::fmt::Write as _;

/// How many ranges and commands there are.
#[derive(Copy, Clone)]
pub(crate) struct Crowd {
    pub(crate) ranges: u32,
    pub(crate) commands: u32,
    /// One of six has a row of resources with a buffer under all of them.
    pub(crate) rows: bool,
}

struct Maker {
    random: StdRng,
    crowd: Crowd,
    text: String,
    /// The entries and the uses that the scenario is made of; `@` stands for a range.
    entries: Vec<String>,
    uses: Vec<String>,
    /// The texture has mips, and parts of the buffer are discarded: in one of eight.
    has_more: bool,
    /// What lies over a buffer, many of it.
    parts: Option<Parts>,
}

/// Resources in a row, with a buffer under all of them.
#[derive(Copy, Clone)]
struct Parts {
    /// Each reaches into the next one.
    overlap: bool,
    are_textures: bool,
}

const GRAIN: u32 = 256;
const SYNCS: [&str; 7] = [
    "ALL",
    "COMPUTE_SHADING",
    "COPY",
    "PIXEL_SHADING",
    "COMPUTE_SHADING|COPY",
    "PIXEL_SHADING|COMPUTE_SHADING",
    "NONE",
];
const ACCESSES: [&str; 8] = [
    "UNORDERED_ACCESS",
    "UNORDERED_ACCESS",
    "SHADER_RESOURCE",
    "COPY_DEST",
    "COPY_SOURCE",
    "COMMON",
    "UNORDERED_ACCESS|SHADER_RESOURCE",
    "NO_ACCESS",
];
const LAYOUTS: [&str; 4] = ["UNORDERED_ACCESS", "SHADER_RESOURCE", "COMMON", "UNDEFINED"];

/// The scenario of a seed.
pub(crate) fn scenario(seed: u64, crowd: Crowd) -> String {
    let mut maker = Maker {
        random: StdRng::seed_from_u64(seed),
        crowd,
        text: String::new(),
        entries: Vec::new(),
        uses: Vec::new(),
        has_more: false,
        parts: None,
    };
    maker.has_more = maker.odds(8);
    if crowd.rows && maker.odds(6) {
        let are_textures = maker.odds(2);
        maker.parts = Some(Parts {
            overlap: !are_textures && maker.odds(2),
            are_textures,
        });
    }
    maker.declare();
    maker.choose_kinds();
    maker.lists();
    maker.text
}

impl Maker {
    fn odds(&mut self, one_in: u32) -> bool {
        self.random.random_range(0..one_in) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *from.choose(&mut self.random).expect("something to pick")
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string");
    }

    fn declare(&mut self) {
        if self.odds(2) {
            self.line("device { copies asynchronous }");
        }
        let bytes = self.crowd.ranges * GRAIN;
        let (layers, flags) = (self.crowd.ranges, "flags UNORDERED_ACCESS");
        let mips = 1 + u32::from(self.has_more);
        self.line(
            "queue gfx : direct\nqueue async : compute\nqueue third : compute\n\
                   fence f0\nfence f1\nfence f2\nheap pool : 1MiB",
        );
        self.line(&format!(
            "buffer b : {bytes}B {{ {flags}; heap pool at 0 }}"
        ));
        // Overlaps `b` from its half on, or not at all.
        let offset = if self.odds(2) { 0 } else { 64 * 1024 };
        let half = bytes / 2 + 128;
        self.line(&format!(
            "buffer q : {half}B {{ {flags}; heap pool at {offset} }}"
        ));
        self.line(&format!("buffer c : {bytes}B {{ {flags} }}"));
        self.line(&format!(
            "texture t : R8G8B8A8_UNORM 8x8 {{ layers {layers}; mips {mips}; {flags}; initial UNORDERED_ACCESS }}"
        ));
    }

    /// A row of resources, and somewhere among their declarations the buffer under all of them.
    fn declare_parts(&mut self, parts: Parts) {
        const PLACE: u32 = 64 * 1024;
        let count = self.crowd.ranges;
        let (all, flags) = ((count + 1) * PLACE, "flags UNORDERED_ACCESS");
        self.line(&format!("heap row : {all}B"));
        let under = self.random.random_range(0..=count);
        for part in 0..=count {
            if part == under {
                self.line(&format!(
                    "buffer under : {all}B {{ {flags}; heap row at 0 }}"
                ));
            }
            let at = part * PLACE;
            if parts.are_textures {
                self.line(&format!(
                    "texture p{part} : R8G8B8A8_UNORM 64x64 {{ {flags}; initial UNDEFINED; heap row at {at} }}"
                ));
            } else {
                let bytes = if parts.overlap && part < count {
                    PLACE + GRAIN
                } else {
                    PLACE
                };
                self.line(&format!(
                    "buffer p{part} : {bytes}B {{ {flags}; heap row at {at} }}"
                ));
            }
        }
    }

    fn choose_kinds(&mut self) {
        if let Some(parts) = self.parts {
            self.declare_parts(parts);
        }
        for _ in 0..self.random.random_range(2..6) {
            let entry = self.entry();
            self.entries.push(entry);
        }
        let uses = [
            "dispatch 4x1x1 { UNORDERED_ACCESS b@ writes }",
            "dispatch 4x1x1 { UNORDERED_ACCESS b@ }",
            "dispatch 4x1x1 { UNORDERED_ACCESS b@ atomics }",
            "dispatch 4x1x1 { SHADER_RESOURCE b@ }",
            "dispatch 4x1x1 { SHADER_RESOURCE b@; UNORDERED_ACCESS t@ writes }",
            "dispatch 4x1x1 { UNORDERED_ACCESS t@ writes }",
            "dispatch 4x1x1 { SHADER_RESOURCE t@ }",
            "dispatch 4x1x1 { UNORDERED_ACCESS q@ writes }",
            "dispatch 4x1x1 { SHADER_RESOURCE q@ }",
            "copy b@ -> c@",
            "copy c -> b",
            "clear-uav b@",
            "dispatch 4x1x1 { SHADER_RESOURCE b }",
            "dispatch 4x1x1 { SHADER_RESOURCE q }",
            "dispatch 4x1x1 { SHADER_RESOURCE t }",
            "dispatch 4x1x1 { UNORDERED_ACCESS b writes }",
            "dispatch 4x1x1 { UNORDERED_ACCESS t writes }",
            "discard t@",
        ];
        let more = [
            "discard b@",
            "dispatch 4x1x1 { UNORDERED_ACCESS t[mip 1] writes }",
            "dispatch 4x1x1 { SHADER_RESOURCE t[mip 1] }",
        ];
        let of_parts = [
            "dispatch 4x1x1 { UNORDERED_ACCESS p% writes }",
            "dispatch 4x1x1 { UNORDERED_ACCESS p% }",
            "dispatch 4x1x1 { SHADER_RESOURCE p% }",
            "discard p%",
            "dispatch 4x1x1 { UNORDERED_ACCESS under writes }",
            "dispatch 4x1x1 { UNORDERED_ACCESS under }",
            "dispatch 4x1x1 { SHADER_RESOURCE under }",
        ];
        for _ in 0..self.random.random_range(2..6) {
            let is_more = self.has_more && self.odds(3);
            let usage = if self.parts.is_some() && !self.odds(4) {
                self.pick(&of_parts)
            } else {
                self.pick(if is_more { &more[..] } else { &uses[..] })
            };
            self.uses.push(usage.to_string());
        }
    }

    fn entry(&mut self) -> String {
        let (before, after) = (self.pick(&SYNCS), self.pick(&SYNCS));
        let (before, after) = match self.random.random_range(0..20) {
            0 => ("SPLIT", after),
            1 => (before, "SPLIT"),
            _ => (before, after),
        };
        let (from, to) = (self.pick(&ACCESSES), self.pick(&ACCESSES));
        let masks = format!("sync {before} -> {after}; access {from} -> {to}");
        if let Some(parts) = self.parts
            && !self.odds(4)
        {
            return self.entry_of_parts(parts, &masks);
        }
        match self.random.random_range(0..8) {
            0 => format!("global {{ {} }}", masks.replace("SPLIT", "ALL")),
            1 | 2 => format!("buffer b {{ {masks} }}"),
            3 => format!("buffer q {{ {masks} }}"),
            4 => format!("texture t {{ {masks} }}"),
            n => {
                let (from, to) = (self.pick(&LAYOUTS), self.pick(&LAYOUTS));
                let range = match n {
                    7 => "@",
                    6 if self.has_more => "[mip 0]",
                    _ => "",
                };
                format!("texture t{range} {{ {masks}; layout {from} -> {to} }}")
            }
        }
    }

    fn entry_of_parts(&mut self, parts: Parts, masks: &str) -> String {
        if self.odds(3) {
            return format!("buffer under {{ {masks} }}");
        }
        if !parts.are_textures {
            return format!("buffer p% {{ {masks} }}");
        }
        let (from, to) = (self.pick(&LAYOUTS), self.pick(&LAYOUTS));
        let discard = if self.odds(2) { "; discard" } else { "" };
        format!("texture p% {{ {masks}; layout {from} -> {to}{discard} }}")
    }

    /// A text with a range of each resource in it.
    fn placed(&mut self, text: &str) -> String {
        let (ranges, grain) = (self.crowd.ranges, GRAIN);
        let first = self.random.random_range(0..ranges);
        let few = self.random.random_range(1..4);
        let end = (first + few).min(ranges);
        // Of `q`, which is half as long.
        let (low, high) = (first / 2, (first / 2 + few).min(ranges / 2));
        text.replace('%', &first.to_string())
            .replace("t@", &format!("t[layer {first}..{end}]"))
            .replace(
                "q@",
                &format!("q[{}..{}]", low * grain, high.max(low + 1) * grain),
            )
            .replace('@', &format!("[{}..{}]", first * grain, end * grain))
    }

    fn command(&mut self) -> String {
        let line = if self.odds(2) {
            let (one, two) = (self.random.random(), self.odds(6));
            let at = |random: u32, len: usize| random as usize % len;
            let first = self.entries[at(one, self.entries.len())].clone();
            let second = self.entries[at(one / 7, self.entries.len())].clone();
            if two {
                format!("barrier {{ {first}; {second} }}")
            } else {
                format!("barrier {{ {first} }}")
            }
        } else {
            let at = self.random.random_range(0..self.uses.len());
            self.uses[at].clone()
        };
        self.placed(&line)
    }

    fn lists(&mut self) {
        const NAMES: [&str; 3] = ["gfx", "async", "third"];
        let queues = self.random.random_range(1..4);
        let count: u32 = if queues == 1 {
            self.random.random_range(1..3)
        } else {
            self.random.random_range(2..8)
        };
        // What each queue does, in an order in which nothing waits for what comes later.
        let mut timeline: Vec<(u32, String)> = Vec::new();
        for list in 0..count {
            let own = list % queues;
            let kind = if own == 0 { "direct" } else { "compute" };
            self.line(&format!("list l{list} : {kind} {{"));
            for _ in 0..self.crowd.commands / count {
                let command = self.command();
                self.line(&format!("  {command}"));
            }
            self.line("}");
            timeline.push((own, format!("execute l{list}")));
            if queues > 1 && self.odds(3) {
                let other = (own + self.random.random_range(1..queues)) % queues;
                let value = list + 1;
                timeline.push((own, format!("signal f{own} {value}")));
                timeline.push((other, format!("wait f{own} {value}")));
            }
        }
        if self.odds(2) {
            timeline = self.merged(timeline);
        }
        self.line("timeline {");
        for (queue, statement) in timeline {
            self.line(&format!("  {} {statement}", NAMES[queue as usize]));
        }
        self.line("}");
    }

    /// The same on each queue, in any order between them: waits may be submitted before their signals.
    fn merged(&mut self, mut timeline: Vec<(u32, String)>) -> Vec<(u32, String)> {
        let mut merged = Vec::with_capacity(timeline.len());
        while !timeline.is_empty() {
            let at = self.random.random_range(0..timeline.len());
            let queue = timeline[at].0;
            let first = timeline.iter().position(|(other, _)| *other == queue);
            merged.push(timeline.remove(first.expect("one of the queue")));
        }
        merged
    }
}
