//! Lowerings as rule files: an export is its lowering, or it is refused.

use super::commands::command;
use super::*;
use crate::once::Once;
use std::fmt::Write as _;
use syncscope::lower::rules::RuleFile;

/// What a lowering is as a rule file on a profile. Several tests ask: each answer is found out once.
fn export(lowering: &'static dyn Lowering, profile: &Profile) -> Result<RuleFile, String> {
    static KNOWN: Once<(String, String), Result<RuleFile, String>> = Once::new();
    let key = (lowering.name().to_owned(), profile.name.clone());
    KNOWN.of(key, || syncscope::verify::export(lowering, profile))
}

/// Exported rules are the lowering, packet by packet: on every scenario of the repository, and on random ones. The quick tier
/// takes one lowering on every fourth profile, another one on the next, and every 28th scenario for each, other ones for the next.
#[test]
fn exported_rules_are_their_lowering() {
    let mut compared = 0;
    let scenes = scenes();
    let (step, share) = (sizes::step(28, 7), sizes::step(4, 4));
    let names = ["precise", "full_flush", "forgets_invalidate", "nvidia_like"];
    let mut exported = 0;
    let profiles: Vec<&Profile> = PROFILES.iter().step_by(sizes::step(4, 1)).collect();
    for (at, profile) in profiles.iter().enumerate() {
        for name in names.into_iter().skip(at % share).step_by(share) {
            let lowering = built_in(name);
            let file = match export(lowering, profile) {
                Ok(file) => file,
                // It does what was measured there, beyond what a barrier says.
                Err(_) if name == "nvidia_like" && profile.name == "hopper" => continue,
                Err(why) => panic!("{name} on {}: {why}", profile.name),
            };
            exported += 1;
            let text = rules::print(&file);
            assert!(
                file.rules.len() < 150,
                "{name} on {}: {} rules",
                profile.name,
                file.rules.len()
            );
            let found = found(&text, profile);
            assert!(
                found.is_empty(),
                "{name} on {}: {:?}",
                profile.name,
                found[0]
            );
            let mine = rules(&text);
            for (place, text) in scenes.iter().skip(exported % step).step_by(step) {
                compared += same(&mine, lowering, text, place, profile);
            }
        }
    }
    let pairs = names.len() * profiles.len() / share;
    assert!(exported == pairs || exported == pairs - 1, "{exported}");
    let least = 50_000 * profiles.len() / PROFILES.len() / step / share;
    assert!(compared > least, "{compared}");
}

/// The same for `precise` on random scenarios with every kind of barrier, each on two machines.
#[test]
fn exported_precise_is_precise_on_random_scenarios() {
    // The quick tier takes every fifth one.
    let profiles: Vec<&Profile> = PROFILES.iter().step_by(sizes::step(5, 1)).collect();
    let exported: Vec<RuleLowering> = profiles
        .iter()
        .map(|profile| {
            let file = syncscope::lower::rules::export::export(built_in("precise"), profile);
            let file = file.unwrap_or_else(|refused| panic!("{}", refused.message));
            rules(&rules::print(&file))
        })
        .collect();
    let mut compared = 0;
    for seed in sizes::RUNS.seeds_times(7) {
        let text = machine_random::write(seed);
        for at in [seed as usize, seed as usize + 3] {
            let at = at % profiles.len();
            let place = format!("random {seed}");
            compared += same(
                &exported[at],
                built_in("precise"),
                &text,
                &place,
                profiles[at],
            );
        }
    }
    assert!(compared > 2_000, "{compared}");
}

