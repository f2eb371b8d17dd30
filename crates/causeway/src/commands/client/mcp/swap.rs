use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy_primitives::U256;
use causeway_client::answers::Order;
use causeway_client::wire::QuoteAsk;
use causeway_client::{Bound, Error, ExecuteOptions, Step, Wallet};
use parking_lot::Mutex;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{ElicitationError, Peer, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::failure::Failure;
use super::super::pair::{Pair, describe_amount};
use super::super::units;
use super::Confirmation;
use super::agent::Agent;
use super::journal::{Journal, ReserveError};

/// How long the user may think about a confirmation.
const CONFIRMATION_TIMEOUT: Duration = Duration::from_mins(2);

/// The user's answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Approval {
    /// Whether to make this swap.
    approve: bool,
}

rmcp::elicit_safe!(Approval);

/// A swap with everything that the limits and the user decide about.
pub(super) struct SwapPlan {
    pub(super) pair: Pair,
    pub(super) payer: String,
    pub(super) recipient: String,
    /// The least output of an exact input, or the most input of an exact output, in raw units.
    pub(super) bound: String,
    /// How many seconds after its price has expired the deposit may still be made.
    pub(super) deposit_within: Option<u32>,
}

impl SwapPlan {
    /// The most that the swap takes, in raw units.
    fn max_input(&self) -> Result<U256, Failure> {
        let raw = if self.pair.exact_output { &self.bound } else { self.pair.amount() };
        raw.parse().map_err(|_| Failure::usage("the amount is too large"))
    }

    fn describe(&self, agent: &Agent) -> String {
        let Pair { give, get, exact_output, .. } = &self.pair;
        let show = |raw: &str, token| describe_amount(raw, token, &agent.directory);
        let (give, get) = if *exact_output {
            (format!("at most {}", show(&self.bound, give)), show(self.pair.amount(), get))
        } else {
            (show(self.pair.amount(), give), format!("at least {}", show(&self.bound, get)))
        };
        format!("Pay {give} from {} for {get} to {}.", self.payer, self.recipient)
    }
}

impl Agent {
    /// Swaps within the limits, after the user's approval if that is configured.
    pub(super) async fn swap(&self, plan: &SwapPlan, peer: &Peer<RoleServer>) -> Result<Value, Failure> {
        let journal = self.journal.as_ref().ok_or_else(|| Failure::usage("this agent has no key"))?;
        let give = &plan.pair.give;
        let amount = plan.max_input()?;
        let refused = |why: String| Failure::Usage(format!("refused by the spending limits: {why}"));
        let limit = self
            .limits
            .allows(give, amount, &plan.payer, &plan.recipient, &self.directory)
            .map_err(refused)?;
        if self.confirmation == Confirmation::Ask {
            ask_user(peer, plan.describe(self)).await?;
        }
        let reserved = journal.lock().reserve(give, amount, limit.per_day, &plan.recipient);
        let reservation = reserved.map_err(|error| match error {
            ReserveError::Exceeded { left } => refused(format!(
                "{} would exceed the daily limit of {}; {} is left",
                describe_amount(&amount.to_string(), give, &self.directory),
                describe_amount(&limit.per_day.to_string(), give, &self.directory),
                units::format_amount(&left.to_string(), give.decimals),
            )),
            ReserveError::Io(_) => Failure::Local(error.to_string()),
        })?;
        let progress = SwapProgress::default();
        let ended = if self.is_solana(give.chain_id) {
            self.execute(plan, self.solana.as_ref(), &progress).await
        } else {
            self.execute(plan, self.evm.as_ref(), &progress).await
        };
        if ended.is_err() && !progress.may_have_signed.load(Ordering::SeqCst) {
            release(journal, reservation);
        }
        let order_id = progress.order_id.into_inner();
        match ended {
            Ok(order) => Ok(json!({ "order": order, "paid": plan.describe(self) })),
            Err(Failure::Client(error)) => match order_id {
                Some(id) => Err(Failure::Stopped(format!(
                    "{error} The order {id} exists and continues: follow it with the tool `track`."
                ))),
                None => Err(Failure::Client(error)),
            },
            Err(failure) => Err(failure),
        }
    }

    async fn execute<W: Wallet>(
        &self,
        plan: &SwapPlan,
        wallet: Option<&W>,
        progress: &SwapProgress,
    ) -> Result<Order, Failure> {
        let wallet = wallet.ok_or_else(|| {
            let chain = self.directory.name(plan.pair.give.chain_id);
            Failure::usage(format!("this agent has no key for {chain}"))
        })?;
        let ask = QuoteAsk {
            recipient: Some(plan.recipient.clone()),
            deposit_within: plan.deposit_within,
            ..plan.pair.ask(&plan.payer)
        };
        let bound = if plan.pair.exact_output {
            Bound::MaxAmountIn(plan.bound.clone())
        } else {
            Bound::MinAmountOut(plan.bound.clone())
        };
        let options = self.with_escrow(ExecuteOptions::new(bound), plan.pair.give.chain_id);
        let on_step = |step: Step<'_>| match step {
            // The wallet signs next.
            Step::Built(_) => progress.may_have_signed.store(true, Ordering::SeqCst),
            Step::Submitted(submitted) => *progress.order_id.lock() = Some(submitted.order_id.clone()),
            _ => {}
        };
        Ok(self.client.execute(&ask, wallet, &options, on_step).await?)
    }
}

/// How far a swap came.
#[derive(Default)]
struct SwapProgress {
    may_have_signed: AtomicBool,
    order_id: Mutex<Option<String>>,
}

/// Gives the amount back to the daily limit; if that fails the limit is only stricter than it must be.
fn release(journal: &Mutex<Journal>, reservation: super::journal::Reservation) {
    if let Err(error) = journal.lock().release(reservation) {
        tracing::warn!(%error, "the reservation of a swap that was not signed stays in the journal");
    }
}

async fn ask_user(peer: &Peer<RoleServer>, question: String) -> Result<(), Failure> {
    match peer.elicit_with_timeout::<Approval>(question, Some(CONFIRMATION_TIMEOUT)).await {
        Ok(Some(Approval { approve: true })) => Ok(()),
        Ok(_) | Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => {
            Err(Failure::Stopped("the user declined; nothing was signed".to_owned()))
        }
        Err(ElicitationError::CapabilityNotSupported) => Err(Failure::usage(
            "this client cannot ask its user (it offers no elicitation), so nothing was signed; \
             start the server with `--confirm limits` to let the limits alone decide",
        )),
        Err(error) => Err(Failure::Stopped(format!("the user did not confirm, nothing was signed: {error}"))),
    }
}

/// Whether the failure is the service's or the chain's, not the caller's.
pub(super) fn failure_json(failure: &Failure) -> Value {
    let mut value = failure.json();
    if let Failure::Client(error) = failure
        && let Error::OrderFailed(order) = &**error
    {
        value["order"] = json!(order);
    }
    value
}
