//! Random scenarios about the subresources of one texture: barriers that fit a use, and of which some cover only a part of
//! what the next use touches. What is right of one subresource stands next to what is wrong of another.

use rand::prelude::*;

/// A way to use the texture: its command, and what a barrier says of it.
struct Role {
    command: &'static str,
    access: &'static str,
    stage: &'static str,
    mode: &'static str,
}

const ROLES: [Role; 5] = [
    Role {
        command: "draw",
        access: "RENDER_TARGET",
        stage: "RENDER_TARGET",
        mode: "",
    },
    Role {
        command: "draw",
        access: "SHADER_RESOURCE",
        stage: "PIXEL_SHADING",
        mode: " @ PIXEL_SHADING",
    },
    Role {
        command: "dispatch 1x1x1",
        access: "SHADER_RESOURCE",
        stage: "COMPUTE_SHADING",
        mode: "",
    },
    Role {
        command: "dispatch 1x1x1",
        access: "UNORDERED_ACCESS",
        stage: "COMPUTE_SHADING",
        mode: "",
    },
    Role {
        command: "dispatch 1x1x1",
        access: "UNORDERED_ACCESS",
        stage: "COMPUTE_SHADING",
        mode: " writes",
    },
];

const RANGES: [&str; 8] = [
    "",
    "",
    "[mip 0]",
    "[mip 1]",
    "[layer 0]",
    "[layer 0..2]",
    "[layer 1..3]",
    "[mip 1, layer 2]",
];

/// The scenario of a seed.
pub(super) fn scenario(seed: u64) -> String {
    let random = &mut StdRng::seed_from_u64(seed);
    let mut role = ROLES.choose(random).expect("one of five");
    let mut lines = vec![
        "queue q : direct".to_owned(),
        format!(
            "texture t : R8G8B8A8_UNORM 8x8 {{ mips 2; layers 3; flags RENDER_TARGET|UNORDERED_ACCESS; initial {} }}",
            role.access
        ),
        "list l : direct {".to_owned(),
    ];
    let usage = |role: &Role, range: &str| {
        let Role {
            command,
            access,
            mode,
            ..
        } = role;
        format!("  {command} {{ {access} t{range}{mode} }}")
    };
    lines.push(usage(role, ""));
    for _ in 0..random.random_range(1..4) {
        let next = ROLES.choose(random).expect("one of five");
        for _ in 0..random.random_range(0..3) {
            let range = RANGES.choose(random).expect("one of eight");
            let odd = ROLES.choose(random).expect("one of five").stage;
            let held = if random.random_range(0..4) == 0 {
                format!("{}|{odd}", next.stage)
            } else {
                next.stage.to_owned()
            };
            lines.push(format!(
                "  barrier {{ texture t{range} {{ sync {} -> {held}; access {} -> {}; layout {} -> {} }} }}",
                role.stage, role.access, next.access, role.access, next.access
            ));
        }
        for _ in 0..random.random_range(1..3) {
            let range = RANGES.choose(random).expect("one of eight");
            lines.push(usage(next, range));
        }
        role = next;
    }
    lines.push("}".to_owned());
    lines.push("timeline { q execute l }".to_owned());
    lines.join("\n") + "\n"
}
