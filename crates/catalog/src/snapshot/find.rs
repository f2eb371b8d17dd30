use causeway_domain::{Address, ChainId, Family, TokenId};

use super::{Listed, Snapshot};
use crate::search::{Hit, Scope, Tier};

/// Maximum number of search results.
pub const MAX_SEARCH_RESULTS: usize = 50;

/// Minimum length of an address prefix.
const MIN_HEX_DIGITS: usize = 4;

impl Snapshot {
    /// The tokens that match `q` by symbol, name, address or identifier, best first, with typo tolerance.
    pub fn search(&self, q: &str, chains: &[ChainId], limit: usize) -> Vec<Listed<'_>> {
        let hits = self.hits(q, &self.scope(chains), limit.min(MAX_SEARCH_RESULTS));
        hits.into_iter().filter_map(|hit| self.listed(hit.ordinal)).collect()
    }

    pub(crate) fn hits(&self, q: &str, scope: &Scope, limit: usize) -> Vec<Hit> {
        let q = q.trim();
        match self.identified(q) {
            Some(ordinals) => ordinals
                .into_iter()
                .filter(|ordinal| self.admits(scope, *ordinal))
                .map(|ordinal| Hit { ordinal, tier: Tier::Id })
                .take(limit)
                .collect(),
            None => self.index().search(q, scope, limit),
        }
    }

    /// The tokens that `q` names by identifier or address; `None` if it is neither.
    pub(super) fn identified(&self, q: &str) -> Option<Vec<u32>> {
        if let Ok(id) = q.parse::<TokenId>() {
            return Some(self.ordinal(&id).into_iter().collect());
        }
        match Address::parse_any(q) {
            Some(address @ Address::Evm(bytes)) => {
                let native = bytes.iter().all(|byte| *byte == 0xee);
                Some(self.at_address(if native { Address::native(Family::Evm) } else { address }))
            }
            // A long word may be valid base58; it counts as an address only if a token is there.
            Some(address) => Some(self.at_address(address)).filter(|found| !found.is_empty()),
            None => self.at_address_start(q).filter(|found| !found.is_empty()),
        }
    }

    pub(super) fn ordinal(&self, id: &TokenId) -> Option<u32> {
        self.by_id.get(id).copied()
    }

    fn sort_position(&self, ordinal: u32) -> Option<(Address, ChainId)> {
        self.tokens.get(ordinal as usize).map(|token| (token.id.address(), token.id.chain()))
    }

    fn at_address(&self, address: Address) -> Vec<u32> {
        self.between(address, address)
    }

    /// The tokens of EVM chains whose address starts with the given digits.
    fn at_address_start(&self, text: &str) -> Option<Vec<u32>> {
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
        let is_start = (MIN_HEX_DIGITS..40).contains(&digits.len()) && digits.is_ascii();
        let filled = |digit: &str| {
            let filling = digit.repeat(40_usize.saturating_sub(digits.len()));
            Address::parse_any_case(Family::Evm, &format!("0x{digits}{filling}")).ok()
        };
        if is_start { Some(self.between(filled("0")?, filled("f")?)) } else { None }
    }

    fn between(&self, low: Address, high: Address) -> Vec<u32> {
        let address = |ordinal: &u32| self.sort_position(*ordinal).map(|(address, _)| address);
        let start = self.by_address.partition_point(|ordinal| address(ordinal) < Some(low));
        let end = self.by_address.partition_point(|ordinal| address(ordinal) <= Some(high));
        let mut found = self.by_address.get(start..end).unwrap_or_default().to_vec();
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture;

    const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

    fn found(q: &str) -> Vec<String> {
        let snapshot = fixture::snapshot();
        snapshot.search(q, &[], 50).iter().map(|listed| listed.token.id.to_string()).collect()
    }

    #[test]
    fn an_address_matches_in_any_case_whole_or_as_prefix() {
        let usdc = [format!("eip155:1:{USDC}")];
        for q in [USDC.to_owned(), USDC.to_lowercase(), USDC.to_uppercase(), format!(" {USDC} ")] {
            assert_eq!(found(&q), usdc);
        }
        assert_eq!(found("0xa0b86991"), usdc);
        assert_eq!(found("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb49"), Vec::<String>::new());
    }

    #[test]
    fn a_whole_identifier_names_one_token() {
        assert_eq!(found(&format!("eip155:1:{}", USDC.to_lowercase())), [format!("eip155:1:{USDC}")]);
        assert_eq!(found(&format!("{{\"chainId\":1,\"address\":\"{USDC}\"}}")), [format!("eip155:1:{USDC}")]);
        assert_eq!(found(&format!("eip155:999:{USDC}")), Vec::<String>::new());
    }

    #[test]
    fn forty_e_and_forty_zeros_are_the_native_coins() {
        let natives = found(&format!("0x{}", "e".repeat(40)));
        assert!(natives.len() > 1 && natives.iter().all(|id| id.ends_with(&"0".repeat(40))));
        assert_eq!(natives, found(&format!("0x{}", "0".repeat(40))));
        assert_eq!(
            found(&format!("eip155:1:0x{}", "E".repeat(40))),
            [format!("eip155:1:0x{}", "0".repeat(40))]
        );
    }

    #[test]
    fn a_mint_is_found_by_its_address() {
        assert_eq!(found(fixture::SOLANA_USDC).len(), 1);
    }

    #[test]
    fn imitations_are_marked_and_ranked_behind() {
        let snapshot = fixture::snapshot();
        let hits = snapshot.search("usdc", &[], 50);
        let first_risk = hits.iter().position(|listed| listed.is_risk).unwrap();
        assert!(hits[..first_risk].iter().any(|listed| listed.token.symbol == "USDC.e"));
        assert!(hits.iter().all(|listed| listed.is_risk == listed.token.name.contains("Fake")));
        let fake_eth = snapshot.search("eth", &[], 50).into_iter().find(|listed| listed.is_risk).unwrap();
        assert_eq!(fake_eth.token.name, "Fake Ether");
    }

    #[test]
    fn aliases_of_a_coin_find_it() {
        let snapshot = fixture::snapshot();
        assert_eq!(snapshot.search("ethereum", &[], 1)[0].token.symbol, "ETH");
        assert_eq!(snapshot.search("ethreum", &[], 1)[0].token.symbol, "ETH");
        assert_eq!(snapshot.search("usdcoin", &[], 1)[0].token.symbol, "USDC");
    }

    proptest! {
        #[test]
        fn any_query_is_answered(q in "(0x|eip155:|solana:)?\\PC{0,60}", limit in 0usize..80) {
            let snapshot = fixture::snapshot();
            prop_assert!(snapshot.search(&q, &[], limit).len() <= limit.min(MAX_SEARCH_RESULTS));
        }
    }
}
