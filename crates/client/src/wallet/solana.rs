use std::fmt;
use std::path::Path;

use ed25519_dalek::{Signer as _, SigningKey};

use serde_json::Value;

use super::rpc::Endpoints;
use super::{Wallet, WalletError};
use crate::token_identifier::SOLANA_CHAIN_ID;

/// A wallet with an in-memory Solana keypair. The key is never printed.
///
/// The service sends what the wallet signs. It needs an endpoint only to simulate what liquidity providers settle.
pub struct LocalSolanaWallet {
    key: SigningKey,
    endpoints: Endpoints,
}

impl LocalSolanaWallet {
    /// Creates a wallet from a 64-byte keypair, in base58 or as the JSON array of the Solana CLI.
    pub fn new(text: &str) -> Result<Self, WalletError> {
        let text = text.trim();
        let bytes = if text.starts_with('[') {
            serde_json::from_str(text).map_err(|_| WalletError::SolanaKey)?
        } else {
            bs58::decode(text).into_vec().map_err(|_| WalletError::SolanaKey)?
        };
        Self::from_bytes(&bytes.try_into().map_err(|_: Vec<u8>| WalletError::SolanaKey)?)
    }

    /// Creates a wallet from a secret key followed by its public key, which must match.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, WalletError> {
        let key = SigningKey::from_keypair_bytes(bytes).map_err(|_| WalletError::SolanaKey)?;
        Ok(Self { key, endpoints: Endpoints::new()? })
    }

    /// Sets the JSON-RPC endpoint at which the transactions of liquidity providers are simulated.
    pub fn with_endpoint(mut self, url: &str) -> Result<Self, WalletError> {
        self.endpoints.insert(SOLANA_CHAIN_ID, url)?;
        Ok(self)
    }

    /// Creates a wallet from a keypair file, such as `~/.config/solana/id.json`.
    pub fn from_file(file: &Path) -> Result<Self, WalletError> {
        let text = std::fs::read_to_string(file).map_err(|error| WalletError::File {
            file: file.display().to_string(),
            message: error.to_string(),
        })?;
        Self::new(&text)
    }
}

impl Wallet for LocalSolanaWallet {
    fn address(&self) -> String {
        bs58::encode(self.key.verifying_key().as_bytes()).into_string()
    }

    async fn read(&self, chain_id: u64, method: &str, params: Value) -> Result<Value, WalletError> {
        self.endpoints.request(chain_id, method, params).await
    }

    async fn sign_message(&self, message: &[u8]) -> Result<[u8; 64], WalletError> {
        Ok(self.key.sign(message).to_bytes())
    }
}

impl fmt::Debug for LocalSolanaWallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalSolanaWallet({})", self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keypair() -> [u8; 64] {
        SigningKey::from_bytes(&[7; 32]).to_keypair_bytes()
    }

    #[test]
    fn keypair_is_parsed_in_both_formats_and_never_printed() {
        let bytes = keypair();
        let base58 = bs58::encode(bytes).into_string();
        let json = serde_json::to_string(&bytes.to_vec()).unwrap();
        for text in [&base58, &json, &format!(" {json}\n")] {
            let wallet = LocalSolanaWallet::new(text).unwrap();
            assert_eq!(wallet.address(), bs58::encode(&bytes[32..]).into_string());
            assert_eq!(format!("{wallet:?}"), format!("LocalSolanaWallet({})", wallet.address()));
        }
    }

    #[test]
    fn invalid_keypair_is_rejected() {
        let mut mismatched = keypair();
        mismatched[63] ^= 1;
        let short = bs58::encode([7; 32]).into_string();
        for text in ["", "[1,2]", "[256]", "0OIl", &short, &bs58::encode(mismatched).into_string()] {
            assert_eq!(LocalSolanaWallet::new(text).unwrap_err(), WalletError::SolanaKey, "{text}");
        }
        let missing = LocalSolanaWallet::from_file(Path::new("no/such/file")).unwrap_err();
        assert!(missing.to_string().contains("no/such/file"), "{missing}");
    }
}
