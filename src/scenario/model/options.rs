//! What few draws and dispatches say: kept apart, so that every other command is small. In JSON all options of a command
//! are next to each other.

use super::command::{KernelUse, Takes};
use super::is_false;
#[cfg(test)]
use crate::scenario::json::Picoseconds;
use crate::time::Ps;
use serde::{Deserialize, Serialize};

/// How large a draw is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawOptions {
    /// `vertices N`.
    pub vertices: Option<u64>,
    /// `pixels N`.
    pub pixels: Option<u64>,
    /// `takes DUR`.
    pub takes: Option<Ps>,
}

impl DrawOptions {
    /// What is written; of an option that is not, `None`.
    pub fn of(written: Option<&Self>) -> Self {
        written.copied().unwrap_or_default()
    }

    /// As a command keeps it: nothing if nothing is written.
    pub fn kept(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// What the thread groups of a dispatch are like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DispatchOptions {
    /// `threads N` a group.
    pub threads: Option<u64>,
    /// `shared SIZE`: bytes of groupshared memory of a group.
    pub shared: Option<u64>,
    /// `takes DUR` or `group-takes DUR`.
    pub takes: Option<Takes>,
    /// `kernel "file.litmus"`.
    pub kernel: Option<Box<KernelUse>>,
}

impl DispatchOptions {
    /// What is written; of an option that is not, `None`.
    pub fn of(written: Option<&Self>) -> &Self {
        static NOTHING: DispatchOptions = DispatchOptions {
            threads: None,
            shared: None,
            takes: None,
            kernel: None,
        };
        written.unwrap_or(&NOTHING)
    }

    /// As a command keeps it: nothing if nothing is written.
    pub fn kept(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// A draw in JSON.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(inline))]
pub(super) struct Draw {
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Box<str>>,
    /// `draw-indexed`.
    #[serde(default, skip_serializing_if = "is_false")]
    indexed: bool,
    /// `vertices N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vertices: Option<u64>,
    /// `pixels N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pixels: Option<u64>,
    /// `takes DUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<Picoseconds>"))]
    takes: Option<Ps>,
}

/// A dispatch in JSON.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(inline))]
pub(super) struct Dispatch {
    /// Label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<Box<str>>,
    /// Thread groups.
    groups: [u32; 3],
    /// `threads N` a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    threads: Option<u64>,
    /// `shared SIZE`: bytes of groupshared memory of a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shared: Option<u64>,
    /// `takes DUR` or `group-takes DUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    takes: Option<Takes>,
    /// `kernel "file.litmus"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kernel: Option<Box<KernelUse>>,
}

/// Serde's way to write and read a draw.
#[allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes references to the fields"
)]
pub(super) mod draw {
    use super::{Draw, DrawOptions};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type Fields = (Option<Box<str>>, bool, Option<Box<DrawOptions>>);

    pub(in super::super) fn serialize<S: Serializer>(
        label: &Option<Box<str>>,
        indexed: &bool,
        options: &Option<Box<DrawOptions>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let options = DrawOptions::of(options.as_deref());
        let draw = Draw {
            label: label.clone(),
            indexed: *indexed,
            vertices: options.vertices,
            pixels: options.pixels,
            takes: options.takes,
        };
        draw.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Fields, D::Error> {
        let draw = Draw::deserialize(deserializer)?;
        let options = DrawOptions {
            vertices: draw.vertices,
            pixels: draw.pixels,
            takes: draw.takes,
        };
        Ok((draw.label, draw.indexed, options.kept()))
    }
}

/// Serde's way to write and read a dispatch.
#[allow(clippy::ref_option, reason = "serde passes references to the fields")]
pub(super) mod dispatch {
    use super::{Dispatch, DispatchOptions};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    type Fields = (Option<Box<str>>, [u32; 3], Option<Box<DispatchOptions>>);

    pub(in super::super) fn serialize<S: Serializer>(
        label: &Option<Box<str>>,
        groups: &[u32; 3],
        options: &Option<Box<DispatchOptions>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let options = DispatchOptions::of(options.as_deref()).clone();
        let dispatch = Dispatch {
            label: label.clone(),
            groups: *groups,
            threads: options.threads,
            shared: options.shared,
            takes: options.takes,
            kernel: options.kernel,
        };
        dispatch.serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Fields, D::Error> {
        let dispatch = Dispatch::deserialize(deserializer)?;
        let options = DispatchOptions {
            threads: dispatch.threads,
            shared: dispatch.shared,
            takes: dispatch.takes,
            kernel: dispatch.kernel,
        };
        Ok((dispatch.label, dispatch.groups, options.kept()))
    }
}
