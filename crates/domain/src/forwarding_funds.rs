use alloy_primitives::U256;
use jiff::{SignedDuration, Timestamp};

use crate::{Address, ForwardingOrder, Order, OrderId, OrderStatus, RawAmount, RouteId, TokenId};

/// Less than 1/100 of the expected amount is dust, not a payment.
const DUST_DIVISOR: U256 = U256::from_limbs([100, 0, 0, 0]);

/// Until the provider says that it was paid, less than 1/2 of the expected amount may be a stranger's.
const PLAUSIBLE_DIVISOR: U256 = U256::from_limbs([2, 0, 0, 0]);

/// No swap is opened within this many seconds before expiry, because the chain would reject it.
const EXPIRY_MARGIN: u64 = 600;

/// How long after its expiry a forwarding address is watched.
const WATCHED_AFTER_EXPIRY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A forwarding order with its plan, fixed before the payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForwardingPlan {
    pub order: ForwardingOrder,
    /// Where the provider delivers.
    pub address: Address,
    /// The filler and route that the payer chose, preferred when the funds arrive.
    pub filler: String,
    pub route: RouteId,
    /// The swap that took the funds.
    pub swap: Option<OrderId>,
    /// The transaction that returned funds from the address.
    pub returned_tx: Option<String>,
}

impl ForwardingPlan {
    /// Until when the forwarding address is watched.
    pub fn watched_until(&self) -> Option<Timestamp> {
        let expiry = i64::try_from(self.order.expiry).ok()?;
        Timestamp::from_second(expiry).ok()?.checked_add(WATCHED_AFTER_EXPIRY).ok()
    }
}

/// The balance of a forwarding address as of a final block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForwardingBalance {
    pub block: u64,
    /// In the token that is forwarded.
    pub amount: RawAmount,
    /// Other tokens with a non-zero balance.
    pub others: Vec<TokenId>,
}

/// What is to be done with the funds of a forwarding address. Every action is idempotent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForwardingAction {
    /// Requote the balance of the forwarding address and create the swap.
    Swap { amount: RawAmount, seen_in: u64 },
    /// Send the balance of the forwarding address to its refund address.
    ReturnBalance { tokens: Vec<TokenId>, seen_in: u64 },
}

/// What swaps have taken from a forwarding address.
#[derive(Default)]
pub(crate) struct Taken {
    /// Under way: deposited, neither filled nor refunded.
    pub(crate) pending: U256,
    pub(crate) filled: U256,
    pub(crate) refunded: U256,
    /// What the recipient got for it, and the newest transaction.
    pub(crate) output: U256,
    pub(crate) fill_tx: Option<String>,
    /// The newest block of a deposit.
    block: Option<u64>,
}

impl Taken {
    pub(crate) fn of(swaps: &[Order]) -> Self {
        let mut taken = Self::default();
        for swap in swaps {
            let Some(deposit) = &swap.evidence.deposit else { continue };
            taken.block = taken.block.max(Some(deposit.block));
            let amount = swap.terms.amount_in;
            match (&swap.evidence.fill, &swap.evidence.refund) {
                (Some(fill), _) => {
                    taken.filled = taken.filled.saturating_add(amount);
                    taken.output = taken.output.saturating_add(fill.amount.get());
                    taken.fill_tx = Some(fill.tx.clone());
                }
                (None, Some(_)) => taken.refunded = taken.refunded.saturating_add(amount),
                (None, None) => taken.pending = taken.pending.saturating_add(amount),
            }
        }
        taken
    }

    pub(crate) const fn swapped(&self) -> U256 {
        self.pending.saturating_add(self.filled)
    }
}

/// The oldest swap whose deposit is on chain.
pub(crate) fn opened(swaps: &[Order]) -> Option<&Order> {
    swaps.iter().find(|swap| swap.evidence.deposit.is_some())
}

/// The swap that took the funds, else the newest one.
pub(crate) fn swap_of(swaps: &[Order]) -> Option<&Order> {
    opened(swaps).or(swaps.last())
}

/// Whether an amount may be the provider's although nobody says so. Anybody can send less.
pub(crate) fn is_plausible(expected: RawAmount, amount: U256) -> bool {
    !amount.is_zero() && amount >= expected.get() / PLAUSIBLE_DIVISOR
}

/// How far those are who wait for the funds of a forwarding address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FundsStage {
    /// The funds are awaited or swapped.
    Open,
    /// It ended before any funds came. Late funds are still swapped.
    EndedUnpaid,
    /// Nothing is waited for any more: all that comes is returned.
    Over,
}

