//! Streams in which many ranges are live, or many submissions unordered, while something acts on all of them.

use std::fmt::Write as _;

/// A shape: its name, and the text of a stream of about so many commands.
pub(crate) type Shape = (&'static str, fn(usize) -> String);

/// Every shape.
pub(crate) const SHAPES: [Shape; 28] = [
    ("whole-barriers", whole_barriers),
    ("scattered-ranges", scattered_ranges),
    ("mixed-barriers", mixed_barriers),
    ("whole-copies", whole_copies),
    ("global-and-whole", global_and_whole),
    ("global-only", global_only),
    ("alias", alias),
    ("layers", layers),
    ("layer-transitions", layer_transitions),
    ("unordered-queues", unordered_queues),
    ("unordered-parts", unordered_parts),
    ("storm", storm),
    ("lost-parts", lost_parts),
    ("aliases", aliases),
    ("attachments", attachments),
    ("parts-of-a-heap", parts_of_a_heap),
    ("textures-over-a-buffer", textures_over_a_buffer),
    ("mips", mips),
    ("rings", rings),
    ("unordered-crowd", unordered_crowd),
    ("late-signals", late_signals),
    ("late-signals-racing", late_signals_racing),
    ("late-signal", late_signal),
    ("nested", nested),
    ("random-ranges", random_ranges),
    ("whole-races", whole_races),
    ("third-queue", third_queue),
    ("late-readers", late_readers),
];

/// Bytes of a small range.
const GRAIN: usize = 256;

/// Layers of a texture.
const LAYERS: usize = 2_048;

const UAV_TO_UAV: &str =
    "sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS";

/// A list of `blocks` blocks, each of the lines that `lines` gives for its number, and one submission of it.
fn listed(head: &str, blocks: usize, lines: impl Fn(usize) -> String) -> String {
    let mut text = format!("queue gfx : direct\n{head}\nlist main : direct {{\n");
    for block in 0..blocks {
        for line in lines(block).lines() {
            writeln!(text, "  {}", line.trim_start()).expect("a string");
        }
    }
    text + "}\ntimeline { gfx execute main }\n"
}

fn buffer(name: &str, ranges: usize) -> String {
    let bytes = ranges.max(1) * GRAIN;
    format!("buffer {name} : {bytes}B {{ flags UNORDERED_ACCESS }}")
}

/// The range of a number.
fn range(number: usize) -> String {
    format!("[{}..{}]", number * GRAIN, (number + 1) * GRAIN)
}

/// Each write makes one more range of a buffer live; a barrier on all of it comes after each.
fn whole_barriers(commands: usize) -> String {
    let ranges = commands / 2;
    listed(&buffer("b", ranges), ranges, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}
             barrier {{ buffer b {{ {UAV_TO_UAV} }} }}",
            range(i)
        )
    })
}

/// Ranges are written and read in no order, with barriers on all of the buffer to and fro.
fn scattered_ranges(commands: usize) -> String {
    let ranges = (commands / 4).max(1);
    listed(&buffer("b", ranges), ranges, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}
             barrier {{ buffer b {{ sync COMPUTE_SHADING -> PIXEL_SHADING|COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE|UNORDERED_ACCESS }} }}
             draw {{ SHADER_RESOURCE b{} @ PIXEL_SHADING }}
             barrier {{ buffer b {{ sync PIXEL_SHADING|COMPUTE_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE|UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}",
            range(i * 7_919 % ranges),
            range(i * 104_729 % ranges),
        )
    })
}

