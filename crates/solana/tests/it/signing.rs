use causeway_solana::{RecentBlockhash, SignedError, SignedTransaction, UnsignedTransaction};
use proptest::prelude::*;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_keypair::Keypair;
use solana_signer::Signer;

pub(crate) fn built(payer: &Keypair, other: &Keypair) -> UnsignedTransaction {
    let instruction = Instruction {
        program_id: Address::new_from_array([2; 32]),
        accounts: vec![AccountMeta::new(other.pubkey(), true)],
        data: vec![1, 2, 3],
    };
    let recent = RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 };
    UnsignedTransaction::build(&payer.pubkey(), &[instruction], &[], recent).unwrap()
}

pub(crate) fn signed_by(built: &UnsignedTransaction, signers: &[&Keypair]) -> Vec<u8> {
    let mut wire = built.to_wire();
    for (slot, signer) in wire[1..].chunks_exact_mut(64).zip(signers) {
        slot.copy_from_slice(signer.sign_message(built.message()).as_ref());
    }
    wire
}

#[test]
fn the_built_message_signed_by_everybody_is_accepted() {
    let (payer, other) = (Keypair::new(), Keypair::new());
    let built = built(&payer, &other);
    let wire = signed_by(&built, &[&payer, &other]);
    let signed = SignedTransaction::check(&wire, built.message(), 150).unwrap();
    assert_eq!(signed.signature(), payer.sign_message(built.message()));
    assert_eq!(signed.wire(), wire);
}

#[test]
fn altered_or_incompletely_signed_transaction_is_refused() {
    let (payer, other) = (Keypair::new(), Keypair::new());
    let unsigned = built(&payer, &other);
    let check = |wire: &[u8]| SignedTransaction::check(wire, unsigned.message(), 150).unwrap_err();
    assert_eq!(check(&signed_by(&unsigned, &[&payer])), SignedError::Signature(2));
    assert_eq!(check(&signed_by(&unsigned, &[&other, &payer])), SignedError::Signature(1));
    let another = built(&payer, &Keypair::new());
    assert_eq!(check(&signed_by(&another, &[&payer, &other])), SignedError::Altered);
    let mut longer = signed_by(&unsigned, &[&payer, &other]);
    longer.push(0);
    assert_eq!(check(&longer), SignedError::Altered);
    assert_eq!(check(&[0; 2_000]), SignedError::TooLarge);
    assert_eq!(check(&[]), SignedError::Form);
    assert_eq!(check(&[2; 100]), SignedError::Form);
}

proptest! {
    #[test]
    fn any_bytes_are_checked_without_panic(
        wire in prop::collection::vec(any::<u8>(), 0..300), message in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        prop_assert!(SignedTransaction::check(&wire, &message, 1).is_err());
        let signed = [&[1][..], &[0; 64], &message].concat();
        prop_assert!(SignedTransaction::check(&signed, &message, 1).is_err());
    }
}
