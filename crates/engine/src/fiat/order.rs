use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use causeway_domain::fiat::{FiatEvent, FiatOrder, FiatQuote, FiatStatus, JumpOption, Strategy};
use causeway_domain::ports::{Deal, DepositDesk, FiatCreation, FiatStore, JumpDesk, ScreenAsk, WalletCheck};
use causeway_domain::{Address, ChainId, FiatOrderId, FiatQuoteId, RouteId, RowKeys};
use jiff::{SignedDuration, Timestamp};

use super::refund_to::refund_to;
use super::sessions::Sessions;
use super::{FiatBell, FiatError, Ramps};
use crate::screening::Screening;

/// When a new purchase is first looked at.
const FIRST_LOOK: SignedDuration = SignedDuration::from_secs(2);

/// How often the checkout's address is written anew when somebody else changed the purchase meanwhile.
const WRITES: usize = 8;

/// A quote that somebody takes.
#[derive(Clone, Debug)]
pub struct FiatOrderRequest {
    pub quote: FiatQuoteId,
    pub author: Address,
    /// One of a jump's routes; the best when absent.
    pub route: Option<RouteId>,
    /// JSON of the integrator, kept and never sent on.
    pub metadata: Option<String>,
    pub refund_to: Option<Address>,
    /// The web origin that asks.
    pub origin: Option<String>,
}

/// How long purchases may take.
#[derive(Clone, Copy, Debug)]
pub struct OrderFiatOptions {
    /// How long a payer has to begin.
    pub pay_within: SignedDuration,
    /// For how long after that a jump's address takes money.
    pub jump_for: SignedDuration,
    /// How long a provider may take to open a checkout.
    pub provider_timeout: Duration,
    /// For how long a checkout that was shown is shown again, in place of another.
    pub show_again: Duration,
}

impl Default for OrderFiatOptions {
    fn default() -> Self {
        Self {
            pay_within: SignedDuration::from_mins(60),
            jump_for: SignedDuration::from_hours(7 * 24),
            provider_timeout: Duration::from_secs(10),
            show_again: Duration::from_secs(5),
        }
    }
}

/// What [`OrderFiat`] works with.
pub struct OrderFiatParts {
    pub store: Arc<dyn FiatStore>,
    pub ramps: Ramps,
    pub desks: HashMap<ChainId, Arc<dyn DepositDesk>>,
    pub jump_desks: HashMap<ChainId, Arc<dyn JumpDesk>>,
    pub wallets: HashMap<ChainId, Arc<dyn WalletCheck>>,
    pub row_keys: Arc<RowKeys>,
    pub bell: Arc<FiatBell>,
    /// Who judges the wallets before a purchase is made.
    pub screening: Option<Arc<Screening>>,
    pub options: OrderFiatOptions,
}

impl fmt::Debug for OrderFiatParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrderFiatParts").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Turns a provider's quote into a purchase with a checkout, once.
#[derive(Debug)]
pub struct OrderFiat {
    pub(super) parts: OrderFiatParts,
    sessions: Sessions,
}

impl OrderFiat {
    pub fn new(parts: OrderFiatParts) -> Self {
        Self { parts, sessions: Sessions::default() }
    }

