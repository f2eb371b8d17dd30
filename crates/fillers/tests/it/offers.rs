use std::time::Duration;

use causeway_domain::ports::{Answer, Filler, Refusal};
use causeway_domain::{DepositMethod, ExactOutMethod, Family, FeeKind, Referral, Token, TokenId};
use causeway_fillers::inventory::{InventoryConfig, Spreads};
use jiff::Timestamp;

use crate::fixture::{
    BASE, ETHEREUM, FillerFixture, buy, chain, dai, decimal, eth, parties, raw, sell, shares, sol, spl,
    tokens, usdc, weth,
};

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

#[tokio::test]
async fn offer_guarantees_its_output_and_lists_the_fees() {
    let fixture = FillerFixture::new();
    assert_eq!((fixture.filler.name(), fixture.filler.kind()), ("inventory", "native-filler"));
    let Ok(Answer::Offers(offers)) = fixture.filler.quote(&sell(&usdc(ETHEREUM), &eth(BASE), "1000")).await
    else {
        panic!("refused");
    };
    let [offer] = offers.as_slice() else { panic!("{offers:?}") };
    assert_eq!(offer.amount_in, decimal("1000", 6));
    assert_eq!((offer.min_amount_out, offer.exact_out), (offer.amount_out, None));
    assert_eq!(offer.expected_duration_seconds, 48 + 2);
    assert_eq!(offer.parties, Some(parties(Family::Evm)));
    // Claim and sweep at 1 gwei, fill at 0.01 gwei, both a tenth dearer than now.
    let native = |id| TokenId::native(chain(id));
    let fees: Vec<_> = offer.fees.iter().map(|fee| (fee.kind, fee.token, fee.amount)).collect();
    assert_eq!(
        fees,
        [
            (FeeKind::Filler, usdc(ETHEREUM).id, decimal("1.498631", 6)),
            (FeeKind::Gas, native(ETHEREUM), decimal("0.0002596297", 18)),
            (FeeKind::Gas, native(BASE), decimal("0.000000974732", 18)),
        ]
    );
    // 1,000 less 0.908704 and 0.003412 for gas, less 0.15 %, at 3,500.
    assert_eq!(offer.amount_out, decimal("0.285025500621142857", 18));
    assert_eq!(offer.estimated_gas, Some(decimal("0.000074468", 18)));
}

#[test]
fn rule_31_an_order_pays_the_share_of_a_claim_that_recent_batches_had() {
    let fixture = FillerFixture::new();
    let gas = || {
        let mut ask = sell(&usdc(ETHEREUM), &eth(BASE), "1000");
        ask.ask.deposit_methods = vec![DepositMethod::ContractCall];
        let offer = fixture.filler.offer(&ask, now()).unwrap();
        let native = TokenId::native(chain(ETHEREUM));
        offer.fees.iter().find(|fee| fee.token == native).map(|fee| fee.amount)
    };
    assert_eq!(gas(), Some(decimal("0.0000804342", 18)), "alone, with a tenth");
    fixture.filler.set_claim_sizes(chain(ETHEREUM), vec![20, 20]);
    assert_eq!(gas(), Some(decimal("0.0000182314", 18)));
    fixture.filler.set_claim_sizes(chain(BASE), vec![1]);
    assert_eq!(gas(), Some(decimal("0.0000182314", 18)), "other chains do not count");
}

#[test]
fn solana_fill_includes_rent_of_its_record_and_the_recipients_account() {
    let fixture = FillerFixture::new();
    let fill = |to: &Token| {
        let offer = fixture.filler.offer(&sell(&usdc(BASE), to, "1000"), now()).unwrap();
        offer.fees.iter().find(|fee| fee.token == sol().id).map(|fee| fee.amount)
    };
    // A signature, a tenth dearer than now, and rent.
    assert_eq!(fill(&sol()), Some(raw(5_500 + 1_503_360)));
    assert_eq!(fill(&spl()), Some(raw(5_500 + 1_503_360 + 2_074_080)));
}

#[test]
fn offers_from_solana_name_the_fillers_solana_accounts() {
    let fixture = FillerFixture::new();
    for to in [spl(), usdc(BASE), eth(ETHEREUM)] {
        let offer = fixture.filler.offer(&sell(&sol(), &to, "10"), now()).unwrap();
        assert_eq!(offer.parties, Some(parties(Family::Solana)));
        assert_eq!(offer.deposit_methods, [DepositMethod::ContractCall, DepositMethod::Transfer]);
    }
}

