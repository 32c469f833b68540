//! Kinds of resources, and the ways in which commands use each: what programs are made of that nobody has written.
//!
//! A way is an access with its stage, its layout, its legacy state and a command. The rows follow the specification's
//! "Access Sync Compatibility" and "Layout Access Compatibility".

use crate::api::{BarrierAccess, QueueType};
use std::sync::LazyLock;

/// What the resources of a program are.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProgramResources {
    /// Buffers.
    Buffer,
    /// Textures that are render targets and have unordered access: barriers change layouts.
    Texture,
    /// Depth buffers.
    Depth,
    /// Render targets of several samples.
    Samples,
    /// Shading rate images.
    RateImage,
    /// Acceleration structures.
    Structure,
}

/// An access of a kind of resource, and a command that makes it. `R` is the resource.
pub(super) struct Row {
    pub(super) access: BarrierAccess,
    pub(super) sync: &'static str,
    /// The texture's layout; empty for a buffer.
    pub(super) layout: &'static str,
    /// The legacy state; nothing if there is none.
    pub(super) state: &'static str,
    pub(super) command: &'static str,
}

impl Row {
    pub(super) fn writes(&self) -> bool {
        self.access.intersects(BarrierAccess::WRITES)
    }

    /// Whether the command writes its resource, or another that it names.
    pub(super) fn stores(&self) -> bool {
        let mut words = self.command.split(' ');
        self.writes() || words.any(|word| STORED.contains(&word))
    }

    /// The command on a resource.
    pub(super) fn on(&self, name: &str) -> String {
        self.with(name, "")
    }

