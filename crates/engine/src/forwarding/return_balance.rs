use std::collections::HashMap;
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use causeway_domain::ports::{ActionError, ChainAction, Progress};
use causeway_domain::{ChainId, ForwardingPlan, RawAmount, TokenId};
use jiff::Timestamp;
use parking_lot::Mutex;

use super::{ForwardFunds, ForwardingError};
use crate::return_threshold::ReturnThreshold;

/// How often money is returned from one address: each return costs gas, and anybody can send dust.
const MAX_RETURNS: u32 = 16;

/// How long an address is left alone after a return, because its balance may have been read before the return.
const COOLDOWN: Duration = Duration::from_secs(30);

/// How long entries are remembered; a forgotten one is read again.
const HISTORY_TTL: Duration = Duration::from_hours(1);

/// How often money was returned from each forwarding address, and since when that is known.
#[derive(Debug, Default)]
pub(super) struct ReturnHistory(Mutex<HashMap<B256, (u32, Instant)>>);

impl ReturnHistory {
    /// Whether this number of returns is known for long enough that balances are newer than the last one.
    fn is_settled(&self, forwarding: B256, count: u32) -> bool {
        let mut returns = self.0.lock();
        returns.retain(|_, (_, since)| since.elapsed() < HISTORY_TTL);
        let known = returns.get(&forwarding).filter(|(known, _)| *known == count).map(|(_, since)| *since);
        let since = known.unwrap_or_else(|| {
            returns.insert(forwarding, (count, Instant::now()));
            Instant::now()
        });
        count == 0 || since.elapsed() >= COOLDOWN
    }
}

fn purpose(plan: &ForwardingPlan, time: u32) -> String {
    format!("jumpback:{:#x}:{time}", plan.order.id())
}

impl ForwardFunds {
    /// Returns the balance of a forwarding address to the refund address, with the maker's signature until the forwarding order
    /// expires. What nobody waits for any more is returned only if it is worth its gas. The transaction, once it is confirmed.
    pub(crate) async fn return_balance(
        &self,
        chain: ChainId,
        plan: &ForwardingPlan,
        tokens: &[TokenId],
        has_ended: bool,
    ) -> Result<Option<String>, ForwardingError> {
        if has_ended && !self.is_worth_returning(chain, plan, tokens).await {
            return Ok(None);
        }
        let (Some(signer), Some(relayer)) =
            (self.parts.forwarding_signers.get(&chain), self.parts.relayers.get(&chain))
        else {
            return Err(ActionError::Temporary(format!("no relayer is configured for chain {chain}")).into());
        };
        let id = plan.order.id();
        let time = self.parts.cursors.get(chain).map(|cursor| cursor.time);
        let signature = match time {
            Some(time) if time > plan.order.expiry => None,
            _ => Some(signer.sign_release(id).await?),
        };
        let tokens = tokens.iter().map(TokenId::address).collect();
        let action = ChainAction::ReturnForwarding { forwarding: Box::new(plan.order), tokens, signature };
        let mut returned = 0_u32;
        for time in 1..=MAX_RETURNS {
            let purpose = purpose(plan, time);
            // Money that arrived after the last return needs another one.
            if let Some(Progress::Succeeded(_)) = relayer.progress(&purpose).await? {
                returned = returned.saturating_add(1);
                continue;
            }
            if !self.returns.is_settled(id, returned) {
                return Ok(None);
            }
            match relayer.send(&purpose, &action, Timestamp::now()).await? {
                Progress::Reverted(_) => {}
                Progress::Waiting | Progress::Sent(_) => return Ok(None),
                Progress::Succeeded(tx) => return Ok(Some(tx)),
            }
        }
        Err(ActionError::Permanent(format!(
            "the balance of {} was returned {MAX_RETURNS} times",
            plan.address
        ))
        .into())
    }

    /// The newest final transaction that returned money from the forwarding address; the balance may be empty by then.
    pub(crate) async fn returned(&self, chain: ChainId, plan: &ForwardingPlan) -> Option<String> {
        let relayer = self.parts.relayers.get(&chain)?;
        let mut newest = None;
        for time in 1..=MAX_RETURNS {
            match relayer.progress(&purpose(plan, time)).await {
                Ok(Some(Progress::Succeeded(tx))) => newest = Some(tx),
                Ok(Some(Progress::Reverted(_))) => {}
                _ => break,
            }
        }
        newest
    }

    async fn is_worth_returning(&self, chain: ChainId, plan: &ForwardingPlan, tokens: &[TokenId]) -> bool {
        let (Some(watch), Some(cursor)) = (self.watch(chain), self.parts.cursors.get(chain)) else {
            return false;
        };
        let wanted: Vec<_> = tokens.iter().map(|token| (plan.address, *token)).collect();
        let Ok(balances) = watch.balances_at(&wanted, cursor.number).await else { return false };
        let held: Vec<(TokenId, RawAmount)> = tokens.iter().copied().zip(balances).collect();
        let parts = &self.parts;
        ReturnThreshold { catalog: &parts.catalog, prices: parts.prices.as_ref(), gas: parts.gas.as_ref() }
            .is_worth_returning(chain, &held)
    }
}
