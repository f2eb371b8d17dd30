use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use alloy_primitives::{Address, U256, keccak256};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use causeway_domain::{Address as AnyAddress, BitcoinAddress, ChainId, Family};
use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::backend::{Backend, Deposit, Mischief, Outcome};
use super::money::PlayMoney;
use crate::providers::oneclick::chain_name;

/// A quote with an address.
#[derive(Clone, Debug)]
struct Given {
    deposit: Deposit,
    refund_to: String,
    /// The whole answer, which its status repeats.
    quoted: Value,
}

#[derive(Debug)]
struct Shared {
    backend: Backend,
    /// By their deposit addresses.
    given: Mutex<HashMap<String, Given>>,
    /// The transactions that somebody has named, with their addresses.
    named: Mutex<Vec<(String, String)>>,
    /// Payments on chains that the sandbox does not have.
    played: Mutex<Vec<Played>>,
}

/// A payment on a chain that the sandbox does not have, in either direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub to: String,
    pub amount: U256,
    pub tx: String,
}

/// A server that answers as 1Click's documentation says. It sees every token that its addresses receive on the sandbox's chains.
/// It stops when dropped.
#[derive(Debug)]
pub struct OneClickStandIn {
    /// The base of its API, for the configuration.
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

impl Drop for OneClickStandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl OneClickStandIn {
    /// Starts it on a local port.
    pub async fn start(
        tokens: impl IntoIterator<Item = (u64, Address, u8, &'static str)>,
        money: Arc<PlayMoney>,
    ) -> io::Result<Self> {
        let backend = Backend::new(Address::ZERO, tokens, money);
        let shared = Arc::new(Shared {
            backend,
            given: Mutex::default(),
            named: Mutex::default(),
            played: Mutex::default(),
        });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new()
            .route("/v0/tokens", get(tokens_of))
            .route("/v0/quote", post(quote))
            .route("/v0/deposit/submit", post(submit))
            .route("/v0/status", get(status))
            .with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(%error, "stand-in stopped");
            }
        });
        Ok(Self { url, shared, task })
    }

    pub fn misbehave(&self, mischief: Mischief) {
        self.shared.backend.misbehave(mischief);
    }

    /// How many quotes it was asked for.
    pub fn quotes(&self) -> u64 {
        self.shared.backend.quotes()
    }

    /// The transactions that were submitted to it, with their addresses.
    pub fn named(&self) -> Vec<(String, String)> {
        self.shared.named.lock().clone()
    }

    /// Pays an address of a chain that the sandbox does not have, as a payer there does, and returns the transaction.
    pub fn pay(&self, address: &str, amount: U256) -> String {
        self.shared.play(address, amount)
    }

    /// What was paid to the address on a chain that the sandbox does not have.
    pub fn paid_to(&self, address: &str) -> Vec<Played> {
        self.shared.paid_to(address)
    }
}

/// The chains that the sandbox does not have.
fn is_played(chain: u64) -> bool {
    ChainId::new(chain).is_some_and(|chain| chain.family().is_source_only())
}

/// An address in the form of its chain: those of Tron are the same twenty bytes.
fn written(chain: u64, address: Address) -> String {
    match ChainId::new(chain).map(ChainId::family) {
        Some(Family::Tron) => AnyAddress::Tron(address.into()),
        Some(Family::Bitcoin) => AnyAddress::Bitcoin(BitcoinAddress::WitnessKeyHash(address.into())),
        _ => AnyAddress::Evm(address),
    }
    .to_string()
}

fn error(status: StatusCode, message: &str) -> Response {
    (status, axum::Json(json!({ "message": message, "statusCode": status.as_u16() }))).into_response()
}

/// The id of a token, in the form that bridged tokens have.
fn asset_id((chain, token): (u64, Address)) -> String {
    let chain = chain_name(chain).unwrap_or("other");
    if token.is_zero() {
        return format!("nep141:{chain}.omft.near");
    }
    format!("nep141:{chain}-{token:#x}.omft.near")
}

fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

impl Shared {
    fn play(&self, to: &str, amount: U256) -> String {
        let mut played = self.played.lock();
        let tx = format!("{:x}", keccak256(format!("{to}{amount}{}", played.len())));
        played.push(Played { to: to.to_owned(), amount, tx: tx.clone() });
        tx
    }

    fn paid_to(&self, address: &str) -> Vec<Played> {
        self.played.lock().iter().filter(|played| played.to == address).cloned().collect()
    }

