//! Streams of real drivers as recordings: what a driver wrote for a barrier, as it prints it or as the words of its command
//! buffer, becomes packets in the words of the profiles.
//!
//! ```text
//! text ─recording→ steps of each situation ─reader→ commands ─without what is written anyway→ packet ─→ PacketTrace
//! ```
//! * `recording.rs` follows the marks between which a harness (`tests/drivers/`) records: the same for all drivers.
//! * `words.rs` reads the 32-bit words of a line.
//! * A file for each reader has a table from the driver's commands to what they do; each table names its source. To add a
//!   reader, write its file and name it in `readers!` below.
//! * `packet.rs` makes one packet of what a driver wrote for one barrier call.
//!
//! A reader says what a command does, and little of the order that the machine keeps by itself: that copies of one engine are in
//! order, and rasterised pixels, is the profile's. Three facts have no property in a profile, and stay here:
//! * a driver without a copy engine copies and clears by dispatches, and anv's copies and resolves on a direct queue are draws, so
//!   that what waits for compute or pixel shaders waits for those as well (`stages.rs`);
//! * a switch of NVIDIA's subchannels waits, also in front of an invalidate that the driver writes after it (`nvidia.rs`). The
//!   engines of a profile switch where work is, not where an operation is;
//! * who waits for everything has the front end wait too (`packet.rs`).
//!
//! A stream is data: whatever is in it, what can be read is kept, and each mistake is a finding. Cost: linear in the text.

mod packet;
mod recording;
mod stages;
mod words;

use crate::finding::{Finding, Source, Span};
use crate::lower::recorded::{PacketTrace, TraceLine, mistakes};
use crate::lower::rules::suggest::cut;
use recording::{Line, Mark, Recording};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Names the readers: each is a module of its name with a `READER`.
macro_rules! readers {
    ($($name:ident),+) => {
        $(mod $name;)+

        /// Every reader.
        pub const READERS: &[&StreamReader] = &[$(&$name::READER),+];
    };
}

readers![anv, pm4, nvidia, adreno];

/// What reads the streams of some drivers.
#[derive(Debug)]
pub struct StreamReader {
    /// Its name.
    pub name: &'static str,
    /// What it reads, in a line.
    pub about: &'static str,
    /// Drivers with such streams: what each calls itself (`VkPhysicalDeviceDriverProperties::driverName`), and what people
    /// call it.
    drivers: &'static [(&'static str, &'static str)],
    /// The word of a device's name that tells devices apart.
    code: fn(&str) -> Option<String>,
    /// Generations of devices, by how their words begin.
    generations: &'static [Generation],
    /// Whether a line is one that it reads.
    is_own: fn(&str) -> bool,
    /// Each recording of work has such lines.
    writes_always: bool,
    /// Reads the lines of one step.
    read: fn(&Generation, &[Line<'_>], &mut Commands<'_>),
    /// Work that the driver adds to a barrier call changes a layout.
    launches_change_layouts: bool,
    /// What the driver writes after the work of a step is not for the barrier before it.
    ends_at_launch: bool,
    /// Between the work of two steps the machine waits by itself.
    switches: fn(&[Line<'_>], &[Line<'_>]) -> bool,
}

/// Devices whose commands mean the same.
#[derive(Debug)]
struct Generation {
    /// How the word of such a device begins.
    code: &'static str,
    /// The profile with their caches.
    profile: &'static str,
    /// What its reader tells generations apart by.
    version: u32,
    /// Caches of the reader's tables that they do not have.
    without: &'static [&'static str],
}

impl Generation {
    const fn of(code: &'static str, profile: &'static str, version: u32) -> Self {
        Self {
            code,
            profile,
            version,
            without: &[],
        }
    }

    /// The same without some caches.
    const fn without(mut self, caches: &'static [&'static str]) -> Self {
        self.without = caches;
        self
    }
}

/// What a device's name has in its last parentheses, in lower case: `AMD Radeon RX 6800 XT (RADV NAVI21)`.
fn in_parentheses(name: &str) -> Option<String> {
    let (_, inside) = name.strip_suffix(')')?.rsplit_once('(')?;
    Some(inside.to_ascii_lowercase())
}

