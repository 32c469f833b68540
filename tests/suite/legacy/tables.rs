//! Every legacy state, single and joined, on every queue type and kind of resource.

use super::{errors, parse};
use std::collections::BTreeSet;
use syncscope::api::{BarrierAccess, BarrierSync, Layout, ResourceState};
use syncscope::legacy::{self, states};
use syncscope::scenario;

/// The specification's tables, transcribed apart from the program.
const TABLES: &str = include_str!("../fixtures/legacy-state-tables.txt");

fn masked<T: Copy + std::ops::BitOr<Output = T>>(text: &str, one: impl Fn(&str) -> Option<T>) -> T {
    let mut bits = text
        .split('|')
        .map(|word| one(word.trim()).unwrap_or_else(|| panic!("`{word}` is a name")));
    let first = bits.next().expect("a name");
    bits.fold(first, |set, bit| set | bit)
}

#[test]
fn states_are_what_the_tables_say() {
    let mut seen = BTreeSet::new();
    for line in TABLES.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.splitn(2, " | ").map(str::trim).collect();
        let state = ResourceState::parse_one(cells[0]).expect("a state");
        let rest: Vec<&str> = cells[1].split(" | ").map(str::trim).collect();
        let [layout, access, sync] = rest[..] else {
            panic!("three more columns: {line}");
        };
        seen.insert(state);
        let access = masked(access, BarrierAccess::parse_one);
        assert_eq!(states::access(state), access, "{state}");
        let sync = masked(sync, BarrierSync::parse_one);
        // The program adds scopes of work that the tables forget, and takes none away.
        assert!(states::sync(state).contains(sync), "{state}");
        let added = states::sync(state) - sync;
        let known = BarrierSync::CLEAR_UNORDERED_ACCESS_VIEW
            | BarrierSync::BUILD_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::COPY_RAYTRACING_ACCELERATION_STRUCTURE
            | BarrierSync::EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO;
        assert!(known.contains(added), "{state} adds {added}");
        // `LEGACY_*` layouts are the runtime's: where promotion is resolved they are the layouts of the same name.
        let layout = Layout::parse(match layout {
            "-" => "COMMON",
            name => name.trim_start_matches("LEGACY_"),
        });
        assert_eq!(Some(states::layout(state)), layout, "{state}");
    }
    // What the tables have no row for are the video states, whose names say all.
    let rest: Vec<_> = states::STATES
        .iter()
        .filter(|row| !seen.contains(&row.state))
        .collect();
    assert_eq!(rest.len(), 6);
    for row in rest {
        let name = row.state.to_string();
        assert!(name.starts_with("VIDEO_"), "{name}");
        assert_eq!(BarrierAccess::parse_one(&name), Some(row.access));
        assert_eq!(Layout::parse(&name), row.layout);
        let engine = name.rsplit_once('_').expect("READ or WRITE").0;
        assert_eq!(BarrierSync::parse_one(engine), Some(row.sync));
    }
}

/// States that each queue type can name, written out from "Command Queue Access Compatibility" and "Compute Queues and
/// `D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE`" (reading R09 for the first of compute).
const QUEUES: [(&str, &str); 6] = [
    (
        "direct",
        "VERTEX_AND_CONSTANT_BUFFER INDEX_BUFFER RENDER_TARGET UNORDERED_ACCESS DEPTH_WRITE DEPTH_READ \
         NON_PIXEL_SHADER_RESOURCE PIXEL_SHADER_RESOURCE STREAM_OUT INDIRECT_ARGUMENT COPY_DEST COPY_SOURCE \
         RESOLVE_DEST RESOLVE_SOURCE RAYTRACING_ACCELERATION_STRUCTURE SHADING_RATE_SOURCE",
    ),
    (
        "compute",
        "VERTEX_AND_CONSTANT_BUFFER UNORDERED_ACCESS NON_PIXEL_SHADER_RESOURCE INDIRECT_ARGUMENT COPY_DEST \
         COPY_SOURCE RAYTRACING_ACCELERATION_STRUCTURE",
    ),
    ("copy", "COPY_DEST COPY_SOURCE"),
    ("video_decode", "VIDEO_DECODE_READ VIDEO_DECODE_WRITE"),
    ("video_process", "VIDEO_PROCESS_READ VIDEO_PROCESS_WRITE"),
    ("video_encode", "VIDEO_ENCODE_READ VIDEO_ENCODE_WRITE"),
];

