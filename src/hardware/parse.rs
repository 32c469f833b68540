//! Reading a profile from TOML, with every contradiction named in its place.

mod place;
mod ways;

pub use place::Problem;

use place::{At, Places};

use super::assumed::ASSUMED;
use super::{CACHES_MAX, Cache, Costs, Drain, Number, OPTIONAL_KEYS, Policy, Profile};
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::id::CacheId;
use crate::time::Ps;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A hardware profile. Every number has a unit in its name, a tag and a source.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// Name on the command line and in `device { profile … }`.
    name: String,
    /// Other names.
    #[serde(default)]
    aliases: Vec<String>,
    /// What it is, in a line.
    summary: String,
    /// Caches. None: every access goes to memory.
    #[serde(default)]
    cache: Vec<CacheRow>,
    /// For each access and client: the caches that it goes through, nearest first; memory is behind the last. Several
    /// paths: the machine takes the first, a lowering must think of all.
    path: BTreeMap<String, Vec<Vec<String>>>,
    /// For each layout its compression class on direct, compute and copy queues: `CF` compressed with fast clears, `C`
    /// compressed, `S` static, `U` plain, `X` undefined, `-` not legal there.
    layout: BTreeMap<String, [String; 3]>,
    /// The same for the metadata of compressed textures. A client without a row: the way of its texels.
    #[serde(default)]
    metadata: BTreeMap<String, Vec<Vec<String>>>,
    /// Ways that reads alone may take beside those of `[path]`.
    #[serde(default)]
    read_alternative: Vec<ReadAlternativeRow>,
    /// What the machine does otherwise for some textures.
    #[serde(default)]
    exception: Vec<ExceptionRow>,
    /// Operations between compression classes. Pairs without a row need no work.
    #[serde(default)]
    layout_op: Vec<LayoutOpRow>,
    /// What a wait waits for beyond the stages that are named.
    #[serde(default)]
    waiting: WaitingRow,
    /// Render passes, if the machine renders tile by tile.
    #[serde(default)]
    tile_pass: Option<TilePassRow>,
    /// For each stage what waiting for it is called and costs.
    drain: BTreeMap<String, DrainRow>,
    /// What the front end itself reads.
    front_end: FrontEndRow,
    /// Costs and rates.
    number: BTreeMap<String, NumberRow>,
}

/// A cache.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CacheRow {
    /// Name in paths and in `--set`.
    id: String,
    /// `write-back`, `write-through` or `read-only`.
    policy: String,
    /// Each client has one of its own; they are not coherent with each other.
    private: bool,
    /// Next level; none: memory.
    parent: Option<String>,
    /// The machine's name for writing it back; empty if it is never dirty.
    clean: String,
    /// The machine's name for dropping it.
    invalidate: String,
    /// Writing it back drops its lines as well.
    #[serde(default)]
    clean_drops: bool,
    /// Knows which bytes of a line are dirty.
    #[serde(default)]
    byte_masks: bool,
    /// Holds nothing from one command to the next.
    #[serde(default)]
    refreshed: bool,
    /// What it is.
    #[serde(default)]
    note: String,
    /// How many there are.
    instances: NumberRow,
    /// Bytes of one.
    size_bytes: NumberRow,
    /// Bytes of a line.
    line_bytes: NumberRow,
    /// Fixed part of a write-back.
    clean_ns: NumberRow,
    /// Time of an invalidate.
    invalidate_ns: NumberRow,
    /// Latency of a miss, to the next level.
    fill_ns: NumberRow,
    /// Bandwidth to the next level.
    bytes_per_s: NumberRow,
}

