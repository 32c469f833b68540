//! From the accesses of a function back to the variables: pointers and loaded descriptors are followed through chains,
//! copies and calls.

use super::declarations::Declarations;
use super::words::{Instruction, Words};
use super::{Binding, DescriptorKind, Elements, EntryPoint, flow};
use ::spirv::{Op, StorageClass};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Origins that one pointer may have, and calls within calls; beyond, a module is not read further.
const ORIGINS_MAX: usize = 64;
const CALLS_MAX: usize = 64;

/// Where a pointer, or a descriptor that was loaded, comes from.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Root {
    /// A variable with a descriptor.
    Variable(u32),
    /// A parameter of the function, by its place.
    Parameter(u32),
    /// An address.
    Address,
}

/// A root with the element of its array, if that was chosen.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Origin {
    root: Root,
    element: Element,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Element {
    /// The array as a whole, or what is no array.
    Whole,
    This(u32),
    Any,
}

/// What is done with a descriptor.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Done {
    reads: bool,
    writes: bool,
    atomic: bool,
    plain: bool,
    always: bool,
}

impl Done {
    const READ: Self = Self::new(true, false, false);
    const WRITE: Self = Self::new(false, true, false);
    const ATOMIC: Self = Self::new(true, true, true);
    /// The descriptor is used, its memory is not.
    const NOTHING: Self = Self::new(false, false, false);

    const fn new(reads: bool, writes: bool, atomic: bool) -> Self {
        Self {
            reads,
            writes,
            atomic,
            plain: !atomic && (reads || writes),
            always: false,
        }
    }

    fn join(&mut self, other: Self) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.atomic |= other.atomic;
        self.plain |= other.plain;
        self.always |= other.always;
    }
}

type Accesses = BTreeMap<Origin, Done>;

/// What the entry points of a module use.
pub(super) fn entries(words: &Words, declarations: &Declarations) -> Vec<EntryPoint> {
    let mut reader = Reader {
        words,
        declarations,
        known: BTreeMap::default(),
        open: BTreeSet::default(),
    };
    let entries = declarations.entries.iter();
    entries
        .map(|entry| {
            let accesses = reader.function(entry.function);
            let address = accesses
                .iter()
                .filter(|(origin, _)| origin.root == Root::Address);
            let mut addresses = Done::NOTHING;
            address.for_each(|(_, done)| addresses.join(*done));
            EntryPoint {
                name: entry.name.clone(),
                stage: entry.stage,
                bindings: bindings(declarations, &accesses),
                reads_addresses: addresses.reads,
                writes_addresses: addresses.writes,
            }
        })
        .collect()
}

/// One binding for each variable.
fn bindings(declarations: &Declarations, accesses: &Accesses) -> Vec<Binding> {
    let mut variables: BTreeMap<u32, (Done, Option<Vec<u32>>)> = BTreeMap::new();
    for (origin, done) in accesses {
        let Root::Variable(id) = origin.root else {
            continue;
        };
        let Some(descriptor) = declarations.descriptors.get(&id) else {
            continue;
        };
        let (sum, elements) = variables
            .entry(id)
            .or_insert((Done::NOTHING, Some(Vec::new())));
        sum.join(*done);
        match origin.element {
            Element::This(index) => elements.iter_mut().for_each(|known| known.push(index)),
            Element::Whole if !descriptor.is_array => {
                for known in elements.iter_mut() {
                    known.push(0);
                }
            }
            Element::Whole | Element::Any => *elements = None,
        }
    }
    let mut bindings: Vec<Binding> = variables
        .into_iter()
        .map(|(id, (done, elements))| {
            let descriptor = &declarations.descriptors[&id];
            Binding {
                set: descriptor.set,
                binding: descriptor.binding,
                name: descriptor.name.clone(),
                count: descriptor.count,
                kind: descriptor.kind,
                elements: elements.map_or(Elements::Any, |mut elements| {
                    elements.sort_unstable();
                    elements.dedup();
                    Elements::These(elements)
                }),
                reads: done.reads && descriptor.kind != DescriptorKind::Sampler,
                writes: done.writes,
                atomics: done.atomic && !done.plain,
                always: done.always,
                input_attachment: descriptor.input_attachment,
            }
        })
        .collect();
    bindings.sort_by_key(|binding| (binding.set, binding.binding));
    bindings
}

