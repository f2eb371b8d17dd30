use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use alloy_primitives::{Address as EvmAddress, B256, Bytes};
use causeway_domain::Address;
use causeway_domain::ports::{
    Attempt, FeeObserver, FinalTransaction, Outbox, OutboxPut, Outgoing, OutgoingEnd, StoreError,
};
use futures::{TryStreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde_json::json;
use thiserror::Error;

use super::account_key::EvmAccountKey;
use super::decide::{NextStep, SendPolicy, TxObservation, decide};
use super::fee_cache::FeeCache;
use super::preflight::preflight;
use super::sign::{SignedTx, SignerError, TxRequest};
use super::snapshot::PendingSnapshot;
use crate::blocks::{BlockTag, Receipt};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::fees::Fees;
use crate::gas_ceiling::GasLimits;
use crate::rpc::Call;

/// How long a node that has accepted a transaction is not asked whether it still knows it.
const TRUSTED_FOR: SignedDuration = SignedDuration::from_secs(5);

/// How many ends of transactions are recorded at once: they share a commit.
const CONCURRENT_ENDS: usize = 64;

/// How many times a nonce is chosen while other processes use nonces of the same signer.
const NONCE_TRIES: usize = 5;

#[derive(Debug, Error)]
pub enum SendError {
    #[error(transparent)]
    Chain(#[from] CallError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The simulation failed for this reason; nothing was sent.
    #[error("the transaction would fail: {0}")]
    WouldFail(String),
    /// Nothing was sent.
    #[error(
        "the transaction would fail: it takes {needed} gas, more than the {ceiling} that one of its kind may take"
    )]
    GasAboveCeiling { needed: u64, ceiling: u64 },
    #[error("gas costs {needed} wei now, more than the limit of {limit}")]
    FeeTooHigh { needed: u128, limit: u128 },
    #[error("other processes keep taking the nonces of this signer")]
    NonceContention,
}

/// Sends the transactions of one signer on one chain, each purpose once, until they are final.
pub struct Sender {
    client: EvmClient,
    signer: EvmAccountKey,
    outbox: Arc<dyn Outbox>,
    policy: SendPolicy,
    /// Learns what final transactions have cost.
    fee_observer: Option<Arc<dyn FeeObserver>>,
    market: FeeCache,
    /// When this process first sent each pending attempt.
    sent: Mutex<HashMap<B256, Timestamp>>,
    /// Since when every endpoint refuses the transaction of a nonce.
    refused: Mutex<HashMap<u64, Timestamp>>,
    /// The account's next nonce on the chain, as last read.
    on_chain: Mutex<Option<u64>>,
    /// Held while choosing a nonce and sending, so that nodes see nonces in order.
    nonce_lock: tokio::sync::Mutex<()>,
    /// Held while polling, so that nothing is replaced twice.
    poll_lock: tokio::sync::Mutex<()>,
}

impl Sender {
    pub fn new(
        client: EvmClient,
        signer: impl Into<EvmAccountKey>,
        outbox: Arc<dyn Outbox>,
        policy: SendPolicy,
    ) -> Self {
        Self {
            client,
            signer: signer.into(),
            outbox,
            policy,
            fee_observer: None,
            market: FeeCache::default(),
            sent: Mutex::default(),
            refused: Mutex::default(),
            on_chain: Mutex::default(),
            nonce_lock: tokio::sync::Mutex::default(),
            poll_lock: tokio::sync::Mutex::default(),
        }
    }

    /// Tells what transactions have cost once they are final.
    #[must_use]
    pub fn with_fee_observer(self, fee_observer: Arc<dyn FeeObserver>) -> Self {
        Self { fee_observer: Some(fee_observer), ..self }
    }

    /// The sending account.
    pub const fn account(&self) -> EvmAddress {
        self.signer.address()
    }

    fn owner(&self) -> Address {
        Address::Evm(self.signer.address())
    }

    /// Sends a transaction for a purpose, or returns the existing one for that purpose. Once this returns, the
    /// signed bytes are stored; delivery is the task of [`Sender::poll_pending`].
    pub async fn send(
        &self,
        purpose: &str,
        request: &TxRequest,
        now: Timestamp,
    ) -> Result<Outgoing, SendError> {
        self.send_with_gas(purpose, request, GasLimits::default(), now).await
    }

