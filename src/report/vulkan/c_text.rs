//! The format `c`: barriers as C source text that compiles with `vulkan.h`. Handles are variables that a caller sets.

use super::{VULKAN, asked_text, event, function, identifier, list_name};
use crate::finding::Source;
use crate::interop::exchange::{Call, CallKind, Entry, Exported, Form, ListCalls, Masks};
use crate::report::format::Format;
use crate::report::{Style, text};
use crate::scenario::Scenario;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["c", "h"],
    writers: &[VULKAN.by(&(write as _))],
    ..Format::new("c", "C source text that compiles with vulkan.h")
};

/// Writes the text.
fn write(
    exported: &Exported,
    source: &Source,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = style.columns.max(72);
    let file = safe(&source.name);
    comment(
        &format!(
            "The barriers of {file} in Vulkan's words, by the table {}: {}.",
            exported.table.name(),
            exported.table.source()
        ),
        "",
        columns,
        out,
    )?;
    let legality = "Whether they are right is not judged here: `syncscope run` does that. Handles are variables; set them.";
    comment(legality, "", columns, out)?;
    let all = exported.lists.iter().flat_map(|list| &list.calls);
    if all.flat_map(|call| &call.entries).any(needs_beta) {
        writeln!(out, "#define VK_ENABLE_BETA_EXTENSIONS")?;
    }
    writeln!(out, "#include <vulkan/vulkan.h>\n")?;
    handles(exported, out)?;
    if exported.boundaries {
        between_submissions(columns, out)?;
    }
    for list in &exported.lists {
        write_list(exported, list, source, columns, out)?;
    }
    if exported.lists.is_empty() {
        comment("No list records a barrier.", "", columns, out)?;
    }
    Ok(())
}

/// Words that older headers have only as provisional ones.
fn needs_beta(entry: &Entry) -> bool {
    let layouts = entry.form.layouts();
    let names = layouts.map(|(old, new)| format!("{old} {new}"));
    names.is_some_and(|names| names.contains("VIDEO_ENCODE"))
}

/// A text from outside in a comment: no line of it ends in a backslash.
fn safe(name: &str) -> String {
    text::clean(name).replace('\\', "/")
}

fn comment(words: &str, indent: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for line in text::wrap(words, columns - indent.len() - 3) {
        writeln!(out, "{indent}// {line}")?;
    }
    Ok(())
}

/// Declarations of what the calls name.
fn handles(exported: &Exported, out: &mut dyn Write) -> io::Result<()> {
    let scenario = &exported.scenario;
    let mut lines = BTreeSet::new();
    for list in &exported.lists {
        for call in &list.calls {
            match call.kind {
                CallKind::SignalFence(..) | CallKind::WaitFence(..) => {
                    let name = event(scenario, call.kind).expect("fences have events");
                    lines.insert(format!("extern VkEvent event_{name};"));
                }
                _ => {}
            }
            for entry in &call.entries {
                match &entry.form {
                    Form::Buffer(id, _) => {
                        lines.insert(format!("extern VkBuffer {};", handle(scenario, *id)));
                    }
                    Form::Image { resource, .. } => {
                        lines.insert(format!("extern VkImage {};", handle(scenario, *resource)));
                    }
                    Form::Memory(_) | Form::Nothing => {}
                }
            }
        }
        for event in 0..list.events {
            let function = function_name(exported, list);
            lines.insert(format!("extern VkEvent event_{function}_split_{event};"));
        }
    }
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    if lines.is_empty() {
        Ok(())
    } else {
        writeln!(out)
    }
}

/// The variable of a resource. Names that become the same word of C are told apart by number.
fn handle(scenario: &Scenario, id: crate::id::ResourceId) -> String {
    let resource = scenario.resource(id);
    let prefix = if resource.is_buffer() {
        "buffer"
    } else {
        "image"
    };
    let word = |name: &str| format!("{prefix}_{}", identifier(name));
    let own = word(scenario.resource_name(id));
    let twins = scenario
        .resources
        .iter()
        .filter(|(name, other)| other.is_buffer() == resource.is_buffer() && word(name) == own)
        .count();
    if twins > 1 {
        format!("{own}_{}", id.index())
    } else {
        own
    }
}

