mod poll_pending;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::{B256, U256};
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, ChainAction, FeeObserver, OnChainStatus, Outbox, OutboxPut, Outgoing, OutgoingEnd, Progress,
    TxSender,
};
use causeway_domain::{
    Address as AnyAddress, ChainId, IntentTerms, SOLANA_CHAIN_ID, SignatureBytes, SolanaDeployment,
};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;

use super::instruction_plan::{Plan, PlanBuilder};
use super::on_chain_status::{UnrecordedTransactions, on_chain_status};
use super::outbox_attempt;
use crate::program::{BatchFill, EscrowProgram, MAX_BATCH_ORDERS, MAX_INSTRUCTION_COMPUTE_UNITS};
use crate::{
    AccountKeyError, BuildError, RecentBlockhash, SignedTransaction, SolanaAccountKey, SolanaRpc,
    TOKEN_PROGRAM, UnsignedTransaction, compute_unit_limit, compute_unit_price,
};

/// A fill must start at least this long before its deadline, or it might not land in time.
const MIN_TIME_TO_FILL_DEADLINE: SignedDuration = SignedDuration::from_secs(60);
/// How often a nonce is tried while other processes take nonces of the same key.
const MAX_NONCE_ATTEMPTS: usize = 5;
/// The upper bound covers an instruction of the program plus creating token accounts; the lower bound any transaction.
const MAX_COMPUTE_UNITS: u32 = MAX_INSTRUCTION_COMPUTE_UNITS + 100_000;
const MIN_COMPUTE_UNITS: u32 = 1_000;
/// The compute unit limit as a percentage of the simulated units: deriving addresses varies in cost.
const COMPUTE_UNITS_PERCENT: u64 = 130;

const LAMPORTS_PER_SIGNATURE: u128 = 5_000;
const MICRO_LAMPORTS: u128 = 1_000_000;

/// Limits for sending transactions.
#[derive(Clone, Copy, Debug)]
pub struct SolanaSendConfig {
    /// The highest priority fee, in micro-lamports per compute unit.
    pub max_compute_unit_price: u64,
}

/// Sends the transactions of one key on Solana.
pub struct SolanaTxSender {
    rpc: SolanaRpc,
    key: SolanaAccountKey,
    outbox: Arc<dyn Outbox>,
    config: SolanaSendConfig,
    programs: Vec<EscrowProgram>,
    /// Whether a transaction may be in flight.
    may_have_pending: AtomicBool,
    last_polled: Mutex<Option<Timestamp>>,
    /// State of the transactions in flight, by their hash in the outbox.
    in_flight: Mutex<HashMap<B256, InFlight>>,
    /// Only one poll runs at a time, so that no transaction is ended twice.
    polling: tokio::sync::Mutex<()>,
    unrecorded: UnrecordedTransactions,
    /// Learns what final transactions have cost.
    fee_observer: Option<Arc<dyn FeeObserver>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct InFlight {
    last_sent: Option<tokio::time::Instant>,
    absences: u32,
}

impl SolanaTxSender {
    /// `deployments` are the programs of every version that may still have orders.
    pub fn new(
        rpc: SolanaRpc,
        key: impl Into<SolanaAccountKey>,
        outbox: Arc<dyn Outbox>,
        config: SolanaSendConfig,
        deployments: &[SolanaDeployment],
    ) -> Self {
        let program =
            |deployment: &SolanaDeployment| EscrowProgram::new(Address::new_from_array(deployment.program.0));
        Self {
            rpc,
            key: key.into(),
            outbox,
            config,
            programs: deployments.iter().map(program).collect(),
            may_have_pending: AtomicBool::new(true),
            last_polled: Mutex::default(),
            in_flight: Mutex::default(),
            polling: tokio::sync::Mutex::default(),
            unrecorded: UnrecordedTransactions::default(),
            fee_observer: None,
        }
    }

    /// Tells what transactions have cost once they are final.
    #[must_use]
    pub fn with_fee_observer(self, fee_observer: Arc<dyn FeeObserver>) -> Self {
        Self { fee_observer: Some(fee_observer), ..self }
    }

    fn owner(&self) -> AnyAddress {
        AnyAddress::Solana(self.key.address().to_bytes())
    }

