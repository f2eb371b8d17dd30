use causeway_domain::ports::Creation;
use causeway_domain::{
    Address, DepositMethod, EventKind, ForwardingOrder, Order, OrderEvent, OrderStatus, Quote, Route,
};
use jiff::Timestamp;

use super::display_names::DisplayNames;
use super::params::{BuildParams, ChainBuilders};
use super::{BuildDeposit, BuildError, BuildRequest};

impl BuildDeposit {
    /// The order that swaps the balance of a forwarding address, created once per route. The payer has nothing to do.
    pub(crate) async fn build_forwarding(
        &self,
        quote: &Quote,
        route: &Route,
        forwarding: &ForwardingOrder,
        address: Address,
    ) -> Result<Order, BuildError> {
        let now = Timestamp::now();
        let builders = ChainBuilders {
            origin: self.builder(quote.ask.from.chain())?,
            destination: self.builder(quote.ask.to.chain())?,
        };
        let request = BuildRequest {
            quote: quote.id.clone(),
            route: route.id.clone(),
            from: address,
            recipient: None,
            refund_to: None,
            method: DepositMethod::Transfer,
            client: None,
        };
        if now > route.valid_before {
            return Err(BuildError::QuoteExpired { at: route.valid_before });
        }
        let mut params = BuildParams::new(&request, &quote.ask, route, builders)?;
        params.forwarding = Some((*forwarding, address));
        let names = DisplayNames(self.parts.catalog.snapshot());
        let order = self.create_order(quote, route, &params, builders, &names, now).await?;
        if !forwarding.matches(&order.terms) {
            return Err(BuildError::ForwardingMismatch);
        }
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: "Created for the payout of a purchase.".to_owned(),
            at: now,
        };
        let order = match self.parts.orders.create_order(&order, &event).await? {
            Creation::Created => order,
            Creation::Existing(order) => *order,
        };
        self.hold(&order, now).await;
        Ok(order)
    }
}
