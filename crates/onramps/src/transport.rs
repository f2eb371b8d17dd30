//! How every provider elsewhere is asked: bounded in time and length, JSON only, without following anybody anywhere.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use causeway_domain::ports::RampError;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http;
use crate::secret::SecretText;

/// The most that an answer may hold, unless a call says otherwise.
const ANSWER_LIMIT: usize = 256 * 1024;

/// How long a provider may ask us to stay away.
const LONGEST_QUIET: Duration = Duration::from_mins(10);

/// What a transport lets a provider take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For one call, with all of its repetitions.
    pub total: Duration,
    /// How often a call that may be repeated is sent.
    pub attempts: u32,
    /// The wait before the second attempt; it doubles from then on.
    pub first_wait: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { total: Duration::from_secs(8), attempts: 3, first_wait: Duration::from_millis(250) }
    }
}

/// One question to a provider.
#[derive(Clone)]
pub struct Call {
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    repeatable: bool,
    limit: usize,
}

impl Call {
    /// Reading changes nothing, so it may be repeated.
    pub fn get(url: String) -> Self {
        Self {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            body: None,
            repeatable: true,
            limit: ANSWER_LIMIT,
        }
    }

    /// Sent once, unless [`Call::repeatable`] says that a second one does no harm.
    pub fn post(url: String, body: &impl Serialize) -> Result<Self, RampError> {
        let body = serde_json::to_vec(body).map_err(|error| RampError::Nonsense(error.to_string()))?;
        let mut call = Self { method: Method::POST, body: Some(body), repeatable: false, ..Self::get(url) };
        call.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(call)
    }

    /// Sending it twice is the same as sending it once.
    #[must_use]
    pub fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }

    /// For the long lists that some providers have.
    #[must_use]
    pub fn up_to(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Adds a header whose value reaches no log.
    pub fn secret_header(mut self, name: &'static str, secret: &SecretText) -> Result<Self, RampError> {
        let mut value = HeaderValue::from_str(secret.reveal())
            .map_err(|_| RampError::Unavailable("its key has characters that no header takes".to_owned()))?;
        value.set_sensitive(true);
        self.headers.insert(HeaderName::from_static(name), value);
        Ok(self)
    }
}

impl fmt::Debug for Call {
    /// Without the query and the headers: keys stand in both.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url.split('?').next().unwrap_or_default())
    }
}

/// What a provider said: good, or no with its reasons. Both are JSON.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads the body; what does not fit is the provider's fault.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, RampError> {
        serde_json::from_slice(&self.body).map_err(|error| RampError::Nonsense(error.to_string()))
    }
}

/// A way to one provider. It remembers when the provider asked to be left alone.
pub struct Transport {
    client: Client,
    patience: Patience,
    quiet_until: Mutex<Option<Instant>>,
}

/// What became of one attempt.
enum Tried {
    Answered(Answer),
    /// Worth another attempt, perhaps only after a while.
    Again {
        error: RampError,
        after: Option<Duration>,
    },
    Over(RampError),
}

impl Transport {
    pub fn new(patience: Patience) -> Result<Self, String> {
        let client = http::client(patience.total)?;
        Ok(Self { client, patience, quiet_until: Mutex::default() })
    }

