//! The page of `--format html` in a real browser.

use crate::browser::{browser, seen};
use crate::tour::{files, source};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use syncscope::finding::Source;
use syncscope::report::{Style, html, json};
use syncscope::run::Drawn;
use syncscope::time::Ps;
use syncscope::{catalog, run};

/// Scenes of the tour and of rules: races, aliases, splits, three queues, errors of the text.
const SCENES: [&str; 9] = [
    "scenarios/tour/01-render-target-to-texture.scn",
    "scenarios/tour/02-missing-barrier.scn",
    "scenarios/tour/03-wrong-access.scn",
    "scenarios/tour/07-split-barrier.scn",
    "scenarios/tour/08-aliasing.scn",
    "scenarios/tour/09-queue-race.scn",
    "scenarios/tour/deferred_frame.scn",
    "scenarios/rules/RD101/fires.scn",
    "scenarios/rules/SC002/fires.scn",
];

fn report(source: &Source, drawn: Drawn) -> run::Report {
    let options = run::Options {
        drawn,
        ..run::Options::default()
    };
    run::run(source, &catalog::registry(), &options).expect("a scene runs")
}

/// What is made of a text, kept: many tests open the page of a frame.
fn kept(source: &Source, all: &Mutex<Made>, make: fn(&Source) -> String) -> String {
    let key = (source.name.clone(), source.text.clone());
    // What is kept is whole whoever held the lock.
    let known = |all: &Mutex<Made>| {
        let all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&key).cloned()
    };
    known(all).unwrap_or_else(|| {
        let text = make(source);
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(key.clone(), text.clone());
        text
    })
}

/// By name and text.
type Made = BTreeMap<(String, String), String>;

pub(crate) fn page(source: &Source) -> String {
    static PAGES: Mutex<Made> = Mutex::new(Made::new());
    kept(source, &PAGES, |source| {
        let mut page = Vec::new();
        let report = report(source, Drawn::Page);
        html::write(&report, source, &Style::default(), &mut page).expect("writing to memory");
        String::from_utf8(page).expect("text")
    })
}

pub(crate) fn as_json(source: &Source) -> Value {
    static DOCUMENTS: Mutex<Made> = Mutex::new(Made::new());
    let text = kept(source, &DOCUMENTS, json_text);
    serde_json::from_str(&text).expect("JSON")
}

fn json_text(source: &Source) -> String {
    let mut text = Vec::new();
    json::write(
        &report(source, Drawn::Rows),
        source,
        &Style::default(),
        &mut text,
    )
    .expect("memory");
    String::from_utf8(text).expect("text")
}

/// The page has no error, no control without a name, and is not wider than the window.
pub(crate) fn assert_sound(seen: &Value, of: &str) {
    assert_eq!(seen["errors"], Value::Array(Vec::new()), "{of}");
    assert_eq!(seen["unnamed"], 0, "{of}");
    assert_eq!(seen["wide"], false, "{of}");
}

fn text<'v>(seen: &'v Value, field: &str) -> &'v str {
    seen[field].as_str().expect("text")
}

/// The data that a page has, as its script reads it.
pub(crate) fn data(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn pages_show_what_the_json_of_the_same_run_says() {
    let Some(browser) = browser() else { return };
    for (index, scene) in SCENES.into_iter().enumerate() {
        let source = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join(scene));
        let (page, json) = (page(&source), as_json(&source));
        let shown = seen(&browser, &page, "view=source&do=key:n");
        assert_sound(&shown, scene);
        let findings = json["findings"].as_array().expect("a list");
        for finding in findings {
            let head = format!(
                "{} {}",
                finding["rule"].as_str().unwrap(),
                finding["name"].as_str().unwrap()
            );
            assert!(text(&shown, "view_text").contains(&head), "{scene}: {head}");
        }
        let data = data(&page);
        assert_eq!(data["barriers"], json["barriers"], "{scene}");
        assert_eq!(data["commands"], json["commands"], "{scene}");
        let barriers = json["barriers"].as_array().map_or(0, Vec::len);
        // A browser takes a second or two: the table is read in every third scene.
        if index % 3 == 0 && !data["detail"].is_null() {
            let shown = seen(&browser, &page, "view=barriers&do=");
            assert_sound(&shown, scene);
            let noun = if barriers == 1 { "barrier" } else { "barriers" };
            let said = format!("{barriers} of {barriers} {noun}");
            assert!(text(&shown, "view_text").contains(&said), "{scene}: {said}");
        }
    }
}

