//! LI.FI, an aggregator of bridges and exchanges: the payer calls its contract on the source chain, and the chosen bridge
//! delivers.

pub(crate) mod calldata;
mod config;
mod mapping;
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
use causeway_domain::{Address, ChainId, CustodyNotice, DepositMethod, Family, Order, Slippage, TokenId};
use jiff::{SignedDuration, Timestamp};

pub use config::{CONTRACTS, LifiConfig};

use super::answers::Unusable;
use super::asks::{check_fee, common_refusal};
use super::pins::PinnedContracts;
use super::transport::{ProviderResponse, ProviderSetupError, Transport, message, read};
use wire::{Chains, ErrorBody, Quote, TransferState};

/// LI.FI's code of "no route" among its errors.
const NO_QUOTE: u32 = 1002;

/// LI.FI as a filler that settles itself.
pub struct Lifi {
    config: LifiConfig,
    pins: PinnedContracts,
    transport: Transport,
    notice: Arc<CustodyNotice>,
}

impl fmt::Debug for Lifi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lifi").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Lifi {
    pub fn new(config: LifiConfig) -> Result<Self, ProviderSetupError> {
        check_fee(config.fee_bps, true)?;
        let key = config.api_key.as_ref().map(|key| ("x-lifi-api-key", key));
        let transport = Transport::new(&config.url, key, config.deadline(), config.budget())?;
        let notice = CustodyNotice {
            held_by: "LI.FI's contracts and the bridge that it goes through".to_owned(),
            refunds: "If the bridge cannot deliver, it returns the input to the paying address, or pays another token to the \
                      recipient; that is up to LI.FI and the bridge, and may take hours."
                .to_owned(),
        };
        Ok(Self {
            pins: PinnedContracts::new(&config.contracts, &CONTRACTS),
            config,
            transport,
            notice: Arc::new(notice),
        })
    }

    /// Every pinned contract.
    pub fn pinned(&self) -> Vec<(ChainId, Address)> {
        self.pins.all()
    }

    /// Its limits are those of all processes of the store.
    #[must_use]
    pub fn with_budgets(mut self, budgets: &Arc<dyn RequestBudgets>) -> Self {
        self.transport.share_budgets(&self.config.name, budgets);
        self
    }

    /// What LI.FI cannot be asked, or what it would answer that cannot be followed here.
    fn refusal(&self, ask: &FillerAsk) -> Option<Refusal> {
        let ask = &ask.ask;
        let other = |words: &str| Some(Refusal::Other(words.to_owned()));
        let evm = |token: TokenId| token.chain().family() == Family::Evm;
        if !evm(ask.from) || !evm(ask.to) || !self.pins.serves(ask.from.chain()) {
            return Some(Refusal::PairNotServed);
        }
        if let Some(refusal) = common_refusal(ask, DepositMethod::ContractCall) {
            return Some(refusal);
        }
        if ask.refund_to != ask.from_address {
            return other(
                "it returns money to the paying address only, and another refund address was asked for",
            );
        }
        None
    }

    /// The parameters of `/quote`.
    fn query(&self, ask: &ProviderAsk, tool: Option<&str>) -> Vec<(&'static str, String)> {
        let mut query = vec![
            ("fromChain", ask.from.chain().get().to_string()),
            ("toChain", ask.to.chain().get().to_string()),
            ("fromToken", ask.from.address().to_string()),
            ("toToken", ask.to.address().to_string()),
            ("fromAmount", ask.amount_in.to_string()),
            ("fromAddress", ask.payer.to_string()),
            ("toAddress", ask.recipient.to_string()),
            ("slippage", ask.slippage.to_string()),
            ("integrator", self.config.integrator.clone()),
            // The recipient could not be read in the transaction otherwise.
            ("allowDestinationCall", "false".to_owned()),
        ];
        if self.config.fee_bps > 0 {
            let fee = Slippage::from_millionths(u32::from(self.config.fee_bps).saturating_mul(100));
            query.extend(fee.map(|fee| ("fee", fee.to_string())));
        }
        if let Some(tool) = tool {
            let name = if ask.from.chain() == ask.to.chain() { "allowExchanges" } else { "allowBridges" };
            query.push((name, tool.to_owned()));
        }
        query
    }
}

