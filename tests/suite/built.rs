//! Scenarios that are built in code: they print as what they are, and are checked and run like their text.

use syncscope::api::format::Format;
use syncscope::api::{
    BarrierAccess as A, BarrierSync as S, HeapType, Layout, Leaf, QueueType, ResourceFlags,
    ResourceState as State,
};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::run::{self, Options, Report};
use syncscope::scenario::{
    self, Barrier, CommandKind, FenceValue, Initial, LegacyBarrier, LegacySplit, Placement, Range,
    Resource, ResourceKind, Scenario, ScenarioBuilder, StatementKind, SubresourceRange,
    TextureShape, UseMode,
};

fn format(name: &str) -> Format {
    Format::from_name(name).expect("a format of DXGI")
}

/// A texture of some mips and layers.
fn texture(mips: u32, layers: u32, flags: ResourceFlags) -> Resource {
    let mut shape = TextureShape::new(format("R8G8B8A8_UNORM"), 256, 256);
    (shape.mips, shape.layers) = (mips, layers);
    let mut texture = Resource::new(ResourceKind::Texture(shape));
    texture.flags = flags;
    texture
}

/// Placed resources that are aliases, parts of a texture, a split barrier and a barrier that discards.
fn enhanced() -> Scenario {
    let mut scene = ScenarioBuilder::new();
    let heap = scene.heap("memory", 1 << 20, HeapType::Default);
    let [before, after] = ["before", "after"].map(|name| scene.buffer(name, 4096));
    scene.place(before, heap, 0);
    scene.place(after, heap, 0);
    let chain = scene.resource("chain", texture(4, 2, ResourceFlags::RENDER_TARGET));
    let (d32, flags) = (format("D32_FLOAT"), ResourceFlags::DEPTH_STENCIL);
    let depth = scene.texture("depth", d32, (64, 64), flags, Layout::DepthStencilWrite);
    let queue = scene.queue("gfx", QueueType::Direct);
    let list = scene.list("main", QueueType::Direct, |list| {
        let part = (before, Range::bytes(0..256));
        list.dispatch("fill", [8, 8, 1])
            .uses(A::UNORDERED_ACCESS, part, Leaf::ComputeShading)
            .mode(UseMode::Writes)
            .uses(A::SHADER_RESOURCE, before, Leaf::ComputeShading)
            .may();
        let leave = Barrier::buffer(before).sync(S::COMPUTE_SHADING, S::NONE);
        let enter = Barrier::buffer(after).sync(S::NONE, S::COPY);
        list.barrier([
            leave.access(A::UNORDERED_ACCESS, A::NO_ACCESS),
            enter.access(A::NO_ACCESS, A::COPY_DEST),
        ]);
        list.copy((before, Range::bytes(0..4096)), after);
        let layouts = (Layout::Undefined, Layout::RenderTarget);
        let first = Barrier::discarding_texture(chain, layouts).sync(S::NONE, S::RENDER_TARGET);
        list.barrier([first.access(A::NO_ACCESS, A::RENDER_TARGET)]);
        list.discard(chain);
        list.clear_rtv((chain, Range::mips(0..1)));
        let rest = SubresourceRange {
            mips: Some((1, 4)),
            layers: Some((0, 1)),
            ..SubresourceRange::default()
        };
        list.clear_rtv((chain, rest.into()));
        let slice = (chain, Range::layers(0..1));
        let read = (Layout::RenderTarget, Layout::ShaderResource);
        let [begin, end] = Barrier::texture(slice.clone(), read)
            .sync(S::RENDER_TARGET, S::PIXEL_SHADING)
            .access(A::RENDER_TARGET, A::SHADER_RESOURCE)
            .halves();
        list.barrier([begin]);
        list.clear_dsv(depth);
        list.barrier([end]);
        list.draw("pass")
            .uses(A::SHADER_RESOURCE, slice, Leaf::PixelShading)
            .uses(A::DEPTH_STENCIL_WRITE, depth, Leaf::DepthStencil);
    });
    scene.execute(queue, &[list]);
    scene.build()
}

