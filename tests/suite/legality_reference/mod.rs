//! A second opinion on legality that follows state: the program against a slow reference, over random scenes.
//!
//! The reference keeps one record for every subresource and walks every execution of every list. It is written only from
//! the readings (R12, R13, R22–R28, R34, R47, R54, R60) and knows nothing of `validate/state`. The law: both report the same
//! rules on the same entries. A failing scene is shrunk and printed as scenario text; what it shows is kept in
//! `scenarios/legality/`.
//!
//! Not compared: a resource on which a half of a split, or a barrier that names one layout twice, races with other
//! barriers on two queues. The readings do not say which comes first, and a wrong one would be a transition.
//!
//! Longer than other files: a reference is read in one piece, next to the readings that it is written from.

pub(crate) mod scenes;

use crate::sizes;
use scenes::*;
use std::collections::{BTreeMap, BTreeSet};
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::scenario;
use syncscope::validate::{self, RuleSet};

/// Rule and line.
type Verdicts = BTreeSet<(&'static str, u32)>;

const JUDGED: [&str; 13] = [
    "EB026", "EB027", "EB028", "EB029", "EB030", "EB031", "EB032", "EB033", "EB034", "EB035",
    "EB049", "EB050", "EB051",
];

/// Reading R54, for the commands of scenes: what a compute list does not have. A direct list has them all.
const NOT_ON_COMPUTE: [&str; 3] = ["draw", "execute-indirect draw", "clear-rtv"];

/// Enhanced Barriers specification, "Command Queue Access Compatibility", for the accesses of scenes: what a compute queue
/// does not have. A direct queue has them all.
const NO_ACCESS_ON_COMPUTE: [&str; 3] = ["INDEX_BUFFER", "RENDER_TARGET", "STREAM_OUTPUT"];

/// Reading R60.
const OF_BUFFERS: [&str; 5] = [
    "VERTEX_BUFFER",
    "INDEX_BUFFER",
    "CONSTANT_BUFFER",
    "STREAM_OUTPUT",
    "INDIRECT_ARGUMENT",
];

/// One leaf stage, or `NONE`, or `SPLIT`.
type Stages = BTreeSet<&'static str>;

/// Enhanced Barriers specification, "Umbrella Synchronization Scopes", "Command Queue Sync Compatibility"; readings R07, R13.
fn stages(sync: &[&'static str], kind: Kind) -> Stages {
    const SHADING: [&str; 4] = [
        "VERTEX_SHADING",
        "PIXEL_SHADING",
        "COMPUTE_SHADING",
        "RAYTRACING",
    ];
    const DRAW: [&str; 5] = [
        "INDEX_INPUT",
        "VERTEX_SHADING",
        "PIXEL_SHADING",
        "DEPTH_STENCIL",
        "RENDER_TARGET",
    ];
    const OTHER: [&str; 8] = [
        "COPY",
        "RESOLVE",
        "EXECUTE_INDIRECT",
        "PREDICATION",
        "CLEAR_UNORDERED_ACCESS_VIEW",
        "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
        "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
        "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
    ];
    const ONLY_DIRECT: [&str; 7] = [
        "INDEX_INPUT",
        "VERTEX_SHADING",
        "PIXEL_SHADING",
        "DEPTH_STENCIL",
        "RENDER_TARGET",
        "RESOLVE",
        "PREDICATION",
    ];
    let mut all = Stages::new();
    for word in sync {
        match *word {
            "ALL" => all.extend(SHADING.into_iter().chain(DRAW).chain(OTHER)),
            "DRAW" => all.extend(DRAW),
            "ALL_SHADING" => all.extend(SHADING),
            "NON_PIXEL_SHADING" => {
                all.extend(SHADING.into_iter().filter(|s| *s != "PIXEL_SHADING"));
            }
            leaf => {
                all.insert(leaf);
            }
        }
    }
    if kind == Kind::Compute {
        all.retain(|leaf| !ONLY_DIRECT.contains(leaf));
    }
    all
}

/// Where an entry was executed: scope, then position within it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct At {
    scope: usize,
    position: usize,
}

/// An executed entry.
#[derive(Clone, Debug)]
struct Done {
    at: At,
    line: u32,
    entry: Entry,
}

impl Done {
    fn is_begin(&self) -> bool {
        self.entry.sync[1] == ["SPLIT"]
    }

    fn is_end(&self) -> bool {
        self.entry.sync[0] == ["SPLIT"]
    }

    /// Reading R25: with both layouts UNDEFINED the layout stays.
    fn memory_only(&self) -> bool {
        self.entry.layout == ["UNDEFINED"; 2]
    }

    fn transitions(&self) -> bool {
        self.entry.layout[0] != self.entry.layout[1]
    }

    fn subresources(&self) -> Vec<u32> {
        let id = self.entry.resource.expect("not asked of global entries");
        self.entry.range.subresources(&RESOURCES[id])
    }

    /// Enhanced Barriers specification, "Split Barriers": half of a pair that does nothing across calls.
    fn does_nothing_across_calls(&self) -> bool {
        let resource = &RESOURCES[self.entry.resource.expect("not asked of global entries")];
        resource.is_buffer() || resource.simultaneous || self.entry.layout == ["COMMON"; 2]
    }
}

/// What is known of one subresource.
#[derive(Clone, Default)]
struct Record {
    /// Every barrier that names layouts, in the order of the walk.
    layouts: Vec<Done>,
    /// Open begins of splits: the one that counts, and those that it intervened in.
    open: Vec<Done>,
    /// Between halves whose end did not reach here: the layout is neither.
    lost: bool,
    /// This and below: within the scope. Reading R34: COMMON at its start.
    known: BTreeSet<&'static str>,
    /// `SyncAfter` of the latest barrier.
    after: Option<Vec<&'static str>>,
    used: bool,
    /// Uses before the first barrier of a list that never executes.
    blended: BTreeSet<&'static str>,
}

/// Enhanced Barriers specification, "Layout Access Compatibility", for what scenes use.
fn allows(layout: &str, access: &str) -> bool {
    let layouts: &[&str] = match access {
        "SHADER_RESOURCE" => &[
            "COMMON",
            "SHADER_RESOURCE",
            "GENERIC_READ",
            "DIRECT_QUEUE_COMMON",
        ],
        "RENDER_TARGET" => &["RENDER_TARGET"],
        "UNORDERED_ACCESS" => &["UNORDERED_ACCESS", "DIRECT_QUEUE_COMMON"],
        other => panic!("{other} is no access of a texture in these scenes"),
    };
    layouts.contains(&layout)
}

struct Reference<'a> {
    scene: &'a Scene,
    /// Line of every entry, by list, command and index; of a use with the index 0.
    lines: BTreeMap<(usize, usize, usize), u32>,
    /// `before[a][b]`: scope `a` happens before scope `b`.
    before: Vec<Vec<bool>>,
    kinds: Vec<Kind>,
    /// Scopes that are lists which never execute.
    recorded: BTreeSet<usize>,
    records: BTreeMap<(usize, u32), Record>,
    /// Begins with a mark if some end has ended them, at least in part.
    begins: BTreeMap<At, (Done, bool)>,
    /// What ends of begins that name fewer subresources left over.
    left_over: BTreeMap<At, (Done, usize, BTreeSet<u32>)>,
    /// What a begin intervened in.
    under: BTreeMap<At, Vec<Done>>,
    /// `AccessBefore` mistakes of begins: they count only if the pair ends in the scope (reading R27).
    withheld: BTreeSet<At>,
    verdicts: Verdicts,
}

