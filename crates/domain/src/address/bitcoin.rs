use std::fmt;

use super::AddressError;
use super::base58check::{self, Base58Error};
use super::segwit::{self, SegwitError};

/// Versions of addresses in base58: of the main network, then of its test networks.
const KEY_HASH: u8 = 0x00;
const SCRIPT_HASH: u8 = 0x05;
const TEST_VERSIONS: [u8; 2] = [0x6f, 0xc4];

/// How addresses of the test networks begin in bech32.
const TEST_PREFIXES: [&str; 2] = ["tb1", "bcrt1"];

/// An address of Bitcoin's main network, by what it pays to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BitcoinAddress {
    /// `1…`
    KeyHash([u8; 20]),
    /// `3…`
    ScriptHash([u8; 20]),
    /// `bc1q…`, 42 characters
    WitnessKeyHash([u8; 20]),
    /// `bc1q…`, 62 characters
    WitnessScriptHash([u8; 32]),
    /// `bc1p…`
    Taproot([u8; 32]),
}

impl BitcoinAddress {
    /// What stands for the coin itself: the witness program of twenty zero bytes, which nobody can spend from.
    pub const COIN: Self = Self::WitnessKeyHash([0; 20]);

    pub(super) fn parse(text: &str) -> Result<Self, AddressError> {
        let starts =
            |prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        if TEST_PREFIXES.into_iter().any(starts) {
            return Err(AddressError::BitcoinNetwork);
        }
        if starts("bc1") {
            let (version, program) = segwit::decode(text).map_err(|error| match error {
                SegwitError::Form => AddressError::Bitcoin,
                SegwitError::Checksum => AddressError::BitcoinChecksum,
            })?;
            return Self::of_program(version, &program).ok_or(AddressError::BitcoinKind);
        }
        match base58check::decode(text) {
            Ok((KEY_HASH, hash)) => Ok(Self::KeyHash(hash)),
            Ok((SCRIPT_HASH, hash)) => Ok(Self::ScriptHash(hash)),
            Ok((version, _)) if TEST_VERSIONS.contains(&version) => Err(AddressError::BitcoinNetwork),
            Ok(_) | Err(Base58Error::Form) => Err(AddressError::Bitcoin),
            Err(Base58Error::Checksum) => Err(AddressError::BitcoinChecksum),
        }
    }

    fn of_program(version: u8, program: &[u8]) -> Option<Self> {
        let short = || <[u8; 20]>::try_from(program).ok();
        let long = || <[u8; 32]>::try_from(program).ok();
        match version {
            0 => short().map(Self::WitnessKeyHash).or_else(|| long().map(Self::WitnessScriptHash)),
            1 => long().map(Self::Taproot),
            _ => None,
        }
    }

    /// What it pays to.
    pub(crate) fn program(&self) -> &[u8] {
        match self {
            Self::KeyHash(hash) | Self::ScriptHash(hash) | Self::WitnessKeyHash(hash) => hash,
            Self::WitnessScriptHash(hash) | Self::Taproot(hash) => hash,
        }
    }

    /// A byte for the kind, then the program.
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let kind = match self {
            Self::KeyHash(_) => KEY_HASH,
            Self::ScriptHash(_) => SCRIPT_HASH,
            Self::WitnessKeyHash(_) | Self::WitnessScriptHash(_) => 0x80,
            Self::Taproot(_) => 0x81,
        };
        std::iter::once(kind).chain(self.program().iter().copied()).collect()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (kind, program) = bytes.split_first()?;
        match *kind {
            KEY_HASH => program.try_into().ok().map(Self::KeyHash),
            SCRIPT_HASH => program.try_into().ok().map(Self::ScriptHash),
            0x80 => Self::of_program(0, program),
            0x81 => Self::of_program(1, program),
            _ => None,
        }
    }
}

impl fmt::Display for BitcoinAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::KeyHash(hash) => base58check::encode(KEY_HASH, hash),
            Self::ScriptHash(hash) => base58check::encode(SCRIPT_HASH, hash),
            Self::WitnessKeyHash(_) | Self::WitnessScriptHash(_) => segwit::encode(0, self.program()),
            Self::Taproot(key) => segwit::encode(1, key),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// From BIP-173, BIP-341 and BIP-350 and the first blocks.
    const KNOWN: [&str; 5] = [
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "3P14159f73E4gFr7JterCCQh9QjiTjiZrG",
        "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
        "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
    ];

    #[test]
    fn addresses_of_every_kind_are_read_and_written_back() {
        for text in KNOWN {
            let address = BitcoinAddress::parse(text).unwrap();
            assert_eq!(address.to_string(), text);
            assert_eq!(BitcoinAddress::from_bytes(&address.to_bytes()), Some(address), "{text}");
        }
        let upper = "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4";
        assert_eq!(BitcoinAddress::parse(upper).unwrap().to_string(), KNOWN[2], "as QR codes write it");
        assert_eq!(BitcoinAddress::COIN.to_string(), "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs");
    }

    #[test]
    fn addresses_of_bitcoins_other_networks_are_named_as_such() {
        for text in [
            "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
            "TB1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KXPJZSX",
            "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
            "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
            "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc",
        ] {
            assert_eq!(BitcoinAddress::parse(text), Err(AddressError::BitcoinNetwork), "{text}");
        }
        assert!(AddressError::BitcoinNetwork.to_string().contains("main network"));
    }

    #[test]
    fn a_changed_character_fails_the_checksum() {
        for text in KNOWN {
            let (start, _) = text.split_at(text.len() - 1);
            let changed = [start, if text.ends_with('3') { "4" } else { "3" }].concat();
            assert_eq!(BitcoinAddress::parse(&changed), Err(AddressError::BitcoinChecksum), "{changed}");
        }
        // Bech32 where bech32m belongs, and the other way round (BIP-350).
        for text in [
            "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
            "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
            "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
            "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
        ] {
            assert!(BitcoinAddress::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn other_witness_versions_and_other_coins_are_refused() {
        // From BIP-350: version 16 with two bytes, and version 1 with two bytes.
        let kind = BitcoinAddress::parse("BC1SW50QGDZ25J");
        assert_eq!(kind, Err(AddressError::BitcoinKind));
        for text in [
            "",
            "bc1",
            "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4",
            "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1",
            "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9",
            "0x76b4c56085ED136a8744D52bE956396624a730E8",
            "bitcoin",
        ] {
            assert_eq!(BitcoinAddress::parse(text), Err(AddressError::Bitcoin), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_program_round_trips(short in any::<[u8; 20]>(), long in any::<[u8; 32]>()) {
            for address in [
                BitcoinAddress::KeyHash(short),
                BitcoinAddress::ScriptHash(short),
                BitcoinAddress::WitnessKeyHash(short),
                BitcoinAddress::WitnessScriptHash(long),
                BitcoinAddress::Taproot(long),
            ] {
                prop_assert_eq!(BitcoinAddress::parse(&address.to_string()), Ok(address));
                prop_assert_eq!(BitcoinAddress::from_bytes(&address.to_bytes()), Some(address));
            }
        }

        #[test]
        fn any_text_is_parsed_or_rejected_without_panic(text in "(bc1|1|3|tb1)?\\PC{0,90}") {
            let _ = BitcoinAddress::parse(&text);
        }
    }
}