struct Reader<'m> {
    words: &'m Words,
    declarations: &'m Declarations,
    /// What functions do that were read.
    known: BTreeMap<u32, Rc<Accesses>>,
    /// Functions that are being read.
    open: BTreeSet<u32>,
}

/// What is known within one function.
#[derive(Default)]
struct Body {
    /// Origins of pointers and loaded descriptors.
    origins: BTreeMap<u32, Vec<Origin>>,
    accesses: Accesses,
    /// Whether every invocation comes here.
    always: bool,
}

impl Body {
    fn of(&self, id: u32) -> &[Origin] {
        self.origins.get(&id).map_or(&[], Vec::as_slice)
    }

    fn set(&mut self, id: u32, origins: Vec<Origin>) {
        if !origins.is_empty() {
            self.origins.insert(id, origins);
        }
    }

    /// The second is what the first was made from.
    fn same(&mut self, id: u32, from: &[u32]) {
        let mut all: Vec<Origin> = from
            .iter()
            .flat_map(|from| self.of(*from))
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(ORIGINS_MAX);
        self.set(id, all);
    }

    fn access(&mut self, through: u32, done: Done) {
        let always = self.always;
        for origin in self.of(through).to_vec() {
            let known = self.accesses.entry(origin).or_default();
            known.join(Done { always, ..done });
        }
    }
}

impl Reader<'_> {
    /// What a function does to its parameters, to variables and to addresses. One that calls itself, which SPIR-V forbids,
    /// counts as doing nothing the second time.
    fn function(&mut self, id: u32) -> Rc<Accesses> {
        if let Some(known) = self.known.get(&id) {
            return Rc::clone(known);
        }
        let Some(range) = self.declarations.functions.get(&id).copied() else {
            return Rc::default();
        };
        if self.open.len() >= CALLS_MAX || !self.open.insert(id) {
            return Rc::default();
        }
        let always = flow::always(self.words, range);
        let mut body = Body::default();
        for id in self.declarations.descriptors.keys() {
            let root = Root::Variable(*id);
            let element = Element::Whole;
            body.set(*id, vec![Origin { root, element }]);
        }
        let mut parameters = 0;
        for index in range.0..range.1 {
            let it = self.words.at(index);
            match it.op {
                Some(Op::FunctionParameter) => {
                    let root = if self.address(it.operand(0)) {
                        Root::Address
                    } else {
                        Root::Parameter(parameters)
                    };
                    let element = Element::Whole;
                    body.set(it.operand(1), vec![Origin { root, element }]);
                    parameters += 1;
                }
                Some(Op::Label) => {
                    body.always = always.get(&it.operand(0)).is_some_and(|always| *always);
                }
                Some(Op::FunctionCall) => self.call(&mut body, &it),
                Some(op) => {
                    self.follow(&mut body, op, &it);
                    if op == Op::Load && self.declarations.is_descriptor(it.operand(0)) {
                        // Loading a descriptor reads no memory: what is done with it counts.
                        body.access(it.operand(2), Done::NOTHING);
                    } else {
                        access(&mut body, op, &it);
                    }
                }
                None => {}
            }
        }
        self.open.remove(&id);
        let accesses = Rc::new(body.accesses);
        self.known.insert(id, Rc::clone(&accesses));
        accesses
    }

    /// Whether a type is a pointer by address.
    fn address(&self, pointer: u32) -> bool {
        self.declarations.class(pointer) == Some(StorageClass::PhysicalStorageBuffer as u32)
    }

    /// Where results come from.
    fn follow(&self, body: &mut Body, op: Op, it: &Instruction<'_>) {
        let id = it.operand(1);
        match op {
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain => {
                let is_pointer = matches!(op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
                let first = it.operands.get(if is_pointer { 4 } else { 3 }).copied();
                let base = body.of(it.operand(2)).to_vec();
                let chosen = base.into_iter().map(|origin| self.chosen(origin, first));
                body.set(id, chosen.collect());
            }
            // A descriptor that is loaded is still that descriptor.
            Op::Load | Op::ImageTexelPointer | Op::Image | Op::CopyObject | Op::CopyLogical => {
                body.same(id, &[it.operand(2)]);
            }
            Op::SampledImage => body.same(id, &[it.operand(2), it.operand(3)]),
            Op::Select => body.same(id, &[it.operand(3), it.operand(4)]),
            Op::Phi => {
                let from: Vec<u32> = it.from(2).iter().step_by(2).copied().collect();
                body.same(id, &from);
            }
            _ => {}
        }
        if self.address(it.operand(0)) && !matches!(op, Op::TypePointer | Op::Store) {
            let (root, element) = (Root::Address, Element::Whole);
            body.set(id, vec![Origin { root, element }]);
        }
    }

    /// An origin after the first index of a chain.
    fn chosen(&self, origin: Origin, first: Option<u32>) -> Origin {
        let is_array = match origin.root {
            Root::Variable(id) => {
                let descriptor = self.declarations.descriptors.get(&id);
                descriptor.is_some_and(|descriptor| descriptor.is_array)
            }
            // The caller knows whether it is one.
            Root::Parameter(_) => false,
            Root::Address => return origin,
        };
        let Some(index) = first.filter(|_| is_array && origin.element == Element::Whole) else {
            return origin;
        };
        let element = match self.declarations.constant(index) {
            Some(index) => Element::This(index),
            None => Element::Any,
        };
        Origin { element, ..origin }
    }

    /// What the called function does, done to the arguments.
    fn call(&mut self, body: &mut Body, it: &Instruction<'_>) {
        let called = self.function(it.operand(2));
        if self.address(it.operand(0)) {
            let (root, element) = (Root::Address, Element::Whole);
            body.set(it.operand(1), vec![Origin { root, element }]);
        }
        let always = body.always;
        for (origin, done) in called.iter() {
            let done = Done {
                always: always && done.always,
                ..*done
            };
            let to = match origin.root {
                Root::Parameter(place) => body.of(it.operand(3 + place as usize)).to_vec(),
                Root::Variable(_) | Root::Address => vec![*origin],
            };
            for origin in to {
                body.accesses.entry(origin).or_default().join(done);
            }
        }
    }
}

