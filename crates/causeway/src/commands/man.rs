use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::Command;

/// Writes a manual page for the program and for each of its commands.
pub(crate) fn man(command: Command, folder: &Path) -> anyhow::Result<()> {
    let fault = || format!("cannot write the manual pages to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(fault)?;
    clap_mangen::generate_to(command, folder).with_context(fault)?;
    writeln!(
        std::io::stdout(),
        "wrote the manual pages to {}; read one with: man {0}/causeway.1",
        folder.display()
    )?;
    Ok(())
}