/// Each write makes one more range live; a barrier of one of sixteen kinds, in no order, comes after each.
fn mixed_barriers(commands: usize) -> String {
    const SIDES: [(&str, &str); 4] = [
        ("COMPUTE_SHADING", "SHADER_RESOURCE"),
        ("PIXEL_SHADING", "SHADER_RESOURCE"),
        ("COPY", "COPY_SOURCE"),
        ("VERTEX_SHADING", "CONSTANT_BUFFER"),
    ];
    let ranges = commands / 2;
    listed(&buffer("b", ranges), ranges, |i| {
        let mixed = i.wrapping_mul(0x9e37_79b9) >> 12;
        let ((from, read), (to, reads)) = (SIDES[mixed % 4], SIDES[mixed / 4 % 4]);
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}
             barrier {{ buffer b {{ sync COMPUTE_SHADING|{from} -> COMPUTE_SHADING|{to}; \
             access UNORDERED_ACCESS|{read} -> UNORDERED_ACCESS|{reads} }} }}",
            range(i)
        )
    })
}

/// Each write makes one more range live; a copy of all of the buffer comes after each.
fn whole_copies(commands: usize) -> String {
    let ranges = commands / 4;
    let head = format!(
        "device {{ copies asynchronous }}\n{}\n{}",
        buffer("b", ranges),
        buffer("c", ranges)
    );
    listed(&head, ranges, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}
             barrier {{ buffer b {{ sync COMPUTE_SHADING -> COPY; \
             access UNORDERED_ACCESS -> COPY_SOURCE }}; \
             buffer c {{ sync COPY -> COPY; access COPY_DEST -> COPY_DEST }} }}
             copy b -> c
             barrier {{ buffer b {{ sync COPY -> COMPUTE_SHADING; \
             access COPY_SOURCE -> UNORDERED_ACCESS }} }}",
            range(i)
        )
    })
}

/// Barriers on everything and on all of the buffer in turn.
fn global_and_whole(commands: usize) -> String {
    let ranges = commands / 4;
    listed(&buffer("b", ranges), ranges, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}
             barrier {{ global {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
             dispatch 4x1x1 {{ SHADER_RESOURCE b{} }}
             barrier {{ buffer b {{ {UAV_TO_UAV} }} }}",
            range(i),
            range(i / 2),
        )
    })
}

/// Barriers on everything, and now and then a read of the whole buffer.
fn global_only(commands: usize) -> String {
    let ranges = commands / 4;
    listed(&buffer("b", ranges), ranges, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}
             barrier {{ global {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> UNORDERED_ACCESS|SHADER_RESOURCE }} }}
             dispatch 4x1x1 {{ SHADER_RESOURCE b }}
             barrier {{ global {{ {UAV_TO_UAV} }} }}",
            range(i)
        )
    })
}

/// Live ranges of one buffer under barriers on all of an alias, which then reads all of them.
fn alias(commands: usize) -> String {
    let ranges = commands / 4;
    let bytes = ranges.max(1) * GRAIN;
    let placed =
        |name| format!("buffer {name} : {bytes}B {{ flags UNORDERED_ACCESS; heap pool at 0 }}");
    let head = format!("heap pool : {bytes}B\n{}\n{}", placed("a"), placed("b"));
    listed(&head, ranges, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS a{} writes }}
             barrier {{ buffer a {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
             dispatch 4x1x1 {{ SHADER_RESOURCE b }}
             barrier {{ buffer b {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> UNORDERED_ACCESS }} }}",
            range(i)
        )
    })
}

fn texture() -> String {
    format!(
        "texture t : R8G8B8A8_UNORM 16x16 {{ layers {LAYERS}; flags UNORDERED_ACCESS; \
         initial UNORDERED_ACCESS }}"
    )
}

/// Layers are written one by one; all of the texture changes its layout to and fro.
fn layers(commands: usize) -> String {
    listed(&texture(), commands / 4, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS t[layer {}] writes }}
             barrier {{ texture t {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE; \
             layout UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
             dispatch 4x1x1 {{ SHADER_RESOURCE t[layer {}] }}
             barrier {{ texture t {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> UNORDERED_ACCESS; \
             layout SHADER_RESOURCE -> UNORDERED_ACCESS }} }}",
            i * 7 % LAYERS,
            i * 11 % LAYERS,
        )
    })
}

