//! Legacy split barriers with a wrong half, and promotions that do not join.

use super::{STATE, expect, expect_text, on_one_queue, recovers};

const MIPS: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; state RENDER_TARGET }";

fn transition(range: &str, states: &str, flag: &str) -> String {
    format!("legacy {{ transition t{range} {states} {flag} }}")
}

const STATES: &str = "RENDER_TARGET -> PIXEL_SHADER_RESOURCE";

/// Two halves around other work, and a use of what they name.
fn split(range: &str, between: &str, used: &str) -> String {
    let (begin, end) = (
        transition(range, STATES, "begin"),
        transition(range, STATES, "end"),
    );
    let commands = format!(
        "  clear-rtv t{range}\n  {begin}\n  {between}\n  {end}\n  draw vertices 3 {{ {used} }}"
    );
    on_one_queue(MIPS, "direct", &commands)
}

/// The half that is wrong is changed, be it the first or the second.
#[test]
fn a_wrong_half_says_what_the_other_says() {
    let whole = split(
        "",
        "dispatch 1x1x1 { }",
        "SHADER_RESOURCE t @ PIXEL_SHADING",
    );
    for flag in ["begin", "end"] {
        let half = transition("", STATES, flag);
        for (range, states) in [
            ("", "COPY_SOURCE -> PIXEL_SHADER_RESOURCE"),
            ("", "RENDER_TARGET -> COPY_SOURCE"),
            ("[mip 0]", STATES),
            ("[mip 0..2]", STATES),
        ] {
            recovers(&whole, &half, &transition(range, states, flag));
        }
    }
    let mip = split(
        "[mip 0]",
        "clear-rtv t[mip 1]",
        "SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING; RENDER_TARGET t[mip 1]",
    );
    for flag in ["begin", "end"] {
        let half = transition("[mip 0]", STATES, flag);
        for range in ["", "[mip 1]", "[mip 0..2]"] {
            recovers(&mip, &half, &transition(range, STATES, flag));
        }
    }
}

/// A half that lost its flag, or has the flag of the other one.
#[test]
fn a_half_gets_its_flag() {
    let whole = split(
        "",
        "dispatch 1x1x1 { }",
        "SHADER_RESOURCE t @ PIXEL_SHADING",
    );
    let bare = format!("legacy {{ transition t {STATES} }}");
    let (begin, end) = (
        transition("", STATES, "begin"),
        transition("", STATES, "end"),
    );
    recovers(&whole, &begin, &bare);
    recovers(&whole, &end, &bare);
    recovers(&whole, &begin, &end);
    recovers(&whole, &end, &begin);
}

/// A range that takes too much out of its state ends where what needs the new state ends.
#[test]
fn a_legacy_range_is_narrowed() {
    let one = |mip: &str| format!("legacy {{ transition t[{mip}] {STATES} }}");
    let commands = format!(
        "  clear-rtv t[mip 0]\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING; RENDER_TARGET t[mip 1] }}\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 1] @ PIXEL_SHADING; RENDER_TARGET t[mip 2] }}",
        one("mip 0"),
        one("mip 1")
    );
    let text = on_one_queue(MIPS, "direct", &commands);
    for (mip, wide) in [
        ("mip 0", "mip 0..2"),
        ("mip 0", "mip 0..4"),
        ("mip 1", "mip 1..3"),
        ("mip 1", "mip 0..2"),
    ] {
        recovers(&text, &one(mip), &one(wide));
    }
    for mip in ["mip 0", "mip 1"] {
        recovers(
            &text,
            &one(mip),
            &format!("legacy {{ transition t {STATES} }}"),
        );
    }
}

/// Between two uses of one call whose promotions do not join comes the transition from the first to the second.
#[test]
fn promotions_that_do_not_join_are_taken_apart() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 { mips 2; state COMMON }\nbuffer up : 64KiB { type upload }\nbuffer down : 64KiB { type readback }";
    let added = "legacy { transition t[mip 1] COPY_DEST -> COPY_SOURCE }";
    let commands = "  copy up -> t[mip 1]\n  copy t[mip 0] -> down\n  copy t[mip 1] -> down";
    expect(declared, commands, &[], &[added]);
    let added = "legacy { transition t[mip 0] COPY_SOURCE -> COPY_DEST }";
    let commands = "  copy t[mip 0] -> down\n  copy up -> t[mip 0]";
    expect(declared, commands, &[], &[added]);
}

