//! Marks of a harness, and the lines between them: the same for every driver.
//!
//! ```text
//! @device NAME | DRIVER | VERSION
//! @@ SITUATION/FORM begin … before … barrier … wait … after … end … done
//! ```
//! A mark begins a step: `before` is the work before the barrier, `barrier` its call, `wait` the second call of an event, `after` the work
//! after it, `end` the end of the command buffer. `FORM` says how the barrier was asked for; `nobarrier` is the same without.

use super::StreamReader;
use crate::finding::{Finding, Span};
use crate::id::narrow;
use crate::lower::recorded::mistakes;
use crate::lower::rules::suggest::cut;
use std::collections::BTreeSet;
use std::ops::Range;

/// The form of a recording without a barrier.
const CONTROL: &str = "nobarrier";
/// The form of a recording with two calls.
const EVENT: &str = "event";

/// A line of a stream.
#[derive(Copy, Clone, Debug)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
}

/// Where a step begins. The order is that of a recording.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mark {
    Begin,
    Before,
    Barrier,
    Wait,
    After,
    End,
    Done,
    Submit,
}

impl Mark {
    const ALL: [Self; 8] = [
        Self::Begin,
        Self::Before,
        Self::Barrier,
        Self::Wait,
        Self::After,
        Self::End,
        Self::Done,
        Self::Submit,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Before => "before",
            Self::Barrier => "barrier",
            Self::Wait => "wait",
            Self::After => "after",
            Self::End => "end",
            Self::Done => "done",
            Self::Submit => "submit",
        }
    }
}

/// What was recorded of one situation in one form.
#[derive(Debug)]
pub(super) struct Recording<'a> {
    /// The situation.
    pub(super) name: &'a str,
    /// How its barrier was asked for.
    pub(super) form: &'a str,
    /// Its first mark.
    pub(super) span: Span,
    steps: Vec<(Mark, Vec<Line<'a>>)>,
}

impl<'a> Recording<'a> {
    /// Whether it is one without a barrier.
    pub(super) fn is_control(&self) -> bool {
        self.form == CONTROL
    }

    /// The lines of a step; none if it is not there.
    pub(super) fn step(&self, mark: Mark) -> &[Line<'a>] {
        let step = self.steps.iter().find(|(own, _)| *own == mark);
        step.map_or(&[], |(_, lines)| lines)
    }

    /// The lines of every step.
    pub(super) fn lines(&self) -> impl Iterator<Item = &Line<'a>> {
        self.steps.iter().flat_map(|(_, lines)| lines)
    }

    fn has(&self, mark: Mark) -> bool {
        self.steps.iter().any(|(own, _)| *own == mark)
    }

    /// The first mark that it needs and has not.
    fn missing(&self) -> Option<Mark> {
        let wait = (self.form == EVENT).then_some(Mark::Wait);
        let needed = [Mark::Barrier].into_iter().chain(wait);
        let mut needed = needed.chain([Mark::After, Mark::End]);
        needed.find(|mark| !self.has(*mark))
    }
}

/// The device that a stream is of.
#[derive(Copy, Clone, Debug)]
pub(super) struct Device<'a> {
    pub(super) name: &'a str,
    pub(super) driver: &'a str,
    version: &'a str,
}

impl Device<'_> {
    /// The driver as people call it, and its version.
    pub(super) fn driver_of(&self, reader: &StreamReader) -> String {
        let name = reader.short(self.driver).unwrap_or(self.driver);
        format!("{name} {}", self.version).trim_end().to_owned()
    }
}

