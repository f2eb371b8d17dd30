use causeway_domain::ports::StoreError;
use causeway_domain::{IntentState, Order, OrderId};

use crate::database::batch_order::{OrderRows, Turn};
use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::orders::find_orders::select;
use crate::record::OrderRecord;
use crate::store::Store;

/// Records the states that the hub's intent book holds.
struct RecordBooked(Vec<(String, i64)>);

pub(crate) const UNBOOKED: &str = "announced = 1 AND intent_state <> booked_state ORDER BY row_key LIMIT $1";

// An order written before the column existed takes the booked state.
const RECORD: &str = "UPDATE orders SET booked_state = $1, \
     intent_state = CASE WHEN intent_state = -1 THEN $1 ELSE intent_state END WHERE id = $2";

for_each_engine! {
    impl WriteOp<Db> for RecordBooked {
        type Outcome = ();

        fn turn(&self) -> Turn {
            Turn::orders()
        }

        fn add_orders(&self, rows: &mut OrderRows) {
            for (id, _) in &self.0 {
                rows.add(id);
            }
        }

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            for (id, state) in &self.0 {
                sqlx::query(RECORD).bind(state).bind(id).execute(&mut *connection).await?;
            }
            Ok(())
        }
    }
}

impl Store {
    pub(crate) async fn read_unrecorded(&self, limit: u32) -> Result<Vec<Order>, StoreError> {
        let rows: Result<Vec<OrderRecord>, _> = on_engine!(self.engine, handles => {
            sqlx::query_as(select(UNBOOKED)).bind(i64::from(limit)).fetch_all(&handles.readers).await
        });
        rows.map_err(store_error)?.into_iter().map(OrderRecord::into_order).collect()
    }

    pub(crate) async fn write_recorded(&self, recorded: &[(OrderId, IntentState)]) -> Result<(), StoreError> {
        let recorded = recorded.iter().map(|(id, state)| (id.to_string(), i64::from(state.number())));
        self.write(RecordBooked(recorded.collect())).await
    }
}
