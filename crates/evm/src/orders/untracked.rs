use alloy_primitives::{Address as EvmAddress, U64};
use causeway_domain::Address;
use causeway_domain::ports::{ActionError, Outbox};
use serde_json::json;

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// Tracks transactions of a key that its outbox does not know, as after restoring the store from an older backup.
#[derive(Debug, Default)]
pub(super) struct UntrackedTxs(tokio::sync::Mutex<State>);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    NotChecked,
    /// The outbox does not know all transactions below this nonce.
    Below(u64),
    /// Every unknown transaction is final.
    Nothing,
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
            // In this order: other processes store a transaction in the outbox before they send it.
            let sent = pending_nonce(client, account).await.map_err(chain_error)?;
            let highest = outbox.highest_nonce(client.chain_id(), Address::Evm(account)).await?;
            let known = highest.map_or(0, |nonce| nonce.saturating_add(1));
            *state = if known < sent { State::Below(sent) } else { State::Nothing };
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
        if let State::Below(sent) = *state {
            let head = client.median_block(BlockTag::Latest).await.map_err(chain_error)?;
            let final_number = head.map_or(0, |head| head.number).saturating_sub(depth);
            let tag = BlockTag::Number(final_number);
            // One endpoint alone must not say that nothing is pending (rule 27).
            let nonce = client.median_nonce(account, tag, client.quorum().get()).await;
            if nonce.map_err(chain_error)? >= sent {
                *state = State::Nothing;
            }
        }
        Ok(matches!(*state, State::Nothing))
    }
}

/// The highest pending nonce of the account at any endpoint that answers.
async fn pending_nonce(client: &EvmClient, account: EvmAddress) -> Result<u64, CallError> {
    let call = Call::new("eth_getTransactionCount", json!([account, "pending"]));
    let mut max_nonce: Option<u64> = None;
    let mut fault = None;
    for (_, answer) in client.each::<U64>(&call).await {
        match answer {
            Ok(count) => max_nonce = max_nonce.max(Some(count.to())),
            Err(error) => fault = Some(error),
        }
    }
    match (max_nonce, fault) {
        (Some(max_nonce), _) => Ok(max_nonce),
        (None, Some(error)) => Err(error),
        (None, None) => Err(client.invalid_response("no endpoint returned the account's nonce")),
    }
}

fn chain_error(error: CallError) -> ActionError {
    ActionError::Chain(error.into())
}
