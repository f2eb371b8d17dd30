use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use causeway_domain::{ChainId, Deployment, SolanaDeployment};
use causeway_engine::{
    ChainRead, RecoverChain, RecoverParts, RecoverProgress, Recovered, recover as read_back,
};
use causeway_evm::EvmClient;
use causeway_evm::orders::{OrderFollowConfig, OrderFollower};
use causeway_solana::SolanaRpc;
use causeway_solana::orders::{SolanaFollowConfig, SolanaOrderFollower};
use clap::Args;
use tokio_util::sync::CancellationToken;

use crate::boot::config::Config;
use crate::boot::logging;
use crate::boot::parts::catalog::load_catalog;
use crate::boot::parts::chain_access::{check_records, deployments, open_sandbox};
use crate::boot::parts::chain_clients::ChainClients;
use crate::boot::parts::chain_policy::ChainPolicies;
use crate::boot::parts::data_dir::lock_data_dir;
use crate::boot::parts::keys::quote_keys;
use crate::boot::parts::market_makers::{known_fillers, load_market_makers};
use crate::boot::parts::prices::fixed_prices;
use crate::boot::parts::recovery::{adopt, chain_records, quote_key_file};
use crate::boot::parts::replica::Replica;
use crate::boot::parts::store::open_store;

/// How often a chain is polled while its newest blocks are awaited.
const POLL: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// Recover the orders from the chains; the only source so far
    #[arg(long, required = true)]
    pub(crate) from_chain: bool,

    /// Skip orders that name our fillers without a seal of our quote keys; otherwise they are refunded
    #[arg(long)]
    pub(crate) sealed_only: bool,
}

/// Rebuilds orders, fills and refunds in an empty store from contract events.
pub(crate) async fn recover(args: &RecoverArgs, config: &Config) -> anyhow::Result<()> {
    ensure!(!config.sandbox.fresh, "fresh chains have nothing to recover: omit --fresh");
    logging::start(&config.log)?;
    let _lock = lock_data_dir(&config.data_dir)?;
    let key_file = quote_key_file(config);
    if !key_file.exists() {
        print_line(&format!(
            "  {} is not there: open orders cannot be filled, and those that name our fillers are refunded",
            key_file.display()
        ));
    }
    let keys = quote_keys(&key_file)?;
    let store = Arc::new(open_store(config).await?);
    let catalog = load_catalog(config)?;
    let prices = fixed_prices(config, &catalog)?;
    let sandbox = open_sandbox(config, &catalog, &prices, &store).await?;
    let elsewhere = config.sandbox.rpc.as_ref().map(|_| config.sandbox.rpc_address());
    let rpc = sandbox.as_ref().map(|sandbox| sandbox.rpc.clone()).or(elsewhere);
    let rpc = rpc.map(|first| config.sandbox.all_nodes(&first));
    let deployment = deployments(config, &catalog, sandbox.as_ref(), rpc.as_deref()).await?;
    ensure!(
        !deployment.is_empty(),
        "no contracts are known: put the records of `causeway deploy` back into {}/deployments",
        config.data_dir.display()
    );
    let clients =
        ChainClients::connect(&catalog, rpc.as_deref(), config.sandbox.fees.model(), &config.endpoints)?;
    let (deployment, unchecked) = check_records(config, &catalog, deployment, &clients).await?;
    if let Some(silent) = unchecked.iter().flat_map(|unchecked| &unchecked.chains).next() {
        bail!("chain {silent} does not answer, so its contracts cannot be checked: recover when it does");
    }
    let with_client =
        |deployment: &Deployment| Some((clients.evm(deployment.chain)?.clone(), deployment.clone()));
    let contracts: Vec<(EvmClient, Deployment)> = deployment.evm.iter().filter_map(with_client).collect();
    let program = clients.solana.clone().zip(deployment.solana.clone());

    let policies = ChainPolicies::of(config.mode, &catalog);
    let records = chain_records(&policies, &contracts, program.as_ref())?;
    let chains = chains(&policies, &contracts, program.as_ref(), &records)?;
    let replica = Replica::lease(&store).await?;
    let renewing = replica.keep(&CancellationToken::new());
    let row_keys = Arc::clone(&replica.keys);
    let known = known_fillers(&load_market_makers(config)?);
    let accounts = known.iter().flat_map(|filler| filler.accounts.clone()).collect();
    let parts = RecoverParts {
        orders: store.clone(),
        facts: store.clone(),
        adopt: adopt(config, &store, records, keys, &row_keys, known, !args.sealed_only),
        accounts,
    };
    print_line(&format!(
        "\n  Reading {} chains back into {}\n",
        chains.len(),
        config.database.location(&config.data_dir)?
    ));
    let recovered = read_back(&parts, chains, &report).await;
    renewing.abort();
    replica.release().await;
    store.close().await;
    if let Some(sandbox) = sandbox {
        sandbox.stop().await;
    }
    sum_up(&recovered?);
    Ok(())
}

