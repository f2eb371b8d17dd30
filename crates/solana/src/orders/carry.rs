mod tend;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    Carrier, Deed, DeedError, Outbox, OutboxPut, Outgoing, OutgoingEnd, Progress, Truth,
};
use causeway_domain::{Address as AnyAddress, ChainId, SOLANA_CHAIN_ID, SolanaDeployment, Terms};
use jiff::{SignedDuration, Timestamp};
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;

use super::deeds::{Plan, Writer};
use super::stored;
use super::truth::{Unknown, truth};
use crate::program::{EscrowProgram, MOST_COMPUTE_UNITS};
use crate::{
    BuildError, RecentBlockhash, SignedTransaction, SolanaKey, SolanaRpc, UnsignedTransaction,
    compute_unit_limit, compute_unit_price,
};

/// No delivery begins later than this before its deadline: it might not land in time.
const LAST_START: SignedDuration = SignedDuration::from_secs(60);
/// How often a number is looked for while other processes take numbers of the same key.
const NUMBER_TRIES: usize = 5;
/// What our program and the making of token accounts beside it take at most, and what any transaction takes at least.
const MOST_UNITS: u32 = MOST_COMPUTE_UNITS + 100_000;
const LEAST_UNITS: u32 = 1_000;
/// What is allowed beyond what a rehearsal took, in hundredths: addresses differ in how long they take to be found.
const UNITS_MARGIN: u64 = 130;

/// How much is paid to be taken into a block.
#[derive(Clone, Copy, Debug)]
pub struct SolanaSending {
    /// No priority fee goes above this, in millionths of a lamport for each compute unit.
    pub most_for_unit: u64,
}

/// One key's hand on Solana.
pub struct SolanaCarrier {
    rpc: SolanaRpc,
    key: SolanaKey,
    outbox: Arc<dyn Outbox>,
    sending: SolanaSending,
    programs: Vec<EscrowProgram>,
    /// Whether anything may be on its way.
    maybe_open: AtomicBool,
    looked_at: Mutex<Option<Timestamp>>,
    /// For what is on its way: when it was last sent by this process, and in how many looks in a row it was missing past
    /// its last height.
    watched: Mutex<HashMap<B256, Watched>>,
    /// One at a time tends, so that nothing is ended twice.
    tending: tokio::sync::Mutex<()>,
    unknown: Unknown,
}

#[derive(Clone, Copy, Debug, Default)]
struct Watched {
    sent: Option<tokio::time::Instant>,
    absences: u32,
}

impl SolanaCarrier {
    /// Works on these programs, of every version that may still have orders.
    pub fn new(
        rpc: SolanaRpc,
        key: SolanaKey,
        outbox: Arc<dyn Outbox>,
        sending: SolanaSending,
        deployments: &[SolanaDeployment],
    ) -> Self {
        let program = |there: &SolanaDeployment| EscrowProgram::new(Address::new_from_array(there.program.0));
        Self {
            rpc,
            key,
            outbox,
            sending,
            programs: deployments.iter().map(program).collect(),
            maybe_open: AtomicBool::new(true),
            looked_at: Mutex::default(),
            watched: Mutex::default(),
            tending: tokio::sync::Mutex::default(),
            unknown: Unknown::default(),
        }
    }

    fn owner(&self) -> AnyAddress {
        AnyAddress::Solana(self.key.address().to_bytes())
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<B256, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds what these instructions do, tries it against the chain, and signs it.
    async fn prepare(&self, instructions: &[Instruction]) -> Result<(SignedTransaction, u64), DeedError> {
        let writable: Vec<Address> = instructions
            .iter()
            .flat_map(|one| one.accounts.iter().filter(|meta| meta.is_writable).map(|meta| meta.pubkey))
            .collect();
        let (recent, price) =
            futures::try_join!(self.rpc.recent_blockhash(), self.rpc.priority_price(&writable))?;
        let price = price.min(self.sending.most_for_unit);
        let tried =
            self.build(instructions, MOST_UNITS, price, recent).map_err(|error| unbuildable(&error))?;
        let simulated = self.rpc.simulate(&tried.to_wire()).await?;
        if let Some(words) = simulated.failure {
            let refusal = simulated.refusal.map(|refusal| refusal.to_string());
            return Err(DeedError::WouldFail(refusal.unwrap_or(words)));
        }
        let units = simulated.compute_units.saturating_mul(UNITS_MARGIN) / 100;
        let units = u32::try_from(units).unwrap_or(MOST_UNITS).clamp(LEAST_UNITS, MOST_UNITS);
        let unsigned = self.build(instructions, units, price, recent).map_err(|error| unbuildable(&error))?;
        let signed = self.key.sign(&unsigned).map_err(|error| DeedError::Never(error.to_string()))?;
        Ok((signed, price))
    }

    /// What of a plan goes first, and under which purpose. What one transaction does not carry waits: the rest of a deed that
    /// can be divided until it is asked for again, a deed as a whole until the accounts that it needs are made.
    fn first_part(&self, purpose: &str, mut plan: Plan) -> Result<(String, Vec<Instruction>), DeedError> {
        let recent = RecentBlockhash { blockhash: Hash::default(), last_valid_block_height: 0 };
        loop {
            let instructions = [plan.accounts.clone(), plan.deed.clone()].concat();
            match self.build(&instructions, MOST_UNITS, u64::MAX, recent) {
                Ok(_) if plan.deed.is_empty() => return Ok((format!("accounts:{purpose}"), instructions)),
                Ok(_) => return Ok((purpose.to_owned(), instructions)),
                Err(BuildError::TooLarge(_)) if plan.is_divisible && plan.deed.len() > 1 => {
                    plan.deed.pop();
                }
                Err(BuildError::TooLarge(_)) if !plan.accounts.is_empty() && !plan.deed.is_empty() => {
                    plan.deed.clear();
                }
                Err(error) => return Err(unbuildable(&error)),
            }
        }
    }

    fn build(
        &self,
        instructions: &[Instruction],
        units: u32,
        price: u64,
        recent: RecentBlockhash,
    ) -> Result<UnsignedTransaction, BuildError> {
        let mut all = vec![compute_unit_limit(units), compute_unit_price(price)];
        all.extend_from_slice(instructions);
        UnsignedTransaction::build(&self.key.address(), &all, &[], recent)
    }

    /// Stores what was signed under the next number of ours, and sends it.
    async fn send(
        &self,
        purpose: &str,
        (signed, price): (SignedTransaction, u64),
        now: Timestamp,
    ) -> Result<Outgoing, DeedError> {
        for _ in 0..NUMBER_TRIES {
            let highest = self.outbox.highest_nonce(SOLANA_CHAIN_ID, self.owner()).await?;
            let outgoing = Outgoing {
                chain: SOLANA_CHAIN_ID,
                signer: self.owner(),
                nonce: highest.map_or(0, |number| number.saturating_add(1)),
                purpose: purpose.to_owned(),
                attempts: vec![stored::attempt(&signed, price, now)],
                end: None,
            };
            match self.outbox.put(&outgoing).await? {
                OutboxPut::Written => {
                    self.broadcast(&signed).await;
                    return Ok(outgoing);
                }
                OutboxPut::Existing(existing) => return Ok(*existing),
                OutboxPut::NonceTaken => {}
            }
        }
        Err(DeedError::Later("other processes keep taking the numbers of this key".to_owned()))
    }

    /// Whether it arrived is for [`Carrier::tend`] to find out.
    async fn broadcast(&self, signed: &SignedTransaction) {
        self.watched().entry(stored::digest(signed)).or_default().sent = Some(tokio::time::Instant::now());
        if let Err(error) = self.rpc.send(signed, false).await {
            tracing::debug!(%error, signature = %signed.signature(), "not sent this time");
        }
    }
}

#[async_trait]
impl Carrier for SolanaCarrier {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    fn account(&self) -> AnyAddress {
        self.owner()
    }

