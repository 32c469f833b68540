//! `run --profiles` as a page: the poster of all machines, as wide as the window, and on paper.

use super::document::policy;
use crate::report::Style;
use crate::report::svg::{self, poster};
use crate::run::ProfileTable;
use std::io::{self, Write};

const STYLE: &str = "body{margin:0;background:#fff}svg{display:block;width:100%;height:auto;max-width:1800px;margin:auto}\
@page{size:A3 landscape;margin:8mm}";

/// Writes the page. It has no script.
///
/// # Errors
/// Only what the writer returns.
pub(super) fn write(table: &ProfileTable, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let drawing = poster::drawing(table);
    let own = drawing
        .split_once("<style>")
        .and_then(|(_, rest)| rest.split_once("</style>"))
        .map_or("", |(style, _)| style);
    let title = svg::escaped(&table.scenario);
    let policy = policy(&[STYLE, own], &[], "'none'");
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title} on several machines – syncscope</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{drawing}</body>\n</html>"
    )
}
