//! Jumps: an address for an amount that is not known yet. It commits to where the money goes, the least rate and the time;
//! the maker's word alone opens an order with what has come, or sends it back early.

use pinocchio::AccountView;

use crate::Call;
use crate::address::{self, Authority, ProgramAddress};
use crate::attesters::signer;
use crate::chain::{CHAIN_ID, keccak, now};
use crate::deposit::{check_refund_to, open_from, send_back};
use crate::digest;
use crate::error::EscrowError;
use crate::open::Opening;
use crate::rate;
use crate::terms::{self, Packed, Term, Terms, Word, ZERO, number};

const TYPE: &[u8] = b"CausewayJump(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 nonce,\
bytes32 maker,bytes32 inputToken,bytes32 refundTo,uint256 destinationChainId,bytes32 outputToken,\
bytes32 recipient,uint256 rateIn,uint256 rateOut,uint256 expiry)";
const WORDS: usize = 13;

const SIGNATURE: usize = 65;
const GIVE_BACK_TAIL: usize = 3;

/// The places of a jump's words.
#[derive(Clone, Copy)]
enum Part {
    Version,
    OriginChain,
    Escrow,
    Maker = 4,
    InputToken,
    RefundTo,
    DestinationChain,
    OutputToken,
    Recipient,
    RateIn,
    RateOut,
    Expiry,
}

/// What an order takes from its jump, so that it cannot differ.
const COMMITTED: [(Term, Part); 8] = [
    (Term::Version, Part::Version),
    (Term::OriginChain, Part::OriginChain),
    (Term::Escrow, Part::Escrow),
    (Term::InputToken, Part::InputToken),
    (Term::RefundTo, Part::RefundTo),
    (Term::DestinationChain, Part::DestinationChain),
    (Term::OutputToken, Part::OutputToken),
    (Term::Recipient, Part::Recipient),
];

/// What a jump leaves to its maker. None of it can send the money elsewhere.
const LEFT_OPEN: [Term; 12] = [
    Term::Nonce,
    Term::AmountIn,
    Term::Filler,
    Term::Payee,
    Term::Referrer,
    Term::ReferrerFee,
    Term::Settler,
    Term::AmountOut,
    Term::OpenDeadline,
    Term::FillDeadline,
    Term::RefundAt,
    Term::Epoch,
];

struct Jump([Word; WORDS]);

impl Jump {
    fn unpack(packed: &mut Packed) -> Result<Self, EscrowError> {
        let mut jump = Self([ZERO; WORDS]);
        for word in &mut jump.0 {
            packed.read(word)?;
        }
        Ok(jump)
    }

    fn word(&self, part: Part) -> &Word {
        &self.0[part as usize]
    }

    fn id(&self) -> Word {
        keccak(&[&keccak(&[TYPE]), self.0.as_flattened()])
    }

    /// Beyond what this chain counts lies a time that never comes.
    fn expiry(&self) -> u64 {
        number(self.word(Part::Expiry)).unwrap_or(u64::MAX)
    }

    /// The order that the rest of the instruction completes, from the jump's own address.
    fn order(&self, user: &AccountView, packed: &mut Packed, terms: &mut Terms) -> Result<(), EscrowError> {
        for (term, part) in COMMITTED {
            *terms.word_mut(term) = *self.word(part);
        }
        *terms.word_mut(Term::User) = *user.address().as_array();
        for term in LEFT_OPEN {
            packed.read(terms.word_mut(term))?;
        }
        packed.end()
    }

    /// The maker is named as on EVM chains: twelve zero bytes, then the address of its key.
    fn check_maker(&self, digest: &Word, signature: &[u8; SIGNATURE]) -> Result<(), EscrowError> {
        let mut maker = ZERO;
        maker[12..].copy_from_slice(&signer(digest, signature)?);
        if maker == *self.word(Part::Maker) { Ok(()) } else { Err(EscrowError::NotTheMaker) }
    }

