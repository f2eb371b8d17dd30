use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;

use crate::config::EndpointConfig;
use crate::dialect::{Dialect, ErrorKind};
use crate::fault::Fault;
use crate::health::Health;
use crate::http::Http;
use crate::rate_limiter::RateLimiter;
use crate::url::RpcUrl;
use crate::wire::{Answers, Call, ErrorObject, body, invalid_response, read_answers, shorten};

/// How long an endpoint that served another chain is not used.
const WRONG_CHAIN_PAUSE: Duration = Duration::from_mins(1);

/// The state of an endpoint, for dashboards and checks.
#[derive(Clone, Debug)]
pub struct EndpointStatus {
    /// Scheme, host and port only.
    pub address: String,
    /// Zero when healthy; it decays with time.
    pub penalty: u64,
    pub lagging: bool,
    /// Whether it serves the right chain; `None` before it was checked.
    pub serves_chain: Option<bool>,
    /// The newest block it had when it was last probed.
    pub head: Option<u64>,
    pub trusted: bool,
}

/// What every request of a pool shares.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) http: Http,
    pub(crate) dialect: Box<dyn Dialect>,
    pub(crate) timeout: Duration,
    pub(crate) response_bytes: usize,
}

/// An endpoint's reply to one call: a result or the chain's refusal, or else its fault.
pub(crate) type Reply = Result<Result<Box<RawValue>, ErrorObject>, Fault>;

#[derive(Debug)]
pub(crate) struct Endpoint {
    url: RpcUrl,
    trusted: bool,
    slots: Semaphore,
    rate_limiter: Mutex<RateLimiter>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    health: Health,
    serves_chain: Option<bool>,
    /// While it is known to serve another chain.
    paused_until: Option<Instant>,
    head: Option<u64>,
    /// The maximum calls in one request, lowered when the endpoint rejects a batch.
    batch_calls: usize,
}

impl Endpoint {
    pub(crate) fn new(config: EndpointConfig) -> Self {
        let state = State {
            health: Health::new(Instant::now()),
            serves_chain: None,
            paused_until: None,
            head: None,
            batch_calls: usize::MAX,
        };
        Self {
            url: config.url,
            trusted: config.trusted,
            slots: Semaphore::new(config.in_flight.get().min(Semaphore::MAX_PERMITS)),
            rate_limiter: Mutex::new(RateLimiter::new(config.calls_per_second)),
            state: Mutex::new(state),
        }
    }

    pub(crate) const fn url(&self) -> &RpcUrl {
        &self.url
    }

    pub(crate) const fn is_trusted(&self) -> bool {
        self.trusted
    }

    /// Its rank among the endpoints; `None` while it is known to serve another chain.
    pub(crate) fn rank(&self, now: Instant) -> Option<impl Ord + use<>> {
        let state = self.state.lock();
        let paused = state.paused_until.is_some_and(|until| until > now);
        (!paused).then(|| state.health.rank(now))
    }

    pub(crate) fn is_backing_off(&self, now: Instant) -> bool {
        self.state.lock().health.is_backing_off(now)
    }

    pub(crate) fn status(&self) -> EndpointStatus {
        let state = self.state.lock();
        EndpointStatus {
            address: self.url.to_string(),
            penalty: state.health.penalty_at(Instant::now()),
            lagging: state.health.is_lagging(),
            serves_chain: state.serves_chain,
            head: state.head,
            trusted: self.trusted,
        }
    }

    pub(crate) fn batch_calls(&self) -> usize {
        self.state.lock().batch_calls.max(1)
    }

    /// Records that a batch of `calls` was too long.
    pub(crate) fn batch_was_too_long(&self, calls: usize) {
        let mut state = self.state.lock();
        state.batch_calls = state.batch_calls.min(calls / 2);
    }

    pub(crate) fn succeeded(&self, took: Duration) {
        self.state.lock().health.succeeded(took, Instant::now());
    }

    pub(crate) fn failed(&self, fault: &Fault) {
        tracing::debug!(endpoint = %self.url, fault = %self.redacted(fault), "RPC endpoint failed");
        let now = Instant::now();
        let mut state = self.state.lock();
        let retry_after = if let Fault::RateLimited(wait) = fault { *wait } else { None };
        state.health.failed(fault.weight(), retry_after, now);
        if fault.invalidates_chain_check() {
            state.serves_chain = None;
        }
        if let Fault::WrongChain(found) = fault {
            state.serves_chain = Some(false);
            state.paused_until = now.checked_add(WRONG_CHAIN_PAUSE);
            tracing::warn!(endpoint = %self.url, found, "RPC endpoint serves another chain, paused");
        }
    }

