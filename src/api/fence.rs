//! Synchronization objects: their types, the flags of `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, and what Windows answers.
//!
//! This module knows names, bit positions and which flag asks for which type. Whether a scenario may use an object in
//! some way is decided above.

use bitflags::bitflags;
use std::fmt;

/// Type of a synchronization object.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum SyncObject {
    /// `D3DDDI_SYNCHRONIZATION_MUTEX`.
    Mutex,
    /// `D3DDDI_SEMAPHORE`.
    Semaphore,
    /// `D3DDDI_FENCE`: the fence before WDDM 2.0.
    Fence,
    /// `D3DDDI_CPU_NOTIFICATION`.
    CpuNotification,
    /// `D3DDDI_MONITORED_FENCE`.
    #[default]
    Monitored,
    /// `D3DDDI_PERIODIC_MONITORED_FENCE`: signalled by the display's vertical blank.
    PeriodicMonitored,
    /// A native fence of WDDM 3.2, made by `D3DKMTCreateNativeFence`.
    Native,
}

impl SyncObject {
    /// Every type.
    pub const ALL: [Self; 7] = [
        Self::Mutex,
        Self::Semaphore,
        Self::Fence,
        Self::CpuNotification,
        Self::Monitored,
        Self::PeriodicMonitored,
        Self::Native,
    ];

    /// The scenario language's words, one for each type.
    pub const WORDS: [&'static str; 7] = [
        "mutex",
        "semaphore",
        "fence",
        "cpu_notification",
        "monitored",
        "periodic_monitored",
        "native",
    ];

    /// The scenario language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mutex => "mutex",
            Self::Semaphore => "semaphore",
            Self::Fence => "fence",
            Self::CpuNotification => "cpu_notification",
            Self::Monitored => "monitored",
            Self::PeriodicMonitored => "periodic_monitored",
            Self::Native => "native",
        }
    }

    /// The type of a word: the language's own, or the header's name without its prefix, in any case.
    pub fn parse(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase().replace('-', "_");
        Some(match word.as_str() {
            "mutex" | "synchronization_mutex" => Self::Mutex,
            "semaphore" => Self::Semaphore,
            "fence" => Self::Fence,
            "cpu_notification" => Self::CpuNotification,
            "monitored" | "monitored_fence" => Self::Monitored,
            "periodic_monitored" | "periodic_monitored_fence" => Self::PeriodicMonitored,
            "native" | "native_fence" => Self::Native,
            _ => return None,
        })
    }

    /// What a message calls an object of this type.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Mutex => "a mutex",
            Self::Semaphore => "a semaphore",
            Self::Fence => "a fence of the old kind",
            Self::CpuNotification => "a CPU notification",
            Self::Monitored => "a monitored fence",
            Self::PeriodicMonitored => "a periodic monitored fence",
            Self::Native => "a native fence",
        }
    }

    /// The value of `D3DDDI_SYNCHRONIZATIONOBJECT_TYPE`; a native fence is made by a call of its own and has none.
    pub fn value(self) -> Option<u32> {
        match self {
            Self::Mutex => Some(1),
            Self::Semaphore => Some(2),
            Self::Fence => Some(3),
            Self::CpuNotification => Some(4),
            Self::Monitored => Some(5),
            Self::PeriodicMonitored => Some(6),
            Self::Native => None,
        }
    }

    /// The type of a value of `D3DDDI_SYNCHRONIZATIONOBJECT_TYPE`.
    pub fn from_value(value: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.value() == Some(value))
    }

    /// Whether the object has a 64-bit value that queues signal and wait for.
    pub fn has_value(self) -> bool {
        !matches!(self, Self::Mutex | Self::Semaphore)
    }
}

/// `D3DDDI_NATIVEFENCE_TYPE`: 0 and 1.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum NativeFence {
    /// For CPU and GPU.
    #[default]
    Default,
    /// Between the engines of one GPU; the CPU has no part in it.
    IntraGpu,
}

