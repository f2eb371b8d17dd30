use std::io::Write as _;

use crate::boot::config::{Config, Mode};
use crate::boot::parts::chain_access::sandbox_rpc;
use crate::boot::service::Service;
use crate::boot::{descriptors, logging};

/// Starts the service and returns when it has stopped.
pub(crate) async fn serve(config: &Config) -> anyhow::Result<()> {
    let traces = logging::start_with_traces(&config.log, &config.traces)?;
    descriptors::raise_limit();
    let service = Service::start(config).await?;
    print_summary(config, &service)?;
    let ended = service.run().await;
    if let Some(traces) = traces {
        traces.flush().await;
    }
    ended
}

/// Prints a short summary with clickable addresses.
fn print_summary(config: &Config, service: &Service) -> anyhow::Result<()> {
    let url = service.public_url.as_str();
    let listening = match &config.server.public_url {
        Some(_) => format!("    Listens on     {}\n", service.local_url()?),
        None => String::new(),
    };
    let snapshot = service.catalog.snapshot();
    let chains = snapshot.chains().iter().filter(|chain| chain.enabled).count();
    let tokens = snapshot.token_count();
    let location = config.database.location(&config.data_dir)?;
    let mode = match config.mode {
        Mode::Sandbox => "sandbox: play money only, never sign here with a real key",
        Mode::Production => "production",
    };
    let wallets = if sandbox_rpc(config, url).is_some() {
        "    Wallets        the ten accounts of \"test test test test test test test test test test test junk\"\n"
    } else {
        ""
    };
    // A closed standard output does not stop the service.
    let _ = writeln!(
        std::io::stdout(),
        "\n  Causeway {version} is running ({mode})\n\n    \
         Start page     {url}/\n    \
         API reference  {url}/docs\n    \
         Chains         {url}/v1/chains ({chains} chains, {tokens} tokens)\n    \
         Store          {location}\n\
         {listening}{wallets}\n  \
         Ctrl-C stops it.\n",
        version = env!("CARGO_PKG_VERSION"),
    );
    Ok(())
}
