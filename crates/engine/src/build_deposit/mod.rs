mod build_jump;
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
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    Creation, Deal, DepositDesk, DepositError, OrderStore, PriceFeed, QuoteStore, ScreenAsk, StoreError,
    WalletAction,
};
use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, EventKind, Interest, Order, OrderEvent, OrderStatus, QuoteId,
    QuoteKeys, Route, RouteId, RowKeys,
};
use jiff::Timestamp;
use serde_json::Value;

pub use error::BuildError;
pub use timing::OrderTiming;
pub(crate) use timing::moment;

use names::Names;
use wish::{Sides, Wish};

use crate::hands::Hands;
use crate::pauses::Pauses;
use crate::screening::Screening;

/// For how long a build that nobody pays for keeps its chains awake.
const LONGEST_WAIT: Duration = Duration::from_mins(15);

/// How often an order that others write at the same time is tried to be written.
const ATTEMPTS: usize = 8;

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
    pub hands: Hands,
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
    interest: Arc<Interest>,
    screening: Option<Arc<Screening>>,
    pauses: Arc<Pauses>,
}

impl BuildDeposit {
    pub fn new(parts: BuildParts) -> Self {
        Self { parts, interest: Arc::default(), screening: None, pauses: Arc::default() }
    }

    /// Tells by this that somebody waits for the chains of what was built.
    #[must_use]
    pub fn telling(self, interest: Arc<Interest>) -> Self {
        Self { interest, ..self }
    }

    /// Has everybody judged who pays or is paid, before anything is handed out to sign.
    #[must_use]
    pub fn screened_by(self, screening: Option<Arc<Screening>>) -> Self {
        Self { screening, ..self }
    }

    /// Draws up nothing new that goes through what an operator has paused.
    #[must_use]
    pub fn heeding(self, pauses: Arc<Pauses>) -> Self {
        Self { pauses, ..self }
    }

    /// The deposit of a route: drawn up once and the same ever after. Nothing is written unless the chain would take it now.
    pub async fn build(&self, request: BuildRequest) -> Result<Built, BuildError> {
        let now = Timestamp::now();
        let built = self.build_at(request, now).await?;
        // The deposit may come as long as the escrow takes it.
        let deadline = moment(built.order.terms.open_deadline).map(|at| at.duration_since(now));
        let lasting = deadline.and_then(|left| Duration::try_from(left).ok()).unwrap_or_default();
        for chain in [built.order.from.chain(), built.order.to.chain()] {
            self.interest.wait_for(chain, lasting.min(LONGEST_WAIT));
        }
        Ok(built)
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
        let wish = Wish::read(&request, &quote.ask, route, sides)?;
        let earlier = orders.order_of_route(&quote.id, &route.id).await?;
        // What was built in time may be signed anew for as long as the escrow takes it: a blockhash dies sooner.
        let until = earlier.as_ref().and_then(|order| moment(order.terms.open_deadline));
        if now > until.unwrap_or(route.valid_before) {
            return Err(BuildError::QuoteExpired { at: route.valid_before });
        }
        self.screen(&quote.ask, route, &wish).await?;
        if let Some(order) = earlier {
            return self.again(order, &wish, sides, &names).await;
        }
        self.check_pauses(&quote.ask, route)?;
        let mut order = self.draw_up(&quote, route, &wish, sides, &names, now).await?;
        let deposit = deposit(&order, &wish, sides, &names).await?;
        if let Some(transaction) = to_sign(&deposit) {
            order.give_to_sign(transaction);
        }
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

    /// What was built before may still be paid; nothing else begins while it is paused.
    fn check_pauses(&self, ask: &Ask, route: &Route) -> Result<(), BuildError> {
        let paused = self.pauses.of_tokens(&[ask.from, ask.to]);
        match paused.or_else(|| self.pauses.of_filler(&route.filler)) {
            Some(words) => Err(BuildError::Paused { filler: route.filler.clone(), words }),
            None => Ok(()),
        }
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
        still_awaited(&order)?;
        let deposit = deposit(&order, wish, sides, names).await?;
        let order = match to_sign(&deposit) {
            Some(transaction) => self.keep(order, transaction).await?,
            None => order,
        };
        Ok(Built { summary: summary::summary(&order, &deposit, names), order, deposit })
    }

    /// Keeps a transaction of which we must know later that we built it, whoever else writes the order meanwhile.
    async fn keep(&self, mut order: Order, transaction: &[u8]) -> Result<Order, BuildError> {
        for _ in 0..ATTEMPTS {
            order.give_to_sign(transaction);
            if self.parts.orders.update_order(&order, &[]).await? {
                order.version = order.version.saturating_add(1);
                return Ok(order);
            }
            let written = self.parts.orders.order(&order.id).await?;
            order = written.ok_or_else(|| StoreError::Corrupt(format!("order {} is gone", order.id)))?;
            still_awaited(&order)?;
        }
        Err(BuildError::Contended { order: order.id })
    }

    /// Also for what was built before: whoever has come onto a list meanwhile is given nothing more to sign.
    async fn screen(&self, ask: &Ask, route: &Route, wish: &Wish) -> Result<(), BuildError> {
        let Some(screening) = &self.screening else { return Ok(()) };
        let wallets = vec![ask.from_address, wish.recipient, wish.refund_to];
        let (deal, asset, amount) = (Deal::Swap, ask.from, route.amount_in);
        Ok(screening.judge(ScreenAsk { deal, wallets, asset, amount }).await?)
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

/// Nothing is built for an order whose deposit has come, or cannot come any more.
fn still_awaited(order: &Order) -> Result<(), BuildError> {
    match order.status {
        OrderStatus::Created => Ok(()),
        status => Err(BuildError::AlreadyTaken { order: order.id.clone(), status }),
    }
}

/// The transaction that must come back as it was given.
fn to_sign(deposit: &BuiltDeposit) -> Option<&[u8]> {
    let BuiltDeposit::ContractCall(actions) = deposit else { return None };
    actions.iter().find_map(|action| match action {
        WalletAction::SignSolana { transaction } => Some(transaction.as_slice()),
        _ => None,
    })
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
