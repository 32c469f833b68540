//! Small random scenarios: one command a line, so that a failing one can be shrunk by deleting lines.

use rand::prelude::*;

/// What a scenario is made of.
struct Maker {
    random: StdRng,
    lines: Vec<String>,
    /// Names of buffers and textures in play.
    buffers: Vec<&'static str>,
    textures: Vec<&'static str>,
    aliased: bool,
}

const SYNCS: [&str; 16] = [
    "ALL",
    "DRAW",
    "PIXEL_SHADING",
    "VERTEX_SHADING",
    "COMPUTE_SHADING",
    "COPY",
    "RENDER_TARGET",
    "DEPTH_STENCIL",
    "NON_PIXEL_SHADING",
    "ALL_SHADING",
    "NONE",
    "INDEX_INPUT",
    "EXECUTE_INDIRECT",
    "CLEAR_UNORDERED_ACCESS_VIEW",
    "COMPUTE_SHADING|COPY",
    "PIXEL_SHADING|COMPUTE_SHADING",
];
const ACCESSES: [&str; 12] = [
    "COMMON",
    "UNORDERED_ACCESS",
    "SHADER_RESOURCE",
    "COPY_DEST",
    "COPY_SOURCE",
    "RENDER_TARGET",
    "NO_ACCESS",
    "INDEX_BUFFER",
    "VERTEX_BUFFER",
    "UNORDERED_ACCESS|SHADER_RESOURCE",
    "COPY_DEST|UNORDERED_ACCESS",
    "DEPTH_STENCIL_WRITE|DEPTH_STENCIL_READ",
];
const LAYOUTS: [&str; 8] = [
    "UNDEFINED",
    "COMMON",
    "UNORDERED_ACCESS",
    "SHADER_RESOURCE",
    "RENDER_TARGET",
    "COPY_DEST",
    "COPY_SOURCE",
    "DIRECT_QUEUE_UNORDERED_ACCESS",
];

/// The scenario of a seed.
pub(super) fn scenario(seed: u64) -> String {
    let mut maker = Maker {
        random: StdRng::seed_from_u64(seed),
        lines: Vec::new(),
        buffers: Vec::new(),
        textures: Vec::new(),
        aliased: false,
    };
    maker.declare();
    let queues = if maker.odds(3) { 2 } else { 1 };
    maker.lists(queues);
    keep(seed, &mut maker.lines);
    maker.lines.join("\n") + "\n"
}

/// Says of some resources, in one scenario of three, that their final contents matter. Some barriers of these scenarios give up
/// what they meet: else they rarely do, of what matters at the end.
fn keep(seed: u64, lines: &mut [String]) {
    let mut random = StdRng::seed_from_u64(!seed);
    if random.random_range(0..3) != 0 {
        return;
    }
    for line in lines {
        let is_resource = line.starts_with("texture ") || line.starts_with("buffer ");
        if is_resource && random.random_range(0..2) == 0 {
            *line = line.replacen("{ ", "{ keep; ", 1);
        } else if let Some((start, rest)) = line.split_once("; access ")
            && let Some((_, end)) = rest.split_once(" -> ")
            && random.random_range(0..4) == 0
        {
            *line = format!("{start}; access NO_ACCESS -> {end}");
        }
    }
}

impl Maker {
    fn odds(&mut self, one_in: u32) -> bool {
        self.random.random_range(0..one_in) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        *from.choose(&mut self.random).expect("something to pick")
    }

    fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    fn declare(&mut self) {
        if self.odds(4) {
            self.line("device { copies asynchronous }");
        }
        self.line("queue gfx : direct");
        self.line("queue async : compute");
        self.line("fence f");
        self.line("fence g");
        self.line("buffer b : 4KiB { flags UNORDERED_ACCESS }");
        self.line("buffer c : 4KiB { flags UNORDERED_ACCESS }");
        self.buffers = vec!["b"];
        if self.odds(2) {
            self.buffers.push("c");
        }
        let flags = "flags RENDER_TARGET|UNORDERED_ACCESS";
        let initial = self.pick(&[
            "initial COMMON",
            "initial UNORDERED_ACCESS",
            "initial RENDER_TARGET",
        ]);
        self.line(format!(
            "texture t : R8G8B8A8_UNORM 8x8 {{ mips 2; {flags}; {initial} }}"
        ));
        self.line("texture s : R8G8B8A8_UNORM 8x8 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }");
        self.line("texture d : D32_FLOAT 8x8 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }");
        match self.random.random_range(0..6) {
            0..=2 => self.textures.push("t"),
            3 => self.textures.push("s"),
            4 => self.textures.push("d"),
            _ => {}
        }
        self.aliased = self.odds(3);
        self.line("heap pool : 1MiB");
        let undefined = self.pick(&[
            "initial UNDEFINED",
            "initial UNORDERED_ACCESS",
            "initial COMMON",
        ]);
        self.line(format!(
            "texture p : R8G8B8A8_UNORM 8x8 {{ layers 2; {flags}; {undefined}; heap pool at 0 }}"
        ));
        self.line("buffer q : 512B { flags UNORDERED_ACCESS; heap pool at 0 }");
        self.line("buffer r : 1KiB { flags UNORDERED_ACCESS; heap pool at 0 }");
        if self.aliased {
            let kept = self.random.random_range(1..8);
            if kept & 1 != 0 {
                self.textures.push("p");
            }
            if kept & 2 != 0 {
                self.buffers = vec!["q"];
            }
            if kept & 4 != 0 {
                self.buffers.push("r");
            }
        }
        if self.textures.is_empty() {
            self.textures.push("t");
        }
    }

