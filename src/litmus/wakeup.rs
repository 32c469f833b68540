//! The lost wake-up: every interleaving of an engine that signals a native fence, the GPU's management processor that
//! lowers `MonitoredValue`, and the operating system that waits on the CPU.
//!
//! A native fence raises an interrupt only if the new value is greater than `MonitoredValue`. So the one side writes the
//! fence's value and reads what is monitored, the other writes what is monitored and reads the value; each writes
//! through a buffer of its own, which drains at any time. If neither sees the other's write, the CPU sleeps although
//! the fence has its value, and no interrupt will come. Which steps a design takes is a [`Design`]; [`explore`] visits
//! every state that it can reach. A spurious interrupt is no fault; a lost one is.

use indexmap::IndexMap;
use serde::Serialize;

/// What the parts do apart from writing.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four independent choices: every combination is a design"
)]
pub struct Design {
    /// The engine lets its write of the value reach memory before it reads what is monitored.
    pub engine_barrier: bool,
    /// The management processor lets its write of what is monitored reach memory before it goes on.
    pub management_barrier: bool,
    /// After its write the management processor compares the value.
    pub management_compares: bool,
    /// After the update the operating system reads the value again before it sleeps.
    pub system_reads_again: bool,
}

impl Design {
    /// The order that the driver model asks for.
    pub const RIGHT: Self = Self {
        engine_barrier: true,
        management_barrier: true,
        management_compares: true,
        system_reads_again: true,
    };

    /// Every design.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16_u8).map(|bits| Self {
            engine_barrier: bits & 1 != 0,
            management_barrier: bits & 2 != 0,
            management_compares: bits & 4 != 0,
            system_reads_again: bits & 8 != 0,
        })
    }
}

/// What every interleaving of a design amounts to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Outcome {
    /// States that the search met.
    pub states: usize,
    /// A shortest way to lose the wake-up, step by step; null if there is none.
    pub lost: Option<Vec<&'static str>>,
    /// Most interrupts in vain.
    pub spurious_max: u8,
}

/// Nobody waits.
const NOBODY: u8 = u8::MAX;
/// The engine signals the values 1 and 2; the CPU waits for 2.
const SIGNALS: u8 = 2;
const WAITS_FOR: u8 = 2;

/// How far the engine is in the signal of a value.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Engine {
    Write(u8),
    Barrier(u8),
    Compare(u8),
    Over,
}

/// How far the management processor is in an update of what is monitored.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Management {
    Idle,
    Write,
    Barrier,
    Compare,
}

/// How far the operating system is.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum System {
    /// It asks for the update.
    Ask,
    /// The update is under way.
    Await,
    /// It reads the value again.
    Read,
    Asleep,
    Awake,
}

#[derive(Copy, Clone, PartialEq, Eq, Hash)]
struct State {
    engine: Engine,
    management: Management,
    system: System,
    /// `CurrentValue` and `MonitoredValue` as memory has them.
    current: u8,
    monitored: u8,
    /// Written, and not in memory yet. A later value replaces an earlier one on its way.
    current_buffered: Option<u8>,
    monitored_buffered: Option<u8>,
    interrupt: bool,
    spurious: u8,
}

impl State {
    const START: Self = Self {
        engine: Engine::Write(1),
        management: Management::Idle,
        system: System::Ask,
        current: 0,
        monitored: NOBODY,
        current_buffered: None,
        monitored_buffered: None,
        interrupt: false,
        spurious: 0,
    };

    /// Every step from here, with its name.
    fn steps(self, design: Design) -> Vec<(&'static str, Self)> {
        let mut steps = Vec::new();
        if let Some(value) = self.current_buffered {
            let next = Self {
                current: value,
                current_buffered: None,
                ..self
            };
            steps.push(("the value reaches memory", next));
        }
        if let Some(value) = self.monitored_buffered {
            let next = Self {
                monitored: value,
                monitored_buffered: None,
                ..self
            };
            steps.push(("the monitored value reaches memory", next));
        }
        steps.extend(self.engine(design));
        steps.extend(self.management(design));
        steps.extend(self.system(design));
        steps
    }

    fn engine(self, design: Design) -> Option<(&'static str, Self)> {
        match self.engine {
            Engine::Write(value) => {
                let then = if design.engine_barrier {
                    Engine::Barrier(value)
                } else {
                    Engine::Compare(value)
                };
                let next = Self {
                    engine: then,
                    current_buffered: Some(value),
                    ..self
                };
                Some(("the engine writes the value", next))
            }
            Engine::Barrier(value) => {
                let next = Self {
                    engine: Engine::Compare(value),
                    ..self
                };
                self.current_buffered
                    .is_none()
                    .then_some(("the engine's barrier is over", next))
            }
            Engine::Compare(value) => {
                let engine = if value == SIGNALS {
                    Engine::Over
                } else {
                    Engine::Write(value + 1)
                };
                let raises = value > self.monitored;
                let next = Self {
                    engine,
                    interrupt: self.interrupt || raises,
                    ..self
                };
                Some(if raises {
                    ("the engine sees a waiter and raises the interrupt", next)
                } else {
                    ("the engine sees no waiter", next)
                })
            }
            Engine::Over => None,
        }
    }

