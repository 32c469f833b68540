//! Captures of Direct3D 12: lines of the format's reference, its traps, and what comes of them.

use super::{findings, import, text_of};
use serde_json::{Value, json};

struct Lines(String, u64);

impl Lines {
    fn method(&mut self, object: u64, name: &str, returned: Value, args: Value) -> u64 {
        self.1 += 1;
        let line = json!({ "index": self.1, "method": { "name": name, "thread": 1, "object": { "type": "IUnknown", "handle": object }, "return": returned, "args": args } });
        self.0.push_str(&line.to_string());
        self.0.push('\n');
        self.1
    }

    fn call(&mut self, object: u64, name: &str, args: Value) -> u64 {
        self.method(object, name, json!("S_OK"), args)
    }

    /// A queue 5, a list 12, a fence 30, a texture 20, buffers 21 and 22, and views of the texture.
    fn new() -> Self {
        let mut l = Self(String::new(), 0);
        l.call(
            3,
            "CreateCommandQueue",
            json!({ "pDesc": { "Type": "D3D12_COMMAND_LIST_TYPE_DIRECT" }, "ppCommandQueue": 5 }),
        );
        l.call(
            3,
            "CreateCommandQueue",
            json!({ "pDesc": { "Type": "D3D12_COMMAND_LIST_TYPE_COPY" }, "ppCommandQueue": 6 }),
        );
        l.call(
            3,
            "CreateCommandList",
            json!({ "type": "D3D12_COMMAND_LIST_TYPE_DIRECT", "ppCommandList": 12 }),
        );
        l.call(
            3,
            "CreateCommandList",
            json!({ "type": "D3D12_COMMAND_LIST_TYPE_COPY", "ppCommandList": 13 }),
        );
        l.call(
            3,
            "CreateFence",
            json!({ "InitialValue": 0, "ppFence": 30 }),
        );
        l.call(3, "CreateCommittedResource3", json!({
            "pHeapProperties": { "Type": "D3D12_HEAP_TYPE_DEFAULT" },
            "pDesc": { "Dimension": "D3D12_RESOURCE_DIMENSION_TEXTURE2D", "Width": 64, "Height": 64, "DepthOrArraySize": 1, "MipLevels": 1,
                "Format": "DXGI_FORMAT_R16G16B16A16_FLOAT", "SampleDesc": { "Count": 1 }, "Flags": "0x00000001" },
            "InitialLayout": "D3D12_BARRIER_LAYOUT_UNDEFINED", "ppvResource": 20
        }));
        for handle in [21, 22] {
            l.call(3, "CreateCommittedResource", json!({
                "pHeapProperties": { "Type": "D3D12_HEAP_TYPE_DEFAULT" },
                "pDesc": { "Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER", "Width": 4096, "Flags": "0x00000000" },
                "InitialResourceState": "0x00000000", "ppvResource": handle
            }));
        }
        l.call(20, "SetName", json!({ "Name": "hdr" }));
        l.call(3, "CreateRenderTargetView", json!({ "pResource": 20, "pDesc": null, "DestDescriptor": { "heap_id": 8, "index": 0 } }));
        l
    }
}

fn texture_barrier(before: [&str; 3], after: [&str; 3]) -> Value {
    json!({ "pBarrierGroups": [{ "Type": "D3D12_BARRIER_TYPE_TEXTURE", "pTextureBarriers": [{
        "SyncBefore": before[0], "SyncAfter": after[0],
        "AccessBefore": format!("D3D12_BARRIER_ACCESS_{}", before[1]), "AccessAfter": format!("D3D12_BARRIER_ACCESS_{}", after[1]),
        "LayoutBefore": format!("D3D12_BARRIER_LAYOUT_{}", before[2]), "LayoutAfter": format!("D3D12_BARRIER_LAYOUT_{}", after[2]),
        "pResource": 20, "Subresources": { "IndexOrFirstMipLevel": u32::MAX, "NumMipLevels": 0 }, "Flags": "0x00000000"
    }] }] })
}

#[test]
fn barriers_are_the_applications_own_words() {
    let mut l = Lines::new();
    l.call(12, "Reset", json!({}));
    l.call(
        12,
        "Barrier",
        texture_barrier(
            ["D3D12_BARRIER_SYNC_NONE", "NO_ACCESS", "UNDEFINED"],
            [
                "D3D12_BARRIER_SYNC_RENDER_TARGET",
                "RENDER_TARGET",
                "RENDER_TARGET",
            ],
        ),
    );
    let clear = l.call(
        12,
        "ClearRenderTargetView",
        json!({ "RenderTargetView": { "heap_id": 8, "index": 0 } }),
    );
    l.call(
        12,
        "Barrier",
        texture_barrier(
            [
                "D3D12_BARRIER_SYNC_RENDER_TARGET",
                "RENDER_TARGET",
                "RENDER_TARGET",
            ],
            [
                "Unhandled D3D12_BARRIER_SYNC (144)",
                "SHADER_RESOURCE",
                "SHADER_RESOURCE",
            ],
        ),
    );
    l.call(12, "Close", json!({}));
    l.call(
        5,
        "ExecuteCommandLists",
        json!({ "NumCommandLists": 1, "ppCommandLists": [12] }),
    );
    let text = text_of(&import(&l.0));
    assert!(
        text.contains("sync RENDER_TARGET -> PIXEL_SHADING|COMPUTE_SHADING"),
        "{text}"
    );
    assert!(
        text.contains(&format!("clear-rtv hdr // call {clear}")),
        "{text}"
    );
    assert!(
        !text.contains("asynchronous"),
        "D3D12's copies keep their promise: {text}"
    );
    assert_eq!(findings(&text), [], "{text}");
}

