//! Which uses of one scope need a barrier between them: the relation *needed*, where nothing orders the two yet.

use super::acts::{Acts, UseKey};
use crate::graph::{self, Collected, Part, Request};
use crate::order::Timeline;
use smallvec::SmallVec;

/// Pairs of acts that need a barrier between them.
pub(super) struct Needs {
    /// For each act the earlier ones that it needs, ascending.
    firsts: Vec<SmallVec<[u32; 2]>>,
    /// The same where the two are of different resources.
    pub(super) aliases: Vec<(u32, u32)>,
}

impl Needs {
    pub(super) fn new(timeline: &Timeline<'_>, acts: &Acts) -> Self {
        let request = Request {
            pairs: Collected::Named,
            ..Request::default()
        };
        let mut needs = Self {
            firsts: vec![SmallVec::new(); acts.all.len()],
            aliases: Vec::new(),
        };
        for pair in graph::evaluate(timeline, request).pairs {
            let act = |side: &graph::Side| {
                let key: UseKey = match side.part {
                    Part::Use(index) => (side.node, index),
                    Part::Root { set, index } => (set, index),
                    Part::Entry(_) | Part::Whole => return None,
                };
                acts.by_key.get(&key).copied()
            };
            let Some((first, second)) = act(&pair.first).zip(act(&pair.second)) else {
                continue;
            };
            let [one, two] = [first, second].map(|at| &acts.all[at as usize]);
            if pair.asked || first == second || one.submission != two.submission {
                continue;
            }
            if one.resource == two.resource {
                needs.firsts[second as usize].push(first);
            } else {
                needs.aliases.push((first, second));
            }
        }
        for firsts in &mut needs.firsts {
            firsts.sort_unstable();
            firsts.dedup();
        }
        needs
            .aliases
            .sort_unstable_by_key(|(first, second)| (*second, *first));
        needs.aliases.dedup();
        needs
    }

    pub(super) fn of(&self, act: u32) -> &[u32] {
        &self.firsts[act as usize]
    }

    /// Acts on other resources that an act needs.
    pub(super) fn aliases_of(&self, act: u32) -> &[(u32, u32)] {
        let from = self.aliases.partition_point(|(_, second)| *second < act);
        let to = self.aliases.partition_point(|(_, second)| *second <= act);
        &self.aliases[from..to]
    }

    /// The same but for those that are over when another one of them is.
    pub(super) fn last_aliases_of(&self, act: u32) -> impl Iterator<Item = u32> {
        let aliases = self.aliases_of(act);
        let is_last = move |first: &u32| {
            let mut others = aliases.iter();
            !others.any(|(other, _)| self.of(*other).contains(first))
        };
        aliases.iter().map(|it| it.0).filter(is_last)
    }
}
