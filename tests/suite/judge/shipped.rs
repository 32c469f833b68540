//! Shipped drivers as witnesses. What they wrote for the situations of `judge --emit-situations`, on a machine without a GPU,
//! is held against the profiles that are modelled on their machines: a profile that asks for more than a driver in use does,
//! or whose caches meet elsewhere, shows here.

use std::fmt::Write as _;
use std::sync::OnceLock;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::lower::recorded;
use syncscope::verify::{Class, Driver, JudgedOn, driver_situations, judge_drivers};

/// Packets of a driver, and how many situations it does enough in at least.
pub(super) const SHIPPED: [(&str, usize); 6] = [
    (include_str!("../../fixtures/packets/navi21.jsonl"), 330),
    (include_str!("../../fixtures/packets/gfx1201.jsonl"), 330),
    (include_str!("../../fixtures/packets/tgl.jsonl"), 335),
    (include_str!("../../fixtures/packets/lnl.jsonl"), 335),
    (include_str!("../../fixtures/packets/ga102.jsonl"), 262),
    (include_str!("../../fixtures/packets/a740.jsonl"), 245),
];

/// What the packets of each driver come to.
fn drivers() -> &'static [Driver] {
    static DRIVERS: OnceLock<Vec<Driver>> = OnceLock::new();
    DRIVERS.get_or_init(|| {
        let registry = catalog::registry();
        let usual = registry.profile("rdna").expect("the default profile");
        let situations = driver_situations();
        let judged = SHIPPED.iter().map(|(packets, _)| {
            let source = Source::new("packets.jsonl", *packets);
            let trace = recorded::read(&source);
            let on = JudgedOn::Named(&registry, &usual);
            let mut found = judge_drivers(&situations, &trace, &source, on);
            assert!(found.findings.is_empty(), "{:?}", found.findings);
            assert_eq!(found.drivers.len(), 1, "one driver a file");
            found.drivers.remove(0)
        });
        judged.collect()
    })
}

#[test]
fn shipped_drivers_do_enough() {
    for (driver, (_, least)) in drivers().iter().zip(&SHIPPED) {
        let (enough, of) = (driver.enough(), driver.legal().count());
        assert!(
            enough >= *least,
            "{} on {}: {enough} of {of}, at least {least} expected\n{}",
            driver.name,
            driver.device,
            lacks(driver)
        );
    }
}

/// What a driver lacks by cause: the table's row of each.
fn lacks(driver: &Driver) -> String {
    let mut rows = String::new();
    for cause in driver.causes() {
        let names = cause.shown.iter().chain(&cause.missing).chain(&cause.owed);
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let (device, what, count) = (&driver.device, cause.cause, names.len());
        let names = names.join(" ");
        let _ = writeln!(rows, "| {device} | {what} | {count} | {names} |");
    }
    rows
}

/// Both tables of the book.
pub(crate) fn table() -> String {
    let mut table = String::from(
        "| driver | device | profile | situations | enough | wrong | missing | owed if dirty |\n|---|---|---|---:|---:|---:|---:|---:|\n",
    );
    for driver in drivers() {
        let [wrong, missing, owed] = Class::ALL.map(|class| driver.of_class(class));
        let _ = writeln!(
            table,
            "| {0} | {1} | [`{2}`](profiles/{2}.md) | {3} | {4} | {wrong} | {missing} | {owed} |",
            driver.name,
            driver.device,
            driver.profile,
            driver.legal().count(),
            driver.enough(),
        );
    }
    table.push_str("\n| device | what the driver lacks on the model | situations | which |\n|---|---|---:|---|\n");
    table.extend(drivers().iter().map(lacks));
    table
}
