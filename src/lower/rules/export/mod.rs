//! A lowering as a rule file: what it does to each kind of barrier is asked, entry by entry, and written down as rules that
//! add up.
//!
//! ```text
//! lowering ─probe→ operations by context and pair of accesses ─cover→ rules ─check→ a rule file
//!                                                        rules ─learn→ rules and corrections ─check→ a rule file
//! ```
//! What is done for several accesses is mostly what is done for every pair of them. Where it is more or less, or where waits
//! depend on accesses, corrections are learned, of `precise` if few are enough, else of the rules about pairs. The rules are
//! compared with the lowering on random entries before they are handed out; what is no function of the entry is refused,
//! with the entry that shows it. What a lowering remembers from one entry to the next cannot be seen here: whoever has
//! programs compares both on them.

mod check;
mod cover;
mod keys;
mod kind_text;
mod kinds;
mod learn;
mod probe;
mod text;
mod write;

use super::RuleFile;
use super::model::Base;
use crate::hardware::Profile;
use crate::lower::Lowering;

/// Sets of exceptions that are told apart: each is asked about by itself, and is a bit.
pub const SURFACES_MAX: usize = 16;

/// Corrections of `precise` that are tried before those of pairs.
const FEW: usize = 24;

/// Corrections of pairs that are tried.
const MANY: usize = 80;

/// Where the random entries begin.
const SEED: u64 = 18;

/// Why a lowering has no rules.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// What it does that rules cannot say.
    pub message: String,
}

/// The rules that a lowering follows on a profile.
///
/// # Errors
/// If its packets are no function of the entry that rules can say.
pub fn export(lowering: &dyn Lowering, profile: &Profile) -> Result<RuleFile, Refused> {
    if let Some(rules) = lowering.rules() {
        return Ok(rules.file().clone());
    }
    let surfaces = probe::surfaces(profile).len();
    if surfaces > SURFACES_MAX {
        let message = format!(
            "the exceptions of the profile make {surfaces} kinds of textures; the limit is {SURFACES_MAX}"
        );
        return Err(Refused { message });
    }
    let scenario = probe::scenario();
    let timeline = crate::order::Timeline::new(&scenario);
    let mut prober = probe::Prober::new(&timeline, profile, lowering.policy());
    let pairs = write::pairs(profile, &mut prober)?;
    let space = kinds::Space::new(&prober);
    let file = write::file(lowering, Base::Nothing, &pairs)?;
    if check::check(&file, &space, &mut prober, SEED)?.is_none() {
        return Ok(file);
    }
    let mut learner = learn::Learner {
        lowering,
        space: &space,
        prober: &mut prober,
        random: kinds::Random(SEED),
        known: Vec::new(),
    };
    let none = text::Rules::new(profile);
    match learner.learn(Base::Precise, &none, FEW)? {
        Ok(file) => Ok(file),
        Err(_) => learner.learn(Base::Nothing, &pairs, MANY)?,
    }
}