    /// The quote for a request; `None` for what the stand-in does not trade.
    fn quote(&self, body: &Value) -> Option<Value> {
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        let address = |name: &str| text(name)?.parse::<Address>().ok();
        let asset =
            |name: &str| self.backend.tokens().find(|token| Some(asset_id(*token).as_str()) == text(name));
        let (from, to) = (asset("originAsset")?, asset("destinationAsset")?);
        let (recipient, refund_text) = (address("recipient")?, text("refundTo")?.to_owned());
        let refund_to = if is_played(from.0) { Address::ZERO } else { address("refundTo")? };
        let amount: U256 = text("amount")?.parse().ok()?;
        let dry = body.get("dry")?.as_bool()?;
        let bps = body.get("slippageTolerance")?.as_u64()?;
        let fees = body.get("appFees").and_then(Value::as_array);
        let app_bps = fees.and_then(|fees| fees.first()?.get("fee")?.as_u64()).unwrap_or(0);
        let part =
            |amount: U256, bps: u64| amount.checked_mul(U256::from(bps)).map(|n| n / U256::from(10_000));
        let output = self.backend.output(from, to, amount.checked_sub(part(amount, app_bps)?)?)?;
        let least = part(output, 10_000_u64.saturating_sub(bps))?;
        let mischief = self.backend.mischief();
        let deadline: Timestamp = text("deadline")?.parse().ok()?;
        let mut request = body.clone();
        let named = request.as_object_mut()?;
        if let Mischief::OtherRecipient(other) = mischief {
            named.insert("recipient".to_owned(), other.to_string().into());
        }
        if mischief == Mischief::OtherChain {
            named.insert("destinationAsset".to_owned(), asset_id((1, to.1)).into());
        }
        let taken =
            if matches!(mischief, Mischief::TakesMore(_)) { amount.checked_add(amount)? } else { amount };
        let mut quote = json!({
            "amountIn": taken.to_string(), "amountInFormatted": "", "amountInUsd": "0",
            "minAmountIn": amount.to_string(), "amountOut": output.to_string(), "amountOutFormatted": "",
            "amountOutUsd": "0", "minAmountOut": least.to_string(), "timeEstimate": 12, "refundFee": "0",
            "withdrawFee": "0",
        });
        let mut answer = json!({
            "correlationId": "stand-in", "timestamp": time(Timestamp::now()), "signature": "ed25519:none",
            "quoteRequest": request,
        });
        let hash = keccak256(format!("{body}{}", self.backend.quotes()));
        let deposit_address = match mischief {
            Mischief::OtherTarget(other) => other.to_string(),
            Mischief::OtherNetwork => "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx".to_owned(),
            _ => written(from.0, Address::from_word(hash)),
        };
        if !dry {
            let short = mischief == Mischief::ShortTime;
            let until = if short {
                Timestamp::now().checked_add(SignedDuration::from_mins(1)).ok()?
            } else {
                deadline
            };
            let fields = quote.as_object_mut()?;
            fields.insert("depositAddress".to_owned(), deposit_address.clone().into());
            fields.insert("deadline".to_owned(), time(deadline).into());
            fields.insert("timeWhenInactive".to_owned(), time(until).into());
            if mischief == Mischief::NeedsMemo {
                fields.insert("depositMemo".to_owned(), "113873".into());
            }
        }
        answer.as_object_mut()?.insert("quote".to_owned(), quote);
        if !dry {
            let deposit = Deposit { from, amount, refund_to, to, recipient, instead_to: refund_to };
            let given = Given { deposit, refund_to: refund_text, quoted: answer.clone() };
            self.given.lock().insert(deposit_address, given);
        }
        Some(answer)
    }

