use alloy_primitives::{Address as EvmAddress, U64};
use causeway_domain::Address;
use causeway_domain::ports::{DeedError, Outbox};
use serde_json::json;

use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// Whether a key may have sent something that its outbox does not know, as after the store was put back from an older copy.
#[derive(Debug, Default)]
pub(super) struct Unknown(tokio::sync::Mutex<State>);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    NotAsked,
    /// The outbox does not know all transactions below this number.
    Below(u64),
    /// All that is unknown stands.
    Nothing,
}

impl Unknown {
    /// Compares the outbox with the chain, once, before this process sends anything with the key.
    pub(super) async fn note(
        &self,
        client: &EvmClient,
        account: EvmAddress,
        outbox: &dyn Outbox,
    ) -> Result<(), DeedError> {
        let mut state = self.0.lock().await;
        if matches!(*state, State::NotAsked) {
            // In this order: what other processes send meanwhile is in the outbox before it is at a node.
            let sent = sent(client, account).await.map_err(chain)?;
            let highest = outbox.highest_nonce(client.chain_id(), Address::Evm(account)).await?;
            let known = highest.map_or(0, |nonce| nonce.saturating_add(1));
            *state = if known < sent { State::Below(sent) } else { State::Nothing };
        }
        Ok(())
    }

    /// Whether nothing that is unknown can still come into a block, or leave one that does not stand.
    pub(super) async fn is_over(
        &self,
        client: &EvmClient,
        account: EvmAddress,
        outbox: &dyn Outbox,
        depth: u64,
    ) -> Result<bool, DeedError> {
        self.note(client, account, outbox).await?;
        let mut state = self.0.lock().await;
        if let State::Below(sent) = *state {
            let head = client.block(BlockTag::Latest).await.map_err(chain)?;
            let standing = head.map_or(0, |head| head.number).saturating_sub(depth);
            let nonce = client.nonce(account, BlockTag::Number(standing)).await.map_err(chain)?;
            if nonce >= sent {
                *state = State::Nothing;
            }
        }
        Ok(matches!(*state, State::Nothing))
    }
}

/// The highest number of transactions that any endpoint which answers knows of the account, those that wait included.
async fn sent(client: &EvmClient, account: EvmAddress) -> Result<u64, CallError> {
    let call = Call::new("eth_getTransactionCount", json!([account, "pending"]));
    let mut most: Option<u64> = None;
    let mut fault = None;
    for (_, answer) in client.each::<U64>(&call).await {
        match answer {
            Ok(count) => most = most.max(Some(count.to())),
            Err(error) => fault = Some(error),
        }
    }
    match (most, fault) {
        (Some(most), _) => Ok(most),
        (None, Some(error)) => Err(error),
        (None, None) => Err(client.nonsense("nobody counts the account's transactions")),
    }
}

fn chain(error: CallError) -> DeedError {
    DeedError::Chain(error.into())
}
