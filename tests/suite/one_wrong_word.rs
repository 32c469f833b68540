//! The law of `one_wrong_field` where no enhanced barrier is: one word of a legacy barrier is made wrong, or one word of a signal
//! or a wait between queues. How often the repair is not the text that it was is counted and bounded.

use crate::sizes;
use rand::prelude::*;
use std::collections::BTreeMap;
use syncscope::finding::{Finding, Source};
use syncscope::run::{self, Options};
use syncscope::validate::RuleSet;

/// One way to use a texture: its command and its state. `#` stands for the texture.
const WAYS: [(&str, &str); 7] = [
    ("clear-rtv #", "RENDER_TARGET"),
    ("draw vertices 3 { RENDER_TARGET # }", "RENDER_TARGET"),
    (
        "draw vertices 3 { SHADER_RESOURCE # @ PIXEL_SHADING }",
        "PIXEL_SHADER_RESOURCE",
    ),
    (
        "dispatch 1x1x1 { SHADER_RESOURCE # }",
        "NON_PIXEL_SHADER_RESOURCE",
    ),
    ("dispatch 1x1x1 { UNORDERED_ACCESS # }", "UNORDERED_ACCESS"),
    ("copy # -> sink", "COPY_SOURCE"),
    ("copy source -> #", "COPY_DEST"),
];

/// A line of a list or of the timeline, in words, and whether a word of it may be wrong.
type Line = (Vec<String>, bool);

struct Scene {
    head: String,
    lines: Vec<Line>,
    tail: &'static str,
}

impl Scene {
    fn text(&self) -> String {
        let lines = self.lines.iter().map(|(words, _)| words.join(" "));
        let lines: Vec<String> = lines.map(|line| format!("  {line}\n")).collect();
        format!("{}{}{}", self.head, lines.concat(), self.tail)
    }
}

fn line(text: &str, may_be_wrong: bool) -> Line {
    let words = text.split(' ').map(str::to_owned);
    (words.collect(), may_be_wrong)
}

/// Textures in legacy states, each barrier between two uses in different states.
fn legacy(random: &mut StdRng) -> Scene {
    let names = ["t", "u", "v"];
    let mut states: [Option<&str>; 3] = [None; 3];
    let mut first = states;
    let mut lines = Vec::new();
    for _ in 0..random.random_range(4..10) {
        let at = random.random_range(0..names.len());
        let (command, state) = *WAYS.choose(random).expect("there are ways");
        let name = names[at];
        match states[at] {
            Some(old) if old == state => continue,
            Some(old) => {
                let transition = format!("legacy {{ transition {name} {old} -> {state}");
                if random.random_range(0..4) == 0 {
                    lines.push(line(&format!("{transition} begin }}"), true));
                    lines.push(line("dispatch 1x1x1 { }", false));
                    lines.push(line(&format!("{transition} end }}"), true));
                } else {
                    lines.push(line(&format!("{transition} }}"), true));
                }
            }
            None => first[at] = Some(state),
        }
        states[at] = Some(state);
        lines.push(line(&command.replace('#', name), false));
    }
    let mut head = "queue q : direct\nbuffer source : 64KiB\nbuffer sink : 64KiB\n".to_owned();
    for (name, state) in names.iter().zip(first) {
        if let Some(state) = state {
            head.extend([format!(
                "texture {name} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET|UNORDERED_ACCESS; state {state} }}\n"
            )]);
        }
    }
    Scene {
        head: head + "list l : direct {\n",
        lines,
        tail: "}\ntimeline { q execute l }\n",
    }
}

/// Steps of a buffer through the queues, each after the one before it.
fn fences(random: &mut StdRng) -> Scene {
    let queues = ["a", "b", "c"];
    let mut values = [0; 3];
    let mut lines = Vec::new();
    let mut last = None;
    for _ in 0..random.random_range(3..6) {
        let others = (0..queues.len()).filter(|at| Some(*at) != last);
        let at = others.choose(random).expect("there are other queues");
        let queue = queues[at];
        if let Some(before) = last {
            values[before] += 1;
            let (other, value) = (queues[before], values[before]);
            lines.push(line(&format!("{other} signal of_{other} {value}"), true));
            lines.push(line(&format!("{queue} wait of_{other} {value}"), true));
        }
        lines.push(line(&format!("{queue} execute of_{queue}"), false));
        last = Some(at);
    }
    let mut head = "buffer shared : 4KiB { flags UNORDERED_ACCESS }\n".to_owned();
    for queue in queues {
        head.extend([format!(
            "queue {queue} : compute\nfence of_{queue}\nlist of_{queue} : compute {{ dispatch 1x1x1 {{ UNORDERED_ACCESS shared }} }}\n"
        )]);
    }
    Scene {
        head: head + "timeline {\n",
        lines,
        tail: "}\n",
    }
}

/// What a word may be made by mistake; none for words that the language needs.
fn others(word: &str) -> Vec<String> {
    let of = |all: &[&str]| -> Vec<String> {
        let others = all.iter().filter(|other| **other != word);
        others.map(|other| (*other).to_owned()).collect()
    };
    let names = ["t", "u", "v"];
    let fences = ["of_a", "of_b", "of_c"];
    let flags = ["begin", "end"];
    let states = WAYS.map(|(_, state)| state);
    if let Ok(value) = word.parse::<u64>() {
        return vec![(value + 1).to_string(), (value - 1).to_string()];
    }
    [&names[..], &fences[..], &flags[..], &states[..]]
        .into_iter()
        .find(|all| all.contains(&word))
        .map_or_else(Vec::new, of)
}

