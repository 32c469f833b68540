//! The driver interface: its values, what the runtime makes of API and legacy barriers, and the page that shows it.

mod values;

use std::fmt::Write as _;
use std::process::Command;
use syncscope::api::BarrierFlags;
use syncscope::api::ddi::{self, BufferBarrier, DdiBarrier, SubresourceRange, TextureBarrier};
use syncscope::finding::Source;
use syncscope::id::ResourceId;
use syncscope::run::handover::{HandedOver, handed_over};
use syncscope::{legacy, scenario};
use values::{ACCESS, LAYOUT, SYNC};

fn handed(text: &str) -> (scenario::Scenario, HandedOver) {
    let (scenario, findings) = scenario::parse(&Source::new("ddi", text));
    assert!(findings.is_empty(), "{findings:?}");
    let plain = legacy::translate(&scenario).into_owned();
    let handed = handed_over(&scenario, &plain);
    (scenario, handed)
}

/// The barriers of the only call, in the driver's order.
fn barriers(handed: &HandedOver) -> Vec<DdiBarrier<ResourceId>> {
    handed.lists[0].calls[0]
        .entries
        .iter()
        .filter_map(|entry| entry.form.ok())
        .collect()
}

#[test]
fn groups_become_one_flat_array() {
    let (_, handed) = handed(
        "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }
buffer b : 4KiB
list l : direct {
  barrier {
    texture t { sync ALL -> COPY; access NO_ACCESS -> COPY_SOURCE; layout COMMON -> COPY_SOURCE }
    texture t { sync COPY -> COPY; access COPY_SOURCE -> COPY_DEST; layout COPY_SOURCE -> COPY_DEST }
    texture { }
    texture null { layout COMMON -> COMMON }
    buffer b { sync COPY -> COPY; access COPY_DEST -> COPY_SOURCE }
    global { sync COPY -> COPY; access COPY_DEST -> COPY_SOURCE }
    buffer b { sync COPY -> COPY; access COPY_SOURCE -> COPY_DEST }
    ranged b[256..512] { atomic-copy }
  }
}
",
    );
    let call = &handed.lists[0].calls[0];
    let places: Vec<_> = call.entries.iter().map(|e| (e.group, e.index)).collect();
    // `texture { }` is a group of its own, and so is each run of one type.
    assert_eq!(
        places,
        [
            (0, 0),
            (0, 1),
            (1, 0),
            (2, 0),
            (3, 0),
            (4, 0),
            (5, 0),
            (6, 0)
        ]
    );
    let kinds: Vec<_> = barriers(&handed).iter().map(|b| b.kind().name()).collect();
    assert_eq!(
        kinds,
        ["TEXTURE", "TEXTURE", "BUFFER", "GLOBAL", "BUFFER", "RANGED"]
    );
    assert_eq!(call.barriers(), 6);
    let withheld: Vec<_> = call.entries.iter().filter_map(|e| e.form.err()).collect();
    assert_eq!(withheld, ["the group is empty", "the resource is NULL"]);
}

