//! Contradictions in a profile are named, each in its place.

use super::{Problem, profile};
use crate::hardware::CACHES_MAX;

const RDNA: &str = include_str!("../profiles/rdna.toml");
/// Its layouts need work.
const VEGA: &str = include_str!("../profiles/vega.toml");

fn all(problems: Vec<Problem>) -> String {
    let messages: Vec<_> = problems.into_iter().map(|p| p.message).collect();
    messages.join("\n")
}

/// The profile that has a text, with another text in its place.
fn edited(from: &str, to: &str) -> String {
    let mut profiles = [RDNA, VEGA].into_iter();
    let text = profiles.find(|text| text.contains(from));
    text.unwrap_or_else(|| panic!("a profile has `{from}`"))
        .replacen(from, to, 1)
}

/// Rows of three: the text of a profile, what comes in its place, and what is to be found.
fn rows(table: &str) -> impl Iterator<Item = [&str; 3]> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        fields.try_into().expect("a row has three fields")
    })
}

fn problem_of(from: &str, to: &str) -> String {
    all(profile(&[&edited(from, to)]).expect_err("a contradiction"))
}

#[test]
fn contradictions_are_named_with_their_place() {
    for [from, to, message] in rows(
        r#"
        parent = "GL1" | parent = "GL9" | cache L0V: parent: `GL9`
        parent = "GL1" | parent = "L0V" | cache L0V: its parents form a cycle
        RENDER_TARGET = [["CB", "L2"]] | | [path] lacks `RENDER_TARGET`
        STREAM_OUTPUT = [["L2"]] | STREAM_OUTPUT = [["L2"], ["K", "GL1", "L2"]] | path STREAM_OUTPUT: a write cannot go through a read-only cache
        STREAM_OUTPUT = [["L2"]] | STREAM_OUTPUT = [["L3"]] | path STREAM_OUTPUT: `L3` is not a cache
        STREAM_OUTPUT = [["L2"]] | STREAM_OUTPUT = [["CB"]] | ends before `L2`
        "fixed.eop_wait_ns" = | "fixed.other_ns" = | [number] lacks `fixed.eop_wait_ns`
        tag = "assumed" | tag = "guessed" | tag `guessed`
        GENERIC_READ = ["C" | GENERIC_READ = ["Q" | class `Q`
        private = true | private = maybe | string values must be quoted
        RENDER_TARGET = [["CBM", "L2"]] | RENDER_TARGET = [["CBM"]] | metadata RENDER_TARGET: ends before `L2`
        samples_from = 2 | format = "hdr" | format `hdr` is not one of depth, stencil, colour
        stages = ["VERTEX_SHADING" | stages = ["SHADING" | `SHADING` is not a stage
        "#,
    ) {
        let problem = problem_of(from, to);
        assert!(problem.contains(message), "{problem:?} says {message:?}");
    }
}

/// An origin names a table or a row that is there, and of a driver the version.
#[test]
fn an_origin_is_of_a_table_and_of_a_version() {
    for (from, to, message) in [
        (
            "[origin]\npath = { tag = \"driver\", source = \"packets of radv 25.0.7 and 26.1.6 for vega10\" }",
            "[origin]\npath = { tag = \"driver\", source = \"some radv\" }",
            "[origin] path: the source does not name the version of the driver",
        ),
        (
            "[origin]\npath =",
            "[origin]\npaths =",
            "[origin] `paths`: a profile has no such table, or the table no such row",
        ),
        (
            "\"path.STREAM_OUTPUT\" =",
            "\"path.STREAM\" =",
            "[origin] `path.STREAM`: a profile has no such table, or the table no such row",
        ),
    ] {
        let problem = problem_of(from, to);
        assert!(problem.contains(message), "{problem:?} says {message:?}");
    }
}

/// What no machine could be is refused with the reason.
#[test]
fn what_no_machine_could_be_is_named_with_its_place() {
    for (from, to, message) in [
        (
            "private = true",
            "private = true\ndrop = \"loses dirty lines\"",
            "cache L0V: a write-through cache has no dirty lines to lose",
        ),
        (
            "private = true",
            "private = true\ndrop = \"loses all\"",
            "cache L0V: drop `loses all` is not one of `writes dirty lines back`, `loses dirty lines`",
        ),
        (
            "private = true",
            "private = false",
            "cache L0V: all clients share it, and each has a `GL1` of its own",
        ),
        (
            "SHADER_RESOURCE = [\"CF\", \"CF\", \"-\"]",
            "SHADER_RESOURCE = [\"CF\", \"U\", \"-\"]",
            "layout SHADER_RESOURCE: `CF` on one queue type and `U` on another",
        ),
        (
            "COMMON = [\"U\", \"U\", \"U\"]",
            "COMMON = [\"X\", \"X\", \"X\"]",
            "layout COMMON: `X` is the class of UNDEFINED, and of no other layout",
        ),
        (
            "from = [\"CF\", \"C\"]",
            "from = [\"CF\"]",
            "layout GENERIC_READ: colour is stored as `C`, and no [[layout_op]] goes from there to `U`, which COMMON reads",
        ),
        (
            "to = [\"C\"]",
            "to = [\"CF\"]",
            "layout RENDER_TARGET: colour is stored as `CF`, and no [[layout_op]] goes from there to `C`, which GENERIC_READ reads",
        ),
        (
            "to = [\"CF\", \"C\"]",
            "to = [\"CF\"]",
            "layout GENERIC_READ: colour has metadata, which no [[layout_op]] initialises that goes from `X` to `C`",
        ),
        (
            "touches = \"full\"",
            "touches = \"full\"\nleaves = \"resolved\"",
            "colour is stored as `U`, and no [[layout_op]] goes from there to `CF`, which COMMON reads; \
             a write makes metadata untrue that is `resolved`",
        ),
    ] {
        let problem = problem_of(from, to);
        assert!(problem.contains(message), "{problem:?} says {message:?}");
    }
}

/// Each problem is reported where the wrong text starts: at a value, a key, or the table that lacks something.
#[test]
fn contradictions_are_reported_in_their_places() {
    for [from, to, wrong] in rows(
        r#"
        parent = "GL1" | parent = "GL9" | "GL9"
        RENDER_TARGET = [["CB", "L2"]] | | [path]
        STREAM_OUTPUT = [["L2"]] | STREAM_OUTPUT = [["L3"]] | "L3"
        GENERIC_READ = ["C" | GENERIC_READ = ["Q" | "Q"
        tag = "assumed" | tag = "guessed" | "guessed"
        "fixed.eop_wait_ns" = | "fixed.other_ns" = | "fixed.other_ns"
        stages = ["VERTEX_SHADING" | stages = ["SHADING" | "SHADING"
        samples_from = 2 | format = "hdr" | "hdr"
        private = true | private = maybe | maybe
        private = true | privat = true | privat =
        "#,
    ) {
        let text = edited(from, to);
        let problems = profile(&[&text]).expect_err("a contradiction");
        let starts: Vec<_> = problems.iter().map(|p| p.start).collect();
        let place = text.find(wrong);
        assert!(
            place.is_some() && starts.contains(&place),
            "{wrong}: {place:?} in {problems:#?}"
        );
    }
}

/// A row beyond the limit is refused, and nothing of it is looked at.
#[test]
fn too_many_caches_are_refused_at_the_first_that_is_too_many() {
    let start = RDNA.find("[[cache]]").expect("caches");
    let end = start + RDNA[start + 1..].find("[[cache]]").expect("another cache") + 1;
    let row = &RDNA[start..end];
    assert!(row.contains("parent = "));
    let rows: String = (0..=CACHES_MAX)
        .map(|n| row.replacen("id = \"L0V\"", &format!("id = \"C{n}\""), 1))
        .collect();
    let text = format!("{}{rows}{}", &RDNA[..start], &RDNA[start..]);
    let problems = profile(&[&text]).expect_err("too many");
    let first = problems.iter().find(|p| p.message.contains("at most"));
    let too_many = text.match_indices("[[cache]]").nth(CACHES_MAX);
    let place = first.and_then(|p| p.start);
    assert_eq!(place, too_many.map(|(at, _)| at), "{first:?}");
}

#[test]
fn contradictions_of_tile_passes_are_named() {
    let tiler = include_str!("../profiles/tiler.toml");
    profile(&[tiler]).expect("the profile is sound");
    for [from, to, message] in rows(
        r#"
        tile = "GMEM" | tile = "TP" | tile memory is a shared
        tile = "GMEM" | tile = "L9" | `L9` is not a cache
        caches = ["CCUC", "CCUD"] | caches = [] | touches `caches`, but `caches` is empty
        touches = "caches" | touches = "full" | names caches, but does not touch `caches`
        "#,
    ) {
        assert!(tiler.contains(from), "the profile has `{from}`");
        let problems = profile(&[&tiler.replacen(from, to, 1)]).expect_err("a contradiction");
        let problem = all(problems);
        assert!(problem.contains(message), "{problem:?} says {message:?}");
    }
}

#[test]
fn numbers_can_be_set_and_near_keys_are_named() {
    let mut rdna = profile(&[RDNA]).expect("the profile is sound");
    rdna.set("L2.line_bytes", "64")
        .expect("a number of the profile");
    let l2 = rdna.cache_named("L2").expect("a cache of the profile");
    assert_eq!(rdna.cache(l2).line_bytes, 64);
    rdna.set("fixed.eop_wait_ns", "500")
        .expect("a number of the profile");
    assert_eq!(rdna.costs.eop_wait.0, 500_000);
    for (key, value, message) in [
        ("L2.lines", "64", "L2.line_bytes"),
        ("eop_wait_ns", "64", "fixed.eop_wait_ns"),
        ("L2.line_bytes", "x", "whole number"),
        ("L2.line_bytes", "0", "at least 1"),
    ] {
        let problem = rdna.set(key, value).expect_err("unusable");
        assert!(problem.contains(message), "{problem:?} says {message:?}");
    }
}

/// Tile memory holds attachments of passes and nothing else.
#[test]
fn no_path_goes_through_tile_memory() {
    const TILER: &str = include_str!("../profiles/tiler.toml");
    let through = TILER.replacen(
        "COPY_SOURCE = [[\"UCHE\"]]",
        "COPY_SOURCE = [[\"GMEM\"]]",
        1,
    );
    let behind = TILER.replacen("parent = \"UCHE\"", "parent = \"GMEM\"", 1);
    for text in [through, behind] {
        assert_ne!(text, TILER);
        let problems = all(profile(&[&text]).expect_err("a contradiction"));
        let message = "[tile_pass]: tile memory is on no path and no cache's parent";
        assert!(problems.contains(message), "{problems}");
    }
}
