//! Laws of the machine on random scenarios: right barriers never let a read go wrong, under any right lowering. That the
//! machine sees what goes wrong is `machine_pairs`'s business.
//!
//! Longer than other files: the generator keeps the state of what it writes, and every command needs all of it.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Write;
use syncscope::analyze::hazards;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::trace::{ObservationKind, Trace};
use syncscope::{catalog, ensure, graph, scenario, sim};

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
    /// What it leaves is undefined: whoever reads it reads that.
    Discard,
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

/// Ways that a compute queue has come first; it has `DISCARDED` as well.
const TEXTURE: [Way; 15] = [
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
    way(
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        Kind::Discard,
        true,
    ),
    way(
        "UNORDERED_ACCESS",
        "COMPUTE_SHADING",
        "DIRECT_QUEUE_UNORDERED_ACCESS",
        Kind::Discard,
        true,
    ),
    DISCARDED,
];
const DISCARDED: Way = way(
    "UNORDERED_ACCESS",
    "COMPUTE_SHADING",
    "UNORDERED_ACCESS",
    Kind::Discard,
    true,
);
/// Ways of depth buffers, on direct queues.
const DEPTH: [Way; 6] = [
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
    way(
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        Kind::Discard,
        true,
    ),
];
/// Textures of colour; those after them are depth buffers.
const COLOURS: usize = 3;
const BUFFER: [Way; 11] = [
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
    way(
        "UNORDERED_ACCESS",
        "COMPUTE_SHADING",
        "",
        Kind::Discard,
        true,
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
    /// Whether resources are discarded, and copies asynchronous.
    discards: bool,
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
        // Ways that discard come last.
        let (textures, buffers) = if self.discards {
            (TEXTURE.len(), BUFFER.len())
        } else {
            (TEXTURE.len() - 3, BUFFER.len() - 1)
        };
        match (texture, compute) {
            (true, true) if self.discards && self.rng.random_range(0..8) == 0 => DISCARDED,
            (true, true) => TEXTURE[self.rng.random_range(0..4)],
            (true, false) => TEXTURE[self.rng.random_range(0..textures)],
            (false, true) => BUFFER[self.rng.random_range(0..5)],
            (false, false) => BUFFER[self.rng.random_range(0..buffers)],
        }
    }

    /// One command that uses one resource (a copy: two), after its barriers.
    #[allow(clippy::too_many_lines, reason = "one arm for each kind of command")]
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
            let ways = DEPTH.len() - usize::from(!self.discards);
            DEPTH[self.rng.random_range(0..ways)]
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
            Kind::Discard => writeln!(self.text, "  discard {name}"),
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
    scene(seed, false)
}

