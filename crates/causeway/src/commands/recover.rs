use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use causeway_domain::{ChainId, Deployment, RowKeys, SolanaDeployment};
use causeway_engine::{ChainRead, RecoverChain, RecoverNews, RecoverParts, Recovered, recover as read_back};
use causeway_evm::EvmClient;
use causeway_evm::orders::{OrderFollowConfig, OrderFollower};
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{SolanaFollowConfig, SolanaOrderFollower};
use clap::Args;

use super::serve::{deployments, fixed_prices, load_catalog, lock, open_sandbox, open_store};
use crate::chains::Clients;
use crate::config::Config;
use crate::keys::quote_keys;
use crate::logging;
use crate::makers::{known_fillers, makers};
use crate::recovery::{adopt, chain_records, finality, quote_key_file};

/// How often a chain is looked at while its newest blocks are waited for.
const POLL: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// Read the orders back from the chains; there is no other way yet
    #[arg(long, required = true)]
    pub(crate) from_chain: bool,

    /// Leave out orders that name our fillers under terms that none of our quote keys has sealed; otherwise they are given back
    #[arg(long)]
    pub(crate) sealed_only: bool,
}

/// Rebuilds orders, deliveries and refunds in an empty store from what the contracts have told.
pub(crate) async fn recover(args: &RecoverArgs, config: &Config) -> anyhow::Result<()> {
    ensure!(!config.sandbox.fresh, "chains that begin anew have nothing to recover from: leave --fresh away");
    logging::start(&config.log)?;
    let _lock = lock(&config.data_dir)?;
    let key_file = quote_key_file(config);
    if !key_file.exists() {
        say(&format!(
            "  {} is not there: no open order can be honoured, and those that name our fillers are given back",
            key_file.display()
        ));
    }
    let keys = quote_keys(&key_file)?;
    let store = Arc::new(open_store(config).await?);
    let catalog = load_catalog(config)?;
    let prices = fixed_prices(config, &catalog)?;
    let play = open_sandbox(config, &catalog, &prices, &store).await?;
    let elsewhere = config.sandbox.rpc.as_ref().map(|_| config.sandbox.rpc_address());
    let rpc = play.as_ref().map(|play| play.rpc.clone()).or(elsewhere);
    let rpc = rpc.map(|first| config.sandbox.all_nodes(&first));
    let there = deployments(config, &catalog, play.as_ref(), rpc.as_deref()).await?;
    ensure!(
        !there.is_empty(),
        "no contracts are known: put the records of `causeway deploy` back into {}/deployments",
        config.data_dir.display()
    );
    let clients = Clients::connect(&catalog, rpc.as_deref(), &config.endpoints)?;
    let place = |there: &Deployment| Some((clients.evm(there.chain)?.clone(), there.clone()));
    let places: Vec<(EvmClient, Deployment)> = there.evm.iter().filter_map(place).collect();
    let program = clients.solana.clone().zip(there.solana.clone());

    let records = chain_records(config.mode, &places, program.as_ref());
    let chains = chains(config, &places, program.as_ref(), &records)?;
    let row_keys = Arc::new(RowKeys::new(config.server.replica));
    let known = known_fillers(&makers(config)?);
    let accounts = known.iter().flat_map(|filler| filler.accounts.clone()).collect();
    let parts = RecoverParts {
        store: store.clone(),
        facts: store.clone(),
        adopt: adopt(config, &store, records, keys, &row_keys, known, !args.sealed_only),
        accounts,
    };
    say(&format!(
        "\n  Reading {} chains back into {}\n",
        chains.len(),
        config.database.location(&config.data_dir)?
    ));
    let recovered = read_back(&parts, chains, &tell).await;
    store.close().await;
    if let Some(play) = play {
        play.stop().await;
    }
    sum_up(&recovered?);
    Ok(())
}

/// A follower of each chain, from where its contracts begin.
fn chains(
    config: &Config,
    places: &[(EvmClient, Deployment)],
    program: Option<&(SolanaRpc, SolanaDeployment)>,
    records: &std::collections::HashMap<ChainId, Arc<dyn causeway_domain::ports::ChainRecord>>,
) -> anyhow::Result<Vec<RecoverChain>> {
    let record = |chain: ChainId| records.get(&chain).cloned().context("every chain has a record");
    let mut chains = Vec::new();
    for (client, there) in places {
        let settings =
            OrderFollowConfig { finality: finality(config.mode, there.chain), poll: POLL, leisure: None };
        let follower = OrderFollower::new(client.clone(), std::slice::from_ref(there), &settings, None);
        chains.push(RecoverChain { record: record(there.chain)?, follower: Box::new(follower) });
    }
    if let Some((rpc, there)) = program {
        let settings = SolanaFollowConfig { poll: POLL, leisure: None };
        let follower = SolanaOrderFollower::new(rpc.clone(), std::slice::from_ref(there), settings, None);
        chains.push(RecoverChain { record: record(there.chain)?, follower: Box::new(follower) });
    }
    Ok(chains)
}

fn say(words: &str) {
    // Nobody may be reading any more, and the work goes on all the same.
    let _ = writeln!(std::io::stdout(), "{words}");
}

#[allow(clippy::needless_pass_by_value, reason = "it is what recovery calls")]
fn tell(news: RecoverNews) {
    match news {
        RecoverNews::Waiting(chain) => {
            say(&format!(
                "    chain {chain:<12} waits until nothing that was signed before can still come into a block"
            ));
        }
        RecoverNews::Reading(chain, read) => {
            say(&format!("    chain {chain:<12} so far up to block {}: {}", read.up_to, counts(read)));
        }
        RecoverNews::Read(chain, read) => {
            say(&format!("    chain {chain:<12} read up to block {}: {}", read.up_to, counts(read)));
        }
        RecoverNews::Made(orders) => say(&format!("    {orders} orders made")),
    }
}

fn counts(read: ChainRead) -> String {
    let ChainRead { opened, filled, claimed, refunded, .. } = read;
    format!("{opened} opened, {filled} filled, {claimed} claimed, {refunded} refunded")
}

fn sum_up(recovered: &Recovered) {
    let orders: u64 = recovered.orders.iter().map(|(_, count)| count).sum();
    say(&format!("\n  {orders} orders recovered"));
    for (status, count) in &recovered.orders {
        say(&format!("    {:<16} {count}", status.as_str()));
    }
    if recovered.known > 0 {
        say(&format!("  {} were there already and are as they were", recovered.known));
    }
    if recovered.unsealed > 0 {
        say(&format!(
            "  {} of them bear no seal of ours: what is still open of these is given back, not delivered",
            recovered.unsealed
        ));
    }
    if recovered.strangers > 0 {
        say(&format!("  {} deposits are no business of ours and were left out", recovered.strangers));
    }
    say(
        "  Not on any chain, and therefore gone: quotes, orders that were never deposited, purchases with fiat, webhooks and pauses.\n  \
         Start the service: open orders go on to their end.\n",
    );
}
