//! Random programs whose commands use several textures at once: render passes with several attachments, and one call with
//! a barrier for each texture that the next command uses, in any order. The barriers are right.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;

/// Names of the textures: two of colour, then a depth buffer.
const TEXTURES: [&str; 3] = ["albedo", "normal", "depth"];
const DEPTH: usize = 2;

/// What a command does with a texture: access, stage, layout, whether it writes.
type Way = (&'static str, &'static str, &'static str, bool);

const TARGET: Way = ("RENDER_TARGET", "RENDER_TARGET", "RENDER_TARGET", true);
const TESTED: Way = (
    "DEPTH_STENCIL_WRITE",
    "DEPTH_STENCIL",
    "DEPTH_STENCIL_WRITE",
    true,
);
const SHADED: Way = ("SHADER_RESOURCE", "PIXEL_SHADING", "SHADER_RESOURCE", false);
const COMPUTED: Way = (
    "SHADER_RESOURCE",
    "COMPUTE_SHADING",
    "SHADER_RESOURCE",
    false,
);
const STORED: Way = (
    "UNORDERED_ACCESS",
    "COMPUTE_SHADING",
    "UNORDERED_ACCESS",
    true,
);
const COPIED: Way = ("COPY_SOURCE", "COPY", "COPY_SOURCE", false);
const COPIED_TO: Way = ("COPY_DEST", "COPY", "COPY_DEST", true);

/// What is known of a texture while the text is written.
#[derive(Clone)]
struct State {
    layout: &'static str,
    /// Uses since the last barrier in the scope, and what that barrier's after side named.
    used: Vec<Way>,
    named: Option<Way>,
}

struct Writer {
    rng: StdRng,
    text: String,
    states: Vec<State>,
}

/// The program of a seed.
pub(crate) fn scene(seed: u64) -> String {
    let mut rng = StdRng::seed_from_u64(seed);
    let size = [64, 200, 512][rng.random_range(0..3)];
    let mut text = String::from("queue q : direct\n");
    for name in TEXTURES {
        let (format, flags, layout) = if name == TEXTURES[DEPTH] {
            ("D32_FLOAT", "DEPTH_STENCIL", TESTED.2)
        } else {
            ("R8G8B8A8_UNORM", "RENDER_TARGET|UNORDERED_ACCESS", TARGET.2)
        };
        writeln!(
            text,
            "texture {name} : {format} {size}x{size} {{ flags {flags}; initial {layout} }}"
        )
        .expect("a string");
    }
    text.push_str("timeline {\n");
    let states = [TARGET, TARGET, TESTED].map(|way| State {
        layout: way.2,
        used: Vec::new(),
        named: None,
    });
    let mut writer = Writer {
        rng,
        text,
        states: states.to_vec(),
    };
    for _ in 0..writer.rng.random_range(1..3) {
        writer.scope();
    }
    writer.text + "}\n"
}

impl Writer {
    fn scope(&mut self) {
        for state in &mut self.states {
            state.used.clear();
            state.named = None;
        }
        self.text.push_str("  q execute {\n");
        for _ in 0..self.rng.random_range(2..7) {
            self.command();
        }
        self.text.push_str("  }\n");
    }

    fn some(&mut self, of: &[(usize, Way)]) -> Vec<(usize, Way)> {
        let mut some = of.to_vec();
        some.shuffle(&mut self.rng);
        some.truncate(self.rng.random_range(1..=of.len()));
        some
    }

    fn command(&mut self) {
        match self.rng.random_range(0..7) {
            0..3 => {
                let attachments = self.some(&[(0, TARGET), (1, TARGET), (2, TESTED)]);
                self.barriers(&attachments);
                self.pass(&attachments);
            }
            3 => {
                let read = self.some(&[(0, SHADED), (1, SHADED), (2, SHADED)]);
                self.barriers(&read);
                self.work("draw pixels 4096", &read);
            }
            4 => {
                let read = self.some(&[(0, COMPUTED), (1, COMPUTED), (2, COMPUTED)]);
                self.barriers(&read);
                self.work("dispatch 16x1x1", &read);
            }
            5 => {
                let used = self.some(&[(0, STORED), (1, COMPUTED), (2, COMPUTED)]);
                self.barriers(&used);
                self.work("dispatch 16x1x1", &used);
            }
            _ => {
                self.barriers(&[(0, COPIED), (1, COPIED_TO)]);
                writeln!(self.text, "    copy {} -> {}", TEXTURES[0], TEXTURES[1])
                    .expect("a string");
            }
        }
    }

    /// Draws with the same attachments, perhaps cleared first, perhaps with barriers by region between.
    fn pass(&mut self, attachments: &[(usize, Way)]) {
        for (texture, way) in attachments {
            if self.rng.random_range(0..4) == 0 {
                let view = if *way == TARGET { "rtv" } else { "dsv" };
                writeln!(self.text, "    clear-{view} {}", TEXTURES[*texture]).expect("a string");
            }
        }
        for number in 0..self.rng.random_range(1..4) {
            if number > 0 && self.rng.random_range(0..2) == 0 {
                let (texture, (access, stage, layout, _)) =
                    attachments[self.rng.random_range(0..attachments.len())];
                writeln!(
                    self.text,
                    "    barrier {{ texture {} {{ sync {stage} -> {stage}; access {access} -> {access}; \
                     layout {layout} -> {layout} }} }}",
                    TEXTURES[texture]
                )
                .expect("a string");
            }
            self.work("draw pixels 4096", attachments);
        }
    }

    fn work(&mut self, word: &str, uses: &[(usize, Way)]) {
        write!(self.text, "    {word} {{").expect("a string");
        for (texture, (access, stage, _, _)) in uses {
            let at = if matches!(*access, "SHADER_RESOURCE" | "UNORDERED_ACCESS") {
                format!(" @ {stage}")
            } else {
                String::new()
            };
            write!(self.text, " {access} {}{at};", TEXTURES[*texture]).expect("a string");
        }
        self.text.push_str(" }\n");
    }

    /// Barriers that make textures right for their next uses: in one call, or one by one.
    fn barriers(&mut self, next: &[(usize, Way)]) {
        let mut entries: Vec<String> = next
            .iter()
            .filter_map(|(texture, way)| self.entry(*texture, *way))
            .collect();
        entries.shuffle(&mut self.rng);
        if self.rng.random_range(0..4) > 0 {
            entries = vec![entries.join(" ")];
        }
        for entry in entries.iter().filter(|entry| !entry.is_empty()) {
            writeln!(self.text, "    barrier {{ {entry} }}").expect("a string");
        }
    }

    fn entry(&mut self, texture: usize, next: Way) -> Option<String> {
        let state = &mut self.states[texture];
        let (access, at, layout, writes) = next;
        let changes = state.layout != layout;
        let all_read = !writes && state.used.iter().all(|used| !used.3);
        let is_first = state.used.is_empty() && state.named.is_none();
        if !changes && (is_first || all_read && state.named == Some(next)) {
            state.used.push(next);
            return None;
        }
        let mut before: Vec<Way> = state.used.clone();
        before.extend(state.named);
        let join = |word: fn(&Way) -> &'static str| {
            let mut words: Vec<&str> = before.iter().map(word).collect();
            words.sort_unstable();
            words.dedup();
            words.join("|")
        };
        let (stages, accesses) = if is_first {
            ("NONE".to_owned(), "NO_ACCESS".to_owned())
        } else {
            (join(|way| way.1), join(|way| way.0))
        };
        let entry = format!(
            "texture {} {{ sync {stages} -> {at}; access {accesses} -> {access}; layout {} -> {layout} }}",
            TEXTURES[texture], state.layout
        );
        state.layout = layout;
        state.named = Some(next);
        state.used = vec![next];
        Some(entry)
    }
}
