use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{DeedError, Hand, Progress};
use causeway_domain::{Address, ChainId, Decision, Order, QuoteKeys};
use jiff::Timestamp;
use tokio::time::Instant;

use super::address::interoperable;
use super::config::OifConfig;
use super::envelope::open_calldata;
use super::filler::OifFiller;
use super::line::{Line, LineError};
use super::quotes::{LONGEST_NAME, QuoteNames};
use super::read_quotes::tidy;
use super::wire::{
    Bytes, Checks, GetOrderResponse, OpenIntentTx, OriginSubmission, PostOrderRequest, PostOrderResponse,
    PostStatus, USER_OPEN, UserOpenOrder,
};

/// How long a solver has to take an order, or to tell of one.
const DEADLINE: Duration = Duration::from_secs(10);

/// How often a solver is asked how an order does, and how many orders are asked for: the chain tells it all the same.
const ASK_EVERY: Duration = Duration::from_secs(30);
const MOST_ASKED: usize = 10_000;

/// What opening an order costs at most; it is over, and the document wants a figure.
const OPEN_GAS: &str = "150000";

/// The hand of an [`OifFiller`]: tells the solver of its orders, and leaves the rest to it and the chains.
pub struct OifHand {
    config: OifConfig,
    line: Arc<Line>,
    names: Arc<QuoteNames>,
    keys: QuoteKeys,
    /// The solver's own names of orders, and when it was last asked for each. Lost with the process, like its use.
    submitted: Mutex<HashMap<B256, (String, Instant)>>,
}

impl fmt::Debug for OifHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OifHand").field("config", &self.config).finish_non_exhaustive()
    }
}

impl OifHand {
    /// `keys` tell which terms we have quoted.
    pub fn new(filler: &OifFiller, keys: QuoteKeys) -> Self {
        Self {
            config: filler.config.clone(),
            line: Arc::clone(&filler.line),
            names: Arc::clone(&filler.names),
            keys,
            submitted: Mutex::default(),
        }
    }

    fn later(&self, words: impl fmt::Display) -> DeedError {
        DeedError::Later(format!("the solver {}: {words}", self.config.name))
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
            // The user has opened the order itself, so nobody signs for it.
            signature: bytes(Vec::new()),
            quote_id: self.names.find(terms),
            origin_submission: OriginSubmission { mode: "user" },
        })
    }

    /// Tells the solver, as often as it takes: it knows an order again by its terms.
    async fn submit(&self, order: &Order) -> Result<(Decision, Option<String>), DeedError> {
        let request = self.request(order);
        let request =
            request.ok_or_else(|| DeedError::Never("the order's escrow lies on no EVM chain".to_owned()))?;
        let body = serde_json::to_vec(&request).map_err(|error| self.later(error))?;
        let declined =
            |words: &str| Ok((Decision::Waive, Some(format!("The solver declined the order: {words}"))));
        let body = match self.line.submit(body, DEADLINE).await {
            Ok(body) => body,
            Err(LineError::Declined(words)) => return declined(&words),
            Err(error) => return Err(self.later(error)),
        };
        let answer: PostOrderResponse = serde_json::from_slice(&body).map_err(|error| self.later(error))?;
        let message = tidy(answer.message.as_deref().unwrap_or_default());
        match answer.status {
            PostStatus::Received => {
                if let Some(name) = answer.order_id.filter(|name| name.len() <= LONGEST_NAME) {
                    self.remember(order.intent, name);
                }
                Ok((Decision::Fill, None))
            }
            PostStatus::Rejected if message.is_empty() => declined("it gives no reason"),
            PostStatus::Rejected => declined(&message),
            PostStatus::Error => Err(self.later(format!("it could not take the order: {message}"))),
        }
    }

    fn remember(&self, intent: B256, name: String) {
        let mut submitted = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        if submitted.len() >= MOST_ASKED {
            submitted.clear();
        }
        submitted.insert(intent, (name, Instant::now()));
    }

    /// The solver's name of an order that it is time to ask for.
    fn due(&self, intent: B256) -> Option<String> {
        let mut submitted = self.submitted.lock().unwrap_or_else(PoisonError::into_inner);
        let (name, asked) = submitted.get_mut(&intent)?;
        if asked.elapsed() < ASK_EVERY {
            return None;
        }
        *asked = Instant::now();
        Some(name.clone())
    }
}

#[async_trait]
impl Hand for OifHand {
    fn name(&self) -> &str {
        &self.config.name
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), DeedError> {
        Ok(())
    }

    /// What nobody answers to is asked again; the fill deadline ends that.
    async fn decide(&self, order: &Order, _: Timestamp) -> Result<(Decision, Option<String>), DeedError> {
        if !self.keys.have_sealed(&order.terms) {
            // Anybody may open an order that names the solver; we vouch for those alone that we have quoted.
            return Ok((Decision::Waive, Some("These terms were never quoted.".to_owned())));
        }
        if self.config.submit { self.submit(order).await } else { Ok((Decision::Fill, None)) }
    }

    /// The solver delivers by itself and the chain shows it; what it says of a failure is passed on.
    async fn fill(&self, order: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        let Some(name) = self.due(order.intent) else { return Ok(Progress::Waiting) };
        let answer = self.line.order(&name, DEADLINE).await.map_err(|error| self.later(error))?;
        let answer: GetOrderResponse = serde_json::from_slice(&answer).map_err(|error| self.later(error))?;
        match answer.status().as_str() {
            "failed" | "refunded" => Err(self.later("it says that it could not fill the order")),
            _ => Ok(Progress::Waiting),
        }
    }

    /// Only the solver's own key gives back early. After the deadline the deposit goes back without it.
    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Err(self.later("it gives the deposit back by itself, or the deadline does"))
    }

    /// The solver claims by itself; the chain shows it.
    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, order: &Order) -> Result<(), DeedError> {
        self.submitted.lock().unwrap_or_else(PoisonError::into_inner).remove(&order.intent);
        Ok(())
    }
}
