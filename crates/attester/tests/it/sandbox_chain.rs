use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use alloy_sol_types::SolCall as _;
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use causeway_domain::ports::ChainView;
use causeway_domain::{ChainId, Deployment, IntentTerms};
use causeway_evm::attest::{AttestFinality, EvmView, ViewConfig};
use causeway_evm::contracts::{Code, Escrow, Settler, onchain_envelope};
use causeway_evm::deploy::{DeployTerms, Plan, deploy};
use causeway_evm::{Call, EvmClient, EvmConfig, Receipt, RpcUrl, Signer, TxRequest};
use causeway_sandbox::evm::{EvmChain, Genesis, Options};
use causeway_sandbox::genesis::{EvmGenesis, TestWallet, permit2_address};
use serde_json::json;

pub(crate) const FILL_WINDOW: u64 = 1_200;

/// A real chain behind real JSON-RPC, with our contracts on it.
pub(crate) struct SandboxChain {
    pub(crate) chain: EvmChain,
    pub(crate) url: RpcUrl,
    pub(crate) client: EvmClient,
}

pub(crate) fn signer(wallet: &TestWallet) -> Signer {
    Signer::from_bytes(&wallet.key.0).unwrap()
}

pub(crate) fn genesis() -> EvmGenesis {
    EvmGenesis::new().unwrap()
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl SandboxChain {
    pub(crate) async fn start(id: u64, first_block: u64) -> Self {
        let id = ChainId::new(id).unwrap();
        let accounts = genesis().accounts(id, &[], Address::repeat_byte(0xfa)).unwrap();
        let genesis = Genesis { chain_id: id, accounts, timestamp: first_block };
        let chain = EvmChain::open(&genesis, Options::default()).unwrap();
        let producer = chain.clone();
        tokio::spawn(async move { producer.run().await });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url: RpcUrl = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
        let answer =
            |State(chain): State<EvmChain>, body: axum::body::Bytes| async move { chain.rpc(&body).await };
        let app = Router::new().route("/", post(answer)).with_state(chain.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        let client = EvmClient::new(id, EvmConfig::new([url.clone()])).unwrap();
        Self { chain, url, client }
    }

    /// Deploys the contracts with these attesters and a threshold of two, and waits for finality.
    pub(crate) async fn deploy(&self, attesters: &[Address]) -> Deployment {
        let terms = DeployTerms { attesters: attesters.to_vec(), threshold: 2, min_grace: 60 };
        let id = self.client.chain_id();
        let plan = Plan::new(&Code::load().unwrap(), id, permit2_address(id), &terms, &[]).unwrap();
        let deployer = signer(&genesis().roles().deployer);
        let done = deploy(&self.client, &deployer, &plan, Duration::from_mins(1)).await.unwrap();
        self.finalize().await;
        done.deployment
    }

    /// An attester's view with this endpoint configured twice.
    pub(crate) fn view(&self) -> Arc<dyn ChainView> {
        view_of(self.client.chain_id(), [self.url.clone(), self.url.clone()])
    }

    pub(crate) async fn send(&self, from: &TestWallet, to: Address, value: u64, data: Vec<u8>) -> B256 {
        let key = signer(from);
        let request = TxRequest { to, value: U256::from(value), data: Bytes::from(data) };
        let fees = self.client.fees().await.unwrap();
        let nonce = self.client.nonce(key.address(), causeway_evm::BlockTag::Latest).await.unwrap();
        let signed = key.sign(self.client.chain_id(), nonce, &request, 500_000, fees).unwrap();
        self.client.call(Call::new("eth_sendRawTransaction", json!([signed.raw]))).await.unwrap()
    }

    pub(crate) async fn receipt(&self, hash: B256) -> Receipt {
        for _ in 0..3_000 {
            if let Some(receipt) = self.client.receipts(&[hash]).await.unwrap().remove(0) {
                return receipt;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{hash} was not mined");
    }

    /// Sends a call that must succeed.
    pub(crate) async fn send_ok(&self, from: &TestWallet, to: Address, value: u64, data: Vec<u8>) -> Receipt {
        let receipt = self.receipt(self.send(from, to, value, data).await).await;
        assert_eq!(receipt.status, 1, "reverted");
        receipt
    }

    pub(crate) async fn open(&self, terms: &IntentTerms, user: &TestWallet) -> Receipt {
        let value = u64::try_from(terms.amount_in).unwrap();
        let call = Escrow::openCall { order: onchain_envelope(terms).unwrap() };
        self.send_ok(user, Address::from_word(terms.escrow), value, call.abi_encode()).await
    }

    pub(crate) fn fill_call(terms: &IntentTerms) -> Vec<u8> {
        let (order, data) = (terms.id(), terms.to_bytes().into());
        Settler::fillCall { orderId: order, originData: data, fillerData: Bytes::new() }.abi_encode()
    }

    pub(crate) async fn fill(&self, terms: &IntentTerms, filler: &TestWallet) -> Receipt {
        let value = u64::try_from(terms.amount_out).unwrap();
        self.send_ok(filler, Address::from_word(terms.settler), value, Self::fill_call(terms)).await
    }

    /// Mines enough blocks to make the newest one final.
    pub(crate) async fn finalize(&self) {
        self.chain.mine(3, 1).await.unwrap();
    }
}

pub(crate) fn view_of(chain: ChainId, urls: impl IntoIterator<Item = RpcUrl>) -> Arc<dyn ChainView> {
    let mut config = EvmConfig::new(urls);
    config.pool.call_timeout = Duration::from_secs(20);
    let config = EvmClient::new(chain, config).unwrap();
    let two = NonZeroUsize::new(2).unwrap();
    let view = ViewConfig { finality: AttestFinality::sandbox(), quorum: two, fresh_for: Duration::ZERO };
    Arc::new(EvmView::new(config, view))
}

/// An order of native coin on both sides.
pub(crate) fn order(origin: &Deployment, destination: &Deployment, seed: &str) -> IntentTerms {
    let wallets = genesis().wallets().to_vec();
    let (user, filler) = (wallets[0].address.into_word(), wallets[1].address.into_word());
    let fill_deadline = now() + FILL_WINDOW;
    IntentTerms {
        origin_chain_id: origin.chain.get(),
        escrow: origin.escrow.into_word(),
        user,
        nonce: keccak256(seed),
        input_token: B256::ZERO,
        amount_in: U256::from(1_000_000),
        refund_to: user,
        filler,
        payee: wallets[2].address.into_word(),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: destination.chain.get(),
        settler: destination.settler.into_word(),
        output_token: B256::ZERO,
        amount_out: U256::from(990_000),
        recipient: user,
        open_deadline: fill_deadline - 60,
        fill_deadline,
        refund_at: fill_deadline + 3_600,
        epoch: 1,
    }
}
