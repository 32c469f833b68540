//! What a command costs: stage tasks from vertices, pixels, threads and bytes.
//!
//! A declared duration (`takes`) is the command's whole life on an idle machine: it goes to the command's main stage and
//! everything else of the command is free.

use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::hardware::Profile;
use crate::program::{Pool, Task};
use crate::scenario::{Command, CommandKind, IndirectTarget, Takes};
use crate::time::Ps;

/// Threads of a group when the text says nothing.
const THREADS_DEFAULT: u64 = 64;
/// Vertices of a draw when the text says nothing: one triangle.
const VERTICES_DEFAULT: u64 = 3;

/// What a command works on, as far as its cost depends on it.
#[derive(Copy, Clone, Default)]
pub(super) struct Amount {
    /// Bytes read and written.
    pub(super) bytes: u64,
    /// Texels of the largest attachment.
    pub(super) texels: u64,
    /// Leaves of its uses.
    pub(super) leaves: LeafSet,
    /// Its writes go to a layout that allows fast clears.
    pub(super) fast_clear: bool,
}

/// Stage tasks of a command, front of the pipeline first.
pub(super) fn tasks(profile: &Profile, command: &Command, amount: Amount) -> Vec<Task> {
    let launch = |key| profile.time(key);
    let other = launch("launch.other_ns");
    let one = |leaf, pool, cost, latency| vec![Task { leaf, pool, weight: Pool::FULL, cost, latency }];
    let dram = |bytes| Ps::for_amount(bytes, profile.number("rate.dram_bytes_per_s"));
    match &command.kind {
        CommandKind::Draw { vertices, pixels, takes, .. } => {
            draw(profile, *vertices, *pixels, *takes, amount)
        }
        CommandKind::Dispatch { groups, threads, takes, .. } => {
            let groups = groups.iter().map(|g| u64::from(*g)).product();
            dispatch(profile, groups, threads.unwrap_or(THREADS_DEFAULT), *takes)
        }
        CommandKind::DispatchRays { size, .. } => {
            let rays = u64::from(size[0]) * u64::from(size[1]);
            let cost = Ps::for_amount(rays, profile.number("rate.rays_per_s"));
            one(Leaf::Raytracing, Pool::Shader, cost, launch("latency.dispatch_ns"))
        }
        CommandKind::ExecuteIndirect { target, .. } => {
            let mut tasks = one(Leaf::ExecuteIndirect, Pool::Fixed, profile.time("latency.l2_ns"), other);
            tasks.extend(match target {
                IndirectTarget::Draw => draw(profile, None, None, None, amount),
                IndirectTarget::Dispatch => dispatch(profile, 1, THREADS_DEFAULT, None),
                IndirectTarget::Rays => {
                    one(Leaf::Raytracing, Pool::Shader, launch("latency.dispatch_ns"), other)
                }
            });
            tasks
        }
        CommandKind::Predicate => {
            one(Leaf::ExecuteIndirect, Pool::Fixed, profile.time("latency.l2_ns"), other)
        }
        CommandKind::Copy => one(
            Leaf::Copy,
            Pool::Memory,
            Ps::for_amount(amount.bytes / 2, profile.number("rate.copy_bytes_per_s")),
            launch("launch.copy_ns"),
        ),
        CommandKind::Resolve => one(Leaf::Resolve, Pool::Memory, dram(amount.bytes), other),
        CommandKind::ClearRtv | CommandKind::ClearDsv => {
            let leaf =
                if command.kind == CommandKind::ClearRtv { Leaf::RenderTarget } else { Leaf::DepthStencil };
            // A fast clear writes metadata alone.
            let bytes = if amount.fast_clear {
                amount.bytes * profile.number("init-metadata.moved_percent") / 100
            } else {
                amount.bytes
            };
            one(leaf, Pool::RenderBackEnd, dram(bytes), other)
        }
        CommandKind::ClearUav => one(Leaf::ClearUav, Pool::Memory, dram(amount.bytes), other),
        CommandKind::Discard => {
            let leaf = amount.leaves.iter().next().unwrap_or(Leaf::RenderTarget);
            let bytes = amount.bytes * profile.number("init-metadata.moved_percent") / 100;
            one(leaf, Pool::Memory, dram(bytes), other)
        }
        CommandKind::BuildAs { .. } => one(Leaf::BuildAs, Pool::Shader, dram(amount.bytes * 4), other),
        CommandKind::CopyAs => one(Leaf::CopyAs, Pool::Memory, dram(amount.bytes), other),
        CommandKind::EmitAs => one(Leaf::EmitAs, Pool::Fixed, profile.time("latency.dispatch_ns"), other),
        CommandKind::Video { engine, .. } => {
            let leaf = engine.leaves().iter().next().unwrap_or(Leaf::VideoDecode);
            one(leaf, Pool::Video, dram(amount.bytes * 4), other)
        }
        CommandKind::SetRoot { .. }
        | CommandKind::MarkerBegin { .. }
        | CommandKind::MarkerEnd
        | CommandKind::ExecuteBundle { .. }
        | CommandKind::Barrier(_)
        | CommandKind::Legacy(_)
        | CommandKind::FenceBarrier { .. }
        | CommandKind::AssertAccess { .. }
        | CommandKind::AssertLayout { .. } => Vec::new(),
    }
}