    fn lists(&mut self, queues: u32) {
        let count = self.random.random_range(1..4);
        let mut kinds = Vec::new();
        for index in 0..count {
            let compute = queues == 2 && self.odds(2);
            kinds.push(compute);
            let kind = match (compute, self.odds(8)) {
                (true, _) => "compute",
                (false, true) => "direct extended-async",
                (false, false) => "direct",
            };
            self.line(format!("list l{index} : {kind} {{"));
            for _ in 0..self.random.random_range(1..8) {
                self.command(compute);
            }
            self.line("}");
        }
        self.timeline(&kinds);
    }

    fn timeline(&mut self, kinds: &[bool]) {
        self.line("timeline {");
        let mut value = [0, 0];
        for _ in 0..self.random.random_range(1..4) {
            let list = self.random.random_range(0..kinds.len());
            let (queue, other) = if kinds[list] {
                ("async", "gfx")
            } else {
                ("gfx", "async")
            };
            // Each fence has one signaller, with rising values.
            let (own, its) = if kinds[list] { (1, 0) } else { (0, 1) };
            let names = ["f", "g"];
            if self.odds(4) && value[its] > 0 {
                let v = self.random.random_range(1..=value[its]);
                self.line(format!("{queue} wait {} {v}", names[its]));
            }
            let same = kinds.iter().enumerate().filter(|(_, k)| **k == kinds[list]);
            let same: Vec<usize> = same.map(|(i, _)| i).collect();
            if self.odds(5) {
                let second = self.pick(&same);
                self.line(format!("{queue} execute l{list}, l{second}"));
            } else {
                self.line(format!("{queue} execute l{list}"));
            }
            if self.odds(3) {
                value[own] += 1;
                self.line(format!("{queue} signal {} {}", names[own], value[own]));
                if self.odds(2) {
                    self.line(format!("{other} wait {} {}", names[own], value[own]));
                }
            }
            if self.odds(8) {
                let buffer = self.pick(&self.buffers.clone());
                let verb = self.pick(&["read", "write"]);
                self.line(format!("cpu {verb} {buffer}"));
            }
        }
        self.line("}");
    }

    fn buffer(&mut self) -> String {
        let name = self.pick(&self.buffers.clone());
        if self.odds(2) {
            return name.to_string();
        }
        let range = match name {
            "q" => self.pick(&["[0..128]", "[128..512]", "[256..512]"]),
            "r" => self.pick(&["[0..200]", "[200..1024]", "[512..1024]"]),
            _ => self.pick(&[
                "[0..100]",
                "[100..1000]",
                "[1000..4096]",
                "[0..2048]",
                "[2048..4096]",
            ]),
        };
        format!("{name}{range}")
    }

    fn texture(&mut self) -> (&'static str, String) {
        let name = self.pick(&self.textures.clone());
        let range = match name {
            "t" => self.pick(&["", "[mip 0]", "[mip 1]", "[subresource 1]"]),
            "p" => self.pick(&["", "[layer 0]", "[layer 1]", "[layer 0..2]"]),
            _ => "",
        };
        (name, format!("{name}{range}"))
    }

    fn usage(&mut self, compute: bool) -> String {
        let stage = if compute {
            ""
        } else {
            self.pick(&[
                "",
                " @ PIXEL_SHADING",
                " @ VERTEX_SHADING",
                " @ PIXEL_SHADING|VERTEX_SHADING",
            ])
        };
        if self.odds(2) {
            let buffer = self.buffer();
            return match self.random.random_range(0..8) {
                0..=2 => {
                    let mode = self.pick(&[" writes", " writes", " reads", " atomics", ""]);
                    format!("UNORDERED_ACCESS {buffer}{stage}{mode}")
                }
                3 if !compute => format!("VERTEX_BUFFER {buffer}"),
                4 => format!("CONSTANT_BUFFER {buffer}{stage}"),
                5 => format!("SHADER_RESOURCE {buffer}{stage} independent"),
                _ => format!("SHADER_RESOURCE {buffer}{stage}"),
            };
        }
        let (name, texture) = self.texture();
        match (name, self.random.random_range(0..6)) {
            ("d", n) if !compute && n < 4 => {
                let access = self.pick(&["DEPTH_STENCIL_READ", "DEPTH_STENCIL_WRITE"]);
                format!("{access} {texture}")
            }
            ("t" | "p", 0 | 1) if !compute => format!("RENDER_TARGET {texture}"),
            ("t" | "p" | "s", 2 | 3) => {
                let mode = self.pick(&[" writes", " writes", " reads", " atomics", ""]);
                format!("UNORDERED_ACCESS {texture}{stage}{mode}")
            }
            ("s", 4) => format!("SHADER_RESOURCE {texture}{stage} independent"),
            _ => format!("SHADER_RESOURCE {texture}{stage}"),
        }
    }

