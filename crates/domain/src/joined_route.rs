use jiff::Timestamp;

use crate::{Address, ConfirmedTx, ForwardingPlan, Order, RawAmount, RouteTerms, TokenId};

/// The second leg of a joined route: the provider delivers a stablecoin to a forwarding address, and a swap of our own takes it
/// from there to the wanted token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JoinedTerms {
    /// The stablecoin.
    pub hub: TokenId,
    /// The least of it that the provider delivers.
    pub hub_amount: RawAmount,
    /// The filler that quoted the second leg, preferred when the stablecoin arrives.
    pub filler: String,
    /// Who gets the stablecoin if the second leg fails: an address of its chain.
    pub refund_to: Address,
}

/// The second leg of an order. Its forwarding order is fixed before the payer is told where to pay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinedOrder {
    pub terms: JoinedTerms,
    pub plan: ForwardingPlan,
    /// The provider's delivery to the forwarding address.
    pub delivered: Option<ConfirmedTx>,
    /// When the stablecoin was first seen there.
    pub arrived_at: Option<Timestamp>,
}

impl JoinedOrder {
    /// Whether the first leg is over: the stablecoin is, or was, at the forwarding address.
    pub const fn has_arrived(&self) -> bool {
        self.delivered.is_some() || self.arrived_at.is_some()
    }
}

impl RouteTerms {
    /// The part of a joined route that its provider settles: the stablecoin, delivered to that forwarding address.
    #[must_use]
    pub fn first_leg(&self, joined: &JoinedTerms, address: Address) -> Self {
        Self {
            to: joined.hub,
            recipient: address,
            amount_out: joined.hub_amount,
            min_amount_out: joined.hub_amount,
            joined: None,
            ..self.clone()
        }
    }
}

impl Order {
    /// The second leg, where the route is joined from two.
    pub fn joined(&self) -> Option<&JoinedOrder> {
        self.provider.as_ref()?.joined.as_deref()
    }

    /// The order as its provider knows it: of a joined route the first leg alone.
    #[must_use]
    pub fn first_leg(&self) -> Self {
        let mut leg = self.clone();
        if let Some(joined) = self.joined() {
            leg.to = joined.terms.hub;
            leg.recipient = joined.plan.address;
            leg.dest_amount = joined.terms.hub_amount;
        }
        leg
    }
}