    /// Builds, simulates and signs a transaction with these instructions.
    async fn prepare(&self, instructions: &[Instruction]) -> Result<(SignedTransaction, u64), ActionError> {
        let writable: Vec<Address> = instructions
            .iter()
            .flat_map(|one| one.accounts.iter().filter(|meta| meta.is_writable).map(|meta| meta.pubkey))
            .collect();
        let (recent, price) =
            futures::try_join!(self.rpc.recent_blockhash(), self.rpc.priority_price(&writable))?;
        let price = price.min(self.config.max_compute_unit_price);
        let trial = self
            .build(instructions, MAX_COMPUTE_UNITS, price, recent)
            .map_err(|error| build_failure(&error))?;
        let simulation = self.rpc.simulate(&trial.to_wire()).await?;
        if let Some(reason) = simulation.failure {
            let escrow_error = simulation.escrow_error.map(|escrow_error| escrow_error.to_string());
            return Err(ActionError::WouldFail(escrow_error.unwrap_or(reason)));
        }
        let units = simulation.compute_units.saturating_mul(COMPUTE_UNITS_PERCENT) / 100;
        let units =
            u32::try_from(units).unwrap_or(MAX_COMPUTE_UNITS).clamp(MIN_COMPUTE_UNITS, MAX_COMPUTE_UNITS);
        let unsigned =
            self.build(instructions, units, price, recent).map_err(|error| build_failure(&error))?;
        let signed = self.key.sign(&unsigned, instructions, fee_at(price.into(), units)).await;
        Ok((signed.map_err(|error| unsigned_error(&error))?, price))
    }

