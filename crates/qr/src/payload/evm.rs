/// An EIP-681 payment, or `None` unless the chain id, the token and the recipient are all well-formed.
///
/// Addresses are kept as they are spelled, since the capitals may be a checksum.
pub(super) fn uri(chain_id: &str, token: &str, recipient: &str, base_units: &str) -> Option<String> {
    if !is_chain_id(chain_id) || !is_address(recipient) {
        return None;
    }
    if is_native(token) {
        Some(["ethereum:", recipient, "@", chain_id, "?value=", base_units].concat())
    } else if is_address(token) {
        let call =
            ["ethereum:", token, "@", chain_id, "/transfer?address=", recipient, "&uint256=", base_units];
        Some(call.concat())
    } else {
        None
    }
}

/// Whether this names the chain's own currency.
///
/// The two words count in lower case only: `ETH` is as likely to mean the bridged token on another chain.
fn is_native(token: &str) -> bool {
    matches!(token, "native" | "eth") || is_placeholder(token)
}

/// The zero address, or that of forty `e`, in any case and with either spelling of the prefix.
pub(super) fn is_placeholder(token: &str) -> bool {
    let digits = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X"));
    digits.is_some_and(|digits| {
        digits.len() == 40
            && (digits.bytes().all(|b| b == b'0') || digits.bytes().all(|b| matches!(b, b'e' | b'E')))
    })
}

fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() == 40 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A number from 1 that fits 64 bits, written the one canonical way.
fn is_chain_id(text: &str) -> bool {
    text.parse::<u64>().is_ok_and(|id| id != 0)
        && text.bytes().all(|b| b.is_ascii_digit())
        && !text.starts_with('0')
}
