//! The positional encoding of what a sealed route holds, about 200 bytes long.

use alloy_primitives::hex;
use jiff::Timestamp;

use super::RouteTerms;
use super::bytes::{Decoder, Encoder};
use crate::ports::Offer;
use crate::{
    DepositMethod, DepositWindow, GasCharge, JoinedTerms, Parties, ProviderTerms, Quote, QuoteId, Referral,
    Slippage, TradeType,
};

/// The versions of the encoding. The second adds what is charged for gas, and is written where that is known. The third is
/// written for routes that a provider settles, and adds what a build asks the provider for. The fourth is written where the
/// payer asked for more time for the deposit, and adds that time and, if it is known, what is charged for gas. The fifth
/// is written for joined routes, and adds the second leg to the third.
const WITHOUT_GAS: u8 = 1;
pub(super) const WITH_GAS: u8 = 2;
pub(super) const WITH_PROVIDER: u8 = 3;
pub(super) const WITH_WINDOW: u8 = 4;
pub(super) const WITH_SECOND_LEG: u8 = 5;

// These codes are in the hands of clients and never change their meaning.
const fn trade_type(value: TradeType) -> u8 {
    match value {
        TradeType::ExactInput => 0,
        TradeType::ExactOutput => 1,
    }
}

const fn method(value: DepositMethod) -> u8 {
    match value {
        DepositMethod::ContractCall => 0,
        DepositMethod::Permit2 => 1,
        DepositMethod::Transfer => 2,
        DepositMethod::Authorization => 3,
        DepositMethod::Permit => 4,
    }
}

const TRADE_TYPES: [TradeType; 2] = [TradeType::ExactInput, TradeType::ExactOutput];

/// Writes an offer. Times are cut to milliseconds.
pub(super) fn write(out: &mut Encoder, quote: &Quote, filler: &str, kind: &str, offer: &Offer) {
    out.byte(match (&offer.provider, quote.ask.deposit_window, offer.gas_charge) {
        (Some(provider), ..) if provider.joined.is_some() => WITH_SECOND_LEG,
        (Some(_), ..) => WITH_PROVIDER,
        (None, Some(_), _) => WITH_WINDOW,
        (None, None, Some(_)) => WITH_GAS,
        (None, None, None) => WITHOUT_GAS,
    });
    write_id(out, &quote.id);
    let ask = &quote.ask;
    out.byte(trade_type(ask.trade_type));
    out.token(ask.from);
    out.token(ask.to);
    out.address(ask.from_address);
    out.address(ask.recipient);
    out.address(ask.refund_to);
    option(out, ask.referral, |out, referral| {
        out.address(referral.referrer);
        out.number(referral.fee_bps().into());
    });
    option(out, quote.integrator.as_deref(), Encoder::text);
    out.text(filler);
    out.text(kind);
    option(out, offer.filler_quote.as_deref(), Encoder::text);
    out.count(offer.deposit_methods.len());
    for offered in &offer.deposit_methods {
        out.byte(method(*offered));
    }
    out.amount(offer.amount_in);
    out.amount(offer.amount_out);
    out.amount(offer.min_amount_out);
    out.signed(offer.valid_before.as_millisecond());
    option(out, offer.parties, |out, parties| {
        out.address(parties.filler);
        out.address(parties.payee);
    });
    if let Some(provider) = &offer.provider {
        out.text(&provider.terms.tool);
        out.number(provider.terms.slippage.millionths().into());
        if let Some(joined) = &provider.joined {
            out.token(joined.hub);
            out.amount(joined.hub_amount);
            out.text(&joined.filler);
            out.address(joined.refund_to);
        }
    } else if let Some(window) = ask.deposit_window {
        out.number(window.seconds());
        option(out, offer.gas_charge, write_charge);
    } else if let Some(charge) = offer.gas_charge {
        write_charge(out, charge);
    }
}

fn write_charge(out: &mut Encoder, charge: GasCharge) {
    out.amount(charge.fill);
    out.amount(charge.claim);
    out.amount(charge.opening);
}

fn write_id(out: &mut Encoder, id: &QuoteId) {
    let mut bytes = [0; 22];
    let digits = id.as_str();
    let bytes = bytes.get_mut(..digits.len() / 2).unwrap_or_default();
    // An id is hex digits of this length, or it would not be one.
    let _ = hex::decode_to_slice(digits, bytes);
    out.short(bytes);
}

fn option<T>(out: &mut Encoder, value: Option<T>, write: impl FnOnce(&mut Encoder, T)) {
    out.byte(u8::from(value.is_some()));
    if let Some(value) = value {
        write(out, value);
    }
}

