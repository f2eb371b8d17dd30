use std::sync::LazyLock;

use solana_derivation_path::DerivationPath;
use solana_keypair::Keypair;
use solana_keypair::seed_derivable::keypair_from_seed_and_derivation_path;
use solana_seed_phrase::generate_seed_from_seed_phrase_and_passphrase;

/// The well-known phrase of development tools; its keys are public.
pub const TEST_MNEMONIC: &str = "test test test test test test test test test test test junk";

/// How many accounts of the test phrase are funded.
pub const TEST_WALLETS: u32 = 10;

/// Deriving the seed is slow by design, so it is done once.
static SEED: LazyLock<Vec<u8>> =
    LazyLock::new(|| generate_seed_from_seed_phrase_and_passphrase(TEST_MNEMONIC, ""));

/// The keypair of the test phrase at `m/44'/501'/index'/0'`, as wallets derive it.
pub fn test_wallet(index: u32) -> Option<Keypair> {
    let path = DerivationPath::new_bip44(Some(index), Some(0));
    keypair_from_seed_and_derivation_path(&SEED, Some(path)).ok()
}

/// The keypairs of the first ten accounts of the test phrase.
pub fn test_wallets() -> Vec<Keypair> {
    (0..TEST_WALLETS).filter_map(test_wallet).collect()
}
