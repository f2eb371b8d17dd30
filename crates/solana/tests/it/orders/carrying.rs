use causeway_domain::ports::{DeedError, EscrowState, OutgoingEnd};
use causeway_domain::{Attestation, RawAmount, TokenId};
use jiff::SignedDuration;

use super::*;

#[tokio::test]
async fn a_fill_in_sol_pays_the_recipient_once_and_is_then_claimed() {
    let stage = Stage::new().await;
    let terms = stage.within(Some(USDC), None).await;
    stage.open(&terms).await;
    let filler = stage.filler();
    let fill = Deed::Fill { terms, through: None };
    assert_eq!(filler.progress("fill:1").await.unwrap(), None);
    let done = stage.see_through(&filler, "fill:1", &fill).await;
    // Another process finds it done.
    assert_eq!(stage.filler().carry("fill:1", &fill, Timestamp::now()).await.unwrap(), done);
    assert_eq!(stage.lamports(recipient()).await, 7_000_000);
    let again = filler.carry("fill:2", &fill, Timestamp::now()).await;
    let words = "the order was filled before";
    assert!(matches!(&again, Err(DeedError::WouldFail(why)) if why == words), "{again:?}");

    let had = stage.tokens(stage.payee()).await;
    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    stage.succeeds(&filler, "claim:1", &claim).await;
    assert_eq!(stage.tokens(stage.payee()).await - had, 5_000_000);
    let refused = filler.carry("refund:1", &Deed::Refund { terms }, Timestamp::now()).await;
    assert!(
        matches!(&refused, Err(DeedError::WouldFail(why)) if why == "the order has ended"),
        "{refused:?}"
    );
    let purposes: Vec<String> = stage.outbox.rows().into_iter().map(|row| row.purpose).collect();
    assert_eq!(purposes, ["fill:1", "claim:1"]);
}

#[tokio::test]
async fn a_fill_in_tokens_makes_the_recipients_account_even_off_the_curve() {
    let stage = Stage::new().await;
    let owner = PROGRAM.deposit(B256::repeat_byte(7));
    assert!(!owner.is_on_curve());
    let terms = Terms { recipient: owner.to_bytes().into(), ..stage.within(None, Some(USDC)).await };
    stage.open(&terms).await;
    stage.succeeds(&stage.filler(), "fill:1", &Deed::Fill { terms, through: None }).await;
    assert_eq!(stage.tokens(owner).await, 7_000_000);
}

#[tokio::test]
async fn a_claim_with_two_of_three_signatures_fits_and_makes_the_payees_account() {
    let stage = Stage::new().await;
    let payee = Address::new_from_array([0xaa; 32]);
    let terms = Terms { payee: payee.to_bytes().into(), ..stage.terms(Some(USDC)).await };
    stage.open(&terms).await;
    let (filled_at, fill_ref) = (stage.play.now().await, B256::repeat_byte(0xcd));
    let said = Attestation::Filled { order: terms.id(), filled_at, fill_ref };
    let digest = said.digest(SOLANA_CHAIN_ID, terms.escrow).unwrap();
    let claim =
        |count| Deed::Claim { terms, filled_at, fill_ref, signatures: stage.signatures(digest, count) };
    let refused = stage.filler().carry("claim:0", &claim(1), Timestamp::now()).await;
    let words = "there are fewer signatures than the threshold";
    assert!(matches!(&refused, Err(DeedError::WouldFail(why)) if why == words), "{refused:?}");
    stage.succeeds(&stage.filler(), "claim:1", &claim(2)).await;
    assert_eq!(stage.tokens(payee).await, 5_000_000);
}

