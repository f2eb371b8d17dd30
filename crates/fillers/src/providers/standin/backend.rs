use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::{Address, B256, U256};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use parking_lot::Mutex;

use super::money::PlayMoney;

/// What a stand-in keeps of every amount, in basis points.
pub(super) const FEE_BPS: u64 = 10;

/// How often a held answer looks whether it may go.
const HELD_POLL: Duration = Duration::from_millis(20);

/// What a bitcoin is worth: the sandbox's price.
const BITCOIN_DOLLARS: u64 = 100_000;

/// How a stand-in misbehaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mischief {
    #[default]
    None,
    Down,
    /// Answers 429 with `Retry-After`.
    TooMany,
    Html,
    Slow(Duration),
    /// Answers when it stops to misbehave so.
    Held,
    /// Has no route.
    NoRoute,
    OtherTarget(Address),
    OtherSpender(Address),
    /// Gives the input to a contract that its registry does not name.
    OtherSettler(Address),
    /// Asks for an allowance without bound, where it asks for one itself.
    UnboundedAllowance,
    /// The transaction names another recipient than the quote.
    OtherRecipient(Address),
    /// The transaction takes more than the input; where its contract can, of this token.
    TakesMore(Address),
    OtherDecimals,
    /// The transaction pays in another token than the quote.
    OtherOutput,
    /// Gives a chain another number, or names another token where it numbers none.
    OtherChain,
    /// Quotes less than before.
    WorsePrice,
    /// Delivers half of the output.
    PaysLess,
    /// Says that it has delivered, and names a transaction of somebody else.
    OnlySaysDone,
    /// Returns the input to the payer.
    Refunds,
    /// Pays this token of the destination chain instead of the output.
    PaysOther(Address),
    /// Never goes on.
    Stuck,
    /// Says that it still works on what it has delivered.
    GoesBack,
    /// Its address needs a memo.
    NeedsMemo,
    /// Its address takes payments for a minute only.
    ShortTime,
    /// Tells the status of another address.
    OtherStatus,
    /// Its address is one of a test network.
    OtherNetwork,
}

/// A deposit that was made, and what it is for.
#[derive(Clone, Debug)]
pub(super) struct Deposit {
    pub(super) from: (u64, Address),
    pub(super) amount: U256,
    pub(super) refund_to: Address,
    pub(super) to: (u64, Address),
    pub(super) recipient: Address,
    /// Who gets another token, if that is paid instead of the output.
    pub(super) instead_to: Address,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Delivered,
    Refunded,
    /// Paid in another token.
    Other,
}

/// What was paid for a deposit.
#[derive(Clone, Debug)]
pub(super) struct Payout {
    pub(super) outcome: Outcome,
    pub(super) token: (u64, Address),
    pub(super) amount: U256,
    pub(super) tx: String,
}

/// What all stand-ins have: a contract, tokens with a price, money, and bad manners.
#[derive(Debug)]
pub(super) struct Backend {
    pub(super) contract: Address,
    /// Decimals and symbol of each token by chain and address.
    tokens: HashMap<(u64, Address), (u8, String)>,
    mischief: Mutex<Mischief>,
    pub(super) money: Arc<PlayMoney>,
    /// What was paid for each deposit, so that it is paid once.
    payouts: tokio::sync::Mutex<HashMap<String, Payout>>,
    quotes: AtomicU64,
}

