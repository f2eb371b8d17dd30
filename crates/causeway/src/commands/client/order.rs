use causeway_client::answers::{Order, OrderTransaction};
use causeway_client::wire::TokenMeta;

use super::directory::Directory;
use super::progress::Progress;
use super::units;

/// What an order is waiting for, by its status.
pub(crate) fn waiting_text(status: &str) -> &'static str {
    match status {
        "created" => "Waiting until the deposit is final",
        "deposited" => "Waiting for the filler to decide",
        "published" => "Waiting for the delivery",
        "refund_pending" => "Waiting for the refund",
        _ => "Waiting",
    }
}

/// Reports an order's new status and what comes next.
pub(crate) fn report(progress: &Progress, order: &Order, directory: &Directory) {
    let newest = match order.status.as_str() {
        "deposited" => order.transactions.deposit.as_ref(),
        "filled" => order.transactions.fill.as_ref(),
        "refunded" => order.transactions.refund.as_ref(),
        _ => None,
    };
    let reason = order.failure_reason.clone().unwrap_or_default();
    let detail = newest.map_or(reason, |transaction| link(transaction, directory));
    progress.step(&order.status, &detail);
    if !causeway_client::is_terminal(&order.status) {
        progress.waiting(waiting_text(&order.status));
    }
}

/// An order as text.
pub(crate) fn show(order: &Order, directory: &Directory) -> String {
    let (src, dest) = (order.src_amount.as_deref(), order.dest_amount.as_deref());
    let give = describe_amount(src, order.from_token_meta.as_ref(), order.from_chain_id, directory);
    let get = describe_amount(dest, order.to_token_meta.as_ref(), order.to_chain_id, directory);
    let transactions = &order.transactions;
    let linked = |transaction: &Option<OrderTransaction>| {
        transaction.as_ref().map(|transaction| link(transaction, directory))
    };
    let lines = [
        ("order", Some(order.id.clone())),
        ("recipient", order.recipient.clone()),
        ("deposit", linked(&transactions.deposit)),
        ("delivery", linked(&transactions.fill)),
        ("refund", linked(&transactions.refund)),
        ("reason", order.failure_reason.clone()),
    ];
    let shown = lines.into_iter().filter_map(|(name, value)| Some(format!("\n  {name:<10} {}", value?)));
    format!("{}: {give} → {get}{}", order.status, shown.collect::<String>())
}

fn link(transaction: &OrderTransaction, directory: &Directory) -> String {
    match transaction.chain_id {
        Some(chain) => directory.link(chain, &transaction.tx_hash),
        None => transaction.tx_hash.clone(),
    }
}

fn describe_amount(
    raw: Option<&str>,
    meta: Option<&TokenMeta>,
    chain_id: Option<u64>,
    directory: &Directory,
) -> String {
    let chain = chain_id.map_or_else(|| "an unknown chain".to_owned(), |chain| directory.name(chain));
    match (raw, meta) {
        (Some(raw), Some(meta)) => {
            format!("{} {} on {chain}", units::format_amount(raw, meta.decimals), meta.symbol)
        }
        (Some(raw), None) => format!("{raw} raw units on {chain}"),
        (None, _) => format!("an unknown amount on {chain}"),
    }
}
