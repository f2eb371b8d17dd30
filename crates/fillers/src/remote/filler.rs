use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Refusal};
use causeway_domain::{ChainId, DepositMethod};
use jiff::Timestamp;

use super::ask::{build_quote_ask, requested_methods};
use super::client::{CallKind, ClientError, SignedHttpClient};
use super::config::{RemoteConfig, RemoteError};
use super::read_answer::read_answer;

/// A filler that is called over HTTP.
pub struct RemoteFiller {
    config: RemoteConfig,
    /// Deposit methods of each chain that has our contracts.
    methods: HashMap<ChainId, Vec<DepositMethod>>,
    pub(super) client: Arc<SignedHttpClient>,
}

impl fmt::Debug for RemoteFiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteFiller").field("name", &self.config.name).finish_non_exhaustive()
    }
}

impl RemoteFiller {
    /// `methods` are the deposit methods of each chain that has our contracts; other chains are not served.
    pub fn new(
        config: RemoteConfig,
        methods: HashMap<ChainId, Vec<DepositMethod>>,
    ) -> Result<Self, RemoteError> {
        let client = Arc::new(SignedHttpClient::new(&config)?);
        Ok(Self { config, methods, client })
    }

    async fn answer(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        let chains = (self.methods.get(&ask.ask.from.chain()), self.methods.get(&ask.ask.to.chain()));
        let (Some(offered), Some(_)) = chains else { return Ok(Answer::Refused(Refusal::PairNotServed)) };
        let methods = requested_methods(ask, offered);
        if methods.is_empty() {
            return Ok(Answer::Refused(Refusal::NoDepositMethod));
        }
        let body = serde_json::to_vec(&build_quote_ask(ask, &methods));
        let body = body.map_err(|error| FillerError::Nonsense(error.to_string()))?;
        let answer = self.client.call(CallKind::Quote, body, self.config.deadline).await;
        let answer = answer.map_err(|error| match error {
            ClientError::Unavailable(message) => FillerError::Unavailable(message),
            ClientError::Nonsense(message) => FillerError::Nonsense(message),
        })?;
        read_answer(ask, &methods, &answer, Timestamp::now()).map_err(FillerError::Nonsense)
    }
}

#[async_trait]
impl Filler for RemoteFiller {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "rfq"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        self.answer(ask).await
    }
}
