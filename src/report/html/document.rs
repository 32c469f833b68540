//! A report as a document of its own. Nothing is fetched, and no library is used.
//!
//! The page is a template with holes: a style, two scripts, and the data as JSON. What the data says never becomes
//! markup: the script puts it in as text. A content security policy allows the page's own style and script by their hashes,
//! and nothing else.

use super::{data, poster};
use crate::finding::Source;
use crate::report::Style;
use crate::report::format::{Format, REPORT, WriteReport};
use crate::report::profiles::PROFILES;
use crate::report::without::WITHOUT;
use crate::run::{Drawn, Report, WithAndWithout};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::io::{self, Write};

/// The format `html`.
pub static FORMAT: Format = Format {
    writers: &[
        REPORT.by(&WriteReport::Single(write)),
        PROFILES.by(&(poster::write as _)),
        WITHOUT.by(&(without as _)),
    ],
    extensions: &["html", "htm"],
    draws: Drawn::Page,
    ..Format::new("html", "one page to look at in a browser and to share")
};

/// What the page consists of.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// What shows one run in an element, by views; the last file starts it.
const VIEWS: &[&str] = &[
    include_str!("base.js"),
    include_str!("state.js"),
    include_str!("canvas.js"),
    include_str!("lanes.js"),
    include_str!("without.js"),
    include_str!("paint.js"),
    include_str!("strips.js"),
    include_str!("timeline.js"),
    include_str!("details.js"),
    include_str!("graph.js"),
    include_str!("memory.js"),
    include_str!("barriers.js"),
    include_str!("source.js"),
    include_str!("caches.js"),
    include_str!("steps.js"),
    include_str!("story.js"),
    include_str!("profiles.js"),
    include_str!("probe.js"),
    include_str!("main.js"),
];
/// What shows one run after the other: the only name that the script gives the document.
const SHOWS: &str = include_str!("page.js");
/// Shows the run of the document.
const OPEN: &str = include_str!("open.js");

/// Writes the page.
///
/// # Errors
/// Only what the writer returns.
///
/// # Panics
/// Never: the template has every hole.
pub fn write(
    report: &Report,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let script = script();
    // Only a page that is written again and again looks at its own file.
    let frames = if style.live { "'self' file:" } else { "'none'" };
    let policy = policy(&[STYLE], &[&script, OPEN], frames);
    let mut rest = PAGE;
    for (hole, fill) in [
        ("{policy}", Fill::Text(&policy)),
        ("{style}", Fill::Text(STYLE)),
        ("{data}", Fill::Data),
        ("{script}", Fill::Text(&script)),
        ("{open}", Fill::Text(OPEN)),
    ] {
        let (before, after) = rest.split_once(hole).expect("the template has every hole");
        out.write_all(before.as_bytes())?;
        match fill {
            Fill::Text(text) => out.write_all(text.as_bytes())?,
            Fill::Data => data::write(report, source, style, &mut Inert { out })?,
        }
        rest = after;
    }
    out.write_all(rest.as_bytes())
}

/// Writes the page of a run that begins with the run without a barrier next to it.
fn without(both: &WithAndWithout, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write(&both.report, &both.source, style, out)
}

/// What a hole is filled with.
enum Fill<'a> {
    Text(&'a str),
    Data,
}

/// The script that shows runs.
fn script() -> String {
    let views = VIEWS.concat();
    format!(
        "const syncscopePage = (() => {{\n'use strict';\nfunction shown(root, D, options) {{\n{views}return start();\n}}\n{SHOWS}return page;\n}})();\n"
    )
}

/// A content security policy that allows some styles and scripts by their hashes, some frames, and nothing else.
pub(super) fn policy(styles: &[&str], scripts: &[&str], frames: &str) -> String {
    let hashes = |texts: &[&str]| match texts {
        [] => "'none'".to_owned(),
        texts => {
            let all = texts.iter().map(|text| format!("'sha256-{}'", hash(text)));
            all.collect::<Vec<_>>().join(" ")
        }
    };
    format!(
        "default-src 'none'; style-src {}; script-src {}; frame-src {frames}; base-uri 'none'; form-action 'none'",
        hashes(styles),
        hashes(scripts)
    )
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// JSON on its way into a page: signs that markup could be made of are written as escapes. In JSON they are only in strings,
/// and U+2028 and U+2029 are three bytes each, which no other character has.
struct Inert<'w> {
    out: &'w mut dyn Write,
}

impl Write for Inert<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut from = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let escape: &[u8] = match byte {
                b'<' => b"\\u003c",
                b'>' => b"\\u003e",
                b'&' => b"\\u0026",
                0x7f => b"\\u007f",
                _ => continue,
            };
            self.out.write_all(&bytes[from..at])?;
            self.out.write_all(escape)?;
            from = at + 1;
        }
        self.out.write_all(&bytes[from..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::{Inert, OPEN, PAGE, SHOWS, STYLE, VIEWS, script};
    use std::io::Write;

    #[test]
    fn data_has_no_sign_of_markup_left() {
        let text = "</script><!--<script>&\u{2028}\u{2029}\u{7f}é";
        let mut out = Vec::new();
        let json = serde_json::to_string(text).expect("a string is JSON");
        Inert { out: &mut out }
            .write_all(json.as_bytes())
            .expect("memory takes all");
        let written = String::from_utf8(out).expect("it is text");
        assert!(!written.contains(['<', '>', '&', '\u{7f}']), "{written}");
        let read: String = serde_json::from_str(&written).expect("it is the same JSON");
        assert_eq!(read, text);
    }

    #[test]
    fn the_page_fetches_nothing_and_makes_no_markup_of_data() {
        let script = script();
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "setAttribute('style'",
            "</script",
        ] {
            assert!(!script.contains(word), "the script has `{word}`");
            assert!(!OPEN.contains(word), "the second script has `{word}`");
        }
        for text in [PAGE, STYLE, OPEN, &script] {
            assert!(
                !text.contains("http://")
                    || text.matches("http://").count()
                        == text.matches("http://www.w3.org/").count()
            );
            // A marker of a drawing is in the page itself.
            let elsewhere = text.replace("url(#", "");
            assert!(!text.contains("https://") && !elsewhere.contains("url("));
        }
        assert!(!STYLE.contains("</style"));
        let files = VIEWS.iter().chain([&SHOWS, &OPEN]);
        assert!(files.into_iter().all(|file| file.ends_with('\n')));
    }
}