    /// Asks; answers of 2xx and 4xx come back, everything else is an error that says whose fault it is.
    pub async fn ask(&self, call: &Call) -> Result<Answer, RampError> {
        let over = Instant::now() + self.patience.total;
        self.check_quiet()?;
        let mut wait = self.patience.first_wait;
        let mut attempt = 1;
        loop {
            let left = over.saturating_duration_since(Instant::now());
            let tried = match tokio::time::timeout(left, self.try_once(call)).await {
                Ok(tried) => tried,
                Err(_) => Tried::Over(late(self.patience.total)),
            };
            let (error, after) = match tried {
                Tried::Answered(answer) => return Ok(answer),
                Tried::Over(error) => return Err(error),
                Tried::Again { error, after } => (error, after),
            };
            let pause = after.unwrap_or_else(|| jittered(wait));
            let too_late = Instant::now() + pause >= over;
            if let Some(after) = after.filter(|_| too_late) {
                self.stay_quiet(after);
            }
            if too_late || !call.repeatable || attempt >= self.patience.attempts {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            wait = wait.saturating_mul(2);
            attempt += 1;
        }
    }

    /// Asks for something that must be there.
    pub async fn get_json<T: DeserializeOwned>(&self, call: &Call) -> Result<T, RampError> {
        let answer = self.ask(call).await?;
        if !answer.status.is_success() {
            return Err(RampError::Unavailable(format!("it answers {} to {call:?}", answer.status)));
        }
        answer.json()
    }

    async fn try_once(&self, call: &Call) -> Tried {
        let mut request = self.client.request(call.method.clone(), &call.url).headers(call.headers.clone());
        request = request.header(header::ACCEPT, "application/json");
        if let Some(body) = &call.body {
            request = request.body(body.clone());
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                // The address may hold a key.
                let error = RampError::Unavailable(error.without_url().to_string());
                return Tried::Again { error, after: None };
            }
        };
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get(header::LOCATION).and_then(|to| to.to_str().ok());
            let host = to.and_then(host).unwrap_or("elsewhere");
            return Tried::Over(RampError::Nonsense(format!("it sends us to {}", short(host))));
        }
        if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
            let after = retry_after(response.headers());
            return Tried::Again { error: RampError::Unavailable(format!("it answers {status}")), after };
        }
        let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        let is_json =
            kind.split(';').next().is_some_and(|kind| kind.ends_with("/json") || kind.ends_with("+json"));
        if !is_json {
            let words = format!("it answers {status} with `{}` where JSON was expected", short(&kind));
            return Tried::Over(RampError::Nonsense(words));
        }
        match http::body_up_to(response, call.limit).await {
            Ok(body) => Tried::Answered(Answer { status, body }),
            Err(words) => Tried::Over(RampError::Unavailable(words)),
        }
    }

    fn check_quiet(&self) -> Result<(), RampError> {
        let until = self.quiet_until.lock().ok().and_then(|until| *until);
        let left = until.and_then(|until| until.checked_duration_since(Instant::now()));
        left.map_or(Ok(()), |left| {
            let words = format!("it asked to be left alone for another {} s", left.as_secs() + 1);
            Err(RampError::Unavailable(words))
        })
    }

    fn stay_quiet(&self, after: Duration) {
        if let Ok(mut until) = self.quiet_until.lock() {
            *until = Some(Instant::now() + after.min(LONGEST_QUIET));
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transport").field("patience", &self.patience).finish_non_exhaustive()
    }
}

fn late(total: Duration) -> RampError {
    RampError::Unavailable(format!("no answer within {} ms", total.as_millis()))
}

/// Between a half and the whole, so that many do not come back at once.
fn jittered(wait: Duration) -> Duration {
    let random = u32::try_from(RandomState::new().hash_one(wait) % 1_000).unwrap_or(0);
    let half = wait / 2;
    half + half.saturating_mul(random) / 1_000
}

/// Seconds; the form with a date is not used by anybody here.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_QUIET))
}

/// The origin of an absolute address, without a path or a query.
pub fn origin(url: &str) -> Option<&str> {
    let start = url.find("://")? + 3;
    let end = url.get(start..)?.find(['/', '?', '#']).map_or(url.len(), |end| start + end);
    url.get(..end)
}

fn host(url: &str) -> Option<&str> {
    origin(url)?.split_once("://").map(|(_, host)| host)
}

/// A provider's words, cut to what a log takes.
pub fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(160).collect()
}

/// Checks that a checkout lies at one of the provider's own origins, and gives it a path, so that its origin is plain to see.
pub fn own_page(url: &str, origins: &[String]) -> Result<String, RampError> {
    let found = origin(url).filter(|found| origins.iter().any(|own| own == found));
    let Some(found) = found else {
        return Err(RampError::Nonsense("its checkout lies at another origin".to_owned()));
    };
    let rest = url.get(found.len()..).unwrap_or_default();
    Ok(if rest.starts_with('/') { url.to_owned() } else { format!("{found}/{rest}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_elsewhere_is_refused() {
        let origins = vec!["https://pay.example".to_owned()];
        let good = [
            ("https://pay.example/x?y", "https://pay.example/x?y"),
            ("https://pay.example?y=1", "https://pay.example/?y=1"),
            ("https://pay.example", "https://pay.example/"),
        ];
        for (url, page) in good {
            assert_eq!(own_page(url, &origins).as_deref(), Ok(page));
        }
        for url in
            ["https://pay.example.evil/x", "https://pay.example@evil/x", "http://pay.example/", "//x", ""]
        {
            assert!(own_page(url, &origins).is_err(), "{url}");
        }
    }

    #[test]
    fn keys_in_a_call_reach_no_log() {
        let call = Call::get("https://api.example/v1?apiKey=pk_1".to_owned())
            .secret_header("authorization", &SecretText::new("sk_1"))
            .unwrap();
        assert_eq!(format!("{call:?}"), "GET https://api.example/v1");
    }
}