fn function_name(exported: &Exported, list: &ListCalls) -> String {
    match &exported.scenario.lists[list.list].name {
        Some(name) => {
            let word = identifier(name);
            let lists = exported.scenario.lists.iter();
            let twins = lists.filter(|l| l.name.as_ref().is_some_and(|n| identifier(n) == word));
            if twins.count() > 1 {
                format!("list_{word}_{}", list.list.index())
            } else {
                format!("list_{word}")
            }
        }
        None => format!("list_in_place_{}", list.list.index()),
    }
}

fn between_submissions(columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let why = "D3D12 finishes and flushes everything between two submissions of one queue; Vulkan orders nothing there. \
               Record this first in each later submission.";
    comment(why, "", columns, out)?;
    writeln!(out, "void between_submissions(VkCommandBuffer commands) {{")?;
    writeln!(out, "    {{")?;
    writeln!(out, "        const VkMemoryBarrier2 memory[] = {{")?;
    writeln!(out, "            {{")?;
    writeln!(
        out,
        "                .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,"
    )?;
    let everything = Masks {
        src_stages: crate::interop::vulkan::StageFlags::ALL_COMMANDS,
        src_access: crate::interop::vulkan::AccessFlags::MEMORY_WRITE,
        dst_stages: crate::interop::vulkan::StageFlags::ALL_COMMANDS,
        dst_access: crate::interop::vulkan::AccessFlags::MEMORY_READ
            | crate::interop::vulkan::AccessFlags::MEMORY_WRITE,
    };
    masks(&everything, columns, out)?;
    writeln!(out, "            }},")?;
    writeln!(out, "        }};")?;
    dependency(&[("memory", "Memory", 1)], out)?;
    writeln!(out, "        vkCmdPipelineBarrier2(commands, &dependency);")?;
    writeln!(out, "    }}\n}}\n")
}

fn write_list(
    exported: &Exported,
    list: &ListCalls,
    source: &Source,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let scenario = &exported.scenario;
    let name = function_name(exported, list);
    let kind = scenario.lists[list.list].queue_type.word();
    let title = format!("List {}, {kind}.", list_name(scenario, list.list, source));
    comment(&title, "", columns, out)?;
    writeln!(out, "void {name}(VkCommandBuffer commands) {{")?;
    for (at, call) in list.calls.iter().enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        write_call(exported, &name, call, source, columns, out)?;
    }
    if list.calls.iter().all(|call| call.kind == CallKind::Nothing) {
        writeln!(out, "    (void)commands;")?;
    }
    writeln!(out, "}}\n")
}

fn write_call(
    exported: &Exported,
    list: &str,
    call: &Call,
    source: &Source,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let scenario = &exported.scenario;
    let Some(function) = function(call.kind) else {
        for entry in &call.entries {
            entry_comment(scenario, entry, "    ", source, columns, out)?;
        }
        return Ok(());
    };
    writeln!(out, "    {{")?;
    let mut counts = Vec::new();
    for (word, field, structure) in [
        ("memory", "Memory", "VkMemoryBarrier2"),
        ("buffers", "BufferMemory", "VkBufferMemoryBarrier2"),
        ("images", "ImageMemory", "VkImageMemoryBarrier2"),
    ] {
        let entries: Vec<&Entry> = call
            .entries
            .iter()
            .filter(|entry| super::structure(&entry.form) == Some(structure))
            .collect();
        if entries.is_empty() {
            continue;
        }
        writeln!(out, "        const {structure} {word}[] = {{")?;
        for entry in &entries {
            entry_comment(scenario, entry, "            ", source, columns, out)?;
            write_entry(scenario, entry, columns, out)?;
        }
        writeln!(out, "        }};")?;
        counts.push((word, field, entries.len()));
    }
    dependency(&counts, out)?;
    let event = event(scenario, call.kind).map(|name| match call.kind {
        CallKind::SetEvent(_) | CallKind::WaitEvent(_) => format!("event_{list}_{name}"),
        _ => format!("event_{name}"),
    });
    match (call.kind, event) {
        (CallKind::WaitEvent(_) | CallKind::WaitFence(..), Some(event)) => {
            writeln!(
                out,
                "        {function}(commands, 1, &{event}, &dependency);"
            )?;
        }
        (_, Some(event)) => writeln!(out, "        {function}(commands, {event}, &dependency);")?,
        (_, None) => writeln!(out, "        {function}(commands, &dependency);")?,
    }
    writeln!(out, "    }}")
}

