use serde_json::Value;
use solana_instruction::error::InstructionError;
use solana_transaction_error::TransactionError;

use crate::program::Refusal;
use crate::rpc::shorten;

/// What stands before a program's own words in the logs.
const PROGRAM_WORDS: &str = "Program log: ";
/// What the runtime's lines begin with; those of the built-in programs begin with anything else.
const RUNTIME_LINE: &str = "Program ";

/// The `err` of a transaction as a sentence; one that we do not know is shown as it came.
pub(crate) fn explain(err: &Value) -> String {
    match serde_json::from_value::<TransactionError>(err.clone()) {
        Ok(error) => explain_known(&error),
        Err(_) => shorten(&format!("the transaction fails: {err}")),
    }
}

/// Why the escrow program refused the transaction, if it was that.
pub(crate) fn refusal(err: &Value) -> Option<Refusal> {
    match serde_json::from_value(err.clone()) {
        Ok(TransactionError::InstructionError(_, InstructionError::Custom(code))) => Refusal::from_code(code),
        _ => None,
    }
}

/// The same, with what the failing program printed last.
pub(crate) fn explain_with_logs(err: &Value, logs: &[String]) -> String {
    let mut words = explain(err);
    let complaint = |line: &'_ String| match line.strip_prefix(PROGRAM_WORDS) {
        Some(printed) => printed.to_ascii_lowercase().contains("error").then(|| shorten(printed)),
        None => (!line.starts_with(RUNTIME_LINE)).then(|| shorten(line)),
    };
    if let Some(complaint) = logs.iter().rev().find_map(complaint) {
        words.push_str("; the program says: ");
        words.push_str(&complaint);
    }
    words
}

fn explain_known(error: &TransactionError) -> String {
    match error {
        TransactionError::AccountNotFound | TransactionError::InsufficientFundsForFee => {
            "the payer does not have enough SOL for the network fee".to_owned()
        }
        TransactionError::BlockhashNotFound => {
            "the transaction's blockhash has expired or is not known yet; build it anew".to_owned()
        }
        TransactionError::InsufficientFundsForRent { account_index } => {
            format!(
                "account {account_index} of the transaction would keep too little SOL to stay alive (rent)"
            )
        }
        TransactionError::InstructionError(_, InstructionError::Custom(code))
            if let Some(refusal) = Refusal::from_code(*code) =>
        {
            format!("the escrow refuses it: {refusal}")
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
    fn errors_say_what_to_change() {
        assert!(explain(&json!("InsufficientFundsForFee")).contains("not have enough SOL"));
        assert!(
            explain(&json!({ "InsufficientFundsForRent": { "account_index": 2 } })).contains("account 2")
        );
        let custom = json!({ "InstructionError": [0, { "Custom": 1 }] });
        assert_eq!(explain(&custom), "instruction 1 fails: custom program error: 0x1");
    }

    #[test]
    fn the_escrows_own_codes_are_put_into_words() {
        let custom = json!({ "InstructionError": [2, { "Custom": 1_022 }] });
        assert_eq!(explain(&custom), "the escrow refuses it: the order was opened before");
        assert_eq!(refusal(&custom), Some(Refusal::AlreadyOpened));
        assert_eq!(refusal(&json!("AccountNotFound")), None);
    }

    #[test]
    fn the_programs_own_words_are_added() {
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
    fn the_words_of_built_in_programs_are_added_too() {
        let complaint = "Transfer: insufficient lamports 5, need 7";
        let logs =
            ["Program 11111111111111111111111111111111 invoke [1]", complaint, "Program 1 failed: 0x1"];
        let words =
            explain_with_logs(&json!({ "InstructionError": [0, { "Custom": 1 }] }), &logs.map(str::to_owned));
        assert_eq!(
            words,
            format!("instruction 1 fails: custom program error: 0x1; the program says: {complaint}")
        );
    }

    #[test]
    fn an_error_of_a_later_version_is_shown_as_it_came() {
        assert_eq!(explain(&json!({ "Nova": [1] })), r#"the transaction fails: {"Nova":[1]}"#);
    }

    proptest! {
        #[test]
        fn any_instruction_error_is_put_into_words(index in any::<i64>(), name in "[A-Za-z]{0,20}", code in any::<i64>()) {
            let errors = [json!([index, { name.clone(): code }]), json!([index, name]), json!(index)];
            for error in errors {
                let words = explain(&json!({ "InstructionError": error }));
                prop_assert!(!words.is_empty());
            }
        }
    }
}
