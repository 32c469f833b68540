//! Programs that nobody has written: one for each pair and chain of ways to use a resource, in each form of a barrier.
//!
//! A scene tells a story; these leave no gap. Each is as small as its situation, and has no mistake of its own, so that a
//! lowering that fails on one is wrong. The specification's "Barrier Ordering", "Resource Aliasing" and "Split Barriers"
//! say what each form must look like.

use super::draft::{Draft, Setting, access, discarding, only_writes, plain, side};
use super::staged;
use super::uses::{self, ProgramResources, Row, SideText};
use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, compat};
use crate::finding::Source;

/// Programs that no scene tells: one for each pair and chain of ways to use a resource, in each form of a barrier. None has a
/// mistake of its own.
pub fn situations() -> Vec<Source> {
    let mut all = Situations(Vec::new());
    for (kind, _) in ProgramResources::ALL {
        let rows = kind.rows();
        for x in rows {
            for y in rows {
                all.of_pair(Uses::usual(kind, x, y));
            }
        }
        all.staged(kind);
        all.chains(kind);
        all.passed_on(kind);
        all.warm(kind);
        all.readers(kind);
    }
    all.shared_layouts();
    all.stages();
    all.videos();
    all.aliases();
    all.elsewhere();
    all.anew();
    all.0
}

/// Programs so far.
pub(super) struct Situations(Vec<Source>);

/// Two ways to use a resource, one after the other.
#[derive(Copy, Clone)]
pub(super) struct Uses {
    pub(super) place: Setting,
    pub(super) kind: ProgramResources,
    pub(super) x: &'static Row,
    pub(super) y: &'static Row,
}

impl Uses {
    fn usual(kind: ProgramResources, x: &'static Row, y: &'static Row) -> Self {
        let place = Setting::USUAL;
        Self { place, kind, x, y }
    }

    /// What names of situations of theirs are made of.
    pub(super) fn words(self) -> Vec<&'static str> {
        let Self { kind, x, y, .. } = self;
        let mut words = self.place.words();
        words.extend([kind.nouns().0, access(x), x.sync, "to", access(y), y.sync]);
        words
    }

    /// Whether a barrier between the two does something: one of them writes, or the layout changes.
    pub(super) fn depend(self) -> bool {
        self.x.writes() || self.y.writes() || self.x.layout != self.y.layout
    }

    /// `x`, what comes between, `y`.
    pub(super) fn around(self, between: impl FnOnce(&mut Draft)) -> String {
        let mut draft = Draft::about(self.place, self.kind, self.x);
        draft.add(&self.x.on("a"));
        between(&mut draft);
        draft.add(&self.y.on("a"));
        draft.done(&[self.kind])
    }

    pub(super) fn entry(self, before: SideText<'_>, after: SideText<'_>) -> String {
        uses::entry(self.kind, "a", before, after)
    }
}

impl Situations {
    pub(super) fn add(&mut self, form: &str, words: &[&str], text: String) {
        let name = format!("situations/{form}/{}.scn", words.join("-").to_lowercase());
        self.0.push(Source::new(name, text));
    }

    /// A pair of uses, in each form of a barrier.
    fn of_pair(&mut self, pair: Uses) {
        if !pair.depend() {
            return;
        }
        self.plainly(pair);
        let words = pair.words();
        self.renewed(pair, &words);
        self.legacy(pair, &words);
    }

