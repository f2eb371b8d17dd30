//! 0x, an aggregator of exchanges on one chain: the payer calls its allowance holder, which takes the input for a swap that pays
//! the recipient in the same transaction.

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
use causeway_domain::{Address, ChainId, CustodyNotice, DepositMethod, Family, Order, TokenId};
use jiff::{SignedDuration, Timestamp};

pub use config::{CONTRACTS, ZeroxConfig};

use super::answers::Unusable;
use super::asks::{check_fee, common_refusal};
use super::pins::PinnedContracts;
use super::transport::{ProviderResponse, ProviderSetupError, Transport, message, read};
use wire::{ErrorBody, Quote};

/// What 0x's routes go through.
const TOOL: &str = "0x";

/// The version of its API that is spoken.
const VERSION: (&str, &str) = ("0x-version", "v2");

/// 0x as a filler that settles itself.
pub struct Zerox {
    config: ZeroxConfig,
    pins: PinnedContracts,
    transport: Transport,
    notice: Arc<CustodyNotice>,
}

impl fmt::Debug for Zerox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zerox").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Zerox {
    pub fn new(config: ZeroxConfig) -> Result<Self, ProviderSetupError> {
        check_fee(config.fee_bps, config.fee_recipient.is_some())?;
        let key = config.api_key.as_ref().ok_or(ProviderSetupError::NoKey)?;
        let transport =
            Transport::new(&config.url, Some(("0x-api-key", key)), config.deadline(), config.budget())?
                .with_header(VERSION);
        let notice = CustodyNotice {
            held_by: "nobody else: one transaction takes the input and pays the output through 0x's contracts"
                .to_owned(),
            refunds:
                "Nothing has to be returned: if the swap cannot pay the least output, the transaction fails, and the payer \
                      keeps the input and has paid for gas."
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

    /// What 0x cannot be asked, or what it would answer that cannot be followed here.
    fn refusal(&self, ask: &FillerAsk) -> Option<Refusal> {
        let ask = &ask.ask;
        let other = |words: &str| Some(Refusal::Other(words.to_owned()));
        let is_one_chain = ask.from.chain() == ask.to.chain() && ask.from.chain().family() == Family::Evm;
        if !is_one_chain || ask.from == ask.to || !self.pins.serves(ask.from.chain()) {
            return Some(Refusal::PairNotServed);
        }
        if let Some(refusal) = common_refusal(ask, DepositMethod::ContractCall) {
            return Some(refusal);
        }
        if ask.from.is_native() {
            return other("the contract that takes a chain's own coin changes, so it cannot be pinned");
        }
        if ask.refund_to != ask.from_address {
            return other(
                "what it does not swap stays with the paying address, and another refund address was asked for",
            );
        }
        None
    }

    /// The parameters of `/swap/allowance-holder/quote`.
    fn query(&self, ask: &ProviderAsk) -> Vec<(&'static str, String)> {
        let token = |token: TokenId| token.address().to_string();
        let mut query = vec![
            ("chainId", ask.from.chain().get().to_string()),
            ("sellToken", token(ask.from)),
            ("buyToken", token(ask.to)),
            ("sellAmount", ask.amount_in.to_string()),
            ("taker", ask.payer.to_string()),
            // In basis points, rounded down: a least output is never below what was asked for.
            ("slippageBps", (ask.slippage.millionths() / 100).to_string()),
        ];
        if ask.recipient != ask.payer {
            query.push(("recipient", ask.recipient.to_string()));
        }
        let fee = self.config.fee_recipient.filter(|_| self.config.fee_bps > 0);
        if let Some(recipient) = fee {
            query.push(("swapFeeRecipient", recipient.to_string()));
            query.push(("swapFeeBps", self.config.fee_bps.to_string()));
            query.push(("swapFeeToken", token(ask.to)));
        }
        query
    }

    /// The quote for an ask, or why there is none.
    async fn fetch(&self, ask: &ProviderAsk) -> Result<Result<Quote, Refusal>, FillerError> {
        let response = self.transport.get_quote("swap/allowance-holder/quote", &self.query(ask)).await?;
        if let Some(refusal) = declined(&response)? {
            return Ok(Err(refusal));
        }
        let liquidity: wire::Liquidity = read(&response)?;
        if !liquidity.liquidity_available {
            return Ok(Err(Refusal::PairNotServed));
        }
        read(&response).map(Ok)
    }
}

#[async_trait]
impl Filler for Zerox {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "zerox"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        if let Some(refusal) = self.refusal(ask) {
            return Ok(Answer::Refused(refusal));
        }
        let quote = match self.fetch(&ProviderAsk::to_quote(&ask.ask, TOOL)).await? {
            Ok(quote) => quote,
            Err(refusal) => return Ok(Answer::Refused(refusal)),
        };
        let valid_for = SignedDuration::from_secs(i64::from(self.config.valid_for_s));
        let offer = match mapping::offer(
            ask,
            &quote,
            self.config.registry,
            &self.notice,
            Timestamp::now(),
            valid_for,
        ) {
            Ok(offer) => offer,
            Err(Unusable::Declined(words)) => return Ok(Answer::Refused(Refusal::Other(words))),
            Err(Unusable::Wrong(words)) => return Err(FillerError::Nonsense(words)),
        };
        let named = [Some(quote.transaction.to), quote.allowance_target];
        let unknown = |contract: &Address| !self.pins.contains(ask.ask.from.chain(), *contract);
        if let Some(contract) = named.into_iter().flatten().map(Address::Evm).find(unknown) {
            return Err(FillerError::Nonsense(format!(
                "it names the contract {contract}, which is not pinned"
            )));
        }
        Ok(Answer::Offers(vec![offer]))
    }
}

#[async_trait]
impl LiquidityProvider for Zerox {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn is_pinned(&self, chain: ChainId, contract: Address) -> bool {
        self.pins.contains(chain, contract)
    }

    fn delivers_at_once(&self) -> bool {
        true
    }

    /// 0x publishes no list that could be asked for.
    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        Ok(Vec::new())
    }

    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        let quote = match self.fetch(ask).await? {
            Ok(quote) => quote,
            Err(refusal) => return Err(FillerError::Unavailable(refusal.to_string())),
        };
        Ok(ProviderDeposit::Call(mapping::transaction(ask, &quote, self.config.registry)?))
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

/// 0x's word that it does not take the request.
fn declined(response: &ProviderResponse) -> Result<Option<Refusal>, FillerError> {
    if response.status == 200 {
        return Ok(None);
    }
    let unexpected = || format!("it returned {}{}", response.status, message(&response.body));
    let error: Option<ErrorBody> = serde_json::from_slice(&response.body).ok();
    let Some(error) = error.filter(|_| (400..500).contains(&response.status)) else {
        return Err(FillerError::Nonsense(unexpected()));
    };
    match error.name.as_str() {
        "TOKEN_NOT_SUPPORTED"
        | "BUY_TOKEN_NOT_AUTHORIZED_FOR_TRADE"
        | "SELL_TOKEN_NOT_AUTHORIZED_FOR_TRADE"
        | "RECIPIENT_NOT_SUPPORTED" => Ok(Some(Refusal::PairNotServed)),
        "USER_NOT_AUTHORIZED" => Err(FillerError::Unavailable(unexpected())),
        "" => Err(FillerError::Nonsense(unexpected())),
        _ if error.message.is_empty() => Ok(Some(Refusal::Other(error.name))),
        _ => Ok(Some(Refusal::Other(error.message))),
    }
}
