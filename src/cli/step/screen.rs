//! The four panes of a step on a screen, and below them the sentence with what the keys do.

use super::walk::Walk;
use crate::report::steps::panes::{self, Line, Look, Signs};
use crate::report::text;
use crate::run::steps::Told;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;
use ratatui::text::Line as Row;
use ratatui::widgets::{Block, Paragraph};

/// The least that four panes need.
pub(super) const LEAST: (u16, u16) = (72, 20);
/// Lines of the lowest pane: a sentence or a question, and what the keys do.
const SAYS: u16 = 9;

/// Letters and colours of a screen.
#[derive(Copy, Clone)]
pub(super) struct Ink {
    pub(super) color: bool,
    pub(super) ascii: bool,
}

const KEYS: &str = "Enter next  b back  ? ask  : until hazard, line N, t 12us  q end";

/// Draws it all.
pub(super) fn draw(frame: &mut Frame<'_>, told: &Told, walk: &Walk<'_>, ink: Ink) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let says = format!("needs at least {} x {}; q ends", LEAST.0, LEAST.1);
        let lines = text::wrap(&says, usize::from(area.width.max(1)));
        let lines: Vec<Row<'_>> = lines.into_iter().map(Row::from).collect();
        frame.render_widget(Paragraph::new(lines), area);
        return;
    }
    let beat = walk.beat();
    let signs = Signs::new(ink.ascii);
    let [upper, lower] =
        Layout::vertical([Constraint::Min(0), Constraint::Length(SAYS)]).areas(area);
    let [left, right] =
        Layout::horizontal([Constraint::Percentage(46), Constraint::Min(0)]).areas(upper);
    let queues = u16::try_from(told.report.lanes.len() * 2 + 3).unwrap_or(u16::MAX);
    let queues = queues.min(upper.height / 2);
    let [queues, table] =
        Layout::vertical([Constraint::Length(queues), Constraint::Min(0)]).areas(right);

    let file = text::clean(&told.report.file);
    let pane = Pane { ink, area: left };
    pane.show(frame, &file, |room| panes::source(told, beat, room));
    let now = beat.map_or_else(Default::default, |beat| beat.at);
    let pane = Pane { ink, area: queues };
    let title = format!("queues up to {now}");
    pane.show(frame, &title, |(columns, _)| {
        panes::queues(told, now, signs, columns)
    });
    let pane = Pane { ink, area: table };
    let title = "versions: * is not written back";
    pane.show(frame, title, |room| panes::table(told, beat, room));
    let (done, all) = walk.progress();
    let pane = Pane { ink, area: lower };
    let title = format!("step {done} of {all}");
    pane.show(frame, &title, |room| spoken(walk, signs, room));
}

/// The sentence or the question, what is said about a key, and the keys.
fn spoken(walk: &Walk<'_>, signs: Signs, (columns, rows): (usize, usize)) -> Vec<Line> {
    let line = |text: &str, look| Line {
        text: text.to_owned(),
        look,
    };
    let mut lines = match (walk.question(), walk.beat()) {
        (Some(ask), _) => panes::question(ask, columns),
        (None, Some(beat)) => panes::says(beat, columns),
        (None, None) => vec![line("Nothing happens in this run.", Look::Plain)],
    };
    let mut foot = Vec::new();
    if !walk.note().is_empty() {
        let note = text::wrap(&text::clean(walk.note()), columns).into_iter();
        foot.extend(note.map(|text| line(&text, Look::Own)));
    }
    if let Some(typed) = walk.typed() {
        foot.push(line(&format!(":{typed}_"), Look::Own));
    } else {
        foot.push(line(&text::ellipsis(&signs.legend(), columns), Look::Quiet));
        foot.push(line(&text::ellipsis(KEYS, columns), Look::Quiet));
    }
    foot.truncate(rows);
    let room = rows - foot.len();
    lines.truncate(room);
    lines.resize_with(room, || line("", Look::Plain));
    lines.extend(foot);
    lines
}

/// A part of the screen with a frame around it.
struct Pane {
    ink: Ink,
    area: Rect,
}

impl Pane {
    fn show(
        &self,
        frame: &mut Frame<'_>,
        title: &str,
        lines: impl FnOnce((usize, usize)) -> Vec<Line>,
    ) {
        let set = if self.ink.ascii { ASCII } else { border::PLAIN };
        let width = usize::from(self.area.width.saturating_sub(4));
        let title = format!(" {} ", self.plain(&text::ellipsis(title, width)));
        let block = Block::bordered().border_set(set).title(title);
        let inner = block.inner(self.area);
        let room = (usize::from(inner.width), usize::from(inner.height));
        let rows: Vec<Row<'_>> = lines(room).iter().map(|line| self.row(line)).collect();
        frame.render_widget(Paragraph::new(rows).block(block), self.area);
    }

    fn plain(&self, text: &str) -> String {
        if self.ink.ascii {
            text::ascii(text)
        } else {
            text.to_owned()
        }
    }

    fn row(&self, line: &Line) -> Row<'static> {
        let text = self.plain(&line.text);
        let colored = |color| {
            if self.ink.color {
                Style::new().fg(color)
            } else {
                Style::new()
            }
        };
        let style = match line.look {
            Look::Plain => Style::new(),
            Look::Own => Style::new().add_modifier(Modifier::BOLD),
            Look::Wrong => colored(Color::Red).add_modifier(Modifier::BOLD),
            Look::Quiet => colored(Color::DarkGray),
        };
        Row::styled(text, style)
    }
}

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
