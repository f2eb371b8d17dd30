mod build_forwarding;
mod create_order;
mod display_names;
mod error;
#[cfg(test)]
pub(crate) mod fake;
mod joined;
mod params;
mod provider;
mod summary;
#[cfg(test)]
mod tests;
mod timing;
mod unpaid;

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::ports::{
    Creation, DepositBuilder, DepositError, ForwardingSigner, OrderKind, OrderStore, PermitRequest,
    PriceFeed, ScreenRequest, StoreError, WalletAction,
};
use causeway_domain::{
    Address, ChainDemand, ChainId, DepositMethod, EventKind, Order, OrderEvent, OrderStatus, QuoteId,
    QuoteKeys, RouteId, RouteSeal, RouteTerms, RowKeys, TokenId, Warning,
};
use futures::FutureExt as _;
use jiff::Timestamp;
use tracing::Instrument as _;

pub(crate) use display_names::DisplayNames;
pub use error::BuildError;
pub(crate) use joined::joined_notice;
pub use timing::OrderTiming;
pub(crate) use timing::moment;
pub use unpaid::UnpaidLimits;

use create_order::deposit_window;
use params::{BuildParams, ChainBuilders};
use unpaid::UnpaidBuilds;

use crate::chain_cursors::ChainCursors;
use crate::executors::ExecutorRegistry;
use crate::liquidity::Liquidity;
use crate::pauses::Pauses;
use crate::screening::Screening;
use crate::submit_deposit::permit_kind;
use crate::warnings::Warnings;

/// How long an unpaid build keeps its chains polled at the full rate.
const MAX_DEMAND: Duration = Duration::from_mins(15);

/// How often a conflicting write is retried.
const MAX_WRITE_ATTEMPTS: usize = 8;

/// A route to build a deposit for, and how.
#[derive(Clone, Debug)]
pub struct BuildRequest {
    pub quote: QuoteId,
    pub route: RouteId,
    pub from: Address,
    /// Defaults to the quote's.
    pub recipient: Option<Address>,
    /// Defaults to the quote's.
    pub refund_to: Option<Address>,
    /// Defaults to the route's first.
    pub method: Option<DepositMethod>,
    /// Who asks, if that is known.
    pub client: Option<IpAddr>,
}

/// What the payer has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum BuiltDeposit {
    ContractCall(Vec<WalletAction>),
    /// Typed data to sign, and what the wallet has to do before.
    Permit(PermitRequest),
    /// Send the input to the order's deposit address.
    Transfer,
    /// The transaction of the provider that settles the order.
    Provider(Vec<WalletAction>),
    /// A plain transfer to the provider's address of the order.
    ProviderTransfer,
}

/// An order and the deposit that it waits for.
#[derive(Clone, Debug)]
pub struct Built {
    pub order: Order,
    pub deposit: BuiltDeposit,
    /// One sentence for each step of the payer, in order.
    pub summary: Vec<String>,
    /// What the payer should know before paying.
    pub warnings: Vec<Warning>,
}

/// What [`BuildDeposit`] works with.
pub struct BuildParts {
    pub catalog: Arc<Catalog>,
    pub seal: Arc<RouteSeal>,
    pub orders: Arc<dyn OrderStore>,
    pub deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    /// By the filler's name.
    pub executors: ExecutorRegistry,
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

/// Converts a route into an order with frozen terms and a deposit that its payer can make.
pub struct BuildDeposit {
    parts: BuildParts,
    demand: Arc<ChainDemand>,
    screening: Option<Arc<Screening>>,
    pauses: Arc<Pauses>,
    cursors: Arc<ChainCursors>,
    unpaid: UnpaidBuilds,
    liquidity: Liquidity,
    warnings: Option<Arc<Warnings>>,
    forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
}

impl fmt::Debug for BuildDeposit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuildDeposit").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl BuildDeposit {
    pub fn new(parts: BuildParts) -> Self {
        Self {
            parts,
            demand: Arc::default(),
            screening: None,
            pauses: Arc::default(),
            cursors: Arc::default(),
            unpaid: UnpaidBuilds::default(),
            liquidity: Liquidity::default(),
            warnings: None,
            forwarding_signers: HashMap::new(),
        }
    }

    /// Adds warnings to what is built.
    #[must_use]
    pub fn with_warnings(self, warnings: Arc<Warnings>) -> Self {
        Self { warnings: Some(warnings), ..self }
    }

