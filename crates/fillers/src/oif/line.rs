use std::time::Duration;

use causeway_outbound::{AnswerError, client_with, words};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Request, Response, Url};
use serde::Deserialize;
use thiserror::Error;

use super::config::{OifConfig, OifError};
use super::read_quotes::tidy;

/// The most that an answer may hold: quotes carry calldata.
const LONGEST_ANSWER: usize = 256 * 1024;

/// Nothing waits longer than this, whatever its deadline.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// What goes wrong on the line to a solver.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(super) enum LineError {
    /// Nobody is there, or cannot answer now.
    #[error("{0}")]
    Unavailable(String),
    /// What came is no answer.
    #[error("{0}")]
    Nonsense(String),
    /// It understood, and will not.
    #[error("{0}")]
    Declined(String),
}

/// The line to one solver.
#[derive(Debug)]
pub(super) struct Line {
    client: Client,
    quotes: Url,
    orders: Url,
    key: Option<HeaderValue>,
}

/// How solvers word an error; the document names none, the public ones have these.
#[derive(Deserialize)]
struct Problem {
    message: Option<String>,
    error: Option<String>,
}

impl Line {
    pub(super) fn new(config: &OifConfig) -> Result<Self, OifError> {
        Ok(Self {
            client: client_with(LONGEST_WAIT, reqwest::ClientBuilder::no_proxy)?,
            quotes: config.place(&["v1", "quotes"])?,
            orders: config.place(&["v1", "orders"])?,
            key: config.api_key.as_ref().map(super::config::ApiKey::bearer).transpose()?,
        })
    }

    pub(super) async fn quote(&self, body: Vec<u8>, deadline: Duration) -> Result<Vec<u8>, LineError> {
        self.call(Method::POST, self.quotes.clone(), Some(body), deadline).await
    }

    pub(super) async fn submit(&self, body: Vec<u8>, deadline: Duration) -> Result<Vec<u8>, LineError> {
        self.call(Method::POST, self.orders.clone(), Some(body), deadline).await
    }

    /// The state of an order by the solver's own name of it.
    pub(super) async fn order(&self, name: &str, deadline: Duration) -> Result<Vec<u8>, LineError> {
        let mut url = self.orders.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.push(name);
        }
        self.call(Method::GET, url, None, deadline).await
    }

    async fn call(
        &self,
        method: Method,
        url: Url,
        body: Option<Vec<u8>>,
        deadline: Duration,
    ) -> Result<Vec<u8>, LineError> {
        let mut request = Request::new(method, url);
        *request.timeout_mut() = Some(deadline.min(LONGEST_WAIT));
        let headers = request.headers_mut();
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        if let Some(body) = body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(body.into());
        }
        let sent = self.client.execute(request).await;
        read(sent.map_err(|error| LineError::Unavailable(words(error)))?).await
    }
}

async fn read(response: Response) -> Result<Vec<u8>, LineError> {
    let status = response.status().as_u16();
    let body = causeway_outbound::body(response, LONGEST_ANSWER).await.map_err(|error| match error {
        AnswerError::TooLong(_) => LineError::Nonsense(error.to_string()),
        AnswerError::Broken(_) => LineError::Unavailable(error.to_string()),
    })?;
    let said = || {
        let problem: Option<Problem> = serde_json::from_slice(&body).ok();
        let said = problem.and_then(|problem| problem.message.or(problem.error));
        said.map_or_else(
            || format!("it answers {status}"),
            |said| format!("it answers {status}: {}", tidy(&said)),
        )
    };
    match status {
        200 => Ok(body),
        300..=399 => Err(LineError::Nonsense(format!("it answers {status}, and redirects are not followed"))),
        // Inputs that cannot satisfy the outputs, or an order that it will not take.
        422 => Err(LineError::Declined(said())),
        // Its own trouble, or ours with it, which may pass.
        401 | 403 | 408 | 425 | 429 | 500.. => Err(LineError::Unavailable(said())),
        _ => Err(LineError::Nonsense(said())),
    }
}
