use std::sync::atomic::Ordering;
use std::time::Duration;

use alloy_primitives::U256;
use causeway_domain::ports::{AccountKind, Filler};
use causeway_domain::{Fee, FeeKind, Quote, QuoteKey, QuoteKeys, RawAmount, RouteSeal, Slippage};
use tokio::time::Instant;

use super::*;
use crate::build_deposit::fake::{
    ARBITRUM, BASE, CATALOG, FakeDepositBuilder, FakePrices, Scene, chain, evm, quote, request, usdc,
};
use crate::call_limit::MAX_PER_SECOND;
use crate::fillers::fake::{Behavior, Fake};
use crate::fillers::{Fillers, QuoteOptions};
use crate::request_quote::{QuoteRequest, RequestQuote};

/// Base and Arbitrum with one dollar for USDC and 2,500 for ETH.
struct Place {
    base: Arc<FakeDepositBuilder>,
    arbitrum: Arc<FakeDepositBuilder>,
    warnings: Arc<Warnings>,
}

const OURS: u8 = 0xe5;

impl Place {
    fn new() -> Self {
        let base = FakeDepositBuilder::new(chain(BASE), 0xe1, 0xe2);
        let arbitrum = FakeDepositBuilder::new(chain(ARBITRUM), 0xd1, 0xd2);
        let prices = FakePrices::default();
        prices.0.lock().unwrap().insert(usdc(), "1".parse().unwrap());
        prices.0.lock().unwrap().insert(TokenId::native(chain(ARBITRUM)), "2500".parse().unwrap());
        let warnings = Warnings::new(WarningParts {
            catalog: Arc::clone(&CATALOG),
            prices: Arc::new(prices),
            deposit_builders: HashMap::from([
                (chain(BASE), Arc::clone(&base) as Arc<dyn DepositBuilder>),
                (chain(ARBITRUM), Arc::clone(&arbitrum) as Arc<dyn DepositBuilder>),
            ]),
            contracts: vec![evm(OURS)],
        });
        Self { base, arbitrum, warnings: Arc::new(warnings) }
    }

    /// Says what is at an address of Base, and of Arbitrum.
    fn put(&self, address: Address, base: AccountKind, arbitrum: AccountKind) {
        for (builder, kind) in [(&self.base, base), (&self.arbitrum, arbitrum)] {
            builder.accounts.lock().unwrap().insert(address, (Some(kind), Duration::from_millis(20)));
        }
    }

    /// The first route of a quote from Base to Arbitrum whose filler offers this much of a trillionth of an ETH.
    async fn quoted(&self, ask: Ask) -> Vec<Warning> {
        self.quote(ask).await.routes.remove(0).warnings
    }

    async fn quote(&self, ask: Ask) -> Quote {
        let fillers = vec![Fake::new("one", Behavior::Offers(10_000_000_000_000_000)) as Arc<dyn Filler>];
        let fillers = Fillers::new(fillers, &QuoteOptions::default()).unwrap();
        let seal = RouteSeal::new(&QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() });
        let quotes = RequestQuote::new(Arc::clone(&CATALOG), Arc::new(seal), fillers);
        let quotes = quotes.with_warnings(Arc::clone(&self.warnings));
        quotes.ask(QuoteRequest { ask, integrator: None }).unwrap().gather().await.unwrap()
    }
}

/// 25 USDC on Base for 0.01 ETH on Arbitrum, which is worth the same.
fn ask() -> Ask {
    quote().ask
}

fn codes(warnings: &[Warning]) -> Vec<(&'static str, &'static str, Option<&'static str>)> {
    let code = |warning: &Warning| (warning.code.as_str(), warning.severity.as_str(), warning.field);
    warnings.iter().map(code).collect()
}

#[tokio::test(start_paused = true)]
async fn a_usual_swap_has_no_warnings() {
    assert_eq!(Place::new().quoted(ask()).await, []);
}

#[tokio::test(start_paused = true)]
async fn contract_elsewhere_a_recipient_deployed_on_the_source_chain_only_is_severe() {
    let place = Place::new();
    let safe = evm(0x5a);
    place.put(safe, AccountKind::Contract, AccountKind::NoCode);
    let swap = Ask { from_address: safe, recipient: safe, refund_to: safe, ..ask() };
    let warnings = place.quoted(swap.clone()).await;
    assert_eq!(codes(&warnings), [("CONTRACT_ELSEWHERE", "severe", Some("recipient"))]);
    let words = "is a contract on Base, and nothing is deployed at this address on Arbitrum One";
    assert!(warnings[0].message.contains(words), "{}", warnings[0].message);
    // A stream says the same.
    let both = place.quoted(Ask { refund_to: evm(0xc3), ..swap }).await;
    assert_eq!(both, warnings);
}

