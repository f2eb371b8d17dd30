//! Jupiter, an aggregator of exchanges on Solana: the payer's transaction calls its program, which takes the input and pays the
//! payer in the same transaction.

pub(crate) mod calldata;
mod config;
pub(crate) mod mapping;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use causeway_domain::ports::{
    Answer, Filler, FillerAsk, FillerError, LiquidityProvider, NamedContract, ProviderAsk, ProviderDeposit,
    ProviderReport, Refusal, RequestBudgets,
};
use causeway_domain::{
    Address, ChainId, CustodyNotice, DepositMethod, Family, Order, SOLANA_CHAIN_ID, TokenId,
};
use jiff::{SignedDuration, Timestamp};

pub use config::{JupiterConfig, PROGRAM};

use super::answers::Unusable;
use super::asks::common_refusal;
use super::transport::{ProviderResponse, ProviderSetupError, Transport, read};
use wire::{Build, ErrorBody};

/// What Jupiter's routes go through.
const TOOL: &str = "jupiter";

/// How many accounts a route may name, so that its transaction fits beside what it sets up.
const MAX_ACCOUNTS: u32 = 50;

/// Its word for a pair without a route.
const NO_ROUTE: &str = "No routes found";

/// Jupiter as a filler that settles itself.
pub struct Jupiter {
    config: JupiterConfig,
    program: Address,
    transport: Transport,
    notice: Arc<CustodyNotice>,
}

impl fmt::Debug for Jupiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jupiter").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Jupiter {
    pub fn new(config: JupiterConfig) -> Result<Self, ProviderSetupError> {
        let program =
            Address::parse(Family::Solana, &config.program).map_err(|_| ProviderSetupError::Program)?;
        let key = config.api_key.as_ref().map(|key| ("x-api-key", key));
        let transport = Transport::new(&config.url, key, config.deadline(), config.budget())?;
        let notice = CustodyNotice {
            held_by: "nobody else: one transaction takes the input and pays the output through Jupiter's program"
                .to_owned(),
            refunds:
                "Nothing has to be returned: if the swap cannot pay the least output, the transaction fails, and the payer \
                      keeps the input and has paid the network's fee."
                    .to_owned(),
        };
        Ok(Self { config, program, transport, notice: Arc::new(notice) })
    }

    /// Its limits are those of all processes of the store.
    #[must_use]
    pub fn with_budgets(mut self, budgets: &Arc<dyn RequestBudgets>) -> Self {
        self.transport.share_budgets(&self.config.name, budgets);
        self
    }

    /// What Jupiter cannot be asked, or what it would answer that cannot be followed here.
    fn refusal(ask: &FillerAsk) -> Option<Refusal> {
        let ask = &ask.ask;
        let other = |words: &str| Some(Refusal::Other(words.to_owned()));
        let is_solana = |token: TokenId| token.chain() == SOLANA_CHAIN_ID;
        if !is_solana(ask.from) || !is_solana(ask.to) || ask.from == ask.to {
            return Some(Refusal::PairNotServed);
        }
        if let Some(refusal) = common_refusal(ask, DepositMethod::ContractCall) {
            return Some(refusal);
        }
        if ask.from.is_native() {
            return other("it swaps tokens only, and SOL is none until it is wrapped");
        }
        if ask.recipient != ask.from_address || ask.refund_to != ask.from_address {
            return other("it pays the paying address only, and another address was asked for");
        }
        None
    }

    /// The parameters of `/build`.
    fn query(ask: &ProviderAsk) -> Vec<(&'static str, String)> {
        vec![
            ("inputMint", ask.from.address().to_string()),
            ("outputMint", ask.to.address().to_string()),
            ("amount", ask.amount_in.to_string()),
            ("taker", ask.payer.to_string()),
            // In basis points, rounded down: a least output is never below what was asked for.
            ("slippageBps", (ask.slippage.millionths() / 100).to_string()),
            ("wrapAndUnwrapSol", false.to_string()),
            ("maxAccounts", MAX_ACCOUNTS.to_string()),
        ]
    }

    /// The build for an ask, or why there is none.
    async fn fetch(&self, ask: &ProviderAsk) -> Result<Result<Build, Refusal>, FillerError> {
        let response = self.transport.get_quote("build", &Self::query(ask)).await?;
        match declined(&response)? {
            Some(refusal) => Ok(Err(refusal)),
            None => read(&response).map(Ok),
        }
    }
}

#[async_trait]
impl Filler for Jupiter {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "jupiter"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        if let Some(refusal) = Self::refusal(ask) {
            return Ok(Answer::Refused(refusal));
        }
        let build = match self.fetch(&ProviderAsk::to_quote(&ask.ask, TOOL)).await? {
            Ok(build) => build,
            Err(refusal) => return Ok(Answer::Refused(refusal)),
        };
        let valid_for = SignedDuration::from_secs(i64::from(self.config.valid_for_s));
        match mapping::offer(ask, &build, &self.notice, Timestamp::now(), valid_for) {
            Ok((offer, target)) if target == self.program => Ok(Answer::Offers(vec![offer])),
            Ok((_, other)) => {
                Err(FillerError::Nonsense(format!("it names the program {other}, which is not pinned")))
            }
            Err(Unusable::Declined(words)) => Ok(Answer::Refused(Refusal::Other(words))),
            Err(Unusable::Wrong(words)) => Err(FillerError::Nonsense(words)),
        }
    }
}

#[async_trait]
impl LiquidityProvider for Jupiter {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn is_pinned(&self, chain: ChainId, contract: Address) -> bool {
        chain == SOLANA_CHAIN_ID && contract == self.program
    }

    fn delivers_at_once(&self) -> bool {
        true
    }

    /// Jupiter publishes no list that could be asked for.
    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        Ok(Vec::new())
    }

    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        let build = match self.fetch(ask).await? {
            Ok(build) => build,
            Err(refusal) => return Err(FillerError::Unavailable(refusal.to_string())),
        };
        Ok(ProviderDeposit::Call(mapping::transaction(ask, &build)?))
    }

    /// There is nothing to ask for: the payer's transaction is the whole swap.
    async fn look_up(
        &self,
        _: &Order,
        deposit_tx: Option<&str>,
    ) -> Result<Option<ProviderReport>, FillerError> {
        Ok(deposit_tx.map(ProviderReport::delivered_at_once))
    }
}

/// Jupiter's word that it does not take the request.
fn declined(response: &ProviderResponse) -> Result<Option<Refusal>, FillerError> {
    if response.status == 200 {
        return Ok(None);
    }
    let error: Option<ErrorBody> = serde_json::from_slice(&response.body).ok();
    match error.filter(|error| (400..500).contains(&response.status) && !error.error.is_empty()) {
        Some(error) if error.error == NO_ROUTE => Ok(Some(Refusal::PairNotServed)),
        Some(error) => {
            Ok(Some(Refusal::Other(error.error.chars().filter(|c| !c.is_control()).take(160).collect())))
        }
        None => Err(FillerError::Nonsense(format!("it returned {}", response.status))),
    }
}
