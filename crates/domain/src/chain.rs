use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Address, ChainPolicy};

/// The id of Solana alongside the EVM chain ids.
pub const SOLANA_CHAIN_ID: ChainId = ChainId(20_011_000_000);

/// Solana's CAIP-2 reference: the start of its mainnet genesis hash.
pub const SOLANA_REFERENCE: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";

/// The id of Bitcoin, which has no number of its own: the one that Relay gives it.
pub const BITCOIN_CHAIN_ID: ChainId = ChainId(8_253_038);

/// Bitcoin's CAIP-2 reference: the start of the hash of its main network's first block.
pub const BITCOIN_REFERENCE: &str = "000000000019d6689c085ae165831e93";

/// The id of Tron: the number that its own nodes answer.
pub const TRON_CHAIN_ID: ChainId = ChainId(728_126_428);

/// Tron's CAIP-2 reference: the same number in hexadecimal.
pub const TRON_REFERENCE: &str = "0x2b6653dc";

/// A chain's number, as wallets and the API know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChainId(u64);

impl ChainId {
    /// The largest id that a JSON number represents exactly.
    pub const MAX: u64 = (1 << 53) - 1;

    /// An id between 1 and [`ChainId::MAX`]; anything else is not a chain.
    pub const fn new(id: u64) -> Option<Self> {
        if id >= 1 && id <= Self::MAX { Some(Self(id)) } else { None }
    }

    pub const fn get(self) -> u64 {
        self.0
    }

    /// The family of the chain.
    pub fn family(self) -> Family {
        match self {
            SOLANA_CHAIN_ID => Family::Solana,
            BITCOIN_CHAIN_ID => Family::Bitcoin,
            TRON_CHAIN_ID => Family::Tron,
            _ => Family::Evm,
        }
    }

    /// The chain's CAIP-2 identifier, such as `eip155:8453`.
    pub fn caip2(self) -> String {
        match self.family() {
            Family::Evm => format!("eip155:{self}"),
            Family::Solana => format!("solana:{SOLANA_REFERENCE}"),
            Family::Bitcoin => format!("bip122:{BITCOIN_REFERENCE}"),
            Family::Tron => format!("tron:{TRON_REFERENCE}"),
        }
    }

    /// Parses a CAIP-2 identifier of a supported family.
    pub fn from_caip2(text: &str) -> Result<Self, Caip2Error> {
        match text.split_once(':') {
            Some(("eip155", reference)) => parse_evm_reference(reference).ok_or(Caip2Error::Reference),
            Some(("solana", SOLANA_REFERENCE)) => Ok(SOLANA_CHAIN_ID),
            Some(("bip122", BITCOIN_REFERENCE)) => Ok(BITCOIN_CHAIN_ID),
            Some(("tron", TRON_REFERENCE)) => Ok(TRON_CHAIN_ID),
            Some(("solana" | "bip122" | "tron", _)) => Err(Caip2Error::Reference),
            Some(_) => Err(Caip2Error::Namespace),
            None => Err(Caip2Error::Form),
        }
    }
}

fn parse_evm_reference(reference: &str) -> Option<ChainId> {
    let canonical = reference.bytes().all(|b| b.is_ascii_digit()) && !reference.starts_with('0');
    let id = ChainId::new(reference.parse().ok()?)?;
    (canonical && id.family() == Family::Evm).then_some(id)
}

impl fmt::Display for ChainId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum Caip2Error {
    #[error("a chain is written namespace:reference, for instance eip155:1")]
    Form,
    #[error("only the namespaces eip155, solana, bip122 and tron are known")]
    Namespace,
    #[error(
        "the reference is not one of a known chain: eip155 takes a decimal chain id, the others that of their main network"
    )]
    Reference,
}

/// A family of chains with the same addresses and signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    Evm,
    Solana,
    Bitcoin,
    Tron,
}

impl Family {
    /// The CAIP-2 namespace, which is also the `type` that the API shows.
    pub const fn namespace(self) -> &'static str {
        match self {
            Self::Evm => "eip155",
            Self::Solana => "solana",
            Self::Bitcoin => "bip122",
            Self::Tron => "tron",
        }
    }

    /// Whether the service neither reads nor writes these chains: a liquidity provider takes transfers there, and swaps only
    /// begin there.
    pub const fn is_source_only(self) -> bool {
        matches!(self, Self::Bitcoin | Self::Tron)
    }

    /// What an address looks like, for people.
    pub const fn address_form(self) -> &'static str {
        match self {
            Self::Evm => "0x followed by 40 hex digits",
            Self::Solana => "32 bytes in base58",
            Self::Bitcoin => "1…, 3…, bc1q… or bc1p…",
            Self::Tron => "T and 33 characters of base58",
        }
    }
}

/// How a payer deposits the input of a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepositMethod {
    /// The payer's wallet sends the deposit.
    ContractCall,
    /// The payer signs a Permit2 transfer, and our relayer opens the order.
    Permit2,
    /// The payer signs an EIP-3009 authorization of the token itself, and our relayer opens the order. It needs no allowance.
    Authorization,
    /// The payer signs an EIP-2612 permit of the token itself and the order, and our relayer opens the order. It needs no
    /// allowance.
    Permit,
    /// Somebody sends the input to the order's deposit address.
    Transfer,
}

