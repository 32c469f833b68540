//! Draws: five stages, one latency apart.

use super::{Stages, Tasks, fill, stage};
use crate::api::{Leaf, LeafSet};
use crate::hardware::Profile;
use crate::program::{Pool, Task};
use crate::time::Ps;

/// How much a draw does.
pub(super) struct Amount {
    pub(super) indexed: bool,
    pub(super) vertices: u64,
    pub(super) pixels: u64,
    /// Stages that it has uses at.
    pub(super) used_at: LeafSet,
}

/// A draw command.
pub(super) fn stages(profile: &Profile, amount: &Amount, takes: Option<Ps>) -> Stages {
    Stages {
        launch: profile.costs.launch_draw,
        tasks: draw(profile, amount, takes),
        groups: None,
    }
}

/// The stages of a draw.
pub(super) fn draw(profile: &Profile, amount: &Amount, takes: Option<Ps>) -> Tasks {
    let &Amount {
        indexed,
        vertices,
        pixels,
        used_at,
    } = amount;
    let costs = &profile.costs;
    let latency = takes.map_or(costs.stage, |takes| costs.stage.min(Ps(takes.0 / 4)));
    let (vertex_cost, pixel_cost, output_cost) = match takes {
        // Vertices take one latency, pixels what is left after three: from the first to the last picosecond `takes`.
        Some(takes) => (latency, takes - Ps(3 * latency.0), Ps::ZERO),
        None => (
            Ps::for_amount(vertices, costs.vertices),
            Ps::for_amount(pixels, costs.pixels),
            Ps::for_amount(pixels, costs.rop_pixels),
        ),
    };
    let (vertex_fill, pixel_fill) = match takes {
        Some(_) => (Pool::FULL, Pool::FULL),
        None => (fill(profile, vertices), fill(profile, pixels)),
    };
    let mut tasks = Tasks::new();
    if indexed {
        tasks.push(stage(Leaf::IndexInput, Pool::Fixed));
    }
    tasks.push(Task {
        weight: vertex_fill,
        cost: vertex_cost,
        ..stage(Leaf::VertexShading, Pool::Shader)
    });
    for (leaf, pool, weight, cost) in [
        (
            Leaf::DepthStencil,
            Pool::RenderBackEnd,
            Pool::FULL,
            output_cost,
        ),
        (Leaf::PixelShading, Pool::Shader, pixel_fill, pixel_cost),
        (
            Leaf::RenderTarget,
            Pool::RenderBackEnd,
            Pool::FULL,
            output_cost,
        ),
    ] {
        // The shaders run in any case; output merging has something to do only for what is bound.
        let passes = leaf != Leaf::PixelShading && !used_at.has(leaf);
        tasks.push(Task {
            weight,
            cost: if passes { Ps::ZERO } else { cost },
            latency,
            passes,
            ..stage(leaf, pool)
        });
    }
    tasks
}
