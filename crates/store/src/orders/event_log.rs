use causeway_domain::ports::StoreError;
use causeway_domain::{OrderId, RowKey};

use crate::database::error::store_error;
use crate::record::{key, parse};
use crate::store::Store;

const AFTER: &str = "SELECT row_key, order_id FROM events WHERE row_key > $1 ORDER BY row_key LIMIT $2";

impl Store {
    pub(super) async fn read_events_after(
        &self,
        after: RowKey,
        limit: u32,
    ) -> Result<Vec<(RowKey, OrderId)>, StoreError> {
        let rows: Vec<(i64, String)> = on_engine!(self.engine, handles => {
            sqlx::query_as(AFTER).bind(after.get()).bind(i64::from(limit)).fetch_all(&handles.readers).await
        })
        .map_err(store_error)?;
        let line = |(row, order): (i64, String)| {
            Ok((key("events.row_key", row)?, parse("events.order_id", &order)?))
        };
        rows.into_iter().map(line).collect()
    }

    pub(super) async fn wait_for_next_commit(&self, seen: u64) {
        let mut committed = on_engine!(self.engine, handles => handles.writer.committed());
        while Self::commits(self) == seen && committed.changed().await.is_ok() {}
    }
}
