//! What Banxa's answers mean in our words. Nothing here asks anybody.

use alloy_primitives::{U256, hex};
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder, RampFee, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampReport, RampState};
use causeway_domain::{Address, RawAmount};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::wire::{Listed, Quote, Webhook};
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
    let Some((whole, fraction)) = exact.split_once('.').filter(|(_, part)| part.len() > usize::from(DIGITS))
    else {
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
    let amount = told
        .coins
        .zip(decimals)
        .map(|(coins, decimals)| coins.raw_down(decimals))
        .transpose()
        .map_err(read)?;
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
        // Another checkout is another order of Banxa's; what it canceled after its checks, or gave back, is over.
        may_retry: matches!(told.status, "declined" | "expired"),
        reason,
    })
}

/// What a listed order tells; it has to be the order's own.
pub(super) fn listed(
    told: &Listed,
    order: &FiatOrder,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
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
