//! What may have been meant by a word or number that is wrong in its place. Only messages of mistakes come here.

use crate::api::format::Format;
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet, compat};

/// The words that belong in a place.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    Stage,
    Access,
    Layout,
    State,
    Flag,
}

/// Legacy states without a namesake: the access, the stage and the layout that stand for each. An empty layout is that
/// of a state of buffers.
const STATES: [(&str, &str, &str, &str); 11] = [
    (
        "VERTEX_AND_CONSTANT_BUFFER",
        "VERTEX_BUFFER|CONSTANT_BUFFER",
        "ALL_SHADING",
        "",
    ),
    ("INDEX_BUFFER", "INDEX_BUFFER", "INDEX_INPUT", ""),
    (
        "DEPTH_WRITE",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
    ),
    (
        "DEPTH_READ",
        "DEPTH_STENCIL_READ",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_READ",
    ),
    (
        "NON_PIXEL_SHADER_RESOURCE",
        "SHADER_RESOURCE",
        "NON_PIXEL_SHADING",
        "SHADER_RESOURCE",
    ),
    (
        "PIXEL_SHADER_RESOURCE",
        "SHADER_RESOURCE",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
    ),
    (
        "ALL_SHADER_RESOURCE",
        "SHADER_RESOURCE",
        "ALL_SHADING",
        "SHADER_RESOURCE",
    ),
    ("STREAM_OUT", "STREAM_OUTPUT", "VERTEX_SHADING", ""),
    (
        "GENERIC_READ",
        "SHADER_RESOURCE|COPY_SOURCE",
        "ALL",
        "GENERIC_READ",
    ),
    (
        "RAYTRACING_ACCELERATION_STRUCTURE",
        "RAYTRACING_ACCELERATION_STRUCTURE_READ",
        "RAYTRACING",
        "",
    ),
    ("PRESENT", "COMMON", "ALL", "COMMON"),
];

/// What is wrong with a word that belongs elsewhere, and what belongs here.
pub(super) struct Misplaced {
    pub(super) message: String,
    pub(super) help: String,
}

impl Wanted {
    fn noun(self) -> &'static str {
        match self {
            Self::Stage => "a stage",
            Self::Access => "an access",
            Self::Layout => "a layout",
            Self::State => "a legacy state",
            Self::Flag => "a resource flag",
        }
    }

    /// What a word is that does not belong here but elsewhere; nothing if it is no word of barriers.
    pub(super) fn misplaced(self, word: &str) -> Option<Misplaced> {
        let (is, help) = match self {
            Self::Stage => stage_instead_of(word)?,
            Self::Access => access_instead_of(word)?,
            Self::Layout => layout_instead_of(word)?,
            Self::State => state_instead_of(word)?,
            Self::Flag => return None,
        };
        Some(Misplaced {
            message: format!("`{word}` is {is}, not {}", self.noun()),
            help,
        })
    }
}

/// Several names in a sentence.
fn listed<T: ToString>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| name.to_string()).collect();
    names.join(", ")
}

fn are(names: &str, one: &str, many: &str) -> String {
    if names.contains(", ") {
        format!("{many} {names}")
    } else {
        format!("{one} {names}")
    }
}

/// Names of stages: "its stages are …".
pub(super) fn stages(leaves: LeafSet) -> String {
    let names = listed(leaves.iter().map(crate::api::Leaf::name));
    are(&names, "its stage is", "its stages are")
}

fn legacy(word: &str) -> Option<&'static (&'static str, &'static str, &'static str, &'static str)> {
    STATES.iter().find(|row| row.0 == word)
}

fn stage_instead_of(word: &str) -> Option<(&'static str, String)> {
    if let Some(access) = BarrierAccess::parse_one(word) {
        let leaves = compat::access_leaves(access);
        let help = if leaves.is_empty() {
            "every stage can have it: name the one that is meant".to_owned()
        } else {
            stages(leaves)
        };
        return Some(("an access", help));
    }
    if let Some((_, _, stage, _)) = legacy(word) {
        return Some(("a legacy state", format!("its stage is {stage}")));
    }
    let allowed = compat::layout_accesses(Layout::parse(word)?);
    let leaves = compat::access_leaves(allowed);
    Some((
        "a layout",
        format!(
            "what it allows happens at {}",
            listed(leaves.iter().map(crate::api::Leaf::name))
        ),
    ))
}