    async fn carry(&self, purpose: &str, deed: &Deed, now: Timestamp) -> Result<Progress, DeedError> {
        if let Some(progress) = self.progress(purpose).await? {
            return Ok(progress);
        }
        if let Deed::Fill { terms, .. } = deed {
            in_time(terms.fill_deadline, now)?;
        }
        let writer = Writer { rpc: &self.rpc, programs: &self.programs, caller: self.key.address() };
        let (first, instructions) = self.first_part(purpose, writer.write(deed).await?)?;
        if first != purpose && self.progress(&first).await?.is_some() {
            return Ok(Progress::Waiting);
        }
        let prepared = self.prepare(&instructions).await?;
        // Before and after, whatever comes of it: the bytes may be stored although this call is dropped or fails.
        self.maybe_open.store(true, Ordering::SeqCst);
        let sent = self.send(&first, prepared, now).await;
        self.maybe_open.store(true, Ordering::SeqCst);
        Ok(if first == purpose { progress_of(&sent?) } else { sent.map(|_| Progress::Waiting)? })
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, DeedError> {
        let stored = self.outbox.for_purpose(SOLANA_CHAIN_ID, purpose).await?;
        Ok(stored.as_ref().map(progress_of))
    }

    async fn truth(&self, terms: &Terms) -> Result<Truth, DeedError> {
        let is_settled = self.unknown.is_over(&self.rpc).await?;
        // Last, so that it holds what was unknown and stands by now.
        let (escrow, is_filled) = truth(&self.rpc, &self.programs, terms).await?;
        Ok(Truth { escrow, is_filled, is_settled })
    }

    async fn tend(&self, now: Timestamp) -> Result<(), DeedError> {
        if !self.is_due(now) {
            return Ok(());
        }
        // As early as can be: what is unknown is waited out from here on.
        self.unknown.begin(&self.rpc).await;
        let tended = self.look_after().await;
        if !matches!(tended, Ok(false)) {
            self.maybe_open.store(true, Ordering::SeqCst);
        }
        tended.map(drop)
    }
}

impl fmt::Debug for SolanaCarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SolanaCarrier({:?})", self.key)
    }
}

fn in_time(fill_deadline: u64, now: Timestamp) -> Result<(), DeedError> {
    let deadline = i64::try_from(fill_deadline).ok().and_then(|at| Timestamp::from_second(at).ok());
    match deadline {
        Some(deadline) if deadline.duration_since(now) < LAST_START => {
            Err(DeedError::Never("it is too late to begin a delivery that must land in time".to_owned()))
        }
        _ => Ok(()),
    }
}

fn progress_of(outgoing: &Outgoing) -> Progress {
    let name = |hash| stored::name(outgoing, hash).unwrap_or_default();
    match outgoing.end {
        Some(OutgoingEnd::Succeeded(hash)) => Progress::Succeeded(name(Some(hash))),
        Some(OutgoingEnd::Reverted(hash)) => Progress::Reverted(name(Some(hash))),
        // The outbox frees the purpose of what never landed, so the next look sends it anew.
        Some(OutgoingEnd::Superseded) => Progress::Waiting,
        None => Progress::OnItsWay(name(None)),
    }
}

fn unbuildable(error: &BuildError) -> DeedError {
    DeedError::Never(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_13_no_delivery_begins_within_the_last_minute() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        for (left, begins) in [(61, true), (60, true), (59, false), (0, false)] {
            assert_eq!(in_time(1_800_000_000 + left, now).is_ok(), begins, "{left} s");
        }
    }
}
