use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// The symbols that nobody else should bear.
#[derive(Debug, Default)]
pub(crate) struct Protected(HashSet<String>);

impl Protected {
    pub(crate) fn new<'a>(symbols: impl IntoIterator<Item = &'a str>) -> Self {
        Self(symbols.into_iter().flat_map(silhouettes).filter(|shape| !shape.is_empty()).collect())
    }

    /// Whether a reader could take `symbol` for one of the protected ones.
    pub(crate) fn is_imitated_by(&self, symbol: &str) -> bool {
        silhouettes(symbol).iter().any(|shape| self.0.contains(shape))
    }
}

/// What is left of a symbol when case, width, homoglyphs and decoration no longer count.
///
/// Homoglyphs differ by case (the Cyrillic `Н` passes for `H`, `н` does not), so each case is looked at.
fn silhouettes(symbol: &str) -> Vec<String> {
    if symbol.is_ascii() {
        return vec![folded(symbol.chars()), drawn(symbol.chars())];
    }
    let plain: String = symbol.nfkc().collect();
    [plain.to_lowercase(), plain.to_uppercase(), plain]
        .iter()
        .flat_map(|text| [folded(skeleton(text)), drawn(skeleton(text))])
        .collect()
}

/// The letters by what they are called: `link` is `LINK`.
fn folded(letters: impl Iterator<Item = char>) -> String {
    let joined = letters.flat_map(char::to_lowercase).map(|c| if c == '0' { 'o' } else { c });
    joined.filter(|c| is_telling(*c)).collect::<String>().replace("rn", "m")
}

/// The letters by what they look like: a capital `I` is a bar, and so are `l` and `1`, while a capital `L` is not.
fn drawn(letters: impl Iterator<Item = char>) -> String {
    let bars = letters.map(|c| if matches!(c, 'I' | 'l' | '1') { '|' } else { c });
    folded(bars)
}

/// Spaces, points and dollar signs decorate; `USDC+` is a name of its own.
fn is_telling(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '|' | '+' | '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn imitations_are_seen_through() {
        let protected = Protected::new(["USDC", "USDT", "ETH", "LINK", "SOL", "WBTC"]);
        for fake in [
            "USDC",
            "usdc",
            "UsDc",
            "USDС",
            "ＵＳＤＣ",
            "$USDC",
            "U S D C",
            "USDC\u{200b}",
            "USD₮",
            "ЕТН",
            "LlNK",
            "L1NK",
            "LΙNK",
            "ꓡINK",
            "S0L",
            "s0l",
            "W.BTC",
        ] {
            assert!(protected.is_imitated_by(fake), "{fake}");
        }
    }

    #[test]
    fn other_symbols_are_left_alone() {
        let protected = Protected::new(["USDC", "ETH", "SOL", "LDO", "USD1"]);
        for other in ["USDC.e", "USDT", "WETH", "ETHFI", "SOLV", "🐶", "", "stETH", "USDC+", "IDO", "USDL"]
        {
            assert!(!protected.is_imitated_by(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_symbol_has_a_silhouette(symbol in "\\PC{0,20}") {
            let protected = Protected::new([symbol.as_str()]);
            let visible = silhouettes(&symbol).iter().any(|shape| !shape.is_empty());
            prop_assert_eq!(protected.is_imitated_by(&symbol), visible);
        }
    }
}
