use std::io::Write as _;
use std::path::Path;

use anyhow::bail;
use causeway_store::Location;

use crate::boot::config::Config;

/// Copies the store of the configured data folder, whether or not a service is running on it.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn backup(config: &Config, file: &Path) -> anyhow::Result<()> {
    let Location::Sqlite(store) = config.database.location(&config.data_dir)? else {
        bail!("this store is PostgreSQL: copy it with pg_dump");
    };
    let bytes = causeway_store::backup(&store, file).await?;
    writeln!(std::io::stdout(), "copied {} to {} ({bytes} bytes)", store.display(), file.display())?;
    Ok(())
}
