use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Request, Response, Url, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use serde::Serialize;

use crate::answer::Answer;
use crate::{Client, Error, Refusal};

/// No answer of the contract comes near this; a larger one must not fill the caller's memory.
const LARGEST_ANSWER: usize = 32 * 1024 * 1024;

/// Connections with these headers on every request.
pub(crate) fn connections(headers: HeaderMap) -> Result<reqwest::Client, String> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls().map_err(|error| error.to_string())?)
        .user_agent(concat!("causeway-client/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        // A redirect would carry the request, and perhaps a key in its headers, to a stranger.
        .redirect(redirect::Policy::none())
        .pool_idle_timeout(Duration::from_mins(1))
        .build()
        .map_err(|error| innermost(&error))
}

/// The provider is named here, so that it does not matter what the rest of the process has installed.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    // Without the system's certificates plain HTTP still works, and HTTPS says whom it does not trust.
    let trusting = builder
        .clone()
        .with_platform_verifier()
        .unwrap_or_else(|_| builder.with_root_certificates(RootCertStore::empty()));
    Ok(trusting.with_no_client_auth())
}

impl Client {
    pub(crate) async fn get(&self, url: Url) -> Result<Answer, Error> {
        self.ask(Request::new(Method::GET, url)).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        url: Url,
        body: &impl Serialize,
    ) -> Result<Answer, Error> {
        self.ask(with_body(method, url, body)?).await
    }

    pub(crate) async fn ask(&self, request: Request) -> Result<Answer, Error> {
        self.within(async { read(begin(&self.http, request).await?).await }).await
    }

    /// Sends the request and returns the answer's head; a refusal is read to its end.
    pub(crate) async fn open(&self, request: Request) -> Result<Response, Error> {
        self.within(begin(&self.http, request)).await
    }

    /// Waits for `work` until the time is over or the caller aborts; a caller who already has is not kept waiting.
    pub(crate) async fn within<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Error::ApiAborted),
            done = tokio::time::timeout(self.timeout, work) => {
                done.unwrap_or(Err(Error::ApiTimeout { after: self.timeout }))
            }
        }
    }

    /// Sleeps, unless the caller aborts.
    pub(crate) async fn pause(&self, duration: Duration) -> Result<(), Error> {
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Error::ApiAborted),
            () = tokio::time::sleep(duration) => Ok(()),
        }
    }
}

pub(crate) fn with_body(method: Method, url: Url, body: &impl Serialize) -> Result<Request, Error> {
    let json = serde_json::to_vec(body).map_err(|error| Error::Transport { message: error.to_string() })?;
    let mut request = Request::new(method, url);
    request.headers_mut().insert(CONTENT_TYPE, reqwest::header::HeaderValue::from_static("application/json"));
    *request.body_mut() = Some(json.into());
    Ok(request)
}

async fn begin(http: &reqwest::Client, request: Request) -> Result<Response, Error> {
    let response = http.execute(request).await.map_err(broken)?;
    if response.status().is_success() {
        return Ok(response);
    }
    if let Some(to) = response.headers().get(LOCATION).filter(|_| response.status().is_redirection()) {
        let to = String::from_utf8_lossy(to.as_bytes());
        let message = format!("The service sends its callers on to {to}. Configure the address where it is.");
        let answer = read(response).await?;
        return Err(Error::Service(Refusal { message, details: answer.details() }));
    }
    let answer = read(response).await?;
    let refused = Error::refused(answer.status, &answer.body, answer.is_plain_text());
    Err(refused.with_retry_after(answer.retry_after()))
}

async fn read(mut response: Response) -> Result<Answer, Error> {
    let mut answer = Answer {
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body: Vec::new(),
    };
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if answer.body.len() + chunk.len() > LARGEST_ANSWER {
            return Err(Error::unlike(format!("The answer is larger than {LARGEST_ANSWER} bytes.")));
        }
        answer.body.extend_from_slice(&chunk);
    }
    Ok(answer)
}

pub(crate) fn broken(error: reqwest::Error) -> Error {
    Error::Transport {
        message: format!("The service could not be reached: {}.", innermost(&error.without_url())),
    }
}

/// The innermost cause says what happened; the outer ones only repeat that something did.
fn innermost(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
