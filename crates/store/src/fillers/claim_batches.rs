use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{ClaimBatch, ClaimBatchPut, ClaimBatchStore, StoreError};
use causeway_domain::{ChainId, IntentTerms};
use jiff::Timestamp;

use crate::database::batch_order::{Locked, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::fillers::reserve::LOCK_BOOK;
use crate::record::{chain, chain_number, corrupt, parse, text, time};
use crate::store::Store;

/// The book row that serializes the batches of a filler; no token has this name.
const BOOK: &str = "claims";

const WRITE: &str = "INSERT INTO claim_batches (id, filler, chain, orders, created_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (id) DO NOTHING";

const WRITE_ORDER: &str =
    "INSERT INTO claim_batch_orders (intent_id, batch_id, place, terms) VALUES ($1, $2, $3, $4)";

const BATCH_ID: &str = "SELECT batch_id FROM claim_batch_orders WHERE intent_id = $1";

pub(crate) const BATCH: &str = "SELECT id, filler, chain, dissolved, created_at FROM claim_batches WHERE id = \
     (SELECT batch_id FROM claim_batch_orders WHERE intent_id = $1)";

pub(crate) const BATCH_BY_ID: &str =
    "SELECT id, filler, chain, dissolved, created_at FROM claim_batches WHERE id = $1";

pub(crate) const ORDERS: &str = "SELECT terms FROM claim_batch_orders WHERE batch_id = $1 ORDER BY place";

const DISSOLVE: &str = "UPDATE claim_batches SET dissolved = 1 WHERE id = $1";

pub(crate) const SIZES: &str = "SELECT orders FROM claim_batches WHERE filler = $1 AND chain = $2 \
     ORDER BY created_at DESC LIMIT $3";

/// A row of `claim_batches`, with the ids and terms of its orders.
struct Put {
    id: String,
    filler: String,
    chain: i64,
    orders: Vec<(B256, Vec<u8>)>,
    created_at: i64,
}

/// A claim of one order.
struct PutSingle {
    id: String,
    filler: String,
    chain: i64,
    created_at: i64,
}

struct Dissolve(String);

struct Row {
    id: String,
    filler: String,
    chain: i64,
    dissolved: i64,
    created_at: i64,
}

impl_from_row!(Row { id, filler, chain, dissolved, created_at });

impl Row {
    fn read(&self, terms: &[Vec<u8>]) -> Result<ClaimBatch, StoreError> {
        let unreadable = || corrupt("claim_batch_orders.terms", "no terms of an order");
        let orders: Option<Vec<IntentTerms>> =
            terms.iter().map(|terms| IntentTerms::from_bytes(terms)).collect();
        Ok(ClaimBatch {
            id: parse("claim_batches.id", &self.id)?,
            filler: self.filler.clone(),
            chain: chain("claim_batches.chain", self.chain)?,
            orders: orders.ok_or_else(unreadable)?,
            created_at: time("claim_batches.created_at", self.created_at)?,
            is_dissolved: self.dissolved != 0,
        })
    }
}

fn name(id: B256) -> String {
    format!("{id:#x}")
}

for_each_engine! {
    impl WriteOp<Db> for Put {
        type Outcome = ClaimBatchPut;

        fn turn(&self) -> Turn {
            Turn::of(Locked::Books, (&self.filler, BOOK))
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<ClaimBatchPut, DbError> {
            sqlx::query(LOCK_BOOK).bind(&self.filler).bind(BOOK).execute(&mut *connection).await?;
            let (mut taken, mut known) = (Vec::new(), 0);
            for (order, _) in &self.orders {
                let batch: Option<String> =
                    sqlx::query_scalar(BATCH_ID).bind(name(*order)).fetch_optional(&mut *connection).await?;
                match batch {
                    Some(batch) if batch == self.id => known += 1,
                    Some(_) => taken.push(*order),
                    None => {}
                }
            }
            if !taken.is_empty() {
                return Ok(ClaimBatchPut::Taken(taken));
            }
            if known == self.orders.len() {
                return Ok(ClaimBatchPut::Written);
            }
            let count = i64::try_from(self.orders.len()).unwrap_or(i64::MAX);
            let write = sqlx::query(WRITE).bind(&self.id).bind(&self.filler).bind(self.chain).bind(count);
            write.bind(self.created_at).execute(&mut *connection).await?;
            for (place, (order, terms)) in self.orders.iter().enumerate() {
                let place = i64::try_from(place).unwrap_or(i64::MAX);
                let write = sqlx::query(WRITE_ORDER).bind(name(*order)).bind(&self.id).bind(place);
                write.bind(terms).execute(&mut *connection).await?;
            }
            Ok(ClaimBatchPut::Written)
        }
    }

    impl WriteOp<Db> for PutSingle {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::ClaimBatches, &self.id)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let write = sqlx::query(WRITE).bind(&self.id).bind(&self.filler).bind(self.chain).bind(1_i64);
            write.bind(self.created_at).execute(connection).await?;
            Ok(())
        }
    }

    impl WriteOp<Db> for Dissolve {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::of(Locked::ClaimBatches, &self.0)
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            sqlx::query(DISSOLVE).bind(&self.0).execute(connection).await?;
            Ok(())
        }
    }
}

