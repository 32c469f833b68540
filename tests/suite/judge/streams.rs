//! Streams of shipped drivers, as a harness recorded them on a machine without a GPU (`tests/fixtures/streams/`), and what the
//! readers make of them.
//!
//! The packets of `tests/fixtures/packets/` come from the same streams by another program, in another language, which was
//! written before the readers: the two are held against each other.

use crate::cli::command;
use crate::shaders::fixtures;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use ruzstd::decoding::StreamingDecoder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::interop::streams::{self, READERS};
use syncscope::lower::recorded::{self, PacketLine, PacketTrace};
use syncscope::verify::{Class, Driver, JudgedOn, driver_situations, judge_drivers};

/// Devices, the reader of each, and how many situations were recorded.
const DEVICES: [(&str, &str, usize); 6] = [
    ("tgl", "anv", 348),
    ("lnl", "anv", 352),
    ("navi21", "pm4", 352),
    ("gfx1201", "pm4", 352),
    ("ga102", "nvidia", 268),
    ("a740", "adreno", 268),
];

/// A stream of the fixtures.
fn stream(device: &str) -> Source {
    let path = fixtures().join(format!("streams/{device}.txt.zst"));
    let mut text = String::new();
    let mut decoder = StreamingDecoder::new(File::open(path).expect("a stream")).expect("zstd");
    decoder.read_to_string(&mut text).expect("text");
    Source::new(format!("{device}.txt"), text)
}

fn read(source: &Source) -> PacketTrace {
    assert!(streams::is_stream(&source.text));
    streams::read(source, None)
}

/// Packets that another program made of the same streams.
fn expected(device: &str) -> PacketTrace {
    let path = fixtures().join(format!("packets/{device}.jsonl"));
    let text = std::fs::read_to_string(path).expect("packets");
    recorded::read(&Source::new("packets.jsonl", text))
}

/// What a packet does, each set in order.
fn does(packet: &PacketLine) -> [Vec<String>; 5] {
    let front_end = packet.front_end.then(|| "front end".to_owned());
    let front_end: Vec<String> = front_end.into_iter().collect();
    let sets = [
        &packet.wait,
        &packet.flush,
        &packet.invalidate,
        &packet.layout,
        &front_end,
    ];
    sets.map(|set| {
        let mut set = set.clone();
        set.sort();
        set
    })
}

/// On NVIDIA's machines a switch of engines waits. The other program takes it that contents which nobody needs were drawn
/// before; the readers look at the work before the barrier, and there is none.
fn is_switch_from_nothing(device: &str, name: &str) -> bool {
    let draws = [
        "rt", "dsw", "dsr", "srv.p", "srv.v", "uav.p", "res.s", "common",
    ];
    let after = name.rsplit_once(".new-").map(|(_, after)| after);
    device == "ga102" && after.is_some_and(|after| !draws.contains(&after))
}

#[test]
fn readers_agree_with_another_program() {
    for (device, reader, count) in DEVICES {
        let source = stream(device);
        let trace = read(&source);
        // The reader that is named reads the same.
        let named = streams::read(&source, streams::reader(reader));
        assert_eq!(named.lines.len(), trace.lines.len());
        let expected = expected(device);
        let by_name = |trace: &PacketTrace| -> BTreeMap<String, [Vec<String>; 5]> {
            let lines = trace.lines.iter().map(|line| {
                let name = line.packet.barrier.clone().expect("a name");
                (name, does(&line.packet))
            });
            lines.collect()
        };
        let (own, other) = (by_name(&trace), by_name(&expected));
        assert_eq!(own.len(), count, "{device}");
        assert!(own.keys().eq(other.keys()), "{device}: other situations");
        let mut from_nothing = 0;
        for (name, own) in own {
            let mut other = other[&name].clone();
            if is_switch_from_nothing(device, &name) {
                from_nothing += 1;
                assert_eq!(other[0], ["ALL"], "{device} {name}");
                (other[0], other[4]) = (Vec::new(), Vec::new());
            }
            assert_eq!(
                own, other,
                "{device} {name}: wait, flush, invalidate, layout, front end"
            );
        }
        assert_eq!(from_nothing, if device == "ga102" { 15 } else { 0 });
        let first = &trace.lines[0].packet;
        let other = &expected.lines[0].packet;
        assert_eq!(
            (&first.device, &first.profile),
            (&other.device, &other.profile)
        );
        assert_eq!(first.form.as_deref(), Some("pipe"));
        let driver = first.driver.as_deref().expect("a driver");
        assert!(
            driver.starts_with(other.driver.as_deref().expect("a driver")),
            "{driver}"
        );
        // A command that no table has would be here, and what cannot be read; anv crashes in four situations.
        let crashes = if device == "tgl" { 4 } else { 0 };
        let findings: Vec<&str> = trace.findings.iter().map(|it| &*it.message).collect();
        assert_eq!(findings.len(), crashes, "{device}: {findings:?}");
        assert!(findings.iter().all(|it| it.contains("the driver crashed")));
    }
}