/// Makes one word of one line wrong; what it was, or `None` if there is none.
fn break_one(random: &mut StdRng, scene: &mut Scene) -> Option<String> {
    let declared =
        |word: &String| word.len() > 1 || scene.head.contains(&format!("texture {word} :"));
    let others = |word: &str| -> Vec<String> {
        let others = others(word).into_iter();
        others.filter(declared).collect()
    };
    let lines = scene.lines.iter_mut().filter(|(_, may)| *may);
    let (words, _) = lines.choose(random)?;
    let wrong = words.iter_mut().filter(|word| !others(word).is_empty());
    let word = wrong.choose(random)?;
    let was = word.clone();
    word.clone_from(others(word).choose(random)?);
    Some(was)
}

fn wrong(text: &str) -> Vec<Finding> {
    let source = Source::new("scene.scn", text);
    let mut findings = run::check(&source, &Options::default()).findings;
    findings.retain(|f| f.severity.fails());
    findings
}

/// What a repair did to a scene.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// It is what it was.
    Recovered,
    /// One line is another one: a word has come to fit the wrong one.
    OneLine,
    /// Other lines, or more of them, or fewer.
    More,
    /// Something is left.
    Left,
}

fn outcome(right: &str, text: &str) -> (Outcome, String) {
    let source = Source::new("wrong.scn", text);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    let repaired = repair.source.text;
    let (was, is): (Vec<&str>, Vec<&str>) = (text.lines().collect(), repaired.lines().collect());
    let outcome = if !repair.left.is_empty() || !wrong(&repaired).is_empty() {
        Outcome::Left
    } else if repaired == right {
        Outcome::Recovered
    } else if was.len() == is.len() && was.iter().zip(&is).filter(|(a, b)| a != b).count() == 1 {
        Outcome::OneLine
    } else {
        Outcome::More
    };
    (outcome, repaired)
}

/// Counts what repairs make of scenes of a kind; at most so many of a hundred may be `More` or `Left`.
fn hold(clean: fn(&mut StdRng) -> Scene, percent: u64) {
    let mut counts: BTreeMap<Outcome, u64> = BTreeMap::new();
    for seed in sizes::WORDS.seeds() {
        let mut random = StdRng::seed_from_u64(seed);
        let mut scene = clean(&mut random);
        let right = scene.text();
        assert!(wrong(&right).is_empty(), "{:#?}\n{right}", wrong(&right));
        if break_one(&mut random, &mut scene).is_none() {
            continue;
        }
        let text = scene.text();
        if wrong(&text).is_empty() {
            continue;
        }
        let (outcome, repaired) = outcome(&right, &text);
        if outcome > Outcome::OneLine {
            println!("== {seed} {outcome:?}\n{right}--\n{text}--\n{repaired}");
        }
        *counts.entry(outcome).or_default() += 1;
    }
    let all: u64 = counts.values().sum();
    println!("{all}: {counts:?}");
    assert!(all > 0, "some scene is wrong");
    let of = |wanted| counts.get(&wanted).copied().unwrap_or(0);
    let rest = of(Outcome::More) + of(Outcome::Left);
    assert!(rest * 100 <= all * percent, "{counts:?}");
}

#[test]
fn one_wrong_word_of_legacy_barriers_is_repaired() {
    hold(legacy, 3);
}

#[test]
fn one_wrong_word_of_signals_and_waits_is_repaired() {
    hold(fences, 3);
}

/// A transition whose states are equal in place of one of two, in both halves if it is split, is one mistake: nothing follows from it,
/// whichever of the two states is the wrong one (reading R72).
#[test]
fn two_equal_states_are_one_mistake() {
    let mut counts = [0_u64; 2];
    for seed in sizes::LAWS.seeds().step_by(sizes::step(2, 1)) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut scene = legacy(&mut random);
        let is_transition =
            |words: &[String]| words.get(2).is_some_and(|word| word == "transition");
        let is_begun = |words: &[String]| words.iter().any(|word| word == "begin");
        let all = scene.lines.iter().enumerate();
        let starts = all.filter(|(_, (words, _))| {
            is_transition(words) && !words.iter().any(|word| word == "end")
        });
        let Some((at, _)) = starts.choose(&mut random) else {
            continue;
        };
        let (wrong_one, right_one) = if random.random() { (4, 6) } else { (6, 4) };
        let halves = if is_begun(&scene.lines[at].0) { 3 } else { 1 };
        for (words, _) in &mut scene.lines[at..at + halves] {
            if is_transition(words) {
                words[wrong_one] = words[right_one].clone();
            }
        }
        let text = scene.text();
        let found = wrong(&text);
        let rules: Vec<&str> = found.iter().map(|f| f.rule.id).collect();
        assert_eq!(rules, ["LB001"], "seed {seed}:\n{text}\n{found:#?}");
        counts[usize::from(halves > 1)] += 1;
    }
    assert!(counts.iter().all(|count| *count > 80), "{counts:?}");
}
