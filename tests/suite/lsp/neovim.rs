//! Neovim, with the configuration of the book, writes a scene of two queues from an empty file.

use crate::tools::skipped;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn neovim_writes_a_first_scene_by_completion_and_quick_fixes() {
    let is_there = Command::new("nvim")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    if !is_there.is_ok_and(|it| it.success()) {
        return skipped("Neovim is not installed");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir().expect("a directory");
    let scene = directory.path().join("first.scn");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S"])
        .arg(root.join("tests/suite/lsp/first_scene.lua"))
        .env("SYNCSCOPE", env!("CARGO_BIN_EXE_syncscope"))
        .env("CONFIG", root.join("book/editors/nvim.lua"))
        .env("SCENE", &scene)
        .env("XDG_CACHE_HOME", directory.path())
        .env("XDG_STATE_HOME", directory.path())
        .current_dir(directory.path())
        .output()
        .expect("Neovim starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let text = fs::read_to_string(&scene).expect("a scene");
    assert!(
        text.contains("signal done") && text.contains("wait done"),
        "{text}"
    );
    let ran = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["run", "--quiet"])
        .arg(&scene)
        .status();
    assert_eq!(ran.expect("it runs").code(), Some(0), "{text}");
    let formatted = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["fmt", "--check"])
        .arg(&scene)
        .status();
    assert_eq!(formatted.expect("it runs").code(), Some(0), "{text}");
}
