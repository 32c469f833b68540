//! Which instruction is allowed in which shader stage and flow control. Decided from the text alone.
//!
//! Spec: `sync` (sm5 - asm). A graphics stage has only `sync_uglobal`; `_t` is never in varying flow.

use super::fence::{BarrierFlags, BarrierMemory, Fence};
use super::model::{Guard, Kernel, Op, OpKind, Stage, Thread};
use super::rules;
use crate::finding::Finding;

/// Every instruction that is not allowed where it is, in order of the text. A test with one is `illegal`.
pub fn check(kernel: &Kernel) -> Vec<Finding> {
    let mut findings = Vec::new();
    for thread in &kernel.threads {
        if thread.helper && thread.stage != Stage::Pixel {
            findings.push(
                Finding::new(
                    &rules::WRONG_STAGE,
                    thread.span,
                    format!("a {} has no helper invocations", thread.stage.name()),
                )
                .help("helpers complete the 2×2 blocks of a pixel shader: write `ps helper`, or leave out `helper`"),
            );
        }
        for op in &thread.ops {
            findings.extend(instruction(kernel, thread, op));
        }
    }
    findings
}

fn instruction(kernel: &Kernel, thread: &Thread, op: &Op) -> Option<Finding> {
    match &op.kind {
        OpKind::Fence(fence) => variant(kernel, *fence, op)
            .or_else(|| fence_in_stage(*fence, thread.stage, op))
            .or_else(|| divergent(*fence, op)),
        OpKind::Discard { .. } if thread.stage != Stage::Pixel => Some(
            Finding::new(
                &rules::WRONG_STAGE,
                op.span,
                format!("a {} cannot discard", thread.stage.name()),
            )
            .help("`discard` is an instruction of the pixel shader"),
        ),
        _ => groupshared_in_stage(kernel, thread.stage, op),
    }
}

/// The shape of the instruction itself.
fn variant(kernel: &Kernel, fence: Fence, op: &Op) -> Option<Finding> {
    let sync = match fence {
        Fence::Sync(sync) => sync,
        Fence::Intrinsic(_) => return None,
        Fence::Barrier { memory, flags } => return barrier_form(kernel, memory, flags, op),
    };
    if sync.uglobal && sync.ugroup {
        return Some(
            Finding::new(
                &rules::ILLEGAL_SYNC_VARIANT,
                op.span,
                format!("`{sync}` names both UAV scopes"),
            )
            .help("`_uglobal` already contains `_ugroup`; leave out one of them"),
        );
    }
    (!sync.uglobal && !sync.ugroup && !sync.g).then(|| {
        Finding::new(
            &rules::ILLEGAL_SYNC_VARIANT,
            op.span,
            format!("`{sync}` does not name any memory"),
        )
        .help("name `_uglobal`, `_ugroup` or `_g`")
    })
}

/// Reading R59: `GROUP_SHARED_MEMORY` has no device scope, and an object is a UAV.
fn barrier_form(
    kernel: &Kernel,
    memory: BarrierMemory,
    flags: BarrierFlags,
    op: &Op,
) -> Option<Finding> {
    if let BarrierMemory::Object(location) = memory {
        let it = kernel.location(location);
        return (!it.kind.is_uav()).then(|| {
            Finding::new(
                &rules::ILLEGAL_SYNC_VARIANT,
                op.span,
                format!(
                    "`{}` is groupshared memory, and this form takes a UAV",
                    it.name
                ),
            )
            .resource(it.name.clone())
            .help("name all groupshared memory: `barrier(TGSM;GROUP)`")
        });
    }
    (memory.classes() == (false, true) && flags.device).then(|| {
        Finding::new(
            &rules::ILLEGAL_SYNC_VARIANT,
            op.span,
            "groupshared memory has no device scope",
        )
        .help("write `GROUP` instead of `DEVICE`: only the group has this memory")
    })
}

/// What a fence needs and only a stage with thread groups has: the group as a scope, as memory, or as a meeting.
/// `ALL` names the memory that the stage has, so it needs nothing (reading R59).
fn fence_in_stage(fence: Fence, stage: Stage, op: &Op) -> Option<Finding> {
    if stage == Stage::Compute {
        return None;
    }
    let allowed = match fence {
        Fence::Sync(sync) => sync.value() == 2,
        Fence::Intrinsic(intrinsic) => intrinsic.sync().value() == 2,
        Fence::Barrier { memory, flags } => {
            let groupshared = matches!(
                memory,
                BarrierMemory::Types {
                    groupshared: true,
                    ..
                }
            );
            !groupshared && !flags.group && !flags.sync
        }
    };
    (!allowed).then(|| {
        Finding::new(
            &rules::WRONG_STAGE,
            op.span,
            format!(
                "a {} has no thread groups, and this fence needs one",
                stage.name()
            ),
        )
        .help(match fence {
            Fence::Barrier { .. } => {
                "in graphics stages name `UAV`, `ALL` or one UAV, with the scope `DEVICE` or none"
            }
            _ => "graphics stages have only `sync_uglobal` (DeviceMemoryBarrier)",
        })
    })
}

fn divergent(fence: Fence, op: &Op) -> Option<Finding> {
    let varying = op.guards.iter().find(|g| !matches!(g, Guard::Uniform))?;
    fence.effect().meets.then(|| {
        let under = match varying {
            Guard::Register { register, .. } => {
                format!("a branch on {register}, which may differ between the threads of a group")
            }
            _ => "varying flow control".to_owned(),
        };
        Finding::new(
            &rules::DIVERGENT_GROUP_SYNC,
            op.span,
            format!("this group barrier is under {under}"),
        )
        .help("move it out of the branch, or write `[uniform]` if the whole group takes the same path")
    })
}

fn groupshared_in_stage(kernel: &Kernel, stage: Stage, op: &Op) -> Option<Finding> {
    let location = kernel.location(op.location()?);
    (stage != Stage::Compute && !location.kind.is_uav()).then(|| {
        Finding::new(
            &rules::WRONG_STAGE,
            op.span,
            format!("a {} has no groupshared memory", stage.name()),
        )
        .resource(location.name.clone())
        .help("declare the variable as a `uav`, or use the compute stage")
    })
}
