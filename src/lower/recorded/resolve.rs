//! Names of a recording, looked up in a profile.

use super::format::{OpLine, PacketLine, WORK};
use super::places::{Placed, Places};
use super::trace::TraceLine;
use super::{Recorded, RecordedPacket, RecordedStep, mistakes};
use crate::api::{BarrierSync, LeafSet};
use crate::finding::{Finding, Span};
use crate::hardware::{Profile, WritePolicy};
use crate::id::LayoutOpId;
use crate::lower::rules::suggest;

/// The lowering that lines of one driver are, about one program on one profile; what it has no names for, and calls that have
/// no line.
pub fn resolve(
    places: &Places,
    lines: &[(&TraceLine, Placed)],
    profile: &Profile,
    findings: &mut Vec<Finding>,
) -> Recorded {
    let recorded = resolve_some(lines, profile, findings);
    let without = |node: &&_| !recorded.has_call(**node);
    let mut missing = places.calls().iter().filter(without);
    let first = missing.next();
    if let (Some((last, _)), Some(first)) = (lines.last(), first) {
        let (count, all) = (1 + missing.count(), places.calls().len());
        let first = places.name_of(*first);
        let message = format!(
            "{count} of the {all} barrier calls of the scenario have no line, the first is {first}"
        );
        let finding = Finding::new(&mistakes::WITHOUT_PACKET, last.span, message)
            .note("they are judged as if the driver had written nothing for them")
            .help("a call for which the driver writes nothing has a line without operations: `{\"schema\":1}`");
        findings.push(finding);
    }
    recorded
}

/// The same for lines that need not name every call: one without a line gets nothing.
pub fn resolve_some(
    lines: &[(&TraceLine, Placed)],
    profile: &Profile,
    findings: &mut Vec<Finding>,
) -> Recorded {
    let mut recorded = Recorded::default();
    for (line, placed) in lines {
        let mut names = Names {
            profile,
            span: line.span,
            findings,
        };
        let mut packet = names.packet(&line.packet);
        match placed {
            Placed::Call(node) => match &line.packet.entries {
                Some(entries) => recorded.add_part(*node, entries.clone(), packet),
                None => *recorded.call_mut(*node) = packet,
            },
            Placed::Unasked(spot) => {
                names.without_layout(&mut packet, &line.packet);
                recorded.add_unasked(*spot, packet);
            }
        }
    }
    recorded
}

/// Looks the names of one line up.
struct Names<'a> {
    profile: &'a Profile,
    span: Span,
    findings: &'a mut Vec<Finding>,
}

