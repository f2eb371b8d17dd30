use std::io::Write as _;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use causeway_attester::{Attester, SmallAmount};
use causeway_domain::ports::ChainView;
use causeway_domain::{ChainId, Family};
use causeway_evm::attest::{EvmView, ViewConfig};
use causeway_evm::{EvmClient, EvmConfig, Http, RpcUrl};
use causeway_solana::attest::{SolanaView, SolanaViewConfig};
use causeway_solana::{RpcConfig as SolanaConfig, SolanaRpc};
use tokio_util::sync::CancellationToken;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::deployments::{Deployments, Records};
use crate::boot::parts::http_server::{DRAIN_TIMEOUT, listen};
use crate::boot::parts::keys::read_key;
use crate::boot::parts::sandbox;
use crate::boot::{descriptors, logging, signals};

/// The environment variable of the attester's key, unless a file is configured.
const KEY_VARIABLE: &str = "CAUSEWAY_ATTESTER_KEY";

/// How many endpoints of a real chain must agree.
const QUORUM: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// Runs one attester with its own key, endpoints, contract list and journal, independent of the service.
pub(crate) async fn attester(config: &Config) -> anyhow::Result<()> {
    logging::start(&config.log)?;
    descriptors::raise_limit();
    let key_file = config.attester.key_file.as_deref();
    let key = read_key(config.mode, KEY_VARIABLE, key_file)
        .context("an attester needs a key of its own, from the environment or from attester.key_file")?;
    let signer = Arc::new(key);
    let deployments = find_deployments(config).await?;
    let views = connect(config, &deployments)?;
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

/// The attester's contract list; on sandbox chains the contracts are found without one.
async fn find_deployments(config: &Config) -> anyhow::Result<Deployments> {
    let recorded = Records::in_data_dir(&config.data_dir).read()?;
    if !recorded.is_empty() {
        return Ok(recorded);
    }
    let folder = config.data_dir.join("deployments");
    ensure!(
        config.mode == Mode::Sandbox,
        "{} holds no deployment records: put those there whose contracts this attester is to speak of, after looking at \
         the contracts themselves",
        folder.display()
    );
    sandbox::find_contracts(&load_catalog(config)?, &config.sandbox.rpc_address()).await
}

fn connect(config: &Config, deployments: &Deployments) -> anyhow::Result<Vec<Arc<dyn ChainView>>> {
    let http = Http::new()?;
    let policies = ChainPolicies::load(config)?;
    let fresh_for = Duration::from_millis(config.attester.poll_milliseconds / 2);
    let mut views: Vec<Arc<dyn ChainView>> = Vec::new();
    for chain in deployments.contracts().into_keys() {
        let urls = endpoints(config, chain)?;
        let quorum = match config.mode {
            Mode::Production => QUORUM,
            Mode::Sandbox => QUORUM.min(NonZeroUsize::new(urls.len()).unwrap_or(NonZeroUsize::MIN)),
        };
        ensure!(
            urls.len() >= quorum.get(),
            "chain {chain} needs at least {quorum} RPC addresses of different operators in attester.chains"
        );
        if chain.family() == Family::Solana {
            let urls = urls.iter().map(|url| url.expose().parse()).collect::<Result<_, _>>()?;
            let rpc = SolanaRpc::new(SolanaConfig::new(urls))?;
            views.push(Arc::new(SolanaView::new(rpc, SolanaViewConfig { quorum, fresh_for })));
            continue;
        }
        let multicall = policies.evm(chain)?.multicall3;
        let client = EvmClient::with_http(chain, EvmConfig { multicall, ..EvmConfig::new(urls) }, &http)?;
        let finality = policies.attest_finality(chain)?;
        views.push(Arc::new(EvmView::new(client, ViewConfig { finality, quorum, fresh_for })));
    }
    Ok(views)
}

fn endpoints(config: &Config, chain: ChainId) -> anyhow::Result<Vec<RpcUrl>> {
    let own = config.attester.chains.iter().find(|own| own.id == chain.get());
    match (own, config.mode) {
        (Some(own), _) => Ok(own.rpc.iter().map(|rpc| rpc.0.clone()).collect()),
        (None, Mode::Sandbox) => Ok(vec![format!("{}/{chain}", config.sandbox.rpc_address()).parse()?]),
        (None, Mode::Production) => anyhow::bail!(
            "there is a deployment record for chain {chain}, and attester.chains does not say how to reach it"
        ),
    }
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
