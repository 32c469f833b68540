//! What a run can choose from, and what it chooses: profiles, lowerings and rules.

use super::files::{FileKind, Files, NoFiles, named_in};
use super::lowering_files::{driver_command, is_lowering_file};
use super::profile_files::is_profile_file;
use super::{Options, Unusable, load_lowering, load_profile, read_lowering};
use crate::finding::{Family, Rule, Source};
use crate::hardware::Profile;
use crate::lower::{self, Lowering};
use crate::scenario::{self, Scenario};
use crate::{analyze, kernel, litmus, validate};
use serde::{Serialize, Serializer};

/// A built-in profile: its text is parsed when it is asked for.
#[derive(Copy, Clone, Debug)]
#[non_exhaustive]
pub struct ProfileEntry {
    /// Name.
    pub name: &'static str,
    /// Further names of the profile.
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
#[derive(Clone)]
#[non_exhaustive]
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

/// Every rule that a scenario or a litmus test is held to.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let text = scenario::RULES.iter().copied();
    text.chain(validate::rules())
        .chain(analyze::rules())
        .chain(lower::rules::mistakes::RULES.iter().copied())
        .chain(lower::recorded::mistakes::RULES.iter().copied())
        .chain(kernel::RULES.iter().copied())
        .chain(litmus::rules::rules())
}

impl Registry {
    /// A rule by its id or name.
    pub fn rule(&self, word: &str) -> Option<&'static Rule> {
        self.rules
            .iter()
            .find(|r| r.id.eq_ignore_ascii_case(word) || r.name.eq_ignore_ascii_case(word))
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
        load_profile(self, &Source::new(entry.name, entry.text), &NoFiles)
    }

    /// Every profile, parsed.
    ///
    /// # Panics
    /// If one is not sound. Those that are built in are.
    pub fn all_profiles(&self) -> Vec<Profile> {
        let profile = |entry: &ProfileEntry| self.profile(entry.name);
        let profiles: Result<Vec<Profile>, Unusable> = self.profiles.iter().map(profile).collect();
        profiles.unwrap_or_else(|what| panic!("a profile of the registry: {}", what.message))
    }

    /// A built-in profile by name or alias.
    pub fn entry(&self, name: &str) -> Option<&ProfileEntry> {
        self.profiles
            .iter()
            .find(|p| p.name == name || p.aliases.contains(&name))
    }

    /// A profile by name, alias or file.
    ///
    /// # Errors
    /// Which profiles there are, or what is wrong with the file.
    pub fn profile_or_file(&self, name: &str, files: &dyn Files) -> Result<Profile, Unusable> {
        if is_profile_file(name) {
            let file = files.read(name, FileKind::Profile)?;
            return load_profile(self, &file, files);
        }
        self.profile(name)
    }

    /// A lowering by name, in a file, or in another process. A file's names are compared with the profile, if there is one.
    ///
    /// # Errors
    /// Which lowerings there are, or what is wrong with the file.
    pub fn lowering_or_file(
        &self,
        name: &str,
        files: &dyn Files,
        profile: Option<&Profile>,
    ) -> Result<&'static dyn Lowering, Unusable> {
        if let Some(command) = driver_command(name) {
            return files.driver(command);
        }
        if is_lowering_file(name) {
            let file = files.read(name, FileKind::Lowering)?;
            let loaded = load_lowering(&file, profile);
            return Ok(loaded.map_err(|what| self.told_where_it_fits(&file, profile, what))?);
        }
        self.lowering(name)
    }

    /// What is wrong with a rule file on a profile, and on which it is right.
    fn told_where_it_fits(
        &self,
        file: &Source,
        profile: Option<&Profile>,
        mut what: Unusable,
    ) -> Unusable {
        let profiles = self.all_profiles().into_iter();
        let others = profiles.filter(|it| profile.is_some_and(|own| own.name != it.name));
        let is_right = |it: &Profile| {
            let read = read_lowering(file, Some(it));
            !read.findings.iter().any(|finding| finding.severity.fails())
        };
        let fits = others
            .filter(is_right)
            .map(|it| format!("`--profile {}`", it.name));
        let fits: Vec<String> = fits.collect();
        if !fits.is_empty() {
            let fits = format!("the rules fit {}", fits.join(", "));
            let helps = [what.help, fits].into_iter().filter(|it| !it.is_empty());
            what.help = helps.collect::<Vec<_>>().join("; ");
        }
        what
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

impl Registry {
    /// The lowering that a profile's runs take if neither the options nor the scenario name one, and who named it.
    ///
    /// # Errors
    /// If the profile names one that there is not.
    pub fn own_lowering(
        &self,
        profile: &Profile,
    ) -> Result<(&'static dyn Lowering, LoweringSource), Unusable> {
        let Some(name) = &profile.lowering else {
            return Ok((self.lowerings[0], LoweringSource::Registry));
        };
        let lowering = self.lowering(name).map_err(|unknown| Unusable {
            message: format!(
                "{}, which the profile `{}` names as its own",
                unknown.message, profile.name
            ),
            ..unknown
        })?;
        Ok((lowering, LoweringSource::Profile))
    }
}

/// Who named the lowering of a run.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum LoweringSource {
    /// The options name it.
    Options,
    /// The scenario's `device` names it.
    Scenario,
    /// The profile names the one that its numbers were fitted with.
    Profile,
    /// Nobody names one: it is the registry's first.
    #[default]
    Registry,
}