/// Layers change their layout one by one; barriers on all of the texture change none.
fn layer_transitions(commands: usize) -> String {
    listed(&texture(), commands / 4, |i| {
        let layer = i * 7 % LAYERS;
        format!(
            "barrier {{ texture t[layer {layer}] {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> SHADER_RESOURCE; \
             layout UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
             dispatch 4x1x1 {{ SHADER_RESOURCE t[layer {layer}] }}
             barrier {{ texture t {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> SHADER_RESOURCE; layout UNDEFINED -> UNDEFINED }} }}
             dispatch 4x1x1 {{ SHADER_RESOURCE t[layer {layer}] }}"
        )
    })
}

/// Two queues without order, one submission a command, one buffer.
fn unordered_queues(commands: usize) -> String {
    format!(
        "queue gfx : direct\nqueue async : compute\n{}\n\
         list one : direct {{ dispatch 4x1x1 {{ UNORDERED_ACCESS b writes }} }}\n\
         list two : compute {{ dispatch 4x1x1 {{ UNORDERED_ACCESS b writes }} }}\n\
         timeline {{\n  repeat {} {{\n    gfx execute one\n    async execute two\n  }}\n}}\n",
        buffer("b", 256),
        (commands / 2).max(1)
    )
}

/// One queue writes one more range a submission, another one reads them all.
fn unordered_parts(commands: usize) -> String {
    let ranges = commands / 2;
    let mut text = format!(
        "queue gfx : direct\nqueue async : compute\n{}\n\
         list read : compute {{ dispatch 4x1x1 {{ SHADER_RESOURCE b }} }}\n",
        buffer("b", ranges)
    );
    let mut timeline = String::new();
    for i in 0..ranges {
        let write = format!("dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}", range(i));
        writeln!(text, "list w{i} : direct {{ {write} }}").expect("a string");
        writeln!(timeline, "  gfx execute w{i}\n  async execute read").expect("a string");
    }
    text + "timeline {\n" + &timeline + "}\n"
}

/// Two hazards a command.
fn storm(commands: usize) -> String {
    let head = format!("{}\n{}", buffer("a", 256), buffer("b", 256));
    listed(&head, commands, |i| {
        let (from, to) = if i % 2 == 0 { ("a", "b") } else { ("b", "a") };
        format!("dispatch 4x1x1 {{ SHADER_RESOURCE {from}; UNORDERED_ACCESS {to} writes }}")
    })
}

/// More and more parts of a buffer are discarded; all of it is read after each.
fn lost_parts(commands: usize) -> String {
    let ranges = commands / 2;
    listed(&buffer("b", ranges), ranges, |i| {
        format!(
            "discard b{}\ndispatch 4x1x1 {{ SHADER_RESOURCE b }}",
            range(i)
        )
    })
}

/// A buffer, and as many aliases of parts of it as there are writes.
fn aliases(commands: usize) -> String {
    const ALIGNED: usize = 64 * 1024;
    let count = (commands / 3).max(1);
    let mut head = format!("heap pool : {}B\n", count * ALIGNED);
    let placed = |bytes, at| format!(": {bytes}B {{ flags UNORDERED_ACCESS; heap pool at {at} }}");
    writeln!(head, "buffer all {}", placed(count * ALIGNED, 0)).expect("a string");
    for i in 0..count {
        writeln!(head, "buffer b{i} {}", placed(ALIGNED, i * ALIGNED)).expect("a string");
    }
    listed(&head, count, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{i} writes }}
             barrier {{ buffer all {{ {UAV_TO_UAV} }} }}
             dispatch 4x1x1 {{ UNORDERED_ACCESS all writes }}"
        )
    })
}