    /// The command on a resource; what else it names has a mark.
    pub(super) fn with(&self, name: &str, mark: &str) -> String {
        let words = self.command.split(' ').map(|word| match word {
            "R" => name.to_owned(),
            "R;" => format!("{name};"),
            word if COMPANIONS.contains(&word) => format!("{word}{mark}"),
            word => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

pub(super) const fn row(
    access: BarrierAccess,
    sync: &'static str,
    layout: &'static str,
    state: &'static str,
    command: &'static str,
) -> Row {
    Row {
        access,
        sync,
        layout,
        state,
        command,
    }
}

pub(super) const UAV: &str = "UNORDERED_ACCESS";
pub(super) const SRV: &str = "SHADER_RESOURCE";
pub(super) const NON_PIXEL: &str = "NON_PIXEL_SHADER_RESOURCE";
pub(super) const CONSTANTS: &str = "VERTEX_AND_CONSTANT_BUFFER";
pub(super) const READ: &str = "dispatch 1x1x1 { SHADER_RESOURCE R }";
pub(super) const SAMPLE: &str = "draw { SHADER_RESOURCE R @ PIXEL_SHADING }";

/// The rows of a kind, made when they are first asked for.
type Rows = LazyLock<Vec<Row>>;

/// The rows of a table: access, stage, layout, legacy state and command.
fn table(text: &'static str) -> Vec<Row> {
    let lines = text.lines().filter(|line| !line.is_empty());
    let row = |line: &'static str| {
        let fields: Vec<&str> = line.split('|').map(str::trim).collect();
        let [access, sync, layout, state, command] = fields[..] else {
            unreachable!("a row has five fields: {line}");
        };
        let access = BarrierAccess::parse_one(access).expect("a row begins with an access");
        row(access, sync, layout, state, command)
    };
    lines.map(row).collect()
}

static BUFFERS: Rows = Rows::new(|| {
    table(
        "
    UNORDERED_ACCESS    | COMPUTE_SHADING  |                     | UNORDERED_ACCESS           | dispatch 1x1x1 { UNORDERED_ACCESS R }
    SHADER_RESOURCE     | COMPUTE_SHADING  |                     | NON_PIXEL_SHADER_RESOURCE  | dispatch 1x1x1 { SHADER_RESOURCE R }
    COPY_DEST           | COPY             |                     | COPY_DEST                  | copy up -> R
    CONSTANT_BUFFER     | COMPUTE_SHADING  |                     | VERTEX_AND_CONSTANT_BUFFER | dispatch 1x1x1 { CONSTANT_BUFFER R }
    INDIRECT_ARGUMENT   | EXECUTE_INDIRECT |                     | INDIRECT_ARGUMENT          | execute-indirect dispatch { INDIRECT_ARGUMENT R }
    COPY_SOURCE         | COPY             |                     | COPY_SOURCE                | copy R -> down
    VERTEX_BUFFER       | VERTEX_SHADING   |                     | VERTEX_AND_CONSTANT_BUFFER | draw { VERTEX_BUFFER R }
    STREAM_OUTPUT       | VERTEX_SHADING   |                     | STREAM_OUT                 | draw { STREAM_OUTPUT R }
    INDEX_BUFFER        | INDEX_INPUT      |                     | INDEX_BUFFER               | draw { INDEX_BUFFER R }
",
    )
});

static TEXTURES: Rows = Rows::new(|| {
    table(
        "
    RENDER_TARGET       | RENDER_TARGET    | RENDER_TARGET       | RENDER_TARGET              | draw { RENDER_TARGET R }
    SHADER_RESOURCE     | PIXEL_SHADING    | SHADER_RESOURCE     | PIXEL_SHADER_RESOURCE      | draw { SHADER_RESOURCE R @ PIXEL_SHADING }
    UNORDERED_ACCESS    | COMPUTE_SHADING  | UNORDERED_ACCESS    | UNORDERED_ACCESS           | dispatch 1x1x1 { UNORDERED_ACCESS R }
    COPY_DEST           | COPY             | COPY_DEST           | COPY_DEST                  | copy up -> R
    COPY_SOURCE         | COPY             | COPY_SOURCE         | COPY_SOURCE                | copy R -> down
    RESOLVE_DEST        | RESOLVE          | RESOLVE_DEST        | RESOLVE_DEST               | resolve many -> R
",
    )
});

static DEPTHS: Rows = Rows::new(|| {
    table(
        "
    DEPTH_STENCIL_WRITE | DEPTH_STENCIL    | DEPTH_STENCIL_WRITE | DEPTH_WRITE                | draw { DEPTH_STENCIL_WRITE R }
    SHADER_RESOURCE     | PIXEL_SHADING    | SHADER_RESOURCE     | PIXEL_SHADER_RESOURCE      | draw { SHADER_RESOURCE R @ PIXEL_SHADING }
    DEPTH_STENCIL_READ  | DEPTH_STENCIL    | DEPTH_STENCIL_READ  | DEPTH_READ                 | draw { DEPTH_STENCIL_READ R }
    COPY_DEST           | COPY             | COPY_DEST           | COPY_DEST                  | copy up -> R
    COPY_SOURCE         | COPY             | COPY_SOURCE         | COPY_SOURCE                | copy R -> down
",
    )
});

static SAMPLES: Rows = Rows::new(|| {
    table(
        "
    RENDER_TARGET       | RENDER_TARGET    | RENDER_TARGET       | RENDER_TARGET              | draw { RENDER_TARGET R }
    SHADER_RESOURCE     | PIXEL_SHADING    | SHADER_RESOURCE     | PIXEL_SHADER_RESOURCE      | draw { SHADER_RESOURCE R @ PIXEL_SHADING }
    RESOLVE_SOURCE      | RESOLVE          | RESOLVE_SOURCE      | RESOLVE_SOURCE             | resolve R -> one
    COPY_DEST           | COPY             | COPY_DEST           | COPY_DEST                  | copy up -> R
    COPY_SOURCE         | COPY             | COPY_SOURCE         | COPY_SOURCE                | copy R -> down
",
    )
});

static RATES: Rows = Rows::new(|| {
    table(
        "
    UNORDERED_ACCESS    | COMPUTE_SHADING  | UNORDERED_ACCESS    | UNORDERED_ACCESS           | dispatch 1x1x1 { UNORDERED_ACCESS R }
    SHADING_RATE_SOURCE | PIXEL_SHADING    | SHADING_RATE_SOURCE | SHADING_RATE_SOURCE        | draw { SHADING_RATE_SOURCE R }
    COPY_DEST           | COPY             | COPY_DEST           | COPY_DEST                  | copy up -> R
    COPY_SOURCE         | COPY             | COPY_SOURCE         | COPY_SOURCE                | copy R -> down
    SHADER_RESOURCE     | COMPUTE_SHADING  | SHADER_RESOURCE     | NON_PIXEL_SHADER_RESOURCE  | dispatch 1x1x1 { SHADER_RESOURCE R }
",
    )
});

const STRUCTURES: [Row; 5] = [
    row(
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
        "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
        "",
        "",
        "build-as { RAYTRACING_ACCELERATION_STRUCTURE_WRITE R }",
    ),
    row(
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        "RAYTRACING",
        "",
        "",
        "dispatch-rays 8x8 { RAYTRACING_ACCELERATION_STRUCTURE_READ R }",
    ),
    row(
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
        "",
        "",
        "copy-as R -> copied",
    ),
    row(
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
        "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
        "",
        "",
        "copy-as source -> R",
    ),
    row(
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ,
        "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
        "",
        "",
        "build-as { RAYTRACING_ACCELERATION_STRUCTURE_READ R; RAYTRACING_ACCELERATION_STRUCTURE_WRITE built }",
    ),
];

/// Names of what commands use next to their resource.
const COMPANIONS: [&str; 8] = [
    "up", "down", "many", "one", "copied", "source", "built", "sizes",
];

/// Those that commands write.
const STORED: [&str; 5] = ["down", "one", "copied", "built", "sizes"];

impl ProgramResources {
    /// Every kind with its word on the command line.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Buffer, "buffer"),
        (Self::Texture, "texture"),
        (Self::Depth, "depth"),
        (Self::Samples, "samples"),
        (Self::RateImage, "rate-image"),
        (Self::Structure, "structure"),
    ];

    /// The kinds that have layouts.
    pub(super) fn textures() -> impl Iterator<Item = Self> {
        let kinds = Self::ALL.into_iter().map(|(kind, _)| kind);
        kinds.filter(|kind| !kind.is_buffer())
    }

    /// What one is called, and several.
    pub(super) fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Buffer => ("buffer", "buffers"),
            Self::Texture => ("texture", "textures"),
            Self::Depth => ("depth buffer", "depth buffers"),
            Self::Samples => ("multisampled target", "multisampled targets"),
            Self::RateImage => ("shading rate image", "shading rate images"),
            Self::Structure => ("acceleration structure", "acceleration structures"),
        }
    }

