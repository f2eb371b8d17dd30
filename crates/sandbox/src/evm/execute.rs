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
use super::world::StateAt;

/// The rules that every chain here runs by.
pub(crate) const SPEC: SpecId = SpecId::PRAGUE;

/// Why the interpreter would not run a transaction at all.
pub(crate) type Refusal = EVMError<Infallible>;

/// How a call ended that was given a time to end in.
#[derive(Debug)]
pub(crate) enum Simulated {
    Done(ExecutionResult),
    OutOfTime,
}

/// Where to note what a run touches, and what is not worth noting.
pub(crate) type Noting<'a> = (&'a BTreeSet<Address>, &'a mut Touched);

/// The rules for a chain id.
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

/// A signed transaction as the interpreter takes it.
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
) -> Result<ResultAndState, Refusal> {
    Context::mainnet()
        .with_db(WrapDatabaseRef(state))
        .with_cfg(config(chain_id))
        .with_block(block_env(header))
        .build_mainnet()
        .transact(tx)
}

/// Runs a call that nobody signed, under the rules that nodes relax for calls.
pub(crate) fn simulate(
    state: &StateAt<'_>,
    chain_id: u64,
    header: &Header,
    tx: TxEnv,
    deadline: Instant,
    noting: Option<Noting<'_>>,
) -> Result<Simulated, Refusal> {
    let mut config = config(chain_id);
    config.disable_nonce_check = true;
    config.disable_eip3607 = true;
    config.disable_block_gas_limit = true;
    config.tx_chain_id_check = false;
    let mut block = block_env(header);
    if tx.gas_price == 0 {
        // A call without a price pays nothing, so the base fee that it sees is nothing too.
        block.basefee = 0;
    }
    let mut evm = Context::mainnet()
        .with_db(WrapDatabaseRef(state))
        .with_cfg(config)
        .with_block(block)
        .build_mainnet_with_inspector(Watch { deadline, steps: 0, passed: false, noting });
    let outcome = evm.inspect_tx(tx);
    if evm.inspector.passed {
        return Ok(Simulated::OutOfTime);
    }
    outcome.map(|outcome| Simulated::Done(outcome.result))
}

/// Stops the interpreter once its time is up, and notes what it touches where that is asked for.
struct Watch<'a> {
    deadline: Instant,
    steps: u32,
    passed: bool,
    noting: Option<Noting<'a>>,
}

impl<C> Inspector<C, EthInterpreter> for Watch<'_> {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut C) {
        self.steps = self.steps.wrapping_add(1);
        // The clock is read every thousand steps or so; once passed, every frame ends at its next step.
        if self.passed || (self.steps.is_multiple_of(1_024) && Instant::now() >= self.deadline) {
            self.passed = true;
            interpreter.halt(InstructionResult::OutOfGas);
        } else if let Some((warm, touched)) = &mut self.noting {
            touched.note(interpreter, warm);
        }
    }
}
