//! The program from outside: words in, bytes and an exit status out.

mod commands;
mod ends;
mod everyday;
mod explain;
mod files;
mod graph;
mod input;
mod lines;
mod messages;
mod out;
mod place;
mod profiles;
mod report;
mod width;

use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A scenario without mistakes.
pub(crate) const CLEAN: &str = "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier {
    buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
  }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
}
timeline {
  gfx execute main
}
";

/// The same without its barrier: a hazard on line 5.
const HAZARD: &str = "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
}
timeline {
  gfx execute main
}
";

/// A directory of this test's own, empty.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target directory can be written");
    path
}

fn file(directory: &Path, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = directory.join(name);
    fs::write(&path, text).expect("the target directory can be written");
    path.display().to_string()
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncscope"));
    command
        .args(arguments)
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

fn syncscope(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("output is UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("messages are UTF-8")
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

/// One message with help on standard error, nothing on standard output, status 2.
#[track_caller]
fn unusable(arguments: &[&str], message: &str, help: &str) {
    let output = syncscope(arguments);
    let text = stderr(&output);
    assert_eq!(status(&output), Some(2), "{text}");
    assert_eq!(stdout(&output), "");
    assert_eq!(text.matches("error: ").count(), 1, "{text}");
    assert!(
        text.starts_with("error: ") && text.contains(message),
        "{text}"
    );
    assert!(text.contains("\nhelp: ") && text.contains(help), "{text}");
}

fn json(arguments: &[&str]) -> (Value, Output) {
    let output = syncscope(arguments);
    let value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(&output), stderr(&output)));
    (value, output)
}
