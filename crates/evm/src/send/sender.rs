use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_primitives::{Address as EvmAddress, B256, Bytes};
use causeway_domain::Address;
use causeway_domain::ports::{Attempt, Outbox, OutboxPut, Outgoing, StoreError};
use jiff::Timestamp;
use serde_json::json;
use thiserror::Error;

use super::decide::{Next, Seen, SendPolicy, decide};
use super::look::Sight;
use super::market::Market;
use super::sign::{SignedTx, Signer, SignerError, TxRequest};
use super::try_out::try_out;
use crate::blocks::BlockTag;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::fees::Fees;
use crate::rpc::Call;

/// How often a nonce is looked for while other processes take nonces of the same signer.
const NONCE_TRIES: usize = 5;

#[derive(Debug, Error)]
pub enum SendError {
    #[error(transparent)]
    Chain(#[from] CallError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// It was never sent: it would fail, for this reason.
    #[error("the transaction would fail: {0}")]
    WouldFail(String),
    #[error("gas costs {needed} wei now, more than the limit of {limit}")]
    TooDear { needed: u128, limit: u128 },
    #[error("other processes keep taking the nonces of this signer")]
    Crowded,
}

/// Sends the transactions of one signer on one chain, each purpose once, and sees them through.
pub struct Sender {
    client: EvmClient,
    signer: Signer,
    outbox: Arc<dyn Outbox>,
    policy: SendPolicy,
    market: Market,
    /// When this process first sent each attempt that is still open.
    sent: Mutex<HashMap<B256, Timestamp>>,
    /// The account's next nonce on the chain, as it was last told.
    on_chain: Mutex<Option<u64>>,
    /// One at a time takes a nonce and sends under it, so that nodes see nonces in their order,
    turn: tokio::sync::Mutex<()>,
    /// and one at a time tends, so that nothing is replaced twice.
    tending: tokio::sync::Mutex<()>,
}

impl Sender {
    pub fn new(client: EvmClient, signer: Signer, outbox: Arc<dyn Outbox>, policy: SendPolicy) -> Self {
        Self {
            client,
            signer,
            outbox,
            policy,
            market: Market::default(),
            sent: Mutex::default(),
            on_chain: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            tending: tokio::sync::Mutex::default(),
        }
    }

    /// Whose transactions these are.
    pub const fn account(&self) -> EvmAddress {
        self.signer.address()
    }

    fn owner(&self) -> Address {
        Address::Evm(self.signer.address())
    }

    /// Sends a transaction for a purpose, or returns the one that the purpose already has. Once this returns, the
    /// signed bytes are stored; whether they arrived is for [`Sender::tend`] to find out.
    pub async fn send(
        &self,
        purpose: &str,
        request: &TxRequest,
        now: Timestamp,
    ) -> Result<Outgoing, SendError> {
        self.send_with_gas(purpose, request, 0, now).await
    }

