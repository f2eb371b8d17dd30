use alloy_consensus::proofs::{calculate_receipt_root, calculate_transaction_root};
use alloy_consensus::transaction::Recovered;
use alloy_consensus::{
    Eip658Value, Header, Receipt, ReceiptEnvelope, ReceiptWithBloom, Transaction as _, TxEnvelope,
    TxReceipt as _,
};
use alloy_eips::eip1559::BaseFeeParams;
use alloy_eips::eip2718::Typed2718;
use alloy_eips::eip7685::EMPTY_REQUESTS_HASH;
use alloy_primitives::{Address, B256, Bloom, Bytes, Log, TxKind, address, keccak256};

/// The block gas limit.
pub(crate) const BLOCK_GAS: u64 = 30_000_000;
/// The fee recipient.
pub(crate) const COINBASE: Address = address!("0x00000000000000000000000000005a4db0c01ba5");
/// The base fee of the first block: one gwei.
pub(crate) const FIRST_BASE_FEE: u64 = 1_000_000_000;
const EXTRA_DATA: &[u8] = b"causeway sandbox";

/// A transaction in a block with its outcome.
#[derive(Clone, Debug)]
pub(crate) struct Mined {
    pub(crate) tx: Recovered<TxEnvelope>,
    pub(crate) success: bool,
    pub(crate) gas_used: u64,
    pub(crate) logs: Vec<Log>,
}

impl Mined {
    pub(crate) fn hash(&self) -> B256 {
        *self.tx.inner().tx_hash()
    }

    /// The address of the contract that it deploys, even if it failed, as nodes report it.
    pub(crate) fn created(&self) -> Option<Address> {
        let deploys = self.tx.kind() == TxKind::Create;
        deploys.then(|| self.tx.signer().create(self.tx.nonce()))
    }

    /// The receipt in the form of the receipts root, for either log type.
    pub(crate) fn receipt<T>(
        &self,
        cumulative_gas_used: u64,
        bloom: Bloom,
        logs: Vec<T>,
    ) -> ReceiptEnvelope<T> {
        let receipt = ReceiptWithBloom {
            receipt: Receipt { status: Eip658Value::Eip658(self.success), cumulative_gas_used, logs },
            logs_bloom: bloom,
        };
        match self.tx.ty() {
            0 => ReceiptEnvelope::Legacy(receipt),
            1 => ReceiptEnvelope::Eip2930(receipt),
            4 => ReceiptEnvelope::Eip7702(receipt),
            _ => ReceiptEnvelope::Eip1559(receipt),
        }
    }

    pub(crate) fn bloom(&self) -> Bloom {
        self.logs.iter().collect()
    }
}

/// A block of the chain.
#[derive(Clone, Debug)]
pub(crate) struct SealedBlock {
    pub(crate) hash: B256,
    pub(crate) header: Header,
    pub(crate) body: Vec<Mined>,
}

impl SealedBlock {
    pub(crate) fn new(header: Header, body: Vec<Mined>) -> Self {
        Self { hash: header.hash_slow(), header, body }
    }

    pub(crate) fn number(&self) -> u64 {
        self.header.number
    }

    pub(crate) fn base_fee(&self) -> u64 {
        self.header.base_fee_per_gas.unwrap_or_default()
    }

    /// How many logs the transactions before `index` emitted.
    pub(crate) fn logs_before(&self, index: usize) -> u64 {
        self.body.iter().take(index).map(|mined| mined.logs.len() as u64).sum()
    }

    /// The gas used by the transactions up to and with `index`.
    pub(crate) fn gas_through(&self, index: usize) -> u64 {
        self.body.iter().take(index + 1).map(|mined| mined.gas_used).sum()
    }
}

/// The inputs of a block besides its parent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) timestamp: u64,
    /// Counts the reorganisations, so that a replaced block differs from the one it replaces.
    pub(crate) branch: u64,
    pub(crate) min_base_fee: u64,
}

/// The base fee that follows a block (EIP-1559), never under the chain's own minimum, with which it starts.
pub(crate) fn next_base_fee(parent: &Header, min_base_fee: u64) -> u64 {
    if parent.number == 0 && min_base_fee > 0 {
        return min_base_fee;
    }
    parent.next_block_base_fee(BaseFeeParams::ethereum()).unwrap_or(FIRST_BASE_FEE).max(min_base_fee)
}

/// The header of the next block while it is still empty.
pub(crate) fn next_header(parent: &SealedBlock, slot: Slot) -> Header {
    let mut seed = parent.hash.to_vec();
    seed.extend_from_slice(&slot.branch.to_be_bytes());
    Header {
        parent_hash: parent.hash,
        number: parent.number() + 1,
        timestamp: slot.timestamp.max(parent.header.timestamp),
        base_fee_per_gas: Some(next_base_fee(&parent.header, slot.min_base_fee)),
        state_root: parent.header.state_root,
        mix_hash: keccak256(seed),
        ..first_header()
    }
}

/// The fields that every header has in common: the header of an empty first block.
pub(crate) fn first_header() -> Header {
    Header {
        beneficiary: COINBASE,
        gas_limit: BLOCK_GAS,
        base_fee_per_gas: Some(FIRST_BASE_FEE),
        extra_data: Bytes::from_static(EXTRA_DATA),
        withdrawals_root: Some(alloy_consensus::constants::EMPTY_WITHDRAWALS),
        blob_gas_used: Some(0),
        excess_blob_gas: Some(0),
        parent_beacon_block_root: Some(B256::ZERO),
        requests_hash: Some(EMPTY_REQUESTS_HASH),
        ..Header::default()
    }
}

/// Seals a block: the roots, bloom and gas of its transactions go into the header.
pub(crate) fn seal(mut header: Header, body: Vec<Mined>) -> SealedBlock {
    if !body.is_empty() {
        let mut gas = 0;
        let mut receipts = Vec::with_capacity(body.len());
        for mined in &body {
            gas += mined.gas_used;
            receipts.push(mined.receipt(gas, mined.bloom(), mined.logs.clone()));
        }
        let transactions: Vec<&TxEnvelope> = body.iter().map(|mined| mined.tx.inner()).collect();
        header.gas_used = gas;
        header.transactions_root = calculate_transaction_root(&transactions);
        header.receipts_root = calculate_receipt_root(&receipts);
        header.logs_bloom = receipts.iter().fold(Bloom::ZERO, |bloom, receipt| bloom | receipt.bloom());
    }
    SealedBlock::new(header, body)
}
