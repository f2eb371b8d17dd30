use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::fiat::{FiatAsk, FiatQuote, ForwardingOption, QuoteFirmness, WantedAmount};
use causeway_domain::ports::{OnRamp, RampAsk, RampError, RampOffer, RampRefusal};
use causeway_domain::{FiatQuoteId, RawAmount, Token};
use jiff::Timestamp;

use super::swap_routes::{input_for, routes_for};
use super::{FaultCode, FiatError, ProviderFault, QuoteFiatParts, QuotedPurchase};

/// A valid ask with its tokens resolved.
pub(super) struct ResolvedAsk {
    pub(super) ask: FiatAsk,
    pub(super) target: Arc<Token>,
    /// The token to forward; `None` if there is none or it is the target itself.
    pub(super) hub: Option<Arc<Token>>,
}

/// Why a provider has no offer.
pub(super) enum NoQuote {
    Error(FiatError),
    /// The provider would deliver, but no filler swaps it to the target.
    NoRoute {
        message: String,
        retryable: bool,
    },
}

impl From<FiatError> for NoQuote {
    fn from(error: FiatError) -> Self {
        Self::Error(error)
    }
}

impl NoQuote {
    pub(super) fn into_fault(self, provider: String) -> ProviderFault {
        match self {
            Self::NoRoute { message, retryable } => {
                ProviderFault { provider, code: FaultCode::NoRoute, range: None, message, retryable }
            }
            Self::Error(FiatError::Provider { error, .. }) => {
                let (code, retryable) = (FaultCode::of(&error), error.is_retryable());
                let range = match error {
                    RampError::Refused(RampRefusal::Range { least, most }) => Some((least, most)),
                    _ => None,
                };
                if matches!(error, RampError::Nonsense(_)) {
                    tracing::warn!(provider, %error, "provider offer rejected");
                }
                ProviderFault { provider, code, range, message: payer_message(&error), retryable }
            }
            Self::Error(error) => {
                tracing::warn!(provider, %error, "quoting a provider failed");
                let message = "it could not be quoted now".to_owned();
                ProviderFault { provider, code: FaultCode::Internal, range: None, message, retryable: true }
            }
        }
    }
}

/// The message for the payer; internal provider errors are not exposed.
fn payer_message(error: &RampError) -> String {
    match error {
        RampError::Refused(refusal) => refusal.to_string(),
        RampError::Unavailable(_) => "the provider does not answer now".to_owned(),
        RampError::Nonsense(_) => "the provider's answer cannot be used".to_owned(),
    }
}

/// One provider's quote: direct if it sells the target, otherwise forwarded through the hub token.
pub(super) async fn offer(
    parts: &QuoteFiatParts,
    ramp: &dyn OnRamp,
    asked: &ResolvedAsk,
) -> Result<QuotedPurchase, NoQuote> {
    let ask = &asked.ask;
    // Known in advance, so the provider is not asked.
    if ask.country.as_ref().is_some_and(|place| !ramp.profile().serves(place)) {
        return Err(refused(ramp, RampRefusal::Country).into());
    }
    let bps = ask.slippage_bps.unwrap_or(parts.options.slippage_bps);
    let direct = ramp.sells(&ask.target);
    let sold = match &asked.hub {
        _ if direct => &asked.target,
        Some(hub) if ramp.sells(&hub.id) => hub,
        _ => return Err(refused(ramp, RampRefusal::Asset).into()),
    };
    let amount = match ask.amount {
        // Buys the slippage on top, so that the minimum is what was asked for.
        WantedAmount::Receive(wanted) if !direct => {
            WantedAmount::Receive(input_for(&parts.request_quote, ask, sold, wanted, bps).await?)
        }
        amount => amount,
    };
    let offer = ask_ramp(ramp, ask, sold, amount, direct).await?;
    let delivers = offer.delivers;
    let (expected, least, swap, options) = if direct {
        let least = match ramp.profile().firmness {
            QuoteFirmness::Firm => delivers,
            QuoteFirmness::Estimate => reduce_by_bps(delivers, bps),
        };
        (delivers, least, None, Vec::new())
    } else {
        let (swap, options) = routes_for(&parts.request_quote, ask, sold, delivers, bps).await?;
        let Some(ForwardingOption { expected, least, .. }) = options.first() else {
            let message = "no filler swaps its payout into the token now".to_owned();
            return Err(NoQuote::NoRoute { message, retryable: true });
        };
        (*expected, *least, Some(swap), options)
    };
    let now = Timestamp::now();
    let until = now.checked_add(parts.options.ttl).map_err(|_| FiatError::Times)?;
    let quote = FiatQuote {
        id: FiatQuoteId::random().map_err(FiatError::from)?,
        key: parts.row_keys.next(now),
        provider: ramp.profile().id.clone(),
        firmness: if direct { ramp.profile().firmness } else { QuoteFirmness::Estimate },
        ask: ask.clone(),
        pays: offer.pays,
        fees: offer.fees,
        sold: sold.id,
        sold_amount: delivers,
        expected,
        least,
        forwarding_options: options,
        methods: offer.methods,
        limits: offer.limits,
        expires_at: offer.expires_at.min(until),
        created_at: now,
    };
    parts.store.put_fiat_quotes(std::slice::from_ref(&quote)).await.map_err(FiatError::from)?;
    Ok(QuotedPurchase { quote, swap })
}

async fn ask_ramp(
    ramp: &dyn OnRamp,
    ask: &FiatAsk,
    sold: &Token,
    amount: WantedAmount,
    direct: bool,
) -> Result<RampOffer, FiatError> {
    let ramp_ask = RampAsk {
        currency: ask.currency,
        amount,
        asset: sold.clone(),
        wallet: direct.then_some(ask.recipient),
        method: ask.method.clone(),
        country: ask.country.clone(),
    };
    let provider = |error| FiatError::Provider { provider: ramp.profile().id.clone(), error };
    let offer = ramp.quote(&ramp_ask).await.map_err(provider)?;
    check(&ramp_ask, &offer).map_err(|reason| provider(RampError::Nonsense(reason.to_owned())))?;
    Ok(offer)
}

/// Whether an offer matches the ask.
fn check(ask: &RampAsk, offer: &RampOffer) -> Result<(), &'static str> {
    let fees = offer.fees.iter().try_fold(0_u64, |sum, fee| {
        let same = fee.amount.currency == ask.currency;
        sum.checked_add(fee.amount.minor).filter(|_| same)
    });
    let answers = match ask.amount {
        WantedAmount::Pay(pays) => offer.pays.minor <= pays.minor,
        WantedAmount::Receive(wanted) => offer.delivers >= wanted,
    };
    if offer.pays.currency != ask.currency || fees.is_none() {
        Err("it is in another currency")
    } else if fees.is_some_and(|fees| fees >= offer.pays.minor) || offer.delivers.is_zero() {
        Err("nothing is left after its fees")
    } else if !answers {
        Err("it is for another amount")
    } else {
        Ok(())
    }
}

fn refused(ramp: &dyn OnRamp, refusal: RampRefusal) -> FiatError {
    FiatError::Provider { provider: ramp.profile().id.clone(), error: RampError::Refused(refusal) }
}

/// Reduces an amount by basis points, rounded down.
pub(super) fn reduce_by_bps(amount: RawAmount, bps: u16) -> RawAmount {
    let kept = U256::from(10_000_u16.saturating_sub(bps));
    // Never more than the amount itself.
    amount.mul_div_floor(kept, U256::from(10_000)).unwrap_or(RawAmount::ZERO)
}
