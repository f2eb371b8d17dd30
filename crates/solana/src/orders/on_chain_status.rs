use std::num::NonZeroUsize;

use causeway_domain::ports::{ChainError, EscrowState};
use causeway_domain::{IntentTerms, SOLANA_CHAIN_ID};
use causeway_jsonrpc_client::{Disagreement, EndpointAnswer, agreed, median};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use solana_address::Address;

use super::facts::{read_fill_marker, read_order_account};
use crate::account::{accounts_call, read_accounts};
use crate::program::{EscrowProgram, OrderStatus};
use crate::rpc::Call;
use crate::{Account, Commitment, SolanaRpc};

/// The accounts that one endpoint showed, in the order of the addresses.
type Accounts = Vec<Option<Account>>;

/// An endpoint's name, whether it is trusted, and what it showed.
type Shown = (String, bool, Option<Accounts>);

/// The state of an order in the newest blocks: its escrow state, and whether it was filled. Every endpoint is queried, and
/// half of them must answer, and two or one that is trusted: that nothing was filled lets a deposit go back. One endpoint
/// that reports an end or a fill is enough, because that only prevents sending. An open deposit lets money leave, so at least two endpoints must show it in finalized data, and none may
/// contradict (rule 27).
pub(super) async fn on_chain_status(
    rpc: &SolanaRpc,
    programs: &[EscrowProgram],
    terms: &IntentTerms,
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
    // Endpoints that lag behind are ignored.
    let reached = Some(rpc.final_slot().await?);
    let calls = [Commitment::Processed, Commitment::Finalized]
        .map(|commitment| accounts_call(&addresses, commitment, reached));
    let asked = rpc.ask_all(&calls).await;
    let endpoints = asked.len();
    let read = |answer| Some(read_accounts(answer, addresses.len(), reached).ok()?.value);
    let (mut responses, mut finalized): (Vec<Accounts>, Vec<Shown>) = (Vec::new(), Vec::new());
    let mut has_trusted = false;
    for EndpointAnswer { endpoint, trusted, answers } in asked {
        let mut answers = answers.into_iter().map(|answer| read(answer.ok()?));
        let response = answers.next().flatten();
        has_trusted |= trusted && response.is_some();
        responses.extend(response);
        finalized.push((endpoint, trusted, answers.next().flatten()));
    }
    let is_enough = has_trusted || responses.len() >= rpc.quorum().get();
    if !is_enough || responses.len().saturating_mul(2) < endpoints {
        return Err(ChainError::Unavailable(SOLANA_CHAIN_ID));
    }
    let shown = || responses.iter().flatten().flatten();
    let found = |place: Option<(EscrowProgram, Address)>| {
        let (program, at) = place?;
        let states =
            shown().filter_map(|account| read_order_account(program, at, account)).map(|found| found.status);
        states.max_by_key(|status| !matches!(status, OrderStatus::Open))
    };
    let state = match found(escrow) {
        Some(OrderStatus::Open) => EscrowState::Open,
        Some(OrderStatus::Claimed) => EscrowState::Claimed,
        Some(OrderStatus::Refunded(_)) => EscrowState::Refunded,
        None => EscrowState::Unknown,
    };
    let state = match escrow.filter(|_| state == EscrowState::Open) {
        Some(place) => agreed_state(rpc.quorum(), terms, place, finalized)?,
        None => state,
    };
    let is_filled = settler
        .is_some_and(|(program, at)| shown().any(|account| read_fill_marker(program, at, account).is_some()));
    Ok((state, is_filled))
}

/// The state of the deposit in finalized data, as the endpoints agree on it.
fn agreed_state(
    quorum: NonZeroUsize,
    terms: &IntentTerms,
    (program, at): (EscrowProgram, Address),
    finalized: Vec<Shown>,
) -> Result<EscrowState, ChainError> {
    let state = |accounts: Accounts| {
        let mut found =
            accounts.iter().flatten().filter_map(|account| read_order_account(program, at, account));
        match found.next().map(|found| found.status) {
            Some(OrderStatus::Open) => EscrowState::Open,
            Some(OrderStatus::Claimed) => EscrowState::Claimed,
            Some(OrderStatus::Refunded(_)) => EscrowState::Refunded,
            None => EscrowState::Unknown,
        }
    };
    let states = finalized.into_iter().map(|(name, trusted, accounts)| (name, trusted, accounts.map(state)));
    conclude(quorum, terms, states)
}