    /// Builds routes that these providers settle.
    #[must_use]
    pub fn with_liquidity(self, liquidity: Liquidity) -> Self {
        Self { liquidity, ..self }
    }

    /// Builds joined routes, whose second leg starts at a forwarding address of one of these chains.
    #[must_use]
    pub fn with_forwarding_signers(
        self,
        forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
    ) -> Self {
        Self { forwarding_signers, ..self }
    }

    /// Whether any provider settles routes itself.
    pub fn has_providers(&self) -> bool {
        self.liquidity.has_providers()
    }

    /// Registers demand for the chains of new builds.
    #[must_use]
    pub fn with_chain_demand(self, demand: Arc<ChainDemand>) -> Self {
        Self { demand, ..self }
    }

    /// Creates no orders through a chain that is halted (rule 29), is not read, or has contracts that were not checked.
    #[must_use]
    pub fn with_cursors(self, cursors: Arc<ChainCursors>) -> Self {
        Self { cursors, ..self }
    }

    /// Bounds what a payer or a client can have built without paying.
    #[must_use]
    pub fn with_unpaid_limits(self, limits: UnpaidLimits) -> Self {
        Self { unpaid: UnpaidBuilds::new(limits), ..self }
    }

    /// Screens everyone who pays or is paid before anything is returned to sign.
    #[must_use]
    pub fn with_screening(self, screening: Option<Arc<Screening>>) -> Self {
        Self { screening, ..self }
    }

    /// Creates no orders through anything that an operator has paused.
    #[must_use]
    pub fn with_pauses(self, pauses: Arc<Pauses>) -> Self {
        Self { pauses, ..self }
    }

    /// Builds the deposit of a route. The first build fixes the terms; nothing is stored unless the deposit would succeed now.
    pub async fn build(&self, request: BuildRequest) -> Result<Built, BuildError> {
        let now = Timestamp::now();
        let span = tracing::trace_span!(
            target: "causeway::trace",
            "build",
            trace_id = request.quote.trace_id(),
            quote = request.quote.as_str(),
            order = tracing::field::Empty,
            error = tracing::field::Empty,
        );
        let built = self.build_at(request, now).instrument(span.clone()).await;
        match &built {
            Ok(built) => span.record("order", built.order.id.as_str()),
            Err(error) => span.record("error", tracing::field::display(error)),
        };
        let built = built?;
        // The deposit may arrive until the escrow's deadline.
        let deadline = moment(built.order.terms.open_deadline).map(|at| at.duration_since(now));
        let remaining = deadline.and_then(|left| Duration::try_from(left).ok()).unwrap_or_default();
        for chain in [built.order.from.chain(), built.order.to.chain()] {
            self.demand.wait_for(chain, remaining.min(MAX_DEMAND));
        }
        Ok(built)
    }

    pub(crate) async fn build_at(&self, request: BuildRequest, now: Timestamp) -> Result<Built, BuildError> {
        let BuildParts { seal, orders, catalog, .. } = &self.parts;
        let route = seal.open(&request.quote, &request.route)?;
        if let Some(terms) = route.provider.clone() {
            // Boxed, because it holds several copies of the large order.
            return Box::pin(self.build_provider(request, route, terms, now)).await;
        }
        let builders = self.builders(&route)?;
        let names = DisplayNames(catalog.snapshot());
        let params = BuildParams::new(&request, &route, builders)?;
        let earlier = orders.order_of_route(&request.quote, &request.route).await?;
        // A deposit built in time can be built again until the escrow's deadline: a blockhash expires sooner.
        let until = earlier.as_ref().and_then(|order| moment(order.terms.open_deadline));
        if now > until.unwrap_or(route.valid_before) {
            return Err(BuildError::QuoteExpired { at: route.valid_before });
        }
        self.screen(&route, &params).await?;
        if let Some(order) = earlier {
            return self.rebuild(order, &route, &params, builders, &names).await;
        }
        self.check_pauses(&route)?;
        self.unpaid.check(orders.as_ref(), route.from_address, request.client, now).await?;
        let mut order = self.create_order(&request.route, &route, &params, builders, &names, now).await?;
        let (deposit, (), warnings) = tokio::try_join!(
            deposit(&order, &params, builders, &names),
            self.check_payouts(&order, &params, builders, &names),
            self.warnings_of(&route, params.recipient, params.refund_to).map(Ok),
        )?;
        if let Some(transaction) = to_sign(&deposit) {
            order.record_unsigned_tx(transaction);
        }
        let summary = summary::summary(&order, &deposit, &names, deposit_window(&route, params.method));
        let built = Built { order, deposit, summary, warnings };
        let event = OrderEvent {
            key: self.parts.row_keys.next(now),
            order: built.order.id.clone(),
            kind: EventKind::Status(OrderStatus::Created),
            detail: format!("Built as {}.", params.method.as_str()),
            at: now,
        };
        match orders.create_order(&built.order, &event).await? {
            Creation::Created => {}
            // A concurrent build of the same route was stored first: its terms count.
            Creation::Existing(order) => {
                return self.rebuild(*order, &route, &params, builders, &names).await;
            }
        }
        self.unpaid.add(&built.order, request.client, now);
        self.hold(&built.order, now).await;
        Ok(built)
    }

