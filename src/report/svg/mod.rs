//! The format `svg`: drawings for slides and documents. A run as a timeline, a dependency graph from above to below,
//! a beat of a run as a slide.
//!
//! A drawing is 1280 wide, has its own light background, and needs no colour to be read: what differs in colour differs in
//! pattern or shape too. Text stays text. Names are written as text and never as markup.

mod frame;
mod graph;
pub(super) mod poster;
mod timeline;

pub use frame::frame;

use super::dependencies::GRAPH;
use super::format::{Format, REPORT, WriteReport};
use super::profiles::PROFILES;
use super::steps::STEPS;
use super::text;
use crate::run::{Does, Drawn};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["svg"],
    draws: Drawn::Picture,
    writers: &[
        REPORT.by(&WriteReport::Single(timeline::write)),
        GRAPH.by(&(graph::write as _)),
        PROFILES.by(&(poster::write as _)),
        STEPS.by(&(frame::write as _)),
    ],
    usage: "Drop it into a browser, a slide or a document: it is 1280 wide, has its own background, and its text stays text.",
    ..Format::new("svg", "a drawing for slides and documents")
};

/// Width of a drawing.
const WIDTH: f64 = 1280.0;
/// Room that a letter takes. A page that shows a drawing at 900 pixels still has letters of 9.
const LETTER: f64 = 8.2;
/// Letters that a line of text has room for.
const LINE_LETTERS: usize = 150;

/// Colours that people with any kind of colour vision tell apart (Okabe and Ito), on white.
mod color {
    pub(super) const INK: &str = "#1a1a1a";
    pub(super) const FAINT: &str = "#595959";
    pub(super) const LINE: &str = "#c8c8c8";
    pub(super) const WORK: &str = "#0072b2";
    pub(super) const STAGE: &str = "#56b4e9";
    pub(super) const DRAIN: &str = "#d55e00";
    pub(super) const CLEAN: &str = "#e69f00";
    pub(super) const LAYOUT: &str = "#cc79a7";
    pub(super) const FENCE: &str = "#009e73";
    pub(super) const HAZARD: &str = "#a80000";
}

/// A drawing while it is made.
struct Drawing {
    /// What is below everything else.
    ground: String,
    body: String,
    height: f64,
}

impl Drawing {
    fn new() -> Self {
        Self {
            ground: String::new(),
            body: String::new(),
            height: 0.0,
        }
    }

    fn put(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// A line of text; `class` decides how it looks.
    fn text(&mut self, (x, y): (f64, f64), class: &str, words: &str) {
        let words = escaped(words);
        self.put(&format!(
            "<text x=\"{}\" y=\"{}\" class=\"{class}\">{words}</text>",
            at(x),
            at(y)
        ));
    }

    /// A rectangle with a tooltip.
    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str, tip: &str) {
        let place = format!(
            "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            at(x),
            at(y),
            at(width),
            at(height)
        );
        if tip.is_empty() {
            self.put(&format!("<rect {place} class=\"{class}\"/>"));
        } else {
            let tip = escaped(tip);
            self.put(&format!(
                "<rect {place} class=\"{class}\"><title>{tip}</title></rect>"
            ));
        }
    }

    /// The whole document.
    fn finish(self, width: f64, title: &str, about: &str) -> String {
        let (title, about) = (escaped(title), escaped(about));
        let (width, height) = (at(width), at(self.height));
        let style = style();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-labelledby=\"title about\">\n<title id=\"title\">{title}</title>\n<desc id=\"about\">{about}</desc>\n\
             {style}<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}{}</svg>\n",
            self.ground, self.body
        )
    }
}

