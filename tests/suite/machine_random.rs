//! Laws of the machine on random scenarios: right barriers never let a read go wrong, under any right lowering. That the
//! machine sees what goes wrong is `machine_pairs`'s business.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::{catalog, ensure, scenario, sim};

/// A way to use a resource: access, stage, layout, and the command that does it.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Way {
    access: &'static str,
    stage: &'static str,
    layout: &'static str,
    kind: Kind,
    writes: bool,
}

#[derive(Copy, Clone, PartialEq, Debug)]
enum Kind {
    Draw,
    Dispatch,
    Indirect,
    /// Fast where the layout has fast clears.
    Clear,
    /// Several draws with barriers by region between: a render pass where there are tiles.
    Draws,
    CopyFrom,
    CopyTo,
}

const fn way(
    access: &'static str,
    stage: &'static str,
    layout: &'static str,
    kind: Kind,
    writes: bool,
) -> Way {
    Way {
        access,
        stage,
        layout,
        kind,
        writes,
    }
}

/// Ways that a compute queue has come first.
const TEXTURE: [Way; 12] = [
    way(
        "SHADER_RESOURCE",
        "COMPUTE_SHADING",
        "SHADER_RESOURCE",
        Kind::Dispatch,
        false,
    ),
    way(
        "UNORDERED_ACCESS",
        "COMPUTE_SHADING",
        "UNORDERED_ACCESS",
        Kind::Dispatch,
        true,
    ),
    way("COPY_SOURCE", "COPY", "COPY_SOURCE", Kind::CopyFrom, false),
    way("COPY_DEST", "COPY", "COPY_DEST", Kind::CopyTo, true),
    way(
        "SHADER_RESOURCE",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        Kind::Draw,
        false,
    ),
    way(
        "SHADER_RESOURCE",
        "VERTEX_SHADING",
        "SHADER_RESOURCE",
        Kind::Draw,
        false,
    ),
    way(
        "UNORDERED_ACCESS",
        "PIXEL_SHADING",
        "UNORDERED_ACCESS",
        Kind::Draw,
        true,
    ),
    way(
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        Kind::Draw,
        true,
    ),
    way(
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        Kind::Clear,
        true,
    ),
    way(
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        Kind::Draws,
        true,
    ),
    way(
        "UNORDERED_ACCESS",
        "COMPUTE_SHADING",
        "DIRECT_QUEUE_UNORDERED_ACCESS",
        Kind::Dispatch,
        true,
    ),
    way(
        "SHADER_RESOURCE",
        "PIXEL_SHADING",
        "DIRECT_QUEUE_SHADER_RESOURCE",
        Kind::Draw,
        false,
    ),
];
/// Ways of depth buffers, on direct queues.
const DEPTH: [Way; 5] = [
    way(
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        Kind::Draw,
        true,
    ),
    way(
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        Kind::Clear,
        true,
    ),
    way(
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        Kind::Draws,
        true,
    ),
    way(
        "DEPTH_STENCIL_READ",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_READ",
        Kind::Draw,
        false,
    ),
    way(
        "SHADER_RESOURCE",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        Kind::Draw,
        false,
    ),
];
/// Textures of colour; those after them are depth buffers.
const COLOURS: usize = 3;
const BUFFER: [Way; 10] = [
    way(
        "SHADER_RESOURCE",
        "COMPUTE_SHADING",
        "",
        Kind::Dispatch,
        false,
    ),
    way(
        "UNORDERED_ACCESS",
        "COMPUTE_SHADING",
        "",
        Kind::Dispatch,
        true,
    ),
    way(
        "CONSTANT_BUFFER",
        "COMPUTE_SHADING",
        "",
        Kind::Dispatch,
        false,
    ),
    way("COPY_SOURCE", "COPY", "", Kind::CopyFrom, false),
    way("COPY_DEST", "COPY", "", Kind::CopyTo, true),
    way("SHADER_RESOURCE", "PIXEL_SHADING", "", Kind::Draw, false),
    way("VERTEX_BUFFER", "VERTEX_SHADING", "", Kind::Draw, false),
    way("INDEX_BUFFER", "INDEX_INPUT", "", Kind::Draw, false),
    way("STREAM_OUTPUT", "VERTEX_SHADING", "", Kind::Draw, true),
    way(
        "INDIRECT_ARGUMENT",
        "EXECUTE_INDIRECT",
        "",
        Kind::Indirect,
        false,
    ),
];

/// What is known of a resource while the text is written.
#[derive(Clone, Default)]
struct State {
    layout: &'static str,
    /// Uses since the last barrier in this scope, and what that barrier's after side named.
    used: Vec<Way>,
    named: Vec<(&'static str, &'static str)>,
}

struct Writer {
    rng: StdRng,
    text: String,
    textures: Vec<State>,
    buffers: Vec<State>,
}

