//! The packets of barriers, entry by entry: each operation with what needed it, the way through the caches that it is on,
//! and its price. Nothing is simulated: a price that depends on what is dirty is a range.

use super::{LoweringSource, Options, Registry, Unusable, choose};
use crate::analyze::names;
use crate::api::{BarrierAccess, BarrierSync, LeafSet, QueueType};
use crate::finding::{Finding, Source};
use crate::hardware::{Client, Profile, Routes, Variant};
use crate::id::{BarrierRef, CacheId, NodeId};
use crate::lower::rules::{RuleAccount, RuleMatch};
use crate::order::{Actor, Timeline};
use crate::pipeline::back::{self, Machine};
use crate::pipeline::front;
use crate::program::{BarrierOp, BarrierRole, Block, HwOpKind, Reach, Step, StepKind, Why};
use crate::time::Ps;
use std::collections::BTreeMap;

/// The packets of a scenario's barriers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Packets {
    /// Title of the scenario, or its file.
    pub scenario: String,
    /// The file.
    pub file: String,
    /// Name of the profile.
    pub profile: String,
    /// Name of the lowering.
    pub lowering: String,
    /// Who named the lowering.
    pub lowering_named_by: LoweringSource,
    /// Executed barrier entries in order.
    pub barriers: Vec<PacketRow>,
    /// Packets that a driver wrote where no barrier is, in order: before work, at the end of a list, at a submission. Each has
    /// the id of the command next to it.
    pub unasked: Vec<PacketRow>,
    /// Barrier packets that no entry made: starts and ends of scopes, synchronous copies, presents, passes.
    pub others: usize,
    /// What is wrong with what a driver outside this program answered.
    pub findings: Vec<Finding>,
}

/// The packet of one executed barrier entry.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PacketRow {
    /// Id, as in a report.
    pub id: String,
    /// Line of the entry.
    pub line: u32,
    /// Name of the queue.
    pub queue: String,
    /// What it applies to and from where to where.
    pub text: String,
    /// Accesses of both sides, as the text has them.
    pub access: [String; 2],
    /// Which kind of packet it is.
    pub role: &'static str,
    /// Stages that it waits for; empty for none.
    pub wait: String,
    /// What the wait costs beyond the work itself.
    pub wait_price: Ps,
    /// What its operations cost at least, one after the other where they do not run together.
    pub least: Ps,
    /// Stages that it holds; empty for none.
    pub hold: String,
    /// Rules of the rule file that match it, each with the access bits that it matched by.
    pub rules: Vec<RuleRow>,
    /// The lowering is a rule file, and no rule of it matches.
    pub unmatched: bool,
    /// Operations in order.
    pub operations: Vec<StepRow>,
    /// Work that the text has after the entry, and that begins before the packet: the last of it.
    pub after: Option<String>,
}

impl PacketRow {
    /// What it does, in a line, each operation in a row once: `wait RENDER_TARGET; clean CB; drop L0V, GL1; hold PIXEL_SHADING`.
    pub fn words(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        if !self.wait.is_empty() {
            parts.push(format!("wait {}", every_stage(&self.wait)));
        }
        // Steps of one kind in a row are one part.
        let mut last = String::new();
        for step in &self.operations {
            let all = if step.bytes.is_none() { " all of" } else { "" };
            let (verb, object) = match step.op.as_str() {
                "clean" => (format!("clean{all}"), step.target.as_str()),
                "invalidate" => (format!("drop{all}"), step.target.as_str()),
                "layout" => ("run".to_owned(), step.machine_op.as_str()),
                "front-end" => ("sync the front end".to_owned(), ""),
                "driver" => (step.machine_op.clone(), ""),
                other => (other.to_owned(), step.target.as_str()),
            };
            match parts.last_mut() {
                Some(part) if verb == last && !object.is_empty() => {
                    let objects = part.strip_prefix(&*verb).unwrap_or_default();
                    if !objects.trim_start().split(", ").any(|it| it == object) {
                        part.push_str(", ");
                        part.push_str(object);
                    }
                }
                _ if object.is_empty() => parts.push(verb.clone()),
                _ => parts.push(format!("{verb} {object}")),
            }
            last = verb;
        }
        if !self.hold.is_empty() {
            parts.push(format!("hold {}", every_stage(&self.hold)));
        }
        if parts.is_empty() {
            return "nothing".to_owned();
        }
        parts.join("; ")
    }
}

