use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use thiserror::Error;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum IdError {
    #[error("an id is 32 or 44 lower-case hex digits")]
    Form,
    #[error("a route id is 1 to 1024 letters, digits, `-`, `_` or `.`")]
    Route,
    #[error("the system gave no random bytes")]
    NoRandomness,
}

/// How many random bytes to request at once, because the system call is expensive.
const POOL: usize = 512;

thread_local! {
    /// Unused random bytes and their count.
    static RANDOM: RefCell<([u8; POOL], usize)> = const { RefCell::new(([0; POOL], 0)) };
}

/// 128 random bits, so that public ids cannot be guessed or enumerated.
fn random_bytes() -> Result<[u8; 16], IdError> {
    RANDOM.with_borrow_mut(|(pool, left)| {
        if *left == 0 {
            getrandom::fill(pool).map_err(|_| IdError::NoRandomness)?;
            *left = POOL;
        }
        let taken = pool.get_mut(*left - 16..*left).and_then(|bytes| bytes.first_chunk_mut());
        *left -= 16;
        // Taken out, so that no byte is used twice.
        taken.map(std::mem::take).ok_or(IdError::NoRandomness)
    })
}

fn random_hex() -> Result<String, IdError> {
    random_bytes().map(alloy_primitives::hex::encode)
}

/// A timestamp, then 128 random bits, so that ids written together are adjacent in an index.
fn timed_hex(at: Timestamp) -> Result<String, IdError> {
    let moment = at.as_millisecond().clamp(0, (1 << 48) - 1).to_be_bytes();
    let mut bytes = [0; 22];
    let random = random_bytes()?;
    for (byte, source) in bytes.iter_mut().zip(moment.iter().skip(2).chain(&random)) {
        *byte = *source;
    }
    Ok(alloy_primitives::hex::encode(bytes))
}

fn is_lower_hex(text: &str) -> bool {
    matches!(text.len(), 32 | 44) && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

macro_rules! public_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                if is_lower_hex(text) { Ok(Self(text.to_owned())) } else { Err(IdError::Form) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

public_id!(
    /// The public id of a quote.
    QuoteId
);
public_id!(
    /// The public id of an order.
    OrderId
);
public_id!(
    /// The public id of a provider's offer.
    FiatQuoteId
);
public_id!(
    /// The public id of a purchase, also known to its provider.
    FiatOrderId
);

impl FiatQuoteId {
    /// A new time-ordered random id.
    pub fn random() -> Result<Self, IdError> {
        timed_hex(Timestamp::now()).map(Self)
    }
}

impl FiatOrderId {
    /// A new random id.
    pub fn random() -> Result<Self, IdError> {
        random_hex().map(Self)
    }
}

impl QuoteId {
    /// A new time-ordered random id.
    pub fn random() -> Result<Self, IdError> {
        timed_hex(Timestamp::now()).map(Self)
    }
}

impl QuoteId {
    /// The random part, 32 hex digits, which also name the trace of the swap.
    pub fn trace_id(&self) -> &str {
        let start = self.0.len().saturating_sub(32);
        self.0.get(start..).unwrap_or_default()
    }
}

impl OrderId {
    /// A new random id.
    pub fn random() -> Result<Self, IdError> {
        random_hex().map(Self)
    }
}

/// Whether this can be the name of a filler: 1 to 64 letters, digits, `-`, `_` or `.`.
pub fn is_filler_name(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(is_route_character)
}

/// The characters of URL-safe base64, and the point of ids from before routes were sealed.
fn is_route_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// The id of one filler's offer: the offer itself, sealed by [`RouteSeal`](crate::RouteSeal).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RouteId(String);

impl RouteId {
    pub const MAX_LENGTH: usize = 1_024;

    /// The text is URL-safe base64 of a bounded length.
    pub(crate) const fn from_sealed(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RouteId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=Self::MAX_LENGTH).contains(&text.len());
        if fits && text.bytes().all(is_route_character) {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError::Route)
        }
    }
}

impl fmt::Display for RouteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_ids_have_128_random_bits_and_round_trip() {
        let (one, two) = (OrderId::random().unwrap(), OrderId::random().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.as_str().len(), 32);
        assert_eq!(one.to_string().parse(), Ok(one));
    }

    #[test]
    fn quote_ids_are_time_ordered_with_128_random_bits() {
        let at = |text: &str| timed_hex(text.parse().unwrap()).unwrap();
        let (early, late) = (at("2026-11-15T12:00:00Z"), at("2026-11-15T12:00:00.001Z"));
        assert!(early < late && early[..11] == late[..11] && early[12..] != late[12..], "{early} {late}");
        let id = QuoteId::random().unwrap();
        assert_eq!(id.as_str().len(), 12 + 32);
        assert_eq!(id.trace_id(), &id.as_str()[12..]);
        assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn no_two_ids_share_their_random_bits() {
        let ids: std::collections::HashSet<_> =
            (0..1_000).map(|_| QuoteId::random().unwrap().as_str()[12..].to_owned()).collect();
        assert_eq!(ids.len(), 1_000);
    }

    #[test]
    fn malformed_ids_are_rejected() {
        for text in ["", "abc", &"A".repeat(32), &"g".repeat(32), &"a".repeat(33)] {
            assert_eq!(text.parse::<OrderId>(), Err(IdError::Form), "{text}");
        }
        assert_eq!("a/b".parse::<RouteId>(), Err(IdError::Route));
        assert_eq!("".parse::<RouteId>(), Err(IdError::Route));
        assert!("a".repeat(RouteId::MAX_LENGTH).parse::<RouteId>().is_ok());
        assert_eq!("a".repeat(RouteId::MAX_LENGTH + 1).parse::<RouteId>(), Err(IdError::Route));
    }

    #[test]
    fn filler_names_are_short_and_plain() {
        assert!(is_filler_name("north-2.eu_x") && is_filler_name(&"a".repeat(64)));
        assert!(!is_filler_name("") && !is_filler_name("a b") && !is_filler_name(&"a".repeat(65)));
    }
}
