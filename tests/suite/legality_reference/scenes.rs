//! Random small scenes for the law of `legality_reference.rs`: values, their text, and the steps that shrink them.
//!
//! Every entry is legal by itself (queue, flags, layout × access × sync), so that only the rules of state can be broken;
//! but some name an access of buffers on a texture. Commands are of all kinds, whatever the type of their list.
//!
//! Longer than other files: half of it is tables of words, and generator and printer must agree on them.

use rand::prelude::*;
use std::fmt::Write as _;

/// A queue, or the type of a list.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Direct,
    Compute,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Compute => "compute",
        }
    }
}

/// What a scene declares. The index in [`RESOURCES`] is its id.
pub(crate) struct Resource {
    pub(crate) name: &'static str,
    /// Zero for a buffer.
    pub(crate) mips: u32,
    pub(crate) layers: u32,
    pub(crate) simultaneous: bool,
    pub(crate) initial: &'static str,
}

pub(crate) const RESOURCES: [Resource; 4] = [
    Resource {
        name: "t",
        mips: 3,
        layers: 2,
        simultaneous: false,
        initial: "COMMON",
    },
    Resource {
        name: "u",
        mips: 1,
        layers: 1,
        simultaneous: false,
        initial: "UNORDERED_ACCESS",
    },
    Resource {
        name: "s",
        mips: 2,
        layers: 1,
        simultaneous: true,
        initial: "COMMON",
    },
    Resource {
        name: "b",
        mips: 0,
        layers: 0,
        simultaneous: false,
        initial: "",
    },
];

impl Resource {
    pub(crate) fn is_buffer(&self) -> bool {
        self.mips == 0
    }
}

/// Which subresources an entry or a use names, and how it is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Range {
    Everything,
    /// `0xffffffff` in the header's form.
    RawEverything,
    /// Mips and layers, half open.
    Box([u32; 4]),
    RawBox([u32; 4]),
    Index(u32),
}

impl Range {
    /// The subresources, as indices of D3D12. A buffer has one.
    pub(crate) fn subresources(self, resource: &Resource) -> Vec<u32> {
        let (mips, layers) = (resource.mips.max(1), resource.layers.max(1));
        match self {
            Self::Everything | Self::RawEverything => (0..mips * layers).collect(),
            Self::Index(index) => vec![index],
            Self::Box([m0, m1, l0, l1]) | Self::RawBox([m0, m1, l0, l1]) => (l0..l1)
                .flat_map(|layer| (m0..m1).map(move |mip| mip + layer * mips))
                .collect(),
        }
    }

    /// The same as a use can write it: the header's form belongs to barriers.
    fn in_brackets(self) -> Self {
        match self {
            Self::RawEverything => Self::Everything,
            Self::RawBox(sides) => Self::Box(sides),
            other => other,
        }
    }

    /// In brackets after a name.
    fn suffix(self) -> String {
        match self {
            Self::Everything | Self::RawEverything | Self::RawBox(_) => String::new(),
            Self::Index(index) => format!("[subresource {index}]"),
            Self::Box([m0, m1, l0, l1]) => format!("[mip {m0}..{m1}, layer {l0}..{l1}]"),
        }
    }

