//! Why a step is there, in one phrase.

use crate::api::BarrierAccess;
use std::fmt::{self, Display, Formatter};

/// What needed a step. [`Display`] gives one phrase.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Why {
    /// What the first access has written or seen must reach an access of the second kind.
    Pair(BarrierAccess, BarrierAccess),
    /// A write with this access must be gone from its cache before an access of another kind overwrites it, or before
    /// the resource is deactivated.
    WriteBack(BarrierAccess),
    /// What this access has seen may still be dirty, and is overwritten by a client that does not pass there.
    Seen(BarrierAccess),
    /// This access follows, whatever went before.
    After(BarrierAccess),
    /// Stated in words.
    Text(&'static str),
}

impl Display for Why {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pair(before, after) => {
                // A version that one access has read is passed on to another (reading R14).
                let does = if before.intersects(BarrierAccess::WRITES) {
                    "written"
                } else {
                    "read"
                };
                let (before, after) = (names(*before), names(*after));
                write!(f, "{before} {does} before, {after} follows")
            }
            Self::WriteBack(write) => write!(f, "{} written before and not flushed", names(*write)),
            Self::After(read) => write!(f, "{} follows", names(*read)),
            Self::Seen(read) => write!(
                f,
                "what {} has read may be dirty, and is overwritten past this cache",
                names(*read)
            ),
            Self::Text(text) => f.write_str(text),
        }
    }
}

fn names(access: BarrierAccess) -> String {
    let names: Vec<_> = access.iter_names().map(|(name, _)| name).collect();
    if names.is_empty() {
        "the CPU or the display".to_owned()
    } else {
        names.join("|")
    }
}