impl LoweringSource {
    /// Who named it, in words; nothing if nobody did.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Options => Some("the command line"),
            Self::Scenario => Some("the scenario"),
            Self::Profile => Some("the profile"),
            Self::Registry => None,
        }
    }
}

impl Serialize for LoweringSource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.word().serialize(serializer)
    }
}

/// The machine and the lowering that a run uses.
#[non_exhaustive]
pub struct Chosen {
    /// The machine, with the numbers that are set.
    pub profile: Profile,
    /// The lowering.
    pub lowering: &'static dyn Lowering,
    /// Who named the lowering.
    pub named_by: LoweringSource,
}

/// The machine and the lowering that a run uses: those of the options, or the scenario's own. A lowering that neither names
/// is the profile's; what nobody names is the registry's first.
///
/// Files that the scenario names are next to its own, which is called `place`.
///
/// # Errors
/// If a name or setting is unknown.
pub fn choose(
    registry: &Registry,
    scenario: &Scenario,
    place: &str,
    options: &Options,
) -> Result<Chosen, Unusable> {
    let profile = choose_profile(registry, scenario, place, options)?;
    let (lowering, named_by) = choose_lowering(registry, scenario, place, options, &profile)?;
    Ok(Chosen {
        profile,
        lowering,
        named_by,
    })
}

fn choose_profile(
    registry: &Registry,
    scenario: &Scenario,
    place: &str,
    options: &Options,
) -> Result<Profile, Unusable> {
    let mut profile = match (&options.profile, &scenario.device.profile) {
        (Some(name), _) => registry.profile_or_file(name, &*options.files)?,
        (None, Some(name)) => {
            registry.profile_or_file(&file_of(place, name, is_profile_file), &*options.files)?
        }
        (None, None) => registry.profile(registry.profiles[0].name)?,
    };
    let help = "`list profiles --numbers` prints every number with its key";
    set(&mut profile, options, help)?;
    Ok(profile)
}

/// The lowering that a run on a profile uses, and who named it.
///
/// # Errors
/// If there is no lowering of that name.
pub(crate) fn choose_lowering(
    registry: &Registry,
    scenario: &Scenario,
    place: &str,
    options: &Options,
    profile: &Profile,
) -> Result<(&'static dyn Lowering, LoweringSource), Unusable> {
    let of = |name: &str| registry.lowering_or_file(name, &*options.files, Some(profile));
    if let Some(name) = &options.lowering {
        return Ok((of(name)?, LoweringSource::Options));
    }
    let Some(name) = &scenario.device.lowering else {
        return registry.own_lowering(profile);
    };
    if driver_command(name).is_some() {
        // A text is data: opening one starts nothing.
        return Err(Unusable {
            message: format!("the scenario names `{name}`: a scenario starts no process"),
            help: format!("give it on the command line: `--lowering {name}`"),
        });
    }
    let lowering = of(&file_of(place, name, is_lowering_file))?;
    Ok((lowering, LoweringSource::Scenario))
}

/// A name of a scenario; if it means a file, where the file is.
fn file_of(place: &str, name: &str, is_file: fn(&str) -> bool) -> String {
    if is_file(name) {
        named_in(place, name)
    } else {
        name.to_owned()
    }
}

/// Sets the numbers of a profile that the options name.
pub(crate) fn set(profile: &mut Profile, options: &Options, help: &str) -> Result<(), Unusable> {
    for (key, value) in &options.set {
        profile.set(key, value).map_err(|message| Unusable {
            message,
            help: help.to_owned(),
        })?;
    }
    Ok(())
}
