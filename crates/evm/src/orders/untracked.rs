use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, U64};
use causeway_domain::Address;
use causeway_domain::ports::{ActionError, Outbox};
use serde_json::json;

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// After how long in no pool a transaction counts as gone.
const GONE_AFTER: Duration = Duration::from_mins(15);

/// The highest nonce that the store takes.
const MAX_NONCE: u64 = i64::MAX.cast_unsigned();

/// Tracks transactions of a key that its outbox does not know, as after restoring the store from an older backup. The
/// wait for them is in the store, so that it survives a restart.
#[derive(Debug, Default)]
pub(super) struct UntrackedTxs(tokio::sync::Mutex<State>);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    NotChecked,
    Waiting(Wait),
    /// Every unknown transaction is final.
    Nothing,
}

/// The outbox does not know all transactions below a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    /// The nonce that the store has.
    recorded: u64,
    /// At most the recorded one: what no pool has is not waited for.
    below: u64,
    /// Since when no endpoint has the last of them in its pool.
    absent_since: Option<Instant>,
}

/// The nonces of the key.
#[derive(Clone, Copy, Debug)]
struct Nonces {
    /// The next one in a final block.
    finalized: u64,
    /// The next one with all pools; `None` unless every endpoint names its own.
    pending: Option<u64>,
}

impl Wait {
    const fn new(recorded: u64) -> Self {
        Self { recorded, below: recorded, absent_since: None }
    }

    /// What is still waited for; `None` once every transaction is final.
    fn next(self, seen: Nonces, now: Instant) -> Option<Self> {
        if seen.finalized >= self.below {
            return None;
        }
        let Some(pending) = seen.pending.filter(|pending| *pending < self.below) else {
            return Some(Self { absent_since: None, ..self });
        };
        let since = self.absent_since.unwrap_or(now);
        if now.saturating_duration_since(since) < GONE_AFTER {
            return Some(Self { absent_since: Some(since), ..self });
        }
        (seen.finalized < pending).then_some(Self { below: pending, absent_since: None, ..self })
    }
}

impl UntrackedTxs {
    /// Compares the outbox with the chain once, before this process sends with the key.
    pub(super) async fn compare_once(
        &self,
        client: &EvmClient,
        account: EvmAddress,
        outbox: &dyn Outbox,
    ) -> Result<(), ActionError> {
        let mut state = self.0.lock().await;
        if matches!(*state, State::NotChecked) {
            let (chain, signer) = (client.chain_id(), Address::Evm(account));
            let recorded = outbox.unknown_below(chain, signer).await?;
            // In this order: other processes store a transaction in the outbox before they send it.
            let sent = pending_nonces(client, account).await.map_err(chain_error)?.0;
            let highest = outbox.highest_nonce(chain, signer).await?;
            let known = highest.map_or(0, |nonce| nonce.saturating_add(1));
            let unknown = Some(sent.min(MAX_NONCE)).filter(|sent| known < *sent);
            if let Some(below) = unknown.filter(|_| unknown > recorded) {
                // Before anything is sent: the transactions of this process take the same nonces.
                outbox.record_unknown_below(chain, signer, below).await?;
            }
            *state = recorded.max(unknown).map_or(State::Nothing, |below| State::Waiting(Wait::new(below)));
        }
        Ok(())
    }

    /// Whether no unknown transaction can still be mined or reorganised away.
    pub(super) async fn are_all_final(
        &self,
        client: &EvmClient,
        account: EvmAddress,
        outbox: &dyn Outbox,
        depth: u64,
    ) -> Result<bool, ActionError> {
        self.compare_once(client, account, outbox).await?;
        let mut state = self.0.lock().await;
        if let State::Waiting(wait) = *state {
            let head = client.median_block(BlockTag::Latest).await.map_err(chain_error)?;
            let final_number = head.map_or(0, |head| head.number).saturating_sub(depth);
            let tag = BlockTag::Number(final_number);
            // One endpoint alone must not say that nothing is pending (rule 27).
            let finalized = client.median_nonce(account, tag, client.quorum().get()).await;
            let finalized = finalized.map_err(chain_error)?;
            let (pending, all_answer) = pending_nonces(client, account).await.map_err(chain_error)?;
            let seen = Nonces { finalized, pending: all_answer.then_some(pending) };
            *state = if let Some(wait) = wait.next(seen, Instant::now()) {
                State::Waiting(wait)
            } else {
                let (chain, signer) = (client.chain_id(), Address::Evm(account));
                outbox.forget_unknown_below(chain, signer, wait.recorded).await?;
                State::Nothing
            };
        }
        Ok(matches!(*state, State::Nothing))
    }
}

/// The highest pending nonce of the account at any endpoint that answers, and whether all do.
async fn pending_nonces(client: &EvmClient, account: EvmAddress) -> Result<(u64, bool), CallError> {
    let call = Call::new("eth_getTransactionCount", json!([account, "pending"]));
    let (mut max_nonce, mut answers, mut fault) = (None, 0_usize, None);
    for (_, answer) in client.each::<U64>(&call).await {
        match answer {
            Ok(count) => {
                max_nonce = max_nonce.max(Some(count.to::<u64>()));
                answers = answers.saturating_add(1);
            }
            Err(error) => fault = Some(error),
        }
    }
    match (max_nonce, fault) {
        (Some(max_nonce), _) => Ok((max_nonce, answers >= client.endpoint_count())),
        (None, Some(error)) => Err(error),
        (None, None) => Err(client.invalid_response("no endpoint returned the account's nonce")),
    }
}

fn chain_error(error: CallError) -> ActionError {
    ActionError::Chain(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(finalized: u64, pending: Option<u64>) -> Nonces {
        Nonces { finalized, pending }
    }

    #[test]
    fn unknown_transactions_are_awaited_until_they_are_final() {
        let (wait, now) = (Wait::new(7), Instant::now());
        assert_eq!(wait.next(seen(6, Some(7)), now), Some(wait));
        assert_eq!(wait.next(seen(6, Some(9)), now), Some(wait), "ours come after them");
        assert_eq!(wait.next(seen(7, Some(9)), now), None);
    }

    #[test]
    fn what_is_in_no_pool_for_a_while_is_gone() {
        let (wait, now) = (Wait::new(7), Instant::now());
        let absent = Wait { absent_since: Some(now), ..wait };
        assert_eq!(wait.next(seen(4, Some(5)), now), Some(absent));
        let soon = now + GONE_AFTER.saturating_sub(Duration::from_secs(1));
        assert_eq!(absent.next(seen(4, Some(5)), soon), Some(absent), "a pool may have been restarted");
        for pending in [None, Some(7)] {
            assert_eq!(absent.next(seen(4, pending), soon), Some(wait), "{pending:?} starts anew");
        }
        let lower = Wait { below: 5, ..wait };
        assert_eq!(absent.next(seen(4, Some(5)), now + GONE_AFTER), Some(lower));
        assert_eq!(lower.next(seen(5, Some(5)), soon), None);
        assert_eq!(absent.next(seen(5, Some(5)), now + GONE_AFTER), None);
    }
}