impl DepositMethod {
    pub const ALL: [Self; 5] =
        [Self::ContractCall, Self::Permit2, Self::Authorization, Self::Permit, Self::Transfer];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ContractCall => "CONTRACT_CALL",
            Self::Permit2 => "PERMIT2",
            Self::Authorization => "AUTHORIZATION",
            Self::Permit => "PERMIT",
            Self::Transfer => "TRANSFER",
        }
    }

    /// Whether the payer only signs, and our relayer opens the order.
    pub const fn is_relayed_signature(self) -> bool {
        matches!(self, Self::Permit2 | Self::Authorization | Self::Permit)
    }
}

#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a deposit method: use CONTRACT_CALL, PERMIT2, AUTHORIZATION, PERMIT or TRANSFER")]
pub struct UnknownDepositMethod(String);

impl FromStr for DepositMethod {
    type Err = UnknownDepositMethod;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|method| method.as_str() == text)
            .ok_or_else(|| UnknownDepositMethod(text.to_owned()))
    }
}

/// The native coin of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency {
    pub name: String,
    pub symbol: String,
    pub decimals: u8,
}

/// A block explorer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explorer {
    pub name: String,
    pub url: String,
}

/// A chain that the service knows, whether or not it is enabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    pub id: ChainId,
    pub slug: String,
    pub name: String,
    /// Alternative names, lower case.
    pub aliases: Vec<String>,
    pub native: Currency,
    pub wrapped_native: Option<Address>,
    pub explorer: Explorer,
    /// Public RPC URLs; never private ones.
    pub rpc: Vec<String>,
    pub deposit_methods: Vec<DepositMethod>,
    /// Brand colour as `#rrggbb`.
    pub color: String,
    pub policy: ChainPolicy,
    pub enabled: bool,
}

impl Chain {
    pub fn family(&self) -> Family {
        self.id.family()
    }

    /// Whether the service reads the chain: it is enabled, and swaps do not only begin there.
    pub fn is_read(&self) -> bool {
        self.enabled && !self.family().is_source_only()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caip2_round_trips_through_text() {
        for id in [1, 8453, 4_278_608, SOLANA_CHAIN_ID.get(), BITCOIN_CHAIN_ID.get(), TRON_CHAIN_ID.get()] {
            let chain = ChainId::new(id).unwrap();
            assert_eq!(ChainId::from_caip2(&chain.caip2()), Ok(chain));
        }
    }

    #[test]
    fn non_canonical_caip2_is_rejected() {
        for text in [
            "eip155:01",
            "eip155:+1",
            "eip155:",
            "eip155:0",
            "eip155:20011000000",
            "eip155:728126428",
            "solana:devnet",
            // Bitcoin's test network, and Tron's.
            "bip122:000000000933ea01ad0ee984209779ba",
            "tron:0xcd8690dc",
        ] {
            assert_eq!(ChainId::from_caip2(text), Err(Caip2Error::Reference), "{text}");
        }
        assert_eq!(ChainId::from_caip2("cosmos:hub"), Err(Caip2Error::Namespace));
        assert_eq!(ChainId::from_caip2("eip155"), Err(Caip2Error::Form));
    }

    #[test]
    fn chain_ids_fit_a_json_number() {
        assert!(ChainId::new(0).is_none());
        assert!(ChainId::new(ChainId::MAX).is_some());
        assert!(ChainId::new(ChainId::MAX + 1).is_none());
        assert_eq!(ChainId::MAX, 9_007_199_254_740_991);
    }

    #[test]
    fn only_enabled_chains_are_read_and_none_where_swaps_only_begin() {
        let chain = |id: ChainId, enabled| Chain {
            id,
            slug: String::new(),
            name: String::new(),
            aliases: Vec::new(),
            native: Currency { name: String::new(), symbol: String::new(), decimals: 18 },
            wrapped_native: None,
            explorer: Explorer { name: String::new(), url: String::new() },
            rpc: Vec::new(),
            deposit_methods: Vec::new(),
            color: String::new(),
            policy: ChainPolicy::unlisted(id.family()),
            enabled,
        };
        for (id, enabled, is_read) in [
            (SOLANA_CHAIN_ID, true, true),
            (SOLANA_CHAIN_ID, false, false),
            (BITCOIN_CHAIN_ID, true, false),
            (TRON_CHAIN_ID, true, false),
            (TRON_CHAIN_ID, false, false),
        ] {
            assert_eq!(chain(id, enabled).is_read(), is_read, "{id} {enabled}");
        }
    }

    #[test]
    fn people_are_told_what_an_address_of_each_family_looks_like() {
        for (family, words) in [
            (Family::Evm, "40 hex digits"),
            (Family::Solana, "32 bytes"),
            (Family::Bitcoin, "bc1q"),
            (Family::Tron, "33 characters"),
        ] {
            assert!(family.address_form().contains(words), "{family:?}");
        }
    }
}
