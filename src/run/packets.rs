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
use serde::Serialize;
use std::collections::BTreeMap;

/// The packets of a scenario's barriers.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Part"))]
#[non_exhaustive]
pub struct Packets {
    /// Title of the scenario, or its file name.
    pub scenario: String,
    /// The file.
    #[serde(skip)]
    pub file: String,
    /// Hardware profile.
    pub profile: String,
    /// The lowering.
    pub lowering: String,
    /// Who named the lowering: `the command line`, `the scenario` or `the profile`; null if nobody did.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub lowering_named_by: LoweringSource,
    /// Packets of barriers in order of execution.
    pub barriers: Vec<PacketRow>,
    /// Packets that a driver wrote where no barrier is, each with the id of the command next to it.
    #[serde(rename = "packets_of_no_barrier")]
    pub unasked: Vec<PacketRow>,
    /// Other packets that no barrier made: of starts and ends of scopes, copies, presents and passes.
    #[serde(rename = "other_packets")]
    pub others: usize,
    /// What is wrong with what a driver outside this program answered.
    #[serde(skip)]
    pub findings: Vec<Finding>,
}

/// The packet of a barrier entry.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "BarrierPacket"))]
#[non_exhaustive]
pub struct PacketRow {
    /// Distinct for each execution.
    pub id: String,
    /// Line of its text.
    pub line: u32,
    /// Queue.
    pub queue: String,
    /// What it says in one line.
    pub text: String,
    /// `AccessBefore`.
    pub access_before: String,
    /// `AccessAfter`.
    pub access_after: String,
    /// `barrier`, `first half of a split barrier`, `second half of a split barrier` or `by region, in a render pass`;
    /// of a packet that no barrier made `of no barrier`.
    pub role: &'static str,
    /// Stages that it waits for; empty for none.
    pub wait: String,
    /// What waiting costs beyond the work.
    #[serde(rename = "wait_price_ps")]
    pub wait_price: Ps,
    /// What the operations cost at least.
    #[serde(rename = "operations_least_ps")]
    pub least: Ps,
    /// Stages that it holds; empty for none.
    pub hold: String,
    /// No rule of the rule file matches it.
    pub unmatched: bool,
    /// Rules of the rule file that match it.
    pub rules: Vec<RuleRow>,
    /// What it does.
    pub operations: Vec<StepRow>,
    /// Work that the text has after the entry, and that begins before the packet: the last of it.
    #[serde(skip)]
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

/// A rule of a rule file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RuleRef"))]
#[non_exhaustive]
pub struct RuleRow {
    /// Its name; null for the default.
    #[serde(rename = "rule")]
    pub name: Option<String>,
    /// Its line in the rule file.
    pub line: u32,
    /// Bits of `AccessBefore` that its conditions name.
    pub before: String,
    /// Bits of `AccessAfter` that its conditions name.
    pub after: String,
}

/// An operation of a packet.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "PricedOperation")
)]
#[non_exhaustive]
pub struct StepRow {
    /// `clean`, `invalidate`, `decompress`, …
    pub op: String,
    /// Cache or resource.
    pub target: String,
    /// The machine's name for it; empty if it has none.
    pub machine_op: String,
    /// Bytes that it is about; null for a whole cache, or if it has none.
    pub bytes: Option<u64>,
    /// Why it is there, in one sentence.
    pub why: String,
    /// Ways through the caches that need it.
    pub ways: Vec<WayRow>,
    /// What it costs at least.
    #[serde(rename = "price_least_ps")]
    pub price_least: Ps,
    /// What it costs at most.
    #[serde(rename = "price_most_ps")]
    pub price_most: Ps,
}

/// A way through the caches.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WayRow {
    /// Accesses that take it.
    pub access: String,
    /// Its caches.
    pub path: String,
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
            access_before: text.access_before.to_string(),
            access_after: text.access_after.to_string(),
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
            access_before: String::new(),
            access_after: String::new(),
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
                    before: bits(it.before),
                    after: bits(it.after),
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
                    price_least: fixed,
                    price_most: with_all_dirty(fixed, state, bytes),
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
                    price_least: time,
                    price_most: time,
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
                price_least: profile.front_end_cost(true),
                price_most: profile.front_end_cost(false),
                ..row("front-end", "prefetch", &profile.front_end_op)
            },
            StepKind::Driver { op, takes } => StepRow {
                price_least: *takes,
                price_most: *takes,
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
        price_least: Ps::ZERO,
        price_most: Ps::ZERO,
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
    runs.filter_map(|run| run.iter().map(|step| step.price_least).max())
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

/// The fixed part, with every byte dirty that the cache has room for.
fn with_all_dirty(fixed: Ps, cache: &crate::hardware::Cache, bytes: Option<u64>) -> Ps {
    if cache.policy != crate::hardware::WritePolicy::WriteBack {
        return fixed;
    }
    let dirty = bytes.map_or(cache.capacity_bytes, |bytes| {
        bytes.min(cache.capacity_bytes)
    });
    fixed + Ps::for_amount(dirty, cache.bytes_per_s)
}

/// The ways of accesses that go through a cache: of texels, or else of metadata, in the first variant that has one.
fn ways(
    profile: &Profile,
    queue: QueueType,
    accesses: BarrierAccess,
    cache: CacheId,
) -> Vec<WayRow> {
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
        .map(|(path, names)| WayRow {
            access: names.join("|"),
            path,
        })
        .collect()
}
