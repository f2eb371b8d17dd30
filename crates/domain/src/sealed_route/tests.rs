use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::ports::MAX_FILLER_QUOTE;
use crate::{Ask, ChainId, CustodyNotice, ProviderOffer, SOLANA_CHAIN_ID, Slippage};

fn keys(current: u8, older: &[u8]) -> QuoteKeys {
    let key = |byte: &u8| QuoteKey::new([*byte; 32]);
    QuoteKeys { current: key(&current), older: older.iter().map(key).collect() }
}

fn seal() -> RouteSeal {
    RouteSeal::new(&keys(7, &[]))
}

fn any_amount() -> impl Strategy<Value = RawAmount> {
    (any::<[u64; 4]>(), 0_usize..256)
        .prop_map(|(limbs, bits)| RawAmount::new(alloy_primitives::U256::from_limbs(limbs) >> bits))
}

fn any_address() -> impl Strategy<Value = Address> {
    prop_oneof![
        any::<[u8; 20]>().prop_map(|bytes| Address::Evm(bytes.into())),
        any::<[u8; 32]>().prop_map(Address::Solana),
    ]
}

fn any_token() -> impl Strategy<Value = TokenId> {
    let evm = (1u64..=ChainId::MAX, any::<[u8; 20]>())
        .prop_filter_map("a chain of Solana", |(chain, bytes)| {
            TokenId::from_address(ChainId::new(chain)?, Address::Evm(bytes.into()))
        });
    let solana = any::<[u8; 32]>()
        .prop_map(|mint| TokenId::from_address(SOLANA_CHAIN_ID, Address::Solana(mint)).unwrap());
    prop_oneof![evm, solana]
}

prop_compose! {
    fn any_quote()(
        id in "[0-9a-f]{44}|[0-9a-f]{32}",
        output in any::<bool>(),
        tokens in (any_token(), any_token()),
        amount in any_amount(),
        addresses in (any_address(), any_address(), any_address()),
        referral in prop::option::of((any_address(), 0u16..=Referral::MAX_FEE_BPS)),
        integrator in prop::option::of("[a-z0-9-]{1,64}-[0-9a-f]{8}"),
        window in prop::option::of(DepositWindow::MIN..=DepositWindow::MAX),
    ) -> Quote {
        Quote {
            id: id.parse().unwrap(),
            ask: Ask {
                trade_type: if output { TradeType::ExactOutput } else { TradeType::ExactInput },
                from: tokens.0,
                to: tokens.1,
                amount,
                from_address: addresses.0,
                recipient: addresses.1,
                refund_to: addresses.2,
                slippage: None,
                deposit_methods: Vec::new(),
                referral: referral.map(|(referrer, fee)| Referral::new(referrer, fee).unwrap()),
                deposit_window: window.map(|seconds| DepositWindow::new(seconds).unwrap()),
            },
            integrator,
            routes: Vec::new(),
        }
    }
}

fn gas_charge_of(units: [u64; 3]) -> GasCharge {
    let [fill, claim, opening] = units.map(|units| RawAmount::new(alloy_primitives::U256::from(units)));
    GasCharge { fill, claim, opening }
}

prop_compose! {
    fn any_offer()(
        deposit_methods in prop::sample::subsequence(
            DepositMethod::ALL.to_vec(), 0..=DepositMethod::ALL.len()).prop_shuffle(),
        amounts in (any_amount(), any_amount(), any_amount()),
        valid_before in Timestamp::MIN.as_millisecond()..Timestamp::MAX.as_millisecond(),
        parties in prop::option::of((any_address(), any_address())),
        filler_quote in prop::option::of("[ -~]{0,128}"),
        gas_charge in prop::option::of(any::<[u64; 3]>()),
    ) -> Offer {
        Offer {
            exact_out: None,
            deposit_methods,
            amount_in: amounts.0,
            amount_out: amounts.1,
            min_amount_out: amounts.2,
            expected_duration_seconds: 0,
            valid_before: Timestamp::from_millisecond(valid_before).unwrap(),
            price_holds_until: None,
            estimated_gas: None,
            fees: Vec::new(),
            parties: parties.map(|(filler, payee)| Parties { filler, payee }),
            filler_quote,
            gas_charge: gas_charge.map(gas_charge_of),
            provider: None,
        }
    }
}

