//! The calls that Transak answers.

use std::sync::Arc;
use std::time::Instant;

use causeway_domain::ports::{RampError, RampToken, RampTokens};
use jiff::{SignedDuration, Timestamp};
use reqwest::StatusCode;

use super::config::TransakConfig;
use super::tokens::{Tokens, may_fetch};
use super::wire::{
    CountryJson, CryptoJson, Data, ErrorJson, FiatJson, OrderJson, QuoteJson, Response, SessionJson,
    SessionRequest, TokenJson, TokenRequest,
};
use crate::secret::SecretText;
use crate::transport::{Answer, Call, Patience, Transport, short};

/// Its list of tokens is long.
const LIST_LIMIT: usize = 8 * 1024 * 1024;

const TOKEN: &str = "access-token";

/// By which its token is shared.
const PROVIDER: &str = "transak";

/// With how many tokens a call is tried: ours, the one that others use, and a new one.
const TRIES: u32 = 3;

/// The way to Transak, with the token that opens it.
pub(super) struct TransakApi {
    config: TransakConfig,
    api: String,
    gateway: String,
    transport: Transport,
    tokens: Tokens,
    /// Where the replicas share their token.
    shelf: Option<Arc<dyn RampTokens>>,
}

impl TransakApi {
    pub(super) fn new(config: TransakConfig, patience: Patience) -> Result<Self, String> {
        let (api, gateway) = (config.api(), config.gateway());
        Ok(Self {
            config,
            api,
            gateway,
            transport: Transport::new(patience)?,
            tokens: Tokens::default(),
            shelf: None,
        })
    }

    pub(super) const fn config(&self) -> &TransakConfig {
        &self.config
    }

    pub(super) async fn coins(&self) -> Result<Vec<CryptoJson>, RampError> {
        let url = format!("{}/cryptocoverage/api/v1/public/crypto-currencies", self.api);
        let list: Response<_> = self.transport.get_json(&Call::get(url).up_to(LIST_LIMIT)).await?;
        Ok(list.response)
    }

    pub(super) async fn fiats(&self) -> Result<Vec<FiatJson>, RampError> {
        let query = query([("apiKey", self.config.api_key.as_str())]);
        let url = format!("{}/api/v2/lookup/currencies/fiat-currencies?{query}", self.gateway);
        let list: Response<_> = self.transport.get_json(&Call::get(url).up_to(LIST_LIMIT)).await?;
        Ok(list.response)
    }

    pub(super) async fn countries(&self) -> Result<Vec<CountryJson>, RampError> {
        let url = format!("{}/api/v2/countries", self.api);
        let list: Response<_> = self.transport.get_json(&Call::get(url).up_to(LIST_LIMIT)).await?;
        Ok(list.response)
    }

    /// A price, or why there is none in Transak's words.
    pub(super) async fn quote(
        &self,
        params: &[(&str, &str)],
    ) -> Result<Result<QuoteJson, String>, RampError> {
        let key = [("partnerApiKey", self.config.api_key.as_str())];
        let query = query(key.into_iter().chain(params.iter().copied()));
        let url = format!("{}/api/v1/pricing/public/quotes?{query}", self.api);
        let answer = self.transport.ask(&Call::get(url)).await?;
        if answer.status.is_success() {
            return Ok(Ok(answer.json::<Response<_>>()?.response));
        }
        keys_are_good(&answer)?;
        let words = answer.json::<ErrorJson>().map(|words| short(&words.error.message));
        Ok(Err(words.unwrap_or_else(|_| format!("it answers {}", answer.status))))
    }

    /// A checkout's address, good for five minutes and one visit.
    pub(super) async fn session(&self, request: &SessionRequest<'_>) -> Result<SessionJson, RampError> {
        let url = format!("{}/api/v2/auth/session", self.gateway);
        // Nothing is bought by a session, so two of them are no harm.
        let call = Call::post(url, request)?.repeatable();
        let answer = self.authorized(&call).await?;
        if !answer.status.is_success() {
            keys_are_good(&answer)?;
            let words = answer.json::<ErrorJson>().map(|words| short(&words.error.message));
            let words = words.unwrap_or_else(|_| answer.status.to_string());
            return Err(RampError::Unavailable(format!("it opens no checkout: {words}")));
        }
        Ok(answer.json::<Data<_>>()?.data)
    }

