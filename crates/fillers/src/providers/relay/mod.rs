//! Relay, a network of solvers: the payer deposits into its depository on the source chain for an order, whose hash the deposit
//! bears, and a solver delivers.

pub(crate) mod calldata;
mod config;
mod mapping;
pub(crate) mod order;
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
use causeway_domain::{Address, ChainId, CustodyNotice, DepositMethod, Family, Order, TokenId};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

pub(crate) use config::chain_name;
pub use config::{CONTRACTS, RelayConfig};

use super::answers::Unusable;
use super::asks::{check_fee, common_refusal};
use super::pins::PinnedContracts;
use super::transport::{ProviderResponse, ProviderSetupError, Transport, message, read};
use wire::{Chains, ErrorBody, Quote, Requests};

/// What Relay's routes go through.
const TOOL: &str = "relay";

/// Relay as a filler that settles itself.
pub struct Relay {
    config: RelayConfig,
    pins: PinnedContracts,
    transport: Transport,
    notice: Arc<CustodyNotice>,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Relay {
    pub fn new(config: RelayConfig) -> Result<Self, ProviderSetupError> {
        check_fee(config.fee_bps, config.fee_recipient.is_some())?;
        let key = config.api_key.as_ref().map(|key| ("x-api-key", key));
        let transport = Transport::new(&config.url, key, config.deadline(), config.budget())?;
        let notice = CustodyNotice {
            held_by: "Relay's depository, until Relay's solver has delivered".to_owned(),
            refunds: "If Relay cannot deliver, it returns the input less the cost of gas to the refund address, or pays the \
                      output token to it; an amount that does not cover the gas is not returned."
                .to_owned(),
        };
        Ok(Self {
            pins: PinnedContracts::new(&config.contracts, &CONTRACTS),
            config,
            transport,
            notice: Arc::new(notice),
        })
    }

    /// Its limits are those of all processes of the store.
    #[must_use]
    pub fn with_budgets(mut self, budgets: &Arc<dyn RequestBudgets>) -> Self {
        self.transport.share_budgets(&self.config.name, budgets);
        self
    }

    /// What Relay cannot be asked, or what it would answer that cannot be followed here.
    fn refusal(&self, ask: &FillerAsk) -> Option<Refusal> {
        let ask = &ask.ask;
        let other = |words: &str| Some(Refusal::Other(words.to_owned()));
        let evm = |token: TokenId| token.chain().family() == Family::Evm;
        let is_served = |chain: ChainId| chain_name(chain.get()).is_some();
        if !evm(ask.from) || !evm(ask.to) || !self.pins.serves(ask.from.chain()) {
            return Some(Refusal::PairNotServed);
        }
        if !is_served(ask.from.chain()) || !is_served(ask.to.chain()) {
            return Some(Refusal::PairNotServed);
        }
        if ask.from.chain() == ask.to.chain() {
            return other("its swaps within a chain have no order that says who receives the output");
        }
        common_refusal(ask, DepositMethod::ContractCall)
    }

    /// The body of `/quote/v2`.
    fn body(&self, ask: &ProviderAsk) -> Value {
        let mut body = json!({
            "user": ask.payer.to_string(),
            "recipient": ask.recipient.to_string(),
            // Without it Relay refunds nothing by itself.
            "refundTo": ask.refund_to.to_string(),
            "originChainId": ask.from.chain().get(),
            "destinationChainId": ask.to.chain().get(),
            "originCurrency": ask.from.address().to_string(),
            "destinationCurrency": ask.to.address().to_string(),
            "amount": ask.amount_in.to_string(),
            "tradeType": "EXACT_INPUT",
            // In basis points, rounded down: a least output is never below what was asked for.
            "slippageTolerance": (ask.slippage.millionths() / 100).to_string(),
            "referrer": self.config.referrer,
            // The deposit shall be a call of the depository, with the input itself, for an order that is shown.
            "explicitDeposit": true,
            "disableOriginSwaps": true,
            "usePermit": false,
            "includeProtocolData": true,
        });
        let fee = self.config.fee_recipient.filter(|_| self.config.fee_bps > 0);
        if let (Some(recipient), Some(body)) = (fee, body.as_object_mut()) {
            let fee = json!([{ "recipient": recipient.to_string(), "fee": self.config.fee_bps.to_string() }]);
            body.insert("appFees".to_owned(), fee);
        }
        body
    }
}

#[async_trait]
impl Filler for Relay {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "relay"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        if let Some(refusal) = self.refusal(ask) {
            return Ok(Answer::Refused(refusal));
        }
        let asked = ProviderAsk::to_quote(&ask.ask, TOOL);
        let response = self.transport.post_quote("quote/v2", &self.body(&asked)).await?;
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
        let target = mapping::transaction(&asked, &quote)?.target;
        if !self.pins.contains(ask.ask.from.chain(), target) {
            return Err(FillerError::Nonsense(format!(
                "it names the contract {target}, which is not pinned"
            )));
        }
        Ok(Answer::Offers(vec![offer]))
    }
}

