use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

use causeway_domain::ports::{OrderStore, StoreError};
use causeway_domain::{Address, DepositMethod, Order, OrderId, OrderStatus};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use super::BuildError;
use super::timing::moment;

/// How many builds one payer, and one client, may have that nobody has paid. A build costs its caller nothing and keeps us
/// busy until its deadline: it reserves funds, and its deposit address is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpaidLimits {
    pub per_payer: usize,
    /// By network address; whoever calls from this machine has no limit.
    pub per_client: usize,
}

impl Default for UnpaidLimits {
    fn default() -> Self {
        Self { per_payer: 50, per_client: 1_000 }
    }
}

/// How long a wallet's build counts at most. Where the wallet has hours for the deposit, nothing of ours is kept busy for it meanwhile,
/// and whoever builds in a payer's name must not shut that payer out for hours.
const WALLET_COUNTS: SignedDuration = SignedDuration::from_mins(15);

/// How many builds are looked up, oldest first, before one more is refused.
const LOOKUPS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Whose {
    Payer(Address),
    Client(IpAddr),
}

/// The builds of each payer and client until their deadline. Each process counts its own.
#[derive(Debug, Default)]
pub(super) struct UnpaidBuilds {
    limits: UnpaidLimits,
    builds: Mutex<HashMap<Whose, VecDeque<(OrderId, Timestamp)>>>,
}

impl UnpaidBuilds {
    pub(super) fn new(limits: UnpaidLimits) -> Self {
        Self { limits, builds: Mutex::default() }
    }

    fn both(payer: Address, client: Option<IpAddr>) -> impl Iterator<Item = Whose> {
        let client = client.filter(|address| !address.is_loopback()).map(Whose::Client);
        [Whose::Payer(payer)].into_iter().chain(client)
    }

    /// Fails where the payer or the client has too many unpaid builds.
    pub(super) async fn check(
        &self,
        orders: &dyn OrderStore,
        payer: Address,
        client: Option<IpAddr>,
        now: Timestamp,
    ) -> Result<(), BuildError> {
        for whose in Self::both(payer, client) {
            let limit = match whose {
                Whose::Payer(_) => self.limits.per_payer,
                Whose::Client(_) => self.limits.per_client,
            };
            if self.count(whose, now) < limit {
                continue;
            }
            self.forget_paid(orders, whose).await?;
            if self.count(whose, now) >= limit {
                let payer = matches!(whose, Whose::Payer(_));
                return Err(BuildError::TooManyUnpaid { payer, limit });
            }
        }
        Ok(())
    }

    /// How many are left; those past their deadline are forgotten.
    fn count(&self, whose: Whose, now: Timestamp) -> usize {
        let mut builds = self.builds.lock();
        let Some(of) = builds.get_mut(&whose) else { return 0 };
        of.retain(|(_, until)| *until > now);
        let left = of.len();
        if left == 0 {
            builds.remove(&whose);
        }
        left
    }

    /// Looks a few of the oldest up; those that were paid are forgotten, the others come last.
    async fn forget_paid(&self, orders: &dyn OrderStore, whose: Whose) -> Result<(), StoreError> {
        for _ in 0..LOOKUPS {
            let oldest = self.builds.lock().get_mut(&whose).and_then(VecDeque::pop_front);
            let Some((id, until)) = oldest else { return Ok(()) };
            let order = orders.order(&id).await;
            if order.as_ref().is_ok_and(|order| order.as_ref().is_none_or(is_paid)) {
                continue;
            }
            self.builds.lock().entry(whose).or_default().push_back((id, until));
            order?;
        }
        Ok(())
    }

    pub(super) fn add(&self, order: &Order, client: Option<IpAddr>, now: Timestamp) {
        let Some(mut until) = moment(order.terms.open_deadline) else { return };
        // An address is watched until its deadline.
        if order.method != DepositMethod::Transfer {
            until = until.min(now.checked_add(WALLET_COUNTS).unwrap_or(until));
        }
        let mut builds = self.builds.lock();
        // Whoever is gone is forgotten, a few at a time.
        let gone: Vec<Whose> = builds
            .iter()
            .take(LOOKUPS)
            .filter(|(_, of)| of.iter().all(|(_, until)| *until <= now))
            .map(|(whose, _)| *whose)
            .collect();
        for whose in gone {
            builds.remove(&whose);
        }
        for whose in Self::both(order.author, client) {
            builds.entry(whose).or_default().push_back((order.id.clone(), until));
        }
    }
}

/// Whether money has come for it, or is on its way.
fn is_paid(order: &Order) -> bool {
    order.status != OrderStatus::Created
        || order.submitted_tx.is_some()
        || order.signed_payload.is_some()
        || order.evidence.deposit.is_some()
}