/// Stages, where all of a direct queue are one word.
fn every_stage(named: &str) -> &str {
    let every = BarrierSync::named(QueueType::Direct.leaves()).to_string();
    if named == every {
        return "every stage";
    }
    named
}

/// A rule that matches an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RuleRow {
    /// Its name; nothing for the default.
    pub name: Option<String>,
    /// Its line in the rule file.
    pub line: u32,
    /// Access bits of the entry that its conditions name.
    pub bits: [String; 2],
}

/// One operation of a packet.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StepRow {
    /// Name of the operation.
    pub op: String,
    /// The cache or resource that it applies to.
    pub target: String,
    /// The machine's name for it.
    pub machine_op: String,
    /// Bytes that it concerns; `None` is a whole cache, or no bytes at all.
    pub bytes: Option<u64>,
    /// What needed it: access bits, or the rule with its line.
    pub why: String,
    /// The ways through the caches that it is on: accesses, and the caches to memory.
    pub ways: Vec<(String, String)>,
    /// What it costs at least, and at most: between them is what may be dirty.
    pub price: [Ps; 2],
}

/// The packets of a scenario's barriers on a profile.
///
/// # Errors
/// If the text is not understood, or the profile or the lowering is unusable.
pub fn packets(
    source: &Source,
    registry: &Registry,
    options: &Options,
) -> Result<Packets, Unusable> {
    let prepared = front::runnable(source, options)?;
    let chosen = choose(registry, prepared.written(), &source.name, options)?;
    let machine = Machine {
        profile: &chosen.profile,
        lowering: chosen.lowering,
        named_by: chosen.named_by,
    };
    let timeline = prepared.timeline();
    let rules = machine.lowering.rules();
    let account = rules.map(|rules| rules.account(&timeline, machine.profile));
    let (program, findings) = back::lower_telling(machine.lowering, &timeline, machine.profile);
    let listing = Listing {
        source,
        timeline: &timeline,
        machine,
        matches: matches(account.as_ref()),
    };
    let mut rows = Vec::new();
    let mut unasked = Vec::new();
    let mut others = 0;
    for block in &program.blocks {
        let mut last = None;
        for op in &block.ops {
            let HwOpKind::Barrier(barrier) = &op.kind else {
                last = last.max(Some(op.origin.node));
                continue;
            };
            let Some(entry) = op.origin.entry else {
                if barrier.role == BarrierRole::Unasked {
                    unasked.push(listing.unasked(op.origin.node, barrier, block));
                } else {
                    others += 1;
                }
                continue;
            };
            let node = op.origin.node;
            let row = listing.row(BarrierRef { node, entry }, barrier, block);
            let after = last.filter(|last| *last > node);
            let after = after.map(|last| names::named(&timeline, last));
            rows.extend(row.map(|row| PacketRow { after, ..row }));
        }
    }
    Ok(Packets {
        scenario: prepared.written().title_in(source),
        file: source.name.clone(),
        profile: machine.profile.name.clone(),
        lowering: machine.lowering.name().to_owned(),
        lowering_named_by: machine.named_by,
        barriers: rows,
        unasked,
        others,
        findings,
    })
}

fn matches(account: Option<&RuleAccount>) -> BTreeMap<BarrierRef, &[RuleMatch]> {
    let entries = account.into_iter().flat_map(|account| &account.entries);
    entries
        .map(|(entry, rules)| (*entry, rules.as_slice()))
        .collect()
}

/// What the rows are made of.
struct Listing<'a> {
    source: &'a Source,
    timeline: &'a Timeline<'a>,
    machine: Machine<'a>,
    matches: BTreeMap<BarrierRef, &'a [RuleMatch]>,
}

