use std::io::Write as _;

use clap::Command;
use clap_complete::Shell;

/// Prints the completions of every command and option for a shell.
pub(crate) fn completions(mut command: Command, shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "causeway", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(())
}
