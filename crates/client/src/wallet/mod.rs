mod fees;
mod local;
mod rpc;
mod solana;
mod typed_data;

use std::future::Future;

use alloy_primitives::{Address, Bytes, U256};
use serde_json::Value;
use thiserror::Error;

pub use local::LocalWallet;
pub use solana::LocalSolanaWallet;

/// A transaction that a wallet is asked to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvmTransaction {
    pub chain_id: u64,
    pub to: Address,
    pub data: Bytes,
    /// Raw units of the chain's own coin.
    pub value: U256,
    /// The service's estimate; `None` leaves it to the wallet.
    pub gas: Option<u64>,
}

/// Why a wallet did not do what it was asked for.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalletError {
    #[error("A private key is 32 bytes in hex that make a number between 1 and the order of secp256k1.")]
    Key,
    #[error("A key for Solana is a keypair of 64 bytes, in base58 or as a JSON array of numbers.")]
    SolanaKey,
    #[error("The wallet in {file} cannot be read: {message}")]
    File { file: String, message: String },
    #[error("The quote is asked for {asked}, but the wallet is {wallet}.")]
    OtherAddress { asked: String, wallet: String },
    #[error("The wallet signs for chains of another family than the deposit's.")]
    OtherFamily,
    #[error("The wallet knows no endpoint of chain {0}; give it one with `with_endpoint`.")]
    NoEndpoint(u64),
    #[error("The endpoint of chain {chain_id} could not be asked: {message}")]
    Endpoint { chain_id: u64, message: String },
    #[error(
        "Chain {chain_id} asks {price} wei per gas, more than {most}; allow more with `tipping_at_most`."
    )]
    TooDear { chain_id: u64, price: u128, most: u128 },
    /// The chain's own words.
    #[error("Chain {chain_id} refused: {message}")]
    Refused { chain_id: u64, message: String },
    /// Keep the hash: the transaction may have been taken although nobody said so.
    #[error(
        "Chain {chain_id} did not say whether it took transaction {tx_hash}, which may still be mined: {message}"
    )]
    Unheard { chain_id: u64, tx_hash: String, message: String },
    #[error("Transaction {0} was mined and reverted.")]
    Reverted(String),
    #[error("Transaction {0} was sent and is not mined yet.")]
    NotMined(String),
    #[error("The typed data cannot be signed: {0}.")]
    TypedData(String),
    #[error("The wallet could not sign.")]
    Signing,
    /// Whatever another wallet has to say.
    #[error("{0}")]
    Other(String),
}

/// What a swap needs of a wallet. One that signs for a single family of chains leaves out what the other family needs.
pub trait Wallet: Send + Sync {
    /// Who pays, as the API spells it.
    fn address(&self) -> String;

    /// EVM: signs and sends, and answers the transaction's hash.
    fn send(&self, transaction: &EvmTransaction) -> impl Future<Output = Result<String, WalletError>> + Send {
        let _ = transaction;
        async { Err(WalletError::OtherFamily) }
    }

    /// EVM: waits until the transaction is mined; one that reverted is an error.
    fn wait_for_receipt(
        &self,
        chain_id: u64,
        tx_hash: &str,
    ) -> impl Future<Output = Result<(), WalletError>> + Send {
        let _ = (chain_id, tx_hash);
        async { Err(WalletError::OtherFamily) }
    }

    /// EVM: signs EIP-712 typed data as `eth_signTypedData_v4` does, and answers the signature in hex.
    fn sign_typed_data(&self, data: &Value) -> impl Future<Output = Result<String, WalletError>> + Send {
        let _ = data;
        async { Err(WalletError::OtherFamily) }
    }

    /// Solana: signs the message of a transaction, which the service then sends.
    fn sign_message(&self, message: &[u8]) -> impl Future<Output = Result<[u8; 64], WalletError>> + Send {
        let _ = message;
        async { Err(WalletError::OtherFamily) }
    }
}
