mod base58check;
mod bitcoin;
mod checksum;
mod segwit;
mod tron;

use std::fmt;

use alloy_primitives::Address as EvmAddress;
use thiserror::Error;

use crate::{ChainId, Family, WriteText};

pub use bitcoin::BitcoinAddress;

/// An account, contract or mint of a chain family.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    Evm(EvmAddress),
    Solana([u8; 32]),
    Bitcoin(BitcoinAddress),
    Tron([u8; 20]),
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum AddressError {
    #[error("an EVM address is 0x followed by 40 hex digits")]
    Evm,
    #[error(
        "the capital letters of this EVM address are not its checksum (EIP-55), so a character may be mistyped: copy it \
         again, or write it in lower case if you are sure"
    )]
    Checksum,
    #[error("a Solana address is 32 bytes in base58, without 0, O, I and l")]
    Solana,
    #[error("a Bitcoin address begins with 1, 3, bc1q or bc1p")]
    Bitcoin,
    #[error("the checksum of this Bitcoin address is wrong, so a character may be mistyped: copy it again")]
    BitcoinChecksum,
    #[error(
        "this is an address of a Bitcoin test network; give one of the main network, which begins with 1, 3 or bc1"
    )]
    BitcoinNetwork,
    #[error(
        "this Bitcoin address pays to a kind of program that wallets do not have: give one that begins with bc1q or bc1p"
    )]
    BitcoinKind,
    #[error("a Tron address begins with T and has 34 characters of base58")]
    Tron,
    #[error("the checksum of this Tron address is wrong, so a character may be mistyped: copy it again")]
    TronChecksum,
    #[error(
        "this is the hex form of a Tron address, which has no checksum: give it in base58, beginning with T"
    )]
    TronHex,
}

impl Address {
    /// Parses an address of that family as a person gives it: EVM in lower case, in upper case, or in mixed case with the right
    /// EIP-55 checksum, all others exactly; those of Bitcoin and Tron have checksums.
    pub fn parse(family: Family, text: &str) -> Result<Self, AddressError> {
        Self::parse_any_case(family, text)?.checked(text)
    }

    /// The address, unless the capitals of its text are a wrong checksum.
    fn checked(self, text: &str) -> Result<Self, AddressError> {
        match &self {
            Self::Evm(evm) if !is_checksummed(evm, text) => Err(AddressError::Checksum),
            _ => Ok(self),
        }
    }

    /// Parses an address of that family without a look at its checksum: for data of other parties, whose capitals may
    /// mean nothing.
    pub fn parse_any_case(family: Family, text: &str) -> Result<Self, AddressError> {
        match family {
            Family::Evm => parse_evm(text).map(Self::Evm).ok_or(AddressError::Evm),
            Family::Solana => parse_solana(text).map(Self::Solana).ok_or(AddressError::Solana),
            Family::Bitcoin => BitcoinAddress::parse(text).map(Self::Bitcoin),
            Family::Tron => tron::parse(text).map(Self::Tron),
        }
    }

    /// Parses an address of any family without a look at the checksum of EIP-55. No text is an address of two families.
    pub fn parse_any(text: &str) -> Option<Self> {
        let evm = || parse_evm(text).map(Self::Evm);
        let solana = || parse_solana(text).map(Self::Solana);
        let bitcoin = || BitcoinAddress::parse(text).ok().map(Self::Bitcoin);
        let tron = || tron::parse(text).ok().map(Self::Tron);
        evm().or_else(solana).or_else(bitcoin).or_else(tron)
    }

    /// The bytes of the address, by which it is read back: EVM 20, Solana 32, the others 21 or 33 with one for their kind.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::Evm(address) => address.to_vec(),
            Self::Solana(bytes) => bytes.to_vec(),
            Self::Bitcoin(address) => address.to_bytes(),
            Self::Tron(bytes) => std::iter::once(tron::VERSION).chain(bytes).collect(),
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match (bytes.len(), bytes.first()) {
            (20, _) => <[u8; 20]>::try_from(bytes).ok().map(|bytes| Self::Evm(bytes.into())),
            (32, _) => <[u8; 32]>::try_from(bytes).ok().map(Self::Solana),
            (21, Some(&tron::VERSION)) => bytes.get(1..)?.try_into().ok().map(Self::Tron),
            _ => BitcoinAddress::from_bytes(bytes).map(Self::Bitcoin),
        }
    }

    /// The address that represents the native coin.
    pub fn native(family: Family) -> Self {
        match family {
            Family::Evm => Self::Evm(EvmAddress::ZERO),
            Family::Solana => Self::Solana([0; 32]),
            Family::Bitcoin => Self::Bitcoin(BitcoinAddress::COIN),
            Family::Tron => Self::Tron([0; 20]),
        }
    }

    /// Parses a token address; the 40-`e` spelling of the native coin is normalized.
    pub fn parse_token(chain: ChainId, text: &str) -> Result<Self, AddressError> {
        match Self::parse_any_case(chain.family(), text)? {
            Self::NATIVE_ALIAS => Ok(Self::native(Family::Evm)),
            address => address.checked(text),
        }
    }

    /// The spelling of an EVM chain's native coin that some services use: 40 times `e`, in any case.
    pub const NATIVE_ALIAS: Self = Self::Evm(EvmAddress::repeat_byte(0xee));

    pub fn family(&self) -> Family {
        match self {
            Self::Evm(_) => Family::Evm,
            Self::Solana(_) => Family::Solana,
            Self::Bitcoin(_) => Family::Bitcoin,
            Self::Tron(_) => Family::Tron,
        }
    }

    pub fn is_native(&self) -> bool {
        *self == Self::native(self.family())
    }

    /// The form in which authors are compared and shown: lower case on EVM, exact elsewhere.
    pub fn to_author(&self) -> String {
        match self {
            Self::Evm(address) => format!("{address:#x}"),
            Self::Solana(_) | Self::Bitcoin(_) | Self::Tron(_) => self.to_string(),
        }
    }
}

