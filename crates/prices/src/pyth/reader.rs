use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::wire::{EntryLimits, normalize_id, read};
use crate::http_source::{ApiKey, HttpSource, SetupError};
use crate::source::{PriceResults, ReadError, Reader};

/// Prices per request.
const BATCH_SIZE: usize = 100;

/// Hermes settings.
#[derive(Clone, Debug)]
pub struct PythConfig {
    /// The URL before `/v2/updates/price/latest`.
    pub url: String,
    pub api_key: Option<ApiKey>,
    /// The price id of each coin.
    pub ids: BTreeMap<String, String>,
    pub max_age: Duration,
    /// Maximum confidence interval, in millionths of the price.
    pub max_confidence: u32,
}

impl Default for PythConfig {
    fn default() -> Self {
        Self {
            url: "https://pyth.dourolabs.app/hermes".to_owned(),
            api_key: None,
            ids: BTreeMap::new(),
            max_age: Duration::from_secs(30),
            max_confidence: 5_000,
        }
    }
}

/// Reads the latest price of every id from Hermes.
#[derive(Clone, Debug)]
pub struct PythReader {
    http: HttpSource,
    ids: BTreeMap<String, String>,
    max_age: Duration,
    max_confidence: u32,
}

impl PythReader {
    pub fn new(config: PythConfig) -> Result<Self, SetupError> {
        let key = config.api_key.as_ref().map(|key| ("authorization", key.header("Bearer ")));
        let http = HttpSource::new(&config.url, key)?;
        let id = |(coin, id): (String, String)| {
            let normalized = normalize_id(&id);
            let is_valid = normalized.len() == 64 && normalized.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_valid { Ok((coin, normalized)) } else { Err(SetupError::PythId(id)) }
        };
        let ids = config.ids.into_iter().map(id).collect::<Result<_, _>>()?;
        Ok(Self { http, ids, max_age: config.max_age, max_confidence: config.max_confidence })
    }

    async fn read_batch(
        &self,
        coins: &[(&String, &String)],
        now: Timestamp,
    ) -> Result<PriceResults, ReadError> {
        let mut query: Vec<(&str, &str)> = coins.iter().map(|(_, id)| ("ids[]", id.as_str())).collect();
        // A retired id must not fail the whole request.
        query.extend([("parsed", "true"), ("encoding", "hex"), ("ignore_invalid_price_ids", "true")]);
        let body = self.http.get("/v2/updates/price/latest", &query).await?;
        let limits = EntryLimits { max_age: self.max_age, max_confidence: self.max_confidence, now };
        let by_id = read(&body, limits)?;
        let result = |(coin, id): &(&String, &String)| {
            let result = by_id.get(*id).cloned().unwrap_or_else(|| Err("no price for its id".to_owned()));
            ((*coin).clone(), result)
        };
        Ok(coins.iter().map(result).collect())
    }
}

#[async_trait]
impl Reader for PythReader {
    fn name(&self) -> &'static str {
        "pyth"
    }

    fn coins(&self) -> Vec<String> {
        self.ids.keys().cloned().collect()
    }

    async fn read(&self, now: Timestamp) -> Result<PriceResults, ReadError> {
        let coins: Vec<_> = self.ids.iter().collect();
        let mut results = PriceResults::new();
        for batch in coins.chunks(BATCH_SIZE) {
            results.extend(self.read_batch(batch, now).await?);
        }
        Ok(results)
    }
}
