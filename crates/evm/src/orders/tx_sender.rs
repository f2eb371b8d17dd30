use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::{Address as EvmAddress, U256};
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, ChainAction, FeeObserver, OnChainStatus, Outbox, Outgoing, OutgoingEnd, Progress, TxSender,
};
use causeway_domain::{Address, ChainId, Deployment, IntentTerms};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use super::allowance::{allowance, approve, is_unlimited};
use super::calldata::{EncodedTx, encode};
use super::delivery::{max_fees, too_much_gas, unpayable_reason};
use super::order_status::{ContractStatus, read_status};
use super::untracked::UntrackedTxs;
use crate::client::EvmClient;
use crate::send::{EvmAccountKey, NextStep, SendError, SendPolicy, Sender, SignerError};

/// How often the outbox is checked although nothing is pending: another process may have left a transaction.
const OUTBOX_RECHECK: SignedDuration = SignedDuration::from_secs(30);
/// No fill starts with less time than this before its deadline: it might not be mined in time.
const MIN_FILL_TIME: SignedDuration = SignedDuration::from_secs(60);
/// How many orders one transaction claims: some 13,000 gas and 700 bytes each, far below what every chain takes.
const MAX_BATCH_CLAIMS: usize = 50;
/// How many times an allowance that was used up is renewed.
const MAX_APPROVALS: usize = 32;

/// Sends the transactions of one key on an EVM chain.
pub struct EvmTxSender {
    client: EvmClient,
    sender: Sender,
    outbox: Arc<dyn Outbox>,
    deployments: Vec<Deployment>,
    /// Settlers with an unlimited allowance of a token.
    allowed: Mutex<HashSet<(EvmAddress, EvmAddress)>>,
    /// Whether a transaction may be pending.
    may_have_pending: AtomicBool,
    checked_at: Mutex<Option<Timestamp>>,
    untracked: UntrackedTxs,
    /// When this process started to use the key.
    started_at: Timestamp,
    /// How many confirmations make an outcome final.
    depth: u64,
}

impl EvmTxSender {
    /// Creates a sender for these contracts, of every version that may still have orders.
    pub fn new(
        client: EvmClient,
        signer: impl Into<EvmAccountKey>,
        outbox: Arc<dyn Outbox>,
        policy: SendPolicy,
        deployments: Vec<Deployment>,
    ) -> Self {
        Self {
            depth: policy.depth,
            sender: Sender::new(client.clone(), signer, outbox.clone(), policy),
            client,
            outbox,
            deployments,
            allowed: Mutex::default(),
            may_have_pending: AtomicBool::new(true),
            checked_at: Mutex::default(),
            untracked: UntrackedTxs::default(),
            started_at: Timestamp::now(),
        }
    }

    /// Tells what transactions have cost once they are final.
    #[must_use]
    pub fn with_fee_observer(self, fee_observer: Arc<dyn FeeObserver>) -> Self {
        Self { sender: self.sender.with_fee_observer(fee_observer), ..self }
    }

    async fn stored(&self, purpose: &str) -> Result<Option<Outgoing>, ActionError> {
        Ok(self.outbox.for_purpose(self.client.chain_id(), purpose).await?)
    }

    async fn submit(
        &self,
        purpose: &str,
        encoded: &EncodedTx,
        now: Timestamp,
    ) -> Result<Outgoing, ActionError> {
        self.untracked.compare_once(&self.client, self.sender.account(), self.outbox.as_ref()).await?;
        let sent = self.sender.send_unless_sent(purpose, &encoded.request, encoded.gas, now);
        // Before and after: the bytes may be stored even if this call is dropped or fails.
        self.may_have_pending.store(true, Ordering::SeqCst);
        let sent = sent.await.map_err(action_error);
        self.may_have_pending.store(true, Ordering::SeqCst);
        sent
    }

    async fn has_allowance(
        &self,
        settler: EvmAddress,
        token: EvmAddress,
        amount: U256,
    ) -> Result<bool, ActionError> {
        if self.allowed.lock().contains(&(settler, token)) {
            return Ok(true);
        }
        let allowance = allowance(&self.client, token, self.sender.account(), settler).await?;
        if is_unlimited(allowance) {
            self.allowed.lock().insert((settler, token));
        }
        Ok(allowance >= amount)
    }

