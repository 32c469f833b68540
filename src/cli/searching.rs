//! `verify --exhaustive`: every program of a small universe, in one process or in shares.

use super::console::Console;
use super::outputs::Outputs;
use super::printing::unknown;
use super::progress::{self, Progress};
use super::{Ended, Status, corpus, input, save};
use crate::api::BarrierAccess;
use crate::report::format::Printer;
use crate::run::Unusable;
use crate::workbench::{
    COMMANDS_MAX, Form, Machine, ProgramResources, Search, Searched, Tried, Universe, Which,
};
use clap::builder::PossibleValuesParser;
use clap::{Args, value_parser};
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Options of a search.
#[derive(Args, Debug)]
pub(super) struct Searching {
    /// Try every program of up to this many work commands of a small universe, with a barrier or none in each gap, instead of
    /// a corpus
    #[arg(long, value_name = "WORK", value_parser = value_parser!(u32).range(1..=i64::from(COMMANDS_MAX)), conflicts_with_all = ["paths", "only"])]
    pub(super) exhaustive: Option<u32>,
    /// What the programs use
    #[arg(
        long,
        value_parser = PossibleValuesParser::new(ProgramResources::ALL.map(|(_, word)| word)),
        value_name = "KIND",
        default_value = "buffer",
        requires = "exhaustive"
    )]
    resource: String,
    /// How many there are
    #[arg(long, value_name = "1|2", default_value_t = 1, value_parser = value_parser!(u32).range(1..=2), requires = "exhaustive")]
    resources: u32,
    /// They share memory
    #[arg(long, requires = "exhaustive")]
    aliased: bool,
    /// Accesses that the programs make and barriers name
    #[arg(
        long,
        value_name = "ACCESS,…",
        value_delimiter = ',',
        requires = "exhaustive"
    )]
    accesses: Vec<String>,
    /// Forms of barriers: resource, global (of buffers), split, wide
    #[arg(
        long,
        value_name = "FORM,…",
        value_delimiter = ',',
        requires = "exhaustive"
    )]
    forms: Vec<String>,
    /// Run programs without a mistake of their own too, with four ways in which caches drop lines by themselves
    #[arg(long, requires = "exhaustive")]
    runs: bool,
    /// File that keeps the result: it is written all the time, and a search whose file is there goes on from it
    #[arg(long, value_name = "FILE", requires = "exhaustive")]
    resume: Option<PathBuf>,
    /// Try only one share of the programs: `2/8` is the third of eight; `auto` takes it from a job array's variables
    #[arg(long, value_name = "I/N|auto", requires = "resume")]
    shard: Option<String>,
    /// Add up the results in a directory: one file for each share
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["exhaustive", "paths", "only"])]
    pub(super) merge: Option<PathBuf>,
}

impl Searching {
    fn search(&self, commands: u32, which: Which) -> Result<Search, Unusable> {
        if self.aliased && self.resources < 2 {
            return Err(Unusable {
                message: "one resource shares its memory with nobody".to_owned(),
                help: "write `--resources 2 --aliased`".to_owned(),
            });
        }
        let mut kinds = ProgramResources::ALL.into_iter();
        let kind = kinds.find(|(_, word)| *word == self.resource);
        let kind = kind.map_or(ProgramResources::Buffer, |(kind, _)| kind);
        let known = Universe::accesses_of(kind);
        let names: Vec<String> = known.iter().map(ToString::to_string).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let access = |word: &String| -> Result<BarrierAccess, Unusable> {
            let at = names
                .iter()
                .position(|name| name.eq_ignore_ascii_case(word));
            let at = at.ok_or_else(|| unknown("access of a universe", word, &names))?;
            Ok(known[at])
        };
        let default = Universe::default();
        let accesses = if self.accesses.is_empty() {
            known[..default.accesses.len().min(known.len())].to_vec()
        } else {
            let asked: Result<Vec<_>, _> = self.accesses.iter().map(access).collect();
            let asked = asked?;
            known
                .into_iter()
                .filter(|access| asked.contains(access))
                .collect()
        };
        Ok(Search {
            universe: Universe {
                resources: self.resources,
                aliased: self.aliased,
                kind,
                accesses,
                forms: self.forms(kind)?,
            },
            commands,
            runs: self.runs,
            which,
            share: self.share()?,
        })
    }