    /// Simulates what the order pays out: to the recipient, and back to the refund address. Whoever takes more gas than our
    /// ceilings allow, or refuses the payment, is refused here (rule 25).
    async fn check_payouts(
        &self,
        order: &Order,
        params: &BuildParams,
        builders: ChainBuilders<'_>,
        names: &DisplayNames,
    ) -> Result<(), BuildError> {
        let undeliverable = async {
            match self.parts.executors.get(&order.filler) {
                Some(executor) => executor.undeliverable_reason(order).await,
                None => None,
            }
        };
        let (undeliverable, refund) = tokio::join!(undeliverable, builders.origin.check_refund(&order.terms));
        if let Some(reason) = undeliverable {
            return Err(BuildError::WouldFail(format!("the recipient cannot be paid: {reason}")));
        }
        refund.map_err(|error| build_error(error, order, params, names))
    }

    /// Only for new orders: an existing build can still be paid.
    fn check_pauses(&self, route: &RouteTerms) -> Result<(), BuildError> {
        let hub = route.joined.as_ref().map(|joined| joined.hub);
        let tokens: Vec<TokenId> = [route.from, route.to].into_iter().chain(hub).collect();
        if let Some(closed) = self.cursors.closed(tokens.iter().map(TokenId::chain)) {
            let reason = closed.to_string();
            return Err(BuildError::Paused { filler: route.filler.clone(), reason });
        }
        let paused = self.pauses.reason_for_tokens(&tokens);
        match paused.or_else(|| self.pauses.reason_for_filler(&route.filler)) {
            Some(reason) => Err(BuildError::Paused { filler: route.filler.clone(), reason }),
            None => Ok(()),
        }
    }

    /// Builds the deposit of an existing order again, with the wallet actions needed now.
    async fn rebuild(
        &self,
        order: Order,
        route: &RouteTerms,
        params: &BuildParams,
        builders: ChainBuilders<'_>,
        names: &DisplayNames,
    ) -> Result<Built, BuildError> {
        let differs = params.differences_from(&order);
        if !differs.is_empty() {
            return Err(BuildError::AlreadyBuilt { order: order.id, differs });
        }
        check_awaiting_deposit(&order)?;
        let warnings = self.warnings_of(route, params.recipient, params.refund_to).map(Ok);
        let (deposit, warnings) = tokio::try_join!(deposit(&order, params, builders, names), warnings)?;
        let order = match to_sign(&deposit) {
            Some(transaction) => self.record_transaction(order, transaction).await?,
            None => order,
        };
        let summary = summary::summary(&order, &deposit, names, deposit_window(route, params.method));
        Ok(Built { order, deposit, summary, warnings })
    }

    async fn warnings_of(&self, route: &RouteTerms, recipient: Address, refund_to: Address) -> Vec<Warning> {
        match &self.warnings {
            Some(warnings) => warnings.of_build(route, recipient, refund_to).await,
            None => Vec::new(),
        }
    }

    /// Stores a transaction that we have to recognize later, despite concurrent writes.
    async fn record_transaction(&self, mut order: Order, transaction: &[u8]) -> Result<Order, BuildError> {
        for _ in 0..MAX_WRITE_ATTEMPTS {
            order.record_unsigned_tx(transaction);
            if self.parts.orders.update_order(&order, &[]).await? {
                order.version = order.version.saturating_add(1);
                return Ok(order);
            }
            let written = self.parts.orders.order(&order.id).await?;
            order = written.ok_or_else(|| StoreError::Corrupt(format!("order {} is gone", order.id)))?;
            check_awaiting_deposit(&order)?;
        }
        Err(BuildError::Contended { order: order.id })
    }

