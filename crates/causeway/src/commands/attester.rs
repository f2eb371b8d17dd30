use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_attester::{Attester, SmallAmount};
use causeway_domain::ChainId;
use causeway_domain::ports::ChainView;
use tokio_util::sync::CancellationToken;

use crate::boot::config::Config;
use crate::boot::parts::account_keys::attester_key;
use crate::boot::parts::attester_chains::{attester_clients, checked_views, find_deployments};
use crate::boot::parts::deployments::{Checked, CheckedView};
use crate::boot::parts::http_server::{DRAIN_TIMEOUT, listen};
use crate::boot::parts::signing_policy::KeyPolicy;
use crate::boot::{descriptors, logging, signals};

/// Runs one attester with its own key, endpoints, contract list and journal, independent of the service.
pub(crate) async fn attester(config: &Config) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    descriptors::raise_limit();
    let key = attester_key(config)
        .context("an attester needs a key of its own, from the environment or from attester.key_file")?;
    let deployments = find_deployments(config).await?;
    let key = KeyPolicy::new(config, &deployments, None)?.limit("attester", &key);
    let signer = Arc::new(key.evm()?);
    let clients = attester_clients(config, &deployments)?;
    let views = checked_views(config, &deployments, &clients)?;
    check_contracts(&views).await?;
    let views: Vec<Arc<dyn ChainView>> = views.into_iter().map(|view| view as Arc<dyn ChainView>).collect();
    let settings = causeway_attester::AttesterConfig {
        small: small_amounts(config)?,
        poll: Duration::from_millis(config.attester.poll_milliseconds),
        ..causeway_attester::AttesterConfig::new(deployments.contracts())
    };
    let attester = Attester::open(settings, signer, views, &config.data_dir.join("attester"))?;

    let listener = listen(config.server.listen).await?;
    let url = config.server.public_url(listener.local_addr()?);
    let stop = CancellationToken::new();
    signals::stop_on_signal(stop.clone())?;
    let watching = attester.watch();
    let (address, chains) = (attester.address(), deployments.contracts().len());
    // A closed standard output does not stop the attester.
    let _ = writeln!(
        std::io::stdout(),
        "\n  Attester {address} is watching {chains} chains ({mode})\n\n    \
         Answers on  {url}\n    \
         Health      {url}/health\n\n  \
         Ctrl-C stops it.\n",
        mode = config.mode.as_str(),
    );
    let limits = config.server.connection_limits();
    causeway_http::serve(listener, causeway_attester::router(attester), limits, stop, DRAIN_TIMEOUT).await;
    watching.stop().await;
    Ok(())
}

/// Contracts that are not those of the record stop the start; nothing is signed about chains that do not answer yet.
async fn check_contracts(views: &[Arc<CheckedView>]) -> anyhow::Result<()> {
    let looks = views.iter().map(|view| async { (view.chain(), view.look().await) });
    for (chain, checked) in futures::future::join_all(looks).await {
        if let Checked::Wrong(words) = checked {
            bail!("deployments/{chain}.json is not believed: {words}");
        }
    }
    Ok(())
}

fn small_amounts(config: &Config) -> anyhow::Result<Vec<SmallAmount>> {
    let mut amounts = Vec::new();
    for own in &config.attester.chains {
        let chain = ChainId::new(own.id).with_context(|| format!("{} is not a chain id", own.id))?;
        for small in &own.small {
            let (token, up_to) = (small.token.into_word(), small.amount()?.get());
            amounts.push(SmallAmount { chain, token, up_to });
        }
    }
    Ok(amounts)
}
