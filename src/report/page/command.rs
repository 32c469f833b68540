//! Pages of commands.

use super::{OutputTopic, Page, layout, table};
use crate::report::{Style, text};

/// A command with what the command line knows of it.
pub struct CommandTopic {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// Its help in so many columns: usage, options, and how it ends.
    pub help: Box<dyn Fn(usize) -> String>,
    /// What it prints.
    pub outputs: Vec<OutputTopic>,
}

pub(super) fn page(topic: &CommandTopic) -> Page {
    let help = (topic.help)(text::COLUMNS);
    let block = format!("```text\n{}\n```", help.trim_end());
    Page {
        title: topic.name.clone(),
        kind: "command",
        summary: topic.about.clone(),
        paragraphs: vec![block, outputs(topic)],
    }
}

/// The page for a terminal: the help is as wide as the page.
pub(super) fn terminal(topic: &CommandTopic, style: &Style) -> String {
    // The help begins with the line about it.
    let mut out = layout::laid_out(&format!("**{}** (command)\n\n", topic.name), style);
    let help = (topic.help)(style.columns);
    for line in help.trim_end().lines() {
        out.push_str(&style.plain(line));
        out.push('\n');
    }
    out.push('\n');
    out + &layout::laid_out(&outputs(topic), style)
}

/// What it prints, and as what.
fn outputs(topic: &CommandTopic) -> String {
    if topic.outputs.is_empty() {
        return "**Outputs.** None that has formats.\n".to_owned();
    }
    let rows = topic.outputs.iter().map(|output| {
        let formats = output.formats.iter();
        let formats = formats.map(|it| format!("[`{0}`](../formats/{0}.md)", it.name));
        let schema = output.schema.map(|it| format!("`syncscope schema {it}`"));
        vec![
            format!("`{}`", output.name),
            output.noun.to_owned(),
            formats.collect::<Vec<_>>().join(", "),
            schema.unwrap_or_default(),
        ]
    });
    let heads = "output | what it is | formats | its schema";
    format!(
        "**Outputs.** The first format is the default.\n\n{}",
        table(heads, rows)
    )
}
