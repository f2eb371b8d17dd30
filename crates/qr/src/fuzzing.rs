//! Parameters of payment codes as strangers send them, with the rules that every payload keeps. Compiled for fuzzing and for the
//! test that replays the committed inputs.

use crate::payload::{MAX_CHARACTERS, Transfer, base_units, generic, solana_pay, transfer};
use crate::{Style, modules, svg};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[("contents", contents), ("transfers", transfers)];

/// Lines: amount, recipient, chain, token, decimals, size, theme, margin. A missing line is a missing parameter.
fn transfers(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let mut lines = text.split('\n');
    let [amount, recipient, caip2, token, decimals, size, theme, margin] =
        std::array::from_fn(|_| lines.next());
    let style = Style::from_query(size, theme, margin);
    if let Ok(style) = &style {
        assert!((96..=512).contains(&style.size) && style.margin <= 16);
    }
    let Ok(asked) = Transfer::from_query(amount, recipient, caip2, token, decimals) else { return };
    assert!(asked.decimals <= 36);
    if let Ok(payload) = transfer(&asked) {
        is_sound(&asked, &payload);
        // A recipient of many bytes may fit into no code.
        let drawn = svg(&payload, &style.unwrap_or_default());
        assert!(
            drawn.is_ok_and(|image| image.starts_with("<svg") && image.ends_with("</svg>"))
                || payload.len() > 2_900
        );
    }
    if let Some(uri) = solana_pay(&asked) {
        assert!(uri.starts_with(&format!("solana:{}?amount={}", asked.recipient, asked.amount)));
        assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":?=&.-".contains(&byte)), "{uri}");
    }
}

/// A payload is the recipient alone, or a URI that names recipient, chain, token and amount once and in full.
fn is_sound(asked: &Transfer<'_>, payload: &str) {
    assert!(payload.chars().count() <= MAX_CHARACTERS);
    if payload == asked.recipient {
        return;
    }
    if payload.starts_with("bitcoin:") {
        assert_eq!(payload, format!("bitcoin:{}?amount={}", asked.recipient, asked.amount));
        return;
    }
    let units = base_units(asked.amount, asked.decimals).unwrap_or_default();
    assert!(!units.is_empty() && units.bytes().all(|byte| byte.is_ascii_digit()), "{units}");
    assert!(units == "0" || !units.starts_with('0'), "{units}");
    let chain = asked.caip2.strip_prefix("eip155:").unwrap_or_default();
    let coin = format!("ethereum:{}@{chain}?value={units}", asked.recipient);
    let token =
        format!("ethereum:{}@{chain}/transfer?address={}&uint256={units}", asked.token, asked.recipient);
    assert!(payload == coin || payload == token, "{payload}");
}

fn contents(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(content) = generic(Some(text)) else { return };
    assert_eq!(content, text);
    // Every text that fits into a code is drawn; some of the longest have too many bytes.
    let (drawn, image) = (modules(content), svg(content, &Style::default()));
    assert_eq!(drawn.is_ok(), image.is_ok());
    if let Ok(rows) = drawn {
        assert!((21..=177).contains(&rows.len()) && rows.len() % 4 == 1);
        assert!(rows.iter().all(|row| row.len() == rows.len()));
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("qr", super::PARSERS);
    }
}
