use std::collections::BTreeMap;
use std::sync::LazyLock;

use alloy_primitives::Address;
use causeway_wire::Token;

use crate::Error;

type Decimals = BTreeMap<u64, BTreeMap<u8, Vec<String>>>;

/// By chain and decimals, the addresses; the TypeScript SDK has the same.
static WELL_KNOWN: LazyLock<Decimals> =
    LazyLock::new(|| serde_json::from_str(include_str!("../data/decimals.json")).unwrap_or_default());

const SOLANA: u64 = 20_011_000_000;

/// The decimals of native coins and well-known tokens, built into the SDK; `None` for other tokens.
pub fn known_decimals(chain_id: u64, token: &str) -> Option<u8> {
    if chain_id == SOLANA && token == "1".repeat(32) {
        return Some(9);
    }
    let address = token.parse::<Address>().ok();
    if address.is_some_and(|address| address.is_zero() || address == Address::repeat_byte(0xee)) {
        return Some(18);
    }
    let same = |known: &String| known == token || (address.is_some() && known.eq_ignore_ascii_case(token));
    let groups = WELL_KNOWN.get(&chain_id)?;
    groups.iter().find(|(_, addresses)| addresses.iter().any(same)).map(|(decimals, _)| *decimals)
}

/// Checks what the service says of a token's decimals against what the SDK knows.
pub(crate) fn check_decimals(chain_id: u64, token: &str, decimals: u8) -> Result<(), String> {
    match known_decimals(chain_id, token) {
        Some(known) if known != decimals => Err(format!(
            "The service reports {decimals} decimals for {token} on chain {chain_id}, expected {known}."
        )),
        _ => Ok(()),
    }
}

/// Amounts are displayed by these, so wrong decimals of a well-known token are an error.
pub(crate) fn check_tokens(tokens: &[Token]) -> Result<(), Error> {
    let check = |token: &Token| check_decimals(token.chain_id, &token.address, token.decimals);
    tokens.iter().try_for_each(check).map_err(Error::invalid_response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_decimals_are_those_of_the_catalog() {
        let catalog = include_str!("../../catalog/data/tokens.tsv");
        let rows: BTreeMap<(u64, &str), u8> = catalog
            .lines()
            .skip(1)
            .map(|row| {
                let cells: Vec<_> = row.split('\t').collect();
                ((cells[0].parse().unwrap(), cells[1]), cells[4].parse().unwrap())
            })
            .collect();
        let mut count = 0;
        for (chain, groups) in &*WELL_KNOWN {
            for (decimals, address) in
                groups.iter().flat_map(|(decimals, all)| all.iter().map(move |one| (decimals, one)))
            {
                assert_eq!(rows.get(&(*chain, address.as_str())), Some(decimals), "{chain} {address}");
                assert_eq!(known_decimals(*chain, address), Some(*decimals));
                count += 1;
            }
        }
        assert!(count > 90, "{count}");
    }

    #[test]
    fn native_coins_have_18_decimals_and_sol_9() {
        let zero = format!("0x{}", "0".repeat(40));
        assert_eq!(known_decimals(1, &zero), Some(18));
        assert_eq!(known_decimals(56, "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"), Some(18));
        assert_eq!(known_decimals(SOLANA, &"1".repeat(32)), Some(9));
        assert_eq!(known_decimals(1, "0x1212121212121212121212121212121212121212"), None);
    }
}