fn dependency(counts: &[(&str, &str, usize)], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "        const VkDependencyInfo dependency = {{")?;
    writeln!(
        out,
        "            .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,"
    )?;
    for (word, field, count) in counts {
        let small = field[..1].to_lowercase() + &field[1..];
        writeln!(out, "            .{small}BarrierCount = {count},")?;
        writeln!(out, "            .p{field}Barriers = {word},")?;
    }
    writeln!(out, "        }};")
}

fn entry_comment(
    scenario: &Scenario,
    entry: &Entry,
    indent: &str,
    source: &Source,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let line = source.line(entry.span.start);
    let gone = if entry.form == Form::Nothing {
        "; nothing is left"
    } else {
        ""
    };
    let what = safe(&asked_text(scenario, &entry.asked));
    comment(&format!("line {line}: {what}{gone}"), indent, columns, out)?;
    for note in &entry.notes {
        comment(&safe(note), indent, columns, out)?;
    }
    Ok(())
}

fn write_entry(
    scenario: &Scenario,
    entry: &Entry,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let kind = match &entry.form {
        Form::Memory(_) => "MEMORY",
        Form::Buffer(..) => "BUFFER_MEMORY",
        Form::Image { .. } => "IMAGE_MEMORY",
        Form::Nothing => return Ok(()),
    };
    writeln!(out, "            {{")?;
    writeln!(
        out,
        "                .sType = VK_STRUCTURE_TYPE_{kind}_BARRIER_2,"
    )?;
    if let Some(own) = entry.form.masks() {
        masks(own, columns, out)?;
    }
    let families = "                .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,\n                \
                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,\n";
    match &entry.form {
        Form::Buffer(id, _) => {
            write!(out, "{families}")?;
            writeln!(out, "                .buffer = {},", handle(scenario, *id))?;
            writeln!(out, "                .offset = 0,")?;
            writeln!(out, "                .size = VK_WHOLE_SIZE,")?;
        }
        Form::Image {
            resource,
            old,
            new,
            range,
            ..
        } => {
            writeln!(out, "                .oldLayout = {},", old.c_text())?;
            writeln!(out, "                .newLayout = {},", new.c_text())?;
            write!(out, "{families}")?;
            writeln!(
                out,
                "                .image = {},",
                handle(scenario, *resource)
            )?;
            writeln!(out, "                .subresourceRange = {{")?;
            writeln!(
                out,
                "                    .aspectMask = {},",
                range.aspect_mask
            )?;
            writeln!(out, "                    .baseMipLevel = {},", range.mips.0)?;
            writeln!(out, "                    .levelCount = {},", range.mips.1)?;
            writeln!(
                out,
                "                    .baseArrayLayer = {},",
                range.layers.0
            )?;
            writeln!(out, "                    .layerCount = {},", range.layers.1)?;
            writeln!(out, "                }},")?;
        }
        Form::Memory(_) | Form::Nothing => {}
    }
    writeln!(out, "            }},")
}

/// The four masks; a long one goes on in the next line.
fn masks(masks: &Masks, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for (field, mask) in [
        ("srcStageMask", masks.src_stages.c_text()),
        ("srcAccessMask", masks.src_access.c_text()),
        ("dstStageMask", masks.dst_stages.c_text()),
        ("dstAccessMask", masks.dst_access.c_text()),
    ] {
        let mut line = format!("                .{field} = ");
        let mut has_part = false;
        for part in mask.split(" | ") {
            let joint = if has_part { " | " } else { "" };
            if has_part && line.len() + joint.len() + part.len() + 1 > columns {
                writeln!(out, "{line} |")?;
                line = format!("                    {part}");
            } else {
                line.push_str(joint);
                line.push_str(part);
            }
            has_part = true;
        }
        writeln!(out, "{line},")?;
    }
    Ok(())
}
