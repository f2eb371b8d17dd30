use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use alloy_primitives::B256;
use causeway_domain::fiat::{FiatOrder, Strategy};
use causeway_domain::ports::{Deed, DeedError, Progress};
use causeway_domain::{RawAmount, TokenId};
use jiff::Timestamp;

use super::WorkFiat;
use super::swap::UndoneError;
use crate::worth::Worth;

/// How often money may go back from one address: each time costs gas, and anybody can send dust.
const TIMES: u32 = 16;

/// After a return the address is left alone for so long: what was read of it may be older than the return.
const QUIET: Duration = Duration::from_secs(30);

/// When money last went back, by jump.
#[derive(Debug, Default)]
pub(super) struct Returns(Mutex<HashMap<B256, Instant>>);

impl Returns {
    fn note(&self, jump: B256) {
        let mut returns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        returns.retain(|_, at| at.elapsed() < QUIET);
        returns.insert(jump, Instant::now());
    }

    fn is_fresh(&self, jump: B256) -> bool {
        let returns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        returns.get(&jump).is_some_and(|at| at.elapsed() < QUIET)
    }
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
        if self.returns.is_fresh(id) {
            return Ok(false);
        }
        let time = self.parts.marks.get(chain).map(|mark| mark.time);
        let signature = match time {
            Some(time) if time > plan.jump.expiry => None,
            _ => Some(desk.sign_release(id)?),
        };
        let tokens = tokens.iter().map(TokenId::address).collect();
        let deed = Deed::GiveBackJump { jump: Box::new(plan.jump), tokens, signature };
        let mut last = None;
        for time in 1..=TIMES {
            let purpose = format!("jumpback:{id:#x}:{time}");
            if let Some(Progress::Succeeded(tx)) = relayer.progress(&purpose).await? {
                last = Some(tx);
                continue;
            }
            let told = last.take().filter(|tx| plan.returned_tx.as_ref() != Some(tx));
            let progress = match told {
                Some(tx) => Progress::Succeeded(tx),
                // What came after the last return goes back in another one.
                None => relayer.carry(&purpose, &deed, Timestamp::now()).await?,
            };
            match progress {
                Progress::Reverted(_) => {}
                Progress::Waiting | Progress::OnItsWay(_) => return Ok(false),
                Progress::Succeeded(tx) => {
                    self.returns.note(id);
                    plan.returned_tx = Some(tx);
                    return Ok(true);
                }
            }
        }
        Err(DeedError::Never(format!("what lies at {} was sent back {TIMES} times", plan.address)).into())
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
