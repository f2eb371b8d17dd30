use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// Symbols of well-known tokens, protected from imitation.
#[derive(Debug, Default)]
pub(crate) struct Protected(HashSet<String>);

impl Protected {
    pub(crate) fn new<'a>(symbols: impl IntoIterator<Item = &'a str>) -> Self {
        Self(symbols.into_iter().flat_map(skeletons).filter(|shape| !shape.is_empty()).collect())
    }

    /// Whether `symbol` looks like a protected one.
    pub(crate) fn is_imitated_by(&self, symbol: &str) -> bool {
        skeletons(symbol).iter().any(|shape| self.0.contains(shape))
    }
}

/// The symbol without case, width, homoglyphs and decoration.
///
/// Homoglyphs differ by case (the Cyrillic `Н` looks like `H`, `н` does not), so each case is checked.
fn skeletons(symbol: &str) -> Vec<String> {
    if symbol.is_ascii() {
        return vec![folded(symbol.chars()), visual_form(symbol.chars())];
    }
    let plain: String = symbol.nfkc().collect();
    [plain.to_lowercase(), plain.to_uppercase(), plain]
        .iter()
        .flat_map(|text| [folded(skeleton(text)), visual_form(skeleton(text))])
        .collect()
}

/// Letters by identity: `link` is `LINK`.
fn folded(letters: impl Iterator<Item = char>) -> String {
    let joined = letters.flat_map(char::to_lowercase).map(|c| if c == '0' { 'o' } else { c });
    joined.filter(|c| is_significant(*c)).collect::<String>().replace("rn", "m")
}

/// Letters by appearance: `I`, `l` and `1` are bars, while `L` is not.
fn visual_form(letters: impl Iterator<Item = char>) -> String {
    let bars = letters.map(|c| if matches!(c, 'I' | 'l' | '1') { '|' } else { c });
    folded(bars)
}

/// Spaces, dots and dollar signs are decoration; `USDC+` is a name of its own.
fn is_significant(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '|' | '+' | '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn imitations_are_detected() {
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
    fn other_symbols_are_not_imitations() {
        let protected = Protected::new(["USDC", "ETH", "SOL", "LDO", "USD1"]);
        for other in ["USDC.e", "USDT", "WETH", "ETHFI", "SOLV", "🐶", "", "stETH", "USDC+", "IDO", "USDL"]
        {
            assert!(!protected.is_imitated_by(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn any_symbol_has_a_skeleton(symbol in "\\PC{0,20}") {
            let protected = Protected::new([symbol.as_str()]);
            let visible = skeletons(&symbol).iter().any(|shape| !shape.is_empty());
            prop_assert_eq!(protected.is_imitated_by(&symbol), visible);
        }
    }
}
