use alloy_primitives::U256;
use causeway_domain::ports::{VaultRate, VaultRates};
use causeway_domain::{Address, Order, RawAmount, TokenId};

use crate::inventory::wide::{PPM, ceil, narrow, product};

/// The most that is spent on a vault's shares above their current price: a thousandth, in millionths. The vault's
/// rate moves between reading it and the fill.
const VAULT_MARGIN: u32 = 1_000;

/// What the filler pays for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Payment {
    pub(super) token: TokenId,
    /// For shares of a vault the maximum that may be spent, rounded up.
    pub(super) amount: RawAmount,
    /// The vault's asset and the maximum amount of it, where the output is shares of a vault.
    pub(super) through: Option<(Address, U256)>,
}

impl Payment {
    /// `None` while the rate of a vault is not known.
    pub(super) fn for_order(order: &Order, vaults: &dyn VaultRates) -> Option<Self> {
        let out = order.terms.amount_out;
        if !vaults.is_share(&order.to) {
            return Some(Self { token: order.to, amount: RawAmount::new(out), through: None });
        }
        let rate = vaults.rate(&order.to).filter(|rate| rate.asset.chain() == order.to.chain())?;
        let max_assets = max_cost(out, &rate)?;
        let through = Some((rate.asset.address(), max_assets));
        Some(Self { token: rate.asset, amount: RawAmount::new(max_assets), through })
    }
}

/// What that many shares cost with the margin, rounded up; `None` where the vault has no shares or the cost outgrows 256 bits.
fn max_cost(shares: U256, rate: &VaultRate) -> Option<U256> {
    let with_margin = U256::from(PPM.saturating_add(VAULT_MARGIN));
    let assets = product([shares, rate.assets.get(), with_margin])?;
    ceil(assets, product([rate.shares.get(), U256::from(PPM)])?).and_then(narrow)
}

#[cfg(test)]
mod tests {
    use causeway_domain::ChainId;
    use proptest::prelude::*;

    use super::*;

    fn rate(assets: u64, shares: u64) -> VaultRate {
        let raw = |units| RawAmount::new(U256::from(units));
        let asset = TokenId::native(ChainId::new(1).unwrap());
        VaultRate { asset, assets: raw(assets), shares: raw(shares) }
    }

    #[test]
    fn shares_cost_their_rate_and_a_thousandth_rounded_up() {
        assert_eq!(max_cost(U256::from(1_000), &rate(2, 1)), Some(U256::from(2_002)));
        assert_eq!(max_cost(U256::from(1), &rate(1, 1)), Some(U256::from(2)));
        assert_eq!(max_cost(U256::ZERO, &rate(1, 1)), Some(U256::ZERO));
        assert_eq!(max_cost(U256::from(1), &rate(1, 0)), None);
        assert_eq!(max_cost(U256::MAX, &rate(1, 1)), None);
    }

    proptest! {
        #[test]
        fn maximum_cost_is_never_below_the_price_and_barely_above(
            shares in any::<u64>(), assets in 1u64.., per in 1u64..,
        ) {
            let max_assets = max_cost(U256::from(shares), &rate(assets, per)).unwrap();
            let (exact, per) = (U256::from(shares) * U256::from(assets), U256::from(per));
            prop_assert!(max_assets * per >= exact);
            prop_assert!(max_assets * per * U256::from(1_000) < exact * U256::from(1_001) + per * U256::from(1_000));
        }
    }
}
