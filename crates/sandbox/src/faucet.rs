use alloy_consensus::{SignableTransaction as _, TxEip1559, TxEnvelope};
use alloy_eips::eip2718::Encodable2718 as _;
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U256, hex, keccak256};
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::Mutex;

use crate::evm::{EvmChain, EvmNode, OWN_NODE};
use crate::jsonrpc::{Methods as _, RpcError};

/// The faucet's key is derived from this text: a sandbox has no secrets.
const KEY_TEXT: &[u8] = b"causeway sandbox faucet";

const GAS: u64 = 200_000;
const MINT: [u8; 4] = hex!("40c10f19");

/// Sends coins and tokens on EVM chains with transactions of its own wallet.
#[derive(Debug)]
pub(crate) struct Faucet {
    key: SigningKey,
    address: Address,
    /// Held while sending, so that nonces do not collide.
    nonce_lock: Mutex<()>,
}

#[derive(Debug, Error)]
pub enum FaucetError {
    #[error("the faucet's key cannot be derived")]
    Key,
    #[error("the faucet's transaction cannot be signed")]
    Signing,
    #[error("the chain rejected the faucet transaction: {0}")]
    Refused(String),
    #[error("there is no token at {0}: no contract has this address on that chain")]
    NoToken(Address),
    #[error("nothing was sent, because the transfer would revert: {0}")]
    Reverted(String),
}

impl From<RpcError> for FaucetError {
    fn from(error: RpcError) -> Self {
        Self::Refused(error.message)
    }
}

impl Faucet {
    pub(crate) fn new() -> Result<Self, FaucetError> {
        let key = SigningKey::from_slice(keccak256(KEY_TEXT).as_slice()).map_err(|_| FaucetError::Key)?;
        let address = Address::from_public_key(key.verifying_key());
        Ok(Self { key, address, nonce_lock: Mutex::new(()) })
    }

    pub(crate) const fn address(&self) -> Address {
        self.address
    }

    /// Sends coins, or mints a token, and returns the transaction's hash.
    pub(crate) async fn send(
        &self,
        chain: &EvmChain,
        to: Address,
        token: Option<Address>,
        amount: U256,
    ) -> Result<B256, FaucetError> {
        let _guard = self.nonce_lock.lock().await;
        let chain = EvmNode { chain, node: OWN_NODE };
        let nonce =
            quantity(&chain.call("eth_getTransactionCount", json!([self.address, "pending"])).await?)?;
        let price = quantity(&chain.call("eth_gasPrice", json!([])).await?)?;
        let (kind, value, input) = match token {
            None => (TxKind::Call(to), amount, Bytes::new()),
            Some(token) => (TxKind::Call(token), U256::ZERO, mint(to, amount)),
        };
        if let Some(token) = token
            && chain.call("eth_getCode", json!([token, "latest"])).await? == json!("0x")
        {
            return Err(FaucetError::NoToken(token));
        }
        let call = json!({
            "from": self.address, "to": kind.to(), "value": value, "data": input, "gas": U256::from(GAS),
        });
        let tried = chain.call("eth_call", json!([call, "latest"])).await;
        tried.map_err(|error| FaucetError::Reverted(error.message))?;
        // What the idle chain suggests: a higher tip would raise the next suggestion, and with it what everybody pays.
        let tip = chain.chain.inner.options.tip.unwrap_or_else(|| u128::from(price));
        let max_fee = (u128::from(price) * 10).max(tip);
        let transaction = TxEip1559 {
            chain_id: chain.chain.chain_id().get(),
            nonce,
            gas_limit: GAS,
            max_fee_per_gas: max_fee,
            max_priority_fee_per_gas: tip,
            to: kind,
            value,
            input,
            ..TxEip1559::default()
        };
        let raw = self.sign(transaction)?;
        let hash = chain.call("eth_sendRawTransaction", json!([raw])).await?;
        let hash = hash.as_str().and_then(|text| text.parse().ok());
        hash.ok_or_else(|| FaucetError::Refused("no transaction hash returned".to_owned()))
    }

    fn sign(&self, transaction: TxEip1559) -> Result<Bytes, FaucetError> {
        let hash = transaction.signature_hash();
        let (signature, parity) =
            self.key.sign_prehash_recoverable(hash.as_slice()).map_err(|_| FaucetError::Signing)?;
        let signed = transaction.into_signed(Signature::from((signature, parity)));
        Ok(TxEnvelope::from(signed).encoded_2718().into())
    }
}

/// The call of `mint(address,uint256)`.
fn mint(to: Address, amount: U256) -> Bytes {
    [&MINT[..], to.into_word().as_slice(), &amount.to_be_bytes::<32>()].concat().into()
}

fn quantity(value: &Value) -> Result<u64, FaucetError> {
    let number =
        value.as_str().and_then(|text| text.strip_prefix("0x")).map(|hex| u64::from_str_radix(hex, 16));
    match number {
        Some(Ok(number)) => Ok(number),
        _ => Err(FaucetError::Refused(format!("{value} is not a quantity"))),
    }
}
