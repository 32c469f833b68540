//! `--format`: the writer that a format has for an output. A format without one is refused by name.

use super::printing::unknown;
use crate::catalog::{FORMATS, OUTPUTS};
use crate::report::Format;
use crate::report::dependencies::GRAPH;
use crate::report::format::Output;
use crate::run::{Drawn, Unusable};
use std::path::{Path, PathBuf};

/// The writer of the named format, or of the first format that has this output.
pub(super) fn writer<W: Copy>(asked: Option<&str>, output: &Output<W>) -> Result<W, Unusable> {
    let Some(word) = asked else {
        let mut writers = FORMATS.iter().copied().filter_map(|f| output.writer(f));
        return Ok(writers.next().expect("every output has a format"));
    };
    let named = |f: &&Format| f.name == word || f.aliases.contains(&word);
    let format = FORMATS.iter().copied().find(named);
    let format = format.ok_or_else(|| unknown("format", word, &names(output)))?;
    output.writer(format).ok_or_else(|| Unusable {
        message: format!("{} cannot be printed as `{word}`", output.noun),
        help: match names(output).as_slice() {
            [only] => format!("its only format is {only}"),
            several => format!("its formats are {}", several.join(", ")),
        } + &elsewhere(format),
    })
}

/// What the formats that are asked for, by name or by the name of a file, draw.
pub(super) fn drawn(asked: Option<&str>, files: &[PathBuf]) -> Drawn {
    let named = |word: &str| {
        FORMATS
            .iter()
            .find(|f| f.name == word || f.aliases.contains(&word))
    };
    let of_files = files.iter().filter_map(|file| format_of(file));
    let asked_for = asked.and_then(named).copied().into_iter().chain(of_files);
    asked_for
        .map(|format| format.draws)
        .max()
        .unwrap_or_default()
}

/// The writer of the format that a file's name ends in.
pub(super) fn writer_of<W: Copy>(file: &Path, output: &Output<W>) -> Result<W, Unusable> {
    let help = || {
        let has = FORMATS.iter().filter(|f| output.writer(f).is_some());
        let known: Vec<String> = has
            .flat_map(|f| f.extensions.iter().map(|e| format!(".{e}")))
            .collect();
        format!(
            "end it in {}, or name a format with `--format`",
            known.join(", ")
        )
    };
    let name = file.display();
    let Some(format) = format_of(file) else {
        return Err(Unusable {
            message: format!("the name of `{name}` ends in no format"),
            help: help(),
        });
    };
    output.writer(format).ok_or_else(|| Unusable {
        message: format!(
            "{} cannot be written as `{}`, for `{name}`",
            output.noun, format.name
        ),
        help: help() + &elsewhere(format),
    })
}

/// Which command has a format that only dependency graphs have.
fn elsewhere(format: &Format) -> String {
    let has = OUTPUTS.iter().filter(|output| output.has(format));
    if has.count() == 1 && GRAPH.writer(format).is_some() {
        let name = format.name;
        format!("; `syncscope graph` writes the dependency graph as {name}")
    } else {
        String::new()
    }
}

/// Whether a file's name ends in a format.
pub(super) fn is_named(file: &Path) -> bool {
    format_of(file).is_some()
}

/// The format whose extension a file's name ends in; of several the one of the longest.
fn format_of(file: &Path) -> Option<&'static Format> {
    let name = file.file_name()?.to_str()?.to_ascii_lowercase();
    let ends = |extension: &&&str| {
        let stem = name.strip_suffix(**extension);
        stem.is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
    };
    let longest =
        |f: &&'static Format| Some((f.extensions.iter().filter(ends).map(|e| e.len()).max()?, *f));
    let all = FORMATS.iter().filter_map(longest);
    all.max_by_key(|(length, _)| *length).map(|(_, f)| f)
}

/// The help of `--format`: the formats of an output, the default first.
pub(super) fn help<W: Copy>(output: &Output<W>) -> String {
    let names = names(output);
    let others = match names.as_slice() {
        [only] => return format!("Output format: {only}"),
        [_, others @ ..] => others.join(", "),
        [] => unreachable!("every output has a format"),
    };
    format!("Output format: {} (the default), {others}", names[0])
}

fn names<W: Copy>(output: &Output<W>) -> Vec<&'static str> {
    let has = FORMATS.iter().filter(|f| output.writer(f).is_some());
    has.map(|f| f.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ddi::DDI, format::REPORT, list::LIST};
    use crate::report::{page::PAGE, repair::REPAIR, scn::SCENARIO, test::TEST};

    #[test]
    fn a_pair_that_does_not_exist_is_refused_with_those_that_do() {
        let refused = writer(Some("dot"), &REPORT).expect_err("no report for Graphviz");
        assert_eq!(refused.message, "a report cannot be printed as `dot`");
        let formats = names(&REPORT).join(", ");
        let graph = "`syncscope graph` writes the dependency graph as dot";
        assert_eq!(refused.help, format!("its formats are {formats}; {graph}"));
        assert!(writer(Some("json"), &PAGE).is_err());
        assert!(writer(Some("markdown"), &DDI).is_err());
        assert!(writer(Some("json"), &REPORT).is_ok());
        assert!(writer(Some("text"), &REPORT).is_ok(), "by another name");
    }

    #[test]
    fn the_first_format_of_an_output_is_its_default() {
        let starts = |help: &str, with: &str| assert!(help.starts_with(with), "{help}");
        starts(&help(&REPORT), "Output format: terminal (the default), ");
        starts(&help(&GRAPH), "Output format: dot (the default), ");
        starts(&help(&REPAIR), "Output format: diff (the default), ");
        starts(&help(&PAGE), "Output format: terminal (the default), ");
        starts(&help(&TEST), "Output format: terminal");
        assert!(writer(None, &SCENARIO).is_ok() && writer(None, &LIST).is_ok());
    }
}