#[test]
fn a_texture_barrier_keeps_everything() {
    let all = SubresourceRange::ALL;
    let range = |numbers: [u32; 6]| SubresourceRange {
        index_or_first_mip_level: numbers[0],
        num_mip_levels: numbers[1],
        first_array_slice: numbers[2],
        num_array_slices: numbers[3],
        first_plane: numbers[4],
        num_planes: numbers[5],
    };
    let cases = [
        ("t", "", all),
        ("t", "; discard", all),
        ("t[subresource 5]", "", range([5, 0, 0, 0, 0, 0])),
        ("t[mip 1..3]", "", range([1, 2, 0, 2, 0, 2])),
        ("t[mip 1, layer 1, plane 0]", "", range([1, 1, 1, 1, 0, 1])),
        ("t", "; range 7 0 9 9 9 9", range([7, 0, 9, 9, 9, 9])),
        ("t", "; range 0 3 0 0 0 0", range([0, 3, 0, 0, 0, 0])),
    ];
    for (part, rest, expected) in cases {
        let (_, handed) = handed(&format!(
            "
texture t : D24_UNORM_S8_UINT 64x64 {{ mips 3; layers 2; flags DEPTH_STENCIL }}
list l : direct {{
  barrier {{ texture {part} {{ sync DEPTH_STENCIL -> SPLIT; access DEPTH_STENCIL_WRITE -> SHADER_RESOURCE; layout DEPTH_STENCIL_WRITE -> DIRECT_QUEUE_SHADER_RESOURCE{rest} }} }}
}}
"
        ));
        assert_eq!(
            barriers(&handed),
            [DdiBarrier::Texture(TextureBarrier {
                scopes: ddi::GlobalBarrier {
                    sync_before: 0x20,
                    sync_after: 0x8000_0000,
                    access_before: 0x20,
                    access_after: 0x80,
                },
                layout_before: 4,
                layout_after: 21,
                resource: ResourceId::new(0),
                subresources: expected,
                flags: if rest.contains("discard") {
                    BarrierFlags::from_bits_retain(1)
                } else {
                    BarrierFlags::empty()
                },
            })]
        );
    }
}

/// Enhanced Barriers specification, "Buffer Barriers", last paragraph.
#[test]
fn a_buffer_barrier_keeps_no_range() {
    for rest in ["", "; offset 0; size 4096", "; offset 0; size all"] {
        let (_, handed) = handed(&format!(
            "
buffer b : 4KiB
list l : direct {{ barrier {{ buffer b {{ sync COPY -> EXECUTE_INDIRECT; access COPY_DEST -> INDIRECT_ARGUMENT{rest} }} }} }}
"
        ));
        assert_eq!(
            barriers(&handed),
            [DdiBarrier::Buffer(BufferBarrier {
                scopes: ddi::GlobalBarrier {
                    sync_before: 0x200,
                    sync_after: 0x800,
                    access_before: 0x400,
                    access_after: 0x200,
                },
                resource: ResourceId::new(0),
            })]
        );
    }
}

#[test]
fn a_ranged_barrier_names_bytes_or_subresources() {
    let (_, handed) = handed(
        "
texture t : R8G8B8A8_UNORM 64x64 { mips 4 }
buffer b : 4KiB
list l : direct {
  barrier { ranged b[256..512] { acquire }; ranged b { release }; ranged t[mip 2] { atomic-copy } }
}
",
    );
    let found: Vec<_> = barriers(&handed)
        .into_iter()
        .map(|barrier| match barrier {
            DdiBarrier::Ranged(r) => (r.flags.bits(), r.bytes, r.subresources),
            other => panic!("{other:?}"),
        })
        .collect();
    let mip = SubresourceRange {
        index_or_first_mip_level: 2,
        num_mip_levels: 1,
        first_array_slice: 0,
        num_array_slices: 1,
        first_plane: 0,
        num_planes: 1,
    };
    assert_eq!(
        found,
        [
            (2, (256, 512), SubresourceRange::ALL),
            (4, (0, 4096), SubresourceRange::ALL),
            (1, (0, 0), mip),
        ]
    );
}

