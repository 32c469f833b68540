//! Situations on other queues, in layouts that several accesses share, and on textures with other flags: what a rule may
//! tell apart next to the accesses themselves.

use super::draft::{Draft, Setting, access, only_writes, plain, side};
use super::situations::{NEIGHBOURS, Situations, Uses, is_copied};
use super::staged;
use super::uses::{self, ProgramResources, Row, SideText};
use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags, compat};

impl Situations {
    /// Adds every situation of this file.
    pub(super) fn elsewhere(&mut self) {
        self.on_compute_queues();
        self.on_copy_queues();
        self.simultaneous();
        self.denied();
        self.structures_otherwise();
        self.other_shapes();
        for queue in [QueueType::Direct, QueueType::Compute] {
            self.ways_into_shared_layouts(queue);
            self.chains_in_shared_layouts(queue);
            self.between_shared_layouts(queue);
        }
        self.rates_between_shared_layouts();
    }

    /// What compute queues can do, as on direct queues.
    fn on_compute_queues(&mut self) {
        let place = Setting::on(QueueType::Compute);
        for (kind, x, y) in pairs(place) {
            let pair = Uses { place, kind, x, y };
            if pair.depend() {
                self.plainly(pair);
                self.renewed(pair, &pair.words());
            }
        }
        for (first, second) in NEIGHBOURS {
            let rows = |kind: ProgramResources| kind.rows().iter().filter(|row| place.has(row));
            // What is read where nothing can write is read nowhere here.
            let writes = |kind| rows(kind).any(Row::writes);
            for x in rows(first).filter(|_| writes(first)) {
                for y in rows(second).filter(|row| row.writes()) {
                    self.alias(place.queue, (first, x), (second, y));
                }
            }
        }
    }

    /// Copies, whose end promises nothing or everything.
    fn on_copy_queues(&mut self) {
        let place = Setting::on(QueueType::Copy);
        for (kind, x, y) in pairs(place).filter(|(kind, ..)| kind.is_buffer()) {
            let pair = Uses { place, kind, x, y };
            if !pair.depend() {
                continue;
            }
            self.plainly(pair);
            let mut draft = Draft::about(place, kind, x);
            draft.asynchronous = true;
            let (from, to) = (access(x), access(y));
            let entry = format!("global {{ sync COPY -> COPY; access {from} -> {to} }}");
            draft.add(&x.on("a")).barrier(&entry).add(&y.on("a"));
            self.add("asynchronous-globals", &pair.words(), draft.done(&[kind]));
        }
        // Textures change no layout there.
        let kind = ProgramResources::Texture;
        let rows = || kind.rows().iter().filter(|row| place.has(row));
        for x in rows() {
            for y in rows().filter(|y| x.writes() || y.writes()) {
                for asynchronous in [false, true] {
                    let mut draft = Draft::placed(place, kind, "; initial COMMON");
                    draft.asynchronous = asynchronous;
                    let entry =
                        uses::entry(kind, "a", in_layout(x, "COMMON"), in_layout(y, "COMMON"));
                    draft.add(&x.on("a")).barrier(&entry).add(&y.on("a"));
                    let form = if asynchronous {
                        "asynchronous"
                    } else {
                        "shared-layouts"
                    };
                    let words = ["copy", kind.nouns().0, access(x), "to", access(y)];
                    self.add(form, &words, draft.done(&[kind]));
                }
            }
        }
    }