    /// Also for existing builds: an address listed since gets nothing more to sign.
    async fn screen(&self, route: &RouteTerms, params: &BuildParams) -> Result<(), BuildError> {
        self.screen_wallets(route, params.recipient, params.refund_to).await
    }

    async fn screen_wallets(
        &self,
        route: &RouteTerms,
        recipient: Address,
        refund_to: Address,
    ) -> Result<(), BuildError> {
        let Some(screening) = &self.screening else { return Ok(()) };
        let referrer = route.referral.map(|referral| referral.referrer);
        let wallets = [route.from_address, recipient, refund_to];
        let second = route.joined.as_ref().map(|joined| joined.refund_to);
        let wallets = wallets.into_iter().chain(referrer).chain(second).collect();
        let (deal, asset, amount) = (OrderKind::Swap, route.from, route.amount_in);
        Ok(screening.check(ScreenRequest { kind: deal, wallets, asset, amount }).await?)
    }

    fn builders(&self, route: &RouteTerms) -> Result<ChainBuilders<'_>, BuildError> {
        let (origin, destination) = (self.builder(route.from.chain())?, self.builder(route.to.chain())?);
        Ok(ChainBuilders { origin, destination })
    }

    fn builder(&self, chain: ChainId) -> Result<&dyn DepositBuilder, BuildError> {
        self.parts.deposit_builders.get(&chain).map(AsRef::as_ref).ok_or(BuildError::ChainNotServed(chain))
    }

    /// Asks the filler to hold funds for the order. It decides again when the deposit arrives, so a failure is harmless.
    pub(crate) async fn hold(&self, order: &Order, now: Timestamp) {
        let Some(executor) = self.parts.executors.get(&order.filler) else { return };
        if let Err(error) = executor.hold(order, now).await {
            tracing::warn!(order = order.id.as_str(), filler = order.filler, %error, "holding funds for a build failed");
        }
    }
}

/// Fails for an order whose deposit was made or can no longer be made.
fn check_awaiting_deposit(order: &Order) -> Result<(), BuildError> {
    match order.status {
        OrderStatus::Created => Ok(()),
        status => Err(BuildError::AlreadyTaken { order: order.id.clone(), status }),
    }
}

/// The transaction that must come back unchanged.
fn to_sign(deposit: &BuiltDeposit) -> Option<&[u8]> {
    let BuiltDeposit::ContractCall(actions) = deposit else { return None };
    actions.iter().find_map(|action| match action {
        WalletAction::SignSolana { transaction } => Some(transaction.as_slice()),
        _ => None,
    })
}

/// What the payer has to do, simulated against the chain.
async fn deposit(
    order: &Order,
    params: &BuildParams,
    builders: ChainBuilders<'_>,
    names: &DisplayNames,
) -> Result<BuiltDeposit, BuildError> {
    let refused = |error| build_error(error, order, params, names);
    match order.method {
        DepositMethod::ContractCall => {
            builders.origin.actions(&order.terms).await.map(BuiltDeposit::ContractCall).map_err(refused)
        }
        DepositMethod::Permit2 | DepositMethod::Authorization | DepositMethod::Permit => {
            let permit = builders.origin.permit(permit_kind(order), &order.terms).await;
            permit.map(BuiltDeposit::Permit).map_err(refused)
        }
        DepositMethod::Transfer => Ok(BuiltDeposit::Transfer),
    }
}

fn build_error(error: DepositError, order: &Order, params: &BuildParams, names: &DisplayNames) -> BuildError {
    deposit_error(error, order.from, names, Some(params))
}

fn deposit_error(
    error: DepositError,
    from: TokenId,
    names: &DisplayNames,
    params: Option<&BuildParams>,
) -> BuildError {
    match error {
        DepositError::Chain(error) => BuildError::Chain(error),
        DepositError::Balance { has, needs } => {
            let ((has, symbol), (needs, _)) = (names.parts(has, &from), names.parts(needs, &from));
            BuildError::InsufficientBalance { symbol, has, needs }
        }
        DepositError::Gas { has, needs } => {
            let chain = from.chain();
            let ((has, symbol), (needs, _)) = (names.coin_parts(has, chain), names.coin_parts(needs, chain));
            BuildError::InsufficientGas { symbol, has, needs }
        }
        DepositError::WouldFail(reason) => BuildError::WouldFail(reason),
        DepositError::NotOffered => match params {
            Some(params) => params.not_offered(),
            None => BuildError::MethodNotOffered { asked: DepositMethod::ContractCall, offered: Vec::new() },
        },
    }
}