#[async_trait]
impl LiquidityProvider for Relay {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn is_pinned(&self, chain: ChainId, contract: Address) -> bool {
        self.pins.contains(chain, contract)
    }

    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        let chains: Chains = read(&self.transport.get("chains", &[]).await?)?;
        let named = chains.chains.into_iter().filter_map(|chain| {
            let contract = Address::Evm(chain.protocol.v2?.depository?.parse().ok()?);
            let chain = ChainId::new(chain.id)?;
            Some(NamedContract { chain, contract, pinned: self.pins.contains(chain, contract) })
        });
        Ok(named.collect())
    }

    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        let response = self.transport.post_quote("quote/v2", &self.body(ask)).await?;
        if let Some(refusal) = declined(&response)? {
            return Err(FillerError::Unavailable(refusal.to_string()));
        }
        let quote: Quote = read(&response)?;
        Ok(ProviderDeposit::Call(mapping::transaction(ask, &quote)?))
    }

    /// Asks by the deposit: the id of Relay's request, which `/intents/status/v3` needs, is in no transaction.
    async fn look_up(
        &self,
        order: &Order,
        deposit_tx: Option<&str>,
    ) -> Result<Option<ProviderReport>, FillerError> {
        let Some(deposit_tx) = deposit_tx else { return Ok(None) };
        let query = [("depositTxHash", deposit_tx.to_owned()), ("limit", "5".to_owned())];
        let found: Requests = read(&self.transport.get("requests/v3", &query).await?)?;
        mapping::report(order, deposit_tx, &found.requests).map_err(FillerError::Nonsense)
    }
}

/// Relay's word that it has no route, or does not take the request.
fn declined(response: &ProviderResponse) -> Result<Option<Refusal>, FillerError> {
    if response.status == 200 {
        return Ok(None);
    }
    let unexpected = || format!("it returned {}{}", response.status, message(&response.body));
    let error: Option<ErrorBody> = serde_json::from_slice(&response.body).ok();
    let Some(error) = error.filter(|_| (400..500).contains(&response.status)) else {
        return Err(FillerError::Nonsense(unexpected()));
    };
    match error.error_code.as_deref() {
        Some(
            "NO_QUOTES"
            | "NO_SWAP_ROUTES_FOUND"
            | "NO_INTERNAL_SWAP_ROUTES_FOUND"
            | "CHAIN_DISABLED"
            | "UNSUPPORTED_CHAIN"
            | "UNSUPPORTED_CURRENCY"
            | "UNSUPPORTED_ROUTE"
            | "INVALID_INPUT_CURRENCY"
            | "INVALID_OUTPUT_CURRENCY",
        ) => Ok(Some(Refusal::PairNotServed)),
        Some("INSUFFICIENT_LIQUIDITY") => Ok(Some(Refusal::NoInventory)),
        Some(
            "PRICE_FETCH_FAILED"
            | "REQUEST_TIMED_OUT"
            | "RPC_HTTP_ERROR"
            | "SERVICE_UNAVAILABLE"
            | "ROUTE_TEMPORARILY_RESTRICTED",
        ) => Err(FillerError::Unavailable(unexpected())),
        _ if !error.message.is_empty() => Ok(Some(Refusal::Other(error.message))),
        _ => Err(FillerError::Nonsense(unexpected())),
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
