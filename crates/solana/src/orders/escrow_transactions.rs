use causeway_domain::ports::{ChainError, OpenedBy};
use causeway_domain::{IntentTerms, SOLANA_CHAIN_ID};
use serde::Deserialize;
use serde_json::json;
use solana_address::Address;
use solana_signature::Signature;

use crate::account::parse_address;
use crate::program::{EscrowEvent, EscrowProgram};
use crate::rpc::Call;
use crate::{Commitment, RpcError, SolanaRpc};

/// Instructions are numbered by their index times this; inner instructions follow their outer one. Batches number their
/// claims from there on.
const INDEX_STRIDE: u64 = 256;
/// A node's refusal of a transaction whose version is above the highest that was asked for.
const UNSUPPORTED_VERSION: i64 = -32_015;

/// The events of a successful transaction of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EscrowTransaction {
    pub(crate) signature: Signature,
    pub(crate) slot: u64,
    /// Block time in Unix seconds, if the node knows it.
    pub(crate) time: Option<u64>,
    /// Each with a number of its own, in execution order.
    pub(crate) events: Vec<(u64, EscrowEvent)>,
}

impl EscrowTransaction {
    const fn without_events(signature: Signature) -> Self {
        Self { signature, slot: 0, time: None, events: Vec::new() }
    }
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
    #[serde(default)]
    pre_balances: Vec<u64>,
    #[serde(default)]
    post_balances: Vec<u64>,
    #[serde(default)]
    pre_token_balances: Option<Vec<WireTokens>>,
    #[serde(default)]
    post_token_balances: Option<Vec<WireTokens>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTokens {
    account_index: usize,
    ui_token_amount: WireAmount,
}

#[derive(Deserialize)]
struct WireAmount {
    amount: String,
}

impl WireMeta {
    /// Whether an account holds less after the transaction: tokens if it is a token account, else lamports. One that
    /// was closed has not paid, because its rent alone may have left it.
    fn has_paid(&self, index: usize) -> bool {
        let tokens = |list: &Option<Vec<WireTokens>>| {
            let one = list.iter().flatten().find(|one| one.account_index == index)?;
            one.ui_token_amount.amount.parse::<u64>().ok()
        };
        if let Some(before) = tokens(&self.pre_token_balances) {
            return tokens(&self.post_token_balances).unwrap_or_default() < before;
        }
        let lamports = |list: &[u64]| list.get(index).copied().unwrap_or_default();
        let after = lamports(&self.post_balances);
        after != 0 && after < lamports(&self.pre_balances)
    }
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
    /// The events of these transactions, in order; `None` for one that the chain does not show at this commitment. A
    /// transaction of a version that is not known here has no events.
    pub(crate) async fn escrow_transactions(
        &self,
        program: EscrowProgram,
        signatures: &[Signature],
        commitment: Commitment,
    ) -> Result<Vec<Option<EscrowTransaction>>, ChainError> {
        let call = |signature: &Signature| transaction_call(signature, commitment);
        let mut transactions = Vec::with_capacity(signatures.len());
        for chunk in signatures.chunks(self.config().pool.max_batch_calls.get()) {
            let calls: Vec<Call> = chunk.iter().map(call).collect();
            let read_one = |index: usize, wire: Option<WireTransaction>| {
                let signature = chunk.get(index).copied().unwrap_or_default();
                wire.map(|wire| read(program, signature, &wire)).transpose()
            };
            match self.request_batch(&calls, read_one).await {
                Ok(found) => transactions.extend(found),
                // Anybody can send one, so it must not stop the others.
                Err(RpcError::Refused { code: UNSUPPORTED_VERSION, .. }) => {
                    for (call, signature) in calls.into_iter().zip(chunk) {
                        let read_one = |wire: Option<WireTransaction>| {
                            wire.map(|wire| read(program, *signature, &wire)).transpose()
                        };
                        match self.request(call, read_one).await {
                            Ok(found) => transactions.push(found),
                            Err(RpcError::Refused { code: UNSUPPORTED_VERSION, .. }) => {
                                tracing::warn!(%signature, "transaction of an unknown version skipped");
                                transactions.push(Some(EscrowTransaction::without_events(*signature)));
                            }
                            Err(error) => return Err(error.into()),
                        }
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(transactions)
    }

    /// How a final transaction opened the order of these terms; `None` if it did not.
    pub(crate) async fn opened_by(
        &self,
        program: EscrowProgram,
        signature: &str,
        terms: &IntentTerms,
    ) -> Result<Option<OpenedBy>, ChainError> {
        let options = json!({
            "commitment": Commitment::Finalized,
            "encoding": "json",
            "maxSupportedTransactionVersion": 0,
        });
        let call = Call { method: "getTransaction", params: json!([signature, options]) };
        let read = |wire: Option<WireTransaction>| {
            let instructions =
                wire.map(|wire| escrow_instructions(program, &wire)).transpose()?.unwrap_or_default();
            let opened = instructions.iter().filter_map(|one| program.opened_by(&one.accounts, &one.data));
            Ok(opened.into_iter().find(|(_, opened)| opened == terms).map(|(by, _)| by))
        };
        Ok(self.request(call, read).await?)
    }

    /// The events of final transactions, all of which must exist.
    pub(crate) async fn final_escrow_transactions(
        &self,
        program: EscrowProgram,
        signatures: &[Signature],
    ) -> Result<Vec<EscrowTransaction>, ChainError> {
        let transactions = self.escrow_transactions(program, signatures, Commitment::Finalized).await?;
        // A node may list a transaction before it can return it.
        transactions.into_iter().collect::<Option<_>>().ok_or(ChainError::Unavailable(SOLANA_CHAIN_ID))
    }
}

pub(super) fn transaction_call(signature: &Signature, commitment: Commitment) -> Call {
    let options = json!({
        "commitment": commitment,
        "encoding": "json",
        "maxSupportedTransactionVersion": 0,
    });
    Call { method: "getTransaction", params: json!([signature.to_string(), options]) }
}

/// The transaction that a node returned; `None` where that cannot be read.
pub(super) fn read_transaction(
    program: EscrowProgram,
    signature: Signature,
    answer: &serde_json::Value,
) -> Option<EscrowTransaction> {
    read(program, signature, &WireTransaction::deserialize(answer).ok()?).ok()
}

fn read(
    program: EscrowProgram,
    signature: Signature,
    wire: &WireTransaction,
) -> Result<EscrowTransaction, String> {
    let time = wire.block_time.and_then(|time| u64::try_from(time).ok());
    let mut events: Vec<(u64, EscrowEvent)> = Vec::new();
    for EscrowInstruction { place, accounts, indexes, data } in escrow_instructions(program, wire)? {
        let has_paid = |at: usize| indexes.get(at).is_some_and(|index| wire.meta.has_paid(*index));
        let found = program.parse_events(&accounts, &data, has_paid);
        // An order ends once: a batch that names it again in the same transaction has skipped it.
        let news: Vec<_> =
            found.into_iter().filter(|event| !events.iter().any(|(_, known)| known == event)).collect();
        // Claims of a batch that another program calls may reach into the numbers of what that program calls next.
        let first = events.last().map_or(place, |(last, _)| place.max(last.saturating_add(1)));
        events.extend((first..).zip(news));
    }
    Ok(EscrowTransaction { signature, slot: wire.slot, time, events })
}

/// What a node answers for a transaction of the program, as it is read.
#[cfg(any(test, fuzzing))]
pub(crate) fn read_answer(program: EscrowProgram, answer: &[u8]) -> Option<EscrowTransaction> {
    let wire: WireTransaction = serde_json::from_slice(answer).ok()?;
    read(program, Signature::default(), &wire).ok()
}

/// An instruction of the program.
struct EscrowInstruction {
    place: u64,
    accounts: Vec<Address>,
    /// The places of the accounts in the transaction.
    indexes: Vec<usize>,
    data: Vec<u8>,
}

/// The instructions of the program in a transaction, in execution order; none if it failed.
fn escrow_instructions(
    program: EscrowProgram,
    wire: &WireTransaction,
) -> Result<Vec<EscrowInstruction>, String> {
    let mut instructions = Vec::new();
    if wire.meta.err.is_some() {
        return Ok(instructions);
    }
    let none = WireLoaded::default();
    let loaded = wire.meta.loaded_addresses.as_ref().unwrap_or(&none);
    let message = &wire.transaction.message;
    let keys = message.account_keys.iter().chain(&loaded.writable).chain(&loaded.readonly);
    let keys: Vec<Address> = keys.map(|key| parse_address(key)).collect::<Result<_, _>>()?;
    let outer = (0..).zip(&message.instructions).map(|(place, outer)| (place * INDEX_STRIDE, outer));
    let inner = wire.meta.inner_instructions.iter().flatten();
    if inner.clone().any(|inner| inner.index >= message.instructions.len() as u64) {
        return Err("an inner instruction without an outer one".to_owned());
    }
    let inner = inner.flat_map(|inner| (inner.index * INDEX_STRIDE + 1..).zip(&inner.instructions));
    for (place, instruction) in outer.chain(inner) {
        let key = |index: usize| keys.get(index).copied().ok_or("an instruction refers to a missing account");
        if key(instruction.program_id_index)? != program.id {
            continue;
        }
        let accounts: Vec<Address> =
            instruction.accounts.iter().map(|index| key(*index)).collect::<Result<_, _>>()?;
        let data = bs58::decode(&instruction.data).into_vec().map_err(|error| error.to_string())?;
        let indexes = instruction.accounts.clone();
        instructions.push(EscrowInstruction { place, accounts, indexes, data });
    }
    instructions.sort_by_key(|one| one.place);
    Ok(instructions)
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
    fn inner_instructions_yield_events_too() {
        let transaction = read(PROGRAM, Signature::default(), &transaction(&json!(null))).unwrap();
        let claimed = |byte| EscrowEvent::Claimed { order: Address::new_from_array([byte; 32]) };
        assert_eq!(transaction.events, [(1, claimed(4)), (256, claimed(3))]);
    }

    #[test]
    fn an_inner_instruction_without_an_outer_one_is_refused() {
        for index in [2, u64::MAX / INDEX_STRIDE, u64::MAX] {
            let mut lying = transaction(&json!(null));
            lying.meta.inner_instructions.as_mut().unwrap()[0].index = index;
            assert!(read(PROGRAM, Signature::default(), &lying).is_err(), "{index}");
        }
    }

    #[test]
    fn a_batch_that_another_program_calls_shares_no_number_with_what_follows() {
        let key = |byte| Address::new_from_array([byte; 32]).to_string();
        // Two orders, with lamports: time and reference of each fill are not looked at.
        let batch = [&[16, 0, 2], &[0; 41][..], &[0; 41]].concat();
        let wire: WireTransaction = serde_json::from_value(json!({
            "slot": 7,
            "transaction": { "message": {
                "accountKeys": [key(1), SANDBOX_PROGRAM.to_string(), key(2), key(3), key(4), key(5)],
                "instructions": [{ "programIdIndex": 2, "accounts": [0], "data": "" }],
            } },
            "meta": {
                "err": null, "preBalances": [9, 9, 9, 9, 9, 9], "postBalances": [9, 9, 9, 8, 8, 8],
                "innerInstructions": [{ "index": 0, "instructions": [
                    { "programIdIndex": 1, "accounts": [0, 0, 3, 4], "data": bs58::encode(batch).into_string() },
                    { "programIdIndex": 1, "accounts": [5], "data": bs58::encode([8]).into_string() },
                ] }],
            },
        }))
        .unwrap();
        let claimed = |byte| EscrowEvent::Claimed { order: Address::new_from_array([byte; 32]) };
        let transaction = read(PROGRAM, Signature::default(), &wire).unwrap();
        assert_eq!(transaction.events, [(1, claimed(3)), (2, claimed(4)), (3, claimed(5))]);
    }

    #[test]
    fn failed_transaction_yields_no_events() {
        let transaction =
            read(PROGRAM, Signature::default(), &transaction(&json!("AccountNotFound"))).unwrap();
        assert_eq!(transaction.events, []);
    }
}
