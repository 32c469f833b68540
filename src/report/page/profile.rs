//! Pages of hardware profiles: tables of what the profile has, with the comments of its file as prose.

use super::{Page, code, table};
use crate::api::{BarrierAccess, Layout, QueueType, compat};
use crate::hardware::{
    Client, Exception, LayoutClass, LayoutOp, Profile, Routes, Variant, WritePolicy,
};
use crate::time;
use indexmap::IndexMap;
use std::fmt::Write as _;

/// Queue types of the columns of a table of layouts.
const QUEUES: [QueueType; 3] = [QueueType::Direct, QueueType::Compute, QueueType::Copy];
/// Tags of numbers and tables, the best founded first.
const TAGS: [&str; 4] = ["measured", "published", "driver", "assumed"];

/// A profile with the text of its file.
pub struct ProfileTopic {
    /// The profile.
    pub profile: Profile,
    /// Its file, for the comments.
    pub text: &'static str,
    /// Name of the lowering that its runs take unless another one is named.
    pub lowering: &'static str,
}

pub(super) fn page(topic: &ProfileTopic) -> Page {
    let ProfileTopic { profile, text, .. } = topic;
    let mut paragraphs = vec![names(topic), first_comment(text), caches(profile)];
    paragraphs.push(format!("**Paths.** {}", comment(text, "[path]")));
    paragraphs.push(paths(profile));
    paragraphs.extend(metadata(profile, text));
    paragraphs.extend(exceptions(profile, text));
    paragraphs.push(format!(
        "**Compression.** {} {}",
        compressed(profile, text),
        comment(text, "[layout]")
    ));
    paragraphs.push(layouts(profile));
    paragraphs.push(legend(profile));
    paragraphs.push(layout_ops(profile, text));
    for (head, key) in [
        ("Waits.", "[waiting]"),
        ("Front end.", "[front_end]"),
        ("Render passes.", "[tile_pass]"),
    ] {
        let words = comment(text, key);
        if !words.is_empty() {
            paragraphs.push(format!("**{head}** {words}"));
        }
    }
    paragraphs.push(numbers(profile));
    paragraphs.push(sources(profile));
    Page {
        title: profile.name.clone(),
        kind: "profile",
        summary: profile.summary.clone(),
        paragraphs,
    }
}

/// Other names, and its lowering.
fn names(topic: &ProfileTopic) -> String {
    let profile = &topic.profile;
    let mut sentences = Vec::new();
    if !profile.aliases.is_empty() {
        sentences.push(format!("It is also called {}.", code(&profile.aliases)));
    }
    let lowering = format!("[`{0}`](../lowerings/{0}.md)", topic.lowering);
    sentences.push(match profile.lowering {
        Some(_) => format!("It names {lowering} as the lowering of its runs."),
        None => format!("Its runs take the lowering {lowering} unless another one is named."),
    });
    sentences.join(" ")
}

/// The comment at the start of the file.
fn first_comment(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    joined(lines)
}

/// The comment above the first line that begins with some words.
fn comment(text: &str, begins: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(begins));
    let above = lines[..at.unwrap_or(0)].iter().rev();
    let mut comment: Vec<&str> = above
        .take_while(|it| it.starts_with('#'))
        .copied()
        .collect();
    comment.reverse();
    joined(comment.into_iter())
}

fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let words = lines.map(|line| line.trim_start_matches('#').trim());
    words.collect::<Vec<_>>().join(" ")
}

fn caches(profile: &Profile) -> String {
    if profile.caches.is_empty() {
        return "**Caches.** None.".to_owned();
    }
    let number = |key: String| {
        let mut numbers = profile.numbers();
        let found = numbers.find(|(name, _)| *name == key);
        found.map_or(0, |(_, number)| number.value)
    };
    let rows = profile.cache_ids().map(|id| {
        let cache = profile.cache(id);
        let policy = match cache.policy {
            WritePolicy::WriteBack if cache.drop_loses => "write-back, a drop loses dirty lines",
            policy => policy.word(),
        };
        let size = size(number(format!("{}.size_bytes", cache.name)));
        let size = match number(format!("{}.instances", cache.name)) {
            0 | 1 => size,
            instances => format!("{instances} of {size}"),
        };
        vec![
            format!("`{}`", cache.name),
            policy.to_owned(),
            if cache.private { "private" } else { "shared" }.to_owned(),
            size,
            self::size(cache.line_bytes),
            cache.note.clone(),
        ]
    });
    let heads = "cache | policy | whose | size: | line: | what it is";
    format!("**Caches.**\n\n{}", table(heads, rows))
}