    /// Like [`Sender::send`] within these limits: at least what a contract needs besides the estimate, and never above the
    /// ceiling of this kind of transaction (rule 25).
    pub async fn send_with_gas(
        &self,
        purpose: &str,
        request: &TxRequest,
        limits: GasLimits,
        now: Timestamp,
    ) -> Result<Outgoing, SendError> {
        match self.outbox.for_purpose(self.client.chain_id(), purpose).await? {
            Some(existing) => Ok(existing),
            None => self.send_unless_sent(purpose, request, limits, now).await,
        }
    }

    /// Like [`Sender::send_with_gas`] for a purpose that was not in the outbox a moment ago: it is looked for again only as the
    /// transaction is stored.
    pub(crate) async fn send_unless_sent(
        &self,
        purpose: &str,
        request: &TxRequest,
        limits: GasLimits,
        now: Timestamp,
    ) -> Result<Outgoing, SendError> {
        let gas = preflight(&self.client, self.signer.address(), request, limits).await?;
        let fees = match self.client.own_fees(self.signer.address(), request).await? {
            Some(fees) => fees,
            None => self.market.fees(&self.client).await?,
        };
        if fees.ceiling() > self.policy.max_fee_per_gas {
            return Err(SendError::FeeTooHigh { needed: fees.ceiling(), limit: self.policy.max_fee_per_gas });
        }
        let _guard = self.nonce_lock.lock().await;
        for _ in 0..NONCE_TRIES {
            let nonce = self.next_nonce().await?;
            let chain = self.client.chain_id();
            let signed = self.signer.sign_transaction(chain, nonce, request, gas, fees).await?;
            let outgoing = Outgoing {
                chain: self.client.chain_id(),
                signer: self.owner(),
                nonce,
                purpose: purpose.to_owned(),
                attempts: vec![attempt(&signed, fees, now)],
                end: None,
            };
            match self.outbox.put(&outgoing).await? {
                OutboxPut::Written => {
                    self.broadcast(&outgoing, now).await;
                    return Ok(outgoing);
                }
                OutboxPut::Existing(existing) => return Ok(*existing),
                OutboxPut::NonceTaken => {}
            }
        }
        Err(SendError::NonceContention)
    }

    /// One above the highest nonce ever stored by any process. The chain is read only while it may be ahead of the outbox.
    /// If the key is used elsewhere meanwhile, the transaction is superseded and its purpose is free again. One endpoint
    /// alone does not raise it above the outbox: nothing after a gap would ever be mined.
    async fn next_nonce(&self) -> Result<u64, SendError> {
        let stored = self.outbox.highest_nonce(self.client.chain_id(), self.owner()).await?;
        if let (Some(stored), Some(on_chain)) = (stored, *self.on_chain.lock())
            && stored >= on_chain
        {
            return Ok(stored.saturating_add(1));
        }
        let next = stored.map(|nonce| nonce.saturating_add(1));
        let at_least = next.map_or(1, |_| self.client.quorum().get());
        let on_chain = match self.client.median_nonce(self.signer.address(), BlockTag::Latest, at_least).await
        {
            Ok(on_chain) => on_chain,
            Err(error) => return next.ok_or(SendError::Chain(error)),
        };
        *self.on_chain.lock() = Some(on_chain);
        Ok(next.map_or(on_chain, |next| next.max(on_chain)))
    }

