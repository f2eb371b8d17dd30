use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address;

use crate::commitment::{AtSlot, Commitment, Contextual};
use crate::rpc::{Call, SolanaRpc};

/// The limit of `getMultipleAccounts`.
const ACCOUNTS_PER_CALL: usize = 100;

/// An account on the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub owner: Address,
    pub lamports: u64,
    pub data: Vec<u8>,
    pub executable: bool,
}

#[derive(Deserialize)]
pub(crate) struct WireAccount {
    owner: String,
    lamports: u64,
    data: (String, String),
    #[serde(default)]
    executable: bool,
}

impl TryFrom<WireAccount> for Account {
    type Error = String;

    fn try_from(wire: WireAccount) -> Result<Self, Self::Error> {
        let (data, encoding) = wire.data;
        if encoding != "base64" {
            return Err(format!("account data in {encoding} instead of base64"));
        }
        Ok(Self {
            owner: parse_address(&wire.owner)?,
            lamports: wire.lamports,
            data: STANDARD.decode(data).map_err(|error| format!("account data: {error}"))?,
            executable: wire.executable,
        })
    }
}

pub(crate) fn parse_address(text: &str) -> Result<Address, String> {
    text.parse().map_err(|_| format!("`{text}` is not an address"))
}

impl SolanaRpc {
    /// The accounts at `addresses`, in order; `None` where there is none.
    /// The node must have reached slot `not_before`. The returned slot is the earliest at which any account was read.
    pub async fn accounts(
        &self,
        addresses: &[Address],
        commitment: Commitment,
        not_before: Option<u64>,
    ) -> Result<AtSlot<Vec<Option<Account>>>, ChainError> {
        let chunks: Vec<&[Address]> = addresses.chunks(ACCOUNTS_PER_CALL).collect();
        let calls: Vec<Call> =
            chunks.iter().map(|chunk| accounts_call(chunk, commitment, not_before)).collect();
        let read = |index: usize, wire: Contextual<Vec<Option<WireAccount>>>| {
            let asked = chunks.get(index).map_or(0, |chunk| chunk.len());
            read_accounts(wire, asked, not_before)
        };
        let parts = self.request_batch(&calls, read).await?;
        let slot = parts.iter().map(|part| part.slot).min().or(not_before).unwrap_or_default();
        Ok(AtSlot { slot, value: parts.into_iter().flat_map(|part| part.value).collect() })
    }
}

pub(crate) fn accounts_call(addresses: &[Address], commitment: Commitment, not_before: Option<u64>) -> Call {
    let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let mut options = json!({ "encoding": "base64", "commitment": commitment });
    if let (Some(slot), Value::Object(options)) = (not_before, &mut options) {
        options.insert("minContextSlot".to_owned(), slot.into());
    }
    Call { method: "getMultipleAccounts", params: json!([addresses, options]) }
}

pub(crate) fn read_accounts(
    wire: Contextual<Vec<Option<WireAccount>>>,
    asked: usize,
    not_before: Option<u64>,
) -> Result<AtSlot<Vec<Option<Account>>>, String> {
    if wire.value.len() != asked {
        return Err(format!("{} accounts instead of {asked}", wire.value.len()));
    }
    if not_before.is_some_and(|slot| wire.context.slot < slot) {
        return Err("it read an earlier slot than requested".to_owned());
    }
    let accounts: Result<Vec<_>, _> =
        wire.value.into_iter().map(|one| one.map(Account::try_from).transpose()).collect();
    Ok(AtSlot { slot: wire.context.slot, value: accounts? })
}