/// Calls in an order that respects queues and fences, with what happens before what; `None` if waits form a cycle.
fn scopes(scene: &Scene) -> Option<(Vec<(Kind, Vec<usize>)>, Vec<Vec<bool>>)> {
    let steps = &scene.steps;
    let n = steps.len();
    let queue = |i: usize| match &steps[i] {
        Step::Execute(q, _) | Step::Signal(q, _) | Step::Wait(q, _) => *q,
    };
    let mut path = vec![vec![false; n]; n];
    for a in 0..n {
        for b in 0..n {
            path[a][b] = (a < b && queue(a) == queue(b))
                || matches!((&steps[a], &steps[b]), (Step::Signal(_, f), Step::Wait(_, g)) if f == g);
        }
    }
    for mid in 0..n {
        for a in 0..n {
            for b in 0..n {
                path[a][b] |= path[a][mid] && path[mid][b];
            }
        }
    }
    let waited = |f: &usize| {
        steps
            .iter()
            .any(|s| matches!(s, Step::Signal(_, g) if f == g))
    };
    let stuck = steps
        .iter()
        .any(|s| matches!(s, Step::Wait(_, f) if !waited(f)));
    if stuck || (0..n).any(|i| path[i][i]) {
        return None;
    }
    let mut order: Vec<usize> = (0..n)
        .filter(|i| matches!(steps[*i], Step::Execute(..)))
        .collect();
    // The count of predecessors grows along every path.
    order.sort_by_key(|i| ((0..n).filter(|p| path[*p][*i]).count(), *i));
    let before = order
        .iter()
        .map(|a| order.iter().map(|b| path[*a][*b]).collect())
        .collect();
    let calls = order
        .iter()
        .map(|i| match &steps[*i] {
            Step::Execute(queue, lists) => (QUEUES[*queue].1, lists.clone()),
            _ => unreachable!("filtered"),
        })
        .collect();
    Some((calls, before))
}

