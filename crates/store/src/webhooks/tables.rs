use causeway_domain::ports::{StoreError, Subject, SubjectKind};

use crate::record::parse;

/// Where the events of orders or of purchases are, and their deliveries.
pub(crate) struct Tables {
    kind: SubjectKind,
    pub(super) deliveries: &'static str,
    pub(super) attempts: &'static str,
    pub(super) events: &'static str,
    /// The column of `webhook_endpoints` that says up to where these events were read.
    pub(super) read_to: &'static str,
    /// Every visible event of this kind joined with every endpoint that receives it.
    pub(super) subscribed: &'static str,
    /// The endpoints that receive events of this kind.
    pub(super) receives: &'static str,
}

const ORDERS: Tables = Tables {
    kind: SubjectKind::Order,
    deliveries: "webhook_deliveries",
    attempts: "webhook_attempts",
    events: "events",
    read_to: "read_to",
    subscribed: "FROM events JOIN orders ON orders.id = events.order_id \
         JOIN webhook_endpoints AS endpoints ON endpoints.about IN ('orders', 'all') \
         AND (endpoints.integrator IS NULL OR endpoints.integrator = orders.integrator) \
         WHERE orders.announced = 1",
    receives: "about IN ('orders', 'all')",
};

const PURCHASES: Tables = Tables {
    kind: SubjectKind::Purchase,
    deliveries: "purchase_deliveries",
    attempts: "purchase_attempts",
    events: "fiat_events",
    read_to: "purchases_read_to",
    subscribed: "FROM fiat_events JOIN fiat_orders ON fiat_orders.id = fiat_events.order_id \
         JOIN webhook_endpoints AS endpoints ON endpoints.about IN ('purchases', 'all') \
         WHERE (endpoints.integrator IS NULL OR endpoints.integrator = fiat_orders.integrator)",
    receives: "about IN ('purchases', 'all')",
};

impl Tables {
    pub(crate) const fn of(kind: SubjectKind) -> &'static Self {
        match kind {
            SubjectKind::Order => &ORDERS,
            SubjectKind::Purchase => &PURCHASES,
        }
    }

    /// The id in a column `order_id` of these tables.
    pub(super) fn subject(&self, id: &str) -> Result<Subject, StoreError> {
        Ok(match self.kind {
            SubjectKind::Order => Subject::Order(parse("webhook_deliveries.order_id", id)?),
            SubjectKind::Purchase => Subject::Purchase(parse("purchase_deliveries.order_id", id)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::Subscription;

    use super::*;

    #[test]
    fn an_endpoint_receives_what_its_subscription_says() {
        for kind in SubjectKind::ALL {
            for subscription in Subscription::ALL {
                let word = format!("'{}'", subscription.as_str());
                let tables = Tables::of(kind);
                for condition in [tables.receives, tables.subscribed] {
                    assert_eq!(condition.contains(&word), subscription.includes(kind), "{condition}");
                }
            }
        }
    }
}