fn parse_evm(text: &str) -> Option<EvmAddress> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    if digits.len() != 40 {
        return None;
    }
    digits.parse().ok()
}

/// Whether the text is in one case, or its capitals are the checksum of EIP-55.
fn is_checksummed(address: &EvmAddress, text: &str) -> bool {
    let digits = text.get(2..).unwrap_or_default();
    let has = |of: fn(&u8) -> bool| digits.as_bytes().iter().any(of);
    if !has(u8::is_ascii_uppercase) || !has(u8::is_ascii_lowercase) {
        return true;
    }
    checksum::checksummed(address).get(2..) == Some(digits.as_bytes())
}

fn parse_solana(text: &str) -> Option<[u8; 32]> {
    // 32 bytes take at most 44 characters.
    if text.len() > 44 {
        return None;
    }
    let mut bytes = [0; 32];
    let written = bs58::decode(text).onto(&mut bytes).ok()?;
    (written == 32).then_some(bytes)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_text(f)
    }
}

impl WriteText for Address {
    fn write_text(&self, out: &mut impl fmt::Write) -> fmt::Result {
        match self {
            // Hex digits are ASCII.
            Self::Evm(address) => {
                out.write_str(str::from_utf8(&checksum::checksummed(address)).unwrap_or_default())
            }
            Self::Solana(bytes) => out.write_str(&bs58::encode(bytes).into_string()),
            Self::Bitcoin(address) => write!(out, "{address}"),
            Self::Tron(bytes) => out.write_str(&tron::encode(bytes)),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

    #[test]
    fn evm_addresses_are_accepted_in_any_case_and_returned_checksummed() {
        for text in [USDC.to_lowercase(), USDC.to_uppercase(), USDC.to_owned()] {
            let address = Address::parse(Family::Evm, &text).unwrap();
            assert_eq!(address.to_string(), USDC);
            assert_eq!(address.to_author(), USDC.to_lowercase());
        }
    }

    #[test]
    fn mixed_case_must_be_the_eip_55_checksum() {
        let swapped = USDC.replace("0xA0b", "0xa0B");
        let mistyped = USDC.replace("eB48", "eB47");
        for text in [&swapped, &mistyped] {
            assert_eq!(Address::parse(Family::Evm, text), Err(AddressError::Checksum), "{text}");
            assert_eq!(Address::parse_token(ChainId::new(1).unwrap(), text), Err(AddressError::Checksum));
        }
        assert!(AddressError::Checksum.to_string().contains("EIP-55"));
        let theirs = Address::parse_any_case(Family::Evm, &swapped).unwrap();
        assert_eq!(theirs.to_string(), USDC);
    }

    #[test]
    fn native_addresses_are_forty_zeros_and_thirty_two_ones() {
        assert_eq!(Address::native(Family::Evm).to_string(), format!("0x{}", "0".repeat(40)));
        assert_eq!(Address::native(Family::Solana).to_string(), "1".repeat(32));
    }

    #[test]
    fn forty_e_means_native_in_any_case() {
        let chain = ChainId::new(1).unwrap();
        for e in ["e".repeat(40), "E".repeat(40), "eE".repeat(20)] {
            let address = Address::parse_token(chain, &format!("0x{e}")).unwrap();
            assert!(address.is_native());
        }
    }

    #[test]
    fn an_address_of_the_other_family_is_rejected() {
        assert_eq!(Address::parse(Family::Solana, USDC), Err(AddressError::Solana));
        assert_eq!(Address::parse(Family::Evm, &"1".repeat(32)), Err(AddressError::Evm));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_rejected_without_panic(text in "\\PC{0,80}") {
            let _ = Address::parse_any(&text);
        }

        #[test]
        fn addresses_round_trip_through_text_and_bytes(short in any::<[u8; 20]>(), long in any::<[u8; 32]>()) {
            for address in [
                Address::Evm(short.into()),
                Address::Solana(long),
                Address::Tron(short),
                Address::Bitcoin(BitcoinAddress::ScriptHash(short)),
                Address::Bitcoin(BitcoinAddress::Taproot(long)),
            ] {
                prop_assert_eq!(Address::parse_any(&address.to_string()), Some(address));
                prop_assert_eq!(Address::from_bytes(&address.to_bytes()), Some(address));
                prop_assert_eq!(Address::parse(address.family(), &address.to_string()), Ok(address));
            }
        }
    }
}
