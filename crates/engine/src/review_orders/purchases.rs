use causeway_domain::ForwardingPlan;
use causeway_domain::fiat::{FiatOrder, FiatStatus, Strategy};
use causeway_domain::ports::StoreError;
use jiff::{SignedDuration, Timestamp};

use super::{MAX_STUCK, ReviewOrders, Wait};

/// A purchase that has not progressed for longer than expected.
#[derive(Clone, Debug)]
pub struct StuckPurchase {
    pub order: FiatOrder,
    pub wait: Wait,
}

impl ReviewOrders {
    /// The purchases without progress for longer than expected, or for at least `unmoved_for`, longest first.
    pub async fn stuck_purchases(
        &self,
        unmoved_for: Option<std::time::Duration>,
        now: Timestamp,
    ) -> Result<Vec<StuckPurchase>, StoreError> {
        let least = match unmoved_for {
            Some(time) => SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX),
            None => SignedDuration::ZERO,
        };
        let since = now.checked_sub(least).unwrap_or(Timestamp::MIN);
        let mut stuck = Vec::new();
        for order in self.parts.fiat.unmoved_fiat(since, MAX_STUCK).await? {
            if unmoved_for.is_none() && now < expected_by(&order) {
                continue;
            }
            let wait = diagnose(&order, self.pause_reason(&order));
            stuck.push(StuckPurchase { order, wait });
        }
        Ok(stuck)
    }

    fn pause_reason(&self, order: &FiatOrder) -> Option<String> {
        let pauses = &self.parts.pauses;
        pauses.reason_for_tokens(&[order.sold, order.target])
    }
}

/// When the next progress is due at the latest, as far as anybody can tell.
fn expected_by(order: &FiatOrder) -> Timestamp {
    let (from, patience) = match order.status {
        // An unpaid purchase ends by itself.
        FiatStatus::Created => (order.pay_by, SignedDuration::from_hours(1)),
        // Banks take a day.
        FiatStatus::Pending => (order.updated_at, SignedDuration::from_hours(24)),
        _ => (order.updated_at, SignedDuration::from_mins(30)),
    };
    from.checked_add(patience).unwrap_or(Timestamp::MAX)
}

fn diagnose(order: &FiatOrder, paused: Option<String>) -> Wait {
    let provider = &order.provider;
    let known = match &order.provider_order {
        Some(id) => format!("their id is {id}"),
        None => "they have named no id of it yet".to_owned(),
    };
    match (order.status, &order.payout, &order.strategy) {
        (FiatStatus::Created, ..) => Wait::new(
            format!(
                "the payer has not paid by {}, and {provider} does not say that it is over",
                order.pay_by
            ),
            format!("look it up at {provider} ({known}); nothing is lost"),
        ),
        (FiatStatus::Pending, ..) => {
            Wait::new(format!("{provider} has the payment in work"), format!("ask {provider} ({known})"))
        }
        (_, None, _) => Wait::new(
            format!(
                "{provider} says that it delivered, and no final block of chain {} shows it at {}",
                order.sold.chain(),
                order.deliver_to()
            ),
            format!(
                "ask {provider} for the transaction ({known}), and check that the chain is read: causeway overview"
            ),
        ),
        (_, Some(payout), Strategy::Direct) => Wait::new(
            format!("the delivery {} is not counted as complete", payout.tx),
            "report it: the purchase should have ended".to_owned(),
        ),
        (_, Some(_), Strategy::Forwarding(plan)) => forwarding(plan, paused),
    }
}

fn forwarding(plan: &ForwardingPlan, paused: Option<String>) -> Wait {
    match (&plan.swap, &plan.returned_tx, paused) {
        (_, Some(tx), _) => Wait::new(
            format!("the money is returned by {tx}, which is in no final block yet"),
            "wait, or see what became of the transaction: causeway overview",
        ),
        (Some(swap), ..) => Wait::new(
            format!("its swap {swap} is not filled yet"),
            format!("causeway order find {swap} says what it waits for"),
        ),
        (None, None, Some(reason)) => Wait::new(
            format!("the money is at {}, and {reason}", plan.address),
            "end the pause, or the money goes to the refund address at the end of the forwarding order",
        ),
        (None, None, None) => Wait::new(
            format!(
                "the money is at {}, and no filler offers the least that the payer was promised",
                plan.address
            ),
            "see that a filler serves the pair; the money goes to the refund address at the end of the forwarding order",
        ),
    }
}