/// What the packets of one driver come to.
fn judged(trace: &PacketTrace, source: &Source) -> Driver {
    let registry = catalog::registry();
    let usual = registry.profile("rdna").expect("the default profile");
    let on = JudgedOn::Named(&registry, &usual);
    let mut found = judge_drivers(&driver_situations(), trace, source, on);
    assert_eq!(found.drivers.len(), 1, "one driver a file");
    found.drivers.remove(0)
}

#[test]
fn streams_are_judged_as_their_packets_are() {
    for (device, ..) in DEVICES {
        let source = stream(device);
        let packets = Source::new(
            "packets.jsonl",
            std::fs::read_to_string(fixtures().join(format!("packets/{device}.jsonl")))
                .expect("packets"),
        );
        let own = judged(&read(&source), &source);
        let other = judged(&recorded::read(&packets), &packets);
        let counts = |driver: &Driver| (driver.enough(), Class::ALL.map(|it| driver.of_class(it)));
        assert_eq!(counts(&own), counts(&other), "{device}");
        let causes = |driver: &Driver| -> Vec<(String, Vec<String>)> {
            let all = driver.causes().into_iter().map(|it| {
                let names = it.shown.iter().chain(&it.missing).chain(&it.owed);
                (
                    it.cause.to_owned(),
                    names.map(|&name| name.to_owned()).collect(),
                )
            });
            all.collect()
        };
        assert_eq!(causes(&own), causes(&other), "{device}");
        assert!(
            own.situations.iter().any(|it| !it.raw.is_empty()),
            "raw is for people"
        );
    }
}

/// The start of a stream with a few recordings: what is mutated below.
fn piece(device: &str) -> String {
    let text = stream(device).text;
    let recordings = text.match_indices("/pipe done");
    let (end, _) = recordings.into_iter().nth(5).expect("six recordings");
    text[..end + "/pipe done\n".len()].to_owned()
}

/// Changes a text in one place, as a bad disk, a hasty hand or a driver's bug might.
fn mutate(bytes: &mut Vec<u8>, random: &mut StdRng) {
    if bytes.is_empty() {
        return;
    }
    let at = random.random_range(0..bytes.len());
    let to = (at + random.random_range(1..200)).min(bytes.len());
    match random.random_range(0..7) {
        0 => bytes[at] = random.random(),
        1 => drop(bytes.drain(at..to)),
        2 => bytes.truncate(at.max(1)),
        3 => bytes.insert(
            at,
            b"0123456789abcdef \n@x,:+=("[random.random_range(0..25)],
        ),
        4 => {
            let twice = bytes[at..to].to_vec();
            bytes.splice(at..at, twice);
        }
        5 => bytes[at..to].reverse(),
        _ => {
            let lines: Vec<&[u8]> = bytes.split_inclusive(|it| *it == b'\n').collect();
            let (a, b) = (
                random.random_range(0..lines.len()),
                random.random_range(0..lines.len()),
            );
            let mut lines = lines;
            lines.swap(a, b);
            *bytes = lines.concat();
        }
    }
}

