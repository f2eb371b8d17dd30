use super::lex::Piece;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Swap,
    Bridge,
    Buy,
}

/// How much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Tokens(String),
    Usd(String),
    All,
}

/// One side of a swap in the words that were typed for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) quantity: Option<Quantity>,
    pub(super) token: Vec<String>,
    pub(super) chain: Vec<String>,
}

impl Phrase {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What a word belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    PayToken,
    PayChain,
    ReceiveToken,
    ReceiveChain,
}

/// A wish, cut into its parts; nothing is looked up yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wish {
    pub(super) verb: Option<Verb>,
    pub(super) pay: Phrase,
    pub(super) receive: Phrase,
    /// The part that the last word belongs to, which may be half typed.
    pub(super) typing: Option<Part>,
}

/// How far a text is the name of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    No,
    Begun,
    Whole,
}

const FILLERS: [&str; 6] = ["my", "of", "the", "some", "worth", "please"];
const DOLLARS: [&str; 4] = ["usd", "dollar", "dollars", "bucks"];
const CONNECTORS: [&str; 7] = ["to", "on", "for", "into", "in", "from", "with"];

fn verb(word: &str) -> Option<Verb> {
    Some(match word {
        "swap" | "trade" | "exchange" | "convert" | "change" | "sell" => Verb::Swap,
        "bridge" | "move" | "send" | "transfer" => Verb::Bridge,
        "buy" | "get" | "purchase" => Verb::Buy,
        _ => return None,
    })
}

/// Sorts pieces into a wish. `known` tells which words name tokens.
///
/// A single word is never a verb or a connector: it is what somebody looks for.
pub(super) fn parse(pieces: &[Piece], known: impl Fn(&str) -> Known) -> Wish {
    let mut parser = Parser { wish: Wish::default(), part: Part::PayToken, known };
    if let [Piece::Word(word)] = pieces {
        parser.word(word);
        return parser.wish;
    }
    for (at, piece) in pieces.iter().enumerate() {
        let next = pieces.get(at + 1);
        parser.wish.typing = None;
        match piece {
            Piece::Number(number) if is_dollars(next, pieces.get(at + 2)) => {
                parser.quantity(Quantity::Usd(number.clone()));
            }
            Piece::Number(number) => parser.quantity(Quantity::Tokens(number.clone())),
            Piece::Usd(number) => parser.quantity(Quantity::Usd(number.clone())),
            Piece::Glued { whole, .. } if (parser.known)(whole) != Known::No => parser.word(whole),
            Piece::Glued { number, rest, .. } => {
                parser.quantity(Quantity::Tokens(number.clone()));
                parser.word(rest);
            }
            Piece::Arrow => parser.connect("to"),
            Piece::Word(word) => parser.spoken(word, at == 0, next.is_none()),
        }
    }
    parser.wish
}

/// `50 dollars of sol` counts dollars, `50 dollars` counts a token of that name.
fn is_dollars(next: Option<&Piece>, after: Option<&Piece>) -> bool {
    let is = |piece: Option<&Piece>, words: &[&str]| matches!(piece, Some(Piece::Word(word)) if words.contains(&word.to_lowercase().as_str()));
    is(next, &DOLLARS) && is(after, &["of", "worth", "in"])
}

struct Parser<K> {
    wish: Wish,
    part: Part,
    known: K,
}

impl<K: Fn(&str) -> Known> Parser<K> {
    fn side(&mut self) -> &mut Phrase {
        match self.part {
            Part::PayToken | Part::PayChain => &mut self.wish.pay,
            Part::ReceiveToken | Part::ReceiveChain => &mut self.wish.receive,
        }
    }

    fn quantity(&mut self, quantity: Quantity) {
        self.side().quantity.get_or_insert(quantity);
    }

    fn word(&mut self, word: &str) {
        let word = word.to_owned();
        match self.part {
            Part::PayToken | Part::ReceiveToken => self.side().token.push(word),
            Part::PayChain | Part::ReceiveChain => self.side().chain.push(word),
        }
        self.wish.typing = Some(self.part);
    }

    fn spoken(&mut self, word: &str, first: bool, last: bool) {
        let lower = word.to_lowercase();
        if first && let Some(verb) = verb(&lower) {
            self.wish.verb = Some(verb);
            if verb == Verb::Buy {
                self.part = Part::ReceiveToken;
            }
            return;
        }
        let has_token = !self.side().token.is_empty();
        match lower.as_str() {
            "all" | "max" | "everything" if !has_token => self.quantity(Quantity::All),
            _ if FILLERS.contains(&lower.as_str()) => {}
            // The unit of a quantity that was read as dollars already.
            _ if DOLLARS.contains(&lower.as_str()) && self.counts_dollars() && !last && !has_token => {}
            _ if CONNECTORS.contains(&lower.as_str()) || lower == "using" => self.connect(&lower),
            _ if last && has_token && self.begins_connector(&lower) => {}
            // What holds no letter and was no number was not understood as one: `1,5`, `-3`.
            _ if !word.chars().any(char::is_alphabetic) && word.chars().any(|c| c.is_ascii_digit()) => {}
            _ => self.word(word),
        }
    }

    fn counts_dollars(&mut self) -> bool {
        matches!(self.side().quantity, Some(Quantity::Usd(_)))
    }

    /// `swap 1 eth t`: more likely a `to` on its way than the second word of a name.
    fn begins_connector(&mut self, word: &str) -> bool {
        let token = self.side().token.join(" ");
        let starts = CONNECTORS.iter().any(|connector| connector.starts_with(word));
        starts
            && matches!(self.part, Part::PayToken | Part::ReceiveToken)
            && (self.known)(&token) == Known::Whole
    }

