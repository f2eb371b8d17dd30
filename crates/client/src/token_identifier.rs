use std::fmt;
use std::str::FromStr;

use alloy_primitives::Address;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::execute::{BITCOIN, TRON, on_chain};

/// The chain id of Solana, which numbers no chains itself.
pub(crate) const SOLANA_CHAIN_ID: u64 = 20_011_000_000;

/// The chains that have no number of their own: CAIP-2 namespace, reference of the main network, and the service's chain id.
const NAMED: [(&str, &str, u64); 3] = [
    ("solana", "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", SOLANA_CHAIN_ID),
    ("bip122", "000000000019d6689c085ae165831e93", BITCOIN),
    ("tron", "0x2b6653dc", TRON),
];

/// A token by its chain and address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenIdentifier {
    pub chain_id: u64,
    pub address: String,
}

/// A text that is not a token identifier.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("invalid token identifier {input:?}: {problem}")]
pub struct InvalidTokenIdentifier {
    input: String,
    problem: String,
}

/// Reads `eip155:<chain id>:<address>`, `solana:<reference>:<mint>`, `bip122:…` for Bitcoin, `tron:…`, or the JSON text of a
/// token identifier. Checksums of Bitcoin and Tron are the service's to check.
impl FromStr for TokenIdentifier {
    type Err = InvalidTokenIdentifier;

    fn from_str(input: &str) -> Result<Self, Self::Err> {
        parse(input.trim()).map_err(|problem| InvalidTokenIdentifier { input: input.to_owned(), problem })
    }
}

/// As CAIP-2 chain and address.
impl fmt::Display for TokenIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMED.iter().find(|(_, _, chain)| *chain == self.chain_id) {
            Some((namespace, reference, _)) => write!(f, "{namespace}:{reference}:{}", self.address),
            None => write!(f, "eip155:{}:{}", self.chain_id, self.address),
        }
    }
}

fn parse(text: &str) -> Result<TokenIdentifier, String> {
    if text.starts_with('{') {
        let token: TokenIdentifier = serde_json::from_str(text).map_err(|error| error.to_string())?;
        return check(token.chain_id, &token.address);
    }
    let parts: Vec<_> = text.split(':').collect();
    let [namespace, reference, address] = parts[..] else {
        return Err("it must have three parts, separated by colons".to_owned());
    };
    if namespace == "eip155" {
        let canonical = !reference.starts_with(['0', '+']);
        let is_own = |chain: &u64| canonical && NAMED.iter().all(|(_, _, named)| named != chain);
        return check(reference.parse().ok().filter(is_own).unwrap_or_default(), address);
    }
    match NAMED.iter().find(|(known, _, _)| *known == namespace) {
        Some((_, main, chain)) if *main == reference => check(*chain, address),
        Some(_) => Err("only the main network is supported".to_owned()),
        None => Err("it must start with eip155:, solana:, bip122: or tron:".to_owned()),
    }
}

fn check(chain_id: u64, address: &str) -> Result<TokenIdentifier, String> {
    if chain_id == 0 {
        return Err("the chain id must be a positive integer".to_owned());
    }
    let fits = match chain_id {
        SOLANA_CHAIN_ID => (32..=44).contains(&address.len()) && bs58::decode(address).into_vec().is_ok(),
        BITCOIN | TRON => on_chain(chain_id, address).is_some(),
        _ => address.starts_with("0x") && address.parse::<Address>().is_ok(),
    };
    if !fits {
        return Err(format!("the address is not valid on chain {chain_id}"));
    }
    Ok(TokenIdentifier { chain_id, address: address.to_owned() })
}
