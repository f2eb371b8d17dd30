use alloy_primitives::{Address as EvmAddress, B256, Bytes, U64};
use alloy_sol_types::SolCall as _;
use async_trait::async_trait;
use causeway_domain::ports::{ChainError, ChainHistory, OpenedBy};
use causeway_domain::{Address, ChainId, Deployment, ForwardingOrder, IntentTerms};
use serde::Deserialize;
use serde_json::json;

use super::finality::OrderFinality;
use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::contracts::{DepositFactory, Escrow, Order};
use crate::error::CallError;
use crate::follow::Finality;
use crate::rpc::Call;

/// What an EVM chain knows about orders besides their events.
#[derive(Clone, Debug)]
pub struct EvmChainHistory {
    client: EvmClient,
    contracts: Deployment,
    finality: OrderFinality,
}

/// The fields of a transaction that show how an order was opened.
#[derive(Debug, Deserialize)]
struct Sent {
    to: Option<EvmAddress>,
    #[serde(default)]
    input: Bytes,
}

impl EvmChainHistory {
    /// Creates a reader for these contracts on the chain of `client`.
    pub const fn new(client: EvmClient, contracts: Deployment, finality: OrderFinality) -> Self {
        Self { client, contracts, finality }
    }

    async fn final_number(&self) -> Result<u64, CallError> {
        let head = self.head().await?;
        let (tag, depth) = match self.finality.usual {
            Finality::Depth(depth) => return Ok(head.saturating_sub(depth)),
            Finality::Tag { tag, or_depth } => (tag, or_depth),
        };
        match self.client.median_block(tag).await {
            Ok(Some(block)) => Ok(block.number),
            // The chain does not support the tag.
            Ok(None) | Err(CallError::Refused { .. }) => Ok(head.saturating_sub(depth)),
            Err(error) => Err(error),
        }
    }

    async fn head(&self) -> Result<u64, CallError> {
        let head = self.client.median_block(BlockTag::Latest).await?;
        head.map(|block| block.number).ok_or_else(|| self.client.invalid_response("no latest block"))
    }

    /// The highest pending nonce of the account at any endpoint.
    async fn pending_nonce(&self, account: EvmAddress) -> Result<u64, CallError> {
        let call = Call::new("eth_getTransactionCount", json!([account, "pending"]));
        let mut highest_nonce: Option<u64> = None;
        let mut fault = None;
        for (_, answer) in self.client.each::<U64>(&call).await {
            match answer {
                Ok(count) => highest_nonce = highest_nonce.max(Some(count.to())),
                Err(error) => fault = Some(error),
            }
        }
        match (highest_nonce, fault) {
            // The endpoint that does not answer may have a pending transaction.
            (_, Some(error)) => Err(error),
            (Some(highest_nonce), None) => Ok(highest_nonce),
            (None, None) => Err(self.client.invalid_response("no endpoint returned the account's nonce")),
        }
    }
}

#[async_trait]
impl ChainHistory for EvmChainHistory {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn newest(&self) -> Result<u64, ChainError> {
        Ok(self.final_number().await?)
    }

    fn address_for(&self, id: B256) -> Address {
        let Deployment { deposit_factory, deposit_code_hash, .. } = self.contracts;
        Address::Evm(deposit_factory.create2(id, deposit_code_hash))
    }

    async fn opened_by(&self, tx: &str, terms: &IntentTerms) -> Result<OpenedBy, ChainError> {
        let sent: Option<Sent> = self.client.call(Call::new("eth_getTransactionByHash", json!([tx]))).await?;
        let sent = sent.ok_or_else(|| self.client.invalid_response(format!("transaction {tx} not found")))?;
        Ok(if sent.to == Some(self.contracts.escrow) {
            by_escrow(&sent.input)
        } else if sent.to == Some(self.contracts.deposit_factory) {
            by_factory(&sent.input, terms)
        } else {
            OpenedBy::Call
        })
    }

    async fn moment(&self) -> Result<u64, ChainError> {
        Ok(self.head().await?)
    }

    async fn is_settled_since(&self, accounts: &[Address], _: u64) -> Result<bool, ChainError> {
        let here = accounts.iter().filter_map(|account| match account {
            Address::Evm(account) => Some(*account),
            _ => None,
        });
        for account in here {
            let final_number = BlockTag::Number(self.final_number().await?);
            let quorum = self.client.quorum().get();
            let final_nonce = self.client.median_nonce(account, final_number, quorum).await?;
            if final_nonce < self.pending_nonce(account).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// How a call to the escrow itself opened the order.
fn by_escrow(input: &[u8]) -> OpenedBy {
    match input.first_chunk() {
        Some(&Escrow::openForCall::SELECTOR) => OpenedBy::Permit,
        Some(&Escrow::openWithAuthorizationCall::SELECTOR) => OpenedBy::Authorization,
        Some(&Escrow::openWithPermitCall::SELECTOR) => OpenedBy::TokenPermit,
        _ => OpenedBy::Call,
    }
}

/// How a call to our factory opened the order.
fn by_factory(input: &[u8], terms: &IntentTerms) -> OpenedBy {
    if let Ok(call) = DepositFactory::jumpCall::abi_decode(input)
        && call.order == Order::from(terms)
        && let Some(jump) = forwarding_order_from(&call.terms)
    {
        return OpenedBy::Forwarding(Box::new(jump));
    }
    OpenedBy::Transfer
}

fn forwarding_order_from(jump: &crate::contracts::Jump) -> Option<ForwardingOrder> {
    use alloy_sol_types::SolValue as _;
    ForwardingOrder::from_bytes(&jump.abi_encode())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::super::facts::tests::terms;
    use super::*;
    use crate::contracts::Jump as WireJump;

    fn jump() -> ForwardingOrder {
        let terms = terms();
        ForwardingOrder {
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
    fn the_opening_is_told_by_the_escrows_function() {
        for (selector, opened_by) in [
            (Escrow::openCall::SELECTOR, OpenedBy::Call),
            (Escrow::openForCall::SELECTOR, OpenedBy::Permit),
            (Escrow::openWithAuthorizationCall::SELECTOR, OpenedBy::Authorization),
            (Escrow::openWithPermitCall::SELECTOR, OpenedBy::TokenPermit),
        ] {
            assert_eq!(by_escrow(&[selector.as_slice(), &[7; 40]].concat()), opened_by);
        }
        assert_eq!(by_escrow(&[1, 2]), OpenedBy::Call);
    }

    #[test]
    fn the_opening_is_decoded_from_the_factory_call() {
        let order = Order::from(&terms());
        let sweep = DepositFactory::sweepCall { order: order.clone() }.abi_encode();
        assert_eq!(by_factory(&sweep, &terms()), OpenedBy::Transfer);
        let jumped = DepositFactory::jumpCall {
            terms: WireJump::from(&jump()),
            order,
            makerSignature: Bytes::from(vec![1; 65]),
        };
        assert_eq!(by_factory(&jumped.abi_encode(), &terms()), OpenedBy::Forwarding(Box::new(jump())));
        let other = IntentTerms { amount_in: terms().amount_in + U256::from(1), ..terms() };
        assert_eq!(by_factory(&jumped.abi_encode(), &other), OpenedBy::Transfer, "a jump of another order");
    }
}
