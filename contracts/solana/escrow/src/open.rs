use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, ProgramAddress};
use crate::attesters::current;
use crate::chain::{CHAIN_ID, copy, now, rent};
use crate::error::EscrowError;
use crate::state::{self, attester_config, order};
use crate::system::{create, transfer};
use crate::terms::{self, Term, Terms, Word, ZERO};
use crate::token::{self, Mint};

/// The longest time between the fill deadline and the refund that anyone may ask for.
pub const MAX_GRACE: u64 = 7 * 24 * 60 * 60;
/// The longest time from the opening to the fill deadline: no deposit is bound for longer than this and the grace.
const MAX_FILL_TIME: u64 = 7 * 24 * 60 * 60;

/// Where the accounts begin that depend on what is deposited.
const OPEN_TAIL: usize = 5;

/// Takes the deposit of the order's user, who signs.
///
/// Data: packed terms.
#[inline(never)]
pub fn open(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    terms.unpack(call, 0)?;
    let user = call.signer(1)?;
    if user.address().as_array() != terms.word(Term::User) {
        return Err(EscrowError::NotTheUser);
    }
    let opening = Opening::admit(call, &terms, false)?;
    opening.take(&Authority { account: &user, own: None }, OPEN_TAIL)
}

/// An order that may be opened now, with the accounts that every opening begins with: payer, depositor, order, attester config.
pub struct Opening<'a> {
    call: &'a Call<'a>,
    pub terms: &'a Terms,
    pub id: Word,
    payer: AccountView,
    pub order: AccountView,
    pub now: u64,
    swept: bool,
}

impl<'a> Opening<'a> {
    /// All that must hold for an order to be opened now.
    pub fn admit(call: &'a Call<'a>, terms: &'a Terms, swept: bool) -> Result<Self, EscrowError> {
        let (payer, order) = (call.signer(0)?, call.writable(2)?);
        let config = call.account(3)?;
        let data = state::load(call.program, &config, state::ATTESTER_CONFIG)?;
        check_terms(call, terms, state::number(&data, attester_config::MIN_GRACE))?;

        let now = now()?;
        if now > terms.number(Term::OpenDeadline)? {
            return Err(EscrowError::OpenDeadlinePassed);
        }
        let latest = now.checked_add(MAX_FILL_TIME).ok_or(EscrowError::Overflow)?;
        if terms.number(Term::FillDeadline)? > latest {
            return Err(EscrowError::FillDeadlineTooFar);
        }
        if terms.number(Term::Epoch)? != current(&data, now) {
            return Err(EscrowError::WrongEpoch);
        }
        if now < state::number(&data, attester_config::PAUSED_UNTIL) {
            return Err(EscrowError::OpeningPaused);
        }
        drop(data);
        Ok(Self { call, terms, id: terms.id(), payer, order, now, swept })
    }

    /// Records the order as open and moves exactly its amount from `depositor`.
    pub fn take(&self, depositor: &Authority, tail: usize) -> Result<(), EscrowError> {
        self.record()?;
        if self.terms.pays_in_sol() {
            self.check_referrer(tail)?;
            let before = self.order.lamports();
            let amount = self.terms.number(Term::AmountIn)?;
            transfer(depositor, &self.order, amount)?;
            return gained(before, self.order.lamports(), amount);
        }
        self.take_tokens(depositor, tail)
    }

    fn record(&self) -> Result<(), EscrowError> {
        if self.order.owned_by(self.call.program) {
            return Err(EscrowError::AlreadyOpened);
        }
        let own = ProgramAddress::check(self.call.program, address::ORDER, &self.id, &self.order)?;
        create(&self.payer, &self.order, &own, order::LENGTH, self.call.program)?;
        let mut account = self.order;
        let mut data = account.try_borrow_mut()?;
        data[0] = state::ORDER;
        data[order::STATUS] = state::OPEN;
        data[order::SWEPT] = u8::from(self.swept);
        state::set_number(&mut data, order::OPENED_AT, self.now);
        state::set_number(&mut data, order::RENT, rent(order::LENGTH)?);
        state::set_word(&mut data, order::PAYER, self.payer.address().as_array());
        copy(&mut data[order::TERMS..], self.terms.bytes())
    }