/// A swap of a token between two EVM chains.
fn usual() -> (Quote, Offer) {
    let address = |byte| Address::Evm([byte; 20].into());
    let token = |chain, byte| TokenId::from_address(ChainId::new(chain).unwrap(), address(byte)).unwrap();
    let amount = |units: u64| RawAmount::new(alloy_primitives::U256::from(units));
    let quote = Quote {
        id: "019a8c3f5b200f8fad5bd9cb469fa16570867728950e".parse().unwrap(),
        ask: Ask {
            trade_type: TradeType::ExactInput,
            from: token(8453, 1),
            to: token(42_161, 2),
            amount: amount(25_000_000),
            from_address: address(3),
            recipient: address(3),
            refund_to: address(3),
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
            deposit_window: None,
        },
        integrator: None,
        routes: Vec::new(),
    };
    let offer = Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall, DepositMethod::Permit2],
        amount_in: amount(25_000_000),
        amount_out: amount(24_990_000),
        min_amount_out: amount(24_990_000),
        expected_duration_seconds: 4,
        valid_before: Timestamp::from_millisecond(1_794_744_000_123).unwrap(),
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: Some(Parties { filler: address(4), payee: address(5) }),
        filler_quote: None,
        gas_charge: None,
        provider: None,
    };
    (quote, offer)
}

fn terms(quote: &Quote, filler: &str, kind: &str, offer: &Offer) -> RouteTerms {
    let route = Route::new(seal().seal(quote, filler, kind, offer).unwrap(), filler, kind, offer.clone());
    RouteTerms::new(quote, &route)
}

/// The id that the first version gave the usual route. It must open for ever.
const VERSION_1: &str = "KQEWAZqMP1sgD4-tW9nLRp-hZXCGdyiVDgCFQgAUAQEBAQEBAQEBAQEBAQEBAQEBAQGxyQIBFAICAgICAgICAgICAgICAgICAgIC\
     AhQDAwMDAwMDAwMDAwMDAwMDAwMDAwICAAAFaG91c2UNbmF0aXZlLWZpbGxlcgACAAEEAX14QAQBfVEwBAF9UTD2-aDxu2gBAxQE\
     BAQEBAQEBAQEBAQEBAQEBAQEBAQUBQUFBQUFBQUFBQUFBQUFBQUFBQWzTLZAP2004_usj4alxNyr";

#[test]
fn ids_of_the_first_version_open() {
    let (quote, offer) = usual();
    let id: RouteId = VERSION_1.parse().unwrap();
    assert_eq!(seal().open(&quote.id, &id), Ok(terms(&quote, "house", "native-filler", &offer)));
    assert_eq!(seal().seal(&quote, "house", "native-filler", &offer).as_ref(), Ok(&id), "one encoding");
}

/// The id that the second version gave the usual route with a charge for gas. It must open for ever.
const VERSION_2: &str = "KQIWAZqMP1sgD4-tW9nLRp-hZXCGdyiVDgCFQgAUAQEBAQEBAQEBAQEBAQEBAQEBAQGxyQIBFAICAgICAgICAgICAgICAgICAgICAhQD\
     AwMDAwMDAwMDAwMDAwMDAwMDAwICAAAFaG91c2UNbmF0aXZlLWZpbGxlcgACAAEEAX14QAQBfVEwBAF9UTD2-aDxu2gBAxQEBAQEBAQE\
     BAQEBAQEBAQEBAQEBAQUBQUFBQUFBQUFBQUFBQUFBQUFBQUGAYvP5WgABTo1KUQAAPONMy9Vg9zYuztv21x3FI4";