    /// Advances all pending transactions: rebroadcasts what was stored before a crash or dropped by a node, replaces what
    /// is stuck, and records final outcomes. Returns the decisions.
    pub async fn poll_pending(&self, now: Timestamp) -> Result<Vec<(Outgoing, NextStep)>, SendError> {
        let _guard = self.poll_lock.lock().await;
        let open = self.outbox.open(self.client.chain_id(), self.owner()).await?;
        self.retain_sent(&open);
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let young = self.sent_since(now.checked_sub(TRUSTED_FOR).unwrap_or(now));
        let account = self.signer.address();
        let snapshot =
            PendingSnapshot::read(&self.client, account, self.policy.depth, (&open, &young)).await?;
        *self.on_chain.lock() = Some(snapshot.nonce);
        let market = self.market.fees(&self.client).await?;
        let (mut decided, mut ended) = (Vec::with_capacity(open.len()), Vec::new());
        for outgoing in open {
            let (receipt, certain) = snapshot.receipt(&self.client, &outgoing).await;
            let observed = TxObservation {
                known: receipt.is_some() || snapshot.is_known(&outgoing),
                receipt,
                final_block: snapshot.final_block,
                final_nonce: if certain { snapshot.final_nonce } else { outgoing.nonce },
                nonce: snapshot.nonce,
                sent_at: outgoing.attempts.last().and_then(|last| self.sent.lock().get(&last.hash).copied()),
                is_next_nonce: outgoing.nonce == snapshot.nonce,
                refused_since: self.refused.lock().get(&outgoing.nonce).copied(),
            };
            let next =
                self.or_superseded(&outgoing, decide(&outgoing, &observed, &market, now, &self.policy));
            match next {
                NextStep::End(end) => ended.push((outgoing.clone(), end, observed.receipt)),
                _ => self.apply(&outgoing, next, now).await?,
            }
            decided.push((outgoing, next));
        }
        stream::iter(ended.into_iter().map(Ok))
            .try_for_each_concurrent(CONCURRENT_ENDS, |(outgoing, end, receipt)| async move {
                self.record_end(&outgoing, end, receipt.as_ref()).await
            })
            .await?;
        Ok(decided)
    }

    /// Records how a transaction ended, and tells once what it cost: another process may have recorded it before.
    async fn record_end(
        &self,
        outgoing: &Outgoing,
        end: OutgoingEnd,
        receipt: Option<&Receipt>,
    ) -> Result<(), SendError> {
        let Outgoing { chain, signer, nonce, .. } = *outgoing;
        let has_ended = self.outbox.end(chain, signer, nonce, end).await?;
        if let (true, OutgoingEnd::Succeeded(_), Some(receipt)) = (has_ended, end, receipt) {
            self.tell_fee(outgoing, receipt).await;
        }
        Ok(())
    }

    /// The attempts that a node has accepted since then.
    fn sent_since(&self, since: Timestamp) -> HashSet<B256> {
        let sent = self.sent.lock();
        sent.iter().filter(|(_, at)| **at > since).map(|(hash, _)| *hash).collect()
    }

    /// A nonce that our own cancellation took has superseded its transaction, whose purpose is free again.
    fn or_superseded(&self, outgoing: &Outgoing, next: NextStep) -> NextStep {
        let NextStep::End(OutgoingEnd::Succeeded(hash) | OutgoingEnd::Reverted(hash)) = next else {
            return next;
        };
        let mined = outgoing.attempts.iter().find(|attempt| attempt.hash == hash);
        match mined {
            Some(attempt) if self.signer.is_cancellation(&attempt.raw) => {
                NextStep::End(OutgoingEnd::Superseded)
            }
            _ => next,
        }
    }

    async fn tell_fee(&self, outgoing: &Outgoing, receipt: &Receipt) {
        let Some(observer) = &self.fee_observer else { return };
        let (chain, purpose) = (outgoing.chain, outgoing.purpose.clone());
        observer.transaction_final(&FinalTransaction { chain, purpose, fee: receipt.fee() }).await;
    }

    /// Takes the step; ends are recorded elsewhere.
    async fn apply(&self, outgoing: &Outgoing, next: NextStep, now: Timestamp) -> Result<(), SendError> {
        let Outgoing { chain, signer, nonce, .. } = *outgoing;
        match next {
            NextStep::Wait | NextStep::End(_) => {}
            NextStep::Rebroadcast => self.broadcast(outgoing, now).await,
            NextStep::FeeTooHigh(fees) => {
                let needed = fees.ceiling();
                tracing::warn!(%chain, nonce, needed, "stuck transaction needs more than the fee limit");
                self.broadcast(outgoing, now).await;
            }
            NextStep::Replace(fees) => {
                let Some(last) = outgoing.attempts.last() else { return Ok(()) };
                let signed = match self.signer.sign_replacement(chain, &last.raw, fees).await {
                    Ok(signed) => signed,
                    Err(error) => return self.stay(outgoing, error, now).await,
                };
                let attempt = attempt(&signed, fees, now);
                self.outbox.add_attempt(chain, signer, nonce, &attempt).await?;
                let mut replaced = outgoing.clone();
                replaced.attempts.push(attempt);
                self.broadcast(&replaced, now).await;
            }
            NextStep::Cancel(fees) => {
                let purpose = &outgoing.purpose;
                tracing::error!(%chain, nonce, purpose, "every endpoint refuses the transaction, so its nonce is used for nothing");
                let signed = match self.signer.sign_cancellation(chain, nonce, fees).await {
                    Ok(signed) => signed,
                    Err(error) => return self.stay(outgoing, error, now).await,
                };
                let attempt = attempt(&signed, fees, now);
                self.outbox.add_attempt(chain, signer, nonce, &attempt).await?;
                self.refused.lock().remove(&nonce);
                let mut replaced = outgoing.clone();
                replaced.attempts.push(attempt);
                self.broadcast(&replaced, now).await;
            }
        }
        Ok(())
    }

