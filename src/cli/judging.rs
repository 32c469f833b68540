//! How findings are judged: `--rules` and the severity switches, shared by the commands that judge scenarios.

use super::switches::Switches;
use crate::run::{Options, Registry, Unusable};
use crate::validate::RuleSet;
use clap::{Args, ValueEnum};

/// Which rules of legality count, and how bad findings are.
#[derive(Args, Default, Debug)]
pub(super) struct Judging {
    /// Whose word counts where the sources of the rules of legality disagree
    #[arg(long, value_name = "SET", value_enum, default_value_t = Rules::Specification)]
    rules: Rules,
    #[command(flatten)]
    switches: Switches,
}

#[derive(Copy, Clone, Default, Debug, ValueEnum)]
enum Rules {
    /// The specification's tables and prose, as the book's page of deviations reads them
    #[default]
    Specification,
    /// The tables to the letter
    Tables,
    /// With the refusals that the shipped debug layer is known for
    DebugLayer,
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
            ..Options::default()
        })
    }
}
