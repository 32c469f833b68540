//! What a terminal shows at a beat, pane by pane, as lines of a width: the text, the queues up to now, who holds which version,
//! and the sentence. Nothing of what comes after the beat is in them.

use super::sentence;
use crate::report::text;
use crate::run::steps::{Ask, BeatRow, Told};
use crate::run::{Does, Lane, Segment, SegmentKind};
use crate::time::Ps;

/// A line, and how much it stands out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The line.
    pub text: String,
    /// How it looks where there are colours.
    pub look: Look,
}

/// How a line looks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Look {
    /// As the rest.
    Plain,
    /// What the beat is about.
    Own,
    /// Something goes wrong.
    Wrong,
    /// Less than the rest.
    Quiet,
}

fn plain(text: String) -> Line {
    let look = Look::Plain;
    Line { text, look }
}

/// What can be drawn.
#[derive(Copy, Clone, Debug)]
pub struct Signs {
    work: char,
    drain: char,
    operate: char,
    held: char,
    fence: char,
    now: char,
}

impl Signs {
    /// Signs of an ordinary terminal, or only ASCII.
    pub fn new(ascii: bool) -> Self {
        if ascii {
            Self {
                work: '#',
                drain: '~',
                operate: '=',
                held: '.',
                fence: '-',
                now: '|',
            }
        } else {
            Self {
                work: '█',
                drain: '▒',
                operate: '▓',
                held: '░',
                fence: '─',
                now: '│',
            }
        }
    }

    /// What the signs mean.
    pub fn legend(self) -> String {
        format!(
            "{} works  {} held  {} barrier waits  {} barrier operates  {} waits for a fence",
            self.work, self.held, self.drain, self.operate, self.fence
        )
    }
}

/// The text around the line that a beat is about.
pub fn source(told: &Told, beat: Option<&BeatRow>, (columns, rows): (usize, usize)) -> Vec<Line> {
    let all: Vec<&str> = told.source.text.lines().collect();
    let own = beat.map_or(0, |beat| beat.line as usize);
    let first = own
        .saturating_sub(rows / 2 + 1)
        .min(all.len().saturating_sub(rows));
    let digits = all.len().to_string().len();
    let lines = all.iter().enumerate().skip(first).take(rows);
    lines
        .map(|(index, line)| {
            let is_own = index + 1 == own;
            let mark = if is_own { '>' } else { ' ' };
            let line = format!("{mark}{:>digits$} {}", index + 1, text::clean(line));
            Line {
                text: text::ellipsis(&line, columns),
                look: if is_own { Look::Own } else { Look::Plain },
            }
        })
        .collect()
}

/// The queues up to a time: a bar and what goes on, for each.
pub fn queues(told: &Told, now: Ps, signs: Signs, columns: usize) -> Vec<Line> {
    let all = &told.report.lanes;
    let widths = all.iter().map(|lane| text::width(&text::clean(&lane.name)));
    let gutter = widths.max().unwrap_or(0).clamp(3, 12);
    let room = columns.saturating_sub(gutter + 2).max(10);
    let mut lines = Vec::new();
    for lane in all {
        let title = text::left(&text::clean(&lane.name), gutter);
        let bar = bar(lane, now, signs, room);
        lines.push(plain(format!("{title} {bar}{}", signs.now)));
        let does = text::ellipsis(&going_on(lane, now), room);
        let look = Look::Quiet;
        let text = format!("{} {does}", " ".repeat(gutter));
        lines.push(Line { text, look });
    }
    let until = text::right(&format!("0 to {now}"), room + 1);
    lines.push(Line {
        text: format!("{} {until}", " ".repeat(gutter)),
        look: Look::Quiet,
    });
    lines
}

/// A queue from the start to now: in each column what goes on there, of several things the one that says most.
fn bar(lane: &Lane, now: Ps, signs: Signs, columns: usize) -> String {
    let mut bar: Vec<(u8, char)> = vec![(0, ' '); columns];
    let span = u128::from(now.0.max(1));
    let column = |at: Ps| {
        let at = u128::from(at.0.min(now.0)) * columns as u128 / span;
        usize::try_from(at).unwrap_or(columns)
    };
    let mut paint = |start: Ps, end: Ps, (rank, sign): (u8, char)| {
        if start >= now {
            return;
        }
        let (from, to) = (column(start), column(end));
        for cell in bar.iter_mut().take(to.max(from + 1)).skip(from) {
            if cell.0 < rank {
                *cell = (rank, sign);
            }
        }
    };
    for segment in &lane.segments {
        match segment.kind {
            SegmentKind::Work if segment.life.is_empty() => {
                paint(segment.start, segment.end, (5, signs.work));
            }
            SegmentKind::Work => {
                for part in segment.life.iter() {
                    match part.does {
                        Does::Work => paint(part.start, part.end, (5, signs.work)),
                        Does::Held | Does::Queue => paint(part.start, part.end, (2, signs.held)),
                        Does::Launch => {}
                    }
                }
            }
            SegmentKind::Barrier => {
                paint(segment.start, segment.drained, (3, signs.drain));
                paint(segment.drained, segment.end, (4, signs.operate));
            }
            SegmentKind::Fence | SegmentKind::Never => {
                paint(segment.start, segment.end, (1, signs.fence));
            }
            SegmentKind::Submit => {}
        }
    }
    bar.into_iter().map(|(_, sign)| sign).collect()
}