/// Render targets take turns in the same memory.
fn attachments(commands: usize) -> String {
    let count = (commands / 3).max(1);
    let mut head = String::from("heap pool : 1MiB\n");
    for i in 0..count {
        writeln!(
            head,
            "texture t{i} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial UNDEFINED; heap pool at 0 }}"
        )
        .expect("a string");
    }
    listed(&head, count, |i| {
        format!(
            "barrier {{ texture t{i} {{ sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; \
             layout UNDEFINED -> RENDER_TARGET; discard }} }}
             clear-rtv t{i}
             barrier {{ texture t{i} {{ sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; \
             layout RENDER_TARGET -> UNDEFINED }} }}"
        )
    })
}

/// Resources in a row, `count` of them, and a buffer under all of them; `declared` gives the rest of each declaration.
fn row(count: usize, declared: &str) -> String {
    const PLACE: usize = 64 * 1024;
    let mut head = format!("heap pool : {}B\n", count * PLACE);
    let flags = "flags UNORDERED_ACCESS; heap pool at";
    let (half, all) = (count / 2, count * PLACE);
    for i in 0..count {
        if i == half {
            writeln!(head, "buffer under : {all}B {{ {flags} 0 }}").expect("a string");
        }
        let kind = declared.replace('%', &i.to_string());
        writeln!(head, "{kind}{flags} {} }}", i * PLACE).expect("a string");
    }
    head
}

/// Buffers in a row and the buffer under all of them are written in turn, with a barrier after each.
fn parts_of_a_heap(commands: usize) -> String {
    let count = (commands / 4).max(1);
    listed(&row(count, "buffer b% : 64KiB { "), count, |i| {
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{i} writes }}
             barrier {{ buffer b{i} {{ {UAV_TO_UAV} }}; buffer under {{ {UAV_TO_UAV} }} }}
             dispatch 4x1x1 {{ UNORDERED_ACCESS under }}
             barrier {{ buffer under {{ {UAV_TO_UAV} }} }}"
        )
    })
}

/// Textures in a row are activated, written and deactivated, each before the buffer under all of them is written.
fn textures_over_a_buffer(commands: usize) -> String {
    let count = (commands / 4).max(1);
    let declared = "texture t% : R8G8B8A8_UNORM 64x64 { initial UNDEFINED; ";
    listed(&row(count, declared), count, |i| {
        format!(
            "barrier {{ texture t{i} {{ sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS; \
             layout UNDEFINED -> UNORDERED_ACCESS; discard }} }}
             dispatch 4x1x1 {{ UNORDERED_ACCESS t{i} writes }}
             barrier {{ texture t{i} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access UNORDERED_ACCESS -> NO_ACCESS; layout UNORDERED_ACCESS -> UNDEFINED }}; \
             buffer under {{ {UAV_TO_UAV} }} }}
             dispatch 4x1x1 {{ UNORDERED_ACCESS under }}"
        )
    })
}

/// Mips of all layers change their layout, and layers of all mips, in turn.
fn mips(commands: usize) -> String {
    const TO_AND_FRO: [(&str, &str); 2] = [
        ("UNORDERED_ACCESS", "SHADER_RESOURCE"),
        ("SHADER_RESOURCE", "UNORDERED_ACCESS"),
    ];
    let head = "texture t : R8G8B8A8_UNORM 16x16 { layers 64; mips 5; flags UNORDERED_ACCESS; \
                initial UNORDERED_ACCESS }";
    listed(head, commands / 8, |i| {
        let ranges = [
            format!("[mip {}]", i % 5),
            format!("[layer {}]", i * 7 % 64),
        ];
        let lines = ranges.iter().flat_map(|range| {
            TO_AND_FRO.map(|(from, to)| {
                format!(
                    "barrier {{ texture t{range} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
                     access {from} -> {to}; layout {from} -> {to} }} }}
                     dispatch 4x1x1 {{ {to} t{range} }}\n"
                )
            })
        });
        lines.collect()
    })
}