impl<'a> Reference<'a> {
    /// The verdicts, and the lines that are not compared. `None` if the timeline deadlocks.
    fn judge(scene: &'a Scene) -> Option<(Verdicts, BTreeSet<u32>)> {
        let (mut calls, mut before) = scopes(scene)?;
        let executed: BTreeSet<usize> = calls.iter().flat_map(|(_, l)| l.clone()).collect();
        let mut recorded = BTreeSet::new();
        for (l, list) in scene.lists.iter().enumerate() {
            if !executed.contains(&l) {
                recorded.insert(calls.len());
                calls.push((list.kind, vec![l]));
                for row in &mut before {
                    row.push(false);
                }
                before.push(vec![false; calls.len()]);
            }
        }
        let mut this = Self {
            scene,
            lines: lines(scene),
            before,
            kinds: calls.iter().map(|(kind, _)| *kind).collect(),
            recorded,
            records: BTreeMap::new(),
            begins: BTreeMap::new(),
            left_over: BTreeMap::new(),
            under: BTreeMap::new(),
            withheld: BTreeSet::new(),
            verdicts: Verdicts::new(),
        };
        let all = this.unroll(&calls);
        for (scope, (_, lists)) in calls.iter().enumerate() {
            this.scope(scope, lists, &all);
        }
        this.close();
        let vague = this.vague(&all);
        Some((this.verdicts, vague))
    }

    /// Every executed entry on a resource, in order.
    fn unroll(&self, calls: &[(Kind, Vec<usize>)]) -> Vec<Done> {
        let mut all = vec![];
        for (scope, (_, lists)) in calls.iter().enumerate() {
            let mut position = 0;
            for l in lists {
                for (c, command) in self.scene.lists[*l].commands.iter().enumerate() {
                    let Command::Barrier(entries) = command else {
                        position += 1;
                        continue;
                    };
                    for (e, entry) in entries.iter().enumerate() {
                        position += 1;
                        all.push(Done {
                            at: At { scope, position },
                            line: self.lines[&(*l, c, e)],
                            entry: entry.clone(),
                        });
                    }
                }
            }
        }
        all.retain(|done| done.entry.resource.is_some());
        all
    }

    fn ordered(&self, a: At, b: At) -> bool {
        a.scope == b.scope && a.position < b.position || self.before[a.scope][b.scope]
    }

    fn unordered(&self, a: &Done, b: &Done) -> bool {
        let executed = |d: &Done| !self.recorded.contains(&d.at.scope);
        executed(a)
            && executed(b)
            && a.at != b.at
            && !self.ordered(a.at, b.at)
            && !self.ordered(b.at, a.at)
    }

    fn overlap(a: &Done, b: &Done) -> bool {
        a.entry.resource == b.entry.resource
            && a.subresources()
                .iter()
                .any(|s| b.subresources().contains(s))
    }

