use std::fmt;
use std::time::{Duration, Instant};

use alloy_consensus::{SignableTransaction, TxEip1559, TxEnvelope, TxLegacy};
use alloy_eips::eip2718::Encodable2718 as _;
use alloy_primitives::{Address, B256, Bytes, Signature, TxKind, U64, U128, hex};
use k256::ecdsa::SigningKey;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::fees::FeeCap;
use super::rpc::Endpoints;
use super::{EvmTransaction, Wallet, WalletError, typed_data};
use crate::{Client, Error};

/// How long to wait for a receipt.
const RECEIPT_TIMEOUT: Duration = Duration::from_mins(5);
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Attempts to broadcast a transaction.
const MAX_BROADCASTS: usize = 5;

/// A wallet with an in-memory private key and an endpoint for each chain. The key is never printed.
pub struct LocalWallet {
    key: SigningKey,
    address: Address,
    endpoints: Endpoints,
    cap: FeeCap,
    /// Serializes sending, so that no nonce is used twice.
    sending: Mutex<()>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    base_fee_per_gas: Option<U128>,
}

#[derive(Deserialize)]
struct Receipt {
    status: U64,
}

impl LocalWallet {
    /// Creates a wallet from a private key in hex, without endpoints.
    pub fn new(key: &str) -> Result<Self, WalletError> {
        let bytes: [u8; 32] = hex::decode_to_array(key.trim()).map_err(|_| WalletError::Key)?;
        let key = SigningKey::from_slice(&bytes).map_err(|_| WalletError::Key)?;
        let address = Address::from_private_key(&key);
        Ok(Self {
            key,
            address,
            endpoints: Endpoints::new()?,
            cap: FeeCap::default(),
            sending: Mutex::default(),
        })
    }

    /// Creates a wallet with the endpoints of a sandbox on this machine.
    ///
    /// An RPC endpoint can show a wallet any balance and any receipt, so a remote service is not asked for
    /// them: name yours with [`LocalWallet::with_endpoint`].
    pub async fn connect_sandbox(client: &Client, key: &str) -> Result<Self, Error> {
        if !client.is_local() {
            return Err(WalletError::NotLocal.into());
        }
        let mut wallet = Self::new(key)?;
        for chain in client.chains().await? {
            if let (Some(url), "eip155") = (chain.rpc_urls.default.http.first(), chain.r#type.as_str()) {
                wallet = wallet.with_endpoint(chain.id, url)?;
            }
        }
        Ok(wallet)
    }

    /// Sets the JSON-RPC endpoint of a chain.
    pub fn with_endpoint(mut self, chain_id: u64, url: &str) -> Result<Self, WalletError> {
        self.endpoints.insert(chain_id, url)?;
        Ok(self)
    }

    /// Caps the tip per gas, in wei, whatever an endpoint suggests. On chains without a base fee the gas price is capped at ten
    /// times as much. The default is 10 gwei, and 500 on Polygon.
    #[must_use]
    pub const fn with_max_tip(mut self, wei: u128) -> Self {
        self.cap = FeeCap::new(wei);
        self
    }

    /// Calls a contract without sending a transaction.
    pub async fn call(&self, chain_id: u64, to: Address, data: &Bytes) -> Result<Bytes, WalletError> {
        let call = json!({ "from": self.address, "to": to, "data": data });
        self.endpoints.request(chain_id, "eth_call", json!([call, "latest"])).await
    }

    fn sign(&self, digest: &B256) -> Result<Signature, WalletError> {
        let signed =
            self.key.sign_prehash_recoverable(digest.as_slice()).map_err(|_| WalletError::Signing)?;
        Ok(Signature::from(signed))
    }

    fn sign_transaction<T>(&self, transaction: T) -> Result<TxEnvelope, WalletError>
    where
        T: SignableTransaction<Signature>,
        TxEnvelope: From<alloy_consensus::Signed<T>>,
    {
        let signature = self.sign(&transaction.signature_hash())?;
        Ok(transaction.into_signed(signature).into())
    }