/// Reads any version; `None` if the bytes are invalid or of a later version.
pub(super) fn read(bytes: &[u8]) -> Option<RouteTerms> {
    let mut read = Decoder::new(bytes);
    match read.byte()? {
        WITHOUT_GAS => read_version_1(&mut read).filter(|_| read.is_at_end()),
        WITH_GAS => read_version_2(&mut read).filter(|_| read.is_at_end()),
        WITH_PROVIDER => read_version_3(&mut read).filter(|_| read.is_at_end()),
        WITH_WINDOW => read_version_4(&mut read).filter(|_| read.is_at_end()),
        WITH_SECOND_LEG => read_version_5(&mut read).filter(|_| read.is_at_end()),
        _ => None,
    }
}

fn read_version_2(read: &mut Decoder<'_>) -> Option<RouteTerms> {
    let terms = read_version_1(read)?;
    Some(RouteTerms { gas_charge: Some(read_charge(read)?), ..terms })
}

fn read_charge(read: &mut Decoder<'_>) -> Option<GasCharge> {
    Some(GasCharge { fill: read.amount()?, claim: read.amount()?, opening: read.amount()? })
}

fn read_version_4(read: &mut Decoder<'_>) -> Option<RouteTerms> {
    let terms = read_version_1(read)?;
    let deposit_window = Some(DepositWindow::new(read.number()?)?);
    Some(RouteTerms { deposit_window, gas_charge: maybe(read, read_charge).ok()?, ..terms })
}

fn read_version_5(read: &mut Decoder<'_>) -> Option<RouteTerms> {
    let terms = read_version_3(read)?;
    let joined = JoinedTerms {
        hub: read.token()?,
        hub_amount: read.amount()?,
        filler: read.text()?.to_owned(),
        refund_to: read.address()?,
    };
    Some(RouteTerms { joined: Some(joined), ..terms })
}

fn read_version_3(read: &mut Decoder<'_>) -> Option<RouteTerms> {
    let terms = read_version_1(read)?;
    let tool = read.text()?.to_owned();
    let slippage = Slippage::from_millionths(u32::try_from(read.number()?).ok()?)?;
    Some(RouteTerms { provider: Some(ProviderTerms { tool, slippage }), ..terms })
}

fn read_version_1(read: &mut Decoder<'_>) -> Option<RouteTerms> {
    Some(RouteTerms {
        quote: hex::encode(read.short()?).parse().ok()?,
        trade_type: one_of(&TRADE_TYPES, trade_type, read)?,
        from: read.token()?,
        to: read.token()?,
        from_address: read.address()?,
        recipient: read.address()?,
        refund_to: read.address()?,
        referral: maybe(read, |read| {
            let referrer = read.address()?;
            Referral::new(referrer, u16::try_from(read.number()?).ok()?)
        })
        .ok()?,
        deposit_window: None,
        integrator: maybe(read, Decoder::text).ok()?.map(str::to_owned),
        filler: read.text()?.to_owned(),
        kind: read.text()?.to_owned(),
        filler_quote: maybe(read, Decoder::text).ok()?.map(str::to_owned),
        deposit_methods: read_methods(read)?,
        amount_in: read.amount()?,
        amount_out: read.amount()?,
        min_amount_out: read.amount()?,
        valid_before: Timestamp::from_millisecond(read.signed()?).ok()?,
        parties: maybe(read, |read| Some(Parties { filler: read.address()?, payee: read.address()? }))
            .ok()?,
        gas_charge: None,
        provider: None,
        joined: None,
    })
}

/// Invalid bytes, where `None` is a valid value.
struct Invalid;

fn maybe<'a, T>(
    read: &mut Decoder<'a>,
    one: impl FnOnce(&mut Decoder<'a>) -> Option<T>,
) -> Result<Option<T>, Invalid> {
    match read.byte() {
        Some(0) => Ok(None),
        Some(1) => one(read).map(Some).ok_or(Invalid),
        _ => Err(Invalid),
    }
}

fn read_methods(read: &mut Decoder<'_>) -> Option<Vec<DepositMethod>> {
    let count = read.count()?;
    (0..count).map(|_| one_of(&DepositMethod::ALL, method, read)).collect()
}

fn one_of<T: Copy>(all: &[T], code: impl Fn(T) -> u8, read: &mut Decoder<'_>) -> Option<T> {
    let byte = read.byte()?;
    all.iter().copied().find(|value| code(*value) == byte)
}