impl NativeFence {
    /// The scenario language's words.
    pub const WORDS: [&'static str; 2] = ["DEFAULT", "INTRA_GPU"];

    /// The scenario language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "DEFAULT",
            Self::IntraGpu => "INTRA_GPU",
        }
    }

    /// The type of a word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "DEFAULT" => Some(Self::Default),
            "INTRA_GPU" => Some(Self::IntraGpu),
            _ => None,
        }
    }
}

bitflags! {
    /// Bits of `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, in the header's order.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct SyncObjectFlags: u32 {
        /// Visible to other processes.
        const SHARED = 1 << 0;
        /// Shared by an NT handle, without a global handle.
        const NT_SECURITY_SHARING = 1 << 1;
        /// Shared between the adapters of a hybrid system.
        const CROSS_ADAPTER = 1 << 2;
        /// Signalled when the work before it is in the pipeline, not when it is done.
        const TOP_OF_PIPELINE = 1 << 3;
        /// This device may only wait.
        const NO_SIGNAL = 1 << 4;
        /// This device may only signal.
        const NO_WAIT = 1 << 5;
        /// A GPU reset does not signal it to its greatest value.
        const NO_SIGNAL_MAX_VALUE_ON_TDR = 1 << 6;
        /// Not mapped for the GPU: only packets signal it and wait for it.
        const NO_GPU_ACCESS = 1 << 7;
        /// The kernel-mode driver may signal it.
        const SIGNAL_BY_KMD = 1 << 8;
        /// Must be 0.
        const UNUSED = 1 << 9;
        /// CPU waiters wake only when the shared object itself is destroyed.
        const UNWAIT_CPU_WAITERS_ONLY_ON_DESTROY = 1 << 10;
        /// The 20 bits `Reserved`; must be 0.
        const RESERVED = 0x7fff_f800;
        /// Must be 0.
        const RESERVED0 = 1 << 31;
    }
}

/// The header's names.
const NAMES: [(&str, SyncObjectFlags); 13] = [
    ("Shared", SyncObjectFlags::SHARED),
    ("NtSecuritySharing", SyncObjectFlags::NT_SECURITY_SHARING),
    ("CrossAdapter", SyncObjectFlags::CROSS_ADAPTER),
    ("TopOfPipeline", SyncObjectFlags::TOP_OF_PIPELINE),
    ("NoSignal", SyncObjectFlags::NO_SIGNAL),
    ("NoWait", SyncObjectFlags::NO_WAIT),
    (
        "NoSignalMaxValueOnTdr",
        SyncObjectFlags::NO_SIGNAL_MAX_VALUE_ON_TDR,
    ),
    ("NoGPUAccess", SyncObjectFlags::NO_GPU_ACCESS),
    ("SignalByKmd", SyncObjectFlags::SIGNAL_BY_KMD),
    ("Unused", SyncObjectFlags::UNUSED),
    (
        "UnwaitCpuWaitersOnlyOnDestroy",
        SyncObjectFlags::UNWAIT_CPU_WAITERS_ONLY_ON_DESTROY,
    ),
    ("Reserved", SyncObjectFlags::RESERVED),
    ("RESERVED0", SyncObjectFlags::RESERVED0),
];

/// Longer names of the header for the bits of [`NAMES`].
const ALIASES: [(&str, SyncObjectFlags); 1] = [(
    "D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS_RESERVED0",
    SyncObjectFlags::RESERVED0,
)];

impl SyncObjectFlags {
    /// Flags that may be 1 only for monitored fences. `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`: `TopOfPipeline`, `NoSignal`,
    /// `NoWait`.
    pub const MONITORED_ONLY: Self = Self::TOP_OF_PIPELINE
        .union(Self::NO_SIGNAL)
        .union(Self::NO_WAIT);
    /// Bits that must be 0. `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`: `Unused`, `Reserved`, `RESERVED0`.
    pub const MUST_BE_ZERO: Self = Self::UNUSED.union(Self::RESERVED).union(Self::RESERVED0);

    /// The header's names, in the order of their bits.
    pub fn words() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The union's `Value`, if every bit that must be 0 is 0.
    ///
    /// # Errors
    /// `STATUS_INVALID_PARAMETER`, for a bit of `Unused`, `Reserved` or `RESERVED0`.
    pub fn from_value(value: u32) -> Result<Self, NtStatus> {
        let flags = Self::from_bits_retain(value);
        if flags.intersects(Self::MUST_BE_ZERO) {
            Err(NtStatus::InvalidParameter)
        } else {
            Ok(flags)
        }
    }

