mod bytes;
mod codec;
#[cfg(test)]
mod tests;

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use sha2::Sha256;
use thiserror::Error;

use self::bytes::Encoder;
use crate::ports::Offer;
use crate::{
    Address, DepositMethod, DepositWindow, GasCharge, JoinedTerms, Parties, ProviderTerms, Quote, QuoteId,
    QuoteKey, QuoteKeys, RawAmount, Referral, Route, RouteId, TokenId, TradeType,
};

/// Length of the tag at the end of a sealed route.
const TAG_BYTES: usize = 16;

/// The sealed bytes of the longest route id.
const MAX_BYTES: usize = RouteId::MAX_LENGTH / 4 * 3;

/// Most routes take less.
const TYPICAL_BYTES: usize = 320;

/// The first byte of HMAC-SHA256 over this is the key's id …
const KEY_ID: &[u8] = b"causeway quote key id";

/// … and all of it over this is the key of the tags, which therefore never match those of an order's terms.
const SEAL_KEY: &[u8] = b"causeway sealed routes";

/// What an order is built from: the terms of one route, as its id carries them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteTerms {
    pub quote: QuoteId,
    pub trade_type: TradeType,
    pub from: TokenId,
    pub to: TokenId,
    pub from_address: Address,
    pub recipient: Address,
    pub refund_to: Address,
    pub referral: Option<Referral>,
    pub deposit_window: Option<DepositWindow>,
    pub integrator: Option<String>,
    /// Name and kind of the filler.
    pub filler: String,
    pub kind: String,
    /// The filler's own id of its offer.
    pub filler_quote: Option<String>,
    pub deposit_methods: Vec<DepositMethod>,
    pub amount_in: RawAmount,
    pub amount_out: RawAmount,
    pub min_amount_out: RawAmount,
    pub valid_before: Timestamp,
    /// The filler's addresses at the escrow; absent where third-party contracts are used.
    pub parties: Option<Parties>,
    /// What the price contains for the fees of the filler's transactions; absent where the filler does not say.
    pub gas_charge: Option<GasCharge>,
    /// Present where the filler settles through contracts of its own.
    pub provider: Option<ProviderTerms>,
    /// Present where the provider's leg is followed by one of ours.
    pub joined: Option<JoinedTerms>,
}

impl RouteTerms {
    /// The terms of a route that was quoted in this process.
    pub fn new(quote: &Quote, route: &Route) -> Self {
        let ask = &quote.ask;
        Self {
            quote: quote.id.clone(),
            trade_type: ask.trade_type,
            from: ask.from,
            to: ask.to,
            from_address: ask.from_address,
            recipient: ask.recipient,
            refund_to: ask.refund_to,
            referral: ask.referral,
            deposit_window: ask.deposit_window,
            integrator: quote.integrator.clone(),
            filler: route.filler.clone(),
            kind: route.kind.clone(),
            filler_quote: route.filler_quote.clone(),
            deposit_methods: route.deposit_methods.clone(),
            amount_in: route.amount_in,
            amount_out: route.amount_out,
            min_amount_out: route.min_amount_out,
            valid_before: route.valid_before,
            parties: route.parties,
            gas_charge: route.gas_charge,
            provider: route.provider.as_ref().map(|provider| provider.terms.clone()),
            joined: route.provider.as_ref().and_then(|provider| provider.joined.clone()),
        }
    }
}

/// The route does not fit into an id.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the route takes {0} bytes, and an id holds {MAX_BYTES}")]
pub struct RouteTooLong(usize);

/// Why a route id cannot be opened.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OpenRouteError {
    /// None of our keys has sealed it, or it was changed since.
    #[error("the routeId is not one of ours, or was changed")]
    NotSealed,
    /// It belongs to another quote than the given one.
    #[error("the routeId belongs to another quoteId")]
    OtherQuote,
}

/// Seals routes into their ids and opens them again, so that nothing is stored for a quote.
///
/// A route id is URL-safe base64 of: the key's id, a version, the terms, and 16 bytes of HMAC-SHA256 over all of these.
/// The terms are readable for whoever has the id: all of them are known to the client or public on the chain.
#[derive(Clone)]
pub struct RouteSeal {
    current: SealKey,
    older: Vec<SealKey>,
}

#[derive(Clone)]
struct SealKey {
    id: u8,
    mac: Hmac<Sha256>,
}

impl SealKey {
    fn new(key: &QuoteKey) -> Self {
        let derive = |label: &[u8]| -> [u8; 32] {
            mac_with(key.as_bytes()).chain_update(label).finalize().into_bytes().into()
        };
        let [id, ..] = derive(KEY_ID);
        Self { id, mac: mac_with(&derive(SEAL_KEY)) }
    }

    fn over(&self, bytes: &[u8]) -> Hmac<Sha256> {
        self.mac.clone().chain_update(bytes)
    }
}

/// A key shorter than a block is padded with zeros, as HMAC specifies.
fn mac_with(key: &[u8; 32]) -> Hmac<Sha256> {
    let mut block = [0; 64];
    for (byte, source) in block.iter_mut().zip(key) {
        *byte = *source;
    }
    Hmac::new(&block.into())
}

impl RouteSeal {
    pub fn new(keys: &QuoteKeys) -> Self {
        Self { current: SealKey::new(&keys.current), older: keys.older.iter().map(SealKey::new).collect() }
    }

    /// The id of a filler's offer for a quote.
    pub fn seal(
        &self,
        quote: &Quote,
        filler: &str,
        kind: &str,
        offer: &Offer,
    ) -> Result<RouteId, RouteTooLong> {
        let mut out = Encoder::with_capacity(TYPICAL_BYTES);
        out.byte(self.current.id);
        codec::write(&mut out, quote, filler, kind, offer);
        let mut bytes = out.bytes;
        let tag = self.current.over(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(tag.get(..TAG_BYTES).unwrap_or_default());
        if bytes.len() > MAX_BYTES {
            return Err(RouteTooLong(bytes.len()));
        }
        Ok(RouteId::from_sealed(URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// What the id of a route of this quote holds, whatever its age.
    pub fn open(&self, quote: &QuoteId, route: &RouteId) -> Result<RouteTerms, OpenRouteError> {
        let terms = self.verified(route).ok_or(OpenRouteError::NotSealed)?;
        if terms.quote == *quote { Ok(terms) } else { Err(OpenRouteError::OtherQuote) }
    }

    fn verified(&self, route: &RouteId) -> Option<RouteTerms> {
        // Padding and unused bits that are set are refused, so that the same bytes have one text.
        let bytes = URL_SAFE_NO_PAD.decode(route.as_str()).ok()?;
        let (sealed, tag) = bytes.split_last_chunk::<TAG_BYTES>()?;
        let (id, terms) = sealed.split_first()?;
        let mut keys = std::iter::once(&self.current).chain(&self.older).filter(|key| key.id == *id);
        if keys.any(|key| key.over(sealed).verify_truncated_left(tag).is_ok()) {
            codec::read(terms)
        } else {
            None
        }
    }
}

impl fmt::Debug for RouteSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RouteSeal(…)")
    }
}
