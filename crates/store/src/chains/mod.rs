//! What the chains have shown: contract events, balances of deposit addresses, and how far each chain was read.

mod forget_chains;
pub(crate) mod record_arrival;
pub(crate) mod record_facts;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{Arrival, ChainCursor, ChainStore, FinalityTier, Rent, StoreError};
use causeway_domain::{Address, ChainId, Fact, FactPlace, IntentState, Order, OrderId, RentedAccount};
use jiff::Timestamp;
use sqlx::AssertSqlSafe;

use crate::chains::record_arrival::RecordArrival;
use crate::chains::record_facts::RecordFacts;
use crate::database::error::store_error;
use crate::record::{
    ArrivalRecord, CursorRecord, FACT_COLUMNS, FactRecord, Plain, chain_number, read_cursor, tier_number,
};
use crate::store::Store;

pub(crate) const BY_INTENT: &str =
    "FROM facts WHERE intent_id = $1 ORDER BY block_time, chain, block, log_index";

// A block that is final for a higher tier is final for a lower one too.
pub(crate) const CURSOR: &str = "SELECT block, hash, block_time FROM chain_cursors WHERE chain = $1 AND finality_tier >= $2 \
     ORDER BY block DESC LIMIT 1";

pub(crate) const ARRIVALS: &str = "SELECT order_id, block, token, address, balance, gained, tx FROM arrivals \
     WHERE address = $1 ORDER BY block, token";

impl Store {
    async fn fact_rows(&self, intent: B256) -> Result<Vec<FactRecord>, sqlx::Error> {
        let select = AssertSqlSafe(format!("SELECT {FACT_COLUMNS} {BY_INTENT}"));
        on_engine!(self.engine, handles => {
            sqlx::query_as(select).bind(intent.to_string()).fetch_all(&handles.readers).await
        })
    }

    async fn cursor_row(
        &self,
        chain: ChainId,
        finality_tier: FinalityTier,
    ) -> Result<Option<(i64, String, i64)>, sqlx::Error> {
        let (chain, finality_tier) = (chain_number(chain), tier_number(finality_tier));
        on_engine!(self.engine, handles => {
            sqlx::query_as(CURSOR).bind(chain).bind(finality_tier).fetch_optional(&handles.readers).await
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
impl ChainStore for Store {
    async fn record_facts(
        &self,
        chain: ChainId,
        finality_tier: FinalityTier,
        cursor: ChainCursor,
        facts: &[Fact],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if facts.iter().any(|fact| fact.place.chain != chain) {
            return Err(StoreError::Conflict("a fact belongs to another chain than its cursor"));
        }
        let facts: Result<_, _> = facts.iter().map(|fact| FactRecord::new(fact, finality_tier)).collect();
        let cursor = CursorRecord::new(chain, finality_tier, cursor)?;
        self.write(RecordFacts { cursor, facts: facts?, now: now.as_millisecond() }).await
    }

    async fn facts(&self, intent: B256) -> Result<Vec<(Fact, FinalityTier)>, StoreError> {
        let rows = self.fact_rows(intent).await.map_err(store_error)?;
        rows.into_iter().map(FactRecord::into_fact).collect()
    }

    async fn cursor(
        &self,
        chain: ChainId,
        finality_tier: FinalityTier,
    ) -> Result<Option<ChainCursor>, StoreError> {
        self.cursor_row(chain, finality_tier).await.map_err(store_error)?.map(read_cursor).transpose()
    }

    async fn record_arrival(&self, arrival: &Arrival, now: Timestamp) -> Result<(), StoreError> {
        self.write(RecordArrival { arrival: arrival.try_into()?, now: now.as_millisecond() }).await
    }

    async fn arrivals(&self, address: Address) -> Result<Vec<Arrival>, StoreError> {
        let rows = self.arrival_rows(address).await.map_err(store_error)?;
        rows.into_iter().map(ArrivalRecord::into_arrival).collect()
    }

    async fn openings(&self, after: Option<&FactPlace>, limit: u32) -> Result<Vec<Fact>, StoreError> {
        self.read_openings(after, limit).await
    }

    async fn unrecorded(&self, limit: u32) -> Result<Vec<Order>, StoreError> {
        self.read_unrecorded(limit).await
    }

    async fn mark_recorded(&self, recorded: &[(OrderId, IntentState)]) -> Result<(), StoreError> {
        self.write_recorded(recorded).await
    }

    async fn claim_rents(
        &self,
        chain: ChainId,
        time: u64,
        again: u64,
        limit: u32,
    ) -> Result<Vec<Rent>, StoreError> {
        self.claim_due_rents(chain, time, again, limit).await
    }

    async fn postpone_rent(
        &self,
        order: &OrderId,
        account: RentedAccount,
        until: u64,
    ) -> Result<(), StoreError> {
        self.write_rent(order, account, until).await
    }

    async fn remove_rent(&self, order: &OrderId, account: RentedAccount) -> Result<(), StoreError> {
        self.delete_rent(order, account).await
    }
}
