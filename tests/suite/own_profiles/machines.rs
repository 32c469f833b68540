//! Random machines: a built-in profile with a few changes, as the text of a file that is based on it.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;
use syncscope::hardware::{Client, Profile, WritePolicy};
use syncscope::id::CacheId;

/// The texts of the built-in profiles.
pub(super) const BASES: [(&str, &str); 7] = [
    (
        "rdna",
        include_str!("../../../src/hardware/profiles/rdna.toml"),
    ),
    (
        "rdna12",
        include_str!("../../../src/hardware/profiles/rdna12.toml"),
    ),
    (
        "intel",
        include_str!("../../../src/hardware/profiles/intel.toml"),
    ),
    (
        "nvidia",
        include_str!("../../../src/hardware/profiles/nvidia.toml"),
    ),
    (
        "tiler",
        include_str!("../../../src/hardware/profiles/tiler.toml"),
    ),
    (
        "hopper",
        include_str!("../../../src/hardware/profiles/hopper.toml"),
    ),
    (
        "reference",
        include_str!("../../../src/hardware/profiles/reference.toml"),
    ),
];

/// Most changes of one machine.
const CHANGES_MAX: u32 = 7;
const POLICIES: [&str; 3] = ["write-back", "write-through", "read-only"];
const STAGES: [&str; 5] = [
    "VERTEX_SHADING",
    "PIXEL_SHADING",
    "COMPUTE_SHADING",
    "COPY",
    "RENDER_TARGET",
];

