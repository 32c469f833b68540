//! What a beat moves: which version, from which box to which.

use super::machine::{Machine, Ways};
use super::{ActRow, HoldRow, Places, SceneRow, Shown, SideRow, Token};
use crate::analyze::beats::{Beat, BeatKind, Beats, Found, Moved, Read, Teller, Wrong};
use crate::id::{CacheId, NodeId, OpId, PathId, ResourceId, narrow};
use crate::lookup::{LookupMap, LookupSet};
use crate::program::{Block, Client, HwOp, HwOpKind};
use crate::time::Ps;
use crate::trace::contents::Writer;

/// Reads beats.
pub(super) struct Acts<'a> {
    teller: &'a Teller<'a>,
    told: &'a Beats,
    machine: &'a Machine,
    rows: LookupMap<ResourceId, u32>,
    /// The packet of each command that has accesses.
    packets: LookupMap<NodeId, (&'a Block, &'a HwOp)>,
    /// The commands of hazards, by their ids in a report.
    parties: LookupMap<String, NodeId>,
    /// Write-backs that beats tell: when, and of which place.
    told_back: LookupSet<(Ps, u32, Token)>,
    /// The path of each use that reads: packet, command with the use, its index.
    paths: LookupMap<(OpId, NodeId, u16), PathId>,
    ways: Ways<'a>,
}

impl<'a> Acts<'a> {
    pub(super) fn new(
        teller: &'a Teller<'a>,
        told: &'a Beats,
        shown: &[Shown],
        machine: &'a Machine,
    ) -> Self {
        let given = teller.given;
        let has_accesses = |op: &HwOp| matches!(op.kind, HwOpKind::Work(_) | HwOpKind::Client(_));
        let packets = given.program.ops().filter(|(_, op)| has_accesses(op));
        let rows = shown.iter().enumerate();
        let reads = given.contents.reads.iter();
        let mut acts = Self {
            told_back: LookupSet::default(),
            parties: parties(teller),
            paths: reads
                .map(|r| ((r.op, r.use_node, r.use_index), r.path))
                .collect(),
            teller,
            told,
            machine,
            rows: rows.map(|(row, one)| (one.id, narrow(row))).collect(),
            packets: packets
                .map(|(block, op)| (op.origin.node, (block, op)))
                .collect(),
            ways: Ways {
                profile: given.profile,
                contents: given.contents,
            },
        };
        for beat in &told.beats {
            if let BeatKind::Cleaned(moved) = &beat.kind
                && let Some(token) = acts.token(moved.writer, moved.resource)
            {
                acts.told_back.insert((beat.at, moved.place, token));
            }
        }
        acts
    }

    /// What a beat moves and marks.
    pub(super) fn scene(&self, beat: &Beat) -> SceneRow {
        let mut scene = SceneRow::default();
        match &beat.kind {
            BeatKind::Reads(read) => self.reads(beat, read, &mut scene),
            BeatKind::WriteEnds {
                resource, place, ..
            } => {
                scene.acts.extend(self.writes(beat, (*resource, *place)));
            }
            BeatKind::Cleaned(moved) => {
                let way = self.ways.written_back(moved.place);
                scene.acts.extend(self.moves("write-back", *moved, &way));
            }
            BeatKind::Dropped(moved) => {
                scene
                    .acts
                    .extend(self.moves("drop", *moved, &[moved.place]));
            }
            BeatKind::Hazard { finding, .. } => scene.sides = self.sides(*finding),
            _ => {}
        }
        scene
    }

    fn token(&self, writer: Option<Writer>, resource: ResourceId) -> Option<Token> {
        let of = writer.map_or(resource, |writer| writer.resource);
        let resource = *self.rows.get(&of)?;
        let number = narrow(self.told.versions.number(writer));
        Some(Token { resource, number })
    }

    /// The boxes of places; none if one has no box.
    fn boxes(&self, places: &[u32]) -> Option<Vec<u32>> {
        let all = places.iter().map(|at| self.machine.of_place[*at as usize]);
        all.collect()
    }

