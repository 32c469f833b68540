//! Which rules an entry matches: what an entry is, as far as conditions may ask, and whether a condition holds.

use super::model::{Condition, Name, Naming, RuleText};
use super::sets::{BitsOf, Of, Value, class_value, layout_value};
use crate::api::{BarrierSide, QueueType, ResourceFlags};
use crate::hardware::{Exception, LayoutClass, Profile, Variant};
use crate::lower::policy::Entry;
use crate::lower::session::{Session, SinceLastWait};
use crate::lower::surfaces::{self, is_compressible};

/// What an entry is.
pub(super) struct Facts<'a> {
    profile: &'a Profile,
    entry: &'a Entry<'a>,
    flags: ResourceFlags,
    resource: Value,
    classes: [Option<LayoutClass>; 2],
    since: SinceLastWait,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        session: &Session<'_, '_>,
        entry: &'a Entry<'a>,
        profile: &'a Profile,
    ) -> Self {
        let declared = entry.resource.map(|id| session.declared(id));
        let resource = match declared {
            None => 1,
            Some(resource) if resource.is_buffer() => 2,
            Some(resource) if surfaces::is_depth(resource) => 8,
            Some(_) => 4,
        };
        let compressed = declared.filter(|it| is_compressible(profile, it));
        let layouts = entry.barrier.transition();
        let class = |layout| {
            let variant = surfaces::variants(profile, compressed?).first();
            Some(profile.layout_class_anywhere(layout, entry.queue, variant))
        };
        let classes = layouts.map_or([None, None], |(a, b)| [class(a), class(b)]);
        Self {
            profile,
            entry,
            flags: declared.map_or(ResourceFlags::empty(), |it| it.flags),
            resource,
            classes,
            since: session.since_wait(),
        }
    }

    /// Whether all conditions of a rule hold.
    pub(super) fn fit(&self, rule: &RuleText) -> bool {
        rule.conditions().all(|condition| self.holds(condition))
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Bits(set) => {
                let (bits, value) = self.bits(set.of);
                set.holds(bits, value)
            }
            Condition::Choice(choice) => choice.values & self.value(choice.of) != 0,
            Condition::Names(of, names) => names.iter().any(|name| self.is_named(*of, name)),
        }
    }

    /// The bits of a set, and the value that the barrier's text has.
    pub(super) fn bits(&self, of: BitsOf) -> (u32, u32) {
        let entry = self.entry;
        let barrier = entry.barrier;
        match of {
            BitsOf::Sync(BarrierSide::Before) => {
                (entry.before.stages.0, barrier.sync_before.bits())
            }
            BitsOf::Sync(BarrierSide::After) => (entry.after.stages.0, barrier.sync_after.bits()),
            BitsOf::Access(BarrierSide::Before) => {
                (entry.before.accesses.bits(), barrier.access_before.bits())
            }
            BitsOf::Access(BarrierSide::After) => {
                (entry.after.accesses.bits(), barrier.access_after.bits())
            }
            BitsOf::GivenUp => (entry.given_up.bits(), 0),
            BitsOf::Flags => (self.flags.bits(), 0),
        }
    }

    /// The one value of a choice.
    fn value(&self, of: Of) -> Value {
        let entry = self.entry;
        match of {
            Of::Layout(side) => {
                let layouts = entry.barrier.transition().unzip();
                layout_value(match side {
                    BarrierSide::Before => layouts.0,
                    BarrierSide::After => layouts.1,
                })
            }
            Of::Class(BarrierSide::Before) => class_value(self.classes[0]),
            Of::Class(BarrierSide::After) => class_value(self.classes[1]),
            Of::Change => match &entry.layout {
                None => 1,
                Some(layout) if layout.initialises() => 4,
                Some(_) => 2,
            },
            Of::Resource => self.resource,
            Of::Queue => {
                let queue = match entry.queue {
                    QueueType::Bundle => QueueType::Direct,
                    other => other,
                };
                let at = QueueType::ALL.iter().position(|other| *other == queue);
                at.map_or(0, |at| 1 << at)
            }
            Of::Split if entry.is_split_begin => 2,
            Of::Split if entry.is_split_end => 4,
            Of::Split => 1,
            Of::Metadata => match (entry.metadata.before, entry.metadata.after) {
                (false, false) => 1,
                (true, false) => 2,
                (false, true) => 4,
                (true, true) => 8,
            },
            Of::Since => match self.since {
                SinceLastWait::NewList => 1,
                SinceLastWait::Nothing => 2,
                SinceLastWait::Work => 4,
            },
        }
    }

    fn is_named(&self, of: Naming, name: &Name) -> bool {
        let (profile, entry) = (self.profile, self.entry);
        match of {
            Naming::Profile => is_profile(profile, &name.text),
            Naming::Operation => entry
                .layout
                .as_ref()
                .is_some_and(|layout| profile.layout_op(layout.op()).name == name.text),
            Naming::Surface => entry
                .variants
                .iter()
                .any(|variant| surface(profile, variant) == name.text),
            Naming::Leftovers if name.text == "none" => entry.leftovers.is_empty(),
            Naming::Leftovers => entry
                .leftovers
                .iter()
                .any(|cache| name.text == "*" || profile.cache(*cache).name == name.text),
        }
    }
}

/// Whether a word names a profile.
pub(super) fn is_profile(profile: &Profile, word: &str) -> bool {
    profile.name == word || profile.aliases.iter().any(|alias| alias == word)
}

/// How conditions call a set of ways: the exceptions that hold, or `ordinary`. What holds for every texture is ordinary; then
/// what is no texture has a name of its own, `buffers`.
pub(super) fn surface(profile: &Profile, variant: Variant) -> String {
    let names: Vec<&str> = profile
        .exceptions
        .iter()
        .enumerate()
        .filter(|(at, exception)| variant.has(*at) && !exception.is_of_all())
        .map(|(_, exception)| exception.name.as_str())
        .collect();
    let has_ways_of_textures = profile.exceptions.iter().any(Exception::is_of_all);
    if names.is_empty() && variant == Variant::default() && has_ways_of_textures {
        "buffers".to_owned()
    } else if names.is_empty() {
        "ordinary".to_owned()
    } else {
        names.join(" + ")
    }
}
