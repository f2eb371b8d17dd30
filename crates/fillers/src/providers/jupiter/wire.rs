//! The parts of Jupiter's JSON that are read, as the OpenAPI document of Swap API V2 (github.com/jup-ag/docs,
//! openapi-spec/swap/v2/swap.yaml) and dev.jup.ag/docs/swap/build have them, read on 2026-11-19. Not verified against the live
//! service.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Build {
    pub(super) input_mint: String,
    pub(super) output_mint: String,
    pub(super) in_amount: String,
    pub(super) out_amount: String,
    /// The output less the slippage.
    pub(super) other_amount_threshold: String,
    pub(super) swap_mode: String,
    /// Before the swap, for instance for a missing token account.
    #[serde(default)]
    pub(super) setup_instructions: Vec<Instruction>,
    pub(super) swap_instruction: Instruction,
    pub(super) cleanup_instruction: Option<Instruction>,
    #[serde(default)]
    pub(super) other_instructions: Vec<Instruction>,
    pub(super) tip_instruction: Option<Instruction>,
    /// By the addresses of lookup tables, what is in them. That is read from the chain.
    pub(super) addresses_by_lookup_table_address: Option<BTreeMap<String, Vec<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Instruction {
    pub(super) program_id: String,
    pub(super) accounts: Vec<Account>,
    /// In base64.
    pub(super) data: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Account {
    pub(super) pubkey: String,
    pub(super) is_writable: bool,
    pub(super) is_signer: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(default)]
    pub(super) error: String,
}
