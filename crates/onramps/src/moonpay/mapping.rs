//! From MoonPay's words to ours. Pure; the fixtures beside this file are what it is tested with.

use causeway_domain::Address;
use causeway_domain::fiat::{
    FiatAmount, FiatCurrency, FiatOrder, PaymentMethod, RampFee, RampFeeKind, WantedAmount,
};
use causeway_domain::ports::{RampAsk, RampError, RampOffer, RampReport, RampState};
use jiff::{SignedDuration, Timestamp};

use super::wire::{
    BoundsJson, CodeJson, CountryJson, CurrencyJson, LimitsJson, QuoteJson, StateJson, TransactionJson,
};
use crate::amounts::Decimal;
use crate::lists::{Asset, Offering, Way, in_range, method_id, token_id};
use crate::transport::short;

/// Its prices move by the minute.
const OFFER_FOR: SignedDuration = SignedDuration::from_secs(120);

/// Ways of paying and the currencies in which they work, as the documentation names them; every currency takes cards. The interface has no
/// list of them, and refuses what does not fit.
const WAYS: [(&str, &str, &str); 9] = [
    ("credit_debit_card", "Card", ""),
    ("apple_pay", "Apple Pay", ""),
    ("google_pay", "Google Pay", ""),
    ("sepa_bank_transfer", "SEPA bank transfer", "EUR"),
    ("gbp_bank_transfer", "UK bank transfer", "GBP"),
    ("ach_bank_transfer", "US bank transfer (ACH)", "USD"),
    ("pix_instant_payment", "Pix", "BRL"),
    ("paypal", "PayPal", "USD EUR GBP"),
    ("venmo", "Venmo", "USD"),
];

fn nonsense(words: &str) -> RampError {
    RampError::Nonsense(words.to_owned())
}

/// What it sells, takes, and where. Entries that cannot be read are left out: they are not ours to sell.
pub(super) fn offering(
    currencies: Vec<CurrencyJson>,
    countries: &[CountryJson],
    sandbox: bool,
) -> Result<Offering, RampError> {
    let mut offering = Offering::default();
    for listed in currencies {
        match listed.kind.as_deref() {
            Some("fiat") if !listed.is_suspended => {
                let Ok(currency) = listed.code.to_ascii_uppercase().parse::<FiatCurrency>() else { continue };
                let bounds = bounds(currency, listed.min_buy_amount.as_ref(), listed.max_buy_amount.as_ref());
                offering.currencies.insert(currency, ways(currency, bounds));
            }
            Some("crypto") if !sandbox || listed.supports_test_mode => {
                let Some(metadata) = listed.metadata else { continue };
                let network = metadata.network_code.unwrap_or_default();
                let chain = metadata.chain_id.and_then(|id| id.raw_exact(0).ok());
                let chain = chain.and_then(|id| u64::try_from(id.get()).ok());
                let token = token_id(chain, &network, &listed.code, metadata.contract_address.as_deref());
                let asset = Asset { code: listed.code, network, decimals: listed.decimals };
                let assets = if listed.is_suspended { &mut offering.closed } else { &mut offering.assets };
                assets.extend(token.map(|token| (token, asset)));
            }
            _ => {}
        }
    }
    offering.countries = countries.iter().flat_map(places).collect();
    if offering.assets.is_empty() || offering.currencies.is_empty() {
        return Err(nonsense("its lists are empty"));
    }
    Ok(offering)
}

fn ways(currency: FiatCurrency, limits: Option<(FiatAmount, FiatAmount)>) -> Vec<Way> {
    let takes = |codes: &str| codes.is_empty() || codes.split(' ').any(|code| code == currency.code());
    let ways = WAYS.iter().filter(|(_, _, codes)| takes(codes));
    let way = |&(code, name, _): &(&str, &str, &str)| Way {
        method: PaymentMethod { id: method_id(code).to_owned(), name: name.to_owned() },
        code: code.to_owned(),
        limits,
    };
    ways.map(way).collect()
}

