//! What is not drawn, and what everything means.

use super::{COMMANDS, Page, ROWS};
use crate::report::svg::{Entry, LINE_LETTERS, WIDTH, legend};
use crate::report::text;

impl Page<'_> {
    /// What is not drawn, and what everything means.
    pub(super) fn foot(&mut self) {
        self.say_what_is_left_out();
        self.say_what_it_means();
    }

    fn say_what_is_left_out(&mut self) {
        let [commands, others] = self.crowded;
        if commands > 0 {
            let count = text::count(commands as u64, "command is", "commands are");
            self.notes.push(format!(
                "{count} not drawn: a queue has room for {COMMANDS} at once, for those of hazards first, then for the longest"
            ));
        }
        if others > 0 {
            let count = text::count(others as u64, "slice is", "slices are");
            self.notes.push(format!(
                "{count} not drawn: more than {ROWS} at once in one row"
            ));
        }
        if self.activity.left_out > 0 {
            let count = text::count(self.activity.left_out, "slice is", "slices are");
            self.notes
                .push(format!("{count} left out: the run is too long"));
        }
        for note in std::mem::take(&mut self.notes) {
            self.drawing.height += 18.0;
            let y = self.drawing.height;
            self.drawing
                .text((20.0, y), "faint", &text::ellipsis(&note, LINE_LETTERS));
        }
    }

    fn say_what_it_means(&mut self) {
        let shape = |class, words| Entry {
            class,
            is_line: false,
            words,
        };
        let mut entries = vec![shape("work", "command")];
        if self.has_stages {
            entries.push(shape("stage", "work of a stage"));
        }
        let drawn = &self.drawing.body;
        let has = |class: &str| drawn.contains(&format!("class=\"{class}\""));
        let waits = [
            ("held", "held by a barrier"),
            ("turn", "waits for its turn"),
            ("launch", "launch"),
            ("drain", "barrier drains: waits for earlier work"),
            ("clean", "writes a cache back (clean)"),
            ("invalidate", "drops cache lines (invalidate)"),
            ("layout", "layout operation"),
            ("other", "other barrier work"),
            ("fence", "signal, or wait for a fence"),
            ("never", "wait that never ends"),
        ];
        entries.extend(
            waits
                .iter()
                .filter(|(class, _)| has(class))
                .map(|(c, w)| shape(c, w)),
        );
        if !self.activity.exposed.is_empty() {
            entries.push(shape("exposed", "exposed: nothing runs on any queue"));
        }
        let line = |class, words| Entry {
            class,
            is_line: true,
            words,
        };
        let lines = [
            ("signal", "signal to wait"),
            ("keeps", "to the wait that keeps its signal"),
            ("link", "hazard, from side 1 to side 2"),
        ];
        let drawn_lines = lines.iter().filter(|(class, _)| has(class));
        entries.extend(drawn_lines.map(|(class, words)| line(class, words)));
        let y = self.drawing.height + 26.0;
        self.drawing.height = legend(&mut self.drawing, &entries, (20.0, y), WIDTH);
    }
}