/// The same; with asynchronous copies and discards, whose undefined contents later uses may read.
pub(crate) fn scene(seed: u64, discards: bool) -> String {
    let mut writer = Writer {
        rng: StdRng::seed_from_u64(seed),
        discards,
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
    if discards {
        writer.text.push_str("device { copies asynchronous }\n");
    }
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

/// Reads of what a discard left are wrong on every machine alike (reading R57): those, and no others, are seen.
fn sees_only_undefined(evaluation: &graph::Evaluation, trace: &Trace, place: &str) {
    let others = trace.observations.iter();
    let other = others
        .clone()
        .find(|o| o.kind != ObservationKind::Undefined);
    assert_eq!(other, None, "{place}");
    let seen: BTreeSet<_> = others.map(|o| (o.node, u32::from(o.use_index))).collect();
    let reads = evaluation.undefined_reads.iter();
    let reads: BTreeSet<_> = reads
        .map(|read| match read.side.part {
            graph::Part::Use(index) | graph::Part::Root { index, .. } => (read.side.node, index),
            graph::Part::Entry(_) | graph::Part::Whole => (read.side.node, 0),
        })
        .collect();
    assert_eq!(seen, reads, "{place}");
}

/// What is copied from a discarded target, or into it, comes after a discard that is still going on, if the barrier
/// waits for its stage.
#[test]
fn a_discard_runs_where_a_barrier_waits_for_it() {
    let targets = [
        (
            "R8G8B8A8_UNORM",
            "RENDER_TARGET",
            "RENDER_TARGET",
            "RENDER_TARGET",
            "RENDER_TARGET",
        ),
        (
            "R8G8B8A8_UNORM",
            "RENDER_TARGET|SIMULTANEOUS_ACCESS",
            "COMMON",
            "RENDER_TARGET",
            "RENDER_TARGET",
        ),
        (
            "R8G8B8A8_UNORM",
            "RENDER_TARGET|UNORDERED_ACCESS",
            "UNORDERED_ACCESS",
            "UNORDERED_ACCESS",
            "COMPUTE_SHADING",
        ),
        (
            "D32_FLOAT",
            "DEPTH_STENCIL",
            "DEPTH_STENCIL_WRITE",
            "DEPTH_STENCIL_WRITE",
            "DEPTH_STENCIL",
        ),
    ];
    for (format, flags, layout, access, stage) in targets {
        for (list, copied, copy) in [
            ("direct", "COPY_SOURCE", "copy t -> u"),
            ("direct extended-async", "COPY_DEST", "copy u -> t"),
        ] {
            let after = if layout == "COMMON" { layout } else { copied };
            let device = if list == "direct" {
                "device { copies asynchronous }\n"
            } else {
                ""
            };
            let text = format!(
                "{device}queue q : direct\n\
                 texture t : {format} 4096x4096 {{ flags {flags}; initial {layout} }}\n\
                 texture u : {format} 4096x4096\n\
                 list l : {list} {{\n  discard t\n  \
                 barrier {{ texture t {{ sync {stage} -> COPY; access {access} -> {copied}; layout {layout} -> {after} }} }}\n  \
                 {copy}\n  \
                 barrier {{ texture t {{ sync COPY -> ALL_SHADING; access {copied} -> SHADER_RESOURCE; layout {after} -> {} }} }}\n  \
                 dispatch 1x1x1 {{ SHADER_RESOURCE t }}\n}}\n\
                 timeline {{ q execute l }}\n",
                if layout == "COMMON" {
                    layout
                } else {
                    "SHADER_RESOURCE"
                }
            );
            read_right(&text, sim::Eviction::Oldest, &text);
        }
    }
}

/// A text without hazards reads nothing wrong, on any machine, under any right lowering.
fn read_right(text: &str, eviction: sim::Eviction, place: &str) {
    let (scenario, findings) = scenario::parse(&Source::new("random.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let timeline = Timeline::new(&scenario);
    let evaluation = graph::evaluate(&timeline, graph::Request::default());
    let wrong = evaluation.conflicts.iter().find(|c| c.kind.is_hazard());
    assert_eq!(wrong, None, "the barriers are right:\n{text}");
    let watch = hazards::watch(&timeline, &evaluation);
    for profile in profiles() {
        for lowering in lowerings() {
            let program = lowering.lower(&timeline, &profile);
            let options = sim::SimOptions {
                eviction,
                ..sim::SimOptions::default()
            };
            let trace = sim::simulate_watching(&program, &profile, &options, &watch);
            let with = (&profile.name, lowering.name());
            sees_only_undefined(&evaluation, &trace, &format!("{with:?}, {place}"));
        }
    }
}

#[test]
fn right_barriers_never_let_a_read_go_wrong() {
    let (profiles, lowerings) = (profiles(), lowerings());
    for seed in 0..80 {
        let text = scene(seed, seed % 2 == 1);
        let (scenario, findings) = scenario::parse(&Source::new("random.scn", &text));
        assert!(findings.is_empty(), "{findings:?}\n{text}");
        let timeline = Timeline::new(&scenario);
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        let is_wrong = |kind: graph::ConflictKind| {
            kind.is_wrong() && kind != graph::ConflictKind::UndefinedContents
        };
        let wrong = evaluation.conflicts.iter().filter(|c| is_wrong(c.kind));
        assert_eq!(wrong.count(), 0, "the barriers are right:\n{text}");
        let watch = hazards::watch(&timeline, &evaluation);
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
                let options = sim::SimOptions {
                    eviction,
                    ..sim::SimOptions::default()
                };
                let trace = sim::simulate_watching(&program, profile, &options, &watch);
                let place = format!("{place}, {eviction:?}:\n{text}");
                sees_only_undefined(&evaluation, &trace, &place);
                assert!(
                    trace.stuck.is_empty() && trace.exposed <= trace.makespan,
                    "{place}:\n{text}"
                );
            }
        }
    }
}

/// A run in which no cache was ever full is the same whichever line would have left: `verify` does not run it again.
#[test]
fn where_no_cache_is_full_it_does_not_matter_which_line_would_leave() {
    let profiles = profiles();
    let (mut same, mut full) = (0, 0);
    for seed in 0..120 {
        let text = write(seed);
        let (scenario, _) = scenario::parse(&Source::new("random.scn", &text));
        let timeline = Timeline::new(&scenario);
        for profile in &profiles {
            let program = syncscope::lower::PRECISE.lower(&timeline, profile);
            let run = |eviction| {
                let options = sim::SimOptions {
                    eviction,
                    ..sim::SimOptions::default()
                };
                sim::simulate(&program, profile, &options)
            };
            let oldest = run(sim::Eviction::Oldest);
            if oldest.totals.evictions > 0 {
                full += 1;
                continue;
            }
            same += 1;
            for other in [sim::Eviction::Never, sim::Eviction::Random(seed)] {
                let other = run(other);
                let place = format!("seed {seed}, {}:\n{text}", profile.name);
                assert_eq!(oldest.observations, other.observations, "{place}");
                assert_eq!(oldest.makespan, other.makespan, "{place}");
                assert_eq!(
                    oldest.totals.cleaned_bytes, other.totals.cleaned_bytes,
                    "{place}"
                );
            }
        }
    }
    assert!(
        same > 100 && full > 0,
        "{same} runs without evictions, {full} with"
    );
}
