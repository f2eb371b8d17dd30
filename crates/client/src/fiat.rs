use causeway_wire::{
    FiatConfig, FiatOrder, FiatOrderAsk, FiatOrderView, FiatProvider, FiatProviders, FiatQuoteAsk, Page,
};
use futures::Stream;
use reqwest::{Method, Url};

use crate::answers::{FiatOrderAnswer, FiatQuoteAnswer, FiatQuoteLine, FiatStatus};
use crate::http::with_body;
use crate::lines::Lines;
use crate::stream_quotes::read_lines;
use crate::url::Query;
use crate::{Client, Details, Error};

/// Filter and page of a list of purchases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FiatQuery {
    /// Only those with this status.
    pub status: Option<String>,
    /// 20 by default, at most 100.
    pub limit: Option<u32>,
    /// The `cursor` of the previous page.
    pub cursor: Option<u64>,
}

impl Client {
    fn fiat(&self, path: &[&str]) -> Url {
        self.fiat.join(&[&["v1", "fiat"], path].concat())
    }

    /// The on-ramp providers with their capabilities.
    pub async fn fiat_providers(&self) -> Result<Vec<FiatProvider>, Error> {
        let answer = self.get(self.fiat(&["providers"])).await?;
        Ok(answer.json::<FiatProviders>()?.providers)
    }

    /// The capabilities of the fiat API.
    pub async fn fiat_config(&self) -> Result<FiatConfig, Error> {
        self.get(self.fiat(&["config"])).await?.json()
    }

    /// Requests quotes from all providers in parallel. The best quote comes first; failed providers are listed as errors.
    pub async fn fiat_quote(&self, ask: &FiatQuoteAsk) -> Result<FiatQuoteAnswer, Error> {
        self.send(Method::POST, self.fiat(&["quote"]), ask).await?.json()
    }

    /// Like [`Client::fiat_quote`], but streams each answer as it arrives; see [`Client::stream_quotes`].
    pub async fn stream_fiat_quotes(
        &self,
        ask: &FiatQuoteAsk,
    ) -> Result<impl Stream<Item = Result<FiatQuoteLine, Error>> + Send + use<>, Error> {
        let url = Query::default().with("mode", Some("stream")).append_to(self.fiat(&["quote"]));
        let response = self.open(with_body(Method::POST, url, ask)?).await?;
        Ok(read_lines(Lines::new(self.clone(), response), line))
    }

    /// Creates an order from a quote; the same quote twice gives the same order. The payer continues at its `wrapper_url`.
    pub async fn create_fiat_order(&self, ask: &FiatOrderAsk) -> Result<FiatOrderAnswer, Error> {
        self.send_once(Method::POST, self.fiat(&["order"]), ask).await?.json()
    }

    /// The status of a purchase; `force` queries the provider first and is for debugging.
    pub async fn fiat_status(&self, order_id: &str, force: bool) -> Result<FiatStatus, Error> {
        let query = Query::default().with("force", force.then_some(true));
        self.get(query.append_to(self.fiat(&["orders", order_id, "status"]))).await?.json()
    }

    /// A purchase with all its details.
    pub async fn fiat_order(&self, order_id: &str) -> Result<FiatOrderView, Error> {
        self.get(self.fiat(&["order", order_id])).await?.json()
    }

    /// A page of an address' purchases, newest first.
    pub async fn fiat_orders(&self, address: &str, query: &FiatQuery) -> Result<Page<FiatOrder>, Error> {
        let url = Query::default()
            .with("status", query.status.as_deref())
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .append_to(self.fiat(&["orders", "by-address", address]));
        self.get(url).await?.json()
    }
}

fn line(line: &[u8], status: u16) -> Result<FiatQuoteLine, Error> {
    serde_json::from_slice(line).map_err(|error| Error::InvalidResponse {
        message: format!("A line does not match the API schema: {error}."),
        details: Some(Details::new(status, line)),
    })
}
