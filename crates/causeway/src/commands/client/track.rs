use causeway_client::{Error, PollingOptions};
use clap::Args;

use super::directory::Directory;
use super::failure::Failure;
use super::{ServiceArgs, Session, order, output, purchase};

#[derive(Clone, Debug, Args)]
pub(crate) struct TrackArgs {
    /// The order's id, as printed by `swap` or `buy`
    order: String,

    /// Show the current status and do not wait
    #[arg(long)]
    once: bool,

    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Whether the service has no such order.
fn is_missing(error: &Error) -> bool {
    error.details().is_some_and(|details| details.status == 404)
}

/// An unknown order id may be a purchase; otherwise the first error is returned.
async fn track_purchase(
    session: &Session,
    directory: &Directory,
    args: &TrackArgs,
    missing: Error,
) -> Result<(), Failure> {
    let view = session.client.fiat_order(&args.order).await.map_err(|_| missing)?;
    match (args.once, session.args.json) {
        (false, _) => purchase::follow(session, directory, &args.order).await,
        (true, true) => output::print_json(&view),
        (true, false) => output::print(&purchase::show(session, directory, &view).await),
    }
}

/// Follows an order until it is filled, refunded or failed.
pub(crate) async fn track(session: Session, args: &TrackArgs) -> Result<(), Failure> {
    let directory = session.directory().await?;
    let found = match session.client.order(&args.order).await {
        Err(error) if is_missing(&error) => return track_purchase(&session, &directory, args, error).await,
        found => found?,
    };
    if args.once {
        return if session.args.json {
            output::print_json(&found)
        } else {
            output::print(&order::show(&found, &directory))
        };
    }
    let progress = session.progress();
    progress.waiting("Reading the order");
    let tracked = session
        .client
        .track_order(&args.order, PollingOptions::default(), |found| {
            order::report(&progress, found, &directory);
        })
        .await;
    progress.clear();
    match tracked {
        Ok(ended) if ended.status == "filled" && session.args.json => output::print_json(&ended),
        Ok(ended) if ended.status == "filled" => output::print(&order::show(&ended, &directory)),
        Ok(ended) => {
            if !session.args.json {
                output::print(&order::show(&ended, &directory))?;
            }
            Err(Error::OrderFailed(Box::new(ended)).into())
        }
        Err(Error::ApiAborted) => {
            let resume = session.resume(&args.order);
            Err(Failure::Stopped(format!("stopped; the order continues. To track it again: {resume}")))
        }
        Err(error) => Err(error.into()),
    }
}
