use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_primitives::{Address as EvmAddress, U256};
use async_trait::async_trait;
use causeway_domain::ports::{Carrier, Deed, DeedError, Outbox, Outgoing, OutgoingEnd, Progress, Truth};
use causeway_domain::{Address, ChainId, Deployment, Terms};
use jiff::{SignedDuration, Timestamp};

use super::allowance::{allowance, approve, is_unlimited};
use super::calldata::{Encoded, encode};
use super::truth::{Said, truth};
use super::unknown::Unknown;
use crate::client::EvmClient;
use crate::send::{Next, SendError, SendPolicy, Sender, Signer};

/// How often the outbox is looked at although nothing of ours is open: another process may have left something.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(30);
/// No delivery begins later than this before its deadline: it might not be mined in time.
const LAST_START: SignedDuration = SignedDuration::from_secs(60);
/// How often an allowance that did not last is given anew.
const APPROVALS: usize = 32;

/// One key's hand on an EVM chain.
pub struct EvmCarrier {
    client: EvmClient,
    sender: Sender,
    outbox: Arc<dyn Outbox>,
    deployments: Vec<Deployment>,
    /// Settlers that may take as much as they want of a token.
    allowed: Mutex<HashSet<(EvmAddress, EvmAddress)>>,
    /// Whether anything may be on its way.
    maybe_open: AtomicBool,
    looked_at: Mutex<Option<Timestamp>>,
    unknown: Unknown,
    /// When this process began to work with the key.
    since: Timestamp,
    /// How many blocks make an end final.
    depth: u64,
}

impl EvmCarrier {
    /// Works on these contracts, of every version that may still have orders.
    pub fn new(
        client: EvmClient,
        signer: Signer,
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
            maybe_open: AtomicBool::new(true),
            looked_at: Mutex::default(),
            unknown: Unknown::default(),
            since: Timestamp::now(),
        }
    }

    async fn stored(&self, purpose: &str) -> Result<Option<Outgoing>, DeedError> {
        Ok(self.outbox.for_purpose(self.client.chain_id(), purpose).await?)
    }

    async fn send(&self, purpose: &str, encoded: &Encoded, now: Timestamp) -> Result<Outgoing, DeedError> {
        self.unknown.note(&self.client, self.sender.account(), self.outbox.as_ref()).await?;
        let sent = self.sender.send_with_gas(purpose, &encoded.request, encoded.least_gas, now);
        // Before and after, whatever comes of it: the bytes may be stored although this call is dropped or fails.
        self.maybe_open.store(true, Ordering::SeqCst);
        let sent = sent.await.map_err(refusal);
        self.maybe_open.store(true, Ordering::SeqCst);
        sent
    }

    /// Whether the settler may take what a delivery spends; if not, sees to it that it may.
    async fn may_spend(
        &self,
        settler: EvmAddress,
        token: EvmAddress,
        amount: U256,
        now: Timestamp,
    ) -> Result<bool, DeedError> {
        if self.allowed().contains(&(settler, token)) {
            return Ok(true);
        }
        let allowance = allowance(&self.client, token, self.sender.account(), settler).await?;
        if is_unlimited(allowance) {
            self.allowed().insert((settler, token));
        }
        if allowance >= amount {
            return Ok(true);
        }
        // Purposes are one for all keys of a chain, and an allowance is one key's.
        let first = format!("approve:{}:{settler}:{token}", self.sender.account());
        let mut purpose = first.clone();
        for _ in 0..APPROVALS {
            let Some(stored) = self.stored(&purpose).await? else {
                self.send(&purpose, &approve(token, settler), now).await?;
                return Ok(false);
            };
            // A purpose is let through once: an allowance that was used up, or failed, is given anew under the next one.
            match stored.end {
                Some(OutgoingEnd::Succeeded(hash) | OutgoingEnd::Reverted(hash)) => {
                    purpose = format!("{first}:{hash}");
                }
                Some(OutgoingEnd::Superseded) | None => return Ok(false),
            }
        }
        Err(DeedError::Later(format!("allowances of {token} to {settler} do not last; look at the token")))
    }

    fn allowed(&self) -> MutexGuard<'_, HashSet<(EvmAddress, EvmAddress)>> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the outbox is worth a look.
    fn is_due(&self, now: Timestamp) -> bool {
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let long_ago = looked_at.is_none_or(|at| now.duration_since(at).abs() >= LOOK_AGAIN);
        let due = self.maybe_open.swap(false, Ordering::SeqCst) || long_ago;
        if due {
            *looked_at = Some(now);
        }
        due
    }
}

#[async_trait]
impl Carrier for EvmCarrier {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    fn account(&self) -> Address {
        Address::Evm(self.sender.account())
    }