/// What an instruction does to memory.
fn access(body: &mut Body, op: Op, it: &Instruction<'_>) {
    match op {
        Op::Load => body.access(it.operand(2), Done::READ),
        Op::AtomicLoad => body.access(it.operand(2), Done::new(true, false, true)),
        Op::Store | Op::ImageWrite => body.access(it.operand(0), Done::WRITE),
        Op::AtomicStore | Op::AtomicFlagClear => {
            body.access(it.operand(0), Done::new(false, true, true));
        }
        Op::CopyMemory | Op::CopyMemorySized => {
            body.access(it.operand(0), Done::WRITE);
            body.access(it.operand(1), Done::READ);
        }
        Op::TraceRayKHR => body.access(it.operand(0), Done::READ),
        Op::RayQueryInitializeKHR => body.access(it.operand(1), Done::READ),
        Op::ArrayLength
        | Op::ImageQuerySize
        | Op::ImageQuerySizeLod
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples
        | Op::ImageQueryLod => body.access(it.operand(2), Done::NOTHING),
        _ if is_image_read(op) => body.access(it.operand(2), Done::READ),
        _ if is_atomic(op) => body.access(it.operand(2), Done::ATOMIC),
        _ => {}
    }
}

fn is_image_read(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageFetch
            | Op::ImageGather
            | Op::ImageDrefGather
            | Op::ImageRead
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
            | Op::ImageSparseFetch
            | Op::ImageSparseGather
            | Op::ImageSparseDrefGather
            | Op::ImageSparseRead
    )
}

fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicCompareExchangeWeak
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFlagTestAndSet
            | Op::AtomicFAddEXT
            | Op::AtomicFMinEXT
            | Op::AtomicFMaxEXT
    )
}
