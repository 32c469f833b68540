//! What a legacy state allows, against a slow model that is written here from the specification's lists and reading R55:
//! every state next to every use, every three uses in `COMMON`, and random streams of uses, barriers and calls.

use super::{legality, parse};
use crate::sizes::LEGALITY;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What a use needs: all of `all`, and one of `any` if there are some.
#[derive(Copy, Clone)]
struct Need {
    all: &'static [&'static str],
    any: &'static [&'static str],
}

/// A use of `r`.
struct Kind {
    /// The command; `@` stands for the range.
    command: &'static str,
    need: Need,
    /// The resources that can be used so: `t`exture, `d`epth texture, `b`uffer.
    on: &'static str,
    /// Queue types whose lists have the command.
    queues: &'static [&'static str],
}

const DIRECT: &[&str] = &["direct"];
const SHADERS: &[&str] = &["direct", "compute"];
const EVERY: &[&str] = &["direct", "compute", "copy"];
const PSR: &str = "PIXEL_SHADER_RESOURCE";
const NPSR: &str = "NON_PIXEL_SHADER_RESOURCE";

const fn kind(
    command: &'static str,
    all: &'static [&'static str],
    on: &'static str,
    queues: &'static [&'static str],
) -> Kind {
    Kind {
        command,
        need: Need { all, any: &[] },
        on,
        queues,
    }
}

#[rustfmt::skip]
const KINDS: &[Kind] = &[
    kind("copy up -> r@", &["COPY_DEST"], "tdb", EVERY),
    kind("copy r@ -> down", &["COPY_SOURCE"], "tdb", EVERY),
    kind("dispatch 1x1x1 { SHADER_RESOURCE r@ }", &[NPSR], "tdb", SHADERS),
    kind("dispatch 1x1x1 { UNORDERED_ACCESS r@ }", &["UNORDERED_ACCESS"], "tb", SHADERS),
    kind("draw vertices 3 { SHADER_RESOURCE r@ @ PIXEL_SHADING }", &[PSR], "tdb", DIRECT),
    kind("draw vertices 3 { SHADER_RESOURCE r@ @ VERTEX_SHADING }", &[NPSR], "tdb", DIRECT),
    kind("draw vertices 3 { SHADER_RESOURCE r@ @ PIXEL_SHADING|VERTEX_SHADING }", &[PSR, NPSR], "tdb", DIRECT),
    Kind {
        command: "draw vertices 3 { SHADER_RESOURCE r@ }",
        need: Need { all: &[], any: &[PSR, NPSR] },
        on: "tdb",
        queues: DIRECT,
    },
    kind("draw vertices 3 { UNORDERED_ACCESS r@ @ PIXEL_SHADING }", &["UNORDERED_ACCESS"], "tb", DIRECT),
    kind("clear-uav r@", &["UNORDERED_ACCESS"], "tb", SHADERS),
    kind("dispatch-rays 8x8 { SHADER_RESOURCE r@ }", &[NPSR], "tdb", SHADERS),
    kind("build-as \"b\" { SHADER_RESOURCE r@ }", &[NPSR], "b", SHADERS),
    kind("clear-rtv r@", &["RENDER_TARGET"], "t", DIRECT),
    kind("clear-dsv r@", &["DEPTH_WRITE"], "d", DIRECT),
    kind("draw vertices 3 { DEPTH_STENCIL_READ r@ }", &["DEPTH_READ"], "d", DIRECT),
    kind("draw vertices 3 { DEPTH_STENCIL_WRITE r@ }", &["DEPTH_WRITE"], "d", DIRECT),
    kind("draw vertices 3 { SHADING_RATE_SOURCE r@ }", &["SHADING_RATE_SOURCE"], "t", DIRECT),
    kind("resolve many -> r@", &["RESOLVE_DEST"], "t", DIRECT),
    kind("resolve r@ -> one", &["RESOLVE_SOURCE"], "t", DIRECT),
    kind("draw vertices 3 { VERTEX_BUFFER r@ }", &["VERTEX_AND_CONSTANT_BUFFER"], "b", DIRECT),
    kind("draw vertices 3 { CONSTANT_BUFFER r@ }", &["VERTEX_AND_CONSTANT_BUFFER"], "b", DIRECT),
    kind("draw-indexed vertices 3 { INDEX_BUFFER r@ }", &["INDEX_BUFFER"], "b", DIRECT),
    kind("draw vertices 3 { STREAM_OUTPUT r@ }", &["STREAM_OUT"], "b", DIRECT),
    kind("execute-indirect draw { INDIRECT_ARGUMENT r@ }", &["INDIRECT_ARGUMENT"], "b", SHADERS),
    kind("predicate r@", &["INDIRECT_ARGUMENT"], "b", DIRECT),
    // A discard writes as the resource can be written: see `Model::discards`.
    kind("discard r@", &[], "tdb", DIRECT),
];

