use alloy_primitives::{Address as EvmAddress, B256, U256};
use alloy_sol_types::{SolEvent as _, sol};
use async_trait::async_trait;
use causeway_domain::fiat::Payout;
use causeway_domain::ports::{ChainError, PayoutWatch};
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use serde::Deserialize;
use serde_json::json;

use crate::blocks::{BlockTag, Log, Receipt};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::follow::Finality;
use crate::rpc::Call;

sol! {
    event Transfer(address indexed from, address indexed to, uint256 value);
}

/// A receipt with its logs.
#[derive(Debug, Deserialize)]
struct Mined {
    #[serde(flatten)]
    receipt: Receipt,
    logs: Vec<Log>,
}

/// The fields of a transaction that show a transfer of the native coin.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent {
    block_hash: Option<B256>,
    from: EvmAddress,
    to: Option<EvmAddress>,
    value: U256,
}

/// Finds payouts on an EVM chain: `Transfer` events of a token, or the value of the transaction itself. Coins that a
/// contract forwards leave no trace on every node, and do not count.
#[derive(Clone, Debug)]
pub struct EvmPayoutWatch {
    client: EvmClient,
    finality: Finality,
}

impl EvmPayoutWatch {
    /// Counts payouts in blocks that are final by this rule.
    pub const fn new(client: EvmClient, finality: Finality) -> Self {
        Self { client, finality }
    }

    /// Whether the receipt's block is final and all endpoints that have it agree.
    async fn is_final(&self, receipt: &Receipt) -> Result<bool, CallError> {
        let newest = self.newest_final().await?;
        if newest.is_none_or(|newest| receipt.block_number > newest) {
            return Ok(false);
        }
        let agreed = self.client.agreed_block(receipt.block_number).await?;
        Ok(agreed.is_some_and(|block| block.hash == receipt.block_hash))
    }

    /// The newest block that is final enough.
    async fn newest_final(&self) -> Result<Option<u64>, CallError> {
        let depth = match self.finality {
            Finality::Depth(depth) => depth,
            Finality::Tag { tag, or_depth } => match self.client.block(tag).await {
                Ok(Some(block)) => return Ok(Some(block.number)),
                // The chain does not support the tag.
                Ok(None) | Err(CallError::Refused { .. }) => or_depth,
                Err(error) => return Err(error),
            },
        };
        let head = self.client.block(BlockTag::Latest).await?;
        Ok(head.and_then(|head| head.number.checked_sub(depth)))
    }

    /// The receipt of a transaction that succeeded in a final block.
    async fn final_success(&self, tx: &str, token: TokenId) -> Result<Option<Mined>, ChainError> {
        let Ok(hash) = tx.parse::<B256>() else { return Ok(None) };
        if token.chain() != self.client.chain_id() {
            return Ok(None);
        }
        let mined: Option<Mined> =
            self.client.call(Call::new("eth_getTransactionReceipt", json!([hash]))).await?;
        let Some(mined) = mined else { return Ok(None) };
        if mined.receipt.transaction_hash != hash {
            return Err(self.client.invalid_response("the receipt of another transaction").into());
        }
        let counts = mined.receipt.status == 1 && self.is_final(&mined.receipt).await?;
        Ok(counts.then_some(mined))
    }

    /// The transaction of a receipt, in the same block.
    async fn sent(&self, mined: &Mined) -> Result<Option<Sent>, CallError> {
        let hash = mined.receipt.transaction_hash;
        let sent: Option<Sent> =
            self.client.call(Call::new("eth_getTransactionByHash", json!([hash]))).await?;
        Ok(sent.filter(|sent| sent.block_hash == Some(mined.receipt.block_hash)))
    }

    /// The value that the transaction itself sends to the address.
    async fn native_payout(&self, mined: &Mined, to: EvmAddress) -> Result<Vec<(u64, U256)>, CallError> {
        let sent = self.sent(mined).await?;
        let value = sent.filter(|sent| sent.to == Some(to)).map_or(U256::ZERO, |sent| sent.value);
        Ok(if value.is_zero() { Vec::new() } else { vec![(0, value)] })
    }
}

#[async_trait]
impl PayoutWatch for EvmPayoutWatch {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn place(&self, tx: &str) -> Result<Option<(u64, u64)>, ChainError> {
        let Ok(hash) = tx.parse::<B256>() else { return Ok(None) };
        let receipt: Option<Receipt> =
            self.client.call(Call::new("eth_getTransactionReceipt", json!([hash]))).await?;
        let Some(receipt) = receipt.filter(|receipt| receipt.transaction_hash == hash) else {
            return Ok(None);
        };
        let block = self.client.block(BlockTag::Number(receipt.block_number)).await?;
        Ok(block.map(|block| (block.number, block.timestamp)))
    }

