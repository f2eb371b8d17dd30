use alloy_primitives::{Address, U256};
use alloy_sol_types::SolValue as _;
use causeway_domain::{IntentTerms, TERMS_TYPEHASH, TERMS_VERSION};

use super::abi::{GaslessCrossChainOrder, Jump, OnchainCrossChainOrder, Order};

impl From<&IntentTerms> for Order {
    fn from(terms: &IntentTerms) -> Self {
        Self {
            version: U256::from(TERMS_VERSION),
            originChainId: U256::from(terms.origin_chain_id),
            escrow: terms.escrow,
            user: terms.user,
            nonce: terms.nonce,
            inputToken: terms.input_token,
            amountIn: terms.amount_in,
            refundTo: terms.refund_to,
            filler: terms.filler,
            payee: terms.payee,
            referrer: terms.referrer,
            referrerFee: terms.referrer_fee,
            destinationChainId: U256::from(terms.destination_chain_id),
            settler: terms.settler,
            outputToken: terms.output_token,
            amountOut: terms.amount_out,
            recipient: terms.recipient,
            openDeadline: U256::from(terms.open_deadline),
            fillDeadline: U256::from(terms.fill_deadline),
            refundAt: U256::from(terms.refund_at),
            epoch: U256::from(terms.epoch),
        }
    }
}

impl From<&causeway_domain::ForwardingOrder> for Jump {
    fn from(jump: &causeway_domain::ForwardingOrder) -> Self {
        Self {
            version: U256::from(TERMS_VERSION),
            originChainId: U256::from(jump.origin_chain_id),
            escrow: jump.escrow,
            nonce: jump.nonce,
            maker: jump.maker,
            inputToken: jump.input_token,
            refundTo: jump.refund_to,
            destinationChainId: U256::from(jump.destination_chain_id),
            outputToken: jump.output_token,
            recipient: jump.recipient,
            rateIn: jump.rate_in,
            rateOut: jump.rate_out,
            expiry: U256::from(jump.expiry),
        }
    }
}

impl Order {
    /// The terms; `None` if they are of another version or hold a number that no chain accepts.
    pub fn terms(&self) -> Option<IntentTerms> {
        IntentTerms::from_bytes(&self.abi_encode())
    }
}

/// The argument of `open`; `None` if a deadline exceeds the standard's 32 bits.
pub fn onchain_envelope(terms: &IntentTerms) -> Option<OnchainCrossChainOrder> {
    Some(OnchainCrossChainOrder {
        fillDeadline: terms.fill_deadline.try_into().ok()?,
        orderDataType: *TERMS_TYPEHASH,
        orderData: terms.to_bytes().into(),
    })
}

/// The argument of `openFor`; `None` if a deadline exceeds the standard's 32 bits.
pub fn gasless_envelope(terms: &IntentTerms) -> Option<GaslessCrossChainOrder> {
    Some(GaslessCrossChainOrder {
        originSettler: Address::from_word(terms.escrow),
        user: Address::from_word(terms.user),
        nonce: U256::from_be_bytes(terms.nonce.0),
        originChainId: U256::from(terms.origin_chain_id),
        openDeadline: terms.open_deadline.try_into().ok()?,
        fillDeadline: terms.fill_deadline.try_into().ok()?,
        orderDataType: *TERMS_TYPEHASH,
        orderData: terms.to_bytes().into(),
    })
}
