use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, address, hex, keccak256};
use alloy_sol_types::SolCall as _;
use causeway_client::wire::QuoteAsk;
use causeway_client::{
    Bound, Client, Error, EvmTransaction, ExecuteOptions, LocalWallet, PollingOptions, Step, TrustedProvider,
    Unchecked, Wallet as _,
};
use causeway_domain::ChainId;
use causeway_evm::{Call, EvmClient, EvmConfig};
use causeway_fillers::providers::standin::{
    LifiStandIn, Mischief, OneClickStandIn, PlayMoney, RelayStandIn, ZeroxStandIn, depository_code,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    AMOUNT, ARBITRUM, ARBITRUM_USDC, ARBITRUM_USDT, BASE, BASE_USDC, BITCOIN, KEY, LIMIT, RECIPIENT, TRON,
    TRON_USDT, balanceOfCall,
};
use crate::service::{Service, causeway, data_dir};

/// The deterministic CREATE2 deployer, which every sandbox chain has.
const CREATE2: Address = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
const PROVIDER: &str = include_str!("../../../contracts/evm/artifacts/PlayProvider.json");
const EXCHANGE: &str = include_str!("../../../contracts/evm/artifacts/PlayExchange.json");

/// The type of a provider's routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Lifi,
    Relay,
    /// Within a chain only.
    Zerox,
}

/// Those between chains.
pub(super) const KINDS: [Kind; 2] = [Kind::Lifi, Kind::Relay];

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Lifi => "lifi",
            Self::Relay => "relay",
            Self::Zerox => "zerox",
        }
    }

    /// The code that creates its entry contract.
    pub(super) fn code(self) -> Vec<u8> {
        match self {
            Self::Lifi => bytecode(PROVIDER),
            Self::Relay => depository_code(),
            Self::Zerox => bytecode(EXCHANGE),
        }
    }

    /// The chain that its swaps begin on here.
    pub(super) const fn source(self) -> u64 {
        match self {
            Self::Lifi | Self::Relay => BASE,
            Self::Zerox => ARBITRUM,
        }
    }

    /// Its entry contract, at the same address on every chain.
    pub(super) fn contract(self) -> Address {
        CREATE2.create2(B256::ZERO, keccak256(self.code()))
    }
}

fn bytecode(artifact: &str) -> Vec<u8> {
    let artifact: Value = serde_json::from_str(artifact).unwrap();
    hex::decode(artifact["bytecode"].as_str().unwrap()).unwrap()
}

pub(super) struct Fixture {
    pub(super) folder: TempDir,
    pub(super) service: Service,
    pub(super) lifi: LifiStandIn,
    pub(super) relay: RelayStandIn,
    pub(super) oneclick: OneClickStandIn,
    pub(super) zerox: ZeroxStandIn,
    pub(super) client: Client,
    pub(super) wallet: LocalWallet,
}

impl Fixture {
    pub(super) async fn start() -> Self {
        Self::start_with("").await
    }

    /// With these settings besides those of the providers.
    pub(super) async fn start_with(extra: &str) -> Self {
        let money = Arc::new(PlayMoney::new().unwrap());
        let tokens = || [(BASE, BASE_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDC, 6, "USDC")];
        let sources = [
            (BITCOIN, Address::ZERO, 8, "BTC"),
            (TRON, Address::ZERO, 6, "TRX"),
            (TRON, TRON_USDT, 6, "USDT"),
        ];
        let lifi = LifiStandIn::start(Kind::Lifi.contract(), tokens(), Arc::clone(&money)).await.unwrap();
        let relay = RelayStandIn::start(Kind::Relay.contract(), tokens(), Arc::clone(&money)).await.unwrap();
        let oneclick =
            OneClickStandIn::start(tokens().into_iter().chain(sources), Arc::clone(&money)).await.unwrap();
        let within = [(ARBITRUM, ARBITRUM_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDT, 6, "USDT")];
        let zerox = ZeroxStandIn::start(Kind::Zerox.contract(), within, Arc::clone(&money)).await.unwrap();
        let section = |kind: Kind, url: &str, limit: &str| {
            let (name, contract, source) = (kind.name(), kind.contract(), kind.source());
            format!(
                "[liquidity.{name}]\nurl = \"{url}\"\ndeadline_ms = 20000\nvalid_for_s = 600\n{limit} = 10000\n\
                 [liquidity.{name}.contracts]\nbundled = false\n\
                 pinned = [{{ chain = {source}, address = \"{contract}\" }}]\n"
            )
        };
        let registry = Kind::Zerox.contract();
        let registry = format!("api_key = \"key\"\nregistry = \"{registry}\"\nquotes_in_a_second");
        let settings = section(Kind::Lifi, &lifi.url, "quotes_in_two_hours")
            + &section(Kind::Relay, &relay.url, "quotes_in_a_minute")
            + &section(Kind::Zerox, &zerox.url, &registry)
            + &format!(
                "[liquidity.oneclick]\nurl = \"{}\"\ndeadline_ms = 20000\nvalid_for_s = 600\nquotes_in_a_minute = 10000\n",
                oneclick.url
            );
        let folder = data_dir();
        let service = Service::start_configured(folder.path(), &(settings + extra));
        money.connect(&service.url);
        let client = Client::new(&format!("{}/", service.url)).unwrap();
        let wallet = LocalWallet::connect_sandbox(&client, KEY).await.unwrap();
        let fixture = Self { folder, service, lifi, relay, oneclick, zerox, client, wallet };
        for kind in [Kind::Lifi, Kind::Relay, Kind::Zerox] {
            let source = kind.source();
            fixture.send(source, CREATE2, [B256::ZERO.as_slice(), &kind.code()].concat(), U256::ZERO).await;
        }
        fixture
    }