impl Listing<'_> {
    fn row(&self, id: BarrierRef, barrier: &BarrierOp, block: &Block) -> Option<PacketRow> {
        let (timeline, profile) = (self.timeline, self.machine.profile);
        let text = names::entry(timeline, id)?;
        let (queue, name) = self.queue(id.node);
        let scope = [text.access_before, text.access_after];
        let steps = barrier.steps.of(&block.steps).iter();
        let operations: Vec<StepRow> = steps
            .map(|step| self.step(step, block, queue, scope))
            .collect();
        Some(PacketRow {
            least: least(&operations),
            id: timeline.barrier_name(id),
            line: self.source.line(text.span.start),
            queue: name,
            text: names::barrier_text(timeline.scenario, text),
            access: scope.map(|access| access.to_string()),
            role: role(barrier.role),
            wait: stages(barrier.wait),
            wait_price: profile.drain_cost(barrier.wait),
            hold: stages(barrier.hold),
            unmatched: self.matches.get(&id).is_some_and(|rules| rules.is_empty()),
            rules: self.rules(id),
            operations,
            after: None,
        })
    }

    /// A queue's type and name.
    fn queue(&self, node: NodeId) -> (QueueType, String) {
        let timeline = self.timeline;
        let submission = timeline.submission(timeline.submission_of(node));
        let queue = match submission.actor {
            Actor::Queue(queue) => timeline.scenario.queue_type(queue),
            Actor::Cpu => QueueType::Direct,
        };
        (queue, timeline.actor_name(submission.actor).to_string())
    }

    /// A packet that no barrier made.
    fn unasked(&self, node: NodeId, barrier: &BarrierOp, block: &Block) -> PacketRow {
        let (timeline, profile) = (self.timeline, self.machine.profile);
        let (queue, name) = self.queue(node);
        // Nobody says which accesses it is about.
        let scope = [BarrierAccess::COMMON; 2];
        let steps = barrier.steps.of(&block.steps).iter();
        let operations: Vec<StepRow> = steps
            .map(|step| self.step(step, block, queue, scope))
            .collect();
        PacketRow {
            least: least(&operations),
            id: timeline.node_name(node),
            line: self.source.line(timeline.span(node).start),
            queue: name,
            text: String::new(),
            access: [String::new(), String::new()],
            role: role(barrier.role),
            wait: stages(barrier.wait),
            wait_price: profile.drain_cost(barrier.wait),
            hold: stages(barrier.hold),
            unmatched: false,
            rules: Vec::new(),
            operations,
            after: None,
        }
    }

    fn rules(&self, id: BarrierRef) -> Vec<RuleRow> {
        let Some(rules) = self.machine.lowering.rules() else {
            return Vec::new();
        };
        let matches = self.matches.get(&id).copied().unwrap_or_default();
        matches
            .iter()
            .map(|it| {
                let rule = &rules.file().rules[it.rule];
                let bits = |bits: BarrierAccess| {
                    let names: Vec<&str> = bits.iter_names().map(|(name, _)| name).collect();
                    names.join("|")
                };
                RuleRow {
                    name: rule.name.clone(),
                    line: rules.source().line(rule.span.start),
                    bits: [bits(it.before), bits(it.after)],
                }
            })
            .collect()
    }

    fn step(
        &self,
        step: &Step,
        block: &Block,
        queue: QueueType,
        [before, after]: [BarrierAccess; 2],
    ) -> StepRow {
        let (timeline, profile) = (self.timeline, self.machine.profile);
        let (before, after) = meant(step.why, before, after);
        let row = |op, target: &str, machine_op: &str| bare(op, target, machine_op, step.why);
        match &step.kind {
            StepKind::Clean { cache, reach } | StepKind::Invalidate { cache, reach } => {
                let state = profile.cache(*cache);
                let (op, machine_op, accesses, fixed) = match step.kind {
                    StepKind::Clean { .. } => ("clean", &state.clean_op, before, state.clean),
                    _ => ("invalidate", &state.invalidate_op, after, state.invalidate),
                };
                let bytes = bytes(block, *reach);
                StepRow {
                    bytes,
                    ways: ways(profile, queue, accesses, *cache),
                    price: price(fixed, state, bytes),
                    ..row(op, &state.name, machine_op)
                }
            }
            StepKind::Layout {
                op,
                resource,
                extents,
                initialise,
                ..
            } => {
                let bytes: u64 = extents.of(&block.extents).iter().map(|e| e.len()).sum();
                let time = profile.layout_time(*op, queue, bytes, *initialise);
                let name = &profile.layout_op(*op).name;
                StepRow {
                    bytes: Some(bytes),
                    price: [time; 2],
                    ..row("layout", timeline.scenario.resource_name(*resource), name)
                }
            }
            StepKind::TileLoad { cache, .. } => {
                row("load", &profile.cache(*cache).name, "tile load")
            }
            StepKind::TileStore { cache, .. } => {
                row("store", &profile.cache(*cache).name, "tile store")
            }
            StepKind::FrontEnd => StepRow {
                price: [profile.front_end_cost(true), profile.front_end_cost(false)],
                ..row("front-end", "prefetch", &profile.front_end_op)
            },
            StepKind::Driver { op, takes } => StepRow {
                price: [*takes; 2],
                ..row("driver", "queue", op)
            },
            StepKind::EngineSwitch => row("engine switch", "queue", ""),
        }
    }
}