#[test]
fn legacy_barriers_split_halves_and_wildcards() {
    let mut l = Lines::new();
    let transition = |flags: &str| json!({ "pBarriers": [{ "Type": "D3D12_RESOURCE_BARRIER_TYPE_TRANSITION", "Flags": flags, "Transition": { "pResource": 21, "Subresource": u32::MAX, "StateBefore": "0x00000400", "StateAfter": "0x00000800" } }] });
    l.call(12, "CopyBufferRegion", json!({ "pDstBuffer": 21, "DstOffset": 0, "pSrcBuffer": 22, "SrcOffset": 0, "NumBytes": 256 }));
    l.call(12, "ResourceBarrier", transition("0x00000001"));
    l.call(
        12,
        "ResourceBarrier",
        transition("D3D12_RESOURCE_BARRIER_FLAG_END_ONLY"),
    );
    l.call(12, "ResourceBarrier", json!({ "pBarriers": [{ "UAV": { "pResource": 0 } }, { "Aliasing": { "pResourceBefore": 0, "pResourceAfter": 0 } }] }));
    l.call(5, "ExecuteCommandLists", json!({ "ppCommandLists": [12] }));
    let text = text_of(&import(&l.0));
    for piece in [
        "transition buffer_21 COPY_DEST -> COPY_SOURCE begin",
        "COPY_SOURCE end",
        "uav *",
        "alias * -> *",
        "copy buffer_22[0..256] -> buffer_21[0..256]",
    ] {
        assert!(text.contains(piece), "{piece} is not in {text}");
    }
}

#[test]
fn queues_are_ordered_by_fences_only() {
    for waits in [true, false] {
        let mut l = Lines::new();
        for list in [12, 13] {
            l.call(list, "CopyBufferRegion", json!({ "pDstBuffer": 21, "DstOffset": 0, "pSrcBuffer": 22, "SrcOffset": 0, "NumBytes": 4096 }));
        }
        l.call(5, "ExecuteCommandLists", json!({ "ppCommandLists": [12] }));
        l.call(5, "Signal", json!({ "pFence": 30, "Value": 1 }));
        if waits {
            l.call(6, "Wait", json!({ "pFence": 30, "Value": 1 }));
        }
        l.call(6, "ExecuteCommandLists", json!({ "ppCommandLists": [13] }));
        let text = text_of(&import(&l.0));
        let found = findings(&text);
        assert_eq!(found.is_empty(), waits, "{found:?}\n{text}");
        assert!(waits || found[0].0 == "HZ202", "{found:?}");
    }
}

#[test]
fn lost_resources_of_barriers_are_said_once() {
    let mut l = Lines::new();
    let lost = texture_barrier(
        ["D3D12_BARRIER_SYNC_NONE", "NO_ACCESS", "UNDEFINED"],
        ["D3D12_BARRIER_SYNC_COPY", "COPY_DEST", "COPY_DEST"],
    );
    let lost: Value = serde_json::from_str(
        &lost
            .to_string()
            .replace("\"pResource\":20", "\"pResource\":0"),
    )
    .expect("still JSON");
    l.call(12, "Barrier", lost.clone());
    l.call(12, "Barrier", lost);
    l.call(
        12,
        "CopyResource",
        json!({ "pDstResource": 21, "pSrcResource": 22 }),
    );
    l.call(5, "ExecuteCommandLists", json!({ "ppCommandLists": [12] }));
    let report = import(&l.0).report;
    let entries: Vec<_> = report
        .entries
        .iter()
        .filter(|entry| entry.what.contains("lost"))
        .collect();
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].count, 2);
}

#[test]
fn tables_reach_what_is_set_and_only_may() {
    let mut l = Lines::new();
    l.call(3, "CreateDescriptorHeap", json!({ "pDescriptorHeapDesc": { "Type": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", "NumDescriptors": 16 }, "ppvHeap": 9 }));
    l.method(
        9,
        "GetGPUDescriptorHandleForHeapStart",
        json!({ "ptr": 4096 }),
        json!({}),
    );
    l.method(
        3,
        "GetDescriptorHandleIncrementSize",
        json!(32),
        json!({ "DescriptorHeapType": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV" }),
    );
    for (resource, index) in [(21, 2), (22, 4)] {
        l.call(3, "CreateShaderResourceView", json!({ "pResource": resource, "pDesc": null, "DestDescriptor": { "heap_id": 9, "index": index } }));
    }
    l.call(
        12,
        "SetComputeRootDescriptorTable",
        json!({ "RootParameterIndex": 0, "BaseDescriptor": { "ptr": 4096 + 2 * 32 } }),
    );
    l.call(
        12,
        "Dispatch",
        json!({ "ThreadGroupCountX": 1, "ThreadGroupCountY": 1, "ThreadGroupCountZ": 1 }),
    );
    l.call(5, "ExecuteCommandLists", json!({ "ppCommandLists": [12] }));
    let text = text_of(&import(&l.0));
    assert!(text.contains("SHADER_RESOURCE buffer_21 may"), "{text}");
    assert!(
        !text.contains("buffer_22"),
        "beyond a descriptor that is not set: {text}"
    );
}
