//! Which boxes and edges there are: clients by the way that their accesses take, the caches of these ways, memory.
//!
//! Only what this run's accesses to its tokens' resources go through is there, and what dirty lines go through on their way to
//! memory. A private write-back cache is two boxes where both of its instances are on a way: the one that readers use, and the one
//! that writers use.

use super::{BoxRow, EdgeRow, Shown, SideRow};
use crate::analyze::beats::Teller;
use crate::api::{BarrierAccess, QueueType};
use crate::hardware::{Profile, WritePolicy};
use crate::id::{CacheId, OpId, PathId, ResourceId, narrow};
use crate::lookup::LookupSet;
use crate::program::{Access, AccessMode, Block, Client, HwOp, HwOpKind};
use crate::trace::contents::{Contents, Held, Holder};
use std::collections::BTreeSet;

/// The boxes, and how to find them.
pub(super) struct Machine {
    pub(super) boxes: Vec<BoxRow>,
    pub(super) edges: Vec<EdgeRow>,
    /// The box of each of [`Contents::places`].
    pub(super) of_place: Vec<Option<u32>>,
    clients: Vec<Group>,
}

/// Clients whose accesses take one way.
struct Group {
    outside: Option<Client>,
    path: Vec<CacheId>,
    words: Vec<&'static str>,
    accesses: BarrierAccess,
}

/// The accesses of a packet, and the client outside of the pipeline if it is of one.
fn accesses<'p>(block: &'p Block, op: &HwOp) -> (&'p [Access], Option<Client>) {
    match &op.kind {
        HwOpKind::Work(work) => (work.accesses.of(&block.accesses), None),
        HwOpKind::Client(own) => (own.accesses.of(&block.accesses), Some(own.client)),
        _ => (&[], None),
    }
}

/// The caches that answered reads and are not on their ways, by packet and resource: those of metadata.
type Elsewhere = LookupSet<(OpId, ResourceId, CacheId)>;

fn elsewhere(teller: &Teller<'_>) -> Elsewhere {
    let given = teller.given;
    let reads = given.contents.reads.iter();
    let from = reads.filter_map(|read| {
        let from = read.from?;
        let is_beside = !given.profile.path(read.path).contains(&from);
        is_beside.then_some((read.op, read.resource, from))
    });
    from.collect()
}

/// Whether a cache of a path is one of them.
fn answers(elsewhere: &Elsewhere, (op, access): (OpId, &Access), path: &[CacheId]) -> bool {
    let mut caches = path.iter();
    access.mode == AccessMode::Read
        && caches.any(|cache| elsewhere.contains(&(op, access.resource, *cache)))
}

/// What people call the unit that makes an access.
fn word(access: &Access, queue: Option<QueueType>) -> &'static str {
    if access.atomic {
        return "atomics";
    }
    let unit = |accesses: BarrierAccess| access.access.intersects(accesses);
    let all = [
        (BarrierAccess::VERTEX_BUFFER, "vertex"),
        (BarrierAccess::CONSTANT_BUFFER, "constants"),
        (BarrierAccess::INDEX_BUFFER, "index"),
        (
            BarrierAccess::RENDER_TARGET | BarrierAccess::RESOLVE_DEST,
            "colour",
        ),
        (
            BarrierAccess::UNORDERED_ACCESS | BarrierAccess::SHADER_RESOURCE,
            "shaders",
        ),
        (
            BarrierAccess::DEPTH_STENCIL_WRITE | BarrierAccess::DEPTH_STENCIL_READ,
            "depth",
        ),
        (BarrierAccess::STREAM_OUTPUT, "stream output"),
        (BarrierAccess::INDIRECT_ARGUMENT, "indirect"),
        (BarrierAccess::RESOLVE_SOURCE, "resolves"),
        (
            BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ
                | BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
            "ray tracing",
        ),
        (BarrierAccess::SHADING_RATE_SOURCE, "shading rate"),
    ];
    if unit(BarrierAccess::COPY_DEST | BarrierAccess::COPY_SOURCE) {
        return match queue {
            Some(QueueType::Copy) => "copy queue",
            _ => "copies",
        };
    }
    let found = all.iter().find(|(accesses, _)| unit(*accesses));
    found.map_or("video", |(_, word)| word)
}