/// So many compute queues, each with a fence.
fn queues(count: usize) -> String {
    let mut text = buffer("b", 1) + "\n";
    for i in 0..count {
        writeln!(text, "queue q{i} : compute\nfence f{i}").expect("a string");
    }
    text + "list write : compute { dispatch 4x1x1 { UNORDERED_ACCESS b writes } }\ntimeline {\n"
}

/// Many queues write one buffer in turn; each waits for the one before it.
fn rings(commands: usize) -> String {
    let count = (commands / 32).max(2);
    let mut text = queues(count);
    for i in 0..commands {
        let (own, turn) = (i % count, i / count + 1);
        if i > 0 {
            let (before, turn) = ((i - 1) % count, (i - 1) / count + 1);
            writeln!(text, "  q{own} wait f{before} {turn}").expect("a string");
        }
        writeln!(
            text,
            "  q{own} execute write\n  q{own} signal f{own} {turn}"
        )
        .expect("a string");
    }
    text + "}\n"
}

/// Sixteen queues write one buffer, and nothing orders them.
fn unordered_crowd(commands: usize) -> String {
    const COUNT: usize = 16;
    let mut text = queues(COUNT);
    for i in 0..commands {
        writeln!(text, "  q{} execute write", i % COUNT).expect("a string");
    }
    text + "}\n"
}

/// One queue writes one more range of a buffer a submission, another one reads all of it. `order` gives the statements of
/// a round from its number, a write and a read.
fn late(commands: usize, order: impl Fn(usize, &str, &str) -> String) -> String {
    let ranges = (commands / 2).max(1);
    let mut text = format!(
        "queue gfx : direct\nqueue async : compute\nfence f\nfence g\n{}\n\
         list read : compute {{ dispatch 4x1x1 {{ SHADER_RESOURCE b }} }}\n",
        buffer("b", ranges)
    );
    let mut timeline = String::new();
    for i in 0..ranges {
        let write = format!("dispatch 4x1x1 {{ UNORDERED_ACCESS b{} writes }}", range(i));
        writeln!(text, "list w{i} : direct {{ {write} }}").expect("a string");
        let (write, read) = (format!("gfx execute w{i}"), "async execute read");
        writeln!(timeline, "{}", order(i + 1, &write, read)).expect("a string");
    }
    text + "timeline {\n" + &timeline + "}\n"
}

/// Each read waits for a signal that is submitted after it, and the next write for the read.
fn late_signals(commands: usize) -> String {
    late(commands, |i, write, read| {
        format!(
            "async wait f {i}\n{read}\nasync signal g {i}\n{write}\ngfx signal f {i}\ngfx wait g {i}"
        )
    })
}

/// Each read waits for a signal that is submitted after it, and the next write races with it.
fn late_signals_racing(commands: usize) -> String {
    late(commands, |i, write, read| {
        format!("async wait f {i}\n{read}\n{write}\ngfx signal f {i}")
    })
}

/// One wait is submitted before its signal; after that, writes and reads race.
fn late_signal(commands: usize) -> String {
    late(commands, |i, write, read| {
        let first = if i == 1 {
            "async wait f 1\ngfx signal f 1\n"
        } else {
            ""
        };
        format!("{first}{read}\n{write}")
    })
}

/// Buffers that all start at one byte and end at different ones are written in no order, with a barrier on each.
fn nested(commands: usize) -> String {
    const PLACE: usize = 64 * 1024;
    let count = (commands / 2).max(1);
    let mut head = format!("heap pool : {}B\n", count * PLACE);
    for i in 0..count {
        let bytes = (i + 1) * PLACE;
        writeln!(
            head,
            "buffer b{i} : {bytes}B {{ flags UNORDERED_ACCESS; heap pool at 0 }}"
        )
        .expect("a string");
    }
    listed(&head, count, |i| {
        let one = i * 7_919 % count;
        format!(
            "dispatch 4x1x1 {{ UNORDERED_ACCESS b{one} writes }}
             barrier {{ buffer b{one} {{ {UAV_TO_UAV} }} }}"
        )
    })
}

