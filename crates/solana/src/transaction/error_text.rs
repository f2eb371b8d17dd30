use serde_json::Value;
use solana_instruction::error::InstructionError;
use solana_transaction_error::TransactionError;

use crate::program::EscrowError;
use crate::rpc::shorten;

/// The prefix of a program's own log lines.
const PROGRAM_LOG_PREFIX: &str = "Program log: ";
/// The prefix of the runtime's log lines; lines of built-in programs have none.
const RUNTIME_LOG_PREFIX: &str = "Program ";

/// The `err` of a transaction as a sentence; an unknown one is shown verbatim.
pub(crate) fn explain(err: &Value) -> String {
    match serde_json::from_value::<TransactionError>(err.clone()) {
        Ok(error) => explain_known(&error),
        Err(_) => shorten(&format!("the transaction fails: {err}")),
    }
}

/// The error of the escrow program, if it is the cause.
pub(crate) fn escrow_error(err: &Value) -> Option<EscrowError> {
    match serde_json::from_value(err.clone()) {
        Ok(TransactionError::InstructionError(_, InstructionError::Custom(code))) => {
            EscrowError::from_code(code)
        }
        _ => None,
    }
}

/// The same, with the last message of the failing program.
pub(crate) fn explain_with_logs(err: &Value, logs: &[String]) -> String {
    let mut reason = explain(err);
    let message = |line: &'_ String| match line.strip_prefix(PROGRAM_LOG_PREFIX) {
        Some(printed) => printed.to_ascii_lowercase().contains("error").then(|| shorten(printed)),
        None => (!line.starts_with(RUNTIME_LOG_PREFIX)).then(|| shorten(line)),
    };
    if let Some(message) = logs.iter().rev().find_map(message) {
        reason.push_str("; the program says: ");
        reason.push_str(&message);
    }
    reason
}

fn explain_known(error: &TransactionError) -> String {
    match error {
        TransactionError::AccountNotFound | TransactionError::InsufficientFundsForFee => {
            "the payer does not have enough SOL for the network fee".to_owned()
        }
        TransactionError::BlockhashNotFound => {
            "the transaction's blockhash has expired or is not known yet; build it again".to_owned()
        }
        TransactionError::InsufficientFundsForRent { account_index } => {
            format!(
                "account {account_index} of the transaction would not be rent-exempt: it would keep too little SOL"
            )
        }
        TransactionError::InstructionError(_, InstructionError::Custom(code))
            if let Some(escrow_error) = EscrowError::from_code(*code) =>
        {
            format!("the escrow refuses it: {escrow_error}")
        }
        TransactionError::InstructionError(index, inner) => {
            // People count from one.
            format!("instruction {} fails: {inner}", u16::from(*index) + 1)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn common_errors_are_explained() {
        assert!(explain(&json!("InsufficientFundsForFee")).contains("not have enough SOL"));
        assert!(
            explain(&json!({ "InsufficientFundsForRent": { "account_index": 2 } })).contains("account 2")
        );
        let custom = json!({ "InstructionError": [0, { "Custom": 1 }] });
        assert_eq!(explain(&custom), "instruction 1 fails: custom program error: 0x1");
    }

    #[test]
    fn escrow_error_codes_have_messages() {
        let custom = json!({ "InstructionError": [2, { "Custom": 1_022 }] });
        assert_eq!(explain(&custom), "the escrow refuses it: the order was opened before");
        assert_eq!(escrow_error(&custom), Some(EscrowError::AlreadyOpened));
        assert_eq!(escrow_error(&json!("AccountNotFound")), None);
    }

    #[test]
    fn program_log_message_is_appended() {
        let logs = [
            "Program log: Instruction: Transfer",
            "Program log: Error: insufficient funds",
            "Program x failed",
        ]
        .map(str::to_owned);
        let custom = json!({ "InstructionError": [0, { "Custom": 1 }] });
        assert!(explain_with_logs(&custom, &logs).ends_with("the program says: Error: insufficient funds"));
    }

    #[test]
    fn built_in_program_message_is_appended() {
        let message = "Transfer: insufficient lamports 5, need 7";
        let logs = ["Program 11111111111111111111111111111111 invoke [1]", message, "Program 1 failed: 0x1"];
        let reason =
            explain_with_logs(&json!({ "InstructionError": [0, { "Custom": 1 }] }), &logs.map(str::to_owned));
        assert_eq!(
            reason,
            format!("instruction 1 fails: custom program error: 0x1; the program says: {message}")
        );
    }

    #[test]
    fn unknown_error_is_shown_verbatim() {
        assert_eq!(explain(&json!({ "Nova": [1] })), r#"the transaction fails: {"Nova":[1]}"#);
    }

    proptest! {
        #[test]
        fn any_instruction_error_has_a_message(index in any::<i64>(), name in "[A-Za-z]{0,20}", code in any::<i64>()) {
            let errors = [json!([index, { name.clone(): code }]), json!([index, name]), json!(index)];
            for error in errors {
                let reason = explain(&json!({ "InstructionError": error }));
                prop_assert!(!reason.is_empty());
            }
        }
    }
}