    /// Textures that several queues use at once are in `COMMON` and never compressed.
    fn simultaneous(&mut self) {
        let flags = ResourceFlags::SIMULTANEOUS_ACCESS;
        let kind = ProgramResources::Texture;
        let allowed = compat::texture_accesses(Layout::Common, flags);
        for queue in [QueueType::Direct, QueueType::Compute, QueueType::Copy] {
            let place = Setting {
                queue,
                flags: "|SIMULTANEOUS_ACCESS",
            };
            let rows = || {
                // Textures are sampled by draws; here compute shaders do it as well.
                let more = staged::ELSEWHERE.iter().filter(|(of, row)| {
                    *of == kind && row.sync == "COMPUTE_SHADING" && queue == QueueType::Compute
                });
                let rows = kind.rows().iter().chain(more.map(|(_, row)| row));
                rows.filter(|row| allowed.contains(row.access) && place.has(row))
            };
            for x in rows() {
                for y in rows().filter(|y| x.writes() || y.writes()) {
                    let pair = Uses { place, kind, x, y };
                    let (before, after) = (in_layout(x, "COMMON"), in_layout(y, "COMMON"));
                    let around = |others: bool, entry: &str| {
                        let mut draft = Draft::placed(place, kind, "; initial COMMON");
                        draft.add(&x.on("a"));
                        if others {
                            draft.others();
                            // Otherwise each copy of a copy queue ends before the next starts.
                            draft.asynchronous = queue == QueueType::Copy;
                        }
                        draft.barrier(entry).add(&y.on("a"));
                        draft.done(&[kind])
                    };
                    let words = pair.words();
                    let entry = pair.entry(before, after);
                    self.add("pairs", &words, around(false, &entry));
                    self.add("among-others", &words, around(true, &entry));
                    let global = format!(
                        "global {{ sync {} -> {}; access {} -> {} }}",
                        x.sync, y.sync, before.access, after.access
                    );
                    self.add("globals", &words, around(false, &global));
                }
            }
        }
    }

    /// Depth buffers that no shader reads.
    fn denied(&mut self) {
        let place = Setting {
            queue: QueueType::Direct,
            flags: "|DENY_SHADER_RESOURCE",
        };
        let kind = ProgramResources::Depth;
        let rows = kind.rows().iter();
        let rows = rows.filter(|row| row.access != BarrierAccess::SHADER_RESOURCE);
        let rows: Vec<&'static Row> = rows.collect();
        for x in &rows {
            for y in &rows {
                let pair = Uses { place, kind, x, y };
                if pair.depend() {
                    self.plainly(pair);
                    self.renewed(pair, &pair.words());
                }
            }
        }
        self.ways_of(place, kind, &rows);
    }

    /// Acceleration structures accessed as plain buffers: the debug layer warns, and the bytes are there.
    fn structures_otherwise(&mut self) {
        let kind = ProgramResources::Structure;
        let place = Setting::USUAL;
        let built = &kind.rows()[0];
        let plain_reads = || {
            ProgramResources::Buffer
                .rows()
                .iter()
                .filter(|row| !row.writes())
        };
        for y in plain_reads() {
            let pair = Uses {
                place,
                kind,
                x: built,
                y,
            };
            self.plainly(pair);
            for between in kind.rows().iter().filter(|row| !row.writes()) {
                let mut draft = Draft::about(place, kind, built);
                draft.add(&built.on("a"));
                draft.barrier(&uses::entry(kind, "a", side(built), side(between)));
                draft.add(&between.on("a"));
                draft.barrier(&uses::entry(kind, "a", side(between), side(y)));
                draft.add(&y.on("a"));
                let words = [access(built), access(between), between.sync, access(y)];
                self.add("chains", &words, draft.done(&[kind]));
            }
        }
    }

    /// From an access's own layout into one that several share, and back.
    fn ways_into_shared_layouts(&mut self, queue: QueueType) {
        let place = Setting::on(queue);
        for kind in ProgramResources::textures() {
            let rows = kind.rows().iter().filter(|row| place.has(row));
            self.ways_of(place, kind, &rows.collect::<Vec<_>>());
        }
    }

