use std::sync::{Arc, LazyLock};

use causeway_catalog::{Catalog, CatalogOptions, ChainOverride, Snapshot, TokenFilter};
use causeway_domain::{
    BITCOIN_CHAIN_ID, ChainId, Family, FinalityRule, SOLANA_CHAIN_ID, TRON_CHAIN_ID, TokenId,
};

pub(crate) static SNAPSHOT: LazyLock<Arc<Snapshot>> =
    LazyLock::new(|| Catalog::bundled().unwrap().snapshot());

const CHAINS: [(u64, &str, &str); 19] = [
    (1, "Ethereum", "ETH"),
    (10, "OP Mainnet", "ETH"),
    (56, "BNB Smart Chain", "BNB"),
    (130, "Unichain", "ETH"),
    (137, "Polygon", "POL"),
    (143, "Monad", "MON"),
    (324, "ZKsync Era", "ETH"),
    (2741, "Abstract", "ETH"),
    (5000, "Mantle", "MNT"),
    (8453, "Base", "ETH"),
    (16661, "0G Mainnet", "0G"),
    (42161, "Arbitrum One", "ETH"),
    (43114, "Avalanche", "AVAX"),
    (59144, "Linea Mainnet", "ETH"),
    (80094, "Berachain", "BERA"),
    (747_474, "Katana", "ETH"),
    (4_278_608, "Arcadia", "AIP"),
    (5_734_951, "Jovay Mainnet", "ETH"),
    (20_011_000_000, "Solana", "SOL"),
];

#[test]
fn all_nineteen_chains_are_listed_by_id() {
    let known: Vec<_> = SNAPSHOT
        .chains()
        .iter()
        .map(|chain| (chain.id.get(), chain.name.as_str(), chain.native.symbol.as_str()))
        .collect();
    assert_eq!(known, CHAINS);
}

#[test]
fn every_chain_has_a_policy_and_every_evm_chain_the_evm_columns() {
    for chain in SNAPSHOT.chains() {
        let policy = chain.policy;
        assert!(policy.deposit_seconds > 0 && policy.fill_seconds > 0, "{}", chain.name);
        assert_eq!(policy.evm.is_some(), chain.family() == Family::Evm, "{}", chain.name);
        let Some(evm) = policy.evm else { continue };
        assert!(evm.send_depth > 0 && evm.max_fee_per_gas > 0, "{}", chain.name);
        let depth_alone = matches!(evm.finality.large_amounts, FinalityRule::Depth(_));
        assert!(policy.order_cap.is_some() || !depth_alone, "{}", chain.name);
        for rule in [evm.finality.small_deposits, evm.finality.attestations, evm.finality.large_amounts] {
            assert_ne!(rule, FinalityRule::Depth(0), "{}", chain.name);
        }
    }
}

#[test]
fn every_chain_has_a_native_token_and_its_own_svg_icon() {
    let mut tags = Vec::new();
    for chain in SNAPSHOT.chains() {
        let native = SNAPSHOT.token(&TokenId::native(chain.id)).unwrap();
        assert_eq!(native.token.decimals, chain.native.decimals);
        assert!(!native.is_risk);
        let icon = SNAPSHOT.icon(chain.id).unwrap();
        assert!(std::str::from_utf8(&icon.svg).unwrap().contains("<svg"), "{}", chain.name);
        assert!(!tags.contains(&icon.etag), "{}", chain.name);
        tags.push(icon.etag.clone());
    }
}

#[test]
fn there_are_thousands_of_tokens() {
    assert!(SNAPSHOT.token_count() >= 3_000, "{}", SNAPSHOT.token_count());
}

#[test]
fn every_curated_token_is_listed_and_not_marked_as_imitation() {
    for asset in SNAPSHOT.assets() {
        for id in &asset.tokens {
            let listed = SNAPSHOT.token(id).unwrap_or_else(|| panic!("{}: {id}", asset.symbol));
            assert!(!listed.is_risk, "{id}");
        }
    }
}

#[test]
fn popular_tokens_are_found_first() {
    for symbol in ["USDC", "USDT", "DAI", "WBTC", "WETH", "WSOL", "ETH", "SOL", "POL", "BNB", "AVAX"] {
        let first = SNAPSHOT.search(symbol, &[], 1)[0];
        assert_eq!(first.token.symbol, symbol);
        assert!(SNAPSHOT.asset(&first.token.id).is_some(), "{symbol}");
    }
    for chain in [1, 10, 137, 8453, 42161, SOLANA_CHAIN_ID.get()] {
        let chains = [ChainId::new(chain).unwrap()];
        assert_eq!(SNAPSHOT.search("usdc", &chains, 1)[0].token.symbol, "USDC", "{chain}");
    }
}

