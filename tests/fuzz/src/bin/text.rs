//! Any text as a scenario, a litmus test and a rule file: nothing panics, what is understood prints as a text that is
//! understood alike, and a scenario is checked.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use syncscope::finding::{Finding, Source};
use syncscope::run::{Options, Proposals, check};
use syncscope::{kernel, lower, scenario};

fn fails(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| finding.severity.fails())
}

/// Printing is a fixed point: what is printed is read, and prints the same.
fn is_fixed(text: &str, print: impl Fn(&str) -> Option<String>) {
    if let Some(printed) = print(text) {
        assert_eq!(print(&printed).as_deref(), Some(&*printed), "{text}");
    }
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else {
        return Corpus::Reject;
    };
    is_fixed(text, |text| {
        let (parsed, findings) = scenario::parse(&Source::new("fuzz.scn", text));
        (!fails(&findings)).then(|| scenario::print(&parsed))
    });
    is_fixed(text, |text| {
        let (parsed, findings) = kernel::parse(&Source::new("fuzz.litmus", text));
        (!fails(&findings)).then(|| kernel::print(&parsed))
    });
    is_fixed(text, |text| {
        let (parsed, findings) = lower::rules::parse(&Source::new("fuzz.lower", text));
        (!fails(&findings)).then(|| lower::rules::print(&parsed))
    });
    let source = Source::new("fuzz.scn", text);
    // Changes are tried on copies, which take longer than all the rest.
    let options = Options {
        proposals: Proposals::None,
        ..Options::default()
    };
    for finding in check(&source, &options).findings {
        assert!(finding.span.end as usize <= text.len(), "{finding:?}");
    }
    Corpus::Keep
});
