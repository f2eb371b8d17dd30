use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, FiatStatus, ForwardingOption, Strategy};
use causeway_domain::ports::{
    DepositBuilder, FiatCreation, FiatStore, ForwardingSigner, OrderKind, ScreenRequest, WalletCheck,
};
use causeway_domain::{Address, ChainId, FiatOrderId, FiatQuoteId, RouteId, RowKeys};
use jiff::{SignedDuration, Timestamp};

use super::refund_to::refund_to;
use super::sessions::Sessions;
use super::{FiatError, FiatSignal, Ramps};
use crate::screening::Screening;

/// When a new purchase is first processed.
const FIRST_CHECK: SignedDuration = SignedDuration::from_secs(2);

/// How often a conflicting write is retried.
const MAX_WRITE_ATTEMPTS: usize = 8;

/// A request to order by a quote.
#[derive(Clone, Debug)]
pub struct FiatOrderRequest {
    pub quote: FiatQuoteId,
    pub author: Address,
    /// One of the quote's forwarding routes; defaults to the best.
    pub route: Option<RouteId>,
    /// Who asks: the holder of the API key, or `X-Integrator-Id`.
    pub integrator: Option<String>,
    /// The integrator's JSON; stored and never passed on.
    pub metadata: Option<String>,
    pub refund_to: Option<Address>,
    /// The web origin of the request.
    pub origin: Option<String>,
}

/// Time limits of purchases.
#[derive(Clone, Copy, Debug)]
pub struct OrderFiatOptions {
    /// How long a payer has to start paying.
    pub pay_within: SignedDuration,
    /// How long after that a forwarding address accepts money.
    pub forward_for: SignedDuration,
    /// How long a provider may take to open a checkout.
    pub provider_timeout: Duration,
    /// How long a checkout that was shown is reused instead of opening another.
    pub reuse_for: Duration,
}

impl Default for OrderFiatOptions {
    fn default() -> Self {
        Self {
            pay_within: SignedDuration::from_mins(60),
            forward_for: SignedDuration::from_hours(7 * 24),
            provider_timeout: Duration::from_secs(10),
            reuse_for: Duration::from_secs(5),
        }
    }
}

/// What [`OrderFiat`] works with.
pub struct OrderFiatParts {
    pub store: Arc<dyn FiatStore>,
    pub ramps: Ramps,
    pub deposit_builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    pub forwarding_signers: HashMap<ChainId, Arc<dyn ForwardingSigner>>,
    pub wallets: HashMap<ChainId, Arc<dyn WalletCheck>>,
    pub row_keys: Arc<RowKeys>,
    pub signal: Arc<FiatSignal>,
    /// Screens the wallets before a purchase is created.
    pub screening: Option<Arc<Screening>>,
    pub options: OrderFiatOptions,
}

impl fmt::Debug for OrderFiatParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrderFiatParts").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Converts a provider's quote into a purchase with a checkout, once.
#[derive(Debug)]
pub struct OrderFiat {
    pub(super) parts: OrderFiatParts,
    sessions: Sessions,
}

impl OrderFiat {
    pub fn new(parts: OrderFiatParts) -> Self {
        Self { parts, sessions: Sessions::default() }
    }

    /// Creates the purchase of a quote; idempotent. It is stored before the provider is called, with an id that the provider
    /// recognizes, so that a crash in between leads to one checkout and one purchase.
    pub async fn order(&self, request: FiatOrderRequest) -> Result<FiatOrder, FiatError> {
        let store = &self.parts.store;
        let now = Timestamp::now();
        let quote = store.fiat_quote(&request.quote).await?;
        let quote = quote.ok_or_else(|| FiatError::QuoteNotFound(request.quote.clone()))?;
        if let Some(order) = store.fiat_order_of_quote(&quote.id).await? {
            return self.existing(order, &request).await;
        }
        if now > quote.expires_at {
            return Err(FiatError::QuoteExpired { at: quote.expires_at });
        }
        self.parts.ramps.check_open(&quote.provider, &[quote.ask.target, quote.sold])?;
        let order = self.create_order(&request, &quote, now).await?;
        self.screen(&order).await?;
        let event = FiatEvent {
            key: self.parts.row_keys.next(now),
            order: order.id.clone(),
            status: Some(FiatStatus::Created),
            detail: format!("Ordered from {}.", order.provider),
            at: now,
        };
        match store.create_fiat_order(&order, &event).await? {
            FiatCreation::Created => self.with_checkout(order).await,
            FiatCreation::Existing(order) => self.existing(*order, &request).await,
        }
    }

    async fn screen(&self, order: &FiatOrder) -> Result<(), FiatError> {
        let Some(screening) = &self.parts.screening else { return Ok(()) };
        let wallets = vec![order.author, order.recipient, order.refund_to];
        let (deal, asset, amount) = (OrderKind::Purchase, order.target, order.expected);
        Ok(screening.check(ScreenRequest { kind: deal, wallets, asset, amount }).await?)
    }