/// A wrong state after a transition shows at the uses that follow and at the next transition, which are right.
#[test]
fn a_transition_leaves_the_state_in_which_the_next_one_begins() {
    let commands = "  clear-rtv t
  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }
  legacy { transition t PIXEL_SHADER_RESOURCE -> COPY_SOURCE }
  copy t[mip 0] -> down";
    let declared = format!("{MIPS}\nbuffer down : 64KiB {{ type readback }}");
    let text = on_one_queue(&declared, "direct", commands);
    let piece = "-> PIXEL_SHADER_RESOURCE";
    for wrong in [
        "-> COPY_SOURCE",
        "-> NON_PIXEL_SHADER_RESOURCE",
        "-> COPY_DEST",
    ] {
        recovers(&text, piece, wrong);
    }
}

/// Equal states: the one is changed that is not what comes before, or not what the use after it needs.
#[test]
fn one_of_two_equal_states_is_changed() {
    let right = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    for wrong in [
        "RENDER_TARGET -> RENDER_TARGET",
        "PIXEL_SHADER_RESOURCE -> PIXEL_SHADER_RESOURCE",
    ] {
        let wrong = format!("legacy {{ transition t {wrong} }}");
        let commands = format!(
            "  clear-rtv t\n  {wrong}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}"
        );
        expect(STATE, &commands, &[&wrong], &[right]);
    }
    let wrong = "legacy { transition t RENDER_TARGET -> RENDER_TARGET }";
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    let commands = format!(
        "  clear-rtv t\n  {right}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n  {wrong}\n  clear-rtv t"
    );
    expect(STATE, &commands, &[wrong], &[back]);
}

/// A use promoted the texture, and the transition names another state before: that of the use is right.
#[test]
fn a_state_before_is_what_a_use_promoted_to() {
    let declared =
        "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; state COMMON }";
    let right = "legacy { transition t NON_PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    let wrong = "legacy { transition t UNORDERED_ACCESS -> RENDER_TARGET }";
    let commands = format!("  dispatch 1x1x1 {{ SHADER_RESOURCE t }}\n  {wrong}\n  clear-rtv t");
    expect(declared, &commands, &[wrong], &[right]);
}

const TARGETS: &str = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; state RENDER_TARGET }
texture m : R8G8B8A8_UNORM 64x64 { mips 2; flags RENDER_TARGET|UNORDERED_ACCESS; state RENDER_TARGET }
texture u : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
buffer b : 64KiB { flags UNORDERED_ACCESS }";

/// A transition that finds its resource where it takes it is left out; between unordered accesses a UAV barrier orders.
#[test]
fn a_transition_to_the_state_that_there_is_is_left_out() {
    let again = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    let draw = "draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u }";
    let commands = format!("  {again}\n  {draw}\n  {again}\n  {draw}");
    expect(TARGETS, &commands, &[again], &[]);
    let again = "legacy { transition t RENDER_TARGET -> UNORDERED_ACCESS }";
    let work = "dispatch 1x1x1 { UNORDERED_ACCESS t }";
    let commands = format!("  {again}\n  {work}\n  {again}\n  {work}");
    expect(TARGETS, &commands, &[again], &["legacy { uav t }"]);
}

/// A transition, or a pair of halves, whose subresources are in several states becomes one for each; those that are where it
/// takes them are left out.
#[test]
fn a_transition_names_each_state_that_there_is() {
    let first = |after| format!("  legacy {{ transition m[mip 1] RENDER_TARGET -> {after} }}");
    let draw = "  draw { SHADER_RESOURCE m @ PIXEL_SHADING; RENDER_TARGET u }";
    let written = format!(
        "{}\n  dispatch 1x1x1 {{ UNORDERED_ACCESS m[mip 1] }}\n",
        first("UNORDERED_ACCESS")
    );
    let whole = "legacy { transition m RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    let each = |flag: &str| {
        format!(
            "legacy {{ transition m[mip 0] RENDER_TARGET -> PIXEL_SHADER_RESOURCE{flag}; \
             transition m[mip 1] UNORDERED_ACCESS -> PIXEL_SHADER_RESOURCE{flag} }}"
        )
    };
    expect(
        TARGETS,
        &format!("{written}  {whole}\n{draw}"),
        &[whole],
        &[&each("")],
    );
    let half = |flag: &str| {
        format!("legacy {{ transition m RENDER_TARGET -> PIXEL_SHADER_RESOURCE {flag} }}")
    };
    let (begin, end) = (half("begin"), half("end"));
    let between = "dispatch 1x1x1 { UNORDERED_ACCESS b }";
    let commands = format!("{written}  {begin}\n  {between}\n  {end}\n{draw}");
    let added = [each(" begin"), each(" end")];
    expect(TARGETS, &commands, &[&begin, &end], &[&added[0], &added[1]]);
    let read = "  draw { SHADER_RESOURCE m[mip 1] @ PIXEL_SHADING; RENDER_TARGET u }";
    let commands = format!(
        "{}\n{read}\n  {whole}\n{draw}",
        first("PIXEL_SHADER_RESOURCE")
    );
    let rest = "legacy { transition m[mip 0] RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    expect(TARGETS, &commands, &[whole], &[rest]);
}

