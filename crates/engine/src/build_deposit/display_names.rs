use std::sync::Arc;

use causeway_catalog::Snapshot;
use causeway_domain::{ChainId, RawAmount, TokenId};

/// Formats amounts and chains for people.
pub(crate) struct DisplayNames(pub(crate) Arc<Snapshot>);

impl DisplayNames {
    pub(super) fn decimals(&self, token: &TokenId) -> Option<u8> {
        self.0.token(token).map(|listed| listed.token.decimals)
    }

    /// The amount's number and its unit; in raw units if the catalog no longer has the token.
    pub(super) fn parts(&self, amount: RawAmount, token: &TokenId) -> (String, String) {
        match self.0.token(token) {
            Some(listed) => (amount.to_decimal(listed.token.decimals), listed.token.symbol.clone()),
            None => (amount.to_string(), raw_units(token)),
        }
    }

    pub(super) fn amount(&self, amount: RawAmount, token: &TokenId) -> String {
        let (number, unit) = self.parts(amount, token);
        format!("{number} {unit}")
    }

    pub(super) fn symbol(&self, token: &TokenId) -> String {
        self.0.token(token).map_or_else(|| token.address().to_string(), |listed| listed.token.symbol.clone())
    }

    /// An amount of the coin that pays for the chain's transactions: its number and its unit.
    pub(super) fn coin_parts(&self, amount: RawAmount, chain: ChainId) -> (String, String) {
        match self.0.chain(chain) {
            Some(chain) => (amount.to_decimal(chain.native.decimals), chain.native.symbol.clone()),
            None => (amount.to_string(), raw_units(&TokenId::native(chain))),
        }
    }

    pub(super) fn chain(&self, chain: ChainId) -> String {
        self.0.chain(chain).map_or_else(|| format!("chain {chain}"), |chain| chain.name.clone())
    }
}

fn raw_units(token: &TokenId) -> String {
    format!("raw units of {}", token.address())
}
