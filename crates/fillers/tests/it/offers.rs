use std::time::Duration;

use causeway_domain::ports::{Answer, Filler, Refusal};
use causeway_domain::{DepositMethod, ExactOutMethod, Family, FeeKind, Referral, Token, TokenId};
use causeway_fillers::inventory::{InventoryConfig, Spreads};
use jiff::Timestamp;

use crate::world::{
    BASE, ETHEREUM, World, buy, chain, dai, decimal, eth, parties, raw, sell, shares, sol, spl, tokens, usdc,
    weth,
};

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

#[tokio::test]
async fn an_offer_promises_its_output_and_says_where_the_rest_went() {
    let world = World::new();
    assert_eq!((world.filler.name(), world.filler.kind()), ("inventory", "native-filler"));
    let Ok(Answer::Offers(offers)) = world.filler.quote(&sell(&usdc(ETHEREUM), &eth(BASE), "1000")).await
    else {
        panic!("refused");
    };
    let [offer] = offers.as_slice() else { panic!("{offers:?}") };
    assert_eq!(offer.amount_in, decimal("1000", 6));
    assert_eq!((offer.min_amount_out, offer.exact_out), (offer.amount_out, None));
    assert_eq!(offer.expected_duration_seconds, 48 + 2);
    assert_eq!(offer.parties, Some(parties(Family::Evm)));
    // Claim and sweep at 1 gwei, fill at 0.01 gwei, both a quarter dearer than now.
    let native = |id| TokenId::native(chain(id));
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind, fee.token, fee.amount)).collect();
    assert_eq!(
        fees,
        [
            (FeeKind::Filler, usdc(ETHEREUM).id, decimal("1.497304", 6)),
            (FeeKind::Gas, native(ETHEREUM), decimal("0.0005125", 18)),
            (FeeKind::Gas, native(BASE), decimal("0.000001", 18)),
        ]
    );
    // 1,000 less 1.79375 and 0.0035 for gas, less 0.15 %, at 3,500.
    assert_eq!(offer.amount_out, decimal("0.284772984535714285", 18));
    assert_eq!(offer.estimated_gas, Some(decimal("0.00012", 18)));
}

#[test]
fn a_delivery_on_solana_pays_for_its_record_and_the_recipients_account() {
    let world = World::new();
    let fill = |to: &Token| {
        let offer = world.filler.offer(&sell(&usdc(BASE), to, "1000"), now()).unwrap();
        offer.fees.iter().find(|fee| fee.token == sol().id).map(|fee| fee.amount)
    };
    // A signature, a quarter dearer than now, and rent.
    assert_eq!(fill(&sol()), Some(raw(6_250 + 1_503_360)));
    assert_eq!(fill(&spl()), Some(raw(6_250 + 1_503_360 + 2_074_080)));
}

#[test]
fn within_and_from_solana_the_filler_is_named_by_its_addresses_there() {
    let world = World::new();
    for to in [spl(), usdc(BASE), eth(ETHEREUM)] {
        let offer = world.filler.offer(&sell(&sol(), &to, "10"), now()).unwrap();
        assert_eq!(offer.parties, Some(parties(Family::Solana)));
        assert_eq!(offer.deposit_methods, [DepositMethod::ContractCall, DepositMethod::Transfer]);
    }
}

#[test]
fn rule_20_an_odd_token_is_refused_in_words_in_both_directions() {
    let world = World::new();
    let words = Refusal::Other("it takes a fee of every transfer".to_owned());
    world.figures.odd.lock().unwrap().insert(spl().id, words.clone());
    for (from, to) in [(spl(), usdc(BASE)), (usdc(BASE), spl())] {
        assert_eq!(world.filler.offer(&sell(&from, &to, "100"), now()), Err(words.clone()));
    }
    assert!(world.filler.offer(&sell(&usdc(BASE), &sol(), "100"), now()).is_ok());
}

