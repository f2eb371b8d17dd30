use alloy_consensus::{SignableTransaction, TxEip1559, TxEnvelope, TxLegacy};
use alloy_eips::eip2718::Encodable2718;
use alloy_eips::eip7702::{Authorization, SignedAuthorization};
use alloy_primitives::{Address, Bytes, Signature, TxKind, U256, address, bytes, hex, keccak256};
use causeway_domain::ChainId;
use k256::ecdsa::SigningKey;
use serde_json::{Value, json};

use crate::evm::{EvmChain, Genesis, GenesisAccount, Options};
use crate::jsonrpc::{Methods, RpcError};

pub(super) const CHAIN: u64 = 8453;
pub(super) const GWEI: u128 = 1_000_000_000;
pub(super) const START: u64 = 1_700_000_000;

/// Counts its calls in slot 0, logs the count under topic 0xaa and returns it.
pub(super) const COUNTER: Address = address!("0x00000000000000000000000000000000000c0de1");
pub(super) const COUNTER_CODE: Bytes = bytes!("6000546001018060005560005260aa60206000a160206000f3");
/// Deploys the counter.
pub(super) const COUNTER_INIT: Bytes =
    bytes!("60198060095f395ff36000546001018060005560005260aa60206000a160206000f3");
/// Reverts with `Error("no")`.
pub(super) const REVERTER: Address = address!("0x00000000000000000000000000000000000c0de2");
pub(super) const REVERT_DATA: Bytes = bytes!(
    "08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000026e6f000000000000000000000000000000000000000000000000000000000000"
);
/// Uses all gas at once.
pub(super) const BURNER: Address = address!("0x00000000000000000000000000000000000c0de5");
/// Loops until the gas is used up.
pub(super) const LOOPER: Address = address!("0x00000000000000000000000000000000000c0de3");
/// Returns number, timestamp, base fee and the parent's hash.
pub(super) const CONTEXT_READER: Address = address!("0x00000000000000000000000000000000000c0de4");

/// A key that signs.
pub(super) struct Wallet(SigningKey);

impl Wallet {
    pub(super) fn new(seed: u8) -> Self {
        Self(SigningKey::from_slice(keccak256([seed]).as_slice()).unwrap())
    }

    pub(super) fn address(&self) -> Address {
        Address::from_private_key(&self.0)
    }

    /// Signs and encodes.
    pub(super) fn sign<T>(&self, tx: T) -> Bytes
    where
        T: SignableTransaction<Signature>,
        TxEnvelope: From<alloy_consensus::Signed<T>>,
    {
        let hash = tx.signature_hash();
        let signature = self.0.sign_prehash_recoverable(hash.as_slice()).unwrap().into();
        TxEnvelope::from(tx.into_signed(signature)).encoded_2718().into()
    }

    pub(super) fn authorize(&self, authorization: Authorization) -> SignedAuthorization {
        let hash = authorization.signature_hash();
        let signature = self.0.sign_prehash_recoverable(hash.as_slice()).unwrap().into();
        authorization.into_signed(signature)
    }

    /// A transfer at two gwei with a tip of one.
    pub(super) fn transfer(&self, nonce: u64, to: Address, value: u64) -> Bytes {
        self.sign(TxEip1559 { gas_limit: 21_000, ..eip1559(nonce, TxKind::Call(to), value, Bytes::new()) })
    }

    pub(super) fn call(&self, nonce: u64, to: Address) -> Bytes {
        self.sign(eip1559(nonce, TxKind::Call(to), 0, Bytes::new()))
    }
}

pub(super) fn eip1559(nonce: u64, to: TxKind, value: u64, input: Bytes) -> TxEip1559 {
    TxEip1559 {
        chain_id: CHAIN,
        nonce,
        gas_limit: 200_000,
        max_fee_per_gas: 2 * GWEI,
        max_priority_fee_per_gas: GWEI,
        to,
        value: U256::from(value),
        access_list: <_>::default(),
        input,
    }
}

pub(super) fn legacy(nonce: u64, to: Address) -> TxLegacy {
    TxLegacy {
        chain_id: Some(CHAIN),
        nonce,
        gas_price: 2 * GWEI,
        gas_limit: 21_000,
        to: TxKind::Call(to),
        value: U256::ONE,
        input: Bytes::new(),
    }
}

pub(super) fn ether(amount: u64) -> U256 {
    U256::from(amount) * U256::from(10).pow(U256::from(18))
}

/// A genesis with ten wallets of a hundred ether each and the contracts above.
pub(super) fn genesis() -> Genesis {
    let contract = |address, code: Bytes| GenesisAccount { address, code, nonce: 1, ..Default::default() };
    let reverter = [&hex!("60648060095f395ffd")[..], &REVERT_DATA].concat();
    let mut accounts = vec![
        contract(COUNTER, COUNTER_CODE),
        contract(REVERTER, reverter.into()),
        contract(BURNER, bytes!("fe")),
        contract(LOOPER, bytes!("5b5f56")),
        contract(CONTEXT_READER, bytes!("435f524260205248604052600143034060605260805ff3")),
    ];
    accounts.extend((0..10).map(|seed| GenesisAccount {
        address: Wallet::new(seed).address(),
        balance: ether(100),
        ..Default::default()
    }));
    Genesis { chain_id: ChainId::new(CHAIN).unwrap(), accounts, timestamp: START }
}

pub(super) fn chain() -> EvmChain {
    EvmChain::open(&genesis(), Options::default()).unwrap()
}

pub(super) async fn rpc(chain: &EvmChain, method: &str, params: Value) -> Value {
    try_rpc(chain, method, params).await.unwrap_or_else(|error| panic!("{method}: {error:?}"))
}

pub(super) async fn try_rpc(chain: &EvmChain, method: &str, params: Value) -> Result<Value, RpcError> {
    Methods::call(chain, method, params).await
}

/// Sends and returns the hash from the node.
pub(super) async fn send(chain: &EvmChain, raw: &Bytes) -> Value {
    rpc(chain, "eth_sendRawTransaction", json!([raw])).await
}

/// Sends a transaction that must be rejected and returns the message.
pub(super) async fn rejection_of(chain: &EvmChain, raw: &Bytes) -> String {
    let error = try_rpc(chain, "eth_sendRawTransaction", json!([raw])).await.unwrap_err();
    assert_eq!(error.code, -32000);
    error.message
}

/// Sends, makes a block and returns the receipt.
pub(super) async fn mined(chain: &EvmChain, raw: &Bytes) -> Value {
    let hash = send(chain, raw).await;
    chain.mine(1, 0).await.unwrap();
    let receipt = rpc(chain, "eth_getTransactionReceipt", json!([hash])).await;
    assert!(!receipt.is_null(), "not in the block");
    receipt
}

pub(super) fn number(value: &Value) -> U256 {
    value.as_str().unwrap().parse().unwrap()
}

pub(super) async fn balance(chain: &EvmChain, address: Address) -> U256 {
    number(&rpc(chain, "eth_getBalance", json!([address, "latest"])).await)
}
