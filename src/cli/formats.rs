//! `--format`: the writer that a format has for an output. A format without one is refused by name.

use super::printing::unknown;
use crate::catalog::FORMATS;
use crate::report::Format;
use crate::report::format::Output;
use crate::run::Unusable;

/// The writer of the named format, or of the first format that has this output.
pub(super) fn writer<W>(asked: Option<&str>, output: &Output<W>) -> Result<W, Unusable> {
    let Some(word) = asked else {
        let mut writers = FORMATS.iter().copied().filter_map(output.writer);
        return Ok(writers.next().expect("every output has a format"));
    };
    let named = |f: &&Format| f.name == word || f.aliases.contains(&word);
    let format = FORMATS.iter().copied().find(named);
    let format = format.ok_or_else(|| unknown("format", word, &names(output)))?;
    (output.writer)(format).ok_or_else(|| Unusable {
        message: format!("{} cannot be printed as `{word}`", output.noun),
        help: match names(output).as_slice() {
            [only] => format!("its only format is {only}"),
            several => format!("its formats are {}", several.join(", ")),
        },
    })
}

/// Whether a format's reports show what only a page shows.
pub(super) fn wants_detail(asked: Option<&str>) -> bool {
    FORMATS.iter().any(|f| {
        f.wants_detail && asked.is_some_and(|word| f.name == word || f.aliases.contains(&word))
    })
}

/// The help of `--format`: the formats of an output, the default first.
pub(super) fn help<W>(output: &Output<W>) -> String {
    let names = names(output);
    let others = match names.as_slice() {
        [only] => return format!("Output format: {only}"),
        [_, others @ ..] => others.join(", "),
        [] => unreachable!("every output has a format"),
    };
    format!("Output format: {} (the default), {others}", names[0])
}

fn names<W>(output: &Output<W>) -> Vec<&'static str> {
    let has = FORMATS.iter().filter(|f| (output.writer)(f).is_some());
    has.map(|f| f.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::format::{DDI, GRAPH, LIST, PAGE, REPAIR, REPORT, SCENARIO, TEST};

    #[test]
    fn a_pair_that_does_not_exist_is_refused_with_those_that_do() {
        let refused = writer(Some("dot"), &REPORT).expect_err("no report for Graphviz");
        assert_eq!(refused.message, "a report cannot be printed as `dot`");
        let formats = names(&REPORT).join(", ");
        assert_eq!(refused.help, format!("its formats are {formats}"));
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