    fn outside(&self, op: OpId) -> Option<Client> {
        match self.teller.given.program.op(op).kind {
            HwOpKind::Client(own) => Some(own.client),
            _ => None,
        }
    }

    /// A read comes from the place that answers, through the caches before it, to its client. What it should have found is
    /// marked where it is.
    fn reads(&self, beat: &Beat, read: &Read, scene: &mut SceneRow) {
        let Some(op) = beat.op else { return };
        // A late read is told when the write lands: where it took which bytes from, nobody knows.
        let is_late = self.teller.is_late(read);
        for found in read.found.iter().filter(|_| !is_late) {
            let token = self.token(found.writer, read.resource);
            let way = self.read_way(beat, (op, read), *found);
            if let Some((token, way)) = token.zip(way) {
                scene.acts.push(ActRow {
                    kind: "read",
                    token,
                    way,
                    wrong: read.wrong.is_some(),
                    aside: false,
                });
            }
        }
        if let Some(wrong) = &read.wrong {
            scene.expected = self.token(wrong.expected, read.resource);
            scene.right = self.right(wrong);
        }
    }

    fn right(&self, wrong: &Wrong) -> Vec<u32> {
        let places = wrong.places.iter();
        let boxes = places.filter_map(|at| self.machine.of_place[*at as usize]);
        boxes.collect()
    }

    fn read_way(&self, beat: &Beat, (op, read): (OpId, &Read), found: Found) -> Option<Vec<u32>> {
        let path = self.read_path(beat, (op, read), found)?;
        let path = self.teller.given.profile.path(path);
        let client = self.machine.client(self.outside(op), path)?;
        let path = match found.from {
            Some(from) if !path.contains(&from) => {
                let packet = self.packets.get(&beat.node)?;
                let asked = (read.resource, from);
                Machine::metadata(*packet, asked, self.ways.profile)?
            }
            _ => path,
        };
        let end = match found.from {
            Some(cache) => path.iter().position(|own| *own == cache)?,
            None => path.len(),
        };
        let places = self.ways.places(path, false);
        let mut way = vec![client];
        way.extend(self.boxes(&places[..=end])?);
        way.reverse();
        Some(way)
    }

    /// The path of a read: that of the use that found this. Of a wrong read, the trace names the use.
    fn read_path(&self, beat: &Beat, (op, read): (OpId, &Read), found: Found) -> Option<PathId> {
        let given = self.teller.given;
        if let Some(wrong) = &read.wrong {
            let o = &given.trace.observations[wrong.observation];
            return self.paths.get(&(op, o.use_node, o.use_index)).copied();
        }
        let all = &given.contents.reads;
        let from = all.partition_point(|r| r.at < beat.at);
        let here = all[from..].iter().take_while(|r| r.at == beat.at);
        let own = here.filter(|r| r.op == op && r.resource == read.resource);
        let mut own = own.filter(|r| (r.writer, r.from) == (found.writer, found.from));
        own.next().map(|r| r.path)
    }

    /// A write goes through the caches that pass it on to the first that keeps it.
    fn writes(
        &self,
        beat: &Beat,
        (resource, kept): (ResourceId, Option<CacheId>),
    ) -> Option<ActRow> {
        let given = self.teller.given;
        let op = beat.op?;
        let writer = Writer {
            node: beat.node,
            resource,
        };
        let token = self.token(Some(writer), resource)?;
        let all = &given.contents.writes;
        let from = all.partition_point(|w| w.at < beat.at);
        let mut here = all[from..].iter().take_while(|w| w.at == beat.at);
        let own = here.find(|w| (w.op, w.resource) == (op, resource))?;
        let path = given.profile.path(own.path);
        let client = Machine::way_of_write(*self.packets.get(&beat.node)?, (resource, own.path))?;
        let client = given.profile.path(client);
        let client = self.machine.client(self.outside(op), client)?;
        let end = match kept {
            Some(cache) => path.iter().position(|own| *own == cache)?,
            None => path.len(),
        };
        let places = self.ways.places(path, true);
        let mut way = vec![client];
        way.extend(self.boxes(&places[..=end])?);
        Some(ActRow {
            kind: "write",
            token,
            way,
            wrong: false,
            aside: false,
        })
    }