    /// A pair of uses, in each form of an enhanced barrier.
    pub(super) fn plainly(&mut self, pair: Uses) {
        let Uses { kind, x, y, .. } = pair;
        let words = pair.words();
        let smallest = pair.around(|draft| {
            draft.barrier(&pair.entry(side(x), side(y)));
        });
        self.add("pairs", &words, smallest);
        self.among_others(pair, &words);
        if kind.is_buffer() {
            let (from, to) = (access(x), access(y));
            let text = pair.around(|draft| {
                let entry = format!(
                    "global {{ sync {} -> {}; access {from} -> {to} }}",
                    x.sync, y.sync
                );
                draft.barrier(&entry);
            });
            self.add("globals", &words, text);
            let every = "global { sync ALL -> ALL; access COMMON -> COMMON }";
            let text = pair.around(|draft| {
                draft.barrier(every);
            });
            self.add("wide-globals", &words, text);
        } else if x.layout != y.layout {
            self.over_scopes(pair, &words);
        }
        if pair.place.queue == QueueType::Copy {
            // Nothing but a copy can be between the halves.
            return;
        }
        let split = pair.around(|draft| {
            let end = |sync, row| SideText { sync, ..side(row) };
            draft.barrier(&pair.entry(side(x), end("SPLIT", y)));
            draft.add("dispatch 1x1x1 { }");
            draft.barrier(&pair.entry(end("SPLIT", x), side(y)));
        });
        self.add("splits", &words, split);
    }

    /// A barrier while every cache has lines of others: it is not about them.
    fn among_others(&mut self, pair: Uses, words: &[&str]) {
        let Uses { kind, x, y, .. } = pair;
        let among_others = |before, after| {
            pair.around(|draft| {
                draft.others().barrier(&pair.entry(before, after));
            })
        };
        self.add("among-others", words, among_others(side(x), side(y)));
        let (all_before, all_after) = (uses::everything(x), uses::everything(y));
        self.add("from-all", words, among_others(all_before, side(y)));
        self.add("to-all", words, among_others(side(x), all_after));
        self.add("all-to-all", words, among_others(all_before, all_after));
        if is_copied(x) || is_copied(y) {
            let mut draft = Draft::about(pair.place, kind, x);
            draft.asynchronous = true;
            draft.add(&x.on("a")).others();
            draft.barrier(&pair.entry(side(x), side(y))).add(&y.on("a"));
            self.add("asynchronous", words, draft.done(&[kind]));
        }
        if !kind.is_buffer() {
            let initial = format!("; uncompressed; initial {}", x.layout);
            let mut draft = Draft::placed(pair.place, kind, &initial);
            draft.add(&x.on("a")).others();
            draft.barrier(&pair.entry(side(x), side(y))).add(&y.on("a"));
            self.add("uncompressed", words, draft.done(&[kind]));
        }
    }

    /// The layout changes at the end of one scope, or at the beginning of the next.
    fn over_scopes(&mut self, pair: Uses, words: &[&str]) {
        let nothing = |row| SideText {
            sync: "NONE",
            ..plain(row, "NO_ACCESS")
        };
        let first = pair.around(|draft| {
            draft.next_call();
            draft.barrier(&pair.entry(nothing(pair.x), side(pair.y)));
        });
        self.add("scope-starts", words, first);
        let last = pair.around(|draft| {
            draft.barrier(&pair.entry(side(pair.x), nothing(pair.y)));
            draft.next_call();
        });
        self.add("scope-ends", words, last);
    }

    /// The contents are given up. Reading R24.
    pub(super) fn renewed(&mut self, pair: Uses, words: &[&str]) {
        let Uses { kind, x, y, .. } = pair;
        if kind.is_buffer() || !y.writes() {
            return;
        }
        let before = SideText {
            layout: "UNDEFINED",
            ..plain(x, "NO_ACCESS")
        };
        let entry = discarding(&pair.entry(before, side(y)));
        let mut draft = Draft::about(pair.place, kind, x);
        draft
            .add(&x.on("a"))
            .barrier(&entry)
            .add(&only_writes(y, "a"));
        self.add("renewals", words, draft.done(&[kind]));
    }

