use alloy_primitives::{Address, Bytes, U256, address, keccak256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::ChainId;
use serde_json::json;

use crate::client::EvmClient;
use crate::error::CallError;
use crate::linea::LineaPrices;
use crate::rpc::Call;

sol! {
    /// The oracle of the OP stack.
    function getL1Fee(bytes data) external view returns (uint256);
    /// What an ether is worth in Mantle's own coin.
    function tokenRatio() external view returns (uint256);
    /// Arbitrum's prices: the second is that of a byte on Ethereum.
    function getPricesInWei() external view returns (uint256, uint256, uint256, uint256, uint256, uint256);
}

const OP_ORACLE: Address = address!("420000000000000000000000000000000000000F");
const ARB_GAS_INFO: Address = address!("000000000000000000000000000000000000006C");

/// How many words of an ABI-encoded order the oracle is asked about.
const SAMPLE_WORDS: u8 = 30;

/// ZKsync chains publish what a transaction changes and not the transaction itself: a fill changes six words, of 65 bytes each with
/// their keys, about two fifths of the bytes of its transaction. The same holds for a claim.
const PUBLISHED_FIFTHS: u64 = 2;

/// How a chain charges for the data that it writes to Ethereum. Linea charges for them by the tip, see [`crate::linea`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataFee {
    Free,
    OpStack,
    Mantle,
    Arbitrum,
    ZkSync,
}

impl DataFee {
    const fn of(chain: ChainId) -> Self {
        match chain.get() {
            10 | 130 | 8_453 | 747_474 => Self::OpStack,
            5_000 => Self::Mantle,
            42_161 => Self::Arbitrum,
            324 | 2_741 => Self::ZkSync,
            _ => Self::Free,
        }
    }
}

/// What an order's data look like to a compressor: words of which a third is zero and the rest random.
fn sample() -> Bytes {
    let word = |number: u8| {
        let mut word = keccak256([number]);
        word.iter_mut().take(12).for_each(|byte| *byte = 0);
        word
    };
    (0..SAMPLE_WORDS).flat_map(|number| word(number).0).collect::<Vec<u8>>().into()
}

impl EvmClient {
    /// The price of a byte of a transaction besides its gas, rounded up; zero where the chain charges none.
    async fn byte_price(&self) -> Result<U256, CallError> {
        let length = U256::from(SAMPLE_WORDS) * U256::from(32);
        match DataFee::of(self.chain_id()) {
            DataFee::Free => Ok(U256::ZERO),
            DataFee::OpStack => Ok(self.sample_fee().await?.div_ceil(length)),
            DataFee::Mantle => {
                let ratio = self.read_words(OP_ORACLE, tokenRatioCall {}.abi_encode()).await?;
                let ratio = ratio.first().copied().unwrap_or(U256::ZERO);
                Ok(self.sample_fee().await?.saturating_mul(ratio).div_ceil(length))
            }
            DataFee::Arbitrum => {
                let prices = self.read_words(ARB_GAS_INFO, getPricesInWeiCall {}.abi_encode()).await?;
                Ok(prices.get(1).copied().unwrap_or(U256::ZERO))
            }
            DataFee::ZkSync => {
                let published = U256::from(PUBLISHED_FIFTHS);
                Ok(self.published_byte_price().await?.saturating_mul(published).div_ceil(U256::from(5)))
            }
        }
    }

    /// What a byte that a ZKsync chain publishes costs: so much gas, at the price of gas. It is part of the gas that the node
    /// estimates and that a receipt shows (ZKsync's documentation, "Fee mechanism"). Zero where the node does not know the
    /// method, as on a chain of the sandbox.
    async fn published_byte_price(&self) -> Result<U256, CallError> {
        let gas: U256 = match self.call(Call::new("zks_gasPerPubdata", json!([]))).await {
            Ok(gas) => gas,
            Err(CallError::Refused { .. }) => return Ok(U256::ZERO),
            Err(error) => return Err(error),
        };
        let price: U256 = self.call(Call::new("eth_gasPrice", json!([]))).await?;
        Ok(gas.saturating_mul(price))
    }

    /// The expected prices of gas in the next block and of a byte of a transaction.
    pub(crate) async fn expected_prices(&self) -> Result<(U256, U256), CallError> {
        if let Some(LineaPrices { gas, byte }) = self.linea_prices(&sample()).await? {
            return Ok((gas, byte));
        }
        let (fees, byte_price) = futures::try_join!(self.fees(), self.byte_price())?;
        Ok((U256::from(fees.expected()), byte_price))
    }

    async fn sample_fee(&self) -> Result<U256, CallError> {
        let fee = self.read_words(OP_ORACLE, getL1FeeCall { data: sample() }.abi_encode()).await?;
        Ok(fee.first().copied().unwrap_or(U256::ZERO))
    }

    /// The words that a contract returns; none where there is no contract, as on a chain of the sandbox.
    async fn read_words(&self, to: Address, data: Vec<u8>) -> Result<Vec<U256>, CallError> {
        let data = Bytes::from(data);
        let answer: Bytes =
            self.call(Call::new("eth_call", json!([{ "to": to, "data": data }, "latest"]))).await?;
        Ok(answer.chunks_exact(32).map(U256::from_be_slice).collect())
    }
}
