use super::lex::Piece;

/// The requested action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Swap,
    Bridge,
    Buy,
}

/// The requested amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    Tokens(String),
    Usd(String),
    All,
}

/// The words of one side of a swap.
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

/// The part of the query that a word belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    PayToken,
    PayChain,
    ReceiveToken,
    ReceiveChain,
}

/// A query split into its parts, before any lookup.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedQuery {
    pub(super) verb: Option<Verb>,
    pub(super) pay: Phrase,
    pub(super) receive: Phrase,
    /// The part of the last word, which may be incomplete.
    pub(super) typing: Option<Part>,
}

/// How a text matches token names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    No,
    Prefix,
    Whole,
}

const FILLER_WORDS: [&str; 6] = ["my", "of", "the", "some", "worth", "please"];
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

/// Parses pieces into a query. `known` matches words with token names.
///
/// A single word is never a verb or a connector: it is a search term.
pub(super) fn parse(pieces: &[Piece], known: impl Fn(&str) -> Known) -> ParsedQuery {
    let mut parser = Parser { query: ParsedQuery::default(), part: Part::PayToken, known };
    if let [Piece::Word(word)] = pieces {
        parser.word(word);
        return parser.query;
    }
    for (at, piece) in pieces.iter().enumerate() {
        let next = pieces.get(at + 1);
        parser.query.typing = None;
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
            Piece::Word(word) => parser.classify_word(word, at == 0, next.is_none()),
        }
    }
    parser.query
}

/// `50 dollars of sol` counts dollars, `50 dollars` counts a token of that name.
fn is_dollars(next: Option<&Piece>, after: Option<&Piece>) -> bool {
    let is = |piece: Option<&Piece>, words: &[&str]| matches!(piece, Some(Piece::Word(word)) if words.contains(&word.to_lowercase().as_str()));
    is(next, &DOLLARS) && is(after, &["of", "worth", "in"])
}

struct Parser<K> {
    query: ParsedQuery,
    part: Part,
    known: K,
}

impl<K: Fn(&str) -> Known> Parser<K> {
    fn side(&mut self) -> &mut Phrase {
        match self.part {
            Part::PayToken | Part::PayChain => &mut self.query.pay,
            Part::ReceiveToken | Part::ReceiveChain => &mut self.query.receive,
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
        self.query.typing = Some(self.part);
    }

    fn classify_word(&mut self, word: &str, first: bool, last: bool) {
        let lower = word.to_lowercase();
        if first && let Some(verb) = verb(&lower) {
            self.query.verb = Some(verb);
            if verb == Verb::Buy {
                self.part = Part::ReceiveToken;
            }
            return;
        }
        let has_token = !self.side().token.is_empty();
        match lower.as_str() {
            "all" | "max" | "everything" if !has_token => self.quantity(Quantity::All),
            _ if FILLER_WORDS.contains(&lower.as_str()) => {}
            // The unit of a quantity that was already parsed as dollars.
            _ if DOLLARS.contains(&lower.as_str()) && self.counts_dollars() && !last && !has_token => {}
            _ if CONNECTORS.contains(&lower.as_str()) || lower == "using" => self.connect(&lower),
            _ if last && has_token && self.begins_connector(&lower) => {}
            // Not a valid number and without letters: `1,5`, `-3`.
            _ if !word.chars().any(char::is_alphabetic) && word.chars().any(|c| c.is_ascii_digit()) => {}
            _ => self.word(word),
        }
    }

    fn counts_dollars(&mut self) -> bool {
        matches!(self.side().quantity, Some(Quantity::Usd(_)))
    }

    /// `swap 1 eth t`: more likely an incomplete `to` than the second word of a name.
    fn begins_connector(&mut self, word: &str) -> bool {
        let token = self.side().token.join(" ");
        let starts = CONNECTORS.iter().any(|connector| connector.starts_with(word));
        starts
            && matches!(self.part, Part::PayToken | Part::ReceiveToken)
            && (self.known)(&token) == Known::Whole
    }

    fn connect(&mut self, connector: &str) {
        let buying = self.query.verb == Some(Verb::Buy);
        self.part = match (connector, self.part) {
            ("on" | "in", Part::PayToken | Part::PayChain) => Part::PayChain,
            ("on" | "in", _) => Part::ReceiveChain,
            ("for" | "with" | "using" | "from", _) if buying => Part::PayToken,
            ("to" | "into" | "for", _) if !buying => Part::ReceiveToken,
            ("from", Part::PayToken) if !self.query.pay.token.is_empty() => Part::PayChain,
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

    fn query(text: &str) -> ParsedQuery {
        parse(&lex(text), |word| {
            let word = word.to_lowercase();
            match KNOWN.iter().find(|known| known.starts_with(&word)) {
                Some(known) if *known == word => Known::Whole,
                Some(_) => Known::Prefix,
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
            let query = query(text);
            assert_eq!((query.pay, query.receive), (expected, Phrase::default()), "{text}");
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
            let query = query(text);
            assert_eq!((query.verb, query.pay, query.receive), (verb, pay, receive), "{text}");
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
            assert_eq!(query(text).typing, typing, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_words_make_some_wish(text in "(swap|buy|bridge|all|\\$|[0-9]{1,3}|to|on|for|with|eth|\\PC{0,8}| ){0,20}") {
            let _ = query(&text);
        }
    }
}
