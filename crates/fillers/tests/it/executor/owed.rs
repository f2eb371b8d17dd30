use alloy_primitives::U256;
use causeway_domain::ports::{InventoryStore as _, OrderExecutor as _, Outflow, OutflowSum, Owed, Refusal};
use causeway_domain::{Decision, RawAmount, SOLANA_CHAIN_ID, Token, UsdAmount};
use causeway_fillers::inventory::{Breaker, OutflowWindow};
use causeway_testing::MemoryStore;
use jiff::{SignedDuration, Timestamp};

use super::fixture::{ExecutorFixture, decided, now};
use crate::fixture::{BASE, ETHEREUM, FillerFixture, chain, dai, decimal, eth, sell, usdc, weth};

fn owed(token: &Token, amount: &str) -> Owed {
    let amount = decimal(amount, token.decimals);
    Owed { filler: "inventory".to_owned(), token: token.id, amount, deposited_in: Some(7), refund_at: 0 }
}

fn dollars(text: &str) -> UsdAmount {
    text.parse().unwrap()
}

#[test]
fn rule_14_unclaimed_value_is_summed_by_chain() {
    let fixture = FillerFixture::new();
    let foreign = Owed { filler: "south".to_owned(), ..owed(&usdc(BASE), "5000") };
    let debts = [
        owed(&usdc(BASE), "100.000001"),
        owed(&usdc(BASE), "0.000001"),
        owed(&weth(BASE), "0.5"),
        owed(&dai(ETHEREUM), "7"),
        foreign,
        owed(&usdc(10), "9"),
    ];
    let mut unclaimed: Vec<_> = fixture.filler.owed_by_origin(&debts).into_iter().collect();
    unclaimed.sort();
    let expected = [
        (chain(ETHEREUM), dollars("7")),
        // A cent for the two units, which are rounded up together.
        (chain(BASE), dollars("1850.01")),
        (SOLANA_CHAIN_ID, dollars("0")),
    ];
    assert_eq!(unclaimed, expected);
}

#[test]
fn rule_14_claimed_value_frees_the_limit_again() {
    let fixture = FillerFixture::new();
    let offer = || fixture.offer(&sell(&eth(BASE), &usdc(ETHEREUM), "1"), now());
    fixture.filler.update_unclaimed(&[owed(&weth(BASE), "1000")]);
    assert_eq!(fixture.unclaimed.get(chain(BASE)), dollars("3500000"));
    assert!(matches!(offer(), Err(Refusal::Other(_))));
    fixture.filler.update_unclaimed(&[]);
    assert_eq!(fixture.unclaimed.get(chain(BASE)), dollars("0"));
    assert!(offer().is_ok());
}

#[test]
fn unpriced_debt_blocks_new_offers() {
    let fixture = FillerFixture::new();
    fixture.feeds.prices.lock().unwrap().remove(&weth(BASE).id);
    fixture.filler.update_unclaimed(&[
        owed(&usdc(BASE), "1"),
        owed(&weth(BASE), "0.001"),
        owed(&dai(ETHEREUM), "2"),
    ]);
    let refused = fixture.offer(&sell(&usdc(BASE), &usdc(ETHEREUM), "10"), now());
    assert!(matches!(refused, Err(Refusal::Other(_))));
    assert_eq!(fixture.unclaimed.get(chain(ETHEREUM)), dollars("2"));
}

fn outflows(id: u64, value: &str, fees: &str) -> OutflowSum {
    let filler = "inventory".to_owned();
    OutflowSum { filler, chain: chain(id), value: dollars(value), fees: dollars(fees) }
}

