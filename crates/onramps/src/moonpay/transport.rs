//! The calls that MoonPay answers.

use causeway_domain::ports::RampError;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;

use super::config::MoonPayConfig;
use super::wire::{CountryJson, CurrencyJson, ErrorJson, LimitsJson, QuoteJson, TransactionJson};
use crate::transport::{Answer, Call, Patience, Transport, short};

/// Its list of currencies is long.
const LIST_LIMIT: usize = 8 * 1024 * 1024;

/// What MoonPay answers, or why not in its words.
pub(super) type Told<T> = Result<T, String>;

/// The way to MoonPay.
#[derive(Debug)]
pub(super) struct MoonPayApi {
    config: MoonPayConfig,
    api: String,
    transport: Transport,
}

impl MoonPayApi {
    pub(super) fn new(config: MoonPayConfig, patience: Patience) -> Result<Self, String> {
        let api = config.api();
        Ok(Self { config, api, transport: Transport::new(patience)? })
    }

    pub(super) const fn config(&self) -> &MoonPayConfig {
        &self.config
    }

    pub(super) async fn currencies(&self) -> Result<Vec<CurrencyJson>, RampError> {
        self.transport.get_json(&self.call("/v3/currencies", &[]).up_to(LIST_LIMIT)).await
    }

    pub(super) async fn countries(&self) -> Result<Vec<CountryJson>, RampError> {
        self.transport.get_json(&self.call("/v3/countries", &[]).up_to(LIST_LIMIT)).await
    }

    pub(super) async fn limits(
        &self,
        code: &str,
        params: &[(&str, &str)],
    ) -> Result<Told<LimitsJson>, RampError> {
        self.told(&self.call(&format!("/v3/currencies/{}/limits", segment(code)), params)).await
    }

    pub(super) async fn quote(
        &self,
        code: &str,
        params: &[(&str, &str)],
    ) -> Result<Told<QuoteJson>, RampError> {
        self.told(&self.call(&format!("/v3/currencies/{}/buy_quote", segment(code)), params)).await
    }

    /// The purchases that were made under our name for an order: it cannot promise that there is one only.
    pub(super) async fn transactions(&self, order: &str) -> Result<Vec<TransactionJson>, RampError> {
        let path = format!("/v1/transactions/ext/{}", segment(order));
        let answer = self.transport.ask(&self.call(&path, &[])).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(Vec::new());
        }
        keys_are_good(&answer)?;
        if !answer.status.is_success() {
            return Err(RampError::Unavailable(format!("it answers {}", answer.status)));
        }
        answer.json()
    }

    async fn told<T: DeserializeOwned>(&self, call: &Call) -> Result<Told<T>, RampError> {
        let answer = self.transport.ask(call).await?;
        if answer.status.is_success() {
            return answer.json().map(Ok);
        }
        keys_are_good(&answer)?;
        let words = answer.json::<ErrorJson>().map(|words| short(&words.message));
        Ok(Err(words.unwrap_or_else(|_| format!("it answers {}", answer.status))))
    }

    fn call(&self, path: &str, params: &[(&str, &str)]) -> Call {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("apiKey", &self.config.publishable_key).extend_pairs(params);
        Call::get(format!("{}{path}?{}", self.api, query.finish()))
    }
}

/// That it does not know us is for whoever runs the service, not for the payer.
fn keys_are_good(answer: &Answer) -> Result<(), RampError> {
    if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return Err(RampError::Unavailable("it does not accept our keys; check them".to_owned()));
    }
    Ok(())
}

/// A piece of a path that stays one piece.
fn segment(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}
