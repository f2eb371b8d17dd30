//! Maps Transak's JSON to the domain. Pure functions, tested with the fixtures in this folder.

use causeway_domain::fiat::{
    FiatAmount, FiatCurrency, FiatOrder, PaymentMethod, RampFee, RampFeeKind, WantedAmount,
};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampReport, RampState};
use causeway_domain::{Address, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::wire::{CountryJson, CryptoJson, FiatJson, NetworkName, OptionJson, OrderJson, QuoteJson};
use crate::offering_cache::{Asset, Offering, PaymentOption, in_range, method_id, token_id};
use crate::transport::sanitize;

/// How long an offer is shown: prices change by the minute.
const OFFER_VALIDITY: SignedDuration = SignedDuration::from_secs(120);

fn invalid(message: &str) -> RampError {
    RampError::Nonsense(message.to_owned())
}

/// Its assets, currencies and countries. Entries that cannot be read are skipped.
pub(super) fn offering(
    coins: Vec<CryptoJson>,
    fiats: Vec<FiatJson>,
    countries: Vec<CountryJson>,
) -> Result<Offering, RampError> {
    let mut offering = Offering::default();
    for coin in coins {
        let chain = coin.network.chain_id.as_ref().and_then(|id| id.raw_exact(0).ok());
        let chain = chain.and_then(|id| u64::try_from(id.get()).ok());
        if let Some(token) = token_id(chain, &coin.network.name, &coin.symbol, coin.address.as_deref()) {
            let CryptoJson { symbol, network, decimals, is_allowed, .. } = coin;
            let assets = if is_allowed { &mut offering.assets } else { &mut offering.delisted };
            assets.insert(token, Asset { code: symbol, network: network.name, decimals });
        }
    }
    for fiat in fiats.into_iter().filter(|fiat| fiat.is_allowed) {
        let Ok(currency) = fiat.symbol.parse::<FiatCurrency>() else { continue };
        let options = fiat.payment_options.into_iter().filter(|option| option.is_active);
        let mut payment_options: Vec<PaymentOption> =
            options.filter_map(|option| payment_option(currency, option)).collect();
        // Cards are the default method.
        payment_options.sort_by_key(|payment_option| payment_option.method.id != "card");
        if !payment_options.is_empty() {
            offering.currencies.insert(currency, payment_options);
        }
    }
    offering.countries =
        countries.into_iter().filter(|country| country.is_allowed).map(|country| country.alpha2).collect();
    if offering.assets.is_empty() || offering.currencies.is_empty() {
        return Err(invalid("its lists are empty"));
    }
    Ok(offering)
}

fn payment_option(currency: FiatCurrency, option: OptionJson) -> Option<PaymentOption> {
    let least = option.min_amount.and_then(|least| least.fiat_up(currency).ok());
    let most = option.max_amount.and_then(|most| most.fiat_down(currency).ok());
    let limits = least.zip(most).filter(|(least, most)| least.minor < most.minor)?;
    let method = PaymentMethod { id: method_id(&option.id).to_owned(), name: option.name };
    Some(PaymentOption { method, code: option.id, limits: Some(limits) })
}

/// The offer of a quote, if it matches the ask.
pub(super) fn offer(
    quote: &QuoteJson,
    ask: &RampAsk,
    asset: &Asset,
    payment_option: &PaymentOption,
    now: Timestamp,
) -> Result<RampOffer, RampError> {
    if quote.fiat_currency != ask.currency.code() {
        return Err(invalid("the quote is in another currency"));
    }
    let same = quote.crypto_currency.eq_ignore_ascii_case(&asset.code)
        && quote.network.eq_ignore_ascii_case(&asset.network)
        && quote.is_buy_or_sell == "BUY";
    if !same {
        return Err(invalid("the quote is for another token"));
    }
    let pays = quote.fiat_amount.near_fiat(ask.currency)?;
    let delivers = quote.crypto_amount.raw_down(ask.asset.decimals)?;
    match ask.amount {
        WantedAmount::Pay(asked) if asked != pays => return Err(invalid("the quote is for another amount")),
        WantedAmount::Receive(asked) if delivers < asked => {
            return Err(invalid("the quote delivers less than was asked"));
        }
        _ => {}
    }
    in_range(pays, payment_option.limits)?;
    Ok(RampOffer {
        pays,
        fees: fees(quote, ask.currency)?,
        delivers,
        methods: vec![payment_option.method.clone()],
        limits: payment_option.limits,
        expires_at: now.checked_add(OFFER_VALIDITY).map_err(|_| invalid("its offer has no valid expiry"))?,
    })
}

/// Each fee is rounded up to the currency's smallest unit.
fn fees(quote: &QuoteJson, currency: FiatCurrency) -> Result<Vec<RampFee>, RampError> {
    let mut fees = Vec::new();
    for fee in &quote.fee_breakdown {
        let kind = match fee.id.as_str() {
            "network_fee" => RampFeeKind::Network,
            "partner_fee" => RampFeeKind::Partner,
            _ => RampFeeKind::Provider,
        };
        fees.extend(fee.value.fee(currency)?.map(|amount| RampFee { kind, amount }));
    }
    let total = quote.total_fee.fee(currency)?;
    if fees.is_empty() {
        fees.extend(total.map(|amount| RampFee { kind: RampFeeKind::Provider, amount }));
    }
    Ok(fees)
}

/// Transak's statuses of a purchase. `PAYMENT_DONE_MARKED_BY_USER` is the payer's claim and `PROCESSING` a card check: in neither
/// has a payment arrived.
pub(super) fn state(status: &str) -> RampState {
    match status {
        "AWAITING_PAYMENT_FROM_USER" | "PAYMENT_DONE_MARKED_BY_USER" | "PROCESSING" => RampState::Started,
        "PENDING_DELIVERY_FROM_TRANSAK" | "ON_HOLD_PENDING_DELIVERY_FROM_TRANSAK" => RampState::Paid,
        "COMPLETED" => RampState::Delivered,
        "CANCELLED" => RampState::Canceled,
        "FAILED" | "REFUNDED" => RampState::Failed,
        "EXPIRED" => RampState::Expired,
        other => RampState::Unknown(other.chars().take(64).collect()),
    }
}

/// The report of one attempt at our order.
pub(super) fn attempt(
    attempt_json: &OrderJson,
    order: &FiatOrder,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
    let network = attempt_json.network.as_ref().map(NetworkName::as_str);
    let another = |code: &String| offering.is_some_and(|all| all.is_other_token(&order.sold, code, network));
    if attempt_json.crypto_currency.as_ref().is_some_and(another) {
        return Err(invalid("it reports another token under the order's id"));
    }
    report(attempt_json, offering)
}

/// The report of a purchase. `offering` identifies the token; an unlisted token is left open.
pub(super) fn report(order: &OrderJson, offering: Option<&Offering>) -> Result<RampReport, RampError> {
    if order.is_buy_or_sell.as_deref().is_some_and(|kind| kind != "BUY") {
        return Err(invalid("it is a sale, not a purchase"));
    }
    let network = order.network.as_ref().map(NetworkName::as_str);
    let named = offering.zip(order.crypto_currency.as_ref());
    let token = named.and_then(|(offering, code)| offering.token(code, network));
    let decimals = token.zip(offering).and_then(|(token, all)| all.find_asset(&token)?.decimals);
    let amount = order.crypto_amount.as_ref().filter(|amount| !amount.is_zero()).zip(decimals);
    let state = state(&order.status);
    Ok(RampReport {
        reason: reason(order, &state),
        // Declined, canceled and expired attempts may be retried; a refunded one is final.
        may_retry: order.status != "REFUNDED",
        state,
        provider_order: Some(sanitize(&order.id)),
        paid: paid(order)?,
        asset: token,
        amount: amount.map(|(amount, decimals)| amount.raw_down(decimals)).transpose()?,
        wallet: order.wallet_address.as_deref().map(|text| wallet(text, token)).transpose()?,
        payouts: order
            .transaction_hash
            .iter()
            .filter(|hash| !hash.is_empty())
            .map(|hash| sanitize(hash))
            .collect(),
    })
}

fn paid(order: &OrderJson) -> Result<Option<FiatAmount>, RampError> {
    let (Some(code), Some(amount)) = (&order.fiat_currency, &order.fiat_amount) else { return Ok(None) };
    let currency = code.parse().map_err(|_| invalid("its currency is unknown"))?;
    Ok(Some(amount.near_fiat(currency)?))
}

fn wallet(text: &str, token: Option<TokenId>) -> Result<Address, RampError> {
    let read = match token {
        Some(token) => Address::parse_any_case(token.chain().family(), text).ok(),
        None => Address::parse_any(text),
    };
    read.ok_or_else(|| invalid("its wallet is not a valid address"))
}

fn reason(order: &OrderJson, state: &RampState) -> Option<(String, String)> {
    let code = match (state, order.status.as_str()) {
        (_, "REFUNDED") => "payment_refunded",
        (RampState::Failed, _) => "payment_failed",
        _ => return None,
    };
    let message = order.status_reason.as_deref().filter(|message| !message.is_empty());
    let usual = if code == "payment_refunded" { "The payment was refunded." } else { "The payment failed." };
    Some((code.to_owned(), message.map_or_else(|| usual.to_owned(), sanitize)))
}
