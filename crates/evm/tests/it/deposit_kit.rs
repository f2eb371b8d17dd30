use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use alloy_primitives::{Address, B256, Bytes, U256, address, keccak256};
use alloy_sol_types::{SolCall, sol};
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use causeway_domain::ports::{SendPurpose, WalletAction};
use causeway_domain::{ChainId, Deployment, IntentTerms};
use causeway_evm::contracts::Code;
use causeway_evm::deploy::{DeployTerms, Plan, deploy};
use causeway_evm::orders::EvmDepositBuilder;
use causeway_evm::{BlockTag, Call, EvmClient, EvmConfig, Receipt, Signer, TxRequest};
use causeway_sandbox::evm::{EvmChain, Genesis, Options};
use causeway_sandbox::genesis::{EvmGenesis, WellKnownToken, permit2_address};
use serde_json::{Value, json};

use crate::orders_chain::{USDT, now, patient_config, roles, signer};

sol! {
    interface Token {
        function approve(address spender, uint256 amount) external;
        function transfer(address to, uint256 amount) external;
        function allowance(address owner, address spender) external view returns (uint256);
        function mint(address to, uint256 amount) external;
        function pause() external;
        function addBlackList(address holder) external;
    }
}

/// A standard token.
pub(crate) const USDC: Address = address!("A0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");

/// A chain with funded wallets, behind a node that can disable state overrides.
pub(crate) struct DepositFixture {
    pub(crate) chain: EvmChain,
    pub(crate) client: EvmClient,
    pub(crate) contracts: Deployment,
    url: String,
    node: Arc<Node>,
}

struct Node {
    chain: EvmChain,
    /// Whether it ignores state overrides, as some nodes do.
    overrides_disabled: AtomicBool,
}

async fn answer(State(node): State<Arc<Node>>, body: axum::body::Bytes) -> Vec<u8> {
    if !node.overrides_disabled.load(Ordering::Relaxed) {
        return node.chain.rpc(&body).await;
    }
    let mut asked: Value = serde_json::from_slice(&body).unwrap();
    let calls = match &mut asked {
        Value::Array(calls) => calls.iter_mut().collect(),
        call => vec![call],
    };
    for call in calls {
        if let Some(params) = call["params"].as_array_mut() {
            params.truncate(2);
        }
    }
    node.chain.rpc(asked.to_string().as_bytes()).await
}

/// The token owner: it mints, pauses and blocks holders.
pub(crate) fn faucet() -> Signer {
    Signer::from_bytes(&[9; 32]).unwrap()
}

pub(crate) fn wallet(place: usize) -> Signer {
    signer(&crate::orders_chain::wallet(place))
}

pub(crate) fn relayer() -> Signer {
    signer(&roles().relayer)
}

fn token(address: Address, symbol: &str) -> WellKnownToken {
    WellKnownToken {
        address,
        symbol: symbol.to_owned(),
        name: symbol.to_owned(),
        decimals: 6,
        is_wrapped_native: false,
        usd_price: None,
    }
}

