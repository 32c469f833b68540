//! Pages of report formats.

use super::{Page, code, table};
use crate::report::Format;

/// A format with what the layers above know of it.
pub struct FormatTopic {
    /// The format.
    pub format: &'static Format,
    /// Outputs that it has.
    pub outputs: Vec<OutputTopic>,
}

/// An output, as it is named on pages.
pub struct OutputTopic {
    /// Its name in `syncscope list formats`.
    pub name: &'static str,
    /// What it is called, with its article.
    pub noun: &'static str,
    /// Names of the commands that print it.
    pub commands: Vec<&'static str>,
    /// Formats that it has.
    pub formats: Vec<&'static Format>,
    /// Name of the schema of its JSON; none if it has no JSON.
    pub schema: Option<&'static str>,
}

/// The name of the format that has schemas.
const JSON: &str = "json";

pub(super) fn page(topic: &FormatTopic) -> Page {
    let format = topic.format;
    Page {
        title: format.name.to_owned(),
        kind: "format",
        summary: format.summary.to_owned(),
        paragraphs: vec![format.usage.to_owned(), chosen(format), outputs(topic)],
    }
}

/// How the format is chosen.
fn chosen(format: &Format) -> String {
    let mut names = vec![format.name];
    names.extend(format.aliases);
    let options: Vec<String> = names.iter().map(|it| format!("`--format {it}`")).collect();
    let chosen = format!("**How it is chosen.** {}", options.join(" or "));
    if format.extensions.is_empty() {
        return format!("{chosen}.");
    }
    let ends = format.extensions.iter().map(|it| format!(".{it}"));
    format!(
        "{chosen}, or `--out` with a file whose name ends in {}.",
        code(ends)
    )
}

/// Its outputs, those of JSON with their schemas.
fn outputs(topic: &FormatTopic) -> String {
    let is_json = topic.format.name == JSON;
    let rows = topic.outputs.iter().map(|output| {
        let commands = output.commands.iter();
        let commands = commands.map(|it| format!("[`{it}`](../commands/{it}.md)"));
        let mut row = vec![
            format!("`{}`", output.name),
            output.noun.to_owned(),
            commands.collect::<Vec<_>>().join(", "),
        ];
        if is_json {
            let schema = output.schema.map(|it| format!("`syncscope schema {it}`"));
            row.push(schema.unwrap_or_default());
        }
        row
    });
    let heads = if is_json {
        "output | what it is | printed by | its schema"
    } else {
        "output | what it is | printed by"
    };
    format!("**Outputs.**\n\n{}", table(heads, rows))
}
