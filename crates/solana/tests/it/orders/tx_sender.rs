use causeway_domain::ports::{ActionError, EscrowState, OutgoingEnd};
use causeway_domain::{Attestation, RawAmount, TokenId};
use jiff::SignedDuration;

use super::*;

#[tokio::test]
async fn a_fill_in_sol_pays_the_recipient_once_and_is_then_claimed() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms_within_solana(Some(USDC), None).await;
    fixture.open(&terms).await;
    let filler = fixture.filler();
    let fill = ChainAction::Fill { terms, through: None };
    assert_eq!(filler.progress("fill:1").await.unwrap(), None);
    let done = fixture.complete(&filler, "fill:1", &fill).await;
    // Another process sees the result.
    assert_eq!(fixture.filler().send("fill:1", &fill, Timestamp::now()).await.unwrap(), done);
    assert_eq!(fixture.lamports(recipient()).await, 7_000_000);
    let again = filler.send("fill:2", &fill, Timestamp::now()).await;
    let reason = "the order was filled before";
    assert!(matches!(&again, Err(ActionError::WouldFail(why)) if why == reason), "{again:?}");

    let had = fixture.tokens(fixture.payee()).await;
    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    fixture.assert_succeeds(&filler, "claim:1", &claim).await;
    assert_eq!(fixture.tokens(fixture.payee()).await - had, 5_000_000);
    let refused = filler.send("refund:1", &ChainAction::Refund { terms }, Timestamp::now()).await;
    assert!(
        matches!(&refused, Err(ActionError::WouldFail(why)) if why == "the order has ended"),
        "{refused:?}"
    );
    let purposes: Vec<String> = fixture.outbox.outgoing().into_iter().map(|row| row.purpose).collect();
    assert_eq!(purposes, ["fill:1", "claim:1"]);
}

#[tokio::test]
async fn fill_in_tokens_creates_the_recipients_account_even_off_curve() {
    let fixture = OrderFixture::new().await;
    let owner = PROGRAM.deposit(B256::repeat_byte(7));
    assert!(!owner.is_on_curve());
    let terms = IntentTerms {
        recipient: owner.to_bytes().into(),
        ..fixture.terms_within_solana(None, Some(USDC)).await
    };
    fixture.open(&terms).await;
    fixture.assert_succeeds(&fixture.filler(), "fill:1", &ChainAction::Fill { terms, through: None }).await;
    assert_eq!(fixture.tokens(owner).await, 7_000_000);
}

#[tokio::test]
async fn a_claim_with_two_of_three_signatures_fits_and_makes_the_payees_account() {
    let fixture = OrderFixture::new().await;
    let payee = Address::new_from_array([0xaa; 32]);
    let terms = IntentTerms { payee: payee.to_bytes().into(), ..fixture.terms(Some(USDC)).await };
    fixture.open(&terms).await;
    let (filled_at, fill_ref) = (fixture.sandbox.now().await, B256::repeat_byte(0xcd));
    let attestation = Attestation::Filled { order: terms.id(), filled_at, fill_ref };
    let digest = attestation.digest(SOLANA_CHAIN_ID, terms.escrow).unwrap();
    let claim = |count| ChainAction::Claim {
        terms,
        filled_at,
        fill_ref,
        signatures: fixture.signatures(digest, count),
    };
    let refused = fixture.filler().send("claim:0", &claim(1), Timestamp::now()).await;
    let reason = "there are fewer signatures than the threshold";
    assert!(matches!(&refused, Err(ActionError::WouldFail(why)) if why == reason), "{refused:?}");
    fixture.assert_succeeds(&fixture.filler(), "claim:1", &claim(2)).await;
    assert_eq!(fixture.tokens(payee).await, 5_000_000);
}

