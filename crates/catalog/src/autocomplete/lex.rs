use super::number;

/// Input beyond these limits is ignored.
const MAX_CHARS: usize = 256;
const MAX_PIECES: usize = 32;

/// A token of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Number(String),
    Usd(String),
    /// `100usdc`: a number and a word, unless the whole is a word (`1inch`).
    Glued {
        number: String,
        rest: String,
        whole: String,
    },
    /// `->` and similar.
    Arrow,
    Word(String),
}

pub(super) fn lex(text: &str) -> Vec<Piece> {
    let text: String = text.chars().take(MAX_CHARS).collect();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut dollar = false;
    let words = text.split_whitespace().map(bare).filter(|raw| !raw.is_empty());
    for raw in words.flat_map(pair).take(MAX_PIECES) {
        match piece(raw) {
            Piece::Number(number) if dollar => pieces.push(Piece::Usd(number)),
            Piece::Word(word) if word == "$" => {}
            other => pieces.push(other),
        }
        dollar = raw == "$";
    }
    pieces
}

/// The piece without surrounding punctuation.
fn bare(raw: &str) -> &str {
    raw.trim_start_matches(['(', '[', '"', '\'', '“', '‘', '¿', '¡'])
        .trim_end_matches([',', ';', ':', '!', '?', ')', ']', '"', '\'', '”', '’'])
}

/// `eth/usdc` is a pair: what is sold, an arrow, what is bought. Anything else is one piece.
fn pair(raw: &str) -> impl Iterator<Item = &str> {
    let sides = raw.split_once('/').filter(|(sold, bought)| {
        let is_name =
            |side: &str| side.chars().all(char::is_alphanumeric) && side.chars().any(char::is_alphabetic);
        is_name(sold.trim_start_matches('$')) && is_name(bought)
    });
    let pieces = match sides {
        Some((sold, bought)) => [Some(sold), Some("->"), Some(bought)],
        None => [Some(raw), None, None],
    };
    pieces.into_iter().flatten()
}

fn piece(raw: &str) -> Piece {
    if matches!(raw, "->" | "=>" | ">" | "→" | "⇒" | "➜") {
        return Piece::Arrow;
    }
    if let Some(number) = number::parse(raw) {
        return Piece::Number(number);
    }
    let dollars = raw.strip_prefix('$').or_else(|| raw.strip_suffix('$'));
    if let Some(number) = dollars.and_then(number::parse) {
        return Piece::Usd(number);
    }
    glued(raw).unwrap_or_else(|| Piece::Word(raw.trim_end_matches('.').to_owned()))
}

fn glued(raw: &str) -> Option<Piece> {
    let at = raw.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')))?;
    let (number, rest) = raw.split_at_checked(at)?;
    let number = number::parse(number)?;
    // `0x…` is an address, and `1e18` must not be parsed as `1`.
    let exponent = rest.strip_prefix(['e', 'E']).is_some_and(|power| {
        let digits = power.trim_start_matches(['+', '-']);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    });
    let starts_word = rest.starts_with(char::is_alphabetic);
    if exponent || !starts_word || raw.starts_with("0x") || raw.starts_with("0X") {
        return None;
    }
    Some(Piece::Glued { number, rest: rest.to_owned(), whole: raw.to_owned() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Piece {
        Piece::Number(text.to_owned())
    }

    fn usd(text: &str) -> Piece {
        Piece::Usd(text.to_owned())
    }

    fn word(text: &str) -> Piece {
        Piece::Word(text.to_owned())
    }

    #[test]
    fn numbers_dollars_arrows_and_words_are_told_apart() {
        for (typed, pieces) in [
            ("100 usdc", vec![number("100"), word("usdc")]),
            ("$50 of SOL", vec![usd("50"), word("of"), word("SOL")]),
            ("$ 50 sol", vec![usd("50"), word("sol")]),
            ("50$ sol", vec![usd("50"), word("sol")]),
            ("$", vec![]),
            ("$WIF", vec![word("$WIF")]),
            ("1 eth -> usdc.e", vec![number("1"), word("eth"), Piece::Arrow, word("usdc.e")]),
            ("(1,000 usdc, please!)", vec![number("1000"), word("usdc"), word("please")]),
            ("0xA0b8", vec![word("0xA0b8")]),
            ("1e18 eth", vec![word("1e18"), word("eth")]),
            ("1,5 eth", vec![word("1,5"), word("eth")]),
            ("eth/usdc", vec![word("eth"), Piece::Arrow, word("usdc")]),
            ("1/2 eth", vec![word("1/2"), word("eth")]),
            ("/usdc", vec![word("/usdc")]),
            ("  ", vec![]),
        ] {
            assert_eq!(lex(typed), pieces, "{typed}");
        }
    }

    #[test]
    fn a_number_glued_to_a_word_keeps_both_readings() {
        let glued = Piece::Glued { number: "1".into(), rest: "inch".into(), whole: "1inch".into() };
        assert_eq!(lex("1inch"), [glued]);
    }

    proptest! {
        #[test]
        fn any_text_is_cut_into_pieces(text in "\\PC{0,400}") {
            prop_assert!(lex(&text).len() <= MAX_PIECES);
        }
    }
}