    /// Lines of entries on a resource where a half of a split and another barrier are not ordered, or a barrier that
    /// names one layout twice and a transition, or any other barrier if that layout is wrong.
    fn vague(&self, all: &[Done]) -> BTreeSet<u32> {
        let mut resources = BTreeSet::new();
        for one in all {
            for other in all
                .iter()
                .filter(|o| Self::overlap(one, o) && self.unordered(one, o))
            {
                let half = one.is_begin() || one.is_end();
                let names = !one.transitions() && !one.memory_only();
                let wrong = self.verdicts.contains(&("EB026", one.line));
                if half || names && (wrong || other.transitions()) {
                    resources.insert(one.entry.resource);
                }
            }
        }
        let entries = all.iter();
        let entries = entries.filter(|d| resources.contains(&d.entry.resource));
        let uses = (self.scene.lists.iter().enumerate()).flat_map(|(l, list)| {
            let commands = list.commands.iter().enumerate();
            commands.filter_map(move |(c, command)| match command {
                Command::Use(used) => Some((l, c, used)),
                Command::Barrier(_) => None,
            })
        });
        let uses = uses.filter(|(.., used)| resources.contains(&Some(used.resource)));
        let lines = uses.map(|(l, c, _)| self.lines[&(l, c, 0)]);
        entries.map(|d| d.line).chain(lines).collect()
    }

    fn record(&mut self, id: usize, subresource: u32) -> &mut Record {
        self.records.entry((id, subresource)).or_default()
    }

    /// One call. Reading R22: access, sync and use are forgotten, layout and open splits of textures are not.
    fn scope(&mut self, scope: usize, lists: &[usize], all: &[Done]) {
        if self.recorded.contains(&scope) {
            // Each list is recorded by itself.
            self.records.clear();
        }
        for (id, resource) in RESOURCES.iter().enumerate() {
            for s in Range::Everything.subresources(resource) {
                let record = self.record(id, s);
                record.known = ["COMMON"].into();
                record.after = None;
                record.used = false;
                // Enhanced Barriers specification, "Split Barriers": such a half is unused once its call has ended.
                record.open.retain(|open| !open.does_nothing_across_calls());
            }
        }
        let mut position = 0;
        for l in lists {
            let commands = &self.scene.lists[*l].commands;
            for (c, command) in commands.iter().enumerate() {
                match command {
                    Command::Use(used) => {
                        position += 1;
                        let at = At { scope, position };
                        self.used(used, at, self.lines[&(*l, c, 0)], all);
                    }
                    Command::Barrier(entries) => {
                        for (e, entry) in entries.iter().enumerate() {
                            position += 1;
                            let done = Done {
                                at: At { scope, position },
                                line: self.lines[&(*l, c, e)],
                                entry: entry.clone(),
                            };
                            self.of_buffers(&done);
                            match entry.resource {
                                None => self.global(entry),
                                Some(_) if done.is_end() => self.end(&done),
                                Some(_) => self.plain(&done, all),
                            }
                        }
                    }
                }
            }
        }
    }

    /// A command with one use: readings R54, R60. What is wrong with it by itself changes nothing else.
    fn used(&mut self, used: &Use, at: At, line: u32, all: &[Done]) {
        let compute = self.kinds[at.scope] == Kind::Compute;
        let resource = &RESOURCES[used.resource];
        if compute && NOT_ON_COMPUTE.contains(&used.word) {
            self.verdicts.insert(("EB049", line));
        }
        if compute && NO_ACCESS_ON_COMPUTE.contains(&used.access) {
            self.verdicts.insert(("EB050", line));
        }
        let of_buffers = !resource.is_buffer() && OF_BUFFERS.contains(&used.access);
        if of_buffers {
            self.verdicts.insert(("EB051", line));
        }
        let subresources = used.range.subresources(resource);
        if compute && used.access == "DISCARD" {
            // As a barrier that names a layout would find it.
            let looks = Done {
                at,
                line,
                entry: Entry {
                    resource: Some(used.resource),
                    range: used.range,
                    sync: [vec![], vec![]],
                    access: [vec![], vec![]],
                    layout: ["COMMON"; 2],
                },
            };
            for s in &subresources {
                self.record(used.resource, *s);
                let layout = self.layout(used.resource, *s, &looks, all);
                let between = !self.records[&(used.resource, *s)].open.is_empty();
                if !between && layout.is_some_and(|l| !allows(l, "UNORDERED_ACCESS")) {
                    self.verdicts.insert(("EB049", line));
                }
            }
        }
        for s in subresources {
            let record = self.record(used.resource, s);
            record.used = true;
            let says = !resource.is_buffer() && !of_buffers && used.access != "DISCARD";
            if says && record.after.is_none() {
                record.blended.insert(used.access);
            }
        }
    }

