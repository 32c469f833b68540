//! Files that are changed: nothing is lost, whatever fails, and what is not text stays as it was.

use super::{HAZARD, directory, file, status, stderr, stdout, syncscope};
use std::fs;
use std::path::Path;

/// Correct, but not as `fmt` writes it.
const UNTIDY: &str = "queue   gfx : direct
// A comment.

buffer b : 4KiB {flags UNORDERED_ACCESS }
list main : direct {
    dispatch 1x1x1 { UNORDERED_ACCESS b writes }
}
timeline { gfx execute main }
";

/// What a command makes of a text in a file of its own.
#[track_caller]
fn after(name: &str, text: &str, command: &[&str]) -> String {
    let path = file(&directory(name), "a.scn", text);
    let output = syncscope(&[command, &[&path]].concat());
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
    fs::read_to_string(&path).expect("the file is still there")
}

fn windows(text: &str) -> String {
    format!("\u{feff}{}", text.replace('\n', "\r\n"))
}

#[test]
fn a_byte_order_mark_and_line_ends_stay() {
    for (text, command) in [(UNTIDY, &["fmt"][..]), (HAZARD, &["fix", "--write"])] {
        let plain = after("files-lf", text, command);
        assert_ne!(plain, text, "{command:?} changes the file");
        let kept = after("files-crlf", &windows(text), command);
        assert_eq!(kept, windows(&plain), "{command:?}");
        let again = after("files-crlf-again", &kept, command);
        assert_eq!(again, kept, "{command:?}");
    }
    let path = file(
        &directory("files-check"),
        "a.scn",
        windows(&after("files-tidy", UNTIDY, &["fmt"])),
    );
    let output = syncscope(&["fmt", "--check", &path]);
    assert_eq!((status(&output), stdout(&output)), (Some(0), ""));
}

#[test]
fn json_keeps_its_form_too() {
    let here = directory("files-json");
    let text = file(&here, "a.scn", HAZARD);
    let json = syncscope(&["fmt", "--to", "json", &text]);
    let json = windows(stdout(&json));
    for command in [&["fmt"][..], &["fix", "--write"]] {
        let path = file(&here, "a.json", &json);
        let output = syncscope(&[command, &[&path]].concat());
        assert_eq!(status(&output), Some(0), "{}", stderr(&output));
        let now = fs::read_to_string(&path).expect("the file is still there");
        assert!(now.starts_with("\u{feff}{\r\n"), "{command:?}");
        assert!(!now.replace("\r\n", "").contains('\n'), "{command:?}");
    }
}

#[test]
fn a_repair_touches_no_line_end_of_another_line() {
    // Most lines end in CRLF; the two that do not are none of the repair's business.
    let mixed = HAZARD
        .replace('\n', "\r\n")
        .replacen("direct\r\n", "direct\n", 1);
    let mixed = mixed.replace("}\r\ntimeline", "}\ntimeline");
    let fixed = after("files-mixed", &mixed, &["fix", "--write"]);
    assert!(fixed.starts_with("queue gfx : direct\nbuffer"), "{fixed:?}");
    assert!(fixed.contains("}\ntimeline {\r\n"), "{fixed:?}");
    assert_eq!(
        fixed.replace("\r\n", "").matches('\n').count(),
        2,
        "{fixed:?}"
    );
    let diff = syncscope(&[
        "fix",
        &file(
            &directory("files-diff"),
            "a.scn",
            HAZARD.replace('\n', "\r\n"),
        ),
    ]);
    let added: Vec<&str> = stdout(&diff)
        .split_inclusive('\n')
        .filter(|l| l.starts_with('+'))
        .skip(1)
        .collect();
    assert!(
        !added.is_empty() && added.iter().all(|l| l.ends_with("\r\n")),
        "{added:?}"
    );
}

#[test]
fn a_read_only_file_is_refused() {
    let here = directory("files-read-only");
    let path = file(&here, "a.scn", UNTIDY);
    let mut permissions = fs::metadata(&path).expect("it exists").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("it is ours");
    let output = syncscope(&["fmt", &path]);
    assert_eq!(status(&output), Some(2));
    let text = stderr(&output);
    assert!(
        text.contains("cannot be written: it is read-only; the file is unchanged"),
        "{text}"
    );
    assert!(
        text.contains("help: make it writable, or print with `--to scn`"),
        "{text}"
    );
    untouched(&here, UNTIDY);
}

