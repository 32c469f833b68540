//! Which rules the barriers of a run match, and which match none: what a rule file is told about itself.

use super::RuleLowering;
use super::model::Condition;
use super::policy::packet;
use super::sets::{BitsOf, How};
use crate::api::{BarrierAccess, BarrierSide};
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::lower::policy::{Entry, Policy};
use crate::lower::session::Session;
use crate::lower::whole;
use crate::order::Timeline;
use std::cell::RefCell;

/// Which rules the barriers of a run match.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct RuleAccount {
    /// Each barrier entry, in the order of lowering, with its rules.
    pub entries: Vec<(BarrierRef, Vec<RuleMatch>)>,
}

/// A rule that matches an entry.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RuleMatch {
    /// Its place in the file's list.
    pub rule: usize,
    /// Accesses before the entry that the rule's conditions name.
    pub before: BarrierAccess,
    /// Accesses after it.
    pub after: BarrierAccess,
}

/// A match, with the bits of the entry that the rule's conditions name.
fn hit(rules: &RuleLowering, rule: usize, entry: &Entry<'_>) -> RuleMatch {
    let named = |side: BarrierSide, bits: u32| {
        let conditions = rules.file.rules[rule].conditions();
        let named = conditions.filter_map(|condition| match condition {
            Condition::Bits(set) if set.of == BitsOf::Access(side) && set.how != How::Exactly => {
                Some(set.bits)
            }
            Condition::Bits(set) if set.of == BitsOf::Access(side) => Some(u32::MAX),
            _ => None,
        });
        BarrierAccess::from_bits_retain(named.fold(0, |all, set| all | set) & bits)
    };
    RuleMatch {
        rule,
        before: named(BarrierSide::Before, entry.before.accesses.bits()),
        after: named(BarrierSide::After, entry.after.accesses.bits()),
    }
}

impl RuleAccount {
    /// Entries that no rule matches and no default.
    pub fn unmatched(&self) -> impl Iterator<Item = BarrierRef> {
        let none = self.entries.iter().filter(|(_, rules)| rules.is_empty());
        none.map(|(entry, _)| *entry)
    }
}

impl RuleLowering {
    /// Which rules the barriers of a timeline match on a profile.
    pub fn account(&self, timeline: &Timeline<'_>, profile: &Profile) -> RuleAccount {
        let recorder = Recorder {
            rules: self,
            account: RefCell::default(),
        };
        whole::lower(&recorder, timeline, profile);
        recorder.account.into_inner()
    }
}

/// Lowers as the rules say, and remembers which.
struct Recorder<'r> {
    rules: &'r RuleLowering,
    account: RefCell<RuleAccount>,
}

impl Policy for Recorder<'_> {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let (draft, matched) = packet(self.rules, session, entry);
        session.barrier(entry, &draft);
        let matched = matched.into_iter();
        let matched = matched.map(|rule| hit(self.rules, rule, entry)).collect();
        self.account.borrow_mut().entries.push((entry.id, matched));
    }

    fn keeps_passes(&self) -> bool {
        self.rules.keeps_passes()
    }
}
