//! Maps MoonPay's JSON to the domain. Pure functions, tested with the fixtures in this folder.

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
use crate::offering_cache::{Asset, Offering, PaymentOption, in_range, method_id, token_id};
use crate::transport::sanitize;

/// How long an offer is shown: prices change by the minute.
const OFFER_VALIDITY: SignedDuration = SignedDuration::from_secs(120);

/// Payment methods and their currencies, as documented; every currency accepts cards. The API has no
/// list of them, and rejects unsupported combinations.
const PAYMENT_OPTIONS: [(&str, &str, &str); 9] = [
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

fn invalid(message: &str) -> RampError {
    RampError::Nonsense(message.to_owned())
}

/// Its assets, currencies and countries. Entries that cannot be read are skipped.
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
                offering.currencies.insert(currency, payment_options(currency, bounds));
            }
            Some("crypto") if !sandbox || listed.supports_test_mode => {
                let Some(metadata) = listed.metadata else { continue };
                let network = metadata.network_code.unwrap_or_default();
                let chain = metadata.chain_id.and_then(|id| id.raw_exact(0).ok());
                let chain = chain.and_then(|id| u64::try_from(id.get()).ok());
                let token = token_id(chain, &network, &listed.code, metadata.contract_address.as_deref());
                let asset = Asset { code: listed.code, network, decimals: listed.decimals };
                let assets = if listed.is_suspended { &mut offering.delisted } else { &mut offering.assets };
                assets.extend(token.map(|token| (token, asset)));
            }
            _ => {}
        }
    }
    offering.countries = countries.iter().flat_map(places).collect();
    if offering.assets.is_empty() || offering.currencies.is_empty() {
        return Err(invalid("its lists are empty"));
    }
    Ok(offering)
}

fn payment_options(currency: FiatCurrency, limits: Option<(FiatAmount, FiatAmount)>) -> Vec<PaymentOption> {
    let takes = |codes: &str| codes.is_empty() || codes.split(' ').any(|code| code == currency.code());
    let payment_options = PAYMENT_OPTIONS.iter().filter(|(_, _, codes)| takes(codes));
    let payment_option = |&(code, name, _): &(&str, &str, &str)| PaymentOption {
        method: PaymentMethod { id: method_id(code).to_owned(), name: name.to_owned() },
        code: code.to_owned(),
        limits,
    };
    payment_options.map(payment_option).collect()
}

/// A whole country, or the subdivisions where it sells.
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

/// The limits of one token and payment method.
pub(super) fn limits(
    answer: &LimitsJson,
    currency: FiatCurrency,
) -> Result<Option<(FiatAmount, FiatAmount)>, RampError> {
    let BoundsJson { code, min_buy_amount, max_buy_amount } = &answer.base_currency;
    if !code.eq_ignore_ascii_case(currency.code()) {
        return Err(invalid("its limits are in another currency"));
    }
    Ok(bounds(currency, min_buy_amount.as_ref(), max_buy_amount.as_ref()))
}

/// The offer of a quote, if it matches the ask.
pub(super) fn offer(
    quote: &QuoteJson,
    ask: &RampAsk,
    asset: &Asset,
    payment_option: &PaymentOption,
    limits: Option<(FiatAmount, FiatAmount)>,
    now: Timestamp,
) -> Result<RampOffer, RampError> {
    let named = quote.base_currency.as_ref().map(|named| &named.code).or(quote.base_currency_code.as_ref());
    if !named.is_some_and(|named| named.eq_ignore_ascii_case(ask.currency.code())) {
        return Err(invalid("the quote is in another currency"));
    }
    if quote.currency.as_ref().is_some_and(|named| !named.code.eq_ignore_ascii_case(&asset.code)) {
        return Err(invalid("the quote is for another token"));
    }
    let pays = quote.total_amount.near_fiat(ask.currency)?;
    let delivers = quote.quote_currency_amount.raw_down(ask.asset.decimals)?;
    match ask.amount {
        WantedAmount::Pay(asked) if asked != pays => return Err(invalid("the quote is for another amount")),
        WantedAmount::Receive(asked) if delivers < asked => {
            return Err(invalid("the quote delivers less than was asked"));
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
        methods: vec![payment_option.method.clone()],
        limits,
        expires_at: now.checked_add(OFFER_VALIDITY).map_err(|_| invalid("its offer has no valid expiry"))?,
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

/// The report of one attempt at our order.
pub(super) fn attempt(
    transaction: &TransactionJson,
    order: &FiatOrder,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
    let is_other = |named: &CodeJson| {
        offering.is_some_and(|offering| offering.is_other_token(&order.sold, &named.code, None))
    };
    if transaction.currency.as_ref().is_some_and(is_other) {
        return Err(invalid("it reports another token under the order's id"));
    }
    report(transaction, offering)
}

/// The report of a purchase. `offering` identifies the token; an unlisted token is left open.
pub(super) fn report(
    transaction: &TransactionJson,
    offering: Option<&Offering>,
) -> Result<RampReport, RampError> {
    let named = offering.zip(transaction.currency.as_ref());
    let token = named.and_then(|(offering, named)| offering.token(&named.code, None));
    let decimals = token.zip(offering).and_then(|(token, all)| all.find_asset(&token)?.decimals);
    let amount = transaction.quote_currency_amount.as_ref().filter(|amount| !amount.is_zero()).zip(decimals);
    let wallet = transaction.wallet_address.as_deref().map(|text| {
        let read = match token {
            Some(token) => Address::parse_any_case(token.chain().family(), text).ok(),
            None => Address::parse_any(text),
        };
        read.ok_or_else(|| invalid("its wallet is not a valid address"))
    });
    let state = state(&transaction.status);
    let reason = (state == RampState::Failed).then(|| reason(transaction.failure_reason.as_deref()));
    Ok(RampReport {
        state,
        provider_order: Some(sanitize(&transaction.id)),
        paid: paid(transaction)?,
        asset: token,
        amount: amount.map(|(amount, decimals)| amount.raw_down(decimals)).transpose()?,
        wallet: wallet.transpose()?,
        payouts: transaction
            .crypto_transaction_id
            .iter()
            .filter(|hash| !hash.is_empty())
            .map(|hash| sanitize(hash))
            .collect(),
        // Each attempt is its own transaction; a refunded one is final.
        may_retry: transaction.failure_reason.as_deref() != Some("refund"),
        reason,
    })
}

/// The base amount is without fees.
fn paid(transaction: &TransactionJson) -> Result<Option<FiatAmount>, RampError> {
    let (Some(named), Some(base)) = (&transaction.base_currency, &transaction.base_currency_amount) else {
        return Ok(None);
    };
    let currency = named.code.to_ascii_uppercase().parse().map_err(|_| invalid("its currency is unknown"))?;
    let fees = [&transaction.fee_amount, &transaction.extra_fee_amount, &transaction.network_fee_amount];
    let total = fees.into_iter().flatten().try_fold(base.clone(), |sum, fee| sum.checked_add(fee))?;
    Ok(Some(total.near_fiat(currency)?))
}

/// Maps MoonPay's failure codes to our codes and messages.
fn reason(code: Option<&str>) -> (String, String) {
    let (stable, message) = match code.unwrap_or_default() {
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
        "refund" => ("payment_refunded", "The payment was refunded."),
        "failed_testnet_withdrawal" => ("provider_failed", "The provider's test delivery has failed."),
        _ => ("payment_failed", "The payment failed."),
    };
    (stable.to_owned(), message.to_owned())
}
