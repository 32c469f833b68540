//! Questions about the arguments of a call. What is absent or of another kind is nothing: zero, no handle, an empty list.

use crate::interop::vulkan::{AccessFlags, ImageLayout, StageFlags};
use serde_json::Value;

/// An argument, or what is below one.
#[derive(Copy, Clone, Debug)]
pub struct Fields<'a>(pub &'a Value);

static NOTHING: Value = Value::Null;

impl<'a> Fields<'a> {
    /// A member.
    #[must_use]
    pub fn get(self, key: &str) -> Self {
        Self(self.0.get(key).unwrap_or(&NOTHING))
    }

    /// Whether there is something.
    pub fn is_some(self) -> bool {
        !self.0.is_null()
    }

    /// A number member: see [`Fields::number`].
    pub fn u64(self, key: &str) -> u64 {
        self.get(key).number()
    }

    /// A number member of 32 bits; a larger one is the largest.
    pub fn u32(self, key: &str) -> u32 {
        u32::try_from(self.u64(key)).unwrap_or(u32::MAX)
    }

    /// A signed number member.
    pub fn i64(self, key: &str) -> i64 {
        let value = self.get(key).0;
        value
            .as_i64()
            .unwrap_or_else(|| number(value).cast_signed())
    }

    /// This as a number: decimal, hexadecimal text, true and false. `VK_NULL_HANDLE` and all else is 0.
    pub fn number(self) -> u64 {
        number(self.0)
    }

    /// This as a mask of 32 bits: the low half of its number.
    pub fn bits(self) -> u32 {
        let [a, b, c, d, ..] = self.number().to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// A text member.
    pub fn str(self, key: &str) -> &'a str {
        self.0.get(key).and_then(Value::as_str).unwrap_or("")
    }

    /// The value as text.
    pub fn text(self) -> &'a str {
        self.0.as_str().unwrap_or("")
    }

    /// The elements of a list member. One object in place of a list is a list of one.
    pub fn list(self, key: &str) -> impl ExactSizeIterator<Item = Self> + use<'a> {
        let elements: &'a [Value] = match self.0.get(key) {
            Some(Value::Array(all)) => all,
            Some(one @ Value::Object(_)) => std::slice::from_ref(one),
            _ => &[],
        };
        elements.iter().map(Self)
    }

    /// The elements of a list member as numbers.
    pub fn numbers(self, key: &str) -> impl ExactSizeIterator<Item = u64> + use<'a> {
        self.list(key).map(Self::number)
    }

    /// A mask of pipeline stages.
    pub fn stages(self, key: &str) -> StageFlags {
        match self.0.get(key) {
            Some(Value::String(text)) => StageFlags::parse(text).value,
            _ => StageFlags::from_bits_retain(self.u64(key)),
        }
    }

    /// This as a mask of pipeline stages.
    pub fn as_stages(self) -> StageFlags {
        match self.0 {
            Value::String(text) => StageFlags::parse(text).value,
            _ => StageFlags::from_bits_retain(self.number()),
        }
    }

    /// A mask of accesses.
    pub fn accesses(self, key: &str) -> AccessFlags {
        match self.0.get(key) {
            Some(Value::String(text)) => AccessFlags::parse(text).value,
            _ => AccessFlags::from_bits_retain(self.u64(key)),
        }
    }

    /// An image layout; `UNDEFINED` if it is not there.
    pub fn layout(self, key: &str) -> ImageLayout {
        match self.0.get(key) {
            Some(Value::String(text)) => ImageLayout::parse(text).unwrap_or(ImageLayout(u32::MAX)),
            _ => ImageLayout(self.u32(key)),
        }
    }

    /// A structure of the chain below `pNext` whose type ends so, vendors apart.
    pub fn chained(self, stype: &str) -> Option<Self> {
        let mut at = self.get("pNext");
        // A chain is a few structures; the bound keeps a hostile one from being walked for long.
        for _ in 0..64 {
            if !at.is_some() {
                return None;
            }
            let own = at.str("sType");
            let bare = own
                .strip_prefix("VK_STRUCTURE_TYPE_")
                .unwrap_or(own)
                .trim_end_matches("_KHR")
                .trim_end_matches("_EXT");
            if bare == stype {
                return Some(at);
            }
            at = at.get("pNext");
        }
        None
    }
}

/// A number, however it is written.
pub(super) fn number(value: &Value) -> u64 {
    match value {
        Value::Number(n) => n
            .as_u64()
            .or_else(|| n.as_i64().map(i64::cast_unsigned))
            .unwrap_or(0),
        Value::Bool(yes) => u64::from(*yes),
        Value::String(text) => match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).unwrap_or(0),
            None => text.parse().unwrap_or(match text.as_str() {
                "VK_TRUE" | "true" => 1,
                _ => 0,
            }),
        },
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_have_many_forms() {
        let value =
            json!({ "a": 5, "b": "0x10", "c": "VK_NULL_HANDLE", "d": true, "e": -1, "f": [1, 2] });
        let fields = Fields(&value);
        assert_eq!(fields.u64("a"), 5);
        assert_eq!(fields.u64("b"), 16);
        assert_eq!(fields.u64("c"), 0);
        assert_eq!(fields.u64("d"), 1);
        assert_eq!(fields.i64("e"), -1);
        assert_eq!(fields.u64("absent"), 0);
        assert_eq!(fields.numbers("f").collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn masks_are_numbers_or_names() {
        let value = json!({ "n": 1024, "t": "VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT|VK_PIPELINE_STAGE_2_COPY_BIT", "h": "0x400" });
        let fields = Fields(&value);
        assert_eq!(fields.stages("n"), StageFlags::COLOR_ATTACHMENT_OUTPUT);
        assert_eq!(fields.stages("h"), StageFlags::COLOR_ATTACHMENT_OUTPUT);
        assert_eq!(
            fields.stages("t"),
            StageFlags::COLOR_ATTACHMENT_OUTPUT | StageFlags::COPY
        );
    }

    #[test]
    fn a_chain_is_searched() {
        let value = json!({ "pNext": { "sType": "A", "pNext": { "sType": "VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO", "pNext": null, "x": 3 } } });
        let found = Fields(&value)
            .chained("TIMELINE_SEMAPHORE_SUBMIT_INFO")
            .expect("it is there");
        assert_eq!(found.u64("x"), 3);
        assert!(Fields(&value).chained("B").is_none());
    }
}
