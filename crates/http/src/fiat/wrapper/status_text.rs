use causeway_domain::fiat::{FiatOrder, FiatStatus};

/// The status of the purchase as a headline and a sentence. The page's script uses the same texts.
pub(super) fn status_text(order: &FiatOrder) -> (&'static str, String) {
    let jump = order.strategy.forwarding().is_some();
    match order.status {
        FiatStatus::Created => ("Waiting for your payment", "Complete the payment below.".to_owned()),
        FiatStatus::Pending => ("Your payment is being checked", "This takes a moment.".to_owned()),
        FiatStatus::Processing if jump => {
            ("Paid", "Your purchase is being swapped and sent to your wallet.".to_owned())
        }
        FiatStatus::Processing => ("Paid", "Your purchase is on its way to your wallet.".to_owned()),
        FiatStatus::Completed => ("Done", "It has arrived in your wallet.".to_owned()),
        FiatStatus::Canceled => ("Canceled", "Nothing was paid. You can start again at any time.".to_owned()),
        FiatStatus::Expired => {
            ("Expired", "No payment arrived in time. You can start again at any time.".to_owned())
        }
        FiatStatus::Failed => {
            let why = order.failure.as_ref().map(|failure| failure.message.clone());
            ("The purchase failed", why.unwrap_or_else(|| "The purchase was not completed.".to_owned()))
        }
    }
}
