use std::collections::BTreeMap;

use alloy_primitives::{B256, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::check::{TOKEN_PROGRAMS, mismatch, word};
use super::super::message::Transaction;
use super::super::plan::WalletAction;
use super::{printable, would_fail};
use crate::Wallet;
use crate::token_identifier::SOLANA_CHAIN_ID;

/// What the network takes for the only signature, in lamports.
const SIGNATURE_FEE: u64 = 5_000;
/// The length of a token account without extensions, and the byte after it in one with them.
const TOKEN_ACCOUNT: usize = 165;
const WITH_EXTENSIONS: u8 = 2;
/// Where a token account has its delegate with its state, and who may close it.
const DELEGATE: std::ops::Range<usize> = 72..109;
const CLOSER: std::ops::Range<usize> = 129..165;

/// A swap of a provider's program.
#[derive(Debug)]
pub(in super::super) struct SolanaSwap {
    pub(in super::super) payer: B256,
    /// Whose the output is.
    pub(in super::super) recipient: B256,
    /// The token accounts that the input leaves and the output enters.
    pub(in super::super) source: B256,
    pub(in super::super) destination: B256,
    pub(in super::super) amount: u64,
    pub(in super::super) least: U256,
    /// The priority fee in lamports.
    pub(in super::super) tip: u64,
}

#[derive(Deserialize)]
struct Answer<T> {
    value: T,
}

#[derive(Deserialize)]
struct Simulated {
    err: Value,
    accounts: Option<Vec<Option<Account>>>,
}

#[derive(Deserialize)]
struct Account {
    lamports: u64,
    owner: String,
    /// The bytes in base64, and the name of that encoding.
    data: (String, String),
}

/// What is compared of an account.
struct State {
    lamports: u64,
    /// Whether the system program owns it, as a wallet.
    is_wallet: bool,
    token: Option<TokenState>,
}

struct TokenState {
    owner: B256,
    amount: u64,
    /// Who has power over it besides: the parts of its data that say so.
    powers: [Vec<u8>; 2],
}

impl TokenState {
    fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != TOKEN_ACCOUNT && bytes.get(TOKEN_ACCOUNT) != Some(&WITH_EXTENSIONS) {
            return None;
        }
        Some(Self {
            owner: B256::from_slice(bytes.get(32..64)?),
            amount: u64::from_le_bytes(bytes.get(64..72)?.try_into().ok()?),
            powers: [bytes.get(DELEGATE)?.to_vec(), bytes.get(CLOSER)?.to_vec()],
        })
    }

    fn has_powers(&self) -> bool {
        self.powers.iter().any(|part| part.first() != Some(&0))
    }
}

impl Account {
    fn state(self) -> Option<State> {
        let bytes = BASE64.decode(self.data.0).ok()?;
        let of_tokens = TOKEN_PROGRAMS.contains(&self.owner.as_str());
        let token = if of_tokens { TokenState::read(&bytes) } else { None };
        Some(State { lamports: self.lamports, is_wallet: word(&self.owner) == Some(B256::ZERO), token })
    }
}

/// The accounts that exist, by their addresses; nothing if there are not as many answers.
fn states(keys: &[B256], accounts: Vec<Option<Account>>) -> Option<BTreeMap<B256, State>> {
    if accounts.len() != keys.len() {
        return None;
    }
    let found = keys.iter().zip(accounts).filter_map(|(key, account)| Some((*key, account?)));
    found.map(|(key, account)| Some((key, account.state()?))).collect()
}

