use alloy_primitives::{Address as EvmAddress, B256, Bytes};
use alloy_sol_types::SolCall as _;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, IntentBook, IntentEntry};
use causeway_domain::{Address, ChainId, IntentState};
use serde_json::json;

use crate::client::EvmClient;
use crate::contracts::{IntentBook as Book, Order};
use crate::rpc::Call;

/// The hub's intent book, read as of the newest block.
#[derive(Clone, Debug)]
pub struct EvmIntentBook {
    client: EvmClient,
    book: EvmAddress,
}

impl EvmIntentBook {
    /// The intent book at an address on the client's chain.
    pub const fn new(client: EvmClient, book: EvmAddress) -> Self {
        Self { client, book }
    }
}

#[async_trait]
impl IntentBook for EvmIntentBook {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn states(&self, writer: Address, intents: &[B256]) -> Result<Vec<IntentState>, ChainError> {
        let Address::Evm(writer) = writer else {
            return Err(self.client.invalid_response(format!("{writer} is not an EVM address")).into());
        };
        let ask = |intent: &B256| {
            let data = Bytes::from(Book::stateOfCall { writer, intentId: *intent }.abi_encode());
            Call::new("eth_call", json!([{ "to": self.book, "data": data }, "latest"]))
        };
        let calls: Vec<Call> = intents.iter().map(ask).collect();
        let answers = self.client.batch::<Bytes>(&calls).await.into_iter();
        let read = answers.map(|answer| {
            let state = Book::stateOfCall::abi_decode_returns(&answer?).ok();
            let state = state.and_then(|state| IntentState::from_number(state as u8));
            state.ok_or_else(|| self.client.invalid_response("the intent book returned no state"))
        });
        Ok(read.collect::<Result<_, _>>()?)
    }
}

/// The call that records these entries, all or none.
pub(super) fn record_many(entries: &[IntentEntry]) -> Option<Book::recordManyCall> {
    let entry = |entry: &IntentEntry| {
        Some(Book::Entry {
            order: Order::from(&entry.terms),
            state: Book::State::try_from(entry.state.number()).ok()?,
            evidence: entry.evidence,
        })
    };
    Some(Book::recordManyCall { entries: entries.iter().map(entry).collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::terms;
    use super::*;

    #[test]
    fn states_have_the_numbers_of_the_contract() {
        for (state, theirs) in [
            (IntentState::NonExistent, Book::State::NonExistent),
            (IntentState::Open, Book::State::Open),
            (IntentState::Locked, Book::State::Locked),
            (IntentState::Solved, Book::State::Solved),
            (IntentState::Settled, Book::State::Settled),
            (IntentState::Expired, Book::State::Expired),
            (IntentState::Cancelled, Book::State::Cancelled),
            (IntentState::Error, Book::State::Error),
        ] {
            let entry = IntentEntry { terms: terms(), state, evidence: B256::ZERO };
            let call = record_many(&[entry]).unwrap();
            assert!(call.entries[0].state == theirs, "{state:?}");
        }
    }
}