impl Writer {
    /// A barrier that makes everything done with a resource so far right for its next use.
    fn barrier(&mut self, texture: bool, index: usize, next: Way) {
        let state = if texture {
            &mut self.textures[index]
        } else {
            &mut self.buffers[index]
        };
        let changes = texture && state.layout != next.layout;
        let writes = next.writes || state.used.iter().any(|w| w.writes);
        let named = state.named.contains(&(next.stage, next.access));
        let first = state.used.is_empty() && state.named.is_empty();
        // Concurrent reads of what is visible to them need nothing, nor does a first use in its layout.
        if !changes && (first || (!writes && named)) {
            state.used.push(next);
            return;
        }
        let join = |items: Vec<&str>| {
            let mut items = items;
            items.sort_unstable();
            items.dedup();
            items.join("|")
        };
        let mut stages: Vec<_> = state.used.iter().map(|w| w.stage).collect();
        stages.extend(state.named.iter().map(|(stage, _)| *stage));
        let mut accesses: Vec<_> = state.used.iter().map(|w| w.access).collect();
        if accesses.is_empty() {
            accesses.extend(state.named.iter().map(|(_, access)| *access));
        }
        let (sync, access) = if first {
            ("NONE".to_string(), "NO_ACCESS".to_string())
        } else {
            (join(stages), join(accesses))
        };
        let name = if texture {
            format!("texture t{index}")
        } else {
            format!("buffer b{index}")
        };
        let layout = if texture {
            format!("; layout {} -> {}", state.layout, next.layout)
        } else {
            String::new()
        };
        let Way {
            stage,
            access: after,
            ..
        } = next;
        writeln!(
            self.text,
            "  barrier {{ {name} {{ sync {sync} -> {stage}; access {access} -> {after}{layout} }} }}"
        )
        .expect("a string");
        if texture {
            state.layout = next.layout;
        }
        state.named = vec![(stage, after)];
        state.used = vec![next];
    }

    fn pick(&mut self, texture: bool, compute: bool) -> Way {
        match (texture, compute) {
            (true, true) => TEXTURE[self.rng.random_range(0..4)],
            (true, false) => TEXTURE[self.rng.random_range(0..TEXTURE.len())],
            (false, true) => BUFFER[self.rng.random_range(0..5)],
            (false, false) => BUFFER[self.rng.random_range(0..BUFFER.len())],
        }
    }

    /// One command that uses one resource (a copy: two), after its barriers.
    fn command(&mut self, compute: bool) {
        let texture = self.rng.random_range(0..2) == 0;
        let count = if texture {
            self.textures.len()
        } else {
            self.buffers.len()
        };
        let known = if texture && compute { COLOURS } else { count };
        let index = self.rng.random_range(0..known);
        let way = if texture && index >= COLOURS {
            DEPTH[self.rng.random_range(0..DEPTH.len())]
        } else {
            self.pick(texture, compute)
        };
        let name = if texture {
            format!("t{index}")
        } else {
            format!("b{index}")
        };
        self.barrier(texture, index, way);
        let Way {
            access,
            stage,
            kind,
            ..
        } = way;
        let at = if matches!(
            access,
            "SHADER_RESOURCE" | "UNORDERED_ACCESS" | "CONSTANT_BUFFER"
        ) {
            format!(" @ {stage}")
        } else {
            String::new()
        };
        let size = self.rng.random_range(1..2_000_000);
        match kind {
            Kind::Draw => {
                let indexed = if access == "INDEX_BUFFER" {
                    "-indexed"
                } else {
                    ""
                };
                writeln!(
                    self.text,
                    "  draw{indexed} vertices {size} pixels {size} {{ {access} {name}{at} }}"
                )
            }
            Kind::Dispatch => {
                writeln!(
                    self.text,
                    "  dispatch {}x1x1 {{ {access} {name}{at} }}",
                    size / 100 + 1
                )
            }
            Kind::Clear => {
                let view = if access == "RENDER_TARGET" {
                    "rtv"
                } else {
                    "dsv"
                };
                writeln!(self.text, "  clear-{view} {name}")
            }
            Kind::Draws => {
                let Way { layout, .. } = way;
                for _ in 0..2 {
                    writeln!(
                        self.text,
                        "  draw vertices {size} pixels {size} {{ {access} {name} }}\n  barrier {{ texture {name} {{ sync {stage} -> {stage}; access {access} -> {access}; layout {layout} -> {layout} }} }}"
                    )
                    .expect("a string");
                }
                writeln!(
                    self.text,
                    "  draw vertices {size} pixels {size} {{ {access} {name} }}"
                )
            }
            Kind::Indirect => writeln!(self.text, "  execute-indirect draw {{ {access} {name} }}"),
            Kind::CopyFrom | Kind::CopyTo => {
                let other = (index + 1) % COLOURS;
                let (from, to) = if kind == Kind::CopyFrom {
                    (index, other)
                } else {
                    (other, index)
                };
                let ways = if texture {
                    &TEXTURE[2..4]
                } else {
                    &BUFFER[3..5]
                };
                let far = if kind == Kind::CopyFrom {
                    ways[1]
                } else {
                    ways[0]
                };
                self.barrier(texture, other, far);
                let letter = if texture { 't' } else { 'b' };
                writeln!(self.text, "  copy {letter}{from} -> {letter}{to}")
            }
        }
        .expect("a string");
    }

