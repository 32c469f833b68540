//! What a beat says: one sentence, with its subject and its cause. It knows what has happened up to the beat.

use super::{Beat, BeatKind, Beats, Found, Given, Hold, Left, Moved, Read, Stage, Wrong};
use crate::analyze::names;
use crate::finding::{Source, Span};
use crate::id::{BarrierRef, CacheId, NodeId, OpId, ResourceId, SubmissionId};
use crate::order::{Actor, SubmissionKind};
use crate::program::{BarrierRole, HwOpKind};
use crate::trace::ObservationKind;
use crate::trace::contents::{Holder, Writer};

/// Commands of a submission that are named.
const NAMED_MAX: usize = 4;
/// Versions of one read that are named.
const FOUND_MAX: usize = 3;

/// Tells beats in words.
#[derive(Copy, Clone)]
pub struct Teller<'a> {
    /// The text.
    pub source: &'a Source,
    /// What the beats are made of.
    pub given: Given<'a>,
    /// Ids of the rules that explain each wrong read, by the index of its observation.
    pub explained: &'a [Vec<&'static str>],
    /// Why each wait of [`stuck`](crate::trace::Trace::stuck) never ends.
    pub stuck: &'a [String],
}

impl Teller<'_> {
    /// The sentence of a beat.
    pub fn says(&self, beats: &Beats, beat: &Beat) -> String {
        match &beat.kind {
            BeatKind::Submitted(submission) => self.submitted(*submission),
            BeatKind::Starts(Some(leaf)) => {
                format!("{} starts {}.", self.subject(beat), leaf.name())
            }
            BeatKind::Starts(None) => format!("{} begins.", self.subject(beat)),
            BeatKind::Held { by, stage } => {
                let subject = self.subject(beat);
                let subject = match stage {
                    Some(leaf) => format!("{} of {subject}", leaf.name()),
                    None => subject,
                };
                capital(&self.held(beat, &subject, *by))
            }
            BeatKind::Released { by, waited } => {
                let after = format!(" after {waited}");
                capital(&self.released(beat, *by, &after))
            }
            BeatKind::Reads(read) => self.reads(beats, beat, read),
            BeatKind::WriteEnds {
                resource,
                left,
                is_fast,
                ..
            } => {
                let what = if *is_fast {
                    " (a fast clear: metadata only)"
                } else {
                    ""
                };
                self.write_ends(beats, beat, (*resource, left), what)
            }
            BeatKind::Cleaned(moved) => self.cleaned(beats, beat, *moved),
            BeatKind::Dropped(moved) => self.dropped(beats, beat, *moved),
            BeatKind::Rewritten {
                resource,
                operation,
            } => self.rewritten(beats, beat, (*resource, operation)),
            BeatKind::Fence { fence, value } => {
                let name = self.given.timeline.scenario.fence_name(*fence);
                let subject = self.subject(beat);
                match self.submission_kind(beat.node) {
                    SubmissionKind::Reset => {
                        format!(
                            "Fence `{name}` goes to {value}: {subject} wakes what waits for it."
                        )
                    }
                    _ => format!("Fence `{name}` reaches {value}: {subject} is done."),
                }
            }
            BeatKind::Hazard { finding, met } => self.hazard(beat, *finding, *met),
            BeatKind::NeverEnds(stuck) => format!(
                "{} {}: the wait never ends.",
                self.subject(beat),
                self.stuck.get(*stuck).map_or("", String::as_str)
            ),
            BeatKind::NeverStarts => format!(
                "{} never starts: {} does not come to it.",
                capital(&self.subject(beat)),
                self.queue(beat.node)
            ),
        }
    }

    /// Name of the queue that carries a node out, or `cpu`.
    pub fn queue(&self, node: NodeId) -> &str {
        let submission = self
            .given
            .timeline
            .submission(self.given.timeline.submission_of(node));
        self.given.timeline.actor_name(submission.actor)
    }

    /// Id of a beat's command or barrier entry, as in a report.
    pub fn id(&self, beat: &Beat) -> String {
        match self.entry(beat.op) {
            Some(entry) => self.given.timeline.barrier_name(entry),
            None => self.given.timeline.node_name(beat.node),
        }
    }

    /// The line of the text that a beat is about.
    pub fn line(&self, beat: &Beat) -> u32 {
        let span = match beat.kind {
            BeatKind::Hazard { finding, .. } => self.given.findings[finding].span,
            BeatKind::Submitted(submission) => {
                self.given.timeline.submission(submission).statement.span
            }
            _ => self.span(beat.op, beat.node),
        };
        self.source.line(span.start)
    }

    /// A place's name.
    pub fn place(&self, place: u32) -> String {
        let Holder {
            cache, of_writers, ..
        } = self.given.contents.places[place as usize];
        match cache {
            None => "memory".to_owned(),
            Some(cache) if of_writers => format!("{} (writers')", self.cache(cache)),
            Some(cache) => self.cache(cache).to_owned(),
        }
    }

    /// The name of the place that has a write first: of a cache with an instance for writers, that one.
    pub fn landing(&self, cache: Option<CacheId>) -> String {
        let places = self.given.contents.places.iter().zip(0..);
        let own = places.filter(|(holder, _)| holder.cache == cache);
        let own = own.max_by_key(|(holder, _)| holder.of_writers);
        own.map_or_else(|| self.from(cache).to_owned(), |(_, at)| self.place(at))
    }

    /// Whether a write landed while the read went on.
    pub fn is_late(&self, read: &Read) -> bool {
        self.kind(read) == Some(ObservationKind::Late)
    }

    /// What is wrong with a read.
    pub(super) fn kind(&self, read: &Read) -> Option<ObservationKind> {
        let wrong = read.wrong.as_ref()?;
        Some(self.given.trace.observations[wrong.observation].kind)
    }

    /// A resource's name.
    pub fn resource(&self, id: ResourceId) -> &str {
        self.given.timeline.scenario.resource_name(id)
    }

    /// A cache's name.
    pub fn cache(&self, id: CacheId) -> &str {
        &self.given.profile.cache(id).name
    }

    /// The barrier entry of a packet, if it stands for one.
    pub(super) fn entry(&self, op: Option<OpId>) -> Option<BarrierRef> {
        let origin = self.given.program.op(op?).origin;
        let entry = origin.entry?;
        Some(BarrierRef::new(origin.node, entry))
    }

    fn span(&self, op: Option<OpId>, node: NodeId) -> Span {
        let entry = self.entry(op);
        let entry = entry.and_then(|entry| names::entry(self.given.timeline, entry));
        entry.map_or_else(|| self.given.timeline.span(node), |entry| entry.span)
    }

    /// Whose beat it is.
    pub(super) fn subject(&self, beat: &Beat) -> String {
        match beat.op {
            Some(op) => self.packet(op),
            None => names::named(self.given.timeline, beat.node),
        }
    }

    /// A packet as people call it.
    pub(super) fn packet(&self, op: OpId) -> String {
        let packet = self.given.program.op(op);
        let node = packet.origin.node;
        let named = || names::named(self.given.timeline, node);
        let HwOpKind::Barrier(barrier) = packet.kind else {
            return named();
        };
        if let Some(entry) = self.entry(Some(op)) {
            let line = self.source.line(self.span(Some(op), node).start);
            let name = self.given.timeline.barrier_name(entry);
            return format!("the barrier at line {line} ({name})");
        }
        let queue = self.queue(node);
        match barrier.role {
            BarrierRole::ScopeBegin => format!("the start of the scope on {queue}"),
            BarrierRole::ScopeEnd => format!("the end of the scope on {queue}"),
            BarrierRole::PassBegin => "the start of the render pass".to_owned(),
            BarrierRole::PassEnd => "the end of the render pass".to_owned(),
            BarrierRole::Present => format!("what {} needs", named()),
            BarrierRole::Unasked => format!("a packet of no barrier before {}", named()),
            _ if self.given.program.switches_engine(op) => {
                format!("the switch of engines before {}", named())
            }
            _ => format!("the end of {}", named()),
        }
    }

    pub(super) fn stage(&self, stage: Stage) -> String {
        let whose = self.packet(stage.op);
        match stage.leaf {
            Some(leaf) => format!("{} of {whose}", leaf.name()),
            None => whose,
        }
    }

    fn submitted(&self, submission: SubmissionId) -> String {
        let own = self.given.timeline.submission(submission);
        let mut labels: Vec<String> = Vec::new();
        let mut barriers = 0;
        for index in 0..own.nodes {
            let node = NodeId(own.first_node.0 + index);
            match self.given.timeline.command(node) {
                Some(command) if names::is_work(command) => {
                    labels.push(names::command_label(command));
                }
                Some(command) => barriers += command.kind.barriers().len(),
                None => labels.push(names::node_label(self.given.timeline, node)),
            }
        }
        let more = labels.len().saturating_sub(NAMED_MAX);
        labels.truncate(NAMED_MAX);
        if more > 0 {
            labels.push(format!("{more} more"));
        }
        match barriers {
            0 => {}
            1 => labels.push("a barrier".to_owned()),
            many => labels.push(format!("{many} barriers")),
        }
        let all = match labels.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => "nothing".to_owned(),
        };
        let queue = self.given.timeline.actor_name(own.actor);
        format!("The CPU submits {all} to {queue}.")
    }

    fn held(&self, beat: &Beat, subject: &str, by: Hold) -> String {
        match by {
            Hold::Barrier(op, until) => {
                let barrier = self.packet(op);
                match until {
                    Some(stage) => format!(
                        "{subject} is held by {barrier}, which waits until {} is done.",
                        self.stage(stage)
                    ),
                    None => format!("{subject} is held by {barrier}, which is not over yet."),
                }
            }
            Hold::Work(stage) => format!("{subject} waits until {} is done.", self.stage(stage)),
            Hold::Fence(fence, value) => format!(
                "{subject} holds {} until fence `{}` reaches {value}.",
                self.actor(beat.node),
                self.given.timeline.scenario.fence_name(fence)
            ),
            Hold::Idle => {
                let queue = self.queue(beat.node);
                format!("{subject} waits until everything before it on {queue} is done.")
            }
            Hold::Slot => {
                format!("{subject} waits for its turn: too many packets are in flight.")
            }
            Hold::Reset => format!("{subject} is dropped by a GPU reset."),
        }
    }

    fn released(&self, beat: &Beat, by: Option<Hold>, after: &str) -> String {
        let subject = self.subject(beat);
        match by {
            Some(Hold::Barrier(op, _)) => {
                // The front end may go on while the barrier's operations do.
                let still = self.given.trace.ops[op].retired > beat.at;
                let wait = if still { "the wait of " } else { "" };
                format!(
                    "{subject} goes on{after}: {wait}{} is over.",
                    self.packet(op)
                )
            }
            Some(Hold::Work(stage)) => {
                format!("{subject} is over: {} is done.", self.stage(stage))
            }
            Some(Hold::Fence(fence, value)) => format!(
                "{} goes on{after}: fence `{}` has reached {value}, {subject} is over.",
                self.actor(beat.node),
                self.given.timeline.scenario.fence_name(fence)
            ),
            Some(Hold::Idle) => format!("{subject} goes on{after}: its queue is idle."),
            Some(Hold::Slot) => format!("{subject} goes on{after}: there is room for it."),
            Some(Hold::Reset) => format!("A GPU reset drops {subject}{after}."),
            None => format!("{subject} is over: no work was left to wait for."),
        }
    }

    fn submission_kind(&self, node: NodeId) -> SubmissionKind {
        let timeline = self.given.timeline;
        timeline.submission(timeline.submission_of(node)).kind
    }

    fn actor(&self, node: NodeId) -> &str {
        let submission = self
            .given
            .timeline
            .submission(self.given.timeline.submission_of(node));
        match submission.actor {
            Actor::Cpu => "the CPU",
            queue @ Actor::Queue(_) => self.given.timeline.actor_name(queue),
        }
    }

    /// A version with its resource: ``version 1 of `hdr` ``.
    fn version(&self, beats: &Beats, writer: Option<Writer>, resource: ResourceId) -> String {
        let resource = writer.map_or(resource, |writer| writer.resource);
        let number = beats.versions.number(writer);
        format!("version {number} of `{}`", self.resource(resource))
    }

    /// Whose a version is.
    fn whose(&self, writer: Option<Writer>) -> String {
        match writer {
            Some(writer) => format!(
                "what {} wrote",
                names::named(self.given.timeline, writer.node)
            ),
            None => "initial contents".to_owned(),
        }
    }

    fn from(&self, from: Option<CacheId>) -> &str {
        from.map_or("memory", |cache| self.cache(cache))
    }

    fn reads(&self, beats: &Beats, beat: &Beat, read: &Read) -> String {
        let subject = self.subject(beat);
        let name = self.resource(read.resource);
        let one = |found: &Found| {
            let version = self.version(beats, found.writer, read.resource);
            format!("{version} from {}", self.from(found.from))
        };
        if let Some(wrong) = &read.wrong {
            let end = match self.explained.get(wrong.observation) {
                Some(rules) if !rules.is_empty() => format!(": {}.", rules.join(", ")),
                _ => ".".to_owned(),
            };
            let found = &read.found[0];
            return self.misreads(beats, (&subject, read.resource), (found, one(found)), wrong)
                + &end;
        }
        let mut parts: Vec<(Option<Writer>, Vec<&str>)> = Vec::new();
        for found in &read.found {
            let from = self.from(found.from);
            match parts.iter_mut().find(|(writer, _)| *writer == found.writer) {
                Some((_, places)) => places.push(from),
                None => parts.push((found.writer, vec![from])),
            }
        }
        let one = |(writer, places): &(Option<Writer>, Vec<&str>)| {
            let version = self.version(beats, *writer, read.resource);
            format!("{version} from {}", places.join(" and "))
        };
        if let [part] = parts.as_slice() {
            return format!("{subject} reads {}: {}.", one(part), self.whose(part.0));
        }
        let more = parts.len().saturating_sub(FOUND_MAX);
        let mut said: Vec<String> = parts.iter().take(FOUND_MAX).map(one).collect();
        if more > 0 {
            said.push(format!("and {more} more"));
        }
        format!("{subject} reads `{name}` in parts: {}.", said.join(", "))
    }

    /// A wrong read, without the rule that explains it.
    fn misreads(
        &self,
        beats: &Beats,
        (subject, resource): (&str, ResourceId),
        (found, one): (&Found, String),
        wrong: &Wrong,
    ) -> String {
        let observation = &self.given.trace.observations[wrong.observation];
        let name = self.resource(resource);
        let expected = self.version(beats, wrong.expected, resource);
        let writer = |it: Option<Writer>| match it {
            Some(writer) => names::named(self.given.timeline, writer.node),
            None => "nobody".to_owned(),
        };
        match observation.kind {
            ObservationKind::Stale | ObservationKind::Early if wrong.is_unwritten => format!(
                "{subject} reads {one}, too early; {} has not written {expected} yet",
                writer(wrong.expected)
            ),
            ObservationKind::Early => format!(
                "{subject} reads {one}, which {} wrote too early; it should find {expected}",
                writer(found.writer)
            ),
            ObservationKind::Stale if wrong.places.is_empty() => {
                format!("{subject} reads {one}, which is stale; it should find {expected}")
            }
            ObservationKind::Stale => {
                let places: Vec<String> = wrong.places.iter().map(|p| self.place(*p)).collect();
                format!(
                    "{subject} reads {one}, which is stale; {expected} is in {}",
                    places.join(" and ")
                )
            }
            ObservationKind::Torn => format!(
                "{subject} reads {one}; part of {expected} is lost, overwritten with its line"
            ),
            ObservationKind::Undefined => {
                format!("{subject} reads `{name}`, whose contents are undefined")
            }
            ObservationKind::Undecoded => {
                format!("{subject} reads {one} and cannot decode it: it is stored in another form")
            }
            ObservationKind::Late => format!(
                "{subject} still reads `{name}` when {} ends its write, and goes on for {}",
                writer(found.writer),
                observation.went_on
            ),
        }
    }

    fn write_ends(
        &self,
        beats: &Beats,
        beat: &Beat,
        (resource, left): (ResourceId, &Left),
        what: &str,
    ) -> String {
        let node = beat.node;
        let version = self.version(beats, Some(Writer { node, resource }), resource);
        let version = format!("{version}{what}");
        let subject = self.subject(beat);
        let what = match left {
            Left::Nothing => format!("{version}, overwritten at once"),
            Left::Whole(place) => {
                let yet = match self.given.contents.places[*place as usize].cache {
                    Some(_) => ", not yet in memory",
                    None => "",
                };
                format!("{version} is in {}{yet}", self.place(*place))
            }
            Left::Parts(parts) => {
                let mut names: Vec<String> = parts.iter().map(|part| self.place(*part)).collect();
                names.dedup();
                match names.split_last() {
                    Some((last, rest)) if !rest.is_empty() => {
                        format!(
                            "{version} is in {} and {last}, a part in each",
                            rest.join(", ")
                        )
                    }
                    _ => format!(
                        "{version} is in {}, but for what is overwritten at once",
                        names.concat()
                    ),
                }
            }
        };
        format!("{subject} ends its write: {what}.")
    }

    fn rewritten(&self, beats: &Beats, beat: &Beat, (id, operation): (ResourceId, &str)) -> String {
        let (subject, name) = (self.subject(beat), self.resource(id));
        let writer = Writer {
            node: beat.node,
            resource: id,
        };
        capital(&match beats.versions.number(Some(writer)) {
            0 => format!("{subject} rewrites how `{name}` is stored: {operation}."),
            own => format!(
                "{subject} gives up what `{name}` held: version {own} is undefined ({operation})."
            ),
        })
    }

    fn cleaned(&self, beats: &Beats, beat: &Beat, moved: Moved) -> String {
        let version = self.moved(beats, moved);
        let place = self.place(moved.place);
        let cache = self.given.contents.places[moved.place as usize].cache;
        let parent = cache.and_then(|cache| self.given.profile.cache(cache).parent);
        let into = self.from(parent);
        match self.barrier(beat) {
            Some(barrier) => capital(&format!(
                "{barrier} writes {version} back from {place} to {into}."
            )),
            None => format!("{place} writes {version} back to {into}."),
        }
    }

    /// What a place gives away.
    fn moved(&self, beats: &Beats, moved: Moved) -> String {
        let version = self.version(beats, moved.writer, moved.resource);
        if moved.is_part {
            format!("part of {version}")
        } else {
            version
        }
    }

    fn dropped(&self, beats: &Beats, beat: &Beat, moved: Moved) -> String {
        let version = self.moved(beats, moved);
        let place = self.place(moved.place);
        match self.barrier(beat) {
            Some(barrier) => capital(&format!(
                "{barrier} drops {version} from {place}: a later read does not find it there."
            )),
            None => format!("{place} drops {version}: a later read does not find it there."),
        }
    }

    /// The barrier packet that a beat is of, if it is one.
    fn barrier(&self, beat: &Beat) -> Option<String> {
        let op = beat.op?;
        let is_barrier = matches!(self.given.program.op(op).kind, HwOpKind::Barrier(_));
        is_barrier.then(|| self.packet(op))
    }

    fn hazard(&self, beat: &Beat, finding: usize, met: bool) -> String {
        let found = &self.given.findings[finding];
        // What a bad read has to do with it, the report has found out; a command may have another one.
        let shown = match found.visible {
            Some(true) => "This run shows it.",
            _ if !met && !self.given.trace.command(beat.node).ran() => "One of the two never ran.",
            _ => "This run does not show it.",
        };
        let message = found.message.trim_end_matches('.');
        format!("{} {}: {message}. {shown}", found.rule.id, found.rule.name)
    }
}

fn capital(sentence: &str) -> String {
    match sentence.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => sentence.to_owned(),
    }
}
