//! What a driver answers: one line of packets, read and placed as a recording is.

use super::{DriverFailure, VERSION};
use crate::finding::{Finding, Span};
use crate::hardware::Profile;
use crate::id::NodeId;
use crate::lower::Recorded;
use crate::lower::recorded::{self, Left, Places, TraceLine, mistakes};
use crate::order::Timeline;
use crate::schema::{Schema, schema};
use serde::Deserialize;
use serde_json::value::RawValue;

/// What describes the line.
pub(super) const SCHEMA: Schema = schema!(
    read AnswerLine<'static>, "driver-answer", "The line with which a driver in another process answers a program"
);

/// What a driver writes for a program. A bare array of packets is an answer too.
#[derive(Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverAnswer"))]
#[serde(deny_unknown_fields, expecting = "an answer")]
struct AnswerLine<'a> {
    /// Version of this contract: 1.
    schema: u32,
    /// Packets in the order of the stream, each as `syncscope schema driver-packets` describes a line.
    #[serde(borrow)]
    #[cfg_attr(test, schemars(with = "Vec<recorded::PacketLine>"))]
    packets: Vec<&'a RawValue>,
    /// Render passes stay in tile memory across barriers by region, whose packets are not used. If not, the driver decides
    /// about these barriers too, and nothing stays in tile memory.
    #[serde(default = "yes")]
    keeps_passes: bool,
    /// The driver's packets at `submit` and `end` drop and write back what a scope needs at its start and its end; nothing
    /// else does.
    #[serde(default)]
    ends_scopes: bool,
}

fn yes() -> bool {
    true
}

/// What a driver wrote for a program, and what is wrong with it.
pub(super) fn understood(
    answer: Result<&str, &DriverFailure>,
    timeline: &Timeline<'_>,
    profile: &Profile,
) -> (Recorded, Vec<Finding>) {
    let understood = answer
        .map_err(|failure| without_answer(failure, timeline))
        .and_then(|text| line(text, timeline));
    match understood {
        Ok(answer) => packets(&answer, timeline, profile),
        Err(finding) => (Recorded::default(), vec![*finding]),
    }
}

/// Where what is about a whole program is told: at its first command.
fn start(timeline: &Timeline<'_>) -> Span {
    if timeline.node_count() == 0 {
        return Span::default();
    }
    timeline.span(NodeId(0))
}

const NOTHING_KEPT: &str = "the program is lowered as if the driver had written nothing";

fn without_answer(failure: &DriverFailure, timeline: &Timeline<'_>) -> Box<Finding> {
    let finding = Finding::new(
        &mistakes::WITHOUT_ANSWER,
        start(timeline),
        failure.to_string(),
    );
    let mut finding = finding.note(NOTHING_KEPT).help(failure.help());
    if failure.before > 0 {
        finding = finding.note(recorded::asked_before(failure.before));
    }
    Box::new(match failure.said.as_str() {
        "" => finding,
        said => finding.note(format!("the driver's standard error ends with: {said}")),
    })
}

fn line<'a>(text: &'a str, timeline: &Timeline<'_>) -> Result<AnswerLine<'a>, Box<Finding>> {
    let wrong = |message: String| {
        let finding = Finding::new(&mistakes::UNREADABLE, start(timeline), message)
            .note(NOTHING_KEPT)
            .help("`syncscope schema driver-answer` prints what an answer has: `{\"schema\":1,\"packets\":[]}` is one");
        Box::new(finding)
    };
    let bare = text.trim_start().starts_with('[');
    let read = if bare {
        serde_json::from_str(text).map(|packets| AnswerLine {
            schema: VERSION,
            packets,
            keeps_passes: true,
            ends_scopes: false,
        })
    } else {
        serde_json::from_str(text)
    };
    match read {
        Ok(AnswerLine { schema, .. }) if schema != VERSION => Err(wrong(format!(
            "the driver's answer is of version {schema}; this program reads version {VERSION}"
        ))),
        Ok(answer) => Ok(answer),
        Err(_) if text.trim().is_empty() => {
            Err(wrong("the driver's answer is an empty line".to_owned()))
        }
        Err(error) if error.is_eof() => Err(wrong(format!(
            "the driver's answer is cut in half after {} bytes: {}",
            text.len(),
            recorded::said(&error)
        ))),
        Err(error) => Err(wrong(format!(
            "the driver's answer is no answer: {}, at byte {}",
            recorded::said(&error),
            error.column()
        ))),
    }
}

/// The packets of an answer. Until they are told, the place of a finding is the number of its packet.
fn packets(
    answer: &AnswerLine<'_>,
    timeline: &Timeline<'_>,
    profile: &Profile,
) -> (Recorded, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut lines = Vec::with_capacity(answer.packets.len());
    for (number, text) in (1..).zip(&answer.packets) {
        let span = Span::new(number, number);
        match recorded::packet(text.get()) {
            Ok(Ok(packet)) => lines.push(TraceLine { span, packet }),
            Ok(Err(message)) => findings.push(recorded::packet_left_out(span, message)),
            Err(error) => findings.push(recorded::packet_left_out(span, recorded::said(&error))),
        }
    }
    let places = Places::new(timeline);
    let named = lines
        .iter()
        .map(|line| (line, line.packet.barrier.as_deref()));
    let lines_at = places.place(named, &mut findings);
    let recorded = recorded::resolve_some(&lines_at, profile, &mut findings);
    findings.sort_by_key(|it| (it.span, it.rule.id));
    let told = findings
        .into_iter()
        .map(|finding| told(finding, &lines, &places, timeline));
    let left = Left {
        keeps_passes: answer.keeps_passes,
        ends_scopes: answer.ends_scopes,
    };
    (recorded.with(left), told.collect())
}

/// A finding about a packet, at what the packet is for.
fn told(
    mut finding: Finding,
    lines: &[TraceLine],
    places: &Places,
    timeline: &Timeline<'_>,
) -> Finding {
    let number = finding.span.start;
    let line = lines.iter().find(|line| line.span.start == number);
    let packet = line.map(|line| &line.packet);
    let name = packet.and_then(|packet| packet.barrier.as_deref().or(packet.command.as_deref()));
    let node = name.and_then(|name| places.named(name));
    finding.span = node.map_or_else(|| start(timeline), |node| timeline.span(node));
    let about = name.map_or_else(String::new, |name| format!(" (`{}`)", cut(name)));
    finding.message = recorded::of_answer(number, &about, &finding.message).into();
    for related in std::mem::take(&mut finding.related) {
        let other = format!("packet {}: {}", related.span.start, related.label);
        finding.notes.push(other.into());
    }
    finding
}

/// As much of a name as a message shows.
fn cut(name: &str) -> String {
    name.chars().take(60).collect()
}
