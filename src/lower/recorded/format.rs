//! The shape of a recording: one line of JSON for each packet.

use crate::schema::{Schema, schema};
use serde::Deserialize;

/// The version of the lines that this program reads.
pub const VERSION: u32 = 1;

/// The word for the layout operation that a barrier needs, whatever the profile calls it.
pub const WORK: &str = "work";

/// What a driver wrote in one place: for a `Barrier()` call, or where no barrier is.
#[derive(Clone, PartialEq, Deserialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverPacket"))]
#[serde(deny_unknown_fields, expecting = "a packet")]
pub struct PacketLine {
    /// Version of this contract: 1.
    pub schema: u32,
    /// The barrier call that it is about: its id as `syncscope lower` prints it (`q#3`, or `q#3.0` of an entry), or the name
    /// of its scenario (the name of the file without `.scn`), and then calls in order. Absent: calls in order.
    #[serde(default)]
    pub barrier: Option<String>,
    /// The scenario, if `barrier` does not name it: the name of the file without `.scn`.
    #[serde(default)]
    pub scenario: Option<String>,
    /// Where in the stream the driver wrote it.
    #[serde(default)]
    pub at: At,
    /// What it comes before or is the end of: of `work` the command, by id (`q#4`) or label; of `end` the list, by name or by the
    /// id of anything in it; of `submit` a command of the submission, by id. Absent: the next one in the stream after the line
    /// before.
    #[serde(default)]
    pub command: Option<String>,
    /// Stages that it waits for, by D3D12's names; empty: it waits for nothing.
    #[serde(default)]
    pub wait: Vec<String>,
    /// Stages whose later work does not start before its end. Absent: those that the barrier asks for; where no barrier is,
    /// all.
    #[serde(default)]
    pub hold: Option<Vec<String>>,
    /// Caches that it writes back, by their names in the profile.
    #[serde(default)]
    pub flush: Vec<String>,
    /// Caches that it drops, by their names in the profile.
    #[serde(default)]
    pub invalidate: Vec<String>,
    /// Layout operations, by their names in the profile, or `work` for the one that the barrier needs.
    #[serde(default)]
    pub layout: Vec<String>,
    /// What it does in this order, in place of `flush`, `layout`, `invalidate` and `front_end`, which have a usual order.
    #[serde(default)]
    pub ops: Vec<OpLine>,
    /// The entries of the call that it is for, by index, ascending. Absent: all of them. A call may have several packets if
    /// each is for entries of its own.
    #[serde(default)]
    pub entries: Option<Vec<u32>>,
    /// It makes the front end wait, which fetches ahead.
    #[serde(default)]
    pub front_end: bool,
    /// What the driver wrote, for people.
    #[serde(default)]
    pub raw: Vec<String>,
    /// How the application asked, if the same was recorded in several ways: `pipe`, `event`.
    #[serde(default)]
    pub form: Option<String>,
    /// The driver and its version.
    #[serde(default)]
    pub driver: Option<String>,
    /// The device that it drove.
    #[serde(default)]
    pub device: Option<String>,
    /// The built-in profile that has these caches. `--profile` takes its place, and may name a file.
    #[serde(default)]
    pub profile: Option<String>,
}

/// One operation of a packet.
#[derive(Clone, PartialEq, Eq, Deserialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "DriverOperation"))]
#[serde(rename_all = "snake_case")]
pub enum OpLine {
    /// Writes a cache back, by its name in the profile.
    Flush(String),
    /// Drops a cache, by its name in the profile.
    Invalidate(String),
    /// A layout operation, by its name in the profile, or `work` for the one that the barrier needs.
    Layout(String),
    /// Makes the front end wait, which fetches ahead.
    FrontEnd,
}

/// Where in the stream of a queue a packet is.
#[derive(Copy, Clone, PartialEq, Eq, Default, Deserialize, Debug)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// At a barrier call.
    #[default]
    Barrier,
    /// Right before a command that works, whatever barrier it is for.
    Work,
    /// At the end of a command list.
    End,
    /// At the start of an `ExecuteCommandLists` call.
    Submit,
}

impl At {
    /// The word of the format.
    pub fn word(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Work => "work",
            Self::End => "end",
            Self::Submit => "submit",
        }
    }
}

/// What describes a line.
pub const SCHEMA: Schema = schema!(
    read PacketLine, "driver-packets", "A line of what `judge --packets` reads"
);