/// A country as a whole, or the parts of it where it sells.
fn places(country: &CountryJson) -> Vec<String> {
    if !country.is_buy_allowed.unwrap_or(country.is_allowed) {
        return Vec::new();
    }
    let sells = |state: &StateJson| state.is_buy_allowed.unwrap_or(state.is_allowed);
    if country.states.iter().all(sells) {
        return vec![country.alpha2.clone()];
    }
    let states = country.states.iter().filter(|state| sells(state));
    states.map(|state| format!("{}-{}", country.alpha2, state.code)).collect()
}

fn bounds(
    currency: FiatCurrency,
    least: Option<&Decimal>,
    most: Option<&Decimal>,
) -> Option<(FiatAmount, FiatAmount)> {
    let least = least.and_then(|least| least.fiat_up(currency).ok());
    let most = most.and_then(|most| most.fiat_down(currency).ok());
    least.zip(most).filter(|(least, most)| least.minor < most.minor)
}

/// What may be paid for one token in one way.
pub(super) fn limits(
    answer: &LimitsJson,
    currency: FiatCurrency,
) -> Result<Option<(FiatAmount, FiatAmount)>, RampError> {
    let BoundsJson { code, min_buy_amount, max_buy_amount } = &answer.base_currency;
    if !code.eq_ignore_ascii_case(currency.code()) {
        return Err(nonsense("its limits are in another currency"));
    }
    Ok(bounds(currency, min_buy_amount.as_ref(), max_buy_amount.as_ref()))
}

/// An offer, if it answers what was asked.
pub(super) fn offer(
    quote: &QuoteJson,
    ask: &RampAsk,
    asset: &Asset,
    way: &Way,
    limits: Option<(FiatAmount, FiatAmount)>,
    now: Timestamp,
) -> Result<RampOffer, RampError> {
    let named = quote.base_currency.as_ref().map(|named| &named.code).or(quote.base_currency_code.as_ref());
    if !named.is_some_and(|named| named.eq_ignore_ascii_case(ask.currency.code())) {
        return Err(nonsense("it answers in another currency"));
    }
    if quote.currency.as_ref().is_some_and(|named| !named.code.eq_ignore_ascii_case(&asset.code)) {
        return Err(nonsense("it answers for another token"));
    }
    let pays = quote.total_amount.near_fiat(ask.currency)?;
    let delivers = quote.quote_currency_amount.raw_down(ask.asset.decimals)?;
    match ask.amount {
        WantedAmount::Pay(asked) if asked != pays => return Err(nonsense("it answers for another amount")),
        WantedAmount::Receive(asked) if delivers < asked => {
            return Err(nonsense("it delivers less than was asked"));
        }
        _ => {}
    }
    in_range(pays, limits)?;
    let taken = [
        (RampFeeKind::Provider, Some(&quote.fee_amount)),
        (RampFeeKind::Partner, quote.extra_fee_amount.as_ref()),
        (RampFeeKind::Network, Some(&quote.network_fee_amount)),
    ];
    let mut fees = Vec::new();
    for (kind, amount) in taken {
        let amount = amount.map(|amount| amount.fee(ask.currency)).transpose()?.flatten();
        fees.extend(amount.map(|amount| RampFee { kind, amount }));
    }
    Ok(RampOffer {
        pays,
        fees,
        delivers,
        methods: vec![way.method.clone()],
        limits,
        expires_at: now.checked_add(OFFER_FOR).map_err(|_| nonsense("its offer ends at no time"))?,
    })
}

/// MoonPay's statuses of a purchase.
pub(super) fn state(status: &str) -> RampState {
    match status {
        "waitingPayment" | "waitingAuthorization" => RampState::Started,
        "pending" => RampState::Paid,
        "completed" => RampState::Delivered,
        "failed" => RampState::Failed,
        other => RampState::Unknown(other.chars().take(64).collect()),
    }
}

