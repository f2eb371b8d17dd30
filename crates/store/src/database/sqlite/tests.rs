use causeway_domain::ports::{QuoteStore, StoreError};
use causeway_domain::{
    Address, Ask, ChainId, Family, Quote, QuoteId, RawAmount, RowKeys, TokenId, TradeType,
};
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, Row as _};

use super::*;
use crate::database::claim_due;
use crate::database::engine::Engine;
use crate::fillers::{claim_batches, reservations, reserve};
use crate::operations::{prune, review};
use crate::orders::{drop_unused, find_orders, intent_book, list_orders, recovery, rents};
use crate::outbox::put_outgoing;
use crate::quotes::own_window::OwnWindow;
use crate::quotes::{drop_batches, quote_batches};
use crate::record::{Entry, FACT_COLUMNS, FiatOrderRecord, OrderRecord, SENT};
use crate::{Location, Store, chains, outbox, quotes, webhooks};

fn quote(keys: &RowKeys) -> Quote {
    let coin = TokenId::native(ChainId::new(1).unwrap());
    let address = Address::native(Family::Evm);
    Quote {
        id: QuoteId::random().unwrap(),
        key: keys.next(Timestamp::now()),
        ask: Ask {
            trade_type: TradeType::ExactInput,
            from: coin,
            to: coin,
            amount: RawAmount::ZERO,
            from_address: address,
            recipient: address,
            refund_to: address,
            slippage: None,
            deposit_methods: Vec::new(),
            referral: None,
        },
        integrator: Some("x".repeat(2_000)),
        created_at: Timestamp::from_millisecond(1_800_000_000_000).unwrap(),
        routes: Vec::new(),
    }
}

async fn pragma(pool: &SqlitePool, name: &str) -> String {
    let row = pool.fetch_one(AssertSqlSafe(format!("PRAGMA {name}"))).await.unwrap();
    row.try_get::<i64, _>(0).map_or_else(|_| row.get::<String, _>(0), |number| number.to_string())
}

/// Quotes whose ids are in one window.
fn in_one_window<const N: usize>(keys: &RowKeys) -> [Quote; N] {
    let first = QuoteId::random().unwrap();
    std::array::from_fn(|n| {
        let tail = first.as_str().len() - 4;
        let id = format!("{}{n:04x}", &first.as_str()[..tail]).parse().unwrap();
        Quote { id, ..quote(keys) }
    })
}