/// Every lowering of the registry, each on a profile or two: its rules are it, on random scenarios that the export has not seen, or
/// it is refused with a reason.
#[test]
fn what_rules_cannot_say_is_refused() {
    let refused = |name: &str, on: &str| export(built_in(name), profile(on)).expect_err("no rules");
    assert!(refused("lazy", "rdna").contains("keeps barriers for later"));
    assert!(refused("nvidia_like", "hopper").contains("steps of its own"));
    assert!(
        refused("tracked", "rdna")
            .contains("rules made from single barriers say something else: in ")
    );
    assert!(refused("merged_flush", "rdna").contains("have an order of their own: in "));
    assert!(
        refused("live_alias", "rdna")
            .contains("rules made from single barriers say something else: in ")
    );
    let scenes: Vec<String> = (0..150).map(machine_random::write).collect();
    let (mut exported, mut compared) = (0, 0);
    // The quick tier takes the first one.
    let step = sizes::step(99, 4);
    let lowerings = catalog::registry().lowerings.into_iter().enumerate();
    for (at, lowering) in lowerings.step_by(step) {
        let on = [at + 3, at].map(|at| &PROFILES[at % PROFILES.len()]);
        let on = if sizes::is_full() { &on[..] } else { &on[..1] };
        for profile in on {
            match export(lowering, profile) {
                Ok(file) => {
                    exported += 1;
                    let mine = rules(&rules::print(&file));
                    for text in &scenes {
                        compared += same(&mine, lowering, text, "random", profile);
                    }
                }
                Err(why) => {
                    assert!(!why.is_empty() && !why.contains("CacheId"), "{why}");
                    let name = lowering.name();
                    let is_known = NOT_FOUND.contains(&(name, &profile.name));
                    assert!(is_known || !OF_ONE_BARRIER.contains(&name), "{name}: {why}");
                }
            }
        }
    }
    assert!(
        exported >= 8 / step && compared > 2_000 / step,
        "{exported} exported, {compared} compared"
    );
}

/// Lowerings that have rules on a profile, which the search does not find: the page has them as refused.
const NOT_FOUND: [(&str, &str); 3] = [
    ("rdna_like", "vega"),
    ("rdna_like", "intel"),
    ("legacy_driver", "vega"),
];

/// Lowerings whose packets are a function of one barrier.
const OF_ONE_BARRIER: [&str; 10] = [
    "precise",
    "full_flush",
    "forgets_invalidate",
    "rdna_like",
    "legacy_driver",
    "constants_kept",
    "indirect_past_hub",
    "lost_splits",
    "unheld_split",
    "common_is_nothing",
];

/// A lowering that is `precise` with one mistake is a short list of corrections of it.
#[test]
fn a_mistake_is_a_short_list_of_corrections() {
    let mistakes = [
        ("indirect_past_hub", "rdna12", 1),
        ("lost_splits", "tiler", 4),
        ("common_is_nothing", "intel", 4),
        ("constants_kept", "hopper", 12),
    ];
    for &(name, on, most) in sizes::first(2, &mistakes) {
        let file =
            export(built_in(name), profile(on)).unwrap_or_else(|why| panic!("{name}: {why}"));
        let text = rules::print(&file);
        assert!(text.contains("based-on precise"), "{text}");
        assert!((1..=most).contains(&file.rules.len()), "{text}");
    }
}

/// `verify` says of exported rules what it says of their lowering, and of a wrong rule file what is wrong.
#[test]
fn verify_takes_rule_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verified");
    fs::create_dir_all(&folder).expect("a folder");
    let verified = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        let path = path.display().to_string();
        let asked = ["verify", "--lowering", &path, "--profile", "rdna"];
        let (code, out, err) = command(&[&asked[..], &["--only", "scenarios/lowering"]].concat());
        (code, out + &err)
    };
    let precise = export(built_in("precise"), profile("rdna")).expect("rules");
    let (code, said) = verified("precise.lower", &rules::print(&precise));
    assert_eq!(code, Some(0), "{said}");
    let mut wrong = precise.clone();
    wrong
        .rules
        .retain(|rule| !rule.title().contains("invalidate GLM"));
    assert!(wrong.rules.len() < precise.rules.len());
    let (code, said) = verified("wrong.lower", &rules::print(&wrong));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("GLM"), "the operation is named: {said}");
}

/// An exported file with one operation less is noticed.
#[test]
fn a_changed_export_is_not_its_lowering() {
    let rdna = profile("rdna");
    let file = export(built_in("precise"), rdna).expect("rules");
    let scenario = prepared(COLOUR).expect("a scenario");
    let timeline = Timeline::new(&scenario);
    let all = rules(&rules::print(&file)).account(&timeline, rdna);
    let (_, matched) = &all.entries[0];
    assert!(matched.len() > 2, "several rules add up");
    let changed = matched.iter().filter(|hit| {
        let mut less = file.clone();
        less.rules.remove(hit.rule);
        let less = rules(&rules::print(&less));
        let a = less.lower(&timeline, rdna);
        packets(&a) != packets(&built_in("precise").lower(&timeline, rdna))
    });
    // Two rules may say the same of one barrier.
    assert!(changed.count() > 0, "rules add something");
}

