//! The terminal of a person who steps through a run: it is taken while the run is told, and given back however that ends.

use super::screen::{self, Ink};
use super::walk::{Key, Walk};
use crate::run::steps::Told;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::io;
use std::time::Duration;

/// How long a signal waits until the program looks for one.
const PATIENCE: Duration = Duration::from_millis(100);

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
    let signals = signals::watch()?;
    until_ended(told, at, ink, &|| signals.came())?;
    // The terminal is given back: now the program ends by the signal, as if nobody had waited for it.
    signals.obey()
}

/// Steps through a run until somebody at the terminal ends it, or a signal does.
fn until_ended(
    told: &Told,
    at: Option<usize>,
    ink: Ink,
    is_signalled: &dyn Fn() -> bool,
) -> io::Result<()> {
    let _taken = Taken;
    // It also sees to it that a message of a mistake of ours is printed on the terminal as it was.
    let mut terminal = ratatui::try_init()?;
    let mut walk = Walk::new(told, at);
    loop {
        terminal.draw(|frame| screen::draw(frame, told, &walk, ink))?;
        while !is_signalled() && !event::poll(PATIENCE)? {}
        if is_signalled() {
            return Ok(());
        }
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

/// The signal that asks a program to end: it waits until the terminal is given back. A terminal that is gone ends it at once.
#[cfg(unix)]
mod signals {
    use signal_hook::consts::SIGTERM;
    use signal_hook::{flag, low_level};
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Whether it came.
    pub(super) struct Signals(Arc<AtomicBool>);

    pub(super) fn watch() -> io::Result<Signals> {
        let came = Arc::new(AtomicBool::new(false));
        // Who waits in vain for the first one, sends a second.
        flag::register_conditional_default(SIGTERM, Arc::clone(&came))?;
        flag::register(SIGTERM, Arc::clone(&came))?;
        Ok(Signals(came))
    }

    impl Signals {
        pub(super) fn came(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }

        /// Ends the program, if it came.
        pub(super) fn obey(&self) -> io::Result<()> {
            if self.came() {
                low_level::emulate_default_handler(SIGTERM)?;
            }
            Ok(())
        }
    }
}

/// Elsewhere no signal is waited for.
#[cfg(not(unix))]
mod signals {
    use std::io;

    pub(super) struct Signals;

    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn watch() -> io::Result<Signals> {
        Ok(Signals)
    }

    impl Signals {
        pub(super) fn came(&self) -> bool {
            false
        }

        #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
        pub(super) fn obey(&self) -> io::Result<()> {
            Ok(())
        }
    }
}
