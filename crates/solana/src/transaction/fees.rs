use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::ChainError;
use causeway_jsonrpc_client::median;
use serde::Deserialize;
use serde_json::json;
use solana_address::Address;
use solana_instruction::Instruction;
use solana_signature::Signature;

use super::UnsignedTransaction;
use crate::RpcError;
use crate::commitment::{Commitment, Contextual};
use crate::rpc::{Call, SolanaRpc};

/// Sets how much a transaction may compute, and what it pays for that.
pub(crate) const COMPUTE_BUDGET: Address =
    Address::from_str_const("ComputeBudget111111111111111111111111111111");
/// The limit of accounts in `getRecentPrioritizationFees`.
const MAX_FEE_ACCOUNTS: usize = 128;

/// The instruction that limits the compute units of a transaction.
pub fn compute_unit_limit(units: u32) -> Instruction {
    budget(2, &units.to_le_bytes())
}

/// The instruction that offers a priority fee, in micro-lamports per compute unit.
pub fn compute_unit_price(micro_lamports: u64) -> Instruction {
    budget(3, &micro_lamports.to_le_bytes())
}

fn budget(kind: u8, value: &[u8]) -> Instruction {
    let data = [&[kind][..], value].concat();
    Instruction { program_id: COMPUTE_BUDGET, accounts: Vec::new(), data }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireFee {
    prioritization_fee: u64,
}

#[derive(Deserialize)]
struct WireLanded {
    meta: Option<WireLandedMeta>,
}

#[derive(Deserialize)]
struct WireLandedMeta {
    fee: u64,
}

impl SolanaRpc {
    /// What a final transaction paid in network fees, in lamports; `None` if the nodes do not have it any more.
    pub(crate) async fn fee_paid(&self, signature: &Signature) -> Result<Option<u64>, ChainError> {
        let options = json!({
            "commitment": Commitment::Finalized,
            "encoding": "json",
            "maxSupportedTransactionVersion": 0,
        });
        let params = json!([signature.to_string(), options]);
        let landed: Option<WireLanded> = self.call("getTransaction", params).await?;
        Ok(landed.and_then(|landed| landed.meta).map(|meta| meta.fee))
    }

    /// The network fee of this transaction, in lamports; `None` when its blockhash has expired.
    pub async fn fee(&self, transaction: &UnsignedTransaction) -> Result<Option<u64>, ChainError> {
        let message = STANDARD.encode(transaction.message());
        let params = json!([message, { "commitment": Commitment::Confirmed }]);
        let answer: Contextual<Option<u64>> = self.call("getFeeForMessage", params).await?;
        Ok(answer.value)
    }

    /// The price per compute unit that three quarters of the recent blocks would have accepted for transactions that
    /// write to these accounts: the median of the endpoints', so that none alone makes us pay more (rule 27).
    pub async fn priority_price(&self, writable: &[Address]) -> Result<u64, ChainError> {
        let accounts: Vec<String> = writable.iter().take(MAX_FEE_ACCOUNTS).map(ToString::to_string).collect();
        let call = Call { method: "getRecentPrioritizationFees", params: json!([accounts]) };
        if self.endpoints().len() < 2 {
            return Ok(self.request(call, |fees: Vec<WireFee>| Ok::<_, String>(price(fees))).await?);
        }
        let (mut prices, mut fault) = (Vec::new(), None);
        for answer in self.request_all_endpoints::<Vec<WireFee>>(call).await {
            match answer {
                Ok(fees) => prices.push(price(fees)),
                Err(error) => fault = Some(error),
            }
        }
        let unknown = || RpcError::WrongChain("no endpoint serves it".to_owned());
        Ok(median(prices).ok_or_else(|| fault.unwrap_or_else(unknown))?)
    }
}

fn price(fees: Vec<WireFee>) -> u64 {
    upper_quartile(fees.into_iter().map(|fee| fee.prioritization_fee).collect())
}

fn upper_quartile(mut fees: Vec<u64>) -> u64 {
    fees.sort_unstable();
    let at = (fees.len() * 3).div_ceil(4).saturating_sub(1);
    fees.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_price_suffices_for_three_quarters_of_the_blocks() {
        assert_eq!(upper_quartile(vec![]), 0);
        assert_eq!(upper_quartile(vec![5]), 5);
        assert_eq!(upper_quartile(vec![40, 10, 30, 20]), 30);
        assert_eq!(upper_quartile((1..=100).rev().collect()), 75);
    }

    #[test]
    fn budget_instructions_are_a_kind_and_a_little_endian_number() {
        assert_eq!(compute_unit_limit(200_000).data, [2, 0x40, 0x0d, 0x03, 0]);
        assert_eq!(compute_unit_price(1).data, [3, 1, 0, 0, 0, 0, 0, 0, 0]);
    }
}
