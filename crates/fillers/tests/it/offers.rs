use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{Answer, Filler, Offer, Refusal};
use causeway_domain::{DepositMethod, ExactOutMethod, Family, FeeKind, Referral, Token};
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
    let [call, permit, transfer] = offers.as_slice() else { panic!("{offers:?}") };
    assert_eq!(call.amount_in, decimal("1000", 6));
    assert_eq!((call.min_amount_out, call.exact_out), (call.amount_out, None));
    assert_eq!(call.expected_duration_seconds, 48 + 2);
    assert_eq!(call.parties, Some(parties(Family::Evm)));
    assert_eq!(call.estimated_gas, Some(decimal("0.000073582", 18)));
    // The claim at 1 gwei and the fill at 0.01 gwei, both a tenth dearer than now, then 0.15 %, at 3,500.
    assert_eq!(call.deposit_methods, [DepositMethod::ContractCall]);
    assert_eq!(call.amount_out, decimal("0.285206400577857142", 18));
    let fees = |offer: &Offer| -> Vec<_> {
        assert!(offer.fees.iter().all(|fee| fee.token == usdc(ETHEREUM).id));
        offer.fees.iter().map(|fee| (fee.kind, fee.amount)).collect()
    };
    let expected = |filler, gas| vec![(FeeKind::Filler, decimal(filler, 6)), (FeeKind::Gas, decimal(gas, 6))];
    assert_eq!(fees(call), expected("1.499582", "0.278015"));
    // The permit's route also pays for the relayed opening, the transfer's for the sweep.
    assert_eq!(permit.deposit_methods, [DepositMethod::Permit2]);
    assert_eq!(fees(permit).last(), expected("0", "0.753017").last());
    assert_eq!(transfer.deposit_methods, [DepositMethod::Transfer]);
    assert_eq!(transfer.amount_out, decimal("0.285028420520428571", 18));
    assert_eq!(fees(transfer), expected("1.498647", "0.901881"));
}

#[test]
fn fees_add_up_to_the_difference_at_the_price_to_the_unit() {
    let fixture = FillerFixture::new();
    let referral = Referral::new(parties(Family::Evm).payee, 30);
    let (dollars, ether) = (["21", "7654.321123", "24999"], ["0.1", "1", "6.54321012345678901"]);
    for (from, to, amounts, (number, by)) in [
        (usdc(ETHEREUM), eth(BASE), dollars, (3_500, 1)),
        (eth(BASE), usdc(ETHEREUM), ether, (1, 3_500)),
        (usdc(BASE), sol(), dollars, (160, 1)),
        (sol(), eth(BASE), ["1", "22", "33.3"], (3_500, 160)),
        (dai(ETHEREUM), usdc(BASE), dollars, (1, 1)),
        (weth(BASE), eth(ETHEREUM), ether, (1, 1)),
    ] {
        for amount in amounts {
            let mut ask = sell(&from, &to, amount);
            ask.ask.referral = referral.filter(|_| from.id.chain().family() == Family::Evm);
            for offer in fixture.filler.offers(&ask, now()).unwrap() {
                // The output in units of the input at the price, rounded up.
                let ten = |decimals: u8| U256::from(10).pow(U256::from(decimals));
                let value = (offer.amount_out.get() * U256::from(number) * ten(from.decimals))
                    .div_ceil(U256::from(by) * ten(to.decimals));
                assert!(offer.fees.iter().all(|fee| fee.token == from.id));
                let fees: U256 = offer.fees.iter().map(|fee| fee.amount.get()).sum();
                assert_eq!(offer.amount_in.get() - value, fees, "{} {} {offer:?}", from.symbol, to.symbol);
            }
        }
    }
}

#[test]
fn rule_31_an_order_pays_the_share_of_a_claim_that_recent_batches_had() {
    let fixture = FillerFixture::new();
    let gas = || {
        let mut ask = sell(&usdc(ETHEREUM), &eth(BASE), "1000");
        ask.ask.deposit_methods = vec![DepositMethod::ContractCall];
        let offer = fixture.offer(&ask, now()).unwrap();
        offer.fees.iter().find(|fee| fee.kind == FeeKind::Gas).map(|fee| fee.amount)
    };
    assert_eq!(gas(), Some(decimal("0.278015", 6)), "alone, with a tenth");
    fixture.filler.set_claim_sizes(chain(ETHEREUM), vec![20, 20]);
    assert_eq!(gas(), Some(decimal("0.060721", 6)));
    fixture.filler.set_claim_sizes(chain(BASE), vec![1]);
    assert_eq!(gas(), Some(decimal("0.060721", 6)), "other chains do not count");
}

