//! The second product on the same ground: other APIs and captures of running programs.
//!
//! * [`vulkan`] has Vulkan's words and what they mean in D3D12's, [`shader`] which descriptors a SPIR-V module uses.
//! * [`capture`] is a call of an application, and [`import`] makes a scenario of many.
//! * [`frame_graph`] is what an engine has in place of a scenario: passes with what they read and write.
//! * [`exchange`] puts barriers into Vulkan's words and brings them back.
//! * [`streams`] reads what real drivers write as packets.
//! * [`driver`] asks a driver outside this program, in any language, what it writes for a program.
//!
//! Each is on a layer of its own, as the table of layers says. How they are printed is left to `report`, which has the
//! styles and the formats.

#[cfg(feature = "import")]
pub mod capture;
pub mod driver;
pub mod exchange;
pub mod frame_graph;
#[cfg(feature = "import")]
pub mod import;
#[cfg(feature = "import")]
pub mod shader;
pub mod streams;
pub mod vulkan;
