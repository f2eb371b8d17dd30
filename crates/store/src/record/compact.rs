//! The positional encoding of a quote in a batch, a few hundred bytes long.

use std::borrow::Cow;

use alloy_primitives::hex;
use causeway_domain::{
    Ask, DepositMethod, ExactOutMethod, Fee, FeeKind, Parties, Quote, Referral, Route, RowKey, Slippage,
    TradeType,
};
use jiff::Timestamp;

use super::bytes::{Decoder, Encoder};
use super::text;

/// The first byte of every record: the version of the encoding.
const VERSION: u8 = 1;
/// The initial capacity; most quotes take less.
const CAPACITY: usize = 640;

// These codes are stored and never change their meaning.
const fn trade_type(value: TradeType) -> u8 {
    match value {
        TradeType::ExactInput => 0,
        TradeType::ExactOutput => 1,
    }
}

const fn exact_out(value: Option<ExactOutMethod>) -> u8 {
    match value {
        None => 0,
        Some(ExactOutMethod::Native) => 1,
        Some(ExactOutMethod::Adaptive) => 2,
    }
}

const fn method(value: DepositMethod) -> u8 {
    match value {
        DepositMethod::ContractCall => 0,
        DepositMethod::Permit2 => 1,
        DepositMethod::Transfer => 2,
    }
}

const fn fee_kind(value: FeeKind) -> u8 {
    match value {
        FeeKind::Filler => 0,
        FeeKind::Gas => 1,
        FeeKind::Referrer => 2,
        FeeKind::Protocol => 3,
    }
}

const TRADE_TYPES: [TradeType; 2] = [TradeType::ExactInput, TradeType::ExactOutput];
const EXACT_OUTS: [Option<ExactOutMethod>; 3] =
    [None, Some(ExactOutMethod::Native), Some(ExactOutMethod::Adaptive)];
const METHODS: [DepositMethod; 3] =
    [DepositMethod::ContractCall, DepositMethod::Permit2, DepositMethod::Transfer];
const FEE_KINDS: [FeeKind; 4] = [FeeKind::Filler, FeeKind::Gas, FeeKind::Referrer, FeeKind::Protocol];

pub(super) fn write(quote: &Quote) -> Vec<u8> {
    let quote = clean(quote);
    let mut out = Encoder::with_capacity(CAPACITY);
    out.byte(VERSION);
    let mut id = [0; 22];
    let digits = quote.id.as_str();
    let id = id.get_mut(..digits.len() / 2).unwrap_or_default();
    // An id is hex digits of this length, or it would not be one.
    let _ = hex::decode_to_slice(digits, id);
    out.short(id);
    out.number(quote.key.get().cast_unsigned());
    let made = quote.created_at.as_millisecond();
    out.signed(made);
    write_ask(&mut out, &quote.ask);
    option(&mut out, quote.integrator.as_deref(), Encoder::text);
    out.count(quote.routes.len());
    for route in &quote.routes {
        write_route(&mut out, route, made);
    }
    out.bytes
}

fn write_ask(out: &mut Encoder<'_>, ask: &Ask) {
    out.byte(trade_type(ask.trade_type));
    out.token(ask.from);
    out.token(ask.to);
    out.amount(ask.amount);
    out.address(ask.from_address);
    out.address(ask.recipient);
    out.address(ask.refund_to);
    option(out, ask.slippage, |out, slippage| out.number(slippage.millionths().into()));
    option(out, ask.referral, |out, referral| {
        out.address(referral.referrer);
        out.number(referral.fee_bps().into());
    });
}

/// Times are written relative to `made`.
fn write_route<'a>(out: &mut Encoder<'a>, route: &'a Route, made: i64) {
    let after = |time: Timestamp| time.as_millisecond().wrapping_sub(made);
    out.text(&route.filler);
    out.text(route.id.as_str());
    out.text(&route.kind);
    out.byte(exact_out(route.exact_out));
    out.count(route.deposit_methods.len());
    for offered in &route.deposit_methods {
        out.byte(method(*offered));
    }
    out.amount(route.amount_in);
    out.amount(route.amount_out);
    out.amount(route.min_amount_out);
    out.number(route.expected_duration_seconds.into());
    out.signed(after(route.valid_before));
    option(out, route.price_holds_until, |out, time| out.signed(after(time)));
    option(out, route.estimated_gas, Encoder::amount);
    out.count(route.fees.len());
    for fee in &route.fees {
        out.byte(fee_kind(fee.kind));
        out.token(fee.token);
        out.amount(fee.amount);
    }
    option(out, route.parties, |out, parties| {
        out.address(parties.filler);
        out.address(parties.payee);
    });
}

