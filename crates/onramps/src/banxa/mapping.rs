//! What Banxa's answers mean in our words. Nothing here asks anybody.

use alloy_primitives::{U256, hex};
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder, RampFee, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampReport, RampState};
use causeway_domain::{Address, RawAmount};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::wire::{Order, Quote, Webhook};
use crate::amounts::{Decimal, DecimalError};
use crate::lists::{Asset, Offering, Way};
use crate::transport::short;

/// Banxa does not say for how long a price stands; its documents say not to keep one.
const STANDS: SignedDuration = SignedDuration::from_mins(1);

/// How finely Banxa writes amounts of coins.
const DIGITS: u8 = 8;

fn nonsense(words: &str) -> RampError {
    RampError::Nonsense(words.to_owned())
}

/// An amount of a coin as Banxa is asked for it: as finely as it writes one, rounded up.
pub(super) fn asked_crypto(wanted: RawAmount, decimals: u8) -> String {
    let exact = wanted.to_decimal(decimals);
    let Some((whole, fraction)) = exact.split_once('.').filter(|(_, part)| part.len() > usize::from(DIGITS)) else {
        return exact;
    };
    let kept = fraction.get(..usize::from(DIGITS)).unwrap_or(fraction);
    let up = format!("{whole}{kept}").parse::<RawAmount>().ok();
    let one = RawAmount::new(U256::from(1));
    up.and_then(|up| up.checked_add(one)).map_or(exact, |up| up.to_decimal(DIGITS))
}

/// An offer, if it answers what was asked.
pub(super) fn offer(quote: &Quote, ask: &RampAsk, asset: &Asset, way: &Way) -> Result<RampOffer, RampError> {
    let currency = ask.currency;
    if quote.fiat.as_deref().is_some_and(|fiat| fiat != currency.code()) {
        return Err(nonsense("it answers in another currency than was asked for"));
    }
    if quote.crypto.as_deref().is_some_and(|crypto| crypto != asset.code) {
        return Err(nonsense("it answers for another token than was asked for"));
    }
    if quote.payment_method_id.as_deref().is_some_and(|id| id != way.code) {
        return Err(nonsense("it answers for another way of paying than was asked for"));
    }
    let pays = quote.fiat_amount.near_fiat(currency)?;
    let delivers = quote.crypto_amount.raw_down(ask.asset.decimals)?;
    let answers = match ask.amount {
        WantedAmount::Pay(asked) => pays == asked,
        WantedAmount::Receive(wanted) => delivers >= wanted,
    };
    if !answers || delivers.is_zero() {
        return Err(nonsense("it answers for another amount than was asked for"));
    }
    let told = [(RampFeeKind::Provider, &quote.processing_fee), (RampFeeKind::Network, &quote.network_fee)];
    let mut fees = Vec::new();
    for (kind, fee) in told {
        let fee = fee.as_ref().map(|fee| fee.fee(currency)).transpose()?.flatten();
        fees.extend(fee.map(|amount| RampFee { kind, amount }));
    }
    let now = Timestamp::now();
    let expires_at = now.checked_add(STANDS).unwrap_or(now);
    Ok(RampOffer { pays, fees, delivers, methods: vec![way.method.clone()], limits: way.limits, expires_at })
}

/// A status in our words, and a reason where it came to nothing.
pub(super) fn state(status: &str) -> (RampState, Option<(String, String)>) {
    let failed = |code: &str, words: &str| (RampState::Failed, Some((code.to_owned(), words.to_owned())));
    match status {
        "pending" | "pendingPayment" => (RampState::Waiting, None),
        "waitingPayment" => (RampState::Started, None),
        // Whoever is checked further is so after the payment, and must not be taken for somebody who never paid.
        "paymentReceived" | "inProgress" | "extraVerification" | "cryptoTransferred" | "coinTransferred" => {
            (RampState::Paid, None)
        }
        "complete" => (RampState::Delivered, None),
        "cancelled" => failed("canceled_by_provider", "Banxa canceled the order after its checks."),
        "declined" => failed("payment_declined", "The payment was declined."),
        "refunded" => failed("refunded", "Banxa gave the payment back."),
        "expired" => (RampState::Expired, None),
        other => (RampState::Unknown(short(other)), None),
    }
}

/// Of several orders under one name the one that has come furthest counts: a checkout that nobody opened expires by itself.
pub(super) const fn rank(state: &RampState) -> u8 {
    match state {
        RampState::Expired => 0,
        RampState::Failed | RampState::Canceled => 1,
        RampState::Waiting => 2,
        RampState::Unknown(_) => 3,
        RampState::Started => 4,
        RampState::Paid => 5,
        RampState::Delivered => 6,
    }
}

