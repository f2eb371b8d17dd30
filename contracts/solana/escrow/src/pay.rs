//! The end of an order: what it holds leaves it, and the record says where to.

use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, Own, check_associated};
use crate::chain::now;
use crate::deposit::can_hold;
use crate::refusal::Refusal;
use crate::state::{self, order};
use crate::terms::{Term, Terms, Word};
use crate::token::{Mint, wants_memo};

/// Where the accounts of a token begin: vault, mint, token program.
const TAIL: usize = 4;

/// An open order with what it holds.
pub struct Purse<'a> {
    call: &'a Call<'a>,
    pub order: AccountView,
    pub terms: &'a Terms,
    pub id: Word,
    vault: Option<(AccountView, Mint)>,
}

impl<'a> Purse<'a> {
    /// The order of the first account, which must be open.
    pub fn open(call: &'a Call<'a>, terms: &'a mut Terms) -> Result<Self, Refusal> {
        let order = call.writable(0)?;
        state::open_order(call.program, &order, terms)?;
        let terms = &*terms;
        let id = terms.id();
        Own::check(call.program, address::ORDER, &id, &order)?;
        let vault = if terms.pays_in_sol() {
            None
        } else {
            let mint =
                Mint::named(terms.word(Term::InputToken), call.account(TAIL + 1)?, call.account(TAIL + 2)?)?;
            Some((call.writable(TAIL)?, mint))
        };
        Ok(Self { call, order, terms, id, vault })
    }

    /// Takes the order out of `open` for good; `cause` is told of refunds only.
    pub fn end(&self, status: u8, cause: u8, paid_to: &Word) -> Result<(), Refusal> {
        let mut account = self.order;
        let mut data = state::load_mut(self.call.program, &mut account, state::ORDER)?;
        data[order::STATUS] = status;
        data[order::CAUSE] = cause;
        state::set_number(&mut data, order::ENDED_AT, now()?);
        state::set_word(&mut data, order::PAID_TO, paid_to);
        Ok(())
    }

    /// Pays a party of the order: its wallet in SOL, its associated account in tokens.
    pub fn pay(&self, party: &Word, account: AccountView, amount: u64) -> Result<(), Refusal> {
        if amount == 0 {
            return Ok(());
        }
        self.check_place(party, &account)?;
        self.move_to(account, amount)
    }

    /// Whether a party's account, which must be named, could be paid now.
    pub fn can_pay(&self, party: &Word, account: &AccountView, amount: u64) -> Result<bool, Refusal> {
        self.check_place(party, account)?;
        match &self.vault {
            // A program that moved in since the order was opened cannot be paid by every version of the runtime.
            None => Ok(!account.executable() && can_hold(account, amount)?),
            Some((_, mint)) => Ok(mint.holding(account, party).is_ok() && !wants_memo(account)?),
        }
    }

    /// Moves money to an account that somebody entitled has chosen.
    pub fn move_to(&self, mut to: AccountView, amount: u64) -> Result<(), Refusal> {
        let Some((vault, mint)) = &self.vault else {
            if !to.is_writable() {
                return Err(Refusal::NotWritable);
            }
            if !can_hold(&to, amount)? {
                return Err(Refusal::NotRentExempt);
            }
            let mut order = self.order;
            order.set_lamports(order.lamports().checked_sub(amount).ok_or(Refusal::Overflow)?);
            to.set_lamports(to.lamports().checked_add(amount).ok_or(Refusal::Overflow)?);
            return Ok(());
        };
        mint.read(&to)?;
        let own = Own::check(self.call.program, address::VAULT, &self.id, vault)?;
        mint.transfer(vault, &to, amount, &Authority { account: vault, own: Some(&own) })
    }

    fn check_place(&self, party: &Word, account: &AccountView) -> Result<(), Refusal> {
        if !account.is_writable() {
            return Err(Refusal::NotWritable);
        }
        match &self.vault {
            Some((_, mint)) => check_associated(account, party, &mint.account, &mint.program),
            None if account.address().as_array() == party => Ok(()),
            None => Err(Refusal::WrongAddress),
        }
    }

    /// Whose the money is that goes to this account: in tokens the holder's, in SOL the account's own.
    pub fn holder(&self, account: &AccountView) -> Result<Word, Refusal> {
        match &self.vault {
            Some((_, mint)) => Ok(mint.read(account)?.1),
            None => Ok(*account.address().as_array()),
        }
    }
}