fn option<'a, T>(out: &mut Encoder<'a>, value: Option<T>, write: impl FnOnce(&mut Encoder<'a>, T)) {
    out.byte(u8::from(value.is_some()));
    if let Some(value) = value {
        write(out, value);
    }
}

/// Replaces NUL as rows do, so that a quote reads the same after it was copied into a row.
fn clean(quote: &Quote) -> Cow<'_, Quote> {
    let has_nul = |text: &str| text.contains('\0');
    let routes_have_nul = || quote.routes.iter().any(|route| has_nul(&route.filler) || has_nul(&route.kind));
    if !quote.integrator.as_deref().is_some_and(has_nul) && !routes_have_nul() {
        return Cow::Borrowed(quote);
    }
    let mut quote = quote.clone();
    quote.integrator = quote.integrator.as_deref().map(text);
    for route in &mut quote.routes {
        (route.filler, route.kind) = (text(&route.filler), text(&route.kind));
    }
    Cow::Owned(quote)
}

/// The bytes of the id at the beginning of a record.
pub(super) fn id_of(bytes: &[u8]) -> Option<&[u8]> {
    let mut read = Decoder::new(bytes);
    if read.byte()? == VERSION { read.short() } else { None }
}

/// Decodes a record; `None` if it is invalid.
pub(super) fn read(bytes: &[u8]) -> Option<Quote> {
    let mut read = Decoder::new(bytes);
    if read.byte()? != VERSION {
        return None;
    }
    let id = hex::encode(read.short()?).parse().ok()?;
    let key = RowKey::new(i64::try_from(read.number()?).ok()?)?;
    let made = read.signed()?;
    let ask = read_ask(&mut read)?;
    let integrator = maybe(&mut read, Decoder::text).ok()?.map(str::to_owned);
    let routes = many(&mut read, |read| read_route(read, made))?;
    let created_at = Timestamp::from_millisecond(made).ok()?;
    read.is_at_end().then_some(Quote { id, key, ask, integrator, created_at, routes })
}

fn read_ask(read: &mut Decoder<'_>) -> Option<Ask> {
    Some(Ask {
        trade_type: one_of(&TRADE_TYPES, trade_type, read)?,
        from: read.token()?,
        to: read.token()?,
        amount: read.amount()?,
        from_address: read.address()?,
        recipient: read.address()?,
        refund_to: read.address()?,
        slippage: maybe(read, |read| Slippage::from_millionths(u32::try_from(read.number()?).ok()?)).ok()?,
        deposit_methods: Vec::new(),
        referral: maybe(read, |read| {
            let referrer = read.address()?;
            Referral::new(referrer, u16::try_from(read.number()?).ok()?)
        })
        .ok()?,
    })
}

fn read_route(read: &mut Decoder<'_>, made: i64) -> Option<Route> {
    let time = |read: &mut Decoder<'_>| Timestamp::from_millisecond(made.wrapping_add(read.signed()?)).ok();
    Some(Route {
        filler: read.text()?.to_owned(),
        id: read.text()?.parse().ok()?,
        kind: read.text()?.to_owned(),
        exact_out: one_of(&EXACT_OUTS, exact_out, read)?,
        deposit_methods: many(read, |read| one_of(&METHODS, method, read))?,
        amount_in: read.amount()?,
        amount_out: read.amount()?,
        min_amount_out: read.amount()?,
        expected_duration_seconds: u32::try_from(read.number()?).ok()?,
        valid_before: time(read)?,
        price_holds_until: maybe(read, time).ok()?,
        estimated_gas: maybe(read, Decoder::amount).ok()?,
        fees: many(read, |read| {
            Some(Fee {
                kind: one_of(&FEE_KINDS, fee_kind, read)?,
                token: read.token()?,
                amount: read.amount()?,
            })
        })?,
        parties: maybe(read, |read| Some(Parties { filler: read.address()?, payee: read.address()? }))
            .ok()?,
    })
}

/// Invalid bytes, where `None` is a valid value.
struct Damaged;

fn maybe<'a, T>(
    read: &mut Decoder<'a>,
    one: impl FnOnce(&mut Decoder<'a>) -> Option<T>,
) -> Result<Option<T>, Damaged> {
    match read.byte() {
        Some(0) => Ok(None),
        Some(1) => one(read).map(Some).ok_or(Damaged),
        _ => Err(Damaged),
    }
}