/// Whatever a stream says, nothing panics, each mistake says where it is and what was kept, and the recordings before it are
/// read as if there were no mistake.
#[test]
fn any_text_is_a_stream() {
    let mut random = StdRng::seed_from_u64(35);
    let cases = crate::sizes::CASES.count();
    for (device, own, _) in DEVICES {
        let piece = piece(device);
        // Without its device, each reader takes it for its own.
        let start = piece.find("@@ ").expect("a mark");
        let (head, piece) = (&piece[..start], &piece[start..]);
        let last = piece.rfind("/nobarrier begin").expect("a last situation");
        let end = piece[..last].rfind('\n').expect("a line before") + 1;
        let mut mistakes = 0;
        for reader in READERS {
            let head = if reader.name == own { head } else { "" };
            let kept = format!("{head}{}", &piece[..end]);
            let kept = streams::read(&Source::new("stream", kept), Some(reader)).lines;
            for case in 0..cases {
                let mut bytes = piece.as_bytes()[end..].to_vec();
                for _ in 0..=case % 3 {
                    mutate(&mut bytes, &mut random);
                }
                let tail = String::from_utf8_lossy(&bytes);
                let source = Source::new("stream", format!("{head}{}{tail}", &piece[..end]));
                let trace = streams::read(&source, Some(reader));
                for (own, kept) in trace.lines.iter().zip(&kept) {
                    assert_eq!(own.packet, kept.packet, "{device}, {}", reader.name);
                }
                assert!(trace.lines.len() >= kept.len());
                mistakes += mistakes_of(&source, &trace);
            }
        }
        assert!(mistakes > 0, "{device}: no mutation makes a mistake");
    }
}

/// How many mistakes were found; each has a place, what was kept and a way out.
fn mistakes_of(source: &Source, trace: &PacketTrace) -> usize {
    for finding in &trace.findings {
        let (start, end) = (finding.span.start as usize, finding.span.end as usize);
        assert!(source.text.get(start..end).is_some(), "{finding:?}");
        assert!(!finding.notes.is_empty(), "{finding:?}");
        assert!(finding.help.is_some(), "{finding:?}");
        assert!(!finding.message.contains('\n'), "{finding:?}");
    }
    trace.findings.len()
}

/// A stream with one situation, whose call and work have these words.
fn one(device: &str, call: &str, work: &str) -> String {
    format!(
        "@device {device} | Mesa 1\n@@ s/pipe begin\n@@ s/pipe before\n@@ s/pipe barrier\n{call}\n@@ s/pipe after\n{work}\n@@ s/pipe \
         end\n@@ s/pipe done\n"
    )
}

const RADV: &str = "X (RADV NAVI21) | radv";

/// A text, the rules that find something in it, and a part of the first message.
type Mistake = (String, &'static [&'static str], &'static str);

const FLUSH: &str = "@x c0004600 00000407";

const RELEASE: &str = "c0064900 00000528 20000000 00041000 ffff8000 00000001 00000000 00000000";
const WAIT: &str = "c0053c00 00000013 00041000 ffff8000 00000001 ffffffff 00000004";

fn mistakes_of_words() -> Vec<Mistake> {
    let whole = one(RADV, FLUSH, "@x");
    vec![
        (
            one(RADV, "@x c000460", "@x"),
            &["PT001"],
            "`c000460` is no word of eight",
        ),
        (
            one(RADV, "@x c0004600 0000040", "@x"),
            &["PT001"],
            "`0000040` is no word",
        ),
        (
            one(RADV, "@x c0044600 00000407", "@x"),
            &["PT001"],
            "is cut: it has 5 words, and the line 1 more",
        ),
        (
            one(RADV, "@x 12345678", "@x"),
            &["PT001"],
            "begins no packet",
        ),
        (
            one(RADV, "@x c000fe00 00000000", "@x"),
            &["PT002"],
            "packets of opcode 0xfe, once",
        ),
        (
            one(RADV, "@x c000460000000407", "@x"),
            &["PT001"],
            "is no word of eight",
        ),
        (
            one(RADV, "@x c0005800 00000000", "@x"),
            &["PT001"],
            "ACQUIRE_MEM is too short",
        ),
        (
            one("X (RADV OLD1) | radv", FLUSH, "@x"),
            &["PT002"],
            "the device `old1`",
        ),
        (
            whole.replace("@device X (RADV NAVI21) | radv | Mesa 1\n", ""),
            &["PT002"],
            "names no chip",
        ),
        (
            one("X (NVK GA102) | NVK", FLUSH, "@x"),
            &["PT001"],
            "the reader `nvidia` knows, not `pm4`",
        ),
        (
            one(
                "X (TGL GT2) | Intel open-source Mesa driver",
                "pc : emit PC=( +cs_st",
                "@x",
            ),
            &["PT001"],
            "print is cut",
        ),
        (
            one(
                "X (TGL GT2) | Intel open-source Mesa driver",
                "pc : emit PC=( +all_of_it ) reason: x",
                "",
            ),
            &["PT002"],
            "the bit `all_of_it`",
        ),
        (
            one("Adreno 740 | turnip Mesa driver", "@x 70460000", ""),
            &["PT001"],
            "too short",
        ),
        (
            one("Adreno 740 | turnip Mesa driver", "@x 707e0000", ""),
            &["PT002"],
            "opcode 0x7e",
        ),
        (
            one("X (NVK GA102) | NVK", "@x 00000001", ""),
            &["PT001"],
            "begins no packet",
        ),
    ]
}