const WRITES: &str = "RENDER_TARGET UNORDERED_ACCESS DEPTH_WRITE STREAM_OUT COPY_DEST RESOLVE_DEST VIDEO_DECODE_WRITE \
                      VIDEO_PROCESS_WRITE VIDEO_ENCODE_WRITE RAYTRACING_ACCELERATION_STRUCTURE";

const BUFFERS_ONLY: &str = "VERTEX_AND_CONSTANT_BUFFER INDEX_BUFFER STREAM_OUT INDIRECT_ARGUMENT \
                            RAYTRACING_ACCELERATION_STRUCTURE";

const TEXTURES_ONLY: &str = "RENDER_TARGET DEPTH_WRITE DEPTH_READ SHADING_RATE_SOURCE";

fn set(names: &str) -> ResourceState {
    names
        .split_whitespace()
        .map(|name| ResourceState::parse_one(name).expect("a state"))
        .fold(ResourceState::empty(), |set, bit| set | bit)
}

/// Kinds of resources: declaration, whether it is a buffer, states that its creation refuses.
const KINDS: [(&str, bool, &str); 5] = [
    (
        "texture r : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS; state COMMON }",
        false,
        "DEPTH_WRITE DEPTH_READ",
    ),
    (
        "texture r : D24_UNORM_S8_UINT 8x8 { flags DEPTH_STENCIL; state COMMON }",
        false,
        "RENDER_TARGET UNORDERED_ACCESS",
    ),
    (
        "texture r : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state COMMON }",
        false,
        "DEPTH_WRITE DEPTH_READ",
    ),
    (
        "buffer r : 4KiB { flags UNORDERED_ACCESS }",
        true,
        "RAYTRACING_ACCELERATION_STRUCTURE",
    ),
    (
        "buffer r : 4KiB",
        true,
        "UNORDERED_ACCESS RAYTRACING_ACCELERATION_STRUCTURE",
    ),
];

/// Single states and every combination of reads, on every queue and resource: legal exactly where the specification
/// says so, and what is legal becomes entries that enhanced barriers are allowed to have.
#[test]
fn every_state_is_judged_and_translated() {
    let writes = set(WRITES);
    let all = ResourceState::all();
    let reads: Vec<ResourceState> = (all - writes).iter().collect();
    let mut wanted: Vec<ResourceState> = writes.iter().collect();
    for pick in 1..1_u32 << reads.len() {
        let state = reads
            .iter()
            .enumerate()
            .filter(|(bit, _)| pick & (1 << bit) != 0)
            .fold(ResourceState::empty(), |set, (_, read)| set | *read);
        wanted.push(state);
    }
    let generic = ResourceState::parse_one("GENERIC_READ").expect("a state");
    let (mut legal_count, mut refused_count) = (0, 0);
    for (queue, named) in QUEUES {
        let named = set(named);
        for (declaration, is_buffer, refused) in KINDS {
            let refused = set(refused);
            for state in &wanted {
                let foreign = if is_buffer {
                    *state & set(TEXTURES_ONLY)
                } else if state.contains(generic) {
                    (*state - generic) & set(BUFFERS_ONLY)
                } else {
                    *state & set(BUFFERS_ONLY)
                };
                let legal =
                    named.contains(*state) && foreign.is_empty() && !state.intersects(refused);
                let text = format!(
                    "{declaration}\nlist l : {queue} {{\n  legacy {{ transition r COMMON -> {state} }}\n  \
                     legacy {{ transition r {state} -> COMMON }}\n}}\n"
                );
                let parsed = parse(&text);
                let found = errors(&parsed);
                assert_eq!(
                    found.is_empty(),
                    legal,
                    "{queue} {declaration} {state}: {found:?}"
                );
                if !legal {
                    refused_count += 1;
                    continue;
                }
                legal_count += 1;
                let printed = scenario::print(&legacy::explain(&parsed));
                let found = errors(&parse(&printed));
                assert!(found.is_empty(), "{found:?}\n{printed}");
            }
        }
    }
    assert!(
        legal_count > 300 && refused_count > 10_000,
        "{legal_count} {refused_count}"
    );
}

/// Two write states, or a write and a read, never go together.
#[test]
fn write_states_stand_alone() {
    let writes = set(WRITES);
    let all = ResourceState::all();
    for write in writes.iter() {
        for other in (all - write).iter() {
            let state = write | other;
            for declaration in KINDS.map(|kind| kind.0) {
                let text = format!(
                    "{declaration}\nlist l : direct {{ legacy {{ transition r COMMON -> {state} }} }}\n"
                );
                let found = errors(&parse(&text));
                assert_eq!(found.len(), 1, "{state}: {found:?}");
                assert_eq!(found[0].0, "LB002", "{state}");
            }
        }
    }
}
