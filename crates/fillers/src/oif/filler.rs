use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{Answer, Filler, FillerAsk, FillerError, Refusal};
use causeway_domain::{ChainId, DepositMethod, Family};
use jiff::Timestamp;

use super::ask::write_ask;
use super::config::{OifConfig, OifError, OifPlace};
use super::line::{Line, LineError};
use super::quotes::QuoteNames;
use super::read_quotes::Reading;

/// A solver of the Open Intents Framework.
pub struct OifFiller {
    pub(super) config: OifConfig,
    pub(super) places: HashMap<ChainId, OifPlace>,
    pub(super) line: Arc<Line>,
    pub(super) names: Arc<QuoteNames>,
}

impl fmt::Debug for OifFiller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OifFiller").field("config", &self.config).finish_non_exhaustive()
    }
}

impl OifFiller {
    /// `places` are the EVM chains that have our contracts; nothing else is asked about.
    pub fn new(config: OifConfig, places: HashMap<ChainId, OifPlace>) -> Result<Self, OifError> {
        let accounts = config.account.map(|account| [account.filler, account.payee]);
        if accounts.iter().flatten().any(|account| account.family() != Family::Evm || account.is_native()) {
            return Err(OifError::Account);
        }
        let line = Arc::new(Line::new(&config)?);
        Ok(Self { config, places, line, names: Arc::default() })
    }

    async fn answer(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        let place = |chain: ChainId| self.places.get(&chain).filter(|_| chain.family() == Family::Evm);
        let (Some(origin), Some(destination)) = (place(ask.ask.from.chain()), place(ask.ask.to.chain()))
        else {
            return Ok(Answer::Refused(Refusal::PairNotServed));
        };
        let methods = wanted(ask, &origin.methods);
        if methods.is_empty() {
            return Ok(Answer::Refused(Refusal::NoDepositMethod));
        }
        let now = Timestamp::now();
        let asked = match write_ask(ask, origin, destination, self.config.account, now) {
            Ok(asked) => asked,
            Err(refusal) => return Ok(Answer::Refused(refusal)),
        };
        let nonsense = |words: String| FillerError::Nonsense(words);
        let body = serde_json::to_vec(&asked.request).map_err(|error| nonsense(error.to_string()))?;
        let body = match self.line.quote(body, self.config.deadline).await {
            Ok(body) => body,
            Err(LineError::Declined(words)) => return Ok(Answer::Refused(Refusal::Other(words))),
            Err(LineError::Unavailable(words)) => return Err(FillerError::Unavailable(words)),
            Err(LineError::Nonsense(words)) => return Err(nonsense(words)),
        };
        let account = self.config.account;
        let reading = Reading { ask, asked: &asked, methods: &methods, account, now: Timestamp::now() };
        let read = reading.read(&body).map_err(nonsense)?;
        if let Answer::Offers(offers) = &read.answer {
            for (offer, name) in offers.iter().zip(read.names) {
                if let Some(name) = name {
                    self.names.keep(&ask.ask, offer, name, now);
                }
            }
        }
        Ok(best_first(read.answer))
    }
}

/// Those of the chain's deposit methods that the payer wants.
fn wanted(ask: &FillerAsk, offered: &[DepositMethod]) -> Vec<DepositMethod> {
    let wanted = &ask.ask.deposit_methods;
    offered.iter().copied().filter(|method| wanted.is_empty() || wanted.contains(method)).collect()
}

/// The framework promises no order of its quotes.
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
