//! A lowering on the scene of its page: the packet of each barrier, next to that of the lowering that others are compared
//! with, and what is wrong with the run.

use super::{Options, PacketRow, Registry, Unusable, packets, run};
use crate::finding::{Finding, Source};
use crate::lower::Lowering;
use crate::workbench::scenes;

/// A lowering on the scene of its page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Shown {
    /// File of the scene, from the root of the repository.
    pub file: String,
    /// Text of the scene.
    pub text: &'static str,
    /// Name of the profile that the scene names.
    pub profile: String,
    /// Name of the lowering that others are compared with: the registry's first.
    pub reference: &'static str,
    /// What barriers become, in order of the text; what is executed twice in the same way is there once.
    pub packets: Vec<ShownPacket>,
    /// Findings of the run that make it fail; of a mistake that makes none, those about the lowering.
    pub findings: Vec<ShownFinding>,
}

/// What a barrier entry becomes.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ShownPacket {
    /// Line of the entry.
    pub line: u32,
    /// Its packet in words.
    pub packet: String,
    /// What the reference makes of the entry, if that is something else.
    pub reference: Option<String>,
}

/// A finding of the run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ShownFinding {
    /// Line of its place.
    pub line: u32,
    /// The finding.
    pub finding: Finding,
}

/// A packet, and what it comes too late for.
fn words(row: &PacketRow) -> String {
    match &row.after {
        Some(after) => format!("after {after}: {}", row.words()),
        None => row.words(),
    }
}

/// A lowering on the scene of its page; nothing for a lowering without a scene, as one of a user's own.
///
/// # Errors
/// If the registry lacks what the scene names.
pub fn shown(lowering: &dyn Lowering, registry: &Registry) -> Result<Option<Shown>, Unusable> {
    let Some(scene) = scenes::of_lowering(lowering.name()) else {
        return Ok(None);
    };
    let file = format!("scenarios/{}", scene.path.display()).replace('\\', "/");
    let source = Source::new(file.as_str(), scene.text);
    let reference = registry.lowerings[0].name();
    let with = |name: &str| Options {
        lowering: Some(name.to_owned()),
        ..Options::default()
    };
    let own = packets(&source, registry, &with(lowering.name()))?;
    let other = packets(&source, registry, &with(reference))?;
    let mut rows: Vec<ShownPacket> = Vec::new();
    for row in &own.barriers {
        let packet = words(row);
        let same = other.barriers.iter().find(|it| it.id == row.id);
        let row = ShownPacket {
            line: row.line,
            reference: same.map(words).filter(|it| *it != packet),
            packet,
        };
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| row.line);
    let report = run(&source, registry, &with(lowering.name()))?;
    let mut findings = report.findings;
    let fails = findings.iter().any(|it| it.severity.fails());
    // A mistake that only does too much fails nothing: then what is said of the lowering counts.
    let of_lowering = !fails && lowering.is_wrong_on_purpose();
    findings.retain(|it| it.severity.fails() || of_lowering && it.rule.family() == "LW");
    Ok(Some(Shown {
        text: scene.text,
        profile: own.profile,
        reference,
        packets: rows,
        findings: findings
            .into_iter()
            .map(|finding| ShownFinding {
                line: source.line(finding.span.start),
                finding,
            })
            .collect(),
        file,
    }))
}