/// A line that is to name a device.
#[derive(Copy, Clone, Debug)]
pub(super) enum Naming<'a> {
    Device(Device<'a>),
    /// It does not: what is wrong.
    Malformed(&'static str),
}

/// How a line is to name its device.
pub(super) const DEVICE: &str = "@device NAME | DRIVER | VERSION";

/// What a line says that is to name a device.
pub(super) fn device(line: &str) -> Option<Naming<'_>> {
    const START: &str = "@device";
    let line = line.trim();
    let start = line.get(..START.len())?;
    let rest = &line[START.len()..];
    let is_word = rest.chars().next().is_none_or(|it| !it.is_alphanumeric());
    if !start.eq_ignore_ascii_case(START) || !is_word {
        return None;
    }
    if start != START {
        return Some(Naming::Malformed("`@device` is in small letters"));
    }
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return Some(Naming::Malformed("no blank follows `@device`"));
    }
    let mut parts = rest.splitn(3, " | ").map(str::trim);
    let mut part = || parts.next().filter(|it| !it.is_empty());
    let (name, driver) = (part(), part());
    Some(match (name, driver) {
        (None, _) => Naming::Malformed("it has no name"),
        (Some(name), None) if name.contains('|') => {
            Naming::Malformed("each `|` has a blank on either side")
        }
        (Some(_), None) => Naming::Malformed("it has no ` | ` and no driver"),
        (Some(name), Some(driver)) => Naming::Device(Device {
            name,
            driver,
            version: part().unwrap_or_default(),
        }),
    })
}

/// Whether a line is a mark, or is to be one.
pub(super) fn is_mark(line: &str) -> bool {
    line.trim_start().starts_with("@@")
}

/// A stream in its parts.
#[derive(Debug)]
pub(super) struct Text<'a> {
    pub(super) device: Option<(Device<'a>, Span)>,
    /// The line that is to name it does not.
    pub(super) is_malformed: bool,
    /// There is a mark, or what is to be one.
    pub(super) has_marks: bool,
    /// Whole ones, in order.
    pub(super) recordings: Vec<Recording<'a>>,
}

/// Where streams of a text begin and end: one that names a device ends where the next device is named.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let mut starts = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if device(line).is_some() {
            starts.push(start);
        }
        start += line.len();
    }
    // What comes before the first device is of its stream.
    let starts = std::iter::once(0).chain(starts.into_iter().skip(1));
    let starts: Vec<usize> = starts.collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .collect()
}

/// Takes a stream apart: a part of a text.
pub(super) fn read(text: &str, part: Range<usize>) -> (Text<'_>, Vec<Finding>) {
    let mut parts = Parts {
        text: Text {
            device: None,
            is_malformed: false,
            has_marks: false,
            recordings: Vec::new(),
        },
        open: None,
        known: BTreeSet::new(),
        findings: Vec::new(),
    };
    let mut start = part.start;
    for whole in text[part].split_inclusive('\n') {
        // A stream that somebody indented is one too.
        let line = whole.trim_end_matches(['\n', '\r']);
        let text = line.trim_start();
        let blanks = line.len() - text.len();
        let span = Span::new(narrow(start + blanks), narrow(start + blanks + text.len()));
        start += whole.len();
        parts.line(Line { text, span });
    }
    parts.close(true);
    (parts.text, parts.findings)
}

/// How far a stream was taken apart.
struct Parts<'a> {
    text: Text<'a>,
    /// The recording that goes on; nothing of one that is left out.
    open: Option<Recording<'a>>,
    known: BTreeSet<(&'a str, &'a str)>,
    findings: Vec<Finding>,
}

impl<'a> Parts<'a> {
    fn line(&mut self, line: Line<'a>) {
        if line.text.contains(char::REPLACEMENT_CHARACTER) {
            // What the line says is not known, so neither is what the driver wrote in this step. After `end` it is about nothing.
            let last = self.open.as_ref().and_then(|it| it.steps.last());
            if last.is_none_or(|(mark, _)| *mark < Mark::End) {
                self.open = None;
            }
            self.left_out(line.span, "the line has bytes that are no UTF-8 text");
        } else if let Some(mark) = line.text.strip_prefix("@@") {
            self.mark(line.span, mark);
        } else if let Some(named) = device(line.text) {
            match named {
                Naming::Device(device) => self.text.device = Some((device, line.span)),
                Naming::Malformed(why) => self.malformed(line.span, why),
            }
        } else if let Some((_, lines)) = self.open.as_mut().and_then(|it| it.steps.last_mut()) {
            lines.push(line);
        }
    }

