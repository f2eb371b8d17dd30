//! Replicas share one set of keys (rule 32): the store keeps a fingerprint of each, and a process with another key does not
//! start.

use alloy_primitives::{hex, keccak256};
use anyhow::ensure;
use causeway_domain::QuoteKeys;
use causeway_store::{KeyClaim, Store};

use crate::boot::config::Config;
use crate::boot::parts::account_keys::AccountKey;
use crate::boot::parts::keys::quote_keys;
use crate::boot::parts::market_makers::{HotKeys, MarketMakerSpec};
use crate::boot::parts::recovery::quote_key_file;
use crate::boot::parts::service_keys::ServiceKeys;

/// A key of the service: its role, what identifies it without revealing it, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedKey {
    pub(crate) claim: KeyClaim,
    /// What an operator has to copy or set.
    pub(crate) source: String,
}

/// The keys that every process on one database has to share.
pub(crate) fn shared_keys(
    config: &Config,
    keys: Option<&ServiceKeys>,
    makers: &[MarketMakerSpec],
) -> anyhow::Result<Vec<SharedKey>> {
    let Some(keys) = keys else { return Ok(Vec::new()) };
    let quote_file = quote_key_file(config);
    let mut shared = vec![
        quote_claim(&quote_keys(&quote_file)?, quote_file.display().to_string()),
        account("maker".to_owned(), &keys.maker),
    ];
    let (relayer, solana_relayer) = keys.relayers();
    if let Some(key) = relayer {
        shared.push(account("relayer".to_owned(), key));
    }
    if let Some(key) = solana_relayer {
        shared.push(account("relayer.solana".to_owned(), key));
    }
    for MarketMakerSpec { settings, keys: HotKeys { evm: hot, solana: solana_hot }, .. } in makers {
        let role = format!("market_makers.{}", settings.name);
        if let Some(key) = hot {
            shared.push(account(role.clone(), key));
        }
        if let Some(key) = solana_hot {
            shared.push(account(format!("{role}.solana"), key));
        }
    }
    Ok(shared)
}

fn quote_claim(keys: &QuoteKeys, source: String) -> SharedKey {
    let claim = KeyClaim {
        role: "quote".to_owned(),
        fingerprint: fingerprint(keys.current.as_bytes()),
        replaces: keys.older.iter().map(|key| fingerprint(key.as_bytes())).collect(),
    };
    SharedKey { claim, source }
}

/// Of a key without an address: a part of its hash.
pub(crate) fn fingerprint(key: &[u8; 32]) -> String {
    let hash = keccak256([b"causeway key fingerprint".as_slice(), key].concat());
    hex::encode(hash.get(..16).unwrap_or_default())
}

fn account(role: String, key: &AccountKey) -> SharedKey {
    let (fingerprint, source) = (key.address().to_string(), key.place().to_owned());
    SharedKey { claim: KeyClaim { role, fingerprint, replaces: Vec::new() }, source }
}

/// Records the keys in the store, or says which of them is not the one that the other processes have.
pub(crate) async fn claim_keys(store: &Store, keys: Vec<SharedKey>) -> anyhow::Result<()> {
    for SharedKey { claim, source } in keys {
        let (role, own) = (claim.role.clone(), claim.fingerprint.clone());
        let known = store.claim_key(claim).await?;
        ensure!(
            known == own,
            "the key `{role}` is {own}, and the processes on this database have {known}: copy theirs ({source}) with \
             `causeway key import`. If {own} replaces it for good, stop every process and run `causeway key forget \
             {role}`"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use causeway_domain::QuoteKey;

    use super::*;

    #[test]
    fn a_fingerprint_does_not_reveal_the_key_and_tells_keys_apart() {
        let (one, two) = (fingerprint(&[1; 32]), fingerprint(&[2; 32]));
        assert_eq!(one.len(), 32);
        assert_ne!(one, two);
        assert!(!one.contains("0101"));
    }

    #[test]
    fn rule_32_a_new_quote_key_may_replace_the_older_ones_of_its_file() {
        let keys = QuoteKeys { current: QuoteKey::new([1; 32]), older: vec![QuoteKey::new([2; 32])] };
        let SharedKey { claim, .. } = quote_claim(&keys, "keys/quote".to_owned());
        assert_eq!(claim.fingerprint, fingerprint(&[1; 32]));
        assert_eq!(claim.replaces, [fingerprint(&[2; 32])]);
    }
}
