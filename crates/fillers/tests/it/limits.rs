use alloy_primitives::U256;
use causeway_domain::ports::Refusal;
use causeway_domain::{RawAmount, Referral, Token, TradeType, UsdAmount};
use causeway_fillers::inventory::InventoryConfig;
use jiff::Timestamp;
use proptest::prelude::*;
use tokio::time::Instant;

use crate::fixture::{
    BASE, ETHEREUM, FillerFixture, ask, chain, dai, decimal, eth, parties, raw, sell, tokens, usdc, weth,
};

fn cents(cents: u64) -> UsdAmount {
    UsdAmount::from_cents(raw(cents))
}

fn one() -> RawAmount {
    raw(1)
}

#[test]
fn rule_14_an_order_is_capped_at_the_maximum() {
    let fixture = FillerFixture::new();
    let refusal = fixture.offer(&sell(&usdc(BASE), &dai(ETHEREUM), "25000.000001"), Timestamp::now());
    assert_eq!(refusal, Err(Refusal::TooLarge { maximum: decimal("25000", 6) }));
    assert!(fixture.offer(&sell(&usdc(BASE), &dai(ETHEREUM), "25000"), Timestamp::now()).is_ok());
}

#[test]
fn rule_14_unclaimed_value_reduces_what_an_origin_may_offer() {
    let fixture = FillerFixture::new();
    fixture.unclaimed.set(chain(BASE), cents(24_990_000));
    let asked = |amount| fixture.offer(&sell(&usdc(BASE), &dai(ETHEREUM), amount), Timestamp::now());
    assert!(asked("100").is_ok());
    assert_eq!(asked("100.000001"), Err(Refusal::TooLarge { maximum: decimal("100", 6) }));
    fixture.unclaimed.set(chain(BASE), cents(26_000_000));
    assert!(matches!(asked("100"), Err(Refusal::Other(_))));
    let other_origin = fixture.offer(&sell(&usdc(ETHEREUM), &dai(BASE), "100"), Timestamp::now());
    assert!(other_origin.is_ok(), "other origins have their own limit");
}

#[test]
fn only_unreserved_balance_is_offered() {
    let fixture = FillerFixture::new();
    let asked = |amount| fixture.offer(&sell(&usdc(BASE), &weth(ETHEREUM), amount), Timestamp::now());
    let set_balance = |held: &str, reserved: &str| {
        let token = weth(ETHEREUM).id;
        fixture.book.set_reserved(Instant::now(), [(token, decimal(reserved, 18))]);
        fixture.book.set_held(chain(ETHEREUM), Instant::now(), [(token, decimal(held, 18))]);
    };
    set_balance("10", "0");
    assert!(asked("6900").is_ok());
    assert!(matches!(asked("7200"), Err(Refusal::TooLarge { .. })), "a fifth of the book is 2 WETH");
    set_balance("10", "9");
    assert!(asked("3400").is_ok());
    assert!(matches!(asked("3600"), Err(Refusal::TooLarge { .. })));
    set_balance("10", "10");
    assert_eq!(asked("100"), Err(Refusal::NoInventory));
    set_balance("0", "0");
    assert_eq!(asked("100"), Err(Refusal::NoInventory));
}

#[test]
fn what_is_free_of_a_token_is_told_in_dollars_while_it_has_a_price() {
    let fixture = FillerFixture::new();
    let token = weth(ETHEREUM).id;
    fixture.book.set_reserved(Instant::now(), [(token, decimal("4", 18))]);
    fixture.book.set_held(chain(ETHEREUM), Instant::now(), [(token, decimal("10", 18))]);
    assert_eq!(fixture.filler.free_usd(&token), Some(cents(2_100_000)));
    fixture.feeds.prices.lock().unwrap().remove(&token);
    assert_eq!(fixture.filler.free_usd(&token), None);
    assert_eq!(fixture.filler.free_usd(&usdc(10).id), None, "not served");
}

