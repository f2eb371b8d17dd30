use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use causeway_domain::fiat::{FiatOrder, JumpPlan, Strategy};
use causeway_domain::ports::{Deed, DeedError, Progress};
use causeway_domain::{ChainId, RawAmount, TokenId};
use jiff::Timestamp;

use super::WorkFiat;
use super::swap::UndoneError;
use crate::worth::Worth;

/// How often money may go back from one address: each time costs gas, and anybody can send dust.
const TIMES: u32 = 16;

/// After a return the address is left alone for so long: what was read of it may be older than the return.
const QUIET: Duration = Duration::from_secs(30);

/// What is forgotten is learnt again.
const KEPT: Duration = Duration::from_hours(1);

/// How often money went back from the address of each jump, and since when that is known.
#[derive(Debug, Default)]
pub(super) struct Returns(Mutex<HashMap<B256, (u32, Instant)>>);

impl Returns {
    /// Whether all of so many returns are known for long enough that what is read of the address comes after them.
    fn are_over(&self, jump: B256, count: u32) -> bool {
        let mut returns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        returns.retain(|_, (_, since)| since.elapsed() < KEPT);
        let known = returns.get(&jump).filter(|(known, _)| *known == count).map(|(_, since)| *since);
        let since = known.unwrap_or_else(|| {
            returns.insert(jump, (count, Instant::now()));
            Instant::now()
        });
        count == 0 || since.elapsed() >= QUIET
    }
}

fn purpose(plan: &JumpPlan, time: u32) -> String {
    format!("jumpback:{:#x}:{time}", plan.jump.id())
}

impl WorkFiat {
    /// Sends what lies at the jump's address to its refund address; by the maker's word while the jump has not expired. Tells
    /// whether it has arrived there.
    pub(super) async fn give_back(
        &self,
        order: &mut FiatOrder,
        tokens: &[TokenId],
    ) -> Result<bool, UndoneError> {
        let ended = order.status.is_terminal();
        let chain = order.sold.chain();
        if ended && !self.is_worth_returning(order, tokens).await {
            return Ok(false);
        }
        let Strategy::Jump(plan) = &mut order.strategy else { return Ok(false) };
        let (Some(desk), Some(relayer)) =
            (self.parts.jump_desks.get(&chain), self.parts.relayers.get(&chain))
        else {
            return Err(DeedError::Later(format!("nothing can be sent on chain {chain}")).into());
        };
        let id = plan.jump.id();
        let time = self.parts.marks.get(chain).map(|mark| mark.time);
        let signature = match time {
            Some(time) if time > plan.jump.expiry => None,
            _ => Some(desk.sign_release(id)?),
        };
        let tokens = tokens.iter().map(TokenId::address).collect();
        let deed = Deed::GiveBackJump { jump: Box::new(plan.jump), tokens, signature };
        let mut returned = 0_u32;
        for time in 1..=TIMES {
            let purpose = purpose(plan, time);
            // What came after the last return goes back in another one.
            if let Some(Progress::Succeeded(_)) = relayer.progress(&purpose).await? {
                returned = returned.saturating_add(1);
                continue;
            }
            if !self.returns.are_over(id, returned) {
                return Ok(false);
            }
            match relayer.carry(&purpose, &deed, Timestamp::now()).await? {
                Progress::Reverted(_) => {}
                Progress::Waiting | Progress::OnItsWay(_) => return Ok(false),
                Progress::Succeeded(tx) => {
                    // After the end the next look finds it, and tells of it.
                    if !ended {
                        plan.returned_tx = Some(tx);
                    }
                    return Ok(true);
                }
            }
        }
        Err(DeedError::Never(format!("what lies at {} was sent back {TIMES} times", plan.address)).into())
    }

    /// The newest transaction in which we sent money back from the jump's address, once it stands: by then nothing may be left
    /// there that would tell of it.
    pub(super) async fn returned(&self, chain: ChainId, plan: &JumpPlan) -> Option<String> {
        let relayer = self.parts.relayers.get(&chain)?;
        let mut newest = None;
        for time in 1..=TIMES {
            match relayer.progress(&purpose(plan, time)).await {
                Ok(Some(Progress::Succeeded(tx))) => newest = Some(tx),
                Ok(Some(Progress::Reverted(_))) => {}
                _ => break,
            }
        }
        newest
    }

    async fn is_worth_returning(&self, order: &FiatOrder, tokens: &[TokenId]) -> bool {
        let chain = order.sold.chain();
        let (Some(watch), Some(mark)) = (self.parts.watches.get(&chain), self.parts.marks.get(chain)) else {
            return false;
        };
        let wanted: Vec<_> = tokens.iter().map(|token| (order.deliver_to(), *token)).collect();
        let Ok(balances) = watch.balances_at(&wanted, mark.number).await else { return false };
        let held: Vec<(TokenId, RawAmount)> = tokens.iter().copied().zip(balances).collect();
        let parts = &self.parts;
        Worth { catalog: &parts.catalog, prices: parts.prices.as_ref(), gas: parts.gas.as_ref() }
            .is_worth_returning(chain, &held)
    }
}
