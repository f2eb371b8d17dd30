use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Instant;

use alloy_consensus::transaction::Recovered;
use alloy_consensus::{Header, Transaction as _, TxEnvelope};
use alloy_eips::eip2718::Typed2718;
use alloy_primitives::{Address, U256};
use revm::context::result::{EVMError, ExecutionResult, ResultAndState};
use revm::context::{BlockEnv, CfgEnv, TxEnv};
use revm::context_interface::block::BlobExcessGasAndPrice;
use revm::context_interface::either::Either;
use revm::database_interface::WrapDatabaseRef;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{InstructionResult, Interpreter};
use revm::primitives::eip4844::BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE;
use revm::primitives::hardfork::SpecId;
use revm::{Context, ExecuteEvm, InspectEvm, Inspector, MainBuilder, MainContext};

use super::touched::Touched;
use super::world_state::StateAt;

/// The hard fork of every sandbox chain.
pub(crate) const SPEC: SpecId = SpecId::PRAGUE;

/// Why the interpreter rejected a transaction.
pub(crate) type TxRejection = EVMError<Infallible>;

/// The outcome of a call with a time limit.
#[derive(Debug)]
pub(crate) enum Simulated {
    Done(ExecutionResult),
    OutOfTime,
}

/// Records the state that a run touches, except always-warm accounts.
pub(crate) type TouchRecorder<'a> = (&'a BTreeSet<Address>, &'a mut Touched);

/// The configuration for a chain id.
pub(crate) fn config(chain_id: u64) -> CfgEnv {
    let mut config = CfgEnv::new().with_chain_id(chain_id);
    config.set_spec_and_mainnet_gas_params(SPEC);
    config
}

fn block_env(header: &Header) -> BlockEnv {
    BlockEnv {
        number: U256::from(header.number),
        beneficiary: header.beneficiary,
        timestamp: U256::from(header.timestamp),
        gas_limit: header.gas_limit,
        basefee: header.base_fee_per_gas.unwrap_or_default(),
        prevrandao: Some(header.mix_hash),
        blob_excess_gas_and_price: Some(BlobExcessGasAndPrice::new(0, BLOB_BASE_FEE_UPDATE_FRACTION_PRAGUE)),
        ..BlockEnv::default()
    }
}

/// Converts a signed transaction for the interpreter.
pub(crate) fn tx_env(tx: &Recovered<TxEnvelope>) -> TxEnv {
    TxEnv {
        tx_type: tx.ty(),
        caller: tx.signer(),
        gas_limit: tx.gas_limit(),
        gas_price: tx.max_fee_per_gas(),
        gas_priority_fee: tx.max_priority_fee_per_gas(),
        kind: tx.kind(),
        value: tx.value(),
        data: tx.input().clone(),
        nonce: tx.nonce(),
        chain_id: tx.chain_id(),
        access_list: tx.access_list().cloned().unwrap_or_default(),
        authorization_list: tx
            .authorization_list()
            .map(|list| list.iter().cloned().map(Either::Left).collect())
            .unwrap_or_default(),
        ..TxEnv::default()
    }
}

/// Runs a transaction in the block whose header is given.
pub(crate) fn transact(
    state: &StateAt<'_>,
    chain_id: u64,
    header: &Header,
    tx: TxEnv,
) -> Result<ResultAndState, TxRejection> {
    Context::mainnet()
        .with_db(WrapDatabaseRef(state))
        .with_cfg(config(chain_id))
        .with_block(block_env(header))
        .build_mainnet()
        .transact(tx)
}

/// Runs an unsigned call, with the checks relaxed as nodes do for calls.
pub(crate) fn simulate(
    state: &StateAt<'_>,
    chain_id: u64,
    header: &Header,
    tx: TxEnv,
    deadline: Instant,
    recorder: Option<TouchRecorder<'_>>,
) -> Result<Simulated, TxRejection> {
    let mut config = config(chain_id);
    config.disable_nonce_check = true;
    config.disable_eip3607 = true;
    config.disable_block_gas_limit = true;
    config.tx_chain_id_check = false;
    let mut block = block_env(header);
    if tx.gas_price == 0 {
        // A call without a gas price pays nothing, so its base fee is zero too.
        block.basefee = 0;
    }
    let mut evm = Context::mainnet()
        .with_db(WrapDatabaseRef(state))
        .with_cfg(config)
        .with_block(block)
        .build_mainnet_with_inspector(CallInspector { deadline, steps: 0, timed_out: false, recorder });
    let outcome = evm.inspect_tx(tx);
    if evm.inspector.timed_out {
        return Ok(Simulated::OutOfTime);
    }
    outcome.map(|outcome| Simulated::Done(outcome.result))
}

/// Stops the interpreter at the deadline and optionally records the state it touches.
struct CallInspector<'a> {
    deadline: Instant,
    steps: u32,
    timed_out: bool,
    recorder: Option<TouchRecorder<'a>>,
}

impl<C> Inspector<C, EthInterpreter> for CallInspector<'_> {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut C) {
        self.steps = self.steps.wrapping_add(1);
        // The clock is read about every thousand steps; after the deadline every frame ends at its next step.
        if self.timed_out || (self.steps.is_multiple_of(1_024) && Instant::now() >= self.deadline) {
            self.timed_out = true;
            interpreter.halt(InstructionResult::OutOfGas);
        } else if let Some((warm, touched)) = &mut self.recorder {
            touched.record(interpreter, warm);
        }
    }
}
