//! `syncscope schema`: JSON Schemas of what the program reads and writes.

use super::console::Console;
use super::{Ended, Status};
use crate::catalog::{OUTPUTS, schemas};
use crate::interop::driver;
use crate::report::format::AnyOutput;
use crate::run::Registry;
use crate::schema::Schema;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::io::Write;

/// Print the JSON Schema of what the program reads and writes
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// What it describes
    #[arg(value_parser = parser(), required_unless_present = "driver_header")]
    of: Option<Schema>,
    /// Print `syncscope_driver.h` instead: the header with which a driver in C or C++ reads and writes these lines
    #[arg(long, conflicts_with = "of")]
    driver_header: bool,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 2 the command line was unusable";

/// Takes the names of schemas, and those of outputs: of two things that have one name, the schema's counts.
fn parser() -> impl TypedValueParser<Value = Schema> {
    let names = schemas().map(|schema| PossibleValue::new(schema.name).help(schema.about));
    let is_another = |output: &&&dyn AnyOutput| {
        output.schema().is_some() && schemas().all(|schema| schema.name != output.name())
    };
    let others = OUTPUTS.iter().filter(is_another);
    let others = others.map(|output| PossibleValue::new(output.name()).hide(true));
    PossibleValuesParser::new(names.chain(others)).map(|word| {
        let of_output = || {
            OUTPUTS
                .iter()
                .find(|output| output.name() == word)?
                .schema()
        };
        let own = schemas().find(|schema| schema.name == word);
        own.or_else(of_output).expect("clap knows the word")
    })
}

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let text = arguments.of.map_or(driver::HEADER, |schema| schema.text);
    console.out.write_all(text.as_bytes())?;
    Ok(Status::Good)
}
