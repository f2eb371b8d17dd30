use causeway_wire::{DepositAddressOrders, Page};

use crate::answers::Order;
use crate::url::Query;
use crate::{Client, Error};

/// Filter and page of a list of orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderQuery {
    /// Only these; all where empty.
    pub order_ids: Vec<String>,
    /// 20 by default, at most 100.
    pub limit: Option<u32>,
    /// The `cursor` of the previous page.
    pub cursor: Option<u64>,
}

impl Client {
    /// One order by its id.
    pub async fn order(&self, order_id: &str) -> Result<Order, Error> {
        self.get(self.base.join(&["v1", "orders", "by-id", order_id])).await?.json()
    }

    /// One order of this author; `None` if the author has no such order.
    pub async fn order_of(&self, author: &str, order_id: &str) -> Result<Option<Order>, Error> {
        let query = OrderQuery { order_ids: vec![order_id.to_owned()], ..OrderQuery::default() };
        let page = self.orders(author, &query).await?;
        Ok(page.data.into_iter().find(|order| order.id == order_id))
    }

    /// A page of an author's orders, newest first.
    pub async fn orders(&self, author: &str, query: &OrderQuery) -> Result<Page<Order>, Error> {
        let url = Query::default()
            .list("orderIds", &query.order_ids)
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .append_to(self.base.join(&["v1", "orders", author]));
        self.get(url).await?.json()
    }

    /// The orders that a transaction, an address or an id belongs to, newest first. `order_ids` of the query is ignored.
    pub async fn search_orders(&self, q: &str, query: &OrderQuery) -> Result<Page<Order>, Error> {
        let url = Query::default()
            .with("q", Some(q))
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .append_to(self.base.join(&["v1", "orders", "search"]));
        self.get(url).await?.json()
    }

    /// The orders of a deposit address, and the transfers observed there.
    pub async fn orders_at(&self, deposit_address: &str) -> Result<DepositAddressOrders, Error> {
        self.get(self.base.join(&["v1", "orders", "by-deposit-address", deposit_address])).await?.json()
    }
}