/// A profile with more exceptions than are told apart.
#[test]
fn an_export_has_a_limit() {
    let mut text =
        String::from("base = \"rdna\"\nname = \"many\"\nsummary = \"many exceptions\"\n");
    for mip in [1, 2, 3, 5] {
        let _ = write!(
            text,
            "[[exception]]\nname = \"from {mip}\"\nsource = \"a test\"\nmips_from = {mip}\n\
             [exception.metadata]\nRENDER_TARGET = [[\"L2M\"]]\n"
        );
    }
    let registry = catalog::registry();
    let file = Source::new("many.toml", text);
    let many = run::load_profile(&registry, &file, &run::Texts::default());
    let many = many.unwrap_or_else(|what| panic!("{}", what.message));
    match syncscope::verify::export(built_in("precise"), &many) {
        Ok(rules) => assert!(rules.rules.len() > 10),
        Err(why) => assert!(why.contains("the limit is 16"), "{why}"),
    }
}

/// Which lowerings have rules, on which profiles: how many rules, and why there are none elsewhere. Asking all of them takes a
/// while: the quick tier keeps what the page says and asks a few.
pub(crate) fn table() -> String {
    if !sizes::is_full() && std::env::var_os("UPDATE_BOOK").is_none() {
        return page();
    }
    let mut table = String::from("| lowering | rules on | refused on |\n|---|---|---|\n");
    for lowering in catalog::registry().lowerings {
        let answers = PROFILES.iter().map(|profile| {
            let answer = export(lowering, profile).map(|file| file.rules.len());
            (profile.name.as_str(), answer)
        });
        let _ = writeln!(table, "{}", row(lowering.name(), answers));
    }
    table
}

fn row<'p>(name: &str, answers: impl Iterator<Item = (&'p str, Result<usize, String>)>) -> String {
    let mut exported = Vec::new();
    let mut refused: Vec<(String, Vec<&str>)> = Vec::new();
    for (profile, answer) in answers {
        match answer {
            Ok(rules) => exported.push(format!("{profile} {rules}")),
            Err(why) => {
                let reason = why.split(": ").next().unwrap_or_default();
                let reason = reason.replace('|', "\\|");
                match refused.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, on)) => on.push(profile),
                    None => refused.push((reason, vec![profile])),
                }
            }
        }
    }
    let refused = refused.into_iter();
    let refused = refused.map(|(reason, on)| format!("{}: {reason}", on.join(", ")));
    let refused = refused.collect::<Vec<_>>().join("; ");
    let link = format!("[`{name}`](lowerings/{name}.md)");
    format!("| {link} | {} | {refused} |", exported.join(", "))
}

/// What the page says now.
fn page() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/rule-files.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let (_, rest) = page
        .split_once("<!-- exports:begin -->\n")
        .expect("it has the table");
    let (table, _) = rest.split_once("<!-- exports:end -->").expect("it ends");
    table.to_owned()
}

/// The table of the page has every lowering, and is right on one profile of each.
#[test]
fn the_page_says_which_lowerings_have_rules() {
    let page = page();
    // The quick tier takes the first.
    let step = sizes::step(99, 3);
    let lowerings = catalog::registry().lowerings.into_iter().enumerate();
    for (at, lowering) in lowerings.step_by(step) {
        let name = lowering.name();
        let line = page
            .lines()
            .find(|line| line.starts_with(&format!("| [`{name}`](")))
            .unwrap_or_else(|| panic!("the table lacks {name}"));
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let profile = &PROFILES[(at * 3 + 2) % PROFILES.len()];
        let (has, on) = match export(lowering, profile) {
            Ok(file) => (2, format!("{} {}", profile.name, file.rules.len())),
            Err(_) => (3, profile.name.clone()),
        };
        let said = |part: &str| part.split([',', ';', ':']).any(|word| word.trim() == on);
        assert!(said(parts[has]), "{name}: `{on}` in {line}");
    }
}