    fn take_tokens(&self, depositor: &Authority, tail: usize) -> Result<(), EscrowError> {
        let (vault, source) = (self.call.writable(tail)?, self.call.writable(tail + 1)?);
        let (mint, program) = (self.call.account(tail + 2)?, self.call.account(tail + 3)?);
        let mint = Mint::named(self.terms.word(Term::InputToken), mint, program)?;
        mint.check_plain()?;
        let amount = self.terms.number(Term::AmountIn)?;
        if mint.holding(&source, depositor.account.address().as_array())? < amount {
            return Err(EscrowError::TooLittle);
        }

        let own = ProgramAddress::check(self.call.program, address::VAULT, &self.id, &vault)?;
        create(&self.payer, &vault, &own, token::ACCOUNT_LENGTH, mint.program.address())?;
        mint.initialize(&vault, vault.address())?;
        // Lamports that lay at a vault of wrapped SOL are tokens of it from now on.
        let before = mint.holding(&vault, vault.address().as_array())?;
        mint.transfer(&source, &vault, amount, depositor)?;
        gained(before, mint.holding(&vault, vault.address().as_array())?, amount)
    }

    /// A fee in SOL goes to the referrer's own account, and addresses of the runtime can never be paid: an order with such a
    /// referrer could be filled and not claimed.
    fn check_referrer(&self, at: usize) -> Result<(), EscrowError> {
        if self.terms.number(Term::ReferrerFee)? == 0 {
            return Ok(());
        }
        let referrer = self.call.account(at)?;
        if referrer.address().as_array() != self.terms.word(Term::Referrer) {
            return Err(EscrowError::WrongAddress);
        }
        if referrer.is_writable() && !referrer.executable() { Ok(()) } else { Err(EscrowError::BadReferrer) }
    }
}

fn gained(before: u64, after: u64, wanted: u64) -> Result<(), EscrowError> {
    if after.checked_sub(before) == Some(wanted) { Ok(()) } else { Err(EscrowError::WrongDelta) }
}

/// What can be said of an order without looking at the time or at other accounts.
fn check_terms(call: &Call, terms: &Terms, min_grace: u64) -> Result<(), EscrowError> {
    check_place(call, terms)?;
    let own = call.program.as_array();
    let zero = |term| *terms.word(term) == ZERO;
    if zero(Term::User) || zero(Term::Filler) || zero(Term::RefundTo) || zero(Term::Payee) {
        return Err(EscrowError::ZeroAddress);
    }
    if [Term::RefundTo, Term::Payee, Term::Referrer].into_iter().any(|term| terms.word(term) == own) {
        return Err(EscrowError::EscrowAsParty);
    }
    if terms.same_chain() && terms.word(Term::Settler) != own {
        return Err(EscrowError::WrongSettler);
    }

    let (amount, fee) = (terms.number(Term::AmountIn)?, terms.number(Term::ReferrerFee)?);
    if amount == 0 || zero(Term::AmountOut) {
        return Err(EscrowError::ZeroAmount);
    }
    if fee > amount {
        return Err(EscrowError::FeeAboveAmount);
    }
    if fee != 0 && zero(Term::Referrer) {
        return Err(EscrowError::ZeroAddress);
    }

    let (open, fill) = (terms.number(Term::OpenDeadline)?, terms.number(Term::FillDeadline)?);
    let refund = terms.number(Term::RefundAt)?;
    let grace = refund.checked_sub(fill).ok_or(EscrowError::BadDeadlines)?;
    if open >= fill || grace == 0 || grace < min_grace || grace > MAX_GRACE || refund > u64::from(u32::MAX) {
        return Err(EscrowError::BadDeadlines);
    }
    Ok(())
}

/// Whether the deposit belongs on this chain and in this program.
pub fn check_place(call: &Call, terms: &Terms) -> Result<(), EscrowError> {
    if terms.number(Term::Version)? != terms::VERSION {
        return Err(EscrowError::WrongVersion);
    }
    if terms.number(Term::OriginChain)? != CHAIN_ID {
        return Err(EscrowError::WrongChain);
    }
    if terms.word(Term::Escrow) != call.program.as_array() {
        return Err(EscrowError::WrongEscrow);
    }
    Ok(())
}