    /// A key that does not sign now holds up no other transaction: what was signed before is sent again meanwhile.
    async fn stay(&self, outgoing: &Outgoing, error: SignerError, now: Timestamp) -> Result<(), SendError> {
        if !matches!(error, SignerError::Unsigned { .. }) {
            return Err(error.into());
        }
        tracing::warn!(%error, chain = %outgoing.chain, nonce = outgoing.nonce, "stuck transaction not replaced");
        self.broadcast(outgoing, now).await;
        Ok(())
    }

    /// Sends the newest attempt. A failure is not an error: the bytes are stored and will be sent again.
    async fn broadcast(&self, outgoing: &Outgoing, now: Timestamp) {
        const ALREADY_KNOWN: [&str; 4] =
            ["already known", "known transaction", "already imported", "nonce too low"];
        const UNDERPRICED: [&str; 3] = ["underpriced", "fee too low", "less than block base fee"];
        let Some(last) = outgoing.attempts.last() else { return };
        let raw = Bytes::copy_from_slice(&last.raw);
        let call = Call::new("eth_sendRawTransaction", json!([raw]));
        let (mut accepted, mut refused) = (false, None);
        for (_, answer) in self.client.each::<B256>(&call).await {
            match answer {
                Ok(_) => accepted = true,
                Err(error) if error.refused_with(&ALREADY_KNOWN) => accepted = true,
                // Counts as sent, so that it is replaced after `stuck_after`.
                Err(error) if error.refused_with(&UNDERPRICED) => {
                    tracing::info!(%error, nonce = outgoing.nonce, "transaction underpriced");
                    accepted = true;
                }
                Err(error) => {
                    tracing::debug!(%error, nonce = outgoing.nonce, "an endpoint does not take the transaction");
                    let is_refusal = matches!(error, CallError::Refused { .. });
                    refused = Some((error, is_refusal || refused.is_some_and(|(_, before)| before)));
                }
            }
        }
        if accepted {
            self.refused.lock().remove(&outgoing.nonce);
            self.sent.lock().entry(last.hash).or_insert(now);
            return;
        }
        if let Some((error, is_refusal)) = refused {
            tracing::warn!(%error, nonce = outgoing.nonce, "broadcast failed, transaction stays in the outbox");
            if is_refusal {
                self.refused.lock().entry(outgoing.nonce).or_insert(now);
            }
        }
    }

    fn retain_sent(&self, open: &[Outgoing]) {
        let attempts = open.iter().flat_map(|outgoing| &outgoing.attempts);
        let hashes: HashSet<B256> = attempts.map(|attempt| attempt.hash).collect();
        self.sent.lock().retain(|hash, _| hashes.contains(hash));
        let nonces: HashSet<u64> = open.iter().map(|outgoing| outgoing.nonce).collect();
        self.refused.lock().retain(|nonce, _| nonces.contains(nonce));
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sender({} on chain {})", self.signer.address(), self.client.chain_id())
    }
}

fn attempt(signed: &SignedTx, fees: Fees, made_at: Timestamp) -> Attempt {
    let (max_fee_per_gas, priority_fee_per_gas) = match fees {
        Fees::Eip1559 { max_fee, priority_fee } => (max_fee, Some(priority_fee)),
        Fees::Legacy { gas_price } => (gas_price, None),
    };
    Attempt { hash: signed.hash, raw: signed.raw.to_vec(), max_fee_per_gas, priority_fee_per_gas, made_at }
}