/// Legacy barriers, a present, and statements and commands that the builder has no word for.
fn legacy() -> Scenario {
    let mut scene = ScenarioBuilder::new();
    let mut target = texture(1, 1, ResourceFlags::RENDER_TARGET);
    target.initial = Initial::State(State::RENDER_TARGET);
    target.keep = true;
    let target = scene.resource("target", target);
    let mut tiles = Resource::new(ResourceKind::Buffer { size: 65536 });
    (tiles.placement, tiles.flags) = (Placement::Reserved, ResourceFlags::UNORDERED_ACCESS);
    let tiles = scene.resource("tiles", tiles);
    let back = scene.resource("back", texture(1, 1, ResourceFlags::RENDER_TARGET));
    let queue = scene.queue("gfx", QueueType::Direct);
    let fence = scene.fence("done");
    let list = scene.list("main", QueueType::Direct, |list| {
        let states = (State::RENDER_TARGET, State::RESOLVE_DEST);
        let half = |split| LegacyBarrier::transition(target, states, Some(split));
        list.legacy([
            half(LegacySplit::Begin),
            LegacyBarrier::uav(Some(tiles)),
            LegacyBarrier::uav(None),
            LegacyBarrier::alias(Some(tiles), None),
        ]);
        list.legacy([half(LegacySplit::End)]);
        list.resolve(back, target);
        list.global_barrier((S::ALL, S::ALL), (A::COMMON, A::COMMON));
        list.clear_uav(tiles);
        let rays = CommandKind::DispatchRays {
            label: Some("rays".into()),
            size: [16, 16],
        };
        list.command(rays, [])
            .uses(A::UNORDERED_ACCESS, tiles, Leaf::Raytracing);
    });
    scene.execute(queue, &[list]);
    scene.signal(queue, fence, 1);
    scene.wait(queue, fence, FenceValue::Absolute(1));
    scene.statement(StatementKind::Reset(None));
    scene.present(queue, back);
    scene.build()
}

/// What is built is what its text says: the same uses, ranges and stages.
#[test]
fn what_is_built_is_what_its_text_says() {
    for built in [enhanced(), legacy()] {
        let text = scenario::print(&built);
        let (read, findings) = scenario::parse(&Source::new("scenario", text.as_str()));
        assert!(findings.is_empty(), "{findings:#?}\n{text}");
        let [built, read] = [&built, &read].map(scenario::json::to_json);
        assert_eq!(built, read, "{text}");
    }
}

/// A barrier whose access after does not reach the draw.
fn narrow(access: A) -> Scenario {
    let mut scene = ScenarioBuilder::new();
    let staging = scene.buffer("staging", 4096);
    let mesh = scene.buffer("mesh", 4096);
    let gfx = scene.queue("gfx", QueueType::Direct);
    let main = scene.list("main", QueueType::Direct, |list| {
        list.copy(staging, mesh);
        list.buffer_barrier(mesh, (S::COPY, S::VERTEX_SHADING), (A::COPY_DEST, access));
        list.draw("mesh")
            .uses(A::VERTEX_BUFFER, mesh, Leaf::VertexShading);
    });
    scene.execute(gfx, &[main]);
    scene.build()
}

/// The text below a report's findings, line by line.
fn lines(source: &Source, report: &Report) -> Vec<(&'static str, String)> {
    let places = report.findings.iter().map(|finding| {
        let line = source.line(finding.span.start) as usize;
        let text = source.text.lines().nth(line - 1).expect("a line of it");
        (finding.rule.id, text.trim().to_owned())
    });
    places.collect()
}

#[test]
fn a_built_scenario_is_checked_and_run_and_findings_have_places() {
    let registry = catalog::registry();
    let options = Options::default();
    let wrong = [("HZ101", "draw \"mesh\" { VERTEX_BUFFER mesh }".to_owned())];
    let (source, report) = run::check_scenario(&narrow(A::SHADER_RESOURCE), &options);
    assert_eq!(lines(&source, &report), wrong);
    let ran = run::run_scenario(&narrow(A::SHADER_RESOURCE), &registry, &options);
    let (source, report) = ran.expect("it runs");
    assert_eq!(lines(&source, &report), wrong);
    assert!(report.makespan.is_some());
    let (_, report) = run::check_scenario(&narrow(A::VERTEX_BUFFER), &options);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

/// A name that the language does not have is a mistake of the text.
#[test]
fn a_name_that_is_no_word_is_a_finding() {
    let mut scene = ScenarioBuilder::new();
    scene.buffer("my mesh", 4096);
    let (source, report) = run::check_scenario(&scene.build(), &Options::default());
    let found = lines(&source, &report);
    assert_eq!(found[0].0, "SC002", "{found:?}");
}
