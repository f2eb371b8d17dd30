use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampRefusal};
use jiff::{SignedDuration, Timestamp};

use super::Coinbase;
use super::mapping::{Price, price};
use super::options::{ListedAsset, PaymentOption, Place, overall_limits};
use super::wire::QuoteRequest;

/// How long an offer is shown: Coinbase's prices are estimates without an expiry.
const OFFER_VALIDITY: SignedDuration = SignedDuration::from_mins(2);

/// Maximum number of quotes to find the payment for an exact amount.
const MAX_QUOTES: usize = 5;

/// What all quotes of one purchase share.
struct QuoteContext<'a> {
    ask: &'a RampAsk,
    place: &'a Place,
    sold: &'a ListedAsset,
}

impl Coinbase {
    pub(super) async fn offer(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let place = self.place(ask.country.as_deref())?;
        let options = self.options(&place).await?;
        let sold = options.sold.get(&ask.asset.id).ok_or(RampRefusal::Asset)?;
        let all = options.payment_options(ask.currency).ok_or(RampRefusal::Currency(ask.currency))?;
        let named: Vec<PaymentOption>;
        let payment_options = match &ask.method {
            Some(method) => {
                named = all
                    .iter()
                    .filter(|payment_option| payment_option.method.id == *method)
                    .cloned()
                    .collect();
                named.as_slice()
            }
            None => all,
        };
        let (least, most) = overall_limits(payment_options).ok_or(RampRefusal::Method)?;
        let context = QuoteContext { ask, place: &place, sold };
        let price = match ask.amount {
            WantedAmount::Pay(pays) if pays.currency != ask.currency => {
                return Err(RampRefusal::Currency(pays.currency).into());
            }
            WantedAmount::Pay(pays) => self.price(&context, payment_options, pays).await?,
            WantedAmount::Receive(wanted) => self.price_for_amount(&context, payment_options, wanted).await?,
        };
        let now = Timestamp::now();
        Ok(RampOffer {
            pays: price.pays,
            fees: price.fees,
            delivers: price.delivers,
            methods: payment_options.iter().map(|payment_option| payment_option.method.clone()).collect(),
            limits: Some((least, most)),
            expires_at: now.checked_add(OFFER_VALIDITY).unwrap_or(now),
        })
    }

    /// The price of a payment, by an option whose limits allow it.
    async fn price(
        &self,
        context: &QuoteContext<'_>,
        payment_options: &[PaymentOption],
        pays: FiatAmount,
    ) -> Result<Price, RampError> {
        let Some(payment_option) = payment_option(payment_options, None, pays) else {
            let (least, most) = overall_limits(payment_options).ok_or(RampRefusal::Method)?;
            return Err(RampRefusal::Range { least, most }.into());
        };
        let request = QuoteRequest {
            purchase_currency: context.sold.symbol.clone(),
            purchase_network: context.sold.network.clone(),
            payment_amount: pays.to_string(),
            payment_currency: pays.currency.to_string(),
            payment_method: payment_option.id.clone(),
            country: context.place.country.clone(),
            subdivision: context.place.subdivision.clone(),
        };
        let answer = self.api.quote(&request).await?;
        let asset = &context.ask.asset;
        let price = price(&answer, pays.currency, &context.sold.symbol, asset.decimals)?;
        if price.pays.minor > pays.minor || price.delivers.is_zero() {
            return Err(RampError::Nonsense(
                "the quote charges more than was asked, or delivers nothing".to_owned(),
            ));
        }
        Ok(price)
    }

    /// Coinbase prices payments only. The payment for an amount is interpolated linearly: fees are a share of the payment
    /// and a fixed part.
    async fn price_for_amount(
        &self,
        context: &QuoteContext<'_>,
        payment_options: &[PaymentOption],
        wanted: RawAmount,
    ) -> Result<Price, RampError> {
        let (least, most) = overall_limits(payment_options).ok_or(RampRefusal::Method)?;
        let out_of_range = || RampError::from(RampRefusal::Range { least, most });
        let mut prices: Vec<Price> = Vec::new();
        let mut next =
            FiatAmount::new(least.currency, least.minor.saturating_mul(20).clamp(least.minor, most.minor));
        for _ in 0..MAX_QUOTES {
            prices.push(self.price(context, payment_options, next).await?);
            let minor = next_payment(&prices, wanted).ok_or_else(out_of_range)?;
            let sufficient = prices.last().is_some_and(|last| last.delivers >= wanted);
            if sufficient && prices.len() > 2 || prices.iter().any(|price| price.pays.minor == minor) {
                break;
            }
            if minor < least.minor || minor > most.minor {
                return Err(out_of_range());
            }
            next = FiatAmount::new(least.currency, minor);
        }
        let sufficient = prices.into_iter().filter(|price| price.delivers >= wanted);
        let not_found = || RampRefusal::Other("no payment was found for exactly this amount".to_owned());
        sufficient.min_by_key(|price| price.pays.minor).ok_or_else(|| not_found().into())
    }
}

