//! Whether an address that is paid on one chain is a contract on the other and nobody here. A contract's address is worth
//! nothing where it is not deployed; an account with a key is the same everywhere.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::{AccountKind, DepositBuilder};
use causeway_domain::{Address, ChainId, Family};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::{Mutex, RwLock};
use tokio::time::{Instant, timeout_at};

use super::Payees;
use crate::call_limit::CallLimit;

/// How long a quote waits for what is not known yet.
const QUOTE_WAIT: Duration = Duration::from_millis(150);

/// How long a build does.
const BUILD_WAIT: Duration = Duration::from_secs(3);

/// How long an answer is used.
const TTL: Duration = Duration::from_mins(1);

const MAX_KNOWN: usize = 50_000;

type Reading = Shared<BoxFuture<'static, Option<AccountKind>>>;

/// Who waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Not for long, and the calls are limited.
    Quote,
    Build,
}

/// Which addresses are contracts on the other chain and nobody on the chain of payment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    pub(super) recipient: bool,
    pub(super) refund_to: bool,
}

/// Reads what is at addresses, and remembers it for a while.
pub(super) struct AccountReader {
    builders: HashMap<ChainId, Arc<dyn DepositBuilder>>,
    known: RwLock<HashMap<(ChainId, Address), Entry>>,
    limit: Mutex<CallLimit>,
}

struct Entry {
    at: Instant,
    reading: Reading,
}

impl fmt::Debug for AccountReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountReader").field("chains", &self.builders.len()).finish_non_exhaustive()
    }
}

/// What is being read for one quote or build.
pub(crate) struct AccountCheck {
    recipient: Option<Pair>,
    refund_to: Option<Pair>,
    until: Instant,
}

/// One address on the chain where it is paid, and on the other.
struct Pair {
    here: Reading,
    there: Reading,
}

impl AccountReader {
    pub(super) fn new(builders: &HashMap<ChainId, Arc<dyn DepositBuilder>>) -> Self {
        let evm = builders.iter().filter(|(chain, _)| chain.family() == Family::Evm);
        let builders = evm.map(|(chain, builder)| (*chain, Arc::clone(builder))).collect();
        Self { builders, known: RwLock::default(), limit: Mutex::default() }
    }

    /// Looks up both addresses on both chains, or begins to read them.
    pub(super) fn begin(&self, payees: Payees, patience: Patience) -> AccountCheck {
        let (from, to) = (payees.from.chain(), payees.to.chain());
        let now = Instant::now();
        let pair = |address, here, there| {
            Some(Pair {
                here: self.reading(here, address, patience, now)?,
                there: self.reading(there, address, patience, now)?,
            })
        };
        let is_comparable = from != to && [from, to].iter().all(|chain| self.builders.contains_key(chain));
        let (recipient, refund_to) = if is_comparable {
            (pair(payees.recipient, to, from), pair(payees.refund_to, from, to))
        } else {
            (None, None)
        };
        let wait = match patience {
            Patience::Quote => QUOTE_WAIT,
            Patience::Build => BUILD_WAIT,
        };
        AccountCheck { recipient, refund_to, until: now + wait }
    }

    /// `None` where too many calls have begun.
    fn reading(&self, chain: ChainId, address: Address, patience: Patience, now: Instant) -> Option<Reading> {
        let key = (chain, address);
        let is_fresh = |entry: &&Entry| {
            // A failed reading is repeated.
            now.duration_since(entry.at) < TTL && entry.reading.peek() != Some(&None)
        };
        if let Some(entry) = self.known.read().get(&key).filter(is_fresh) {
            return Some(entry.reading.clone());
        }
        if patience == Patience::Quote && !self.limit.lock().may_begin(chain, now) {
            return None;
        }
        let builder = Arc::clone(self.builders.get(&chain)?);
        let reading = read(builder, address).boxed().shared();
        // It goes on where nobody waits for it, for those that follow.
        tokio::spawn(reading.clone());
        let mut known = self.known.write();
        if known.len() >= MAX_KNOWN {
            known.retain(|_, entry| now.duration_since(entry.at) < TTL);
        }
        if known.len() < MAX_KNOWN {
            known.insert(key, Entry { at: now, reading: reading.clone() });
        }
        Some(reading)
    }
}

impl AccountCheck {
    /// Waits for what is being read, within the patience of whoever asked.
    pub(crate) async fn settle(&self) -> Elsewhere {
        let is_elsewhere = async |pair: &Option<Pair>| match pair {
            Some(pair) => pair.is_elsewhere(self.until).await,
            None => false,
        };
        Elsewhere {
            recipient: is_elsewhere(&self.recipient).await,
            refund_to: is_elsewhere(&self.refund_to).await,
        }
    }
}

impl Pair {
    async fn is_elsewhere(&self, until: Instant) -> bool {
        kind(&self.here, until).await == Some(AccountKind::NoCode)
            && kind(&self.there, until).await == Some(AccountKind::Contract)
    }
}

async fn kind(reading: &Reading, until: Instant) -> Option<AccountKind> {
    match reading.peek() {
        Some(known) => *known,
        None => timeout_at(until, reading.clone()).await.ok().flatten(),
    }
}

async fn read(builder: Arc<dyn DepositBuilder>, address: Address) -> Option<AccountKind> {
    builder.account_kind(address).await.unwrap_or_else(|error| {
        tracing::debug!(chain = %builder.chain(), %error, "the code of an address could not be read");
        None
    })
}