impl CacheRow {
    fn numbers(&self) -> [(&'static str, &NumberRow); 7] {
        [
            ("instances", &self.instances),
            ("size_bytes", &self.size_bytes),
            ("line_bytes", &self.line_bytes),
            ("clean_ns", &self.clean_ns),
            ("invalidate_ns", &self.invalidate_ns),
            ("fill_ns", &self.fill_ns),
            ("bytes_per_s", &self.bytes_per_s),
        ]
    }
}

/// An operation between compression classes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LayoutOpRow {
    /// The machine's name for it.
    name: String,
    /// Classes before.
    from: Vec<String>,
    /// Classes after.
    to: Vec<String>,
    /// `full`: reads and writes the surface; `metadata`: the metadata alone; `caches`: no texture, but what an earlier alias
    /// may have left in some caches, which are written back and dropped.
    touches: String,
    /// The caches, if it touches them.
    #[serde(default)]
    caches: Vec<String>,
    /// Metadata after it: `pass-through` stays true whoever writes the texels (the default), `resolved` does not.
    #[serde(default)]
    leaves: Option<String>,
    /// Formats that it is for: `depth` or `colour`; none: every one.
    #[serde(default)]
    format: Option<String>,
    /// Queue types that can run it: direct, compute, copy.
    queues: Vec<String>,
}

/// A way that reads alone may take: it goes through a cache that cannot be written through.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadAlternativeRow {
    /// Accesses that may take it.
    accesses: Vec<String>,
    /// Its caches, nearest first.
    path: Vec<String>,
    /// Stages at which the machine's reads take it; at others, it is a choice of the compiler that a lowering must think of.
    stages: Vec<String>,
}

/// What the machine does otherwise for some textures: those that meet every condition.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExceptionRow {
    /// Name.
    name: String,
    /// Where it comes from.
    source: String,
    /// `depth`, `stencil` or `colour`; none: every format.
    #[serde(default)]
    format: Option<String>,
    /// From so many samples on.
    #[serde(default)]
    samples_from: u32,
    /// From this mip level on.
    #[serde(default)]
    mips_from: u32,
    /// Rows in place of those of `[path]`.
    #[serde(default)]
    path: BTreeMap<String, Vec<Vec<String>>>,
    /// Rows in place of those of `[metadata]`.
    #[serde(default)]
    metadata: BTreeMap<String, Vec<Vec<String>>>,
    /// Rows in place of those of `[layout]`.
    #[serde(default)]
    layout: BTreeMap<String, [String; 3]>,
}

/// Render passes: attachments stay in tile memory as long as nothing but dependencies by region stands between draws.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TilePassRow {
    /// Stages between which a dependency is by region.
    stages: Vec<String>,
    /// Accesses to attachments.
    accesses: Vec<String>,
    /// The cache that stands for tile memory: written back, shared, with nothing behind it but memory.
    tile: String,
}

/// What a wait waits for beyond the stages that are named.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
struct WaitingRow {
    /// `stage`: nothing else; `queue`: everything on the queue, and everything later is held.
    #[serde(default)]
    granularity: Option<String>,
    /// A wait costs nothing if there was no work since the last one.
    #[serde(default)]
    idle_is_free: bool,
    /// Going from one engine to another costs its own time alone, not a wait as well.
    #[serde(default)]
    switch_waits_free: bool,
    /// A thread group keeps its place in a multiprocessor until it ends; otherwise all work shares evenly.
    #[serde(default)]
    groups_stay: bool,
    /// Caches that are dropped when a queue goes from one engine that runs shaders to another.
    #[serde(default)]
    switch_drops: Vec<String>,
    /// Stages of each engine of a queue: work of one engine never overlaps work of another there.
    #[serde(default)]
    engines: Vec<Vec<String>>,
}

/// What waiting for a stage is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DrainRow {
    /// The machine's name for it.
    op: String,
    /// Key of the number that it costs beyond the work.
    cost: String,
    /// The end of a list waits for the work alone.
    #[serde(default)]
    free_at_end: bool,
}

/// What the front end itself reads.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FrontEndRow {
    /// Accesses that it prefetches.
    readers: Vec<String>,
    /// What makes it wait.
    op: String,
}

