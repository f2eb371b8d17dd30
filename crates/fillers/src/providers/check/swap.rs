use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::{Duration, Instant};

use alloy_primitives::{B256, Bytes, U256, keccak256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ports::{
    FillerAsk, FinalityTier, LiquidityProvider, Offer, PayoutWatch, ProviderDeposit, ProviderPayments,
    ProviderReturn, ProviderState, SendPurpose, WalletAction, WalletTransaction,
};
use causeway_domain::{
    Address, Ask, ChainId, DepositMethod, Evidence, IntentTerms, Order, OrderId, OrderStatus, ProviderOrder,
    QuoteId, RawAmount, RowKeys, TokenId, TradeType,
};
use jiff::Timestamp;

use super::{Outcome, Report, deposit, output, payment, quote};

const PAID: &str = "its swap is paid from the wallet";
const ENDED: &str = "its swap ends with the output at the recipient, in a final block";

/// How often the chains and the provider are asked.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The shortest time that a transfer may be given, in seconds.
const LEAST_TIME: u64 = 120;

sol! {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// A swap that was checked and may be paid.
#[derive(Debug)]
pub struct Prepared {
    pub offer: Offer,
    deposit: ProviderDeposit,
    /// What the wallet sends, in order; the last one pays.
    pub transactions: Vec<WalletTransaction>,
}

/// Asks for a quote and a deposit again, checks both as the read-only checks do, and returns what the wallet has to send.
pub async fn prepare(
    provider: &dyn LiquidityProvider,
    ask: &FillerAsk,
    payments: &dyn ProviderPayments,
) -> Result<Prepared, String> {
    let offer = quote(provider, ask).await?;
    output(&ask.ask, &offer)?;
    let deposit = deposit(provider, &ask.ask, &offer).await?;
    if deposit.min_amount_out() < offer.min_amount_out {
        return Err("it now delivers less than it has quoted".to_owned());
    }
    let actions = match &deposit {
        ProviderDeposit::Call(transaction) => {
            let actions = payments.actions(&payment(&ask.ask, transaction.clone())).await;
            actions.map_err(|error| error.to_string())?
        }
        ProviderDeposit::Transfer(given) => {
            let (purpose, transaction) =
                (SendPurpose::Deposit, transfer(&ask.ask, given.address, given.pays_until)?);
            vec![WalletAction::Send { purpose, transaction }]
        }
    };
    let sends = actions.into_iter().filter_map(|action| match action {
        WalletAction::Send { transaction, .. } => Some(transaction),
        WalletAction::SwitchChain(_) | WalletAction::SignSolana { .. } => None,
    });
    let transactions: Vec<WalletTransaction> = sends.collect();
    if transactions.is_empty() {
        return Err("swaps are paid from EVM chains only here".to_owned());
    }
    Ok(Prepared { offer, deposit, transactions })
}

/// The transfer to a provider's address.
fn transfer(ask: &Ask, to: Address, until: u64) -> Result<WalletTransaction, String> {
    let (Address::Evm(from), Address::Evm(target), Address::Evm(token)) =
        (ask.from_address, to, ask.from.address())
    else {
        return Err("swaps are paid from EVM chains only here".to_owned());
    };
    if target.is_zero() || [from, token].contains(&target) {
        return Err(format!("its address {target} is the payer, the token or nothing"));
    }
    let now = u64::try_from(Timestamp::now().as_second()).unwrap_or(u64::MAX);
    if until < now.saturating_add(LEAST_TIME) {
        return Err("its address takes payments for less than two minutes".to_owned());
    }
    let amount = ask.amount.get();
    let (to, data, value) = if ask.from.is_native() {
        (target, Bytes::new(), amount)
    } else {
        (token, Bytes::from(transferCall { to: target, amount }.abi_encode()), U256::ZERO)
    };
    Ok(WalletTransaction { from, to, data, value, gas: None })
}

/// Notes in the report whether the swap was paid, by the transaction of the deposit or the reason.
pub fn note_payment(report: &mut Report, paid: &Result<String, String>) {
    report.note(PAID, paid.as_ref().map(|tx| format!("transaction {tx}")).map_err(Clone::clone));
    if paid.is_err() {
        report.add(ENDED, Outcome::Skipped, "it was not paid");
    }
}

/// Notes in the report that nothing was paid.
pub fn note_unpaid(report: &mut Report, why: &str) {
    report.add(PAID, Outcome::Skipped, why);
    report.add(ENDED, Outcome::Skipped, "it was not paid");
}

/// Follows a paid swap to its end, and notes it in the report: what the provider says counts only where a chain shows it.
pub async fn follow<S: BuildHasher + Sync>(
    provider: &dyn LiquidityProvider,
    ask: &FillerAsk,
    prepared: &Prepared,
    tx: &str,
    watches: &HashMap<ChainId, Arc<dyn PayoutWatch>, S>,
    patience: Duration,
) -> Result<String, String> {
    let order = order(provider, &ask.ask, prepared)?;
    let begun = Instant::now();
    let mut word = "it has said nothing".to_owned();
    while begun.elapsed() < patience {
        match provider.look_up(&order, Some(tx)).await {
            Ok(Some(report)) => {
                word = format!("it says `{}`", report.word);
                match &report.state {
                    ProviderState::Delivered { tx } => {
                        let shown = shown(watches, tx, order.to, order.recipient).await;
                        if shown >= order.dest_amount {
                            return Ok(format!("{shown} raw units in transaction {tx}"));
                        }
                        word =
                            format!("it says that {tx} delivers, and a final block shows {shown} raw units");
                    }
                    ProviderState::Returned(returned) => {
                        if let Some(words) = came_back(watches, &order, returned).await {
                            return Err(words);
                        }
                    }
                    ProviderState::Working | ProviderState::Failed => {}
                }
            }
            Ok(None) => {}
            Err(error) => word = error.to_string(),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Err(format!("not after {} s: {word}; look at transaction {tx}", patience.as_secs()))
}

/// Notes the end of a swap in the report.
pub fn note_end(report: &mut Report, end: Result<String, String>) {
    report.note(ENDED, end);
}

async fn came_back<S: BuildHasher + Sync>(
    watches: &HashMap<ChainId, Arc<dyn PayoutWatch>, S>,
    order: &Order,
    returned: &ProviderReturn,
) -> Option<String> {
    let to = if returned.at_recipient { order.recipient } else { order.refund_to };
    let (token, tx) = (returned.token, &returned.tx);
    let shown = shown(watches, tx, token, to).await;
    (!shown.is_zero())
        .then(|| format!("it did not deliver and returned {shown} raw units of {token} in transaction {tx}"))
}

/// What a final block shows that the transaction paid; nothing where the chain does not answer.
async fn shown<S: BuildHasher + Sync>(
    watches: &HashMap<ChainId, Arc<dyn PayoutWatch>, S>,
    tx: &str,
    token: TokenId,
    to: Address,
) -> RawAmount {
    let Some(watch) = watches.get(&token.chain()) else { return RawAmount::ZERO };
    let payouts = watch.payouts(tx, token, to).await.unwrap_or_default();
    payouts.iter().fold(RawAmount::ZERO, |sum, payout| sum.checked_add(payout.amount).unwrap_or(sum))
}

/// The swap in the form in which providers are asked for its status. It is in no store.
fn order(provider: &dyn LiquidityProvider, ask: &Ask, prepared: &Prepared) -> Result<Order, String> {
    let now = Timestamp::now();
    let id = OrderId::random().map_err(|error| error.to_string())?;
    let quote = QuoteId::random().map_err(|error| error.to_string())?;
    let route = "check".parse().map_err(|_| "a route's id")?;
    let least = prepared.deposit.min_amount_out();
    let (target, spender, method) = match &prepared.deposit {
        ProviderDeposit::Call(call) => (call.target, call.spender, DepositMethod::ContractCall),
        ProviderDeposit::Transfer(given) => (given.address, None, DepositMethod::Transfer),
    };
    let terms = prepared.offer.provider.as_ref().map(|offered| offered.terms.clone());
    let settled = ProviderOrder {
        terms: terms.ok_or("its offer does not say that it settles it")?,
        notice: provider.notice().clone(),
        target,
        spender,
        word: None,
        named_deposit: None,
        joined: None,
    };
    let terms = IntentTerms {
        origin_chain_id: ask.from.chain().get(),
        escrow: B256::ZERO,
        user: ask.from_address.to_word(),
        nonce: keccak256(id.as_str()),
        input_token: ask.from.address().to_word(),
        amount_in: ask.amount.get(),
        refund_to: ask.refund_to.to_word(),
        filler: B256::ZERO,
        payee: B256::ZERO,
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: ask.to.chain().get(),
        settler: B256::ZERO,
        output_token: ask.to.address().to_word(),
        amount_out: least.get(),
        recipient: ask.recipient.to_word(),
        open_deadline: 0,
        fill_deadline: 0,
        refund_at: 0,
        epoch: 0,
    };
    Ok(Order {
        key: RowKeys::new(0).next(now),
        id,
        quote,
        route,
        status: OrderStatus::Created,
        trade_type: TradeType::ExactInput,
        from: ask.from,
        to: ask.to,
        src_amount: ask.amount,
        dest_amount: least,
        author: ask.from_address,
        recipient: ask.recipient,
        refund_to: ask.refund_to,
        filler: provider.name().to_owned(),
        kind: provider.kind().to_owned(),
        filler_quote: None,
        integrator: None,
        method,
        intent_id: terms.id(),
        terms,
        deposit_address: None,
        forwarding: None,
        provider: Some(Box::new(settled)),
        valid_before: prepared.offer.valid_before,
        finality_tier: FinalityTier::Large,
        announced: false,
        submitted_tx: None,
        built: None,
        signed_payload: None,
        decision: None,
        evidence: Evidence::default(),
        failure_reason: None,
        due_at: None,
        created_at: now,
        updated_at: now,
        version: 0,
    })
}

#[cfg(test)]
mod tests {
    use alloy_primitives::Address as EvmAddress;

    use super::*;

    fn ask(from: TokenId) -> Ask {
        let payer = Address::Evm(EvmAddress::repeat_byte(3));
        Ask {
            trade_type: TradeType::ExactInput,
            from,
            to: TokenId::native(from.chain()),
            amount: RawAmount::new(U256::from(25)),
            from_address: payer,
            recipient: payer,
            refund_to: payer,
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
            deposit_window: None,
        }
    }

    #[test]
    fn a_transfer_pays_the_amount_to_the_address_and_nobody_else() {
        let base = ChainId::new(8453).unwrap();
        let (token, to) = (EvmAddress::repeat_byte(1), EvmAddress::repeat_byte(2));
        let usdc = ask(TokenId::from_address(base, Address::Evm(token)).unwrap());
        let sent = transfer(&usdc, Address::Evm(to), u64::MAX).unwrap();
        let data = transferCall { to, amount: U256::from(25) }.abi_encode();
        assert_eq!((sent.to, sent.value, sent.data), (token, U256::ZERO, Bytes::from(data)));
        let sent = transfer(&ask(TokenId::native(base)), Address::Evm(to), u64::MAX).unwrap();
        assert_eq!((sent.to, sent.value, sent.data), (to, U256::from(25), Bytes::new()));
        for wrong in [EvmAddress::ZERO, token, EvmAddress::repeat_byte(3)] {
            assert!(transfer(&usdc, Address::Evm(wrong), u64::MAX).unwrap_err().contains("its address"));
        }
        let soon = u64::try_from(Timestamp::now().as_second()).unwrap() + 60;
        assert!(transfer(&usdc, Address::Evm(to), soon).unwrap_err().contains("two minutes"));
        assert!(transfer(&usdc, Address::Solana([7; 32]), u64::MAX).unwrap_err().contains("EVM"));
    }
}