    /// Pairs in which a use is at a stage that no row of the kind has.
    fn staged(&mut self, kind: ProgramResources) {
        let extra = staged::ELSEWHERE.iter().filter(|(of, _)| *of == kind);
        let extra: Vec<&'static Row> = extra.map(|(_, row)| row).collect();
        let all = || kind.rows().iter().chain(extra.iter().copied());
        for x in all() {
            for y in all() {
                let pair = Uses::usual(kind, x, y);
                let is_extra = |row: &Row| extra.iter().any(|other| std::ptr::eq(*other, row));
                if pair.depend() && (is_extra(x) || is_extra(y)) {
                    let text = pair.around(|draft| {
                        draft.barrier(&pair.entry(side(x), side(y)));
                    });
                    self.add("staged", &pair.words(), text);
                }
            }
        }
    }

    /// The same asked the legacy way.
    fn legacy(&mut self, pair: Uses, words: &[&str]) {
        let Uses { kind, x, y, .. } = pair;
        if x.state.is_empty() || y.state.is_empty() {
            return;
        }
        let entry = match (x.state == y.state, x.state) {
            (false, _) => format!("transition a {} -> {}", x.state, y.state),
            (true, uses::UAV) => "uav a".to_owned(),
            (true, _) => return,
        };
        let options = if kind.is_buffer() {
            String::new()
        } else {
            format!("; state {}", x.state)
        };
        let mut draft = Draft::declaring(kind, &options);
        draft.add(&x.on("a"));
        draft.add(&format!("legacy {{ {entry} }}"));
        draft.add(&y.on("a"));
        self.add("legacy", words, draft.done(&[kind]));
    }

    /// A write, a use, another use: what the middle one has seen is passed on, or overwritten.
    fn chains(&mut self, kind: ProgramResources) {
        let rows = kind.rows();
        let writers = || rows.iter().filter(|row| row.writes());
        let readers = || rows.iter().filter(|row| !row.writes());
        for w in writers() {
            for x in readers() {
                for y in rows {
                    if !y.writes() && access(x) == access(y) && x.sync == y.sync {
                        continue;
                    }
                    let chain = |mut draft: Draft| {
                        draft.add(&w.on("a"));
                        draft.barrier(&uses::entry(kind, "a", side(w), side(x)));
                        draft.add(&x.on("a")).others();
                        draft.barrier(&uses::entry(kind, "a", side(x), side(y)));
                        draft.add(&y.on("a"));
                        draft.done(&[kind])
                    };
                    let draft = Draft::about(Setting::USUAL, kind, w);
                    let words = [
                        kind.nouns().0,
                        access(w),
                        w.sync,
                        access(x),
                        x.sync,
                        access(y),
                        y.sync,
                    ];
                    self.add("chains", &words, chain(draft));
                    if !kind.is_buffer() {
                        let initial = format!("; uncompressed; initial {}", w.layout);
                        let draft = Draft::declaring(kind, &initial);
                        self.add("uncompressed-chains", &words, chain(draft));
                    }
                }
            }
        }
    }

    /// A legacy state of two readers, on the way from a write and back.
    fn readers(&mut self, kind: ProgramResources) {
        let rows = kind.rows();
        let mut readers: Vec<&Row> = Vec::new();
        for row in rows
            .iter()
            .filter(|row| !row.writes() && !row.state.is_empty())
        {
            if readers.iter().all(|known| known.state != row.state) {
                readers.push(row);
            }
        }
        for w in rows
            .iter()
            .filter(|row| row.writes() && !row.state.is_empty())
        {
            for (at, x) in readers.iter().enumerate() {
                for y in &readers[at + 1..] {
                    let options = if kind.is_buffer() {
                        String::new()
                    } else {
                        format!("; state {}", w.state)
                    };
                    let both = format!("{}|{}", x.state, y.state);
                    let mut draft = Draft::declaring(kind, &options);
                    draft.add(&w.on("a"));
                    draft.add(&format!("legacy {{ transition a {} -> {both} }}", w.state));
                    draft.add(&x.on("a")).add(&y.on("a"));
                    draft.add(&format!("legacy {{ transition a {both} -> {} }}", w.state));
                    draft.add(&w.on("a"));
                    let words = [kind.nouns().0, w.state, x.state, y.state];
                    self.add("legacy-readers", &words, draft.done(&[kind]));
                }
            }
        }
    }