/// A row of a step without bytes, ways and price.
fn bare(op: &str, target: &str, machine_op: &str, why: Why) -> StepRow {
    StepRow {
        op: op.to_owned(),
        target: target.to_owned(),
        machine_op: machine_op.to_owned(),
        bytes: None,
        why: why.to_string(),
        ways: Vec::new(),
        price: [Ps::ZERO; 2],
    }
}

/// Stages in the fewest words.
fn stages(leaves: LeafSet) -> String {
    if leaves == LeafSet::ALL {
        "ALL".to_owned()
    } else if leaves.is_empty() {
        String::new()
    } else {
        BarrierSync::named(leaves).to_string()
    }
}

/// What operations cost at least: write-backs next to each other run together, and so do drops.
fn least(operations: &[StepRow]) -> Ps {
    let together =
        |a: &StepRow, b: &StepRow| a.op == b.op && (a.op == "clean" || a.op == "invalidate");
    let runs = operations.chunk_by(together);
    runs.filter_map(|run| run.iter().map(|step| step.price[0]).max())
        .sum()
}

/// The accesses of both sides that an operation is about: those that its reason names.
fn meant(why: Why, before: BarrierAccess, after: BarrierAccess) -> (BarrierAccess, BarrierAccess) {
    match why {
        Why::Pair(write, read) => (write, read),
        Why::WriteBack(write) | Why::Seen(write) => (write, after),
        Why::After(read) => (before, read),
        Why::Text(_) => (before, after),
    }
}

fn role(role: BarrierRole) -> &'static str {
    match role {
        BarrierRole::Unasked => "of no barrier",
        BarrierRole::SplitBegin => "first half of a split barrier",
        BarrierRole::SplitEnd => "second half of a split barrier",
        BarrierRole::ByRegion => "by region, in a render pass",
        _ => "barrier",
    }
}

fn bytes(block: &Block, reach: Reach) -> Option<u64> {
    let extents = block.reach(reach)?;
    Some(extents.iter().map(|extent| extent.len()).sum())
}

/// The fixed part, and that with every byte dirty that the cache has room for.
fn price(fixed: Ps, cache: &crate::hardware::Cache, bytes: Option<u64>) -> [Ps; 2] {
    if cache.policy != crate::hardware::WritePolicy::WriteBack {
        return [fixed; 2];
    }
    let dirty = bytes.map_or(cache.capacity_bytes, |bytes| {
        bytes.min(cache.capacity_bytes)
    });
    [fixed, fixed + Ps::for_amount(dirty, cache.bytes_per_s)]
}

/// The ways of accesses that go through a cache: of texels, or else of metadata, in the first variant that has one.
fn ways(
    profile: &Profile,
    queue: QueueType,
    accesses: BarrierAccess,
    cache: CacheId,
) -> Vec<(String, String)> {
    // `COMMON` is every access.
    let accesses = if accesses == BarrierAccess::COMMON {
        BarrierAccess::EVERY
    } else {
        accesses & BarrierAccess::EVERY
    };
    let variants: Vec<Variant> = Variant::all(profile.exceptions.len()).collect();
    let texels = variants.iter().map(|v| ("", profile.texel_routes_of(*v)));
    let metadata = variants
        .iter()
        .map(|v| ("metadata: ", profile.metadata_routes_of(*v)));
    let routes: Vec<(&str, Routes<'_>)> = texels.chain(metadata).collect();
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for access in accesses.iter() {
        let client = Client::of(access, queue);
        let way = routes.iter().find_map(|(kind, routes)| {
            let mut paths = routes.read_paths(client).iter().map(|p| routes.path(*p));
            let path = paths.find(|path| path.contains(&cache))?;
            let names = path.iter().map(|c| profile.cache(*c).name.as_str());
            let names: Vec<&str> = names.chain(["memory"]).collect();
            Some(format!("{kind}{}", names.join(" → ")))
        });
        let Some(way) = way else { continue };
        let name = access.to_string();
        match found.iter_mut().find(|(other, _)| *other == way) {
            Some((_, names)) => names.push(name),
            None => found.push((way, vec![name])),
        }
    }
    found
        .into_iter()
        .map(|(way, names)| (names.join("|"), way))
        .collect()
}
