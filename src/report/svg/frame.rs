//! One beat of a run as a slide: the machine as a diagram with the version that each box holds, what moves, the sentence, the line
//! of the text. It shows nothing of what comes later.

use super::{Drawing, WIDTH, at, columns, fitted, length};
use crate::report::{Style, text};
use crate::run::steps::{
    ActRow, BeatRow, BoxRow, Diagram, HeldToken, LetterRow, SceneRow, Token, Told,
};
use std::fmt::Write as _;
use std::io;

/// Height of a frame.
const HEIGHT: f64 = 720.0;
/// Letters of a sentence in a line, plain and bold, and its lines.
const SAID: (usize, usize) = (118, 100);
const SAID_LINES: usize = 3;
/// Where the diagram starts and ends.
const TOP: f64 = 186.0;
const BOTTOM: f64 = 624.0;
/// Room of a token, with the gap after it.
const TOKEN: (f64, f64) = (40.0, 24.0);
/// Height of a box's name.
const HEAD: f64 = 24.0;
/// Colours of resources: those of the other drawings.
const COLORS: [(&str, &str); 6] = [
    ("#0072b2", "#ffffff"),
    ("#d55e00", "#ffffff"),
    ("#007a5a", "#ffffff"),
    ("#a8457f", "#ffffff"),
    ("#e69f00", "#1a1a1a"),
    ("#56b4e9", "#1a1a1a"),
];

/// Writes the frame of the last beat that is told.
///
/// # Errors
/// Only what the writer returns.
pub(super) fn write(told: &Told, _: &Style, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(frame(told, told.last).as_bytes())
}

/// The frame of a beat; `None`: before anything happens.
pub fn frame(told: &Told, beat: Option<usize>) -> String {
    let (report, steps) = (&told.report, told.steps());
    let row = beat.and_then(|beat| steps.beats.get(beat));
    let mut drawing = Drawing::new();
    drawing.height = HEIGHT;
    drawing.put(&style());
    let title = format!(
        "{} on {} with {}",
        report.scenario, report.profile, report.lowering
    );
    let shown = fitted(&title, 860.0).unwrap_or_default();
    drawing.text((20.0, 36.0), "h1", &shown);
    let (step, sentence) = match (beat, row) {
        (Some(beat), Some(row)) => (
            format!("{} · step {} of {}", row.at, beat + 1, steps.beats.len()),
            crate::report::steps::sentence(row),
        ),
        _ => (String::new(), "Nothing happens.".to_owned()),
    };
    drawing.text((WIDTH - 20.0, 36.0), "h1 end", &step);
    says(&mut drawing, &sentence, row);
    if let Some(row) = row {
        let line = told.source.line_text(row.line).trim();
        let line = format!("line {}: {}", row.line, text::clean(line));
        drawing.text((20.0, 168.0), "source", &text::ellipsis(&line, 130));
    }
    diagram(&mut drawing, &steps.diagram, beat);
    legend(&mut drawing, &steps.diagram, beat);
    drawing.finish(WIDTH, &title, &sentence)
}

/// The sentence, in as many lines as there is room for.
fn says(drawing: &mut Drawing, sentence: &str, row: Option<&BeatRow>) {
    let is_wrong = row.is_some_and(|row| row.kind == "hazard" || !row.wrong.is_empty());
    let (class, letters) = if is_wrong {
        ("say bad", SAID.1)
    } else {
        ("say", SAID.0)
    };
    let mut lines = text::wrap(sentence, letters);
    if lines.len() > SAID_LINES {
        let last = format!("{} …", text::ellipsis(&lines[SAID_LINES - 1], letters - 2));
        lines.truncate(SAID_LINES - 1);
        lines.push(last);
    }
    for (index, line) in lines.iter().enumerate() {
        drawing.text((20.0, 74.0 + 29.0 * length(index)), class, line);
    }
}

/// The diagram, as large as there is room for.
fn diagram(drawing: &mut Drawing, diagram: &Diagram, beat: Option<usize>) {
    if diagram.boxes.is_empty() {
        let words = "nothing that is written is told of this run";
        drawing.text((20.0, TOP + 20.0), "faint", words);
        return;
    }
    let (width, height) = (f64::from(diagram.width), f64::from(diagram.height));
    let scale = ((WIDTH - 40.0) / width)
        .min((BOTTOM - TOP) / height)
        .min(1.6);
    let left = (WIDTH - width * scale) / 2.0;
    let top = TOP + ((BOTTOM - TOP - height * scale) / 2.0).clamp(0.0, 60.0);
    drawing.put(&format!(
        "<g transform=\"translate({} {}) scale({scale:.3})\">",
        at(left),
        at(top)
    ));
    let nothing = SceneRow::default();
    let scene = beat.and_then(|beat| diagram.scenes.get(beat));
    let view = View {
        diagram,
        scene: scene.unwrap_or(&nothing),
        before: diagram.held(beat.and_then(|beat| beat.checked_sub(1))),
        now: diagram.held(beat),
    };
    for edge in &diagram.edges {
        drawing.put(&format!(
            "<path d=\"{}\" class=\"way\"/>",
            line(edge.points.iter())
        ));
    }
    // What is told lies over what is not.
    let acts = &view.scene.acts;
    for act in acts.iter().filter(|act| act.aside) {
        view.lit(drawing, act);
    }
    for act in acts.iter().filter(|act| !act.aside) {
        view.lit(drawing, act);
    }
    for (index, row) in diagram.boxes.iter().enumerate() {
        view.draw(drawing, index, row);
    }
    drawing.put("</g>");
}

