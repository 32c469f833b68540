//! Captures of real programs, kept below `tests/fixtures/captures`: what they become, and what is found in them. The
//! validation layer's synchronization checks over the same programs say which have hazards, and at which calls.

use crate::shaders::fixtures;
use ruzstd::decoding::StreamingDecoder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use syncscope::finding::{Severity, Source};
use syncscope::interop::import::{Imported, Importer, Options};
use syncscope::run;
use syncscope::scenario;

/// Lines of a capture.
fn lines(name: &str) -> Vec<String> {
    let path = fixtures().join(format!("captures/{name}/capture.jsonl.zst"));
    let mut text = String::new();
    let mut decoder = StreamingDecoder::new(File::open(path).expect("a capture")).expect("zstd");
    decoder.read_to_string(&mut text).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// Shaders of a capture, by handle.
fn shaders(name: &str) -> Vec<(u64, Vec<u8>)> {
    let folder = fixtures().join(format!("captures/{name}/shaders"));
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut shaders: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy();
            let handle = name.trim_start_matches("sh").parse().expect("a handle");
            (handle, std::fs::read(&path).expect("a shader"))
        })
        .collect();
    shaders.sort();
    shaders
}

fn import(lines: &[String], shaders: Vec<(u64, Vec<u8>)>) -> Imported {
    let mut importer = Importer::new(Options {
        shaders,
        ..Options::default()
    });
    for (number, line) in (1..).zip(lines) {
        if importer.line(number, line.as_bytes()).is_break() {
            break;
        }
    }
    importer.finish()
}

/// The text of a capture, with its shaders.
pub(crate) fn text(name: &str) -> String {
    scenario::print(&import(&lines(name), shaders(name)).scenario)
}