/// What is told of an order, wherever it is told.
struct Told<'a> {
    id: &'a str,
    status: &'a str,
    coin: Option<&'a str>,
    chain: Option<&'a str>,
    coins: Option<&'a Decimal>,
    fiat: Option<&'a str>,
    paid: Option<&'a Decimal>,
    wallet: Option<&'a str>,
    hash: Option<&'a str>,
}

fn report(told: &Told<'_>, offering: Option<&Offering>) -> Result<RampReport, String> {
    let read = |error: DecimalError| error.to_string();
    let asset = offering.zip(told.coin).and_then(|(offering, coin)| offering.token(coin, told.chain));
    let decimals = asset.zip(offering).and_then(|(asset, offering)| offering.assets.get(&asset)?.decimals);
    let amount = told.coins.zip(decimals).map(|(coins, decimals)| coins.raw_down(decimals)).transpose().map_err(read)?;
    let currency: Option<FiatCurrency> =
        told.fiat.map(str::parse).transpose().map_err(|_| "its currency is none".to_owned())?;
    let paid = told.paid.filter(|paid| !paid.is_zero()).zip(currency);
    let paid = paid.map(|(paid, currency)| paid.near_fiat(currency)).transpose().map_err(read)?;
    let wallet = told.wallet.filter(|wallet| !wallet.is_empty()).zip(asset);
    let wallet = wallet.map(|(wallet, asset)| Address::parse(asset.chain().family(), wallet));
    let wallet = wallet.transpose().map_err(|error| error.to_string())?;
    let hash = told.hash.filter(|hash| hash.len() > 2 && hash.len() <= 128);
    let (state, reason) = state(told.status);
    Ok(RampReport {
        state,
        provider_order: Some(told.id.to_owned()),
        paid,
        asset,
        amount: amount.filter(|amount| !amount.is_zero()),
        wallet,
        payouts: hash.map(str::to_owned).into_iter().collect(),
        reason,
    })
}

/// What a listed order tells; it has to be the order's own.
pub(super) fn listed(told: &Order, order: &FiatOrder, offering: Option<&Offering>) -> Result<RampReport, RampError> {
    if told.order_type.as_deref().is_some_and(|kind| !kind.eq_ignore_ascii_case("buy")) {
        return Err(nonsense("it tells of a sale"));
    }
    let read = report(
        &Told {
            id: &told.id,
            status: &told.status,
            coin: told.crypto.as_ref().map(|coin| coin.id.as_str()),
            chain: told.crypto.as_ref().and_then(|coin| coin.blockchain.as_deref()),
            coins: told.crypto_amount.as_ref(),
            fiat: told.fiat.as_deref(),
            paid: told.fiat_amount.as_ref(),
            wallet: told.wallet_address.as_deref(),
            hash: told.transaction_hash.as_deref(),
        },
        offering,
    );
    let read = read.map_err(RampError::Nonsense)?;
    let what = if read.paid.is_some_and(|paid| paid.currency != order.pays.currency) {
        "another currency"
    } else if read.asset.is_some_and(|asset| asset != order.sold) {
        "another token"
    } else if read.wallet.is_some_and(|wallet| wallet != order.deliver_to()) {
        "another wallet"
    } else {
        return Ok(read);
    };
    Err(RampError::Nonsense(format!("it tells of {what} under the order's name")))
}

/// What a webhook tells. It does not say where the coins go.
pub(super) fn noticed(told: &Webhook, offering: Option<&Offering>) -> Result<RampReport, String> {
    if told.order_type.as_deref().is_some_and(|kind| !kind.eq_ignore_ascii_case("buy")) {
        return Err("it tells of a sale".to_owned());
    }
    let told = Told {
        id: &told.order_id,
        status: &told.status,
        coin: told.crypto_coin.as_deref(),
        chain: told.crypto_blockchain.as_deref(),
        coins: told.crypto_amount.as_ref(),
        fiat: told.fiat_currency.as_deref(),
        paid: told.fiat_amount.as_ref(),
        wallet: None,
        hash: told.transaction_hash.as_deref(),
    };
    report(&told, offering)
}

/// By which a second delivery of the same webhook is known: what it says, since it has no number.
pub(super) fn event(told: &Webhook, body: &[u8]) -> String {
    format!("{}:{}", short(&told.order_id), digest(body))
}

/// A customer's name with Banxa: the same for the same wallet, and nothing that tells who it is.
pub(super) fn customer(author: Address) -> String {
    format!("cw-{}", digest(format!("banxa customer {}", author.to_author()).as_bytes()))
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes).get(..16).unwrap_or_default())
}