#[test]
fn rule_20_an_unsupported_token_is_refused_with_reason_in_both_directions() {
    let fixture = FillerFixture::new();
    let reason = Refusal::Other("it takes a fee of every transfer".to_owned());
    fixture.feeds.untradable.lock().unwrap().insert(spl().id, reason.clone());
    for (from, to) in [(spl(), usdc(BASE)), (usdc(BASE), spl())] {
        assert_eq!(fixture.filler.offer(&sell(&from, &to, "100"), now()), Err(reason.clone()));
    }
    assert!(fixture.filler.offer(&sell(&usdc(BASE), &sol(), "100"), now()).is_ok());
}

#[test]
fn quoting_the_returned_input_gives_the_asked_output() {
    let fixture = FillerFixture::new();
    for (from, to, amount) in [
        (usdc(ETHEREUM), eth(BASE), "1.5"),
        (eth(ETHEREUM), usdc(BASE), "777.000001"),
        (dai(ETHEREUM), usdc(BASE), "99.999999"),
        (usdc(BASE), dai(ETHEREUM), "123.456789123456789123"),
        (usdc(BASE), shares(BASE), "1000"),
        (usdc(ETHEREUM), sol(), "12.3"),
    ] {
        let bought = fixture.filler.offer(&buy(&from, &to, amount), now()).unwrap();
        assert_eq!(bought.exact_out, Some(ExactOutMethod::Native));
        assert_eq!(bought.amount_out, decimal(amount, to.decimals));
        let mut again = sell(&from, &to, "0");
        again.ask.amount = bought.amount_in;
        assert!(fixture.filler.offer(&again, now()).unwrap().amount_out >= bought.amount_out);
        again.ask.amount = bought.amount_in.checked_sub(raw(1)).unwrap();
        assert!(fixture.filler.offer(&again, now()).unwrap().amount_out < bought.amount_out);
    }
}

#[test]
fn the_referrer_is_paid_out_of_the_input() {
    let fixture = FillerFixture::new();
    let mut ask = sell(&usdc(BASE), &dai(BASE), "1000");
    let plain = fixture.filler.offer(&ask, now()).unwrap();
    ask.ask.referral = Referral::new(parties(Family::Evm).payee, 100);
    let referred = fixture.filler.offer(&ask, now()).unwrap();
    let fee = referred.fees.iter().find(|fee| fee.kind == FeeKind::Referrer).unwrap();
    assert_eq!((fee.token, fee.amount), (usdc(BASE).id, decimal("10", 6)));
    let without = fixture.filler.offer(&sell(&usdc(BASE), &dai(BASE), "990"), now()).unwrap();
    assert_eq!(referred.amount_out, without.amount_out);
    assert!(referred.amount_out < plain.amount_out);
}

