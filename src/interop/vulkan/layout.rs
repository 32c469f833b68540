//! `VkImageLayout`: the layouts of images.

use super::flags::{integer, number_of};
use std::borrow::Cow;
use std::fmt;

/// An image layout: the header's value. [`ImageLayout::name`] knows those of core Vulkan 1.4 and of the extensions that a
/// capture may show.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImageLayout(pub u32);

macro_rules! layouts {
    ($($name:ident = $value:literal;)*) => {
        #[allow(missing_docs)]
        impl ImageLayout {
            $(pub const $name: Self = Self($value);)*
        }

        impl ImageLayout {
            /// Every layout that has a name here, with it, in the header's order.
            pub const NAMED: &'static [(&'static str, Self)] = &[$((stringify!($name), Self::$name),)*];
        }
    };
}

layouts! {
    UNDEFINED = 0;
    GENERAL = 1;
    COLOR_ATTACHMENT_OPTIMAL = 2;
    DEPTH_STENCIL_ATTACHMENT_OPTIMAL = 3;
    DEPTH_STENCIL_READ_ONLY_OPTIMAL = 4;
    SHADER_READ_ONLY_OPTIMAL = 5;
    TRANSFER_SRC_OPTIMAL = 6;
    TRANSFER_DST_OPTIMAL = 7;
    PREINITIALIZED = 8;
    PRESENT_SRC_KHR = 1_000_001_002;
    VIDEO_DECODE_DST_KHR = 1_000_024_000;
    VIDEO_DECODE_SRC_KHR = 1_000_024_001;
    VIDEO_DECODE_DPB_KHR = 1_000_024_002;
    SHARED_PRESENT_KHR = 1_000_111_000;
    DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL = 1_000_117_000;
    DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL = 1_000_117_001;
    FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR = 1_000_164_003;
    FRAGMENT_DENSITY_MAP_OPTIMAL_EXT = 1_000_218_000;
    RENDERING_LOCAL_READ = 1_000_232_000;
    DEPTH_ATTACHMENT_OPTIMAL = 1_000_241_000;
    DEPTH_READ_ONLY_OPTIMAL = 1_000_241_001;
    STENCIL_ATTACHMENT_OPTIMAL = 1_000_241_002;
    STENCIL_READ_ONLY_OPTIMAL = 1_000_241_003;
    VIDEO_ENCODE_DST_KHR = 1_000_299_000;
    VIDEO_ENCODE_SRC_KHR = 1_000_299_001;
    VIDEO_ENCODE_DPB_KHR = 1_000_299_002;
    READ_ONLY_OPTIMAL = 1_000_314_000;
    ATTACHMENT_OPTIMAL = 1_000_314_001;
    ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT = 1_000_339_000;
    TENSOR_ALIASING_ARM = 1_000_460_000;
    VIDEO_ENCODE_QUANTIZATION_MAP_KHR = 1_000_553_000;
    ZERO_INITIALIZED_EXT = 1_000_620_000;
}

const PREFIX: &str = "VK_IMAGE_LAYOUT_";

impl ImageLayout {
    /// The layout of a name, with or without `VK_IMAGE_LAYOUT_` and vendor, or of a number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let find = |name: &str| {
            let alias = (
                "SHADING_RATE_OPTIMAL_NV",
                Self::FRAGMENT_SHADING_RATE_ATTACHMENT_OPTIMAL_KHR,
            );
            Self::NAMED
                .iter()
                .chain([&alias])
                .find(|(known, _)| *known == name)
                .map(|(_, layout)| u64::from(layout.0))
        };
        let number = integer(text).or_else(|| number_of(text, &[PREFIX], find))?;
        u32::try_from(number).ok().map(Self)
    }

    /// Whether it has a name here.
    pub fn is_known(self) -> bool {
        Self::NAMED.iter().any(|(_, layout)| *layout == self)
    }

    /// The name without prefix; a number if it has none.
    pub fn name(self) -> Cow<'static, str> {
        match Self::NAMED.iter().find(|(_, layout)| *layout == self) {
            Some((name, _)) => Cow::Borrowed(name),
            None => Cow::Owned(self.0.to_string()),
        }
    }

    /// The header's name; a cast number if it has none.
    pub fn c_text(self) -> String {
        if self.is_known() {
            format!("{PREFIX}{}", self.name())
        } else {
            format!("(VkImageLayout){}", self.0)
        }
    }
}

impl fmt::Display for ImageLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}
