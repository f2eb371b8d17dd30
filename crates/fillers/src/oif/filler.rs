use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Refusal};
use causeway_domain::{ChainId, DepositMethod, Family};
use jiff::Timestamp;

use super::ask::build_request;
use super::client::{ClientError, SolverClient};
use super::config::{OifConfig, OifContracts, OifError};
use super::read_quotes::QuoteReader;

/// A solver of the Open Intents Framework.
pub struct OifFiller {
    pub(super) config: OifConfig,
    pub(super) contracts: HashMap<ChainId, OifContracts>,
    pub(super) client: Arc<SolverClient>,
}

impl fmt::Debug for OifFiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OifFiller").field("config", &self.config).finish_non_exhaustive()
    }
}

impl OifFiller {
    /// `contracts` are the EVM chains with our contracts; other chains are not served.
    pub fn new(config: OifConfig, contracts: HashMap<ChainId, OifContracts>) -> Result<Self, OifError> {
        let accounts = config.account.map(|account| [account.filler, account.payee]);
        if accounts.iter().flatten().any(|account| account.family() != Family::Evm || account.is_native()) {
            return Err(OifError::Account);
        }
        let client = Arc::new(SolverClient::new(&config)?);
        Ok(Self { config, contracts, client })
    }

    async fn answer(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        let contracts_on =
            |chain: ChainId| self.contracts.get(&chain).filter(|_| chain.family() == Family::Evm);
        let (Some(origin), Some(destination)) =
            (contracts_on(ask.ask.from.chain()), contracts_on(ask.ask.to.chain()))
        else {
            return Ok(Answer::Refused(Refusal::PairNotServed));
        };
        let methods = requested_methods(ask, &origin.methods);
        if methods.is_empty() {
            return Ok(Answer::Refused(Refusal::NoDepositMethod));
        }
        let now = Timestamp::now();
        let request = match build_request(ask, origin, destination, self.config.account, now) {
            Ok(request) => request,
            Err(refusal) => return Ok(Answer::Refused(refusal)),
        };
        let invalid = |message: String| FillerError::Nonsense(message);
        let body = serde_json::to_vec(&request.body).map_err(|error| invalid(error.to_string()))?;
        let body = match self.client.quote(body, self.config.deadline).await {
            Ok(body) => body,
            Err(ClientError::Declined(message)) => return Ok(Answer::Refused(Refusal::Other(message))),
            Err(ClientError::Unavailable(message)) => return Err(FillerError::Unavailable(message)),
            Err(ClientError::Nonsense(message)) => return Err(invalid(message)),
        };
        let account = self.config.account;
        let reader =
            QuoteReader { ask, request: &request, methods: &methods, account, now: Timestamp::now() };
        Ok(best_first(reader.read(&body).map_err(invalid)?))
    }
}

/// The chain's deposit methods that the payer accepts.
fn requested_methods(ask: &FillerAsk, offered: &[DepositMethod]) -> Vec<DepositMethod> {
    let requested_methods = &ask.ask.deposit_methods;
    offered
        .iter()
        .copied()
        .filter(|method| requested_methods.is_empty() || requested_methods.contains(method))
        .collect()
}

/// The framework does not specify an order of its quotes.
fn best_first(answer: Answer) -> Answer {
    match answer {
        Answer::Offers(mut offers) => {
            offers.sort_by(|one, other| {
                other.amount_out.cmp(&one.amount_out).then(one.amount_in.cmp(&other.amount_in))
            });
            Answer::Offers(offers)
        }
        refused @ Answer::Refused(_) => refused,
    }
}

#[async_trait]
impl Filler for OifFiller {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "oif"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        self.answer(ask).await
    }
}
