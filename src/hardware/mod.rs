//! Hardware profiles: an immutable machine as data.
//!
//! A profile says which caches there are, through which of them each access goes, how each layout is compressed, and
//! what things cost. It decides nothing: which operations a barrier needs follows from the paths and is `lower/`'s
//! business; the machine in `sim/` only moves lines along them. Every number has a tag and a source.

mod parse;

use crate::api::{BarrierAccess, Layout, QueueType};
use crate::id::{CacheId, LayoutOpId, PathId};
use crate::time::Ps;
use indexmap::IndexMap;

/// How a cache treats writes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Keeps dirty lines until they are cleaned or evicted.
    WriteBack,
    /// Passes writes on.
    WriteThrough,
    /// Never written through.
    ReadOnly,
}

/// A cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    /// Name.
    pub name: String,
    /// How it treats writes.
    pub policy: Policy,
    /// Whether each client has one of its own; they are not coherent with each other.
    pub private: bool,
    /// Next level; `None` is memory.
    pub parent: Option<CacheId>,
    /// The machine's name for writing it back; empty if it holds nothing dirty.
    pub clean_op: String,
    /// The machine's name for dropping it.
    pub invalidate_op: String,
    /// What it is.
    pub note: String,
    /// Bytes of all instances together.
    pub capacity_bytes: u64,
    /// Bytes of a line.
    pub line_bytes: u64,
}

/// How a layout stores texels on a queue.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LayoutClass {
    /// Compressed, fast clears allowed.
    CompressedFastClear,
    /// Compressed.
    Compressed,
    /// Plain.
    Plain,
    /// Undefined contents.
    Undefined,
    /// Not legal on the queue type.
    Illegal,
}

impl LayoutClass {
    /// Whether data may be compressed.
    pub fn compresses(self) -> bool {
        matches!(self, Self::CompressedFastClear | Self::Compressed)
    }
}

/// An operation that rewrites texels or their metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LayoutOp {
    /// Name: `decompress`, `fast-clear-eliminate`, `init-metadata`.
    pub name: String,
    /// Bytes that it moves, in percent of the bytes that it concerns.
    pub moved_percent: u64,
}

/// Clients of memory beside the accesses of the API.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Client {
    /// An access on a direct or compute queue: exactly one bit.
    Access(BarrierAccess),
    /// The copy engine reads.
    CopyQueueRead,
    /// The copy engine writes.
    CopyQueueWrite,
    /// The CPU.
    Host,
    /// The display.
    Display,
}

/// How a fence's value gets from who signals to who waits.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FenceWay {
    /// The operating system holds the waiting queue's work on the CPU.
    Monitored,
    /// An engine waits for a value in system memory.
    NativeSystem,
    /// An engine waits for a value in local memory.
    NativeLocal,
}

/// A number with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    /// Value; the key's last word names the unit.
    pub value: u64,
    /// `measured`, `published`, `assumed`, or `given` for one set on the command line.
    pub tag: String,
    /// Where it comes from.
    pub source: String,
}

/// A machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// Name.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What it is, in a line.
    pub summary: String,
    /// Caches; ids index them.
    pub caches: Vec<Cache>,
    paths: Vec<Vec<CacheId>>,
    /// Path of each access bit.
    access_paths: [u32; 23],
    /// Paths of the copy engine's reads and writes, the CPU and the display.
    client_paths: [u32; 4],
    layout_ops: Vec<LayoutOp>,
    layouts: IndexMap<String, [LayoutClass; 3]>,
    numbers: IndexMap<String, Number>,
}

impl Profile {
    /// Reads a profile; a contradiction in it is named with its place.
    ///
    /// # Errors
    /// Every problem found, a sentence each.
    pub fn parse(text: &str) -> Result<Self, Vec<String>> {
        parse::profile(text)
    }

