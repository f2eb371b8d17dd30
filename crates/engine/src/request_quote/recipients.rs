//! Whether the recipient of a quote can be paid (rule 25). Only native coin calls whoever is paid, so only its payments are
//! simulated. A quote never waits for a node for long: the answer is remembered, its absence stops nothing, and a build
//! simulates the fill itself.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{DepositBuilder, PaymentCheck};
use causeway_domain::{Address, ChainId, Family, TokenId};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout};

use crate::call_limit::CallLimit;

/// How long a quote waits for a simulation that is not known yet.
pub(super) const WAIT: Duration = Duration::from_millis(150);

/// How long an answer is used.
pub(super) const TTL: Duration = Duration::from_secs(30);

const MAX_KNOWN: usize = 20_000;

type Simulation = Shared<BoxFuture<'static, Option<PaymentCheck>>>;

/// Why the recipient cannot be paid; `None` where it can, or where that is not known.
type Unpayable = Option<String>;

/// The state of the check of one quote.
#[derive(Clone)]
pub(super) enum Check {
    Known(Unpayable),
    /// Answers after [`WAIT`] at the latest.
    Pending(Shared<BoxFuture<'static, Unpayable>>),
}

/// Simulates payments of native coin to recipients, and remembers the answers for a while.
#[derive(Default)]
pub(super) struct RecipientChecks {
    builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: HashMap<(ChainId, Address), Entry>,
    limit: CallLimit,
}

struct Entry {
    amount: U256,
    at: Instant,
    simulation: Simulation,
}

impl fmt::Debug for RecipientChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecipientChecks").field("chains", &self.builders.len()).finish_non_exhaustive()
    }
}

impl RecipientChecks {
    pub(super) fn new(mut builders: HashMap<ChainId, Arc<dyn DepositBuilder>>) -> Self {
        // Elsewhere a payment calls nobody.
        builders.retain(|chain, _| chain.family() == Family::Evm);
        Self { builders, state: Mutex::default() }
    }

    /// Looks up whether the recipient takes this amount, or begins to simulate it.
    pub(super) fn begin(&self, token: TokenId, recipient: Address, amount: U256) -> Check {
        let chain = token.chain();
        let Some(builder) = self.builders.get(&chain).filter(|_| token.is_native()) else {
            return Check::Known(None);
        };
        let now = Instant::now();
        let mut state = self.state.lock();
        let entry = state.known.get(&(chain, recipient));
        if let Some(entry) = entry.filter(|entry| now.duration_since(entry.at) < TTL) {
            let is_same = entry.amount == amount;
            match entry.simulation.peek() {
                Some(known) if is_same || *known == Some(PaymentCheck::NoCode) => {
                    return Check::Known(unpayable(known.clone(), is_same));
                }
                None => return pending(entry.simulation.clone(), is_same),
                // A contract may take one amount and not another.
                Some(_) => {}
            }
        }
        if !state.may_begin(chain, now) {
            return Check::Known(None);
        }
        let simulation = simulate(Arc::clone(builder), recipient, amount).boxed().shared();
        // It goes on where the quote does not wait for it, for those that follow.
        tokio::spawn(simulation.clone());
        let entry = Entry { amount, at: now, simulation: simulation.clone() };
        state.known.insert((chain, recipient), entry);
        pending(simulation, true)
    }
}

impl State {
    /// Counts a simulation, unless there are too many.
    fn may_begin(&mut self, chain: ChainId, now: Instant) -> bool {
        if self.known.len() >= MAX_KNOWN {
            self.known.retain(|_, entry| now.duration_since(entry.at) < TTL);
        }
        self.limit.may_begin(chain, now) && self.known.len() < MAX_KNOWN
    }
}

async fn simulate(
    builder: Arc<dyn DepositBuilder>,
    recipient: Address,
    amount: U256,
) -> Option<PaymentCheck> {
    builder.simulate_payment(recipient, amount).await.unwrap_or_else(|error| {
        tracing::debug!(chain = %builder.chain(), %error, "a payment to a recipient could not be simulated");
        None
    })
}

fn pending(simulation: Simulation, is_same: bool) -> Check {
    let waiting = timeout(WAIT, simulation);
    Check::Pending(waiting.map(move |known| unpayable(known.ok().flatten(), is_same)).boxed().shared())
}

/// A refusal of another amount says nothing.
fn unpayable(known: Option<PaymentCheck>, is_same: bool) -> Unpayable {
    match known {
        Some(PaymentCheck::Refuses(reason)) if is_same => Some(reason),
        _ => None,
    }
}