#[test]
fn every_view_of_a_frame_opens_without_an_error() {
    let Some(browser) = browser() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/tour/deferred_frame.scn");
    let page = page(&source(&path));
    assert!(
        page.len() < 1 << 20,
        "the page of a frame has {} bytes",
        page.len()
    );
    let all = "focus:%23timeline;key:ArrowRight;key:ArrowRight;key:];key:[;key:%2B;key:f;key:2;key:ArrowDown;key:Enter;key:3;\
        key:ArrowLeft;key:4;click:%23barriers button%5Baria-expanded%5D;pick:%23verdict=needed;key:5;key:n;key:6;click:%23predict;\
        click:%23next;click:%23reveal;click:%23next;key:7;click:%23theme;key:1";
    let shown = seen(&browser, &page, &format!("do={all}"));
    assert_sound(&shown, "the deferred frame");
    assert_eq!(shown["view"], "timeline");
    assert_eq!(shown["theme"], "dark");
    assert_ne!(
        shown["sel"], "",
        "a node of the graph or an event is selected"
    );
}

/// A timeline is drawn, and says what is under the pointer, when it opens and after it moved.
#[test]
fn a_timeline_shows_its_first_command_at_rest_and_after_it_moved() {
    let Some(browser) = browser() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/tour/02-missing-barrier.scn");
    let source = source(&path);
    let (page, json) = (page(&source), as_json(&source));
    let shown = seen(&browser, &page, "do=hover:;move:;hover:");
    assert_sound(&shown, "a timeline");
    let log = shown["log"].as_array().expect("a list");
    let hovered: Vec<_> = log
        .iter()
        .filter(|entry| entry["told"].is_string())
        .collect();
    assert_eq!(hovered.len(), 2, "{log:?}");
    let first = json["commands"][0]["label"].as_str().expect("a label");
    for entry in hovered {
        assert!(text(entry, "told").contains(first), "{entry}: {first}");
        assert_ne!(entry["drawn"], entry["empty"], "nothing is drawn there");
    }
}

#[test]
fn the_keyboard_alone_walks_through_a_hazard() {
    let Some(browser) = browser() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/tour/02-missing-barrier.scn");
    let source = source(&path);
    let (page, json) = (page(&source), as_json(&source));
    let hazard = json["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|f| !f["second"].is_null());
    let hazard = hazard.expect("the scene has a hazard");
    let shown = seen(&browser, &page, "do=focus:%23timeline;key:h");
    assert_sound(&shown, "a hazard");
    assert_eq!(shown["sel"], hazard["second"]["command"]);
    assert!(text(&shown, "details_text").contains(hazard["rule"].as_str().unwrap()));
    let steps = data(&page)["detail"]["events"]
        .as_array()
        .map_or(0, Vec::len);
    assert!(steps > 4);
    let shown = seen(
        &browser,
        &page,
        "view=steps&do=focus:%23next;key:ArrowRight;key:ArrowRight;key:ArrowLeft",
    );
    assert_eq!(shown["step"], "1");
    assert!(text(&shown, "view_text").contains(&format!("step 2 of {steps}")));
    let shown = seen(
        &browser,
        &page,
        "view=barriers&do=pick:%23verdict=no-such-verdict",
    );
    assert_sound(&shown, "barriers");
}

/// A page that is watched is loaded anew only if its file is another one: it looks at the file in a frame.
#[test]
fn a_watched_page_knows_whether_its_file_has_changed() {
    let Some(browser) = browser() else { return };
    let source = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENES[1]));
    let report = report(&source, Drawn::Page);
    let live = Style {
        live: true,
        ..Style::default()
    };
    let mut page = Vec::new();
    html::write(&report, &source, &live, &mut page).expect("writing to memory");
    let page = String::from_utf8(page).expect("text");
    let shown = seen(&browser, &page, "watch=0&do=same:");
    assert_sound(&shown, "a watched page");
    assert_eq!(shown["log"][0]["same"], true, "{shown}");
    // A page to share frames nothing.
    let shared = self::page(&source);
    assert!(shared.contains("frame-src 'none'") && !page.contains("frame-src 'none'"));
}

