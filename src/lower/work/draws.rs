//! Draws: five stages, one latency apart.

use super::{Stages, Tasks, fill, stage};
use crate::api::Leaf;
use crate::hardware::Profile;
use crate::program::{Pool, Task};
use crate::time::Ps;

/// A draw command.
pub(super) fn stages(
    profile: &Profile,
    indexed: bool,
    vertices: u64,
    pixels: u64,
    takes: Option<Ps>,
) -> Stages {
    Stages {
        launch: profile.costs.launch_draw,
        tasks: draw(profile, indexed, vertices, pixels, takes),
        groups: None,
    }
}

/// The stages of a draw.
pub(super) fn draw(
    profile: &Profile,
    indexed: bool,
    vertices: u64,
    pixels: u64,
    takes: Option<Ps>,
) -> Tasks {
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
        tasks.push(Task {
            weight,
            cost,
            latency,
            ..stage(leaf, pool)
        });
    }
    tasks
}
