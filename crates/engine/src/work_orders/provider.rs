use causeway_domain::fiat::Payout;
use causeway_domain::ports::{
    ChainError, DepositTxStatus, FillerError, PayoutWatch, ProviderReport, ProviderReturn, ProviderState,
    StoreError,
};
use causeway_domain::{
    Address, ConfirmedTx, DepositMethod, ForwardingAction, Order, OrderStatus, ProviderContext, RawAmount,
    Step, TokenId, advance_provider, is_before_deposit,
};
use jiff::Timestamp;

use super::joined::late_return;
use super::returned_value::{is_return, is_return_in_kind};
use super::{DEMAND_PERIOD, HALTED_RETRY, MAX_PASSES, WorkOrders, differs};
use crate::market::PricedToken;

/// How many transactions are looked at for the payment of an address.
const MAX_DEPOSITS: usize = 8;

impl WorkOrders {
    /// Advances an order that a provider settles. Nothing of ours is opened, filled, claimed or refunded for it, but for the
    /// second leg of a joined route, which is an order of its own.
    pub(super) async fn process_provider_order(&self, mut order: Order) -> Result<(), StoreError> {
        let hub = order.joined().map(|joined| joined.terms.hub.chain());
        let chains = [Some(order.from.chain()), Some(order.to.chain()), hub].into_iter().flatten();
        let is_paid = order.deposit_tx().is_some() || hub.is_some() && order.status != OrderStatus::Created;
        if !order.status.is_terminal() && is_paid {
            let demand = self.parts.cursors.demand();
            for chain in chains.clone() {
                demand.wait_for(chain, DEMAND_PERIOD);
            }
        }
        for _ in 0..MAX_PASSES {
            let now = Timestamp::now();
            let is_halted = chains.clone().any(|chain| self.parts.cursors.is_halted(chain));
            if is_halted && hub.is_none() {
                // What a halted chain shows is not believed.
                order.due_at = now.checked_add(HALTED_RETRY).ok();
                return self.parts.orders.update_order(&order, &[]).await.map(drop);
            }
            let mut context = if is_halted || order.status.is_terminal() {
                ProviderContext { is_unheard: true, ..ProviderContext::new(now) }
            } else {
                self.provider_context(&order.first_leg(), now).await?
            };
            self.add_second_leg(&order, &mut context).await?;
            let before = order.clone();
            let advanced = advance_provider(order, &context);
            order = advanced.order;
            let mut actions = advanced.actions;
            if is_halted {
                // Nothing is opened; balances are returned (rule 29).
                actions.retain(|action| matches!(action, ForwardingAction::ReturnBalance { .. }));
                order.due_at = now.checked_add(HALTED_RETRY).ok();
            }
            let written = if let Some(detail) = late_return(&before, &order) {
                self.write_late_return(&mut order, detail).await?
            } else if differs(&before, &order) {
                let step = Step { order: order.clone(), changes: advanced.changes, actions: Vec::new() };
                self.write(&mut order, &step).await?
            } else {
                self.parts.orders.postpone(&order).await?
            };
            if written && !self.forward(&mut order, &actions).await {
                return Ok(());
            }
            if !written {
                let Some(newer) = self.parts.orders.order(&order.id).await? else { return Ok(()) };
                order = newer;
            }
        }
        Ok(())
    }

    /// What the chains show and the provider says. Sources that do not answer are left out, and the order waits for them.
    async fn provider_context(&self, order: &Order, now: Timestamp) -> Result<ProviderContext, StoreError> {
        let mut context = ProviderContext::new(now);
        let tx = order.deposit_tx().map(str::to_owned);
        if order.method == DepositMethod::Transfer {
            self.hear_report(order, tx.as_deref(), &mut context).await;
            if order.evidence.deposit.is_none() {
                self.shown_transfers(order, tx, &mut context).await?;
            }
        } else {
            let Some(tx) = tx else { return Ok(context) };
            if order.evidence.deposit.is_none() {
                context.deposit = heard(order, self.shown_deposit(order, &tx).await, &mut context);
                if context.deposit.is_none() {
                    return Ok(context);
                }
            }
            self.hear_report(order, Some(&tx), &mut context).await;
        }
        match context.report.as_ref().map(|report: &ProviderReport| report.state.clone()) {
            Some(ProviderState::Delivered { tx }) => self.shown_fill(order, &tx, &mut context).await?,
            Some(ProviderState::Returned(returned)) => {
                self.shown_return(order, &returned, &mut context).await?;
            }
            Some(ProviderState::Working | ProviderState::Failed) | None => {}
        }
        Ok(context)
    }

    /// What the provider says of the order.
    async fn hear_report(&self, order: &Order, tx: Option<&str>, context: &mut ProviderContext) {
        let said = match self.liquidity.provider(&order.filler) {
            Some(provider) => provider.look_up(order, tx).await,
            None => Err(FillerError::Unavailable("it is not configured".to_owned())),
        };
        match said {
            Ok(report) => context.report = report,
            Err(FillerError::Unavailable(error)) => {
                tracing::debug!(order = %order.id, error, "a provider does not tell the status of an order");
                context.is_unheard = true;
            }
            Err(FillerError::Nonsense(error)) => {
                tracing::warn!(order = %order.id, error, "a provider's status cannot be read");
                context.is_unheard = true;
            }
        }
    }

