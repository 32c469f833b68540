//! Parts of pages that the program prints: blocks that begin with a command line (`$ syncscope …`), and tables between
//! `<!-- NAME:begin -->` and `<!-- NAME:end -->`.

use super::markdown::{self, Mark, region};
use super::{families, shell};
use std::fmt::Write as _;
use syncscope::catalog;
use syncscope::finding::Severity;

/// A table of a page that is made here.
struct Table {
    name: &'static str,
    page: &'static str,
    make: fn() -> String,
}

const TABLES: &[Table] = &[
    Table {
        name: "families",
        page: "book/src/output.md",
        make: families_and_severities,
    },
    Table {
        name: "hazards",
        page: "book/src/output.md",
        make: hazards,
    },
    Table {
        name: "caches",
        page: "book/src/machine.md",
        make: caches_of_rdna,
    },
    Table {
        name: "paths",
        page: "book/src/machine.md",
        make: || paths_of_rdna("path", "access"),
    },
    Table {
        name: "metadata paths",
        page: "book/src/machine.md",
        make: || paths_of_rdna("metadata", "metadata of"),
    },
    Table {
        name: "times",
        page: "book/src/machine.md",
        make: times_of_rdna,
    },
    Table {
        name: "pairs",
        page: "book/src/legacy.md",
        make: crate::legacy::pairs::table,
    },
    Table {
        name: "sizes",
        page: "book/src/architecture.md",
        make: crate::sizes::table,
    },
    Table {
        name: "frames",
        page: "book/src/place.md",
        make: crate::place::table,
    },
    Table {
        name: "captures",
        page: "book/src/place.md",
        make: crate::place::captured,
    },
    Table {
        name: "exports",
        page: "book/src/rule-files.md",
        make: crate::rule_files::export::table,
    },
    Table {
        name: "shipped",
        page: "book/src/judge.md",
        make: crate::judge::shipped::table,
    },
    Table {
        name: "profiles",
        page: "book/src/profiles.md",
        make: super::topics::profiles,
    },
    Table {
        name: "lowerings",
        page: "book/src/lowerings.md",
        make: super::topics::right_lowerings,
    },
    Table {
        name: "costs",
        page: "book/src/lowerings.md",
        make: super::topics::costs,
    },
    Table {
        name: "museum",
        page: "book/src/museum.md",
        make: super::topics::museum,
    },
    Table {
        name: "formats",
        page: "book/src/formats.md",
        make: super::topics::formats,
    },
    Table {
        name: "commands",
        page: "book/src/commands.md",
        make: super::topics::commands_with_links,
    },
    Table {
        name: "shaped",
        page: "book/src/lowerings.md",
        make: crate::judge::shaped::table,
    },
    Table {
        name: "lessons",
        page: "book/src/lessons.md",
        make: crate::lessons::table,
    },
    Table {
        name: "header",
        page: "book/src/lessons.md",
        make: crate::lessons::header,
    },
    Table {
        name: "limits",
        page: "book/src/speed.md",
        make: crate::limits::table,
    },
];

fn families_and_severities() -> String {
    const WORDS: [(Severity, &str); 4] = [
        (Severity::Error, "error"),
        (Severity::Hazard, "hazard"),
        (Severity::Warning, "warning"),
        (Severity::Advice, "advice"),
    ];
    let mut table =
        String::from("| family | is about | severities of its rules |\n|---|---|---|\n");
    for (family, rules) in families() {
        let counts: Vec<String> = WORDS
            .iter()
            .filter_map(|(severity, word)| {
                let count = rules.iter().filter(|r| r.severity == *severity).count();
                (count > 0).then(|| format!("{word} ({count})"))
            })
            .collect();
        let _ = writeln!(
            table,
            "| [`{0}`](rules/{0}.md) | {1} | {2} |",
            family.id,
            family.about,
            counts.join(", ")
        );
    }
    table
}

fn hazards() -> String {
    let mut table = String::from("| id | name | when |\n|---|---|---|\n");
    for (_, rules) in families().iter().filter(|(family, _)| family.id == "HZ") {
        for rule in rules {
            let _ = writeln!(
                table,
                "| [`{0}`](rules/{0}.md) | {1} | {2} |",
                rule.id,
                rule.name,
                rule.summary.trim_end_matches('.')
            );
        }
    }
    table
}

fn rdna() -> toml::Table {
    let registry = syncscope::catalog::registry();
    let text = registry.profiles.iter().find(|p| p.name == "rdna");
    toml::from_str(text.expect("the default profile").text).expect("a profile")
}

/// A number of a profile with its tag.
fn tagged(number: &toml::Value, unit: &str) -> String {
    let value = number["v"].as_integer().expect("a whole number");
    let tag = number["tag"].as_str().expect("a tag");
    let (value, unit) = match unit {
        "B" if value >= 1 << 20 && value % (1 << 20) == 0 => (value >> 20, "MiB"),
        "B" if value >= 1 << 10 && value % (1 << 10) == 0 => (value >> 10, "KiB"),
        "B/s" => (value / 1_000_000_000, "GB/s"),
        unit => (value, unit),
    };
    format!("{value} {unit} | {tag}")
}

#[test]
fn every_profile_says_where_its_tables_come_from() {
    let registry = catalog::registry();
    for entry in &registry.profiles {
        let profile = registry.profile(entry.name).expect("built in");
        for table in ["path", "layout", "waiting", "drain", "front_end"] {
            assert!(
                profile.origins().any(|(what, _)| what == table),
                "{} does not say where `{table}` comes from",
                entry.name
            );
        }
    }
}