    /// The first transaction of a plan, and its purpose. If the plan does not fit into one transaction, a divisible
    /// action is cut and the rest waits for the next call; an indivisible one waits until its accounts are created.
    fn first_transaction(
        &self,
        purpose: &str,
        mut plan: Plan,
    ) -> Result<(String, Vec<Instruction>), ActionError> {
        let recent = RecentBlockhash { blockhash: Hash::default(), last_valid_block_height: 0 };
        loop {
            let instructions = [plan.accounts.clone(), plan.action.clone()].concat();
            match self.build(&instructions, MAX_COMPUTE_UNITS, u64::MAX, recent) {
                Ok(_) if plan.action.is_empty() => return Ok((format!("accounts:{purpose}"), instructions)),
                Ok(_) => return Ok((purpose.to_owned(), instructions)),
                Err(BuildError::TooLarge(_)) if plan.is_divisible && plan.action.len() > 1 => {
                    plan.action.pop();
                }
                Err(BuildError::TooLarge(_)) if !plan.accounts.is_empty() && !plan.action.is_empty() => {
                    plan.action.clear();
                }
                Err(error) => return Err(build_failure(&error)),
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

    /// Stores the signed transaction under the next nonce of the key, and broadcasts it.
    async fn store_and_broadcast(
        &self,
        purpose: &str,
        (signed, price): (SignedTransaction, u64),
        now: Timestamp,
    ) -> Result<Outgoing, ActionError> {
        for _ in 0..MAX_NONCE_ATTEMPTS {
            let highest = self.outbox.highest_nonce(SOLANA_CHAIN_ID, self.owner()).await?;
            let outgoing = Outgoing {
                chain: SOLANA_CHAIN_ID,
                signer: self.owner(),
                nonce: highest.map_or(0, |number| number.saturating_add(1)),
                purpose: purpose.to_owned(),
                attempts: vec![outbox_attempt::encode(&signed, price, now)],
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
        Err(ActionError::Temporary("other processes keep taking the nonces of this key".to_owned()))
    }

    /// Sends without waiting; [`TxSender::poll_pending`] finds out whether it arrived.
    async fn broadcast(&self, signed: &SignedTransaction) {
        self.in_flight.lock().entry(outbox_attempt::hash(signed)).or_default().last_sent =
            Some(tokio::time::Instant::now());
        if let Err(error) = self.rpc.send(signed, false).await {
            tracing::debug!(%error, signature = %signed.signature(), "transaction not sent");
        }
    }
}

#[async_trait]
impl TxSender for SolanaTxSender {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    fn account(&self) -> AnyAddress {
        self.owner()
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
        if let ChainAction::Fill { terms, .. } = action {
            check_fill_deadline(terms.fill_deadline, now)?;
        }
        let builder = PlanBuilder { rpc: &self.rpc, programs: &self.programs, caller: self.key.address() };
        let (first, instructions) = self.first_transaction(purpose, builder.build(action).await?)?;
        if first != purpose && self.progress(&first).await?.is_some() {
            return Ok(Progress::Waiting);
        }
        let prepared = self.prepare(&instructions).await?;
        // Set before and after: the bytes may be stored although this call is dropped or fails.
        self.may_have_pending.store(true, Ordering::SeqCst);
        let sent = self.store_and_broadcast(&first, prepared, now).await;
        self.may_have_pending.store(true, Ordering::SeqCst);
        Ok(if first == purpose { progress_from(&sent?) } else { sent.map(|_| Progress::Waiting)? })
    }

    async fn progress(&self, purpose: &str) -> Result<Option<Progress>, ActionError> {
        let stored = self.outbox.for_purpose(SOLANA_CHAIN_ID, purpose).await?;
        Ok(stored.as_ref().map(progress_from))
    }

    async fn max_fees(&self, purpose: &str) -> Result<Option<U256>, ActionError> {
        let stored = self.outbox.for_purpose(SOLANA_CHAIN_ID, purpose).await?;
        Ok(stored.map(|outgoing| max_fees(&outgoing)))
    }

    fn claims_that_fit(&self, orders: &[IntentTerms], signatures: usize) -> usize {
        let Some(first) = orders.first() else { return 0 };
        // The program takes attested fills only in a batch.
        let program = self.programs.iter().find(|program| program.id.to_bytes() == first.escrow.0);
        let Some(program) = program.filter(|_| !first.is_same_chain()) else { return 1 };
        // Any token program will do: only the size counts.
        let token = (first.input_token != B256::ZERO).then_some(TOKEN_PROGRAM);
        let signatures = vec![SignatureBytes::ZERO; signatures];
        let recent = RecentBlockhash { blockhash: Hash::default(), last_valid_block_height: 0 };
        let fits = |count: usize| {
            let fills: Vec<BatchFill<'_>> = orders
                .iter()
                .take(count)
                .map(|terms| BatchFill { terms, filled_at: 0, fill_ref: B256::ZERO, is_closed: false })
                .collect();
            let claim = program.claim_batch(&fills, token, &signatures);
            claim.is_ok_and(|claim| self.build(&[claim], MAX_COMPUTE_UNITS, u64::MAX, recent).is_ok())
        };
        (2..=orders.len().min(MAX_BATCH_ORDERS)).take_while(|count| fits(*count)).last().unwrap_or(1)
    }

    async fn on_chain_status(&self, terms: &IntentTerms) -> Result<OnChainStatus, ActionError> {
        let is_settled = self.unrecorded.have_expired(&self.rpc).await?;
        // Read last, so that it includes unrecorded transactions that are final by now.
        let (escrow, is_filled) = on_chain_status(&self.rpc, &self.programs, terms).await?;
        Ok(OnChainStatus { escrow, is_filled, is_settled })
    }

    async fn poll_pending(&self, now: Timestamp) -> Result<(), ActionError> {
        if !self.is_due(now) {
            return Ok(());
        }
        // As early as possible: the wait for unrecorded transactions starts here.
        self.unrecorded.start(&self.rpc).await;
        let polled = self.poll_open_transactions().await;
        if !matches!(polled, Ok(false)) {
            self.may_have_pending.store(true, Ordering::SeqCst);
        }
        polled.map(drop)
    }
}

impl fmt::Debug for SolanaTxSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SolanaTxSender({:?})", self.key)
    }
}

/// The fee of the signature, and the highest priority fee of any attempt, rounded up.
pub fn max_fees(outgoing: &Outgoing) -> U256 {
    let price = outgoing.attempts.iter().map(|attempt| attempt.max_fee_per_gas).max().unwrap_or_default();
    fee_at(price, MAX_COMPUTE_UNITS)
}

/// The fee of one signature and of these compute units, rounded up.
fn fee_at(price: u128, units: u32) -> U256 {
    let priority = price.saturating_mul(units.into()).div_ceil(MICRO_LAMPORTS);
    U256::from(priority.saturating_add(LAMPORTS_PER_SIGNATURE))
}

/// A key that does not sign now may sign later, or an hour's limit may be over.
fn unsigned_error(error: &AccountKeyError) -> ActionError {
    match error {
        AccountKeyError::Unsigned { .. } => {
            tracing::warn!(%error, "transaction not signed");
            ActionError::Temporary(error.to_string())
        }
        AccountKeyError::Transaction(error) => ActionError::Permanent(error.to_string()),
    }
}

fn check_fill_deadline(fill_deadline: u64, now: Timestamp) -> Result<(), ActionError> {
    let deadline = i64::try_from(fill_deadline).ok().and_then(|at| Timestamp::from_second(at).ok());
    match deadline {
        Some(deadline) if deadline.duration_since(now) < MIN_TIME_TO_FILL_DEADLINE => {
            Err(ActionError::Permanent(
                "it is too late to start a fill that must land before its deadline".to_owned(),
            ))
        }
        _ => Ok(()),
    }
}

fn progress_from(outgoing: &Outgoing) -> Progress {
    let name = |hash| outbox_attempt::signature(outgoing, hash).unwrap_or_default();
    match outgoing.end {
        Some(OutgoingEnd::Succeeded(hash)) => Progress::Succeeded(name(Some(hash))),
        Some(OutgoingEnd::Reverted(hash)) => Progress::Reverted(name(Some(hash))),
        // The outbox frees the purpose of an expired transaction, so the next call sends it again.
        Some(OutgoingEnd::Superseded) => Progress::Waiting,
        None => Progress::Sent(name(None)),
    }
}

fn build_failure(error: &BuildError) -> ActionError {
    ActionError::Permanent(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_13_no_fill_starts_within_the_last_minute() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        for (left, begins) in [(61, true), (60, true), (59, false), (0, false)] {
            assert_eq!(check_fill_deadline(1_800_000_000 + left, now).is_ok(), begins, "{left} s");
        }
    }
}