#[test]
fn ids_of_the_second_version_open_and_say_what_was_charged_for_gas() {
    let (quote, offer) = usual();
    let offer = Offer { gas_charge: Some(gas_charge_of([1_700_000_000_000, 250_000_000_000, 0])), ..offer };
    let sealed = seal().seal(&quote, "house", "native-filler", &offer).unwrap();
    assert_eq!(sealed.as_str(), VERSION_2);
    let opened = seal().open(&quote.id, &sealed).unwrap();
    assert_eq!(opened, terms(&quote, "house", "native-filler", &offer));
    assert_eq!(opened.gas_charge, offer.gas_charge);
}

#[test]
fn a_route_carries_the_time_that_the_payer_asked_for_and_no_other() {
    let (quote, offer) = usual();
    let of = |seconds| Ask { deposit_window: DepositWindow::new(seconds), ..quote.ask.clone() };
    assert_eq!([599, 86_401, u64::MAX].map(DepositWindow::new), [None; 3]);
    for gas_charge in [None, Some(gas_charge_of([1, 2, 3]))] {
        let offer = Offer { gas_charge, ..offer.clone() };
        for seconds in [600, 86_400] {
            let quote = Quote { ask: of(seconds), ..quote.clone() };
            let sealed = seal().seal(&quote, "house", "native-filler", &offer).unwrap();
            let opened = seal().open(&quote.id, &sealed).unwrap();
            assert_eq!(opened, terms(&quote, "house", "native-filler", &offer));
            assert_eq!(opened.deposit_window, DepositWindow::new(seconds));
        }
    }
}

#[test]
fn a_route_that_a_provider_settles_carries_what_its_build_asks_for() {
    let (quote, offer) = usual();
    let terms_of = |tool: &str| ProviderTerms { tool: tool.to_owned(), slippage: Slippage::DEFAULT };
    let notice = Arc::new(CustodyNotice { held_by: "a bridge".to_owned(), refunds: "slowly".to_owned() });
    let provider = Some(ProviderOffer { terms: terms_of("across"), notice, joined: None });
    let offer = Offer { provider, parties: None, ..offer };
    let sealed = seal().seal(&quote, "lifi", "lifi", &offer).unwrap();
    let opened = seal().open(&quote.id, &sealed).unwrap();
    assert_eq!(opened.provider, Some(terms_of("across")));
    assert_eq!(opened, terms(&quote, "lifi", "lifi", &offer));
}

/// A joined route of the usual quote.
fn joined() -> (Quote, Offer) {
    let (quote, offer) = usual();
    let terms = ProviderTerms { tool: "near-intents".to_owned(), slippage: Slippage::DEFAULT };
    let notice = Arc::new(CustodyNotice { held_by: "an agent".to_owned(), refunds: "slowly".to_owned() });
    let joined = JoinedTerms {
        hub: quote.ask.from,
        hub_amount: RawAmount::new(alloy_primitives::U256::from(24_950_000)),
        filler: "house".to_owned(),
        refund_to: Address::Evm([6; 20].into()),
    };
    let provider = Some(ProviderOffer { terms, notice, joined: Some(joined) });
    (quote, Offer { provider, parties: None, ..offer })
}

/// The id that the fifth version gave the joined route. It must open for ever.
const VERSION_5: &str = "KQUWAZqMP1sgD4-tW9nLRp-hZXCGdyiVDgCFQgAUAQEBAQEBAQEBAQEBAQEBAQEBAQGxyQIBFAICAgICAgICAgICAgICAgICAgIC\
     AhQDAwMDAwMDAwMDAwMDAwMDAwMDAwICAAAIb25lY2xpY2sIb25lY2xpY2sAAgABBAF9eEAEAX1RMAQBfVEw9vmg8btoAAxuZWFyLWlu\
     dGVudHOIJ4VCAAQBfLTwBWhvdXNlAxQGBgYGBgYGBgYGBgYGBgYGBgYGBlpwsCN1jWaRA8nKr2x0HHc";