    fn mark(&mut self, span: Span, text: &'a str) {
        self.text.has_marks = true;
        let mut words = text.split_ascii_whitespace();
        let (key, word, more) = (words.next(), words.next(), words.next());
        let key = key.and_then(|key| key.rsplit_once('/'));
        let (Some((name, form)), Some(word), None) = (key, word, more) else {
            self.left_out(span, "a mark is `@@ SITUATION/FORM STEP`, and this is none");
            return;
        };
        match word {
            // There is no such queue on this device.
            "noqueue" => self.close(false),
            "crashed" => self.crashed(span, name, form),
            _ => match Mark::ALL.into_iter().find(|mark| mark.word() == word) {
                Some(Mark::Begin) => self.begin(span, name, form),
                Some(mark) => self.step(span, (name, form), mark),
                None => {
                    let message = format!("there is no step `{}`", cut(word));
                    self.left_out(span, &message);
                }
            },
        }
    }

    fn begin(&mut self, span: Span, name: &'a str, form: &'a str) {
        self.close(false);
        if !self.known.insert((name, form)) {
            let message = format!("`{}` is recorded twice as `{}`", cut(name), cut(form));
            self.out_of_order(
                span,
                message,
                "the first recording is kept, this one is left out",
            );
            return;
        }
        self.open = Some(Recording {
            name,
            form,
            span,
            steps: vec![(Mark::Begin, Vec::new())],
        });
    }

    fn step(&mut self, span: Span, key: (&'a str, &'a str), mark: Mark) {
        let word = mark.word();
        match &mut self.open {
            Some(open) if (open.name, open.form) == key => {
                let last = open.steps.last().map_or(Mark::Begin, |(mark, _)| *mark);
                if last < mark {
                    open.steps.push((mark, Vec::new()));
                    return;
                }
                let message = format!("the mark `{word}` comes after `{}`", last.word());
                self.open = None;
                self.out_of_order(span, message, "the recording is left out");
            }
            // One message for each recording: what was left out has one.
            None if self.known.contains(&key) => {}
            _ => {
                self.close(false);
                self.known.insert(key);
                let message = format!(
                    "the mark `{word}` of `{}` comes without `begin`",
                    cut(key.0)
                );
                self.out_of_order(span, message, "the recording is left out");
            }
        }
    }

    fn crashed(&mut self, span: Span, name: &str, form: &str) {
        self.open = None;
        let message = format!(
            "the driver crashed while `{}` was recorded as `{}`",
            cut(name),
            cut(form)
        );
        let finding = Finding::new(&mistakes::WITHOUT_PACKET, span, message)
            .note("the situation is left out")
            .help("nothing is said of the driver in this situation");
        self.findings.push(finding);
    }

    /// A recording ends: it is kept if it is whole.
    fn close(&mut self, at_end: bool) {
        let Some(open) = self.open.take() else { return };
        let Some(missing) = open.missing() else {
            self.text.recordings.push(open);
            return;
        };
        let cut_off = if at_end {
            ", where the stream ends"
        } else {
            ""
        };
        let message = format!(
            "the recording of `{}` as `{}` has no mark `{}`{cut_off}",
            cut(open.name),
            cut(open.form),
            missing.word()
        );
        self.out_of_order(open.span, message, "the recording is left out");
    }

    fn out_of_order(&mut self, span: Span, message: String, kept: &str) {
        let finding = Finding::new(&mistakes::OUT_OF_ORDER, span, message)
            .note(format!("{kept}; the others are kept"))
            .help("a recording has the marks `begin`, `before`, `barrier`, `after` and `end`, in this order");
        self.findings.push(finding);
    }

    fn malformed(&mut self, span: Span, why: &str) {
        self.text.is_malformed = true;
        let message = format!("the line names no device: {why}");
        let finding = Finding::new(&mistakes::UNREADABLE, span, message)
            .note("what follows is left out, unless `--stream` says how it is read; other streams are kept")
            .help(format!("write `{DEVICE}`"));
        self.findings.push(finding);
    }

    fn left_out(&mut self, span: Span, message: &str) {
        let finding = Finding::new(&mistakes::UNREADABLE, span, message)
            .note("the line is left out; the others are kept")
            .help("record it again; a stream is the text that the harness wrote, line by line");
        self.findings.push(finding);
    }
}
