use causeway_domain::ports::PriceFeed;
use causeway_domain::{Chain, RawAmount, UsdAmount};

use super::chain_names::Chains;
use super::grammar::{Quantity, Verb};
use super::side::{Side, TokenMatch};
use super::{Completion, Slot, SuggestedToken};
use crate::search::Hit;
use crate::snapshot::{Listed, Snapshot};

/// Composes completions from the two sides of a query.
pub(super) struct Composer<'a, 'p> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) prices: &'p dyn PriceFeed,
    pub(super) verb: Option<Verb>,
    pub(super) pay: Side,
    pub(super) receive: Side,
    pub(super) limit: usize,
}

type Place<'a> = (&'a Chain, Listed<'a>);

impl<'a> Composer<'a, '_> {
    pub(super) fn compose(self) -> Completion<'a> {
        let items: Vec<SuggestedToken<'a>> =
            self.pairs().into_iter().map(|(token, other)| self.item(token, other)).take(self.limit).collect();
        let next_slots = self.next_slots(&items);
        Completion { items, parsed: self.parsed(), next_slots }
    }

    /// Whether the received side is shown: nothing is known of the other, or the received amount is given.
    fn counts_received(&self) -> bool {
        let only_receive = self.pay.is_unspecified() && !self.receive.is_unspecified();
        self.pay.quantity.is_none() && (self.receive.quantity.is_some() || only_receive)
    }

    /// The tokens to offer, each with the other side, if any.
    ///
    /// Alternatives are listed for the ambiguous side, preferably the received one, because it is typed last.
    fn pairs(&self) -> Vec<(Place<'a>, Option<Place<'a>>)> {
        let (main, other) =
            if self.counts_received() { (&self.receive, &self.pay) } else { (&self.pay, &self.receive) };
        let mains = self.places(&main.candidates);
        let Some(first) = mains.first().copied() else { return Vec::new() };
        let mut others = other.candidates.clone();
        if matches!(other.chains, Chains::Missing) {
            // Of equally good matches the one on the same chain is the most likely.
            let elsewhere = |hit: &Hit| self.place(*hit).is_none_or(|(chain, _)| chain.id != first.0.id);
            others.sort_by_key(|hit| (hit.tier, elsewhere(hit)));
        }
        let others = self.places(&others);
        match others[..] {
            [] => mains.into_iter().map(|place| (place, None)).collect(),
            [only] => mains
                .into_iter()
                .filter(|place| place.1.token.id != only.1.token.id)
                .map(|place| (place, Some(only)))
                .collect(),
            _ => others
                .into_iter()
                .filter(|place| place.1.token.id != first.1.token.id)
                .map(|place| (first, Some(place)))
                .collect(),
        }
    }

    fn places(&self, candidates: &[Hit]) -> Vec<Place<'a>> {
        candidates.iter().filter_map(|hit| self.place(*hit)).collect()
    }

    fn place(&self, hit: Hit) -> Option<Place<'a>> {
        let listed = self.snapshot.listed(hit.ordinal)?;
        Some((self.snapshot.chain(listed.token.id.chain())?, listed))
    }

    fn item(&self, place: Place<'a>, other: Option<Place<'a>>) -> SuggestedToken<'a> {
        let (chain, token) = place;
        let counts_received = self.counts_received();
        let quantity = if counts_received { &self.receive.quantity } else { &self.pay.quantity };
        let (amount, usd_amount) = self.amounts(quantity.as_ref(), token);
        let said = match quantity {
            Some(Quantity::Tokens(_)) if amount.is_none() => None,
            Some(Quantity::Usd(_)) if usd_amount.is_none() => None,
            quantity => quantity.as_ref(),
        };
        let main = format_side(said, &token.token.symbol, Some(&chain.name));
        let other_text =
            other.map(|(chain, token)| format_side(None, &token.token.symbol, Some(&chain.name)));
        let description = match (self.verb, other_text) {
            (Some(Verb::Buy), Some(other)) if counts_received => format!("Buy {main} with {other}"),
            (Some(Verb::Buy), None) => format!("Buy {main}"),
            (Some(Verb::Bridge), Some(other)) => format!("Bridge {main} to {other}"),
            (Some(Verb::Bridge), None) => format!("Bridge {main}"),
            (_, Some(other)) if counts_received => format!("Swap {other} for {main}"),
            (_, Some(other)) => format!("Swap {main} for {other}"),
            (_, None) if counts_received => format!("Swap to {main}"),
            (Some(Verb::Swap), None) => format!("Swap {main}"),
            (None, None) => capitalized(&main),
        };
        let (to, from) = if counts_received { (None, other) } else { (other, None) };
        SuggestedToken { description, chain, token, amount, usd_amount, to, from }
    }

    fn amounts(
        &self,
        quantity: Option<&Quantity>,
        token: Listed<'_>,
    ) -> (Option<RawAmount>, Option<UsdAmount>) {
        let decimals = token.token.decimals;
        let price = || self.prices.usd_price(&token.token.id);
        match quantity {
            Some(Quantity::Tokens(number)) => {
                let amount = RawAmount::from_decimal(number, decimals).ok();
                let usd = amount.and_then(|amount| price()?.value(amount, decimals));
                (amount, usd)
            }
            Some(Quantity::Usd(number)) => {
                let usd: Option<UsdAmount> = number.parse().ok();
                let amount = usd.and_then(|usd| price()?.buys(usd, decimals));
                (amount.filter(|amount| !amount.is_zero()), usd)
            }
            Some(Quantity::All) | None => (None, None),
        }
    }

    fn parsed(&self) -> String {
        let (pay, mut receive) = (self.pay.describe(self.snapshot), self.receive.describe(self.snapshot));
        // "to on Solana" reads better without the "on".
        if self.verb != Some(Verb::Buy) && self.receive.token == TokenMatch::Missing {
            receive = receive.strip_prefix("on ").map(str::to_owned).unwrap_or(receive);
        }
        let words: [&str; 4] = match self.verb {
            Some(Verb::Buy) => ["buy", &receive, if pay.is_empty() { "" } else { "with" }, &pay],
            Some(Verb::Swap) => ["swap", &pay, if receive.is_empty() { "" } else { "to" }, &receive],
            Some(Verb::Bridge) => ["bridge", &pay, if receive.is_empty() { "" } else { "to" }, &receive],
            None => ["", &pay, if receive.is_empty() { "" } else { "to" }, &receive],
        };
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The missing parts, in the order of a form.
    fn next_slots(&self, items: &[SuggestedToken<'_>]) -> Vec<Slot> {
        let buying = self.verb == Some(Verb::Buy);
        let asked = if buying { &self.receive } else { &self.pay };
        let quantity = self.pay.quantity.as_ref().or(self.receive.quantity.as_ref());
        let has_amount = match quantity {
            None => false,
            Some(Quantity::All) => true,
            Some(Quantity::Tokens(_)) => items.is_empty() || items.iter().any(|item| item.amount.is_some()),
            Some(Quantity::Usd(_)) => items.is_empty() || items.iter().any(|item| item.usd_amount.is_some()),
        };
        let placed = |side: &Side| matches!(side.chains, Chains::One(_));
        let somewhere = |side: &Side| placed(side) || side.is_unspecified();
        let has_chain = placed(asked) && somewhere(&self.pay) && somewhere(&self.receive);
        let missing = [
            (Slot::Amount, !has_amount),
            (Slot::Token, !asked.is_resolved()),
            (Slot::Chain, !has_chain),
            (Slot::ToToken, !buying && !self.receive.is_resolved()),
        ];
        missing.into_iter().filter(|(_, missing)| *missing).map(|(slot, _)| slot).collect()
    }
}

impl Side {
    fn is_resolved(&self) -> bool {
        matches!(self.token, TokenMatch::Resolved(_))
    }

    /// Whether neither a token nor a chain was named.
    fn is_unspecified(&self) -> bool {
        self.token == TokenMatch::Missing && self.chains == Chains::Missing
    }

    /// The interpretation of this side; a chain that was not named is not added.
    fn describe(&self, snapshot: &Snapshot) -> String {
        let symbol = match &self.token {
            TokenMatch::Missing => String::new(),
            TokenMatch::Partial(text) => format!("{text}…"),
            TokenMatch::Resolved(symbol) => symbol.clone(),
        };
        let chain = match self.chains {
            Chains::One(at) => snapshot.chains().get(at).map(|chain| chain.name.as_str()),
            _ => None,
        };
        format_side(self.quantity.as_ref(), &symbol, chain)
    }
}

fn format_side(quantity: Option<&Quantity>, symbol: &str, chain: Option<&str>) -> String {
    let quantity = match quantity {
        None => String::new(),
        Some(Quantity::Tokens(number)) => number.clone(),
        Some(Quantity::Usd(number)) if symbol.is_empty() => format!("${number}"),
        Some(Quantity::Usd(number)) => format!("${number} of"),
        Some(Quantity::All) => "all".to_owned(),
    };
    let chain = chain.map(|chain| format!("on {chain}")).unwrap_or_default();
    let words = [quantity.as_str(), symbol, chain.as_str()];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Capitalizes a leading "all"; symbols stay unchanged.
fn capitalized(text: &str) -> String {
    match text.strip_prefix("all ") {
        Some(rest) => format!("All {rest}"),
        None => text.to_owned(),
    }
}
