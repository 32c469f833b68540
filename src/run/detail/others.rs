//! What other runs say: the dependency graph, the scenario without each barrier, and on every profile.

use super::{AGAIN_MAX, Detail, EDGES_MAX, Given, NODES_MAX, WHAT_IFS_MAX, Words, ps};
use crate::graph::{Effect, Relation};
use crate::id::narrow;
use crate::run::profiles::{self, HazardRow, ProfileRow};
use crate::run::{Dependencies, Does, Drawn, SegmentKind, View, Without, dependencies, what_if};
use serde::Serialize;
use std::collections::BTreeSet;

/// Parts of lanes of one profile in a page.
const SEGMENTS_MAX: usize = 4_000;

/// The dependency graph, a column each.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct GraphRows {
    /// Nodes in order of execution.
    pub nodes: NodeColumns,
    /// Edges, from the earlier to the later.
    pub edges: EdgeColumns,
    /// Ids of the nodes of each deadlock: every node waits for the next, the last for the first.
    pub deadlocks: Vec<Vec<String>>,
}

/// Nodes, a column each.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct NodeColumns {
    /// Id of the command or barrier; `end of …` of a submission.
    pub id: Vec<String>,
    /// `command`, `barrier` or `submission`, a word.
    pub kind: Vec<u32>,
    /// What it is called, a word.
    pub label: Vec<u32>,
    /// Line of its text.
    pub line: Vec<u32>,
    /// Its queue, a word.
    pub queue: Vec<u32>,
}

/// Edges, a column each.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct EdgeColumns {
    /// The earlier node.
    pub from: Vec<u32>,
    /// The later node.
    pub to: Vec<u32>,
    /// `n`eeded, `a`sked, `e`nsured, `p`aid: a letter each.
    pub relation: String,
    /// `o`rder, `v`isibility, `l`ayout: a letter each.
    pub effect: String,
    /// Why, a word; `missing` where nothing sees to it.
    pub reason: Vec<u32>,
    /// The resource, a word.
    pub resource: Vec<u32>,
    /// Time that was paid, in picoseconds.
    pub paid_ps: Vec<u64>,
    /// It follows from others of its relation: 1.
    pub implied: Vec<u8>,
}

/// Without one barrier of the text.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct WhatIfColumns {
    /// Line of the barrier.
    pub line: u32,
    /// Line of its second half.
    pub end_line: Option<u32>,
    /// Name of the barrier's resource.
    pub resource: String,
    /// Makespan of the run without the barrier; nothing if there can be no such run.
    pub makespan_ps: Option<u64>,
    /// Reads that go wrong then and do not now.
    pub more_bad_reads: u64,
    /// Why there can be no run, if so.
    pub impossible: String,
}

/// The scenario on other profiles.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Others {
    /// In the order of the catalog.
    pub profiles: Vec<ProfileLanes>,
    /// Hazards, and on which of the profiles each shows.
    pub hazards: Vec<HazardOn>,
    /// Hazards beyond that.
    pub more_hazards: usize,
}

/// One profile.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProfileLanes {
    /// Name of the profile.
    pub profile: String,
    /// The lowering.
    pub lowering: String,
    /// From the first submission to the end of the last work.
    pub makespan_ps: u64,
    /// Until when its lanes go, in picoseconds: further than its end where something never ends.
    pub until_ps: u64,
    /// Time in which nothing ran because of barriers.
    pub exposed_ps: u64,
    /// Cache write-backs.
    pub flushes: u64,
    /// Cache invalidates.
    pub invalidates: u64,
    /// Surfaces rewritten.
    pub decompressions: u64,
    /// Wrong reads.
    pub bad_reads: u64,
    /// Errors of the lowering: rule, line, message.
    pub bugs: Vec<(&'static str, u32, String)>,
    /// What each queue did.
    pub lanes: Vec<LaneRow>,
}

/// Start, end, kind (`w`ork, `b`arrier, `f`ence, `s`ubmission) and label (a word), and when a command only waited.
pub type LaneSegment = (u64, u64, char, u32, Vec<(u64, u64)>);

/// A queue on a profile.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LaneRow {
    /// Its name, a word.
    pub name: u32,
    /// What it did.
    pub segments: Vec<LaneSegment>,
    /// There were more.
    pub is_cut: bool,
}

/// A hazard on the profiles.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct HazardOn {
    /// Id of the rule.
    pub rule: &'static str,
    /// Name of the rule.
    pub name: &'static str,
    /// Line of the second use.
    pub line: u32,
    /// The resource.
    pub resource: String,
    /// By profile: whether some read went wrong, and what was seen or what hid it.
    pub on: Vec<(bool, String)>,
}

/// Adds what fits.
pub(super) fn fill(given: Given<'_>, made: &mut Detail, words: &mut Words) {
    let ops = given.rows.ran.program.ops;
    let file = &given.rows.source.name;
    if ops > AGAIN_MAX {
        made.left_out.push(format!(
            "the dependency graph, what-ifs and other profiles are in pages of up to {AGAIN_MAX} packets: `syncscope graph {file} --around ID`, `run {file} --what-if`, `run {file} --profiles all`"
        ));
        return;
    }
    match graph(given, words) {
        Ok(graph) => made.graph = graph,
        Err(why) => made.left_out.push(why),
    }
    if !given.has_copies {
        what_ifs(given, made);
    }
    made.others = others(given, words);
}

