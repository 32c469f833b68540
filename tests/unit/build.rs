//! Lets the sources find what they include, by paths from the root of the repository.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo:rustc-env=CARGO_MANIFEST_DIR={}", root.display());
    println!("cargo:rerun-if-changed=build.rs");
}