/// The specification's three tables of states, row by row: state, layout (`-` where only buffers have it), accesses,
/// scopes. Video states have no row.
const STATES: [(&str, &str, &str, &str); 18] = [
    ("COMMON", "COMMON", "COMMON", "ALL"),
    (
        "VERTEX_AND_CONSTANT_BUFFER",
        "-",
        "VERTEX_BUFFER|CONSTANT_BUFFER",
        "ALL_SHADING",
    ),
    ("INDEX_BUFFER", "-", "INDEX_BUFFER", "INDEX_INPUT"),
    (
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
    ),
    (
        "UNORDERED_ACCESS",
        "UNORDERED_ACCESS",
        "UNORDERED_ACCESS",
        "ALL_SHADING",
    ),
    (
        "DEPTH_WRITE",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL",
    ),
    (
        "DEPTH_READ",
        "DEPTH_STENCIL_READ",
        "DEPTH_STENCIL_READ",
        "DEPTH_STENCIL",
    ),
    (
        "NON_PIXEL_SHADER_RESOURCE",
        "LEGACY_SHADER_RESOURCE",
        "SHADER_RESOURCE",
        "NON_PIXEL_SHADING",
    ),
    (
        "PIXEL_SHADER_RESOURCE",
        "LEGACY_SHADER_RESOURCE",
        "SHADER_RESOURCE",
        "PIXEL_SHADING",
    ),
    ("STREAM_OUT", "-", "STREAM_OUTPUT", "VERTEX_SHADING"),
    (
        "INDIRECT_ARGUMENT",
        "-",
        "INDIRECT_ARGUMENT",
        "EXECUTE_INDIRECT",
    ),
    ("PREDICATION", "-", "PREDICATION", "PREDICATION"),
    ("COPY_DEST", "LEGACY_COPY_DEST", "COPY_DEST", "COPY"),
    ("COPY_SOURCE", "LEGACY_COPY_SOURCE", "COPY_SOURCE", "COPY"),
    ("RESOLVE_DEST", "RESOLVE_DEST", "RESOLVE_DEST", "RESOLVE"),
    (
        "RESOLVE_SOURCE",
        "RESOLVE_SOURCE",
        "RESOLVE_SOURCE",
        "RESOLVE",
    ),
    (
        "RAYTRACING_ACCELERATION_STRUCTURE",
        "-",
        "RAYTRACING_ACCELERATION_STRUCTURE_READ|RAYTRACING_ACCELERATION_STRUCTURE_WRITE",
        "RAYTRACING",
    ),
    (
        "SHADING_RATE_SOURCE",
        "SHADING_RATE_SOURCE",
        "SHADING_RATE_SOURCE",
        "PIXEL_SHADING",
    ),
];

fn bits(rows: &[(&str, u32)], names: &str) -> u32 {
    names.split('|').fold(0, |set, name| {
        let row = rows.iter().find(|(word, _)| *word == name);
        set | row.unwrap_or_else(|| panic!("{name}")).1
    })
}

fn layout_value(name: &str) -> u32 {
    bits(&LAYOUT, name)
}

const TEXTURE: &str = "texture r : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS }";
const BUFFER: &str = "buffer r : 4KiB { flags UNORDERED_ACCESS }";

/// Every ordered pair of states of a direct list, for what can be in them.
#[test]
fn legacy_barriers_reach_the_driver_as_enhanced_ones() {
    let states = || STATES.iter();
    for before in states() {
        for after in states().filter(|after| after.0 != before.0) {
            let texture = before.1 != "-" && after.1 != "-";
            let declaration = if texture { TEXTURE } else { BUFFER };
            let (_, handed) = handed(&format!(
                "{declaration}\nlist l : direct {{ legacy {{ transition r {} -> {} }} }}\n",
                before.0, after.0
            ));
            let scopes = ddi::GlobalBarrier {
                sync_before: bits(&SYNC, before.3),
                sync_after: bits(&SYNC, after.3),
                access_before: bits(&ACCESS, before.2),
                access_after: bits(&ACCESS, after.2),
            };
            let resource = ResourceId::new(0);
            let expected = if texture {
                DdiBarrier::Texture(TextureBarrier {
                    scopes,
                    layout_before: layout_value(before.1),
                    layout_after: layout_value(after.1),
                    resource,
                    subresources: SubresourceRange::ALL,
                    flags: BarrierFlags::empty(),
                })
            } else {
                DdiBarrier::Buffer(BufferBarrier { scopes, resource })
            };
            assert_eq!(barriers(&handed), [expected], "{} -> {}", before.0, after.0);
        }
    }
}

