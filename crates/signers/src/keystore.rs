//! Private keys in encrypted files: Web3 Secret Storage version 3 for EVM chains, the form of EIP-2335 for Solana.

mod cipher;

use std::fmt;

use alloy_primitives::{Address as EvmAddress, hex, keccak256};
use causeway_domain::{Address, Family};
use ed25519_dalek::SigningKey as Ed25519Key;
use k256::ecdsa::SigningKey as Secp256k1Key;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;
use zeroize::Zeroizing;

pub use self::cipher::Cost;
use self::cipher::{Derivation, apply, random};

/// Why a keystore gives no key.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum KeystoreError {
    #[error("it is no keystore: {0}")]
    Form(String),
    #[error("the password does not open it")]
    Password,
    #[error("it is a keystore for {0}, and a key for {1} is needed here")]
    Family(&'static str, &'static str),
    #[error("it says that its account is {said}, and its key is that of {found}")]
    OtherAccount { said: Address, found: Address },
    #[error("there is no randomness: {0}")]
    Random(String),
}

/// A private key, which is wiped from memory when it is dropped, and the account that it is.
#[derive(Clone, PartialEq, Eq)]
pub struct OpenedKey {
    pub key: Zeroizing<[u8; 32]>,
    pub address: Address,
}

impl fmt::Debug for OpenedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenedKey({})", self.address)
    }
}

/// Whether a text is a keystore, of whatever kind.
pub fn is_keystore(text: &str) -> bool {
    parse(text).is_ok_and(|object| field(&object, "crypto").is_some())
}

/// The family whose keys such a keystore holds, and the account that it names.
pub fn account(text: &str) -> Result<(Family, Option<Address>), KeystoreError> {
    let object = parse(text)?;
    let family = family(&object)?;
    let named = match family {
        Family::Evm => object.get("address").and_then(Value::as_str).and_then(|text| {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            Some(Address::Evm(EvmAddress::from(hex_array::<20>(digits)?)))
        }),
        Family::Solana => {
            let text = object.get("pubkey").and_then(Value::as_str);
            text.and_then(hex_array::<32>).map(Address::Solana)
        }
        Family::Bitcoin | Family::Tron => None,
    };
    Ok((family, named))
}

/// Opens a keystore of a family with its password.
pub fn open(text: &str, password: &str, family: Family) -> Result<OpenedKey, KeystoreError> {
    let (own, said) = account(text)?;
    if own != family {
        return Err(KeystoreError::Family(name(own), name(family)));
    }
    let object = parse(text)?;
    let crypto =
        field(&object, "crypto").and_then(Value::as_object).ok_or_else(|| form("it has no `crypto`"))?;
    let key = match family {
        Family::Evm => open_v3(crypto, password)?,
        Family::Solana => open_eip_2335(crypto, password)?,
        Family::Bitcoin | Family::Tron => return Err(no_keys()),
    };
    let found = address_of(&key, family)?;
    match said {
        Some(said) if said != found => Err(KeystoreError::OtherAccount { said, found }),
        _ => Ok(OpenedKey { key, address: found }),
    }
}

/// Encrypts a key under a password.
pub fn seal(key: &[u8; 32], family: Family, password: &str, cost: Cost) -> Result<String, KeystoreError> {
    let address = address_of(key, family)?;
    let (salt, iv, id) = (random::<32>()?, random::<16>()?, uuid(random::<16>()?));
    let derivation = Derivation::new(salt, cost);
    let document = match family {
        Family::Evm => {
            let secret = derivation.derive(password.as_bytes())?;
            let ciphertext = apply(&secret, &iv, key);
            let mac = keccak256([mac_key(&secret), &ciphertext].concat());
            let Address::Evm(address) = address else { return Err(form("another family")) };
            json!({
                "version": 3,
                "id": id,
                "address": hex::encode(address),
                "crypto": {
                    "cipher": "aes-128-ctr",
                    "cipherparams": { "iv": hex::encode(iv) },
                    "ciphertext": hex::encode(ciphertext),
                    "kdf": derivation.function(),
                    "kdfparams": derivation.params(),
                    "mac": hex::encode(mac),
                },
            })
        }
        Family::Solana => {
            let secret = derivation.derive(&normalized(password))?;
            let ciphertext = apply(&secret, &iv, key);
            let checksum = Sha256::digest([mac_key(&secret), &ciphertext].concat());
            let Address::Solana(address) = address else { return Err(form("another family")) };
            json!({
                "version": 4,
                "uuid": id,
                "description": "ed25519 key of Solana",
                "path": "",
                "pubkey": hex::encode(address),
                "crypto": {
                    "kdf": { "function": derivation.function(), "params": derivation.params(), "message": "" },
                    "checksum": { "function": "sha256", "params": {}, "message": hex::encode(checksum) },
                    "cipher": {
                        "function": "aes-128-ctr",
                        "params": { "iv": hex::encode(iv) },
                        "message": hex::encode(ciphertext),
                    },
                },
            })
        }
        Family::Bitcoin | Family::Tron => return Err(no_keys()),
    };
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| form(&error.to_string()))
}

