//! From text to lines. What is no line is a finding, and the others are kept.

use super::format::{PacketLine, VERSION};
use super::mistakes;
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A recording that was read.
#[derive(Default, Debug)]
#[non_exhaustive]
pub struct PacketTrace {
    /// Lines that are packets, in order.
    pub lines: Vec<TraceLine>,
    /// What was left out.
    pub findings: Vec<Finding>,
}

/// A line of a recording.
#[derive(Debug)]
pub struct TraceLine {
    /// Where it is.
    pub span: Span,
    /// What it says.
    pub packet: PacketLine,
}

/// Reads a recording from its bytes: a line that is no UTF-8 is one mistake, and the others are read.
pub fn read_bytes(name: &str, bytes: &[u8]) -> (Source, PacketTrace) {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let foreign = lines.filter_map(|(at, line)| {
        let valid = std::str::from_utf8(line).err()?.valid_up_to();
        Some((at, valid))
    });
    let foreign: BTreeMap<usize, usize> = foreign.collect();
    let source = Source::new(name, String::from_utf8_lossy(bytes));
    let trace = read_but(&source, &foreign);
    (source, trace)
}

/// Reads a recording. Lines that are empty are none.
pub fn read(source: &Source) -> PacketTrace {
    read_but(source, &BTreeMap::new())
}

/// The same where some lines are no UTF-8, each from a byte on.
fn read_but(source: &Source, foreign: &BTreeMap<usize, usize>) -> PacketTrace {
    if let Some(finding) = array(source) {
        return PacketTrace {
            lines: Vec::new(),
            findings: vec![finding],
        };
    }
    let mut trace = PacketTrace {
        lines: Vec::new(),
        findings: Vec::new(),
    };
    let mut start = 0;
    for (at, text) in source.text.split_inclusive('\n').enumerate() {
        let is_cut = !text.ends_with('\n');
        let line = text.trim_end_matches(['\n', '\r']);
        let span = Span::new(narrow(start), narrow(start + line.len()));
        start += text.len();
        if line.trim().is_empty() {
            continue;
        }
        if let Some(valid) = foreign.get(&at) {
            let message = format!(
                "the line is not UTF-8: its byte {} is not the start of a character",
                valid + 1
            );
            trace.findings.push(left_out(span, message));
            continue;
        }
        match packet(line) {
            Ok(Ok(packet)) => trace.lines.push(TraceLine { span, packet }),
            Ok(Err(message)) => trace.findings.push(left_out(span, message)),
            Err(error) if error.is_eof() && is_cut => {
                let kept = trace.lines.len();
                let message = format!(
                    "the recording is cut in half in this line: {}",
                    said(&error)
                );
                let finding = left_out(span, message).note(format!(
                    "what comes after it is not known; packets that were read before it: {kept}"
                ));
                trace.findings.push(finding);
            }
            Err(error) => {
                let place = Span::new(
                    span.start + narrow(boundary(line, error.column())),
                    span.end,
                );
                trace.findings.push(left_out(place, said(&error)));
            }
        }
    }
    trace
}

/// That a recording is one JSON array.
fn array(source: &Source) -> Option<Finding> {
    let text = source.text.trim();
    if !text.starts_with('[') {
        return None;
    }
    let packets: Vec<IgnoredAny> = serde_json::from_str(text).ok()?;
    let start = source.text.len() - source.text.trim_start().len();
    let span = Span::new(narrow(start), narrow(start + 1));
    let message = format!(
        "the recording is a JSON array of {}: it has one packet a line",
        match packets.len() {
            1 => "1 value".to_owned(),
            several => format!("{several} values"),
        }
    );
    let finding = Finding::new(&mistakes::UNREADABLE, span, message)
        .note("nothing of it is read")
        .help("write each packet in a line of its own, as `jq -c '.[]'` does");
    Some(finding)
}

/// A packet from its JSON; the inner error: one of another version.
///
/// # Errors
/// It is no packet.
pub fn packet(text: &str) -> serde_json::Result<Result<PacketLine, String>> {
    let packet: PacketLine = serde_json::from_str(text)?;
    if packet.schema == VERSION {
        return Ok(Ok(packet));
    }
    Ok(Err(format!(
        "a packet of version {}; this program reads version {VERSION}",
        packet.schema
    )))
}

/// Where a line's character begins that serde counts to; the line's end at most.
fn boundary(line: &str, column: usize) -> usize {
    let mut at = column.saturating_sub(1).min(line.len());
    while !line.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// What serde says, without its place: a finding has one.
pub fn said(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let end = said.rfind(" at line ").unwrap_or(said.len());
    said[..end].to_owned()
}

/// That a line of a recording that is no packet is left out.
fn left_out(span: Span, message: String) -> Finding {
    Finding::new(&mistakes::UNREADABLE, span, message)
        .note("the line is left out; the others are kept")
        .help("`syncscope schema driver-packets` prints what a line has")
}

/// What a finding about one packet of an answer begins with, before `: ` and the mistake.
const OF_ANSWER: &str = " of the driver's answer";

/// A mistake of one packet of an answer; `about` is what the packet is for, if it says so.
pub fn of_answer(number: u32, about: &str, mistake: &str) -> String {
    format!("packet {number}{OF_ANSWER}{about}: {mistake}")
}

/// The mistake that a message tells, without which packet of an answer has it.
pub fn mistake_of(message: &str) -> &str {
    let of_packet = || {
        let (packet, rest) = message.split_once(OF_ANSWER)?;
        let number = packet.strip_prefix("packet ")?;
        let is_number = number.bytes().all(|it| it.is_ascii_digit());
        is_number.then(|| rest.split_once(": ")).flatten()
    };
    of_packet().map_or(message, |(_, mistake)| mistake)
}

/// What the note of a driver without an answer begins with that says how many programs it was asked before.
const ASKED_BEFORE: &str = "programs that its process was asked before this one: ";

/// That a driver was asked other programs before.
pub fn asked_before(programs: u32) -> String {
    format!("{ASKED_BEFORE}{programs}")
}

/// How many programs a driver was asked before, if a note says that.
pub fn programs_before(note: &str) -> Option<u32> {
    note.strip_prefix(ASKED_BEFORE)?.parse().ok()
}

/// What mistakes of one kind have in common: the mistake, without numbers and without the ids of calls and commands.
pub fn kind_of(message: &str) -> String {
    let parts = mistake_of(message).split('`').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        0 => without_numbers(part),
        _ if part.contains('#') => "…".to_owned(),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// A text with `…` for each number.
fn without_numbers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '0'..='9' if kept.ends_with('…') => {}
            '0'..='9' => kept.push('…'),
            other => kept.push(other),
        }
    }
    kept
}

/// The same of one packet of an answer.
pub fn packet_left_out(span: Span, message: String) -> Finding {
    Finding::new(&mistakes::UNREADABLE, span, message)
        .note("the packet is left out; the others are kept")
        .help("`syncscope schema driver-packets` prints what a packet has")
}
