#![allow(clippy::all, clippy::pedantic, clippy::print_stdout)]
use causeway_catalog::*;
use std::time::Instant;
fn rss() -> String {
    std::fs::read_to_string("/proc/self/status")
        .unwrap()
        .lines()
        .filter(|l| l.starts_with("VmRSS") || l.starts_with("VmHWM"))
        .collect::<Vec<_>>()
        .join(" ")
}
struct P;
impl causeway_domain::ports::PriceFeed for P {
    fn usd_price(&self, _: &causeway_domain::TokenId) -> Option<causeway_domain::UsdPrice> {
        "1".parse().ok()
    }
}
fn main() {
    println!("{}", rss());
    let t = Instant::now();
    let c = Catalog::bundled().unwrap();
    println!("bundled load {:?} tokens {} {}", t.elapsed(), c.snapshot().token_count(), rss());
    let s = c.snapshot();
    let mut all = 0;
    let mut cur = None;
    let mut risk = vec![];
    loop {
        let p = s.tokens(TokenFilter::default(), cur, 1000);
        all += p.tokens.len();
        for l in &p.tokens {
            if l.is_risk {
                risk.push(format!("{}:{}:{}", l.token.id.chain(), l.token.symbol, l.token.name));
            }
        }
        cur = p.next;
        if cur.is_none() {
            break;
        }
    }
    println!("all {all} risk {}", risk.len());
    if std::env::args().any(|a| a == "risk") {
        for r in risk {
            println!("{r}");
        }
    }
    for q in std::env::args().skip(1).filter(|a| a != "risk" && a != "big") {
        println!("== search {q}");
        for l in s.search(&q, &[], 12) {
            println!("  {} {} {} risk={}", l.token.id.chain(), l.token.symbol, l.token.name, l.is_risk);
        }
        let a = s.autocomplete(&q, &[], 8, &P);
        println!(
            "-- parsed {:?} next {:?}",
            a.parsed,
            a.next_slots.iter().map(|s| s.as_str()).collect::<Vec<_>>()
        );
        for i in a.items {
            println!(
                "  {} {:?} {:?}",
                i.description,
                i.amount.map(|a| a.to_string()),
                i.usd_amount.map(|a| a.to_string())
            );
        }
    }
    if !std::env::args().any(|a| a == "big") {
        return;
    }
    // 100k: mutate real names
    let real: Vec<(String, String)> = {
        let mut v = vec![];
        let mut cur = None;
        loop {
            let p = s.tokens(TokenFilter::default(), cur, 1000);
            for l in &p.tokens {
                v.push((l.token.symbol.clone(), l.token.name.clone()));
            }
            cur = p.next;
            if cur.is_none() {
                break;
            }
        }
        v
    };
    let dir = std::env::temp_dir().join("cat_scratch_lists");
    std::fs::create_dir_all(&dir).unwrap();
    let mut lists = vec![];
    let mut x: u64 = 88172645463325252;
    let mut rnd = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let need = 100_000 - real.len();
    let per = need.div_ceil(2);
    for part in 0..2 {
        let mut toks = vec![];
        for i in 0..per {
            let (a, b) =
                (&real[(rnd() % real.len() as u64) as usize], &real[(rnd() % real.len() as u64) as usize]);
            let mut sym: String = a.0.chars().filter(|c| c.is_alphanumeric()).take(5).collect();
            sym.push((b'A' + (rnd() % 26) as u8) as char);
            if i % 3 == 0 {
                sym.push((b'A' + (rnd() % 26) as u8) as char);
            }
            let name = format!(
                "{} {}",
                a.1.split_whitespace().next().unwrap_or("x"),
                b.1.split_whitespace().last().unwrap_or("y")
            );
            let name = if i % 2 == 0 {
                let k = (rnd() % 20) as u8;
                name.chars()
                    .enumerate()
                    .map(|(j, c)| if j == (k as usize % 7) + 1 { (b'a' + k) as char } else { c })
                    .collect()
            } else {
                name
            };
            toks.push(format!(r#"{{"chainId":{},"address":"0x{:016x}{:016x}{:08x}","symbol":{:?},"name":{:?},"decimals":18}}"#,[1,10,56,137,8453,42161][(rnd()%6) as usize], rnd(), rnd(), rnd() as u32, sym, name));
        }
        let f = dir.join(format!("{part}.json"));
        std::fs::write(&f, format!(r#"{{"name":"x","tokens":[{}]}}"#, toks.join(","))).unwrap();
        println!("file {} MB", std::fs::metadata(&f).unwrap().len() / 1_000_000);
        lists.push(TokenListConfig {
            name: format!("l{part}"),
            url: None,
            file: Some(f),
            refresh_minutes: 60,
        });
    }
    drop(s);
    let t = Instant::now();
    let c = Catalog::load(&CatalogOptions { lists, ..Default::default() }).unwrap();
    let s = c.snapshot();
    println!("100k load {:?} tokens {} {}", t.elapsed(), s.token_count(), rss());
    for q in [
        "usdc",
        "eth",
        "u",
        "us",
        "weth",
        "wrapped bitcoin",
        "ethreum",
        "usdcoin",
        "sokana",
        "uniswpa",
        "wraped bitcoin",
        "dog",
        "shiba inu",
        "coin",
        "token",
        "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
        "chainlink",
        "aave v3",
        "pancakeswpa",
        "stakd ether",
        "etheruem classc",
        "a",
        "protocol",
        "zzzzzzzz",
    ] {
        let n = 200;
        let mut ts = vec![];
        for _ in 0..n {
            let t = Instant::now();
            let r = s.search(q, &[], 50);
            std::hint::black_box(r.len());
            ts.push(t.elapsed());
        }
        ts.sort();
        println!(
            "{q:45} median {:?} p99 {:?} hits {}",
            ts[n / 2],
            ts[n * 99 / 100],
            s.search(q, &[], 50).len()
        );
    }
    for q in ["100 usdc on base", "swap 0.5 eth to usdc on arbitrum", "100 us", "buy 20 pol", "base"] {
        let n = 200;
        let mut ts = vec![];
        for _ in 0..n {
            let t = Instant::now();
            let r = s.autocomplete(q, &[], 10, &P);
            std::hint::black_box(r.items.len());
            ts.push(t.elapsed());
        }
        ts.sort();
        println!("auto {q:40} median {:?} p99 {:?}", ts[n / 2], ts[n * 99 / 100]);
    }
    for q in [None, Some("usd"), Some("qzqzq")] {
        let t = Instant::now();
        let p = s.tokens(TokenFilter { q, chains: &[] }, None, 100);
        println!("list {q:?} {:?} {}", t.elapsed(), p.tokens.len());
    }
}
