use alloy_primitives::{B256, keccak256};

use super::word;

/// Chains that swaps only begin on, by a transfer to a provider's address.
pub(crate) const BITCOIN: u64 = 8_253_038;
pub(crate) const TRON: u64 = 728_126_428;

/// What stands for their coins.
const BITCOIN_COIN: &str = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs";
const TRON_COIN: &str = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb";

/// An address of the chain as something to compare: its 32 bytes on EVM chains and Solana, and a hash of its text elsewhere, where
/// an address has one spelling. Zero stands for the coin. Checksums are the wallet's to check, which refuses to pay a wrong one.
pub(crate) fn on_chain(chain_id: u64, text: &str) -> Option<B256> {
    let is_base58 = |text: &str| bs58::decode(text).into_vec().is_ok_and(|bytes| bytes.len() == 25);
    match chain_id {
        BITCOIN => {
            let lower = text.to_ascii_lowercase();
            let is_one_case = text == lower || text == text.to_ascii_uppercase();
            let data = lower.strip_prefix("bc1").filter(|_| is_one_case);
            if lower == BITCOIN_COIN {
                return Some(B256::ZERO);
            }
            match data {
                Some(data) => {
                    let is_bech32 = (39..=59).contains(&data.len())
                        && data.bytes().all(|byte| b"qpzry9x8gf2tvdw0s3jn54khce6mua7l".contains(&byte));
                    is_bech32.then(|| keccak256(&lower))
                }
                None => (text.starts_with(['1', '3']) && is_base58(text)).then(|| keccak256(text)),
            }
        }
        TRON if text == TRON_COIN => Some(B256::ZERO),
        TRON => (text.starts_with('T') && is_base58(text)).then(|| keccak256(text)),
        _ => word(text),
    }
}

/// The payment link of a transfer of the chain's coin or of a token; `None` where wallets know none and a code holds the address
/// alone.
pub(super) fn link(chain_id: u64, address: &str, token: Option<&str>, amount: &str) -> Option<String> {
    match (chain_id, token) {
        (BITCOIN, _) => Some(format!("bitcoin:{address}?amount={}", bitcoins(amount))),
        (TRON, _) => None,
        (_, None) => Some(format!("ethereum:{address}@{chain_id}?value={amount}")),
        (_, Some(token)) => {
            Some(format!("ethereum:{token}@{chain_id}/transfer?address={address}&uint256={amount}"))
        }
    }
}

/// Raw units as bitcoin, which have eight decimals, without trailing zeros.
fn bitcoins(amount: &str) -> String {
    let padded = format!("{amount:0>9}");
    let (whole, fraction) = padded.split_at(padded.len().saturating_sub(8));
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_form_of_their_chain() {
        for (chain, text, is_address) in [
            (BITCOIN, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", true),
            (BITCOIN, "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", true),
            (BITCOIN, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", true),
            (BITCOIN, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", false),
            (BITCOIN, "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", false),
            (BITCOIN, "0x76b4c56085ED136a8744D52bE956396624a730E8", false),
            (TRON, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", true),
            (TRON, "41a614f803b6fd780986a42c78ec9c7f77e6ded13c", false),
            (8453, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", false),
        ] {
            assert_eq!(on_chain(chain, text).is_some_and(|word| !word.is_zero()), is_address, "{text}");
        }
        let upper = "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4";
        assert_eq!(on_chain(BITCOIN, upper), on_chain(BITCOIN, &upper.to_lowercase()));
        assert_eq!(
            (on_chain(BITCOIN, BITCOIN_COIN), on_chain(TRON, TRON_COIN)),
            (Some(B256::ZERO), Some(B256::ZERO))
        );
    }

    #[test]
    fn bitcoin_links_are_in_bitcoin() {
        for (amount, text) in
            [("25000", "0.00025"), ("100000000", "1"), ("1", "0.00000001"), ("1230000000", "12.3")]
        {
            assert_eq!(link(BITCOIN, "bc1q", None, amount).unwrap(), format!("bitcoin:bc1q?amount={text}"));
        }
    }
}