/// A number with its origin.
#[derive(Deserialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
struct NumberRow {
    /// Value; the key's last word names the unit.
    v: u64,
    /// `measured`, `published` or `assumed`.
    tag: String,
    /// Where it comes from.
    source: String,
}

/// What is wrong with a value for a key, if anything.
pub(super) fn unusable_value(key: &str, value: u64) -> Option<String> {
    let last = key.rsplit('.').next().unwrap_or(key);
    let positive = last.ends_with("_bytes")
        || last.ends_with("_per_s")
        || matches!(
            last,
            "instances" | "in_flight" | "units" | "unit_threads" | "unit_groups"
        );
    let limit = match last {
        "line_bytes" | "covers_bytes" => 1 << 20,
        _ => 1 << 50,
    };
    if positive && value == 0 {
        Some(format!("`{key}` must be at least 1"))
    } else if value > limit {
        Some(format!("`{key}` must be at most {limit}"))
    } else {
        None
    }
}

/// What is collected while a file is read.
struct Reader<'t> {
    places: Places<'t>,
    problems: Vec<Problem>,
    numbers: IndexMap<String, Number>,
    caches: Vec<Cache>,
    /// Caches whose parent is none of the profile: what follows from that is not said again.
    orphans: Vec<CacheId>,
}

pub(super) fn schema() -> serde_json::Value {
    serde_json::to_value(schemars::schema_for!(File)).unwrap_or_default()
}

pub(super) fn profile(text: &str) -> Result<Profile, Vec<Problem>> {
    let file: File = toml::from_str(text).map_err(|error| vec![Problem::of(&error)])?;
    let mut reader = Reader {
        places: Places::of(text),
        problems: Vec::new(),
        numbers: IndexMap::new(),
        caches: Vec::new(),
        orphans: Vec::new(),
    };
    for (key, row) in &file.number {
        reader.number(&At::of("number").to(key), key.clone(), row);
    }
    for (key, value, source) in ASSUMED {
        let number = || Number {
            value,
            tag: "assumed".into(),
            source: source.into(),
        };
        reader.numbers.entry(key.into()).or_insert_with(number);
    }
    if file.name.trim().is_empty() {
        reader.problem(&At::of("name"), "name: a profile needs one".into());
    }
    for key in file.number.keys() {
        let is_drain = file.drain.values().any(|drain| drain.cost == *key);
        let is_known = Costs::KEYS
            .iter()
            .chain(&OPTIONAL_KEYS)
            .any(|known| known == key);
        if !is_drain && !is_known {
            reader.problem(
                &At::of("number").key(key),
                format!("[number] `{key}`: nothing in the machine has this number"),
            );
        }
    }
    for key in Costs::KEYS {
        if !reader.numbers.contains_key(*key) {
            reader.problem(&At::of("number"), format!("[number] lacks `{key}`"));
        }
    }
    reader.caches(&file.cache);
    let mut paths = Vec::new();
    let mut base = reader.tables(&file, &mut paths);
    let taken = reader.alternatives(&file.read_alternative, &mut base, &mut paths);
    let exceptions = reader.exceptions(&file.exception);
    let tables = reader.variants(&file.exception, &base, &mut paths);
    let layout_ops = reader.layout_ops(&file);
    let tile_pass = file
        .tile_pass
        .as_ref()
        .and_then(|row| reader.tile_pass(row, &mut paths));
    let drains = reader.drains(&file);
    let engines = reader.engines(&file.waiting.engines);
    let mut switch_drops = Vec::new();
    for (index, name) in file.waiting.switch_drops.iter().enumerate() {
        let at = At::of("waiting").to("switch_drops").to(index);
        match reader.known(&at, "[waiting] switch_drops", name) {
            Some(id) if reader.caches[id.index()].policy == Policy::WriteBack => reader.problem(
                &at,
                format!("[waiting] switch_drops: `{name}` may hold what nobody else has"),
            ),
            Some(id) => switch_drops.push(id),
            None => {}
        }
    }
    let drains_queue = match file.waiting.granularity.as_deref() {
        None | Some("stage") => false,
        Some("queue") => true,
        Some(other) => {
            reader.problem(
                &At::of("waiting").to("granularity"),
                format!("[waiting]: granularity `{other}` is none of stage, queue"),
            );
            false
        }
    };
    let mut front_end_readers = BarrierAccess::empty();
    for (index, name) in file.front_end.readers.iter().enumerate() {
        match BarrierAccess::parse_one(name) {
            Some(access) => front_end_readers |= access,
            None => reader.problem(
                &At::of("front_end").to("readers").to(index),
                format!("[front_end]: `{name}` is no access"),
            ),
        }
    }
    if !reader.problems.is_empty() {
        return Err(place::in_order(reader.problems));
    }
    let mut profile = Profile {
        name: file.name,
        aliases: file.aliases,
        summary: file.summary,
        caches: reader.caches,
        layout_ops,
        front_end_readers,
        front_end_op: file.front_end.op,
        drains_queue,
        idle_drains_free: file.waiting.idle_is_free,
        engines,
        switch_waits_free: file.waiting.switch_waits_free,
        groups_stay: file.waiting.groups_stay,
        switch_drops,
        costs: Costs::default(),
        tile_pass,
        exceptions,
        taken,
        paths,
        compresses: tables.iter().any(ways::Tables::compress),
        tables,
        drains,
        numbers: reader.numbers,
    };
    profile.derive();
    Ok(profile)
}