    /// As a field of the entry.
    fn field(self) -> String {
        match self {
            Self::RawEverything => "; range 0xffffffff 0 7 7 7 7".into(),
            Self::RawBox([m0, m1, l0, l1]) => {
                format!("; range {m0} {} {l0} {} 0 1", m1 - m0, l1 - l0)
            }
            _ => String::new(),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// `None` for a global barrier.
    pub(crate) resource: Option<usize>,
    pub(crate) range: Range,
    pub(crate) sync: [Vec<&'static str>; 2],
    pub(crate) access: [Vec<&'static str>; 2],
    /// Not printed for buffers and global barriers.
    pub(crate) layout: [&'static str; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command {
    Barrier(Vec<Entry>),
    Use(Use),
}

/// A command with one use.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Use {
    /// The language's words, those after the label included.
    pub(crate) word: &'static str,
    pub(crate) access: &'static str,
    /// Whether the access follows from the command and is not written.
    pub(crate) implied: bool,
    pub(crate) resource: usize,
    pub(crate) range: Range,
}

/// Commands, their accesses, and whether the access is implied. `DISCARD` stands for that of the layout.
pub(crate) const COMMANDS: &[(&str, &[&str], bool)] = &[
    (
        "draw",
        &[
            "SHADER_RESOURCE",
            "UNORDERED_ACCESS",
            "CONSTANT_BUFFER",
            "RENDER_TARGET",
            "VERTEX_BUFFER",
            "INDEX_BUFFER",
            "STREAM_OUTPUT",
        ],
        false,
    ),
    (
        "dispatch 1x1x1",
        &["SHADER_RESOURCE", "UNORDERED_ACCESS"],
        false,
    ),
    (
        "dispatch 1x1x1",
        &["SHADER_RESOURCE", "UNORDERED_ACCESS"],
        false,
    ),
    (
        "dispatch 1x1x1",
        &["SHADER_RESOURCE", "UNORDERED_ACCESS", "CONSTANT_BUFFER"],
        false,
    ),
    ("execute-indirect draw", &["INDIRECT_ARGUMENT"], false),
    ("execute-indirect dispatch", &["INDIRECT_ARGUMENT"], false),
    ("predicate", &["INDIRECT_ARGUMENT"], true),
    ("clear-rtv", &["RENDER_TARGET"], true),
    ("clear-uav", &["UNORDERED_ACCESS"], true),
    ("discard", &["DISCARD"], true),
    ("discard", &["DISCARD"], true),
];

/// Accesses that a texture cannot have (reading R60), as far as scenes use them.
const OF_BUFFERS: [&str; 5] = [
    "VERTEX_BUFFER",
    "INDEX_BUFFER",
    "CONSTANT_BUFFER",
    "STREAM_OUTPUT",
    "INDIRECT_ARGUMENT",
];

impl Use {
    fn random(random: &mut StdRng) -> Self {
        loop {
            let resource = random.random_range(0..RESOURCES.len());
            let (word, accesses, implied) = COMMANDS.choose(random).expect("a command");
            let access = *accesses.choose(random).expect("an access");
            let is_buffer = RESOURCES[resource].is_buffer();
            // No buffer is a render target: another rule. Most uses are of accesses that a texture has.
            let misfit = if is_buffer {
                access == "RENDER_TARGET"
            } else {
                OF_BUFFERS.contains(&access) && random.random_range(0..4) > 0
            };
            if !misfit {
                return Self {
                    word,
                    access,
                    implied: *implied,
                    resource,
                    range: range(random, &RESOURCES[resource]).in_brackets(),
                };
            }
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct List {
    pub(crate) kind: Kind,
    pub(crate) commands: Vec<Command>,
}

/// A line of the timeline. Queue 0 and 1 are direct, queue 2 is compute; fence `n` is signalled once, with 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Execute(usize, Vec<usize>),
    Signal(usize, usize),
    Wait(usize, usize),
}

pub(crate) const QUEUES: [(&str, Kind); 3] = [
    ("p", Kind::Direct),
    ("q", Kind::Direct),
    ("c", Kind::Compute),
];
pub(crate) const FENCES: usize = 3;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Scene {
    pub(crate) lists: Vec<List>,
    pub(crate) steps: Vec<Step>,
}

/// Accesses with the layouts of textures and the sync masks that serve them.
const UNITS: &[(&str, &[&str], &[&[&str]])] = &[
    (
        "SHADER_RESOURCE",
        &[
            "COMMON",
            "SHADER_RESOURCE",
            "GENERIC_READ",
            "DIRECT_QUEUE_COMMON",
        ],
        &[
            &["COMPUTE_SHADING"],
            &["ALL_SHADING"],
            &["NON_PIXEL_SHADING"],
            &["ALL"],
            &["COMPUTE_SHADING", "RAYTRACING"],
            &["PIXEL_SHADING"],
            &["DRAW"],
            &["PIXEL_SHADING", "VERTEX_SHADING", "COMPUTE_SHADING"],
        ],
    ),
    (
        "COPY_SOURCE",
        &["COMMON", "COPY_SOURCE", "GENERIC_READ"],
        &[&["COPY"], &["ALL"], &["COPY", "COMPUTE_SHADING"]],
    ),
    (
        "COPY_DEST",
        &["COMMON", "COPY_DEST"],
        &[&["COPY"], &["ALL"]],
    ),
    (
        "UNORDERED_ACCESS",
        &["UNORDERED_ACCESS", "DIRECT_QUEUE_COMMON"],
        &[
            &["COMPUTE_SHADING"],
            &["ALL_SHADING"],
            &["CLEAR_UNORDERED_ACCESS_VIEW", "COMPUTE_SHADING"],
            &["DRAW"],
        ],
    ),
    (
        "RENDER_TARGET",
        &["RENDER_TARGET"],
        &[&["RENDER_TARGET"], &["DRAW"], &["ALL"]],
    ),
];

/// Words that only direct queues have.
const DIRECT_ONLY: &[&str] = &[
    "PIXEL_SHADING",
    "VERTEX_SHADING",
    "DRAW",
    "RENDER_TARGET",
    "DIRECT_QUEUE_COMMON",
];

fn allowed(kind: Kind, word: &str) -> bool {
    kind == Kind::Direct || !DIRECT_ONLY.contains(&word)
}

/// One side of an entry.
type Side = (Vec<&'static str>, Vec<&'static str>, &'static str);

/// What the writer of a list would believe of one subresource.
type Belief = Option<Side>;

fn fits_side(kind: Kind, side: &Side) -> bool {
    let words = side.0.iter().chain(&side.1).chain([&side.2]);
    words.into_iter().all(|word| allowed(kind, word))
}

fn side(random: &mut StdRng, kind: Kind, resource: &Resource) -> Side {
    loop {
        let (access, layouts, syncs) = UNITS.choose(random).expect("a unit");
        let sync = syncs.choose(random).expect("a mask");
        let layout = layouts.choose(random).expect("a layout");
        let wrong_buffer = resource.is_buffer() && *access == "RENDER_TARGET";
        if wrong_buffer
            || !allowed(kind, access)
            || !allowed(kind, layout)
            || !sync.iter().all(|s| allowed(kind, s))
        {
            continue;
        }
        let layout = if resource.is_buffer() || resource.simultaneous {
            "COMMON"
        } else {
            layout
        };
        let (mut sync, mut access) = (sync.to_vec(), vec![*access]);
        match random.random_range(0..12) {
            0 => access = vec!["NO_ACCESS"],
            1 => (sync, access) = (vec!["NONE"], vec!["NO_ACCESS"]),
            2 => access = vec!["COMMON"],
            3 if layout == "GENERIC_READ" || layout == "COMMON" => {
                access = vec!["SHADER_RESOURCE", "COPY_SOURCE"];
                sync = vec!["COMPUTE_SHADING", "COPY"];
            }
            _ => {}
        }
        return (sync, access, layout);
    }
}

fn range(random: &mut StdRng, resource: &Resource) -> Range {
    if resource.is_buffer() {
        return Range::Everything;
    }
    let bounds = |random: &mut StdRng, n: u32| {
        let first = random.random_range(0..n);
        [first, random.random_range(first..n) + 1]
    };
    match random.random_range(0..8) {
        0..3 => Range::Everything,
        3 => Range::RawEverything,
        4 => Range::Index(random.random_range(0..resource.mips * resource.layers)),
        form => {
            let ([m0, m1], [l0, l1]) = (
                bounds(random, resource.mips),
                bounds(random, resource.layers),
            );
            let sides = [m0, m1, l0, l1];
            if form == 5 {
                Range::RawBox(sides)
            } else {
                Range::Box(sides)
            }
        }
    }
}

/// Beliefs about every subresource while a list is written; halves of splits that wait for their ends.
struct Writer {
    beliefs: Vec<Vec<Belief>>,
    open: Vec<Entry>,
}

impl Writer {
    fn entry(&mut self, random: &mut StdRng, kind: Kind) -> Entry {
        if random.random_range(0..10) == 0 {
            let any = &RESOURCES[3];
            let (before, after) = (side(random, kind, any), side(random, kind, any));
            return Entry {
                resource: None,
                range: Range::Everything,
                sync: [before.0, after.0],
                access: [before.1, after.1],
                layout: ["COMMON"; 2],
            };
        }
        let fits = |begin: &Entry| {
            let words = begin.access.iter().flatten().chain(&begin.layout);
            words.into_iter().all(|word| allowed(kind, word))
        };
        if let Some(at) = self.open.iter().position(fits)
            && random.random_range(0..2) == 0
        {
            return self.end(random, kind, at);
        }
        let id = random.random_range(0..RESOURCES.len());
        let resource = &RESOURCES[id];
        let range = range(random, resource);
        let first = range.subresources(resource)[0] as usize;
        let before = match &self.beliefs[id][first] {
            Some(known) if fits_side(kind, known) && random.random_range(0..5) > 0 => known.clone(),
            _ => side(random, kind, resource),
        };
        let mut entry = Entry {
            resource: Some(id),
            range,
            sync: [before.0, vec![]],
            access: [before.1, vec![]],
            layout: [before.2, "COMMON"],
        };
        (entry.sync[1], entry.access[1], entry.layout[1]) = side(random, kind, resource);
        let mut left = entry.layout[1];
        let plain = !resource.is_buffer() && !resource.simultaneous;
        match random.random_range(0..12) {
            0 if !resource.is_buffer() && entry.access[0] != ["NO_ACCESS"] => {
                // The access after must fit the layout that stays.
                let [first, second] = &mut entry.access;
                second.clone_from(first);
                let [first, second] = &mut entry.sync;
                second.clone_from(first);
                left = entry.layout[0];
                entry.layout = ["UNDEFINED"; 2];
            }
            1 if plain => {
                entry.layout[0] = "UNDEFINED";
                entry.access[0] = vec!["NO_ACCESS"];
            }
            2 if plain => {
                left = "UNDEFINED";
                entry.layout[1] = "UNDEFINED";
                entry.access[1] = vec!["NO_ACCESS"];
            }
            _ => {}
        }
        if !resource.is_buffer() && random.random_range(0..24) == 0 {
            // Reading R60. What comes next believes nothing of it.
            entry.access[1] = vec![OF_BUFFERS[random.random_range(0..OF_BUFFERS.len())]];
            entry.sync[1] = vec!["ALL"];
            for subresource in range.subresources(resource) {
                self.beliefs[id][subresource as usize] = None;
            }
            return entry;
        }
        for subresource in range.subresources(resource) {
            self.beliefs[id][subresource as usize] =
                Some((entry.sync[1].clone(), entry.access[1].clone(), left));
        }
        if random.random_range(0..5) == 0 {
            let mut begin = entry.clone();
            begin.sync[1] = vec!["SPLIT"];
            self.open.push(begin.clone());
            return begin;
        }
        entry
    }

    /// The end of an open split, mostly as it should be.
    fn end(&mut self, random: &mut StdRng, kind: Kind, at: usize) -> Entry {
        let mut end = if random.random_range(0..6) == 0 {
            self.open[at].clone()
        } else {
            self.open.remove(at)
        };
        let resource = &RESOURCES[end.resource.expect("splits name a resource")];
        let after = loop {
            let (sync, access, layout) = side(random, kind, resource);
            // The sync of the after side must serve the access that the begin has promised.
            if end.access[1].iter().all(|a| access.contains(a)) || end.access[1] == ["NO_ACCESS"] {
                break (sync, access, layout);
            }
        };
        end.sync = [vec!["SPLIT"], after.0];
        match random.random_range(0..10) {
            0 => end.range = range(random, resource),
            1 => end.access[0] = vec!["NO_ACCESS"],
            2 if end.layout[1] != "UNDEFINED" && end.layout[0] != end.layout[1] => {
                end.layout[0] = "COMMON";
                end.access[0] = vec!["NO_ACCESS"];
            }
            _ => {}
        }
        let id = end.resource.expect("splits name a resource");
        let memory_only = end.layout == ["UNDEFINED"; 2];
        for subresource in end.range.subresources(resource) {
            let left = (end.sync[1].clone(), end.access[1].clone(), end.layout[1]);
            self.beliefs[id][subresource as usize] = (!memory_only).then_some(left);
        }
        end
    }
}

pub(crate) fn scene(seed: u64) -> Scene {
    let random = &mut StdRng::seed_from_u64(seed);
    let mut writer = Writer {
        beliefs: RESOURCES
            .iter()
            .map(|r| vec![None; (r.mips.max(1) * r.layers.max(1)) as usize])
            .collect(),
        open: vec![],
    };
    let mut lists = vec![];
    for _ in 0..random.random_range(1..5) {
        let kind = if random.random_range(0..3) == 0 {
            Kind::Compute
        } else {
            Kind::Direct
        };
        let commands = (0..random.random_range(1..6))
            .map(|_| {
                if random.random_range(0..4) > 0 {
                    let entries =
                        (0..random.random_range(1..3)).map(|_| writer.entry(random, kind));
                    Command::Barrier(entries.collect())
                } else {
                    Command::Use(Use::random(random))
                }
            })
            .collect();
        lists.push(List { kind, commands });
    }
    let steps = steps(random, &lists);
    Scene { lists, steps }
}

/// Calls on up to three queues. Two scenes of three have all their work on one direct queue, or chained by fences.
fn steps(random: &mut StdRng, lists: &[List]) -> Vec<Step> {
    let mut steps = vec![];
    let chained = random.random_range(0..4) > 0;
    let mut last: Option<usize> = None;
    let mut fences = 0..FENCES;
    for _ in 0..random.random_range(1..5) {
        let chosen = random.random_range(0..lists.len());
        let queue = match lists[chosen].kind {
            Kind::Direct => random.random_range(0..4usize) / 3,
            Kind::Compute => 2,
        };
        if let Some(from) = last
            && chained
            && from != queue
        {
            let Some(fence) = fences.next() else { break };
            steps.push(Step::Signal(from, fence));
            steps.push(Step::Wait(queue, fence));
        }
        let mut call = vec![chosen];
        while random.random_range(0..3) == 0 {
            let more = random.random_range(0..lists.len());
            if lists[more].kind == lists[chosen].kind {
                call.push(more);
            }
        }
        steps.push(Step::Execute(queue, call));
        last = Some(queue);
    }
    if !chained && let Some(fence) = fences.next() {
        let (from, to) = (random.random_range(0..3), random.random_range(0..3));
        if from != to {
            // A wait may come before its signal.
            let at = random.random_range(0..=steps.len());
            steps.insert(at, Step::Signal(from, fence));
            let at = random.random_range(0..=steps.len());
            steps.insert(at, Step::Wait(to, fence));
        }
    }
    steps
}

impl Scene {
    /// The text, with one entry or use a line.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let out = &mut text;
        for r in &RESOURCES {
            if r.is_buffer() {
                writeln!(out, "buffer {} : 4KiB {{ flags UNORDERED_ACCESS }}", r.name)
            } else {
                let more = if r.simultaneous {
                    "|SIMULTANEOUS_ACCESS"
                } else {
                    ""
                };
                writeln!(
                    out,
                    "texture {} : R8G8B8A8_UNORM 64x64 {{ mips {}; layers {}; \
                     flags RENDER_TARGET|UNORDERED_ACCESS{more}; initial {} }}",
                    r.name, r.mips, r.layers, r.initial
                )
            }
            .expect("a string");
        }
        for fence in 0..FENCES {
            writeln!(out, "fence f{fence}").expect("a string");
        }
        for (name, kind) in QUEUES {
            writeln!(out, "queue {name} : {}", kind.word()).expect("a string");
        }
        for (i, list) in self.lists.iter().enumerate() {
            writeln!(out, "list l{i} : {} {{", list.kind.word()).expect("a string");
            for command in &list.commands {
                command.print(out);
            }
            out.push_str("}\n");
        }
        out.push_str("timeline {\n");
        for step in &self.steps {
            let line = match step {
                Step::Execute(queue, lists) => {
                    let names: Vec<_> = lists.iter().map(|l| format!("l{l}")).collect();
                    format!("{} execute {}", QUEUES[*queue].0, names.join(", "))
                }
                Step::Signal(queue, fence) => format!("{} signal f{fence} 1", QUEUES[*queue].0),
                Step::Wait(queue, fence) => format!("{} wait f{fence} 1", QUEUES[*queue].0),
            };
            writeln!(out, "  {line}").expect("a string");
        }
        out.push_str("}\n");
        text
    }

    /// Every scene with one thing less.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut all = vec![];
        for at in 0..self.steps.len() {
            let mut less = self.clone();
            less.steps.remove(at);
            all.push(less);
            if let Step::Execute(_, lists) = &self.steps[at] {
                for which in 0..lists.len() * usize::from(lists.len() > 1) {
                    let mut less = self.clone();
                    let Step::Execute(_, lists) = &mut less.steps[at] else {
                        unreachable!("the step is a call");
                    };
                    lists.remove(which);
                    all.push(less);
                }
            }
        }
        for (l, list) in self.lists.iter().enumerate() {
            for (c, command) in list.commands.iter().enumerate() {
                let mut less = self.clone();
                less.lists[l].commands.remove(c);
                all.push(less);
                if let Command::Barrier(entries) = command {
                    for e in 0..entries.len() * usize::from(entries.len() > 1) {
                        let mut less = self.clone();
                        let Command::Barrier(entries) = &mut less.lists[l].commands[c] else {
                            unreachable!("the command is a barrier");
                        };
                        entries.remove(e);
                        all.push(less);
                    }
                }
            }
        }
        all
    }
}

impl Command {
    fn print(&self, out: &mut String) {
        match self {
            Self::Use(used) => {
                let (word, access) = (used.word, used.access);
                let place = format!("{}{}", RESOURCES[used.resource].name, used.range.suffix());
                if used.implied {
                    writeln!(out, "  {word} {place}")
                } else {
                    writeln!(out, "  {word} {{ {access} {place} }}")
                }
                .expect("a string");
            }
            Self::Barrier(entries) => {
                out.push_str("  barrier {\n");
                for entry in entries {
                    entry.print(out);
                }
                out.push_str("  }\n");
            }
        }
    }
}

impl Entry {
    fn print(&self, out: &mut String) {
        let pair =
            |words: &[Vec<&str>; 2]| format!("{} -> {}", words[0].join("|"), words[1].join("|"));
        let (sync, access) = (pair(&self.sync), pair(&self.access));
        let head = match self.resource {
            None => "global".to_owned(),
            Some(id) if RESOURCES[id].is_buffer() => format!("buffer {}", RESOURCES[id].name),
            Some(id) => format!("texture {}{}", RESOURCES[id].name, self.range.suffix()),
        };
        let layout = match self.resource {
            Some(id) if !RESOURCES[id].is_buffer() => {
                format!("; layout {} -> {}", self.layout[0], self.layout[1])
            }
            _ => String::new(),
        };
        let field = self.range.field();
        writeln!(
            out,
            "    {head} {{ sync {sync}; access {access}{layout}{field} }}"
        )
        .expect("a string");
    }
}
