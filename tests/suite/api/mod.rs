//! The words of D3D12 against two independent sources: the metadata crate for names and values, and a transcription of
//! the specification's tables for compatibility.

mod metadata;

use syncscope::api::compat::{self, RuleSet};
use syncscope::api::format::Format;
use syncscope::api::{
    BarrierAccess, BarrierFlags, BarrierSync, BarrierType, HeapType, Layout, LeafSet, QueueType,
    ResourceFlags, ResourceState,
};

const TABLES: &str = include_str!("../fixtures/specification-tables.txt");

/// Rows of one transcribed table: key and names.
pub(crate) fn table(name: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    TABLES.lines().filter_map(move |line| {
        let (key, values) = line
            .strip_prefix(name)?
            .strip_prefix(' ')?
            .split_once(':')?;
        Some((key, values.split_whitespace().collect()))
    })
}

/// Rows of the metadata that the program reads differently or not at all, and names that only the program has.
fn differences(
    metadata: &[(&'static str, u32)],
    names: &[&'static str],
    value: impl Fn(&str) -> Option<u32>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (name, expected) in metadata {
        match value(name) {
            None => found.push(format!("{name} is missing")),
            Some(ours) if ours != *expected => {
                found.push(format!("{name} is {ours:#x}, not {expected:#x}"));
            }
            Some(_) => {}
        }
    }
    for name in names {
        if !metadata.iter().any(|(known, _)| known == name) {
            found.push(format!("{name} is ours alone"));
        }
    }
    found
}

#[test]
fn sync_values_are_the_headers() {
    let value = |name: &str| BarrierSync::parse_one(name).map(|s| s.bits());
    assert_eq!(
        differences(&metadata::sync(), BarrierSync::names(), value),
        // The driver interface's name of INDEX_INPUT.
        ["INPUT_ASSEMBLER is ours alone"]
    );
}

#[test]
fn access_values_are_the_headers() {
    let value = |name: &str| BarrierAccess::parse_one(name).map(|a| a.bits());
    assert_eq!(
        differences(&metadata::access(), BarrierAccess::names(), value),
        // The preview of fence barriers.
        ["GLOBAL is ours alone"]
    );
}

#[test]
fn layout_values_are_the_headers() {
    let value = |name: &str| Layout::parse(name).map(Layout::value);
    assert_eq!(
        differences(&metadata::layout(), Layout::names(), value),
        // Reading R10: a newer header's 31, the specification's name for it, and the driver interface's layouts.
        [
            "DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE is ours alone",
            "LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE is ours alone",
            "LEGACY_COPY_SOURCE is ours alone",
            "LEGACY_COPY_DEST is ours alone",
            "LEGACY_SHADER_RESOURCE is ours alone",
            "LEGACY_PIXEL_SHADER_RESOURCE is ours alone",
        ]
    );
}

#[test]
fn state_and_flag_values_are_the_headers() {
    let value = |name: &str| ResourceState::parse_one(name).map(|s| s.bits());
    assert_eq!(
        differences(&metadata::state(), ResourceState::names(), value),
        // Reading R37: older spellings of the combined state.
        [
            "VERTEX_BUFFER is ours alone",
            "CONSTANT_BUFFER is ours alone"
        ]
    );
    let value = |name: &str| ResourceFlags::parse_one(name).map(|s| s.bits());
    assert_eq!(
        differences(&metadata::flag(), ResourceFlags::names(), value),
        // The scenario language's words without ALLOW_, a newer header's flag, and an informative word.
        [
            "RENDER_TARGET is ours alone",
            "DEPTH_STENCIL is ours alone",
            "UNORDERED_ACCESS is ours alone",
            "CROSS_ADAPTER is ours alone",
            "SIMULTANEOUS_ACCESS is ours alone",
            "USE_TIGHT_ALIGNMENT is ours alone",
            "VIDEO is ours alone",
        ]
    );
    let value = |name: &str| BarrierFlags::parse_one(name).map(|s| s.bits());
    assert_eq!(
        differences(&metadata::barrier_flag(), BarrierFlags::names(), value),
        [""; 0]
    );
}

#[test]
fn type_values_are_the_headers() {
    let value = |name: &str| BarrierType::parse(name).map(BarrierType::value);
    assert_eq!(differences(&metadata::barrier_type(), &[], value), [""; 0]);
    let value = |name: &str| QueueType::parse(name).map(QueueType::value);
    // `NONE` is the header's "no type at all".
    assert_eq!(
        differences(&metadata::queue(), &[], value),
        ["NONE is missing"]
    );
    let value = |name: &str| HeapType::parse(name).map(HeapType::value);
    // The scenario language has no custom heaps and no uploads into GPU memory.
    assert_eq!(
        differences(&metadata::heap(), &[], value),
        ["CUSTOM is missing", "GPU_UPLOAD is missing"]
    );
}

#[test]
fn format_values_are_the_headers() {
    let value = |name: &str| Format::from_name(name).map(Format::value);
    let ours = Format::all().filter(|format| format.is_dxgi());
    let names: Vec<&str> = ours.map(Format::name).collect();
    assert_eq!(
        differences(&metadata::format(), &names, value),
        // No texture has UNKNOWN.
        ["UNKNOWN is missing"]
    );
    assert_eq!(names.len() + 1, metadata::format().len());
}

#[test]
fn every_name_comes_back() {
    for name in BarrierSync::names() {
        let value = BarrierSync::parse_one(name).expect(name);
        assert_eq!(
            BarrierSync::parse_one(&value.to_string()),
            Some(value),
            "{name}"
        );
    }
    for name in BarrierAccess::names() {
        let value = BarrierAccess::parse_one(name).expect(name);
        assert_eq!(
            BarrierAccess::parse_one(&value.to_string()),
            Some(value),
            "{name}"
        );
    }
    for name in ResourceFlags::names() {
        let value = ResourceFlags::parse_one(name).expect(name);
        assert_eq!(
            ResourceFlags::parse_one(&value.to_string()),
            Some(value),
            "{name}"
        );
    }
    for name in ResourceState::names() {
        // GENERIC_READ and ALL_SHADER_RESOURCE are several bits: they print as those.
        let value = ResourceState::parse_one(name).expect(name);
        let printed = value.to_string();
        let again = printed
            .split('|')
            .filter_map(ResourceState::parse_one)
            .fold(ResourceState::empty(), |set, bit| set | bit);
        assert_eq!(again, value, "{name}");
    }
    for name in Layout::names() {
        let value = Layout::parse(name).expect(name);
        assert_eq!(Layout::parse(&value.name()), Some(value), "{name}");
        assert_eq!(Layout::from_value(value.value()), value, "{name}");
    }
    for queue in QueueType::ALL {
        assert_eq!(QueueType::parse(queue.word()), Some(queue));
    }
    for kind in BarrierType::ALL {
        assert_eq!(BarrierType::parse(kind.word()), Some(kind));
    }
    for word in HeapType::names() {
        assert_eq!(HeapType::parse(word).map(HeapType::word), Some(*word));
    }
}

fn queue(name: &str) -> QueueType {
    QueueType::parse(name).expect(name)
}

#[test]
fn every_layout_on_every_queue() {
    // Reading R08: UNDEFINED everywhere, each queue's own layouts, and the video queues' common layout.
    let added = |queue: QueueType, layout: &str| {
        layout == "UNDEFINED"
            || match queue {
                QueueType::Direct => layout == "DIRECT_QUEUE_COMMON",
                QueueType::Compute => layout.starts_with("COMPUTE_QUEUE_"),
                QueueType::VideoDecode | QueueType::VideoProcess | QueueType::VideoEncode => {
                    layout == "VIDEO_QUEUE_COMMON"
                }
                QueueType::Copy | QueueType::Bundle => false,
            }
    };
    let mut queues = 0;
    for (name, listed) in table("queue-layout") {
        queues += 1;
        for layout in Layout::ALL {
            let word = layout.name();
            let by_table = listed.contains(&word.as_ref());
            let by_reading = by_table || added(queue(name), &word);
            let allows = |rules| compat::queue_allows_layout_under(rules, queue(name), layout);
            // Reading R58: what R08 adds holds in every set.
            assert_eq!(allows(RuleSet::Tables), by_reading, "{name} {word}");
            assert_eq!(allows(RuleSet::Specification), by_reading, "{name} {word}");
        }
    }
    assert_eq!(queues, 6);
    let newest = Layout::DirectQueueGenericReadComputeQueueAccessible;
    assert!(compat::queue_allows_layout_under(
        RuleSet::DebugLayer,
        QueueType::Direct,
        newest
    ));
    assert!(!compat::queue_allows_layout(
        QueueType::Direct,
        Layout::Unknown(99)
    ));
}

#[test]
fn every_access_and_every_sync_on_every_queue() {
    for (name, listed) in table("queue-access") {
        let listed: Vec<_> = listed
            .iter()
            .filter_map(|n| BarrierAccess::parse_one(n))
            .collect();
        for access in BarrierAccess::all() {
            let expected = listed.contains(&access);
            assert_eq!(
                compat::queue_accesses(queue(name)).contains(access),
                expected,
                "{name} {access}"
            );
        }
    }
    for (name, listed) in table("queue-sync") {
        let listed: Vec<_> = listed
            .iter()
            .filter_map(|n| BarrierSync::parse_one(n))
            .collect();
        for sync in BarrierSync::all() {
            let expected = listed.contains(&sync);
            assert_eq!(
                compat::queue_syncs(queue(name)).contains(sync),
                expected,
                "{name} {sync}"
            );
        }
    }
}

#[test]
fn every_access_in_every_layout() {
    let rows: Vec<_> = table("layout-access").collect();
    for layout in Layout::ALL {
        let Some((name, listed)) = rows.iter().find(|(name, _)| *name == layout.name()) else {
            assert!(!layout.is_public(), "{layout} has no row");
            continue;
        };
        let listed: Vec<_> = listed
            .iter()
            .filter_map(|n| BarrierAccess::parse_one(n))
            .collect();
        for access in BarrierAccess::EVERY {
            let expected = listed.contains(&access);
            assert_eq!(
                compat::layout_accesses(layout).contains(access),
                expected,
                "{name} {access}"
            );
        }
    }
    // Enhanced Barriers specification, "COMMON Layout", second list, and what reading R66 adds: all but depth stencil and
    // acceleration structures that a texture can have.
    let wide = compat::texture_accesses(Layout::Common, ResourceFlags::SIMULTANEOUS_ACCESS);
    assert_eq!(
        wide.to_string(),
        "RENDER_TARGET|UNORDERED_ACCESS|SHADER_RESOURCE|COPY_DEST|COPY_SOURCE|RESOLVE_DEST|RESOLVE_SOURCE|\
         SHADING_RATE_SOURCE|VIDEO_DECODE_READ|VIDEO_DECODE_WRITE|VIDEO_PROCESS_READ|VIDEO_PROCESS_WRITE|\
         VIDEO_ENCODE_READ|VIDEO_ENCODE_WRITE"
    );
}

#[test]
fn every_access_with_every_sync() {
    // Readings R04 and R06, transcribed by hand.
    let added = |access: &str| -> &[&str] {
        match access {
            "VERTEX_BUFFER" | "STREAM_OUTPUT" | "RAYTRACING_ACCELERATION_STRUCTURE_READ" => {
                &["NON_PIXEL_SHADING"]
            }
            "CONSTANT_BUFFER" => &["NON_PIXEL_SHADING", "RAYTRACING"],
            "SHADER_RESOURCE" => &[
                "NON_PIXEL_SHADING",
                "RAYTRACING",
                "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
            ],
            "UNORDERED_ACCESS" => &[
                "NON_PIXEL_SHADING",
                "RAYTRACING",
                "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
                "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
            ],
            _ => &[],
        }
    };
    // Reading R36: what an umbrella's leaves add to its row. Everything else follows from the listed names.
    let by_leaves = [("SHADING_RATE_SOURCE", "DRAW")];
    let mut rows = 0;
    for (name, listed) in table("access-sync") {
        rows += 1;
        let access = BarrierAccess::parse_one(name).expect(name);
        for sync in BarrierSync::all() {
            let word = sync.to_string();
            let any = listed.contains(&"ANY");
            let by_table = any
                || listed
                    .iter()
                    .any(|l| BarrierSync::parse_one(l) == Some(sync));
            let by_reading = by_table
                || added(name).contains(&word.as_str())
                || by_leaves.contains(&(name, word.as_str()));
            let ok = |rules| compat::access_sync_ok_under(rules, access, sync);
            // Reading R58: R04 to R06 and R36 hold in every set.
            assert_eq!(ok(RuleSet::Tables), by_reading, "{access} with {sync}");
            assert_eq!(
                ok(RuleSet::Specification),
                by_reading,
                "{access} with {sync}"
            );
        }
    }
    assert_eq!(rows, 26, "PREDICATION has a row of its own");
}

#[test]
fn umbrellas_supersede_what_the_table_says_and_the_prose_adds() {
    let leaves = |names: &[&str]| {
        names.iter().fold(LeafSet::EMPTY, |set, name| {
            set.union(BarrierSync::parse_one(name).expect(name).leaves())
        })
    };
    assert_eq!(
        BarrierSync::DRAW.leaves(),
        leaves(&[
            "INDEX_INPUT",
            "VERTEX_SHADING",
            "PIXEL_SHADING",
            "DEPTH_STENCIL",
            "RENDER_TARGET"
        ])
    );
    // Reading R07: the tables leave out ray tracing.
    let shading = ["VERTEX_SHADING", "COMPUTE_SHADING", "RAYTRACING"];
    assert_eq!(BarrierSync::NON_PIXEL_SHADING.leaves(), leaves(&shading));
    assert_eq!(
        BarrierSync::ALL_SHADING.leaves(),
        leaves(&shading).union(leaves(&["PIXEL_SHADING"]))
    );
    let every = BarrierSync::all()
        .iter()
        .filter(|sync| *sync != BarrierSync::ALL)
        .fold(LeafSet::EMPTY, |set, sync| set.union(sync.leaves()));
    assert_eq!(BarrierSync::ALL.leaves(), every);
    assert!(BarrierSync::SPLIT.leaves().is_empty());
}

/// The specification calls two of the video write accesses read-only, which their names and layouts contradict.
#[test]
fn accesses_write_as_their_names_say() {
    for access in BarrierAccess::EVERY {
        let name = access.to_string();
        let says = name.ends_with("_WRITE")
            || name.ends_with("_DEST")
            || ["RENDER_TARGET", "UNORDERED_ACCESS", "STREAM_OUTPUT"].contains(&name.as_str());
        assert_eq!(access.writes(), says, "{name}");
    }
}

#[test]
fn the_shortest_mask_has_exactly_the_leaves() {
    use syncscope::api::{BarrierSync, LeafSet};
    for bits in 0..1_u32 << 17 {
        let leaves = LeafSet(bits);
        let named = BarrierSync::named(leaves);
        assert_eq!(named.leaves(), leaves, "{named}");
        let singles = BarrierSync::of_leaves(leaves);
        assert!(named.bits().count_ones() <= singles.bits().count_ones());
    }
}
