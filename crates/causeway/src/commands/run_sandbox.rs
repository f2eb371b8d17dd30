use std::io::Write as _;
use std::sync::Arc;

use anyhow::ensure;
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::http_server::{DRAIN_TIMEOUT, listen};
use crate::boot::parts::prices::fixed_prices;
use crate::boot::parts::sandbox::SandboxChains;
use crate::boot::{logging, signals};

/// Runs the chains in their own process, so that services can be killed or replicated independently.
pub(crate) async fn run_sandbox(config: &Config) -> anyhow::Result<()> {
    ensure!(config.mode == Mode::Sandbox, "play chains do not run in production mode");
    logging::start(&config.log)?;
    let listener = listen(config.server.listen).await?;
    let url = config.server.public_url(listener.local_addr()?);
    let catalog = load_catalog(config)?;
    let prices = fixed_prices(config, &catalog)?;
    let sandbox = SandboxChains::open(config, &catalog, &prices).await?;
    sandbox.deploy(config, &catalog).await?;
    let stop = CancellationToken::new();
    signals::stop_on_signal(stop.clone())?;
    // A closed standard output does not stop the chains.
    let _ = writeln!(
        std::io::stdout(),
        "\n  The sandbox's {count} chains are running: play money only\n\n    \
         JSON-RPC  {url}/sandbox/rpc/1\n\n  \
         Ctrl-C stops them.\n",
        count = sandbox.chains.chains().count(),
    );
    causeway_http::serve(
        listener,
        causeway_sandbox::routes(Arc::clone(&sandbox.chains)),
        config.server.connection_limits(),
        stop,
        DRAIN_TIMEOUT,
    )
    .await;
    sandbox.stop().await;
    Ok(())
}