/// What the endpoints agree on; one that does not answer neither agrees nor contradicts.
fn conclude(
    quorum: NonZeroUsize,
    terms: &IntentTerms,
    states: impl IntoIterator<Item = (String, bool, Option<EscrowState>)>,
) -> Result<EscrowState, ChainError> {
    match agreed(quorum, states) {
        Ok(state) => Ok(state),
        Err(Disagreement::Contradiction(one, other)) => {
            let message = format!("{one} and {other} show the deposit of order {} differently", terms.id());
            tracing::error!(message, "endpoints of Solana contradict each other");
            Err(ChainError::Disagreement(SOLANA_CHAIN_ID, message))
        }
        Err(Disagreement::TooFew(count)) => {
            tracing::warn!(count, quorum, order = %terms.id(), "too few endpoints of Solana show the deposit");
            Err(ChainError::Unavailable(SOLANA_CHAIN_ID))
        }
    }
}

#[derive(Deserialize)]
struct LatestBlockhash {
    value: Blockhash,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Blockhash {
    last_valid_block_height: u64,
}

impl SolanaRpc {
    /// The last block height that accepts the newest blockhash; everything signed so far expires there at the latest. It is
    /// the median of the endpoints', and the higher of the middle two: no endpoint makes it lower alone.
    pub(super) async fn last_valid_height(&self) -> Result<u64, ChainError> {
        let height = |latest: LatestBlockhash| latest.value.last_valid_block_height;
        let mut heights = self.heights("getLatestBlockhash", Commitment::Processed, height).await?;
        heights.sort_unstable();
        heights.get(heights.len() / 2).copied().ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))
    }

    /// Whether the final chain is past that height, by the median of the endpoints.
    pub(super) async fn is_past_height(&self, height: u64) -> Result<bool, ChainError> {
        let heights = self.heights("getBlockHeight", Commitment::Finalized, |height: u64| height).await?;
        let reached = median(heights).ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))?;
        Ok(reached > height)
    }

    /// The height that each endpoint names; one that does not answer is left out.
    async fn heights<T: DeserializeOwned>(
        &self,
        method: &'static str,
        commitment: Commitment,
        height: impl Fn(T) -> u64,
    ) -> Result<Vec<u64>, ChainError> {
        let call = Call { method, params: json!([{ "commitment": commitment }]) };
        let (mut heights, mut fault) = (Vec::new(), None);
        for answer in self.request_all_endpoints::<T>(call).await {
            match answer {
                Ok(answer) => heights.push(height(answer)),
                Err(error) => fault = Some(error),
            }
        }
        match fault.filter(|_| heights.is_empty()) {
            Some(error) => Err(error.into()),
            None => Ok(heights),
        }
    }
}

/// Tracks whether transactions that the outbox does not know may still land, as after restoring the store from a
/// backup. The chain cannot list them, but everything signed before this process started expires soon.
#[derive(Debug, Default)]
pub(super) struct UnrecordedTransactions(tokio::sync::Mutex<State>);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    NotStarted,
    /// Until the chain is past this height.
    Until(u64),
    Expired,
}

impl UnrecordedTransactions {
    /// Whether no unrecorded transaction can land any more; the wait starts with the first call.
    pub(super) async fn have_expired(&self, rpc: &SolanaRpc) -> Result<bool, ChainError> {
        let mut state = self.0.lock().await;
        if matches!(*state, State::NotStarted) {
            *state = State::Until(rpc.last_valid_height().await?);
        }
        if let State::Until(height) = *state
            && rpc.is_past_height(height).await?
        {
            *state = State::Expired;
        }
        Ok(matches!(*state, State::Expired))
    }

    /// Starts the wait, unless it has started.
    pub(super) async fn start(&self, rpc: &SolanaRpc) {
        let mut state = self.0.lock().await;
        if matches!(*state, State::NotStarted)
            && let Ok(height) = rpc.last_valid_height().await
        {
            *state = State::Until(height);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::B256;

    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    fn said<const N: usize>(states: [Option<EscrowState>; N]) -> Result<EscrowState, ChainError> {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
        let named = states.into_iter().enumerate().map(|(number, state)| (number.to_string(), false, state));
        conclude(TWO.min(NonZeroUsize::new(N).unwrap()), &terms, named)
    }

    #[test]
    fn rule_27_a_deposit_on_solana_is_open_when_two_endpoints_show_it_finalized() {
        let (open, unknown) = (Some(EscrowState::Open), Some(EscrowState::Unknown));
        assert_eq!(said([open, None, open]).unwrap(), EscrowState::Open);
        assert_eq!(said([open]).unwrap(), EscrowState::Open, "there is no other to ask");
        assert!(matches!(said([open, None]), Err(ChainError::Unavailable(_))));
        for states in [[open, unknown, unknown], [open, open, unknown], [unknown, open, open]] {
            assert!(matches!(said(states), Err(ChainError::Disagreement(..))));
        }
    }
}
