//! From a capture of a running application to a scenario: events in, a scenario and a report out.
//!
//! A pure rewrite. The capture's calls are followed in order (`vulkan`, `d3d12`); what they did becomes a draft, whose
//! lists are shared and whose frames are folded (`draft`, `fold`). Vulkan's calls become a story first, in Vulkan's own
//! layouts and dependencies, which is settled into D3D12's as a whole (`settle`).
//!
//! Nothing is dropped silently: what has no exact word in the scenario language is counted in the [`ImportReport`].

mod draft;
mod fold;
mod names;
mod report;
mod settle;
mod story;
mod vulkan;

pub use report::{BadLine, Calls, Entry as ReportEntry, Fate, ImportReport};

use crate::capture::{Event, Kind};
use crate::scenario::Scenario;
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
pub struct Imported {
    /// The scenario. Its timeline is empty if the capture submitted nothing.
    pub scenario: Scenario,
    /// What became of the capture.
    pub report: ImportReport,
}

/// Reads a capture line by line.
pub struct Importer {
    vulkan: Vulkan,
    title: Option<String>,
}

impl Importer {
    /// Before the first line.
    pub fn new(mut options: Options) -> Self {
        let title = options.title.take();
        Self {
            vulkan: Vulkan::new(options, Notes::default()),
            title,
        }
    }

    /// Reads a line. A line that cannot be read is noted in the report. Breaks when every frame that is kept is complete.
    pub fn line(&mut self, number: u64, line: &[u8]) -> ControlFlow<()> {
        self.vulkan.notes.report.lines = number;
        if line.iter().all(u8::is_ascii_whitespace) {
            return ControlFlow::Continue(());
        }
        let result = Event::parse(line).and_then(|event| match event.kind {
            Kind::Vulkan | Kind::Function => {
                self.vulkan.notes.report.calls += 1;
                self.vulkan.call(&event)
            }
            Kind::Method => {
                self.vulkan.notes.report.calls += 1;
                Ok(ControlFlow::Continue(()))
            }
            Kind::Meta | Kind::Marker | Kind::Header | Kind::Other => Ok(ControlFlow::Continue(())),
        });
        result.unwrap_or_else(|problem| {
            self.vulkan.notes.bad_line(number, problem.to_string());
            ControlFlow::Continue(())
        })
    }

    /// After the last line.
    pub fn finish(self) -> Imported {
        let (story, mut notes) = self.vulkan.finish();
        let mut draft = settle::settle(&story, &mut notes);
        draft.copies_are_asynchronous();
        Imported {
            scenario: draft.finish(self.title),
            report: notes.finish(),
        }
    }
}
