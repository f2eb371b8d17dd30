use alloy_primitives::aliases::U2048;
use causeway_domain::{Address, Family};
use proptest::prelude::*;

use super::super::config::cents;
use super::super::spread::Tier;
use super::*;

/// Any number of any size, small ones as likely as large ones.
fn number() -> impl Strategy<Value = U256> {
    (any::<[u64; 4]>(), 0usize..256).prop_map(|(limbs, shift)| U256::from_limbs(limbs) >> shift)
}

fn positive() -> impl Strategy<Value = U256> {
    number().prop_map(|number| number.max(U256::ONE))
}

fn spread() -> impl Strategy<Value = Spread> {
    let tier = (any::<u32>(), 0..PPM);
    (prop::collection::vec(tier, 0..4), 0..PPM).prop_map(|(mut tiers, beyond)| {
        tiers.sort_unstable();
        let tier = |(up_to, millionths): (u32, u32)| Tier {
            up_to: UsdAmount::from_cents(cents(up_to.into())),
            millionths,
        };
        Spread { tiers: tiers.into_iter().map(tier).collect(), beyond }
    })
}

/// A token at any price; stablecoins between 99 cents and a dollar and one.
fn leg() -> impl Strategy<Value = Leg> {
    let stable =
        (990_000u64..=1_010_000).prop_map(|micro| (U256::from(micro) * U256::from(10u64.pow(12)), true));
    let price = prop_oneof![positive().prop_map(|price| (price, false)), stable];
    (price, 0u8..=36).prop_map(|((feed, stable), decimals)| Leg {
        price: TokenPrice::new(feed, stable, 10_000).unwrap(),
        decimals,
    })
}

fn referral() -> impl Strategy<Value = Option<Referral>> {
    prop::option::of(0..=Referral::MAX_FEE_BPS)
        .prop_map(|bps| bps.and_then(|bps| Referral::new(Address::native(Family::Evm), bps)))
}

#[derive(Clone, Debug)]
struct Deal {
    input: Leg,
    output: Leg,
    vault: Option<(U256, U256)>,
    spread: Spread,
    gas: U256,
    referral: Option<Referral>,
}

impl Deal {
    fn pricing(&self) -> Pricing {
        Pricing::new(&PricingTerms {
            input: self.input,
            output: self.output,
            vault: self.vault,
            spread: &self.spread,
            gas: self.gas,
            referral: self.referral,
        })
        .unwrap()
    }
}

fn deal() -> impl Strategy<Value = Deal> {
    let vault = prop::option::of((positive(), positive()));
    (leg(), leg(), vault, spread(), number(), referral()).prop_map(
        |(input, output, vault, spread, gas, referral)| Deal { input, output, vault, spread, gas, referral },
    )
}

fn wide(factors: &[U256]) -> U2048 {
    factors.iter().map(|factor| U2048::from(*factor)).product()
}

fn ten(decimals: u8) -> U256 {
    U256::from(10).pow(U256::from(decimals))
}

#[test]
fn a_thousand_dollars_buy_ether_less_spread_gas_and_referral() {
    let price = |text: &str, stable| {
        TokenPrice::new(text.parse::<causeway_domain::UsdPrice>().unwrap().units().get(), stable, 10_000)
            .unwrap()
    };
    let usdc = Leg { price: price("0.999", true), decimals: 6 };
    let eth = Leg { price: price("2000", false), decimals: 18 };
    let tier = Tier { up_to: UsdAmount::from_cents(cents(49_950)), millionths: 1_000 };
    let deal = Deal {
        input: usdc,
        output: eth,
        vault: None,
        spread: Spread { tiers: vec![tier], beyond: 3_000 },
        gas: U256::from(2_000_000),
        referral: Referral::new(Address::native(Family::Evm), 50),
    };
    let pricing = deal.pricing();
    // 1,000 less 5 for the referrer and 2 for gas are 993; 500 of them pay 0.1 % and 493 pay 0.3 %: 991.021 at 0.999.
    let out = pricing.output_for(U256::from(1_000_000_000u64));
    assert_eq!(out, U256::from(495_014_989_500_000_000u64));
    let breakdown = pricing.breakdown(U256::from(1_000_000_000u64), out);
    assert_eq!(breakdown.referrer, U256::from(5_000_000));
    assert_eq!(breakdown.gas, U256::from(2_000_000));
    assert_eq!(breakdown.filler, U256::from(1_979_000));
    // One unit less leaves as much, because the referrer's part is rounded down.
    assert_eq!(pricing.input_for(out), Some(U256::from(999_999_999u64)));
}

#[test]
fn zero_prices_are_not_priced() {
    let zero = TokenPrice { feed: U256::ZERO, bid: U256::ZERO, ask: U256::ZERO };
    let good = TokenPrice { feed: U256::ONE, bid: U256::ONE, ask: U256::ONE };
    let spread = Spread { tiers: Vec::new(), beyond: 0 };
    for (bid, ask, decimals, vault) in [
        (zero, good, 0, None),
        (good, zero, 0, None),
        (good, good, 37, None),
        (good, good, 0, Some((U256::ZERO, U256::ONE))),
        (good, good, 0, Some((U256::ONE, U256::ZERO))),
    ] {
        let (input, output) = (Leg { price: bid, decimals }, Leg { price: ask, decimals: 0 });
        let terms = PricingTerms { input, output, vault, spread: &spread, gas: U256::ZERO, referral: None };
        assert!(Pricing::new(&terms).is_none());
    }
}

