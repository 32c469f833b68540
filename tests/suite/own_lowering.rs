//! Which lowering a run takes, and who named it: the command line, the scenario, the profile, or nobody.

use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::report::{self, Style};
use syncscope::run::{self, LoweringSource, Options, Report, Unusable};

const WORK: &str = "queue q : direct\ntimeline { q execute { dispatch 1x1x1 { } } }\n";

/// A run of a scene with one more line in front of it.
fn ran(device: &str, profile: &str, lowering: Option<&str>) -> Result<Report, Unusable> {
    let options = Options {
        profile: Some(profile.to_owned()),
        lowering: lowering.map(str::to_owned),
        ..Options::default()
    };
    let source = Source::new("work.scn", format!("{device}\n{WORK}"));
    run::run(&source, &catalog::registry(), &options)
}

/// Every combination of who may name one, on a profile with a lowering of its own and on one without.
#[test]
fn the_command_line_then_the_scenario_then_the_profile_names_the_lowering() {
    const DEVICE: &str = "device { lowering lazy }";
    let rows = [
        ("", "hopper", None, "nvidia_like", LoweringSource::Profile),
        ("", "rdna", None, "precise", LoweringSource::Registry),
        (DEVICE, "hopper", None, "lazy", LoweringSource::Scenario),
        (DEVICE, "rdna", None, "lazy", LoweringSource::Scenario),
        (
            "",
            "hopper",
            Some("precise"),
            "precise",
            LoweringSource::Options,
        ),
        (
            "",
            "rdna",
            Some("precise"),
            "precise",
            LoweringSource::Options,
        ),
        (
            DEVICE,
            "hopper",
            Some("full_flush"),
            "full_flush",
            LoweringSource::Options,
        ),
        (
            DEVICE,
            "rdna",
            Some("full_flush"),
            "full_flush",
            LoweringSource::Options,
        ),
    ];
    for (device, profile, asked, taken, by) in rows {
        let report = ran(device, profile, asked).expect("a run");
        let got = (report.lowering.as_str(), report.lowering_named_by);
        assert_eq!(got, (taken, by), "{device} {profile} {asked:?}");
    }
}

/// The first line for people and two values for programs say it.
#[test]
fn a_report_says_who_named_the_lowering() {
    let report = ran("", "hopper", None).expect("a run");
    let source = Source::new("work.scn", WORK);
    let mut text = Vec::new();
    report::terminal::write(&report, &source, &Style::default(), &mut text).expect("a vector");
    let text = String::from_utf8(text).expect("text");
    assert!(
        text.contains("on hopper with nvidia_like (named by the profile)"),
        "{text}"
    );
    let json = |report: &Report| -> serde_json::Value {
        let mut out = Vec::new();
        report::json::write(report, &source, &Style::default(), &mut out).expect("a vector");
        serde_json::from_slice(&out).expect("JSON")
    };
    let document = json(&report);
    assert_eq!(document["lowering"], "nvidia_like");
    assert_eq!(document["lowering_named_by"], "the profile");
    let nobody = json(&ran("", "rdna", None).expect("a run"));
    assert_eq!(nobody["lowering"], "precise");
    assert!(nobody["lowering_named_by"].is_null());
}

/// In a table of profiles each has its own, unless somebody asked for one.
#[test]
fn each_profile_of_a_table_has_its_own_lowering() {
    let registry = catalog::registry();
    let source = Source::new("work.scn", WORK);
    let table = |lowering: Option<&str>| {
        let names = ["rdna", "hopper"].map(str::to_owned);
        let options = Options {
            lowering: lowering.map(str::to_owned),
            ..Options::default()
        };
        let table = run::on_profiles(&source, &registry, &names, &options).expect("a table");
        let mut out = Vec::new();
        report::profiles::table(&table, &report::Style::default(), &mut out).expect("a vector");
        let names: Vec<String> = table.rows.into_iter().map(|row| row.lowering).collect();
        (names, String::from_utf8(out).expect("text"))
    };
    let (own, text) = table(None);
    assert_eq!(own, ["precise", "nvidia_like"]);
    assert!(
        text.starts_with("work.scn with precise; hopper with nvidia_like\n"),
        "{text}"
    );
    let (asked, text) = table(Some("lazy"));
    assert_eq!(asked, ["lazy", "lazy"]);
    assert!(text.starts_with("work.scn with lazy\n"), "{text}");
}

/// A file may name one too; a name that there is not is said with the profile's.
#[test]
fn a_profile_file_may_name_its_lowering() {
    let registry = catalog::registry();
    let file = |lowering: &str| {
        let text = registry.profiles[0].text;
        let text = text.replacen(
            "\nsummary",
            &format!("\nlowering = \"{lowering}\"\nsummary"),
            1,
        );
        let options = Options {
            profile: Some("mine.toml".to_owned()),
            files: run::Texts::from_iter([("mine.toml", text)]).into(),
            ..Options::default()
        };
        run::run(&Source::new("work.scn", WORK), &registry, &options)
    };
    assert_eq!(file("full_flush").expect("a run").lowering, "full_flush");
    let unknown = file("fastest").expect_err("no such lowering");
    assert!(
        unknown
            .message
            .contains("there is no lowering `fastest`, which the profile `rdna` names"),
        "{}",
        unknown.message
    );
    let empty = file("").expect_err("no name");
    assert!(
        empty
            .message
            .contains("lowering: name one, or leave it out"),
        "{}",
        empty.message
    );
}
