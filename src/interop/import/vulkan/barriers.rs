//! Pipeline barriers, of both forms.

use super::super::story::{Dependency, ImageTarget, Scopes, Target, What};
use super::Vulkan;
use crate::interop::capture::Fields;
use crate::interop::vulkan::{AccessFlags, ImageLayout};

/// Dependency flags.
const BY_REGION: u64 = 1;

/// Family indices that mean a transfer of ownership only between real families.
const IGNORED: u32 = u32::MAX;
const EXTERNAL: u32 = u32::MAX - 1;
const FOREIGN: u32 = u32::MAX - 2;

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCmdPipelineBarrier" => |v, a| {
            let all = v.old_dependencies(a);
            let call = v.call;
            v.recorded(a, |_, recording| {
                recording.push(call, What::Barrier(all));
            });
        },
        "vkCmdPipelineBarrier2" => |v, a| {
            let all = v.new_dependencies(a.get("pDependencyInfo"));
            let call = v.call;
            v.recorded(a, |_, recording| {
                recording.push(call, What::Barrier(all));
            });
        },
        _ => return None,
    })
}

/// The lists of a dependency, of either form.
const MEMORY: &str = "pMemoryBarriers";
const BUFFERS: &str = "pBufferMemoryBarriers";
const IMAGES: &str = "pImageMemoryBarriers";

impl Vulkan {
    /// `vkCmdPipelineBarrier`, `vkCmdWaitEvents`: stages once, accesses in each entry.
    pub(super) fn old_dependencies(&mut self, a: Fields<'_>) -> Vec<Dependency> {
        let scopes = |entry: Fields<'_>| Scopes {
            src_stages: a.stages("srcStageMask"),
            dst_stages: a.stages("dstStageMask"),
            src_access: entry.accesses("srcAccessMask"),
            dst_access: entry.accesses("dstAccessMask"),
        };
        let mut all = self.dependencies(a, scopes);
        if all.is_empty() {
            let scopes = Scopes {
                src_stages: a.stages("srcStageMask"),
                dst_stages: a.stages("dstStageMask"),
                src_access: AccessFlags::NONE,
                dst_access: AccessFlags::NONE,
            };
            all.push(Dependency {
                scopes,
                target: Target::Memory,
                transfer: None,
                is_own: true,
            });
        }
        all
    }

    /// `VkDependencyInfo`: stages and accesses in each entry.
    pub(super) fn new_dependencies(&mut self, info: Fields<'_>) -> Vec<Dependency> {
        self.dependencies(info, scopes_of)
    }

    fn dependencies(
        &mut self,
        info: Fields<'_>,
        scopes: impl Fn(Fields<'_>) -> Scopes,
    ) -> Vec<Dependency> {
        if info.u64("dependencyFlags") & BY_REGION != 0
            || info.str("dependencyFlags").contains("BY_REGION")
        {
            self.notes
                .widened("BY_REGION: the dependency is read as one of all regions");
        }
        let mut all = Vec::new();
        for entry in info.list(MEMORY) {
            let scopes = scopes(entry);
            all.push(Dependency {
                scopes,
                target: Target::Memory,
                transfer: None,
                is_own: true,
            });
        }
        for entry in info.list(BUFFERS) {
            let Some(item) = self.objects.buffers.get(&entry.u64("buffer")).copied() else {
                self.stranger("buffer");
                continue;
            };
            let size = self.story.items[item as usize].bytes();
            if entry.u64("offset") != 0 || entry.u64("size") < size {
                self.notes.widened(
                    "a barrier of part of a buffer: D3D12 has only barriers of whole buffers",
                );
            }
            let transfer = self.transfer(entry);
            let scopes = scopes(entry);
            all.push(Dependency {
                scopes,
                target: Target::Buffer(item),
                transfer,
                is_own: true,
            });
        }
        for entry in info.list(IMAGES) {
            let Some(item) = self.objects.images.get(&entry.u64("image")).copied() else {
                self.stranger("image");
                continue;
            };
            let part = self.range(item, entry.get("subresourceRange"));
            let (old, new) = (entry.layout("oldLayout"), entry.layout("newLayout"));
            let transfer = self.transfer(entry);
            let scopes = scopes(entry);
            all.push(Dependency {
                scopes,
                target: Target::Image(ImageTarget {
                    item,
                    part,
                    old,
                    new,
                }),
                transfer,
                is_own: true,
            });
        }
        all
    }

    /// The families of an ownership transfer. Which half of it the entry is follows from the queue that executes it.
    fn transfer(&mut self, entry: Fields<'_>) -> Option<(u32, u32)> {
        let (from, to) = (
            entry.u32("srcQueueFamilyIndex"),
            entry.u32("dstQueueFamilyIndex"),
        );
        if from == to || from == IGNORED || to == IGNORED {
            return None;
        }
        if [from, to]
            .iter()
            .any(|family| matches!(*family, EXTERNAL | FOREIGN))
        {
            self.notes.dropped("ownership transfers to or from outside: read as plain barriers; what others do is not known");
            return None;
        }
        self.notes.read("halves of queue family ownership transfers: the release lets nothing follow, the acquire waits for nothing; the layout changes once");
        Some((from, to))
    }
}

/// Stages and accesses of an entry of the new form.
pub(super) fn scopes_of(entry: Fields<'_>) -> Scopes {
    Scopes {
        src_stages: entry.stages("srcStageMask"),
        src_access: entry.accesses("srcAccessMask"),
        dst_stages: entry.stages("dstStageMask"),
        dst_access: entry.accesses("dstAccessMask"),
    }
}

/// Whether contents are given up.
pub(super) fn gives_up(layout: ImageLayout) -> bool {
    layout == ImageLayout::UNDEFINED
}
