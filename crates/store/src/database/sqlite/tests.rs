use std::sync::LazyLock;

use causeway_domain::fiat::{FiatAmount, FiatAsk, FiatCurrency, FiatQuote, QuoteFirmness, WantedAmount};
use causeway_domain::ports::{FiatStore as _, StoreError, SubjectKind};
use causeway_domain::{Address, ChainId, Family, FiatQuoteId, RawAmount, RowKeys, TokenId};
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Executor, Row as _};

use super::*;
use crate::database::claim_due;
use crate::database::engine::Engine;
use crate::fillers::{claim_batches, outflows, reservations, reserve};
use crate::operations::{prune, review};
use crate::orders::{drop_unused, find_orders, intent_book, list_orders, postpone, recovery, rents};
use crate::outbox::put_outgoing;
use crate::record::{FACT_COLUMNS, FiatOrderRecord, OrderRecord, SENT};
use crate::{Location, Store, chains, outbox, webhooks};

static KEYS: LazyLock<RowKeys> = LazyLock::new(|| RowKeys::new(0));

/// A large write.
fn fiat_quote() -> FiatQuote {
    let coin = TokenId::native(ChainId::new(1).unwrap());
    let currency = "USD".parse::<FiatCurrency>().unwrap();
    let amount = FiatAmount::new(currency, 100);
    FiatQuote {
        id: FiatQuoteId::random().unwrap(),
        key: KEYS.next(Timestamp::now()),
        provider: "x".repeat(2_000),
        firmness: QuoteFirmness::Firm,
        ask: FiatAsk {
            currency,
            amount: WantedAmount::Pay(amount),
            target: coin,
            recipient: Address::native(Family::Evm),
            provider: None,
            method: None,
            refund_to: None,
            slippage_bps: None,
            country: None,
        },
        pays: amount,
        fees: Vec::new(),
        sold: coin,
        sold_amount: RawAmount::ZERO,
        expected: RawAmount::ZERO,
        least: RawAmount::ZERO,
        forwarding_options: Vec::new(),
        methods: Vec::new(),
        limits: None,
        expires_at: Timestamp::from_millisecond(1_800_000_000_000).unwrap(),
        created_at: Timestamp::from_millisecond(1_800_000_000_000).unwrap(),
    }
}

async fn put(store: &Store, quote: &FiatQuote) -> Result<(), StoreError> {
    store.put_fiat_quotes(std::slice::from_ref(quote)).await
}

async fn pragma<'c>(pool: impl Executor<'c, Database = Sqlite>, name: &str) -> String {
    let row = pool.fetch_one(AssertSqlSafe(format!("PRAGMA {name}"))).await.unwrap();
    row.try_get::<i64, _>(0).map_or_else(|_| row.get::<String, _>(0), |number| number.to_string())
}

#[tokio::test]
async fn commits_are_durable_and_readers_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("causeway.db");
    let handles = open(&path, &Options::default()).await.unwrap();
    let writer = writer_pool(connect_options(&path, &Options::default()));
    for (name, value) in
        [("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"), ("query_only", "0")]
    {
        assert_eq!(pragma(&writer, name).await, value, "{name}");
    }
    assert_eq!(pragma(&handles.readers, "query_only").await, "1");
    assert!(handles.readers.execute("DELETE FROM orders").await.is_err());
}

#[tokio::test]
async fn a_full_disk_is_unavailable_writes_nothing_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("causeway.db");
    let location = Location::Sqlite(path.clone());
    Store::open(&location).await.unwrap().close().await;

    let options = Options::default();
    let roomy = connect_options(&path, &options);
    let writer = writer_pool(roomy.clone().pragma("max_page_count", "60"));
    let readers = Readers::local(writer_pool(roomy.clone()), 1, TRUSTED_FOR);
    let handles = Handles { writer: Writer::start(writer.clone(), &options, None), readers: readers.clone() };
    let store = Store::new(Engine::Sqlite(handles), location);

    let mut stored = Vec::new();
    let refused = loop {
        let quote = fiat_quote();
        match put(&store, &quote).await {
            Ok(()) => stored.push(quote),
            Err(error) => break (quote, error),
        }
        assert!(stored.len() < 500, "the disk never fills");
    };
    assert!(matches!(refused.1, StoreError::Unavailable(_)), "{:?}", refused.1);
    let again = put(&store, &refused.0).await.unwrap_err();
    assert!(again.is_retryable(), "{again:?}");
    assert_eq!(store.fiat_quote(&refused.0.id).await.unwrap(), None);

    writer.set_connect_options(roomy);
    writer.acquire().await.unwrap().execute("PRAGMA max_page_count = 1000000").await.unwrap();
    stored.push(refused.0);
    put(&store, stored.last().unwrap()).await.unwrap();
    for quote in stored {
        assert_eq!(store.fiat_quote(&quote.id).await.unwrap(), Some(quote));
    }
    assert_eq!(pragma(&readers, "quick_check").await, "ok");
}