/// The directory holds one file, with this text.
#[track_caller]
fn untouched(directory: &Path, text: &str) {
    let names: Vec<_> = fs::read_dir(directory)
        .expect("the directory is there")
        .map(|e| e.expect("an entry").path())
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(fs::read_to_string(&names[0]).expect("a text"), text);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::{Command, Output};

    #[test]
    fn a_link_and_the_permissions_stay() {
        for (text, command) in [(UNTIDY, &["fmt"][..]), (HAZARD, &["fix", "--write"])] {
            let here = directory("files-link");
            let real = here.join("real");
            fs::create_dir(&real).expect("a directory");
            let path = file(&real, "a.scn", text);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("it is ours");
            let link = here.join("link.scn");
            symlink("real/a.scn", &link).expect("a link");
            let name = link.display().to_string();
            let output = syncscope(&[command, &[&name]].concat());
            assert_eq!(status(&output), Some(0), "{}", stderr(&output));
            let is = fs::symlink_metadata(&link).expect("the link is there");
            assert!(is.is_symlink(), "the link was replaced");
            assert_ne!(
                fs::read_to_string(&path).expect("a text"),
                text,
                "the target was not changed"
            );
            let mode = fs::metadata(&path).expect("it exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
            assert_eq!(fs::read_dir(&real).expect("a directory").count(), 1);
        }
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let here = directory("files-pipe");
        let pipe = here.join("a.scn").display().to_string();
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|s| s.success()), "mkfifo");
        let output = shell(
            "cat \"$2\" > \"$1\" & exec \"$0\" fmt \"$1\"",
            &[&pipe, &file(&directory("files-in-pipe"), "b.scn", UNTIDY)],
        );
        assert_eq!(status(&output), Some(2));
        let text = stderr(&output);
        assert!(
            text.contains("cannot be written: it is no plain file"),
            "{text}"
        );
        assert!(text.contains("help: print with `--to scn`"), "{text}");
    }

    /// Runs the program from a shell: `$0` is the program, `$1` and so on are `arguments`.
    fn shell(script: &str, arguments: &[&str]) -> Output {
        Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_syncscope")])
            .args(arguments)
            .output()
            .expect("a shell")
    }

    /// Longer than what the limited system below takes.
    fn long(text: &str) -> String {
        format!(
            "{text}{}",
            "// Many words that make the file long enough.\n".repeat(60)
        )
    }

    #[test]
    fn without_room_the_old_file_stays_and_the_message_says_so() {
        for (text, command) in [(UNTIDY, "fmt"), (HAZARD, "fix --write")] {
            let here = directory("files-no-room");
            let text = long(text);
            let path = file(&here, "a.scn", &text);
            let script = format!("trap '' XFSZ; ulimit -f 1; exec \"$0\" {command} \"$1\"");
            let output = shell(&script, &[&path]);
            assert_eq!(status(&output), Some(2), "{command}");
            let said = stderr(&output);
            assert!(said.contains("cannot be written: File too large"), "{said}");
            assert!(said.contains("; the file is unchanged"), "{said}");
            assert!(
                said.contains("help: raise the limit on the size of files"),
                "{said}"
            );
            assert!(!said.contains("permissions"), "{said}");
            untouched(&here, &text);
        }
    }

    #[test]
    fn a_program_that_is_killed_while_it_writes_loses_nothing() {
        let here = directory("files-killed");
        let text = long(UNTIDY);
        let path = file(&here, "a.scn", &text);
        let output = shell("ulimit -f 1; \"$0\" fmt \"$1\"", &[&path]);
        assert_ne!(status(&output), Some(0));
        assert_eq!(fs::read_to_string(&path).expect("a text"), text);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_after_a_pipe_is_named() {
        let path = file(&directory("files-full"), "a.scn", UNTIDY);
        let output = shell("exec \"$0\" fmt --to scn \"$1\" > /dev/full", &[&path]);
        assert_eq!(status(&output), Some(2));
        let text = stderr(&output);
        assert!(
            text.contains("the output cannot be written: No space left on device"),
            "{text}"
        );
        assert!(text.contains("help: free space on that disk"), "{text}");
    }
}
