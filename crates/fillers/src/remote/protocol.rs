//! The JSON between the service and a remote filler, for both sides. Amounts are decimal digits in raw
//! units, as strings; unknown fields are ignored.

mod answers;
mod terms;

use causeway_domain::IntentTerms;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Which side of the swap is fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Trade {
    ExactInput,
    ExactOutput,
}

/// A token by its chain and address; the zero address (Solana: the system program's) is the chain's native coin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenRef {
    #[schema(example = 8453)]
    pub chain_id: u64,
    #[schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")]
    pub token: String,
}

/// A token with what is needed to price it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedToken {
    #[schema(example = 8453)]
    pub chain_id: u64,
    #[schema(example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913")]
    pub token: String,
    #[schema(example = "USDC")]
    pub symbol: String,
    #[schema(example = 6)]
    pub decimals: u8,
}

/// The referrer of the swap; the escrow pays it from the input when the filler claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedReferral {
    #[schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")]
    pub referrer: String,
    /// Hundredths of a percent of the input, rounded down.
    #[schema(example = 25)]
    pub fee_bps: u16,
}

/// The body of `POST {url}/quote`: the swap to quote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteAsk {
    pub trade_type: Trade,
    pub from: AskedToken,
    pub to: AskedToken,
    /// Of `from` on `EXACT_INPUT`, of `to` on `EXACT_OUTPUT`.
    #[schema(example = "1000000000")]
    pub amount: String,
    #[schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")]
    pub from_address: String,
    #[schema(example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")]
    pub recipient: String,
    /// Maximum slippage below `amountOut` that the payer accepts, in millionths.
    #[schema(example = 5000)]
    pub slippage_millionths: u32,
    /// How the payer may deposit; never empty.
    #[schema(example = json!(["CONTRACT_CALL", "PERMIT2", "TRANSFER"]))]
    pub deposit_methods: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referral: Option<AskedReferral>,
}

/// The response to an ask: offers, best first, or a refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuoteAnswer {
    /// At most 16; the first three become routes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 16)]
    pub offers: Vec<OfferBody>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<RefusalBody>,
}

/// An offer of a filler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfferBody {
    /// As in the ask.
    pub from: TokenRef,
    /// As in the ask.
    pub to: TokenRef,
    #[schema(example = "1000000000")]
    pub amount_in: String,
    #[schema(example = "999000000")]
    pub amount_out: String,
    /// The guaranteed output, which the order states; `amountOut` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "999000000")]
    pub min_amount_out: Option<String>,
    /// Until when the price holds, at most an hour ahead.
    #[schema(example = "2026-11-15T12:00:30Z")]
    pub valid_before: String,
    #[schema(example = 12)]
    pub expected_duration_seconds: u32,
    /// The account of the source chain that may refund the deposit early.
    #[schema(example = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8")]
    pub filler: String,
    /// The account of the source chain that is paid for the fill.
    #[schema(example = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC")]
    pub payee: String,
    /// The ask's methods that the filler accepts; all of them when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["CONTRACT_CALL"]))]
    pub deposit_methods: Option<Vec<String>>,
    /// A breakdown of the fees, for display. The service adds the referral fee.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub fees: Vec<FeeBody>,
}

/// One fee between input and output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FeeBody {
    /// `filler`, `gas` or `protocol`.
    #[schema(example = "filler")]
    pub kind: String,
    #[serde(flatten)]
    pub token: TokenRef,
    #[schema(example = "1000000")]
    pub amount: String,
}

/// Why a filler makes no offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusalBody {
    /// `TooSmall` (with `minimum`), `TooLarge` (with `maximum`), `NoInventory`, `PairNotServed`, `NoPrice`,
    /// `NoDepositMethod` or `Other` (with `reason`).
    #[schema(example = "TooSmall")]
    pub code: String,
    /// In the token of the asked amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "5000000")]
    pub minimum: Option<String>,
    /// In the token of the asked amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<String>,
    /// For display; the first 200 characters are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The body of `POST {url}/orders`: an offer was taken, and the deposit is final.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderNotice {
    /// The order's id in the service's API.
    #[schema(example = "0f8fad5bd9cb469fa16570867728950e")]
    pub order_id: String,
    /// The order's id on the chains: the hash of the terms.
    #[schema(example = "0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad")]
    pub intent_id: String,
    pub terms: TermsBody,
    pub deposit: DepositBody,
    /// When the price expired.
    #[schema(example = "2026-11-15T12:00:30Z")]
    pub valid_before: String,
    /// Where the attestations of the fill can be fetched with GET, once the attesters have signed.
    #[schema(
        example = "https://swap.example/v1/intent/0x929575b466eb13ed42ee81196f459e0a0ea6bec11ff057593c185d86b3e9e9ad/attestations"
    )]
    pub attestations: String,
}

/// The deposit as the source chain shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DepositBody {
    #[schema(example = 8453)]
    pub chain_id: u64,
    #[schema(example = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060")]
    pub tx_hash: String,
    #[schema(example = 38_000_000)]
    pub block: u64,
}

/// A filler's decision on an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It fills before the fill deadline.
    Accepted,
    /// It never fills, and refunds the deposit.
    Declined,
}

/// The response to an order notice; the same whenever the notice is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrderAnswer {
    pub status: Verdict,
    /// Why it declines, for the order's owner; the first 200 characters are shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why a filler rejects a call; with a status of 400, 401, 413 and so on. It need not be signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CallError {
    #[schema(example = "the signature is invalid")]
    pub error: String,
}

macro_rules! terms {
    ($($field:ident: $example:literal,)*) => {
        /// Every term of an order by its name in the contracts. Addresses are 32 bytes in hex, an EVM address in the
        /// last 20; numbers are decimal strings; times are Unix seconds. Hashed in this order they are the intent's id.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct TermsBody {
            $(#[schema(example = $example)] pub $field: String,)*
        }

        impl TermsBody {
            fn fields(&self) -> [&str; IntentTerms::WORDS] {
                [$(&self.$field),*]
            }
        }
    };
}

terms! {
    version: "1",
    origin_chain_id: "8453",
    escrow: "0x0000000000000000000000005fbdb2315678afecb367f032d93f642f64180aa3",
    user: "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    nonce: "0x6f1c0c6c6be9d1d4b1f5a3d1f1a0c9e7b6f8c7d5e4f3a2b1c0d9e8f7a6b5c4d3",
    input_token: "0x000000000000000000000000833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    amount_in: "1000000000",
    refund_to: "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    filler: "0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8",
    payee: "0x0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc",
    referrer: "0x0000000000000000000000000000000000000000000000000000000000000000",
    referrer_fee: "0",
    destination_chain_id: "1",
    settler: "0x0000000000000000000000009fe46736679d2d9a65f0992f2272de9f3c7fa6e0",
    output_token: "0x0000000000000000000000000000000000000000000000000000000000000000",
    amount_out: "285000000000000000",
    recipient: "0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    open_deadline: "1794744600",
    fill_deadline: "1794745500",
    refund_at: "1794767100",
    epoch: "0",
}
