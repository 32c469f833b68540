//! Where the values of native fences lie: a modelled kernel-mode driver answers the request for fence storage, and the
//! values of one process are packed into pages.
//!
//! Source: the native fence storage document, `D3DKMDT_FENCESTORAGESURFACEDATA`. [`faults`] checks an answer, whoever
//! made it.

use crate::api::{NativeFence, NtStatus, SyncObjectFlags};
use crate::scenario::{Fence, MemorySegment as Segment, Scenario};
use serde::Serialize;

/// Bytes of a page.
pub const PAGE_BYTES: u32 = 4096;

/// An adapter's memory, and what the operating system supports on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Segments; the first is number 1.
    pub segments: Vec<Segment>,
    /// Bytes from one packed value to the next.
    pub stride_bytes: u32,
    /// Monitored values of `DEFAULT` fences may lie in local memory.
    pub optimised_default: bool,
    /// `INTRA_GPU` fences are supported.
    pub intra_gpu: bool,
}

impl Memory {
    /// A discrete GPU: system memory, a window of local memory, and the rest of it.
    pub fn discrete() -> Self {
        Self {
            segments: vec![Segment::System, Segment::LocalVisible, Segment::Local],
            stride_bytes: 64,
            optimised_default: true,
            intra_gpu: true,
        }
    }

    /// What a scenario says of an adapter; the rest is that of a discrete GPU.
    pub fn of(scenario: &Scenario, adapter: u32) -> Self {
        let mut memory = Self::discrete();
        if let Some(said) = scenario.adapter(adapter) {
            if !said.segments.is_empty() {
                memory.segments.clone_from(&said.segments);
            }
            memory.stride_bytes = said.stride_bytes.unwrap_or(memory.stride_bytes);
            memory.optimised_default = said.optimised_default.unwrap_or(true);
            memory.intra_gpu = said.intra_gpu.unwrap_or(true);
        }
        memory
    }

    /// The set of segments that fit.
    fn set(&self, fits: impl Fn(Segment) -> bool) -> u32 {
        let numbered = self.segments.iter().take(32).enumerate();
        numbered
            .filter(|(_, s)| fits(**s))
            .fold(0, |set, (i, _)| set | 1 << i)
    }

    /// The segment of a number.
    pub fn segment(&self, number: u32) -> Option<Segment> {
        let index = (number as usize).checked_sub(1)?;
        self.segments.get(index).copied()
    }
}

/// `DXGKARG_FENCESTORAGEVALUETYPE`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ValueType {
    /// What has been signalled.
    Current,
    /// Above which a signal interrupts the CPU.
    Monitored,
}

/// `D3DKMDT_FENCESTORAGESURFACEDATA`, member by member. Pointers to private data are numbers here, and nobody looks at
/// them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct FenceStorageSurfaceData {
    /// In: the adapter of a linked group where the storage will be resident.
    pub physical_adapter_index: u32,
    /// In: which of the two values.
    pub fence_storage_value_type: ValueType,
    /// In: the type of the native fence.
    pub fence_storage_type: NativeFence,
    /// In: bytes of private data.
    pub private_driver_data_size: u32,
    /// Reserved for the future: neither read nor compared with NULL.
    pub private_driver_data: u64,
    /// In: `DXGKARG_FENCESTORAGEFLAGS`. Of its bits we know `Shared`, the first.
    pub flags: u32,
    /// Must be 0.
    pub reserved: u32,
    /// Out: the driver's answer.
    pub allocation_info: Option<Allocation>,
}

/// Bit of `DXGKARG_FENCESTORAGEFLAGS`.
pub const STORAGE_SHARED: u32 = 1;

impl FenceStorageSurfaceData {
    /// `DxgkDdiGetStandardAllocation` of the modelled driver: fills `allocation_info`.
    ///
    /// # Errors
    /// `STATUS_INVALID_PARAMETER` if `Reserved` or an unknown flag is not 0, or if no segment may hold the value.
    pub fn fill(&mut self, memory: &Memory) -> Result<(), NtStatus> {
        if self.reserved != 0 || self.flags & !STORAGE_SHARED != 0 {
            return Err(NtStatus::InvalidParameter);
        }
        let request = Request {
            adapter: self.physical_adapter_index,
            value: self.fence_storage_value_type,
            fence: self.fence_storage_type,
            shared: self.flags & STORAGE_SHARED != 0,
            private_data_bytes: self.private_driver_data_size,
        };
        let given = answer(&request, memory).ok_or(NtStatus::InvalidParameter)?;
        self.allocation_info = Some(given);
        Ok(())
    }
}