    fn connect(&mut self, connector: &str) {
        let buying = self.wish.verb == Some(Verb::Buy);
        self.part = match (connector, self.part) {
            ("on" | "in", Part::PayToken | Part::PayChain) => Part::PayChain,
            ("on" | "in", _) => Part::ReceiveChain,
            ("for" | "with" | "using" | "from", _) if buying => Part::PayToken,
            ("to" | "into" | "for", _) if !buying => Part::ReceiveToken,
            ("from", Part::PayToken) if !self.wish.pay.token.is_empty() => Part::PayChain,
            (_, part) => part,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lex::lex;
    use super::*;

    const KNOWN: [&str; 5] = ["1inch", "eth", "usdc", "weth", "sol"];

    fn wish(text: &str) -> Wish {
        parse(&lex(text), |word| {
            let word = word.to_lowercase();
            match KNOWN.iter().find(|known| known.starts_with(&word)) {
                Some(known) if *known == word => Known::Whole,
                Some(_) => Known::Begun,
                None => Known::No,
            }
        })
    }

    /// A side in short: `""`, `"100"`, `"$50"` or `"all"`, then the words.
    fn phrase(quantity: &str, token: &str, chain: &str) -> Phrase {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let quantity = match (quantity, quantity.strip_prefix('$')) {
            ("", _) => None,
            ("all", _) => Some(Quantity::All),
            (_, Some(dollars)) => Some(Quantity::Usd(dollars.to_owned())),
            (number, None) => Some(Quantity::Tokens(number.to_owned())),
        };
        Phrase { quantity, token: words(token), chain: words(chain) }
    }

    #[test]
    fn one_side_alone() {
        for (text, expected) in [
            ("100 usdc on base", phrase("100", "usdc", "base")),
            ("usdc 100 on base", phrase("100", "usdc", "base")),
            ("100usdc", phrase("100", "usdc", "")),
            ("$50 of sol", phrase("$50", "sol", "")),
            ("$50 worth of sol", phrase("$50", "sol", "")),
            ("50 dollars of sol", phrase("$50", "sol", "")),
            ("50 dollars", phrase("50", "dollars", "")),
            ("all my weth", phrase("all", "weth", "")),
            ("1inch", phrase("", "1inch", "")),
            ("5 1inch", phrase("5", "1inch", "")),
            ("swap", phrase("", "swap", "")),
            ("to", phrase("", "to", "")),
            ("all", phrase("", "all", "")),
            ("100", phrase("100", "", "")),
            ("1 usd coin in binance smart chain", phrase("1", "usd coin", "binance smart chain")),
            ("1,5 eth", phrase("", "eth", "")),
            ("-5 eth", phrase("", "eth", "")),
            ("0.5 eth o", phrase("0.5", "eth", "")),
            ("1 wrapped t", phrase("1", "wrapped t", "")),
            ("2 1in", phrase("2", "1in", "")),
        ] {
            let wish = wish(text);
            assert_eq!((wish.pay, wish.receive), (expected, Phrase::default()), "{text}");
        }
    }

    #[test]
    fn two_sides() {
        for (text, verb, pay, receive) in [
            (
                "swap 0.5 eth to usdc on arbitrum",
                Some(Verb::Swap),
                phrase("0.5", "eth", ""),
                phrase("", "usdc", "arbitrum"),
            ),
            ("1 eth -> sol", None, phrase("1", "eth", ""), phrase("", "sol", "")),
            ("swap 1 eth t", Some(Verb::Swap), phrase("1", "eth", ""), Phrase::default()),
            (
                "bridge 10 usdc from base to solana",
                Some(Verb::Bridge),
                phrase("10", "usdc", "base"),
                phrase("", "solana", ""),
            ),
            ("swap from eth to usdc", Some(Verb::Swap), phrase("", "eth", ""), phrase("", "usdc", "")),
            ("sell 5 eth for usdc", Some(Verb::Swap), phrase("5", "eth", ""), phrase("", "usdc", "")),
            ("swap eth to 100 usdc", Some(Verb::Swap), phrase("", "eth", ""), phrase("100", "usdc", "")),
            ("buy 20 pol", Some(Verb::Buy), Phrase::default(), phrase("20", "pol", "")),
            (
                "buy 20 pol on polygon with usdc on base",
                Some(Verb::Buy),
                phrase("", "usdc", "base"),
                phrase("20", "pol", "polygon"),
            ),
            ("Buy ETH for $100", Some(Verb::Buy), phrase("$100", "", ""), phrase("", "ETH", "")),
        ] {
            let wish = wish(text);
            assert_eq!((wish.verb, wish.pay, wish.receive), (verb, pay, receive), "{text}");
        }
    }

    #[test]
    fn the_part_being_typed_is_the_one_of_the_last_word() {
        for (text, typing) in [
            ("100 us", Some(Part::PayToken)),
            ("0.5 eth on arb", Some(Part::PayChain)),
            ("swap 1 eth to us", Some(Part::ReceiveToken)),
            ("swap 1 eth to usdc on ar", Some(Part::ReceiveChain)),
            ("swap 1 eth t", None),
            ("0.5 eth on", None),
            ("usdc 100", None),
        ] {
            assert_eq!(wish(text).typing, typing, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_words_make_some_wish(text in "(swap|buy|bridge|all|\\$|[0-9]{1,3}|to|on|for|with|eth|\\PC{0,8}| ){0,20}") {
            let _ = wish(&text);
        }
    }
}
