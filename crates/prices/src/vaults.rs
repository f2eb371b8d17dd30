use std::collections::HashMap;
use std::sync::Arc;

use alloy_primitives::U256;
use causeway_domain::ports::{PriceBasis, PriceFeed, VaultRates};
use causeway_domain::{RawAmount, TokenId, UsdPrice};

/// Prices vault shares by their asset; all other tokens come from the inner feed.
pub struct VaultPrices {
    prices: Arc<dyn PriceFeed>,
    vaults: Arc<dyn VaultRates>,
    decimals: HashMap<TokenId, u8>,
}

impl std::fmt::Debug for VaultPrices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VaultPrices").finish_non_exhaustive()
    }
}

impl VaultPrices {
    /// `decimals` are those of every share and of its asset.
    pub fn new(
        prices: Arc<dyn PriceFeed>,
        vaults: Arc<dyn VaultRates>,
        decimals: impl IntoIterator<Item = (TokenId, u8)>,
    ) -> Self {
        Self { prices, vaults, decimals: decimals.into_iter().collect() }
    }

    /// The price of one whole share, rounded down.
    fn share_price(&self, share: &TokenId) -> Option<UsdPrice> {
        let rate = self.vaults.rate(share)?;
        let whole = |token| Some(U256::from(10).checked_pow(U256::from(*self.decimals.get(token)?)));
        let (one_share, one_asset) = (whole(share)??, whole(&rate.asset)??);
        // One share in raw units of the asset, with 18 more digits of precision.
        let digits = U256::from(10).pow(U256::from(18));
        let assets = RawAmount::new(one_share.checked_mul(digits)?);
        let assets = assets.mul_div_floor(rate.assets.get(), rate.shares.get())?;
        let price = self.prices.usd_price(&rate.asset)?.units().get();
        assets.mul_div_floor(price, one_asset.checked_mul(digits)?).map(UsdPrice::from_units)
    }
}

impl PriceFeed for VaultPrices {
    fn usd_price(&self, token: &TokenId) -> Option<UsdPrice> {
        if self.vaults.is_share(token) { self.share_price(token) } else { self.prices.usd_price(token) }
    }

    /// That of the asset, for a share.
    fn price_basis(&self, token: &TokenId) -> Option<PriceBasis> {
        if self.vaults.is_share(token) {
            return self.prices.price_basis(&self.vaults.rate(token)?.asset);
        }
        self.prices.price_basis(token)
    }

    fn unpriced(&self, token: &TokenId) -> Option<String> {
        if !self.vaults.is_share(token) {
            return self.prices.unpriced(token);
        }
        let Some(rate) = self.vaults.rate(token) else {
            return Some(format!("{token} is not priced now: its vault rate is unknown"));
        };
        self.prices.unpriced(&rate.asset)
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::ChainId;
    use causeway_domain::ports::VaultRate;

    use super::*;
    use crate::FixedPrices;

    /// A vault with this many shares per 10^6 units of the asset.
    struct Vault(Option<RawAmount>);

    impl VaultRates for Vault {
        fn rate(&self, share: &TokenId) -> Option<VaultRate> {
            let assets = RawAmount::new(U256::from(1_000_000));
            let shares = self.0.filter(|_| self.is_share(share))?;
            Some(VaultRate { asset: token(1), assets, shares })
        }

        fn is_share(&self, candidate: &TokenId) -> bool {
            *candidate == token(2)
        }
    }

    fn token(chain: u64) -> TokenId {
        TokenId::native(ChainId::new(chain).unwrap())
    }

    fn price(shares: Option<RawAmount>, of: u64) -> Option<String> {
        let table = FixedPrices::new([(token(1), "0.5".parse().unwrap()), (token(2), "9".parse().unwrap())]);
        let decimals = [(token(1), 6), (token(2), 18)];
        let prices = VaultPrices::new(Arc::new(table), Arc::new(Vault(shares)), decimals);
        prices.usd_price(&token(of)).map(|price| price.to_string())
    }

    #[test]
    fn a_share_is_priced_by_its_part_of_the_asset() {
        let shares = |text: &str| Some(RawAmount::from_decimal(text, 18).unwrap());
        assert_eq!(price(shares("0.8"), 2).as_deref(), Some("0.625"));
        assert_eq!(price(shares("3"), 2).as_deref(), Some("0.166666666666666666"));
        assert_eq!(price(shares("1000000"), 2).as_deref(), Some("0.0000005"));
        assert_eq!(price(shares("0.8"), 1).as_deref(), Some("0.5"));
    }

    #[test]
    fn the_reason_comes_from_the_vault_or_its_asset() {
        let prices = |shares| VaultPrices::new(Arc::new(UnpricedFeed), Arc::new(Vault(shares)), []);
        let one = Some(RawAmount::new(U256::ONE));
        assert!(prices(None).unpriced(&token(2)).unwrap().contains("its vault rate is unknown"));
        assert_eq!(prices(one).unpriced(&token(2)).unwrap(), token(1).to_string());
        assert_eq!(prices(one).unpriced(&token(3)).unwrap(), token(3).to_string());
    }

    /// A feed without prices that returns the token as the reason.
    struct UnpricedFeed;

    impl PriceFeed for UnpricedFeed {
        fn usd_price(&self, _: &TokenId) -> Option<UsdPrice> {
            None
        }

        fn unpriced(&self, token: &TokenId) -> Option<String> {
            Some(token.to_string())
        }
    }

    #[test]
    fn a_share_without_a_rate_has_no_price() {
        assert_eq!(price(None, 2), None);
        assert_eq!(price(Some(RawAmount::ZERO), 2), None);
    }
}
