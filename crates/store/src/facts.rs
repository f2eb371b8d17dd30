use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{Arrival, BlockMark, Care, FactStore, StoreError};
use causeway_domain::{Address, ChainId, Fact};
use jiff::Timestamp;
use sqlx::AssertSqlSafe;

use crate::fault::store_error;
use crate::record::{
    ArrivalRecord, FACT_COLUMNS, FactRecord, MarkRecord, Plain, care_number, chain_number, read_mark,
};
use crate::record_arrival::RecordArrival;
use crate::record_facts::RecordFacts;
use crate::store::Store;

pub(crate) const OF_INTENT: &str =
    "FROM facts WHERE intent_id = $1 ORDER BY block_time, chain, block, log_index";

// What stands for more stands for less too.
pub(crate) const MARK: &str = "SELECT block, hash, block_time FROM marks WHERE chain = $1 AND care >= $2 \
     ORDER BY block DESC LIMIT 1";

pub(crate) const ARRIVALS: &str = "SELECT order_id, block, token, address, balance, gained, tx FROM arrivals \
     WHERE address = $1 ORDER BY block, token";

impl Store {
    async fn fact_rows(&self, intent: B256) -> Result<Vec<FactRecord>, sqlx::Error> {
        let select = AssertSqlSafe(format!("SELECT {FACT_COLUMNS} {OF_INTENT}"));
        on_engine!(self.engine, handles => {
            sqlx::query_as(select).bind(intent.to_string()).fetch_all(&handles.readers).await
        })
    }

    async fn mark_row(&self, chain: ChainId, care: Care) -> Result<Option<(i64, String, i64)>, sqlx::Error> {
        let (chain, care) = (chain_number(chain), care_number(care));
        on_engine!(self.engine, handles => {
            sqlx::query_as(MARK).bind(chain).bind(care).fetch_optional(&handles.readers).await
        })
    }

    async fn arrival_rows(&self, address: Address) -> Result<Vec<ArrivalRecord>, sqlx::Error> {
        let address = Plain(address).to_string();
        on_engine!(self.engine, handles => {
            sqlx::query_as(ARRIVALS).bind(address).fetch_all(&handles.readers).await
        })
    }
}

#[async_trait]
impl FactStore for Store {
    async fn record_facts(
        &self,
        chain: ChainId,
        care: Care,
        mark: BlockMark,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if facts.iter().any(|fact| fact.place.chain != chain) {
            return Err(StoreError::Conflict("a fact is of another chain than its mark"));
        }
        let facts: Result<_, _> = facts.iter().map(|fact| FactRecord::new(fact, care)).collect();
        let mark = MarkRecord::new(chain, care, mark)?;
        self.write(RecordFacts { mark, facts: facts?, now: now.as_millisecond() }).await
    }

    async fn facts(&self, intent: B256) -> Result<Vec<(Fact, Care)>, StoreError> {
        let rows = self.fact_rows(intent).await.map_err(store_error)?;
        rows.into_iter().map(FactRecord::into_fact).collect()
    }

    async fn mark(&self, chain: ChainId, care: Care) -> Result<Option<BlockMark>, StoreError> {
        self.mark_row(chain, care).await.map_err(store_error)?.map(read_mark).transpose()
    }

    async fn record_arrival(&self, arrival: &Arrival, now: Timestamp) -> Result<(), StoreError> {
        self.write(RecordArrival { arrival: arrival.try_into()?, now: now.as_millisecond() }).await
    }

    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError> {
        let rows = self.arrival_rows(address).await.map_err(store_error)?;
        rows.into_iter().map(ArrivalRecord::into_arrival).collect()
    }
}
