use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use alloy_primitives::U256;
use causeway_domain::ports::{
    InventoryStore, Reservation, ReservationKind, ReservationLimit, Reserved, StoreError,
};
use causeway_domain::{RawAmount, SOLANA_CHAIN_ID, TokenId};
use causeway_store::Store;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::reservations::ether;
use crate::sample::now;
use crate::test_database::TestDatabase;

on_both_engines!(any_sequence_of_reservations_matches_the_model);

/// What the port promises, in memory.
#[derive(Default)]
struct Model(BTreeMap<(String, String, TokenId), Reservation>);

impl Model {
    fn live(&self, filler: &str, token: TokenId, now: Timestamp) -> Vec<&Reservation> {
        let counts = |held: &&Reservation| {
            let expired = held.kind == ReservationKind::Build && held.expires_at.is_some_and(|at| at <= now);
            held.filler == filler && held.token == token && !expired
        };
        self.0.values().filter(counts).collect()
    }

    fn reserved(&self, filler: &str, token: TokenId, now: Timestamp) -> U256 {
        self.live(filler, token, now).iter().map(|held| held.amount.get()).sum()
    }

    /// `None` is a conflict.
    fn reserve(&mut self, new: &Reservation, limit: ReservationLimit, now: Timestamp) -> Option<Reserved> {
        let live = self.live(&new.filler, new.token, now);
        let (own, others): (Vec<_>, Vec<_>) = live.into_iter().partition(|held| held.holder == new.holder);
        if let Some(own) = own.first() {
            let takes_over = (own.kind, new.kind) == (ReservationKind::Build, ReservationKind::Order);
            if !takes_over {
                return (own.amount == new.amount).then_some(Reserved::Existing);
            }
        }
        let sum = |of: &dyn Fn(&Reservation) -> bool| -> U256 {
            others.iter().filter(|held| of(held)).map(|held| held.amount.get()).sum()
        };
        let reserved = sum(&|_| true);
        let builds = sum(&|held| held.kind == ReservationKind::Build);
        let room = |held: U256, limit: RawAmount| {
            limit.get().checked_sub(held).is_some_and(|room| new.amount.get() <= room)
        };
        if !room(reserved, limit.total) || new.kind == ReservationKind::Build && !room(builds, limit.builds) {
            return Some(Reserved::OverLimit { reserved: RawAmount::new(reserved) });
        }
        self.0.insert((new.filler.clone(), new.holder.clone(), new.token), new.clone());
        Some(Reserved::Written)
    }

    fn release(&mut self, filler: &str, holder: &str) {
        self.0.retain(|(of, by, _), _| (of.as_str(), by.as_str()) != (filler, holder));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Reserve {
        filler: u8,
        token: TokenId,
        holder: u8,
        kind: ReservationKind,
        amount: RawAmount,
        lasts: Option<i64>,
    },
    Release {
        filler: u8,
        holder: u8,
    },
    Wait(i64),
}

fn any_amount() -> impl Strategy<Value = RawAmount> {
    prop_oneof![
        20 => (0u64..8).prop_map(|units| RawAmount::new(U256::from(units))),
        1 => Just(RawAmount::new(U256::MAX)),
    ]
}

fn any_token() -> impl Strategy<Value = TokenId> {
    prop::sample::select(vec![ether(), TokenId::native(SOLANA_CHAIN_ID)])
}

fn any_step() -> impl Strategy<Value = Step> {
    let kind = prop::sample::select(vec![ReservationKind::Build, ReservationKind::Order]);
    let lasts = prop::option::of(0i64..6);
    let reserve = (0u8..2, any_token(), 0u8..4, kind, any_amount(), lasts).prop_map(
        |(filler, token, holder, kind, amount, lasts)| Step::Reserve {
            filler,
            token,
            holder,
            kind,
            amount,
            lasts,
        },
    );
    prop_oneof![
        6 => reserve,
        1 => (0u8..2, 0u8..4).prop_map(|(filler, holder)| Step::Release { filler, holder }),
        1 => (1i64..4).prop_map(Step::Wait),
    ]
}

/// Names of fillers that no earlier case has used, so that all share a database.
fn names() -> [String; 2] {
    static CASE: AtomicU32 = AtomicU32::new(0);
    let case = CASE.fetch_add(1, Ordering::Relaxed);
    [format!("north {case}"), format!("south {case}")]
}

async fn follow(store: &Store, steps: &[Step], limit: ReservationLimit) -> Result<(), TestCaseError> {
    let (fillers, mut model, mut clock) = (names(), Model::default(), now());
    for step in steps {
        match *step {
            Step::Reserve { filler, token, holder, kind, amount, lasts } => {
                let reservation = Reservation {
                    filler: fillers[usize::from(filler)].clone(),
                    token,
                    amount,
                    holder: format!("order {holder}"),
                    kind,
                    expires_at: lasts.map(|millis| clock + SignedDuration::from_millis(millis)),
                };
                let answer = match store.reserve(&reservation, limit, clock).await {
                    Ok(answer) => Some(answer),
                    Err(StoreError::Conflict(_)) => None,
                    Err(error) => return Err(TestCaseError::fail(format!("{error:?}"))),
                };
                prop_assert_eq!(answer, model.reserve(&reservation, limit, clock), "{:?}", reservation);
            }
            Step::Release { filler, holder } => {
                let (filler, holder) = (&fillers[usize::from(filler)], format!("order {holder}"));
                store.release(filler, &holder).await.unwrap();
                model.release(filler, &holder);
            }
            Step::Wait(millis) => clock += SignedDuration::from_millis(millis),
        }
        for filler in &fillers {
            let all = store.all_reserved(filler, clock).await.unwrap();
            for token in [ether(), TokenId::native(SOLANA_CHAIN_ID)] {
                let expected = RawAmount::new(model.reserved(filler, token, clock));
                prop_assert!(expected <= limit.total);
                prop_assert_eq!(store.reserved(filler, token, clock).await.unwrap(), expected);
                let listed = all.iter().find(|(of, _)| *of == token).map(|(_, amount)| *amount);
                let held = !model.live(filler, token, clock).is_empty();
                prop_assert_eq!(listed, held.then_some(expected));
            }
        }
    }
    Ok(())
}

async fn any_sequence_of_reservations_matches_the_model(database: &TestDatabase) {
    let store = database.store().await;
    // Each case writes dozens of times, so the ordinary run takes fewer.
    let usual = Config { failure_persistence: None, ..Config::default() };
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { usual.cases } else { 40 };
    let limits = (any_amount(), any_amount()).prop_map(|(total, builds)| ReservationLimit { total, builds });
    let plans = (prop::collection::vec(any_step(), 1..25), limits);
    block_in_place(|| {
        TestRunner::new(Config { cases, ..usual })
            .run(&plans, |(steps, limit)| Handle::current().block_on(follow(&store, &steps, limit)))
            .unwrap();
    });
}
