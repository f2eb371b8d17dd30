use causeway_client::answers::FiatStatus;
use causeway_client::wire::FiatOrderView;
use causeway_client::{Error, PollingOptions};

use super::directory::Directory;
use super::failure::Failure;
use super::pair::describe_amount;
use super::parse::TokenRef;
use super::progress::Progress;
use super::{Session, output};

/// Follows a purchase until it is completed or over, and shows it.
pub(crate) async fn follow(session: &Session, directory: &Directory, order_id: &str) -> Result<(), Failure> {
    let progress = session.progress();
    progress.waiting("Reading the purchase");
    let on_status = |status: &FiatStatus| report(&progress, status);
    let tracked = session.client.track_purchase(order_id, PollingOptions::default(), on_status).await;
    progress.clear();
    match tracked {
        Ok(status) => {
            let view = session.client.fiat_order(order_id).await?;
            let done = status.status == "completed";
            if done && session.args.json {
                return output::print_json(&view);
            }
            if !session.args.json {
                output::print(&show(session, directory, &view).await)?;
            }
            if done { Ok(()) } else { Err(Failure::NotCompleted(Box::new(view))) }
        }
        Err(Error::ApiAborted) => Err(Failure::Stopped(format!(
            "stopped; the purchase continues. To track it again: {}",
            session.resume(order_id)
        ))),
        Err(error) => Err(error.into()),
    }
}

fn report(progress: &Progress, status: &FiatStatus) {
    progress.step(&status.status, status.failed_reason.as_deref().unwrap_or_default());
    if !status.polling.is_terminal {
        progress.waiting(match status.progress.as_str().unwrap_or_default() {
            "awaiting_payment" => "Waiting for the payment at the checkout",
            "payment_processing" => "Waiting for the provider to confirm the payment",
            "settling" => "Waiting for the delivery",
            _ => "Waiting",
        });
    }
}

/// A purchase as text.
pub(crate) async fn show(session: &Session, directory: &Directory, view: &FiatOrderView) -> String {
    let asset = &view.output_asset;
    let place = TokenRef { token: asset.address.clone(), chain: asset.chain_id.to_string() };
    let raw = view.output_amount.as_ref().or(view.expected_output_amount.as_ref());
    let get = match (raw, directory.token(&session.client, &place).await) {
        (Some(raw), Ok(token)) => describe_amount(raw, &token, directory),
        _ => format!("{} on {}", asset.address, directory.name(asset.chain_id)),
    };
    let link = |tx_hash: &String| directory.link(asset.chain_id, tx_hash);
    let failure = view.failure.as_ref();
    let lines = [
        ("order", Some(view.order_id.clone())),
        ("provider", Some(view.provider.clone())),
        ("swap", view.swap_order_id.clone()),
        ("delivery", view.fill_tx_hash.as_ref().map(link)),
        ("refund", view.refund_tx_hash.clone()),
        ("checkout", view.action.as_ref().filter(|_| !view.terminal).map(|action| action.url.clone())),
        ("reason", failure.map(|failure| failure.message.clone().unwrap_or_else(|| failure.reason.clone()))),
    ];
    let shown = lines.into_iter().filter_map(|(name, value)| Some(format!("\n  {name:<10} {}", value?)));
    let paid = format!("{} {}", view.fiat_amount, view.fiat_currency);
    format!("{}: {paid} → {get}{}", view.status, shown.collect::<String>())
}
