//! A frame graph, as engines have it: passes in the order in which they are submitted, each with what it reads and writes.
//!
//! [`FrameGraph::text`] makes scenario text of it, without barriers: one list for each run of passes on a queue, and the fences
//! that passes on different queues need. Which barriers the lists need is left to whoever reads the text. Where resources lie
//! is the caller's: a transient resource says its heap and offset.
//!
//! ```
//! use syncscope::catalog;
//! use syncscope::finding::Source;
//! use syncscope::interop::frame_graph::FrameGraph;
//! use syncscope::place::{Placing, place};
//! use syncscope::run::Options;
//!
//! let graph = FrameGraph::read(r#"{
//!   "schema": 1,
//!   "queues": [{ "name": "gfx", "type": "direct" }, { "name": "async", "type": "compute" }],
//!   "resources": [
//!     { "name": "gbuffer", "texture": { "format": "R16G16B16A16_FLOAT", "width": 1920, "height": 1080 },
//!       "flags": ["RENDER_TARGET"], "initial": "RENDER_TARGET" },
//!     { "name": "histogram", "bytes": 4096, "flags": ["UNORDERED_ACCESS"] }
//!   ],
//!   "passes": [
//!     { "name": "opaque", "queue": "gfx", "pixels": 2073600,
//!       "uses": [{ "access": "RENDER_TARGET", "resource": "gbuffer" }] },
//!     { "name": "count", "queue": "async", "groups": [120, 68, 1],
//!       "uses": [{ "access": "SHADER_RESOURCE", "resource": "gbuffer" },
//!                { "access": "UNORDERED_ACCESS", "resource": "histogram" }] }
//!   ]
//! }"#).expect("a frame graph");
//! let source = Source::new("frame", graph.text().expect("names of the language"));
//! let registry = catalog::registry();
//! let placed = place(&source, &[], &registry, &Options::default(), &Placing::default());
//! let placed = placed.expect("every pass can be served");
//! assert!(placed.source.text.contains("async wait gfx_done 1"));
//! assert_eq!((placed.placed.entries, placed.left.len()), (1, 0));
//! ```

mod model;

pub use model::{FrameGraph, HeapNode, PassNode, QueueNode, ResourceNode, TextureNode, UseNode};

use crate::api::BarrierAccess;
use crate::finding::Source;
use crate::scenario;
use crate::schema::{Schema, schema};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

/// Version of the contract.
pub const VERSION: u32 = 1;

/// What describes the document.
pub(crate) const SCHEMA: Schema = schema!(
    read FrameGraph, "frame-graph", "A frame graph, for `place --from`"
);

/// Why a document is no frame graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoFrameGraph(String);

impl fmt::Display for NoFrameGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoFrameGraph {}

fn no<T>(what: impl Into<String>) -> Result<T, NoFrameGraph> {
    Err(NoFrameGraph(what.into()))
}

/// The text, if every word of the graph is one of the language.
fn understood(text: String) -> Result<String, NoFrameGraph> {
    let source = Source::new("graph", text);
    let (_, findings) = scenario::parse(&source);
    let Some(first) = findings.iter().find(|it| it.severity.fails()) else {
        return Ok(source.text);
    };
    // Every line has the name of its pass, resource or queue.
    let line = source.line(first.span.start) as usize;
    let line = source.text.lines().nth(line - 1).unwrap_or_default();
    let help = first.help.as_ref().map(|it| format!(": {it}"));
    no(format!(
        "{} in `{}`{}",
        first.message,
        line.trim(),
        help.unwrap_or_default()
    ))
}

/// Commands whose uses follow their word.
const WITH_OPERANDS: [&str; 8] = [
    "copy",
    "resolve",
    "clear-rtv",
    "clear-dsv",
    "clear-uav",
    "discard",
    "copy-as",
    "present",
];

/// Passes of one queue that are one list.
struct Run {
    queue: usize,
    passes: Vec<usize>,
    /// Queues on which something must be over before, with the count of their signals.
    waits: Vec<(usize, u64)>,
    /// The count of its queue's signals after it, if somebody waits for it.
    signals: Option<u64>,
}

impl FrameGraph {
    /// Reads a document.
    ///
    /// # Errors
    /// Where the document is no frame graph.
    pub fn read(text: &str) -> Result<Self, NoFrameGraph> {
        let graph: Self = serde_json::from_str(text).map_err(|it| NoFrameGraph(it.to_string()))?;
        if graph.schema != VERSION {
            return no(format!(
                "`schema` is {}, and only {VERSION} is known",
                graph.schema
            ));
        }
        if graph.frames == 0 {
            return no("`frames` is 0: a frame is submitted at least once");
        }
        Ok(graph)
    }

