use std::future::Future;
use std::time::Duration;

use causeway_http_client::{ResponseError, client_without_timeout, read_body, root_cause};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Request, Response, Url};
use serde::Serialize;

use crate::client::IDEMPOTENCY_KEY;
use crate::response::ApiResponse;
use crate::{Client, Error, Refusal};

/// Far above every valid response. The limit protects the memory of the caller.
const MAX_RESPONSE_BYTES: usize = 32 * 1024 * 1024;

/// An HTTP client that sends these headers with every request.
pub(crate) fn build_client(headers: HeaderMap) -> Result<reqwest::Client, String> {
    let client = client_without_timeout(|builder| {
        builder
            .user_agent(concat!("causeway-client/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            // Servers close idle connections, ours after 15 s; a request that meets that moment would fail.
            .pool_idle_timeout(Duration::from_secs(10))
    });
    client.map_err(|error| error.reason().to_owned())
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

    /// Like [`Self::send`], with the client's idempotency key.
    pub(crate) async fn send_once(
        &self,
        method: Method,
        url: Url,
        body: &impl Serialize,
    ) -> Result<ApiResponse, Error> {
        let mut request = with_body(method, url, body)?;
        if let Some(key) = &self.idempotency_key {
            request.headers_mut().insert(IDEMPOTENCY_KEY, key.clone());
        }
        self.request(request).await
    }

    pub(crate) async fn request(&self, request: Request) -> Result<ApiResponse, Error> {
        self.with_timeout(async { read(send_request(&self.http, request).await?).await }).await
    }

    /// Reads an image. Another origin than the service's gets a plain request, because no header of the caller is meant for it.
    pub(crate) async fn get_image(&self, url: Url) -> Result<ApiResponse, Error> {
        let is_own = url.origin() == self.base.as_url().origin();
        let http = if is_own { &self.http } else { &self.plain_http };
        let request = Request::new(Method::GET, url);
        self.with_timeout(async { read(send_request(http, request).await?).await }).await
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
        let message = format!("The service redirects to {to}. Configure the base URL without the redirect.");
        let answer = read(response).await?;
        return Err(Error::Service(Refusal { message, details: answer.details() }));
    }
    let answer = read(response).await?;
    let error = Error::from_response(answer.status, &answer.body, answer.is_plain_text());
    Err(error.with_retry_after(answer.retry_after()))
}

async fn read(mut response: Response) -> Result<ApiResponse, Error> {
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let body = read_body(response, MAX_RESPONSE_BYTES).await.map_err(|error| match error {
        ResponseError::TooLong(limit) => {
            Error::invalid_response(format!("The response is larger than {limit} bytes."))
        }
        ResponseError::Interrupted(error) => transport_error(error),
    })?;
    Ok(ApiResponse { status, headers, body })
}

pub(crate) fn transport_error(error: reqwest::Error) -> Error {
    Error::Transport { message: format!("The service could not be reached: {}.", root_cause(error)) }
}