/// Adds what the run takes without each barrier.
fn what_ifs(given: Given<'_>, made: &mut Detail) {
    let file = &given.rows.source.name;
    let lines: BTreeSet<(u32, u32)> = {
        let timeline = given.rows.timeline;
        let timings = &given.rows.ran.paid.barriers;
        let entries = timings
            .iter()
            .filter_map(|t| crate::analyze::names::entry(timeline, t.barrier));
        entries.map(|e| (e.span.start, e.span.end)).collect()
    };
    if lines.len() > WHAT_IFS_MAX {
        made.left_out.push(format!(
            "what the run takes without each barrier is in pages of up to {WHAT_IFS_MAX} barriers: `syncscope run {file} --what-if` has all {}",
            lines.len()
        ));
    } else if let Ok(found) = what_if(given.rows.source, given.registry, given.options, &|_, _| {})
    {
        let rows = found.rows.into_iter().map(|row| WhatIfColumns {
            line: row.line,
            end_line: row.end_line,
            resource: row.resource,
            makespan_ps: row.without.makespan().map(ps),
            more_bad_reads: row.without.more_bad_reads().unwrap_or(0),
            impossible: match row.without {
                Without::Impossible { says, .. } => says,
                Without::Run { .. } => String::new(),
            },
        });
        made.what_ifs = rows.collect();
    }
}

/// The graph with every relation; `None` if nothing depends on anything.
fn graph(given: Given<'_>, words: &mut Words) -> Result<Option<GraphRows>, String> {
    let file = &given.rows.source.name;
    let view = View {
        relations: vec![
            Relation::Needed,
            Relation::Asked,
            Relation::Ensured,
            Relation::Paid,
        ],
        ..View::default()
    };
    let Ok(all) = dependencies(given.rows.source, given.registry, given.options, &view) else {
        return Ok(None);
    };
    if all.nodes.is_empty() {
        return Ok(None);
    }
    if all.nodes.len() > NODES_MAX || all.edges.len() > EDGES_MAX {
        return Err(format!(
            "the dependency graph has {} nodes and {} edges, too many to draw: `syncscope graph {file} --around ID` shows one node, `--format json` has all",
            all.nodes.len(),
            all.edges.len()
        ));
    }
    Ok(Some(rows(&all, words)))
}

fn rows(graph: &Dependencies, words: &mut Words) -> GraphRows {
    let mut made = GraphRows {
        deadlocks: graph.deadlocks.clone(),
        ..GraphRows::default()
    };
    for node in &graph.nodes {
        made.nodes.id.push(node.id.clone());
        made.nodes.kind.push(words.number(node.kind));
        made.nodes.label.push(words.number(&node.label));
        made.nodes.line.push(node.line);
        made.nodes.queue.push(words.number(&node.queue));
    }
    for row in &graph.edges {
        let edge = &row.edge;
        let edges = &mut made.edges;
        edges.from.push(narrow(row.from));
        edges.to.push(narrow(row.to));
        edges.relation.push(match edge.relation {
            Relation::Needed => 'n',
            Relation::Asked => 'a',
            Relation::Ensured => 'e',
            Relation::Paid => 'p',
        });
        edges.effect.push(match edge.effect {
            Effect::Order => 'o',
            Effect::Visibility => 'v',
            Effect::Layout => 'l',
        });
        edges.reason.push(words.number(edge.reason.word()));
        edges.resource.push(words.number(&row.resource));
        edges.paid_ps.push(edge.paid_ps);
        edges.implied.push(u8::from(row.implied));
    }
    made
}

fn others(given: Given<'_>, words: &mut Words) -> Option<Others> {
    let names: Vec<String> = given
        .registry
        .profiles
        .iter()
        .map(|entry| entry.name.to_owned())
        .collect();
    // A number that is set is one of the chosen profile: the others keep theirs.
    let mut options = given.options.clone();
    options.set.clear();
    options.drawn = Drawn::Picture;
    let table = profiles::on_profiles(given.rows.source, given.registry, &names, &options).ok()?;
    let profiles = table.rows.iter().map(|row| of_profile(row, words));
    Some(Others {
        profiles: profiles.collect(),
        hazards: table.hazards.into_iter().map(hazard).collect(),
        more_hazards: table.more_hazards,
    })
}

fn of_profile(row: &ProfileRow, words: &mut Words) -> ProfileLanes {
    let bugs = row.bugs.iter();
    let lanes = row.lanes.iter().map(|lane| {
        let segments = lane.segments.iter().take(SEGMENTS_MAX);
        let segments = segments.map(|s| {
            let kind = match s.kind {
                SegmentKind::Work => 'w',
                SegmentKind::Barrier => 'b',
                SegmentKind::Fence | SegmentKind::Never => 'f',
                SegmentKind::Submit => 's',
            };
            let waits = s.life.iter().filter(|row| row.does != Does::Work);
            let waits = waits.map(|row| (ps(row.start), ps(row.end)));
            // What a barrier waits for is drawn as work: here it is what it does itself.
            let start = ps(s.drained);
            let label = words.number(&s.label);
            (start, ps(s.end), kind, label, waits.collect())
        });
        LaneRow {
            segments: segments.collect(),
            name: words.number(&lane.name),
            is_cut: lane.segments.len() > SEGMENTS_MAX,
        }
    });
    ProfileLanes {
        lanes: lanes.collect(),
        profile: row.profile.clone(),
        lowering: row.lowering.clone(),
        makespan_ps: ps(row.makespan),
        until_ps: ps(row.drawn_until()),
        exposed_ps: ps(row.exposed),
        flushes: row.flushes,
        invalidates: row.invalidates,
        decompressions: row.decompressions,
        bad_reads: row.stale_reads + row.other_bad_reads,
        bugs: bugs
            .map(|bug| (bug.rule, bug.line, bug.message.clone()))
            .collect(),
    }
}

fn hazard(row: HazardRow) -> HazardOn {
    HazardOn {
        rule: row.rule,
        name: row.name,
        line: row.line,
        resource: row.resource,
        on: row.on.into_iter().map(|on| (on.visible, on.why)).collect(),
    }
}