/// What the operating system asks for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// `PhysicalAdapterIndex`.
    pub adapter: u32,
    /// `FenceStorageValueType`.
    pub value: ValueType,
    /// `FenceStorageType`.
    pub fence: NativeFence,
    /// Whether other processes or adapters share it.
    pub shared: bool,
    /// `PrivateDriverDataSize`. The driver neither reads nor writes it.
    pub private_data_bytes: u32,
}

/// What the driver returns: `AllocationInfo`.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Allocation {
    /// `SupportedWriteSegmentSet`; bit 0 is segment 1.
    pub supported_write_segments: u32,
    /// `EvictionSegmentSet`; bit 0 is segment 1.
    pub eviction_segments: u32,
    /// `PreferredSegment`, a number from 1.
    pub preferred_segment: u32,
    /// `PrivateDriverDataSize` as the driver leaves it.
    #[serde(skip)]
    pub private_data_bytes: u32,
}

/// What is wrong with a driver's answer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Fault {
    /// No segment, or one that the adapter does not have.
    NoSuchSegment,
    /// The preferred segment is not among the supported ones.
    PreferredUnsupported,
    /// The CPU updates monitored values through pointers, and cannot see the segment.
    MonitoredHidden,
    /// A shared allocation outside system memory.
    SharedLocal,
    /// The size of the private data was changed.
    PrivateDataTouched,
}

/// Which segments may hold a value.
fn fits(request: &Request, memory: &Memory, segment: Segment) -> bool {
    if request.shared {
        return segment == Segment::System;
    }
    match (request.value, request.fence) {
        (ValueType::Current, NativeFence::IntraGpu) if memory.intra_gpu => true,
        (ValueType::Current, _) => segment == Segment::System,
        (ValueType::Monitored, _) => {
            segment == Segment::System || memory.optimised_default && segment.is_cpu_visible()
        }
    }
}

/// The modelled driver's answer. `None`: no segment of the adapter may hold the value.
pub fn answer(request: &Request, memory: &Memory) -> Option<Allocation> {
    let supported = memory.set(|segment| fits(request, memory, segment));
    let nearest = [Segment::Local, Segment::LocalVisible, Segment::System];
    let preferred = nearest.into_iter().find_map(|kind| {
        let set = memory.set(|segment| segment == kind) & supported;
        (set != 0).then(|| set.trailing_zeros() + 1)
    })?;
    Some(Allocation {
        supported_write_segments: supported,
        eviction_segments: memory.set(|segment| segment == Segment::System),
        preferred_segment: preferred,
        private_data_bytes: request.private_data_bytes,
    })
}

/// What is asked for a value of a fence.
pub fn request(fence: &Fence, value: ValueType) -> Request {
    let flags = SyncObjectFlags::SHARED | SyncObjectFlags::CROSS_ADAPTER;
    Request {
        adapter: fence.adapter.unwrap_or(0),
        value,
        fence: fence.native_type().unwrap_or_default(),
        shared: fence.bits().intersects(flags),
        private_data_bytes: 0,
    }
}

/// The answer for a value of a fence: the driver's own as far as the text says it, the modelled driver's for the rest.
pub fn given(fence: &Fence, value: ValueType, memory: &Memory) -> Option<Allocation> {
    let own = match value {
        ValueType::Current => fence.storage.current,
        ValueType::Monitored => fence.storage.monitored,
    };
    let mut given = answer(&request(fence, value), memory);
    if let Some(preferred_segment) = own {
        let bit = preferred_segment.checked_sub(1);
        let set = bit.and_then(|bit| 1_u32.checked_shl(bit)).unwrap_or(0);
        given = Some(Allocation {
            supported_write_segments: set,
            eviction_segments: memory.set(|segment| segment == Segment::System),
            preferred_segment,
            private_data_bytes: 0,
        });
    }
    given.map(|given| Allocation {
        private_data_bytes: fence.storage.private_data_bytes.unwrap_or(0),
        ..given
    })
}

/// Where a value of a fence is.
pub fn place(fence: &Fence, value: ValueType, memory: &Memory) -> Option<Segment> {
    memory.segment(given(fence, value, memory)?.preferred_segment)
}