fn caches_of_rdna() -> String {
    let mut table = String::from(
        "| cache | what it is | policy | shared | size | tag | line | tag | cleaned by | invalidated by |\n\
         |---|---|---|---|---:|---|---:|---|---|---|\n",
    );
    for cache in rdna()["cache"].as_array().expect("caches") {
        let text = |key: &str| cache[key].as_str().expect("text");
        let operation = |key| match text(key) {
            "" => "—".to_owned(),
            operation => format!("`{operation}`"),
        };
        let private = cache["private"].as_bool().expect("yes or no");
        let _ = writeln!(
            table,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
            text("id"),
            text("note"),
            text("policy"),
            if private { "no" } else { "yes" },
            tagged(&cache["size_bytes"], "B"),
            tagged(&cache["line_bytes"], "B"),
            operation("clean"),
            operation("invalidate"),
        );
    }
    table
}

/// The caches between accesses and memory; accesses of one path share a row.
fn paths_of_rdna(table: &str, head: &str) -> String {
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for (access, paths) in rdna()[table].as_table().expect("paths") {
        let paths = paths
            .as_array()
            .expect("a list of paths")
            .iter()
            .map(|path| {
                let caches = path.as_array().expect("a path").iter();
                let mut caches: Vec<String> = caches
                    .map(|cache| format!("`{}`", cache.as_str().expect("a cache")))
                    .collect();
                caches.push("memory".to_owned());
                caches.join(" → ")
            });
        let path = paths.collect::<Vec<_>>().join(" or ");
        let access = format!("`{access}`");
        match rows.iter_mut().find(|(known, _)| *known == path) {
            Some((_, accesses)) => accesses.push(access),
            None => rows.push((path, vec![access])),
        }
    }
    let mut text = format!("| {head} | path to memory |\n|---|---|\n");
    for (path, accesses) in rows {
        let _ = writeln!(text, "| {} | {path} |", accesses.join(", "));
    }
    text
}

/// Fixed costs and rates that the page speaks of.
fn times_of_rdna() -> String {
    const KEYS: [(&str, &str, &str); 8] = [
        ("fixed.drain_shader_ns", "ns", "drain of shader stages"),
        (
            "fixed.eop_wait_ns",
            "ns",
            "event at the end of the pipe, and the wait for it",
        ),
        ("fixed.front_end_ns", "ns", "hold of the front end"),
        (
            "fixed.layout_launch_ns",
            "ns",
            "launch of a layout operation",
        ),
        ("launch.barrier_ns", "ns", "packets of a barrier"),
        ("latency.resume_ns", "ns", "start of held work"),
        (
            "submit.scope_ns",
            "ns",
            "start of an `ExecuteCommandLists` call on the queue",
        ),
        ("rate.dram_bytes_per_s", "B/s", "memory bandwidth"),
    ];
    let mut table = String::from("| what | number | value | tag |\n|---|---|---:|---|\n");
    let numbers = rdna();
    for (key, unit, what) in KEYS {
        let number = tagged(&numbers["number"][key], unit);
        let _ = writeln!(table, "| {what} | `{key}` | {number} |");
    }
    for cache in numbers["cache"].as_array().expect("caches") {
        let id = cache["id"].as_str().expect("a name");
        for (key, what) in [("clean_ns", "clean"), ("invalidate_ns", "invalidate")] {
            if ["L0V", "CB", "L2"].contains(&id) && cache[key]["v"].as_integer() != Some(0) {
                let number = tagged(&cache[key], "ns");
                let _ = writeln!(table, "| {what} `{id}` | `{id}.{key}` | {number} |");
            }
        }
    }
    table
}

/// A page with its quoted output and its tables as the program makes them now; what cannot be made goes to `wrong`.
pub(super) fn renewed(name: &str, page: &str, wrong: &mut Vec<String>) -> String {
    let mut edits = Vec::new();
    for block in markdown::blocks(page) {
        let body = &page[block.body.clone()];
        if !body.starts_with("$ ") {
            continue;
        }
        let session = match block.mark {
            Mark::Exit(exit) => session(body, exit),
            Mark::NotRun(_) => Err("what is quoted must run".to_owned()),
        };
        match session {
            Ok(text) => edits.push((block.body, text)),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
    }
    for table in TABLES.iter().filter(|table| table.page == name) {
        match region(page, table.name) {
            Some(place) => edits.push((place, (table.make)())),
            None => wrong.push(format!("{name} has no region `{}`", table.name)),
        }
    }
    edits.sort_by_key(|(place, _)| place.start);
    let mut fresh = String::new();
    let mut done = 0;
    for (place, text) in edits {
        fresh.push_str(&page[done..place.start]);
        fresh.push_str(&text);
        done = place.end;
    }
    fresh + &page[done..]
}

/// The command lines of a block, each with what it prints.
fn session(body: &str, exit: i32) -> Result<String, String> {
    let mut fresh = String::new();
    for line in body.lines() {
        let Some(command) = line.strip_prefix("$ ") else {
            continue;
        };
        if command.split([' ', '…']).any(shell::is_placeholder) {
            return Err(format!("`{line}` is quoted with its output: name a file"));
        }
        if shell::is_left_out(command) {
            return Ok(body.to_owned());
        }
        let outcome = shell::run(command);
        if outcome.status != Some(exit) {
            let (status, why) = (outcome.status, &outcome.complaint);
            return Err(format!("`{line}` ends with {status:?}, not {exit}\n{why}"));
        }
        fresh.push_str(line);
        fresh.push('\n');
        for line in outcome.output.trim_end().lines() {
            fresh.push_str(line.trim_end());
            fresh.push('\n');
        }
    }
    Ok(fresh)
}
