use std::num::NonZeroU32;

use aes::Aes128;
use alloy_primitives::hex;
use ctr::Ctr128BE;
use ctr::cipher::{KeyIvInit as _, StreamCipher as _};
use ring::pbkdf2;
use serde_json::{Value, json};
use zeroize::{Zeroize as _, Zeroizing};

use super::KeystoreError;

/// The memory that a keystore may ask for, in bytes, and how often it may be run through.
const MAX_MEMORY: u64 = 1 << 30;
const MAX_PARALLEL: u32 = 16;
const MAX_ITERATIONS: u32 = 20_000_000;

/// What one try of a password costs whoever has stolen the file: `2^log_n` blocks of scrypt of one kibibyte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    pub log_n: u8,
}

/// 128 MiB and some hundred milliseconds.
impl Default for Cost {
    fn default() -> Self {
        Self { log_n: 17 }
    }
}

/// How the secret is derived from a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Derivation {
    Scrypt { log_n: u8, r: u32, p: u32, salt: Vec<u8> },
    Pbkdf2 { iterations: NonZeroU32, salt: Vec<u8> },
}

impl Derivation {
    pub(super) fn new(salt: [u8; 32], cost: Cost) -> Self {
        Self::Scrypt { log_n: cost.log_n, r: 8, p: 1, salt: salt.to_vec() }
    }

    pub(super) const fn function(&self) -> &'static str {
        match self {
            Self::Scrypt { .. } => "scrypt",
            Self::Pbkdf2 { .. } => "pbkdf2",
        }
    }

    pub(super) fn params(&self) -> Value {
        match self {
            Self::Scrypt { log_n, r, p, salt } => {
                json!({ "dklen": 32, "n": 1_u64 << log_n, "r": r, "p": p, "salt": hex::encode(salt) })
            }
            Self::Pbkdf2 { iterations, salt } => {
                json!({ "dklen": 32, "c": iterations, "prf": "hmac-sha256", "salt": hex::encode(salt) })
            }
        }
    }

    /// Reads the parameters, which somebody else may have written: they may not take all memory or hours.
    pub(super) fn read(function: &str, params: &Value) -> Result<Self, KeystoreError> {
        let bad = |words: &str| KeystoreError::Form(format!("its derivation cannot be used: {words}"));
        let number = |name: &str| params.get(name).and_then(Value::as_u64);
        let small = |name: &str| number(name).and_then(|number| u32::try_from(number).ok());
        if number("dklen") != Some(32) {
            return Err(bad("`dklen` is not 32"));
        }
        let salt = params.get("salt").and_then(Value::as_str).and_then(|text| hex::decode(text).ok());
        let salt = salt.ok_or_else(|| bad("`salt` is no hex"))?;
        match function {
            "scrypt" => {
                let n = number("n").filter(|n| n.is_power_of_two() && *n > 1);
                let n = n.ok_or_else(|| bad("`n` is no power of two"))?;
                let (r, p) = small("r").zip(small("p")).ok_or_else(|| bad("`r` or `p` is missing"))?;
                let memory = n.checked_mul(128).and_then(|bytes| bytes.checked_mul(r.into()));
                if r == 0 || p == 0 || p > MAX_PARALLEL || memory.is_none_or(|bytes| bytes > MAX_MEMORY) {
                    return Err(bad("it asks for more than 1 GiB of memory, or 16 rounds"));
                }
                let log_n = u8::try_from(n.trailing_zeros()).map_err(|_| bad("`n` is too large"))?;
                Ok(Self::Scrypt { log_n, r, p, salt })
            }
            "pbkdf2" => {
                if params.get("prf").and_then(Value::as_str) != Some("hmac-sha256") {
                    return Err(bad("`prf` is not hmac-sha256"));
                }
                let iterations = small("c").filter(|c| *c <= MAX_ITERATIONS).and_then(NonZeroU32::new);
                let iterations = iterations.ok_or_else(|| bad("`c` is not between 1 and 20000000"))?;
                Ok(Self::Pbkdf2 { iterations, salt })
            }
            other => Err(bad(&format!("{other:?} is neither scrypt nor pbkdf2"))),
        }
    }

    pub(super) fn derive(&self, password: &[u8]) -> Result<Zeroizing<[u8; 32]>, KeystoreError> {
        let mut secret = Zeroizing::new([0; 32]);
        match self {
            Self::Scrypt { log_n, r, p, salt } => {
                let bad = |_| KeystoreError::Form("its derivation cannot be used".to_owned());
                let params = scrypt::Params::new(*log_n, *r, *p).map_err(bad)?;
                scrypt::scrypt(password, salt, &params, secret.as_mut_slice())
                    .map_err(|_| KeystoreError::Form("its derivation cannot be used".to_owned()))?;
            }
            Self::Pbkdf2 { iterations, salt } => {
                pbkdf2::derive(
                    pbkdf2::PBKDF2_HMAC_SHA256,
                    *iterations,
                    salt,
                    password,
                    secret.as_mut_slice(),
                );
            }
        }
        Ok(secret)
    }
}

/// Encrypts or decrypts with AES-128 in counter mode, under the first half of the secret.
pub(super) fn apply(secret: &[u8; 32], iv: &[u8; 16], text: &[u8]) -> Vec<u8> {
    let mut key = [0; 16];
    key.copy_from_slice(&secret[..16]);
    let mut text = text.to_vec();
    Ctr128BE::<Aes128>::new(&key.into(), &(*iv).into()).apply_keystream(&mut text);
    key.zeroize();
    text
}

pub(super) fn random<const N: usize>() -> Result<[u8; N], KeystoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| KeystoreError::Random(error.to_string()))?;
    Ok(bytes)
}
