//! What a run can choose from, and what it chooses: profiles, lowerings and rules.

use super::{Options, Unusable, load_profile};
use crate::finding::{Family, Rule, Source};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::scenario::Scenario;

/// A built-in profile: its text is parsed when it is asked for.
#[derive(Copy, Clone, Debug)]
pub struct ProfileEntry {
    /// Name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The profile file.
    pub text: &'static str,
}

impl ProfileEntry {
    /// A profile without other names; `text` is that of a profile file.
    pub const fn new(name: &'static str, text: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            text,
        }
    }
}

/// What a run can choose from. Made by `catalog`.
pub struct Registry {
    /// Hardware profiles; the first is the default.
    pub profiles: Vec<ProfileEntry>,
    /// Lowerings; the first is the default.
    pub lowerings: Vec<&'static dyn Lowering>,
    /// Families of rules, in the order in which they are shown.
    pub families: Vec<Family>,
    /// Every rule.
    pub rules: Vec<&'static Rule>,
}

impl Registry {
    /// A rule by its id or name.
    pub fn rule(&self, word: &str) -> Option<&'static Rule> {
        self.rules
            .iter()
            .find(|r| r.id == word || r.name == word)
            .copied()
    }

    /// A profile by name or alias, parsed.
    ///
    /// # Errors
    /// Which profiles there are.
    pub fn profile(&self, name: &str) -> Result<Profile, Unusable> {
        let entry = self.entry(name).ok_or_else(|| {
            let names: Vec<_> = self.profiles.iter().map(|p| p.name).collect();
            Unusable {
                message: format!("there is no hardware profile `{name}`"),
                help: format!("the profiles are {}", names.join(", ")),
            }
        })?;
        load_profile(self, &Source::new(entry.name, entry.text), &[])
    }

    /// A built-in profile by name or alias.
    pub fn entry(&self, name: &str) -> Option<&ProfileEntry> {
        self.profiles
            .iter()
            .find(|p| p.name == name || p.aliases.contains(&name))
    }

    /// A profile by name, alias or file: one of the files of the options.
    ///
    /// # Errors
    /// Which profiles there are, or what is wrong with the file.
    pub fn profile_or_file(&self, name: &str, options: &Options) -> Result<Profile, Unusable> {
        match options.profile_files.iter().find(|f| f.name == name) {
            Some(file) => load_profile(self, file, &options.profile_files),
            None => self.profile(name),
        }
    }

    /// A lowering by name.
    ///
    /// # Errors
    /// Which lowerings there are.
    pub fn lowering(&self, name: &str) -> Result<&'static dyn Lowering, Unusable> {
        self.lowerings
            .iter()
            .find(|l| l.name() == name)
            .copied()
            .ok_or_else(|| {
                let names: Vec<_> = self.lowerings.iter().map(|l| l.name()).collect();
                Unusable {
                    message: format!("there is no lowering `{name}`"),
                    help: format!("the lowerings are {}", names.join(", ")),
                }
            })
    }
}

/// The machine and the lowering that a run uses: those of the options, the scenario's own, or the registry's first.
///
/// # Errors
/// If a name or setting is unknown.
pub fn choose(
    registry: &Registry,
    scenario: &Scenario,
    options: &Options,
) -> Result<(Profile, &'static dyn Lowering), Unusable> {
    let mut profile = match (&options.profile, &options.device_profile) {
        (Some(name), _) => registry.profile_or_file(name, options)?,
        (None, Some(files)) => {
            let files = files.as_deref().map_err(Unusable::clone)?;
            load_profile(registry, &files[0], files)?
        }
        (None, None) => {
            let own = scenario.device.profile.as_deref();
            registry.profile(own.unwrap_or(registry.profiles[0].name))?
        }
    };
    let help = "`list profiles --numbers` prints every number with its key";
    set(&mut profile, options, help)?;
    let lowering = options
        .lowering
        .as_deref()
        .or(scenario.device.lowering.as_deref());
    let lowering = registry.lowering(lowering.unwrap_or(registry.lowerings[0].name()))?;
    Ok((profile, lowering))
}

/// Sets the numbers of a profile that the options name.
pub(super) fn set(profile: &mut Profile, options: &Options, help: &str) -> Result<(), Unusable> {
    for (key, value) in &options.set {
        profile.set(key, value).map_err(|message| Unusable {
            message,
            help: help.to_owned(),
        })?;
    }
    Ok(())
}
