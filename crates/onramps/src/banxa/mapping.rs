//! Maps Banxa's JSON to the domain. Pure functions.

use alloy_primitives::{U256, hex};
use causeway_domain::fiat::{FiatAmount, FiatCurrency, FiatOrder, RampFee, RampFeeKind, WantedAmount};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampReport, RampState};
use causeway_domain::{Address, RawAmount};
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};

use super::wire::{ListedOrder, Quote, Webhook};
use crate::amounts::{Decimal, DecimalError};
use crate::offering_cache::{Asset, Offering, PaymentOption};
use crate::transport::sanitize;

/// How long an offer is shown: Banxa states no expiry and advises against caching.
const OFFER_VALIDITY: SignedDuration = SignedDuration::from_mins(1);

/// Decimal places of Banxa's coin amounts.
const COIN_DIGITS: u8 = 8;

fn invalid(message: &str) -> RampError {
    RampError::Nonsense(message.to_owned())
}

/// Formats a coin amount for a request: rounded up to Banxa's decimal places.
pub(super) fn format_crypto_amount(wanted: RawAmount, decimals: u8) -> String {
    let exact = wanted.to_decimal(decimals);
    let Some((whole, fraction)) =
        exact.split_once('.').filter(|(_, part)| part.len() > usize::from(COIN_DIGITS))
    else {
        return exact;
    };
    let kept = fraction.get(..usize::from(COIN_DIGITS)).unwrap_or(fraction);
    let up = format!("{whole}{kept}").parse::<RawAmount>().ok();
    let one = RawAmount::new(U256::from(1));
    up.and_then(|up| up.checked_add(one)).map_or(exact, |up| up.to_decimal(COIN_DIGITS))
}

/// The offer of a quote, if it matches the ask.
pub(super) fn offer(
    quote: &Quote,
    ask: &RampAsk,
    asset: &Asset,
    payment_option: &PaymentOption,
) -> Result<RampOffer, RampError> {
    let currency = ask.currency;
    if quote.fiat.as_deref().is_some_and(|fiat| fiat != currency.code()) {
        return Err(invalid("the quote is in another currency"));
    }
    if quote.crypto.as_deref().is_some_and(|crypto| crypto != asset.code) {
        return Err(invalid("the quote is for another token"));
    }
    if quote.payment_method_id.as_deref().is_some_and(|id| id != payment_option.code) {
        return Err(invalid("the quote is for another payment method"));
    }
    let pays = quote.fiat_amount.near_fiat(currency)?;
    let delivers = quote.crypto_amount.raw_down(ask.asset.decimals)?;
    let matches_ask = match ask.amount {
        WantedAmount::Pay(asked) => pays == asked,
        WantedAmount::Receive(wanted) => delivers >= wanted,
    };
    if !matches_ask || delivers.is_zero() {
        return Err(invalid("the quote is for another amount"));
    }
    let charged =
        [(RampFeeKind::Provider, &quote.processing_fee), (RampFeeKind::Network, &quote.network_fee)];
    let mut fees = Vec::new();
    for (kind, fee) in charged {
        let fee = fee.as_ref().map(|fee| fee.fee(currency)).transpose()?.flatten();
        fees.extend(fee.map(|amount| RampFee { kind, amount }));
    }
    let now = Timestamp::now();
    let expires_at = now.checked_add(OFFER_VALIDITY).unwrap_or(now);
    Ok(RampOffer {
        pays,
        fees,
        delivers,
        methods: vec![payment_option.method.clone()],
        limits: payment_option.limits,
        expires_at,
    })
}

/// Maps a status, with a reason if it failed.
pub(super) fn state(status: &str) -> (RampState, Option<(String, String)>) {
    let failed = |code: &str, message: &str| (RampState::Failed, Some((code.to_owned(), message.to_owned())));
    match status {
        "pending" | "pendingPayment" => (RampState::Waiting, None),
        "waitingPayment" => (RampState::Started, None),
        // Extra verification happens after the payment, so it must not count as unpaid.
        "paymentReceived" | "inProgress" | "extraVerification" | "cryptoTransferred" | "coinTransferred" => {
            (RampState::Paid, None)
        }
        "complete" => (RampState::Delivered, None),
        "cancelled" => failed("canceled_by_provider", "Banxa canceled the order after its checks."),
        "declined" => failed("payment_declined", "The payment was declined."),
        "refunded" => failed("refunded", "Banxa refunded the payment."),
        "expired" => (RampState::Expired, None),
        other => (RampState::Unknown(sanitize(other)), None),
    }
}

