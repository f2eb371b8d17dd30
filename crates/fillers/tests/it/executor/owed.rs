use causeway_domain::ports::{Owed, Refusal};
use causeway_domain::{SOLANA_CHAIN_ID, Token, UsdAmount};

use super::fixture::now;
use crate::fixture::{BASE, ETHEREUM, FillerFixture, chain, dai, decimal, eth, sell, usdc, weth};

fn owed(token: &Token, amount: &str) -> Owed {
    Owed { filler: "inventory".to_owned(), token: token.id, amount: decimal(amount, token.decimals) }
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
    let offer = || fixture.filler.offer(&sell(&eth(BASE), &usdc(ETHEREUM), "1"), now());
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
    let refused = fixture.filler.offer(&sell(&usdc(BASE), &usdc(ETHEREUM), "10"), now());
    assert!(matches!(refused, Err(Refusal::Other(_))));
    assert_eq!(fixture.unclaimed.get(chain(ETHEREUM)), dollars("2"));
}