/// A resource of a stream.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Of {
    /// `state STATE`.
    Texture,
    /// The same with depth.
    Depth,
    /// A simultaneous-access texture with `state COMMON`.
    Simultaneous,
    /// Without `state` and `initial`.
    Plain,
    Buffer,
}

impl Of {
    fn letter(self) -> char {
        match self {
            Self::Texture | Self::Simultaneous | Self::Plain => 't',
            Self::Depth => 'd',
            Self::Buffer => 'b',
        }
    }

    fn declaration(self, state: &str) -> String {
        match self {
            Self::Texture => {
                format!(
                    "texture r : R8G8B8A8_UNORM 64x64 {{ mips 2; flags RENDER_TARGET|UNORDERED_ACCESS; state {state} }}"
                )
            }
            Self::Depth => {
                format!("texture r : D32_FLOAT 64x64 {{ mips 2; flags DEPTH_STENCIL; state {state} }}")
            }
            Self::Simultaneous => "texture r : R8G8B8A8_UNORM 64x64 { mips 2; flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state COMMON }".to_owned(),
            Self::Plain => {
                "texture r : R8G8B8A8_UNORM 64x64 { mips 2; flags RENDER_TARGET|UNORDERED_ACCESS }".to_owned()
            }
            Self::Buffer => "buffer r : 1MiB { flags UNORDERED_ACCESS }".to_owned(),
        }
    }

    fn mips(self) -> usize {
        if self == Self::Buffer { 1 } else { 2 }
    }

    /// "Buffers and simultaneous-access textures can be promoted to ANY state. Except `DEPTH_STENCIL`." Other textures to
    /// the copy states and those for shader reads.
    fn promotes(self, state: &str) -> bool {
        match self {
            Self::Buffer | Self::Simultaneous => !state.starts_with("DEPTH"),
            _ => matches!(state, "COPY_DEST" | "COPY_SOURCE" | PSR | NPSR),
        }
    }
}

fn is_write(state: &str) -> bool {
    matches!(
        state,
        "COPY_DEST"
            | "UNORDERED_ACCESS"
            | "RENDER_TARGET"
            | "DEPTH_WRITE"
            | "STREAM_OUT"
            | "RESOLVE_DEST"
    )
}

/// The slow model of one subresource.
#[derive(Clone)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of a subresource that do not exclude each other"
)]
struct Model {
    of: Of,
    /// No state: `COMMON`.
    state: BTreeSet<&'static str>,
    /// Uses promoted it: which of these it is in may be open.
    promoted: Option<BTreeSet<&'static str>>,
    assigned: bool,
    /// Promotions did not join in this call.
    mixed: bool,
    unknown: bool,
    split: bool,
    /// A compute list took it to a state for pixel shaders, which is refused: that shaders read it in vain follows from that.
    foreign: bool,
    /// The call in which the state came, and whether its queue is for copies.
    since: usize,
    on_copy: bool,
}

impl Model {
    fn new(of: Of, state: &str) -> Self {
        let mut it = Self {
            of,
            state: BTreeSet::new(),
            promoted: None,
            assigned: matches!(of, Of::Texture | Of::Depth | Of::Simultaneous),
            mixed: false,
            unknown: false,
            split: false,
            foreign: false,
            since: 0,
            on_copy: false,
        };
        it.enter(state);
        it
    }