/// Ranges of any place and length are written and read, with a barrier on all of the buffer after each.
fn random_ranges(commands: usize) -> String {
    const ORDERED: &str = "sync COMPUTE_SHADING -> COMPUTE_SHADING; \
                           access UNORDERED_ACCESS|SHADER_RESOURCE -> UNORDERED_ACCESS|SHADER_RESOURCE";
    let count = (commands / 2).max(1);
    listed(&buffer("b", count), count, |i| {
        let place = |number: usize| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let at = |number: usize| (place(number) * (count * GRAIN / 4)) >> 32;
        let (one, other) = (at(2 * i + 1), at(2 * i + 2));
        let (start, end) = (4 * one.min(other), 4 * one.max(other) + 4);
        let what = if i % 2 == 0 {
            format!("UNORDERED_ACCESS b[{start}..{end}] writes")
        } else {
            format!("SHADER_RESOURCE b[{start}..{end}]")
        };
        format!("dispatch 4x1x1 {{ {what} }}\nbarrier {{ buffer b {{ {ORDERED} }} }}")
    })
}

/// One queue reads a buffer range by range, then two queues write all of it in turn, and nothing orders them.
fn whole_races(commands: usize) -> String {
    let ranges = (commands / 2).max(1);
    let mut text = format!(
        "queue gfx : direct\nqueue async : compute\n{}\nlist parts : direct {{\n",
        buffer("b", ranges)
    );
    for i in 0..ranges {
        let range = range(i);
        writeln!(text, "  dispatch 4x1x1 {{ SHADER_RESOURCE b{range} }}").expect("a string");
    }
    let all = "{ dispatch 4x1x1 { UNORDERED_ACCESS b writes } }";
    let turns = (commands / 4).max(1);
    text + &format!(
        "}}\nlist one : direct {all}\nlist two : compute {all}\ntimeline {{\n  gfx execute parts\n  \
         repeat {turns} {{\n    async execute two\n    gfx execute one\n  }}\n}}\n"
    )
}

/// One queue writes a buffer range by range, then two others write all of it in turn, and nothing orders the three.
fn third_queue(commands: usize) -> String {
    let ranges = (commands / 2).max(1);
    let mut text = format!(
        "queue gfx : direct\nqueue async : compute\nqueue third : compute\n{}\nlist parts : compute {{\n",
        buffer("b", ranges)
    );
    for i in 0..ranges {
        let range = range(i);
        writeln!(
            text,
            "  dispatch 4x1x1 {{ UNORDERED_ACCESS b{range} writes }}"
        )
        .expect("a string");
    }
    let all = "{ dispatch 4x1x1 { UNORDERED_ACCESS b writes } }";
    let turns = (commands / 4).max(1);
    text + &format!(
        "}}\nlist one : direct {all}\nlist two : compute {all}\ntimeline {{\n  third execute parts\n  \
         repeat {turns} {{\n    async execute two\n    gfx execute one\n  }}\n}}\n"
    )
}

/// Queues read what one of them writes, each after a wait for one value of one fence, which is signalled last.
fn late_readers(commands: usize) -> String {
    let count = (commands / 4).max(1);
    let mut text = buffer("b", 1) + "\nfence f\nqueue gfx : direct\n";
    for i in 0..count {
        writeln!(text, "queue q{i} : compute").expect("a string");
    }
    text += "list write : direct { dispatch 4x1x1 { UNORDERED_ACCESS b writes } }\n\
             list read : compute { dispatch 4x1x1 { SHADER_RESOURCE b } }\n\
             timeline {\n  gfx execute write\n";
    for i in 0..count {
        writeln!(text, "  q{i} wait f 1\n  q{i} execute read").expect("a string");
    }
    text + "  gfx signal f 1\n}\n"
}
