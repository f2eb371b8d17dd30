use causeway_domain::ports::{ChainError, EscrowState};
use causeway_domain::{SOLANA_CHAIN_ID, Terms};
use serde::Deserialize;
use serde_json::json;
use solana_address::Address;

use super::facts::{kept_fill, kept_order};
use crate::account::{accounts_call, read_accounts};
use crate::program::{EscrowProgram, OrderStatus};
use crate::{Account, Commitment, SolanaRpc};

/// What the program says of an order in the newest blocks: where it stands at its escrow, and whether it was delivered. Every
/// endpoint is asked. Half of them must answer, and whoever has seen an end or a delivery is
/// believed, since that only keeps us from sending something.
pub(super) async fn truth(
    rpc: &SolanaRpc,
    programs: &[EscrowProgram],
    terms: &Terms,
) -> Result<(EscrowState, bool), ChainError> {
    let here = |chain: u64, at: [u8; 32]| {
        let program = programs.iter().find(|program| program.id.to_bytes() == at);
        program.copied().filter(|_| chain == SOLANA_CHAIN_ID.get())
    };
    let escrow =
        here(terms.origin_chain_id, terms.escrow.0).map(|program| (program, program.order(terms.id())));
    let settler = here(terms.destination_chain_id, terms.settler.0)
        .map(|program| (program, program.fill_marker(terms.id())));
    let addresses: Vec<Address> =
        [escrow, settler].into_iter().flatten().map(|(_, address)| address).collect();
    if addresses.is_empty() {
        return Ok((EscrowState::Unknown, false));
    }
    // One that lags behind the others says nothing.
    let reached = Some(rpc.final_slot().await?);
    let asked = rpc.ask_everyone(accounts_call(&addresses, Commitment::Processed, reached)).await;
    let endpoints = asked.len();
    let read = |answer| read_accounts(answer, addresses.len(), reached).ok();
    let said: Vec<Vec<Option<Account>>> =
        asked.into_iter().filter_map(|answer| Some(read(answer.ok()?)?.value)).collect();
    if said.is_empty() || said.len().saturating_mul(2) < endpoints {
        return Err(ChainError::Unavailable(SOLANA_CHAIN_ID));
    }
    let shown = || said.iter().flatten().flatten();
    let kept = |place: Option<(EscrowProgram, Address)>| {
        let (program, at) = place?;
        let states = shown().filter_map(|account| kept_order(program, at, account)).map(|kept| kept.status);
        states.max_by_key(|status| !matches!(status, OrderStatus::Open))
    };
    let state = match kept(escrow) {
        Some(OrderStatus::Open) => EscrowState::Open,
        Some(OrderStatus::Claimed) => EscrowState::Claimed,
        Some(OrderStatus::Refunded(_)) => EscrowState::Refunded,
        None => EscrowState::Unknown,
    };
    let is_filled =
        settler.is_some_and(|(program, at)| shown().any(|account| kept_fill(program, at, account).is_some()));
    Ok((state, is_filled))
}

#[derive(Deserialize)]
struct Latest {
    value: Blockhash,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blockhash {
    last_valid_block_height: u64,
}

impl SolanaRpc {
    /// The last block that takes a transaction with the newest blockhash: whatever was signed before dies there at the latest.
    pub(super) async fn end_of_all_signed(&self) -> Result<u64, ChainError> {
        let newest = json!([{ "commitment": Commitment::Processed }]);
        let latest: Latest = self.call("getLatestBlockhash", newest).await?;
        Ok(latest.value.last_valid_block_height)
    }

    /// Whether the chain has come past that block for good.
    pub(super) async fn is_past(&self, height: u64) -> Result<bool, ChainError> {
        let last = json!([{ "commitment": Commitment::Finalized }]);
        let reached: u64 = self.call("getBlockHeight", last).await?;
        Ok(reached > height)
    }
}

/// Whether the key may have sent something that its outbox does not know, as after the store was put back from an older copy.
/// The chain cannot be asked, but what was signed before this process began dies soon.
#[derive(Debug, Default)]
pub(super) struct Unknown(tokio::sync::Mutex<State>);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    NotAsked,
    /// Until the chain is past this block.
    Until(u64),
    Nothing,
}

impl Unknown {
    /// Whether nothing that is unknown can still come into a block; begins to count at the first call.
    pub(super) async fn is_over(&self, rpc: &SolanaRpc) -> Result<bool, ChainError> {
        let mut state = self.0.lock().await;
        if matches!(*state, State::NotAsked) {
            *state = State::Until(rpc.end_of_all_signed().await?);
        }
        if let State::Until(height) = *state
            && rpc.is_past(height).await?
        {
            *state = State::Nothing;
        }
        Ok(matches!(*state, State::Nothing))
    }

    /// Begins to count, if nobody has.
    pub(super) async fn begin(&self, rpc: &SolanaRpc) {
        let mut state = self.0.lock().await;
        if matches!(*state, State::NotAsked)
            && let Ok(height) = rpc.end_of_all_signed().await
        {
            *state = State::Until(height);
        }
    }
}
