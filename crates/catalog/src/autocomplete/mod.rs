//! Suggestions for what somebody types into a wallet's search box: `swap 0.5 eth to usdc on arbitrum`.

mod chain_words;
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
use grammar::{Known, Part, Verb, Wish};
use side::{Reader, Side, TokenWords};

/// A part of a swap that is not settled yet.
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

/// One way to go on from what was typed.
///
/// `token` is the side that the amount counts: what is paid, as a rule, and what is received where the wish says
/// how much to receive (`buy 20 pol`, `swap eth to 100 usdc`). The other side, once it is known, stands in `to` or
/// `from`, and in the description.
#[derive(Clone, Debug)]
pub struct SuggestedToken<'a> {
    pub description: String,
    pub chain: &'a Chain,
    pub token: Listed<'a>,
    /// Raw units of `token`. Left out where the token cannot hold what was typed, or its price is needed and unknown.
    pub amount: Option<RawAmount>,
    pub usd_amount: Option<UsdAmount>,
    /// What `token` is to be turned into.
    pub to: Option<(&'a Chain, Listed<'a>)>,
    /// What `token` is to be paid with.
    pub from: Option<(&'a Chain, Listed<'a>)>,
}

/// What was understood, what it may become, and what is still missing.
#[derive(Clone, Debug)]
pub struct Completion<'a> {
    pub items: Vec<SuggestedToken<'a>>,
    pub parsed: String,
    pub next_slots: Vec<Slot>,
}

impl Snapshot {
    /// Reads a wish in everyday words and offers ways to go on; imitations are never offered.
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
        let mut wish = grammar::parse(&lex::lex(keyword), |text| self.known(text, &reader.scope));
        let pay = reader.read(&wish.pay, wish.typing == Some(Part::PayToken));
        let mut receive = reader.read(&wish.receive, wish.typing == Some(Part::ReceiveToken));
        if names_chain_only(&wish, &pay, &receive) {
            wish.receive.token.clone_from(&wish.pay.token);
            wish.receive.chain = receive
                .chains
                .positions()
                .iter()
                .filter_map(|at| Some(self.chains().get(*at)?.slug.clone()))
                .collect();
            receive = reader.read(&wish.receive, false);
        }
        Composer { snapshot: self, prices, verb: wish.verb, pay, receive, limit }.compose()
    }

    fn known(&self, text: &str, scope: &Scope) -> Known {
        match self.hits(text, scope, 1).first().map(|hit| hit.tier) {
            Some(tier) if tier.is_exact() => Known::Whole,
            Some(Tier::Prefix) => Known::Begun,
            _ => Known::No,
        }
    }
}

/// `bridge 100 usdc to base` means USDC there too.
fn names_chain_only(wish: &Wish, pay: &Side, receive: &Side) -> bool {
    let one_chain = matches!(receive.chains, chain_words::Chains::One(_));
    let bridges = wish.verb == Some(Verb::Bridge) && one_chain;
    bridges && receive.words == TokenWords::Missing && matches!(pay.words, TokenWords::Meant(_))
}

#[cfg(test)]
mod tests;
