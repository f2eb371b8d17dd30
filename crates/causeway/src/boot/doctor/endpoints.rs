use std::num::NonZeroUsize;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{ChainView as _, FinalityTier};
use causeway_domain::{Chain, ChainId, SOLANA_CHAIN_ID};
use causeway_evm::{EndpointStatus, EvmClient};
use causeway_solana::SolanaRpc;
use causeway_solana::attest::{SolanaView, SolanaViewConfig};
use futures::future::{join, join_all};

use super::Finding;
use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_clients::ChainClients;

const AREA: &str = "endpoints";

/// Whether each endpoint serves its chain and keeps up, and whether those of one chain agree. Also the time of the newest
/// block that any chain has.
pub(super) async fn examine(clients: &ChainClients) -> (Vec<Finding>, Option<u64>) {
    let evm = join_all(clients.evm.iter().map(examine_evm));
    let solana = join_all(clients.solana.iter().map(examine_solana));
    let (evm, solana) = join(evm, solana).await;
    let (findings, times): (Vec<Vec<Finding>>, Vec<Option<u64>>) = evm.into_iter().chain(solana).unzip();
    let findings: Vec<Finding> = findings.into_iter().flatten().collect();
    if findings.is_empty() {
        let words = "no enabled chain has an RPC address".to_owned();
        return (vec![Finding::new(AREA, "all chains", Err(words))], None);
    }
    (findings, times.into_iter().flatten().max())
}

/// In production every chain has endpoints of one's own: public ones limit calls, and are nobody's promise.
pub(super) fn examine_choice(config: &Config, catalog: &Catalog) -> Vec<Finding> {
    if config.mode == Mode::Sandbox {
        return Vec::new();
    }
    let snapshot = catalog.snapshot();
    let public = snapshot
        .chains()
        .iter()
        .filter(|chain| chain.is_read() && !config.endpoints.iter().any(|own| own.chain == chain.id.get()));
    let finding = |chain: &Chain| {
        let words = format!(
            "its endpoints are public ones: name at least two of your own in [[endpoints]] with chain = {}, or disable \
             the chain",
            chain.id
        );
        Finding::new(AREA, format!("chain {}", chain.id), Err(words))
    };
    public.map(finding).collect()
}

async fn examine_evm(client: &EvmClient) -> (Vec<Finding>, Option<u64>) {
    let chain = client.chain_id();
    let mut findings = statuses(chain, &client.probe().await);
    let head = client.agreed_head().await;
    let time = head.as_ref().ok().map(|block| block.timestamp);
    let agreement = match head {
        Ok(block) => Ok(format!("they agree on block {} ({})", block.number, block.hash)),
        Err(error) => Err(error.to_string()),
    };
    findings.push(agreement_of(chain, client.rests_on_one_endpoint(), agreement));
    (findings, time)
}

async fn examine_solana(rpc: &SolanaRpc) -> (Vec<Finding>, Option<u64>) {
    let mut findings = statuses(SOLANA_CHAIN_ID, &rpc.probe().await);
    let quorum = NonZeroUsize::new(rpc.endpoints().len().min(2)).unwrap_or(NonZeroUsize::MIN);
    let view = SolanaView::new(rpc.clone(), SolanaViewConfig { quorum, fresh_for: Duration::ZERO });
    let head = view.final_block(FinalityTier::Large).await;
    let time = head.as_ref().ok().map(|block| block.time);
    let agreement = match head {
        Ok(block) => Ok(format!("they agree on slot {} ({})", block.number, block.hash)),
        Err(error) => Err(error.to_string()),
    };
    findings.push(agreement_of(SOLANA_CHAIN_ID, rpc.rests_on_one_endpoint(), agreement));
    (findings, time)
}

fn agreement_of(chain: ChainId, is_alone: bool, agreement: Result<String, String>) -> Finding {
    let alone = "only one endpoint answers for the chain: orders up to $100, unless it is called trusted";
    let agreement = agreement.map(|words| if is_alone { alone.to_owned() } else { words });
    Finding::new(AREA, format!("chain {chain}"), agreement)
}

fn statuses(chain: ChainId, endpoints: &[EndpointStatus]) -> Vec<Finding> {
    let finding = |status: &EndpointStatus| {
        Finding::new(AREA, format!("chain {chain}, {}", status.address), judge(status))
    };
    endpoints.iter().map(finding).collect()
}

fn judge(status: &EndpointStatus) -> Result<String, String> {
    match (status.serves_chain, status.head) {
        (Some(false), _) => Err("it serves another chain".to_owned()),
        (_, Some(head)) if status.lagging => Err(format!("it lags behind the others, at block {head}")),
        (Some(true), Some(head)) => Ok(format!("it serves the chain, at block {head}")),
        _ => Err("it does not answer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_must_answer_for_its_own_chain_and_keep_up() {
        let good = EndpointStatus {
            address: "https://one.example".to_owned(),
            penalty: 0,
            lagging: false,
            serves_chain: Some(true),
            head: Some(7),
            trusted: false,
        };
        assert_eq!(judge(&good).unwrap(), "it serves the chain, at block 7");
        let bad = [
            (EndpointStatus { serves_chain: Some(false), ..good.clone() }, "another chain"),
            (EndpointStatus { lagging: true, ..good.clone() }, "lags"),
            (EndpointStatus { serves_chain: None, head: None, ..good }, "does not answer"),
        ];
        for (status, words) in bad {
            assert!(judge(&status).unwrap_err().contains(words), "{words}");
        }
    }
}
