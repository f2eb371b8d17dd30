use std::io::Write as _;
use std::sync::Arc;

use anyhow::ensure;
use tokio_util::sync::CancellationToken;

use super::serve::{DRAIN, fixed_prices, listen, load_catalog};
use crate::config::{Config, Mode};
use crate::sandbox::Play;
use crate::{logging, signals};

/// Runs the chains alone, so that a service beside them can be killed, stopped or doubled while they live on.
pub(crate) async fn run_sandbox(config: &Config) -> anyhow::Result<()> {
    ensure!(config.mode == Mode::Sandbox, "play chains do not run in production mode");
    logging::start(&config.log)?;
    let listener = listen(config.server.listen).await?;
    let url = config.server.public_url(listener.local_addr()?);
    let catalog = load_catalog(config)?;
    let prices = fixed_prices(config, &catalog)?;
    let play = Play::open(config, &catalog, &prices).await?;
    play.deploy(config, &catalog).await?;
    let stop = CancellationToken::new();
    signals::stop_on_signal(stop.clone())?;
    // Nobody may be reading any more, and the chains run all the same.
    let _ = writeln!(
        std::io::stdout(),
        "\n  The sandbox's {count} chains are running: play money only\n\n    \
         JSON-RPC  {url}/sandbox/rpc/1\n\n  \
         Ctrl-C stops them.\n",
        count = play.chains.chains().count(),
    );
    causeway_http::serve(listener, causeway_sandbox::routes(Arc::clone(&play.chains)), stop, DRAIN).await;
    play.stop().await;
    Ok(())
}
