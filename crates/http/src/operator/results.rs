use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use causeway_domain::ports::FeeRecord;
use causeway_domain::{Order, OrderStatus, RawAmount, TokenId, UsdPrice};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::App;
use crate::error::ApiResult;
use crate::explorer::{DEFAULT_HOURS, MOST_ORDERS, read_hours};
use crate::extract::QueryParams;

/// Decimals of the sums: those of prices, so that cents of many orders do not get lost.
const DECIMALS: u8 = 18;
/// Digits of dollars that are shown.
const SHOWN_DECIMALS: usize = 4;

pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/operator/results", get(results))
}

/// What each filler has won and spent by orders that ended in the last `hours`, at the prices of now.
async fn results(State(app): State<Arc<App>>, mut params: QueryParams) -> ApiResult<Json<Value>> {
    let hours = params.raw("hours");
    let hours =
        hours.and_then(|text| params.issues.check("hours", read_hours(&text))).unwrap_or(DEFAULT_HOURS);
    params.finish()?;
    let span = Duration::from_secs(hours.saturating_mul(3_600));
    let since = Timestamp::now().checked_sub(span).unwrap_or(Timestamp::MIN);
    let orders = app.orders.ended(since, MOST_ORDERS).await?;
    let fees = app.operator.audit.fees(since, MOST_ORDERS.saturating_mul(2)).await?;
    let snapshot = app.catalog.snapshot();
    let value = |token: &TokenId, amount: RawAmount| {
        let decimals = snapshot.token(token)?.token.decimals;
        value_at(app.prices.usd_price(token)?, amount, decimals)
    };
    let is_cut = orders.len() >= usize::try_from(MOST_ORDERS).unwrap_or(usize::MAX);
    let fillers = sum(&orders, &fees, value);
    Ok(Json(json!({
        "hours": hours,
        "isCut": is_cut,
        "fillers": fillers.iter().map(|(name, result)| result.to_json(name)).collect::<Vec<_>>(),
    })))
}

/// The value in units of 10^-18 dollars, rounded down.
fn value_at(price: UsdPrice, amount: RawAmount, decimals: u8) -> Option<U256> {
    let scale = U256::from(10).checked_pow(U256::from(decimals))?;
    amount.mul_div_floor(price.units().get(), scale).map(RawAmount::get)
}

/// Sums in units of 10^-18 dollars; a sum that would overflow stays at the largest number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FillerResult {
    filled: u64,
    /// Orders and transactions whose tokens have no price now, which count nothing.
    unpriced: u64,
    paid: U256,
    delivered: U256,
    gas: U256,
    /// What the referrers of its orders took.
    referred: U256,
}

impl FillerResult {
    fn add_order(&mut self, paid: Option<U256>, delivered: Option<U256>) {
        self.filled = self.filled.saturating_add(1);
        let Some((paid, delivered)) = paid.zip(delivered) else {
            self.unpriced = self.unpriced.saturating_add(1);
            return;
        };
        self.paid = self.paid.saturating_add(paid);
        self.delivered = self.delivered.saturating_add(delivered);
    }

    fn add_referrer(&mut self, fee: Option<U256>) {
        self.referred = self.referred.saturating_add(fee.unwrap_or_default());
    }

    fn add_fee(&mut self, fee: Option<U256>) {
        match fee {
            Some(fee) => self.gas = self.gas.saturating_add(fee),
            None => self.unpriced = self.unpriced.saturating_add(1),
        }
    }

    fn to_json(self, filler: &str) -> Value {
        json!({
            "filler": filler,
            "filled": self.filled,
            "unpriced": self.unpriced,
            "volumeUsd": dollars(self.paid, U256::ZERO),
            "marginUsd": dollars(self.paid, self.delivered),
            "referrersUsd": dollars(self.referred, U256::ZERO),
            "gasUsd": dollars(self.gas, U256::ZERO),
            "resultUsd": dollars(self.paid, self.delivered.saturating_add(self.gas)),
        })
    }
}

