use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, Bytes, U256, address, keccak256};
use alloy_sol_types::{SolCall, sol};
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use causeway_domain::{ChainId, Deployment, IntentTerms};
use causeway_evm::contracts::{Code, Escrow, onchain_envelope};
use causeway_evm::deploy::{DeployTerms, Plan, VaultAsset, deploy};
use causeway_evm::{BlockTag, Call, EvmClient, EvmConfig, Receipt, RpcUrl, Signer, TxRequest};
use causeway_sandbox::evm::{EvmChain, Genesis, Options};
use causeway_sandbox::genesis::{EvmGenesis, Roles, TestWallet, WellKnownToken, permit2_address};
use serde_json::json;

sol! {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// On Ethereum it returns nothing and changes only a zero allowance.
pub(crate) const USDT: Address = address!("dAC17F958D2ee523a2206206994597C13D831ec7");

/// A sandbox chain behind JSON-RPC with our contracts deployed.
pub(crate) struct SandboxChain {
    pub(crate) chain: EvmChain,
    pub(crate) client: EvmClient,
    pub(crate) deployment: Deployment,
}

pub(crate) fn signer(wallet: &TestWallet) -> Signer {
    Signer::from_bytes(&wallet.key.0).unwrap()
}

pub(crate) fn roles() -> Roles {
    Roles::new().unwrap()
}

/// One of the ten funded wallets.
pub(crate) fn wallet(place: usize) -> TestWallet {
    EvmGenesis::new().unwrap().wallets()[place]
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Unoptimised contracts that burn millions of units of gas take seconds where many tests run at once.
pub(crate) fn patient_config(url: RpcUrl) -> EvmConfig {
    let mut config = EvmConfig::new([url]);
    config.pool.call_timeout = Duration::from_mins(1);
    config
}

impl SandboxChain {
    pub(crate) async fn start(id: u64) -> Self {
        let id = ChainId::new(id).unwrap();
        let usdt = WellKnownToken {
            address: USDT,
            symbol: "USDT".to_owned(),
            name: "Tether".to_owned(),
            decimals: 6,
            is_wrapped_native: false,
            usd_price: Some("1".parse().unwrap()),
        };
        let accounts = EvmGenesis::new().unwrap().accounts(id, &[usdt], Address::repeat_byte(0xfa)).unwrap();
        let genesis = Genesis { chain_id: id, accounts, timestamp: now() };
        let chain = EvmChain::open(&genesis, Options::default()).unwrap();
        let producer = chain.clone();
        tokio::spawn(async move { producer.run().await });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url: RpcUrl = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let answer =
            |State(chain): State<EvmChain>, body: axum::body::Bytes| async move { chain.rpc(&body).await };
        let app = Router::new().route("/", post(answer)).with_state(chain.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        let client = EvmClient::new(id, patient_config(url)).unwrap();
        let deployment = deploy_contracts(&client).await;
        chain.mine(3, 1).await.unwrap();
        Self { chain, client, deployment }
    }

    pub(crate) async fn send(&self, from: &TestWallet, to: Address, value: U256, data: Vec<u8>) -> B256 {
        let key = signer(from);
        let request = TxRequest { to, value, data: Bytes::from(data) };
        let fees = self.client.fees().await.unwrap();
        let nonce = self.client.nonce(key.address(), BlockTag::Latest).await.unwrap();
        let signed = key.sign(self.client.chain_id(), nonce, &request, 500_000, fees).unwrap();
        self.client.call(Call::new("eth_sendRawTransaction", json!([signed.raw]))).await.unwrap()
    }

    /// Sends a transaction that must succeed.
    pub(crate) async fn land(&self, from: &TestWallet, to: Address, value: U256, data: Vec<u8>) -> Receipt {
        let hash = self.send(from, to, value, data).await;
        for _ in 0..200 {
            if let Some(receipt) = self.client.receipts(&[hash]).await.unwrap().remove(0) {
                assert_eq!(receipt.status, 1, "reverted");
                return receipt;
            }
            self.chain.mine(1, 1).await.unwrap();
        }
        panic!("{hash} was not mined");
    }

    pub(crate) async fn open(&self, terms: &IntentTerms) -> Receipt {
        let call = Escrow::openCall { order: onchain_envelope(terms).unwrap() };
        self.land(&wallet(0), self.deployment.escrow, terms.amount_in, call.abi_encode()).await
    }

    pub(crate) async fn coins(&self, owner: Address) -> U256 {
        self.client.call(Call::new("eth_getBalance", json!([owner, "latest"]))).await.unwrap()
    }

    pub(crate) async fn token_balance(&self, token: Address, owner: Address) -> U256 {
        let data = Bytes::from(balanceOfCall { owner }.abi_encode());
        let call = Call::new("eth_call", json!([{ "to": token, "data": data }, "latest"]));
        let answer: Bytes = self.client.call(call).await.unwrap();
        U256::from_be_slice(&answer)
    }

    /// An order within this chain, in its native coin on both sides.
    pub(crate) fn order(&self, seed: &str) -> IntentTerms {
        let (user, north) = (wallet(0).address.into_word(), roles().fillers[0]);
        let fill_deadline = now() + 1_200;
        IntentTerms {
            origin_chain_id: self.deployment.chain.get(),
            escrow: self.deployment.escrow.into_word(),
            user,
            nonce: keccak256(seed),
            input_token: B256::ZERO,
            amount_in: U256::from(1_000_000),
            refund_to: Address::repeat_byte(0xbe).into_word(),
            filler: north.hot.address.into_word(),
            payee: north.payee.address.into_word(),
            referrer: B256::ZERO,
            referrer_fee: U256::ZERO,
            destination_chain_id: self.deployment.chain.get(),
            settler: self.deployment.settler.into_word(),
            output_token: B256::ZERO,
            amount_out: U256::from(990_000),
            recipient: Address::repeat_byte(0xec).into_word(),
            open_deadline: fill_deadline - 60,
            fill_deadline,
            refund_at: fill_deadline + 3_600,
            epoch: 1,
        }
    }
}

async fn deploy_contracts(client: &EvmClient) -> Deployment {
    let attesters = roles().attesters.iter().map(|wallet| wallet.address).collect();
    let terms = DeployTerms { attesters, threshold: 2, min_grace: 60 };
    let asset = VaultAsset { asset: USDT, symbol: "USDT".to_owned(), decimals: 6 };
    let id = client.chain_id();
    let plan = Plan::new(&Code::load().unwrap(), id, permit2_address(id), &terms, &[asset]).unwrap();
    deploy(client, &signer(&roles().deployer), &plan, Duration::from_mins(1)).await.unwrap().deployment
}
