use litesvm::types::TransactionMetadata;
use serde::{Deserialize, Serialize};
use solana_address::Address;
use solana_message::compiled_instruction::CompiledInstruction;
use solana_message::v0::LoadedAddresses;
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;
use solana_transaction_status::{
    InnerInstruction, InnerInstructions, TransactionStatusMeta, TransactionWithStatusMeta,
    VersionedTransactionWithStatusMeta,
};

use super::token_balances::TokenBalance;

/// A landed transaction and its effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) slot: u64,
    pub(crate) time: i64,
    /// Its place among the transactions of its slot.
    pub(crate) index: u32,
    pub(crate) signature: Signature,
    /// Every account that it names, those of lookup tables included.
    pub(crate) keys: Vec<Address>,
    /// How many of the keys at the end came writable and read-only from lookup tables.
    pub(crate) loaded: (usize, usize),
    /// The transaction as it came over the wire.
    pub(crate) wire: Vec<u8>,
    pub(crate) error: Option<TransactionError>,
    pub(crate) memo: Option<String>,
    pub(crate) effects: Effects,
}

/// The effects of a transaction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Effects {
    pub(crate) fee: u64,
    pub(crate) units: u64,
    pub(crate) logs: Vec<String>,
    pub(crate) calls: Vec<Call>,
    pub(crate) returned: Option<(Address, Vec<u8>)>,
    pub(crate) balances_before: Vec<u64>,
    pub(crate) balances_after: Vec<u64>,
    pub(crate) tokens_before: Vec<TokenBalance>,
    pub(crate) tokens_after: Vec<TokenBalance>,
}

/// A program's call to another program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Which instruction of the transaction it came under.
    pub(crate) under: u8,
    pub(crate) depth: u8,
    pub(crate) program: u8,
    pub(crate) accounts: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

impl Effects {
    pub(crate) fn new(meta: TransactionMetadata) -> Self {
        let calls = (0..).zip(&meta.inner_instructions).flat_map(|(under, calls)| {
            calls.iter().map(move |call| Call {
                under,
                depth: call.stack_height,
                program: call.instruction.program_id_index,
                accounts: call.instruction.accounts.clone(),
                data: call.instruction.data.clone(),
            })
        });
        let returned = meta.return_data;
        Self {
            fee: meta.fee,
            units: meta.compute_units_consumed,
            calls: calls.collect(),
            logs: meta.logs,
            returned: (!returned.data.is_empty()).then_some((returned.program_id, returned.data)),
            ..Self::default()
        }
    }

    /// The calls in the form in which Solana shows them: grouped by instruction.
    pub(crate) fn inner_instructions(&self) -> Vec<InnerInstructions> {
        self.calls
            .chunk_by(|one, other| one.under == other.under)
            .filter_map(|calls| {
                let index = calls.first()?.under;
                let instructions = calls.iter().map(|call| InnerInstruction {
                    instruction: CompiledInstruction {
                        program_id_index: call.program,
                        accounts: call.accounts.clone(),
                        data: call.data.clone(),
                    },
                    stack_height: Some(u32::from(call.depth)),
                });
                Some(InnerInstructions { index, instructions: instructions.collect() })
            })
            .collect()
    }
}

impl Record {
    /// The record in the form in which Solana's own encoders take it.
    pub(crate) fn with_meta(&self) -> Option<TransactionWithStatusMeta> {
        let transaction: VersionedTransaction = wincode::deserialize(&self.wire).ok()?;
        let tokens = |balances: &[TokenBalance]| Some(balances.iter().map(TokenBalance::to_rpc).collect());
        let effects = &self.effects;
        let meta = TransactionStatusMeta {
            status: self.error.clone().map_or(Ok(()), Err),
            fee: effects.fee,
            pre_balances: effects.balances_before.clone(),
            post_balances: effects.balances_after.clone(),
            inner_instructions: Some(effects.inner_instructions()),
            log_messages: Some(effects.logs.clone()),
            pre_token_balances: tokens(&effects.tokens_before),
            post_token_balances: tokens(&effects.tokens_after),
            rewards: Some(Vec::new()),
            loaded_addresses: self.loaded_addresses(),
            return_data: effects.returned.clone().map(|(program_id, data)| {
                solana_transaction_context::transaction::TransactionReturnData { program_id, data }
            }),
            compute_units_consumed: Some(effects.units),
            cost_units: None,
        };
        Some(TransactionWithStatusMeta::Complete(VersionedTransactionWithStatusMeta { transaction, meta }))
    }

    fn loaded_addresses(&self) -> LoadedAddresses {
        let (writable, readonly) = self.loaded;
        let (keys, readonly) = self.keys.split_at(self.keys.len().saturating_sub(readonly));
        let (_, writable) = keys.split_at(keys.len().saturating_sub(writable));
        LoadedAddresses { writable: writable.to_vec(), readonly: readonly.to_vec() }
    }
}
