//! Relay's orders: a deposit names the hash of one, so it commits Relay to its recipient, its least output and its refunds. The
//! form is the one of github.com/relayprotocol/relay-protocol-sdk, read on 2026-11-18; examples of Relay's documentation
//! hash to the ids that they name.

use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolStruct as _, sol};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderData {
    pub(crate) version: String,
    pub(crate) solver_chain_id: String,
    pub(crate) solver: Address,
    pub(crate) salt: U256,
    pub(crate) inputs: Vec<OrderInput>,
    pub(crate) output: OrderOutput,
    #[serde(default)]
    pub(crate) fees: Vec<OrderFee>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct OrderInput {
    pub(crate) payment: OrderPayment,
    pub(crate) refunds: Vec<OrderRefund>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderPayment {
    pub(crate) chain_id: String,
    pub(crate) currency: Address,
    pub(crate) amount: U256,
    pub(crate) weight: U256,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderRefund {
    pub(crate) chain_id: String,
    pub(crate) recipient: Address,
    pub(crate) currency: Address,
    pub(crate) minimum_amount: U256,
    pub(crate) deadline: u32,
    pub(crate) extra_data: Bytes,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderOutput {
    pub(crate) chain_id: String,
    pub(crate) payments: Vec<OrderOutputPayment>,
    pub(crate) calls: Vec<Bytes>,
    pub(crate) deadline: u32,
    pub(crate) extra_data: Bytes,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderOutputPayment {
    pub(crate) recipient: Address,
    pub(crate) currency: Address,
    pub(crate) minimum_amount: U256,
    pub(crate) expected_amount: U256,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderFee {
    pub(crate) recipient_chain_id: String,
    pub(crate) recipient: Address,
    pub(crate) currency_chain_id: String,
    pub(crate) currency: Address,
    pub(crate) amount: U256,
}

sol! {
    struct InputPayment {
        string chainId;
        bytes currency;
        uint256 amount;
        uint256 weight;
    }

    struct InputRefund {
        string chainId;
        bytes recipient;
        bytes currency;
        uint256 minimumAmount;
        uint32 deadline;
        bytes extraData;
    }

    struct Input {
        InputPayment payment;
        InputRefund[] refunds;
    }

    struct OutputPayment {
        bytes recipient;
        bytes currency;
        uint256 minimumAmount;
        uint256 expectedAmount;
    }

    struct Output {
        string chainId;
        OutputPayment[] payments;
        uint32 deadline;
        bytes[] calls;
        bytes extraData;
    }

    struct Fee {
        string recipientChainId;
        bytes recipient;
        string currencyChainId;
        bytes currency;
        uint256 amount;
    }

    struct Order {
        string version;
        string solverChainId;
        address solver;
        uint256 salt;
        Input[] inputs;
        Output output;
        Fee[] fees;
    }
}

fn bytes(address: Address) -> Bytes {
    Bytes::copy_from_slice(address.as_slice())
}

impl OrderData {
    /// The id that a deposit for the order bears.
    pub(crate) fn id(&self) -> B256 {
        let inputs = self.inputs.iter().map(|input| Input {
            payment: InputPayment {
                chainId: input.payment.chain_id.clone(),
                currency: bytes(input.payment.currency),
                amount: input.payment.amount,
                weight: input.payment.weight,
            },
            refunds: input.refunds.iter().map(OrderRefund::hashed).collect(),
        });
        let fees = self.fees.iter().map(|fee| Fee {
            recipientChainId: fee.recipient_chain_id.clone(),
            recipient: bytes(fee.recipient),
            currencyChainId: fee.currency_chain_id.clone(),
            currency: bytes(fee.currency),
            amount: fee.amount,
        });
        let payments = self.output.payments.iter().map(|payment| OutputPayment {
            recipient: bytes(payment.recipient),
            currency: bytes(payment.currency),
            minimumAmount: payment.minimum_amount,
            expectedAmount: payment.expected_amount,
        });
        let output = Output {
            chainId: self.output.chain_id.clone(),
            payments: payments.collect(),
            deadline: self.output.deadline,
            calls: self.output.calls.clone(),
            extraData: self.output.extra_data.clone(),
        };
        Order {
            version: self.version.clone(),
            solverChainId: self.solver_chain_id.clone(),
            solver: self.solver,
            salt: self.salt,
            inputs: inputs.collect(),
            output,
            fees: fees.collect(),
        }
        .eip712_hash_struct()
    }
}

impl OrderRefund {
    fn hashed(&self) -> InputRefund {
        InputRefund {
            chainId: self.chain_id.clone(),
            recipient: bytes(self.recipient),
            currency: bytes(self.currency),
            minimumAmount: self.minimum_amount,
            deadline: self.deadline,
            extraData: self.extra_data.clone(),
        }
    }
}