    /// The same with no less gas than `least`, for contracts that do less when they are given less.
    pub async fn send_with_gas(
        &self,
        purpose: &str,
        request: &TxRequest,
        least: u64,
        now: Timestamp,
    ) -> Result<Outgoing, SendError> {
        if let Some(existing) = self.outbox.for_purpose(self.client.chain_id(), purpose).await? {
            return Ok(existing);
        }
        let gas = try_out(&self.client, self.signer.address(), request, least).await?;
        let fees = self.market.fees(&self.client).await?;
        if fees.ceiling() > self.policy.max_fee_per_gas {
            return Err(SendError::TooDear { needed: fees.ceiling(), limit: self.policy.max_fee_per_gas });
        }
        let _turn = self.turn.lock().await;
        for _ in 0..NONCE_TRIES {
            let nonce = self.next_nonce().await?;
            let signed = self.signer.sign(self.client.chain_id(), nonce, request, gas, fees)?;
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
        Err(SendError::Crowded)
    }

    /// One above the highest that was ever stored, by whichever process. The chain is asked only while it may be ahead of the
    /// outbox: should somebody use the key elsewhere meanwhile, the transaction is superseded and its purpose free again.
    async fn next_nonce(&self) -> Result<u64, SendError> {
        let stored = self.outbox.highest_nonce(self.client.chain_id(), self.owner()).await?;
        if let (Some(stored), Some(on_chain)) = (stored, *self.on_chain())
            && stored >= on_chain
        {
            return Ok(stored.saturating_add(1));
        }
        let on_chain = self.client.nonce(self.signer.address(), BlockTag::Latest).await?;
        *self.on_chain() = Some(on_chain);
        Ok(stored.map_or(on_chain, |nonce| nonce.saturating_add(1).max(on_chain)))
    }

    /// Looks after everything that is on its way: sends again what was stored before a crash or dropped by a node,
    /// replaces what is stuck, and records what has ended. Returns what it decided.
    pub async fn tend(&self, now: Timestamp) -> Result<Vec<(Outgoing, Next)>, SendError> {
        let _tending = self.tending.lock().await;
        let open = self.outbox.open(self.client.chain_id(), self.owner()).await?;
        self.forget_all_but(&open);
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let sight = Sight::take(&self.client, self.signer.address(), self.policy.depth, &open).await?;
        *self.on_chain() = Some(sight.nonce);
        let market = self.market.fees(&self.client).await?;
        let mut decided = Vec::new();
        for outgoing in open {
            let (receipt, certain) = sight.receipt(&self.client, &outgoing).await;
            let seen = Seen {
                known: receipt.is_some() || sight.is_known(&outgoing),
                receipt,
                final_block: sight.final_block,
                final_nonce: if certain { sight.final_nonce } else { outgoing.nonce },
                nonce: sight.nonce,
                sent_at: outgoing.attempts.last().and_then(|last| self.sent().get(&last.hash).copied()),
                first_in_line: outgoing.nonce == sight.nonce,
            };
            let next = decide(&outgoing, &seen, &market, now, &self.policy);
            self.act(&outgoing, next, now).await?;
            decided.push((outgoing, next));
        }
        Ok(decided)
    }

    async fn act(&self, outgoing: &Outgoing, next: Next, now: Timestamp) -> Result<(), SendError> {
        let Outgoing { chain, signer, nonce, .. } = *outgoing;
        match next {
            Next::Wait => {}
            Next::Rebroadcast => self.broadcast(outgoing, now).await,
            Next::TooDear(fees) => {
                let needed = fees.ceiling();
                tracing::warn!(%chain, nonce, needed, "a stuck transaction needs more than the fee limit");
                self.broadcast(outgoing, now).await;
            }
            Next::Replace(fees) => {
                let Some(last) = outgoing.attempts.last() else { return Ok(()) };
                let signed = self.signer.sign_again(chain, &last.raw, fees)?;
                let attempt = attempt(&signed, fees, now);
                self.outbox.add_attempt(chain, signer, nonce, &attempt).await?;
                let mut dearer = outgoing.clone();
                dearer.attempts.push(attempt);
                self.broadcast(&dearer, now).await;
            }
            Next::End(end) => self.outbox.end(chain, signer, nonce, end).await?,
        }
        Ok(())
    }

    /// Sends the newest attempt. Failure is no error here: the bytes are stored and will be sent again.
    async fn broadcast(&self, outgoing: &Outgoing, now: Timestamp) {
        const ARRIVED: [&str; 4] =
            ["already known", "known transaction", "already imported", "nonce too low"];
        const TOO_CHEAP: [&str; 3] = ["underpriced", "fee too low", "less than block base fee"];
        let Some(last) = outgoing.attempts.last() else { return };
        let raw = Bytes::copy_from_slice(&last.raw);
        let sent: Result<B256, CallError> =
            self.client.call(Call::new("eth_sendRawTransaction", json!([raw]))).await;
        match sent {
            Ok(_) => {}
            Err(error) if error.refused_with(&ARRIVED) => {}
            // Counted as sent, so that it is replaced when its time is over.
            Err(error) if error.refused_with(&TOO_CHEAP) => {
                tracing::info!(%error, nonce = outgoing.nonce, "a node wants more for a transaction");
            }
            Err(error) => {
                tracing::warn!(%error, nonce = outgoing.nonce, "a transaction could not be sent and waits in the outbox");
                return;
            }
        }
        self.sent().entry(last.hash).or_insert(now);
    }

    fn sent(&self) -> MutexGuard<'_, HashMap<B256, Timestamp>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn on_chain(&self) -> MutexGuard<'_, Option<u64>> {
        self.on_chain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_all_but(&self, open: &[Outgoing]) {
        let attempts = open.iter().flat_map(|outgoing| &outgoing.attempts);
        let hashes: HashSet<B256> = attempts.map(|attempt| attempt.hash).collect();
        self.sent().retain(|hash, _| hashes.contains(hash));
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
