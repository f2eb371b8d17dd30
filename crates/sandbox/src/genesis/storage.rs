use alloy_primitives::{Address, B256, U256, keccak256};

/// The storage slots of the test tokens; see `contracts/evm/src/sandbox/TokenStorage.sol`.
pub(super) mod slot {
    pub(crate) const NAME: u64 = 0;
    pub(crate) const SYMBOL: u64 = 1;
    pub(crate) const DECIMALS: u64 = 2;
    pub(crate) const BALANCE_OF: u64 = 3;
    pub(crate) const TOTAL_SUPPLY: u64 = 5;
    pub(crate) const FAUCET: u64 = 6;
    pub(crate) const VERSION: u64 = 7;
    pub(crate) const TAX_BASIS_POINTS: u64 = 7;
}

/// Contract storage in Solidity's layout.
#[derive(Debug, Default)]
pub(super) struct Storage(Vec<(U256, U256)>);

impl Storage {
    pub(super) fn number(&mut self, slot: u64, value: U256) {
        self.put(U256::from(slot), value);
    }

    pub(super) fn address(&mut self, slot: u64, value: Address) {
        self.put(U256::from(slot), value.into_word().into());
    }

    /// Up to 31 bytes share their slot with twice their length; longer text goes to the slots that the
    /// slot's hash points to, and twice its length plus one stays behind.
    pub(super) fn text(&mut self, slot: u64, text: &str) {
        let slot = U256::from(slot);
        let length = U256::from(text.len()) * U256::from(2);
        if text.len() < 32 {
            self.put(slot, U256::from_be_bytes(B256::right_padding_from(text.as_bytes()).0) | length);
            return;
        }
        self.put(slot, length | U256::ONE);
        let mut place = U256::from_be_bytes(keccak256(B256::from(slot)).0);
        for piece in text.as_bytes().chunks(32) {
            self.put(place, U256::from_be_bytes(B256::right_padding_from(piece).0));
            place = place.wrapping_add(U256::ONE);
        }
    }

    /// An entry of a mapping from addresses.
    pub(super) fn entry(&mut self, slot: u64, key: Address, value: U256) {
        let place = keccak256([key.into_word().0, B256::from(U256::from(slot)).0].concat());
        self.put(place.into(), value);
    }

    pub(super) fn into_slots(self) -> Vec<(U256, U256)> {
        self.0
    }

    /// Zero is what an unwritten slot reads as.
    fn put(&mut self, place: U256, value: U256) {
        if !value.is_zero() {
            self.0.push((place, value));
        }
    }
}
