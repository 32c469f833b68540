//! From a capture of a running application to a scenario: events in, a scenario and a report out.
//!
//! A pure rewrite. The capture's calls are followed in order (`vulkan`, `d3d12`); what they did becomes a draft, whose
//! lists are shared and whose frames are folded (`draft`, `fold`). Vulkan's calls become a story first, in Vulkan's own
//! layouts and dependencies, which is settled into D3D12's as a whole (`settle`).
//!
//! Nothing is dropped silently: what has no exact word in the scenario language is counted in the [`ImportReport`].

mod d3d12;
mod draft;
mod fold;
mod names;
mod report;
mod runs;
mod settle;
mod shared;
mod step;
mod story;
mod vulkan;

pub use report::{BadLine, Calls, Entry as ReportEntry, Fate, ImportReport};

use crate::interop::capture::{Event, LineKind, Problem};
use crate::scenario::Scenario;
use crate::scenario::parser::TEXTURE_SAMPLES;
use d3d12::D3d12;
use report::Notes;
use std::ops::ControlFlow;
use vulkan::Vulkan;

/// Frames that are kept, counted from 0: a half-open range.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first.
    pub from: u64,
    /// One past the last; `None` is the end of the capture.
    pub to: Option<u64>,
}

/// What an import is told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Frames that are kept.
    pub window: Window,
    /// SPIR-V of shader modules by handle.
    pub shaders: Vec<(u64, Vec<u8>)>,
    /// Title of the scenario.
    pub title: Option<String>,
}

/// A scenario from a capture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The scenario. Its timeline is empty if the capture submitted nothing.
    pub scenario: Scenario,
    /// What became of the capture.
    pub report: ImportReport,
}

/// Reads a capture line by line.
pub struct Importer {
    vulkan: Vulkan,
    /// There from the first call of a method on.
    d3d12: Option<Box<D3d12>>,
    options: Options,
}

impl Importer {
    /// Before the first line.
    pub fn new(mut options: Options) -> Self {
        let shaders = std::mem::take(&mut options.shaders);
        Self {
            vulkan: Vulkan::new(options.window, shaders, Notes::default()),
            d3d12: None,
            options,
        }
    }

    /// Reads a line. A line that cannot be read is noted in the report. Breaks when every frame that is kept is complete.
    pub fn line(&mut self, number: u64, line: &[u8]) -> ControlFlow<()> {
        self.vulkan.notes.report.lines = number;
        if line.iter().all(u8::is_ascii_whitespace) {
            return ControlFlow::Continue(());
        }
        self.event(line).unwrap_or_else(|problem| {
            self.vulkan.notes.bad_line(number, problem.to_string());
            ControlFlow::Continue(())
        })
    }

    fn event(&mut self, line: &[u8]) -> Result<ControlFlow<()>, Problem> {
        let event = Event::parse(line)?;
        if event.kind == LineKind::Meta && event.name == "FillMemoryCommand" {
            self.vulkan.notes.call = event.index;
            self.vulkan.notes.dropped(FILLED);
        }
        let is_call = matches!(
            event.kind,
            LineKind::Vulkan | LineKind::Function | LineKind::Method
        );
        if !is_call {
            return Ok(ControlFlow::Continue(()));
        }
        self.vulkan.notes.report.calls += 1;
        let is_vulkan = event.kind != LineKind::Method && event.name.starts_with("vk");
        if is_vulkan {
            return self.vulkan.call(&event);
        }
        let d3d12 = self
            .d3d12
            .get_or_insert_with(|| Box::new(D3d12::new(&self.options)));
        d3d12.call(&event, &mut self.vulkan.notes)
    }

    /// After the last line.
    pub fn finish(self) -> Imported {
        let (story, mut notes) = self.vulkan.finish();
        let is_vulkan = !story.steps.is_empty();
        let draft = match self.d3d12 {
            Some(d3d12) if !is_vulkan => d3d12.finish(&mut notes),
            _ => {
                let mut draft = settle::settle(&story, &mut notes);
                draft.copies_are_asynchronous();
                draft
            }
        };
        Imported {
            scenario: draft.finish(self.options.title),
            report: notes.finish(),
        }
    }
}

/// What is said of blocks of a capture that fill memory.
const FILLED: &str = "memory that the CPU wrote through a mapping, as blocks that fill memory say: whole pages and not before the next submission, so when and what is not known";

/// The samples of a texel, as many as a capture says or the next fewer that a texture may have.
fn sample_count(said: u64) -> u32 {
    let known = TEXTURE_SAMPLES.into_iter().rev();
    let mut fewer = known.filter(|count| u64::from(*count) <= said);
    fewer.next().unwrap_or(TEXTURE_SAMPLES[0])
}