#[tokio::test]
async fn what_one_transaction_does_not_carry_waits_for_its_accounts() {
    let stage = Stage::new().await;
    let payee = Address::new_from_array([0xaa; 32]);
    let terms = Terms { payee: payee.to_bytes().into(), ..stage.terms(Some(USDC)).await };
    stage.open(&terms).await;
    let signatures = vec![SignatureBytes::repeat_byte(1); 11];
    let claim = Deed::Claim { terms, filled_at: 5, fill_ref: B256::ZERO, signatures };
    let filler = stage.filler();
    stage.play.chain.pause().await.unwrap();
    assert_eq!(filler.carry("claim:1", &claim, Timestamp::now()).await.unwrap(), Progress::Waiting);
    assert_eq!(filler.carry("claim:1", &claim, Timestamp::now()).await.unwrap(), Progress::Waiting);
    stage.play.settle().await;
    // Now it is tried, and its signatures are nobody's.
    let refused = filler.carry("claim:1", &claim, Timestamp::now()).await;
    assert!(matches!(&refused, Err(DeedError::WouldFail(_))), "{refused:?}");
    let purposes: Vec<String> = stage.outbox.rows().into_iter().map(|row| row.purpose).collect();
    assert_eq!(purposes, ["accounts:claim:1"]);
}

#[tokio::test]
async fn rule_7_the_filler_gives_back_at_once_and_others_by_the_attesters_word() {
    let stage = Stage::new().await;
    let terms = stage.terms(Some(USDC)).await;
    stage.open(&terms).await;
    let refused = stage.relayer().carry("refund:1", &Deed::Refund { terms }, Timestamp::now()).await;
    let words = "the deposit cannot be refunded yet";
    assert!(matches!(&refused, Err(DeedError::WouldFail(why)) if why == words), "{refused:?}");
    stage.succeeds(&stage.filler(), "waive:1", &Deed::Refund { terms }).await;

    let refund_to = Address::new_from_array([0xbb; 32]);
    let terms = Terms { nonce: B256::ZERO, refund_to: refund_to.to_bytes().into(), ..terms };
    stage.open(&terms).await;
    let destination_time = terms.fill_deadline + 1;
    let said = Attestation::Unfilled { order: terms.id(), destination_time };
    let signatures = stage.signatures(said.digest(SOLANA_CHAIN_ID, terms.escrow).unwrap(), 2);
    let deed = Deed::RefundUnfilled { terms, destination_time, signatures };
    stage.succeeds(&stage.relayer(), "unfilled:1", &deed).await;
    assert_eq!(stage.tokens(refund_to).await, 5_000_000, "in an account that was made for it");
}

#[tokio::test]
async fn rule_15_what_arrived_is_swept_and_the_rest_goes_back() {
    let stage = Stage::new().await;
    let terms = stage.terms(Some(USDC)).await;
    let deposit = PROGRAM.deposit(terms.id());
    stage.play.chain.give_tokens(deposit, USDC, 6_000_000).await.unwrap();
    stage.play.chain.airdrop(deposit, 3_000_000).await.unwrap();
    stage.play.settle().await;
    let relayer = stage.relayer();
    stage.succeeds(&relayer, "sweep:1", &Deed::Sweep { terms }).await;
    let user = user().pubkey();
    let (tokens, lamports) = (stage.tokens(user).await, stage.lamports(user).await);
    let sol = AnyAddress::Solana([0; 32]);
    let deed = Deed::GiveBack { terms, tokens: vec![usdc_mint(), sol] };
    stage.succeeds(&relayer, "giveback:1", &deed).await;
    assert_eq!(stage.tokens(user).await - tokens, 1_000_000);
    assert!(stage.lamports(user).await - lamports > 3_000_000, "with the rent of the emptied account");
}

#[tokio::test]
async fn rule_13_what_was_stored_is_sent_again_after_a_crash() {
    let stage = Stage::new().await;
    let terms = stage.within(Some(USDC), None).await;
    stage.open(&terms).await;
    let fill = Deed::Fill { terms, through: None };
    stage.play.chain.drop_next(1).await.unwrap();
    let first = stage.filler().carry("fill:1", &fill, Timestamp::now()).await.unwrap();
    let Progress::OnItsWay(signature) = first else { panic!("{first:?}") };
    let another = stage.filler();
    assert_eq!(
        stage.see_through(&another, "fill:1", &fill).await,
        Progress::Succeeded(signature),
        "the same bytes"
    );
    assert_eq!(stage.outbox.rows().len(), 1);
}