/// Above every view: a sentence a finding with both sides, what is between them, and whether this machine shows it. Keys need no
/// click first, and a count tells of its own kind only.
#[test]
fn the_first_screen_says_what_happened() {
    let Some(browser) = browser() else { return };
    for scene in [SCENES[1], SCENES[2], SCENES[5], SCENES[7]] {
        let source = source(&Path::new(env!("CARGO_MANIFEST_DIR")).join(scene));
        let (page, json) = (page(&source), as_json(&source));
        let shown = seen(&browser, &page, "do=key:ArrowRight");
        assert_sound(&shown, scene);
        assert_ne!(shown["sel"], "", "{scene}: a key selects");
        let story = text(&shown, "story_text");
        for finding in json["findings"].as_array().expect("a list") {
            assert!(story.contains(finding["rule"].as_str().expect("an id")));
            let name = |side: &str| -> String {
                let label = finding[side]["label"].as_str().expect("a label");
                let quoted = label.split('"').nth(1);
                quoted.unwrap_or(label).to_owned()
            };
            if finding["first"].is_null() {
                let message = finding["message"].as_str().expect("words");
                assert!(story.contains(message), "{scene}: {message}\n{story}");
                continue;
            }
            for (side, number) in [("first", "(1)"), ("second", "(2)")] {
                let said = format!("{} {number}", name(side));
                assert!(story.contains(&said), "{scene}: {said}\n{story}");
            }
            for link in ["order", "visibility", "layout"] {
                let said = match finding["links"][link].as_bool() {
                    Some(true) => format!("{link} ✓"),
                    Some(false) => format!("{link} ✗"),
                    None => format!("{link}: not needed"),
                };
                assert!(story.contains(&said), "{scene}: {said}\n{story}");
            }
            let is_visible = finding["visible"].as_bool().expect("a verdict");
            let said = if is_visible {
                "visible on"
            } else {
                "hidden on"
            };
            assert!(story.contains(said), "{scene}: {said}\n{story}");
        }
    }
    // Of errors only, where there is one kind: pressed again, of all.
    let page = page(&source(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(SCENES[4]),
    ));
    let kinds = |hash: &str| {
        let shown = seen(&browser, &page, hash);
        assert_sound(&shown, "kinds");
        let story = text(&shown, "story_text");
        ["RD106", "RD101"].map(|rule| story.contains(rule))
    };
    assert_eq!(kinds("do="), [true, true]);
    assert_eq!(kinds("do=click:.count.warning"), [true, false]);
    let twice = "do=click:.count.warning;click:.count.warning";
    assert_eq!(kinds(twice), [true, true]);
}

/// Nothing of what comes after a step is drawn or told, and what a class is asked has choices, of which one is true.
#[test]
fn steps_show_nothing_of_what_comes() {
    let Some(browser) = browser() else { return };
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios/tour/01-render-target-to-texture.scn");
    let page = page(&source(&path));
    let data = data(&page);
    let (events, words) = (&data["detail"]["events"], &data["detail"]["words"]);
    let word = |at: &Value| {
        words[at.as_u64().expect("a word") as usize]
            .as_str()
            .expect("text")
    };
    let steps = events.as_array().expect("a list").len();
    let mut drawn = Vec::new();
    for step in [0, steps / 2, steps - 1] {
        let hash = format!("view=steps&step={step}&do=veil:");
        let shown = seen(&browser, &page, &hash);
        assert_sound(&shown, &hash);
        assert_eq!(shown["log"][0]["after"], 0, "{hash}");
        drawn.push(shown["log"][0]["before"].as_u64().expect("pixels"));
        let details = text(&shown, "details_text");
        for later in (step + 1)..steps {
            assert!(
                !details.contains(word(&events[later]["says"])),
                "{hash}: {details}"
            );
        }
    }
    assert!(drawn[0] < drawn[1] && drawn[1] < drawn[2], "{drawn:?}");
    let asked = (0..steps)
        .find(|at| !events[*at]["ask"].is_null())
        .expect("a question");
    let ask = &events[asked]["ask"];
    let answer = ask[2].as_u64().expect("an index") as usize;
    let choices = ask[1].as_array().expect("choices").len();
    assert!(choices > 1 && answer < choices);
    // The step before the question, then: ask first, go on.
    let open = format!(
        "view=steps&step={}&do=click:%23predict;click:%23next",
        asked - 1
    );
    let shown = seen(&browser, &page, &open);
    assert_sound(&shown, &open);
    let view = text(&shown, "view_text");
    assert!(view.contains(word(&ask[0])), "{view}");
    assert!(!view.contains(word(&events[asked]["says"])), "{view}");
    for chosen in 0..choices {
        let hash = format!("{open};click:%23choices button:nth-child({})", chosen + 1);
        let shown = seen(&browser, &page, &hash);
        let view = text(&shown, "view_text");
        let verdict = if chosen == answer { "Right." } else { "No." };
        assert!(view.contains(verdict), "{view}");
        assert!(view.contains(word(&events[asked]["says"])), "{view}");
    }
}