#[tokio::test]
async fn a_closed_store_is_one_file_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/causeway.db");
    let store = Store::open(&Location::Sqlite(path.clone())).await.unwrap();
    put(&store, &fiat_quote()).await.unwrap();
    store.close().await;
    assert_eq!(fs::read_dir(folder.path().join("data")).unwrap().count(), 1);
    for (path, mode) in [(parent_folder(&path), 0o700), (&path, 0o600)] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, mode);
    }
}

#[tokio::test]
async fn checkpoints_run_while_the_store_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("causeway.db");
    let store = Store::open(&Location::Sqlite(path.clone())).await.unwrap();
    let before = fs::metadata(&path).unwrap().len();
    for _ in 0..100 {
        put(&store, &fiat_quote()).await.unwrap();
    }
    while fs::metadata(&path).unwrap().len() == before {
        time::sleep(Duration::from_millis(5)).await;
    }
    store.close().await;
}

#[tokio::test]
async fn every_query_uses_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let handles = open(&folder.path().join("causeway.db"), &Options::default()).await.unwrap();
    let by_author = find_orders::select(find_orders::BY_AUTHOR).0;
    let end = "ORDER BY row_key DESC LIMIT $5";
    let page = format!("{by_author} $1 AND row_key < $2 {end}");
    let page_of_chains =
        format!("{by_author} $1 AND row_key < $2 AND from_chain = $3 AND to_chain = $4 {end}");
    for query in [
        prune::EVENTS,
        crate::orders::EVENTS,
        &format!("{}$1, $2)", crate::orders::versions::VERSIONS),
        outbox::HIGHEST,
        outbox::UNKNOWN,
        reserve::EXPIRE,
        reserve::HELD,
        reserve::HELD_BY,
        reserve::ENDED,
        reservations::RELEASE,
        reservations::BY_TOKEN,
        reservations::BY_FILLER,
        &format!("{SENT} {}", outbox::OPEN),
        &format!("{SENT} {}", put_outgoing::FOR_PURPOSE),
        &claim_due::select_due::<OrderRecord>(),
        &claim_due::select_due::<FiatOrderRecord>(),
        &find_orders::select(find_orders::BY_ID).0,
        &find_orders::select(find_orders::BY_ROUTE).0,
        &find_orders::select(find_orders::BY_INTENT).0,
        &find_orders::select(find_orders::BY_OBSERVED_DEPOSIT).0,
        &find_orders::select(find_orders::BY_SUBMITTED_TX).0,
        &find_orders::select(find_orders::BY_DEPOSIT_ADDRESS).0,
        &page,
        &page_of_chains,
        &find_orders::select(review::UNMOVED).0,
        &find_orders::select(review::ENDED).0,
        list_orders::FILLS,
        list_orders::OWED,
        list_orders::TRANSFERS,
        list_orders::ENDED_TRANSFERS,
        postpone::POSTPONE,
        drop_unused::UNUSED,
        drop_unused::UNPAID,
        chains::record_facts::WAKE,
        chains::record_arrival::WAKE,
        chains::CURSOR,
        chains::ARRIVALS,
        &webhooks::due(SubjectKind::Order),
        &webhooks::due(SubjectKind::Purchase),
        &webhooks::give_up(SubjectKind::Order),
        &webhooks::give_up(SubjectKind::Purchase),
        &webhooks::log(SubjectKind::Order),
        &webhooks::log(SubjectKind::Purchase),
        &format!("SELECT {FACT_COLUMNS} {}", chains::BY_INTENT),
        &format!("SELECT {FACT_COLUMNS} {}", recovery::OPENINGS),
        &find_orders::select(intent_book::UNBOOKED).0,
        rents::DUE,
        rents::POSTPONE,
        claim_batches::BATCH,
        claim_batches::ORDERS,
        claim_batches::SIZES,
        outflows::SUMS,
    ] {
        let plan =
            handles.readers.fetch_all(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"))).await.unwrap();
        for step in plan {
            let step: String = step.get("detail");
            // A chain has few cursors, and what left it is added up; any other result comes out of its index in order.
            let sorts = step.contains("TEMP B-TREE") && ![chains::CURSOR, outflows::SUMS].contains(&query);
            // Owed, unbooked and counted orders are the whole of their index.
            let whole =
                ["orders_owed", "orders_untold", "orders_counted"].iter().any(|index| step.contains(index));
            let scans = step.starts_with("SCAN ") && step != "SCAN CONSTANT ROW" && !whole;
            assert!(!scans && !sorts, "{query}\n{step}");
        }
    }
}