    /// Layouts in which several accesses take turns: barriers change nothing but what is visible.
    fn shared_layouts(&mut self) {
        let layouts = [
            Layout::Common,
            Layout::GenericRead,
            Layout::DirectQueueCommon,
            Layout::DirectQueueGenericRead,
        ];
        for kind in ProgramResources::textures() {
            for layout in layouts {
                let allowed = compat::layout_accesses(layout);
                let rows: Vec<&'static Row> = kind
                    .rows()
                    .iter()
                    .filter(|row| allowed.contains(row.access))
                    .collect();
                let name = layout.name();
                let side = |row| SideText {
                    layout: &name,
                    ..side(row)
                };
                for x in &rows {
                    for y in rows.iter().filter(|y| x.writes() || y.writes()) {
                        let mut draft = Draft::declaring(kind, &format!("; initial {name}"));
                        draft.add(&x.on("a"));
                        draft.barrier(&uses::entry(kind, "a", side(x), side(y)));
                        draft.add(&y.on("a"));
                        let words = [kind.nouns().0, &name, access(x), x.sync, access(y), y.sync];
                        self.add("shared-layouts", &words, draft.done(&[kind]));
                    }
                }
            }
        }
    }

    /// The stages of the video queues.
    fn videos(&mut self) {
        let queues = [
            ("video_decode", "VIDEO_DECODE", "video-decode"),
            ("video_process", "VIDEO_PROCESS", "video-process"),
            ("video_encode", "VIDEO_ENCODE", "video-encode"),
        ];
        for (queue, stage, command) in queues {
            for sync in ["ALL", stage] {
                let (read, write) = (format!("{stage}_READ"), format!("{stage}_WRITE"));
                let text = format!(
                    "texture a : NV12 64x64 {{ initial {write} }}\nqueue q : {queue}\ntimeline {{\n  q execute {{\n    \
                     {command} {{ {write} a }}\n    barrier {{ texture a {{ sync {sync} -> {sync}; access {write} -> {read}; \
                     layout {write} -> {read} }} }}\n    {command} {{ {read} a }}\n  }}\n}}\n"
                );
                self.add("videos", &[stage, "as", sync], text);
                let text = format!(
                    "buffer a : 4KiB\nqueue q : {queue}\ntimeline {{\n  q execute {{\n    {command} {{ {write} a }}\n    \
                     barrier {{ buffer a {{ sync {sync} -> {sync}; access {write} -> {read} }} }}\n    {command} {{ {read} a }}\n  \
                     }}\n}}\n"
                );
                self.add("videos", &[stage, "buffer", "as", sync], text);
            }
        }
    }

    /// Every stage, named by every umbrella that has it, on either side.
    fn stages(&mut self) {
        let (writer, reader) = (
            &ProgramResources::Buffer.rows()[0],
            &ProgramResources::Buffer.rows()[1],
        );
        let rows = || {
            ProgramResources::ALL
                .iter()
                .flat_map(|(kind, _)| kind.rows().iter().map(|row| (*kind, row)))
        };
        let extra = || staged::ELSEWHERE.iter().map(|(kind, row)| (*kind, row));
        for (kind, row) in rows().chain(extra()) {
            let leaves = BarrierSync::parse_one(row.sync)
                .map_or(BarrierSync::NONE, |sync| sync)
                .leaves();
            // The other side is the row that is nearest: of buffers a dispatch, of others their first.
            let (other_writer, other_reader) = match kind {
                ProgramResources::Buffer => (writer, reader),
                _ => (&kind.rows()[0], &kind.rows()[1]),
            };
            for umbrella in UMBRELLAS.into_iter().chain([row.sync]) {
                let Some(sync) = BarrierSync::parse_one(umbrella) else {
                    continue;
                };
                let has =
                    sync.leaves().contains(leaves) && compat::access_sync_ok(row.access, sync);
                if !has {
                    continue;
                }
                let wide = SideText {
                    sync: umbrella,
                    ..side(row)
                };
                let words = [kind.nouns().0, access(row), row.sync, "as", umbrella];
                // What is written is read, and what is read is overwritten.
                let next = if row.writes() {
                    other_reader
                } else {
                    other_writer
                };
                let before = Uses::usual(kind, row, next);
                let text = before.around(|draft| {
                    draft.barrier(&before.entry(wide, side(next)));
                });
                self.add("stages-before", &words, text);
                let pair = Uses::usual(kind, other_writer, row);
                let text = pair.around(|draft| {
                    draft.barrier(&pair.entry(side(other_writer), wide));
                });
                self.add("stages-after", &words, text);
            }
        }
    }

