//! What a message offers when a word or number is wrong in its place; ids in either case; names that turn the text's
//! direction.

use syncscope::finding::{Finding, Source};
use syncscope::report::{Style, terminal};
use syncscope::run::{self, Options};
use syncscope::{catalog, scenario};

/// The only finding of a text.
fn only(text: &str) -> Finding {
    let (_, findings) = scenario::parse(&Source::new("hint.scn", text));
    let [finding] = &findings[..] else {
        panic!("{text}\n{findings:#?}");
    };
    finding.clone()
}

const DECLARED: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }\nbuffer b : 4KiB\nqueue q : direct\n";

/// A text with a mistake, and what the message and the help say of it.
const HINTS: &[(&str, &str, &str)] = &[
    ("buffer c : 4MB", "found `4MB`", "write `4MiB`"),
    (
        "buffer c : 4 MiB",
        "has a blank before its unit",
        "write `4MiB`",
    ),
    (
        "buffer c : 4 MB { flags UNORDERED_ACCESS }",
        "`4 MB` has a blank",
        "write `4MiB`",
    ),
    ("buffer c : 0.5MiB", "found `0.5MiB`", "write `512KiB`"),
    ("buffer c : 12q", "found `12q`", "B, KiB, MiB or GiB"),
    (
        "list l : direct { clear-uav b[0..1 KiB] }",
        "has a blank before its unit",
        "write `1KiB`",
    ),
    (
        "list l : direct { dispatch 1x1x1 takes 5 us }",
        "has a blank before its unit",
        "write `5us`",
    ),
    (
        "list l : direct { draw takes 3s }",
        "found `3s`",
        "write `3000ms`",
    ),
    (
        "texture u : RGBA8 64x64",
        "unknown format `RGBA8`",
        "did you mean `R8G8B8A8_UNORM`?",
    ),
    (
        "texture u : D24S8 64x64",
        "unknown format",
        "did you mean `D24_UNORM_S8_UINT`?",
    ),
    // An access where a stage belongs.
    (
        "list l : direct { draw { SHADER_RESOURCE t @ SHADER_RESOURCE } }",
        "`SHADER_RESOURCE` is an access, not a stage",
        "its stages are VERTEX_SHADING, PIXEL_SHADING",
    ),
    (
        "list l : direct { draw { VERTEX_BUFFER b @ VERTEX_BUFFER } }",
        "is an access, not a stage",
        "its stage is VERTEX_SHADING",
    ),
    (
        "list l : direct { barrier { buffer b { sync COPY_DEST -> ALL; access COPY_DEST -> COMMON } } }",
        "`COPY_DEST` is an access, not a stage",
        "its stage is COPY",
    ),
    (
        "list l : direct { barrier { buffer b { sync SHADER_RESOURCE -> ALL; access COMMON -> COMMON } } }",
        "`SHADER_RESOURCE` is an access, not a stage",
        "its stages are VERTEX_SHADING, PIXEL_SHADING, COMPUTE_SHADING",
    ),
    (
        "list l : direct { barrier { buffer b { sync ALL -> ALL; access COPY -> COMMON } } }",
        "`COPY` is a stage, not an access",
        "its accesses are COPY_DEST, COPY_SOURCE",
    ),
    // A layout of what has none.
    (
        "list l : direct { barrier { buffer b { sync ALL -> ALL; access COMMON -> COMMON; layout COMMON -> COMMON } } }",
        "a buffer has no layout",
        "remove `layout`",
    ),
    (
        "list l : direct { barrier { global { sync ALL -> ALL; access COMMON -> COMMON; layout COMMON -> COMMON } } }",
        "a global barrier has no layout",
        "remove `layout`",
    ),
    (
        "buffer c : 4KiB { layout COMMON }",
        "a buffer has no layout",
        "remove `layout`",
    ),
    (
        "texture u : R8_UNORM 4x4 { layout COMMON }",
        "unknown texture option",
        "`initial LAYOUT`",
    ),
    // Legacy states, and the other way round.
    (
        "list l : direct { draw { PIXEL_SHADER_RESOURCE t } }",
        "`PIXEL_SHADER_RESOURCE` is a legacy state, not an access",
        "its access is SHADER_RESOURCE, at PIXEL_SHADING",
    ),
    (
        "list l : direct { barrier { texture t { sync ALL -> ALL; access COMMON -> NON_PIXEL_SHADER_RESOURCE } } }",
        "is a legacy state, not an access",
        "its access is SHADER_RESOURCE, at NON_PIXEL_SHADING",
    ),
    (
        "list l : direct { barrier { texture t { layout COMMON -> DEPTH_WRITE } } }",
        "`DEPTH_WRITE` is a legacy state, not a layout",
        "its layout is DEPTH_STENCIL_WRITE",
    ),
    (
        "texture u : R8_UNORM 4x4 { initial PIXEL_SHADER_RESOURCE }",
        "is a legacy state",
        "its layout is SHADER_RESOURCE",
    ),
    (
        "list l : direct { legacy { transition t RENDER_TARGET -> SHADER_RESOURCE } }",
        "`SHADER_RESOURCE` is an access, not a legacy state",
        "its states are NON_PIXEL_SHADER_RESOURCE, PIXEL_SHADER_RESOURCE, ALL_SHADER_RESOURCE",
    ),
    // Commands.
    (
        "list l : direct { clear t }",
        "unknown command `clear`",
        "did you mean `clear-rtv` or `clear-dsv` or `clear-uav`?",
    ),
    (
        "list l : direct { drw }",
        "unknown command `drw`",
        "did you mean `draw`?",
    ),
    (
        "list l : direct { Dispatch 1x1x1 }",
        "unknown command",
        "did you mean `dispatch`?",
    ),
    (
        "list l : direct { teapot }",
        "unknown command `teapot`",
        "the commands are draw, draw-indexed, dispatch",
    ),
    (
        "list l : direct { signal f 1 }",
        "unknown command `signal`",
        "a statement of `timeline { … }`",
    ),
    (
        "list l : direct { transition t COMMON -> COPY_DEST }",
        "unknown command",
        "entries of `legacy { … }`",
    ),
    // Names.
    (
        "list l : direct { clear-rtv colour }",
        "no texture or buffer is called `colour`",
        "declared are `t`, `b`",
    ),
    (
        "list l : direct { execute-bundle other }",
        "no list is called `other`",
        "declare the list",
    ),
    (
        "timeline { gfx execute { } }",
        "no queue is called `gfx`",
        "declared are `q`",
    ),
];

