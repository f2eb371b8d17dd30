use causeway_wire::{
    FiatConfig, FiatErrorCode, FiatOrder, FiatOrderAnswer, FiatOrderAsk, FiatOrderView, FiatProvider,
    FiatProviderError, FiatProviders, FiatQuoteAnswer, FiatQuoteAsk, FiatQuoteLine, FiatStatus, Page,
};
use futures::Stream;
use reqwest::{Method, Url};
use serde::Deserialize as _;
use serde_json::Value;

use crate::address::Query;
use crate::http::with_body;
use crate::lines::Lines;
use crate::stream_quotes::read_lines;
use crate::{Client, Details, Error};

/// The numbers of refusals, by the part of a purchase that they belong to.
const QUOTE: &str = "SVC6001";
const ORDER: &str = "SVC6002";
const STATUS: &str = "SVC6003";
const PROVIDER: &str = "SVC6004";
const AMOUNT: &str = "SVC6005";

/// Which of an address' purchases, and which page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FiatQuery {
    /// Only those with this status.
    pub status: Option<String>,
    /// 20 unless told, at most 100.
    pub limit: Option<u32>,
    /// The `cursor` of the page before.
    pub cursor: Option<u64>,
}

impl Client {
    fn fiat(&self, path: &[&str]) -> Url {
        self.fiat.join(&[&["v1", "fiat"], path].concat())
    }

    /// Who sells, what, and for which money.
    pub async fn fiat_providers(&self) -> Result<Vec<FiatProvider>, Error> {
        let answer = self.get(self.fiat(&["providers"])).await.map_err(|error| numbered(error, PROVIDER))?;
        Ok(answer.json::<FiatProviders>()?.providers)
    }

    /// What the fiat API can do.
    pub async fn fiat_config(&self) -> Result<FiatConfig, Error> {
        self.get(self.fiat(&["config"])).await.map_err(|error| numbered(error, PROVIDER))?.json()
    }

    /// Asks every provider at once; the quotes come best output first, with the providers that have none beside them.
    pub async fn fiat_quote(&self, ask: &FiatQuoteAsk) -> Result<FiatQuoteAnswer, Error> {
        let sent = self.send(Method::POST, self.fiat(&["quote"]), ask).await;
        sent.map_err(|error| numbered(error, QUOTE))?.json()
    }

    /// Asks every provider at once and yields each answer the moment it comes, as [`Client::stream_quotes`] does.
    pub async fn stream_fiat_quotes(
        &self,
        ask: &FiatQuoteAsk,
    ) -> Result<impl Stream<Item = Result<FiatQuoteLine, Error>> + Send + use<>, Error> {
        let url = Query::default().with("mode", Some("stream")).onto(self.fiat(&["quote"]));
        let opened = self.open(with_body(Method::POST, url, ask)?).await;
        let response = opened.map_err(|error| numbered(error, QUOTE))?;
        Ok(read_lines(Lines::new(self.clone(), response), line))
    }

    /// Takes a quote; the same quote twice gives the same order. The payer goes on at its `wrapper_url`.
    pub async fn create_fiat_order(&self, ask: &FiatOrderAsk) -> Result<FiatOrderAnswer, Error> {
        let sent = self.send(Method::POST, self.fiat(&["order"]), ask).await;
        sent.map_err(|error| numbered(error, ORDER))?.json()
    }

    /// How far a purchase has come; `force` asks the provider first, and is for debugging.
    pub async fn fiat_status(&self, order_id: &str, force: bool) -> Result<FiatStatus, Error> {
        let query = Query::default().with("force", force.then_some(true));
        let asked = self.get(query.onto(self.fiat(&["orders", order_id, "status"]))).await;
        asked.map_err(|error| numbered(error, STATUS))?.json()
    }

    /// A purchase with everything that is known of it.
    pub async fn fiat_order(&self, order_id: &str) -> Result<FiatOrderView, Error> {
        let asked = self.get(self.fiat(&["order", order_id])).await;
        asked.map_err(|error| numbered(error, STATUS))?.json()
    }

    /// A page of an address' purchases, newest first.
    pub async fn fiat_orders(&self, address: &str, query: &FiatQuery) -> Result<Page<FiatOrder>, Error> {
        let url = Query::default()
            .with("status", query.status.as_deref())
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .onto(self.fiat(&["orders", "by-address", address]));
        self.get(url).await.map_err(|error| numbered(error, STATUS))?.json()
    }
}

fn line(line: &[u8], status: u16) -> Result<FiatQuoteLine, Error> {
    serde_json::from_slice(line).map_err(|error| Error::InvalidResponse {
        message: format!("A line is not what the contract says: {error}."),
        details: Some(Details::new(status, line)),
    })
}

/// A refusal by the number of its part; what is none, such as a time-out, stays as it is.
fn numbered(error: Error, code: &'static str) -> Error {
    let transport = matches!(error, Error::InvalidResponse { .. });
    let Some(details) = error.details().filter(|_| !transport) else { return error };
    let named = FiatErrorCode::deserialize(&details.body["error"]["code"]).ok();
    let code = match named {
        Some(FiatErrorCode::ProviderDisabled | FiatErrorCode::ProviderUnavailable) => PROVIDER,
        Some(FiatErrorCode::NoRoute) if out_of_range(&details.body["details"]) => AMOUNT,
        _ => code,
    };
    Error::Fiat { code, refusal: Box::new(error) }
}

/// Whether every provider would sell, and only not for this amount.
fn out_of_range(details: &Value) -> bool {
    let errors = Vec::<FiatProviderError>::deserialize(&details["errors"]).unwrap_or_default();
    !errors.is_empty() && errors.iter().all(|error| error.code == "AMOUNT_OUT_OF_RANGE")
}