#[test]
fn solana_fill_includes_closing_its_record_and_rent_of_the_recipients_account() {
    let fixture = FillerFixture::new();
    let gas = |to: &Token| {
        let offer = fixture.offer(&sell(&usdc(BASE), to, "1000"), now()).unwrap();
        offer.fees.iter().find(|fee| fee.kind == FeeKind::Gas).map(|fee| fee.amount)
    };
    // The claim, a signature a tenth dearer than now, another that closes the record, and rent: 10,500 and 2,084,580 lamports
    // at 160.
    assert_eq!(gas(&sol()), Some(decimal("0.004427", 6)));
    assert_eq!(gas(&spl()), Some(decimal("0.33628", 6)));
}

#[test]
fn offers_from_solana_name_the_fillers_solana_accounts() {
    let fixture = FillerFixture::new();
    for to in [spl(), usdc(BASE), eth(ETHEREUM)] {
        let offers = fixture.filler.offers(&sell(&sol(), &to, "10"), now()).unwrap();
        assert!(offers.iter().all(|offer| offer.parties == Some(parties(Family::Solana))));
        let methods: Vec<_> = offers.iter().map(|offer| offer.deposit_methods.clone()).collect();
        assert_eq!(methods, [[DepositMethod::ContractCall], [DepositMethod::Transfer]]);
    }
}

#[test]
fn rule_20_an_unsupported_token_is_refused_with_reason_in_both_directions() {
    let fixture = FillerFixture::new();
    let reason = Refusal::Other("it takes a fee of every transfer".to_owned());
    fixture.feeds.untradable.lock().unwrap().insert(spl().id, reason.clone());
    for (from, to) in [(spl(), usdc(BASE)), (usdc(BASE), spl())] {
        assert_eq!(fixture.offer(&sell(&from, &to, "100"), now()), Err(reason.clone()));
    }
    assert!(fixture.offer(&sell(&usdc(BASE), &sol(), "100"), now()).is_ok());
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
        let bought = fixture.offer(&buy(&from, &to, amount), now()).unwrap();
        assert_eq!(bought.exact_out, Some(ExactOutMethod::Native));
        assert_eq!(bought.amount_out, decimal(amount, to.decimals));
        let mut again = sell(&from, &to, "0");
        again.ask.amount = bought.amount_in;
        assert!(fixture.offer(&again, now()).unwrap().amount_out >= bought.amount_out);
        again.ask.amount = bought.amount_in.checked_sub(raw(1)).unwrap();
        assert!(fixture.offer(&again, now()).unwrap().amount_out < bought.amount_out);
    }
}

#[test]
fn the_referrer_is_paid_out_of_the_input() {
    let fixture = FillerFixture::new();
    let mut ask = sell(&usdc(BASE), &dai(BASE), "1000");
    let plain = fixture.offer(&ask, now()).unwrap();
    ask.ask.referral = Referral::new(parties(Family::Evm).payee, 100);
    let referred = fixture.offer(&ask, now()).unwrap();
    let fee = referred.fees.iter().find(|fee| fee.kind == FeeKind::Referrer).unwrap();
    assert_eq!((fee.token, fee.amount), (usdc(BASE).id, decimal("10", 6)));
    let without = fixture.offer(&sell(&usdc(BASE), &dai(BASE), "990"), now()).unwrap();
    assert_eq!(referred.amount_out, without.amount_out);
    assert!(referred.amount_out < plain.amount_out);
}

