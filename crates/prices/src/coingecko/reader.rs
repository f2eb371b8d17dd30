use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::wire::read;
use crate::http_source::{ApiKey, HttpSource, SetupError};
use crate::source::{PriceResults, ReadError, Reader};

/// Prices per request, to keep the URL short enough for proxies.
const BATCH_SIZE: usize = 100;

/// The plan of an API key, which determines header and URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoinGeckoPlan {
    #[default]
    Demo,
    Pro,
}

impl CoinGeckoPlan {
    const fn header(self) -> &'static str {
        match self {
            Self::Demo => "x-cg-demo-api-key",
            Self::Pro => "x-cg-pro-api-key",
        }
    }

    /// The base URL of the plan.
    pub const fn url(self) -> &'static str {
        match self {
            Self::Demo => "https://api.coingecko.com/api/v3",
            Self::Pro => "https://pro-api.coingecko.com/api/v3",
        }
    }
}

/// CoinGecko settings.
#[derive(Clone, Debug)]
pub struct CoinGeckoConfig {
    /// The URL before `/simple/price`; the plan's URL when absent.
    pub url: Option<String>,
    pub api_key: Option<ApiKey>,
    pub plan: CoinGeckoPlan,
    /// CoinGecko's id of each coin.
    pub ids: BTreeMap<String, String>,
    pub max_age: Duration,
}

impl Default for CoinGeckoConfig {
    fn default() -> Self {
        Self {
            url: None,
            api_key: None,
            plan: CoinGeckoPlan::default(),
            ids: BTreeMap::new(),
            max_age: Duration::from_mins(5),
        }
    }
}

/// Reads the price of every coin from CoinGecko.
#[derive(Clone, Debug)]
pub struct CoinGeckoReader {
    http: HttpSource,
    ids: BTreeMap<String, String>,
    max_age: Duration,
}

impl CoinGeckoReader {
    pub fn new(config: CoinGeckoConfig) -> Result<Self, SetupError> {
        let CoinGeckoConfig { url, api_key, plan, ids, max_age } = config;
        let key = api_key.as_ref().map(|key| (plan.header(), key.header("")));
        let http = HttpSource::new(url.as_deref().unwrap_or(plan.url()), key)?;
        Ok(Self { http, ids, max_age })
    }

    async fn read_batch(
        &self,
        coins: &[(&String, &String)],
        now: Timestamp,
    ) -> Result<PriceResults, ReadError> {
        let ids: Vec<&str> = coins.iter().map(|(_, id)| id.as_str()).collect();
        let ids = ids.join(",");
        let query = [
            ("ids", ids.as_str()),
            ("vs_currencies", "usd"),
            ("include_last_updated_at", "true"),
            ("precision", "full"),
        ];
        let body = self.http.get("/simple/price", &query).await?;
        let by_id = read(&body, self.max_age, now)?;
        let result = |(coin, id): &(&String, &String)| {
            let result = by_id.get(*id).cloned().unwrap_or_else(|| Err("does not know the coin".to_owned()));
            ((*coin).clone(), result)
        };
        Ok(coins.iter().map(result).collect())
    }
}

#[async_trait]
impl Reader for CoinGeckoReader {
    fn name(&self) -> &'static str {
        "coingecko"
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