impl Names<'_> {
    fn packet(&mut self, line: &PacketLine) -> RecordedPacket {
        let sets = self.sets(line);
        let packet = RecordedPacket {
            wait: self.stages(&line.wait),
            hold: line.hold.as_deref().map(|hold| self.stages(hold)),
            steps: sets,
        };
        if line.ops.is_empty() {
            return packet.in_usual_order(self.profile);
        }
        if !packet.steps.is_empty() {
            self.both_ways();
        }
        let ops = line.ops.iter();
        RecordedPacket {
            steps: ops.filter_map(|op| self.op(op)).collect(),
            ..packet
        }
    }

    /// The operations of which a line says no order.
    fn sets(&mut self, line: &PacketLine) -> Vec<RecordedStep> {
        let mut steps = Vec::new();
        for name in &line.flush {
            steps.extend(self.flush(name));
        }
        for name in &line.layout {
            steps.extend(self.layout(name));
        }
        for name in &line.invalidate {
            steps.extend(self.invalidate(name));
        }
        if line.front_end {
            steps.push(RecordedStep::FrontEnd);
        }
        steps
    }

    fn op(&mut self, op: &OpLine) -> Option<RecordedStep> {
        match op {
            OpLine::Flush(name) => self.flush(name),
            OpLine::Invalidate(name) => self.invalidate(name),
            OpLine::Layout(name) => self.layout(name),
            OpLine::FrontEnd => Some(RecordedStep::FrontEnd),
        }
    }

    fn flush(&mut self, name: &str) -> Option<RecordedStep> {
        let Some(cache) = self.profile.cache_named(name) else {
            self.unknown_cache(name);
            return None;
        };
        if self.profile.cache(cache).policy == WritePolicy::WriteBack {
            return Some(RecordedStep::Clean(cache));
        }
        self.never_dirty(name);
        None
    }

    fn invalidate(&mut self, name: &str) -> Option<RecordedStep> {
        let cache = self.profile.cache_named(name);
        if cache.is_none() {
            self.unknown_cache(name);
        }
        cache.map(RecordedStep::Invalidate)
    }

    fn both_ways(&mut self) {
        let message =
            "the packet has `ops` and one of `flush`, `layout`, `invalidate` and `front_end`";
        let finding = Finding::new(&mistakes::IMPOSSIBLE, self.span, message)
            .note("what `ops` says is kept; the others are left out")
            .help(
                "say it in one of the two ways: `ops` has an order, the others have the usual one",
            );
        self.findings.push(finding);
    }

    fn stages(&mut self, names: &[String]) -> LeafSet {
        let mut all = LeafSet::EMPTY;
        for name in names {
            // `NONE` is a stage that nobody waits for.
            let leaves = BarrierSync::parse_one(name).map(BarrierSync::leaves);
            match leaves.filter(|leaves| !leaves.is_empty() || name == "NONE") {
                Some(leaves) => all = all.union(leaves),
                None => self.unknown("stage", name, &stages()),
            }
        }
        all
    }

    /// An operation by its name, or whichever the barrier needs.
    fn layout(&mut self, name: &str) -> Option<RecordedStep> {
        if name == WORK {
            return Some(RecordedStep::Layout(None));
        }
        let profile = self.profile;
        let mut ops = profile.layout_ops.iter();
        if let Some(at) = ops.position(|op| op.name == name) {
            return Some(RecordedStep::Layout(Some(LayoutOpId::new(at))));
        }
        let ops = profile.layout_ops.iter().map(|op| op.name.as_str());
        let known: Vec<&str> = std::iter::once(WORK).chain(ops).collect();
        self.unknown("layout operation", name, &known);
        None
    }

    fn unknown_cache(&mut self, name: &str) {
        let profile = self.profile;
        let ids = profile.cache_ids();
        let known: Vec<&str> = ids.map(|id| profile.cache(id).name.as_str()).collect();
        self.unknown("cache", name, &known);
    }

    fn unknown(&mut self, what: &str, name: &str, known: &[&str]) {
        let shown = suggest::cut(name);
        let message = match what {
            "stage" => format!("there is no stage `{shown}`"),
            _ => format!(
                "the profile `{}` has no {what} `{shown}`",
                self.profile.name
            ),
        };
        let finding = Finding::new(&mistakes::UNKNOWN_NAME, self.span, message)
            .note("the name is left out; the rest of the packet is kept")
            .help(suggest::known(name, known));
        self.findings.push(finding);
    }

    fn never_dirty(&mut self, name: &str) {
        let message = format!(
            "the packet writes back `{}`, which is never dirty on the profile `{}`",
            suggest::cut(name),
            self.profile.name
        );
        let finding = Finding::new(&mistakes::IMPOSSIBLE, self.span, message)
            .note("the write-back is left out; the rest of the packet is kept")
            .help("a cache that only holds what others wrote is dropped: `invalidate`");
        self.findings.push(finding);
    }

    /// Where no barrier is there is nothing whose layout changes.
    fn without_layout(&mut self, packet: &mut RecordedPacket, line: &PacketLine) {
        let is_layout = |step: &RecordedStep| matches!(step, RecordedStep::Layout(_));
        if !packet.steps.iter().any(is_layout) {
            return;
        }
        packet.steps.retain(|step| !is_layout(step));
        let message = format!(
            "a layout operation at `{}`, where no barrier says what it is about",
            line.at.word()
        );
        let finding = Finding::new(&mistakes::IMPOSSIBLE, self.span, message)
            .note("the layout operation is left out; the rest of the packet is kept")
            .help("give it to the barrier call that changes the layout");
        self.findings.push(finding);
    }
}

/// The names of stages: `SPLIT` is none.
fn stages() -> Vec<&'static str> {
    let names = BarrierSync::names().iter().copied();
    names.filter(|name| *name != "SPLIT").collect()
}
