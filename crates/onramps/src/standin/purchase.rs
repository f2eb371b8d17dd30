use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use causeway_domain::RawAmount;
use causeway_domain::fiat::{FiatAmount, FiatOrder};

use super::price::Ware;

/// A purchase as a provider keeps it.
#[derive(Clone, Debug)]
pub struct Purchase {
    /// Our name for it.
    pub order: String,
    pub status: String,
    pub pays: FiatAmount,
    pub ware: Ware,
    pub delivers: RawAmount,
    pub wallet: String,
}

impl Purchase {
    /// What a provider would keep of an order that was paid as agreed.
    pub fn of(order: &FiatOrder, status: &str) -> Option<Self> {
        Some(Self {
            order: order.id.to_string(),
            status: status.to_owned(),
            pays: order.pays,
            ware: *Ware::of(&order.sold)?,
            delivers: order.sold_amount,
            wallet: order.deliver_to().to_string(),
        })
    }

    /// The provider's own name for it.
    pub fn id(&self) -> String {
        let digits: String = self.order.chars().rev().collect();
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("0000").to_owned();
        [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
    }
}

/// All purchases that a stand-in knows.
#[derive(Debug, Default)]
pub struct Purchases(Mutex<HashMap<String, Purchase>>);

impl Purchases {
    pub fn get(&self, order: &str) -> Option<Purchase> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(order).cloned()
    }

    pub fn put(&self, purchase: Purchase) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(purchase.order.clone(), purchase);
    }

    /// Begins one unless it is known, and takes it to the status.
    pub fn walk(&self, begun: Purchase, status: &str) {
        let known = self.get(&begun.order).unwrap_or(begun);
        self.put(Purchase { status: status.to_owned(), ..known });
    }
}