/// Operations on addresses 0x100000 to 0x101000 (sizes in 256 bytes), and on one line of L1.
fn mistakes_of_parts() -> Vec<Mistake> {
    let part = "@x c0065800 00000000 00000010 00000000 00001000 00000000 0000000a 00000380";
    vec![
        (
            one(RADV, &format!("{part}\n{part}"), "@x"),
            &["PT005"],
            "2 operations are on a part of a cache, the first of `s`",
        ),
        (
            one("X (NVK GA102) | NVK", "@x 800104a2", "@x"),
            &["PT005"],
            "1 operation is on a part of a cache",
        ),
    ]
}

fn mistakes_of_marks() -> Vec<Mistake> {
    let whole = one(RADV, FLUSH, "@x");
    vec![
        (
            whole.replace("@@ s/pipe after\n", ""),
            &["PT004"],
            "has no mark `after`",
        ),
        (
            whole.replace("pipe begin", "pipe hello"),
            &["PT001", "PT004"],
            "no step `hello`",
        ),
        (
            whole.replace("@@ s/pipe begin", "@@ s begin"),
            &["PT001", "PT004"],
            "a mark is `@@",
        ),
        (
            whole.replace("pipe before", "pipe done"),
            &["PT004"],
            "`barrier` comes after `done`",
        ),
        (
            whole.clone() + &whole.replace("@device", "@dev"),
            &["PT004"],
            "`s` is recorded twice as `pipe`",
        ),
        (
            whole.replace("pipe done", "pipe crashed"),
            &["PT006"],
            "the driver crashed",
        ),
        (
            whole.replace(FLUSH, "@x \u{fffd}"),
            &["PT001"],
            "no UTF-8 text",
        ),
        (
            whole.replace("@x", "@! no stream"),
            &["PT006"],
            "1 recording has no line that the reader `pm4` reads",
        ),
        (
            one(
                RADV,
                "MESA-INTEL: info: pc : emit PC=( +cs_stall ) reason: x",
                "",
            ),
            &["PT006"],
            "no line that the reader `pm4` reads",
        ),
        (
            one("X (TGL GT2) | Intel open-source Mesa driver", FLUSH, "@x"),
            &["PT006"],
            "no line that the reader `anv` reads",
        ),
        (
            whole.clone() + &whole,
            &["PT004"],
            "`s` is recorded a second time for the same device",
        ),
        (
            whole.replace(" | radv | ", ", radv, "),
            &["PT001"],
            "the line names no device: it has no ` | `",
        ),
        (
            whole.replace(" | ", "|"),
            &["PT001"],
            "each `|` has a blank on either side",
        ),
        (
            whole.replace("@device ", "@device|"),
            &["PT001"],
            "no blank follows `@device`",
        ),
        (
            format!("@device {RADV} | Mesa 1\n{FLUSH}\n"),
            &["PT006"],
            "the stream has no marks",
        ),
        (
            whole.split_inclusive('\n').take(4).collect(),
            &["PT004"],
            "where the stream ends",
        ),
    ]
}