impl Backend {
    pub(super) fn new(
        contract: Address,
        tokens: impl IntoIterator<Item = (u64, Address, u8, &'static str)>,
        money: Arc<PlayMoney>,
    ) -> Self {
        let tokens = tokens
            .into_iter()
            .map(|(chain, token, decimals, symbol)| ((chain, token), (decimals, symbol.to_owned())));
        Self {
            contract,
            tokens: tokens.collect(),
            mischief: Mutex::default(),
            money,
            payouts: tokio::sync::Mutex::default(),
            quotes: AtomicU64::new(0),
        }
    }

    pub(super) fn mischief(&self) -> Mischief {
        *self.mischief.lock()
    }

    pub(super) fn misbehave(&self, mischief: Mischief) {
        *self.mischief.lock() = mischief;
    }

    pub(super) fn quotes(&self) -> u64 {
        self.quotes.load(Ordering::Relaxed)
    }

    pub(super) fn count_quote(&self) {
        self.quotes.fetch_add(1, Ordering::Relaxed);
    }

    /// An answer that has nothing to do with the request, if it misbehaves that way.
    pub(super) async fn outage(&self, error: fn(StatusCode, &str) -> Response) -> Option<Response> {
        match self.mischief() {
            Mischief::Down => Some(error(StatusCode::SERVICE_UNAVAILABLE, "out of order")),
            Mischief::TooMany => {
                let answer = error(StatusCode::TOO_MANY_REQUESTS, "Rate limit exceeded");
                Some(([(header::RETRY_AFTER, "60")], answer).into_response())
            }
            Mischief::Html => Some(Html("<!doctype html><title>Just a moment</title>").into_response()),
            Mischief::Slow(time) => {
                tokio::time::sleep(time).await;
                None
            }
            Mischief::Held => {
                while self.mischief() == Mischief::Held {
                    tokio::time::sleep(HELD_POLL).await;
                }
                None
            }
            _ => None,
        }
    }

    /// The chains of its tokens, in order.
    pub(super) fn chains(&self) -> Vec<u64> {
        let mut ids: Vec<u64> = self.tokens.keys().map(|(chain, _)| *chain).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    pub(super) fn tokens(&self) -> impl Iterator<Item = (u64, Address)> {
        self.tokens.keys().copied()
    }

    /// Decimals and symbol, as it says them.
    pub(super) fn token(&self, token: (u64, Address)) -> Option<(u8, &str)> {
        let (decimals, symbol) = self.tokens.get(&token)?;
        let more = u8::from(self.mischief() == Mischief::OtherDecimals);
        Some((decimals.saturating_add(more), symbol))
    }

    /// What one token buys of a dollar coin: its worth, but for the decimals and the fee, rounded down.
    pub(super) fn output(&self, from: (u64, Address), to: (u64, Address), amount: U256) -> Option<U256> {
        let ((from, symbol), (to, _)) = (self.tokens.get(&from)?, self.tokens.get(&to)?);
        let power = |decimals: u8| U256::from(10).checked_pow(U256::from(decimals));
        let dollars = U256::from(if symbol == "BTC" { BITCOIN_DOLLARS } else { 1 });
        let whole = amount.checked_mul(dollars)?.checked_mul(power(*to)?)?.checked_div(power(*from)?)?;
        let bps = if self.mischief() == Mischief::WorsePrice { 500 } else { FEE_BPS };
        whole.checked_mul(U256::from(10_000_u64.saturating_sub(bps)))?.checked_div(U256::from(10_000))
    }

    /// The token of the other chain with the same symbol.
    pub(super) fn counterpart(&self, token: (u64, Address), to_chain: u64) -> Option<Address> {
        let (_, symbol) = self.tokens.get(&token)?;
        let same =
            |((on, _), (_, other)): &(&(u64, Address), &(u8, String))| *on == to_chain && other == symbol;
        self.tokens.iter().find(same).map(|((_, address), _)| *address)
    }

    /// Pays once what a deposit is for; `None` while it works on it.
    pub(super) async fn settle(&self, tx: &str, deposit: &Deposit) -> Result<Option<Payout>, String> {
        let mischief = self.mischief();
        let mut payouts = self.payouts.lock().await;
        if let Some(payout) = payouts.get(tx) {
            return Ok((mischief != Mischief::GoesBack).then(|| payout.clone()));
        }
        if mischief == Mischief::Stuck {
            return Ok(None);
        }
        let output = self.output(deposit.from, deposit.to, deposit.amount).ok_or("no such token")?;
        let (outcome, token, receiver, amount) = match mischief {
            Mischief::Refunds => (Outcome::Refunded, deposit.from, deposit.refund_to, deposit.amount),
            Mischief::PaysOther(other) => (Outcome::Other, (deposit.to.0, other), deposit.instead_to, output),
            Mischief::PaysLess => (Outcome::Delivered, deposit.to, deposit.recipient, output / U256::from(2)),
            _ => (Outcome::Delivered, deposit.to, deposit.recipient, output),
        };
        let paid = if mischief == Mischief::OnlySaysDone {
            B256::repeat_byte(0xab).to_string()
        } else {
            self.money.pay(token.0, token.1, receiver, amount).await?
        };
        let payout = Payout { outcome, token, amount, tx: paid };
        payouts.insert(tx.to_owned(), payout.clone());
        Ok(Some(payout))
    }
}
