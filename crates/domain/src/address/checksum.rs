//! The checksummed texts of EVM addresses (EIP-55), whose capitals take a Keccak hash.

use std::cell::RefCell;

use alloy_primitives::Address as EvmAddress;

/// How many texts a thread remembers, one for each remainder of the address.
const REMEMBERED: usize = 256;

/// The text of the zero address, whose checksum changes nothing.
const ZERO: [u8; 42] = *b"0x0000000000000000000000000000000000000000";

thread_local! {
    /// Addresses with their texts. Quotes repeat those of tokens and of the payer: read from here, a text takes a tenth of the
    /// instructions.
    static TEXTS: RefCell<[(EvmAddress, [u8; 42]); REMEMBERED]> =
        const { RefCell::new([(EvmAddress::ZERO, ZERO); REMEMBERED]) };
}

/// The 42 bytes of the address's text.
pub(super) fn checksummed(address: &EvmAddress) -> [u8; 42] {
    if address.is_zero() {
        return ZERO;
    }
    let [.., low] = address.0.0;
    TEXTS.with_borrow_mut(|texts| {
        let Some((known, text)) = texts.get_mut(usize::from(low) % REMEMBERED) else {
            return hashed(address);
        };
        if known != address {
            (*known, *text) = (*address, hashed(address));
        }
        *text
    })
}

fn hashed(address: &EvmAddress) -> [u8; 42] {
    let buffer = address.to_checksum_buffer(None);
    // The text of every address has this length.
    buffer.as_str().as_bytes().first_chunk().copied().unwrap_or(ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_share_a_place_keep_their_own_texts() {
        let of = |first: u8| {
            let mut bytes = [0xa7; 20];
            bytes[0] = first;
            EvmAddress::from(bytes)
        };
        for first in (0..=255).chain([7, 7, 8]) {
            let text = checksummed(&of(first));
            assert_eq!(str::from_utf8(&text), Ok(of(first).to_checksum(None).as_str()));
        }
        assert_eq!(checksummed(&EvmAddress::ZERO), ZERO);
        assert_eq!(str::from_utf8(&ZERO), Ok(EvmAddress::ZERO.to_checksum(None).as_str()));
    }
}
