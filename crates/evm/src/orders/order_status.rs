use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use alloy_sol_types::SolCall;
use causeway_domain::ports::EscrowState;
use causeway_domain::{ChainId, Deployment, IntentTerms};
use serde_json::{Value, json};

use super::calldata::LocalContracts;
use crate::blocks::{Block, BlockTag, block_call};
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;
use crate::rpc::Call;

/// The state of an order in our contracts, as of an endpoint's newest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContractStatus {
    pub(super) escrow: EscrowState,
    pub(super) is_filled: bool,
    /// The block's time, in Unix seconds.
    pub(super) time: u64,
}

/// Reads the state of an order from every endpoint, because one may lag. At least half must answer, and two or one that is
/// trusted: that nothing was filled lets a deposit go back. Any endpoint that reports an end or a fill counts, since that
/// only keeps us from sending a transaction. An open deposit lets money leave, so at least two endpoints must show it in
/// one block, and none may contradict (rule 27).
pub(super) async fn read_status(
    client: &EvmClient,
    deployments: &[Deployment],
    terms: &IntentTerms,
) -> Result<ContractStatus, CallError> {
    let calls = StatusCalls::new(terms, client.chain_id(), deployments);
    let answers = client.ask_all::<Value>(&calls.encode()).await;
    let (mut statuses, mut has_trusted) = (Vec::new(), false);
    for asked in &answers {
        if let Some(status) = calls.read(&asked.answers) {
            statuses.push(status);
            has_trusted |= asked.trusted;
        }
    }
    let is_enough = has_trusted || statuses.len() >= client.quorum().get();
    if !is_enough || statuses.len().saturating_mul(2) < answers.len() {
        let faults =
            format!("{} of {} endpoints returned the state of the order", statuses.len(), answers.len());
        return Err(CallError::Unavailable { chain: client.chain_id(), faults });
    }
    let missing = || client.invalid_response("no endpoint returned the state of the order");
    let merged = statuses.into_iter().reduce(merge).ok_or_else(missing)?;
    match calls.escrow.filter(|_| merged.escrow == EscrowState::Open) {
        Some(escrow) => {
            Ok(ContractStatus { escrow: agreed_escrow_state(client, escrow, terms).await?, ..merged })
        }
        None => Ok(merged),
    }
}

/// The state of the deposit in one block, as the endpoints agree on it.
async fn agreed_escrow_state(
    client: &EvmClient,
    escrow: EvmAddress,
    terms: &IntentTerms,
) -> Result<EscrowState, CallError> {
    let order = terms.id();
    let call = |tag: BlockTag| eth_call(escrow, &Escrow::statusCall { orderId: order }, tag);
    let read = |answer: &Value| {
        let bytes: Bytes = serde_json::from_value(answer.clone()).ok()?;
        Some(state(Escrow::statusCall::abi_decode_returns_validate(&bytes).ok()?))
    };
    client.agreed_at_head(&format!("the deposit of order {order}"), call, read).await
}

/// Merges the states of two endpoints.
fn merge(one: ContractStatus, other: ContractStatus) -> ContractStatus {
    ContractStatus {
        escrow: later_state(one.escrow, other.escrow),
        is_filled: one.is_filled || other.is_filled,
        time: one.time.max(other.time),
    }
}

/// The later of two states.
const fn later_state(one: EscrowState, other: EscrowState) -> EscrowState {
    match (one, other) {
        (EscrowState::Claimed | EscrowState::Refunded, _) | (_, EscrowState::Unknown) => one,
        _ => other,
    }
}

/// The calls to our contracts that the terms name, if they are on this chain.
struct StatusCalls<'a> {
    terms: &'a IntentTerms,
    escrow: Option<EvmAddress>,
    settler: Option<EvmAddress>,
}

impl<'a> StatusCalls<'a> {
    fn new(terms: &'a IntentTerms, chain: ChainId, deployments: &[Deployment]) -> Self {
        let local = LocalContracts { chain, deployments };
        let escrow = local.origin(terms).ok().map(|there| there.escrow);
        Self { terms, escrow, settler: local.settler(terms).ok() }
    }

    fn encode(&self) -> Vec<Call> {
        let order = self.terms.id();
        let latest = BlockTag::Latest;
        let escrow =
            self.escrow.map(|escrow| eth_call(escrow, &Escrow::statusCall { orderId: order }, latest));
        let settler =
            self.settler.map(|settler| eth_call(settler, &Settler::filledAtCall { orderId: order }, latest));
        // The block comes first, so that the states are at least as new.
        [block_call(BlockTag::Latest)].into_iter().chain(escrow).chain(settler).collect()
    }

    /// The state at one endpoint; `None` unless it answered every call.
    fn read(&self, answers: &[Result<Value, CallError>]) -> Option<ContractStatus> {
        let mut answers = answers.iter();
        let mut next = || answers.next()?.as_ref().ok().cloned();
        let block: Block = serde_json::from_value(next()?).ok()?;
        let mut status =
            ContractStatus { escrow: EscrowState::Unknown, is_filled: false, time: block.timestamp };
        if self.escrow.is_some() {
            let answer: Bytes = serde_json::from_value(next()?).ok()?;
            status.escrow = state(Escrow::statusCall::abi_decode_returns_validate(&answer).ok()?);
        }
        if self.settler.is_some() {
            let answer: Bytes = serde_json::from_value(next()?).ok()?;
            let filled_at: U256 = Settler::filledAtCall::abi_decode_returns_validate(&answer).ok()?;
            status.is_filled = !filled_at.is_zero();
        }
        Some(status)
    }
}

fn eth_call<C: SolCall>(to: EvmAddress, call: &C, tag: BlockTag) -> Call {
    let data = Bytes::from(call.abi_encode());
    Call::new("eth_call", json!([{ "to": to, "data": data }, tag.json()]))
}

const fn state(status: Escrow::Status) -> EscrowState {
    match status {
        Escrow::Status::Open => EscrowState::Open,
        Escrow::Status::Claimed => EscrowState::Claimed,
        Escrow::Status::Refunded => EscrowState::Refunded,
        _ => EscrowState::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lagging_endpoint_hides_neither_an_end_nor_a_fill() {
        use EscrowState::{Claimed, Open, Refunded, Unknown};
        let status = |escrow, is_filled, time| ContractStatus { escrow, is_filled, time };
        for (one, other, both) in [
            (status(Unknown, false, 5), status(Open, false, 9), status(Open, false, 9)),
            (status(Open, false, 5), status(Refunded, false, 9), status(Refunded, false, 9)),
            (status(Claimed, true, 9), status(Open, false, 5), status(Claimed, true, 9)),
            (status(Open, true, 9), status(Unknown, false, 9), status(Open, true, 9)),
        ] {
            assert_eq!((merge(one, other), merge(other, one)), (both, both));
        }
    }
}