    /// Reading R34: it adds its access, leaves COMMON as it is; readings R24, R34: it activates nothing.
    fn global(&mut self, entry: &Entry) {
        for record in self.records.values_mut() {
            let stays = record.known.contains("COMMON") || record.known.contains("NO_ACCESS");
            if stays || entry.access[1] == ["NO_ACCESS"] {
                continue;
            }
            record.known.extend(&entry.access[1]);
            if record.known.contains("COMMON") {
                record.known = ["COMMON"].into();
            }
        }
    }

    /// Reading R60.
    fn of_buffers(&mut self, done: &Done) {
        let texture = (done.entry.resource).is_some_and(|id| !RESOURCES[id].is_buffer());
        let mut accesses = done.entry.access.iter().flatten();
        if texture && accesses.any(|a| OF_BUFFERS.contains(a)) {
            self.say("EB051", done);
        }
    }

    fn say(&mut self, rule: &'static str, done: &Done) {
        self.verdicts.insert((rule, done.line));
    }

    /// The second half of a split: reading R27.
    fn end(&mut self, done: &Done) {
        let id = done.entry.resource.expect("a resource");
        // A list that never executes may end what another began, unless it has named the subresources itself.
        let unknown = self.recorded.contains(&done.at.scope)
            && (done.subresources().into_iter()).all(|s| self.record(id, s).after.is_none());
        let begun = self.open(done);
        let same_scope = |begin: &Done| begin.at.scope == done.at.scope;
        let agrees = |begin: &Done| {
            begin.entry.layout == done.entry.layout
                && (!same_scope(begin) || begin.entry.access == done.entry.access)
                && begin.subresources() == done.subresources()
        };
        // Reading R72: what a half that names fewer leaves over may be ended by further ones, which is the same mistake.
        let same = |begin: &Done| {
            begin.entry.layout == done.entry.layout
                && (!same_scope(begin) || begin.entry.access == done.entry.access)
        };
        let named: BTreeSet<u32> = done.subresources().into_iter().collect();
        for begin in begun.values().filter(|begin| same(begin)) {
            let all: BTreeSet<u32> = begin.subresources().into_iter().collect();
            if named.is_subset(&all) && named != all {
                let left = all.difference(&named).copied().collect();
                let scope = done.at.scope;
                self.left_over
                    .insert(begin.at, (begin.clone(), scope, left));
            }
        }
        let mut continues = false;
        if begun.is_empty() && !unknown {
            for (begin, scope, left) in self.left_over.values_mut() {
                let of_it = *scope == done.at.scope
                    && begin.entry.resource == done.entry.resource
                    && same(begin);
                if of_it && !left.is_empty() && named.is_subset(left) {
                    left.retain(|s| !named.contains(s));
                    continues = true;
                }
            }
        }
        if continues {
            // Nothing more to say.
        } else if begun.is_empty() {
            if !unknown && done.does_nothing_across_calls() {
                self.say("EB035", done);
            } else if !unknown {
                self.say("EB032", done);
            }
        } else if !begun
            .values()
            .any(|begin| agrees(begin) || is_its_mistake(begin, done))
        {
            self.say("EB031", done);
        }
        for begin in begun.values() {
            self.close_split(begin, same_scope(begin));
        }
        // Reading R27: across scopes the accesses are ignored.
        let mut agreeing = begun.values().filter(|b| agrees(b)).peekable();
        let counts = if agreeing.peek().is_some() {
            agreeing.any(same_scope)
        } else {
            !unknown && begun.values().all(same_scope)
        };
        self.after(
            done,
            if counts {
                &done.entry.access[1]
            } else {
                &["COMMON"]
            },
        );
    }

