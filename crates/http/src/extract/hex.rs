use alloy_primitives::{B256, hex};

const SIGNATURE_BYTES: usize = 64;
/// Maximum length of 64 bytes in base58.
const MAX_SIGNATURE_CHARS: usize = 88;

/// Parses non-empty hex with a `0x` prefix.
pub(crate) fn parse_hex(text: &str) -> Result<Vec<u8>, &'static str> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    // The decoder would accept a second prefix.
    let digits = digits.filter(|digits| !digits.is_empty() && !digits.contains(['x', 'X']));
    let bytes = digits.and_then(|digits| hex::decode(digits).ok());
    bytes.ok_or("must be hex: 0x and an even number of hex digits")
}

/// Parses 32 bytes of hex with a `0x` prefix.
pub(crate) fn parse_hash(text: &str) -> Result<B256, &'static str> {
    let bytes = parse_hex(text).ok().and_then(|bytes| B256::try_from(bytes.as_slice()).ok());
    bytes.ok_or("must be 0x and 64 hex digits")
}

/// The normalized id of a transaction: a lowercase hash on EVM chains, a signature on Solana.
pub(crate) fn parse_transaction_id(text: &str) -> Result<String, &'static str> {
    let hash = parse_hash(text).map(|hash| hash.to_string());
    let signature = || bs58::decode(text).into_vec().ok().filter(|bytes| bytes.len() == SIGNATURE_BYTES);
    // Longer texts cannot be signatures and are not decoded.
    let id = hash.ok().or_else(|| {
        let short = text.len() <= MAX_SIGNATURE_CHARS;
        short.then(signature).flatten().map(|_| text.to_owned())
    });
    id.ok_or("must be 0x and 64 hex digits on EVM chains, a signature of 64 bytes in base58 on Solana")
}

/// The same of a deposit, which may also have been made on a chain whose hashes have no prefix, such as Bitcoin.
pub(crate) fn parse_submitted_id(text: &str) -> Result<String, &'static str> {
    let is_plain = text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if is_plain { Ok(text.to_ascii_lowercase()) } else { parse_transaction_id(text) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hex_needs_one_prefix_and_whole_bytes() {
        for bad in ["", "0x", "00", "0x0", "0xzz", "0x0x00", "0X0X00", " 0x00", "0x00 ", "0x٠٠"] {
            assert!(parse_hex(bad).is_err(), "{bad}");
        }
        assert_eq!(parse_hex("0xAbcd"), parse_hex("0XABCD"));
        assert_eq!(parse_hex("0xAbcd").unwrap(), [0xab, 0xcd]);
    }

    #[test]
    fn a_hash_is_exactly_32_bytes() {
        let hash = format!("0x{}", "aB".repeat(32));
        assert_eq!(parse_hash(&hash).unwrap().to_string(), hash.to_lowercase());
        for bad in [&hash[..64], &hash[2..], &format!("{hash}00")] {
            assert!(parse_hash(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(text in "(0x)?\\PC{0,70}") {
            let _ = (parse_hex(&text), parse_hash(&text));
        }

        #[test]
        fn encoded_bytes_parse_back(bytes in prop::collection::vec(any::<u8>(), 1..200)) {
            prop_assert_eq!(parse_hex(&hex::encode_prefixed(&bytes)), Ok(bytes));
        }
    }
}