/// A list that executes again finds its resources where it takes them over.
#[test]
fn a_list_that_executes_again_brings_its_resources_back() {
    let text = format!(
        "queue q : direct\n{TARGETS}\nlist l : direct {{\n  clear-rtv t\n  \
         legacy {{ transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }}\n  \
         draw {{ SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u }}\n}}\n"
    );
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    for timeline in [
        "q execute l, l",
        "q execute l; q execute l",
        "repeat 3 { q execute l }",
    ] {
        expect_text(&format!("{text}timeline {{ {timeline} }}\n"), &[], &[back]);
    }
}

/// So it does where nothing but the state is wrong.
#[test]
fn a_state_that_only_the_next_execution_minds_is_brought_back() {
    let text = "queue q : direct
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state COMMON }
list l : direct {
  legacy { transition t COMMON -> RENDER_TARGET }
  clear-rtv t
}
";
    let back = "legacy { transition t RENDER_TARGET -> COMMON }";
    for timeline in ["q execute l, l", "q execute l; q execute l"] {
        expect_text(&format!("{text}timeline {{ {timeline} }}\n"), &[], &[back]);
    }
}

/// A wrong state in a list that executes again is mended, and brought back at its end: where it goes stays as it is written.
#[test]
fn a_wrong_state_of_a_list_that_executes_again_is_mended_at_both_ends() {
    let wrong = "legacy { transition t COPY_DEST -> PIXEL_SHADER_RESOURCE }";
    let text = format!(
        "queue q : direct\ntexture t : R8G8B8A8_UNORM 64x64 {{ state COPY_SOURCE }}\nlist l : direct {{\n  {wrong}\n  \
         draw {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n}}\ntimeline {{ q execute l, l }}\n"
    );
    let there = "legacy { transition t COPY_SOURCE -> PIXEL_SHADER_RESOURCE }";
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> COPY_SOURCE }";
    expect_text(&text, &[wrong], &[there, back]);
}

/// A text of legacy barriers gets no others, also where a list that executes again makes two of them necessary.
#[test]
fn a_text_of_legacy_barriers_gets_legacy_barriers() {
    let text = format!(
        "queue q : direct\n{TARGETS}\nlist l : direct {{\n  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  \
         legacy {{ transition t RENDER_TARGET -> COPY_SOURCE }}\n  copy t -> b\n  \
         legacy {{ transition t COPY_SOURCE -> RENDER_TARGET }}\n}}\n"
    );
    let there = "legacy { transition b UNORDERED_ACCESS -> COPY_DEST }";
    let back = "legacy { transition b COPY_DEST -> UNORDERED_ACCESS }";
    expect_text(
        &format!("{text}timeline {{ q execute l }}\n"),
        &[],
        &[there],
    );
    let again = format!("{text}timeline {{ q execute l, l }}\n");
    expect_text(&again, &[], &[there, back]);
}

/// Two halves that change no state go, both of them; before a use that needs another state they go there.
#[test]
fn two_halves_that_change_no_state_go_both() {
    let same = "RENDER_TARGET -> RENDER_TARGET";
    let halves = [transition("", same, "begin"), transition("", same, "end")];
    let [begin, end] = &halves;
    let gone = [begin.as_str(), end.as_str()];
    let commands = |used: &str| {
        format!(
            "  clear-rtv t\n  {begin}\n  dispatch 1x1x1 {{ }}\n  {end}\n  draw vertices 3 {{ {used} }}"
        )
    };
    expect(MIPS, &commands("RENDER_TARGET t"), &gone, &[]);
    let right = [
        transition("", STATES, "begin"),
        transition("", STATES, "end"),
    ];
    let added = [right[0].as_str(), right[1].as_str()];
    let read = commands("SHADER_RESOURCE t @ PIXEL_SHADING");
    expect(MIPS, &read, &gone, &added);
}