/// The fields of an order in lists and webhooks.
struct PurchaseFields<'a> {
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

fn report(reported: &PurchaseFields<'_>, offering: Option<&Offering>) -> Result<RampReport, String> {
    let read = |error: DecimalError| error.to_string();
    let asset = offering.zip(reported.coin).and_then(|(offering, coin)| offering.token(coin, reported.chain));
    let decimals = asset.zip(offering).and_then(|(asset, offering)| offering.find_asset(&asset)?.decimals);
    let amount = reported
        .coins
        .zip(decimals)
        .map(|(coins, decimals)| coins.raw_down(decimals))
        .transpose()
        .map_err(read)?;
    let currency: Option<FiatCurrency> =
        reported.fiat.map(str::parse).transpose().map_err(|_| "its currency is unknown".to_owned())?;
    let paid = reported.paid.filter(|paid| !paid.is_zero()).zip(currency);
    let paid = paid.map(|(paid, currency)| paid.near_fiat(currency)).transpose().map_err(read)?;
    let wallet = reported.wallet.filter(|wallet| !wallet.is_empty()).zip(asset);
    let wallet = wallet.map(|(wallet, asset)| Address::parse_any_case(asset.chain().family(), wallet));
    let wallet = wallet.transpose().map_err(|error| error.to_string())?;
    let hash = reported.hash.filter(|hash| hash.len() > 2 && hash.len() <= 128);
    let (state, reason) = state(reported.status);
    Ok(RampReport {
        state,
        provider_order: Some(reported.id.to_owned()),
        paid,
        asset,
        amount: amount.filter(|amount| !amount.is_zero()),
        wallet,
        payouts: hash.map(str::to_owned).into_iter().collect(),
        // Each checkout is another Banxa order; an order canceled after its checks or refunded is final.
        may_retry: matches!(reported.status, "declined" | "expired"),
        reason,
    })
}

/// The report of a listed order; it must match our order.
pub(super) fn from_listed_order(
    reported: &ListedOrder,
    order: &FiatOrder,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
    if reported.order_type.as_deref().is_some_and(|kind| !kind.eq_ignore_ascii_case("buy")) {
        return Err(invalid("it is a sale, not a purchase"));
    }
    let read = report(
        &PurchaseFields {
            id: &reported.id,
            status: &reported.status,
            coin: reported.crypto.as_ref().map(|coin| coin.id.as_str()),
            chain: reported.crypto.as_ref().and_then(|coin| coin.blockchain.as_deref()),
            coins: reported.crypto_amount.as_ref(),
            fiat: reported.fiat.as_deref(),
            paid: reported.fiat_amount.as_ref(),
            wallet: reported.wallet_address.as_deref(),
            hash: reported.transaction_hash.as_deref(),
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
    Err(RampError::Nonsense(format!("it reports {what} under the order's id")))
}

/// The report of a webhook, which does not include the wallet.
pub(super) fn from_webhook(reported: &Webhook, offering: Option<&Offering>) -> Result<RampReport, String> {
    if reported.order_type.as_deref().is_some_and(|kind| !kind.eq_ignore_ascii_case("buy")) {
        return Err("it is a sale, not a purchase".to_owned());
    }
    let reported = PurchaseFields {
        id: &reported.order_id,
        status: &reported.status,
        coin: reported.crypto_coin.as_deref(),
        chain: reported.crypto_blockchain.as_deref(),
        coins: reported.crypto_amount.as_ref(),
        fiat: reported.fiat_currency.as_deref(),
        paid: reported.fiat_amount.as_ref(),
        wallet: None,
        hash: reported.transaction_hash.as_deref(),
    };
    report(&reported, offering)
}

/// The idempotency key of a webhook: a hash of its content, since it has no event id.
pub(super) fn event(reported: &Webhook, body: &[u8]) -> String {
    format!("{}:{}", sanitize(&reported.order_id), digest(body))
}

/// The customer id at Banxa: a hash, stable for the same wallet.
pub(super) fn customer(author: Address) -> String {
    format!("cw-{}", digest(format!("banxa customer {}", author.to_author()).as_bytes()))
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes).get(..16).unwrap_or_default())
}

/// Whether Banxa's currency and amount, if present, match the order's.
pub(super) fn same_payment(fiat: Option<&str>, amount: Option<&Decimal>, pays: FiatAmount) -> bool {
    let same = |amount: &Decimal| amount.near_fiat(pays.currency).is_ok_and(|amount| amount == pays);
    fiat.is_none_or(|fiat| fiat == pays.currency.code()) && amount.is_none_or(same)
}
