//! Reading a profile from TOML, with every contradiction named in its place.

mod base;
mod caches;
mod file;
mod numbers;
mod place;
mod read;
mod stored;
#[cfg(test)]
mod tests;
mod waiting;
mod ways;

pub(super) use base::base;
pub(super) use numbers::unusable_value;
pub use place::Problem;

use super::{Cache, Costs, Number, Profile};
use crate::id::{CacheId, Table};
use crate::schema::{Schema, schema};
use base::Texts;
use file::File;
use indexmap::IndexMap;
use place::{At, Places};
use toml::Spanned;
use toml::de::DeTable;

/// What is collected while a file is read.
struct Reader<'t> {
    places: Places<'t>,
    problems: Vec<Problem>,
    numbers: IndexMap<String, Number>,
    caches: Table<CacheId, Cache>,
    /// Caches whose parent is none of the profile: what follows from that is not said again.
    orphans: Vec<CacheId>,
    /// Where caches are named, by which name, and whether they are declared there; if somebody asks.
    named: Option<Vec<(At, String, bool)>>,
}

pub(super) const SCHEMA: Schema = schema!(
    read_in_order File, "profile", "A hardware profile, as `--profile FILE` takes it"
);

/// The profile of the first text, which is based on the second, and so on.
pub(super) fn profile(texts: &[&str]) -> Result<Profile, Vec<Problem>> {
    let texts = Texts::of(texts);
    let read = texts.merged().map_err(|problem| vec![problem]);
    let read = read.and_then(|table| of_table(table, &mut None));
    read.map_err(|problems| problems.into_iter().map(|p| texts.place(p)).collect())
}

/// Where the first text names caches: each place with the name, and whether the cache is declared there. The place of a name
/// in a list may be that of the list.
pub(super) fn names(texts: &[&str]) -> Vec<(usize, String, bool)> {
    let all = Texts::of(texts);
    let Ok(table) = all.merged() else {
        return Vec::new();
    };
    let mut named = Some(Vec::new());
    // What is wrong with the profile is told elsewhere.
    let _ = of_table(table, &mut named);
    let own = texts.first().map_or(0, |text| text.len());
    let named = named.unwrap_or_default().into_iter();
    named.filter(|(start, ..)| *start < own).collect()
}

fn of_table(
    table: Spanned<DeTable<'_>>,
    named: &mut Option<Vec<(usize, String, bool)>>,
) -> Result<Profile, Vec<Problem>> {
    let file: File = read::table(&table).map_err(|wrong| vec![Problem::of_mismatch(&wrong)])?;
    let mut reader = Reader::of(table, named.is_some());
    reader.numbers(&file);
    reader.named(&file);
    reader.keys(&file);
    reader.caches(&file.cache);
    let mut paths = Table::default();
    let mut base = reader.tables(&file, &mut paths);
    let taken = reader.alternatives(&file.read_alternative, &mut base, &mut paths);
    let exceptions = reader.exceptions(&file.exception);
    let tables = reader.variants(&file.exception, &base, &mut paths);
    let layout_ops = reader.layout_ops(&file);
    reader.stored(&file, &tables, &exceptions, &layout_ops);
    let tile_pass = file
        .tile_pass
        .as_ref()
        .and_then(|row| reader.tile_pass(row, &mut paths));
    let drains = reader.drains(&file);
    let engines = reader.engines(&file.waiting.engines);
    let in_order = At::of("waiting").to("in_order");
    let in_order = reader.stages(&in_order, "[waiting] in_order", &file.waiting.in_order);
    let switch_drops = reader.switch_drops(&file.waiting);
    let granularity = reader.granularity(&file.waiting);
    let front_end_readers = reader.front_end_readers(&file.front_end);
    let front_end_stopped_by = reader.front_end_stopped_by(&file.front_end);
    let compressed_flags = reader.compressed_flags(&file.compressed_flags, &tables);
    let origins = reader.origins(&file);
    if let Some(named) = named {
        named.extend(reader.names());
    }
    if !reader.problems.is_empty() {
        return Err(place::in_order(reader.problems));
    }
    let mut profile = Profile {
        name: file.name,
        aliases: file.aliases,
        summary: file.summary,
        lowering: file.lowering,
        caches: reader.caches,
        layout_ops,
        front_end_readers,
        front_end_op: file.front_end.op,
        front_end_stopped_by,
        granularity,
        idle_drains_free: file.waiting.idle_is_free,
        engines,
        in_order,
        switch_waits_free: file.waiting.switch_waits_free,
        groups_stay: file.waiting.groups_stay,
        switch_drops,
        costs: Costs::default(),
        tile_pass,
        exceptions,
        taken,
        paths,
        compressed_flags,
        tables,
        drains,
        numbers: reader.numbers,
        origins,
    };
    profile.derive();
    Ok(profile)
}

impl<'t> Reader<'t> {
    /// Of a table; `names` says whether it notes where caches are named.
    fn of(table: Spanned<DeTable<'t>>, names: bool) -> Self {
        Self {
            places: Places::of(table),
            problems: Vec::new(),
            numbers: IndexMap::new(),
            caches: Table::default(),
            orphans: Vec::new(),
            named: names.then(Vec::new),
        }
    }

    /// The first byte of each place where a cache is named, its name, and whether it is declared there.
    fn names(&self) -> impl Iterator<Item = (usize, String, bool)> + '_ {
        let named = self.named.iter().flatten();
        named.filter_map(|(at, name, declares)| {
            Some((self.places.start(at)?, name.clone(), *declares))
        })
    }
}

impl Reader<'_> {
    /// The name of the profile and of its lowering.
    fn named(&mut self, file: &File) {
        if file.name.trim().is_empty() {
            self.problem(&At::of("name"), "name: a profile needs one".into());
        }
        if file.lowering.as_ref().is_some_and(|l| l.trim().is_empty()) {
            self.problem(
                &At::of("lowering"),
                "lowering: name one, or leave it out".into(),
            );
        }
    }

    fn problem(&mut self, at: &At, message: String) {
        let start = self.places.start(at);
        self.problems.push(Problem {
            text: 0,
            start,
            message,
        });
    }
}
