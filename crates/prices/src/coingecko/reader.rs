use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::wire::read;
use crate::source::{ReadFault, Reader, Words};
use crate::web::{ApiKey, SetupError, Web};

/// How many prices one request asks for, so that its address stays short enough for everybody in between.
const AT_ONCE: usize = 100;

/// Which of its plans an API key is of; each has its own header, and the paid ones an address of their own.
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

    /// Where the plan is served.
    pub const fn url(self) -> &'static str {
        match self {
            Self::Demo => "https://api.coingecko.com/api/v3",
            Self::Pro => "https://pro-api.coingecko.com/api/v3",
        }
    }
}

/// How CoinGecko is asked.
#[derive(Clone, Debug)]
pub struct CoinGeckoConfig {
    /// Everything before `/simple/price`; the plan's own address where there is none.
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

/// Asks CoinGecko for the price of every coin.
#[derive(Clone, Debug)]
pub struct CoinGeckoReader {
    web: Web,
    ids: BTreeMap<String, String>,
    max_age: Duration,
}

impl CoinGeckoReader {
    pub fn new(config: CoinGeckoConfig) -> Result<Self, SetupError> {
        let CoinGeckoConfig { url, api_key, plan, ids, max_age } = config;
        let key = api_key.as_ref().map(|key| (plan.header(), key.header("")));
        let web = Web::new(url.as_deref().unwrap_or(plan.url()), key)?;
        Ok(Self { web, ids, max_age })
    }

    async fn ask(&self, coins: &[(&String, &String)], now: Timestamp) -> Result<Words, ReadFault> {
        let ids: Vec<&str> = coins.iter().map(|(_, id)| id.as_str()).collect();
        let ids = ids.join(",");
        let query = [
            ("ids", ids.as_str()),
            ("vs_currencies", "usd"),
            ("include_last_updated_at", "true"),
            ("precision", "full"),
        ];
        let body = self.web.get("/simple/price", &query).await?;
        let said = read(&body, self.max_age, now)?;
        let word = |(coin, id): &(&String, &String)| {
            let word = said.get(*id).cloned().unwrap_or_else(|| Err("does not know the coin".to_owned()));
            ((*coin).clone(), word)
        };
        Ok(coins.iter().map(word).collect())
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

    async fn read(&self, now: Timestamp) -> Result<Words, ReadFault> {
        let coins: Vec<_> = self.ids.iter().collect();
        let mut words = Words::new();
        for part in coins.chunks(AT_ONCE) {
            words.extend(self.ask(part, now).await?);
        }
        Ok(words)
    }
}