    /// What final blocks show of payments to the provider's address, in the transactions that it or the payer names.
    async fn shown_transfers(
        &self,
        order: &Order,
        submitted: Option<String>,
        context: &mut ProviderContext,
    ) -> Result<(), StoreError> {
        let Some(provider) = &order.provider else { return Ok(()) };
        let named = context.report.iter().flat_map(|report| report.deposits.iter().cloned());
        let mut txs: Vec<String> = Vec::new();
        for tx in submitted.into_iter().chain(named) {
            if !txs.iter().any(|known| known.eq_ignore_ascii_case(&tx)) {
                txs.push(tx);
            }
        }
        let since = deposit_time(order, context);
        let mut paid: Option<ConfirmedTx> = None;
        for tx in txs.iter().take(MAX_DEPOSITS) {
            let found = self.transfer(order, tx, (order.from, provider.target), since, context).await?;
            let Some((amount, shown)) = found else { continue };
            paid = match paid {
                None => Some(shown),
                Some(paid) => {
                    let amount = paid.amount.checked_add(amount).unwrap_or(paid.amount);
                    Some(ConfirmedTx { amount, ..paid })
                }
            };
        }
        match paid {
            Some(paid) if paid.amount >= order.src_amount => context.deposit = Some(paid),
            Some(paid) => context.underpaid = Some((paid.amount, paid.tx)),
            None => {}
        }
        Ok(())
    }

    /// The payer's transaction, if it is one that was built and its final block shows that it paid the pinned target. Where it
    /// delivers at once, the input may go past the target: then it must have left the payer.
    async fn shown_deposit(&self, order: &Order, tx: &str) -> Result<Option<ConfirmedTx>, ChainError> {
        let (Some(provider), chain) = (&order.provider, order.from.chain()) else { return Ok(None) };
        let (Some(payments), Some(watch)) = (self.liquidity.payments(chain), self.liquidity.payouts(chain))
        else {
            return Err(ChainError::Unavailable(chain));
        };
        let status = payments.check_tx(order.author, &order.unsigned_txs(), tx).await?;
        if status != DepositTxStatus::Matches {
            return Ok(None);
        }
        if self.liquidity.provider(&order.filler).is_some_and(|provider| provider.delivers_at_once()) {
            let spent = watch.spent(tx, order.from, order.author).await?;
            return if spent.is_zero() { Ok(None) } else { confirmed(watch, tx, spent).await };
        }
        let paid = watch.payouts(tx, order.from, provider.target).await?;
        match total(&paid) {
            Some(amount) if amount >= order.src_amount => confirmed(watch, tx, amount).await,
            _ => Ok(None),
        }
    }

    async fn shown_fill(
        &self,
        order: &Order,
        tx: &str,
        context: &mut ProviderContext,
    ) -> Result<(), StoreError> {
        let since = deposit_time(order, context);
        let found = self.transfer(order, tx, (order.to, order.recipient), since, context).await?;
        let Some((amount, shown)) = found else { return Ok(()) };
        if amount >= order.dest_amount {
            context.fill = Some(shown);
        } else {
            context.short = Some((amount, shown.tx));
        }
        Ok(())
    }

    async fn shown_return(
        &self,
        order: &Order,
        returned: &ProviderReturn,
        context: &mut ProviderContext,
    ) -> Result<(), StoreError> {
        let to = if returned.at_recipient { order.recipient } else { order.refund_to };
        let since = deposit_time(order, context);
        let found = self.transfer(order, &returned.tx, (returned.token, to), since, context).await?;
        let Some((amount, shown)) = found else { return Ok(()) };
        let is_input = returned.token == order.from;
        let counts = if is_input {
            is_return(amount, order.src_amount)
        } else {
            let snapshot = self.parts.catalog.snapshot();
            let priced = |token| PricedToken::find(token, &snapshot, self.parts.prices.as_ref());
            is_return_in_kind((amount, priced(returned.token)), (order.src_amount, priced(order.from)))
        };
        if !counts {
            context.short = Some((amount, shown.tx));
            return Ok(());
        }
        if is_input && !returned.at_recipient {
            context.refund = Some((shown, None));
            return Ok(());
        }
        let form = format!(
            "{} did not deliver {}; it paid {amount} raw units of {} to {to} in transaction {}.",
            order.filler, order.to, returned.token, shown.tx
        );
        let onward = order.joined().filter(|_| returned.at_recipient);
        let onward =
            onward.map_or_else(String::new, |it| format!(" From there it goes to {}.", it.terms.refund_to));
        let form = form + &onward;
        context.refund = Some((shown, Some(form)));
        Ok(())
    }