fn line<'p>(points: impl Iterator<Item = &'p [u32; 2]>) -> String {
    let mut path = String::new();
    for (index, [x, y]) in points.enumerate() {
        let _ = write!(path, "{}{x} {y}", if index == 0 { 'M' } else { 'L' });
    }
    path
}

/// A beat's picture.
struct View<'a> {
    diagram: &'a Diagram,
    scene: &'a SceneRow,
    before: Vec<Vec<(Token, HeldToken)>>,
    now: Vec<Vec<(Token, HeldToken)>>,
}

/// A token as it is drawn.
struct Drawn {
    token: Token,
    class: String,
    tip: &'static str,
}

impl View<'_> {
    /// The way of what moves.
    fn lit(&self, drawing: &mut Drawing, act: &ActRow) {
        for (index, pair) in act.way.windows(2).enumerate() {
            let is_last = index + 2 == act.way.len();
            let along = |from: u32, to: u32| {
                let edges = &self.diagram.edges;
                edges.iter().find(move |e| (e.from, e.to) == (from, to))
            };
            let path = match (along(pair[0], pair[1]), along(pair[1], pair[0])) {
                (Some(edge), _) => line(edge.points.iter()),
                (None, Some(edge)) => line(edge.points.iter().rev()),
                (None, None) => continue,
            };
            let kind = if act.wrong { "wrong" } else { act.kind };
            let aside = if act.aside { " aside" } else { "" };
            let arrow = match (is_last, act.wrong) {
                (false, _) => "",
                (true, true) => " marker-end=\"url(#to-hazard)\"",
                (true, false) => " marker-end=\"url(#to-ink)\"",
            };
            drawing.put(&format!(
                "<path d=\"{path}\" class=\"lit {kind}{aside}\"{arrow}/>"
            ));
        }
    }

    /// A box, its name, and what is in it.
    fn draw(&self, drawing: &mut Drawing, index: usize, row: &BoxRow) {
        let place = crate::id::narrow(index);
        let (x, y) = (f64::from(row.x), f64::from(row.y));
        let (width, height) = (f64::from(row.width), f64::from(row.height));
        drawing.put(&format!("<g class=\"box\" id=\"box-{index}\">"));
        let tip = if row.note.is_empty() {
            row.name.clone()
        } else {
            format!("{}: {}", row.name, row.note)
        };
        let class = format!("place {}", row.kind);
        drawing.rect((x, y), (width, height), &class, &tip);
        let sides: Vec<u32> = self
            .scene
            .sides
            .iter()
            .filter(|side| side.at == place)
            .map(|side| side.side)
            .collect();
        let badges = 22.0 * length(sides.len());
        if let Some(name) = fitted(&row.name, width - 14.0 - badges) {
            drawing.text((x + 7.0, y + 17.0), "h2", &name);
        }
        for (at_side, side) in sides.iter().enumerate() {
            let left = x + width - 14.0 - 22.0 * length(at_side);
            drawing.put(&format!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"9\" class=\"badge\"/>",
                at(left),
                at(y + 12.0)
            ));
            drawing.text((left, y + 16.5), "bad mid", &side.to_string());
        }
        self.tokens(drawing, index, row);
        drawing.put("</g>");
    }

    /// The tokens of a box, in slots; those that the beat is about if there are too many.
    fn tokens(&self, drawing: &mut Drawing, index: usize, row: &BoxRow) {
        let mut all = if row.kind == "client" {
            self.of_client(crate::id::narrow(index))
        } else {
            self.of_place(index)
        };
        let wide = slots(f64::from(row.width) - 10.0, TOKEN.0);
        let high = slots(f64::from(row.height) - HEAD, TOKEN.1);
        let room = (wide * high).max(1);
        let more = (all.len() + 1).saturating_sub(room);
        let more = if all.len() > room { more } else { 0 };
        if more > 0 {
            all.sort_by_key(|token| !self.is_about(token.token));
            all.truncate(room - 1);
        }
        let slot = |at: usize| {
            let (column, line) = (length(at % wide), length(at / wide));
            let x = f64::from(row.x) + 7.0 + column * TOKEN.0;
            (x, f64::from(row.y) + HEAD + line * TOKEN.1)
        };
        for (at, token) in all.iter().enumerate() {
            self.token(drawing, token, slot(at), &row.name);
        }
        if more > 0 {
            let (x, y) = slot(room - 1);
            drawing.text((x + 4.0, y + 14.0), "faint", &format!("+{more}"));
        }
    }

    fn is_about(&self, token: Token) -> bool {
        let of_act = |act: &ActRow| act.token.resource == token.resource && !act.aside;
        let own = self.scene.acts.iter().any(of_act);
        own || self.scene.expected == Some(token)
    }

    fn of_place(&self, index: usize) -> Vec<Drawn> {
        let place = crate::id::narrow(index);
        let drawn = |(token, held): &(Token, HeldToken)| {
            let mut class = "token".to_owned();
            let mut add = |is: bool, word: &str| {
                if is {
                    class.push(' ');
                    class.push_str(word);
                }
            };
            let was = self.before[index].iter().any(|(old, _)| old == token);
            let is_right = self.scene.expected == Some(*token) && self.scene.right.contains(&place);
            add(held.dirty, "dirty");
            add(held.part, "part");
            add(!was, "new");
            add(is_right, "right");
            Drawn {
                token: *token,
                class,
                tip: match (held.dirty, held.part) {
                    (true, true) => ", a part of it, not written back",
                    (true, false) => ", not written back",
                    (false, true) => ", a part of it",
                    (false, false) => "",
                },
            }
        };
        let mut all: Vec<Drawn> = self.now[index].iter().map(drawn).collect();
        let gone = self.scene.acts.iter().filter(|act| act.kind == "drop");
        for act in gone.filter(|act| act.way == [place]) {
            if !all.iter().any(|drawn| drawn.token == act.token) {
                all.push(Drawn {
                    token: act.token,
                    class: "token gone".to_owned(),
                    tip: ", dropped",
                });
            }
        }
        all
    }

    /// What a client reads or writes in this beat.
    fn of_client(&self, place: u32) -> Vec<Drawn> {
        let mut all: Vec<Drawn> = Vec::new();
        for act in &self.scene.acts {
            let (end, tip) = match act.kind {
                "read" => (act.way.last(), ", read"),
                "write" => (act.way.first(), ", written"),
                _ => continue,
            };
            if end != Some(&place) || all.iter().any(|drawn| drawn.token == act.token) {
                continue;
            }
            let class = match (act.wrong, act.kind) {
                (true, _) => "token wrong",
                (false, "write") => "token dirty",
                (false, _) => "token",
            };
            all.push(Drawn {
                token: act.token,
                class: class.to_owned(),
                tip,
            });
        }
        all
    }

    fn token(&self, drawing: &mut Drawing, drawn: &Drawn, (x, y): (f64, f64), place: &str) {
        let resource = &self.diagram.resources[drawn.token.resource as usize];
        let name = self.diagram.name(drawn.token);
        let tip = format!(
            "version {} of `{}` in {place}{}",
            drawn.token.number, resource.name, drawn.tip
        );
        let width = TOKEN.0 - 5.0;
        let color = drawn.token.resource as usize % COLORS.len();
        drawing.put(&format!("<g class=\"{} r{color}\">", drawn.class));
        drawing.rect((x, y), (width, TOKEN.1 - 5.0), "chip", &tip);
        let class = match columns(&name) {
            long if long > 5.0 => "mid tiny",
            long if long > 3.0 => "mid small",
            _ => "mid",
        };
        drawing.text((x + width / 2.0, y + 14.0), class, &name);
        if drawn.class.ends_with("wrong") {
            let words = match self.scene.expected {
                Some(expected) if expected != drawn.token => {
                    format!("✖ not {}", self.diagram.name(expected))
                }
                _ => "✖".to_owned(),
            };
            drawing.text((x + width + 5.0, y + 14.0), "bad", &words);
        }
        if drawn.class.ends_with("right") {
            drawing.text((x + width - 1.0, y + 5.0), "fine", "✓");
        }
        drawing.put("</g>");
    }
}

