use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ActionError, OrderExecutor, Progress};
use causeway_domain::{Address, ChainId, Decision, Order, QuoteKeys};
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::address::interoperable;
use super::client::{ClientError, SolverClient};
use super::config::OifConfig;
use super::envelope::open_calldata;
use super::filler::OifFiller;
use super::read_quotes::sanitize;
use super::wire::{
    Bytes, Checks, GetOrderResponse, OpenIntentTx, OriginSubmission, PostOrderRequest, PostOrderResponse,
    PostStatus, USER_OPEN, UserOpenOrder,
};

/// Timeout of submitting an order or reading its status.
const DEADLINE: Duration = Duration::from_secs(10);

/// How often the status of an order is polled, and for how many orders. The chain shows the fill in any case.
const STATUS_POLL_INTERVAL: Duration = Duration::from_secs(30);
const MAX_TRACKED_ORDERS: usize = 10_000;

/// Longer ids of a solver's orders are not kept.
const MAX_ID_LENGTH: usize = 128;

/// Maximum gas of opening an order. The order is open already, but the schema requires a value.
const OPEN_GAS: &str = "150000";

/// Executes the orders of an [`OifFiller`]: submits them to the solver, which fills and claims on the chains by itself.
pub struct OifExecutor {
    config: OifConfig,
    client: Arc<SolverClient>,
    keys: QuoteKeys,
    /// The solver's order ids, and when each was last polled. Not persisted.
    submitted: Mutex<HashMap<B256, (String, Instant)>>,
}

impl fmt::Debug for OifExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OifExecutor").field("config", &self.config).finish_non_exhaustive()
    }
}

impl OifExecutor {
    /// `keys` recognize the terms that we quoted.
    pub fn new(filler: &OifFiller, keys: QuoteKeys) -> Self {
        Self {
            config: filler.config.clone(),
            client: Arc::clone(&filler.client),
            keys,
            submitted: Mutex::default(),
        }
    }

    fn retry_later(&self, message: impl fmt::Display) -> ActionError {
        ActionError::Temporary(format!("the solver {}: {message}", self.config.name))
    }

    fn request(&self, order: &Order) -> Option<PostOrderRequest> {
        let terms = &order.terms;
        let chain = ChainId::new(terms.origin_chain_id)?;
        let (zeros, escrow) = terms.escrow.split_first_chunk::<12>()?;
        if *zeros != [0; 12] {
            return None;
        }
        let escrow = Address::Evm(<[u8; 20]>::try_from(escrow).ok()?.into());
        let bytes = |bytes| Bytes(bytes, self.config.bytes);
        Some(PostOrderRequest {
            order: UserOpenOrder {
                kind: USER_OPEN,
                open_intent_tx: OpenIntentTx {
                    to: interoperable(chain, escrow)?,
                    data: bytes(open_calldata(terms)),
                    gas_required: OPEN_GAS.to_owned(),
                },
                checks: Checks::default(),
            },
            // The user has opened the order on chain, so no signature is needed.
            signature: bytes(Vec::new()),
            quote_id: order.filler_quote.clone(),
            origin_submission: OriginSubmission { mode: "user" },
        })
    }

    /// Submits the order. Repeating it is safe: the solver identifies an order by its terms.
    async fn submit(&self, order: &Order) -> Result<(Decision, Option<String>), ActionError> {
        let request = self.request(order);
        let request = request
            .ok_or_else(|| ActionError::Permanent("the order's escrow is not on an EVM chain".to_owned()))?;
        let body = serde_json::to_vec(&request).map_err(|error| self.retry_later(error))?;
        let declined =
            |message: &str| Ok((Decision::Waive, Some(format!("The solver declined the order: {message}"))));
        let body = match self.client.submit(body, DEADLINE).await {
            Ok(body) => body,
            Err(ClientError::Declined(message)) => return declined(&message),
            Err(error) => return Err(self.retry_later(error)),
        };
        let answer: PostOrderResponse =
            serde_json::from_slice(&body).map_err(|error| self.retry_later(error))?;
        let reason = sanitize(answer.message.as_deref().unwrap_or_default());
        match answer.status {
            PostStatus::Received => {
                if let Some(id) = answer.order_id.filter(|id| id.len() <= MAX_ID_LENGTH) {
                    self.track(order.intent_id, id);
                }
                Ok((Decision::Fill, None))
            }
            PostStatus::Rejected if reason.is_empty() => declined("it gave no reason"),
            PostStatus::Rejected => declined(&reason),
            PostStatus::Error => Err(self.retry_later(format!("it could not take the order: {reason}"))),
        }
    }

    fn track(&self, intent: B256, id: String) {
        let mut submitted = self.submitted.lock();
        if submitted.len() >= MAX_TRACKED_ORDERS {
            submitted.clear();
        }
        submitted.insert(intent, (id, Instant::now()));
    }

    /// The solver's id of an order whose status is due for polling.
    fn take_due(&self, intent: B256) -> Option<String> {
        let mut submitted = self.submitted.lock();
        let (id, polled_at) = submitted.get_mut(&intent)?;
        if polled_at.elapsed() < STATUS_POLL_INTERVAL {
            return None;
        }
        *polled_at = Instant::now();
        Some(id.clone())
    }
}

#[async_trait]
impl OrderExecutor for OifExecutor {
    fn name(&self) -> &str {
        &self.config.name
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    /// Submission is retried until the solver answers or the fill deadline passes.
    async fn decide(&self, order: &Order, _: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        if !self.keys.have_sealed(&order.terms) {
            // Anybody can open an order that names the solver; only orders that we quoted are submitted.
            return Ok((Decision::Waive, Some("These terms were never quoted.".to_owned())));
        }
        if self.config.submit { self.submit(order).await } else { Ok((Decision::Fill, None)) }
    }

    /// The solver fills by itself and the chain shows it; a failure that it reports is passed on.
    async fn fill(&self, order: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        let Some(id) = self.take_due(order.intent_id) else { return Ok(Progress::Waiting) };
        let answer = self.client.order(&id, DEADLINE).await.map_err(|error| self.retry_later(error))?;
        let answer: GetOrderResponse =
            serde_json::from_slice(&answer).map_err(|error| self.retry_later(error))?;
        match answer.status().as_str() {
            "failed" | "refunded" => Err(self.retry_later("it reports that it could not fill the order")),
            _ => Ok(Progress::Waiting),
        }
    }

    /// Only the solver's own key can refund early. After the deadline the deposit is refunded without it.
    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Err(self.retry_later("the solver refunds the deposit itself, or the deadline does"))
    }

    /// The solver claims by itself; the chain shows it.
    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, order: &Order) -> Result<(), ActionError> {
        self.submitted.lock().remove(&order.intent_id);
        Ok(())
    }
}
