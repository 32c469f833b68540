//! Pages, pixel by pixel. One browser opens those of all random runs, one after the other, in one document.

use super::scenes::scene;
use super::{Run, THREE, draw_barrier_draw, list, random, span};
use crate::browser::{browser, seen};
use crate::html;
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::OnceLock;
use syncscope::finding::Source;
use syncscope::time;

/// Runs of one document: a browser gives each so much time.
const DOCUMENT: usize = 30;

/// Wider bars have pixels of their own.
const NARROW: f64 = 3.0;

/// One document that is the page of each run in turn, and what each says after `#do=…`.
fn gallery(page: &str, runs: &[Run], act: &str) -> String {
    let (head, rest) = page.split_once("<body>").expect("a body");
    let (_, shows) = rest.split_once("<script>").expect("a script");
    let (shows, rest) = shows.split_once("</script>").expect("an end");
    let (_, opens) = rest.split_once("<script>").expect("what opens a page");
    let (opens, _) = opens.split_once("</script>").expect("an end");
    let policy = head.find("<meta http-equiv").expect("a policy");
    let after = policy + head[policy..].find('>').expect("an end") + 1;
    let mut out = format!(
        "{}{}<body>\n<div id=\"app\"></div>\n",
        &head[..policy],
        &head[after..]
    );
    out.push_str("<script type=\"application/json\" id=\"data\"></script>\n");
    for run in runs {
        let data = run.data.to_string().replace('<', "\\u003c");
        writeln!(
            out,
            "<script type=\"application/json\" class=\"run\">{data}</script>"
        )
        .expect("a string");
    }
    write!(
        out,
        "<script>\ndocument.body.dataset.busy = 'yes';\n{shows}\nconst page = () => {{\n{opens}\n}};\n(async () => {{\n\
         const at = (id) => document.getElementById(id), said = [];\n\
         for (const run of document.querySelectorAll('.run')) {{\n\
           at('data').textContent = run.textContent; at('app').replaceChildren();\n\
           history.replaceState(null, '', '#do={act}'); page();\n\
           while (!at('probe')) await new Promise((done) => {{ setTimeout(done, 5); }});\n\
           said.push(JSON.parse(at('probe').textContent)); at('probe').remove();\n\
         }}\n\
         const all = document.createElement('pre'); all.id = 'probe'; all.className = 'hidden'; delete document.body.dataset.busy;\n\
         all.textContent = JSON.stringify({{ said }}); document.body.append(all);\n\
         }})();\n</script>\n</body></html>\n"
    )
    .expect("a string");
    out
}

/// One row of pixels, a letter each.
fn pixels(runs: &Value) -> Vec<u8> {
    let runs = runs.as_array().expect("runs").iter();
    let parts = runs.flat_map(|run| {
        let letter = run[0].as_str().expect("a letter").as_bytes()[0];
        let count = run[1].as_u64().expect("a count") as usize;
        std::iter::repeat_n(letter, count)
    });
    parts.collect()
}

/// A view of a timeline.
pub(crate) struct Look<'v> {
    says: &'v Value,
    rows: Vec<Vec<u8>>,
}

impl<'v> Look<'v> {
    pub(crate) fn new(says: &'v Value) -> Self {
        let rows = says["rows"].as_array().expect("rows");
        Self {
            says,
            rows: rows.iter().map(pixels).collect(),
        }
    }

    fn number(&self, name: &str) -> f64 {
        self.says[name].as_f64().expect("a number")
    }

    /// Where a time is.
    fn x(&self, ps: u64) -> f64 {
        let (t0, t1) = (self.number("t0"), self.number("t1"));
        self.number("gutter") + (ps as f64 - t0) / (t1 - t0) * self.number("width")
    }

    /// Whether there is a packet of that kind.
    pub(crate) fn has(&self, id: &str, kind: &str) -> bool {
        let packets = self.says["packets"].as_array().expect("packets");
        packets.iter().any(|p| p[0] == id && p[1] == kind)
    }

    /// The pixels of the row that a packet is in.
    fn row(&self, id: &str, kind: &str) -> &[u8] {
        let packets = self.says["packets"].as_array().expect("packets");
        let own = packets
            .iter()
            .find(|p| p[0] == id && p[1].as_str().is_some_and(|k| kind.contains(k)));
        let row = own.and_then(|p| p[2].as_u64());
        &self.rows[row.unwrap_or_else(|| panic!("{id} has a row")) as usize]
    }