#[test]
fn names_typos_and_addresses_find_the_token() {
    for (q, symbol) in [
        ("ethreum", "ETH"),
        ("etheruem", "ETH"),
        ("usdcoin", "USDC"),
        ("usd coin", "USDC"),
        ("tether", "USDT"),
        ("sokana", "SOL"),
        ("solana", "SOL"),
        ("avalanche", "AVAX"),
        ("wrapped bitcoin", "WBTC"),
        ("wraped bitcoin", "WBTC"),
        ("chainlink", "LINK"),
        ("bitcoin", "WBTC"),
        ("uniswpa", "UNI"),
        ("0xA0B86991C6218B36C1D19D4A2E9EB0CE3606EB48", "USDC"),
        ("0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", "ETH"),
        ("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "USDC"),
    ] {
        assert_eq!(SNAPSHOT.search(q, &[], 1)[0].token.symbol, symbol, "{q}");
    }
}

#[test]
fn the_top_list_is_curated_and_limited_to_its_chains() {
    let top = SNAPSHOT.top(&[]);
    assert_eq!((top[0].token.symbol.as_str(), top[0].token.id.chain().get()), ("ETH", 1));
    assert!(top.len() > 100);
    let base = [ChainId::new(8453).unwrap()];
    let on_base = SNAPSHOT.top(&base);
    assert!(on_base.len() > 5 && on_base.iter().all(|listed| listed.token.id.chain() == base[0]));
}

#[test]
fn the_whole_catalog_can_be_paged_through() {
    let (mut seen, mut cursor) = (0, None);
    loop {
        let page = SNAPSHOT.tokens(TokenFilter::default(), cursor, 1_000);
        seen += page.tokens.len();
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, SNAPSHOT.token_count());
}

#[test]
fn a_disabled_chain_stays_listed_but_loses_its_tokens() {
    let change = ChainOverride { id: 8453, enabled: Some(false), ..ChainOverride::default() };
    let options = CatalogOptions { chains: vec![change], ..CatalogOptions::default() };
    let now = Catalog::load(&options).unwrap().snapshot();
    let base = ChainId::new(8453).unwrap();
    assert!(!now.chain(base).unwrap().enabled);
    assert!(now.token(&TokenId::native(base)).is_none());
    assert!(now.top(&[base]).is_empty());
    assert!(now.icon(base).is_some());
    assert!(now.suggestions().iter().all(|suggestion| !suggestion.text.contains("Base")));
}

#[test]
fn chains_that_swaps_only_begin_on_are_there_where_they_are_asked_for() {
    let sources = vec![BITCOIN_CHAIN_ID, TRON_CHAIN_ID];
    let options = CatalogOptions { sources: sources.clone(), ..CatalogOptions::default() };
    let with = Catalog::load(&options).unwrap().snapshot();
    assert_eq!(with.chains().len(), CHAINS.len() + 2);
    let usdt: TokenId = "tron:0x2b6653dc:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t".parse().unwrap();
    for id in sources {
        let (chain, coin) = (with.chain(id).unwrap(), TokenId::native(id));
        assert!(chain.family().is_source_only() && chain.rpc.is_empty(), "{}", chain.name);
        assert_eq!(with.token(&coin).unwrap().token.decimals, chain.native.decimals);
        assert!(with.asset(&coin).is_some() && with.icon(id).is_some(), "{}", chain.name);
        assert!(SNAPSHOT.chain(id).is_none() && SNAPSHOT.token(&coin).is_none(), "{}", chain.name);
        assert!(SNAPSHOT.icon(id).is_none());
    }
    assert_eq!(with.token(&usdt).unwrap().token.symbol, "USDT");
    assert!(with.search("btc", &[BITCOIN_CHAIN_ID], 1)[0].token.id.is_native());
    assert!(SNAPSHOT.token(&usdt).is_none() && SNAPSHOT.asset(&usdt).is_none());
    assert!(SNAPSHOT.assets().iter().all(|asset| asset.coin != "bitcoin" && asset.coin != "tron"));
}