impl Store {
    /// A batch by the id that the query binds.
    async fn batch_rows(
        &self,
        query: &'static str,
        id: B256,
    ) -> Result<Option<(Row, Vec<Vec<u8>>)>, sqlx::Error> {
        let id = name(id);
        on_engine!(self.engine, handles => {
            let row: Option<Row> = sqlx::query_as(query).bind(id).fetch_optional(&handles.readers).await?;
            let Some(row) = row else { return Ok(None) };
            let terms = sqlx::query_scalar(ORDERS).bind(&row.id).fetch_all(&handles.readers).await?;
            Ok(Some((row, terms)))
        })
    }

    async fn sizes(&self, filler: &str, chain: ChainId, limit: u32) -> Result<Vec<i64>, sqlx::Error> {
        let (filler, chain, limit) = (text(filler), chain_number(chain), i64::from(limit));
        on_engine!(self.engine, handles => {
            sqlx::query_scalar(SIZES).bind(filler).bind(chain).bind(limit).fetch_all(&handles.readers).await
        })
    }
}

#[async_trait]
impl ClaimBatchStore for Store {
    async fn put_batch(&self, batch: &ClaimBatch) -> Result<ClaimBatchPut, StoreError> {
        self.write(Put {
            id: name(batch.id),
            filler: text(&batch.filler),
            chain: chain_number(batch.chain),
            orders: batch.orders.iter().map(|terms| (terms.id(), terms.to_bytes())).collect(),
            created_at: batch.created_at.as_millisecond(),
        })
        .await
    }

    async fn put_single_claim(
        &self,
        filler: &str,
        chain: ChainId,
        order: B256,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (filler, chain, created_at) = (text(filler), chain_number(chain), now.as_millisecond());
        self.write(PutSingle { id: name(order), filler, chain, created_at }).await
    }

    async fn batch_of(&self, order: B256) -> Result<Option<ClaimBatch>, StoreError> {
        let rows = self.batch_rows(BATCH, order).await.map_err(store_error)?;
        rows.map(|(row, terms)| row.read(&terms)).transpose()
    }

    async fn claim_batch(&self, id: B256) -> Result<Option<ClaimBatch>, StoreError> {
        let rows = self.batch_rows(BATCH_BY_ID, id).await.map_err(store_error)?;
        rows.map(|(row, terms)| row.read(&terms)).transpose()
    }

    async fn dissolve_batch(&self, id: B256) -> Result<(), StoreError> {
        self.write(Dissolve(name(id))).await
    }

    async fn claim_sizes(&self, filler: &str, chain: ChainId, limit: u32) -> Result<Vec<u32>, StoreError> {
        let sizes = self.sizes(filler, chain, limit).await.map_err(store_error)?;
        let size = |size: i64| {
            u32::try_from(size).map_err(|_| corrupt("claim_batches.orders", "not a number of orders"))
        };
        sizes.into_iter().map(size).collect()
    }
}