proptest! {
    #[test]
    fn a_larger_input_never_buys_less(deal in deal(), one in number(), more in number()) {
        let pricing = deal.pricing();
        let (one, two) = (one, one.saturating_add(more));
        prop_assert!(pricing.output_for(one) <= pricing.output_for(two));
        prop_assert_eq!(pricing.output_for(U256::ZERO), U256::ZERO);
    }

    #[test]
    fn an_exact_output_costs_the_least_input_that_buys_it(deal in deal(), wanted in positive()) {
        let pricing = deal.pricing();
        match pricing.input_for(wanted) {
            Some(input) => {
                prop_assert!(pricing.output_for(input) >= wanted);
                prop_assert!(pricing.output_for(input - U256::ONE) < wanted);
            }
            None => prop_assert!(pricing.output_for(U256::MAX) < wanted),
        }
    }

    #[test]
    fn an_output_is_the_exact_one_rounded_down_by_less_than_a_unit(deal in deal(), rate in 0..PPM, input in number()) {
        let deal = Deal { spread: Spread { tiers: Vec::new(), beyond: rate }, ..deal };
        let out = deal.pricing().output_for(input);
        let fee = deal.referral.map_or(U256::ZERO, |referral| referral.fee(RawAmount::new(input)).get());
        let net = input.saturating_sub(fee).saturating_sub(deal.gas);
        let (assets, shares) = deal.vault.unwrap_or((U256::ONE, U256::ONE));
        let exact = wide(&[net, U256::from(PPM - rate), deal.input.price.bid, ten(deal.output.decimals), shares]);
        let unit = wide(&[U256::from(PPM), deal.output.price.ask, ten(deal.input.decimals), assets]);
        prop_assert!(U2048::from(out) * unit <= exact);
        prop_assert!(out == U256::MAX || exact < (U2048::from(out) + U2048::ONE) * unit);
    }

    #[test]
    fn each_unit_of_an_input_pays_the_rate_of_its_own_tier(
        spread in spread(), input in 0u64..500, micro in 1u64..100_000_000, decimals in 0u8..=36
    ) {
        let feed = U256::from(micro) * ten(12);
        let leg = Leg { price: TokenPrice::new(feed, false, 0).unwrap(), decimals };
        let fine = Leg { decimals: 36, ..leg };
        let deal = Deal { input: leg, output: fine, vault: None, spread: spread.clone(), gas: U256::ZERO, referral: None };
        // The unit before which `count` units lie pays the first rate that reaches as far as itself.
        let rate = |count: u64| {
            let value = U256::from(count + 1) * feed;
            let reaches = |tier: &&Tier| value <= tier.up_to.cents().get() * ten(16) * ten(decimals);
            spread.tiers.iter().find(reaches).map_or(spread.beyond, |tier| tier.millionths)
        };
        let kept: u64 = (0..input).map(|count| u64::from(PPM - rate(count))).sum();
        let exact = wide(&[U256::from(kept), ten(36)]) / wide(&[U256::from(PPM), ten(decimals)]);
        prop_assert_eq!(U2048::from(deal.pricing().output_for(U256::from(input))), exact);
    }

    #[test]
    fn round_trip_never_profits_the_taker(there in deal(), back in deal(), input in number()) {
        let there = Deal { vault: None, ..there };
        let back = Deal { input: there.output, output: there.input, vault: None, ..back };
        let out = there.pricing().output_for(input);
        prop_assert!(back.pricing().output_for(out) <= input);
    }

    #[test]
    fn fees_and_the_output_make_up_the_input(deal in deal(), input in number()) {
        let pricing = deal.pricing();
        let out = pricing.output_for(input);
        if out.is_zero() || out == U256::MAX {
            return Ok(());
        }
        let breakdown = pricing.breakdown(input, out);
        prop_assert_eq!(breakdown.referrer + breakdown.gas + breakdown.filler + breakdown.delivered, input);
        let (assets, shares) = deal.vault.unwrap_or((U256::ONE, U256::ONE));
        let value = wide(&[out, deal.output.price.feed, ten(deal.input.decimals), assets]);
        let unit = wide(&[deal.input.price.feed, ten(deal.output.decimals), shares]);
        prop_assert!(value <= U2048::from(breakdown.delivered) * unit);
        prop_assert!((U2048::from(breakdown.delivered) - U2048::ONE) * unit < value);
    }

    #[test]
    fn gas_in_the_input_token_is_rounded_up_by_less_than_a_unit(
        leg in leg(), amount in number(), price in positive(), decimals in 0u8..=36
    ) {
        let exact = wide(&[amount, price, ten(leg.decimals)]);
        let unit = wide(&[leg.price.bid, ten(decimals)]);
        match leg.cost_of(amount, price, decimals) {
            Some(cost) => {
                prop_assert!(exact <= U2048::from(cost) * unit);
                prop_assert!(cost.is_zero() || (U2048::from(cost) - U2048::ONE) * unit < exact);
            }
            None => prop_assert!(exact > U2048::from(U256::MAX) * unit),
        }
    }
}