    async fn carry(&self, purpose: &str, deed: &Deed, now: Timestamp) -> Result<Progress, DeedError> {
        if let Some(progress) = self.progress(purpose).await? {
            return Ok(progress);
        }
        let encoded = encode(deed, self.client.chain_id(), &self.deployments)?;
        if let Deed::Fill { terms, .. } = deed {
            in_time(terms.fill_deadline, now)?;
        }
        if let Some((token, amount)) = encoded.spends
            && !self.may_spend(encoded.request.to, token, amount, now).await?
        {
            return Ok(Progress::Waiting);
        }
        let sent = self.send(purpose, &encoded, now).await;
        if let (Err(DeedError::WouldFail(_)), Some((token, _))) = (&sent, encoded.spends) {
            // Perhaps somebody took the allowance back.
            self.allowed().remove(&(encoded.request.to, token));
        }
        Ok(progress_of(&sent?))
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, DeedError> {
        Ok(self.stored(purpose).await?.as_ref().map(progress_of))
    }

    async fn truth(&self, terms: &Terms) -> Result<Truth, DeedError> {
        let account = self.sender.account();
        let outbox = self.outbox.as_ref();
        let is_settled = self.unknown.is_over(&self.client, account, outbox, self.depth).await?;
        // Last, so that it holds what was unknown and stands by now.
        let said = truth(&self.client, &self.deployments, terms).await;
        let Said { escrow, is_filled, time } = said.map_err(|error| DeedError::Chain(error.into()))?;
        Ok(Truth { escrow, is_filled, is_settled: is_settled && has_reached(time, self.since) })
    }

    async fn tend(&self, now: Timestamp) -> Result<(), DeedError> {
        if !self.is_due(now) {
            return Ok(());
        }
        let tended = self.sender.tend(now).await;
        let over = tended.as_ref().is_ok_and(|all| all.iter().all(|(_, next)| matches!(next, Next::End(_))));
        if !over {
            self.maybe_open.store(true, Ordering::SeqCst);
        }
        tended.map(drop).map_err(refusal)
    }
}

impl fmt::Debug for EvmCarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvmCarrier({:?})", self.sender)
    }
}

/// Whether a chain's block is as new as this process: who has not come so far cannot know what was done before.
fn has_reached(time: u64, since: Timestamp) -> bool {
    i64::try_from(time).is_ok_and(|time| time >= since.as_second())
}

fn in_time(fill_deadline: u64, now: Timestamp) -> Result<(), DeedError> {
    let deadline = i64::try_from(fill_deadline).ok().and_then(|at| Timestamp::from_second(at).ok());
    match deadline {
        Some(deadline) if deadline.duration_since(now) < LAST_START => {
            Err(DeedError::Never("it is too late to begin a delivery that must be mined in time".to_owned()))
        }
        _ => Ok(()),
    }
}

fn progress_of(outgoing: &Outgoing) -> Progress {
    match outgoing.end {
        Some(OutgoingEnd::Succeeded(hash)) => Progress::Succeeded(hash.to_string()),
        Some(OutgoingEnd::Reverted(hash)) => Progress::Reverted(hash.to_string()),
        // The outbox frees the purpose of what was superseded, so the next look sends it anew.
        Some(OutgoingEnd::Superseded) => Progress::Waiting,
        None => {
            let newest = outgoing.attempts.last().map(|attempt| attempt.hash.to_string());
            newest.map_or(Progress::Waiting, Progress::OnItsWay)
        }
    }
}

fn refusal(error: SendError) -> DeedError {
    match error {
        SendError::Chain(error) => DeedError::Chain(error.into()),
        SendError::Store(error) => DeedError::Store(error),
        SendError::WouldFail(words) => DeedError::WouldFail(words),
        SendError::Signer(error) => DeedError::Never(error.to_string()),
        error @ (SendError::TooDear { .. } | SendError::Crowded) => DeedError::Later(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_from_before_the_start_settles_nothing() {
        let since = Timestamp::from_millisecond(1_800_000_000_900).unwrap();
        for (time, reached) in [(1_799_999_999, false), (1_800_000_000, true), (u64::MAX, false)] {
            assert_eq!(has_reached(time, since), reached, "{time}");
        }
    }

    #[test]
    fn rule_13_no_delivery_begins_within_the_last_minute() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        for (left, begins) in [(61, true), (60, true), (59, false), (0, false)] {
            assert_eq!(in_time(1_800_000_000 + left, now).is_ok(), begins, "{left} s");
        }
        assert!(in_time(1_700_000_000, now).is_err());
        assert!(in_time(u64::MAX, now).is_ok());
    }
}
