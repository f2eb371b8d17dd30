use std::fmt;
use std::path::Path;

use ed25519_dalek::{Signer as _, SigningKey};

use super::{Wallet, WalletError};

/// A keypair for Solana in this process's memory. It is never printed.
///
/// It needs no endpoint: the service sends what the wallet signs.
pub struct LocalSolanaWallet {
    key: SigningKey,
}

impl LocalSolanaWallet {
    /// A wallet of a keypair of 64 bytes, in base58 or as the JSON array that Solana's own tools write.
    pub fn new(text: &str) -> Result<Self, WalletError> {
        let text = text.trim();
        let bytes = if text.starts_with('[') {
            serde_json::from_str(text).map_err(|_| WalletError::SolanaKey)?
        } else {
            bs58::decode(text).into_vec().map_err(|_| WalletError::SolanaKey)?
        };
        Self::from_bytes(&bytes.try_into().map_err(|_: Vec<u8>| WalletError::SolanaKey)?)
    }

    /// A wallet of the secret key followed by its public key; the two must belong together.
    pub fn from_bytes(bytes: &[u8; 64]) -> Result<Self, WalletError> {
        let key = SigningKey::from_keypair_bytes(bytes).map_err(|_| WalletError::SolanaKey)?;
        Ok(Self { key })
    }

    /// A wallet of the keypair in a file, such as `~/.config/solana/id.json`.
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
    fn a_keypair_is_read_however_it_is_written_and_never_shows_itself() {
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
    fn what_is_no_keypair_is_refused() {
        let mut torn = keypair();
        torn[63] ^= 1;
        let short = bs58::encode([7; 32]).into_string();
        for text in ["", "[1,2]", "[256]", "0OIl", &short, &bs58::encode(torn).into_string()] {
            assert_eq!(LocalSolanaWallet::new(text).unwrap_err(), WalletError::SolanaKey, "{text}");
        }
        let missing = LocalSolanaWallet::from_file(Path::new("no/such/file")).unwrap_err();
        assert!(missing.to_string().contains("no/such/file"), "{missing}");
    }
}
