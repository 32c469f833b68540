//! Vulkan captures: calls become a story.
//!
//! Objects are followed by handle, command buffers are recorded as acts, and a submission puts the acts of its command
//! buffers on its queue. Uses by descriptors are found at the submission, because a set may change until then.

mod barriers;
mod commands;
mod copies;
mod descriptors;
mod drawing;
mod events;
mod lost;
mod objects;
mod passes;
mod pipelines;
mod presents;
mod reach;
mod record;
mod rendering;
mod scope;
mod screen;
mod submit;
mod templates;
mod waits;
mod without_effect;

use super::Window;
use super::report::Notes;
use super::story::Story;
use crate::interop::capture::{Event, Fields, Problem};
use descriptors::Descriptors;
use objects::Objects;
use passes::Passes;
use pipelines::Pipelines;
use record::Recordings;
use std::ops::ControlFlow;
use submit::Submits;

/// An importer of Vulkan calls.
pub(super) struct Vulkan {
    pub(super) story: Story,
    objects: Objects,
    passes: Passes,
    pipelines: Pipelines,
    descriptors: Descriptors,
    recordings: Recordings,
    submits: Submits,
    pub(super) notes: Notes,
    window: Window,
    /// The number of the call that is being read.
    call: u64,
}

type Handler = fn(&mut Vulkan, Fields<'_>);

impl Vulkan {
    pub(super) fn new(window: Window, shaders: Vec<(u64, Vec<u8>)>, notes: Notes) -> Self {
        Self {
            story: Story::default(),
            objects: Objects::default(),
            passes: Passes::default(),
            pipelines: Pipelines::new(shaders),
            descriptors: Descriptors::default(),
            recordings: Recordings::default(),
            submits: Submits::default(),
            notes,
            window,
            call: 0,
        }
    }

    /// Reads a call. Breaks when the last frame that is asked for is over.
    pub(super) fn call(&mut self, event: &Event<'_>) -> Result<ControlFlow<()>, Problem> {
        let name = bare(&event.name);
        if without_effect::says_nothing(name) {
            self.notes.report.without_effect += 1;
            return Ok(ControlFlow::Continue(()));
        }
        let Some(handler) = handler(name) else {
            self.notes.unknown(&event.name);
            return Ok(ControlFlow::Continue(()));
        };
        if event.failed() && !name.starts_with("vkCmd") {
            self.notes.dropped("calls that failed");
            return Ok(ControlFlow::Continue(()));
        }
        let arguments = event.arguments()?;
        self.call = event.index;
        self.notes.call = event.index;
        event
            .returned()
            .unwrap_or("")
            .trim_matches('"')
            .clone_into(&mut self.submits.returned);
        handler(self, Fields(&arguments));
        Ok(if self.submits.is_over(&self.window) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    }

    /// The story, with what is still waiting to be submitted.
    pub(super) fn finish(mut self) -> (Story, Notes) {
        self.close_all();
        self.notes.report.frames = self.submits.frame;
        (self.story, self.notes)
    }

    /// Notes an object that the capture does not show being made.
    fn stranger(&mut self, what: &str) {
        self.notes.dropped(&format!(
            "a use of a {what} that the capture did not create before, or had destroyed"
        ));
    }
}

/// A name without the letters of a vendor: `vkCmdPipelineBarrier2KHR` is `vkCmdPipelineBarrier2`.
fn bare(name: &str) -> &str {
    name.strip_suffix("KHR")
        .or_else(|| name.strip_suffix("EXT"))
        .unwrap_or(name)
}

fn handler(name: &str) -> Option<Handler> {
    if name.starts_with("vkCmd") {
        commands::handler(name)
            .or_else(|| drawing::handler(name))
            .or_else(|| screen::handler(name))
            .or_else(|| copies::handler(name))
            .or_else(|| barriers::handler(name))
            .or_else(|| events::handler(name))
            .or_else(|| passes::handler(name))
            .or_else(|| rendering::handler(name))
            .or_else(|| descriptors::handler(name))
    } else {
        submit::handler(name)
            .or_else(|| presents::handler(name))
            .or_else(|| waits::handler(name))
            .or_else(|| descriptors::handler(name))
            .or_else(|| templates::handler(name))
            .or_else(|| record::handler(name))
            .or_else(|| objects::handler(name))
            .or_else(|| passes::handler(name))
            .or_else(|| pipelines::handler(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands of Vulkan 1.3 without extensions, without their `vk`.
    const CORE: &str = "CreateInstance DestroyInstance EnumeratePhysicalDevices GetPhysicalDeviceFeatures
        GetPhysicalDeviceFormatProperties GetPhysicalDeviceImageFormatProperties GetPhysicalDeviceProperties
        GetPhysicalDeviceQueueFamilyProperties GetPhysicalDeviceMemoryProperties GetInstanceProcAddr GetDeviceProcAddr
        CreateDevice DestroyDevice EnumerateInstanceExtensionProperties EnumerateDeviceExtensionProperties
        EnumerateInstanceLayerProperties EnumerateDeviceLayerProperties GetDeviceQueue QueueSubmit QueueWaitIdle
        DeviceWaitIdle AllocateMemory FreeMemory MapMemory UnmapMemory FlushMappedMemoryRanges
        InvalidateMappedMemoryRanges GetDeviceMemoryCommitment BindBufferMemory BindImageMemory
        GetBufferMemoryRequirements GetImageMemoryRequirements GetImageSparseMemoryRequirements
        GetPhysicalDeviceSparseImageFormatProperties QueueBindSparse CreateFence DestroyFence ResetFences GetFenceStatus
        WaitForFences CreateSemaphore DestroySemaphore CreateEvent DestroyEvent GetEventStatus SetEvent ResetEvent
        CreateQueryPool DestroyQueryPool GetQueryPoolResults CreateBuffer DestroyBuffer CreateBufferView
        DestroyBufferView CreateImage DestroyImage GetImageSubresourceLayout CreateImageView DestroyImageView
        CreateShaderModule DestroyShaderModule CreatePipelineCache DestroyPipelineCache GetPipelineCacheData
        MergePipelineCaches CreateGraphicsPipelines CreateComputePipelines DestroyPipeline CreatePipelineLayout
        DestroyPipelineLayout CreateSampler DestroySampler CreateDescriptorSetLayout DestroyDescriptorSetLayout
        CreateDescriptorPool DestroyDescriptorPool ResetDescriptorPool AllocateDescriptorSets FreeDescriptorSets
        UpdateDescriptorSets CreateFramebuffer DestroyFramebuffer CreateRenderPass DestroyRenderPass
        GetRenderAreaGranularity CreateCommandPool DestroyCommandPool ResetCommandPool AllocateCommandBuffers
        FreeCommandBuffers BeginCommandBuffer EndCommandBuffer ResetCommandBuffer CmdBindPipeline CmdSetViewport
        CmdSetScissor CmdSetLineWidth CmdSetDepthBias CmdSetBlendConstants CmdSetDepthBounds CmdSetStencilCompareMask
        CmdSetStencilWriteMask CmdSetStencilReference CmdBindDescriptorSets CmdBindIndexBuffer CmdBindVertexBuffers
        CmdDraw CmdDrawIndexed CmdDrawIndirect CmdDrawIndexedIndirect CmdDispatch CmdDispatchIndirect CmdCopyBuffer
        CmdCopyImage CmdBlitImage CmdCopyBufferToImage CmdCopyImageToBuffer CmdUpdateBuffer CmdFillBuffer
        CmdClearColorImage CmdClearDepthStencilImage CmdClearAttachments CmdResolveImage CmdSetEvent CmdResetEvent
        CmdWaitEvents CmdPipelineBarrier CmdBeginQuery CmdEndQuery CmdResetQueryPool CmdWriteTimestamp
        CmdCopyQueryPoolResults CmdPushConstants CmdBeginRenderPass CmdNextSubpass CmdEndRenderPass CmdExecuteCommands
        EnumerateInstanceVersion BindBufferMemory2 BindImageMemory2 GetDeviceGroupPeerMemoryFeatures CmdSetDeviceMask
        CmdDispatchBase EnumeratePhysicalDeviceGroups GetImageMemoryRequirements2 GetBufferMemoryRequirements2
        GetImageSparseMemoryRequirements2 GetPhysicalDeviceFeatures2 GetPhysicalDeviceQueueFamilyProperties2
        TrimCommandPool GetDeviceQueue2 CreateSamplerYcbcrConversion DestroySamplerYcbcrConversion
        CreateDescriptorUpdateTemplate DestroyDescriptorUpdateTemplate UpdateDescriptorSetWithTemplate
        GetPhysicalDeviceExternalBufferProperties GetPhysicalDeviceExternalFenceProperties
        GetPhysicalDeviceExternalSemaphoreProperties GetDescriptorSetLayoutSupport CmdDrawIndirectCount
        CmdDrawIndexedIndirectCount CreateRenderPass2 CmdBeginRenderPass2 CmdNextSubpass2 CmdEndRenderPass2 ResetQueryPool
        GetSemaphoreCounterValue WaitSemaphores SignalSemaphore GetBufferDeviceAddress GetBufferOpaqueCaptureAddress
        GetDeviceMemoryOpaqueCaptureAddress GetPhysicalDeviceToolProperties CreatePrivateDataSlot DestroyPrivateDataSlot
        SetPrivateData GetPrivateData CmdSetEvent2 CmdResetEvent2 CmdWaitEvents2 CmdPipelineBarrier2 CmdWriteTimestamp2
        QueueSubmit2 CmdCopyBuffer2 CmdCopyImage2 CmdCopyBufferToImage2 CmdCopyImageToBuffer2 CmdBlitImage2
        CmdResolveImage2 CmdBeginRendering CmdEndRendering CmdSetCullMode CmdSetFrontFace CmdSetPrimitiveTopology
        CmdSetViewportWithCount CmdSetScissorWithCount CmdBindVertexBuffers2 CmdSetDepthTestEnable
        CmdSetDepthWriteEnable CmdSetDepthCompareOp CmdSetDepthBoundsTestEnable CmdSetStencilTestEnable CmdSetStencilOp
        CmdSetRasterizerDiscardEnable CmdSetDepthBiasEnable CmdSetPrimitiveRestartEnable
        GetDeviceBufferMemoryRequirements GetDeviceImageMemoryRequirements GetDeviceImageSparseMemoryRequirements";

    #[test]
    fn every_call_of_the_core_is_known() {
        let unknown = CORE.split_whitespace().filter(|name| {
            let name = format!("vk{name}");
            handler(&name).is_none() && !without_effect::says_nothing(&name)
        });
        assert_eq!(unknown.collect::<Vec<_>>(), [""; 0]);
    }
}