fn access_instead_of(word: &str) -> Option<(&'static str, String)> {
    if let Some(sync) = BarrierSync::parse_one(word) {
        let accesses = sync.leaves().iter().map(compat::leaf_accesses);
        let accesses = accesses.fold(BarrierAccess::empty(), |all, some| all | some);
        let help = if accesses.is_empty() {
            "an access says how memory is used, such as SHADER_RESOURCE".to_owned()
        } else {
            are(
                &listed(accesses.iter()),
                "its access is",
                "its accesses are",
            )
        };
        return Some(("a stage", help));
    }
    if let Some((_, access, stage, _)) = legacy(word) {
        let help = format!("its access is {access}, at {stage}");
        return Some(("a legacy state", help));
    }
    let allowed = compat::layout_accesses(Layout::parse(word)?);
    let help = if allowed.is_empty() {
        "it allows no access".to_owned()
    } else {
        format!("it allows {}", listed(allowed.iter()))
    };
    Some(("a layout", help))
}

fn layout_instead_of(word: &str) -> Option<(&'static str, String)> {
    let of_buffers = || "only a buffer has it, and a buffer has no layout".to_owned();
    if let Some((_, _, _, layout)) = legacy(word) {
        let help = if layout.is_empty() {
            of_buffers()
        } else {
            format!("its layout is {layout}")
        };
        return Some(("a legacy state", help));
    }
    if let Some(access) = BarrierAccess::parse_one(word) {
        let layouts = Layout::ALL
            .into_iter()
            .filter(|layout| layout.is_public())
            .filter(|layout| compat::layout_accesses(*layout).contains(access));
        let layouts = listed(layouts.map(Layout::name));
        let help = match access {
            _ if compat::ONLY_ON_BUFFERS.intersects(access) => of_buffers(),
            BarrierAccess::NO_ACCESS => "UNDEFINED is the layout of what nobody uses".to_owned(),
            _ => are(
                &layouts,
                "the layout for it is",
                "layouts that allow it are",
            ),
        };
        return Some(("an access", help));
    }
    let leaves = BarrierSync::parse_one(word)?.leaves();
    let accesses = leaves.iter().map(compat::leaf_accesses);
    let accesses = accesses.fold(BarrierAccess::empty(), |all, some| all | some);
    let layouts = Layout::ALL
        .into_iter()
        .filter(|layout| layout.is_public())
        .filter(|layout| compat::layout_accesses(*layout).intersects(accesses));
    let help = match word {
        "ALL" | "NONE" | "SPLIT" => {
            "a layout says how a texture is stored, such as SHADER_RESOURCE".to_owned()
        }
        _ => format!(
            "layouts that are used there: {}",
            listed(layouts.map(Layout::name))
        ),
    };
    Some(("a stage", help))
}

fn state_instead_of(word: &str) -> Option<(&'static str, String)> {
    let is = if BarrierAccess::parse_one(word).is_some() {
        "an access"
    } else if Layout::parse(word).is_some() {
        "a layout"
    } else if BarrierSync::parse_one(word).is_some() {
        "a stage"
    } else {
        return None;
    };
    let states = STATES.iter().filter(|(_, access, stage, layout)| {
        access.split('|').any(|a| a == word) || *layout == word || *stage == word
    });
    let states = listed(states.map(|row| row.0));
    let help = if states.is_empty() {
        "no legacy state stands for it alone: write an enhanced barrier".to_owned()
    } else {
        are(&states, "its state is", "its states are")
    };
    Some((is, help))
}

