//! The encoding of sealed routes. Reading accepts any bytes and never panics.

use alloy_primitives::U256;

use crate::{Address, ChainId, RawAmount, TokenId};

/// Writes values in sequence. A repeated address is written as a reference.
#[derive(Default)]
pub(super) struct Encoder {
    pub(super) bytes: Vec<u8>,
    addresses: Vec<Address>,
}

impl Encoder {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ..Self::default() }
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// A varint: seven bits per byte, the lowest first; the highest bit says that more follow.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(low_bits(number) | 0x80);
            number >>= 7;
        }
        self.bytes.push(low_bits(number));
    }

    /// A zigzag varint: numbers near zero are short, whatever their sign.
    pub(super) fn signed(&mut self, number: i64) {
        self.number((number << 1 ^ number >> 63).cast_unsigned());
    }

    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    /// The significant bytes, the highest first.
    pub(super) fn amount(&mut self, amount: RawAmount) {
        let amount = amount.get();
        let bytes: [u8; 32] = amount.to_be_bytes();
        let used = bytes.get(amount.leading_zeros() / 8..).unwrap_or_default();
        self.short(used);
    }

    /// Up to 255 bytes, prefixed with their count.
    pub(super) fn short(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() <= 255, "ids and amounts are short");
        self.bytes.push(low_byte(bytes.len()));
        self.bytes.extend_from_slice(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(super) fn address(&mut self, address: Address) {
        let known = self.addresses.iter().position(|known| *known == address);
        self.count(known.unwrap_or(self.addresses.len()));
        if known.is_none() {
            self.addresses.push(address);
            match address {
                // The hot path, without an allocation.
                Address::Evm(address) => self.short(address.as_slice()),
                address => self.short(&address.to_bytes()),
            }
        }
    }

    pub(super) fn token(&mut self, token: TokenId) {
        self.number(token.chain().get());
        self.address(token.address());
    }
}

fn low_bits(number: u64) -> u8 {
    u8::try_from(number & 0x7f).unwrap_or_default()
}

fn low_byte(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// Reads values in sequence; `None` if the bytes are invalid.
pub(super) struct Decoder<'a> {
    rest: &'a [u8],
    addresses: Vec<Address>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, addresses: Vec::new() }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// How many things follow, each of at least one byte.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }

    pub(super) fn amount(&mut self) -> Option<RawAmount> {
        U256::try_from_be_slice(self.short()?).map(RawAmount::new)
    }

    pub(super) fn short(&mut self) -> Option<&'a [u8]> {
        let count = self.byte()?;
        self.take(usize::from(count))
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let count = self.count()?;
        std::str::from_utf8(self.take(count)?).ok()
    }

    pub(super) fn address(&mut self) -> Option<Address> {
        let place = usize::try_from(self.number()?).ok()?;
        if place == self.addresses.len() {
            let bytes = self.short()?;
            self.addresses.push(Address::from_bytes(bytes)?);
        }
        self.addresses.get(place).copied()
    }

    pub(super) fn token(&mut self) -> Option<TokenId> {
        let chain = ChainId::new(self.number()?)?;
        TokenId::from_address(chain, self.address()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_read_back(number in any::<u64>(), signed in any::<i64>(), small in -70i64..70) {
            let mut out = Encoder::default();
            out.number(number);
            out.signed(signed);
            out.signed(small);
            prop_assert!(out.bytes.len() <= 22);
            let mut read = Decoder::new(&out.bytes);
            prop_assert_eq!(
                (read.number(), read.signed(), read.signed(), read.is_at_end()),
                (Some(number), Some(signed), Some(small), true)
            );
        }
    }

    #[test]
    fn invalid_numbers_are_rejected() {
        assert_eq!(Decoder::new(&[0xff; 12]).number(), None);
        assert_eq!(Decoder::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).number(), None);
        assert_eq!(Decoder::new(&[0x80]).number(), None);
    }

    #[test]
    fn repeated_addresses_are_written_as_references() {
        let mut out = Encoder::default();
        let address = Address::Solana([7; 32]);
        for _ in 0..3 {
            out.text("filler");
            out.address(address);
        }
        assert_eq!(out.bytes.len(), 3 * 7 + 2 + 32 + 2);
        let mut read = Decoder::new(&out.bytes);
        for _ in 0..3 {
            assert_eq!((read.text(), read.address()), (Some("filler"), Some(address)));
        }
    }
}
