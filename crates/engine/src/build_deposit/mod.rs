mod draw_up;
mod error;
#[cfg(test)]
pub(crate) mod fake;
mod names;
mod summary;
#[cfg(test)]
mod tests;
mod timing;
mod wish;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    Creation, DepositDesk, DepositError, Hand, OrderStore, PriceFeed, QuoteStore, WalletAction,
};
use causeway_domain::{
    Address, ChainId, DepositMethod, EventKind, Order, OrderEvent, OrderStatus, QuoteId, QuoteKeys, RouteId,
    RowKeys,
};
use jiff::Timestamp;
use serde_json::Value;

pub use error::BuildError;
pub use timing::OrderTiming;
pub(crate) use timing::moment;

use names::Names;
use wish::{Sides, Wish};

/// A route that somebody wants to take, and how.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    pub quote: QuoteId,
    pub route: RouteId,
    pub from: Address,
    /// The quote's own when absent.
    pub recipient: Option<Address>,
    /// The quote's own when absent.
    pub refund_to: Option<Address>,
    pub method: DepositMethod,
}

/// What the payer has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum BuiltDeposit {
    ContractCall(Vec<WalletAction>),
    /// Typed data to sign, and what the wallet has to do before.
    Permit {
        typed: Value,
        before: Vec<WalletAction>,
    },
    /// Send the input to the order's deposit address.
    Transfer,
}

/// A deposit to make, for an order that waits for it.
#[derive(Clone, Debug)]
pub struct Built {
    pub order: Order,
    pub deposit: BuiltDeposit,
    /// One plain sentence for each thing that the payer is asked to do, in order.
    pub summary: Vec<String>,
}

/// What [`BuildDeposit`] works with.
pub struct BuildParts {
    pub catalog: Arc<Catalog>,
    pub quotes: Arc<dyn QuoteStore>,
    pub orders: Arc<dyn OrderStore>,
    pub desks: HashMap<ChainId, Arc<dyn DepositDesk>>,
    /// By the filler's name.
    pub hands: HashMap<String, Arc<dyn Hand>>,
    pub prices: Arc<dyn PriceFeed>,
    pub row_keys: Arc<RowKeys>,
    pub quote_keys: QuoteKeys,
    pub timing: OrderTiming,
}

impl fmt::Debug for BuildParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuildParts").field("timing", &self.timing).finish_non_exhaustive()
    }
}

/// Turns a route into an order with frozen terms and a deposit that its payer can make.
#[derive(Debug)]
pub struct BuildDeposit {
    parts: BuildParts,
}

impl BuildDeposit {
    pub const fn new(parts: BuildParts) -> Self {
        Self { parts }
    }

    /// The deposit of a route: drawn up once and the same ever after. Nothing is written unless the chain would take it now.
    pub async fn build(&self, request: BuildRequest) -> Result<Built, BuildError> {
        self.build_at(request, Timestamp::now()).await
    }

    pub(crate) async fn build_at(&self, request: BuildRequest, now: Timestamp) -> Result<Built, BuildError> {
        let BuildParts { quotes, orders, catalog, .. } = &self.parts;
        let quote = quotes.quote(&request.quote).await?;
        let quote = quote.ok_or_else(|| BuildError::QuoteNotFound(request.quote.clone()))?;
        let route = quote.routes.iter().find(|route| route.id == request.route);
        let route = route.ok_or_else(|| BuildError::RouteNotFound {
            quote: request.quote.clone(),
            route: request.route.clone(),
        })?;
        let sides = Sides {
            origin: self.desk(quote.ask.from.chain())?,
            destination: self.desk(quote.ask.to.chain())?,
        };
        let names = Names(catalog.snapshot());
        let wish = Wish::read(&request, &quote.ask, route, sides, now)?;
        if let Some(order) = orders.order_of_route(&quote.id, &route.id).await? {
            return self.again(order, &wish, sides, &names).await;
        }
        let order = self.draw_up(&quote, route, &wish, sides, &names, now).await?;
        let deposit = deposit(&order, &wish, sides, &names).await?;
        let built = Built { summary: summary::summary(&order, &deposit, &names), order, deposit };
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: built.order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: format!("Built as {}.", wish.method.as_str()),
            at: now,
        };
        match orders.create_order(&built.order, &event).await? {
            Creation::Created => {}
            // Somebody built the same route at the same time and was faster: its terms are the frozen ones.
            Creation::Existing(order) => return self.again(*order, &wish, sides, &names).await,
        }
        self.hold(&built.order, now).await;
        Ok(built)
    }

    /// The deposit of an order that was built before, with what the wallet has to do as of now.
    async fn again(
        &self,
        order: Order,
        wish: &Wish,
        sides: Sides<'_>,
        names: &Names,
    ) -> Result<Built, BuildError> {
        let differs = wish.differs_from(&order);
        if !differs.is_empty() {
            return Err(BuildError::AlreadyBuilt { order: order.id, differs });
        }
        if order.status != OrderStatus::Created {
            return Err(BuildError::AlreadyTaken { order: order.id, status: order.status });
        }
        let deposit = deposit(&order, wish, sides, names).await?;
        Ok(Built { summary: summary::summary(&order, &deposit, names), order, deposit })
    }

    fn desk(&self, chain: ChainId) -> Result<&dyn DepositDesk, BuildError> {
        self.parts.desks.get(&chain).map(AsRef::as_ref).ok_or(BuildError::ChainNotServed(chain))
    }

    /// Asks the filler to keep the order in mind. It decides anew when the deposit comes, so a failure costs nobody anything.
    async fn hold(&self, order: &Order, now: Timestamp) {
        let Some(hand) = self.parts.hands.get(&order.filler) else { return };
        if let Err(error) = hand.hold(order, now).await {
            tracing::warn!(order = order.id.as_str(), filler = order.filler, %error, "a build is not held");
        }
    }
}

/// What the payer has to do, tried against the chain.
async fn deposit(
    order: &Order,
    wish: &Wish,
    sides: Sides<'_>,
    names: &Names,
) -> Result<BuiltDeposit, BuildError> {
    let refused = |error| refusal(error, order, wish, names);
    match order.method {
        DepositMethod::ContractCall => {
            sides.origin.actions(&order.terms).await.map(BuiltDeposit::ContractCall).map_err(refused)
        }
        DepositMethod::Permit2 => {
            let (typed, before) = sides.origin.permit(&order.terms).await.map_err(refused)?;
            Ok(BuiltDeposit::Permit { typed, before })
        }
        DepositMethod::Transfer => Ok(BuiltDeposit::Transfer),
    }
}

fn refusal(error: DepositError, order: &Order, wish: &Wish, names: &Names) -> BuildError {
    match error {
        DepositError::Chain(error) => BuildError::Chain(error),
        DepositError::Balance { has, needs } => {
            let ((has, symbol), (needs, _)) =
                (names.parts(has, &order.from), names.parts(needs, &order.from));
            BuildError::InsufficientBalance { symbol, has, needs }
        }
        DepositError::Gas { has, needs } => {
            let chain = order.from.chain();
            let ((has, symbol), (needs, _)) = (names.coin_parts(has, chain), names.coin_parts(needs, chain));
            BuildError::InsufficientGas { symbol, has, needs }
        }
        DepositError::WouldFail(words) => BuildError::WouldFail(words),
        DepositError::NotOffered => wish.not_offered(),
    }
}
