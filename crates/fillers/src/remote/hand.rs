use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::{DeedError, Filler as _, Hand, Progress};
use causeway_domain::{Decision, Order, QuoteKeys};
use jiff::Timestamp;

use super::filler::RemoteFiller;
use super::line::{CallKind, Line};
use super::protocol::{DepositBody, OrderAnswer, OrderNotice, TermsBody, Verdict};
use super::read_answer::tidy;

/// How long a filler has to take an order.
const DEADLINE: Duration = Duration::from_secs(10);

/// The hand of a [`RemoteFiller`]: tells it of its orders, and leaves the rest to it and the chains.
pub struct RemoteHand {
    name: String,
    line: Arc<Line>,
    /// Of the service, without a slash at its end.
    public_url: String,
    keys: QuoteKeys,
}

impl RemoteHand {
    /// `public_url` is where the filler reaches the service; `keys` tell which terms we have quoted.
    pub fn new(filler: &RemoteFiller, public_url: &str, keys: QuoteKeys) -> Self {
        let public_url = public_url.trim_end_matches('/').to_owned();
        Self { name: filler.name().to_owned(), line: Arc::clone(&filler.line), public_url, keys }
    }

    fn notice(&self, order: &Order) -> Option<OrderNotice> {
        let deposit = order.evidence.deposit.as_ref()?;
        Some(OrderNotice {
            order_id: order.id.to_string(),
            intent_id: order.intent.to_string(),
            terms: TermsBody::from(&order.terms),
            deposit: DepositBody {
                chain_id: deposit.chain.get(),
                tx_hash: deposit.tx.clone(),
                block: deposit.block,
            },
            valid_before: order.valid_before.to_string(),
            attestations: format!("{}/v1/intent/{}/attestations", self.public_url, order.intent),
        })
    }

    /// Tells the filler, as often as it takes: it knows an order again.
    async fn tell(&self, order: &Order) -> Result<OrderAnswer, DeedError> {
        let later = |words: &dyn fmt::Display| DeedError::Later(format!("the filler {}: {words}", self.name));
        let notice = self.notice(order).ok_or_else(|| later(&"it is told once the deposit stands"))?;
        let body = serde_json::to_vec(&notice).map_err(|error| later(&error))?;
        let answer = self.line.call(CallKind::Order, body, DEADLINE).await;
        let answer = answer.map_err(|error| later(&error))?;
        serde_json::from_slice(&answer).map_err(|error| later(&error))
    }
}

impl fmt::Debug for RemoteHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteHand")
            .field("name", &self.name)
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Hand for RemoteHand {
    fn name(&self) -> &str {
        &self.name
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
            // Anybody may open an order that names the filler; we vouch for those alone that we have quoted.
            return Ok((Decision::Waive, Some("These terms were never quoted.".to_owned())));
        }
        let OrderAnswer { status, reason } = self.tell(order).await?;
        Ok(match status {
            Verdict::Accepted => (Decision::Fill, None),
            Verdict::Declined => {
                let words = reason.map(|reason| tidy(&reason)).filter(|reason| !reason.is_empty());
                let words = words.map_or_else(
                    || "The filler declined the order.".to_owned(),
                    |words| format!("The filler declined the order: {words}"),
                );
                (Decision::Waive, Some(words))
            }
        })
    }

    /// The filler delivers by itself; the chain shows it.
    async fn fill(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    /// Only the filler's own key gives back early. After the deadline the deposit goes back without it.
    async fn waive(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        let words =
            format!("the filler {} gives the deposit back by itself, or the deadline does", self.name);
        Err(DeedError::Later(words))
    }

    /// The filler claims by itself; the chain shows it.
    async fn claim(&self, _: &Order, _: Timestamp) -> Result<Progress, DeedError> {
        Ok(Progress::Waiting)
    }

    async fn release(&self, _: &Order) -> Result<(), DeedError> {
        Ok(())
    }
}