fn draw(
    profile: &Profile,
    vertices: Option<u64>,
    pixels: Option<u64>,
    takes: Option<Ps>,
    amount: Amount,
) -> Vec<Task> {
    let pixels = pixels.unwrap_or(amount.texels);
    let shaded = Ps::for_amount(pixels, profile.number("rate.pixels_per_s"));
    let output = Ps::for_amount(pixels, profile.number("rate.rop_pixels_per_s"));
    let geometry =
        Ps::for_amount(vertices.unwrap_or(VERTICES_DEFAULT), profile.number("rate.vertices_per_s"));
    let declared = takes.is_some();
    let latency = if declared { Ps::ZERO } else { profile.time("latency.stage_ns") };
    let cost = |cost| if declared { Ps::ZERO } else { cost };
    let mut tasks = Vec::with_capacity(5);
    let mut push = |leaf, pool, cost| {
        // The first stage begins at the launch; each later one a latency after its predecessor.
        let latency = if tasks.is_empty() { Ps::ZERO } else { latency };
        tasks.push(Task { leaf, pool, weight: Pool::FULL, cost, latency });
    };
    if amount.leaves.has(Leaf::IndexInput) {
        push(Leaf::IndexInput, Pool::Fixed, Ps::ZERO);
    }
    push(Leaf::VertexShading, Pool::Shader, cost(geometry));
    if amount.leaves.has(Leaf::DepthStencil) {
        push(Leaf::DepthStencil, Pool::RenderBackEnd, cost(output));
    }
    push(Leaf::PixelShading, Pool::Shader, takes.unwrap_or(shaded));
    if amount.leaves.has(Leaf::RenderTarget) {
        push(Leaf::RenderTarget, Pool::RenderBackEnd, cost(output));
    }
    tasks
}

fn dispatch(profile: &Profile, groups: u64, threads: u64, takes: Option<Takes>) -> Vec<Task> {
    let resident = profile.number("limit.resident_groups").max(1);
    // How much of the shader cores its groups can fill.
    let weight = (groups.saturating_mul(u64::from(Pool::FULL)) / resident).clamp(1, u64::from(Pool::FULL)) as u16;
    let (cost, latency) = match takes {
        Some(Takes::Command(time)) => (time, Ps::ZERO),
        // Groups run in waves of as many as fit at once.
        Some(Takes::Group(time)) => (Ps(time.0.saturating_mul(groups.div_ceil(resident).max(1))), Ps::ZERO),
        None => {
            let work = groups.saturating_mul(threads);
            (Ps::for_amount(work, profile.number("rate.threads_per_s")), profile.time("latency.dispatch_ns"))
        }
    };
    vec![Task { leaf: Leaf::ComputeShading, pool: Pool::Shader, weight, cost, latency }]
}

/// Whether an access is to an attachment, whose texels bound a draw without `pixels`.
pub(super) fn texels_of(access: BarrierAccess) -> bool {
    access.intersects(
        BarrierAccess::RENDER_TARGET
            .union(BarrierAccess::DEPTH_STENCIL_READ)
            .union(BarrierAccess::DEPTH_STENCIL_WRITE),
    )
}