#[tokio::test]
async fn action_too_large_for_one_transaction_waits_for_its_accounts() {
    let fixture = OrderFixture::new().await;
    let payee = Address::new_from_array([0xaa; 32]);
    let terms = IntentTerms { payee: payee.to_bytes().into(), ..fixture.terms(Some(USDC)).await };
    fixture.open(&terms).await;
    let signatures = vec![SignatureBytes::repeat_byte(1); 11];
    let claim = ChainAction::Claim { terms, filled_at: 5, fill_ref: B256::ZERO, signatures };
    let filler = fixture.filler();
    fixture.sandbox.chain.pause().await.unwrap();
    assert_eq!(filler.send("claim:1", &claim, Timestamp::now()).await.unwrap(), Progress::Waiting);
    assert_eq!(filler.send("claim:1", &claim, Timestamp::now()).await.unwrap(), Progress::Waiting);
    fixture.sandbox.finalize().await;
    // Now it is simulated and fails, because its signatures are invalid.
    let refused = filler.send("claim:1", &claim, Timestamp::now()).await;
    assert!(matches!(&refused, Err(ActionError::WouldFail(_))), "{refused:?}");
    let purposes: Vec<String> = fixture.outbox.outgoing().into_iter().map(|row| row.purpose).collect();
    assert_eq!(purposes, ["accounts:claim:1"]);
}

#[tokio::test]
async fn rule_7_the_filler_refunds_at_once_and_others_with_attestations() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms(Some(USDC)).await;
    fixture.open(&terms).await;
    let refused = fixture.relayer().send("refund:1", &ChainAction::Refund { terms }, Timestamp::now()).await;
    let reason = "the deposit cannot be refunded yet";
    assert!(matches!(&refused, Err(ActionError::WouldFail(why)) if why == reason), "{refused:?}");
    fixture.assert_succeeds(&fixture.filler(), "waive:1", &ChainAction::Refund { terms }).await;

    let refund_to = Address::new_from_array([0xbb; 32]);
    let terms = IntentTerms { nonce: B256::ZERO, refund_to: refund_to.to_bytes().into(), ..terms };
    fixture.open(&terms).await;
    let destination_time = terms.fill_deadline + 1;
    let attestation = Attestation::Unfilled { order: terms.id(), destination_time };
    let signatures = fixture.signatures(attestation.digest(SOLANA_CHAIN_ID, terms.escrow).unwrap(), 2);
    let action = ChainAction::RefundUnfilled { terms, destination_time, signatures };
    fixture.assert_succeeds(&fixture.relayer(), "unfilled:1", &action).await;
    assert_eq!(fixture.tokens(refund_to).await, 5_000_000, "in an account created for it");
}

#[tokio::test]
async fn rule_15_deposit_is_swept_and_the_surplus_is_returned() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms(Some(USDC)).await;
    let deposit = PROGRAM.deposit(terms.id());
    fixture.sandbox.chain.give_tokens(deposit, USDC, 6_000_000).await.unwrap();
    fixture.sandbox.chain.airdrop(deposit, 3_000_000).await.unwrap();
    fixture.sandbox.finalize().await;
    let relayer = fixture.relayer();
    fixture.assert_succeeds(&relayer, "sweep:1", &ChainAction::Sweep { terms }).await;
    let user = user().pubkey();
    let (tokens, lamports) = (fixture.tokens(user).await, fixture.lamports(user).await);
    let sol = AnyAddress::Solana([0; 32]);
    let action = ChainAction::ReturnBalance { terms, tokens: vec![usdc_mint(), sol] };
    fixture.assert_succeeds(&relayer, "giveback:1", &action).await;
    assert_eq!(fixture.tokens(user).await - tokens, 1_000_000);
    assert!(fixture.lamports(user).await - lamports > 3_000_000, "with the rent of the emptied account");
}

#[tokio::test]
async fn rule_13_stored_transaction_is_resent_after_a_crash() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms_within_solana(Some(USDC), None).await;
    fixture.open(&terms).await;
    let fill = ChainAction::Fill { terms, through: None };
    fixture.sandbox.chain.drop_next(1).await.unwrap();
    let first = fixture.filler().send("fill:1", &fill, Timestamp::now()).await.unwrap();
    let Progress::Sent(signature) = first else { panic!("{first:?}") };
    let another = fixture.filler();
    assert_eq!(
        fixture.complete(&another, "fill:1", &fill).await,
        Progress::Succeeded(signature),
        "the same bytes"
    );
    assert_eq!(fixture.outbox.outgoing().len(), 1);
}

