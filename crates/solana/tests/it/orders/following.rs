use std::time::Duration;

use causeway_domain::ports::{ChainCursor, ChainError, ChainFollower as _, ChainUpdate, FinalityTier};
use causeway_domain::{Fact, FactKind, RawAmount, RefundCause};
use causeway_solana::orders::{SolanaFollowConfig, SolanaOrderFollower};

use super::*;

type Change = fn(&mut causeway_sandbox::solana::Account);

impl OrderFixture {
    pub(super) fn follower(&self, after: Option<ChainCursor>) -> SolanaOrderFollower {
        let config = SolanaFollowConfig { poll: Duration::from_millis(10), idle_polling: None };
        let programs = std::slice::from_ref(&self.sandbox.deployment);
        SolanaOrderFollower::new(self.sandbox.rpc.clone(), programs, config, after)
    }
}

/// Reads up to the current final slot: unfinalized facts, final facts, and the last cursor.
pub(super) async fn read(
    fixture: &OrderFixture,
    follower: &mut SolanaOrderFollower,
) -> (Vec<Fact>, Vec<Fact>, ChainCursor) {
    let (mut seen, mut final_facts) = (Vec::new(), Vec::new());
    let target = fixture.sandbox.rpc.final_slot().await.unwrap();
    loop {
        match follower.next().await.unwrap() {
            ChainUpdate::Unfinalized(facts) => seen.extend(facts),
            ChainUpdate::Final { tier, cursor, facts } => {
                assert_eq!(tier, FinalityTier::Large);
                final_facts.extend(facts);
                if cursor.number >= target {
                    return (seen, final_facts, cursor);
                }
            }
        }
    }
}

#[tokio::test]
async fn rule_19_facts_of_final_accounts_are_reported_once_with_their_place() {
    let fixture = OrderFixture::new().await;
    let mut follower = fixture.follower(None);
    let (_, quiet, cursor) = read(&fixture, &mut follower).await;
    assert!(quiet.is_empty(), "initializing the program is not an order fact");
    assert!(cursor.time > 1_700_000_000);

    let terms = fixture.terms_within_solana(Some(USDC), None).await;
    fixture.open(&terms).await;
    let (_, facts, opened_by) = read(&fixture, &mut follower).await;
    let [fact] = &facts[..] else { panic!("{facts:?}") };
    assert_eq!((fact.intent_id, &fact.kind), (terms.id(), &FactKind::Opened(Box::new(terms))));
    assert!(cursor.number < fact.place.block && fact.place.block <= opened_by.number);

    let filler = fixture.filler();
    let fill = ChainAction::Fill { terms, through: None };
    let Progress::Succeeded(tx) = fixture.complete(&filler, "fill:1", &fill).await else { panic!() };
    let (_, facts, _) = read(&fixture, &mut follower).await;
    let [fact] = &facts[..] else { panic!("{facts:?}") };
    assert_eq!(fact.kind, FactKind::Filled(RawAmount::new(terms.amount_out)));
    assert_eq!((fact.intent_id, &fact.place.tx), (terms.id(), &tx));

    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    fixture.assert_succeeds(&filler, "claim:1", &claim).await;
    let (_, facts, _) = read(&fixture, &mut follower).await;
    let kinds: Vec<&FactKind> = facts.iter().map(|fact| &fact.kind).collect();
    assert_eq!(kinds, [&FactKind::Claimed(RawAmount::new(terms.amount_in))]);

    // After a restart, and from the beginning: the same facts at the same places.
    let (_, again, _) = read(&fixture, &mut fixture.follower(Some(opened_by))).await;
    assert!(again.contains(fact));
    let (_, all, _) = read(&fixture, &mut fixture.follower(None)).await;
    assert_eq!(all.len(), 3);
    assert!(all.contains(fact));
}

#[tokio::test]
async fn refund_is_reported_with_its_cause() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms(None).await;
    fixture.open(&terms).await;
    fixture.assert_succeeds(&fixture.filler(), "waive:1", &ChainAction::Refund { terms }).await;
    let (_, facts, _) = read(&fixture, &mut fixture.follower(None)).await;
    let to = AnyAddress::Solana(terms.refund_to.0);
    let (amount, cause) = (RawAmount::new(terms.amount_in), RefundCause::Waived);
    let kinds: Vec<FactKind> = facts.into_iter().map(|fact| fact.kind).collect();
    assert_eq!(kinds, [FactKind::Opened(Box::new(terms)), FactKind::Refunded { to, amount, cause }]);
}

