//! A program whose reader has read once before: what its caches hold is old when the write comes.

use crate::analyze::lowering::Lack;
use crate::api::Layout;
use crate::id::NodeId;
use crate::order::Timeline;
use crate::scenario::{self, Barrier, Command, CommandKind, Initial, Scenario, edit};

/// The text with the second of two uses once more before the first, and a barrier back from it; `None` where the two are in
/// different lists, or the barrier has no way back.
pub(super) fn warmed(timeline: &Timeline<'_>, lack: &Lack) -> Option<String> {
    let place = |node: NodeId| timeline.place(node).command;
    let (first, second) = (place(lack.uses.0.node)?, place(lack.uses.1.node)?);
    let barrier = place(lack.shortfall.barrier.node)?;
    let is_one_list = first.0 == second.0 && first.0 == barrier.0;
    let has_way = first.1 <= barrier.1 && barrier.1 < second.1;
    if !(is_one_list && has_way) {
        return None;
    }
    // Before a change of a layout comes what wrote in the layout before.
    let is_change = first.1 == barrier.1;
    let start = if is_change { 0 } else { first.1 as usize };
    let mut warm = timeline.scenario.clone();
    let command = |at: u32| &timeline.scenario.lists[first.0].commands[at as usize];
    let entry = lack.shortfall.barrier.entry as usize;
    let entry = command(barrier.1).kind.barriers().get(entry)?;
    let back = Command {
        kind: CommandKind::Barrier([back(entry)?].into_iter().collect()),
        ..command(barrier.1).clone()
    };
    start_as_read(entry, &mut warm)?;
    let prefix = [command(second.1).clone(), back];
    warm.lists[first.0].commands.splice(start..start, prefix);
    Some(scenario::print(&warm))
}

/// The barrier the other way round.
fn back(entry: &Barrier) -> Option<Barrier> {
    if edit::is_split(entry) {
        return None;
    }
    let mut back = entry.clone();
    (back.sync_before, back.sync_after) = (entry.sync_after, entry.sync_before);
    (back.access_before, back.access_after) = (entry.access_after, entry.access_before);
    if let Some(texture) = back.as_texture_mut() {
        std::mem::swap(&mut texture.layout_before, &mut texture.layout_after);
        texture.discard = false;
    }
    Some(back)
}

/// A texture starts in the layout in which it is read.
fn start_as_read(entry: &Barrier, warm: &mut Scenario) -> Option<()> {
    let Some((id, texture)) = entry.named_texture() else {
        return Some(());
    };
    let (before, after) = texture.layouts();
    if before == after {
        return Some(());
    }
    if before == Layout::Undefined {
        return None;
    }
    warm.resources[id].initial = Initial::Layout(after);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::hardware::Profile;
    use crate::lower::{FORGETS_INVALIDATE, Lowering};
    use crate::sim::Eviction;
    use crate::workbench::judge::{lowered, wrong_read};
    use crate::workbench::with_case;

    /// What is said of a text that lacks a drop: the warmed one, if any, and whether a run that keeps every line shows it.
    fn on_rdna(text: &str) -> (Option<String>, bool) {
        let rdna = Profile::parse(include_str!("../hardware/profiles/rdna.toml"));
        let rdna = rdna.expect("it is built in");
        let lowering: &dyn Lowering = &FORGETS_INVALIDATE;
        let said = with_case(&Source::new("cold.scn", text), |case| {
            assert!(case.is_clean(), "{text}");
            let lack = case.lack(lowering, &rdna, "does not drop: GL1");
            let warm = warmed(case.timeline, &lack.expect("it is missing"));
            let program = lowered(lowering, case.timeline, &rdna).expect("it is lowered");
            let trace = case.trace(&program, &rdna, Eviction::Never);
            Some((warm, wrong_read(&trace, true).is_some()))
        });
        said.expect("it has a barrier")
    }

    #[test]
    fn a_reader_that_has_read_before_reads_what_is_old() {
        let cold = "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  draw \"read\" { SHADER_RESOURCE b @ PIXEL_SHADING }
}
timeline { q execute l }
";
        let (warm, shows) = on_rdna(cold);
        assert!(!shows, "caches are empty");
        let warm = warm.expect("there is a way back");
        assert_eq!(warm.matches("draw \"read\"").count(), 2, "{warm}");
        let back =
            "sync PIXEL_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS";
        assert!(warm.contains(back), "{warm}");
        assert!(on_rdna(&warm).1, "{warm}");
    }

    #[test]
    fn a_texture_starts_in_the_layout_of_its_reader() {
        let cold = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
list l : direct {
  draw \"write\" { RENDER_TARGET t }
  barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  draw \"read\" { SHADER_RESOURCE t @ PIXEL_SHADING }
}
timeline { q execute l }
";
        let warm = on_rdna(cold).0.expect("there is a way back");
        assert!(warm.contains("initial SHADER_RESOURCE"), "{warm}");
        assert!(
            warm.contains("layout SHADER_RESOURCE -> RENDER_TARGET"),
            "{warm}"
        );
        assert!(on_rdna(&warm).1, "{warm}");
    }
}