/// How everything looks: classes and patterns.
fn style() -> String {
    use color::{CLEAN, DRAIN, FAINT, FENCE, HAZARD, INK, LAYOUT, LINE, STAGE, WORK};
    let pattern = |id: &str, size: u32, back: &str, path: &str, ink: &str| {
        format!(
            "<pattern id=\"{id}\" width=\"{size}\" height=\"{size}\" patternUnits=\"userSpaceOnUse\">\
             <rect width=\"{size}\" height=\"{size}\" fill=\"{back}\"/><path d=\"{path}\" stroke=\"{ink}\" stroke-width=\"1.4\" fill=\"none\"/></pattern>\n"
        )
    };
    let patterns = [
        pattern("drain", 6, "#fff4ec", "M-1 7L7 -1M-1 1L1 -1M5 7L7 5", DRAIN),
        pattern("invalidate", 6, "#fff6dd", "M0 3H6", CLEAN),
        pattern("layout", 6, "#fbeef5", "M0 0L6 6M6 0L0 6", LAYOUT),
        pattern("fence", 6, "#e6f5f0", "M3 0V6", FENCE),
        pattern("exposed", 8, "#fdf0f0", "M0 8L8 0", "#e0a0a0"),
        pattern("held", 7, "#ffffff", "M-1 -1L8 8M-1 6L1 8M6 -1L8 1", FAINT),
        pattern("turn", 6, "#ffffff", "M0 3H6", "#8a8a8a"),
        pattern("launch", 6, "#ffffff", "M2 3H3.6", FAINT),
        pattern("submit", 6, "#f4f4f4", "M2 3H4", "#a0a0a0"),
    ]
    .concat();
    let arrow = |id: &str, ink: &str| {
        format!(
            "<marker id=\"{id}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
             orient=\"auto-start-reverse\"><path d=\"M0 0L10 5L0 10z\" fill=\"{ink}\"/></marker>\n"
        )
    };
    let markers = [
        arrow("to", FAINT),
        arrow("to-fence", FENCE),
        arrow("to-hazard", HAZARD),
        arrow("to-paid", DRAIN),
    ]
    .concat();
    format!(
        "<style>\ntext{{font-family:system-ui,'DejaVu Sans',Verdana,sans-serif;font-size:13px;fill:{INK}}}\n\
         .h1{{font-size:18px;font-weight:600}}.h2{{font-size:14px;font-weight:600}}.faint{{fill:{FAINT}}}\n\
         .on{{fill:#fff}}.mid{{text-anchor:middle}}.end{{text-anchor:end}}.bad{{fill:{HAZARD};font-weight:600}}\n\
         .work{{fill:{WORK};stroke:#fff;stroke-width:.6}}.stage{{fill:{STAGE}}}.many{{fill:#004b75}}\n\
         .drain{{fill:url(#drain);stroke:{DRAIN};stroke-width:.7}}.clean{{fill:{CLEAN};stroke:#7a5400;stroke-width:.7}}\n\
         .invalidate{{fill:url(#invalidate);stroke:{CLEAN};stroke-width:.7}}.layout{{fill:url(#layout);stroke:{LAYOUT};stroke-width:.7}}\n\
         .held{{fill:url(#held);stroke:{FAINT};stroke-width:.8}}.turn{{fill:url(#turn);stroke:#8a8a8a;stroke-width:.8}}\n\
         .launch{{fill:url(#launch);stroke:{FAINT};stroke-width:.5}}\n\
         .other{{fill:#dcdcdc;stroke:#8a8a8a;stroke-width:.7}}.fence{{fill:url(#fence);stroke:{FENCE};stroke-width:.7}}\n\
         .never{{fill:url(#fence);stroke:{HAZARD};stroke-width:1.4;stroke-dasharray:7 3}}\n\
         .submit{{fill:url(#submit);stroke:#b0b0b0;stroke-width:.5}}.exposed{{fill:url(#exposed)}}\n\
         .grid{{stroke:{LINE};stroke-width:.6}}.band{{fill:#f7f8fa}}\n\
         .signal{{fill:none;stroke:{FENCE};stroke-width:1.6;marker-end:url(#to-fence)}}\n\
         .link{{fill:none;stroke:{HAZARD};stroke-width:1.8;stroke-dasharray:6 3;marker-end:url(#to-hazard)}}\n\
         .keeps{{fill:none;stroke:{HAZARD};stroke-width:1.8;marker-end:url(#to-hazard)}}\n\
         .lead{{stroke:{HAZARD};stroke-width:1}}.badge{{fill:#fff;stroke:{HAZARD};stroke-width:1.5}}\n\
         .node{{fill:#fff;stroke:{WORK};stroke-width:1.4}}.barrier{{fill:#fff4ec;stroke:{DRAIN};stroke-width:1.4}}\n\
         .submission{{fill:#f4f4f4;stroke:#8a8a8a;stroke-dasharray:3 2}}\n\
         .needed{{fill:none;stroke:{FAINT};stroke-width:1.1;stroke-dasharray:5 3;marker-end:url(#to)}}\n\
         .both{{fill:none;stroke:{FAINT};stroke-width:2.2;marker-end:url(#to)}}\n\
         .exempt{{fill:none;stroke:#8a8a8a;stroke-width:1;stroke-dasharray:1 3;marker-end:url(#to)}}\n\
         .missing{{fill:none;stroke:{HAZARD};stroke-width:2.4;stroke-dasharray:8 4;marker-end:url(#to-hazard)}}\n\
         .asked{{fill:none;stroke:{FAINT};stroke-width:1.4;marker-end:url(#to)}}\n\
         .ensured{{fill:none;stroke:{FENCE};stroke-width:2.6;marker-end:url(#to-fence)}}\n\
         .paid{{fill:none;stroke:{DRAIN};stroke-width:1.8;stroke-dasharray:2 3;marker-end:url(#to-paid)}}\n\
         </style>\n<defs>\n{patterns}{markers}</defs>\n"
    )
}

