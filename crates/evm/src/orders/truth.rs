use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use alloy_sol_types::SolCall;
use causeway_domain::ports::EscrowState;
use causeway_domain::{ChainId, Deployment, Terms};
use serde_json::{Value, json};

use super::calldata::Place;
use crate::blocks::{Block, BlockTag, block_call};
use crate::client::EvmClient;
use crate::contracts::{Escrow, Settler};
use crate::error::CallError;
use crate::rpc::Call;

/// What our contracts say of an order in an endpoint's newest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) escrow: EscrowState,
    pub(super) is_filled: bool,
    /// That block's own time, in Unix seconds.
    pub(super) time: u64,
}

/// What contracts say of an order in the newest blocks. Every endpoint is asked, because one may lag behind. Half of them must
/// answer, and whoever has seen an end or a delivery is believed, since that only keeps us from sending something.
pub(super) async fn truth(
    client: &EvmClient,
    deployments: &[Deployment],
    terms: &Terms,
) -> Result<Said, CallError> {
    let questions = Questions::about(terms, client.chain_id(), deployments);
    let asked = client.each_of::<Value>(&questions.calls()).await;
    let said: Vec<Said> = asked.iter().filter_map(|(_, answers)| questions.read(answers)).collect();
    if said.len().saturating_mul(2) < asked.len() {
        let faults = format!("{} of {} endpoints say where an order stands", said.len(), asked.len());
        return Err(CallError::Unavailable { chain: client.chain_id(), faults });
    }
    let missing = || client.nonsense("nobody says where an order stands");
    said.into_iter().reduce(together).ok_or_else(missing)
}

/// What two endpoints know between them.
fn together(one: Said, other: Said) -> Said {
    Said {
        escrow: later(one.escrow, other.escrow),
        is_filled: one.is_filled || other.is_filled,
        time: one.time.max(other.time),
    }
}

/// The state that comes after the other.
const fn later(one: EscrowState, other: EscrowState) -> EscrowState {
    match (one, other) {
        (EscrowState::Claimed | EscrowState::Refunded, _) | (_, EscrowState::Unknown) => one,
        _ => other,
    }
}

/// What is asked of the contracts of ours that the terms name, as far as they lie on this chain.
struct Questions<'a> {
    terms: &'a Terms,
    escrow: Option<EvmAddress>,
    settler: Option<EvmAddress>,
}

impl<'a> Questions<'a> {
    fn about(terms: &'a Terms, chain: ChainId, deployments: &[Deployment]) -> Self {
        let place = Place { chain, deployments };
        let escrow = place.origin(terms).ok().map(|there| there.escrow);
        Self { terms, escrow, settler: place.settler(terms).ok() }
    }

    fn calls(&self) -> Vec<Call> {
        let order = self.terms.id();
        let escrow = self.escrow.map(|escrow| ask(escrow, &Escrow::statusCall { orderId: order }));
        let settler = self.settler.map(|settler| ask(settler, &Settler::filledAtCall { orderId: order }));
        // The block first: what is asked after it is as new or newer.
        [block_call(BlockTag::Latest)].into_iter().chain(escrow).chain(settler).collect()
    }

    /// What one endpoint says; `None` unless it has answered everything.
    fn read(&self, answers: &[Result<Value, CallError>]) -> Option<Said> {
        let mut answers = answers.iter();
        let mut next = || answers.next()?.as_ref().ok().cloned();
        let block: Block = serde_json::from_value(next()?).ok()?;
        let mut said = Said { escrow: EscrowState::Unknown, is_filled: false, time: block.timestamp };
        if self.escrow.is_some() {
            let answer: Bytes = serde_json::from_value(next()?).ok()?;
            said.escrow = state(Escrow::statusCall::abi_decode_returns_validate(&answer).ok()?);
        }
        if self.settler.is_some() {
            let answer: Bytes = serde_json::from_value(next()?).ok()?;
            let filled_at: U256 = Settler::filledAtCall::abi_decode_returns_validate(&answer).ok()?;
            said.is_filled = !filled_at.is_zero();
        }
        Some(said)
    }
}

fn ask<C: SolCall>(to: EvmAddress, call: &C) -> Call {
    let data = Bytes::from(call.abi_encode());
    Call::new("eth_call", json!([{ "to": to, "data": data }, "latest"]))
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
    fn an_endpoint_that_lags_behind_hides_neither_an_end_nor_a_delivery() {
        use EscrowState::{Claimed, Open, Refunded, Unknown};
        let said = |escrow, is_filled, time| Said { escrow, is_filled, time };
        for (one, other, both) in [
            (said(Unknown, false, 5), said(Open, false, 9), said(Open, false, 9)),
            (said(Open, false, 5), said(Refunded, false, 9), said(Refunded, false, 9)),
            (said(Claimed, true, 9), said(Open, false, 5), said(Claimed, true, 9)),
            (said(Open, true, 9), said(Unknown, false, 9), said(Open, true, 9)),
        ] {
            assert_eq!((together(one, other), together(other, one)), (both, both));
        }
    }
}
