use causeway_domain::ports::{ChainError, OpenedBy};
use causeway_domain::{SOLANA_CHAIN_ID, Terms};
use serde::Deserialize;
use serde_json::json;
use solana_address::Address;
use solana_signature::Signature;

use crate::account::parse_address;
use crate::program::{Act, EscrowProgram};
use crate::rpc::Call;
use crate::{Commitment, SolanaRpc};

/// Instructions are counted by their place in the transaction, those that they call in turn behind them.
const INNER: u64 = 256;

/// What a transaction that succeeded did to orders of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) signature: Signature,
    pub(crate) slot: u64,
    /// Of the block, in Unix seconds, where the node knows it.
    pub(crate) time: Option<u64>,
    /// Each with the place of its instruction.
    pub(crate) acts: Vec<(u64, Act)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTransaction {
    slot: u64,
    #[serde(default)]
    block_time: Option<i64>,
    transaction: WireBody,
    meta: WireMeta,
}

#[derive(Deserialize)]
struct WireBody {
    message: WireMessage,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMessage {
    account_keys: Vec<String>,
    instructions: Vec<WireInstruction>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireInstruction {
    program_id_index: usize,
    accounts: Vec<usize>,
    data: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMeta {
    err: Option<serde_json::Value>,
    #[serde(default)]
    loaded_addresses: Option<WireLoaded>,
    #[serde(default)]
    inner_instructions: Option<Vec<WireInner>>,
}

#[derive(Deserialize, Default)]
struct WireLoaded {
    writable: Vec<String>,
    readonly: Vec<String>,
}

#[derive(Deserialize)]
struct WireInner {
    index: u64,
    instructions: Vec<WireInstruction>,
}

impl SolanaRpc {
    /// What these transactions did to orders of the program, in their order; `None` for one that the chain does not show at
    /// this commitment.
    pub(crate) async fn told(
        &self,
        program: EscrowProgram,
        signatures: &[Signature],
        commitment: Commitment,
    ) -> Result<Vec<Option<Told>>, ChainError> {
        let call = |signature: &Signature| {
            let options = json!({
                "commitment": commitment,
                "encoding": "json",
                "maxSupportedTransactionVersion": 0,
            });
            Call { method: "getTransaction", params: json!([signature.to_string(), options]) }
        };
        let calls: Vec<Call> = signatures.iter().map(call).collect();
        let read = |index: usize, wire: Option<WireTransaction>| {
            let signature = signatures.get(index).copied().unwrap_or_default();
            wire.map(|wire| read(program, signature, &wire)).transpose()
        };
        Ok(self.ask_all(&calls, read).await?)
    }

    /// By which way a final transaction opened the order of these terms; `None` where it did not.
    pub(crate) async fn opened_by(
        &self,
        program: EscrowProgram,
        signature: &str,
        terms: &Terms,
    ) -> Result<Option<OpenedBy>, ChainError> {
        let options = json!({
            "commitment": Commitment::Finalized,
            "encoding": "json",
            "maxSupportedTransactionVersion": 0,
        });
        let call = Call { method: "getTransaction", params: json!([signature, options]) };
        let read = |wire: Option<WireTransaction>| {
            let asked = wire.map(|wire| asked(program, &wire)).transpose()?.unwrap_or_default();
            let opened = asked.iter().filter_map(|one| program.opened_by(&one.accounts, &one.data));
            Ok(opened.into_iter().find(|(_, opened)| opened == terms).map(|(by, _)| by))
        };
        Ok(self.ask(call, read).await?)
    }

    /// The same of final transactions, all of which must be there.
    pub(crate) async fn told_for_good(
        &self,
        program: EscrowProgram,
        signatures: &[Signature],
    ) -> Result<Vec<Told>, ChainError> {
        let told = self.told(program, signatures, Commitment::Finalized).await?;
        // A node may list a transaction before it can tell it.
        told.into_iter().collect::<Option<_>>().ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))
    }
}

fn read(program: EscrowProgram, signature: Signature, wire: &WireTransaction) -> Result<Told, String> {
    let time = wire.block_time.and_then(|time| u64::try_from(time).ok());
    let asked = asked(program, wire)?.into_iter();
    let acts = asked.filter_map(|one| Some((one.place, program.act(&one.accounts, &one.data)?)));
    Ok(Told { signature, slot: wire.slot, time, acts: acts.collect() })
}

/// An instruction of the program.
struct Asked {
    place: u64,
    accounts: Vec<Address>,
    data: Vec<u8>,
}

/// What a transaction asked of the program, in the order in which it was done; nothing where it failed.
fn asked(program: EscrowProgram, wire: &WireTransaction) -> Result<Vec<Asked>, String> {
    let mut asked = Vec::new();
    if wire.meta.err.is_some() {
        return Ok(asked);
    }
    let none = WireLoaded::default();
    let loaded = wire.meta.loaded_addresses.as_ref().unwrap_or(&none);
    let message = &wire.transaction.message;
    let keys = message.account_keys.iter().chain(&loaded.writable).chain(&loaded.readonly);
    let keys: Vec<Address> = keys.map(|key| parse_address(key)).collect::<Result<_, _>>()?;
    let outer = (0..).zip(&message.instructions).map(|(place, outer)| (place * INNER, outer));
    let inner = wire.meta.inner_instructions.iter().flatten().flat_map(|inner| {
        let places = inner.index.saturating_mul(INNER).saturating_add(1)..;
        places.zip(&inner.instructions)
    });
    for (place, instruction) in outer.chain(inner) {
        let key = |index: usize| keys.get(index).copied().ok_or("an instruction names no account");
        if key(instruction.program_id_index)? != program.id {
            continue;
        }
        let accounts: Vec<Address> =
            instruction.accounts.iter().map(|index| key(*index)).collect::<Result<_, _>>()?;
        let data = bs58::decode(&instruction.data).into_vec().map_err(|error| error.to_string())?;
        asked.push(Asked { place, accounts, data });
    }
    asked.sort_by_key(|one| one.place);
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::SANDBOX_PROGRAM;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn transaction(err: &serde_json::Value) -> WireTransaction {
        let key = |byte| Address::new_from_array([byte; 32]).to_string();
        let claim = bs58::encode([8]).into_string();
        serde_json::from_value(json!({
            "slot": 7,
            "transaction": { "message": {
                "accountKeys": [key(1), SANDBOX_PROGRAM.to_string(), key(2)],
                "instructions": [
                    { "programIdIndex": 2, "accounts": [0], "data": "" },
                    { "programIdIndex": 1, "accounts": [3], "data": claim },
                ],
            } },
            "meta": {
                "err": err,
                "loadedAddresses": { "writable": [key(3)], "readonly": [key(4)] },
                "innerInstructions": [
                    { "index": 0, "instructions": [{ "programIdIndex": 1, "accounts": [4], "data": claim }] },
                ],
            },
        }))
        .unwrap()
    }

    #[test]
    fn what_other_programs_ask_of_ours_is_told_too() {
        let told = read(PROGRAM, Signature::default(), &transaction(&json!(null))).unwrap();
        let claimed = |byte| Act::Claimed { order: Address::new_from_array([byte; 32]) };
        assert_eq!(told.acts, [(1, claimed(4)), (256, claimed(3))]);
    }

    #[test]
    fn a_transaction_that_failed_tells_nothing() {
        let told = read(PROGRAM, Signature::default(), &transaction(&json!("AccountNotFound"))).unwrap();
        assert_eq!(told.acts, []);
    }
}
