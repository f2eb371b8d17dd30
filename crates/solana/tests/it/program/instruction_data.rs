//! Raw bytes: the committed program files, and malformed instructions.

use causeway_solana::program::{EscrowError, MAX_INSTRUCTION_COMPUTE_UNITS};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sha2::{Digest, Sha256};
use solana_instruction::error::InstructionError;
use solana_instruction::{AccountMeta, Instruction};
use solana_transaction_error::TransactionError;

use super::fixture::*;
use super::forwarding::{forwarding_order_for, give_back, maker, sign_open, sign_release, terms_of};

#[test]
fn committed_programs_match_their_committed_hashes() {
    for file in ["escrow.so", "exchange.so"] {
        let noted = String::from_utf8(committed(&format!("{file}.sha256"))).unwrap();
        let hash = alloy_primitives::hex::encode(Sha256::digest(committed(file)));
        assert_eq!(noted, format!("{hash}  {file}\n"));
    }
}

#[test]
fn unknown_and_empty_instructions_are_refused() {
    let mut fixture = ProgramFixture::new();
    for data in [vec![], vec![17], vec![255, 1, 2, 3]] {
        let instruction = Instruction { program_id: PROGRAM.id, accounts: vec![], data };
        fixture.assert_refused(instruction, EscrowError::UnknownInstruction);
    }
}

#[test]
fn terms_with_missing_or_extra_bytes_are_refused() {
    let mut fixture = ProgramFixture::new();
    let good = PROGRAM.open(&terms_to_other_chain(Coin::Sol), USER, None);
    for length in 1..good.data.len() {
        let mut cut = good.clone();
        cut.data.truncate(length);
        fixture.assert_refused(cut, EscrowError::BadData);
    }
    let mut long = good.clone();
    long.data.push(0);
    fixture.assert_refused(long, EscrowError::BadData);
    let mut odd = good.clone();
    odd.data[1] = 40;
    fixture.assert_refused(odd, EscrowError::BadData);
    let mut far = good.clone();
    far.data[1] = 255;
    fixture.assert_refused(far, EscrowError::MissingAccount);
    fixture.send(good).unwrap();
}

#[test]
fn largest_transaction_of_every_instruction_fits_a_packet() {
    let fixture = ProgramFixture::new();
    let mut terms = terms_within_solana(Coin::Spl22, Coin::Spl);
    terms.referrer = word(REFERRER);
    terms.referrer_fee = alloy_primitives::U256::from(u64::MAX);
    terms.amount_out = alloy_primitives::U256::MAX;
    let signatures = fixture.sign(terms.id(), &[0, 1, 2, 3, 4, 5, 6, 7]);
    let members = fixture.members(0..15);
    let jump = causeway_domain::ForwardingOrder {
        rate_in: alloy_primitives::U256::MAX,
        rate_out: alloy_primitives::U256::MAX,
        ..forwarding_order_for(&terms)
    };
    let jumped = causeway_domain::IntentTerms { settler: word(address_number(122)), ..terms };
    let holding = causeway_solana::program::Holding {
        account: address_number(123),
        mint: MINT_22,
        token_program: causeway_solana::TOKEN_2022_PROGRAM,
        close: true,
    };
    let instructions = [
        PROGRAM.jump(&jump, &jumped, STRANGER, Coin::Spl22.source(address_number(124)), &signatures[0]),
        PROGRAM.give_back_jump(&jump, Some(holding), Some(&signatures[0])),
        PROGRAM.open(&terms, STRANGER, Coin::Spl22.source(USER)),
        PROGRAM.sweep(&terms, STRANGER, Coin::Spl22.source(PROGRAM.deposit(terms.id()))),
        PROGRAM.fill(&terms, STRANGER, Coin::Spl.source(STRANGER)),
        PROGRAM.claim(&terms, Coin::Spl22.program(), (NOW, terms.id()), &signatures),
        PROGRAM.refund_unfilled(&terms, Coin::Spl22.program(), NOW, &signatures),
        PROGRAM.hand_over(STRANGER, 1, (8, &members), &signatures),
    ];
    for instruction in instructions {
        let tag = instruction.data[0];
        // Room for two compute budget instructions, and for the order's id as a memo where a user signs.
        let plain =
            |program, length| Instruction { program_id: program, accounts: vec![], data: vec![0; length] };
        let mut all = vec![plain(address_number(120), 5), plain(address_number(120), 9), instruction];
        all.extend((tag == 4).then(|| plain(address_number(121), 66)));
        let recent = causeway_solana::RecentBlockhash {
            blockhash: solana_hash::Hash::default(),
            last_valid_block_height: 0,
        };
        let built = causeway_solana::UnsignedTransaction::build(&STRANGER, &all, &[], recent);
        assert!(built.is_ok(), "instruction {tag}: {built:?}");
    }
}

