use std::collections::HashMap;

use alloy_primitives::U256;
use causeway_domain::ports::Owed;
use causeway_domain::{ChainId, RawAmount, TokenId, UsdAmount};

use crate::inventory::filler::InventoryFiller;
use crate::inventory::wide::{Wide, ceil, power_of_ten, product, saturate};

/// From the 18 decimals of prices to cents.
const CENT: U256 = U256::from_limbs([10_000_000_000_000_000, 0, 0, 0]);

impl InventoryFiller {
    /// What each chain of this filler owes it, at the prices of this moment, rounded up to the cent; chains that owe nothing
    /// stand there with nothing. What has no price now counts as endless, because no limit can be held by it; tokens
    /// that are not served any more count as nothing.
    pub fn owed_by_origin(&self, owed: &[Owed]) -> HashMap<ChainId, UsdAmount> {
        let mut sums: HashMap<TokenId, U256> = HashMap::new();
        for debt in owed.iter().filter(|debt| debt.filler == self.config.name) {
            let sum = sums.entry(debt.token).or_default();
            *sum = sum.saturating_add(debt.amount.get());
        }
        let mut cents: HashMap<ChainId, U256> =
            self.equipment.chains.keys().map(|chain| (*chain, U256::ZERO)).collect();
        for (token, sum) in sums.into_iter().filter(|(_, sum)| !sum.is_zero()) {
            let Some(served) = self.tokens.get(&token) else { continue };
            let entry = cents.entry(token.chain()).or_default();
            *entry = entry.saturating_add(self.worth(token, served.decimals, sum).unwrap_or(U256::MAX));
        }
        let dollars = |cents| UsdAmount::from_cents(RawAmount::new(cents));
        cents.into_iter().map(|(chain, cents)| (chain, dollars(cents))).collect()
    }

    /// Writes down what each chain owes, so that offers keep within what may be unclaimed.
    pub fn note_owed(&self, owed: &[Owed]) {
        for (origin, amount) in self.owed_by_origin(owed) {
            self.equipment.unclaimed.set(origin, amount);
        }
    }

    /// What an amount of a served token is worth, rounded up to the cent; `None` without a price.
    pub(super) fn value_up(&self, token: TokenId, amount: U256) -> Option<UsdAmount> {
        let decimals = self.tokens.get(&token)?.decimals;
        self.worth(token, decimals, amount).map(|cents| UsdAmount::from_cents(RawAmount::new(cents)))
    }

    fn worth(&self, token: TokenId, decimals: u8, amount: U256) -> Option<U256> {
        let price = self.equipment.prices.usd_price(&token)?.units().get();
        let scale: Wide = product([power_of_ten(decimals)?, CENT])?;
        ceil(product([amount, price])?, scale).map(saturate)
    }
}
