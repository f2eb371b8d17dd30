use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{FillerProtocol, FillerRecord};
use causeway_domain::{ChainId, DepositMethod, QuoteKeys};
use causeway_engine::{MadeFiller, MakeFiller};
use causeway_fillers::oif::{ApiKey, ByteEncoding, OifConfig, OifContracts, OifExecutor, OifFiller};
use causeway_fillers::remote::{RemoteConfig, RemoteExecutor, RemoteFiller, Secret};
use causeway_http_client::names_private_host;
use reqwest::Url;

use crate::boot::config::Mode;

/// Creates remote fillers from their records.
pub(crate) struct FillerFactory {
    /// The deposit methods of each chain with our contracts.
    pub(crate) methods: HashMap<ChainId, Vec<DepositMethod>>,
    /// Our contracts on EVM chains.
    pub(crate) contracts: HashMap<ChainId, OifContracts>,
    /// The service's address for fillers.
    pub(crate) public_url: String,
    pub(crate) quote_keys: QuoteKeys,
    /// The default deadline of a filler.
    pub(crate) deadline: Duration,
    pub(crate) mode: Mode,
    /// The names of the configuration file's fillers, which may be in a private network.
    pub(crate) configured: HashSet<String>,
}

impl MakeFiller for FillerFactory {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        let public_only = self.mode == Mode::Production && !self.configured.contains(&record.name);
        if public_only && Url::parse(&record.url).is_ok_and(|url| names_private_host(&url)) {
            return Err(
                "the filler's URL is in a private network; configure a filler of a private network in the \
                        configuration file"
                    .to_owned(),
            );
        }
        match record.protocol {
            FillerProtocol::Remote => self.remote(record, public_only),
            FillerProtocol::Oif => self.oif(record, public_only),
        }
    }
}

impl FillerFactory {
    fn remote(&self, record: &FillerRecord, public_only: bool) -> Result<MadeFiller, String> {
        let secret =
            record.secret.as_deref().ok_or("a remote filler and the service share a secret: give it one")?;
        let config = RemoteConfig {
            name: record.name.clone(),
            url: record.url.clone(),
            secret: Secret::new(secret).map_err(|error| error.to_string())?,
            deadline: record.deadline.unwrap_or(self.deadline),
            public_only,
        };
        let filler = RemoteFiller::new(config, self.methods.clone()).map_err(|error| error.to_string())?;
        let executor = RemoteExecutor::new(&filler, &self.public_url, self.quote_keys.clone());
        Ok(MadeFiller { filler: Arc::new(filler), executor: Arc::new(executor) })
    }

    /// A solver names its accounts in its quotes and is notified of deposits.
    fn oif(&self, record: &FillerRecord, public_only: bool) -> Result<MadeFiller, String> {
        let config = OifConfig {
            name: record.name.clone(),
            url: record.url.clone(),
            api_key: record.secret.clone().map(ApiKey::new),
            deadline: record.deadline.unwrap_or(self.deadline),
            public_only,
            account: None,
            submit: true,
            bytes: ByteEncoding::default(),
        };
        let filler = OifFiller::new(config, self.contracts.clone()).map_err(|error| error.to_string())?;
        let executor = OifExecutor::new(&filler, self.quote_keys.clone());
        Ok(MadeFiller { filler: Arc::new(filler), executor: Arc::new(executor) })
    }
}

#[cfg(test)]
mod tests {
    use causeway_domain::QuoteKey;
    use jiff::Timestamp;

    use super::*;

    fn make(protocol: FillerProtocol, url: &str, secret: Option<&str>) -> Result<MadeFiller, String> {
        make_named("far", protocol, url, secret)
    }

    fn make_named(
        name: &str,
        protocol: FillerProtocol,
        url: &str,
        secret: Option<&str>,
    ) -> Result<MadeFiller, String> {
        let factory = FillerFactory {
            methods: HashMap::new(),
            contracts: HashMap::new(),
            public_url: "https://swap.example".to_owned(),
            quote_keys: QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() },
            deadline: Duration::from_secs(2),
            mode: Mode::Production,
            configured: HashSet::from(["near".to_owned()]),
        };
        factory.make(&FillerRecord {
            name: name.to_owned(),
            protocol,
            url: url.to_owned(),
            secret: secret.map(str::to_owned),
            deadline: None,
            added_at: Timestamp::UNIX_EPOCH,
            removed_at: None,
        })
    }

    #[test]
    fn filler_and_executor_have_the_record_name() {
        let secret = Some("a secret of enough letters");
        for (protocol, kind) in [(FillerProtocol::Remote, "rfq"), (FillerProtocol::Oif, "oif")] {
            let made = make(protocol, "https://far.example", secret).unwrap();
            assert_eq!((made.filler.name(), made.executor.name(), made.filler.kind()), ("far", "far", kind));
        }
    }

    #[test]
    fn a_filler_added_in_production_cannot_lie_in_a_private_network() {
        let secret = Some("a secret of enough letters");
        for url in ["http://127.0.0.1:9000", "https://localhost/", "https://169.254.169.254", "http://[::1]/"]
        {
            for protocol in [FillerProtocol::Remote, FillerProtocol::Oif] {
                let error = make(protocol, url, secret).unwrap_err();
                assert!(error.contains("private network"), "{url}: {error}");
                assert!(make_named("near", protocol, url, secret).is_ok(), "it is in the configuration");
            }
        }
    }

    #[test]
    fn invalid_filler_record_is_rejected_with_a_reason() {
        assert!(make(FillerProtocol::Remote, "https://far.example", None).unwrap_err().contains("secret"));
        assert!(make(FillerProtocol::Remote, "https://far.example", Some("short")).is_err());
        for protocol in [FillerProtocol::Remote, FillerProtocol::Oif] {
            let secret = Some("a secret of enough letters");
            assert!(make(protocol, "far.example", secret).unwrap_err().contains("https://"));
        }
    }
}