#[test]
fn quoting_the_returned_input_gives_the_asked_output() {
    let world = World::new();
    for (from, to, amount) in [
        (usdc(ETHEREUM), eth(BASE), "1.5"),
        (eth(ETHEREUM), usdc(BASE), "777.000001"),
        (dai(ETHEREUM), usdc(BASE), "99.999999"),
        (usdc(BASE), dai(ETHEREUM), "123.456789123456789123"),
        (usdc(BASE), shares(BASE), "1000"),
        (usdc(ETHEREUM), sol(), "12.3"),
    ] {
        let bought = world.filler.offer(&buy(&from, &to, amount), now()).unwrap();
        assert_eq!(bought.exact_out, Some(ExactOutMethod::Native));
        assert_eq!(bought.amount_out, decimal(amount, to.decimals));
        let mut again = sell(&from, &to, "0");
        again.ask.amount = bought.amount_in;
        assert!(world.filler.offer(&again, now()).unwrap().amount_out >= bought.amount_out);
        again.ask.amount = bought.amount_in.checked_sub(raw(1)).unwrap();
        assert!(world.filler.offer(&again, now()).unwrap().amount_out < bought.amount_out);
    }
}

#[test]
fn the_referrer_is_paid_out_of_the_input() {
    let world = World::new();
    let mut ask = sell(&usdc(BASE), &dai(BASE), "1000");
    let plain = world.filler.offer(&ask, now()).unwrap();
    ask.ask.referral = Referral::new(parties(Family::Evm).payee, 100);
    let referred = world.filler.offer(&ask, now()).unwrap();
    let fee = referred.fees.iter().find(|fee| fee.kind == FeeKind::Referrer).unwrap();
    assert_eq!((fee.token, fee.amount), (usdc(BASE).id, decimal("10", 6)));
    let without = world.filler.offer(&sell(&usdc(BASE), &dai(BASE), "990"), now()).unwrap();
    assert_eq!(referred.amount_out, without.amount_out);
    assert!(referred.amount_out < plain.amount_out);
}

