//! The sandbox's Solana behind real JSON-RPC, with the escrow program deployed.

use std::time::Duration;

use alloy_primitives::{Address as Attester, B256, U256};
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use causeway_domain::{Address as AnyAddress, IntentTerms, SOLANA_CHAIN_ID, SolanaDeployment, TokenId};
use causeway_sandbox::TokenSpec;
use causeway_sandbox::genesis::Roles;
use causeway_sandbox::solana::{SolanaChain, SolanaConfig, sandbox_genesis, test_wallet};
use causeway_solana::orders::{FirstEpoch, ensure_program};
use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM, associated_token_account};
use causeway_solana::{
    RpcConfig, SignedTransaction, SolanaKey, SolanaRpc, TOKEN_PROGRAM, UnsignedTransaction,
};
use solana_address::Address;
use solana_instruction::Instruction;
use solana_keypair::Keypair;
use solana_signer::Signer as _;

pub(crate) const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);
pub(crate) const USDC: Address = Address::from_str_const("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");
pub(crate) const SOL: u64 = 1_000_000_000;
/// The deposit in the terms of these tests, in SOL or USDC base units.
pub(crate) const AMOUNT: u64 = 5_000_000;

pub(crate) struct SandboxChain {
    pub(crate) chain: SolanaChain,
    pub(crate) rpc: SolanaRpc,
    pub(crate) deployment: SolanaDeployment,
}

pub(crate) fn first_epoch() -> FirstEpoch {
    let members = Roles::new().unwrap().attesters.map(|attester| attester.address).to_vec();
    FirstEpoch { min_grace: 60, threshold: 2, members }
}

pub(crate) fn deployer() -> SolanaKey {
    SolanaKey::from_seed(Roles::new().unwrap().solana_deployer.seed.0)
}

impl SandboxChain {
    /// A chain with short slots and an initialized program.
    pub(crate) async fn start() -> Self {
        let (chain, rpc) = without_deployment().await;
        let deployment = ensure_program(&rpc, PROGRAM, &deployer(), &first_epoch()).await.unwrap();
        Self { chain, rpc, deployment }
    }

    /// Sends instructions that `key` pays for, and waits until they are final.
    pub(crate) async fn land(&self, key: &Keypair, instructions: &[Instruction]) -> SignedTransaction {
        let recent = self.rpc.recent_blockhash().await.unwrap();
        let built = UnsignedTransaction::build(&key.pubkey(), instructions, &[], recent).unwrap();
        let signed = SolanaKey::from_seed(*key.secret_bytes()).sign(&built).unwrap();
        self.rpc.send(&signed, true).await.unwrap();
        self.finalize().await;
        signed
    }

    /// Advances the chain until everything sent so far is final.
    pub(crate) async fn finalize(&self) {
        self.chain.advance(40).await.unwrap();
    }

    pub(crate) async fn now(&self) -> u64 {
        self.chain.time().await.unwrap().try_into().unwrap()
    }

    /// Terms of the first test wallet that can be opened now.
    pub(crate) async fn terms(&self, input: Option<Address>) -> IntentTerms {
        let now = self.now().await;
        let word = |address: Address| B256::from(address.to_bytes());
        let user = word(user().pubkey());
        IntentTerms {
            origin_chain_id: SOLANA_CHAIN_ID.get(),
            escrow: self.deployment.program,
            user,
            nonce: B256::repeat_byte(4),
            input_token: input.map_or(B256::ZERO, word),
            amount_in: U256::from(AMOUNT),
            refund_to: user,
            filler: B256::repeat_byte(8),
            payee: B256::repeat_byte(9),
            referrer: B256::ZERO,
            referrer_fee: U256::ZERO,
            destination_chain_id: 8453,
            settler: Attester::repeat_byte(13).into_word(),
            output_token: B256::ZERO,
            amount_out: U256::from(15),
            recipient: Attester::repeat_byte(16).into_word(),
            open_deadline: now + 600,
            fill_deadline: now + 1_200,
            refund_at: now + 2_000,
            epoch: 1,
        }
    }
}

/// The chain before the program is initialized.
pub(crate) async fn without_deployment() -> (SolanaChain, SolanaRpc) {
    let usdc = TokenSpec {
        address: AnyAddress::Solana(USDC.to_bytes()),
        symbol: "USDC".to_owned(),
        name: "USD Coin".to_owned(),
        decimals: 6,
        is_wrapped_native: false,
        usd_price: Some("1".parse().unwrap()),
    };
    let genesis = sandbox_genesis(&[usdc], &Roles::new().unwrap()).unwrap();
    let config = SolanaConfig { slot_time: Duration::from_millis(50), ..SolanaConfig::default() };
    let chain = SolanaChain::open(config, genesis).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let answer =
        |State(chain): State<SolanaChain>, body: axum::body::Bytes| async move { chain.rpc(&body).await };
    let app = Router::new().route("/", post(answer)).with_state(chain.clone());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let mut config = RpcConfig::new(vec![url]);
    config.pool.endpoints[0].calls_per_second = None;
    config.poll_interval = Duration::from_millis(20);
    (chain, SolanaRpc::new(config).unwrap())
}

/// The first test wallet.
pub(crate) fn user() -> Keypair {
    test_wallet(0).unwrap()
}

pub(crate) fn usdc_of(owner: &Address) -> Address {
    associated_token_account(owner, &USDC, &TOKEN_PROGRAM)
}

pub(crate) fn usdc() -> TokenId {
    TokenId::from_address(SOLANA_CHAIN_ID, AnyAddress::Solana(USDC.to_bytes())).unwrap()
}