/// What is paid for an order without the referrer's part, less what it delivers, less the gas of its transactions.
fn sum(
    orders: &[Order],
    fees: &[FeeRecord],
    value: impl Fn(&TokenId, RawAmount) -> Option<U256>,
) -> BTreeMap<String, FillerResult> {
    let mut results: BTreeMap<String, FillerResult> = BTreeMap::new();
    for order in orders.iter().filter(|order| order.status == OrderStatus::Filled) {
        let received = order.terms.amount_in.saturating_sub(order.terms.referrer_fee);
        let (paid, delivered) =
            (value(&order.from, RawAmount::new(received)), value(&order.to, order.dest_amount));
        let referred = value(&order.from, RawAmount::new(order.terms.referrer_fee));
        let result = results.entry(order.filler.clone()).or_default();
        result.add_order(paid, delivered);
        result.add_referrer(referred);
    }
    for fee in fees {
        let cost = value(&TokenId::native(fee.chain), fee.fee);
        results.entry(fee.filler.clone()).or_default().add_fee(cost);
    }
    results
}

/// The difference in dollars, with a sign if it is negative, truncated after four digits.
fn dollars(plus: U256, minus: U256) -> String {
    let (sign, difference) = if plus < minus { ("-", minus - plus) } else { ("", plus - minus) };
    let text = RawAmount::new(difference).to_decimal(DECIMALS);
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.get(..SHOWN_DECIMALS).unwrap_or(fraction);
    let is_zero = whole == "0" && fraction.bytes().all(|digit| digit == b'0');
    let sign = if is_zero { "" } else { sign };
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use causeway_domain::ChainId;
    use causeway_testing::sample::order;

    use super::*;

    #[test]
    fn the_result_is_what_was_paid_less_what_was_delivered_less_gas() {
        let mut filled = order(1);
        filled.status = OrderStatus::Filled;
        filled.filler = "north".to_owned();
        filled.terms.amount_in = U256::from(1_000);
        filled.terms.referrer_fee = U256::from(10);
        filled.dest_amount = RawAmount::new(U256::from(900));
        let refunded = Order { status: OrderStatus::Refunded, ..filled.clone() };
        let fee = |filler: &str, fee: u64| FeeRecord {
            chain: ChainId::new(1).unwrap(),
            purpose: format!("fill:{filler}:{fee}"),
            filler: filler.to_owned(),
            fee: RawAmount::new(U256::from(fee)),
            at: Timestamp::UNIX_EPOCH,
        };
        // Every unit is a dollar.
        let dollar = U256::from(10).pow(U256::from(DECIMALS));
        let value = |_: &TokenId, amount: RawAmount| amount.get().checked_mul(dollar);
        let results =
            sum(&[filled, refunded], &[fee("north", 20), fee("north", 100), fee("south", 3)], value);
        let north = results["north"].to_json("north");
        for (field, expected) in [
            ("volumeUsd", "990"),
            ("marginUsd", "90"),
            ("gasUsd", "120"),
            ("resultUsd", "-30"),
            ("referrersUsd", "10"),
        ] {
            assert_eq!(north[field], expected, "{north}");
        }
        assert_eq!(
            (&north["filled"], &results["south"].to_json("south")["resultUsd"]),
            (&1.into(), &"-3".into())
        );
        let nothing = sum(&[], &[fee("south", 3)], |_, _| None);
        assert_eq!(nothing["south"].unpriced, 1);
    }

    #[test]
    fn dollars_are_truncated_and_never_minus_zero() {
        let unit = U256::from(10).pow(U256::from(13));
        assert_eq!(dollars(unit * U256::from(123_456_u64), U256::ZERO), "1.2345");
        assert_eq!(dollars(U256::ZERO, unit), "0.0000");
        assert_eq!(dollars(U256::ZERO, unit * U256::from(100_000_u64)), "-1");
    }
}