    fn check_place(&self, call: &Call) -> Result<(), EscrowError> {
        if number(self.word(Part::Version))? != terms::VERSION {
            return Err(EscrowError::WrongVersion);
        }
        if number(self.word(Part::OriginChain))? != CHAIN_ID {
            return Err(EscrowError::WrongChain);
        }
        if self.word(Part::Escrow) == call.program.as_array() {
            Ok(())
        } else {
            Err(EscrowError::WrongEscrow)
        }
    }
}

/// Opens an order with what has come to the jump's address, by the maker's word. Anyone may call.
///
/// The order's amount is what the maker signed. What came since then cannot stop it: it goes to the refund address, in SOL at
/// once, in tokens when it is sent back.
///
/// Data: the maker's signature, the packed jump, the packed words that the jump leaves open.
#[inline(never)]
pub fn jump(call: &Call) -> Result<(), EscrowError> {
    let (signature, _) = call.data.split_first_chunk().ok_or(EscrowError::BadData)?;
    let (deposit, refund_to) = (call.writable(1)?, call.writable(5)?);
    let mut packed = Packed::begin(call, SIGNATURE)?;
    let jump = Jump::unpack(&mut packed)?;
    let mut terms = Terms::zeroed();
    jump.order(&deposit, &mut packed, &mut terms)?;
    let id = jump.id();
    let own = ProgramAddress::check(call.program, address::DEPOSIT, &id, &deposit)?;
    check_refund_to(jump.word(Part::RefundTo), &refund_to)?;
    let opening = admit(call, &jump, &terms)?;
    jump.check_maker(&digest::open_jump(call.program, &id, &opening.id), signature)?;
    open_from(&opening, &Authority { account: &deposit, own: Some(&own) }, refund_to)
}

/// An order that the jump allows and that may be opened now.
fn admit<'a>(call: &'a Call<'a>, jump: &Jump, terms: &'a Terms) -> Result<Opening<'a>, EscrowError> {
    let opening = Opening::admit(call, terms, true)?;
    if opening.now > jump.expiry() {
        return Err(EscrowError::Expired);
    }
    let (rate_in, rate_out) = (jump.word(Part::RateIn), jump.word(Part::RateOut));
    if rate::holds(rate_in, rate_out, terms.word(Term::AmountIn), terms.word(Term::AmountOut)) {
        Ok(opening)
    } else {
        Err(EscrowError::RateTooLow)
    }
}

/// Sends what lies at the jump's address to its refund address: the awaited currency past the expiry, or by the maker's word;
/// everything else at once. Anyone may call.
///
/// Data: whether to close the token account `u8`, the length of the signature `u8` (0 or 65), the maker's signature, the packed
/// jump. Without the accounts of a token it is about SOL.
#[inline(never)]
pub fn give_back_jump(call: &Call) -> Result<(), EscrowError> {
    let &[_, length, ref rest @ ..] = call.data else {
        return Err(EscrowError::BadData);
    };
    let signature = match usize::from(length) {
        0 => None,
        SIGNATURE => Some(rest.first_chunk().ok_or(EscrowError::BadData)?),
        _ => return Err(EscrowError::BadSignature),
    };
    let mut packed = Packed::begin(call, 2 + usize::from(length))?;
    let jump = Jump::unpack(&mut packed)?;
    packed.end()?;
    jump.check_place(call)?;
    let deposit = call.writable(0)?;
    let id = jump.id();
    let own = ProgramAddress::check(call.program, address::DEPOSIT, &id, &deposit)?;
    let mut awaited = now()? <= jump.expiry();
    if let Some(signature) = signature.filter(|_| awaited) {
        jump.check_maker(&digest::release_jump(call.program, &id), signature)?;
        awaited = false;
    }
    let awaited = awaited.then(|| jump.word(Part::InputToken));
    let from = Authority { account: &deposit, own: Some(&own) };
    send_back(call, &from, jump.word(Part::RefundTo), awaited, GIVE_BACK_TAIL)
}
