mod bound;
mod check;
mod contracts;
mod deposit;
mod effects;
mod message;
mod plan;
mod request;
mod trusted_provider;
mod warnings;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use causeway_wire::{BuildAsk, QuoteAsk, SubmitAsk, Warning};

use crate::answers::{BuildAnswer, Order, QuoteAnswer, Route, SubmitAnswer};
use crate::{Client, Error, PollingOptions, Wallet, WalletError};

pub use bound::{Bound, Confirm, Limit, PriceReference};
pub(crate) use check::{BITCOIN, TRON, on_chain};
pub use check::{ProviderTrust, TransferTrust, check_provider_transfer, check_transfer};
pub use trusted_provider::{TrustedProvider, Unchecked};

use warnings::AcceptedWarnings;

/// How `execute` deposits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepositMethod {
    /// The wallet sends the deposit and pays its gas.
    #[default]
    ContractCall,
    /// The wallet signs a permit, and the service brings it to the chain.
    Permit2,
    /// The wallet signs an EIP-3009 authorization of the token, and the service brings it to the chain. Neither an allowance
    /// nor gas is needed.
    Authorization,
    /// The wallet signs an EIP-2612 permit of the token and the order, and the service brings both to the chain. Neither an
    /// allowance nor gas is needed.
    Permit,
}

impl DepositMethod {
    /// As the contract spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ContractCall => "CONTRACT_CALL",
            Self::Permit2 => "PERMIT2",
            Self::Authorization => "AUTHORIZATION",
            Self::Permit => "PERMIT",
        }
    }
}

/// Options of [`Client::execute`].
pub struct ExecuteOptions {
    bound: Bound,
    method: DepositMethod,
    polling: PollingOptions,
    escrows: BTreeMap<u64, String>,
    /// Contracts of liquidity providers, by source chain.
    providers: BTreeMap<u64, Vec<TrustedProvider>>,
    confirmation: Option<Confirm>,
    accepted: AcceptedWarnings,
    route_filter: Box<dyn Fn(&Route) -> bool + Send + Sync>,
}

impl ExecuteOptions {
    /// The best route within the bound, by contract call, with default polling. A bound is needed, because the service alone
    /// names the price.
    pub fn new(bound: Bound) -> Self {
        let confirmation = match &bound {
            Bound::Confirmed(confirm) => Some(confirm.clone()),
            _ => None,
        };
        Self {
            bound,
            confirmation,
            method: DepositMethod::default(),
            polling: PollingOptions::default(),
            escrows: BTreeMap::new(),
            providers: BTreeMap::new(),
            accepted: AcceptedWarnings::default(),
            route_filter: Box::new(|_| true),
        }
    }

    /// Sets the deposit method.
    #[must_use]
    pub const fn with_deposit_method(mut self, method: DepositMethod) -> Self {
        self.method = method;
        self
    }

    /// Sets how the order is polled.
    #[must_use]
    pub const fn with_polling(mut self, polling: PollingOptions) -> Self {
        self.polling = polling;
        self
    }

    /// Trusts only this escrow on the chain, whatever the service says. Once an escrow is set, deposits from chains without one
    /// fail. By default the escrows of published deployments are trusted, and the sandbox's if the service runs on this machine.
    #[must_use]
    pub fn with_trusted_escrow(mut self, chain_id: u64, escrow: &str) -> Self {
        self.escrows.insert(chain_id, escrow.to_owned());
        self
    }

    /// Trusts this contract of a liquidity provider on the chain, given by its address or as a [`TrustedProvider`] that leaves
    /// something unchecked. Without one, routes that a provider settles are skipped there: the provider holds the money until it
    /// delivers, and no escrow refunds it.
    #[must_use]
    pub fn with_trusted_provider(mut self, chain_id: u64, contract: impl Into<TrustedProvider>) -> Self {
        self.providers.entry(chain_id).or_default().push(contract.into());
        self
    }