#[tokio::test]
async fn rule_13_another_is_signed_only_when_the_first_can_never_land() {
    let stage = Stage::new().await;
    let terms = stage.within(Some(USDC), None).await;
    stage.open(&terms).await;
    let (filler, fill) = (stage.filler(), Deed::Fill { terms, through: None });
    stage.play.chain.drop_next(1).await.unwrap();
    filler.carry("fill:1", &fill, Timestamp::now()).await.unwrap();
    stage.play.chain.expire_blockhashes().await.unwrap();
    stage.play.chain.advance(3).await.unwrap();
    filler.tend(Timestamp::now()).await.unwrap();
    assert_eq!(stage.outbox.rows()[0].end, None, "one look is not enough");
    filler.tend(Timestamp::now()).await.unwrap();
    assert_eq!(stage.outbox.rows()[0].end, Some(OutgoingEnd::Superseded));
    stage.succeeds(&filler, "fill:1", &fill).await;
    assert_eq!(stage.outbox.rows().len(), 2);
    assert_eq!(stage.lamports(recipient()).await, 7_000_000);
}

#[tokio::test]
async fn nothing_is_written_for_programs_or_chains_that_are_not_ours() {
    let stage = Stage::new().await;
    let terms = stage.terms(None).await;
    let stranger = Terms { escrow: B256::repeat_byte(1), ..terms };
    let deeds = [
        Deed::Fill { terms, through: None },
        Deed::Refund { terms: stranger },
        Deed::Sweep { terms: Terms { origin_chain_id: 8_453, ..terms } },
        Deed::OpenFor { terms, permit: Vec::new() },
        Deed::Fill { terms: Terms { fill_deadline: 5, ..terms }, through: None },
    ];
    for deed in deeds {
        let refused = stage.filler().carry("x", &deed, Timestamp::now()).await;
        assert!(matches!(refused, Err(DeedError::Never(_))), "{refused:?}");
    }
    assert!(stage.outbox.rows().is_empty());
}

#[tokio::test]
async fn of_its_own_it_pays_coins_and_tokens() {
    let stage = Stage::new().await;
    let to = AnyAddress::Solana(recipient().to_bytes());
    let amount = RawAmount::new(U256::from(2_000_000));
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    stage.succeeds(&stage.filler(), "pay:1", &Deed::Pay { token: sol, to, amount }).await;
    stage.succeeds(&stage.filler(), "pay:2", &Deed::Pay { token: crate::play::usdc(), to, amount }).await;
    assert_eq!((stage.lamports(recipient()).await, stage.tokens(recipient()).await), (2_000_000, 2_000_000));
}

#[tokio::test]
async fn an_idle_hand_costs_nothing() {
    let stage = Stage::new().await;
    let relayer = stage.relayer();
    let now = Timestamp::now();
    relayer.tend(now).await.unwrap();
    stage.play.chain.stop().await.unwrap();
    relayer.tend(now + SignedDuration::from_secs(29)).await.unwrap();
    relayer.tend(now + SignedDuration::from_secs(60)).await.unwrap();
}

#[tokio::test]
async fn the_chain_itself_tells_what_became_of_an_order() {
    let stage = Stage::new().await;
    let terms = stage.within(Some(USDC), None).await;
    let filler = stage.filler();
    let told = async || {
        let truth = filler.truth(&terms).await.unwrap();
        (truth.escrow, truth.is_filled, truth.is_settled)
    };
    assert_eq!(told().await, (EscrowState::Unknown, false, false), "what was signed before may still come");
    stage.open(&terms).await;
    assert_eq!(told().await, (EscrowState::Open, false, false));
    stage.succeeds(&filler, "fill:1", &Deed::Fill { terms, through: None }).await;
    assert!(told().await.1);
    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    stage.succeeds(&filler, "claim:1", &claim).await;
    stage.play.chain.advance(400).await.unwrap();
    assert_eq!(told().await, (EscrowState::Claimed, true, true), "all that was signed before is dead");
}
