use std::ops::Range;

use alloy_primitives::{Address as EvmAddress, Bytes, U64, U256};
use alloy_sol_types::SolCall;
use causeway_domain::{Fact, FactKind};
use causeway_jsonrpc_client::EndpointAnswer;
use serde_json::{Value, json};

use super::facts::KnownContracts;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;
use crate::follow::BlockSource;
use crate::rpc::Call;

/// How many endpoints must confirm or deny what a log says.
const QUORUM: usize = 2;

/// What the endpoints' state says of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Confirmed,
    Denied,
    /// Too few endpoints have reached the log's block and answer.
    Unknown,
    /// As many confirm as deny.
    Disputed,
}

/// The facts that the contracts' state confirms: a log alone is a hint. Where only one endpoint can be asked, its logs
/// are all there is. What too few endpoints can say, or what they dispute, is an error and is tried again.
pub(super) async fn confirm_facts<S: BlockSource>(
    source: &S,
    contracts: &KnownContracts,
    cursor: u64,
    facts: &[Fact],
) -> Result<Vec<Fact>, CallError> {
    if facts.is_empty() {
        return Ok(Vec::new());
    }
    // The number comes first, so that the states are at least as new.
    let mut calls = vec![Call::new("eth_blockNumber", json!([]))];
    let mut places = Vec::new();
    for fact in facts {
        let states = state_calls(contracts, fact);
        places.push(calls.len()..calls.len() + states.len());
        calls.extend(states);
    }
    let asked = source.ask_all(&calls).await;
    if asked.is_empty() {
        return Ok(facts.to_vec());
    }
    let chain = source.chain();
    let mut confirmed = Vec::new();
    for (place, fact) in places.into_iter().zip(facts) {
        let votes = asked.iter().map(|asked| (asked.trusted, vote(asked, place.clone(), cursor, fact)));
        let words = || format!("{} of order {} in block {}", kind(fact), fact.intent_id, fact.place.block);
        match verdict(asked.len().min(QUORUM), votes) {
            Verdict::Confirmed => confirmed.push(fact.clone()),
            Verdict::Denied => {
                let tx = &fact.place.tx;
                tracing::error!(%chain, tx, "an endpoint invents a log: the contracts' state denies the {}", words());
            }
            Verdict::Unknown => {
                let faults = format!("too few endpoints can confirm the {}", words());
                return Err(CallError::Unavailable { chain, faults });
            }
            Verdict::Disputed => {
                let faults = format!("some endpoints confirm and some deny the {}", words());
                tracing::warn!(%chain, faults, "endpoints contradict each other");
                return Err(CallError::Unavailable { chain, faults });
            }
        }
    }
    Ok(confirmed)
}

/// Whether the endpoint's state confirms the fact; nothing if it has not reached the block up to which facts are final.
fn vote(
    asked: &EndpointAnswer<Value, CallError>,
    places: Range<usize>,
    cursor: u64,
    fact: &Fact,
) -> Option<bool> {
    let answer = |place: usize| asked.answers.get(place)?.as_ref().ok().cloned();
    let head: U64 = serde_json::from_value(answer(0)?).ok()?;
    if head.to::<u64>() < cursor {
        return None;
    }
    let states: Option<Vec<bool>> =
        places.map(|place| confirms(fact, &serde_json::from_value(answer(place)?).ok()?)).collect();
    Some(states?.contains(&true))
}

/// The word of a trusted endpoint counts alone.
fn verdict(quorum: usize, votes: impl Iterator<Item = (bool, Option<bool>)>) -> Verdict {
    let (mut confirm, mut deny) = (0_usize, 0_usize);
    for (trusted, vote) in votes {
        match (trusted, vote) {
            (true, Some(true)) => return Verdict::Confirmed,
            (true, Some(false)) => return Verdict::Denied,
            (false, Some(true)) => confirm += 1,
            (false, Some(false)) => deny += 1,
            (_, None) => {}
        }
    }
    if confirm >= quorum && confirm > deny {
        Verdict::Confirmed
    } else if deny >= quorum && deny > confirm {
        Verdict::Denied
    } else if confirm.saturating_add(deny) < quorum {
        Verdict::Unknown
    } else {
        Verdict::Disputed
    }
}

/// One call for each of our contracts that could show it.
fn state_calls(contracts: &KnownContracts, fact: &Fact) -> Vec<Call> {
    let (contracts, data): (_, Bytes) = match fact.kind {
        FactKind::Filled(_) => {
            (contracts.settlers(), Settler::filledAtCall { orderId: fact.intent_id }.abi_encode().into())
        }
        _ => (contracts.escrows(), Escrow::statusCall { orderId: fact.intent_id }.abi_encode().into()),
    };
    let call =
        |contract: &EvmAddress| Call::new("eth_call", json!([{ "to": contract, "data": data }, "latest"]));
    contracts.iter().map(call).collect()
}

/// Whether a contract's state shows what the log says, or what can only come after it.
fn confirms(fact: &Fact, state: &Bytes) -> Option<bool> {
    if matches!(fact.kind, FactKind::Filled(_)) {
        let filled_at: U256 = Settler::filledAtCall::abi_decode_returns_validate(state).ok()?;
        return Some(!filled_at.is_zero());
    }
    let status = Escrow::statusCall::abi_decode_returns_validate(state).ok()?;
    let (claimed, refunded) =
        (matches!(status, Escrow::Status::Claimed), matches!(status, Escrow::Status::Refunded));
    Some(match fact.kind {
        FactKind::Claimed(_) => claimed,
        FactKind::Refunded { .. } => refunded,
        _ => claimed || refunded || matches!(status, Escrow::Status::Open),
    })
}

const fn kind(fact: &Fact) -> &'static str {
    match fact.kind {
        FactKind::Opened(_) => "deposit",
        FactKind::Filled(_) => "fill",
        FactKind::Claimed(_) => "claim",
        FactKind::Refunded { .. } => "refund",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<const N: usize>(votes: [Option<bool>; N]) -> Verdict {
        verdict(N.min(QUORUM), votes.into_iter().map(|vote| (false, vote)))
    }

    #[test]
    fn rule_27_a_log_counts_when_the_state_at_two_endpoints_confirms_it() {
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(said([yes, yes]), Verdict::Confirmed);
        assert_eq!(said([yes, no, yes]), Verdict::Confirmed);
        assert_eq!(said([no, yes, no]), Verdict::Denied);
        assert_eq!(said([yes, None]), Verdict::Unknown);
        assert_eq!(said([yes, None, None]), Verdict::Unknown);
        assert_eq!(said([yes, no]), Verdict::Disputed);
        assert_eq!(said([yes, no, None]), Verdict::Disputed);
    }

    #[test]
    fn rule_27_a_trusted_endpoint_confirms_alone() {
        let votes = |own: Option<bool>| [(false, Some(true)), (true, own)].into_iter();
        assert_eq!(verdict(2, votes(Some(true))), Verdict::Confirmed);
        assert_eq!(verdict(2, votes(Some(false))), Verdict::Denied);
        assert_eq!(verdict(2, votes(None)), Verdict::Unknown);
    }
}
