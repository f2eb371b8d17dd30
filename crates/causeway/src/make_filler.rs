use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{FillerProtocol, FillerRecord};
use causeway_domain::{ChainId, DepositMethod, QuoteKeys};
use causeway_engine::{MadeFiller, MakeFiller};
use causeway_fillers::oif::{ApiKey, ByteForm, OifConfig, OifFiller, OifHand, OifPlace};
use causeway_fillers::remote::{RemoteConfig, RemoteFiller, RemoteHand, Secret};

/// Makes fillers elsewhere of what was told about them.
pub(crate) struct Makers {
    /// The ways to deposit on each chain that has our contracts.
    pub(crate) methods: HashMap<ChainId, Vec<DepositMethod>>,
    /// Our contracts on each EVM chain.
    pub(crate) places: HashMap<ChainId, OifPlace>,
    /// Where fillers reach the service.
    pub(crate) public_url: String,
    pub(crate) quote_keys: QuoteKeys,
    /// How long one may take to answer that says nothing else.
    pub(crate) deadline: Duration,
}

impl MakeFiller for Makers {
    fn make(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        match record.protocol {
            FillerProtocol::Remote => self.remote(record),
            FillerProtocol::Oif => self.solver(record),
        }
    }
}

impl Makers {
    fn remote(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        let secret = record.secret.as_deref().ok_or("a remote filler and the service share a secret: give it one")?;
        let config = RemoteConfig {
            name: record.name.clone(),
            url: record.url.clone(),
            secret: Secret::new(secret).map_err(|error| error.to_string())?,
            deadline: record.deadline.unwrap_or(self.deadline),
        };
        let filler = RemoteFiller::new(config, self.methods.clone()).map_err(|error| error.to_string())?;
        let hand = RemoteHand::new(&filler, &self.public_url, self.quote_keys.clone());
        Ok(MadeFiller { filler: Arc::new(filler), hand: Arc::new(hand) })
    }

    /// The secret is the key of a solver's interface; its accounts come with its quotes.
    fn solver(&self, record: &FillerRecord) -> Result<MadeFiller, String> {
        let config = OifConfig {
            name: record.name.clone(),
            url: record.url.clone(),
            api_key: record.secret.clone().map(ApiKey::new),
            deadline: record.deadline.unwrap_or(self.deadline),
            account: None,
            submit: true,
            bytes: ByteForm::Hex,
        };
        let filler = OifFiller::new(config, self.places.clone()).map_err(|error| error.to_string())?;
        let hand = OifHand::new(&filler, self.quote_keys.clone());
        Ok(MadeFiller { filler: Arc::new(filler), hand: Arc::new(hand) })
    }
}