/// A number of bytes, without a fraction where there is none.
fn size(bytes: u64) -> String {
    time::size(bytes).replace(".0 ", " ")
}

/// Ways of a client to memory, each with its caches.
fn ways(routes: Routes<'_>, client: Client) -> String {
    let ways = routes.read_paths(client).iter().map(|path| {
        let caches = routes.path(*path).iter();
        let mut names: Vec<String> = caches
            .map(|it| format!("`{}`", routes.cache(*it).name))
            .collect();
        names.push("memory".to_owned());
        names.join(" → ")
    });
    ways.collect::<Vec<_>>().join(" or ")
}

/// What is the same for several, once with all of them, in order of the first.
fn grouped<K: std::hash::Hash + Eq>(
    all: impl Iterator<Item = (K, String)>,
) -> IndexMap<K, Vec<String>> {
    let mut groups: IndexMap<K, Vec<String>> = IndexMap::new();
    for (key, name) in all {
        groups.entry(key).or_default().push(name);
    }
    groups
}

/// Who accesses memory. Copies of a compute queue go the way of all copies, unless the profile says otherwise.
fn clients(routes: Routes<'_>) -> impl Iterator<Item = Client> {
    let copies = routes.read_paths(Client::Access(BarrierAccess::COPY_DEST));
    Client::all()
        .filter(move |it| *it != Client::ComputeQueueCopyDest || routes.read_paths(*it) != copies)
}

fn paths(profile: &Profile) -> String {
    let routes = profile.texel_routes();
    let groups = grouped(clients(routes).map(|it| (ways(routes, it), it.word())));
    let rows = groups
        .into_iter()
        .map(|(way, names)| vec![way, code(names)]);
    table("path | accesses", rows)
}

/// Ways of metadata, where there is any.
fn metadata(profile: &Profile, text: &str) -> Option<String> {
    let routes = profile.metadata_routes();
    let texels = profile.texel_routes();
    let has_way_of_texels = |client: &Client| {
        let mut paths = routes.read_paths(*client).iter();
        paths.all(|it| texels.read_paths(*client).contains(it))
    };
    let own = clients(routes).filter(|it| !has_way_of_texels(it));
    let groups = grouped(own.map(|it| (ways(routes, it), it.word())));
    if !profile.compresses() || groups.is_empty() {
        return None;
    }
    let rows = groups
        .into_iter()
        .map(|(way, names)| vec![way, code(names)]);
    let words = comment(text, "[metadata]");
    let table = table("path of metadata | accesses", rows);
    Some(format!("**Metadata.** {words}\n\n{table}"))
}

/// Where it differs for some textures, a point of a list each.
fn exceptions(profile: &Profile, text: &str) -> Option<String> {
    let all = profile.exceptions.len();
    let points = profile
        .exceptions
        .iter()
        .enumerate()
        .map(|(at, exception)| {
            let only = |variant: &Variant| (0..all).all(|it| variant.has(it) == (it == at));
            let variant = Variant::all(all).find(only).unwrap_or_default();
            let mut words = format!("- **{}**", exception.name);
            let condition = condition(exception);
            if !condition.is_empty() {
                let _ = write!(words, ", {condition}");
            }
            let _ = write!(words, ": {}", differences(profile, variant).join("; "));
            let above = comment_of_exception(text, &exception.name);
            if !above.is_empty() {
                let _ = write!(words, ". {}", above.trim_end_matches('.'));
            }
            words + "."
        });
    let points: Vec<String> = points.collect();
    (all > 0).then(|| format!("**Exceptions.**\n\n{}", points.join("\n")))
}

