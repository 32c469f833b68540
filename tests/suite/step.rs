//! `syncscope step`: as text where nobody types, and under a pseudo-terminal where somebody does.

use crate::cli::command;
use crate::tour::files;
use std::process::Output;
use std::str::from_utf8;

const SCENE: &str = "scenarios/tour/02-missing-barrier.scn";

fn step(arguments: &[&str]) -> Output {
    let mut all = vec!["step"];
    all.extend_from_slice(arguments);
    command(&all).output().expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    from_utf8(&output.stdout).expect("text")
}

#[test]
fn all_beats_are_text_of_a_hundred_columns() {
    for path in files("scenarios/tour") {
        let path = path.display().to_string();
        let output = step(&[&path, "--ask"]);
        let text = stdout(&output);
        assert!(
            output.stderr.is_empty() && !text.contains('\u{1b}'),
            "{path}"
        );
        for line in text.lines() {
            assert!(line.chars().count() <= 100, "{path}: {line}");
        }
        let run = command(&["run", &path])
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), run.status.code(), "{path}");
    }
}

#[test]
fn until_stops_at_the_first_hazard_a_line_or_a_time() {
    let last = |until: &str| {
        let output = step(&[SCENE, "--until", until, "--format", "json"]);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let beats = value["beats"].as_array().expect("a list").clone();
        assert!(beats.len() <= value["beats_in_all"].as_u64().expect("a number") as usize);
        beats.last().expect("a beat").clone()
    };
    assert_eq!(last("hazard")["kind"], "hazard");
    assert_eq!(last("line 16")["line"], 16);
    let at = last("t 3.5us")["at_ps"].as_u64().expect("a time");
    assert!(at <= 3_500_000 && at > 3_000_000, "{at}");
}