/// A name may have any letter; a label, any sign.
#[test]
fn hostile_names_stay_text() {
    let Some(browser) = browser() else { return };
    let long = "x".repeat(4096);
    let labels = [
        "</script><script>document.title='broken'</script>",
        "<img src=x onerror=document.title='broken'>",
        "<!-- --!> ]]> &lt;b&gt;",
        "\u{202e}backwards\u{2066} \u{2028} \u{200b}",
        "' onclick=alert(1) `${document.title}`",
        &long,
    ];
    // A comment has no limit.
    let beyond = "y".repeat(10_000);
    let mut draws = String::new();
    for label in labels {
        let draw = format!("  draw \"{label}\"");
        draws.push_str(&draw);
        draws.push_str(" { RENDER_TARGET target }\n");
        draws.push_str(&draw);
        draws.push_str(" { SHADER_RESOURCE target @ PIXEL_SHADING; RENDER_TARGET other }\n");
    }
    let text_of = format!(
        "// </script><script>document.title='broken'</script> {beyond}\n\
         texture target : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}\n\
         texture other : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}\n\
         queue gfx : direct\nlist frame : direct {{\n{draws}}}\ntimeline {{ gfx execute frame }}\n"
    );
    let source = Source::new("</title><script>x.scn", text_of);
    let page = page(&source);
    assert_eq!(
        page.matches("<script").count(),
        3,
        "the data, the script, and what opens the page"
    );
    assert_eq!(page.matches("</script").count(), 3);
    let walk = "do=key:h;click:%23tab-graph;key:ArrowDown;click:%23tab-memory;click:%23tab-barriers;click:%23tab-profiles;\
        click:%23tab-steps;click:%23next;click:%23tab-timeline";
    for hash in [walk, "view=source&do=key:n", "view=memory&do="] {
        let shown = seen(&browser, &page, hash);
        assert_sound(&shown, hash);
        let shown = text(&shown, "view_text");
        assert!(!shown.contains(&long), "{hash}: a name is shown in part");
        assert!(
            !shown.contains('\u{202e}'),
            "{hash}: signs that turn text are shown by number"
        );
    }
}

#[test]
fn every_scene_of_the_tour_has_a_page() {
    for path in files("scenarios/tour") {
        let source = source(&path);
        let data = data(&page(&source));
        let detail = &data["detail"];
        let packets = detail["packets"]["id"].as_array().expect("packets").len();
        for column in [
            "label", "line", "track", "queued", "start", "end", "after", "because", "spans",
            "stages",
        ] {
            let rows = detail["packets"][column].as_array().map(Vec::len);
            assert_eq!(rows, Some(packets), "{}: {column}", source.name);
        }
        let exposed: u64 = detail["exposed"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|e| e[1].as_u64().unwrap() - e[0].as_u64().unwrap())
            .sum();
        assert_eq!(exposed, data["exposed_ps"], "{}", source.name);
        let report = report(&source, Drawn::Picture);
        let drawn = report.activity.as_deref().expect("a picture");
        let bands = drawn.exposed.iter().map(|(start, end)| *end - *start);
        assert_eq!(bands.sum::<Ps>(), report.exposed, "{}", source.name);
    }
}
