//! Signed transactions, stored before they are broadcast.

mod add_attempt;
mod end_outgoing;
pub(crate) mod put_outgoing;
mod unknown;

use async_trait::async_trait;
use causeway_domain::ports::{Attempt, Outbox, OutboxPut, Outgoing, OutgoingEnd, StoreError};
use causeway_domain::{Address, ChainId};
use jiff::Timestamp;
use sqlx::AssertSqlSafe;

use crate::database::error::store_error;
use crate::outbox::add_attempt::AddAttempt;
use crate::outbox::end_outgoing::EndOutgoing;
use crate::outbox::put_outgoing::{FOR_PURPOSE, PutOutgoing};
use crate::outbox::unknown::{ForgetUnknown, RecordUnknown};
use crate::record::{OutgoingKey, SENT, SentRecord, chain_number, end_state, gather, read_nonce, text};
use crate::store::Store;

pub(crate) const UNKNOWN: &str =
    "SELECT below_nonce FROM unknown_transactions WHERE signer = $1 AND chain = $2";

pub(crate) const OPEN: &str = "WHERE signer = $1 AND chain = $2 AND state = 'open' ORDER BY nonce, attempt";

pub(crate) const HIGHEST: &str = "SELECT MAX(nonce) FROM outbox WHERE signer = $1 AND chain = $2";

/// Bounded by the nonces, which lead the index: nobody sends this many within the times that are asked for.
const SIGNED_SINCE: &str =
    "WHERE signer = $1 AND chain = $2 AND nonce > $3 AND made_at >= $4 ORDER BY nonce, attempt";
const NEWEST: i64 = 5_000;

impl Store {
    async fn recent_rows(
        &self,
        chain: ChainId,
        signer: Address,
        since: Timestamp,
    ) -> Result<Vec<SentRecord>, sqlx::Error> {
        let Some(highest) = self.highest_row(chain, signer).await? else { return Ok(Vec::new()) };
        let select = AssertSqlSafe(format!("{SENT} {SIGNED_SINCE}"));
        let (signer, chain, since) = (signer.to_string(), chain_number(chain), since.as_millisecond());
        let above = highest.saturating_sub(NEWEST);
        on_engine!(self.engine, handles => {
            let query = sqlx::query_as(select).bind(signer).bind(chain).bind(above).bind(since);
            query.fetch_all(&handles.readers).await
        })
    }

    async fn purpose_rows(&self, chain: ChainId, purpose: &str) -> Result<Vec<SentRecord>, sqlx::Error> {
        let select = AssertSqlSafe(format!("{SENT} {FOR_PURPOSE}"));
        let (purpose, chain) = (text(purpose), chain_number(chain));
        on_engine!(self.engine, handles => {
            sqlx::query_as(select).bind(purpose).bind(chain).fetch_all(&handles.readers).await
        })
    }

    async fn open_rows(&self, chain: ChainId, signer: Address) -> Result<Vec<SentRecord>, sqlx::Error> {
        let select = AssertSqlSafe(format!("{SENT} {OPEN}"));
        let (signer, chain) = (signer.to_string(), chain_number(chain));
        on_engine!(self.engine, handles => {
            sqlx::query_as(select).bind(signer).bind(chain).fetch_all(&handles.readers).await
        })
    }

    async fn highest_row(&self, chain: ChainId, signer: Address) -> Result<Option<i64>, sqlx::Error> {
        let (signer, chain) = (signer.to_string(), chain_number(chain));
        on_engine!(self.engine, handles => {
            sqlx::query_scalar(HIGHEST).bind(signer).bind(chain).fetch_one(&handles.readers).await
        })
    }

    async fn unknown_row(&self, chain: ChainId, signer: Address) -> Result<Option<i64>, sqlx::Error> {
        let (signer, chain) = (signer.to_string(), chain_number(chain));
        on_engine!(self.engine, handles => {
            sqlx::query_scalar(UNKNOWN).bind(signer).bind(chain).fetch_optional(&handles.readers).await
        })
    }
}

#[async_trait]
impl Outbox for Store {
    async fn put(&self, outgoing: &Outgoing) -> Result<OutboxPut, StoreError> {
        self.write(PutOutgoing(outgoing.try_into()?)).await
    }

    async fn add_attempt(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        attempt: &Attempt,
    ) -> Result<(), StoreError> {
        let key = OutgoingKey::new(chain, signer, nonce)?;
        self.write(AddAttempt { key, attempt: attempt.into() }).await
    }

    async fn for_purpose(&self, chain: ChainId, purpose: &str) -> Result<Option<Outgoing>, StoreError> {
        let rows = self.purpose_rows(chain, purpose).await.map_err(store_error)?;
        Ok(gather(rows)?.pop())
    }

    async fn open(&self, chain: ChainId, signer: Address) -> Result<Vec<Outgoing>, StoreError> {
        gather(self.open_rows(chain, signer).await.map_err(store_error)?)
    }

    async fn signed_since(
        &self,
        chain: ChainId,
        signer: Address,
        since: Timestamp,
    ) -> Result<Vec<Outgoing>, StoreError> {
        gather(self.recent_rows(chain, signer, since).await.map_err(store_error)?)
    }

    async fn highest_nonce(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError> {
        let highest = self.highest_row(chain, signer).await.map_err(store_error)?;
        highest.map(read_nonce).transpose()
    }

    async fn end(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
        end: OutgoingEnd,
    ) -> Result<bool, StoreError> {
        let key = OutgoingKey::new(chain, signer, nonce)?;
        let (state, ended_by) = end_state(end);
        self.write(EndOutgoing { key, state, ended_by }).await
    }

    async fn unknown_below(&self, chain: ChainId, signer: Address) -> Result<Option<u64>, StoreError> {
        let below = self.unknown_row(chain, signer).await.map_err(store_error)?;
        below.map(read_nonce).transpose()
    }

    async fn record_unknown_below(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
    ) -> Result<(), StoreError> {
        self.write(RecordUnknown(OutgoingKey::new(chain, signer, nonce)?)).await
    }

    async fn forget_unknown_below(
        &self,
        chain: ChainId,
        signer: Address,
        nonce: u64,
    ) -> Result<(), StoreError> {
        self.write(ForgetUnknown(OutgoingKey::new(chain, signer, nonce)?)).await
    }
}