/// What is wrong with an answer to a request.
pub fn faults(request: &Request, memory: &Memory, given: &Allocation) -> Vec<Fault> {
    let every = memory.set(|_| true);
    let sets = given.supported_write_segments | given.eviction_segments;
    let preferred = given
        .preferred_segment
        .checked_sub(1)
        .and_then(|bit| 1_u32.checked_shl(bit))
        .unwrap_or(0);
    let outside = |allowed: &dyn Fn(Segment) -> bool| {
        (given.supported_write_segments | preferred) & every & !memory.set(allowed) != 0
    };
    let found = [
        (
            Fault::NoSuchSegment,
            given.supported_write_segments == 0 || sets & !every != 0,
        ),
        (
            Fault::PreferredUnsupported,
            preferred & given.supported_write_segments == 0,
        ),
        (
            Fault::MonitoredHidden,
            request.value == ValueType::Monitored && outside(&Segment::is_cpu_visible),
        ),
        (
            Fault::SharedLocal,
            request.shared && outside(&|segment| segment == Segment::System),
        ),
        (
            Fault::PrivateDataTouched,
            given.private_data_bytes != request.private_data_bytes,
        ),
    ];
    found
        .into_iter()
        .filter_map(|(fault, is)| is.then_some(fault))
        .collect()
}

/// A place in the pages of one kind of value.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Slot {
    /// Page of values.
    pub page: u32,
    /// Place in the page.
    pub offset_bytes: u32,
}

