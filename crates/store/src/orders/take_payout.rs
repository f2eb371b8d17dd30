use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;

/// Records that a provider's transfer belongs to an order, unless another order or a purchase has it.
pub(crate) struct TakePayout {
    pub(crate) order: String,
    pub(crate) tx: String,
    pub(crate) chain: i64,
    pub(crate) index: i64,
}

pub(crate) const SOLD: &str =
    "SELECT COUNT(*) FROM fiat_orders WHERE payout_tx = $1 AND sold_chain = $2 AND payout_index = $3";

const TAKE: &str = "INSERT INTO provider_payouts (tx, chain, log_index, order_id) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (tx, chain, log_index) DO NOTHING";

pub(crate) const HOLDER: &str =
    "SELECT order_id FROM provider_payouts WHERE tx = $1 AND chain = $2 AND log_index = $3";

for_each_engine! {
    impl WriteOp<Db> for TakePayout {
        type Outcome = bool;

        async fn run(&self, connection: &mut Connection<Db>) -> Result<bool, DbError> {
            let sold: i64 = sqlx::query_scalar(SOLD)
                .bind(&self.tx)
                .bind(self.chain)
                .bind(self.index)
                .fetch_one(&mut *connection)
                .await?;
            if sold > 0 {
                return Ok(false);
            }
            sqlx::query(TAKE)
                .bind(&self.tx)
                .bind(self.chain)
                .bind(self.index)
                .bind(&self.order)
                .execute(&mut *connection)
                .await?;
            let holder: String = sqlx::query_scalar(HOLDER)
                .bind(&self.tx)
                .bind(self.chain)
                .bind(self.index)
                .fetch_one(&mut *connection)
                .await?;
            Ok(holder == self.order)
        }
    }
}
