//! Wrong texts and the lines that their repair changes (reading R73): the wrong field and nothing else, a range rather than
//! further entries, legacy words in legacy text.

mod bits;
mod declared;
mod fences;
mod halves;
mod helps;
mod legacy;
mod names;
mod parts;
mod queues;
mod ranges;

use syncscope::finding::Source;
use syncscope::run;
use syncscope::validate::RuleSet;

/// The lines that a repair takes away and adds, without blanks around them; nothing wrong may be left.
fn changed(declarations: &str, commands: &str) -> (Vec<String>, Vec<String>) {
    changed_text(&on_one_queue(declarations, "direct", commands))
}

fn on_one_queue(declarations: &str, kind: &str, commands: &str) -> String {
    let (declarations, commands) = (declarations.trim(), commands.trim_matches('\n'));
    format!(
        "queue q : {kind}\n{declarations}\nlist l : {kind} {{\n{commands}\n}}\ntimeline {{ q execute l }}\n"
    )
}

/// The same of a whole text.
fn changed_text(text: &str) -> (Vec<String>, Vec<String>) {
    let source = Source::new("wrong.scn", text);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    let repaired = &repair.source.text;
    assert!(!repair.changes.is_empty(), "nothing is wrong with\n{text}");
    assert!(repair.left.is_empty(), "{:#?}\n{repaired}", repair.left);
    names_what_it_deletes(&source, &repair);
    let lines = |text: &str| -> Vec<String> { text.lines().map(|l| l.trim().to_owned()).collect() };
    let (was, is) = (lines(text), lines(repaired));
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        let mut others = others.to_vec();
        let mut only = Vec::new();
        for line in these {
            match others.iter().position(|other| other == line) {
                Some(at) => drop(others.remove(at)),
                None => only.push(line.clone()),
            }
        }
        only
    };
    (only(&was, &is), only(&is, &was))
}

#[track_caller]
fn expect(declarations: &str, commands: &str, gone: &[&str], added: &[&str]) {
    let (was, is) = changed(declarations, commands);
    assert_eq!(was, gone);
    assert_eq!(is, added);
}

#[track_caller]
fn expect_text(text: &str, gone: &[&str], added: &[&str]) {
    let (was, is) = changed_text(text);
    assert_eq!(was, gone);
    assert_eq!(is, added);
}

/// Of a text without mistakes one piece is made wrong: the repair makes it what it was, and changes nothing else.
#[track_caller]
fn recovers(right: &str, piece: &str, wrong: &str) {
    let name = "wrong.scn";
    assert!(right.contains(piece), "no `{piece}` in\n{right}");
    let failing = |text: &str| {
        let source = Source::new(name, text);
        let mut findings = run::check(&source, &run::Options::default()).findings;
        findings.retain(|f| f.severity.fails());
        findings
    };
    assert!(failing(right).is_empty(), "{:#?}\n{right}", failing(right));
    let text = right.replacen(piece, wrong, 1);
    assert!(!failing(&text).is_empty(), "nothing is wrong with\n{text}");
    let source = Source::new(name, text);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    assert_eq!(repair.source.text, right, "{:#?}", repair.changes);
    names_what_it_deletes(&source, &repair);
}

/// *This barrier* is one: what deletes another one than that at which the finding is says which.
#[track_caller]
fn names_what_it_deletes(source: &Source, repair: &run::Repair) {
    const ENTRIES: [&str; 7] = [
        "texture ",
        "buffer ",
        "global ",
        "ranged ",
        "transition ",
        "uav ",
        "alias ",
    ];
    for change in &repair.changes {
        let line = source.line_text(change.line);
        let is_entry = ENTRIES.iter().any(|word| line.contains(word));
        assert!(
            is_entry || !change.says.contains("this barrier"),
            "{line}: {}\n{}",
            change.says,
            source.text
        );
    }
}

const BUFFER: &str = "buffer b : 4KiB { flags UNORDERED_ACCESS }";
const MIPS: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; initial RENDER_TARGET }";
const TARGET: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }";
const STATE: &str = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }";

/// The barrier that lets pixel shaders sample some subresources of the target.
fn sampled(range: &str) -> String {
    format!(
        "barrier {{ texture t{range} {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
    )
}

/// A transition of the target for pixel shaders, with what a mistake changes in it.
fn transition(range: &str, sync: &str) -> String {
    format!(
        "barrier {{ texture t{range} {{ sync {sync}; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
    )
}

