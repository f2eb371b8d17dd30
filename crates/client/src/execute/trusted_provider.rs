use alloy_primitives::Address;

/// What the caller takes the service's word for, because nothing else says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unchecked {
    /// Who receives the output, and who gets a refund, where the call of a provider does not say it.
    Recipient,
    /// How much of which token arrives, and what becomes of the input where nothing does, where the call does not say it.
    Output,
    /// What the transaction does, where the wallet cannot simulate it.
    Effects,
}

impl Unchecked {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recipient => "recipient",
            Self::Output => "output",
            Self::Effects => "effects",
        }
    }

    /// What a call does not say.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Recipient => "who receives the output",
            Self::Output => "the least output",
            Self::Effects => "what it does",
        }
    }
}

/// A contract or program of a liquidity provider that may get the input.
///
/// Its calls are read, simulated by the wallet, and compared with the request. Some do not say everything: a deposit at Relay names
/// its order by a hash, and a call of LI.FI does not bound what a bridge delivers. Such calls, and wallets that cannot simulate, are
/// refused unless that is left unchecked here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedProvider {
    pub(super) contract: String,
    unchecked: Vec<Unchecked>,
}

impl TrustedProvider {
    /// Trusts the contract with calls that say everything.
    pub fn new(contract: &str) -> Self {
        Self { contract: contract.to_owned(), unchecked: Vec::new() }
    }

    /// Takes the service's word for this, where a call does not say it or the wallet cannot simulate it.
    #[must_use]
    pub fn with_unchecked(mut self, what: Unchecked) -> Self {
        self.unchecked.push(what);
        self
    }

    pub(super) fn is(&self, contract: Address) -> bool {
        self.contract.parse() == Ok(contract)
    }

    pub(super) fn leaves(&self, what: Unchecked) -> bool {
        self.unchecked.contains(&what)
    }
}

impl From<&str> for TrustedProvider {
    fn from(contract: &str) -> Self {
        Self::new(contract)
    }
}

impl From<&String> for TrustedProvider {
    fn from(contract: &String) -> Self {
        Self::new(contract)
    }
}