    pub(super) fn misbehave(&self, kind: Kind, mischief: Mischief) {
        match kind {
            Kind::Lifi => self.lifi.misbehave(mischief),
            Kind::Relay => self.relay.misbehave(mischief),
            Kind::Zerox => self.zerox.misbehave(mischief),
        }
    }

    /// How many quotes the provider was asked for.
    pub(super) fn quotes(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Lifi => self.lifi.quotes(),
            Kind::Relay => self.relay.quotes(),
            Kind::Zerox => self.zerox.quotes(),
        }
    }

    /// Runs `causeway liquidity check` with the service's configuration and chains: its exit code and its document.
    pub(super) async fn check(&self, name: &str, args: &[&str]) -> (Option<i32>, Value) {
        let mut command = causeway();
        command.arg("--config").arg(self.folder.path().join("causeway.toml"));
        command.args(["--sandbox-rpc", &self.service.url]);
        command.args(["liquidity", "check", name, "--json"]).args(args);
        let ended = tokio::task::spawn_blocking(move || command.output().expect("the binary starts"));
        let ended = ended.await.unwrap();
        let document = serde_json::from_slice(&ended.stdout);
        (ended.status.code(), document.unwrap_or_else(|_| json!(String::from_utf8_lossy(&ended.stderr))))
    }

    /// Sends a transaction of the payer and waits for it.
    pub(super) async fn send(&self, chain_id: u64, to: Address, data: Vec<u8>, value: U256) -> String {
        let transaction = EvmTransaction { chain_id, to, data: Bytes::from(data), value, gas: None };
        let tx = self.wallet.send(&transaction).await.unwrap();
        self.wallet.wait_for_receipt(chain_id, &tx).await.unwrap();
        tx
    }

    pub(super) async fn balance(&self, chain: u64, token: Address, owner: Address) -> U256 {
        let url = format!("{}/sandbox/rpc/{chain}", self.service.url).parse().unwrap();
        let client = EvmClient::new(ChainId::new(chain).unwrap(), EvmConfig::new([url])).unwrap();
        let call =
            json!([{ "to": token, "data": Bytes::from(balanceOfCall { owner }.abi_encode()) }, "latest"]);
        let answer: Bytes = client.call(Call::new("eth_call", call)).await.unwrap();
        U256::from_be_slice(&answer)
    }

    /// What the owner has of the chain's coin.
    pub(super) async fn ether(&self, chain: u64, owner: Address) -> U256 {
        let url = format!("{}/sandbox/rpc/{chain}", self.service.url).parse().unwrap();
        let client = EvmClient::new(ChainId::new(chain).unwrap(), EvmConfig::new([url])).unwrap();
        client.call(Call::new("eth_getBalance", json!([owner, "latest"]))).await.unwrap()
    }

    pub(super) fn payer(&self) -> Address {
        self.wallet.address().parse().unwrap()
    }

    pub(super) fn ask(&self) -> QuoteAsk {
        QuoteAsk {
            trade_type: "EXACT_INPUT".to_owned(),
            from_chain_id: BASE,
            from_token: BASE_USDC.to_string(),
            to_chain_id: ARBITRUM,
            to_token: ARBITRUM_USDC.to_string(),
            amount: AMOUNT.to_string(),
            from_address: self.wallet.address(),
            recipient: Some(RECIPIENT.to_string()),
            deposit_methods: Some(vec!["CONTRACT_CALL".to_owned()]),
            ..QuoteAsk::default()
        }
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.service.client.post(format!("{}{path}", self.service.url)).body(body.to_string());
        let answer = request.send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// A quote that has routes of all these types.
    pub(super) async fn quote(&self, kinds: &[&str]) -> Value {
        self.quote_of(&self.ask(), kinds).await
    }

    pub(super) async fn build(&self, kind: Kind, quote: &Value) -> (u16, Value) {
        let route = route(kind, quote);
        let ask = json!({
            "quoteId": quote["quoteId"], "routeId": route["routeId"], "from": self.wallet.address(),
            "depositMethod": "CONTRACT_CALL",
        });
        self.post("/v1/deposit/build", &ask).await
    }

    /// A whole swap with the Rust SDK.
    pub(super) async fn swap(
        &self,
        options: ExecuteOptions,
    ) -> Result<causeway_client::answers::Order, Error> {
        self.swap_for(&self.ask(), options).await
    }

    pub(super) async fn swap_for(
        &self,
        ask: &QuoteAsk,
        options: ExecuteOptions,
    ) -> Result<causeway_client::answers::Order, Error> {
        let swap = self.client.execute(ask, &self.wallet, &options, |_: Step<'_>| {});
        tokio::time::timeout(LIMIT, swap).await.expect("the swap ends")
    }

    pub(super) async fn order(&self, id: &str) -> Value {
        self.service.get_json(&format!("/v1/orders/by-id/{id}")).await
    }

    /// Builds and pays an order by hand, and returns its id.
    pub(super) async fn pay(&self, kind: Kind) -> String {
        let quote = self.quote(&[kind.name()]).await;
        let (status, built) = self.build(kind, &quote).await;
        assert_eq!(status, 200, "{built}");
        let deposit = self.send_built(kind, &built).await;
        assert_eq!(self.submit(kind, &quote, &deposit).await, 200);
        built["orderId"].as_str().unwrap().to_owned()
    }

    /// Sends what was built, and returns the hash of the deposit.
    pub(super) async fn send_built(&self, kind: Kind, built: &Value) -> String {
        let mut deposit = None;
        for approval in built["approvals"].as_array().unwrap() {
            let params = &approval["request"]["params"][0];
            if approval["request"]["method"] != "eth_sendTransaction" {
                continue;
            }
            let to = params["to"].as_str().unwrap().parse().unwrap();
            let data = hex::decode(params["data"].as_str().unwrap()).unwrap();
            let tx = self.send(kind.source(), to, data, U256::ZERO).await;
            if approval["deposit"] == true {
                deposit = Some(tx);
            }
        }
        deposit.unwrap()
    }

    /// Submits the hash of a deposit.
    pub(super) async fn submit(&self, kind: Kind, quote: &Value, tx: &str) -> u16 {
        let proof = json!({
            "quoteId": quote["quoteId"], "routeId": route(kind, quote)["routeId"], "txHash": tx,
        });
        let url = format!("{}/v1/deposit/submit", self.service.url);
        self.service.client.put(url).body(proof.to_string()).send().await.unwrap().status().as_u16()
    }

    pub(super) async fn wait_for(&self, id: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let order = self.order(id).await;
            if holds(&order) {
                return order;
            }
            assert!(begun.elapsed() < LIMIT, "not {what}: {order}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Takes the provider's route, whatever the others offer.
pub(super) fn options(kind: Kind) -> ExecuteOptions {
    let bound = Bound::MinAmountOut("24000000".to_owned());
    let pace = PollingOptions::default().with_interval(Duration::from_millis(500));
    ExecuteOptions::new(bound)
        .with_polling(pace)
        .with_route_filter(move |route| route.filler.as_deref() == Some(kind.name()))
}

pub(super) fn trusting(kind: Kind) -> ExecuteOptions {
    let contract = TrustedProvider::new(&kind.contract().to_string());
    let trusted = match kind {
        Kind::Lifi => contract.with_unchecked(Unchecked::Output),
        Kind::Relay => contract.with_unchecked(Unchecked::Recipient).with_unchecked(Unchecked::Output),
        Kind::Zerox => contract,
    };
    options(kind).with_trusted_provider(kind.source(), trusted)
}

pub(super) fn route(kind: Kind, quote: &Value) -> &Value {
    quote["routes"].as_array().unwrap().iter().find(|route| route["type"] == kind.name()).unwrap()
}