    fn enter(&mut self, state: &str) {
        self.state = bits(state);
    }

    fn end_of_call(&mut self, call: usize) {
        let always = matches!(self.of, Of::Buffer | Of::Simultaneous);
        if always {
            self.split = false;
        }
        if self.of == Of::Buffer {
            self.assigned = false;
        }
        let reads = self.promoted.as_ref().is_some_and(|open| {
            let mut states = self.state.iter().chain(open);
            !self.mixed && !self.unknown && !states.any(|state| is_write(state))
        });
        let on_copy = self.on_copy && self.since == call;
        if always || on_copy || reads {
            self.state.clear();
            self.promoted = None;
            self.unknown = false;
        } else if self.mixed {
            self.unknown = true;
        }
        self.mixed = false;
    }

    fn transition(&mut self, after: &str, call: usize, queue: &str) {
        self.enter(after);
        self.promoted = None;
        self.assigned = true;
        self.mixed = false;
        self.unknown = false;
        self.foreign = queue == "compute" && self.state.contains(PSR);
        self.since = call;
        self.on_copy = queue == "copy";
    }

    fn enhanced(&mut self) {
        self.state.clear();
        self.promoted = None;
        self.assigned = false;
        self.mixed = false;
        self.unknown = false;
    }

    /// The rule that a use breaks, if any; the use takes effect.
    fn used(&mut self, need: Need, call: usize, queue: &str) -> Option<&'static str> {
        let needs: BTreeSet<_> = need.all.iter().chain(need.any).copied().collect();
        if !self.assigned || self.split || self.unknown {
            return None;
        }
        if needs.is_empty() {
            return self.discards(queue);
        }
        let covered = need.all.iter().all(|state| self.state.contains(state))
            && (need.any.is_empty() || need.any.iter().any(|state| self.state.contains(state)));
        let promotes = needs.iter().all(|state| self.of.promotes(state));
        let is_common = self.state.is_empty() && self.promoted.is_none();
        if !is_common && (self.promoted.is_none() || self.since != call) {
            // A barrier, the creation or an earlier call brought it into its state.
            let by_barrier = self.promoted.is_none();
            let shader = [PSR, NPSR];
            let is_read = needs.iter().all(|state| shader.contains(state));
            return if by_barrier && self.foreign && is_read {
                None
            } else if by_barrier && queue == "compute" && self.state.contains(PSR) && !self.foreign
            {
                Some("LB023")
            } else if covered || by_barrier && self.reads_depth(&needs) {
                None
            } else if by_barrier && is_read && shader.iter().any(|state| self.state.contains(state))
            {
                Some("LB024")
            } else {
                Some("LB026")
            };
        }
        if !promotes {
            return Some("LB026");
        }
        let open = self.promoted.clone().unwrap_or_default();
        let writes = self
            .state
            .iter()
            .chain(&open)
            .chain(&needs)
            .any(|s| is_write(s));
        let same = self.state == needs;
        let joins = is_common || !writes || same;
        if !joins {
            self.mixed = true;
        }
        if !joins || is_common {
            self.state = need.all.iter().copied().collect();
            self.promoted = Some(need.any.iter().copied().collect());
        } else {
            self.state.extend(need.all);
            let mut open = open;
            open.extend(need.any);
            if self.state.iter().any(|state| open.contains(state)) {
                open.clear();
            }
            self.promoted = Some(open);
        }
        self.since = call;
        self.on_copy = queue == "copy";
        (!joins).then_some("LB025")
    }

    /// `DiscardResource` wants a render target, a depth buffer or memory for unordered access in that state; compute queues
    /// know the last only. It promotes nothing.
    fn discards(&self, queue: &str) -> Option<&'static str> {
        let wanted: &[&str] = match self.of {
            Of::Buffer => return None,
            Of::Depth => &["DEPTH_WRITE"],
            _ if queue == "direct" => &["RENDER_TARGET", "UNORDERED_ACCESS"],
            _ => &["UNORDERED_ACCESS"],
        };
        let is_common = self.state.is_empty() && self.promoted.is_none();
        let open = self.promoted.iter().flatten();
        let allowed = wanted.iter().any(|state| {
            let has = || self.state.iter().chain(open.clone()).any(|s| s == state);
            if is_common {
                self.of.promotes(state)
            } else {
                has()
            }
        });
        (!allowed).then_some("LB026")
    }

    /// The layout of the writable depth state allows reading too.
    fn reads_depth(&self, needs: &BTreeSet<&str>) -> bool {
        self.state.contains("DEPTH_WRITE") && needs.iter().all(|state| *state == "DEPTH_READ")
    }
}