    /// The pixels between two times in the row of a packet, without those that a neighbour may share; nothing where that is
    /// narrow or not in view.
    fn between(&self, id: &str, kind: &str, (start, end): (u64, u64)) -> &[u8] {
        let gutter = self.number("gutter");
        let from = self.x(start).clamp(gutter, gutter + self.number("width"));
        let to = self.x(end).clamp(gutter, gutter + self.number("width"));
        if to - from <= NARROW {
            return &[];
        }
        let (from, to) = (from.ceil() as usize, to.floor() as usize - 1);
        self.row(id, kind).get(from..to).unwrap_or_default()
    }
}

/// The random runs, and what their pages say that they show; nothing without a browser.
fn shown() -> &'static [(&'static Run, Value)] {
    static SHOWN: OnceLock<Vec<(&'static Run, Value)>> = OnceLock::new();
    SHOWN.get_or_init(|| {
        let Some(browser) = browser() else {
            return Vec::new();
        };
        let page = html::page(&Source::new("first.scn", scene(0)));
        let said = random().chunks(DOCUMENT).flat_map(|runs| {
            let shown = seen(&browser, &gallery(&page, runs, "drawn:"), "");
            let said = shown["said"].as_array().expect("a list").clone();
            assert_eq!(said.len(), runs.len(), "each page says something");
            said
        });
        random().iter().zip(said).collect()
    })
}

/// What a page draws of many random runs, look by look.
fn each_look(mut check: impl FnMut(&Run, &Look<'_>)) {
    for (run, said) in shown() {
        html::assert_sound(said, &run.text);
        let looks = said["log"][0]["looks"].as_array().expect("looks");
        assert_eq!(looks.len(), 5);
        for look in looks {
            check(run, &Look::new(look));
        }
    }
}

/// Every command and barrier of a run's JSON that is wider than three pixels has its pixels; how many there are.
pub(crate) fn assert_painted(look: &Look<'_>, json: &Value, of: &str) -> usize {
    let mut bars = 0;
    for (name, kind) in [("commands", "wfst"), ("barriers", "b")] {
        let rows = json[name].as_array().expect("a list").iter();
        for row in rows.filter(|row| span(row).1 > 0) {
            let id = row["id"].as_str().expect("an id");
            let painted = look.between(id, kind, span(row));
            bars += usize::from(!painted.is_empty());
            assert!(
                !painted.contains(&b'.'),
                "{id} lasts {:?} and is not painted from {} on: {}\n{of}",
                span(row),
                time::Ps(look.number("t0") as u64),
                String::from_utf8_lossy(painted),
            );
        }
    }
    bars
}

/// Every bar that is wider than three pixels is painted, and what waits does not look like what works.
#[test]
fn random_runs_are_drawn_as_they_went() {
    let (mut bars, mut waits, mut works) = (0, 0, 0);
    each_look(|run, look| {
        bars += assert_painted(look, &run.json, &run.text);
        for row in list(run, "commands").iter().filter(|row| span(row).1 > 0) {
            let (waited, worked) = assert_solid_while_it_works(run, look, row);
            waits += waited;
            works += worked;
        }
    });
    let runs = shown().len();
    assert!(
        runs == 0 || bars > 10 * runs && waits > 3 * runs && works > 8 * runs,
        "{bars} bars, {waits} waits, {works} works"
    );
}

/// A command is solid only while one of its own stages makes progress; how many of its waits and whether its work was seen.
fn assert_solid_while_it_works(run: &Run, look: &Look<'_>, row: &Value) -> (usize, usize) {
    let id = row["id"].as_str().expect("an id");
    // A signal or a wait for a fence is no work.
    if !look.has(id, "w") {
        return (0, 0);
    }
    let mut waits = 0;
    let kept = row["waits"].as_array().expect("a list");
    for wait in kept {
        let drawn = look.between(id, "w", span(wait));
        waits += usize::from(!drawn.is_empty());
        assert!(
            !drawn.contains(&b'w') && !drawn.contains(&b'.'),
            "{id} waits in {wait} and looks otherwise: {}\n{}",
            String::from_utf8_lossy(drawn),
            run.text
        );
    }
    // From the last of its waits on it works; a draw flows from stage to stage as well.
    let last = kept.iter().map(|wait| span(wait).1).max().unwrap_or(0);
    let (from, to) = (last.max(span(row).0), span(row).1);
    let is_dispatch = row["label"]
        .as_str()
        .is_some_and(|l| l.starts_with("dispatch"));
    let drawn = look.between(id, "w", (from, to));
    if drawn.len() < 4 || !is_dispatch && to - from < 20_000_000 {
        return (waits, 0);
    }
    let is_solid = |pixel: &&u8| **pixel == b'w';
    let solid: Vec<&u8> = drawn.iter().filter(is_solid).collect();
    // The edge of what waits before it may be on its first pixel.
    assert!(
        (solid.len() + 1) * 10 >= drawn.len() * if is_dispatch { 9 } else { 6 },
        "{id} works and does not look so: {}\n{}",
        String::from_utf8_lossy(drawn),
        run.text
    );
    (waits, 1)
}

/// Waits that never end: the bar goes to the right edge, an arrow goes to what keeps the signal, and the steps say it.
#[test]
fn a_deadlock_is_no_empty_page() {
    let Some(browser) = browser() else {
        return;
    };
    let source = Source::new("three.scn", THREE.to_owned());
    let page = html::page(&source);
    let shown = seen(&browser, &page, "do=drawn:");
    html::assert_sound(&shown, "a deadlock");
    let looks = shown["log"][0]["looks"].as_array().expect("looks");
    let data = html::data(&page);
    let stuck = data["stuck"].as_array().expect("a list");
    assert_eq!(stuck.len(), 3);
    for look in looks.iter().map(Look::new) {
        let edge = look.number("gutter") + look.number("width");
        for wait in stuck {
            let row = look.row(wait["id"].as_str().expect("an id"), "f");
            let pixels = &row[edge as usize - 20..edge as usize];
            assert!(
                !pixels.contains(&b'.'),
                "the bar is open: {}",
                String::from_utf8_lossy(pixels)
            );
        }
    }
    let steps = data["detail"]["events"].as_array().expect("a list").len();
    let mut said = String::new();
    for step in 0..steps {
        let words = &data["detail"]["words"];
        let says = data["detail"]["events"][step]["says"].as_u64();
        let says = says.expect("a word") as usize;
        said.push_str(words[says].as_str().expect("text"));
    }
    assert!(
        said.contains("the wait never ends") && said.contains("never starts"),
        "{said}"
    );
    assert!(
        !said.contains("has ended") && !said.contains("is over"),
        "{said}"
    );
    // Six submissions come first.
    let shown = seen(&browser, &page, "view=steps&step=5&do=click:%23next");
    html::assert_sound(&shown, "the steps of a deadlock");
    assert!(
        shown["view_text"]
            .as_str()
            .expect("text")
            .contains("never ends"),
        "{shown}"
    );
}

/// A pointer on a part in which a draw is held is told by whom.
#[test]
fn a_pointer_is_told_who_holds_a_draw() {
    let Some(browser) = browser() else {
        return;
    };
    for (scene, [_, _, third, barrier]) in draw_barrier_draw() {
        let source = Source::new("scene.scn", scene);
        let (page, json) = (html::page(&source), html::as_json(&source));
        let rows = json["commands"].as_array().expect("a list");
        let row = rows
            .iter()
            .find(|row| row["id"] == third)
            .expect("a command");
        let waits = row["waits"].as_array().expect("a list");
        let wait = waits
            .iter()
            .find(|wait| wait["by"] == barrier)
            .expect("it is held");
        let (start, end) = span(wait);
        let hash = format!(
            "do=hover:{},{}",
            third.replace('#', "%23"),
            start + (end - start) / 2
        );
        let shown = seen(&browser, &page, &hash);
        html::assert_sound(&shown, third);
        let told = shown["log"][0]["told"].as_str().expect("text");
        let says = format!("held by {barrier}, line {}", wait["line"]);
        assert!(told.contains(&says), "{told}: {says}");
    }
}