/// A pair of halves with a wrong state, in a list that executes again: both halves are mended, and the texture is brought back
/// where it is not.
#[test]
fn a_wrong_pair_of_a_list_that_executes_again_is_mended() {
    let pair = |before: &str| {
        ["begin", "end"]
            .map(|flag| transition("", &format!("{before} -> PIXEL_SHADER_RESOURCE"), flag))
    };
    let (wrong, right) = (pair("COPY_DEST"), pair("COPY_SOURCE"));
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> COPY_SOURCE }";
    for (is_back, timeline) in [
        (true, "q execute l, l"),
        (true, "repeat 3 { q execute l }"),
        (false, "q execute l, l"),
        (false, "repeat 3 { q execute l }"),
    ] {
        let last = if is_back { back } else { "" };
        let text = format!(
            "queue q : direct\ntexture t : R8G8B8A8_UNORM 64x64 {{ state COPY_SOURCE }}\nlist l : direct {{\n  {}\n  \
             dispatch 1x1x1 {{ }}\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n{last}\n}}\n\
             timeline {{ {timeline} }}\n",
            wrong[0], wrong[1]
        );
        let mut added = vec![right[0].as_str(), right[1].as_str()];
        if !is_back {
            added.push(back);
        }
        expect_text(&text, &[&wrong[0], &wrong[1]], &added);
    }
}

/// A range of which nothing exists is that of the uses which need the state, or what is next to it.
#[test]
fn a_legacy_range_of_which_nothing_exists_is_changed() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 { mips 2; layers 2; flags RENDER_TARGET; state RENDER_TARGET }";
    for (wrong, used, right) in [
        (
            "[mip 5]",
            "SHADER_RESOURCE t[mip 1] @ PIXEL_SHADING; RENDER_TARGET t[mip 0]",
            "[mip 1]",
        ),
        (
            "[mip 5]",
            "SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING; RENDER_TARGET t[mip 1]",
            "[mip 0]",
        ),
        (
            "[mip 2..4]",
            "SHADER_RESOURCE t[mip 1, layer 0] @ PIXEL_SHADING; SHADER_RESOURCE t[mip 1, layer 1] @ PIXEL_SHADING; RENDER_TARGET t[mip 0]",
            "[mip 1]",
        ),
        (
            "[mip 1, layer 4]",
            "SHADER_RESOURCE t[mip 1, layer 1] @ PIXEL_SHADING; RENDER_TARGET t[mip 1, layer 0]",
            "[mip 1, layer 1]",
        ),
        ("[mip 5]", "RENDER_TARGET t[mip 0]", "[mip 1]"),
    ] {
        let line = |range: &str| format!("legacy {{ transition t{range} {STATES} }}");
        let commands = format!(
            "  clear-rtv t\n  {}\n  draw vertices 3 {{ {used} }}",
            line(wrong)
        );
        expect(declared, &commands, &[&line(wrong)], &[&line(right)]);
    }
}

/// A list that executes again and brings back some mips: the others are brought back too, by the transition that goes there if it
/// can name them.
#[test]
fn mips_that_are_not_brought_back_are() {
    let there = format!("legacy {{ transition t {STATES} }}");
    let read = "draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }";
    let back = |range: &str| {
        format!("legacy {{ transition t{range} PIXEL_SHADER_RESOURCE -> RENDER_TARGET }}")
    };
    let text = |first: &str, last: &str, timeline: &str| {
        format!(
            "queue q : direct\n{MIPS}\nbuffer down : 64KiB {{ type readback }}\nlist l : direct {{\n{first}\n  {there}\n  {read}\n\
             {last}\n}}\ntimeline {{ {timeline} }}\n"
        )
    };
    for timeline in ["q execute l, l", "repeat 3 { q execute l }"] {
        for first in ["", "  clear-rtv t"] {
            for (mips, wide) in [("[mip 0]", ""), ("[mip 2..4]", ""), ("[mip 1..3]", "")] {
                expect_text(
                    &text(first, &format!("  {}", back(mips)), timeline),
                    &[&back(mips)],
                    &[&back(wide)],
                );
            }
        }
        let (one, two) = (back("[mip 0]"), back("[mip 1]"));
        let last = format!("  {one}\n  {two}");
        expect_text(&text("", &last, timeline), &[&two], &[&back("[mip 1..4]")]);
        // What is elsewhere is brought back from there.
        let away = "legacy { transition t[mip 1] PIXEL_SHADER_RESOURCE -> COPY_SOURCE }";
        let last = format!("  {one}\n  {away}\n  copy t[mip 1] -> down");
        let each = "legacy { transition t[mip 1] COPY_SOURCE -> RENDER_TARGET; transition t[mip 2..4] PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
        expect_text(&text("", &last, timeline), &[], &[each]);
    }
}