#[test]
fn a_joined_route_carries_its_second_leg() {
    let (quote, offer) = joined();
    let sealed = seal().seal(&quote, "oneclick", "oneclick", &offer).unwrap();
    assert_eq!(VERSION_5.parse().as_ref(), Ok(&sealed), "one encoding");
    let opened = seal().open(&quote.id, &sealed).unwrap();
    assert_eq!(opened.joined, offer.provider.as_ref().unwrap().joined);
    assert_eq!(opened, terms(&quote, "oneclick", "oneclick", &offer));
}

#[test]
fn ids_of_a_later_version_are_not_opened() {
    let (quote, offer) = usual();
    let id = seal().seal(&quote, "house", "native-filler", &offer).unwrap();
    let mut bytes = URL_SAFE_NO_PAD.decode(id.as_str()).unwrap();
    bytes.truncate(bytes.len() - TAG_BYTES);
    bytes[1] = codec::WITH_SECOND_LEG + 1;
    let tag = seal().current.over(&bytes).finalize().into_bytes();
    bytes.extend(tag.iter().take(TAG_BYTES));
    let id = RouteId::from_sealed(URL_SAFE_NO_PAD.encode(bytes));
    assert_eq!(seal().open(&quote.id, &id), Err(OpenRouteError::NotSealed));
}

#[test]
fn usual_ids_are_short_and_the_longest_fits() {
    let (quote, offer) = usual();
    let usual = seal().seal(&quote, "house", "native-filler", &offer).unwrap();
    println!("a usual id has {} characters", usual.as_str().len());
    assert!(usual.as_str().len() < 400, "{}", usual.as_str().len());

    let address = |byte| Address::Solana([byte; 32]);
    let token = |byte| TokenId::from_address(SOLANA_CHAIN_ID, address(byte)).unwrap();
    let most = RawAmount::new(alloy_primitives::U256::MAX);
    let ask = Ask {
        from: token(1),
        to: token(2),
        from_address: address(3),
        recipient: address(4),
        refund_to: address(5),
        referral: Referral::new(address(6), 1_000),
        ..quote.ask.clone()
    };
    let integrator = Some(format!("{}-01234567", "i".repeat(64)));
    let quote = Quote { ask, integrator, ..quote };
    let mut offer = Offer {
        deposit_methods: DepositMethod::ALL.to_vec(),
        amount_in: most,
        amount_out: most,
        min_amount_out: most,
        valid_before: Timestamp::MAX,
        parties: Some(Parties { filler: address(7), payee: address(8) }),
        filler_quote: Some("q".repeat(MAX_FILLER_QUOTE)),
        ..offer
    };
    let longest = seal().seal(&quote, &"f".repeat(64), "native-filler", &offer).unwrap();
    assert!(longest.as_str().len() <= RouteId::MAX_LENGTH && longest.as_str().len() > 900);
    assert_eq!(longest.as_str().parse().as_ref(), Ok(&longest));
    offer.filler_quote = Some("q".repeat(MAX_FILLER_QUOTE * 2));
    assert!(seal().seal(&quote, &"f".repeat(64), "native-filler", &offer).is_err());
}

#[test]
fn rule_24_older_keys_open_and_foreign_keys_do_not() {
    let (quote, offer) = usual();
    let by = |key| RouteSeal::new(&keys(key, &[])).seal(&quote, "house", "native-filler", &offer).unwrap();
    let rotated = RouteSeal::new(&keys(7, &[1, 2]));
    for ours in [7, 1, 2] {
        assert!(rotated.open(&quote.id, &by(ours)).is_ok());
    }
    assert_ne!(by(7).as_str()[..2], by(1).as_str()[..2], "the first byte names the key");
    // Also a foreign key with the id of one of ours.
    let ours = SealKey::new(&keys(7, &[]).current).id;
    let same_id = (0..=u8::MAX).find(|byte| {
        let id = SealKey::new(&keys(*byte, &[]).current).id;
        ![7, 1, 2].contains(byte) && id == ours
    });
    for foreign in [Some(3), same_id].into_iter().flatten() {
        assert_eq!(rotated.open(&quote.id, &by(foreign)), Err(OpenRouteError::NotSealed));
    }
}