/// Enhanced Barriers specification, "Legacy layouts", last paragraph, and the section of each layout.
#[test]
fn combined_reads_have_the_layout_that_exists_for_them() {
    let cases = [
        (
            "PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE",
            "LEGACY_SHADER_RESOURCE",
        ),
        (
            "NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE",
            "LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE",
        ),
        (
            "PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|DEPTH_READ",
            "LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE",
        ),
    ];
    for (state, layout) in cases {
        let (_, handed) = handed(&format!(
            "texture d : D32_FLOAT 64x64 {{ flags DEPTH_STENCIL }}\nlist l : direct {{ legacy {{ transition d DEPTH_WRITE -> {state} }} }}\n"
        ));
        let [DdiBarrier::Texture(barrier)] = barriers(&handed)[..] else {
            panic!("one texture barrier");
        };
        assert_eq!(barrier.layout_after, layout_value(layout), "{state}");
    }
}

/// Enhanced Barriers specification, "UAV Barriers", with the masks of its example; "Split Barriers".
#[test]
fn uav_and_split_legacy_barriers() {
    let (_, handed) = handed(
        "
texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; state COMMON }
texture s : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }
buffer a : 4KiB { flags RAYTRACING_ACCELERATION_STRUCTURE }
list l : direct {
  legacy {
    uav *
    uav t
    uav s
    uav a
    transition t COMMON -> UNORDERED_ACCESS begin
    transition t COMMON -> UNORDERED_ACCESS end
  }
}
",
    );
    let all = barriers(&handed);
    let scopes: Vec<_> = all.iter().filter_map(DdiBarrier::scopes).collect();
    let uav = 0x1000 | 0x80_0000 | 0x100_0000 | 0x4000;
    for scopes in &scopes[..4] {
        assert_eq!((scopes.sync_before, scopes.sync_after), (uav, uav));
        assert_eq!(scopes.access_before, scopes.access_after);
    }
    let accesses: Vec<_> = scopes[..4].iter().map(|s| s.access_before).collect();
    // The block has three accesses for every resource; a texture is no acceleration structure.
    assert_eq!(accesses, [0xc010, 0x10, 0x10, 0xc010]);
    let layouts: Vec<_> = all
        .iter()
        .map(|barrier| match barrier {
            DdiBarrier::Texture(texture) => Some((texture.layout_before, texture.layout_after)),
            _ => None,
        })
        .collect();
    let split = Some((0, 3));
    assert_eq!(
        layouts,
        [None, Some((3, 3)), Some((0, 0)), None, split, split]
    );
    assert_eq!(
        (scopes[4].sync_before, scopes[4].sync_after),
        (0x1, 0x8000_0000)
    );
    assert_eq!(
        (scopes[5].sync_before, scopes[5].sync_after),
        (0x8000_0000, 0x1000)
    );
}

/// Enhanced Barriers specification, "Initial Resource State", "New Resource Creation API's".
#[test]
fn resources_are_created_in_a_layout() {
    let mut text = String::from(
        "
texture plain : R8G8B8A8_UNORM 4x4
texture target : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET; initial RENDER_TARGET }
texture fresh : R8G8B8A8_UNORM 4x4 { initial UNDEFINED }
texture shared : R8G8B8A8_UNORM 4x4 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state UNORDERED_ACCESS }
buffer b : 4KiB
buffer a : 4KiB { state RAYTRACING_ACCELERATION_STRUCTURE }
",
    );
    let mut expected = vec![0, 2, 0xffff_ffff, 0, 0xffff_ffff, 0xffff_ffff];
    for (index, (state, layout, ..)) in STATES.iter().enumerate().filter(|(_, s)| s.1 != "-") {
        let (format, flags) = match *state {
            "DEPTH_WRITE" | "DEPTH_READ" => ("D32_FLOAT", "DEPTH_STENCIL"),
            _ => ("R8G8B8A8_UNORM", "RENDER_TARGET|UNORDERED_ACCESS"),
        };
        let _ = writeln!(
            text,
            "texture t{index} : {format} 4x4 {{ flags {flags}; state {state} }}"
        );
        expected.push(layout_value(layout));
    }
    text.push_str("device { capability enhanced-barriers off }\n");
    let (_, handed) = handed(&text);
    let found: Vec<_> = handed
        .resources
        .iter()
        .map(|(_, created)| created.initial_barrier_layout)
        .collect();
    assert_eq!(found, expected);
    assert!(!handed.options.enhanced_barriers_supported);
    assert!(handed.lists.is_empty());
}

