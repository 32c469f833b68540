//! How masks are written: numbers, names with and without `VK_…` and `_BIT`, lists of names.

/// A mask that was read from text: what is known of it, and the words that are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed<T> {
    /// Every bit that the text says, those without a name included.
    pub value: T,
    /// Words of the text that are neither numbers nor names. Their bits are not in `value`.
    pub unknown: Vec<String>,
}

/// What closes the name of an extension's value.
const VENDORS: [&str; 9] = [
    "_KHR", "_EXT", "_NV", "_AMD", "_HUAWEI", "_QCOM", "_ARM", "_IMG", "_NVX",
];

/// The name without its vendor, and the vendor with its underscore or nothing.
fn split_vendor(name: &str) -> (&str, &str) {
    VENDORS
        .iter()
        .find_map(|vendor| name.strip_suffix(vendor).map(|bare| (bare, *vendor)))
        .unwrap_or((name, ""))
}

/// The oldest name of a bit that the header has had: later headers keep it.
pub(super) fn oldest(name: &str) -> &str {
    match name {
        "SUBPASS_SHADER_HUAWEI" => "SUBPASS_SHADING_HUAWEI",
        _ => name,
    }
}

/// The header's name: `COPY` with `VK_ACCESS_2_` becomes `VK_ACCESS_2_COPY_BIT`; `_BIT` comes before a vendor.
pub(super) fn header_name(prefix: &str, name: &str) -> String {
    let (bare, vendor) = split_vendor(name);
    format!("{prefix}{bare}_BIT{vendor}")
}

/// The number of a word: a header's name or this program's, or a number itself.
pub(super) fn number_of(
    word: &str,
    prefixes: &[&str],
    find: impl Fn(&str) -> Option<u64>,
) -> Option<u64> {
    if let Some(number) = integer(word) {
        return Some(number);
    }
    let bare = prefixes
        .iter()
        .filter_map(|prefix| word.strip_prefix(prefix))
        .min_by_key(|bare| bare.len())
        .unwrap_or(word);
    let (stem, vendor) = split_vendor(bare);
    let stem = stem.strip_suffix("_BIT").unwrap_or(stem);
    // An extension's name whose value is core today has a name without the vendor; a core name may come with one.
    find(&format!("{stem}{vendor}"))
        .or_else(|| find(stem))
        .or_else(|| {
            VENDORS
                .iter()
                .find_map(|vendor| find(&format!("{stem}{vendor}")))
        })
}

/// A decimal number, or a hexadecimal one with `0x`.
pub(super) fn integer(word: &str) -> Option<u64> {
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// The words of a mask: `A | B`, `A|B`, or one word.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('|')
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// A type of masks with its names. The constants are the canonical names, without prefix and `_BIT`; aliases follow.
macro_rules! masks {
    (
        $(#[$($doc:tt)*])*
        $type:ident: $bits:ty, $prefix:literal or $old:expr;
        { $( $(#[$($note:tt)*])* $name:ident = $value:expr; )* }
        aliases { $( $alias:literal = $alias_value:expr; )* }
    ) => {
        bitflags::bitflags! {
            $(#[$($doc)*])*
            #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
            pub struct $type: $bits {
                $( $(#[$($note)*])* #[allow(missing_docs)] const $name = $value; )*
            }
        }

        impl $type {
            /// No bit.
            pub const NONE: Self = Self::empty();

            /// Every single bit that has a name, with it: lowest values first as in the table.
            pub const NAMED: &'static [(&'static str, Self)] = &[ $( (stringify!($name), Self::$name), )* ];

            const ALIASES: &'static [(&'static str, $bits)] = &[ ("NONE", 0), $( ($alias, $alias_value), )* ];

            /// The mask of a text: a number, one name, or names joined by `|`; names with or without the header's prefix,
            /// `_BIT` and vendor.
            pub fn parse(text: &str) -> $crate::interop::vulkan::Parsed<Self> {
                use $crate::interop::vulkan::flags;
                let find = |name: &str| {
                    let named = Self::NAMED.iter().find(|(known, _)| *known == name);
                    let alias = || Self::ALIASES.iter().find(|(known, _)| *known == name).map(|(_, bits)| *bits);
                    named.map(|(_, bit)| bit.bits()).or_else(alias).map(u64::from)
                };
                let (mut value, mut unknown) = (Self::NONE, Vec::new());
                for word in flags::words(text) {
                    let number = flags::number_of(word, &[$prefix, $old], &find);
                    match number.and_then(|n| <$bits>::try_from(n).ok()) {
                        Some(bits) => value |= Self::from_bits_retain(bits),
                        None => unknown.push(word.to_owned()),
                    }
                }
                $crate::interop::vulkan::Parsed { value, unknown }
            }

            /// Bits that have no name here.
            #[must_use]
            pub const fn unknown(self) -> Self {
                Self::from_bits_retain(self.bits() & !Self::all().bits())
            }

            /// Its single bits, lowest first, those without a name included.
            pub fn each(self) -> impl Iterator<Item = Self> {
                let bits = self.bits();
                (0..<$bits>::BITS).map(move |i| bits & (1 << i)).filter(|bit| *bit != 0).map(Self::from_bits_retain)
            }

            /// The name of a single bit without prefix and `_BIT`; a number if it has none.
            pub fn name(self) -> std::borrow::Cow<'static, str> {
                match Self::NAMED.iter().find(|(_, bit)| *bit == self) {
                    Some((name, _)) => std::borrow::Cow::Borrowed(name),
                    None => std::borrow::Cow::Owned(format!("{:#x}", self.bits())),
                }
            }

            /// The mask as C writes it: the header's names joined by ` | `, unknown bits as one number, `0` for none.
            pub fn c_text(self) -> String {
                use $crate::interop::vulkan::flags;
                let known = self.difference(self.unknown());
                let name = |bit: Self| flags::header_name($prefix, flags::oldest(&bit.name()));
                let mut parts: Vec<String> = known.each().map(name).collect();
                if !self.unknown().is_empty() {
                    parts.push(format!("{:#x}", self.unknown().bits()));
                }
                if parts.is_empty() { "0".to_owned() } else { parts.join(" | ") }
            }
        }

        impl std::fmt::Display for $type {
            /// Names without prefix and `_BIT`, joined by `|`; unknown bits as numbers; `NONE` for no bit.
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                if self.is_empty() {
                    return f.write_str("NONE");
                }
                for (i, bit) in self.each().enumerate() {
                    if i > 0 {
                        f.write_str("|")?;
                    }
                    f.write_str(&bit.name())?;
                }
                Ok(())
            }
        }
    };
}
pub(super) use masks;