/// A follower of each chain, from the first block of its contracts.
fn chains(
    policies: &ChainPolicies,
    contracts: &[(EvmClient, Deployment)],
    program: Option<&(SolanaRpc, SolanaDeployment)>,
    records: &std::collections::HashMap<ChainId, Arc<dyn causeway_domain::ports::ChainHistory>>,
) -> anyhow::Result<Vec<RecoverChain>> {
    let record = |chain: ChainId| records.get(&chain).cloned().context("every chain has a record");
    let mut chains = Vec::new();
    for (client, deployment) in contracts {
        let settings = OrderFollowConfig {
            finality: policies.order_finality(deployment.chain)?,
            poll: POLL,
            idle_polling: None,
            awaited_poll: None,
        };
        let follower = OrderFollower::new(client.clone(), std::slice::from_ref(deployment), &settings, None);
        chains.push(RecoverChain { record: record(deployment.chain)?, follower: Box::new(follower) });
    }
    if let Some((rpc, deployment)) = program {
        let settings = SolanaFollowConfig { poll: POLL, idle_polling: None };
        let follower =
            SolanaOrderFollower::new(rpc.clone(), std::slice::from_ref(deployment), settings, None);
        chains.push(RecoverChain { record: record(deployment.chain)?, follower: Box::new(follower) });
    }
    Ok(chains)
}

fn print_line(text: &str) {
    // A closed standard output does not stop the recovery.
    let _ = writeln!(std::io::stdout(), "{text}");
}

#[allow(clippy::needless_pass_by_value, reason = "it is what recovery calls")]
fn report(progress: RecoverProgress) {
    match progress {
        RecoverProgress::Waiting(chain) => {
            print_line(&format!(
                "    chain {chain:<12} waits until no earlier transaction can still be included"
            ));
        }
        RecoverProgress::Reading(chain, read) => {
            print_line(&format!("    chain {chain:<12} so far up to block {}: {}", read.up_to, counts(read)));
        }
        RecoverProgress::Read(chain, read) => {
            print_line(&format!("    chain {chain:<12} read up to block {}: {}", read.up_to, counts(read)));
        }
        RecoverProgress::Created(orders) => print_line(&format!("    {orders} orders made")),
    }
}

fn counts(read: ChainRead) -> String {
    let ChainRead { opened, filled, claimed, refunded, .. } = read;
    format!("{opened} opened, {filled} filled, {claimed} claimed, {refunded} refunded")
}

fn sum_up(recovered: &Recovered) {
    let orders: u64 = recovered.orders.iter().map(|(_, count)| count).sum();
    print_line(&format!("\n  {orders} orders recovered"));
    for (status, count) in &recovered.orders {
        print_line(&format!("    {:<16} {count}", status.as_str()));
    }
    if recovered.known > 0 {
        print_line(&format!("  {} were there already and are as they were", recovered.known));
    }
    if recovered.unsealed > 0 {
        print_line(&format!(
            "  {} of them have no seal of our quote keys: open ones are refunded, not filled",
            recovered.unsealed
        ));
    }
    if recovered.foreign > 0 {
        print_line(&format!("  {} deposits are no business of ours and were left out", recovered.foreign));
    }
    print_line(
        "  Not on any chain, and therefore gone: quotes, orders that were never deposited, purchases with fiat, webhooks and pauses.\n  \
         Start the service: open orders go on to their end.\n",
    );
}