#[tokio::test]
async fn rule_18_an_order_closed_between_scans_is_still_reported() {
    let fixture = OrderFixture::new().await;
    let (_, _, before) = read(&fixture, &mut fixture.follower(None)).await;
    let terms = fixture.terms(None).await;
    fixture.open(&terms).await;
    let (_, _, opened) = read(&fixture, &mut fixture.follower(None)).await;
    fixture.assert_succeeds(&fixture.filler(), "waive:1", &ChainAction::Refund { terms }).await;
    fixture.sandbox.chain.set_time(i64::try_from(terms.open_deadline + 1).unwrap()).await.unwrap();
    let payer = user();
    fixture.sandbox.land(&payer, &[PROGRAM.close_order(&terms, payer.pubkey(), None)]).await;
    assert_eq!(fixture.lamports(PROGRAM.order(terms.id())).await, 0);
    // Whether or not the opening was missed.
    for after in [before, opened] {
        let (_, facts, _) = read(&fixture, &mut fixture.follower(Some(after))).await;
        let refund = facts.last().map(|fact| (fact.intent_id, &fact.kind));
        let to = AnyAddress::Solana(terms.refund_to.0);
        let (amount, cause) = (RawAmount::new(terms.amount_in), RefundCause::Waived);
        assert_eq!(refund, Some((terms.id(), &FactKind::Refunded { to, amount, cause })));
    }
}

#[tokio::test]
async fn deposit_is_seen_before_it_is_final_and_dropped_with_its_fork() {
    let fixture = OrderFixture::new().await;
    let mut follower = fixture.follower(None);
    read(&fixture, &mut follower).await;
    fixture.sandbox.chain.pause().await.unwrap();
    let terms = fixture.terms(None).await;
    let payer = user();
    let recent = fixture.sandbox.rpc.recent_blockhash().await.unwrap();
    let open = PROGRAM.open(&terms, payer.pubkey(), None);
    let built = causeway_solana::UnsignedTransaction::build(&payer.pubkey(), &[open], &[], recent).unwrap();
    let signed = SolanaKey::from_seed(*payer.secret_bytes()).sign(&built).unwrap();
    fixture.sandbox.rpc.send(&signed, true).await.unwrap();
    // It lands in the first of them.
    fixture.sandbox.chain.advance(2).await.unwrap();
    let seen = loop {
        if let ChainUpdate::Unfinalized(facts) = follower.next().await.unwrap() {
            break facts;
        }
    };
    assert_eq!(seen[0].kind, FactKind::Opened(Box::new(terms)));

    fixture.sandbox.chain.fork(2).await.unwrap();
    fixture.sandbox.finalize().await;
    let (_, facts, _) = read(&fixture, &mut follower).await;
    assert!(facts.is_empty(), "{facts:?}");
}

#[tokio::test]
async fn forged_order_account_yields_no_facts() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms(None).await;
    fixture.open(&terms).await;
    let at = PROGRAM.order(terms.id());
    let whole = fixture.sandbox.chain.account(at).await.unwrap().unwrap();
    let changes: [Change; 3] = [
        |account| account.owner = [9; 32].into(),
        |account| account.data[300] ^= 1,
        |account| account.data[0] = 2,
    ];
    for change in changes {
        let mut odd = whole.clone();
        change(&mut odd);
        fixture.sandbox.chain.set_account(at, Some(odd)).await.unwrap();
        fixture.sandbox.finalize().await;
        let (_, facts, _) = read(&fixture, &mut fixture.follower(None)).await;
        assert!(facts.is_empty(), "{facts:?}");
    }
}

#[tokio::test]
async fn chain_that_contradicts_the_stored_cursor_is_halted_permanently() {
    let fixture = OrderFixture::new().await;
    let (_, _, cursor) = read(&fixture, &mut fixture.follower(None)).await;
    let mut follower = fixture.follower(Some(ChainCursor { hash: B256::repeat_byte(9), ..cursor }));
    for _ in 0..2 {
        let halted = follower.next().await;
        assert!(matches!(halted, Err(ChainError::Disagreement(..))), "{halted:?}");
    }
}

#[tokio::test]
async fn cursor_advances_without_transactions() {
    let fixture = OrderFixture::new().await;
    let mut follower = fixture.follower(None);
    let (_, _, first) = read(&fixture, &mut follower).await;
    fixture.sandbox.finalize().await;
    let (_, facts, second) = read(&fixture, &mut follower).await;
    assert!(facts.is_empty() && first.number < second.number && first.time <= second.time);
}
