use std::time::Instant;

use alloy_primitives::U256;
use causeway_domain::RawAmount;
use causeway_domain::ports::{ChainError, DepositError};
use serde_json::json;
use solana_address::Address;

use super::builder::SolanaDepositBuilder;
use super::payment::Payment;
use crate::orders::mint::check_mint;
use crate::program::{TokenSource, associated_token_account};
use crate::rpc::Call;
use crate::{Account, Commitment, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TokenAccount, TokenAccountState};

/// The sizes of the accounts that an opening creates: the order and its vault.
const ORDER_BYTES: usize = 808;
const VAULT_BYTES: usize = 165;

/// The system program, which owns wallets.
const SYSTEM: Address = Address::new_from_array([0; 32]);

/// What the payer holds for a deposit, and the rent that the chain requires.
pub(super) struct Holdings {
    lamports: u64,
    /// Where tokens come from; none for SOL.
    pub(super) source: Option<TokenSource>,
    /// The rent of the order's accounts, less what they already hold.
    rent: u64,
    /// The balance that must remain in a wallet that is not emptied.
    min_balance: u64,
}

impl SolanaDepositBuilder {
    /// Reads everything that a deposit depends on in one call, and returns an error for what is missing.
    pub(super) async fn holdings(&self, payment: &Payment) -> Result<Holdings, DepositError> {
        let Payment { user, order, .. } = *payment;
        let (order_at, vault_at) = (self.program.order(order), self.program.vault(order));
        let mut asked = vec![user, order_at, vault_at];
        if let Some(mint) = payment.mint {
            let of = |program| associated_token_account(&user, &mint, &program);
            asked.extend([mint, of(TOKEN_PROGRAM), of(TOKEN_2022_PROGRAM)]);
        }
        let [order_rent, vault_rent, min_balance] = self.rent_minimums().await?;
        let accounts = self.rpc.accounts(&asked, Commitment::Confirmed, None).await?.value;
        let found = |address: Address| {
            asked
                .iter()
                .zip(&accounts)
                .find(|(asked, _)| **asked == address)
                .and_then(|(_, one)| one.as_ref())
        };
        let would_fail = |reason: String| Err(DepositError::WouldFail(reason));
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
        Ok(Holdings { lamports: wallet.map_or(0, |wallet| wallet.lamports), source, rent, min_balance })
    }

    /// The rent-exempt minimums of an order, a vault and a wallet.
    async fn rent_minimums(&self) -> Result<[u64; 3], ChainError> {
        if let Some(rent_minimums) = self.rent_minimums.fresh() {
            return Ok(rent_minimums);
        }
        let asked = Instant::now();
        let call =
            |length: usize| Call { method: "getMinimumBalanceForRentExemption", params: json!([length]) };
        let calls = [ORDER_BYTES, VAULT_BYTES, 0].map(call);
        let rent_minimums = self.rpc.request_batch(&calls, |_, lamports: u64| Ok(lamports)).await?;
        let rent_minimums = <[u64; 3]>::try_from(rent_minimums).unwrap_or([u64::MAX; 3]);
        self.rent_minimums.put(asked, rent_minimums);
        Ok(rent_minimums)
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
        // The chain allows an emptied wallet, but not a remainder below the minimum.
        if self.lamports == spent || self.lamports >= spent.saturating_add(self.min_balance) {
            return Ok(());
        }
        Err(DepositError::Gas { has, needs: raw(spent.saturating_add(self.min_balance)) })
    }
}

/// The payer's token account, if it can pay.
fn token_source<'a>(
    payment: &Payment,
    mint: Address,
    found: impl Fn(Address) -> Option<&'a Account>,
) -> Result<TokenSource, DepositError> {
    let would_fail = |reason: String| DepositError::WouldFail(reason);
    let supported = found(mint).ok_or(crate::orders::MintError::Missing).and_then(check_mint);
    let supported =
        supported.map_err(|why| would_fail(format!("the token {mint} cannot be deposited: {why}")))?;
    let token_program = supported.token_program;
    let account = associated_token_account(&payment.user, &mint, &token_program);
    let held = found(account).ok_or_else(|| {
        would_fail(format!("the payer {} has no token account of the token {mint}", payment.user))
    })?;
    let cannot_pay =
        |why: String| would_fail(format!("the payer's token account {account} cannot pay: {why}"));
    let state = TokenAccount::parse(&held.data).ok().filter(|_| held.owner == token_program);
    let state = state.ok_or_else(|| cannot_pay("it does not belong to the token's program".to_owned()))?;
    if state.owner != payment.user {
        return Err(cannot_pay(format!("it belongs to {}", state.owner)));
    }
    if state.mint != mint {
        return Err(cannot_pay(format!("it holds the token {}", state.mint)));
    }
    match state.state {
        TokenAccountState::Initialized => {}
        TokenAccountState::Frozen => return Err(cannot_pay("the token's issuer has frozen it".to_owned())),
        TokenAccountState::Uninitialized => return Err(cannot_pay("it was never set up".to_owned())),
    }
    if state.amount < payment.amount {
        let raw = |units| RawAmount::new(U256::from(units));
        return Err(DepositError::Balance { has: raw(state.amount), needs: raw(payment.amount) });
    }
    Ok(TokenSource { account, token_program })
}
