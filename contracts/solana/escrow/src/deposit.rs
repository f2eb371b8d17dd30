//! Plain transfers: an order has an address of its own, and what arrives there opens it or goes to its refund address.

use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, ProgramAddress, check_associated};
use crate::chain::{now, rent};
use crate::error::EscrowError;
use crate::open::{Opening, check_place};
use crate::system::transfer;
use crate::terms::{Term, Terms, Word, ZERO};
use crate::token::Mint;

/// Where the accounts of a token begin.
const SWEEP_TAIL: usize = 6;
const GIVE_BACK_TAIL: usize = 4;

/// Opens an order with exactly its amount of what has arrived. Anyone may call.
///
/// Data: packed terms.
#[inline(never)]
pub fn sweep(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    terms.unpack(call, 0)?;
    let (deposit, refund_to) = (call.writable(1)?, call.writable(5)?);
    check_refund_to(terms.word(Term::RefundTo), &refund_to)?;
    let opening = Opening::admit(call, &terms, true)?;
    let own = ProgramAddress::check(call.program, address::DEPOSIT, &opening.id, &deposit)?;
    let from = Authority { account: &deposit, own: Some(&own) };

    open_from(&opening, &from, refund_to)
}

/// Moves exactly the order's amount from a deposit address; the call's accounts are those of a sweep.
#[inline(never)]
pub fn open_from(opening: &Opening, from: &Authority, refund_to: AccountView) -> Result<(), EscrowError> {
    // Token accounts live on with any amount in them: what is over waits there until it is sent back.
    if !opening.terms.pays_in_sol() {
        return opening.take(from, SWEEP_TAIL);
    }
    if from.account.lamports() < opening.terms.number(Term::AmountIn)? {
        return Err(EscrowError::TooLittle);
    }
    opening.take(from, SWEEP_TAIL)?;
    // The runtime keeps no account with little in it, so the rest leaves with the deposit. What is too little for the refund
    // address as well waits in the order's account until that is closed.
    let rest = from.account.lamports();
    if rest == 0 {
        return Ok(());
    }
    let to = if can_hold(&refund_to, rest)? { refund_to } else { opening.order };
    transfer(from, &to, rest)
}

/// Sends everything else to the refund address: other tokens, what is over, what came late. The awaited currency waits until
/// the order is opened or can no longer be. Anyone may call.
///
/// Data: whether to close the token account `u8`, packed terms. Without the accounts of a token it is about SOL.
#[inline(never)]
pub fn give_back(call: &Call) -> Result<(), EscrowError> {
    let mut terms = Terms::zeroed();
    terms.unpack(call, 1)?;
    check_place(call, &terms)?;
    let (deposit, order) = (call.writable(0)?, call.account(1)?);
    let id = terms.id();
    let own = ProgramAddress::check(call.program, address::DEPOSIT, &id, &deposit)?;
    let from = Authority { account: &deposit, own: Some(&own) };
    ProgramAddress::check(call.program, address::ORDER, &id, &order)?;
    // An order's account is kept past the open deadline: within it, no account means that nobody opened.
    let awaited = now()? <= terms.number(Term::OpenDeadline)? && !order.owned_by(call.program);
    send_back(
        call,
        &from,
        terms.word(Term::RefundTo),
        awaited.then(|| terms.word(Term::InputToken)),
        GIVE_BACK_TAIL,
    )
}

/// Sends all of one currency from a deposit address to the refund address, unless it is the one still awaited. From `tail` on
/// the call has the accounts of a token, or none for SOL; before them are the refund address and the system program. The first
/// byte of the data says whether to close the token account.
#[inline(never)]
pub fn send_back(
    call: &Call,
    from: &Authority,
    to: &Word,
    awaited: Option<&Word>,
    tail: usize,
) -> Result<(), EscrowError> {
    let refund_to = call.writable(tail - 2)?;
    check_refund_to(to, &refund_to)?;
    let check_asset = |asset: &Word| {
        if awaited == Some(asset) { Err(EscrowError::StillAwaited) } else { Ok(()) }
    };
    if call.accounts.len() <= tail {
        check_asset(&ZERO)?;
        let all = from.account.lamports();
        if all == 0 {
            return Err(EscrowError::TooLittle);
        }
        if !can_hold(&refund_to, all)? {
            return Err(EscrowError::NotRentExempt);
        }
        return transfer(from, &refund_to, all);
    }
    let (source, destination) = (call.writable(tail)?, call.writable(tail + 1)?);
    let mint = Mint::of(call.account(tail + 2)?, call.account(tail + 3)?)?;
    check_asset(mint.account.address().as_array())?;
    let all = mint.holding(&source, from.account.address().as_array())?;
    check_associated(&destination, to, &mint.account, &mint.program)?;
    mint.holding(&destination, to)?;
    if all != 0 {
        mint.transfer(&source, &destination, all, from)?;
    }
    if call.data.first() == Some(&1) { mint.close(&source, &refund_to, from) } else { Ok(()) }
}

pub fn check_refund_to(wanted: &Word, account: &AccountView) -> Result<(), EscrowError> {
    if *wanted == ZERO {
        return Err(EscrowError::ZeroAddress);
    }
    if account.address().as_array() == wanted { Ok(()) } else { Err(EscrowError::WrongAddress) }
}

/// Whether the runtime would keep the account with so many lamports more.
pub fn can_hold(account: &AccountView, more: u64) -> Result<bool, EscrowError> {
    let after = account.lamports().checked_add(more).ok_or(EscrowError::Overflow)?;
    Ok(after >= rent(account.data_len())?)
}