    /// Asks somebody besides whether exactly the chosen route is wanted; nothing is signed without a yes.
    #[must_use]
    pub fn with_confirmation(mut self, confirm: impl Fn(&Route) -> bool + Send + Sync + 'static) -> Self {
        self.confirmation = Some(Arc::new(confirm));
        self
    }

    /// Accepts severe warnings with these codes, such as `HIGH_FEES`. Others end the swap with [`Error::Warned`] before anything
    /// is signed, unless another route has none.
    #[must_use]
    pub fn with_accepted_warnings<C: Into<String>>(mut self, codes: impl IntoIterator<Item = C>) -> Self {
        self.accepted = AcceptedWarnings::by_code(codes);
        self
    }

    /// Accepts the severe warnings for which this returns true: of a route after it was confirmed, of a deposit before it is
    /// signed.
    #[must_use]
    pub fn with_warning_check(mut self, accept: impl Fn(&Warning) -> bool + Send + Sync + 'static) -> Self {
        self.accepted = AcceptedWarnings::by(accept);
        self
    }

    /// Takes the best route that the filter accepts.
    #[must_use]
    pub fn with_route_filter(mut self, filter: impl Fn(&Route) -> bool + Send + Sync + 'static) -> Self {
        self.route_filter = Box::new(filter);
        self
    }
}

impl fmt::Debug for ExecuteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecuteOptions")
            .field("bound", &self.bound)
            .field("method", &self.method)
            .field("polling", &self.polling)
            .field("escrows", &self.escrows)
            .finish_non_exhaustive()
    }
}