impl Reader<'_> {
    fn problem(&mut self, at: &At, message: String) {
        let start = self.places.start(at);
        self.problems.push(Problem { start, message });
    }

    fn number(&mut self, at: &At, key: String, row: &NumberRow) {
        if !matches!(row.tag.as_str(), "measured" | "published" | "assumed") {
            let tag = &row.tag;
            self.problem(
                &at.to("tag"),
                format!("{key}: tag `{tag}` is none of measured, published, assumed"),
            );
        }
        if row.source.trim().is_empty() {
            self.problem(&at.to("source"), format!("{key}: a number needs a source"));
        }
        if let Some(message) = unusable_value(&key, row.v) {
            self.problem(&at.to("v"), message);
        }
        let number = Number {
            value: row.v,
            tag: row.tag.clone(),
            source: row.source.clone(),
        };
        self.numbers.insert(key, number);
    }

    fn find(&self, name: &str) -> Option<CacheId> {
        self.caches
            .iter()
            .position(|c| c.name == name)
            .map(CacheId::new)
    }

    /// A cache that the profile should have.
    fn known(&mut self, at: &At, place: &str, name: &str) -> Option<CacheId> {
        let found = self.find(name);
        if found.is_none() {
            let names: Vec<_> = self.caches.iter().map(|c| c.name.as_str()).collect();
            let are = if names.is_empty() {
                "it has none".to_owned()
            } else {
                format!("they are {}", names.join(", "))
            };
            self.problem(
                at,
                format!("{place}: `{name}` is no cache of the profile: {are}"),
            );
        }
        found
    }

    fn caches(&mut self, rows: &[CacheRow]) {
        if rows.len() > CACHES_MAX {
            let count = rows.len();
            self.problem(
                &At::of("cache").to(CACHES_MAX),
                format!("{count} caches: at most {CACHES_MAX} are possible"),
            );
        }
        for (index, row) in rows.iter().enumerate().take(CACHES_MAX) {
            let at = At::of("cache").to(index);
            let place = format!("cache {}", row.id);
            for (key, number) in row.numbers() {
                self.number(&at.to(key), format!("{}.{key}", row.id), number);
            }
            let policy = match row.policy.as_str() {
                "write-back" => Policy::WriteBack,
                "write-through" => Policy::WriteThrough,
                "read-only" => Policy::ReadOnly,
                other => {
                    self.problem(
                        &at.to("policy"),
                        format!(
                            "{place}: policy `{other}` is none of write-back, write-through, read-only"
                        ),
                    );
                    Policy::WriteThrough
                }
            };
            let (size, line) = (row.size_bytes.v, row.line_bytes.v);
            if size < line {
                self.problem(
                    &at.to("size_bytes"),
                    format!("{place}: size_bytes {size} holds no line of line_bytes {line}"),
                );
            }
            if policy == Policy::WriteBack && row.clean.is_empty() {
                self.problem(
                    &at.to("clean"),
                    format!("{place}: a write-back cache needs a `clean` operation"),
                );
            }
            if row.refreshed && policy == Policy::WriteBack {
                self.problem(
                    &at.to("refreshed"),
                    format!(
                        "{place}: a write-back cache keeps what it was given and cannot be `refreshed`"
                    ),
                );
            }
            if self.find(&row.id).is_some() {
                self.problem(&at.to("id"), format!("{place}: declared twice"));
            }
            self.caches.push(Cache {
                name: row.id.clone(),
                policy,
                private: row.private,
                parent: None,
                clean_op: row.clean.clone(),
                invalidate_op: row.invalidate.clone(),
                clean_drops: row.clean_drops,
                byte_masks: row.byte_masks,
                refreshed: row.refreshed,
                note: row.note.clone(),
                capacity_bytes: 0,
                line_bytes: 0,
                clean: Ps::ZERO,
                invalidate: Ps::ZERO,
                fill: Ps::ZERO,
                bytes_per_s: 0,
            });
        }
        for (index, row) in rows.iter().enumerate().take(CACHES_MAX) {
            let Some(parent) = &row.parent else { continue };
            let at = At::of("cache").to(index).to("parent");
            let found = self.known(&at, &format!("cache {}: parent", row.id), parent);
            if found.is_none() {
                self.orphans.push(CacheId::new(index));
            }
            self.caches[index].parent = found;
        }
        for index in 0..self.caches.len() {
            let mut at = self.caches[index].parent;
            for _ in 0..self.caches.len() {
                at = at.and_then(|id| self.caches[id.index()].parent);
            }
            if at.is_some() {
                let message = format!(
                    "cache {}: its parents form a cycle",
                    self.caches[index].name
                );
                self.problem(&At::of("cache").to(index).to("parent"), message);
            }
        }
    }

    fn engines(&mut self, rows: &[Vec<String>]) -> Vec<LeafSet> {
        let mut engines: Vec<LeafSet> = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let at = At::of("waiting").to("engines").to(index);
            let engine = self.stages(&at, "[waiting] engines", row);
            for leaf in engine.iter().filter(|l| engines.iter().any(|e| e.has(*l))) {
                let word = leaf.name();
                self.problem(&at, format!("[waiting] engines: `{word}` stands twice"));
            }
            engines.push(engine);
        }
        engines
    }

    /// Stages by name.
    fn stages(&mut self, at: &At, place: &str, words: &[String]) -> LeafSet {
        let mut stages = LeafSet::EMPTY;
        for (index, word) in words.iter().enumerate() {
            let at = at.to(index);
            let Some(leaf) = Leaf::ALL.iter().find(|leaf| leaf.name() == word) else {
                self.problem(&at, format!("{place}: `{word}` is no stage"));
                continue;
            };
            if stages.has(*leaf) {
                self.problem(&at, format!("{place}: `{word}` stands twice"));
            }
            stages = stages.union((*leaf).into());
        }
        stages
    }

    fn drains(&mut self, file: &File) -> Vec<Drain> {
        let mut drains = Vec::new();
        let table = At::of("drain");
        for leaf in Leaf::ALL {
            let name = leaf.name();
            let Some(row) = file.drain.get(name) else {
                self.problem(&table, format!("[drain] lacks `{name}`"));
                continue;
            };
            if !self.numbers.contains_key(&row.cost) {
                self.problem(
                    &table.to(name).to("cost"),
                    format!("drain {name}: there is no number `{}`", row.cost),
                );
            }
            drains.push(Drain {
                op: row.op.clone(),
                key: row.cost.clone(),
                cost: Ps::ZERO,
                free_at_end: row.free_at_end,
            });
        }
        for key in file
            .drain
            .keys()
            .filter(|k| Leaf::ALL.iter().all(|l| l.name() != *k))
        {
            self.problem(&table.key(key), format!("[drain]: `{key}` is no stage"));
        }
        drains
    }
}

