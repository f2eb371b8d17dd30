//! 1Click of NEAR Intents: the payer sends the input to an address of an agent, which has market makers deliver.

mod assets;
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
use causeway_domain::{Address, BITCOIN_CHAIN_ID, ChainId, CustodyNotice, DepositMethod, Order, TokenId};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

#[cfg(feature = "standin")]
pub(crate) use config::chain_name;
pub use config::{OneClickConfig, SOURCES};

use super::answers::Unusable;
use super::asks::{check_fee, common_refusal};
use super::transport::{ProviderResponse, ProviderSetupError, Transport, message, read};
use assets::{AssetList, Assets};
use mapping::{OfferTerms, Pair};
use wire::{ErrorBody, Quoted, Status};

/// What 1Click's routes go through.
const TOOL: &str = "near-intents";

/// The least time for a transfer of bitcoin, whose block may take an hour: the deadline is of its confirmation.
const BITCOIN_MINUTES: u32 = 120;

/// 1Click as a filler that settles itself.
pub struct OneClick {
    config: OneClickConfig,
    transport: Transport,
    assets: AssetList,
    notice: Arc<CustodyNotice>,
}

impl fmt::Debug for OneClick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneClick").field("config", &self.config).finish_non_exhaustive()
    }
}

impl OneClick {
    pub fn new(config: OneClickConfig) -> Result<Self, ProviderSetupError> {
        check_fee(config.fee_bps, config.fee_recipient.is_some())?;
        if !(5..=1_440).contains(&config.deposit_minutes) {
            return Err(ProviderSetupError::DepositTime);
        }
        let bearer = config.api_key.as_ref().map(super::ProviderKey::bearer);
        let key = bearer.as_ref().map(|key| ("authorization", key));
        let transport = Transport::new(&config.url, key, config.deadline(), config.budget())?;
        let notice = CustodyNotice {
            held_by: "the agent of 1Click (NEAR Intents), at an address of its own, until it has delivered".to_owned(),
            refunds: "If 1Click cannot deliver, it returns the input less its fee for that to the refund address, which may \
                      take until the deposit's time is over; what arrives later, or less than the input, may be lost."
                .to_owned(),
        };
        Ok(Self { config, transport, assets: AssetList::default(), notice: Arc::new(notice) })
    }

    /// Its limits are those of all processes of the store.
    #[must_use]
    pub fn with_budgets(mut self, budgets: &Arc<dyn RequestBudgets>) -> Self {
        self.transport.share_budgets(&self.config.name, budgets);
        self
    }

    /// What 1Click cannot be asked, or what it would answer that cannot be followed here.
    fn refusal(ask: &FillerAsk) -> Option<Refusal> {
        let ask = &ask.ask;
        let is_served = |token: TokenId| config::chain_name(token.chain().get()).is_some();
        let is_source = ask.to.chain().family().is_source_only();
        if !is_served(ask.from) || !is_served(ask.to) || is_source || ask.from == ask.to {
            return Some(Refusal::PairNotServed);
        }
        common_refusal(ask, DepositMethod::Transfer)
    }

    /// The body of `/v0/quote`. A dry quote has a price and no address.
    fn body(&self, ask: &ProviderAsk, pair: Pair<'_>, dry: bool) -> Value {
        let is_slow = ask.from.chain() == BITCOIN_CHAIN_ID;
        let least = if is_slow { BITCOIN_MINUTES } else { 0 };
        let time = SignedDuration::from_mins(i64::from(self.config.deposit_minutes.max(least)));
        let now = Timestamp::now();
        let mut body = json!({
            "dry": dry,
            "swapType": "EXACT_INPUT",
            // In basis points, rounded down: a least output is never below what was asked for.
            "slippageTolerance": ask.slippage.millionths() / 100,
            "originAsset": pair.from.id,
            "depositType": "ORIGIN_CHAIN",
            "destinationAsset": pair.to.id,
            "amount": ask.amount_in.to_string(),
            "refundTo": ask.refund_to.to_string(),
            "refundType": "ORIGIN_CHAIN",
            "recipient": ask.recipient.to_string(),
            "recipientType": "DESTINATION_CHAIN",
            "deadline": now.checked_add(time).unwrap_or(now).strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "referral": self.config.referral,
        });
        let fee = self.config.fee_recipient.as_ref().filter(|_| self.config.fee_bps > 0);
        if let (Some(recipient), Some(body)) = (fee, body.as_object_mut()) {
            body.insert(
                "appFees".to_owned(),
                json!([{ "recipient": recipient, "fee": self.config.fee_bps }]),
            );
        }
        body
    }

    async fn ask(
        &self,
        ask: &ProviderAsk,
        pair: Pair<'_>,
        dry: bool,
    ) -> Result<Result<Quoted, Refusal>, FillerError> {
        let response = self.transport.post_quote("v0/quote", &self.body(ask, pair, dry)).await?;
        match declined(&response)? {
            Some(refusal) => Ok(Err(refusal)),
            None => Ok(Ok(read(&response)?)),
        }
    }
}

