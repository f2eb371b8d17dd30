use causeway_domain::OrderId;
use causeway_domain::ports::StoreError;
use sqlx::QueryBuilder;

use crate::database::error::store_error;
use crate::record::corrupt;
use crate::store::Store;

pub(crate) const VERSIONS: &str = "SELECT id, version FROM orders WHERE id IN (";

/// How many versions one statement reads at most.
const MAX_IDS: usize = 256;

impl Store {
    pub(crate) async fn versions(&self, ids: &[OrderId]) -> Result<Vec<(OrderId, u32)>, StoreError> {
        let mut versions = Vec::with_capacity(ids.len());
        for ids in ids.chunks(MAX_IDS) {
            for (id, version) in self.version_rows(ids).await.map_err(store_error)? {
                let version = u32::try_from(version).map_err(|_| corrupt("orders.version", version))?;
                let id = id.parse().map_err(|_| corrupt("orders.id", id))?;
                versions.push((id, version));
            }
        }
        Ok(versions)
    }

    /// The last id is repeated up to a power of two, so that both engines prepare nine statements and keep them.
    async fn version_rows(&self, ids: &[OrderId]) -> Result<Vec<(String, i64)>, sqlx::Error> {
        let Some(last) = ids.last() else { return Ok(Vec::new()) };
        let padding = ids.len().next_power_of_two() - ids.len();
        on_engine!(self.engine, handles => {
            let mut select = QueryBuilder::new(VERSIONS);
            let mut listed = select.separated(", ");
            for id in ids.iter().chain(std::iter::repeat_n(last, padding)) {
                listed.push_bind(id.as_str());
            }
            select.push(")");
            select.build_query_as().persistent(true).fetch_all(&handles.readers).await
        })
    }
}