    fn management(self, design: Design) -> Option<(&'static str, Self)> {
        let compare = |state: Self| {
            let (management, system) = if design.management_compares {
                (Management::Compare, state.system)
            } else {
                (Management::Idle, System::Read)
            };
            Self {
                management,
                system,
                ..state
            }
        };
        match self.management {
            Management::Idle => None,
            Management::Write => {
                let written = Self {
                    monitored_buffered: Some(WAITS_FOR - 1),
                    ..self
                };
                let next = if design.management_barrier {
                    Self {
                        management: Management::Barrier,
                        ..written
                    }
                } else {
                    compare(written)
                };
                Some(("the management processor writes what is monitored", next))
            }
            Management::Barrier => self
                .monitored_buffered
                .is_none()
                .then(|| ("the management processor's barrier is over", compare(self))),
            Management::Compare => {
                let reached = self.current > WAITS_FOR - 1;
                let next = Self {
                    management: Management::Idle,
                    system: System::Read,
                    interrupt: self.interrupt || reached,
                    ..self
                };
                Some(if reached {
                    (
                        "the management processor sees the value and raises the interrupt",
                        next,
                    )
                } else {
                    ("the management processor does not see the value", next)
                })
            }
        }
    }

    fn system(self, design: Design) -> Option<(&'static str, Self)> {
        match self.system {
            System::Ask => {
                let next = Self {
                    system: System::Await,
                    management: Management::Write,
                    ..self
                };
                Some(("the CPU begins to wait", next))
            }
            System::Read if !design.system_reads_again => Some((
                "the CPU sleeps",
                Self {
                    system: System::Asleep,
                    ..self
                },
            )),
            System::Read if self.current >= WAITS_FOR => Some((
                "the CPU reads the value and goes on",
                Self {
                    system: System::Awake,
                    ..self
                },
            )),
            System::Read => Some((
                "the CPU reads the old value and sleeps",
                Self {
                    system: System::Asleep,
                    ..self
                },
            )),
            System::Asleep | System::Awake if self.interrupt => {
                let wakes = self.system == System::Asleep && self.current >= WAITS_FOR;
                let next = Self {
                    interrupt: false,
                    system: if wakes { System::Awake } else { self.system },
                    spurious: self.spurious + u8::from(!wakes),
                    ..self
                };
                Some(if wakes {
                    ("the interrupt wakes the CPU", next)
                } else {
                    ("the interrupt finds nobody to wake", next)
                })
            }
            System::Await | System::Asleep | System::Awake => None,
        }
    }
}

/// Visits every state of a design.
pub fn explore(design: Design) -> Outcome {
    // For each state, the one that it was first reached from, and by which step.
    let mut seen: IndexMap<State, Option<(usize, &'static str)>> = IndexMap::new();
    seen.insert(State::START, None);
    let (mut lost, mut spurious_max) = (None, 0);
    let mut at = 0;
    while let Some((state, _)) = seen.get_index(at) {
        let state = *state;
        spurious_max = spurious_max.max(state.spurious);
        let steps = state.steps(design);
        if steps.is_empty() && state.system != System::Awake && lost.is_none() {
            lost = Some(at);
        }
        for (name, next) in steps {
            seen.entry(next).or_insert(Some((at, name)));
        }
        at += 1;
    }
    let way = |mut at: usize| {
        let mut way = Vec::new();
        while let Some((from, name)) = seen[at] {
            way.push(name);
            at = from;
        }
        way.reverse();
        way
    };
    Outcome {
        states: seen.len(),
        lost: lost.map(way),
        spurious_max,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wake-up is lost if and only if one side could miss the other's write: a barrier is missing, or nobody looks at
    /// the value after what is monitored has been lowered.
    #[test]
    fn a_wake_up_is_lost_exactly_where_an_order_is_missing() {
        for design in Design::all() {
            let looks = design.management_compares || design.system_reads_again;
            let ordered = design.engine_barrier && design.management_barrier && looks;
            let outcome = explore(design);
            assert_eq!(outcome.lost.is_none(), ordered, "{design:?}: {outcome:?}");
        }
    }

    #[test]
    fn the_right_order_loses_nothing_and_may_interrupt_in_vain() {
        let outcome = explore(Design::RIGHT);
        assert_eq!(outcome.lost, None);
        assert!(outcome.spurious_max > 0, "{outcome:?}");
    }

    #[test]
    fn a_lost_wake_up_ends_with_the_value_in_memory_and_the_cpu_asleep() {
        let design = Design {
            engine_barrier: false,
            ..Design::RIGHT
        };
        let way = explore(design).lost.expect("it can be lost");
        let mut state = State::START;
        for name in way {
            let steps = state.steps(design);
            state = steps
                .into_iter()
                .find(|(n, _)| *n == name)
                .expect("a step")
                .1;
        }
        assert!(state.system == System::Asleep && state.current >= WAITS_FOR && !state.interrupt);
    }
}
