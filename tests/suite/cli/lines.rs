//! The lines that `fix` names are lines of the text that it was given, whatever its changes insert.

use super::{directory, file, json, status, stderr, syncscope};

/// A hazard that a barrier on a line of its own removes, and below it a draw that no compute list has.
const ENHANCED: &str = "queue gfx : direct
queue async : compute
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS a writes }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE a }
  dispatch \"write more\" 1x1x1 { UNORDERED_ACCESS b writes }
  dispatch \"read more\" 1x1x1 { SHADER_RESOURCE b }
}
list other : compute {
  draw \"never\" { }
}
timeline {
  gfx execute main
  async execute other
}
";

/// The same with legacy states.
const LEGACY: &str = "queue gfx : direct
queue async : compute
buffer a : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"before\" 1x1x1 { UNORDERED_ACCESS a writes }
  legacy {
    transition a UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE
  }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE a }
  legacy {
    transition a NON_PIXEL_SHADER_RESOURCE -> UNORDERED_ACCESS
  }
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS a writes }
  dispatch \"write again\" 1x1x1 { UNORDERED_ACCESS a writes }
}
list other : compute {
  draw \"never\" { }
}
timeline {
  gfx execute main
  async execute other
}
";

#[test]
fn what_is_left_is_named_by_its_line_in_the_given_text() {
    let d = directory("fix-lines");
    for (name, text, changed) in [
        ("enhanced.scn", ENHANCED, &["read\"", "read more"][..]),
        ("legacy.scn", LEGACY, &["write again"]),
    ] {
        let path = file(&d, name, text);
        let line = |what: &str| 1 + text.lines().position(|l| l.contains(what)).expect("a line");
        let output = syncscope(&["fix", &path]);
        let said = stderr(&output);
        assert_eq!(status(&output), Some(1), "{said}");
        let left = format!("EB049 list-command, line {}: left:", line("never"));
        assert!(said.contains(&left), "{left}: {said}");
        let (value, _) = json(&["fix", "--format", "json", &path]);
        assert_eq!(value["left"][0]["line"], line("never"), "{value:#}");
        let lines: Vec<_> = changed.iter().map(|what| line(what)).collect();
        let changes = value["changes"].as_array().expect("a list");
        let made: Vec<_> = changes
            .iter()
            .map(|c| c["line"].as_u64().expect("a line"))
            .collect();
        assert_eq!(
            made,
            lines.iter().map(|l| *l as u64).collect::<Vec<_>>(),
            "{value:#}"
        );
        // The changes do insert lines before what is left.
        let fixed = value["text"].as_str().expect("a text");
        let moved = 1 + fixed
            .lines()
            .position(|l| l.contains("never"))
            .expect("a line");
        assert!(moved > line("never"), "{fixed}");
    }
}