impl Machine {
    pub(super) fn new(teller: &Teller<'_>, shown: &[Shown]) -> Self {
        let given = teller.given;
        let ids: LookupSet<ResourceId> = shown.iter().map(|one| one.id).collect();
        let mut clients: Vec<Group> = Vec::new();
        let mut pairs: BTreeSet<(Spot, Spot)> = BTreeSet::new();
        let builder = Ways {
            profile: given.profile,
            contents: given.contents,
        };
        let elsewhere = elsewhere(teller);
        for (block, op) in given.program.ops() {
            let (accesses, outside) = accesses(block, op);
            for access in accesses.iter().filter(|a| ids.contains(&a.resource)) {
                let queue = block
                    .queue
                    .map(|queue| given.program.queues[queue.0 as usize]);
                let path = given.profile.path(access.path);
                let at = group(&mut clients, (outside, path));
                clients[at].take(access, (outside, queue));
                builder.add(at, path, access.mode == AccessMode::Write, &mut pairs);
                // What is clear by its metadata is read from where that is, and written there.
                let through = access.metadata.map(|path| given.profile.path(path));
                let is_fast = access.clears && access.mode == AccessMode::Write;
                let through =
                    through.filter(|path| is_fast || answers(&elsewhere, (op.id, access), path));
                if let Some(through) = through {
                    builder.add(at, through, is_fast, &mut pairs);
                }
            }
        }
        clients_in_order(&mut clients, &mut pairs);
        builder.add_written_back(shown, &mut pairs);
        Self::of(teller, clients, pairs)
    }

    fn of(teller: &Teller<'_>, clients: Vec<Group>, pairs: BTreeSet<(Spot, Spot)>) -> Self {
        let contents = teller.given.contents;
        let spots: BTreeSet<Spot> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let memory = Spot::Place(narrow(contents.places.len().saturating_sub(1)));
        let spots: Vec<Spot> = spots.into_iter().filter(|s| *s != memory).collect();
        let spots: Vec<Spot> = spots.into_iter().chain([memory]).collect();
        let index = |spot: Spot| narrow(spots.iter().position(|s| *s == spot).unwrap_or(0));
        let row = |spot: &Spot| match spot {
            Spot::Client(at) => {
                let own = &clients[*at as usize];
                let is_alike = |other: &&Group| other.words == own.words;
                own.row(clients.iter().filter(is_alike).count() == 1)
            }
            Spot::Place(place) => place_row(teller, *place),
        };
        let edge = |(from, to): (Spot, Spot)| EdgeRow {
            from: index(from),
            to: index(to),
            points: Vec::new(),
        };
        let of_place = |place| {
            let at = spots.iter().position(|s| *s == Spot::Place(place));
            at.map(narrow)
        };
        Self {
            boxes: spots.iter().map(row).collect(),
            edges: pairs.into_iter().map(edge).collect(),
            of_place: (0..narrow(contents.places.len())).map(of_place).collect(),
            clients,
        }
    }

    /// The box of a client that takes a path. Clients are the first boxes, in order.
    pub(super) fn client(&self, outside: Option<Client>, path: &[CacheId]) -> Option<u32> {
        let is_it = |group: &Group| group.outside == outside && group.path == path;
        self.clients.iter().position(is_it).map(narrow)
    }

    /// The place of a box.
    pub(super) fn place_of(&self, at: u32) -> Option<u32> {
        let is_it = |own: &Option<u32>| *own == Some(at);
        self.of_place.iter().position(is_it).map(narrow)
    }

    /// The way of metadata that a packet reads a resource's through, if a cache of it answers.
    pub(super) fn metadata<'p>(
        (block, op): (&Block, &HwOp),
        (resource, from): (ResourceId, CacheId),
        profile: &'p Profile,
    ) -> Option<&'p [CacheId]> {
        let (accesses, _) = accesses(block, op);
        let own = accesses.iter().filter(|a| a.resource == resource);
        let paths = own.filter_map(|access| access.metadata);
        let mut paths = paths.map(|path| profile.path(path));
        paths.find(|path| path.contains(&from))
    }

    /// The way of texels of the access that writes a resource by a way: that one, or that of metadata.
    pub(super) fn way_of_write(
        (block, op): (&Block, &HwOp),
        (resource, way): (ResourceId, PathId),
    ) -> Option<PathId> {
        let (accesses, _) = accesses(block, op);
        let own = accesses.iter().filter(|a| a.resource == resource);
        let mut own = own.filter(|a| a.mode == AccessMode::Write);
        let own = own.find(|a| a.path == way || (a.clears && a.metadata == Some(way)));
        own.map(|access| access.path)
    }

    /// The boxes that a command touches a resource through, by the names of its accesses (`A|B`; of the CPU and the display
    /// `COMMON`).
    pub(super) fn touching(
        &self,
        (block, op): (&Block, &HwOp),
        (resource, names): (ResourceId, &str),
        profile: &Profile,
        side: u32,
    ) -> Vec<SideRow> {
        let (accesses, outside) = accesses(block, op);
        let is_named = |access: &Access| {
            let own = access.access.to_string();
            outside.is_some() || names.split('|').any(|name| name == own)
        };
        let own = accesses.iter().filter(|a| a.resource == resource);
        let own = own.filter(|access| is_named(access));
        let at = own.filter_map(|a| self.client(outside, profile.path(a.path)));
        let mut all: Vec<SideRow> = at.map(|at| SideRow { at, side }).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Caches that have no box, in words.
    pub(super) fn left_out(&self, teller: &Teller<'_>, shown: &[Shown]) -> Vec<String> {
        let given = teller.given;
        let has_box = |cache: CacheId| {
            let mut places = given.contents.places.iter().zip(&self.of_place);
            places.any(|(place, at)| place.cache == Some(cache) && at.is_some())
        };
        let absent = given.profile.cache_ids().filter(|id| !has_box(*id));
        let absent: Vec<&str> = absent.map(|id| teller.cache(id)).collect();
        let mut all = Vec::new();
        if !absent.is_empty() && !shown.is_empty() {
            let what = if absent.len() == 1 { "cache" } else { "caches" };
            all.push(format!(
                "{what} that nothing here goes through: {}",
                absent.join(", ")
            ));
        }
        if given.program.metadata.is_some() {
            all.push("metadata of compressed textures, but for fast clears".to_owned());
        }
        all
    }
}

