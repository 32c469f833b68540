//! Hand-made reports: the page keeps its width and its speed whatever it is given.

use super::*;
use crate::finding::{Finding, Hazard, Links, Party, Rule, Span};
use crate::id::narrow;
use crate::run::{BarrierRow, FieldsRow, Lane, Segment, SegmentKind, Totals};
use std::sync::Arc;

static RAW: Rule = Rule {
    id: "HZ101",
    name: "read-after-write",
    severity: Severity::Hazard,
    summary: "",
    prose: "",
};
static WIDE: Rule = Rule {
    id: "RD101",
    name: "redundant-barrier",
    severity: Severity::Warning,
    summary: "",
    prose: "",
};
static LAYOUT: Rule = Rule {
    id: "EB204",
    name: "layout-does-not-allow-access",
    severity: Severity::Error,
    summary: "",
    prose: "",
};

const TEXT: &str = r#"// a comment
list frame : direct {
  dispatch "move particles" 256x1x1 { UNORDERED_ACCESS particles writes; UNORDERED_ACCESS stats writes }
  barrier {
    buffer particles { sync COMPUTE_SHADING -> VERTEX_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
    buffer stats     { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
  }
	draw "粒子 particles" vertices 65536 pixels 200000 { VERTEX_BUFFER particles; RENDER_TARGET target }
}
"#;

fn span(source: &Source, word: &str) -> Span {
    let start = source.text.find(word).expect("the text has it");
    Span::new(narrow(start), narrow(start + word.len()))
}

fn party(source: &Source, command: &str, label: &str, word: &str, access: &str) -> Party {
    Party {
        command: command.into(),
        label: label.into(),
        span: span(source, word),
        list: None,
        queue: "gfx".into(),
        access: access.into(),
        stage: "VERTEX_SHADING".into(),
        may: false,
    }
}

fn hazard(source: &Source) -> Finding {
    let second = "VERTEX_BUFFER particles";
    let mut finding = Finding::new(
        &RAW,
        span(source, second),
        "draw \"particles\" reads `particles` as VERTEX_BUFFER, but the write by dispatch \"move particles\" is not \
         visible to it: the barrier between them makes it visible to SHADER_RESOURCE only",
    )
    .note("the write stays dirty in L2, the vertex fetch has an old line in its own cache\u{1b}[31m")
    .help("let the barrier on line 5 say `access UNORDERED_ACCESS -> VERTEX_BUFFER`")
    .related(span(source, "buffer particles"), "ordered here, but not made visible to this access")
    .resource("particles");
    finding.hazard = Some(Arc::new(Hazard {
        first: party(
            source,
            "gfx#0",
            "dispatch \"move particles\"",
            "UNORDERED_ACCESS particles writes",
            "UNORDERED_ACCESS",
        ),
        second: party(
            source,
            "gfx#2",
            "draw \"particles\"",
            second,
            "VERTEX_BUFFER",
        ),
        spec_invalid: true,
        links: Links::of(true, Some(false)),
    }));
    finding.visible = Some(true);
    finding
}

fn row(index: u64, text: &str, verdict: Verdict) -> BarrierRow {
    BarrierRow {
        fields: FieldsRow::default(),
        id: format!("a-very-long-queue-name#{index}.0"),
        line: 5,
        column: 5,
        queue: "gfx".into(),
        text: text.into(),
        resource: "particles".into(),
        verdict,
        stays: false,
        why: String::new(),
        drain: Ps(index * 1_234_567),
        operation: Ps(index * 34_567),
        refill: Ps(index * 567),
        exposed: Ps(index * 123_456),
        critical: Some(Ps(index * 4_567)),
        start: Ps::ZERO,
        end: Ps::ZERO,
        operations: Vec::new(),
    }
}

fn lanes(makespan: u64) -> Vec<Lane> {
    use SegmentKind::{Barrier, Fence, Submit, Work};
    let lane = |name: &str, parts: &[(u64, SegmentKind, &str)]| {
        let mut at = 0;
        let segments = parts
            .iter()
            .map(|(permille, kind, label)| {
                let start = at;
                at += permille * makespan / 1000;
                Segment {
                    start: Ps(start),
                    end: Ps(at),
                    kind: *kind,
                    label: (*label).into(),
                    id: String::new(),
                    life: Arc::new([]),
                    drained: Ps(start),
                }
            })
            .collect();
        Lane {
            name: name.into(),
            segments,
        }
    };
    vec![
        lane(
            "gfx",
            &[
                (20, Submit, ""),
                (300, Work, "opaque geometry"),
                (50, Barrier, "gbuffer"),
                (30, Work, "shadows"),
                (60, Work, "a label that is far too long for its block"),
                (10, Work, "tiny"),
                (10, Work, "tiny 2"),
                (200, Work, "日本語のラベル"),
                (300, Fence, "f"),
                (20, Submit, ""),
            ],
        ),
        lane(
            "async-compute-queue",
            &[
                (400, Fence, "f 1"),
                (550, Work, "histogram"),
                (50, Barrier, "x"),
            ],
        ),
        lane("copy", &[(100, Work, "upload")]),
    ]
}

fn report() -> (Report, Source) {
    let source = Source::new(
        "scenarios/a/very/long/path/that/goes/on/and/on/and/on/for/many/columns/indeed/demo.scn",
        TEXT,
    );
    let too_wide = Finding::new(
        &WIDE,
        span(&source, "buffer stats"),
        "nothing reads `stats` after this barrier",
    )
    .help("delete it");
    let layout = Finding::new(&LAYOUT, span(&source, "draw \"粒子"), "x".repeat(150));
    let makespan = 412_300_000;
    let report = Report {
        scenario: "Particles".into(),
        file: source.name.clone(),
        profile: "rdna".into(),
        lowering: "precise".into(),
        makespan: Some(Ps(makespan)),
        exposed: Ps(31_200_000),
        findings: vec![hazard(&source), hazard(&source), too_wide, layout],
        barriers: (0..60_u8)
            .map(|i| {
                let text = "a_very_long_resource_name[mip 0, layer 1..3]  RENDER_TARGET|DEPTH_STENCIL -> PIXEL_SHADING";
                row(i.into(), text, [Verdict::Needed, Verdict::Redundant, Verdict::TooNarrow][usize::from(i) % 3])
            })
            .collect(),
        lanes: lanes(makespan),
        totals: Totals { commands: 12, barriers: 60, cleans: 3, cleaned_bytes: 3 << 20, bad_reads: 1, ..Totals::default() },
        ..Report::default()
    };
    (report, source)
}

fn printed(report: &Report, source: &Source, style: Style) -> String {
    let mut out = Vec::new();
    write(report, source, &style, &mut out).expect("memory can be written");
    String::from_utf8(out).expect("text is UTF-8")
}

#[test]
fn no_line_is_wider_than_the_page() {
    let (report, source) = report();
    for style in [
        Style::default(),
        Style {
            color: true,
            ..Style::default()
        },
        Style {
            ascii: true,
            all: true,
            ..Style::default()
        },
    ] {
        let text = printed(&report, &source, style);
        println!("{text}");
        for line in text.lines() {
            assert!(text::visible_width(line) <= style.columns, "{line}");
        }
        assert_eq!(text.contains('\u{1b}'), style.color);
        assert!(!style.ascii || text.is_ascii());
    }
}

#[test]
fn both_sides_of_a_hazard_stand_in_the_source() {
    let (report, source) = report();
    let text = printed(&report, &source, Style::default());
    assert!(text.contains("hazard[HZ101 read-after-write]"));
    assert!(text.contains("(1)") && text.contains("(2)"));
    assert!(text.contains("and 1 more like this"));
    assert!(text.contains("… and 20 more; --all shows them"));
}

#[test]
fn a_hundred_thousand_findings_are_counted_not_listed() {
    let text = vec!["  draw \"d\" { VERTEX_BUFFER particles }\n"; 100_000];
    let source = Source::new("big.scn", text.concat());
    let findings = (1..=100_000)
        .scan(0, |at, line| {
            let start = *at;
            *at += narrow(source.line_text(line).len()) + 1;
            Some(Finding::new(&LAYOUT, Span::new(start, start + 5), "wrong"))
        })
        .collect();
    let report = Report {
        findings,
        ..Report::default()
    };
    let text = printed(&report, &source, Style::default());
    assert!(text.contains("99990 × EB204"));
}