#[test]
fn gas_never_exceeds_its_share_of_an_input() {
    let fixture = FillerFixture::new();
    let asked = |amount| fixture.offer(&sell(&usdc(ETHEREUM), &dai(BASE), amount), Timestamp::now());
    // A wallet's own call costs the filler least: at 5 gwei 1.373045 and 0.00326 (84,661 at 0.011 gwei, rounded up), half of
    // the least input.
    fixture.feeds.gas.lock().unwrap().insert(chain(ETHEREUM), decimal("0.000000005", 18));
    assert_eq!(asked("1"), Err(Refusal::TooSmall { minimum: decimal("2.75261", 6) }));
    fixture.feeds.gas.lock().unwrap().insert(chain(ETHEREUM), decimal("0.000005", 18));
    assert!(matches!(asked("1000"), Err(Refusal::TooSmall { .. })), "at 5,000 gwei");
    fixture.feeds.gas.lock().unwrap().insert(chain(ETHEREUM), decimal("0.0001", 18));
    assert!(matches!(asked("1000"), Err(Refusal::Other(_))), "at 100,000 gwei no order is large enough");
}

/// The limits that a filler reports are exact to the unit.
fn check_limits(
    fixture: &FillerFixture,
    trade: TradeType,
    from: &Token,
    to: &Token,
    referral: Option<Referral>,
) {
    let now = Timestamp::now();
    let offer = |amount: RawAmount| {
        let mut asked = ask(trade, from, to, amount);
        asked.ask.referral = referral;
        fixture.offer(&asked, now)
    };
    let minimum = match offer(one()) {
        Err(Refusal::TooSmall { minimum }) => minimum,
        // One unit is enough, or no amount is accepted.
        Ok(_) => one(),
        Err(_) => {
            assert!(!matches!(offer(RawAmount::new(U256::MAX)), Err(Refusal::TooLarge { .. })));
            return;
        }
    };
    let Err(Refusal::TooLarge { maximum }) = offer(RawAmount::new(U256::MAX)) else {
        panic!("there must be a maximum");
    };
    assert!(minimum <= maximum);
    for amount in [minimum, maximum] {
        let offer = offer(amount).unwrap();
        assert!(!offer.amount_out.is_zero() && !offer.amount_in.is_zero());
    }
    if minimum > one() {
        assert_eq!(offer(minimum.checked_sub(one()).unwrap()), Err(Refusal::TooSmall { minimum }));
    }
    assert_eq!(offer(maximum.checked_add(one()).unwrap()), Err(Refusal::TooLarge { maximum }));
}

#[test]
fn reported_limits_are_exact_for_every_pair() {
    let fixture = FillerFixture::new();
    for from in tokens() {
        for to in tokens().iter().filter(|to| to.id != from.id) {
            for trade in [TradeType::ExactInput, TradeType::ExactOutput] {
                check_limits(&fixture, trade, &from, to, None);
            }
        }
    }
}

proptest! {
    #[test]
    fn reported_limits_are_exact_for_any_figures(
        decimals in (0u8..=36, 0u8..=36),
        prices in (1u64..=u64::MAX, 1u64..=u64::MAX),
        gas in 0u64..10_000_000_000,
        held in any::<u128>(),
        shift in 0u32..128,
        unclaimed in 0u64..30_000_000,
        bps in prop::option::of(0u16..=1_000),
    ) {
        let mut from = weth(ETHEREUM);
        let mut to = weth(BASE);
        (from.decimals, to.decimals) = decimals;
        let fixture = FillerFixture::with_config(InventoryConfig::default(), &[from.clone(), to.clone()]);
        fixture.feeds.set_price(&from, &raw(prices.0).to_decimal(18));
        fixture.feeds.set_price(&to, &raw(prices.1).to_decimal(9));
        fixture.feeds.set_price(&eth(BASE), "0.3");
        fixture.feeds.gas.lock().unwrap().insert(chain(ETHEREUM), raw(gas));
        fixture.book.set_held(chain(BASE), Instant::now(), [(to.id, RawAmount::new(U256::from(held >> shift)))]);
        fixture.unclaimed.set(chain(ETHEREUM), cents(unclaimed));
        let referral = bps.and_then(|bps| Referral::new(parties(causeway_domain::Family::Evm).payee, bps));
        for trade in [TradeType::ExactInput, TradeType::ExactOutput] {
            check_limits(&fixture, trade, &from, &to, referral);
        }
    }
}