#[test]
fn largest_threshold_stays_within_the_compute_unit_limit() {
    let mut fixture = ProgramFixture::with_deployed_program();
    let members = fixture.members(0..15);
    fixture.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 8, &members)).unwrap();
    let mut terms = terms_to_other_chain(Coin::Spl22);
    terms.referrer = word(REFERRER);
    terms.referrer_fee = alloy_primitives::U256::from(1);
    fixture.open(Coin::Spl22, &terms).unwrap();
    let signers = [7, 8, 9, 10, 11, 12, 13, 14];
    let limit = Instruction {
        program_id: solana_address::Address::from_str_const("ComputeBudget111111111111111111111111111111"),
        accounts: vec![],
        data: [&[2][..], &MAX_INSTRUCTION_COMPUTE_UNITS.to_le_bytes()].concat(),
    };
    let units = fixture.send_all(&[limit, claim_by(&fixture, Coin::Spl22, &terms, &signers)]).unwrap();
    // Unlucky addresses take more tries, of 1,500 units each: sixty-four leave one order in 2^60 short.
    assert!(units + 64 * 1_500 < u64::from(MAX_INSTRUCTION_COMPUTE_UNITS), "{units}");
}

/// The snapshot holds the compute units of each instruction.
#[test]
fn compute_units_match_the_committed_program() {
    let mut table = Vec::new();
    let mut fixture = ProgramFixture::new();
    let mut measure = |fixture: &mut ProgramFixture, name: &'static str, instruction: Instruction| {
        let units = fixture.send(instruction).unwrap();
        table.push((name, units));
    };
    for (coin, names) in [
        (
            Coin::Sol,
            [
                "open SOL",
                "fill SOL",
                "claim SOL, two signatures",
                "close SOL",
                "sweep SOL",
                "refund SOL",
                "jump SOL",
                "release jump SOL",
            ],
        ),
        (
            Coin::Spl22,
            [
                "open token",
                "fill token",
                "claim token, two signatures",
                "close token",
                "sweep token",
                "refund token",
                "jump token",
                "release jump token",
            ],
        ),
    ] {
        let terms = terms_to_other_chain(coin);
        measure(&mut fixture, names[0], PROGRAM.open(&terms, USER, coin.source(USER)));
        measure(
            &mut fixture,
            names[1],
            PROGRAM.fill(&terms_from_other_chain(coin), FILLER, coin.source(FILLER)),
        );
        let claim = claim_by(&fixture, coin, &terms, &[0, 1]);
        measure(&mut fixture, names[2], claim);
        let swept = causeway_domain::IntentTerms { nonce: word(USER), ..terms };
        let deposit = PROGRAM.deposit(swept.id());
        fixture.put(coin, deposit, AMOUNT);
        measure(&mut fixture, names[4], PROGRAM.sweep(&swept, STRANGER, coin.source(deposit)));
        let waive = AccountMeta::new_readonly(FILLER, true);
        measure(&mut fixture, names[5], PROGRAM.refund(&swept, waive, coin.program()));
        let jump = forwarding_order_for(&terms);
        let order = terms_of(&jump, &terms);
        let address = PROGRAM.jump_address(&jump);
        fixture.put(coin, address, AMOUNT);
        let signature = sign_open(&maker(), &jump, &order);
        measure(
            &mut fixture,
            names[6],
            PROGRAM.jump(&jump, &order, STRANGER, coin.source(address), &signature),
        );
        fixture.put(coin, address, AMOUNT);
        let signature = sign_release(&maker(), &jump);
        measure(&mut fixture, names[7], give_back(coin, &jump, false, Some(&signature)));
        fixture.set_time(terms.open_deadline + 1);
        measure(&mut fixture, names[3], PROGRAM.close_order(&terms, USER, coin.program()));
        fixture.set_time(NOW);
    }
    let lines: Vec<_> = table.iter().map(|(name, units)| format!("{name}: {units}")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn any_bytes_and_any_accounts_are_refused_without_a_crash() {
    let fixture = std::cell::RefCell::new(ProgramFixture::new());
    let terms = terms_to_other_chain(Coin::Spl);
    fixture.borrow_mut().open(Coin::Spl, &terms).unwrap();
    let people = [USER, STRANGER, FILLER, MINT, MINT_22, PROGRAM.id, Coin::Spl.account(USER)];
    let own =
        [PROGRAM.attester_config(), PROGRAM.epoch(1), PROGRAM.order(terms.id()), PROGRAM.vault(terms.id())];
    let programs =
        [solana_address::Address::default(), Coin::Spl.program().unwrap(), Coin::Spl22.program().unwrap()];
    let all: Vec<_> = people.into_iter().chain(own).chain(programs).collect();
    let account = (prop::sample::select(all), any::<bool>(), any::<bool>());
    let given = (
        0u8..18,
        prop::collection::vec(
            prop_oneof![Just(0u8), Just(1), Just(32), Just(33), 64u8..80, any::<u8>()],
            0..300,
        ),
        prop::collection::vec(account, 0..14),
    );
    let mut runner = TestRunner::new(Config { cases: 256, failure_persistence: None, ..Config::default() });
    runner
        .run(&given, |(tag, bytes, accounts)| {
            let data = std::iter::once(tag).chain(bytes).collect();
            let accounts = accounts
                .into_iter()
                .map(|(pubkey, is_signer, is_writable)| AccountMeta { pubkey, is_signer, is_writable })
                .collect();
            let outcome = fixture.borrow_mut().send(Instruction { program_id: PROGRAM.id, accounts, data });
            let crashed = matches!(
                outcome,
                Err(TransactionError::InstructionError(_, InstructionError::ProgramFailedToComplete))
            );
            prop_assert!(!crashed, "{outcome:?}");
            Ok(())
        })
        .unwrap();
    let fixture = fixture.into_inner();
    assert_eq!(fixture.escrowed(Coin::Spl, terms.id()), AMOUNT, "the open order is unchanged");
}
