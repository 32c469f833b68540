//! `explain`: a page for each word that names something.

use super::{command, status, stdout, syncscope, unusable};
use syncscope::catalog::{self, FORMATS};
use syncscope::report::text;

/// Every word that has a page, with its kind; rules have tests of their own.
fn words() -> Vec<(&'static str, String)> {
    let registry = catalog::registry();
    let mut words = Vec::new();
    for entry in &registry.profiles {
        words.extend(
            [&[entry.name], entry.aliases]
                .concat()
                .iter()
                .map(|it| ("profiles", (*it).to_owned())),
        );
    }
    words.extend(
        registry
            .lowerings
            .iter()
            .map(|it| ("lowerings", it.name().to_owned())),
    );
    for format in FORMATS {
        words.extend(
            [&[format.name], format.aliases]
                .concat()
                .iter()
                .map(|it| ("formats", (*it).to_owned())),
        );
    }
    words.extend(commands().into_iter().map(|it| ("commands", it)));
    words
}

fn commands() -> Vec<String> {
    let listed = syncscope(&["list", "commands", "--format", "json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_slice(&listed.stdout).expect("JSON");
    let name = |it: &serde_json::Value| it["name"].as_str().expect("a name").to_owned();
    listed.iter().map(name).collect()
}

/// A page is laid out for 72 columns where there are fewer: a table takes that much.
#[test]
fn every_word_has_a_page_that_fits() {
    for (kind, word) in words() {
        for (columns, fit) in [("100", 100), ("60", 72)] {
            let page = command(&["explain", &word, "--kind", kind])
                .env("COLUMNS", columns)
                .output()
                .expect("the program starts");
            assert_eq!(status(&page), Some(0), "{word}");
            let page = stdout(&page);
            let head = page.lines().next().unwrap_or_default();
            let one = kind.trim_end_matches('s');
            assert!(head.contains(&format!(" ({one}")), "{head}");
            for line in page.lines() {
                // Clap breaks no usage.
                let fits = text::visible_width(line) <= fit || line.starts_with("Usage: ");
                assert!(
                    fits || !line.trim().contains(' '),
                    "{word} at {columns}:\n{line}"
                );
            }
            let markup = ["**", "](", "```", "|---"]
                .iter()
                .find(|it| page.contains(**it));
            assert_eq!(markup, None, "{word} at {columns}:\n{page}");
        }
    }
}

#[test]
fn another_name_has_the_same_page() {
    for (other, name) in [("rdna10", "rdna"), ("gcn5", "vega"), ("text", "terminal")] {
        let pages = [other, name].map(|word| syncscope(&["explain", word]).stdout);
        assert!(pages[0] == pages[1] && !pages[0].is_empty(), "{other}");
    }
}

/// What the page says is what the profile says: L2 of `rdna` is shared, written back, 4 MiB in lines of 128 bytes.
#[test]
fn a_profile_s_page_has_its_tables() {
    let page = syncscope(&["explain", "rdna", "--format", "markdown"]);
    let page = stdout(&page);
    for row in [
        "# rdna\n\n*Profile*: modelled on RDNA 1 and 2",
        "\n| `L2` | write-back | shared | 4 MiB | 128 B | the memory-side cache after it is transparent |\n",
        "\n| `CB` | write-back | shared | 16 of 16 KiB | 256 B | one per render back-end, split by screen address |\n",
        "\n| `CB` → `L2` → memory | `RENDER_TARGET`, `RESOLVE_DEST`, `RESOLVE_SOURCE` |\n",
        "\n| `GLM` → `L2` → memory | ",
        "- **metadata of small mips**, from mip 4 on: metadata of `RENDER_TARGET`, ",
        "\n| `U` | — | — | `SHADING_RATE_SOURCE` |\n",
        "[`precise`](../lowerings/precise.md)",
    ] {
        assert!(page.contains(row), "{row}\nis not in\n{page}");
    }
    let numbers = super::json(&["list", "profile", "rdna", "--numbers", "--format", "json"]).0;
    let tagged = |tag: &str| {
        let numbers = numbers.as_array().expect("a list").iter();
        numbers
            .filter(|it| it["key"].is_string() && it["tag"] == tag)
            .count()
    };
    let (published, assumed) = (tagged("published"), tagged("assumed"));
    let all = published + assumed;
    let counts = format!("**Numbers.** {all}: {published} published, {assumed} assumed.");
    assert!(published > 0 && page.contains(&counts), "{counts}\n{page}");
}

#[test]
fn a_mistake_s_page_has_its_finding() {
    let page = syncscope(&["explain", "lost_splits"]);
    let page = stdout(&page);
    for part in [
        "lost_splits (lowering, wrong on purpose)\n",
        "\nThe mistake. Barriers on buffers",
        "\n    // Both halves return early for SPLIT",
        "\n  11  nothing  ",
        "Finding, line 11: LW101 missing-operation",
        "\nSource. vkd3d-proton",
    ] {
        assert!(page.contains(part), "{part}\nis not in\n{page}");
    }
}

#[test]
fn json_s_page_names_schemas_and_a_command_s_page_is_its_help() {
    let page = syncscope(&["explain", "json"]);
    assert!(stdout(&page).contains("syncscope schema what-if"));
    let page = syncscope(&["explain", "github"]);
    assert!(!stdout(&page).contains("syncscope schema"));
    for name in commands() {
        let help = syncscope(&[&name, "--help"]);
        let help = stdout(&help).trim_end();
        assert!(help.contains("Exit status: 0 "), "{help}");
        let page = syncscope(&[
            "explain", &name, "--kind", "commands", "--format", "markdown",
        ]);
        let block = format!("\n```text\n{help}\n```\n");
        assert!(stdout(&page).contains(&block), "{name}: {}", stdout(&page));
        let page = syncscope(&["explain", &name, "--kind", "commands"]);
        assert!(stdout(&page).contains(help), "{name}: {}", stdout(&page));
    }
}

#[test]
fn a_word_with_two_meanings_has_two_pages() {
    let both = syncscope(&["explain", "diff"]);
    let kinds = ["formats", "commands"];
    let each = kinds.map(|kind| syncscope(&["explain", "diff", "--kind", kind]));
    let [format, command] = each.each_ref().map(stdout);
    assert!(format.starts_with("diff (format)\n"), "{format}");
    assert!(command.starts_with("diff (command)\n"), "{command}");
    assert_eq!(stdout(&both), format!("{format}\n{command}"));
    unusable(
        &["explain", "diff", "--kind", "profiles"],
        "no profile",
        "`syncscope list profiles`",
    );
}

#[test]
fn a_word_that_names_nothing_is_told_what_is_near() {
    unusable(
        &["explain", "rdna", "nothing-like-it"],
        "no rule or family, no",
        "`syncscope list lowerings`",
    );
    for (word, near) in [
        ("rdan", "`rdna` (a profile)"),
        ("presice", "`precise` (a lowering)"),
        ("sariff", "`sarif` (a format)"),
        ("verfy", "`verify` (a command)"),
        ("EB01", "`EB001` (a rule)"),
        ("dif", "`diff` (a format and a command)"),
    ] {
        unusable(&["explain", word], &format!("`{word}`"), near);
    }
    unusable(
        &["explain", "rdna", "--format", "json"],
        "a page about a word cannot be printed as `json`",
        "terminal, markdown",
    );
}