fn open_v3(crypto: &Map<String, Value>, password: &str) -> Result<Zeroizing<[u8; 32]>, KeystoreError> {
    expect(crypto, "cipher", "aes-128-ctr")?;
    let params = crypto.get("kdfparams").ok_or_else(|| form("it has no `kdfparams`"))?;
    let derivation = Derivation::read(text(crypto, "kdf")?, params)?;
    let iv = crypto
        .get("cipherparams")
        .and_then(Value::as_object)
        .ok_or_else(|| form("it has no `cipherparams`"))?;
    let iv = hex_array::<16>(text(iv, "iv")?).ok_or_else(|| form("its `iv` is not 16 bytes"))?;
    let ciphertext = bytes(text(crypto, "ciphertext")?)?;
    let mac = bytes(text(crypto, "mac")?)?;
    let secret = derivation.derive(password.as_bytes())?;
    let own = keccak256([mac_key(&secret), &ciphertext].concat());
    decrypted(&secret, &iv, &ciphertext, own.as_slice(), &mac)
}

fn open_eip_2335(crypto: &Map<String, Value>, password: &str) -> Result<Zeroizing<[u8; 32]>, KeystoreError> {
    let module = |name: &str| {
        let module = crypto.get(name).and_then(Value::as_object);
        module.ok_or_else(|| form(&format!("it has no `{name}`")))
    };
    let (kdf, checksum, cipher) = (module("kdf")?, module("checksum")?, module("cipher")?);
    expect(cipher, "function", "aes-128-ctr")?;
    expect(checksum, "function", "sha256")?;
    let params = kdf.get("params").ok_or_else(|| form("its `kdf` has no `params`"))?;
    let derivation = Derivation::read(text(kdf, "function")?, params)?;
    let iv = cipher
        .get("params")
        .and_then(Value::as_object)
        .ok_or_else(|| form("its `cipher` has no `params`"))?;
    let iv = hex_array::<16>(text(iv, "iv")?).ok_or_else(|| form("its `iv` is not 16 bytes"))?;
    let ciphertext = bytes(text(cipher, "message")?)?;
    let said = bytes(text(checksum, "message")?)?;
    let secret = derivation.derive(&normalized(password))?;
    let own = Sha256::digest([mac_key(&secret), &ciphertext].concat());
    decrypted(&secret, &iv, &ciphertext, own.as_slice(), &said)
}

fn decrypted(
    secret: &[u8; 32],
    iv: &[u8; 16],
    ciphertext: &[u8],
    own: &[u8],
    said: &[u8],
) -> Result<Zeroizing<[u8; 32]>, KeystoreError> {
    if !bool::from(own.ct_eq(said)) {
        return Err(KeystoreError::Password);
    }
    let text = Zeroizing::new(apply(secret, iv, ciphertext));
    let key = <[u8; 32]>::try_from(text.as_slice()).map(Zeroizing::new);
    key.map_err(|_| form("what it holds is not 32 bytes"))
}

/// The half of the derived secret that authenticates.
fn mac_key(secret: &[u8; 32]) -> &[u8] {
    &secret[16..]
}

fn address_of(key: &[u8; 32], family: Family) -> Result<Address, KeystoreError> {
    match family {
        Family::Evm => {
            let key = Secp256k1Key::from_slice(key).map_err(|_| form("its key is none of secp256k1"))?;
            Ok(Address::Evm(EvmAddress::from_private_key(&key)))
        }
        Family::Solana => Ok(Address::Solana(Ed25519Key::from_bytes(key).verifying_key().to_bytes())),
        Family::Bitcoin | Family::Tron => Err(no_keys()),
    }
}

/// EIP-2335: passwords are normalized, and control characters are not part of them.
fn normalized(password: &str) -> Zeroizing<Vec<u8>> {
    let kept = password.nfkd().filter(|c| !matches!(*c, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}'));
    Zeroizing::new(kept.collect::<String>().into_bytes())
}

const fn name(family: Family) -> &'static str {
    match family {
        Family::Evm => "EVM chains",
        Family::Solana => "Solana",
        Family::Bitcoin => "Bitcoin",
        Family::Tron => "Tron",
    }
}

fn no_keys() -> KeystoreError {
    form("the service has no keys of this chain")
}

fn family(object: &Map<String, Value>) -> Result<Family, KeystoreError> {
    match object.get("version").and_then(Value::as_u64) {
        Some(3) => Ok(Family::Evm),
        Some(4) if object.get("pubkey").and_then(Value::as_str).is_some_and(|key| key.len() == 64) => {
            Ok(Family::Solana)
        }
        Some(4) => {
            Err(form("it is a keystore of EIP-2335, and its `pubkey` is not 32 bytes: a validator's key?"))
        }
        Some(other) => Err(form(&format!("its version is {other}, and 3 and 4 are read"))),
        None => Err(form("it has no `version`")),
    }
}

fn parse(text: &str) -> Result<Map<String, Value>, KeystoreError> {
    serde_json::from_str(text).map_err(|_| form("it is no JSON object"))
}

/// Some tools write `Crypto`.
fn field<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a str, KeystoreError> {
    object.get(name).and_then(Value::as_str).ok_or_else(|| form(&format!("it has no `{name}`")))
}

fn expect(object: &Map<String, Value>, name: &str, wanted: &str) -> Result<(), KeystoreError> {
    match text(object, name)? {
        found if found == wanted => Ok(()),
        found => Err(form(&format!("its `{name}` is {found:?}, and {wanted:?} is read"))),
    }
}

fn bytes(text: &str) -> Result<Vec<u8>, KeystoreError> {
    hex::decode(text).map_err(|_| form("a field is no hex"))
}

fn hex_array<const N: usize>(text: &str) -> Option<[u8; N]> {
    hex::decode(text).ok()?.try_into().ok()
}

/// A random UUID.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = hex::encode(bytes);
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

fn form(words: &str) -> KeystoreError {
    KeystoreError::Form(words.to_owned())
}

#[cfg(test)]
mod tests;