#[cfg(test)]
mod tests {
    use super::{CACHES_MAX, Problem, profile};

    const RDNA: &str = include_str!("profiles/rdna.toml");

    fn all(problems: Vec<Problem>) -> String {
        let messages: Vec<_> = problems.into_iter().map(|p| p.message).collect();
        messages.join("\n")
    }

    fn problem_of(from: &str, to: &str) -> String {
        assert!(RDNA.contains(from), "the profile has `{from}`");
        all(profile(&RDNA.replacen(from, to, 1)).expect_err("a contradiction"))
    }

    #[test]
    fn contradictions_are_named_with_their_place() {
        for (from, to, message) in [
            (
                "parent = \"GL1\"",
                "parent = \"GL9\"",
                "cache L0V: parent: `GL9`",
            ),
            (
                "parent = \"GL1\"",
                "parent = \"L0V\"",
                "cache L0V: its parents form a cycle",
            ),
            (
                "RENDER_TARGET = [[\"CB\", \"L2\"]]",
                "",
                "[path] lacks `RENDER_TARGET`",
            ),
            (
                "STREAM_OUTPUT = [[\"L2\"]]",
                "STREAM_OUTPUT = [[\"L2\"], [\"K\", \"GL1\", \"L2\"]]",
                "path STREAM_OUTPUT: a write cannot go through a read-only cache",
            ),
            (
                "STREAM_OUTPUT = [[\"L2\"]]",
                "STREAM_OUTPUT = [[\"L3\"]]",
                "path STREAM_OUTPUT: `L3` is no cache",
            ),
            (
                "STREAM_OUTPUT = [[\"L2\"]]",
                "STREAM_OUTPUT = [[\"CB\"]]",
                "ends before `L2`",
            ),
            (
                "\"fixed.eop_wait_ns\" =",
                "\"fixed.other_ns\" =",
                "[number] lacks `fixed.eop_wait_ns`",
            ),
            ("tag = \"assumed\"", "tag = \"guessed\"", "tag `guessed`"),
            (
                "GENERIC_READ = [\"C\"",
                "GENERIC_READ = [\"Q\"",
                "class `Q`",
            ),
            (
                "private = true",
                "private = maybe",
                "string values must be quoted",
            ),
            (
                "RENDER_TARGET = [[\"CBM\", \"L2\"]]",
                "RENDER_TARGET = [[\"CBM\"]]",
                "metadata RENDER_TARGET: ends before `L2`",
            ),
            (
                "samples_from = 2",
                "format = \"hdr\"",
                "format `hdr` is none of depth, stencil, colour",
            ),
            (
                "stages = [\"VERTEX_SHADING\"",
                "stages = [\"SHADING\"",
                "`SHADING` is no stage",
            ),
        ] {
            let problem = problem_of(from, to);
            assert!(problem.contains(message), "{problem:?} says {message:?}");
        }
    }

