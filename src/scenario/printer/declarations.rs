//! Declarations: what each reads as before and inside its block.

use super::layout::Page;
use super::words::{heap_word, quoted, size_text, switch_word};
use super::{Piece, Printer};
use crate::api::HeapType;
use crate::scenario::model::{
    Adapter, Declaration, Device, Fence, Heap, Initial, List, Placement, Queue, Resource,
    ResourceKind, Role, TextureShape,
};

impl Printer<'_> {
    /// Puts a declaration on the page.
    pub(super) fn declaration(&self, declaration: Declaration, first: bool, page: &mut Page) {
        let scenario = self.scenario;
        let piece = match declaration {
            Declaration::Title => {
                let title = quoted(scenario.title.as_deref().unwrap_or(""));
                Piece::new(format!("scenario {title}"), &scenario.title_trivia)
            }
            Declaration::Device => device(&scenario.device),
            Declaration::Heap(id) => {
                let heap = scenario.heaps.named(id);
                let (name, heap) = heap.expect("a declared heap");
                heap_piece(name, heap)
            }
            Declaration::Resource(id) => {
                let resource = scenario.resources.named(id);
                let (name, resource) = resource.expect("a declared resource");
                self.resource(name, resource)
            }
            Declaration::Fence(id) => {
                let fence = scenario.fences.named(id);
                let (name, fence) = fence.expect("a declared fence");
                self.fence(name, fence)
            }
            Declaration::Queue(id) => {
                let queue = scenario.queues.named(id);
                let (name, queue) = queue.expect("a declared queue");
                self.queue(name, queue)
            }
            Declaration::Adapter(index) => adapter(&scenario.adapters[index as usize]),
            Declaration::List(id) => self.list(&scenario.lists[id]),
            Declaration::Timeline => match &scenario.timeline {
                Some(timeline) => Piece::new("timeline", &timeline.trivia)
                    .with(self.statements(&timeline.statements)),
                None => return,
            },
        };
        // Many commands or statements are never worth one line.
        let may_fold = !matches!(declaration, Declaration::List(_) | Declaration::Timeline);
        page.statement(&piece, first, may_fold);
    }

    fn resource(&self, name: &str, resource: &Resource) -> Piece {
        let mut options = Vec::new();
        let mut push = |text: String| options.push(Piece::option(text));
        let head = match &resource.kind {
            ResourceKind::Buffer { size } => format!("buffer {name} : {}", size_text(*size)),
            ResourceKind::Texture(shape) => {
                for (word, count) in [
                    ("mips", shape.mips),
                    ("layers", shape.layers),
                    ("samples", shape.samples),
                ] {
                    if count != 1 {
                        push(format!("{word} {count}"));
                    }
                }
                texture_head(name, shape)
            }
        };
        if !resource.flags.is_empty() {
            push(format!("flags {}", resource.flags));
        }
        match resource.initial {
            Initial::Default => {}
            Initial::Layout(layout) => push(format!("initial {}", layout.name())),
            Initial::State(state) => push(format!("state {state}")),
        }
        match resource.placement {
            Placement::Committed => {}
            Placement::Placed { heap, offset } => {
                let declared = self.scenario.heaps.named(heap);
                let name = declared.map_or("?", |(name, _)| name);
                let offset = if offset == 0 {
                    "0".into()
                } else {
                    size_text(offset)
                };
                push(format!("heap {name} at {offset}"));
            }
            Placement::Reserved => push("reserved".into()),
        }
        if resource.heap_type != HeapType::Default {
            push(format!("type {}", heap_word(resource.heap_type)));
        }
        if resource.uncompressed {
            push("uncompressed".into());
        }
        if resource.keep {
            push("keep".into());
        }
        Piece::new(head, &resource.trivia).with_any(options)
    }

    fn fence(&self, name: &str, fence: &Fence) -> Piece {
        let mut options = Vec::new();
        let mut push = |text: String| options.push(Piece::option(text));
        if let Some(kind) = &fence.kind {
            push(format!("kind {kind}"));
        }
        if let Some(native) = &fence.native {
            push(format!("native {native}"));
        }
        if !fence.flags.is_empty() {
            let names: Vec<&str> = fence.flags.iter().map(|(name, _)| name.as_str()).collect();
            push(format!("flags {}", names.join("|")));
        }
        if let Some(adapter) = fence.adapter {
            push(format!("adapter {adapter}"));
        }
        if let Some(process) = fence.process {
            push(format!("process {}", self.scenario.queue_name(process)));
        }
        for (word, number) in [
            ("current", fence.storage.current),
            ("monitored", fence.storage.monitored),
            ("private", fence.storage.private_data_bytes),
        ] {
            if let Some(number) = number {
                push(format!("storage {word} {number}"));
            }
        }
        if fence.uninitialised {
            push("uninitialised".into());
        }
        if fence.list_scoped {
            push("scope list".into());
        }
        let head = if fence.initial == 0 {
            format!("fence {name}")
        } else {
            format!("fence {name} = {}", fence.initial)
        };
        Piece::new(head, &fence.trivia).with_any(options)
    }

    fn queue(&self, name: &str, queue: &Queue) -> Piece {
        let process = queue.process.map(|id| self.scenario.queue_name(id));
        let mut options = Vec::new();
        let head = match queue.role {
            Role::Process => format!("process {name}"),
            Role::Thread => format!("thread {name} : {}", process.unwrap_or("?")),
            Role::Queue => {
                options.extend(process.map(|p| Piece::option(format!("process {p}"))));
                options.extend(queue.adapter.map(|a| Piece::option(format!("adapter {a}"))));
                format!("queue {name} : {}", queue.queue_type.word())
            }
        };
        Piece::new(head, &queue.trivia).with_any(options)
    }

    fn list(&self, list: &List) -> Piece {
        let name = list.name.as_deref().unwrap_or("unnamed");
        let extended = if list.extended_async {
            " extended-async"
        } else {
            ""
        };
        let head = format!("list {name} : {}{extended}", list.queue_type.word());
        Piece::new(head, &list.trivia).with(self.commands(&list.commands))
    }
}