    /// Replaces a number, as `--set KEY=VALUE` says: `fixed.eop_wait_ns=500`, `L2.line_bytes=64`.
    ///
    /// # Errors
    /// What is wrong with the key or value, and which keys are near.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let Ok(number) = value.replace('_', "").parse::<u64>() else {
            return Err(format!("`{value}` is not a whole number (for `{key}`)"));
        };
        let Some(slot) = self.numbers.get_mut(key) else {
            let family = key.split('.').next().unwrap_or(key);
            let same = |k: &&String| {
                k.starts_with(family) || k.rsplit('.').next() == key.rsplit('.').next()
            };
            let near: Vec<_> = self.numbers.keys().filter(same).take(6).cloned().collect();
            let near = if near.is_empty() {
                self.numbers.keys().take(6).cloned().collect()
            } else {
                near
            };
            return Err(format!(
                "the profile `{}` has no number `{key}`; near it are {}",
                self.name,
                near.join(", ")
            ));
        };
        if number == 0
            && (key.ends_with("_bytes") || key.ends_with("instances") || key.ends_with("in_flight"))
        {
            return Err(format!("`{key}` must be at least 1"));
        }
        *slot = Number {
            value: number,
            tag: "given".into(),
            source: "the command line".into(),
        };
        self.derive();
        Ok(())
    }

    /// Every number with its key.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, &Number)> {
        self.numbers
            .iter()
            .map(|(key, number)| (key.as_str(), number))
    }

    /// A number that every profile has (checked when it is read).
    pub fn number(&self, key: &str) -> u64 {
        self.numbers
            .get(key)
            .unwrap_or_else(|| panic!("every profile has the number {key}"))
            .value
    }

    /// A number in nanoseconds as a time.
    pub fn time(&self, key: &str) -> Ps {
        Ps(self.number(key).saturating_mul(1_000))
    }

    /// A number in nanoseconds as a time; that of another key where the profile has none of its own.
    fn time_or(&self, key: &str, other: &str) -> Ps {
        match self.numbers.get(key) {
            Some(number) => Ps(number.value.saturating_mul(1_000)),
            None if other.is_empty() => Ps::ZERO,
            None => self.time(other),
        }
    }

    /// How long a queue takes to signal a fence.
    pub fn signal_time(&self, way: FenceWay) -> Ps {
        match way {
            FenceWay::Monitored => self.time("submit.signal_ns"),
            FenceWay::NativeSystem => self.time_or("fence.native_signal_ns", "submit.signal_ns"),
            FenceWay::NativeLocal => self.time_or("fence.local_signal_ns", "submit.signal_ns"),
        }
    }

    /// How long after the signal a queue goes on that has waited for it: for a monitored fence interrupt, scheduling
    /// and submission; for a native one until the engine sees the value. `forwarded`: between two adapters, where the
    /// operating system carries the value over.
    pub fn wait_time(&self, way: FenceWay, forwarded: bool) -> Ps {
        let interrupt = self.time_or("fence.interrupt_ns", "");
        let own = match way {
            FenceWay::Monitored => {
                let scheduling = self.time_or("fence.scheduling_ns", "");
                interrupt + scheduling + self.time("submit.wait_ns")
            }
            FenceWay::NativeSystem => self.time_or("fence.native_wait_ns", "submit.wait_ns"),
            FenceWay::NativeLocal => self.time_or("fence.local_wait_ns", "submit.wait_ns"),
        };
        if !forwarded {
            return own;
        }
        let forward = self.time_or("fence.forward_ns", "");
        match way {
            // The interrupt is part of the way itself.
            FenceWay::Monitored => own + forward,
            FenceWay::NativeSystem | FenceWay::NativeLocal => interrupt + forward + own,
        }
    }

    /// A cache by id.
    pub fn cache(&self, id: CacheId) -> &Cache {
        &self.caches[id.index()]
    }

    /// The path that a client's accesses take.
    pub fn path_of(&self, client: Client) -> PathId {
        let index = match client {
            Client::Access(access) => {
                self.access_paths[access.bits().trailing_zeros().min(22) as usize]
            }
            Client::CopyQueueRead => self.client_paths[0],
            Client::CopyQueueWrite => self.client_paths[1],
            Client::Host => self.client_paths[2],
            Client::Display => self.client_paths[3],
        };
        PathId(index)
    }

    /// Caches of a path, nearest first; memory is behind the last.
    pub fn path(&self, path: PathId) -> &[CacheId] {
        &self.paths[path.index()]
    }

    /// The operation that takes texels from one class to another; `None` if nothing has to be done.
    pub fn layout_change(&self, from: LayoutClass, to: LayoutClass) -> Option<LayoutOpId> {
        let name = match (from, to) {
            (LayoutClass::CompressedFastClear | LayoutClass::Compressed, LayoutClass::Plain) => {
                "decompress"
            }
            (LayoutClass::CompressedFastClear, LayoutClass::Compressed) => "fast-clear-eliminate",
            (LayoutClass::Undefined, _) => "init-metadata",
            _ => return None,
        };
        self.layout_ops
            .iter()
            .position(|op| op.name == name)
            .map(LayoutOpId::new)
    }

    /// A layout operation by id.
    pub fn layout_op(&self, id: LayoutOpId) -> &LayoutOp {
        &self.layout_ops[id.index()]
    }

    /// How a layout stores texels on a queue type. Video queues and unknown layouts are plain.
    pub fn layout_class(&self, layout: Layout, queue: QueueType) -> LayoutClass {
        let column = match queue {
            QueueType::Direct | QueueType::Bundle => 0,
            QueueType::Compute => 1,
            QueueType::Copy => 2,
            QueueType::VideoDecode | QueueType::VideoProcess | QueueType::VideoEncode => {
                return LayoutClass::Plain;
            }
        };
        self.layouts
            .get(layout.name().as_ref())
            .map_or(LayoutClass::Plain, |row| row[column])
    }

    /// Recomputes what follows from numbers.
    fn derive(&mut self) {
        for op in &mut self.layout_ops {
            op.moved_percent = self.numbers[&format!("{}.moved_percent", op.name)].value;
        }
        for cache in &mut self.caches {
            let number = |what: &str| self.numbers[&format!("{}.{what}", cache.name)].value;
            cache.line_bytes = number("line_bytes");
            cache.capacity_bytes = number("size_bytes").saturating_mul(number("instances"));
        }
    }
}