#[tokio::test]
async fn a_lone_writer_stores_quotes_by_one_statement() {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    migrate(&mut connection, SQLITE).await.unwrap();
    let keys = RowKeys::new(0);
    let entries = in_one_window::<5>(&keys).map(|quote| Entry::from(&quote));
    let [one, two, three, four, five] = entries.each_ref();
    let mut here = OwnWindow::default();
    assert!(here.put::<Sqlite>(&mut connection, &[one, two]).await.unwrap());
    assert!(here.put::<Sqlite>(&mut connection, &[three]).await.unwrap());
    let count = "SELECT CAST(SUM(size) AS BIGINT) FROM quote_batches";
    let mut there = OwnWindow::default();
    assert!(!there.put::<Sqlite>(&mut connection, &[four]).await.unwrap(), "others wrote here");
    assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut connection).await.unwrap(), 3);
    assert!(!here.put::<Sqlite>(&mut connection, &[one]).await.unwrap(), "it is known");
    assert!(!here.put::<Sqlite>(&mut connection, &[five]).await.unwrap(), "all are looked up from now on");
    assert_eq!(sqlx::query_scalar::<_, i64>(count).fetch_one(&mut connection).await.unwrap(), 3);
    let after = |windows: i64| {
        let moment = five.place.moment + windows * 128;
        let id = format!("{moment:012x}{}", "7".repeat(32)).parse().unwrap();
        Entry::from(&Quote { id, ..quote(&keys) })
    };
    let [next, ahead, back] = [1, 9_999, 3].map(after);
    assert!(here.put::<Sqlite>(&mut connection, &[&next]).await.unwrap(), "the next window");
    assert!(!here.put::<Sqlite>(&mut connection, &[five]).await.unwrap(), "the window before");
    assert!(!here.put::<Sqlite>(&mut connection, &[five, &ahead]).await.unwrap(), "two windows");
    assert!(here.put::<Sqlite>(&mut connection, &[&ahead]).await.unwrap(), "the clock is ahead");
    assert!(here.put::<Sqlite>(&mut connection, &[&back]).await.unwrap(), "and is put back");
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
    assert!(handles.readers.execute("DELETE FROM quotes").await.is_err());
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
    let readers = writer_pool(roomy.clone());
    let handles = Handles { writer: Writer::start(writer.clone(), &options), readers: readers.clone() };
    let store = Store::new(Engine::Sqlite(handles), location);

    let keys = RowKeys::new(0);
    let mut stored = Vec::new();
    let refused = loop {
        let quote = quote(&keys);
        match store.put_quote(&quote).await {
            Ok(()) => stored.push(quote),
            Err(error) => break (quote, error),
        }
        assert!(stored.len() < 500, "the disk never fills");
    };
    assert!(matches!(refused.1, StoreError::Unavailable(_)), "{:?}", refused.1);
    let again = store.put_quote(&refused.0).await.unwrap_err();
    assert!(again.is_retryable(), "{again:?}");
    assert_eq!(store.quote(&refused.0.id).await.unwrap(), None);

    writer.set_connect_options(roomy);
    writer.acquire().await.unwrap().execute("PRAGMA max_page_count = 1000000").await.unwrap();
    stored.push(refused.0);
    store.put_quote(stored.last().unwrap()).await.unwrap();
    for quote in stored {
        assert_eq!(store.quote(&quote.id).await.unwrap(), Some(quote));
    }
    assert_eq!(pragma(&readers, "quick_check").await, "ok");
}

#[tokio::test]
async fn a_closed_store_is_one_file_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data/causeway.db");
    let store = Store::open(&Location::Sqlite(path.clone())).await.unwrap();
    store.put_quote(&quote(&RowKeys::new(0))).await.unwrap();
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
    let (keys, before) = (RowKeys::new(0), fs::metadata(&path).unwrap().len());
    for _ in 0..100 {
        store.put_quote(&quote(&keys)).await.unwrap();
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
        quotes::QUOTE,
        quote_batches::PUT_ALONE,
        quote_batches::CONTENTS,
        quote_batches::BATCH,
        drop_batches::OLD,
        quotes::ROUTES,
        prune::QUOTES,
        prune::EVENTS,
        crate::orders::EVENTS,
        outbox::HIGHEST,
        reserve::EXPIRE,
        reserve::HELD,
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
        list_orders::OWED,
        list_orders::TRANSFERS,
        list_orders::ENDED_TRANSFERS,
        drop_unused::UNUSED,
        chains::record_facts::WAKE,
        chains::record_arrival::WAKE,
        chains::CURSOR,
        chains::ARRIVALS,
        webhooks::DUE,
        webhooks::GIVE_UP,
        webhooks::LOG,
        &format!("SELECT {FACT_COLUMNS} {}", chains::BY_INTENT),
        &format!("SELECT {FACT_COLUMNS} {}", recovery::OPENINGS),
        &find_orders::select(intent_book::UNBOOKED).0,
        rents::DUE,
        rents::POSTPONE,
        claim_batches::BATCH,
        claim_batches::ORDERS,
        claim_batches::SIZES,
    ] {
        let plan =
            handles.readers.fetch_all(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {query}"))).await.unwrap();
        for step in plan {
            let step: String = step.get("detail");
            // A quote has few routes and a chain few cursors; any other result comes out of its index in order.
            let sorts = step.contains("TEMP B-TREE") && ![quotes::ROUTES, chains::CURSOR].contains(&query);
            // Owed and unbooked orders are the whole of their index.
            let whole = ["orders_owed", "orders_untold"].iter().any(|index| step.contains(index));
            let scans = step.starts_with("SCAN ") && step != "SCAN CONSTANT ROW" && !whole;
            assert!(!scans && !sorts, "{query}\n{step}");
        }
    }
}