/// How many of a length fit into some room.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a few slots, not below zero"
)]
fn slots(room: f64, each: f64) -> usize {
    ((room / each).max(1.0)) as usize
}

/// Which letter is which resource, and what the looks mean.
fn legend(drawing: &mut Drawing, diagram: &Diagram, beat: Option<usize>) {
    letters(drawing, diagram, beat);
    let looks = [
        ("token dirty r0", "not written back yet", 0.0),
        ("token r0", "written back, or only read", 190.0),
        ("token part r0", "of a part only", 414.0),
        ("token new r0", "new there", 552.0),
        ("token wrong r0", "the wrong version", 660.0),
        ("token right r0", "✓ the right one", 818.0),
        ("token gone r0", "dropped", 964.0),
    ];
    for (class, words, left) in looks {
        drawing.put(&format!("<g class=\"key {class}\">"));
        drawing.rect((20.0 + left, 665.0), (18.0, 13.0), "chip", "");
        drawing.put("</g>");
        drawing.text((44.0 + left, 676.0), "small", words);
    }
    let left_out = diagram.left_out.join("; ");
    let words = if left_out.is_empty() {
        String::new()
    } else {
        format!("Not drawn: {left_out}.")
    };
    let words = text::ellipsis(&text::clean(&words), 150);
    drawing.text((20.0, 703.0), "small faint", &words);
}