    /// The scenario's text, without barriers.
    ///
    /// # Errors
    /// If a name is unknown, twice there, or no name of the language.
    pub fn text(&self) -> Result<String, NoFrameGraph> {
        let queues = names("queue", self.queues.iter().map(|it| &it.name))?;
        let resources = names("resource", self.resources.iter().map(|it| &it.name))?;
        names("heap", self.heaps.iter().map(|it| &it.name))?;
        let mut text = String::new();
        if let Some(name) = &self.name {
            let _ = writeln!(
                text,
                "scenario \"{}\"\n",
                name.replace(['"', '\\', '\n'], " ")
            );
        }
        for heap in &self.heaps {
            let _ = writeln!(text, "heap {} : {}", heap.name, heap.bytes);
        }
        for resource in &self.resources {
            text.push_str(&resource.text()?);
        }
        for queue in &self.queues {
            let _ = writeln!(text, "queue {} : {}", queue.name, queue.kind);
        }
        let runs = self.runs(&queues, &resources)?;
        let signals: Vec<usize> = runs
            .iter()
            .filter(|it| it.signals.is_some())
            .map(|it| it.queue)
            .collect();
        for (at, queue) in self.queues.iter().enumerate() {
            if self.tells_the_next_frame() || signals.contains(&at) {
                let _ = writeln!(text, "fence {}", fence(&queue.name));
            }
        }
        text.push('\n');
        let mut timeline = String::new();
        let turns = self.frames > 1;
        let indent = if turns { "    " } else { "  " };
        if turns {
            self.wait_for_the_frame_before(&mut timeline);
        }
        for (at, run) in runs.iter().enumerate() {
            self.run(at, run, &mut text, &mut timeline)?;
        }
        if turns {
            for queue in self.queues.iter().filter(|_| self.tells_the_next_frame()) {
                let _ = writeln!(
                    timeline,
                    "{indent}{} signal {} +1",
                    queue.name,
                    fence(&queue.name)
                );
            }
            let _ = writeln!(
                text,
                "timeline {{\n  repeat {} {{\n{timeline}  }}\n}}",
                self.frames
            );
        } else {
            let _ = writeln!(text, "timeline {{\n{timeline}}}");
        }
        understood(text)
    }

    /// Whether each queue tells the next frame that it is done: if there is one, and other queues.
    fn tells_the_next_frame(&self) -> bool {
        self.frames > 1 && self.queues.len() > 1
    }

    fn wait_for_the_frame_before(&self, timeline: &mut String) {
        for queue in &self.queues {
            for other in self.queues.iter().filter(|it| it.name != queue.name) {
                let _ = writeln!(
                    timeline,
                    "    {} wait {} +0",
                    queue.name,
                    fence(&other.name)
                );
            }
        }
    }

    /// Writes a list and its submission. Presents are statements of the timeline.
    fn run(
        &self,
        at: usize,
        run: &Run,
        lists: &mut String,
        timeline: &mut String,
    ) -> Result<(), NoFrameGraph> {
        let queue = &self.queues[run.queue];
        let turns = self.frames > 1;
        let indent = if turns { "    " } else { "  " };
        for (other, count) in &run.waits {
            let value = if turns {
                "+0".to_owned()
            } else {
                count.to_string()
            };
            let other = fence(&self.queues[*other].name);
            let _ = writeln!(timeline, "{indent}{} wait {other} {value}", queue.name);
        }
        let passes: Vec<&PassNode> = run.passes.iter().map(|it| &self.passes[*it]).collect();
        let (presents, works): (Vec<&PassNode>, Vec<&PassNode>) = passes
            .into_iter()
            .partition(|it| it.command.as_deref() == Some("present"));
        if !works.is_empty() {
            let name = format!("{}_{at}", queue.name);
            let _ = writeln!(lists, "list {name} : {} {{", queue.kind);
            for pass in &works {
                let _ = writeln!(lists, "  {}", pass.text(&queue.kind)?);
            }
            lists.push_str("}\n\n");
            let _ = writeln!(timeline, "{indent}{} execute {name}", queue.name);
        }
        for pass in presents {
            let Some(used) = pass.uses.first() else {
                return no(format!(
                    "pass `{}` presents nothing: name a texture in `uses`",
                    pass.name
                ));
            };
            let _ = writeln!(timeline, "{indent}{} present {}", queue.name, used.resource);
        }
        if let Some(count) = run.signals {
            let value = if turns {
                "+1".to_owned()
            } else {
                count.to_string()
            };
            let _ = writeln!(
                timeline,
                "{indent}{} signal {} {value}",
                queue.name,
                fence(&queue.name)
            );
        }
        Ok(())
    }