#[test]
fn rule_2_a_sealed_route_is_no_seal_of_terms() {
    // The tags have a key of their own, and an order's terms are sealed with the quote key itself.
    let key = QuoteKey::new([7; 32]);
    assert_ne!(
        mac_with(key.as_bytes()).finalize().into_bytes(),
        SealKey::new(&key).mac.finalize().into_bytes()
    );
}

#[test]
fn the_text_has_one_form() {
    let (quote, offer) = usual();
    let mut long = quote.clone();
    // Two lengths, so that the last character has unused bits in at least one of them.
    long.integrator = Some("a-01234567".to_owned());
    for quote in [quote, long] {
        let id = seal().seal(&quote, "house", "native-filler", &offer).unwrap();
        let text = id.as_str();
        let last = text.chars().next_back().unwrap();
        for other in ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['-', '_']).filter(|c| *c != last) {
            let changed = format!("{}{other}", &text[..text.len() - 1]).parse().unwrap();
            assert_eq!(seal().open(&quote.id, &changed), Err(OpenRouteError::NotSealed), "{other}");
        }
        assert!(format!("{text}=").parse::<RouteId>().is_err(), "padding is not in the alphabet");
        assert!(format!(" {text}").parse::<RouteId>().is_err());
    }
}

proptest! {
    #[test]
    fn any_route_opens_to_its_terms(
        quote in any_quote(), offer in any_offer(), filler in "[A-Za-z0-9._-]{1,64}",
        kind in "native-filler|rfq|oif", other in any_quote(),
    ) {
        let id = seal().seal(&quote, &filler, &kind, &offer).unwrap();
        prop_assert!(id.as_str().len() <= RouteId::MAX_LENGTH);
        prop_assert_eq!(id.as_str().parse(), Ok(id.clone()));
        prop_assert_eq!(seal().open(&quote.id, &id), Ok(terms(&quote, &filler, &kind, &offer)));
        prop_assert_eq!(seal().open(&other.id, &id), Err(OpenRouteError::OtherQuote));
    }

    #[test]
    fn any_change_breaks_the_seal(
        quote in any_quote(), offer in any_offer(), at in any::<prop::sample::Index>(), flip in 1u8..,
        cut in any::<prop::sample::Index>(),
    ) {
        let id = seal().seal(&quote, "house", "native-filler", &offer).unwrap();
        let mut bytes = URL_SAFE_NO_PAD.decode(id.as_str()).unwrap();
        let short = URL_SAFE_NO_PAD.encode(&bytes[..cut.index(bytes.len())]);
        if let Ok(short) = short.parse() {
            prop_assert_eq!(seal().open(&quote.id, &short), Err(OpenRouteError::NotSealed));
        }
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let changed = RouteId::from_sealed(URL_SAFE_NO_PAD.encode(&bytes));
        prop_assert_eq!(seal().open(&quote.id, &changed), Err(OpenRouteError::NotSealed));
    }

    #[test]
    fn any_text_is_refused_without_panic(text in "[A-Za-z0-9_.-]{1,1024}") {
        let (quote, _) = usual();
        prop_assert_eq!(seal().open(&quote.id, &text.parse().unwrap()), Err(OpenRouteError::NotSealed));
    }

    #[test]
    fn any_bytes_under_a_seal_are_read_or_refused_without_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300), quote in any_quote(), offer in any_offer(),
        at in any::<prop::sample::Index>(), byte in any::<u8>(),
    ) {
        let _ = codec::read(&bytes);
        let versioned: Vec<u8> = [codec::WITH_GAS].into_iter().chain(bytes).collect();
        let _ = codec::read(&versioned);
        let mut out = Encoder::default();
        codec::write(&mut out, &quote, "house", "native-filler", &offer);
        let at = at.index(out.bytes.len());
        out.bytes[at] = byte;
        let _ = codec::read(&out.bytes);
    }
}

#[test]
fn a_seal_never_prints_its_keys() {
    assert_eq!(format!("{:?}", seal()), "RouteSeal(…)");
}
