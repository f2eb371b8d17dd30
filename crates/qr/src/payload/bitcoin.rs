use super::Transfer;
use super::amount::has_at_most_fraction_digits;
use super::evm::is_placeholder;

/// Digits after the point that a bitcoin has.
const DECIMALS: usize = 8;

/// The first blocks of other coins that share the namespace: Litecoin, Dogecoin, Bitcoin Cash, Bitcoin SV, Dash, Zcash.
///
/// A `bitcoin:` URI for one of them could send the wrong coin to an unrecoverable address.
const OTHER_COINS: [&str; 6] = [
    "12a765e31ffd4059bada1e25190f6e98",
    "1a91e3dace36e2be3bf030a65679fe82",
    "000000000000000000651ef99cb9fcbe",
    "000000000000000001d956714215d96f",
    "00000ffd590b1485b3caadc19b22e637",
    "00040fe8ec8471911baa1db1266ea15d",
];

/// A BIP-21 payment, or `None` unless this is bitcoin to something with the form of an address.
///
/// The amount is written as given, whatever decimals the query names: BIP-21 counts in bitcoin.
pub(super) fn uri(genesis: &str, transfer: &Transfer<'_>) -> Option<String> {
    let recipient = transfer.recipient;
    let is_bitcoin = !genesis.is_empty() && !OTHER_COINS.contains(&genesis) && is_native(transfer.token);
    let is_payable = has_at_most_fraction_digits(transfer.amount, DECIMALS);
    (is_bitcoin && is_payable && is_address(recipient))
        .then(|| ["bitcoin:", recipient, "?amount=", transfer.amount].concat())
}

/// What stands for the coin where a token has to be an address: the witness program of twenty zero bytes.
const COIN: &str = "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs";

fn is_native(token: &str) -> bool {
    let names = ["native", "btc", "bitcoin", "slip44:0", COIN];
    names.iter().any(|name| token.eq_ignore_ascii_case(name)) || is_placeholder(token)
}

/// Whether the text has the form of a Bitcoin address of any network, base58 or bech32: letters and digits only, so that
/// nothing in it can change the meaning of the URI.
fn is_address(text: &str) -> bool {
    (14..=90).contains(&text.len())
        && !text.starts_with("0x")
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
