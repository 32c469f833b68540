//! Who accesses memory, and by which word a profile file calls each.

use crate::api::{BarrierAccess, QueueType};

/// Who accesses memory.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Client {
    /// An access on a queue that is no copy queue: exactly one bit.
    Access(BarrierAccess),
    /// The engine of a copy queue reads.
    CopyQueueRead,
    /// The engine of a copy queue writes.
    CopyQueueWrite,
    /// Copies of a compute queue write.
    ComputeQueueCopyDest,
    /// The CPU.
    Host,
    /// The display.
    Display,
    /// Atomic operations of shaders.
    Atomic,
    /// Layout operations.
    LayoutOperation,
}

impl Client {
    /// Number of clients: the bits of [`BarrierAccess::EVERY`] and the rest.
    pub(super) const COUNT: usize = 23 + 7;

    /// Every client.
    pub fn all() -> impl Iterator<Item = Self> {
        BarrierAccess::EVERY.iter().map(Self::Access).chain([
            Self::CopyQueueRead,
            Self::CopyQueueWrite,
            Self::ComputeQueueCopyDest,
            Self::Host,
            Self::Display,
            Self::Atomic,
            Self::LayoutOperation,
        ])
    }

    /// The client of an access on a queue.
    pub fn of(access: BarrierAccess, queue: QueueType) -> Self {
        match (queue, access.writes()) {
            (QueueType::Copy, false) => Self::CopyQueueRead,
            (QueueType::Copy, true) => Self::CopyQueueWrite,
            (QueueType::Compute, _) if access == BarrierAccess::COPY_DEST => {
                Self::ComputeQueueCopyDest
            }
            _ => Self::Access(access),
        }
    }

    pub(super) fn index(self) -> usize {
        match self {
            Self::Access(access) => access.bits().trailing_zeros() as usize,
            Self::CopyQueueRead => 23,
            Self::CopyQueueWrite => 24,
            Self::Host => 25,
            Self::Display => 26,
            Self::Atomic => 27,
            Self::LayoutOperation => 28,
            Self::ComputeQueueCopyDest => 29,
        }
    }

    /// The word of a profile file.
    pub fn word(self) -> String {
        match self {
            Self::Access(access) => access.to_string(),
            Self::CopyQueueRead => "COPY_QUEUE_READ".into(),
            Self::CopyQueueWrite => "COPY_QUEUE_WRITE".into(),
            Self::ComputeQueueCopyDest => "COMPUTE_QUEUE_COPY_DEST".into(),
            Self::Host => "HOST".into(),
            Self::Display => "DISPLAY".into(),
            Self::Atomic => "ATOMIC".into(),
            Self::LayoutOperation => "LAYOUT_OPERATION".into(),
        }
    }

    /// The client whose row counts where a file has none for this one.
    pub(super) fn stands_in(self) -> Option<Self> {
        (self == Self::ComputeQueueCopyDest).then_some(Self::Access(BarrierAccess::COPY_DEST))
    }

    /// Whether it can write.
    pub(super) fn writes(self) -> bool {
        match self {
            Self::Access(access) => access.writes(),
            Self::CopyQueueRead | Self::Display => false,
            Self::CopyQueueWrite
            | Self::ComputeQueueCopyDest
            | Self::Host
            | Self::Atomic
            | Self::LayoutOperation => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Client;

    #[test]
    fn clients_have_places_of_their_own() {
        let mut places: Vec<_> = Client::all().map(Client::index).collect();
        places.sort_unstable();
        assert_eq!(places, (0..Client::COUNT).collect::<Vec<_>>());
    }
}
