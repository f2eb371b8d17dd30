//! The shared table of dishonest responses (`lies.json`): what a compromised service can make a wallet sign.

use std::collections::BTreeMap;
use std::sync::Mutex;

use alloy_primitives::{Address, Bytes, U256, address, hex};
use causeway_client::answers::{BuildAnswer, QuoteAnswer};
use causeway_client::wire::QuoteAsk;
use causeway_client::{
    Bound, Client, DepositMethod, Error, EvmTransaction, ExecuteOptions, LocalWallet, PriceReference,
    TransferTrust, TrustedProvider, Unchecked, Wallet, WalletError, check_transfer,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::Server;
use crate::simulation::Endpoint;

const TABLE: &str = include_str!("../../../../tests/cases/lies.json");

#[derive(Deserialize)]
struct Table {
    simulator: String,
    ask: Value,
    quote: Value,
    escrows: BTreeMap<u64, String>,
    bound: Value,
    submitted: Value,
    order: Value,
    deposits: BTreeMap<String, Value>,
    providers: BTreeMap<String, Settled>,
    honest: Vec<Entry>,
    lies: Vec<Entry>,
    transfers: Transfers,
}

#[derive(Deserialize)]
struct Transfers {
    honest: Vec<TransferEntry>,
    lies: Vec<TransferEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferEntry {
    name: String,
    #[serde(default)]
    ask: Changes,
    #[serde(default)]
    quote: Changes,
    #[serde(default)]
    deposit: Changes,
    escrow: Option<String>,
    bound: Option<Value>,
    message: Option<String>,
}

/// The fields that an entry changes, by their JSON pointers.
type Changes = BTreeMap<String, Value>;

/// A route that a liquidity provider settles itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settled {
    ask: Changes,
    quote: Changes,
    trusted: Trusted,
    registry: Option<String>,
    simulation: Option<Value>,
    deposit: Value,
}

/// Contracts of providers that the caller trusts, by chain.
type Trusted = BTreeMap<u64, Vec<Trust>>;

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Trust {
    Contract(String),
    Leaving { contract: String, unchecked: Vec<String> },
}

impl Trust {
    fn provider(&self) -> TrustedProvider {
        match self {
            Self::Contract(contract) => contract.into(),
            Self::Leaving { contract, unchecked } => {
                unchecked.iter().fold(TrustedProvider::new(contract), |provider, name| {
                    let known = [Unchecked::Recipient, Unchecked::Output, Unchecked::Effects];
                    let what = known.into_iter().find(|what| what.as_str() == name).unwrap();
                    provider.with_unchecked(what)
                })
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Entry {
    name: String,
    deposit_method: String,
    provider: Option<String>,
    trusted: Option<Trusted>,
    /// `Some(None)` for a wallet that reads no chain.
    #[serde(default, deserialize_with = "present")]
    #[expect(clippy::option_option, reason = "absent and null differ in the table")]
    registry: Option<Option<String>>,
    /// `Some(None)` for a wallet that cannot simulate.
    #[serde(default, deserialize_with = "present")]
    #[expect(clippy::option_option, reason = "absent and null differ in the table")]
    simulation: Option<Option<Value>>,
    #[serde(default)]
    ask: Changes,
    #[serde(default)]
    quote: Changes,
    #[serde(default)]
    deposit: Changes,
    /// `Some(None)` leaves the choice to the SDK.
    #[serde(default, deserialize_with = "present")]
    #[expect(clippy::option_option, reason = "absent and null differ in the table")]
    escrows: Option<Option<BTreeMap<u64, String>>>,
    bound: Option<Value>,
    code: Option<String>,
    request_count: Option<usize>,
    #[serde(default)]
    unknown_chain: bool,
    #[serde(default)]
    signed: Vec<Value>,
    message: Option<String>,
}

/// Keeps `null` apart from an absent field.
fn present<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(reader: D) -> Result<Option<T>, D::Error> {
    T::deserialize(reader).map(Some)
}

/// The bound of an entry, for the trade type of its request.
fn bound(value: &Value, ask: &QuoteAsk) -> Bound {
    if let Some(price) = value.get("price") {
        let text = |name: &str| price[name].as_str().unwrap();
        let reference = PriceReference::new(text("from"), text("to"));
        let tolerance = price.get("tolerance").map(|share| share.as_f64().unwrap());
        let millionths = tolerance.map(|share| format!("{share:.6}").replace("0.", "").parse().unwrap());
        return Bound::Price(match millionths {
            Some(millionths) => reference.with_tolerance_millionths(millionths),
            None => reference,
        });
    }
    let text = |name: &str| value[name].as_str().unwrap().to_owned();
    match ask.trade_type.as_str() {
        "EXACT_OUTPUT" => Bound::MaxAmountIn(text("maxAmountIn")),
        _ => Bound::MinAmountOut(text("minAmountOut")),
    }
}

/// A wallet that records what it signs.
struct RecordingWallet {
    address: String,
    unknown_chain: bool,
    /// The settler that 0x's registry names.
    settler: Option<Address>,
    endpoint: Endpoint,
    signed: Mutex<Vec<Value>>,
}

const REGISTRY: Address = address!("00000000000004533Fe15556B1E086BB1A72cEae");

impl Wallet for RecordingWallet {
    fn address(&self) -> String {
        self.address.clone()
    }

    async fn send(&self, transaction: &EvmTransaction) -> Result<String, WalletError> {
        if self.unknown_chain {
            return Err(WalletError::Other("The wallet does not know chain 8453.".to_owned()));
        }
        self.endpoint.signed(transaction);
        let EvmTransaction { chain_id, to, data, value, gas } = transaction;
        assert_eq!((*chain_id, *gas), (8453, Some(0xda51)));
        let entry = json!({ "to": format!("{to:#x}"), "data": hex::encode_prefixed(data), "value": format!("{value:#x}") });
        self.signed.lock().unwrap().push(entry);
        Ok(format!("0x{}", "1".repeat(64)))
    }

    async fn wait_for_receipt(&self, _: u64, _: &str) -> Result<(), WalletError> {
        Ok(())
    }

    async fn call(&self, chain_id: u64, to: Address, data: &Bytes) -> Result<Bytes, WalletError> {
        let Some(settler) = self.settler else {
            return Err(WalletError::Other("The wallet does not read chains.".to_owned()));
        };
        let feature = U256::from(2).to_be_bytes::<32>();
        assert_eq!((chain_id, to, &data[4..]), (8453, REGISTRY, &feature[..]));
        match data[..4] {
            // The present settler, which is paused, and the one before.
            [0x63, 0x52, 0x21, 0x1e] => Err(WalletError::Other("execution reverted".to_owned())),
            [0xe2, 0x60, 0x3d, 0xc2] => Ok(settler.into_word().into()),
            _ => panic!("{data}"),
        }
    }

    async fn read(&self, chain_id: u64, method: &str, params: Value) -> Result<Value, WalletError> {
        self.endpoint.answer(chain_id, method, &params)
    }

    async fn sign_typed_data(&self, data: &Value) -> Result<String, WalletError> {
        self.signed.lock().unwrap().push(json!({ "permit": data["primaryType"] }));
        let table: Table = serde_json::from_str(TABLE).unwrap();
        let (method, member) = match data["primaryType"].as_str().unwrap() {
            "ReceiveWithAuthorization" => ("AUTHORIZATION", "permit"),
            "Permit" => ("PERMIT", "permit"),
            "CausewayOrder" => ("PERMIT", "order"),
            _ => ("PERMIT2", "permit"),
        };
        let (key, honest) = (LocalWallet::new(&"11".repeat(32))?, &table.deposits[method][member]);
        assert_eq!(key.sign_typed_data(data).await?, key.sign_typed_data(honest).await?);
        Ok(format!("0x{}", "01".repeat(65)))
    }

    async fn sign_message(&self, _: &[u8]) -> Result<[u8; 64], WalletError> {
        self.signed.lock().unwrap().push(json!({ "solana": true }));
        Ok([1; 64])
    }
}

fn changed(whole: &Value, changes: &Changes) -> Value {
    let mut copy = whole.clone();
    for (pointer, value) in changes {
        let Some((parent, last)) = pointer.rsplit_once('/') else {
            copy = value.clone();
            continue;
        };
        match copy.pointer_mut(parent).unwrap() {
            Value::Array(items) if last.parse() == Ok(items.len()) => items.push(value.clone()),
            Value::Array(items) => items[last.parse::<usize>().unwrap()] = value.clone(),
            other => other[last] = value.clone(),
        }
    }
    copy
}

/// Runs an entry: the result, what was signed, and the number of requests.
async fn run(table: &Table, entry: &Entry) -> (Result<String, Error>, Vec<Value>, usize) {
    let settled = entry.provider.as_ref().map(|name| &table.providers[name]);
    let nothing = Changes::new();
    let twice = |whole: &Value, first: Option<&Changes>, then: &Changes| {
        changed(&changed(whole, first.unwrap_or(&nothing)), then)
    };
    let ask = twice(&table.ask, settled.map(|settled| &settled.ask), &entry.ask);
    let ask: QuoteAsk = serde_json::from_value(ask).unwrap();
    let deposit = settled.map_or_else(|| &table.deposits[&entry.deposit_method], |settled| &settled.deposit);
    let answers = [
        twice(&table.quote, settled.map(|settled| &settled.quote), &entry.quote),
        changed(deposit, &entry.deposit),
        table.submitted.clone(),
        table.order.clone(),
    ];
    let answers = answers.map(|answer| json!({ "status": 200, "json": answer }));
    let server = Server::start(serde_json::from_value(json!(answers)).unwrap()).await;
    let (address, unknown_chain) = (ask.from_address.clone(), entry.unknown_chain);
    let registry =
        entry.registry.clone().unwrap_or_else(|| settled.and_then(|settled| settled.registry.clone()));
    let settler = registry.map(|settler| settler.parse().unwrap());
    let by_default = settled.and_then(|settled| settled.simulation.clone()).unwrap_or_else(|| json!({}));
    let simulation = entry.simulation.clone().unwrap_or_else(|| Some(json!({})));
    let endpoint = Endpoint::new(&table.simulator, &ask, &by_default, simulation);
    let wallet = RecordingWallet { address, unknown_chain, settler, endpoint, signed: Mutex::default() };
    let methods = [
        DepositMethod::ContractCall,
        DepositMethod::Permit2,
        DepositMethod::Authorization,
        DepositMethod::Permit,
    ];
    let method = methods.into_iter().find(|method| method.as_str() == entry.deposit_method).unwrap();
    let bound = bound(entry.bound.as_ref().unwrap_or(&table.bound), &ask);
    let options = ExecuteOptions::new(bound).with_deposit_method(method);
    let trust = |options: ExecuteOptions, (chain, escrow): (&u64, &String)| {
        options.with_trusted_escrow(*chain, escrow)
    };
    let escrows = match &entry.escrows {
        None => table.escrows.clone(),
        Some(escrows) => escrows.clone().unwrap_or_default(),
    };
    let mut options = escrows.iter().fold(options, trust);
    let trusted = entry.trusted.as_ref().or(settled.map(|settled| &settled.trusted));
    for (chain, trust) in
        trusted.into_iter().flatten().flat_map(|(chain, all)| all.iter().map(move |one| (chain, one)))
    {
        options = options.with_trusted_provider(*chain, trust.provider());
    }
    let client = Client::new(&server.url).unwrap();
    let ended = client.execute(&ask, &wallet, &options, |_| {}).await.map(|order| order.status);
    (ended, wallet.signed.into_inner().unwrap(), server.requests().len())
}

#[tokio::test]
async fn honest_deposits_are_signed() {
    let table: Table = serde_json::from_str(TABLE).unwrap();
    for entry in &table.honest {
        let (ended, signed, _) = run(&table, entry).await;
        assert_eq!(ended.map_err(|error| error.to_string()), Ok("filled".to_owned()), "{}", entry.name);
        assert_eq!(signed, entry.signed, "{}", entry.name);
    }
}

/// Why the entry does not end as the table says, if it does not.
async fn wrong(table: &'static Table, entry: &'static Entry) -> Option<String> {
    // In a task of its own, so that an entry that panics does not hide the others.
    let Ok((ended, signed, request_count)) = tokio::spawn(run(table, entry)).await else {
        return Some("it panicked".to_owned());
    };
    let error = match ended {
        Ok(status) => return Some(format!("it was signed and is {status}")),
        Err(error) => error,
    };
    let (code, message) = (entry.code.as_deref().unwrap_or("SVC3003"), entry.message.clone());
    if (error.code(), Some(error.to_string())) != (code, message) {
        return Some(format!("{}: {error}", error.code()));
    }
    let expected = entry.request_count.unwrap_or(if entry.quote.is_empty() { 2 } else { 1 });
    ((&signed, request_count) != (&entry.signed, expected))
        .then(|| format!("{request_count} requests, and this was signed: {signed:?}"))
}

/// Fails when any entry ended otherwise than the table says, and names them all.
fn conclude(outcomes: Vec<(&str, Option<String>)>) {
    let count = outcomes.len();
    let wrong: Vec<_> = outcomes.into_iter().filter_map(|(name, why)| Some((name, why?))).collect();
    let lines: Vec<String> =
        wrong.iter().map(|(name, why)| format!("not as in the table: {name}: {why}")).collect();
    assert!(lines.is_empty(), "{} of {count} entries end otherwise:\n{}", lines.len(), lines.join("\n"));
}

#[tokio::test]
async fn dishonest_deposits_are_never_signed() {
    let table: &'static Table = Box::leak(Box::new(serde_json::from_str(TABLE).unwrap()));
    let mut outcomes = Vec::new();
    for entry in &table.lies {
        outcomes.push((entry.name.as_str(), wrong(table, entry).await));
    }
    conclude(outcomes);
}

/// Checks an entry of a plain transfer, and says why it does not end as the table says, if it does not.
fn wrong_transfer(table: &Table, entry: &TransferEntry) -> Option<String> {
    let ask: QuoteAsk = serde_json::from_value(changed(&table.ask, &entry.ask)).unwrap();
    let quote: QuoteAnswer = serde_json::from_value(changed(&table.quote, &entry.quote)).unwrap();
    let deposit = changed(&table.deposits["TRANSFER"], &entry.deposit);
    let BuildAnswer::Transfer(deposit) = serde_json::from_value(deposit).unwrap() else { panic!() };
    let trust = TransferTrust::new(bound(entry.bound.as_ref().unwrap_or(&table.bound), &ask));
    let own = entry.escrow.clone().map(|escrow| BTreeMap::from([(ask.from_chain_id, escrow)]));
    let escrows = own.unwrap_or_else(|| table.escrows.clone());
    let trust =
        escrows.iter().fold(trust, |trust, (chain, escrow)| trust.with_trusted_escrow(*chain, escrow));
    let checked = check_transfer(&ask, &quote.routes[0].quote, &deposit, &trust);
    let error = checked.err().map(|error| (error.code(), error.to_string()));
    (error != entry.message.clone().map(|message| ("SVC3003", message))).then(|| format!("{error:?}"))
}

#[test]
fn transfer_address_must_match_the_terms() {
    let table: Table = serde_json::from_str(TABLE).unwrap();
    let outcome = |entry| {
        let wrong = std::panic::catch_unwind(|| wrong_transfer(&table, entry));
        (entry.name.as_str(), wrong.unwrap_or_else(|_| Some("it panicked".to_owned())))
    };
    let honest = table.transfers.honest.iter();
    conclude(honest.chain(&table.transfers.lies).map(outcome).collect());
}
