//! Tracks all orders of an address until none is open:
//! `cargo run -p causeway-client --example follow_orders -- http://127.0.0.1:8080 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266`

#![allow(clippy::print_stdout, reason = "a command line example")]

use std::collections::BTreeMap;
use std::time::Duration;

use causeway_client::answers::Order;
use causeway_client::{Client, Error, OrderQuery, is_terminal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(service), Some(author)) = (arguments.next(), arguments.next()) else {
        return Err("usage: follow_orders SERVICE_URL ADDRESS".into());
    };
    let print = |order: &Order| {
        let updated_at = order.updated_at.as_deref().unwrap_or("-");
        println!("{updated_at} {} {}", order.id, order.status);
    };
    follow(&Client::new(&service)?, &author, print).await?;
    Ok(())
}

/// Calls `on_order` for every order, and again whenever its status changes.
pub(crate) async fn follow(
    client: &Client,
    author: &str,
    mut on_order: impl FnMut(&Order),
) -> Result<(), Error> {
    let mut statuses = BTreeMap::new();
    loop {
        match every_order(client, author).await {
            Ok(orders) => {
                for order in &orders {
                    if statuses.insert(order.id.clone(), order.status.clone()).as_ref() != Some(&order.status)
                    {
                        on_order(order);
                    }
                }
                if orders.iter().all(|order| is_terminal(&order.status)) {
                    return Ok(());
                }
            }
            Err(error) if error.is_transient() => {}
            Err(error) => return Err(error),
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

async fn every_order(client: &Client, author: &str) -> Result<Vec<Order>, Error> {
    let (mut orders, mut query) = (Vec::new(), OrderQuery::default());
    loop {
        let page = client.orders(author, &query).await?;
        orders.extend(page.data);
        query.cursor = page.cursor;
        if query.cursor.is_none() {
            return Ok(orders);
        }
    }
}