/// The last word of that.
fn last_in_parentheses(name: &str) -> Option<String> {
    let inside = in_parentheses(name)?;
    inside.split_ascii_whitespace().last().map(str::to_owned)
}

/// What a command does, in the words of profiles.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Does {
    /// Waits for stages.
    Wait(&'static [&'static str]),
    /// Writes a cache back.
    Flush(&'static str),
    /// Changes the layout.
    Layout,
    /// Drops a cache.
    Drop(&'static str),
    /// Makes the front end wait.
    FrontEnd,
}

/// A command of a stream.
#[derive(Clone, PartialEq, Debug)]
struct Command {
    /// Its name, and what of its fields matters.
    name: String,
    /// What it does for the barrier, unless it is written without one too.
    does: Vec<Does>,
    /// What it does even if it is written without a barrier too.
    does_anyway: Vec<Does>,
    /// It starts work.
    launches: bool,
    /// What it does to caches, it does to a part of them.
    is_ranged: bool,
}

/// What a reader makes of the lines of a step.
struct Commands<'f> {
    list: Vec<Command>,
    /// What the driver says that it owes, in whatever command it comes: it counts where a barrier is called.
    owed: Vec<Does>,
    /// Something cannot be read: what the driver wrote is not known.
    is_broken: bool,
    findings: &'f mut Vec<Finding>,
    unknown: &'f mut Unknown,
}

/// Commands that a reader does not know: how often, and where first.
type Unknown = BTreeMap<String, (u32, Span)>;

impl Commands<'_> {
    fn add(&mut self, name: impl Into<String>, does: &[Does]) {
        self.list.push(Command {
            name: name.into(),
            does: does.to_vec(),
            does_anyway: Vec::new(),
            launches: false,
            is_ranged: false,
        });
    }

    /// A command, which may be about a part of the caches that it names.
    fn add_ranged(&mut self, name: impl Into<String>, does: &[Does], is_ranged: bool) {
        self.add(name, does);
        let acts = |does: &Does| matches!(does, Does::Flush(_) | Does::Drop(_));
        if let Some(last) = self.list.last_mut() {
            last.is_ranged = is_ranged && does.iter().any(acts);
        }
    }

    fn launch(&mut self, name: &str) {
        self.add(name, &[]);
        if let Some(last) = self.list.last_mut() {
            last.launches = true;
        }
    }

    /// A command that the reader does not know: it is kept for people.
    fn unknown(&mut self, name: String, span: Span) {
        self.unknown.entry(name.clone()).or_insert((0, span)).0 += 1;
        self.add(name, &[]);
    }

    /// Something that cannot be read. What the driver lacks there may be what it says.
    fn broken(&mut self, span: Span, message: String) {
        self.is_broken = true;
        let finding = Finding::new(&mistakes::UNREADABLE, span, message)
            .note("the situation is left out; the others are kept")
            .help("record it again; a stream is the text that the harness wrote, line by line");
        self.findings.push(finding);
    }
}

/// The reader of a name.
pub fn reader(name: &str) -> Option<&'static StreamReader> {
    READERS.iter().copied().find(|reader| reader.name == name)
}

/// Whether a text is a stream: a line of it names a device, or is a mark, or is to be one of these.
pub fn is_stream(text: &str) -> bool {
    let mut lines = text.lines();
    lines.any(|line| recording::device(line).is_some() || recording::is_mark(line))
}

fn owner(driver: &str) -> Option<&'static StreamReader> {
    let is_own = |reader: &&&StreamReader| reader.short(driver).is_some();
    READERS.iter().find(is_own).copied()
}

impl StreamReader {
    /// What people call a driver.
    fn short(&self, driver: &str) -> Option<&'static str> {
        let mut drivers = self.drivers.iter();
        drivers
            .find(|(name, _)| *name == driver)
            .map(|(_, short)| *short)
    }

    /// The generation of a device, or where it is not known, the last one of the table.
    fn generation(&self, code: Option<&str>) -> (&Generation, bool) {
        let is_of = |it: &&Generation| code.is_some_and(|code| code.starts_with(it.code));
        let last = self
            .generations
            .last()
            .expect("each reader has generations");
        let known = self.generations.iter().find(is_of);
        known.map_or((last, false), |it| (it, true))
    }
}

