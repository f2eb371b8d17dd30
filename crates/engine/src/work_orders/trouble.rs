use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use causeway_domain::ports::{DeedError, OrderReview, Trouble, TroubleKind};
use causeway_domain::{OrderId, Todo};
use jiff::Timestamp;
use tokio::time::Instant;

/// Words that change at every try are written no more often than this.
const SELDOM: Duration = Duration::from_secs(10);

/// The longest words that are kept.
const LONGEST: usize = 600;

/// Of so many orders it is remembered what was written; of more, some is written again.
const MOST: usize = 10_000;

/// What was last written of each order, so that trying again and again writes nothing.
#[derive(Default)]
pub(super) struct Troubles {
    review: Option<Arc<dyn OrderReview>>,
    written: Mutex<HashMap<OrderId, (String, Instant)>>,
}

impl fmt::Debug for Troubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Troubles").finish_non_exhaustive()
    }
}

impl Troubles {
    pub(super) fn new(review: Arc<dyn OrderReview>) -> Self {
        Self { review: Some(review), written: Mutex::default() }
    }

    /// Writes down what kept the order from moving in this look, or that nothing does any more, where that is news.
    pub(super) async fn note(&self, order: &OrderId, trouble: Option<(&Todo, &DeedError)>, now: Timestamp) {
        let Some(review) = &self.review else { return };
        let trouble = trouble.map(|(todo, error)| Trouble {
            kind: error.into(),
            words: format!("{}: {error}", doing(todo)).chars().take(LONGEST).collect(),
            since: now,
        });
        // The store's own trouble cannot be written to it.
        let unwritable = trouble.as_ref().is_some_and(|trouble| trouble.kind == TroubleKind::Store);
        if unwritable || !self.is_news(order, trouble.as_ref()) {
            return;
        }
        if let Err(error) = review.note_trouble(order, trouble.as_ref()).await {
            tracing::debug!(%order, %error, "what keeps an order from moving could not be written");
        }
    }

    fn is_news(&self, order: &OrderId, trouble: Option<&Trouble>) -> bool {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(trouble) = trouble else { return written.remove(order).is_some() };
        let known = written.get(order);
        if known.is_some_and(|(words, at)| *words == trouble.words || at.elapsed() < SELDOM) {
            return false;
        }
        if written.len() >= MOST {
            written.clear();
        }
        written.insert(order.clone(), (trouble.words.clone(), Instant::now()));
        true
    }
}

/// What was being done, for people.
const fn doing(todo: &Todo) -> &'static str {
    match todo {
        Todo::BringDeposit => "bringing the signed deposit to the chain",
        Todo::Sweep => "moving what came to the deposit address into the escrow",
        Todo::GiveBack { .. } => "returning what is left at the deposit address",
        Todo::AskFiller => "asking the filler whether it delivers",
        Todo::Fill => "delivering",
        Todo::Refund(_) => "giving the deposit back",
        Todo::Claim => "having the filler paid",
        Todo::Release => "freeing what the filler has set aside",
    }
}
