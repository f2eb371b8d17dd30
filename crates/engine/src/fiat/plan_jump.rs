use alloy_primitives::B256;
use causeway_domain::fiat::{FiatQuote, JumpOption, JumpPlan};
use causeway_domain::{Address, FiatOrderId, IdError, Jump};
use jiff::Timestamp;

use super::{FiatError, OrderFiat, OrderFiatParts};

impl OrderFiat {
    /// What the address that the provider pays to commits to.
    pub(super) fn plan(
        &self,
        quote: &FiatQuote,
        option: &JumpOption,
        refund_to: Address,
        pay_by: Timestamp,
    ) -> Result<JumpPlan, FiatError> {
        let OrderFiatParts { desks, jump_desks, options, .. } = &self.parts;
        let (hub, there) = (quote.sold.chain(), quote.ask.target.chain());
        let jump_desk = jump_desks.get(&hub).ok_or(FiatError::NoJump(hub))?;
        let desk = desks.get(&hub).ok_or(FiatError::NoJump(hub))?;
        let destination = desks.get(&there).ok_or(FiatError::NoJump(there))?;
        // Money that our own contracts hold is lost, and no swap to them is ever opened.
        let ours = [desk.escrow(), desk.settler(), destination.escrow(), destination.settler()];
        for (field, address) in [("recipient", quote.ask.recipient), ("refundTo", refund_to)] {
            if ours.contains(&address.to_word()) {
                let expected =
                    "expected an account that can use the money, not one of this service's contracts";
                return Err(FiatError::Field { field, expected: expected.to_owned() });
            }
        }
        let expiry = pay_by.checked_add(options.jump_for).map_err(|_| FiatError::Times)?;
        let jump = Jump {
            origin_chain_id: hub.get(),
            escrow: desk.escrow(),
            nonce: nonce()?,
            maker: jump_desk.maker(),
            input_token: quote.sold.address().to_word(),
            refund_to: refund_to.to_word(),
            destination_chain_id: quote.ask.target.chain().get(),
            output_token: quote.ask.target.address().to_word(),
            recipient: quote.ask.recipient.to_word(),
            rate_in: quote.sold_amount.get(),
            rate_out: option.least.get(),
            expiry: expiry.as_second().try_into().map_err(|_| FiatError::Times)?,
        };
        Ok(JumpPlan {
            address: jump_desk.address_for(jump.id()),
            jump,
            filler: option.filler.clone(),
            route: option.route.clone(),
            swap: None,
            returned_tx: None,
        })
    }
}

fn nonce() -> Result<B256, IdError> {
    // Two ids' worth of randomness; an id is 16 random bytes in hex.
    let (front, back) = (FiatOrderId::random()?, FiatOrderId::random()?);
    format!("{front}{back}").parse().map_err(|_| IdError::NoRandomness)
}
