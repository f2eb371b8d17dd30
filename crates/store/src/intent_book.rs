use async_trait::async_trait;
use causeway_domain::ports::{BookMarks, StoreError};
use causeway_domain::{IntentState, Order, OrderId};

use crate::engine::Connection;
use crate::fault::{Fault, store_error};
use crate::find_orders::select;
use crate::job::Deed;
use crate::record::OrderRecord;
use crate::store::Store;

/// Remembers what the hub's book was told of orders.
struct NoteTold(Vec<(String, i64)>);

pub(crate) const UNTOLD: &str = "announced = 1 AND intent_state <> booked_state ORDER BY row_key LIMIT $1";

// An order from before the column was known has now been read, and stands where the book does.
const NOTE: &str = "UPDATE orders SET booked_state = $1, \
     intent_state = CASE WHEN intent_state = -1 THEN $1 ELSE intent_state END WHERE id = $2";

for_each_engine! {
    impl Deed<Db> for NoteTold {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            for (id, state) in &self.0 {
                sqlx::query(NOTE).bind(state).bind(id).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}

#[async_trait]
impl BookMarks for Store {
    async fn untold(&self, limit: u32) -> Result<Vec<Order>, StoreError> {
        let rows: Result<Vec<OrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(UNTOLD)).bind(i64::from(limit)).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(OrderRecord::into_order).collect()
    }

    async fn note_told(&self, told: &[(OrderId, IntentState)]) -> Result<(), StoreError> {
        let told = told.iter().map(|(id, state)| (id.to_string(), i64::from(state.number())));
        self.write(NoteTold(told.collect())).await
    }
}
