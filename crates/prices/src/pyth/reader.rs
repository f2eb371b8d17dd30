use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;

use super::wire::{Judge, plain, read};
use crate::source::{ReadFault, Reader, Words};
use crate::web::{ApiKey, SetupError, Web};

/// How many prices one request asks for.
const AT_ONCE: usize = 100;

/// How Hermes is asked.
#[derive(Clone, Debug)]
pub struct PythConfig {
    /// Everything before `/v2/updates/price/latest`.
    pub url: String,
    pub api_key: Option<ApiKey>,
    /// The price id of each coin.
    pub ids: BTreeMap<String, String>,
    pub max_age: Duration,
    /// How unsure Pyth may be of a price, in millionths of it.
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

/// Asks Hermes for the latest price of every id.
#[derive(Clone, Debug)]
pub struct PythReader {
    web: Web,
    ids: BTreeMap<String, String>,
    max_age: Duration,
    max_confidence: u32,
}

impl PythReader {
    pub fn new(config: PythConfig) -> Result<Self, SetupError> {
        let key = config.api_key.as_ref().map(|key| ("authorization", key.header("Bearer ")));
        let web = Web::new(&config.url, key)?;
        let id = |(coin, id): (String, String)| {
            let plain = plain(&id);
            let good = plain.len() == 64 && plain.bytes().all(|byte| byte.is_ascii_hexdigit());
            if good { Ok((coin, plain)) } else { Err(SetupError::PythId(id)) }
        };
        let ids = config.ids.into_iter().map(id).collect::<Result<_, _>>()?;
        Ok(Self { web, ids, max_age: config.max_age, max_confidence: config.max_confidence })
    }

    async fn ask(&self, coins: &[(&String, &String)], now: Timestamp) -> Result<Words, ReadFault> {
        let mut query: Vec<(&str, &str)> = coins.iter().map(|(_, id)| ("ids[]", id.as_str())).collect();
        // One id that Pyth has given up must not cost all others their price.
        query.extend([("parsed", "true"), ("encoding", "hex"), ("ignore_invalid_price_ids", "true")]);
        let body = self.web.get("/v2/updates/price/latest", &query).await?;
        let judge = Judge { max_age: self.max_age, max_confidence: self.max_confidence, now };
        let said = read(&body, judge)?;
        let word = |(coin, id): &(&String, &String)| {
            let word = said.get(*id).cloned().unwrap_or_else(|| Err("left its price out".to_owned()));
            ((*coin).clone(), word)
        };
        Ok(coins.iter().map(word).collect())
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

    async fn read(&self, now: Timestamp) -> Result<Words, ReadFault> {
        let coins: Vec<_> = self.ids.iter().collect();
        let mut words = Words::new();
        for part in coins.chunks(AT_ONCE) {
            words.extend(self.ask(part, now).await?);
        }
        Ok(words)
    }
}
