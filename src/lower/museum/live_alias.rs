crate::lower::lowering! {
    /// **The mistake.** Whenever a placed texture is named without a layout, it is brought into its first layout: its metadata
    /// is initialised. That is a write. Where the memory holds another resource at that time, its data is gone.
    ///
    /// **Where it shows.** A buffer of indirect arguments shares memory with a depth buffer; a barrier that only concerns the
    /// depth buffer's accesses comes between the writing and the reading of the arguments.
    ///
    /// **Where it hides.** Textures with memory of their own; aliases of which none is in use.
    ///
    /// **Source.** vkd3d-proton, commits 684e41fa (a game's indirect arguments under a depth buffer, whose implicit transition
    /// wrote HTILE over them: the GPU hung) and 39c1f9d0 (an aliasing barrier alone must not initialise the texture after it).
    wrong pub(super) LiveAlias = "live_alias",
        "wrong on purpose: initialises a placed texture whenever it is named (vkd3d-proton, 684e41fa)";
}

use crate::api::Layout;
use crate::lower::{Entry, PRECISE, Policy, Session, StepDraft};

impl Policy for LiveAlias {
    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let mut draft = PRECISE.draft(session, entry);
        let names_none = entry.barrier.layouts() == Some((Layout::Undefined, Layout::Undefined));
        if names_none && entry.acts() {
            let layout = session.first_layout(entry);
            draft.steps.extend(layout.map(StepDraft::Layout));
        }
        session.barrier(entry, &draft);
    }
}
