use std::time::Instant;

use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::ports::{ChainError, DepositError};
use serde_json::json;
use solana_address::Address;

use super::desk::SolanaDesk;
use super::payment::Payment;
use crate::orders::mint::check_mint;
use crate::program::{TokenSource, associated_token_account};
use crate::rpc::Call;
use crate::{Account, Commitment, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TokenAccount, TokenAccountState};

/// What the accounts take that an opening makes: the order's, and its vault's.
const ORDER_BYTES: usize = 808;
const VAULT_BYTES: usize = 165;

/// The system program, which wallets belong to.
const SYSTEM: Address = Address::new_from_array([0; 32]);

/// What the payer has for a deposit, and what the chain asks beside it.
pub(super) struct Holdings {
    lamports: u64,
    /// Where tokens come from; none for SOL.
    pub(super) source: Option<TokenSource>,
    /// What the accounts of the order cost beside what lies there already.
    rent: u64,
    /// What must be left in a wallet that is not emptied.
    least: u64,
}

impl SolanaDesk {
    /// Reads everything that a deposit depends on in one call, and says in words what is missing.
    pub(super) async fn holdings(&self, payment: &Payment) -> Result<Holdings, DepositError> {
        let Payment { user, order, .. } = *payment;
        let (order_at, vault_at) = (self.program.order(order), self.program.vault(order));
        let mut asked = vec![user, order_at, vault_at];
        if let Some(mint) = payment.mint {
            let of = |program| associated_token_account(&user, &mint, &program);
            asked.extend([mint, of(TOKEN_PROGRAM), of(TOKEN_2022_PROGRAM)]);
        }
        let [order_rent, vault_rent, least] = self.rents().await?;
        let accounts = self.rpc.accounts(&asked, Commitment::Confirmed, None).await?.value;
        let found = |address: Address| {
            asked
                .iter()
                .zip(&accounts)
                .find(|(asked, _)| **asked == address)
                .and_then(|(_, one)| one.as_ref())
        };
        let would_fail = |words: String| Err(DepositError::WouldFail(words));
        let wallet = found(user);
        if let Some(wallet) = wallet.filter(|wallet| wallet.owner != SYSTEM) {
            return would_fail(format!(
                "{user} is no wallet but an account of the program {}; deposit from a wallet",
                wallet.owner
            ));
        }
        if found(order_at).is_some_and(|order| order.owner == self.program.id) {
            return would_fail("the order was opened before".to_owned());
        }
        let missing = |address, rent: u64| {
            rent.saturating_sub(found(address).map_or(0, |account: &Account| account.lamports))
        };
        let mut rent = missing(order_at, order_rent);
        let mut source = None;
        if let Some(mint) = payment.mint {
            rent = rent.saturating_add(missing(vault_at, vault_rent));
            source = Some(token_source(payment, mint, found)?);
        }
        Ok(Holdings { lamports: wallet.map_or(0, |wallet| wallet.lamports), source, rent, least })
    }

    /// What accounts of an order, of a vault and of a wallet must hold to be kept.
    async fn rents(&self) -> Result<[u64; 3], ChainError> {
        if let Some(rents) = self.rents.fresh() {
            return Ok(rents);
        }
        let asked = Instant::now();
        let ask =
            |length: usize| Call { method: "getMinimumBalanceForRentExemption", params: json!([length]) };
        let calls = [ORDER_BYTES, VAULT_BYTES, 0].map(ask);
        let rents = self.rpc.ask_all(&calls, |_, lamports: u64| Ok(lamports)).await?;
        let rents = <[u64; 3]>::try_from(rents).unwrap_or([u64::MAX; 3]);
        self.rents.put(asked, rents);
        Ok(rents)
    }
}

impl Holdings {
    /// Whether the wallet has enough SOL for the deposit, the rent of its accounts and `fee`.
    pub(super) fn check_lamports(&self, payment: &Payment, fee: u64) -> Result<(), DepositError> {
        let amount = if payment.mint.is_none() { payment.amount } else { 0 };
        let raw = |lamports| RawAmount::new(U256::from(lamports));
        let has = raw(self.lamports);
        if self.lamports < amount {
            return Err(DepositError::Balance { has, needs: raw(amount) });
        }
        let spent = amount.saturating_add(self.rent).saturating_add(fee);
        // A wallet that gives all it has is gone, which the chain allows; one with a little left is not.
        if self.lamports == spent || self.lamports >= spent.saturating_add(self.least) {
            return Ok(());
        }
        Err(DepositError::Gas { has, needs: raw(spent.saturating_add(self.least)) })
    }
}

/// The payer's token account, which must be able to pay.
fn token_source<'a>(
    payment: &Payment,
    mint: Address,
    found: impl Fn(Address) -> Option<&'a Account>,
) -> Result<TokenSource, DepositError> {
    let would_fail = |words: String| DepositError::WouldFail(words);
    let plain = found(mint).ok_or(crate::orders::MintRefusal::Missing).and_then(check_mint);
    let plain = plain.map_err(|why| would_fail(format!("the token {mint} cannot be deposited: {why}")))?;
    let token_program = plain.token_program;
    let account = associated_token_account(&payment.user, &mint, &token_program);
    let held = found(account).ok_or_else(|| {
        would_fail(format!("the payer {} has no token account of the token {mint}", payment.user))
    })?;
    let odd = |why: String| would_fail(format!("the payer's token account {account} cannot pay: {why}"));
    let state = TokenAccount::parse(&held.data).ok().filter(|_| held.owner == token_program);
    let state = state.ok_or_else(|| odd("it is none of the token's program".to_owned()))?;
    if state.owner != payment.user {
        return Err(odd(format!("it belongs to {}", state.owner)));
    }
    if state.mint != mint {
        return Err(odd(format!("it holds the token {}", state.mint)));
    }
    match state.state {
        TokenAccountState::Initialized => {}
        TokenAccountState::Frozen => return Err(odd("the token's issuer has frozen it".to_owned())),
        TokenAccountState::Uninitialized => return Err(odd("it was never set up".to_owned())),
    }
    if state.amount < payment.amount {
        let raw = |units| RawAmount::new(U256::from(units));
        return Err(DepositError::Balance { has: raw(state.amount), needs: raw(payment.amount) });
    }
    Ok(TokenSource { account, token_program })
}