    /// Looks at what the address has received, pays once what it is for, and says so; `None` for an unknown address.
    async fn status(&self, address: &str) -> Result<Option<Value>, String> {
        let Some(given) = self.given.lock().get(address).cloned() else { return Ok(None) };
        let Given { deposit, refund_to, mut quoted } = given;
        let paid: Vec<(String, U256)> = if is_played(deposit.from.0) {
            self.paid_to(address).into_iter().map(|played| (played.tx, played.amount)).collect()
        } else {
            let to = address.parse().map_err(|_| "no address of the chain")?;
            self.backend.money.received(deposit.from.0, deposit.from.1, to).await?
        };
        let sum = paid
            .iter()
            .try_fold(U256::ZERO, |sum, (_, amount)| sum.checked_add(*amount))
            .unwrap_or(U256::MAX);
        let sent = |tx: &str| json!({ "hash": tx, "explorerUrl": "" });
        let mut origin: Vec<Value> = paid.iter().map(|(tx, _)| sent(tx)).collect();
        let mut destination = Vec::new();
        let named = self.named.lock().iter().any(|(_, named)| named == address);
        let refunds = is_played(deposit.from.0) && self.backend.mischief() == Mischief::Refunds;
        let status = if sum.is_zero() {
            if named { "KNOWN_DEPOSIT_TX" } else { "PENDING_DEPOSIT" }
        } else if sum < deposit.amount {
            "INCOMPLETE_DEPOSIT"
        } else if refunds {
            let known = self.paid_to(&refund_to).pop().map(|played| played.tx);
            origin.push(sent(&known.unwrap_or_else(|| self.play(&refund_to, sum))));
            "REFUNDED"
        } else {
            match self.backend.settle(address, &deposit).await? {
                None => "PROCESSING",
                Some(payout) => match payout.outcome {
                    Outcome::Delivered => {
                        destination.push(sent(&payout.tx));
                        "SUCCESS"
                    }
                    Outcome::Refunded | Outcome::Other => {
                        origin.push(sent(&payout.tx));
                        "REFUNDED"
                    }
                },
            }
        };
        if self.backend.mischief() == Mischief::OtherStatus
            && let Some(quote) = quoted.get_mut("quote").and_then(Value::as_object_mut)
        {
            quote.insert("depositAddress".to_owned(), Address::repeat_byte(0x0d).to_string().into());
        }
        Ok(Some(json!({
            "correlationId": "stand-in", "quoteResponse": quoted, "status": status,
            "updatedAt": time(Timestamp::now()),
            "swapDetails": {
                "intentHashes": [], "nearTxHashes": [], "originChainTxHashes": origin,
                "destinationChainTxHashes": destination, "depositedAmount": sum.to_string(),
            },
        })))
    }
}

/// The contract of a token; the coin of a chain has none.
fn contract((chain, token): (u64, Address)) -> Option<String> {
    let text = if is_played(chain) { written(chain, token) } else { format!("{token:#x}") };
    (!token.is_zero()).then_some(text)
}

async fn tokens_of(State(shared): State<Arc<Shared>>) -> Response {
    // Its limit is of quotes.
    if shared.backend.mischief() != Mischief::TooMany
        && let Some(answer) = shared.backend.outage(error).await
    {
        return answer;
    }
    let listed = shared.backend.tokens().filter_map(|token| {
        let (decimals, symbol) = shared.backend.token(token)?;
        Some(json!({
            "assetId": asset_id(token), "decimals": decimals, "blockchain": chain_name(token.0)?, "symbol": symbol,
            "price": 1, "priceUpdatedAt": time(Timestamp::now()), "contractAddress": contract(token),
        }))
    });
    axum::Json(listed.collect::<Vec<_>>()).into_response()
}

async fn quote(State(shared): State<Arc<Shared>>, axum::Json(body): axum::Json<Value>) -> Response {
    shared.backend.count_quote();
    if let Some(answer) = shared.backend.outage(error).await {
        return answer;
    }
    let quoted = if shared.backend.mischief() == Mischief::NoRoute { None } else { shared.quote(&body) };
    match quoted {
        Some(quoted) => (StatusCode::CREATED, axum::Json(quoted)).into_response(),
        None => error(StatusCode::BAD_REQUEST, "No quotes found for the given parameters"),
    }
}

async fn submit(State(shared): State<Arc<Shared>>, axum::Json(body): axum::Json<Value>) -> Response {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let (Some(tx), Some(address)) = (text("txHash"), text("depositAddress")) else {
        return error(StatusCode::BAD_REQUEST, "Bad Request");
    };
    shared.named.lock().push((tx.to_owned(), address.to_owned()));
    told(&shared, address).await
}

async fn status(
    State(shared): State<Arc<Shared>>,
    Query(params): Query<HashMap<String, String>>,
) -> Response {
    if let Some(answer) = shared.backend.outage(error).await {
        return answer;
    }
    match params.get("depositAddress") {
        Some(address) => told(&shared, address).await,
        None => error(StatusCode::BAD_REQUEST, "Bad Request"),
    }
}

async fn told(shared: &Shared, address: &str) -> Response {
    match shared.status(address).await {
        Ok(Some(status)) => axum::Json(status).into_response(),
        Ok(None) => error(StatusCode::NOT_FOUND, "Deposit address not found"),
        Err(words) => error(StatusCode::INTERNAL_SERVER_ERROR, &words),
    }
}