    /// Two resources take turns in the same memory. Spec: "Resource Aliasing".
    fn aliases(&mut self) {
        for (first, second) in NEIGHBOURS {
            for x in first.rows() {
                for y in second.rows().iter().filter(|row| row.writes()) {
                    self.alias(QueueType::Direct, (first, x), (second, y));
                }
            }
        }
    }

    pub(super) fn alias(
        &mut self,
        queue: QueueType,
        (first, x): (ProgramResources, &'static Row),
        (second, y): (ProgramResources, &'static Row),
    ) {
        let place = Setting::on(queue);
        let rows = second.rows().iter();
        for z in rows.filter(|row| !row.writes() && place.has(row)) {
            let mut draft = Draft::sharing_memory(queue, first, second);
            draft.taking_turns((first, x), (second, y, z));
            let mut words = place.words();
            words.extend([
                first.nouns().0,
                access(x),
                x.sync,
                second.nouns().0,
                access(y),
                y.sync,
                access(z),
                z.sync,
            ]);
            self.add("aliases", &words, draft.done(&[first, second]));
            if is_copied(x) {
                let mut draft = Draft::sharing_memory(queue, first, second);
                draft.asynchronous = true;
                draft.taking_turns((first, x), (second, y, z));
                let text = draft.done(&[first, second]);
                self.add("asynchronous-aliases", &words, text);
            }
        }
    }
}

/// Whether a row writes by a copy or a resolve.
pub(super) fn is_copied(row: &Row) -> bool {
    (BarrierAccess::COPY_DEST | BarrierAccess::RESOLVE_DEST).contains(row.access)
}

/// Scopes that stand for several stages. Spec: "Umbrella Synchronization Scopes".
const UMBRELLAS: [&str; 4] = ["ALL", "DRAW", "ALL_SHADING", "NON_PIXEL_SHADING"];

/// Kinds that take turns in one memory.
pub(super) const NEIGHBOURS: [(ProgramResources, ProgramResources); 15] = [
    (ProgramResources::Buffer, ProgramResources::Structure),
    (ProgramResources::Buffer, ProgramResources::Buffer),
    (ProgramResources::Buffer, ProgramResources::Texture),
    (ProgramResources::Texture, ProgramResources::Buffer),
    (ProgramResources::Texture, ProgramResources::Texture),
    (ProgramResources::Texture, ProgramResources::Depth),
    (ProgramResources::Depth, ProgramResources::Texture),
    (ProgramResources::Depth, ProgramResources::Samples),
    (ProgramResources::Samples, ProgramResources::Texture),
    (ProgramResources::RateImage, ProgramResources::Texture),
    (ProgramResources::Structure, ProgramResources::Texture),
    (ProgramResources::Depth, ProgramResources::Buffer),
    (ProgramResources::Samples, ProgramResources::Buffer),
    (ProgramResources::RateImage, ProgramResources::Buffer),
    (ProgramResources::Structure, ProgramResources::Buffer),
];