#[test]
fn each_mistake_of_a_stream_has_its_message() {
    let cases = mistakes_of_words().into_iter().chain(mistakes_of_marks());
    let cases = cases.chain(mistakes_of_parts());
    for (text, rules, message) in cases {
        let source = Source::new("stream", text);
        let is_named = message.contains("not `pm4`") || !source.text.contains("@device");
        let named = is_named.then(|| streams::reader("pm4").expect("a reader"));
        let mut found = streams::read(&source, named).findings;
        // None of these streams has a recording without a barrier.
        found.retain(|it| !it.message.contains("without a barrier"));
        let ids: Vec<&str> = found.iter().map(|it| it.rule.id).collect();
        let messages: Vec<&str> = found.iter().map(|it| &*it.message).collect();
        assert_eq!(ids, rules, "{message}: {messages:?}");
        assert!(messages[0].contains(message), "{message}: {messages:?}");
        // Where something cannot be read, what the driver lacks may be what that says.
        let is_unknown = rules == ["PT001"] || rules == ["PT006"];
        assert!(
            !is_unknown || streams::read(&source, named).lines.is_empty(),
            "{message}: the situation is left out"
        );
    }
    // After its end, a recording is whole whatever comes.
    let source = Source::new("stream", one(RADV, FLUSH, "@x") + "\u{fffd}\n");
    assert_eq!(streams::read(&source, None).lines.len(), 1);
}

/// Words of PM4, and what they do.
fn commands_of_pm4() -> Vec<(String, Vec<&'static str>)> {
    vec![
        // CS_PARTIAL_FLUSH is event 7, of index 4.
        (
            one(RADV, "@x c0004600 00000407", "@x"),
            vec!["COMPUTE_SHADING", "COPY"],
        ),
        // GCR_CNTL is the last word: GL1_INV is bit 9, GLV_INV bit 8, GLK_INV bit 7.
        (
            one(
                RADV,
                "@x c0065800 00000000 ffffffff 00ffffff 00000000 00000000 0000000a 00000380",
                "@x",
            ),
            vec!["drop GL1", "drop K", "drop L0V"],
        ),
        // An event at the end of the pipe (0x28, of index 5) writes 1 (DATA_SEL 1) to a place, and WAIT_REG_MEM reads it there.
        (
            one(RADV, &format!("@x {RELEASE} {WAIT}"), "@x"),
            vec!["ALL", "front end"],
        ),
        // CS_DONE is event 0x2f, and says nothing of draws.
        (
            one(
                RADV,
                &format!("@x {} {WAIT}", RELEASE.replace("528", "62f")),
                "@x",
            ),
            vec!["COMPUTE_SHADING", "COPY"],
        ),
        // Nobody waits; what is read is another place; nothing is written.
        (one(RADV, &format!("@x {RELEASE}"), "@x"), vec![]),
        (
            one(
                RADV,
                &format!("@x {RELEASE} {}", WAIT.replace("41000", "42000")),
                "@x",
            ),
            vec![],
        ),
        (
            one(
                RADV,
                &format!("@x {} {WAIT}", RELEASE.replace("20000000", "00000000")),
                "@x",
            ),
            vec![],
        ),
        // PFP_SYNC_ME makes the front end wait.
        (one(RADV, "@x c0004200 00000000", "@x"), vec!["front end"]),
        // A dispatch of the driver changes a layout.
        (
            one(
                RADV,
                "@x c0031500 00000001 00000001 00000001 00000001",
                "@x",
            ),
            vec!["work"],
        ),
    ]
}