/// Reads streams, one after the other: each begins where a line names its device. The reader of each is the one that is named
/// here, or the one that knows its driver. What cannot be read is a finding, and the rest is kept.
///
/// # Panics
/// Never for any text; each reader has a table of generations.
pub fn read(source: &Source, named: Option<&'static StreamReader>) -> PacketTrace {
    let mut trace = PacketTrace::default();
    let mut known = Known::new();
    for part in recording::parts(&source.text) {
        let (text, mut findings) = recording::read(&source.text, part);
        let driver = text.device.as_ref().map(|(it, span)| (it.driver, *span));
        match (named, driver.and_then(|(driver, _)| owner(driver))) {
            (Some(named), Some(own)) if named.name != own.name => {
                let span = driver.map_or(Span { start: 0, end: 0 }, |(_, span)| span);
                findings = vec![of_another(span, named, own)];
            }
            (Some(reader), _) | (None, Some(reader)) => {
                findings.extend(without_marks(&text));
                let lines = reader.lines(&text, &mut findings);
                trace.lines.extend(once(lines, &mut known, &mut findings));
            }
            // Why it names nobody was told.
            (None, None) if text.is_malformed => {}
            (None, None) => findings = vec![of_nobody(driver)],
        }
        trace.findings.extend(findings);
    }
    trace.findings.sort_by_key(|finding| finding.span);
    trace
}

/// What was recorded: driver, device, situation, form; and where.
type Known = BTreeMap<[Option<String>; 4], Span>;

/// Packets of what was not recorded in an earlier stream of the text.
fn once(lines: Vec<TraceLine>, known: &mut Known, findings: &mut Vec<Finding>) -> Vec<TraceLine> {
    let mut again: Vec<(TraceLine, Span)> = Vec::new();
    let mut kept = Vec::with_capacity(lines.len());
    for line in lines {
        let it = &line.packet;
        let key = [&it.driver, &it.device, &it.barrier, &it.form].map(Clone::clone);
        match known.entry(key) {
            Entry::Occupied(first) => again.push((line, *first.get())),
            Entry::Vacant(place) => {
                place.insert(line.span);
                kept.push(line);
            }
        }
    }
    findings.extend(recorded_again(&again));
    kept
}

fn recorded_again(again: &[(TraceLine, Span)]) -> Option<Finding> {
    let (line, first) = again.first()?;
    let name = cut(line.packet.barrier.as_deref().unwrap_or_default());
    let message = match again.len() {
        1 => format!("`{name}` is recorded a second time for the same device"),
        several => format!(
            "{several} situations are recorded a second time for the same device, the first is `{name}`"
        ),
    };
    let finding = Finding::new(&mistakes::OUT_OF_ORDER, line.span, message)
        .related(*first, "the first recording of it, which is kept")
        .note("the second ones are left out; all others are kept")
        .help("a text has each situation of a device once; a run that was recorded again is a text of its own");
    Some(finding)
}

/// That nothing of a stream is between marks.
fn without_marks(text: &recording::Text<'_>) -> Option<Finding> {
    let span = text
        .device
        .as_ref()
        .map_or_else(Span::default, |(_, span)| *span);
    let message = "the stream has no marks: nothing of it is recorded between `@@ SITUATION/FORM begin` and `@@ SITUATION/FORM end`";
    (!text.has_marks).then(|| {
        Finding::new(&mistakes::WITHOUT_PACKET, span, message)
            .note("nothing of this stream is kept")
            .help("a harness writes the marks `begin`, `before`, `barrier`, `after` and `end` of each situation")
    })
}