/// The letters of resources, those that the beat is about first if there is no room for all.
fn letters(drawing: &mut Drawing, diagram: &Diagram, beat: Option<usize>) {
    let scene = beat.and_then(|beat| diagram.scenes.get(beat));
    let is_about = |resource: usize| {
        let resource = crate::id::narrow(resource);
        let acts = scene.iter().flat_map(|scene| &scene.acts);
        let mut own = acts.filter(|act| !act.aside);
        own.any(|act| act.token.resource == resource)
    };
    let width = |row: &LetterRow| 50.0 + columns(&row.name).min(30.0) * super::LETTER;
    let takes: f64 = diagram.resources.iter().map(width).sum();
    let mut order: Vec<usize> = (0..diagram.resources.len()).collect();
    if takes > WIDTH - 40.0 {
        order.sort_by_key(|at| !is_about(*at));
    }
    let mut x = 20.0;
    for (drawn, index) in order.iter().enumerate() {
        let row = &diagram.resources[*index];
        let is_last = drawn + 1 == order.len();
        let room = WIDTH - 20.0 - x - if is_last { 0.0 } else { 60.0 };
        if width(row) > room {
            let more = format!("and {} more", order.len() - drawn);
            drawing.text((x, 650.0), "faint", &more);
            return;
        }
        drawing.put(&format!("<g class=\"token r{}\">", index % COLORS.len()));
        drawing.rect((x, 636.0), (30.0, 18.0), "chip", "");
        drawing.text((x + 15.0, 650.0), "mid", &row.letter);
        drawing.put("</g>");
        let name = text::ellipsis(&text::clean(&row.name), 30);
        drawing.text((x + 36.0, 650.0), "", &name);
        x += width(row);
    }
}

/// How a frame looks, beyond what all drawings share.
fn style() -> String {
    let mut colors = String::new();
    for (index, (fill, on)) in COLORS.iter().enumerate() {
        let _ = writeln!(
            colors,
            ".r{index} .chip{{stroke:{fill}}}.dirty.r{index} .chip{{fill:{fill}}}.dirty.r{index} text.mid{{fill:{on}}}"
        );
    }
    let hazard = super::color::HAZARD;
    let ink = super::color::INK;
    let faint = super::color::FAINT;
    let fence = super::color::FENCE;
    format!(
        "<style>\n.say{{font-size:21px}}.small{{font-size:11.5px}}.tiny{{font-size:9px}}\n\
         .source{{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:15px;fill:{faint}}}\n\
         .place{{fill:#fff;stroke:#6b6b6b;stroke-width:1.2}}.client{{fill:#f4f4f4;stroke-dasharray:none}}.memory{{fill:#fbfbf4;stroke-width:2}}\n\
         .way{{fill:none;stroke:#b4b4b4;stroke-width:1.6}}\n\
         .lit{{fill:none;stroke:{ink};stroke-width:3.4}}.lit.read{{stroke-dasharray:9 4}}.lit.write-back{{stroke-dasharray:2 3}}\n\
         .lit.wrong{{stroke:{hazard};stroke-dasharray:9 4}}.lit.aside{{stroke-width:2;stroke:{faint}}}\n\
         .chip{{fill:#fff;stroke:{ink};stroke-width:1.8;rx:4px}}.token text.mid{{font-weight:700}}\n\
         {colors}.part .chip{{stroke-dasharray:4 3}}.new .chip{{stroke-width:3.6}}.gone .chip{{stroke:{faint};stroke-dasharray:1 3}}\n\
         .gone text.mid{{fill:{faint};text-decoration:line-through}}.token.wrong .chip{{stroke:{hazard};stroke-width:3}}\n\
         .token.right .chip{{stroke:{fence};stroke-width:4}}.fine{{fill:{fence};font-weight:700;font-size:15px}}\n\
         .part.dirty .chip{{stroke:#fff;stroke-width:2.4}}\n</style>\n\
         <defs><marker id=\"to-ink\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"4\" markerHeight=\"4\" orient=\"auto-start-reverse\">\
         <path d=\"M0 0L10 5L0 10z\" fill=\"{ink}\"/></marker></defs>"
    )
}
