//! `syncscope fmt`: print scenarios, litmus tests and rule files the one way, in place, or in the other form.

use super::console::Console;
use super::{Ended, Status, formats, input, litmus, save, told};
use crate::finding::Source;
use crate::kernel::{self, Kernel};
use crate::lower::rules::{self, RuleFile};
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::litmus_text::KERNEL;
use crate::report::lower_text::RULES;
use crate::report::scn::SCENARIO;
use crate::run::{self, Registry, Unusable};
use crate::scenario::{self, Scenario};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Format scenarios, litmus tests and rule files in place, or convert them
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`, litmus tests, `.litmus` or `.json`, or rule files, `.lower` or `.lower.json`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Change nothing; print the names of files that would change, and exit with 1 if there are any
    #[arg(long, conflicts_with = "to")]
    check: bool,
    /// Print in this format instead of changing the file: `scn`, `litmus`, `lower` or `json`
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,
}

/// What a file holds.
enum Value {
    Scenario(Box<Scenario>),
    Test(Box<Kernel>),
    Rules(Box<RuleFile>),
}

/// What the text of a file is.
#[derive(Copy, Clone)]
enum Language {
    Scenario,
    Litmus,
    Rules,
}

impl Value {
    /// The format that a file of that name has.
    fn format(&self, path: &Path) -> &'static str {
        match self {
            _ if input::is_json(path) => "json",
            Self::Scenario(_) => "scn",
            Self::Test(_) => "litmus",
            Self::Rules(_) => "lower",
        }
    }

    /// The text in a format, if there is one.
    fn print(&self, format: &str) -> Result<String, Unusable> {
        let mut text = Vec::new();
        let style = Style::default();
        let written = match self {
            Self::Scenario(it) => formats::writer(Some(format), &SCENARIO)?(it, &style, &mut text),
            Self::Test(it) => formats::writer(Some(format), &KERNEL)?(it, &style, &mut text),
            Self::Rules(it) => formats::writer(Some(format), &RULES)?(it, &style, &mut text),
        };
        written.expect("writing to memory does not fail");
        Ok(String::from_utf8(text).expect("a format writes UTF-8"))
    }
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&SCENARIO, &KERNEL, &RULES];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 formatted or printed, 1 `--check` found files that would change, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let mut status = Status::Good;
    for file in &arguments.files {
        let one = one(arguments, file, console);
        status = status.max(told(one, console)?);
    }
    Ok(status)
}

fn one(arguments: &Arguments, file: &Path, console: &mut Console) -> Ended {
    let before = input::read_text(file)?;
    let (source, language) = understand(file, &before.source)?;
    let (value, findings) = match language {
        Language::Litmus => {
            let (kernel, findings) = kernel::parse(&source);
            (Value::Test(Box::new(kernel)), findings)
        }
        Language::Rules => {
            let (rules, findings) = rules::parse(&source);
            (Value::Rules(Box::new(rules)), findings)
        }
        Language::Scenario => {
            let (scenario, findings) = scenario::parse(&source);
            (Value::Scenario(Box::new(scenario)), findings)
        }
    };
    if findings.iter().any(|f| f.severity.fails()) {
        input::refuse(&source, findings, &console.style_of_errors(), console);
        console.remark(&format!("error: `{}` was not formatted", source.name));
        return Ok(Status::Unusable);
    }
    let own = value.format(file);
    let format = arguments.to.as_deref().unwrap_or(own);
    let text = value.print(format)?;
    // Another format is another file, with line ends of its own.
    if format != own {
        console.out.write_all(text.as_bytes())?;
        return Ok(Status::Good);
    }
    let text = save::with_one_line_end(&before.source.text, text);
    if arguments.to.is_some() || file == Path::new("-") {
        console.out.write_all(&before.bytes(&text))?;
    } else if text == before.source.text {
    } else if arguments.check {
        writeln!(console.out, "{}", source.name)?;
        return Ok(Status::Found);
    } else {
        let instead = format!("print with `--to {own}`");
        save::replace(file, &before, &text, &instead)?;
    }
    Ok(Status::Good)
}

/// The text to parse, and what it is. Standard input is scenario text.
fn understand(file: &Path, raw: &Source) -> Result<(Source, Language), Unusable> {
    if run::is_lowering_file(&file.display().to_string()) {
        return Ok((
            input::understand_lowering(file, raw.clone())?,
            Language::Rules,
        ));
    }
    let is_json = input::is_json(file);
    let is_test = if is_json {
        kernel::json::is_meant(&raw.text)
    } else {
        file.extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("litmus"))
    };
    if is_json && is_test {
        return Ok((litmus::only_test(raw.clone(), true)?, Language::Litmus));
    }
    let language = if is_test {
        Language::Litmus
    } else {
        Language::Scenario
    };
    Ok((input::understand(file, raw.clone())?, language))
}