    /// The purchases that were made under our name for an order.
    pub(super) async fn orders(&self, order: &str, from: Timestamp) -> Result<Vec<OrderJson>, RampError> {
        // Days are the provider's own, wherever it counts them.
        let from = from.checked_sub(SignedDuration::from_hours(24)).unwrap_or(from);
        let day = from.strftime("%Y-%m-%d").to_string();
        let query = query([
            ("limit", "20"),
            ("startDate", day.as_str()),
            ("filter[productsAvailed]", "[\"BUY\"]"),
            ("filter[partnerOrderId]", order),
        ]);
        let call = Call::get(format!("{}/partners/api/v2/orders?{query}", self.api));
        let answer = self.authorized(&call).await?;
        if answer.status == StatusCode::NOT_FOUND {
            return Ok(Vec::new());
        }
        if !answer.status.is_success() {
            keys_are_good(&answer)?;
            return Err(RampError::Unavailable(format!("it answers {}", answer.status)));
        }
        Ok(answer.json::<Data<_>>()?.data)
    }

    /// The keys that may have signed a webhook.
    pub(super) fn webhook_keys(&self) -> Vec<SecretText> {
        self.tokens.all()
    }

    /// Shares tokens with the other replicas.
    pub(super) fn share(&mut self, tokens: Arc<dyn RampTokens>) {
        self.shelf = Some(tokens);
    }

    /// The token that another replica has fetched since, if there is one.
    async fn shared(&self) -> Option<SecretText> {
        let others = self.shelf.as_ref()?;
        match others.ramp_token(PROVIDER).await {
            Ok(shared) => self.tokens.take_over(&shared?, Timestamp::now()),
            Err(error) => {
                tracing::warn!(%error, "the token that others use cannot be read");
                None
            }
        }
    }

    /// Looks whether another replica has fetched a token: webhooks are signed with the newest.
    pub(super) async fn renew(&self) -> Result<(), RampError> {
        let alone = self.tokens.fetching.lock().await;
        let shared = self.shared().await;
        drop(alone);
        if shared.is_some() { Ok(()) } else { self.token().await.map(drop) }
    }

    /// The token that is good: ours, else the one that another replica has fetched, else a new one.
    async fn token(&self) -> Result<SecretText, RampError> {
        if let Some(token) = self.tokens.good(Timestamp::now()) {
            return Ok(token);
        }
        let mut fetched = self.tokens.fetching.lock().await;
        if let Some(token) = self.tokens.good(Timestamp::now()) {
            return Ok(token);
        }
        if let Some(token) = self.shared().await {
            return Ok(token);
        }
        if !may_fetch(&mut fetched, Instant::now()) {
            let words =
                "somebody else who has its keys ends our access tokens; they are fetched again in a while";
            return Err(RampError::Unavailable(words.to_owned()));
        }
        let url = format!("{}/partners/api/v2/refresh-token", self.api);
        let call = Call::post(url, &TokenRequest { api_key: &self.config.api_key })?;
        let call = call.repeatable().secret_header("api-secret", &self.config.api_secret)?;
        let answer = self.transport.ask(&call).await?;
        keys_are_good(&answer)?;
        if !answer.status.is_success() {
            return Err(RampError::Unavailable(format!("it gives no access token: {}", answer.status)));
        }
        let new: Data<TokenJson> = answer.json()?;
        let ends = new.data.expires_at;
        let token = self.tokens.keep(new, Timestamp::now())?;
        if let Some(shelf) = &self.shelf {
            let shared = RampToken { text: token.reveal().to_owned(), ends };
            if let Err(error) = shelf.put_ramp_token(PROVIDER, &shared).await {
                tracing::warn!(%error, "the other replicas do not hear of a new token");
            }
        }
        Ok(token)
    }

    /// Asks with the token, and again with the one that others use by now or a new one, where Transak takes the old one no longer.
    async fn authorized(&self, call: &Call) -> Result<Answer, RampError> {
        let mut tries = 1;
        loop {
            let token = self.token().await?;
            let answer = self.transport.ask(&call.clone().secret_header(TOKEN, &token)?).await?;
            if answer.status != StatusCode::UNAUTHORIZED {
                return Ok(answer);
            }
            self.tokens.refuse(&token);
            if tries == TRIES {
                return Ok(answer);
            }
            tries += 1;
        }
    }
}

/// That it does not know us is for whoever runs the service, not for the payer.
fn keys_are_good(answer: &Answer) -> Result<(), RampError> {
    if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        let words =
            "it does not accept our keys; check them, and that this server's address is allowed there";
        return Err(RampError::Unavailable(words.to_owned()));
    }
    Ok(())
}

fn query<'a>(params: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish()
}
