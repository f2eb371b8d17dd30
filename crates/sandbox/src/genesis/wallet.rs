use std::sync::LazyLock;

use alloy_primitives::{Address, B256};
use hmac::{Hmac, KeyInit, Mac};
use k256::elliptic_curve::sec1::ToEncodedPoint;
use k256::{NonZeroScalar, SecretKey};
use sha2::Sha512;
use solana_seed_phrase::generate_seed_from_seed_phrase_and_passphrase as seed_of;

use super::error::GenesisError;
use crate::solana::{Signer as _, TEST_MNEMONIC, test_wallet};

const WALLETS: u32 = 10;
const HARDENED: u32 = 1 << 31;

/// Derived once: the key stretching takes thousands of hashes.
static SEED: LazyLock<Vec<u8>> = LazyLock::new(|| seed_of(TEST_MNEMONIC, ""));

/// An account of the test phrase. Its key is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestWallet {
    pub address: Address,
    pub key: B256,
}

/// An account of the test phrase on Solana. Its key is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolanaWallet {
    pub address: [u8; 32],
    /// The ed25519 seed of its key.
    pub seed: B256,
}

/// The account of the test phrase at `m/44'/501'/index'/0'`.
pub(super) fn solana_wallet_at(index: u32) -> Result<SolanaWallet, GenesisError> {
    let keypair = test_wallet(index).ok_or(GenesisError::Key(index))?;
    Ok(SolanaWallet { address: keypair.pubkey().to_bytes(), seed: B256::from(*keypair.secret_bytes()) })
}

/// The accounts of the test phrase at `m/44'/60'/0'/0/n`.
pub(super) fn test_wallets() -> Result<Vec<TestWallet>, GenesisError> {
    (0..WALLETS).map(wallet_at).collect()
}

/// Whether the key is one of the first hundred of the public test phrase, on EVM chains or Solana.
pub fn is_test_key(key: &B256) -> bool {
    let evm = |index| wallet_at(index).is_ok_and(|wallet| wallet.key == *key);
    let solana = |index| solana_wallet_at(index).is_ok_and(|wallet| wallet.seed == *key);
    (0..100).any(|index| evm(index) || solana(index))
}

/// The account of the test phrase at one index.
pub(super) fn wallet_at(index: u32) -> Result<TestWallet, GenesisError> {
    let path = [HARDENED + 44, HARDENED + 60, HARDENED, 0, index];
    derive(&SEED, &path).map(|key| wallet(&key)).ok_or(GenesisError::Key(index))
}

fn wallet(key: &SecretKey) -> TestWallet {
    let point = key.public_key().to_encoded_point(false);
    // The hash covers the two coordinates, without the format byte.
    let address = Address::from_raw_public_key(point.as_bytes().split_at(1).1);
    TestWallet { address, key: B256::from_slice(&key.to_bytes()) }
}

/// Derives a key by BIP-32; `None` for the one in 2^127 seeds or indices without a key.
fn derive(seed: &[u8], path: &[u32]) -> Option<SecretKey> {
    let (mut key, mut chain_code) = halves(b"Bitcoin seed", &[seed])?;
    for &index in path {
        let parent = if index & HARDENED == 0 {
            key.public_key().to_encoded_point(true).as_bytes().to_vec()
        } else {
            [&[0][..], &key.to_bytes()].concat()
        };
        let (tweak, next) = halves(&chain_code, &[&parent, &index.to_be_bytes()])?;
        let sum = *key.to_nonzero_scalar() + *tweak.to_nonzero_scalar();
        key = SecretKey::from(Option::<NonZeroScalar>::from(NonZeroScalar::new(sum))?);
        chain_code = next;
    }
    Some(key)
}

/// HMAC-SHA512, whose left half is a key and whose right half is a chain code.
fn halves(secret: &[u8], message: &[&[u8]]) -> Option<(SecretKey, [u8; 32])> {
    let mut mac = Hmac::<Sha512>::new_from_slice(secret).ok()?;
    for part in message {
        mac.update(part);
    }
    let digest = mac.finalize().into_bytes();
    let (left, right) = digest.split_at(32);
    Some((SecretKey::from_slice(left).ok()?, right.try_into().ok()?))
}