    /// The passes in lists, with the waits that are not given by others.
    fn runs(
        &self,
        queues: &BTreeMap<&str, usize>,
        resources: &BTreeMap<&str, usize>,
    ) -> Result<Vec<Run>, NoFrameGraph> {
        let mut on = Vec::with_capacity(self.passes.len());
        for pass in &self.passes {
            let Some(queue) = queues.get(pass.queue.as_str()) else {
                return no(format!(
                    "pass `{}` is on the queue `{}`, which is not declared",
                    pass.name, pass.queue
                ));
            };
            for used in &pass.uses {
                if !resources.contains_key(used.resource.as_str()) {
                    return no(format!(
                        "pass `{}` uses `{}`, which is not declared",
                        pass.name, used.resource
                    ));
                }
            }
            on.push(*queue);
        }
        let waits = self.waits(&on);
        let mut is_awaited = vec![false; self.passes.len()];
        for (_, first) in waits.iter().flatten() {
            is_awaited[*first] = true;
        }
        let mut runs: Vec<Run> = Vec::new();
        // The open list of each queue, and its signals so far.
        let mut open: Vec<Option<usize>> = vec![None; self.queues.len()];
        let mut count = vec![0; self.queues.len()];
        let mut signalled = vec![0; self.passes.len()];
        for (at, queue) in on.iter().enumerate() {
            let presents = self.passes[at].command.as_deref() == Some("present");
            let run = match open[*queue] {
                Some(run) if waits[at].is_empty() && !presents => run,
                _ => {
                    runs.push(Run {
                        queue: *queue,
                        passes: Vec::new(),
                        waits: waits[at]
                            .iter()
                            .map(|(other, first)| (*other, signalled[*first]))
                            .collect(),
                        signals: None,
                    });
                    runs.len() - 1
                }
            };
            runs[run].passes.push(at);
            open[*queue] = Some(run).filter(|_| !is_awaited[at] && !presents);
            if is_awaited[at] {
                count[*queue] += 1;
                signalled[at] = count[*queue];
                runs[run].signals = Some(count[*queue]);
            }
        }
        Ok(runs)
    }

    /// For each pass the last ones on other queues that must be over before and are not known to be: a transitive reduction, by
    /// what each queue knows of the others.
    fn waits(&self, on: &[usize]) -> Vec<Vec<(usize, usize)>> {
        let none: Vec<Option<usize>> = vec![None; self.queues.len()];
        let mut known = vec![none.clone(); self.queues.len()];
        // What is over when a pass is.
        let mut after: Vec<Vec<Option<usize>>> = Vec::with_capacity(on.len());
        let mut waits = vec![Vec::new(); on.len()];
        // Passes that use each memory.
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, queue) in on.iter().enumerate() {
            let mut last = none.clone();
            let own = self.passes[at]
                .uses
                .iter()
                .map(|it| self.memory(&it.resource));
            let own: BTreeSet<&str> = own.collect();
            for before in own.iter().filter_map(|it| users.get(it)).flatten() {
                let theirs = on[*before];
                if theirs != *queue && last[theirs] < Some(*before) && self.conflict(*before, at) {
                    last[theirs] = Some(*before);
                }
            }
            for memory in own {
                users.entry(memory).or_default().push(at);
            }
            for (other, first) in last.into_iter().enumerate().rev() {
                let Some(first) = first.filter(|it| known[*queue][other] < Some(*it)) else {
                    continue;
                };
                waits[at].push((other, first));
                let over: &Vec<Option<usize>> = &after[first];
                for (mine, theirs) in known[*queue].iter_mut().zip(over) {
                    *mine = (*mine).max(*theirs);
                }
            }
            let mut over = known[*queue].clone();
            over[*queue] = Some(at);
            after.push(over);
        }
        waits
    }

    /// Whether two passes share a resource, or memory, that one of them writes, or want a texture in two layouts.
    fn conflict(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.passes[one], &self.passes[other]);
        one.uses.iter().any(|first| {
            other.uses.iter().any(|second| {
                let reads = first.reads(one) && second.reads(other);
                let same = first.resource == second.resource;
                let changes = first.access != second.access && self.is_texture(&first.resource);
                same && (!reads || changes)
                    || !same && self.are_aliases(&first.resource, &second.resource)
            })
        })
    }

    fn named(&self, name: &str) -> Option<&ResourceNode> {
        self.resources.iter().find(|it| it.name == name)
    }

    fn is_texture(&self, name: &str) -> bool {
        self.named(name).is_some_and(|it| it.texture.is_some())
    }

    /// What a resource may share memory through: its heap, or itself.
    fn memory<'a>(&'a self, name: &'a str) -> &'a str {
        let heap = self.named(name).and_then(|it| it.heap.as_deref());
        heap.unwrap_or(name)
    }

    /// Whether two resources are in one heap: where the one ends is the format's business.
    fn are_aliases(&self, one: &str, other: &str) -> bool {
        let heap = |name| self.named(name).and_then(|it| it.heap.as_ref());
        heap(one).is_some() && heap(one) == heap(other)
    }
}