fn bits(state: &str) -> BTreeSet<&'static str> {
    const NAMES: [&str; 15] = [
        "VERTEX_AND_CONSTANT_BUFFER",
        "INDEX_BUFFER",
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "DEPTH_WRITE",
        "DEPTH_READ",
        NPSR,
        PSR,
        "STREAM_OUT",
        "INDIRECT_ARGUMENT",
        "COPY_DEST",
        "COPY_SOURCE",
        "RESOLVE_DEST",
        "RESOLVE_SOURCE",
        "SHADING_RATE_SOURCE",
    ];
    let known = |bit: &str| NAMES.into_iter().find(|name| *name == bit);
    state
        .split('|')
        .filter(|bit| *bit != "COMMON")
        .map(|bit| known(bit).unwrap_or_else(|| panic!("{bit}")))
        .collect()
}

/// States that a resource can be brought into by a barrier on a direct queue: single ones, and pairs of reads.
fn states(of: Of) -> Vec<String> {
    let single: &[&str] = match of {
        Of::Depth => &[
            "DEPTH_WRITE",
            "DEPTH_READ",
            NPSR,
            PSR,
            "COPY_DEST",
            "COPY_SOURCE",
        ],
        Of::Buffer => &[
            "VERTEX_AND_CONSTANT_BUFFER",
            "INDEX_BUFFER",
            "UNORDERED_ACCESS",
            NPSR,
            PSR,
            "STREAM_OUT",
            "INDIRECT_ARGUMENT",
            "COPY_DEST",
            "COPY_SOURCE",
        ],
        _ => &[
            "RENDER_TARGET",
            "UNORDERED_ACCESS",
            NPSR,
            PSR,
            "COPY_DEST",
            "COPY_SOURCE",
            "RESOLVE_DEST",
            "RESOLVE_SOURCE",
            "SHADING_RATE_SOURCE",
        ],
    };
    let mut all = vec!["COMMON".to_owned()];
    all.extend(single.iter().map(|state| (*state).to_owned()));
    for (i, one) in single.iter().enumerate() {
        for two in &single[i + 1..] {
            if !is_write(one) && !is_write(two) {
                all.push(format!("{one}|{two}"));
            }
        }
    }
    all
}

/// A scenario that grows line by line, and what the model expects of each line.
struct Stream {
    of: Of,
    lists: String,
    timeline: String,
    line: u32,
    call: usize,
    queue: &'static str,
    models: Vec<Model>,
    expected: Vec<(u32, &'static str)>,
    declaration: String,
    /// The first half that waits for its second.
    begun: Option<(String, String)>,
}

const SURROUNDINGS: &str = "\
texture many : R8G8B8A8_UNORM 64x64 { samples 4; flags RENDER_TARGET }
texture one : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
buffer up : 1MiB
buffer down : 1MiB
fence f
queue direct : direct
queue compute : compute
queue copy : copy
";

impl Stream {
    fn new(of: Of, state: &str) -> Self {
        Self {
            of,
            lists: String::new(),
            timeline: String::new(),
            line: 10,
            call: 0,
            queue: "direct",
            models: vec![Model::new(of, state); of.mips()],
            expected: Vec::new(),
            declaration: of.declaration(state),
            begun: None,
        }
    }

