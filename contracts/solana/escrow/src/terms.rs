//! Every term of an order, as all chains hash it: twenty-one words of 32 bytes, numbers big-endian.

use crate::Call;
use crate::chain::{copy, keccak};
use crate::error::EscrowError;

pub type Word = [u8; 32];

const TYPE: &[u8] = b"CausewayOrder(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,\
bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,bytes32 filler,bytes32 payee,\
bytes32 referrer,uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,\
uint256 amountOut,bytes32 recipient,uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch)";

pub const VERSION: u64 = 2;
pub const WORDS: usize = 21;
pub const BYTES: usize = WORDS * 32;
/// The zero word: the chain's own coin, or nobody.
pub const ZERO: Word = [0; 32];

/// In packed terms: the word is the program's own address.
const OWN_ADDRESS: u8 = 33;
/// In packed terms: from here on, the word is the address of the account with that number.
const ACCOUNT: u8 = 64;

/// The places of the terms.
#[derive(Clone, Copy)]
pub enum Term {
    Version,
    OriginChain,
    Escrow,
    User,
    Nonce,
    InputToken,
    AmountIn,
    RefundTo,
    Filler,
    Payee,
    Referrer,
    ReferrerFee,
    DestinationChain,
    Settler,
    OutputToken,
    AmountOut,
    Recipient,
    OpenDeadline,
    FillDeadline,
    RefundAt,
    Epoch,
}

/// Aligned so that it is copied by words; it is too large to be moved about.
#[repr(C, align(8))]
pub struct Terms([Word; WORDS]);

impl Terms {
    /// All words zero, to be read into.
    pub const fn zeroed() -> Self {
        Self([ZERO; WORDS])
    }

    /// Reads packed terms that begin at `from` and fill the rest of the instruction.
    pub fn unpack(&mut self, call: &Call, from: usize) -> Result<(), EscrowError> {
        let mut packed = Packed::begin(call, from)?;
        for word in &mut self.0 {
            packed.read(word)?;
        }
        packed.end()
    }

    /// Reads words that this program wrote.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(), EscrowError> {
        copy(self.0.as_flattened_mut(), bytes)
    }

    pub fn bytes(&self) -> &[u8] {
        self.0.as_flattened()
    }

    /// The order's id: the EIP-712 hash of the terms.
    pub fn id(&self) -> Word {
        keccak(&[&keccak(&[TYPE]), self.bytes()])
    }

    pub fn word(&self, term: Term) -> &Word {
        &self.0[term as usize]
    }

    pub fn word_mut(&mut self, term: Term) -> &mut Word {
        &mut self.0[term as usize]
    }

    /// A number that this chain can count with.
    pub fn number(&self, term: Term) -> Result<u64, EscrowError> {
        number(self.word(term))
    }

    /// Whether both sides lie on one chain, where no attester is needed.
    pub fn same_chain(&self) -> bool {
        self.word(Term::OriginChain) == self.word(Term::DestinationChain)
    }

    /// Whether the deposit is SOL itself and no token.
    pub fn pays_in_sol(&self) -> bool {
        *self.word(Term::InputToken) == ZERO
    }
}

/// A number that this chain can count with.
pub fn number(word: &Word) -> Result<u64, EscrowError> {
    let (parts, _) = word.as_chunks::<8>();
    match parts {
        [high, higher, highest, low] if [high, higher, highest].into_iter().all(|part| *part == [0; 8]) => {
            Ok(u64::from_be_bytes(*low))
        }
        _ => Err(EscrowError::NumberTooLarge),
    }
}

/// Packed words of an instruction. Each is a byte that says how many bytes of it follow (leading zeros are left out), or that
/// it is an address which the transaction carries anyway.
pub struct Packed<'a> {
    call: &'a Call<'a>,
    rest: &'a [u8],
}

impl<'a> Packed<'a> {
    /// Those that begin at `from` and fill the rest of the instruction.
    pub fn begin(call: &'a Call<'a>, from: usize) -> Result<Self, EscrowError> {
        Ok(Self { call, rest: call.data.get(from..).ok_or(EscrowError::BadData)? })
    }

    /// Reads the next one into a word that is zero so far.
    pub fn read(&mut self, word: &mut Word) -> Result<(), EscrowError> {
        let (&length, after) = self.rest.split_first().ok_or(EscrowError::BadData)?;
        self.rest = after;
        if length >= ACCOUNT {
            *word = *self.call.account(usize::from(length - ACCOUNT))?.address().as_array();
        } else if length == OWN_ADDRESS {
            *word = *self.call.program.as_array();
        } else {
            let length = usize::from(length);
            let start = 32usize.checked_sub(length).ok_or(EscrowError::BadData)?;
            let (given, after) = self.rest.split_at_checked(length).ok_or(EscrowError::BadData)?;
            copy(&mut word[start..], given)?;
            self.rest = after;
        }
        Ok(())
    }

    /// Makes sure that nothing follows.
    pub fn end(&self) -> Result<(), EscrowError> {
        if self.rest.is_empty() { Ok(()) } else { Err(EscrowError::BadData) }
    }
}
