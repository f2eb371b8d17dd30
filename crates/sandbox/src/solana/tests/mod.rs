mod controls;
mod durability;
mod errors;
mod genesis;
mod programs;
mod reads;
mod sandbox_genesis;
mod send;
mod tokens;

use std::sync::LazyLock;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_keypair::Keypair;
use solana_message::{Message, VersionedMessage};
use solana_signer::Signer;
use solana_system_interface::instruction::transfer;
use solana_transaction::versioned::VersionedTransaction;

use super::*;

const SOL: u64 = 1_000_000_000;
const USDC: Address = Address::from_str_const("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v");
const PYUSD: Address = Address::from_str_const("2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo");

/// A chain whose slots pass only on request, with its first two wallets.
struct ChainFixture {
    chain: SolanaChain,
    alice: Keypair,
    bob: Keypair,
}

static GENESIS: LazyLock<Genesis> = LazyLock::new(|| {
    let mut genesis = Genesis::new().unwrap();
    genesis.add_mint(USDC, &MintSpec { decimals: 6, ..MintSpec::default() });
    genesis.add_mint(PYUSD, &MintSpec { program: TokenProgram::Token2022, ..MintSpec::default() });
    for wallet in test_wallets() {
        genesis.fund(wallet.pubkey(), 10_000 * SOL);
        genesis.add_tokens(wallet.pubkey(), USDC, 1_000_000_000_000).unwrap();
        genesis.add_tokens(wallet.pubkey(), PYUSD, 5_000_000).unwrap();
    }
    genesis
});

fn test_genesis() -> Genesis {
    GENESIS.clone()
}

fn manual_config() -> SolanaConfig {
    SolanaConfig { slot_time: Duration::from_hours(1), ..SolanaConfig::default() }
}

impl ChainFixture {
    fn new() -> Self {
        Self::with(manual_config())
    }

    fn with(config: SolanaConfig) -> Self {
        let chain = SolanaChain::open(config, test_genesis()).unwrap();
        Self { chain, alice: test_wallet(0).unwrap(), bob: test_wallet(1).unwrap() }
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        self.chain.call(method, params).await
    }

    async fn get(&self, method: &str, params: Value) -> Value {
        self.call(method, params).await.unwrap()
    }

    async fn blockhash(&self) -> Hash {
        let answer = self.get("getLatestBlockhash", json!([{ "commitment": "processed" }])).await;
        answer["value"]["blockhash"].as_str().unwrap().parse().unwrap()
    }

    async fn balance(&self, address: &Address, commitment: &str) -> u64 {
        let answer = self.get("getBalance", json!([address.to_string(), { "commitment": commitment }])).await;
        answer["value"].as_u64().unwrap()
    }

    /// Signs with Alice's key.
    async fn sign(&self, instructions: &[Instruction]) -> VersionedTransaction {
        let message =
            Message::new_with_blockhash(instructions, Some(&self.alice.pubkey()), &self.blockhash().await);
        VersionedTransaction::try_new(VersionedMessage::Legacy(message), &[&self.alice]).unwrap()
    }

    async fn payment(&self, lamports: u64) -> VersionedTransaction {
        self.sign(&[transfer(&self.alice.pubkey(), &self.bob.pubkey(), lamports)]).await
    }

    async fn send(&self, transaction: &VersionedTransaction, config: Value) -> Result<String, RpcError> {
        let mut config = config;
        config["encoding"] = json!("base64");
        let signature = self.call("sendTransaction", json!([encoded(transaction), config])).await?;
        Ok(signature.as_str().unwrap().to_owned())
    }

    async fn pay(&self, lamports: u64) -> String {
        let payment = self.payment(lamports).await;
        self.send(&payment, json!({})).await.unwrap()
    }

    async fn status(&self, signature: &str) -> Value {
        self.get("getSignatureStatuses", json!([[signature]])).await["value"][0].take()
    }

    async fn pass(&self, slots: u64) -> u64 {
        self.chain.advance(slots).await.unwrap()
    }
}

fn encoded(transaction: &VersionedTransaction) -> String {
    BASE64_STANDARD.encode(wincode::serialize(transaction).unwrap())
}
