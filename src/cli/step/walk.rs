//! Where somebody is who steps through a run, and what a key does. No terminal is here.

use crate::run::steps::{Ask, BeatRow, Told, Until};

/// A key that was pressed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// A letter or sign.
    Letter(char),
    Enter,
    Left,
    Right,
    Home,
    End,
    Backspace,
    Escape,
    /// Ctrl-C or Ctrl-D.
    Stop,
}

/// What happens to the keys that come.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Mode {
    /// They step.
    Steps,
    /// They answer a question about the next beat.
    Asked,
    /// They are a command.
    Typed(String),
}

/// Somebody's place.
pub(super) struct Walk<'t> {
    told: &'t Told,
    /// The beat that was told last.
    at: Option<usize>,
    mode: Mode,
    /// What is said about the last key, if anything.
    note: String,
}

impl<'t> Walk<'t> {
    /// At the first beat, or where the run is to be told to; `lines` is the number of lines of the text.
    pub(super) fn new(told: &'t Told, at: Option<usize>) -> Self {
        let first = (!told.steps().beats.is_empty()).then_some(0);
        Self {
            told,
            at: at.or(first),
            mode: Mode::Steps,
            note: String::new(),
        }
    }

    /// The beat that was told last.
    pub(super) fn beat(&self) -> Option<&'t BeatRow> {
        self.told.steps().beats.get(self.at?)
    }

    /// How many beats have been told, and how many there are.
    pub(super) fn progress(&self) -> (usize, usize) {
        (self.next(), self.told.steps().beats.len())
    }

    /// What is asked, if something is.
    pub(super) fn question(&self) -> Option<&'t Ask> {
        let next = self.told.steps().beats.get(self.next())?;
        next.ask.as_ref().filter(|_| self.mode == Mode::Asked)
    }

    /// What is being typed.
    pub(super) fn typed(&self) -> Option<&str> {
        match &self.mode {
            Mode::Typed(text) => Some(text),
            Mode::Steps | Mode::Asked => None,
        }
    }

    /// What is said about the last key.
    pub(super) fn note(&self) -> &str {
        &self.note
    }

    fn next(&self) -> usize {
        self.at.map_or(0, |at| at + 1)
    }

    /// Does what a key means; false: it is over.
    pub(super) fn press(&mut self, key: Key) -> bool {
        self.note.clear();
        if key == Key::Stop {
            return false;
        }
        match std::mem::replace(&mut self.mode, Mode::Steps) {
            Mode::Typed(text) => self.typing(text, key),
            Mode::Asked => self.answer(key),
            Mode::Steps => return self.step(key),
        }
        true
    }

    fn step(&mut self, key: Key) -> bool {
        let count = self.told.steps().beats.len();
        match key {
            Key::Enter | Key::Right | Key::Letter('n' | ' ') if self.next() < count => {
                self.at = Some(self.next());
            }
            Key::Enter | Key::Right | Key::Letter('n' | ' ') => {
                "this is the end of the run".clone_into(&mut self.note);
            }
            Key::Left | Key::Backspace | Key::Letter('b' | 'p') => match self.at {
                Some(at) if at > 0 => self.at = Some(at - 1),
                _ => "this is the start of the run".clone_into(&mut self.note),
            },
            Key::Home if count > 0 => self.at = Some(0),
            Key::End if count > 0 => self.at = Some(count - 1),
            Key::Letter('?') => self.ask(),
            Key::Letter(':') => self.mode = Mode::Typed(String::new()),
            Key::Letter('u') => self.mode = Mode::Typed("u".to_owned()),
            Key::Letter('q') | Key::Escape => return false,
            Key::Letter(letter) => {
                self.note = format!(
                    "`{letter}` does nothing: Enter goes on, b back, ? asks, : until …, q ends"
                );
            }
            Key::Home | Key::End | Key::Stop => {}
        }
        true
    }

    /// Goes to the next question: what comes before it is told.
    fn ask(&mut self) {
        let later = self.told.steps().beats.iter().enumerate();
        let mut later = later.skip(self.next());
        match later.find(|(_, beat)| beat.ask.is_some()) {
            Some((index, _)) => {
                self.at = index.checked_sub(1);
                self.mode = Mode::Asked;
            }
            None => "nothing more can be asked".clone_into(&mut self.note),
        }
    }

    fn answer(&mut self, key: Key) {
        self.mode = Mode::Asked;
        let Some(ask) = self.question() else {
            self.mode = Mode::Steps;
            return;
        };
        let chosen = match key {
            Key::Letter(digit) => digit.to_digit(10).and_then(|d| (d as usize).checked_sub(1)),
            _ => None,
        };
        match (key, chosen.filter(|c| *c < ask.choices.len())) {
            (_, Some(chosen)) => {
                let right = chosen == ask.answer;
                let word = if right { "Right" } else { "No" };
                self.note = format!("{word}: {}", ask.solution());
            }
            (Key::Enter | Key::Right, None) => self.note = ask.solution(),
            (Key::Escape | Key::Left | Key::Letter('b' | 'q'), None) => {
                self.mode = Mode::Steps;
                return;
            }
            _ => {
                self.note = format!(
                    "type a number from 1 to {}, Enter for the answer, or b to leave the question",
                    ask.choices.len()
                );
                return;
            }
        }
        self.mode = Mode::Steps;
        self.at = Some(self.next());
    }

    fn typing(&mut self, mut text: String, key: Key) {
        match key {
            Key::Letter(letter) => {
                text.push(letter);
                self.mode = Mode::Typed(text);
            }
            Key::Backspace => {
                if text.pop().is_some() {
                    self.mode = Mode::Typed(text);
                }
            }
            Key::Enter => self.command(&text),
            Key::Escape => {}
            _ => self.mode = Mode::Typed(text),
        }
    }

    fn command(&mut self, text: &str) {
        let text = text.trim();
        let place = text.strip_prefix("until").unwrap_or(text);
        let place = Until::parse(place, self.told.lines());
        let found = place.and_then(|until| self.told.steps().until(self.at, until));
        match found {
            Ok(at) => self.at = Some(at),
            Err(what) => self.note = what.to_string(),
        }
    }
}
