//! Several split barriers open on one texture: halves belong together by their subresources, in whatever order they come.

use std::fmt::Write;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::{catalog, ensure, scenario};

const ORDERS: [[u32; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Three mips are written, go through split barriers whose halves come in these orders, and are read.
fn scene(begins: [u32; 3], ends: [u32; 3]) -> String {
    let mut text = String::from(
        "texture t : R8G8B8A8_UNORM 64x64 { mips 3; flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline { q execute {
",
    );
    let half = |mip: u32, sync: &str| {
        format!(
            "  barrier {{ texture t[mip {mip}] {{ sync {sync}; access RENDER_TARGET -> SHADER_RESOURCE; \
             layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
        )
    };
    for mip in 0..3 {
        writeln!(text, "  clear-rtv t[mip {mip}]").expect("memory");
    }
    for mip in begins {
        writeln!(text, "{}", half(mip, "RENDER_TARGET -> SPLIT")).expect("memory");
    }
    for mip in ends {
        writeln!(text, "{}", half(mip, "SPLIT -> PIXEL_SHADING")).expect("memory");
        writeln!(
            text,
            "  draw \"read {mip}\" {{ SHADER_RESOURCE t[mip {mip}] @ PIXEL_SHADING }}"
        )
        .expect("memory");
    }
    text.push_str("} }\n");
    text
}

/// Nothing is missing, needed or not, whichever way the halves cross.
#[test]
fn halves_that_cross_lack_nothing_under_a_right_lowering() {
    let registry = catalog::registry();
    let right = || {
        let all = registry.lowerings.iter();
        all.filter(|l| !l.is_wrong_on_purpose())
    };
    for begins in ORDERS {
        for ends in ORDERS {
            let text = scene(begins, ends);
            let (scenario, findings) = scenario::parse(&Source::new("crossed.scn", text.as_str()));
            assert!(findings.is_empty(), "{findings:?}\n{text}");
            let timeline = Timeline::new(&scenario);
            for profile in registry.all_profiles() {
                for lowering in right() {
                    let program = lowering.lower(&timeline, &profile);
                    let missing = ensure::check(&timeline, &profile, &program).missing;
                    assert!(
                        missing.is_empty(),
                        "{} on {}: {missing:?}\n{text}",
                        lowering.name(),
                        profile.name
                    );
                }
            }
        }
    }
}

/// What a first half lacks fails the reader of its own mip, which is the one after the second half on that mip.
#[test]
fn a_missing_operation_of_a_first_half_names_the_reader_of_its_mip() {
    for begins in ORDERS {
        for ends in ORDERS {
            let text = scene(begins, ends);
            let options = Options {
                profile: Some("rdna".to_owned()),
                lowering: Some("forgets_invalidate".to_owned()),
                without_proofs: true,
                ..Options::default()
            };
            let source = Source::new("crossed.scn", text.as_str());
            let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
            let found = report.findings.iter();
            let found = found.filter(|f| f.rule.id == "LW101");
            let mut count = 0;
            for (finding, mip) in found.zip(begins) {
                let reader = format!("draw \"read {mip}\" ");
                let told: Vec<&str> = finding
                    .notes
                    .iter()
                    .map(AsRef::as_ref)
                    .filter(|note: &&str| note.contains("draw \""))
                    .collect();
                assert!(!told.is_empty(), "{finding:?}\n{text}");
                assert!(
                    told.iter().all(|note| note.contains(&reader)),
                    "{told:?}\n{text}"
                );
                count += 1;
            }
            assert_eq!(count, 3, "one finding for each first half\n{text}");
        }
    }
}
