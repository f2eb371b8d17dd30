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

/// How long a transaction may wait for its block.
const PATIENCE: Duration = Duration::from_mins(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);
/// How often an endpoint that fails is handed the same transaction.
const TRIES: usize = 5;

/// A private key in this process's memory, with an endpoint for each chain. It is never printed.
pub struct LocalWallet {
    key: SigningKey,
    address: Address,
    endpoints: Endpoints,
    cap: FeeCap,
    /// Two transactions must not be given the same number.
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
    /// A wallet of a private key in hex, which knows no chain yet.
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

    /// A wallet that reaches the chains by the addresses that the service makes public.
    pub async fn connect(client: &Client, key: &str) -> Result<Self, Error> {
        let mut wallet = Self::new(key)?;
        for chain in client.chains().await? {
            if let (Some(url), "eip155") = (chain.rpc_urls.default.http.first(), chain.r#type.as_str()) {
                wallet = wallet.with_endpoint(chain.id, url)?;
            }
        }
        Ok(wallet)
    }

    /// Reaches a chain by this JSON-RPC address.
    pub fn with_endpoint(mut self, chain_id: u64, url: &str) -> Result<Self, WalletError> {
        self.endpoints.insert(chain_id, url)?;
        Ok(self)
    }

    /// Tips at most so many wei per gas, whatever an endpoint says is usual, and pays at most ten times as much where a chain has
    /// no base fee. Unless told, it is 10 gwei, and 500 on Polygon.
    #[must_use]
    pub const fn tipping_at_most(mut self, wei: u128) -> Self {
        self.cap = FeeCap::at(wei);
        self
    }

    /// What a contract answers to a call, without sending anything.
    pub async fn call(&self, chain_id: u64, to: Address, data: &Bytes) -> Result<Bytes, WalletError> {
        let call = json!({ "from": self.address, "to": to, "data": data });
        self.endpoints.ask(chain_id, "eth_call", json!([call, "latest"])).await
    }

    fn sign(&self, digest: &B256) -> Result<Signature, WalletError> {
        let signed =
            self.key.sign_prehash_recoverable(digest.as_slice()).map_err(|_| WalletError::Signing)?;
        Ok(Signature::from(signed))
    }

    fn seal<T>(&self, transaction: T) -> Result<TxEnvelope, WalletError>
    where
        T: SignableTransaction<Signature>,
        TxEnvelope: From<alloy_consensus::Signed<T>>,
    {
        let signature = self.sign(&transaction.signature_hash())?;
        Ok(transaction.into_signed(signature).into())
    }

    /// The transaction, signed with the number and the fees of this moment.
    async fn prepare(&self, transaction: &EvmTransaction) -> Result<TxEnvelope, WalletError> {
        let EvmTransaction { chain_id, to, data, value, gas } = transaction;
        let (chain, input) = (*chain_id, data.clone());
        let nonce: U64 =
            self.endpoints.ask(chain, "eth_getTransactionCount", json!([self.address, "pending"])).await?;
        let gas_limit = if let Some(gas) = gas {
            *gas
        } else {
            let call = json!({ "from": self.address, "to": to, "data": data, "value": value });
            self.endpoints.ask::<U64>(chain, "eth_estimateGas", json!([call])).await?.to()
        };
        let head: Head = self.endpoints.ask(chain, "eth_getBlockByNumber", json!(["latest", false])).await?;
        let (to, value, nonce) = (TxKind::Call(*to), *value, nonce.to());
        let Some(base_fee) = head.base_fee_per_gas else {
            let price: U128 = self.endpoints.ask(chain, "eth_gasPrice", json!([])).await?;
            let gas_price = self.cap.price(chain, price.to())?;
            return self.seal(TxLegacy {
                chain_id: Some(chain),
                nonce,
                gas_price,
                gas_limit,
                to,
                value,
                input,
            });
        };
        let tip: U128 = self.endpoints.ask(chain, "eth_maxPriorityFeePerGas", json!([])).await?;
        let tip = self.cap.tip(chain, tip.to());
        // The base fee may double before the transaction is mined. The chain sets it: an endpoint that lies of it gains nothing.
        let most = base_fee.to::<u128>().saturating_mul(2).saturating_add(tip);
        self.seal(TxEip1559 {
            chain_id: chain,
            nonce,
            gas_limit,
            max_fee_per_gas: most,
            max_priority_fee_per_gas: tip,
            to,
            value,
            input,
            ..TxEip1559::default()
        })
    }

    /// Sends until the endpoint has the transaction; the same one twice does no harm. Once an answer was lost, no refusal says
    /// that it was not taken before.
    async fn broadcast(&self, chain_id: u64, signed: &TxEnvelope) -> Result<(), WalletError> {
        let (raw, hash) = (Bytes::from(signed.encoded_2718()), signed.tx_hash());
        let mut unheard = None;
        for _ in 0..TRIES {
            if unheard.is_some() {
                tokio::time::sleep(BETWEEN_LOOKS).await;
            }
            let Err(error) =
                self.endpoints.ask::<B256>(chain_id, "eth_sendRawTransaction", json!([raw])).await
            else {
                return Ok(());
            };
            // It may have been taken although the answer was lost, or says that it was.
            let found =
                self.endpoints.find::<Value>(chain_id, "eth_getTransactionByHash", json!([hash])).await;
            match (found, error) {
                (Ok(Some(_)), _) => return Ok(()),
                (Ok(None), refused @ WalletError::Refused { .. }) if unheard.is_none() => {
                    return Err(refused);
                }
                (_, error) => unheard = Some(error.to_string()),
            }
        }
        let (tx_hash, message) = (hash.to_string(), unheard.unwrap_or_default());
        Err(WalletError::Unheard { chain_id, tx_hash, message })
    }
}

impl Wallet for LocalWallet {
    fn address(&self) -> String {
        self.address.to_string()
    }

    async fn send(&self, transaction: &EvmTransaction) -> Result<String, WalletError> {
        let _turn = self.sending.lock().await;
        let signed = self.prepare(transaction).await?;
        self.broadcast(transaction.chain_id, &signed).await?;
        Ok(signed.tx_hash().to_string())
    }

    async fn wait_for_receipt(&self, chain_id: u64, tx_hash: &str) -> Result<(), WalletError> {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.endpoints.find(chain_id, "eth_getTransactionReceipt", json!([tx_hash])).await {
                Ok(Some(Receipt { status })) if status.is_zero() => {
                    return Err(WalletError::Reverted(tx_hash.to_owned()));
                }
                Ok(Some(_)) => return Ok(()),
                // It was sent: an endpoint that fails for a moment is asked again.
                Ok(None) | Err(WalletError::Endpoint { .. }) => {}
                Err(error) => return Err(error),
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        Err(WalletError::NotMined(tx_hash.to_owned()))
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
    fn a_key_knows_its_address_and_never_shows_itself() {
        let key = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
        let wallet = LocalWallet::new(key).unwrap();
        assert_eq!(format!("{wallet:?}"), "LocalWallet(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266)");
        for bad in ["", "0x00", &"00".repeat(32), &"ff".repeat(32), &"gg".repeat(32)] {
            assert_eq!(LocalWallet::new(bad).unwrap_err(), WalletError::Key, "{bad}");
        }
    }

    #[tokio::test]
    async fn a_chain_without_an_endpoint_is_named() {
        let wallet = LocalWallet::new(&"11".repeat(32)).unwrap();
        assert_eq!(wallet.wait_for_receipt(10, "0x1").await, Err(WalletError::NoEndpoint(10)));
    }
}