    fn forms(&self, kind: ProgramResources) -> Result<Vec<Form>, Unusable> {
        if self.forms.is_empty() {
            return Ok(if kind.is_buffer() {
                vec![Form::Resource, Form::Global]
            } else {
                vec![Form::Resource]
            });
        }
        let words = Form::ALL.map(|(_, word)| word);
        for word in &self.forms {
            if !words.contains(&word.as_str()) {
                return Err(unknown("form of a barrier", word, &words));
            }
        }
        let asked = Form::ALL.into_iter();
        let asked = asked.filter(|(_, word)| self.forms.iter().any(|asked| asked == word));
        let forms: Vec<Form> = asked.map(|(form, _)| form).collect();
        if !kind.is_buffer() && forms.contains(&Form::Global) {
            return Err(Unusable {
                message: "a barrier on everything changes no layout".to_owned(),
                help: "leave `global` out, or search with `--resource buffer`".to_owned(),
            });
        }
        Ok(forms)
    }

    fn share(&self) -> Result<(u64, u64), Unusable> {
        match self.shard.as_deref() {
            None => Ok((0, 1)),
            Some("auto") => of_array(&|name| env::var(name).ok()),
            Some(text) => share_of(text).ok_or_else(|| Unusable {
                message: format!("`--shard {text}` names no share"),
                help: "write `--shard I/N`, I from 0 to N - 1, or `--shard auto`".to_owned(),
            }),
        }
    }
}

fn share_of(text: &str) -> Option<(u64, u64)> {
    let is_word = |c: char| c.is_ascii_digit() || c == '/';
    let (share, shares) = text.split_once('/').filter(|_| text.chars().all(is_word))?;
    let (share, shares) = (share.parse().ok()?, shares.parse().ok()?);
    (share < shares).then_some((share, shares))
}

/// The share of a task of a job array: Slurm, AWS Batch, or an indexed job of Kubernetes, whose size nothing but
/// `SYNCSCOPE_SHARDS` says.
fn of_array(variable: &dyn Fn(&str) -> Option<String>) -> Result<(u64, u64), Unusable> {
    let number = |name: &str| variable(name).and_then(|text| text.trim().parse::<u64>().ok());
    let asked = number("SYNCSCOPE_SHARDS");
    let arrays = [
        (
            "SLURM_ARRAY_TASK_ID",
            "SLURM_ARRAY_TASK_COUNT",
            "SLURM_ARRAY_TASK_MIN",
        ),
        ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", ""),
        ("JOB_COMPLETION_INDEX", "", ""),
    ];
    for (index, count, first) in arrays {
        let Some(task) = number(index) else { continue };
        let share = task.saturating_sub(number(first).unwrap_or(0));
        let Some(shares) = asked.or_else(|| number(count)) else {
            return Err(Unusable {
                message: format!(
                    "`{index}` says which share this is, and nothing says of how many"
                ),
                help: "set SYNCSCOPE_SHARDS to the number of tasks".to_owned(),
            });
        };
        if share >= shares {
            return Err(Unusable {
                message: format!("task {task} of `{index}` is no share of {shares}"),
                help:
                    "number the tasks without gaps, and set SYNCSCOPE_SHARDS to how many there are"
                        .to_owned(),
            });
        }
        return Ok((share, shares));
    }
    Err(Unusable {
        message: "this process is no task of a job array".to_owned(),
        help: "`--shard auto` reads SLURM_ARRAY_TASK_ID, AWS_BATCH_JOB_ARRAY_INDEX or JOB_COMPLETION_INDEX; without \
               them, write `--shard I/N`"
            .to_owned(),
    })
}