    /// Whether it has no layout.
    pub const fn is_buffer(self) -> bool {
        matches!(self, Self::Buffer | Self::Structure)
    }

    /// The word of a declaration or a barrier entry.
    pub(super) fn word(self) -> &'static str {
        if self.is_buffer() {
            "buffer"
        } else {
            "texture"
        }
    }

    /// Ways to use one. The first writes.
    pub(super) fn rows(self) -> &'static [Row] {
        match self {
            Self::Buffer => &BUFFERS,
            Self::Texture => &TEXTURES,
            Self::Depth => &DEPTHS,
            Self::Samples => &SAMPLES,
            Self::RateImage => &RATES,
            Self::Structure => &STRUCTURES,
        }
    }

    fn shape(self) -> &'static str {
        match self {
            Self::Buffer | Self::Structure => "4KiB",
            Self::Texture | Self::Samples => "R8G8B8A8_UNORM 64x64",
            Self::Depth => "D32_FLOAT 64x64",
            Self::RateImage => "R8_UINT 64x64",
        }
    }

    fn flags(self) -> &'static str {
        match self {
            Self::Texture => "flags RENDER_TARGET|UNORDERED_ACCESS",
            Self::Depth => "flags DEPTH_STENCIL",
            Self::Samples => "samples 4; flags RENDER_TARGET",
            Self::Buffer | Self::RateImage => "flags UNORDERED_ACCESS",
            Self::Structure => "flags UNORDERED_ACCESS|RAYTRACING_ACCELERATION_STRUCTURE",
        }
    }

    /// A declaration; `options` come after the flags, each with its `; `.
    pub(super) fn declaration(self, name: &str, options: &str) -> String {
        let (word, shape, flags) = (self.word(), self.shape(), self.flags());
        format!("{word} {name} : {shape} {{ {flags}{options} }}\n")
    }

    /// Declarations of what commands of a queue name next to their resource, with a mark.
    pub(super) fn companions(self, commands: &str, mark: &str, queue: QueueType) -> String {
        let (word, shape) = (self.word(), self.shape());
        let samples = if self == Self::Samples {
            "samples 4; flags RENDER_TARGET; "
        } else {
            ""
        };
        let plain = |initial: &str| match self {
            _ if self.is_buffer() => format!("{word} NAME : {shape}\n"),
            Self::Depth => {
                format!("{word} NAME : {shape} {{ flags DEPTH_STENCIL; initial {initial} }}\n")
            }
            _ => format!("{word} NAME : {shape} {{ {samples}initial {initial} }}\n"),
        };
        // Reading R30: on copy queues textures are in no other layout.
        let of_copies = |layout| {
            if queue == QueueType::Copy {
                "COMMON"
            } else {
                layout
            }
        };
        let declared = |name: &str| match name {
            "up" => plain(of_copies("COPY_SOURCE")),
            "down" => plain(of_copies("COPY_DEST")),
            "many" if self == Self::Depth => {
                format!(
                    "texture NAME : {shape} {{ samples 4; flags DEPTH_STENCIL; initial RESOLVE_SOURCE }}\n"
                )
            }
            "many" => Self::Samples.declaration("NAME", "; initial RESOLVE_SOURCE"),
            "one" => Self::Texture.declaration("NAME", "; initial RESOLVE_DEST"),
            "sizes" => Self::Buffer.declaration("NAME", ""),
            _ => Self::Structure.declaration("NAME", ""),
        };
        let words = commands.split_whitespace();
        let named: Vec<&str> = words.filter_map(|word| word.strip_suffix(mark)).collect();
        let mut text = String::new();
        for companion in COMPANIONS {
            if named.contains(&companion) {
                let name = format!("{companion}{mark}");
                text.push_str(&declared(companion).replace("NAME", &name));
            }
        }
        text
    }
}

/// A side of a barrier.
#[derive(Copy, Clone)]
pub(super) struct SideText<'a> {
    pub(super) sync: &'a str,
    pub(super) access: &'a str,
    /// The texture's layout; empty for a buffer.
    pub(super) layout: &'a str,
}

/// A side that names everything that the row's layout allows.
pub(super) fn everything(row: &Row) -> SideText<'static> {
    SideText {
        sync: "ALL",
        access: "COMMON",
        layout: row.layout,
    }
}

/// An entry of a barrier.
pub(super) fn entry(
    kind: ProgramResources,
    name: &str,
    before: SideText<'_>,
    after: SideText<'_>,
) -> String {
    let layout = if kind.is_buffer() {
        String::new()
    } else {
        format!("; layout {} -> {}", before.layout, after.layout)
    };
    format!(
        "{} {name} {{ sync {} -> {}; access {} -> {}{layout} }}",
        kind.word(),
        before.sync,
        after.sync,
        before.access,
        after.access
    )
}
