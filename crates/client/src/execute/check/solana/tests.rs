//! Checks of transactions that the service's own code builds.

use alloy_primitives::U256;
use causeway_solana::program::{
    EscrowProgram, SANDBOX_PROGRAM, SOLANA_CHAIN_ID, TokenSource, associated_token_account,
};
use causeway_solana::{
    RecentBlockhash, TOKEN_PROGRAM, UnsignedTransaction, compute_unit_limit, compute_unit_price,
};
use serde_json::json;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::{AccountMeta, Instruction};

use super::*;

const PAYER: Address = Address::new_from_array([0xaa; 32]);
const OTHER: Address = Address::new_from_array([0xbb; 32]);
const MINT: Address = Address::new_from_array([0x70; 32]);

fn order() -> causeway_domain::IntentTerms {
    let word = |address: Address| B256::from(address.to_bytes());
    causeway_domain::IntentTerms {
        origin_chain_id: SOLANA_CHAIN_ID,
        escrow: word(SANDBOX_PROGRAM),
        user: word(PAYER),
        nonce: B256::repeat_byte(9),
        input_token: word(MINT),
        amount_in: U256::from(1000),
        refund_to: word(PAYER),
        filler: B256::repeat_byte(1),
        payee: B256::repeat_byte(2),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 8453,
        settler: B256::left_padding_from(&[3; 20]),
        output_token: B256::ZERO,
        amount_out: U256::from(300),
        recipient: B256::left_padding_from(&[4; 20]),
        open_deadline: 1_794_744_600,
        fill_deadline: 1_794_745_500,
        refund_at: 1_794_767_100,
        epoch: 1,
    }
}

fn wire_terms(terms: &causeway_domain::IntentTerms) -> causeway_wire::Terms {
    serde_json::from_value(json!({
        "version": "2",
        "originChainId": terms.origin_chain_id.to_string(),
        "escrow": terms.escrow,
        "user": terms.user,
        "nonce": terms.nonce,
        "inputToken": terms.input_token,
        "amountIn": terms.amount_in.to_string(),
        "refundTo": terms.refund_to,
        "filler": terms.filler,
        "payee": terms.payee,
        "referrer": terms.referrer,
        "referrerFee": terms.referrer_fee.to_string(),
        "destinationChainId": terms.destination_chain_id.to_string(),
        "settler": terms.settler,
        "outputToken": terms.output_token,
        "amountOut": terms.amount_out.to_string(),
        "recipient": terms.recipient,
        "openDeadline": terms.open_deadline.to_string(),
        "fillDeadline": terms.fill_deadline.to_string(),
        "refundAt": terms.refund_at.to_string(),
        "epoch": terms.epoch.to_string(),
    }))
    .unwrap()
}

fn open(terms: &causeway_domain::IntentTerms, payer: Address) -> Instruction {
    let account = associated_token_account(&PAYER, &MINT, &TOKEN_PROGRAM);
    let source = TokenSource { account, token_program: TOKEN_PROGRAM };
    EscrowProgram::new(SANDBOX_PROGRAM).open(terms, payer, Some(source))
}

fn other(program: Address, data: &[u8]) -> Instruction {
    Instruction { program_id: program, accounts: vec![AccountMeta::new(PAYER, true)], data: data.to_vec() }
}

/// Creates a token account of `owner` at the payer's expense.
fn account_of(owner: Address, data: &[u8]) -> Instruction {
    let mut made = other(address(ASSOCIATED_TOKEN), data);
    made.accounts.extend([OTHER, owner, MINT].map(|key| AccountMeta::new_readonly(key, false)));
    made
}

fn check(payer: Address, instructions: &[Instruction]) -> Result<(), String> {
    let recent = RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 1 };
    let built = UnsignedTransaction::build(&payer, instructions, &[], recent).unwrap();
    check_bytes(&built.to_wire())
}

