use std::fmt;
use std::str::FromStr;

use thiserror::Error;

#[derive(Debug, Error, PartialEq, Eq)]
pub enum IdError {
    #[error("an id is 32 lower-case hex digits")]
    Form,
    #[error("a route id is 1 to 64 letters, digits, `-`, `_` or `.`")]
    Route,
    #[error("the system gave no random bytes")]
    NoRandomness,
}

/// 128 random bits: ids that the public holds can neither be guessed nor counted.
fn random_hex() -> Result<String, IdError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| IdError::NoRandomness)?;
    Ok(alloy_primitives::hex::encode(bytes))
}

fn is_lower_hex(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

macro_rules! public_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// A new id that nobody can guess.
            pub fn random() -> Result<Self, IdError> {
                random_hex().map(Self)
            }

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
    /// Names a quote to the public.
    QuoteId
);
public_id!(
    /// Names an order to the public.
    OrderId
);

/// Names one filler's offer inside a quote.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RouteId(String);

impl RouteId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RouteId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=64).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if fits { Ok(Self(text.to_owned())) } else { Err(IdError::Route) }
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
    fn public_ids_hold_128_random_bits_and_read_back() {
        let (one, two) = (QuoteId::random().unwrap(), QuoteId::random().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.as_str().len(), 32);
        assert_eq!(one.to_string().parse(), Ok(one));
    }

    #[test]
    fn ids_of_another_form_are_refused() {
        for text in ["", "abc", &"A".repeat(32), &"g".repeat(32), &"a".repeat(33)] {
            assert_eq!(text.parse::<OrderId>(), Err(IdError::Form), "{text}");
        }
        assert_eq!("a/b".parse::<RouteId>(), Err(IdError::Route));
        assert_eq!("".parse::<RouteId>(), Err(IdError::Route));
    }
}