/// What it says of one attempt at our order.
pub(super) fn attempt(
    told: &TransactionJson,
    order: &FiatOrder,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
    let another = |named: &CodeJson| {
        offering.is_some_and(|offering| offering.is_another(&order.sold, &named.code, None))
    };
    if told.currency.as_ref().is_some_and(another) {
        return Err(nonsense("it tells of another token under the order's name"));
    }
    report(told, offering)
}

/// What it says of a purchase. `offering` tells which token is meant; a token that is in no list any more is left open.
pub(super) fn report(told: &TransactionJson, offering: Option<&Offering>) -> Result<RampReport, RampError> {
    let named = offering.zip(told.currency.as_ref());
    let token = named.and_then(|(offering, named)| offering.token(&named.code, None));
    let decimals = token.zip(offering).and_then(|(token, all)| all.known(&token)?.decimals);
    let amount = told.quote_currency_amount.as_ref().filter(|amount| !amount.is_zero()).zip(decimals);
    let wallet = told.wallet_address.as_deref().map(|text| {
        let read = match token {
            Some(token) => Address::parse(token.chain().family(), text).ok(),
            None => Address::parse_any(text),
        };
        read.ok_or_else(|| nonsense("its wallet is no address"))
    });
    let state = state(&told.status);
    let reason = (state == RampState::Failed).then(|| reason(told.failure_reason.as_deref()));
    Ok(RampReport {
        state,
        provider_order: Some(short(&told.id)),
        paid: paid(told)?,
        asset: token,
        amount: amount.map(|(amount, decimals)| amount.raw_down(decimals)).transpose()?,
        wallet: wallet.transpose()?,
        payouts: told
            .crypto_transaction_id
            .iter()
            .filter(|hash| !hash.is_empty())
            .map(|hash| short(hash))
            .collect(),
        // Each attempt is a transaction of its own; what was given back is over.
        may_retry: told.failure_reason.as_deref() != Some("refund"),
        reason,
    })
}

/// The base amount is told without the fees.
fn paid(told: &TransactionJson) -> Result<Option<FiatAmount>, RampError> {
    let (Some(named), Some(base)) = (&told.base_currency, &told.base_currency_amount) else {
        return Ok(None);
    };
    let currency =
        named.code.to_ascii_uppercase().parse().map_err(|_| nonsense("its currency is unknown"))?;
    let fees = [&told.fee_amount, &told.extra_fee_amount, &told.network_fee_amount];
    let total = fees.into_iter().flatten().try_fold(base.clone(), |sum, fee| sum.checked_add(fee))?;
    Ok(Some(total.near_fiat(currency)?))
}

/// MoonPay's reasons are codes of its own; people are told in words.
fn reason(code: Option<&str>) -> (String, String) {
    let (stable, words) = match code.unwrap_or_default() {
        "card_not_supported" => ("payment_declined", "This card is not accepted."),
        "daily_purchase_limit_exceeded" => ("limit_exceeded", "The provider's daily limit is reached."),
        "payment_authorization_declined" => ("payment_declined", "The bank has declined the payment."),
        "timeout_3d_secure" => ("payment_timeout", "The bank's confirmation did not come in time."),
        "timeout_bank_transfer" => ("payment_timeout", "The bank transfer did not come in time."),
        "timeout_kyc_verification" => ("verification_failed", "The verification was not finished in time."),
        "timeout_card_verification" => ("verification_failed", "The card was not verified in time."),
        "rejected_kyc" => ("verification_failed", "The provider could not verify the payer."),
        "rejected_card" => ("payment_declined", "The provider does not accept this card."),
        "rejected_other" => ("payment_failed", "The provider has rejected the purchase."),
        "cancelled" => ("payment_canceled", "The purchase was canceled."),
        "refund" => ("payment_refunded", "The payment was given back."),
        "failed_testnet_withdrawal" => ("provider_failed", "The provider's test delivery has failed."),
        _ => ("payment_failed", "The payment failed."),
    };
    (stable.to_owned(), words.to_owned())
}