/// Both tokens as 1Click knows them.
fn pair(assets: &Assets, from: TokenId, to: TokenId) -> Option<Pair<'_>> {
    Some(Pair { from: assets.get(&from)?, to: assets.get(&to)? })
}

#[async_trait]
impl Filler for OneClick {
    fn name(&self) -> &str {
        &self.config.name
    }

    fn kind(&self) -> &'static str {
        "oneclick"
    }

    async fn quote(&self, ask: &FillerAsk) -> Result<Answer, FillerError> {
        if let Some(refusal) = Self::refusal(ask) {
            return Ok(Answer::Refused(refusal));
        }
        let assets = self.assets.get(&self.transport).await?;
        let Some(pair) = pair(&assets, ask.ask.from, ask.ask.to) else {
            return Ok(Answer::Refused(Refusal::PairNotServed));
        };
        let quoted = match self.ask(&ProviderAsk::to_quote(&ask.ask, TOOL), pair, true).await? {
            Ok(quoted) => quoted,
            Err(refusal) => return Ok(Answer::Refused(refusal)),
        };
        let terms = OfferTerms {
            notice: &self.notice,
            now: Timestamp::now(),
            valid_for: SignedDuration::from_secs(i64::from(self.config.valid_for_s)),
            fee_bps: self.config.fee_bps,
        };
        match mapping::offer(ask, pair, &quoted, &terms) {
            Ok(offer) => Ok(Answer::Offers(vec![offer])),
            Err(Unusable::Declined(words)) => Ok(Answer::Refused(Refusal::Other(words))),
            Err(Unusable::Wrong(words)) => Err(FillerError::Nonsense(words)),
        }
    }
}

#[async_trait]
impl LiquidityProvider for OneClick {
    fn notice(&self) -> &CustodyNotice {
        &self.notice
    }

    fn deposit_method(&self) -> DepositMethod {
        DepositMethod::Transfer
    }

    /// No contract of it is ever called or allowed anything.
    fn is_pinned(&self, _: ChainId, _: Address) -> bool {
        false
    }

    async fn named_contracts(&self) -> Result<Vec<NamedContract>, FillerError> {
        Ok(Vec::new())
    }

    async fn deposit(&self, ask: &ProviderAsk) -> Result<ProviderDeposit, FillerError> {
        let assets = self.assets.get(&self.transport).await?;
        let gone = || FillerError::Unavailable("it does not list the tokens any more".to_owned());
        let pair = pair(&assets, ask.from, ask.to).ok_or_else(gone)?;
        match self.ask(ask, pair, false).await? {
            Ok(quoted) => Ok(ProviderDeposit::Transfer(mapping::address(ask, pair, &quoted)?)),
            Err(refusal) => Err(FillerError::Unavailable(refusal.to_string())),
        }
    }

    /// Names the payer's transaction to 1Click while it has not seen it, which makes it faster.
    async fn look_up(
        &self,
        order: &Order,
        deposit_tx: Option<&str>,
    ) -> Result<Option<ProviderReport>, FillerError> {
        let Some(provider) = &order.provider else { return Ok(None) };
        let address = provider.target.to_string();
        let response = self.transport.get("v0/status", &[("depositAddress", address.clone())]).await?;
        if response.status == 404 {
            return Ok(None);
        }
        let status: Status = read(&response)?;
        let report = mapping::report(order, deposit_tx, &status).map_err(FillerError::Nonsense)?;
        if let (None, Some(tx)) = (&report, deposit_tx) {
            let named = json!({ "txHash": tx, "depositAddress": address });
            let response = self.transport.post("v0/deposit/submit", &named).await?;
            if !(200..300).contains(&response.status) {
                tracing::debug!(order = %order.id, status = response.status, "1Click does not take a transaction");
            }
        }
        Ok(report)
    }
}

/// 1Click's word that it has no route, or does not take the request: it has no codes for that, only words.
fn declined(response: &ProviderResponse) -> Result<Option<Refusal>, FillerError> {
    // Its document names 201 for quotes.
    if matches!(response.status, 200 | 201) {
        return Ok(None);
    }
    let error: Option<ErrorBody> = serde_json::from_slice(&response.body).ok();
    if let Some(error) = error.filter(|error| response.status == 400 && !error.message.is_empty()) {
        return Ok(Some(Refusal::Other(error.message)));
    }
    Err(FillerError::Nonsense(format!("it returned {}{}", response.status, message(&response.body))))
}

/// The offer in the body of a quote of these two tokens.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_offer(
    ask: &FillerAsk,
    tokens: [&str; 2],
    body: &[u8],
    now: Timestamp,
) -> Option<causeway_domain::ports::Offer> {
    let quoted: Quoted = serde_json::from_slice(body).ok()?;
    let [from, to] = tokens.map(|id| assets::Asset { id: id.to_owned(), decimals: 6 });
    let notice = Arc::new(CustodyNotice { held_by: String::new(), refunds: String::new() });
    let terms = OfferTerms { notice: &notice, now, valid_for: SignedDuration::from_secs(30), fee_bps: 10 };
    mapping::offer(ask, Pair { from: &from, to: &to }, &quoted, &terms).ok()
}