#[test]
fn shares_of_a_vault_are_paid_for_with_its_asset() {
    let fixture = FillerFixture::new();
    // A share costs 1.05; the assets that 1,000 buy are what the same swap to the asset would deliver, but for gas.
    let offer = fixture.filler.offer(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"), now()).unwrap();
    assert!(offer.amount_out > decimal("950", 18) && offer.amount_out < decimal("952.4", 18), "{offer:?}");
    // A fifth of the million is available, which is 190,476 shares; the caps are lower still.
    let asked = buy(&usdc(ETHEREUM), &shares(BASE), "190477");
    assert!(matches!(fixture.filler.offer(&asked, now()), Err(Refusal::TooLarge { .. })));
    fixture.feeds.vaults.lock().unwrap().insert(shares(BASE).id, None);
    let asked = sell(&usdc(ETHEREUM), &shares(BASE), "1000");
    assert_eq!(fixture.filler.offer(&asked, now()), Err(Refusal::NoPrice));
}

#[test]
fn rule_14_quotes_hold_thirty_seconds_and_sixty_between_stablecoins() {
    let fixture = FillerFixture::new();
    let holds = |from: &Token, to: &Token| {
        let offer = fixture.filler.offer(&sell(from, to, "1000"), now()).unwrap();
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
    let fixture = FillerFixture::new();
    let offered = |from: &Token, wanted: &[DepositMethod]| {
        let mut ask = sell(from, &dai(BASE), "5");
        ask.ask.deposit_methods = wanted.to_vec();
        fixture.filler.offer(&ask, now()).map(|offer| offer.deposit_methods)
    };
    assert_eq!(offered(&usdc(ETHEREUM), &[]), Ok(vec![ContractCall, Permit2, Transfer]));
    assert_eq!(offered(&usdc(ETHEREUM), &[Transfer, Permit2]), Ok(vec![Permit2, Transfer]));
    assert_eq!(offered(&eth(ETHEREUM), &[]), Ok(vec![ContractCall, Transfer]));
    assert_eq!(offered(&sol(), &[]), Ok(vec![ContractCall, Transfer]));
    assert_eq!(offered(&eth(ETHEREUM), &[Permit2]), Err(Refusal::NoDepositMethod));
    let mut ask = sell(&usdc(ETHEREUM), &dai(BASE), "20");
    let all = fixture.filler.offer(&ask, now()).unwrap();
    ask.ask.deposit_methods = vec![ContractCall];
    let cheap = fixture.filler.offer(&ask, now()).unwrap();
    assert!(cheap.amount_out > all.amount_out, "a sweep that is not offered is not charged");
}

#[test]
fn unserved_or_unpriced_pair_is_refused() {
    let fixture = FillerFixture::new();
    let refusal = |from: &Token, to: &Token| fixture.filler.offer(&sell(from, to, "100"), now()).unwrap_err();
    assert_eq!(refusal(&usdc(10), &dai(BASE)), Refusal::PairNotServed);
    assert_eq!(refusal(&usdc(BASE), &dai(10)), Refusal::PairNotServed);
    assert_eq!(refusal(&usdc(BASE), &usdc(BASE)), Refusal::PairNotServed);
    assert_eq!(refusal(&shares(BASE), &usdc(BASE)), Refusal::PairNotServed);
    let mut wrong_decimals = usdc(BASE);
    wrong_decimals.decimals = 18;
    assert_eq!(refusal(&wrong_decimals, &dai(BASE)), Refusal::PairNotServed);

    fixture.feeds.set_price(&dai(BASE), "0");
    assert_eq!(refusal(&usdc(BASE), &dai(BASE)), Refusal::NoPrice);
    fixture.feeds.prices.lock().unwrap().remove(&dai(BASE).id);
    assert_eq!(refusal(&usdc(BASE), &dai(BASE)), Refusal::NoPrice);
    fixture.feeds.set_price(&usdc(BASE), "0.98");
    assert!(matches!(refusal(&usdc(BASE), &eth(BASE)), Refusal::Other(reason) if reason.contains("peg")));
    fixture.feeds.gas.lock().unwrap().clear();
    assert_eq!(refusal(&usdc(ETHEREUM), &eth(BASE)), Refusal::NoPrice);
}

#[test]
fn rule_14_an_unpriced_pair_is_refused_with_the_feeds_reason() {
    let fixture = FillerFixture::new();
    let refused = |reason: &str| Refusal::Other(reason.to_owned());
    let refusal = |from: &Token, to: &Token| fixture.filler.offer(&sell(from, to, "100"), now()).unwrap_err();
    let remove_price = |token: &Token, reason: &str| {
        fixture.feeds.prices.lock().unwrap().remove(&token.id);
        fixture.feeds.unpriced.lock().unwrap().insert(token.id, reason.to_owned());
    };
    remove_price(&dai(BASE), "the sources are 3 % apart");
    assert_eq!(refusal(&usdc(BASE), &dai(BASE)), refused("the sources are 3 % apart"));
    assert_eq!(refusal(&dai(BASE), &usdc(BASE)), refused("the sources are 3 % apart"));
    // Gas cannot be counted without the price of its coin.
    remove_price(&eth(ETHEREUM), "one source is too old");
    assert_eq!(refusal(&usdc(ETHEREUM), &usdc(BASE)), refused("one source is too old"));
}

#[test]
fn two_fillers_with_different_spreads_quote_differently() {
    let filler = |name: &str, spreads| {
        FillerFixture::with_config(
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
    let fixture = FillerFixture::new();
    let asks = [sell(&usdc(ETHEREUM), &eth(BASE), "1000"), buy(&usdc(ETHEREUM), &eth(BASE), "1")];
    for ask in asks {
        let (rounds, began) = (2_000u32, std::time::Instant::now());
        for _ in 0..rounds {
            fixture.filler.offer(&ask, now()).unwrap();
        }
        println!("{}: {:?} a quote", ask.ask.trade_type.as_str(), began.elapsed() / rounds);
    }
}