#[tokio::test(start_paused = true)]
async fn contract_elsewhere_a_refund_address_deployed_on_the_destination_only_is_severe() {
    let place = Place::new();
    place.put(evm(0x5a), AccountKind::NoCode, AccountKind::Contract);
    let warnings = place.quoted(Ask { refund_to: evm(0x5a), recipient: evm(0x5a), ..ask() }).await;
    assert_eq!(codes(&warnings), [("CONTRACT_ELSEWHERE", "severe", Some("refundTo"))]);
}

#[tokio::test(start_paused = true)]
async fn contract_elsewhere_says_nothing_of_keys_delegated_accounts_and_contracts_on_both_chains() {
    let place = Place::new();
    for (byte, base, arbitrum) in [
        (0x61, AccountKind::NoCode, AccountKind::NoCode),
        (0x62, AccountKind::Contract, AccountKind::Contract),
        (0x63, AccountKind::Delegated, AccountKind::NoCode),
        (0x64, AccountKind::NoCode, AccountKind::Delegated),
    ] {
        place.put(evm(byte), base, arbitrum);
        let swap = Ask { recipient: evm(byte), refund_to: evm(byte), ..ask() };
        assert_eq!(place.quoted(swap).await, [], "{byte:#x}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_quote_waits_for_code_not_for_long_and_the_next_one_knows_it() {
    let place = Place::new();
    let slow = evm(0x5a);
    let kinds = [(&place.base, AccountKind::Contract), (&place.arbitrum, AccountKind::NoCode)];
    for (builder, kind) in kinds {
        let read = (Some(kind), Duration::from_millis(400));
        builder.accounts.lock().unwrap().insert(slow, read);
    }
    let start = Instant::now();
    let swap = Ask { recipient: slow, ..ask() };
    assert_eq!(place.quoted(swap.clone()).await, [], "not known in time");
    assert_eq!(start.elapsed(), Duration::from_millis(150));
    tokio::time::sleep(Duration::from_millis(300)).await;
    let reads = || place.base.code_reads.load(Ordering::Relaxed);
    let before = reads();
    assert_eq!(codes(&place.quoted(swap).await).len(), 1);
    assert_eq!(reads(), before + 1, "only the refund address, of which nothing is known, is read again");
}

#[tokio::test(start_paused = true)]
async fn quotes_for_many_addresses_do_not_use_up_the_calls_to_a_node() {
    let place = Place::new();
    for number in 0..100_u8 {
        place.quoted(Ask { recipient: evm(number + 100), refund_to: evm(number + 100), ..ask() }).await;
    }
    let reads = place.base.code_reads.load(Ordering::Relaxed);
    assert_eq!(reads, MAX_PER_SECOND as usize);
}

#[tokio::test(start_paused = true)]
async fn no_way_out_burn_addresses_and_our_own_contracts_are_severe() {
    let place = Place::new();
    let dead = Address::Evm("0x000000000000000000000000000000000000dEaD".parse().unwrap());
    let warnings = place.quoted(Ask { recipient: dead, refund_to: evm(OURS), ..ask() }).await;
    let expected = [("NO_WAY_OUT", "severe", Some("recipient")), ("NO_WAY_OUT", "severe", Some("refundTo"))];
    assert_eq!(codes(&warnings), expected);
    assert!(warnings[0].message.ends_with("is a burn address: nobody can move what arrives there."));
    // Without a payer a quote only asks for prices.
    assert_eq!(place.quoted(Ask { from_address: dead, recipient: dead, refund_to: dead, ..ask() }).await, []);
}

#[tokio::test(start_paused = true)]
async fn token_contract_a_recipient_that_is_a_token_is_severe() {
    let place = Place::new();
    let usdc_on_arbitrum = Address::Evm("0xaf88d065e77c8cC2239327C5EDb3A432268e5831".parse().unwrap());
    let warnings = place.quoted(Ask { recipient: usdc_on_arbitrum, ..ask() }).await;
    assert_eq!(codes(&warnings), [("TOKEN_CONTRACT", "severe", Some("recipient"))]);
    assert!(warnings[0].message.contains("the contract of the token USDC on Arbitrum One"), "{warnings:?}");
}

#[tokio::test(start_paused = true)]
async fn lookalike_token_an_imitation_is_severe_to_receive_and_a_warning_to_pay() {
    let place = Place::new();
    let snapshot = CATALOG.snapshot();
    let symbols = snapshot.assets().iter().map(|asset| asset.symbol.as_str());
    let listed = symbols.flat_map(|symbol| snapshot.search(symbol, &[], 100));
    let mut risks = listed.filter(|listed| listed.is_risk).map(|listed| listed.token.id);
    let fake = risks.next().expect("the bundled lists have imitations");
    let warnings = place.warnings.of_ask(&Ask { to: fake, ..ask() }, Elsewhere::default());
    assert_eq!(codes(&warnings), [("LOOKALIKE_TOKEN", "severe", Some("toToken"))]);
    let warnings = place.warnings.of_ask(&Ask { from: fake, ..ask() }, Elsewhere::default());
    assert_eq!(codes(&warnings), [("LOOKALIKE_TOKEN", "warning", Some("fromToken"))]);
}

/// The warnings of a route with this output and these fees in USDC.
fn of_amounts(place: &Place, out: &str, fees: &[&str]) -> Vec<Warning> {
    let mut quote = quote();
    let route = &mut quote.routes[0];
    route.amount_out = RawAmount::from_decimal(out, 18).unwrap();
    route.min_amount_out = route.amount_out;
    let fee = |text: &&str| Fee {
        kind: FeeKind::Gas,
        token: usdc(),
        amount: RawAmount::from_decimal(text, 6).unwrap(),
    };
    route.fees = fees.iter().map(fee).collect();
    place.warnings.of_route(&quote.ask, &quote.routes[0])
}

#[test]
fn price_impact_is_what_is_lost_beyond_the_listed_fees() {
    let place = Place::new();
    let none: &[&str] = &[];
    assert_eq!(of_amounts(&place, "0.00971", none), [], "2.9 %");
    let some = of_amounts(&place, "0.0097", none);
    assert_eq!(codes(&some), [("PRICE_IMPACT", "warning", None)], "3 %");
    assert!(some[0].message.contains("worth 3 % less"), "{}", some[0].message);
    assert_eq!(codes(&of_amounts(&place, "0.009", none)), [("PRICE_IMPACT", "severe", None)], "10 %");
    assert_eq!(of_amounts(&place, "0.0097", &["0.5"]), [], "two of the three percent are fees");
    assert_eq!(of_amounts(&place, "0.02", none), [], "a gain");
}

#[test]
fn high_fees_are_a_share_of_what_is_paid() {
    let place = Place::new();
    assert_eq!(of_amounts(&place, "0.0096", &["1", "0.24"]), [], "4.96 %");
    let some = of_amounts(&place, "0.0095", &["1", "0.25"]);
    assert_eq!(codes(&some), [("HIGH_FEES", "warning", None)]);
    assert_eq!(some[0].message, "Fees take 5 % of what is paid.");
    assert_eq!(codes(&of_amounts(&place, "0.008", &["5"])), [("HIGH_FEES", "severe", None)]);
}

#[test]
fn unusual_slippage_counts_by_what_the_route_guarantees() {
    let place = Place::new();
    let of = |least: &str, tolerance: u32| {
        let mut quote = quote();
        quote.ask.slippage = Slippage::from_millionths(tolerance);
        quote.routes[0].min_amount_out = RawAmount::from_decimal(least, 18).unwrap();
        place.warnings.of_route(&quote.ask, &quote.routes[0])
    };
    let code = |severity| [("UNUSUAL_SLIPPAGE", severity, Some("slippageTolerance"))];
    assert_eq!(of("0.00995", 5_000), []);
    assert_eq!(codes(&of("0.0097", 30_000)), code("warning"));
    assert_eq!(codes(&of("0.009", 100_000)), code("severe"));
    assert_eq!(codes(&of("0.01", 300_000)), code("info"), "the route guarantees its output");
    assert_eq!(of("0.01", 100), [], "the route guarantees its output");
}

#[tokio::test]
async fn a_build_warns_of_its_own_addresses_and_again_when_it_is_repeated() {
    let place = Place::new();
    let scene = Scene::new().await;
    place.put(evm(0x5a), AccountKind::Contract, AccountKind::NoCode);
    let quote = scene.quote(|_| {});
    let build = scene.build.with_warnings(Arc::clone(&place.warnings));
    let ask = crate::BuildRequest { recipient: Some(evm(0x5a)), ..request(&quote) };
    let now = crate::build_deposit::fake::now();
    for _ in 0..2 {
        let answer = build.build_at(ask.clone(), now).await.unwrap();
        assert_eq!(codes(&answer.warnings), [("CONTRACT_ELSEWHERE", "severe", Some("recipient"))]);
    }
}

#[tokio::test]
async fn high_fees_of_a_build_are_all_that_our_own_fillers_keep() {
    let place = Place::new();
    let mut quote = quote();
    let route = &mut quote.routes[0];
    route.amount_out = RawAmount::from_decimal("0.007", 18).unwrap();
    route.min_amount_out = route.amount_out;
    let terms = RouteTerms::new(&quote, &quote.routes[0]);
    let of = async |terms: &RouteTerms| codes(&place.warnings.of_build(terms, evm(1), evm(2)).await);
    assert_eq!(of(&terms).await, [("PRICE_IMPACT", "severe", None)]);
    let unit = RawAmount::new(U256::from(1));
    let charge = causeway_domain::GasCharge { fill: unit, claim: unit, opening: unit };
    let ours = RouteTerms { gas_charge: Some(charge), ..terms };
    assert_eq!(of(&ours).await, [("HIGH_FEES", "severe", None)]);
}
