//! Which findings count, and how much: `--rules` and the severity switches, shared by the commands that check
//! scenarios.

use super::disk;
use super::printing;
use super::switches::Switches;
use crate::run::{Options, Proposals, Registry, Unusable};
use crate::validate::RuleSet;
use clap::{Args, ValueEnum};

/// Which rules of legality count, and how bad findings are.
#[derive(Args, Default, Debug)]
pub(super) struct Judging {
    /// Which source decides what is legal where the sources disagree
    #[arg(long, value_name = "SET", value_enum, default_value_t = Rules::Specification)]
    rules: Rules,
    #[command(flatten)]
    switches: Switches,
}

#[derive(Copy, Clone, Default, Debug, ValueEnum)]
enum Rules {
    /// The specification's tables and prose, as the book's page on deviations reads them
    #[default]
    Specification,
    /// The letter of the sources where the readings R03, R04, R07 and R39 leave it
    Tables,
    /// The specification, and what only the shipped debug layer refuses
    DebugLayer,
}

/// Which changes are proposed for what is found.
#[derive(Args, Copy, Clone, Default, Debug)]
pub(super) struct Proposing {
    /// Changes to look for and verify, for errors and hazards
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Which::Quick)]
    proposals: Which,
}

#[derive(Copy, Clone, Default, Debug, ValueEnum)]
enum Which {
    /// None
    None,
    /// Those that take little time; a finding for which none was tried says so
    #[default]
    Quick,
    /// One for each cause, however long it takes
    All,
}

impl Proposing {
    /// Options that look for these.
    pub(super) fn with(self, options: Options) -> Options {
        Options {
            proposals: match self.proposals {
                Which::None => Proposals::None,
                Which::Quick => Proposals::Quick,
                Which::All => Proposals::All,
            },
            ..options
        }
    }
}

impl Judging {
    /// Options with nothing but this. Words that exist nowhere are found here, before any file is read.
    pub(super) fn options(&self, registry: &Registry) -> Result<Options, Unusable> {
        Ok(Options {
            rules: match self.rules {
                Rules::Specification => RuleSet::Specification,
                Rules::Tables => RuleSet::Tables,
                Rules::DebugLayer => RuleSet::DebugLayer,
            },
            switches: self.switches.checked(registry)?,
            clock: Some(printing::passed),
            ..disk::options()
        })
    }
}
