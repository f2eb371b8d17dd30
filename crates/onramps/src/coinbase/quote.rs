use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampRefusal};
use jiff::{SignedDuration, Timestamp};

use super::Coinbase;
use super::mapping::{Price, price};
use super::options::{Place, Sold, Way, span};
use super::wire::QuoteRequest;

/// Coinbase does not say for how long it stands by a price, which is an estimate; this long it is shown.
const STANDS: SignedDuration = SignedDuration::from_mins(2);

/// How many prices are asked for to find what buys an exact amount.
const TRIES: usize = 5;

/// What all questions about one purchase have in common.
struct Buying<'a> {
    ask: &'a RampAsk,
    place: &'a Place,
    sold: &'a Sold,
}

impl Coinbase {
    pub(super) async fn offer(&self, ask: &RampAsk) -> Result<RampOffer, RampError> {
        let place = self.place(ask.country.as_deref())?;
        let options = self.options(&place).await?;
        let sold = options.sold.get(&ask.asset.id).ok_or(RampRefusal::Asset)?;
        let all = options.ways(ask.currency).ok_or(RampRefusal::Currency(ask.currency))?;
        let named: Vec<Way>;
        let ways = match &ask.method {
            Some(method) => {
                named = all.iter().filter(|way| way.method.id == *method).cloned().collect();
                named.as_slice()
            }
            None => all,
        };
        let (least, most) = span(ways).ok_or(RampRefusal::Method)?;
        let buying = Buying { ask, place: &place, sold };
        let price = match ask.amount {
            WantedAmount::Pay(pays) if pays.currency != ask.currency => {
                return Err(RampRefusal::Currency(pays.currency).into());
            }
            WantedAmount::Pay(pays) => self.price(&buying, ways, pays).await?,
            WantedAmount::Receive(wanted) => self.price_of(&buying, ways, wanted).await?,
        };
        let now = Timestamp::now();
        Ok(RampOffer {
            pays: price.pays,
            fees: price.fees,
            delivers: price.delivers,
            methods: ways.iter().map(|way| way.method.clone()).collect(),
            limits: Some((least, most)),
            expires_at: now.checked_add(STANDS).unwrap_or(now),
        })
    }

    /// What a payment buys, by a way that takes it.
    async fn price(&self, buying: &Buying<'_>, ways: &[Way], pays: FiatAmount) -> Result<Price, RampError> {
        let Some(way) = way(ways, None, pays) else {
            let (least, most) = span(ways).ok_or(RampRefusal::Method)?;
            return Err(RampRefusal::Range { least, most }.into());
        };
        let request = QuoteRequest {
            purchase_currency: buying.sold.symbol.clone(),
            purchase_network: buying.sold.network.clone(),
            payment_amount: pays.to_string(),
            payment_currency: pays.currency.to_string(),
            payment_method: way.id.clone(),
            country: buying.place.country.clone(),
            subdivision: buying.place.subdivision.clone(),
        };
        let answer = self.api.quote(&request).await?;
        let asset = &buying.ask.asset;
        let price = price(&answer, pays.currency, &buying.sold.symbol, asset.decimals)?;
        if price.pays.minor > pays.minor || price.delivers.is_zero() {
            return Err(RampError::Nonsense("it takes more than was asked, or delivers nothing".to_owned()));
        }
        Ok(price)
    }

    /// Coinbase prices payments only. What buys an amount is found on the line through two prices: fees are a part of the payment
    /// and something fixed.
    async fn price_of(
        &self,
        buying: &Buying<'_>,
        ways: &[Way],
        wanted: RawAmount,
    ) -> Result<Price, RampError> {
        let (least, most) = span(ways).ok_or(RampRefusal::Method)?;
        let out_of_range = || RampError::from(RampRefusal::Range { least, most });
        let mut tried: Vec<Price> = Vec::new();
        let mut next =
            FiatAmount::new(least.currency, least.minor.saturating_mul(20).clamp(least.minor, most.minor));
        for _ in 0..TRIES {
            tried.push(self.price(buying, ways, next).await?);
            let minor = nearer(&tried, wanted).ok_or_else(out_of_range)?;
            let enough = tried.last().is_some_and(|last| last.delivers >= wanted);
            if enough && tried.len() > 2 || tried.iter().any(|price| price.pays.minor == minor) {
                break;
            }
            if minor < least.minor || minor > most.minor {
                return Err(out_of_range());
            }
            next = FiatAmount::new(least.currency, minor);
        }
        let enough = tried.into_iter().filter(|price| price.delivers >= wanted);
        let missed = || RampRefusal::Other("it finds no payment for exactly this amount".to_owned());
        enough.min_by_key(|price| price.pays.minor).ok_or_else(|| missed().into())
    }
}

/// A payment that should buy at least the wanted amount, rounded up: by proportion from one price, by a line through the last two.
fn nearer(tried: &[Price], wanted: RawAmount) -> Option<u64> {
    let last = tried.last()?;
    let one = U256::from(1);
    let up = |value: U256, by: U256| value.checked_add(by.checked_sub(one)?)?.checked_div(by);
    let pays = U256::from(last.pays.minor);
    let proportion = || up(pays.checked_mul(wanted.get())?, last.delivers.get());
    let line = || {
        let before = tried.get(tried.len().checked_sub(2)?)?;
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

/// The way that is asked for, or the first that takes so much; cards before all others.
pub(super) fn way<'a>(ways: &'a [Way], method: Option<&str>, pays: FiatAmount) -> Option<&'a Way> {
    let fits = |way: &&Way| way.takes(pays) && method.is_none_or(|method| way.method.id == method);
    let mut fitting = ways.iter().filter(fits);
    let card = fitting.clone().find(|way| way.method.id == "card");
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
        fn three_prices_find_what_buys_an_amount(
            percent in 0u64..9, fixed in 0u64..400, wanted in 2_000u64..1_000_000, first in 3_000u64..20_000,
        ) {
            let wanted = RawAmount::new(U256::from(wanted) * U256::from(10_000));
            let mut tried = vec![price(first, percent, fixed)];
            for _ in 0..4 {
                let minor = nearer(&tried, wanted).unwrap();
                tried.push(price(minor, percent, fixed));
            }
            let best = tried.iter().skip(2).filter(|price| price.delivers >= wanted).map(|price| price.pays.minor).min();
            let best = best.expect("a payment that buys it is found");
            // Nothing cheaper by more than the rounding of two cents buys as much.
            prop_assert!(self::price(best - 3, percent, fixed).delivers < wanted, "{best}");
        }

        #[test]
        fn any_prices_give_a_payment_or_none_without_panic(
            prices in proptest::collection::vec((0u64..u64::MAX, any::<u128>()), 0..4), wanted: u128,
        ) {
            let tried: Vec<_> = prices.into_iter().map(|(minor, raw)| Price {
                pays: FiatAmount::new("USD".parse().unwrap(), minor),
                fees: Vec::new(),
                delivers: RawAmount::new(U256::from(raw)),
            }).collect();
            let _ = nearer(&tried, RawAmount::new(U256::from(wanted)));
        }
    }
}
