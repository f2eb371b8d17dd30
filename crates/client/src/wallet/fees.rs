use super::WalletError;

const GWEI: u128 = 1_000_000_000;

/// On chains without a base fee, the gas price may be this many times the maximum tip.
const MAX_PRICE_PER_TIP: u128 = 10;

/// The maximum that a wallet pays per gas on top of the base fee. It protects against endpoints that suggest excessive fees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeeCap(Option<u128>);

impl FeeCap {
    pub(super) const fn new(max_tip: u128) -> Self {
        Self(Some(max_tip))
    }

    /// The tip to pay: the suggested one, capped.
    pub(super) fn tip(self, chain_id: u64, suggested: u128) -> u128 {
        suggested.min(self.max_tip(chain_id))
    }

    /// The gas price on a chain without a base fee. Capping it would prevent mining, so an excessive price is an error.
    pub(super) fn price(self, chain_id: u64, suggested: u128) -> Result<u128, WalletError> {
        let max = self.max_tip(chain_id).saturating_mul(MAX_PRICE_PER_TIP);
        if suggested > max {
            Err(WalletError::GasPriceTooHigh { chain_id, price: suggested, max })
        } else {
            Ok(suggested)
        }
    }

    /// 10 gwei is far above typical tips, except on Polygon, which requires at least 25.
    const fn max_tip(self, chain_id: u64) -> u128 {
        match (self.0, chain_id) {
            (Some(max_tip), _) => max_tip,
            (None, 137) => 500 * GWEI,
            (None, _) => 10 * GWEI,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_suggested_by_an_endpoint_are_capped() {
        let cap = FeeCap::default();
        assert_eq!((cap.tip(1, GWEI), cap.tip(1, u128::MAX)), (GWEI, 10 * GWEI));
        assert_eq!((cap.tip(137, 30 * GWEI), cap.tip(137, u128::MAX)), (30 * GWEI, 500 * GWEI));
        assert_eq!(FeeCap::new(3).tip(137, 4), 3);
        assert_eq!(cap.price(1, 100 * GWEI), Ok(100 * GWEI));
        let (price, max) = (100 * GWEI + 1, 100 * GWEI);
        assert_eq!(cap.price(1, price), Err(WalletError::GasPriceTooHigh { chain_id: 1, price, max }));
    }
}
