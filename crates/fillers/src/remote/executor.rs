use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{ActionError, Filler as _, OrderExecutor, Progress};
use causeway_domain::{Decision, Order, QuoteKeys};
use jiff::Timestamp;

use super::client::{CallKind, SignedHttpClient};
use super::filler::RemoteFiller;
use super::protocol::{DepositBody, OrderAnswer, OrderNotice, TermsBody, Verdict};
use super::read_answer::sanitize;

/// Timeout of an order notice.
const DEADLINE: Duration = Duration::from_secs(10);

/// Executes the orders of a [`RemoteFiller`]: notifies it of them; it fills, refunds and claims on the chains by itself.
pub struct RemoteExecutor {
    name: String,
    client: Arc<SignedHttpClient>,
    /// Of the service, without a trailing slash.
    public_url: String,
    keys: QuoteKeys,
}

impl RemoteExecutor {
    /// `public_url` is where the filler reaches the service; `keys` recognize the terms that we quoted.
    pub fn new(filler: &RemoteFiller, public_url: &str, keys: QuoteKeys) -> Self {
        let public_url = public_url.trim_end_matches('/').to_owned();
        Self { name: filler.name().to_owned(), client: Arc::clone(&filler.client), public_url, keys }
    }

    fn notice(&self, order: &Order) -> Option<OrderNotice> {
        let deposit = order.evidence.deposit.as_ref()?;
        Some(OrderNotice {
            order_id: order.id.to_string(),
            intent_id: order.intent_id.to_string(),
            terms: TermsBody::from(&order.terms),
            deposit: DepositBody {
                chain_id: deposit.chain.get(),
                tx_hash: deposit.tx.clone(),
                block: deposit.block,
            },
            valid_before: order.valid_before.to_string(),
            attestations: format!("{}/v1/intent/{}/attestations", self.public_url, order.intent_id),
        })
    }

    /// Notifies the filler. Repeating it is safe: the filler gives the same answer to the same order.
    async fn notify(&self, order: &Order) -> Result<OrderAnswer, ActionError> {
        let retry_later =
            |reason: &dyn fmt::Display| ActionError::Temporary(format!("the filler {}: {reason}", self.name));
        let notice = self.notice(order).ok_or_else(|| retry_later(&"the deposit is not final yet"))?;
        let body = serde_json::to_vec(&notice).map_err(|error| retry_later(&error))?;
        let answer = self.client.call(CallKind::Order, body, DEADLINE).await;
        let answer = answer.map_err(|error| retry_later(&error))?;
        serde_json::from_slice(&answer).map_err(|error| retry_later(&error))
    }
}

impl fmt::Debug for RemoteExecutor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteExecutor")
            .field("name", &self.name)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl OrderExecutor for RemoteExecutor {
    fn name(&self) -> &str {
        &self.name
    }

    async fn hold(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    async fn reserve(&self, _: &Order, _: Timestamp) -> Result<(), ActionError> {
        Ok(())
    }

    /// The notice is repeated until the filler answers or the fill deadline passes.
    async fn decide(&self, order: &Order, _: Timestamp) -> Result<(Decision, Option<String>), ActionError> {
        if !self.keys.have_sealed(&order.terms) {
            // Anybody can open an order that names the filler; only orders that we quoted are passed on.
            return Ok((Decision::Waive, Some("These terms were never quoted.".to_owned())));
        }
        let OrderAnswer { status, reason } = self.notify(order).await?;
        Ok(match status {
            Verdict::Accepted => (Decision::Fill, None),
            Verdict::Declined => {
                let reason = reason.map(|reason| sanitize(&reason)).filter(|reason| !reason.is_empty());
                let reason = reason.map_or_else(
                    || "The filler declined the order.".to_owned(),
                    |reason| format!("The filler declined the order: {reason}"),
                );
                (Decision::Waive, Some(reason))
            }
        })
    }

    /// The filler fills by itself; the chain shows it.
    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    /// Only the filler's own key can refund early. After the deadline the deposit is refunded without it.
    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        let reason = format!("the filler {} refunds the deposit itself, or the deadline does", self.name);
        Err(ActionError::Temporary(reason))
    }

    /// The filler claims by itself; the chain shows it.
    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, ActionError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), ActionError> {
        Ok(())
    }
}