/// A cache, as far as paths depend on it.
#[derive(Clone)]
struct Node {
    name: String,
    parent: Option<usize>,
    read_only: bool,
    /// What the file says of it: keys with values.
    says: Vec<(&'static str, String)>,
    is_new: bool,
}

/// A file in the making.
struct Maker {
    rng: StdRng,
    caches: Vec<Node>,
    /// Rows of tables of paths: what the file says.
    paths: Vec<(String, Vec<usize>)>,
    metadata: Vec<(String, Vec<usize>)>,
    layouts: Vec<(&'static str, String)>,
    rest: Vec<String>,
    granularity: Option<&'static str>,
    has_tiles: bool,
}

/// The text of a machine, and the number of its base.
pub(super) fn text(seed: u64) -> (String, usize) {
    let base = (seed % BASES.len() as u64) as usize;
    let (name, text) = BASES[base];
    let profile = Profile::parse(text).expect("a built-in profile");
    let mut maker = Maker::new(seed, &profile);
    for _ in 0..maker.rng.random_range(1..=CHANGES_MAX) {
        maker.change();
    }
    (maker.written(seed, name), base)
}

impl Maker {
    fn new(seed: u64, profile: &Profile) -> Self {
        let node = |id: CacheId| {
            let cache = profile.cache(id);
            Node {
                name: cache.name.clone(),
                parent: cache.parent.map(CacheId::index),
                read_only: cache.policy == WritePolicy::ReadOnly,
                says: Vec::new(),
                is_new: false,
            }
        };
        Self {
            rng: StdRng::seed_from_u64(seed),
            caches: profile.cache_ids().map(node).collect(),
            paths: Vec::new(),
            metadata: Vec::new(),
            layouts: Vec::new(),
            rest: Vec::new(),
            granularity: None,
            has_tiles: profile.tile_pass.is_some(),
        }
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.random_range(0..end)
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn change(&mut self) {
        match self.below(16) {
            0 | 1 => self.say_policy(),
            2 => self.say_flag("private"),
            3 => {
                let flag = ["byte_masks", "clean_drops", "refreshed"][self.rng.random_range(0..3)];
                self.say_flag(flag);
            }
            4 | 5 => self.add_cache(),
            6 | 7 => self.reroute(false),
            8 => self.reroute(true),
            9 => self.small(),
            10 => self.layout_row(),
            11 => self.layout_ops(),
            12 => self.exception(),
            13 => {
                let words = ["stage", "front-end", "queue"];
                self.granularity = Some(words[self.rng.random_range(0..3)]);
            }
            14 => self.tiles(),
            _ => self.alternative(),
        }
    }

    /// A cache is treated differently by writes.
    fn say_policy(&mut self) {
        if self.caches.is_empty() {
            return;
        }
        let at = self.below(self.caches.len());
        let policy = POLICIES[self.rng.random_range(0..3)];
        self.caches[at].read_only = policy == "read-only";
        let says = &mut self.caches[at].says;
        says.push(("policy", format!("\"{policy}\"")));
        let clean = if policy == "write-back" {
            "clean it"
        } else {
            ""
        };
        says.push(("clean", format!("\"{clean}\"")));
        says.push(("invalidate", "\"drop it\"".into()));
        let drop = self.drop(policy);
        self.caches[at].says.push(("drop", drop));
    }

    /// What a drop does to dirty lines.
    fn drop(&mut self, policy: &str) -> String {
        let loses = policy == "write-back" && self.one_in(3);
        let what = if loses {
            "loses dirty lines"
        } else {
            "writes dirty lines back"
        };
        format!("\"{what}\"")
    }

    fn say_flag(&mut self, flag: &'static str) {
        if self.caches.is_empty() {
            return;
        }
        let at = self.below(self.caches.len());
        let value = self.one_in(2).to_string();
        self.caches[at].says.push((flag, value));
    }

    /// Lines that leave soon, or are as wide as several rows of texels.
    fn small(&mut self) {
        if self.caches.is_empty() {
            return;
        }
        let at = self.below(self.caches.len());
        let (key, value) = [
            ("size_bytes", 1024),
            ("line_bytes", 256),
            ("line_bytes", 32),
        ][self.rng.random_range(0..3)];
        self.caches[at].says.push((key, number(value)));
    }

    /// A cache of its own before another one, or next to all; some accesses go through it.
    fn add_cache(&mut self) {
        let parent = if self.caches.is_empty() || self.one_in(4) {
            None
        } else {
            Some(self.below(self.caches.len()))
        };
        let policy = POLICIES[[0, 0, 0, 1, 1, 2][self.rng.random_range(0..6)]];
        let clean = if policy == "write-back" {
            "clean it"
        } else {
            ""
        };
        let mut says = vec![
            ("policy", format!("\"{policy}\"")),
            ("private", self.one_in(2).to_string()),
            ("clean", format!("\"{clean}\"")),
            ("invalidate", "\"drop it\"".to_owned()),
            ("clean_drops", self.one_in(4).to_string()),
            ("drop", self.drop(policy)),
            ("byte_masks", self.one_in(2).to_string()),
        ];
        let sizes = [4096, 65536, 1 << 22];
        says.push(("instances", number(1)));
        says.push(("size_bytes", number(sizes[self.rng.random_range(0..3)])));
        says.push((
            "line_bytes",
            number([64, 128, 256][self.rng.random_range(0..3)]),
        ));
        for (key, value) in [
            ("clean_ns", 500),
            ("invalidate_ns", 200),
            ("fill_ns", 100),
            ("bytes_per_s", 100_000_000_000),
        ] {
            says.push((key, number(value)));
        }
        let at = self.caches.len();
        self.caches.push(Node {
            name: format!("N{at}"),
            parent,
            read_only: policy == "read-only",
            says,
            is_new: true,
        });
        let metadata = self.one_in(4);
        for _ in 0..self.rng.random_range(1..5) {
            self.route(at, metadata);
        }
    }

    /// The caches of a way that starts in a cache.
    fn chain(&self, start: usize) -> Vec<usize> {
        std::iter::successors(Some(start), |at| self.caches[*at].parent).collect()
    }

    /// A client goes another way.
    fn reroute(&mut self, metadata: bool) {
        let start = self.below(self.caches.len() + 1);
        self.route(start, metadata);
    }

    /// A client goes through a cache, or past all.
    fn route(&mut self, start: usize, metadata: bool) {
        let clients: Vec<Client> = Client::all().collect();
        // What scenarios use most comes first.
        let often = [
            "RENDER_TARGET",
            "UNORDERED_ACCESS",
            "SHADER_RESOURCE",
            "DEPTH_STENCIL_WRITE",
            "DEPTH_STENCIL_READ",
            "COPY_DEST",
            "COPY_SOURCE",
            "LAYOUT_OPERATION",
            "VERTEX_BUFFER",
            "CONSTANT_BUFFER",
            "INDIRECT_ARGUMENT",
            "STREAM_OUTPUT",
        ];
        let word = if self.one_in(3) {
            clients[self.rng.random_range(0..clients.len())].word()
        } else {
            often[self.rng.random_range(0..often.len())].to_owned()
        };
        let mut starts = vec![start];
        if self.one_in(5) {
            starts.push(self.below(self.caches.len() + 1));
        }
        let table = if metadata {
            &mut self.metadata
        } else {
            &mut self.paths
        };
        table.retain(|(known, _)| *known != word);
        table.push((word, starts));
    }

    /// A layout is stored differently.
    fn layout_row(&mut self) {
        let class = ["CF", "C", "C", "S", "U", "U"][self.rng.random_range(0..6)];
        let (layout, compute, copy) = [
            ("RENDER_TARGET", false, false),
            ("DEPTH_STENCIL_WRITE", false, false),
            ("DEPTH_STENCIL_READ", false, false),
            ("SHADER_RESOURCE", true, false),
            ("UNORDERED_ACCESS", true, false),
            ("COPY_SOURCE", true, false),
            ("COPY_DEST", true, false),
            ("COMMON", true, true),
            ("GENERIC_READ", true, false),
        ][self.rng.random_range(0..9)];
        let column = |legal| if legal { class } else { "-" };
        let row = format!(
            "[\"{class}\", \"{}\", \"{}\"]",
            column(compute),
            column(copy)
        );
        self.layouts.retain(|(known, _)| *known != layout);
        self.layouts.push((layout, row));
        if !self.one_in(4) {
            self.layout_ops();
        }
    }

    /// Operations between all classes.
    fn layout_ops(&mut self) {
        if self.rest.iter().any(|rest| rest.contains("[[layout_op]]")) {
            return;
        }
        let queues = [
            "\"direct\"",
            "\"direct\", \"compute\"",
            "\"direct\", \"compute\", \"copy\"",
        ][self.rng.random_range(0..3)];
        let leaves = ["pass-through", "resolved"][self.rng.random_range(0..2)];
        let rows = [
            ("own partial", "\"CF\"", "\"C\"", "metadata"),
            ("own full", "\"CF\", \"C\"", "\"U\", \"S\"", "full"),
            (
                "own first",
                "\"X\"",
                "\"CF\", \"C\", \"U\", \"S\"",
                "metadata",
            ),
        ];
        for (name, from, to, touches) in rows {
            self.rest.push(format!(
                "[[layout_op]]\nname = \"{name}\"\nfrom = [{from}]\nto = [{to}]\ntouches = \"{touches}\"\n\
                 leaves = \"{leaves}\"\nqueues = [{queues}]\n"
            ));
        }
    }

    /// Some textures go other ways.
    fn exception(&mut self) {
        if self.caches.is_empty() {
            return;
        }
        let start = self.below(self.caches.len());
        let condition = ["mips_from = 1", "format = \"depth\"", "format = \"colour\""]
            [self.rng.random_range(0..3)];
        let table = ["path", "metadata"][self.rng.random_range(0..2)];
        let client = [
            "RENDER_TARGET",
            "SHADER_RESOURCE",
            "UNORDERED_ACCESS",
            "DEPTH_STENCIL_WRITE",
        ][self.rng.random_range(0..4)];
        let way = self.names(&[start]);
        let number = self.rest.len();
        self.rest.push(format!(
            "[[exception]]\nname = \"own {number}\"\nsource = \"a test\"\n{condition}\n[exception.{table}]\n{client} = {way}\n"
        ));
    }

    /// It renders tile by tile.
    fn tiles(&mut self) {
        if std::mem::replace(&mut self.has_tiles, true) {
            return;
        }
        let at = self.caches.len();
        let mut says = vec![
            ("policy", "\"write-back\"".to_owned()),
            ("private", "false".to_owned()),
            ("clean", "\"store\"".to_owned()),
            ("invalidate", "\"discard\"".to_owned()),
            ("clean_drops", "true".to_owned()),
            ("byte_masks", "true".to_owned()),
        ];
        for (key, value) in [
            ("instances", 1),
            ("size_bytes", 1 << 40),
            ("line_bytes", 64),
            ("clean_ns", 1000),
            ("invalidate_ns", 0),
            ("fill_ns", 400),
            ("bytes_per_s", 60_000_000_000),
        ] {
            says.push((key, number(value)));
        }
        self.caches.push(Node {
            name: format!("TILE{at}"),
            parent: None,
            read_only: false,
            says,
            is_new: true,
        });
        self.rest.push(format!(
            "[tile_pass]\nstages = [\"DEPTH_STENCIL\", \"PIXEL_SHADING\", \"RENDER_TARGET\"]\n\
             accesses = [\"RENDER_TARGET\", \"DEPTH_STENCIL_READ\", \"DEPTH_STENCIL_WRITE\"]\ntile = \"TILE{at}\"\n"
        ));
    }

    /// Reads may go another way.
    fn alternative(&mut self) {
        if self.caches.is_empty() {
            return;
        }
        let start = self.below(self.caches.len());
        let names: Vec<String> = self
            .chain(start)
            .into_iter()
            .map(|at| format!("\"{}\"", self.caches[at].name))
            .collect();
        let access =
            ["SHADER_RESOURCE", "CONSTANT_BUFFER", "UNORDERED_ACCESS"][self.rng.random_range(0..3)];
        let stage = STAGES[self.rng.random_range(0..STAGES.len())];
        let stages = if self.one_in(2) {
            format!("\"{stage}\"")
        } else {
            String::new()
        };
        self.rest.push(format!(
            "[[read_alternative]]\naccesses = [\"{access}\"]\npath = [{}]\nstages = [{stages}]\n",
            names.join(", ")
        ));
    }

    /// Ways as a file has them.
    fn names(&self, starts: &[usize]) -> String {
        let way = |start: &usize| {
            if *start >= self.caches.len() {
                return "[]".to_owned();
            }
            let names = self
                .chain(*start)
                .into_iter()
                .map(|at| format!("\"{}\"", self.caches[at].name));
            format!("[{}]", names.collect::<Vec<_>>().join(", "))
        };
        format!(
            "[{}]",
            starts.iter().map(way).collect::<Vec<_>>().join(", ")
        )
    }

    fn written(&self, seed: u64, base: &str) -> String {
        let mut text = format!("base = \"{base}\"\nname = \"own-{seed}\"\n");
        for cache in self.caches.iter().filter(|cache| !cache.says.is_empty()) {
            write!(text, "\n[[cache]]\nid = \"{}\"\n", cache.name).expect("a string");
            if let (true, Some(parent)) = (cache.is_new, cache.parent) {
                writeln!(text, "parent = \"{}\"", self.caches[parent].name).expect("a string");
            }
            for (index, (key, value)) in cache.says.iter().enumerate() {
                let is_last = cache.says[index + 1..]
                    .iter()
                    .all(|(other, _)| other != key);
                if is_last {
                    writeln!(text, "{key} = {value}").expect("a string");
                }
            }
        }
        for (table, rows) in [("path", &self.paths), ("metadata", &self.metadata)] {
            if rows.is_empty() {
                continue;
            }
            write!(text, "\n[{table}]\n").expect("a string");
            for (word, starts) in rows {
                writeln!(text, "{word} = {}", self.names(starts)).expect("a string");
            }
        }
        if !self.layouts.is_empty() {
            text.push_str("\n[layout]\n");
            for (layout, row) in &self.layouts {
                writeln!(text, "{layout} = {row}").expect("a string");
            }
        }
        if let Some(granularity) = self.granularity {
            write!(text, "\n[waiting]\ngranularity = \"{granularity}\"\n").expect("a string");
        }
        for rest in &self.rest {
            text.push('\n');
            text.push_str(rest);
        }
        text
    }
}

fn number(value: u64) -> String {
    format!("{{ v = {value}, tag = \"assumed\", source = \"a test\" }}")
}
