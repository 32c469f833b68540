//! Commands of every day: `watch`, `init`, `completions`, `man`, and several files at once.

use super::{CLEAN, HAZARD, command, directory, file, status, stderr, stdout, syncscope, unusable};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// A running `watch`, with what it says on standard error line by line.
struct Watched {
    program: Child,
    said: Receiver<String>,
}

impl Watched {
    fn start(arguments: &[&str]) -> Self {
        let mut program = command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let errors = BufReader::new(program.stderr.take().expect("a pipe"));
        let (send, said) = mpsc::channel();
        thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let _ = send.send(line);
            }
        });
        Self { program, said }
    }

    /// Waits until it says something that contains these words; returns what it said up to then.
    #[track_caller]
    fn says(&self, words: &str) -> Vec<String> {
        let mut heard = Vec::new();
        while let Ok(line) = self.said.recv_timeout(Duration::from_secs(120)) {
            let is_it = line.contains(words);
            heard.push(line);
            if is_it {
                return heard;
            }
        }
        panic!("`{words}` was not said, but {heard:?}");
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_watched_file_is_run_again_and_what_changed_is_said() {
    let d = directory("watch");
    let path = file(&d, "a.scn", HAZARD);
    let out = d.join("r.json").display().to_string();
    let page = d.join("r.html").display().to_string();
    let mut watched = Watched::start(&["watch", &path, "--out", &out, "--out", &page]);
    let until = |done: &dyn Fn() -> bool| {
        (0..3_000).any(|_| {
            thread::sleep(Duration::from_millis(20));
            done()
        })
    };
    let has = |word: &str| fs::read_to_string(&out).is_ok_and(|text| text.contains(word));
    assert!(until(&|| has("HZ101")), "the first run is there");
    // As editors save: a new file in the place of the old one.
    let new = file(&d, "a.scn.new", CLEAN);
    fs::rename(new, &path).expect("it can be renamed");
    watched.says("HZ101 at line 5 fixed");
    assert!(until(&|| !has("HZ101")), "the file is written again");
    // An open page loads itself anew.
    let reloads = |page: &str| page.contains("\"reloads_s\":2");
    let lists = |page: &str| page.contains("\"rule\":\"HZ101\"");
    let shown = || fs::read_to_string(&page).is_ok_and(|p| reloads(&p) && !lists(&p));
    assert!(until(&shown), "so is the page");
    // A file that is gone, or empty for a moment, is waited for.
    fs::remove_file(&path).expect("it is there");
    watched.says("waiting for it");
    file(&d, "a.scn", "");
    file(&d, "a.scn", HAZARD);
    watched.says("new: hazard HZ101 read-after-write at line 5");
    // A text that is not understood ends nothing, and fixes nothing: the next one is compared with the last that was.
    file(&d, "a.scn", "queue gfx direct\n");
    let heard = watched.says("not understood; last result kept");
    assert!(
        heard.iter().all(|line| !line.contains("fixed")),
        "{heard:?}"
    );
    file(&d, "a.scn", format!("{HAZARD}\n"));
    let heard = watched.says("nothing is different in what was found");
    assert!(
        heard.iter().any(|line| line.starts_with("--- run ")),
        "a line separates runs: {heard:?}"
    );
    let kill = std::process::Command::new("kill")
        .args(["-INT", &watched.program.id().to_string()])
        .status();
    assert!(kill.expect("kill is there").success());
    let ended = watched.program.wait().expect("it ends");
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn what_cannot_be_watched_is_said() {
    unusable(
        &["watch", "-"],
        "standard input cannot be watched",
        "name a scenario file",
    );
    unusable(
        &["watch", "nowhere/a.scn"],
        "no directory `nowhere`",
        "name a scenario file",
    );
    unusable(
        &["watch", "a.scn", "--out", "a.bmp"],
        "ends in no format",
        ".json",
    );
}

#[test]
fn a_first_project_is_clean_and_is_not_written_over() {
    let d = directory("init").join("new");
    let d = d.display().to_string();
    let output = syncscope(&["init", &d]);
    assert_eq!(
        (status(&output), stdout(&output)),
        (Some(0), ""),
        "{}",
        stderr(&output)
    );
    let scenario = format!("{d}/first.scn");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| {
            let metadata = fs::metadata(path).expect("it is there");
            metadata.permissions().mode() & 0o777
        };
        let plain = format!("{d}/plain");
        fs::write(&plain, "").expect("it can be written");
        let workflow = format!("{d}/.github/workflows/syncscope.yml");
        let modes = [mode(&scenario), mode(&workflow)];
        assert_eq!(modes, [mode(&plain); 2], "as any new file");
    }
    let output = syncscope(&["run", &scenario]);
    assert_eq!(status(&output), Some(0), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("no errors, no hazards"),
        "{}",
        stdout(&output)
    );
    assert_eq!(status(&syncscope(&["fmt", "--check", &scenario])), Some(0));
    // What its comment asks for makes a hazard.
    let text = fs::read_to_string(&scenario).expect("it is there");
    let wrong = text.replace(
        "RENDER_TARGET -> PIXEL_SHADING",
        "RENDER_TARGET -> VERTEX_SHADING",
    );
    assert_ne!(wrong, text);
    fs::write(&scenario, &wrong).expect("it is ours");
    assert_eq!(status(&syncscope(&["run", &scenario])), Some(1));
    // The workflow's own command.
    let workflow = fs::read_to_string(format!("{d}/.github/workflows/syncscope.yml"));
    let workflow = workflow.expect("it is there");
    let line = workflow
        .lines()
        .find_map(|l| l.trim().strip_prefix("- run: syncscope "));
    let arguments: Vec<&str> = line.expect("it runs the program").split(' ').collect();
    let output = command(&arguments)
        .current_dir(&d)
        .output()
        .expect("the program starts");
    assert_eq!(status(&output), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("::"), "{}", stdout(&output));
    assert!(
        fs::read_to_string(format!("{d}/syncscope.sarif"))
            .expect("a log")
            .contains("2.1.0")
    );

    unusable(&["init", &d], "is there already", "--force");
    assert_eq!(fs::read_to_string(&scenario).expect("it is there"), wrong);
    assert_eq!(status(&syncscope(&["init", &d, "--force"])), Some(0));
    assert_eq!(fs::read_to_string(&scenario).expect("it is there"), text);
}

#[test]
fn shells_and_manuals_know_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = syncscope(&["completions", shell]);
        assert_eq!(status(&output), Some(0));
        for word in ["verify", "watch", "what-if"] {
            assert!(stdout(&output).contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(status(&syncscope(&["completions", "tcsh"])), Some(2));
    let d = directory("man").join("pages");
    let d = d.display().to_string();
    let output = syncscope(&["man", &d]);
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
    let commands = syncscope(&["list", "commands", "--format", "json"]);
    let commands: serde_json::Value = serde_json::from_slice(&commands.stdout).expect("JSON");
    for command in commands.as_array().expect("commands") {
        let name = command["name"].as_str().expect("a name");
        let page = fs::read_to_string(format!("{d}/syncscope-{name}.1"));
        let page = page.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(page.contains(".TH") && page.contains(".SH NAME"), "{page}");
    }
    assert!(fs::read_to_string(format!("{d}/syncscope.1")).is_ok());
    let plain = file(&directory("man-file"), "a", "");
    unusable(&["man", &plain], "cannot be written", "another directory");
}

#[test]
fn directories_are_opened_and_summed_up() {
    let d = directory("several");
    file(&d, "a.scn", CLEAN);
    file(&d, "b.scn", HAZARD);
    file(&d, "notes.json", "{}");
    let deeper = directory("several/deeper");
    let broken = file(&deeper, "c.scn", "queue gfx direct\n");
    let name = d.display().to_string();
    for verb in ["run", "check"] {
        let output = syncscope(&[verb, &name]);
        assert_eq!(status(&output), Some(2));
        let said = stderr(&output).replace('\n', " ");
        assert!(
            said.contains("3 files: 1 without errors or hazards, 1 with errors or hazards ("),
            "{said}"
        );
        assert!(
            said.contains("1 not usable (") && said.contains(&broken),
            "{said}"
        );
        let quiet = syncscope(&[verb, &name, "-q"]);
        assert_eq!((stdout(&quiet), stderr(&quiet)), ("", ""));
    }
    let one = syncscope(&["check", &d.join("a.scn").display().to_string()]);
    assert_eq!(stderr(&one), "", "one file needs no summary");
}
