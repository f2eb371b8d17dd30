use alloy_primitives::{B256, hex};

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
