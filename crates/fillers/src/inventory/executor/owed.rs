use std::collections::HashMap;

use alloy_primitives::U256;
use causeway_domain::ports::Owed;
use causeway_domain::{Address, ChainId, IntentTerms, RawAmount, TokenId, UsdAmount};

use crate::inventory::filler::InventoryFiller;
use crate::inventory::wide::{Wide, ceil, power_of_ten, product, saturate};

/// From the 18 decimals of prices to cents.
const CENT: U256 = U256::from_limbs([10_000_000_000_000_000, 0, 0, 0]);

impl InventoryFiller {
    /// The unclaimed value on each of this filler's chains at current prices, rounded up to the cent; zero where nothing is
    /// unclaimed. A token without a price counts as the maximum, because no limit could be enforced with it; tokens
    /// that are not served any more count as zero.
    pub fn owed_by_origin(&self, owed: &[Owed]) -> HashMap<ChainId, UsdAmount> {
        let mut sums: HashMap<TokenId, U256> = HashMap::new();
        for debt in owed.iter().filter(|debt| debt.filler == self.config.name) {
            let sum = sums.entry(debt.token).or_default();
            *sum = sum.saturating_add(debt.amount.get());
        }
        let mut cents: HashMap<ChainId, U256> =
            self.deps.chains.keys().map(|chain| (*chain, U256::ZERO)).collect();
        for (token, sum) in sums.into_iter().filter(|(_, sum)| !sum.is_zero()) {
            let Some(served) = self.tokens.get(&token) else { continue };
            let entry = cents.entry(token.chain()).or_default();
            *entry = entry.saturating_add(self.cents_up(token, served.decimals, sum).unwrap_or(U256::MAX));
        }
        let dollars = |cents| UsdAmount::from_cents(RawAmount::new(cents));
        cents.into_iter().map(|(chain, cents)| (chain, dollars(cents))).collect()
    }

    /// Updates the unclaimed value of each chain, which limits new offers.
    pub fn update_unclaimed(&self, owed: &[Owed]) {
        for (origin, amount) in self.owed_by_origin(owed) {
            self.deps.unclaimed.set(origin, amount);
        }
    }

    /// The value of an amount of a served token, rounded up to the cent; `None` without a price.
    pub(super) fn usd_value_up(&self, token: TokenId, amount: U256) -> Option<UsdAmount> {
        let decimals = self.tokens.get(&token)?.decimals;
        self.cents_up(token, decimals, amount).map(|cents| UsdAmount::from_cents(RawAmount::new(cents)))
    }

    /// The same of a chain's native coin, which need not be served.
    pub(super) fn coin_value_up(&self, chain: ChainId, amount: U256) -> Option<UsdAmount> {
        let decimals = self.deps.chains.get(&chain)?.native_decimals;
        let cents = self.cents_up(TokenId::native(chain), decimals, amount);
        cents.map(|cents| UsdAmount::from_cents(RawAmount::new(cents)))
    }

    /// What a fill delivers, rounded up to the cent; of a vault's shares, what may be spent on them. `None` without a price.
    pub(super) fn delivered_value(
        &self,
        chain: ChainId,
        terms: &IntentTerms,
        through: Option<&(Address, U256)>,
    ) -> Option<UsdAmount> {
        let (word, amount) = match through {
            Some((asset, max)) => (asset.to_word(), *max),
            None => (terms.output_token, terms.amount_out),
        };
        let is_paid = |token: &&TokenId| token.chain() == chain && token.address().to_word() == word;
        self.usd_value_up(*self.tokens.keys().find(is_paid)?, amount)
    }

    fn cents_up(&self, token: TokenId, decimals: u8, amount: U256) -> Option<U256> {
        let price = self.deps.prices.usd_price(&token)?.units().get();
        let scale: Wide = product([power_of_ten(decimals)?, CENT])?;
        ceil(product([amount, price])?, scale).map(saturate)
    }
}
