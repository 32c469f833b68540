//! Sets that conditions compare with: words, the bits that they mean, and how those of an entry must relate to them.

use crate::api::{BarrierAccess, BarrierSide, BarrierSync, Layout, QueueType, ResourceFlags};
use crate::hardware::LayoutClass;
use std::sync::LazyLock;

/// What a set of bits is compared with.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BitsOf {
    /// Stages of a side.
    Sync(BarrierSide),
    /// Accesses of a side.
    Access(BarrierSide),
    /// Accesses whose writes are given up.
    GivenUp,
    /// Flags of the resource.
    Flags,
}

/// How the bits of an entry must relate to a set.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum How {
    /// One of the set is there.
    Any,
    /// All of the set are there.
    All,
    /// Something is there, and nothing but the set.
    Only,
    /// No bit is there.
    None,
    /// The barrier's text has exactly this value.
    Exactly,
}

impl How {
    /// Those that have a word after the set.
    pub const WORDS: [Self; 4] = [Self::Any, Self::All, Self::Only, Self::Exactly];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::All => "all",
            Self::Only => "only",
            Self::None => "none",
            Self::Exactly => "exactly",
        }
    }
}

/// A condition on a set of bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bits {
    /// The bits that are compared.
    pub of: BitsOf,
    /// The words of the set, as they are printed.
    pub words: Vec<String>,
    /// The words of what is not in it (`* but COPY_DEST`).
    pub but: Vec<String>,
    /// What they mean: leaf stages or accesses; the value itself for [`How::Exactly`].
    pub bits: u32,
    /// How the entry's bits must relate to them.
    pub how: How,
}

impl Bits {
    /// Whether bits of an entry, and the value that its text has, are as they must be.
    pub fn holds(&self, bits: u32, value: u32) -> bool {
        match self.how {
            How::Any => bits & self.bits != 0,
            How::All => bits & self.bits == self.bits,
            How::Only => bits != 0 && bits & !self.bits == 0,
            How::None => bits == 0,
            How::Exactly => value == self.bits,
        }
    }
}

/// What a choice is about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Of {
    /// Layout of a side.
    Layout(BarrierSide),
    /// How the layout of a side stores texels.
    Class(BarrierSide),
    /// Whether the entry needs a layout operation.
    Change,
    /// The resource.
    Resource,
    /// Type of the queue.
    Queue,
    /// Which half of a split barrier.
    Split,
    /// Which sides touch metadata.
    Metadata,
    /// What the list has had since its latest wait.
    Since,
}

/// A condition on one of a few values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What it is about.
    pub of: Of,
    /// The words, as they are printed.
    pub words: Vec<String>,
    /// The values that they mean.
    pub values: u64,
}

/// A value of a choice: a bit of [`Choice::values`].
pub type Value = u64;

/// The entry is no texture with a layout.
pub(super) const NO_LAYOUT: Value = 1;

/// The value of a layout.
pub(super) fn layout_value(layout: Option<Layout>) -> Value {
    let Some(layout) = layout else {
        return NO_LAYOUT;
    };
    let at = Layout::ALL.iter().position(|other| *other == layout);
    at.map_or(0, |at| 2 << at)
}

/// The value of a class.
pub(super) fn class_value(class: Option<LayoutClass>) -> Value {
    match class {
        None => NO_LAYOUT,
        Some(LayoutClass::CompressedFastClear) => 2,
        Some(LayoutClass::Compressed) => 4,
        Some(LayoutClass::Static) => 8,
        Some(LayoutClass::Plain | LayoutClass::Illegal) => 16,
        Some(LayoutClass::Undefined) => 32,
    }
}

/// Words of each choice, with the values that they mean.
type Words = Vec<(String, Value)>;

fn of_words(words: &[(&str, Value)]) -> Words {
    words
        .iter()
        .map(|(word, value)| ((*word).to_owned(), *value))
        .collect()
}

static LAYOUTS: LazyLock<Words> = LazyLock::new(|| {
    let none = ("none".to_owned(), NO_LAYOUT);
    let public = Layout::ALL.iter().filter(|layout| layout.is_public());
    let named = public.map(|layout| (layout.name().into_owned(), layout_value(Some(*layout))));
    std::iter::once(none).chain(named).collect()
});
static CLASSES: LazyLock<Words> = LazyLock::new(|| {
    of_words(&[
        ("none", NO_LAYOUT),
        ("fast-clear", 2),
        ("compressed", 4),
        ("static", 8),
        ("plain", 16),
        ("undefined", 32),
    ])
});
/// Of `layout`: `changes` is any operation, `discards` one that initialises metadata, `converts` any other.
static CHANGES: LazyLock<Words> = LazyLock::new(|| {
    of_words(&[
        ("stays", 1),
        ("changes", 6),
        ("converts", 2),
        ("discards", 4),
    ])
});
static RESOURCES: LazyLock<Words> = LazyLock::new(|| {
    of_words(&[
        ("global", 1),
        ("buffer", 2),
        ("texture", 12),
        ("colour", 4),
        ("depth", 8),
    ])
});
static QUEUES: LazyLock<Words> = LazyLock::new(|| {
    let queues = QueueType::ALL.iter().enumerate();
    let queues = queues.filter(|(_, queue)| **queue != QueueType::Bundle);
    queues
        .map(|(at, queue)| (queue.word().to_owned(), 1 << at))
        .collect()
});
static SPLITS: LazyLock<Words> =
    LazyLock::new(|| of_words(&[("none", 1), ("first", 2), ("second", 4)]));