impl DepositFixture {
    pub(crate) async fn start() -> Self {
        let id = ChainId::new(1).unwrap();
        let tokens = [token(USDT, "USDT"), token(USDC, "USDC")];
        let accounts = EvmGenesis::new().unwrap().accounts(id, &tokens, faucet().address()).unwrap();
        let genesis = Genesis { chain_id: id, accounts, timestamp: now() };
        let chain = EvmChain::open(&genesis, Options::default()).unwrap();
        let producer = chain.clone();
        tokio::spawn(async move { producer.run().await });
        let node = Arc::new(Node { chain: chain.clone(), overrides_disabled: AtomicBool::new(false) });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let app = Router::new().route("/", post(answer)).with_state(node.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        let client = EvmClient::new(id, patient_config(url.parse().unwrap())).unwrap();

        let attesters = roles().attesters.iter().map(|wallet| wallet.address).collect();
        let terms = DeployTerms { attesters, threshold: 2, min_grace: 60 };
        let plan = Plan::new(&Code::load().unwrap(), id, permit2_address(id), &terms, &[]).unwrap();
        let deployed = deploy(&client, &signer(&roles().deployer), &plan, Duration::from_mins(1)).await;
        Self { chain, client, contracts: deployed.unwrap().deployment, url, node }
    }

    /// From now on the node ignores state overrides.
    pub(crate) fn disable_state_overrides(&self) {
        self.node.overrides_disabled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn config(&self) -> EvmConfig {
        patient_config(self.url.parse().unwrap())
    }

    pub(crate) fn builder(&self) -> EvmDepositBuilder {
        EvmDepositBuilder::new(self.client.clone(), self.contracts.clone(), relayer().address())
    }

    pub(crate) async fn time(&self) -> u64 {
        self.client.block(BlockTag::Latest).await.unwrap().unwrap().timestamp
    }

    /// An order that the user pays with this token.
    pub(crate) async fn order(&self, user: &Signer, token: Address, amount: u64, label: &str) -> IntentTerms {
        let fill_deadline = self.time().await + 1_200;
        let [user, filler, payee] =
            [user.address(), wallet(8).address(), wallet(9).address()].map(|at| at.into_word());
        IntentTerms {
            origin_chain_id: 1,
            escrow: self.contracts.escrow.into_word(),
            user,
            nonce: keccak256(label),
            input_token: token.into_word(),
            amount_in: U256::from(amount),
            refund_to: user,
            filler,
            payee,
            referrer: B256::ZERO,
            referrer_fee: U256::ZERO,
            destination_chain_id: 10,
            settler: B256::repeat_byte(7),
            output_token: B256::ZERO,
            amount_out: U256::from(990),
            recipient: user,
            open_deadline: fill_deadline - 60,
            fill_deadline,
            refund_at: fill_deadline + 3_600,
            epoch: 1,
        }
    }

    pub(crate) async fn sign(&self, from: &Signer, request: &TxRequest, gas: u64) -> (B256, Bytes) {
        let nonce = self.client.nonce(from.address(), BlockTag::Latest).await.unwrap();
        let fees = self.client.fees().await.unwrap();
        let signed = from.sign(self.client.chain_id(), nonce, request, gas, fees).unwrap();
        (signed.hash, signed.raw)
    }

    pub(crate) async fn submit(&self, from: &Signer, request: &TxRequest, gas: u64) -> B256 {
        let (hash, raw) = self.sign(from, request, gas).await;
        let _: B256 = self.client.call(Call::new("eth_sendRawTransaction", json!([raw]))).await.unwrap();
        hash
    }

    /// Sends and waits for the receipt, successful or not.
    pub(crate) async fn mined(&self, from: &Signer, request: &TxRequest, gas: u64) -> Receipt {
        let hash = self.submit(from, request, gas).await;
        for _ in 0..200 {
            if let Some(receipt) = self.client.receipts(&[hash]).await.unwrap().remove(0) {
                return receipt;
            }
            self.chain.mine(1, 1).await.unwrap();
        }
        panic!("{hash} was not mined");
    }

    pub(crate) async fn land(&self, from: &Signer, to: Address, value: U256, data: Vec<u8>) -> Receipt {
        let receipt = self.mined(from, &TxRequest { to, value, data: data.into() }, 600_000).await;
        assert_eq!(receipt.status, 1, "reverted");
        receipt
    }

    pub(crate) async fn approve(&self, from: &Signer, token: Address, spender: Address, amount: u64) {
        let call = Token::approveCall { spender, amount: U256::from(amount) };
        self.land(from, token, U256::ZERO, call.abi_encode()).await;
    }

    pub(crate) async fn allowance(&self, token: Address, owner: Address, spender: Address) -> U256 {
        let data = Bytes::from(Token::allowanceCall { owner, spender }.abi_encode());
        let call = Call::new("eth_call", json!([{ "to": token, "data": data }, "latest"]));
        U256::from_be_slice(&self.client.call::<Bytes>(call).await.unwrap())
    }

    /// Executes the wallet actions in order with their gas; returns the last receipt.
    pub(crate) async fn execute(&self, wallet: &Signer, actions: &[WalletAction]) -> Receipt {
        let mut last = None;
        for action in actions {
            let WalletAction::Send { transaction, .. } = action else { continue };
            assert_eq!(transaction.from, wallet.address());
            let (to, value, data) = (transaction.to, transaction.value, transaction.data.clone());
            let gas = transaction.gas.unwrap_or(100_000);
            let receipt = self.mined(wallet, &TxRequest { to, value, data }, gas).await;
            assert_eq!(receipt.status, 1, "{action:?}");
            last = Some(receipt);
        }
        last.unwrap()
    }
}

/// A short label per wallet action.
pub(crate) fn steps(actions: &[WalletAction]) -> Vec<String> {
    let step = |action: &WalletAction| match action {
        WalletAction::SwitchChain(chain) => format!("switch to {chain}"),
        WalletAction::SignSolana { .. } => "sign for Solana".to_owned(),
        WalletAction::Send { purpose, .. } => match purpose {
            SendPurpose::ResetAllowance => "reset".to_owned(),
            SendPurpose::Approve { spender, amount } => format!("approve {amount} to {spender}"),
            SendPurpose::Deposit => "deposit".to_owned(),
        },
    };
    actions.iter().map(step).collect()
}