/// The commonest report of all: a target is sampled and drawn to again.
#[test]
fn write_read_write_takes_two_transitions() {
    let commands = "
  draw \"a\" vertices 3 { RENDER_TARGET t }
  draw \"b\" vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }
  draw \"c\" vertices 3 { RENDER_TARGET t }";
    let there = "barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }";
    let back = "barrier { texture t { sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }";
    expect(TARGET, commands, &[], &[there, back]);
    let there = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    expect(STATE, commands, &[], &[there, back]);
}

#[test]
fn legacy_text_gets_legacy_words() {
    let view =
        "texture u : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; state UNORDERED_ACCESS }";
    let commands = "
  dispatch \"a\" 1x1x1 { UNORDERED_ACCESS u }
  dispatch \"b\" 1x1x1 { UNORDERED_ACCESS u }";
    expect(view, commands, &[], &["legacy { uav u }"]);
}

/// What nothing in the text uses later stays as it was meant: the wrong field is mended.
#[test]
fn an_intent_that_nothing_uses_stays() {
    let barrier = |sync: &str| {
        format!(
            "barrier {{ texture t {{ sync {sync}; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
        )
    };
    let wrong = barrier("RENDER_TARGET -> COPY");
    let (was, is) = changed(TARGET, &format!("  clear-rtv t\n  {wrong}"));
    assert_eq!(was, [wrong]);
    assert_eq!(is.len(), 1, "{is:?}");
    let rest = "access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE";
    assert!(is[0].contains(rest), "{is:?}");
    // A write that AccessBefore does not name (reading R79).
    let depth = "texture z : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }";
    let barrier = |before: &str| {
        format!(
            "barrier {{ texture z {{ sync DEPTH_STENCIL -> DEPTH_STENCIL; access {before} -> DEPTH_STENCIL_READ; layout DEPTH_STENCIL_WRITE -> DEPTH_STENCIL_READ }} }}"
        )
    };
    let reads = barrier("DEPTH_STENCIL_READ");
    let both = barrier("DEPTH_STENCIL_READ|DEPTH_STENCIL_WRITE");
    let commands = format!(
        "  draw vertices 3 {{ DEPTH_STENCIL_WRITE z }}\n  {reads}\n  draw vertices 3 {{ DEPTH_STENCIL_READ z }}"
    );
    let (was, is) = changed(depth, &commands);
    assert_eq!(was, [reads]);
    assert!(
        is == [both.clone()]
            || is == [both.replace("READ|DEPTH_STENCIL_WRITE", "WRITE|DEPTH_STENCIL_READ")],
        "{is:?}"
    );
}

/// `SyncAfter NONE` with a real `AccessAfter`: the stages were forgotten. What nothing reads is held from all stages that
/// have the access.
#[test]
fn a_forgotten_sync_after_is_named() {
    let wrong = transition("", "RENDER_TARGET -> NONE");
    let read = "\n  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }";
    for (use_after, stages) in [(read, "PIXEL_SHADING"), ("", "ALL_SHADING")] {
        expect(
            TARGET,
            &format!("  clear-rtv t\n  {wrong}{use_after}"),
            &[&wrong],
            &[&transition("", &format!("RENDER_TARGET -> {stages}"))],
        );
    }
}

/// `LayoutBefore UNDEFINED` before a depth test drops what it reads: the layout in which the texture is comes in its place.
#[test]
fn a_dropped_layout_before_is_named() {
    let depth = "texture z : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }";
    let barrier = |sync: &str, access: &str, layout: &str| {
        format!(
            "barrier {{ texture z {{ sync {sync} -> DEPTH_STENCIL; access {access} -> DEPTH_STENCIL_READ; layout {layout} -> DEPTH_STENCIL_READ }} }}"
        )
    };
    let read = "draw vertices 3 { DEPTH_STENCIL_READ z }";
    let wrong = barrier("NONE", "NO_ACCESS", "UNDEFINED");
    // Nothing in the scope came before: the rest of the entry is right.
    let right = barrier("NONE", "NO_ACCESS", "DEPTH_STENCIL_WRITE");
    expect(depth, &format!("  {wrong}\n  {read}"), &[&wrong], &[&right]);
    // A draw of the scope wrote it.
    let write = "draw vertices 3 { DEPTH_STENCIL_WRITE z }";
    let right = barrier(
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL_WRITE",
    );
    let commands = format!("  {write}\n  {wrong}\n  {read}");
    expect(depth, &commands, &[&wrong], &[&right]);
}

