use causeway_domain::{ChainId, TokenId};
use sha2::{Digest, Sha256};

/// The sort key of the last token of a page, exact as a JSON number.
///
/// The catalog changes between two pages when a list is refreshed, so a cursor must not be an offset. Every token
/// has a sort key that depends on nothing but its identity and its fixed rank among the well-known: below 2^52 the
/// rank and then the chain id, from 2^52 on 52 bits of a hash of the identifier. Tokens come and go around a
/// cursor, and those that stay are neither skipped nor repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(u64);

const CHAIN_BITS: u32 = 40;
const HASH_BITS: u32 = 52;
/// Ranks take the bits between those of the chain id and the mark of the hashed keys.
pub(super) const MAX_RANK: u16 = (1 << (HASH_BITS - CHAIN_BITS)) - 1;

impl Cursor {
    /// The largest cursor that a JSON number represents exactly.
    pub const MAX: u64 = (1 << 53) - 1;

    /// A cursor from a client; `None` beyond [`Cursor::MAX`].
    pub const fn new(value: u64) -> Option<Self> {
        if value <= Self::MAX { Some(Self(value)) } else { None }
    }

    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The sort key of a token; `rank` is that of its asset, 1 being the best known.
pub(crate) fn sort_key(id: &TokenId, rank: Option<u16>) -> u64 {
    match (rank, small_chain(id.chain())) {
        (Some(rank), Some(chain)) => (u64::from(rank.min(MAX_RANK)) << CHAIN_BITS) | chain,
        // Native coins without an asset follow the ranked tokens.
        (None, Some(chain)) if id.is_native() => (u64::from(MAX_RANK) << CHAIN_BITS) | chain,
        _ => (1 << HASH_BITS) | hash(id),
    }
}

/// Whether a sort key is that of a ranked token or a native coin.
pub(crate) const fn is_well_known(key: u64) -> bool {
    key >> HASH_BITS == 0
}

fn small_chain(chain: ChainId) -> Option<u64> {
    Some(chain.get()).filter(|id| id >> CHAIN_BITS == 0)
}

/// SHA-256, because the order must be stable across compilers and libraries.
fn hash(id: &TokenId) -> u64 {
    let mut hasher = Sha256::new();
    hasher.update(id.chain().get().to_be_bytes());
    match id.address() {
        causeway_domain::Address::Evm(address) => hasher.update(address.as_slice()),
        causeway_domain::Address::Solana(bytes) => hasher.update(bytes),
        address => hasher.update(address.to_string()),
    }
    hasher.finalize().iter().take(8).fold(0u64, |key, byte| (key << 8) | u64::from(*byte)) >> (64 - HASH_BITS)
}

#[cfg(test)]
mod tests {
    use causeway_domain::Address;
    use proptest::prelude::*;

    use super::*;

    fn id(text: &str) -> TokenId {
        text.parse().unwrap()
    }

    #[test]
    fn well_known_tokens_come_by_rank_then_chain_then_natives_then_the_rest() {
        let usdc = id("eip155:1:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
        let base = id("eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
        let native = TokenId::native(ChainId::new(1).unwrap());
        let keys = [
            sort_key(&usdc, Some(2)),
            sort_key(&base, Some(2)),
            sort_key(&native, None),
            sort_key(&usdc, None),
        ];
        assert!(keys.is_sorted(), "{keys:?}");
    }

    #[test]
    fn keys_do_not_change_between_releases() {
        let usdc = id("eip155:1:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
        assert_eq!(sort_key(&usdc, None), 8_923_321_254_062_862);
    }

    proptest! {
        #[test]
        fn keys_are_json_numbers(chain in 1u64..=ChainId::MAX, evm in any::<[u8; 20]>(), rank in any::<Option<u16>>()) {
            let id = TokenId::new(ChainId::new(chain).unwrap(), &Address::Evm(evm.into()).to_string());
            if let Ok(id) = id {
                prop_assert!(Cursor::new(sort_key(&id, rank)).is_some());
            }
        }
    }

    #[test]
    fn a_cursor_past_two_to_the_53_is_none() {
        assert!(Cursor::new(Cursor::MAX).is_some());
        assert!(Cursor::new(Cursor::MAX + 1).is_none());
    }
}