#[test]
fn shares_of_a_vault_are_paid_for_with_its_asset() {
    let world = World::new();
    // A share costs 1.05; the assets that 1,000 buy are what the same swap to the asset would deliver, but for gas.
    let offer = world.filler.offer(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"), now()).unwrap();
    assert!(offer.amount_out > decimal("950", 18) && offer.amount_out < decimal("952.4", 18), "{offer:?}");
    // A fifth of the million is available, which is 190,476 shares; the caps are lower still.
    let asked = buy(&usdc(ETHEREUM), &shares(BASE), "190477");
    assert!(matches!(world.filler.offer(&asked, now()), Err(Refusal::TooLarge { .. })));
    world.figures.vaults.lock().unwrap().insert(shares(BASE).id, None);
    let asked = sell(&usdc(ETHEREUM), &shares(BASE), "1000");
    assert_eq!(world.filler.offer(&asked, now()), Err(Refusal::NoPrice));
}

#[test]
fn rule_14_quotes_hold_thirty_seconds_and_sixty_between_stablecoins() {
    let world = World::new();
    let holds = |from: &Token, to: &Token| {
        let offer = world.filler.offer(&sell(from, to, "1000"), now()).unwrap();
        assert_eq!(offer.price_holds_until, Some(offer.valid_before));
        Duration::try_from(offer.valid_before.duration_since(now())).unwrap()
    };
    assert_eq!(holds(&usdc(ETHEREUM), &dai(BASE)), Duration::from_mins(1));
    assert_eq!(holds(&usdc(ETHEREUM), &usdc(BASE)), Duration::from_mins(1));
    assert_eq!(holds(&usdc(ETHEREUM), &eth(BASE)), Duration::from_secs(30));
}

#[test]
fn deposit_methods_are_those_the_chain_offers_and_the_asker_wants() {
    use DepositMethod::{ContractCall, Permit2, Transfer};
    let world = World::new();
    let offered = |from: &Token, wanted: &[DepositMethod]| {
        let mut ask = sell(from, &dai(BASE), "5");
        ask.ask.deposit_methods = wanted.to_vec();
        world.filler.offer(&ask, now()).map(|offer| offer.deposit_methods)
    };
    assert_eq!(offered(&usdc(ETHEREUM), &[]), Ok(vec![ContractCall, Permit2, Transfer]));
    assert_eq!(offered(&usdc(ETHEREUM), &[Transfer, Permit2]), Ok(vec![Permit2, Transfer]));
    assert_eq!(offered(&eth(ETHEREUM), &[]), Ok(vec![ContractCall, Transfer]));
    assert_eq!(offered(&sol(), &[]), Ok(vec![ContractCall, Transfer]));
    assert_eq!(offered(&eth(ETHEREUM), &[Permit2]), Err(Refusal::NoDepositMethod));
    let mut ask = sell(&usdc(ETHEREUM), &dai(BASE), "20");
    let all = world.filler.offer(&ask, now()).unwrap();
    ask.ask.deposit_methods = vec![ContractCall];
    let cheap = world.filler.offer(&ask, now()).unwrap();
    assert!(cheap.amount_out > all.amount_out, "nobody pays for a sweep that is not offered");
}

#[test]
fn what_is_not_served_or_not_priced_is_refused() {
    let world = World::new();
    let refusal = |from: &Token, to: &Token| world.filler.offer(&sell(from, to, "100"), now()).unwrap_err();
    assert_eq!(refusal(&usdc(10), &dai(BASE)), Refusal::PairNotServed);
    assert_eq!(refusal(&usdc(BASE), &dai(10)), Refusal::PairNotServed);
    assert_eq!(refusal(&usdc(BASE), &usdc(BASE)), Refusal::PairNotServed);
    assert_eq!(refusal(&shares(BASE), &usdc(BASE)), Refusal::PairNotServed);
    let mut lying = usdc(BASE);
    lying.decimals = 18;
    assert_eq!(refusal(&lying, &dai(BASE)), Refusal::PairNotServed);

    world.figures.set_price(&dai(BASE), "0");
    assert_eq!(refusal(&usdc(BASE), &dai(BASE)), Refusal::NoPrice);
    world.figures.prices.lock().unwrap().remove(&dai(BASE).id);
    assert_eq!(refusal(&usdc(BASE), &dai(BASE)), Refusal::NoPrice);
    world.figures.set_price(&usdc(BASE), "0.98");
    assert!(matches!(refusal(&usdc(BASE), &eth(BASE)), Refusal::Other(words) if words.contains("peg")));
    world.figures.gas.lock().unwrap().clear();
    assert_eq!(refusal(&usdc(ETHEREUM), &eth(BASE)), Refusal::NoPrice);
}

#[test]
fn rule_14_a_pair_that_is_not_priced_is_refused_with_the_feeds_reason() {
    let world = World::new();
    let reason = |words: &str| Refusal::Other(words.to_owned());
    let refusal = |from: &Token, to: &Token| world.filler.offer(&sell(from, to, "100"), now()).unwrap_err();
    let lose = |token: &Token, words: &str| {
        world.figures.prices.lock().unwrap().remove(&token.id);
        world.figures.unpriced.lock().unwrap().insert(token.id, words.to_owned());
    };
    lose(&dai(BASE), "the sources are 3 % apart");
    assert_eq!(refusal(&usdc(BASE), &dai(BASE)), reason("the sources are 3 % apart"));
    assert_eq!(refusal(&dai(BASE), &usdc(BASE)), reason("the sources are 3 % apart"));
    // Gas cannot be counted without the price of its coin.
    lose(&eth(ETHEREUM), "one source is too old");
    assert_eq!(refusal(&usdc(ETHEREUM), &usdc(BASE)), reason("one source is too old"));
}

#[test]
fn two_fillers_are_priced_apart() {
    let filler = |name: &str, spreads| {
        World::with(
            InventoryConfig { name: name.to_owned(), spreads, ..InventoryConfig::default() },
            &tokens(),
        )
        .filler
    };
    let north = filler("north", Spreads::tight_on_stables());
    let south = filler("south", Spreads::tight_on_volatile());
    let better = |from: &Token, to: &Token| {
        let out = |filler: &causeway_fillers::inventory::InventoryFiller| {
            filler.offer(&sell(from, to, "5000"), now()).unwrap().amount_out
        };
        out(&north) > out(&south)
    };
    assert!(better(&usdc(ETHEREUM), &dai(BASE)));
    assert!(better(&usdc(ETHEREUM), &usdc(BASE)));
    assert!(!better(&usdc(ETHEREUM), &weth(BASE)));
}

#[test]
fn quotes_are_made_from_memory() {
    let world = World::new();
    let asks = [sell(&usdc(ETHEREUM), &eth(BASE), "1000"), buy(&usdc(ETHEREUM), &eth(BASE), "1")];
    for ask in asks {
        let (rounds, began) = (2_000u32, std::time::Instant::now());
        for _ in 0..rounds {
            world.filler.offer(&ask, now()).unwrap();
        }
        println!("{}: {:?} a quote", ask.ask.trade_type.as_str(), began.elapsed() / rounds);
    }
}