#[test]
fn rule_30_an_open_breaker_ends_new_quotes_on_its_chain_alone() {
    let fixture = FillerFixture::new();
    let filler = &fixture.filler;
    let quotes = |from: u64, to: u64| filler.offers(&sell(&usdc(from), &usdc(to), "100"), now()).is_ok();
    let all = |wanted: [bool; 4]| {
        let routes = [(BASE, ETHEREUM), (ETHEREUM, BASE), (BASE, BASE), (ETHEREUM, ETHEREUM)];
        let found = routes.map(|(from, to)| from == to || quotes(from, to));
        assert_eq!(found, wanted);
    };
    let open = || filler.breaker_states().into_iter().filter(|(_, _, open)| *open).count();
    all([true; 4]);

    // $25,000 against deposits that are not final: nothing more from there, until they are.
    let debts = [owed(&usdc(BASE), "24999.99"), owed(&usdc(ETHEREUM), "24999.98")];
    filler.update_unfinal_deposits(&debts, |_, block| block < 7);
    all([true; 4]);
    let debts = [owed(&usdc(BASE), "25000"), owed(&usdc(ETHEREUM), "25000")];
    filler.update_unfinal_deposits(&debts, |id, block| id == chain(ETHEREUM) && block <= 7);
    assert_eq!(open(), 1);
    all([false, true, true, true]);
    filler.update_unfinal_deposits(&debts, |_, block| block <= 7);
    all([true; 4]);
    let unknown = Owed { deposited_in: None, ..owed(&usdc(BASE), "25000") };
    filler.update_unfinal_deposits(&[unknown], |_, _| true);
    all([false, true, true, true]);
    filler.update_outflows(&[]);
    all([false, true, true, true]);
    filler.update_unfinal_deposits(&[], |_, _| true);

    // Value leaves a chain: nothing more to it. Fees: neither from nor to it.
    let foreign = OutflowSum { filler: "south".to_owned(), ..outflows(BASE, "900000", "900000") };
    filler.update_outflows(&[outflows(BASE, "249999.99", "499.99"), foreign.clone()]);
    all([true; 4]);
    filler.update_outflows(&[outflows(BASE, "200000", "1"), outflows(BASE, "50000", "1"), foreign]);
    all([true, false, true, true]);
    filler.update_unfinal_deposits(&[], |_, _| true);
    all([true, false, true, true]);
    filler.update_outflows(&[outflows(BASE, "0", "500")]);
    all([false, false, true, true]);
    filler.update_outflows(&[]);
    all([true; 4]);
}

#[tokio::test]
async fn rule_30_what_a_fill_delivers_and_costs_counts_before_the_sums_are_read_again() {
    let fixture = ExecutorFixture::new();
    let filler = &fixture.setup.filler;
    filler.update_outflows(&[outflows(BASE, "249500", "0")]);
    let order = decided(fixture.cross_chain(), Decision::Fill);
    *fixture.base.fees.lock().unwrap() = 200_000_000_000_000_000;
    let open =
        || [Breaker::HourlyValue, Breaker::HourlyFees].map(|breaker| filler.is_open(chain(BASE), breaker));
    assert_eq!(open(), [false; 2]);
    fixture.executor.fill(&order, now()).await.unwrap();
    assert_eq!(open(), [true; 2], "$1,000 more and 0.2 ETH");
    assert!(!filler.is_open(chain(ETHEREUM), Breaker::HourlyFees));
}

/// The value that left, in cents.
async fn left(window: &mut OutflowWindow, store: &MemoryStore, now: Timestamp) -> U256 {
    let sums = window.read(store, now).await.unwrap();
    sums.into_iter().fold(U256::ZERO, |sum, one| sum + one.value.cents().get())
}

#[tokio::test]
async fn rule_30_what_left_is_known_at_once_and_for_an_hour() {
    let (store, start) = (MemoryStore::default(), now());
    let at = |seconds: i64| start + SignedDuration::from_secs(seconds);
    let record = async |number: u64, seconds: i64| {
        let outflow = Outflow {
            filler: "inventory".to_owned(),
            purpose: format!("fill:{number}"),
            chain: chain(BASE),
            value: UsdAmount::from_cents(RawAmount::new(U256::from(
                10_u64.pow(u32::try_from(number).unwrap()),
            ))),
            fees: dollars("0"),
        };
        store.record_outflow(&outflow, Timestamp::MIN, at(seconds)).await.unwrap();
    };
    let mut window = OutflowWindow::default();
    for (number, seconds) in [(0, 0), (1, 3_500), (2, 3_590)] {
        record(number, seconds).await;
    }
    let mut look = async |seconds| left(&mut window, &store, at(seconds)).await;
    assert_eq!(look(3_600).await, U256::from(111), "all of it left within the hour");
    record(3, 3_600).await;
    assert_eq!(look(3_601).await, U256::from(1_111), "another replica has sent it a moment ago");
    // Within the next minute the hour may be one of 61 minutes.
    assert_eq!(look(3_660).await, U256::from(1_111));
    assert_eq!(look(3_661).await, U256::from(1_110));
    // Whoever writes late is heard within a minute.
    record(4, 3_599).await;
    assert_eq!(look(3_722).await, U256::from(11_110));
    assert_eq!(look(7_300).await, U256::ZERO);
}
