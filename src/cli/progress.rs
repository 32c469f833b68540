//! Work that takes a while: a bar that shows how far it is, and Ctrl-C, which ends it with what is done.

use indicatif::{ProgressBar, ProgressStyle};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

/// A bar on standard error that appears when work takes longer than a second. Nothing is drawn where standard error is no
/// terminal.
pub(super) struct Progress {
    began: Instant,
    /// What is counted.
    what: &'static str,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    pub(super) fn new(what: &'static str) -> Self {
        Self {
            began: Instant::now(),
            what,
            bar: OnceLock::new(),
        }
    }

    pub(super) fn show(&self, done: usize, all: usize) {
        if self.began.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let what = self.what;
            let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left");
            let style = ProgressStyle::with_template(&template);
            let bar = ProgressBar::new(all as u64);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    }

    pub(super) fn end(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

/// Whether somebody pressed Ctrl-C.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C asks what runs to end with what it has, and the second ends the program.
pub(super) fn listen() {
    /// What a shell reports of a program that an interrupt ended.
    const INTERRUPTED: i32 = 130;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the program, as it does without one.
        let _ = ctrlc::set_handler(|| {
            if IS_STOPPED.swap(true, Ordering::Relaxed) {
                process::exit(INTERRUPTED);
            }
        });
    });
}

/// Whether what runs is to end.
pub(super) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}
