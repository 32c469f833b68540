crate::finding::rule! {
    /// **What it finds.** A fence with device scope in a thread with a plain access to a UAV that several groups access
    /// and that is not declared `globallycoherent`. In a pixel shader: with any access to a UAV that is not declared
    /// so.
    ///
    /// **Why it matters.** On such a UAV the fence acts as if it were `sync_ugroup`: it makes nothing visible to other
    /// groups, however wide it looks. A pixel shader has to declare each of its UAVs, because it has no group in which
    /// a narrower fence could help. The declaration is missing.
    ///
    /// **Source.** `sync` (sm5 - asm), `_uglobal`, "not declared as globally coherent", and what it
    /// asks of pixel shaders there; decision 5 of "Shader litmus tests" in the book.
    pub(crate) static RULE = "LM012", "device-scope-acts-as-group", Warning,
        "a device-scope fence whose UAV is not globally coherent";
}

use super::{Context, LitmusRule};
use crate::finding::Finding;
use crate::kernel::{OpKind, Scope, Stage};
use crate::litmus::program::{Action, bit};

/// What it looks at.
pub(crate) static LITMUS: LitmusRule = LitmusRule { rule: &RULE, check };

fn check(context: &Context<'_>) -> Vec<Finding> {
    let program = context.program;
    let mut found = Vec::new();
    for (index, op) in program.ops.iter().enumerate() {
        let Action::Fence(fence) = &op.action else {
            continue;
        };
        let OpKind::Fence(text) = context.text(op).kind else {
            continue;
        };
        if text.effect().classes.uav != Some(Scope::Device) {
            continue;
        }
        let thread = &program.threads[op.thread];
        let pixel = context.kernel.threads[op.thread].stage == Stage::Pixel;
        let narrowed = (thread.first..thread.end).find_map(|o| {
            let cell = program.ops[o].action.cell()?;
            let it = &program.cells[cell];
            let plain = !matches!(program.ops[o].action, Action::Atomic { .. });
            let named = (fence.before | fence.after) & bit(cell) != 0;
            let undeclared = it.is_uav() && !it.globally_coherent;
            (named && undeclared && (pixel || plain && it.between_groups)).then_some(o)
        });
        if let Some(access) = narrowed {
            let name = context.name(access);
            let (message, accessed) = if pixel {
                (
                    format!(
                        "a pixel shader declares its UAVs globally coherent; `{name}` is not, and this fence orders it for no other pixel"
                    ),
                    "accessed here",
                )
            } else {
                (
                    format!(
                        "this fence has only group scope on `{name}`, which is not globally coherent"
                    ),
                    "accessed here, and by another group",
                )
            };
            found.push(
                Finding::new(&RULE, context.span(index), message)
                    .resource(name.clone())
                    .related(context.span(access), accessed)
                    .help(format!("declare `uav {name} globallycoherent`")),
            );
        }
    }
    found
}