static METADATA: LazyLock<Words> =
    LazyLock::new(|| of_words(&[("none", 1), ("before", 2), ("after", 4), ("both", 8)]));
static SINCE: LazyLock<Words> =
    LazyLock::new(|| of_words(&[("list-start", 1), ("nothing", 2), ("work", 4)]));

impl Of {
    /// Every choice, but those of `after` that a choice of `before` stands for.
    pub const ALL: [Self; 10] = [
        Self::Layout(BarrierSide::Before),
        Self::Layout(BarrierSide::After),
        Self::Class(BarrierSide::Before),
        Self::Class(BarrierSide::After),
        Self::Change,
        Self::Resource,
        Self::Queue,
        Self::Split,
        Self::Metadata,
        Self::Since,
    ];

    /// Its words, with what they mean.
    pub fn words(self) -> &'static [(String, Value)] {
        match self {
            Self::Layout(_) => &LAYOUTS,
            Self::Class(_) => &CLASSES,
            Self::Change => &CHANGES,
            Self::Resource => &RESOURCES,
            Self::Queue => &QUEUES,
            Self::Split => &SPLITS,
            Self::Metadata => &METADATA,
            Self::Since => &SINCE,
        }
    }

    /// Every value that there is.
    pub fn every(self) -> Value {
        self.words().iter().fold(0, |all, (_, value)| all | value)
    }

    /// How the condition begins.
    pub fn head(self) -> String {
        match self {
            Self::Layout(side) => format!("{} layout", side.word()),
            Self::Class(side) => format!("{} class", side.word()),
            Self::Change => "layout".to_owned(),
            Self::Resource => "resource".to_owned(),
            Self::Queue => "queue".to_owned(),
            Self::Split => "split".to_owned(),
            Self::Metadata => "metadata".to_owned(),
            Self::Since => "since-wait".to_owned(),
        }
    }
}

impl BitsOf {
    /// How the condition begins.
    pub fn head(self) -> String {
        match self {
            Self::Sync(side) => format!("{} sync", side.word()),
            Self::Access(side) => format!("{} access", side.word()),
            Self::GivenUp => "given-up".to_owned(),
            Self::Flags => "flags".to_owned(),
        }
    }

    /// What one of its words is.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Sync(_) => "stage",
            Self::Access(_) | Self::GivenUp => "access",
            Self::Flags => "resource flag",
        }
    }

    /// Every bit that an entry may have.
    pub fn every(self) -> u32 {
        match self {
            Self::Sync(_) => crate::api::LeafSet::ALL.0,
            Self::Access(_) | Self::GivenUp => BarrierAccess::EVERY.bits(),
            Self::Flags => ResourceFlags::all().bits(),
        }
    }

    /// Names that a word may be.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Sync(_) => BarrierSync::names(),
            Self::Access(_) | Self::GivenUp => BarrierAccess::names(),
            Self::Flags => ResourceFlags::names(),
        }
    }

    /// The value that the header gives to a name.
    pub fn value(self, name: &str) -> Option<u32> {
        match self {
            Self::Sync(_) => BarrierSync::parse_one(name).map(|bit| bit.bits()),
            Self::Access(_) | Self::GivenUp => BarrierAccess::parse_one(name).map(|bit| bit.bits()),
            Self::Flags => ResourceFlags::parse_one(name).map(|bit| bit.bits()),
        }
    }

    /// What a value of the header means: leaf stages, or the bits themselves.
    pub fn meaning(self, value: u32) -> u32 {
        match self {
            Self::Sync(_) => BarrierSync::from_bits_retain(value).leaves().0,
            _ => value & self.every(),
        }
    }

    /// What a word that is no name means: `*`, a pattern with one, or a group of accesses.
    pub fn pattern(self, word: &str) -> Option<u32> {
        if word == "*" {
            return Some(self.every());
        }
        if matches!(self, Self::Access(_) | Self::GivenUp) {
            match word {
                "WRITES" => return Some(BarrierAccess::WRITES.bits()),
                "READS" => {
                    return Some(
                        BarrierAccess::EVERY
                            .difference(BarrierAccess::WRITES)
                            .bits(),
                    );
                }
                _ => {}
            }
        }
        if !word.contains('*') {
            return None;
        }
        let names = self.names().iter().filter(|name| fits(word, name));
        let bits = names.filter_map(|name| self.value(name));
        let bits = bits.fold(0, |all, value| all | self.meaning(value));
        (bits != 0).then_some(bits)
    }
}

/// Whether a name is what a pattern says: `*` is any text.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, as_it_should) in [
            ("*", "COPY", true),
            ("*_READ", "VIDEO_DECODE_READ", true),
            ("VIDEO_*_READ", "VIDEO_DECODE_READ", true),
            ("VIDEO_*_READ", "VIDEO_DECODE_WRITE", false),
            ("COPY*", "COPY", true),
            ("*COPY", "COPY_DEST", false),
            ("A*A", "A", false),
        ] {
            assert_eq!(fits(pattern, name), as_it_should, "{pattern} {name}");
        }
    }
}