    /// Begins that are open on the subresources of an entry, with those that they intervened in.
    fn open(&mut self, done: &Done) -> BTreeMap<At, Done> {
        let id = done.entry.resource.expect("a resource");
        let mut todo: Vec<Done> = done
            .subresources()
            .into_iter()
            .flat_map(|s| self.record(id, s).open.clone())
            .collect();
        let mut all = BTreeMap::new();
        while let Some(begin) = todo.pop() {
            let is_open = begin
                .subresources()
                .into_iter()
                .any(|s| self.record(id, s).open.iter().any(|o| o.at == begin.at));
            if is_open {
                todo.extend(self.under.get(&begin.at).cloned().unwrap_or_default());
                all.insert(begin.at, begin);
            }
        }
        all
    }

    /// An end closes the whole of its begin.
    fn close_split(&mut self, begin: &Done, same_scope: bool) {
        let id = begin.entry.resource.expect("a resource");
        self.begins.get_mut(&begin.at).expect("a begin").1 = true;
        if self.withheld.remove(&begin.at) && same_scope {
            self.say("EB027", begin);
        }
        for s in begin.subresources() {
            let record = self.record(id, s);
            if record.open.iter().any(|open| open.at == begin.at) {
                record.open.retain(|open| open.at != begin.at);
                record.lost |= begin.transitions();
            }
        }
    }

    /// A barrier that ends no split.
    fn plain(&mut self, done: &Done, all: &[Done]) {
        let id = done.entry.resource.expect("a resource");
        if done.is_begin() {
            // One that intervenes is reported as that, ended or not.
            let under: Vec<Done> = self.open(done).into_values().collect();
            self.begins
                .insert(done.at, (done.clone(), !under.is_empty()));
            self.under.insert(done.at, under);
        }
        let kind = self.kinds[done.at.scope];
        let entry = &done.entry;
        for s in done.subresources() {
            let layout = self.layout(id, s, done, all);
            let recording = self.recorded.contains(&done.at.scope);
            let record = self.record(id, s);
            if !record.open.is_empty() {
                // Between the halves nothing else can be compared.
                self.say("EB034", done);
                continue;
            }
            let none = entry.sync[0] == ["NONE"];
            let after_none = record.after.as_deref() == Some(&["NONE"]);
            let touched = record.used || record.after.is_some();
            let latest = record.after.clone();
            let access = &entry.access[0];
            let shares = access.iter().any(|a| record.known.contains(a));
            let known_common = record.known.contains("COMMON");
            let beyond = access.iter().any(|a| !record.known.contains(a));
            let inactive = record.known.contains("NO_ACCESS");
            let access_fails = match access[0] {
                "NO_ACCESS" => false,
                "COMMON" => inactive,
                _ => !known_common && (!shares || beyond),
            };
            // Enhanced Barriers specification, "Barrier API Call Validation": LayoutBefore matches the layout that a recorded list assumed.
            let first = recording && record.layouts.is_empty();
            let resource = &RESOURCES[id];
            let names =
                !resource.is_buffer() && !resource.simultaneous && entry.layout[0] != "UNDEFINED";
            let assumed = record.blended.iter().all(|a| allows(entry.layout[0], a));
            let known = layout.is_none_or(|layout| entry.layout[0] == layout);
            if names && (!known || first && !assumed) {
                self.say("EB026", done);
            }
            if access_fails && after_none {
                // After that nothing is accessible whatever it names.
            } else if access_fails && done.is_begin() {
                self.withheld.insert(done.at);
            } else if access_fails {
                self.say("EB027", done);
            }
            if after_none {
                // The promise that nothing follows is broken: what this entry names before is no second mistake.
                self.say("EB030", done);
            } else if none && touched {
                self.say("EB029", done);
            } else if let Some(latest) = latest.filter(|latest| *latest != ["SPLIT"]) {
                let (need, have) = (stages(&latest, kind), stages(&entry.sync[0], kind));
                if !need.is_subset(&have) {
                    self.say("EB028", done);
                }
            }
        }
        self.after(done, &entry.access[1]);
    }

