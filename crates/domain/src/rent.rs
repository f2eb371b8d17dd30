use crate::{ChainId, Family, Order, Terms};

/// An account that a chain keeps for an order, at the cost of whoever made it, until it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RentedAccount {
    /// The order itself.
    Order,
    /// The record of its delivery.
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

    /// The chain on which the order has such an account; none where accounts cost nothing.
    pub fn chain(self, order: &Order) -> Option<ChainId> {
        let chain = match self {
            Self::Order => order.from.chain(),
            Self::Fill => order.to.chain(),
        };
        (chain.family() == Family::Solana).then_some(chain)
    }

    /// It stays past this moment, by its chain's own time: without it the same deposit could open the order again, and the old
    /// fill could claim it.
    pub const fn kept_until(self, terms: &Terms) -> u64 {
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
        let terms = Terms { open_deadline: 10, fill_deadline: 20, refund_at: 30, ..terms() };
        assert_eq!(RentedAccount::ALL.map(|account| account.kept_until(&terms)), [10, 30]);
    }

    #[test]
    fn accounts_print_and_read_back() {
        for account in RentedAccount::ALL {
            assert_eq!(RentedAccount::parse(account.as_str()), Some(account));
        }
        assert_eq!(RentedAccount::parse("vault"), None);
    }
}
