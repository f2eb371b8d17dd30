use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use causeway_domain::ports::ChainRecord;
use causeway_domain::{ChainId, Deployment, QuoteKeys, RowKeys, SolanaDeployment};
use causeway_engine::{Adopt, AdoptParts, KnownFiller};
use causeway_evm::EvmClient;
use causeway_evm::orders::{EvmRecord, OrderFinality};
use causeway_solana::SolanaRpc;
use causeway_solana::orders::SolanaRecord;
use causeway_store::Store;

use crate::config::{Config, Mode};

/// Every chain's record beside its events.
pub(crate) fn chain_records(
    mode: Mode,
    places: &[(EvmClient, Deployment)],
    program: Option<&(SolanaRpc, SolanaDeployment)>,
) -> HashMap<ChainId, Arc<dyn ChainRecord>> {
    let evm = places.iter().map(|(client, there)| -> Arc<dyn ChainRecord> {
        Arc::new(EvmRecord::new(client.clone(), there.clone(), finality(mode, there.chain)))
    });
    let solana = program
        .into_iter()
        .map(|(rpc, there)| -> Arc<dyn ChainRecord> { Arc::new(SolanaRecord::new(rpc.clone(), there)) });
    evm.chain(solana).map(|record| (record.chain(), record)).collect()
}

pub(crate) fn finality(mode: Mode, chain: ChainId) -> OrderFinality {
    match mode {
        Mode::Sandbox => OrderFinality::sandbox(),
        Mode::Production => OrderFinality::for_chain(chain),
    }
}

/// Where the keys that mark our quotes lie.
pub(crate) fn quote_key_file(config: &Config) -> PathBuf {
    let file = config.orders.quote_key_file.clone();
    file.unwrap_or_else(|| config.data_dir.join("keys").join("quote"))
}

/// Makes orders of what the chains show.
pub(crate) fn adopt(
    config: &Config,
    store: &Arc<Store>,
    chains: HashMap<ChainId, Arc<dyn ChainRecord>>,
    quote_keys: QuoteKeys,
    row_keys: &Arc<RowKeys>,
    fillers: Vec<KnownFiller>,
    take_unsealed: bool,
) -> Adopt {
    Adopt::new(AdoptParts {
        orders: store.clone(),
        quotes: store.clone(),
        facts: store.clone(),
        chains,
        fillers,
        quote_keys,
        row_keys: Arc::clone(row_keys),
        open_slack: config.orders.open_slack_seconds,
        take_unsealed,
    })
}
