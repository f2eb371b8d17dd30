use std::time::Duration;

use causeway_domain::ports::{BlockMark, Care, ChainError, Follow as _, News};
use causeway_domain::{Fact, FactKind, RawAmount, RefundCause};
use causeway_solana::orders::{SolanaFollowConfig, SolanaOrderFollower};

use super::*;

type Change = fn(&mut causeway_sandbox::solana::Account);

impl Stage {
    pub(super) fn follower(&self, after: Option<BlockMark>) -> SolanaOrderFollower {
        let config = SolanaFollowConfig { poll: Duration::from_millis(10), leisure: None };
        let programs = std::slice::from_ref(&self.play.deployment);
        SolanaOrderFollower::new(self.play.rpc.clone(), programs, config, after)
    }
}

/// Reads on until the chain is read to where it is now: what was seen, what stands, and the last mark.
pub(super) async fn read(
    stage: &Stage,
    follower: &mut SolanaOrderFollower,
) -> (Vec<Fact>, Vec<Fact>, BlockMark) {
    let (mut seen, mut stands) = (Vec::new(), Vec::new());
    let target = stage.play.rpc.final_slot().await.unwrap();
    loop {
        match follower.next().await.unwrap() {
            News::Seen(facts) => seen.extend(facts),
            News::Stands { care, mark, facts } => {
                assert_eq!(care, Care::Large);
                stands.extend(facts);
                if mark.number >= target {
                    return (seen, stands, mark);
                }
            }
        }
    }
}

#[tokio::test]
async fn rule_19_what_final_accounts_show_is_told_once_with_its_place() {
    let stage = Stage::new().await;
    let mut follower = stage.follower(None);
    let (_, quiet, mark) = read(&stage, &mut follower).await;
    assert!(quiet.is_empty(), "beginning the program is nothing of an order");
    assert!(mark.time > 1_700_000_000);

    let terms = stage.within(Some(USDC), None).await;
    stage.open(&terms).await;
    let (_, facts, opened_by) = read(&stage, &mut follower).await;
    let [fact] = &facts[..] else { panic!("{facts:?}") };
    assert_eq!((fact.intent, &fact.kind), (terms.id(), &FactKind::Opened(Box::new(terms))));
    assert!(mark.number < fact.place.block && fact.place.block <= opened_by.number);

    let filler = stage.filler();
    let fill = Deed::Fill { terms, through: None };
    let Progress::Succeeded(tx) = stage.see_through(&filler, "fill:1", &fill).await else { panic!() };
    let (_, facts, _) = read(&stage, &mut follower).await;
    let [fact] = &facts[..] else { panic!("{facts:?}") };
    assert_eq!(fact.kind, FactKind::Filled(RawAmount::new(terms.amount_out)));
    assert_eq!((fact.intent, &fact.place.tx), (terms.id(), &tx));

    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    stage.succeeds(&filler, "claim:1", &claim).await;
    let (_, facts, _) = read(&stage, &mut follower).await;
    let kinds: Vec<&FactKind> = facts.iter().map(|fact| &fact.kind).collect();
    assert_eq!(kinds, [&FactKind::Claimed(RawAmount::new(terms.amount_in))]);

    // After a restart, and from the beginning: the same facts at the same places.
    let (_, again, _) = read(&stage, &mut stage.follower(Some(opened_by))).await;
    assert!(again.contains(fact));
    let (_, all, _) = read(&stage, &mut stage.follower(None)).await;
    assert_eq!(all.len(), 3);
    assert!(all.contains(fact));
}

#[tokio::test]
async fn a_refund_is_told_with_its_cause() {
    let stage = Stage::new().await;
    let terms = stage.terms(None).await;
    stage.open(&terms).await;
    stage.succeeds(&stage.filler(), "waive:1", &Deed::Refund { terms }).await;
    let (_, facts, _) = read(&stage, &mut stage.follower(None)).await;
    let to = AnyAddress::Solana(terms.refund_to.0);
    let (amount, cause) = (RawAmount::new(terms.amount_in), RefundCause::Waived);
    let kinds: Vec<FactKind> = facts.into_iter().map(|fact| fact.kind).collect();
    assert_eq!(kinds, [FactKind::Opened(Box::new(terms)), FactKind::Refunded { to, amount, cause }]);
}