    fn ways_of(&mut self, place: Setting, kind: ProgramResources, rows: &[&'static Row]) {
        for layout in shared_layouts(place.queue) {
            let allowed = compat::layout_accesses(layout);
            let there = || rows.iter().filter(|row| allowed.contains(row.access));
            // One that reads and one that writes.
            let reader = there().find(|row| !row.writes());
            let writer = there().find(|row| row.writes());
            for y in reader.into_iter().chain(writer) {
                for x in rows {
                    self.way(Uses { place, kind, x, y }, &layout.name());
                }
            }
        }
    }

    /// Written and used in one layout, so that caches may still hold what was written when the layout changes.
    fn chains_in_shared_layouts(&mut self, queue: QueueType) {
        let place = Setting::on(queue);
        let layouts = Layout::ALL.into_iter();
        let layouts = layouts.filter(|layout| compat::queue_allows_layout(queue, *layout));
        for layout in layouts {
            let name = layout.name();
            let allowed = compat::layout_accesses(layout);
            for kind in ProgramResources::textures() {
                let rows = || kind.rows().iter().filter(|row| place.has(row));
                let there = || rows().filter(|row| allowed.contains(row.access));
                for x in there().filter(|x| x.writes()) {
                    for y in there().filter(|y| y.access != x.access) {
                        for z in rows().filter(|z| z.layout != name) {
                            let pair = Uses { place, kind, x, y };
                            let (from, through) = (in_layout(x, &name), in_layout(y, &name));
                            let mut draft =
                                Draft::placed(place, kind, &format!("; initial {name}"));
                            draft.add(&x.on("a")).barrier(&pair.entry(from, through));
                            draft.add(&y.on("a")).barrier(&pair.entry(through, side(z)));
                            draft.add(&z.on("a"));
                            let mut words = pair.words();
                            words.extend(["to", access(z), &name]);
                            self.add("chains", &words, draft.done(&[kind]));
                        }
                    }
                }
            }
        }
    }

    /// A shading rate image, written and read in one layout and read otherwise in another: what reads rates passes the caches of
    /// the shaders, and the change of the layout comes between.
    fn rates_between_shared_layouts(&mut self) {
        let (place, kind) = (Setting::USUAL, ProgramResources::RateImage);
        let shared = shared_layouts(place.queue);
        let rows = |layout: Layout| {
            let allowed = compat::layout_accesses(layout);
            let rows = kind.rows().iter();
            rows.filter(move |row| allowed.contains(row.access))
        };
        for first in &shared {
            let there = first.name();
            let written = rows(*first).find(|row| row.writes());
            let written = written.map(|row| (row, in_layout(row, &there)));
            // Where nothing writes in this layout, it was written in its own.
            let own = || {
                let row = kind.rows().iter().find(|row| row.writes());
                row.map(|row| (row, side(row)))
            };
            let Some((w, from)) = written.or_else(own) else {
                continue;
            };
            for second in shared.iter().filter(|second| *second != first) {
                for x in rows(*first).filter(|row| !row.writes()) {
                    for y in rows(*second).filter(|y| !y.writes() && y.access != x.access) {
                        let here = second.name();
                        let seen = in_layout(x, &there);
                        let words = [kind.nouns().0, access(x), &there, access(y), &here];
                        for form in ["chains", "chains-among-others"] {
                            let initial = format!("; initial {}", from.layout);
                            let mut draft = Draft::placed(place, kind, &initial);
                            draft.add(&w.on("a"));
                            draft.barrier(&uses::entry(kind, "a", from, seen));
                            draft.apart(x);
                            if form == "chains-among-others" {
                                draft.others();
                            }
                            draft.barrier(&uses::entry(kind, "a", seen, in_layout(y, &here)));
                            draft.apart(y);
                            self.add(form, &words, draft.done(&[kind]));
                        }
                    }
                }
            }
        }
    }

    /// From one layout that several accesses share into another, and back: every use of the one by turns with every use of the
    /// other.
    fn between_shared_layouts(&mut self, queue: QueueType) {
        let place = Setting::on(queue);
        let shared = shared_layouts(queue);
        for kind in ProgramResources::textures() {
            let uses = |layout: &Layout| {
                let allowed = compat::layout_accesses(*layout);
                let rows = kind.rows().iter();
                let rows = rows.filter(|row| place.has(row) && allowed.contains(row.access));
                rows.collect::<Vec<&'static Row>>()
            };
            for (at, first) in shared.iter().enumerate() {
                for second in &shared[at + 1..] {
                    let (ours, theirs) = (uses(first), uses(second));
                    let turns = ours.len().max(theirs.len());
                    let writes = ours.iter().chain(&theirs).any(|row| row.writes());
                    if turns == 0 || ours.is_empty() || theirs.is_empty() || !writes {
                        continue;
                    }
                    let names = [first.name(), second.name()];
                    // Each use of the one comes before and after some of the other; the last turn starts again.
                    let uses = (0..turns).flat_map(|turn| {
                        let (x, y) = (ours[turn % ours.len()], theirs[turn % theirs.len()]);
                        [(x, &names[0]), (y, &names[1])]
                    });
                    let again = [(ours[0], &names[0])];
                    let text = turns_of(place, kind, uses.chain(again));
                    let mut words = place.words();
                    words.extend([kind.nouns().0, &*names[0], "and", &*names[1]]);
                    self.add("between-shared-layouts", &words, text);
                }
            }
        }
    }

    /// Shapes, flags and uses that no kind has: several mips, depth of several samples or resolved, shading rate images that
    /// are rendered.
    fn other_shapes(&mut self) {
        let of = |kind: ProgramResources, access: BarrierAccess| {
            let mut rows = kind.rows().iter();
            rows.find(|row| row.access == access)
        };
        let (queue, writes) = (QueueType::Direct, BarrierAccess::RENDER_TARGET);
        let rendered = of(ProgramResources::Texture, writes);
        let place = Setting {
            queue,
            flags: "|RENDER_TARGET",
        };
        for y in ProgramResources::RateImage.rows() {
            if let Some(x) = rendered {
                let kind = ProgramResources::RateImage;
                self.plainly(Uses { place, kind, x, y });
                self.plainly(Uses {
                    place,
                    kind,
                    x: y,
                    y: x,
                });
            }
        }
        // Depth is resolved, too.
        if let Some(x) = of(ProgramResources::Texture, BarrierAccess::RESOLVE_DEST) {
            let (place, kind) = (Setting::USUAL, ProgramResources::Depth);
            for y in kind.rows() {
                self.plainly(Uses { place, kind, x, y });
                self.plainly(Uses {
                    place,
                    kind,
                    x: y,
                    y: x,
                });
            }
        }
        // Copies need one sample; what resolves needs several.
        let place = Setting {
            queue,
            flags: "; samples 4",
        };
        let resolved = of(ProgramResources::Samples, BarrierAccess::RESOLVE_SOURCE);
        let rows = ProgramResources::Depth.rows().iter();
        let rows = rows.filter(|row| !is_copy(row)).chain(resolved);
        self.every_pair(place, ProgramResources::Depth, &rows.collect::<Vec<_>>());
        let place = Setting {
            queue,
            flags: "; mips 7",
        };
        for kind in [ProgramResources::Texture, ProgramResources::Depth] {
            let rows = kind.rows().iter();
            let rows = rows.filter(|row| row.access != BarrierAccess::RESOLVE_DEST);
            self.every_pair(place, kind, &rows.collect::<Vec<_>>());
        }
        let place = Setting {
            queue,
            flags: "|CROSS_ADAPTER",
        };
        for kind in [ProgramResources::Buffer, ProgramResources::Texture] {
            self.every_pair(place, kind, &kind.rows().iter().take(5).collect::<Vec<_>>());
        }
    }

    /// Each pair of uses in which one writes, before the other and after it.
    fn every_pair(&mut self, place: Setting, kind: ProgramResources, rows: &[&'static Row]) {
        for x in rows {
            for y in rows {
                let pair = Uses { place, kind, x, y };
                if pair.depend() {
                    let mut draft = Draft::about(place, kind, x);
                    draft.asynchronous = is_copied(x);
                    draft.add(&x.on("a")).others();
                    draft.barrier(&pair.entry(side(x), side(y))).add(&y.on("a"));
                    self.add("other-shapes", &pair.words(), draft.done(&[kind]));
                    self.renewed(pair, &pair.words());
                }
            }
        }
    }

    /// There and back.
    fn way(&mut self, pair: Uses, layout: &str) {
        let Uses { place, kind, x, y } = pair;
        let (own, shared) = (side(x), in_layout(y, layout));
        let mut words = pair.words();
        words.push(layout);
        let (there, back) = (pair.entry(own, shared), pair.entry(shared, own));
        if x.writes() || y.writes() {
            let mut draft = Draft::about(place, kind, x);
            draft.add(&x.on("a")).others();
            draft.barrier(&there).add(&y.on("a"));
            self.add("into-shared-layouts", &words, draft.done(&[kind]));
            let mut draft = Draft::placed(place, kind, &format!("; initial {layout}"));
            draft.add(&y.on("a")).others();
            draft.barrier(&back).add(&x.on("a"));
            self.add("out-of-shared-layouts", &words, draft.done(&[kind]));
            return;
        }
        let rounds = [
            ("into-shared-layouts", own, x, &there, y),
            ("out-of-shared-layouts", shared, y, &back, x),
        ];
        for (form, first, reader, entry, last) in rounds {
            // Between reads only what somebody has written before them can be read wrong. A writer at the stage of the reader
            // shares its caches, so that nothing has been written back before the change.
            let writers = || {
                let rows = kind.rows().iter();
                rows.filter(|w| w.writes() && place.has(w))
            };
            let near = writers().find(|writer| writer.sync == reader.sync);
            let Some(writer) = near.or_else(|| writers().next()) else {
                continue;
            };
            let mut draft = Draft::about(place, kind, writer);
            draft.add(&only_writes(writer, "a"));
            draft.barrier(&pair.entry(side(writer), first));
            draft.add(&reader.on("a"));
            draft.barrier(entry).add(&last.on("a"));
            self.add(form, &words, draft.done(&[kind]));
        }
    }
}

/// Layouts of a queue that several accesses share.
pub(super) fn shared_layouts(queue: QueueType) -> Vec<Layout> {
    let layouts = Layout::ALL.into_iter().filter(|layout| {
        matches!(layout, Layout::Common | Layout::GenericRead) || layout.is_queue_specific()
    });
    layouts
        .filter(|layout| compat::queue_allows_layout(queue, *layout))
        .collect()
}

/// Uses one after another, each in a layout, with a barrier between that says just that.
fn turns_of<'n, N: AsRef<str> + 'n>(
    place: Setting,
    kind: ProgramResources,
    uses: impl Iterator<Item = (&'static Row, &'n N)>,
) -> String {
    let mut draft: Option<Draft> = None;
    let mut earlier: Option<SideText<'_>> = None;
    for (row, layout) in uses {
        let layout: &str = layout.as_ref();
        let side = in_layout(row, layout);
        let initial = || Draft::placed(place, kind, &format!("; initial {layout}"));
        let draft = draft.get_or_insert_with(initial);
        // What is promised of a copy would do the work of the barrier after it (reading R20).
        draft.asynchronous |= is_copied(row);
        if let Some(earlier) = earlier.replace(side) {
            draft.barrier(&uses::entry(kind, "a", earlier, side));
        }
        draft.apart(row);
    }
    draft.map_or_else(String::new, |mut draft| draft.done(&[kind]))
}

/// Whether a row copies.
fn is_copy(row: &Row) -> bool {
    (BarrierAccess::COPY_DEST | BarrierAccess::COPY_SOURCE).contains(row.access)
}

/// Every pair of rows that can run at a place, of one kind each.
fn pairs(place: Setting) -> impl Iterator<Item = (ProgramResources, &'static Row, &'static Row)> {
    let kinds = ProgramResources::ALL.into_iter().map(|(kind, _)| kind);
    kinds.flat_map(move |kind| {
        let rows = move || kind.rows().iter().filter(move |row| place.has(row));
        rows().flat_map(move |x| rows().map(move |y| (kind, x, y)))
    })
}

/// A row's side in another layout.
pub(super) fn in_layout<'a>(row: &Row, layout: &'a str) -> SideText<'a> {
    SideText {
        layout,
        ..plain(row, access(row))
    }
}
