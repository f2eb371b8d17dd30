use std::io::Write as _;

use crate::boot::config::Config;

pub(crate) fn show_config(config: &Config) -> anyhow::Result<()> {
    std::io::stdout().write_all(config.to_toml()?.as_bytes())?;
    Ok(())
}
