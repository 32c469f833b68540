//! What happens at one moment, and in which order.

use crate::time::Ps;
use std::cmp::Ordering;

/// What happens at one moment, after what ends in the pools. The order of phases is that of the numbers.
#[derive(Copy, Clone, Debug)]
pub(super) enum Event {
    /// Thread groups end: their places are free.
    Places { batch: u32 },
    /// A kernel that moves bytes is launched.
    Kernel { flight: u32, task: u8 },
    /// A task that shares nothing ends.
    FixedEnd { flight: u32, task: u8 },
    /// The latency after the end of the stage before has passed.
    EndCheck { flight: u32, task: u8 },
    /// A step of a barrier ends.
    StepEnd { flight: u32 },
    /// A task's stage can start; `released` is the timing of the barrier that held it.
    Start {
        flight: u32,
        task: u8,
        released: u32,
    },
    /// The front end has spent a packet's launch time.
    FrontEnd { actor: u32 },
}

impl Event {
    /// The packet in flight that it is of.
    pub(super) fn flight(self) -> Option<u32> {
        match self {
            Self::Kernel { flight, .. }
            | Self::FixedEnd { flight, .. }
            | Self::EndCheck { flight, .. }
            | Self::StepEnd { flight }
            | Self::Start { flight, .. } => Some(flight),
            Self::Places { .. } | Self::FrontEnd { .. } => None,
        }
    }

    pub(super) fn phase(self) -> u64 {
        match self {
            Self::Places { .. }
            | Self::FixedEnd { .. }
            | Self::EndCheck { .. }
            | Self::StepEnd { .. } => 0,
            Self::Start { .. } | Self::Kernel { .. } => 1,
            Self::FrontEnd { .. } => 2,
        }
    }
}

/// An event and its place among all: the earliest is the greatest.
pub(super) struct Due {
    pub(super) time: Ps,
    /// Its phase in the upper bits, and when it was made.
    pub(super) order: u64,
    pub(super) event: Event,
}

impl Due {
    fn key(&self) -> u128 {
        u128::from(self.time.0) << 64 | u128::from(self.order)
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Due {}
