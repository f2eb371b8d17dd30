//! From Transak's words to ours. Pure; the fixtures beside this file are what it is tested with.

use causeway_domain::fiat::{
    FiatAmount, FiatCurrency, FiatOrder, PaymentMethod, RampFee, RampFeeKind, WantedAmount,
};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampReport, RampState};
use causeway_domain::{Address, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::wire::{CountryJson, CryptoJson, FiatJson, NetworkName, OptionJson, OrderJson, QuoteJson};
use crate::lists::{Asset, Offering, Way, in_range, method_id, token_id};
use crate::transport::short;

/// Its prices move by the minute.
const OFFER_FOR: SignedDuration = SignedDuration::from_secs(120);

fn nonsense(words: &str) -> RampError {
    RampError::Nonsense(words.to_owned())
}

/// What it sells, takes, and where. Entries that cannot be read are left out: they are not ours to sell.
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
            let assets = if is_allowed { &mut offering.assets } else { &mut offering.closed };
            assets.insert(token, Asset { code: symbol, network: network.name, decimals });
        }
    }
    for fiat in fiats.into_iter().filter(|fiat| fiat.is_allowed) {
        let Ok(currency) = fiat.symbol.parse::<FiatCurrency>() else { continue };
        let options = fiat.payment_options.into_iter().filter(|option| option.is_active);
        let mut ways: Vec<Way> = options.filter_map(|option| way(currency, option)).collect();
        // A card is what most people mean who do not say.
        ways.sort_by_key(|way| way.method.id != "card");
        if !ways.is_empty() {
            offering.currencies.insert(currency, ways);
        }
    }
    offering.countries =
        countries.into_iter().filter(|country| country.is_allowed).map(|country| country.alpha2).collect();
    if offering.assets.is_empty() || offering.currencies.is_empty() {
        return Err(nonsense("its lists are empty"));
    }
    Ok(offering)
}

fn way(currency: FiatCurrency, option: OptionJson) -> Option<Way> {
    let least = option.min_amount.and_then(|least| least.fiat_up(currency).ok());
    let most = option.max_amount.and_then(|most| most.fiat_down(currency).ok());
    let limits = least.zip(most).filter(|(least, most)| least.minor < most.minor)?;
    let method = PaymentMethod { id: method_id(&option.id).to_owned(), name: option.name };
    Some(Way { method, code: option.id, limits: Some(limits) })
}

/// An offer, if it answers what was asked.
pub(super) fn offer(
    quote: &QuoteJson,
    ask: &RampAsk,
    asset: &Asset,
    way: &Way,
    now: Timestamp,
) -> Result<RampOffer, RampError> {
    if quote.fiat_currency != ask.currency.code() {
        return Err(nonsense("it answers in another currency"));
    }
    let same = quote.crypto_currency.eq_ignore_ascii_case(&asset.code)
        && quote.network.eq_ignore_ascii_case(&asset.network)
        && quote.is_buy_or_sell == "BUY";
    if !same {
        return Err(nonsense("it answers for another token"));
    }
    let pays = quote.fiat_amount.near_fiat(ask.currency)?;
    let delivers = quote.crypto_amount.raw_down(ask.asset.decimals)?;
    match ask.amount {
        WantedAmount::Pay(asked) if asked != pays => return Err(nonsense("it answers for another amount")),
        WantedAmount::Receive(asked) if delivers < asked => {
            return Err(nonsense("it delivers less than was asked"));
        }
        _ => {}
    }
    in_range(pays, way.limits)?;
    Ok(RampOffer {
        pays,
        fees: fees(quote, ask.currency)?,
        delivers,
        methods: vec![way.method.clone()],
        limits: way.limits,
        expires_at: now.checked_add(OFFER_FOR).map_err(|_| nonsense("its offer ends at no time"))?,
    })
}

/// Each rounded up to the currency's smallest unit.
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

/// Transak's statuses of a purchase. `PAYMENT_DONE_MARKED_BY_USER` is the payer's word and `PROCESSING` a check of the card: in neither
/// has any money come.
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

/// What it says of one attempt at our order.
pub(super) fn attempt(
    told: &OrderJson,
    order: &FiatOrder,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
    let network = told.network.as_ref().map(NetworkName::as_str);
    let another = |code: &String| offering.is_some_and(|all| all.is_another(&order.sold, code, network));
    if told.crypto_currency.as_ref().is_some_and(another) {
        return Err(nonsense("it tells of another token under the order's name"));
    }
    report(told, offering)
}

/// What it says of a purchase. `offering` tells which token is meant; a token that is in no list any more is left open.
pub(super) fn report(order: &OrderJson, offering: Option<&Offering>) -> Result<RampReport, RampError> {
    if order.is_buy_or_sell.as_deref().is_some_and(|kind| kind != "BUY") {
        return Err(nonsense("it is not a purchase"));
    }
    let network = order.network.as_ref().map(NetworkName::as_str);
    let named = offering.zip(order.crypto_currency.as_ref());
    let token = named.and_then(|(offering, code)| offering.token(code, network));
    let decimals = token.zip(offering).and_then(|(token, all)| all.known(&token)?.decimals);
    let amount = order.crypto_amount.as_ref().filter(|amount| !amount.is_zero()).zip(decimals);
    let state = state(&order.status);
    Ok(RampReport {
        reason: reason(order, &state),
        // Whose card was declined, who canceled or came too late, may try again; what was given back is over.
        may_retry: order.status != "REFUNDED",
        state,
        provider_order: Some(short(&order.id)),
        paid: paid(order)?,
        asset: token,
        amount: amount.map(|(amount, decimals)| amount.raw_down(decimals)).transpose()?,
        wallet: order.wallet_address.as_deref().map(|text| wallet(text, token)).transpose()?,
        payouts: order
            .transaction_hash
            .iter()
            .filter(|hash| !hash.is_empty())
            .map(|hash| short(hash))
            .collect(),
    })
}

fn paid(order: &OrderJson) -> Result<Option<FiatAmount>, RampError> {
    let (Some(code), Some(amount)) = (&order.fiat_currency, &order.fiat_amount) else { return Ok(None) };
    let currency = code.parse().map_err(|_| nonsense("its currency is unknown"))?;
    Ok(Some(amount.near_fiat(currency)?))
}

fn wallet(text: &str, token: Option<TokenId>) -> Result<Address, RampError> {
    let read = match token {
        Some(token) => Address::parse(token.chain().family(), text).ok(),
        None => Address::parse_any(text),
    };
    read.ok_or_else(|| nonsense("its wallet is no address"))
}

fn reason(order: &OrderJson, state: &RampState) -> Option<(String, String)> {
    let code = match (state, order.status.as_str()) {
        (_, "REFUNDED") => "payment_refunded",
        (RampState::Failed, _) => "payment_failed",
        _ => return None,
    };
    let words = order.status_reason.as_deref().filter(|words| !words.is_empty());
    let usual =
        if code == "payment_refunded" { "The payment was given back." } else { "The payment failed." };
    Some((code.to_owned(), words.map_or_else(|| usual.to_owned(), short)))
}