    /// The purchase of a quote: the same for whoever asks again. It is written before its provider hears of it, under a name
    /// that the provider knows again, so that a crash in between leads to one checkout and one purchase.
    pub async fn order(&self, request: FiatOrderRequest) -> Result<FiatOrder, FiatError> {
        let store = &self.parts.store;
        let now = Timestamp::now();
        let quote = store.fiat_quote(&request.quote).await?;
        let quote = quote.ok_or_else(|| FiatError::QuoteNotFound(request.quote.clone()))?;
        if let Some(order) = store.fiat_order_of_quote(&quote.id).await? {
            return self.again(order, &request).await;
        }
        if now > quote.expires_at {
            return Err(FiatError::QuoteExpired { at: quote.expires_at });
        }
        self.parts.ramps.check_open(&quote.provider, &[quote.ask.target, quote.sold])?;
        let order = self.draw_up(&request, &quote, now).await?;
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
            FiatCreation::Existing(order) => self.again(*order, &request).await,
        }
    }

    async fn screen(&self, order: &FiatOrder) -> Result<(), FiatError> {
        let Some(screening) = &self.parts.screening else { return Ok(()) };
        let wallets = vec![order.author, order.recipient, order.refund_to];
        let (deal, asset, amount) = (Deal::Purchase, order.target, order.expected);
        Ok(screening.judge(ScreenAsk { deal, wallets, asset, amount }).await?)
    }

    async fn again(&self, order: FiatOrder, request: &FiatOrderRequest) -> Result<FiatOrder, FiatError> {
        if order.author != request.author {
            return Err(FiatError::QuoteTaken);
        }
        if order.widget_url.is_empty() && !order.status.is_terminal() {
            return self.with_checkout(order).await;
        }
        Ok(order)
    }

    /// The purchase with a checkout that can be shown: where its provider's addresses end soon, a new one in place of one that was
    /// seen, as long as nobody is paying.
    pub async fn to_show(&self, order: FiatOrder) -> FiatOrder {
        let ramp = self.parts.ramps.get(&order.provider);
        let Some(good_for) = ramp.and_then(|ramp| ramp.profile().session_for) else { return order };
        let good_for = Duration::try_from(good_for).unwrap_or_default();
        let again = self.parts.options.show_again;
        if !order.widget_url.is_empty() && self.sessions.show(&order.id, good_for, again, Instant::now()) {
            return order;
        }
        if !self.is_unpaid(&order).await {
            return order;
        }
        match self.with_checkout(order.clone()).await {
            Ok(opened) => {
                self.sessions.show(&order.id, good_for, again, Instant::now());
                opened
            }
            Err(error) => {
                tracing::warn!(order = %order.id, %error, "a checkout could not be opened again");
                order
            }
        }
    }

    /// Whether nobody is paying: nobody has begun, or what was tried came to nothing, by the provider's word now.
    async fn is_unpaid(&self, order: &FiatOrder) -> bool {
        match order.status {
            FiatStatus::Created => true,
            FiatStatus::Pending => {
                let told = self.parts.ramps.look_up(order, self.parts.options.provider_timeout).await;
                let report = told.ok().flatten();
                report.is_some_and(|it| it.is_failed_attempt() && it.contradiction(order).is_none())
            }
            _ => false,
        }
    }

    async fn draw_up(
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
            Some(option) => Strategy::Jump(Box::new(self.plan(quote, option, refund_to, pay_by)?)),
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
            metadata: request.metadata.clone(),
            payout: None,
            output: None,
            fill_tx: None,
            failure: None,
            pay_by,
            due_at: now.checked_add(FIRST_LOOK).ok(),
            created_at: now,
            updated_at: now,
            version: 0,
        })
    }

    /// Opens the checkout, and keeps where it is.
    async fn with_checkout(&self, mut order: FiatOrder) -> Result<FiatOrder, FiatError> {
        let quote = self.parts.store.fiat_quote(&order.quote).await?;
        let ask = quote.as_ref().map(|quote| &quote.ask);
        let within = self.parts.options.provider_timeout;
        let session = self.parts.ramps.checkout(&order, ask, within).await?;
        self.sessions.opened(&order.id, Instant::now());
        for _ in 0..WRITES {
            order.widget_url.clone_from(&session.url);
            order.provider_order = order.provider_order.or_else(|| session.provider_order.clone());
            if self.parts.store.update_fiat_order(&order, &[]).await? {
                order.version = order.version.saturating_add(1);
                self.parts.bell.ring();
                break;
            }
            let newest = self.parts.store.fiat_order(&order.id).await?;
            order = newest.ok_or_else(|| FiatError::OrderNotFound(order.id.clone()))?;
        }
        Ok(order)
    }
}

/// The route that the payer chose, else the best; none where the provider sells the target itself.
fn chosen<'a>(request: &FiatOrderRequest, quote: &'a FiatQuote) -> Result<Option<&'a JumpOption>, FiatError> {
    let Some(route) = &request.route else { return Ok(quote.jumps.first()) };
    let option = quote.jumps.iter().find(|option| option.route == *route);
    let missing = || FiatError::RouteNotFound { quote: quote.id.clone(), route: route.clone() };
    option.map(Some).ok_or_else(missing)
}