#[async_trait]
impl Filler for Lifi {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "lifi"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        if let Some(refusal) = self.refusal(ask) {
            return Ok(Answer::Refused(refusal));
        }
        let asked = ProviderAsk::to_quote(&ask.ask, "");
        let response = self.transport.get_quote("quote", &self.query(&asked, None)).await?;
        if let Some(refusal) = declined(&response)? {
            return Ok(Answer::Refused(refusal));
        }
        let quote: Quote = read(&response)?;
        let valid_for = SignedDuration::from_secs(i64::from(self.config.valid_for_s));
        let offer = match mapping::offer(ask, &quote, &self.notice, Timestamp::now(), valid_for) {
            Ok(offer) => offer,
            Err(Unusable::Declined(words)) => return Ok(Answer::Refused(Refusal::Other(words))),
            Err(Unusable::Wrong(words)) => return Err(FillerError::Nonsense(words)),
        };
        let request = quote.transaction_request.as_ref();
        let contracts = [request.map(|request| request.to), quote.estimate.approval_address];
        for contract in contracts.into_iter().flatten().map(Address::Evm) {
            if !self.pins.contains(ask.ask.from.chain(), contract) && !contract.is_native() {
                return Err(FillerError::Nonsense(format!(
                    "it names the contract {contract}, which is not pinned"
                )));
            }
        }
        Ok(Answer::Offers(vec![offer]))
    }
}

#[async_trait]
impl LiquidityProvider for Lifi {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn is_pinned(&self, chain: ChainId, contract: Address) -> bool {
        self.pins.contains(chain, contract)
    }

    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        let query = [("chainTypes", "EVM".to_owned())];
        let chains: Chains = read(&self.transport.get("chains", &query).await?)?;
        let named = chains.chains.into_iter().filter_map(|chain| {
            let contract = Address::Evm(chain.diamond_address?);
            let chain = ChainId::new(chain.id)?;
            Some(NamedContract { chain, contract, pinned: self.pins.contains(chain, contract) })
        });
        Ok(named.collect())
    }

    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        let response = self.transport.get_quote("quote", &self.query(ask, Some(&ask.tool))).await?;
        if let Some(refusal) = declined(&response)? {
            return Err(FillerError::Unavailable(refusal.to_string()));
        }
        let quote: Quote = read(&response)?;
        mapping::transaction(ask, &quote).map(ProviderDeposit::Call).map_err(FillerError::Nonsense)
    }

    async fn look_up(
        &self,
        order: &Order,
        deposit_tx: Option<&str>,
    ) -> Result<Option<ProviderReport>, FillerError> {
        let Some(deposit_tx) = deposit_tx else { return Ok(None) };
        let mut query = vec![
            ("txHash", deposit_tx.to_owned()),
            ("fromChain", order.from.chain().get().to_string()),
            ("toChain", order.to.chain().get().to_string()),
        ];
        if let Some(provider) = order.provider.as_ref().filter(|_| order.from.chain() != order.to.chain()) {
            query.push(("bridge", provider.terms.tool.clone()));
        }
        let response = self.transport.get("status", &query).await?;
        if response.status == 404 {
            return Ok(None);
        }
        let status: TransferState = read(&response)?;
        mapping::report(order, deposit_tx, &status).map_err(FillerError::Nonsense)
    }
}

/// LI.FI's word that it has no route, or does not take the request.
fn declined(response: &ProviderResponse) -> Result<Option<Refusal>, FillerError> {
    match response.status {
        200 => Ok(None),
        400 | 404 | 422 => {
            let error: Option<ErrorBody> = serde_json::from_slice(&response.body).ok();
            match error {
                Some(ErrorBody { code: Some(NO_QUOTE), .. }) => Ok(Some(Refusal::PairNotServed)),
                Some(ErrorBody { message, .. }) if !message.is_empty() => Ok(Some(Refusal::Other(message))),
                _ => Err(FillerError::Nonsense(format!("it returned {}", response.status))),
            }
        }
        status => Err(FillerError::Nonsense(format!("it returned {status}{}", message(&response.body)))),
    }
}

/// The offer in the body of a quote.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_offer(
    ask: &FillerAsk,
    body: &[u8],
    now: Timestamp,
) -> Option<causeway_domain::ports::Offer> {
    let quote: Quote = serde_json::from_slice(body).ok()?;
    let notice = Arc::new(CustodyNotice { held_by: String::new(), refunds: String::new() });
    mapping::offer(ask, &quote, &notice, now, SignedDuration::from_secs(30)).ok()
}
