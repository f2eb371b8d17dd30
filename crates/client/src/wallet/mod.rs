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

/// A transaction for the wallet to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvmTransaction {
    pub chain_id: u64,
    pub to: Address,
    pub data: Bytes,
    /// Raw units of the native currency.
    pub value: U256,
    /// The service's estimate; `None` leaves it to the wallet.
    pub gas: Option<u64>,
}

/// Why a wallet failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WalletError {
    #[error("A private key is 32 bytes in hex that make a number between 1 and the order of secp256k1.")]
    Key,
    #[error("A key for Solana is a keypair of 64 bytes, in base58 or as a JSON array of numbers.")]
    SolanaKey,
    #[error("The wallet in {file} cannot be read: {message}")]
    File { file: String, message: String },
    #[error("The quote is for {requested}, but the wallet is {wallet}.")]
    AddressMismatch { requested: String, wallet: String },
    #[error("The wallet signs for chains of another family than the deposit's.")]
    UnsupportedFamily,
    #[error(
        "The service does not run on this machine; give the wallet your own endpoints with `with_endpoint`."
    )]
    NotLocal,
    #[error("The wallet has no endpoint for chain {0}; configure one with `with_endpoint`.")]
    NoEndpoint(u64),
    #[error("The request to the endpoint of chain {chain_id} failed: {message}")]
    Endpoint { chain_id: u64, message: String },
    #[error(
        "The gas price of chain {chain_id} is {price} wei, more than {max}; raise the limit with `with_max_tip`."
    )]
    GasPriceTooHigh { chain_id: u64, price: u128, max: u128 },
    /// The error message of the chain.
    #[error("Chain {chain_id} refused: {message}")]
    Refused { chain_id: u64, message: String },
    /// The broadcast was not confirmed. Keep the hash: the transaction may still be mined.
    #[error(
        "Chain {chain_id} did not say whether it took transaction {tx_hash}, which may still be mined: {message}"
    )]
    Unconfirmed { chain_id: u64, tx_hash: String, message: String },
    #[error("Transaction {0} was mined and reverted.")]
    Reverted(String),
    #[error("Transaction {0} was sent and is not mined yet.")]
    NotMined(String),
    #[error("The typed data cannot be signed: {0}.")]
    TypedData(String),
    #[error("The wallet could not sign.")]
    Signing,
    /// An error of another wallet implementation.
    #[error("{0}")]
    Other(String),
}

/// The wallet operations that a swap needs. Implement those of the chain families that the wallet supports.
pub trait Wallet: Send + Sync {
    /// The address of the payer, in the format of the API.
    fn address(&self) -> String;

    /// EVM: signs and sends the transaction, and returns its hash.
    fn send(&self, transaction: &EvmTransaction) -> impl Future<Output = Result<String, WalletError>> + Send {
        let _ = transaction;
        async { Err(WalletError::UnsupportedFamily) }
    }

    /// EVM: waits until the transaction is mined; a revert is an error.
    fn wait_for_receipt(
        &self,
        chain_id: u64,
        tx_hash: &str,
    ) -> impl Future<Output = Result<(), WalletError>> + Send {
        let _ = (chain_id, tx_hash);
        async { Err(WalletError::UnsupportedFamily) }
    }

    /// EVM: signs EIP-712 typed data as `eth_signTypedData_v4` does, and returns the signature in hex.
    fn sign_typed_data(&self, data: &Value) -> impl Future<Output = Result<String, WalletError>> + Send {
        let _ = data;
        async { Err(WalletError::UnsupportedFamily) }
    }

    /// EVM: calls a contract without a transaction, at an endpoint of the caller's own. The settler of a swap through 0x is looked up
    /// with it, unless that is trusted by its address.
    fn call(
        &self,
        chain_id: u64,
        to: Address,
        data: &Bytes,
    ) -> impl Future<Output = Result<Bytes, WalletError>> + Send {
        let _ = (chain_id, to, data);
        async { Err(WalletError::Other("The wallet does not read chains.".to_owned())) }
    }

    /// Asks an endpoint of the caller's own, by JSON-RPC. The transaction of a liquidity provider is simulated with it: with `eth_call`
    /// and a state override on EVM chains, with `getMultipleAccounts` and `simulateTransaction` on Solana. Without it such a
    /// transaction is signed only for a [`TrustedProvider`](crate::TrustedProvider) whose effects are unchecked.
    fn read(
        &self,
        chain_id: u64,
        method: &str,
        params: Value,
    ) -> impl Future<Output = Result<Value, WalletError>> + Send {
        let _ = (chain_id, method, params);
        async { Err(WalletError::Other("The wallet does not read chains.".to_owned())) }
    }

    /// Solana: signs the message of a transaction, which the service then sends.
    fn sign_message(&self, message: &[u8]) -> impl Future<Output = Result<[u8; 64], WalletError>> + Send {
        let _ = message;
        async { Err(WalletError::UnsupportedFamily) }
    }
}
