use super::WalletError;

const GWEI: u128 = 1_000_000_000;

/// Where a chain has no base fee, its price may be so many times the highest tip.
const PRICE_TO_TIP: u128 = 10;

/// What a wallet pays at most per gas, beyond a base fee that the chain itself sets. Endpoints say what is usual, and one that
/// lies must not make a transaction pay a fortune.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeeCap(Option<u128>);

impl FeeCap {
    pub(super) const fn at(most: u128) -> Self {
        Self(Some(most))
    }

    /// The tip that is paid: the endpoint's, or the highest.
    pub(super) fn tip(self, chain_id: u64, asked: u128) -> u128 {
        asked.min(self.most(chain_id))
    }

    /// The price of a chain without a base fee. A lower one would not be mined, so one that is too high is refused.
    pub(super) fn price(self, chain_id: u64, asked: u128) -> Result<u128, WalletError> {
        let most = self.most(chain_id).saturating_mul(PRICE_TO_TIP);
        if asked > most { Err(WalletError::TooDear { chain_id, price: asked, most }) } else { Ok(asked) }
    }

    /// Ten gwei are far more than is usual anywhere but on Polygon, whose coin is cheap and which takes no less than 25.
    const fn most(self, chain_id: u64) -> u128 {
        match (self.0, chain_id) {
            (Some(most), _) => most,
            (None, 137) => 500 * GWEI,
            (None, _) => 10 * GWEI,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_cannot_make_a_transaction_pay_any_fee() {
        let usual = FeeCap::default();
        assert_eq!((usual.tip(1, GWEI), usual.tip(1, u128::MAX)), (GWEI, 10 * GWEI));
        assert_eq!((usual.tip(137, 30 * GWEI), usual.tip(137, u128::MAX)), (30 * GWEI, 500 * GWEI));
        assert_eq!(FeeCap::at(3).tip(137, 4), 3);
        assert_eq!(usual.price(1, 100 * GWEI), Ok(100 * GWEI));
        let (price, most) = (100 * GWEI + 1, 100 * GWEI);
        assert_eq!(usual.price(1, price), Err(WalletError::TooDear { chain_id: 1, price, most }));
    }
}