    async fn existing(&self, order: FiatOrder, request: &FiatOrderRequest) -> Result<FiatOrder, FiatError> {
        if order.author != request.author {
            return Err(FiatError::QuoteTaken);
        }
        if order.widget_url.is_empty() && !order.status.is_terminal() {
            return self.with_checkout(order).await;
        }
        Ok(order)
    }

    /// The purchase with a usable checkout. If the provider's checkouts are short-lived, one that was shown is replaced as long
    /// as nobody is paying.
    pub async fn with_fresh_checkout(&self, order: FiatOrder) -> FiatOrder {
        let ramp = self.parts.ramps.get(&order.provider);
        let Some(valid_for) = ramp.and_then(|ramp| ramp.profile().session_for) else { return order };
        let valid_for = Duration::try_from(valid_for).unwrap_or_default();
        let reuse_for = self.parts.options.reuse_for;
        if !order.widget_url.is_empty() && self.sessions.show(&order.id, valid_for, reuse_for, Instant::now())
        {
            return order;
        }
        if !self.is_unpaid(&order).await {
            return order;
        }
        match self.with_checkout(order.clone()).await {
            Ok(opened) => {
                self.sessions.show(&order.id, valid_for, reuse_for, Instant::now());
                opened
            }
            Err(error) => {
                tracing::warn!(order = %order.id, %error, "reopening a checkout failed");
                order
            }
        }
    }

    /// Whether nobody is paying: no payment was started, or the provider reports that it failed.
    async fn is_unpaid(&self, order: &FiatOrder) -> bool {
        match order.status {
            FiatStatus::Created => true,
            FiatStatus::Pending => {
                let looked_up = self.parts.ramps.look_up(order, self.parts.options.provider_timeout).await;
                let report = looked_up.ok().flatten();
                report.is_some_and(|it| it.is_failed_attempt() && it.contradiction(order).is_none())
            }
            _ => false,
        }
    }

    async fn create_order(
        &self,
        request: &FiatOrderRequest,
        quote: &FiatQuote,
        now: Timestamp,
    ) -> Result<FiatOrder, FiatError> {
        let OrderFiatParts { wallets, options, row_keys, .. } = &self.parts;
        let option = chosen(request, quote)?;
        let refund_to = refund_to(request, quote, wallets).await?;
        let pay_by = now.checked_add(options.pay_within).map_err(|_| FiatError::Times)?;
        let strategy = match option {
            Some(option) => Strategy::Forwarding(Box::new(self.plan(quote, option, refund_to, pay_by)?)),
            None => Strategy::Direct,
        };
        Ok(FiatOrder {
            id: FiatOrderId::random()?,
            key: row_keys.next(now),
            quote: quote.id.clone(),
            provider: quote.provider.clone(),
            provider_order: None,
            status: FiatStatus::Created,
            author: request.author,
            recipient: quote.ask.recipient,
            refund_to,
            pays: quote.pays,
            target: quote.ask.target,
            sold: quote.sold,
            sold_amount: quote.sold_amount,
            expected: option.map_or(quote.expected, |option| option.expected),
            least: option.map_or(quote.least, |option| option.least),
            strategy,
            widget_url: String::new(),
            origin: request.origin.clone(),
            integrator: request.integrator.clone(),
            metadata: request.metadata.clone(),
            payout: None,
            output: None,
            fill_tx: None,
            failure: None,
            pay_by,
            due_at: now.checked_add(FIRST_CHECK).ok(),
            created_at: now,
            updated_at: now,
            version: 0,
        })
    }

    /// Opens a checkout and stores its URL.
    async fn with_checkout(&self, mut order: FiatOrder) -> Result<FiatOrder, FiatError> {
        let quote = self.parts.store.fiat_quote(&order.quote).await?;
        let ask = quote.as_ref().map(|quote| &quote.ask);
        let within = self.parts.options.provider_timeout;
        let session = self.parts.ramps.checkout(&order, ask, within).await?;
        self.sessions.opened(&order.id, Instant::now());
        for _ in 0..MAX_WRITE_ATTEMPTS {
            order.widget_url.clone_from(&session.url);
            order.provider_order = order.provider_order.or_else(|| session.provider_order.clone());
            if self.parts.store.update_fiat_order(&order, &[]).await? {
                order.version = order.version.saturating_add(1);
                self.parts.signal.notify();
                break;
            }
            let newest = self.parts.store.fiat_order(&order.id).await?;
            order = newest.ok_or_else(|| FiatError::OrderNotFound(order.id.clone()))?;
        }
        Ok(order)
    }
}

/// The route that the payer chose, else the best; `None` if the provider sells the target itself.
fn chosen<'a>(
    request: &FiatOrderRequest,
    quote: &'a FiatQuote,
) -> Result<Option<&'a ForwardingOption>, FiatError> {
    let Some(route) = &request.route else { return Ok(quote.forwarding_options.first()) };
    let option = quote.forwarding_options.iter().find(|option| option.route == *route);
    let missing = || FiatError::RouteNotFound { quote: quote.id.clone(), route: route.clone() };
    option.map(Some).ok_or_else(missing)
}
