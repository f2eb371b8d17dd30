use causeway_domain::fiat::FiatQuote;
use causeway_domain::ports::StoreError;

use crate::database::engine::Connection;
use crate::database::error::DbError;
use crate::database::write_op::WriteOp;
use crate::record::{offer_text, text};

/// Writes quotes of providers; stored quotes stay unchanged.
pub(super) struct PutFiatQuotes {
    rows: Vec<(String, i64, String, String, i64)>,
}

impl PutFiatQuotes {
    pub(super) fn new(quotes: &[FiatQuote]) -> Result<Self, StoreError> {
        let row = |quote: &FiatQuote| {
            let (id, key, at) = (quote.id.to_string(), quote.key.get(), quote.created_at.as_millisecond());
            Ok((id, key, text(&quote.provider), offer_text(quote)?, at))
        };
        Ok(Self { rows: quotes.iter().map(row).collect::<Result<_, StoreError>>()? })
    }
}

const PUT: &str = "INSERT INTO fiat_quotes (id, row_key, provider, offer, created_at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (id) DO NOTHING";

for_each_engine! {
    impl WriteOp<Db> for PutFiatQuotes {
        type Outcome = ();

        async fn run(&self, connection: &mut Connection<Db>) -> Result<(), DbError> {
            for (id, key, provider, offer, created_at) in &self.rows {
                sqlx::query(PUT)
                    .bind(id)
                    .bind(key)
                    .bind(provider)
                    .bind(offer)
                    .bind(created_at)
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(())
        }
    }
}