/// Something found: severity, rule, resource, and the call of the command that it is about.
type Found = (Severity, &'static str, String, u64);

fn found(imported: &Imported) -> Vec<Found> {
    let text = scenario::print(&imported.scenario);
    let source = Source::new("capture.scn", text.as_str());
    let report = run::check(&source, &run::Options::default());
    let lines: Vec<&str> = text.lines().collect();
    let call = |line: u32| {
        let after = lines.iter().skip(line as usize - 1);
        let mut calls = after.filter_map(|line| line.split_once("// call ")?.1.parse().ok());
        calls.next().unwrap_or(0)
    };
    let findings = report.findings.iter();
    findings
        .map(|f| {
            let resource = f.resource.as_deref().unwrap_or_default().to_owned();
            (
                f.severity,
                f.rule.id,
                resource,
                call(source.line(f.span.start)),
            )
        })
        .collect()
}

fn failing(found: &[Found]) -> BTreeSet<(&'static str, u64)> {
    let failing = found.iter().filter(|(severity, ..)| severity.fails());
    failing.map(|(_, rule, _, call)| (*rule, *call)).collect()
}

/// Every capture that is kept.
pub(crate) const NAMES: [&str; 9] = [
    "ffmpeg-blur",
    "ffmpeg-overlay",
    "vkcube",
    "vkcube-mangohud",
    "vkcube-vkbasalt",
    "vkd3d-gears",
    "vkd3d-triangle",
    "zink-desktop",
    "zink-gears",
];

#[test]
fn every_line_of_a_capture_is_read_and_every_call_is_known() {
    for name in NAMES {
        let imported = import(&lines(name), shaders(name));
        let report = imported.report;
        assert_eq!(report.bad_line_count, 0, "{name}: {:?}", report.bad_lines);
        assert!(report.submissions > 0 && report.commands > 0, "{name}");
        let unknown: Vec<_> = report.unknown.iter().map(|calls| &calls.name).collect();
        assert!(unknown.is_empty(), "{name}: {unknown:?}");
    }
}

/// What fails, and the validation layer's word at the same calls: `WRITE_AFTER_READ` where zink changes the layout of an
/// acquired image, `PRESENT_AFTER_WRITE` at the presents of vkd3d, `WRITE_AFTER_WRITE` at transitions of `FFmpeg`,
/// `READ_AFTER_WRITE` where `MangoHud`'s list begins a render pass that loads.
#[test]
fn what_fails_is_what_the_validation_layer_confirms() {
    for name in NAMES {
        let found = found(&import(&lines(name), shaders(name)));
        let failing = failing(&found);
        let calls: BTreeSet<u64> = failing.iter().map(|(_, call)| *call).collect();
        let expected: BTreeSet<u64> = match name {
            "zink-gears" => BTreeSet::from([388]),
            // A store of depth in a read-only layout, after a barrier that lets it be read only: a pass of dynamic rendering,
            // which the layer of that version does not follow.
            "zink-desktop" => BTreeSet::from([409, 896]),
            "vkd3d-gears" => BTreeSet::from([284, 528]),
            "vkd3d-triangle" => BTreeSet::from([158, 291]),
            "vkcube-mangohud" => BTreeSet::from([201, 244]),
            "ffmpeg-blur" => BTreeSet::from([639, 640, 641, 778, 779, 780, 897, 898, 899]),
            "ffmpeg-overlay" => BTreeSet::from([
                726, 1050, 1148, 1149, 1150, 1285, 1344, 1345, 1346, 1461, 1520, 1521, 1522,
            ]),
            _ => BTreeSet::new(),
        };
        assert_eq!(calls, expected, "{name}: {found:#?}");
    }
}

/// The layer says `READ_AFTER_WRITE` at the second dispatch of each blur of `FFmpeg`. Its images are lost, so that what is found
/// there is a warning; frames that do the same are found once. No other program has such a read.
#[test]
fn what_may_be_read_too_early_is_what_the_validation_layer_confirms() {
    for name in NAMES {
        let found = found(&import(&lines(name), shaders(name)));
        let doubts = found
            .iter()
            .filter(|(severity, rule, ..)| *severity == Severity::Warning && *rule == "HZ101");
        let calls: BTreeSet<u64> = doubts.map(|(.., call)| *call).collect();
        let expected: &[u64] = match name {
            "ffmpeg-blur" => &[465, 647, 786, 905],
            "ffmpeg-overlay" => &[871, 1156, 1352, 1528],
            _ => &[],
        };
        assert_eq!(calls, expected.iter().copied().collect(), "{name}");
    }
}

/// Without its shaders nobody knows which descriptors a program uses: nothing fails that does not fail with them, and uses
/// say `may`.
#[test]
fn without_shaders_descriptors_may_be_used() {
    let lines = lines("vkcube");
    let known = scenario::print(&import(&lines, shaders("vkcube")).scenario);
    let unknown = import(&lines, Vec::new());
    let text = scenario::print(&unknown.scenario);
    let uses = |text: &str, word: &str| text.lines().filter(|line| line.contains(word)).count();
    assert_eq!(uses(&known, " may"), 0, "{known}");
    assert!(
        uses(&known, "SHADER_RESOURCE image_24 @ PIXEL_SHADING") > 0,
        "{known}"
    );
    assert!(uses(&text, " may") >= 2, "{text}");
    assert!(failing(&found(&unknown)).is_empty(), "{text}");
}

/// The capture without one line.
fn without(lines: &[String], call: u64) -> Vec<String> {
    let left = lines.iter().filter(|line| {
        let value: Value = serde_json::from_str(line).expect("a line is JSON");
        value["index"].as_u64() != Some(call)
    });
    let left: Vec<String> = left.cloned().collect();
    assert_eq!(left.len() + 1, lines.len(), "call {call} is one line");
    left
}

/// Every barrier of the gears deleted in turn. The page "A real program" explains the findings.
#[test]
fn a_deleted_barrier_is_found_where_it_was_needed() {
    let draws = [195, 198, 200, 202, 204, 206];
    let at_draws = |rule| draws.map(|call| (rule, call));
    let mut color = BTreeSet::from(at_draws("HZ104"));
    color.extend([("HZ108", 183), ("EB026", 208)]);
    // In another layout, the present races with the draws and not with the barrier.
    let present = BTreeSet::from([("HZ201", 284), ("HZ201", 528)]);
    let mut depth = BTreeSet::from(at_draws("HZ104"));
    depth.insert(("HZ104", 187));
    let expected: [(u64, BTreeSet<(&str, u64)>); 12] = [
        (49, BTreeSet::from([("HZ104", 50)])),
        // Nobody reads that image.
        (51, BTreeSet::new()),
        (178, BTreeSet::from([("EB026", 179)])),
        (179, color),
        (180, depth),
        (208, present),
        // Lists of back buffers that are never acquired are recorded and never submitted.
        (217, BTreeSet::new()),
        (218, BTreeSet::new()),
        (244, BTreeSet::new()),
        (253, BTreeSet::new()),
        (254, BTreeSet::new()),
        (280, BTreeSet::new()),
    ];
    let (lines, shaders) = (lines("vkd3d-gears"), shaders("vkd3d-gears"));
    let barriers = lines
        .iter()
        .filter(|line| line.contains("vkCmdPipelineBarrier"));
    assert_eq!(barriers.count(), expected.len());
    // The presents wait for nothing, with every barrier and without.
    let known = failing(&found(&import(&lines, shaders.clone())));
    for (call, expected) in expected {
        let found = found(&import(&without(&lines, call), shaders.clone()));
        let new: BTreeSet<_> = failing(&found).difference(&known).copied().collect();
        assert_eq!(new, expected, "without call {call}: {found:#?}");
    }
}

/// The only barrier of vkcube: it makes a texture that the CPU filled readable.
#[test]
fn the_only_barrier_of_vkcube_is_needed() {
    let (lines, shaders) = (lines("vkcube"), shaders("vkcube"));
    let found = found(&import(&without(&lines, 58), shaders));
    assert_eq!(
        failing(&found),
        BTreeSet::from([("HZ104", 104)]),
        "{found:#?}"
    );
}

/// Without the transition before its first present, the present of zink's gears or a later barrier is wrong.
#[test]
fn barriers_of_zink_that_matter_are_found() {
    let lines = lines("zink-gears");
    let shaders = shaders("zink-gears");
    let is_image = |line: &&String| {
        line.contains("vkCmdPipelineBarrier2") && line.contains("IMAGE_MEMORY_BARRIER_2")
    };
    let index = |line: &String| {
        let value: Value = serde_json::from_str(line).expect("a line is JSON");
        value["index"].as_u64().expect("a number")
    };
    let layouts = |line: &&String| !line.contains("\"oldLayout\":\"VK_IMAGE_LAYOUT_UNDEFINED\"");
    let to_present =
        |line: &&String| line.contains("\"newLayout\":\"VK_IMAGE_LAYOUT_PRESENT_SRC_KHR\"");
    let first = lines
        .iter()
        .filter(is_image)
        .filter(layouts)
        .find(to_present);
    let call = index(first.expect("a frame is presented"));
    let found = found(&import(&without(&lines, call), shaders));
    let rules: BTreeSet<&str> = failing(&found).iter().map(|(rule, _)| *rule).collect();
    assert!(
        rules.contains("HZ104") || rules.contains("EB026"),
        "{call}: {found:#?}"
    );
}
