use std::collections::HashMap;

use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, FiatOrder};
use parking_lot::Mutex;

use super::price::ListedToken;

/// A purchase as stored by a provider.
#[derive(Clone, Debug)]
pub struct Purchase {
    /// Our order id.
    pub order: String,
    pub status: String,
    pub pays: FiatAmount,
    pub token: ListedToken,
    pub delivers: RawAmount,
    pub wallet: String,
}

impl Purchase {
    /// The purchase of an order as agreed.
    pub fn for_order(order: &FiatOrder, status: &str) -> Option<Self> {
        Some(Self {
            order: order.id.to_string(),
            status: status.to_owned(),
            pays: order.pays,
            token: *ListedToken::for_token(&order.sold)?,
            delivers: order.sold_amount,
            wallet: order.deliver_to().to_string(),
        })
    }

    /// The provider's id.
    pub fn id(&self) -> String {
        let digits: String = self.order.chars().rev().collect();
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("0000").to_owned();
        [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
    }
}

/// All purchases of a stand-in.
#[derive(Debug, Default)]
pub struct Purchases(Mutex<HashMap<String, Purchase>>);

impl Purchases {
    pub fn get(&self, order: &str) -> Option<Purchase> {
        self.0.lock().get(order).cloned()
    }

    pub fn put(&self, purchase: Purchase) {
        self.0.lock().insert(purchase.order.clone(), purchase);
    }

    /// Creates the purchase unless it exists, and sets its status.
    pub fn set_status(&self, parse_purchase: Purchase, status: &str) {
        let authenticate = self.get(&parse_purchase.order).unwrap_or(parse_purchase);
        self.put(Purchase { status: status.to_owned(), ..authenticate });
    }
}
