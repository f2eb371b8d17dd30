use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alloy_primitives::hex;
use causeway_outbound::{AnswerError, client_with, words};
use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Method, Request, Response, Url};

use super::config::{RemoteConfig, RemoteError, place};
use super::secret::{DEADLINE, NONCE, SIGNATURE, Secret, TIMESTAMP};

/// The most that an answer may hold.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Connections that are kept while nobody uses them, for a burst of quotes.
const IDLE: usize = 256;
const IDLE_FOR: Duration = Duration::from_secs(55);

/// Nothing waits longer than this, whatever its deadline.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Whoever asks gives up at the deadline and counts that; this is for those who do not.
const LINGER: Duration = Duration::from_millis(100);

/// How much of an unwanted answer is told.
const SHOWN: usize = 120;

/// What goes wrong on the line to a filler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LineError {
    /// Nobody is there, or cannot answer now.
    Unavailable(String),
    /// What came is no answer of this filler to this call.
    Nonsense(String),
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unavailable(words) | Self::Nonsense(words)) = self;
        f.write_str(words)
    }
}

/// One of the two calls.
#[derive(Debug)]
struct Place {
    url: Url,
    path: String,
}

impl Place {
    fn new(url: &str, segment: &str) -> Result<Self, RemoteError> {
        let url = place(url, segment)?;
        Ok(Self { path: url.path().to_owned(), url })
    }
}

/// Which call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    Quote,
    Order,
}

/// The line to one filler: signs what goes out, and lets in only what the filler signed for that very call.
pub(super) struct Line {
    client: Client,
    secret: Secret,
    quote: Place,
    orders: Place,
    nonces: Nonces,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("host", &self.quote.url.host_str()).finish_non_exhaustive()
    }
}

impl Line {
    pub(super) fn new(config: &RemoteConfig) -> Result<Self, RemoteError> {
        // One request at a time on each connection costs less than many on one when both ends are busy.
        let client = client_with(LONGEST_WAIT, |usual| {
            usual.http1_only().no_proxy().pool_max_idle_per_host(IDLE).pool_idle_timeout(IDLE_FOR)
        })?;
        Ok(Self {
            client,
            secret: config.secret.clone(),
            quote: Place::new(&config.url, "quote")?,
            orders: Place::new(&config.url, "orders")?,
            nonces: Nonces::new()?,
        })
    }

    /// Makes a call, and returns the body of a signed 200.
    pub(super) async fn call(
        &self,
        kind: CallKind,
        body: Vec<u8>,
        deadline: Duration,
    ) -> Result<Vec<u8>, LineError> {
        let nonce = self.nonces.next();
        let request = self.request(kind, &nonce, body, deadline);
        let sent = self.client.execute(request).await;
        let response = sent.map_err(|error| LineError::Unavailable(words(error)))?;
        self.read(response, &nonce).await
    }

    fn request(&self, kind: CallKind, nonce: &str, body: Vec<u8>, deadline: Duration) -> Request {
        let place = match kind {
            CallKind::Quote => &self.quote,
            CallKind::Order => &self.orders,
        };
        let timestamp = Timestamp::now().as_second().to_string();
        let signature = self.secret.sign_request(&timestamp, nonce, &place.path, &body);
        let mut request = Request::new(Method::POST, place.url.clone());
        *request.timeout_mut() = Some(deadline.saturating_add(LINGER).min(LONGEST_WAIT));
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(HeaderName::from_static(DEADLINE), HeaderValue::from(millis(deadline)));
        for (name, text) in [(TIMESTAMP, timestamp.as_str()), (NONCE, nonce), (SIGNATURE, &signature)] {
            // Digits and hex always make a value.
            if let Ok(value) = HeaderValue::from_str(text) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
        *request.body_mut() = Some(body.into());
        request
    }

    async fn read(&self, response: Response, nonce: &str) -> Result<Vec<u8>, LineError> {
        let status = response.status().as_u16();
        let nonsense = |words: String| Err(LineError::Nonsense(words));
        if response.content_length().is_some_and(|length| length > LONGEST_ANSWER as u64) {
            return nonsense(format!("its answer is longer than {LONGEST_ANSWER} bytes"));
        }
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let is_json = header(CONTENT_TYPE.as_str()).is_some_and(is_json);
        let signature = header(SIGNATURE).unwrap_or_default().to_owned();
        let body = causeway_outbound::body(response, LONGEST_ANSWER).await.map_err(|error| match error {
            AnswerError::TooLong(_) => {
                LineError::Nonsense(format!("its answer is longer than {LONGEST_ANSWER} bytes"))
            }
            AnswerError::Broken(_) => LineError::Unavailable(error.to_string()),
        })?;
        match status {
            200 => {}
            300..400 => return nonsense(format!("it answers {status}, and redirects are not followed")),
            // Its own trouble, or ours with it, which may pass.
            429 | 500.. => {
                return Err(LineError::Unavailable(format!("it answers {status}: {}", shown(&body))));
            }
            _ => return nonsense(format!("it answers {status}: {}", shown(&body))),
        }
        if !is_json {
            return nonsense(format!("its answer is not application/json: {}", shown(&body)));
        }
        if !self.secret.has_signed_answer(nonce, status, &body, &signature) {
            let words =
                "its answer is not signed for this call: an answer to another call, or another secret";
            return nonsense(words.to_owned());
        }
        Ok(body)
    }
}

fn is_json(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The beginning of an answer, for the log.
fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..SHOWN).unwrap_or(body));
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Names for calls: eight random bytes of this process, and a number.
struct Nonces {
    process: String,
    last: AtomicU64,
}

impl Nonces {
    fn new() -> Result<Self, RemoteError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes).map_err(|error| RemoteError::Random(error.to_string()))?;
        Ok(Self { process: hex::encode(bytes), last: AtomicU64::new(0) })
    }

    fn next(&self) -> String {
        format!("{}{:016x}", self.process, self.last.fetch_add(1, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_calls_have_the_same_name() {
        let (here, elsewhere) = (Nonces::new().unwrap(), Nonces::new().unwrap());
        let names: std::collections::HashSet<_> =
            (0..100).flat_map(|_| [here.next(), elsewhere.next()]).collect();
        assert_eq!(names.len(), 200);
        assert!(names.iter().all(|name| name.len() == 32));
    }

    #[test]
    fn json_is_told_by_its_type_alone() {
        for kind in ["application/json", "Application/JSON; charset=utf-8"] {
            assert!(is_json(kind), "{kind}");
        }
        for kind in ["text/html", "application/jsonp", "", "text/json"] {
            assert!(!is_json(kind), "{kind}");
        }
    }
}