#[tokio::test]
async fn rule_18_an_order_that_ended_and_was_closed_while_nobody_looked_is_told_all_the_same() {
    let stage = Stage::new().await;
    let (_, _, before) = read(&stage, &mut stage.follower(None)).await;
    let terms = stage.terms(None).await;
    stage.open(&terms).await;
    let (_, _, opened) = read(&stage, &mut stage.follower(None)).await;
    stage.succeeds(&stage.filler(), "waive:1", &Deed::Refund { terms }).await;
    stage.play.chain.set_time(i64::try_from(terms.open_deadline + 1).unwrap()).await.unwrap();
    let payer = user();
    stage.play.land(&payer, &[PROGRAM.close_order(&terms, payer.pubkey(), None)]).await;
    assert_eq!(stage.lamports(PROGRAM.order(terms.id())).await, 0);
    // Whether or not the opening is among what was missed.
    for after in [before, opened] {
        let (_, facts, _) = read(&stage, &mut stage.follower(Some(after))).await;
        let refund = facts.last().map(|fact| (fact.intent, &fact.kind));
        let to = AnyAddress::Solana(terms.refund_to.0);
        let (amount, cause) = (RawAmount::new(terms.amount_in), RefundCause::Waived);
        assert_eq!(refund, Some((terms.id(), &FactKind::Refunded { to, amount, cause })));
    }
}

#[tokio::test]
async fn a_deposit_is_seen_before_it_stands_and_a_dead_fork_takes_it_back() {
    let stage = Stage::new().await;
    let mut follower = stage.follower(None);
    read(&stage, &mut follower).await;
    stage.play.chain.pause().await.unwrap();
    let terms = stage.terms(None).await;
    let payer = user();
    let recent = stage.play.rpc.recent_blockhash().await.unwrap();
    let open = PROGRAM.open(&terms, payer.pubkey(), None);
    let built = causeway_solana::UnsignedTransaction::build(&payer.pubkey(), &[open], &[], recent).unwrap();
    let signed = SolanaKey::from_seed(*payer.secret_bytes()).sign(&built).unwrap();
    stage.play.rpc.send(&signed, true).await.unwrap();
    // It lands in the first of them.
    stage.play.chain.advance(2).await.unwrap();
    let seen = loop {
        if let News::Seen(facts) = follower.next().await.unwrap() {
            break facts;
        }
    };
    assert_eq!(seen[0].kind, FactKind::Opened(Box::new(terms)));

    stage.play.chain.fork(2).await.unwrap();
    stage.play.settle().await;
    let (_, facts, _) = read(&stage, &mut follower).await;
    assert!(facts.is_empty(), "{facts:?}");
}

#[tokio::test]
async fn an_account_that_is_not_the_orders_shows_nothing() {
    let stage = Stage::new().await;
    let terms = stage.terms(None).await;
    stage.open(&terms).await;
    let at = PROGRAM.order(terms.id());
    let whole = stage.play.chain.account(at).await.unwrap().unwrap();
    let changes: [Change; 3] = [
        |account| account.owner = [9; 32].into(),
        |account| account.data[300] ^= 1,
        |account| account.data[0] = 2,
    ];
    for change in changes {
        let mut odd = whole.clone();
        change(&mut odd);
        stage.play.chain.set_account(at, Some(odd)).await.unwrap();
        stage.play.settle().await;
        let (_, facts, _) = read(&stage, &mut stage.follower(None)).await;
        assert!(facts.is_empty(), "{facts:?}");
    }
}

#[tokio::test]
async fn a_chain_that_contradicts_the_last_mark_is_halted_for_good() {
    let stage = Stage::new().await;
    let (_, _, mark) = read(&stage, &mut stage.follower(None)).await;
    let mut follower = stage.follower(Some(BlockMark { hash: B256::repeat_byte(9), ..mark }));
    for _ in 0..2 {
        let halted = follower.next().await;
        assert!(matches!(halted, Err(ChainError::Disagreement(..))), "{halted:?}");
    }
}

#[tokio::test]
async fn calls_grow_with_transactions_and_the_mark_moves_without_any() {
    let stage = Stage::new().await;
    let mut follower = stage.follower(None);
    let (_, _, first) = read(&stage, &mut follower).await;
    stage.play.settle().await;
    let (_, facts, second) = read(&stage, &mut follower).await;
    assert!(facts.is_empty() && first.number < second.number && first.time <= second.time);
}