    fn call(&mut self, queue: &'static str) {
        if self.call > 0 {
            self.push("}");
            for model in &mut self.models {
                model.end_of_call(self.call);
            }
        }
        self.call += 1;
        self.queue = queue;
        let call = self.call;
        self.push(&format!("list l{call} : {queue} {{"));
        if self.of == Of::Buffer || self.of == Of::Simultaneous {
            self.begun = None;
        }
        writeln!(
            self.timeline,
            "  {queue} wait f {}\n  {queue} execute l{call}\n  {queue} signal f {call}",
            call - 1
        )
        .expect("a string");
    }

    fn push(&mut self, line: &str) {
        writeln!(self.lists, "{line}").expect("a string");
        self.line += 1;
    }

    /// A use of one mip, or of everything.
    fn used(&mut self, kind: &Kind, mip: Option<usize>) {
        let range = match mip {
            Some(mip) if self.of != Of::Buffer => format!("[mip {mip}]"),
            _ => String::new(),
        };
        let mut command = kind.command.replacen("r@", &format!("r{range}"), 1);
        if kind.command.starts_with("dispatch 1x1x1") && self.queue == "copy" {
            command.clear();
        }
        let mut found = None;
        for (index, model) in self.models.iter_mut().enumerate() {
            if mip.is_none_or(|mip| mip == index || self.of == Of::Buffer) {
                let wrong = model.used(kind.need, self.call, self.queue);
                found = found.or(wrong);
            }
        }
        self.expected.extend(found.map(|id| (self.line, id)));
        self.push(&command);
    }

    /// A transition of everything.
    fn transition(&mut self, before: &str, after: &str) {
        self.push(&format!("legacy {{ transition r {before} -> {after} }}"));
        for model in &mut self.models {
            model.transition(after, self.call, self.queue);
        }
    }

    fn begin(&mut self, before: &str, after: &str) {
        self.push(&format!(
            "legacy {{ transition r {before} -> {after} begin }}"
        ));
        for model in &mut self.models {
            model.transition(before, self.call, self.queue);
            model.split = true;
        }
        self.begun = Some((before.to_owned(), after.to_owned()));
    }

    fn end(&mut self) {
        let (before, after) = self.begun.take().expect("a first half");
        self.push(&format!(
            "legacy {{ transition r {before} -> {after} end }}"
        ));
        for model in &mut self.models {
            model.transition(&after, self.call, self.queue);
            model.split = false;
        }
    }

    fn enhanced(&mut self) {
        let entry = if self.of == Of::Buffer {
            "buffer r { sync ALL -> ALL; access COMMON -> COMMON }"
        } else {
            "texture r { sync ALL -> ALL; access COMMON -> COMMON; layout COMMON -> COMMON }"
        };
        self.push(&format!("barrier {{ {entry} }}"));
        for model in &mut self.models {
            model.enhanced();
        }
    }

    /// Compares, and says how many findings there were.
    fn check(&mut self) -> usize {
        self.push("}");
        let text = format!(
            "{SURROUNDINGS}{}\n{}timeline {{\n{}}}\n",
            self.declaration, self.lists, self.timeline
        );
        let scenario = parse(&text);
        let line = |at: u32| u32::try_from(text[..at as usize].matches('\n').count() + 1);
        let mut found: Vec<(u32, &str)> = legality(&scenario)
            .iter()
            .filter(|f| ("LB023".."LB027").contains(&f.rule.id))
            .map(|f| (line(f.span.start).expect("a short text"), f.rule.id))
            .collect();
        found.sort_unstable();
        assert_eq!(found, self.expected, "{text}");
        found.len()
    }
}

fn kinds(of: Of, queue: &str) -> impl Iterator<Item = &'static Kind> {
    KINDS
        .iter()
        .filter(move |kind| kind.on.contains(of.letter()) && kind.queues.contains(&queue))
}