    fn command(&mut self, compute: bool) {
        let text = match self.random.random_range(0..23) {
            0..=9 => self.barrier_call(),
            10 | 11 => self.copy(),
            12 => {
                let buffer = self.buffer();
                format!("clear-uav {buffer}")
            }
            13 if !compute && self.textures.iter().any(|t| *t == "t" || *t == "p") => {
                let (name, texture) = self.texture();
                match name {
                    "t" | "p" => format!("clear-rtv {texture}"),
                    "d" => format!("clear-dsv {texture}"),
                    _ => format!("clear-uav {texture}"),
                }
            }
            14 => {
                let buffer = self.buffer();
                let usage = self.usage(true);
                format!("execute-indirect dispatch {{ INDIRECT_ARGUMENT {buffer}; {usage} }}")
            }
            15 => {
                let graphics = !compute && self.odds(2);
                let point = if graphics { "graphics" } else { "compute" };
                let buffer = self.buffer();
                format!("set-root {point} {{ SHADER_RESOURCE {buffer} }}")
            }
            16..=18 => {
                let (one, two) = (self.usage(true), self.usage(true));
                let body = if self.odds(3) {
                    format!("{one}; {two}")
                } else {
                    one
                };
                format!("dispatch 4x1x1 {{ {body} }}")
            }
            19 => self.discard(),
            _ if compute => {
                let usage = self.usage(true);
                format!("dispatch 4x1x1 {{ {usage} }}")
            }
            20 => {
                let buffer = self.buffer();
                let usage = self.usage(false);
                format!("draw-indexed {{ INDEX_BUFFER {buffer}; {usage} }}")
            }
            _ => {
                let (one, two) = (self.usage(false), self.usage(false));
                let body = if self.odds(3) {
                    format!("{one}; {two}")
                } else {
                    one
                };
                format!("draw {{ {body} }}")
            }
        };
        self.line(format!("  {text}"));
    }

    fn copy(&mut self) -> String {
        if self.odds(3) && self.textures.iter().any(|t| *t == "s" || *t == "t") {
            let rects = ["rect 0,0 4x8", "rect 4,0 4x8", "rect 0,0 8x4"];
            let (from, to) = (self.pick(&rects), self.pick(&rects));
            let name = self.pick(&self.textures.clone());
            if name == "s" || name == "t" {
                return format!("copy {name}[mip 0, {from}] -> {name}[mip 0, {to}]");
            }
        }
        let (from, to) = (self.buffer(), self.buffer());
        format!("copy {from} -> {to}")
    }

    fn discard(&mut self) -> String {
        let target = if self.odds(3) {
            self.buffer()
        } else {
            self.texture().1
        };
        format!("discard {target}")
    }

    fn barrier_call(&mut self) -> String {
        let count = if self.odds(4) { 2 } else { 1 };
        let entries: Vec<String> = (0..count).map(|_| self.entry()).collect();
        format!("barrier {{ {} }}", entries.join("; "))
    }

    fn sides(&mut self) -> (String, String) {
        let (mut before, mut after) = (self.pick(&SYNCS), self.pick(&SYNCS));
        match self.random.random_range(0..12) {
            0 => before = "SPLIT",
            1 => after = "SPLIT",
            _ => {}
        }
        let (from, to) = (self.pick(&ACCESSES), self.pick(&ACCESSES));
        (
            format!("sync {before} -> {after}"),
            format!("access {from} -> {to}"),
        )
    }

    fn entry(&mut self) -> String {
        let (sync, access) = self.sides();
        match self.random.random_range(0..5) {
            0 => {
                let sync = sync.replace("SPLIT", "ALL");
                format!("global {{ {sync}; {access} }}")
            }
            1 | 2 => {
                let buffer = self.pick(&self.buffers.clone());
                format!("buffer {buffer} {{ {sync}; {access} }}")
            }
            _ => {
                let (_, texture) = self.texture();
                let (from, to) = (self.pick(&LAYOUTS), self.pick(&LAYOUTS));
                let discard = if from == "UNDEFINED" && self.odds(2) {
                    "; discard"
                } else {
                    ""
                };
                if self.odds(4) {
                    format!("texture {texture} {{ {sync}; {access} }}")
                } else {
                    format!(
                        "texture {texture} {{ {sync}; {access}; layout {from} -> {to}{discard} }}"
                    )
                }
            }
        }
    }
}
