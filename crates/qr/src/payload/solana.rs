use super::{Transfer, amount, is_within_limit};

/// The address that denotes native SOL.
const SOL: &str = "11111111111111111111111111111111";

/// The Solana Pay address of a payment, or `None` unless chain, token and recipient are well-formed.
///
/// Only returned on request: a code on Solana shows the recipient alone, because not every wallet reads this form.
pub fn solana_pay(transfer: &Transfer<'_>) -> Option<String> {
    let Transfer { amount, recipient, caip2, token, decimals } = *transfer;
    amount::base_units(amount, decimals).ok()?;
    if !caip2.starts_with("solana:") || !is_address(recipient) || !is_address(token) {
        return None;
    }
    let payment = ["solana:", recipient, "?amount=", amount].concat();
    let uri = if token == SOL { payment } else { [&payment, "&spl-token=", token].concat() };
    is_within_limit(&uri).then_some(uri)
}

/// Whether the text has the form of 32 bytes in base58.
fn is_address(text: &str) -> bool {
    (32..=44).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() && !matches!(b, b'0' | b'O' | b'I' | b'l'))
}