    /// What a transaction paid of a token to an address in a final block since then, as far as no other order counts it.
    async fn transfer(
        &self,
        order: &Order,
        tx: &str,
        (token, to): (TokenId, Address),
        since: u64,
        context: &mut ProviderContext,
    ) -> Result<Option<(RawAmount, ConfirmedTx)>, StoreError> {
        let Some(watch) = self.liquidity.payouts(token.chain()) else {
            context.is_unheard = true;
            return Ok(None);
        };
        let Some((_, time)) = heard(order, watch.place(tx).await, context) else { return Ok(None) };
        if is_before_deposit(time, since) {
            tracing::warn!(order = %order.id, tx, "a provider names a transfer from before the deposit");
            return Ok(None);
        }
        let found = watch.payouts(tx, token, to).await.map(Some);
        let Some(found) = heard(order, found, context) else { return Ok(None) };
        let mut ours = Vec::new();
        for payout in found {
            if self.parts.orders.take_payout(&order.id, &payout).await? {
                ours.push(payout);
            } else {
                tracing::warn!(order = %order.id, tx, "a provider names a transfer that another order counts");
            }
        }
        let Some(amount) = total(&ours) else { return Ok(None) };
        let Some(tx) = ours.first().map(|payout| payout.tx.clone()) else { return Ok(None) };
        let shown = heard(order, confirmed(watch, &tx, amount).await, context);
        Ok(shown.map(|shown| (amount, shown)))
    }
}

/// When the payer's transaction was made. Where none is known, never; an order with an address of its own was paid after it was
/// built.
fn deposit_time(order: &Order, context: &ProviderContext) -> u64 {
    let deposit = order.evidence.deposit.as_ref().or(context.deposit.as_ref());
    let built = if order.method == DepositMethod::Transfer {
        u64::try_from(order.created_at.as_second()).unwrap_or(u64::MAX)
    } else {
        u64::MAX
    };
    deposit.map_or(built, |deposit| deposit.time)
}

/// What a transaction has paid of a token to an address in a final block; `None` where it has paid nothing.
pub(super) async fn shown_payment(
    watch: &dyn PayoutWatch,
    tx: &str,
    token: TokenId,
    to: Address,
) -> Result<Option<ConfirmedTx>, ChainError> {
    match total(&watch.payouts(tx, token, to).await?) {
        Some(amount) => confirmed(watch, tx, amount).await,
        None => Ok(None),
    }
}

/// The sum of transfers; `None` where there are none.
fn total(payouts: &[Payout]) -> Option<RawAmount> {
    let sum = |sum: RawAmount, payout: &Payout| sum.checked_add(payout.amount);
    payouts.iter().try_fold(RawAmount::ZERO, sum).filter(|sum| !sum.is_zero())
}

/// The transaction with its place. Without one, as an endpoint that is behind answers, it is not shown: its time decides which
/// other transfers count.
async fn confirmed(
    watch: &dyn PayoutWatch,
    tx: &str,
    amount: RawAmount,
) -> Result<Option<ConfirmedTx>, ChainError> {
    let place = watch.place(tx).await?;
    let shown = |(block, time)| ConfirmedTx { chain: watch.chain(), tx: tx.to_owned(), block, time, amount };
    Ok(place.map(shown))
}

/// A chain that does not answer has shown nothing, and that is remembered.
fn heard<T>(order: &Order, shown: Result<Option<T>, ChainError>, context: &mut ProviderContext) -> Option<T> {
    shown.unwrap_or_else(|error| {
        tracing::debug!(order = %order.id, %error, "a chain does not show the transfers of a provider");
        context.is_unheard = true;
        None
    })
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use causeway_domain::ChainId;

    use super::*;

    /// A chain that knows where one transaction is.
    struct OneTx;

    #[async_trait]
    impl PayoutWatch for OneTx {
        fn chain(&self) -> ChainId {
            causeway_domain::SOLANA_CHAIN_ID
        }

        async fn place(&self, tx: &str) -> Result<Option<(u64, u64)>, ChainError> {
            Ok((tx == "known").then_some((7, 1_800_000_000)))
        }

        async fn payouts(&self, _: &str, _: TokenId, _: Address) -> Result<Vec<Payout>, ChainError> {
            Ok(Vec::new())
        }

        async fn spent(&self, _: &str, _: TokenId, _: Address) -> Result<RawAmount, ChainError> {
            Ok(RawAmount::ZERO)
        }
    }

    #[tokio::test]
    async fn rule_22_a_transaction_without_a_place_is_not_shown() {
        let amount = RawAmount::new(alloy_primitives::U256::from(5));
        let shown = confirmed(&OneTx, "known", amount).await.unwrap().unwrap();
        assert_eq!((shown.block, shown.time, shown.amount), (7, 1_800_000_000, amount));
        assert_eq!(
            confirmed(&OneTx, "lost", amount).await.unwrap(),
            None,
            "no transfer counts from its time on"
        );
    }
}
