//! Completions for natural-language input in a wallet's search box: `swap 0.5 eth to usdc on arbitrum`.

mod chain_names;
mod compose;
mod grammar;
mod lex;
mod number;
mod side;
mod suggestions;

use causeway_domain::ports::PriceFeed;
use causeway_domain::{Chain, ChainId, RawAmount, UsdAmount};

pub use suggestions::Suggestion;

use crate::search::{Scope, Tier};
use crate::snapshot::{Listed, MAX_SEARCH_RESULTS, Snapshot};
use compose::Composer;
use grammar::{Known, ParsedQuery, Part, Verb};
use side::{Reader, Side, TokenMatch};

/// A part of a swap that is still missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Amount,
    Token,
    Chain,
    ToToken,
}

impl Slot {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Token => "token",
            Self::Chain => "chain",
            Self::ToToken => "toToken",
        }
    }
}

/// One completion of the input.
///
/// `token` is the side of the amount: usually the paid side, and the received side where the input says how much to
/// receive (`buy 20 pol`, `swap eth to 100 usdc`). The other side, once known, is in `to` or `from`, and in the
/// description.
#[derive(Clone, Debug)]
pub struct SuggestedToken<'a> {
    pub description: String,
    pub chain: &'a Chain,
    pub token: Listed<'a>,
    /// Raw units of `token`. Absent where the token cannot represent the number, or its price is needed and unknown.
    pub amount: Option<RawAmount>,
    pub usd_amount: Option<UsdAmount>,
    /// The target of the swap.
    pub to: Option<(&'a Chain, Listed<'a>)>,
    /// The source of the swap.
    pub from: Option<(&'a Chain, Listed<'a>)>,
}

/// The interpretation of the input, its completions, and the missing parts.
#[derive(Clone, Debug)]
pub struct Completion<'a> {
    pub items: Vec<SuggestedToken<'a>>,
    pub parsed: String,
    pub next_slots: Vec<Slot>,
}

impl Snapshot {
    /// Parses natural-language input and returns completions; imitations are never offered.
    pub fn autocomplete(
        &self,
        keyword: &str,
        chains: &[ChainId],
        limit: usize,
        prices: &dyn PriceFeed,
    ) -> Completion<'_> {
        let limit = limit.min(MAX_SEARCH_RESULTS);
        let scope = Scope { without_risk: true, ..self.scope(chains) };
        let reader = Reader { snapshot: self, scope };
        let mut query = grammar::parse(&lex::lex(keyword), |text| self.known(text, &reader.scope));
        let pay = reader.read(&query.pay, query.typing == Some(Part::PayToken));
        let mut receive = reader.read(&query.receive, query.typing == Some(Part::ReceiveToken));
        if names_chain_only(&query, &pay, &receive) {
            query.receive.token.clone_from(&query.pay.token);
            query.receive.chain = receive
                .chains
                .positions()
                .iter()
                .filter_map(|at| Some(self.chains().get(*at)?.slug.clone()))
                .collect();
            receive = reader.read(&query.receive, false);
        }
        Composer { snapshot: self, prices, verb: query.verb, pay, receive, limit }.compose()
    }

    fn known(&self, text: &str, scope: &Scope) -> Known {
        match self.hits(text, scope, 1).first().map(|hit| hit.tier) {
            Some(tier) if tier.is_exact() => Known::Whole,
            Some(Tier::Prefix) => Known::Prefix,
            _ => Known::No,
        }
    }
}

/// `bridge 100 usdc to base` means USDC there too.
fn names_chain_only(query: &ParsedQuery, pay: &Side, receive: &Side) -> bool {
    let one_chain = matches!(receive.chains, chain_names::Chains::One(_));
    let bridges = query.verb == Some(Verb::Bridge) && one_chain;
    bridges && receive.token == TokenMatch::Missing && matches!(pay.token, TokenMatch::Resolved(_))
}

#[cfg(test)]
mod tests;