fn show(arguments: &[&str], text: &str) -> (i32, String) {
    let folder = std::env::temp_dir().join(format!("syncscope-ddi-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join(format!(
        "{}.scn",
        arguments.join("_").replace(['-', '/'], "")
    ));
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["run", "--show", "ddi"])
        .args(arguments)
        .arg(&file)
        .output()
        .expect("the program runs");
    let _ = std::fs::remove_file(&file);
    let page = String::from_utf8(output.stdout).expect("text");
    (output.status.code().unwrap_or(-1), page)
}

const SHOWN: &str = "
heap pool : 1MiB
texture gbuffer : R16G16B16A16_FLOAT 64x64 { mips 2; flags RENDER_TARGET; initial UNDEFINED; heap pool at 0 }
texture old : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; state COMMON; heap pool at 0 }
buffer hist : 4KiB { flags UNORDERED_ACCESS|RAYTRACING_ACCELERATION_STRUCTURE }
fence f

list main : direct {
  barrier {
    texture gbuffer[mip 0] { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard }
    buffer hist { sync COMPUTE_SHADING|BUILD_RAYTRACING_ACCELERATION_STRUCTURE|COPY_RAYTRACING_ACCELERATION_STRUCTURE -> EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO; access UNORDERED_ACCESS|RAYTRACING_ACCELERATION_STRUCTURE_WRITE|RAYTRACING_ACCELERATION_STRUCTURE_READ -> RAYTRACING_ACCELERATION_STRUCTURE_READ }
  }
  legacy { transition old COMMON -> COPY_DEST; uav *; alias old -> gbuffer }
  signal-barrier f 1 { global { sync COPY -> COPY; access COPY_DEST -> COPY_SOURCE } }
}
list other : compute {
  barrier { ranged hist[0..256] { atomic-copy } }
  barrier { global { sync DRAW -> ALL; access COMMON -> COMMON } }
}
";

#[test]
fn the_page_of_the_driver_interface() {
    let (code, page) = show(&["--color", "never"], SHOWN);
    assert_eq!(code, 1, "DRAW on a compute list is an error\n{page}");
    for line in page.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    // The first line names the file.
    let page = page.split_once('\n').expect("lines").1;
    insta::assert_snapshot!(page);
}

#[test]
fn the_driver_interface_as_json() {
    let (code, text) = show(&["--format", "json"], SHOWN);
    assert_eq!(code, 1);
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["enhanced_barriers_supported"], true);
    let first = &value["lists"][0]["calls"][0];
    assert_eq!(first["num_barriers"], 2);
    assert_eq!(first["entries"][0]["type"], "TEXTURE");
    assert_eq!(first["entries"][0]["layout_after"]["value"], 2);
    assert_eq!(first["entries"][0]["flags"]["name"], "DISCARD");
    assert_eq!(
        first["entries"][0]["subresources"],
        serde_json::json!([0, 1, 0, 1, 0, 1])
    );
    let fence = &value["lists"][0]["calls"][2];
    assert_eq!(fence["num_barriers"], 0);
    assert!(fence["entries"][0]["slot"].is_null());
    let second = &value["lists"][1]["calls"][1]["entries"][0];
    assert_eq!(second["illegal"], "EB015");
    assert_eq!(second["slot"], 0);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    assert_eq!(show(&["--profile", "nowhere"], SHOWN).0, 2);
    let (code, page) = show(&[], "texture : nothing\n");
    assert_eq!(code, 2);
    assert!(page.contains("SC0"), "{page}");
    let output = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["run", "--show", "packets", "nowhere.scn"])
        .output()
        .expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
}
