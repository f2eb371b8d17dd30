use alloy_primitives::B256;
use causeway_domain::fiat::{FiatQuote, ForwardingOption};
use causeway_domain::{Address, FiatOrderId, ForwardingOrder, ForwardingPlan, IdError};
use jiff::Timestamp;

use super::{FiatError, OrderFiat, OrderFiatParts};

impl OrderFiat {
    /// The forwarding order that the provider's payout address commits to.
    pub(super) fn plan(
        &self,
        quote: &FiatQuote,
        option: &ForwardingOption,
        refund_to: Address,
        pay_by: Timestamp,
    ) -> Result<ForwardingPlan, FiatError> {
        let OrderFiatParts { deposit_builders, forwarding_signers, options, .. } = &self.parts;
        let (hub, there) = (quote.sold.chain(), quote.ask.target.chain());
        let forwarding_signer = forwarding_signers.get(&hub).ok_or(FiatError::ForwardingUnavailable(hub))?;
        let builder = deposit_builders.get(&hub).ok_or(FiatError::ForwardingUnavailable(hub))?;
        let destination = deposit_builders.get(&there).ok_or(FiatError::ForwardingUnavailable(there))?;
        // Money sent to our own contracts is lost, and no swap to them can be opened.
        let ours = [builder.escrow(), builder.settler(), destination.escrow(), destination.settler()];
        for (field, address) in [("recipient", quote.ask.recipient), ("refundTo", refund_to)] {
            if ours.contains(&address.to_word()) {
                let expected =
                    "expected an account that can use the money, not one of this service's contracts";
                return Err(FiatError::Field { field, expected: expected.to_owned() });
            }
        }
        let expiry = pay_by.checked_add(options.forward_for).map_err(|_| FiatError::Times)?;
        let forwarding = ForwardingOrder {
            origin_chain_id: hub.get(),
            escrow: builder.escrow(),
            nonce: nonce()?,
            maker: forwarding_signer.maker(),
            input_token: quote.sold.address().to_word(),
            refund_to: refund_to.to_word(),
            destination_chain_id: quote.ask.target.chain().get(),
            output_token: quote.ask.target.address().to_word(),
            recipient: quote.ask.recipient.to_word(),
            rate_in: quote.sold_amount.get(),
            rate_out: option.least.get(),
            expiry: expiry.as_second().try_into().map_err(|_| FiatError::Times)?,
        };
        Ok(ForwardingPlan {
            address: forwarding_signer.address_for(forwarding.id()),
            order: forwarding,
            filler: option.filler.clone(),
            route: option.route.clone(),
            swap: None,
            returned_tx: None,
        })
    }
}

fn nonce() -> Result<B256, IdError> {
    // Two ids: each has 16 random bytes in hex.
    let (front, back) = (FiatOrderId::random()?, FiatOrderId::random()?);
    format!("{front}{back}").parse().map_err(|_| IdError::NoRandomness)
}
