//! The terminal of a person who steps through a run: it is taken while the run is told, and given back however that ends.

use super::screen::{self, Ink};
use super::walk::{Key, Walk};
use crate::run::steps::Told;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;

/// Gives the terminal back, also when the program stops because of a mistake of ours.
struct Taken;

impl Drop for Taken {
    fn drop(&mut self) {
        // Nothing is left to be done if that fails.
        let _ = ratatui::try_restore();
    }
}

/// Steps through a run until somebody ends it.
///
/// # Errors
/// If the terminal cannot be used.
pub(super) fn walk(told: &Told, at: Option<usize>, ink: Ink) -> io::Result<()> {
    let _taken = Taken;
    // It also sees to it that a message of a mistake of ours is printed on the terminal as it was.
    let mut terminal = ratatui::try_init()?;
    let mut walk = Walk::new(told, at);
    loop {
        terminal.draw(|frame| screen::draw(frame, told, &walk, ink))?;
        let pressed = match event::read()? {
            Event::Key(key) => meant(key),
            // The next drawing has the new size.
            _ => None,
        };
        if pressed.is_some_and(|key| !walk.press(key)) {
            return Ok(());
        }
    }
}

/// What a key means.
fn meant(key: KeyEvent) -> Option<Key> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'd') if control => Key::Stop,
        KeyCode::Char(_) if control => return None,
        KeyCode::Char(letter) => Key::Letter(letter),
        KeyCode::Enter => Key::Enter,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}
