use causeway_client::Method;
use clap::Args;

use super::failure::Failure;
use super::{ServiceArgs, Session, output};

#[derive(Clone, Debug, Args)]
pub(crate) struct HealthArgs {
    #[command(flatten)]
    pub(crate) service: ServiceArgs,
}

/// Prints whether a service is ready; fails when it is not, so that containers can use it as their health check.
pub(crate) async fn health(session: Session) -> Result<(), Failure> {
    let status = session.client.call(Method::GET, &["status.json"], &[], None).await?;
    let text = |key: &str| status[key].as_str().unwrap_or("unknown").to_owned();
    let service = format!("{} {} ({})", text("name"), text("version"), text("mode"));
    if status["ready"] != true {
        let url = session.args.url.trim_end_matches('/');
        let message =
            format!("{service} answers, but is not ready; {url}/readyz?verbose says what is missing");
        return Err(Failure::Local(message));
    }
    if session.args.json {
        output::print_json(&status)
    } else {
        output::print(&format!("{service} is ready"))
    }
}