#[test]
fn shares_of_a_vault_are_paid_for_with_its_asset() {
    let fixture = FillerFixture::new();
    // A share costs 1.05; the assets that 1,000 buy are what the same swap to the asset would deliver, but for gas.
    let offer = fixture.offer(&sell(&usdc(ETHEREUM), &shares(BASE), "1000"), now()).unwrap();
    assert!(offer.amount_out > decimal("950", 18) && offer.amount_out < decimal("952.4", 18), "{offer:?}");
    // A fifth of the million is available, which is 190,476 shares; the caps are lower still.
    let asked = buy(&usdc(ETHEREUM), &shares(BASE), "190477");
    assert!(matches!(fixture.offer(&asked, now()), Err(Refusal::TooLarge { .. })));
    fixture.feeds.vaults.lock().unwrap().insert(shares(BASE).id, None);
    let asked = sell(&usdc(ETHEREUM), &shares(BASE), "1000");
    assert_eq!(fixture.offer(&asked, now()), Err(Refusal::NoPrice));
}

#[test]
fn rule_14_quotes_hold_thirty_seconds_and_sixty_between_stablecoins() {
    let fixture = FillerFixture::new();
    let holds = |from: &Token, to: &Token| {
        let offer = fixture.offer(&sell(from, to, "1000"), now()).unwrap();
        assert_eq!(offer.price_holds_until, Some(offer.valid_before));
        Duration::try_from(offer.valid_before.duration_since(now())).unwrap()
    };
    assert_eq!(holds(&usdc(ETHEREUM), &dai(BASE)), Duration::from_mins(1));
    assert_eq!(holds(&usdc(ETHEREUM), &usdc(BASE)), Duration::from_mins(1));
    assert_eq!(holds(&usdc(ETHEREUM), &eth(BASE)), Duration::from_secs(30));
}

#[test]
fn each_deposit_method_that_is_offered_and_wanted_has_its_own_price() {
    use DepositMethod::{ContractCall, Permit2, Transfer};
    let fixture = FillerFixture::new();
    let offered = |from: &Token, wanted: &[DepositMethod]| -> Result<Vec<_>, Refusal> {
        let mut ask = sell(from, &dai(BASE), "5");
        ask.ask.deposit_methods = wanted.to_vec();
        let offers = fixture.filler.offers(&ask, now())?;
        Ok(offers.into_iter().map(|offer| (offer.deposit_methods, offer.amount_out)).collect())
    };
    let methods_of = |from: &Token, wanted: &[DepositMethod]| {
        offered(from, wanted).map(|offers| offers.into_iter().map(|offer| offer.0).collect::<Vec<_>>())
    };
    let groups = |methods: &[DepositMethod]| -> Result<Vec<Vec<DepositMethod>>, Refusal> {
        Ok(methods.iter().map(|method| vec![*method]).collect())
    };
    assert_eq!(methods_of(&usdc(ETHEREUM), &[]), groups(&[ContractCall, Permit2, Transfer]));
    assert_eq!(methods_of(&usdc(ETHEREUM), &[Transfer, Permit2]), groups(&[Permit2, Transfer]));
    assert_eq!(methods_of(&eth(ETHEREUM), &[]), groups(&[ContractCall, Transfer]));
    assert_eq!(methods_of(&sol(), &[]), groups(&[ContractCall, Transfer]));
    assert_eq!(methods_of(&eth(ETHEREUM), &[Permit2]), Err(Refusal::NoDepositMethod));

    let all = offered(&usdc(ETHEREUM), &[]).unwrap();
    assert!(
        all.is_sorted_by(|one, next| one.1 > next.1),
        "a relay costs more than a call, and a sweep more: {all:?}"
    );
    for (methods, amount) in all {
        assert_eq!(
            offered(&usdc(ETHEREUM), &methods),
            Ok(vec![(methods, amount)]),
            "alone it costs the same"
        );
    }
}

#[test]
fn unserved_or_unpriced_pair_is_refused() {
    let fixture = FillerFixture::new();
    let refusal = |from: &Token, to: &Token| fixture.offer(&sell(from, to, "100"), now()).unwrap_err();
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
    let refusal = |from: &Token, to: &Token| fixture.offer(&sell(from, to, "100"), now()).unwrap_err();
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
            filler.offers(&sell(from, to, "5000"), now()).unwrap()[0].amount_out
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
            fixture.filler.offers(&ask, now()).unwrap();
        }
        println!("{}: {:?} a quote", ask.ask.trade_type.as_str(), began.elapsed() / rounds);
    }
}
