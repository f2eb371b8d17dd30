use async_trait::async_trait;
use causeway_domain::ports::{RampToken, RampTokens, StoreError};

use crate::engine::Connection;
use crate::fault::{Fault, store_error};
use crate::job::Deed;
use crate::record::text;
use crate::store::Store;

const READ: &str = "SELECT token, ends_at FROM ramp_tokens WHERE provider = $1";

const WRITE: &str = "INSERT INTO ramp_tokens (provider, token, ends_at) VALUES ($1, $2, $3) \
     ON CONFLICT (provider) DO UPDATE SET token = excluded.token, ends_at = excluded.ends_at";

struct Put {
    provider: String,
    token: RampToken,
}

for_each_engine! {
    impl Deed<Db> for Put {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), Fault> {
            let Self { provider, token } = self;
            sqlx::query(WRITE).bind(provider).bind(text(&token.text)).bind(token.ends).execute(connection).await?;
            Ok(())
        }
    }
}

#[async_trait]
impl RampTokens for Store {
    async fn ramp_token(&self, provider: &str) -> Result<Option<RampToken>, StoreError> {
        let row: Option<(String, i64)> = on_engine!(self.engine, handles => {
            sqlx::query_as(READ).bind(provider).fetch_optional(&handles.readers).await
        })
        .map_err(store_error)?;
        Ok(row.map(|(text, ends)| RampToken { text, ends }))
    }

    async fn put_ramp_token(&self, provider: &str, token: &RampToken) -> Result<(), StoreError> {
        self.write(Put { provider: provider.to_owned(), token: token.clone() }).await
    }
}
