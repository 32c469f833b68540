//! Vulkan's words: their numbers and names, what they mean in D3D12's, and the ways there and back.

mod export;
mod meaning;
mod roundtrip;
mod words;
