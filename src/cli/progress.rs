//! Work that takes a while: a bar that shows how far it is, and Ctrl-C, which ends it with what is done.

use crate::report::text;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A bar on standard error that appears when work takes longer than a second. Nothing is drawn where standard error is no
/// terminal.
pub(super) struct Progress {
    began: Instant,
    /// Word for the things that are counted.
    what: String,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self {
            began: Instant::now(),
            what: what.into(),
            bar: OnceLock::new(),
        }
    }

    pub(super) fn show(&self, done: usize, all: usize) {
        if !IS_DRAWN.load(Ordering::Relaxed) || self.began.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let what = text::clean(&self.what).replace(['{', '}'], "");
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

/// Work of which nobody knows how much there is: after a second it is said what is done, and for how long.
pub(super) fn during<R>(what: &str, work: impl FnOnce() -> R) -> R {
    if !IS_DRAWN.load(Ordering::Relaxed) || !io::stderr().is_terminal() {
        return work();
    }
    let (done, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut bar: Option<ProgressBar> = None;
            // The sender is dropped when the work ends, also if it panics.
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                bar.get_or_insert_with(|| {
                    let template = format!(
                        "{{spinner}} {{elapsed}} {}",
                        text::clean(what).replace(['{', '}'], "")
                    );
                    let style = ProgressStyle::with_template(&template);
                    let bar = ProgressBar::new_spinner();
                    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
                    bar.enable_steady_tick(Duration::from_millis(200));
                    bar
                });
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Whether bars are drawn.
static IS_DRAWN: AtomicBool = AtomicBool::new(true);

/// Whether bars are drawn from now on.
pub(super) fn draw(is_drawn: bool) {
    IS_DRAWN.store(is_drawn, Ordering::Relaxed);
}

/// Whether somebody pressed Ctrl-C.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether what runs ends by itself after the first Ctrl-C.
static IS_LISTENED: AtomicBool = AtomicBool::new(false);

/// Files that Ctrl-C removes: they are not whole.
static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// From now on the first Ctrl-C asks what runs to end with what it has, and the second ends the program.
pub(super) fn listen() {
    IS_LISTENED.store(true, Ordering::Relaxed);
    handle();
}

/// A file that is to be removed if Ctrl-C ends the program.
pub(super) fn begun(path: &Path) {
    begun_files().push(path.to_owned());
    handle();
}

/// That file is whole, or gone.
pub(super) fn ended(path: &Path) {
    begun_files().retain(|begun| begun != path);
}

fn begun_files() -> MutexGuard<'static, Vec<PathBuf>> {
    BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn handle() {
    /// What a shell reports of a program that an interrupt ended.
    const INTERRUPTED: i32 = 130;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the program, as it does without one.
        let _ = ctrlc::set_handler(|| {
            let is_first = !IS_STOPPED.swap(true, Ordering::Relaxed);
            if is_first && IS_LISTENED.load(Ordering::Relaxed) {
                return;
            }
            // The program ends with the lock: nothing begins any more.
            for path in begun_files().iter() {
                let _ = fs::remove_file(path);
            }
            process::exit(INTERRUPTED);
        });
    });
}

/// Whether what runs is to end.
pub(super) fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}