/// What is derived by hand from the headers: a word of each kind, and what it does.
#[test]
fn commands_do_what_the_headers_say() {
    let intel = "X (LNL) | Intel open-source Mesa driver";
    let nvk = "X (NVK GA102) | NVK";
    let turnip = "Turnip Adreno (TM) 740 (raytracing disabled) | turnip Mesa driver";
    let all = ["ALL", "front end"];
    let mut cases = commands_of_pm4();
    cases.extend([
        // Bits that a barrier adds: one flush, one invalidate. A stall that somebody writes later.
        (
            one(
                intel,
                "MESA-INTEL: info: acc: src: A, dst: B, bits: +utdp_flush +tex_inval  reason: pipe barrier",
                "MESA-INTEL: info: pc : emit PC=( +utdp_flush +cs_stall ) reason: emission",
            ),
            [&all[..], &["flush L1", "drop L1", "drop TEX"]].concat(),
        ),
        // The same for another reason is not the barrier's.
        (
            one(
                intel,
                "MESA-INTEL: info: acc: add +tex_inval reason: new cmd buffer",
                "",
            ),
            vec![],
        ),
        // Before graphics version 12.5 there is no such unit.
        (
            one(
                &intel.replace("LNL", "TGL GT2"),
                "pc: add +utdp_flushreason: pipe barrier",
                "",
            ),
            vec![],
        ),
        (
            one(
                intel,
                "MESA-INTEL: info: rb : Type=Immediate  Signal=Depth, Wait=Top, Flags=+tex-inval,",
                "",
            ),
            vec!["DEPTH_STENCIL"],
        ),
        // WAIT_FOR_IDLE of the 3D class is method 0x110: immediate, subchannel 0.
        (one(nvk, "@x 80000044", "@x"), all.to_vec()),
        // INVALIDATE_SHADER_CACHES_NO_WFI of the compute class, 0x1698, with CONSTANT and GLOBAL_DATA.
        (
            one(nvk, "@x 200125a6 00001010", "@x"),
            vec!["drop C1", "drop C15", "drop L1T"],
        ),
        // CACHE_CLEAN is event 0x31 of generation 7; parity bits do not count.
        (
            one(turnip, "@x 70460001 00000031", "@x"),
            vec!["flush UCHE"],
        ),
        // On generation 6 that number is CACHE_INVALIDATE.
        (
            one(&turnip.replace("740", "630"), "@x 70460001 00000031", "@x"),
            vec!["drop UCHE"],
        ),
        (one(turnip, "@x 70268000", "@x"), all.to_vec()),
    ]);
    for (text, mut expected) in cases {
        let source = Source::new("stream", text);
        let trace = read(&source);
        let packet = &trace.lines[0].packet;
        let named = |word: &str, set: &[String]| -> Vec<String> {
            set.iter().map(|it| format!("{word} {it}")).collect()
        };
        // Of what a dispatch is, two stages tell.
        let wait = packet.wait.iter().filter(|it| {
            packet.wait.len() < 4 || ["COMPUTE_SHADING", "COPY"].contains(&it.as_str())
        });
        let mut own: Vec<String> = wait.cloned().collect();
        own.extend(named("flush", &packet.flush));
        own.extend(named("drop", &packet.invalidate));
        own.extend(packet.layout.clone());
        own.extend(packet.front_end.then(|| "front end".to_owned()));
        own.sort();
        expected.sort_unstable();
        assert_eq!(own, expected, "{}", source.text);
    }
}

/// What the driver writes without a barrier too is not the barrier's, and work after an event is waited for in its second call.
#[test]
fn what_is_written_anyway_is_not_the_barriers() {
    let flush = "@x c0004600 00000407";
    let with = |form: &str, call: &str, work: &str| {
        one(RADV, call, work)
            .replace("/pipe", &format!("/{form}"))
            .replace("@device X (RADV NAVI21) | radv | Mesa 1\n", "")
    };
    let text = one(RADV, "@x", flush) + &with("nobarrier", "@x", flush);
    let trace = read(&Source::new("stream", text));
    assert!(trace.findings.is_empty());
    assert_eq!(
        trace.lines.len(),
        1,
        "a recording without a barrier is no packet"
    );
    assert!(trace.lines[0].packet.wait.is_empty());
    let twice = format!("{flush} c0004600 00000407");
    let text = one(RADV, "@x", &twice) + &with("nobarrier", "@x", flush);
    let trace = read(&Source::new("stream", text));
    assert!(
        !trace.lines[0].packet.wait.is_empty(),
        "one of two is the barrier's"
    );
    let event = with("event", "@x", "@x").replace(
        "@@ s/event after",
        &format!("@@ s/event wait\n{flush}\n@@ s/event after"),
    );
    let trace = read(&Source::new(
        "stream",
        one(RADV, "@x", "@x") + &event + &with("nobarrier", "@x", "@x"),
    ));
    let forms: Vec<_> = trace
        .lines
        .iter()
        .map(|line| line.packet.form.as_deref())
        .collect();
    assert_eq!(forms, [Some("pipe"), Some("event")]);
    assert!(trace.lines[0].packet.wait.is_empty() && !trace.lines[1].packet.wait.is_empty());
}

