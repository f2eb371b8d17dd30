use std::sync::Arc;

use alloy_primitives::{B256, keccak256};
use causeway_domain::{
    CustodyNotice, ForwardingOrder, ForwardingPlan, JoinedOrder, JoinedTerms, Order, RouteId, RouteTerms,
};
use jiff::SignedDuration;

use super::display_names::DisplayNames;
use super::params::check_receiver;
use super::{BuildDeposit, BuildError};

/// How long the forwarding address of a joined route swaps what arrives, from the route's end: the provider takes a deposit for
/// up to a day, and its bridge may take days.
const FORWARD_FOR: SignedDuration = SignedDuration::from_hours(8 * 24);

/// Sets the nonces of forwarding orders apart from all else that is hashed.
const NONCE: &[u8] = b"causeway joined route ";

impl BuildDeposit {
    /// The second leg of a joined route; `None` where the provider delivers to the recipient. It follows from the route alone:
    /// every build of it, on any replica and after any crash, has the provider pay the same forwarding address.
    pub(super) fn second_leg(
        &self,
        route: &RouteTerms,
        id: &RouteId,
        earlier: Option<&Order>,
    ) -> Result<Option<JoinedOrder>, BuildError> {
        let Some(terms) = &route.joined else { return Ok(None) };
        if let Some(joined) = earlier.and_then(Order::joined) {
            return Ok(Some(joined.clone()));
        }
        let (hub, there) = (terms.hub.chain(), route.to.chain());
        let signer = self.forwarding_signers.get(&hub).ok_or(BuildError::ChainNotServed(hub))?;
        let (origin, destination) = (self.builder(hub)?, self.builder(there)?);
        let ours = [origin.escrow(), origin.settler(), destination.escrow(), destination.settler()];
        check_receiver("recipient", route.recipient, route.to.address().to_word(), &ours)?;
        check_receiver("refundTo", terms.refund_to, terms.hub.address().to_word(), &ours)?;
        let expiry = route.valid_before.checked_add(FORWARD_FOR).map_err(|_| BuildError::Times)?;
        let order = ForwardingOrder {
            origin_chain_id: hub.get(),
            escrow: origin.escrow(),
            nonce: nonce(id),
            maker: signer.maker(),
            input_token: terms.hub.address().to_word(),
            refund_to: terms.refund_to.to_word(),
            destination_chain_id: there.get(),
            output_token: route.to.address().to_word(),
            recipient: route.recipient.to_word(),
            rate_in: terms.hub_amount.get(),
            rate_out: route.min_amount_out.get(),
            expiry: expiry.as_second().try_into().map_err(|_| BuildError::Times)?,
        };
        let plan = ForwardingPlan {
            address: signer.address_for(order.id()),
            order,
            filler: terms.filler.clone(),
            route: id.clone(),
            swap: None,
            returned_tx: None,
        };
        Ok(Some(JoinedOrder { terms: terms.clone(), plan, delivered: None, arrived_at: None }))
    }
}

fn nonce(id: &RouteId) -> B256 {
    keccak256([NONCE, id.as_str().as_bytes()].concat())
}

/// Who holds the money of a joined route, and what its payer gets when either leg fails.
pub(crate) fn joined_notice(
    first: &CustodyNotice,
    terms: &JoinedTerms,
    names: &DisplayNames,
) -> Arc<CustodyNotice> {
    let (symbol, chain) = (names.symbol(&terms.hub), names.chain(terms.hub.chain()));
    Arc::new(CustodyNotice {
        held_by: format!(
            "{}; then, as {symbol}, a deposit address and the escrow of this service on {chain}, until its filler has delivered",
            first.held_by
        ),
        refunds: format!(
            "The swap has two legs. The first: {} The second is a swap of this service, from {symbol} on {chain}: if it cannot be \
             made at the agreed rate, the payer is left with {symbol}, token {}, at {} on {chain}.",
            first.refunds,
            terms.hub.address(),
            terms.refund_to
        ),
    })
}