    /// Whether the settler's allowance covers a fill; if not, sends an approval.
    async fn ensure_allowance(
        &self,
        settler: EvmAddress,
        token: EvmAddress,
        amount: U256,
        now: Timestamp,
    ) -> Result<bool, ActionError> {
        if self.has_allowance(settler, token, amount).await? {
            return Ok(true);
        }
        // Purposes are shared by all keys of a chain, and an allowance belongs to one key.
        let first = format!("approve:{}:{settler}:{token}", self.sender.account());
        let mut purpose = first.clone();
        for _ in 0..MAX_APPROVALS {
            let Some(stored) = self.stored(&purpose).await? else {
                self.submit(&purpose, &approve(token, settler), now).await?;
                return Ok(false);
            };
            // A purpose is sent once: an approval that was used up or failed is renewed under the next purpose.
            match stored.end {
                Some(OutgoingEnd::Succeeded(hash) | OutgoingEnd::Reverted(hash)) => {
                    purpose = format!("{first}:{hash}");
                }
                Some(OutgoingEnd::Superseded) | None => return Ok(false),
            }
        }
        Err(ActionError::Temporary(format!(
            "allowances of {token} to {settler} are used up again and again; check the token"
        )))
    }

    /// Whether the outbox is due for a check.
    fn is_due(&self, now: Timestamp) -> bool {
        let mut checked_at = self.checked_at.lock();
        let long_ago = checked_at.is_none_or(|at| now.duration_since(at).abs() >= OUTBOX_RECHECK);
        let due = self.may_have_pending.swap(false, Ordering::SeqCst) || long_ago;
        if due {
            *checked_at = Some(now);
        }
        due
    }
}

#[async_trait]
impl TxSender for EvmTxSender {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    fn account(&self) -> Address {
        Address::Evm(self.sender.account())
    }

    async fn send(
        &self,
        purpose: &str,
        action: &ChainAction,
        now: Timestamp,
    ) -> Result<Progress, ActionError> {
        if let Some(progress) = self.progress(purpose).await? {
            return Ok(progress);
        }
        let encoded = encode(action, self.client.chain_id(), &self.deployments)?;
        if let ChainAction::Fill { terms, .. } = action {
            check_fill_deadline(terms.fill_deadline, now)?;
        }
        if let Some((token, amount)) = encoded.spends
            && !self.ensure_allowance(encoded.request.to, token, amount, now).await?
        {
            return Ok(Progress::Waiting);
        }
        let sent = self.submit(purpose, &encoded, now).await;
        if let (Err(ActionError::WouldFail(_)), Some((token, _))) = (&sent, encoded.spends) {
            // The allowance may have been revoked.
            self.allowed.lock().remove(&(encoded.request.to, token));
        }
        Ok(progress_from(&sent?))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError> {
        Ok(self.stored(purpose).await?.as_ref().map(progress_from))
    }

    async fn unpayable_reason(&self, delivery: &ChainAction) -> Result<Option<String>, ActionError> {
        let encoded = encode(delivery, self.client.chain_id(), &self.deployments)?;
        if let Some((token, amount)) = encoded.spends
            && !self.has_allowance(encoded.request.to, token, amount).await?
        {
            return Ok(None);
        }
        let reason = unpayable_reason(&self.client, self.sender.account(), &encoded).await;
        reason.map_err(|error| ActionError::Chain(error.into()))
    }

    async fn max_fees(&self, purpose: &str) -> Result<Option<U256>, ActionError> {
        Ok(self.stored(purpose).await?.map(|outgoing| max_fees(&outgoing)))
    }

    fn claims_that_fit(&self, orders: &[IntentTerms], _: usize) -> usize {
        orders.len().min(MAX_BATCH_CLAIMS)
    }

    async fn on_chain_status(&self, terms: &IntentTerms) -> Result<OnChainStatus, ActionError> {
        let account = self.sender.account();
        let outbox = self.outbox.as_ref();
        let is_settled = self.untracked.are_all_final(&self.client, account, outbox, self.depth).await?;
        // Read last, so that it includes untracked transactions that are final by now.
        let status = read_status(&self.client, &self.deployments, terms).await;
        let ContractStatus { escrow, is_filled, time } =
            status.map_err(|error| ActionError::Chain(error.into()))?;
        Ok(OnChainStatus { escrow, is_filled, is_settled: is_settled && has_reached(time, self.started_at) })
    }

    async fn poll_pending(&self, now: Timestamp) -> Result<(), ActionError> {
        if !self.is_due(now) {
            return Ok(());
        }
        let polled = self.sender.poll_pending(now).await;
        let all_ended =
            polled.as_ref().is_ok_and(|all| all.iter().all(|(_, next)| matches!(next, NextStep::End(_))));
        if !all_ended {
            self.may_have_pending.store(true, Ordering::SeqCst);
        }
        polled.map(drop).map_err(action_error)
    }
}

impl fmt::Debug for EvmTxSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvmTxSender({:?})", self.sender)
    }
}

