//! The end of an order: what it holds leaves it, and the record says where to.

use pinocchio::{AccountView, Address};

use crate::Call;
use crate::address::{self, Authority, ProgramAddress, check_associated};
use crate::chain::now;
use crate::deposit::can_hold;
use crate::error::EscrowError;
use crate::state::{self, order};
use crate::terms::{Term, Terms, Word};
use crate::token::{Mint, wants_memo};

/// An open order with what it holds.
pub struct OpenOrder<'a> {
    call: &'a Call<'a>,
    pub account: AccountView,
    pub terms: &'a Terms,
    pub id: Word,
    vault: Option<(AccountView, Mint)>,
}

impl<'a> OpenOrder<'a> {
    /// The order of the first account, which must be open. In tokens, vault, mint and token program begin at `tail`.
    pub fn load(call: &'a Call<'a>, tail: usize, terms: &'a mut Terms) -> Result<Self, EscrowError> {
        let account = call.writable(0)?;
        if !state::read_terms(call.program, &account, terms)? {
            return Err(EscrowError::NotOpen);
        }
        let terms = &*terms;
        let id = terms.id();
        ProgramAddress::check(call.program, address::ORDER, &id, &account)?;
        let vault = if terms.pays_in_sol() {
            None
        } else {
            let mint =
                Mint::named(terms.word(Term::InputToken), call.account(tail + 1)?, call.account(tail + 2)?)?;
            Some((call.writable(tail)?, mint))
        };
        Ok(Self { call, account, terms, id, vault })
    }

    /// An open order whose account and id were checked already, with its vault unless it is in SOL.
    pub fn checked(
        call: &'a Call<'a>,
        account: AccountView,
        (id, terms): (Word, &'a Terms),
        vault: Option<(AccountView, Mint)>,
    ) -> Result<Self, EscrowError> {
        let named = match &vault {
            Some((_, mint)) => mint.account.address().as_array() == terms.word(Term::InputToken),
            None => terms.pays_in_sol(),
        };
        if named { Ok(Self { call, account, terms, id, vault }) } else { Err(EscrowError::WrongMint) }
    }

    pub fn program(&self) -> &Address {
        self.call.program
    }

    /// Whether the mint's issuer has frozen the deposit, so that nobody can be paid from it now.
    pub fn is_frozen(&self) -> Result<bool, EscrowError> {
        let Some((vault, mint)) = &self.vault else { return Ok(false) };
        match mint.holding(vault, vault.address().as_array()) {
            Ok(_) => Ok(false),
            Err(EscrowError::FrozenAccount) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Takes the order out of `open` for good; `cause` is given for refunds only.
    pub fn end(&self, status: u8, cause: u8, paid_to: &Word) -> Result<(), EscrowError> {
        let mut account = self.account;
        let mut data = state::load_mut(self.call.program, &mut account, state::ORDER)?;
        data[order::STATUS] = status;
        data[order::CAUSE] = cause;
        state::set_number(&mut data, order::ENDED_AT, now()?);
        state::set_word(&mut data, order::PAID_TO, paid_to);
        Ok(())
    }

    /// Pays a party of the order: its wallet in SOL, its associated account in tokens.
    pub fn pay(&self, party: &Word, account: AccountView, amount: u64) -> Result<(), EscrowError> {
        if amount == 0 {
            return Ok(());
        }
        self.check_place(party, &account)?;
        self.move_to(account, amount)
    }

    /// Whether a party's account, which must be named, could be paid now.
    pub fn can_pay(&self, party: &Word, account: &AccountView, amount: u64) -> Result<bool, EscrowError> {
        self.check_place(party, account)?;
        match &self.vault {
            // A program that moved in since the order was opened cannot be paid by every version of the runtime.
            None => Ok(!account.executable() && can_hold(account, amount)?),
            Some((_, mint)) => Ok(mint.holding(account, party).is_ok() && !wants_memo(account)?),
        }
    }

    /// Moves money to an account that somebody entitled has chosen.
    pub fn move_to(&self, mut to: AccountView, amount: u64) -> Result<(), EscrowError> {
        let Some((vault, mint)) = &self.vault else {
            if !to.is_writable() {
                return Err(EscrowError::NotWritable);
            }
            if !can_hold(&to, amount)? {
                return Err(EscrowError::NotRentExempt);
            }
            let mut account = self.account;
            account.set_lamports(account.lamports().checked_sub(amount).ok_or(EscrowError::Overflow)?);
            to.set_lamports(to.lamports().checked_add(amount).ok_or(EscrowError::Overflow)?);
            return Ok(());
        };
        mint.read(&to)?;
        let own = ProgramAddress::check(self.call.program, address::VAULT, &self.id, vault)?;
        mint.transfer(vault, &to, amount, &Authority { account: vault, own: Some(&own) })
    }

    fn check_place(&self, party: &Word, account: &AccountView) -> Result<(), EscrowError> {
        if !account.is_writable() {
            return Err(EscrowError::NotWritable);
        }
        match &self.vault {
            Some((_, mint)) => check_associated(account, party, &mint.account, &mint.program),
            None if account.address().as_array() == party => Ok(()),
            None => Err(EscrowError::WrongAddress),
        }
    }

    /// Whose the money is that goes to this account: in tokens the holder's, in SOL the account's own.
    pub fn holder(&self, account: &AccountView) -> Result<Word, EscrowError> {
        match &self.vault {
            Some((_, mint)) => Ok(mint.read(account)?.1),
            None => Ok(*account.address().as_array()),
        }
    }
}
