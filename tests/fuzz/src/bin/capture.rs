//! Any bytes as a capture of an application: nothing panics, and whatever is kept is a scenario that can be read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syncscope::finding::Source;
use syncscope::interop::import::{Importer, Options};
use syncscope::scenario;

fuzz_target!(|data: &[u8]| {
    let mut importer = Importer::new(Options::default());
    for (number, line) in (1..).zip(data.split(|byte| *byte == b'\n')) {
        if importer.line(number, line).is_break() {
            break;
        }
    }
    let text = scenario::print(&importer.finish().scenario);
    let (again, findings) = scenario::parse(&Source::new("imported.scn", text.clone()));
    assert!(
        !findings.iter().any(|f| f.severity.fails()),
        "{findings:#?}\n{text}"
    );
    assert_eq!(scenario::print(&again), text);
});
