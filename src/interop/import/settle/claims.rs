//! Barriers of which nothing is said of waste: what holds of them in the scenario may not hold of the captured program.
//!
//! The scenario is D3D12's, and a claim about a barrier is read as one about Vulkan's. Where the two differ, where the barrier
//! is none that the program wrote, and where uses near it were lost, the family of rules about waste is allowed on it.

use super::super::report::Fate;
use super::super::story::{Dependency, Part, Target};
use super::Settler;
use super::broken::Broken;
use crate::interop::vulkan::AccessFlags;

/// Rules about redundant and too wide barriers.
pub(super) const WASTE: &str = "RD";

/// Why nothing is said of waste.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unsure {
    /// What a render pass or a semaphore depends on: no barrier that the program could delete.
    NotOwn,
    /// Half of an ownership transfer.
    Transfer,
    /// A layout change of Vulkan between two layouts that are one in D3D12.
    SameLayout,
    /// The first barrier on something, where work of an earlier submission may still run.
    Earlier,
    /// The first barrier on an image after its acquisition: it waits for the semaphore too.
    Acquired,
    /// Between attachments of passes: D3D12 keeps work on an attachment in order (reading R18), Vulkan within a pass only.
    Passes,
    /// An access stands for one that D3D12 does not have.
    StandIn,
    /// Work of the same scope touches more than is known.
    Lost(&'static str),
}

impl Unsure {
    fn words(self) -> String {
        let why = match self {
            Self::NotOwn => {
                "dependencies of render passes, semaphore waits and acquisitions, which are no barriers of the program"
            }
            Self::Transfer => "halves of ownership transfers",
            Self::SameLayout => "changes between two layouts that are one layout in D3D12",
            Self::Earlier => {
                "barriers that may be for work of an earlier submission: the scenario's scope ended in between, and Vulkan's queue went on"
            }
            Self::Acquired => {
                "the first barriers on acquired images, which wait for the semaphore too"
            }
            Self::Passes => {
                "barriers between attachments of passes: D3D12 keeps work on an attachment in order, Vulkan within a pass only"
            }
            Self::StandIn => "barriers with an access that stands for one that D3D12 does not have",
            Self::Lost(what) => {
                return format!(
                    "no claim of waste about barriers near work of which the capture lost this: {what}"
                );
            }
        };
        format!("no claim of waste about {why}")
    }
}

/// Whether both accesses of a dependency are those of attachments.
fn is_of_passes(dependency: &Dependency) -> bool {
    use AccessFlags as V;
    let attachments = V::COLOR_ATTACHMENT_READ
        | V::COLOR_ATTACHMENT_WRITE
        | V::DEPTH_STENCIL_ATTACHMENT_READ
        | V::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let (first, second) = (dependency.scopes.src_access, dependency.scopes.dst_access);
    first.intersects(attachments) && second.intersects(attachments)
}

impl Settler<'_> {
    /// Why nothing is said of waste about a dependency, before it is written.
    pub(super) fn unsure(&mut self, dependency: &Dependency) -> Option<Unsure> {
        if !dependency.is_own {
            return Some(Unsure::NotOwn);
        }
        if dependency.transfer.is_some() {
            return Some(Unsure::Transfer);
        }
        if let Some(what) = self.lost {
            return Some(Unsure::Lost(what));
        }
        if is_of_passes(dependency) {
            return Some(Unsure::Passes);
        }
        let (item, part) = match &dependency.target {
            Target::Memory => return self.runs_on.then_some(Unsure::Earlier),
            Target::Acquired(_) => return Some(Unsure::NotOwn),
            Target::Buffer(item) => (*item, &Part::All),
            Target::Image(image) => {
                if self.fresh.remove(&image.item) {
                    return Some(Unsure::Acquired);
                }
                if image.old != image.new && self.is_one_layout(image) {
                    return Some(Unsure::SameLayout);
                }
                (image.item, &image.part)
            }
        };
        let place = self.place(item, part);
        (self.runs_on && !self.seen(&place).touched).then_some(Unsure::Earlier)
    }

    /// Says why, and that it is so.
    pub(super) fn no_claim(&mut self, unsure: &mut Vec<Unsure>, broken: &[Broken]) -> bool {
        if broken.iter().any(|one| one.stands_in()) {
            unsure.push(Unsure::StandIn);
        }
        unsure.sort_unstable();
        unsure.dedup();
        for one in &*unsure {
            self.notes.note_at(Fate::Read, &one.words(), self.call);
        }
        !unsure.is_empty()
    }
}
