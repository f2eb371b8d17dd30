use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::Catalog;
use causeway_domain::fiat::{FiatAsk, FiatQuote, WantedAmount};
use causeway_domain::ports::{FiatStore, OnRamp, RampError};
use causeway_domain::{Quote, RowKeys};
use futures::stream::{BoxStream, FuturesUnordered};
use futures::{FutureExt as _, StreamExt as _};
use jiff::SignedDuration;

use super::offer::{ResolvedAsk, offer};
use super::{FaultCode, FiatError, Hubs, ProviderFault, Ramps};
use crate::request_quote::{RequestQuote, resolve};

/// The largest slippage that can be requested, in basis points.
const MAX_SLIPPAGE_BPS: u16 = 5_000;

/// Timeouts and defaults of fiat quotes.
#[derive(Clone, Copy, Debug)]
pub struct FiatQuoteOptions {
    /// How long a provider may take before it is left out.
    pub provider_timeout: Duration,
    /// How long a quote can be ordered, unless its provider allows less.
    pub ttl: SignedDuration,
    /// The default slippage of forwarded purchases, in basis points.
    pub slippage_bps: u16,
}

impl Default for FiatQuoteOptions {
    fn default() -> Self {
        Self {
            provider_timeout: Duration::from_secs(10),
            ttl: SignedDuration::from_mins(5),
            slippage_bps: 100,
        }
    }
}

/// What [`QuoteFiat`] works with.
pub struct QuoteFiatParts {
    pub catalog: Arc<Catalog>,
    pub ramps: Ramps,
    pub request_quote: RequestQuote,
    pub store: Arc<dyn FiatStore>,
    pub row_keys: Arc<RowKeys>,
    pub hubs: Hubs,
    pub options: FiatQuoteOptions,
}

impl fmt::Debug for QuoteFiatParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuoteFiatParts").field("ramps", &self.ramps).finish_non_exhaustive()
    }
}

/// One provider's quote, and the swap that forwards what it delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedPurchase {
    pub quote: FiatQuote,
    /// With the routes of the quote's forwarding options; `None` if the provider sells the target.
    pub swap: Option<Quote>,
}

/// One provider's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FiatAnswer {
    Quote(Box<QuotedPurchase>),
    Fault(ProviderFault),
}

/// All providers' answers, the best quote first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FiatQuotes {
    pub quotes: Vec<QuotedPurchase>,
    pub errors: Vec<ProviderFault>,
}

/// Asks all providers concurrently. Quotes are stored before they are returned.
#[derive(Clone, Debug)]
pub struct QuoteFiat {
    parts: Arc<QuoteFiatParts>,
}

impl QuoteFiat {
    pub fn new(parts: QuoteFiatParts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// Every provider's answer as it arrives. Dropping the stream cancels the rest.
    pub fn quote(&self, ask: FiatAsk) -> Result<BoxStream<'static, FiatAnswer>, FiatError> {
        let ramps = match &ask.provider {
            Some(provider) => vec![Arc::clone(self.parts.ramps.find(provider)?)],
            None => self.parts.ramps.iter().cloned().collect(),
        };
        let asked = Arc::new(self.check(ask)?);
        let answers: FuturesUnordered<_> =
            ramps.into_iter().map(|ramp| answer(Arc::clone(&self.parts), ramp, Arc::clone(&asked))).collect();
        Ok(answers.boxed())
    }

    /// Waits for all providers. The best quote delivers most, or costs least if the output is fixed.
    pub async fn gather(&self, ask: FiatAsk) -> Result<FiatQuotes, FiatError> {
        let fixed_output = matches!(ask.amount, WantedAmount::Receive(_));
        let mut answers = self.quote(ask)?;
        let mut gathered = FiatQuotes::default();
        while let Some(answer) = answers.next().await {
            match answer {
                FiatAnswer::Quote(quote) => gathered.quotes.push(*quote),
                FiatAnswer::Fault(fault) => gathered.errors.push(fault),
            }
        }
        if fixed_output {
            gathered.quotes.sort_by_key(|it| (it.quote.pays.minor, Reverse(it.quote.expected)));
        } else {
            gathered.quotes.sort_by_key(|it| (Reverse(it.quote.expected), it.quote.pays.minor));
        }
        gathered.errors.sort_by(|one, other| one.provider.cmp(&other.provider));
        Ok(gathered)
    }

    /// Checks that are independent of the provider.
    fn check(&self, ask: FiatAsk) -> Result<ResolvedAsk, FiatError> {
        let snapshot = self.parts.catalog.snapshot();
        let target = resolve(&snapshot, ask.target)?;
        self.parts.ramps.check_tokens(&[ask.target])?;
        let chain = ask.target.chain();
        if chain.family().is_source_only() {
            // No payout there would be seen.
            return Err(FiatError::UnsupportedChain(chain));
        }
        if ask.recipient.family() != chain.family() {
            let form = chain.family().address_form();
            let expected = format!("expected an address of chain {chain}: {form}");
            return Err(FiatError::Field { field: "recipient", expected });
        }
        if ask.recipient.is_native() || ask.recipient == ask.target.address() {
            let expected = "expected an account that can use the token".to_owned();
            return Err(FiatError::Field { field: "recipient", expected });
        }
        if ask.slippage_bps.is_some_and(|bps| bps > MAX_SLIPPAGE_BPS) {
            let expected = format!("expected at most {MAX_SLIPPAGE_BPS} hundredths of a percent");
            return Err(FiatError::Field { field: "slippageBps", expected });
        }
        let hub = self.parts.hubs.for_chain(chain).filter(|hub| *hub != ask.target);
        let hub = hub.map(|hub| resolve(&snapshot, hub)).transpose()?;
        if let Some(refund_to) = ask.refund_to
            && refund_to.family() != chain.family()
        {
            let expected = "expected an address of the same family of chains as the recipient's".to_owned();
            return Err(FiatError::Field { field: "refundTo", expected });
        }
        Ok(ResolvedAsk { ask, target, hub })
    }
}

async fn answer(parts: Arc<QuoteFiatParts>, ramp: Arc<dyn OnRamp>, asked: Arc<ResolvedAsk>) -> FiatAnswer {
    let provider = ramp.profile().id.clone();
    if let Some(message) = parts.ramps.paused(&provider) {
        let code = FaultCode::ProviderDisabled;
        let fault = ProviderFault { provider, code, range: None, message, retryable: true };
        return FiatAnswer::Fault(fault);
    }
    let within = parts.options.provider_timeout;
    let offered = tokio::time::timeout(within, offer(&parts, ramp.as_ref(), &asked).boxed()).await;
    let late = || {
        let error = RampError::Unavailable(format!("no answer within {} s", within.as_secs()));
        FiatError::Provider { provider: provider.clone(), error }
    };
    match offered.unwrap_or_else(|_| Err(late().into())) {
        Ok(quote) => {
            parts.ramps.healths().answered(&provider);
            FiatAnswer::Quote(Box::new(quote))
        }
        Err(fault) => {
            let fault = fault.into_fault(provider);
            match fault.code {
                FaultCode::ProviderUnavailable => {
                    parts.ramps.healths().failed(&fault.provider, &fault.message);
                }
                // Our own.
                FaultCode::Internal => {}
                _ => parts.ramps.healths().answered(&fault.provider),
            }
            FiatAnswer::Fault(fault)
        }
    }
}
