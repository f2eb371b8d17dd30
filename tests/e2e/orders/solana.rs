use std::time::{Duration, Instant};

use alloy_primitives::U256;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_client::{LocalSolanaWallet, Wallet as _};
use causeway_domain::Address;
use causeway_solana::program::associated_token_account;
use causeway_solana::{SolanaKey, TOKEN_PROGRAM, TokenAccount};
use serde_json::{Value, json};

use super::chains::Chains;
use super::solana_message::{pay_coins, pay_tokens};

pub(super) const SOLANA: u64 = 20_011_000_000;

/// SOL, as the service spells it.
pub(super) const SOL: Address = Address::Solana([0; 32]);

/// How long a wallet retries; far longer than any fault.
const TIMEOUT: Duration = Duration::from_mins(3);

/// Where the signature of the only signer lies in a transaction.
const SIGNATURE_AT: usize = 1;
const MESSAGE_AT: usize = SIGNATURE_AT + 64;

/// A wallet that signs whatever message it is shown.
pub(super) struct SolanaWallet {
    wallet: LocalSolanaWallet,
    pub(super) address: [u8; 32],
}

impl SolanaWallet {
    pub(super) fn new(seed: [u8; 32]) -> Self {
        let address = SolanaKey::from_seed(seed).address().to_bytes();
        let pair: [u8; 64] = [seed, address].concat().try_into().unwrap();
        Self { wallet: LocalSolanaWallet::from_bytes(&pair).unwrap(), address }
    }

    async fn sign_message(&self, message: &[u8]) -> Vec<u8> {
        let signature = self.wallet.sign_message(message).await.unwrap();
        [&[1][..], &signature, message].concat()
    }

    /// Signs a transaction that was built for it, in base64 as it came.
    pub(super) async fn sign(&self, built: &str) -> String {
        let wire = STANDARD.decode(built).unwrap();
        assert_eq!(wire.first(), Some(&1), "nobody but the payer signs");
        assert!(wire[SIGNATURE_AT..MESSAGE_AT].iter().all(|byte| *byte == 0), "nobody has signed");
        STANDARD.encode(self.sign_message(&wire[MESSAGE_AT..]).await)
    }
}

impl Chains {
    /// Asks a node of Solana; what it refuses comes back in its words.
    pub(super) async fn solana(&self, method: &str, params: Value) -> Result<Value, Value> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut answer = self.rpc(SOLANA, &call).await;
        if answer["error"].is_null() { Ok(answer["result"].take()) } else { Err(answer["error"].take()) }
    }

    /// Sends a signed transaction, again where it was lost, until it has succeeded for good. `None` if its blockhash is dead,
    /// so that it never lands.
    pub(super) async fn send_on_solana(&self, signed: &str) -> Option<String> {
        let wire = STANDARD.decode(signed).unwrap();
        let signature = bs58_of(&wire[SIGNATURE_AT..MESSAGE_AT]);
        let begun = Instant::now();
        let mut last_error = None;
        while begun.elapsed() < TIMEOUT {
            let status = self.status_on_solana(&signature).await;
            if status["confirmationStatus"] == "finalized" {
                assert!(status["err"].is_null(), "{signature} failed: {status}");
                return Some(signature);
            }
            if status.is_null() {
                let options = json!({ "encoding": "base64", "preflightCommitment": "processed" });
                let sent = self.solana("sendTransaction", json!([signed, options])).await;
                let is_dead = sent.as_ref().is_err_and(|error| {
                    error["message"].as_str().is_some_and(|message| message.contains("Blockhash not found"))
                });
                if is_dead && self.status_on_solana(&signature).await.is_null() {
                    return None;
                }
                last_error = sent.err();
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        panic!("{signature} does not land: {last_error:?}");
    }

    async fn status_on_solana(&self, signature: &str) -> Value {
        let options = json!({ "searchTransactionHistory": true });
        let asked = json!([[signature], options]);
        self.solana("getSignatureStatuses", asked).await.unwrap()["value"][0].take()
    }

    /// Waits until what is in a slot now is final or gone.
    pub(super) async fn wait_for_solana(&self) {
        let slot = async |commitment: &str| {
            let asked = json!([{ "commitment": commitment }]);
            self.solana("getSlot", asked).await.unwrap().as_u64().unwrap()
        };
        let newest = slot("processed").await;
        while slot("finalized").await < newest {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Whether a transaction with the blockhash of this one can still land.
    pub(super) async fn is_fresh_on_solana(&self, signed: &str) -> bool {
        let wire = STANDARD.decode(signed).unwrap();
        let message = &wire[MESSAGE_AT..];
        // A version, where there is one, three numbers of signers, the number of accounts, the accounts, the blockhash.
        let counted = usize::from(message[0] >= 0x80) + 3;
        let at = counted + 1 + 32 * usize::from(message[counted]);
        let asked = json!([bs58_of(&message[at..at + 32]), { "commitment": "processed" }]);
        self.solana("isBlockhashValid", asked).await.unwrap()["value"].as_bool().unwrap()
    }

    /// Sends SOL or a token, as any wallet does: the receiver's token account is made on the way.
    pub(super) async fn pay_on_solana(
        &self,
        wallet: &SolanaWallet,
        token: [u8; 32],
        to: [u8; 32],
        amount: U256,
    ) {
        let amount = amount.to();
        loop {
            let recent =
                self.solana("getLatestBlockhash", json!([{ "commitment": "confirmed" }])).await.unwrap();
            let blockhash = address_bytes(recent["value"]["blockhash"].as_str().unwrap());
            let message = if Address::Solana(token) == SOL {
                pay_coins(wallet.address, to, amount, blockhash)
            } else {
                let accounts = (token_account(token, wallet.address), token_account(token, to));
                pay_tokens(wallet.address, accounts, (token, to), amount, blockhash)
            };
            let signed = STANDARD.encode(wallet.sign_message(&message).await);
            if self.send_on_solana(&signed).await.is_some() {
                return;
            }
        }
    }

    pub(super) async fn balance_on_solana(&self, token: [u8; 32], owner: [u8; 32]) -> U256 {
        if Address::Solana(token) == SOL {
            let asked = json!([Address::Solana(owner).to_string(), { "commitment": "confirmed" }]);
            return U256::from(self.solana("getBalance", asked).await.unwrap()["value"].as_u64().unwrap());
        }
        self.held_on_solana(token_account(token, owner)).await
    }

    /// What a token account holds; nothing where there is none.
    pub(super) async fn held_on_solana(&self, account: [u8; 32]) -> U256 {
        let options = json!({ "encoding": "base64", "commitment": "confirmed" });
        let asked = json!([Address::Solana(account).to_string(), options]);
        let found = self.solana("getAccountInfo", asked).await.unwrap();
        match found["value"]["data"][0].as_str() {
            Some(data) => U256::from(TokenAccount::parse(&STANDARD.decode(data).unwrap()).unwrap().amount),
            None => U256::ZERO,
        }
    }
}

/// The associated token account.
pub(super) fn token_account(mint: [u8; 32], owner: [u8; 32]) -> [u8; 32] {
    associated_token_account(&owner.into(), &mint.into(), &TOKEN_PROGRAM).to_bytes()
}

/// Bytes as Solana writes them.
fn bs58_of(bytes: &[u8]) -> String {
    bs58::encode(bytes).into_string()
}

pub(super) fn address_bytes(text: &str) -> [u8; 32] {
    match Address::parse_any(text) {
        Some(Address::Solana(bytes)) => bytes,
        _ => panic!("{text} is not 32 bytes in base58"),
    }
}