/// The comment above the row of an exception.
fn comment_of_exception(text: &str, name: &str) -> String {
    let at = text.find(&format!("name = \"{name}\""));
    let row = at.and_then(|at| text[..at].rfind("[[exception]]"));
    let above = row.map_or("", |row| &text[..row]);
    let mut lines: Vec<&str> = above
        .lines()
        .rev()
        .take_while(|it| it.starts_with('#'))
        .collect();
    lines.reverse();
    joined(lines.into_iter())
}

/// Of which textures an exception is.
fn condition(exception: &Exception) -> String {
    let mut words = Vec::new();
    match exception.depth {
        Some(true) => words.push("of formats with depth".to_owned()),
        Some(false) => words.push("of formats without depth".to_owned()),
        None => {}
    }
    if exception.stencil {
        words.push("of formats with stencil".to_owned());
    }
    if exception.samples_from > 1 {
        words.push(format!("from {} samples on", exception.samples_from));
    }
    if exception.mips_from > 0 {
        words.push(format!("from mip {} on", exception.mips_from));
    }
    words.join(", ")
}

/// What a variant changes: ways of texels, of metadata, classes of layouts.
fn differences(profile: &Profile, variant: Variant) -> Vec<String> {
    let mut words = Vec::new();
    let routes = [
        ("", profile.texel_routes(), profile.texel_routes_of(variant)),
        (
            "metadata of ",
            profile.metadata_routes(),
            profile.metadata_routes_of(variant),
        ),
    ];
    for (what, before, after) in routes {
        let differ = clients(after).filter(|it| ways(before, *it) != ways(after, *it));
        let groups = grouped(differ.map(|it| (ways(after, it), it.word())));
        words.extend(
            groups
                .into_iter()
                .map(|(way, names)| format!("{what}{}: {way}", code(names))),
        );
    }
    let classes = |layout: Layout, variant: Variant| {
        QUEUES.map(|queue| profile.layout_class(layout, queue, variant))
    };
    let layouts = Layout::ALL.into_iter();
    let layouts = layouts.filter(|it| classes(*it, variant) != classes(*it, Variant::default()));
    let groups =
        grouped(layouts.map(|it| (classes(it, variant).map(class).join(", "), it.to_string())));
    words.extend(
        groups
            .into_iter()
            .map(|(classes, names)| format!("layouts {}: {classes}", code(names))),
    );
    words
}

/// Which textures have metadata.
fn compressed(profile: &Profile, text: &str) -> String {
    if !profile.compresses() {
        return "No texture has metadata.".to_owned();
    }
    let flags = profile.compressed_flags();
    let names = flags.iter_names().map(|(name, _)| name);
    let which = format!(
        "Textures with one of these flags have metadata: {}.",
        code(names)
    );
    let above = comment(text, "compressed_flags");
    format!("{which} {above}").trim_end().to_owned()
}

fn class(class: LayoutClass) -> String {
    match class {
        LayoutClass::Illegal => "—".to_owned(),
        class => format!("`{}`", class.word()),
    }
}

fn layouts(profile: &Profile) -> String {
    let groups = grouped(rows_of_layouts(profile).map(|(layout, classes)| {
        let classes = classes.map(class);
        (classes, layout.to_string())
    }));
    let rows = groups.into_iter().map(|(classes, names)| {
        let mut row = classes.to_vec();
        row.push(code(names));
        row
    });
    table("direct | compute | copy | layouts", rows)
}

/// Layouts that a list of these queues may name, with their classes. The layouts of video queues, and those that stand for states
/// of the old kind, are stored as others are.
fn rows_of_layouts(profile: &Profile) -> impl Iterator<Item = (Layout, [LayoutClass; 3])> {
    let is_named = |layout: &Layout| {
        let mut queues = QUEUES.into_iter();
        queues.any(|it| compat::queue_uses_layout(it, *layout))
    };
    let layouts = Layout::ALL.into_iter().filter(is_named);
    let rows = layouts.map(|layout| {
        let class = |queue| profile.layout_class(layout, queue, Variant::default());
        (layout, QUEUES.map(class))
    });
    rows.filter(|(_, classes)| classes.iter().any(|it| *it != LayoutClass::Illegal))
}