/// A number with at most one decimal.
fn at(number: f64) -> String {
    let text = format!("{number:.1}");
    match text.strip_suffix(".0") {
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// A name as text: no markup, no control characters, nothing that turns the direction of what follows.
pub(super) fn escaped(words: &str) -> String {
    let clean = text::clean(words);
    let mut out = String::with_capacity(clean.len());
    for c in clean.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // No characters of XML.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Room that a text of the usual size takes at most.
fn room(words: &str) -> f64 {
    columns(words) * LETTER
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a drawing is laid out in tenths of a pixel"
)]
fn columns(words: &str) -> f64 {
    text::width(&text::clean(words)) as f64
}

/// The words as they fit into some room, the rest as `…`; nothing if not even two letters fit.
fn fitted(words: &str, space: f64) -> Option<String> {
    cut(words, space, text::ellipsis)
}

/// The same, cut at the beginning: its end says most.
fn fitted_end(words: &str, space: f64) -> Option<String> {
    cut(words, space, text::ellipsis_left)
}

fn cut(words: &str, space: f64, shorter: fn(&str, usize) -> String) -> Option<String> {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of columns, not below zero"
    )]
    let columns = (space.max(0.0) / LETTER) as usize;
    let words = text::clean(words);
    if text::width(&words) <= columns {
        return (!words.is_empty()).then_some(words);
    }
    (columns >= 4).then(|| shorter(&words, columns))
}

/// A small number as a length.
#[allow(
    clippy::cast_precision_loss,
    reason = "a drawing is laid out in tenths of a pixel"
)]
fn length(count: usize) -> f64 {
    count as f64
}

/// One entry of a legend.
struct Entry {
    class: &'static str,
    is_line: bool,
    words: &'static str,
}

/// A legend in as many lines as it takes, from `y` down; the place below it.
fn legend(drawing: &mut Drawing, entries: &[Entry], (left, mut y): (f64, f64), width: f64) -> f64 {
    let mut x = left;
    for entry in entries {
        let takes = 34.0 + room(entry.words) + 18.0;
        if x > left && x + takes > width - 20.0 {
            x = left;
            y += 20.0;
        }
        if entry.is_line {
            let path = format!("M{} {}h24", at(x), at(y - 4.0));
            drawing.put(&format!("<path d=\"{path}\" class=\"{}\"/>", entry.class));
        } else {
            drawing.rect((x, y - 10.0), (24.0, 12.0), entry.class, "");
        }
        drawing.text((x + 30.0, y), "", entry.words);
        x += takes;
    }
    y + 16.0
}

/// How a part of a command's life looks.
fn look(does: Does) -> &'static str {
    match does {
        Does::Work => "work",
        Does::Launch => "launch",
        Does::Held => "held",
        Does::Queue => "turn",
    }
}

#[cfg(test)]
mod tests {
    use super::{at, escaped, fitted};

    #[test]
    fn names_are_no_markup() {
        assert_eq!(
            escaped("<a href=\"x\">&\u{202e}\u{7}\u{ffff}"),
            "&lt;a href=&quot;x&quot;&gt;&amp;\\u{202e}\u{fffd}\u{fffd}"
        );
        assert_eq!((at(1.04), at(2.36)), ("1".into(), "2.4".into()));
    }

    #[test]
    fn what_does_not_fit_is_cut_or_left_out() {
        assert_eq!(fitted("shadow", 60.0).as_deref(), Some("shadow"));
        assert_eq!(fitted("shadow", 41.0).as_deref(), Some("shad…"));
        assert_eq!(fitted("shadow", 14.0), None);
    }
}