/// What a queue does at a time, in words.
fn going_on(lane: &Lane, now: Ps) -> String {
    let is_now = |segment: &&Segment| segment.start <= now && now < segment.end;
    let mut all: Vec<String> = Vec::new();
    for segment in lane.segments.iter().filter(is_now) {
        let label = text::clean(&segment.label);
        let id = &segment.id;
        all.push(match segment.kind {
            SegmentKind::Work => {
                let part = segment.life.iter().find(|p| p.start <= now && now < p.end);
                match part.map(|part| part.does) {
                    Some(Does::Held) => format!("{label} ({id}) is held"),
                    Some(Does::Queue) => format!("{label} ({id}) waits for its turn"),
                    Some(Does::Launch) => format!("{label} ({id}) is launched"),
                    _ => format!("{label} ({id}) works"),
                }
            }
            SegmentKind::Barrier if now < segment.drained => format!("barrier {id} waits"),
            SegmentKind::Barrier => format!("barrier {id} operates"),
            SegmentKind::Fence | SegmentKind::Never => format!("waits for a fence ({id})"),
            SegmentKind::Submit => continue,
        });
    }
    all.join(", ")
}

/// Which version of each resource is where. What is nowhere yet has no row and no column.
pub fn table(told: &Told, beat: Option<&BeatRow>, (columns, rows): (usize, usize)) -> Vec<Line> {
    let cells = &told.steps().cells;
    let now = cells.at(beat.map_or(0, |beat| beat.moments));
    let is_used = |place: usize| now.iter().any(|row| !row[place].is_empty());
    let places: Vec<usize> = (0..cells.places.len()).filter(|p| is_used(*p)).collect();
    let kept: Vec<usize> = (0..cells.resources.len())
        .filter(|r| places.iter().any(|p| !now[*r][*p].is_empty()))
        .collect();
    if kept.is_empty() {
        return vec![plain("nothing is written yet".to_owned())];
    }
    let names = kept
        .iter()
        .map(|r| text::width(&text::clean(&cells.resources[*r])));
    let first = names.max().unwrap_or(0).clamp(4, columns / 3);
    let widths: Vec<usize> = places
        .iter()
        .map(|p| {
            let all = kept.iter().map(|r| text::width(now[*r][*p]));
            all.max().unwrap_or(0).max(text::width(&cells.places[*p]))
        })
        .collect();
    let line = |name: &str, cell: &dyn Fn(usize) -> String| {
        let mut line = text::left(name, first);
        for (place, width) in places.iter().zip(&widths) {
            line.push_str("  ");
            line.push_str(&text::left(&cell(*place), *width));
        }
        text::ellipsis(line.trim_end(), columns)
    };
    let mut lines = vec![Line {
        text: line("", &|place| cells.places[place].clone()),
        look: Look::Quiet,
    }];
    // The row that the beat is about is always there.
    let own = beat.map_or("", |beat| &beat.resource);
    let own_at = kept.iter().position(|r| cells.resources[*r] == own);
    let room = rows.saturating_sub(1).max(1);
    let skip = own_at.map_or(0, |at| (at + 1).saturating_sub(room));
    for resource in kept.iter().skip(skip).take(room) {
        let name = &cells.resources[*resource];
        let is_own = name == own;
        lines.push(Line {
            text: line(&text::clean(name), &|place| {
                now[*resource][place].to_owned()
            }),
            look: if is_own { Look::Own } else { Look::Plain },
        });
    }
    lines
}

/// The sentence of a beat.
pub fn says(beat: &BeatRow, columns: usize) -> Vec<Line> {
    let is_wrong = beat.kind == "hazard" || !beat.wrong.is_empty();
    let look = if is_wrong { Look::Wrong } else { Look::Plain };
    let lines = text::wrap(&sentence(beat), columns).into_iter();
    lines.map(|text| Line { text, look }).collect()
}

/// A question, with a number before each choice.
pub fn question(ask: &Ask, columns: usize) -> Vec<Line> {
    let head = text::wrap(&text::clean(&ask.question), columns);
    let mut lines: Vec<Line> = head.into_iter().map(plain).collect();
    for (index, choice) in ask.choices.iter().enumerate() {
        let choice = format!("{}  {}", index + 1, text::clean(choice));
        let choice = text::hung(&choice, columns).into_iter();
        lines.extend(choice.map(plain));
    }
    lines
}