/// Whether a block is as new as this process: an older block may lack earlier transactions.
fn has_reached(time: u64, started_at: Timestamp) -> bool {
    i64::try_from(time).is_ok_and(|time| time >= started_at.as_second())
}

fn check_fill_deadline(fill_deadline: u64, now: Timestamp) -> Result<(), ActionError> {
    let deadline = i64::try_from(fill_deadline).ok().and_then(|at| Timestamp::from_second(at).ok());
    match deadline {
        Some(deadline) if deadline.duration_since(now) < MIN_FILL_TIME => Err(ActionError::Permanent(
            "it is too late to start a fill that is mined before its deadline".to_owned(),
        )),
        _ => Ok(()),
    }
}

fn progress_from(outgoing: &Outgoing) -> Progress {
    match outgoing.end {
        Some(OutgoingEnd::Succeeded(hash)) => Progress::Succeeded(hash.to_string()),
        Some(OutgoingEnd::Reverted(hash)) => Progress::Reverted(hash.to_string()),
        // The outbox frees the purpose of a superseded transaction, so the next call sends it again.
        Some(OutgoingEnd::Superseded) => Progress::Waiting,
        None => {
            let newest = outgoing.attempts.last().map(|attempt| attempt.hash.to_string());
            newest.map_or(Progress::Waiting, Progress::Sent)
        }
    }
}

fn action_error(error: SendError) -> ActionError {
    match error {
        SendError::Chain(error) => ActionError::Chain(error.into()),
        SendError::Store(error) => ActionError::Store(error),
        SendError::WouldFail(reason) => ActionError::WouldFail(reason),
        SendError::GasAboveCeiling { needed, ceiling } => {
            ActionError::WouldFail(too_much_gas(needed, ceiling))
        }
        // Nothing was sent: the key may sign later, or an hour's limit may be over.
        SendError::Signer(error @ SignerError::Unsigned { .. }) => {
            tracing::warn!(%error, "transaction not signed");
            ActionError::Temporary(error.to_string())
        }
        SendError::Signer(error) => ActionError::Permanent(error.to_string()),
        error @ (SendError::FeeTooHigh { .. } | SendError::NonceContention) => {
            ActionError::Temporary(error.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_older_than_the_start_settles_nothing() {
        let started_at = Timestamp::from_millisecond(1_800_000_000_900).unwrap();
        for (time, reached) in [(1_799_999_999, false), (1_800_000_000, true), (u64::MAX, false)] {
            assert_eq!(has_reached(time, started_at), reached, "{time}");
        }
    }

    #[test]
    fn rule_13_no_fill_starts_within_the_last_minute() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        for (left, begins) in [(61, true), (60, true), (59, false), (0, false)] {
            assert_eq!(check_fill_deadline(1_800_000_000 + left, now).is_ok(), begins, "{left} s");
        }
        assert!(check_fill_deadline(1_700_000_000, now).is_err());
        assert!(check_fill_deadline(u64::MAX, now).is_ok());
    }
}