#[test]
fn a_place_that_is_none_is_named() {
    let lines = std::fs::read_to_string(SCENE)
        .expect("a scene")
        .lines()
        .count();
    for (until, message, help) in [
        (
            "line 900",
            "there is no line `900`".to_owned(),
            format!("the text has lines 1 to {lines}"),
        ),
        (
            "noon",
            "`noon` is no place to stop".to_owned(),
            "write `hazard`, `line N` or `t 12us`".to_owned(),
        ),
        (
            "t 12",
            "`12` is not a time".to_owned(),
            "`t 12us`".to_owned(),
        ),
        (
            "line 1",
            "nothing later is about line 1".to_owned(),
            "told to its end".to_owned(),
        ),
    ] {
        let output = step(&[SCENE, "--until", until]);
        let error = from_utf8(&output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(&message) && error.contains(&help), "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn options_of_a_run_choose_the_machine() {
    let output = step(&[SCENE, "--profile", "intel", "--lowering", "full_flush"]);
    assert!(stdout(&output).starts_with("Missing barrier on intel with full_flush: "));
    let output = step(&[SCENE, "--profile", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = step(&["scenarios/rules/SC002/fires.scn"]);
    assert_eq!(errors.status.code(), Some(2));
    assert!(from_utf8(&errors.stderr).expect("text").contains("SC002"));
}

#[cfg(unix)]
mod terminal {
    use super::SCENE;
    use rexpect::process::PtyProcess;
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::process::Command;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread;
    use std::time::{Duration, Instant};

    /// How long a screen is waited for, on a machine under load.
    const PATIENCE: Duration = Duration::from_secs(60);
    const MARK: &str = "the terminal is as it was";

    /// What a terminal shows of the few sequences that are written: places, letters, and emptied screens.
    struct Screen {
        rows: Vec<Vec<char>>,
        at: (usize, usize),
        rest: String,
        all: String,
    }

    impl Screen {
        fn new(columns: usize, rows: usize) -> Self {
            Self {
                rows: vec![vec![' '; columns]; rows],
                at: (0, 0),
                rest: String::new(),
                all: String::new(),
            }
        }

        fn write(&mut self, text: &str) {
            self.all.push_str(text);
            let text = std::mem::take(&mut self.rest) + text;
            let mut letters = text.char_indices().peekable();
            while let Some((start, letter)) = letters.next() {
                match letter {
                    '\u{1b}' => {
                        let mut body = String::new();
                        let mut end = None;
                        let is_sequence = letters.next_if(|(_, c)| *c == '[').is_some();
                        while let Some((_, c)) = letters.next_if(|_| end.is_none()) {
                            if !is_sequence || c.is_ascii_alphabetic() {
                                end = Some(c);
                            } else {
                                body.push(c);
                            }
                        }
                        let Some(end) = end else {
                            text[start..].clone_into(&mut self.rest);
                            return;
                        };
                        self.sequence(&body, end);
                    }
                    '\r' => self.at.1 = 0,
                    '\n' => self.at.0 += 1,
                    _ => {
                        if let Some(cell) = self
                            .rows
                            .get_mut(self.at.0)
                            .and_then(|r| r.get_mut(self.at.1))
                        {
                            *cell = letter;
                        }
                        self.at.1 += 1;
                    }
                }
            }
        }

        fn sequence(&mut self, body: &str, end: char) {
            match end {
                'H' => {
                    let mut numbers = body.split(';').map(|n| n.parse().unwrap_or(1_usize));
                    let mut next = || numbers.next().unwrap_or(1).saturating_sub(1);
                    self.at = (next(), next());
                }
                // The screen that a program takes for itself is empty.
                'h' if body == "?1049" => self.rows.iter_mut().for_each(|row| row.fill(' ')),
                'J' => self.rows.iter_mut().for_each(|row| row.fill(' ')),
                _ => {}
            }
        }

        fn text(&self) -> String {
            let rows = self.rows.iter().map(|row| row.iter().collect::<String>());
            rows.collect::<Vec<_>>().join("\n")
        }

        /// The words of a screen without frames and line ends.
        fn words(&self) -> String {
            let text = self.text().replace(['|', '+'], " ");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
    }

    /// Somebody at a terminal.
    struct Session {
        process: PtyProcess,
        keys: File,
        seen: Receiver<String>,
        screen: Screen,
    }

    impl Session {
        /// Starts the program in a terminal of a size, and then says how the terminal is.
        fn start(columns: usize, rows: usize, arguments: &str) -> Self {
            let program = env!("CARGO_BIN_EXE_syncscope");
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(format!(
                "stty cols {columns} rows {rows}; stty -a >/dev/null; before=$(stty -g); \
                 sh -c \"echo \\\"process \\$\\$ \\\"; exec '{program}' step {arguments}\"; \
                 echo \"status $?\"; test \"$before\" = \"$(stty -g)\" && echo '{MARK}'"
            ));
            shell.env("TERM", "xterm").env_remove("NO_COLOR");
            let process = PtyProcess::new(shell).expect("a pseudo-terminal");
            let keys = process.get_file_handle().expect("a terminal");
            let mut output = process.get_file_handle().expect("a terminal");
            let (tell, seen) = channel();
            thread::spawn(move || {
                let mut bytes = [0; 4096];
                // A closed terminal ends with an error.
                while let Ok(count) = output.read(&mut bytes) {
                    let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                    if count == 0 || tell.send(text).is_err() {
                        break;
                    }
                }
            });
            Self {
                process,
                keys,
                seen,
                screen: Screen::new(columns, rows),
            }
        }

        /// Sends the program a signal.
        #[track_caller]
        fn signal(&self, name: &str) {
            let (_, rest) = self.screen.all.split_once("process ").expect("its id");
            let id = rest.split(' ').next().expect("its id");
            let mut kill = Command::new("sh");
            kill.arg("-c").arg(format!("kill -s {name} {id}"));
            assert!(kill.status().expect("a shell").success(), "{id}");
        }

        fn press(&mut self, keys: &str) {
            self.keys.write_all(keys.as_bytes()).expect("a key");
        }

        /// Waits until the screen shows some words.
        #[track_caller]
        fn shows(&mut self, words: &str) {
            let since = Instant::now();
            while !self.screen.words().contains(words) {
                assert!(
                    since.elapsed() < PATIENCE,
                    "`{words}` is not shown:\n{}",
                    self.screen.text()
                );
                if let Ok(text) = self.seen.recv_timeout(Duration::from_millis(100)) {
                    self.screen.write(&text);
                }
            }
        }

        /// Waits for the end of the program, which gives the terminal back.
        #[track_caller]
        fn ends(mut self, status: i32) {
            let since = Instant::now();
            while !self.screen.all.contains(MARK) {
                assert!(since.elapsed() < PATIENCE, "no end:\n{}", self.screen.all);
                if let Ok(text) = self.seen.recv_timeout(Duration::from_millis(100)) {
                    self.screen.write(&text);
                }
            }
            let all = &self.screen.all;
            assert!(all.contains(&format!("status {status}")), "{all}");
            let (taken, given) = (all.find("\u{1b}[?1049h"), all.rfind("\u{1b}[?1049l"));
            assert!(taken.is_some() && taken < given, "{all:?}");
            assert!(
                all.rfind("\u{1b}[?25h") > all.rfind("\u{1b}[?25l"),
                "the cursor is back"
            );
            let _ = self.process.exit();
        }
    }

    #[test]
    fn keys_go_on_and_back_to_the_hazard_and_out() {
        let mut session = Session::start(100, 32, &format!("{SCENE} --ascii"));
        session.shows("step 1 of 10");
        session.shows("The CPU submits dispatch \"move particles\" and draw \"particles\" to gfx.");
        session.shows("queues up to 0 ns");
        session.shows(">23 gfx execute frame");
        session.press("\r");
        session.shows("step 2 of 10");
        session.shows("draw \"particles\" (gfx#2) starts VERTEX_SHADING.");
        session.press("b");
        session.shows("step 1 of 10");
        session.press("b");
        session.shows("this is the start of the run");
        session.press(":until hazard\r");
        session.shows("HZ101 read-after-write");
        session.press("until line 900\r");
        session.shows("there is no line `900`: the text has lines 1 to");
        session.press("x");
        session.shows("`x` does nothing");
        session.press("q");
        session.ends(1);
    }

    #[test]
    fn a_question_is_answered_before_it_is_told() {
        let mut session = Session::start(100, 32, &format!("{SCENE} --ascii"));
        session.shows("step 1 of 10");
        session.press("?");
        session.shows("Which version of `particles` does draw \"particles\" (gfx#2) read?");
        session.shows("1 Version 0: initial contents.");
        assert!(
            !session.screen.words().contains("too early"),
            "nothing is told yet"
        );
        session.press("9");
        session.shows("type a number from 1 to 3");
        session.press("2");
        session.shows("No: Version 0: initial contents.");
        session.shows("reads version 0 of `particles` from memory, too early");
        session.press("\u{3}");
        session.ends(1);
    }

    /// A program that ends by signal 15 has the status 128 + 15 in a shell.
    #[test]
    fn a_signal_ends_it_after_the_terminal_is_given_back() {
        let mut session = Session::start(100, 32, &format!("{SCENE} --ascii"));
        session.shows("step 1 of 10");
        session.signal("TERM");
        session.ends(143);
    }

    #[test]
    fn a_small_terminal_says_what_it_needs() {
        let mut session = Session::start(50, 12, &format!("{SCENE} --ascii"));
        session.shows("needs at least 72 x 20");
        session.press("q");
        session.ends(1);
    }
}
