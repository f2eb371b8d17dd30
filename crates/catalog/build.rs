//! Lists the bundled icons, so that a new chain or coin needs no edit of the sources.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[allow(clippy::print_stdout, reason = "cargo reads it")]
fn main() -> Result<(), Box<dyn Error>> {
    let icons = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("data").join("icons");
    println!("cargo::rerun-if-changed={}", icons.display());
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("icons.rs"), list(&icons)?)?;
    fs::write(out.join("token_icons.rs"), list(&icons.join("tokens"))?)?;
    Ok(())
}

/// The SVG files of a folder, each by its name and sorted by it, as an array in Rust.
fn list(folder: &Path) -> Result<String, Box<dyn Error>> {
    let files = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "svg")) {
        let name = file.file_stem().ok_or("an icon without a name")?.display();
        writeln!(list, "    ({:?}, include_bytes!({:?})),", name.to_string(), file.display().to_string())?;
    }
    list.push_str("]\n");
    Ok(list)
}