#[test]
fn every_hint_names_what_belongs_there() {
    for (statement, message, help) in HINTS {
        let finding = only(&format!("{DECLARED}{statement}\n"));
        assert!(
            finding.message.contains(message),
            "{statement}\n{finding:#?}"
        );
        let found = finding.help.as_deref().unwrap_or_default();
        assert!(found.contains(help), "{statement}\n{finding:#?}");
    }
    let many = (0..20).map(|i| format!("buffer b{i} : 4KiB\n"));
    let many = many.collect::<Vec<_>>().concat();
    let finding = only(&format!(
        "{many}list l : direct {{ clear-uav nothing_like_it }}\n"
    ));
    let help = finding.help.expect("a help");
    assert!(
        help.starts_with("declared are `b0`, `b1`") && help.ends_with("and 8 more"),
        "{help}"
    );
}

const RACE: &str = "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  @
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b } ~
} }
";

fn checked(allow: &str, expectation: &str) -> Vec<(&'static str, String)> {
    let text = RACE.replace('@', allow).replace('~', expectation);
    let report = run::check(&Source::new("ids.scn", text), &Options::default());
    report
        .findings
        .into_iter()
        .map(|f| (f.rule.id, f.message.to_string()))
        .collect()
}

#[test]
fn ids_are_the_same_in_either_case() {
    let registry = catalog::registry();
    for word in ["HZ101", "hz101", "Hz101", "READ-AFTER-WRITE"] {
        let named: Vec<_> = registry.named(word).iter().map(|r| r.id).collect();
        assert_eq!(named, ["HZ101"], "{word}");
        assert_eq!(registry.rule(word).map(|r| r.id), Some("HZ101"), "{word}");
        let found = checked(&format!("// syncscope: allow {word}"), "");
        assert!(found.is_empty(), "{word}: {found:?}");
        // Accepted, and met.
        let ids: Vec<_> = checked("", &format!("//~ {word}"))
            .iter()
            .map(|f| f.0)
            .collect();
        assert_eq!(ids, ["HZ101"], "{word}");
        let text = RACE.replace('@', "").replace('~', &format!("//~ {word}"));
        let source = Source::new("ids.scn", text);
        let differs = run::test_scenario(source, false, &registry, &Options::default(), &[]);
        assert_eq!(differs.expect("it runs"), [], "{word}");
    }
    assert!(registry.named("hz").len() > 5);
}

/// An expectation that no finding can meet is a mistake of the text: nothing else is looked at.
#[test]
fn an_expectation_of_an_unknown_rule_is_a_mistake_of_the_text() {
    for (word, near) in [
        ("NOPE1", "lists them"),
        ("HZ1O1", "did you mean `HZ101`?"),
        ("FN105", "lists them"),
        ("read-after-wrte", "did you mean `read-after-write`?"),
    ] {
        let text = RACE
            .replace('@', "")
            .replace('~', &format!("//~ HZ101, {word}"));
        let source = Source::new("ids.scn", text);
        for report in [
            run::check(&source, &Options::default()),
            run::run(&source, &catalog::registry(), &Options::default()).expect("a report"),
        ] {
            let [finding] = &report.findings[..] else {
                panic!("{word}: {:#?}", report.findings);
            };
            assert_eq!(finding.rule.id, "SC013");
            assert_eq!(
                *finding.message,
                *format!("`{word}` names no rule and no family of rules")
            );
            assert!(
                finding.help.as_deref().is_some_and(|h| h.contains(near)),
                "{finding:#?}"
            );
            assert_eq!(source.line(finding.span.start), 6);
        }
    }
}

#[test]
fn names_that_turn_the_direction_are_shown_escaped() {
    const TURNING: [char; 12] = [
        '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
        '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
    ];
    let all: String = TURNING.iter().collect();
    let text = RACE
        .replace("write\"", &format!("wr{all}ite\""))
        .replace('@', "")
        .replace('~', &format!("// {all}"));
    let text = format!("scenario \"ti{all}tle\"\n{text}");
    let source = Source::new(format!("na{all}me.scn"), text);
    let registry = catalog::registry();
    let report = run::run(&source, &registry, &Options::default()).expect("it runs");
    for color in [false, true] {
        let style = Style {
            color,
            ..Style::default()
        };
        let mut out = Vec::new();
        terminal::write(&report, &source, &style, &mut out).expect("a buffer");
        let out = String::from_utf8(out).expect("text");
        let raw: Vec<char> = TURNING.into_iter().filter(|c| out.contains(*c)).collect();
        assert!(raw.is_empty(), "{raw:?}\n{out}");
        for part in ["wr\\u{61c}\\u{200e}", "\\u{202e}"] {
            assert!(out.contains(part), "{part}\n{out}");
        }
        // The mark is below what it marks, although the escapes are longer.
        assert!(!out.contains('\u{fffd}'), "{out}");
    }
}