#[test]
fn every_state_next_to_every_use() {
    let mut seen = BTreeSet::new();
    for of in [
        Of::Texture,
        Of::Depth,
        Of::Simultaneous,
        Of::Plain,
        Of::Buffer,
    ] {
        for state in states(of) {
            for queue in EVERY {
                for kind in kinds(of, queue) {
                    // Created so, or brought there by this call, or by one before.
                    for way in ["created", "here", "before"] {
                        let created = way == "created";
                        let mut stream = Stream::new(of, if created { &state } else { "COMMON" });
                        let is_common = state == "COMMON";
                        let has_state = matches!(of, Of::Texture | Of::Depth) || is_common;
                        if created && !has_state || way == "here" && *queue != "direct" {
                            continue;
                        }
                        stream.call("direct");
                        if !created {
                            if is_common {
                                stream.transition("COPY_SOURCE", "COMMON");
                            } else {
                                stream.transition("COMMON", &state);
                            }
                        }
                        if way != "here" {
                            stream.call(queue);
                        }
                        stream.used(kind, None);
                        stream.check();
                        seen.extend(stream.expected.iter().map(|(_, id)| *id));
                    }
                }
            }
        }
    }
    assert_eq!(seen, BTreeSet::from(["LB023", "LB024", "LB026"]));
}

/// "Resources can be cumulatively promoted to multiple read-states but only a single write-state"; "No Self Copy".
#[test]
fn every_three_uses_in_common() {
    let mut clashes = 0;
    for of in [Of::Texture, Of::Simultaneous, Of::Plain, Of::Buffer] {
        for queue in EVERY {
            let all: Vec<_> = kinds(of, queue).collect();
            for one in &all {
                // One scenario for each pair; the third use is in the same call and in the next.
                for two in &all {
                    for three in [one, two] {
                        for (assigned, next) in
                            [(false, false), (true, false), (false, true), (true, true)]
                        {
                            let mut stream = Stream::new(of, "COMMON");
                            stream.call(queue);
                            if assigned && of == Of::Buffer {
                                stream.transition("COPY_SOURCE", "COMMON");
                            }
                            stream.used(one, None);
                            stream.used(two, None);
                            if next {
                                stream.call(queue);
                            }
                            stream.used(three, None);
                            clashes += stream.check();
                        }
                    }
                }
            }
        }
    }
    assert!(clashes > 1000, "{clashes}");
}

/// A small generator: the state is the number of the case.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % n
    }
}

#[test]
fn random_streams_are_judged_as_the_slow_model_judges_them() {
    let (mut found, mut tried) = (0, 0);
    for seed in LEGALITY.seeds() {
        tried += 1;
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let of = [
            Of::Texture,
            Of::Depth,
            Of::Simultaneous,
            Of::Plain,
            Of::Buffer,
        ][random.below(5)];
        let all = states(of);
        let mut stream = Stream::new(of, &all[random.below(all.len())]);
        if matches!(of, Of::Simultaneous | Of::Plain | Of::Buffer) {
            stream = Stream::new(of, "COMMON");
        }
        stream.call(EVERY[random.below(3)]);
        for _ in 0..random.below(14) {
            step(&mut stream, &mut random, &all);
        }
        found += stream.check();
    }
    assert!(found > tried / 4, "{found} in {tried}");
}

fn step(stream: &mut Stream, random: &mut Random, states: &[String]) {
    let mut state = || states[random.below(states.len())].clone();
    let (before, after) = (state(), state());
    match random.below(20) {
        0..=2 => stream.call(EVERY[random.below(3)]),
        3..=5 if stream.begun.is_none() && before != after => stream.transition(&before, &after),
        6 if stream.begun.is_none() && before != after => stream.begin(&before, &after),
        6..=8 if stream.begun.is_some() => stream.end(),
        7 if stream.begun.is_none() => stream.enhanced(),
        _ => {
            let all: Vec<_> = kinds(stream.of, stream.queue).collect();
            let mip = [None, Some(0), Some(1)][random.below(3)];
            if !all.is_empty() {
                stream.used(all[random.below(all.len())], mip);
            }
        }
    }
}
