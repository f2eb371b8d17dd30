use super::Transfer;
use super::evm::is_placeholder;

const MAINNET: &str = "000000000019d6689c085ae165831e93";
/// Testnet 3, testnet 4, signet and regtest.
const TEST_NETWORKS: [&str; 4] = [
    "000000000933ea01ad0ee984209779ba",
    "00000000da84f2bafbbc53dee25a72ae",
    "00000008819873e925422c1ff0f99f7c",
    "0f9188f13cb7b2c71f2a335e3a4fc328",
];

/// A BIP-21 payment, or `None` unless this is bitcoin on a Bitcoin network to an address of that network.
///
/// Other coins share the namespace and some share the form of addresses, so a `bitcoin:` URI for one of them
/// could send the wrong coin to an unrecoverable address.
pub(super) fn uri(genesis: &str, transfer: &Transfer<'_>) -> Option<String> {
    let recipient = transfer.recipient;
    let is_address = if genesis == MAINNET {
        is_base58(recipient, &["1", "3"]) || is_bech32(recipient, &["bc1"])
    } else if TEST_NETWORKS.contains(&genesis) {
        is_base58(recipient, &["m", "n", "2"]) || is_bech32(recipient, &["tb1", "bcrt1"])
    } else {
        false
    };
    // With other decimals than bitcoin has, the amount may be finer than a satoshi.
    let is_bitcoin = transfer.decimals == 8 && is_native(transfer.token);
    (is_address && is_bitcoin).then(|| ["bitcoin:", recipient, "?amount=", transfer.amount].concat())
}

fn is_native(token: &str) -> bool {
    let names = ["native", "btc", "bitcoin", "slip44:0"];
    names.iter().any(|name| token.eq_ignore_ascii_case(name)) || is_placeholder(token)
}

fn is_base58(text: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| text.starts_with(prefix))
        && text.len() <= 35
        && text.bytes().all(|b| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l'))
}

fn is_bech32(text: &str, prefixes: &[&str]) -> bool {
    let lower = text.to_ascii_lowercase();
    // Capitals make a smaller symbol and are allowed, but not mixed with small letters.
    let one_case = text == lower || text == text.to_ascii_uppercase();
    let data = prefixes.iter().find_map(|prefix| lower.strip_prefix(prefix));
    one_case
        && text.len() <= 90
        && data.is_some_and(|data| {
            !data.is_empty() && data.bytes().all(|b| b"qpzry9x8gf2tvdw0s3jn54khce6mua7l".contains(&b))
        })
}