/// What the words of the table of layouts mean.
fn legend(profile: &Profile) -> String {
    let meanings = [
        (
            LayoutClass::CompressedFastClear,
            "compressed, fast clears allowed",
        ),
        (LayoutClass::Compressed, "compressed"),
        (LayoutClass::Static, "static: no layout needs work"),
        (LayoutClass::Plain, "plain"),
        (LayoutClass::Undefined, "undefined contents"),
        (LayoutClass::Illegal, "not legal on that queue"),
    ];
    let has = |class: LayoutClass| {
        let mut rows = rows_of_layouts(profile);
        rows.any(|(_, classes)| classes.contains(&class))
    };
    let words = meanings.into_iter().filter(|(it, _)| has(*it));
    let words: Vec<String> = words
        .map(|(it, means)| format!("{} {means}", class(it)))
        .collect();
    format!("{}.", words.join("; "))
}

fn layout_ops(profile: &Profile, text: &str) -> String {
    if profile.layout_ops.is_empty() {
        return "**Layout operations.** None: no change of a layout has work.".to_owned();
    }
    let classes = |classes: &[LayoutClass]| code(classes.iter().map(|it| it.word()));
    let rows = profile.layout_ops.iter().map(|op| {
        let queues = op.queues.iter().map(|it| it.word());
        vec![
            op.name.clone(),
            classes(&op.from),
            classes(&op.to),
            touched(profile, op),
            queues.collect::<Vec<_>>().join(", "),
        ]
    });
    let words = comment(text, "[[layout_op]]");
    let heads = "operation | from | to | what it touches | run by queues";
    format!("**Layout operations.** {words}\n\n{}", table(heads, rows))
}

fn touched(profile: &Profile, op: &LayoutOp) -> String {
    let mut words = if op.caches.is_empty() {
        let what = if op.metadata_only { "metadata" } else { "full" };
        what.to_owned()
    } else {
        let caches = op.caches.iter().map(|it| &profile.cache(*it).name);
        format!("no texture: writes back and drops {}", code(caches))
    };
    words += match op.depth {
        Some(true) => ", of formats with depth",
        Some(false) => ", of formats without depth",
        None => "",
    };
    words
}

/// How many numbers have which tag.
fn numbers(profile: &Profile) -> String {
    let counts = tags(profile);
    let all: usize = counts.iter().map(|(_, count)| count).sum();
    let words = counts.iter().filter(|(_, count)| *count > 0);
    let words: Vec<String> = words.map(|(tag, count)| format!("{count} {tag}")).collect();
    format!(
        "**Numbers.** {all}: {}. `syncscope list profile {} --numbers` prints each with its source.",
        words.join(", "),
        profile.name
    )
}

/// Number of numbers of each tag.
pub fn tags(profile: &Profile) -> [(&'static str, usize); 4] {
    TAGS.map(|tag| {
        let numbers = profile.numbers();
        (tag, numbers.filter(|(_, number)| number.tag == tag).count())
    })
}

/// Where tables come from, and numbers that somebody else tells.
fn sources(profile: &Profile) -> String {
    let tables = profile
        .origins()
        .map(|(what, it)| ((it.tag, it.source), what));
    let told = profile
        .numbers()
        .filter(|(_, number)| number.tag != "assumed");
    let numbers = told.map(|(key, it)| ((it.tag.clone(), it.source.clone()), key.to_owned()));
    let mut rows: Vec<_> = grouped(tables.chain(numbers)).into_iter().collect();
    rows.sort_by_key(|((tag, _), _)| TAGS.iter().position(|it| it == tag));
    let rows = rows
        .into_iter()
        .map(|((tag, source), what)| vec![tag, source, code(what)]);
    format!("**Sources.**\n\n{}", table("tag | source | of", rows))
}