    fn moves(&self, kind: &'static str, moved: Moved, places: &[u32]) -> Option<ActRow> {
        Some(ActRow {
            kind,
            token: self.token(moved.writer, moved.resource)?,
            way: self.boxes(places)?,
            wrong: false,
            aside: false,
        })
    }

    /// Adds what moves on by the way: what caches wrote back and their next place has, and of a write that its first place
    /// could not keep, the places that have it as well. Lines go no other way. What a beat of the same time tells is left to it.
    pub(super) fn moved_on(&self, at: Ps, places: &Places<'_>, scene: &mut SceneRow) {
        let mut pairs: Vec<(u32, Token)> = Vec::new();
        for (place, writer) in &places.written_back {
            let token = self.token(Some(*writer), writer.resource);
            pairs.extend(token.map(|token| (*place, token)));
        }
        let writes = scene.acts.iter().filter(|act| act.kind == "write");
        for act in writes {
            let landed = act.way.last().and_then(|at| self.machine.place_of(*at));
            let mut kept = landed.filter(|at| *at != self.ways.memory());
            while let Some(place) = kept {
                let next = self.ways.written_back(place).last().copied();
                let next = next.filter(|next| {
                    let has_now = |hold: &HoldRow| {
                        self.machine.of_place[*next as usize] == Some(hold.at)
                            && hold.resource == act.token.resource
                    };
                    places.has(*next, act.token) && scene.holds.iter().any(has_now)
                });
                pairs.extend(next.map(|_| (place, act.token)));
                kept = next.filter(|next| *next != self.ways.memory());
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|(place, token)| !self.told_back.contains(&(at, *place, *token)));
        for (place, token) in pairs {
            let way = self.ways.written_back(place);
            let arrived = way.last().is_some_and(|last| places.has(*last, token));
            let Some(way) = self.boxes(&way).filter(|_| arrived) else {
                continue;
            };
            scene.acts.push(ActRow {
                kind: "write-back",
                token,
                way,
                wrong: false,
                aside: true,
            });
        }
    }

    /// The boxes of both uses of a hazard. A layout transition has no client.
    fn sides(&self, finding: usize) -> Vec<SideRow> {
        let given = self.teller.given;
        let found = &given.findings[finding];
        let Some(hazard) = found.hazard.as_deref() else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (side, party) in [(1, &hazard.first), (2, &hazard.second)] {
            let node = self.parties.get(&*party.command);
            let packet = node.and_then(|node| self.packets.get(node));
            let Some(packet) = packet else { continue };
            for resource in self.resources(found.resource.as_deref()) {
                let named = (resource, &*party.access);
                all.extend(self.machine.touching(*packet, named, given.profile, side));
            }
        }
        all.dedup();
        all
    }

    /// The resources of a name, among those that have tokens.
    fn resources(&self, name: Option<&str>) -> impl Iterator<Item = ResourceId> + '_ {
        let name = name.unwrap_or_default().to_owned();
        let all = (0..self.teller.given.timeline.scenario.resources.len()).map(ResourceId::new);
        all.filter(move |id| self.rows.contains_key(id) && self.teller.resource(*id) == name)
    }
}

/// The commands that hazards name.
fn parties(teller: &Teller<'_>) -> LookupMap<String, NodeId> {
    let given = teller.given;
    let hazards = given.findings.iter().filter_map(|f| f.hazard.as_deref());
    let named: LookupSet<&str> = hazards
        .flat_map(|hazard| [&*hazard.first.command, &*hazard.second.command])
        .collect();
    if named.is_empty() {
        return LookupMap::default();
    }
    let nodes = (0..given.program.nodes).map(NodeId);
    let all = nodes.map(|node| (given.timeline.node_name(node), node));
    all.filter(|(name, _)| named.contains(name.as_str()))
        .collect()
}