impl StreamReader {
    /// The packets of a stream.
    fn lines(&self, text: &recording::Text<'_>, findings: &mut Vec<Finding>) -> Vec<TraceLine> {
        let code = text
            .device
            .as_ref()
            .and_then(|(it, _)| (self.code)(it.name));
        let (generation, is_known) = self.generation(code.as_deref());
        if !is_known {
            findings.push(of_no_generation(text, self, generation, code.as_deref()));
        }
        let mut unknown = Unknown::new();
        let of = Stream {
            reader: self,
            generation,
            driver: text.device.as_ref().map(|(it, _)| it.driver_of(self)),
            device: code,
        };
        let lines = of.lines(&text.recordings, findings, &mut unknown);
        findings.extend(unknown.into_iter().map(of_unknown));
        lines
    }
}

/// Whose stream it is.
struct Stream<'a> {
    reader: &'a StreamReader,
    generation: &'a Generation,
    driver: Option<String>,
    device: Option<String>,
}

impl Stream<'_> {
    /// The packets of recordings, without what the same situation has without a barrier.
    fn lines(
        &self,
        recordings: &[Recording<'_>],
        findings: &mut Vec<Finding>,
        unknown: &mut Unknown,
    ) -> Vec<TraceLine> {
        let recordings = self.written(recordings, findings);
        let mut controls = BTreeMap::new();
        let mut broken = BTreeSet::new();
        for control in recordings.iter().filter(|it| it.is_control()) {
            let steps = STEPS.map(|mark| self.step(control, mark, findings, unknown));
            if steps.iter().any(|step| step.is_broken) {
                broken.insert(control.name);
            }
            controls.insert(control.name, steps.map(|step| step.list));
        }
        let asked = || recordings.iter().filter(|it| !it.is_control());
        let mut alone = asked().filter(|it| !controls.contains_key(it.name));
        if let Some(first) = alone.next() {
            findings.push(without_control(first, 1 + alone.count()));
        }
        let mut lines = Vec::new();
        let mut ranged: Option<(u32, &Recording<'_>)> = None;
        for recording in asked() {
            let control = controls.get(recording.name);
            let mut written = packet::Written::default();
            let mut is_broken = broken.contains(recording.name);
            for (at, mark) in STEPS.into_iter().enumerate() {
                let step = self.step(recording, mark, findings, unknown);
                is_broken |= step.is_broken;
                let without = control.map_or(&[][..], |steps| &steps[at]);
                written.step(self.reader, mark, (&step.list, &step.owed), without);
            }
            if is_broken {
                continue;
            }
            if written.ranged > 0 {
                ranged.get_or_insert((0, recording)).0 += written.ranged;
            }
            let [before, after] = [Mark::Before, Mark::After].map(|mark| recording.step(mark));
            if (self.reader.switches)(before, after) {
                written.switch();
            }
            lines.push(TraceLine {
                span: recording.span,
                packet: written.packet(self, recording),
            });
        }
        findings.extend(ranged.map(of_parts));
        lines
    }

    /// Recordings in which the driver wrote something that the reader reads.
    fn written<'r, 'a>(
        &self,
        recordings: &'r [Recording<'a>],
        findings: &mut Vec<Finding>,
    ) -> Vec<&'r Recording<'a>> {
        let reader = self.reader;
        let is_written = |it: &Recording<'_>| it.lines().any(|line| (reader.is_own)(line.text));
        let is_any = recordings.iter().any(is_written);
        let is_kept = |it: &&Recording<'_>| is_any && (!reader.writes_always || is_written(it));
        let (kept, empty): (Vec<_>, Vec<_>) = recordings.iter().partition(is_kept);
        findings.extend(
            empty
                .first()
                .map(|it| without_words(it, empty.len(), reader)),
        );
        kept
    }

    /// The commands of a step.
    fn step(
        &self,
        recording: &Recording<'_>,
        mark: Mark,
        findings: &mut Vec<Finding>,
        unknown: &mut Unknown,
    ) -> Step {
        let mut commands = Commands {
            list: Vec::new(),
            owed: Vec::new(),
            is_broken: false,
            findings,
            unknown,
        };
        (self.reader.read)(self.generation, recording.step(mark), &mut commands);
        Step {
            list: commands.list,
            owed: commands.owed,
            is_broken: commands.is_broken,
        }
    }
}

