use alloy_consensus::TxEip1559;
use alloy_primitives::{Address, Bytes, TxKind, U256};
use proptest::prelude::*;

use super::kit::*;
use crate::evm::{EvmChain, Reorged};

/// A random operation on a chain.
#[derive(Clone, Debug)]
pub(super) enum ChainOp {
    Send { from: u8, to: u8, nonce_ahead: u64, value: u64, fee: u128, tip: u128, input: bool },
    Call { from: u8, target: u8 },
    Mine(u64),
    Reorg(u64, bool),
}

pub(super) fn op() -> impl Strategy<Value = ChainOp> {
    let send = (0..4_u8, 0..10_u8, 0..3_u64, any::<u64>(), 1..9_u128, 0..9_u128, any::<bool>()).prop_map(
        |(from, to, nonce_ahead, value, fee, tip, input)| ChainOp::Send {
            from,
            to,
            nonce_ahead,
            value,
            fee: fee * GWEI / 2,
            tip: tip * GWEI / 4,
            input,
        },
    );
    prop_oneof![
        6 => send,
        3 => (0..4_u8, 0..4_u8).prop_map(|(from, target)| ChainOp::Call { from, target }),
        3 => (1..3_u64).prop_map(ChainOp::Mine),
        1 => (1..4_u64, any::<bool>()).prop_map(|(depth, back)| ChainOp::Reorg(depth, back)),
    ]
}

pub(super) fn apply_op(chain: &EvmChain, op: &ChainOp) {
    let next = |from: &Wallet| {
        let nonce = chain.inner.head().world.nonce(from.address());
        chain.inner.pool.lock().next_nonce(from.address(), nonce)
    };
    match op {
        ChainOp::Send { from, to, nonce_ahead, value, fee, tip, input } => {
            let from = Wallet::new(*from);
            let tx = TxEip1559 {
                max_fee_per_gas: *fee,
                max_priority_fee_per_gas: *tip,
                gas_limit: 60_000,
                ..eip1559(
                    next(&from) + nonce_ahead,
                    TxKind::Call(Wallet::new(*to).address()),
                    *value,
                    if *input { vec![1; 32].into() } else { Bytes::new() },
                )
            };
            let _ = chain.inner.send(&from.sign(tx));
        }
        ChainOp::Call { from, target } => {
            let from = Wallet::new(*from);
            let target: Address = [COUNTER, REVERTER, LOOPER, CONTEXT_READER][usize::from(*target)];
            let _ = chain.inner.send(&from.call(next(&from), target));
        }
        ChainOp::Mine(blocks) => drop(chain.inner.mine(*blocks, 0)),
        ChainOp::Reorg(depth, back) => {
            let depth = (*depth).min(chain.block_number());
            drop(chain.inner.reorg(depth, if *back { Reorged::Return } else { Reorged::Drop }));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn coins_are_only_burnt_as_base_fee(ops in prop::collection::vec(op(), 1..40)) {
        let chain = chain();
        for op in &ops {
            apply_op(&chain, op);
        }
        let ledger = chain.inner.ledger.read();
        let burnt = ledger.range(0..=chain.block_number()).fold(U256::ZERO, |sum, block| {
            sum + U256::from(block.header.gas_used) * U256::from(block.base_fee())
        });
        let held = ledger.head().world.accounts().fold(U256::ZERO, |sum, (_, account)| sum + account.balance);
        prop_assert_eq!(held + burnt, ether(1_000));
        for seed in 0..4 {
            let sender = Wallet::new(seed).address();
            let sent = ledger.range(0..=chain.block_number()).flat_map(|block| &block.body);
            let sent = sent.filter(|mined| mined.tx.signer() == sender).count() as u64;
            prop_assert_eq!(ledger.head().world.nonce(sender), sent);
        }
    }
}
