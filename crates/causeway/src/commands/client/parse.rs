/// A swap as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwapRequest {
    pub(crate) give: TokenRef,
    pub(crate) get: TokenRef,
    pub(crate) amount: String,
    /// Whether the amount is the output.
    pub(crate) exact_output: bool,
}

/// A token and its chain, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenRef {
    pub(crate) token: String,
    pub(crate) chain: String,
}

/// The usage hint for an invalid swap.
pub(crate) const HOW: &str = "write it like `25 USDC@base ETH@arbitrum` (give 25 USDC) or `USDC@base 0.01 ETH@arbitrum` (get 0.01 ETH)";

enum Part {
    Amount(String),
    TokenRef(TokenRef),
}

/// Parses `25 USDC@base ETH@arbitrum`, `25 usdc on base to eth on arbitrum`, or with the amount before the second token.
pub(crate) fn parse_swap(words: &[String]) -> Result<SwapRequest, String> {
    let read = parse_parts(words)?;
    match <[Part; 3]>::try_from(read) {
        Ok([Part::Amount(amount), Part::TokenRef(give), Part::TokenRef(get)]) => {
            Ok(SwapRequest { give, get, amount, exact_output: false })
        }
        Ok([Part::TokenRef(give), Part::Amount(amount), Part::TokenRef(get)]) => {
            Ok(SwapRequest { give, get, amount, exact_output: true })
        }
        _ => Err(format!("a swap has one amount and two tokens: {HOW}")),
    }
}

/// Parses `25 USDC@base`.
pub(crate) fn parse_amount_and_token(words: &[String]) -> Result<(String, TokenRef), String> {
    match <[Part; 2]>::try_from(parse_parts(words)?) {
        Ok([Part::Amount(amount), Part::TokenRef(place)]) => Ok((amount, place)),
        _ => Err("write an amount and a token, like `25 USDC@base`".to_owned()),
    }
}

/// A fiat purchase as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Purchase {
    pub(crate) currency: String,
    pub(crate) amount: String,
    pub(crate) target: TokenRef,
    /// Whether the amount is the output.
    pub(crate) exact_output: bool,
}

/// Parses `50 EUR USDC@base`, or `EUR 100 USDC@base` with the output amount.
pub(crate) fn parse_purchase(words: &[String]) -> Result<Purchase, String> {
    let joined = words.join(" ");
    let mut rest: Vec<&str> = joined.split_whitespace().collect();
    let is_currency = |word: &&str| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let how = "write it like `50 EUR USDC@base` (pay 50 EUR) or `EUR 100 USDC@base` (get 100 USDC)";
    let place = rest.iter().take(2).position(is_currency).ok_or_else(|| format!("pay with what? {how}"))?;
    let currency = rest.remove(place).to_uppercase();
    let rest: Vec<String> = rest.into_iter().map(str::to_owned).collect();
    let (amount, target) = parse_amount_and_token(&rest)
        .map_err(|_| format!("a purchase has one amount and one token: {how}"))?;
    Ok(Purchase { currency, amount, target, exact_output: place == 0 })
}

fn parse_parts(words: &[String]) -> Result<Vec<Part>, String> {
    let joined = words.join(" ").replace('@', " on ");
    let mut rest = joined.split_whitespace().peekable();
    let mut read = Vec::new();
    while let Some(word) = rest.next() {
        if matches!(word.to_lowercase().as_str(), "to" | "for" | "into" | "->" | "→") {
            continue;
        }
        if word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b',' | b'_')) {
            read.push(Part::Amount(word.to_owned()));
            continue;
        }
        let on = rest.next_if(|next| next.eq_ignore_ascii_case("on"));
        let chain = on.and_then(|_| rest.next());
        let chain =
            chain.ok_or_else(|| format!("on which chain is {word}? Write {word}@base, for instance"))?;
        read.push(Part::TokenRef(TokenRef { token: word.to_owned(), chain: chain.to_owned() }));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> Result<SwapRequest, String> {
        parse_swap(&[text.to_owned()])
    }

    fn place(token: &str, chain: &str) -> TokenRef {
        TokenRef { token: token.to_owned(), chain: chain.to_owned() }
    }

    #[test]
    fn swap_is_parsed_in_every_notation() {
        let expected = SwapRequest {
            give: place("USDC", "base"),
            get: place("ETH", "arbitrum"),
            amount: "25".to_owned(),
            exact_output: false,
        };
        for text in [
            "25 USDC@base ETH@arbitrum",
            "25 USDC on base to ETH on arbitrum",
            "25 USDC @ base  ETH @arbitrum",
            "25 USDC@base -> ETH@arbitrum",
        ] {
            assert_eq!(parsed(text), Ok(expected.clone()), "{text}");
        }
        let words = ["25", "USDC@base", "ETH@arbitrum"].map(str::to_owned);
        assert_eq!(parse_swap(&words), Ok(expected));
    }

    #[test]
    fn amount_before_the_second_token_is_the_output() {
        let read = parsed("USDC@base for 0.01 ETH@arbitrum").unwrap();
        assert!(read.exact_output);
        assert_eq!((read.amount.as_str(), read.get), ("0.01", place("ETH", "arbitrum")));
    }

    #[test]
    fn purchase_amount_is_input_or_output() {
        let read = |text: &str| parse_purchase(&[text.to_owned()]);
        let paid = Purchase {
            currency: "EUR".to_owned(),
            amount: "50".to_owned(),
            target: place("USDC", "base"),
            exact_output: false,
        };
        assert_eq!(read("50 eur USDC@base"), Ok(paid.clone()));
        assert_eq!(read("50 EUR to USDC on base"), Ok(paid.clone()));
        assert_eq!(read("EUR 50 USDC@base"), Ok(Purchase { exact_output: true, ..paid }));
        for text in ["", "50", "50 EUR", "50 USDC@base", "50 EUR 60 USDC@base", "50 EUR USDC"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn incomplete_swap_is_rejected_with_what_is_missing() {
        for (text, says) in [
            ("", "one amount and two tokens"),
            ("25 USDC@base", "one amount and two tokens"),
            ("25 USDC@base 1 ETH@base", "one amount and two tokens"),
            ("25 USDC ETH@base", "on which chain is USDC?"),
            ("25 USDC@base ETH", "on which chain is ETH?"),
            ("25 USDC@base ETH on", "on which chain is ETH?"),
        ] {
            let problem = parsed(text).unwrap_err();
            assert!(problem.contains(says), "{text}: {problem}");
        }
    }

    proptest! {
        #[test]
        fn parsing_never_panics(words in proptest::collection::vec(".*", 0..6)) {
            let _ = parse_swap(&words);
        }
    }
}