/// What a driver wrote in a step.
struct Step {
    list: Vec<Command>,
    owed: Vec<Does>,
    is_broken: bool,
}

/// The steps in which a driver writes what a barrier asks for.
const STEPS: [Mark; 3] = [Mark::Barrier, Mark::Wait, Mark::After];

fn of_another(span: Span, reader: &StreamReader, other: &StreamReader) -> Finding {
    let message = format!(
        "the stream is one that the reader `{}` knows, not `{}`",
        other.name, reader.name
    );
    Finding::new(&mistakes::UNREADABLE, span, message)
        .note("nothing of this stream is kept")
        .help(format!("say `--stream {}`, or leave it out", other.name))
}

fn of_nobody(driver: Option<(&str, Span)>) -> Finding {
    let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
    let (message, span) = driver.map_or_else(
        || {
            let device = recording::DEVICE;
            let message = format!("the stream names no driver: it has no line `{device}`");
            (message, Span { start: 0, end: 0 })
        },
        |(driver, span)| {
            let message = format!("no reader knows the driver `{}`", cut(driver));
            (message, span)
        },
    );
    Finding::new(&mistakes::UNREADABLE, span, message)
        .note("nothing of this stream is kept")
        .help(format!(
            "`--stream` says how it is read: {}",
            names.join(", ")
        ))
}

fn of_no_generation(
    text: &recording::Text<'_>,
    reader: &StreamReader,
    generation: &Generation,
    code: Option<&str>,
) -> Finding {
    let start = Span { start: 0, end: 0 };
    let span = text.device.as_ref().map_or(start, |(_, span)| *span);
    let device = code.map_or_else(
        || "no chip".to_owned(),
        |it| format!("the device `{}`", cut(it)),
    );
    let message = format!(
        "the stream names {device}: the reader `{}` does not know its generation",
        reader.name
    );
    Finding::new(&mistakes::UNKNOWN_NAME, span, message)
        .severity(crate::finding::Severity::Warning)
        .note(format!(
            "it is read as one of `{}…`, on the profile `{}`",
            generation.code, generation.profile
        ))
        .help("`--profile` names the machine")
}

fn without_words(first: &Recording<'_>, count: usize, reader: &StreamReader) -> Finding {
    let message = format!(
        "{} no line that the reader `{}` reads, the first is of `{}`",
        if count == 1 {
            "1 recording has".to_owned()
        } else {
            format!("{count} recordings have")
        },
        reader.name,
        cut(first.name)
    );
    Finding::new(&mistakes::WITHOUT_PACKET, first.span, message)
        .note("what the driver writes there is not known: these situations are left out")
        .help("record them again, and look whether the harness says why there is no stream")
}

fn without_control(first: &Recording<'_>, count: usize) -> Finding {
    let message = format!(
        "{count} recordings have none of the same situation without a barrier, the first is of `{}`",
        cut(first.name)
    );
    Finding::new(&mistakes::WITHOUT_PACKET, first.span, message)
        .note("whatever the driver writes there counts as written for the barrier")
        .help("record each situation as `nobarrier` too: what both have is not the barrier's")
}

/// That operations are on parts of caches, which no profile knows.
fn of_parts((count, first): (u32, &Recording<'_>)) -> Finding {
    let (operations, them) = match count {
        1 => ("1 operation is".to_owned(), "it"),
        several => (format!("{several} operations are"), "them"),
    };
    let message = format!(
        "{operations} on a part of a cache, the first of `{}`: the model has {them} on the whole cache",
        cut(first.name)
    );
    Finding::new(&mistakes::IMPOSSIBLE, first.span, message)
        .note("a situation that is enough may lack something outside of the parts")
        .help("compare the ranges with what the barrier is about; nothing here does")
}

fn of_unknown((name, (count, span)): (String, (u32, Span))) -> Finding {
    let times = if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    };
    Finding::new(
        &mistakes::UNKNOWN_NAME,
        span,
        format!("the stream has {name}, {times}, and no reader knows what it does"),
    )
    .note("it is kept as `raw` and does nothing; everything else is kept")
    .help("add a row to the table of the reader, with its source")
}
