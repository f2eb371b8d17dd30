use crate::{ChainId, Family, IntentTerms, Order};

/// An on-chain account of an order whose creator pays rent until it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RentedAccount {
    /// The order itself.
    Order,
    /// The record of its fill.
    Fill,
}

impl RentedAccount {
    pub const ALL: [Self; 2] = [Self::Order, Self::Fill];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Fill => "fill",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|account| account.as_str() == text)
    }

    /// The chain of the account; `None` where accounts need no rent.
    pub fn chain(self, order: &Order) -> Option<ChainId> {
        let chain = match self {
            Self::Order => order.from.chain(),
            Self::Fill => order.to.chain(),
        };
        (chain.family() == Family::Solana).then_some(chain)
    }

    /// The account must stay open until this chain time. Otherwise the same deposit could open the order again, and the
    /// old fill could claim it.
    pub const fn kept_until(self, terms: &IntentTerms) -> u64 {
        match self {
            Self::Order => terms.open_deadline,
            Self::Fill => terms.refund_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::terms;

    #[test]
    fn rule_18_orders_are_kept_past_the_open_deadline_and_fills_past_the_refund_time() {
        let terms = IntentTerms { open_deadline: 10, fill_deadline: 20, refund_at: 30, ..terms() };
        assert_eq!(RentedAccount::ALL.map(|account| account.kept_until(&terms)), [10, 30]);
    }

    #[test]
    fn accounts_round_trip_through_text() {
        for account in RentedAccount::ALL {
            assert_eq!(RentedAccount::parse(account.as_str()), Some(account));
        }
        assert_eq!(RentedAccount::parse("vault"), None);
    }
}