/// A barrier of the wrong type is written as the right one, with the layouts that its accesses need.
#[test]
fn the_type_of_a_barrier_is_changed() {
    let wrong = "barrier { buffer t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE } }";
    let commands = format!(
        "  clear-rtv t\n  {wrong}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}"
    );
    expect(TARGET, &commands, &[wrong], &[&sampled("")]);
    let wrong = "barrier { texture b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNDEFINED -> UNDEFINED } }";
    let right = "barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }";
    let commands = format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  {wrong}\n  dispatch 1x1x1 {{ SHADER_RESOURCE b }}"
    );
    expect(BUFFER, &commands, &[wrong], &[right]);
    // Between two uses of unordered access a legacy UAV barrier is what orders.
    let view =
        "texture u : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; state UNORDERED_ACCESS }";
    let wrong = "legacy { transition u UNORDERED_ACCESS -> UNORDERED_ACCESS }";
    let commands = format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS u }}\n  {wrong}\n  dispatch 1x1x1 {{ UNORDERED_ACCESS u }}"
    );
    expect(view, &commands, &[wrong], &["legacy { uav u }"]);
}

/// An aliasing barrier the wrong way round is turned, and a legacy range is widened or cut.
#[test]
fn a_legacy_entry_is_changed_rather_than_another_added() {
    let placed = |name: &str| {
        format!(
            "texture {name} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; state RENDER_TARGET; heap pool at 0 }}"
        )
    };
    let declarations = format!("heap pool : 64MiB\n{}\n{}", placed("a"), placed("t"));
    let wrong = "legacy { alias t -> a }";
    let commands = format!("  discard a\n  clear-rtv a\n  {wrong}\n  discard t\n  clear-rtv t");
    expect(
        &declarations,
        &commands,
        &[wrong],
        &["legacy { alias a -> t }"],
    );
    let mips =
        "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; state RENDER_TARGET }";
    let transition = |range: &str| {
        format!("legacy {{ transition t{range} RENDER_TARGET -> PIXEL_SHADER_RESOURCE }}")
    };
    for (wrong, used, right) in [
        ("[mip 0]", "", ""),
        ("[mip 0..2]", "[mip 0..3]", "[mip 0..3]"),
        ("[mip 2..5]", "[mip 2..4]", "[mip 2..4]"),
    ] {
        let commands = format!(
            "  clear-rtv t\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t{used} @ PIXEL_SHADING }}",
            transition(wrong)
        );
        expect(
            mips,
            &commands,
            &[&transition(wrong)],
            &[&transition(right)],
        );
    }
}

/// A barrier that comes after the use that needs it is moved, be it on the resource, on all memory, or a legacy one.
#[test]
fn a_barrier_that_is_late_is_moved() {
    let read = "  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }";
    let legacy = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    for (declared, barrier) in [(TARGET, sampled("")), (STATE, legacy.to_owned())] {
        let text = |first: &str, then: &str| {
            on_one_queue(
                declared,
                "direct",
                &format!("  clear-rtv t\n{first}\n{then}"),
            )
        };
        let wrong = text(read, &format!("  {barrier}"));
        let source = Source::new("late.scn", wrong);
        let repair = run::repair(&source, RuleSet::Specification, |_| true);
        assert_eq!(repair.source.text, text(&format!("  {barrier}"), read));
    }
    let global = "  barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }";
    let (write, read) = (
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }",
        "  dispatch 1x1x1 { SHADER_RESOURCE b }",
    );
    let text = |commands: [&str; 3]| on_one_queue(BUFFER, "direct", &commands.join("\n"));
    let source = Source::new("late.scn", text([write, read, global]));
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    assert_eq!(repair.source.text, text([write, global, read]));
}

/// What is said of a use names the barrier that could be deleted by its line.
#[test]
fn a_barrier_to_be_deleted_is_named() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 { mips 2; flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }";
    let barrier = |before: &str| {
        format!(
            "  barrier {{ texture t {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access {before} -> UNORDERED_ACCESS; layout UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}"
        )
    };
    let (once, again) = (barrier("UNORDERED_ACCESS"), barrier("NO_ACCESS"));
    let use_of = |mip: &str, what: &str| {
        format!("  dispatch 1x1x1 {{ UNORDERED_ACCESS t[mip {mip}] {what} }}")
    };
    let commands = [
        use_of("0", "writes"),
        once,
        again,
        use_of("0", "reads"),
        use_of("1", "reads"),
    ];
    let text = on_one_queue(declared, "direct", &commands.join("\n"));
    let source = Source::new("named.scn", text);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    assert!(repair.left.is_empty(), "{:#?}", repair.left);
    names_what_it_deletes(&source, &repair);
    let says: Vec<&str> = repair.changes.iter().map(|c| c.says.as_str()).collect();
    assert!(
        says.iter()
            .any(|says| says.contains("(or delete the barrier of line 6: ")),
        "{says:?}"
    );
}
