//! Many orders of one epoch, payee and currency, claimed with one signature of each attester.

use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, ProgramAddress};
use crate::attesters;
use crate::chain::log;
use crate::claim::{Fill, check_attested, pay};
use crate::digest;
use crate::error::EscrowError;
use crate::payout::OpenOrder;
use crate::state::{self, epoch};
use crate::terms::{Term, Terms, Word, ZERO};
use crate::token::Mint;

/// More do not fit into a transaction, whatever they are.
const MAX_ORDERS: usize = 16;

/// In the flags of an order: its id follows, because its account may have been closed.
const WITH_ID: u8 = 1;
/// In the flags of an order: the referrer's account follows.
const WITH_REFERRER: u8 = 2;

/// Claims every order of the list that is still open; the others are skipped, and the log names them. Anyone may call.
///
/// Accounts: epoch, the payee's account, in tokens also mint and token program. Then for each order: order, in tokens its
/// vault, and with a fee the referrer's account.
///
/// Data: 1 for tokens or 0 for SOL `u8`, count `u8`; for each order flags `u8`, the time of the fill `u64`, its reference (32
/// bytes) and with that flag the id (32 bytes); signatures of 65 bytes over the whole list.
#[inline(never)]
pub fn claim_batch(call: &Call) -> Result<(), EscrowError> {
    let mut ids = [ZERO; MAX_ORDERS];
    check_signed(call, &mut ids)?;
    let mut list = List::begin(call)?;
    let mint = list.mint;
    for id in ids.iter().take(list.count) {
        claim_entry(call, mint, &list.next()?, id)?;
    }
    Ok(())
}

/// Makes sure that the epoch's attesters signed exactly this list, and that every account is the order that it names.
#[inline(never)]
fn check_signed(call: &Call, ids: &mut [Word; MAX_ORDERS]) -> Result<(), EscrowError> {
    let mut list = List::begin(call)?;
    let mut fills = [ZERO; MAX_ORDERS];
    let mut terms = Terms::zeroed();
    for (id, hash) in ids.iter_mut().zip(&mut fills).take(list.count) {
        let entry = list.next()?;
        *id = identify(call, &entry, &mut terms)?;
        let (filled_at, fill_ref) = &entry.fill;
        *hash = digest::fill(id, *filled_at, fill_ref);
    }
    if list.account != call.accounts.len() {
        return Err(EscrowError::BadData);
    }
    let digest = digest::filled_batch(call.program, &fills[..list.count]);
    let account = call.account(0)?;
    let number = state::number(&state::load(call.program, &account, state::EPOCH)?, epoch::NUMBER);
    attesters::check(call, &account, number, &digest, list.at)
}

/// The id of an order: from its account while that exists, else as the caller states it.
fn identify(call: &Call, entry: &Entry, terms: &mut Terms) -> Result<Word, EscrowError> {
    let stated = entry.id;
    let id = if entry.order.owned_by(call.program) {
        state::read_terms(call.program, &entry.order, terms)?;
        terms.id()
    } else {
        stated.ok_or(EscrowError::NotOpen)?
    };
    if stated.is_some_and(|stated| stated != id) {
        return Err(EscrowError::WrongAddress);
    }
    ProgramAddress::check(call.program, address::ORDER, &id, &entry.order)?;
    Ok(id)
}

#[inline(never)]
fn claim_entry(call: &Call, mint: Option<Mint>, entry: &Entry, id: &Word) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    let open =
        entry.order.owned_by(call.program) && state::read_terms(call.program, &entry.order, &mut terms)?;
    if !open {
        log("skipped, not open:", entry.order.address());
        return Ok(());
    }
    check_attested(&terms, entry.fill.0)?;
    let epoch = state::number(&state::load(call.program, &call.account(0)?, state::EPOCH)?, epoch::NUMBER);
    if terms.number(Term::Epoch)? != epoch {
        return Err(EscrowError::WrongEpoch);
    }
    let order = OpenOrder::checked(call, entry.order, (*id, &terms), entry.vault.zip(mint))?;
    if order.is_frozen()? {
        log("skipped, frozen:", entry.order.address());
        return Ok(());
    }
    let payee = call.account(1)?;
    let referrer = match entry.referrer {
        Some(referrer) => referrer,
        None if terms.number(Term::ReferrerFee)? == 0 => payee,
        None => return Err(EscrowError::MissingAccount),
    };
    pay(&order, &entry.fill, payee, referrer)
}

/// One order of the list.
struct Entry {
    order: AccountView,
    vault: Option<AccountView>,
    referrer: Option<AccountView>,
    fill: Fill,
    id: Option<Word>,
}

/// Reads the list, data and accounts side by side.
struct List<'a> {
    call: &'a Call<'a>,
    mint: Option<Mint>,
    count: usize,
    /// The next byte of the data.
    at: usize,
    /// The next account.
    account: usize,
}

impl<'a> List<'a> {
    fn begin(call: &'a Call<'a>) -> Result<Self, EscrowError> {
        let &[kind, count, ..] = call.data else {
            return Err(EscrowError::BadData);
        };
        let (mint, account) = match kind {
            0 => (None, 2),
            1 => (Some(Mint::of(call.account(2)?, call.account(3)?)?), 4),
            _ => return Err(EscrowError::BadData),
        };
        let count = usize::from(count);
        if count == 0 || count > MAX_ORDERS {
            return Err(EscrowError::BadData);
        }
        Ok(Self { call, mint, count, at: 2, account })
    }

    fn next(&mut self) -> Result<Entry, EscrowError> {
        let [flags] = self.bytes()?;
        if flags & !(WITH_ID | WITH_REFERRER) != 0 {
            return Err(EscrowError::BadData);
        }
        let fill = (u64::from_le_bytes(self.bytes()?), self.bytes()?);
        let id = if flags & WITH_ID == 0 { None } else { Some(self.bytes()?) };
        let order = self.account()?;
        let vault = if self.mint.is_some() { Some(self.account()?) } else { None };
        let referrer = if flags & WITH_REFERRER == 0 { None } else { Some(self.account()?) };
        Ok(Entry { order, vault, referrer, fill, id })
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], EscrowError> {
        let rest = self.call.data.get(self.at..).ok_or(EscrowError::BadData)?;
        let bytes = rest.first_chunk().ok_or(EscrowError::BadData)?;
        self.at += N;
        Ok(*bytes)
    }

    fn account(&mut self) -> Result<AccountView, EscrowError> {
        let account = self.call.writable(self.account)?;
        self.account += 1;
        Ok(account)
    }
}