/// Searches, and writes what came of it.
pub(super) fn execute(
    arguments: &Searching,
    (commands, which): (u32, Which),
    machines: &[Machine<'_>],
    mut outputs: Outputs<Printer<Searched>>,
    console: &mut Console,
) -> Ended {
    let search = arguments.search(commands, which)?;
    let mut tried = search.begin(machines)?;
    if let Some(file) = arguments.resume.as_ref().filter(|file| file.exists()) {
        tried = resumed(file, &tried)?;
    }
    progress::listen();
    let bar = Progress::new("blocks of programs");
    let words = search.universe.words();
    loop {
        if let Some(what) = corpus::given_up(machines.iter()) {
            bar.end();
            return Err(what.into());
        }
        // Also before the first block: a share may have none.
        if let Some(file) = &arguments.resume
            && let Err(what) = keep(file, &tried)
        {
            bar.end();
            return Err(what.into());
        }
        if progress::is_stopped() || !search.go_on(&words, machines, &mut tried) {
            break;
        }
        let place = |blocks| usize::try_from(blocks).unwrap_or(usize::MAX);
        bar.show(place(tried.blocks), place(tried.blocks_in_all()));
    }
    bar.end();
    let searched = Searched {
        counterexample: search.counterexample(&words, machines, &tried),
        tried,
    };
    print(&searched, &mut outputs, console)?;
    Ok(status(&searched).max(outputs.finish(console)))
}

/// Adds results up.
pub(super) fn merge(
    directory: &Path,
    mut outputs: Outputs<Printer<Searched>>,
    console: &mut Console,
) -> Ended {
    let searched = Searched {
        tried: Tried::merged(&results(directory)?)?,
        counterexample: None,
    };
    print(&searched, &mut outputs, console)?;
    Ok(status(&searched).max(outputs.finish(console)))
}

fn print(
    searched: &Searched,
    outputs: &mut Outputs<Printer<Searched>>,
    console: &mut Console,
) -> io::Result<()> {
    let style = console.style();
    outputs.print(searched, "search", &style, console)
}

fn status(searched: &Searched) -> Status {
    match searched.is_right() {
        // What was not tried may be wrong.
        true if !searched.tried.is_complete() => Status::Unusable,
        true => Status::Good,
        false => Status::Found,
    }
}

/// The results in a directory, by name.
fn results(directory: &Path) -> Result<Vec<(String, Tried)>, Unusable> {
    let unreadable = |e: io::Error| Unusable {
        message: format!("`{}` cannot be read: {e}", directory.display()),
        help: "name the directory that has the results of the shares".to_owned(),
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if input::is_json(&path) {
            files.push(path);
        }
    }
    files.sort();
    let read = |path: &PathBuf| Ok((path.display().to_string(), result(path)?));
    files.iter().map(read).collect()
}

fn result(path: &Path) -> Result<Tried, Unusable> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|e| Unusable {
        message: format!("`{name}` cannot be read: {e}"),
        help: "check the file and its permissions".to_owned(),
    })?;
    serde_json::from_str(&text).map_err(|_| {
        if is_older(&text) {
            return Unusable {
                message: format!("`{name}` counts barriers as commands, as an older version did"),
                help: "`--exhaustive` counts work: remove the file and run that search again"
                    .to_owned(),
            };
        }
        Unusable {
            message: format!("`{name}` is no result of a search"),
            help: "it was cut off, or is something else that `--resume` has not written: remove it and run that share \
                   again"
                .to_owned(),
        }
    })
}

/// Whether a text is a result that does not say what it counts.
fn is_older(text: &str) -> bool {
    let value: Result<serde_json::Value, _> = serde_json::from_str(text);
    value.is_ok_and(|it| it.get("commands").is_some() && it.get("counting").is_none())
}

/// What a file says of a search, if it is this one.
fn resumed(path: &Path, begun: &Tried) -> Result<Tried, Unusable> {
    let known = result(path)?;
    let same = begun.same_search(&known);
    let same = same.and_then(|()| match (begun.share, known.share) {
        (own, other) if own == other => Ok(()),
        (own, other) => Err(format!("share `{other}`, not `{own}`")),
    });
    same.map_err(|what| Unusable {
        message: format!("`{}` is of another search: {what}", path.display()),
        help: "name another file, or remove this one to begin again".to_owned(),
    })?;
    if !known.is_sound() {
        return Err(Unusable {
            message: format!("the numbers of `{}` do not fit together", path.display()),
            help: "somebody has changed it: remove it and run that share again".to_owned(),
        });
    }
    Ok(known)
}

/// Keeps a result: written next to its file and renamed, so that there is no half of one.
fn keep(path: &Path, tried: &Tried) -> Result<(), Unusable> {
    let text = serde_json::to_string_pretty(tried).unwrap_or_default();
    save::put(path, &text).map_err(|e| Unusable {
        message: format!("`{}` cannot be written: {e}", path.display()),
        help: "check its directory and its permissions".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_from_words_and_job_arrays() {
        assert_eq!(share_of("2/8"), Some((2, 8)));
        for wrong in ["8/8", "2", "/", "-1/2", "a/b", "0/0"] {
            assert_eq!(share_of(wrong), None, "{wrong}");
        }
        let array = |pairs: &[(&str, &str)]| {
            let of = |name: &str| {
                let mut pairs = pairs.iter();
                let found = pairs.find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            of_array(&of).ok()
        };
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
        ];
        assert_eq!(array(&slurm), Some((2, 4)));
        let batch = [
            ("AWS_BATCH_JOB_ARRAY_INDEX", "0"),
            ("AWS_BATCH_JOB_ARRAY_SIZE", "7"),
        ];
        assert_eq!(array(&batch), Some((0, 7)));
        let indexed = [("JOB_COMPLETION_INDEX", "5"), ("SYNCSCOPE_SHARDS", "6")];
        assert_eq!(array(&indexed), Some((5, 6)));
        assert_eq!(array(&indexed[..1]), None, "nothing says of how many");
        assert_eq!(
            array(&[("JOB_COMPLETION_INDEX", "6"), ("SYNCSCOPE_SHARDS", "6")]),
            None
        );
        assert_eq!(array(&[]), None);
    }
}
