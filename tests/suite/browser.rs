//! Pages in a real browser: headless Chromium opens one, does what `#do=…` says, and writes down what there is to see. Skipped
//! with a message where there is no Chromium.
//!
//! A browser takes a second to start and less than half of it to open a page, so one that is started is kept, with its tab. It is
//! asked through the pipe of its `DevTools` protocol: messages are JSON, and a zero byte ends each. It ends when this program does.

use crate::tools::skipped;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Browsers that no test uses at the moment.
static FREE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// How long a page may take to say what it shows, on a machine under load.
const PATIENCE: Duration = Duration::from_secs(180);

/// What a page says of itself, if it has. One that opens several pages in itself is busy until it has what all of them say.
const SAID: &str =
    "document.body?.dataset.busy ? '' : document.getElementById('probe')?.textContent || ''";

/// Gives the program that follows the protocol's two channels, 3 and 4, and removes its profile when it has ended.
const STARTER: &str = r#"profile=$1; shift
"$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>"$profile.log"
rm -rf "$profile" "$profile.log""#;

/// The browser's program, if there is one. `SYNCSCOPE_BROWSER` names another.
pub(crate) fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("SYNCSCOPE_BROWSER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let known = ["chromium", "chromium-browser", "google-chrome"];
    let mut all = known
        .iter()
        .flat_map(|name| places.iter().map(move |p| p.join(name)));
    let found = named.or_else(|| all.find(|file| file.is_file()));
    if found.is_none() {
        skipped("no Chromium is installed");
    }
    found
}

/// Opens a page, does something, and returns what the page then says of itself.
pub(crate) fn seen(program: &Path, page: &str, hash: &str) -> Value {
    let kept = free().pop();
    let mut browser = kept.unwrap_or_else(|| Browser::start(program));
    let seen = browser.seen(page, hash);
    free().push(browser);
    seen
}

fn free() -> MutexGuard<'static, Vec<Browser>> {
    // The list is whole whoever held the lock.
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A browser that runs.
struct Browser {
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Questions so far.
    asked: u64,
    /// The tab in which pages are opened, as the protocol calls it.
    tab: Option<String>,
    /// What it complains of.
    log: PathBuf,
    _starter: Child,
}

impl Browser {
    fn start(program: &Path) -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let nth = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("browser-{}-{nth}", std::process::id());
        let profile = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut child = Command::new("sh")
            .args(["-c", STARTER, "sh"])
            .args([&profile, program])
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--hide-scrollbars", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-extensions"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(["--window-size=1280,720", "--remote-debugging-pipe"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let mut browser = Self {
            asks: child.stdin.take().expect("a pipe"),
            answers: BufReader::new(child.stdout.take().expect("a pipe")),
            asked: 0,
            tab: None,
            log: profile.with_extension("log"),
            _starter: child,
        };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", &attach);
        browser.tab = session["sessionId"].as_str().map(str::to_owned);
        browser
    }

    /// The answer to a question; what else the browser says until then is of no interest.
    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let mut question = json!({ "id": self.asked, "method": method, "params": parameters });
        if let Some(tab) = &self.tab {
            question["sessionId"] = tab.as_str().into();
        }
        // A browser that has ended is told below.
        let _ = self.asks.write_all(format!("{question}\0").as_bytes());
        let mut message = Vec::new();
        loop {
            message.clear();
            let read = self.answers.read_until(0, &mut message);
            if message.pop() != Some(0) {
                let log = std::fs::read_to_string(&self.log).unwrap_or_default();
                panic!("the browser has ended at `{method}` ({read:?}): {log}");
            }
            let answer: Value = serde_json::from_slice(&message).expect("JSON");
            if answer["id"] == self.asked {
                assert!(answer["error"].is_null(), "{question}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn seen(&mut self, page: &str, hash: &str) -> Value {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("report.html");
        std::fs::write(&file, page).expect("written");
        let url = format!("file://{}#{hash}", file.display());
        self.ask("Page.navigate", &json!({ "url": url }));
        let began = Instant::now();
        loop {
            let said = self.ask("Runtime.evaluate", &json!({ "expression": SAID }));
            match said["result"]["value"].as_str() {
                Some(said) if !said.is_empty() => return serde_json::from_str(said).expect("JSON"),
                _ => thread::sleep(Duration::from_millis(5)),
            }
            assert!(
                began.elapsed() < PATIENCE,
                "the page has not said what it shows: {said}"
            );
        }
    }
}