/// What a box stands for: a group of clients, or one of [`Contents::places`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Client(u32),
    Place(u32),
}

fn group(clients: &mut Vec<Group>, (outside, path): (Option<Client>, &[CacheId])) -> usize {
    let is_it = |group: &Group| group.outside == outside && group.path == path;
    clients.iter().position(is_it).unwrap_or_else(|| {
        clients.push(Group {
            outside,
            path: path.to_vec(),
            words: Vec::new(),
            accesses: BarrierAccess::empty(),
        });
        clients.len() - 1
    })
}

/// Puts clients that share caches next to each other, and those that use none last.
fn clients_in_order(clients: &mut Vec<Group>, pairs: &mut BTreeSet<(Spot, Spot)>) {
    let key = |group: &Group| {
        let from_memory: Vec<CacheId> = group.path.iter().rev().copied().collect();
        let outside = group.outside.map(|client| client == Client::Display);
        (outside, group.path.is_empty(), from_memory)
    };
    let mut order: Vec<usize> = (0..clients.len()).collect();
    order.sort_by_key(|at| key(&clients[*at]));
    let moved = |spot: Spot| match spot {
        Spot::Client(at) => {
            let now = order.iter().position(|own| *own == at as usize);
            Spot::Client(narrow(now.unwrap_or(0)))
        }
        Spot::Place(_) => spot,
    };
    *pairs = pairs.iter().map(|(a, b)| (moved(*a), moved(*b))).collect();
    let mut before: Vec<Option<Group>> = std::mem::take(clients).into_iter().map(Some).collect();
    clients.extend(order.iter().filter_map(|at| before[*at].take()));
}

impl Group {
    fn take(&mut self, access: &Access, (outside, queue): (Option<Client>, Option<QueueType>)) {
        let word = match outside {
            Some(Client::Host) => "CPU",
            Some(Client::Display) => "display",
            None => word(access, queue),
        };
        if !self.words.contains(&word) {
            self.words.push(word);
        }
        self.accesses |= access.access;
    }

    /// Its box; one whose words say enough is called by them only.
    fn row(&self, is_plain: bool) -> BoxRow {
        let names: Vec<String> = self.accesses.iter().map(|bit| bit.to_string()).collect();
        let (words, names) = (self.words.join(", "), names.join(", "));
        let name = if is_plain || names.is_empty() {
            words
        } else {
            let short: Vec<&str> = self.accesses.iter().map(short).collect();
            let short = short.join(", ");
            // Units and accesses of several kinds have no room next to each other.
            if self.words.len() > 1 {
                short
            } else {
                format!("{words}: {short}")
            }
        };
        BoxRow {
            name,
            ..BoxRow::new("client", names)
        }
    }
}