#[tokio::test]
async fn rule_13_another_is_signed_only_when_the_first_can_never_land() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms_within_solana(Some(USDC), None).await;
    fixture.open(&terms).await;
    let (filler, fill) = (fixture.filler(), ChainAction::Fill { terms, through: None });
    fixture.sandbox.chain.drop_next(1).await.unwrap();
    filler.send("fill:1", &fill, Timestamp::now()).await.unwrap();
    fixture.sandbox.chain.expire_blockhashes().await.unwrap();
    fixture.sandbox.chain.advance(3).await.unwrap();
    filler.poll_pending(Timestamp::now()).await.unwrap();
    assert_eq!(fixture.outbox.outgoing()[0].end, None, "one check is not enough");
    filler.poll_pending(Timestamp::now()).await.unwrap();
    assert_eq!(fixture.outbox.outgoing()[0].end, Some(OutgoingEnd::Superseded));
    fixture.assert_succeeds(&filler, "fill:1", &fill).await;
    assert_eq!(fixture.outbox.outgoing().len(), 2);
    assert_eq!(fixture.lamports(recipient()).await, 7_000_000);
}

#[tokio::test]
async fn actions_for_unknown_programs_or_chains_are_refused() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms(None).await;
    let stranger = IntentTerms { escrow: B256::repeat_byte(1), ..terms };
    let actions = [
        ChainAction::Fill { terms, through: None },
        ChainAction::Refund { terms: stranger },
        ChainAction::Sweep { terms: IntentTerms { origin_chain_id: 8_453, ..terms } },
        ChainAction::OpenFor { terms, permit: Vec::new() },
        ChainAction::Fill { terms: IntentTerms { fill_deadline: 5, ..terms }, through: None },
    ];
    for action in actions {
        let refused = fixture.filler().send("x", &action, Timestamp::now()).await;
        assert!(matches!(refused, Err(ActionError::Permanent(_))), "{refused:?}");
    }
    assert!(fixture.outbox.outgoing().is_empty());
}

#[tokio::test]
async fn sender_pays_sol_and_tokens_from_its_own_account() {
    let fixture = OrderFixture::new().await;
    let to = AnyAddress::Solana(recipient().to_bytes());
    let amount = RawAmount::new(U256::from(2_000_000));
    let sol = TokenId::native(SOLANA_CHAIN_ID);
    fixture.assert_succeeds(&fixture.filler(), "pay:1", &ChainAction::Pay { token: sol, to, amount }).await;
    fixture
        .assert_succeeds(
            &fixture.filler(),
            "pay:2",
            &ChainAction::Pay { token: crate::sandbox_chain::usdc(), to, amount },
        )
        .await;
    assert_eq!(
        (fixture.lamports(recipient()).await, fixture.tokens(recipient()).await),
        (2_000_000, 2_000_000)
    );
}

#[tokio::test]
async fn idle_sender_makes_no_calls() {
    let fixture = OrderFixture::new().await;
    let relayer = fixture.relayer();
    let now = Timestamp::now();
    relayer.poll_pending(now).await.unwrap();
    fixture.sandbox.chain.stop().await.unwrap();
    relayer.poll_pending(now + SignedDuration::from_secs(29)).await.unwrap();
    relayer.poll_pending(now + SignedDuration::from_secs(60)).await.unwrap();
}

#[tokio::test]
async fn on_chain_status_follows_the_order() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms_within_solana(Some(USDC), None).await;
    let filler = fixture.filler();
    let status = async || {
        let status = filler.on_chain_status(&terms).await.unwrap();
        (status.escrow, status.is_filled, status.is_settled)
    };
    assert_eq!(
        status().await,
        (EscrowState::Unknown, false, false),
        "earlier signed transactions may still land"
    );
    fixture.open(&terms).await;
    assert_eq!(status().await, (EscrowState::Open, false, false));
    fixture.assert_succeeds(&filler, "fill:1", &ChainAction::Fill { terms, through: None }).await;
    assert!(status().await.1);
    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    fixture.assert_succeeds(&filler, "claim:1", &claim).await;
    fixture.sandbox.chain.advance(400).await.unwrap();
    assert_eq!(
        status().await,
        (EscrowState::Claimed, true, true),
        "earlier signed transactions have expired"
    );
}