/// Names of a kind, each with its index.
fn names<'n>(
    kind: &str,
    names: impl Iterator<Item = &'n String>,
) -> Result<BTreeMap<&'n str, usize>, NoFrameGraph> {
    let mut known = BTreeMap::new();
    for (at, name) in names.enumerate() {
        let mut bytes = name.bytes();
        let starts = bytes
            .next()
            .is_some_and(|it| it.is_ascii_alphabetic() || it == b'_');
        if !(starts && bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_')) {
            return no(format!(
                "`{name}` cannot be the name of a {kind}: letters, digits and `_` can, and no digit first"
            ));
        }
        if known.insert(name.as_str(), at).is_some() {
            return no(format!("the {kind} `{name}` is declared twice"));
        }
    }
    Ok(known)
}

/// The fence that a queue signals.
fn fence(queue: &str) -> String {
    format!("{queue}_done")
}

impl ResourceNode {
    fn text(&self) -> Result<String, NoFrameGraph> {
        let name = &self.name;
        let head = match (&self.texture, self.bytes) {
            (Some(it), None) => {
                let depth = it.depth.map_or_else(String::new, |it| format!("x{it}"));
                format!(
                    "texture {name} : {} {}x{}{depth}",
                    it.format, it.width, it.height
                )
            }
            (None, Some(bytes)) => format!("buffer {name} : {bytes}"),
            _ => return no(format!("`{name}` is either a `texture` or has `bytes`")),
        };
        let mut options = Vec::new();
        let counts = self.texture.iter().flat_map(|it| {
            [
                ("mips", it.mips),
                ("layers", it.layers),
                ("samples", it.samples),
            ]
        });
        options.extend(counts.filter_map(|(word, count)| Some(format!("{word} {}", count?))));
        if !self.flags.is_empty() {
            options.push(format!("flags {}", self.flags.join("|")));
        }
        options.extend(self.initial.iter().map(|it| format!("initial {it}")));
        options.extend(
            self.heap
                .iter()
                .map(|it| format!("heap {it} at {}", self.offset)),
        );
        options.extend(self.keep.then(|| "keep".to_owned()));
        Ok(format!("{head} {{ {} }}\n", options.join("; ")))
    }
}

impl PassNode {
    /// The command, or the one that its queue is for.
    fn command<'a>(&'a self, queue: &'a str) -> &'a str {
        self.command.as_deref().unwrap_or(match queue {
            "direct" => "draw",
            "compute" => "dispatch",
            "copy" => "copy",
            other => other,
        })
    }

    fn text(&self, queue: &str) -> Result<String, NoFrameGraph> {
        let command = self.command(queue);
        if WITH_OPERANDS.contains(&command) {
            let uses: Vec<String> = self.uses.iter().map(UseNode::part).collect();
            return Ok(format!("{command} {}", uses.join(" -> ")));
        }
        let mut words = vec![
            command.to_owned(),
            format!("\"{}\"", self.name.replace(['"', '\\', '\n'], " ")),
        ];
        if let Some([x, y, z]) = self.groups {
            words.push(format!("{x}x{y}x{z}"));
        } else if command == "dispatch" {
            return no(format!(
                "pass `{}` is a dispatch: `groups` says how many thread groups",
                self.name
            ));
        }
        words.extend(self.vertices.map(|it| format!("vertices {it}")));
        words.extend(self.pixels.map(|it| format!("pixels {it}")));
        words.extend(self.takes_ns.map(|it| format!("takes {it}ns")));
        let mut uses = Vec::new();
        for used in &self.uses {
            let Some(access) = &used.access else {
                return no(format!(
                    "pass `{}`: the use of `{}` has no `access`",
                    self.name, used.resource
                ));
            };
            let stages = match used.stages.join("|") {
                stages if stages.is_empty() => stages,
                stages => format!(" @ {stages}"),
            };
            let mode = used
                .mode
                .as_ref()
                .map_or_else(String::new, |it| format!(" {it}"));
            uses.push(format!("{access} {}{stages}{mode}", used.part()));
        }
        Ok(format!("{} {{ {} }}", words.join(" "), uses.join("; ")))
    }
}

impl UseNode {
    fn part(&self) -> String {
        match &self.range {
            Some(range) => format!("{}[{range}]", self.resource),
            None => self.resource.clone(),
        }
    }

    /// Whether it certainly only reads. Of a command with operands the first one is read, if there are two.
    fn reads(&self, of: &PassNode) -> bool {
        match (&self.access, self.mode.as_deref()) {
            (_, Some("reads")) => true,
            (Some(access), _) => {
                BarrierAccess::parse_one(access).is_some_and(|access| !access.writes())
            }
            (None, _) => of.uses.len() > 1 && std::ptr::eq(self, &raw const of.uses[0]),
        }
    }
}