fn device(device: &Device) -> Piece {
    let mut options = Vec::new();
    let mut push = |text: String| options.push(Piece::option(text));
    if let Some(profile) = &device.profile {
        push(format!("profile {}", name_or_quoted(profile)));
    }
    if let Some(lowering) = &device.lowering {
        push(format!("lowering {}", name_or_quoted(lowering)));
    }
    if device.asynchronous_copies {
        push("copies asynchronous".into());
    }
    for (capability, on, _) in &device.capabilities {
        let (word, switch) = (capability.word(), switch_word(*on));
        push(format!("capability {word} {switch}"));
    }
    Piece::new("device", &device.trivia).with(options)
}

/// A name as it is; what is no name, such as a path, in quotes.
fn name_or_quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

fn heap_piece(name: &str, heap: &Heap) -> Piece {
    let kind = Piece::option(format!("type {}", heap_word(heap.heap_type)));
    let size = size_text(heap.size);
    Piece::new(format!("heap {name} : {size}"), &heap.trivia).with(vec![kind])
}

fn texture_head(name: &str, shape: &TextureShape) -> String {
    let depth = if shape.depth > 1 {
        format!("x{}", shape.depth)
    } else {
        String::new()
    };
    let (format, width, height) = (shape.format.name(), shape.width, shape.height);
    format!("texture {name} : {format} {width}x{height}{depth}")
}

fn adapter(adapter: &Adapter) -> Piece {
    let mut options = Vec::new();
    let mut push = |text: String| options.push(Piece::option(text));
    for (word, on) in [
        ("native-fences", adapter.native_fences),
        ("optimised-default", adapter.optimised_default),
        ("intra-gpu", adapter.intra_gpu),
    ] {
        if let Some(on) = on {
            push(format!("{word} {}", switch_word(on)));
        }
    }
    if !adapter.segments.is_empty() {
        let words: Vec<&str> = adapter.segments.iter().map(|s| s.word()).collect();
        push(format!("segments {}", words.join("|")));
    }
    if let Some(bytes) = adapter.stride_bytes {
        push(format!("stride {bytes}"));
    }
    Piece::new(format!("adapter {}", adapter.number), &adapter.trivia).with(options)
}
