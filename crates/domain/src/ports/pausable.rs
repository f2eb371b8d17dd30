use std::fmt;

use thiserror::Error;

use crate::{ChainId, TokenId};

/// Something that an operator can pause. A pause stops new orders; existing orders and refunds continue.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pausable {
    Chain(ChainId),
    Token(TokenId),
    /// By its name.
    Filler(String),
    /// By its id.
    OnRamp(String),
}

impl Pausable {
    /// The kind, as text.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Chain(_) => "chain",
            Self::Token(_) => "token",
            Self::Filler(_) => "filler",
            Self::OnRamp(_) => "onramp",
        }
    }

    /// The identifier within its kind.
    pub fn name(&self) -> String {
        match self {
            Self::Chain(chain) => chain.to_string(),
            Self::Token(token) => token.to_string(),
            Self::Filler(name) | Self::OnRamp(name) => name.clone(),
        }
    }

    /// Parses kind and identifier.
    pub fn parse(kind: &str, name: &str) -> Result<Self, PausableError> {
        let named = |name: &str| Some(name.to_owned()).filter(|name| is_name(name));
        match kind {
            "chain" => name
                .parse()
                .ok()
                .and_then(ChainId::new)
                .map(Self::Chain)
                .ok_or_else(|| PausableError::Chain(name.to_owned())),
            "token" => name.parse().map(Self::Token).map_err(|_| PausableError::Token(name.to_owned())),
            "filler" => named(name).map(Self::Filler).ok_or(PausableError::Name),
            "onramp" => named(name).map(Self::OnRamp).ok_or(PausableError::Name),
            _ => Err(PausableError::Kind(kind.to_owned())),
        }
    }
}

impl fmt::Display for Pausable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain(chain) => write!(f, "chain {chain}"),
            Self::Token(token) => write!(f, "token {token}"),
            Self::Filler(name) => write!(f, "filler {name}"),
            Self::OnRamp(name) => write!(f, "on-ramp {name}"),
        }
    }
}

/// Text that identifies nothing that can be paused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PausableError {
    #[error("`{0}` is none of chain, token, filler and onramp")]
    Kind(String),
    #[error("`{0}` is not a chain's number, such as 8453")]
    Chain(String),
    #[error(
        "`{0}` is not a token's identifier, such as eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    )]
    Token(String),
    #[error("a name is 1 to 62 letters, digits, `-`, `_` or `.`")]
    Name,
}

/// Whether the text is a valid name of a filler or on-ramp.
pub(super) fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 62 && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pausables_round_trip_through_text() {
        for (kind, name) in [
            ("chain", "8453"),
            ("token", "eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
            ("filler", "north"),
            ("onramp", "sandbox-card"),
        ] {
            let what = Pausable::parse(kind, name).unwrap();
            assert_eq!((what.kind(), what.name().as_str()), (kind, name));
        }
    }

    #[test]
    fn unknown_pausables_are_rejected() {
        for (kind, name) in [
            ("chains", "1"),
            ("chain", "base"),
            ("chain", "0"),
            ("token", "USDC"),
            ("filler", ""),
            ("onramp", "a b"),
        ] {
            assert!(Pausable::parse(kind, name).is_err(), "{kind} {name}");
        }
    }
}
