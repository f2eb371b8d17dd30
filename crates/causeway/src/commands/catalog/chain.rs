use alloy_primitives::{Address, Bytes, U64};
use causeway_domain::{Chain, DepositMethod, FinalityRule, FinalityTag};
use causeway_evm::{Block, Call, EvmClient};
use serde_json::json;

use super::report::ChainReport;

/// Compares the chain's id, its finality tags at every endpoint, and the contracts that others have deployed there.
pub(super) async fn check(client: &EvmClient, chain: &Chain, report: &mut ChainReport) {
    check_ids(client, chain, report).await;
    let Some(policy) = chain.policy.evm else { return };
    let finality = policy.finality;
    for tag in [FinalityTag::Safe, FinalityTag::Finalized] {
        let rules = [finality.small_deposits, finality.attestations, finality.large_amounts];
        let fallback = rules.into_iter().find_map(|rule| match rule {
            FinalityRule::Tag { tag: used, fallback_depth } if used == tag => Some(fallback_depth),
            _ => None,
        });
        if let Some(fallback) = fallback {
            check_tag(client, tag, fallback, report).await;
        }
    }
    if chain.deposit_methods.contains(&DepositMethod::Permit2) {
        check_code(client, "Permit2", policy.permit2, report).await;
    }
    check_code(client, "Multicall3", policy.multicall3, report).await;
}

async fn check_ids(client: &EvmClient, chain: &Chain, report: &mut ChainReport) {
    let answers = client.each::<U64>(&Call::new("eth_chainId", json!([]))).await;
    let count = answers.len();
    let mut right = 0;
    for (endpoint, answer) in answers {
        match answer {
            Ok(id) if id.to::<u64>() == chain.id.get() => right += 1,
            Ok(id) => report.differs(format!("{endpoint} is of chain {id}")),
            Err(error) => report.unread(format!("the chain id at {endpoint}: {error}")),
        }
    }
    report.agrees(format!("id at {right} of {count} endpoints"));
}

/// The tag is known at every endpoint. Where a depth replaces it, an endpoint may do without.
async fn check_tag(client: &EvmClient, tag: FinalityTag, fallback: Option<u64>, report: &mut ChainReport) {
    let name = match tag {
        FinalityTag::Safe => "safe",
        FinalityTag::Finalized => "finalized",
    };
    let ask = |tag: &str| Call::new("eth_getBlockByNumber", json!([tag, false]));
    let newest = client.call::<Block>(ask("latest")).await.map(|block| block.number);
    let mut behind = Vec::new();
    for (endpoint, answer) in client.each::<Option<Block>>(&ask(name)).await {
        match (answer, &newest) {
            (Ok(Some(block)), Ok(newest)) => behind.push(newest.saturating_sub(block.number)),
            (Ok(Some(_)), Err(error)) => report.unread(format!("the newest block: {error}")),
            (Ok(None) | Err(_), _) if fallback.is_some() => {}
            (Ok(None), _) => report.differs(format!("{endpoint} has no block that is {name}")),
            (Err(error), _) => report.unread(format!("the block that is {name} at {endpoint}: {error}")),
        }
    }
    match behind.iter().max() {
        Some(most) => report.agrees(format!("{name} {most} blocks behind")),
        None => report.agrees(format!("{name} by depth alone")),
    }
}

async fn check_code(client: &EvmClient, name: &str, address: Address, report: &mut ChainReport) {
    match client.call::<Bytes>(Call::new("eth_getCode", json!([address, "latest"]))).await {
        Ok(code) if code.is_empty() => report.differs(format!("{name} is not at {address}")),
        Ok(_) => report.agrees(name),
        Err(error) => report.unread(format!("the code of {name}: {error}")),
    }
}