    /// One execution: what the queue's scope knows begins anew, layouts stay.
    fn scope(&mut self, compute: bool) {
        for state in self.textures.iter_mut().chain(&mut self.buffers) {
            state.used.clear();
            state.named.clear();
        }
        self.text.push_str(if compute {
            "  async execute {\n"
        } else {
            "  gfx execute {\n"
        });
        for _ in 0..self.rng.random_range(1..8) {
            self.command(compute);
        }
        if !compute {
            // A compute queue does not know the layout of render targets.
            for index in 0..self.textures.len() {
                let layout = self.textures[index].layout;
                let here = layout == "RENDER_TARGET" || layout.starts_with("DIRECT_QUEUE");
                if here && index < COLOURS {
                    self.barrier(true, index, TEXTURE[4]);
                }
            }
        }
        self.text.push_str("  }\n");
    }
}

/// A scenario whose queues take turns by a fence, with a barrier before every use that needs one.
pub(crate) fn write(seed: u64) -> String {
    let mut writer = Writer {
        rng: StdRng::seed_from_u64(seed),
        text: String::new(),
        textures: vec![
            State {
                layout: "COMMON",
                ..State::default()
            };
            COLOURS + 2
        ],
        buffers: vec![State::default(); 3],
    };
    for index in 0..3 {
        let size = [64, 300, 2000][index];
        writeln!(
            writer.text,
            "texture t{index} : R8G8B8A8_UNORM {size}x{size} {{ mips {}; flags RENDER_TARGET|UNORDERED_ACCESS }}\nbuffer b{index} : {}KiB {{ flags UNORDERED_ACCESS }}",
            [1, 6, 1][index],
            size * 4
        )
        .expect("a string");
    }
    for index in COLOURS..writer.textures.len() {
        writeln!(
            writer.text,
            "texture t{index} : D32_FLOAT 300x300 {{ flags DEPTH_STENCIL }}"
        )
        .expect("a string");
    }
    // Textures of unlike sizes are never copied into each other for real; the machine copies bytes.
    writer
        .text
        .push_str("fence f\nqueue gfx : direct\nqueue async : compute\ntimeline {\n");
    for value in 1..=writer.rng.random_range(1..5) {
        let compute = writer.rng.random_range(0..2) == 0;
        let (mine, other) = if compute {
            ("async", "gfx")
        } else {
            ("gfx", "async")
        };
        writer.scope(compute);
        writeln!(
            writer.text,
            "  {mine} signal f {value}\n  {other} wait f {value}"
        )
        .expect("a string");
    }
    writer.text.push_str("}\n");
    writer.text
}

/// Every built-in profile.
pub(crate) fn profiles() -> Vec<Profile> {
    let registry = catalog::registry();
    let names = registry.profiles.iter().map(|entry| entry.name);
    names
        .map(|name| registry.profile(name).expect("a sound profile"))
        .collect()
}

/// Every lowering that is not wrong on purpose.
pub(crate) fn lowerings() -> Vec<&'static dyn Lowering> {
    let all = catalog::registry().lowerings.into_iter();
    all.filter(|lowering| !lowering.is_wrong_on_purpose())
        .collect()
}

#[test]
fn right_barriers_never_let_a_read_go_wrong() {
    let (profiles, lowerings) = (profiles(), lowerings());
    for seed in 0..60 {
        let text = write(seed);
        let (scenario, findings) = scenario::parse(&Source::new("random.scn", &text));
        assert!(findings.is_empty(), "{findings:?}\n{text}");
        let timeline = Timeline::new(&scenario);
        for (profile, lowering) in profiles
            .iter()
            .flat_map(|p| lowerings.iter().map(move |l| (p, l)))
        {
            let place = format!("seed {seed}, {}, {}", profile.name, lowering.name());
            let program = lowering.lower(&timeline, profile);
            let check = ensure::check(&timeline, profile, &program);
            assert_eq!(check.missing, [], "{place}:\n{text}");
            for eviction in [
                sim::Eviction::Oldest,
                sim::Eviction::Never,
                sim::Eviction::Eager,
                sim::Eviction::Random(seed),
            ] {
                let options = sim::Options {
                    eviction,
                    ..sim::Options::default()
                };
                let trace = sim::simulate(&program, profile, &options);
                assert_eq!(trace.observations, [], "{place}, {eviction:?}:\n{text}");
                assert!(
                    trace.stuck.is_empty() && trace.exposed <= trace.makespan,
                    "{place}:\n{text}"
                );
            }
        }
    }
}