/// The next payment to try, rounded up: proportional to one price, or on the line through the last two.
fn next_payment(prices: &[Price], wanted: RawAmount) -> Option<u64> {
    let last = prices.last()?;
    let one = U256::from(1);
    let up = |value: U256, by: U256| value.checked_add(by.checked_sub(one)?)?.checked_div(by);
    let pays = U256::from(last.pays.minor);
    let proportion = || up(pays.checked_mul(wanted.get())?, last.delivers.get());
    let line = || {
        let before = prices.get(prices.len().checked_sub(2)?)?;
        let (cheap, dear) = if before.pays.minor < last.pays.minor { (before, last) } else { (last, before) };
        let paid = U256::from(dear.pays.minor.checked_sub(cheap.pays.minor)?);
        let got = dear.delivers.get().checked_sub(cheap.delivers.get()).filter(|got| !got.is_zero())?;
        let from = U256::from(cheap.pays.minor);
        if let Some(more) = wanted.get().checked_sub(cheap.delivers.get()) {
            return from.checked_add(up(more.checked_mul(paid)?, got)?);
        }
        let less = cheap.delivers.get().checked_sub(wanted.get())?;
        from.checked_sub(less.checked_mul(paid)?.checked_div(got)?)
    };
    line().or_else(proportion)?.try_into().ok()
}

/// The requested payment option, or the first whose limits allow the amount; cards come first.
pub(super) fn payment_option<'a>(
    payment_options: &'a [PaymentOption],
    method: Option<&str>,
    pays: FiatAmount,
) -> Option<&'a PaymentOption> {
    let fits = |payment_option: &&PaymentOption| {
        payment_option.takes(pays) && method.is_none_or(|method| payment_option.method.id == method)
    };
    let mut fitting = payment_options.iter().filter(fits);
    let card = fitting.clone().find(|payment_option| payment_option.method.id == "card");
    card.or_else(|| fitting.next())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn price(minor: u64, percent: u64, fixed: u64) -> Price {
        let left = (minor * (100 - percent) / 100).saturating_sub(fixed);
        let delivers = RawAmount::new(U256::from(left) * U256::from(10_000));
        Price { pays: FiatAmount::new("USD".parse().unwrap(), minor), fees: Vec::new(), delivers }
    }

    proptest! {
        #[test]
        fn interpolation_finds_the_payment_for_an_amount(
            percent in 0u64..9, fixed in 0u64..400, wanted in 2_000u64..1_000_000, first in 3_000u64..20_000,
        ) {
            let wanted = RawAmount::new(U256::from(wanted) * U256::from(10_000));
            let mut prices = vec![price(first, percent, fixed)];
            for _ in 0..4 {
                let minor = next_payment(&prices, wanted).unwrap();
                prices.push(price(minor, percent, fixed));
            }
            let best = prices.iter().skip(2).filter(|price| price.delivers >= wanted).map(|price| price.pays.minor).min();
            let best = best.expect("a payment that buys it is found");
            // Nothing cheaper by more than the rounding of two cents buys as much.
            prop_assert!(self::price(best - 3, percent, fixed).delivers < wanted, "{best}");
        }

        #[test]
        fn arbitrary_prices_never_panic(
            samples in proptest::collection::vec((0u64..u64::MAX, any::<u128>()), 0..4), wanted: u128,
        ) {
            let prices: Vec<_> = samples.into_iter().map(|(minor, raw)| Price {
                pays: FiatAmount::new("USD".parse().unwrap(), minor),
                fees: Vec::new(),
                delivers: RawAmount::new(U256::from(raw)),
            }).collect();
            let _ = next_payment(&prices, RawAmount::new(U256::from(wanted)));
        }
    }
}
