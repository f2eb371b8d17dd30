use alloy_primitives::{Address as EvmAddress, B256, Bytes, U64};
use alloy_sol_types::SolCall as _;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, ChainRecord, OpenedBy};
use causeway_domain::{Address, ChainId, Deployment, Jump, Terms};
use serde::Deserialize;
use serde_json::json;

use super::finality::OrderFinality;
use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::contracts::{DepositFactory, Escrow, Order};
use crate::error::CallError;
use crate::follow::Finality;
use crate::rpc::Call;

/// What an EVM chain knows of orders beside their events.
#[derive(Clone, Debug)]
pub struct EvmRecord {
    client: EvmClient,
    there: Deployment,
    finality: OrderFinality,
}

/// A transaction as far as it tells what it does.
#[derive(Debug, Deserialize)]
struct Sent {
    to: Option<EvmAddress>,
    #[serde(default)]
    input: Bytes,
}

impl EvmRecord {
    /// Of the chain of `client`, where these contracts lie.
    pub const fn new(client: EvmClient, there: Deployment, finality: OrderFinality) -> Self {
        Self { client, there, finality }
    }

    async fn standing(&self) -> Result<u64, CallError> {
        let head = self.head().await?;
        let (tag, depth) = match self.finality.usual {
            Finality::Depth(depth) => return Ok(head.saturating_sub(depth)),
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        match self.client.block(tag).await {
            Ok(Some(block)) => Ok(block.number),
            // The chain does not know the word.
            Ok(None) | Err(CallError::Refused { .. }) => Ok(head.saturating_sub(depth)),
            Err(error) => Err(error),
        }
    }

    async fn head(&self) -> Result<u64, CallError> {
        let head = self.client.block(BlockTag::Latest).await?;
        head.map(|block| block.number).ok_or_else(|| self.client.nonsense("there is no newest block"))
    }

    /// The highest number of transactions that any endpoint knows of the account, those that wait included.
    async fn sent(&self, account: EvmAddress) -> Result<u64, CallError> {
        let call = Call::new("eth_getTransactionCount", json!([account, "pending"]));
        let mut most: Option<u64> = None;
        let mut fault = None;
        for (_, answer) in self.client.each::<U64>(&call).await {
            match answer {
                Ok(count) => most = most.max(Some(count.to())),
                Err(error) => fault = Some(error),
            }
        }
        match (most, fault) {
            // An endpoint that does not answer may be the one that has something waiting.
            (_, Some(error)) => Err(error),
            (Some(most), None) => Ok(most),
            (None, None) => Err(self.client.nonsense("nobody counts the account's transactions")),
        }
    }
}

#[async_trait]
impl ChainRecord for EvmRecord {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn newest(&self) -> Result<u64, ChainError> {
        Ok(self.standing().await?)
    }

    fn address_for(&self, id: B256) -> Address {
        let Deployment { deposit_factory, deposit_code_hash, .. } = self.there;
        Address::Evm(deposit_factory.create2(id, deposit_code_hash))
    }

    async fn opened_by(&self, tx: &str, terms: &Terms) -> Result<OpenedBy, ChainError> {
        let sent: Option<Sent> = self.client.call(Call::new("eth_getTransactionByHash", json!([tx]))).await?;
        let sent = sent.ok_or_else(|| self.client.nonsense(format!("transaction {tx} is not there")))?;
        Ok(if sent.to == Some(self.there.escrow) {
            if sent.input.starts_with(&Escrow::openForCall::SELECTOR) {
                OpenedBy::Permit
            } else {
                OpenedBy::Call
            }
        } else if sent.to == Some(self.there.deposit_factory) {
            by_factory(&sent.input, terms)
        } else {
            OpenedBy::Call
        })
    }

    async fn moment(&self) -> Result<u64, ChainError> {
        Ok(self.head().await?)
    }

    async fn is_quiet(&self, accounts: &[Address], _: u64) -> Result<bool, ChainError> {
        let here = accounts.iter().filter_map(|account| match account {
            Address::Evm(account) => Some(*account),
            Address::Solana(_) => None,
        });
        for account in here {
            let standing = BlockTag::Number(self.standing().await?);
            if self.client.nonce(account, standing).await? < self.sent(account).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What the factory was called for; it is ours, so its word about an order that was opened is true.
fn by_factory(input: &[u8], terms: &Terms) -> OpenedBy {
    if let Ok(call) = DepositFactory::jumpCall::abi_decode(input)
        && call.order == Order::from(terms)
        && let Some(jump) = jump_of(&call.terms)
    {
        return OpenedBy::Jump(Box::new(jump));
    }
    OpenedBy::Transfer
}

fn jump_of(words: &crate::contracts::Jump) -> Option<Jump> {
    use alloy_sol_types::SolValue as _;
    Jump::from_bytes(&words.abi_encode())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::super::facts::tests::terms;
    use super::*;
    use crate::contracts::Jump as WireJump;

    fn jump() -> Jump {
        let terms = terms();
        Jump {
            origin_chain_id: terms.origin_chain_id,
            escrow: terms.escrow,
            nonce: B256::repeat_byte(3),
            maker: B256::with_last_byte(4),
            input_token: terms.input_token,
            refund_to: terms.refund_to,
            destination_chain_id: terms.destination_chain_id,
            output_token: terms.output_token,
            recipient: terms.recipient,
            rate_in: U256::from(5),
            rate_out: U256::from(6),
            expiry: 7,
        }
    }

    #[test]
    fn what_the_factory_was_called_for_reads_back() {
        let order = Order::from(&terms());
        let sweep = DepositFactory::sweepCall { order: order.clone() }.abi_encode();
        assert_eq!(by_factory(&sweep, &terms()), OpenedBy::Transfer);
        let jumped = DepositFactory::jumpCall {
            terms: WireJump::from(&jump()),
            order,
            makerSignature: Bytes::from(vec![1; 65]),
        };
        assert_eq!(by_factory(&jumped.abi_encode(), &terms()), OpenedBy::Jump(Box::new(jump())));
        let other = Terms { amount_in: terms().amount_in + U256::from(1), ..terms() };
        assert_eq!(by_factory(&jumped.abi_encode(), &other), OpenedBy::Transfer, "a jump of another order");
    }
}