/// The amount of an order in Banxa's words, if it is told, must be the order's.
pub(super) fn same_payment(fiat: Option<&str>, amount: Option<&Decimal>, pays: FiatAmount) -> bool {
    let same = |amount: &Decimal| amount.near_fiat(pays.currency).is_ok_and(|amount| amount == pays);
    fiat.is_none_or(|fiat| fiat == pays.currency.code()) && amount.is_none_or(same)
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::RampState::{Delivered, Expired, Failed, Paid, Started, Unknown, Waiting};
    use proptest::prelude::*;

    use super::super::fixture::{self, offering, order, usdc};
    use super::super::wire::Orders;
    use super::*;

    fn ask(amount: WantedAmount) -> RampAsk {
        let currency = "USD".parse().unwrap();
        RampAsk { currency, amount, asset: usdc(), wallet: None, method: None, country: None }
    }

    fn usd(minor: u64) -> FiatAmount {
        FiatAmount::new("USD".parse().unwrap(), minor)
    }

    fn read(quote: &Quote) -> Result<RampOffer, RampError> {
        let (offering, _) = offering();
        let way = offering.way("USD".parse().unwrap(), None).unwrap();
        offer(quote, &ask(WantedAmount::Pay(usd(10_000))), &offering.assets[&usdc().id], way)
    }

    #[test]
    fn every_documented_status_is_known_and_any_other_stays_open() {
        let table = [
            ("pendingPayment", Waiting),
            ("waitingPayment", Started),
            ("paymentReceived", Paid),
            ("inProgress", Paid),
            ("extraVerification", Paid),
            ("cryptoTransferred", Paid),
            ("coinTransferred", Paid),
            ("complete", Delivered),
            ("cancelled", Failed),
            ("declined", Failed),
            ("refunded", Failed),
            ("expired", Expired),
            ("teleporting", Unknown("teleporting".to_owned())),
        ];
        for (status, expected) in table {
            let (state, reason) = state(status);
            assert_eq!(reason.is_some(), state == Failed, "{status}");
            assert_eq!(state, expected, "{status}");
        }
    }

    #[test]
    fn a_quote_is_read_exactly() {
        let offer = read(&fixture::read("quote")).unwrap();
        assert_eq!((offer.pays, offer.delivers.to_string().as_str()), (usd(10_000), "97410000"));
        let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind.as_str(), fee.amount.minor)).collect();
        assert_eq!(fees, [("provider", 199), ("network", 60)]);
    }

    #[test]
    fn a_quote_for_something_else_is_banxas_fault() {
        let good = fixture::text("quote");
        let cases = [
            good.replace("\"100.00\"", "\"100.00\", \"fiat\": \"EUR\""),
            good.replace("\"100.00\"", "\"92.10\""),
            good.replace("\"100.00\"", "100.00412345678901"),
            good.replace("\"1.99\"", "\"-1.99\""),
            good.replace("debit-credit-card", "apple-pay"),
            good.replace("\"97.41000000\"", "\"0\""),
        ];
        for case in cases {
            assert_ne!(case, good);
            let quote = serde_json::from_str(&case).unwrap();
            assert!(matches!(read(&quote), Err(RampError::Nonsense(_))), "{case}");
        }
    }

    #[test]
    fn listed_orders_and_webhooks_tell_the_same() {
        let (offering, _) = offering();
        let told: Orders = fixture::read("orders");
        let order = order();
        let listed = listed(&told.orders[0], &order, Some(&offering)).unwrap();
        assert_eq!((&listed.state, listed.asset, listed.paid), (&Delivered, Some(usdc().id), Some(usd(10_000))));
        assert_eq!(listed.wallet, Some(order.recipient));
        let noticed = noticed(&fixture::read("webhook"), Some(&offering)).unwrap();
        assert_eq!(RampReport { wallet: listed.wallet, ..noticed }, listed);
    }

    #[test]
    fn an_order_for_another_wallet_or_currency_is_not_ours() {
        let (offering, _) = offering();
        let good = fixture::text("orders");
        let elsewhere = good.replace("70997970c51812dc3a010c7d01b50e0d17dc79c8", "66666666c51812dc3a010c7d01b50e0d17dc79c8");
        for case in [elsewhere, good.replace("\"USD\"", "\"EUR\""), good.replace("\"BUY\"", "\"SELL\"")] {
            let told: Orders = serde_json::from_str(&case).unwrap();
            assert!(listed(&told.orders[0], &order(), Some(&offering)).is_err(), "{case}");
        }
    }

    #[test]
    fn a_customer_is_the_same_for_the_same_wallet_and_tells_nothing_of_it() {
        let author = order().author;
        let name = customer(author);
        assert_eq!(name, customer(author));
        assert!(!name.contains("70997970") && name.len() == 35, "{name}");
    }

    proptest! {
        #[test]
        fn what_is_asked_for_is_never_less_than_what_is_wanted(raw: u128, decimals in 0u8..19) {
            let wanted = RawAmount::new(U256::from(raw));
            let asked: Decimal = asked_crypto(wanted, decimals).parse().unwrap();
            prop_assert!(asked.raw_exact(decimals.max(DIGITS)).is_ok());
            prop_assert!(asked.raw_down(decimals).unwrap() >= wanted);
        }
    }
}
