use alloy_primitives::{Bytes, U256, hex};
use revm::context::TxEnv;
use revm::context::result::{EVMError, ExecutionResult, HaltReason, InvalidTransaction};
use serde_json::Value;

use super::execute::TxRejection;
use crate::jsonrpc::RpcError;

/// The error code of most rejections.
pub(crate) const SERVER_ERROR: i64 = -32000;
/// The error code of a revert, which includes the revert data.
const REVERTED: i64 = 3;
const ERROR_SELECTOR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];
const PANIC_SELECTOR: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];

/// A node error with a message as geth writes it.
pub(crate) fn server_error(message: impl Into<String>) -> RpcError {
    RpcError::new(SERVER_ERROR, message)
}

/// Why a call could not even start.
pub(crate) fn rejection_message(rejection: &TxRejection, tx: &TxEnv, base_fee: u64) -> String {
    let EVMError::Transaction(invalid) = rejection else {
        return rejection.to_string();
    };
    let caller = tx.caller;
    match invalid {
        InvalidTransaction::LackOfFundForMaxFee { fee, balance } => {
            format!("insufficient funds for gas * price + value: address {caller} have {balance} want {fee}")
        }
        InvalidTransaction::GasPriceLessThanBasefee => format!(
            "max fee per gas less than block base fee: address {caller}, maxFeePerGas: {}, baseFee: {base_fee}",
            tx.gas_price
        ),
        InvalidTransaction::PriorityFeeGreaterThanMaxFee => format!(
            "max priority fee per gas higher than max fee per gas: address {caller}, maxPriorityFeePerGas: {}, \
             maxFeePerGas: {}",
            tx.gas_priority_fee.unwrap_or_default(),
            tx.gas_price
        ),
        InvalidTransaction::CallGasCostMoreThanGasLimit { initial_gas, gas_limit } => {
            format!("intrinsic gas too low: have {gas_limit}, want {initial_gas}")
        }
        InvalidTransaction::GasFloorMoreThanGasLimit { gas_floor, gas_limit } => {
            format!("insufficient gas for floor data gas cost: have {gas_limit}, want {gas_floor}")
        }
        InvalidTransaction::CreateInitCodeSizeLimit => {
            format!("max initcode size exceeded: code size {} limit 49152", tx.data.len())
        }
        InvalidTransaction::NonceOverflowInTransaction => "nonce has max value".into(),
        other => other.to_string(),
    }
}

/// Whether more gas might have let the call start.
pub(crate) fn wants_more_gas(rejection: &TxRejection) -> bool {
    matches!(
        rejection,
        EVMError::Transaction(
            InvalidTransaction::CallGasCostMoreThanGasLimit { .. }
                | InvalidTransaction::GasFloorMoreThanGasLimit { .. }
        )
    )
}

/// The output of a finished call, or the error of its revert or halt.
pub(crate) fn output(result: ExecutionResult) -> Result<Bytes, RpcError> {
    match result {
        ExecutionResult::Success { output, .. } => Ok(output.into_data()),
        ExecutionResult::Revert { output, .. } => Err(reverted(&output)),
        ExecutionResult::Halt { reason, .. } => Err(server_error(halt(&reason))),
    }
}

/// Why an executed call failed; `None` on success.
pub(crate) fn failure(result: &ExecutionResult) -> Option<String> {
    match result {
        ExecutionResult::Success { .. } => None,
        ExecutionResult::Revert { .. } => Some("execution reverted".into()),
        ExecutionResult::Halt { reason, .. } => Some(halt(reason)),
    }
}

fn reverted(output: &Bytes) -> RpcError {
    let message = match reason(output) {
        Some(reason) => format!("execution reverted: {reason}"),
        None => "execution reverted".into(),
    };
    RpcError::new(REVERTED, message).with_data(Value::String(hex::encode_prefixed(output)))
}

/// The reason inside a revert, when it is one of the two that Solidity writes.
fn reason(output: &[u8]) -> Option<String> {
    let (selector, body) = output.split_first_chunk::<4>()?;
    if *selector == PANIC_SELECTOR {
        let code = U256::try_from_be_slice(body.get(..32)?)?;
        return Some(panic_reason(code));
    }
    if *selector != ERROR_SELECTOR {
        return None;
    }
    let word = |at: usize| {
        let word = U256::try_from_be_slice(body.get(at..at.checked_add(32)?)?)?;
        usize::try_from(word).ok()
    };
    let offset = word(0)?;
    let start = offset.checked_add(32)?;
    let text = body.get(start..start.checked_add(word(offset)?)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn panic_reason(code: U256) -> String {
    let known = match u8::try_from(code).unwrap_or(u8::MAX) {
        0x00 => "generic panic",
        0x01 => "assert(false)",
        0x11 => "arithmetic underflow or overflow",
        0x12 => "division or modulo by zero",
        0x21 => "enum overflow",
        0x22 => "invalid encoded storage byte array accessed",
        0x31 => "out-of-bounds array access; popping on an empty array",
        0x32 => "out-of-bounds access of an array or bytesN",
        0x41 => "out of memory",
        0x51 => "uninitialized function",
        _ => return format!("unknown panic code: {code:#x}"),
    };
    known.into()
}

fn halt(reason: &HaltReason) -> String {
    let message = match reason {
        HaltReason::OutOfGas(_) => "out of gas",
        HaltReason::OpcodeNotFound | HaltReason::NotActivated => "invalid opcode: opcode not defined",
        HaltReason::InvalidFEOpcode => "invalid opcode: INVALID",
        HaltReason::InvalidJump => "invalid jump destination",
        HaltReason::StackUnderflow => "stack underflow",
        HaltReason::StackOverflow => "stack limit reached 1024 (1023)",
        HaltReason::OutOfOffset => "return data out of bounds",
        HaltReason::CreateCollision => "contract address collision",
        HaltReason::NonceOverflow => "nonce uint64 overflow",
        HaltReason::CreateContractSizeLimit => "max code size exceeded",
        HaltReason::CreateContractStartingWithEF => "invalid code: must not begin with 0xef",
        HaltReason::CreateInitCodeSizeLimit => "max initcode size exceeded",
        HaltReason::StateChangeDuringStaticCall | HaltReason::CallNotAllowedInsideStatic => {
            "write protection"
        }
        HaltReason::OutOfFunds => "insufficient balance for transfer",
        HaltReason::CallTooDeep => "max call depth exceeded",
        other => return other.to_string(),
    };
    message.into()
}

/// Whether the call ran out of gas.
pub(crate) fn ran_out_of_gas(result: &ExecutionResult) -> bool {
    matches!(result, ExecutionResult::Halt { reason: HaltReason::OutOfGas(_), .. })
}
