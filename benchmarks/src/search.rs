//! Token search over a catalog of 100,000 tokens, on one core, against a plain scan of the same tokens.

use std::hint::black_box;
use std::time::{Duration, Instant};

use causeway_benchmarks::percentile;
use causeway_catalog::{Catalog, CatalogOptions, TokenFilter, TokenListConfig};
use serde_json::json;

const TOKENS: usize = 100_000;
const ROUNDS: usize = 300;
const QUERIES: [(&str, &str); 8] = [
    ("exact symbol", "usdc"),
    ("prefix", "us"),
    ("words", "wrapped bitcoin"),
    ("typo, missing letter", "ethreum"),
    ("typo, swapped letters", "etheruem"),
    ("run together", "usdcoin"),
    ("address", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    ("nothing like it", "qqzzxxvvkk"),
];

pub(crate) fn measure_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = catalog(folder.path());
    let snapshot = catalog.snapshot();
    println!("{} tokens", snapshot.token_count());
    let plain: Vec<String> = snapshot
        .tokens(TokenFilter::default(), None, usize::MAX)
        .tokens
        .iter()
        .map(|listed| format!("{} {}", listed.token.symbol, listed.token.name).to_lowercase())
        .collect();
    println!("| query | median | p99 | plain scan, median | ratio |\n|---|---|---|---|---|");
    for (kind, query) in QUERIES {
        let ours = times(|| drop(black_box(snapshot.search(black_box(query), &[], 50))));
        let scan = times(|| drop(black_box(scan(&plain, black_box(query)))));
        let ratio = percentile(&scan, 50).as_secs_f64() / percentile(&ours, 50).as_secs_f64();
        let (median, p99) = (percentile(&ours, 50), percentile(&ours, 99));
        println!(
            "| {kind} `{query}` | {median:.1?} | {p99:.1?} | {:.1?} | {ratio:.1} |",
            percentile(&scan, 50)
        );
    }
}

/// A plain scan of all tokens without typo tolerance.
fn scan<'a>(plain: &'a [String], query: &str) -> Vec<&'a String> {
    plain.iter().filter(|text| text.contains(query)).take(50).collect()
}

fn times(mut work: impl FnMut()) -> Vec<Duration> {
    let mut times: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

/// The bundled catalog and as many made-up tokens as are missing, with names of the same kind.
fn catalog(folder: &std::path::Path) -> Catalog {
    let bundled = Catalog::bundled().expect("the bundled catalog").snapshot();
    let real = bundled.tokens(TokenFilter::default(), None, usize::MAX).tokens;
    let chains = [1, 56, 137, 8453, 42161];
    let made: Vec<_> = (0..TOKENS - real.len())
        .map(|n| {
            let (one, two) = (real[n % real.len()].token, real[(n * 7919 + 13) % real.len()].token);
            json!({
                "chainId": chains[n % chains.len()],
                "address": format!("0x{:040x}", 0x00ab_cdef_0000_u64 + n as u64),
                "symbol": format!("{}{n}", one.symbol.chars().take(8).collect::<String>()),
                "name": format!("{} {}", one.name, two.symbol).chars().take(60).collect::<String>(),
                "decimals": 18,
            })
        })
        .collect();
    let file = folder.join("list.json");
    let list = json!({
        "name": "made up", "timestamp": "2026-01-01T00:00:00Z",
        "version": { "major": 1, "minor": 0, "patch": 0 }, "tokens": made,
    });
    std::fs::write(&file, list.to_string()).expect("the list is written");
    let list =
        TokenListConfig { name: "made up".to_owned(), url: None, file: Some(file), refresh_minutes: 60 };
    let options = CatalogOptions { lists: vec![list], ..CatalogOptions::default() };
    Catalog::load(&options).expect("the catalog with the list")
}
