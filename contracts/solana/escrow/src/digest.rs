//! What attesters and makers sign: EIP-712, by the same keys and with the same types as on EVM chains. The domain has the chain's number
//! and, where EVM names a contract, the program's address as its salt.

use pinocchio::Address;

use crate::chain::{CHAIN_ID, keccak};
use crate::terms::Word;

const DOMAIN_TYPE: &[u8] = b"EIP712Domain(string name,string version,uint256 chainId,bytes32 salt)";
const DOMAIN_VERSION: &[u8] = b"2";

/// The domain of statements about orders.
const ESCROW: &[u8] = b"Causeway Escrow";
/// The domain of statements about the attesters themselves.
const ATTESTERS: &[u8] = b"Causeway Attesters";
/// The domain of a maker's word about jumps.
const DEPOSITS: &[u8] = b"Causeway Deposits";

/// The type of one delivery within a batch.
const FILL: &[u8] = b"Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)";

/// "The order was delivered at this block time."
pub fn filled(program: &Address, id: &Word, filled_at: u64, fill_ref: &Word) -> Word {
    let kind = keccak(&[b"Filled(bytes32 orderId,uint256 filledAt,bytes32 fillRef)"]);
    digest(ESCROW, program, &keccak(&[&kind, id, &word(filled_at), fill_ref]))
}

/// One delivery within a batch.
pub fn fill(id: &Word, filled_at: u64, fill_ref: &Word) -> Word {
    keccak(&[&keccak(&[FILL]), id, &word(filled_at), fill_ref])
}

/// "These orders were delivered at these block times", `fills` being the hash of each.
pub fn filled_batch(program: &Address, fills: &[Word]) -> Word {
    let kind = keccak(&[b"FilledBatch(Fill[] fills)", FILL]);
    digest(ESCROW, program, &keccak(&[&kind, &keccak(&[fills.as_flattened()])]))
}

/// "At this final block time of the destination there was no delivery."
pub fn unfilled(program: &Address, id: &Word, destination_time: u64) -> Word {
    let kind = keccak(&[b"Unfilled(bytes32 orderId,uint256 destinationTime)"]);
    digest(ESCROW, program, &keccak(&[&kind, id, &word(destination_time)]))
}

/// "From two days on, these attest"; `members` is the hash of their padded addresses.
// Inlined, because a call takes five arguments at most.
#[inline(always)]
pub fn handover(program: &Address, epoch: u64, proposal: u64, members: &Word, threshold: u8) -> Word {
    let kind = keccak(&[b"Handover(uint256 epoch,uint256 proposal,address[] attesters,uint256 threshold)"]);
    let (epoch, proposal, threshold) = (word(epoch), word(proposal), word(u64::from(threshold)));
    digest(ATTESTERS, program, &keccak(&[&kind, &epoch, &proposal, members, &threshold]))
}

/// "My key no longer counts."
pub fn resignation(program: &Address, epoch: u64) -> Word {
    let kind = keccak(&[b"Resign(uint256 epoch)"]);
    digest(ATTESTERS, program, &keccak(&[&kind, &word(epoch)]))
}

/// "No new deposits until then."
pub fn pause(program: &Address, epoch: u64, until: u64) -> Word {
    let kind = keccak(&[b"PauseOpen(uint256 epoch,uint256 until)"]);
    digest(ATTESTERS, program, &keccak(&[&kind, &word(epoch), &word(until)]))
}

/// "What lies at the jump's address opens this order."
pub fn open_jump(program: &Address, jump: &Word, order: &Word) -> Word {
    let kind = keccak(&[b"OpenJump(bytes32 jumpId,bytes32 orderId)"]);
    digest(DEPOSITS, program, &keccak(&[&kind, jump, order]))
}

/// "What lies at the jump's address goes back."
pub fn release_jump(program: &Address, jump: &Word) -> Word {
    let kind = keccak(&[b"ReleaseJump(bytes32 jumpId)"]);
    digest(DEPOSITS, program, &keccak(&[&kind, jump]))
}

fn digest(name: &[u8], program: &Address, statement: &Word) -> Word {
    let (kind, name, version) = (keccak(&[DOMAIN_TYPE]), keccak(&[name]), keccak(&[DOMAIN_VERSION]));
    let domain = keccak(&[&kind, &name, &version, &word(CHAIN_ID), program.as_ref()]);
    keccak(&[b"\x19\x01", &domain, statement])
}

fn word(number: u64) -> Word {
    let mut word = [0; 32];
    word[24..].copy_from_slice(&number.to_be_bytes());
    word
}