/// Two equal states of unordered access: a UAV barrier between unordered accesses, else the transition to the state that comes next.
#[test]
fn two_states_of_unordered_access_are_mended_by_what_comes_next() {
    let declared = format!(
        "texture x : R8G8B8A8_UNORM 64x64 {{ flags UNORDERED_ACCESS; state UNORDERED_ACCESS }}\n{TARGETS}"
    );
    let wrong = |flag: &str| {
        format!("legacy {{ transition x UNORDERED_ACCESS -> UNORDERED_ACCESS{flag} }}")
    };
    let right = |flag: &str| {
        format!("legacy {{ transition x UNORDERED_ACCESS -> PIXEL_SHADER_RESOURCE{flag} }}")
    };
    let write = "dispatch 1x1x1 { UNORDERED_ACCESS x }";
    let read = "draw { SHADER_RESOURCE x @ PIXEL_SHADING; RENDER_TARGET u }";
    let one = |next: &str| format!("  {write}\n  {}\n  {next}", wrong(""));
    expect(&declared, &one(read), &[&wrong("")], &[&right("")]);
    expect(&declared, &one(write), &[&wrong("")], &["legacy { uav x }"]);
    let (begin, end) = (wrong(" begin"), wrong(" end"));
    let two = format!("  {write}\n  {begin}\n  draw {{ RENDER_TARGET u }}\n  {end}\n  {read}");
    let added = [right(" begin"), right(" end")];
    expect(&declared, &two, &[&begin, &end], &[&added[0], &added[1]]);
}

/// What another list leaves where the first execution of a list did not find it is brought back at the end of that other list.
#[test]
fn a_list_brings_back_what_another_one_finds_again() {
    let lists = |first: &str, second: &str, timeline: &str| {
        format!(
            "queue q : direct\n{TARGETS}\nbuffer down : 64KiB\nlist l : direct {{\n{first}\n}}\nlist m : direct {{\n{second}\n}}\n\
             timeline {{ {timeline} }}\n"
        )
    };
    let there = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    let read = "draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u }";
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    let second = format!("  {there}\n  {read}");
    for timeline in [
        "q execute l, m, l",
        "q execute l; q execute m; q execute l",
        "repeat 3 { q execute l, m }",
    ] {
        expect_text(&lists("  clear-rtv t", &second, timeline), &[], &[back]);
    }
    let copied = "  legacy { transition t RENDER_TARGET -> COPY_SOURCE }\n  copy t -> down";
    let back = "legacy { transition t COPY_SOURCE -> RENDER_TARGET }";
    let text = lists(
        copied,
        "  copy t -> down",
        "q execute l; q execute m; q execute l",
    );
    expect_text(&text, &[], &[back]);
}

/// A range of which nothing exists: the one that makes what comes next right, and no right barrier changes with it.
#[test]
fn a_legacy_range_that_goes_too_far_is_the_only_one_that_changes() {
    let line = |range: &str| format!("legacy {{ transition t{range} {STATES} }}");
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    let commands = format!(
        "  clear-rtv t\n  {}\n  {}\n  draw {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n  {back}\n  clear-rtv t",
        line("[mip 0]"),
        line("[mip 1..4]")
    );
    let text = on_one_queue(MIPS, "direct", &commands);
    for wrong in [
        "[mip 4]",
        "[mip 5]",
        "[mip 3..5]",
        "[mip 2..6]",
        "[mip 1, layer 1]",
    ] {
        recovers(&text, &line("[mip 1..4]"), &line(wrong));
    }
    for wrong in ["[mip 4]", "[mip 0, layer 1]", "[mip 1, layer 1]"] {
        recovers(&text, &line("[mip 0]"), &line(wrong));
    }
    let commands = format!(
        "  clear-rtv t\n  {}\n  draw {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n  \
         legacy {{ transition t[mip 0] PIXEL_SHADER_RESOURCE -> RENDER_TARGET }}\n  clear-rtv t[mip 0]",
        line("")
    );
    let text = on_one_queue(MIPS, "direct", &commands);
    for wrong in ["[mip 3..5]", "[mip 2..6]", "[mip 5]"] {
        recovers(&text, &line(""), &line(wrong));
    }
}