/// A word for an access that tells clients of one kind apart, and fits into a box; its note has the names.
fn short(access: BarrierAccess) -> &'static str {
    match access {
        BarrierAccess::UNORDERED_ACCESS => "UAV",
        BarrierAccess::SHADER_RESOURCE => "SRV",
        BarrierAccess::COPY_SOURCE | BarrierAccess::RESOLVE_SOURCE => "source",
        BarrierAccess::COPY_DEST | BarrierAccess::RESOLVE_DEST => "dest",
        BarrierAccess::RENDER_TARGET => "RTV",
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE
        | BarrierAccess::DEPTH_STENCIL_WRITE
        | BarrierAccess::VIDEO_DECODE_WRITE
        | BarrierAccess::VIDEO_PROCESS_WRITE
        | BarrierAccess::VIDEO_ENCODE_WRITE => "write",
        BarrierAccess::CONSTANT_BUFFER => "CBV",
        BarrierAccess::VERTEX_BUFFER => "vertex",
        BarrierAccess::INDEX_BUFFER => "index",
        BarrierAccess::INDIRECT_ARGUMENT => "indirect",
        BarrierAccess::STREAM_OUTPUT => "stream",
        BarrierAccess::SHADING_RATE_SOURCE => "rate",
        _ => "read",
    }
}

impl BoxRow {
    fn new(kind: &'static str, note: String) -> Self {
        Self {
            kind,
            name: String::new(),
            note,
            x: 0,
            y: 0,
            width: 0,
            height: 0,
        }
    }
}

fn place_row(teller: &Teller<'_>, place: u32) -> BoxRow {
    let cache = teller.given.contents.places.get(place as usize);
    let name = match cache {
        Some(_) => teller.place(place),
        None => "memory".to_owned(),
    };
    let row = match cache.and_then(|place| place.cache) {
        None => BoxRow::new("memory", String::new()),
        Some(cache) => {
            let note = teller.given.profile.cache(cache).policy.word();
            BoxRow::new("cache", note.to_owned())
        }
    };
    BoxRow { name, ..row }
}

/// Finds the places on a way.
#[derive(Copy, Clone)]
pub(super) struct Ways<'a> {
    pub(super) profile: &'a Profile,
    pub(super) contents: &'a Contents,
}

impl Ways<'_> {
    /// The place of a cache: of a private write-back cache, writers use another one than readers.
    pub(super) fn place(&self, cache: CacheId, is_write: bool) -> u32 {
        let of = |of_writers: bool| {
            let is_it = |p: &Holder| p.cache == Some(cache) && p.of_writers == of_writers;
            self.contents.places.iter().position(is_it)
        };
        let own = if is_write { of(true) } else { None };
        narrow(own.or_else(|| of(false)).unwrap_or(0))
    }

    pub(super) fn memory(&self) -> u32 {
        narrow(self.contents.places.len().saturating_sub(1))
    }

    /// The places of a path, memory last.
    pub(super) fn places(&self, path: &[CacheId], is_write: bool) -> Vec<u32> {
        let caches = path.iter().map(|cache| self.place(*cache, is_write));
        caches.chain([self.memory()]).collect()
    }

    /// Where what a place writes back goes: the places on the way, to the first that keeps dirty lines, or memory.
    pub(super) fn written_back(&self, place: u32) -> Vec<u32> {
        let mut all = vec![place];
        let mut at = self.contents.places[place as usize].cache;
        while let Some(parent) = at.and_then(|cache| self.profile.cache(cache).parent) {
            all.push(self.place(parent, true));
            if self.profile.cache(parent).policy == WritePolicy::WriteBack {
                return all;
            }
            at = Some(parent);
        }
        all.push(self.memory());
        all
    }

    fn add(
        &self,
        client: usize,
        path: &[CacheId],
        is_write: bool,
        pairs: &mut BTreeSet<(Spot, Spot)>,
    ) {
        let places = self.places(path, is_write);
        let way = places.into_iter().map(Spot::Place);
        let way: Vec<Spot> = [Spot::Client(narrow(client))]
            .into_iter()
            .chain(way)
            .collect();
        pairs.extend(way.windows(2).map(|pair| (pair[0], pair[1])));
    }

    /// Adds where dirty lines go, of places on a way and of those that ever hold some.
    fn add_written_back(&self, shown: &[Shown], pairs: &mut BTreeSet<(Spot, Spot)>) {
        let mut open: BTreeSet<u32> = BTreeSet::new();
        for block in self.contents.moments.iter().flat_map(|m| &m.blocks) {
            let is_shown = shown.iter().any(|one| one.own.memory == block.memory);
            let is_metadata = shown.iter().any(|one| one.metadata == Some(block.memory));
            let counts = |held: Held| is_shown || (is_metadata && held.is_clear());
            let mut runs = block.runs.iter();
            if runs.any(|run| run.held.dirty && counts(run.held)) {
                open.insert(block.place);
            }
        }
        while let Some(place) = open.pop_first() {
            let way = self.written_back(place);
            for pair in way.windows(2) {
                pairs.insert((Spot::Place(pair[0]), Spot::Place(pair[1])));
            }
            if let Some(last) = way.last().filter(|last| **last != self.memory()) {
                open.insert(*last);
            }
        }
    }
}
