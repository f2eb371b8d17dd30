use async_trait::async_trait;
use thiserror::Error;

use crate::{Address, RawAmount, TokenId};

/// The kind of order to screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderKind {
    Swap,
    /// Paid with fiat.
    Purchase,
}

impl OrderKind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Swap => "swap",
            Self::Purchase => "purchase",
        }
    }
}

/// A screening request, before an order is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenRequest {
    pub kind: OrderKind,
    /// All paying and receiving wallets, without duplicates.
    pub wallets: Vec<Address>,
    /// The input of a swap, the bought token of a purchase.
    pub asset: TokenId,
    pub amount: RawAmount,
}

/// Why an order is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The wallet concerned; the order as a whole when absent.
    pub wallet: Option<Address>,
    /// The screening that rejected it.
    pub by: String,
    /// For the operator; the client only learns that screening rejected the order.
    pub reason: String,
}

/// A screening is unavailable: the order is not created and the request may succeed later.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the screening `{by}` does not answer: {reason}")]
pub struct ScreenError {
    pub by: String,
    pub reason: String,
}

/// Decides who may create an order.
#[async_trait]
pub trait Screen: Send + Sync {
    /// The first hit, if any.
    async fn screen(&self, ask: &ScreenRequest) -> Result<Option<Hit>, ScreenError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screenings_are_told_whether_it_is_a_swap_or_a_purchase() {
        assert_eq!([OrderKind::Swap, OrderKind::Purchase].map(OrderKind::as_str), ["swap", "purchase"]);
    }
}
