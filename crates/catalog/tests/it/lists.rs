use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use causeway_catalog::{Catalog, CatalogError, CatalogOptions, ListError, Refreshed, TokenListConfig};
use causeway_domain::TokenId;

use crate::server::{Answer, Server};

const NEW: &str = "0x00000000000000000000000000000000000c0ffe";
const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

fn document(entries: &[(u64, &str, &str)]) -> Vec<u8> {
    let tokens: Vec<String> = entries
        .iter()
        .map(|(chain, address, symbol)| {
            format!(
                r#"{{"chainId":{chain},"address":"{address}","symbol":"{symbol}","name":"The {symbol}","decimals":9,"logoURI":"https://x.org/{symbol}.png"}}"#
            )
        })
        .collect();
    format!(r#"{{"name":"Test","tokens":[{}]}}"#, tokens.join(",")).into_bytes()
}

fn coffee() -> Vec<u8> {
    document(&[(1, NEW, "COFFEE")])
}

/// An answer and how it is refused.
type Refusal = (Answer, fn(&ListError) -> bool);

fn by_url(url: &str, cache: &Path) -> CatalogOptions {
    let list =
        TokenListConfig { name: "Test".into(), url: Some(url.into()), file: None, refresh_minutes: 60 };
    CatalogOptions { lists: vec![list], cache_dir: Some(cache.to_owned()), ..CatalogOptions::default() }
}

fn by_file(file: &Path, cache: &Path) -> CatalogOptions {
    let list =
        TokenListConfig { name: "Test".into(), url: None, file: Some(file.into()), refresh_minutes: 60 };
    CatalogOptions { lists: vec![list], cache_dir: Some(cache.to_owned()), ..CatalogOptions::default() }
}

fn load(options: &CatalogOptions) -> Arc<Catalog> {
    Arc::new(Catalog::load(options).unwrap())
}

fn has(catalog: &Catalog, address: &str) -> bool {
    let id: TokenId = format!("eip155:1:{address}").parse().unwrap();
    catalog.snapshot().token(&id).is_some()
}

#[tokio::test]
async fn a_url_list_is_applied_and_then_requested_by_its_etag() {
    let cache = tempfile::tempdir().unwrap();
    let server = Server::start(Answer::Document { body: coffee(), tag: Some("\"v1\"") }).await;
    let catalog = load(&by_url(&server.url, cache.path()));
    assert!(!has(&catalog, NEW));
    assert_eq!(catalog.refresh("Test").await.unwrap(), Refreshed::Updated { tokens: 1, skipped: 0 });
    assert!(has(&catalog, NEW));
    assert_eq!(catalog.refresh("Test").await.unwrap(), Refreshed::Unchanged);
    let requests = server.requests();
    assert!(!requests[0].contains("if-none-match"));
    assert!(requests[1].contains("if-none-match: \"v1\""));
    let again = load(&by_url(&server.url, cache.path()));
    assert_eq!(again.refresh("Test").await.unwrap(), Refreshed::Unchanged);
    assert!(server.requests()[2].contains("if-none-match: \"v1\""), "the tag outlives a restart");
}

#[tokio::test]
async fn a_snapshot_taken_before_a_refresh_does_not_change() {
    let cache = tempfile::tempdir().unwrap();
    let server = Server::start(Answer::Document { body: coffee(), tag: None }).await;
    let catalog = load(&by_url(&server.url, cache.path()));
    let before = catalog.snapshot();
    let count = before.token_count();
    catalog.refresh("Test").await.unwrap();
    assert_eq!(before.token_count(), count);
    assert_eq!(catalog.snapshot().token_count(), count + 1);
    assert_eq!(catalog.refresh("Test").await.unwrap(), Refreshed::Unchanged, "the same bytes without a tag");
}

#[tokio::test]
async fn the_cached_copy_is_used_when_the_source_is_down_at_start() {
    let cache = tempfile::tempdir().unwrap();
    let server = Server::start(Answer::Document { body: coffee(), tag: None }).await;
    let options = by_url(&server.url, cache.path());
    load(&options).refresh("Test").await.unwrap();
    server.stop().await;
    let catalog = load(&options);
    assert!(has(&catalog, NEW));
    let error = catalog.refresh("Test").await.unwrap_err();
    assert!(error.is_retryable() && error.to_string().contains("refused"), "{error}");
    assert!(!error.to_string().contains("list.json"), "URLs may contain keys: {error}");
    assert!(has(&catalog, NEW));
}

#[tokio::test]
async fn an_invalid_list_never_replaces_a_valid_one() {
    let cache = tempfile::tempdir().unwrap();
    let server = Server::start(Answer::Document { body: coffee(), tag: None }).await;
    let options = by_url(&server.url, cache.path());
    let catalog = load(&options);
    catalog.refresh("Test").await.unwrap();
    let refused: [Refusal; 5] = [
        (Answer::Status(500), |error| matches!(error, ListError::Status(500))),
        (Answer::Status(304), |error| matches!(error, ListError::Status(304))),
        (Answer::Document { body: b"<html>".to_vec(), tag: None }, |error| {
            matches!(error, ListError::Malformed(_))
        }),
        (Answer::Document { body: document(&[(1, "0x1", "BAD")]), tag: None }, |error| {
            matches!(error, ListError::Empty(1))
        }),
        (Answer::Endless, |error| matches!(error, ListError::TooLarge)),
    ];
    for (answer, expected) in refused {
        server.answer(answer);
        let error = catalog.refresh("Test").await.unwrap_err();
        assert!(expected(&error), "{error:?}");
        assert!(has(&catalog, NEW));
        assert!(has(&load(&options), NEW), "the copy on disk is the good one");
    }
}

#[tokio::test]
async fn lists_are_refreshed_in_the_background() {
    let cache = tempfile::tempdir().unwrap();
    let server = Server::start(Answer::Document { body: coffee(), tag: None }).await;
    let catalog = load(&by_url(&server.url, cache.path()));
    let task = tokio::spawn(Arc::clone(&catalog).refresh_loop());
    for _ in 0..600 {
        if has(&catalog, NEW) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(has(&catalog, NEW));
    task.abort();
}

#[tokio::test]
async fn without_lists_there_is_nothing_to_refresh() {
    load(&CatalogOptions::default()).refresh_loop().await;
}

#[tokio::test]
async fn a_file_is_read_at_start_and_its_cached_copy_when_it_is_invalid() {
    let folder = tempfile::tempdir().unwrap();
    let (file, cache) = (folder.path().join("list.json"), folder.path().join("cache"));
    let options = by_file(&file, &cache);
    assert!(!has(&load(&options), NEW), "a missing file does not keep the service from starting");
    std::fs::write(&file, coffee()).unwrap();
    assert!(has(&load(&options), NEW));
    std::fs::write(&file, "{").unwrap();
    let catalog = load(&options);
    assert!(has(&catalog, NEW));
    assert!(matches!(catalog.refresh("Test").await, Err(ListError::Malformed(_))));
    std::fs::write(
        &file,
        document(&[(1, NEW, "COFFEE"), (1, "0x2", "BAD"), (1, &NEW.replace("ffe", "fff"), "TEA")]),
    )
    .unwrap();
    assert_eq!(catalog.refresh("Test").await.unwrap(), Refreshed::Updated { tokens: 2, skipped: 1 });
}

#[test]
fn a_list_adds_tokens_and_logos_but_changes_no_bundled_token_or_rank() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("list.json");
    let body = document(&[(1, USDC, "HIJACK"), (1, NEW, "USDC"), (987_654, NEW, "ELSEWHERE")]);
    std::fs::write(&file, body).unwrap();
    let catalog = load(&by_file(&file, &folder.path().join("cache")));
    let now = catalog.snapshot();
    let usdc = now.token(&format!("eip155:1:{USDC}").parse().unwrap()).unwrap();
    assert_eq!((usdc.token.symbol.as_str(), usdc.token.decimals), ("USDC", 6));
    assert_eq!(usdc.token.logo.as_deref(), Some("https://x.org/HIJACK.png"));
    let imitation: TokenId = format!("eip155:1:{NEW}").parse().unwrap();
    assert!(now.token(&imitation).unwrap().is_risk);
    assert!(now.top(&[]).iter().all(|listed| listed.token.id != imitation));
    assert!(now.search("elsewhere", &[], 50).iter().all(|listed| listed.token.symbol != "ELSEWHERE"));
}

#[test]
fn duplicate_list_names_are_rejected() {
    let list = TokenListConfig { name: "A".into(), url: None, file: Some("x".into()), refresh_minutes: 1 };
    let options = CatalogOptions { lists: vec![list.clone(), list], ..CatalogOptions::default() };
    let error = Catalog::load(&options).unwrap_err();
    assert!(matches!(error, CatalogError::List { source: ListError::Name, .. }), "{error}");
}

#[tokio::test]
async fn an_unknown_list_cannot_be_refreshed() {
    assert!(matches!(load(&CatalogOptions::default()).refresh("x").await, Err(ListError::Unknown)));
}