    /// The bits of a name, or of a number.
    pub fn parse(word: &str) -> Option<Self> {
        if let Some(digits) = word.strip_prefix("0x") {
            let bits = u32::from_str_radix(digits, 16).ok()?;
            return Some(Self::from_bits_retain(bits));
        }
        NAMES
            .iter()
            .chain(&ALIASES)
            .find(|(name, _)| *name == word)
            .map(|(_, bits)| *bits)
    }
}

/// The names joined by `|`; some of the reserved bits as a number.
impl fmt::Display for SyncObjectFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = *self;
        let mut bar = "";
        for (name, bits) in NAMES {
            if rest.contains(bits) {
                write!(f, "{bar}{name}")?;
                rest.remove(bits);
                bar = "|";
            }
        }
        if rest.is_empty() && !bar.is_empty() {
            return Ok(());
        }
        write!(f, "{bar}{:#x}", rest.bits())
    }
}

/// What Windows returns for an operation that it refuses.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum NtStatus {
    /// `STATUS_ACCESS_DENIED`.
    AccessDenied,
    /// `STATUS_INVALID_PARAMETER`.
    InvalidParameter,
}

impl NtStatus {
    /// The number.
    pub fn value(self) -> u32 {
        match self {
            Self::AccessDenied => 0xc000_0022,
            Self::InvalidParameter => 0xc000_000d,
        }
    }
}

/// The name of the header.
impl fmt::Display for NtStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AccessDenied => "STATUS_ACCESS_DENIED",
            Self::InvalidParameter => "STATUS_INVALID_PARAMETER",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Syntax": eleven named bits from the lowest, 20 reserved ones, and the
    /// highest.
    #[test]
    fn bits_stand_where_the_header_has_them() {
        let listed = [
            "Shared",
            "NtSecuritySharing",
            "CrossAdapter",
            "TopOfPipeline",
            "NoSignal",
            "NoWait",
            "NoSignalMaxValueOnTdr",
            "NoGPUAccess",
            "SignalByKmd",
            "Unused",
            "UnwaitCpuWaitersOnlyOnDestroy",
        ];
        for (bit, name) in listed.iter().enumerate() {
            let flags = SyncObjectFlags::parse(name).expect("a name of the header");
            assert_eq!(flags.bits(), 1 << bit, "{name}");
        }
        assert_eq!(SyncObjectFlags::RESERVED.bits().count_ones(), 20);
        assert_eq!(SyncObjectFlags::RESERVED0.bits(), 1 << 31);
        let all: u32 = NAMES.iter().map(|(_, bits)| bits.bits()).sum();
        assert_eq!(all, u32::MAX, "the fields fill the 32 bits, none twice");
    }

    /// `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`: `Unused`, `Reserved` and `RESERVED0` must be 0.
    #[test]
    fn reserved_bits_are_refused_each_by_itself() {
        for bit in 0..32 {
            let zero = bit == 9 || bit >= 11;
            let taken = SyncObjectFlags::from_value(1 << bit);
            assert_eq!(taken.is_err(), zero, "bit {bit}");
        }
        for kind in SyncObject::ALL {
            let back = kind.value().and_then(SyncObject::from_value);
            assert_eq!(back, kind.value().map(|_| kind));
        }
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for bits in [0, 1, 3, 0x200, 0x800, 0x8000_0010, 0x7fff_f800, u32::MAX] {
            let flags = SyncObjectFlags::from_bits_retain(bits);
            let read = flags
                .to_string()
                .split('|')
                .map(|word| SyncObjectFlags::parse(word).expect("a flag"))
                .fold(SyncObjectFlags::empty(), SyncObjectFlags::union);
            assert_eq!(read, flags, "{flags}");
        }
        for (kind, word) in SyncObject::ALL.into_iter().zip(SyncObject::WORDS) {
            assert_eq!(SyncObject::parse(word), Some(kind));
            assert_eq!(kind.word(), word);
        }
    }
}
