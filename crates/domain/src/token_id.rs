use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use thiserror::Error;

use crate::{Address, AddressError, Caip2Error, ChainId, Family, WriteText};

/// A token: its address on its chain. The native coin is a token too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId {
    chain: ChainId,
    address: Address,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum TokenIdError {
    #[error(
        "a token is written eip155:<chain id>:<address>, solana:<reference>:<mint>, bip122:… or tron:…, or as JSON {{\"chainId\", \"address\"}}"
    )]
    Form,
    #[error("the JSON form of a token needs a number `chainId` and a string `address`")]
    Json,
    #[error("the chain id is not a number between 1 and 2^53 - 1")]
    ChainId,
    #[error(transparent)]
    Chain(#[from] Caip2Error),
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl TokenId {
    /// A token by chain and address text; the native coin may be spelled with 40 `e`.
    pub fn new(chain: ChainId, address: &str) -> Result<Self, AddressError> {
        Ok(Self { chain, address: Address::parse_token(chain, address)? })
    }

    /// A token as another party's data spells it: the capitals of an address may mean nothing there.
    pub fn of_any_case(chain: ChainId, address: &str) -> Result<Self, AddressError> {
        let address = Address::parse_any_case(chain.family(), address)?;
        let is_native = address == Address::NATIVE_ALIAS;
        Ok(Self { chain, address: if is_native { Address::native(Family::Evm) } else { address } })
    }

    /// A token by its parsed address; `None` where the address is of another family.
    pub fn from_address(chain: ChainId, address: Address) -> Option<Self> {
        (chain.family() == address.family()).then_some(Self { chain, address })
    }

    /// The native coin of the chain.
    pub fn native(chain: ChainId) -> Self {
        Self { chain, address: Address::native(chain.family()) }
    }

    pub const fn chain(&self) -> ChainId {
        self.chain
    }

    pub const fn address(&self) -> Address {
        self.address
    }

    pub fn is_native(&self) -> bool {
        self.address.is_native()
    }

    /// The JSON text of the object form.
    pub fn to_json(&self) -> String {
        format!(r#"{{"chainId":{},"address":"{}"}}"#, self.chain, self.address)
    }

    fn from_json(text: &str) -> Result<Self, TokenIdError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Object {
            chain_id: u64,
            address: String,
        }
        let object: Object = serde_json::from_str(text).map_err(|_| TokenIdError::Json)?;
        let chain = ChainId::new(object.chain_id).ok_or(TokenIdError::ChainId)?;
        Ok(Self::new(chain, &object.address)?)
    }
}

impl FromStr for TokenId {
    type Err = TokenIdError;

    /// Parses an identifier of any family, or the JSON object form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim_start().starts_with('{') {
            return Self::from_json(text);
        }
        let (chain, address) = text.rsplit_once(':').ok_or(TokenIdError::Form)?;
        Ok(Self::new(ChainId::from_caip2(chain)?, address)?)
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl WriteText for TokenId {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self.chain.family() {
            // Like `caip2`, without its allocation.
            Family::Evm => {
                out.write_str("eip155:")?;
                out.write_str(itoa::Buffer::new().format(self.chain.get()))?;
            }
            Family::Solana | Family::Bitcoin | Family::Tron => out.write_str(&self.chain.caip2())?,
        }
        out.write_str(":")?;
        self.address.write_text(out)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SOLANA_CHAIN_ID;

    const BASE_USDC: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";

    #[test]
    fn all_specified_forms_parse_to_the_same_token() {
        let base = ChainId::new(8453).unwrap();
        let object = TokenId::new(base, BASE_USDC).unwrap();
        let text = format!("eip155:8453:{BASE_USDC}").parse().unwrap();
        let json =
            format!(r#" {{ "address": "{}", "chainId": 8453 }}"#, BASE_USDC.to_lowercase()).parse().unwrap();
        assert_eq!(object, text);
        assert_eq!(object, json);
    }

    #[test]
    fn solana_tokens_carry_the_genesis_reference() {
        let sol = TokenId::native(SOLANA_CHAIN_ID);
        assert_eq!(sol.to_string(), format!("solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:{}", "1".repeat(32)));
        assert_eq!(sol.to_string().parse(), Ok(sol));
    }

    #[test]
    fn coins_and_tokens_of_source_only_chains_have_identifiers() {
        for text in [
            "bip122:000000000019d6689c085ae165831e93:bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs",
            "tron:0x2b6653dc:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
            "tron:0x2b6653dc:T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
        ] {
            let token: TokenId = text.parse().unwrap();
            assert_eq!(token.to_string(), text);
            assert_eq!(token.is_native(), !text.contains("TR7N"), "{text}");
        }
    }

    #[test]
    fn malformed_identifiers_are_rejected_with_reason() {
        let parse = |text: &str| text.parse::<TokenId>().unwrap_err();
        assert_eq!(parse("usdc"), TokenIdError::Form);
        assert_eq!(parse("eip155:1"), TokenIdError::Chain(Caip2Error::Form));
        assert_eq!(parse("eip155:1:"), TokenIdError::Address(AddressError::Evm));
        assert_eq!(parse("eip155:99999999999999999999:0x00"), TokenIdError::Chain(Caip2Error::Reference));
        assert_eq!(parse(r#"{"chainId":"1","address":"0x"}"#), TokenIdError::Json);
        assert_eq!(parse(r#"{"chainId":0,"address":"0x"}"#), TokenIdError::ChainId);
        assert_eq!(
            parse(&format!("solana:devnet:{}", "1".repeat(32))),
            TokenIdError::Chain(Caip2Error::Reference)
        );
    }

    proptest! {
        #[test]
        fn token_ids_round_trip_through_text(chain in 1u64..=ChainId::MAX, evm in any::<[u8; 20]>(), mint in any::<[u8; 32]>()) {
            let chain = ChainId::new(chain).unwrap();
            let evm = TokenId::new(chain, &Address::Evm(evm.into()).to_string()).unwrap();
            let solana = TokenId::new(SOLANA_CHAIN_ID, &Address::Solana(mint).to_string()).unwrap();
            for token in [evm, solana] {
                prop_assert_eq!(token.to_string().parse(), Ok(token));
                prop_assert_eq!(token.to_json().parse(), Ok(token));
            }
        }

        #[test]
        fn any_text_is_parsed_or_rejected_without_panic(text in "(eip155:|solana:|\\{)?\\PC{0,80}") {
            let _ = text.parse::<TokenId>();
        }
    }
}