    /// Signs the transaction with the current nonce and fees.
    async fn prepare(&self, transaction: &EvmTransaction) -> Result<TxEnvelope, WalletError> {
        let EvmTransaction { chain_id, to, data, value, gas } = transaction;
        let (chain, input) = (*chain_id, data.clone());
        let nonce: U64 = self
            .endpoints
            .request(chain, "eth_getTransactionCount", json!([self.address, "pending"]))
            .await?;
        let gas_limit = if let Some(gas) = gas {
            *gas
        } else {
            let call = json!({ "from": self.address, "to": to, "data": data, "value": value });
            self.endpoints.request::<U64>(chain, "eth_estimateGas", json!([call])).await?.to()
        };
        let head: Head =
            self.endpoints.request(chain, "eth_getBlockByNumber", json!(["latest", false])).await?;
        let (to, value, nonce) = (TxKind::Call(*to), *value, nonce.to());
        let Some(base_fee) = head.base_fee_per_gas else {
            let price: U128 = self.endpoints.request(chain, "eth_gasPrice", json!([])).await?;
            let gas_price = self.cap.price(chain, price.to())?;
            return self.sign_transaction(TxLegacy {
                chain_id: Some(chain),
                nonce,
                gas_price,
                gas_limit,
                to,
                value,
                input,
            });
        };
        let tip: U128 = self.endpoints.request(chain, "eth_maxPriorityFeePerGas", json!([])).await?;
        let tip = self.cap.tip(chain, tip.to());
        // The base fee may double before the transaction is mined. The chain charges the real one, so a wrong value is harmless.
        let max_fee = base_fee.to::<u128>().saturating_mul(2).saturating_add(tip);
        self.sign_transaction(TxEip1559 {
            chain_id: chain,
            nonce,
            gas_limit,
            max_fee_per_gas: max_fee,
            max_priority_fee_per_gas: tip,
            to,
            value,
            input,
            ..TxEip1559::default()
        })
    }

    /// Broadcasts until the endpoint has the transaction, which is idempotent. After a lost response, a rejection does not prove
    /// that the transaction was not accepted before.
    async fn broadcast(&self, chain_id: u64, signed: &TxEnvelope) -> Result<(), WalletError> {
        let (raw, hash) = (Bytes::from(signed.encoded_2718()), signed.tx_hash());
        let mut last_error = None;
        for _ in 0..MAX_BROADCASTS {
            if last_error.is_some() {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            let Err(error) =
                self.endpoints.request::<B256>(chain_id, "eth_sendRawTransaction", json!([raw])).await
            else {
                return Ok(());
            };
            // The endpoint may have the transaction although the response was lost or is an error.
            let found =
                self.endpoints.find::<Value>(chain_id, "eth_getTransactionByHash", json!([hash])).await;
            match (found, error) {
                (Ok(Some(_)), _) => return Ok(()),
                (Ok(None), refused @ WalletError::Refused { .. }) if last_error.is_none() => {
                    return Err(refused);
                }
                (_, error) => last_error = Some(error.to_string()),
            }
        }
        let (tx_hash, message) = (hash.to_string(), last_error.unwrap_or_default());
        Err(WalletError::Unconfirmed { chain_id, tx_hash, message })
    }
}

impl Wallet for LocalWallet {
    fn address(&self) -> String {
        self.address.to_string()
    }

    async fn send(&self, transaction: &EvmTransaction) -> Result<String, WalletError> {
        let _guard = self.sending.lock().await;
        let signed = self.prepare(transaction).await?;
        self.broadcast(transaction.chain_id, &signed).await?;
        Ok(signed.tx_hash().to_string())
    }

    async fn wait_for_receipt(&self, chain_id: u64, tx_hash: &str) -> Result<(), WalletError> {
        let started = Instant::now();
        while started.elapsed() < RECEIPT_TIMEOUT {
            match self.endpoints.find(chain_id, "eth_getTransactionReceipt", json!([tx_hash])).await {
                Ok(Some(Receipt { status })) if status.is_zero() => {
                    return Err(WalletError::Reverted(tx_hash.to_owned()));
                }
                Ok(Some(_)) => return Ok(()),
                // Transient endpoint failures are retried.
                Ok(None) | Err(WalletError::Endpoint { .. }) => {}
                Err(error) => return Err(error),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        Err(WalletError::NotMined(tx_hash.to_owned()))
    }

    async fn call(&self, chain_id: u64, to: Address, data: &Bytes) -> Result<Bytes, WalletError> {
        Self::call(self, chain_id, to, data).await
    }

    async fn read(&self, chain_id: u64, method: &str, params: Value) -> Result<Value, WalletError> {
        self.endpoints.request(chain_id, method, params).await
    }

    async fn sign_typed_data(&self, data: &Value) -> Result<String, WalletError> {
        let digest = typed_data::digest(data).map_err(WalletError::TypedData)?;
        Ok(hex::encode_prefixed(self.sign(&digest)?.as_bytes()))
    }
}

impl fmt::Debug for LocalWallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalWallet({})", self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_has_its_address_and_is_never_printed() {
        let key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        let wallet = LocalWallet::new(key).unwrap();
        assert_eq!(format!("{wallet:?}"), "LocalWallet(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266)");
        for bad in ["", "0x00", &"00".repeat(32), &"ff".repeat(32), &"gg".repeat(32)] {
            assert_eq!(LocalWallet::new(bad).unwrap_err(), WalletError::Key, "{bad}");
        }
    }

    #[tokio::test]
    async fn missing_endpoint_error_names_the_chain() {
        let wallet = LocalWallet::new(&"11".repeat(32)).unwrap();
        assert_eq!(wallet.wait_for_receipt(10, "0x1").await, Err(WalletError::NoEndpoint(10)));
    }
}