    /// Each problem stands where the text that is wrong begins: a value, a key, or the table that lacks something.
    #[test]
    fn contradictions_stand_in_their_places() {
        for (from, to, wrong) in [
            ("parent = \"GL1\"", "parent = \"GL9\"", "\"GL9\""),
            ("RENDER_TARGET = [[\"CB\", \"L2\"]]", "", "[path]"),
            (
                "STREAM_OUTPUT = [[\"L2\"]]",
                "STREAM_OUTPUT = [[\"L3\"]]",
                "\"L3\"",
            ),
            ("GENERIC_READ = [\"C\"", "GENERIC_READ = [\"Q\"", "\"Q\""),
            ("tag = \"assumed\"", "tag = \"guessed\"", "\"guessed\""),
            (
                "\"fixed.eop_wait_ns\" =",
                "\"fixed.other_ns\" =",
                "\"fixed.other_ns\"",
            ),
            (
                "stages = [\"VERTEX_SHADING\"",
                "stages = [\"SHADING\"",
                "\"SHADING\"",
            ),
            ("samples_from = 2", "format = \"hdr\"", "\"hdr\""),
            ("private = true", "private = maybe", "maybe"),
            ("private = true", "privat = true", "privat ="),
        ] {
            assert!(RDNA.contains(from), "the profile has `{from}`");
            let text = RDNA.replacen(from, to, 1);
            let problems = profile(&text).expect_err("a contradiction");
            let starts: Vec<_> = problems.iter().map(|p| p.start).collect();
            let place = text.find(wrong);
            assert!(
                place.is_some() && starts.contains(&place),
                "{wrong}: {place:?} in {problems:#?}"
            );
        }
    }

