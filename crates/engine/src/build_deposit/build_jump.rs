use causeway_domain::ports::Creation;
use causeway_domain::{
    Address, DepositMethod, EventKind, Jump, Order, OrderEvent, OrderStatus, Quote, Route,
};
use jiff::Timestamp;

use super::names::Names;
use super::wish::{Sides, Wish};
use super::{BuildDeposit, BuildError, BuildRequest};

impl BuildDeposit {
    /// The order that takes what lies at a jump's address, drawn up once per route. Nothing is left for a payer to do.
    pub(crate) async fn build_jump(
        &self,
        quote: &Quote,
        route: &Route,
        jump: &Jump,
        address: Address,
    ) -> Result<Order, BuildError> {
        let now = Timestamp::now();
        let sides = Sides {
            origin: self.desk(quote.ask.from.chain())?,
            destination: self.desk(quote.ask.to.chain())?,
        };
        let request = BuildRequest {
            quote: quote.id.clone(),
            route: route.id.clone(),
            from: address,
            recipient: None,
            refund_to: None,
            method: DepositMethod::Transfer,
        };
        if now > route.valid_before {
            return Err(BuildError::QuoteExpired { at: route.valid_before });
        }
        let mut wish = Wish::read(&request, &quote.ask, route, sides)?;
        wish.jump = Some((*jump, address));
        let names = Names(self.parts.catalog.snapshot());
        let order = self.draw_up(quote, route, &wish, sides, &names, now).await?;
        if !jump.matches(&order.terms) {
            return Err(BuildError::NotTheJump);
        }
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: "Drawn up for the money of a purchase.".to_owned(),
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