impl SolanaSwap {
    /// Compares the accounts that stand in the transaction before and after: what leaves the payer, and what reaches the recipient.
    /// `false` if the wallet cannot simulate.
    pub(super) async fn check<W: Wallet>(&self, wallet: &W, left: &[WalletAction]) -> Result<bool, String> {
        let [WalletAction::SignSolana(bytes)] = left else { return Ok(false) };
        let Some((keys, before, simulated)) = simulate(wallet, bytes).await else { return Ok(false) };
        if !simulated.err.is_null() {
            return Err(would_fail(&printable(simulated.err.to_string().as_bytes())));
        }
        let Some(after) = simulated.accounts.and_then(|accounts| states(&keys, accounts)) else {
            return Ok(false);
        };
        self.compare_coin(&before, &after)?;
        for (address, state) in &before {
            if let Some(held) = state.token.as_ref().filter(|held| held.owner == self.payer) {
                self.compare_own(*address, held, after.get(address))?;
            }
        }
        let held = |states: &BTreeMap<B256, State>| {
            let token = states.get(&self.destination).and_then(|state| state.token.as_ref());
            token.filter(|token| token.owner == self.recipient).map_or(0, |token| token.amount)
        };
        let (had, has) = (held(&before), held(&after));
        if U256::from(has.saturating_sub(had)) < self.least {
            let shown = i128::from(has).saturating_sub(had.into());
            let recipient = bs58::encode(self.recipient).into_string();
            return Err(mismatch(
                &format!("what it pays {recipient}"),
                shown,
                format!("at least {}", self.least),
            ));
        }
        Ok(true)
    }

    /// SOL becomes less by the fees, and by the rent of new token accounts of payer and recipient, over which nobody else has power.
    fn compare_coin(
        &self,
        before: &BTreeMap<B256, State>,
        after: &BTreeMap<B256, State>,
    ) -> Result<(), String> {
        let mut most = SIGNATURE_FEE.saturating_add(self.tip);
        for (address, state) in after.iter().filter(|(address, _)| !before.contains_key(*address)) {
            let Some(token) = state.token.as_ref() else { continue };
            if token.owner == self.payer || token.owner == self.recipient {
                if token.has_powers() {
                    return Err(power(*address));
                }
                most = most.saturating_add(state.lamports);
            }
        }
        let coin = |states: &BTreeMap<B256, State>| states.get(&self.payer).map_or(0, |state| state.lamports);
        let taken = coin(before).saturating_sub(coin(after));
        if taken > most {
            return Err(mismatch("what it takes of the native coin", taken, format!("at most {most}")));
        }
        if after.get(&self.payer).is_some_and(|state| !state.is_wallet) {
            return Err(mismatch("the payer's wallet", "of a program", "a wallet"));
        }
        Ok(())
    }

    /// A token account of the payer keeps what it has, but for the input, and obeys nobody else than before.
    fn compare_own(&self, address: B256, held: &TokenState, after: Option<&State>) -> Result<(), String> {
        let left = after.and_then(|state| state.token.as_ref()).filter(|left| left.owner == self.payer);
        let taken = held.amount.saturating_sub(left.map_or(0, |left| left.amount));
        let most = if address == self.source { self.amount } else { 0 };
        if taken > most {
            let what = format!("what it takes of {}", bs58::encode(address).into_string());
            return Err(mismatch(&what, taken, format!("at most {most}")));
        }
        if left.is_none_or(|left| left.powers != held.powers) {
            return Err(power(address));
        }
        Ok(())
    }
}

fn power(address: B256) -> String {
    let address = bs58::encode(address).into_string();
    mismatch(&format!("who may use {address}"), "somebody else", "nobody but its owner")
}

/// The accounts that stand in the transaction, as they are, and as the wallet's endpoint says that they will be.
async fn simulate<W: Wallet>(
    wallet: &W,
    bytes: &[u8],
) -> Option<(Vec<B256>, BTreeMap<B256, State>, Simulated)> {
    let keys = Transaction::read(bytes)?.keys;
    let addresses: Vec<String> = keys.iter().map(|key| bs58::encode(key).into_string()).collect();
    let (commitment, encoding) = ("confirmed", "base64");
    let wanted = json!([addresses, { "commitment": commitment, "encoding": encoding }]);
    let before = wallet.read(SOLANA_CHAIN_ID, "getMultipleAccounts", wanted).await.ok()?;
    let before: Answer<Vec<Option<Account>>> = serde_json::from_value(before).ok()?;
    let options = json!({
        "commitment": commitment, "encoding": encoding, "sigVerify": false, "replaceRecentBlockhash": true,
        "accounts": { "encoding": encoding, "addresses": addresses },
    });
    let call = json!([BASE64.encode(bytes), options]);
    let after = wallet.read(SOLANA_CHAIN_ID, "simulateTransaction", call).await.ok()?;
    let after: Answer<Simulated> = serde_json::from_value(after).ok()?;
    Some((keys.clone(), states(&keys, before.value)?, after.value))
}