/// The funds of one forwarding address, and what their owner waits for (rule 21).
pub(crate) struct ForwardingFunds<'a> {
    pub(crate) order: &'a ForwardingOrder,
    pub(crate) token: TokenId,
    /// What should arrive, and how much of it is enough.
    pub(crate) expected: RawAmount,
    pub(crate) enough: U256,
    /// Only so much or more is swapped. What is less waits for the rest until the forwarding order is about to expire.
    pub(crate) whole: Option<U256>,
    pub(crate) stage: FundsStage,
    /// Whether the provider was paid, or names the payout: then every part of the balance is the provider's.
    pub(crate) is_paid: bool,
    /// Since when funds wait for a route.
    pub(crate) waits_since: Option<Timestamp>,
    pub(crate) balance: &'a ForwardingBalance,
    /// Timestamp of the newest final block of the forwarding address's chain.
    pub(crate) hub_time: Option<u64>,
    pub(crate) swaps: &'a [Order],
    pub(crate) now: Timestamp,
    pub(crate) patience: SignedDuration,
}

impl ForwardingFunds<'_> {
    /// What is to be done with the balance now.
    pub(crate) fn actions(&self) -> Vec<ForwardingAction> {
        let taken = Taken::of(self.swaps);
        if self.stage == FundsStage::Over || taken.swapped() >= self.enough {
            return self.returned(&taken);
        }
        let is_payment = self.is_payment(&taken);
        if !self.is_fresh(&taken) || is_payment && self.has_open_swap() {
            return Vec::new();
        }
        // Until the end, a stranger's cents wait: returned now, they would make a late payment look like a second one.
        let has_ended = self.stage != FundsStage::Open;
        if self.is_late() && (is_payment || has_ended || self.whole.is_some())
            || is_payment && self.waited_long()
        {
            return self.returned(&taken);
        }
        let held = self.balance.amount;
        if !is_payment || self.whole.is_some_and(|whole| held.get() < whole) {
            return Vec::new();
        }
        vec![ForwardingAction::Swap { amount: held, seen_in: self.balance.block }]
    }

    /// Whether the balance is the provider's. Once the provider was paid, or names the payout, every part of it is.
    pub(crate) fn is_payment(&self, taken: &Taken) -> bool {
        let held = self.balance.amount.get();
        let whole = held.saturating_add(taken.swapped());
        !held.is_zero()
            && held >= self.expected.get() / DUST_DIVISOR
            && (self.is_paid || is_plausible(self.expected, whole))
    }

    /// Whether a swap may still take the balance, or most of it: what came since it was quoted waits until it has. Otherwise
    /// anybody could hold it up with small payments, for each of which a new swap would be needed.
    fn has_open_swap(&self) -> bool {
        let in_time = |swap: &Order| self.hub_time.is_none_or(|time| time <= swap.terms.open_deadline);
        let waits = |swap: &Order| swap.status == OrderStatus::Created && swap.evidence.deposit.is_none();
        self.swaps
            .iter()
            .any(|swap| waits(swap) && swap.terms.amount_in <= self.balance.amount.get() && in_time(swap))
    }

    /// Returns what no swap needs.
    fn returned(&self, taken: &Taken) -> Vec<ForwardingAction> {
        let balance = self.balance;
        let input = (!balance.amount.is_zero()).then_some(self.token);
        let tokens: Vec<TokenId> = input.into_iter().chain(balance.others.iter().copied()).collect();
        if !self.is_fresh(taken) || tokens.is_empty() {
            return Vec::new();
        }
        vec![ForwardingAction::ReturnBalance { tokens, seen_in: balance.block }]
    }

    /// A balance read before a deposit says nothing about what is left. Balances are read at the end of a block.
    fn is_fresh(&self, taken: &Taken) -> bool {
        taken.block.is_none_or(|deposit| self.balance.block >= deposit)
    }

    /// Whether the forwarding order is about to expire.
    fn is_late(&self) -> bool {
        let now = self.hub_time.unwrap_or_else(|| self.now.as_second().try_into().unwrap_or(u64::MAX));
        now.saturating_add(EXPIRY_MARGIN) > self.order.expiry
    }

    /// Whether the funds have waited for a route for too long, counted from when they were first seen: slow bank transfers must
    /// not use up the patience. What follows a first part waits until the forwarding order is about to expire.
    fn waited_long(&self) -> bool {
        let waited = self.waits_since.is_some_and(|since| self.now.duration_since(since) > self.patience);
        waited && opened(self.swaps).is_none()
    }
}