fn check_bytes(bytes: &[u8]) -> Result<(), String> {
    let ask = QuoteAsk { from_address: PAYER.to_string(), ..QuoteAsk::default() };
    let terms = ParsedTerms::read(&wire_terms(&order())).unwrap();
    check_transaction(&ask, &terms, &BASE64.encode(bytes)).map(drop)
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

#[test]
fn deposit_built_by_the_service_is_accepted() {
    let memo = Instruction { program_id: address(MEMO), accounts: Vec::new(), data: b"order".to_vec() };
    let whole = [compute_unit_limit(400_000), compute_unit_price(1_000), open(&order(), PAYER), memo];
    assert_eq!(check(PAYER, &whole), Ok(()));
    assert_eq!(check(PAYER, &[open(&order(), PAYER)]), Ok(()));
}

#[test]
fn order_with_other_terms_is_rejected() {
    let terms = order();
    let others = [
        causeway_domain::IntentTerms { amount_in: U256::from(1001), ..terms },
        causeway_domain::IntentTerms { recipient: B256::repeat_byte(6), ..terms },
        causeway_domain::IntentTerms { refund_to: B256::repeat_byte(6), ..terms },
        causeway_domain::IntentTerms { refund_at: terms.refund_at + 1, ..terms },
        causeway_domain::IntentTerms { nonce: B256::ZERO, ..terms },
    ];
    for other in others {
        let problem = check(PAYER, &[open(&other, PAYER)]).unwrap_err();
        assert!(problem.contains("different terms"), "{problem}");
    }
}

#[test]
fn transaction_that_is_not_exactly_one_deposit_is_rejected() {
    let deposit = || open(&order(), PAYER);
    let system = Address::new_from_array([0; 32]);
    let mut sweep = deposit();
    sweep.data[0] = 5;
    let mut truncated = deposit();
    truncated.data.pop();
    let mut longer = deposit();
    longer.data.push(0);
    let mut for_another = deposit();
    for_another.accounts[1] = AccountMeta::new(OTHER, false);
    let table = [
        (vec![], "opens 0 orders"),
        (vec![deposit(), deposit()], "opens 2 orders"),
        (vec![deposit(), other(system, &[2, 0, 0, 0])], "a deposit does not need"),
        (vec![deposit(), other(TOKEN_PROGRAM, &[3])], "a deposit does not need"),
        (vec![deposit(), account_of(PAYER, &[1])], "a deposit does not need"),
        (vec![deposit(), other(address(MEMO), b"x")], "a deposit does not need"),
        (vec![deposit(), account_of(OTHER, &[1])], "a deposit does not need"),
        (vec![sweep], "a deposit does not need"),
        (vec![truncated], "complete order"),
        (vec![longer], "different terms"),
        (vec![for_another], "another payer"),
        (vec![compute_unit_price(u64::MAX), deposit()], "a priority fee of"),
        (vec![open(&order(), OTHER)], "the wallet alone"),
    ];
    for (instructions, says) in table {
        let problem = check(PAYER, &instructions).unwrap_err();
        assert!(problem.contains(says), "{says}: {problem}");
    }
    let problem = check(OTHER, &[deposit()]).unwrap_err();
    assert!(problem.contains("the wallet alone"), "{problem}");
}

#[test]
fn malformed_transaction_is_rejected() {
    let recent = RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 1 };
    let built = UnsignedTransaction::build(&PAYER, &[open(&order(), PAYER)], &[], recent).unwrap().to_wire();
    let mut legacy = built.clone();
    legacy.remove(65);
    let longer = [&built[..], &[0]].concat();
    for bytes in [&b""[..], &built[..built.len() - 1], &longer, &legacy] {
        assert_eq!(check_bytes(bytes), Err(UNREADABLE.to_owned()));
    }
    let mut two_slots = built;
    two_slots[0] = 2;
    two_slots.splice(65..65, [0; 64]);
    assert!(check_bytes(&two_slots).unwrap_err().contains("the wallet alone"));
}