/// A format that a common short form stands for: `RGBA8`, `R32F`, `D24S8`.
pub(super) fn format(word: &str) -> Option<&'static str> {
    let upper = word.to_ascii_uppercase();
    let bare = upper.strip_prefix("DXGI_FORMAT_").unwrap_or(&upper);
    let bare = bare.strip_prefix("FORMAT_").unwrap_or(bare);
    let known = |name: &str| Format::names().iter().copied().find(|n| *n == name);
    if let Some(name) = known(bare) {
        return Some(name);
    }
    if let Some(rest) = bare
        .strip_prefix('D')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    {
        let stencil = rest.contains('S');
        return known(match (&rest[..2.min(rest.len())], stencil) {
            ("16", _) => "D16_UNORM",
            ("24", _) => "D24_UNORM_S8_UINT",
            ("32", false) => "D32_FLOAT",
            ("32", true) => "D32_FLOAT_S8X24_UINT",
            _ => return None,
        });
    }
    if bare.starts_with("BC") {
        let mut kinds = ["_UNORM", "_UF16"].iter();
        return kinds.find_map(|kind| known(&format!("{bare}{kind}")));
    }
    let (channels, kind) = channels(bare)?;
    let kinds: &[&str] = match kind.trim_matches('_') {
        "" => &["_UNORM", "_FLOAT", "_UINT"],
        "F" | "FLOAT" | "SFLOAT" => &["_FLOAT"],
        "U" | "UI" | "UINT" => &["_UINT"],
        "I" | "SI" | "SINT" => &["_SINT"],
        "N" | "UN" | "UNORM" => &["_UNORM"],
        "S" | "SN" | "SNORM" => &["_SNORM"],
        "SRGB" | "UNORM_SRGB" => &["_UNORM_SRGB"],
        _ => return None,
    };
    kinds
        .iter()
        .find_map(|kind| known(&format!("{channels}{kind}")))
}

/// `RGBA8F` as `R8G8B8A8` and `F`: letters of channels, each group with its bits.
fn channels(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut rest = text;
    loop {
        let letters = rest
            .find(|c: char| !"RGBAX".contains(c))
            .unwrap_or(rest.len());
        let (names, after) = rest.split_at(letters);
        let digits = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        if letters == 0 || digits == 0 {
            break;
        }
        for name in names.chars() {
            out.push(name);
            out.push_str(&after[..digits]);
        }
        rest = &after[digits..];
    }
    (!out.is_empty()).then_some((out, rest))
}

const SIZES: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
];

/// The unit of sizes that a word means.
fn size_unit(word: &str) -> Option<&'static (&'static str, u64)> {
    let index = match word.to_ascii_lowercase().as_str() {
        "g" | "gb" | "gib" => 0,
        "m" | "mb" | "mib" => 1,
        "k" | "kb" | "kib" => 2,
        "b" | "byte" | "bytes" => 3,
        _ => return None,
    };
    Some(&SIZES[index])
}

/// The size that a number with a wrong unit means: `4MB` is `4MiB`, `0.5MiB` is `512KiB`. `unit` may follow the number
/// after a blank.
pub(super) fn size(number: &str, unit: Option<&str>) -> Option<String> {
    let digits = number.find(|c: char| !c.is_ascii_digit() && c != '_' && c != '.');
    let (number, own) = number.split_at(digits.unwrap_or(number.len()));
    let word = if own.is_empty() { unit? } else { own };
    let (name, bytes) = size_unit(word)?;
    let Some((whole, fraction)) = number.split_once('.') else {
        return Some(format!("{number}{name}"));
    };
    let parts = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let plain = |text: &str| text.replace('_', "").parse::<u64>().ok();
    let parts_of_unit = plain(whole)?
        .checked_mul(parts)?
        .checked_add(plain(fraction)?)?;
    let scaled = parts_of_unit.checked_mul(*bytes)?;
    let total = (scaled % parts == 0)
        .then_some(scaled / parts)
        .filter(|total| *total > 0)?;
    let (name, bytes) = SIZES.iter().find(|(_, bytes)| total % bytes == 0)?;
    Some(format!("{}{name}", total / bytes))
}

/// The duration that a number with a wrong unit, or with a unit after a blank, means.
pub(super) fn duration(number: &str, unit: Option<&str>) -> Option<String> {
    let digits = number.find(|c: char| !c.is_ascii_digit() && c != '_' && c != '.');
    let (number, own) = number.split_at(digits.unwrap_or(number.len()));
    let word = if own.is_empty() { unit? } else { own };
    match word.to_ascii_lowercase().as_str() {
        known @ ("ps" | "ns" | "us" | "ms") => Some(format!("{number}{known}")),
        "s" | "sec" | "second" | "seconds" if !number.contains('.') => {
            Some(format!("{number}000ms"))
        }
        "msec" => Some(format!("{number}ms")),
        "usec" => Some(format!("{number}us")),
        _ => None,
    }
}

