//! The switch of a barrier on a page: two timelines on one axis, pixel by pixel against the runs, and what is said of them.

use crate::browser::{browser, seen};
use crate::html::{assert_sound, data, page};
use crate::pictures::{Look, assert_painted};
use crate::sizes;
use crate::tour::source;
use serde_json::Value;
use std::path::Path;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::report::without::WITHOUT;
use syncscope::report::{Style, json};
use syncscope::run::{self, Options, WithAndWithout};

/// Scenes, each with a barrier that is left out.
const SCENES: [(&str, &str); 5] = [
    ("scenarios/tour/01-render-target-to-texture.scn", "gfx#2.0"),
    ("scenarios/tour/03-wrong-access.scn", "gfx#2.0"),
    ("scenarios/tour/07-split-barrier.scn", "gfx#4.0"),
    ("scenarios/tour/deferred_frame.scn", "gfx#68.0"),
    ("scenarios/tour/deferred_frame.scn", "async#8.0"),
];

/// The quick tier takes the small ones.
fn scenes() -> &'static [(&'static str, &'static str)] {
    sizes::first(2, &SCENES)
}

fn scene(path: &str) -> Source {
    source(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path))
}

fn both(source: &Source, id: &str) -> WithAndWithout {
    let both = run::without(
        source.clone(),
        &catalog::registry(),
        &Options::default(),
        id,
    );
    both.expect("a barrier")
}

/// What `--format json` prints of it, and the JSON report of the run as written.
fn as_json(both: &WithAndWithout) -> (Value, Value) {
    let mut out = Vec::new();
    let write = WITHOUT.writer(&json::FORMAT).expect("JSON");
    write(both, &Style::default(), &mut out).expect("writing to memory");
    let own = serde_json::from_slice(&out).expect("JSON");
    (own, crate::html::as_json(&both.source))
}

fn hash(id: &str) -> String {
    id.replace('#', "%23")
}

fn text<'v>(seen: &'v Value, field: &str) -> &'v str {
    seen[field].as_str().expect("text")
}

#[test]
fn both_timelines_show_what_their_runs_did_on_one_axis() {
    let Some(browser) = browser() else { return };
    for &(path, id) in scenes() {
        let source = scene(path);
        let both = both(&source, id);
        let (json, written) = as_json(&both);
        let page = page(&source);
        let opened = format!("without={}&do=drawn:;drawn:without", hash(id));
        let shown = seen(&browser, &page, &opened);
        assert_sound(&shown, path);
        let log = shown["log"].as_array().expect("a list");
        assert_eq!(log.len(), 2, "{path}");
        let copy = &json["without"];
        let mut bars = 0;
        for (looks, of) in [(&log[0], &written), (&log[1], copy)] {
            for look in looks["looks"].as_array().expect("looks") {
                bars += assert_painted(&Look::new(look), of, path);
            }
        }
        assert!(bars > 10, "{path}: {bars} bars");
        let (upper, lower) = (&log[0]["looks"], &log[1]["looks"]);
        for at in 0..5 {
            for field in ["t0", "t1", "width", "gutter"] {
                assert_eq!(upper[at][field], lower[at][field], "{path}: one axis");
            }
        }
        for own in json["barriers"].as_array().expect("ids") {
            let own = own.as_str().expect("an id");
            assert!(Look::new(&upper[0]).has(own, "b"), "{path}: {own}");
            assert!(!Look::new(&lower[0]).has(own, "b"), "{path}: {own}");
        }
    }
}

