use causeway_domain::ports::{RampToken, StoreError};

use crate::database::engine::Connection;
use crate::database::error::{DbError, store_error};
use crate::database::write_op::WriteOp;
use crate::record::text;
use crate::store::Store;

const READ: &str = "SELECT token, expires_at FROM ramp_tokens WHERE provider = $1";

const WRITE: &str = "INSERT INTO ramp_tokens (provider, token, expires_at) VALUES ($1, $2, $3) \
     ON CONFLICT (provider) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at";

struct Put {
    provider: String,
    token: RampToken,
}

for_each_engine! {
    impl WriteOp<Db> for Put {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            let Self { provider, token } = self;
            sqlx::query(WRITE).bind(provider).bind(text(&token.text)).bind(token.ends).execute(connection).await?;
            Ok(())
        }
    }
}

impl Store {
    pub(super) async fn read_ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError> {
        let row: Option<(String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(READ).bind(provider).fetch_optional(&handles.readers).await
        })
        .map_err(store_error)?;
        Ok(row.map(|(text, ends)| RampToken { text, ends }))
    }

    pub(super) async fn write_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError> {
        self.write(Put { provider: provider.to_owned(), token: token.clone() }).await
    }
}