    /// The fault in words without keys: servers may echo the request.
    pub(crate) fn redacted(&self, fault: &Fault) -> String {
        self.url.redact(&shorten(&fault.to_string()))
    }

    pub(crate) fn update_head(&self, head: Option<u64>, chain_head: Option<u64>, tolerance: u64) {
        let mut state = self.state.lock();
        state.head = head;
        let behind = chain_head.zip(head).is_some_and(|(best, head)| best.saturating_sub(head) > tolerance);
        state.health.set_lagging(behind);
    }

    /// Checks that it serves the right chain, unless that was checked before.
    pub(crate) async fn verify_chain(&self, shared: &Shared) -> Result<(), Fault> {
        if self.state.lock().serves_chain == Some(true) {
            return Ok(());
        }
        let answer = self.ask_value(shared, &shared.dialect.identity_call()).await?;
        let form = || Fault::InvalidResponse("not the name of a chain".to_owned());
        let found = shared.dialect.served_chain(&answer).ok_or_else(form)?;
        if found != shared.dialect.expected_chain() {
            return Err(Fault::WrongChain(shorten(&found)));
        }
        let mut state = self.state.lock();
        state.serves_chain = Some(true);
        state.paused_until = None;
        Ok(())
    }

    /// Reads the number of the newest block, after checking the chain again.
    pub(crate) async fn probe(&self, shared: &Shared) -> Result<u64, Fault> {
        {
            let mut state = self.state.lock();
            state.serves_chain = state.serves_chain.filter(|serves| !serves);
        }
        self.verify_chain(shared).await?;
        let answer = self.ask_value(shared, &shared.dialect.head_call()).await?;
        let form = || Fault::InvalidResponse("not the number of a block".to_owned());
        shared.dialect.head(&answer).ok_or_else(form)
    }

    async fn ask_value(&self, shared: &Shared, call: &Call) -> Result<Value, Fault> {
        let replies = self.post(shared, &[call.encode(0)], &[0]).await?;
        match replies.into_iter().next() {
            Some(Ok(Ok(raw))) => serde_json::from_str(raw.get()).map_err(|error| invalid_response(&error)),
            Some(Ok(Err(error))) => Err(Fault::Transient(error.message)),
            Some(Err(fault)) => Err(fault),
            None => Err(Fault::InvalidResponse("no result".to_owned())),
        }
    }

    /// Sends encoded calls with their ids, within the endpoint's own limits. One reply for each call.
    pub(crate) async fn post(
        &self,
        shared: &Shared,
        encoded: &[Vec<u8>],
        ids: &[usize],
    ) -> Result<Vec<Reply>, Fault> {
        let exchange = async {
            let _slot = self.slots.acquire().await.map_err(|_| Fault::Busy)?;
            let wait = self.rate_limiter.lock().take(encoded.len(), Instant::now(), shared.timeout / 2);
            tokio::time::sleep(wait.ok_or(Fault::Busy)?).await;
            let bytes = shared.http.post(&self.url, body(encoded), shared.response_bytes).await?;
            read_answers(&bytes, ids)
        };
        match tokio::time::timeout(shared.timeout, exchange).await.unwrap_or(Err(Fault::Timeout))? {
            Answers::Each(answers) => {
                let missing = || Fault::InvalidResponse("a call of the batch was left out".to_owned());
                let replies = answers.into_iter().map(|answer| match answer {
                    Some(Ok(raw)) => Ok(Ok(raw)),
                    Some(Err(error)) => self.reply(&*shared.dialect, error),
                    None => Err(missing()),
                });
                Ok(replies.collect())
            }
            Answers::BatchRefused(error) => Err(match self.reply(&*shared.dialect, error) {
                Err(fault) => fault,
                Ok(Err(error)) => Fault::Unsupported(error.message),
                Ok(Ok(_)) => Fault::InvalidResponse("one answer to a batch".to_owned()),
            }),
        }
    }

    fn reply(&self, dialect: &dyn Dialect, error: ErrorObject) -> Reply {
        let kind = dialect.classify(&error);
        let message = self.url.redact(&error.message);
        match kind {
            ErrorKind::Refusal => Ok(Err(ErrorObject { message, ..error })),
            ErrorKind::Transient => Err(Fault::Transient(message)),
            ErrorKind::RateLimited => Err(Fault::RateLimited(None)),
            ErrorKind::Unsupported => Err(Fault::Unsupported(message)),
        }
    }
}
