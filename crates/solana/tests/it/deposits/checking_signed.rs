//! Every difference from the built transaction is rejected with its own message.

use std::sync::LazyLock;

use alloy_primitives::{B256, U256};
use causeway_domain::IntentTerms;
use causeway_domain::ports::{DepositBuilder as _, DepositCheckError};
use causeway_sandbox::solana::test_wallet;
use causeway_solana::program::TokenSource;
use causeway_solana::{
    RecentBlockhash, TOKEN_PROGRAM, UnsignedTransaction, compute_unit_limit, compute_unit_price,
};
use proptest::prelude::*;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{Message, VersionedMessage};
use solana_signer::Signer as _;

use super::*;
use crate::sandbox_chain::{PROGRAM, USDC, usdc_of, user};

const MEMO: Address = Address::from_str_const("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

/// The parts of a deposit; each test changes one.
#[derive(Clone)]
struct Parts {
    payer: Address,
    instructions: Vec<Instruction>,
    blockhash: Hash,
}

fn parts(terms: &IntentTerms) -> Parts {
    let payer = Address::from(terms.user.0);
    let source = TokenSource { account: usdc_of(&payer), token_program: TOKEN_PROGRAM };
    let memo = Instruction { program_id: MEMO, accounts: vec![], data: terms.id().to_string().into_bytes() };
    let open = PROGRAM.open(terms, payer, Some(source));
    let instructions = vec![compute_unit_limit(50_000), compute_unit_price(1_000), open, memo];
    Parts { payer, instructions, blockhash: Hash::new_from_array([7; 32]) }
}

impl Parts {
    fn wire(&self) -> Vec<u8> {
        let recent = RecentBlockhash { blockhash: self.blockhash, last_valid_block_height: 150 };
        UnsignedTransaction::build(&self.payer, &self.instructions, &[], recent).unwrap().to_wire()
    }
}

fn changed(terms: &IntentTerms, change: impl FnOnce(&mut Parts)) -> Vec<u8> {
    let mut parts = parts(terms);
    change(&mut parts);
    signed(&parts.wire(), &user())
}

fn terms() -> IntentTerms {
    let word = B256::repeat_byte;
    IntentTerms {
        origin_chain_id: 20_011_000_000,
        escrow: PROGRAM.id.to_bytes().into(),
        user: user().pubkey().to_bytes().into(),
        nonce: word(4),
        input_token: USDC.to_bytes().into(),
        amount_in: U256::from(5_000),
        refund_to: user().pubkey().to_bytes().into(),
        filler: word(8),
        payee: word(9),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 8453,
        settler: word(13),
        output_token: B256::ZERO,
        amount_out: U256::from(15),
        recipient: word(16),
        open_deadline: 17,
        fill_deadline: 18,
        refund_at: 19,
        epoch: 1,
    }
}

/// Comparing bytes needs no chain. Built once, because TLS setup is slow.
static OFFLINE_BUILDER: LazyLock<SolanaDepositBuilder> = LazyLock::new(|| {
    let config = causeway_solana::RpcConfig::new(vec!["http://127.0.0.1:1".parse().unwrap()]);
    let deployment = causeway_domain::SolanaDeployment {
        chain: causeway_domain::SOLANA_CHAIN_ID,
        program: PROGRAM.id.to_bytes().into(),
        min_grace: 60,
        from_slot: 0,
    };
    SolanaDepositBuilder::new(causeway_solana::SolanaRpc::new(config).unwrap(), &deployment)
});

async fn check(raw: &[u8]) -> Result<String, String> {
    let built = parts(&terms()).wire();
    OFFLINE_BUILDER.check_signed(&terms(), Some(&built), raw).await.map_err(|error| match error {
        DepositCheckError::Mismatch(why) => why.0,
        DepositCheckError::Chain(error) => panic!("{error}"),
    })
}

async fn rejection(raw: &[u8]) -> String {
    check(raw).await.unwrap_err()
}

#[tokio::test]
async fn transaction_signed_by_the_payer_is_identified_by_its_signature() {
    let built = parts(&terms()).wire();
    let raw = signed(&built, &user());
    assert_eq!(check(&raw).await, Ok(user().sign_message(&built[65..]).to_string()));
}

#[tokio::test]
async fn bytes_that_are_not_a_transaction_are_refused() {
    for bytes in [&b"hello world"[..], &[1; 200], &[0; 300], &[255; 90], &[1]] {
        assert!(rejection(bytes).await.contains("not a Solana transaction"), "{bytes:?}");
    }
    let mut longer = signed(&parts(&terms()).wire(), &user());
    longer.push(0);
    assert!(rejection(&longer).await.contains("not a Solana transaction"));
    let message = &parts(&terms()).wire()[65..];
    assert!(rejection(message).await.contains("without its signature"));
}

#[tokio::test]
async fn a_legacy_transaction_is_refused() {
    let Parts { payer, instructions, blockhash } = parts(&terms());
    let message = Message::new_with_blockhash(&instructions, Some(&payer), &blockhash);
    let message = VersionedMessage::Legacy(message).serialize();
    let wire = [&[1][..], user().sign_message(&message).as_ref(), &message].concat();
    assert!(rejection(&wire).await.contains("legacy transaction"));
}

#[tokio::test]
async fn a_missing_signature_is_refused() {
    assert!(rejection(&parts(&terms()).wire()).await.contains("its signature is empty"));
    let built = parts(&terms()).wire();
    assert!(rejection(&[&[0], &built[65..]].concat()).await.contains("not a Solana transaction"));
    let twice = [&[2][..], &built[1..65], &built[1..65], &built[65..]].concat();
    assert!(rejection(&twice).await.contains("2 signatures"));
}

#[tokio::test]
async fn a_wrong_signature_is_refused() {
    let stranger = signed(&parts(&terms()).wire(), &test_wallet(1).unwrap());
    assert!(rejection(&stranger).await.contains("not that of the payer"));
    let mut modified = signed(&parts(&terms()).wire(), &user());
    modified[5] ^= 1;
    assert!(rejection(&modified).await.contains("not that of the payer"));
}

#[tokio::test]
async fn another_fee_payer_is_refused() {
    let stranger = test_wallet(1).unwrap();
    let mut parts = parts(&terms());
    parts.payer = stranger.pubkey();
    parts.instructions.remove(2);
    let reason = rejection(&signed(&parts.wire(), &stranger)).await;
    assert!(reason.contains(&format!("{} pays for it", stranger.pubkey())), "{reason}");
}

#[tokio::test]
async fn a_further_signer_is_refused() {
    let stranger = test_wallet(1).unwrap().pubkey();
    let mut parts = parts(&terms());
    parts.instructions[3].accounts.push(AccountMeta::new_readonly(stranger, true));
    let reason = rejection(&parts.wire()).await;
    assert!(reason.contains("it asks for 2 signatures"), "{reason}");
}

#[tokio::test]
async fn an_extra_instruction_is_refused() {
    let transfer = Instruction {
        program_id: Address::new_from_array([0; 32]),
        accounts: vec![AccountMeta::new(user().pubkey(), true), AccountMeta::new([3; 32].into(), false)],
        data: vec![2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    };
    for at in [0, 4] {
        let raw = changed(&terms(), |parts| parts.instructions.insert(at, transfer.clone()));
        let reason = rejection(&raw).await;
        assert!(reason.contains("5 instructions where 4 were built"), "{reason}");
        assert!(reason.contains(&transfer.program_id.to_string()), "{reason}");
    }
    let fewer = changed(&terms(), |parts| drop(parts.instructions.pop()));
    assert!(rejection(&fewer).await.contains("3 instructions where 4 were built"));
}

#[tokio::test]
async fn a_changed_amount_or_destination_is_refused() {
    let cases = [
        (IntentTerms { amount_in: U256::from(4_999), ..terms() }, "another amount than"),
        (IntentTerms { recipient: B256::repeat_byte(99), ..terms() }, "another recipient than"),
        (IntentTerms { destination_chain_id: 10, ..terms() }, "another destination chain"),
        (IntentTerms { refund_to: B256::repeat_byte(98), ..terms() }, "another refund address"),
        (IntentTerms { refund_at: 20, ..terms() }, "other terms"),
    ];
    for (other, expected) in cases {
        let reason = rejection(&changed(&other, |_| {})).await;
        assert!(reason.contains(expected), "{reason}");
    }
}

#[tokio::test]
async fn a_replaced_account_is_refused() {
    let thief = Address::new_from_array([66; 32]);
    let raw = changed(&terms(), |parts| parts.instructions[2].accounts[5].pubkey = thief);
    let reason = rejection(&raw).await;
    assert!(reason.contains(&format!("{thief} instead of")), "{reason}");
    let raw = changed(&terms(), |parts| parts.instructions[2].accounts.truncate(8));
    let reason = rejection(&raw).await;
    assert!(reason.contains("added to an instruction, or taken from it"), "{reason}");
}

#[tokio::test]
async fn a_transaction_for_another_order_is_refused() {
    let other = IntentTerms { nonce: B256::repeat_byte(77), ..terms() };
    let reason = rejection(&changed(&other, |_| {})).await;
    assert_eq!(reason, format!("it is the deposit of another order, {}", other.id()));
    let memo = changed(&terms(), |parts| parts.instructions[3].data = other.id().to_string().into_bytes());
    assert!(rejection(&memo).await.contains("memo does not name this order"));
}

#[tokio::test]
async fn stale_blockhash_is_refused_with_instructions() {
    let raw = changed(&terms(), |parts| parts.blockhash = Hash::new_from_array([8; 32]));
    assert!(rejection(&raw).await.contains("build the deposit again and sign the newest"));
}

#[tokio::test]
async fn compute_budget_changed_by_the_wallet_is_refused_with_a_workaround() {
    let raw = changed(&terms(), |parts| parts.instructions[1] = compute_unit_price(99));
    assert!(rejection(&raw).await.contains("submit its signature as txHash"));
}

#[tokio::test]
async fn an_oversize_transaction_is_refused() {
    assert!(rejection(&[1; 1_233]).await.contains("1233 bytes, more than the 1232"));
}

#[tokio::test]
async fn without_a_build_nothing_is_accepted() {
    let raw = signed(&parts(&terms()).wire(), &user());
    let error = OFFLINE_BUILDER.check_signed(&terms(), None, &raw).await.unwrap_err();
    assert!(error.to_string().contains("build its deposit first"), "{error}");
}

proptest! {
    #[test]
    fn any_bytes_are_checked_without_panic(
        raw in prop::collection::vec(any::<u8>(), 0..600), at in 0usize..600, flip in 1u8..,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        prop_assert!(runtime.block_on(check(&raw)).is_err());
        // Any single changed byte is noticed.
        let mut modified = signed(&parts(&terms()).wire(), &user());
        if let Some(byte) = modified.get_mut(at) {
            *byte ^= flip;
            prop_assert!(runtime.block_on(check(&modified)).is_err());
        }
    }
}