/// Packs values of one process, each with whether it may be shared: private ones by the stride into pages of their own,
/// a shareable one on a page of its own.
pub fn pack(shareable: impl IntoIterator<Item = bool>, stride_bytes: u32) -> Vec<Slot> {
    // A value has 8 bytes and lies inside one page.
    let stride = stride_bytes.clamp(8, PAGE_BYTES).next_multiple_of(8);
    let mut next_page = 0;
    let mut open: Option<Slot> = None;
    let mut slots = Vec::new();
    for is_shareable in shareable {
        let mut new_page = || {
            let page = next_page;
            next_page += 1;
            Slot {
                page,
                offset_bytes: 0,
            }
        };
        if is_shareable {
            slots.push(new_page());
            continue;
        }
        let slot = open.unwrap_or_else(&mut new_page);
        slots.push(slot);
        let offset_bytes = slot.offset_bytes + stride;
        open = (offset_bytes + 8 <= PAGE_BYTES).then_some(Slot {
            offset_bytes,
            ..slot
        });
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Segment; 3] = [Segment::System, Segment::LocalVisible, Segment::Local];

    /// Every layout of up to three segments, with each support of the operating system.
    fn memories() -> Vec<Memory> {
        let mut layouts: Vec<Vec<Segment>> = vec![Vec::new()];
        for _ in 0..3 {
            let longer = layouts
                .iter()
                .flat_map(|l| KINDS.map(|k| [l.as_slice(), &[k]].concat()));
            let longer: Vec<_> = longer.collect();
            layouts.extend(longer);
        }
        let caps = [(false, false), (false, true), (true, false), (true, true)];
        let each = layouts.iter().flat_map(|segments| {
            caps.map(|(optimised_default, intra_gpu)| Memory {
                segments: segments.clone(),
                stride_bytes: 64,
                optimised_default,
                intra_gpu,
            })
        });
        each.collect()
    }

    fn requests() -> Vec<Request> {
        let mut all = Vec::new();
        for value in [ValueType::Current, ValueType::Monitored] {
            for fence in [NativeFence::Default, NativeFence::IntraGpu] {
                for shared in [false, true] {
                    for private_data_bytes in [0, 16] {
                        all.push(Request {
                            adapter: 0,
                            value,
                            fence,
                            shared,
                            private_data_bytes,
                        });
                    }
                }
            }
        }
        all
    }

    /// Native fence storage document, "Remarks".
    #[test]
    fn the_driver_answers_every_request_without_fault() {
        for memory in memories() {
            for request in requests() {
                match answer(&request, &memory) {
                    Some(given) => assert_eq!(
                        faults(&request, &memory, &given),
                        [],
                        "{request:?} {memory:?}"
                    ),
                    // Everything may lie in system memory, so only an adapter without it cannot be served.
                    None => assert!(
                        !memory.segments.contains(&Segment::System),
                        "{request:?} {memory:?}"
                    ),
                }
            }
        }
    }

    /// Native fence storage document, "Members", "Remarks": the pointer is not looked at, reserved members are 0, the answer is filled in.
    #[test]
    fn the_header_s_structure_is_answered() {
        let memory = Memory::discrete();
        let asked = FenceStorageSurfaceData {
            physical_adapter_index: 0,
            fence_storage_value_type: ValueType::Monitored,
            fence_storage_type: NativeFence::Default,
            private_driver_data_size: 16,
            private_driver_data: 0,
            flags: STORAGE_SHARED,
            reserved: 0,
            allocation_info: None,
        };
        let fill = |data: FenceStorageSurfaceData| {
            let mut data = data;
            data.fill(&memory).map(|()| data.allocation_info)
        };
        let given = fill(asked).expect("a right request").expect("an answer");
        assert_eq!(
            memory.segment(given.preferred_segment),
            Some(Segment::System)
        );
        assert_eq!(given.private_data_bytes, 16, "left as it was");
        let pointing = FenceStorageSurfaceData {
            private_driver_data: 0xdead_0000,
            ..asked
        };
        assert_eq!(fill(pointing), Ok(Some(given)));
        for wrong in [
            FenceStorageSurfaceData {
                reserved: 1,
                ..asked
            },
            FenceStorageSurfaceData { flags: 2, ..asked },
        ] {
            assert_eq!(fill(wrong), Err(NtStatus::InvalidParameter));
        }
    }

    #[test]
    fn a_wrong_answer_is_faulted_for_what_is_wrong() {
        let memory = Memory::discrete();
        let request = Request {
            adapter: 0,
            value: ValueType::Monitored,
            fence: NativeFence::Default,
            shared: false,
            private_data_bytes: 0,
        };
        let right = answer(&request, &memory).expect("there is system memory");
        let hidden = Allocation {
            supported_write_segments: 0b100,
            preferred_segment: 3,
            ..right
        };
        assert_eq!(faults(&request, &memory, &hidden), [Fault::MonitoredHidden]);
        let shared = Request {
            shared: true,
            ..request
        };
        let local = Allocation {
            supported_write_segments: 0b11,
            preferred_segment: 2,
            ..right
        };
        assert_eq!(faults(&shared, &memory, &local), [Fault::SharedLocal]);
        let private = Allocation {
            private_data_bytes: 8,
            ..right
        };
        assert_eq!(
            faults(&request, &memory, &private),
            [Fault::PrivateDataTouched]
        );
        let missing = Allocation {
            supported_write_segments: 0b1000,
            preferred_segment: 4,
            ..right
        };
        assert_eq!(faults(&request, &memory, &missing), [Fault::NoSuchSegment]);
        let preferred = Allocation {
            supported_write_segments: 0b1,
            preferred_segment: 2,
            ..right
        };
        assert_eq!(
            faults(&request, &memory, &preferred),
            [Fault::PreferredUnsupported]
        );
        let nowhere = Allocation {
            preferred_segment: 0,
            ..right
        };
        assert_eq!(
            faults(&request, &memory, &nowhere),
            [Fault::PreferredUnsupported]
        );
    }

    /// Local where the type allows it, system memory where another process or adapter looks on.
    #[test]
    fn values_lie_where_their_type_says() {
        use NativeFence::{Default, IntraGpu};
        use ValueType::{Current, Monitored};
        let memory = Memory::discrete();
        let place = |value, fence, shared| {
            let request = Request {
                adapter: 0,
                value,
                fence,
                shared,
                private_data_bytes: 0,
            };
            let given = answer(&request, &memory).expect("there is system memory");
            memory.segment(given.preferred_segment).expect("a segment")
        };
        assert_eq!(place(Current, Default, false), Segment::System);
        assert_eq!(place(Monitored, Default, false), Segment::LocalVisible);
        assert_eq!(place(Current, IntraGpu, false), Segment::Local);
        assert_eq!(place(Current, IntraGpu, true), Segment::System);
        assert_eq!(place(Monitored, Default, true), Segment::System);
    }

    #[test]
    fn pages_hold_what_fits_and_shareable_values_stand_alone() {
        let mut shareable = [false; 70];
        shareable[1] = true;
        let slots = pack(shareable.iter().copied(), 64);
        assert_eq!(
            slots[0],
            Slot {
                page: 0,
                offset_bytes: 0
            }
        );
        assert_eq!(
            slots[1],
            Slot {
                page: 1,
                offset_bytes: 0
            }
        );
        assert_eq!(
            slots[2],
            Slot {
                page: 0,
                offset_bytes: 64
            }
        );
        // 64 values of 64 bytes fill a page.
        assert_eq!(
            slots[64],
            Slot {
                page: 0,
                offset_bytes: 4032
            }
        );
        assert_eq!(
            slots[65],
            Slot {
                page: 2,
                offset_bytes: 0
            }
        );
        for (a, one) in slots.iter().enumerate() {
            assert!(one.offset_bytes + 8 <= PAGE_BYTES);
            for (b, other) in slots.iter().enumerate().skip(a + 1) {
                assert_ne!(one, other);
                assert!(one.page != other.page || !shareable[a] && !shareable[b]);
            }
        }
    }
}