/// A completed step of `execute`. Persist what must survive a crash.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The bound that holds for every route, and where it comes from; absent if only a confirmation decides.
    Bounded(&'a Limit),
    Quoted(&'a QuoteAnswer),
    Chosen(&'a Route),
    /// Nothing is signed yet; the answer describes what will be, as text and as terms.
    Built(&'a BuildAnswer),
    /// A transaction was sent to the source chain; `deposit` marks the one that moves the funds.
    Sent {
        tx_hash: &'a str,
        deposit: bool,
    },
    /// A Solana deposit is signed. The service sends it next, which moves the funds.
    Signed {
        tx_hash: &'a str,
    },
    /// The order exists and can be tracked by its id.
    Submitted(&'a SubmitAnswer),
    /// The order has a new status.
    Order(&'a Order),
}

impl Client {
    /// Executes a whole swap: quote, choose a route, build, sign, submit, and track the order until it is filled.
    ///
    /// An order that ends otherwise is [`Error::OrderFailed`]. Before anything is signed, the route and the deposit are checked
    /// against the request, down to the bytes of each transaction and permit. An abort never interrupts the sending of a
    /// transaction. A sent transaction advances its order even if nobody waits, and `on_step` got its hash.
    pub async fn execute<W: Wallet>(
        &self,
        ask: &QuoteAsk,
        wallet: &W,
        options: &ExecuteOptions,
        mut on_step: impl FnMut(Step<'_>) + Send,
    ) -> Result<Order, Error> {
        let limit = Limit::read(ask, &options.bound)?;
        if let Some(limit) = &limit {
            on_step(Step::Bounded(limit));
        }
        let payer = wallet.address();
        if check::word(&ask.from_address).is_none_or(|requested| check::word(&payer) != Some(requested)) {
            return Err(
                WalletError::AddressMismatch { requested: ask.from_address.clone(), wallet: payer }.into()
            );
        }
        let method = options.method.as_str();
        let quote =
            self.quote(&QuoteAsk { deposit_methods: Some(vec![method.to_owned()]), ..ask.clone() }).await?;
        on_step(Step::Quoted(&quote));
        let trusted = options.providers.get(&ask.from_chain_id).map(Vec::as_slice).unwrap_or_default();
        let route = options.choose(&quote.routes, limit.as_ref(), !trusted.is_empty())?;
        on_step(Step::Chosen(route));
        check::check_route(ask, &route.quote).map_err(Error::invalid_response)?;
        let built = self.build_deposit(&build_ask(&quote, route, ask, method)).await?;
        let plan = if let BuildAnswer::Provider(deposit) = &built {
            check::plan_provider(ask, &route.quote, deposit, trusted)
        } else {
            let escrow = self.trusted_escrow(ask, options);
            check::plan_deposit(ask, &route.quote, options.method, &built, escrow)
        };
        let plan = plan.map_err(Error::invalid_response)?;
        if let Some(settler) = plan.settler {
            let named = check::check_settler(wallet, ask.from_chain_id, settler).await;
            named.map_err(Error::invalid_response)?;
        }
        options.accepted.check(built.warnings())?;
        on_step(Step::Built(&built));
        let proof = self.deposit(wallet, &plan, &mut on_step).await?;
        let submission = SubmitAsk {
            quote_id: quote.quote_id.clone(),
            route_id: route.route_id.clone(),
            tx_hash: proof.tx_hash,
            signed_transaction: proof.signed_transaction,
            signature: proof.signature,
        };
        let submitted = self.submit_until_accepted(&submission, options.polling).await?;
        on_step(Step::Submitted(&submitted));
        let order = self
            .track_order(&submitted.order_id, options.polling, |order| on_step(Step::Order(order)))
            .await?;
        if order.status == "filled" { Ok(order) } else { Err(Error::OrderFailed(Box::new(order))) }
    }

    fn trusted_escrow<'a>(&self, ask: &QuoteAsk, options: &'a ExecuteOptions) -> Option<&'a str> {
        let chain = ask.from_chain_id;
        match options.escrows.get(&chain) {
            Some(escrow) => Some(escrow),
            None if options.escrows.is_empty() => contracts::default_escrow(self.base.as_url(), chain),
            None => None,
        }
    }

    /// Submits until the service accepts it. The funds may already move and the call is idempotent, so transient errors are
    /// retried.
    async fn submit_until_accepted(
        &self,
        ask: &SubmitAsk,
        polling: PollingOptions,
    ) -> Result<SubmitAnswer, Error> {
        loop {
            match self.submit_deposit(ask).await {
                Err(error) if error.is_transient() => self.pause(polling.delay_after(&error)).await?,
                answered => return answered,
            }
        }
    }
}

impl ExecuteOptions {
    /// The first route that offers the deposit method, passes the filter and is within the bound; one that is not confirmed
    /// ends the swap, and so does a confirmed one with a severe warning that is not accepted.
    fn choose<'a>(
        &self,
        routes: &'a [Route],
        limit: Option<&Limit>,
        trusts_providers: bool,
    ) -> Result<&'a Route, Error> {
        let mut problem = None;
        let mut warned = None;
        for route in routes {
            if route.is_settled_by_provider() && !trusts_providers {
                problem.get_or_insert_with(|| {
                    format!("{} settles its route itself, and no contract of it is trusted", route.label())
                });
                continue;
            }
            if !route.offers(self.method.as_str()) || !(self.route_filter)(route) {
                continue;
            }
            if let Some(violation) = limit.and_then(|limit| limit.violation(&route.quote)) {
                problem.get_or_insert(violation);
                continue;
            }
            if let Some(confirm) = &self.confirmation {
                if !confirm(route) {
                    return Err(Error::NoRoute { problem: None });
                }
                return self.accepted.check(&route.warnings).map(|()| route);
            }
            match self.accepted.check(&route.warnings) {
                Ok(()) => return Ok(route),
                Err(error) => warned = warned.or(Some(error)),
            }
        }
        Err(warned.unwrap_or(Error::NoRoute { problem }))
    }
}

fn build_ask(quote: &QuoteAnswer, route: &Route, ask: &QuoteAsk, method: &str) -> BuildAsk {
    BuildAsk {
        quote_id: quote.quote_id.clone(),
        route_id: route.route_id.clone(),
        from: ask.from_address.clone(),
        recipient: ask.recipient.clone(),
        refund_to: ask.refund_to.clone(),
        deposit_method: Some(method.to_owned()),
    }
}