    /// What a barrier leaves, right or wrong: reading R47 and the scenario language, "Where a finding sits".
    fn after(&mut self, done: &Done, access: &[&'static str]) {
        let id = done.entry.resource.expect("a resource");
        for s in done.subresources() {
            let record = self.record(id, s);
            record.known = access.iter().copied().collect();
            record.after = Some(done.entry.sync[1].clone());
            if !done.memory_only() {
                record.layouts.push(done.clone());
                record.lost = false;
            }
            if done.is_begin() {
                record.open.push(done.clone());
            }
        }
    }

    /// The layout of a subresource before an entry, unless it is unknown. Reading R23.
    fn layout(&self, id: usize, s: u32, done: &Done, all: &[Done]) -> Option<&'static str> {
        let resource = &RESOURCES[id];
        if resource.is_buffer() || resource.simultaneous || done.memory_only() {
            return None;
        }
        let races = all.iter().any(|other| {
            other.entry.resource == Some(id)
                && other.subresources().contains(&s)
                && other.transitions()
                && self.unordered(other, done)
        });
        if races || self.records[&(id, s)].lost {
            return None;
        }
        let earlier: Vec<_> = self.records[&(id, s)]
            .layouts
            .iter()
            .filter(|e| self.ordered(e.at, done.at))
            .collect();
        let latest: Vec<_> = earlier
            .iter()
            .filter(|e| !earlier.iter().any(|f| self.ordered(e.at, f.at)))
            .collect();
        let Some(first) = latest.first() else {
            let recorded = self.recorded.contains(&done.at.scope);
            return (!recorded).then_some(resource.initial);
        };
        // Of racing transitions neither is the last, until a barrier comes after both.
        let after_all = |x: &Done| {
            let mut transitions = earlier.iter().filter(|t| t.transitions());
            transitions.all(|t| t.at == x.at || self.ordered(t.at, x.at))
        };
        let settled = earlier.iter().any(|x| after_all(x))
            && (latest.iter()).all(|m| m.entry.layout[1] == first.entry.layout[1]);
        settled.then_some(first.entry.layout[1])
    }

    /// What only the end of the timeline tells.
    fn close(&mut self) {
        for (at, (begin, ended)) in std::mem::take(&mut self.begins) {
            if self.recorded.contains(&at.scope) {
                continue;
            }
            if !ended {
                let unused = begin.does_nothing_across_calls();
                self.say(if unused { "EB035" } else { "EB033" }, &begin);
            }
        }
    }
}

/// Lines of entries: each is on its own line of the text.
fn lines(scene: &Scene) -> BTreeMap<(usize, usize, usize), u32> {
    let mut line = u32::try_from(RESOURCES.len() + FENCES + QUEUES.len()).expect("few lines");
    let mut all = BTreeMap::new();
    for (l, list) in scene.lists.iter().enumerate() {
        line += 1;
        for (c, command) in list.commands.iter().enumerate() {
            line += 1;
            if let Command::Barrier(entries) = command {
                for e in 0..entries.len() {
                    line += 1;
                    all.insert((l, c, e), line);
                }
                line += 1;
            } else {
                all.insert((l, c, 0), line);
            }
        }
        line += 1;
    }
    all
}

/// What the program says, and whether it says nothing that the generator should have avoided.
fn program(text: &str) -> Verdicts {
    let source = Source::new("scene.scn", text);
    let (parsed, findings) = scenario::parse(&source);
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let findings = validate::validate(&parsed, &Timeline::new(&parsed), RuleSet::Specification);
    let legal = |f: &syncscope::finding::Finding| !f.severity.fails() || f.rule.id >= "EB026";
    let illegal: Vec<_> = findings.iter().filter(|f| !legal(f)).collect();
    assert!(illegal.is_empty(), "{illegal:#?}\n{text}");
    findings
        .iter()
        .filter(|f| JUDGED.contains(&f.rule.id))
        .map(|f| (f.rule.id, source.line(f.span.start)))
        .collect()
}