/// Where a statement belongs that is no command of a list.
pub(super) fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "signal" | "wait" | "execute" | "present" | "repeat" | "cpu" => {
            "that is a statement of `timeline { … }`; the statements of a list are its commands"
        }
        "transition" | "uav" | "alias" | "resource-barrier" => {
            "legacy barriers are entries of `legacy { … }`"
        }
        "texture" | "buffer" | "global" | "ranged" => {
            "entries of a barrier are inside `barrier { … }`, declarations outside of lists"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{ResourceFlags, ResourceState};

    impl Wanted {
        fn knows(self, word: &str) -> bool {
            match self {
                Self::Stage => BarrierSync::parse_one(word).is_some(),
                Self::Access => BarrierAccess::parse_one(word).is_some(),
                Self::Layout => Layout::parse(word).is_some(),
                Self::State => ResourceState::parse_one(word).is_some(),
                Self::Flag => ResourceFlags::parse_one(word).is_some(),
            }
        }
    }

    /// Names in a help, in capitals.
    fn names(text: &str) -> Vec<&str> {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|w| w.len() > 2 && w.chars().all(|c| !c.is_ascii_lowercase()))
            .collect()
    }

    #[test]
    fn every_word_in_a_wrong_place_is_told_what_belongs_there() {
        let words: Vec<&str> = BarrierSync::names()
            .iter()
            .chain(BarrierAccess::names())
            .chain(Layout::names())
            .chain(ResourceState::names())
            .copied()
            // States that the header keeps for itself stand for nothing.
            .filter(|word| !word.starts_with("RESERVED"))
            .collect();
        for wanted in [Wanted::Stage, Wanted::Access, Wanted::Layout, Wanted::State] {
            for word in words.iter().filter(|word| !wanted.knows(word)) {
                let Some(found) = wanted.misplaced(word) else {
                    panic!("{word} as {}", wanted.noun());
                };
                for name in names(&found.help) {
                    let elsewhere = [Wanted::Stage, Wanted::Access]
                        .iter()
                        .any(|w| w.knows(name));
                    assert!(wanted.knows(name) || elsewhere, "{word}: {}", found.help);
                }
            }
            assert!(wanted.misplaced("NO_SUCH_WORD").is_none());
        }
    }

    #[test]
    fn short_forms_of_formats() {
        for (short, long) in [
            ("RGBA8", "R8G8B8A8_UNORM"),
            ("rgba8", "R8G8B8A8_UNORM"),
            ("RGBA8_SRGB", "R8G8B8A8_UNORM_SRGB"),
            ("BGRA8", "B8G8R8A8_UNORM"),
            ("RGBA16F", "R16G16B16A16_FLOAT"),
            ("RGBA32", "R32G32B32A32_FLOAT"),
            ("RG16F", "R16G16_FLOAT"),
            ("R32F", "R32_FLOAT"),
            ("R32UI", "R32_UINT"),
            ("RGB10A2", "R10G10B10A2_UNORM"),
            ("R11G11B10F", "R11G11B10_FLOAT"),
            ("D24S8", "D24_UNORM_S8_UINT"),
            ("D32", "D32_FLOAT"),
            ("D32F", "D32_FLOAT"),
            ("D32S8", "D32_FLOAT_S8X24_UINT"),
            ("BC7", "BC7_UNORM"),
            ("BC6H", "BC6H_UF16"),
            ("DXGI_FORMAT_R8_UNORM", "R8_UNORM"),
        ] {
            assert_eq!(format(short), Some(long), "{short}");
        }
        for none in ["RGBA", "colour", "X", "D", "D9", "R8G8B8A8_NONE", "RGB5"] {
            assert_eq!(format(none), None, "{none}");
        }
    }

    #[test]
    fn sizes_and_durations_with_other_units() {
        for (number, unit, meant) in [
            ("4MB", None, Some("4MiB")),
            ("4", Some("MiB"), Some("4MiB")),
            ("64k", None, Some("64KiB")),
            ("1gb", None, Some("1GiB")),
            ("0.5MiB", None, Some("512KiB")),
            ("1.5", Some("GB"), Some("1536MiB")),
            ("0.1MiB", None, None),
            ("4", Some("us"), None),
            ("4", None, None),
        ] {
            assert_eq!(size(number, unit).as_deref(), meant, "{number} {unit:?}");
        }
        for (number, unit, meant) in [
            ("12.5", Some("us"), Some("12.5us")),
            ("3s", None, Some("3000ms")),
            ("3", Some("MS"), Some("3ms")),
            ("3", None, None),
        ] {
            assert_eq!(
                duration(number, unit).as_deref(),
                meant,
                "{number} {unit:?}"
            );
        }
    }
}
