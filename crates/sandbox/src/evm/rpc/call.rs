use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use alloy_consensus::Header;
use alloy_primitives::{Address, TxKind, U256};
use alloy_rpc_types_eth::state::{AccountOverride, StateOverride};
use alloy_rpc_types_eth::{BlockOverrides, TransactionRequest};
use revm::context::TxEnv;
use revm::context::result::ExecutionResult;
use revm::context_interface::either::Either;
use rpds::HashTrieMapSync;
use serde_json::Value;

use super::encode::json;
use super::params::{Params, structured};
use super::view::{BlockArg, Reader};
use crate::evm::change::Change;
use crate::evm::errors::{self, server_error};
use crate::evm::execute::{Simulated, TouchRecorder, TxRejection, simulate};
use crate::evm::touched::Touched;
use crate::evm::world_state::{Account, StateAt, WorldState, bytecode};
use crate::jsonrpc::RpcError;

/// The default and maximum gas of a call.
pub(super) const CALL_GAS: u64 = 50_000_000;
/// How long a call may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// A prepared call that can run several times within one time limit.
pub(super) struct Simulation<'a> {
    reader: Reader<'a>,
    pub(super) world: WorldState,
    pub(super) header: Header,
    pub(super) tx: TxEnv,
    /// The gas that the caller specified.
    pub(super) gas: Option<u64>,
    deadline: Instant,
}

/// The outcome of one run: a result, or a rejection by the interpreter.
pub(super) type SimulationResult = Result<ExecutionResult, TxRejection>;

impl<'a> Reader<'a> {
    pub(super) fn call(self, params: &Params) -> Result<Value, RpcError> {
        let simulation = self.simulation(params)?;
        let gas = simulation.gas.map_or(CALL_GAS, |gas| gas.min(CALL_GAS));
        match simulation.run(gas)? {
            Ok(result) => json(errors::output(result)?),
            Err(rejection) => {
                let why = errors::rejection_message(&rejection, &simulation.tx, simulation.base_fee());
                Err(server_error(format!("err: {why} (supplied gas {gas})")))
            }
        }
    }

    /// Parses a call, its block and its overrides.
    pub(super) fn simulation(self, params: &Params) -> Result<Simulation<'a>, RpcError> {
        let request: TransactionRequest = params.object(0)?;
        let at = params.read_optional(1, BlockArg::any)?.unwrap_or(BlockArg::Latest);
        let accounts: Option<StateOverride> = params.read_optional(2, structured)?;
        let block: Option<BlockOverrides> = params.read_optional(3, structured)?;
        let recent = self.state(at)?;
        let (mut world, mut header) = (recent.world, recent.block.header.clone());
        for (address, with) in accounts.unwrap_or_default() {
            world.edit(address, &mut Change::default(), |account| override_account(account, &with));
        }
        override_header(&mut header, &block.unwrap_or_default());
        Ok(Simulation {
            reader: self,
            world,
            header,
            gas: request.gas,
            tx: tx_env(request, self.inner.chain_id)?,
            deadline: Instant::now() + CALL_TIMEOUT,
        })
    }
}

impl Simulation<'_> {
    pub(super) fn base_fee(&self) -> u64 {
        self.header.base_fee_per_gas.unwrap_or_default()
    }

    /// Runs the call with this much gas.
    pub(super) fn run(&self, gas: u64) -> Result<SimulationResult, RpcError> {
        self.watch(gas, None)
    }

    /// Runs the call and records what it touches besides always-warm accounts.
    pub(super) fn run_recording(
        &self,
        gas: u64,
        warm: &BTreeSet<Address>,
        touched: &mut Touched,
    ) -> Result<SimulationResult, RpcError> {
        self.watch(gas, Some((warm, touched)))
    }

    fn watch(&self, gas: u64, touched: Option<TouchRecorder<'_>>) -> Result<SimulationResult, RpcError> {
        let inner = self.reader.inner;
        let hashes = |number| inner.block_hash(number);
        let state = StateAt { world: &self.world, number: self.header.number, hashes: &hashes };
        let tx = TxEnv { gas_limit: gas, ..self.tx.clone() };
        match simulate(&state, inner.chain_id, &self.header, tx, self.deadline, touched) {
            Ok(Simulated::Done(result)) => Ok(Ok(result)),
            Ok(Simulated::OutOfTime) => {
                Err(server_error(format!("execution aborted (timeout = {}s)", CALL_TIMEOUT.as_secs())))
            }
            Err(rejection) => Ok(Err(rejection)),
        }
    }
}

fn tx_env(request: TransactionRequest, chain_id: u64) -> Result<TxEnv, RpcError> {
    let input = request.input.try_into_unique_input().map_err(|error| server_error(error.to_string()))?;
    let dynamic = request.max_fee_per_gas.is_some() || request.max_priority_fee_per_gas.is_some();
    if dynamic && request.gas_price.is_some() {
        return Err(server_error("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified"));
    }
    if let Some(have) = request.chain_id.filter(|have| *have != chain_id) {
        return Err(server_error(format!("chainId does not match node's (have={have}, want={chain_id})")));
    }
    if request.blob_versioned_hashes.is_some() {
        return Err(server_error("transaction type not supported"));
    }
    let authorizations = request.authorization_list.unwrap_or_default();
    let tip = request.max_priority_fee_per_gas.unwrap_or_default();
    let tx_type = match (authorizations.is_empty(), dynamic, request.access_list.is_some()) {
        (false, _, _) => 4,
        (_, true, _) => 2,
        (_, _, true) => 1,
        _ => 0,
    };
    Ok(TxEnv {
        tx_type,
        caller: request.from.unwrap_or_default(),
        gas_price: request.gas_price.or(request.max_fee_per_gas).unwrap_or_default(),
        gas_priority_fee: dynamic.then_some(tip),
        kind: request.to.unwrap_or(TxKind::Create),
        value: request.value.unwrap_or_default(),
        data: input.unwrap_or_default(),
        nonce: request.nonce.unwrap_or_default(),
        chain_id: Some(chain_id),
        access_list: request.access_list.unwrap_or_default(),
        authorization_list: authorizations.into_iter().map(Either::Left).collect(),
        ..TxEnv::default()
    })
}

fn override_account(account: &mut Account, with: &AccountOverride) {
    if let Some(balance) = with.balance {
        account.balance = balance;
    }
    if let Some(nonce) = with.nonce {
        account.nonce = nonce;
    }
    if let Some(code) = &with.code {
        account.set_code(bytecode(code.clone()));
    }
    if with.state.is_some() {
        account.slots = HashTrieMapSync::new_sync();
    }
    for (key, value) in with.state.iter().chain(&with.state_diff).flatten() {
        account.set_slot(U256::from_be_bytes(key.0), U256::from_be_bytes(value.0));
    }
}

fn override_header(header: &mut Header, with: &BlockOverrides) {
    if let Some(number) = with.number {
        header.number = number.saturating_to();
    }
    if let Some(time) = with.time {
        header.timestamp = time;
    }
    if let Some(gas_limit) = with.gas_limit {
        header.gas_limit = gas_limit;
    }
    if let Some(coinbase) = with.coinbase {
        header.beneficiary = coinbase;
    }
    if let Some(random) = with.random {
        header.mix_hash = random;
    }
    if let Some(base_fee) = with.base_fee {
        header.base_fee_per_gas = Some(base_fee.saturating_to());
    }
}