    /// A row beyond the limit is refused, and nothing of it is looked at.
    #[test]
    fn too_many_caches_are_refused_at_the_first_that_is_too_many() {
        let start = RDNA.find("[[cache]]").expect("caches");
        let end = start + RDNA[start + 1..].find("[[cache]]").expect("another cache") + 1;
        let row = &RDNA[start..end];
        assert!(row.contains("parent = "));
        let rows: String = (0..=CACHES_MAX)
            .map(|n| row.replacen("id = \"L0V\"", &format!("id = \"C{n}\""), 1))
            .collect();
        let text = format!("{}{rows}{}", &RDNA[..start], &RDNA[start..]);
        let problems = profile(&text).expect_err("too many");
        let first = problems.iter().find(|p| p.message.contains("at most"));
        let too_many = text.match_indices("[[cache]]").nth(CACHES_MAX);
        let place = first.and_then(|p| p.start);
        assert_eq!(place, too_many.map(|(at, _)| at), "{first:?}");
    }

    #[test]
    fn contradictions_of_tile_passes_are_named() {
        let tiler = include_str!("profiles/tiler.toml");
        profile(tiler).expect("the profile is sound");
        for (from, to, message) in [
            (
                "tile = \"GMEM\"",
                "tile = \"TP\"",
                "tile memory is a shared",
            ),
            ("tile = \"GMEM\"", "tile = \"L9\"", "`L9` is no cache"),
            (
                "caches = [\"CCUC\", \"CCUD\"]",
                "caches = []",
                "it touches caches and names none",
            ),
            (
                "touches = \"caches\"",
                "touches = \"full\"",
                "it names caches and does not touch them",
            ),
        ] {
            assert!(tiler.contains(from), "the profile has `{from}`");
            let problems = profile(&tiler.replacen(from, to, 1)).expect_err("a contradiction");
            let problem = all(problems);
            assert!(problem.contains(message), "{problem:?} says {message:?}");
        }
    }

    #[test]
    fn numbers_can_be_set_and_near_keys_are_named() {
        let mut rdna = profile(RDNA).expect("the profile is sound");
        rdna.set("L2.line_bytes", "64")
            .expect("a number of the profile");
        let l2 = rdna.cache_named("L2").expect("a cache of the profile");
        assert_eq!(rdna.cache(l2).line_bytes, 64);
        rdna.set("fixed.eop_wait_ns", "500")
            .expect("a number of the profile");
        assert_eq!(rdna.costs.eop_wait.0, 500_000);
        for (key, value, message) in [
            ("L2.lines", "64", "L2.line_bytes"),
            ("eop_wait_ns", "64", "fixed.eop_wait_ns"),
            ("L2.line_bytes", "x", "whole number"),
            ("L2.line_bytes", "0", "at least 1"),
        ] {
            let problem = rdna.set(key, value).expect_err("unusable");
            assert!(problem.contains(message), "{problem:?} says {message:?}");
        }
    }
}
