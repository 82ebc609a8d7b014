//! Finds libsyncmanager and tells cargo how to link it.

use std::env;
use std::process::exit;

fn main() {
    println!("cargo:rerun-if-env-changed=SYNCMANAGER_LIB_DIR");
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation is built where no library is
    }
    let name = if env::var_os("CARGO_FEATURE_WORLD").is_some() { "syncmanager-testing" } else { "syncmanager" };
    if let Some(directory) = env::var("SYNCMANAGER_LIB_DIR").ok().filter(|directory| !directory.is_empty()) {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:rustc-link-lib=dylib={name}");
        return;
    }
    // The crate's version is the library's: until 1.0 a minor version may change the interface.
    let minor: u32 = env!("CARGO_PKG_VERSION_MINOR").parse().unwrap_or(0);
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let (first, beyond) = (format!("{major}.{minor}"), format!("{major}.{}", minor + 1));
    match pkg_config::Config::new().range_version(first.as_str()..beyond.as_str()).probe(name) {
        Ok(library) => {
            if let Some(include) = library.include_paths.first() {
                println!("cargo:include={}", include.display());
            }
        }
        Err(error) => {
            eprintln!("lib{name} was not found by pkg-config: {error}");
            eprintln!("Install lib{name}-dev, or point PKG_CONFIG_PATH at the directory of {name}.pc,");
            eprintln!("or SYNCMANAGER_LIB_DIR at the directory of lib{name}.so.");
            exit(1);
        }
    }
}
