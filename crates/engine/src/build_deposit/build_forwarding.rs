use causeway_domain::{
    Address, DepositMethod, EventKind, ForwardingOrder, Order, OrderEvent, OrderStatus, Quote, Route,
    RouteTerms,
};
use jiff::Timestamp;

use super::display_names::DisplayNames;
use super::params::BuildParams;
use super::{BuildDeposit, BuildError, BuildRequest};

impl BuildDeposit {
    /// The order that swaps the balance of a forwarding address, and its first event; the caller stores them. The payer has
    /// nothing to do.
    pub(crate) async fn build_forwarding(
        &self,
        quote: &Quote,
        route: &Route,
        forwarding: &ForwardingOrder,
        address: Address,
        detail: &str,
    ) -> Result<(Order, OrderEvent), BuildError> {
        let now = Timestamp::now();
        let terms = RouteTerms::new(quote, route);
        let builders = self.builders(&terms)?;
        let request = BuildRequest {
            quote: quote.id.clone(),
            route: route.id.clone(),
            from: address,
            recipient: None,
            refund_to: None,
            method: Some(DepositMethod::Transfer),
            client: None,
        };
        if now > route.valid_before {
            return Err(BuildError::QuoteExpired { at: route.valid_before });
        }
        let mut params = BuildParams::new(&request, &terms, builders)?;
        params.forwarding = Some((*forwarding, address));
        let names = DisplayNames(self.parts.catalog.snapshot());
        let order = self.create_order(&route.id, &terms, &params, builders, &names, now).await?;
        if !forwarding.matches(&order.terms) {
            return Err(BuildError::ForwardingMismatch);
        }
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: detail.to_owned(),
            at: now,
        };
        Ok((order, event))
    }
}