/// A text may have the streams of several devices: each begins where its device is named.
#[test]
fn streams_follow_each_other() {
    let flush = "@x c0004600 00000407";
    let text = one(RADV, flush, "@x")
        + &one("X (NVK GA102) | NVK", "@x 80000044", "@x")
        + &one("X | llvmpipe", "@x", "@x");
    let source = Source::new("stream", text);
    let trace = read(&source);
    let lines = trace.lines.iter().map(|line| {
        let packet = &line.packet;
        (
            packet.device.as_deref(),
            packet.wait.len(),
            source.line(line.span.start),
        )
    });
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines, [(Some("navi21"), 7, 2), (Some("ga102"), 1, 11)]);
    let messages = trace.findings.iter().map(|it| &*it.message);
    let unknown = messages.filter(|it| it.contains("no reader knows the driver `llvmpipe`"));
    assert_eq!(unknown.count(), 1);
}

/// What is copied from somewhere may be indented.
#[test]
fn an_indented_stream_is_one() {
    let plain = one(RADV, FLUSH, "@x");
    for blanks in ["  ", "\t"] {
        let lines = plain.lines().map(|line| format!("{blanks}{line}\r\n"));
        let source = Source::new("stream", lines.collect::<Vec<_>>().concat());
        let trace = read(&source);
        let [line] = trace.lines.as_slice() else {
            panic!("{:?}", trace.findings);
        };
        let whole = read(&Source::new("stream", plain.as_str()));
        assert_eq!(line.packet, whole.lines[0].packet);
        assert!(line.packet.wait.contains(&"COMPUTE_SHADING".to_owned()));
        assert_eq!(source.line(line.span.start), 2);
        assert!(source.text[line.span.start as usize..].starts_with("@@ s/pipe begin"));
    }
}

/// After a line that is to name a device and does not, nothing is of the device before it.
#[test]
fn a_malformed_device_ends_the_stream_before_it() {
    let text = one(RADV, FLUSH, "@x") + &one("Y", FLUSH, "@x").replace("@@ s/", "@@ t/");
    let trace = read(&Source::new("stream", text.replace("Y | Mesa 1", "Y")));
    assert_eq!(trace.lines.len(), 1);
    let messages: Vec<&str> = trace.findings.iter().map(|it| &*it.message).collect();
    assert!(
        messages.iter().any(|it| it.contains("names no device")),
        "{messages:?}"
    );
}

/// The command takes a stream as it takes packets, by what it says or by `--stream`.
#[test]
fn the_command_reads_streams() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = driver_situations().into_iter().next().expect("a situation");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path(&scene.name), &scene.text).expect("written");
    let piece = piece("navi21");
    let name = scene.name.trim_end_matches(".scn");
    let end = piece
        .find(&format!("@@ {name}/pipe done"))
        .expect("the first situation");
    let stream = &piece[..end];
    let nameless = stream.replace("@device", "@dev");
    let mut bad = stream.as_bytes().to_vec();
    bad.extend(b"@x \xff\xff\n");
    std::fs::write(path("named.txt"), stream).expect("written");
    std::fs::write(path("nameless.txt"), nameless).expect("written");
    std::fs::write(path("bad.txt"), bad).expect("written");
    let judge = |packets: &str, more: &[&str]| {
        let scene = path(&scene.name);
        let packets = path(packets);
        let mut words = vec!["judge", "--scenario", &scene, "--packets", &packets];
        words.extend(more);
        let output = command(&words).output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (status, out, err) = judge("named.txt", &[]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(out.contains("radv Mesa 26.1.6"), "{out}");
    let (status, _, err) = judge("nameless.txt", &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("`--stream`"), "{err}");
    let (status, out, err) = judge("nameless.txt", &["--stream", "pm4"]);
    assert_eq!(status, Some(0), "{out}{err}");
    assert!(err.contains("names no chip"), "{err}");
    let (status, _, err) = judge("named.txt", &["--stream", "adreno"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("the reader `pm4` knows"), "{err}");
    let (status, _, err) = judge("bad.txt", &[]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("no UTF-8 text"), "{err}");
}
