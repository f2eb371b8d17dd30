use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Request, Response, Url, redirect};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use serde::Serialize;

use crate::response::ApiResponse;
use crate::{Client, Error, Refusal};

/// Far above every valid response. The limit protects the memory of the caller.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

/// An HTTP client that sends these headers with every request.
pub(crate) fn build_client(headers: HeaderMap) -> Result<reqwest::Client, String> {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls().map_err(|error| error.to_string())?)
        .user_agent(concat!("causeway-client/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        // A redirect would send the request, with secrets in its headers, to another host.
        .redirect(redirect::Policy::none())
        .pool_idle_timeout(Duration::from_mins(1))
        .build()
        .map_err(|error| root_cause(&error))
}

/// The crypto provider is explicit, so that the process default does not matter.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    // Without system certificates plain HTTP still works, and HTTPS fails with a certificate error.
    let trusting = builder
        .clone()
        .with_platform_verifier()
        .unwrap_or_else(|_| builder.with_root_certificates(RootCertStore::empty()));
    Ok(trusting.with_no_client_auth())
}

impl Client {
    pub(crate) async fn get(&self, url: Url) -> Result<ApiResponse, Error> {
        self.request(Request::new(Method::GET, url)).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        url: Url,
        body: &impl Serialize,
    ) -> Result<ApiResponse, Error> {
        self.request(with_body(method, url, body)?).await
    }

    pub(crate) async fn request(&self, request: Request) -> Result<ApiResponse, Error> {
        self.with_timeout(async { read(send_request(&self.http, request).await?).await }).await
    }

    /// Sends the request and returns the response head; error responses are read completely.
    pub(crate) async fn open(&self, request: Request) -> Result<Response, Error> {
        self.with_timeout(send_request(&self.http, request)).await
    }

    /// Runs `work` until the timeout or until the caller aborts.
    pub(crate) async fn with_timeout<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
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

async fn send_request(http: &reqwest::Client, request: Request) -> Result<Response, Error> {
    let response = http.execute(request).await.map_err(transport_error)?;
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
    let error = Error::from_response(answer.status, &answer.body, answer.is_plain_text());
    Err(error.with_retry_after(answer.retry_after()))
}

async fn read(mut response: Response) -> Result<ApiResponse, Error> {
    let mut answer = ApiResponse {
        status: response.status().as_u16(),
        headers: std::mem::take(response.headers_mut()),
        body: Vec::new(),
    };
    while let Some(chunk) = response.chunk().await.map_err(transport_error)? {
        if answer.body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(Error::invalid_response(format!(
                "The response is larger than {MAX_RESPONSE_BYTES} bytes."
            )));
        }
        answer.body.extend_from_slice(&chunk);
    }
    Ok(answer)
}

pub(crate) fn transport_error(error: reqwest::Error) -> Error {
    Error::Transport {
        message: format!("The service could not be reached: {}.", root_cause(&error.without_url())),
    }
}

/// The innermost cause has the details; the outer ones only repeat that the request failed.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
