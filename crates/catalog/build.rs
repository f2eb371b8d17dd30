//! Lists the bundled icons, so that a new chain needs no edit of the sources.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[allow(clippy::print_stdout, reason = "cargo reads it")]
fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("data").join("icons");
    println!("cargo::rerun-if-changed={}", folder.display());
    let files = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "svg")) {
        let id = file.file_stem().ok_or("an icon without a name")?.display();
        writeln!(list, "    ({:?}, include_bytes!({:?})),", id.to_string(), file.display().to_string())?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("icons.rs"), list)?;
    Ok(())
}