    async fn payouts(&self, tx: &str, token: TokenId, to: Address) -> Result<Vec<Payout>, ChainError> {
        let (Address::Evm(contract), Address::Evm(to)) = (token.address(), to) else {
            return Ok(Vec::new());
        };
        let Some(mined) = self.final_success(tx, token).await? else { return Ok(Vec::new()) };
        let hash = mined.receipt.transaction_hash;
        let found = if token.is_native() {
            self.native_payout(&mined, to).await?
        } else {
            transfers(&mined.logs, contract, to, Side::To)
        };
        let payout = |(index, amount)| Payout {
            token,
            // One spelling, so that a transaction counts once.
            tx: hash.to_string(),
            index,
            amount: RawAmount::new(amount),
        };
        Ok(found.into_iter().map(payout).collect())
    }

    async fn spent(&self, tx: &str, token: TokenId, from: Address) -> Result<RawAmount, ChainError> {
        let (Address::Evm(contract), Address::Evm(from)) = (token.address(), from) else {
            return Ok(RawAmount::ZERO);
        };
        let Some(mined) = self.final_success(tx, token).await? else { return Ok(RawAmount::ZERO) };
        if token.is_native() {
            let sent = self.sent(&mined).await?.filter(|sent| sent.from == from);
            return Ok(RawAmount::new(sent.map_or(U256::ZERO, |sent| sent.value)));
        }
        let sum = |found: Vec<(u64, U256)>| {
            found.into_iter().fold(U256::ZERO, |sum, (_, amount)| sum.saturating_add(amount))
        };
        // What comes back in the same transaction was not spent.
        let out = sum(transfers(&mined.logs, contract, from, Side::From));
        let back = sum(transfers(&mined.logs, contract, from, Side::To));
        Ok(RawAmount::new(out.saturating_sub(back)))
    }
}

/// One side of a transfer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    From,
    To,
}

/// The token's transfers on that side of the address: log index and amount of each.
fn transfers(logs: &[Log], contract: EvmAddress, owner: EvmAddress, side: Side) -> Vec<(u64, U256)> {
    let transfer = |log: &Log| {
        let [kind, sender, receiver] = *log.topics.as_slice() else { return None };
        let theirs = if side == Side::From { sender } else { receiver };
        let matches = log.address == contract && !log.removed && log.data.len() == 32;
        let moved = U256::try_from_be_slice(&log.data)?;
        let matches = matches && kind == Transfer::SIGNATURE_HASH && theirs == owner.into_word();
        (matches && !moved.is_zero()).then_some((log.index, moved))
    };
    logs.iter().filter_map(transfer).collect()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Bytes;

    use super::*;

    const TOKEN: EvmAddress = EvmAddress::repeat_byte(1);
    const TO: EvmAddress = EvmAddress::repeat_byte(2);

    fn log(index: u64, topics: Vec<B256>, data: Vec<u8>) -> Log {
        Log {
            address: TOKEN,
            topics,
            data: Bytes::from(data),
            block_hash: B256::ZERO,
            block_number: 1,
            transaction_hash: B256::ZERO,
            index,
            removed: false,
        }
    }

    fn transfer(index: u64, to: EvmAddress, amount: u64) -> Log {
        let topics = vec![Transfer::SIGNATURE_HASH, TOKEN.into_word(), to.into_word()];
        log(index, topics, U256::from(amount).to_be_bytes_vec())
    }

    #[test]
    fn every_transfer_of_a_transaction_is_found_with_its_log_index() {
        let logs = [
            transfer(4, TO, 10),
            transfer(5, TOKEN, 11),
            transfer(6, TO, 0),
            transfer(7, TO, 12),
            Log { address: TO, ..transfer(8, TO, 13) },
            Log { removed: true, ..transfer(9, TO, 14) },
            log(10, vec![Transfer::SIGNATURE_HASH, TOKEN.into_word(), TO.into_word()], vec![1; 31]),
            log(11, vec![B256::ZERO, TOKEN.into_word(), TO.into_word()], vec![1; 32]),
            // NFTs have the token id as a fourth topic, and no amount.
            log(12, vec![Transfer::SIGNATURE_HASH, TOKEN.into_word(), TO.into_word(), B256::ZERO], vec![]),
        ];
        assert_eq!(transfers(&logs, TOKEN, TO, Side::To), [(4, U256::from(10)), (7, U256::from(12))]);
        let sent = [(4, U256::from(10)), (5, U256::from(11)), (7, U256::from(12))];
        assert_eq!(transfers(&logs, TOKEN, TOKEN, Side::From), sent, "all come from one address");
        assert!(transfers(&logs, TOKEN, TO, Side::From).is_empty());
    }
}
