use std::fmt;
use std::str::FromStr;

use alloy_primitives::Address;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The chain id of Solana, which numbers no chains itself.
const SOLANA_CHAIN_ID: u64 = 20_011_000_000;
/// The CAIP-2 reference of Solana's main network.
const SOLANA_REFERENCE: &str = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp";

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

/// Reads `eip155:<chain id>:<address>`, `solana:<reference>:<mint>`, or the JSON text of a token identifier.
impl FromStr for TokenIdentifier {
    type Err = InvalidTokenIdentifier;

    fn from_str(input: &str) -> Result<Self, Self::Err> {
        parse(input.trim()).map_err(|problem| InvalidTokenIdentifier { input: input.to_owned(), problem })
    }
}

/// As CAIP-2 chain and address.
impl fmt::Display for TokenIdentifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.chain_id {
            SOLANA_CHAIN_ID => write!(f, "solana:{SOLANA_REFERENCE}:{}", self.address),
            chain => write!(f, "eip155:{chain}:{}", self.address),
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
    match namespace {
        "eip155" => {
            let canonical = !reference.starts_with(['0', '+']);
            let chain_id = reference.parse().ok().filter(|_| canonical);
            check(chain_id.unwrap_or_default(), address)
        }
        "solana" if reference == SOLANA_REFERENCE => check(SOLANA_CHAIN_ID, address),
        "solana" => Err("only Solana mainnet is supported".to_owned()),
        _ => Err("it must start with eip155: or solana:".to_owned()),
    }
}

fn check(chain_id: u64, address: &str) -> Result<TokenIdentifier, String> {
    if chain_id == 0 {
        return Err("the chain id must be a positive integer".to_owned());
    }
    let fits = if chain_id == SOLANA_CHAIN_ID {
        (32..=44).contains(&address.len()) && bs58::decode(address).into_vec().is_ok()
    } else {
        address.starts_with("0x") && address.parse::<Address>().is_ok()
    };
    if !fits {
        return Err(format!("the address is not valid on chain {chain_id}"));
    }
    Ok(TokenIdentifier { chain_id, address: address.to_owned() })
}