fn many<'a, T>(read: &mut Decoder<'a>, mut one: impl FnMut(&mut Decoder<'a>) -> Option<T>) -> Option<Vec<T>> {
    let count = read.count()?;
    (0..count).map(|_| one(read)).collect()
}

fn one_of<T: Copy>(all: &[T], code: impl Fn(T) -> u8, read: &mut Decoder<'_>) -> Option<T> {
    let byte = read.byte()?;
    all.iter().copied().find(|value| code(*value) == byte)
}

#[cfg(test)]
pub(super) mod tests {
    use causeway_domain::{Address, ChainId, QuoteId, RawAmount, SOLANA_CHAIN_ID, TokenId};
    use proptest::prelude::*;

    use super::*;
    use crate::record::route::tests::any_route;

    fn any_address() -> impl Strategy<Value = Address> {
        prop_oneof![
            any::<[u8; 20]>().prop_map(|bytes| Address::Evm(bytes.into())),
            any::<[u8; 32]>().prop_map(Address::Solana),
        ]
    }

    fn any_token() -> impl Strategy<Value = TokenId> {
        let evm = (1u64..=ChainId::MAX, any::<[u8; 20]>())
            .prop_filter_map("a chain of Solana", |(chain, bytes)| {
                TokenId::from_address(ChainId::new(chain)?, Address::Evm(bytes.into()))
            });
        let solana = any::<[u8; 32]>()
            .prop_map(|mint| TokenId::from_address(SOLANA_CHAIN_ID, Address::Solana(mint)).unwrap());
        prop_oneof![evm, solana]
    }

    prop_compose! {
        fn any_ask()(
            trade_type in prop::sample::select(&TRADE_TYPES[..]),
            tokens in (any_token(), any_token()),
            amount in any::<[u64; 4]>(),
            addresses in (any_address(), any_address(), any_address()),
            slippage in prop::option::of(0u32..=500_000),
            referral in prop::option::of((any_address(), 0u16..=Referral::MAX_FEE_BPS)),
        ) -> Ask {
            Ask {
                trade_type,
                from: tokens.0,
                to: tokens.1,
                amount: RawAmount::new(alloy_primitives::U256::from_limbs(amount)),
                from_address: addresses.0,
                recipient: addresses.1,
                refund_to: addresses.2,
                slippage: slippage.map(|millionths| Slippage::from_millionths(millionths).unwrap()),
                deposit_methods: Vec::new(),
                referral: referral.map(|(referrer, fee)| Referral::new(referrer, fee).unwrap()),
            }
        }
    }

    prop_compose! {
        pub(in crate::record) fn any_quote()(
            id in "[0-9a-f]{44}|[0-9a-f]{32}",
            key in 0i64..1 << 53,
            ask in any_ask(),
            integrator in prop::option::of("[^\0]{0,40}"),
            made in Timestamp::MIN.as_millisecond()..Timestamp::MAX.as_millisecond(),
            routes in prop::collection::vec(any_route(), 0..4),
        ) -> Quote {
            Quote {
                id: id.parse::<QuoteId>().unwrap(),
                key: RowKey::new(key).unwrap(),
                ask,
                integrator,
                created_at: Timestamp::from_millisecond(made).unwrap(),
                routes,
            }
        }
    }

    proptest! {
        #[test]
        fn any_quote_reads_back(quote in any_quote()) {
            let bytes = write(&quote);
            prop_assert_eq!(hex::encode(id_of(&bytes).unwrap()), quote.id.as_str());
            prop_assert_eq!(read(&bytes).unwrap(), quote);
        }

        #[test]
        fn a_truncated_or_extended_record_is_rejected(quote in any_quote(), cut in any::<prop::sample::Index>()) {
            let mut bytes = write(&quote);
            prop_assert!(read(&bytes[..cut.index(bytes.len())]).is_none());
            bytes.push(0);
            prop_assert!(read(&bytes).is_none());
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
            let _ = id_of(&bytes);
        }

        #[test]
        fn a_damaged_record_is_read_or_refused_without_panic(
            quote in any_quote(), place in any::<prop::sample::Index>(), byte in any::<u8>(),
        ) {
            let mut bytes = write(&quote);
            let place = place.index(bytes.len());
            bytes[place] = byte;
            let _ = read(&bytes);
        }
    }
}
