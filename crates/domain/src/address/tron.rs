use super::AddressError;
use super::base58check::{self, Base58Error};

/// The first byte of Tron's addresses, which makes them begin with `T`.
pub(super) const VERSION: u8 = 0x41;

/// Parses an address of Tron as wallets show it. The hex form has no checksum and is refused in words.
pub(super) fn parse(text: &str) -> Result<[u8; 20], AddressError> {
    if is_hex_form(text) {
        return Err(AddressError::TronHex);
    }
    match base58check::decode(text) {
        Ok((VERSION, address)) => Ok(address),
        Ok(_) | Err(Base58Error::Form) => Err(AddressError::Tron),
        Err(Base58Error::Checksum) => Err(AddressError::TronChecksum),
    }
}

/// Whether this is `41` or `0x` and 40 hex digits, or both.
fn is_hex_form(text: &str) -> bool {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_prefixed = |text: &str| text.len() == 42 && text.starts_with("41");
    is_hex(digits.unwrap_or(text))
        && (is_prefixed(digits.unwrap_or(text)) || digits.is_some_and(|digits| digits.len() == 40))
}

pub(super) fn encode(address: &[u8; 20]) -> String {
    base58check::encode(VERSION, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// USDT's contract.
    const USDT: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";

    #[test]
    fn an_address_round_trips_through_text() {
        let address = parse(USDT).unwrap();
        assert_eq!(alloy_primitives::hex::encode(address), "a614f803b6fd780986a42c78ec9c7f77e6ded13c");
        assert_eq!(encode(&address), USDT);
        assert_eq!(encode(&[0; 20]), "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb");
    }

    #[test]
    fn the_hex_form_is_refused_in_words() {
        for text in [
            "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
            "0x41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
            "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c",
            "0XA614F803B6FD780986A42C78EC9C7F77E6DED13C",
        ] {
            assert_eq!(parse(text), Err(AddressError::TronHex), "{text}");
        }
        assert!(AddressError::TronHex.to_string().contains("base58"));
    }

    #[test]
    fn a_changed_character_fails_the_checksum_and_other_chains_are_refused() {
        assert_eq!(parse("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"), Err(AddressError::TronChecksum));
        for text in
            ["", "T", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96"]
        {
            assert_eq!(parse(text), Err(AddressError::Tron), "{text}");
        }
    }
}
