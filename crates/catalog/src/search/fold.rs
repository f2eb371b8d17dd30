use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words and names are compared by their start only.
const MAX_CHARS: usize = 48;

/// Lower case without accents, in the compatibility form: what the index compares.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        // Fast path: nearly every name is ASCII, and Unicode folding dominates the startup time.
        text.to_ascii_lowercase()
    } else {
        text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect()
    }
}

/// The words of a text: runs of letters and digits.
pub(crate) fn words(text: &str) -> Vec<String> {
    folded(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(MAX_CHARS).collect())
        .collect()
}

/// The text without separators, so that `usd coin` equals `usdcoin`.
///
/// Text without letters and digits (`🐶`) keeps its symbols.
pub(crate) fn compact(text: &str) -> String {
    let folded = folded(text);
    // `USD+` is not USD.
    let is_significant = |c: &char| c.is_alphanumeric() || matches!(c, '+' | '*');
    let joined: String = folded.chars().filter(is_significant).take(MAX_CHARS).collect();
    if joined.is_empty() {
        folded.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(MAX_CHARS).collect()
    } else {
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_accents_width_and_punctuation_are_ignored() {
        assert_eq!(words("Wrapped Béra-Token (PoS)"), ["wrapped", "bera", "token", "pos"]);
        assert_eq!(compact("USDC.e"), "usdce");
        assert_eq!(compact("USD+"), "usd+");
        assert_eq!(compact("ＵＳＤ Coin"), "usdcoin");
        assert_eq!(compact("İ"), "i");
    }

    #[test]
    fn a_symbol_without_letters_is_kept() {
        assert_eq!(compact(" 🐶 "), "🐶");
        assert_eq!(compact("  "), "");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,60}") {
            let once = compact(&text);
            prop_assert_eq!(compact(&once), once.clone());
            prop_assert!(words(&text).iter().all(|word| !word.is_empty()));
        }
    }
}
