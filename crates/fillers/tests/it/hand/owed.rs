use causeway_domain::ports::{Owed, Refusal};
use causeway_domain::{SOLANA_CHAIN_ID, Token, UsdAmount};

use super::scene::now;
use crate::world::{BASE, ETHEREUM, World, chain, dai, decimal, eth, sell, usdc, weth};

fn owed(token: &Token, amount: &str) -> Owed {
    Owed { filler: "inventory".to_owned(), token: token.id, amount: decimal(amount, token.decimals) }
}

fn dollars(text: &str) -> UsdAmount {
    text.parse().unwrap()
}

#[test]
fn rule_14_every_chain_owes_the_worth_of_what_was_not_paid_yet() {
    let world = World::new();
    let foreign = Owed { filler: "south".to_owned(), ..owed(&usdc(BASE), "5000") };
    let debts = [
        owed(&usdc(BASE), "100.000001"),
        owed(&usdc(BASE), "0.000001"),
        owed(&weth(BASE), "0.5"),
        owed(&dai(ETHEREUM), "7"),
        foreign,
        owed(&usdc(10), "9"),
    ];
    let mut owes: Vec<_> = world.filler.owed_by_origin(&debts).into_iter().collect();
    owes.sort();
    let expected = [
        (chain(ETHEREUM), dollars("7")),
        // A cent for the two units, which are rounded up together.
        (chain(BASE), dollars("1850.01")),
        (SOLANA_CHAIN_ID, dollars("0")),
    ];
    assert_eq!(owes, expected);
}

#[test]
fn rule_14_what_was_paid_leaves_room_again() {
    let world = World::new();
    let offer = || world.filler.offer(&sell(&eth(BASE), &usdc(ETHEREUM), "1"), now());
    world.filler.note_owed(&[owed(&weth(BASE), "1000")]);
    assert_eq!(world.unclaimed.of(chain(BASE)), dollars("3500000"));
    assert!(matches!(offer(), Err(Refusal::Other(_))));
    world.filler.note_owed(&[]);
    assert_eq!(world.unclaimed.of(chain(BASE)), dollars("0"));
    assert!(offer().is_ok());
}

#[test]
fn what_has_no_price_leaves_no_room() {
    let world = World::new();
    world.figures.prices.lock().unwrap().remove(&weth(BASE).id);
    world.filler.note_owed(&[owed(&usdc(BASE), "1"), owed(&weth(BASE), "0.001"), owed(&dai(ETHEREUM), "2")]);
    let refused = world.filler.offer(&sell(&usdc(BASE), &usdc(ETHEREUM), "10"), now());
    assert!(matches!(refused, Err(Refusal::Other(_))));
    assert_eq!(world.unclaimed.of(chain(ETHEREUM)), dollars("2"));
}
