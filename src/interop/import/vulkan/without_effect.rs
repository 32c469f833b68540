//! Calls that say nothing about synchronisation: questions, pipeline state, objects that no use depends on.

/// Whether a call, its name without a vendor, says nothing.
pub(super) fn says_nothing(name: &str) -> bool {
    if ASKS.contains(&name) {
        return false;
    }
    let prefixes = [
        "vkGetPhysicalDevice",
        "vkEnumerate",
        "vkGetRefreshCycle",
        "vkGetPastPresentation",
    ];
    if prefixes.iter().any(|prefix| name.starts_with(prefix)) {
        return true;
    }
    if name.starts_with("vkCmdSet") {
        return !SETS.contains(&name);
    }
    if name.starts_with("vkGet") {
        return !GETS.contains(&name);
    }
    NOTHING.binary_search(&name).is_ok()
}

/// Questions about a physical device whose answers matter.
const ASKS: [&str; 2] = [
    "vkGetPhysicalDeviceQueueFamilyProperties",
    "vkGetPhysicalDeviceQueueFamilyProperties2",
];

/// State of a command buffer that decides what a draw touches, or that is a command of its own.
const SETS: [&str; 13] = [
    "vkCmdSetDepthTestEnable",
    "vkCmdSetDepthWriteEnable",
    "vkCmdSetEvent",
    "vkCmdSetEvent2",
    "vkCmdSetStencilTestEnable",
    "vkCmdSetVertexInput",
    "vkCmdSetRenderingAttachmentLocations",
    "vkCmdSetDescriptorBufferOffsets",
    "vkCmdSetRasterizerDiscardEnable",
    "vkCmdSetScissor",
    "vkCmdSetScissorWithCount",
    "vkCmdSetViewport",
    "vkCmdSetViewportWithCount",
];

/// Questions whose answers matter.
const GETS: [&str; 10] = [
    "vkGetBufferDeviceAddress",
    "vkGetDeviceQueue",
    "vkGetDeviceQueue2",
    "vkGetEventStatus",
    "vkGetFenceStatus",
    "vkGetImageMemoryRequirements",
    "vkGetImageMemoryRequirements2",
    "vkGetSemaphoreCounterValue",
    "vkGetSwapchainImages",
    "vkGetQueryPoolResults",
];

/// Names of calls, sorted.
const NOTHING: [&str; 40] = [
    "vkCmdBeginDebugUtilsLabelNone",
    "vkCmdInsertDebugUtilsLabel",
    "vkCmdPushConstants",
    "vkCmdPushConstants2",
    "vkCreateAndroidSurface",
    "vkCreateDebugReportCallback",
    "vkCreateDebugUtilsMessenger",
    "vkCreateDevice",
    "vkCreateDisplayPlaneSurface",
    "vkCreateHeadlessSurface",
    "vkCreateInstance",
    "vkCreatePipelineCache",
    "vkCreatePrivateDataSlot",
    "vkCreateQueryPool",
    "vkCreateSampler",
    "vkCreateSamplerYcbcrConversion",
    "vkCreateWaylandSurface",
    "vkCreateWin32Surface",
    "vkCreateXcbSurface",
    "vkCreateXlibSurface",
    "vkDestroyDebugReportCallback",
    "vkDestroyDebugUtilsMessenger",
    "vkDestroyDevice",
    "vkDestroyInstance",
    "vkDestroyPipelineCache",
    "vkDestroyPrivateDataSlot",
    "vkDestroyQueryPool",
    "vkDestroySampler",
    "vkDestroySamplerYcbcrConversion",
    "vkDestroySurface",
    "vkInvalidateMappedMemoryRanges",
    "vkMapMemory",
    "vkMapMemory2",
    "vkMergePipelineCaches",
    "vkQueueInsertDebugUtilsLabel",
    "vkReleaseProfilingLock",
    "vkResetQueryPool",
    "vkSetDebugUtilsObjectTag",
    "vkSetPrivateData",
    "vkTrimCommandPool",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(NOTHING.is_sorted());
    }

    #[test]
    fn what_matters_is_not_in_it() {
        for name in [
            "vkQueueSubmit",
            "vkCmdDraw",
            "vkCmdSetEvent",
            "vkGetFenceStatus",
            "vkCreateImage",
            "vkUnmapMemory",
        ] {
            assert!(!says_nothing(name), "{name}");
        }
        for name in [
            "vkCmdSetLineWidth",
            "vkGetPhysicalDeviceFeatures2",
            "vkCreateInstance",
        ] {
            assert!(says_nothing(name), "{name}");
        }
    }
}