/// Reading R72: the first half names an access that no texture has (R60), and differs from the second one in nothing else.
fn is_its_mistake(begin: &Done, end: &Done) -> bool {
    let is_texture = (end.entry.resource).is_some_and(|id| !RESOURCES[id].is_buffer());
    let wrong = |access: &[&'static str]| access.iter().any(|a| OF_BUFFERS.contains(a));
    let sides = [0, 1].map(|side| (&begin.entry.access[side], &end.entry.access[side]));
    let differing: Vec<_> = sides.into_iter().filter(|(a, b)| a != b).collect();
    is_texture
        && begin.entry.layout == end.entry.layout
        && begin.subresources() == end.subresources()
        && !end.entry.access.iter().any(|access| wrong(access))
        && matches!(differing[..], [(first, _)] if wrong(first))
}

/// What only the reference says, and what only the program says. `None` where there is nothing to compare.
fn difference(scene: &Scene) -> Option<(Verdicts, Verdicts)> {
    let (expected, vague) = Reference::judge(scene)?;
    Some(compare(scene, expected, &vague))
}

fn compare(scene: &Scene, mut expected: Verdicts, vague: &BTreeSet<u32>) -> (Verdicts, Verdicts) {
    let mut found = program(&scene.text());
    expected.retain(|(_, line)| !vague.contains(line));
    found.retain(|(_, line)| !vague.contains(line));
    (&expected - &found, &found - &expected)
}

fn agrees(scene: &Scene) -> bool {
    difference(scene).is_none_or(|(ours, theirs)| ours.is_empty() && theirs.is_empty())
}

/// Takes away what does not matter, one thing after the other.
fn shrink(mut scene: Scene) -> Scene {
    while let Some(smaller) = scene.smaller().into_iter().find(|s| !agrees(s)) {
        scene = smaller;
    }
    scene
}

/// The rules that a disagreement is about, so that one cause is told once.
fn signature(difference: &(Verdicts, Verdicts)) -> (Vec<&'static str>, Vec<&'static str>) {
    let rules = |v: &Verdicts| v.iter().map(|(rule, _)| *rule).collect();
    (rules(&difference.0), rules(&difference.1))
}

/// Warnings count as well here: whatever legality says of the scenarios, they expect, and the other way round.
#[test]
fn legality_says_of_its_scenarios_what_they_expect_and_nothing_else() {
    let files = crate::tour::files("scenarios/legality");
    assert!(files.len() >= 60, "{} scenarios", files.len());
    for file in files {
        let source = crate::tour::source(&file);
        let (parsed, findings) = scenario::parse(&source);
        assert!(findings.is_empty(), "{}: {findings:?}", source.name);
        let found: BTreeSet<_> =
            validate::validate(&parsed, &Timeline::new(&parsed), RuleSet::Specification)
                .iter()
                .map(|f| (source.line(f.span.start), f.rule.id.to_owned()))
                .collect();
        let expected: BTreeSet<_> = parsed
            .expectations
            .iter()
            .flat_map(|e| e.ids.iter().map(|id| (e.line, id.clone())))
            .filter(|(_, id)| id.starts_with("EB"))
            .collect();
        assert_eq!(found, expected, "{}", source.name);
    }
}

#[test]
fn the_program_and_a_slow_reference_agree_on_legality() {
    let (mut judged, mut silent) = (0, 0);
    let mut seen = BTreeMap::<&str, u32>::new();
    let mut disagreements = BTreeMap::new();
    for seed in sizes::LEGALITY.seeds() {
        let scene = scene(seed);
        let Some((expected, vague)) = Reference::judge(&scene) else {
            continue;
        };
        judged += 1;
        silent += u64::from(expected.is_empty());
        for (rule, _) in &expected {
            *seen.entry(*rule).or_default() += 1;
        }
        let (ours, theirs) = compare(&scene, expected, &vague);
        if !(ours.is_empty() && theirs.is_empty()) && disagreements.len() < 8 {
            let small = shrink(scene.clone());
            let difference = difference(&small).expect("it was compared");
            disagreements.entry(signature(&difference)).or_insert_with(|| {
                let (ours, theirs) = difference;
                format!(
                    "seed {seed}: the reference alone says {ours:?}, the program alone says {theirs:?}\n{}",
                    small.text()
                )
            });
        }
    }
    println!("{judged} scenes judged, {silent} of them without a finding; {seen:?}");
    let texts: Vec<_> = disagreements.into_values().collect();
    assert!(texts.is_empty(), "{}", texts.join("\n"));
    assert!(
        judged * 10 > sizes::LEGALITY.count() * 9,
        "too few scenes: {judged}"
    );
    for rule in JUDGED {
        let count = seen.get(rule).copied().unwrap_or_default();
        assert!(count > 100, "{rule} is expected {count} times only");
    }
}