#[test]
fn the_sentence_the_findings_and_the_reads_are_those_of_the_run() {
    let Some(browser) = browser() else { return };
    for &(path, id) in scenes() {
        let source = scene(path);
        let both = both(&source, id);
        let (json, _) = as_json(&both);
        let page = page(&source);
        let opened = format!("sel={}&do=key:w", hash(id));
        let shown = seen(&browser, &page, &opened);
        assert_sound(&shown, path);
        assert_eq!(shown["without"], id, "{path}");
        let view = text(&shown, "view_text");
        let says = json["says"].as_str().expect("a sentence");
        assert!(view.contains(says), "{path}: {says}\n{view}");
        for finding in json["without"]["new_findings"].as_array().expect("a list") {
            let rule = finding["rule"].as_str().expect("an id");
            let name = finding["name"].as_str().expect("a name");
            let how = finding["change"].as_str().expect("words");
            let said = format!("✖ {how}: {rule} {name}, line {}", finding["line"]);
            assert!(view.contains(&said), "{path}: {said}\n{view}");
        }
        for read in json["without"]["reads"].as_array().expect("a list") {
            if read["same"] == false {
                let who = read["command"].as_str().expect("an id");
                assert!(view.contains(&format!("({who})")), "{path}: {who}\n{view}");
            }
        }
        // The same table is in the view of memory.
        let opened = format!("view=memory&without={}&do=", hash(id));
        let memory = seen(&browser, &page, &opened);
        assert_sound(&memory, path);
        assert!(text(&memory, "view_text").contains("Which version each read finds"));
        // Escape and the switch close it.
        for close in [
            "focus:%23timeline;key:Escape",
            "key:w",
            "click:%23end-without",
        ] {
            let opened = format!("sel={0}&without={0}&do={close}", hash(id));
            let shown = seen(&browser, &page, &opened);
            assert_sound(&shown, path);
            assert_eq!(shown["without"], "", "{path}: {close}");
            assert!(!text(&shown, "view_text").contains("As written"));
        }
    }
}

/// Every wrong read is marked where it is, in the lower timeline only.
#[test]
fn wrong_reads_are_marked_at_their_moments() {
    let Some(browser) = browser() else { return };
    for &(path, id) in scenes() {
        let source = scene(path);
        let both = both(&source, id);
        let (json, _) = as_json(&both);
        let opened = format!("without={}&do=marks:", hash(id));
        let shown = seen(&browser, &page(&source), &opened);
        assert_sound(&shown, path);
        let wrong = json["without"]["wrong_reads"].as_array().expect("a list");
        let wrong: Vec<(&str, u64)> = wrong
            .iter()
            .map(|read| {
                let id = read["command"].as_str().expect("an id");
                (id, read["at_ps"].as_u64().expect("a time"))
            })
            .collect();
        let marks = shown["log"][0]["marks"].as_array().expect("marks");
        let marks: Vec<(&str, u64)> = marks
            .iter()
            .map(|mark| {
                assert_eq!(mark["drawn"], true, "{path}: {mark}");
                let id = mark["id"].as_str().expect("an id");
                (id, mark["at"].as_u64().expect("a time"))
            })
            .collect();
        assert_eq!(marks, wrong, "{path}");
        assert_eq!(shown["log"][0]["above"], 0, "{path}");
    }
}

#[test]
fn a_barrier_without_a_copy_says_which_command_makes_one() {
    let Some(browser) = browser() else { return };
    let scene = scene(SCENES[0].0);
    let page = page(&scene);
    let mut own = data(&page);
    own["detail"]["without"]["rows"] = Value::Array(Vec::new());
    let (before, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("data");
    let (_, after) = rest.split_once("</script>").expect("an end");
    let own = own.to_string().replace('<', "\\u003c");
    let page =
        format!("{before}<script type=\"application/json\" id=\"data\">{own}</script>{after}");
    let command = format!(
        "syncscope run {} --without gfx#2.0 --out without.html",
        scene.name
    );
    let shown = seen(&browser, &page, "sel=gfx%232.0&do=");
    assert_sound(&shown, "no copy");
    assert!(text(&shown, "details_text").contains(&command), "{shown}");
    let shown = seen(&browser, &page, "sel=gfx%232.0&do=key:w");
    assert_sound(&shown, "no copy");
    assert!(text(&shown, "view_text").contains(&command), "{shown}");
}

/// A barrier without which another breaks a rule: there is one timeline, and the sentence says why.
#[test]
fn what_is_not_possible_has_one_timeline_and_says_why() {
    let Some(browser) = browser() else { return };
    let page = page(&scene("scenarios/tour/deferred_frame.scn"));
    let shown = seen(&browser, &page, "without=gfx%231.0&do=");
    assert_sound(&shown, "not possible");
    let view = text(&shown, "view_text");
    assert!(
        view.contains("not possible without it: the barrier at line 178 breaks EB026"),
        "{view}"
    );
    assert!(!view.contains("As written"), "{view}");
    let shown = seen(
        &browser,
        &page,
        "view=barriers&do=click:%23barriers button.without%5Bdata-without=%22gfx%2368.0%22%5D",
    );
    assert_sound(&shown, "the table");
    assert_eq!(
        (&shown["view"], &shown["without"]),
        (&"timeline".into(), &"gfx#68.0".into())
    );
}
