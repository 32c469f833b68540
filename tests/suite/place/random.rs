//! Small scenes without barriers: up to six commands, up to three textures and buffers, one or two queues.

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;

/// A texture or a buffer.
struct Thing {
    name: char,
    is_buffer: bool,
    has_mips: bool,
    flags: &'static str,
    extent: &'static str,
}

fn pick<T: Copy>(random: &mut StdRng, from: &[T]) -> T {
    *from.choose(random).expect("there are some")
}

fn thing(random: &mut StdRng, name: char, text: &mut String) -> Thing {
    if random.random_bool(0.35) {
        let size = pick(random, &["64KiB", "1MiB", "16MiB"]);
        let _ = writeln!(text, "buffer {name} : {size} {{ flags UNORDERED_ACCESS }}");
        return Thing {
            name,
            is_buffer: true,
            has_mips: false,
            flags: "UNORDERED_ACCESS",
            extent: size,
        };
    }
    let has_mips = random.random_bool(0.25);
    let flags = pick(
        random,
        &[
            "RENDER_TARGET|UNORDERED_ACCESS",
            "RENDER_TARGET",
            "UNORDERED_ACCESS",
        ],
    );
    let mut layouts = vec!["COMMON", "SHADER_RESOURCE", "COPY_DEST"];
    layouts.extend(flags.split('|'));
    let layout = pick(random, &layouts);
    let extent = pick(random, &["256x256", "1024x1024"]);
    let mips = if has_mips { "mips 2; " } else { "" };
    let _ = writeln!(
        text,
        "texture {name} : R8G8B8A8_UNORM {extent} {{ {mips}flags {flags}; initial {layout} }}"
    );
    Thing {
        name,
        is_buffer: false,
        has_mips,
        flags,
        extent,
    }
}

impl Thing {
    fn part(&self, random: &mut StdRng) -> String {
        let range = if self.has_mips {
            pick(random, &["", "[mip 0]", "[mip 1]"])
        } else {
            ""
        };
        format!("{}{range}", self.name)
    }

    fn in_a_draw(&self, random: &mut StdRng) -> String {
        let part = self.part(random);
        if self.is_buffer {
            return match random.random_range(0..3) {
                0 => format!("VERTEX_BUFFER {part}"),
                1 => format!("SHADER_RESOURCE {part} @ PIXEL_SHADING"),
                _ => format!("UNORDERED_ACCESS {part} @ PIXEL_SHADING writes"),
            };
        }
        if self.flags.contains("RENDER_TARGET") && random.random_bool(0.5) {
            return format!("RENDER_TARGET {part}");
        }
        let stage = pick(random, &["PIXEL_SHADING", "VERTEX_SHADING"]);
        format!("SHADER_RESOURCE {part} @ {stage}")
    }

    fn in_a_dispatch(&self, random: &mut StdRng) -> String {
        let part = self.part(random);
        if self.flags.contains("UNORDERED_ACCESS") && random.random_bool(0.55) {
            let mode = pick(random, &[" writes", " reads", ""]);
            return format!("UNORDERED_ACCESS {part}{mode}");
        }
        format!("SHADER_RESOURCE {part}")
    }
}

fn command(random: &mut StdRng, things: &[Thing], is_direct: bool) -> String {
    let kind = random.random_range(0..5);
    if kind == 0 {
        let fits = |one: &Thing, other: &Thing| {
            one.name != other.name
                && one.is_buffer == other.is_buffer
                && one.extent == other.extent
                && !one.has_mips
                && !other.has_mips
        };
        let (one, other) = (random.random_range(0..things.len()), things.len() - 1);
        if fits(&things[one], &things[other]) {
            return format!("copy {} -> {}", things[one].name, things[other].name);
        }
    }
    let targets = || {
        things
            .iter()
            .filter(|it| it.flags.contains("RENDER_TARGET"))
    };
    if kind == 1
        && is_direct
        && let Some(target) = targets().next()
    {
        return format!("clear-rtv {}", target.name);
    }
    let mut touched: Vec<&Thing> = things.iter().collect();
    touched.shuffle(random);
    touched.truncate(random.random_range(1..=things.len()));
    if kind == 2 && is_direct {
        let uses: Vec<String> = touched.iter().map(|it| it.in_a_draw(random)).collect();
        let vertices = pick(random, &[300, 90_000]);
        let pixels = pick(random, &[6_000, 2_000_000]);
        return format!(
            "draw vertices {vertices} pixels {pixels} {{ {} }}",
            uses.join("; ")
        );
    }
    let uses: Vec<String> = touched.iter().map(|it| it.in_a_dispatch(random)).collect();
    let (x, y) = (pick(random, &[8, 64, 512]), pick(random, &[1, 8]));
    format!("dispatch {x}x{y}x1 {{ {} }}", uses.join("; "))
}

/// The text of a scene.
pub(super) fn scene(seed: u64) -> String {
    let random = &mut StdRng::seed_from_u64(seed);
    let mut text = String::new();
    let count = random.random_range(1..=3);
    let things: Vec<Thing> = ['a', 'b', 'c'][..count]
        .iter()
        .map(|name| thing(random, *name, &mut text))
        .collect();
    text += "queue q : direct\n";
    let commands = random.random_range(2..=6);
    let mut list = |text: &mut String, name: &str, word: &str, count: usize| {
        let _ = writeln!(text, "list {name} : {word} {{");
        for _ in 0..count {
            let _ = writeln!(text, "  {}", command(random, &things, word == "direct"));
        }
        *text += "}\n";
    };
    match seed % 6 {
        0 | 1 => {
            list(&mut text, "l", "direct", commands);
            text += "timeline { q execute l }\n";
        }
        2 => {
            list(&mut text, "l", "direct", commands);
            text += "timeline { repeat 2 { q execute l } }\n";
        }
        shape @ (3 | 4) => {
            list(&mut text, "l", "direct", commands / 2);
            list(&mut text, "m", "direct", commands - commands / 2);
            text += if shape == 3 {
                "timeline { q execute l, m }\n"
            } else {
                "timeline {\n  q execute l\n  q execute m\n}\n"
            };
        }
        _ => {
            text += "queue c : compute\nfence f\nfence g\n";
            let third = (commands / 3).max(1);
            list(&mut text, "l", "direct", third);
            list(&mut text, "m", "compute", third);
            list(&mut text, "n", "direct", third);
            text += "timeline {\n  q execute l\n  q signal f 1\n  c wait f 1\n  c execute m\n  c signal g 1\n  q wait g 1\n  q execute n\n}\n";
        }
    }
    text
}
