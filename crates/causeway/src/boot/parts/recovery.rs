use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use causeway_domain::ports::ChainHistory;
use causeway_domain::{ChainId, Deployment, QuoteKeys, RowKeys, SolanaDeployment};
use causeway_engine::{Adopt, AdoptParts, KnownFiller};
use causeway_evm::EvmClient;
use causeway_evm::orders::EvmChainHistory;
use causeway_solana::SolanaRpc;
use causeway_solana::orders::SolanaChainHistory;
use causeway_store::Store;

use crate::boot::config::Config;
use crate::boot::parts::chain_policy::ChainPolicies;

/// The history reader of every chain.
pub(crate) fn chain_records(
    policies: &ChainPolicies,
    contracts: &[(EvmClient, Deployment)],
    program: Option<&(SolanaRpc, SolanaDeployment)>,
) -> anyhow::Result<HashMap<ChainId, Arc<dyn ChainHistory>>> {
    let mut records: HashMap<ChainId, Arc<dyn ChainHistory>> = HashMap::new();
    for (client, deployment) in contracts {
        let finality = policies.order_finality(deployment.chain)?;
        let history = EvmChainHistory::new(client.clone(), deployment.clone(), finality);
        records.insert(history.chain(), Arc::new(history));
    }
    if let Some((rpc, deployment)) = program {
        let history = SolanaChainHistory::new(rpc.clone(), deployment);
        records.insert(history.chain(), Arc::new(history));
    }
    Ok(records)
}

/// The file of the quote keys.
pub(crate) fn quote_key_file(config: &Config) -> PathBuf {
    let file = config.orders.quote_key_file.clone();
    file.unwrap_or_else(|| config.data_dir.join("keys").join("quote"))
}

/// Creates orders from deposits found on the chains.
pub(crate) fn adopt(
    config: &Config,
    store: &Arc<Store>,
    chains: HashMap<ChainId, Arc<dyn ChainHistory>>,
    quote_keys: QuoteKeys,
    row_keys: &Arc<RowKeys>,
    fillers: Vec<KnownFiller>,
    adopt_unsealed: bool,
) -> Adopt {
    Adopt::new(AdoptParts {
        orders: store.clone(),
        facts: store.clone(),
        chains,
        fillers,
        quote_keys,
        row_keys: Arc::clone(row_keys),
        open_slack: config.orders.open_slack_seconds,
        adopt_unsealed,
    })
}
